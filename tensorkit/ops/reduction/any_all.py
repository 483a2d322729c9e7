"""Whether any element holds, or all, and how many are not zero: `any`, `all`, `count_nonzero`.

Source: https://docs.pytorch.org/docs/stable/torch.html#reduction-ops
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import META
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import axes_of, check_flag, counted
from tensorkit.ops.shared.int_args import Dims
from tensorkit.ops.shared.to import to_dtype
from tensorkit.tensor import Array, Tensor, attach


def _true(array: Array) -> Array:
    return array if array.dtype == numpy.bool_ else kernels.quiet(numpy.not_equal, array, 0)


def _truth(name: str, input: Tensor, dim: Any, keepdim: bool, out: Any) -> Tensor:
    check_flag(keepdim)
    elementwise = isinstance(dim, (tuple, list)) and not dim
    axes = () if elementwise else axes_of(dim, input.dim())
    kind = dtypes.uint8 if input._dtype is dtypes.uint8 else dtypes.bool
    if out is not None:
        if not isinstance(out, Tensor):
            raise TypeError
        if out._dtype not in (dtypes.bool, dtypes.uint8):
            raise RuntimeError(f"{name} only supports bool tensor for result, got: {out._dtype.label}")
    if out is not None and input._device != META:
        kind = out._dtype
        if kind is dtypes.uint8:
            input = to_dtype(input, kind)  # as PyTorch does before it looks: then -0.75 is nothing
    found: Any = numpy.logical_and if name == "all" else numpy.logical_or

    def on_cpu(array: Array, axes: tuple[int, ...], keepdim: bool, kind: dtype) -> Array:
        return found.reduce(_true(array), axis=axes, keepdims=keepdim)  # type: ignore[no-any-return]

    return on_device.reduce(name, input, axes, keepdim, kind, out, on_cpu)


_FORMS = (
    "(Tensor input, *, Tensor out = None)",
    "(Tensor input, tuple of ints dim = None, bool keepdim = False, *, Tensor out = None)",
    "(Tensor input, int dim, bool keepdim = False, *, Tensor out = None)",
)


@op(kind="reduce", out_overlap="allowed")
@takes(*_FORMS)
@shortened("all")
def all(
    input: Tensor, dim: Dims | None = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Whether all elements, or all along the dimensions named, are true: is not zero. nan is not zero.

    Args:
        dim: one dimension or several; None means all, ``()`` means none.
        keepdim: keep a reduced dimension with size 1.

    Returns:
        A tensor of bools; of a tensor of uint8, one of uint8.

    >>> t = tk.tensor([[True, False], [True, True]])
    >>> t.all(), t.all(0)
    (tensor(False), tensor([ True, False]))
    """
    return _truth("all", input, dim, keepdim, out)


@op(kind="reduce", out_overlap="allowed")
@takes(*_FORMS)
@shortened("any")
def any(
    input: Tensor, dim: Dims | None = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Whether some element, or some along the dimensions named, is true: is not zero. nan is not zero.

    Args:
        dim: one dimension or several; None means all, ``()`` means none.
        keepdim: keep a reduced dimension with size 1.

    Returns:
        A tensor of bools; of a tensor of uint8, one of uint8.

    >>> t = tk.tensor([[True, False], [True, True]])
    >>> t.any(), t.any(0)
    (tensor(True), tensor([True, True]))
    """
    return _truth("any", input, dim, keepdim, out)


@shortened("count_nonzero")
def _not_zero(input: Tensor, dim: Dims | None = None) -> Tensor:
    axes = axes_of(dim, input.dim())
    whole = dim is None or (isinstance(dim, (tuple, list)) and not dim)
    if whole and input._dtype in LIMITED:
        raise missing_kernel("nonzero_count_cpu", input._dtype.label)

    def on_cpu(array: Array, axes: tuple[int, ...], keepdim: bool, kind: dtype) -> Array:
        return counted(_true(array), axes, keepdim)

    return on_device.reduce("count_nonzero", input, axes, False, dtypes.int64, None, on_cpu)


@op(kind="reduce", methods=())
@takes(
    "(Tensor input, int dim = None)",
    "(Tensor input, tuple of ints dim)",
    method=("(int dim = None)", "(tuple of ints dim)"),
)
def count_nonzero(input: Tensor, dim: Dims | None = None) -> Tensor:
    """How many elements are not zero, of all or along the dimensions named, as int64. nan is not zero.

    >>> tk.tensor([[0, 1], [2, 3]]).count_nonzero(0)
    tensor([1, 2])
    """
    return _not_zero(input, dim)


def _count_nonzero_method(input: Tensor, *dim: Any, **named: Any) -> Tensor:
    """How many elements are not zero; see ``tensorkit.count_nonzero``. Dimensions may be written one by one."""
    return _not_zero(input, *((dim,) if len(dim) > 1 and not named else dim), **named)


attach("count_nonzero", traced_method("count_nonzero", _count_nonzero_method))
