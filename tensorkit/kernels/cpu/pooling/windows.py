"""Windows of arrays: the largest of each, and the sum of each. By NumPy for as long as there is no compiled loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy

from tensorkit.kernels.cpu.pooling import windows_compiled
from tensorkit.kernels.jit.threads import spread
from tensorkit.kernels.spans import Span

Array = numpy.ndarray[Any, Any]
_GRAIN = 1 << 15  # elements that are worth a thread


def largest(out: Array, places: Array, a: Array, *, spans: Sequence[Span]) -> None:
    """The largest of each window of `a`, and where it is in its plane; the last nan, if there is one.

    Args:
        out, places: (..., one dimension for each span). a: the same, with the sizes of the input.
    """
    volumes, found, where = (_volumes(one, len(spans)) for one in (a, out, places))
    table = _table(spans)
    run = windows_compiled.largest.compiled() if a.dtype.char in "fd" else None
    if run is None:
        _largest(found, where, volumes, table)
    else:
        lowest = a.dtype.type(-numpy.inf)
        spread(
            lambda i, j: run(found[i:j], where[i:j], volumes[i:j], table, lowest),
            len(volumes),
            _grain(volumes),
        )
    _deliver(out, found)
    _deliver(places, where)


def total(out: Array, a: Array, *, spans: Sequence[Span], back: bool) -> None:
    """The sum of each window of `a`; or `back`: the number of each window is added to its elements."""
    volumes, found = _volumes(a, len(spans)), _volumes(out, len(spans))
    table = _table(spans)
    loop = windows_compiled.share_out if back else windows_compiled.total
    run = loop.compiled() if a.dtype.char in "fd" else None
    found.fill(0)
    if run is None:
        (_share_out if back else _total)(found, volumes, table)
    else:
        spread(lambda i, j: run(found[i:j], volumes[i:j], table), len(volumes), _grain(volumes))
    _deliver(out, found)


def add_at(out: Array, places: Array, a: Array, *, dims: int) -> None:
    """Zeros, and the numbers of each plane added up at their places in it."""
    target = out if out.flags.c_contiguous else numpy.empty(out.shape, out.dtype)
    target.fill(0)
    rows, where, sums = (one.reshape(-1, _inner(one, dims)) for one in (a, places, target))
    rows, where = numpy.ascontiguousarray(rows), numpy.ascontiguousarray(where)
    run = windows_compiled.add_at.compiled() if a.dtype.char in "fd" else None
    if run is None or not rows.flags.writeable or not where.flags.writeable:
        inside = (where >= 0) & (where < sums.shape[1])  # an empty window has no place
        plane, _ = numpy.nonzero(inside)
        numpy.add.at(sums, (plane, where[inside].astype(numpy.intp)), rows[inside])
    else:
        spread(lambda i, j: run(sums[i:j], where[i:j], rows[i:j]), len(rows), _grain(rows))
    if target is not out:
        numpy.copyto(out, target)


def _inner(array: Array, dims: int) -> int:
    return int(numpy.prod(array.shape[array.ndim - dims :]))


def _grain(volumes: Array) -> int:
    return max(1, _GRAIN // max(1, volumes.size // max(1, len(volumes))))


def _table(spans: Sequence[Span]) -> Array:
    """Always three spans, as there are always three dimensions."""
    return numpy.array([Span()] * (3 - len(spans)) + list(spans), numpy.int64)


def _volumes(array: Array, dims: int) -> Array:
    """An array as planes of three dimensions, dense and writable (to Numba, others are of another type)."""
    inner = array.shape[array.ndim - dims :]
    made = numpy.ascontiguousarray(array).reshape(-1 if array.size else 0, *(1,) * (3 - dims), *inner)
    return made if made.flags.writeable else made.copy()


def _deliver(out: Array, found: Array) -> None:
    if not numpy.may_share_memory(out, found):
        numpy.copyto(out, found.reshape(out.shape))


# -- by NumPy -------------------------------------------------------------------------------------------------------


def _bounds(span: Array, count: int, size: int) -> tuple[Array, Array]:
    scale, share, first, last, step = span
    place = numpy.arange(count) * scale
    start, end = (place + first) // share, (place + last) // share
    return numpy.where(start < 0, start % step, start), numpy.minimum(end, size)


def _visits(out: Array, a: Array, table: Array) -> Iterator[tuple[Array, Array, Array]]:
    """For each place in a window the elements there, of all windows; which windows have one; where they are."""
    bounds = [_bounds(s, n, m) for s, n, m in zip(table, out.shape[1:], a.shape[1:], strict=True)]
    most = [int((end - start).max(initial=0)) for start, end in bounds]
    for offset in product(*(range(0, n, span[4]) for n, span in zip(most, table, strict=True))):
        places = [start + o for (start, _), o in zip(bounds, offset, strict=True)]
        inside = [p < end for p, (_, end) in zip(places, bounds, strict=True)]
        places = [numpy.minimum(p, n - 1) for p, n in zip(places, a.shape[1:], strict=True)]
        d, h, w = numpy.ix_(*places)
        flat = (d * a.shape[2] + h) * a.shape[3] + w
        yield a[:, d, h, w], inside[0][:, None, None] & inside[1][:, None] & inside[2], flat


def _largest(out: Array, places: Array, a: Array, table: Array) -> None:
    kind = a.dtype
    out.fill(-numpy.inf if kind.kind == "f" else numpy.iinfo(kind).min)
    starts = [_bounds(s, n, m)[0] for s, n, m in zip(table, out.shape[1:], a.shape[1:], strict=True)]
    d, h, w = numpy.ix_(*starts)
    places[...] = (d * a.shape[2] + h) * a.shape[3] + w
    for values, inside, flat in _visits(out, a, table):
        better = inside & ((values > out) | (values != values))
        numpy.copyto(out, values, where=better)
        numpy.copyto(places, flat, where=better)


def _total(out: Array, a: Array, table: Array) -> None:
    for values, inside, _ in _visits(out, a, table):
        out += numpy.where(inside, values, 0)


def _share_out(out: Array, a: Array, table: Array) -> None:
    planes = numpy.arange(len(out))[:, None, None, None]
    for _, inside, flat in _visits(a, out, table):
        numpy.add.at(out.reshape(len(out), -1), (planes, flat), numpy.where(inside, a, 0))
