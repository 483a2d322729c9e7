"""Kernels as learners write them, with Numba's ``cuda``: what the tests of tracing and launching run."""

from __future__ import annotations

import inspect
import math
from importlib import import_module
from typing import Any

import numba
import numpy
from numba import float32
from numba.cuda import gridsize, threadIdx

import tensorkit as tk

cuda: Any = import_module("numba.cuda")
TILE = 4


@cuda.jit
def add_grid(a: Any, b: Any, out: Any) -> None:
    row, column = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = a[row, column] + b[column]


@cuda.jit
def add_cube(a: Any, out: Any) -> None:
    x, y, z = cuda.grid(3)
    if x < a.shape[0] and y < a.shape[1] and z < a.shape[2]:
        out[x, y, z] = a[x, y][z] + a.ndim * 100


@cuda.jit
def strided(x: Any, out: Any) -> None:
    for i in range(cuda.grid(1), len(x), cuda.gridsize(1)):
        out[i] = x[i] * float32(2)


@cuda.jit
def matmul_tiled(a: Any, b: Any, c: Any) -> None:
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array(shape=(TILE, TILE), dtype=float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(cuda.gridDim.x):
        left[ty, tx] = right[ty, tx] = 0
        if y < a.shape[0] and tx + k * TILE < a.shape[1]:
            left[ty, tx] = a[y, tx + k * TILE]
        if x < b.shape[1] and ty + k * TILE < b.shape[0]:
            right[ty, tx] = b[ty + k * TILE, x]
        cuda.syncthreads()
        for j in range(TILE):
            total += left[ty, j] * right[j, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


@cuda.jit(device=True)
def warp_sum(value: Any) -> Any:
    step = 16
    while step > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
        step //= 2
    return value


@cuda.jit
def total_by_warps(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    total = warp_sum(x[i] if i < x.size else 0.0)
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, total)


@cuda.jit
def histogram(x: Any, bins: Any) -> None:
    mine = cuda.shared.array(4, numpy.int32)
    t = cuda.threadIdx.x
    if t < mine.size:
        mine[t] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(mine, x[i], 1)
    cuda.syncthreads()
    if t < mine.size:
        cuda.atomic.add(bins, t, mine[t])


@cuda.jit
def polynomial(x: Any, out: Any) -> None:
    powers = cuda.local.array(3, tk.float64)
    i = numba.cuda.grid(1)
    if i >= x.size:
        return
    powers[0] = 1.0
    for k in range(1, 3):
        powers[k] = powers[k - 1] * x[i]
    out[i] = powers[0] + powers[1] + powers[2] + math.sqrt(x[i]) * 0


def by_imported_names(out: Any) -> None:
    out[threadIdx.x] = gridsize(1)


@cuda.jit
def votes(out: Any) -> None:
    t = cuda.threadIdx.x
    out[0, t] = cuda.ballot_sync(0xFFFFFFFF, t % 2)
    out[1, t] = cuda.any_sync(0xFFFFFFFF, t == 3)
    out[2, t] = cuda.all_sync(0xFFFFFFFF, t < 9)
    out[3, t] = cuda.shfl_sync(0xFFFFFFFF, t, 2)
    out[4, t] = cuda.shfl_up_sync(0xFFFFFFFF, t, 1)
    out[5, t] = cuda.shfl_xor_sync(0xFFFFFFFF, t, 1)
    out[6, t] = cuda.syncthreads_count(int(t > 1))
    out[7, t] = cuda.syncthreads_or(int(t == 9))
    out[8, t] = cuda.syncthreads_and(int(t < 9))
    out[9, t] = cuda.activemask()
    out[10, t] = cuda.lanemask_lt()


@cuda.jit
def bits(out: Any) -> None:
    out[0] = cuda.popc(numpy.int32(13))
    out[1] = cuda.clz(numpy.int32(1))
    out[2] = cuda.ffs(numpy.int32(8))
    out[3] = cuda.selp(out[0] > 2, 5, 6)
    out[4] = cuda.fma(2, 3, 4)
    out[5] = cuda.brev(numpy.uint32(1)) == 2**31


@cuda.jit
def atomics(x: Any, old: Any) -> None:
    old[0] = cuda.atomic.add(x, 0, 5)
    old[1] = cuda.atomic.sub(x, 1, 5)
    old[2] = cuda.atomic.max(x, 2, 5)
    old[3] = cuda.atomic.min(x, 3, 5)
    old[4] = cuda.atomic.exch(x, 4, 5)
    old[5] = cuda.atomic.cas(x, 5, 10, 5)
    old[6] = cuda.atomic.cas(x, 6, 11, 5)
    old[7] = cuda.atomic.and_(x, 7, 6)
    old[8] = cuda.atomic.or_(x, 8, 5)
    old[9] = cuda.atomic.xor(x, 9, 6)
    old[10] = cuda.atomic.inc(x, 10, 10)
    old[11] = cuda.atomic.dec(x, 11, 3)


@cuda.jit
def last_block_sums(x: Any, partial: Any, counter: Any, out: Any) -> None:
    """Each block leaves a number behind; the last one adds them up."""
    if cuda.threadIdx.x == 0:
        partial[cuda.blockIdx.x] = x[cuda.blockIdx.x] * 10
        cuda.threadfence()
        if cuda.atomic.add(counter, 0, 1) == cuda.gridDim.x - 1:
            total = 0.0
            for k in range(cuda.gridDim.x):
                total += partial[k]
            out[0] = total


@cuda.jit
def rows(a: Any) -> None:
    i = cuda.grid(1)
    if i < len(a):
        row = a[i]
        row[:] = i
        a[i, 1:] = row.size
        for value in a[i, :1]:
            a[i, 0] = value + 100


# ---- what is wrong


@cuda.jit
def no_guard(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = x[i] + 1


@cuda.jit
def lost_updates(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[0] += x[i]


@cuda.jit
def reverse(x: Any) -> None:
    part = cuda.shared.array(8, float32)
    t = cuda.threadIdx.x
    part[t] = x[t]
    x[t] = part[cuda.blockDim.x - 1 - t]


@cuda.jit
def two_barriers(x: Any) -> None:
    t = cuda.threadIdx.x
    if t < 2:
        cuda.syncthreads()
    else:
        x[t] = 1
        cuda.syncthreads()


@cuda.jit
def early_return(x: Any) -> None:
    t = cuda.threadIdx.x
    if t >= x.size:
        return
    cuda.syncthreads()
    x[t] = t


@cuda.jit
def missing_lane(x: Any) -> None:
    t = cuda.threadIdx.x
    if t != 1:
        x[t] = cuda.shfl_sync(0b111, t, 0)
    else:
        cuda.syncthreads()


@cuda.jit
def never_written(out: Any) -> None:
    part = cuda.shared.array(4, float32)
    part[0] = 1
    cuda.syncthreads()
    out[cuda.threadIdx.x] = part[cuda.threadIdx.x]


@cuda.jit
def columns(a: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = a[i, 0]


@cuda.jit
def transposed(a: Any) -> None:
    tile = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[x, y] = a[y, x]
    cuda.syncthreads()
    a[y, x] = tile[y, x]


@cuda.jit
def neighbour(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = x[i - 1]


def endless(x: Any) -> None:
    while x[0] == 0:
        x[1] += 1


def line_of(kernel: Any, text: str) -> int:
    """The line of this file in which a kernel says `text`."""
    lines, first = inspect.getsourcelines(getattr(kernel, "py_func", kernel))
    return first + next(k for k, line in enumerate(lines) if text in line)
