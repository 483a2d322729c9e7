"""The memory of emulated devices, on this computer.

Host code holds a buffer without being able to look inside: bytes come out by `to_host` only, and every byte that
crosses is counted. That is what makes an emulated device a device. (`gpu.memory` is the same for GPUs.)
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy

from tensorkit import tracing
from tensorkit.kernels.cuda import told
from tensorkit.kernels.cuda.faults import held_up
from tensorkit.kernels.cuda.memory.allocator import Allocator, Block, Segment
from tensorkit.kernels.cuda.streams import DeviceStreams, EmulatedStream, enqueue, wait_for

Bytes = numpy.ndarray[Any, numpy.dtype[numpy.uint8]]
ALIGNED = 512  # addresses of tensors are multiples of this, as a GPU's are


@dataclass(slots=True)
class Traffic:
    """Bytes copied so far: host to device, device to host, and between (or within) devices."""

    h2d: int = 0
    d2h: int = 0
    d2d: int = 0


class _Device:
    """What an emulated device's allocator takes segments from: this computer's memory, up to a capacity."""

    def __init__(self, capacity: int, streams: DeviceStreams) -> None:
        self.capacity = capacity
        self.taken = 0
        self.streams = streams

    def reserve(self, nbytes: int) -> tuple[int, Bytes]:
        if nbytes > self.capacity - self.taken:
            raise MemoryError
        room = numpy.empty(nbytes + ALIGNED, numpy.uint8)
        skipped = -room.__array_interface__["data"][0] % ALIGNED
        held = room[skipped : skipped + nbytes]
        self.taken += nbytes
        return held.__array_interface__["data"][0], held

    def give_back(self, segment: Segment) -> None:
        self.taken -= segment.nbytes
        stream: Any = segment.stream
        if not stream.passed(stream.ticket()):
            stream.put(lambda: None, (segment.holder,), small=False, always=True)
        segment.holder = None

    def finish(self) -> None:
        for stream in self.streams.all():
            if not stream.is_held:
                stream.wait()

    def memory(self) -> tuple[int, int]:
        return self.capacity - self.taken, self.capacity


class EmulatedBuffer:
    """Bytes in an emulated device's memory. It is not an array and cannot be read; ask its memory's `to_host`.

    Attributes:
        address: of the first byte; 0 for an empty buffer.
        nbytes: how many.
        memory: what it was allocated by.
        device: who counts them.
        streams: the streams of its device.
        stream: the one that was current when it was allocated: its work may be followed by another buffer's at
            this place without waiting.
    """

    __slots__ = (
        "__weakref__",
        "_block",
        "_bytes",
        "_owner",
        "address",
        "device",
        "memory",
        "nbytes",
        "stream",
        "streams",
    )

    _owner: Any  # of borrowed memory, what keeps it

    def __init__(self, memory: EmulatedMemory, index: int, nbytes: int) -> None:
        self._block: Block | None = None
        self.memory = memory
        device = self.device = memory.devices[index]
        streams = self.streams = memory.streams[index]
        if streams.told:
            streams.check()
        self.stream: EmulatedStream = streams.current()
        self.nbytes = nbytes
        if nbytes:
            block = self._block = device.take(nbytes, self.stream)
            self._bytes: Bytes = block.segment.holder[block.start : block.start + nbytes]
            self.address = block.segment.address + block.start
        else:
            self._bytes = numpy.empty(0, numpy.uint8)
            self.address = 0

    @classmethod
    def lent(
        cls, memory: EmulatedMemory, index: int, address: int, nbytes: int, owner: Any
    ) -> EmulatedBuffer:
        """A buffer on foreign memory, which `owner` keeps alive."""
        made = cls(memory, index, 0)
        made.nbytes, made.address, made._owner = nbytes, address, owner
        if nbytes:
            made._bytes = numpy.frombuffer(
                memoryview((ctypes.c_uint8 * nbytes).from_address(address)), numpy.uint8
            )
        return made

    def __del__(self) -> None:
        if self._block is not None:
            self.device.give_back(self._block)

    def __repr__(self) -> str:
        return f"<{self.nbytes} bytes on the emulated device cuda:{self.index}>"

    @property
    def index(self) -> int:
        """Which device it lies on."""
        return self.device.index

    def another(self, nbytes: int) -> EmulatedBuffer:
        """A new buffer on the same device."""
        return EmulatedBuffer(self.memory, self.device.index, nbytes)

    def record_stream(self, stream: EmulatedStream) -> None:
        """Another stream uses it, too: its memory is reused only after that has passed where it was freed."""
        if self._block is not None and stream is not self.stream:
            self._block.users[stream] = lambda: _passing(stream)


def _passing(stream: EmulatedStream) -> Any:
    ticket = stream.ticket()
    return lambda: stream.passed(ticket)


class EmulatedMemory:
    """The memories of emulated devices, as ``storage.register_memory`` wants them.

    Args:
        devices: how many.
        capacity: bytes of each.

    Attributes:
        devices: for each, its allocator.
        streams: for each, its streams.
        traffic: the bytes that were copied.

    >>> memory = EmulatedMemory(devices=1, capacity=1024)
    >>> buffer = memory.allocate(4, 0)
    >>> memory.from_host(buffer, 0, numpy.array([1, 2, 3, 4], numpy.uint8))
    >>> memory.to_host(buffer, 1, 3).tolist(), memory.traffic
    ([2, 3], Traffic(h2d=4, d2h=2, d2d=0))
    """

    def __init__(self, devices: int, capacity: int) -> None:
        self.streams = tuple(DeviceStreams(index) for index in range(devices))
        self.devices = tuple(
            Allocator(streams.index, capacity, _Device(capacity, streams)) for streams in self.streams
        )
        self.traffic = Traffic()

    def allocate(self, nbytes: int, index: int) -> EmulatedBuffer:
        """`nbytes` uninitialised bytes on device `index`."""
        return EmulatedBuffer(self, index, nbytes)

    def pointer(self, buffer: EmulatedBuffer) -> int:
        """The address of the first byte, for kernels; 0 for an empty buffer."""
        return buffer.address

    def to_host(self, buffer: EmulatedBuffer, start: int, stop: int) -> Bytes:
        """A copy of bytes `start` to `stop` in the host's memory, when the current stream has come so far."""
        held_up()
        wait_for(buffer)
        self.traffic.d2h += stop - start
        data = buffer._bytes[start:stop].copy()
        if tracing.active:
            told.tell_copy(buffer, stop - start, "cpu", waits=True)
        return data

    def to_pinned(self, buffer: EmulatedBuffer, start: int, target: Bytes) -> None:
        """Queue a copy of the bytes from `start` on into pinned memory of the host."""
        self.traffic.d2h += target.size
        source = buffer._bytes[start : start + target.size]
        enqueue(lambda: target.__setitem__(..., source), (buffer,))
        if tracing.active:
            told.tell_to_pinned(buffer, target)

    def from_host(
        self, buffer: EmulatedBuffer, start: int, data: Bytes, *, queued: bool = False, pinned: bool = False
    ) -> None:
        """Put the host's bytes into the buffer at `start`.

        Args:
            queued: whether to come back before that is done: `data` is pinned and stays as it is until then.
            pinned: whether `data` is pinned, for the listeners.
        """
        target = buffer._bytes[start : start + data.size]
        if queued:
            enqueue(lambda: target.__setitem__(..., data), (buffer,))
        else:
            held_up()
            wait_for(buffer)
            target[...] = data
        self.traffic.h2d += data.size
        if tracing.active:
            told.tell_copy(buffer, data.size, source="cpu", pinned=pinned, waits=not queued)

    def copy(
        self, dst: EmulatedBuffer, dst_start: int, src: EmulatedBuffer, src_start: int, nbytes: int
    ) -> None:
        """Copy bytes from one buffer to another, on one device or two.

        Between two devices the source's current stream does it, after what the other's was given before, and what
        that is given next comes afterwards.
        """
        self.traffic.d2d += nbytes
        target = dst._bytes[dst_start : dst_start + nbytes]
        source = src._bytes[src_start : src_start + nbytes]
        here, there = src.streams.current(), dst.streams.current()
        here.after(there)
        enqueue(lambda: target.__setitem__(..., source), (src, dst))
        there.after(here)
        if tracing.active:
            told.tell_copy(src, nbytes, f"cuda:{dst.index}", peer=None if here is there else there.number)

    def resize(self, buffer: EmulatedBuffer, nbytes: int) -> EmulatedBuffer:
        """A buffer of another length on the same device that starts with the same bytes."""
        fresh: EmulatedBuffer = resized(self, buffer, nbytes)
        return fresh


def resized(memory: Any, buffer: Any, nbytes: int) -> Any:
    """A new buffer of `nbytes` on the same device, filled from the old one as far as both reach."""
    fresh = memory.allocate(nbytes, buffer.index)
    memory.copy(fresh, 0, buffer, 0, min(nbytes, buffer.nbytes))
    return fresh
