"""Library calls: work that the kit hands to a library of the device's own instead of a kernel of its own.

Factorisations, large matrix products and sorts are the work of years; PyTorch gives them to cuSOLVER, cuBLAS and CUB.
On a GPU CuPy hands them to those (`gpu.libraries`); on an emulated device NumPy and SciPy do them, on the device's own
bytes. Nothing crosses to the host and nothing is counted as a transfer. Each call is an event that names the operation
and the library (`tracing.LibraryEvent`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tensorkit import tracing
from tensorkit.kernels.cuda.faults import held_up
from tensorkit.kernels.cuda.gpu.libraries.place import has_cupy
from tensorkit.kernels.cuda.gpu.streams import gpu_streams
from tensorkit.kernels.cuda.memory import Bytes, EmulatedBuffer
from tensorkit.kernels.cuda.streams import enqueue, wait_for
from tensorkit.kernels.cuda.told import begin, end, tell


def works_in(buffer: Any) -> bool:
    """Whether there is a library that can work in the memory of a buffer's device."""
    return not is_gpus(buffer) or has_cupy()


def is_gpus(buffer: Any) -> bool:
    """Whether a buffer lies in a GPU's memory, where no library of the host can work."""
    return buffer.streams is None


def bytes_of(buffer: EmulatedBuffer) -> Bytes:
    """The bytes of a buffer for a library that runs where they lie."""
    return buffer._bytes


def held() -> None:
    """The program is held up by what comes (see ``set_sync_debug_mode``)."""
    held_up()


def wait(buffer: Any) -> None:
    """Wait for the current stream of a buffer's device: the program is held up (see ``set_sync_debug_mode``)."""
    held_up()
    wait_for(buffer)


def queue(name: str, library: str, work: Callable[[], None], buffers: Sequence[Any], flops: int = 0) -> None:
    """Give a library's work to the current stream, and tell the listeners.

    Args:
        flops: additions and multiplications, where they are known.
    """
    enqueue(work, buffers)
    told(name, library, buffers, flops=flops)


def keep(data: Bytes, beside: Any) -> EmulatedBuffer:
    """What a library has computed, as a buffer on the same device as `beside`."""
    memory = beside.memory
    buffer: EmulatedBuffer = memory.allocate(data.size, beside.index)
    wait_for(buffer)
    buffer._bytes[: data.size] = data
    return buffer


@contextmanager
def timed(buffer: Any) -> Iterator[None]:
    """Let a GPU's clock time what its current stream is given in the block, for those who listen (see `told`)."""
    if not tracing.active:
        yield
        return
    stream = gpu_streams(buffer.index).current()
    begun = begin(stream)
    yield
    end(stream, begun)


def told(name: str, library: str, buffers: Sequence[Any], runner: str = "emulated", **more: Any) -> None:
    """Tell the listeners of a library call on the device that holds the buffers, the first of them at least."""
    if tracing.active:
        tracing.emit(tracing.LibraryEvent(name, library, f"cuda:{buffers[0].index}", runner))
        tell("library", name, buffers[0], nbytes=sum(buffer.nbytes for buffer in buffers), **more)
