"""Element by element: find a common dtype, stretch the sizes, walk all layouts side by side, write each result.

    promote     the dtype of the result: the highest category counts, and within it the widest
    broadcast   every operand gets the common size; a stretched dimension has stride 0
    walk        the slots of all operands, element after element
    write       the function of these numbers, in a new list

>>> (plain.arange(3) + plain.tensor([[0.5], [1.5]])).tolist()
[[0.5, 1.5, 2.5], [1.5, 2.5, 3.5]]
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from tensorkit.plain.backward import note, refuse_change
from tensorkit.plain.tensors import (
    DTYPES,
    OF_NUMBER,
    Dtype,
    Tensor,
    boolean,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    into,
    made,
    offered,
    tensor,
    uint8,
)
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import iterator_strides, like_strides
from tensorkit.strides.sizes import broadcast_sizes

Function = Callable[..., Any]


def wider(a: Dtype, b: Dtype) -> Dtype:
    """The dtype that holds the numbers of both."""
    if {a, b} == {int8, uint8}:
        return int16
    return max(a, b, key=lambda kind: (kind.category, kind.itemsize))


def promote(*operands: Any) -> Dtype:
    """The dtype in which operands meet.

    A tensor without dimensions, or a number, counts only where its category is higher than that of all others.

    >>> promote(plain.arange(2), 2), promote(plain.arange(2), 2.0)
    (tensorkit.int64, tensorkit.float32)
    """
    ranks: list[list[Dtype]] = [[], [], []]
    for one in operands:
        if isinstance(one, Tensor):
            ranks[0 if one.dim() else 1].append(one.dtype)
        else:
            ranks[2].append(OF_NUMBER[type(one)])
    found: Dtype | None = None
    for kinds in ranks:
        for kind in kinds[1:]:
            kinds[0] = wider(kinds[0], kind)
        if kinds and (found is None or kinds[0].category > found.category):
            found = kinds[0]
    assert found is not None
    return found


def pointwise(
    function: Function, operands: Sequence[Any], computed: Dtype, result: Dtype | None = None
) -> Tensor:
    """A new tensor: `function` of each element of the operands.

    Args:
        operands: tensors and numbers.
        computed: the dtype in which the function is given its numbers.
        result: the dtype of the results, if it is another.
    """
    given = [one if isinstance(one, Tensor) else tensor(one, dtype=_exact(one)) for one in operands]
    layouts = [
        Layout(one.shape, like_strides(one.layout)) if one.dim() and one.dtype != computed else one.layout
        for one in given
    ]
    size = broadcast_sizes(*[layout.size for layout in layouts])
    walks = [map(computed.held, one.values(size)) for one in given]
    numbers = [function(*together) for together in zip(*walks, strict=True)]
    return made(numbers, result or computed, Layout(size, iterator_strides(size, layouts)))


def _exact(number: Any) -> Dtype | None:
    return float64 if isinstance(number, float) else None


def real(*operands: Any) -> Dtype:
    """The dtype of functions such as `exp`: that of the operands if they are floating point numbers, else float32."""
    kind = promote(*operands)
    return kind if kind.is_floating_point else float32


# -- functions of one number -------------------------------------------------------------------------------------------


def total(function: Function) -> Function:
    """The function with nan where Python refuses a number, and inf where the result is too large."""

    def answer(*numbers: Any) -> Any:
        try:
            return function(*numbers)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return answer


def _whole(function: Function) -> Function:
    """Rounding, which leaves integers, nan and the infinities as they are."""
    return lambda x: math.copysign(function(x), x) if isinstance(x, float) and math.isfinite(x) else x


def _log(function: Function) -> Function:
    return lambda x: -math.inf if x == 0 else function(x)


def _over(x: Any, y: Any) -> Any:
    """Division of floating point numbers, by 0 too."""
    if y:
        return x / y
    return math.nan if x == 0 or x != x else math.copysign(math.inf, x) * math.copysign(1, y)


#: name: the function of a number; whether the result is "real", has the "same" dtype or is a "truth"; the gradient of
#: the input, from that of the result (`g`), the input (`x`) and the result (`y`); and other names.
ONE: dict[str, tuple[Any, ...]] = {
    "neg": (operator.neg, "same", lambda g, x, y: -g, "negative", "__neg__"),
    "abs": (abs, "same", lambda g, x, y: g * x.sign(), "absolute", "__abs__"),
    "sign": (lambda x: (x > 0) - (x < 0), "same", lambda g, x, y: g * 0),
    "square": (lambda x: x * x, "number", lambda g, x, y: g * 2 * x),
    "relu": (lambda x: x if x > 0 or x != x else 0, "same", lambda g, x, y: g * (y > 0)),
    "ceil": (_whole(math.ceil), "same", lambda g, x, y: g * 0),
    "floor": (_whole(math.floor), "same", lambda g, x, y: g * 0),
    "trunc": (_whole(math.trunc), "same", lambda g, x, y: g * 0, "fix"),
    "round": (_whole(round), "same", lambda g, x, y: g * 0),
    "reciprocal": (lambda x: _over(1.0, x), "real", lambda g, x, y: -g * y * y),
    "sqrt": (math.sqrt, "real", lambda g, x, y: g / (2 * y)),
    "rsqrt": (lambda x: _over(1.0, math.sqrt(x)), "real", lambda g, x, y: g * y**3 / -2),
    "exp": (math.exp, "real", lambda g, x, y: g * y),
    "exp2": (math.exp2, "real", lambda g, x, y: g * y * math.log(2)),
    "expm1": (math.expm1, "real", lambda g, x, y: g * (y + 1)),
    "log": (_log(math.log), "real", lambda g, x, y: g / x),
    "log2": (_log(math.log2), "real", lambda g, x, y: g / (x * math.log(2))),
    "log10": (_log(math.log10), "real", lambda g, x, y: g / (x * math.log(10))),
    "log1p": (lambda x: -math.inf if x == -1 else math.log1p(x), "real", lambda g, x, y: g / (x + 1)),
    "sin": (math.sin, "real", lambda g, x, y: g * x.cos()),
    "cos": (math.cos, "real", lambda g, x, y: -g * x.sin()),
    "tan": (math.tan, "real", lambda g, x, y: g * (y * y + 1)),
    "asin": (math.asin, "real", lambda g, x, y: g / (1 - x * x).sqrt(), "arcsin"),
    "acos": (math.acos, "real", lambda g, x, y: -g / (1 - x * x).sqrt(), "arccos"),
    "atan": (math.atan, "real", lambda g, x, y: g / (x * x + 1), "arctan"),
    "sinh": (math.sinh, "real", lambda g, x, y: g * x.cosh()),
    "cosh": (math.cosh, "real", lambda g, x, y: g * x.sinh()),
    "tanh": (math.tanh, "real", lambda g, x, y: g * (1 - y * y)),
    "sigmoid": (lambda x: 1 / (1 + total(math.exp)(-x)), "real", lambda g, x, y: g * y * (1 - y)),
    "erf": (math.erf, "real", lambda g, x, y: g * (-x * x).exp() * (2 / math.sqrt(math.pi))),
    "isnan": (lambda x: x != x, "truth", None),
    "isinf": (math.isinf, "truth", None),
    "isfinite": (math.isfinite, "truth", None),
    "logical_not": (operator.not_, "truth", None),
    "bitwise_not": (lambda x: not x if isinstance(x, bool) else ~x, "same", None, "__invert__"),
}


def _function_of_one(name: str) -> Callable[[Tensor], Tensor]:
    function, how, formula, *_ = ONE[name]
    answer = total(function)

    def apply(input: Tensor) -> Tensor:
        computed = real(input) if how == "real" else input.dtype
        if how == "number" and not computed.category:
            computed = OF_NUMBER[int]
        out = pointwise(answer, [input], computed, boolean if how == "truth" else None)
        x, y = saved(input), out.detach()
        return note(
            name, out, (input,), lambda g: (formula and formula(g, x, y),), keeps=name not in KEEPS_NOTHING
        )

    apply.__name__ = name
    return apply


KEEPS_NOTHING = {"neg", "add", "sub"}
"""Functions whose gradient needs no numbers."""


def saved(operand: Any) -> Any:
    """An operand for the gradient's formula: a copy where one is wanted, so that a later write does not change it."""
    if not isinstance(operand, Tensor):
        return operand
    return Tensor(list(operand.numbers), operand.layout, operand.dtype)


# -- functions of two numbers ------------------------------------------------------------------------------------------


def _power(x: Any, y: Any) -> Any:
    if isinstance(x, int) and isinstance(y, int):
        if y < 0:  # a whole number only where `x` is 1 or -1
            return x ** (y % 2) if abs(x) == 1 else 0
        return pow(x, y, 1 << 64)
    return math.inf if x == 0 and y < 0 else math.pow(x, y)


def _left(x: int, y: int) -> int:
    return x << y if 0 <= y < 64 else 0


def _right(x: int, y: int) -> int:
    return x >> (y if 0 <= y < 64 else 63)


def _floored(x: Any, y: Any) -> Any:
    return x // y if isinstance(y, int) or (y and math.isfinite(x)) else _over(x, y)


#: As for one: the gradients are those of both operands, `z` is the result.
TWO: dict[str, tuple[Any, ...]] = {
    "add": (operator.add, "same", lambda g, x, y, z: (g, g), "__add__"),
    "sub": (operator.sub, "same", lambda g, x, y, z: (g, -g), "subtract", "__sub__"),
    "mul": (operator.mul, "same", lambda g, x, y, z: (g * y, g * x), "multiply", "__mul__"),
    "true_divide": (_over, "real", lambda g, x, y, z: (g / y, -g * z / y), "div", "divide", "__truediv__"),
    "floor_divide": (_floored, "same", None, "__floordiv__"),
    "remainder": (
        lambda x, y: x % y if y or isinstance(y, int) else math.nan,
        "same",
        lambda g, x, y, z: (g, -g * (x - z) / y),
        "__mod__",
    ),
    "pow": (_power, "same", lambda g, x, y, z: (g * y * x ** (y - 1), g * z * tensor(x).log()), "__pow__"),
    "maximum": (
        lambda x, y: x if x > y or x != x else y,
        "same",
        lambda g, x, y, z: (g * ((x > y) + 0.5 * (x == y)), g * ((x < y) + 0.5 * (x == y))),
    ),
    "minimum": (
        lambda x, y: x if x < y or x != x else y,
        "same",
        lambda g, x, y, z: (g * ((x < y) + 0.5 * (x == y)), g * ((x > y) + 0.5 * (x == y))),
    ),
    "atan2": (
        math.atan2,
        "real",
        lambda g, x, y, z: (g * y / (x * x + y * y), -g * x / (x * x + y * y)),
        "arctan2",
    ),
    "hypot": (math.hypot, "same", lambda g, x, y, z: (g * x / z, g * y / z)),
    "eq": (operator.eq, "truth", None, "__eq__"),
    "ne": (operator.ne, "truth", None, "not_equal", "__ne__"),
    "lt": (operator.lt, "truth", None, "less", "__lt__"),
    "le": (operator.le, "truth", None, "less_equal", "__le__"),
    "gt": (operator.gt, "truth", None, "greater", "__gt__"),
    "ge": (operator.ge, "truth", None, "greater_equal", "__ge__"),
    "logical_and": (lambda x, y: bool(x and y), "truth", None),
    "logical_or": (lambda x, y: bool(x or y), "truth", None),
    "logical_xor": (lambda x, y: bool(x) != bool(y), "truth", None),
    "bitwise_and": (operator.and_, "same", None, "__and__"),
    "bitwise_or": (operator.or_, "same", None, "__or__"),
    "bitwise_xor": (operator.xor, "same", None, "__xor__"),
    "bitwise_left_shift": (_left, "same", None, "__lshift__"),
    "bitwise_right_shift": (_right, "same", None, "__rshift__"),
    "gcd": (math.gcd, "same", None),
    "lcm": (math.lcm, "same", None),
}


def _function_of_two(name: str) -> Callable[..., Tensor]:
    function, how, formula, *_ = TWO[name]
    answer = total(function)

    def apply(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
        if not isinstance(other, (Tensor, bool, int, float)):
            return NotImplemented
        computed = (real if how == "real" else promote)(input, other)
        found = pointwise(answer, [input, other], computed, boolean if how == "truth" else None)
        x, y, z = saved(input), saved(other), found.detach()

        def back(g: Tensor) -> Any:
            return formula(g, x, y, z) if formula else (None, None)

        return into(out, note(name, found, (input, other), back, keeps=name not in KEEPS_NOTHING))

    apply.__name__ = name
    return apply


def _turned(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return lambda input, other: function(other, input)


@offered("copy_", function=False)
def copy_(input: Tensor, src: Any) -> Tensor:
    """Write the elements of `src`, stretched to the size of this tensor, into its slots."""
    refuse_change(input)
    given = src if isinstance(src, Tensor) else tensor(src)
    return input.write(list(given.values(input.shape)))


def _in_place(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """``name_``: the results are written into the slots of the tensor itself."""

    def change(input: Tensor, *others: Any) -> Tensor:
        found = function(input.detach(), *others)
        refuse_change(input)
        return into(input, found if found.shape == input.shape else found.expand(input.shape))

    return change


@offered("where", method=False)
def where(condition: Tensor, input: Any, other: Any) -> Tensor:
    """Elements of `input` where the condition is true, of `other` elsewhere."""
    kind = promote(input, other)
    out = pointwise(lambda c, x, y: x if c else y, [condition, input, other], kind)
    keep = saved(condition)
    return note(
        "where",
        out,
        (condition, input, other),
        lambda g: (None, g * keep, g * keep.logical_not()),
        keeps=True,
    )


@offered("equal")
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have one size and the same elements."""
    return input.shape == other.shape and list(input.values()) == list(other.values())


@offered("clamp", "clip")
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Elements below `min` become `min`, and those above `max` become `max`."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    ends = [end for end in (min, max) if end is not None]

    def cut(x: Any, *ends: Any) -> Any:
        if min is not None and x < ends[0]:
            x = ends[0]
        return ends[-1] if max is not None and x > ends[-1] else x

    out = pointwise(cut, [input, *ends], promote(input, *ends))
    x = saved(input)
    low, high = -math.inf if min is None else saved(min), math.inf if max is None else saved(max)

    def back(g: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return (
            g * ((x >= low) & (x <= high)),
            g * ((x < low) & (low < high)),
            g * ((x > high) | (high < low)),
        )

    return note("clamp", out, (input, min, max), back, keeps=True)


@offered("to", "type", function=False)
def to(input: Tensor, dtype: Dtype) -> Tensor:
    """The same values as another dtype holds them: a copy, unless it is the dtype of the tensor already."""
    if dtype == input.dtype:
        return input
    out = made(map(dtype.held, input.values()), dtype, Layout(input.shape, like_strides(input.layout)))
    return note("to", out, (input,), lambda g: (g,))


def _offer_all() -> None:
    for name in (*ONE, *TWO):
        function: Any = _function_of_one(name) if name in ONE else _function_of_two(name)
        _, how, _, *others = ONE.get(name) or TWO[name]
        names = [one for one in (name, *others) if not one.startswith("__")]
        offered(*names, *others)(function)
        if how != "truth":
            offered(*[f"{one}_" for one in names], function=name in ONE)(_in_place(function))
        for one in others:
            if name in TWO and one.startswith("__") and one[2:-2] not in ("eq", "ne", "lt", "le", "gt", "ge"):
                offered(f"__r{one[2:]}")(_turned(function))
                offered(f"__i{one[2:]}")(_in_place(function))
    for kind in DTYPES:
        offered(kind.name, function=False)(lambda input, kind=kind: to(input, kind))
    for name, kind in (
        ("float", float32),
        ("int", int32),
        ("long", int64),
        ("double", float64),
        ("half", float16),
    ):
        offered(name, function=False)(lambda input, kind=kind: to(input, kind))
    offered("fill_", function=False)(copy_)
    offered("zero_", function=False)(lambda input: copy_(input, 0))


_offer_all()
