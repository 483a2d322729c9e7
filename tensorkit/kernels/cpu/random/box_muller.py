"""Box–Muller in single precision, bit for bit what PyTorch's vector code computes.

Pairs of uniform numbers (u, v) become pairs of normal ones: ``sqrt(-2 log u)`` times the cosine and the sine
of ``2 pi v``. Logarithm, sine and cosine are the polynomials of the Cephes library, most steps a fused
multiply-add with one rounding. NumPy has no such step, so it is taken in double precision, where the product
of two single-precision numbers is exact.

Source: S. L. Moshier, Cephes Mathematical Library (1984-2000), ``logf``, ``sinf`` and ``cosf``. The order of
the steps was found by trying: it gives every bit of PyTorch 2.13 on processors with AVX2 and FMA.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

Array = numpy.ndarray[Any, Any]
_f = numpy.float32
LOG = tuple(
    map(
        _f,
        (
            7.0376836292e-2,
            -1.1514610310e-1,
            1.1676998740e-1,
            -1.2420140846e-1,
            1.4249322787e-1,
            -1.6668057665e-1,
            2.0000714765e-1,
            -2.4999993993e-1,
            3.3333331174e-1,
        ),
    )
)
COSINE = tuple(map(_f, (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)))
SINE = tuple(map(_f, (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)))
# A quarter of pi and log 2, split: the first parts have so few bits that their small multiples are exact.
QUARTER_PI = (_f(0.78515625), _f(2.4187564849853515625e-4), _f(3.77489497744594108e-8))
LN2 = (_f(0.693359375), _f(-2.12194440e-4))


def box_muller(u: Array, v: Array) -> tuple[Array, Array]:
    """Normal numbers, the cosines' and the sines', from uniform float32 numbers in (0, 1] and [0, 1).

    >>> box_muller(numpy.float32([0.5]), numpy.float32([0.125]))
    (array([0.8325546], dtype=float32), array([0.83255464], dtype=float32))
    """
    radius = numpy.sqrt(_f(-2) * _log(u))
    sine, cosine = _sine_cosine(_f(2 * math.pi) * v)
    return radius * cosine, radius * sine


def _fused(a: Array, b: Array | _f, c: Array | _f) -> Array:
    """``a * b + c`` with one rounding."""
    wide = numpy.multiply(a, b, dtype=numpy.float64)
    wide += c
    return wide.astype(_f)


def _polynomial(x: Array, coefficients: tuple[_f, ...]) -> Array:
    first, second, *others = coefficients
    y = _fused(x, first, second)
    for coefficient in others:
        y = _fused(y, x, coefficient)
    return y


def _log(x: Array) -> Array:
    mantissa, power = numpy.frexp(x)
    small = mantissa < _f(math.sqrt(0.5))
    power = (power - small).astype(_f)
    x = mantissa - _f(1)
    x += numpy.where(small, mantissa, _f(0))
    square = x * x
    y = _fused(_polynomial(x, LOG) * x, square, power * LN2[1])
    y -= square * _f(0.5)
    return x + y + power * LN2[0]


def _sine_cosine(x: Array) -> tuple[Array, Array]:
    octant = (x * _f(4 / math.pi)).astype(numpy.int32)
    octant += 1
    octant &= -2
    steps = octant.astype(_f)
    x = x - steps * QUARTER_PI[0]
    x -= steps * QUARTER_PI[1]
    x = _fused(steps, -QUARTER_PI[2], x)
    square = x * x
    cosine = _polynomial(square, COSINE) * square
    cosine = _fused(cosine, square, square * _f(-0.5)) + _f(1)
    sine = _fused(_polynomial(square, SINE) * square, x, x)
    swapped = (octant & 2) != 0
    sign = numpy.where(octant & 4, _f(-1), _f(1))
    return (
        numpy.where(swapped, cosine, sine) * sign,
        numpy.where(swapped, -sine, cosine) * sign,
    )
