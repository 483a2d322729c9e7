"""What a person meant who typed an answer: `5.0` for 5, `4_000_000`, `1000*1000*4`, `tk.half`, `3, 4`.

A short sum, and a question to a new tensor such as `tk.zeros(1000, 1000).nbytes`, are worked out: their text is read
against a small grammar, nothing is evaluated, and the tensor is one without memory.
"""

from __future__ import annotations

import ast
import math
import operator
import re
import warnings
from typing import Any

import tensorkit
from tensorkit_widgets.practice.markup import LONGEST_TEXT
from tensorkit_widgets.snapshot.expression import METHODS, PROPERTIES, NotAllowed, index_of, literal

_NUMBER = r"[-+]?\d(?:_?\d){0,14}(?:\.\d{0,12})?"
_ROW = re.compile(rf"\s*(?:(?:torch|tensorkit|tk)\.Size)?[\s(\[]*({_NUMBER}(?:[\s,;]+{_NUMBER})*)?[\s,;)\]]*")
_THOUSANDS = re.compile(r"\s*[-+]?\d{1,3}(?:,\d{3})+\s*")
_UNIT = re.compile(r"(?<=\d)\s*(?:bytes?|slots?)\s*")
_DASHES = str.maketrans(
    "\u2212\u2013\u00a0", "-- "
)  # a minus sign, a dash and a blank, as they are copied from a page

_LARGEST = 10**18
_MOST_BITS = 1000  # what is larger is no float, and may be too long for Python to write
_MOST_STEPS = 64
_MODULES = ("tk", "torch", "tensorkit")
_MAKERS = ("zeros", "ones", "empty", "arange", "full")
_SUMS: dict[type[ast.operator], Any] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
_ASKED = ("nbytes", "itemsize", "ndim", "shape", "dtype", "device")
_CALLED = (
    "numel", "nelement", "element_size", "size", "stride", "dim", "storage_offset", "untyped_storage", "nbytes",
    "is_contiguous",
)  # fmt: skip


class _NotRead(Exception):
    """The text is outside the grammar."""


def numbers_in(value: object) -> tuple[float, ...] | None:
    """The numbers of an answer given as a number, a sequence or text; None when it is none of these, or empty.

    >>> numbers_in("(4, 1)"), numbers_in("4 1"), numbers_in([4, 1]), numbers_in(4), numbers_in("four")
    ((4, 1), (4, 1), (4, 1), (4,), None)
    >>> numbers_in("5.0"), numbers_in("2.5"), numbers_in("4_000_000"), numbers_in("2*3, 1"), numbers_in("()")
    ((5,), (2.5,), (4000000,), (6, 1), ())
    >>> numbers_in(" "), numbers_in("tk.zeros(3, 4).t().stride()")
    (None, (1, 4))
    """
    if isinstance(value, str):
        text = re.sub(r"\]\s*,\s*\[", ", ", value.translate(_DASHES))  # [[1, 2], [3, 4]], row by row
        if len(text) > LONGEST_TEXT or not text.strip():
            return None
        match = _ROW.fullmatch(text)
        if match is None:
            return None if (found := worked_out(text)) is None else numbers_in(found)
        if match[1] is None:
            return () if re.search(r"[(\[]", text) else None
        return tuple(_plain(float(n)) if "." in n else int(n) for n in re.findall(_NUMBER, match[1]))
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return (value,) if value.bit_length() <= _MOST_BITS else None
    if isinstance(value, float):
        return (_plain(value),) if math.isfinite(value) else None
    if isinstance(value, (tuple, list)):
        inner = [numbers_in(n) if isinstance(n, (int, float)) else None for n in value]
        return tuple(row[0] for row in inner if row) if all(inner) else None
    return None


def number_in(value: object) -> float | None:
    """The one number of an answer; None when there is none, or there are several.

    >>> number_in("4,000,000"), number_in("5.0"), number_in("2**2*(1 + 1/4)"), number_in("1 2"), number_in("4 bytes")
    (4000000, 5, 5, None, 4)
    """
    if isinstance(value, str) and len(value) <= LONGEST_TEXT:
        value = (
            value[: found.start()] if (found := _UNIT.search(value)) and found.end() == len(value) else value
        )
        value = value.replace(",", "") if _THOUSANDS.fullmatch(value) else value
    row = numbers_in(value)
    return row[0] if row is not None and len(row) == 1 else None


def _plain(number: float) -> float:
    """5.0 is 5."""
    return int(number) if isinstance(number, int) or number.is_integer() else number


def word_in(value: object) -> str | None:
    """An answer in a word: text as it is, a dtype in any spelling by its own name; None for what is no word.

    >>> word_in("tk.float16"), word_in("half"), word_in(tensorkit.half), word_in("torch.long"), word_in("red")
    ('float16', 'float16', 'float16', 'int64', 'red')
    """
    if isinstance(value, str):
        text = value.strip().strip("`'\" .")
        name = text.removeprefix("torch.").removeprefix("tensorkit.").removeprefix("tk.").lower()
        known = getattr(tensorkit, name, None) if len(name) < 30 and name.isidentifier() else None
        return _dtype_name(known) if isinstance(known, tensorkit.dtype) else value
    kind = type(value)
    if kind.__name__.lower() == "dtype" and kind.__module__.split(".")[0] in ("torch", "tensorkit"):
        return _dtype_name(value)
    return None


def _dtype_name(dtype: object) -> str:
    return str(dtype).rpartition(".")[2]


def layout_parts(text: str) -> list[object]:
    """The rows and the single numbers of a layout that was typed, in their order.

    >>> layout_parts("size (2, 3), stride (1, 2), offset 0"), layout_parts("1, 3")
    (['(2, 3)', '(1, 2)', 0], [1, 3])
    """
    found = re.findall(r"[(\[]([^()\[\]]*)[)\]]|(-?\d{1,12})", text[:LONGEST_TEXT].translate(_DASHES))
    return [f"({group})" if group or not number else int(number) for group, number in found]


def worked_out(text: str) -> Any:
    """What a short sum, or a question to a new tensor, comes to; None for all else.

    >>> worked_out("1000 * 1000 * 4"), worked_out("tk.zeros(1000, 1000).nbytes"), worked_out("9**9**9")
    (4000000, 4000000, None)
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip()[:LONGEST_TEXT], mode="eval").body
        return _value(tree, 0)
    except (_NotRead, NotAllowed, SyntaxError, ArithmeticError):
        return None
    except (ValueError, TypeError, AttributeError, IndexError, RuntimeError, MemoryError, RecursionError):
        return None  # what the engine said of it


def _value(node: ast.expr, depth: int) -> Any:
    if depth > _MOST_STEPS:
        raise _NotRead
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, (int, float))
        and not isinstance(node.value, bool)
    ):
        return _small(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        number = _number(node.operand, depth)
        return -number if isinstance(node.op, ast.USub) else number
    if isinstance(node, ast.BinOp):
        return _sum(node, depth)
    if isinstance(node, (ast.Tuple, ast.List)):
        return tuple(_value(item, depth + 1) for item in node.elts)
    if isinstance(node, ast.Subscript):
        return _value(node.value, depth + 1)[index_of(node.slice)]
    if isinstance(node, ast.Attribute):
        return _attribute(node, depth)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _call(node, node.func, depth)
    raise _NotRead


def _number(node: ast.expr, depth: int) -> Any:
    value = _value(node, depth + 1)
    if type(value) not in (int, float):
        raise _NotRead
    return value


def _small(number: float) -> float:
    if not math.isfinite(number) or abs(number) > _LARGEST:
        raise _NotRead
    return number


def _sum(node: ast.BinOp, depth: int) -> float:
    left, right = _number(node.left, depth), _number(node.right, depth)
    if isinstance(node.op, ast.Pow):
        if abs(right) > 64 or abs(left) > 1000:
            raise _NotRead
        return _small(left**right)
    if type(node.op) not in _SUMS:
        raise _NotRead
    return _small(_SUMS[type(node.op)](left, right))


def _module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in _MODULES


def _attribute(node: ast.Attribute, depth: int) -> Any:
    if _module(node.value):
        found = getattr(tensorkit, node.attr, None)
        if isinstance(found, tensorkit.dtype):
            return found
        raise _NotRead
    owner = _value(node.value, depth + 1)
    known = node.attr in PROPERTIES or node.attr in _ASKED
    if not known or not isinstance(owner, (tensorkit.Tensor, tensorkit.dtype)):
        raise _NotRead
    return getattr(owner, node.attr)


def _call(node: ast.Call, called: ast.Attribute, depth: int) -> Any:
    given = [_argument(value, depth) for value in node.args]
    named = {str(word.arg): _argument(word.value, depth) for word in node.keywords}
    if _module(called.value):
        if called.attr not in _MAKERS or named.keys() - {"dtype", "size", "fill_value"}:
            raise _NotRead
        return getattr(tensorkit, called.attr)(*given, **named, device="meta")
    owner = _value(called.value, depth + 1)
    tensor = isinstance(owner, tensorkit.Tensor) and called.attr in (*METHODS, *_CALLED)
    if not tensor and not (isinstance(owner, tensorkit.UntypedStorage) and called.attr == "nbytes"):
        raise _NotRead
    return getattr(owner, called.attr)(*given, **named)


def _argument(node: ast.expr, depth: int) -> Any:
    """A literal, a sum, or a dtype."""
    try:
        return literal(node, 0)
    except NotAllowed:
        return _value(node, depth + 1)
