"""How one number is written in a cell: short enough to be large, and in full where there is room.

>>> short(10.0, "float32"), short(0.1, "float32"), short(True, "bool"), short(1234567.5, "float32")
('10.', '0.1', 'True', '1.23e6')
>>> full(0.1, "float64"), full(1 / 3, "float32"), full(float("nan"), "float32")
('0.1', '0.33333334', 'nan')
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy

__all__ = ["full", "short", "stored"]

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
    return _short_float(value)


def _short_float(value: float) -> str:
    if not math.isfinite(value):
        return str(value)
    size = abs(value)
    if value == int(value) and size < 1e7:
        return f"{int(value)}." if value or math.copysign(1, value) > 0 else "-0."
    if size >= 1e5 or size < 1e-3:
        return _power(value)
    places = 4 if size < 10 else 2
    return f"{value:.{places}f}".rstrip("0")


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
    return _unique(numpy.float32(value) if dtype == "float32" else numpy.float64(value))


def _unique(value: Any) -> str:
    size = abs(float(value))
    if size >= 1e8 or 0 < size < 1e-4:
        return str(numpy.format_float_scientific(value, unique=True, trim="-"))
    return str(numpy.format_float_positional(value, unique=True, trim="." if value == int(value) else "-"))
