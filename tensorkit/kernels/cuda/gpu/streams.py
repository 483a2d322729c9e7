"""A GPU's streams and events, by ``cuda.core``, with the same methods as the emulated ones (see `streams`)."""

from __future__ import annotations

import ctypes
import threading
from functools import cache
from typing import Any

from tensorkit.kernels.cuda.faults import Fault, refusal
from tensorkit.kernels.cuda.streams import GREATEST, LOWEST, STREAMS_PER_POOL
from tensorkit.process import forks


def _in_words(status: Any) -> str:
    """What the driver calls a status: ``device-side assert triggered``."""
    from cuda.bindings import driver

    words = driver.cuGetErrorString(status)[1]
    return bytes(words).decode() if words else str(status.name)


def as_pytorch_says(error: Exception) -> Exception:
    """What ``cuda.core`` found wrong in PyTorch's words: ``CUDA error: device-side assert triggered``."""
    from cuda.bindings import driver

    name = str(error).partition(":")[0]
    status = getattr(driver.CUresult, name, None) if name.startswith("CUDA_ERROR_") else None
    return error if status is None else refusal(Fault(_in_words(status)))


def checked(result: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a function of the driver returned, without the status; raises PyTorch's error unless that is success."""
    status, *values = result
    if status.value:
        raise refusal(Fault(_in_words(status)))
    return tuple(values)


class GpuMark:
    """A recorded CUDA event.

    Attributes:
        index: of the device.
        event: the event, as ``cuda.core`` has it.
    """

    __slots__ = ("event", "index")

    def __init__(self, index: int, event: Any) -> None:
        self.index = index
        self.event = event

    def done(self) -> bool:
        """Whether the device has come here."""
        return bool(self.event.is_done)

    def wait(self) -> None:
        """Wait until it has."""
        try:
            self.event.sync()
        except Exception as error:
            raise as_pytorch_says(error) from error

    def since(self, start: GpuMark) -> float:
        """Milliseconds from `start` to here."""
        return float(self.event - start.event)


class GpuStream:
    """One stream of a GPU.

    Attributes:
        device: the streams of the same device.
        core: the stream, as ``cuda.core`` has it.
        number: 0 for the default stream.
        priority: lower numbers first.
        handle: its address, as other libraries know it; 0 for the default one.
    """

    __slots__ = ("__weakref__", "core", "device", "handle", "number", "priority")

    def __init__(self, device: GpuStreams, core: Any, number: int, priority: int) -> None:
        self.device = device
        self.core = core
        self.number = number
        self.priority = priority
        self.handle = int(core.handle) if number else 0

    def passed(self, ticket: GpuMark) -> bool:
        """Whether all is done that was queued when the ticket was drawn."""
        return ticket.done()

    def ticket(self) -> GpuMark:
        """What to ask `passed` about: all that was queued until now."""
        return self.mark()

    def wait(self) -> None:
        """Wait until all that was queued until now is done."""
        try:
            self.core.sync()
        except Exception as error:
            raise as_pytorch_says(error) from error
        self.device.check_guard()

    synchronize = wait

    def mark(self, *, timing: bool = False, blocking: bool = False, again: GpuMark | None = None) -> GpuMark:
        """Record an event: the one of an earlier mark, or a new one."""
        self.device.select()
        if again is not None:
            return GpuMark(self.device.index, self.core.record(again.event))
        options = self.device.event_options(timing_enabled=timing, blocking_sync=blocking)
        return GpuMark(self.device.index, self.core.record(options=options))

    def follow(self, mark: GpuMark) -> None:
        """Do what is queued from now on after another stream (or this one) has reached a mark."""
        self.core.wait(mark.event)

    def after(self, other: GpuStream) -> None:
        """Do what is queued from now on after all that `other` was given until now."""
        if other is not self:
            self.follow(other.mark())


class _Current(threading.local):
    stream: GpuStream | None = None


class GpuStreams:
    """All streams of one GPU, and which is current."""

    def __init__(self, index: int) -> None:
        from cuda.bindings import driver
        from cuda.core import Device, EventOptions

        self.index = index
        self.core = Device(index)
        self.event_options = EventOptions
        self._driver: Any = driver
        self._units = int(self.core.properties.multiprocessor_count)
        self.select()
        self.default = GpuStream(self, self.core.default_stream, 0, 0)
        self._pools: dict[int, list[GpuStream]] = {}
        self._turns: dict[int, int] = {}
        self._pooling = forks.lock()
        self._current = _Current()
        self._words: Any = None
        self._guard = ""

    def select(self) -> Any:
        """Make the device the driver's current one."""
        self.core.set_current()
        return self.core

    def most_blocks(self, per_unit: int) -> int:
        """The number of blocks that keep the whole GPU busy, from the number per multiprocessor."""
        return per_unit * self._units

    def current(self) -> GpuStream:
        """This thread's current stream of the device."""
        return self._current.stream or self.default

    def choose(self, stream: GpuStream) -> None:
        """Make a stream this thread's current one."""
        self._current.stream = stream

    def fresh(self, priority: int = 0) -> GpuStream:
        """A stream of this priority: a new one until there are 32, then those again in turn."""
        from cuda.core import StreamOptions

        priority = min(max(priority, GREATEST), LOWEST)
        with self._pooling:
            pool = self._pools.setdefault(priority, [])
            turn = self._turns.get(priority, 0)
            self._turns[priority] = (turn + 1) % STREAMS_PER_POOL
            if turn == len(pool):
                core = self.select().create_stream(options=StreamOptions(nonblocking=True, priority=priority))
                pool.append(GpuStream(self, core, 1 + STREAMS_PER_POOL * -priority + turn, priority))
            return pool[turn]

    def all(self) -> list[GpuStream]:
        """Every stream there is so far."""
        with self._pooling:
            return [self.default, *(stream for pool in self._pools.values() for stream in pool)]

    def foreign(self, handle: int) -> GpuStream:
        """A stream that another library made, by its address."""
        from cuda.core import Stream

        return GpuStream(self, Stream.from_handle(handle), handle, 0)

    def synchronize(self) -> None:
        """Wait until the device has done all it was given."""
        self.select()
        checked(self._driver.cuCtxSynchronize())
        self.check_guard()

    def guard_words(self, guard: str) -> int:
        """Where a kernel writes down an index out of range: memory that the GPU and the host both see.

        Args:
            guard: the message for such an index; the last kernel's is kept.
        """
        if self._words is None:
            driver = self._driver
            shared = driver.CU_MEMHOSTALLOC_PORTABLE | driver.CU_MEMHOSTALLOC_DEVICEMAP
            (address,) = checked(driver.cuMemHostAlloc(24, shared))
            self._words = (ctypes.c_int64 * 3).from_address(int(address))
            self._words[:] = [0, 0, 0]
        self._guard = guard
        return ctypes.addressof(self._words)

    def check_guard(self) -> None:
        """Report an index out of range as a device-side assert does.

        Raises:
            AcceleratorError: when a kernel has written one down since.
        """
        if self._words is not None and self._words[0]:
            found = Fault("device-side assert triggered", self._guard.format(self._words[1], self._words[2]))
            self._words[0] = 0
            raise refusal(found)


@cache
def gpu_streams(index: int) -> GpuStreams:
    """The streams of a GPU."""
    return GpuStreams(index)
