"""Running sums, products and extremes; differences and areas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.registry import sample
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import check_writable, resize_out
from tensorkit.elementwise.plan import brief
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import parallel, tiny
from tensorkit.kernels.cpu.scan_compiled import running_extreme
from tensorkit.ops.creation.factories import zeros_like
from tensorkit.ops.joining.cat_stack import cat
from tensorkit.ops.pointwise.arithmetic import sub
from tensorkit.ops.pointwise.bitwise_logical import logical_xor
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.reduction.arguments import (
    axis_of_small,
    check_dims,
    host,
    like_meta,
    one_axis,
    refuse_whole,
    result_kind,
    warn_of_lost_parts,
)
from tensorkit.ops.reduction.min_max import pair_into
from tensorkit.ops.shared.copy import copy_into, deliver
from tensorkit.ops.shared.scalar_arithmetic import over, times
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Array, Tensor, fresh

__all__ = [
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_trapezoid",
    "diff",
    "logcumsumexp",
    "running",
    "running_log",
    "trapezoid",
    "trapz",
]

_ABSENT: Any = type("_ABSENT", (), {"__repr__": lambda self: "..."})()


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
    if axis < source.ndim - 1 and many and source.size // many >= _BROAD:
        return kernels.quiet(_by_slices, ufunc, source, axis, wide)  # type: ignore[no-any-return]
    values = kernels.quiet(ufunc.accumulate, source, axis=axis, dtype=wide.numpy)
    if ufunc is numpy.add and values.dtype.kind in "fc":
        values += 0  # PyTorch begins with 0, so that a sum of nothing but -0.0 is 0.0
    return kernels.cast(values, kind)


_BROAD = 512


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


def _running_extreme(largest: bool, array: Array, axis: int, kind: dtype) -> tuple[Array, Array]:
    """The largest or smallest so far, and where the latest of them is; a nan stays."""
    if not array.ndim or not array.size:
        return array.copy(), numpy.zeros(array.shape, numpy.int64)
    wide = kernels.cast(array, dtypes.float32) if kernels.is_half(kind) else array
    found = running_extreme(largest, wide, axis)
    if found is not None:
        return kernels.cast(found[0], kind), found[1]
    ufunc = numpy.maximum if largest else numpy.minimum
    best = kernels.quiet(ufunc.accumulate, wide, axis=axis)
    latest = kernels.quiet(numpy.equal, wide, best)
    if kind.category >= 2:
        latest |= kernels.quiet(numpy.isnan, wide)
    small = numpy.int32 if array.shape[axis] < 2**31 else numpy.int64  # half the memory to go through
    places = numpy.arange(array.shape[axis], dtype=small)
    places = places.reshape([-1 if d == axis else 1 for d in range(array.ndim)])
    indices = numpy.maximum.accumulate(latest * places, axis=axis).astype(numpy.int64)
    if kind.category >= 2 and not best.all():  # which of two zeros it is, their places tell
        return numpy.take_along_axis(array, indices, axis), indices
    return kernels.cast(best, kind), indices


# -- how gradients pass back --------------------------------------------------------------------------------------


def _rest(input: Any, axis: int) -> Tensor:
    """The sums from each element to the end."""
    if state.grad:
        alone = input.size(axis) == 1 or not input.numel()
        return input if alone else input.flip(axis).cumsum(axis).flip(axis)  # type: ignore[no-any-return]
    values = running(numpy.add, numpy.flip(input._nd(), axis), axis, input._dtype)
    return fresh(numpy.ascontiguousarray(numpy.flip(values, axis)), input._dtype)


def _add_along(input: Any, index: Any, axis: int, size: tuple[int, ...]) -> Tensor:
    """Zeros with values added up along a dimension at each index."""
    if state.grad:
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


def _extreme_back(g: Any, c: Any) -> Any:
    values, size = g[0], c.input_face.size
    if 0 in size or not (size or state.grad):
        return values
    return _add_along(values, c.indices, normalise_dim(int(c.dim), len(size)), size)


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
    values = running(ufunc, host(input, name), axis, target)
    if out is not IN_PLACE:
        return deliver(values, target, out)
    copy_into(input, deliver(values, target))
    input._bump()
    return input


def _refuse_whole(call: dict[str, Any]) -> bool:
    """As for sums; but what no kernel takes is refused for that."""
    kind = call["dtype"]
    return call["out"] is not None or kind is dtypes.bool or refuse_whole(call)


_SCAN_SAMPLES = (
    sample("tk.{name}(a, 0)", a=(2, 3)),
    sample("a.{name}(-1)", a=(2, 3, 4)),
    sample("a.{name}(1, dtype=tk.float64)", a=(2, 3)),
    sample("a.{name}(1, dtype=tk.int32)", a=(2, 3)),
    sample("a.{name}(0, dtype=tk.bool)", a=(2, 3)),
    sample("tk.{name}(a, 0, out=tk.empty(0))", a=(2, 3)),
    sample("tk.{name}(a, 0, dtype=tk.int32, out=tk.empty(0))", a=(2, 3)),
    sample("a.{name}(0)", a=()),
    sample("a.{name}(0)", a=(1, 3)),
    sample("a.{name}(1)", a=(3, 0)),
    sample("a.{name}_(1)", a=(2, 3)),
    sample("a.{name}_(0, dtype=tk.float32)", a=(2, 3)),
    sample("a.{name}(2)", a=(2, 3)),
    sample("a.{name}('x')", a=(2, 3)),
    sample("a.{name}()", a=(2, 3)),
)


def _scan_op(
    name: str, ufunc: Any, word: str, answer: str, back: Callable[[Any, Any], Any]
) -> Callable[..., Tensor]:
    """`cumsum` and `cumprod`."""
    product = ufunc is numpy.multiply

    def quickly(input: Tensor, dim: Any) -> Tensor | None:
        array = brief(input)
        axis = None if array is None else axis_of_small(array, dim)
        if array is None or axis is None:
            return None
        if array.size > tiny.FEW:
            values = parallel.running(ufunc, array, axis)
        elif not array.flags.c_contiguous:
            return None
        else:
            try:
                values = kernels.quiet_here(tiny.running, product, array, axis)
            except RuntimeError:
                return None  # another thread is inside
        return None if values is None else fresh(values, input._dtype)

    def at_once(input: Any = None, dim: Any = None, *more: Any) -> Tensor | None:
        if more or input.__class__ is not Tensor or wants_grad(input):
            return None
        return quickly(input, dim)

    def scan(input: Tensor, dim: int, *, dtype: dtype | None = None, out: Tensor | None = None) -> Tensor:
        if out is None and dtype is None and (found := quickly(input, dim)) is not None:
            return found
        return _scan(name, ufunc, input, dim, dtype, out)

    scan.__name__ = name
    scan.__doc__ = f"""The {word}s so far along a dimension: each element with all that come before it.

    Args:
        dim: the dimension.
        dtype: convert to it first; bools and integers give int64 unless told otherwise.

    Returns:
        A row-major tensor of the same size.

    >>> import tensorkit as tk
    >>> tk.tensor([1, 2, 3, 4]).{name}(0)
    {answer}

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html
    """
    samples = [sample(s.call.format(name=name), **s.sizes) for s in _SCAN_SAMPLES]
    rule = Rule(f"{name.capitalize()}Backward0", applies=_refuse_whole, input=back)
    known: dict[str, Any] = {"name": name, "inplace": True, "rounded": 1, "derivative": rule}
    return op(samples=samples, kind="scan", first=at_once, **known)(scan)


cumsum = _scan_op("cumsum", numpy.add, "sum", "tensor([ 1,  3,  6, 10])", _cumsum_back)
cumprod = _scan_op("cumprod", numpy.multiply, "product", "tensor([ 1,  2,  6, 24])", _cumprod_back)


@op(
    samples=(
        sample("tk.logcumsumexp(a, 0)", a=(2, 3)),
        sample("a.logcumsumexp(-1)", a=(2, 3, 2)),
        sample("tk.logcumsumexp(a, 1, out=tk.empty(0))", a=(2, 3)),
        sample("a.logcumsumexp(0)", a=()),
        sample("a.logcumsumexp(2)", a=(2, 3)),
        sample("a.logcumsumexp('x')", a=(2, 3)),
    ),
    kind="scan",
    rounded=2,
    derivative=Rule("LogcumsumexpBackward0", input=_log_back),
)
def logcumsumexp(input: Tensor, dim: int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sum so far of exponentials along a dimension, without overflow.

    Raises:
        NotImplementedError: for integers and bools.

    >>> import tensorkit as tk
    >>> tk.zeros(3).logcumsumexp(0)
    tensor([0.0000, 0.6931, 1.0986])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.logcumsumexp.html
    """
    size, kind = input._lay().size, input._dtype
    check_dims(dim)
    _exact_scalar(kind, out)
    axis = one_axis(dim, len(size))
    if kind.category < 2:
        raise missing_kernel("logcumsumexp_out_cpu", kind.label)
    if input._device == META:
        return like_meta(size, kind)
    return deliver(running_log(host(input, "logcumsumexp"), axis, kind), kind, out)


def _exact_scalar(kind: dtype, out: Any) -> None:
    if out is not None and not isinstance(out, Tensor):
        raise TypeError
    if out is not None and out._dtype is not kind:
        raise RuntimeError(f"expected scalar_type {kind.label} but found {out._dtype.label}")


# -- running extremes ---------------------------------------------------------------------------------------------


def _cummax(name: str, input: Tensor, dim: Any, out: Any) -> Any:
    size, kind = input._lay().size, input._dtype
    if not size and hasattr(dim, "__index__") and not isinstance(dim, bool) and dim not in (0, -1):
        raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
    check_dims(dim)
    axis = one_axis(dim, len(size)) if input.numel() else 0  # PyTorch does not look where there is nothing
    if isinstance(out, (tuple, list)) and len(out) == 2:
        _exact_scalar(kind, out[0])
        _exact_scalar(dtypes.int64, out[1])
    if size and input.numel() and (kind in LIMITED or kind.is_complex):
        raise missing_kernel(f"{name}_cpu", kind.label)
    if input._device == META:
        return pair_into(name, out, (like_meta(size, kind), like_meta(size, dtypes.int64)))
    values, indices = _running_extreme(name == "cummax", host(input, name), axis, kind)
    results = deliver(values, kind), deliver(indices, dtypes.int64)
    return pair_into(name, out, results, _exact_scalar)


_CUMMAX_SAMPLES = (
    sample("tk.{name}(a, 0)", a=(4, 3)),
    sample("a.{name}(-1)", a=(2, 3, 4)),
    sample("a.{name}(0)", a=()),
    sample("a.{name}(1)", a=()),
    sample("a.{name}(1)", a=(3, 0)),
    sample("tk.{name}(a, 0, out=(tk.empty(0), tk.empty(0, dtype=tk.int64)))", a=(2, 3)),
    sample("a.{name}(2)", a=(2, 3)),
    sample("a.{name}('x')", a=(2, 3)),
)


def _refuse_complex(name: str) -> Callable[[dict[str, Any]], bool]:
    """Complex numbers have no largest: where there is nothing to compare, it is the derivative that is refused."""

    def applies(call: dict[str, Any]) -> bool:
        input = call["input"]
        lone = isinstance(input, Tensor) and (not input.dim() or not input.numel())
        if lone and input._dtype.is_complex and state.grad and requires_grad(input):
            ndim = input.dim()
            if not ndim and call["dim"] not in (0, -1):
                return True
            one_axis(call["dim"], ndim)
            raise RuntimeError(
                f"{name} does not support automatic differentiation for outputs with complex dtype."
            )
        return True

    return applies


def _cummax_op(name: str, sentence: str, answers: str) -> Callable[..., Any]:
    """`cummax` and `cummin`."""

    def scan(input: Tensor, dim: int, *, out: Any = None) -> Any:
        return _cummax(name, input, dim, out)

    scan.__name__ = name
    scan.__doc__ = f"""The {sentence} so far along a dimension, and its index: of equal ones the latest; a nan stays.

    Returns:
        A named pair ``(values, indices)``.

    >>> import tensorkit as tk
    >>> values, indices = tk.tensor([3, 1, 3, 2]).{name}(0)
    >>> values, indices
    {answers}

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html
    """
    samples = [sample(s.call.format(name=name), **s.sizes) for s in _CUMMAX_SAMPLES]
    rule = Rule(f"{name.capitalize()}Backward0", applies=_refuse_complex(name), input=_extreme_back)
    return op(samples=samples, kind="scan", name=name, derivative=rule)(scan)


cummax = _cummax_op("cummax", "largest element", "(tensor([3, 3, 3, 3]), tensor([0, 0, 2, 2]))")
cummin = _cummax_op("cummin", "smallest element", "(tensor([3, 1, 1, 1]), tensor([0, 1, 1, 1]))")


# -- differences --------------------------------------------------------------------------------------------------


def _check_beside(input: Tensor, other: Any, dim: Any) -> None:
    if other is None:
        return
    if not isinstance(other, Tensor):
        raise TypeError
    own, given = input._lay().size, other._lay().size
    axis = one_axis(dim, len(own))
    if len(own) != len(given):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for d, (mine, theirs) in enumerate(zip(own, given, strict=True)):
        if mine != theirs and d != axis:
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({d}) = {mine}, but got tensor.size({d}) = {theirs}"
            )


def _whole(input: Tensor, out: Tensor) -> Tensor:
    """No difference at all, as a copy in a tensor that is resized before its dtype is looked at."""
    size = input._lay().size
    if out._lay().size != size:
        resize_out(out, size)
        out._bump()
    if out._dtype is not input._dtype:
        raise RuntimeError(f"expected scalar_type {input._dtype.label} but found {out._dtype.label}")
    return out.copy_(input)


@op(
    strict=True,
    samples=(
        sample("tk.diff(a)", a=(2, 3)),
        sample("a.diff(1, 0)", a=(3, 2)),
        sample("a.diff(n=2)", a=(2, 4)),
        sample("a.diff(n=0)", a=(2, 3)),
        sample("a.diff(5)", a=(2, 3)),
        sample("a.diff(prepend=b, append=b)", a=(2, 3), b=(2, 1)),
        sample("a.diff(1, 0, b)", a=(2, 3), b=(1, 3)),
        sample("a.diff(prepend=b)", a=(2, 3), b=(1, 1)),
        sample("a.diff(append=b)", a=(2, 3), b=(3,)),
        sample("tk.diff(a, out=tk.empty(0))", a=(2, 3)),
        sample("a.diff()", a=()),
        sample("a.diff(-1)", a=(2, 3)),
        sample("a.diff(1, 2)", a=(2, 3)),
        sample("a.diff('x')", a=(2, 3)),
    ),
    kind="pointwise",
)
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The difference of each element to the next along a dimension, taken `n` times; of bools, whether they differ.

    Args:
        n: how often. dim: the dimension.
        prepend, append: tensors to put before and behind `input` first.

    Returns:
        A tensor that is `n` smaller in that dimension.

    Raises:
        RuntimeError: for a tensor without dimensions, a negative `n`, or sizes that do not match.

    >>> import tensorkit as tk
    >>> tk.tensor([1, 4, 9, 16]).diff()
    tensor([3, 5, 7])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.diff.html
    """
    if not hasattr(n, "__index__") or isinstance(n, bool) or not hasattr(dim, "__index__"):
        raise TypeError
    if not input.dim():
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    _check_beside(input, prepend, dim)
    _check_beside(input, append, dim)
    if n and (prepend is not None or append is not None):
        input = cat(tuple(part for part in (prepend, input, append) if part is not None), dim)
    axis = one_axis(dim, input.dim())
    if not n:
        return zeros_like(input).copy_(input) if out is None else _whole(input, out)
    if out is not None and not input.size(axis):
        raise IndexError("start out of range (expected to be in range of [0, 0], but got 1)")
    for left in range(min(int(n), input.size(axis)), 0, -1):
        many = input.size(axis) - 1
        before, behind = input.narrow(axis, 0, many), input.narrow(axis, 1, many)  # in PyTorch's order
        last = {} if out is None or left > 1 else {"out": out}
        less = logical_xor if input._dtype is dtypes.bool else sub
        input = less(behind, before, **last)
    return input


# -- areas --------------------------------------------------------------------------------------------------------


def _beside(name: str, y: Tensor, x: Any, dim: int) -> Tensor:
    """The steps between the sample points, so that they broadcast against `y`."""
    if x.dim() == 1:
        if x.size(0) != y.size(dim):
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = x.view([-1 if d == dim else 1 for d in range(y.dim())])
    elif x.dim() < y.dim():
        x = x.view([1] * (y.dim() - x.dim()) + list(x.size()))
    first, second = _neighbours(x, dim)
    return second - first  # type: ignore[no-any-return]


def _refuse_bools(name: str, y: Tensor, x: Any) -> None:
    if y._dtype is dtypes.bool or x._dtype is dtypes.bool:
        raise RuntimeError(f"{name}: received a bool input for `x` or `y`, but bool is not supported")


def _neighbours(y: Any, dim: int) -> tuple[Any, Any]:
    many = max(0, y.size(dim) - 1)
    return y.narrow(dim, 0, many), y.narrow(dim, y.size(dim) - many, many)


def _check_step(name: str, y: Tensor, dx: Any) -> float:
    if y._dtype is dtypes.bool:
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
    dx = plain_number(dx)
    if isinstance(dx, (bool, complex)):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")
    return float(dx)


def _is_number(value: Any) -> bool:
    """Whether PyTorch takes a value for a number: of tensors those of no dimension that want no gradient."""
    return (
        value.dim() == 0 and not value.requires_grad
        if isinstance(value, Tensor)
        else isinstance(value, NUMBERS)
    )


def _check_areas(y: Any, x: Any, dx: Any, dim: Any) -> None:
    """Refuse what fits none of the forms (the sentence is added by whoever was called)."""
    if not isinstance(y, Tensor) or not (x is _ABSENT or isinstance(x, Tensor)):
        raise TypeError
    if dx is not _ABSENT and (x is not _ABSENT or not _is_number(dx)):
        raise TypeError
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError


def _trapezoid(y: Tensor, x: Any, dx: Any, dim: Any) -> Tensor:
    _check_areas(y, x, dx, dim)
    if not y.dim():
        shown = one_axis(dim, 0) if x is not _ABSENT else int(dim)
        raise IndexError(f"Dimension specified as {shown} but tensor has no dimensions")
    axis = one_axis(dim, y.dim())
    if y.size(axis) == 0:
        return y.new_zeros([n for d, n in enumerate(y.size()) if d != axis]).zero_()
    if x is not _ABSENT:
        _refuse_bools("trapezoid", y, x)
        steps = _beside("trapezoid", y, x, axis)
        left, right = _neighbours(y, axis)
        return over(((left + right) * steps).sum(axis), 2.0)  # type: ignore[no-any-return]
    step = _check_step("trapezoid", y, 1 if dx is _ABSENT else dx)
    ends = y.select(axis, 0) + y.select(axis, -1)
    return times(y.sum(axis) - times(ends, 0.5), step)  # type: ignore[no-any-return]


_AREA_FORMS = (
    "(Tensor y, Tensor x, *, int dim = -1)",
    "(Tensor y, *, Number dx = 1, int dim = -1)",
)
_AREA_SAMPLES = (
    sample("tk.{name}(a)", a=(2, 3)),
    sample("tk.{name}(a, dx=2.5, dim=0)", a=(2, 3)),
    sample("tk.{name}(a, b)", a=(2, 3), b=(3,)),
    sample("tk.{name}(a, b, dim=0)", a=(2, 3), b=(2,)),
    sample("tk.{name}(a, b)", a=(2, 3), b=(2, 3)),
    sample("tk.{name}(a, x=b)", a=(2, 2, 3), b=(2, 3)),
    sample("tk.{name}(a, b)", a=(2, 3), b=(2,)),
    sample("tk.{name}(a)", a=(2, 0)),
    sample("tk.{name}(a, dim=2)", a=(2, 3)),
    sample("tk.{name}(a, 'x')", a=(2, 3)),
)


@op(
    samples=[sample(s.call.format(name="trapezoid"), **s.sizes) for s in _AREA_SAMPLES],
    kind="reduce",
    methods=(),
    rounded=1,
)
@takes(*_AREA_FORMS)
def trapezoid(y: Tensor, x: Any = _ABSENT, *, dx: Any = _ABSENT, dim: int = -1) -> Tensor:
    """The area under points along a dimension, by the trapezoidal rule.

    Args:
        y: the heights. x: where they were taken, or dx: the distance from each to the next (1).
        dim: the dimension.

    Raises:
        RuntimeError: for bools, and when there are not as many points as heights.

    >>> import tensorkit as tk
    >>> tk.trapezoid(tk.tensor([1.0, 3, 2])), tk.trapezoid(tk.tensor([1.0, 3, 2]), tk.tensor([0, 1, 3]))
    (tensor(4.5000), tensor(7.))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.trapezoid.html
    """
    return _trapezoid(y, x, dx, dim)


@op(
    strict=True,
    samples=[sample(s.call.format(name="trapz"), **s.sizes) for s in _AREA_SAMPLES],
    kind="reduce",
    methods=(),
    rounded=1,
)
@takes("(Tensor y, *, float dx = 1, int dim = -1)", "(Tensor y, Tensor x, *, int dim = -1)")
def trapz(y: Tensor, x: Any = _ABSENT, *, dx: Any = _ABSENT, dim: int = -1) -> Tensor:
    """An old name of `trapezoid`.

    >>> import tensorkit as tk
    >>> tk.trapz(tk.tensor([1.0, 3, 2]))
    tensor(4.5000)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.trapz.html
    """
    if dx is not _ABSENT:
        dx = plain_number(dx)
        if isinstance(dx, (complex, Tensor)):
            raise TypeError
        dx = float(dx)
    return _trapezoid(y, x, dx, dim)


@op(
    samples=[sample(s.call.format(name="cumulative_trapezoid"), **s.sizes) for s in _AREA_SAMPLES],
    kind="scan",
    methods=(),
    rounded=1,
)
@takes(*_AREA_FORMS)
def cumulative_trapezoid(y: Tensor, x: Any = _ABSENT, *, dx: Any = _ABSENT, dim: int = -1) -> Tensor:
    """The areas so far under points along a dimension, by the trapezoidal rule.

    Args:
        y, x, dx, dim: as in `trapezoid`.

    Returns:
        A tensor that is one smaller in that dimension.

    >>> import tensorkit as tk
    >>> tk.cumulative_trapezoid(tk.tensor([1.0, 3, 2]))
    tensor([2.0000, 4.5000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.cumulative_trapezoid.html
    """
    _check_areas(y, x, dx, dim)
    name = "cumulative_trapezoid"
    if x is _ABSENT:
        step = _check_step(name, y, 1 if dx is _ABSENT else dx)
    else:
        one_axis(dim, y.dim())
        _refuse_bools(name, y, x)
    if not y.dim():
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    axis = one_axis(dim, y.dim())
    left, right = _neighbours(y, axis)
    if x is _ABSENT:
        return times(right + left, step / 2).cumsum(axis)  # type: ignore[no-any-return]
    steps = _beside(name, y, x, axis)
    return over(((left + right) * steps).cumsum(axis), 2.0)  # type: ignore[no-any-return]
