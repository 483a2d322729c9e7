"""The accelerator, whichever it is: here CUDA, real or emulated, or none.

Code that names no kind of device asks here where to compute.

>>> device = tk.accelerator.current_accelerator() if tk.accelerator.is_available() else "cpu"
>>> with tk.cuda.emulate(devices=2):
...     tk.ones(2, device=tk.accelerator.current_accelerator())
tensor([1., 1.], device='cuda:0')

Source: names, behaviour and sentences follow https://docs.pytorch.org/docs/stable/accelerator.html.
"""

from __future__ import annotations

import warnings
from typing import Any

from tensorkit import cuda
from tensorkit.device import device
from tensorkit.kernels import cuda as kernels
from tensorkit.kernels.cuda.emulator import NO_CUDA

__all__ = [
    "current_accelerator",
    "current_device_idx",
    "current_device_index",
    "current_stream",
    "device_count",
    "device_index",
    "empty_cache",
    "get_memory_info",
    "is_available",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "set_device_idx",
    "set_device_index",
    "set_stream",
    "synchronize",
]


def __dir__() -> list[str]:
    return __all__


_NONE = "Cannot access accelerator device when none is available.\n" + NO_CUDA.partition("\n")[2]


def is_available() -> bool:
    """Whether there is an accelerator, real or emulated.

    >>> with cuda.emulate():
    ...     is_available()
    True
    """
    return cuda.is_available()


def current_accelerator(check_available: bool = False) -> device | None:
    """The kind of accelerator, as a device without a number; None where there is none.

    Args:
        check_available: makes no difference here: what is not there is not named either.

    >>> with cuda.emulate():
    ...     current_accelerator()
    device(type='cuda')
    """
    return device("cuda") if is_available() else None


def device_count() -> int:
    """How many devices of the accelerator's kind there are."""
    return cuda.device_count()


def _need_one() -> None:
    if not is_available():
        raise RuntimeError(_NONE)


def _index(which: Any, *, optional: bool) -> int:
    """The number that a `device` argument means; None is the current device if `optional`."""
    if isinstance(which, int):
        return which
    place = device(which) if isinstance(which, str) else which
    if isinstance(place, device):
        if not is_available():
            raise RuntimeError("Accelerator expected")
        if place.type != "cuda":
            raise ValueError(f"{place.type} doesn't match the current accelerator cuda.")
        if place.index is not None:
            return place.index
    if not optional:
        raise ValueError(f"Expected a tensorkit.device with a specified index or an integer, but got:{place}")
    return current_device_index()


def current_device_index() -> int:
    """The number of the device on which the accelerator allocates, for this thread.

    Raises:
        RuntimeError: without an accelerator.

    >>> with cuda.emulate():
    ...     current_device_index()
    0
    """
    _need_one()
    return cuda.current_device()


def set_device_index(device: Any, /) -> None:
    """Make a device this thread's current one. A negative number changes nothing.

    Raises:
        ValueError: when `device` names another kind, or no number.
        RuntimeError: without an accelerator, and when there is no such device.

    >>> with cuda.emulate(devices=2):
    ...     set_device_index(1)
    ...     current_device_index()
    1
    """
    index = _index(device, optional=False)
    if index >= 0:
        _need_one()
        cuda.set_device(index)


def current_device_idx() -> int:
    """The old name of `current_device_index`."""
    warnings.warn("Use `current_device_index` instead.", FutureWarning, stacklevel=2)
    return current_device_index()


def set_device_idx(device: Any, /) -> None:
    """The old name of `set_device_index`."""
    warnings.warn("Use `set_device_index` instead.", FutureWarning, stacklevel=2)
    set_device_index(device)


def synchronize(device: Any = None, /) -> None:
    """Wait until a device (by default the current one) has done all work it was given.

    Raises:
        RuntimeError: without an accelerator.
    """
    index = _index(device, optional=True)
    _need_one()
    cuda.synchronize(index)


def memory_allocated(device_index: Any = None, /) -> int:
    """Bytes that tensors hold on a device now.

    Raises:
        RuntimeError: without an accelerator.

    >>> with cuda.emulate():
    ...     t = tk.zeros(10, device="cuda")
    ...     memory_allocated()
    512
    """
    _need_one()
    return cuda.memory_allocated(_index(device_index, optional=True))


def max_memory_allocated(device_index: Any = None, /) -> int:
    """The most bytes that tensors have held on a device so far.

    Raises:
        RuntimeError: without an accelerator.
    """
    _need_one()
    return cuda.max_memory_allocated(_index(device_index, optional=True))


def memory_reserved(device_index: Any = None, /) -> int:
    """Bytes that the allocator has taken from a device: what tensors hold, and what it keeps for the next.

    Raises:
        RuntimeError: without an accelerator.
    """
    _need_one()
    return cuda.memory_reserved(_index(device_index, optional=True))


def max_memory_reserved(device_index: Any = None, /) -> int:
    """The most bytes that the allocator has held of a device so far.

    Raises:
        RuntimeError: without an accelerator.
    """
    _need_one()
    return cuda.max_memory_reserved(_index(device_index, optional=True))


def memory_stats(device_index: Any = None, /) -> dict[str, Any]:
    """What the allocator of a device has counted: see `tensorkit.cuda.memory_stats`.

    Raises:
        RuntimeError: without an accelerator.
    """
    _need_one()
    return cuda.memory_stats(_index(device_index, optional=True))


def get_memory_info(device_index: Any = None, /) -> tuple[int, int]:
    """Free and total bytes of a device.

    Raises:
        RuntimeError: without an accelerator.

    >>> with cuda.emulate(capacity=2**30):
    ...     get_memory_info()
    (1073741824, 1073741824)
    """
    _need_one()
    return cuda.mem_get_info(_index(device_index, optional=True))


def reset_peak_memory_stats(device_index: Any = None, /) -> None:
    """Reset the peaks of a device to the current use.

    Raises:
        RuntimeError: without an accelerator.
    """
    _need_one()
    cuda.reset_peak_memory_stats(_index(device_index, optional=True))


def reset_accumulated_memory_stats(device_index: Any = None, /) -> None:
    """Let all that came and went on a device be counted from now on.

    Raises:
        RuntimeError: without an accelerator.
    """
    _need_one()
    cuda.reset_accumulated_memory_stats(_index(device_index, optional=True))


def empty_cache() -> None:
    """Give memory back to all devices that the allocator keeps and no tensor lies in.

    Raises:
        RuntimeError: without an accelerator.
    """
    _need_one()
    cuda.empty_cache()


def current_stream(device: Any = None, /) -> cuda.Stream:
    """The stream that work for a device goes to, for this thread.

    Raises:
        RuntimeError: without an accelerator.

    >>> with cuda.emulate():
    ...     current_stream()
    <tensorkit.cuda.Stream device=cuda:0 cuda_stream=0x0>
    """
    _need_one()
    return cuda.current_stream(_index(device, optional=True))


def set_stream(stream: cuda.Stream) -> None:
    """Make a stream, and its device, the current one of this thread.

    Raises:
        RuntimeError: without an accelerator.
    """
    _need_one()
    cuda.set_stream(stream)


class device_index:
    """A context manager that makes a device the current one, by its number; None changes nothing.

    Raises:
        RuntimeError: on entering, without an accelerator, and when there is no such device.

    >>> with cuda.emulate(devices=2), device_index(1):
    ...     current_device_index()
    1
    """

    def __init__(self, device: int | None, /) -> None:
        self.idx = device
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx is not None:
            self.prev_idx = current_device_index()
            set_device_index(self.idx)

    def __exit__(self, *exc_info: object) -> None:
        if self.idx is not None:
            kernels.set_current_device(self.prev_idx)
