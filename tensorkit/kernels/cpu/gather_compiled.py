"""Some hundreds of numbers read or added up where indices say, by compiled loops: see ``kernels.jit.compiler``.

Each index is looked at when its turn comes, not all of them before: an array that is half done when an index
turns out to be out of range was never handed out.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cpu.loops import count, gather_first, gather_last
from tensorkit.kernels.jit.compiler import Loop, loop
from tensorkit.kernels.sizes import COUNTED_IN_A_TABLE

Array = numpy.ndarray[Any, Any]
_ADDED = ("f4", "f8", "i8")


# -- the loops: whether all indices were in range -----------------------------------------------------------------


@loop(*(f"b1({k}[:,:],i8[:,:],{k}[:,:],b1)" for k in _ADDED))
def _add_at(out, index, values, across):  # type: ignore[no-untyped-def]
    many = numpy.uint64(out.shape[1] if across else out.shape[0])
    for i in range(index.shape[0]):
        for j in range(index.shape[1]):
            place = numpy.uint64(index[i, j])
            if place >= many:
                return False
            if across:
                out[i, place] += values[i, j]
            else:
                out[place, j] += values[i, j]
    return True


@loop(*(f"b1({k}[:,:],i8[:],{k}[:,:])" for k in _ADDED))
def _add_rows(out, index, values):  # type: ignore[no-untyped-def]
    many = numpy.uint64(out.shape[0])
    for i in range(len(index)):
        place = numpy.uint64(index[i])
        if place >= many:
            return False
        for j in range(out.shape[1]):
            out[place, j] += values[i, j]
    return True


@loop("i8(i8[:])")
def largest(places):  # type: ignore[no-untyped-def]
    """The largest of some numbers; -1 if one is below 0."""
    most = numpy.uint64(0)
    for place in places:
        most = max(most, numpy.uint64(place))
    return max(numpy.int64(most), -1)


# -- how they are called ------------------------------------------------------------------------------------------


def _done(loop: Loop, *arguments: Any) -> bool:
    """Whether a loop is there, and found all indices in range."""
    run = loop.ready or loop.often()
    if run is None:
        return False
    try:
        return run(*arguments)  # type: ignore[no-any-return]
    except TypeError:
        return False  # memory that is only read is another type to Numba


def gather(array: Array, index: Array, axis: int) -> Array | None:
    """What the indices name along a dimension of a matrix; None where no loop is for it, or one is out of range."""
    loop = gather_last if axis else gather_first
    run = loop.ready or loop.often()
    if run is None:
        return None
    kind = array.dtype
    out = numpy.empty(index.shape, kind)
    source, target = array, out
    if kind.char not in "fd":
        bits = numpy.dtype(f"u{kind.itemsize}")
        source, target = array.view(bits), out.view(bits)
    try:
        return out if run(source, index, target) else None
    except TypeError:
        return None  # memory that is only read is another type to Numba


def add_at(out: Array, index: Array, axis: int, values: Array) -> bool:
    """Add values where the indices say along a dimension of a matrix; False where there is no loop for
    it or an index is out of range: some may be added by then."""
    return _done(_add_at, out, index, values, axis == 1)


def add_rows(out: Array, index: Array, values: Array) -> bool:
    """Add each row of values to the row of a matrix that an index names; False where there is no loop for
    it or an index is out of range: some may be added by then."""
    return _done(_add_rows, out, index, values)


def counts(places: Array, least: int) -> Array | None:
    """How often each number from 0 to the largest occurs, or at least to `least`; None without a loop."""
    top_of, fill = largest.ready or largest.often(), count.ready or count.often()
    if top_of is None or fill is None:
        return None
    try:
        top = top_of(places)
        if not 0 <= top < COUNTED_IN_A_TABLE:
            return None
        out = numpy.zeros(max(least, top + 1), numpy.int64)
        fill(places, out)
    except TypeError:
        return None
    return out
