"""Where a reduction runs, and those on a CUDA device: results are made there, a kernel of `kernels.cuda` fills them.

The operations of this folder check their arguments and then call `reduce`, or what is below it for their device.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorkit import dtypes
from tensorkit.conj_bit import resolved
from tensorkit.device import META
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import empty_strided
from tensorkit.kernels import cuda
from tensorkit.kernels.cuda.plan import Operand
from tensorkit.ops.reduction.arguments import host, like_meta, reduced_size
from tensorkit.ops.shared.copy import copied, deliver, deliver_into
from tensorkit.ops.shared.on_device import is_on_device, operand
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor, on_storage


def reduce(
    name: str,
    input: Tensor,
    axes: tuple[int, ...],
    keepdim: bool,
    kind: dtype,
    out: Tensor | None,
    on_cpu: Callable[[Array, tuple[int, ...], bool, dtype], Array],
    how: str = "",
) -> Tensor:
    """One number for many, on the device of the input; on the meta device only its size.

    Args:
        name: the operation. kind: the dtype of the result.
        on_cpu: what computes the array of the result, of the array, the axes, `keepdim` and `kind`.
        how: the name of the CUDA kernel, if it is not that of the operation.
    """
    if input._device == META:
        return like_meta(reduced_size(input._lay().size, axes, keepdim), kind)
    if is_on_device(input):
        return reduced(how or name, input, axes, keepdim, kind, out)
    return deliver(on_cpu(host(input, name), axes, keepdim, kind), kind, out)


def _made(size: tuple[int, ...], kind: dtype, like: Tensor) -> Tensor:
    return empty_strided(size, contiguous_stride(size), kind, like._device)


def _kept(size: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    return contiguous_stride(reduced_size(size, axes, False))


def _result(made: Tensor, out: Any) -> Tensor:
    return made if out is None else deliver_into(made, out)


def reduced(
    how: str,
    input: Tensor,
    axes: tuple[int, ...],
    keepdim: bool,
    kind: dtype,
    out: Any = None,
    scalars: tuple[Any, ...] = (),
) -> Tensor:
    """One number for many; `how` is a name of `kernels.cuda.rowwise.reduce.REDUCTIONS`."""
    input = resolved(input)
    size = input._lay().size
    if kind is dtypes.bool and how in ("sum", "prod"):
        input = copied(input, contiguous_stride(size), kind)  # elements become bools before they are added up
    axes = tuple(sorted(axes))
    made = _made(reduced_size(size, axes, keepdim), kind, input)
    target = Operand(made._store()._buffer, kind, _kept(size, axes))
    cuda.rowwise.reduce.reduce(how, target, operand(input), size, axes, scalars)
    return _result(made, out)


def extremes_along(
    largest: bool, input: Tensor, axes: tuple[int, ...], keepdim: bool
) -> tuple[Tensor, Tensor]:
    """The extreme elements along dimensions, and their indices."""
    input = resolved(input)
    size = input._lay().size
    axes = tuple(sorted(axes))
    shrunk = reduced_size(size, axes, keepdim)
    values, places = _made(shrunk, input._dtype, input), _made(shrunk, dtypes.int64, input)
    stride = _kept(size, axes)
    cuda.rowwise.reduce.arg_reduce(
        largest,
        Operand(values._store()._buffer, input._dtype, stride),
        Operand(places._store()._buffer, dtypes.int64, stride),
        operand(input),
        size,
        axes,
    )
    return values, places


def norm(input: Tensor, p: float, axes: tuple[int, ...], keepdim: bool, kind: dtype, out: Any) -> Tensor:
    """The p-norm along dimensions, of elements converted to `kind` first."""
    if input._dtype is not kind:
        input = copied(input, contiguous_stride(input._lay().size), kind)
    real = kind.to_real() if kind.is_complex else kind
    if p == 0:
        return reduced("count_nonzero", input, axes, keepdim, real, out)
    lone = all(input._lay().size[d] == 1 for d in axes)  # one number's norm is its size
    if lone or p in (1, 2, math.inf, -math.inf):
        return reduced(f"norm_{1 if lone else f'{p:g}'}", input, axes, keepdim, real, out)
    return reduced("norm_p", input, axes, keepdim, real, out, (p,))


def _parts(input: Tensor) -> list[Tensor]:
    """The real and the imaginary parts of complex numbers, where they are."""
    lay, kind = input._lay(), input._dtype.to_real()
    steps = tuple(2 * step for step in lay.stride)
    return [on_storage(input._store(), Layout(lay.size, steps, 2 * lay.offset + k), kind) for k in (0, 1)]


def moments(
    root: bool, input: Tensor, axes: tuple[int, ...], keepdim: bool, kind: dtype, divisor: float
) -> tuple[Tensor, Tensor]:
    """The variance (or, with `root`, the standard deviation) as `kind`, and the mean.

    For complex numbers it is the sum of the variances of both parts, so that a part without any, divided by 0, is nan.
    """
    input = resolved(input)
    size = input._lay().size
    if input._dtype.is_complex:
        both: Any = [moments(False, part, axes, keepdim, kind, divisor)[0] for part in _parts(input)]
        spread = both[0].add_(both[1])
        return spread.sqrt_() if root else spread, reduced("mean", input, axes, keepdim, input._dtype)
    axes = tuple(sorted(axes))
    shrunk = reduced_size(size, axes, keepdim)
    spread, mean = _made(shrunk, kind, input), _made(shrunk, input._dtype, input)
    stride = _kept(size, axes)
    cuda.rowwise.rows.moments(
        root,
        Operand(spread._store()._buffer, kind, stride),
        Operand(mean._store()._buffer, input._dtype, stride),
        operand(input),
        size,
        axes,
        divisor,
    )
    return spread, mean


def log_sum(input: Tensor, axes: tuple[int, ...], keepdim: bool, kind: dtype, out: Any) -> Tensor:
    """The logarithm of the sum of exponentials of real numbers along dimensions."""
    input = resolved(input)
    size = input._lay().size
    axes = tuple(sorted(axes))
    made = _made(reduced_size(size, axes, keepdim), kind, input)
    cuda.rowwise.rows.log_sum(
        Operand(made._store()._buffer, kind, _kept(size, axes)), operand(input), size, axes
    )
    return _result(made, out)


def softmax(logarithm: bool, input: Tensor, axis: int, out: Any) -> Tensor:
    """The share of each exponential in the sum of its row, or the logarithm of that share."""
    input = resolved(input)
    size = input._lay().size
    made = _made(size, input._dtype, input)
    cuda.rowwise.rows.softmax(logarithm, operand(made), operand(input), size, axis)
    return _result(made, out)


def running(how: str, input: Tensor, axis: int, kind: dtype) -> Tensor:
    """The sums, products or log-sum-exps so far along a dimension: "cumsum", "cumprod" or "logcumsumexp"."""
    input = resolved(input)
    size = input._lay().size
    made = _made(size, kind, input)
    cuda.rowwise.rows.scan(how, operand(made), operand(input), size, axis)
    return made


def running_extremes(largest: bool, input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """The extreme element so far along a dimension, and its place."""
    input = resolved(input)
    size = input._lay().size
    values, places = _made(size, input._dtype, input), _made(size, dtypes.int64, input)
    cuda.rowwise.rows.arg_scan(largest, operand(values), operand(places), operand(input), size, axis)
    return values, places
