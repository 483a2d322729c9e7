"""Loops over 16-bit floating point numbers and running extremes, compiled: see ``kernels.compiled``.

NumPy converts float16 numbers one at a time; here they are taken many at once, by their bits. While a loop is not
compiled its function here says no (False or None), and NumPy answers.

Source: IEEE 754-2008, 3.4 (the formats) and 4.3.1 (rounding to nearest, ties to even).
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.compiled import loop
from tensorkit.kernels.threads import FORCED, spread

__all__ = [
    "converted",
    "extremes",
    "narrowed",
    "running_extreme",
    "widened",
]

Array = numpy.ndarray[Any, Any]
#: Below so many elements NumPy is as fast.
_FEW = 1 if FORCED else 1024
_I = numpy.int32
_SCALE = numpy.float32(2.0**112)  # from the exponents of float16, read as float32's, to what they mean


@loop("void(u2[::1],f4[::1])")
def widened(a, out):  # type: ignore[no-untyped-def]
    for i in range(a.size):
        bits = _I(a[i])
        number = numpy.float32(_I((bits & _I(0x7FFF)) << _I(13)).view(numpy.float32) * _SCALE)
        size = number.view(numpy.int32)
        # Infinity and nan: the largest exponent; a nan is made quiet.
        endless = _I(0x7F800000) | _I((bits & _I(0x3FF)) << _I(13))
        endless = endless | (_I(0x400000) if (bits & _I(0x3FF)) != 0 else _I(0))
        size = endless if (bits & _I(0x7C00)) == _I(0x7C00) else size
        out[i] = _I(size | _I((bits & _I(0x8000)) << _I(16))).view(numpy.float32)


@loop("void(f4[::1],u2[::1])")
def narrowed(a, out):  # type: ignore[no-untyped-def]
    for i in range(a.size):
        bits = numpy.float32(a[i]).view(numpy.int32)
        size = bits & _I(0x7FFFFFFF)
        number = numpy.int32(size).view(numpy.float32)
        # Small ones are rounded by an addition after which the last bit counts steps of 2**-24.
        small = numpy.float32(number + numpy.float32(0.5)).view(numpy.int32) - _I(0x3F000000)
        odd = (size >> _I(13)) & _I(1)
        usual = (size - _I(0x38000000) + _I(0xFFF) + odd) >> _I(13)
        found = small if size < _I(0x38800000) else usual
        found = _I(0x7C00) if size >= _I(0x477FF000) else found
        lost = _I(0x7E00) | ((size >> _I(13)) & _I(0x3FF))
        found = lost if size > _I(0x7F800000) else found
        out[i] = numpy.uint16(found | ((bits >> _I(16)) & _I(0x8000)))


def converted(source: Any, out: Array) -> bool:
    """Write float16 numbers as float32, or float32 as float16 rounded once; False where that is for NumPy."""
    if (
        not isinstance(source, numpy.ndarray)
        or source.size < _FEW
        or source.shape != out.shape
        or not (source.flags.carray and out.flags.carray)
    ):
        return False
    pair = source.dtype.char + out.dtype.char
    if pair == "ef":
        fast, a, b = widened.compiled(), source.view(numpy.uint16), out
    elif pair == "fe":
        fast, a, b = narrowed.compiled(), source, out.view(numpy.uint16)
    else:
        return False
    if fast is None:
        return False
    fast(a.reshape(-1), b.reshape(-1))
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
    if array.size < _FEW or array.dtype.str[1:] not in _KINDS or not array.dtype.isnative:
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
