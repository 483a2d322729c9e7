"""Functions of single elements, compiled into loops over rows: see ``kernels.jit.compiler``.

`each` makes such a loop of a function that says what one element becomes. Where a fast way is not always exact, the
function says for each element whether it was, and `otherwise` computes those that were not.

These are functions that NumPy takes in several passes, or one element after the other: C's ``fmod`` divides bit by bit.
Here what is left over of a division is the dividend less the product of the divisor with the quotient that was cut off,
exact to the last bit: of single precision in double, and of double with a product of two parts.

Source: T. J. Dekker, "A floating-point technique for extending the available precision" (1971), for that product.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy

from tensorkit.kernels.cpu.loop_steps import power
from tensorkit.kernels.cpu.loops import error_function
from tensorkit.kernels.jit.compiler import Loop

# -- the mechanism ------------------------------------------------------------------------------------------------


def _element(*values: Any) -> Any:
    """Stands for the function of a loop."""
    raise NotImplementedError


_otherwise = _element


def _of_one(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            y[j] = _element(x[j])


def _of_two(a, sa, b, sb, out, so, rows, columns):  # type: ignore[no-untyped-def]
    for i in range(rows):
        x, y, z = a[i * sa : i * sa + columns], b[i * sb : i * sb + columns], out[i * so : i * so + columns]
        for j in range(columns):
            z[j] = _element(x[j], y[j])


def _of_two_with_care(a, sa, b, sb, out, so, rows, columns):  # type: ignore[no-untyped-def]
    for i in range(rows):
        for first in range(0, columns, 1024):
            many = min(1024, columns - first)
            x, y = a[i * sa + first : i * sa + first + many], b[i * sb + first : i * sb + first + many]
            z, lost = out[i * so + first : i * so + first + many], 0
            for j in range(many):
                value, sure = _element(x[j], y[j])
                z[j] = value
                lost += not sure
            if lost:
                for j in range(many):
                    value, sure = _element(x[j], y[j])
                    if not sure:
                        z[j] = _otherwise(x[j], y[j])


class _Each(Loop):
    """A loop whose body calls a function for every element."""

    def __init__(
        self, body: Callable[..., Any], signatures: tuple[str, ...], uses: dict[str, Callable[..., Any]]
    ) -> None:
        element = uses["_element"]
        # To Numba's cache it is a function of the element's name, in the element's place: each has its own entry.
        code = body.__code__.replace(
            co_filename=element.__code__.co_filename,
            co_firstlineno=element.__code__.co_firstlineno,
            co_name=element.__name__,
            co_qualname=element.__qualname__,
        )
        super().__init__(FunctionType(code, {**element.__globals__, **uses}, element.__name__), signatures)

    def __call__(self, *values: Any) -> Any:
        """What one element becomes, uncompiled."""
        return self.body.__globals__["_element"](*values)


def each(*kinds: str, otherwise: Callable[..., Any] | None = None) -> Callable[[Callable[..., Any]], Loop]:
    """A loop of the form of `rowwise` over a function of one element, for some dtypes.

    Args:
        otherwise: what an element is where the function, which then gives two values, says False by the second.

    >>> @each("f8")
    ... def half(x):
    ...     return x / 2
    >>> half(3.0)
    1.5
    """

    def made(element: Callable[..., Any]) -> Loop:
        inputs = element.__code__.co_argcount
        body = (_of_one, _of_two)[inputs - 1] if otherwise is None else _of_two_with_care
        uses = {"_element": element} | ({} if otherwise is None else {"_otherwise": otherwise})
        signatures = tuple(f"void({f'{kind}[::1],i8,' * (inputs + 1)}i8,i8)" for kind in kinds)
        return _Each(body, signatures, uses)

    return made


# -- quotients ----------------------------------------------------------------------------------------------------


def _endless(x, y):  # type: ignore[no-untyped-def]
    """Whether nothing can be left over: the steps of a division make nan of these too."""
    return y == 0.0 or not abs(x) < math.inf


def _left(a, b):  # type: ignore[no-untyped-def]
    """What is left over of a division in single precision, and whether that is exact."""
    x, y = numpy.float64(a), numpy.float64(b)
    q = numpy.trunc(x / y)
    r = x - q * y
    r = x * 0.0 if r == 0.0 else r  # a zero has the dividend's sign
    return numpy.float32(x if q == 0.0 else r), abs(q) < 268435456.0 or _endless(x, y)


def _wide_left(x, y):  # type: ignore[no-untyped-def]
    """The same in double precision: the quotient may be one too large, since it was rounded before it was cut off."""
    q = numpy.trunc(x / y)
    c = 134217729.0 * q
    q_high = c - (c - q)
    c = 134217729.0 * y
    y_high = c - (c - y)
    q_low, y_low = q - q_high, y - y_high
    p = q * y
    lost = ((p - q_high * y_high) - q_low * y_high - q_high * y_low) - q_low * y_low
    r = (x - p) + lost
    size = abs(y)
    r = r + (size if x > 0.0 else -size) if r != 0.0 and (r < 0.0) != (x < 0.0) else r
    r = x * 0.0 if r == 0.0 else r
    sure = abs(q) < 1125899906842624.0 and size > 1e-250 and size < 1e250
    return (x if q == 0.0 else r), sure or _endless(x, y)


def _fmod(a, b):  # type: ignore[no-untyped-def]
    return numpy.float32(numpy.fmod(numpy.float64(a), numpy.float64(b)))


def _wide_fmod(a, b):  # type: ignore[no-untyped-def]
    return numpy.fmod(a, b)


def _signed(r, b):  # type: ignore[no-untyped-def]
    """What is left over, with the divisor's sign."""
    return r + b if r != 0 and (b < 0) != (r < 0) else r


def _floor(a, b, r, one):  # type: ignore[no-untyped-def]
    """The quotient rounded down, made of what is left over, in the steps that NumPy and PyTorch take."""
    q = (a - r) / b
    q = q - one if r != 0 and (b < 0) != (r < 0) else q
    down = numpy.floor(q)
    down = down + one if q - down > 0.5 else down
    down = a / b * (one - one) if q == 0 else down
    return a / b if b == 0 else down


_ONE, _WIDE_ONE = numpy.float32(1), numpy.float64(1)


@each("f4", otherwise=_fmod)
def rest(a, b):  # type: ignore[no-untyped-def]
    return _left(a, b)


@each("f8", otherwise=_wide_fmod)
def wide_rest(a, b):  # type: ignore[no-untyped-def]
    return _wide_left(a, b)


def _signed_fmod(a, b):  # type: ignore[no-untyped-def]
    return _signed(_fmod(a, b), b)


@each("f4", otherwise=_signed_fmod)
def signed_rest(a, b):  # type: ignore[no-untyped-def]
    r, sure = _left(a, b)
    return _signed(r, b), sure


def _wide_signed_fmod(a, b):  # type: ignore[no-untyped-def]
    return _signed(_wide_fmod(a, b), b)


@each("f8", otherwise=_wide_signed_fmod)
def wide_signed_rest(a, b):  # type: ignore[no-untyped-def]
    r, sure = _wide_left(a, b)
    return _signed(r, b), sure


def _floored(a, b):  # type: ignore[no-untyped-def]
    return _floor(a, b, _fmod(a, b), _ONE)


@each("f4", otherwise=_floored)
def floored(a, b):  # type: ignore[no-untyped-def]
    r, sure = _left(a, b)
    return _floor(a, b, r, _ONE), sure


def _wide_floored(a, b):  # type: ignore[no-untyped-def]
    return _floor(a, b, _wide_fmod(a, b), _WIDE_ONE)


@each("f8", otherwise=_wide_floored)
def wide_floored(a, b):  # type: ignore[no-untyped-def]
    r, sure = _wide_left(a, b)
    return _floor(a, b, r, _WIDE_ONE), sure


@each("f4", "f8")
def cut_quotient(a, b):  # type: ignore[no-untyped-def]
    return numpy.trunc(a / b)


# -- logarithms, in double precision for single --------------------------------------------------------------------


def _twice_artanh(s):  # type: ignore[no-untyped-def]
    """``log((1 + s) / (1 - s))`` of a number up to a third, to eleven digits: its series."""
    z = s * s
    t = 1 / 19 + z * (1 / 21)
    t = 1 / 15 + z * (1 / 17 + z * t)
    t = 1 / 11 + z * (1 / 13 + z * t)
    t = 1 / 7 + z * (1 / 9 + z * t)
    t = 1 / 3 + z * (1 / 5 + z * t)
    return 2 * s * (1 + z * t)


def _natural(x):  # type: ignore[no-untyped-def]
    """The logarithm of a number of single precision, in double: of its exponent and of what is near 1."""
    tiny = x < _LEAST
    bits = numpy.float32(x * _RAISED if tiny else x).view(numpy.int32)
    power = (bits >> numpy.int32(23)) - (numpy.int32(151) if tiny else numpy.int32(127))
    part = numpy.int32((bits & numpy.int32(0x7FFFFF)) | numpy.int32(0x3F800000)).view(numpy.float32)
    large = part > _ROOT_TWO
    part = part * _HALF if large else part
    power = numpy.int32(power + (numpy.int32(1) if large else numpy.int32(0)))
    m = numpy.float64(part)
    s = (m - 1) / (m + 1)
    z = s * s
    t = 1 / 9 + z * (1 / 11 + z * (1 / 13))
    t = 1 / 3 + z * (1 / 5 + z * (1 / 7 + z * t))
    found: Any = numpy.float64(power) * 0.6931471805599453 + (2 * s + 2 * s * z * t)
    found = math.inf if x == _ENDLESS else found
    found = -math.inf if x == 0 else found
    return math.nan if x < 0 or x != x else found


_LEAST, _RAISED = numpy.float32(1.1754943508222875e-38), numpy.float32(16777216)
_ROOT_TWO, _HALF, _ENDLESS = numpy.float32(math.sqrt(2)), numpy.float32(0.5), numpy.float32(math.inf)


@each("f4")
def tenths(x):  # type: ignore[no-untyped-def]
    """The logarithm to base 10."""
    return _natural(x) * 0.4342944819032518


def _small_power(x):  # type: ignore[no-untyped-def]
    """e to the power of a number of no more than 0, to eleven digits; far below, 0."""
    x = -200.0 if x < -200.0 else x
    whole = numpy.floor(x * 1.4426950408889634 + 0.5)
    r = x - whole * 0.6931471805599453
    p = 1 / 362880 + r * (1 / 3628800)
    p = 1 / 5040 + r * (1 / 40320 + r * p)
    p = 1 / 120 + r * (1 / 720 + r * p)
    p = 1 / 6 + r * (1 / 24 + r * p)
    p = 1 + r * (1 + r * (0.5 + r * p))
    n = numpy.int64(numpy.int32(numpy.int32(whole) + numpy.int32(1023)))
    scale = numpy.int64(n << numpy.int64(52)).view(numpy.float64)
    return p * scale


@each("f4")
def exponential_sum(a, b):  # type: ignore[no-untyped-def]
    """The logarithm of the sum of two exponentials."""
    x, y = numpy.float64(a), numpy.float64(b)
    e = _small_power(-abs(x - y))
    high = x if x > y else y
    found = high + _twice_artanh(e / (2 + e))
    found = x + 0.6931471805599453 if x == y else found  # infinities too
    return x + y if x != x or y != y else found


@each("f4")
def rest_of_error(x):  # type: ignore[no-untyped-def]
    """The complement of the error function: a power of e, and the factor that it is multiplied with."""
    z: Any = numpy.float64(abs(x))
    z = 11.0 if z > 11.0 else z
    t = 2 / (2 + z)
    u = t * 2.380952380952381 - 1.380952380952381
    p = _T[9] + u * (_T[10] + u * (_T[11] + u * _T[12]))
    p = _T[5] + u * (_T[6] + u * (_T[7] + u * (_T[8] + u * p)))
    p = _T[1] + u * (_T[2] + u * (_T[3] + u * (_T[4] + u * p)))
    beyond = t * _small_power(_T[0] + u * p - z * z)
    found = 2 - beyond if x < 0 else beyond
    return math.nan if x != x else found


@each("f4")
def gelu(x):  # type: ignore[no-untyped-def]
    """A number times the chance that a standard normal one is smaller."""
    return x * _HALF * (_F(1) + error_function(x * _ROOT_HALF))


@each("f4")
def gelu_slope(x):  # type: ignore[no-untyped-def]
    """The derivative of `gelu`."""
    return _HALF * (_F(1) + error_function(x * _ROOT_HALF)) + x * power(x * x * -_HALF) * _PEAK


_F = numpy.float32
_HALF, _ROOT_HALF, _PEAK = _F(0.5), _F(math.sqrt(0.5)), _F(1 / math.sqrt(2 * math.pi))

#: The logarithm of ``erfc(z) * exp(z * z) / t`` by powers of u, as Chebyshev's points from 0 to 10.5 give it.
_T = (
    -0.56315678559327,
    0.57460997584938,
    0.016716060776702,
    -0.03014770409706,
    -0.0012307674303217,
    0.0038775503045588,
    -0.00026681377030157,
    -0.00058850571543111,
    0.00015220182356978,
    7.6167107981905e-05,
    -4.1518405802396e-05,
    -5.6937060821402e-06,
    5.8331227306411e-06,
)


# -- others -------------------------------------------------------------------------------------------------------


@each("f4", "f8")
def fraction(x):  # type: ignore[no-untyped-def]
    return x - numpy.trunc(x)


@each("f4")
def hypotenuse(a, b):  # type: ignore[no-untyped-def]
    x, y = numpy.float64(a), numpy.float64(b)
    root = numpy.sqrt(x * x + y * y)
    return math.inf if abs(a) == math.inf or abs(b) == math.inf else root


@each("f4")
def following(a, b):  # type: ignore[no-untyped-def]
    """The next number of single precision after one, in the direction of another."""
    bits = numpy.float32(a).view(numpy.int32)
    away = (b > a) == (a > 0)
    stepped = numpy.int32(bits + (numpy.int32(1) if away else numpy.int32(-1)))
    least = numpy.int32(1) if b > 0 else numpy.int32(-2147483647)
    stepped = least if a == 0 else stepped
    found = numpy.int32(stepped).view(numpy.float32)
    found = b if a == b else found
    return a + b if a != a or b != b else found
