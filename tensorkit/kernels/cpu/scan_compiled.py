"""Loops over 16-bit floating point numbers and running extremes, compiled: see ``kernels.jit.compiler``.

NumPy converts float16 numbers one at a time; here they are taken many at once, by their bits. While a loop is not
compiled its function here says no (False or None), and NumPy answers.

Source: IEEE 754-2008, 3.4 (the formats) and 4.3.1 (rounding to nearest, ties to even).
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.dtypes import bfloat16
from tensorkit.kernels.cpu.loop_steps import longer, narrower, shorter, wider
from tensorkit.kernels.jit.compiler import loop
from tensorkit.kernels.jit.threads import spread
from tensorkit.kernels.sizes import LOOPS_AT_ONCE

Array = numpy.ndarray[Any, Any]
_I = numpy.int32


@loop("void(u2[::1],f4[::1])")
def widened(a, out):  # type: ignore[no-untyped-def]
    for i in range(a.size):
        out[i] = wider(a[i])


@loop("void(f4[::1],u2[::1])")
def narrowed(a, out):  # type: ignore[no-untyped-def]
    for i in range(a.size):
        out[i] = narrower(a[i])


@loop("void(u2[::1],f4[::1])")
def lengthened(a, out):  # type: ignore[no-untyped-def]
    for i in range(a.size):
        out[i] = longer(a[i])


@loop("void(f4[::1],u2[::1])")
def shortened(a, out):  # type: ignore[no-untyped-def]
    for i in range(a.size):
        out[i] = shorter(a[i])


_PAIR = "void(u2[::1],u2[::1],u2[::1],i8)"


@loop(_PAIR)
def half_pairs(a, b, out, which):  # type: ignore[no-untyped-def]
    if which == 0:
        for i in range(out.size):
            out[i] = narrower(wider(a[i]) + wider(b[i]))
    elif which == 1:
        for i in range(out.size):
            out[i] = narrower(wider(a[i]) - wider(b[i]))
    elif which == 2:
        for i in range(out.size):
            out[i] = narrower(wider(a[i]) * wider(b[i]))
    else:
        for i in range(out.size):
            out[i] = narrower(wider(a[i]) / wider(b[i]))


@loop(_PAIR)
def brief_pairs(a, b, out, which):  # type: ignore[no-untyped-def]
    if which == 0:
        for i in range(out.size):
            out[i] = shorter(longer(a[i]) + longer(b[i]))
    elif which == 1:
        for i in range(out.size):
            out[i] = shorter(longer(a[i]) - longer(b[i]))
    elif which == 2:
        for i in range(out.size):
            out[i] = shorter(longer(a[i]) * longer(b[i]))
    else:
        for i in range(out.size):
            out[i] = shorter(longer(a[i]) / longer(b[i]))


_NUMBER = "void(u2[::1],f4,u2[::1],i8)"


@loop(_NUMBER)
def half_number(a, number, out, which):  # type: ignore[no-untyped-def]
    if which == 0:
        for i in range(out.size):
            out[i] = narrower(wider(a[i]) + number)
    elif which == 1:
        for i in range(out.size):
            out[i] = narrower(wider(a[i]) - number)
    elif which == 2:
        for i in range(out.size):
            out[i] = narrower(wider(a[i]) * number)
    else:
        for i in range(out.size):
            out[i] = narrower(wider(a[i]) / number)


@loop(_NUMBER)
def brief_number(a, number, out, which):  # type: ignore[no-untyped-def]
    if which == 0:
        for i in range(out.size):
            out[i] = shorter(longer(a[i]) + number)
    elif which == 1:
        for i in range(out.size):
            out[i] = shorter(longer(a[i]) - number)
    elif which == 2:
        for i in range(out.size):
            out[i] = shorter(longer(a[i]) * number)
    else:
        for i in range(out.size):
            out[i] = shorter(longer(a[i]) / number)


_ARITHMETIC = {numpy.add: 0, numpy.subtract: 1, numpy.multiply: 2, numpy.divide: 3}


def half_arithmetic(ufunc: Any, inputs: tuple[Array, ...], out: Array) -> bool:
    """Add, subtract, multiply or divide dense arrays of 16-bit numbers, rounded once; False for anything else."""
    which = _ARITHMETIC.get(ufunc)
    if which is None or out.size < LOOPS_AT_ONCE or not (_dense(inputs[0], out) and out.flags.carray):
        return False
    half, second = out.dtype == numpy.float16, inputs[1]
    number = not second.ndim and (second.dtype == numpy.float32 or second.dtype == out.dtype)
    if number:
        fast = (half_number if half else brief_number).compiled()
    else:
        fast = (half_pairs if half else brief_pairs).compiled() if _dense(second, out) else None
    if fast is None:
        return False
    a, c = (array.reshape(-1).view(numpy.uint16) for array in (inputs[0], out))
    if number:
        value = numpy.float32(second)
        spread(lambda i, j: fast(a[i:j], value, c[i:j], which), c.size, 32768)
    else:
        b = second.reshape(-1).view(numpy.uint16)
        spread(lambda i, j: fast(a[i:j], b[i:j], c[i:j], which), c.size, 32768)
    return True


def _dense(array: Array, out: Array) -> bool:
    return array.dtype == out.dtype and array.shape == out.shape and array.flags.carray


_BFLOAT16 = bfloat16.numpy.char
_CONVERSIONS = {"ef": widened, "fe": narrowed, _BFLOAT16 + "f": lengthened, "f" + _BFLOAT16: shortened}


def converted(source: Any, out: Array) -> bool:
    """Write 16-bit numbers as float32, or float32 as 16-bit ones rounded once; False where that is for NumPy."""
    if (
        not isinstance(source, numpy.ndarray)
        or source.size < LOOPS_AT_ONCE
        or source.shape != out.shape
        or not (source.flags.carray and out.flags.carray)
    ):
        return False
    loop = _CONVERSIONS.get(source.dtype.char + out.dtype.char)
    fast = loop.compiled() if loop is not None else None
    if fast is None:
        return False
    a, b = source.reshape(-1), out.reshape(-1)
    fast(a.view(numpy.uint16) if a.itemsize == 2 else a, b.view(numpy.uint16) if b.itemsize == 2 else b)
    return True


_KINDS = ("f4", "f8", "i8", "i4", "i2", "i1", "u1")


@loop(*(f"void({k}[:,:,::1],{k}[:,:,::1],i8[:,:,::1],i8,i8,b1)" for k in _KINDS))
def extremes(a, out, places, first, last, largest):  # type: ignore[no-untyped-def]
    for o in range(a.shape[0]):
        if a.shape[2] == 1:
            x, y, p = a[o, :, 0], out[o, :, 0], places[o, :, 0]
            best, place, j = x[0], 0, 0
            if largest:
                while j < x.size and best == best:
                    if not x[j] < best:  # so is a nan
                        best, place = x[j], j
                    y[j], p[j] = best, place
                    j += 1
            else:
                while j < x.size and best == best:
                    if not x[j] > best:
                        best, place = x[j], j
                    y[j], p[j] = best, place
                    j += 1
            while j < x.size:  # only another nan takes the place of one
                if x[j] != x[j]:
                    best, place = x[j], j
                y[j], p[j] = best, place
                j += 1
        else:
            for i in range(first, last):
                out[o, 0, i], places[o, 0, i] = a[o, 0, i], 0
            for j in range(1, a.shape[1]):
                for i in range(first, last):
                    v, best, place = a[o, j, i], out[o, j - 1, i], places[o, j - 1, i]
                    better = v >= best if largest else v <= best
                    taken = better or v != v
                    out[o, j, i], places[o, j, i] = v if taken else best, j if taken else place


def running_extreme(largest: bool, array: Array, axis: int) -> tuple[Array, Array] | None:
    """The largest or smallest so far along a dimension, and where the latest of them is; a nan stays."""
    if array.size < LOOPS_AT_ONCE or array.dtype.str[1:] not in _KINDS or not array.dtype.isnative:
        return None
    fast = extremes.compiled()
    if fast is None:
        return None
    many = array.shape[axis]
    inner = int(numpy.prod(array.shape[axis + 1 :]))
    source = numpy.ascontiguousarray(array).reshape(-1, many, inner)
    source = (
        source if source.flags.writeable else source.copy()
    )  # to the compiler the others are of another type
    out, places = numpy.empty_like(source), numpy.empty(source.shape, numpy.int64)
    if inner == 1:
        grain = max(1, 32768 // many)
        spread(lambda i, j: fast(source[i:j], out[i:j], places[i:j], 0, 1, largest), len(source), grain)
    else:
        grain = max(16, 32768 // (many * len(source)))
        spread(lambda i, j: fast(source, out, places, i, j, largest), inner, grain)
    return out.reshape(array.shape), places.reshape(array.shape)
