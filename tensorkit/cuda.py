"""CUDA devices: which there are, which is current, and how to practise without one.

>>> import tensorkit as tk
>>> with tk.cuda.emulate(devices=2):
...     t = tk.arange(3, device="cuda:1")
...     t + 1
tensor([1, 2, 3], device='cuda:1')
>>> tk.cuda.is_available()
False

Source: names, behaviour and errors follow https://docs.pytorch.org/docs/stable/cuda.html; `emulate` is ours.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import NamedTuple

from tensorkit.device import device as Device
from tensorkit.elementwise.run import register_zip
from tensorkit.errors import NoCudaError, OutOfMemoryError
from tensorkit.kernels import cuda as kernels
from tensorkit.kernels.cuda import Emulation, emulate
from tensorkit.kernels.cuda.emulator import NO_CUDA
from tensorkit.ops.shared.copy import register_copy
from tensorkit.ops.shared.on_cuda import copy_strided, zip_elements
from tensorkit.ops.tensor.cuda_kernels import launch, trace
from tensorkit.ops.tensor.typed_constructors import on_cuda
from tensorkit.tensor import Tensor

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "DeviceProperties",
    "Emulation",
    "OutOfMemoryError",
    "current_device",
    "device",
    "device_count",
    "device_of",
    "empty_cache",
    "emulate",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "is_available",
    "launch",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "memory_allocated",
    "seed",
    "seed_all",
    "set_device",
    "synchronize",
    "trace",
]

DeviceLike = Device | str | int | None


class DeviceProperties(NamedTuple):
    """What a CUDA device says of itself.

    Attributes:
        name: its name; an emulated device says that it is one.
        major, minor: its compute capability.
        total_memory: in bytes.
        multi_processor_count: how many multiprocessors it has.
        warp_size: how many threads run in step.
        is_emulated: whether this computer's CPU plays it.
    """

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    warp_size: int = 32
    is_emulated: bool = False

    def __repr__(self) -> str:
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory // 2**20}MB, multi_processor_count={self.multi_processor_count}"
            f"{', emulated on the CPU' if self.is_emulated else ''})"
        )


# -- which devices --------------------------------------------------------------------------------------


def is_available() -> bool:
    """Whether there is a CUDA device, real or emulated.

    >>> with emulate():
    ...     is_available()
    True
    """
    return kernels.is_available()


def device_count() -> int:
    """How many CUDA devices there are; 0 without a GPU and without emulation."""
    return kernels.device_count()


def _need_cuda() -> None:
    if not kernels.is_available():
        raise NoCudaError(NO_CUDA)


def _index(which: DeviceLike | device, *, optional: bool) -> int:
    """The index that a `device` argument means; None is the current device if `optional`."""
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


def current_device() -> int:
    """The index of the device on which ``device='cuda'`` allocates, for this thread.

    Raises:
        NoCudaError: without a GPU and without emulation (an AssertionError, as in PyTorch).

    >>> with emulate():
    ...     current_device()
    0
    """
    _need_cuda()
    return kernels.current_device()


def set_device(device: DeviceLike) -> None:
    """Make a device this thread's current one. A negative index changes nothing.

    Raises:
        ValueError: when `device` is not a CUDA device with an index.
        RuntimeError: when there is no such device.

    >>> with emulate(devices=2):
    ...     set_device("cuda:1")
    ...     current_device()
    1
    """
    index = _index(device, optional=False)
    if index < 0:
        return
    _need_cuda()
    if index >= device_count():
        raise RuntimeError(_no_such_device(index))
    kernels.set_current_device(index)


def _no_such_device(index: int) -> str:
    count = device_count()
    there = "there is 1 device: cuda:0" if count == 1 else f"there are {count}: cuda:0 to cuda:{count - 1}"
    return f"CUDA error: invalid device ordinal\nasked for cuda:{index}; {there}"


class device:
    """A context manager that makes a device the current one. A negative index or None changes nothing.

    Raises:
        RuntimeError: on entering, when there is no CUDA device, or not this one.

    >>> with emulate(devices=2), device(1):
    ...     current_device()
    1
    """

    def __init__(self, device: DeviceLike) -> None:
        self.idx = -1 if device is None else _index(device, optional=True)
        self.prev_idx = -1

    def __enter__(self) -> None:
        if not kernels.is_available():
            raise RuntimeError("tensorkit was compiled without CUDA support\n" + NO_CUDA.partition("\n")[2])
        self.prev_idx = kernels.current_device()
        set_device(self.idx)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        kernels.set_current_device(self.prev_idx)


class device_of(device):
    """A context manager that makes a tensor's device the current one; CPU tensors change nothing."""

    def __init__(self, obj: Tensor) -> None:
        super().__init__(obj.get_device() if obj.is_cuda else -1)


# -- what they are --------------------------------------------------------------------------------------


def get_device_properties(device: DeviceLike = None) -> DeviceProperties:
    """What a device (by default the current one) says of itself.

    Raises:
        NoCudaError: without any device.
        AssertionError: when there is no such device.

    >>> with emulate(capacity=2**30):
    ...     get_device_properties().total_memory == 2**30
    True
    """
    _need_cuda()
    index = _index(device, optional=True)
    if not 0 <= index < device_count():
        raise AssertionError("Invalid device id")
    memory = kernels.emulated_devices()
    if memory is None:
        return _gpu_properties(index)
    return DeviceProperties(
        name="tensorkit emulated device (no GPU: this computer's CPU plays its threads)",
        major=7,
        minor=5,
        total_memory=memory.devices[index].capacity,
        multi_processor_count=os.cpu_count() or 1,
        is_emulated=True,
    )


def _gpu_properties(index: int) -> DeviceProperties:
    from cuda.bindings import driver
    from cuda.core import Device as Gpu

    gpu = Gpu(index)
    gpu.set_current()
    capability, said = gpu.compute_capability, gpu.properties
    _, total = driver.cuDeviceTotalMem(index)
    return DeviceProperties(
        name=str(gpu.name),
        major=int(capability[0]),
        minor=int(capability[1]),
        total_memory=int(total),
        multi_processor_count=int(said.multiprocessor_count),
        warp_size=int(said.warp_size),
    )


def get_device_name(device: DeviceLike = None) -> str:
    """The name of a device (by default the current one).

    >>> with emulate():
    ...     get_device_name(0)
    "tensorkit emulated device (no GPU: this computer's CPU plays its threads)"
    """
    return get_device_properties(device).name


def get_device_capability(device: DeviceLike = None) -> tuple[int, int]:
    """The compute capability of a device, major and minor.

    >>> with emulate():
    ...     get_device_capability()
    (7, 5)
    """
    said = get_device_properties(device)
    return said.major, said.minor


# -- what they do and hold ------------------------------------------------------------------------------


def synchronize(device: DeviceLike = None) -> None:
    """Wait until a device (by default the current one) has done all work it was given.

    Raises:
        NoCudaError: without any device.
    """
    _need_cuda()
    index = _index(device, optional=True)
    kernels.streams_of(index).synchronize()


def memory_allocated(device: DeviceLike = None) -> int:
    """Bytes that tensors hold on a device now, in blocks of 512; 0 without any device, as in PyTorch.

    >>> import tensorkit as tk
    >>> with emulate():
    ...     t = tk.zeros(10, device="cuda")
    ...     memory_allocated()
    512
    """
    return _counted(device, "allocated")


def max_memory_allocated(device: DeviceLike = None) -> int:
    """The most bytes that tensors have held on a device so far, in blocks of 512."""
    return _counted(device, "peak")


def _counted(which: DeviceLike, name: str) -> int:
    if not is_available():
        return 0
    index = _index(which, optional=True)
    if not 0 <= index < device_count():
        raise AssertionError("Invalid device id")
    count: int = getattr(kernels.ledger(index), name)
    return count


def empty_cache() -> None:
    """Give memory back that no tensor holds: nothing to do, for it went back when its last tensor did.

    >>> empty_cache()
    """


# -- their random numbers -------------------------------------------------------------------------------
# tensorkit draws on the CPU alone, so there is no generator on a device that could be seeded. Programs that seed
# every device run as they do in PyTorch where there is none: a seed has to be a number, and that is all.


def manual_seed(seed: int) -> None:
    """Seed the current device, as programs do that seed all there is: without effect, random numbers come from the CPU.

    Raises:
        ValueError, TypeError: for what `int` does not take.

    >>> manual_seed(0)
    """
    int(seed)


def manual_seed_all(seed: int) -> None:
    """`manual_seed` of all devices.

    >>> manual_seed_all(0)
    """
    int(seed)


def seed() -> None:
    """Seed the current device with a new random number: without effect, as `manual_seed`."""


def seed_all() -> None:
    """`seed` of all devices."""


# What code of earlier years makes its tensors with: ``cuda.FloatTensor(2, 3)``.
(
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
) = on_cuda()

register_zip("cuda", zip_elements)
register_copy("cuda", copy_strided)
