"""Windows of planes, compiled: see ``kernels.jit.compiler``. `spans` holds a row for each of three dimensions.

A row of the result is made of whole rows of the input, as far as windows slide: the first elements of all its windows,
then the second ones, and so on. A processor takes such steps for many windows at once.
"""

from __future__ import annotations

import numpy

from tensorkit.kernels.cpu.strided_2d import ahead, first
from tensorkit.kernels.jit.compiler import loop


def _begin(span, o):  # type: ignore[no-untyped-def]
    """Where a window begins, inside of the input."""
    start = (o * span[0] + span[2]) // span[1]
    return start if start >= 0 else start % span[4]


def _end(span, o, size):  # type: ignore[no-untyped-def]
    return min((o * span[0] + span[3]) // span[1], size)


def _met(span, offset, count, size):  # type: ignore[no-untyped-def]
    """Which of sliding windows have an element of the input `offset` after where they begin."""
    place = span[2] + offset
    low = max(0, -(place // span[0]))
    high = min(count, (size - 1 - place) // span[0] + 1)
    return low, high


def _keep_larger(out, places, row, count, step, place):  # type: ignore[no-untyped-def]
    """The larger of a window's maximum so far and its next element; by choices, as a branch is guessed wrong."""
    for k in range(count):
        v = row[numpy.uint64(step * k)]
        best = out[numpy.uint64(k)]
        better = (v > best) | (v != v)
        out[numpy.uint64(k)] = v if better else best
        places[numpy.uint64(k)] = place + step * k if better else places[numpy.uint64(k)]


def _add_each(out, row, count, step):  # type: ignore[no-untyped-def]
    if step == 1:
        for k in range(count):
            out[k] += row[k]
    elif step == 2:
        for k in range(count):
            out[k] += row[2 * k]
    else:
        for k in range(count):
            out[k] += row[step * k]


def _add_to_each(row, out, count, step):  # type: ignore[no-untyped-def]
    if step == 1:
        for k in range(count):
            row[k] += out[k]
    elif step == 2:
        for k in range(count):
            row[2 * k] += out[k]
    else:
        for k in range(count):
            row[step * k] += out[k]


@loop(*(f"void({k}[:,:,:,::1],i8[:,:,:,::1],{k}[:,:,:,::1],i8[:,::1],{k})" for k in ("f4", "f8")))
def largest(out, places, a, spans, lowest):  # type: ignore[no-untyped-def]
    """The largest of each window, and where it is in its plane; the last nan, if there is one."""
    deep, high, wide, columns = a.shape[1], a.shape[2], a.shape[3], out.shape[3]
    last, scale = spans[2], spans[2, 0]
    best, where = numpy.empty(columns, a.dtype), numpy.empty(columns, numpy.int64)
    begins, counts = numpy.empty(columns, numpy.int64), numpy.empty(columns, numpy.int64)
    for k in range(columns):  # a division is slow
        begins[k] = _begin(last, k)
        counts[k] = _end(last, k, wide) - begins[k]
    lows, tops = numpy.empty(last[3] - last[2], numpy.int64), numpy.empty(last[3] - last[2], numpy.int64)
    for offset in range(lows.size if last[1] == 1 else 0):
        lows[offset], tops[offset] = _met(last, offset, columns, wide)
    for p in range(out.shape[0]):
        plane = a[p].reshape(deep * high * wide)
        for i in range(out.shape[1]):
            i0, i1 = _begin(spans[0], i), _end(spans[0], i, deep)
            for j in range(out.shape[2]):
                j0, j1 = _begin(spans[1], j), _end(spans[1], j, high)
                for k in range(columns):
                    best[k] = lowest
                    where[k] = (i0 * high + j0) * wide + begins[k]
                for x in range(i0, i1, spans[0, 4]):
                    for y in range(j0, j1, spans[1, 4]):
                        row = (x * high + y) * wide
                        if last[1] != 1:
                            for k in range(columns):
                                for z in range(row + begins[k], row + begins[k] + counts[k]):
                                    _keep_larger(best[k:], where[k:], plane[z:], 1, 1, z)
                            continue
                        for offset in range(0, last[3] - last[2], last[4]):
                            low, top = lows[offset], tops[offset]
                            place = row + low * scale + last[2] + offset
                            if scale == 2:
                                _keep_larger(best[low:], where[low:], plane[place:], top - low, 2, place)
                            else:
                                _keep_larger(best[low:], where[low:], plane[place:], top - low, scale, place)
                for k in range(columns):
                    out[p, i, j, k] = best[k]
                    places[p, i, j, k] = where[k]


@loop(*(f"void({k}[:,:,:,::1],{k}[:,:,:,::1],i8[:,::1])" for k in ("f4", "f8")))
def total(out, a, spans):  # type: ignore[no-untyped-def]
    """The sum of each window, added to what is in `out`."""
    deep, high, wide, columns = a.shape[1], a.shape[2], a.shape[3], out.shape[3]
    last, scale = spans[2], spans[2, 0]
    for p in range(out.shape[0]):
        plane = ahead(first(a), p * deep * high * wide)
        for i in range(out.shape[1]):
            for j in range(out.shape[2]):
                found = ahead(first(out), ((p * out.shape[1] + i) * out.shape[2] + j) * columns)
                for x in range(_begin(spans[0], i), _end(spans[0], i, deep)):
                    for y in range(_begin(spans[1], j), _end(spans[1], j, high)):
                        row = ahead(plane, (x * high + y) * wide)
                        if last[1] == 1:
                            for offset in range(last[3] - last[2]):
                                low, top = _met(last, offset, columns, wide)
                                _add_each(
                                    ahead(found, low),
                                    ahead(row, low * scale + last[2] + offset),
                                    top - low,
                                    scale,
                                )
                        else:
                            for k in range(columns):
                                for z in range(_begin(last, k), _end(last, k, wide)):
                                    found[k] += row[z]


@loop(*(f"void({k}[:,:,:,::1],{k}[:,:,:,::1],i8[:,::1])" for k in ("f4", "f8")))
def share_out(out, a, spans):  # type: ignore[no-untyped-def]
    """The number of each window, added to each of its elements."""
    deep, high, wide, columns = out.shape[1], out.shape[2], out.shape[3], a.shape[3]
    last, scale = spans[2], spans[2, 0]
    for p in range(out.shape[0]):
        plane = ahead(first(out), p * deep * high * wide)
        for i in range(a.shape[1]):
            for j in range(a.shape[2]):
                given = ahead(first(a), ((p * a.shape[1] + i) * a.shape[2] + j) * columns)
                for x in range(_begin(spans[0], i), _end(spans[0], i, deep)):
                    for y in range(_begin(spans[1], j), _end(spans[1], j, high)):
                        row = ahead(plane, (x * high + y) * wide)
                        if last[1] == 1:
                            for offset in range(last[3] - last[2]):
                                low, top = _met(last, offset, columns, wide)
                                _add_to_each(
                                    ahead(row, low * scale + last[2] + offset),
                                    ahead(given, low),
                                    top - low,
                                    scale,
                                )
                        else:
                            for k in range(columns):
                                for z in range(_begin(last, k), _end(last, k, wide)):
                                    row[z] += given[k]


@loop(*(f"void({k}[:,::1],i8[:,::1],{k}[:,::1])" for k in ("f4", "f8")))
def add_at(out, places, a):  # type: ignore[no-untyped-def]
    """Add the numbers of each row where they belong."""
    size, count = out.shape[1], a.shape[1]
    for p in range(a.shape[0]):
        target, given, where = (
            ahead(first(out), p * size),
            ahead(first(a), p * count),
            ahead(first(places), p * count),
        )
        for i in range(count):
            place = where[i]
            if 0 <= place < size:  # an empty window has none
                target[place] += given[i]
