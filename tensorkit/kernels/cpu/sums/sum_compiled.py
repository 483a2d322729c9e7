"""Sums of some hundreds of numbers of single precision, compiled: see ``kernels.jit.compiler``.

They are added up in double precision: where the elements that become one number lie side by side, in many lanes; where
the results do, row by row.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cpu.strided_2d import ahead, first, stride
from tensorkit.kernels.jit.compiler import loop

Array = numpy.ndarray[Any, Any]
_SINGLE = numpy.dtype(numpy.float32)


@loop("f8(f4[:,:],b1)", reordered=True)
def whole(a, squared):  # type: ignore[no-untyped-def]
    rows, columns, x, down, right = a.shape[0], a.shape[1], first(a), stride(a, 0), stride(a, 1)
    if down == 1 and right == rows:
        rows, columns, down, right = columns, rows, right, down
    if right == 1 and down == columns:
        rows, columns = 1, rows * columns
    total = 0.0
    for _ in range(rows):
        if right == 1:
            for j in range(columns):
                total += x[j] * x[j] if squared else x[j]
        else:
            for j in range(columns):
                total += x[j * right] * x[j * right] if squared else x[j * right]
        x = ahead(x, down)
    return numpy.sqrt(numpy.float32(total)) if squared else total


@loop("void(f4[:,:],f4[::1])", reordered=True)
def along(a, out):  # type: ignore[no-untyped-def]
    columns, x, down, right = a.shape[1], first(a), stride(a, 0), stride(a, 1)
    for i in range(a.shape[0]):
        total = 0.0
        if right == 1:
            for j in range(columns):
                total += x[j]
        else:
            for j in range(columns):
                total += x[j * right]
        out[i] = total
        x = ahead(x, down)


@loop("void(f4[:,:],f4[::1])")
def down(a, out):  # type: ignore[no-untyped-def]
    columns, x, down, right = a.shape[1], first(a), stride(a, 0), stride(a, 1)
    part = numpy.zeros(columns, numpy.float64)
    p = first(part)
    for _ in range(a.shape[0]):
        if right == 1:
            for j in range(columns):
                p[j] += x[j]
        else:
            for j in range(columns):
                p[j] += x[j * right]
        x = ahead(x, down)
    for j in range(columns):
        out[j] = part[j]


def added(array: Array, axis: int | None) -> Array | None:
    """The sum of all elements, or along a dimension, of float32 numbers; None where no loop is for them."""
    if array.ndim == 1:
        array, axis = array[None], None
    if array.ndim != 2:
        return None
    loop = whole if axis is None else along if axis else down
    run = loop.ready or loop.often()
    if run is None:
        return None
    try:
        if axis is None:
            return numpy.array(run(array, False), _SINGLE)
        out = numpy.empty(array.shape[1 - axis], _SINGLE)
        run(array, out)
    except TypeError:
        return None  # memory that is only read is another type to Numba
    return out


def length(array: Array) -> Array | None:
    """The root of the sum of all squares of float32 numbers; None where no loop is for them."""
    run = whole.ready or whole.often()
    if run is None or not 0 < array.ndim < 3:
        return None
    try:
        return numpy.array(run(array if array.ndim == 2 else array[None], True), _SINGLE)
    except TypeError:
        return None
