"""Sums, products, quotients, remainders, powers; bits; the larger and the smaller; mixtures."""

# The types of the arguments are the compiler's to find.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, no-any-return"

from __future__ import annotations

from numpy import copysign, floor, fmod, hypot, int32, int64, power, sqrt, trunc

from tensorkit.kernels.scalars.complex_numbers import complex_power, complex_power_by_number, complex_quotient
from tensorkit.kernels.scalars.forms import Scalar, of_order, real, whole
from tensorkit.kernels.scalars.halves import to_bfloat16, to_half

# -- sums and products --------------------------------------------------------------------------------------------


def _complex_sum(a, b):
    """PyTorch multiplies by alpha = 1 before it adds, which makes no number of inf + infj."""
    return a + b * complex(real(1), real(0))


def _complex_difference(a, b):
    return a - b * complex(real(1), real(0))


ADD = Scalar("add", lambda a, b: a + b, complex=_complex_sum)
SUBTRACT = Scalar("sub", lambda a, b: a - b, complex=_complex_difference)
ADD_SCALED = Scalar("add", lambda a, b, alpha: a + b * alpha)
SUBTRACT_SCALED = Scalar("sub", lambda a, b, alpha: a - b * alpha)
MULTIPLY = Scalar("mul", lambda a, b: a * b)
NEGATIVE = Scalar("neg", lambda a: -a)


def _length(z):
    return hypot(z.real, z.imag)


ABSOLUTE = Scalar("abs", lambda a: abs(a), complex=_length)
HYPOT = Scalar("hypot", real=lambda a, b: hypot(a, b))


# -- quotients ----------------------------------------------------------------------------------------------------


DIVIDE = Scalar("div", real=lambda a, b: a / b, complex=complex_quotient, wide="complex")
RECIPROCAL = Scalar(
    "reciprocal", real=lambda a: real(1) / a, complex=lambda a: complex_quotient(complex(1.0, 0.0), a)
)


def _whole_cut(a, b):
    """Towards zero. A division by 0 is not an error in a kernel: all bits are set, which is what GPUs leave."""
    if b == 0:
        return ~(b - b)
    if b == -1:
        return whole(0) - a  # the smallest integer has no positive twin, and a processor would stop here
    return _cut(a, b)


def _cut(a, b):
    q = a // b
    return q + whole(1) if q * b != a and (a < 0) != (b < 0) else q


def _whole_down(a, b):
    if b == 0:
        return ~(b - b)
    return whole(0) - a if b == -1 else a // b


def _whole_rest(a, b):
    """With the dividend's sign."""
    if b == 0:
        return a
    return a - a if b == -1 else a - _cut(a, b) * b


def _whole_signed_rest(a, b):
    """With the divisor's sign."""
    if b == 0:
        return a
    return a - a if b == -1 else a - (a // b) * b


def _signed(r, b):
    return r + b if r != 0 and (b < 0) != (r < 0) else r


def _down(a, b):
    """The quotient rounded down, in the steps that PyTorch takes."""
    if b == 0:
        return a / b
    r = fmod(a, b)
    q = (a - r) / b
    q = q - real(1) if r != 0 and (b < 0) != (r < 0) else q
    if q == 0:
        return copysign(real(0), a / b)
    w = floor(q)
    return w + real(1) if q - w > real(0.5) else w


def _half_down(a, b, q, one_less):
    """The same of 16-bit numbers, all steps rounded: the quotient of what is left, and one less than that."""
    if b == 0:
        return a / b
    r = fmod(a, b)
    q = one_less if r != 0 and (b < 0) != (r < 0) else q
    if q == 0:
        return copysign(real(0), a / b)
    w = floor(q)
    return w + real(1) if q - w > real(0.5) else w


def _float16_down(a, b):
    q = to_half(to_half(a - fmod(a, b)) / b)
    return _half_down(a, b, q, to_half(q - real(1)))


def _bfloat16_down(a, b):
    q = to_bfloat16(to_bfloat16(a - fmod(a, b)) / b)
    return _half_down(a, b, q, to_bfloat16(q - real(1)))


CUT_QUOTIENT = Scalar(
    "div",
    whole=_whole_cut,
    real=lambda a, b: trunc(a / b),
    float16=lambda a, b: trunc(to_half(a / b)),
    bfloat16=lambda a, b: trunc(to_bfloat16(a / b)),
)
DOWN_QUOTIENT = Scalar(
    "floor_divide", whole=_whole_down, real=_down, float16=_float16_down, bfloat16=_bfloat16_down
)
REMAINDER = Scalar("remainder", whole=_whole_signed_rest, real=lambda a, b: _signed(fmod(a, b), b))
FMOD = Scalar("fmod", whole=_whole_rest, real=lambda a, b: fmod(a, b))


# -- powers -------------------------------------------------------------------------------------------------------


def _whole_power(a, n):
    """By squaring, wrapping around. C has no fractions of integers: of 1 and -1 alone there are reciprocals."""
    one = whole(1)
    if n < 0:
        if a == 1:
            return one
        if a == -1:
            return whole(0) - one if n & one else one
        return whole(0)
    found = one
    base = a
    left = n
    while left > 0:
        if left & one:
            found = found * base
        base = base * base
        left = left >> one
    return found


def _power_by_number(a, n):
    """Squares, cubes and the reciprocal of a root are taken as such."""
    if n == 2:
        return a * a
    if n == 3:
        return a * a * a
    if n == 0.5:
        return sqrt(a)
    if n == -0.5:
        return real(1) / sqrt(a)
    return power(a, n)


def _truth_power(a, n):
    return a or not n


POWER = Scalar(
    "pow",
    truth=_truth_power,
    whole=_whole_power,
    real=lambda a, n: power(a, n),
    complex=complex_power,
    wide="complex",
)
POWER_BY_NUMBER = Scalar(
    "pow",
    truth=_truth_power,
    whole=_whole_power,
    real=_power_by_number,
    complex=complex_power_by_number,
    wide="complex",
    float16=lambda a, n: sqrt(a) if n == 0.5 else power(a, n),
)


# -- products and quotients added, mixtures, bounds ---------------------------------------------------------------


def _complex_add_product(a, b, c, factor):
    """The factor 1 makes no nan of infinities."""
    return a + (b * c if factor == 1 else factor * b * c)


def _complex_add_quotient(a, b, c, factor):
    return a + complex_quotient(b if factor == 1 else factor * b, c)


ADD_PRODUCT = Scalar("addcmul", lambda a, b, c, factor: a + factor * b * c, complex=_complex_add_product)
ADD_QUOTIENT = Scalar(
    "addcdiv", real=lambda a, b, c, factor: a + factor * b / c, complex=_complex_add_quotient
)


def _mixed(a, b, weight):
    """From the nearer end: then 0 gives the one end and 1 the other to the last bit."""
    gap = b - a
    return a + weight * gap if abs(weight) < real(0.5) else b - gap * (real(1) - weight)


def _complex_mixed(a, b, weight):
    gap = b - a
    if hypot(weight.real, weight.imag) < 0.5:
        return a + weight * gap
    return b - gap * (complex(real(1), real(0)) - weight)


LERP = Scalar("lerp", real=_mixed, complex=_complex_mixed)


def _larger(a, b):
    """The second of two equals, and nan."""
    return a if a > b or a != a else b


def _smaller(a, b):
    return a if a < b or a != a else b


def _clamped(a, low, high):
    """The element stays where the two are equal, as -0.0 and 0 are."""
    return _smaller(high, _larger(low, a))


def _between(a, low, high):
    """The bound is taken where the two are equal, as -0.0 and 0 are."""
    return _smaller(_larger(a, low), high)


MAXIMUM = of_order("maximum", _larger)
MINIMUM = of_order("minimum", _smaller)
FMAX = of_order("fmax", lambda a, b: a if a >= b or b != b else b)
FMIN = of_order("fmin", lambda a, b: a if a <= b or b != b else b)
CLAMP = of_order("clamp", _clamped)
CLAMP_MIN = of_order("clamp_min", lambda a, low: _larger(low, a))
CLAMP_MAX = of_order("clamp_max", lambda a, high: _smaller(high, a))
CLAMP_BETWEEN = of_order("clamp", _between)

#: The same of an element that a number, which is not looked at, has converted.
CONVERTED: dict[object, Scalar] = {
    CLAMP: of_order("clamp", lambda a, zero, low, high: _clamped(a, low, high)),
    CLAMP_MIN: of_order("clamp_min", lambda a, zero, low: _larger(low, a)),
    CLAMP_MAX: of_order("clamp_max", lambda a, zero, high: _smaller(high, a)),
}


# -- bits and divisors of integers --------------------------------------------------------------------------------

AND = Scalar("bitwise_and", truth=lambda a, b: a & b, whole=lambda a, b: a & b)
OR = Scalar("bitwise_or", truth=lambda a, b: a | b, whole=lambda a, b: a | b)
XOR = Scalar("bitwise_xor", truth=lambda a, b: a ^ b, whole=lambda a, b: a ^ b)
INVERT = Scalar("bitwise_not", truth=lambda a: not a, whole=lambda a: ~a)


def _shifted_left(a, b):
    """Everything is shifted out by 64 places, and by fewer than none."""
    return a << b if 0 <= b < 64 else whole(0)


def _shifted_right(a, b):
    return a >> (b if 0 <= b < 64 else whole(63))


LEFT_SHIFT = Scalar("bitwise_left_shift", whole=_shifted_left)
RIGHT_SHIFT = Scalar("bitwise_right_shift", whole=_shifted_right)


def _divisor(a, b):
    """Euclid's: the last remainder that is not 0."""
    while b != 0:
        a, b = b, a - a if b == -1 else a - _cut(a, b) * b
    return abs(a)


def _multiple(a, b):
    common = _divisor(a, b)
    return whole(0) if common == 0 else abs(_cut(a, common) * b)


def _short_multiple(a, b):
    """Wrapped around before its sign is taken away, as C's product of two ints is."""
    common = _divisor(a, b)
    return whole(0) if common == 0 else abs(int64(int32(_cut(a, common) * b)))


GCD = Scalar("gcd", whole=_divisor)
LCM = Scalar("lcm", whole=_multiple, int32=_short_multiple)
