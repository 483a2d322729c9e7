"""Powers of complex numbers, in the steps that PyTorch takes.

A number as exponent that is a root, a square, a cube or the reciprocal of one is taken as such. All others go through
the logarithm, as the C library's ``cpow`` does it, whose digits PyTorch shows: ``1j ** 4`` is 1.0000+1.7485e-07j.
NumPy's own power multiplies for whole exponents, and multiplies complex numbers in fused steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

__all__ = ["complex_power"]

Array = numpy.ndarray[Any, Any]


def _square(base: Array) -> Any:
    return numpy.multiply(base, base)


def _reciprocal(base: Any) -> Any:
    return numpy.divide(1, base, dtype=base.dtype)


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
    return numpy.exp(power, out=power)
