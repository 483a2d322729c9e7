"""The largest and the smallest: of all, along a dimension, of two: `max`, `min`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes, return_types
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.unsaid import UNSAID
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.output import refuse_shared
from tensorkit.elementwise.plan import brief
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import minmax_compiled, parallel, tiny
from tensorkit.ops.pointwise.comparison import maximum, minimum
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import (
    axes_of,
    axis_of_small,
    check_flag,
    exact_out,
    host,
    like_meta,
    one_axis,
    put_along,
    reduced_size,
    small,
)
from tensorkit.ops.reduction.sum_mean import evenly
from tensorkit.ops.shared.copy import deliver, deliver_into
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Array, Tensor, fresh

# -- arrays -------------------------------------------------------------------------------------------------------


def _wide(array: Array, kind: dtype) -> Array:
    """16-bit floats as float32, which NumPy compares faster, and knows the nan of."""
    return kernels.cast(array, dtypes.float32) if kernels.is_half(kind) else array


def first_extreme(largest: bool, array: Array, axis: int | None, kind: dtype) -> Array:
    """Where the first largest or smallest element is; the first nan wins."""
    finder: Any = numpy.argmax if largest else numpy.argmin
    if axis is not None and array.size:
        return kernels.quiet(parallel.by_slices, finder, _wide(array, kind), axis, numpy.int64)  # type: ignore[no-any-return]
    return numpy.asarray(kernels.quiet(finder, _wide(array, kind), axis=axis))


def extreme_of(largest: bool, array: Array, axes: tuple[int, ...], keepdim: bool, kind: dtype) -> Array:
    """The largest or smallest elements; nan where there is one."""
    ufunc = numpy.maximum if largest else numpy.minimum
    wide = _wide(array, kind)
    if len(axes) == 1 and array.size:
        values = kernels.quiet(parallel.by_slices, ufunc.reduce, wide, axes[0], wide.dtype)
        values = values.reshape(reduced_size(array.shape, axes, keepdim))
    else:
        values = kernels.quiet(ufunc.reduce, wide, axis=axes, keepdims=keepdim)
    return kernels.cast(numpy.asarray(values), kind)


# -- how gradients pass back --------------------------------------------------------------------------------------


def _extreme_back(g: Any, c: Any) -> Any:
    return evenly(g, c) if c.dim is UNSAID else _to_chosen(g, c)


def _to_chosen(g: Any, c: Any) -> Any:
    """The gradient goes to the element that was chosen along the dimension."""
    gs, where_to = g[0], c.indices
    axis = normalise_dim(int(c.dim), len(c.input_face.size))
    if c.input_face.size and not c.keepdim:
        gs, where_to = gs.unsqueeze(axis), where_to.unsqueeze(axis)
    return put_along(gs, where_to, axis, c.input_face.size)


def share(g: Any, values: Any, input: Any, dim: Any, keepdim: bool) -> Any:
    """All elements that are the extreme one of their slice share the gradient."""
    axes = axes_of(dim, input.dim())
    size = reduced_size(input._lay().size, axes, True)
    mask = (values if keepdim else values.view(size)).eq(input)
    return (g if keepdim else g.view(size)) / mask.sum(axes, True) * mask


# -- max and min: of all, along a dimension, of two ---------------------------------------------------------------


def empty_needs_dim(name: str) -> str:
    return (
        f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
        "the 'dim' argument."
    )


def _beyond_all(largest: bool, kind: dtype) -> Array:
    """What every element of a dtype is at least as large, or as small, as."""
    if kind.category == 0:
        return numpy.array(not largest)
    if kind.category > 1:
        return kernels.cast(numpy.array(-math.inf if largest else math.inf), kind)
    info = numpy.iinfo(kind.numpy)
    return numpy.array(info.min if largest else info.max, kind.numpy)


def _check_held(value: int, kind: dtype) -> None:
    info = numpy.iinfo(kind.numpy)
    least = info.min if info.min else -info.max  # a negative number wraps around once
    if not least <= value <= info.max:
        raise RuntimeError(f"value cannot be converted to type {kind.name}_t without overflow")


def _extreme_all(name: str, input: Tensor, out: Tensor | None) -> Tensor:
    kind = input._dtype
    if out is not None and not isinstance(out, Tensor):
        raise TypeError
    if out is not None and not dtypes.can_cast(kind, out._dtype):
        raise RuntimeError(
            "Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) to be true, "
            "but got false.  (Could this error message be improved?  If so, please report an enhancement request to "
            "PyTorch.)"
        )
    if not input.numel() and out is None:
        raise RuntimeError(empty_needs_dim(name))
    if kind in LIMITED or kind.is_complex:
        raise missing_kernel(f"{name}_all", kind.label)
    if input._device == META:
        return like_meta((), kind)
    if not input.numel():
        beyond = _beyond_all(name == "max", kind)
        if kind.category == 1 and isinstance(out, Tensor) and out._dtype.category == 1:
            _check_held(int(beyond), out._dtype)
        return deliver(beyond, kind, out)
    if is_on_device(input):
        return on_device.reduced(name, input, tuple(range(input.dim())), False, kind, out)
    array = host(input, name)
    return deliver(extreme_of(name == "max", array, tuple(range(array.ndim)), False, kind), kind, out)


def _extreme_along(
    name: str, input: Tensor, dim: Any, keepdim: bool, out: Any = None
) -> tuple[Tensor, Tensor]:
    kind = input._dtype
    size = input._lay().size
    axis = one_axis(dim, len(size))
    if size and size[axis] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
    if kind.is_complex:
        raise RuntimeError(f"{name}(): does not support complex input")
    if out is not None and len(out) == 2:
        exact_out(kind, out[0])
        exact_out(dtypes.int64, out[1])
    axes = (axis,) if size else ()
    if kind in LIMITED and size and 0 not in reduced_size(size, axes, False):
        raise missing_kernel(f"{name}_cpu", kind.label)
    if input._device == META:
        shrunk = reduced_size(size, axes, keepdim)
        return like_meta(shrunk, kind), like_meta(shrunk, dtypes.int64)
    if is_on_device(input):
        return on_device.extremes_along(name == "max", input, axes, keepdim)
    array = host(input, name)
    if not size:
        return deliver(array.copy(), kind, None), deliver(numpy.array(0), dtypes.int64, None)
    indices = numpy.expand_dims(first_extreme(name == "max", array, axis, kind), axis)
    values = numpy.take_along_axis(array, indices, axis)
    if not keepdim:
        values, indices = values.squeeze(axis), indices.squeeze(axis)
    return deliver(values, kind, None), deliver(indices, dtypes.int64, None)


def pair_into(
    name: str,
    out: Any,
    results: tuple[Tensor, Tensor],
    check: Callable[[dtype, Any], None] = exact_out,
    read: Tensor | None = None,
) -> Any:
    """Two results as a named pair, or written into the two tensors of ``out=``.

    Args:
        read: what these must not lie in.
    """
    if out is None:
        return getattr(return_types, name)(results)
    if not isinstance(out, (tuple, list)):
        raise TypeError
    if len(out) != 2:
        raise TypeError(f"expected tuple of 2 elements but got {len(out)}")
    for target, source in zip(out, results, strict=True):
        check(source._dtype, target)
    if read is not None and read.dim():
        for target, source in zip(out, results, strict=True):
            if target._lay().size == source._lay().size:  # else it gets memory of its own
                refuse_shared(target, read)
    pairs = zip(out, results, strict=True)
    return getattr(return_types, f"{name}_out")(deliver_into(source, target) for target, source in pairs)


QUICK_DTYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)


def _short(name: str, input: Tensor, dim: Any, keepdim: Any) -> Any:
    """The extreme of a few elements, or those along one dimension; None for the way that others take."""
    array, largest = small(input, QUICK_DTYPES, dim is UNSAID), name == "max"
    if keepdim is not False:
        return None
    if array is None:
        some = brief(input, QUICK_DTYPES)
        if some is None:
            return None
        if dim is UNSAID:
            return of_all(largest, some, input._dtype)
        axis = axis_of_small(some, dim)
        found = None if axis is None else minmax_compiled.chosen(largest, some, axis)
    elif dim is UNSAID:
        return fresh(tiny.extreme(largest, array), input._dtype)
    else:
        axis = axis_of_small(array, dim)
        found = None if axis is None else tiny.extreme_along(largest, array, axis)
    if found is None:
        return None
    return _PAIRS[name]((fresh(found[0], input._dtype), fresh(found[1], dtypes.int64)))


def of_all(largest: bool, array: Array, kind: dtype) -> Tensor | None:
    """The extreme of some hundreds of elements; None for 0, of which NumPy knows the sign."""
    value = array.item(array.argmax() if largest else array.argmin())
    return fresh(numpy.array(value, array.dtype), kind) if value else None


def _at_once(name: str) -> Callable[..., Any]:
    """`max` or `min` of one plain tensor that wants no gradient, or along its dimension."""

    def first(input: Any = None, dim: Any = UNSAID, *more: Any) -> Any:
        if more or input.__class__ is not Tensor or wants_grad(input):
            return None
        if dim is UNSAID:
            array = brief(input, QUICK_DTYPES)
            return None if array is None else of_all(largest, array, input._dtype)
        return _short(name, input, dim, False) if dim.__class__ is int else None

    largest = name == "max"
    return first


_PAIRS: dict[str, Any] = {"max": return_types.max, "min": return_types.min}


def _extreme(name: str, input: Tensor, dim: Any, keepdim: Any, other: Any, out: Any) -> Any:
    """The three meanings of ``max``: of all elements, along one dimension, of two tensors."""
    if other is UNSAID and out is None and (dim is UNSAID or dim.__class__ is int):
        short = _short(name, input, dim, keepdim)
        if short is not None:
            return short
    if isinstance(dim, Tensor):
        dim, other = UNSAID, dim
    if other is None or dim is None:
        raise TypeError
    if other is not UNSAID:
        if keepdim:
            raise TypeError
        pair: Callable[..., Tensor] = maximum if name == "max" else minimum
        return pair(input, other, out=out)
    check_flag(keepdim)
    if dim is UNSAID:
        if keepdim:
            raise TypeError
        return _extreme_all(name, input, out)
    if out is not None and not isinstance(out, (tuple, list)):
        raise TypeError
    return pair_into(name, out, _extreme_along(name, input, dim, keepdim, out), read=input)


def _extreme_op(name: str, sentence: str, answer: int) -> Callable[..., Any]:
    """`max` and `min`."""

    def extreme(
        input: Tensor, dim: int = UNSAID, keepdim: bool = False, *, other: Any = UNSAID, out: Any = None
    ) -> Any:
        return _extreme(name, input, dim, keepdim, other, out)

    extreme.__name__ = name
    extreme.__doc__ = f"""The {sentence} element; along a dimension, with its index; of two tensors, one by one.

    Returns:
        A 0-d tensor; or, given `dim`, a named pair ``(values, indices)``; or, given another tensor, a tensor.

    Raises:
        RuntimeError, IndexError: when there is no element to choose from.

    >>> tk.tensor([1, 3, 2]).{name}()
    tensor({answer})
    """
    stem = f"{name.capitalize()}Backward"
    rule = Rule(
        lambda call: f"{stem}{1 if call['dim'] is UNSAID else 0}",
        applies=lambda call: call["other"] is UNSAID and not isinstance(call["dim"], Tensor),
        unread=lambda call: frozenset(("input", "out") if call["dim"] is not UNSAID else ()),
        input=_extreme_back,
    )
    forms = (
        "(Tensor input, *, Tensor out = None)",
        "(Tensor input, Tensor other, *, Tensor out = None)",
        "(Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)",
    )
    made = op(
        kind="reduce",
        name=name,
        derivative=rule,
        first=_at_once(name),
        out_overlap="before resizing",
        out_error=lambda *tensors: f"{name}imum" if len(tensors) == 2 else name,
    )
    return made(takes(*forms)(extreme))


max = _extreme_op("max", "largest", 3)
min = _extreme_op("min", "smallest", 1)
