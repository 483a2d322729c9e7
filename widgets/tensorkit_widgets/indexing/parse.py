"""What stands between the brackets of an index, as a learner types it: lists and masks too, and nothing is evaluated.

    pick        =  [name] "[" pick-index "]"  [ "[" pick-index "]" ]  [ write ]
    write       =  "=" number | "+=" number | "-=" number | "*=" number | "/=" number | "." in-place "(" [ number ] ")"
    in-place    =  "add_" | "sub_" | "mul_" | "div_" | "fill_" | "zero_" | "neg_"
    pick-index  =  the index items of `expression`, and masks among them
    mask        =  name [ "[" index "]" ] compare number | "mask" | mask "&" mask | mask "|" mask | "~" mask

>>> parse_pick("t[[0, 1]][0] = 5"), show_index(parse_pick("1:, t[:, 0] > 3").indices[0])
(Pick(indices=([0, 1], 0), value=5, verb='='), '1:, t[:, 0] > 3')
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import Any

from tensorkit_widgets.snapshot.expression import (
    DEEPEST,
    LONGEST,
    Mask,
    NotAllowed,
    index_item,
    index_of,
    literal,
    show,
    show_index,
    shown,
    source,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pick:
    """What stands between one pair of brackets or two, and what is written there, if anything.

    ``verb`` says how: ``"="``, ``"+="`` and its like, or ``".add_"`` and its like; with no write it is empty.
    """

    indices: tuple[Any, ...]
    value: bool | int | float | complex | None = None
    verb: str = ""

    @property
    def straight(self) -> bool:
        """Whether it is a plain ``t[…] = x``: nothing is fetched then."""
        return self.verb == "=" and len(self.indices) == 1

    @property
    def tail(self) -> str:
        """The write as it is written behind the brackets."""
        if self.verb.startswith("."):
            return f"{self.verb}({'' if self.value is None else show(self.value)})"
        return f" {self.verb} {show(self.value)}" if self.verb else ""


IN_PLACE = {".add_": 1, ".sub_": 1, ".mul_": 1, ".div_": 1, ".fill_": 1, ".zero_": 0, ".neg_": 0}
"""The methods that write, and how many numbers they take."""

_WITH = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/="}

_COMPARE = {ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!="}
_JOIN = {ast.BitAnd: "&", ast.BitOr: "|"}
_PICKS = (
    "between brackets you can write numbers, slices such as 1:, lists such as [0, 2], None, ..., True, False, "
    "or a mask such as t > 3"
)


def _no_pick(what: str) -> NotAllowed:
    return NotAllowed(f"not allowed here: {what}; {_PICKS}")


def parse_pick(text: str, name: str = "t") -> Pick:
    """An index with its masks: the whole of ``t[1:, [0, 2]]``, or only what stands between the brackets.

    >>> parse_pick("[0, 2]"), parse_pick("t[0, 2]")
    (Pick(indices=([0, 2],), value=None, verb=''), Pick(indices=((0, 2),), value=None, verb=''))

    Raises:
        NotAllowed: for anything outside the grammar; nothing has been evaluated then.
    """
    if not isinstance(text, str) or len(text) > LONGEST:
        raise _no_pick(
            f"more than {LONGEST:,} characters" if isinstance(text, str) else "something that is no text"
        )
    body = text.strip()
    inside = f"_[{body}]"
    if not (body.startswith(name) and body[len(name) :].lstrip().startswith("[")):
        return _whole(inside, body, name)
    try:
        return _whole("_" + body[len(name) :].lstrip(), body, name)
    except NotAllowed as refusal:
        try:
            return _whole(inside, body, name)  # a mask may begin with the name as well: t[:, 0] > 3
        except NotAllowed:
            raise refusal from None


def _whole(code: str, body: str, name: str) -> Pick:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lines = ast.parse(code, mode="exec").body
    except SyntaxError as error:
        raise _no_pick(f"{shown(body) if body else 'an empty index'} is not Python ({error.msg})") from None
    except (ValueError, RecursionError, MemoryError):
        raise _no_pick(f"{shown(body)} is not Python") from None
    line = lines[0] if len(lines) == 1 else None
    if isinstance(line, ast.Expr) and isinstance(line.value, ast.Call):
        return _called(line.value, name)
    if isinstance(line, ast.Expr):
        return Pick(_brackets(line.value, name))
    if isinstance(line, ast.Assign) and len(line.targets) == 1:
        return Pick(_brackets(line.targets[0], name), _number(line.value), "=")
    if isinstance(line, ast.AugAssign) and (verb := _WITH.get(type(line.op))):
        return Pick(_brackets(line.target, name), _number(line.value), verb)
    raise _no_pick(shown(body))


def _called(node: ast.Call, name: str) -> Pick:
    """A method that writes in place: ``t[1].add_(1)``."""
    verb = f".{node.func.attr}" if isinstance(node.func, ast.Attribute) else ""
    if verb not in IN_PLACE or len(node.args) != IN_PLACE[verb] or node.keywords:
        known = ", ".join(f"{method}(…)" if count else f"{method}()" for method, count in IN_PLACE.items())
        raise NotAllowed(
            f"not allowed here: {_as_typed(node, name)}; behind the brackets you can write {known}, or = 5"
        )
    assert isinstance(node.func, ast.Attribute)
    value = _number(node.args[0]) if node.args else None
    return Pick(_brackets(node.func.value, name), value, verb)


def _as_typed(node: ast.expr, name: str) -> str:
    """The code with the tensor's own name: while it is read it is called ``_``."""
    return re.sub(r"(?<!\w)_(?=\[)", lambda _: name, source(node))


def _brackets(node: ast.expr, name: str) -> tuple[Any, ...]:
    out: list[Any] = []
    while isinstance(node, ast.Subscript):
        out.append(_picked(node.slice, name))
        node = node.value
    if not isinstance(node, ast.Name) or node.id != "_" or not out:
        raise _no_pick(_as_typed(node, name))
    if len(out) > 2:
        raise _no_pick("more than two pairs of brackets")
    return tuple(reversed(out))


def _picked(node: ast.expr, name: str) -> Any:
    if isinstance(node, ast.Tuple):
        return tuple(_picked_item(item, name) for item in node.elts)
    return _picked_item(node, name)


def _picked_item(node: ast.expr, name: str) -> Any:
    if isinstance(node, ast.Compare | ast.BinOp | ast.Name) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert)
    ):
        return _mask(node, name, 0)
    try:
        return index_item(node)
    except NotAllowed:
        raise _no_pick(source(node)) from None


def _mask(node: ast.expr, name: str, depth: int) -> Mask:
    if depth > DEEPEST:
        raise _no_pick("a mask this deep")
    if isinstance(node, ast.Name) and node.id == "mask":
        return Mask("mask", "mask")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        inner = _mask(node.operand, name, depth + 1)
        return Mask(f"~{_bracketed(inner)}", "~", (inner,))
    if isinstance(node, ast.BinOp) and (sign := _JOIN.get(type(node.op))):
        left, right = (_mask(side, name, depth + 1) for side in (node.left, node.right))
        return Mask(f"{_bracketed(left)} {sign} {_bracketed(right)}", sign, (left, right))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(node, name)
    raise _no_pick(source(node))


def _bracketed(mask: Mask) -> str:
    return mask.code if mask.sign in ("mask", "~") else f"({mask.code})"


def _compared(node: ast.Compare, name: str) -> Mask:
    sign, left = _COMPARE.get(type(node.ops[0])), node.left
    index: Any = None
    if isinstance(left, ast.Subscript):
        index, left = (index_of(left.slice),), left.value
    if sign is None or not isinstance(left, ast.Name) or left.id != name:
        raise _no_pick(source(node))
    value = _number(node.comparators[0])
    where = "" if index is None else f"[{show_index(index[0])}]"
    return Mask(f"{name}{where} {sign} {show(value)}", sign, (index, value))


def _number(node: ast.expr) -> bool | int | float | complex:
    """One number, with its sign; nothing else is compared with or written."""
    try:
        value = literal(node, 0)
    except NotAllowed:
        value = None
    if not isinstance(value, bool | int | float | complex):
        raise _no_pick(f"{source(node)} in the place of one number")
    return value
