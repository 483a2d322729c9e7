"""The hooks that watched code calls: they open a step when its last operand is there, and close it with its result.

A call that raised is the innermost one that is still open when the error arrives; hooks at every ``except`` and
``finally`` see to it that this holds for errors that are caught, too.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tensorkit import tracing
from tensorkit_widgets.snapshot.frozen_tensor import MOST_TENSORS, is_tensor
from tensorkit_widgets.tracing.instrument import Site, Woven
from tensorkit_widgets.tracing.recorder import Open, Recorder
from tensorkit_widgets.tracing.source import is_library_file

LONGEST_RESULT = 2000
"""Characters of the last expression's text that are kept."""


def text_of(value: Any) -> str:
    """The text of a value as a notebook prints it; a value that has none never ends the story."""
    if value is None:
        return ""
    try:
        with tracing.silence():
            text = repr(value)
    except (
        Exception
    ) as error:  # a learner's own __repr__; the notebook would show the error, the story goes on
        return f"<its text raised {type(error).__name__}>"
    return text if len(text) <= LONGEST_RESULT else text[: LONGEST_RESULT - 1] + "…"


@dataclass
class Hooks:
    """What the woven code calls: each hook gives back what it was handed.

    Args:
        woven: the code and its sites.
        recorder: who keeps the steps.
    """

    woven: Woven
    recorder: Recorder
    text: str = ""
    parts: dict[int, list[Any]] = field(default_factory=dict)
    open: list[tuple[int, Open | None]] = field(default_factory=list)

    def part(self, site: int, index: int, value: Any) -> Any:
        """A part of a call was computed."""
        if index == 0:
            self.parts[site] = []
        self.parts.setdefault(site, []).append(value)
        return value

    def ready(self, site: int, index: int, value: Any) -> Any:
        """The last part was computed: the call is about to be made."""
        self.part(site, index, value)
        values = self.parts.pop(site)
        if self.open:
            self._close_strays(site)
        here = self.woven.sites[site]
        if here.kind == "operator" and all(type(part) in _NUMBERS for part in values):
            self.open.append((site, None))  # a counting loop has nothing to tell
        else:
            self._guarded(self._open, here, values)
        return value

    def end(self, site: int, output: Any) -> Any:
        """A call gave this."""
        self._close(site, output)
        return output

    def done(self, site: int, *written: Any) -> None:
        """A statement that writes has been carried out."""
        self._close(site, written[0] if written else _NOTHING)

    def test(self, site: int, value: Any) -> Any:
        """Python is about to ask a value whether it is true."""
        self._close_strays(site)
        if is_tensor(value):
            self._guarded(self._open, self.woven.sites[site], [value])
        return value

    def caught(self) -> None:
        """An error was caught, or passes by."""
        self._fail_open(sys.exc_info()[1])

    def shown(self, value: Any) -> Any:
        """The value of the last expression."""
        self._close_strays(-1)
        self.text = text_of(value)
        return value

    def finish(self, error: BaseException | None) -> None:
        """The code has ended, or raised."""
        if error is None:
            self._close_strays(-1)
        self._fail_open(error)
        self.parts.clear()

    # -- opening and closing ---------------------------------------------------------------------------------------

    def _guarded(self, step: Callable[..., None], *args: Any) -> None:
        try:
            step(*args)
        except Exception:  # what goes wrong in the telling is never the learner's trouble
            self.recorder.missed()

    def _open(self, site: Site, values: list[Any]) -> None:
        order = site.order or tuple(range(len(values)))
        order = (*order, *(k for k in range(len(values)) if k not in order))
        tensors, names = _operands([values[k] for k in order], [_at(site.labels, k) for k in order])
        role = self._role(site, values)
        if role == "library":  # one step if it was handed tensors; otherwise what it calls is told
            role = "told" if tensors else "through"
        if role == "none" or (site.kind in ("attribute", "test", "operator") and not tensors):
            self.open.append((site.number, None))
            return
        args, kwargs = _arguments(site, values)
        level = sum(1 for _, held in self.open if held is not None and held.role == "through")
        opened = self.recorder.begin(site.op, site.place, tensors, names, args, kwargs, level, role)
        self.open.append((site.number, opened))

    def _role(self, site: Site, values: list[Any]) -> str:
        if site.kind == "call":
            return _role_of(values[0])
        if site.kind == "method":
            first = values[0]
            if isinstance(first, types.ModuleType):
                return _role_of(getattr(first, site.op, None))
            return "told" if is_tensor(first) else _role_of(getattr(type(first), site.op, None))
        if site.kind in ("index", "store", "augment", "attribute"):
            target = values[site.order[0]] if site.order else values[0]
            return "told" if is_tensor(target) else "none"
        return "told"

    def _close(self, site: int, output: Any) -> None:
        while self.open:
            number, opened = self.open.pop()
            if number == site:
                if opened is not None:
                    self._guarded(self._finish, self.woven.sites[site], opened, output)
                return
            if opened is not None:
                self.recorder.forget(opened)

    def _finish(self, site: Site, opened: Open, output: Any) -> None:
        inner = opened.role == "through" and opened.told_inside
        if output is _NOTHING:
            self.recorder.end(opened, opened.tensors[0] if opened.tensors else None)
        elif inner or site.kind == "test" or not _worth_telling(site, opened, output):
            self.recorder.forget(opened)
        else:
            self.recorder.end(opened, output)

    def _close_strays(self, site: int) -> None:
        """Calls that are open and do not lie around this site have ended without saying so."""
        around = set(self.woven.ancestors(site)) if site >= 0 else set()
        while self.open and self.open[-1][0] not in around:
            number, opened = self.open.pop()
            if opened is None:
                continue
            kind = self.woven.sites[number].kind
            if kind == "store":
                self._guarded(self._finish, self.woven.sites[number], opened, _NOTHING)
            elif kind == "test" or opened.error is None:
                self.recorder.forget(opened)
            else:
                self._guarded(self.recorder.fail, opened, opened.error)

    def _fail_open(self, error: BaseException | None) -> None:
        """The innermost open call is the one that raised."""
        failed = False
        while self.open:
            _, opened = self.open.pop()
            if opened is None:
                continue
            if failed or error is None or opened.told_inside:
                self.recorder.forget(opened)
            else:
                self._guarded(self.recorder.fail, opened, error)
            failed = True


_NOTHING = object()
_NUMBERS = frozenset({bool, int, float, complex, str})


def _at(labels: tuple[tuple[str, ...], ...], index: int) -> tuple[str, ...]:
    return labels[index] if index < len(labels) else ()


def _operands(values: list[Any], labels: list[tuple[str, ...]]) -> tuple[list[Any], list[str]]:
    """The tensors among the parts of a call, those in a list of them too, and how each is written."""
    tensors: list[Any] = []
    names: list[str] = []
    for value, texts in zip(values, labels, strict=True):
        inner = list(value) if type(value) in (list, tuple) else [value]
        alike = texts if len(texts) == len(inner) else ("",) * len(inner)
        for item, text in zip(inner, alike, strict=True):
            if is_tensor(item) and len(tensors) < MOST_TENSORS:
                tensors.append(item)
                names.append(text)
    return tensors, names


def _arguments(site: Site, values: list[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What was given beside the tensors, for the words of a step."""
    rest = values[1:] if site.kind in ("call", "method") else []
    plain = [v for v in rest if not is_tensor(v) and isinstance(v, bool | int | float | str | tuple | list)]
    return tuple(plain), {}


_QUIET = frozenset(
    {"print", "repr", "str", "format", "len", "type", "isinstance", "id", "hash", "callable", "hasattr", "display",
     "issubclass", "locals", "globals", "vars", "dir"}
)  # fmt: skip
_TENSOR_LIBRARIES = ("tensorkit", "torch", "numpy")


def _role_of(function: Any) -> str:
    """How a call of this is told: as one step, through to what it calls, or not at all."""
    name = getattr(function, "__name__", "")
    module = str(getattr(function, "__module__", "") or "")
    if module == "builtins" or (isinstance(function, types.BuiltinFunctionType) and not module):
        return "none" if name in _QUIET else "through"
    if module.partition(".")[0] in _TENSOR_LIBRARIES or function is None:
        return "told"
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is not None and is_library_file(code.co_filename):
        return "library"
    return "through"


def _worth_telling(site: Site, opened: Open, output: Any) -> bool:
    """Whether a call had to do with tensors."""
    out = bool(_operands([output], [()])[0])
    if site.kind in ("attribute", "index"):
        return out
    if site.kind == "operator":
        return bool(opened.tensors)
    if opened.role == "through":
        return out and bool(opened.tensors)
    return out or bool(opened.tensors)
