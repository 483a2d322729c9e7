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
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.unsaid import UNSAID
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.output import check_writable
from tensorkit.elementwise.plan import brief
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import tiny
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import (
    FLOATS,
    axes_of,
    axis_of_small,
    check_flag,
    count,
    exact_out,
    host,
    like_meta,
    named_all,
    numbered,
    reduced_size,
    refuse_whole,
    result_kind,
    small,
    spread_out,
    total,
    warn_of_lost_parts,
)
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.int_args import Dims
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.scalar_arithmetic import over
from tensorkit.ops.shared.to import as_dtype
from tensorkit.tensor import Array, Tensor, fresh


def _short(
    input: Tensor, dim: Any, keepdim: Any, whole: Any, along: Any, run: Any = kernels.quiet_here
) -> Tensor | None:
    """The sum or mean of a few elements, of all or along one dimension; None for the way that others take."""
    array = input._array
    if array is not None and array.size == 1 and array.ndim and input._dtype in FLOATS:
        # A sum begins with 0, and so it is never -0.
        return of_one(array.item() + 0.0, array, input._dtype, dim, keepdim)
    array = small(input)
    if array is None:
        return _briefly(input, dim, keepdim, whole is tiny.mean)
    try:
        if dim is UNSAID:
            return None if keepdim is not False else fresh(run(whole, array), input._dtype)
        axis = axis_of_small(array, dim)
        if axis is None or (keepdim is not False and keepdim is not True):
            return None
        values = run(along, array, axis)
    except RuntimeError:  # another thread is inside
        return None if run is kernels.quiet else _short(input, dim, keepdim, whole, along, kernels.quiet)
    return fresh(
        values.reshape(reduced_size(array.shape, (axis,), True)) if keepdim else values, input._dtype
    )


def of_one(value: Any, array: Array, kind: dtype, dim: Any, keepdim: Any) -> Tensor | None:
    """A number as what an array of one element is reduced to; None for the way that others take."""
    if keepdim is not False and (keepdim is not True or dim is UNSAID):
        return None
    left = 0
    if dim is not UNSAID:
        if axis_of_small(array, dim) is None:
            return None
        left = array.ndim if keepdim else array.ndim - 1
    return fresh(numpy.array(value, array.dtype, ndmin=left), kind)


def _briefly(input: Tensor, dim: Any, keepdim: Any, shared: bool) -> Tensor | None:
    """The same of some hundreds of elements, however they lie: the sum, or (`shared`) the mean."""
    array = brief(input)
    if array is None or (keepdim is not False and (keepdim is not True or dim is UNSAID)):
        return None
    axis = None if dim is UNSAID else axis_of_small(array, dim)
    if axis is None and dim is not UNSAID:
        return None
    values = kernels.quiet(tiny.brief_sum, array, axis)
    if values is None:
        return None
    if shared:
        many = array.size if axis is None else array.shape[axis]
        values = kernels.quiet(numpy.true_divide, values, many)
        values = values if values.__class__ is numpy.ndarray else numpy.asarray(values)
    if keepdim and axis is not None:
        values = values.reshape(reduced_size(array.shape, (axis,), True))
    return fresh(values, input._dtype)


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
    if out is None and dtype is None:
        short = _short(input, dim, keepdim, tiny.total, tiny.sums)
        if short is not None:
            return short
    named_all(dim, keepdim, out)
    axes = axes_of(dim, input.dim())
    kind = result_kind("sum", input, dtype, out)
    if input._device == META:
        return like_meta(reduced_size(input._lay().size, axes, keepdim), kind)
    warn_of_lost_parts(input, kind)
    if kind in LIMITED and input.numel():
        raise missing_kernel("sum_cpu", kind.label)
    if is_on_device(input):
        return on_device.reduced("sum", input, axes, keepdim, kind, out)
    return deliver(total(host(input, "sum"), axes, keepdim, kind), kind, out)


def _without_nan(input: Tensor) -> Array:
    array = host(input, "nansum")
    if input._dtype.category < 2:
        return array
    return kernels.quiet(numpy.where, array == array, array, numpy.zeros((), array.dtype))  # type: ignore[no-any-return]


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
    if input._device == META:
        return like_meta(reduced_size(input._lay().size, axes, keepdim), kind)
    if is_on_device(input):
        how = "nansum" if input._dtype.category >= 2 else "sum"
        return on_device.reduced(how, input, axes, keepdim, kind, out)
    array = host(input, "nansum")
    added = None
    if input._dtype is kind and array.size > 1:
        # Mostly there is no nan: then all has been said by the plain sum.
        added = total(array, axes, keepdim, kind)
        added = None if kernels.quiet(numpy.isnan, added).any() else added
    if added is None:
        added = total(_without_nan(input), axes, keepdim, kind)
    return deliver(added, kind, out)


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
    if out is None and dtype is None:
        short = _short(input, dim, keepdim, tiny.mean, tiny.means)
        if short is not None:
            return short
    named_all(dim, keepdim, None)
    if dim is UNSAID and isinstance(out, Tensor) and not dtypes.can_cast(input._dtype, out._dtype):
        raise RuntimeError(
            f"mean.dtype_out(): input types can't be cast to the desired output type {out._dtype.label}"
        )
    kind = _mean_dtype("mean", input, dtype, out)
    axes = axes_of(dim, input.dim())
    if input._device == META:
        return like_meta(reduced_size(input._lay().size, axes, keepdim), kind)
    warn_of_lost_parts(input, kind)
    if is_on_device(input):
        return on_device.reduced("mean", input, axes, keepdim, kind, out)
    array = host(input, "mean")
    added = total(array, axes, keepdim, kind)
    if not kernels.is_half(kind):  # 16-bit numbers are rounded once, after the division
        added = kernels.cast(added, kind)
    many = math.prod([input._lay().size[d] for d in axes])
    return deliver(_divided(added, many, kind), kind, out)


def _divided(added: Array, many: int, kind: dtype) -> Array:
    wide = kernels.cast(added, dtypes.float32) if kernels.is_half(kind) else added
    return kernels.quiet(numpy.divide, wide, numpy.array(many, wide.real.dtype))  # type: ignore[no-any-return]


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
