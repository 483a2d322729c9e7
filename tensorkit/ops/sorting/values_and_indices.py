"""What the sorting operations share: their checks, rows of an array, and a pair of results."""

from __future__ import annotations

import functools
from typing import Any

import numpy

from tensorkit import dtypes, return_types
from tensorkit.device import CPU
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import check_overlap, empty_strided, resize_out
from tensorkit.errors import MissingKernelError
from tensorkit.kernels.cpu import parallel
from tensorkit.kernels.sizes import TINY
from tensorkit.ops.reduction.arguments import put_along
from tensorkit.ops.shared.copy import copy_into, deliver
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Tensor

Pair = tuple[Tensor, Tensor]


# -- arguments ----------------------------------------------------------------------------------------------------


def axis_of(dim: Any, ndim: int) -> int:
    """A dimension, counted from the front. The caller turns a TypeError into PyTorch's message."""
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError
    return normalise_dim(dim.__index__(), ndim)


def whole(k: Any) -> int:
    if isinstance(k, bool) or not hasattr(k, "__index__"):
        raise TypeError
    return int(k.__index__())


def check_flags(*flags: Any) -> None:
    for flag in flags:
        if not isinstance(flag, bool):
            raise TypeError


def check_tensor(input: Any) -> None:
    if not isinstance(input, Tensor):
        raise TypeError


def on_host(input: Tensor, name: str) -> Array:
    """The elements of a tensor on the CPU.

    Raises:
        MissingKernelError: for one elsewhere.
    """
    if input._device != CPU:
        raise MissingKernelError(
            f"Could not run 'aten::{name}' with arguments from the '{input._device.type.upper()}' backend. "
            "Move the tensor first: t.cpu() returns a copy on the CPU."
        )
    return input._nd()


def as_rows(array: Array, axis: int) -> Array:
    """The array as a matrix, whose rows run along one of its dimensions."""
    moved = move_axis(array, axis, -1)
    return numpy.ascontiguousarray(moved).reshape(-1, array.shape[axis])


def move_axis(array: Array, source: int, target: int) -> Array:
    """``numpy.moveaxis``, which takes a while to find that there is nothing to move."""
    ndim = array.ndim
    return array if source % ndim == target % ndim else numpy.moveaxis(array, source, target)


@functools.lru_cache(256)
def _starts(count: int, width: int) -> Array:
    """Where the rows of a matrix begin."""
    return numpy.arange(0, count * width, width)[:, None] if width else numpy.zeros((count, 1), numpy.int64)


def picked(rows: Array, order: Array) -> Array:
    if rows.shape[0] == 1:
        only: Array = rows[0].take(order[0])
        return only[None]
    if order.size <= TINY:
        starts = _starts(*rows.shape)
        return rows.reshape(-1).take(order + starts)
    quick = parallel.gathered(rows, order, 1) if rows.shape == order.shape else None
    return numpy.take_along_axis(rows, order, -1) if quick is None else quick


# -- how gradients pass back --------------------------------------------------------------------------------------


def spread(g: Any, c: Any) -> Any:
    """Each gradient goes to the place that its element was taken from."""
    size = c.input_face.size
    return put_along(g[0], c.indices, normalise_dim(c.dim.__index__(), len(size)), size)


# -- results ------------------------------------------------------------------------------------------------------


def two_of(name: str, out: Any) -> tuple[Any, Any]:
    """The two tensors that were given as ``out=``."""
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type_name(out)}")
    if len(out) != 2:
        raise TypeError(f"expected tuple of 2 elements but got {len(out)}")
    for place, one in enumerate(out):
        if not isinstance(one, Tensor):
            raise TypeError(
                f"{name}(): argument 'out' must be tuple of Tensors, but found element of type "
                f"{type_name(one)} at pos {place}"
            )
    return out[0], out[1]


def _check_exact(out: Tensor, kind: dtype) -> None:
    if out._dtype is not kind:
        raise RuntimeError(
            f"Expected out tensor to have dtype {cpp_name(kind)}, but got {cpp_name(out._dtype)} instead"
        )


def make_room(out: Any, size: tuple[int, ...], kind: dtype) -> None:
    """Check and resize what was given as ``out=`` as PyTorch does, before it finds out that it has no kernel."""
    for target, wanted in zip(out or (), (kind, dtypes.int64), strict=False):
        _check_exact(target, wanted)
        resize_out(target, size)


def write_out(result: Tensor, out: Tensor) -> Tensor:
    resize_out(out, result._lay().size, result._lay().stride)
    copy_into(out, result)
    out._bump()
    return out


def named(name: str, results: Pair, out: Any, read: Tensor | None = None) -> Any:
    """The two results under their names; or written into the two tensors given, which must not lie in what was read."""
    if out is None:
        return getattr(return_types, name)(results)
    given = two_of(name, out)
    for target, result in zip(given, results, strict=True):
        _check_exact(target, result._dtype)
        resize_out(target, result._lay().size, result._lay().stride)
        if read is not None and read.dim():
            check_overlap(target, read)
    written = [write_out(result, target) for target, result in zip(given, results, strict=True)]
    return getattr(return_types, f"{name}_out")(written)


def shaped(rows: Array, input: Tensor, axis: int, kind: dtype) -> Tensor:
    """Rows that ran along a dimension, laid out in memory as the input lies."""
    lay = input._lay()
    stride = like_strides(lay)
    shape = (*lay.size[:axis], *lay.size[axis + 1 :], lay.size[axis])
    moved = move_axis(rows.reshape(shape), -1, axis)
    if stride == contiguous_stride(lay.size):
        return deliver(moved, kind)
    out = empty_strided(lay.size, stride, kind, CPU)
    out._nd()[...] = moved
    return out
