"""What a mask chooses, by compiled loops: the elements, their places, and one number written over them.

NumPy and PyTorch ask of each element whether it is chosen, and a processor that guesses wrong every other time loses
twenty steps; these loops write every element and go on to the next slot only where it was chosen.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cpu.parallel import (
    BITS,
    found,
)
from tensorkit.kernels.jit.compiler import Loop, loop
from tensorkit.kernels.jit.rowwise import as_row, in_rows
from tensorkit.kernels.jit.threads import spread
from tensorkit.kernels.sizes import LOOPS, PIECE

Array = numpy.ndarray[Any, Any]

_ANY = ("u1", "u2", "u4", "u8")
_ASIDE = 1 << 12  # the selection of this many elements is collected first, then appended to the result


@loop(*(f"void(b1[::1],i8,{kind}[::1],i8,i8,i8,{kind})" for kind in _ANY))
def _fill(m, sm, out, so, rows, columns, value):  # type: ignore[no-untyped-def]
    for i in range(rows):
        x, y = m[i * sm : i * sm + columns], out[i * so : i * so + columns]
        for j in range(columns):
            y[j] = value if x[j] else y[j]


@loop(*(f"void(b1[:,:],{kind}[:,:],{kind}[::1])" for kind in _ANY))
def _chosen(m, a, out):  # type: ignore[no-untyped-def]
    rows, columns = m.shape
    kept, done = numpy.empty(_ASIDE, a.dtype), 0
    for i in range(rows):
        for first in range(0, columns, _ASIDE):
            count = 0
            for j in range(first, min(columns, first + _ASIDE)):
                kept[count] = a[i, j]
                count += m[i, j]
            for k in range(count):
                out[done + k] = kept[k]
            done += count


@loop("void(b1[:,:],i8[:,::1])")
def _places(m, out):  # type: ignore[no-untyped-def]
    rows, columns = m.shape
    lines = out.shape[0] > 1
    kept, done = numpy.empty(min(_ASIDE, columns), numpy.int64), 0
    for i in range(rows):
        for first in range(0, columns, _ASIDE):
            count = 0
            for j in range(first, min(columns, first + _ASIDE)):
                kept[count] = j
                count += m[i, j]
            if lines:
                for k in range(count):
                    out[0, done + k] = i
                    out[1, done + k] = kept[k]
            else:
                for k in range(count):
                    out[0, done + k] = kept[k]
            done += count


def _matrix(array: Array, *others: Array) -> tuple[Array, ...] | None:
    """Arrays of one size as matrices, row by row; None where that would take copies."""
    arrays = (array, *others)
    for one in arrays:
        if not one.flags.behaved:
            return None
    if array.ndim == 2:
        return arrays
    if array.ndim == 1 or all(one.flags.c_contiguous for one in arrays):
        return tuple(one.reshape(1, -1) for one in arrays)
    return None


def _loop(one: Loop, mask: Array) -> Any:
    return None if mask.size < LOOPS else found(one, mask.size)


def fill(target: Array, mask: Array, number: Array) -> bool:
    """Write a number, a 0-d array of the target's dtype, where a mask of its size is true; False: nothing was done."""
    fast = _loop(_fill, mask) if mask.shape == target.shape and target.itemsize <= 8 else None
    if fast is None or not (mask.flags.behaved and target.flags.behaved):
        return False
    bits = BITS[target.itemsize]
    value = number.view(bits)[()]
    if target.flags.c_contiguous and mask.flags.c_contiguous:
        flat, truths = target.view(bits).reshape(-1), mask.reshape(-1)
        spread(lambda i, j: fast(truths[i:j], 0, flat[i:j], 0, 1, j - i, value), flat.size, PIECE)
        return True
    if target.ndim == 2 and not in_rows(target):  # in whatever order: the one in which it lies
        target, mask = target.T, mask.T
    if target.ndim != 2 or not in_rows(target):
        return False
    rows, columns = target.shape
    flat, step = as_row(target.view(bits))
    truths, apart = as_row(mask if in_rows(mask) else numpy.ascontiguousarray(mask))

    def piece(i: int, j: int) -> None:
        fast(truths[i * apart :], apart, flat[i * step :], step, j - i, columns, value)

    spread(piece, rows, max(1, PIECE // columns))
    return True


def chosen(array: Array, mask: Array) -> Array | None:
    """The elements for which a mask of the same size is true, row by row."""
    fast = _loop(_chosen, mask) if mask.shape == array.shape and array.itemsize <= 8 else None
    pair = _matrix(mask, array)
    if fast is None or pair is None:
        return None
    out = numpy.empty(int(numpy.count_nonzero(mask)), array.dtype)
    bits = BITS[array.itemsize]
    fast(pair[0], pair[1].view(bits), out.view(bits))
    return out


def places(array: Array) -> Array | None:
    """Where elements are not zero, row by row: a row of indices for each dimension."""
    if array.size < LOOPS or not array.ndim:
        return None
    fast = _places.ready or found(_places, array.size)
    if fast is None:
        return None
    mask = array if array.dtype.char == "?" else array != 0
    wide = mask.ndim == 2
    if not wide or not mask.flags.behaved:
        pair = _matrix(mask)
        if pair is None:
            return None
        mask = pair[0]
    out = numpy.empty((2 if wide else 1, int(numpy.count_nonzero(mask))), numpy.int64)
    fast(mask, out)
    return out if array.ndim < 3 else numpy.array(numpy.unravel_index(out[0], array.shape))
