"""Shortcuts of what copies elements: `clone`, `copy_`, conversions, `flip`, `roll`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.device import CPU
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.shortcut import shortcut
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.plan import brief
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.sizes import LARGE, SMALL
from tensorkit.ops.reduction.arguments import axis_of_small
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh

#: The dtypes between which NumPy converts as PyTorch does.
_CONVERTED_BY_NUMPY = frozenset(
    kind for kind in dtypes.ALL if kind.category < 2 or kind in (dtypes.float32, dtypes.float64)
)


@functools.lru_cache(4096)
def _like_layout(
    size: tuple[int, ...], stride: tuple[int, ...], item: int
) -> tuple[Layout, tuple[int, ...], bool]:
    """The layout of a copy that keeps the order of dimensions, its strides in bytes, and whether it is row-major."""
    like = Layout(size, like_strides(Layout(size, stride)))
    return like, tuple([step * item for step in like.stride]), like.stride == contiguous_stride(size)


def like_input(made: Array, input: Tensor, kind: dtype | None = None) -> Tensor:
    """A new array of few elements as a tensor with the strides of ``empty_like``, of another dtype if one is named."""
    lay = input._layout or input._lay()
    like, steps, row_major = _like_layout(lay.size, lay.stride, made.itemsize)
    if made.strides != steps or made.base is not None:
        # Along dimensions of one element NumPy has strides of its own.
        held = numpy.ndarray(made.shape, made.dtype, None, 0, steps)
        held[...] = made
        made = held
    out = fresh(made, kind or input._dtype)
    if not row_major:
        out._layout, out._solid = like, False
    return out


def _copied_few(input: Tensor, kind: dtype) -> Tensor | None:
    """A copy of few elements in any order, as real numbers of another dtype maybe; None for all others."""
    own = input._dtype
    if input._device is not CPU or own.category > 2 or kind.category > 2:
        return None
    array = input._array
    if array is None:
        array = input._nd()
    size = array.size
    if not 0 < size <= SMALL:
        return None
    alike = own is kind
    wide = own in _CONVERTED_BY_NUMPY and kind in _CONVERTED_BY_NUMPY
    if size == 1 and (alike or wide):
        return _one_like(array, input, kind)
    if alike:
        return like_input(array.copy("K"), input, kind)
    if wide:
        return like_input(kernels.quiet(array.astype, kind.numpy), input, kind)
    return like_input(kernels.cast(array, kind), input, kind)


def _one_like(array: Array, input: Tensor, kind: dtype) -> Tensor:
    """`_copied_few` of one element, which is written once."""
    lay = input._layout or input._lay()
    like, steps, row_major = _like_layout(lay.size, lay.stride, kind.itemsize)
    held = numpy.ndarray(array.shape, kind.numpy, None, 0, steps)
    try:
        kernels.quiet_here(held.__setitem__, ..., array)
    except RuntimeError:  # another thread is inside
        kernels.quiet(held.__setitem__, ..., array)
    out = fresh(held, kind)
    if not row_major:
        out._layout, out._solid = like, False
    return out


@shortcut("clone", buys="clone, contiguous, 1", of_values=True)
def clone_of_plain(input: Any = None, *more: Any, memory_format: Any = None, **others: Any) -> Tensor | None:
    if more or others or memory_format is not None or tracing.active or input.__class__ is not Tensor:
        return None
    if input._array is not None and input._solid:
        return fresh(input._array.copy(), input._dtype)
    return _copied_few(input, input._dtype)


@shortcut("copy_", buys="a.copy_(b)", of_values=True)
def copy_between_plain(
    input: Any = None, src: Any = None, non_blocking: Any = False, *more: Any
) -> Tensor | None:
    """Row-major tensors of few elements, of one size and dtype, in different memory."""
    if more or input.__class__ is not Tensor or src.__class__ is not Tensor or non_blocking is not False:
        return None
    x, y = input._array, src._array
    if x is None or y is None or not input._solid or input._dtype is not src._dtype:
        return None
    if tracing.active or x.size >= LARGE or x.shape != y.shape or input is src:
        return None
    if input._storage is not None and input._storage is src._storage:
        return None
    x[...] = y
    input._bump()
    return input


@shortcut("to_dtype", buys="t.to(f64)", of_values=True)
def converted_few(input: Tensor, kind: dtype, *, copy: bool = False, wanted: Any = None) -> Tensor | None:
    if (input._dtype is kind and not copy) or wanted is not None or tracing.active or wants_grad(input):
        return None
    array: Any = input._array
    if (
        array is not None
        and input._solid
        and array.size < LARGE
        and max(input._dtype.category, kind.category) < 3
    ):
        return fresh(kernels.cast(array, kind) if input._dtype is not kind else array.copy(), kind)
    return _copied_few(input, kind)


@functools.lru_cache(256)
def _backwards(ndim: int, places: tuple[int, ...]) -> tuple[Any, ...]:
    """The key of an array's elements in reverse order along some dimensions.

    The ellipsis keeps an array without dimensions an array: slices alone would give a number of NumPy's.
    """
    whole, back = slice(None), slice(None, None, -1)
    return (..., *(back if dim in places else whole for dim in range(ndim)))


@shortcut("flipped", buys="flip, contiguous, 1", of_values=True)
def flipped_few(input: Tensor, places: Sequence[int]) -> Tensor | None:
    if input._device is not CPU or input._bits or input._dtype in LIMITED or tracing.active:
        return None
    array = input._nd()
    if not 0 < array.size <= SMALL:
        return None
    return like_input(array[_backwards(array.ndim, tuple(places))].copy("K"), input)


@shortcut("Tensor.flip", buys="flip, contiguous, 1", of_values=True)
def flipped_along(input: Any, *places: Any, **others: Any) -> Tensor | None:
    """Some hundreds of numbers in reverse order along one dimension."""
    if others or len(places) != 1 or tracing.active or wants_grad(input):
        return None
    array = brief(input)
    axis = None if array is None else axis_of_small(array, places[0])
    if array is None or axis is None:
        return None
    return like_input(array[_backwards(array.ndim, (axis,))].copy("K"), input)


@functools.lru_cache(64)
def _sources(n: int, shift: int) -> Array:
    """The index that each of some elements comes from when they move by `shift`."""
    return (numpy.arange(n) - shift) % n


@shortcut("roll", buys="roll, contiguous, 1", of_values=True)
def rolled_few(
    input: Any = None, shifts: Any = None, dims: Any = None, *more: Any, **others: Any
) -> Tensor | None:
    """Some hundreds of numbers moved along one dimension."""
    if more or others or shifts.__class__ is not int or dims.__class__ is not int or tracing.active:
        return None
    array = brief(input) if input.__class__ is Tensor else None
    if array is None or array.ndim > 3:  # images and volumes keep their order in memory
        return None
    axis = axis_of_small(array, dims)
    if axis is None:
        return None
    n = array.shape[axis]
    return fresh(array.take(_sources(n, shifts % n), axis), input._dtype)
