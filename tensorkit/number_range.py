"""Which numbers a dtype can hold, and PyTorch's words for those that it cannot."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.dtypes import dtype

_C_NAMES = {
    "complex64": "c10::complex<float>",
    "uint8": "uint8_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int",
    "int64": "int64_t",
}


_FLOAT32_MAX = float(numpy.finfo(numpy.float32).max)
_LARGEST = {dtypes.float32: _FLOAT32_MAX, dtypes.complex64: _FLOAT32_MAX}
_LARGEST_OF_HALVES = {dtypes.float16: 65504.0, dtypes.bfloat16: 2.0**128 - 2.0**120}
_HALVES = {dtypes.float16: "c10::Half", dtypes.bfloat16: "c10::BFloat16"}


def _fits(value: Any, kind: dtype, narrow: bool) -> bool:
    """Whether PyTorch converts a number to a dtype without calling it an overflow."""
    most = _LARGEST.get(kind) or (_LARGEST_OF_HALVES.get(kind) if narrow else None)
    if most is not None:
        parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
        if any(most < abs(part) < math.inf for part in parts):
            return False
    if isinstance(value, complex):
        return kind.is_complex or kind.category == 0 or value.imag == 0
    if kind.category != 1:
        return True
    info = numpy.iinfo(kind.numpy)
    if isinstance(value, float):
        return info.min <= value <= float(info.max)  # as doubles; False for what is not a number
    # An unsigned type takes the negative numbers whose magnitude it can hold: C wraps them around.
    low = -info.max if not kind.is_signed else info.min
    return bool(low <= int(value) <= info.max)


def check_range(value: Any) -> None:
    """Refuse an integer that 64 bits cannot hold, which PyTorch does before it looks at anything else."""
    if (wrong := no_number(value)) is not None:
        raise wrong


def no_number(value: Any) -> OverflowError | None:
    """PyTorch's error for an integer that 64 bits cannot hold; None for every other value."""
    if not isinstance(value, int) or -(2**63) <= value < 2**64:
        return None
    return OverflowError("int too big to convert" if value > 0 else "can't convert negative int to unsigned")


def check_number(value: Any, kind: dtype, *, narrow: bool = False) -> None:
    """Refuse a number that a dtype cannot hold, in PyTorch's words.

    Args:
        narrow: whether PyTorch makes it a number of 16 bits at once, and not of a double that may become infinite.
    """
    check_range(value)
    if not _fits(value, kind, narrow):
        label = _C_NAMES.get(kind.name) or (_HALVES.get(kind) if narrow else None)
        label = label or ("float" if kind is dtypes.float32 else "double")
        raise RuntimeError(f"value cannot be converted to type {label} without overflow")


def as_double(value: Any) -> Any:
    """A number of Python's as a C++ double would have it: without an imaginary part, which has to be 0.

    Raises:
        RuntimeError: for an imaginary part.
        OverflowError: for an integer that 64 bits cannot hold.
    """
    if value.__class__ is complex:
        check_number(value, dtypes.float64)
        return value.real
    check_range(value)
    return value


#: Between which bounds a number of Python's is held by a dtype without a question.
_HELD: dict[tuple[type, dtype], tuple[float, float]] = {
    (float, dtypes.float32): (-_FLOAT32_MAX, _FLOAT32_MAX),
    (float, dtypes.float64): (-math.inf, math.inf),
    **{
        (int, kind): (-127, 127)
        for kind in (dtypes.float32, dtypes.float64, dtypes.int64, dtypes.int32, dtypes.int16, dtypes.int8)
    },
}


def holds(kind: dtype, value: Any) -> bool:
    """Whether a value is a number of Python's that a dtype holds without a question."""
    bounds = _HELD.get((value.__class__, kind))
    return bounds is not None and bounds[0] <= value <= bounds[1]
