"""Kernels that must pass and kernels that must fail in the exercises of lesson 21, and what they are launched with.

Who runs a kernel hands it its `cuda`; here the name only has to exist.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy
from numpy import float32

cuda: Any = None
BLOCK = 64


# ---- a table of rows and columns


def table(rows: int, columns: int) -> tuple[Any, Any, Any]:
    """Two tables to add, and one for the result."""
    a = numpy.arange(rows * columns, dtype=float32).reshape(rows, columns)
    return a, a * 10, numpy.zeros((rows, columns), float32)


def add_tables(a: Any, b: Any, out: Any) -> None:
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = a[y, x] + b[y, x]


def add_by_parts(a: Any, b: Any, out: Any) -> None:
    column = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    row = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    rows, columns = out.shape
    if row >= rows or column >= columns:
        return
    out[row, column] = a[row, column] + b[row, column]


def add_by_loop(a: Any, b: Any, out: Any) -> None:
    x, y = cuda.grid(2)
    wide, high = cuda.gridsize(2)
    for row in range(y, out.shape[0], high):
        for column in range(x, out.shape[1], wide):
            out[row, column] = a[row, column] + b[row, column]


def add_swapped(a: Any, b: Any, out: Any) -> None:
    x, y = cuda.grid(2)
    if x < out.shape[0] and y < out.shape[1]:
        out[x, y] = a[x, y] + b[x, y]


def crossed(a: Any, b: Any, out: Any) -> None:
    x, y = cuda.grid(2)
    if x < out.shape[0] and y < out.shape[1]:
        out[y, x] = a[y, x] + b[y, x]


def add_unguarded(a: Any, b: Any, out: Any) -> None:
    x, y = cuda.grid(2)
    out[y, x] = a[y, x] + b[y, x]


def add_one_guard(a: Any, b: Any, out: Any) -> None:
    x, y = cuda.grid(2)
    if x < out.shape[1]:
        out[y, x] = a[y, x] + b[y, x]


# ---- neighbours in a row


def row(*numbers: float) -> tuple[Any, Any]:
    """Numbers, and room for what is between them, which holds something else before."""
    return numpy.array(numbers, float32), numpy.full(len(numbers) - 1, 50, float32)


def rises(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i + 1] - x[i]


def rises_early_return(x: Any, out: Any) -> None:
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i + 1 >= x.size:
        return
    out[i] = x[i + 1] - x[i]


def rises_by_stride(x: Any, out: Any) -> None:
    for i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        out[i] = x[i + 1] - x[i]


def rises_unguarded(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = x[i + 1] - x[i]


def rises_too_far(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i + 1] - x[i]


def first_block_only(x: Any, out: Any) -> None:
    i = cuda.threadIdx.x
    if i < out.size:
        out[i] = x[i + 1] - x[i]


def first_block_unguarded(x: Any, out: Any) -> None:
    i = cuda.threadIdx.x
    out[i] = x[i + 1] - x[i]


def blocks_of_four(x: Any, out: Any) -> None:
    i = cuda.blockIdx.x * 4 + cuda.threadIdx.x
    if i < out.size:
        out[i] = x[i + 1] - x[i]


def every_thread_does_all(x: Any, out: Any) -> None:
    for i in range(out.size):
        out[i] = x[i + 1] - x[i]


def whole_blocks(x: Any, out: Any) -> None:
    i = cuda.blockIdx.x
    if i < out.size:
        out[i] = x[i + 1] - x[i]


def added(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < out.size:
        out[i] += x[i + 1] - x[i]


def looked_back_from_one(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if 0 < i < out.size:
        out[i] = x[i] - x[i - 1]


def upside_down(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] - x[i + 1]


def looked_back(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] - x[i - 1]


def walk(x: Any, where: Any, out: Any) -> None:
    """Each thread reads one number, wherever it is told to."""
    out[cuda.threadIdx.x] = x[where[cuda.threadIdx.x]]


# ---- how many pixels are how bright


@cache
def _grace() -> Any:
    from matplotlib import image
    from matplotlib.cbook import get_sample_data

    file = str(get_sample_data("grace_hopper.jpg", asfileobj=False))
    return image.imread(file, format="jpg")[::32, ::32, 1].copy()


def photograph(rows: int = 0, columns: int = 0) -> tuple[Any, Any]:
    """The green of the photograph of lesson 01 (or of its corner), and sixteen counts."""
    pixels = _grace()
    return pixels[: rows or None, : columns or None].copy(), numpy.zeros(16, numpy.int32)


def histogram(photo: Any, counts: Any) -> None:
    x, y = cuda.grid(2)
    if y < photo.shape[0] and x < photo.shape[1]:
        cuda.atomic.add(counts, photo[y, x] // 16, 1)


def histogram_by_rows(photo: Any, counts: Any) -> None:
    x, y = cuda.grid(2)
    if x < photo.shape[1]:
        for row in range(y, photo.shape[0], cuda.gridsize(2)[1]):
            cuda.atomic.add(counts, photo[row, x] >> 4, 1)


def histogram_by_product(photo: Any, counts: Any) -> None:
    x, y = cuda.grid(2)
    if y < photo.shape[0] and x < photo.shape[1]:
        cuda.atomic.add(counts, photo[y, x] * 16 // 256, 1)


def histogram_by_shift(photo: Any, counts: Any) -> None:
    x, y = cuda.grid(2)
    if y < photo.shape[0] and x < photo.shape[1]:
        cuda.atomic.add(counts, (photo[y, x] * 16) >> 8, 1)


def histogram_returned(photo: Any, counts: Any) -> None:
    x, y = cuda.grid(2)
    rows, columns = photo.shape
    if x >= columns or y >= rows:
        return
    shade = int(photo[y, x] / 16)
    cuda.atomic.add(counts, shade, 1)


def histogram_shared(photo: Any, counts: Any) -> None:
    mine = cuda.shared.array(16, numpy.int32)
    t = cuda.threadIdx.y * cuda.blockDim.x + cuda.threadIdx.x
    mine[t] = 0
    cuda.syncthreads()
    x, y = cuda.grid(2)
    if y < photo.shape[0] and x < photo.shape[1]:
        cuda.atomic.add(mine, photo[y, x] // 16, 1)
    cuda.syncthreads()
    cuda.atomic.add(counts, t, mine[t])


def histogram_lost(photo: Any, counts: Any) -> None:
    x, y = cuda.grid(2)
    if y < photo.shape[0] and x < photo.shape[1]:
        counts[photo[y, x] // 16] += 1


def histogram_unguarded(photo: Any, counts: Any) -> None:
    x, y = cuda.grid(2)
    cuda.atomic.add(counts, photo[y, x] // 16, 1)


def histogram_swapped(photo: Any, counts: Any) -> None:
    x, y = cuda.grid(2)
    if x < photo.shape[0] and y < photo.shape[1]:
        cuda.atomic.add(counts, photo[x, y] // 16, 1)


def histogram_remainder(photo: Any, counts: Any) -> None:
    x, y = cuda.grid(2)
    if y < photo.shape[0] and x < photo.shape[1]:
        cuda.atomic.add(counts, photo[y, x] % 16, 1)


# ---- each block turned round


def turn_broken(x: Any, out: Any) -> None:
    part = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    out[cuda.grid(1)] = part[BLOCK - 1 - t]


def turn(x: Any, out: Any) -> None:
    part = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    out[cuda.grid(1)] = part[BLOCK - 1 - t]


def turn_behind(x: Any, out: Any) -> None:
    part = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    part[BLOCK - 1 - t] = x[cuda.grid(1)]
    cuda.syncthreads()
    out[cuda.grid(1)] = part[t]


def turn_directly(x: Any, out: Any) -> None:
    start = cuda.blockIdx.x * cuda.blockDim.x
    out[start + cuda.blockDim.x - 1 - cuda.threadIdx.x] = x[start + cuda.threadIdx.x]


def turn_late(x: Any, out: Any) -> None:
    part = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    out[cuda.grid(1)] = part[BLOCK - 1 - t]
    cuda.syncthreads()


def turn_half(x: Any, out: Any) -> None:
    part = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    if t < BLOCK // 2:
        cuda.syncthreads()
    out[cuda.grid(1)] = part[BLOCK - 1 - t]


def turn_twice(x: Any, out: Any) -> None:
    part = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    part[t] = x[t]
    cuda.syncthreads()
    out[t] = part[BLOCK - 1 - t]


def last_of_all(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = x[x.size - 1 - i]
