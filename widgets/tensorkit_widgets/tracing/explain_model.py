"""The story of a line of tensor code: each call in order, view or copy and why, and what an error means.

    explain_line("x.t().view(-1) + 1", {"x": x})

runs the line once, in the learner's own namespace, and gives a `Story`. This is the model behind ``explain`` and
``%%explain``: the code is the learner's own cell, and runs as any cell does. Nothing that a browser sends comes here.

>>> story = explain_line("x.t().view(-1) + 1", {"x": tk.arange(6).view(2, 3)})
>>> [(step.call, step.kind) for step in story.steps]
[('x.t()', 'view'), ('….view(-1)', 'error')]
>>> story.steps[-1].failure.diagnosis.culprits
(Culprit(operand=0, dim=0), Culprit(operand=0, dim=1))
"""

from __future__ import annotations

import code as interpreter
import codeop
import linecache
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from tensorkit import tracing
from tensorkit_widgets.tracing.hooks import Hooks, text_of
from tensorkit_widgets.tracing.instrument import KEY, Woven, weave
from tensorkit_widgets.tracing.recorder import MOST_STEPS, Failure, Recorder, TraceStep
from tensorkit_widgets.tracing.tally import Tally


@dataclass(frozen=True, slots=True)
class Story:
    """What a piece of code did, step by step.

    Attributes:
        code: as it was given.
        steps: one for every call that had to do with tensors, in the order in which the calls finished.
        left_out: calls that were too many to keep.
        beyond: what these did, counted.
        shown: the text of the last expression's value, as a notebook prints it.
        failure: the error that ended it, if one did.
    """

    code: str
    steps: tuple[TraceStep, ...]
    left_out: int = 0
    shown: str = ""
    failure: Failure | None = None
    beyond: Tally = field(default_factory=Tally)

    @property
    def failed(self) -> TraceStep | None:
        """The step that raised the error which ended the run."""
        last = self.steps[-1] if self.steps else None
        return last if self.failure is not None and last is not None and last.failure is not None else None

    @property
    def bytes_moved(self) -> int:
        """What the engine's copier moved in all calls."""
        return sum(step.bytes_moved or 0 for step in self.steps) + self.beyond.moved


def explain_line(
    what: str | Callable[[], Any], namespace: dict[str, Any] | None = None, *, limit: int = MOST_STEPS
) -> Story:
    """Run a line, a cell or a function without arguments once, and tell its story; an error is part of the story.

    Args:
        what: code to run, or a function to call. Of a function only the engine's operations are told.
        namespace: where the code runs and what it leaves its names in; without one, the notebook's, else the caller's.
        limit: the most steps that are kept.

    Raises:
        SyntaxError: when the code is no Python: nothing has run then.
    """
    if namespace is None and isinstance(what, str):
        shell = _shell()
        namespace = sys._getframe(1).f_globals if shell is None else shell.user_ns
    return explain_run(what, namespace, limit=limit)[0]


def explain_run(
    what: str | Callable[[], Any], namespace: dict[str, Any] | None, *, limit: int = MOST_STEPS
) -> tuple[Story, BaseException | None]:
    """`explain_line`, and beside the story the error itself, for who wants to raise it again."""
    if callable(what):
        return _explain_call(what, limit)
    names = {} if namespace is None else namespace
    text = _plain_python(what, names)
    file = f"<explain {blake2b(text.encode('utf-8', 'replace'), digest_size=6).hexdigest()}>"
    woven = weave(text, file)
    # Tracebacks, here and of functions that the code leaves behind, show their lines.
    linecache.cache[file] = (len(text), None, [line + "\n" for line in text.splitlines()], file)
    hooks = Hooks(woven, Recorder(limit))
    error = _run(woven, names, hooks, file)
    hooks.finish(error)
    if error is not None:
        hooks.recorder.raised(error)
    story = Story(
        what,
        hooks.recorder.steps,
        hooks.recorder.left_out,
        hooks.text,
        _failure_of(hooks.recorder, error),
        hooks.recorder.beyond,
    )
    return story, error


def _explain_call(function: Callable[[], Any], limit: int) -> tuple[Story, BaseException | None]:
    recorder, error, shown = Recorder(limit), None, ""
    with tracing.listen(recorder.hear, calls=True):
        try:
            shown = text_of(function())
        except Exception as raised:
            recorder.raised(raised)
            error = raised
    name = getattr(function, "__name__", "a function")
    failure = _failure_of(recorder, error)
    return Story(name, recorder.steps, recorder.left_out, shown, failure, recorder.beyond), error


def _shell() -> Any:
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def _plain_python(text: str, names: dict[str, Any]) -> str:
    """A cell's magics and shell lines as the calls that the notebook makes of them."""
    shell = _shell()
    if shell is not None and shell.user_ns is names:
        return str(shell.transform_cell(text))
    return text


class _Cell(interpreter.InteractiveInterpreter):
    """Python's own way of running a cell; what it raises is kept, not printed."""

    error: BaseException | None = None

    def showtraceback(self) -> None:
        self.error = sys.exc_info()[1]


def _run(woven: Woven, names: dict[str, Any], hooks: Hooks, file: str) -> BaseException | None:
    runnable = codeop.Compile()(woven.tree, file, "exec")  # type: ignore[arg-type]
    cell = _Cell(names)
    names[KEY] = hooks
    try:
        with tracing.listen(hooks.recorder.hear, calls=True):
            cell.runcode(runnable)
    finally:
        names.pop(KEY, None)
    if isinstance(cell.error, KeyboardInterrupt):
        raise cell.error
    return cell.error


def _failure_of(recorder: Recorder, error: BaseException | None) -> Failure | None:
    if error is None:
        return None
    last = recorder.steps[-1] if recorder.steps else None
    if last is not None and last.failure is not None and last.failure.message == str(error):
        return last.failure
    return Failure(type(error).__name__, str(error))
