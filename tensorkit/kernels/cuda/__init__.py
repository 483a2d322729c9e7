"""CUDA kernels: one body, three runners (a GPU, an emulated device, and Python taking notes).

What the rest of the engine calls:

    launch_zip(body, out, inputs, size)   out[i] = body(a[i], b[i], …), any strides and dtypes
    copy(dst, src, size)                  a strided copy with a cast, within one device
    enqueue(work, buffers)                any other work on device memory, in the order of its stream
    call(work, buffers)                   the same, with a result that the host waits for
    emulate(), device_count(), is_available(), current_device(), active_runner()

Where to read: `kernels` (what a thread does), `plan` (sizes and strides), `half` (reading and writing a slot),
`families` (a scalar body becomes a kernel), `compile` (a kernel becomes code), `runners`, `streams` (when it
runs), `faults`, `allocator` and `memory`, `emulator` (which devices there are), `launch`. Importing the package
registers the device memory with ``storage``; Numba and the driver wait until the first kernel runs.
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
    is_initialized,
    ledger,
    lend,
    memory_for,
    set_current_device,
    streams_of,
    using,
)
from tensorkit.kernels.cuda.faults import Fault, sync_debug
from tensorkit.kernels.cuda.launch import copy, launch_zip
from tensorkit.kernels.cuda.launch_plan import LaunchPlan, plan_zip
from tensorkit.kernels.cuda.plan import Operand
from tensorkit.kernels.cuda.runners import EmulatedRunner, GpuRunner, Runner, TracedRunner
from tensorkit.kernels.cuda.streams import call, enqueue

__all__ = [
    "EmulatedRunner",
    "Emulation",
    "Fault",
    "GpuRunner",
    "LaunchPlan",
    "Operand",
    "Runner",
    "TracedRunner",
    "active_runner",
    "call",
    "copy",
    "current_device",
    "device_count",
    "emulate",
    "emulated_devices",
    "enqueue",
    "gpu_missing",
    "is_available",
    "is_initialized",
    "launch_zip",
    "ledger",
    "lend",
    "memory_for",
    "plan_zip",
    "set_current_device",
    "streams_of",
    "sync_debug",
    "using",
]

_memory = CudaMemory()
storage.register_memory("cuda", _memory)
storage.register_pinned(_memory.pinned)
device.register_cuda(device_count, current_device)
