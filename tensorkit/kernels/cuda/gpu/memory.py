"""The memory of GPUs: segments by ``cuda.core``, blocks by the caching allocator, copies by ``cuda.bindings``."""

from __future__ import annotations

import ctypes
from collections import deque
from typing import Any
from weakref import finalize

import numpy

from tensorkit import tracing
from tensorkit.kernels.cuda import told
from tensorkit.kernels.cuda.faults import held_up
from tensorkit.kernels.cuda.gpu.streams import GpuMark, GpuStream, checked, gpu_streams
from tensorkit.kernels.cuda.memory import Bytes, Traffic, resized
from tensorkit.kernels.cuda.memory.allocator import Allocator, Block, Segment


class _Device:
    """What a GPU's allocator takes segments from: the driver."""

    def __init__(self, memory: GpuMemory, index: int) -> None:
        self._memory = memory
        self._index = index

    def reserve(self, nbytes: int) -> tuple[int, Any]:
        device = self._memory.select(self._index)
        try:
            handle = device.allocate(nbytes, stream=device.default_stream)
        except Exception as error:
            if "OUT_OF_MEMORY" not in str(error):
                raise
            raise MemoryError from error
        # The pool gives memory in the default stream's order; every stream may use it.
        device.default_stream.sync()
        return int(handle.handle), handle

    def give_back(self, segment: Segment) -> None:
        stream: Any = segment.stream
        segment.holder.close(stream.core)
        segment.holder = None

    def finish(self) -> None:
        gpu_streams(self._index).synchronize()

    def memory(self) -> tuple[int, int]:
        self._memory.select(self._index)
        free, total = checked(self._memory.driver.cuMemGetInfo())
        return int(free), int(total)


class GpuBuffer:
    """Bytes in a GPU's memory, given back to the allocator with the last reference.

    Attributes:
        address: of the first byte.
        nbytes: how many.
        device: who counts them.
        stream: the one that was current when it was allocated.
        streams: None; the driver keeps the queues (see `enqueue`).
    """

    __slots__ = ("__weakref__", "_block", "_owner", "address", "device", "nbytes", "stream")
    _owner: Any  # of borrowed memory, what keeps it
    streams = None

    def __init__(self, device: Allocator, stream: GpuStream, nbytes: int) -> None:
        self._block: Block | None = None
        self.device = device
        self.stream = stream
        self.nbytes = nbytes
        self.address = 0
        if nbytes:
            self._block = device.take(nbytes, stream)
            self.address = self._block.address

    @classmethod
    def lent(cls, device: Allocator, address: int, nbytes: int, owner: Any) -> GpuBuffer:
        """A buffer on foreign memory, which `owner` keeps alive."""
        made = cls(device, gpu_streams(device.index).current(), 0)
        made.nbytes, made.address, made._owner = nbytes, address, owner
        return made

    def __del__(self) -> None:
        if self._block is not None:
            self.device.give_back(self._block)

    def __repr__(self) -> str:
        return f"<{self.nbytes} bytes on cuda:{self.index}>"

    @property
    def index(self) -> int:
        """Which device it lies on."""
        return self.device.index

    def another(self, nbytes: int) -> GpuBuffer:
        """A new buffer on the same device."""
        return GpuBuffer(self.device, self.stream.device.current(), nbytes)

    def record_stream(self, stream: GpuStream) -> None:
        """Another stream uses it, too: its memory is reused only after that has passed where it was freed."""
        if self._block is not None and stream is not self.stream:
            self._block.users[stream] = lambda: stream.mark().done


class GpuMemory:
    """GPUs' memories, as ``storage.register_memory`` wants them."""

    def __init__(self) -> None:
        from cuda.bindings import driver

        self.driver: Any = driver
        self.traffic = Traffic()
        self._allocators: dict[int, Allocator] = {}
        self._sent: deque[tuple[GpuMark, Bytes]] = deque()  # pinned memory that is being copied

    def ledger(self, index: int) -> Allocator:
        """A GPU's allocator."""
        found = self._allocators.get(index)
        if found is None:
            source = _Device(self, index)
            found = self._allocators[index] = Allocator(index, source.memory()[1], source)
        return found

    def select(self, index: int) -> Any:
        """Make a device the driver's current one."""
        return gpu_streams(index).select()

    def allocate(self, nbytes: int, index: int) -> GpuBuffer:
        """`nbytes` uninitialised bytes on device `index`."""
        return GpuBuffer(self.ledger(index), gpu_streams(index).current(), nbytes)

    def pinned(self, nbytes: int) -> Bytes:
        """`nbytes` of the host's memory that the driver has locked, so that it can copy it while others work."""
        if nbytes == 0:
            return numpy.empty(0, numpy.uint8)
        self.select(0)
        (address,) = checked(self.driver.cuMemHostAlloc(nbytes, 0))
        lent = (ctypes.c_uint8 * nbytes).from_address(int(address))
        finalize(lent, self.driver.cuMemFreeHost, address)
        return numpy.frombuffer(memoryview(lent), numpy.uint8)

    def pointer(self, buffer: GpuBuffer) -> int:
        """The device address of the first byte; 0 for an empty buffer."""
        return buffer.address

    def to_host(self, buffer: GpuBuffer, start: int, stop: int) -> Bytes:
        """A copy of bytes `start` to `stop` in the host's memory, when the current stream has come so far."""
        data = numpy.empty(stop - start, numpy.uint8)
        held_up()
        self._fetch(buffer, start, data).wait()
        if tracing.active:
            told.tell_copy(buffer, data.size, "cpu", waits=True)
        return data

    def to_pinned(self, buffer: GpuBuffer, start: int, target: Bytes) -> None:
        """Queue a copy of the bytes from `start` on into pinned memory of the host."""
        self._remember(self._fetch(buffer, start, target), target)
        if tracing.active:
            told.tell_to_pinned(buffer, target)

    def _fetch(self, buffer: GpuBuffer, start: int, target: Bytes) -> GpuStream:
        stream = gpu_streams(buffer.index).current()
        if target.size:
            self.select(buffer.index)
            address = target.__array_interface__["data"][0]
            begun = told.begin(stream) if tracing.active else None
            checked(
                self.driver.cuMemcpyDtoHAsync(address, buffer.address + start, target.size, stream.handle)
            )
            if begun is not None:
                told.end(stream, begun)
            self.traffic.d2h += target.size
        return stream

    def from_host(
        self, buffer: GpuBuffer, start: int, data: Bytes, *, queued: bool = False, pinned: bool = False
    ) -> None:
        """Put the host's bytes into the buffer at `start`.

        Args:
            queued: whether to come back before that is done: `data` is pinned and stays as it is until then.
            pinned: whether `data` is pinned, for the listeners.
        """
        data = numpy.ascontiguousarray(data)
        if not queued:
            held_up()
        if not data.size:
            return
        self.select(buffer.index)
        stream = gpu_streams(buffer.index).current()
        address = data.__array_interface__["data"][0]
        begun = told.begin(stream) if tracing.active else None
        checked(self.driver.cuMemcpyHtoDAsync(buffer.address + start, address, data.size, stream.handle))
        if begun is not None:
            told.end(stream, begun)
        self.traffic.h2d += data.size
        if queued:
            self._remember(stream, data)
        else:
            stream.wait()
        if tracing.active:
            told.tell_copy(buffer, data.size, source="cpu", pinned=pinned, waits=not queued)

    def _remember(self, stream: GpuStream, data: Bytes) -> None:
        """Keep pinned memory until the driver has copied it."""
        while self._sent and self._sent[0][0].done():
            self._sent.popleft()
        self._sent.append((stream.mark(), data))

    def copy(self, dst: GpuBuffer, dst_start: int, src: GpuBuffer, src_start: int, nbytes: int) -> None:
        """Copy bytes from one buffer to another, on one device or two (see `EmulatedMemory.copy`)."""
        if not nbytes:
            return
        here, there = gpu_streams(src.index).current(), gpu_streams(dst.index).current()
        if here is not there:
            here.after(there)
        self.select(src.index)
        target, source = dst.address + dst_start, src.address + src_start
        begun = told.begin(here) if tracing.active else None
        checked(self.driver.cuMemcpyAsync(target, source, nbytes, here.handle))
        if begun is not None:
            told.end(here, begun)
        self.traffic.d2d += nbytes
        if here is not there:
            there.after(here)
        if tracing.active:
            told.tell_copy(src, nbytes, f"cuda:{dst.index}", peer=None if here is there else there.number)

    def resize(self, buffer: GpuBuffer, nbytes: int) -> GpuBuffer:
        """A buffer of another length on the same device that starts with the same bytes."""
        fresh: GpuBuffer = resized(self, buffer, nbytes)
        return fresh
