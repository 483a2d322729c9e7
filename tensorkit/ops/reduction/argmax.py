"""Where the extremes are: `argmax`, `argmin`."""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import LIMITED
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import (
    axes_of,
    check_flag,
    exact_out,
    host,
    like_meta,
    one_axis,
    reduced_size,
)
from tensorkit.ops.reduction.min_max import first_extreme
from tensorkit.ops.shared.copy import deliver, deliver_into
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.tensor import Tensor


def _argmax(name: str, input: Tensor, dim: Any, keepdim: bool, out: Any) -> Tensor:
    check_flag(keepdim)
    kind, size = input._dtype, input._lay().size
    if dim is not None and (isinstance(dim, bool) or not hasattr(dim, "__index__")):
        raise TypeError
    if kind.category == 0 or kind.is_complex:
        raise RuntimeError(f"{name}(): does not support {'complex' if kind.category else 'bool'} input")
    axis = None if dim is None else one_axis(dim, len(size))
    if axis is None and not input.numel():
        raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
    if axis is not None and size and size[axis] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
    exact_out(dtypes.int64, out)
    lone = axis is not None and size and size[axis] == 1  # PyTorch does not look at the elements then
    if kind in LIMITED and input.numel() and not lone:
        raise missing_kernel(f"{name}_cpu", kind.label)
    axes = axes_of(axis, len(size))
    shrunk = reduced_size(size, axes, keepdim)
    if input._device == META:
        return like_meta(shrunk, dtypes.int64)
    if is_on_device(input):
        found = on_device.extremes_along(name == "argmax", input, axes, keepdim)[1]
        return found if out is None else deliver_into(found, out)
    array = host(input, name)
    where_to = first_extreme(name == "argmax", array, axis if size else None, kind)
    return deliver(where_to.reshape(shrunk), dtypes.int64, out)


@op(kind="reduce", out_overlap="allowed")
@shortened("argmax")
def argmax(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Where the largest element is: its index along a dimension, or among all in row-major order.

    The first of several equal ones is taken; nan counts as the largest.

    Raises:
        IndexError: when there is no element to choose from. RuntimeError: for bools and complex numbers.

    >>> t = tk.tensor([[1, 5], [3, 2]])
    >>> t.argmax(), t.argmax(0)
    (tensor(1), tensor([1, 0]))
    """
    return _argmax("argmax", input, dim, keepdim, out)


@op(kind="reduce", out_overlap="allowed")
@shortened("argmin")
def argmin(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Where the smallest element is: its index along a dimension, or among all in row-major order.

    The first of several equal ones is taken; nan counts as the smallest.

    Raises:
        IndexError: when there is no element to choose from. RuntimeError: for bools and complex numbers.

    >>> t = tk.tensor([[1, 5], [3, 2]])
    >>> t.argmin(), t.argmin(0)
    (tensor(0), tensor([0, 1]))
    """
    return _argmax("argmin", input, dim, keepdim, out)
