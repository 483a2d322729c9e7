"""Sums of float32 numbers to the last bit as PyTorch's: those that lie side by side, added in its order.

It adds lane by lane: 8 numbers are a vector, four vectors a group. The groups are added up in a cascade of levels: the
first takes 16 of them and hands its sum to the second, that one takes 16 such sums, and so on. Then come the vectors
that made no group, which go to the first of the four, and these to one another; last of all the numbers that made no
vector, and to them the 8 lanes, one by one. Fewer than 8 numbers are vectors of one.

NumPy does it here until the compiled loop is there, in a few calls; both give the same bits. A processor of another
kind than x86 has other vectors, and PyTorch's last digits are others there.

Source: https://github.com/pytorch/pytorch/blob/v2.13.0/aten/src/ATen/native/cpu/SumKernel.cpp
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cpu.sums.sum_in_order_compiled import each_row, whole

Array = numpy.ndarray[Any, Any]
_SINGLE = numpy.dtype(numpy.float32)
#: From this many elements PyTorch gives each thread a part of a sum, and the last digits depend on how many there are.
MOST_ON_ONE_THREAD = 32768 - 1
_LANES = 8
_STEP = 16  # of a level, of fewer than 2²⁰ groups
_add: Any = numpy.add.reduce


def total(array: Array) -> Array:
    """The sum of all elements of a dense array of up to `MOST_ON_ONE_THREAD`, in the order of memory."""
    row = array.ravel("K")
    run = whole.ready or whole.often()
    if run is not None and row.flags.writeable:  # memory that is only read is another type to Numba
        return numpy.array(run(row), _SINGLE)
    return _by_numpy(row[None]).reshape(())


def row_totals(rows: Array) -> Array:
    """The sum of each row of a row-major matrix of up to `MOST_ON_ONE_THREAD` elements."""
    run = each_row.ready or each_row.often()
    if run is None or not rows.flags.writeable:
        return _by_numpy(rows)
    out = numpy.empty(len(rows), _SINGLE)
    run(rows, out)
    return out


def _by_numpy(rows: Array) -> Array:
    count, width = rows.shape
    lanes = _LANES if width >= _LANES else 1
    vectors = width // lanes
    grouped = 4 * (vectors // 4)
    lined = rows[:, : vectors * lanes].reshape(count, vectors, lanes)
    parts = _cascade(lined[:, :grouped].reshape(count, grouped // 4, 4 * lanes)).reshape(count, 4, lanes)
    lane: Array = _add(numpy.concatenate((parts[:, :1], lined[:, grouped:], parts[:, 1:]), axis=1), axis=1)
    if lanes == 1:
        return lane.reshape(count) + _SINGLE.type(0)
    left = numpy.concatenate((rows[:, vectors * lanes :], lane), axis=1)
    return numpy.add.accumulate(left, axis=1)[:, -1] + _SINGLE.type(0)


def _cascade(groups: Array) -> Array:
    """The sums over the second dimension, level by level: what is left of each, and then of these the sum."""
    count, many, wide = groups.shape
    found: Any = None
    while True:
        whole = many - many % _STEP
        left = _add(groups[:, whole:], axis=1)
        found = left if found is None else found + left
        if not whole:
            return found  # type: ignore[no-any-return]
        many = whole // _STEP
        groups = _add(groups[:, :whole].reshape(count, many, _STEP, wide), axis=2)
