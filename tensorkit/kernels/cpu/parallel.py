"""What large arrays are given to: compiled loops over their rows, on several threads.

Each function answers where there is such a loop and it is compiled; otherwise it returns None (or False), and the
caller goes on with NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cpu import loops, softmax_compiled
from tensorkit.kernels.jit import rowwise
from tensorkit.kernels.jit.compiler import Loop
from tensorkit.kernels.jit.threads import spread
from tensorkit.kernels.sizes import LARGE, LOOPS, PIECE, SMALL

Array = numpy.ndarray[Any, Any]


def found(loop: Loop, size: int) -> Any:
    """The compiled loop, if there is one: where there are few elements it must be wanted often."""
    return loop.compiled() if size >= LARGE else loop.often()


def _grain(rows: int, size: int) -> int:
    """How many rows make a piece of work."""
    return max(1, PIECE * rows // max(1, size))


def _matrices(axis: int, *arrays: Array) -> list[Array] | None:
    """Arrays as matrices along whose last dimension `axis` lies; None where that would take copies."""
    if arrays[0].ndim == 1:
        return [array.reshape(1, -1) for array in arrays]
    if arrays[0].ndim == 2:
        return list(arrays) if axis == 1 else [array.T for array in arrays]
    if axis != arrays[0].ndim - 1 or not all(array.flags.c_contiguous for array in arrays):
        return None
    return [array.reshape(-1, array.shape[-1]) for array in arrays]


def softmax(array: Array, axis: int, logarithm: bool) -> Array | None:
    """The softmax of each row of float32 numbers, or of a copy of few elements, or its logarithm."""
    short = array.ndim and array.shape[-1] <= softmax_compiled.SIDE_BY_SIDE
    given = _rows_of_single(
        array, axis, softmax_compiled.softmax_of_short if short else softmax_compiled.softmax
    )
    if given is None:
        return None
    fast, source, step = given
    out = numpy.empty(array.shape, numpy.float32)
    target, columns = out.reshape(-1), array.shape[-1]
    count = array.size // columns
    if array.size <= SMALL:
        fast(source, step, target, count, columns, logarithm)
        return out

    def piece(i: int, j: int) -> None:
        rows, apart = (source[i * step :], step) if step else (_laid_out(array[i:j]), columns)
        fast(rows, apart, target[i * columns :], j - i, columns, logarithm)

    grain = _grain(count, array.size)
    spread(piece, count, grain, 0 if step else grain)
    return out


def softmax_of_some(array: Array, axis: int, logarithm: bool) -> Array | None:
    """`softmax` of the rows of some hundreds of elements, by a loop without further arguments."""
    if array.dtype.char != "f" or axis != array.ndim - 1:
        return None
    fast = softmax_compiled.softmax_of_some.ready or softmax_compiled.softmax_of_some.often()
    if fast is None:
        return None
    out: Array = numpy.empty(array.shape, array.dtype)
    rows, target = array if array.flags.carray else array.copy(), out
    if array.ndim != 2:
        columns = array.shape[-1]
        rows, target = rows.reshape(-1, columns), out.reshape(-1, columns)
    fast(rows, target, logarithm)
    return out


def log_softmax_back(g: Array, logarithms: Array, axis: int) -> Array | None:
    """The gradient of the logarithm of `softmax`, along rows of float32 numbers that lie one after the other."""
    if axis != g.ndim - 1 or any(one.dtype.char != "f" or not one.flags.carray for one in (g, logarithms)):
        return None
    fast = found(softmax_compiled.log_softmax_back, g.size)
    if fast is None or not g.size:
        return None
    out: Array = numpy.empty(g.shape, g.dtype)
    rows = [one.reshape(-1, g.shape[-1]) for one in (g, logarithms, out)]
    if g.size <= SMALL:
        fast(*rows)
        return out

    def piece(first: int, last: int) -> None:
        fast(*(one[first:last] for one in rows))

    spread(piece, len(rows[0]), _grain(len(rows[0]), g.size), 0)
    return out


def _laid_out(rows: Array) -> Array:
    """A piece of a matrix as one row of memory."""
    return rowwise.in_row_major(rows).reshape(-1)


def log_sums(array: Array, axis: int) -> Array | None:
    """The logarithm of the sum of the exponentials of each row of float32 numbers, of many."""
    given = _rows_of_single(array, axis, softmax_compiled.log_sums) if array.size >= LARGE else None
    if given is None:
        return None
    fast, source, step = given
    out = numpy.empty(array.shape[:-1], numpy.float32)
    target, columns = out.reshape(-1), array.shape[-1]

    def piece(i: int, j: int) -> None:
        rows, apart = (source[i * step :], step) if step else (_laid_out(array[i:j]), columns)
        fast(rows, apart, target[i:j], columns)

    grain = _grain(target.size, array.size)
    spread(piece, target.size, grain, 0 if step else grain)
    return out


def _rows_of_single(array: Array, axis: int, loop: Loop) -> tuple[Any, Array, int] | None:
    """A loop for rows of float32 numbers, the memory of the rows, and the step from row to row.

    What does not lie in rows is laid out again where there are few elements. A large matrix is laid out
    piece by piece: then the step is 0.
    """
    if array.size < LOOPS or array.dtype != numpy.float32 or not array.ndim or axis != array.ndim - 1:
        return None
    if not array.flags.carray:
        if array.size <= SMALL:
            array = array.copy()
        elif array.ndim != 2:
            return None
    fast = found(loop, array.size)
    if fast is None:
        return None
    if not (array.flags.behaved and rowwise.in_rows(array)):
        return fast, array, 0
    if array.flags.c_contiguous:
        return fast, array.reshape(-1), array.shape[-1]
    return fast, *rowwise.as_row(array)


#: Along the rows, and down the columns of dense rows.
_RUNNING: dict[Any, tuple[Loop, Loop]] = {
    numpy.add: (loops.running_sum, loops.sums_down),
    numpy.multiply: (loops.running_product, loops.products_down),
}


def running(ufunc: Any, array: Array, axis: int) -> Array | None:
    """Running sums or products of floating point numbers."""
    loops = _RUNNING.get(ufunc)
    if array.size < LOOPS or array.dtype.char not in "fd" or loops is None or not array.flags.behaved:
        return None
    if array.ndim == 2 and axis == 0 and array.size > SMALL and rowwise.in_rows(array):
        return _down(loops[1], array)
    fast, out = found(loops[0], array.size), numpy.empty(array.shape, array.dtype)
    if fast is not None and array.ndim == 2 and array.size <= SMALL:
        fast(array, out) if axis else fast(array.T, out.T)
        return out
    pair = _matrices(axis, array, out)
    if fast is None or pair is None:
        return None
    source, target = pair
    spread(lambda i, j: fast(source[i:j], target[i:j]), len(source), _grain(len(source), source.size))
    return out


def _down(loop: Loop, array: Array) -> Array | None:
    """Running sums or products down the columns of a matrix whose rows are dense."""
    fast = found(loop, array.size)
    if fast is None:
        return None
    (rows, columns), out = array.shape, numpy.empty(array.shape, array.dtype)
    (source, step), target = rowwise.as_row(array), out.reshape(-1)

    def piece(i: int, j: int) -> None:
        fast(source[i:], step, target[i:], columns, rows, j - i)

    spread(piece, columns, max(16, _grain(columns, array.size)))
    return out


BITS = {size: numpy.dtype(f"u{size}") for size in (1, 2, 4, 8)}


def row_products(rows: Array) -> Array | None:
    """The product of each row of a row-major matrix of floating point numbers."""
    if rows.size < LOOPS or rows.dtype.char not in "fd" or not rows.flags.carray:
        return None
    fast = found(loops.row_products, rows.size)
    if fast is None:
        return None
    count, width = rows.shape
    flat, out = rows.reshape(-1), numpy.empty(count, rows.dtype)
    spread(lambda i, j: fast(flat[i * width :], width, out[i:j]), count, _grain(count, rows.size))
    return out


def gathered(array: Array, index: Array, axis: int) -> Array | None:
    """The elements that an index names along one dimension; in the other it may be smaller.

    None also where it is not within bounds.
    """
    if index.size < LOOPS or array.itemsize > 8 or array.ndim != 2 or index.dtype != numpy.int64:
        return None
    if not (array.flags.behaved and index.flags.behaved):
        return None
    fast = found(loops.gather_last if axis else loops.gather_first, index.size)
    if fast is None:
        return None
    bits = BITS[array.itemsize]
    out = numpy.empty(index.shape, array.dtype)
    source, target = array.view(bits), out.view(bits)
    if index.size <= SMALL:
        return out if fast(source, index, target) else None
    rows, fine = len(index), []

    def piece(i: int, j: int) -> None:
        fine.append(fast(source[i:j] if axis else source, index[i:j], target[i:j]))

    spread(piece, rows, _grain(rows, index.size))
    return out if all(fine) else None


def within(places: Array, many: int) -> bool:
    """Whether all of the numbers are at least 0 and less than `many`."""
    row = places.T if places.flags.f_contiguous else places
    if places.size >= LARGE and places.dtype == numpy.int64 and row.flags.carray:
        fast = loops.within.compiled()
        if fast is not None:
            flat, fine = row.reshape(-1), []
            spread(lambda i, j: fine.append(fast(flat[i:j], many)), flat.size, PIECE)
            return all(fine)
    return not places.size or bool(places.min() >= 0 and places.max() < many)


def scatter_added(target: Array, index: Array, axis: int, values: Any) -> bool:
    """Add values where an index, within bounds, points along one dimension, one after the other."""
    if target.ndim == index.ndim == 1:  # a matrix of one row
        along = values[None] if values.__class__ is numpy.ndarray and values.ndim else values
        return scatter_added(target[None], index[None], 1, along)
    if index.size < LOOPS or target.dtype.char not in "fdl" or target.ndim != 2 or index.dtype != numpy.int64:
        return False
    alike = values.__class__ is numpy.ndarray and values.shape == index.shape
    given = values if alike else numpy.broadcast_to(values, index.shape).copy()
    fast = found(loops.scatter_add_last if axis else loops.scatter_add_first, index.size)
    if fast is None or given.dtype != target.dtype or not given.flags.behaved or not index.flags.behaved:
        return False
    if numpy.may_share_memory(target, given):
        return False
    if index.size <= SMALL:
        fast(target, index, given)
        return True
    along = 1 - axis  # where it is cut, no two pieces meet in an element

    def piece(i: int, j: int) -> None:
        cut = (slice(i, j), slice(None)) if axis else (slice(None), slice(i, j))
        fast(target[cut], index[cut], given[cut])

    spread(piece, index.shape[along], _grain(index.shape[along], index.size))
    return True


def add_rows(target: Array, places: Array, values: Array) -> bool:
    """Add a row of values to the row that each index names; it may count from the end."""
    if (
        values.size < LOOPS
        or target.dtype.char not in "fdl"
        or target.ndim != 2
        or values.dtype != target.dtype
    ):
        return False
    fast = found(loops.index_add, values.size)
    if fast is None or numpy.may_share_memory(target, values):
        return False
    where = places.reshape(-1).astype(numpy.int64, copy=False)
    where = numpy.where(where < 0, where + len(target), where)
    rows = numpy.ascontiguousarray(values.reshape(-1, target.shape[1]))
    if not target.flags.c_contiguous or not rows.flags.behaved:
        return False
    width = target.shape[1]
    whole, given = target.reshape(-1), rows.reshape(-1)
    spread(
        lambda i, j: fast(whole, width, where, given, width, i, j), width, max(64, _grain(width, rows.size))
    )
    return True


_REDUCED = (numpy.maximum.reduce, numpy.minimum.reduce)


def by_slices(function: Any, array: Array, axis: int, kind: Any) -> Array:
    """What `numpy.argmax` or a ufunc's ``reduce`` finds along a dimension, on several threads; call it by `quiet`.

    Args:
        kind: the dtype of what it finds.
    """
    others = [d for d in range(array.ndim) if d != axis]
    if array.size < LARGE or not others:
        return numpy.asarray(function(array, axis=axis), kind)
    cut = max(others, key=lambda d: (abs(array.strides[d]), array.shape[d]))
    if abs(array.strides[cut]) < abs(array.strides[axis]):
        return _by_parts(function, array, axis, kind)
    out = numpy.empty([array.shape[d] for d in others], kind)

    def piece(i: int, j: int) -> None:
        part = function(array[(slice(None),) * cut + (slice(i, j),)], axis=axis)
        out[(slice(None),) * others.index(cut) + (slice(i, j),)] = part

    spread(piece, array.shape[cut], _grain(array.shape[cut], array.size))
    return out


def _by_parts(function: Any, array: Array, axis: int, kind: Any) -> Array:
    """The same where the elements of a slice lie far apart: of parts of all slices, and then of the parts."""
    many, parts = array.shape[axis], 2 if array.size < 16 * LARGE else 8
    if array.size < 4 * LARGE or many < 2 * parts or function not in _REDUCED:
        return numpy.asarray(function(array, axis=axis), kind)
    found = numpy.empty((parts, *array.shape[:axis], *array.shape[axis + 1 :]), kind)
    edges = [many * part // parts for part in range(parts + 1)]

    def piece(i: int, j: int) -> None:
        for part in range(i, j):
            where = (slice(None),) * axis + (slice(edges[part], edges[part + 1]),)
            found[part] = function(array[where], axis=axis)

    spread(piece, parts, 1)
    return numpy.asarray(function(found, axis=0), kind)


def counted(places: Array, least: int) -> Array | None:
    """How often each number occurs among int64 numbers, none of which is less than 0: `least` counts or more."""
    if places.size < LOOPS or places.dtype != numpy.int64 or not places.flags.behaved:
        return None
    fast = found(loops.count, places.size)
    if fast is None:
        return None
    out = numpy.zeros(max(least, int(places.max()) + 1), numpy.int64)
    fast(places, out)
    return out


def backwards(array: Array, axis: int, out: Array) -> bool:
    """Write the elements of a row or a matrix into `out` in reverse order along a dimension in which they are dense."""
    if array.size < LOOPS or array.itemsize > 8 or not 0 < array.ndim <= 2:
        return False
    if array.ndim == 1:
        array, out, axis = array[None], out[None], 1
    if axis == 0:
        array, out = array.T, out.T
    if not (array.flags.behaved and rowwise.in_rows(array) and rowwise.in_rows(out)):
        return False
    fast = found(loops.backwards, array.size)
    if fast is None:
        return False
    bits = BITS[array.itemsize]
    (source, step), (target, apart) = (rowwise.as_row(one.view(bits)) for one in (array, out))
    rows, columns = array.shape
    spread(
        lambda i, j: fast(source[i * step :], step, target[i * apart :], apart, j - i, columns),
        rows,
        _grain(rows, array.size),
    )
    return True


def triangle(array: Array, diagonal: int, out: Array, lower: bool) -> bool:
    """Write a triangle of a matrix into `out`, and zeros elsewhere."""
    if array.size < LOOPS or array.itemsize > 8 or not (array.flags.behaved and out.flags.behaved):
        return False
    fast = found(loops.triangle, array.size)
    if fast is None:
        return False
    bits = BITS[array.itemsize]
    source, target = array.view(bits), out.view(bits)

    def piece(i: int, j: int) -> None:
        fast(source[i:j], target[i:j], i + diagonal, lower)

    spread(piece, len(array), _grain(len(array), array.size))
    return True
