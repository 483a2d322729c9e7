"""Where the extremes are: `argmax`, `argmin`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.plan import brief
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import (
    axes_of,
    axis_of_small,
    check_flag,
    exact_out,
    host,
    like_meta,
    one_axis,
    reduced_size,
)
from tensorkit.ops.reduction.min_max import QUICK_DTYPES, first_extreme
from tensorkit.ops.shared.copy import deliver, deliver_into
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.tensor import Tensor, fresh


def _argmax(name: str, input: Tensor, dim: Any, keepdim: bool, out: Any) -> Tensor:
    if out is None and keepdim is False:
        few_values = brief(input, QUICK_DTYPES)
        axis = None if few_values is None or dim is None else axis_of_small(few_values, dim)
        if few_values is not None and (dim is None or axis is not None):
            found = few_values.argmax(axis) if name == "argmax" else few_values.argmin(axis)
            return fresh(found if found.__class__ is numpy.ndarray else numpy.array(found), dtypes.int64)
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
    shrunk = reduced_size(size, axes_of(axis, len(size)), keepdim)
    if input._device == META:
        return like_meta(shrunk, dtypes.int64)
    if is_on_device(input):
        axes = axes_of(axis, len(size))
        found = on_device.extremes_along(name == "argmax", input, axes, keepdim)[1]
        return found if out is None else deliver_into(found, out)
    array = host(input, name)
    where_to = first_extreme(name == "argmax", array, axis if size else None, kind)
    return deliver(where_to.reshape(shrunk), dtypes.int64, out)


def _argmax_op(name: str, sentence: str, answers: str) -> Callable[..., Tensor]:
    """`argmax` and `argmin`."""

    def place(
        input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None
    ) -> Tensor:
        return _argmax(name, input, dim, keepdim, out)

    place.__name__ = name
    place.__doc__ = f"""Where the {sentence} element is: its index along a dimension, or among all in row-major order.

    Of several equal ones the first; nan counts as the {sentence}.

    Raises:
        IndexError: when there is no element to choose from. RuntimeError: for bools and complex numbers.

    >>> t = tk.tensor([[1, 5], [3, 2]])
    >>> t.{name}(), t.{name}(0)
    {answers}
    """
    return op(kind="reduce", name=name, out_overlap="allowed")(place)


argmax = _argmax_op("argmax", "largest", "(tensor(1), tensor([1, 0]))")
argmin = _argmax_op("argmin", "smallest", "(tensor(0), tensor([0, 1]))")
