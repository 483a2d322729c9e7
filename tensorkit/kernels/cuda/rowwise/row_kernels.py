"""The bodies that look at a row as a whole and more than once: spread, softmax, running totals.

As in ``reduce_kernels``, a block of threads takes a row, each thread every ``blockDim.x``-th element of it; what they
find they combine in shared memory, pair by pair. Beside the names that are explained there:

    WIDTH          how many threads a block may have
    kind, real     the NumPy type of a total, and that of its size
    exp, log       of that type
    first          the number that nothing is smaller than
"""

from __future__ import annotations

from typing import Any

from numpy import int64

cuda: Any = None
place: Any = None
at: Any = None
place_inner: Any = None
at_inner: Any = None
read_a: Any = None
write: Any = None
write_b: Any = None
start: Any = None
first: Any = None
combine: Any = None
tree: Any = None
tree_of_extremes: Any = None
finish: Any = None
better: Any = None
deviation: Any = None
numbers: Any = None
kind: Any = None
real: Any = None
exp: Any = None
log: Any = None
logarithm: Any = None
WIDTH = 256

Ints = tuple[int, ...]


def moment_rows(
    rows: int,
    columns: int,
    out: Any,
    means: Any,
    a: Any,
    size: Ints,
    out_stride: Ints,
    means_stride: Ints,
    a_stride: Ints,
    inner_size: Ints,
    inner_stride: Ints,
    scalars: Any,
) -> None:
    """The mean of each row, and ``finish(sum of squared deviations, divisor)``: the mean first, for its sake."""
    totals = cuda.shared.array(WIDTH, kind)
    squares = cuda.shared.array(WIDTH, real)
    thread = cuda.threadIdx.x
    threads = cuda.blockDim.x
    row = cuda.blockIdx.x
    while row < rows:
        where = place(row, size)
        base = at(where, a_stride)
        total = start()
        column = thread
        while column < columns:
            total += read_a(a, base + at_inner(place_inner(column, inner_size), inner_stride))
            column += threads
        totals[thread] = total
        tree(totals, thread, threads)
        mean = totals[0] / columns
        square = first()
        column = thread
        while column < columns:
            element = read_a(a, base + at_inner(place_inner(column, inner_size), inner_stride))
            square += deviation(element, mean)
            column += threads
        squares[thread] = square
        tree(squares, thread, threads)
        if thread == 0:
            write(out, at(where, out_stride), finish(squares[0], *numbers(scalars)))
            write_b(means, at(where, means_stride), mean)
        cuda.syncthreads()
        row += cuda.gridDim.x


def log_sum_rows(
    rows: int,
    columns: int,
    out: Any,
    a: Any,
    size: Ints,
    out_stride: Ints,
    a_stride: Ints,
    inner_size: Ints,
    inner_stride: Ints,
) -> None:
    """``log(sum(exp(row)))``, with the largest element taken out first so that no power overflows."""
    totals = cuda.shared.array(WIDTH, kind)
    thread = cuda.threadIdx.x
    threads = cuda.blockDim.x
    row = cuda.blockIdx.x
    while row < rows:
        where = place(row, size)
        base = at(where, a_stride)
        highest = first()
        column = thread
        while column < columns:
            highest = combine(
                highest, read_a(a, base + at_inner(place_inner(column, inner_size), inner_stride))
            )
            column += threads
        totals[thread] = highest
        tree_of_extremes(totals, thread, threads)
        highest = finish(totals[0])
        cuda.syncthreads()
        total = start()
        column = thread
        while column < columns:
            total += exp(read_a(a, base + at_inner(place_inner(column, inner_size), inner_stride)) - highest)
            column += threads
        totals[thread] = total
        tree(totals, thread, threads)
        if thread == 0:
            write(out, at(where, out_stride), log(totals[0]) + highest)
        cuda.syncthreads()
        row += cuda.gridDim.x


def softmax_rows(
    rows: int,
    columns: int,
    out: Any,
    a: Any,
    size: Ints,
    out_stride: Ints,
    a_stride: Ints,
    out_step: int,
    a_step: int,
) -> None:
    """``exp(x - max) / sum(exp(x - max))`` along each row, or the logarithm of that."""
    totals = cuda.shared.array(WIDTH, kind)
    thread = cuda.threadIdx.x
    threads = cuda.blockDim.x
    row = cuda.blockIdx.x
    while row < rows:
        where = place(row, size)
        base = at(where, a_stride)
        highest = first()
        column = thread
        while column < columns:
            highest = combine(highest, read_a(a, base + column * a_step))
            column += threads
        totals[thread] = highest
        tree_of_extremes(totals, thread, threads)
        highest = totals[0]
        cuda.syncthreads()
        total = start()
        column = thread
        while column < columns:
            total += exp(read_a(a, base + column * a_step) - highest)
            column += threads
        totals[thread] = total
        tree(totals, thread, threads)
        total = totals[0]
        target = at(where, out_stride)
        column = thread
        while column < columns:
            shifted = read_a(a, base + column * a_step) - highest
            write(out, target + column * out_step, finish(shifted, total))
            column += threads
        cuda.syncthreads()
        row += cuda.gridDim.x


def scan_rows(
    rows: int,
    columns: int,
    out: Any,
    a: Any,
    size: Ints,
    out_stride: Ints,
    a_stride: Ints,
    out_step: int,
    a_step: int,
) -> None:
    """The totals so far along each row: stretch by stretch of ``blockDim.x`` elements, with a carry between them."""
    totals = cuda.shared.array(WIDTH, kind)
    thread = cuda.threadIdx.x
    threads = cuda.blockDim.x
    row = cuda.blockIdx.x
    while row < rows:
        where = place(row, size)
        base = at(where, a_stride)
        target = at(where, out_stride)
        carry = start()
        begin = 0
        while begin < columns:
            column = begin + thread
            totals[thread] = read_a(a, base + column * a_step) if column < columns else start()
            cuda.syncthreads()
            step = 1
            while step < threads:
                other = totals[thread - step] if thread >= step else start()
                cuda.syncthreads()
                if thread >= step:
                    totals[thread] = combine(other, totals[thread])
                cuda.syncthreads()
                step *= 2
            if column < columns:
                write(out, target + column * out_step, combine(carry, totals[thread]))
            carry = combine(carry, totals[threads - 1])
            cuda.syncthreads()
            begin += threads
        row += cuda.gridDim.x


def arg_scan_rows(
    rows: int,
    columns: int,
    out: Any,
    places: Any,
    a: Any,
    size: Ints,
    out_stride: Ints,
    a_stride: Ints,
    out_step: int,
    a_step: int,
) -> None:
    """The extreme element so far along each row, and its place: the last of equals."""
    values = cuda.shared.array(WIDTH, kind)
    columns_of = cuda.shared.array(WIDTH, int64)
    thread = cuda.threadIdx.x
    threads = cuda.blockDim.x
    row = cuda.blockIdx.x
    while row < rows:
        where = place(row, size)
        base = at(where, a_stride)
        target = at(where, out_stride)
        carry = read_a(a, base)
        carried = int64(0)
        begin = 0
        while begin < columns:
            column = begin + thread
            last = column if column < columns else columns - 1
            values[thread] = read_a(a, base + last * a_step)
            columns_of[thread] = last
            cuda.syncthreads()
            step = 1
            while step < threads:
                other = values[thread - step] if thread >= step else values[thread]
                other_column = columns_of[thread - step] if thread >= step else columns_of[thread]
                cuda.syncthreads()
                if thread >= step and not better(other, values[thread]):
                    values[thread] = other
                    columns_of[thread] = other_column
                cuda.syncthreads()
                step *= 2
            own = better(carry, values[thread])
            if column < columns:
                write(out, target + column * out_step, values[thread] if own else carry)
                places[target + column * out_step] = columns_of[thread] if own else carried
            whole = better(carry, values[threads - 1])
            carried = columns_of[threads - 1] if whole else carried
            carry = values[threads - 1] if whole else carry
            cuda.syncthreads()
            begin += threads
        row += cuda.gridDim.x
