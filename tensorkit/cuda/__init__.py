"""CUDA devices: which there are, which is current, and how to practise without one.

>>> with tk.cuda.emulate(devices=2):
...     t = tk.arange(3, device="cuda:1")
...     t + 1
tensor([1, 2, 3], device='cuda:1')
>>> tk.cuda.is_available()
False

Source: names, behaviour and errors follow https://docs.pytorch.org/docs/stable/cuda.html; `emulate` is ours.
"""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

from tensorkit.cuda.decorator import jit
from tensorkit.cuda.devices import (
    DeviceLike,
    checked_index,
    current_device,
    device,
    device_count,
    device_of,
    index_of,
    is_available,
    need_cuda,
    present_index,
    set_device,
)
from tensorkit.cuda.memory import (
    empty_cache,
    get_per_process_memory_fraction,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
)
from tensorkit.cuda.random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from tensorkit.cuda.streams import (
    Event,
    ExternalStream,
    Stream,
    StreamContext,
    current_stream,
    default_stream,
    get_stream_from_external,
    get_sync_debug_mode,
    set_stream,
    set_sync_debug_mode,
    stream,
)
from tensorkit.errors import AcceleratorError, OutOfMemoryError
from tensorkit.kernels import cuda as kernels
from tensorkit.kernels.cuda import Emulation, emulate, told
from tensorkit.kernels.cuda.emulator import UNITS
from tensorkit.ops.tensor.cuda_kernels import launch, trace
from tensorkit.ops.tensor.typed_constructors import on_cuda

__all__ = [
    "set_rng_state_all",
    "set_rng_state",
    "initial_seed",
    "get_rng_state_all",
    "get_rng_state",
    "AcceleratorError",
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DeviceProperties",
    "DoubleTensor",
    "Emulation",
    "Event",
    "ExternalStream",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "OutOfMemoryError",
    "ShortTensor",
    "Stream",
    "StreamContext",
    "amp",
    "can_device_access_peer",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "empty_cache",
    "emulate",
    "get_arch_list",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_gencode_flags",
    "get_per_process_memory_fraction",
    "get_stream_from_external",
    "get_sync_debug_mode",
    "init",
    "ipc_collect",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "jit",
    "launch",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_snapshot",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_per_process_memory_fraction",
    "set_stream",
    "set_sync_debug_mode",
    "stream",
    "synchronize",
    "trace",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Load `amp` on first use: it is built on this module."""
    if name == "amp":
        return importlib.import_module(f"{__name__}.amp")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class DeviceProperties(NamedTuple):
    """The properties of a CUDA device.

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


# -- what they are --------------------------------------------------------------------------------------


def get_device_properties(device: DeviceLike = None) -> DeviceProperties:
    """The properties of a device, by default the current one.

    Raises:
        NoCudaError: without any device.
        AssertionError: when there is no such device.

    >>> with emulate(capacity=2**30):
    ...     get_device_properties().total_memory == 2**30
    True
    """
    index = checked_index(device)
    memory = kernels.emulated_devices()
    if memory is None:
        return _gpu_properties(index)
    return DeviceProperties(
        name="tensorkit emulated device (no GPU: this computer's CPU plays its threads)",
        major=7,
        minor=5,
        total_memory=memory.devices[index].capacity,
        multi_processor_count=UNITS,
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


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the current device computes with bfloat16: an emulated one too, through float32.

    Args:
        including_emulation: whether a device that has no instructions for it counts.

    >>> is_bf16_supported()
    False
    >>> with emulate():
    ...     is_bf16_supported(), is_bf16_supported(including_emulation=False)
    (True, False)
    """
    return is_available() and (including_emulation or get_device_properties().major >= 8)


def can_device_access_peer(device: DeviceLike, peer_device: DeviceLike) -> bool:
    """Whether a device can read another's memory without a copy through the host; its own it is not asked for.

    Raises:
        NoCudaError: without any device.
        AssertionError: when there is no such device.

    >>> with emulate(devices=2):
    ...     can_device_access_peer(0, 1), can_device_access_peer(0, 0)
    (True, False)
    """
    index, peer = checked_index(device), index_of(peer_device, optional=False)
    if not 0 <= peer < device_count():
        raise AssertionError("Invalid peer device id")
    if index == peer:
        return False
    if kernels.emulated_devices() is not None:
        return True
    from cuda.core import Device as Gpu

    return bool(Gpu(index).can_access_peer(peer))


_ARCHITECTURES = ("sm_75", "sm_80", "sm_90")


def get_arch_list() -> list[str]:
    """The GPU architectures that kernels are prepared for; on others they are compiled when first needed.

    >>> get_arch_list()
    []
    >>> with emulate():
    ...     get_arch_list()
    ['sm_75', 'sm_80', 'sm_90']
    """
    return list(_ARCHITECTURES) if is_available() else []


def get_gencode_flags() -> str:
    """The same as flags for NVIDIA's compiler."""
    numbers = [name.partition("_")[2] for name in get_arch_list()]
    return " ".join(f"-gencode compute=compute_{number},code=sm_{number}" for number in numbers)


# -- what they do ---------------------------------------------------------------------------------------


def init() -> None:
    """Begin to use CUDA; every other function does so by itself.

    Raises:
        NoCudaError: without any device.
    """
    need_cuda()


def is_initialized() -> bool:
    """Whether CUDA is in use. A GPU is from the first call on that needs it; emulated devices always are.

    >>> with emulate():
    ...     is_initialized()
    True
    """
    return kernels.is_initialized()


def ipc_collect() -> None:
    """Give back memory that another process no longer uses: there is none, memory of a device stays in one process.

    Raises:
        NoCudaError: without any device.
    """
    need_cuda()


def synchronize(device: DeviceLike = None) -> None:
    """Wait until a device (by default the current one) has done all work it was given.

    Raises:
        NoCudaError: without any device.
        AcceleratorError: when some of it failed.

    >>> with emulate():
    ...     t = tk.ones(2, device="cuda") + 1
    ...     synchronize()
    """
    need_cuda()
    streams = kernels.streams_of(present_index(device))
    told.tell_wait("synchronize", streams, streams.synchronize)


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
