"""Which CUDA devices there are, and which is current.

Source: names, behaviour and errors follow https://docs.pytorch.org/docs/stable/cuda.html.
"""

from __future__ import annotations

from types import TracebackType

from tensorkit.device import device as Device
from tensorkit.errors import NoCudaError
from tensorkit.kernels import cuda as kernels
from tensorkit.kernels.cuda.emulator import NO_CUDA
from tensorkit.tensor import Tensor

DeviceLike = Device | str | int | None


def is_available() -> bool:
    """Whether there is a CUDA device, real or emulated.

    >>> with tk.cuda.emulate():
    ...     is_available()
    True
    """
    return kernels.is_available()


def device_count() -> int:
    """How many CUDA devices there are; 0 without a GPU and without emulation."""
    return kernels.device_count()


def need_cuda() -> None:
    """Refuse to go on without any device.

    Raises:
        NoCudaError: without a GPU and without emulation (an AssertionError, as in PyTorch).
    """
    if not kernels.is_available():
        raise NoCudaError(NO_CUDA)


def index_of(which: DeviceLike | device, *, optional: bool) -> int:
    """The index that a `device` argument means; None is the current device if `optional`.

    Raises:
        ValueError: when it names no CUDA device, or none in particular.
    """
    if isinstance(which, device):
        return which.idx
    if isinstance(which, int):
        return which
    place = Device(which) if isinstance(which, str) else which
    if place is not None and place.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {place}")
    if place is not None and place.index is not None:
        return place.index
    if not optional:
        raise ValueError(f"Expected a tensorkit.device with a specified index or an integer, but got:{which}")
    return current_device()


def checked_index(which: DeviceLike | device = None) -> int:
    """The index that a `device` argument means, of a device that is there; None is the current one.

    Raises:
        NoCudaError: without any device.
        AssertionError: when there is no such device.
    """
    need_cuda()
    index = index_of(which, optional=True)
    if not 0 <= index < device_count():
        raise AssertionError("Invalid device id")
    return index


def current_device() -> int:
    """The index of the device on which ``device='cuda'`` allocates, for this thread.

    Raises:
        NoCudaError: without a GPU and without emulation (an AssertionError, as in PyTorch).

    >>> with tk.cuda.emulate():
    ...     current_device()
    0
    """
    need_cuda()
    return kernels.current_device()


def set_device(device: DeviceLike) -> None:
    """Make a device this thread's current one. A negative index changes nothing.

    Raises:
        ValueError: when `device` is not a CUDA device with an index.
        RuntimeError: when there is no such device.

    >>> with tk.cuda.emulate(devices=2):
    ...     set_device("cuda:1")
    ...     current_device()
    1
    """
    index = index_of(device, optional=False)
    if index < 0:
        return
    need_cuda()
    if index >= device_count():
        raise RuntimeError(_no_such_device(index))
    kernels.set_current_device(index)


def _no_such_device(index: int) -> str:
    count = device_count()
    there = "there is 1 device: cuda:0" if count == 1 else f"there are {count}: cuda:0 to cuda:{count - 1}"
    return f"CUDA error: invalid device ordinal\nasked for cuda:{index}; {there}"


def present_index(device: DeviceLike) -> int:
    """The index of a device that is there, as CUDA sees it: it refuses to make another one the current one.

    Raises:
        RuntimeError: when there is no such device.
    """
    index = index_of(device, optional=True)
    if index < 0:
        return kernels.current_device()
    if index >= kernels.device_count():
        set_device(index)  # says so
    return index


class device:
    """A context manager that makes a device the current one. A negative index or None changes nothing.

    Raises:
        RuntimeError: on entering, when there is no CUDA device, or not this one.

    >>> with tk.cuda.emulate(devices=2), device(1):
    ...     current_device()
    1
    """

    def __init__(self, device: DeviceLike) -> None:
        self.idx = -1 if device is None else index_of(device, optional=True)
        self.prev_idx = -1

    def __enter__(self) -> None:
        if not kernels.is_available():
            if self.idx < 0:
                return
            raise RuntimeError("tensorkit was compiled without CUDA support\n" + NO_CUDA.partition("\n")[2])
        self.prev_idx = kernels.current_device()
        set_device(self.idx)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self.prev_idx >= 0:
            kernels.set_current_device(self.prev_idx)


class device_of(device):
    """A context manager that makes a tensor's device the current one; CPU tensors change nothing."""

    def __init__(self, obj: Tensor) -> None:
        super().__init__(obj.get_device() if obj.is_cuda else -1)
