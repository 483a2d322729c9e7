"""Functions of two tensors with logarithms: `logaddexp`, `logaddexp2`, `xlogy`."""

# The decorated bodies compute one element, where their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.elementwise.binary import binary
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import elementwise_compiled
from tensorkit.kernels.scalars import elementary as scalars
from tensorkit.ops.pointwise.arithmetic import conjugated
from tensorkit.ops.pointwise.binary import COMPLEX, WHOLE
from tensorkit.ops.shared.scalar_arithmetic import plus, scaled
from tensorkit.tensor import Array, Number, Tensor


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


@binary(
    _logaddexp,
    scalars.LOGADDEXP,
    lacks=WHOLE,
    inplace=False,
    rounded=1,
    derivative=Rule(
        "LogaddexpBackward0",
        input=lambda g, c: g / conjugated(plus((c.other - c.input).exp(), 1)),
        other=lambda g, c: g / conjugated(plus((c.input - c.other).exp(), 1)),
    ),
)
def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of a sum of exponentials, ``log(exp(input) + exp(other))``, without overflow on the way.

    >>> tk.logaddexp(tk.tensor([-100.0, 1000.0]), tk.tensor([-100.0, 1.0]))
    tensor([ -99.3069, 1000.0000])
    """
    return numpy.log(numpy.exp(input) + numpy.exp(other))


@binary(
    numpy.logaddexp2,
    scalars.LOGADDEXP2,
    lacks=(*WHOLE, *COMPLEX),
    inplace=False,
    rounded=1,
    derivative=Rule(
        "Logaddexp2Backward0",
        input=lambda g, c: g / plus(2 ** (c.other - c.input), 1),
        other=lambda g, c: g / plus(2 ** (c.input - c.other), 1),
    ),
)
def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The same to the base 2: ``log2(2**input + 2**other)``.

    >>> tk.logaddexp2(tk.tensor([3.0]), tk.tensor([3.0]))
    tensor([4.])
    """
    return numpy.log2(2**input + 2**other)


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


@binary(
    _xlogy,
    scalars.XLOGY,
    result="float",
    lacks=COMPLEX,
    overloaded=True,
    exact_half=True,
    rounded=1,
    derivative=Rule(_xlogy_name, input=_xlogy_input, other=lambda g, c: scaled(g, c.input) / c.other),
    mixed=True,
)
def xlogy(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input * log(other)``, and 0 where `input` is 0, as entropies need it.

    >>> tk.xlogy(tk.tensor([0.0, 2.0]), tk.tensor([0.0, 1.0]))
    tensor([0., 0.])
    """
    return 0 if input == 0 else input * numpy.log(other)
