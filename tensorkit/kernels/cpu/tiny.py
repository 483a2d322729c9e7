"""Reductions of a few elements, where a call of NumPy's own takes longer than the arithmetic.

``numpy.add.reduce`` needs more than a microsecond before it adds anything; a product with ones needs half of one, and
`argmax` a third. All take row-major arrays of 1 to `TINY` elements, and are called through `quiet`.
"""

from __future__ import annotations

import functools
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import accumulate
from math import exp, isfinite, log, nan, sqrt
from operator import add, mul
from typing import Any

import numpy

from tensorkit.kernels.cpu.sums import sum_compiled, sum_in_order
from tensorkit.kernels.sizes import SMALL, TINY

Array = numpy.ndarray[Any, Any]


@functools.lru_cache(1024)
def _ones(count: int, kind: numpy.dtype[Any]) -> Array:
    return numpy.ones(count, kind)


def _sum(array: Array) -> Any:
    return array.ravel().dot(_ones(array.size, array.dtype))


def total(array: Array) -> Array:
    """The sum of all floating point elements.

    >>> total(numpy.array([[1.0, 2.0], [3.0, 4.0]]))
    array(10.)
    """
    if array.dtype.char == "f":
        return sum_in_order.total(array)
    return numpy.array(_sum(array), array.dtype)


def sums(array: Array, axis: int) -> Array:
    """The sums along a dimension of a matrix of floating point numbers, or of a row."""
    if array.dtype.char == "f" and axis == array.ndim - 1:
        return sum_in_order.row_totals(array.reshape(-1, array.shape[-1])).reshape(array.shape[:-1])
    if axis == 0 and array.ndim == 2:
        return _ones(array.shape[0], array.dtype).dot(array)  # type: ignore[no-any-return]
    if array.ndim < 3 and axis == array.ndim - 1:
        return numpy.asarray(array.dot(_ones(array.shape[-1], array.dtype)))
    return numpy.asarray(numpy.add.reduce(array, axis))


def brief_sum(array: Array, axis: int | None) -> Array | None:
    """The sum of up to `SMALL` floating point numbers, of all or along a dimension; float32 in float64.

    None where NumPy has no short way.
    """
    single = array.dtype.char == "f"
    if single and axis is None and array.flags.forc:
        return sum_in_order.total(array)
    if single and axis == array.ndim - 1 and array.flags.c_contiguous:
        return sum_in_order.row_totals(array.reshape(-1, array.shape[-1])).reshape(array.shape[:-1])
    if single and (found := sum_compiled.added(array, axis)) is not None:
        return found
    if axis is None:
        if array.flags.c_contiguous:
            return numpy.asarray(numpy.add.reduce(array, None))
        if single:
            return numpy.asarray(
                array.astype(_DOUBLE).ravel("K").dot(_ones(array.size, _DOUBLE)), array.dtype
            )
    elif single and array.ndim < 3:
        wide, ones = array.astype(_DOUBLE), _ones(array.shape[axis], _DOUBLE)
        return numpy.asarray(ones.dot(wide) if axis == 0 else wide.dot(ones)).astype(array.dtype)
    elif not single:
        # NumPy keeps the order in which the dimensions lie.
        return numpy.asarray(numpy.add.reduce(array, axis), order="C")
    return None


_DOUBLE = numpy.dtype(numpy.float64)


@functools.lru_cache(1024)
def _starts(shape: tuple[int, ...], axis: int) -> tuple[int, Array]:
    """How far apart neighbours along a dimension lie, and where each of its slices begins, counted in elements."""
    places = numpy.arange(numpy.prod(shape)).reshape(shape)
    step = int(places.strides[axis] // places.itemsize)
    return step, numpy.ascontiguousarray(places.take(0, axis))


def extreme_along(largest: bool, array: Array, axis: int) -> tuple[Array, Array]:
    """The largest or smallest elements along a dimension, and their indices; the first nan wins."""
    indices: Any = array.argmax(axis) if largest else array.argmin(axis)
    if array.ndim == 1:
        return numpy.array(array[indices]), numpy.array(indices)
    step, starts = _starts(array.shape, axis)
    return array.reshape(-1).take(indices + starts if step == 1 else indices * step + starts), indices


def truth(every: bool, array: Array) -> Array:
    """Whether every one of some bools is true, or any."""
    return numpy.array(array.item(array.argmin() if every else array.argmax()))


def each(function: Callable[[float], float], array: Array) -> Array:
    """A function of Python's own numbers, of each element."""
    if array.size == 1:
        return numpy.array(function(array.item()), array.dtype, ndmin=array.ndim)
    if array.ndim == 1:
        return numpy.array(list(map(function, array.tolist())), array.dtype)
    return numpy.array(list(map(function, array.reshape(-1).tolist())), array.dtype).reshape(array.shape)


def sigmoid(array: Array) -> Array:
    """The logistic function of each element, in Python's own numbers.

    Raises:
        OverflowError: where it is 0 to all digits.
    """
    return each(_logistic, array)


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-value))


_LARGEST = float(numpy.finfo(numpy.float32).max)


def spread(array: Array, axis: int | None, correction: int, root: bool) -> Array | None:
    """The variance of float32 numbers, or its root: of all, or along a dimension; None where one is too large."""
    if axis is None or array.ndim == 1:
        groups: Any = [array.reshape(-1).tolist()]
    elif array.ndim == 2:
        groups = array.tolist() if axis else list(zip(*array.tolist(), strict=True))
    else:
        return None
    many = len(groups[0])
    if many <= correction:
        return None
    found = []
    for group in groups:
        centre = sum(group) / many
        total = 0.0
        for value in group:
            apart = value - centre
            total += apart * apart
        if not total <= _LARGEST:  # of a variance that float32 cannot hold, PyTorch says nothing
            return None
        found.append(sqrt(total / (many - correction)) if root else total / (many - correction))
    return numpy.array(
        found[0] if (len(groups) == 1 and array.ndim == 1) or axis is None else found, array.dtype
    )


def brief_spread(array: Array, axis: int | None, correction: int, root: bool) -> Array | None:
    """`spread` of up to `SMALL` float32 numbers, computed in float64; None where one is not finite."""
    many = array.size if axis is None else array.shape[axis]
    if many <= correction or array.ndim > 2:
        return None
    wide, ones = array.astype(_DOUBLE), _ones(many, _DOUBLE)
    if axis is None or array.ndim == 1:
        flat = wide.ravel("K")
        flat -= flat.dot(ones) / many
        total = numpy.asarray(flat.dot(flat))
    else:
        wide -= ones.dot(wide) / many if axis == 0 else (wide.dot(ones) / many)[:, None]
        wide *= wide
        total = ones.dot(wide) if axis == 0 else wide.dot(ones)
    if not isfinite(numpy.add.reduce(total, None)):
        return None
    total = total / (many - correction)
    return numpy.asarray(numpy.sqrt(total) if root else total, array.dtype)


def running(product: bool, array: Array, axis: int) -> Array | None:
    """The sums or products so far along a dimension of a row or a matrix, rounded once each."""
    if array.size == 1:
        return numpy.array(array.item() if product else array.item() + 0, array.dtype, ndmin=array.ndim)
    join = mul if product else add
    if axis == array.ndim - 1:
        rows = [array.tolist()] if array.ndim == 1 else array.tolist() if array.ndim == 2 else None
        if rows is None:
            return None
        if not product:  # the sum of nothing but -0.0 is 0.0
            for row in rows:
                row[0] += 0
        flat = [value for row in rows for value in accumulate(row, join)]
    elif array.ndim == 2:
        rows = array.tolist()
        so_far = flat = rows[0] if product else [value + 0 for value in rows[0]]
        for row in rows[1:]:
            so_far = list(map(join, so_far, row))
            flat = flat + so_far
    else:
        return None
    made = numpy.array(flat, array.dtype)
    return made if array.ndim == 1 else made.reshape(array.shape)


def members(array: Array, others: Array) -> Array:
    """Which elements are among others."""
    known = set(others.reshape(-1).tolist())
    found = numpy.array(list(map(known.__contains__, array.reshape(-1).tolist())))
    return found if array.ndim == 1 else found.reshape(array.shape)


def ordered(array: Array, descending: bool, count: int) -> tuple[Array, Array] | None:
    """The first `count` elements of each row in order, and their indices; None where two are equal, or one is nan."""
    values: list[Any] = []
    indices: list[int] = []
    width = array.shape[-1]
    places = range(width)
    for row in array.tolist() if array.ndim == 2 else array.reshape(-1, width).tolist():
        total = sum(row)
        if len(set(row)) < width or total != total:
            return None
        order = sorted(places, key=row.__getitem__, reverse=descending)
        if count < width:
            order = order[:count]
        indices += order
        values += map(row.__getitem__, order)
    shape = (*array.shape[:-1], count)
    return numpy.array(values, array.dtype).reshape(shape), numpy.array(indices, numpy.int64).reshape(shape)


def gathered(array: Array, index: Array, axis: int) -> Array:
    """What the indices name along a dimension of a matrix.

    Raises:
        IndexError: for an index out of range, or below 0.
    """
    rows, wanted = array.tolist(), index.tolist()
    if min(map(min, wanted)) < 0:
        raise IndexError
    if axis:
        picked = [rows[r][place] for r, line in enumerate(wanted) for place in line]
    else:
        picked = [rows[place][c] for line in wanted for c, place in enumerate(line)]
    return numpy.array(picked, array.dtype).reshape(index.shape)


def add_at(target: Array, places: list[int], values: Array) -> None:
    """Add values to a row-major array's elements, counted row by row, one after the other.

    Raises:
        ValueError: for a sum of integers that 64 bits do not hold.
    """
    # A memoryview gives Python numbers; each sum is rounded when it is written.
    flat = target.reshape(-1).data
    for place, value in zip(places, values.reshape(-1).tolist(), strict=True):
        flat[place] += value


def searched(edges: list[Any], values: Array, right: bool) -> Array | None:
    """For each value its place in a row; None where PyTorch asks the other way about what may be nan."""
    asked = values.reshape(-1).tolist()
    if right:
        found = [bisect_right(edges, value) for value in asked]
    elif (total := sum(edges) + sum(asked)) == total:
        found = [bisect_left(edges, value) for value in asked]
    else:
        return None
    made = numpy.array(found, numpy.int64)
    return made if values.ndim == 1 else made.reshape(values.shape)


def clip(array: Array, low: float, high: float) -> Array:
    """Each element between two bounds; of bounds in the wrong order the second counts; nan stays."""
    return each(lambda v: high if (w := low if v < low else v) > high else w, array)


def _of_one(array: Array, value: float) -> Array:
    """What `softmax` is of one element, whatever that is: but of infinity or nan it is nan."""
    only = array.item()
    return numpy.array(value if isfinite(only) else nan, array.dtype, ndmin=array.ndim)


def softmax(array: Array) -> Array:
    """The exponentials of each row as shares of their sum: in Python's own numbers, which hold more digits.

    Raises:
        OverflowError: where a nan hides the largest element.
    """
    if array.size == 1:
        return _of_one(array, 1.0)
    shares: list[float] = []
    for row in array.tolist() if array.ndim == 2 else array.reshape(-1, array.shape[-1]).tolist():
        top, whole, powers = max(row), 0.0, []
        for value in row:  # a comprehension would be a call
            power = exp(value - top)
            whole += power
            powers.append(power)
        for power in powers:
            shares.append(power / whole)
    made = numpy.array(shares, array.dtype)
    return made if array.ndim == 1 else made.reshape(array.shape)


def log_softmax(array: Array) -> Array:
    """The logarithms of `softmax`."""
    if array.size == 1:
        return _of_one(array, 0.0)
    logs: list[float] = []
    for row in array.tolist() if array.ndim == 2 else array.reshape(-1, array.shape[-1]).tolist():
        top, whole = max(row), 0.0
        for value in row:
            whole += exp(value - top)
        less = log(whole)
        for value in row:
            logs.append(value - top - less)
    made = numpy.array(logs, array.dtype)
    return made if array.ndim == 1 else made.reshape(array.shape)


def within(index: Array, n: int) -> bool:
    """Whether all int64 indices are from 0 to n - 1: read as unsigned numbers, those below 0 are very large."""
    if index.size <= TINY:
        listed = (index if index.ndim == 1 else index.reshape(-1)).tolist()
        return bool(min(listed) >= 0 and max(listed) < n)
    if index.size <= SMALL:  # where the extremes are is found sooner than what they are
        return bool(index.item(index.argmin()) >= 0 and index.item(index.argmax()) < n)
    return bool(numpy.maximum.reduce(index.view(numpy.uint64), None) < n)
