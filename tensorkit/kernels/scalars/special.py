"""The gamma and error functions and their kin, most in double precision whatever they are stored in.

Source: S. L. Moshier, Cephes Mathematical Library (1984-2000): ``psi``, ``zeta``.
"""

# The types of the arguments are the compiler's to find.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, no-any-return"

from __future__ import annotations

import math

from numpy import copysign, cos, exp, float64, floor, log, log1p, sin, sqrt

from tensorkit.kernels.scalars.forms import Scalar, real

_INF, _NAN = float("inf"), float("nan")
_PI = 3.141592653589793


# -- the error function -------------------------------------------------------------------------------------------


def _erf(a):
    return math.erf(float64(a))


def _erfc(a):
    return math.erfc(float64(a))


def _erfinv(a):
    """A first guess by M. Giles (2010), good to single precision, and two steps of Newton's and Halley's."""
    y = float64(a)
    if not abs(y) < 1.0:
        return copysign(_INF, y) if abs(y) == 1.0 else _NAN
    if y == 0.0:
        return y
    w = -log1p(-y * y)
    if w < 5.0:
        w = w - 2.5
        p = 2.81022636e-08
        p = 3.43273939e-07 + p * w
        p = -3.5233877e-06 + p * w
        p = -4.39150654e-06 + p * w
        p = 0.00021858087 + p * w
        p = -0.00125372503 + p * w
        p = -0.00417768164 + p * w
        p = 0.246640727 + p * w
        p = 1.50140941 + p * w
    else:
        w = sqrt(w) - 3.0
        p = -0.000200214257
        p = 0.000100950558 + p * w
        p = 0.00134934322 + p * w
        p = -0.00367342844 + p * w
        p = 0.00573950773 + p * w
        p = -0.0076224613 + p * w
        p = 0.00943887047 + p * w
        p = 1.00167406 + p * w
        p = 2.83297682 + p * w
    x = abs(p * y)
    size = abs(y)
    for _ in range(2):
        error = (1.0 - size) - math.erfc(x) if x > 0.5 else math.erf(x) - size
        step = error / (1.1283791670955126 * exp(-x * x))
        x = x - step / (1.0 + x * step)
    return copysign(x, y)


ERF = Scalar("erf", real=_erf, wide="real")
ERFC = Scalar("erfc", real=_erfc, wide="real")
ERFINV = Scalar("erfinv", real=_erfinv, wide="real")


# -- the gamma function -------------------------------------------------------------------------------------------


def _lgamma(a):
    x = float64(a)
    if abs(x) == _INF or x > 2.5e305 or (x <= 0.0 and x == floor(x)):
        return _INF
    return math.lgamma(x)


def _digamma(a):
    """psi: the reflection below 0, steps up to 10, then the asymptotic series; near its root by its own expansion."""
    x = float64(a)
    if x != x or x == _INF:
        return x
    if x == -_INF:
        return _NAN
    if x == 0.0:
        return copysign(_INF, -x)
    total = 0.0
    if x < 0.0:
        part = x - floor(x)
        if part == 0.0:
            return _NAN
        part = x - (floor(x) + 1.0) if part > 0.5 else part  # so that what is close below 0 stays what it is
        if part != 0.5:
            total = -_PI * cos(_PI * part) / sin(_PI * part)
        x = 1.0 - x
    if x == floor(x) and x <= 10.0:
        steps = int(x)
        for k in range(1, steps):
            total = total + 1.0 / k
        return total - 0.5772156649015329
    if 1.0 <= x <= 2.0:
        return total + _digamma_near_root(x)
    if x < 1.0:
        return total - 1.0 / x + _digamma_near_root(x + 1.0)
    lost = 0.0
    while x < 10.0:
        lost = lost + 1.0 / x
        x = x + 1.0
    y = 0.0
    if x < 1e17:
        z = 1.0 / (x * x)
        y = 8.33333333333333333333e-2
        y = y * z - 2.10927960927960927961e-2
        y = y * z + 7.57575757575757575758e-3
        y = y * z - 4.16666666666666666667e-3
        y = y * z + 3.96825396825396825397e-3
        y = y * z - 8.33333333333333333333e-3
        y = y * z + 8.33333333333333333333e-2
        y = y * z
    return total + (log(x) - 0.5 / x - y - lost)


def _digamma_near_root(x):
    """Between 1 and 2, from the distance to the root in parts: the rational function of Boost's."""
    g = x - 1569415565.0 / 1073741824.0
    g = g - (381566830.0 / 1073741824.0) / 1073741824.0
    g = g - 0.9016312093258695918615325266959189453125e-19
    w = x - 1.0
    r = -0.0020713321167745952
    r = r * w - 0.045251321448739056
    r = r * w - 0.28919126444774784
    r = r * w - 0.65031853770896507
    r = r * w - 0.32555031186804491
    r = r * w + 0.25479851061131551
    q = -0.55789841321675513e-6
    q = q * w + 0.0021284987017821144
    q = q * w + 0.054151797245674225
    q = q * w + 0.43593529692665969
    q = q * w + 1.4606242909763515
    q = q * w + 2.0767117023730469
    q = q * w + 1.0
    return g * float64(0.99558162689208984) + g * (r / q)


def _trigamma(a):
    """PyTorch's: the reflection below 1/2, six steps up, then the first terms of the asymptotic series."""
    low = a < real(0.5)
    x = real(1) - a if low else a
    total = real(0)
    for _ in range(6):
        total = total + real(1) / (x * x)
        x = x + real(1)
    r = real(1) / (x * x)
    inner = r * (real(1 / 6) - r * (real(1 / 30) - r * real(1 / 42)))
    total = total + (real(1) + real(1) / (real(2) * x) + inner) / x
    if low:
        turn = sin(real(_PI) * a)
        return real(_PI * _PI) / (turn * turn) - total
    return total


def hurwitz(x, q):
    """Hurwitz's: the sum of the first terms, and Euler's and Maclaurin's formula for the others."""
    x, q = float64(x), float64(q)
    if x == 1.0:
        return _INF
    if x < 1.0:
        return _NAN
    if q <= 0.0:
        if q == floor(q):
            return _INF
        if x != floor(x):
            return _NAN
    if x != x or q != q:
        return _NAN
    total = q**-x
    a, last, turn = q, 0.0, 0
    while turn < 9 or a <= 9.0:
        turn = turn + 1
        a = a + 1.0
        last = a**-x
        total = total + last
        if -1.1102230246251565e-16 * total < last < 1.1102230246251565e-16 * total:
            return total
    total = total + last * a / (x - 1.0) - 0.5 * last
    factor, k = 1.0, 0.0
    for divisor in _EULER_MACLAURIN:
        factor = factor * (x + k)
        last = last / a
        term = factor * last / divisor
        total = total + term
        if abs(term / total) < 1.1102230246251565e-16:
            return total
        k = k + 1.0
        factor = factor * (x + k)
        last = last / a
        k = k + 1.0
    return total


#: The factorials of even numbers, divided by Bernoulli's numbers.
_EULER_MACLAURIN = (
    12.0,
    -720.0,
    30240.0,
    -1209600.0,
    47900160.0,
    -1.8924375803183791606e9,
    7.47242496e10,
    -2.950130727918164224e12,
    1.1646782814350067249e14,
    -4.5979787224074726105e15,
    1.8152105401943546773e17,
    -7.1661652561756670113e18,
)


def _polygamma(a, n, scale):
    """PyTorch's: a multiple of the zeta function, whose series ends in no number where every term is 0."""
    if a == _INF:
        return _NAN
    return float64(scale) * hurwitz(float64(n) + 1.0, a)


LGAMMA = Scalar("lgamma", real=_lgamma, wide="real")
DIGAMMA = Scalar("digamma", real=_digamma, wide="real")
TRIGAMMA = Scalar("polygamma", real=_trigamma)
POLYGAMMA = Scalar("polygamma", real=_polygamma, wide="real")
ZETA = Scalar("special_zeta", real=hurwitz, wide="real")


# -- the logistic function's inverse, entropies -------------------------------------------------------------------


def _logit(a):
    return log(a / (real(1) - a))


def _logit_within(a, low, high):
    return _logit(low if a < low else high if a > high else a)


LOGIT = Scalar("logit", real=_logit)
LOGIT_WITHIN = Scalar("logit", real=_logit_within)


def _entropy(a):
    return a if a != a else -a * log(a) if a > 0 else real(0) if a == 0 else real(-_INF)


ENTR = Scalar("special_entr", real=_entropy)
