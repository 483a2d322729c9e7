"""Whether any element holds, or all, and how many are not zero: `any`, `all`, `count_nonzero`.

Source: https://docs.pytorch.org/docs/stable/torch.html#reduction-ops
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import META
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.plan import brief
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import tiny
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import axes_of, check_flag, counted, host, like_meta, reduced_size
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.int_args import Dims
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.to import to_dtype
from tensorkit.tensor import Tensor, attach, fresh

_BOOLS: tuple[dtype, ...] = (dtypes.bool,)


def _truth(name: str, input: Tensor, dim: Any, keepdim: bool, out: Any) -> Tensor:
    if dim is None and out is None and keepdim is False:
        few_bools = brief(input, _BOOLS)
        if few_bools is not None:
            return fresh(tiny.truth(name == "all", few_bools), dtypes.bool)
    check_flag(keepdim)
    elementwise = isinstance(dim, (tuple, list)) and not dim
    axes = () if elementwise else axes_of(dim, input.dim())
    kind = dtypes.uint8 if input._dtype is dtypes.uint8 else dtypes.bool
    if out is not None:
        if not isinstance(out, Tensor):
            raise TypeError
        if out._dtype not in (dtypes.bool, dtypes.uint8):
            raise RuntimeError(f"{name} only supports bool tensor for result, got: {out._dtype.label}")
    if input._device == META:
        return like_meta(reduced_size(input._lay().size, axes, keepdim), kind)
    if is_on_device(input):
        if out is not None and out._dtype is dtypes.uint8:
            input = to_dtype(input, dtypes.uint8)  # as PyTorch does before it looks: then -0.75 is nothing
        return on_device.reduced(name, input, axes, keepdim, kind if out is None else out._dtype, out)
    array = host(input, name)
    if out is not None and out._dtype is dtypes.uint8:
        array = kernels.cast(array, dtypes.uint8)  # as PyTorch does before it looks: then -0.75 is nothing
    true = array if array.dtype == numpy.bool_ else kernels.quiet(numpy.not_equal, array, 0)
    found: Any = numpy.logical_and if name == "all" else numpy.logical_or
    values = found.reduce(true, axis=axes, keepdims=keepdim)
    if out is None:
        return deliver(values, kind)
    return deliver(values, out._dtype, out)


def _truth_op(name: str, sentence: str, answers: str) -> Callable[..., Tensor]:
    """`all` and `any`."""

    def truth(
        input: Tensor, dim: Dims | None = None, keepdim: bool = False, *, out: Tensor | None = None
    ) -> Tensor:
        return _truth(name, input, dim, keepdim, out)

    truth.__name__ = name
    truth.__doc__ = f"""Whether {sentence} true: is not zero. nan is not zero.

    Args:
        dim: one dimension or several; None means all, ``()`` means none.
        keepdim: keep a reduced dimension with size 1.

    Returns:
        A tensor of bools; of a tensor of uint8, one of uint8.

    >>> t = tk.tensor([[True, False], [True, True]])
    >>> t.{name}(), t.{name}(0)
    {answers}
    """
    forms = (
        "(Tensor input, *, Tensor out = None)",
        "(Tensor input, tuple of ints dim = None, bool keepdim = False, *, Tensor out = None)",
        "(Tensor input, int dim, bool keepdim = False, *, Tensor out = None)",
    )
    return op(kind="reduce", name=name, out_overlap="allowed")(takes(*forms)(truth))


all = _truth_op(
    "all", "all elements, or all along the dimensions named, are", "(tensor(False), tensor([ True, False]))"
)

any = _truth_op(
    "any", "some element, or some along the dimensions named, is", "(tensor(True), tensor([True, True]))"
)

_TRUTHS = (dtypes.bool,)


def _not_zero(input: Tensor, dim: Dims | None = None) -> Tensor:
    if dim is None and (array := brief(input, _TRUTHS)) is not None:
        return fresh(numpy.array(numpy.count_nonzero(array)), dtypes.int64)
    axes = axes_of(dim, input.dim())
    whole = dim is None or (isinstance(dim, (tuple, list)) and not dim)
    if whole and input._dtype in LIMITED:
        raise missing_kernel("nonzero_count_cpu", input._dtype.label)
    if input._device == META:
        return like_meta(reduced_size(input._lay().size, axes, False), dtypes.int64)
    if is_on_device(input):
        return on_device.reduced("count_nonzero", input, axes, False, dtypes.int64)
    array = host(input, "count_nonzero")
    true = array if array.dtype == numpy.bool_ else kernels.quiet(numpy.not_equal, array, 0)
    return deliver(counted(true, axes, False), dtypes.int64)


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
