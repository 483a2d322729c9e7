"""Orthogonal polynomials by their recurrences, and Chebyshev's of higher degrees by angles, as PyTorch computes them.

The degree is a number like any other, of which the fraction is dropped; below 0, and for a degree that is
nan or too large, the polynomial is 0. Everything is computed in the numbers' own precision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

Array = numpy.ndarray[Any, Any]


def _degrees(n: Array) -> Array:
    """The degrees as int64; -1 for nan, and for what int64 cannot hold."""
    held = numpy.abs(n) < 2.0**63
    whole: Array = numpy.where(held, n, -1).astype(numpy.int64)
    return whole


def _less(a: Any, b: Array, c: Any) -> Any:
    """``a * b - c`` with one rounding, as PyTorch's loops on today's processors have it; of float64 with two."""
    if b.dtype != numpy.float32:
        return a * b - c
    wide = numpy.multiply(a, b, dtype=numpy.float64)  # which is exact
    return (wide - c).astype(numpy.float32)


def _climbed(first: Array, n: Array, step: Callable[[int, Any, Any], Any]) -> Array:
    """The polynomial of degree `n`: 1 for degree 0, `first` for 1; `step` leads from two neighbours to the next."""
    lower, upper = numpy.ones_like(first), first
    found: Array = numpy.where(n == 0, lower, upper)
    for k in range(1, int(n.max(initial=0))):
        lower, upper = upper, step(k, lower, upper)
        found = numpy.where(n > k, upper, found)
        if numpy.isnan(found).all(where=n > k):
            break  # and will be for ever
    return found


def _signed(n: Array, size: Any) -> Array:
    """With the other sign where the degree is odd."""
    sized: Array = numpy.where(n % 2 == 0, size, -size)
    return sized


def _settled(x: Array, n: Array, found: Array, *ends: tuple[Any, Any]) -> Array:
    """The values found, with those given for certain places put in, and 0 below degree 0."""
    for where, value in ends:
        found = numpy.where(where, value, found)
    return numpy.where(n < 0, 0, found).astype(x.dtype)


# -- Chebyshev's --------------------------------------------------------------------------------------------------


def _by_angle(kind: str, y: Array, n: Array, shifted: bool) -> Array:
    """A polynomial between -1 and 1, as sines and cosines of `n` times the angle whose cosine `y` is."""
    angle = numpy.arccos(y, dtype=numpy.float64).astype(y.dtype)  # whose error counts `n` times
    half = angle / 2
    if kind == "t":
        waves: Array = numpy.cos(n.astype(y.dtype) * angle)
        return waves
    if kind == "u":
        waves = numpy.sin((n + 1).astype(y.dtype) * angle) / numpy.sin(angle)
        return waves
    fast = (n.astype(y.dtype) + y.dtype.type(0.5)) * angle
    if kind == "v":
        return numpy.where(numpy.sin(half) != 1, numpy.cos(fast) / numpy.cos(half), _signed(n, n + n + 1))
    # At this end PyTorch's shifted polynomials have the values of the other one.
    last = _signed(n, 1) if shifted else n + n + 1
    return numpy.where(numpy.cos(half) != 1, numpy.sin(fast) / numpy.sin(half), last)


#: From which degree on the angle is asked.
_SLOW = {"t": 6, "u": 8, "v": 8, "w": 8}
_SHIFTED_SLOW = {"t": 6, "u": 6, "v": 6, "w": 4}


def chebyshev(kind: str, shifted: bool) -> Callable[[Array, Array], Array]:
    """Chebyshev's polynomials of a kind, from the first, "t", to the fourth, "w"; shifted from 0 to 1 or not.

    >>> chebyshev("t", False)(numpy.array([0.5, 2.0]), numpy.array(3.0))
    array([-1., 26.])
    """
    slow = (_SHIFTED_SLOW if shifted else _SLOW)[kind]

    def polynomial(x: Array, n: Array) -> Array:
        n = _degrees(n)
        y = x + x - 1 if shifted else x
        twice = y + y
        first = {"t": y, "u": twice, "v": twice - 1, "w": twice + 1}[kind]
        angled = (n > slow) & (numpy.abs(y) < 1)
        # What angles give needs no climbing.
        found = _climbed(first, numpy.where(angled, 0, n), lambda k, p, q: _less(twice, q, p))
        if angled.any():
            inside = numpy.where(angled, y, 0)
            found = numpy.where(angled, _by_angle(kind, inside, n, shifted), found)
        many = n + n + 1
        right = {"t": 1, "u": n + 1, "v": 1, "w": many}[kind]
        left = _signed(n, {"t": 1, "u": n + 1, "v": many, "w": 1}[kind])
        return _settled(x, n, found, (x == 1, right), (x == (0 if shifted else -1), left))

    return polynomial


# -- others -------------------------------------------------------------------------------------------------------


def _limit(x: Array, n: Array, found: Array) -> Array:
    """Hermite polynomials are nan beyond the degree up to which the recurrence is accurate."""
    return numpy.where(n > (128 if x.dtype == numpy.float32 else 512), numpy.nan, found)


def hermite_h(x: Array, n: Array) -> Array:
    """The physicists' Hermite polynomials.

    >>> hermite_h(numpy.array([1.0, 2.0]), numpy.array(3.0))
    array([-4., 40.])
    """
    n, twice = _degrees(n), x + x
    found = _climbed(twice, numpy.minimum(n, 512), lambda k, p, q: _less(twice, q, 2 * k * p))
    return _settled(x, n, _limit(x, n, found))


def hermite_he(x: Array, n: Array) -> Array:
    """The probabilists' Hermite polynomials.

    >>> hermite_he(numpy.array([1.0, 2.0]), numpy.array(3.0))
    array([-2.,  2.])
    """
    n = _degrees(n)
    found = _climbed(x, numpy.minimum(n, 512), lambda k, p, q: _less(x, q, k * p))
    return _settled(x, n, _limit(x, n, found))


def laguerre_l(x: Array, n: Array) -> Array:
    """Laguerre's polynomials.

    >>> laguerre_l(numpy.array([1.0, 2.0]), numpy.array(2.0))
    array([-0.5, -1. ])
    """
    n, first = _degrees(n), 1 - x
    found = _climbed(first, n, lambda k, p, q: _less(2 * k + first, q, k * p) / (k + 1))
    return _settled(x, n, found, (x == 0, 1))


def legendre_p(x: Array, n: Array) -> Array:
    """Legendre's polynomials.

    >>> legendre_p(numpy.array([0.5, 2.0]), numpy.array(2.0))
    array([-0.125,  5.5  ])
    """
    n = _degrees(n)
    found = _climbed(x, n, lambda k, p, q: _less((2 * k + 1) * x, q, k * p) / (k + 1))
    return _settled(x, n, found, (x == 1, 1), (x == -1, _signed(n, 1)))
