"""Launching the kernels that sort and search. All operands here are row-major."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.kernels.cuda.compile import Argument, Int, Kernel, Pointer
from tensorkit.kernels.cuda.emulator import runner_for
from tensorkit.kernels.cuda.launch import check_reach, copy, launch_kernel
from tensorkit.kernels.cuda.plan import Operand
from tensorkit.kernels.cuda.rowwise.reduce import empty_like
from tensorkit.kernels.cuda.sorting import kernels

#: How many elements a block of 256 threads sorts, and one thread or a few.
_SORTED_BY_A_BLOCK, _SORTED_BY_ONE = 1024, 16
#: How many elements of a merged run one thread writes: on a GPU, and on the host.
_WRITTEN_ON_GPU, _WRITTEN_ON_HOST = 8, 16

_WHOLE = Pointer("int64")


def _kernel(
    name: str, body: Any, integers: int, pointers: tuple[str, ...], more: int = 0, **names: Any
) -> Kernel:
    arguments: tuple[Argument, ...] = (
        *(Int(),) * integers,
        *(Pointer(kind) for kind in pointers),
        *(Int(),) * more,
    )
    return Kernel(name, body, names, arguments)


_MAKE_KEYS = _kernel("sort_keys", kernels.make_keys, 1, ("int64",) * 2, 3)
_MERGE = _kernel("sort_merge", kernels.merge_runs, 5, ("int64",) * 4)
_MIDDLE = _kernel("sort_middle", kernels.choose_middle, 2, ("int64",) * 3, 2)
_MODE = _kernel("sort_mode", kernels.choose_mode, 2, ("int64",) * 3, 1)
_MARK = _kernel("sort_runs", kernels.mark_runs, 1, ("int64",) * 2, 1)


@cache
def _chunks(room: int) -> Kernel:
    return _kernel("sort_chunks", kernels.sort_chunks, 4, ("int64",) * 2, CHUNK=room)


@cache
def _bisect(kind: str) -> Kernel:
    return _kernel(f"search_{kind}", kernels.bisect_rows, 3, ("int64", kind, kind), 2)


@cache
def _sums(kind: str) -> Kernel:
    start = getattr(numpy, kind)(0)
    return _kernel(
        f"sum_segments_{kind}", kernels.sum_segments, 1, (kind, "int64", "int64", kind), start=start
    )


def _bits(operand: Operand) -> Operand:
    return operand._replace(dtype=dtypes.int64)


def make_keys(keys: Operand, a: Operand, count: int, falling: bool = False) -> None:
    """Write the key of each element of `a` (int64, uint64 or float64) into `keys` (int64)."""
    if count:
        check_reach(((keys, (count,)), (a, (count,))))
        floating, unsigned = a.dtype.is_floating_point, a.dtype is dtypes.uint64
        flags = (int(floating), int(unsigned), int(falling))
        launch_kernel(_MAKE_KEYS, (count,), (keys, _bits(a)), flags, threads=count)


def sort_rows(keys: Operand, order: Operand, rows: int, columns: int) -> None:
    """Sort each row of keys, stably, and write down the index of each."""
    count = rows * columns
    if not count:
        return
    check_reach(((keys, (count,)), (order, (count,))))
    native = runner_for(keys.buffer).native_half
    most = _SORTED_BY_A_BLOCK if native else _SORTED_BY_ONE
    room = min(most, 1 << (columns - 1).bit_length())
    chunks = -(-columns // room)
    launch_kernel(_chunks(most), (rows, columns, chunks, room), (keys, order), (), blocks=rows * chunks)
    if chunks > 1:
        _merge(keys, order, rows, columns, room, _WRITTEN_ON_GPU if native else _WRITTEN_ON_HOST)


def _merge(keys: Operand, order: Operand, rows: int, columns: int, run: int, width: int) -> None:
    """Merge sorted runs until one is left, to and fro between the operands and what they are merged into."""
    here = (keys, order)
    there = (empty_like(keys, dtypes.int64, (rows, columns)), empty_like(keys, dtypes.int64, (rows, columns)))
    slices = -(-columns // width)
    while run < columns:
        counts = (rows, columns, slices, width, run)
        launch_kernel(_MERGE, counts, (*here, *there), (), threads=rows * slices)
        here, there = there, here
        run *= 2
    if here[0] is not keys:
        for source, target in zip(here, there, strict=True):
            copy(target._replace(stride=(1,)), source._replace(stride=(1,)), (rows * columns,))


def choose_middle(
    found: Operand, keys: Operand, order: Operand, rows: int, columns: int, floating: bool, ignoring: bool
) -> None:
    """The index of each sorted row's lower median; `ignoring`: nan is left out."""
    check_reach(((found, (rows,)), (keys, (rows * columns,)), (order, (rows * columns,))))
    launch_kernel(
        _MIDDLE, (rows, columns), (found, keys, order), (int(floating), int(ignoring)), threads=rows
    )


def choose_mode(
    found: Operand, keys: Operand, order: Operand, rows: int, columns: int, floating: bool
) -> None:
    """The last index of each sorted row's most frequent element, the smallest of several."""
    check_reach(((found, (rows,)), (keys, (rows * columns,)), (order, (rows * columns,))))
    launch_kernel(_MODE, (rows, columns), (found, keys, order), (int(floating),), threads=rows)


def mark_runs(marks: Operand, keys: Operand, count: int, floating: bool) -> None:
    """1 where a run of equal keys begins, 0 elsewhere."""
    if count:
        check_reach(((marks, (count,)), (keys, (count,))))
        launch_kernel(_MARK, (count,), (marks, keys), (int(floating),), threads=count)


def search(
    found: Operand, edges: Operand, a: Operand, rows: int, asked: int, columns: int, shared: bool, right: bool
) -> None:
    """For each number of `a` the place in its row of `edges`, both int64 or both float64.

    Args:
        rows, asked: how many rows of numbers, of how many. columns: of a row of edges.
        shared: whether there is one row of edges for all.
    """
    if not rows * asked:
        return
    check_reach(
        ((found, (rows * asked,)), (a, (rows * asked,)), (edges, ((1 if shared else rows) * columns,)))
    )
    counts, step = (rows, asked, columns), 0 if shared else columns
    kernel = _bisect(a.dtype.name)
    launch_kernel(kernel, counts, (found, edges, a), (step, int(right)), threads=prod((rows, asked)))


def sum_segments(out: Operand, ends: Operand, order: Operand, a: Operand, count: int, many: int) -> None:
    """Add up segments of ``a[order]``: segment i ends before place ``ends[i]``.

    Args:
        out, a: of float32 or float64 alike. count: of segments. many: elements.
    """
    if count:
        check_reach(((out, (count,)), (ends, (count,)), (order, (many,)), (a, (many,))))
        launch_kernel(_sums(out.dtype.name), (count,), (out, ends, order, a), (), threads=count)
