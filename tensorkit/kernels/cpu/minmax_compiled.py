"""The largest or smallest of some hundreds of numbers along a dimension, compiled: see ``kernels.jit.compiler``.

NumPy needs two microseconds before it compares anything. The loop goes over a matrix row by row, whatever
its strides, and keeps the best so far of each column: no step waits for the one before it.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cpu.strided_2d import ahead, first, stride
from tensorkit.kernels.jit.compiler import loop

Array = numpy.ndarray[Any, Any]
_KINDS = ("f4", "f8", "i4", "i8")


@loop(*(f"b1({k}[:,:],{k}[::1],b1)" for k in _KINDS))
def down(a, out, largest):  # type: ignore[no-untyped-def]
    """The extremes of the columns, nan where there is one; whether none of them is 0."""
    columns, x, step, right, z = a.shape[1], first(a), stride(a, 0), stride(a, 1), first(out)
    for j in range(columns):
        z[j] = x[j * right]
    for _ in range(1, a.shape[0]):
        x = ahead(x, step)
        if right == 1:
            for j in range(columns):
                v, best = x[j], z[j]
                better = v > best if largest else v < best
                z[j] = v if better or v != v else best
        else:
            for j in range(columns):
                v, best = x[j * right], z[j]
                better = v > best if largest else v < best
                z[j] = v if better or v != v else best
    zeros = 0
    for j in range(columns):
        zeros += z[j] == 0
    return zeros == 0


@loop(*(f"void({k}[:,:],{k}[::1],i8[::1],b1)" for k in _KINDS))
def found_down(a, out, places, largest):  # type: ignore[no-untyped-def]
    """The first extremes of the columns, and their rows; the first nan wins."""
    columns, x, step, right = a.shape[1], first(a), stride(a, 0), stride(a, 1)
    z, p = first(out), first(places)
    for j in range(columns):
        z[j], p[j] = x[j * right], 0
    for i in range(1, a.shape[0]):
        x = ahead(x, step)
        for j in range(columns):
            v, best = x[j * right], z[j]
            better = v > best if largest else v < best
            taken = better or (v != v and best == best)
            z[j], p[j] = v if taken else best, i if taken else p[j]


def along(largest: bool, array: Array, axis: int) -> Array | None:
    """The extremes along a dimension of a matrix; None where no loop is for it, or NumPy knows which 0 it is."""
    run = down.ready or down.often() if array.ndim == 2 else None
    if run is None:
        return None
    kind = array.dtype
    out = numpy.empty(array.shape[1 - axis], kind)
    try:
        sure = run(array.T if axis else array, out, largest)
    except TypeError:
        return None  # another dtype, or memory that is only read, which is another type to Numba
    return out if sure or kind.kind != "f" else None


def chosen(largest: bool, array: Array, axis: int) -> tuple[Array, Array] | None:
    """The first extremes along a dimension of a matrix, and where they are; None where no loop is for it."""
    run = found_down.ready or found_down.often() if array.ndim == 2 else None
    if run is None:
        return None
    many = array.shape[1 - axis]
    out, places = numpy.empty(many, array.dtype), numpy.empty(many, numpy.int64)
    try:
        run(array.T if axis else array, out, places, largest)
    except TypeError:
        return None
    return out, places
