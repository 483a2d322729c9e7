"""Arithmetic of two tensors beyond the four operations: remainders, extremes, hypotenuses, logarithms of sums."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.autograd.rule import not_implemented
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dispatch.registry import registry, sample
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.binary import binary
from tensorkit.elementwise.block import NUMBERS, Pointwise
from tensorkit.elementwise.output import check_writable, empty_strided, resize_out
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import elementwise_compiled
from tensorkit.ops.pointwise.arithmetic import conjugated, mul, refuse_zero
from tensorkit.ops.pointwise.power import pow as raised
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.scalar_arithmetic import plus, scaled, times
from tensorkit.ops.shared.to import to_dtype
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import broadcast_sizes
from tensorkit.tensor import Array, Tensor

__all__ = [
    "atan2",
    "copysign",
    "float_power",
    "fmax",
    "fmin",
    "fmod",
    "gcd",
    "heaviside",
    "hypot",
    "lcm",
    "ldexp",
    "logaddexp",
    "logaddexp2",
    "nextafter",
    "rsub",
    "xlogy",
]

_BOOL: dtype = dtypes.bool
_COMPLEX = (dtypes.complex64, dtypes.complex128)
_WHOLE = tuple(kind for kind in dtypes.ALL if kind.category < 2)
_UNCOUNTED = (*LIMITED, _BOOL, *(kind for kind in dtypes.ALL if kind.category >= 2))


def _samples(name: str, *more: str) -> tuple[Any, ...]:
    """Tensors that fit, that broadcast, without elements and without dimensions; a number, a text, a wrong size."""
    return (
        sample(f"tk.{name}(a, b)", a=(2, 3), b=(2, 3)),
        sample(f"tk.{name}(a, b)", a=(2, 1), b=(3,)),
        sample(f"tk.{name}(a, b)", a=(), b=(3,)),
        sample(f"tk.{name}(a, b)", a=(2,), b=(3,)),
        sample(f"tk.{name}(a, 2)", a=(2, 3)),
        sample(f"tk.{name}(2, a)", a=(2, 3)),
        sample(f"tk.{name}(a, 'x')", a=(2,)),
        sample(f"tk.{name}(a)", a=(2,)),
        *(sample(call, a=(2, 3), b=(2, 3)) for call in more),
    )


# -- remainders and extremes --------------------------------------------------------------------------------------


@kernels.looped(f=elementwise_compiled.rest, d=elementwise_compiled.wide_rest)
def _fmod(a: Array, b: Array) -> Array:
    if a.dtype.kind in "iu":
        refuse_zero(b)
    return numpy.fmod(a, b)


fmod = binary(
    Pointwise("fmod", _fmod, None, overloaded=True, lacks=(*LIMITED, *_COMPLEX, _BOOL)),
    first="tensor",
    derivative=Rule(
        lambda call: f"FmodBackward{int(isinstance(call['other'], Tensor))}",
        input=lambda g, c: g,
        other=lambda g, c: -g * c.input.div(c.other, rounding_mode="trunc"),
    ),
    samples=_samples("fmod", "a.fmod(b)", "a.fmod_(b)", "a.fmod_(2)", "tk.fmod(a, -1.5)"),
    doc="""The remainder of a division rounded towards zero: it has the sign of the dividend, as C's ``fmod``.

    Raises:
        RuntimeError: ``ZeroDivisionError`` for integers divided by zero.

    >>> import tensorkit as tk
    >>> tk.fmod(tk.tensor([-7, 7]), 3)
    tensor([-1,  1])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.fmod.html
    """,
)


def _no_complex(name: str, sentence: str = "{} not implemented for complex tensors.") -> Any:
    def check(*operands: Any) -> None:
        if any(isinstance(o, Tensor) and o._dtype.is_complex for o in operands):
            raise RuntimeError(sentence.format(name))

    return check


_EXTREME = """The {word} of two tensors, element by element; where one of two is nan, the other.

    >>> import tensorkit as tk
    >>> tk.{name}(tk.tensor([1.0, float("nan")]), tk.tensor([3.0, 2.0]))
    tensor([{answer}, 2.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html
    """


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
    """The gradient where the first operand was taken: where it wins, is equal, or the other is no number."""
    return g.masked_fill(wins.logical_or(c.other.isnan()).logical_not(), 0)


def _to_second(g: Any, wins: Any, c: Any) -> Any:
    return g.masked_fill(wins.logical_or(c.other.isnan()), 0)


fmax = binary(
    Pointwise("fmax", _larger, None, kernel="maximum_cpu", check=_no_complex("fmax")),
    inplace=False,
    numbers=False,
    first="tensor",
    derivative=Rule(
        "FmaxBackward0",
        input=lambda g, c: _to_first(g, c.input.ge(c.other), c),
        other=lambda g, c: _to_second(g, c.input.ge(c.other), c),
    ),
    samples=_samples("fmax", "a.fmax(b)", "tk.fmax(a, b, out=tk.empty(0))"),
    doc=_EXTREME.format(word="larger", name="fmax", answer="3."),
)

fmin = binary(
    Pointwise("fmin", _smaller, None, kernel="minimum_cpu", check=_no_complex("fmin")),
    inplace=False,
    numbers=False,
    first="tensor",
    derivative=Rule(
        "FminBackward0",
        input=lambda g, c: _to_first(g, c.input.le(c.other), c),
        other=lambda g, c: _to_second(g, c.input.le(c.other), c),
    ),
    samples=_samples("fmin", "a.fmin(b)", "tk.fmin(a, b, out=tk.empty(0))"),
    doc=_EXTREME.format(word="smaller", name="fmin", answer="1."),
)


# -- angles, lengths, signs ---------------------------------------------------------------------------------------


def _around(g: Any, c: Any, arm: Any) -> Any:
    """An angle turns the faster, the nearer its point is to the origin; in the origin itself it does not."""
    square = c.input * c.input + c.other * c.other
    return g * arm * square.reciprocal().masked_fill(square.eq(0), 0)


atan2 = binary(
    Pointwise("atan2", numpy.arctan2, None, result="float", lacks=_COMPLEX),
    aliases=("arctan2",),
    numbers=False,
    first="tensor",
    rounded=1,
    derivative=Rule(
        "Atan2Backward0",
        input=lambda g, c: _around(g, c, c.other),
        other=lambda g, c: _around(g, c, -c.input),
    ),
    samples=_samples("atan2", "a.arctan2(b)", "a.atan2_(b)", "tk.arctan2(a, b, out=tk.empty(0))"),
    doc="""The angle of the point (`other`, `input`), in radians from -pi to pi.

    >>> import tensorkit as tk
    >>> tk.atan2(tk.tensor([1.0, -1.0]), tk.tensor([-1.0, -1.0]))
    tensor([ 2.3562, -2.3562])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.atan2.html
    """,
)


kernels.swift(numpy.hypot, elementwise_compiled.hypotenuse, "f")

hypot = binary(
    Pointwise("hypot", numpy.hypot, None, lacks=(*_WHOLE, *_COMPLEX)),
    numbers=False,
    first="tensor",
    rounded=1,
    derivative=Rule(
        "HypotBackward0",
        input=lambda g, c: g * c.input / c.out,
        other=lambda g, c: g * c.other / c.out,
    ),
    samples=_samples("hypot", "a.hypot(b)", "a.hypot_(b)"),
    doc="""The length of the hypotenuse: ``sqrt(input**2 + other**2)`` without overflow on the way.

    >>> import tensorkit as tk
    >>> tk.hypot(tk.tensor([3.0, 5.0]), tk.tensor([4.0, 12.0]))
    tensor([ 5., 13.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.hypot.html
    """,
)


def _sign_back(g: Any, c: Any) -> Any:
    return g * (c.out / c.input).masked_fill_(c.input.eq(0), 0)


copysign = binary(
    Pointwise("copysign", numpy.copysign, None, result="float", lacks=_COMPLEX, overloaded=True),
    first="tensor",
    derivative=Rule(
        lambda call: f"CopysignBackward{int(not isinstance(call['other'], Tensor))}",
        input=_sign_back,
        other=lambda g, c: g.new_zeros(g.size()),
    ),
    samples=_samples(
        "copysign", "a.copysign(b)", "a.copysign_(b)", "a.copysign_(-1)", "tk.copysign(a, -0.0)"
    ),
    doc="""The magnitude of `input` with the sign of `other`, that of a zero included.

    >>> import tensorkit as tk
    >>> tk.copysign(tk.tensor([1.0, -2.0]), -0.0)
    tensor([-1., -2.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.copysign.html
    """,
)


@kernels.looped(f=elementwise_compiled.following)
def _nextafter(a: Array, b: Array) -> Array:
    after = numpy.nextafter(a, b)
    if a.dtype != numpy.float16:
        return after
    return numpy.where(a == b, b, after)  # of two zeros the second: NumPy takes the first


nextafter = binary(
    Pointwise("nextafter", _nextafter, None, lacks=(*_WHOLE, *_COMPLEX), exact_half=True),
    numbers=False,
    first="tensor",
    derivative=Rule(
        "NextafterBackward0",
        input=lambda g, c: where(c.input.ne(c.other), g, 0),
        other=lambda g, c: g.new_zeros(g.size()),
    ),
    samples=_samples("nextafter", "a.nextafter(b)", "a.nextafter_(b)"),
    doc="""The next number of the dtype after `input`, in the direction of `other`.

    >>> import tensorkit as tk
    >>> tk.nextafter(tk.tensor(1.0), tk.tensor(2.0)).item() - 1
    1.1920928955078125e-07

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nextafter.html
    """,
)


def _step(a: Array, b: Array) -> Array:
    return numpy.where(a == 0, b, (a > 0).astype(a.dtype))


_ONE_DTYPE = "heaviside is not yet implemented for tensors with different dtypes."


def _check_step(*operands: Any) -> None:
    _no_complex("heaviside", "{} is not yet implemented for complex tensors.")(*operands)
    if operands[0]._dtype is not operands[1]._dtype:
        raise RuntimeError(_ONE_DTYPE)


heaviside = binary(
    Pointwise("heaviside", _step, None, check=_check_step, exact_out=_ONE_DTYPE),
    numbers=False,
    first="tensor",
    second="values",
    derivative=not_implemented("heaviside", "input", "values"),
    inplace_derivative=not_implemented("heaviside_", "input", "values"),
    samples=_samples("heaviside", "a.heaviside(values=b)", "a.heaviside_(b)"),
    doc="""The unit step: 0 below zero, 1 above, and `values` at zero.

    >>> import tensorkit as tk
    >>> tk.heaviside(tk.tensor([-1.5, 0.0, 2.0]), tk.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.heaviside.html
    """,
)


# -- logarithms and powers ----------------------------------------------------------------------------------------


def _complex_logaddexp(a: Array, b: Array) -> Array:
    """The logarithm of a sum of exponentials: what the larger one leaves over is small, and keeps its digits."""
    smaller = numpy.isnan(b) | (~numpy.isnan(a) & (a.real >= b.real))
    low, high = numpy.where(smaller, b, a), numpy.where(smaller, a, b)
    infinite = ~numpy.isfinite(low.real) & (low.real == high.real)
    usual = high + numpy.log1p(numpy.exp(low - high))
    endless = numpy.where(low.real < 0, low, numpy.log(numpy.exp(low) + numpy.exp(high)))
    return numpy.where(numpy.isnan(low), complex("nan+nanj"), numpy.where(infinite, endless, usual)).astype(
        a.dtype
    )


@kernels.looped(f=elementwise_compiled.exponential_sum)
def _logaddexp(a: Array, b: Array) -> Array:
    return _complex_logaddexp(a, b) if a.dtype.kind == "c" else numpy.logaddexp(a, b)


logaddexp = binary(
    Pointwise("logaddexp", _logaddexp, None, lacks=_WHOLE),
    inplace=False,
    numbers=False,
    first="tensor",
    rounded=1,
    derivative=Rule(
        "LogaddexpBackward0",
        input=lambda g, c: g / conjugated(plus((c.other - c.input).exp(), 1)),
        other=lambda g, c: g / conjugated(plus((c.input - c.other).exp(), 1)),
    ),
    samples=_samples("logaddexp", "a.logaddexp(b)", "tk.logaddexp(a, b, out=tk.empty(0))"),
    doc="""The logarithm of a sum of exponentials, ``log(exp(input) + exp(other))``, without overflow on the way.

    >>> import tensorkit as tk
    >>> tk.logaddexp(tk.tensor([-100.0, 1000.0]), tk.tensor([-100.0, 1.0]))
    tensor([ -99.3069, 1000.0000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.logaddexp.html
    """,
)

logaddexp2 = binary(
    Pointwise("logaddexp2", numpy.logaddexp2, None, lacks=(*_WHOLE, *_COMPLEX)),
    inplace=False,
    numbers=False,
    first="tensor",
    rounded=1,
    derivative=Rule(
        "Logaddexp2Backward0",
        input=lambda g, c: g / plus(2 ** (c.other - c.input), 1),
        other=lambda g, c: g / plus(2 ** (c.input - c.other), 1),
    ),
    samples=_samples("logaddexp2", "a.logaddexp2(b)", "tk.logaddexp2(a, b, out=tk.empty(0))"),
    doc="""The same to the base 2: ``log2(2**input + 2**other)``.

    >>> import tensorkit as tk
    >>> tk.logaddexp2(tk.tensor([3.0]), tk.tensor([3.0]))
    tensor([4.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.logaddexp2.html
    """,
)


def _xlogy(a: Array, b: Array) -> Array:
    return numpy.where((a == 0) & ~numpy.isnan(b), numpy.zeros((), a.dtype), a * numpy.log(b))


def _xlogy_name(call: dict[str, Any]) -> str:
    if not isinstance(call["input"], Tensor):
        return "XlogyBackward1"
    return "XlogyBackward0" if isinstance(call["other"], Tensor) else "XlogyBackward2"


def _xlogy_input(g: Any, c: Any) -> Any:
    steep = g.xlogy(c.other)
    if isinstance(c.other, Tensor):
        return steep.masked_fill(c.input.eq(0) * c.other.le(0), 0)
    return steep if c.other > 0 else steep.masked_fill(c.input.eq(0), 0)


xlogy = binary(
    Pointwise("xlogy", _xlogy, None, result="float", lacks=_COMPLEX, overloaded=True, exact_half=True),
    first="mixed",
    rounded=1,
    derivative=Rule(_xlogy_name, input=_xlogy_input, other=lambda g, c: scaled(g, c.input) / c.other),
    samples=_samples(
        "xlogy",
        "a.xlogy(b)",
        "a.xlogy_(b)",
        "a.xlogy_(2)",
        "tk.xlogy(a, 0)",
        "tk.special.xlogy(a, b)",
        "tk.special.xlogy(a, 'x')",
    ),
    doc="""``input * log(other)``, and 0 where `input` is 0, as entropies need it.

    >>> import tensorkit as tk
    >>> tk.xlogy(tk.tensor([0.0, 2.0]), tk.tensor([0.0, 1.0]))
    tensor([0., 0.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.xlogy.html
    """,
)


def _ldexp(a: Array, b: Array) -> Array:
    return numpy.ldexp(a, numpy.clip(b, -9999, 9999).astype(numpy.int32))


_LDEXP = Pointwise("ldexp", _ldexp, None, lacks=())
_STEPS = (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)


def _scaled(input: Any, other: Any, out: Any) -> Tensor:
    """The product with a power of two, which is rounded by itself: what is left where one step will not do."""
    if out is IN_PLACE:
        if input._dtype.category < 2:
            raise RuntimeError(f"ldexp can't be cast to the desired output type {input._dtype.label}")
        return input.mul_(_power(input, other))  # type: ignore[no-any-return]
    return mul(input, _power(input, other), out=out)


def _power(input: Any, other: Any) -> Tensor:
    """Two to the power of a tensor, of a number for float32 and else of a tensor: their memory differs."""
    kind = input._dtype if input._dtype.category >= 2 else dtypes.get_default_dtype()
    base = 2.0 if input._dtype is dtypes.float32 else deliver(2.0, kind)
    return raised(base, other)


@op(
    samples=_samples("ldexp", "a.ldexp(b)", "a.ldexp_(b)", "tk.ldexp(a, b.to(tk.int64))"),
    kind="pointwise",
    inplace=True,
    rounded=1,
    derivative=Rule(
        "LdexpBackward0",
        input=lambda g, c: g * conjugated(2**c.other),
        other=lambda g, c: times(g * conjugated(c.out), math.log(2)),
    ),
)
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input * 2**other``; of floating point numbers and integers exactly, whatever lies between.

    >>> import tensorkit as tk
    >>> tk.ldexp(tk.tensor([1.0, 3.0]), tk.tensor([4, -1]))
    tensor([16.0000,  1.5000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.ldexp.html
    """
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        raise TypeError
    if input._dtype.category != 2 or other._dtype.category >= 2:
        return _scaled(input, other, out)
    if other._dtype not in _STEPS:
        if out is IN_PLACE:
            check_writable(input)
        size = broadcast_sizes(input._lay().size, other._lay().size)
        resize_out(empty_strided(input._lay().size, input._lay().stride, input._dtype, META), size)
        raise missing_kernel("ldexp_cpu_exp", other._dtype.label)
    if out is None:
        lay = input._lay()
        out = empty_strided(lay.size, like_strides(lay), input._dtype, input._device)
        result = apply(_LDEXP, (input, to_dtype(other, dtypes.int32)), out=out)
        result._counter = None
        return result
    return apply(_LDEXP, (input, to_dtype(other, dtypes.int32)), out=out)


def _wide(*operands: Any) -> dtype:
    """The dtype that `float_power` computes in."""
    kinds = [o._dtype.is_complex if isinstance(o, Tensor) else isinstance(o, complex) for o in operands]
    return dtypes.complex128 if any(kinds) else dtypes.float64


@op(
    samples=_samples(
        "float_power",
        "a.float_power(b)",
        "a.float_power_(2)",
        "a.float_power(2.5)",
        "tk.float_power(a, b, out=tk.empty(0))",
        "tk.float_power(a, b, out=tk.empty(0, dtype=tk.float64))",
        "tk.float_power(input=a, exponent=2)",
    ),
    kind="pointwise",
    inplace=True,
    inplace_derivative=Rule("composed"),
    rounded=1,
)
@takes(
    "(Tensor input, Tensor exponent, *, Tensor out = None)",
    "(Number self, Tensor exponent, *, Tensor out = None)",
    "(Tensor input, Number exponent, *, Tensor out = None)",
)
def float_power(input: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """Raise to a power, element by element, in double precision whatever the operands are.

    Returns:
        A tensor of float64, or of complex128 where an operand is complex.

    Raises:
        RuntimeError: when `out`, or the tensor that is written to, is of another dtype.

    >>> import tensorkit as tk
    >>> tk.float_power(tk.tensor([2, 3]), -1)
    tensor([0.5000, 0.3333], dtype=tensorkit.float64)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.float_power.html
    """
    if not any(isinstance(o, Tensor) for o in (input, exponent)):
        raise TypeError
    if not all(isinstance(o, (Tensor, *NUMBERS)) for o in (input, exponent)):
        raise TypeError
    kind = _wide(input, exponent)
    written, given = (
        (input, "base given to float_power_") if out is IN_PLACE else (out, "output given to float_power")
    )
    if isinstance(written, Tensor) and written._dtype is not kind:
        raise RuntimeError(
            f"the {given} has dtype {written._dtype.label} but the operation's result requires dtype {kind.label}"
        )
    base, power = (o.to(kind) if isinstance(o, Tensor) else o for o in (input, exponent))
    if out is IN_PLACE:
        return base.pow_(power)  # type: ignore[no-any-return]
    return raised(base, power, out=out)


# -- whole numbers ------------------------------------------------------------------------------------------------


def _lcm(a: Array, b: Array) -> Array:
    multiple = numpy.lcm(a, b)
    return (
        numpy.absolute(multiple) if a.dtype.itemsize > 2 else multiple
    )  # small integers wrap around as in C


gcd = binary(
    Pointwise("gcd", numpy.gcd, None, lacks=_UNCOUNTED),
    numbers=False,
    first="tensor",
    samples=_samples("gcd", "a.gcd(b)", "a.gcd_(b)"),
    doc="""The greatest common divisor, never negative; of 0 and 0 it is 0.

    >>> import tensorkit as tk
    >>> tk.gcd(tk.tensor([12, -8]), tk.tensor([18, 12]))
    tensor([6, 4])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.gcd.html
    """,
)


lcm = binary(
    Pointwise("lcm", _lcm, None, lacks=_UNCOUNTED),
    numbers=False,
    first="tensor",
    samples=_samples("lcm", "a.lcm(b)", "a.lcm_(b)"),
    doc="""The least common multiple; of 0 and anything it is 0.

    >>> import tensorkit as tk
    >>> tk.lcm(tk.tensor([12, -8]), tk.tensor([18, 12]))
    tensor([36, 24])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.lcm.html
    """,
)


# -- subtraction, the other way round -----------------------------------------------------------------------------


@op(
    samples=_samples(
        "rsub", "tk.rsub(a, b, alpha=2)", "tk.rsub(a, 2.5, alpha=2)", "tk.rsub(input=a, other=2)"
    ),
    kind="pointwise",
    methods=(),
    derivative=Rule(
        lambda call: f"RsubBackward{int(not isinstance(call['other'], Tensor))}",
        input=lambda g, c: -g if c.alpha == 1 else times(-g, conjugated(c.alpha)),
        other=lambda g, c: g,
    ),
)
@takes(
    "(Tensor input, Tensor other, *, Number alpha = 1)",
    "(Tensor input, Number other, Number alpha = 1)",
)
def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """Subtract the other way round: ``other - alpha * input``.

    >>> import tensorkit as tk
    >>> tk.rsub(tk.tensor([1, 2]), 10)
    tensor([9, 8])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sub.html
    """
    if not isinstance(input, Tensor) or not isinstance(other, (Tensor, *NUMBERS)) or alpha is None:
        raise TypeError
    return apply(registry["sub"].extra["block"], (other, input), alpha=alpha)
