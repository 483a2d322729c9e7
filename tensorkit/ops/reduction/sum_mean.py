"""Reductions: one number for many, over all dimensions or over those named.

The results are row-major, as PyTorch's are. Sums of 16- and 32-bit floats are accumulated in a wider type or pairwise,
so that they stay exact where a running sum would not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.device import CPU, META
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.registry import sample
from tensorkit.dispatch.unsaid import UNSAID
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.iterator import brief, check_writable, empty_strided
from tensorkit.errors import MissingKernelError, warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import parallel, tiny
from tensorkit.kernels.cpu.sum import sum_along
from tensorkit.ops.joining.cat_stack import cat
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.int_args import Dims
from tensorkit.ops.shared.scalar_arithmetic import over
from tensorkit.ops.shared.to import as_dtype
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Tensor, attach, fresh

__all__ = [
    "all",
    "any",
    "axes_of",
    "axis_of_small",
    "check_dims",
    "check_flag",
    "count",
    "count_nonzero",
    "evenly",
    "exact_out",
    "host",
    "like_meta",
    "mean",
    "nanmean",
    "nansum",
    "of_one",
    "one_axis",
    "prod",
    "product",
    "put_along",
    "reduced_size",
    "refuse_whole",
    "result_kind",
    "small",
    "spread_out",
    "sum",
    "total",
    "warn_of_lost_parts",
    "with_dims",
]

# -- arguments ----------------------------------------------------------------------------------------------------


def check_dims(dim: Any) -> None:
    """Refuse what names no dimensions (the sentence is added by whoever was called)."""
    for one in dim if isinstance(dim, (tuple, list)) else () if dim is None else (dim,):
        if isinstance(one, (bool, numpy.bool_)) or not hasattr(one, "__index__"):
            raise TypeError
        if isinstance(one, Tensor):
            one.__index__()  # refuses all but one integer


def one_axis(dim: Any, ndim: int) -> int:
    """A dimension counted from the front.

    Raises:
        TypeError: for what is no integer (the sentence is added by whoever was called). IndexError: out of range.
    """
    if isinstance(dim, (bool, numpy.bool_)) or not hasattr(dim, "__index__"):
        raise TypeError
    return normalise_dim(dim.__index__(), ndim)


def axes_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions to reduce, counted from the front; none named means all.

    Raises:
        IndexError: for one out of range. RuntimeError: for one named twice. TypeError: for what is no integer.
    """
    if dim is None or dim is UNSAID:
        return tuple(range(ndim))
    dims = dim if isinstance(dim, (tuple, list)) else (dim,)
    if not dims:
        return tuple(range(ndim))
    axes: list[int] = []
    for one in dims:
        axis = one_axis(one, ndim)
        if axis in axes:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
        axes.append(axis)
    return tuple(axes) if ndim else ()


def reduced_size(size: tuple[int, ...], axes: tuple[int, ...], keepdim: bool) -> tuple[int, ...]:
    """The size of a reduction's result."""
    if keepdim:
        return tuple([1 if d in axes else n for d, n in enumerate(size)])
    return tuple([n for d, n in enumerate(size) if d not in axes])


def check_flag(flag: Any) -> None:
    """Refuse what is neither True nor False (the sentence is added by whoever was called)."""
    if not isinstance(flag, bool):
        raise TypeError


def exact_out(kind: dtype, out: Any) -> None:
    """Refuse an ``out=`` tensor of another dtype than the result's, where PyTorch converts nothing."""
    if out is not None and not isinstance(out, Tensor):
        raise TypeError
    if out is not None and out._dtype is not kind:
        raise RuntimeError(
            f"Expected out tensor to have dtype {cpp_name(kind)}, but got {cpp_name(out._dtype)} instead"
        )


def host(input: Tensor, name: str) -> Array:
    """The elements in the CPU's memory. Raises: NotImplementedError: for a tensor on another device."""
    if input._device != CPU:
        raise MissingKernelError(
            f"Could not run 'aten::{name}' with arguments from the '{input._device.type.upper()}' backend. "
            "Move the tensor first: t.cpu() returns a copy on the CPU."
        )
    return input._nd()


_FLOATS = (dtypes.float32, dtypes.float64)


def small(input: Tensor, kinds: tuple[dtype, ...] = _FLOATS, any_steps: bool = False) -> Array | None:
    """The elements of a row-major tensor of so few that `kernels.cpu.tiny` is for it; None for any other.

    Args:
        any_steps: take whatever strides there are along dimensions of one element: the result will not have them.
    """
    array = input._array
    if array is None:
        if input._device is not CPU or input._bits:
            return None
        array = input._nd()
    row_major = input._solid or (any_steps and array.flags.c_contiguous)
    if row_major and input._dtype in kinds and 0 < array.size <= tiny.FEW and array.ndim:
        return array
    return None


def axis_of_small(array: Array, dim: Any) -> int | None:
    """A dimension that was plainly named, counted from the front; None for anything else."""
    if dim.__class__ is not int:
        return None
    axis: int = dim + array.ndim if dim < 0 else dim
    return axis if 0 <= axis < array.ndim else None


def _short(input: Tensor, dim: Any, keepdim: Any, whole: Any, along: Any) -> Tensor | None:
    """The sum or mean of a few elements, of all or along one dimension; None for the way that others take."""
    array = input._array
    if array is not None and array.size == 1 and array.ndim and input._dtype in _FLOATS:
        # A sum begins with 0, and so it is never -0.
        return of_one(array.item() + 0.0, array, input._dtype, dim, keepdim)
    array = small(input)
    if array is None:
        return _briefly(input, dim, keepdim, whole is tiny.mean)
    try:
        if dim is UNSAID:
            return None if keepdim is not False else fresh(kernels.quiet_here(whole, array), input._dtype)
        axis = axis_of_small(array, dim)
        if axis is None or (keepdim is not False and keepdim is not True):
            return None
        values = kernels.quiet_here(along, array, axis)
    except RuntimeError:
        return None  # another thread is inside
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
    try:
        values = kernels.quiet_here(tiny.brief_sum, array, axis)
    except RuntimeError:
        return None  # another thread is inside
    if values is None:
        return None
    if shared:
        many = array.size if axis is None else array.shape[axis]
        values = kernels.quiet(numpy.true_divide, values, many)
        values = values if values.__class__ is numpy.ndarray else numpy.asarray(values)
    if keepdim and axis is not None:
        values = values.reshape(reduced_size(array.shape, (axis,), True))
    return fresh(values, input._dtype)


def like_meta(size: tuple[int, ...], kind: dtype) -> Tensor:
    """A row-major result without data."""
    return empty_strided(size, contiguous_stride(size), kind, META)


# -- how gradients pass back --------------------------------------------------------------------------------------


def spread_out(g: Any, face: Any, dim: Any, keepdim: bool) -> Any:
    """One gradient for many elements: repeated over the dimensions that were reduced."""
    wide = with_dims(g, dim, keepdim, len(face.size))
    if state.grad or tracing.active:
        return wide.expand(face.size)
    return wide._view(wide._lay().expand(face.size))  # nobody looks: without the ways that lead there


def with_dims(value: Any, dim: Any, keepdim: bool, ndim: int) -> Any:
    """A reduction's result, or its gradient, with the reduced dimensions of size 1 put back."""
    if keepdim or dim is None or dim is UNSAID:
        return value
    for axis in sorted(axes_of(dim, ndim)):
        value = value.unsqueeze(axis)
    return value


def count(face: Any, dim: Any) -> int:
    """How many elements became one."""
    return math.prod([face.size[axis] for axis in axes_of(dim, len(face.size))])


def refuse_whole(call: dict[str, Any]) -> bool:
    """Refuse to record what gives whole numbers of a tensor that wants a gradient; otherwise, all is recorded."""
    kind = call["dtype"]
    whole = isinstance(kind, dtype) and kind.category < 2 and kind not in LIMITED and call.get("out") is None
    if whole and state.grad and requires_grad(call["input"]):
        raise RuntimeError(f"Autograd not support dtype: {kind.label}")
    return True


def _numbered(stem: str, of_all: int, along: int) -> Callable[[dict[str, Any]], str]:
    return lambda arguments: f"{stem}{of_all if arguments['dim'] is UNSAID else along}"


def evenly(g: Any, c: Any) -> Any:
    """All elements that are the extreme one share the gradient; if that is nan, all that are nan."""
    lost = c.out.ne(c.out).item()
    winners = c.input.ne(c.input) if lost else c.input.eq(c.out)
    return c.input.new_zeros(c.input.size()).masked_fill_(winners, g / winners.sum())


def put_along(input: Any, index: Any, axis: int, size: tuple[int, ...]) -> Tensor:
    """Zeros with one value written along a dimension at each index."""
    if state.grad:
        return input.new_zeros(size).scatter_(axis, index, input)  # type: ignore[no-any-return]
    if not size:
        return input  # type: ignore[no-any-return]
    out = numpy.zeros(size, input._dtype.numpy)
    numpy.put_along_axis(out, index._nd(), input._nd(), axis)
    return fresh(out, input._dtype)


# -- sum and mean -------------------------------------------------------------------------------------------------


_WIDE = {"float32": numpy.float64, "complex64": numpy.complex128}


def _counted(true: Array, axes: tuple[int, ...], keepdim: bool) -> Array:
    """How many bools are true: of all at once, which NumPy does much faster than along named dimensions."""
    if len(axes) == true.ndim:
        return numpy.full(reduced_size(true.shape, axes, keepdim), numpy.count_nonzero(true), numpy.int64)
    return numpy.asarray(numpy.count_nonzero(true, axis=axes, keepdims=keepdim))


def total(array: Array, axes: tuple[int, ...], keepdim: bool, kind: dtype) -> Array:
    """The sum as `kind`, accumulated so that its last digits can be trusted."""
    if array.dtype == numpy.bool_ and kind is dtypes.int64:
        return _counted(array, axes, keepdim)
    if kind.category < 2:
        converted = kernels.cast(array, kind) if kind.category == 1 else array
        return kernels.quiet(numpy.add.reduce, converted, axis=axes, keepdims=keepdim, dtype=kind.numpy)  # type: ignore[no-any-return]
    source = kernels.cast(array, dtypes.float32) if kernels.is_half(kind) else kernels.cast(array, kind)
    short: Any = kernels.quiet(sum_along, source, axes)
    if short is not None:
        return short.reshape(reduced_size(source.shape, axes, keepdim))  # type: ignore[no-any-return]
    pairwise = source.flags.c_contiguous and axes == tuple(range(source.ndim - len(axes), source.ndim))
    work: Any = source.dtype if pairwise else _WIDE.get(kind.name, source.dtype)
    return kernels.quiet(numpy.add.reduce, source, axis=axes, keepdims=keepdim, dtype=work)  # type: ignore[no-any-return]


def warn_of_lost_parts(input: Tensor, kind: dtype) -> None:
    """Warn, as PyTorch does, when complex numbers are converted to real ones first."""
    if input._dtype.is_complex and kind.category in (1, 2) and input.numel():
        warn("Casting complex values to real discards the imaginary part")


def result_kind(name: str, input: Tensor, kind: Any, out: Any) -> dtype:
    """The dtype that a sum or product is computed in: asked for, that of `out`, int64 for whole numbers."""
    if out is not None and not isinstance(out, Tensor):
        raise TypeError
    if kind is not None:
        chosen = as_dtype(kind, name)
        exact_out(chosen, out)
        return chosen
    if out is not None:
        return out._dtype
    return dtypes.int64 if input._dtype.category < 2 else input._dtype


def _named_all(dim: Any, keepdim: Any, out: Any) -> None:
    """Refuse ``keepdim=`` and ``out=`` in the form that names no dimension."""
    check_flag(keepdim)
    if dim is UNSAID and (keepdim or out is not None):
        raise TypeError


_SUM_FORMS = (
    "(Tensor input, *, tensorkit.dtype dtype = None)",
    "(Tensor input, tuple of ints dim, bool keepdim = False, *, tensorkit.dtype dtype = None, Tensor out = None)",
)


@op(
    samples=(
        sample("tk.sum(a)", a=(2, 3, 4)),
        sample("a.sum(0)", a=(2, 3, 4)),
        sample("a.sum((0, 2), keepdim=True)", a=(2, 3, 4)),
        sample("a.sum(-1, dtype=tk.float64)", a=(2, 3)),
        sample("a.sum(axis=0, keepdims=True)", a=(2, 3)),
        sample("a.sum()", a=()),
        sample("a.sum(None)", a=(2, 3)),
        sample("a.sum(0)", a=(0, 3)),
        sample("a.sum(5)", a=(2, 3)),
        sample("a.sum((0, 0))", a=(2, 3)),
        sample("tk.sum(a, 0, out=tk.empty(0))", a=(2, 3)),
        sample("tk.sum(a, 'x')", a=(2, 3)),
        sample("a.sum(keepdim=True)", a=(2, 3)),
        sample("a.sum(dtype=tk.uint16)", a=(2, 3)),
    ),
    kind="reduce",
    rounded=1,
    derivative=Rule(
        _numbered("SumBackward", 0, 1),
        applies=refuse_whole,
        input=lambda g, c: spread_out(g, c.input_face, c.dim, c.keepdim),
    ),
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

    >>> import tensorkit as tk
    >>> t = tk.ones(2, 3, 4)
    >>> t.sum(), t.sum((0, 1))
    (tensor(24.), tensor([6., 6., 6., 6.]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sum.html
    """
    if out is None and dtype is None:
        short = _short(input, dim, keepdim, tiny.total, tiny.sums)
        if short is not None:
            return short
    _named_all(dim, keepdim, out)
    axes = axes_of(dim, input.dim())
    kind = result_kind("sum", input, dtype, out)
    if input._device == META:
        return like_meta(reduced_size(input._lay().size, axes, keepdim), kind)
    warn_of_lost_parts(input, kind)
    if kind in LIMITED and input.numel():
        raise missing_kernel("sum_cpu", kind.label)
    return deliver(total(host(input, "sum"), axes, keepdim, kind), kind, out)


def _without_nan(input: Tensor) -> Array:
    array = host(input, "nansum")
    if input._dtype.category < 2:
        return array
    return kernels.quiet(numpy.where, array == array, array, numpy.zeros((), array.dtype))  # type: ignore[no-any-return]


@op(
    samples=(
        sample("tk.nansum(a)", a=(2, 3)),
        sample("a.nansum(0)", a=(2, 3)),
        sample("a.nansum((0, -1), keepdim=True)", a=(2, 3, 2)),
        sample("a.nansum(1, dtype=tk.float64)", a=(2, 3)),
        sample("a.nansum(dtype=tk.complex64)", a=(2, 3)),
        sample("tk.nansum(a, 0, out=tk.empty(0))", a=(2, 3)),
        sample("a.nansum(2)", a=(2, 3)),
        sample("a.nansum('x')", a=(2, 3)),
    ),
    kind="reduce",
    rounded=1,
    derivative=Rule(
        "NansumBackward0",
        applies=refuse_whole,
        input=lambda g, c: spread_out(g, c.input_face, c.dim, c.keepdim) * c.input.eq(c.input),
    ),
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

    >>> import tensorkit as tk
    >>> tk.tensor([1.0, float("nan"), 2.0]).nansum()
    tensor(3.)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nansum.html
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
    samples=(
        sample("tk.mean(a)", a=(2, 3)),
        sample("a.mean(1, keepdim=True)", a=(2, 3)),
        sample("a.mean((0, -1))", a=(2, 3, 4)),
        sample("a.mean()", a=(0,)),
        sample("a.mean(dtype=tk.float64)", a=(2, 3)),
        sample("a.mean(2)", a=(2, 3)),
        sample("tk.mean(a, 0, out=tk.empty(0))", a=(2, 3)),
        sample("tk.mean(a, 0, dtype=tk.float64, out=tk.empty(0))", a=(2, 3)),
    ),
    kind="reduce",
    rounded=1,
    derivative=Rule(
        _numbered("MeanBackward", 0, 1),
        input=lambda g, c: over(spread_out(g, c.input_face, c.dim, c.keepdim), count(c.input_face, c.dim)),
    ),
)
@takes(
    "(Tensor input, *, tensorkit.dtype dtype = None, Tensor out = None)",
    _SUM_FORMS[1],
)
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

    >>> import tensorkit as tk
    >>> tk.tensor([1.0, 2, 6]).mean()
    tensor(3.)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.mean.html
    """
    if out is None and dtype is None:
        short = _short(input, dim, keepdim, tiny.mean, tiny.means)
        if short is not None:
            return short
    _named_all(dim, keepdim, None)
    if dim is UNSAID and isinstance(out, Tensor) and not dtypes.can_cast(input._dtype, out._dtype):
        raise RuntimeError(
            f"mean.dtype_out(): input types can't be cast to the desired output type {out._dtype.label}"
        )
    kind = _mean_dtype("mean", input, dtype, out)
    axes = axes_of(dim, input.dim())
    if input._device == META:
        return like_meta(reduced_size(input._lay().size, axes, keepdim), kind)
    array = host(input, "mean")
    warn_of_lost_parts(input, kind)
    added = total(array, axes, keepdim, kind)
    if not kernels.is_half(kind):  # 16-bit numbers are rounded once, after the division
        added = kernels.cast(added, kind)
    many = math.prod([input._lay().size[d] for d in axes])
    return deliver(_divided(added, many, kind), kind, out)


def _divided(added: Array, many: int, kind: dtype) -> Array:
    wide = kernels.cast(added, dtypes.float32) if kernels.is_half(kind) else added
    return kernels.quiet(numpy.divide, wide, numpy.array(many, wide.real.dtype))  # type: ignore[no-any-return]


@op(
    samples=(
        sample("tk.nanmean(a)", a=(2, 3)),
        sample("a.nanmean(1)", a=(2, 3)),
        sample("a.nanmean((0, 1), keepdim=True)", a=(2, 3)),
        sample("a.nanmean(0, dtype=tk.float64)", a=(2, 3)),
        sample("tk.nanmean(a, 0, out=tk.empty(0))", a=(2, 3)),
        sample("a.nanmean(2)", a=(2, 3)),
    ),
    kind="reduce",
    rounded=1,
)
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

    >>> import tensorkit as tk
    >>> tk.tensor([1.0, float("nan"), 2.0]).nanmean()
    tensor(1.5000)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nanmean.html
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
        return nansum(input, dim, keepdim, dtype=dtype) / many  # type: ignore[no-any-return]
    if isinstance(out, Tensor) and out._lay().size == many._lay().size:
        check_writable(out)
    return nansum(input, dim, keepdim, dtype=dtype, out=out).div_(many)


# -- products -----------------------------------------------------------------------------------------------------


def _others(input: Any, axis: int) -> Any:
    """The product of all the other elements along a dimension, without a division: there may be zeros."""
    size = list(input.size())
    ones = input.new_ones([*size[:axis], 1, *size[axis + 1 :]])
    many = size[axis] - 1
    before = cat((ones, input.narrow(axis, 0, many)), axis).cumprod(axis)
    after = cat((ones, input.narrow(axis, 1, many).flip(axis)), axis).cumprod(axis).flip(axis)
    return _conj(before * after)


def _conj(value: Any) -> Any:
    return value.conj() if value.is_complex() else value


def _prod_back(g: Any, c: Any) -> Any:
    x = c.input.to(g.dtype)
    if not x.dim():
        return g.clone()
    if c.dim is UNSAID:
        return _prod_back_all(g, x, c.out)
    axis = normalise_dim(int(c.dim), x.dim())
    out = c.out if c.keepdim else c.out.unsqueeze(axis)
    g = g if c.keepdim else g.unsqueeze(axis)
    if not x.eq(0).any().item():
        return g * _conj(out / x)
    return g if x.size(axis) == 1 else g * _others(x, axis)


def _prod_back_all(g: Any, x: Any, out: Any) -> Any:
    zeros = x.eq(0).sum().item()
    if zeros == 0:
        return g * _conj(out / x)
    if zeros > 1 and not state.grad:
        return x.new_zeros(x.size())
    flat = x.reshape(-1)
    return (g.expand(1) if flat.size(0) == 1 else g * _others(flat, 0)).view(x.size())


_LONG = 64


def _folded(array: Array) -> Array:
    """The last dimension multiplied half by half, which NumPy does many at a time; along a row it goes one by one."""
    while array.shape[-1] > _LONG // 4:
        half, odd = divmod(array.shape[-1], 2)
        folded = array[..., :half] * array[..., half : 2 * half]
        if odd:
            folded[..., 0] *= array[..., -1]
        array = folded
    return array


def _folded_rows(array: Array) -> Array:
    """`_folded` by blocks of rows that stay close to the processor."""
    rows = array.reshape(-1, array.shape[-1])
    step = max(1, (1 << 16) // rows.shape[1])
    parts = [_folded(rows[first : first + step]) for first in range(0, len(rows), step)]
    return numpy.concatenate(parts).reshape(*array.shape[:-1], -1) if parts else array


_VECTORS = 64  # elements, from which on PyTorch multiplies several at once


def _product_of_halves(array: Array, axes: tuple[int, ...], keepdim: bool) -> Array:
    """PyTorch multiplies one after the other as they lie in memory, and rounds to 16 bits each time."""
    size = reduced_size(array.shape, axes, keepdim)
    if len(axes) != 1:
        array, axes = array.ravel("K"), (0,)
    one_by_one = kernels.quiet(numpy.multiply.accumulate, array, axis=axes[0])
    return one_by_one.take(-1, axes[0]).reshape(size)  # type: ignore[no-any-return]


def product(array: Array, axes: tuple[int, ...], keepdim: bool, kind: dtype) -> Array:
    """The product as `kind`; more than a few 16-bit numbers are multiplied as float32."""
    if kind.category == 0:
        return numpy.all(array != 0, axis=axes, keepdims=keepdim)  # type: ignore[no-any-return]
    if kernels.is_half(kind) and 0 < math.prod([array.shape[axis] for axis in axes]) < _VECTORS:
        return _product_of_halves(kernels.cast(array, kind), axes, keepdim)
    source = kernels.cast(array, dtypes.float32 if kernels.is_half(kind) else kind)
    along = axes == tuple(range(source.ndim - len(axes), source.ndim))
    if axes and along and source.size:
        rows = source.reshape(-1, math.prod([source.shape[axis] for axis in axes]))
        quick = parallel.row_products(rows)
        if quick is not None:
            return quick.reshape(reduced_size(source.shape, axes, keepdim))
    if source.ndim and axes == (source.ndim - 1,) and source.shape[-1] >= _LONG:
        source = kernels.quiet(_folded_rows, source)
    return kernels.quiet(numpy.multiply.reduce, source, axis=axes, keepdims=keepdim, dtype=source.dtype)  # type: ignore[no-any-return]


def _multiplied(array: Array) -> Array:
    return numpy.array(numpy.multiply.reduce(array, None))


@op(
    samples=(
        sample("tk.prod(a)", a=(2, 3)),
        sample("a.prod(0)", a=(2, 3)),
        sample("a.prod(-1, keepdim=True)", a=(2, 3)),
        sample("a.prod(1, dtype=tk.float64)", a=(2, 3)),
        sample("a.prod(dtype=tk.bool)", a=(2, 3)),
        sample("tk.prod(a, 0, out=tk.empty(0))", a=(2, 3)),
        sample("tk.prod(a, 0, dtype=tk.int32, out=tk.empty(0))", a=(2, 3)),
        sample("a.prod(0)", a=(0, 3)),
        sample("a.prod(2)", a=(2, 3)),
        sample("a.prod((0, 1))", a=(2, 3)),
        sample("a.prod('x', True)", a=(2, 3)),
        sample("tk.prod(a, keepdim=True)", a=(2, 3)),
    ),
    kind="reduce",
    rounded=1,
    derivative=Rule(_numbered("ProdBackward", 0, 1), applies=refuse_whole, input=_prod_back),
)
@takes(
    "(Tensor input, *, tensorkit.dtype dtype = None)",
    "(Tensor input, int dim, bool keepdim = False, *, tensorkit.dtype dtype = None, Tensor out = None)",
)
def prod(
    input: Tensor,
    dim: int = UNSAID,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Multiply all elements, or those along one dimension; of no elements the product is 1.

    Args:
        dim: one dimension. keepdim: keep it with size 1.
        dtype: convert to it first; bools and integers are multiplied as int64 unless told otherwise.

    >>> import tensorkit as tk
    >>> tk.tensor([[1, 2], [3, 4]]).prod(0)
    tensor([3, 8])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.prod.html
    """
    if out is None and dtype is None and dim is UNSAID and keepdim is False:
        array = small(input)
        if array is not None:
            return fresh(kernels.quiet(_multiplied, array), input._dtype)
    _named_all(dim, keepdim, out)
    ndim = input.dim()
    axes = axes_of(UNSAID if dim is UNSAID else one_axis(dim, ndim), ndim)
    kind = result_kind("prod", input, dtype, out)
    if input._device == META:
        return like_meta(reduced_size(input._lay().size, axes, keepdim), kind)
    warn_of_lost_parts(input, kind)
    if kind in LIMITED and input.numel():
        raise missing_kernel("prod_out_cpu", kind.label)
    return deliver(product(host(input, "prod"), axes, keepdim, kind), kind, out)


# -- truth and counts ---------------------------------------------------------------------------------------------

_TRUTH_SAMPLES = (
    sample("tk.{name}(a)", a=(2, 3)),
    sample("a.{name}(0)", a=(2, 3)),
    sample("a.{name}(-1, keepdim=True)", a=(2, 3)),
    sample("a.{name}((0, 2))", a=(2, 3, 2)),
    sample("a.{name}(())", a=(2, 3)),
    sample("a.{name}(keepdim=True)", a=(2, 3)),
    sample("tk.{name}(a, 0, out=tk.empty(0, dtype=tk.bool))", a=(2, 3)),
    sample("tk.{name}(a, 0, out=tk.empty(0))", a=(2, 3)),
    sample("a.{name}(2)", a=(2, 3)),
    sample("a.{name}((0, 0))", a=(2, 3)),
    sample("tk.{name}(a, 'x')", a=(2, 3)),
)


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

    >>> import tensorkit as tk
    >>> t = tk.tensor([[True, False], [True, True]])
    >>> t.{name}(), t.{name}(0)
    {answers}

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html
    """
    forms = (
        "(Tensor input, *, Tensor out = None)",
        "(Tensor input, tuple of ints dim = None, bool keepdim = False, *, Tensor out = None)",
        "(Tensor input, int dim, bool keepdim = False, *, Tensor out = None)",
    )
    samples = [sample(s.call.format(name=name), **s.sizes) for s in _TRUTH_SAMPLES]
    return op(samples=samples, kind="reduce", name=name)(takes(*forms)(truth))


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
    array = host(input, "count_nonzero")
    true = array if array.dtype == numpy.bool_ else kernels.quiet(numpy.not_equal, array, 0)
    return deliver(_counted(true, axes, False), dtypes.int64)


@op(
    samples=(
        sample("tk.count_nonzero(a)", a=(2, 3)),
        sample("a.count_nonzero(0)", a=(2, 3)),
        sample("a.count_nonzero((0, 2))", a=(2, 3, 2)),
        sample("a.count_nonzero(dim=-1)", a=(2, 3)),
        sample("a.count_nonzero(0, 1)", a=(2, 3)),
        sample("a.count_nonzero(2)", a=(2, 3)),
        sample("a.count_nonzero('x')", a=(2, 3)),
    ),
    kind="reduce",
    methods=(),
)
@takes("(Tensor input, int dim = None)", "(Tensor input, tuple of ints dim)")
def count_nonzero(input: Tensor, dim: Dims | None = None) -> Tensor:
    """How many elements are not zero, of all or along the dimensions named, as int64. nan is not zero.

    >>> import tensorkit as tk
    >>> tk.tensor([[0, 1], [2, 3]]).count_nonzero(0)
    tensor([1, 2])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.count_nonzero.html
    """
    return _not_zero(input, dim)


def _count_nonzero_method(input: Tensor, *dim: Any, **named: Any) -> Tensor:
    """How many elements are not zero; see ``tensorkit.count_nonzero``. Dimensions may be written one by one."""
    return _not_zero(input, *((dim,) if len(dim) > 1 and not named else dim), **named)


attach("count_nonzero", traced_method("count_nonzero", _count_nonzero_method))
