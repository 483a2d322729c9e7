"""Shortcuts of indexing: some thousands of elements of the common dtypes, most of them in vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.device import CPU
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.shortcut import shortcut
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.plan import brief
from tensorkit.kernels.cpu import gather_compiled, tiny
from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.kernels.sizes import LOOPS, SMALL, TINY
from tensorkit.number_range import holds
from tensorkit.ops.reduction.arguments import axis_of_small
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh

_NUMBERS = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
_INT64 = (dtypes.int64,)
_ADDED = (dtypes.float32, dtypes.float64, dtypes.int64)
_BOOL = (dtypes.bool,)


# -- an index for every element -----------------------------------------------------------------------------------


def _as_matrices(dim: Any, *arrays: Array) -> tuple[Any, ...] | None:
    """A plain dimension from the front, and matrices: of vectors, those of one row. None for anything else."""
    ndim = arrays[0].ndim
    if dim.__class__ is not int or not -ndim <= dim < ndim or ndim > 2:
        return None
    for array in arrays:
        if array.ndim != ndim:
            return None
    return (dim % 2, *arrays) if ndim == 2 else (1, *[array[None] for array in arrays])


@shortcut("gather", buys="t.gather(0, ti2)", of_values=True)
def gather_of_few(
    input: Any = None, dim: Any = None, index: Any = None, *more: Any, **others: Any
) -> Tensor | None:
    """What the indices name in a vector or a matrix: of few elements, or of some hundreds by a compiled loop."""
    if more or others or not input.__class__ is index.__class__ is Tensor:
        return None
    array, places = brief(input, _NUMBERS), brief(index, _INT64)
    if array is None or places is None:
        return None
    if array.size == places.size == 1 and array.ndim == places.ndim:
        known = axis_of_small(array, dim) is not None and places.item() == 0
        return fresh(array.copy(), input._dtype) if known else None
    if array.ndim == places.ndim == 2 and dim.__class__ is int and -2 <= dim < 2:
        axis, rows, wanted = dim % 2, array, places  # `_as_matrices`, inlined
    elif (laid := _as_matrices(dim, array, places)) is not None:
        axis, rows, wanted = laid
    else:
        return None
    if wanted.shape[1 - axis] > rows.shape[1 - axis]:
        return None  # refused in PyTorch's words
    if places.size > TINY or array.size > TINY:
        found = None if tracing.active or places.size <= TINY else gather_compiled.gather(rows, wanted, axis)
    else:
        try:
            found = tiny.gathered(rows, wanted, axis)
        except IndexError:
            return None  # refused in PyTorch's words
    if found is None:
        return None
    return fresh(found if places.ndim == 2 else found.reshape(places.shape), input._dtype)


@shortcut("gather", buys="gather, contiguous, 1,000")
def gather_unrecorded(input: Any = None, *more: Any) -> Tensor | None:
    """The same, asked before all else."""
    found: Tensor | None = None if wants_grad(input) else gather_of_few(input, *more)
    return found


@shortcut("scatter_add", buys="scatter_add, contiguous, 1", of_values=True)
def scatter_add_of_few(
    input: Any = None, dim: Any = None, index: Any = None, src: Any = None, *more: Any, **others: Any
) -> Tensor | None:
    """Few elements added where the indices say, or some hundreds by a compiled loop."""
    if more or others or not (input.__class__ is index.__class__ is src.__class__ is Tensor):
        return None
    array, places, values = brief(input, _ADDED), brief(index, _INT64), brief(src, _ADDED)
    if array is None or places is None or values is None or input._dtype is not src._dtype:
        return None
    if places.size == 1 and array.size == values.size == 1 and array.ndim == places.ndim == values.ndim:
        if axis_of_small(array, dim) is None or places.item() != 0:
            return None  # refused in PyTorch's words
        return fresh(quiet(numpy.add, array, values), input._dtype)
    made = array.copy()
    laid = _as_matrices(dim, made, places, values)
    if laid is None:
        return None
    axis, target, wanted, given = laid
    rows, columns = wanted.shape
    if wanted.shape[1 - axis] > target.shape[1 - axis] or rows > given.shape[0] or columns > given.shape[1]:
        return None
    if given.shape != wanted.shape:
        given = given[:rows, :columns]
    if places.size >= LOOPS:
        return fresh(made, input._dtype) if gather_compiled.add_at(target, wanted, axis, given) else None
    if not tiny.within(places, target.shape[axis]):
        return None  # refused in PyTorch's words
    width = target.shape[1]
    if axis:
        flat = [r * width + place for r, line in enumerate(wanted.tolist()) for place in line]
    else:
        flat = [c + width * place for line in wanted.tolist() for c, place in enumerate(line)]
    try:
        tiny.add_at(made, flat, given)
    except ValueError:
        return None  # a sum of integers that wraps around
    return fresh(made, input._dtype)


# -- an index for every slice -------------------------------------------------------------------------------------


@shortcut("index_select", buys="t.index_select(0, ti)", of_values=True)
def index_select_of_few(
    input: Any = None, dim: Any = None, index: Any = None, *more: Any, **others: Any
) -> Tensor | None:
    """The slices of a few elements that a vector of indices names."""
    if more or others or tracing.active or not input.__class__ is index.__class__ is Tensor:
        return None
    array, places = brief(input, _NUMBERS), brief(index, _INT64)
    if array is None or places is None or places.ndim != 1:
        return None
    axis = axis_of_small(array, dim)
    if axis is None or places.item(places.argmin()) < 0:
        return None
    try:
        return fresh(array.take(places, axis), input._dtype)
    except IndexError:
        return None  # refused in PyTorch's words


@shortcut("index_add", buys="index_add, contiguous, 1", of_values=True)
def index_add_of_few(
    input: Any = None, dim: Any = None, index: Any = None, source: Any = None, *more: Any, **others: Any
) -> Tensor | None:
    """Rows of few elements added to those of a matrix, or of hundreds by a compiled loop."""
    if more or others or not (input.__class__ is index.__class__ is source.__class__ is Tensor):
        return None
    array, places, values = brief(input, _ADDED), brief(index, _INT64), brief(source, _ADDED)
    if array is None or places is None or values is None or input._dtype is not source._dtype:
        return None
    if axis_of_small(array, dim) != 0 or array.ndim != 2 or places.ndim != 1:
        return None
    if values.shape != (len(places), array.shape[1]):
        return None  # refused in PyTorch's words
    made, width = array.copy(), array.shape[1]
    if values.size >= LOOPS:
        return fresh(made, input._dtype) if gather_compiled.add_rows(made, places, values) else None
    if not tiny.within(places, len(array)):
        return None  # refused in PyTorch's words
    try:
        tiny.add_at(made, [place * width + c for place in places.tolist() for c in range(width)], values)
    except ValueError:
        return None  # a sum of integers that wraps around
    return fresh(made, input._dtype)


# -- masks --------------------------------------------------------------------------------------------------------


@shortcut("masked_fill", buys="a.masked_fill(m, 0.0)", of_values=True)
def masked_fill_of_few(
    input: Any = None, mask: Any = None, value: Any = None, *more: Any, **others: Any
) -> Tensor | None:
    """A copy of few numbers, with another one where a mask of their size is true."""
    if more or others or not input.__class__ is mask.__class__ is Tensor:
        return None
    array, chosen = brief(input), brief(mask, _BOOL)
    if array is None or chosen is None or chosen.shape != array.shape or not holds(input._dtype, value):
        return None
    made = array.copy()
    numpy.putmask(made, chosen, value)
    return fresh(made, input._dtype)


# -- square brackets ----------------------------------------------------------------------------------------------


def _row_major(input: Tensor) -> Any:
    """The array of a row-major tensor of few elements, None for any other."""
    array = input._array
    if array is None:
        if input._device is not CPU or input._bits:
            return None
        array = input._nd()
    return array if array.size <= SMALL and array.flags.c_contiguous else None


def _lies_apart(input: Tensor, array: Any) -> bool:
    """Whether a dimension of length 1 has another step than in a fresh tensor: a result would keep it in PyTorch."""
    return 1 in array.shape and input._lay().stride != contiguous_stride(array.shape)


def _as_numpy(array: Any, key: Any) -> Any:
    """A list of integers, a mask of the very size, or a row of indices as NumPy takes them; None for other keys."""
    if type(key) is list:
        return key if key and all(type(part) is int for part in key) else None
    picks = _row_major(key)
    if picks is None or not picks.ndim:
        return None
    if key._dtype is dtypes.bool:
        return picks if picks.shape == array.shape else None
    return picks if key._dtype is dtypes.int64 else None


@shortcut("getitem", buys="t[tm]", of_values=True)
def picked_of_few(input: Tensor, key: Any) -> Tensor | None:
    """What one mask, one tensor of indices or a list picks from few elements."""
    array = _row_major(input)
    if array is None or not array.size or not array.ndim or _lies_apart(input, array):
        return _masked_few(input, key)
    picks = _as_numpy(array, key)
    if picks is None:
        return _masked_few(input, key)
    try:
        found = array[picks]
    except IndexError:
        return None  # refused in PyTorch's words
    # PyTorch gives a tensor of no elements in several dimensions strides of its own.
    return (
        fresh(found, input._dtype) if found.ndim == 1 or (found.size and found.flags.c_contiguous) else None
    )


def _mask_of(input: Tensor, key: Any) -> tuple[Array, Array] | None:
    """The arrays of few elements and of a mask of their size, however they lie; None for others."""
    if key.__class__ is not Tensor or key._dtype is not dtypes.bool or key._device is not CPU:
        return None
    if input._device is not CPU or input._bits:
        return None
    array, mask = input._nd(), key._nd()
    return (array, mask) if 0 < array.size <= SMALL and array.shape == mask.shape and array.ndim else None


def _masked_few(input: Tensor, key: Any) -> Tensor | None:
    """What a mask of their size picks from few elements, however they lie."""
    found = _mask_of(input, key)
    if found is None:
        return None
    return fresh(found[0][found[1]], input._dtype)


def _filled_few(input: Tensor, key: Any, value: Any) -> bool | None:
    """Write a number where a mask of their size is true, into few elements, however they lie."""
    found = _mask_of(input, key)
    if found is None or value.__class__ is Tensor or wants_grad(input) or not holds(input._dtype, value):
        return None
    if 0 in found[0].strides or input is key or (key._storage is not None and key._storage is input._storage):
        return None
    if input._dtype in LIMITED:
        return None
    numpy.copyto(found[0], value, where=found[1], casting="unsafe")
    input._bump()
    return True


def _plain_part(part: Any) -> bool:
    """Whether a part of a key means to NumPy what it means here."""
    kind = type(part)
    if kind is slice:
        return (part.step is None or (type(part.step) is int and part.step > 0)) and all(
            end is None or type(end) is int for end in (part.start, part.stop)
        )
    return kind is int or part is ...


@shortcut("setitem", buys="t[0] = 1", of_values=True)
def written_into_few(input: Tensor, key: Any, value: Any) -> bool | None:
    """Write into few elements by NumPy's own rules, where they are PyTorch's."""
    array = _row_major(input)
    if array is None or not array.size or wants_grad(input):
        return _filled_few(input, key, value)
    if type(value) is Tensor:
        if value._dtype is not input._dtype or wants_grad(value):
            return None
        source = _row_major(value)
        if (
            source is None
            or input is value
            or (value._storage is not None and value._storage is input._storage)
        ):
            return None
    elif holds(input._dtype, value):
        source = value
    else:
        return None
    kind = type(key)
    if kind is int or kind is slice:
        place = key if _plain_part(key) else None
    elif kind is tuple:
        place = key if all(_plain_part(part) for part in key) else None
    elif (kind is Tensor or kind is list) and type(value) is not Tensor and array.ndim:
        place = _as_numpy(array, key)
    else:
        place = None
    if place is None:
        return _filled_few(input, key, value)
    try:
        array[place] = source
    except (IndexError, TypeError, ValueError):
        return None  # refused in PyTorch's words, or no way of NumPy's
    input._bump()
    return True
