"""The bodies of matrix products: tiles in shared memory, and sums in registers.

To multiply two matrices element by element, each number of the result is read from a whole row and a whole column:
every row is read once for each column. `multiply_tiles` reads far less. A block of threads makes one *tile* of the
result, HEIGHT rows by WIDTH columns. It walks along the inner dimension in steps of DEPTH: the threads bring a strip of
`a` and a strip of `b` into shared memory, wait for one another, and multiply what lies there, each number of it many
times. A thread makes DOWN by ACROSS of the tile's sums, which it keeps in registers: the DOWN numbers of `a` and the
ACROSS numbers of `b` that it takes from shared memory are good for DOWN times ACROSS multiplications.

Beside the names that all bodies are handed (see ``kernels.cuda.kernels``) there are:

    read_a, read_b, read_base   an element as a number to compute with
    bring_a, bring_b            fill the strips in shared memory: see `bringing`
    kind                        the NumPy type of a sum
    zero                        of that type
    HEIGHT, WIDTH, DEPTH            the size of a tile, and of a step
    DOWN, ACROSS                how many sums a thread keeps: the first down its column, the second across its row
    PARTS_DOWN, PARTS_ACROSS    how many such parts a tile has: HEIGHT / DOWN, WIDTH / ACROSS
    LINE_A, LINE_B              how long a line of shared memory is: a little more than HEIGHT, or WIDTH, so that
                                elements below one another lie in different banks
    ROOM_A, ROOM_B, SUMS        the sizes of arrays: DEPTH lines, DEPTH lines, DOWN times ACROSS
    THREADS                     how many threads a block may have, of `dot_rows`
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from numpy import uint64

from tensorkit.kernels.cuda.kernels import split

cuda: Any = None
at: Any = None
read_a: Any = None
read_b: Any = None
read_base: Any = None
bring_a: Any = None
bring_b: Any = None
write: Any = None
numbers: Any = None
tree: Any = None
kind: Any = None
zero: Any = None
HEIGHT = WIDTH = DEPTH = DOWN = ACROSS = PARTS_DOWN = PARTS_ACROSS = LINE_A = LINE_B = THREADS = 0
ROOM_A = ROOM_B = SUMS = 0

Ints = tuple[int, ...]
Function = Callable[..., Any]


@cache
def bringing(read: Function, zero: Any, breadth: int, depth: int, line: int) -> Function:
    """How the threads of a block fill a strip of shared memory: `depth` lines of `breadth` elements."""

    def bring(
        strip: Any, source: Any, first: int, step: int, deeper: int, wanted: int, left: int, side_by_side: int
    ) -> None:
        # Line d holds source[first + i * step + d * deeper]; zeros beyond the `wanted` elements and the lines `left`.
        spot = cuda.threadIdx.x
        while spot < breadth * depth:
            i, d = split(spot, depth)
            if side_by_side:
                d, i = split(spot, breadth)
            inside = i < wanted and d < left
            strip[uint64(d * line + i)] = read(source, first + i * step + d * deeper) if inside else zero
            spot += cuda.blockDim.x

    return bring


def multiply_tiles(
    batches: int,
    rows: int,
    columns: int,
    inner: int,
    out: Any,
    a: Any,
    b: Any,
    base: Any,
    out_stride: Ints,
    a_stride: Ints,
    b_stride: Ints,
    base_stride: Ints,
    down_a: int,
    along_b: int,
    added: int,
    scalars: Any,
) -> None:
    """``out[n] = alpha * (a[n] @ b[n])``, and ``+ beta * base[n]`` where `added` says so: tile by tile.

    Args:
        out, a, b, base: matrices in batches: each has three strides, of the batch, of the rows and of the columns.
        down_a, along_b: whether threads side by side read `a` down a column, `b` along a row: the way in which what
            they ask for at a time lies side by side in memory.
        scalars: alpha and beta.
    """
    strip_a = cuda.shared.array(ROOM_A, kind)
    strip_b = cuda.shared.array(ROOM_B, kind)
    sums = cuda.local.array(SUMS, kind)
    left = cuda.local.array(DOWN, kind)
    right = cuda.local.array(ACROSS, kind)
    alpha, beta = numbers(scalars)
    tiles_across = (columns + WIDTH - 1) // WIDTH
    tiles = (rows + HEIGHT - 1) // HEIGHT * tiles_across
    job = cuda.blockIdx.x
    while job < batches * tiles:
        batch, tile = split(job, tiles)
        top, side = split(tile, tiles_across)
        top *= HEIGHT
        side *= WIDTH
        # On a GPU there are as many threads as parts, and each takes one. Fewer threads take turns.
        turn = 0
        while turn < PARTS_DOWN * PARTS_ACROSS:
            part_down, part_across = split(turn + cuda.threadIdx.x, PARTS_ACROSS)
            for i in range(SUMS):
                sums[i] = zero
            begin = 0
            while begin < inner:
                from_a = batch * a_stride[0] + top * a_stride[1] + begin * a_stride[2]
                from_b = batch * b_stride[0] + side * b_stride[2] + begin * b_stride[1]
                bring_a(strip_a, a, from_a, a_stride[1], a_stride[2], rows - top, inner - begin, down_a)
                bring_b(strip_b, b, from_b, b_stride[2], b_stride[1], columns - side, inner - begin, along_b)
                cuda.syncthreads()
                if part_down < PARTS_DOWN:
                    for d in range(DEPTH):
                        for i in range(DOWN):
                            left[i] = strip_a[uint64(d * LINE_A + part_down + i * PARTS_DOWN)]
                        for j in range(ACROSS):
                            right[j] = strip_b[uint64(d * LINE_B + part_across + j * PARTS_ACROSS)]
                        for i in range(DOWN):
                            for j in range(ACROSS):
                                sums[i * ACROSS + j] += left[i] * right[j]
                cuda.syncthreads()
                begin += DEPTH
            # No loop can choose among registers: the row in front is written, and those behind it move up.
            row = top + part_down
            while row < rows and part_down < PARTS_DOWN and row < top + HEIGHT:
                column = side + part_across
                for j in range(ACROSS):
                    if column < columns:
                        where = (batch, row, column)
                        value = sums[j]
                        if alpha != 1:
                            value *= alpha
                        if added:
                            value += beta * read_base(base, at(where, base_stride))
                        write(out, at(where, out_stride), value)
                    column += PARTS_ACROSS
                for i in range(SUMS - ACROSS):
                    sums[i] = sums[i + ACROSS]
                row += PARTS_DOWN
            turn += cuda.blockDim.x
        job += cuda.gridDim.x


def dot_rows(
    batches: int,
    rows: int,
    inner: int,
    out: Any,
    a: Any,
    b: Any,
    base: Any,
    out_stride: Ints,
    a_stride: Ints,
    b_stride: Ints,
    base_stride: Ints,
    added: int,
    scalars: Any,
) -> None:
    """``out[n, r] = alpha * (a[n, r] · b[n])``, and ``+ beta * base[n, r]``: one block multiplies one row by a vector.

    There is nothing to keep for others here, as each number of `a` is needed once: threads side by side read what lies
    side by side, add up what they have read, and combine their totals pair by pair.
    """
    totals = cuda.shared.array(THREADS, kind)
    alpha, beta = numbers(scalars)
    thread, threads = cuda.threadIdx.x, cuda.blockDim.x
    job = cuda.blockIdx.x
    while job < batches * rows:
        batch, row = split(job, rows)
        from_a = batch * a_stride[0] + row * a_stride[1]
        from_b = batch * b_stride[0]
        total = zero
        step = thread
        while step < inner:
            total += read_a(a, from_a + step * a_stride[2]) * read_b(b, from_b + step * b_stride[1])
            step += threads
        totals[thread] = total
        tree(totals, thread, threads)
        if thread == 0:
            value = totals[0]
            if alpha != 1:
                value *= alpha
            if added:
                value += beta * read_base(base, at((batch, row), base_stride))
            write(out, at((batch, row), out_stride), value)
        cuda.syncthreads()
        job += cuda.gridDim.x
