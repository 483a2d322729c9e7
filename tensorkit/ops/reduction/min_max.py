"""The largest and the smallest: of all, along a dimension, of two: `max`, `min`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy

from tensorkit import dtypes, return_types
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.unsaid import UNSAID
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.output import refuse_shared
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import parallel
from tensorkit.ops.pointwise.comparison import maximum, minimum
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import (
    axes_of,
    check_flag,
    exact_out,
    host,
    like_meta,
    one_axis,
    put_along,
    reduced_size,
)
from tensorkit.ops.reduction.sum_mean import evenly
from tensorkit.ops.shared.copy import deliver, deliver_into
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Array, Tensor

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
    axes, on_cpu = tuple(range(input.dim())), partial(extreme_of, name == "max")
    return on_device.reduce(name, input, axes, False, kind, out, on_cpu)


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


def _extreme(name: str, input: Tensor, dim: Any, keepdim: Any, other: Any, out: Any) -> Any:
    """The three meanings of ``max``: of all elements, along one dimension, of two tensors."""
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


def _rule(stem: str) -> Rule:
    """The rule of `max` or `min`; for two tensors, the rule of `maximum` or `minimum` is recorded."""
    return Rule(
        lambda call: f"{stem}{1 if call['dim'] is UNSAID else 0}",
        applies=lambda call: call["other"] is UNSAID and not isinstance(call["dim"], Tensor),
        unread=lambda call: frozenset(("input", "out") if call["dim"] is not UNSAID else ()),
        input=_extreme_back,
    )


_FORMS = (
    "(Tensor input, *, Tensor out = None)",
    "(Tensor input, Tensor other, *, Tensor out = None)",
    "(Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)",
)


@op(
    kind="reduce",
    derivative=_rule("MaxBackward"),
    out_overlap="before resizing",
    out_error=lambda *tensors: "maximum" if len(tensors) == 2 else "max",
)
@takes(*_FORMS)
@shortened("max")
def max(
    input: Tensor, dim: int = UNSAID, keepdim: bool = False, *, other: Any = UNSAID, out: Any = None
) -> Any:
    """The largest element; along a dimension, with its index; of two tensors, one by one.

    Returns:
        A 0-d tensor; or, given `dim`, a named pair ``(values, indices)``; or, given another tensor, a tensor.

    Raises:
        RuntimeError, IndexError: when there is no element to choose from.

    >>> tk.tensor([1, 3, 2]).max()
    tensor(3)
    """
    return _extreme("max", input, dim, keepdim, other, out)


@op(
    kind="reduce",
    derivative=_rule("MinBackward"),
    out_overlap="before resizing",
    out_error=lambda *tensors: "minimum" if len(tensors) == 2 else "min",
)
@takes(*_FORMS)
@shortened("min")
def min(
    input: Tensor, dim: int = UNSAID, keepdim: bool = False, *, other: Any = UNSAID, out: Any = None
) -> Any:
    """The smallest element; along a dimension, with its index; of two tensors, one by one.

    Returns:
        A 0-d tensor; or, given `dim`, a named pair ``(values, indices)``; or, given another tensor, a tensor.

    Raises:
        RuntimeError, IndexError: when there is no element to choose from.

    >>> tk.tensor([1, 3, 2]).min()
    tensor(1)
    """
    return _extreme("min", input, dim, keepdim, other, out)
