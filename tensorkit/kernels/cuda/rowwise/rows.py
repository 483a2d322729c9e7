"""What looks at rows as a whole, launched: spread, log-sum-exp, softmax, running totals and running extremes."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.dtypes import dtype
from tensorkit.kernels.cuda import half, kernels
from tensorkit.kernels.cuda.compile import Argument, Int, Ints, Kernel, Numbers, Pointer
from tensorkit.kernels.cuda.emulator import runner_for
from tensorkit.kernels.cuda.launch import check_reach, copy, launch_kernel
from tensorkit.kernels.cuda.plan import Operand, coalesce, row_major
from tensorkit.kernels.cuda.rowwise import reduce_kernels, row_kernels
from tensorkit.kernels.cuda.rowwise.reduce import (
    add,
    as_dtype,
    empty_like,
    larger,
    multiply,
    padded,
    prepared,
    start_of,
    through,
    wide_total,
)

Sizes = tuple[int, ...]
Function = Callable[..., Any]


def _shared_names(kind: Any, inner: int) -> dict[str, Any]:
    return {
        "place": kernels.place_2,
        "at": kernels.at_2,
        "place_inner": kernels.PLACE[inner],
        "at_inner": kernels.AT[inner],
        "start": start_of(0, kind),
        "tree": reduce_kernels.tree_of(add),
        "tree_of_extremes": reduce_kernels.tree_of(larger),
        "kind": kind,
        "numbers": half.identity,
        "WIDTH": reduce_kernels.WIDTH,
    }


# -- mean and spread ------------------------------------------------------------------------------------------------


def _square(x: Any, mean: Any) -> Any:
    return (x - mean) * (x - mean)


def _squared_size(x: Any, mean: Any) -> Any:
    apart = x - mean
    return apart.real * apart.real + apart.imag * apart.imag


def _variance(total: Any, divisor: Any) -> Any:
    return total / divisor


def _deviation(total: Any, divisor: Any) -> Any:
    return math.sqrt(total / divisor)


@cache
def _moment_kernel(
    root: bool, source: dtype, out: dtype, mean: dtype, total: dtype, inner: int, native: bool
) -> Kernel:
    kind, real = _type(total), _type(total.to_real())
    names = _shared_names(kind, inner) | {
        "read_a": half.reader(source, total, native),
        "write": half.writer(total.to_real(), out, native),
        "write_b": half.writer(total, mean, native),
        "first": start_of(0, real),
        "deviation": _squared_size if total.is_complex else _square,
        "finish": _deviation if root else _variance,
        "real": real,
    }
    raw = [Pointer(half.raw_name(d.name, native)) for d in (out, mean, source)]
    arguments: tuple[Argument, ...] = (
        *(Int(), Int()),
        *raw,
        *(Ints(2), Ints(2), Ints(2), Ints(2), Ints(inner), Ints(inner)),
        Numbers("float64", 1),
    )
    name = f"{'std' if root else 'var'}_{source.name}_{out.name}_{inner}d"
    return Kernel(name, row_kernels.moment_rows, names, arguments)


def _type(kind: dtype) -> Any:
    return getattr(numpy, half.math_name(kind))


def moments(
    root: bool, out: Operand, mean: Operand, a: Operand, size: Sizes, axes: Sizes, divisor: float
) -> None:
    """The mean along `axes`, and the squared deviations from it, added up and divided (and, with `root`, the root).

    Args:
        out, mean: row-major over the dimensions that are kept.
    """
    kept = tuple(n for d, n in enumerate(size) if d not in axes)
    if 0 in kept:
        return
    runner = runner_for(out.buffer)
    check_reach(((out, kept), (mean, kept), (a, size)))
    total = wide_total(a.dtype, runner.native_half)
    real = total.to_real()
    if runner.apart and not (a.dtype is mean.dtype is total and out.dtype is real):
        wide = as_dtype(a, total, size)

        def spread(made: Operand) -> None:
            through(mean, total, kept, lambda centre: moments(root, made, centre, wide, size, axes, divisor))

        through(out, real, kept, spread)
        return
    laid, rows = prepared(a, size, out.stride, axes, ordered=False)
    kernel = _moment_kernel(
        root, a.dtype, out.dtype, mean.dtype, total, len(rows.inner_size), runner.native_half
    )
    layouts = (
        *(rows.size, rows.out_stride, rows.out_stride, rows.stride),
        *(rows.inner_size, rows.inner_stride, (divisor,)),
    )
    launch_kernel(kernel, (rows.rows, rows.columns), (out, mean, laid), layouts, blocks=rows.rows)


# -- log-sum-exp and softmax ----------------------------------------------------------------------------------------


def _exponential(x: Any) -> Any:
    return math.exp(x)


def _logarithm(x: Any) -> Any:
    return math.log(x)


def _share(shifted: Any, total: Any) -> Any:
    return math.exp(shifted) / total


def _log_share(shifted: Any, total: Any) -> Any:
    return shifted - math.log(total)


@cache
def _zero_if_infinite(kind: Any) -> Function:
    def zero_if_infinite(x: Any) -> Any:
        return kind(0) if math.isinf(x) else x

    return zero_if_infinite


@cache
def _log_sum_kernel(source: dtype, out: dtype, total: dtype, inner: int, native: bool) -> Kernel:
    kind = _type(total)
    names = _shared_names(kind, inner) | {
        "read_a": half.reader(source, total, native),
        "write": half.writer(total, out, native),
        "first": start_of("lowest", kind),
        "combine": larger,
        "finish": _zero_if_infinite(kind),
        "exp": _exponential,
        "log": _logarithm,
    }
    raw = [Pointer(half.raw_name(d.name, native)) for d in (out, source)]
    arguments: tuple[Argument, ...] = (
        Int(),
        Int(),
        *raw,
        *(Ints(2), Ints(2), Ints(2), Ints(inner), Ints(inner)),
    )
    return Kernel(f"logsumexp_{source.name}_{out.name}_{inner}d", row_kernels.log_sum_rows, names, arguments)


def log_sum(out: Operand, a: Operand, size: Sizes, axes: Sizes) -> None:
    """``log(sum(exp(a)))`` along `axes`, of real numbers; `out` is row-major over what is kept."""
    kept = tuple(n for d, n in enumerate(size) if d not in axes)
    if 0 in kept:
        return
    runner = runner_for(out.buffer)
    check_reach(((out, kept), (a, size)))
    total = wide_total(out.dtype, runner.native_half)
    if runner.apart and not a.dtype is out.dtype is total:
        wide = as_dtype(a, total, size)
        through(out, total, kept, lambda made: log_sum(made, wide, size, axes))
        return
    laid, rows = prepared(a, size, out.stride, axes, ordered=False)
    kernel = _log_sum_kernel(a.dtype, out.dtype, total, len(rows.inner_size), runner.native_half)
    layouts = (rows.size, rows.out_stride, rows.stride, rows.inner_size, rows.inner_stride)
    launch_kernel(kernel, (rows.rows, rows.columns), (out, laid), layouts, blocks=rows.rows)


@cache
def _softmax_kernel(logarithm: bool, kind_: dtype, total: dtype, native: bool) -> Kernel:
    kind = _type(total)
    names = _shared_names(kind, 1) | {
        "read_a": half.reader(kind_, total, native),
        "write": half.writer(total, kind_, native),
        "first": start_of("lowest", kind),
        "combine": larger,
        "finish": _log_share if logarithm else _share,
        "exp": _exponential,
    }
    raw = Pointer(half.raw_name(kind_.name, native))
    arguments: tuple[Argument, ...] = (Int(), Int(), raw, raw, Ints(2), Ints(2), Ints(2), Int(), Int())
    name = f"{'log_softmax' if logarithm else 'softmax'}_{kind_.name}"
    return Kernel(name, row_kernels.softmax_rows, names, arguments)


def softmax(logarithm: bool, out: Operand, a: Operand, size: Sizes, axis: int) -> None:
    """The share of each exponential in the sum of its row along `axis`, or the logarithm of that share."""
    if 0 in size:
        return
    runner = runner_for(out.buffer)
    total = wide_total(a.dtype, runner.native_half)
    if runner.apart and a.dtype is not total:
        wide = as_dtype(a, total, size)
        through(out, total, size, lambda made: softmax(logarithm, made, wide, size, axis))
        return
    kernel = _softmax_kernel(logarithm, a.dtype, total, runner.native_half)
    _along(kernel, (out,), a, size, axis)


# -- running totals -------------------------------------------------------------------------------------------------


def _log_add(a: Any, b: Any) -> Any:
    high = a if a > b or a != a else b
    low = b if a > b or a != a else a
    if math.isinf(high) and high == low:
        return high
    return high + math.log1p(math.exp(low - high))


def _log_add_complex(a: Any, b: Any) -> Any:
    if a.real == -math.inf:
        return b
    high = a if a.real >= b.real else b
    low = b if a.real >= b.real else a
    return high + cmath.log(1 + cmath.exp(low - high))


_SCANS: dict[str, tuple[int | str, Function]] = {
    "cumsum": (0, add),
    "cumprod": (1, multiply),
    "logcumsumexp": ("lowest", _log_add),
}


@cache
def _scan_kernel(how: str, source: dtype, out: dtype, total: dtype, native: bool) -> Kernel:
    first, combine = _SCANS[how]
    kind = _type(total)
    if total.is_complex and how == "logcumsumexp":
        combine = _log_add_complex
    names = _shared_names(kind, 1) | {
        "read_a": half.reader(source, total, native),
        "write": half.writer(total, out, native),
        "start": start_of(first, kind),
        "combine": combine,
    }
    raw = [Pointer(half.raw_name(d.name, native)) for d in (out, source)]
    arguments: tuple[Argument, ...] = (Int(), Int(), *raw, Ints(2), Ints(2), Ints(2), Int(), Int())
    return Kernel(f"{how}_{source.name}_{out.name}", row_kernels.scan_rows, names, arguments)


def scan(how: str, out: Operand, a: Operand, size: Sizes, axis: int) -> None:
    """The sums, products or log-sum-exps so far along `axis`; `how` is "cumsum", "cumprod" or "logcumsumexp"."""
    if 0 in size:
        return
    runner = runner_for(out.buffer)
    total = dtypes.int64 if out.dtype.category < 2 else wide_total(out.dtype, runner.native_half)
    if runner.apart and not a.dtype is out.dtype is total:
        wide = as_dtype(a, total, size)
        through(out, total, size, lambda made: scan(how, made, wide, size, axis))
        return
    kernel = _scan_kernel(how, a.dtype, out.dtype, total, runner.native_half)
    _along(kernel, (out,), a, size, axis)


def _not_below(best: Any, other: Any) -> Any:
    return other != other or (best == best and other >= best)


def _not_above(best: Any, other: Any) -> Any:
    return other != other or (best == best and other <= best)


@cache
def _arg_scan_kernel(largest: bool, source: dtype, native: bool) -> Kernel:
    compute = dtypes.uint8 if source is dtypes.bool else source
    compute = dtypes.float32 if source.category == 2 and source.itemsize == 2 else compute
    names = _shared_names(_type(compute), 1) | {
        "read_a": half.reader(source, compute, native),
        "write": half.writer(compute, source, native),
        "better": _not_below if largest else _not_above,
    }
    raw = Pointer(half.raw_name(source.name, native))
    arguments: tuple[Argument, ...] = (
        Int(),
        Int(),
        raw,
        Pointer("int64"),
        raw,
        Ints(2),
        Ints(2),
        Ints(2),
        Int(),
        Int(),
    )
    name = f"{'cummax' if largest else 'cummin'}_{source.name}"
    return Kernel(name, row_kernels.arg_scan_rows, names, arguments)


def arg_scan(largest: bool, out: Operand, places: Operand, a: Operand, size: Sizes, axis: int) -> None:
    """The extreme element so far along `axis` and its place; `out` and `places` (int64) lie alike, row-major."""
    if 0 in size:
        return
    runner = runner_for(out.buffer)
    _along(_arg_scan_kernel(largest, a.dtype, runner.native_half), (out, places), a, size, axis)


def _along(kernel: Kernel, outs: tuple[Operand, ...], a: Operand, size: Sizes, axis: int) -> None:
    """Launch a kernel that walks rows along one dimension and writes as many elements as it reads."""
    out = outs[0]
    check_reach((*((o, size) for o in outs), (a, size)))
    others = tuple(d for d in range(len(size)) if d != axis)
    outer = tuple(size[d] for d in others)
    walked, strides = coalesce(
        outer, (tuple(out.stride[d] for d in others), tuple(a.stride[d] for d in others))
    )
    if len(walked) > 2:
        laid = empty_like(a, a.dtype, size)
        with tracing.silence():
            copy(laid, a, size)
        a, before = laid, prod(size[:axis])
        walked, strides = (
            (before, prod(size[axis + 1 :])),
            (
                (prod(size[axis:]), 1),
                (prod(size[axis:]), 1),
            ),
        )
        if out.stride != row_major(size):
            raise RuntimeError("a result of many dimensions has to be row-major")
    walked, strides = padded(walked, strides, 2)
    columns = size[axis] if size else 1
    steps = (out.stride[axis], a.stride[axis]) if size else (1, 1)
    rows = prod(walked)
    launch_kernel(kernel, (rows, columns), (*outs, a), (walked, *strides, *steps), blocks=rows)
