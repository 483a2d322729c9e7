"""Shortcuts of reductions and scans of up to some thousands of elements, of all or along a dimension.

All take the arguments of their operation, and return None for what they do not know.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes, return_types
from tensorkit.dispatch.shortcut import shortcut
from tensorkit.dispatch.unsaid import UNSAID
from tensorkit.elementwise.plan import brief
from tensorkit.kernels.cpu import minmax_compiled, tiny
from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.kernels.sizes import TINY
from tensorkit.ops.reduction.arguments import axis_of_small, reduced_size, sum_of_some
from tensorkit.tensor import Array, Tensor, fresh

# -- sums -----------------------------------------------------------------------------------------------------------


def _added(input: Any, dim: Any, keepdim: Any, shared: bool) -> Tensor | None:
    """The sum of floating point numbers, or (`shared`) their mean."""
    array = brief(input) if isinstance(input, Tensor) else None
    if array is None or (keepdim is not False and (keepdim is not True or dim is UNSAID)):
        return None
    axis = None if dim is UNSAID else axis_of_small(array, dim)
    if axis is None and dim is not UNSAID:
        return None
    values = quiet(sum_of_some, array, axis)
    if values is None:
        return None
    if shared and axis is None:
        values = numpy.array(values.item() / array.size, array.dtype)
    elif shared:
        values = quiet(numpy.true_divide, values, array.shape[axis], values)
    if keepdim and axis is not None:
        values = values.reshape(reduced_size(array.shape, (axis,), True))
    return fresh(values, input._dtype)


@shortcut("sum", buys="t.sum()", of_values=True)
def sum_of_some_numbers(
    input: Any = None, dim: Any = UNSAID, keepdim: Any = False, *more: Any, **others: Any
) -> Any:
    """``sum`` without a dtype and `out`."""
    return None if more or others else _added(input, dim, keepdim, False)


@shortcut("mean", buys="t.mean()", of_values=True)
def mean_of_some_numbers(
    input: Any = None, dim: Any = UNSAID, keepdim: Any = False, *more: Any, **others: Any
) -> Any:
    """``mean`` without a dtype and `out`."""
    return None if more or others else _added(input, dim, keepdim, True)


# -- extremes -------------------------------------------------------------------------------------------------------

_COMPARED = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)


def _compared(input: Any) -> Array | None:
    return brief(input, _COMPARED) if isinstance(input, Tensor) else None


def _extreme(largest: bool, array: Array, kind: dtypes.dtype) -> Tensor | None:
    """The extreme of all elements; None for one of several zeros: NumPy knows which, and so its sign."""
    value = array.item(array.argmax() if largest else array.argmin())
    if not value and (array.size > TINY or array.ravel().tolist().count(0) > 1):
        return None
    return fresh(numpy.array(value, array.dtype), kind)


def _extremes(largest: bool, input: Any, dim: Any, keepdim: Any) -> Tensor | None:
    """The extremes of all elements, or of those along a dimension."""
    array = _compared(input) if keepdim is False else None
    if array is None:
        return None
    axis = axis_of_small(array, dim)
    if (dim.__class__ is tuple and not dim) if axis is None else array.ndim == 1:
        return _extreme(largest, array, input._dtype)
    if axis is None:
        return None
    if array.size <= TINY and array.flags.c_contiguous:
        values = tiny.extreme_along(largest, array, axis)[0]
        if 0 not in values.reshape(-1).tolist():
            return fresh(values, input._dtype)
    values = minmax_compiled.along(largest, array, axis)
    if values is None:
        # NumPy keeps the order in which dimensions lie.
        ufunc = numpy.maximum if largest else numpy.minimum
        values = numpy.asarray(quiet(ufunc.reduce, array, axis), order="C")
    return fresh(values, input._dtype)


@shortcut("amax", buys="t.amax(1)", of_values=True)
def amax_of_some(input: Any = None, dim: Any = (), keepdim: Any = False, *more: Any, **others: Any) -> Any:
    """``amax`` along one dimension or all."""
    return None if more or others else _extremes(True, input, dim, keepdim)


@shortcut("amin", buys="t.amax(1)", of_values=True)
def amin_of_some(input: Any = None, dim: Any = (), keepdim: Any = False, *more: Any, **others: Any) -> Any:
    """``amin`` along one dimension or all."""
    return None if more or others else _extremes(False, input, dim, keepdim)


def _chosen(largest: bool, input: Any, dim: Any, keepdim: Any) -> Any:
    """The extreme of all elements; or those along a dimension, and where they are."""
    if keepdim is not False or (dim is not UNSAID and dim.__class__ is not int):
        return None
    array = _compared(input)
    if array is None:
        return None
    if dim is UNSAID:
        return _extreme(largest, array, input._dtype)
    if (axis := axis_of_small(array, dim)) is None:
        return None
    few = array.size <= TINY and array.flags.c_contiguous
    found = (tiny.extreme_along if few else minmax_compiled.chosen)(largest, array, axis)
    if found is None:
        return None
    pair = return_types.max if largest else return_types.min
    return pair((fresh(found[0], input._dtype), fresh(found[1], dtypes.int64)))


@shortcut("max", buys="t.max()", of_values=True)
def max_of_some(input: Any = None, dim: Any = UNSAID, keepdim: Any = False, *more: Any, **others: Any) -> Any:
    """``max`` of one tensor."""
    return None if more or others else _chosen(True, input, dim, keepdim)


@shortcut("min", buys="t.min()", of_values=True)
def min_of_some(input: Any = None, dim: Any = UNSAID, keepdim: Any = False, *more: Any, **others: Any) -> Any:
    """``min`` of one tensor."""
    return None if more or others else _chosen(False, input, dim, keepdim)


def _place(find: str, input: Any, dim: Any, keepdim: Any) -> Tensor | None:
    """Where NumPy's `argmax` or `argmin` finds the extreme."""
    array = _compared(input) if keepdim is False else None
    axis = None if array is None or dim is None else axis_of_small(array, dim)
    if array is None or (axis is None and dim is not None):
        return None
    return fresh(numpy.asarray(getattr(array, find)(axis)), dtypes.int64)


@shortcut("argmax", buys="t.argmax()", of_values=True)
def argmax_of_some(
    input: Any = None, dim: Any = None, keepdim: Any = False, *more: Any, **others: Any
) -> Any:
    """``argmax`` of all elements or along a dimension."""
    return None if more or others else _place("argmax", input, dim, keepdim)


@shortcut("argmin", buys="t.argmax()", of_values=True)
def argmin_of_some(
    input: Any = None, dim: Any = None, keepdim: Any = False, *more: Any, **others: Any
) -> Any:
    """``argmin`` of all elements or along a dimension."""
    return None if more or others else _place("argmin", input, dim, keepdim)
