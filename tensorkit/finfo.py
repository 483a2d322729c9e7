"""What the numbers of a dtype can hold: `finfo` for floating point, `iinfo` for integers.

>>> tk.finfo(tk.float32).eps, tk.iinfo(tk.int8).max
(1.1920928955078125e-07, 127)

Source: https://docs.pytorch.org/docs/stable/type_info.html
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy

from tensorkit import dtypes
from tensorkit.dtypes import dtype

_LEFT_OUT: Any = object()


def _checked(name: str, kind: Any) -> dtype:
    if not isinstance(kind, dtype):
        raise TypeError(
            f"{name}(): argument 'type' (position 1) must be tensorkit.dtype, not {type(kind).__name__}"
        )
    return kind


class _Info:
    """What both have in common: the dtype's name, its bits, equality."""

    def __init__(self, kind: dtype) -> None:
        self.dtype: str = kind.name
        self.bits: int = kind.itemsize * 8

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.dtype == self.dtype

    def __hash__(self) -> int:
        raise TypeError(f"unhashable type: 'tensorkit.{type(self).__name__}'")

    def __ne__(self, other: object) -> bool:
        return not self == other


class finfo(_Info):
    """The limits of a floating point dtype; of a complex one, those of its parts.

    Attributes:
        bits: how many bits a number takes. eps: the distance from 1 to the next larger number.
        max, min: the largest and the smallest number.
        tiny, smallest_normal: the smallest positive number with full precision.
        resolution: 10 to the power of minus the number of decimal digits that are kept. dtype: the dtype's name.

    Raises:
        TypeError: for a dtype that is not floating point.

    >>> tk.finfo(tk.float16).max, tk.finfo(tk.bfloat16).eps
    (65504.0, 0.0078125)
    """

    def __init__(self, type: Any = _LEFT_OUT) -> None:
        kind = dtypes.get_default_dtype() if type is _LEFT_OUT else _checked("finfo", type)
        if kind.category < 2:
            raise TypeError(
                "tensorkit.finfo() requires a floating point input type. Use tensorkit.iinfo to handle "
                "'tensorkit.finfo'"
            )
        kind = kind.to_real()
        super().__init__(kind)
        describe: Any = ml_dtypes.finfo
        found = describe(kind.numpy)
        self.eps, self.max, self.min = float(found.eps), float(found.max), float(found.min)
        self.tiny = self.smallest_normal = float(found.smallest_normal)
        self.resolution = float(f"1e-{found.precision}")

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo(_Info):
    """The limits of an integer dtype.

    Attributes:
        bits: how many bits a number takes. max, min: the largest and the smallest number. dtype: the dtype's name.

    Raises:
        TypeError: for a dtype that is not an integer.

    >>> tk.iinfo(tk.uint8).min, tk.iinfo(tk.int64).max
    (0, 9223372036854775807)
    """

    def __init__(self, type: Any = _LEFT_OUT) -> None:
        if type is _LEFT_OUT:
            raise TypeError('iinfo() missing 1 required positional arguments: "type"')
        kind = _checked("iinfo", type)
        if kind.category > 1:
            raise TypeError(
                "tensorkit.iinfo() requires an integer input type. Use tensorkit.finfo to handle 'tensorkit.iinfo'"
            )
        if kind.category == 0:
            raise TypeError("tensorkit.bool is not supported by tensorkit.iinfo")
        super().__init__(kind)
        found = numpy.iinfo(kind.numpy)
        self.max, self.min = int(found.max), int(found.min)

    def __repr__(self) -> str:
        # PyTorch prints them as floating point numbers, and so do we.
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
