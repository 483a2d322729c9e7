"""What reductions have in common: dimensions, the size and dtype of the result, `out=`, sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import requires_grad
from tensorkit.device import CPU, META
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.unsaid import UNSAID
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.output import empty_strided
from tensorkit.errors import MissingKernelError, warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import tiny
from tensorkit.kernels.cpu.sums import sum_in_order
from tensorkit.kernels.cpu.sums.sum import sum_along
from tensorkit.kernels.sizes import SMALL, TINY
from tensorkit.ops.shared.to import as_dtype
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Tensor, fresh

# -- arguments ----------------------------------------------------------------------------------------------------


def check_dims(dim: Any) -> None:
    """Refuse what names no dimensions (the caller adds the sentence)."""
    for one in dim if isinstance(dim, (tuple, list)) else () if dim is None else (dim,):
        if isinstance(one, (bool, numpy.bool_)) or not hasattr(one, "__index__"):
            raise TypeError
        if isinstance(one, Tensor):
            one.__index__()  # refuses all but one integer


def one_axis(dim: Any, ndim: int) -> int:
    """A dimension counted from the front.

    Raises:
        TypeError: for anything but an integer (the caller adds the sentence). IndexError: out of range.
    """
    if isinstance(dim, (bool, numpy.bool_)) or not hasattr(dim, "__index__"):
        raise TypeError
    return normalise_dim(dim.__index__(), ndim)


def axes_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions to reduce, counted from the front; none named means all.

    Raises:
        IndexError: for one out of range. RuntimeError: for one named twice. TypeError: for anything but an integer.
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
    """Refuse what is neither True nor False (the caller adds the sentence)."""
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


FLOATS = (dtypes.float32, dtypes.float64)


def axis_of_small(array: Array, dim: Any) -> int | None:
    """A dimension that was plainly named, counted from the front; None for anything else."""
    if dim.__class__ is not int:
        return None
    axis: int = dim + array.ndim if dim < 0 else dim
    return axis if 0 <= axis < array.ndim else None


def like_meta(size: tuple[int, ...], kind: dtype) -> Tensor:
    """A row-major result without data."""
    return empty_strided(size, contiguous_stride(size), kind, META)


# -- how gradients pass back --------------------------------------------------------------------------------------


def spread_out(g: Any, face: Any, dim: Any, keepdim: bool) -> Any:
    """One gradient for many elements: repeated over the dimensions that were reduced."""
    wide = with_dims(g, dim, keepdim, len(face.size))
    if state.grad or tracing.active:
        return wide.expand(face.size)
    return wide._view(wide._lay().expand(face.size))  # nothing is recorded: a plain view is enough


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


def numbered(stem: str, of_all: int, along: int) -> Callable[[dict[str, Any]], str]:
    return lambda arguments: f"{stem}{of_all if arguments['dim'] is UNSAID else along}"


def put_along(input: Any, index: Any, axis: int, size: tuple[int, ...]) -> Tensor:
    """Zeros with one value written along a dimension at each index."""
    if state.grad or input.is_cuda:
        return input.new_zeros(size).scatter_(axis, index, input)  # type: ignore[no-any-return]
    if not size:
        return input  # type: ignore[no-any-return]
    out = numpy.zeros(size, input._dtype.numpy)
    numpy.put_along_axis(out, index._nd(), input._nd(), axis)
    return fresh(out, input._dtype)


# -- totals -----------------------------------------------------------------------------------------------------


_SUMMED_IN = {"float32": numpy.float64, "complex64": numpy.complex128}


def counted(true: Array, axes: tuple[int, ...], keepdim: bool) -> Array:
    """How many bools are true: of all at once, which NumPy does much faster than along named dimensions."""
    if len(axes) == true.ndim:
        return numpy.full(reduced_size(true.shape, axes, keepdim), numpy.count_nonzero(true), numpy.int64)
    return numpy.asarray(numpy.count_nonzero(true, axis=axes, keepdims=keepdim))


def _in_order(array: Array, axes: tuple[int, ...]) -> Array | None:
    """The sum of float32 numbers that lie side by side, in PyTorch's order; None for others, and for very many."""
    if not 0 < array.size <= sum_in_order.MOST_ON_ONE_THREAD:
        return None
    if len(axes) == array.ndim and array.flags.forc:
        return sum_in_order.total(array)
    first = array.ndim - len(axes)
    if sorted(axes) != list(range(first, array.ndim)) or not axes or not array.flags.c_contiguous:
        return None
    kept = array.shape[:first]
    return sum_in_order.row_totals(array.reshape(math.prod(kept), -1)).reshape(kept)


def sum_of_some(array: Array, axis: int | None) -> Array | None:
    """The sum of up to `SMALL` floating point numbers, of all or along a dimension; None where no loop is for it."""
    if array.size == 1:  # a sum begins with 0, and so it is never -0
        return numpy.array(array.item() + 0.0, array.dtype, ndmin=0 if axis is None else array.ndim - 1)
    if array.size > TINY or not array.flags.c_contiguous:
        return tiny.brief_sum(array, axis)
    return tiny.total(array) if axis is None else tiny.sums(array, axis)


def total(array: Array, axes: tuple[int, ...], keepdim: bool, kind: dtype) -> Array:
    """The sum as `kind`, accumulated so that its last digits can be trusted."""
    if array.dtype == numpy.bool_ and kind is dtypes.int64:
        return counted(array, axes, keepdim)
    if kind.category < 2:
        converted = kernels.cast(array, kind) if kind.category == 1 else array
        return kernels.quiet(numpy.add.reduce, converted, axis=axes, keepdims=keepdim, dtype=kind.numpy)  # type: ignore[no-any-return]
    source = kernels.cast(array, dtypes.float32) if kernels.is_half(kind) else kernels.cast(array, kind)
    short: Any = None
    if kind in FLOATS and 0 < source.size <= SMALL and len(axes) in (1, source.ndim) and source.ndim:
        short = kernels.quiet(sum_of_some, source, axes[0] if len(axes) < source.ndim else None)
    if short is None and kind is dtypes.float32:
        short = kernels.quiet(_in_order, source, axes)
    if short is None:
        short = kernels.quiet(sum_along, source, axes)
    if short is not None:
        return short.reshape(reduced_size(source.shape, axes, keepdim))  # type: ignore[no-any-return]
    pairwise = source.flags.c_contiguous and axes == tuple(range(source.ndim - len(axes), source.ndim))
    work: Any = source.dtype if pairwise else _SUMMED_IN.get(kind.name, source.dtype)
    return kernels.quiet(numpy.add.reduce, source, axis=axes, keepdims=keepdim, dtype=work)  # type: ignore[no-any-return]


def warn_of_lost_parts(input: Tensor, kind: dtype) -> None:
    """Warn, as PyTorch does, when complex numbers are converted to real ones first."""
    if input._dtype.is_complex and kind.category in (1, 2) and input.numel():
        warn("Casting complex values to real discards the imaginary part")


def check_kernel(code: str, input: Tensor, kind: dtype) -> None:
    """Warn of parts that the conversion to `kind` loses, and refuse a dtype that the kernel `code` cannot compute in.

    The meta device has no kernels, and does neither.
    """
    if input._device == META:
        return
    warn_of_lost_parts(input, kind)
    if kind in LIMITED and input.numel():
        raise missing_kernel(code, kind.label)


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


def named_all(dim: Any, keepdim: Any, out: Any) -> None:
    """Refuse ``keepdim=`` and ``out=`` in the form that names no dimension."""
    check_flag(keepdim)
    if dim is UNSAID and (keepdim or out is not None):
        raise TypeError
