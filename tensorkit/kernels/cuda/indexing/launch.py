"""Launching the kernels that follow indices."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.dtypes import dtype
from tensorkit.kernels.cuda import half
from tensorkit.kernels.cuda import kernels as zips
from tensorkit.kernels.cuda.compile import Argument, Int, Ints, Kernel, Numbers, Pointer
from tensorkit.kernels.cuda.emulator import runner_for
from tensorkit.kernels.cuda.families import scalar_values
from tensorkit.kernels.cuda.indexing import kernels
from tensorkit.kernels.cuda.launch import check_reach, launch_kernel
from tensorkit.kernels.cuda.plan import MOST_DIMS, Operand, coalesce

Sizes = tuple[int, ...]
Function = Callable[..., Any]
_BITS = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64", 16: "complex128"}


def _out_of_bounds(dim: int) -> str:
    """The message for an index out of range, with placeholders for it and for the size."""
    return f"index {{}} is out of bounds for dimension {dim} with size {{}}"


def _laid(size: Sizes, strides: tuple[Sizes, ...]) -> tuple[int, Sizes, tuple[Sizes, ...]]:
    """How many dimensions the kernel walks, and the layouts for that many."""
    walked, found = coalesce(size, strides)
    if len(walked) > MOST_DIMS:
        raise NotImplementedError(
            f"kernels follow indices through up to {MOST_DIMS} dimensions, not {len(walked)}"
        )
    dims = max(1, len(walked)) if len(walked) <= 4 else MOST_DIMS
    missing = dims - len(walked)
    return dims, (1,) * missing + walked, tuple((0,) * missing + stride for stride in found)


@cache
def _gather_kernel(width: int, dims: int) -> Kernel:
    raw = Pointer(_BITS[width])
    arguments: tuple[Argument, ...] = (
        *(Int(), raw, raw, Pointer("int64")),
        *(Ints(dims), Ints(dims), Ints(dims), Ints(dims), Int(), Int(), Pointer("int64")),
    )
    names = {"place": zips.PLACE[dims], "at": zips.AT[dims]}
    return Kernel(f"gather_{8 * width}bits_{dims}d", kernels.gather, names, arguments)


def gather(
    out: Operand, a: Operand, index: Operand, size: Sizes, length: int, step: int, dim: int = 0
) -> None:
    """``out[i] = a[i, index[i]]`` for every element of `size`.

    Args:
        a: with stride 0 along the indexed dimension. index: int64.
        length: how many there are to choose from; `step` apart.
        dim: the dimension's number, for the error.
    """
    if 0 in size:
        return
    check_reach(((out, size), (index, size)))
    dims, walked, strides = _laid(size, (out.stride, a.stride, index.stride))
    kernel = _gather_kernel(out.dtype.itemsize, dims)
    sizes = (walked, *strides, length, step)
    count = prod(size)
    launch_kernel(kernel, (count,), (out, a, index), sizes, threads=count, guard=_out_of_bounds(dim))


@cache
def _locate_kernel(dims: int) -> Kernel:
    arguments: tuple[Argument, ...] = (
        *(Int(), Pointer("int64"), Pointer("int64")),
        *(Ints(dims), Ints(dims), Ints(dims), Int(), Int(), Pointer("int64")),
    )
    names = {"place": zips.PLACE[dims], "at": zips.AT[dims]}
    return Kernel(f"locate_{dims}d", kernels.locate, names, arguments)


def locate(out: Operand, index: Operand, size: Sizes, length: int, step: int, dim: int) -> None:
    """Add ``index * step`` to `out` (int64), counting negative indices from the end."""
    if 0 in size:
        return
    check_reach(((out, size), (index, size)))
    dims, walked, strides = _laid(size, (out.stride, index.stride))
    sizes = (walked, *strides, length, step)
    count, guard = prod(size), _out_of_bounds(dim)
    launch_kernel(_locate_kernel(dims), (count,), (out, index), sizes, threads=count, guard=guard)


# -- scatter --------------------------------------------------------------------------------------------------------


def _put(out: Any, slot: Any, value: Any) -> None:
    out[slot] = value


def _sum(a: Any, b: Any) -> Any:
    return a + b


def _product(a: Any, b: Any) -> Any:
    return a * b


def _most(a: Any, b: Any) -> Any:
    return a if a > b or a != a or (a == b) else b


def _least(a: Any, b: Any) -> Any:
    return a if a < b or a != a or (a == b) else b


_COMBINED = {"add": _sum, "multiply": _product, "amax": _most, "amin": _least}


@cache
def _combining(how: str, kind: dtype) -> Function:
    combine = _COMBINED[how]
    read, write = half.reader(kind, kind, False), half.writer(kind, kind, False)

    def store(out: Any, slot: Any, value: Any) -> None:
        write(out, slot, combine(read(out, slot), value))

    return store


@cache
def _scatter_kernel(how: str, kind: dtype, dims: int) -> Kernel:
    if how == "set":
        raw, read, store = _BITS[kind.itemsize], _plainly, _put
    else:
        raw, read, store = (
            half.raw_name(kind.name, False),
            half.reader(kind, kind, False),
            _combining(how, kind),
        )
    arguments: tuple[Argument, ...] = (
        *(Int(), Int(), Pointer(raw), Pointer("int64"), Pointer(raw)),
        *(Ints(dims), Ints(dims), Ints(dims), Ints(dims), Int(), Int(), Int(), Int(), Pointer("int64")),
    )
    names: dict[str, Any] = {"place": zips.PLACE[dims], "at": zips.AT[dims], "read_a": read, "store": store}
    name = f"scatter_{how}_{kind.name}_{dims}d"
    return Kernel(name, kernels.scatter_lines, names, arguments)


def _plainly(pointer: Any, slot: Any) -> Any:
    return pointer[slot]


def scatter(
    how: str, out: Operand, index: Operand, a: Operand, size: Sizes, axis: int, length: int, dim: int = 0
) -> None:
    """Write `a` where `index` says along `axis`: ``out[index[i]] = a[i]``, or what `how` makes of both.

    Args:
        how: "set", "add", "multiply", "amax" or "amin".
        index: int64, of `size`; `a` has that size too (stride 0 for one number).
        length: how long `out` is along `axis`.
    """
    if 0 in size:
        return
    check_reach(((index, size), (a, size)))
    others = tuple(d for d in range(len(size)) if d != axis)
    strides = tuple(tuple(o.stride[d] for d in others) for o in (out, index, a))
    dims, walked, laid = _laid(tuple(size[d] for d in others), strides)
    kind = _dtype_of_width(out.dtype) if how == "set" else out.dtype
    lines = prod(walked)
    sizes = (walked, *laid, *(o.stride[axis] for o in (out, index, a)), length)
    kernel, counts = _scatter_kernel(how, kind, dims), (lines, size[axis])
    launch_kernel(kernel, counts, (out, index, a), sizes, threads=lines, guard=_out_of_bounds(dim))


def _dtype_of_width(kind: dtype) -> dtype:
    """The dtype that stands for all of its width where elements are only moved."""
    return getattr(dtypes, _BITS[kind.itemsize])  # type: ignore[no-any-return]


# -- numbers in a row, and triangles --------------------------------------------------------------------------------


@cache
def _count_kernel(out: dtype, compute: dtype, native: bool) -> Kernel:
    arguments: tuple[Argument, ...] = (
        *(Int(), Pointer(half.raw_name(out.name, native)), Int(), Int()),
        Numbers(compute.name, 3),
    )
    names = {"write": half.writer(compute, out, native), "numbers": half.identity}
    return Kernel(f"count_up_{out.name}_{compute.name}", kernels.count_up, names, arguments)


def count_up(out: Operand, length: int, first: Any, last: Any, step: Any) -> None:
    """Fill `out` with ``first + i * step``; if `last` is given, the second half is counted back from it."""
    if not length:
        return
    whole = all(isinstance(number, int) for number in (first, step)) and out.dtype.category < 2
    compute = dtypes.int64 if whole else dtypes.float64
    runner = runner_for(out.buffer)
    kernel = _count_kernel(out.dtype, compute, runner.native_half)
    counted_back = length // 2 if last is not None else length
    values = scalar_values((first, 0 if last is None else last, step), compute)
    layouts = (out.stride[0], counted_back, values)
    launch_kernel(kernel, (length,), (out,), layouts, threads=length)


@cache
def _triangle_kernel(width: int, dims: int) -> Kernel:
    raw = Pointer(_BITS[width])
    arguments: tuple[Argument, ...] = (
        *(Int(), raw, raw),
        *(Ints(dims), Ints(dims), Ints(dims), Int(), Int(), Int(), Int()),
    )
    names = {"place": zips.PLACE[dims], "at": zips.AT[dims], "zero": getattr(numpy, _BITS[width])(0)}
    return Kernel(f"triangle_{8 * width}bits_{dims}d", kernels.triangle, names, arguments)


def triangle(out: Operand, a: Operand, size: Sizes, diagonal: int, lower: bool) -> None:
    """Copy one side of a diagonal of the last two dimensions, and write zeros on the other."""
    if 0 in size:
        return
    check_reach(((out, size), (a, size)))
    if len(size) > MOST_DIMS:
        raise NotImplementedError(f"kernels cut triangles of up to {MOST_DIMS} dimensions, not {len(size)}")
    dims = len(size) if len(size) <= 4 else MOST_DIMS
    missing = dims - len(size)
    walked = (1,) * missing + size
    strides = tuple((0,) * missing + o.stride for o in (out, a))
    count = prod(size)
    layouts = (walked, *strides, size[-1], size[-2], diagonal, int(lower))
    launch_kernel(_triangle_kernel(out.dtype.itemsize, dims), (count,), (out, a), layouts, threads=count)
