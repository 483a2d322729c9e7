"""The kernels that lesson 21 shows, as its notebook has them: the questions' proofs run them.

Who runs a kernel hands it its `cuda`; here the name only has to exist.
"""

from __future__ import annotations

from typing import Any

from numpy import float32

cuda: Any = None
TILE = 4


def add(a: Any, b: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


def unguarded(a: Any, b: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = a[i] + b[i]


def block_sum(x: Any, out: Any) -> None:
    totals = cuda.shared.array(8, float32)
    t = cuda.threadIdx.x
    totals[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 1
    while step < cuda.blockDim.x:
        if t % (2 * step) == 0:
            totals[t] += totals[t + step]
        cuda.syncthreads()
        step *= 2
    if t == 0:
        out[cuda.blockIdx.x] = totals[0]


def hurried(x: Any, out: Any) -> None:
    totals = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    totals[t] = x[cuda.grid(1)]
    step = 1
    while step < cuda.blockDim.x:
        if t % (2 * step) == 0:
            totals[t] += totals[t + step]
        step *= 2
    if t == 0:
        out[cuda.blockIdx.x] = totals[0]


def down_column(a: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = a[i, 0]


def multiply(a: Any, b: Any, c: Any) -> None:
    x, y = cuda.grid(2)
    total = float32(0)
    for k in range(a.shape[1]):
        total += a[y, k] * b[k, x]
    c[y, x] = total


def multiply_tiles(a: Any, b: Any, c: Any) -> None:
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(0, a.shape[1], TILE):
        left[ty, tx] = a[y, k + tx]
        right[ty, tx] = b[k + ty, x]
        cuda.syncthreads()
        for j in range(TILE):
            total += left[ty, j] * right[j, tx]
        cuda.syncthreads()
    c[y, x] = total
