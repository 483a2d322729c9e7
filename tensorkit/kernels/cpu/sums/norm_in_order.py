"""The root of the sum of squares to the last bit as PyTorch's, of numbers that fill a block of memory.

A vector of 32 bytes (8 numbers of single precision, 4 of double) is squared and added to a vector of sums; the sums are
then added one after another, and to them the squares of the numbers that made no vector: four at a time as they are,
the last ones with a fused multiply-add.

Source: https://github.com/pytorch/pytorch/blob/v2.13.0/aten/src/ATen/native/cpu/ReduceOpsKernel.cpp
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.kernels.cpu.random.sampling import fused
from tensorkit.kernels.cpu.strided_2d import ahead, first
from tensorkit.kernels.jit.compiler import loop
from tensorkit.kernels.sizes import SMALL

__all__ = ["doubles", "length", "singles"]

Array = numpy.ndarray[Any, Any]


@loop("f4(f4[::1])")
def singles(row):  # type: ignore[no-untyped-def]
    a = b = c = d = e = f = g = h = numpy.float32(0)
    x = first(row)
    for _ in range(row.size // 8):
        a += x[0] * x[0]
        b += x[1] * x[1]
        c += x[2] * x[2]
        d += x[3] * x[3]
        e += x[4] * x[4]
        f += x[5] * x[5]
        g += x[6] * x[6]
        h += x[7] * x[7]
        x = ahead(x, 8)
    return a + b + c + d + e + f + g + h


@loop("f8(f8[::1])")
def doubles(row):  # type: ignore[no-untyped-def]
    a = b = c = d = 0.0
    x = first(row)
    for _ in range(row.size // 4):
        a += x[0] * x[0]
        b += x[1] * x[1]
        c += x[2] * x[2]
        d += x[3] * x[3]
        x = ahead(x, 4)
    return a + b + c + d


def length(array: Array) -> Array | None:
    """The root of the sum of all squares, a 0-d array; None for other dtypes, and for elements that lie apart."""
    if array.dtype not in (numpy.float32, numpy.float64) or not array.size:
        return None
    row = array.ravel("K")
    if not numpy.may_share_memory(row, array):
        return None
    return numpy.asarray(quiet(_length, row))


def _length(row: Array) -> Any:
    real, lanes = row.dtype.type, 32 // row.itemsize
    vectors = row.size // lanes * lanes
    total = real(_vectors_added(row[:vectors], lanes))
    apart = vectors + (row.size - vectors) // 4 * 4
    for number in row[vectors:apart]:
        total += number * number
    for number in row[apart:]:
        if lanes == 8:  # in double precision the product of two singles is exact
            total = real(float(number) * float(number) + float(total))
        else:
            total = fused(numpy.array([number]), number, total)[0]
    return numpy.sqrt(total)


def _vectors_added(row: Array, lanes: int) -> Any:
    loop = singles if lanes == 8 else doubles
    run = loop.compiled() if row.size > SMALL else loop.often()
    if run is not None and row.flags.writeable:  # memory that is only read is another type to Numba
        return run(row)
    total = row.dtype.type(0)
    for one in numpy.add.reduce(numpy.square(row).reshape(-1, lanes), axis=0):
        total += one
    return total
