"""Running sums and products: `cumsum`, `cumprod`, `logcumsumexp`."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.output import check_writable
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import parallel
from tensorkit.kernels.sizes import RUNNING_BY_SLICES
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import (
    check_dims,
    host,
    like_meta,
    one_axis,
    refuse_whole,
    result_kind,
    warn_of_lost_parts,
)
from tensorkit.ops.shared.copy import copy_into, deliver, deliver_into
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Array, Tensor, fresh

ABSENT: Any = type("ABSENT", (), {"__repr__": lambda self: "..."})()


# -- arrays -------------------------------------------------------------------------------------------------------


def _accumulator(kind: dtype) -> dtype:
    """What a running sum is kept in: wider than what is written, as in PyTorch."""
    if kernels.is_half(kind):
        return dtypes.float32
    return {dtypes.float32: dtypes.float64, dtypes.complex64: dtypes.complex128}.get(kind, kind)


def running(ufunc: Any, array: Array, axis: int, kind: dtype) -> Array:
    """The sums or products so far along a dimension, kept in a wider type and rounded once each."""
    wide = _accumulator(kind)
    source = kernels.cast(array, kind)
    if not source.ndim:
        return source.copy()
    short = parallel.running(ufunc, source, axis) if source.ndim <= 2 or axis == source.ndim - 1 else None
    if short is not None:
        return short
    many = source.shape[axis]
    if axis < source.ndim - 1 and many and source.size // many >= RUNNING_BY_SLICES:
        return kernels.quiet(_by_slices, ufunc, source, axis, wide)  # type: ignore[no-any-return]
    values = kernels.quiet(ufunc.accumulate, source, axis=axis, dtype=wide.numpy)
    if ufunc is numpy.add and values.dtype.kind in "fc":
        values += 0  # PyTorch begins with 0, so that a sum of nothing but -0.0 is 0.0
    return kernels.cast(values, kind)


def _by_slices(ufunc: Any, source: Array, axis: int, wide: dtype) -> Array:
    """A running sum of broad slices: each is added to all so far at once."""
    out = numpy.empty(source.shape, source.dtype)
    parts, results = numpy.moveaxis(source, axis, 0), numpy.moveaxis(out, axis, 0)
    so_far = parts[0].astype(wide.numpy)
    if ufunc is numpy.add:
        so_far += 0
    results[0] = so_far
    for k in range(1, len(parts)):
        ufunc(so_far, parts[k], out=so_far)
        results[k] = so_far
    return out


def running_log(array: Array, axis: int, kind: dtype) -> Array:
    """The logarithm of the sum so far of exponentials."""
    source = kernels.cast(array, _accumulator(kind))
    if not source.size or not source.ndim:
        return kernels.cast(source.copy(), kind)
    if not kind.is_complex:
        return kernels.cast(kernels.quiet(numpy.logaddexp.accumulate, source, axis=axis) + 0, kind)
    out = numpy.moveaxis(source.copy(), axis, 0)
    so_far: Array = numpy.full(out.shape[1:], -numpy.inf, out.dtype)  # of nothing
    for k in range(out.shape[0]):
        out[k] = so_far = kernels.quiet(_log_add, so_far, out[k])
    return kernels.cast(numpy.moveaxis(out, 0, axis), kind)


def _log_add(a: Array, b: Array) -> Array:
    """``log(exp(a) + exp(b))`` of complex numbers, by the larger real part; of equal ones by `b`, as PyTorch."""
    swap = b.real >= a.real
    low, high = numpy.where(swap, a, b), numpy.where(swap, b, a)
    lost = numpy.isnan(a) | numpy.isnan(b)
    endless = ~numpy.isfinite(low.real) & (low.real == high.real)
    plain = high + numpy.log1p(numpy.exp(low - high))
    equal = numpy.where(low.real < 0, low, numpy.log(numpy.exp(low) + numpy.exp(high)))
    found = numpy.where(endless, equal, plain)
    return numpy.where(lost, complex(numpy.nan, numpy.nan), found)


# -- how gradients pass back --------------------------------------------------------------------------------------


def _rest(input: Any, axis: int) -> Tensor:
    """The sums from each element to the end."""
    if state.grad or is_on_device(input):
        alone = input.size(axis) == 1 or not input.numel()
        return input if alone else input.flip(axis).cumsum(axis).flip(axis)  # type: ignore[no-any-return]
    values = running(numpy.add, numpy.flip(input._nd(), axis), axis, input._dtype)
    return fresh(numpy.ascontiguousarray(numpy.flip(values, axis)), input._dtype)


def add_along(input: Any, index: Any, axis: int, size: tuple[int, ...]) -> Tensor:
    """Zeros with values added up along a dimension at each index."""
    if state.grad or is_on_device(input):
        return input.new_zeros(size).scatter_add_(axis, index, input)  # type: ignore[no-any-return]
    out = numpy.zeros(size, input._dtype.numpy)
    places: list[Any] = list(numpy.ogrid[tuple(slice(n) for n in index._nd().shape)])
    places[axis] = index._nd()
    numpy.add.at(out, tuple(places), input._nd())
    return fresh(out, input._dtype)


def _conj(value: Any) -> Any:
    return value.conj() if value.is_complex() else value


def _cumsum_back(g: Any, c: Any) -> Any:
    g = g.to(c.input_face.dtype)
    return _rest(g, normalise_dim(int(c.dim), g.dim())) if g.dim() else g


def _cumprod_back(g: Any, c: Any) -> Any:
    axis = normalise_dim(int(c.dim), g.dim())
    if g.numel() <= 1 or g.size(axis) == 1:
        return g
    x, out, zeros = _conj(c.input), _conj(c.out), c.input.eq(0)
    if not zeros.any().item():
        return _rest(out * g, axis) / x
    return _omitting(g, x, axis) if state.grad else _past_zeros(g, x, out, zeros, axis)


def _past_zeros(g: Any, x: Any, out: Any, zeros: Any, axis: int) -> Any:
    """The derivative of a running product with zeros, in one pass: it ends at the first zero of each row.

    Before it all is as usual. The first zero itself is answered by the products that leave it out; what lies behind
    it changes nothing.
    """
    so_far = zeros.cumsum(axis)
    before = so_far.eq(0)
    usual = _rest(where(before, out * g, 0), axis) / where(before, x, 1)
    first = zeros * so_far.eq(1)
    without = where(first, 1, x).cumprod(axis)
    return where(before, usual, where(first, _rest(g * without, axis), 0))


def _omitting(g: Any, x: Any, axis: int) -> Any:
    """The same by every product that leaves one element out, which can be differentiated again."""
    many, parts = x.size(axis), []
    for k in range(many):
        products = x.narrow(axis, 0, k).prod(axis, keepdim=True)
        if k < many - 1:
            behind = x.narrow(axis, k + 1, many - k - 1).cumprod(axis)
            products = cat((products, products * behind), axis)
        parts.append((g.narrow(axis, k, many - k) * products).sum(axis, keepdim=True))
    return cat(tuple(parts), axis)


def _log_back(g: Any, c: Any) -> Any:
    if not g.dim() or not g.numel():
        return g
    axis = normalise_dim(int(c.dim), g.dim())

    def behind(weights: Any) -> Any:
        return ((weights - c.out).flip(axis).logcumsumexp(axis).flip(axis) + c.input).exp()

    if g.is_complex():
        return _conj(behind(_conj(g).log()))
    lowest = float(numpy.finfo(numpy.float32 if g.element_size() < 4 else g.dtype.numpy).min)
    size = g.abs().log()
    return behind(where(g > 0, size, lowest)) - behind(where(g < 0, size, lowest))


# -- running sums and products ------------------------------------------------------------------------------------


def _scan_kind(name: str, input: Tensor, kind: Any, out: Any) -> dtype:
    """The dtype of a running sum: asked for, this tensor's own in place, that of `out`, int64 for whole numbers."""
    if out is not IN_PLACE:
        return result_kind(name, input, kind, out)
    if kind is not None and kind is not input._dtype:
        if not isinstance(kind, dtype):
            raise TypeError
        raise RuntimeError(
            f"Bad in-place call: input tensor dtype {cpp_name(input._dtype)} and output tensor dtype {cpp_name(kind)} "
            "should match"
        )
    return input._dtype


def _scan(name: str, ufunc: Any, input: Tensor, dim: Any, kind: Any, out: Any) -> Tensor:
    size = input._lay().size
    axis = one_axis(dim, len(size))
    target = _scan_kind(name, input, kind, out)
    if input._device == META and out is None:
        return like_meta(size, target)
    warn_of_lost_parts(input, target)
    if size and input.numel() and (target in LIMITED or target.category == 0):
        raise missing_kernel(f"{name}_out_cpu", target.label)
    if out is IN_PLACE:
        check_writable(input)
    if is_on_device(input):
        made = on_device.running(name, input, axis, target)
    else:
        made = deliver(running(ufunc, host(input, name), axis, target), target)
    if out is not IN_PLACE:
        return made if out is None else deliver_into(made, out)
    copy_into(input, made)
    input._bump()
    return input


def _refuse_whole(call: dict[str, Any]) -> bool:
    """As for sums; but what no kernel takes is refused for that."""
    kind = call["dtype"]
    return call["out"] is not None or kind is dtypes.bool or refuse_whole(call)


@op(
    kind="scan",
    inplace=True,
    rounded=1,
    derivative=Rule("CumsumBackward0", applies=_refuse_whole, input=_cumsum_back),
)
@shortened("cumsum")
def cumsum(input: Tensor, dim: int, *, dtype: dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The sums so far along a dimension: each element with all that come before it.

    Args:
        dim: the dimension.
        dtype: convert to it first; bools and integers give int64 unless told otherwise.

    Returns:
        A row-major tensor of the same size.

    >>> tk.tensor([1, 2, 3, 4]).cumsum(0)
    tensor([ 1,  3,  6, 10])
    """
    return _scan("cumsum", numpy.add, input, dim, dtype, out)


@op(
    kind="scan",
    inplace=True,
    rounded=1,
    derivative=Rule("CumprodBackward0", applies=_refuse_whole, input=_cumprod_back),
)
@shortened("cumprod")
def cumprod(input: Tensor, dim: int, *, dtype: dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The products so far along a dimension: each element with all that come before it.

    Args:
        dim: the dimension.
        dtype: convert to it first; bools and integers give int64 unless told otherwise.

    Returns:
        A row-major tensor of the same size.

    >>> tk.tensor([1, 2, 3, 4]).cumprod(0)
    tensor([ 1,  2,  6, 24])
    """
    return _scan("cumprod", numpy.multiply, input, dim, dtype, out)


@op(kind="scan", rounded=2, derivative=Rule("LogcumsumexpBackward0", input=_log_back))
def logcumsumexp(input: Tensor, dim: int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sum so far of exponentials along a dimension, without overflow.

    Raises:
        NotImplementedError: for integers and bools.

    >>> tk.zeros(3).logcumsumexp(0)
    tensor([0.0000, 0.6931, 1.0986])
    """
    size, kind = input._lay().size, input._dtype
    check_dims(dim)
    exact_scalar(kind, out)
    axis = one_axis(dim, len(size))
    if kind.category < 2:
        raise missing_kernel("logcumsumexp_out_cpu", kind.label)
    if input._device == META:
        return like_meta(size, kind)
    if is_on_device(input):
        made = on_device.running("logcumsumexp", input, axis, kind)
        return made if out is None else deliver_into(made, out)
    return deliver(running_log(host(input, "logcumsumexp"), axis, kind), kind, out)


def exact_scalar(kind: dtype, out: Any) -> None:
    if out is not None and not isinstance(out, Tensor):
        raise TypeError
    if out is not None and out._dtype is not kind:
        raise RuntimeError(f"expected scalar_type {kind.label} but found {out._dtype.label}")
