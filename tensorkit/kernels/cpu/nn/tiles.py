"""Convolution of float32 numbers whose windows move on by one, without columns: the arguments of the compiled loops.

Each function says whether it did the work; otherwise `windows` does it by columns.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy

from tensorkit.kernels.cpu.nn import tiles_compiled
from tensorkit.kernels.cpu.nn.tiles_compiled import COLUMNS, PANEL, ROWS
from tensorkit.kernels.jit.compiler import Loop
from tensorkit.kernels.jit.threads import spread as in_pieces
from tensorkit.kernels.sizes import LARGE, TAPS_IN_REGISTERS
from tensorkit.kernels.windows import Ints, Window
from tensorkit.strides.sizes import contiguous_stride

Array = numpy.ndarray[Any, Any]


def _loop(loop: Loop, out: Array, weight: Array, count: int, window: Window) -> Any:
    """The compiled loop, if it is there and fits; of one element, windows are columns as they are."""
    kernel = weight.shape[2:]
    fits = out.dtype.char == "f" and window.groups == 1 and set(window.stride) == {1} and prod(kernel) > 1
    return loop.compiled() if fits and count * weight[0].size >= LARGE else None


@functools.lru_cache(maxsize=64)
class _Frame:
    """Where things are in an image with a frame of zeros around it, seen as one row of numbers; the latest are kept.

    Attributes:
        length: of the row, with what a block of columns may reach beyond it.
        begins: where each row of the image begins.
        taps: how far each element of a window, in all channels, is from the first one.
        starts: where each row of windows begins. under: where each window does.
    """

    def __init__(self, channels: int, image: Ints, kernel: Ints, places: Ints, window: Window) -> None:
        ends = (p + i for p, i in zip(window.padding, image, strict=True))
        size = [max(end, r) for end, r in zip(ends, window.reach(places, kernel), strict=True)]
        plane, *steps = contiguous_stride((channels, *size))
        within = [d * s for d, s in zip(window.dilation, steps, strict=True)]
        inner = sum(p * s for p, s in zip(window.padding, steps, strict=True))
        self.begins = _offsets((channels, *image[:-1]), (plane, *steps[:-1])) + inner
        self.taps = _offsets((channels, *kernel), (plane, *within))
        self.starts = _offsets((1, *places[:-1]), (0, *steps[:-1]))
        self.under = _offsets(places, steps)
        last = int(self.taps[-1] + self.under[-1]) + 1 + COLUMNS
        self.length = max(channels * plane, last)

    def zeros(self) -> Array:
        return numpy.zeros(self.length, numpy.float32)


def _offsets(counts: Sequence[int], steps: Sequence[int]) -> Array:
    """The distances of all elements that are so far apart along each dimension."""
    sides = (numpy.arange(n) * s for n, s in zip(counts, steps, strict=True))
    found: Array = sum(numpy.ix_(*sides)).reshape(-1)  # type: ignore[union-attr]
    return found


def _in_rows(image: Array) -> Array:
    return _solid(image).reshape(len(image), -1, image.shape[-1])


def _solid(array: Array) -> Array:
    """Row-major, and such as a loop takes: memory that may be written to."""
    return array if array.flags.carray else array.copy()


def _whole(rows: Array, count: int) -> Array:
    """With as many rows of zeros as make a multiple of `count`."""
    missing = -len(rows) % count
    return numpy.concatenate((rows, numpy.zeros((missing, *rows.shape[1:]), rows.dtype))) if missing else rows


def convolve(out: Array, image: Array, weight: Array, bias: Array | None, window: Window) -> bool:
    run = _loop(tiles_compiled.convolve, out, weight, out.size, window)
    if run is None or not out.flags.c_contiguous:
        return False
    kernel, places = weight.shape[2:], out.shape[2:]
    frame = _Frame(image.shape[1], image.shape[2:], kernel, places, window)
    rows = _whole(weight.reshape(len(weight), -1), ROWS)
    blocks = numpy.ascontiguousarray(rows.reshape(-1, ROWS, rows.shape[1]).swapaxes(1, 2))
    added = numpy.zeros(len(rows), out.dtype) if bias is None else _whole(_solid(bias), ROWS)
    made, images = out.reshape(*out.shape[:2], -1, places[-1]), _in_rows(image)

    def piece(i: int, j: int) -> None:
        run(made[i:j], images[i:j], blocks, added, frame.zeros(), frame.begins, frame.taps, frame.starts)

    in_pieces(piece, len(image), 1)
    return True


def spread(out: Array, image: Array, weight: Array, bias: Array | None, window: Window) -> bool:
    """A convolution too, with the weight turned round, in a frame of what windows reach out of the result."""
    extent = window.extent(weight.shape[2:])
    around = tuple(e - 1 - p for e, p in zip(extent, window.padding, strict=True))
    if min(around) < 0 or window.groups != 1:
        return False
    turned = numpy.flip(weight, tuple(range(2, weight.ndim))).swapaxes(0, 1)
    return convolve(out, image, turned, bias, window._replace(padding=around))


def weigh(out: Array, image: Array, result: Array, window: Window) -> bool:
    run = _loop(tiles_compiled.weigh, out, out, result.size, window)
    if run is None or out[0].size < TAPS_IN_REGISTERS:
        return False
    count, places = len(out), result.shape[2:]
    frame = _Frame(image.shape[1], image.shape[2:], out.shape[2:], places, window)
    wide = min(PANEL, -(-count // (PANEL // 2)) * (PANEL // 2))  # of one vector, or of two
    taps = _whole(frame.taps, ROWS)
    images, given = _in_rows(image), _solid(result).reshape(len(image), count, -1)
    parts: dict[int, Array] = {}

    def piece(i: int, j: int) -> None:
        part = numpy.zeros((-(-count // wide), len(taps), wide), out.dtype)
        run(part, images[i:j], given[i:j], frame.zeros(), frame.begins, taps, frame.under)
        parts[i] = part

    in_pieces(piece, len(image), 1)
    total = sum(parts[i] for i in sorted(parts))
    found: Array = total[:, : len(frame.taps)].swapaxes(1, 2).reshape(-1, len(frame.taps))  # type: ignore[index]
    out[...] = found[:count].reshape(out.shape)
    return True
