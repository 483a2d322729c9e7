"""Launching products: which of the two kernels, with tiles of which size.

>>> from tensorkit import dtypes
>>> _tile(dtypes.float32, True, False)
_Tile(height=128, width=128, depth=16, down=8, across=8, pad=2)
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy

from tensorkit import dtypes
from tensorkit.dtypes import dtype
from tensorkit.kernels.cuda import half
from tensorkit.kernels.cuda import kernels as zips
from tensorkit.kernels.cuda.compile import Argument, Int, Ints, Kernel, Numbers, Pointer
from tensorkit.kernels.cuda.emulator import runner_for
from tensorkit.kernels.cuda.families import scalar_values
from tensorkit.kernels.cuda.launch import check_reach, launch_kernel
from tensorkit.kernels.cuda.plan import Operand
from tensorkit.kernels.cuda.products import kernels
from tensorkit.kernels.cuda.rowwise.reduce import add, as_dtype, through, wide_total
from tensorkit.kernels.cuda.rowwise.reduce_kernels import WIDTH as THREADS
from tensorkit.kernels.cuda.rowwise.reduce_kernels import tree_of


class Sizes(NamedTuple):
    """A product of batches: ``batches × rows × inner`` times ``batches × inner × columns``."""

    batches: int
    rows: int
    columns: int
    inner: int

    def __str__(self) -> str:
        return f"{self.batches} x ({self.rows} x {self.inner} @ {self.inner} x {self.columns})"


class _Tile(NamedTuple):
    """How the work is cut: see ``products.kernels``. `pad` is how much longer a line of shared memory is."""

    height: int
    width: int
    depth: int
    down: int
    across: int
    pad: int

    def names(self) -> dict[str, int]:
        """The constants that the body is handed."""
        line_a, line_b = self.height + self.pad, self.width + self.pad
        return {
            "HEIGHT": self.height,
            "WIDTH": self.width,
            "DEPTH": self.depth,
            "DOWN": self.down,
            "ACROSS": self.across,
            "PARTS_DOWN": self.height // self.down,
            "PARTS_ACROSS": self.width // self.across,
            "LINE_A": line_a,
            "LINE_B": line_b,
            "ROOM_A": self.depth * line_a,
            "ROOM_B": self.depth * line_b,
            "SUMS": self.down * self.across,
        }


#: On a GPU 256 threads: 64 sums of 32 bits each, or 16 of more, which leaves registers for two blocks at a time.
_ON_GPU, _ON_GPU_WIDE = _Tile(128, 128, 16, 8, 8, 2), _Tile(64, 64, 8, 4, 4, 2)
#: One thread that does all the work keeps the sums of a whole tile, in what is near to it.
_OF_ONE_THREAD = _Tile(64, 64, 64, 64, 64, 0)
#: A few threads, which are watched or run in slow motion.
_OF_A_FEW_THREADS = _Tile(8, 8, 4, 2, 2, 1)


def _tile(compute: dtype, native: bool, alone: bool) -> _Tile:
    if alone:
        return _OF_ONE_THREAD
    if not native:
        return _OF_A_FEW_THREADS
    return _ON_GPU if compute.itemsize == 4 else _ON_GPU_WIDE


def _numbers(compute: dtype) -> Argument:
    """alpha and beta, as arguments."""
    if compute.is_complex:
        return Numbers(compute.to_real().name, 4)
    return Numbers(compute.name, 2)


def _shared(kind: dtype, compute: dtype, native: bool) -> dict[str, Any]:
    """What both bodies are handed."""
    number = getattr(numpy, compute.name)
    read = half.reader(kind, compute, native)
    return {
        "read_a": read,
        "read_b": read,
        "read_base": read,
        "write": half.writer(compute, kind, native),
        "numbers": half.pairs(compute, 2),
        "kind": number,
        "zero": number(0),
    }


@cache
def _tiled(kind: dtype, compute: dtype, native: bool, alone: bool) -> Kernel:
    raw = Pointer(half.raw_name(kind.name, native))
    tile = _tile(compute, native, alone)
    names = _shared(kind, compute, native) | tile.names() | {"at": zips.at_3}
    zero = names["zero"]
    # Functions of their own see no names but those of their module: they are made for this kernel.
    names["bring_a"] = kernels.bringing(
        names["read_a"], zero, tile.height, tile.depth, tile.height + tile.pad
    )
    names["bring_b"] = kernels.bringing(names["read_b"], zero, tile.width, tile.depth, tile.width + tile.pad)
    arguments = (*(Int(),) * 4, *(raw,) * 4, *(Ints(3),) * 4, *(Int(),) * 3, _numbers(compute))
    return Kernel(f"matmul_tiles_{kind.name}", kernels.multiply_tiles, names, arguments)


@cache
def _by_rows(kind: dtype, compute: dtype, native: bool) -> Kernel:
    raw = Pointer(half.raw_name(kind.name, native))
    names = _shared(kind, compute, native) | {"at": zips.at_2, "tree": tree_of(add), "THREADS": THREADS}
    arguments = (*(Int(),) * 3, *(raw,) * 4, *(Ints(2), Ints(3), Ints(2), Ints(2)), Int(), _numbers(compute))
    return Kernel(f"matmul_rows_{kind.name}", kernels.dot_rows, names, arguments)


def _computed(kind: dtype) -> dtype:
    """What products of a dtype are computed in: 16-bit numbers as float32, whole numbers in 64 bits."""
    found: dtype = getattr(dtypes, half.math_name(kind))
    return found


def _turned(operand: Operand) -> Operand:
    """The same matrices with their rows and columns exchanged."""
    batch, row, column = operand.stride
    return operand._replace(stride=(batch, column, row))


def multiply(
    out: Operand,
    a: Operand,
    b: Operand,
    sizes: Sizes,
    base: Operand | None = None,
    alpha: Any = 1,
    beta: Any = 1,
) -> None:
    """``out = alpha * (a @ b)``, or ``+ beta * base``: pair by pair of two batches of matrices.

    Args:
        out, a, b, base: of one dtype, each with three strides: of the batch, the rows and the columns. `out` must not
            overlap the others, nor itself.
        sizes: without elements, nothing is done; an empty inner dimension gives zeros.
        alpha, beta: numbers of the dtype that is computed in.

    Raises:
        RuntimeError: when an operand's layout leaves its buffer.
    """
    batches, rows, columns, inner = sizes
    if 0 in (batches, rows, columns):
        return
    full = (batches, rows, columns)
    check_reach(((out, full), (a, (batches, rows, inner)), (b, (batches, inner, columns))))
    if base is not None:
        check_reach(((base, full),))
    if rows == 1 < columns:
        turned = None if base is None else _turned(base)
        flipped = Sizes(batches, columns, 1, inner)
        multiply(_turned(out), _turned(b), _turned(a), flipped, turned, alpha, beta)
        return
    native, alone = _runner_is(out)
    compute = _computed(out.dtype)
    if columns == 1:
        compute = wide_total(compute, native)
    if alone and out.dtype is not compute:
        a, b = as_dtype(a, compute, (batches, rows, inner)), as_dtype(b, compute, (batches, inner, columns))
        base = None if base is None else as_dtype(base, compute, full)
        through(out, compute, full, lambda made: multiply(made, a, b, sizes, base, alpha, beta))
        return
    values = scalar_values((alpha, beta), compute)
    _launch(out, a, b, sizes, base, compute, values)


def _runner_is(out: Operand) -> tuple[bool, bool]:
    """Whether a GPU runs the kernels, and whether one thread of this computer does."""
    runner = runner_for(out.buffer)
    return runner.native_half, runner.apart


def _launch(
    out: Operand, a: Operand, b: Operand, sizes: Sizes, base: Operand | None, compute: dtype, values: Any
) -> None:
    native, alone = _runner_is(out)
    batches, rows, columns, inner = sizes
    under = out if base is None else base
    added = int(base is not None)
    if columns == 1:
        kernel = _by_rows(out.dtype, compute, native)
        vectors = (out.stride[:2], a.stride, b.stride[:2], under.stride[:2])
        counts, blocks = (batches, rows, inner), batches * rows
        launch_kernel(kernel, counts, (out, a, b, under), (*vectors, added, values), blocks=blocks)
        return
    tile = _tile(compute, native, alone)
    strides = (out.stride, a.stride, b.stride, under.stride)
    layouts = (*strides, _is_side_by_side(a, 1), _is_side_by_side(b, 2), added, values)
    blocks = batches * -(-rows // tile.height) * -(-columns // tile.width)
    kernel = _tiled(out.dtype, compute, native, alone)
    launch_kernel(kernel, tuple(sizes), (out, a, b, under), layouts, blocks=blocks)


def _is_side_by_side(operand: Operand, direction: int) -> int:
    """Whether neighbours of that direction are neighbours in memory, rather than those of the other one."""
    along, across = abs(operand.stride[direction]), abs(operand.stride[3 - direction])
    return int(along == 1 or across != 1)
