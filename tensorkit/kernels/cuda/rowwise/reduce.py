"""Reductions on a device: which arithmetic each is made of, and the one or two launches that it takes.

Floating point totals are kept in float64 on an emulated device, where one thread adds up all elements in turn, and in
float32 on a GPU, where 256 threads and a tree of pairs keep the error small: as in PyTorch.

>>> sorted(REDUCTIONS)[:4]
['all', 'any', 'count_nonzero', 'max']
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any, NamedTuple

import numpy

from tensorkit import dtypes, tracing
from tensorkit.dtypes import dtype
from tensorkit.kernels.cuda import half, kernels
from tensorkit.kernels.cuda.compile import Argument, Int, Ints, Kernel, Numbers, Pointer
from tensorkit.kernels.cuda.emulator import memory_for, runner_for
from tensorkit.kernels.cuda.families import scalar_values
from tensorkit.kernels.cuda.launch import check_reach, copy, launch_kernel
from tensorkit.kernels.cuda.plan import Operand, coalesce, row_major
from tensorkit.kernels.cuda.rowwise import reduce_kernels

Sizes = tuple[int, ...]
Function = Callable[..., Any]


# -- what the totals are made of ------------------------------------------------------------------------------------


def _as_it_is(x: Any) -> Any:
    return x


def _keep(total: Any, count: int) -> Any:
    return total


def add(a: Any, b: Any) -> Any:
    return a + b


def multiply(a: Any, b: Any) -> Any:
    return a * b


def larger(a: Any, b: Any) -> Any:
    """The larger of two; nothing is larger than no number."""
    return b if b > a or b != b else a


def _smaller(a: Any, b: Any) -> Any:
    return b if b < a or b != b else a


def _divided(total: Any, count: int) -> Any:
    return total / count


def _parts_divided(total: Any, count: int) -> Any:
    """A complex number divided by a count, each part by itself: by 0 as well."""
    return complex(total.real / count, total.imag / count)


def _truth(x: Any) -> Any:
    return numpy.int64(x != 0)


def _both(a: Any, b: Any) -> Any:
    return a & b


def _either(a: Any, b: Any) -> Any:
    return a | b


def _size(x: Any) -> Any:
    return abs(x)


def _square(x: Any) -> Any:
    return abs(x) * abs(x)


def _power(x: Any, p: Any) -> Any:
    return abs(x) ** p


def _keep_p(total: Any, count: int, p: Any) -> Any:
    return total


def _square_root(total: Any, count: int) -> Any:
    return math.sqrt(total)


def _root(total: Any, count: int, p: Any) -> Any:
    return total ** (1 / p)


@cache
def _number_or_zero(kind: Any) -> Function:
    def number_or_zero(x: Any) -> Any:
        return x if x == x else kind(0)

    return number_or_zero


class Reduction(NamedTuple):
    """What a reduction is made of: see ``reduce_kernels``.

    Attributes:
        start: 0, 1, or "lowest" or "highest" of the dtype.
        prepare: of an element; "no nan" for 0 in place of nan.
        real: whether complex elements give real totals.
        scalars: how many numbers `prepare` and `finish` take.
    """

    start: int | str
    combine: Function
    prepare: Function | str = _as_it_is
    finish: Function = _keep
    real: bool = False
    scalars: int = 0


REDUCTIONS: dict[str, Reduction] = {
    "sum": Reduction(0, add),
    "nansum": Reduction(0, add, "no nan"),
    "prod": Reduction(1, multiply),
    "mean": Reduction(0, add, finish=_divided),
    "max": Reduction("lowest", larger),
    "min": Reduction("highest", _smaller),
    "any": Reduction(0, _either, _truth, real=True),
    "all": Reduction(1, _both, _truth, real=True),
    "count_nonzero": Reduction(0, add, _truth, real=True),
    "norm_1": Reduction(0, add, _size, real=True),
    "norm_2": Reduction(0, add, _square, _square_root, real=True),
    "norm_inf": Reduction(0, larger, _size, real=True),
    "norm_-inf": Reduction("highest", _smaller, _size, real=True),
    "norm_p": Reduction(0, add, _power, _root, real=True, scalars=1),
}


def _done(x: Any, p: Any) -> Any:
    return x


#: What combines the totals of parts: each element is prepared already, and only the end is left.
_PARTS = {
    f"{name}_parts": made._replace(prepare=_done if made.scalars else _as_it_is)
    for name, made in REDUCTIONS.items()
}
_COUNTS = frozenset(("any", "all", "count_nonzero"))


@cache
def start_of(number: int | str, kind: Any) -> Function:
    """The number that changes nothing, as a function that gives one of the totals' type."""
    if isinstance(number, int):
        value = kind(number)
    elif issubclass(kind, numpy.inexact):
        value = kind(-math.inf if number == "lowest" else math.inf)
    else:
        limits = numpy.iinfo(kind)
        value = kind(limits.min if number == "lowest" else limits.max)
    plain = value.item()

    def start() -> Any:
        return kind(plain)

    return start


class _Totals(NamedTuple):
    """The dtype in which elements are read, and of the totals."""

    compute: dtype
    total: dtype


_SUMMED_IN = {"float32": dtypes.float64, "complex64": dtypes.complex128}


def wide_total(kind: dtype, native: bool) -> dtype:
    """The dtype in which totals of floating point numbers are kept: float64 on the host, float32 on a GPU."""
    kept = dtypes.float32 if kind.itemsize == 2 else kind
    return kept if native else _SUMMED_IN.get(kept.name, kept)


def _totals(how: str, source: dtype, out: dtype, native: bool) -> _Totals:
    if how in _COUNTS:
        return _Totals(source, dtypes.int64)
    if how in ("max", "min"):
        kept = dtypes.float32 if source.category == 2 and source.itemsize == 2 else source
        kept = dtypes.uint8 if source is dtypes.bool else kept
        return _Totals(kept, kept)
    if REDUCTIONS[how].real:
        compute = wide_total(source, native)
        return _Totals(compute, compute.to_real() if compute.is_complex else compute)
    kept = dtypes.int64 if out.category < 2 else wide_total(out, native)
    return _Totals(kept, kept)


# -- rows and columns -----------------------------------------------------------------------------------------------


class _Rows(NamedTuple):
    """What is kept (the rows, of up to two dimensions) and what is reduced (the columns, of up to two)."""

    rows: int
    columns: int
    size: Sizes
    out_stride: Sizes
    stride: Sizes
    inner_size: Sizes
    inner_stride: Sizes


def padded(size: Sizes, strides: tuple[Sizes, ...], length: int) -> tuple[Sizes, tuple[Sizes, ...]]:
    missing = length - len(size)
    return (1,) * missing + size, tuple((0,) * missing + stride for stride in strides)


def _in_order(size: Sizes, stride: Sizes) -> tuple[Sizes, Sizes]:
    """The same elements in the same order with as few dimensions as the strides allow."""
    merged: list[tuple[int, int]] = []
    for n, step in zip(size, stride, strict=True):
        if n == 1:
            continue
        if merged and merged[-1][1] == n * step:
            merged[-1] = (merged[-1][0] * n, step)
        else:
            merged.append((n, step))
    return tuple(n for n, _ in merged), tuple(step for _, step in merged)


def _rows_of(size: Sizes, stride: Sizes, out_stride: Sizes, axes: Sizes, ordered: bool) -> _Rows | None:
    """Rows and columns of a layout; None where they have more dimensions than a kernel takes."""
    kept = [d for d in range(len(size)) if d not in axes]
    outer, inner = tuple(size[d] for d in kept), tuple(size[d] for d in axes)
    count, width = prod(outer), prod(inner)
    walked, (to, start) = coalesce(outer, (out_stride, tuple(stride[d] for d in kept)))
    steps = tuple(stride[d] for d in axes)
    if ordered:
        inner, along = _in_order(inner, steps)
    else:
        inner, (along,) = coalesce(inner, (steps,))
    if len(walked) > 2 or len(inner) > 2:
        return None
    walked, (to, start) = padded(walked, (to, start), 2)
    inner, (along,) = padded(inner, (along,), max(1, len(inner)))
    return _Rows(count, width, walked, to, start, inner, along)


def prepared(a: Operand, size: Sizes, out_stride: Sizes, axes: Sizes, ordered: bool) -> tuple[Operand, _Rows]:
    """The operand, copied with its rows one after the other if it lies in too many directions."""
    found = _rows_of(size, a.stride, out_stride, axes, ordered)
    if found is not None:
        return a, found
    kept = tuple(d for d in range(len(size)) if d not in axes)
    order = kept + axes
    packed = row_major(tuple(size[d] for d in order))
    stride = tuple(packed[order.index(d)] for d in range(len(size)))
    laid = empty_like(a, a.dtype, size)._replace(stride=stride)
    with tracing.silence():
        copy(laid, a, size)
    # The rows are one after the other now; `reduce` spreads what was written row by row.
    rows, columns = prod(size[d] for d in kept), prod(size[d] for d in axes)
    return laid, _Rows(rows, columns, (1, rows), (0, 1), (0, columns), (columns,), (1,))


def empty_like(beside: Operand, kind: dtype, size: Sizes) -> Operand:
    """A new row-major operand on the same device."""
    buffer = memory_for(beside.buffer).allocate(prod(size) * kind.itemsize, beside.buffer.index)
    return Operand(buffer, kind, row_major(size))


def through(out: Operand, kind: dtype, size: Sizes, run: Callable[[Operand], None]) -> None:
    """Let `run` write into a row-major operand of another dtype, and convert what it wrote into `out`."""
    made = empty_like(out, kind, size)
    run(made)
    with tracing.silence():
        copy(out, made, size)


def as_dtype(a: Operand, kind: dtype, size: Sizes) -> Operand:
    """The operand, or a row-major copy with elements of another dtype.

    On an emulated device a kernel that computes in float64 is compiled once, and not once for each dtype that it may
    read: the few kernels that convert are shared by all. A GPU converts what it reads on the way.
    """
    if a.dtype is kind:
        return a
    made = empty_like(a, kind, size)
    with tracing.silence():
        copy(made, a, size)
    return made


# -- launches -------------------------------------------------------------------------------------------------------


class _Spec(NamedTuple):
    how: str
    source: dtype
    out: dtype
    totals: _Totals
    inner: int
    last: bool  # whether the totals are finished, or parts of them that a second launch combines


@cache
def _kernel(spec: _Spec, native: bool) -> Kernel:
    made = REDUCTIONS.get(spec.how) or _PARTS[spec.how]
    kind = getattr(numpy, half.math_name(spec.totals.total))
    prepare = _number_or_zero(kind) if made.prepare == "no nan" else made.prepare
    finish = made.finish if spec.last else (_keep_p if made.scalars else _keep)
    if finish is _divided and spec.totals.total.is_complex:
        finish = _parts_divided
    names: dict[str, Any] = {
        "place": kernels.place_2,
        "at": kernels.at_2,
        "place_inner": kernels.PLACE[spec.inner],
        "at_inner": kernels.AT[spec.inner],
        "read_a": half.reader(spec.source, spec.totals.compute, native),
        "write": half.writer(spec.totals.total, spec.out, native),
        "start": start_of(made.start, kind),
        "combine": made.combine,
        "tree": reduce_kernels.tree_of(made.combine),
        "prepare": prepare,
        "finish": finish,
        "numbers": half.identity,
        "kind": kind,
        "WIDTH": reduce_kernels.WIDTH,
    }
    numbers = half.math_name(spec.totals.total)
    arguments: list[Argument] = [
        *(Int(), Int(), Int()),
        Pointer(half.raw_name(spec.out.name, native)),
        Pointer(half.raw_name(spec.source.name, native)),
        *(Ints(2), Ints(2), Ints(2), Ints(spec.inner), Ints(spec.inner), Int()),
        Numbers(numbers if numbers in ("float32", "float64", "int64", "uint64") else "float64", made.scalars),
    ]
    name = f"{spec.how.replace('-', 'minus_')}_{spec.source.name}_{spec.out.name}_{spec.inner}d"
    return Kernel(name, reduce_kernels.reduce_rows, names, tuple(arguments))


def reduce(
    how: str, out: Operand, a: Operand, size: Sizes, axes: Sizes, scalars: tuple[Any, ...] = ()
) -> None:
    """Reduce the dimensions `axes` of `a`: ``out[kept] = how(a[kept, reduced])``.

    Args:
        how: a name of `REDUCTIONS`.
        out: with a stride for each dimension that is kept, in their order.
        size: that of `a`; no dimension is empty, or `how` has a start that is its value.
        scalars: of the norms that have one, ``p``.

    Raises:
        RuntimeError: when an operand's layout leaves its buffer.
    """
    kept = tuple(n for d, n in enumerate(size) if d not in axes)
    if 0 in kept:
        return
    runner = runner_for(out.buffer)
    native = runner.native_half
    check_reach(((out, kept), (a, size)))
    totals = _totals(how, a.dtype, out.dtype, native)
    if runner.apart and (a.dtype is not totals.compute or out.dtype is not totals.total):
        wide = as_dtype(a, totals.compute, size)
        through(out, totals.total, kept, lambda total: reduce(how, total, wide, size, axes, scalars))
        return
    laid, rows = prepared(a, size, out.stride, axes, ordered=False)
    target, spread = out, None
    if laid is not a and out.stride != row_major(kept):
        target, spread = empty_like(out, out.dtype, kept), out
    values = scalar_values(scalars, totals.total)
    parts = runner.parts(rows.rows, rows.columns)
    if parts > 1:
        held = totals.total
        partial = empty_like(out, held, (rows.rows, parts))
        first = _kernel(_Spec(how, a.dtype, held, totals, len(rows.inner_size), False), native)
        by_rows = rows._replace(out_stride=_row_strides(rows.size, parts))
        _launch(first, partial, laid, by_rows, parts, 1, values)
        again = _Spec(f"{how}_parts", held, out.dtype, _Totals(held, held), 1, True)
        laid = partial
        rows = rows._replace(columns=parts, stride=by_rows.out_stride, inner_size=(parts,), inner_stride=(1,))
        _launch(_kernel(again, native), target, laid, rows, 1, 0, values)
    else:
        spec = _Spec(how, a.dtype, out.dtype, totals, len(rows.inner_size), True)
        _launch(_kernel(spec, native), target, laid, rows, 1, 0, values)
    if spread is not None:
        copy(spread, target, kept)


def _row_strides(size: Sizes, width: int) -> Sizes:
    return size[1] * width, width


def _launch(
    kernel: Kernel, out: Operand, a: Operand, rows: _Rows, parts: int, step: int, values: Any
) -> None:
    layouts = (rows.size, rows.out_stride, rows.stride, rows.inner_size, rows.inner_stride, step, values)
    launch_kernel(kernel, (rows.rows, rows.columns, parts), (out, a), layouts, blocks=rows.rows * parts)


# -- the extreme one and its place ----------------------------------------------------------------------------------


def _above(best: Any, other: Any) -> Any:
    return other > best or (other != other and best == best)


def _below(best: Any, other: Any) -> Any:
    return other < best or (other != other and best == best)


@cache
def _arg_kernel(largest: bool, source: dtype, inner: int, native: bool) -> Kernel:
    compute = _totals("max", source, source, native).compute
    kind = getattr(numpy, half.math_name(compute))
    names: dict[str, Any] = {
        "place": kernels.place_2,
        "at": kernels.at_2,
        "place_inner": kernels.PLACE[inner],
        "at_inner": kernels.AT[inner],
        "read_a": half.reader(source, compute, native),
        "write": half.writer(compute, source, native),
        "start": start_of(0, kind),
        "better": _above if largest else _below,
        "kind": kind,
        "WIDTH": reduce_kernels.WIDTH,
    }
    raw = Pointer(half.raw_name(source.name, native))
    arguments = (
        *(Int(), Int()),
        *(raw, Pointer("int64"), raw),
        *(Ints(2), Ints(2), Ints(2), Ints(2), Ints(inner), Ints(inner)),
    )
    name = f"{'argmax' if largest else 'argmin'}_{source.name}_{inner}d"
    return Kernel(name, reduce_kernels.arg_rows, names, arguments)


def arg_reduce(largest: bool, out: Operand, places: Operand, a: Operand, size: Sizes, axes: Sizes) -> None:
    """The extreme elements along `axes` and their indices in row-major order of these dimensions.

    Args:
        out: of the dtype of `a`, row-major over what is kept. places: int64, row-major as well.
    """
    kept = tuple(n for d, n in enumerate(size) if d not in axes)
    if 0 in kept:
        return
    runner = runner_for(out.buffer)
    check_reach(((out, kept), (places, kept), (a, size)))
    laid, rows = prepared(a, size, out.stride, axes, ordered=True)
    kernel = _arg_kernel(largest, a.dtype, len(rows.inner_size), runner.native_half)
    layouts = (rows.size, rows.out_stride, rows.out_stride, rows.stride, rows.inner_size, rows.inner_stride)
    launch_kernel(kernel, (rows.rows, rows.columns), (out, places, laid), layouts, blocks=rows.rows)
