"""Shortcuts of sorting and searching: some hundreds of elements of the common dtypes."""

from __future__ import annotations

import functools
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.dispatch.shortcut import shortcut
from tensorkit.elementwise.plan import brief
from tensorkit.kernels.cpu import mask_compiled
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Array, Tensor, fresh, fresh_strided

_DTYPES_WITH_LOOPS = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.bool)
_INT64 = numpy.dtype(numpy.int64)


@functools.lru_cache(64)
def _columns(count: int, ndim: int) -> Layout:
    """The layout of the indices of some elements."""
    return Layout((count, ndim), (1, count))


def _in_columns(found: tuple[Array, ...]) -> Tensor:
    """What NumPy's `nonzero` gives, as PyTorch's does."""
    count, ndim = len(found[0]), len(found)
    if count > 1:
        return fresh_strided(numpy.array(found).T, dtypes.int64)
    if count:  # NumPy would have strides of its own
        place = numpy.array([row.item() for row in found], _INT64)
        made = numpy.ndarray((1, ndim), _INT64, place, 0, (8, 8))
    else:
        made = numpy.ndarray((0, ndim), _INT64, None, 0, (8, 0))
    out = fresh(made, dtypes.int64)
    out._layout, out._solid = _columns(count, ndim), False
    return out


@shortcut("nonzero", buys="t.nonzero()")
def nonzero_of_few(input: Any = None, *more: Any) -> Tensor | None:
    """The places in a tensor of some hundreds of elements; None for all others."""
    array = brief(input, _DTYPES_WITH_LOOPS) if input.__class__ is Tensor and not more else None
    if array is None:
        return None
    rows = mask_compiled.places(array)
    if rows is None or rows.shape[1] < 2:
        return _in_columns(array.nonzero())
    ndim, count = rows.shape
    made = fresh(rows.T, dtypes.int64)
    made._layout, made._solid = _columns(count, ndim), False
    return made
