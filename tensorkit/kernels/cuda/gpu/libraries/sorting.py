"""Sorts, and what is read of sorted rows: the last axis, by CuPy's stable sort, nan behind all numbers."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cuda.gpu.libraries.place import Refused

Pair = tuple[Any, Any]


def _rows(cupy: Any, array: Any, dim: int) -> Any:
    """An array with the axis to sort at the end; truth values as whole numbers."""
    if array.dtype.kind == "c" and array.ndim:
        raise Refused
    if array.dtype.kind == "b":
        array = array.astype(numpy.uint8)
    return cupy.moveaxis(array.reshape(1) if not array.ndim else array, dim, -1)


def _order(cupy: Any, rows: Any, descending: bool) -> Any:
    """Which element comes next; equal ones stay in order, in descending order too, where nan comes first."""
    if not descending:
        return cupy.argsort(rows, axis=-1)
    turned = cupy.ascontiguousarray(rows[..., ::-1])
    return rows.shape[-1] - 1 - cupy.argsort(turned, axis=-1)[..., ::-1]


def _picked(cupy: Any, rows: Any, places: Any, array: Any, dim: int) -> Pair:
    """The elements at some places of each row, and the places, with the axis back where it was."""
    values = cupy.take_along_axis(rows, places, -1)
    if not array.ndim:
        return values.reshape(()), places.reshape(())
    return cupy.moveaxis(values, -1, dim), cupy.moveaxis(places, -1, dim)


def sort(cupy: Any, input: Any, dim: int, descending: bool) -> Pair:
    """All elements of each row in order, and where they were."""
    rows = _rows(cupy, input, dim)
    return _picked(cupy, rows, _order(cupy, rows, bool(descending)), input, dim)


def argsort(cupy: Any, input: Any, dim: int, descending: bool) -> Any:
    """Where the elements of each row were before they were in order."""
    return sort(cupy, input, dim, descending)[1]


def topk(cupy: Any, input: Any, k: int, dim: int, largest: bool) -> Pair:
    """The first few elements of each row in order."""
    if not input.ndim:
        return input, cupy.zeros((), numpy.int64)
    rows = _rows(cupy, input, dim)
    return _picked(cupy, rows, _order(cupy, rows, bool(largest))[..., :k], input, dim)


def _one(cupy: Any, rows: Any, places: Any, input: Any, dim: int, keepdim: bool) -> Pair:
    """One element of each row, with its place."""
    values, found = _picked(cupy, rows, places, input, dim)
    if keepdim or not input.ndim:
        return values, found
    shape = tuple(n for axis, n in enumerate(input.shape) if axis != dim % input.ndim)
    return values.reshape(shape), found.reshape(shape)


def kthvalue(cupy: Any, input: Any, k: int, dim: int, keepdim: bool) -> Pair:
    """The k-th smallest element of each row."""
    rows = _rows(cupy, input, dim)
    return _one(cupy, rows, _order(cupy, rows, False)[..., k - 1 : k], input, dim, keepdim)


def median(cupy: Any, input: Any, dim: int | None, keepdim: bool, *, ignore: bool) -> Any:
    """The lower of the elements in the middle of each row; with a nan in it nan, unless that is ignored."""
    if dim is None:
        if not input.size:
            if input.dtype.kind != "f":
                raise Refused
            return cupy.full((), numpy.nan, input.dtype)
        return median(cupy, input.reshape(-1), 0, False, ignore=ignore)[0]
    rows = _rows(cupy, input, dim)
    if input.dtype.kind == "b":
        raise Refused
    lost = cupy.count_nonzero(rows != rows, axis=-1)[..., None]
    count = rows.shape[-1]
    if ignore:
        place = cupy.maximum((count - lost - 1) // 2, 0)
    else:  # the first nan, behind all numbers
        place = cupy.where(lost > 0, count - lost, (count - 1) // 2)
    places = cupy.take_along_axis(_order(cupy, rows, False), place.astype(numpy.int64), -1)
    return _one(cupy, rows, places, input, dim, keepdim)


def mode(cupy: Any, input: Any, dim: int, keepdim: bool) -> Pair:
    """The most frequent element of each row, of several the smallest, and where it is last."""
    rows = _rows(cupy, input, dim)
    order = _order(cupy, rows, False)
    flat = cupy.take_along_axis(rows, order, -1).reshape(-1, rows.shape[-1])
    length = flat.shape[1]
    begins = flat[:, 1:] != flat[:, :-1]
    run = cupy.zeros(flat.shape, numpy.int64)
    run[:, 1:] = cupy.cumsum(begins, axis=1)
    whole = run + length * cupy.arange(len(flat))[:, None]
    counts = cupy.bincount(whole.reshape(-1), minlength=flat.size).reshape(flat.shape)
    ends = cupy.cumsum(counts, axis=1)
    best = cupy.argmax(counts, axis=1)[:, None]
    last = (cupy.take_along_axis(ends, best, 1) - 1).reshape((*rows.shape[:-1], 1))
    return _one(cupy, rows, cupy.take_along_axis(order, last, -1), input, dim, keepdim)
