"""Shortcuts of sorting and searching: some thousands of elements of the common dtypes."""

from __future__ import annotations

import functools
from operator import le
from typing import Any

import numpy

from tensorkit import dtypes, return_types
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.shortcut import shortcut
from tensorkit.elementwise.plan import brief
from tensorkit.kernels.cpu import gather_compiled, mask_compiled, tiny
from tensorkit.kernels.cpu.sorting import sort_compiled
from tensorkit.kernels.sizes import TINY
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Array, Tensor, fresh, fresh_strided

_NUMBERS = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
_INT64 = numpy.dtype(numpy.int64)

# -- sort, argsort, topk ------------------------------------------------------------------------------------------


def _in_order(
    input: Any, dim: Any, descending: Any, stable: Any = None, count: int | None = None
) -> tuple[Tensor, Tensor] | None:
    """The first `count` elements, or all, of each row in order, and their indices; None for the operation itself."""
    array = brief(input, _NUMBERS) if input.__class__ is Tensor else None
    if array is None or not input._solid or dim.__class__ is not int or dim not in (-1, array.ndim - 1):
        return None
    if descending.__class__ is not bool or not (stable is None or stable.__class__ is bool):
        return None
    many = array.shape[-1] if count is None else count
    if not 0 < many <= array.shape[-1]:
        return None
    found = tiny.ordered(array, descending, many) if array.size <= TINY else None
    if found is None and array.ndim < 3:
        rows = array if array.ndim == 2 else array[None]
        if count is None:
            found = sort_compiled.in_order(rows, descending, bool(stable))
        else:
            found = sort_compiled.choice(rows, many, descending)
        if found is not None and array.ndim == 1:
            found = found[0][0], found[1][0]
    return None if found is None else (fresh(found[0], input._dtype), fresh(found[1], dtypes.int64))


@shortcut("sort", buys="t.sort()", of_values=True)
def sort_of_some(
    input: Any = None, dim: Any = -1, descending: Any = False, *more: Any, stable: Any = None, **others: Any
) -> Any:
    """Rows along the last dimension in order."""
    found = None if more or others else _in_order(input, dim, descending, stable)
    return None if found is None else return_types.sort(found)


@shortcut("argsort", buys="t.argsort(1)", of_values=True)
def argsort_of_some(*args: Any, **kwargs: Any) -> Tensor | None:
    """The same, of which the indices."""
    found = sort_of_some(*args, **kwargs)
    return None if found is None else found[1]


@shortcut("sort", buys="t.sort()")
def sort_unrecorded(input: Any = None, *more: Any) -> Any:
    """The same before the types of the arguments are looked at."""
    return None if wants_grad(input) else sort_of_some(input, *more)


@shortcut("argsort", buys="t.argsort(1)")
def argsort_unrecorded(input: Any = None, *more: Any) -> Tensor | None:
    """The same before the types of the arguments are looked at."""
    return None if wants_grad(input) else argsort_of_some(input, *more)


@shortcut("topk", buys="t.topk(2)", of_values=True)
def topk_of_some(
    input: Any = None,
    k: Any = None,
    dim: Any = -1,
    largest: Any = True,
    sorted: Any = True,
    *more: Any,
    **others: Any,
) -> Any:
    """The k largest or smallest of rows along the last dimension, in order."""
    if more or others or sorted is not True or k.__class__ is not int:
        return None
    found = _in_order(input, dim, largest, count=k)
    return None if found is None else return_types.topk(found)


# -- searchsorted, bucketize, bincount ----------------------------------------------------------------------------


@shortcut("searchsorted", buys="searchsorted, contiguous, 1")
@shortcut("searchsorted", buys="searchsorted, contiguous, 1", of_values=True)
def searchsorted_of_some(
    sorted_sequence: Any = None, input: Any = None, *more: Any, right: Any = False, **others: Any
) -> Tensor | None:
    """The places of some numbers in one row of the same dtype, both row-major."""
    if (
        more
        or others
        or right.__class__ is not bool
        or not sorted_sequence.__class__ is input.__class__ is Tensor
    ):
        return None
    row, asked = brief(sorted_sequence, _NUMBERS), brief(input, _NUMBERS)
    if row is None or asked is None or row.dtype is not asked.dtype or row.ndim != 1 or row.size > TINY:
        return None
    if not (row.flags.c_contiguous and asked.flags.c_contiguous):
        return None  # PyTorch warns of that
    edges = row.tolist()
    if asked.size <= TINY:
        found = tiny.searched(edges, asked, right)
    elif all(map(le, edges, edges[1:])) and edges[0] == edges[0]:
        found = row.searchsorted(asked, "right" if right else "left")
    else:
        return None
    return None if found is None else fresh(found, dtypes.int64)


@shortcut("bucketize", buys="searchsorted, contiguous, 1")
@shortcut("bucketize", buys="searchsorted, contiguous, 1", of_values=True)
def bucketize_of_some(input: Any = None, boundaries: Any = None, *more: Any, **named: Any) -> Tensor | None:
    """The same, its operands the other way round."""
    found: Tensor | None = searchsorted_of_some(boundaries, input, *more, **named)
    return found


@shortcut("bincount", buys="bincount, contiguous, 1,000", of_values=True)
def bincount_of_some(
    input: Any = None, weights: Any = None, minlength: Any = 0, *more: Any, **others: Any
) -> Tensor | None:
    """How often each of some int64 numbers occurs, by a compiled loop."""
    if more or others or weights is not None or minlength.__class__ is not int or minlength < 0:
        return None
    places = brief(input, (dtypes.int64,)) if input.__class__ is Tensor else None
    counts = None if places is None or places.ndim != 1 else gather_compiled.counts(places, minlength)
    return None if counts is None else fresh(counts, dtypes.int64)


# -- nonzero ------------------------------------------------------------------------------------------------------


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
    array = brief(input, (*_NUMBERS, dtypes.bool)) if input.__class__ is Tensor and not more else None
    if array is None:
        return None
    rows = mask_compiled.places(array)
    if rows is None or rows.shape[1] < 2:
        return _in_columns(array.nonzero())
    ndim, count = rows.shape
    made = fresh(rows.T, dtypes.int64)
    made._layout, made._solid = _columns(count, ndim), False
    return made
