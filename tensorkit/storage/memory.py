"""The memories that a storage can be in: how each kind of device allocates bytes and moves them.

The host's memory and that of the meta device, which has none, are here; that of CUDA devices is registered from above.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy

from tensorkit.device import device
from tensorkit.errors import MissingKernelError, no_room

Bytes = numpy.ndarray[Any, numpy.dtype[numpy.uint8]]


class Memory(Protocol):
    """What a kind of device memory must do. Positions and lengths are in bytes; buffers are its own objects."""

    def allocate(self, nbytes: int, index: int) -> Any: ...
    def pointer(self, buffer: Any) -> int: ...
    def to_host(self, buffer: Any, start: int, stop: int) -> Bytes: ...
    def from_host(
        self, buffer: Any, start: int, data: Bytes, *, queued: bool = False, pinned: bool = False
    ) -> None: ...
    def copy(self, dst: Any, dst_start: int, src: Any, src_start: int, nbytes: int) -> None: ...


class _HostMemory:
    """The computer's own memory: a buffer is a one-dimensional NumPy array of bytes."""

    def allocate(self, nbytes: int, index: int) -> Bytes:
        try:
            return numpy.empty(nbytes, numpy.uint8)
        except (MemoryError, ValueError):
            raise no_room(nbytes) from None

    def pointer(self, buffer: Bytes) -> int:
        return int(buffer.__array_interface__["data"][0]) if buffer.size else 0

    def to_host(self, buffer: Bytes, start: int, stop: int) -> Bytes:
        return buffer[start:stop]

    def from_host(
        self, buffer: Bytes, start: int, data: Bytes, *, queued: bool = False, pinned: bool = False
    ) -> None:
        buffer[start : start + data.size] = data

    def copy(self, dst: Bytes, dst_start: int, src: Bytes, src_start: int, nbytes: int) -> None:
        dst[dst_start : dst_start + nbytes] = src[src_start : src_start + nbytes]


class _NoBytes:
    """What stands in for a buffer on the meta device: it has a length and nothing in it."""

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes


class _MetaMemory:
    """The meta device: sizes without data, to plan with."""

    def allocate(self, nbytes: int, index: int) -> _NoBytes:
        return _NoBytes(nbytes)

    def pointer(self, buffer: _NoBytes) -> int:
        return 0

    def to_host(self, buffer: _NoBytes, start: int, stop: int) -> Bytes:
        raise MissingKernelError("Cannot copy out of meta tensor; no data!")

    def from_host(
        self, buffer: _NoBytes, start: int, data: Bytes, *, queued: bool = False, pinned: bool = False
    ) -> None:
        pass  # nothing is kept, as in PyTorch

    def copy(self, dst: _NoBytes, dst_start: int, src: _NoBytes, src_start: int, nbytes: int) -> None:
        pass  # nothing is kept, as in PyTorch


_memories: dict[str, Memory] = {"cpu": _HostMemory(), "meta": _MetaMemory()}
_makers: dict[str, Callable[[], Memory]] = {}


def register_memory(device_type: str, make: Callable[[], Memory]) -> None:
    """Tell the engine who allocates and copies on a kind of device, once one is used (called by ``kernels.cuda``)."""
    _makers[device_type] = make


def memory_of(where: device) -> Memory:
    """The memory that serves a device."""
    found = _memories.get(where.type)
    if found is None:
        found = _memories[where.type] = _makers[where.type]()
    return found


def pinned(nbytes: int) -> Bytes | None:
    """`nbytes` of the host's memory, locked for transfers to a device; None without a device."""
    memory: Any = memory_of(device("cuda"))
    found: Bytes | None = memory.pinned(nbytes)
    return found
