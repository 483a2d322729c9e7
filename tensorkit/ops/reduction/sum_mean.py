"""Reductions: one number for many, over all dimensions or over those named.

The results are row-major, as PyTorch's are. Sums of 16- and 32-bit floats are accumulated in a wider type or pairwise,
so that they stay exact where a running sum would not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.unsaid import UNSAID
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.output import check_writable
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import (
    axes_of,
    check_flag,
    check_kernel,
    count,
    exact_out,
    named_all,
    numbered,
    refuse_whole,
    result_kind,
    spread_out,
    total,
)
from tensorkit.ops.shared.int_args import Dims
from tensorkit.ops.shared.scalar_arithmetic import over
from tensorkit.ops.shared.to import as_dtype
from tensorkit.tensor import Array, Tensor


def evenly(g: Any, c: Any) -> Any:
    """All elements that are the extreme one share the gradient; if that is nan, all that are nan."""
    lost = c.out.ne(c.out).item()
    winners = c.input.ne(c.input) if lost else c.input.eq(c.out)
    return c.input.new_zeros(c.input.size()).masked_fill_(winners, g / winners.sum())


_SUM_FORMS = (
    "(Tensor input, *, tensorkit.dtype dtype = None)",
    "(Tensor input, tuple of ints dim?, bool keepdim = False, *, tensorkit.dtype dtype = None, Tensor out = None)",
)


@op(
    kind="reduce",
    rounded=1,
    derivative=Rule(
        numbered("SumBackward", 0, 1),
        applies=refuse_whole,
        input=lambda g, c: spread_out(g, c.input_face, c.dim, c.keepdim),
    ),
    out_overlap="allowed",
)
@takes(*_SUM_FORMS)
@shortened("sum")
def sum(
    input: Tensor,
    dim: Dims | None = UNSAID,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Add up all elements, or those along the dimensions named.

    Args:
        dim: one dimension or several; none means all.
        keepdim: keep a reduced dimension with size 1.
        dtype: convert to it first; bools and integers are summed as int64 unless told otherwise.

    >>> t = tk.ones(2, 3, 4)
    >>> t.sum(), t.sum((0, 1))
    (tensor(24.), tensor([6., 6., 6., 6.]))
    """
    named_all(dim, keepdim, out)
    axes = axes_of(dim, input.dim())
    kind = result_kind("sum", input, dtype, out)
    check_kernel("sum_cpu", input, kind)
    return on_device.reduce("sum", input, axes, keepdim, kind, out, total)


def _total_but_nan(array: Array, axes: tuple[int, ...], keepdim: bool, kind: dtype) -> Array:
    """The sum of all that is not nan: mostly there is none, and the plain sum says so."""
    if array.dtype == kind.numpy and array.size > 1:
        added = total(array, axes, keepdim, kind)
        if not kernels.quiet(numpy.isnan, added).any():
            return added
    if array.dtype.kind not in "biu":
        array = kernels.quiet(numpy.where, array == array, array, numpy.zeros((), array.dtype))
    return total(array, axes, keepdim, kind)


@op(
    kind="reduce",
    rounded=1,
    derivative=Rule(
        "NansumBackward0",
        applies=refuse_whole,
        input=lambda g, c: spread_out(g, c.input_face, c.dim, c.keepdim) * c.input.eq(c.input),
    ),
    out_overlap="allowed",
)
def nansum(
    input: Tensor,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Add up the elements, all or along the dimensions named, as if nan were 0.

    Args:
        dim, keepdim, dtype: as in `sum`.

    Raises:
        RuntimeError: for complex numbers.

    >>> tk.tensor([1.0, float("nan"), 2.0]).nansum()
    tensor(3.)
    """
    check_flag(keepdim)
    axes = axes_of(dim, input.dim())
    if input._dtype.is_complex:
        raise RuntimeError("nansum on CPU does not support complex inputs")
    kind = result_kind("nansum", input, dtype, out)
    if kind in LIMITED and input.numel():
        raise missing_kernel("sum_cpu", kind.label)
    lost = kind.is_complex or (dtype is None and kind.category < 2)
    if lost and input._dtype.category == 2 and input.numel():
        raise missing_kernel("nansum_cpu", kind.label)
    how = "nansum" if input._dtype.category >= 2 else "sum"
    return on_device.reduce("nansum", input, axes, keepdim, kind, out, _total_but_nan, how)


def _mean_dtype(name: str, input: Tensor, kind: Any, out: Tensor | None) -> dtype:
    if out is not None and not isinstance(out, Tensor):
        raise TypeError
    if kind is not None:
        chosen = as_dtype(kind, name)
        if chosen.category < 2:
            raise RuntimeError(
                f"{name}(): could not infer output dtype. Optional dtype must be either a floating point or complex "
                f"dtype. Got: {chosen.label}"
            )
        exact_out(chosen, out)
        return chosen
    if input._dtype.category < 2:
        raise RuntimeError(
            f"{name}(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {input._dtype.label}"
        )
    return out._dtype if out is not None and out._dtype.category >= 2 else input._dtype


@op(
    kind="reduce",
    rounded=1,
    derivative=Rule(
        numbered("MeanBackward", 0, 1),
        input=lambda g, c: over(spread_out(g, c.input_face, c.dim, c.keepdim), count(c.input_face, c.dim)),
    ),
)
@takes("(Tensor input, *, tensorkit.dtype dtype = None, Tensor out = None)", _SUM_FORMS[1])
@shortened("mean")
def mean(
    input: Tensor,
    dim: Dims | None = UNSAID,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean of all elements, or of those along the dimensions named. Integers must be converted first.

    Raises:
        RuntimeError: for a tensor of integers or bools without ``dtype=``.

    >>> tk.tensor([1.0, 2, 6]).mean()
    tensor(3.)
    """
    named_all(dim, keepdim, None)
    if dim is UNSAID and isinstance(out, Tensor) and not dtypes.can_cast(input._dtype, out._dtype):
        raise RuntimeError(
            f"mean.dtype_out(): input types can't be cast to the desired output type {out._dtype.label}"
        )
    kind = _mean_dtype("mean", input, dtype, out)
    axes = axes_of(dim, input.dim())
    check_kernel("sum_cpu", input, kind)
    return on_device.reduce("mean", input, axes, keepdim, kind, out, _mean)


def _mean(array: Array, axes: tuple[int, ...], keepdim: bool, kind: dtype) -> Array:
    """The mean as `kind`; 16-bit numbers are rounded once, after the division."""
    added = kernels.cast(total(array, axes, keepdim, kind), dtypes.float32 if kernels.is_half(kind) else kind)
    many = math.prod([array.shape[axis] for axis in axes])
    return kernels.quiet(numpy.divide, added, numpy.array(many, added.real.dtype))  # type: ignore[no-any-return]


@op(kind="reduce", rounded=1, out_error="nansum", out_overlap="allowed")
def nanmean(
    input: Tensor,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean of the elements, all or along the dimensions named, of those that are not nan.

    Raises:
        RuntimeError: for integers, bools and complex numbers.

    >>> tk.tensor([1.0, float("nan"), 2.0]).nanmean()
    tensor(1.5000)
    """
    check_flag(keepdim)
    if input._dtype.category < 2 and out is not None:
        raise RuntimeError(
            "nanmean(): integral types and 'Bool' are not supported for nanmean, even for empty tensors."
        )
    if input._dtype.category < 2:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {input._dtype.label}"
        )
    if dtype is not None:
        _mean_dtype("nanmean", input, dtype, None)
    many = input.detach().eq(input.detach()).sum(dim, keepdim)
    if out is None:
        return nansum(input, dim, keepdim, dtype=dtype) / many
    if isinstance(out, Tensor) and out._lay().size == many._lay().size:
        check_writable(out)
    return nansum(input, dim, keepdim, dtype=dtype, out=out).div_(many)
