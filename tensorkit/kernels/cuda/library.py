"""Library calls: work that the kit hands to a library of the device's own instead of a kernel of its own.

Factorisations, large matrix products and sorts are the work of years; PyTorch gives them to cuSOLVER, cuBLAS and CUB.
On an emulated device NumPy and SciPy do them, on the device's own bytes: nothing crosses to the host and nothing is
counted as a transfer. Each call is an event that names the operation and the library (`tracing.LibraryEvent`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit import tracing
from tensorkit.errors import MissingKernelError
from tensorkit.kernels.cuda.faults import held_up
from tensorkit.kernels.cuda.memory import Bytes, EmulatedBuffer
from tensorkit.kernels.cuda.streams import enqueue, wait_for
from tensorkit.kernels.cuda.told import tell

__all__ = ["bytes_of", "keep", "queue", "told", "wait"]


def bytes_of(buffer: Any, name: str) -> Bytes:
    """The bytes of a buffer for a library that runs where they lie.

    Raises:
        MissingKernelError: on a GPU, whose memory no library of the host can work in.
    """
    if not isinstance(buffer, EmulatedBuffer):
        raise MissingKernelError(
            f"Could not run 'aten::{name}' with arguments from the 'CUDA' backend: no library on this GPU does it yet. "
            "Move the tensors first: t.cpu() returns a copy on the CPU."
        )
    return buffer._bytes


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


def told(name: str, library: str, buffers: Sequence[Any], **more: Any) -> None:
    """Tell the listeners of a library call on the device that holds the buffers, the first of them at least."""
    if tracing.active:
        tracing.emit(tracing.LibraryEvent(name, library, f"cuda:{buffers[0].index}", "emulated"))
        tell("library", name, buffers[0], nbytes=sum(buffer.nbytes for buffer in buffers), **more)
