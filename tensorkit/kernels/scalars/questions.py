"""Comparisons, truth, what kind of number it is, signs, and one number instead of another."""

# The types of the arguments are the compiler's to find.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, no-any-return"

from __future__ import annotations

from numpy import copysign, float64, hypot

from tensorkit.kernels.scalars.complex_numbers import complex_quotient
from tensorkit.kernels.scalars.forms import Scalar, of_order, real, whole

_INF = float("inf")


# -- comparisons and truth ----------------------------------------------------------------------------------------

EQUAL = Scalar("eq", lambda a, b: a == b)
NOT_EQUAL = Scalar("ne", lambda a, b: a != b)
LESS = of_order("lt", lambda a, b: a < b)
LESS_EQUAL = of_order("le", lambda a, b: a <= b)
GREATER = of_order("gt", lambda a, b: a > b)
GREATER_EQUAL = of_order("ge", lambda a, b: a >= b)

LOGICAL_AND = Scalar("logical_and", lambda a, b: (a != 0) and (b != 0))
LOGICAL_OR = Scalar("logical_or", lambda a, b: (a != 0) or (b != 0))
LOGICAL_XOR = Scalar("logical_xor", lambda a, b: (a != 0) != (b != 0))
LOGICAL_NOT = Scalar("logical_not", lambda a: a == 0)


# -- what kind of number ------------------------------------------------------------------------------------------


def _no(a):
    return False


def _yes(a):
    return True


def _is_inf(a):
    return abs(a) == _INF


def _is_finite(a):
    return abs(a) < _INF


IS_NAN = Scalar("isnan", _no, real=lambda a: a != a, complex=lambda z: z.real != z.real or z.imag != z.imag)
IS_INF = Scalar("isinf", _no, real=_is_inf, complex=lambda z: _is_inf(z.real) or _is_inf(z.imag))
IS_FINITE = Scalar(
    "isfinite", _yes, real=_is_finite, complex=lambda z: _is_finite(z.real) and _is_finite(z.imag)
)
IS_REAL = Scalar("isreal", _yes, complex=lambda z: z.imag == 0)
IS_POSITIVE_INF = Scalar("isposinf", _no, real=lambda a: a == _INF)
IS_NEGATIVE_INF = Scalar("isneginf", _no, real=lambda a: a == -_INF)
SIGNBIT = Scalar("signbit", truth=_no, whole=lambda a: a < 0, real=lambda a: copysign(real(1), a) < 0)


# -- signs --------------------------------------------------------------------------------------------------------


def _sign(a):
    return real(1) if a > 0 else real(-1) if a < 0 else real(0)


def _whole_sign(a):
    return whole(1) if a > 0 else whole(-1) if a < 0 else whole(0)


def _direction(z):
    length = hypot(float64(z.real), float64(z.imag))
    return complex(0.0, 0.0) if length == 0.0 else complex_quotient(z, complex(length, 0.0))


SIGN = Scalar("sgn", truth=lambda a: a, whole=_whole_sign, real=_sign, complex=_direction)
CONJUGATE_NEGATIVE = Scalar("neg", lambda a: -a, complex=lambda z: complex(-z.real, z.imag))


# -- one number for another ---------------------------------------------------------------------------------------

WHERE = Scalar("where", lambda condition, a, b: a if condition else b)
RELU = Scalar("relu", whole=lambda a: whole(0) if a < 0 else a, real=lambda a: real(0) if a < 0 else a)


def _finite(a, nan, high, low):
    return nan if a != a else high if a == _INF else low if a == -_INF else a


def _complex_finite(z, nan, high, low):
    return complex(
        _finite(z.real, nan.real, high.real, low.real), _finite(z.imag, nan.real, high.real, low.real)
    )


NAN_TO_NUM = Scalar("nan_to_num", lambda a, nan, high, low: a, real=_finite, complex=_complex_finite)


def _step(a, b):
    return b if a == 0 else real(1) if a > 0 else real(0)


def _whole_step(a, b):
    return b if a == 0 else whole(1) if a > 0 else whole(0)


HEAVISIDE = Scalar("heaviside", truth=lambda a, b: a or b, whole=_whole_step, real=_step)
