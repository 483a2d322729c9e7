"""Sums of many floating point numbers: as fast as memory allows, and as exact as PyTorch's.

``numpy.add.reduce`` is exact along the last dimension alone, and there takes three times as long as need be. Here a sum
is taken block by block, in the order of memory, and then of the blocks, so that no running sum becomes long:
rows by ``einsum``, which adds in many lanes. Call these through `quiet`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit.kernels.cpu import loops, var_compiled
from tensorkit.kernels.jit import rowwise
from tensorkit.kernels.jit.threads import spread
from tensorkit.kernels.sizes import (
    LARGE,
    PIECE,
    SMALL,
    SUM_BLOCK,
    SUM_COMPILED,
    SUM_IN_TWOS,
    SUM_NARROW,
    SUM_ROW,
)

Array = numpy.ndarray[Any, Any]
_JOINED = 512
_SHARES = 8  # so that the sum does not depend on the number of threads
_add: Any = numpy.add.reduce


def _long_rows(rows: Array, squared: bool) -> Array:
    """The sums of long rows, or of their squares: of parts that are no longer than is exact, then of the parts."""
    count, width = rows.shape
    whole = width - width % SUM_ROW
    if count == 1:
        parts = _each_row(rows[:, :whole].reshape(-1, SUM_ROW), squared).reshape(1, -1)
    else:
        parts = numpy.empty((count, whole // SUM_ROW), rows.dtype)
        for part in range(whole // SUM_ROW):
            parts[:, part] = _each_row(rows[:, part * SUM_ROW : (part + 1) * SUM_ROW], squared)
    return _add(parts, axis=1) + _each_row(rows[:, whole:], squared)  # type: ignore[no-any-return]


def _each_row(rows: Array, squared: bool = False) -> Array:
    """The sum of each short row, or of its squares, on several threads."""
    out = numpy.empty(len(rows), rows.dtype)

    def piece(first: int, last: int) -> None:
        part = rows[first:last]
        if squared:
            numpy.vecdot(part, part, out=out[first:last])
        else:
            numpy.einsum("ij->i", part, out=out[first:last])

    spread(piece, len(rows), max(1, PIECE // max(1, rows.shape[1])))
    return out


def _by_lines(rows: Array) -> bool:
    """Whether the compiled loops take a matrix: each row is one line of memory, the next row lies further on."""
    return rows.flags.behaved and rows.strides[1] == rows.itemsize and rows.strides[0] >= 0


def _laid_flat(rows: Array) -> tuple[Array, int]:
    """The memory of a matrix whose rows are dense, as one row, and the step from row to row."""
    return (rows.reshape(-1), rows.shape[1]) if rows.flags.c_contiguous else rowwise.as_row(rows)


def _compiled_rows(rows: Array, squared: bool) -> Array | None:
    """The sum of each row, or of its squares, by a compiled loop; None while there is none, and for others."""
    if rows.dtype != numpy.float32 or rows.size < SUM_COMPILED or not _by_lines(rows):
        return None
    fast = loops.row_sums.compiled()
    if fast is None:
        return None
    count, width = rows.shape
    flat, step = _laid_flat(rows)
    if count > 1 or width < 2 * PIECE:
        out = numpy.empty(count)
        spread(
            lambda i, j: fast(flat[i * step :], step, width, out[i:j], squared),
            count,
            max(1, PIECE // max(1, width)),
        )
        return out.astype(numpy.float32)
    part = width // _SHARES
    out = numpy.empty(_SHARES + 1)
    # A short row's parts go two by two: a thread that comes back for each waits longer than it adds.
    many = 1 if width > SUM_IN_TWOS else 2
    spread(
        lambda i, j: fast(flat[many * i * part :], part, part, out[many * i : many * j], squared),
        _SHARES // many,
        max(1, PIECE // (many * part)),
    )
    fast(flat[part * _SHARES :], 0, width - part * _SHARES, out[_SHARES:], squared)
    return _add(out, keepdims=True).astype(numpy.float32)  # type: ignore[no-any-return]


def row_sums(rows: Array) -> Array:
    """The sum of each row of a matrix whose rows are dense."""
    quick = _compiled_rows(rows, False)
    if quick is not None:
        return quick
    if rows.shape[1] <= SUM_ROW:
        return _each_row(rows)
    return _long_rows(rows, False)


def squares(rows: Array) -> Array:
    """The sum of the squares of each row of a matrix whose rows are dense."""
    quick = _compiled_rows(rows, True)
    if quick is not None:
        return quick
    if rows.shape[1] <= SUM_ROW:
        return _each_row(rows, True)
    return _long_rows(rows, True)


def _compiled_columns(rows: Array) -> Array | None:
    """`column_sums` by a compiled loop, on several threads; None while there is none."""
    if rows.size < LARGE:
        return None
    fast = loops.column_sums.compiled()
    if fast is None or not _by_lines(rows):
        return None
    count, width = rows.shape
    flat, apart = _laid_flat(rows)
    step = max(1, -(-count // _SHARES))
    parts = numpy.empty((-(-count // step), width), numpy.float64)

    def piece(first: int, last: int) -> None:
        for part in range(first, last):
            start = part * step
            fast(flat[start * apart :], apart, min(step, count - start), width, parts[part])

    spread(piece, len(parts), 1)
    return _add(parts, axis=0).astype(numpy.float32)  # type: ignore[no-any-return]


def column_sums(rows: Array) -> Array:
    """The sum of each column of a dense matrix."""
    count, width = rows.shape
    short = _compiled_columns(rows) if rows.dtype == numpy.float32 else None
    if short is not None:
        return short
    if count < SUM_BLOCK:
        return _add(rows, axis=0)  # type: ignore[no-any-return]
    if width < SUM_NARROW:  # several rows as one
        joined = -(-_JOINED // max(1, width))
        whole = count - count % joined
        total = _add(column_sums(rows[:whole].reshape(-1, joined * width)).reshape(joined, width), axis=0)
        return total + _add(rows[whole:], axis=0)  # type: ignore[no-any-return]
    whole = count - count % SUM_BLOCK
    parts = _add(rows[:whole].reshape(-1, SUM_BLOCK, width), axis=1)
    if whole < count:
        parts = numpy.concatenate((parts, _add(rows[whole:], axis=0, keepdims=True)))
    if rows.dtype == numpy.float32:
        return _add(parts, axis=0, dtype=numpy.float64).astype(numpy.float32)  # type: ignore[no-any-return]
    return _add(parts, axis=0)  # type: ignore[no-any-return]


def moments(array: Array, axes: tuple[int, ...], centre: Array) -> tuple[Array, Array] | None:
    """The sums of the differences of float32 numbers from a centre, and of their squares, without an array of them.

    None where there is no compiled loop for it: it takes all dimensions, or the rows of a matrix.

    Args:
        centre: a float32 number for each sum.
    """
    if array.dtype != numpy.float32 or array.size < SUM_COMPILED or not array.size:
        return None
    whole = len(axes) == array.ndim
    if whole:
        array = array.transpose(sorted(range(array.ndim), key=lambda d: -abs(array.strides[d])))
        if array.flags.c_contiguous:
            return _moments_of_all(array.reshape(-1), centre)
    if array.ndim != 2 or not (whole or axes == (1,)) or not _by_lines(array):
        return None
    found = _row_moments(array, numpy.full(len(array), centre.reshape(-1)))
    if found is None:
        return None
    left, total = _add(found, axis=0) if whole else found.T
    return numpy.asarray(left), numpy.asarray(total)


def _row_moments(rows: Array, centres: Array) -> Array | None:
    """Both sums for each row of a matrix whose rows are dense."""
    fast = var_compiled.row_moments.compiled() if _by_lines(rows) else None
    if fast is None:
        return None
    (flat, step), (count, width) = _laid_flat(rows), rows.shape
    out = numpy.empty((count, 2))
    spread(
        lambda i, j: fast(flat[i * step :], step, width, centres[i:j], out[i:j]),
        count,
        max(1, PIECE // max(1, width)),
    )
    return out


def _moments_of_all(row: Array, centre: Array) -> tuple[Array, Array] | None:
    """Both sums for one long row: of parts that do not depend on the number of threads, then of the parts."""
    width = min(PIECE, row.size)
    whole = row.size - row.size % width
    sums = []
    for part in row[:whole].reshape(-1, width), row[whole:].reshape(1, -1):
        found = _row_moments(part, numpy.full(len(part), centre.reshape(-1)))
        if found is None:
            return None
        sums.append(_add(found, axis=0))
    left, total = sums[0] + sums[1]
    return numpy.asarray(left), numpy.asarray(total)


def _of_rows_apart(
    rows: Array, reduced: list[bool], order: list[int], of: Callable[[Array], Array]
) -> Array | None:
    """`sum_along` of a matrix whose rows are dense, but do not follow one another."""
    if rows.ndim != 2 or rows.strides[1] != rows.itemsize or order != [0, 1]:
        return None
    if reduced[1]:
        each = of(rows)
        return numpy.asarray(_add(each)) if reduced[0] else each
    return column_sums(rows) if of is row_sums else None


def sum_along(array: Array, axes: tuple[int, ...], of: Callable[[Array], Array] = row_sums) -> Array | None:
    """The sum (or what `of` finds for a row) over dimensions of a dense array; None where there is no short way."""
    if not array.size or array.size < SMALL or not axes or array.dtype not in (numpy.float32, numpy.float64):
        return None
    order = sorted(range(array.ndim), key=lambda d: -abs(array.strides[d]))
    dense = array.transpose(order)
    if not dense.flags.c_contiguous:
        return _of_rows_apart(dense, [d in axes for d in order], order, of)
    reduced = [d in axes for d in order]
    many = len(axes)
    kept = tuple([n for d, n in enumerate(dense.shape) if not reduced[d]])
    if all(reduced[-many:]):
        values = of(dense.reshape(math.prod(kept), -1))
    elif all(reduced[:many]) and of is row_sums:
        values = column_sums(dense.reshape(-1, math.prod(kept)))
    else:
        return None
    back = [d for d in order if d not in axes]
    return values.reshape(kept).transpose([back.index(d) for d in sorted(back)])
