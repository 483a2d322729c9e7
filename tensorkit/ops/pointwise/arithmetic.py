"""Arithmetic and comparison, element by element.

The function of each operation computes one element. Its decorator has the NumPy function that runs over
arrays, the scalar body that CUDA kernels are compiled from, the rule for the result's dtype, what PyTorch refuses and
the other spellings; ``elementwise`` derives the rest.
"""

# The decorated bodies compute one element, where their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.autograd.rule import not_implemented
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import recorded_call, wants_grad
from tensorkit.dispatch.signatures import Forms, type_name
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.binary import binary
from tensorkit.elementwise.block import NUMBERS, Pointwise
from tensorkit.elementwise.unary import unary
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import elementwise_compiled
from tensorkit.kernels.scalars import arithmetic as scalars
from tensorkit.ops.shared.scalar_arithmetic import times
from tensorkit.tensor import Array, Number, Tensor, attach

COMPLEX = (dtypes.complex64, dtypes.complex128)
BOOL: dtype = dtypes.bool
_BOOLS = (dtypes.bool, bool)


# -- helpers of derivatives ---------------------------------------------------------------------------------------


def conjugated(value: Any) -> Any:
    """The complex conjugate of a tensor or a number; real numbers are their own."""
    if isinstance(value, Tensor):
        return value.conj() if value._dtype.is_complex else value
    return value.conjugate() if isinstance(value, complex) else value


def _scaled(g: Any, alpha: Any) -> Any:
    return g if alpha == 1 else times(g, alpha.conjugate() if isinstance(alpha, complex) else alpha)


def by_number(stem: str, tensor: int, number: int) -> Any:
    """A node name that tells whether the second operand was a tensor or a number."""

    def name(arguments: dict[str, Any]) -> str:
        other = arguments.get("other", arguments.get("exponent"))
        return f"{stem}{tensor if isinstance(other, Tensor) else number}"

    return name


# -- arithmetic ---------------------------------------------------------------------------------------------------


@binary(
    numpy.add,
    scalars.ADD,
    kernel="add_stub",
    operators=("__add__", "__radd__", "__iadd__"),
    derivative=Rule(
        "AddBackward0", numbers_count=True, input=lambda g, c: g, other=lambda g, c: _scaled(g, c.alpha)
    ),
    forms=Forms(
        ("(Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None)",), numbers=True, older=True
    ),
)
def add(
    input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None
) -> Tensor:
    """Add, element by element: ``input + alpha * other``.

    Args:
        input, other: tensors of sizes that broadcast together, or a tensor and a number.
        alpha: a factor for `other`. out: a tensor to write the result into.

    Returns:
        A tensor of the broadcast size and the promoted dtype.

    Raises:
        RuntimeError: when the sizes do not broadcast, or the tensors live on different devices.

    >>> tk.tensor([1, 2]) + tk.tensor([[10], [20]])
    tensor([[11, 12],
            [21, 22]])
    """
    return input + alpha * other


def _no_bools(*operands: Any) -> None:
    for operand in operands:
        if (operand._dtype if operand.__class__ is Tensor else operand.__class__) in _BOOLS:
            break
    else:
        return
    kinds = [o._dtype is BOOL if isinstance(o, Tensor) else isinstance(o, bool) for o in operands]
    if all(kinds):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if any(kinds):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )


def _sub_name(arguments: dict[str, Any]) -> str:
    return "SubBackward0" if isinstance(arguments["input"], Tensor) else "RsubBackward1"


@binary(
    numpy.subtract,
    scalars.SUBTRACT,
    kernel="add_stub",
    check=_no_bools,
    aliases=("subtract",),
    operators=("__sub__", "__rsub__", "__isub__"),
    derivative=Rule(
        _sub_name, numbers_count=True, input=lambda g, c: g, other=lambda g, c: _scaled(-g, c.alpha)
    ),
    forms=Forms(
        ("(Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None)",),
        names={
            "subtract": (
                "(Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None)",
                "(Tensor input, Number other, Number alpha = 1)",
            )
        },
        numbers=True,
        older=True,
    ),
)
def sub(
    input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None
) -> Tensor:
    """Subtract, element by element: ``input - alpha * other``. Refused for bool, as in PyTorch.

    >>> 5 - tk.arange(3)
    tensor([5, 4, 3])
    """
    return input - alpha * other


@binary(
    numpy.multiply,
    scalars.MULTIPLY,
    kernel="mul_cpu",
    lacks=(),
    exact_divisor=True,
    aliases=("multiply",),
    operators=("__mul__", "__rmul__", "__imul__"),
    derivative=Rule(
        "MulBackward0",
        numbers_count=True,
        input=lambda g, c: g * conjugated(c.other),
        other=lambda g, c: g * conjugated(c.input),
    ),
    forms=Forms(
        names={
            "multiply": ("(Tensor input, Tensor other, *, Tensor out = None)", "(Tensor input, Number other)")
        },
        numbers=True,
    ),
)
def mul(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Multiply, element by element.

    >>> tk.arange(3) * 0.5
    tensor([0.0000, 0.5000, 1.0000])
    """
    return input * other


def integers(a: Array) -> bool:
    return a.dtype.kind in "iub"


def refuse_zero(divisor: Array) -> None:
    if not (divisor.all() if divisor.ndim else divisor):
        raise RuntimeError("ZeroDivisionError")


@kernels.looped(f=elementwise_compiled.floored, d=elementwise_compiled.wide_floored)
def _floor_divide(a: Array, b: Array) -> Array:
    if integers(a):
        refuse_zero(b)
    return _half_floored(a, b) if a.dtype.itemsize == 2 and not integers(a) else numpy.floor_divide(a, b)


def _half_floored(a: Array, b: Array) -> Array:
    """C's way to divide and round down, in 16-bit numbers: PyTorch rounds to 16 bits after every step."""
    rest = numpy.fmod(a, b)
    quotient = (a - rest) / b
    quotient = numpy.where((rest != 0) & ((b < 0) != (rest < 0)), quotient - 1, quotient)
    whole = numpy.floor(quotient)
    whole = numpy.where(quotient - whole > 0.5, whole + 1, whole)
    plain = a / b
    whole = numpy.where(quotient != 0, whole, numpy.copysign(numpy.zeros((), a.dtype), plain))
    return numpy.where(b == 0, plain, whole)


@kernels.looped(f=elementwise_compiled.cut_quotient, d=elementwise_compiled.cut_quotient)
def _trunc_divide(a: Array, b: Array) -> Array:
    if not integers(a):
        return numpy.trunc(numpy.divide(a, b))
    refuse_zero(b)
    quotient = numpy.floor_divide(a, b)
    inexact = quotient * b != a
    return quotient + (inexact & ((a < 0) != (b < 0))).astype(quotient.dtype)


@kernels.looped(f=elementwise_compiled.signed_rest, d=elementwise_compiled.wide_signed_rest)
def _remainder(a: Array, b: Array) -> Array:
    """The remainder with the divisor's sign. A zero keeps the sign that C's ``fmod`` gives it, as in PyTorch."""
    if integers(a):
        refuse_zero(b)
        return numpy.remainder(a, b)
    rest = numpy.fmod(a, b)
    return numpy.where((rest != 0) & ((b < 0) != (rest < 0)), rest + b, rest)


def _quotient(g: Any, c: Any) -> Any:
    if c.arguments.get("rounding_mode") is not None:
        return g.new_zeros(g.size())
    return g / conjugated(c.other)


def _quotient_other(g: Any, c: Any) -> Any:
    if c.arguments.get("rounding_mode") is not None:
        return g.new_zeros(g.size())
    return -g * conjugated((c.input / c.other) / c.other)


def _div_name(arguments: dict[str, Any]) -> str:
    return "DivBackward0" if arguments.get("rounding_mode") is None else "DivBackward2"


_DIVIDED = Rule(_div_name, numbers_count=True, input=_quotient, other=_quotient_other)

_true_divide: Pointwise = Pointwise(
    "div",
    numpy.true_divide,
    scalars.DIVIDE,
    result="float",
    kernel="div_true_cpu",
    lacks=(),
    exact_divisor=True,
)

_floored = Pointwise(
    "div",
    _floor_divide,
    scalars.DOWN_QUOTIENT,
    kernel="div_floor_cpu",
    lacks=(*LIMITED, *COMPLEX, BOOL),
    exact_half=True,
    exact_divisor=True,
    refuses_zero=True,
)

_truncated = Pointwise(
    "div",
    _trunc_divide,
    scalars.CUT_QUOTIENT,
    kernel="div_trunc_cpu",
    lacks=(*LIMITED, *COMPLEX, BOOL),
    exact_half=True,
    exact_divisor=True,
    refuses_zero=True,
)


@binary(
    numpy.true_divide,
    scalars.DIVIDE,
    result="float",
    kernel="div_true_cpu",
    lacks=(),
    overloaded=True,
    exact_divisor=True,
    operators=("__truediv__", "__itruediv__", "__div__", "__idiv__"),
    derivative=_DIVIDED,
    forms=Forms(
        ("(Tensor input, Tensor other, *, Tensor out = None)", "(Tensor input, Number other)"), numbers=True
    ),
    out_error="div",
)
def true_divide(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Divide, element by element; integers give floating point numbers.

    >>> tk.tensor([1, 2]) / 4
    tensor([0.2500, 0.5000])
    """
    return input / other


_ROUNDED = {None: _true_divide, "floor": _floored, "trunc": _truncated}


def _rounded(mode: Any) -> Pointwise:
    if mode not in _ROUNDED:
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{mode}'"
        )
    return _ROUNDED[mode]


def _check_divisor(other: Any, position: int) -> None:
    if not isinstance(other, (Tensor, *NUMBERS)):
        raise TypeError(
            f"div(): argument 'other' (position {position}) must be Tensor, not {type_name(other)}"
        )


@op(kind="pointwise", aliases=("divide",), methods=(), derivative=_DIVIDED, out_overlap="before resizing")
@takes(
    "(Tensor input, Tensor other, *, Tensor out = None)",
    "(Tensor input, Tensor other, *, str rounding_mode, Tensor out = None)",
    "(Tensor input, Number other, *, str rounding_mode)",
    names={
        "divide": (
            "(Tensor input, Tensor other, *, Tensor out = None)",
            "(Tensor input, Tensor other, *, str rounding_mode, Tensor out = None)",
            "(Tensor input, Number other)",
            "(Tensor input, Number other, *, str rounding_mode)",
        )
    },
    numbers=True,
)
def div(input: Any, other: Any, *, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    """Divide, element by element.

    Args:
        rounding_mode: ``None`` gives floating point numbers; ``"floor"`` rounds down, ``"trunc"`` towards zero.

    Raises:
        RuntimeError: for another mode, and ``ZeroDivisionError`` when integers are rounded after dividing by zero.

    >>> tk.div(tk.tensor([-7, 7]), 2, rounding_mode="trunc")
    tensor([-3,  3])
    """
    _check_divisor(other, 2)
    if not isinstance(input, (Tensor, *NUMBERS)):
        raise TypeError  # the caller says it in PyTorch's words
    return apply(_rounded(rounding_mode), (input, other), out=out)


def _method_div(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Divide, element by element; see the function of the same name."""
    _check_divisor(other, 1)
    return div(input, other, rounding_mode=rounding_mode)


def _method_div_(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """In-place form of ``div``: the result is written into this tensor."""
    _check_divisor(other, 1)
    arguments = {"input": input, "other": other, "rounding_mode": rounding_mode}

    def body() -> Tensor:
        return apply(_rounded(rounding_mode), (input, other), inplace=True)

    if wants_grad(input) or wants_grad(other):
        return recorded_call(_DIVIDED, "div_", arguments, body, "inplace")
    return body()


@binary(
    _floor_divide,
    scalars.DOWN_QUOTIENT,
    overloaded=True,
    kernel="div_floor_cpu",
    lacks=(*LIMITED, *COMPLEX, BOOL),
    exact_half=True,
    exact_divisor=True,
    refuses_zero=True,
    operators=("__floordiv__", "__rfloordiv__", "__ifloordiv__"),
    derivative=not_implemented("floor_divide"),
    inplace_derivative=not_implemented("floor_divide_"),
    forms=Forms(("(Tensor input, Tensor other, *, Tensor out = None)", "(Tensor input, Number other)")),
    out_error="aten::floor_divide",
    differentiable=False,
)
def floor_divide(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Divide and round down, element by element.

    Raises:
        RuntimeError: ``ZeroDivisionError`` for integers divided by zero.

    >>> tk.tensor([-7, 7]) // 2
    tensor([-4,  3])
    """
    return input // other


@binary(
    _remainder,
    scalars.REMAINDER,
    overloaded=True,
    kernel="remainder_cpu",
    lacks=(*LIMITED, *COMPLEX, BOOL),
    number_out=False,
    refuses_zero=True,
    operators=("__mod__", "__rmod__", "__imod__"),
    derivative=Rule(
        by_number("RemainderBackward", 1, 0),
        input=lambda g, c: g,
        other=lambda g, c: -g * div(c.input, c.other, rounding_mode="floor"),
    ),
    mixed=True,
)
def remainder(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The remainder of a division rounded down: it has the sign of the divisor, as Python's ``%``.

    >>> tk.tensor([-7, 7]) % 3
    tensor([2, 1])
    """
    return input % other


def _no_bool_negation(*operands: Any) -> None:
    if operands[0]._dtype is BOOL:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )


@unary(
    numpy.negative,
    scalars.NEGATIVE,
    kernel="neg_cpu",
    check=_no_bool_negation,
    exact_out=True,
    aliases=("negative",),
    operators=("__neg__",),
    derivative=Rule("NegBackward0", input=lambda g, c: -g),
)
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Change the sign of every element. Refused for bool.

    >>> -tk.arange(3)
    tensor([ 0, -1, -2])
    """
    return -input


def _no_complex_abs(input: Tensor) -> None:
    if input._dtype.is_complex:
        raise RuntimeError("In-place abs is not supported for complex tensors.")


@unary(
    numpy.absolute,
    scalars.ABSOLUTE,
    result="real",
    kernel="abs_cpu",
    lacks=(*LIMITED, BOOL),
    exact_out=True,
    inplace_check=_no_complex_abs,
    name="abs",
    operators=("__abs__",),
    derivative=Rule("AbsBackward0", input=lambda g, c: g * c.input.sgn()),
    aliases=("absolute",),
)
def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The absolute value of every element; of a complex number, its length.

    >>> tk.abs(tk.tensor([-1.5, 2]))
    tensor([1.5000, 2.0000])
    """
    return input if input >= 0 else -input


def _divide_number(self: Tensor, other: Any) -> Any:
    """``number / tensor``: the reciprocals, times the number, as PyTorch does it."""
    return self.reciprocal() * other if isinstance(other, (*NUMBERS, Tensor)) else NotImplemented


def _attach_division() -> None:
    for name in ("__rtruediv__", "__rdiv__"):
        attach(name, traced_method(name, _divide_number))
    from_function = (
        ("div", _method_div),
        ("divide", _method_div),
        ("div_", _method_div_),
        ("divide_", _method_div_),
    )
    for name, body in from_function:
        attach(name, traced_method(name, body))


_attach_division()
