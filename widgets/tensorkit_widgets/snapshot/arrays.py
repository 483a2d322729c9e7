"""NumPy's arrays, read as `adapter` reads tensors: what they stand on, and their numbers.

NumPy is imported where an array has come, and by then it has been: a page that plays in a browser has no NumPy, and needs
none until it meets an array.

>>> import numpy
>>> is_array(numpy.zeros(3)), is_array([0.0])
(True, False)
>>> bounds(owner_of(numpy.zeros(3)[1:]))[1]
24
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from tensorkit_widgets.snapshot.geometry import Ints, extent

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]


class _Raw:
    """A stretch of NumPy memory by address; holds the owner, so that the memory outlives the reading."""

    def __init__(self, owner: Array, address: int, count: int) -> None:
        dtype = owner.dtype
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, True), "shape": (count * dtype.itemsize,), "typestr": "|u1", "version": 3,
        }  # fmt: skip


def is_array(value: Any) -> bool:
    """Whether a value is an array of NumPy's; NumPy is not imported to find out."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def as_tensor(found: Any) -> Any:
    """What a call gave, as a tensor: where NumPy gives a scalar of its own, an array without dimensions."""
    numpy = sys.modules.get("numpy")
    return numpy.asarray(found) if numpy is not None and isinstance(found, numpy.generic) else found


def has_slots(array: Array) -> bool:
    """Whether the elements of an array are numbers or booleans, which have slots of their own."""
    return array.dtype.kind in "biufc" or array.dtype.name == "bfloat16"


def owner_of(array: Array) -> Array:
    """The array whose memory it is."""
    while is_array(array.base):
        array = array.base  # type: ignore[assignment]
    return array


def bounds(owner: Array) -> tuple[int, int]:
    """The address of the first byte of an array, and how many bytes it spans."""
    import numpy

    low, high = numpy.lib.array_utils.byte_bounds(owner)
    return low, high - low if owner.size else 0


def slots_from(array: Array, start: int, count: int) -> Array:
    """So many slots of an array's storage in one row, from an address on, as they lie in memory; not to be written to."""
    import numpy

    return numpy.asarray(_Raw(owner_of(array), start, count)).view(array.dtype)


def strided(flat: Array, size: Ints, stride: Ints, offset: int) -> Array:
    """A view of a row of slots by size, stride and offset."""
    import numpy

    steps = tuple(s * flat.itemsize for s in stride)
    return numpy.lib.stride_tricks.as_strided(flat[offset:], size, steps)


def numbers(array: Array, start: int, size: Ints, stride: Ints, offset: int) -> Any:
    """Some elements of an array's storage, which begins at the address ``start``, as nested lists of Python's numbers."""
    low, high = extent(size, stride, offset)
    part = strided(slots_from(array, start + low * array.itemsize, high - low), size, stride, offset - low)
    return (part.astype("float32") if part.dtype.name == "bfloat16" else part).tolist()
