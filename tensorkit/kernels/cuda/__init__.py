"""CUDA kernels: one body, three runners (a GPU, an emulated device, and Python taking notes).

What the rest of the engine calls:

    launch_zip(body, out, inputs, size)   out[i] = body(a[i], b[i], …), any strides and dtypes
    copy(dst, src, size)                  a strided copy with a cast, within one device
    enqueue(work, buffers)                any other work on device memory, in the order of its stream
    call(work, buffers)                   the same, with a result that the host waits for
    emulate(), device_count(), is_available(), current_device(), active_runner()

Where to read: `kernels` (what a thread does), `plan` (sizes and strides), `half` (reading and writing a slot),
`families` (a scalar body becomes a kernel), `compile` (a kernel becomes code), `runners`, `streams` (when it
runs), `faults`, `allocator` and `memory`, `emulator` (which devices there are), `launch`.

Importing the package loads none of them: each is loaded when it, or a name of it, is first used. So a program that
stays on the CPU does not load them; Numba and the driver wait until the first kernel runs.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tensorkit.device import register_cuda
from tensorkit.storage import register_memory

if TYPE_CHECKING:
    from tensorkit.kernels.cuda.emulator import (
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
        processors,
        set_current_device,
        streams_of,
        using,
    )
    from tensorkit.kernels.cuda.faults import Fault, sync_debug
    from tensorkit.kernels.cuda.gpu.libraries import place, table
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
    "place",
    "plan_zip",
    "processors",
    "set_current_device",
    "streams_of",
    "sync_debug",
    "table",
    "using",
]

_MODULES = ("emulator", "faults", "gpu.libraries", "launch", "launch_plan", "plan", "runners", "streams")


def _module(name: str) -> Any:
    return import_module(f"{__name__}.{name}")


def __getattr__(name: str) -> Any:
    """A module of the package, or a name of one, loaded on first use."""
    if name in __all__:
        homes = (vars(_module(module)) for module in _MODULES)
        globals()[name] = found = next(home[name] for home in homes if name in home)
        return found
    if name.startswith("_") or find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _module(name)


# Late: `device` and `storage`, on which the kernels are built, ask them; they are loaded when that happens.
register_cuda(lambda: _module("emulator").device_count(), lambda: _module("emulator").current_device())
register_memory("cuda", lambda: _module("emulator").CudaMemory())
if os.environ.get("TENSORKIT_CUDA"):
    _module("emulator")  # which reads it, and complains of what it does not understand
