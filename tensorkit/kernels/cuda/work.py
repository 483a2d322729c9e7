"""One operation's launches on a device: each piece of a zip, told to the listeners as one kernel."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tensorkit import dtypes, tracing
from tensorkit.kernels.cuda.compile import Kernel
from tensorkit.kernels.cuda.families import Zip, zip_kernel
from tensorkit.kernels.cuda.half import raw_name
from tensorkit.kernels.cuda.plan import Operand, Piece, pieces
from tensorkit.kernels.cuda.runners import Grid, Runner

__all__ = ["Work", "as_bits"]

Ints = tuple[int, ...]

_BITS = {1: dtypes.uint8, 2: dtypes.uint16, 4: dtypes.uint32, 8: dtypes.uint64}


def as_bits(operand: Operand) -> Operand:
    """A copy without a cast moves bits: one kernel a width serves all dtypes, and a nan stays as it is."""
    kind = _BITS.get(operand.dtype.itemsize, operand.dtype)
    return operand._replace(dtype=kind)


@lru_cache(maxsize=4096)
def _prepare(
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
        for piece, kernel in _prepare(spec, size, strides, self.runner.native_half):
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
        return runner.launch(kernel, arguments, piece.elements, self.index, buffers)

    def tell(self) -> None:
        """Hand what was launched to the listeners."""
        if not tracing.active:
            return
        for kernel, (grid, block) in self.launched:
            name, where = self.name or kernel, f"cuda:{self.index}"
            tracing.emit(tracing.LaunchEvent(name, (grid,), (block,), where, self.runner.name))
