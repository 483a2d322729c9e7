"""Roots, exponentials and logarithms, angles, rounding: of real numbers and, where there is one, of complex ones."""

# The types of the arguments are the compiler's to find.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, no-any-return"

from __future__ import annotations

from numpy import (
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    ceil,
    copysign,
    cos,
    cosh,
    exp,
    exp2,
    expm1,
    float64,
    floor,
    int64,
    log,
    log1p,
    log2,
    log10,
    nextafter,
    rint,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    trunc,
)

from tensorkit.kernels.scalars import complex_numbers as of_complex
from tensorkit.kernels.scalars.complex_numbers import (
    complex_acos,
    complex_acosh,
    complex_exp,
    complex_log,
    complex_log1p,
    complex_quotient,
    complex_reciprocal,
    complex_root,
    complex_sin,
)
from tensorkit.kernels.scalars.forms import Scalar, real

_INF, _NAN = float("inf"), float("nan")
_PI = 3.141592653589793
_LOG2_OF_E, _LOG10_OF_E = 1.4426950408889634, 0.4342944819032518


# -- roots, exponentials, logarithms ------------------------------------------------------------------------------


def _complex_rsqrt(z):
    return complex_reciprocal(complex_root(z))


def _complex_sigmoid(z):
    below = complex_exp(complex(-float64(z.real), -float64(z.imag)))
    return complex_reciprocal(complex(below.real + 1.0, below.imag))


def _complex_log2(z):
    found = complex_log(z)
    return complex(found.real * _LOG2_OF_E, found.imag * _LOG2_OF_E)


def _complex_log10(z):
    found = complex_log(z)
    return complex(found.real * _LOG10_OF_E, found.imag * _LOG10_OF_E)


SQRT = Scalar("sqrt", real=lambda a: sqrt(a), complex=of_complex.complex_root, wide="complex")
RSQRT = Scalar("rsqrt", real=lambda a: real(1) / sqrt(a), complex=_complex_rsqrt, wide="complex")
EXP = Scalar("exp", real=lambda a: exp(a), complex=of_complex.complex_exp, wide="complex")
EXP2 = Scalar("exp2", real=lambda a: exp2(a), complex=of_complex.complex_exp2, wide="complex")
EXPM1 = Scalar("expm1", real=lambda a: expm1(a), complex=of_complex.complex_expm1, wide="complex")
SIGMOID = Scalar(
    "sigmoid", real=lambda a: real(1) / (exp(-a) + real(1)), complex=_complex_sigmoid, wide="complex"
)
LOG = Scalar("log", real=lambda a: log(a), complex=of_complex.complex_log, wide="complex")
LOG2 = Scalar("log2", real=lambda a: log2(a), complex=_complex_log2, wide="complex")
LOG10 = Scalar("log10", real=lambda a: log10(a), complex=_complex_log10, wide="complex")
LOG1P = Scalar("log1p", real=lambda a: log1p(a), complex=complex_log1p, wide="complex")


def _log_of_sum(a, b):
    """log(exp(a) + exp(b)). Equal numbers come first, for inf - inf would be nan."""
    if a == b:
        return a + real(0.6931471805599453)
    gap = a - b
    if gap > 0:
        return a + log1p(exp(-gap))
    if gap <= 0:
        return b + log1p(exp(gap))
    return gap  # nan


def _log2_of_sum(a, b):
    if a == b:
        return a + real(1)
    gap = a - b
    if gap > 0:
        return a + real(_LOG2_OF_E) * log1p(exp2(-gap))
    if gap <= 0:
        return b + real(_LOG2_OF_E) * log1p(exp2(gap))
    return gap


def _complex_log_of_sum(a, b):
    """What the larger one leaves over is small, and keeps its digits."""
    broken, other = a.real != a.real or a.imag != a.imag, b.real != b.real or b.imag != b.imag
    x, y = complex(float64(a.real), float64(a.imag)), complex(float64(b.real), float64(b.imag))
    second = other or (not broken and x.real >= y.real)
    low, high = (y, x) if second else (x, y)
    if broken or other:
        return complex(_NAN, _NAN)
    if abs(low.real) == _INF and low.real == high.real:
        if low.real < 0.0:
            return low
        return complex_log(complex_exp(low) + complex_exp(high))
    return high + complex_log1p(complex_exp(low - high))


LOGADDEXP = Scalar("logaddexp", real=_log_of_sum, complex=_complex_log_of_sum, wide="complex")
LOGADDEXP2 = Scalar("logaddexp2", real=_log2_of_sum)
XLOGY = Scalar("xlogy", real=lambda a, b: real(0) if a == 0 and b == b else a * log(b))
XLOG1PY = Scalar("special_xlog1py", real=lambda a, b: real(0) if a == 0 and b == b else a * log1p(b))


# -- angles -------------------------------------------------------------------------------------------------------

SIN = Scalar("sin", real=lambda a: sin(a), complex=of_complex.complex_sin, wide="complex")
COS = Scalar("cos", real=lambda a: cos(a), complex=of_complex.complex_cos, wide="complex")
TAN = Scalar("tan", real=lambda a: tan(a), complex=of_complex.complex_tan, wide="complex")
ASIN = Scalar("asin", real=lambda a: arcsin(a), complex=of_complex.complex_asin, wide="complex")
ACOS = Scalar("acos", real=lambda a: arccos(a), complex=complex_acos, wide="complex")
ATAN = Scalar("atan", real=lambda a: arctan(a), complex=of_complex.complex_atan, wide="complex")
SINH = Scalar("sinh", real=lambda a: sinh(a), complex=of_complex.complex_sinh, wide="complex")
COSH = Scalar("cosh", real=lambda a: cosh(a), complex=of_complex.complex_cosh, wide="complex")
TANH = Scalar("tanh", real=lambda a: tanh(a), complex=of_complex.complex_tanh, wide="complex")
ASINH = Scalar("asinh", real=lambda a: arcsinh(a), complex=of_complex.complex_asinh, wide="complex")
ACOSH = Scalar("acosh", real=lambda a: arccosh(a), complex=complex_acosh, wide="complex")
ATANH = Scalar("atanh", real=lambda a: arctanh(a), complex=of_complex.complex_atanh, wide="complex")
ATAN2 = Scalar("atan2", real=lambda a, b: arctan2(a, b))


def _sinc(a):
    angle = a * real(_PI)
    return real(1) if a == 0 else sin(angle) / angle


def _complex_sinc(z):
    if z.real == 0 and z.imag == 0:
        return complex(1.0, 0.0)
    a = z * complex(real(_PI), real(0))
    return complex_quotient(complex_sin(a), a)


SINC = Scalar("sinc", real=_sinc, complex=_complex_sinc)


def _half_turn(a):
    return a if a != a else real(_PI) if a < 0 else real(0)


ANGLE = Scalar("angle", real=_half_turn, complex=lambda z: arctan2(z.imag, z.real))
COMPLEX = Scalar("complex", real=lambda a, b: complex(a, b))
POLAR = Scalar("polar", real=lambda a, b: complex(a * cos(b), a * sin(b)))
CONJUGATE = Scalar("conj_physical", lambda a: a, complex=lambda z: complex(z.real, -z.imag))


# -- rounding -----------------------------------------------------------------------------------------------------


def _same(a):
    return a


def _rounded_down_to(a, scale):
    return rint(a / scale) * scale


CEIL = Scalar("ceil", whole=_same, real=lambda a: ceil(a))
FLOOR = Scalar("floor", whole=_same, real=lambda a: floor(a))
TRUNC = Scalar("trunc", whole=_same, real=lambda a: trunc(a))
FRAC = Scalar("frac", real=lambda a: a - trunc(a))
ROUND = Scalar("round", whole=_same, real=lambda a: rint(a))
ROUND_TO = Scalar("round", real=lambda a, scale: rint(a * scale) / scale)
ROUND_DOWN_TO = Scalar("round", real=_rounded_down_to)


# -- parts of a number --------------------------------------------------------------------------------------------


def _is_endless(x):
    """Whether it has no parts: 0, an infinity, or no number."""
    return x == 0.0 or not abs(x) < _INF


def _exponent(a):
    """A number below the normal ones is lifted first."""
    x = float64(abs(a))
    if _is_endless(x):
        return int64(0)
    lift = int64(0)
    if x < 2.2250738585072014e-308:
        x, lift = x * 18014398509481984.0, int64(54)
    return ((float64(x).view(int64) >> int64(52)) & int64(0x7FF)) - int64(1022) - lift


def _power_of_two(n):
    return int64((n + int64(1023)) << int64(52)).view(float64)


def _scaled(a, n):
    """In four steps: a power of two may be out of range though the product is not."""
    n = int64(-2200.0 if n < -2200 else 2200.0 if n > 2200 else float64(n))
    quarter = n >> int64(2)
    step = _power_of_two(quarter)
    last = _power_of_two(n - quarter - quarter - quarter)
    return float64(a) * step * step * step * last


def _mantissa(a):
    x = float64(a)
    return x if _is_endless(x) else _scaled(x, -_exponent(x))


LDEXP = Scalar("ldexp", real=_scaled, wide="real")
EXPONENT = Scalar("frexp", real=_exponent, wide="real")
MANTISSA = Scalar("frexp", real=_mantissa, wide="real")
COPYSIGN = Scalar("copysign", real=lambda a, b: copysign(a, b))


def _following(a, b):
    return b if a == b else nextafter(a, b)


def _following_half(a, b, least, digits):
    """In steps of float16 or bfloat16, whose smallest exponent and number of digits these are."""
    if a == b or a != a or b != b:
        return b if a == b else a + b
    away = (b > a) == (a > 0)
    if a == 0:
        away = True
    size = float64(abs(a))
    if size == _INF:
        return copysign((2.0 - _scaled(1.0, int64(1) - digits)) * _scaled(1.0, int64(1) - least), a)
    exponent = _exponent(size) - int64(1)
    exponent = least if exponent < least or size == 0.0 else exponent
    step = _scaled(1.0, exponent + int64(1) - digits)
    if not away and exponent > least and size == _scaled(1.0, exponent):
        step = step * 0.5
    found = size + step if away else size - step
    return copysign(found, b if a == 0 else a)


NEXTAFTER = Scalar(
    "nextafter",
    real=_following,
    float16=lambda a, b: _following_half(a, b, int64(-14), int64(11)),
    bfloat16=lambda a, b: _following_half(a, b, int64(-126), int64(8)),
)
