"""Who runs a kernel: a GPU, this computer playing a GPU, or Python taking notes. One body, three runners.

A runner is given a `Kernel` and its arguments (integers, tuples of integers, tuples of numbers, pointers of
its own making) and sees to it that every thread has run.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any, Protocol

import numpy

from tensorkit.kernels.cuda import compile as compiler
from tensorkit.kernels.cuda.compile import Kernel, Numbers
from tensorkit.kernels.cuda.memory import EmulatedBuffer, GpuBuffer
from tensorkit.kernels.cuda.plan import Operand
from tensorkit.kernels.cuda.traced import Traced, TracedPointer, play

__all__ = [
    "EmulatedRunner",
    "GpuRunner",
    "Grid",
    "Runner",
    "TracedRunner",
    "flat",
]

Grid = tuple[int, int]
THREADS = 256  # of a block, on a GPU
BLOCKS_PER_UNIT = 16  # of a grid, for each multiprocessor: beyond that, threads stride
_playing = threading.Lock()  # `compiler.thread_state` plays one grid at a time


class Runner(Protocol):
    """What the launching code needs of a runner."""

    name: str
    native_half: bool

    def pointer(self, operand: Operand, first: int, raw: str) -> Any:
        """What the body is handed for an operand whose first element is element number `first`."""

    def launch(self, kernel: Kernel, arguments: tuple[Any, ...], count: int, index: int) -> Grid:
        """Run every thread on device `index`; returns the grid: blocks, and threads of each."""


def flat(arguments: tuple[Any, ...]) -> list[Any]:
    """The arguments as the machine sees them: tuples opened."""
    opened: list[Any] = []
    for argument in arguments:
        if isinstance(argument, tuple):
            opened.extend(argument)
        else:
            opened.append(argument)
    return opened


class EmulatedRunner:
    """Runs kernels on this computer's CPU, compiled by Numba.

    Args:
        blocks, threads: without them, one thread does the whole work, which is fast. With them, that many
        threads
            run one after the other, each with its own indices: what a GPU does, in slow motion.
    """

    name = "emulated"
    native_half = False

    def __init__(self, blocks: int = 0, threads: int = 0) -> None:
        self.grid: Grid | None = (blocks, threads) if blocks else None

    def pointer(self, operand: Operand, first: int, raw: str) -> int:
        buffer: EmulatedBuffer = operand.buffer
        return buffer._address + first * int(operand.dtype.itemsize)

    def launch(self, kernel: Kernel, arguments: tuple[Any, ...], count: int, index: int) -> Grid:
        call = compiler.host(kernel, self.grid is not None)
        values = flat(arguments)
        if self.grid is None:
            call(*values)
            return 1, 1
        state = compiler.thread_state
        blocks, threads = self.grid
        with _playing:
            for block in range(blocks):
                for thread in range(threads):
                    state[:] = [block, thread, blocks, threads]
                    call(*values)
        return self.grid


class TracedRunner:
    """Runs kernels in plain Python on an emulated device's memory and keeps what each launch touched.

    Attributes:
        launches: a `Traced` for each launch.
    """

    name = "traced"
    native_half = False

    def __init__(self, blocks: int = 3, threads: int = 4) -> None:
        self.blocks, self.threads = blocks, threads
        self.launches: list[Traced] = []

    def pointer(self, operand: Operand, first: int, raw: str) -> TracedPointer:
        buffer: EmulatedBuffer = operand.buffer
        whole = buffer._bytes[: buffer.nbytes // operand.dtype.itemsize * operand.dtype.itemsize]
        return TracedPointer("", whole.view(raw), first)

    def launch(self, kernel: Kernel, arguments: tuple[Any, ...], count: int, index: int) -> Grid:
        typed = tuple(
            tuple(numpy.dtype(kind.kind).type(value) for value in argument)
            if isinstance(kind, Numbers)
            else argument
            for kind, argument in zip(kernel.arguments, arguments, strict=True)
        )
        self.launches.append(play(kernel.body, kernel.names, typed, self.blocks, self.threads))
        return self.blocks, self.threads


class GpuRunner:
    """Runs kernels on NVIDIA GPUs: machine code from `compile.cubin`, launched through ``cuda.core``."""

    name = "gpu"
    native_half = True

    def __init__(self) -> None:
        from cuda.core import Device, LaunchConfig, launch

        self._device = lru_cache(maxsize=None)(Device)
        self._config = lru_cache(maxsize=1024)(lambda blocks: LaunchConfig(grid=blocks, block=THREADS))
        self._launch = launch
        self._loaded: dict[tuple[Kernel, tuple[int, int]], Any] = {}

    def pointer(self, operand: Operand, first: int, raw: str) -> int:
        buffer: GpuBuffer = operand.buffer
        return buffer.address + first * int(operand.dtype.itemsize)

    def launch(self, kernel: Kernel, arguments: tuple[Any, ...], count: int, index: int) -> Grid:
        device = self._device(index)
        device.set_current()
        most = device.properties.multiprocessor_count * BLOCKS_PER_UNIT
        blocks = min(-(-count // THREADS), most)
        values = flat(_machine_numbers(kernel, arguments))
        self._launch(device.default_stream, self._config(blocks), self._code(kernel, device), *values)
        return blocks, THREADS

    def _code(self, kernel: Kernel, device: Any) -> Any:
        capability = device.compute_capability
        key = kernel, (int(capability[0]), int(capability[1]))
        loaded = self._loaded.get(key)
        if loaded is None:
            from cuda.core import ObjectCode

            code = ObjectCode.from_cubin(compiler.cubin(*key), name=kernel.name)
            loaded = self._loaded[key] = code.get_kernel(kernel.name)
        return loaded


def _machine_numbers(kernel: Kernel, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """``cuda.core`` reads a Python int as 64 bits and a float as a double; the other types must be named."""
    return tuple(
        tuple(numpy.dtype(kind.kind).type(value) for value in argument)
        if isinstance(kind, Numbers) and kind.kind != "int64"
        else argument
        for kind, argument in zip(kernel.arguments, arguments, strict=True)
    )
