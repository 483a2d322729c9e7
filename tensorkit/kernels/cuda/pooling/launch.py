"""Launching the kernels of pooling: all operands are row-major."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import inf, prod

import numpy

from tensorkit.dtypes import dtype
from tensorkit.kernels.cuda.compile import Argument, Int, Ints, Kernel, Pointer
from tensorkit.kernels.cuda.launch import check_reach, launch_kernel
from tensorkit.kernels.cuda.plan import Operand
from tensorkit.kernels.cuda.pooling import kernels
from tensorkit.kernels.spans import Span

Sizes = tuple[int, ...]
_SPANS = (Ints(3), Ints(3), Ints(5), Ints(5), Ints(5))


@cache
def _largest_kernel(kind: dtype) -> Kernel:
    one = getattr(numpy, kind.name)
    lowest = one(-inf) if kind.is_floating_point else one(numpy.iinfo(one).min)
    pointers = (Pointer(kind.name), Pointer("int64"), Pointer(kind.name))
    arguments: tuple[Argument, ...] = (Int(), *pointers, *_SPANS)
    return Kernel(f"largest_{kind.name}", kernels.largest, {"lowest": lowest}, arguments)


@cache
def _total_kernel(kind: dtype) -> Kernel:
    arguments: tuple[Argument, ...] = (Int(), Pointer(kind.name), Pointer(kind.name), *_SPANS)
    names = {"zero": getattr(numpy, kind.name)(0)}
    return Kernel(f"total_{kind.name}", kernels.total, names, arguments)


def _layouts(out: Sizes, size: Sizes, spans: Sequence[Span]) -> tuple[Sizes, ...]:
    """The sizes and spans of three dimensions."""
    dims = len(spans)
    ones = (1,) * (3 - dims)
    sizes = (*ones, *out[len(out) - dims :]), (*ones, *size[len(size) - dims :])
    return (*sizes, *(tuple(Span()) for _ in ones), *(tuple(span) for span in spans))


def largest(
    out: Operand, places: Operand, a: Operand, made: Sizes, size: Sizes, spans: Sequence[Span]
) -> None:
    """The largest of each window of `a` (of `size`), and where it is in its plane, in tensors of the size `made`."""
    check_reach(((out, made), (places, made), (a, size)))
    count, layouts = prod(made), _layouts(made, size, spans)
    launch_kernel(_largest_kernel(a.dtype), (count,), (out, places, a), layouts, threads=count)


def total(out: Operand, a: Operand, made: Sizes, size: Sizes, spans: Sequence[Span]) -> None:
    """The sum of each window of `a` (of `size`), in a tensor of the size `made`."""
    check_reach(((out, made), (a, size)))
    count, layouts = prod(made), _layouts(made, size, spans)
    launch_kernel(_total_kernel(a.dtype), (count,), (out, a), layouts, threads=count)
