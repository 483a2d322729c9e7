"""The small grammar for what arrives from a browser: indexing, named view methods, literals. Nothing is evaluated.

The text is parsed with `ast.parse`, which only builds a tree, and the tree is read against the grammar:

    expression  =  [name]  step*
    step        =  "[" index "]"  |  "." property  |  "." method "(" literal, ... ")"
    index       =  number | slice | "..." | None | True | False | list of those | tuple of those

Whatever else is there is refused with a sentence that begins "not allowed here:".

>>> [call.code for call in parse("t[1:, ::2].t()", name="t")]
['[1:, ::2]', '.t()']
>>> parse("__import__('os').system('ls')")
Traceback (most recent call last):
    ...
tensorkit_widgets.snapshot.expression.NotAllowed: not allowed here: a call of `__import__`; ...
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

LONGEST = 1000
"""Characters that are read at all; the longest chain that fits a picture is far shorter."""

DEEPEST = 8
"""Nesting of literals: `[[0, 1]]` needs two."""

MOST_STEPS = 32
LARGEST = 2**63

METHODS = frozenset(
    {
        "t", "transpose", "swapaxes", "permute", "movedim", "view", "reshape", "flatten", "unflatten",
        "narrow", "select", "squeeze", "unsqueeze", "expand", "broadcast_to", "diagonal", "unfold",
        "as_strided", "contiguous", "clone",
    }
)  # fmt: skip
PROPERTIES = frozenset({"T", "mT"})


class NotAllowed(ValueError):
    """The text is no chain of view steps; the message begins "not allowed here:"."""


@dataclass(frozen=True, slots=True)
class Call:
    """One parsed step: an index, a property or a method with literal arguments."""

    code: str
    name: str
    args: tuple[Any, ...] = ()
    kwargs: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Mask:
    """A mask as it is written.

    ``sign`` is a comparison with ``parts`` (index or None, number), ``"&"``, ``"|"`` or ``"~"`` with masks, or
    ``"mask"`` for the one that was pressed together.
    """

    code: str
    sign: str
    parts: tuple[Any, ...] = ()


_WAY_OUT = (
    "an expression is a chain of indexing such as [1:, ::2] and view methods such as .t() or .view(2, 6)"
)


def _refuse(what: str) -> NotAllowed:
    return NotAllowed(f"not allowed here: {what}; {_WAY_OUT}")


def shown(text: str) -> str:
    """What was typed, short enough for an error."""
    # Half characters (lone surrogates) cannot be sent back to a browser.
    line = " ".join(text.encode("utf-8", "replace").decode().split())
    return f"`{line[:40]}…`" if len(line) > 40 else f"`{line}`"


def source(node: ast.AST) -> str:
    """A part of the tree as it may be shown."""
    try:
        return shown(ast.unparse(node))
    except RecursionError:
        return "something nested this deep"


def parse(text: str, name: str = "t") -> tuple[Call, ...]:
    """The steps of an expression; it may begin with the tensor's name or directly with a step.

    Raises:
        NotAllowed: for anything outside the grammar, however hostile; nothing has been evaluated then.
    """
    if not isinstance(text, str):
        raise _refuse("something that is no text")
    if len(text) > LONGEST:
        raise _refuse(f"a text of {len(text):,} characters (at most {LONGEST:,})")
    body = text.strip()
    if body.startswith(name) and not body[len(name) :][:1].isalnum():
        body = body[len(name) :].strip()
    if not body:
        return ()
    if body[0] not in ".[":
        raise _first_word(body)
    calls = tuple(reversed(list(_steps(_tree("_" + body, body)))))
    if len(calls) > MOST_STEPS:
        raise _refuse(f"a chain of {len(calls)} steps (at most {MOST_STEPS})")
    return calls


def _tree(source: str, body: str) -> ast.expr:
    try:
        with warnings.catch_warnings():
            # Python warns about odd literals; the grammar below answers for them.
            warnings.simplefilter("ignore")
            return ast.parse(source, mode="eval").body
    except SyntaxError as error:
        raise _refuse(f"{shown(body)} is not Python ({error.msg})") from None
    except (ValueError, RecursionError, MemoryError):
        raise _refuse(f"{shown(body)} is not Python") from None


def _first_word(body: str) -> NotAllowed:
    try:
        node: ast.AST = _tree(body, body)
    except NotAllowed as refusal:
        return refusal
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        inner = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Call) and isinstance(inner, ast.Name):
            return _refuse(f"a call of {shown(inner.id)}")
        node = inner
    return _refuse(shown(body))


def _steps(node: ast.expr) -> Iterator[Call]:
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Subscript):
            index = index_of(node.slice)
            yield Call(f"[{show_index(index)}]", "[]", (index,))
            node = node.value
        elif isinstance(node, ast.Attribute):
            yield _property(node)
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield _method(node, node.func)
            node = node.func.value
        else:
            raise _refuse(source(node))
    if node.id != "_":
        raise _refuse(f"the name {shown(node.id)}")


def _property(node: ast.Attribute) -> Call:
    if node.attr in PROPERTIES:
        return Call(f".{node.attr}", node.attr)
    if node.attr in METHODS:
        raise _refuse(f"`.{node.attr}` without its parentheses")
    raise _refuse(f"{shown('.' + node.attr)}")


def _method(node: ast.Call, func: ast.Attribute) -> Call:
    if func.attr in PROPERTIES:
        raise _refuse(f"parentheses after `.{func.attr}`, which is a property")
    if func.attr not in METHODS:
        raise _refuse(f"{shown('.' + func.attr + '()')}")
    args = tuple(literal(arg, 0) for arg in node.args)
    named = []
    for keyword in node.keywords:
        if keyword.arg is None:
            raise _refuse("`**`")
        named.append((keyword.arg, literal(keyword.value, 0)))
    inside = ", ".join([show(a) for a in args] + [f"{k}={show(v)}" for k, v in named])
    return Call(f".{func.attr}({inside})", func.attr, args, tuple(named))


def literal(node: ast.expr, depth: int) -> Any:
    """A number, True/False/None, or a tuple or list of them."""
    if depth > DEEPEST:
        raise _refuse("brackets this deep")
    if isinstance(node, ast.Constant):
        return _constant(node)
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
    ):
        value = _constant(node.operand)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return -value
    if isinstance(node, ast.Tuple):
        return tuple(literal(item, depth + 1) for item in node.elts)
    if isinstance(node, ast.List):
        return [literal(item, depth + 1) for item in node.elts]
    raise _refuse(source(node))


def _constant(node: ast.Constant) -> Any:
    value = node.value
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        if value >= LARGEST:
            raise _refuse("a whole number beyond 64 bits")
        return value
    raise _refuse(source(node))


def index_of(node: ast.expr) -> Any:
    """All that stands between two brackets."""
    if isinstance(node, ast.Tuple):
        return tuple(index_item(item) for item in node.elts)
    return index_item(node)


def index_item(node: ast.expr) -> Any:
    """One of the things between brackets: a slice, an Ellipsis, or a literal."""
    if isinstance(node, ast.Slice):
        return slice(
            *(None if part is None else literal(part, 0) for part in (node.lower, node.upper, node.step))
        )
    if isinstance(node, ast.Constant) and node.value is Ellipsis:
        return Ellipsis
    return literal(node, 0)


def show(value: Any) -> str:
    """A literal as code.

    >>> show((2, 6)), show([0, True]), show(-1)
    ('(2, 6)', '[0, True]', '-1')
    """
    if isinstance(value, tuple):
        return "(" + ", ".join(map(show, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(show, value)) + "]"
    return value.code if isinstance(value, Mask) else repr(value)


def show_index(index: Any) -> str:
    """An index as it is written between brackets.

    >>> show_index((slice(1, None), Ellipsis, slice(None, None, 2), 0))
    '1:, ..., ::2, 0'
    """
    if isinstance(index, tuple):
        inside = ", ".join(map(show_index, index))
        return inside + "," if len(index) == 1 else inside or "()"
    if index is Ellipsis:
        return "..."
    if isinstance(index, slice):
        lower, upper = ("" if part is None else show(part) for part in (index.start, index.stop))
        return f"{lower}:{upper}" + ("" if index.step is None else f":{show(index.step)}")
    return show(index)


def join(calls: tuple[Call, ...]) -> str:
    """The steps as one expression, without the name."""
    return "".join(call.code for call in calls)


def number(text: str) -> bool | int | float | complex:
    """The number that was typed into a cell.

    >>> number("3.5"), number(" -2 "), number("True"), number("1+2j"), number("nan")
    (3.5, -2, True, (1+2j), nan)

    Raises:
        NotAllowed: if it is no number.
    """
    word = text.strip() if isinstance(text, str) else ""
    if len(word) > 60:
        raise NotAllowed("not allowed here: a number of more than 60 characters")
    if word in ("True", "False"):
        return word == "True"
    for kind in (int, float, complex):
        try:
            return kind(word.rstrip(".") if kind is int and not word.endswith(".") else word)
        except ValueError:
            continue
    raise NotAllowed(f"not allowed here: {shown(word) if word else 'an empty cell'} is not a number")
