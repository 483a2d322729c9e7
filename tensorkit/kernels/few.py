"""Reductions of a few elements, where a call of NumPy's own takes longer than the arithmetic.

``numpy.add.reduce`` needs more than a microsecond before it adds anything; a product with ones needs half of one, and
`argmax` a third. All take row-major arrays of 1 to `FEW` elements, and are called by way of `quiet`.
"""

from __future__ import annotations

import functools
from math import exp, log
from typing import Any

import numpy

__all__ = [
    "FEW",
    "clip",
    "extreme",
    "extreme_along",
    "gathered",
    "log_softmax",
    "mean",
    "means",
    "members",
    "ordered",
    "sigmoid",
    "softmax",
    "sums",
    "total",
    "truth",
]

Array = numpy.ndarray[Any, Any]
FEW = 64


@functools.lru_cache(1024)
def _ones(count: int, kind: numpy.dtype[Any]) -> Array:
    return numpy.ones(count, kind)


def _sum(array: Array) -> Any:
    return array.reshape(-1).dot(_ones(array.size, array.dtype))


def total(array: Array) -> Array:
    """The sum of all floating point elements.

    >>> total(numpy.array([[1.0, 2.0], [3.0, 4.0]]))
    array(10.)
    """
    return numpy.array(_sum(array), array.dtype)


def mean(array: Array) -> Array:
    """The mean of all floating point elements."""
    return numpy.array(float(_sum(array)) / array.size, array.dtype)


def sums(array: Array, axis: int) -> Array:
    """The sums along a dimension of a matrix of floating point numbers, or of a row."""
    if axis == 0 and array.ndim == 2:
        return _ones(array.shape[0], array.dtype).dot(array)  # type: ignore[no-any-return]
    if array.ndim < 3 and axis == array.ndim - 1:
        return numpy.asarray(array.dot(_ones(array.shape[-1], array.dtype)))
    return numpy.asarray(numpy.add.reduce(array, axis))


def means(array: Array, axis: int) -> Array:
    """The means along a dimension."""
    added = sums(array, axis)
    return numpy.true_divide(added, array.shape[axis], added)  # type: ignore[no-any-return]


def extreme(largest: bool, array: Array) -> Array:
    """The largest or the smallest element; nan where there is one.

    >>> extreme(True, numpy.array([1.0, 3.0]))
    array(3.)
    """
    return numpy.array(array.item(array.argmax() if largest else array.argmin()), array.dtype)


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


def sigmoid(array: Array) -> Array:
    """The logistic function of each element, in Python's own numbers.

    Raises:
        OverflowError: where it is 0 to all digits.
    """
    flat = [1 / (1 + exp(-value)) for value in array.reshape(-1).tolist()]
    return numpy.array(flat, array.dtype).reshape(array.shape)


def members(array: Array, others: Array) -> Array:
    """Which elements are among others."""
    known = set(others.reshape(-1).tolist())
    return numpy.array([value in known for value in array.reshape(-1).tolist()]).reshape(array.shape)


def ordered(array: Array, descending: bool, count: int) -> tuple[Array, Array] | None:
    """The first `count` elements of each row in order, and their indices; None where two are equal, or one is nan."""
    values: list[Any] = []
    indices: list[int] = []
    width = array.shape[-1]
    for row in array.tolist() if array.ndim == 2 else array.reshape(-1, width).tolist():
        if len(set(row)) < width or any(value != value for value in row):
            return None
        order = sorted(range(width), key=row.__getitem__, reverse=descending)[:count]
        indices += order
        values += [row[place] for place in order]
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


def clip(array: Array, low: float, high: float) -> Array:
    """Each element between two bounds; of bounds in the wrong order the second counts; nan stays."""
    flat = [
        high if value > high else value
        for value in [low if v < low else v for v in array.reshape(-1).tolist()]
    ]
    return numpy.array(flat, array.dtype).reshape(array.shape)


def softmax(array: Array) -> Array:
    """The exponentials of each row as shares of their sum: in Python's own numbers, which hold more digits.

    Raises:
        OverflowError: where a nan hides the largest element.
    """
    shares: list[float] = []
    for row in array.tolist() if array.ndim == 2 else array.reshape(-1, array.shape[-1]).tolist():
        top = max(row)
        powers = [exp(value - top) for value in row]
        whole = sum(powers)
        shares += [power / whole for power in powers]
    return numpy.array(shares, array.dtype).reshape(array.shape)


def log_softmax(array: Array) -> Array:
    """The logarithms of `softmax`."""
    logs: list[float] = []
    for row in array.tolist() if array.ndim == 2 else array.reshape(-1, array.shape[-1]).tolist():
        top = max(row)
        less = log(sum([exp(value - top) for value in row]))
        logs += [value - top - less for value in row]
    return numpy.array(logs, array.dtype).reshape(array.shape)
