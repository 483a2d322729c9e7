"""Functions of complex numbers, by their parts, in double precision whatever they are stored in.

Infinities, nan and the sign of zero are those of the C standard's annex G, on which NumPy and PyTorch rest too.

Source: W. Kahan, "Branch Cuts for Complex Elementary Functions" (1987).
"""

# The types of the arguments are the compiler's to find.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, no-any-return"

from __future__ import annotations

from numpy import (
    arcsinh,
    arctan2,
    copysign,
    cos,
    cosh,
    exp,
    expm1,
    float64,
    hypot,
    isfinite,
    log,
    log1p,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)

_INF, _NAN = float("inf"), float("nan")
_LN2 = 0.6931471805599453
_HALF_TURN = 3.141592653589793
_QUARTER_TURN = 1.5707963267948966
_QUARTER_OF_LARGEST = 4.49423283715579e307  # a quarter of the largest number
_ROOT_OF_LARGEST = 6.703903964971298e153
_ROOT_OF_LEAST = 1.5e-154  # the root of the smallest normal number


# -- products and quotients ---------------------------------------------------------------------------------------


def complex_quotient(x, y):
    """Smith's division: the larger part of the divisor divides, so that no square overflows."""
    a, b, c, d = float64(x.real), float64(x.imag), float64(y.real), float64(y.imag)
    if abs(c) >= abs(d):
        if c == 0.0 and d == 0.0:
            return complex(a / abs(c), b / abs(c))
        ratio = d / c
        scale = 1.0 / (c + d * ratio)
        return complex((a + b * ratio) * scale, (b - a * ratio) * scale)
    ratio = c / d
    scale = 1.0 / (d + c * ratio)
    return complex((a * ratio + b) * scale, (b * ratio - a) * scale)


def complex_reciprocal(z):
    return complex_quotient(complex(1.0, 0.0), z)


def _unit(x):
    return copysign(1.0 if abs(x) == _INF else 0.0, x)


def _no_nan(x):
    return copysign(0.0, x) if x != x else x


def complex_product(x, y):
    """Infinite where a factor is, although the parts alone would be nan."""
    a, b, c, d = float64(x.real), float64(x.imag), float64(y.real), float64(y.imag)
    re, im = a * c - b * d, b * c + a * d
    endless = abs(a) == _INF or abs(b) == _INF
    too = abs(c) == _INF or abs(d) == _INF
    if (re == re or im == im) or not (endless or too):
        return complex(re, im)
    if endless:
        a, b, c, d = _unit(a), _unit(b), _no_nan(c), _no_nan(d)
    if too:
        a, b, c, d = _no_nan(a), _no_nan(b), _unit(c), _unit(d)
    return complex(_INF * (a * c - b * d), _INF * (a * d + b * c))


# -- roots, exponentials, logarithms ------------------------------------------------------------------------------


def complex_root(z):
    """The root with a real part from 0 on."""
    x, y = float64(z.real), float64(z.imag)
    if abs(y) == _INF:
        return complex(_INF, y)
    if x != x:
        return complex(x, _NAN)
    if x == _INF:
        return complex(x, y if y != y else copysign(0.0, y))
    if x == -_INF:
        return complex(abs(y) if y != y else 0.0, copysign(_INF, y))
    if y != y:
        return complex(_NAN, _NAN)
    if x == 0.0 and y == 0.0:
        return complex(0.0, y)
    wide = abs(x) > _QUARTER_OF_LARGEST or abs(y) > _QUARTER_OF_LARGEST
    narrow = abs(x) < 1e-300 and abs(y) < 1e-300
    scale = 0.25 if wide else 1.2676506002282294e30 if narrow else 1.0  # a power of four
    back = 2.0 if wide else 8.881784197001252e-16 if narrow else 1.0
    a, b = abs(x) * scale, abs(y) * scale
    root = sqrt((a + hypot(a, b)) * 0.5)
    other = b / (2.0 * root)
    if x >= 0.0:
        return complex(root * back, copysign(other * back, y))
    return complex(other * back, copysign(root * back, y))


def complex_exp(z):
    x, y = float64(z.real), float64(z.imag)
    if y == 0.0:
        return complex(exp(x), y)
    if not isfinite(y):
        if x == -_INF:
            return complex(0.0, copysign(0.0, y) if y == y else 0.0)
        if x == _INF:
            return complex(x, _NAN)
        return complex(_NAN, _NAN)
    if x == -_INF:
        return complex(copysign(0.0, cos(y)), copysign(0.0, sin(y)))
    if x > 708.0:  # in two steps: the power alone would be infinite
        half = exp(x * 0.5)
        return complex(half * cos(y) * half, half * sin(y) * half)
    power = exp(x)
    return complex(power * cos(y), power * sin(y))


def complex_exp2(z):
    return complex_exp(complex(float64(z.real) * _LN2, float64(z.imag) * _LN2))


def complex_expm1(z):
    x, y = float64(z.real), float64(z.imag)
    s = sin(y * 0.5)
    return complex(expm1(x) * cos(y) - 2.0 * s * s, exp(x) * sin(y))


def _length_log(x, y):
    """The logarithm of the length of (x, y), which keeps its digits near 1."""
    a, b = abs(x), abs(y)
    if a < b:
        a, b = b, a
    if a == _INF:
        return a
    if a > _QUARTER_OF_LARGEST or b > _QUARTER_OF_LARGEST:
        return log(hypot(a * 0.5, b * 0.5)) + _LN2
    if a < 1e-290 and a > 0.0:
        return log(hypot(a * 1.2676506002282294e30, b * 1.2676506002282294e30)) - 100.0 * _LN2
    length = hypot(a, b)
    if 0.71 <= length <= 1.73:
        return log1p((a - 1.0) * (a + 1.0) + b * b) * 0.5
    return log(length)


def complex_log(z):
    x, y = float64(z.real), float64(z.imag)
    if abs(x) == _INF or abs(y) == _INF:
        return complex(_INF, arctan2(y, x))
    return complex(_length_log(x, y), arctan2(y, x))


def complex_log1p(z):
    """Kahan's, with the quotient as PyTorch takes it."""
    x, y = float64(z.real), float64(z.imag)
    if x != x or y != y:
        return complex(_NAN, _NAN)
    a = complex(x, y)
    above = complex(x + 1.0, y + 0.0)
    if above.real == 1.0 and above.imag == 0.0:
        return a
    rest = complex(above.real - 1.0, above.imag)
    found = complex_log(above)
    if rest.real == x:
        return found
    return found * (a * complex_reciprocal(rest))


def complex_power(z, n):
    """By the logarithm, each product and each sum rounded."""
    return complex_exp(complex_product(n, complex_log(z)))


def complex_power_by_number(z, n):
    """Roots, squares, cubes and their reciprocals are taken as such."""
    a = complex(float64(z.real), float64(z.imag))
    if n.imag == 0.0:
        if n.real == 0.0:
            return complex(1.0, 0.0)
        if n.real == 1.0:
            return a
        if n.real == 2.0:
            return a * a
        if n.real == 3.0:
            return a * a * a
        if n.real == 0.5:
            return complex_root(a)
        if n.real == -0.5:
            return complex_reciprocal(complex_root(a))
        if n.real == -1.0:
            return complex_reciprocal(a)
        if n.real == -2.0:
            return complex_reciprocal(a * a)
    return complex_power(z, n)


# -- hyperbolic functions, and those of angles by them ------------------------------------------------------------


def complex_sinh(z):
    x, y = float64(z.real), float64(z.imag)
    if y == 0.0:
        return complex(sinh(x), y)
    if not isfinite(y):
        if x == 0.0:
            return complex(x, _NAN)
        return complex(_INF if abs(x) == _INF else _NAN, _NAN)
    if abs(x) == _INF:
        return complex(copysign(_INF, x) * copysign(1.0, cos(y)), copysign(_INF, sin(y)))
    if x == 0.0:
        return complex(copysign(0.0, x * cos(y)), sin(y))
    if abs(x) > 708.0:
        half = exp(abs(x) * 0.5)
        return complex(copysign(half, x) * cos(y) * 0.5 * half, half * sin(y) * 0.5 * half)
    return complex(sinh(x) * cos(y), cosh(x) * sin(y))


def complex_cosh(z):
    x, y = float64(z.real), float64(z.imag)
    if y == 0.0:
        return complex(cosh(x), copysign(0.0, y) * copysign(1.0, x) if x == x else y)
    if not isfinite(y):
        if x == 0.0:
            return complex(_NAN, 0.0)
        return complex(_INF if abs(x) == _INF else _NAN, _NAN)
    if abs(x) == _INF:
        return complex(copysign(_INF, cos(y)), copysign(_INF, x) * copysign(1.0, sin(y)))
    if x == 0.0:
        return complex(cos(y), copysign(0.0, x) * sin(y))
    if abs(x) > 708.0:
        half = exp(abs(x) * 0.5)
        return complex(half * cos(y) * 0.5 * half, copysign(half, x) * sin(y) * 0.5 * half)
    return complex(cosh(x) * cos(y), sinh(x) * sin(y))


def complex_tanh(z):
    x, y = float64(z.real), float64(z.imag)
    if abs(x) == _INF:
        return complex(copysign(1.0, x), copysign(0.0, sin(2.0 * y) if isfinite(y) else y))
    if y == 0.0:
        return complex(tanh(x), y)
    if not isfinite(y):
        return complex(x if x == 0.0 else _NAN, _NAN)
    if abs(x) > 22.0:
        small = exp(-2.0 * abs(x))
        return complex(copysign(1.0, x), 4.0 * sin(y) * cos(y) * small)
    t, u = tan(y), sinh(x)
    beta = 1.0 + t * t
    rho = sqrt(1.0 + u * u)
    denominator = 1.0 + beta * u * u
    return complex(beta * rho * u / denominator, t / denominator)


def complex_sin(z):
    if abs(z.imag) == _INF and not isfinite(z.real):
        return complex(_NAN, _INF)
    turned = complex_sinh(complex(-float64(z.imag), float64(z.real)))
    return complex(turned.imag, -turned.real)


def complex_cos(z):
    return complex_cosh(complex(-float64(z.imag), float64(z.real)))


def complex_tan(z):
    turned = complex_tanh(complex(-float64(z.imag), float64(z.real)))
    return complex(turned.imag, -turned.real)


# -- their inverses -----------------------------------------------------------------------------------------------


def _far(x, y):
    return abs(x) > _QUARTER_OF_LARGEST or abs(y) > _QUARTER_OF_LARGEST


def _far_log(x, y):
    return log(hypot(x * 0.5, y * 0.5)) + 2.0 * _LN2


def complex_acos(z):
    x, y = float64(z.real), float64(z.imag)
    if _far(x, y):
        return complex(arctan2(abs(y), x), -copysign(_far_log(x, y), y))
    if x == 0.0 and y != y:
        return complex(_QUARTER_TURN, y)
    s, t = complex_root(complex(1.0 - x, -y)), complex_root(complex(1.0 + x, y))
    return complex(2.0 * arctan2(s.real, t.real), arcsinh(t.real * s.imag - t.imag * s.real))


def complex_acosh(z):
    x, y = float64(z.real), float64(z.imag)
    if _far(x, y):
        return complex(_far_log(x, y), arctan2(y, x))
    if x == 0.0 and y != y:
        return complex(_NAN, _QUARTER_TURN)
    s, t = complex_root(complex(x - 1.0, y)), complex_root(complex(x + 1.0, y))
    return complex(arcsinh(s.real * t.real + s.imag * t.imag), 2.0 * arctan2(s.imag, t.real))


def complex_asinh(z):
    x, y = float64(z.real), float64(z.imag)
    if _far(x, y):
        return complex(copysign(_far_log(x, y), x), arctan2(y, abs(x)))
    if (y == 0.0 and x != x) or (abs(x) < 1e-150 and abs(y) < 1e-150):
        return complex(x, y)
    s, t = complex_root(complex(1.0 + y, -x)), complex_root(complex(1.0 - y, x))
    return complex(arcsinh(s.real * t.imag - t.real * s.imag), arctan2(y, s.real * t.real - s.imag * t.imag))


def complex_asin(z):
    turned = complex_asinh(complex(-float64(z.imag), float64(z.real)))
    return complex(turned.imag, -turned.real)


def complex_atanh(z):
    x, y = float64(z.real), float64(z.imag)
    mirrored = copysign(1.0, x) < 0.0
    if mirrored:
        x, y = -x, -y
    a = abs(y)
    if abs(x) == _INF or a == _INF:
        re, im = copysign(0.0, x), copysign(_QUARTER_TURN, y) if y == y else y
    elif x != x or y != y:
        re, im = (x if x == 0.0 else _NAN), (y if y == 0.0 and x == x else _NAN)
    elif x > _ROOT_OF_LARGEST or a > _ROOT_OF_LARGEST:
        length = hypot(x * 0.5, a * 0.5)
        re, im = x / 4.0 / length / length, copysign(_QUARTER_TURN, y)
    elif x == 1.0 and a < _ROOT_OF_LEAST:
        if a == 0.0:
            re, im = _INF, y
        else:
            re = -log(sqrt(a) / sqrt(hypot(a, 2.0)))
            im = copysign(arctan2(2.0, -a) / 2.0, y)
    else:
        re = log1p(4.0 * x / ((1.0 - x) * (1.0 - x) + a * a)) / 4.0
        im = -arctan2(-2.0 * y, (1.0 - x) * (1.0 + x) - a * a) / 2.0
    return complex(-re, -im) if mirrored else complex(re, im)


def complex_atan(z):
    turned = complex_atanh(complex(-float64(z.imag), float64(z.real)))
    return complex(turned.imag, -turned.real)
