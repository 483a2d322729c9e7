"""Which devices there are: GPUs, emulated ones if requested, or none.

Emulation is off unless asked for, by `emulate()` or by the environment (``TENSORKIT_CUDA=emulated`` for two
devices, ``emulated:4`` for four). A buffer remembers who made it, so tensors on an emulated device stay whole
when the emulation ends.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import TracebackType
from typing import Any

import numpy

from tensorkit.errors import NoCudaError
from tensorkit.kernels.cuda.gpu.memory import GpuBuffer, GpuMemory
from tensorkit.kernels.cuda.gpu.streams import gpu_streams
from tensorkit.kernels.cuda.memory import Bytes, EmulatedBuffer, EmulatedMemory
from tensorkit.kernels.cuda.memory.allocator import Allocator
from tensorkit.kernels.cuda.runners import EmulatedRunner, GpuRunner, Runner

DEFAULT_DEVICES = 2
DEFAULT_CAPACITY = 2 * 2**30
NO_CUDA = (
    "tensorkit not compiled with CUDA enabled\n"
    "No GPU was found. To practise without one, call tk.cuda.emulate() first: "
    "it gives devices with their own memory."
)

_emulated: EmulatedMemory | None = None
_emulated_runner = EmulatedRunner()
_override: Runner | None = None
_current = threading.local()


# -- GPUs -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _gpus() -> tuple[int, str]:
    """How many GPUs can be used, and if none, why."""
    library = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        ctypes.CDLL(library)
    except OSError:
        return 0, f"no CUDA driver on this machine ({library} cannot be loaded)"
    try:
        import cuda.core  # noqa: F401 - the runner's, asked for here so that its absence is said in time
        from cuda.bindings import driver
    except ImportError:
        return 0, "there is a CUDA driver, but cuda.core is not installed: pip install 'tensorkit[cuda13]'"
    (status,) = driver.cuInit(0)
    if status != driver.CUresult.CUDA_SUCCESS:
        return 0, f"the CUDA driver does not work: {status.name}"
    _, count = driver.cuDeviceGetCount()
    return int(count), "" if count else "the CUDA driver sees no device"


def gpu_missing() -> str:
    """Why no GPU can be used; empty when one can."""
    return _gpus()[1]


@lru_cache(maxsize=1)
def _gpu_memory() -> GpuMemory:
    return GpuMemory()


@lru_cache(maxsize=1)
def _gpu_runner() -> GpuRunner:
    return GpuRunner()


# -- which devices there are ----------------------------------------------------------------------------


class Emulation:
    """Emulated devices, switched on. As a context manager it switches back at the end of the block."""

    def __init__(self, before: EmulatedMemory | None, memory: EmulatedMemory) -> None:
        self._before = before
        self._current_before = getattr(_current, "index", 0)
        self.memory = memory
        _current.index = 0  # other devices than before: begin at the first

    def __enter__(self) -> Emulation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        _switch(self._before)
        _current.index = self._current_before

    @contextmanager
    def hold(self, stream: Any = None) -> Iterator[None]:
        """Let a stream do nothing while the block runs: what it looks like to a program when the GPU is busy.

        Args:
            stream: a ``tk.cuda.Stream``; by default the current one of the current device.

        >>> with tk.cuda.emulate() as emulation:
        ...     there, here = tk.ones(2, device="cuda"), tk.zeros(2).pin_memory()
        ...     with emulation.hold():
        ...         _ = here.copy_(there, non_blocking=True)
        ...         print(here)
        ...     tk.cuda.synchronize()
        ...     print(here)
        tensor([0., 0.])
        tensor([1., 1.])
        """
        queue = self.memory.streams[current_device()].current() if stream is None else stream._queue
        with queue.held():
            yield

    @contextmanager
    def late(self) -> Iterator[None]:
        """Let the devices work as late as a program allows: only when it waits for them, and no further.

        Whatever the program reads without having waited for it is stale, every time; on a device in a hurry it
        would often be right by luck.

        >>> with tk.cuda.emulate() as emulation, emulation.late():
        ...     there, here = tk.ones(2, device="cuda"), tk.zeros(2).pin_memory()
        ...     _ = here.copy_(there, non_blocking=True)
        ...     print(here)
        ...     tk.cuda.synchronize()
        ...     print(here)
        tensor([0., 0.])
        tensor([1., 1.])
        """
        for streams in self.memory.streams:
            streams.be_late(True)
        try:
            yield
        finally:
            for streams in self.memory.streams:
                streams.be_late(False)

    def __repr__(self) -> str:
        devices = self.memory.devices
        plural = "" if len(devices) == 1 else "s"
        return f"<{len(devices)} emulated CUDA device{plural}, {devices[0].capacity // 2**20} MiB each>"


def emulate(devices: int = DEFAULT_DEVICES, *, capacity: int = DEFAULT_CAPACITY) -> Emulation:
    """Pretend that there are CUDA devices, each with its own memory, whose threads this computer plays.

    Args:
        devices: how many.
        capacity: bytes of memory of each; allocating more raises `OutOfMemoryError`.

    Raises:
        ValueError: for less than one device or no memory.

    >>> with emulate(devices=3):
    ...     device_count()
    3
    """
    if devices < 1 or capacity < 1:
        raise ValueError(f"emulate() needs at least one device and some memory, got {devices} and {capacity}")
    before = _emulated
    memory = EmulatedMemory(devices, capacity)
    _switch(memory)
    return Emulation(before, memory)


def _switch(memory: EmulatedMemory | None) -> None:
    global _emulated  # a plain name: each launch and each allocation reads it
    _emulated = memory


def from_environment(text: str) -> None:
    """Obey ``TENSORKIT_CUDA``.

    Raises:
        ValueError: when it says neither ``emulated`` nor ``emulated:N``.
    """
    word, _, number = text.partition(":")
    if word != "emulated" or not (number or str(DEFAULT_DEVICES)).isdigit() or number == "0":
        raise ValueError(
            f"TENSORKIT_CUDA={text!r} is not understood: say 'emulated', or 'emulated:4' for four devices"
        )
    emulate(int(number) if number else DEFAULT_DEVICES)


def emulated_devices() -> EmulatedMemory | None:
    """The emulated devices' memory, or None when emulation is off."""
    return _emulated


def device_count() -> int:
    """How many devices there are, emulated ones if emulation is on."""
    return len(_emulated.devices) if _emulated is not None else _gpus()[0]


def is_available() -> bool:
    """Whether there is any device."""
    return device_count() > 0


def is_initialized() -> bool:
    """Whether there are emulated devices, or a GPU has been used."""
    return _emulated is not None or _gpu_memory.cache_info().currsize > 0


def current_device() -> int:
    """The index of this thread's current device; the first one when its choice is no longer there."""
    index: int = getattr(_current, "index", 0)
    return index if index < device_count() else 0


def set_current_device(index: int) -> None:
    """Make a device this thread's current one."""
    _current.index = index


def ledger(index: int) -> Allocator:
    """A device's allocator."""
    return _emulated.devices[index] if _emulated is not None else _gpu_memory().ledger(index)


def streams_of(index: int) -> Any:
    """The streams of a device: `DeviceStreams`, or `GpuStreams`."""
    return _emulated.streams[index] if _emulated is not None else gpu_streams(index)


# What an emulated device says that it has: the multiprocessors of a small GPU of compute capability 7.5.
UNITS, UNIT_THREADS = 40, 1024


def processors(index: int) -> tuple[int, int]:
    """How many multiprocessors a device has, and how many threads each runs at a time.

    PyTorch's random numbers depend on both where many are drawn, so an emulated device has them too.
    """
    if _emulated is not None:
        return UNITS, UNIT_THREADS
    from cuda.core import Device

    said = Device(index).properties
    return int(said.multiprocessor_count), int(said.max_threads_per_multiprocessor)


# -- who serves them ------------------------------------------------------------------------------------


def active_runner() -> Runner | None:
    """The runner that would run a kernel now; None without a device."""
    if _override is not None:
        return _override
    if _emulated is not None:
        return _emulated_runner
    return _gpu_runner() if _gpus()[0] else None


def runner_for(buffer: Any) -> Runner:
    """The runner of kernels on a buffer: the one that `using` has put in charge, else its device's."""
    if _override is not None:
        return _override
    return _emulated_runner if isinstance(buffer, EmulatedBuffer) else _gpu_runner()


@contextmanager
def using(runner: Runner) -> Iterator[Runner]:
    """Let `runner` run all kernels in this block, such as a `TracedRunner` that takes notes."""
    global _override  # a plain name: each launch reads it
    before, _override = _override, runner
    try:
        yield runner
    finally:
        _override = before


def memory_for(buffer: Any) -> Any:
    """The memory that a buffer lies in."""
    if isinstance(buffer, EmulatedBuffer):
        return buffer.memory
    return _gpu_memory()


def lend(address: int, nbytes: int, index: int, owner: Any) -> Any:
    """A buffer on memory of device `index` that belongs to another library.

    Args:
        owner: what keeps that memory.
    """
    if _emulated is not None:
        return EmulatedBuffer.lent(_emulated, index, address, nbytes, owner)
    return GpuBuffer.lent(_gpu_memory().ledger(index), address, nbytes, owner)


class CudaMemory:
    """What ``storage`` allocates and copies with on ``cuda`` devices: emulated or real, buffer by buffer."""

    def allocate(self, nbytes: int, index: int) -> Any:
        """`nbytes` uninitialised bytes on device `index`.

        Raises:
            NoCudaError: when there is no device.
        """
        if _emulated is not None:
            return _emulated.allocate(nbytes, index)
        if not _gpus()[0]:
            raise NoCudaError(NO_CUDA)
        return _gpu_memory().allocate(nbytes, index)

    def pointer(self, buffer: Any) -> int:
        """The device address of the first byte."""
        address: int = memory_for(buffer).pointer(buffer)
        return address

    def to_host(self, buffer: Any, start: int, stop: int) -> Bytes:
        """A copy of bytes `start` to `stop` in the host's memory."""
        data: Bytes = memory_for(buffer).to_host(buffer, start, stop)
        return data

    def from_host(
        self, buffer: Any, start: int, data: Bytes, *, queued: bool = False, pinned: bool = False
    ) -> None:
        """Put the host's bytes into the buffer at `start`; `queued` comes back before they are there."""
        data = numpy.ascontiguousarray(data)
        memory_for(buffer).from_host(buffer, start, data, queued=queued, pinned=pinned)

    def to_pinned(self, buffer: Any, start: int, target: Bytes) -> None:
        """Queue a copy of the bytes from `start` on into pinned memory of the host."""
        memory_for(buffer).to_pinned(buffer, start, target)

    def pinned(self, nbytes: int) -> Bytes | None:
        """`nbytes` of the host's memory locked for transfers; None when there is no device to transfer to.

        An emulated device copies ordinary memory as it does pinned: the mark on the storage is what counts.
        """
        if _emulated is not None:
            return numpy.empty(nbytes, numpy.uint8)
        return _gpu_memory().pinned(nbytes) if _gpus()[0] else None

    def copy(self, dst: Any, dst_start: int, src: Any, src_start: int, nbytes: int) -> None:
        """Copy bytes from one buffer to another, on one device or two."""
        memory_for(dst).copy(dst, dst_start, src, src_start, nbytes)

    def resize(self, buffer: Any, nbytes: int) -> Any:
        """A buffer of another length on the same device that starts with the same bytes."""
        return memory_for(buffer).resize(buffer, nbytes)


if os.environ.get("TENSORKIT_CUDA"):
    from_environment(os.environ["TENSORKIT_CUDA"])
