"""The incomplete gamma functions, in double precision whatever they are stored in.

Source: C. Loader, "Fast and Accurate Computation of Binomial Probabilities" (2000), for the density; S. L. Moshier,
Cephes Mathematical Library (1984-2000), ``igam``, for which series is used where; N. M. Temme, "The Asymptotic
Expansion of the Incomplete Gamma Functions" (1979), for parameters beyond a hundred thousand.
"""

# The types of the arguments are the compiler's to find.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, no-any-return"

from __future__ import annotations

import math

from numpy import exp, expm1, float64, log, log1p, sqrt

from tensorkit.kernels.scalars.forms import Scalar, real
from tensorkit.kernels.scalars.special import hurwitz

_INF, _NAN = float("inf"), float("nan")
_EPSILON = 1.1102230246251565e-16

#: Riemann's zeta function from 2 on, by which the logarithm of the gamma function near 1 is a series.
_ZETA = tuple(hurwitz(float(n), 1.0) for n in range(2, 44))


def _lgamma_from_1(a):
    """``lgamma(1 + a)``, exact near 0 too."""
    if abs(a) > 0.3:
        return math.lgamma(1.0 + a)
    power, total = -a, -0.5772156649015329 * a
    for k in range(42):
        power = power * -a
        total = total + _ZETA[k] * power / (k + 2.0)
    return total


def _stirling_error(a):
    """What Stirling's formula for ``log(gamma(1 + a))`` leaves over."""
    if a <= 15.0:
        return _lgamma_from_1(a) - (a + 0.5) * log(a) + a - 0.9189385332046728
    z = 1.0 / (a * a)
    return (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - z / 1188.0) * z) * z) * z) / a


def _deviance(a, x):
    """``a * log(a / x) + x - a``, exact where the two are close."""
    if abs(a - x) < 0.1 * (a + x):
        v = (a - x) / (a + x)
        total, power, v2 = (a - x) * v, 2.0 * a * v, v * v
        for k in range(1, 1000):
            power = power * v2
            following = total + power / (2.0 * k + 1.0)
            if following == total:
                return total
            total = following
        return total
    return a * log(a / x) + x - a


def _density(a, x):
    """``x ** a * exp(-x) / gamma(1 + a)``."""
    if a <= 15.0 and x < 200.0:
        return x**a * exp(-x) / math.gamma(1.0 + a)
    return exp(-_stirling_error(a) - _deviance(a, x)) / sqrt(6.283185307179586 * a)


def _lower_series(a, x):
    term, total = 1.0, 1.0
    for k in range(1, 20000):
        term = term * (x / (a + k))
        total = total + term
        if term <= _EPSILON * total:
            break
    return total * _density(a, x)


def _upper_series(a, x):
    """For a small `x`."""
    factor, total = 1.0, 0.0
    for n in range(1, 200):
        factor = factor * (-x / n)
        term = factor / (a + n)
        total = total + term
        if abs(term) <= _EPSILON * abs(total):
            break
    power = a * log(x)
    return -expm1(power - _lgamma_from_1(a)) - exp(power - _lgamma_from_1(a)) * a * total


def _upper_fraction(a, x):
    """A continued fraction, by Lentz's steps."""
    tiny = 1e-300
    b = x + 1.0 - a
    c = 1.0 / tiny
    d = 1.0 / b if b != 0.0 else 1.0 / tiny
    h = d
    for k in range(1, 20000):
        n = -k * (k - a)
        b = b + 2.0
        d = n * d + b
        d = tiny if abs(d) < tiny else d
        c = b + n / c
        c = tiny if abs(c) < tiny else c
        d = 1.0 / d
        step = d * c
        h = h * step
        if abs(step - 1.0) <= _EPSILON:
            break
    return _density(a, x) * a * h


def _far_upper(a, x):
    """The first term of the uniform expansion: nearly the normal distribution's tail."""
    mu = (x - a) / a
    if mu <= -1.0:
        return 1.0
    square = 2.0 * (mu - log1p(mu))
    square = mu * mu * (1.0 - 2.0 * mu / 3.0 + 0.5 * mu * mu) if abs(mu) < 1e-4 else square
    eta = sqrt(square) if mu >= 0.0 else -sqrt(square)
    correction = -1.0 / 3.0 if abs(mu) < 1e-7 else 1.0 / mu - 1.0 / eta
    tail = exp(-0.5 * a * square) / sqrt(6.283185307179586 * a) * correction
    return 0.5 * math.erfc(eta * sqrt(0.5 * a)) + tail


def _is_lower(a, x):
    """Whether the lower share is the one that is computed, and the upper what is left."""
    if x > 1.1:
        return x < a
    if x <= 0.5:
        return -0.4 / log(x) < a
    return x * 1.1 < a


def _upper(a, x):
    if a > 1e5:
        return _far_upper(a, x)
    if _is_lower(a, x):
        return 1.0 - _lower_series(a, x)
    return _upper_fraction(a, x) if x > 1.1 else _upper_series(a, x)


def _lower(a, x):
    if a > 1e5:
        return 1.0 - _far_upper(a, x)
    if x > 1.0 and x > a:
        return 1.0 - _upper(a, x)
    return _lower_series(a, x)


def _settled(a, x):
    """The upper share where it needs no computing; -1 where it does."""
    if a != a or x != x:
        if a != a and x == 0.0:
            return 1.0
        if a == _INF:
            return 1.0
        return 0.0 if a != a and x == _INF else _NAN
    if a < 0.0 or x < 0.0:
        return _NAN
    if a == 0.0:
        return 0.0 if x > 0.0 else _NAN
    if x == 0.0:
        return 1.0
    if a == _INF:
        return _NAN if x == _INF else 1.0
    return 0.0 if x == _INF else -1.0


def _igamma(a, b):
    a, x = float64(a), float64(b)
    upper = _settled(a, x)
    return 1.0 - upper if upper != -1.0 else _lower(a, x)


def _igammac(a, b):
    a, x = float64(a), float64(b)
    upper = _settled(a, x)
    return upper if upper != -1.0 else _upper(a, x)


# -- float32, in which PyTorch computes without a wider number ----------------------------------------------------


def _is_lost(a, b):
    """Whether ``b ** a * exp(-b) / gamma(a)`` is 0 in float32: a share that is a multiple of it is 0 too."""
    if not (a > 0 and a <= 20 and b > 0):
        return False
    if abs(a - b) <= 0.4 * float64(a):
        return real(_LANCZOS) / a == _INF
    return a * log(b) - b - real(math.lgamma(float64(a))) < -real(_LARGEST_POWER)


def _is_small(a, b):
    """Where a series is added up for the upper share, whose small digits float32 loses."""
    if not (a > 0 and b > 0):
        return False
    return a <= -0.4 / float64(log(b)) if b <= 0.5 else b <= 1.1 and a <= b * 1.1


def _short_series(a, b):
    factor, total = real(1), real(0)
    for n in range(1, 40):
        factor = factor * (-b / real(n))
        term = factor / (a + real(n))
        total = total + term
        if abs(term) <= real(5.960464477539063e-08) * abs(total):
            break
    power = a * log(b)
    near = -expm1(power - real(math.lgamma(float64(real(1) + a))))
    return near - exp(power - real(math.lgamma(float64(a)))) * total


def _short_igamma(a, b):
    if _is_lost(a, b) and (b <= 1 or b <= a):
        return real(0)
    return real(_igamma(a, b))


def _short_igammac(a, b):
    if _is_small(a, b):
        return _short_series(a, b)
    if _is_lost(a, b) and b > 1.1 and b >= a:
        return real(0)
    return real(_igammac(a, b))


_LARGEST_POWER = 88.72283905206835  # of e
_LANCZOS = 56906521.91347156 / 39916800  # what the sum of Lanczos tends to near 0, times `a`

_IN_SINGLE = ("float16", "bfloat16", "float32")
IGAMMA = Scalar("igamma", real=_igamma, wide="real", **dict.fromkeys(_IN_SINGLE, _short_igamma))
IGAMMAC = Scalar("igammac", real=_igammac, wide="real", **dict.fromkeys(_IN_SINGLE, _short_igammac))
