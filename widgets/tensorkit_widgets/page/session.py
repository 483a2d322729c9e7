"""`Session`: runs the code cells of a lesson's page as a notebook's kernel would, and says what came of each.

>>> said = []
>>> session = Session(said.append)
>>> session.run("a", "print(1 + 1)"), session.run("b", "n = 3; n + 1")
(True, True)
>>> [json.loads(one)["output"] for one in said if '"output"' in one][0]
{'output_type': 'stream', 'name': 'stdout', 'text': '2\\n'}
>>> json.loads(said[-2])["output"]["data"], json.loads(said[-1])
({'text/plain': '4'}, {'kind': 'done', 'cell': 'b', 'ok': True})
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import linecache
import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from types import CodeType
from typing import Any

from tensorkit_widgets.page.lacking import ELSEWHERE, NeedsJupyter, lacking
from tensorkit_widgets.page.mime import bundle
from tensorkit_widgets.widget import page_host
from tensorkit_widgets.widget.tracebacks import own_lines


class _Stream(io.TextIOBase):
    """What a cell prints, in whole lines."""

    def __init__(self, name: str, output: Callable[[Mapping[str, Any]], None]) -> None:
        self._name, self._output, self._begun = name, output, ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._begun += text
        if "\n" in text:
            lines, _, rest = self._begun.rpartition("\n")
            self._begun = lines + "\n"
            self.flush()
            self._begun = rest
        return len(text)

    def flush(self) -> None:
        if self._begun:
            text, self._begun = self._begun, ""
            self._output({"output_type": "stream", "name": self._name, "text": text})


class Events:
    """The functions that are called after every cell, as IPython keeps them."""

    def __init__(self) -> None:
        self._after: list[Callable[[Any], None]] = []

    def register(self, _event: str, function: Callable[[Any], None]) -> None:
        """Call it after every cell from now on."""
        self._after.append(function)

    def unregister(self, _event: str, function: Callable[[Any], None]) -> None:
        """Call it no more."""
        self._after.remove(function)

    def trigger(self) -> None:
        """A cell has ended."""
        for function in list(self._after):
            function(None)


class Session:
    """The names of one page, and the cells that run in them.

    Args:
        post: is given each message to the page, as JSON.
    """

    def __init__(self, post: Callable[[str], object]) -> None:
        self._post = post
        self._runs = count(1)
        self._streams: list[_Stream] = []
        self._cell, self._run = "", 0
        self._scenes: list[dict[str, Any]] = []
        self._missed: set[str] = set()
        self.events = Events()
        self.user_ns: dict[str, Any] = {"__name__": "__main__", "display": self._display}
        page_host.connect(self)

    def _not_made(self, error: BaseException) -> str:
        """A sentence for a name that a cell above would have made, if the page's engine had what it needs."""
        if not isinstance(error, NameError) or error.name not in self._missed:
            return ""
        return f"`{error.name}` comes from a cell above that a page cannot run. {ELSEWHERE}"

    # ---- what a page asks for

    def run(self, cell: str, source: str, scenes: str = "[]") -> bool:
        """Run a cell: its outputs are posted as they come, then that it is done. Whether nothing went wrong.

        Args:
            cell: its name.
            source: its code.
            scenes: those of its picture, as its metadata in a notebook have them, in JSON.
        """
        self._cell, self._run, self._scenes = str(cell), next(self._runs), json.loads(scenes)
        try:
            with self._captured():
                self._execute(source)
            ok = True
        except BaseException as error:  # an interrupt too: the page stays, whatever a cell does
            sentence = lacking(error) or self._not_made(error)
            if sentence:
                self._missed |= _made_in(source)
            self._output(_sentence(sentence) if sentence else _error(error, self.user_ns))
            ok = False
        try:
            self.events.trigger()
        finally:
            self.post({"kind": "done", "cell": self._cell, "ok": ok})
            self._cell = ""
        return ok

    def receive(self, model: str, content: str | Mapping[str, Any]) -> None:
        """Hand a widget what its view has sent, as JSON or as a dict; one that is closed is not answered."""
        widget = page_host.shown.get(model)
        if widget is not None:
            widget._heard(widget, json.loads(content) if isinstance(content, str) else content, None)

    # ---- what widgets ask for

    def post(self, message: Mapping[str, Any]) -> None:
        """Send a message to the page."""
        self._post(json.dumps(message))

    def display(self, data: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
        """Show a MIME bundle under the cell that runs."""
        self._output({"output_type": "display_data", "data": dict(data), "metadata": dict(metadata)})

    def get_parent(self) -> dict[str, Any]:
        """Header and metadata of the message that runs the present cell, as Jupyter has them."""
        settings = {"scenes": self._scenes}
        return {
            "header": {"msg_id": str(self._run)},
            "metadata": {"cellId": self._cell, "tensorkit": settings},
        }

    # ---- a cell

    def _execute(self, source: str) -> None:
        body, last = _compiled(source, f"<cell {self._cell}>")
        exec(body, self.user_ns)  # noqa: S102  # the learner's own code, in the learner's own browser
        if last is not None:
            value = eval(last, self.user_ns)  # noqa: S307  # as above
            if value is not None:
                self.user_ns["_"] = value
                self._show(value, "execute_result")

    def _display(self, *values: Any) -> None:
        """What a cell calls to show something."""
        for value in values:
            self._show(value, "display_data")

    def _show(self, value: Any, kind: str) -> None:
        shows_itself = getattr(type(value), "_ipython_display_", None)
        if shows_itself is not None:
            shows_itself(value)
            return
        data, metadata = bundle(value)
        output = {"output_type": kind, "data": data, "metadata": metadata}
        self._output({**output, "execution_count": None} if kind == "execute_result" else output)

    def _output(self, output: Mapping[str, Any]) -> None:
        for stream in self._streams:  # what was printed before it comes before it
            if output["output_type"] != "stream":
                stream.flush()
        self.post({"kind": "output", "cell": self._cell, "output": output})

    @contextlib.contextmanager
    def _captured(self) -> Iterator[None]:
        out, err = _Stream("stdout", self._output), _Stream("stderr", self._output)
        self._streams = [out, err]
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                yield
        finally:
            out.flush()
            err.flush()
            self._streams = []


def _compiled(source: str, file: str) -> tuple[CodeType, CodeType | None]:
    """A cell's code, and that of its last expression, whose value is shown unless a semicolon follows."""
    linecache.cache[file] = (len(source), None, [f"{line}\n" for line in source.splitlines()], file)
    tree = _parsed(source, file)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr) or source.rstrip().endswith(";"):
        return compile(tree, file, "exec"), None
    del tree.body[-1]
    return compile(tree, file, "exec"), compile(ast.Expression(last.value), file, "eval")


def _parsed(source: str, file: str) -> ast.Module:
    """A cell's tree. A page knows no magics; the one that makes them known has nothing to do."""
    try:
        return ast.parse(source, file)
    except SyntaxError:
        lines = [re.sub(r"^%load_ext tensorkit_widgets\s*$", "", line) for line in source.splitlines()]
        magic = next((line.split()[0] for line in lines if line.startswith(("%", "!"))), "")
        if magic:
            raise NeedsJupyter(f"`{magic}`") from None
        return ast.parse("\n".join(lines), file)


def _made_in(source: str) -> set[str]:
    """The names that a cell gives something to."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        return set()
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def _sentence(text: str) -> dict[str, Any]:
    """What a page cannot do, as a notebook's output."""
    return {"output_type": "error", "ename": "NeedsJupyter", "evalue": text, "traceback": [text]}


def _error(error: BaseException, names: dict[str, Any]) -> dict[str, Any]:
    """An error as a notebook's output: the learner's own lines."""
    trace = own_lines(error.__traceback__, names)
    while trace is not None and trace.tb_frame.f_globals is not names:
        trace = trace.tb_next
    lines = traceback.format_exception(type(error), error.with_traceback(None), trace, chain=False)
    text = "".join(lines).rstrip("\n").split("\n")
    return {"output_type": "error", "ename": type(error).__name__, "evalue": str(error), "traceback": text}
