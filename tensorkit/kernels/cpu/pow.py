"""Powers of complex and of 16-bit numbers, in the steps that PyTorch takes.

A number as exponent that is a root, a square, a cube or the reciprocal of one is taken as such. All others go through
the logarithm, as the C library's ``cpow`` does it, whose digits PyTorch shows: ``1j ** 4`` is 1.0000+1.7485e-07j.
NumPy's own power multiplies for whole exponents, and multiplies complex numbers in fused steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

Array = numpy.ndarray[Any, Any]


def _square(base: Array) -> Any:
    return numpy.multiply(base, base)


def _reciprocal(base: Any) -> Any:
    return numpy.divide(base.dtype.type(1), base)


_WAYS: dict[complex, Callable[[Array], Any]] = {
    0: numpy.ones_like,
    1: numpy.copy,
    2: _square,
    3: lambda base: numpy.multiply(_square(base), base),
    0.5: numpy.sqrt,
    -0.5: lambda base: _reciprocal(numpy.sqrt(base)),
    -1: _reciprocal,
    -2: lambda base: _reciprocal(_square(base)),
}


def complex_power(base: Array, exponent: Array) -> Any:
    """``base ** exponent`` of arrays of one complex dtype; those of no dimension stand for numbers.

    >>> complex_power(numpy.array([2j, -1]), numpy.array(2 + 0j))
    array([-4.+0.j,  1.-0.j])
    """
    if exponent.ndim == 0 and (way := _WAYS.get(exponent.item())) is not None:
        return way(base)
    if base.ndim == 0 and base == 1:
        return numpy.ones_like(exponent)
    logarithm = numpy.log(base)
    power = numpy.empty(numpy.broadcast_shapes(base.shape, exponent.shape), base.dtype)
    # Part by part, each product and each sum rounded.
    numpy.multiply(exponent.real, logarithm.real, out=power.real)
    power.real -= exponent.imag * logarithm.imag
    numpy.multiply(exponent.real, logarithm.imag, out=power.imag)
    power.imag += exponent.imag * logarithm.real
    lost = numpy.isnan(power.real) & numpy.isnan(power.imag)
    if lost.any():
        both = (numpy.broadcast_to(some, power.shape)[lost] for some in (exponent, logarithm))
        power[lost] = _recovered(next(both), next(both), power[lost])
    return numpy.exp(power, out=power)


def _boxed(one: list[Array], other: list[Array]) -> tuple[list[Array], list[Array], Array]:
    """The parts of two factors; where the first is infinite, its own as 1 and 0, and no numbers of the second as 0."""
    infinite = numpy.isinf(one[0]) | numpy.isinf(one[1])
    units = [numpy.where(infinite, numpy.copysign(numpy.isinf(part), part), part) for part in one]
    return units, [numpy.where(infinite & numpy.isnan(p), numpy.copysign(0, p), p) for p in other], infinite


def _recovered(x: Array, y: Array, product: Array) -> Array:
    """Products with nan in both parts: infinite where a factor is, as C's annex G has it."""
    one, other, infinite = _boxed([x.real, x.imag], [y.real, y.imag])
    (c, d), (a, b), too = _boxed(other, one)
    found = numpy.empty_like(product)
    found.real, found.imag = numpy.inf * (a * c - b * d), numpy.inf * (a * d + b * c)
    return numpy.where(infinite | too, found, product)


# -- 16-bit numbers -----------------------------------------------------------------------------------------------

_TOGETHER = 32  # numbers that PyTorch takes in one turn of its loop, in single precision; the rest one by one


def half_rsqrt(a: Array) -> Any:
    """``1 / sqrt(a)`` of 16-bit numbers: rounded once where PyTorch takes many at once, else the root too is rounded.

    >>> half_rsqrt(numpy.array([0.6, 4], "e"))
    array([1.29, 0.5 ], dtype=float16)
    """
    values = numpy.divide(a.dtype.type(1), numpy.sqrt(a))
    many = a.size - a.size % _TOGETHER if a.flags.c_contiguous else 0
    if many:
        wide = a.reshape(-1)[:many].astype(numpy.float32)
        values.reshape(-1)[:many] = numpy.divide(1, numpy.sqrt(wide), dtype=wide.dtype)
    return values


_ROUNDED: dict[float, Callable[[Array], Any]] = {
    2: _square,
    3: _WAYS[3],
    -2: _WAYS[-2],
    -0.5: half_rsqrt,
}


def half_power(base: Array, exponent: Array) -> Any:
    """``base ** exponent`` of 16-bit numbers: of bfloat16 with some exponents each step is rounded, all else once."""
    if exponent.ndim == 0 and base.dtype.char != "e" and (way := _ROUNDED.get(float(exponent))) is not None:
        return way(base)
    wide = base.astype(numpy.float32), exponent.astype(numpy.float32)
    return numpy.power(*wide).astype(base.dtype)
