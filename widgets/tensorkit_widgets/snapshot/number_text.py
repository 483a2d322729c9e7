"""How one number is written in a cell: short enough to be large, and in full where there is room.

>>> short(10.0, "float32"), short(0.1, "float32"), short(True, "bool"), short(1234567.5, "float32")
('10.', '0.1', 'True', '1.23e6')
>>> full(0.1, "float64"), full(1 / 3, "float32"), full(float("nan"), "float32")
('0.1', '0.33333334', 'nan')
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from decimal import Decimal

Number = bool | int | float | complex

_PLACES = {"float16": 4, "bfloat16": 3}


def short(value: Number, dtype: str) -> str:
    """At most seven or so characters; floats keep their point, as in printed tensors."""
    if isinstance(value, complex):
        imaginary = short(value.imag, dtype)
        return short(value.real, dtype) + ("" if imaginary.startswith("-") else "+") + imaginary + "j"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        if abs(value) < 10_000_000:
            return str(value)
        return _power(float(value) if abs(value) < 1 << 1000 else Decimal(value))  # beyond every float
    if not math.isfinite(value):
        return str(value)
    size = abs(value)
    if value == int(value) and size < 1e7:
        return f"{int(value)}." if value or math.copysign(1, value) > 0 else "-0."
    if size >= 1e5 or size < 1e-3:
        return _power(value)
    places = 4 if size < 10 else 2
    return f"{value:.{places}f}".rstrip("0")


def texts(values: Iterable[Number], dtype: str) -> list[str]:
    """Many numbers, each at most seven or so characters.

    >>> texts([10.0, 0.1], "float32")
    ['10.', '0.1']
    """
    return [short(value, dtype) for value in values]


def _power(value: float | Decimal) -> str:
    mantissa, power = f"{value:.2e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}"


def stored(value: Number, dtype: str, turned: str) -> str:
    """What is stored for an element of a view that shows conjugates or negatives (``turned``); empty for any other.

    >>> stored(-2.0, "float32", "negatives"), stored(1 - 2j, "complex64", "conjugates")
    ('2.', '1.+2.j')
    """
    if "conjugates" in turned and isinstance(value, complex):
        value = value.conjugate()
    return full(-value if "negatives" in turned else value, dtype) if turned else ""


def full(value: Number, dtype: str) -> str:
    """The shortest text that reads back as the same number of that dtype."""
    if isinstance(value, complex):
        half = {"complex64": "float32"}.get(dtype, "float64")
        imaginary = full(value.imag, half)
        return full(value.real, half) + ("" if imaginary.startswith("-") else "+") + imaginary + "j"
    if isinstance(value, bool | int):
        return str(value)
    if not math.isfinite(value):
        return str(value)
    if dtype in _PLACES:
        return f"{value:.{_PLACES[dtype]}g}" + ("." if value == int(value) and abs(value) < 1e3 else "")
    exact = _as_float32(value) if dtype == "float32" else value
    digits = _shortest(exact) if dtype == "float32" else Decimal(repr(exact))
    if abs(exact) >= 1e8 or 0 < abs(exact) < 1e-4:
        mantissa, power = f"{digits.normalize():e}".split("e")
        return f"{mantissa}e{int(power):+03d}"
    text = f"{digits:f}"
    return f"{text.rstrip('0')}" if "." in text else f"{text}."


def _shortest(value: float) -> Decimal:
    """The fewest digits that lead to this float32 and to no other."""
    for digits in range(9):
        nearest = Decimal(f"{value:.{digits}e}")
        # Below a power of two the floats lie closer, so the nearest decimal may miss where one further from 0 does not.
        further = nearest + Decimal((nearest.is_signed(), (1,), int(nearest.as_tuple().exponent)))
        for found in (nearest, further):
            if _as_float32(float(found)) == value:
                return found
    return nearest


def _as_float32(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:  # rounded up beyond the largest
        return math.copysign(math.inf, value)


def exact_texts(values: Iterable[Number], dtype: str) -> list[str]:
    """Many numbers, each the shortest text that reads back as the same number.

    >>> exact_texts([0.1, 2.0], "float64")
    ['0.1', '2.']
    """
    return [full(value, dtype) for value in values]


def size_text(size: Sequence[int]) -> str:
    """A tuple as Python writes it.

    >>> size_text((3,)), size_text((2, 2))
    ('(3,)', '(2, 2)')
    """
    return "(" + ", ".join(map(str, size)) + ("," if len(size) == 1 else "") + ")"


def whole_number(text: str) -> int | None:
    """The number that one to nine digits are; None for all else, such as ``"²"``, which `str.isdigit` takes for one.

    >>> whole_number("12"), whole_number("²"), whole_number("-1"), whole_number("1" * 5000)
    (12, None, None, None)
    """
    return int(text) if len(text) < 10 and text.isascii() and text.isdigit() else None
