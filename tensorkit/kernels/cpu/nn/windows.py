"""Convolution on NumPy arrays: the elements under each window become a column, and products do the rest.

An image is (n, channels, *size), a weight (out, channels / groups, *kernel). `columns` shows a block of images as
(n, groups, channels / groups * kernel, places), which is what a library for matrix products is fast with.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy
from numpy.lib.stride_tricks import as_strided

from tensorkit.kernels.cpu.nn import tiles
from tensorkit.kernels.sizes import PIECE
from tensorkit.kernels.windows import Ints, Window

Array = numpy.ndarray[Any, Any]


def _inner(before: Ints, size: Ints) -> Any:
    """Where the image lies in its frame."""
    return (..., *(slice(p, p + i) for p, i in zip(before, size, strict=True)))


def _framed(image: Array, reach: Ints, window: Window) -> Array:
    """The image in a frame of zeros, as wide as windows reach out of it."""
    size, before = image.shape[2:], window.padding
    if not any(before) and all(r <= i for r, i in zip(reach, size, strict=True)):
        return image
    around = [max(p + i, r) for p, i, r in zip(before, size, reach, strict=True)]
    framed = numpy.zeros((*image.shape[:2], *around), image.dtype)
    framed[_inner(before, size)] = image
    return framed


def _windows(image: Array, kernel: Ints, places: Ints, window: Window) -> Array:
    """A view (n, channels, *kernel, *places) of the framed image."""
    framed = _framed(image, window.reach(places, kernel), window)
    steps = framed.strides[2:]
    within = tuple(step * d for step, d in zip(steps, window.dilation, strict=True))
    onwards = tuple(step * s for step, s in zip(steps, window.stride, strict=True))
    return as_strided(framed, (*framed.shape[:2], *kernel, *places), (*framed.strides[:2], *within, *onwards))


def _blocks(count: int, size: int) -> Iterator[slice]:
    """Images in blocks whose columns stay in the processor's cache."""
    some = _at_once(count, size)
    return (slice(start, min(start + some, count)) for start in range(0, count, some))


def _at_once(count: int, size: int) -> int:
    return max(1, min(PIECE // max(1, size), count))


def _columns(seen: Array, groups: int, across: int) -> Iterator[tuple[slice, Array]]:
    """Block by block, in the same memory: that of new arrays would have to be brought in each time."""
    inner = prod(seen.shape[1:]) // max(1, groups * across)
    room = numpy.empty((_at_once(len(seen), groups * inner * across), *seen.shape[1:]), seen.dtype)
    for some in _blocks(len(seen), groups * inner * across):
        count = some.stop - some.start
        room[:count] = seen[some]
        yield some, room[:count].reshape(count, groups, inner, across)


def convolve(out: Array, image: Array, weight: Array, bias: Array | None, window: Window) -> None:
    """``out[n, o, p] = bias[o] + sum(image[n, c, p * stride + k * dilation - padding] * weight[o, c, k])``."""
    if tiles.convolve(out, image, weight, bias, window):
        return
    groups, kernel, places = window.groups, weight.shape[2:], out.shape[2:]
    across = prod(places)
    rows = numpy.ascontiguousarray(weight).reshape(groups, len(weight) // groups, weight[0].size)
    target = out if out.flags.c_contiguous else numpy.empty(out.shape, out.dtype)
    result = target.reshape(len(image), groups, len(weight) // groups, across)
    for some, columns in _columns(_windows(image, kernel, places, window), groups, across):
        numpy.matmul(rows, columns, out=result[some])
    _finish(out, target, bias)


def spread(out: Array, image: Array, weight: Array, bias: Array | None, window: Window) -> None:
    """The opposite way: each element of the image adds its multiple of the weight to a window of `out`."""
    if tiles.spread(out, image, weight, bias, window):
        return
    groups, kernel, places = window.groups, weight.shape[2:], image.shape[2:]
    inner, across = weight[0].size, prod(places)
    rows = numpy.ascontiguousarray(weight).reshape(groups, len(weight) // groups, inner).swapaxes(1, 2)
    given = numpy.ascontiguousarray(image).reshape(len(image), groups, len(weight) // groups, across)
    room = numpy.empty((_at_once(len(image), groups * inner * across), groups, inner, across), out.dtype)
    for some in _blocks(len(image), groups * inner * across):
        columns = numpy.matmul(rows, given[some], out=room[: some.stop - some.start])
        fold(out[some], columns.reshape(-1, out.shape[1], *kernel, *places), window)
    _finish(out, out, bias)


def weigh(out: Array, image: Array, result: Array, window: Window) -> None:
    """What `convolve` multiplies its weight with: ``out[o, c, k]`` sums `image` times `result` over all places."""
    if tiles.weigh(out, image, result, window):
        return
    groups, places = window.groups, result.shape[2:]
    across = prod(places)
    given = numpy.ascontiguousarray(result).reshape(len(image), groups, len(out) // groups, across)
    total = numpy.zeros((groups, len(out) // groups, out[0].size), out.dtype)
    for some, columns in _columns(_windows(image, out.shape[2:], places, window), groups, across):
        total += numpy.matmul(given[some], columns.swapaxes(2, 3)).sum(0)
    out[...] = total.reshape(out.shape)


def unfold(out: Array, image: Array, kernel: Ints, places: Ints, window: Window) -> None:
    """The elements under each window, as a column of `out`: (n, channels * kernel, places)."""
    out[...] = _windows(image, kernel, places, window).reshape(out.shape)


def fold(out: Array, columns: Array, window: Window) -> None:
    """Add columns (n, channels, *kernel, *places) into an image of zeros, each to the elements under its window."""
    rank = len(window.stride)
    kernel, places = columns.shape[2 : 2 + rank], columns.shape[2 + rank :]
    ends = (p + i for p, i in zip(window.padding, out.shape[2:], strict=True))
    around = [max(end, r) for end, r in zip(ends, window.reach(places, kernel), strict=True)]
    framed = numpy.zeros((*out.shape[:2], *around), out.dtype)
    for at in numpy.ndindex(*kernel):
        parts = zip(at, window.dilation, window.stride, places, strict=True)
        under: Any = (..., *(slice(k * d, k * d + (n - 1) * s + 1, s) for k, d, s, n in parts))
        there = framed[under]
        numpy.add(there, columns[:, :, *at], out=there)
    out[...] = framed[_inner(window.padding, out.shape[2:])]


def _finish(out: Array, made: Array, bias: Array | None) -> None:
    if bias is not None:
        made += bias.reshape(-1, *(1,) * (made.ndim - 2))
    if made is not out:
        out[...] = made
