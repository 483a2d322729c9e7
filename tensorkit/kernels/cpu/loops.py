"""Loops that NumPy has no fast form of, compiled: pointwise, along rows, scans, and one index for every element.

Sources of the constants: the rational approximation of the error function that the Eigen library uses for single
precision, evaluated here in double.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cpu.loop_steps import power
from tensorkit.kernels.jit.compiler import loop
from tensorkit.kernels.jit.rowwise import rowwise

_FLOATS = ("f4", "f8")


@rowwise(1)
def rsqrt(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    one = out.dtype.type(1)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            y[j] = one / numpy.sqrt(x[j])


_P = (
    -2.72614225801306e-10,
    2.77068142495902e-08,
    -2.10102402082508e-06,
    -5.69250639462346e-05,
    -7.34990630326855e-04,
    -2.95459980854025e-03,
    -1.60960333262415e-02,
)
_Q = (
    -1.45660718464996e-05,
    -2.13374055278905e-04,
    -1.68282697438203e-03,
    -7.37332916720468e-03,
    -1.42647390514189e-02,
)


def error_function(number):  # type: ignore[no-untyped-def]
    """The error function, for single precision."""
    v: Any = numpy.float64(number)
    v = 4.0 if v > 4.0 else v
    v = -4.0 if v < -4.0 else v
    s = v * v
    p = _P[0]
    p = p * s + _P[1]
    p = p * s + _P[2]
    p = p * s + _P[3]
    p = p * s + _P[4]
    p = p * s + _P[5]
    p = p * s + _P[6]
    q = _Q[0]
    q = q * s + _Q[1]
    q = q * s + _Q[2]
    q = q * s + _Q[3]
    q = q * s + _Q[4]
    return numpy.float32(v * p / q)


@rowwise(1, ("f4",))
def erf(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            y[j] = error_function(x[j])


@rowwise(1)
def sign(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            v = x[j]
            y[j] = (v > 0) - (v < 0)


@rowwise(1)
def relu(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    zero = out.dtype.type(0)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            v = x[j]
            y[j] = zero if v < zero else v


@rowwise(1)
def cube(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            v = x[j]
            y[j] = v * v * v


@rowwise(1, extra=",f8,f8")
def clip(a, sa, out, so, rows, columns, low, high):  # type: ignore[no-untyped-def]
    least, most = out.dtype.type(low), out.dtype.type(high)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            v = x[j]
            v = least if v < least else v
            y[j] = most if v > most else v


@rowwise(2, extra=",f8")
def mix(a, sa, b, sb, out, so, rows, columns, weight):  # type: ignore[no-untyped-def]
    w, rest = out.dtype.type(weight), out.dtype.type(1) - out.dtype.type(weight)
    near = abs(w) < out.dtype.type(0.5)
    for i in range(rows):
        x, y, z = a[i * sa : i * sa + columns], b[i * sb : i * sb + columns], out[i * so : i * so + columns]
        if near:
            for j in range(columns):
                z[j] = x[j] + w * (y[j] - x[j])
        else:
            for j in range(columns):
                z[j] = y[j] - (y[j] - x[j]) * rest


@rowwise(3, extra=",f8")
def add_product(a, sa, b, sb, c, sc, out, so, rows, columns, factor):  # type: ignore[no-untyped-def]
    f = out.dtype.type(factor)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], b[i * sb : i * sb + columns]
        z, w = c[i * sc : i * sc + columns], out[i * so : i * so + columns]
        for j in range(columns):
            w[j] = x[j] + f * y[j] * z[j]


@rowwise(1, extra=",f8,f8,f8")
def nan_to_num(a, sa, out, so, rows, columns, nan, highest, lowest):  # type: ignore[no-untyped-def]
    kind = out.dtype.type
    lost, high, low, above = kind(nan), kind(highest), kind(lowest), kind(numpy.inf)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            v = x[j]
            found = high if v == above else v
            found = low if v == -above else found
            y[j] = lost if v != v else found


@rowwise(2, extra=",f8")
def add_scaled(a, sa, b, sb, out, so, rows, columns, alpha):  # type: ignore[no-untyped-def]
    factor = out.dtype.type(alpha)
    for i in range(rows):
        x, y, z = a[i * sa : i * sa + columns], b[i * sb : i * sb + columns], out[i * so : i * so + columns]
        for j in range(columns):
            z[j] = x[j] + y[j] * factor


@loop(*(f"void(b1[::1],i8,u{n}[::1],i8,u{n}[::1],i8,u{n}[::1],i8,i8,i8)" for n in (1, 2, 4, 8)))
def choose(m, sm, a, sa, b, sb, out, so, rows, columns):  # type: ignore[no-untyped-def]
    for i in range(rows):
        w, x = m[i * sm : i * sm + columns], a[i * sa : i * sa + columns]
        y, z = b[i * sb : i * sb + columns], out[i * so : i * so + columns]
        for j in range(columns):
            one, two = x[j], y[j]
            z[j] = one if w[j] else two


@rowwise(1, ("f4",))
def sigmoid(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            y[j] = numpy.float32(1) / (numpy.float32(1) + power(-x[j]))


# -- along rows ---------------------------------------------------------------------------------------------------


@loop("void(f4[::1],i8,i8,f8[::1],b1)", reordered=True)
def row_sums(a, step, columns, out, squared):  # type: ignore[no-untyped-def]
    for i in range(out.size):
        x = a[i * step : i * step + columns]
        total: Any = 0.0
        for j in range(0, columns, 4096):
            part, some = x[j : j + 4096], numpy.float32(0)
            if squared:
                for k in range(part.size):
                    some += part[k] * part[k]
            else:
                for k in range(part.size):
                    some += part[k]
            total += some
        out[i] = total


@loop("void(f4[::1],i8,f4[::1])", "void(f8[::1],i8,f8[::1])")
def row_products(a, columns, out):  # type: ignore[no-untyped-def]
    lanes = 64
    part = numpy.empty(lanes, a.dtype)
    whole = columns - columns % lanes
    for i in range(out.size):
        x = a[i * columns : (i + 1) * columns]
        part[:] = 1
        for j in range(0, whole, lanes):
            some = x[j : j + lanes]
            for k in range(lanes):
                part[k] *= some[k]
        # Half by half, so that what is large meets what is small.
        half = lanes // 2
        while half:
            for k in range(half):
                part[k] *= part[k + half]
            half //= 2
        for j in range(whole, columns):
            part[0] *= x[j]
        out[i] = part[0]


@loop("void(f4[::1],i8,i8,i8,f8[::1])")
def column_sums(a, step, rows, columns, out):  # type: ignore[no-untyped-def]
    part = numpy.empty(columns, numpy.float32)
    out[:] = 0
    for first in range(0, rows, 32):
        part[:] = 0
        last = min(rows, first + 32)
        whole = last - (last - first) % 4
        for i in range(first, whole, 4):  # four rows for each look at the sums so far
            p, q = a[i * step : i * step + columns], a[(i + 1) * step : (i + 1) * step + columns]
            r, s = a[(i + 2) * step : (i + 2) * step + columns], a[(i + 3) * step : (i + 3) * step + columns]
            for j in range(columns):
                part[j] += (p[j] + q[j]) + (r[j] + s[j])
        for i in range(whole, last):
            x = a[i * step : i * step + columns]
            for j in range(columns):
                part[j] += x[j]
        for j in range(columns):
            out[j] += part[j]


# -- scans --------------------------------------------------------------------------------------------------------


@loop("void(f4[:,:],f4[:,:])", "void(f8[:,:],f8[:,:])")
def running_sum(a, out):  # type: ignore[no-untyped-def]
    # Each sum waits for the one before: four rows at a time, so that there is something to do meanwhile.
    rows, columns = a.shape
    whole = rows - rows % 4
    for i in range(0, whole, 4):
        p, q, r, s = 0.0, 0.0, 0.0, 0.0
        for j in range(columns):
            p += a[i, j]
            q += a[i + 1, j]
            r += a[i + 2, j]
            s += a[i + 3, j]
            out[i, j], out[i + 1, j], out[i + 2, j], out[i + 3, j] = p, q, r, s
    for i in range(whole, rows):
        total = 0.0
        for j in range(columns):
            total += a[i, j]
            out[i, j] = total


@loop("void(f4[:,:],f4[:,:])", "void(f8[:,:],f8[:,:])")
def running_product(a, out):  # type: ignore[no-untyped-def]
    rows, columns = a.shape
    whole = rows - rows % 4
    for i in range(0, whole, 4):
        p, q, r, s = 1.0, 1.0, 1.0, 1.0
        for j in range(columns):
            p *= a[i, j]
            q *= a[i + 1, j]
            r *= a[i + 2, j]
            s *= a[i + 3, j]
            out[i, j], out[i + 1, j], out[i + 2, j], out[i + 3, j] = p, q, r, s
    for i in range(whole, rows):
        total = 1.0
        for j in range(columns):
            total *= a[i, j]
            out[i, j] = total


@rowwise(1)
def sums_down(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    so_far = numpy.zeros(columns, numpy.float64)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            so_far[j] += x[j]
            y[j] = so_far[j]


@rowwise(1)
def products_down(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    so_far = numpy.ones(columns, numpy.float64)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            so_far[j] *= x[j]
            y[j] = so_far[j]


@loop(*(f"void({k}[:,:],{k}[:,:],i8,b1)" for k in ("u1", "u2", "u4", "u8")))
def triangle(a, out, diagonal, lower):  # type: ignore[no-untyped-def]
    rows, columns = a.shape
    for i in range(rows):
        edge = min(max(i + diagonal + lower, 0), columns)
        if lower:
            for j in range(edge):
                out[i, j] = a[i, j]
            for j in range(edge, columns):
                out[i, j] = 0
        else:
            for j in range(edge):
                out[i, j] = 0
            for j in range(edge, columns):
                out[i, j] = a[i, j]


@rowwise(1, kinds=("u1", "u2", "u4", "u8"))
def backwards(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    last = numpy.uint64(columns - 1)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            y[j] = x[last - numpy.uint64(j)]


# -- an index for every element -----------------------------------------------------------------------------------
# `gather` sees by the way whether all are within bounds. What writes trusts its indices: they are looked at before.

_ANY = ("u1", "u2", "u4", "u8")
_ADDED = ("f4", "f8", "i8")


@loop("b1(i8[::1],i8)")
def within(places, many):  # type: ignore[no-untyped-def]
    beyond: Any = 0
    for i in range(places.size):
        beyond += numpy.uint64(places[i]) >= numpy.uint64(many)
    return beyond == 0


@loop(*(f"b1({k}[:,:],i8[:,:],{k}[:,:])" for k in (*_ANY, *_FLOATS)))
def gather_last(a, index, out):  # type: ignore[no-untyped-def]
    many = numpy.uint64(a.shape[1])
    for i in range(index.shape[0]):
        for j in range(index.shape[1]):
            place = numpy.uint64(index[i, j])
            if place >= many:
                return False
            out[i, j] = a[i, place]
    return True


@loop(*(f"b1({k}[:,:],i8[:,:],{k}[:,:])" for k in (*_ANY, *_FLOATS)))
def gather_first(a, index, out):  # type: ignore[no-untyped-def]
    many = numpy.uint64(a.shape[0])
    for i in range(index.shape[0]):
        for j in range(index.shape[1]):
            place = numpy.uint64(index[i, j])
            if place >= many:
                return False
            out[i, j] = a[place, j]
    return True


@loop(*(f"void({k}[:,:],i8[:,:],{k}[:,:])" for k in _ADDED))
def scatter_add_last(out, index, values):  # type: ignore[no-untyped-def]
    for i in range(index.shape[0]):
        for j in range(index.shape[1]):
            out[i, numpy.uint64(index[i, j])] += values[i, j]


@loop(*(f"void({k}[:,:],i8[:,:],{k}[:,:])" for k in _ADDED))
def scatter_add_first(out, index, values):  # type: ignore[no-untyped-def]
    for i in range(index.shape[0]):
        for j in range(index.shape[1]):
            out[numpy.uint64(index[i, j]), j] += values[i, j]


@loop("void(i8[:],i8[::1])")
def count(places, out):  # type: ignore[no-untyped-def]
    for i in range(len(places)):
        out[numpy.uint64(places[i])] += 1


@loop(*(f"void({k}[::1],i8,i8[::1],{k}[::1],i8,i8,i8)" for k in _ADDED))
def index_add(out, so, index, values, sv, first, last):  # type: ignore[no-untyped-def]
    for i in range(len(index)):
        place = index[i]
        y, x = out[place * so + first : place * so + last], values[i * sv + first : i * sv + last]
        for j in range(last - first):
            y[j] += x[j]
