"""The bits of one number in each dtype: which they are, what they mean, and who their neighbours are.

Integers in, Python numbers out, with no library's help: the tests hold every value of 16 bits against NumPy's and
ml_dtypes', and every cast of one against the engine's own.

>>> float32 = FORMATS["float32"]
>>> f"{bits_of(0.1, float32):032b}", written(bits_of(0.1, float32), float32)
('00111101110011001100110011001101', '0.1')
>>> value_of(cast(bits_of(300, FORMATS["int32"]), "int32", "uint8"), FORMATS["uint8"])
44
"""

from __future__ import annotations

import math
import re
import sys
import warnings
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

Number = bool | int | float


@dataclass(frozen=True, slots=True)
class Format:
    """How a dtype spends its bits; ``exponent`` and ``mantissa`` are 0 for what is no float."""

    name: str
    kind: str
    width: int
    exponent: int = 0
    mantissa: int = 0

    @property
    def bias(self) -> int:
        """What is taken from the exponent's bits to get the exponent."""
        return (1 << (self.exponent - 1)) - 1

    @property
    def numpy(self) -> Any:
        """The NumPy dtype that holds it."""
        import ml_dtypes
        import numpy

        return numpy.dtype(ml_dtypes.bfloat16 if self.name == "bfloat16" else self.name)

    @property
    def carrier(self) -> str:
        """The unsigned integers of its width, as which its bits are read, as NumPy writes their dtype."""
        return f"u{self.width // 8}"

    @property
    def low(self) -> int:
        """The smallest integer that it holds."""
        return -(1 << (self.width - 1)) if self.kind == "int" else 0

    @property
    def high(self) -> int:
        """The largest integer that it holds."""
        return (1 << (self.width - (self.kind == "int"))) - 1 if self.kind != "bool" else 1


_ALL = (
    Format("bool", "bool", 8),
    Format("uint8", "uint", 8), Format("int8", "int", 8), Format("int16", "int", 16), Format("int32", "int", 32),
    Format("int64", "int", 64), Format("float16", "float", 16, 5, 10), Format("bfloat16", "float", 16, 8, 7),
    Format("float32", "float", 32, 8, 23), Format("float64", "float", 64, 11, 52),
    Format("uint16", "uint", 16), Format("uint32", "uint", 32), Format("uint64", "uint", 64),
)  # fmt: skip
FORMATS: dict[str, Format] = {format.name: format for format in _ALL}
"""Every dtype whose numbers are one number: complex ones are two."""


def bits_of(value: Number, format: Format) -> int:
    """The bits of a Python number that this dtype holds, rounded as the engine rounds.

    Raises:
        ValueError: for an integer that an integer dtype cannot hold, and for a float in place of one.
    """
    if format.kind != "float":
        if isinstance(value, float) and not value.is_integer():
            raise ValueError(f"{value} is no whole number, and {format.name} holds whole numbers only")
        whole = int(bool(value)) if format.kind == "bool" else int(value)
        if not format.low <= whole <= format.high:
            raise ValueError(f"{whole} does not fit: {format.name} goes from {format.low} to {format.high}")
        return whole & ((1 << format.width) - 1)
    number = _double(value)  # as a Python float goes into a tensor
    if math.isinf(number) or math.isnan(number):
        sign = (math.copysign(1, number) < 0) << (format.width - 1)
        return sign | _infinite(format) | (math.isnan(number) and 1 << (format.mantissa - 1))
    return _rounded(number, format)


def _rounded(number: Number, format: Format) -> int:
    """The bits of a finite number in a floating point dtype: in bfloat16 by way of float32."""
    if format.name == "bfloat16":
        number = value_of(_nearest(number, FORMATS["float32"]), FORMATS["float32"])
        if isinstance(number, float) and math.isinf(number):
            return bits_of(number, format)
    return _nearest(number, format)


def _double(value: Number) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def _infinite(format: Format) -> int:
    """The bits of infinity."""
    return ((1 << format.exponent) - 1) << format.mantissa


def _nearest(number: float | int, format: Format) -> int:
    """The bits of the nearest number of a floating point dtype; of two as near, of the one whose last bit is 0."""
    size = abs(Fraction(number))
    power = size.numerator.bit_length() - size.denominator.bit_length()
    power -= size < Fraction(2) ** power
    lowest = 1 - format.bias  # below it the steps stay as they are
    power = max(power, lowest) if size else lowest
    whole = round(size / Fraction(2) ** (power - format.mantissa))
    # The bit before the mantissa is not stored: it counts the exponent up by one, and so does a mantissa rounded up.
    found = min((power + format.bias - 1 << format.mantissa) + whole, _infinite(format))
    return (math.copysign(1, number) < 0) << (format.width - 1) | found


def value_of(bits: int, format: Format) -> Number:
    """The Python number that the bits mean.

    >>> value_of(0xFF, FORMATS["int8"]), value_of(0x7F80, FORMATS["bfloat16"])
    (-1, inf)
    """
    if format.kind == "bool":
        return bits & 0xFF != 0
    if format.kind != "float":
        return bits - (1 << format.width if format.low and bits >> (format.width - 1) else 0)
    sign, exponent, mantissa = parts(bits, format)
    if exponent == (1 << format.exponent) - 1:
        number = math.nan if mantissa else math.inf
    else:
        whole = mantissa | (exponent > 0) << format.mantissa
        number = math.ldexp(whole, max(exponent, 1) - format.bias - format.mantissa)
    return -number if sign else number


def cast(bits: int, source: str, target: str) -> int:
    """The bits after ``.to(target)``.

    What a float beyond an integer's range becomes is the processor's to say: the engine is asked. Where there is only
    the plain one, it is what most laptops answer.
    """
    if source == target:
        return bits
    origin, format = FORMATS[source], FORMATS[target]
    value = value_of(bits, origin)
    if format.kind == "bool":
        return int(value != 0)
    if format.kind == "float":
        if isinstance(value, float) and not math.isfinite(value):
            return _cast_nan(bits, origin, format) if value != value else bits_of(value, format)
        return _rounded(value, format)
    if isinstance(value, float) and not (
        math.isfinite(value) and format.low <= math.trunc(value) <= format.high
    ):
        engine = sys.modules.get("tensorkit") if "numpy" in sys.modules else None  # a page has a plain one
        asked = getattr(engine, "from_numpy", None)
        value = _beyond(value, format) if asked is None else _asked(asked, bits, origin, format)
    return int(value) & ((1 << format.width) - 1)


def _asked(from_numpy: Any, bits: int, source: Format, target: Format) -> int:
    """What the engine makes of a float that an integer cannot hold."""
    import numpy

    engine = sys.modules["tensorkit"]
    held = from_numpy(numpy.asarray([bits], source.carrier).view(f"i{source.width // 8}"))
    with warnings.catch_warnings(), engine.no_grad():
        warnings.simplefilter("ignore")
        return int(held.view(getattr(engine, source.name)).to(getattr(engine, target.name)).item())


def _beyond(value: float, format: Format) -> int:
    """The lowest integer of those that a processor computes with, of which an integer dtype keeps the lowest bits."""
    if format.name == "uint64" and value >= 1 << 63:
        return int(value) if value < 1 << 64 else 0
    lowest = -(1 << (31 if format.width < 32 or format.name == "int32" else 63))
    return int(value) if math.isfinite(value) and lowest <= value < -lowest else lowest


def _cast_nan(bits: int, source: Format, target: Format) -> int:
    """Not a number stays so, with as much of its mantissa as there is room for, but by way of bfloat16."""
    sign, _, mantissa = parts(bits, source)
    shift = target.mantissa - source.mantissa
    quiet = 1 << (target.mantissa - 1)
    kept = mantissa << shift if shift > 0 else quiet | mantissa >> -shift
    if target.width == 16 and "bfloat16" in (source.name, target.name):
        kept = quiet
    elif target.width == 64 and source.name != "float16":
        kept |= quiet
    return sign << (target.width - 1) | _infinite(target) | kept


def parts(bits: int, format: Format) -> tuple[int, int, int]:
    """Sign, exponent and mantissa of a float, as they stand in the bits."""
    sign = bits >> (format.width - 1) & 1
    return sign, bits >> format.mantissa & ((1 << format.exponent) - 1), bits & ((1 << format.mantissa) - 1)


def exact(bits: int, format: Format) -> Fraction | None:
    """The number as a fraction; None for nan and the infinities."""
    value = value_of(bits, format)
    return None if isinstance(value, float) and not math.isfinite(value) else Fraction(value)


def neighbours(bits: int, format: Format) -> tuple[int | None, int | None]:
    """The bits of the next smaller and the next larger number of this dtype.

    >>> neighbours(bits_of(1.0, FORMATS["float16"]), FORMATS["float16"])
    (15359, 15361)
    """
    if format.kind != "float":
        value = int(value_of(bits, format))
        mask = (1 << format.width) - 1
        low = None if value == format.low else (value - 1) & mask
        return low, None if value == format.high else (value + 1) & mask
    top = 1 << (format.width - 1)
    number, infinite = value_of(bits, format), ((1 << format.exponent) - 1) << format.mantissa
    if number != number:
        return None, None
    if number == 0:
        return top | 1, 1
    place = -(bits & (top - 1)) if bits & top else bits
    found = [p | 0 if p > 0 else top | -p for p in (place - 1, place + 1)]
    found = [0 if f == top else f for f in found]
    return (None if place == -infinite else found[0]), (None if place == infinite else found[1])


# ---- as text


def written(bits: int, format: Format) -> str:
    """The shortest text that is this number of this dtype, and of no neighbour.

    >>> written(bits_of(65504, FORMATS["float16"]), FORMATS["float16"])
    '65500.'
    """
    value = value_of(bits, format)
    if not isinstance(value, float) or not math.isfinite(value):
        return str(value)
    if value == 0:
        return "-0." if math.copysign(1, value) < 0 else "0."
    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        if bits_of(float(text), format) == bits:
            break
    return _plain(text)


def _plain(text: str) -> str:
    number = Decimal(text)
    power = number.adjusted()
    if -5 < power < 16:
        words = f"{number:f}"
        return words if "." in words else f"{words}."
    mantissa, _, exponent = f"{number:e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{int(exponent)}"


def exactly(number: Fraction, most: int = 34) -> str:
    """All decimal digits of a number whose denominator is a power of two, cut where they are more than ``most``."""
    exponent = number.denominator.bit_length() - 1
    digits = f"{abs(number.numerator) * 5**exponent:0{exponent + 1}d}"
    whole, rest = (digits[:-exponent], digits[-exponent:]) if exponent else (digits, "")
    sign = "-" if number < 0 else ""
    lead = len(rest) - len(rest.lstrip("0"))
    if len(whole) > most or (whole == "0" and lead > 4):
        return sign + _scientific(abs(number))
    text = f"{whole}.{rest}".rstrip(".")
    return sign + (text if len(text) <= most else text[:most] + "…")


def _scientific(number: Fraction) -> str:
    return rough(number, 12)


def rough(number: Fraction, digits: int = 3) -> str:
    """A few digits of any fraction, however small or large.

    >>> rough(Fraction(1, 2**149)), rough(Fraction(-1, 4)), rough(Fraction(0))
    ('1.4e-45', '-0.25', '0')
    """
    if number == 0:
        return "0"
    quotient = Decimal(number.numerator) / Decimal(number.denominator)
    text = _plain(f"{quotient:.{digits}g}")
    return text if "e" in text else text.rstrip("0").rstrip(".") if "." in text else text


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def raised(power: int) -> str:
    """A power of two as it is written: 2⁻⁴."""
    return "2" + str(power).translate(_RAISED)


def parse_number(text: str) -> tuple[Number, Fraction | None]:
    """A number as a learner types it, and its exact decimal value. Nothing is evaluated.

    Raises:
        ValueError: for anything but a whole number, a decimal number, True, False, nan, inf or -inf.

    >>> parse_number(" -1_000 "), parse_number("0.1"), parse_number("True"), parse_number("-0")[0]
    ((-1000, Fraction(-1000, 1)), (0.1, Fraction(1, 10)), (True, Fraction(1, 1)), -0.0)
    """
    word = text.strip().replace("−", "-")
    if len(word) <= 60:
        if word in ("True", "False"):
            return word == "True", Fraction(word == "True")
        if re.fullmatch(r"-0+", word):
            return -0.0, Fraction(0)  # a whole number has no negative zero: this is the float's
        try:
            whole = int(word, 0)
            return whole, Fraction(whole)
        except ValueError:
            pass
        try:
            value = float(word)
        except ValueError:
            value = None
        if value is not None:
            decimal = Decimal(word.replace("_", ""))
            small = decimal.is_finite() and abs(decimal.adjusted()) < 400
            return value, Fraction(decimal) if small else None
    shown = word if len(word) <= 30 else f"{word[:30]}…"
    raise ValueError(f"{shown!r} is no number: give one such as 0.1, -3, 1e10, 0b101, True, nan or inf")
