"""Where CuPy works: a GPU's current stream, its buffers in place, and scratch memory from the kit's allocator."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.dtypes import dtype
from tensorkit.errors import MissingKernelError
from tensorkit.kernels.cuda.gpu.memory import GpuBuffer
from tensorkit.kernels.cuda.gpu.streams import gpu_streams
from tensorkit.strides.layout import Layout


class Refused(Exception):
    """What the numbers, or an argument, do not allow: the operation's own body finds the words for it."""


@functools.cache
def _cupy() -> Any:
    import cupy
    import cupyx

    return cupy, cupyx


@functools.cache
def has_cupy() -> bool:
    """Whether CuPy is installed."""
    try:
        _cupy()
    except ImportError:
        return False
    return True


def cupy_for(name: str) -> Any:
    """CuPy and its experimental part, imported when an operation first needs them.

    Raises:
        MissingKernelError: where CuPy is not installed.
    """
    try:
        return _cupy()
    except ImportError as missing:
        raise MissingKernelError(
            f"Could not run 'aten::{name}' with arguments from the 'CUDA' backend: on a GPU it is CuPy that does it, "
            "and CuPy is not installed. Install cupy-cuda12x (cupy-cuda13x for CUDA 13), or move the tensors first: "
            "t.cpu() returns a copy on the CPU."
        ) from missing


class Place:
    """The device of a buffer, for one operation.

    Args:
        beside: a buffer on the device.
        name: of the operation, for the refusal where CuPy is missing.

    Attributes:
        cupy: the module.
    """

    def __init__(self, beside: Any, name: str) -> None:
        self._beside = beside
        self.cupy, self._extras = cupy_for(name)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Let CuPy work on the current stream, in memory of the kit's; a factorisation that fails is an error."""
        cupy, index = self.cupy, self._beside.index
        with (
            cupy.cuda.Device(index),
            self._stream(),
            cupy.cuda.using_allocator(self._scratch),
            self._extras.errstate(linalg="raise"),
        ):
            yield

    def _stream(self) -> Any:
        stream = gpu_streams(self._beside.index).current()
        if not stream.handle:
            return self.cupy.cuda.Stream.null
        return self.cupy.cuda.ExternalStream(stream.handle, self._beside.index)

    def _scratch(self, nbytes: int) -> Any:
        """Memory for CuPy's own arrays, which go back to the allocator with them."""
        return self._pointer(self.take(nbytes), 0)

    def take(self, nbytes: int) -> Any:
        """A buffer on the device, uninitialised."""
        return GpuBuffer(self._beside.device, gpu_streams(self._beside.index).current(), nbytes)

    def address(self, buffer: Any) -> int:
        """Where a buffer begins."""
        return int(buffer.address)

    def _pointer(self, buffer: Any, offset: int) -> Any:
        cuda = self.cupy.cuda
        memory = cuda.UnownedMemory(self.address(buffer), buffer.nbytes, buffer, buffer.index)
        return cuda.MemoryPointer(memory, offset)

    def slots(self, buffer: Any, layout: Layout, kind: dtype) -> Any:
        """The slots of a layout as a CuPy array on the buffer's own memory; bfloat16 by its bits, as uint16."""
        stored = numpy.dtype(numpy.uint16) if kind is dtypes.bfloat16 else kind.numpy
        if 0 in layout.size:
            return self.cupy.empty(layout.size, stored)
        item = stored.itemsize
        steps = tuple(step * item for step in layout.stride)
        return self.cupy.ndarray(layout.size, stored, self._pointer(buffer, layout.offset * item), steps)

    def read(self, slots: Any, kind: dtype) -> Any:
        """The numbers in some slots: those of bfloat16 as float32, which has them all."""
        if kind is not dtypes.bfloat16:
            return slots
        return (slots.astype(numpy.uint32) << 16).view(numpy.float32)

    def write(self, slots: Any, kind: dtype, found: Any) -> None:
        """Put numbers into slots, converted to their dtype."""
        slots[...] = self._rounded(found) if kind is dtypes.bfloat16 else found

    def narrowed(self, found: Any) -> Any:
        """Numbers rounded to those that bfloat16 has, as float32."""
        return self.read(self._rounded(found), dtypes.bfloat16)

    def _rounded(self, found: Any) -> Any:
        """The bits of the nearest bfloat16, of two the even one."""
        wide = self.cupy.ascontiguousarray(found.astype(numpy.float32))
        bits = wide.view(numpy.uint32)
        nearest = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        return self.cupy.where(self.cupy.isnan(wide), 0x7FC0, nearest).astype(numpy.uint16)
