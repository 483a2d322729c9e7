"""Launching the kernels of windows: every image becomes one of three spatial dimensions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.dtypes import dtype
from tensorkit.kernels.cuda import half
from tensorkit.kernels.cuda.compile import Argument, Int, Ints, Kernel, Pointer
from tensorkit.kernels.cuda.emulator import runner_for
from tensorkit.kernels.cuda.launch import check_reach, launch_kernel
from tensorkit.kernels.cuda.plan import Operand
from tensorkit.kernels.cuda.windows import kernels
from tensorkit.kernels.windows import Window

Sizes = tuple[int, ...]


def _size_3d(size: Sizes) -> Sizes:
    return (*size[:2], *(1,) * (5 - len(size)), *size[2:])


def _stride_3d(operand: Operand) -> Sizes:
    stride = operand.stride
    return (*stride[:2], *(0,) * (5 - len(stride)), *stride[2:])


def _spatial_3d(size: Sizes) -> Sizes:
    return (1,) * (3 - len(size)) + size


def _moves(window: Window) -> Sizes:
    window = window.as_3d()
    return (*window.stride, *window.padding, *window.dilation)


@cache
def _kernel(body: Callable[..., None], kind: dtype, native: bool, pointers: int, lengths: Sizes) -> Kernel:
    """A body for one dtype: its arguments are a count, pointers, tuples of these lengths, and integers (length 0)."""
    compute: dtype = getattr(dtypes, half.math_name(kind))
    read = half.reader(kind, compute, native)
    names: dict[str, Any] = {
        "read_a": read,
        "read_b": read,
        "read_c": read,
        "write": half.writer(compute, kind, native),
        "zero": getattr(numpy, compute.name)(0),
    }
    raw: Argument = Pointer(half.raw_name(kind.name, native))
    layouts = tuple(Ints(length) if length else Int() for length in lengths)
    return Kernel(f"{body.__name__}_{kind.name}", body, names, (Int(), *(raw,) * pointers, *layouts))


def _launch(body: Callable[..., None], count: int, operands: tuple[Operand, ...], layouts: Any) -> None:
    out = operands[0]
    lengths = tuple(len(part) if isinstance(part, tuple) else 0 for part in layouts)
    kernel = _kernel(body, out.dtype, runner_for(out.buffer).native_half, len(operands), lengths)
    launch_kernel(kernel, (count,), operands, layouts, threads=count)


def _multiply(
    body: Callable[..., None],
    operands: tuple[Operand, ...],
    sizes: tuple[Sizes, ...],
    bias: Operand | None,
    window: Window,
    channels: int,
) -> None:
    if 0 in sizes[0]:
        return
    check_reach(tuple(zip(operands, sizes, strict=True)))
    step, added = (0, 0) if bias is None else (bias.stride[0], 1)
    layouts = (*map(_size_3d, sizes), *map(_stride_3d, operands), step, added, _moves(window), channels)
    # The kernel needs a pointer even without a bias.
    _launch(body, prod(sizes[0]), (*operands, bias or operands[-1]), layouts)


def convolve(
    out: Operand, image: Operand, weight: Operand, bias: Operand | None, sizes: Any, window: Window
) -> None:
    """``out[n, o, p] = bias[o] + sum(image[n, c, p * stride + k * dilation - padding] * weight[o, c, k])``.

    Args:
        sizes: of `out`, `image` and `weight`: (n, channels, *spatial), (n, channels, *spatial), (out, in, *kernel).
    """
    outs = sizes[0][1] // window.groups
    _multiply(kernels.convolve, (out, image, weight), sizes, bias, window, outs)


def spread(
    out: Operand, image: Operand, weight: Operand, bias: Operand | None, sizes: Any, window: Window
) -> None:
    """The opposite way: each element of the image adds its multiple of the weight to a window of `out`."""
    ins = sizes[2][0] // window.groups
    _multiply(kernels.spread, (out, image, weight), sizes, bias, window, ins)


def weigh(out: Operand, image: Operand, result: Operand, sizes: Any, window: Window) -> None:
    """What `convolve` multiplies its weight with: ``out[o, c, k]`` sums `image` times `result` over all places."""
    if 0 in sizes[0]:
        return
    operands = (out, image, result)
    check_reach(tuple(zip(operands, sizes, strict=True)))
    outs = sizes[0][0] // window.groups
    layouts = (*map(_size_3d, sizes), *map(_stride_3d, operands), _moves(window), outs)
    _launch(kernels.weigh, prod(sizes[0]), operands, layouts)


def unfold(
    out: Operand, image: Operand, size: Sizes, image_size: Sizes, kernel: Sizes, places: Sizes, window: Window
) -> None:
    """The elements under each window, as a column of `out`: (n, channels * kernel, places)."""
    check_reach(((out, size), (image, image_size)))
    shapes = (_size_3d(image_size), _spatial_3d(kernel), _spatial_3d(places))
    layouts = (*shapes, out.stride, _stride_3d(image), _moves(window))
    _launch(kernels.unfold, prod(size), (out, image), layouts)


def fold(
    out: Operand, columns: Operand, size: Sizes, given: Sizes, kernel: Sizes, places: Sizes, window: Window
) -> None:
    """Add columns (n, channels * kernel, places) to the elements under the windows."""
    check_reach(((out, size), (columns, given)))
    shapes = (_size_3d(size), _spatial_3d(kernel), _spatial_3d(places))
    layouts = (*shapes, _stride_3d(out), columns.stride, _moves(window))
    _launch(kernels.fold, prod(size), (out, columns), layouts)
