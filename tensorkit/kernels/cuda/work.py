"""One operation's launches on a device, told to the listeners as one kernel; on an emulated device, in steps.

A GPU's kernel is fused: it reads each operand where it lies and as what it is stored. Compiled on this computer, that
would be a kernel for every body, every dtype and every number of dimensions. Here operands that are not in rows of the
type that is computed with are brought there first, by copies that all bodies share; the body runs over rows; and what
it gives is brought to its place in the same way. The numbers are the same: what the fused kernel rounds is rounded by
the copy. The listeners hear of the one kernel that a GPU would run.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.dtypes import dtype
from tensorkit.kernels.cuda import told
from tensorkit.kernels.cuda.compile import Kernel
from tensorkit.kernels.cuda.families import Zip, kernel_name, zip_kernel
from tensorkit.kernels.cuda.half import identity, math_name, raw_name
from tensorkit.kernels.cuda.kernels import ZIPS
from tensorkit.kernels.cuda.plan import Operand, Piece, is_row_major, pieces, row_major
from tensorkit.kernels.cuda.runners import EmulatedRunner, Grid, Launch, Runner
from tensorkit.kernels.sizes import FUSED_ON_HOST

Ints = tuple[int, ...]

_BITS = {1: dtypes.uint8, 2: dtypes.uint16, 4: dtypes.uint32, 8: dtypes.uint64}


def as_bits(operand: Operand) -> Operand:
    """A copy without a cast moves bits: one kernel a width serves all dtypes, and a nan stays as it is."""
    kind = _BITS.get(operand.dtype.itemsize, operand.dtype)
    return operand._replace(dtype=kind)


@lru_cache(maxsize=4096)
def prepare(
    spec: Zip, size: Ints, strides: tuple[Ints, ...], native_half: bool
) -> tuple[tuple[Piece, Kernel], ...]:
    """Which launches, and of which kernel: the same question comes again and again in a loop."""
    return tuple(
        (piece, zip_kernel(spec._replace(dims=piece.dims), native_half)) for piece in pieces(size, strides)
    )


class Work:
    """The launches of one operation.

    Args:
        runner: who runs them.
        index: the device. streams: its queues, where it is emulated.
    """

    __slots__ = ("index", "launched", "name", "runner", "streams")

    def __init__(self, runner: Runner, index: int, streams: Any = None) -> None:
        self.streams = streams
        self.runner, self.index = runner, index
        self.launched: list[tuple[str, Grid]] = []
        self.name = ""  # of the one kernel that a GPU would run, if it is not the one that was run here

    def zip(
        self,
        spec: Zip,
        operands: tuple[Operand, ...],
        size: Ints,
        values: tuple[Any, ...] = (),
        told: bool = True,
    ) -> None:
        """Run one kernel of the family, in as many pieces as its dimensions need.

        Args:
            operands: the output, then the inputs. values: the scalars.
            told: whether the listeners are to hear of it.
        """
        strides = tuple(operand.stride for operand in operands)
        for piece, kernel in prepare(spec, size, strides, self.runner.native_half):
            grid = self._launch(kernel, operands, piece, values)
            if told:
                self.launched.append((kernel.name, grid))

    def _launch(
        self, kernel: Kernel, operands: tuple[Operand, ...], piece: Piece, values: tuple[Any, ...]
    ) -> Grid:
        runner = self.runner
        pointers = tuple(
            runner.pointer(operand, operand.offset + extra, raw_name(operand.dtype.name, runner.native_half))
            for operand, extra in zip(operands, piece.offsets, strict=True)
        )
        arguments = (piece.elements, *pointers, piece.size, *piece.strides, values)
        buffers = [operand.buffer for operand in operands]
        return runner.launch(Launch(kernel, arguments, self.index, buffers, piece.elements))

    def tell(self, operands: tuple[Operand, ...], size: Ints) -> None:
        """Hand what was launched to the listeners."""
        if not tracing.active:
            return
        names = [self.name or kernel for kernel, _ in self.launched]
        for name, (_, (grid, block)) in zip(names, self.launched, strict=True):
            where = f"cuda:{self.index}"
            tracing.emit(tracing.LaunchEvent(name, (grid,), (block,), where, self.runner.name))
        told.tell_all("kernel", names, operands[0].buffer, nbytes=told.touched(operands, size))


# -- in steps ------------------------------------------------------------------------------------------------------


class Scratch:
    """Bytes of this computer that emulate a GPU's registers: no statistics count them."""

    __slots__ = ("__weakref__", "_bytes", "address", "index", "nbytes", "stream", "streams")

    def __init__(self, nbytes: int, index: int, streams: Any) -> None:
        self._bytes = numpy.empty(nbytes, numpy.uint8)
        self.address: int = self._bytes.__array_interface__["data"][0]
        self.nbytes, self.index = nbytes, index
        self.streams, self.stream = streams, None


def _computed(kind: dtype, wide: bool = False) -> dtype:
    """The dtype that numbers of `kind` are computed as."""
    if wide and kind.category > 1:
        return dtypes.complex128 if kind.is_complex else dtypes.float64
    found: dtype = getattr(dtypes, math_name(kind))
    return found


def _dims(size: Ints, operands: tuple[Operand, ...]) -> int:
    return _dims_of(size, tuple(operand.stride for operand in operands))


@lru_cache(maxsize=4096)
def _dims_of(size: Ints, strides: tuple[Ints, ...]) -> int:
    return next(pieces(size, strides)).dims


def is_staged(spec: Zip, operands: tuple[Operand, ...], size: Ints, runner: EmulatedRunner) -> bool:
    """Whether a zip goes by steps; a grid of threads plays the kernel as a GPU would run it."""
    if runner.grid is not None or prod(size) >= FUSED_ON_HOST:
        return False
    kinds = (spec.result or spec.out, *spec.computes)
    if spec.scalars and len(operands) + spec.scalars <= len(ZIPS):
        return True
    if any(
        o.dtype is not kind or _computed(kind, spec.wide) is not kind
        for o, kind in zip(operands, kinds, strict=True)
    ):
        return True
    return _dims(size, operands) > 0


def run_staged(
    work: Work, spec: Zip, operands: tuple[Operand, ...], size: Ints, values: tuple[float, ...]
) -> None:
    """Bring the inputs into rows, compute, bring the result to its place."""
    out, *inputs = operands
    count = prod(size)
    rows = [
        _in_rows(work, operand, kind, _computed(kind, spec.wide), size, count)
        for operand, kind in zip(inputs, spec.computes, strict=True)
    ]
    number = _computed(spec.number or spec.main, spec.wide)
    values = _with_numbers(rows, spec, number, values, count, work)
    result = spec.result or spec.out
    wide = _computed(result, spec.wide)
    target = out if out.dtype is wide and result is wide and is_row_major(out, size) else None
    made = _scratch(wide, count, work) if target is None else _row(target)
    plain = Zip(
        spec.scalar,
        wide,
        tuple(row.dtype for row in rows),
        tuple(row.dtype for row in rows),
        0,
        len(values) // (2 if number.is_complex else 1),
        None,
        number,
        spec.pattern if values else "",
        False,
        spec.name,
    )
    work.zip(plain, (made, *rows), (count,), values)
    work.name = kernel_name(spec._replace(dims=_dims(size, operands)))
    if target is None:
        _put(work, made, result, out, size, count)


def _with_numbers(
    rows: list[Operand], spec: Zip, kind: dtype, values: tuple[float, ...], count: int, work: Work
) -> tuple[float, ...]:
    """Put each number into a row of its own, so that one kernel serves tensors and numbers; what is left of them."""
    if len(rows) + spec.scalars >= len(ZIPS):
        return values
    numbers = (
        [complex(*pair) for pair in zip(values[::2], values[1::2], strict=True)]
        if kind.is_complex
        else [*values]
    )
    pattern = spec.pattern or "t" * len(rows) + "n" * len(numbers)
    elements, given = list(rows), iter(numbers)
    rows.clear()
    for letter in pattern:
        if letter == "t":
            rows.append(elements.pop(0))
            continue
        row = _scratch(kind, count, work)
        row.buffer._bytes.view(kind.numpy)[...] = next(given)
        rows.append(row)
    return ()


def _row(operand: Operand) -> Operand:
    return operand._replace(stride=(1,))


def _scratch(kind: dtype, count: int, work: Work) -> Operand:
    return Operand(Scratch(count * kind.itemsize, work.index, work.streams), kind, (1,))


def _in_rows(work: Work, operand: Operand, kind: dtype, wide: dtype, size: Ints, count: int) -> Operand:
    """The elements of an operand as `kind` holds them: in one row, as the type that is computed with."""
    if not is_row_major(operand, size):
        gathered = _scratch(operand.dtype, count, work)
        _move(work, gathered._replace(stride=row_major(size)), operand, size)
        operand = gathered
    operand = _row(operand)
    if operand.dtype is not kind:
        operand = _cast(work, operand, kind, count)
    return operand if wide is kind else _cast(work, operand, wide, count)


def _put(work: Work, made: Operand, result: dtype, out: Operand, size: Ints, count: int) -> None:
    if made.dtype is not result:
        made = _cast(work, made, result, count)
    if made.dtype is not out.dtype:
        made = _cast(work, made, out.dtype, count)
    _move(work, out, made._replace(stride=row_major(size)), size)


def _move(work: Work, target: Operand, source: Operand, size: Ints) -> None:
    target, source = as_bits(target), as_bits(source)
    work.zip(_copying(target.dtype, source.dtype), (target, source), size, (), False)


def _cast(work: Work, source: Operand, kind: dtype, count: int) -> Operand:
    made = _scratch(kind, count, work)
    work.zip(_copying(kind, source.dtype), (made, source), (count,), (), False)
    return made


def _copying(kind: dtype, source: dtype) -> Zip:
    return Zip(identity, kind, (source,), kind, 0, 0)
