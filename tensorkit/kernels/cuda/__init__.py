"""CUDA kernels: one body, three runners (a GPU, an emulated device, and Python taking notes).

What the rest of the engine calls:

    launch_zip(body, out, inputs, size)   out[i] = body(a[i], b[i], …), any strides and dtypes
    copy(dst, src, size)                  a strided copy with a cast, within one device
    emulate(), device_count(), is_available(), current_device(), active_runner()

Where to read: `bodies` (what a thread does), `plan` (sizes and strides), `convert` (reading and writing a
slot), `families` (a scalar body becomes a kernel), `compile` (a kernel becomes code), `runners`, `memory`,
`machine` (which devices there are), `launch`. Importing the package registers the device memory with
``storage``; Numba and the driver wait until the first kernel runs.
"""

from __future__ import annotations

from tensorkit import device, storage
from tensorkit.kernels.cuda.emulator import (
    CudaMemory,
    Emulation,
    active_runner,
    current_device,
    device_count,
    emulate,
    emulated_devices,
    gpu_missing,
    is_available,
    ledger,
    memory_for,
    set_current_device,
    using,
)
from tensorkit.kernels.cuda.launch import copy, launch_zip
from tensorkit.kernels.cuda.plan import Operand
from tensorkit.kernels.cuda.runners import EmulatedRunner, GpuRunner, Runner, TracedRunner

__all__ = [
    "EmulatedRunner",
    "Emulation",
    "GpuRunner",
    "Operand",
    "Runner",
    "TracedRunner",
    "active_runner",
    "copy",
    "current_device",
    "device_count",
    "emulate",
    "emulated_devices",
    "gpu_missing",
    "is_available",
    "launch_zip",
    "ledger",
    "memory_for",
    "set_current_device",
    "using",
]

storage.register_memory("cuda", CudaMemory())
device.register_cuda(device_count, current_device)
