"""What a call would give, asked of the library without computing it: the size, strides and dtype of a result.

A picture computes the numbers that it shows, and no others. What it says of the whole result is asked here: of
tensors on the meta device, or, of large arrays, with memory that nobody writes to.

>>> import numpy
>>> meta = promised(numpy.add, numpy.ones((1000, 1)), numpy.ones((1, 1000)))
>>> meta.size, meta.stride, meta.dtype
((1000, 1000), (1000, 1), 'float64')
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

from tensorkit.strides.sizes import broadcast_sizes
from tensorkit_widgets.snapshot.adapter import PLAIN, Buffer, Meta, describe, library_of, quietly

SMALL = 100_000
"""Elements of an array that are computed to see how they are laid out."""

FEW = 4096
"""The same of a plain tensor, which takes microseconds for each."""


def promised(function: Callable[..., Any], *tensors: Any) -> Meta | None:
    """The metadata of ``function(*tensors)``; None where the library cannot tell without computing it.

    Args:
        function: an operation that goes element by element, or of tensors any that has a meta form.
    """
    library = library_of(tensors[0])
    try:
        with quietly(library):
            if library == "numpy":
                return _of_arrays(function, tensors)
            if library == PLAIN:
                return _of_plain(function, tensors)
            made = [_empty(sys.modules[library], tensor) for tensor in tensors]
            found = describe(function(*made))
    except Exception:  # an operation without a meta form, or more memory than there is
        return None
    own = describe(tensors[0])
    nbytes = prod(found.size) * found.itemsize
    return replace(
        found, device=own.device, fault="", slots=prod(found.size), nbytes=nbytes,
        buffer=Buffer(own.device, 0, nbytes),
    )  # fmt: skip


def _empty(library: Any, tensor: Any) -> Any:
    """A tensor of the same layout that holds no number."""
    size, stride = tuple(tensor.size()), tuple(tensor.stride())
    return library.empty_strided(size, stride, dtype=tensor.dtype, device="meta")


def _of_plain(function: Callable[..., Any], tensors: tuple[Any, ...]) -> Meta | None:
    """A plain tensor has no meta form: a small result is made."""
    size = broadcast_sizes(*(describe(tensor).size for tensor in tensors))
    return describe(function(*tensors)) if prod(size) <= FEW else None


def _of_arrays(function: Callable[..., Any], arrays: tuple[Any, ...]) -> Meta:
    """NumPy has no meta arrays: a small result is made; of a large one only the memory is, which nobody writes to."""
    import numpy

    size = numpy.broadcast_shapes(*(array.shape for array in arrays))
    if prod(size) <= SMALL:
        return describe(numpy.asarray(function(*arrays)))
    dtype = numpy.asarray(function(*(numpy.zeros((1,) * array.ndim, array.dtype) for array in arrays))).dtype
    flags: Any = [["readonly"]] * len(arrays) + [["writeonly", "allocate"]]
    made = numpy.nditer([*arrays, None], [], flags, op_dtypes=[None] * len(arrays) + [dtype], order="K")
    return describe(made.operands[-1])
