"""Kernels as a notebook has them, for the pictures of KernelTracer: their lines are in golden texts."""

from importlib import import_module
from typing import Any

import numpy
from numba import float32

cuda: Any = import_module("numba.cuda")


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


@cuda.jit
def add_all(a, out):
    i = cuda.grid(1)
    out[0] += a[i]


@cuda.jit
def reverse(a):
    part = cuda.shared.array(8, float32)
    t = cuda.threadIdx.x
    part[t] = a[t]
    cuda.syncthreads()
    a[t] = part[a.size - 1 - t]


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((4, 4), numpy.int64)
    x, y = cuda.grid(2)
    tile[cuda.threadIdx.y, cuda.threadIdx.x] = a[y, x]
    cuda.syncthreads()
    out[x, y] = tile[cuda.threadIdx.y, cuda.threadIdx.x]


@cuda.jit
def half_wait(a):
    if cuda.threadIdx.x < 2:
        cuda.syncthreads()
    a[cuda.threadIdx.x] = 1


@cuda.jit
def add_unguarded(a, b, out):
    i = cuda.grid(1)
    out[i] = a[i] + b[i]
