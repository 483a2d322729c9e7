"""Fills that propose numbers until one is accepted: gamma and binomial distributions.

How many draws a number takes depends on chance, so they are made one after the other.

Sources: G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables" (2000); W. Hörmann, "The
generation of binomial random variates" (1993), algorithm BTRS; L. Devroye, "Non-uniform random variate generation"
(1986), the waiting time method.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, cos, floor, inf, log, log1p, nan, pi, sin, sqrt

import numpy

from tensorkit.random.generator import Generator
from tensorkit.tensor import Array

Round = Callable[[float], float]

STIRLING = (
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.0104112652619720,
    0.00925546218271273,
    0.00833056343336287,
)
"""By how much Stirling's formula misses log k!, for k up to 9."""


class _Numbers:
    """A generator's numbers one by one, of double precision: from [0, 1), and normally distributed."""

    def __init__(self, generator: Generator) -> None:
        self.generator, self.draw = generator, generator.one_by_one()

    def unit(self) -> float:
        """From [0, 1)."""
        return float((self.draw() << 32 | self.draw()) & (1 << 53) - 1) * 2.0**-53

    def normal(self) -> float:
        """The cosine of a Box–Muller pair; then its sine, which a generator keeps."""
        kept, self.generator._spare = self.generator._spare, None
        if kept is not None:
            return kept
        angle = 2.0 * pi * self.unit()
        length = sqrt(-2.0 * log1p(-self.unit()))
        self.generator._spare = length * sin(angle)
        return length * cos(angle)


def _rounding(kind: numpy.dtype[numpy.generic]) -> Round:
    """What rounds to float32; nothing for double precision."""
    return float if kind == numpy.float64 else lambda value: float(numpy.float32(value))


def fill_gamma(out: Array, generator: Generator, shapes: Array) -> None:
    """Fill a row-major array of single or double precision with gamma distributed numbers of rate 1."""
    rounded, least = _rounding(out.dtype), float(numpy.finfo(out.dtype).tiny)
    with generator.lock:
        numbers = _Numbers(generator)
        out.reshape(-1)[...] = [max(least, _gamma(a, numbers, rounded)) for a in shapes.reshape(-1).tolist()]


_THIRD = float(numpy.float32(1) / numpy.float32(3))
_SQUEEZE = float(numpy.float32(0.0331))


def _gamma(shape: float, numbers: _Numbers, rounded: Round) -> float:
    """A cube of a normal number, by chance; for a shape below 1 that of shape + 1 is scaled down."""
    scale = 1.0
    if shape < 1.0:
        if shape == 0.0:
            return 0.0
        scale = (1 - numbers.unit()) ** rounded(1.0 / shape)
        shape = rounded(shape + 1.0)
    d = rounded(shape - _THIRD)
    c = 1.0 / sqrt(9.0 * d) if d > 0.0 else nan
    while True:
        x = numbers.normal()
        while (y := 1.0 + c * x) <= 0:
            x = numbers.normal()
        v = y * y * y
        u = 1 - numbers.unit()
        xx = x * x
        if u < 1.0 - _SQUEEZE * xx * xx or log(u) < 0.5 * xx + d * (1.0 - v + log(v)):
            return scale * d * v


def fill_binomial(out: Array, generator: Generator, counts: Array, chances: Array) -> None:
    """Fill a row-major array of single or double precision with binomially distributed numbers."""
    rounded = _rounding(out.dtype)
    pairs = zip(counts.reshape(-1).tolist(), chances.reshape(-1).tolist(), strict=True)
    with generator.lock:
        unit = _Numbers(generator).unit
        out.reshape(-1)[...] = [_binomial(count, chance, unit, rounded) for count, chance in pairs]


def _binomial(count: float, chance: float, unit: Callable[[], float], rounded: Round) -> float:
    """The count of successes if they are less probable than failures, else of failures."""
    if count <= 0.0 or chance <= 0.0:
        return 0.0
    if chance >= 1.0:
        return count
    if chance > 0.5:
        return rounded(count - _rarer(count, rounded(1.0 - chance), unit, rounded))
    return _rarer(count, chance, unit, rounded) if chance <= 0.5 else chance  # which is nan


def _rarer(count: float, chance: float, unit: Callable[[], float], rounded: Round) -> float:
    many = rounded(count * chance) >= 10.0
    return (_by_rejection if many else _by_waiting)(count, chance, unit, rounded)


def _by_waiting(count: float, chance: float, unit: Callable[[], float], rounded: Round) -> float:
    """How many successes, each after a waiting time, there are in `count` tries."""
    log_failure = rounded(log1p(-chance))
    tries, successes = 0.0, 0
    while True:
        u = unit()
        tries += ceil(log(u) / log_failure) if u > 0.0 else inf
        if tries > count:
            return float(successes)
        successes += 1


def _by_rejection(count: float, chance: float, unit: Callable[[], float], rounded: Round) -> float:
    """A number under a bell curve that is a little higher, kept by chance."""
    r = rounded
    mean = r(count * chance)
    deviation = r(sqrt(r(mean * r(1 - chance))))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    odds = r(chance / r(1 - chance))
    alpha = (2.83 + 5.1 / b) * deviation
    m = float(floor(r(r(count + 1) * chance)))
    while True:
        u, v = unit() - 0.5, unit()
        near = 0.5 - abs(u)
        k = r(floor((2 * a / near + b) * u + (mean + 0.5))) if near else -1.0
        if not 0 <= k <= count:
            continue
        if near >= 0.07 and v <= 0.92 - 4.2 / b:
            return k
        left = r(r(count - k) + 1)
        most = (m + 0.5) * log((m + 1) / (odds * (count - m + 1)))
        most += r(count + 1) * log((count - m + 1) / left)
        most += (k + 0.5) * log(odds * left / r(k + 1))
        most += _tail(m) + _tail(count - m) - _tail(k) - _tail(r(count - k))
        if v <= 0.0 or log(v * alpha / (a / (near * near) + b)) <= most:
            return k


def _tail(k: float) -> float:
    """By how much Stirling's formula misses log k!."""
    if k <= 9:
        return STIRLING[int(k)]
    squared = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / squared) / squared) / (k + 1)
