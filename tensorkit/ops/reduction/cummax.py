"""Running extremes, and where they are: `cummax`, `cummin`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu.scan_compiled import running_extreme
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import check_dims, host, like_meta, one_axis
from tensorkit.ops.reduction.cumsum import add_along, exact_scalar
from tensorkit.ops.reduction.min_max import pair_into
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Array, Tensor

# -- arrays -------------------------------------------------------------------------------------------------------


def _running_extreme(largest: bool, array: Array, axis: int, kind: dtype) -> tuple[Array, Array]:
    """The largest or smallest so far, and where the latest of them is; a nan stays."""
    if not array.ndim or not array.size:
        return array.copy(), numpy.zeros(array.shape, numpy.int64)
    wide = kernels.cast(array, dtypes.float32) if kernels.is_half(kind) else array
    found = running_extreme(largest, wide, axis)
    if found is not None:
        return kernels.cast(found[0], kind), found[1]
    ufunc = numpy.maximum if largest else numpy.minimum
    best = kernels.quiet(ufunc.accumulate, wide, axis=axis)
    latest = kernels.quiet(numpy.equal, wide, best)
    if kind.category >= 2:
        latest |= kernels.quiet(numpy.isnan, wide)
    small = numpy.int32 if array.shape[axis] < 2**31 else numpy.int64  # half the memory to go through
    places = numpy.arange(array.shape[axis], dtype=small)
    places = places.reshape([-1 if d == axis else 1 for d in range(array.ndim)])
    indices = numpy.maximum.accumulate(latest * places, axis=axis).astype(numpy.int64)
    if kind.category >= 2 and not best.all():  # which of two zeros it is, their places tell
        return numpy.take_along_axis(array, indices, axis), indices
    return kernels.cast(best, kind), indices


# -- how gradients pass back --------------------------------------------------------------------------------------


def _extreme_back(g: Any, c: Any) -> Any:
    values, size = g[0], c.input_face.size
    if 0 in size or not (size or state.grad):
        return values
    return add_along(values, c.indices, normalise_dim(int(c.dim), len(size)), size)


# -- running extremes ---------------------------------------------------------------------------------------------


def _cummax(name: str, input: Tensor, dim: Any, out: Any) -> Any:
    size, kind = input._lay().size, input._dtype
    if not size and hasattr(dim, "__index__") and not isinstance(dim, bool) and dim not in (0, -1):
        raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
    check_dims(dim)
    axis = one_axis(dim, len(size)) if input.numel() else 0  # PyTorch does not look where there is nothing
    if isinstance(out, (tuple, list)) and len(out) == 2:
        exact_scalar(kind, out[0])
        exact_scalar(dtypes.int64, out[1])
    if size and input.numel() and (kind in LIMITED or kind.is_complex):
        raise missing_kernel(f"{name}_cpu", kind.label)
    if input._device == META:
        return pair_into(name, out, (like_meta(size, kind), like_meta(size, dtypes.int64)))
    if is_on_device(input) and not size:
        results = input.clone(), input.new_zeros((), dtype=dtypes.int64)
    elif is_on_device(input):
        results = on_device.running_extremes(name == "cummax", input, axis)
    else:
        values, indices = _running_extreme(name == "cummax", host(input, name), axis, kind)
        results = deliver(values, kind), deliver(indices, dtypes.int64)
    return pair_into(name, out, results, exact_scalar)


def _refuse_complex(name: str) -> Callable[[dict[str, Any]], bool]:
    """Complex numbers have no largest: where there is nothing to compare, it is the derivative that is refused."""

    def applies(call: dict[str, Any]) -> bool:
        input = call["input"]
        lone = isinstance(input, Tensor) and (not input.dim() or not input.numel())
        if lone and input._dtype.is_complex and state.grad and requires_grad(input):
            ndim = input.dim()
            if not ndim and call["dim"] not in (0, -1):
                return True
            one_axis(call["dim"], ndim)
            raise RuntimeError(
                f"{name} does not support automatic differentiation for outputs with complex dtype."
            )
        return True

    return applies


_FORM = "(Tensor input, int dim, *, tuple of Tensors out = None)"


@op(
    kind="scan",
    derivative=Rule("CummaxBackward0", applies=_refuse_complex("cummax"), input=_extreme_back),
    out_overlap="allowed",
)
@takes(_FORM)
def cummax(input: Tensor, dim: int, *, out: Any = None) -> Any:
    """The largest element so far along a dimension, and its index: of equal ones the latest; a nan stays.

    Returns:
        A named pair ``(values, indices)``.

    >>> values, indices = tk.tensor([3, 1, 3, 2]).cummax(0)
    >>> values, indices
    (tensor([3, 3, 3, 3]), tensor([0, 0, 2, 2]))
    """
    return _cummax("cummax", input, dim, out)


@op(
    kind="scan",
    derivative=Rule("CumminBackward0", applies=_refuse_complex("cummin"), input=_extreme_back),
    out_overlap="allowed",
)
@takes(_FORM)
def cummin(input: Tensor, dim: int, *, out: Any = None) -> Any:
    """The smallest element so far along a dimension, and its index: of equal ones the latest; a nan stays.

    Returns:
        A named pair ``(values, indices)``.

    >>> values, indices = tk.tensor([3, 1, 3, 2]).cummin(0)
    >>> values, indices
    (tensor([3, 1, 1, 1]), tensor([0, 1, 1, 1]))
    """
    return _cummax("cummin", input, dim, out)
