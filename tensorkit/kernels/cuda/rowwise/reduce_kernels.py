"""The bodies of reductions: one block of threads adds up one row (or one part of it), in shared memory.

A thread takes every ``blockDim.x``-th element of its row and keeps a total of its own; then the totals of a block are
combined pairwise, the distance doubling after each barrier. The order depends on the sizes alone, so a sum is the same
every time. Where there are few long rows, each is cut into `parts` that blocks reduce side by side, and a second launch
reduces the parts.

Beside the names that all bodies are handed (see ``kernels.cuda.kernels``) there are:

    start      the number that changes nothing: 0 of a sum, 1 of a product
    combine    two totals become one
    tree       the totals of a block's threads become one: see `tree_of`
    prepare    is applied to each element before it is combined, such as ``abs(x) ** p``
    finish     is applied to each total, such as dividing by the count
    better     of an extreme: whether the second of two elements takes the place of the first
    kind       the NumPy type of a total
    WIDTH      how many totals a block can hold
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from numpy import int64

cuda: Any = None
place: Any = None
at: Any = None
place_inner: Any = None
at_inner: Any = None
read_a: Any = None
write: Any = None
start: Any = None
combine: Any = None
prepare: Any = None
finish: Any = None
better: Any = None
numbers: Any = None
kind: Any = None

tree: Any = None

WIDTH = 256
Ints = tuple[int, ...]


@cache
def tree_of(combine: Callable[[Any, Any], Any]) -> Callable[..., None]:
    """How the threads of a block combine their totals, pair by pair: ``totals[0]`` is that of all in the end."""

    def tree(totals: Any, thread: int, threads: int) -> None:
        cuda.syncthreads()
        step = 1
        while step < threads:
            if thread % (2 * step) == 0 and thread + step < threads:
                totals[thread] = combine(totals[thread], totals[thread + step])
            cuda.syncthreads()
            step *= 2

    return tree


def reduce_rows(
    rows: int,
    columns: int,
    parts: int,
    out: Any,
    a: Any,
    size: Ints,
    out_stride: Ints,
    a_stride: Ints,
    inner_size: Ints,
    inner_stride: Ints,
    part_stride: int,
    scalars: Any,
) -> None:
    """``out[r] = finish(combine over c of prepare(a[r, c]))``; with several parts, ``out[r, p]`` of part p."""
    totals = cuda.shared.array(WIDTH, kind)
    thread = cuda.threadIdx.x
    threads = cuda.blockDim.x
    job = cuda.blockIdx.x
    while job < rows * parts:
        row = job // parts
        part = job - row * parts
        where = place(row, size)
        base = at(where, a_stride)
        last = (part + 1) * columns // parts
        total = start()
        column = part * columns // parts + thread
        while column < last:
            element = read_a(a, base + at_inner(place_inner(column, inner_size), inner_stride))
            total = combine(total, prepare(element, *numbers(scalars)))
            column += threads
        totals[thread] = total
        tree(totals, thread, threads)
        if thread == 0:
            write(
                out, at(where, out_stride) + part * part_stride, finish(totals[0], columns, *numbers(scalars))
            )
        cuda.syncthreads()
        job += cuda.gridDim.x


def arg_rows(
    rows: int,
    columns: int,
    out: Any,
    places: Any,
    a: Any,
    size: Ints,
    out_stride: Ints,
    places_stride: Ints,
    a_stride: Ints,
    inner_size: Ints,
    inner_stride: Ints,
) -> None:
    """The extreme element of each row, and its index: the first of equals, or the first nan."""
    values = cuda.shared.array(WIDTH, kind)
    columns_of = cuda.shared.array(WIDTH, int64)
    thread = cuda.threadIdx.x
    threads = cuda.blockDim.x
    row = cuda.blockIdx.x
    while row < rows:
        where = place(row, size)
        base = at(where, a_stride)
        column = thread
        values[thread] = start()
        columns_of[thread] = columns
        while column < columns:
            element = read_a(a, base + at_inner(place_inner(column, inner_size), inner_stride))
            if columns_of[thread] == columns or better(values[thread], element):
                values[thread] = element
                columns_of[thread] = column
            column += threads
        cuda.syncthreads()
        step = 1
        while step < threads:
            if thread % (2 * step) == 0 and thread + step < threads and columns_of[thread + step] < columns:
                one = values[thread]
                other = values[thread + step]
                earlier = columns_of[thread + step] < columns_of[thread]
                if better(one, other) or (earlier and not better(other, one)):
                    values[thread] = other
                    columns_of[thread] = columns_of[thread + step]
            cuda.syncthreads()
            step *= 2
        if thread == 0:
            write(out, at(where, out_stride), values[0])
            places[at(where, places_stride)] = columns_of[0]
        cuda.syncthreads()
        row += cuda.gridDim.x
