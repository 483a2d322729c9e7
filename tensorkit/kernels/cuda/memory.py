"""Device memories: an emulated one on this computer, and a GPU's own.

Host code holds a buffer of either without being able to look inside: bytes come out by `to_host` only, and
every byte that crosses is counted. That is what makes an emulated device a device.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy

from tensorkit.errors import OutOfMemoryError

__all__ = [
    "EmulatedBuffer",
    "EmulatedMemory",
    "GpuBuffer",
    "GpuMemory",
    "Ledger",
    "Traffic",
    "out_of_memory",
    "resized",
    "rounded",
    "size_text",
]

Bytes = numpy.ndarray[Any, numpy.dtype[numpy.uint8]]
BLOCK = 512  # what a device rounds an allocation up to, as PyTorch's allocator does


@dataclass(slots=True)
class Traffic:
    """Bytes copied so far: host to device, device to host, and between (or within) devices."""

    h2d: int = 0
    d2h: int = 0
    d2d: int = 0


class Ledger:
    """Who holds how much of a device's memory.

    Attributes:
        index: the device's number.
        capacity: its memory in bytes.
        allocated, peak: bytes handed out now, and at most so far.
    """

    __slots__ = ("_lock", "allocated", "capacity", "index", "peak")

    def __init__(self, index: int, capacity: int) -> None:
        self.index = index
        self.capacity = capacity
        self.allocated = 0
        self.peak = 0
        self._lock = threading.Lock()

    def take(self, nbytes: int) -> None:
        """Set `nbytes` aside.

        Raises:
            OutOfMemoryError: when that is more than is free.
        """
        with self._lock:
            free = self.capacity - self.allocated
            if nbytes > free:
                raise OutOfMemoryError(out_of_memory(nbytes, self.index, self.capacity, free, self.allocated))
            self.allocated += nbytes
            self.peak = max(self.peak, self.allocated)

    def give_back(self, nbytes: int) -> None:
        """A buffer of `nbytes` is gone."""
        with self._lock:
            self.allocated -= nbytes


def out_of_memory(wanted: int, index: int, capacity: int, free: int, allocated: int) -> str:
    """PyTorch's sentences for a device that is full."""
    return (
        f"CUDA out of memory. Tried to allocate {size_text(wanted)}. GPU {index} has a total capacity of "
        f"{size_text(capacity)} of which {size_text(free)} is free. Of the allocated memory "
        f"{size_text(allocated)} is allocated by tensorkit."
    )


def size_text(nbytes: int) -> str:
    """Bytes as PyTorch writes them.

    >>> size_text(20 * 2**20), size_text(3 * 2**29), size_text(512)
    ('20.00 MiB', '1.50 GiB', '512 bytes')
    """
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if nbytes >= unit:
            return f"{nbytes / unit:.2f} {name}"
    return f"{nbytes} bytes"


def rounded(nbytes: int) -> int:
    """What an allocation of `nbytes` takes from its device."""
    return -(-nbytes // BLOCK) * BLOCK


class EmulatedBuffer:
    """Bytes in an emulated device's memory. It is no array and cannot be read; ask its memory's `to_host`."""

    __slots__ = ("__weakref__", "_address", "_bytes", "device", "memory", "nbytes")

    def __init__(self, memory: EmulatedMemory, index: int, nbytes: int) -> None:
        self.nbytes = 0
        self.memory = memory
        self.device = memory.devices[index]
        self.device.take(rounded(nbytes))
        self.nbytes = nbytes
        self._bytes: Bytes = numpy.empty(nbytes, numpy.uint8)
        self._address: int = self._bytes.__array_interface__["data"][0] if nbytes else 0

    def __del__(self) -> None:
        if self.nbytes:
            self.device.give_back(rounded(self.nbytes))

    def __repr__(self) -> str:
        return f"<{self.nbytes} bytes on the emulated device cuda:{self.index}>"

    @property
    def index(self) -> int:
        """Which device it lies on."""
        return self.device.index


class EmulatedMemory:
    """The memories of emulated devices, as ``storage.register_memory`` wants them.

    Args:
        devices: how many.
        capacity: bytes of each.

    >>> memory = EmulatedMemory(devices=1, capacity=1024)
    >>> buffer = memory.allocate(4, 0)
    >>> memory.from_host(buffer, 0, numpy.array([1, 2, 3, 4], numpy.uint8))
    >>> memory.to_host(buffer, 1, 3).tolist(), memory.traffic
    ([2, 3], Traffic(h2d=4, d2h=2, d2d=0))
    """

    def __init__(self, devices: int, capacity: int) -> None:
        self.devices = tuple(Ledger(index, capacity) for index in range(devices))
        self.traffic = Traffic()

    def allocate(self, nbytes: int, index: int) -> EmulatedBuffer:
        """`nbytes` uninitialised bytes on device `index`."""
        return EmulatedBuffer(self, index, nbytes)

    def pointer(self, buffer: EmulatedBuffer) -> int:
        """The address of the first byte, for kernels; 0 for an empty buffer."""
        return buffer._address

    def to_host(self, buffer: EmulatedBuffer, start: int, stop: int) -> Bytes:
        """A copy of bytes `start` to `stop` in the host's memory."""
        self.traffic.d2h += stop - start
        return buffer._bytes[start:stop].copy()

    def from_host(self, buffer: EmulatedBuffer, start: int, data: Bytes) -> None:
        """Put the host's bytes into the buffer at `start`."""
        self.traffic.h2d += data.size
        buffer._bytes[start : start + data.size] = data

    def copy(
        self, dst: EmulatedBuffer, dst_start: int, src: EmulatedBuffer, src_start: int, nbytes: int
    ) -> None:
        """Copy bytes from one buffer to another, on one device or two."""
        self.traffic.d2d += nbytes
        dst._bytes[dst_start : dst_start + nbytes] = src._bytes[src_start : src_start + nbytes]

    def resize(self, buffer: EmulatedBuffer, nbytes: int) -> EmulatedBuffer:
        """A buffer of another length on the same device that starts with the same bytes."""
        fresh: EmulatedBuffer = resized(self, buffer, nbytes)
        return fresh


class GpuBuffer:
    """Bytes in a GPU's memory, given back to the driver's pool when nobody holds them."""

    __slots__ = ("__weakref__", "_handle", "_ledger", "address", "index", "nbytes")

    def __init__(self, handle: Any, index: int, nbytes: int, ledger: Ledger) -> None:
        self._handle = handle
        self._ledger = ledger
        self.address = int(handle.handle) if nbytes else 0
        self.index = index
        self.nbytes = nbytes

    def __del__(self) -> None:
        if self.nbytes:
            self._ledger.give_back(rounded(self.nbytes))

    def __repr__(self) -> str:
        return f"<{self.nbytes} bytes on cuda:{self.index}>"


class GpuMemory:
    """GPUs' memories: allocated from the driver's pool by ``cuda.core``, copied by ``cuda.bindings``."""

    def __init__(self) -> None:
        from cuda.bindings import driver
        from cuda.core import Device

        self._driver, self._device = driver, Device
        self.traffic = Traffic()
        self._ledgers: dict[int, Ledger] = {}

    def ledger(self, index: int) -> Ledger:
        """Who holds how much of a GPU's memory."""
        if index not in self._ledgers:
            self._on(index)
            self._ledgers[index] = Ledger(index, int(self._driver.cuMemGetInfo()[2]))
        return self._ledgers[index]

    def _check(self, result: tuple[Any, ...]) -> None:
        if result[0] != self._driver.CUresult.CUDA_SUCCESS:
            raise RuntimeError(f"CUDA error: {result[0].name}")

    def _on(self, index: int) -> Any:
        device = self._device(index)
        device.set_current()
        return device

    def allocate(self, nbytes: int, index: int) -> GpuBuffer:
        """`nbytes` uninitialised bytes on device `index`."""
        ledger = self.ledger(index)
        if nbytes == 0:
            return GpuBuffer(None, index, 0, ledger)
        device = self._on(index)
        try:
            handle = device.allocate(nbytes, stream=device.default_stream)
        except Exception as error:
            if "OUT_OF_MEMORY" not in str(error):
                raise
            _, free, total = self._driver.cuMemGetInfo()
            raise OutOfMemoryError(out_of_memory(nbytes, index, total, free, ledger.allocated)) from error
        ledger.take(rounded(nbytes))
        return GpuBuffer(handle, index, nbytes, ledger)

    def pointer(self, buffer: GpuBuffer) -> int:
        """The device address of the first byte; 0 for an empty buffer."""
        return buffer.address

    def to_host(self, buffer: GpuBuffer, start: int, stop: int) -> Bytes:
        """A copy of bytes `start` to `stop` in the host's memory, once the default stream has caught up."""
        data = numpy.empty(stop - start, numpy.uint8)
        if data.size:
            self._on(buffer.index)
            self._check(self._driver.cuMemcpyDtoH(data.ctypes.data, buffer.address + start, data.size))
            self.traffic.d2h += data.size
        return data

    def from_host(self, buffer: GpuBuffer, start: int, data: Bytes) -> None:
        """Put the host's bytes into the buffer at `start`."""
        data = numpy.ascontiguousarray(data)
        if data.size:
            self._on(buffer.index)
            self._check(self._driver.cuMemcpyHtoD(buffer.address + start, data.ctypes.data, data.size))
            self.traffic.h2d += data.size

    def copy(self, dst: GpuBuffer, dst_start: int, src: GpuBuffer, src_start: int, nbytes: int) -> None:
        """Copy bytes from one buffer to another, on one device or two."""
        if nbytes:
            self._on(dst.index)
            self._check(self._driver.cuMemcpy(dst.address + dst_start, src.address + src_start, nbytes))
            self.traffic.d2d += nbytes

    def resize(self, buffer: GpuBuffer, nbytes: int) -> GpuBuffer:
        """A buffer of another length on the same device that starts with the same bytes."""
        fresh: GpuBuffer = resized(self, buffer, nbytes)
        return fresh


def resized(memory: Any, buffer: Any, nbytes: int) -> Any:
    """A new buffer of `nbytes` on the same device, filled from the old one as far as both reach."""
    fresh = memory.allocate(nbytes, buffer.index)
    memory.copy(fresh, 0, buffer, 0, min(nbytes, buffer.nbytes))
    return fresh
