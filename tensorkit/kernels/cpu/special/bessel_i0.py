"""The modified Bessel function of order 0 in single precision, by PyTorch's own steps.

SciPy computes it in double and rounds once; PyTorch sums the same Chebyshev series in single precision, and says that
the function is 0.99999994 at 0, which prints as ``1.0000``. A step multiplies and subtracts at once, and then adds.

Source: S. L. Moshier, Cephes Mathematical Library (1984-2000), ``i0``.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.scalars.bessel import FAR, NEAR

Array = numpy.ndarray[Any, Any]
_F = numpy.float32


def _series(y: Array, coefficients: tuple[float, ...]) -> Array:
    """A Chebyshev series by Clenshaw's recurrence, the product of each step not rounded before it is used."""
    wide = y.astype(numpy.float64)
    this, last = numpy.full(y.shape, _F(coefficients[0])), numpy.zeros(y.shape, _F)
    before = last
    for coefficient in coefficients[1:]:
        before, last = last, this
        this = (wide * last - before).astype(_F) + _F(coefficient)
    return _F(0.5) * (this - before)


def _parts(a: Array, scale: Any) -> Array:
    """Where a number is near, `scale` times its series; where it is far, that over the root as well."""
    x = numpy.abs(a)
    near = x <= 8
    out = numpy.empty(x.shape, _F)
    for where, series in ((near, True), (~near, False)):
        if where.any():
            some = x[where]
            y = some / _F(2) - _F(2) if series else _F(32) / some - _F(2)
            value = scale(some) * _series(y, NEAR if series else FAR)
            out[where] = value if series else value / numpy.sqrt(some)
    return out


def i0(a: Array) -> Array:
    """I0 of float32 numbers."""
    return _parts(a, lambda x: numpy.exp(x.astype(numpy.float64)).astype(_F))


def i0e(a: Array) -> Array:
    """exp(-abs(x)) I0(x) of float32 numbers."""
    return _parts(a, lambda x: _F(1))
