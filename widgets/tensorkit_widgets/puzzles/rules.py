"""Rules: which calls a function may make; the engine's tracing tells each call, and where it was made.

>>> watch = Watch(MASKS)
>>> watch.run(lambda x: x.cumsum(0), (tk.arange(3),))
tensor([0, 1, 3])
>>> watch.broken.name
'cumsum'
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tensorkit import tracing
from tensorkit_widgets.practice.facts import is_tensor
from tensorkit_widgets.tracing.source import learner_frame

_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_CASTS = {"to", "float", "double", "long", "int", "bool", "type"}
_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*"}
_OTHER = {"floor_divide", "remainder", "neg", "bitwise_and", "bitwise_or", "bitwise_not", "__invert__"}
_SIZES = {"__getitem__", "unsqueeze", "expand", "t", "numpy_T", "mT", "transpose"}
SIGNS = {**_COMPARE, **_ARITHMETIC}
"""What two tensors meet by, as `BroadcastExplorer` writes it."""


@dataclass(frozen=True)
class Rule:
    """The calls that are allowed, and how a learner is told."""

    words: str
    allowed: frozenset[str]

    def allows(self, event: tracing.CallEvent) -> bool:
        """Is this call within the rule? Between brackets, `None` and `:` alone: they choose no numbers."""
        if event.name == "__getitem__":
            key = event.args[1]
            parts = key if isinstance(key, tuple) else (key,)
            if not all(part is None or part is ... or _whole(part) for part in parts):
                return False
        return event.name in self.allowed


def _whole(part: Any) -> bool:
    return isinstance(part, slice) and part == slice(None)


MASKS = Rule(
    "`arange`, comparisons, `+ - * // % & | ~`, casts, `None` and `:` between brackets, and `@`",
    frozenset({"arange", "matmul", *SIGNS, *_CASTS, *_OTHER, *_SIZES}),
)
STRIDES = Rule("`as_strided`, `*` and `sum`", frozenset({"as_strided", "mul", "sum"}))


@dataclass(frozen=True)
class Called:
    """A call that the learner's code made: what, in which line, and the text of that line."""

    name: str
    line: int
    text: str
    args: tuple[Any, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        name = "indexing with numbers" if self.name == "__getitem__" else f"`{self.name}`"
        where = f": `{self.text}`" if self.text else ""
        return f"line {self.line} uses {name}{where}" if self.line else f"it uses {name}"


@dataclass
class Watch:
    """Runs a function and keeps its calls: those of the last run, and the first that broke the rule in any."""

    rule: Rule
    calls: list[Called] = field(default_factory=list)
    broken: Called | None = None
    largest: int = 0
    nbytes: int = 0

    def run(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Call the function; what it raises is raised."""
        self.calls, self.largest, self.nbytes = [], 0, 0
        with tracing.listen(self._hear, calls=True):
            return function(*args)

    def _hear(self, event: tracing.Event) -> None:
        if isinstance(event, tracing.OpEvent) and event.depth == 0 and is_tensor(event.output):
            count = event.output.numel()
            self.largest = max(self.largest, count)
            self.nbytes = max(self.nbytes, count * event.output.element_size())
        if not isinstance(event, tracing.CallEvent) or event.depth:
            return
        called = Called(event.name, *_where(), event.args)
        self.calls.append(called)
        if self.broken is None and not self.rule.allows(event):
            self.broken = called

    def meeting(self) -> tuple[Called, tuple[str, str]] | None:
        """The last call in which two tensors met by a sign, and how the two are written."""
        for called in reversed(self.calls):
            if called.name in SIGNS and len(called.args) > 1 and all(map(is_tensor, called.args[:2])):
                return called, _sides(called)
        return None


def _where() -> tuple[int, str]:
    """The line of the innermost frame that is the learner's, and its text."""
    frame = learner_frame()
    if frame is None:
        return 0, ""
    return frame.f_lineno, linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()


_SYNTAX = {
    "eq": ast.Eq, "ne": ast.NotEq, "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE,
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult,
}  # fmt: skip


def _sides(called: Called) -> tuple[str, str]:
    """What is left and right of the sign in the learner's line, where the line has it once; else a and b."""
    text = called.text if not called.text.startswith("return ") else called.text.removeprefix("return ")
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except SyntaxError:
        return "a", "b"
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for node in nodes:
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], _SYNTAX[called.name]):
            pairs.append((node.left, node.comparators[0]))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, _SYNTAX[called.name]):
            pairs.append((node.left, node.right))
    return (ast.unparse(pairs[0][0]), ast.unparse(pairs[0][1])) if len(pairs) == 1 else ("a", "b")
