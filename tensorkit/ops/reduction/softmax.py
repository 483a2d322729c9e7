"""Sums of exponentials that do not overflow: logsumexp, softmax."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.device import CPU, META
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.output import empty_strided, resize_out
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import parallel, tiny
from tensorkit.kernels.jit.threads import spread
from tensorkit.kernels.sizes import LARGE, PIECE, SMALL, TINY
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import (
    axes_of,
    check_dims,
    check_flag,
    exact_out,
    host,
    like_meta,
    one_axis,
    reduced_size,
    with_dims,
)
from tensorkit.ops.shared.copy import deliver, deliver_into
from tensorkit.ops.shared.int_args import Dims
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.to import as_dtype, to_dtype
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh

_add: Any = numpy.add.reduce


# -- arrays -------------------------------------------------------------------------------------------------------


def _shifted(array: Array, axis: int) -> Array:
    """The elements less the largest of their slice: no exponential of them overflows."""
    return numpy.subtract(array, numpy.maximum.reduce(array, axis=axis, keepdims=True))


def softmax_of_some(array: Array, axis: int, logarithm: bool) -> Array | None:
    """Softmax of up to `SMALL` floating point numbers along the last dimension, of a few in double precision.

    None for others, and where a nan or an infinity makes Python's own numbers overflow: NumPy knows what to do.
    """
    if TINY < array.size <= SMALL:
        return parallel.softmax_of_some(array, axis, logarithm)
    if not 0 < array.size <= TINY or axis != array.ndim - 1 or not array.flags.c_contiguous:
        return None
    try:
        return tiny.log_softmax(array) if logarithm else tiny.softmax(array)
    except (OverflowError, ValueError):
        return None


def _softmax(array: Array, axis: int) -> Array:
    short = parallel.softmax(array, axis, False)
    if short is not None:
        return short
    if axis == array.ndim - 1 and array.size > 2 * PIECE and array.flags.c_contiguous:
        return _softmax_rows(array.reshape(-1, array.shape[-1])).reshape(array.shape)
    powers = _shifted(array, axis)
    numpy.exp(powers, out=powers)
    powers /= _add(powers, axis=axis, keepdims=True)
    return powers


def _softmax_rows(rows: Array) -> Array:
    """By blocks of rows that stay close to the processor from the first step to the last."""
    out = numpy.empty_like(rows)
    step = max(1, PIECE // rows.shape[1])
    for first in range(0, len(rows), step):
        block, powers = rows[first : first + step], out[first : first + step]
        numpy.subtract(block, numpy.maximum.reduce(block, axis=1, keepdims=True), out=powers)
        numpy.exp(powers, out=powers)
        powers /= _add(powers, axis=1, keepdims=True)
    return out


def _log_softmax(array: Array, axis: int) -> Array:
    short = parallel.softmax(array, axis, True)
    if short is not None:
        return short
    shifted = _shifted(array, axis)
    shifted -= numpy.log(_add(numpy.exp(shifted), axis=axis, keepdims=True))
    return shifted


def _rounded(values: Any, kind: dtype) -> Array:
    """Numbers as 16 bits hold them, in single precision."""
    return numpy.asarray(values).astype(kind.numpy).astype(numpy.float32)


_COLUMNS = 64  # that PyTorch takes at once


def _softmax_half(array: Array, axis: int, kind: dtype) -> Array:
    """The softmax of 16-bit numbers: except along the last dimension, PyTorch rounds leftover columns' exponentials."""
    if axis == array.ndim - 1:
        return _softmax(array, axis)
    powers = _shifted(numpy.ascontiguousarray(array), axis)
    numpy.exp(powers, out=powers)
    total = _add(powers, axis=axis, keepdims=True)
    columns = powers.reshape(*powers.shape[: axis + 1], -1)
    left = columns.shape[-1] % _COLUMNS
    if left:
        columns[..., -left:] = _rounded(columns[..., -left:], kind)
    powers /= total
    return powers


def _log_softmax_half(array: Array, axis: int, kind: dtype) -> Array:
    """The log-softmax of 16-bit numbers: along the last dimension PyTorch rounds the sum, and its logarithm."""
    if axis != array.ndim - 1:
        return _log_softmax(array, axis)
    shifted = _shifted(array, axis)
    total = _add(numpy.exp(shifted), axis=axis, keepdims=True)
    shifted -= _rounded(numpy.log(_rounded(total, kind)), kind)
    return shifted


def _log_sum(array: Array, axes: tuple[int, ...], keepdim: bool) -> Array:
    """``log(sum(exp(x)))``, of complex numbers by the largest real part; an infinity is left as it is."""
    if not array.size:
        return numpy.log(_add(array, axis=axes, keepdims=keepdim))  # type: ignore[no-any-return]
    quick = parallel.log_sums(array, axes[0]) if len(axes) == 1 else None
    if quick is not None:
        return quick.reshape(reduced_size(array.shape, axes, keepdim))
    if array.size >= LARGE and axes == (array.ndim - 1,) and array.flags.c_contiguous:
        rows = array.reshape(-1, array.shape[-1])
        return _log_sum_rows(rows).reshape(reduced_size(array.shape, axes, keepdim))
    return _log_sum_at_once(array, axes, keepdim)


def _log_sum_rows(rows: Array) -> Array:
    """The result for many rows, on several threads, in blocks that stay in the cache from first step to last."""
    out = numpy.empty(len(rows), rows.dtype)

    def piece(first: int, last: int) -> None:
        out[first:last] = _log_sum_at_once(rows[first:last], (1,), False)

    block = max(1, 2 * PIECE // rows.shape[1])
    spread(piece, len(rows), block, block)
    return out


def _log_sum_at_once(array: Array, axes: tuple[int, ...], keepdim: bool) -> Array:
    top = numpy.maximum.reduce(array.real, axis=axes, keepdims=True)
    top = numpy.where(numpy.isinf(top), numpy.zeros((), top.dtype), top)
    total = _add(numpy.exp(array - top), axis=axes, keepdims=keepdim)
    return numpy.log(total) + (top if keepdim else top.reshape(total.shape))  # type: ignore[no-any-return]


def _log_sum_half(array: Array, axes: tuple[int, ...], keepdim: bool, kind: dtype) -> Array:
    """The same for 16-bit numbers: PyTorch rounds at every step, the exponentials and then the sum."""
    rounded = partial(_rounded, kind=kind)
    if not array.size:
        return numpy.log(_add(array, axis=axes, keepdims=keepdim))  # type: ignore[no-any-return]
    top = numpy.maximum.reduce(array, axis=axes, keepdims=True)
    top = numpy.where(numpy.isinf(top), numpy.float32(0), top)
    powers = rounded(numpy.exp(rounded(array - top)))
    total = rounded(_add(powers, axis=axes, keepdims=keepdim))
    return rounded(numpy.log(total)) + (top if keepdim else top.reshape(total.shape))


def _log_sum_into(input: Tensor, axes: tuple[int, ...], keepdim: bool, out: Tensor) -> Tensor:
    """The logarithm of the sum for a tensor of another dtype: the sum and what follows are computed in that one.

    For complex numbers a real tensor gets the logarithm of the sum of the real parts: nan where that is negative.
    """
    size = reduced_size(input._lay().size, axes, keepdim)
    top: Any = 0
    if input.numel():
        top = (input.real if input._dtype.is_complex else input).amax(axes, keepdim=True)
        top = top.masked_fill(top.abs().eq(numpy.inf), 0)
        powers = (input - top).exp_()
        top = top.reshape(size)
    else:
        powers = input.exp()
    resize_out(out, size)
    total = to_dtype(powers, out._dtype).sum(axes, keepdim=keepdim).log_().add_(top)
    return deliver_into(total, out)


def _computed(kernel: Callable[..., Array], array: Array, kind: dtype, *arguments: Any) -> Array:
    """Sixteen-bit numbers are computed as float32."""
    wide = kernels.cast(array, dtypes.float32) if kernels.is_half(kind) else kernels.cast(array, kind)
    return kernels.cast(numpy.asarray(kernels.quiet(kernel, wide, *arguments)), kind)


# -- softmax ------------------------------------------------------------------------------------------------------


# Operations of their own in the graph of the second derivative.
_softmax_data: Any = differentiable(
    lambda grad_output, output, dim: (grad_output - (grad_output * output).sum(dim, keepdim=True)) * output,
    Rule(
        "SoftmaxBackwardDataBackward0",
        grad_output=lambda g, c: _softmax_data(g, c.output, c.dim),
        output=lambda g, c: (
            g * c.grad_output
            - (c.output * c.grad_output).sum(c.dim, keepdim=True) * g
            - c.grad_output * (c.output * g).sum(c.dim, keepdim=True)
        ),
    ),
    "softmax_backward_data",
    "pointwise",
)


def _back_of_logarithm(grad_output: Tensor, output: Tensor, dim: int) -> Tensor:
    if grad_output._device is CPU and not grad_output._bits and output.ndim:
        array = output._nd()
        values = parallel.log_softmax_back(grad_output._nd(), array, dim % array.ndim)
        if values is not None:
            return fresh(values, output._dtype)
    return grad_output - output.exp() * grad_output.sum(dim, keepdim=True)


_log_softmax_data: Any = differentiable(
    _back_of_logarithm,
    Rule(
        "LogSoftmaxBackwardDataBackward0",
        grad_output=lambda g, c: g - (g * c.output.exp()).sum(c.dim, keepdim=True),
        output=lambda g, c: -c.grad_output.sum(c.dim, keepdim=True) * c.output.exp() * g,
    ),
    "log_softmax_backward_data",
    "pointwise",
)


def _softmax_back(g: Any, c: Any) -> Any:
    return _softmax_data(g, c.out, c.dim)


def _log_softmax_back(g: Any, c: Any) -> Any:
    return _log_softmax_data(g, c.out, c.dim)


def _plain(name: str) -> Callable[[dict[str, Any]], bool]:
    """Whether nothing is converted first: that is an operation of its own in the graph."""

    def applies(call: dict[str, Any]) -> bool:
        input = call["input"]
        if call["dtype"] is not None and call["dtype"] is not input._dtype:
            return False
        exact_out(input._dtype, call["out"])
        if input._dtype.is_complex and not input.numel() and state.grad and requires_grad(input):
            one_axis(call["dim"], input.dim())
            raise RuntimeError(
                f"_{name} does not support automatic differentiation for outputs with complex dtype."
            )
        return True

    return applies


def _soft(name: str, input: Tensor, dim: Any, kind: Any, out: Any) -> Tensor:
    check_dims(dim)
    logarithm = name == "log_softmax"
    if kind is not None and as_dtype(kind, name) is not input._dtype:
        exact_out(as_dtype(kind, name), out)
        converted, again = to_dtype(input, as_dtype(kind, name)), log_softmax if logarithm else softmax
        return again(converted, dim) if out is None else again(converted, dim, out=out)
    own, size = input._dtype, input._lay().size
    axis = one_axis(dim, len(size))
    exact_out(own, out)
    if input._device == META:
        return like_meta(size, own)
    if input.numel() and (own.category < 2 or own.is_complex or own in LIMITED):
        last = "lastdim_" if axis == len(size) - 1 or not size else ""
        raise missing_kernel(f"{name}_{last}kernel_impl", own.label)
    if is_on_device(input):
        return on_device.softmax(logarithm, input, axis, out)
    array = host(input, name)
    if not array.size:
        return deliver(array.copy(), own, out)
    array = array.reshape(size or 1)
    half = kernels.is_half(own)
    values = None if half or not size else softmax_of_some(array, axis, logarithm)
    if values is None:
        kernel = (_softmax, _log_softmax, _softmax_half, _log_softmax_half)[logarithm + 2 * half]
        values = _computed(kernel, array, own, axis, *((own,) if half else ()))
    return deliver(values.reshape(size), own, out)


@op(
    kind="copy",
    rounded=2,
    derivative=Rule("SoftmaxBackward0", applies=_plain("softmax"), input=_softmax_back),
    out_error="aten::softmax",
)
@shortened("softmax")
def softmax(input: Tensor, dim: int, dtype: dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """The exponentials of the elements as shares of their sum along a dimension, however large the elements are.

    Args:
        dim: the dimension whose elements add up to 1.
        dtype: convert to it first.

    Returns:
        A row-major tensor of the same size.

    Raises:
        NotImplementedError: for integers, bools and complex numbers.

    >>> tk.tensor([1000.0, 1000.0]).softmax(0)
    tensor([0.5000, 0.5000])
    """
    return _soft("softmax", input, dim, dtype, out)


@op(
    kind="copy",
    rounded=2,
    derivative=Rule("LogSoftmaxBackward0", applies=_plain("log_softmax"), input=_log_softmax_back),
    out_error="aten::log_softmax",
)
@shortened("log_softmax")
def log_softmax(input: Tensor, dim: int, dtype: dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of `softmax` along a dimension, however large the elements are.

    Args:
        dim: the dimension whose elements add up to 1.
        dtype: convert to it first.

    Returns:
        A row-major tensor of the same size.

    Raises:
        NotImplementedError: for integers, bools and complex numbers.

    >>> tk.tensor([1000.0, 1000.0]).log_softmax(0)
    tensor([-0.6931, -0.6931])
    """
    return _soft("log_softmax", input, dim, dtype, out)


# -- logsumexp ----------------------------------------------------------------------------------------------------


def _log_sum_back(g: Any, c: Any) -> Any:
    ndim = c.input.dim()
    wide = with_dims(g, c.dim, c.keepdim, ndim)
    shares = (c.input - with_dims(c.out, c.dim, c.keepdim, ndim)).exp()
    return wide * (shares.conj() if shares.is_complex() else shares)


@op(kind="reduce", rounded=2, derivative=Rule("LogsumexpBackward0", input=_log_sum_back))
def logsumexp(input: Tensor, dim: Dims, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sum of exponentials along the dimensions named, however large the elements are.

    Args:
        dim: one dimension or several. keepdim: keep a reduced dimension with size 1.

    Returns:
        A tensor of the same dtype; of integers and bools, of the default dtype.

    >>> tk.tensor([1000.0, 1000.0]).logsumexp(0)
    tensor(1000.6932)
    """
    if dim is None:
        raise TypeError
    check_dims(dim)
    check_flag(keepdim)
    if out is not None and not isinstance(out, Tensor):
        raise TypeError
    if out is not None and out._dtype.category < 2:
        raise RuntimeError(
            f"logsumexp(): Expected floating point type for result tensor, but got: {out._dtype.label}"
        )
    size = input._lay().size
    axes = axes_of(dim, len(size))
    if not keepdim and size and input.numel() and isinstance(dim, (tuple, list)) and not dim:
        ones = [1] * len(size)
        raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {ones}")
    kind = dtypes.get_default_dtype() if input._dtype.category < 2 else input._dtype
    if input._device == META:
        return like_meta(reduced_size(size, axes, keepdim), kind)
    if out is not None and out._dtype is not kind:
        return _log_sum_into(to_dtype(input.detach(), kind), axes, keepdim, out)
    if is_on_device(input):
        if kind.is_complex:
            size = reduced_size(size, axes, keepdim)
            made = empty_strided(size, contiguous_stride(size), kind, input._device) if out is None else out
            return _log_sum_into(input.detach(), axes, keepdim, made)
        return on_device.log_sum(input, axes, keepdim, kind, out)
    array = host(input, "logsumexp")
    if not kernels.is_half(kind):
        return deliver(_computed(_log_sum, array, kind, axes, keepdim), kind, out)
    wide = kernels.cast(array, dtypes.float32)
    return deliver(kernels.quiet(_log_sum_half, wide, axes, keepdim, kind), kind, out)
