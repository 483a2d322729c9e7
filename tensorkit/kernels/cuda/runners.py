"""What runs a kernel: a GPU, this computer emulating one, or Python taking notes. One body, three runners.

A runner is given a `Kernel` and its arguments (integers, tuples of integers, tuples of numbers, pointers of
its own making) and sees to it that every thread has run.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy

from tensorkit import tracing
from tensorkit.kernels.cuda import compile as compiler
from tensorkit.kernels.cuda import host_cuda, told
from tensorkit.kernels.cuda.compile import Kernel, Numbers
from tensorkit.kernels.cuda.faults import Fault
from tensorkit.kernels.cuda.gpu.memory import GpuBuffer
from tensorkit.kernels.cuda.gpu.streams import as_pytorch_says, gpu_streams
from tensorkit.kernels.cuda.memory import EmulatedBuffer
from tensorkit.kernels.cuda.plan import Operand
from tensorkit.kernels.cuda.streams import enqueue, wait_for
from tensorkit.kernels.cuda.traced import KernelTrace, TracedPointer, play

Grid = tuple[int, int]
Ready = Callable[[list[Any], Sequence[Any]], None]
THREADS = 256  # of a block, on a GPU
BLOCKS_PER_UNIT = 16  # of a grid, for each multiprocessor: beyond that, threads stride


class Launch(NamedTuple):
    """One launch, as a runner gets it.

    Attributes:
        kernel: what to run. arguments: what it takes, without the place for an index out of range.
        device: its number. buffers: those that the arguments point into.
        threads: how many have something to do. blocks: or how many blocks, of all whose threads one needs.
        guard: of a kernel that follows indices, the message for one out of range, with places for it and the size.
    """

    kernel: Kernel
    arguments: tuple[Any, ...]
    device: int
    buffers: Sequence[Any]
    threads: int
    blocks: int = 0
    guard: str = ""


class Runner(Protocol):
    """What the launching code needs of a runner."""

    name: str
    native_half: bool
    apart: bool  # whether operands are converted first, so that few kernels have to be compiled

    def pointer(self, operand: Operand, first: int, raw: str) -> Any:
        """What the body is handed for an operand whose first element is element number `first`."""

    def launch(self, asked: Launch) -> Grid:
        """Give the kernel to the current stream of its device; returns the grid: blocks, and threads of each."""

    def typed(self, kernel: Kernel, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, numbers as the machine code takes them."""

    def ready(self, kernel: Kernel, threads: int, device: int) -> Ready | None:
        """A function that launches a kernel, given its arguments and buffers; None where each launch is traced."""

    def parts(self, rows: int, columns: int) -> int:
        """Into how many parts a reduction cuts each row, so that all of the device has something to do."""


def flat(arguments: tuple[Any, ...]) -> list[Any]:
    """The arguments as the machine sees them: tuples opened."""
    opened: list[Any] = []
    for argument in arguments:
        if isinstance(argument, tuple):
            opened.extend(argument)
        else:
            opened.append(argument)
    return opened


def _cut(rows: int, columns: int, blocks: int, width: int) -> int:
    """The number of parts of a row that gives all blocks work, at least `width` elements each."""
    return max(1, min(blocks // max(rows, 1), columns // width))


def _check_guard(guard: str, words: Any) -> None:
    """Report an index out of range that a kernel wrote down as a GPU would: by an assert.

    Raises:
        Fault: when there was one.
    """
    if guard and words[0]:
        raise Fault("device-side assert triggered", guard.format(words[1], words[2]))


class EmulatedRunner:
    """Runs kernels on this computer's CPU, compiled by Numba.

    Args:
        blocks, threads: without them, one thread does the whole work, which is fast. With them, that many threads run,
            each with its own indices: what a GPU does, in slow motion.
    """

    name = "emulated"
    native_half = False

    def __init__(self, blocks: int = 0, threads: int = 0) -> None:
        self.grid: Grid | None = (blocks, threads) if blocks else None
        self.apart = self.grid is None

    def pointer(self, operand: Operand, first: int, raw: str) -> int:
        buffer: EmulatedBuffer = operand.buffer
        return buffer.address + first * int(operand.dtype.itemsize)

    def launch(self, asked: Launch) -> Grid:
        call = compiler.host(asked.kernel, self.grid is not None)
        values, words = flat(asked.arguments), (ctypes.c_int64 * 3)()
        if asked.guard:
            values.append(ctypes.addressof(words))
        blocks, threads = grid = self.grid or (1, 1)

        def work() -> None:
            if self.grid is None:
                call(*values)
            else:
                host_cuda.run_grid(call, values, blocks, threads, asked.kernel.waits)
            _check_guard(asked.guard, words)

        enqueue(work, asked.buffers)
        return grid

    def typed(self, kernel: Kernel, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        return arguments

    def ready(self, kernel: Kernel, threads: int, device: int) -> Ready | None:
        if self.grid is not None:
            return None
        call = compiler.host(kernel, False)
        return lambda values, buffers: enqueue(lambda: call(*values), buffers)

    def parts(self, rows: int, columns: int) -> int:
        return 1 if self.grid is None else _cut(rows, columns, self.grid[0], self.grid[1])


class TracedRunner:
    """Runs kernels in plain Python on an emulated device's memory and keeps what each launch touched.

    Attributes:
        launches: a `KernelTrace` for each launch.
    """

    name = "traced"
    native_half = False
    apart = False

    def __init__(self, blocks: int = 3, threads: int = 4) -> None:
        self.blocks, self.threads = blocks, threads
        self.launches: list[KernelTrace] = []

    def pointer(self, operand: Operand, first: int, raw: str) -> TracedPointer:
        buffer: EmulatedBuffer = operand.buffer
        whole = buffer._bytes[: buffer.nbytes // operand.dtype.itemsize * operand.dtype.itemsize]
        return TracedPointer("", whole.view(raw), first)

    def launch(self, asked: Launch) -> Grid:
        typed = tuple(
            tuple(numpy.dtype(kind.kind).type(value) for value in argument)
            if isinstance(kind, Numbers)
            else argument
            for kind, argument in zip(asked.kernel.arguments, asked.arguments, strict=not asked.guard)
        )
        for buffer in asked.buffers:
            wait_for(buffer)
        words = numpy.zeros(3, numpy.int64)
        if asked.guard:
            typed = (*typed, TracedPointer("fault", words, 0))
        body, names = asked.kernel.body, asked.kernel.names
        self.launches.append(play(body, names, typed, self.blocks, self.threads))
        _check_guard(asked.guard, words)
        return self.blocks, self.threads

    def typed(self, kernel: Kernel, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        return arguments

    def ready(self, kernel: Kernel, threads: int, device: int) -> Ready | None:
        return None

    def parts(self, rows: int, columns: int) -> int:
        return _cut(rows, columns, self.blocks, self.threads)


class GpuRunner:
    """Runs kernels on NVIDIA GPUs: machine code from `compile.cubin`, launched through ``cuda.core``."""

    name = "gpu"
    native_half = True
    apart = False

    def __init__(self) -> None:
        from cuda.core import LaunchConfig, launch

        self._config = lru_cache(maxsize=1024)(lambda blocks: LaunchConfig(grid=blocks, block=THREADS))
        self._launch = launch
        self._streams = gpu_streams
        self._loaded: dict[tuple[Kernel, int], Any] = {}  # per device

    def pointer(self, operand: Operand, first: int, raw: str) -> int:
        buffer: GpuBuffer = operand.buffer
        return buffer.address + first * int(operand.dtype.itemsize)

    def launch(self, asked: Launch) -> Grid:
        streams = self._streams(asked.device)
        device = streams.select()
        wanted = asked.blocks or -(-asked.threads // THREADS)
        blocks = min(wanted, streams.most_blocks(BLOCKS_PER_UNIT))
        values = flat(self.typed(asked.kernel, asked.arguments))
        if asked.guard:
            values.append(streams.guard_words(asked.guard))
        code = self._loaded.get((asked.kernel, asked.device)) or self._load(
            asked.kernel, asked.device, device
        )
        stream = streams.current()
        begun = told.begin(stream) if tracing.active else None
        try:
            self._launch(stream.core, self._config(blocks), code, *values)
        except Exception as error:
            raise as_pytorch_says(error) from error
        if begun is not None:
            told.end(stream, begun)
        return blocks, THREADS

    def typed(self, kernel: Kernel, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """``cuda.core`` reads a Python int as 64 bits and a float as a double; the other types must be named."""
        named = _named_numbers(kernel)
        if not named:
            return arguments
        values = list(arguments)
        for place, kind in named:
            values[place] = tuple(map(kind, values[place]))
        return tuple(values)

    def ready(self, kernel: Kernel, threads: int, device: int) -> Ready | None:
        streams, launch = self._streams(device), self._launch
        select, current = streams.select, streams.current
        config = self._config(min(-(-threads // THREADS), streams.most_blocks(BLOCKS_PER_UNIT)))
        code = self._loaded.get((kernel, device)) or self._load(kernel, device, select())

        def start(values: list[Any], buffers: Sequence[Any]) -> None:
            select()
            try:
                launch(current().core, config, code, *values)
            except Exception as error:
                raise as_pytorch_says(error) from error

        return start

    def parts(self, rows: int, columns: int) -> int:
        return _cut(rows, columns, 2 * BLOCKS_PER_UNIT * 8, 16 * THREADS)

    def _load(self, kernel: Kernel, index: int, device: Any) -> Any:
        """The kernel's machine code, on its device from now on."""
        from cuda.core import ObjectCode

        capability = device.compute_capability
        cubin = compiler.cubin(kernel, (int(capability[0]), int(capability[1])))
        code = ObjectCode.from_cubin(cubin, name=kernel.name)
        loaded = self._loaded[kernel, index] = code.get_kernel(kernel.name)
        return loaded


@lru_cache(maxsize=4096)
def _named_numbers(kernel: Kernel) -> tuple[tuple[int, Any], ...]:
    """Which arguments of a kernel are numbers of another type than 64-bit integers, and of which."""
    return tuple(
        (place, numpy.dtype(kind.kind).type)
        for place, kind in enumerate(kernel.arguments)
        if isinstance(kind, Numbers) and kind.length and kind.kind != "int64"
    )
