"""Shortcuts of reductions and scans of up to some thousands of elements, of all or along a dimension.

All take the arguments of their operation, and return None for what they do not know.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy

from tensorkit import dtypes, return_types
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.shortcut import shortcut
from tensorkit.dispatch.unsaid import UNSAID
from tensorkit.elementwise.plan import brief
from tensorkit.kernels.cpu import minmax_compiled, parallel, tiny
from tensorkit.kernels.cpu.elementwise import quiet, quiet_here
from tensorkit.kernels.cpu.sums import sum_compiled
from tensorkit.kernels.sizes import TINY
from tensorkit.ops.reduction.arguments import axis_of_small, reduced_size, sum_of_some
from tensorkit.ops.reduction.norm import norm_of
from tensorkit.ops.reduction.softmax import softmax_of_some
from tensorkit.ops.reduction.var_std import warn_freedom
from tensorkit.tensor import Array, Tensor, fresh

# -- sums -----------------------------------------------------------------------------------------------------------


def _added(
    shared: bool, input: Any = None, dim: Any = UNSAID, keepdim: Any = False, *more: Any, **others: Any
) -> Tensor | None:
    """The sum of floating point numbers, or (`shared`) their mean."""
    array = None if more or others or not isinstance(input, Tensor) else brief(input)
    if array is None or (keepdim is not False and (keepdim is not True or dim is UNSAID)):
        return None
    axis = None if dim is UNSAID else axis_of_small(array, dim)
    if axis is None and dim is not UNSAID:
        return None
    try:
        values = quiet_here(sum_of_some, array, axis)
    except RuntimeError:  # another thread is inside
        values = quiet(sum_of_some, array, axis)
    if values is None:
        return None
    if shared and array.size > 1:
        if axis is None:
            values = numpy.array(values.item() / array.size, array.dtype)
        else:
            values = quiet(numpy.true_divide, values, array.shape[axis], values)
    if keepdim and axis is not None:
        values = values.reshape(reduced_size(array.shape, (axis,), True))
    return fresh(values, input._dtype)


shortcut("sum", buys="t.sum()", of_values=True)(partial(_added, False))
shortcut("mean", buys="t.mean()", of_values=True)(partial(_added, True))

# -- extremes -------------------------------------------------------------------------------------------------------

_COMPARED = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)


def _extreme(largest: bool, array: Array, kind: dtypes.dtype) -> Tensor | None:
    """The extreme of all elements; None for one of several zeros: NumPy knows which, and so its sign."""
    value = array.item(array.argmax() if largest else array.argmin())
    if not value and (array.size > TINY or array.ravel().tolist().count(0) > 1):
        return None
    return fresh(numpy.array(value, array.dtype), kind)


def _extremes(
    largest: bool, input: Any = None, dim: Any = (), keepdim: Any = False, *more: Any, **others: Any
) -> Tensor | None:
    """The extremes of all elements, or of those along a dimension."""
    array = None if more or others or not isinstance(input, Tensor) else brief(input, _COMPARED)
    if array is None or keepdim is not False:
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
    found = minmax_compiled.along(largest, array, axis)
    if found is None:
        # NumPy keeps the order in which dimensions lie.
        ufunc = numpy.maximum if largest else numpy.minimum
        found = numpy.asarray(quiet(ufunc.reduce, array, axis), order="C")
    return fresh(found, input._dtype)


shortcut("amax", buys="t.amax(1)", of_values=True)(partial(_extremes, True))
shortcut("amin", buys="t.amax(1)", of_values=True)(partial(_extremes, False))


def _chosen(
    largest: bool, input: Any = None, dim: Any = UNSAID, keepdim: Any = False, *more: Any, **others: Any
) -> Any:
    """The extreme of all elements; or those along a dimension, and where they are."""
    array = None if more or others or not isinstance(input, Tensor) else brief(input, _COMPARED)
    if array is None or keepdim is not False:
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


shortcut("max", buys="t.max()", of_values=True)(partial(_chosen, True))
shortcut("min", buys="t.min()", of_values=True)(partial(_chosen, False))


def _place(
    find: Any, input: Any = None, dim: Any = None, keepdim: Any = False, *more: Any, **others: Any
) -> Tensor | None:
    """Where NumPy finds the extreme of all elements, or those along a dimension."""
    array = None if more or others or not isinstance(input, Tensor) else brief(input, _COMPARED)
    axis = None if array is None or dim is None else axis_of_small(array, dim)
    if array is None or keepdim is not False or (axis is None and dim is not None):
        return None
    return fresh(numpy.asarray(find(array, axis)), dtypes.int64)


shortcut("argmax", buys="t.argmax()", of_values=True)(partial(_place, numpy.ndarray.argmax))
shortcut("argmin", buys="t.argmax()", of_values=True)(partial(_place, numpy.ndarray.argmin))

# -- truths ---------------------------------------------------------------------------------------------------------

_BOOLS: tuple[dtypes.dtype, ...] = (dtypes.bool,)


def _truth(every: bool, input: Any = None, *more: Any, **others: Any) -> Tensor | None:
    """Whether all of some bools are true, or any."""
    array = None if more or others or not isinstance(input, Tensor) else brief(input, _BOOLS)
    return None if array is None else fresh(tiny.truth(every, array), dtypes.bool)


shortcut("all", buys="tm.all()", of_values=True)(partial(_truth, True))
shortcut("any", buys="tm.any()", of_values=True)(partial(_truth, False))


@shortcut("count_nonzero", buys="count_nonzero, contiguous, 1", of_values=True)
def count_of_some(input: Any = None, dim: Any = None, *more: Any, **others: Any) -> Tensor | None:
    """How many of some bools are true."""
    array = None if more or others or not isinstance(input, Tensor) else brief(input, _BOOLS)
    if array is None or dim is not None:
        return None
    return fresh(numpy.array(numpy.count_nonzero(array)), dtypes.int64)


# -- products, spreads, lengths -------------------------------------------------------------------------------------


@shortcut("prod", buys="t.prod()", of_values=True)
def prod_of_few(input: Any = None, *more: Any, **others: Any) -> Any:
    """``prod`` of all of a few floating point numbers."""
    array = None if more or others or not isinstance(input, Tensor) else brief(input)
    if array is None or array.size > TINY or not array.flags.c_contiguous:
        return None
    return fresh(numpy.asarray(quiet(numpy.multiply.reduce, array, None)), input._dtype)


_SINGLE = (dtypes.float32,)


def _spread(
    name: str, input: Any = None, dim: Any = None, *more: Any, correction: Any = 1, **others: Any
) -> Tensor | None:
    """The variance of float32 numbers, or its root: of all, or along a dimension."""
    array = None if more or others or not isinstance(input, Tensor) else brief(input, _SINGLE)
    axis = None if array is None else axis_of_small(array, dim)
    if array is None or (axis is None and dim is not None) or correction.__class__ is not int:
        return None
    root = name == "std"
    if correction > 0 and (array.size if axis is None else array.shape[axis]) == 1:
        warn_freedom(name)
        shape = () if axis is None else reduced_size(array.shape, (axis,), False)
        return fresh(numpy.full(shape, numpy.nan, array.dtype), dtypes.float32)
    if array.size > TINY:
        values = quiet(tiny.brief_spread, array, axis, correction, root)
    else:
        values = tiny.spread(array, axis, correction, root) if array.flags.c_contiguous else None
    return None if values is None else fresh(values, dtypes.float32)


shortcut("std", buys="t.std()", of_values=True)(partial(_spread, "std"))
shortcut("var", buys="t.var(0)", of_values=True)(partial(_spread, "var"))


@shortcut("norm", buys="t.norm()")
def norm_of_some(input: Any = None, *more: Any) -> Tensor | None:
    """The length of a vector of all elements."""
    if more or not isinstance(input, Tensor) or wants_grad(input) or (array := brief(input)) is None:
        return None
    if array.size == 1:
        return fresh(numpy.array(abs(array.item()), array.dtype), input._dtype)
    length = sum_compiled.length(array) if array.dtype.char == "f" else None
    if length is None:
        length = quiet(norm_of, array, 2.0, tuple(range(array.ndim)), False)
    return fresh(numpy.asarray(length, array.dtype), input._dtype)


# -- along a dimension, to as many elements -------------------------------------------------------------------------


def _running(product: bool, input: Any = None, dim: Any = None, *more: Any, **others: Any) -> Tensor | None:
    """The sums or products so far."""
    array = None if more or others or not isinstance(input, Tensor) else brief(input)
    axis = None if array is None else axis_of_small(array, dim)
    if array is None or axis is None:
        return None
    if array.size > TINY:
        values = parallel.running(numpy.multiply if product else numpy.add, array, axis)
    else:
        values = quiet(tiny.running, product, array, axis) if array.flags.c_contiguous else None
    return None if values is None else fresh(values, input._dtype)


shortcut("cumsum", buys="t.cumsum(0)", of_values=True)(partial(_running, False))
shortcut("cumprod", buys="t.cumsum(0)", of_values=True)(partial(_running, True))


def _soft(logarithm: bool, input: Any = None, dim: Any = None, *more: Any, **others: Any) -> Tensor | None:
    """Softmax or its logarithm."""
    array = None if more or others or not isinstance(input, Tensor) else brief(input)
    axis = None if array is None else axis_of_small(array, dim)
    if array is None or axis is None:
        return None
    values = softmax_of_some(array, axis, logarithm)
    return None if values is None else fresh(values, input._dtype)


shortcut("softmax", buys="t.softmax(1)", of_values=True)(partial(_soft, False))
shortcut("log_softmax", buys="t.log_softmax(1)", of_values=True)(partial(_soft, True))
