"""The incomplete gamma functions, and the zeta function of Hurwitz."""

# The decorated bodies compute one element, although their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.elementwise.binary import binary
from tensorkit.errors import MissingKernelError
from tensorkit.kernels.scalars.gamma_shares import IGAMMA, IGAMMAC
from tensorkit.kernels.scalars.special import ZETA
from tensorkit.ops.shared.scalar_arithmetic import scaled
from tensorkit.tensor import Array, Number, Tensor

_WHOLE_OR_COMPLEX = tuple(kind for kind in dtypes.ALL if kind.category != 2)


def _underived(what: str) -> Any:
    """The derivative by an argument that PyTorch records, and has no formula for."""

    def refuse(g: Any, c: Any) -> Any:
        raise MissingKernelError(f"the derivative for '{what}' is not implemented.")

    return refuse


def _steep(c: Any) -> Any:
    """The slope of the share below `other`: the density there."""
    return ((c.input - 1) * c.other.log() - c.other - c.input.lgamma()).exp()


def _igamma(a: Array, b: Array) -> Array:
    from scipy import special

    shares = special.gammainc(a, b)
    if a.dtype == numpy.float32:
        shares = numpy.where(_too_small(a, b) & ((b <= 1) | (b <= a)), 0, shares)
    return _settled(shares, a, b, 0, 1)


def _igammac(a: Array, b: Array) -> Array:
    from scipy import special

    shares = special.gammaincc(a, b)
    if a.dtype == numpy.float32:
        shares = numpy.where(_too_small(a, b) & (b > _MIDDLE) & (b >= a), 0, shares)
        few = _by_series(a, b)
        x, y = numpy.broadcast_arrays(a, b)
        shares[few] = _series(x[few], y[few])
    return _settled(shares, a, b, 1, 0)


# -- float32, in which PyTorch computes without a wider number ----------------------------------------------------

# What it is compared with has the digits of float64, though: the 1.1 of float32 is more than 1.1.
_NEAR, _LOW, _MIDDLE = numpy.float64(0.4), 0.5, numpy.float64(1.1)
_LARGEST_POWER = numpy.float32(88.72283905206835)  # of e
_LANCZOS = numpy.float32(56906521.91347156 / 39916800)  # what the sum of Lanczos tends to near 0, times `a`


def _too_small(a: Array, b: Array) -> Array:
    """Where ``b ** a * exp(-b) / gamma(a)`` is 0 in float32: a share that is a multiple of it is 0 too."""
    from scipy import special

    power = a * numpy.log(b) - b - special.gammaln(a)
    beside = numpy.abs(a - b) <= _NEAR * a
    none: Array = numpy.where(beside, numpy.isinf(_LANCZOS / a), power < -_LARGEST_POWER)
    return none & (a > 0) & (a <= 20) & (b > 0)


def _by_series(a: Array, b: Array) -> Array:
    """Where PyTorch adds up a series for the upper share."""
    low: Array = (b <= _LOW) & (a <= -_NEAR / numpy.log(b))
    middle = (b > _LOW) & (b <= _MIDDLE) & (a <= b * _MIDDLE)
    return (a > 0) & (b > 0) & (low | middle)


def _series(a: Array, b: Array) -> Array:
    """The upper share for a small `b`, whose small digits float32 loses as in PyTorch."""
    from scipy import special

    factor, total = numpy.ones_like(a), numpy.zeros_like(a)
    for n in range(1, 40):
        factor = factor * (-b / numpy.float32(n))
        term = factor / (a + numpy.float32(n))
        total = total + term
        if (numpy.abs(term) <= numpy.float32(2.0**-24) * numpy.abs(total)).all():
            break
    power = a * numpy.log(b)
    near: Array = -numpy.expm1(power - special.gammaln(1 + a)) - numpy.exp(power - special.gammaln(a)) * total
    return near


def _settled(shares: Any, a: Array, b: Array, least: int, most: int) -> Array:
    """The shares, with the values that PyTorch gives for certain pairs with a nan."""
    none = (numpy.isnan(a) & (b == 0)) | (numpy.isposinf(a) & numpy.isnan(b))
    whole = numpy.isnan(a) & numpy.isposinf(b)
    return numpy.where(none, least, numpy.where(whole, most, shares)).astype(a.dtype)


@binary(
    _igamma,
    IGAMMA,
    lacks=_WHOLE_OR_COMPLEX,
    rounded=20,
    derivative=Rule("IgammaBackward0", input=_underived("igamma: input"), other=lambda g, c: g * _steep(c)),
)
def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The lower incomplete gamma function as a share of the whole: from 0 to 1 as `other` grows.

    Args:
        input: the parameter, positive. other: where the integral is divided, positive too; it has the derivative alone.

    Raises:
        NotImplementedError: for integers, bools and complex tensors.

    >>> tk.igamma(tk.tensor([1.0, 2.0]), tk.tensor([1.0, 1.0]))
    tensor([0.6321, 0.2642])
    """
    return _igamma(input, other)


@binary(
    _igammac,
    IGAMMAC,
    lacks=_WHOLE_OR_COMPLEX,
    rounded=20,
    derivative=Rule(
        "IgammacBackward0", input=_underived("igammac: input"), other=lambda g, c: -g * _steep(c)
    ),
)
def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The upper incomplete gamma function as a share of the whole: ``1 - igamma``, exact near 0 too.

    Args:
        input: the parameter, positive. other: where the integral is divided, positive too; it has the derivative alone.

    Raises:
        NotImplementedError: for integers, bools and complex tensors.

    >>> tk.igammac(tk.tensor([1.0, 2.0]), tk.tensor([1.0, 1.0]))
    tensor([0.3679, 0.7358])
    """
    return _igammac(input, other)


def _zeta(a: Array, b: Array) -> Array:
    """Euler's and Maclaurin's sum in float64, as Cephes has it; SciPy's says another thing about infinities."""
    from scipy import special

    x, q = numpy.broadcast_arrays(a.astype(numpy.float64), b.astype(numpy.float64))
    above = (x > 1) & (q > 0)
    found = numpy.where(above, 0.0, special.zeta(x, q))
    found[above] = _summed(x[above], q[above])
    return found.astype(a.dtype)


def _summed(x: Array, q: Array) -> Array:
    from scipy import special

    total, a, last, steps = q**-x, q.copy(), numpy.zeros_like(q), 0
    done = numpy.zeros(q.shape, bool)  # whose further terms are too small to count
    going = ~done
    while going.any():
        steps += 1
        a = numpy.where(going, a + 1, a)
        last = numpy.where(going, a**-x, last)
        total = numpy.where(going, total + last, total)
        done |= going & (numpy.abs(last) < _LEAST * total)
        going = ~done & ((steps < 9) | (a <= 9))
    total = numpy.where(done, total, total + last * a / (x - 1) - 0.5 * last)
    factor, numbers = numpy.ones_like(x), special.bernoulli(24)
    for k in range(0, 24, 2):
        factor = factor * (x + k)
        last = last / a
        term = factor * last * (numbers[k + 2] / math.factorial(k + 2))
        total = numpy.where(done, total, total + term)
        done |= numpy.abs(term / total) < _LEAST
        factor = factor * (x + k + 1)
        last = last / a
    return total


_LEAST = 2.0**-53


def _zeta_name(call: dict[str, Any]) -> str:
    if not isinstance(call["input"], Tensor):
        return "SpecialZetaBackward1"
    return "SpecialZetaBackward0" if isinstance(call["other"], Tensor) else "SpecialZetaBackward2"


def _zeta_back(g: Any, c: Any) -> Any:
    return scaled(g, -c.input) * zeta(c.input + 1, c.other)


@binary(
    _zeta,
    ZETA,
    result="float",
    kernel="zeta_cpu",
    lacks=(dtypes.complex64, dtypes.complex128, dtypes.float16, dtypes.bfloat16),
    overloaded=True,
    namespace="special",
    rounded=5,
    derivative=Rule(_zeta_name, input=_underived("zeta"), other=_zeta_back),
    mixed=True,
)
def zeta(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The zeta function of Hurwitz: the sum of ``(k + other) ** -input`` over all k from 0 on.

    Args:
        input: the exponent, more than 1; at 1 the sum is inf, below nan. other: where the sum begins; for 1 it is
            Riemann's zeta function. It has the derivative alone.

    Raises:
        NotImplementedError: for complex and 16-bit tensors.

    >>> tk.special.zeta(tk.tensor([2.0, 4.0]), 1)
    tensor([1.6449, 1.0823])
    """
    return _zeta(input, other)
