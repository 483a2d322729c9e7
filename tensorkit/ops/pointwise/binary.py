"""Functions of two tensors beyond arithmetic: remainders, extremes, hypotenuses, signs, divisors."""

# The decorated bodies compute one element, where their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.autograd.rule import not_implemented
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.registry import registry
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.binary import binary
from tensorkit.elementwise.block import NUMBERS
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import elementwise_compiled
from tensorkit.kernels.scalars import arithmetic as scalars
from tensorkit.kernels.scalars import elementary
from tensorkit.kernels.scalars.questions import HEAVISIDE
from tensorkit.ops.pointwise.arithmetic import conjugated, refuse_zero
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.scalar_arithmetic import times
from tensorkit.tensor import Array, Number, Tensor

_BOOL: dtype = dtypes.bool
COMPLEX = (dtypes.complex64, dtypes.complex128)
WHOLE = tuple(kind for kind in dtypes.ALL if kind.category < 2)
_UNCOUNTED = (*LIMITED, _BOOL, *(kind for kind in dtypes.ALL if kind.category >= 2))


# -- remainders and extremes --------------------------------------------------------------------------------------


@kernels.looped(f=elementwise_compiled.rest, d=elementwise_compiled.wide_rest)
def _fmod(a: Array, b: Array) -> Array:
    if a.dtype.kind in "iu":
        refuse_zero(b)
    return numpy.fmod(a, b)


@binary(
    _fmod,
    scalars.FMOD,
    overloaded=True,
    lacks=(*LIMITED, *COMPLEX, _BOOL),
    refuses_zero=True,
    derivative=Rule(
        lambda call: f"FmodBackward{int(isinstance(call['other'], Tensor))}",
        input=lambda g, c: g,
        other=lambda g, c: -g * c.input.div(c.other, rounding_mode="trunc"),
    ),
)
def fmod(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The remainder of a division rounded towards zero: it has the sign of the dividend, as C's ``fmod``.

    Raises:
        RuntimeError: ``ZeroDivisionError`` for integers divided by zero.

    >>> tk.fmod(tk.tensor([-7, 7]), 3)
    tensor([-1,  1])
    """
    return math.fmod(input, other)


def _no_complex(name: str, sentence: str = "{} not implemented for complex tensors.") -> Any:
    def check(*operands: Any) -> None:
        if any(isinstance(o, Tensor) and o._dtype.is_complex for o in operands):
            raise RuntimeError(sentence.format(name))

    return check


def _larger(a: Array, b: Array) -> Array:
    """NumPy's `fmax`, but of equal numbers, -0.0 and 0, the first."""
    if a.dtype.kind in "iub":
        return numpy.fmax(a, b)
    return numpy.where((a >= b) | numpy.isnan(b), a, b)


def _smaller(a: Array, b: Array) -> Array:
    """NumPy's `fmin`, but of equal numbers, -0.0 and 0, the first."""
    if a.dtype.kind in "iub":
        return numpy.fmin(a, b)
    return numpy.where((a <= b) | numpy.isnan(b), a, b)


def _to_first(g: Any, wins: Any, c: Any) -> Any:
    """The gradient where the first operand was taken: where it wins, is equal, or the other is nan."""
    return g.masked_fill(wins.logical_or(c.other.isnan()).logical_not(), 0)


def _to_second(g: Any, wins: Any, c: Any) -> Any:
    return g.masked_fill(wins.logical_or(c.other.isnan()), 0)


@binary(
    _larger,
    scalars.FMAX,
    kernel="maximum_cpu",
    check=_no_complex("fmax"),
    inplace=False,
    derivative=Rule(
        "FmaxBackward0",
        input=lambda g, c: _to_first(g, c.input.ge(c.other), c),
        other=lambda g, c: _to_second(g, c.input.ge(c.other), c),
    ),
)
def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of two tensors, element by element; where one of two is nan, the other.

    >>> tk.fmax(tk.tensor([1.0, float("nan")]), tk.tensor([3.0, 2.0]))
    tensor([3., 2.])
    """
    return input if input >= other or other != other else other


@binary(
    _smaller,
    scalars.FMIN,
    kernel="minimum_cpu",
    check=_no_complex("fmin"),
    inplace=False,
    derivative=Rule(
        "FminBackward0",
        input=lambda g, c: _to_first(g, c.input.le(c.other), c),
        other=lambda g, c: _to_second(g, c.input.le(c.other), c),
    ),
)
def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two tensors, element by element; where one of two is nan, the other.

    >>> tk.fmin(tk.tensor([1.0, float("nan")]), tk.tensor([3.0, 2.0]))
    tensor([1., 2.])
    """
    return input if input <= other or other != other else other


# -- angles, lengths, signs ---------------------------------------------------------------------------------------


def _around(g: Any, c: Any, arm: Any) -> Any:
    """An angle turns the faster, the nearer its point is to the origin; in the origin itself it does not."""
    square = c.input * c.input + c.other * c.other
    return g * arm * square.reciprocal().masked_fill(square.eq(0), 0)


@binary(
    numpy.arctan2,
    elementary.ATAN2,
    result="float",
    lacks=COMPLEX,
    aliases=("arctan2",),
    rounded=1,
    derivative=Rule(
        "Atan2Backward0",
        input=lambda g, c: _around(g, c, c.other),
        other=lambda g, c: _around(g, c, -c.input),
    ),
)
def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (`other`, `input`), in radians from -pi to pi.

    >>> tk.atan2(tk.tensor([1.0, -1.0]), tk.tensor([-1.0, -1.0]))
    tensor([ 2.3562, -2.3562])
    """
    return math.atan2(input, other)


kernels.with_loop(numpy.hypot, elementwise_compiled.hypotenuse, "f")


@binary(
    numpy.hypot,
    scalars.HYPOT,
    lacks=(*WHOLE, *COMPLEX),
    rounded=1,
    derivative=Rule(
        "HypotBackward0", input=lambda g, c: g * c.input / c.out, other=lambda g, c: g * c.other / c.out
    ),
)
def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The length of the hypotenuse: ``sqrt(input**2 + other**2)`` without overflow on the way.

    >>> tk.hypot(tk.tensor([3.0, 5.0]), tk.tensor([4.0, 12.0]))
    tensor([ 5., 13.])
    """
    return math.hypot(input, other)


def _sign_back(g: Any, c: Any) -> Any:
    return g * (c.out / c.input).masked_fill_(c.input.eq(0), 0)


@binary(
    numpy.copysign,
    elementary.COPYSIGN,
    result="float",
    lacks=COMPLEX,
    overloaded=True,
    derivative=Rule(
        lambda call: f"CopysignBackward{int(not isinstance(call['other'], Tensor))}",
        input=_sign_back,
        other=lambda g, c: g.new_zeros(g.size()),
    ),
)
def copysign(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The magnitude of `input` with the sign of `other`, that of a zero included.

    >>> tk.copysign(tk.tensor([1.0, -2.0]), -0.0)
    tensor([-1., -2.])
    """
    return math.copysign(input, other)


@kernels.looped(f=elementwise_compiled.following)
def _nextafter(a: Array, b: Array) -> Array:
    after = numpy.nextafter(a, b)
    if a.dtype != numpy.float16:
        return after
    return numpy.where(a == b, b, after)  # of two zeros the second: NumPy takes the first


@binary(
    _nextafter,
    elementary.NEXTAFTER,
    lacks=(*WHOLE, *COMPLEX),
    exact_half=True,
    derivative=Rule(
        "NextafterBackward0",
        input=lambda g, c: where(c.input.ne(c.other), g, 0),
        other=lambda g, c: g.new_zeros(g.size()),
    ),
)
def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The next number of the dtype after `input`, in the direction of `other`.

    >>> tk.nextafter(tk.tensor(1.0), tk.tensor(2.0)).item() - 1
    1.1920928955078125e-07
    """
    return math.nextafter(input, other)


def _step(a: Array, b: Array) -> Array:
    return numpy.where(a == 0, b, (a > 0).astype(a.dtype))


_ONE_DTYPE = "heaviside is not yet implemented for tensors with different dtypes."


def _check_step(*operands: Any) -> None:
    _no_complex("heaviside", "{} is not yet implemented for complex tensors.")(*operands)
    if operands[0]._dtype is not operands[1]._dtype:
        raise RuntimeError(_ONE_DTYPE)


@binary(
    _step,
    HEAVISIDE,
    check=_check_step,
    exact_out=_ONE_DTYPE,
    derivative=not_implemented("heaviside", "input", "values"),
    inplace_derivative=not_implemented("heaviside_", "input", "values"),
    out_error="aten::heaviside",
    differentiable=False,
)
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The unit step: 0 below zero, 1 above, and `values` at zero.

    >>> tk.heaviside(tk.tensor([-1.5, 0.0, 2.0]), tk.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    """
    return values if input == 0 else (1 if input > 0 else 0)


# -- whole numbers ------------------------------------------------------------------------------------------------


def _lcm(a: Array, b: Array) -> Array:
    multiple = numpy.lcm(a, b)
    return (
        numpy.absolute(multiple) if a.dtype.itemsize > 2 else multiple
    )  # small integers wrap around as in C


@binary(numpy.gcd, scalars.GCD, lacks=_UNCOUNTED)
def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest common divisor, never negative; of 0 and 0 it is 0.

    >>> tk.gcd(tk.tensor([12, -8]), tk.tensor([18, 12]))
    tensor([6, 4])
    """
    return math.gcd(input, other)


@binary(_lcm, scalars.LCM, lacks=_UNCOUNTED)
def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least common multiple; of 0 and anything it is 0.

    >>> tk.lcm(tk.tensor([12, -8]), tk.tensor([18, 12]))
    tensor([36, 24])
    """
    return math.lcm(input, other)


# -- subtraction, the other way round -----------------------------------------------------------------------------


@op(
    kind="pointwise",
    methods=(),
    derivative=Rule(
        lambda call: f"RsubBackward{int(not isinstance(call['other'], Tensor))}",
        input=lambda g, c: -g if c.alpha == 1 else times(-g, conjugated(c.alpha)),
        other=lambda g, c: g,
    ),
)
@takes("(Tensor input, Tensor other, *, Number alpha = 1)", "(Tensor input, Number other, Number alpha = 1)")
def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """Subtract the other way round: ``other - alpha * input``.

    >>> tk.rsub(tk.tensor([1, 2]), 10)
    tensor([9, 8])
    """
    if not isinstance(input, Tensor) or not isinstance(other, (Tensor, *NUMBERS)) or alpha is None:
        raise TypeError
    return apply(registry["sub"].extra["block"], (other, input), alpha=alpha)
