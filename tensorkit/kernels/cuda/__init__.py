"""CUDA kernels: one body, three runners (a GPU, an emulated device, and Python taking notes).

What the rest of the engine calls:

    launch_zip(body, out, inputs, size, scalars)   out[i] = body(a[i], b[i], …, *scalars), any strides, any
    dtypes copy(dst, src, size)                           a strided copy with a cast, from and to any device
    or the host emulate(), device_count(), is_available(), current_device(), active_runner()

Importing this package registers the device memory with ``storage`` and imports neither Numba nor a driver.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, reduce
from math import prod
from typing import Any

import numpy

from tensorkit import device, dtypes, storage, trace
from tensorkit.dtypes import dtype, promote_types
from tensorkit.kernels.cuda.compile import Kernel
from tensorkit.kernels.cuda.convert import identity, raw_name
from tensorkit.kernels.cuda.families import Zip, scalar_values, zip_kernel
from tensorkit.kernels.cuda.machine import (
    CudaMemory,
    Emulation,
    active_runner,
    current_device,
    device_count,
    emulate,
    emulated_devices,
    gpu_missing,
    is_available,
    memory_for,
    runner_for,
    set_current_device,
    using,
)
from tensorkit.kernels.cuda.plan import Operand, Piece, extent, pieces, row_major
from tensorkit.kernels.cuda.runners import EmulatedRunner, GpuRunner, Runner, TracedRunner

__all__ = [
    "CudaMemory",
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
    "memory_for",
    "set_current_device",
    "using",
]

Ints = tuple[int, ...]
Function = Callable[..., Any]


def launch_zip(
    body: Function,
    out: Operand,
    inputs: tuple[Operand, ...],
    size: Ints,
    scalars: tuple[Any, ...] = (),
    index: int | None = None,
    compute: dtype | None = None,
) -> None:
    """``out[i] = body(a[i], b[i], …, *scalars)`` for every element of `size`, on the device that holds `out`.

    Args:
        body: a plain Python function of numbers that Numba can compile.
        out: where the result goes; its elements must not overlap.
        inputs: up to three operands on the same device, broadcast by strides of 0.
        size: the common size; nothing is launched when it is empty.
        scalars: further numbers for `body`, such as ``alpha``.
        index: the device, if another than `out` is on should be named in errors and traces.
        compute: the dtype that the inputs are converted to before `body` sees them; by default what they
        promote
            to. The half precisions are computed in float32 and rounded when they are stored.

    Raises:
        RuntimeError: when an operand's layout leaves its buffer, or its buffer is on another device.
    """
    if 0 in size:
        return
    runner = runner_for(out.buffer)
    operands = (out, *inputs)
    where = out.buffer.index if index is None else index
    _check(operands, size, where)
    kind = compute or (reduce(promote_types, (a.dtype for a in inputs)) if inputs else out.dtype)
    values = scalar_values(scalars, kind)
    kinds = tuple(operand.dtype for operand in operands)
    strides = tuple(operand.stride for operand in operands)
    for piece, kernel in _prepare(body, kinds, kind, len(scalars), size, strides, runner.native_half):
        _launch(runner, kernel, operands, piece, values, where)


@lru_cache(maxsize=4096)
def _prepare(
    scalar: Function,
    kinds: tuple[dtype, ...],
    compute: dtype,
    scalars: int,
    size: Ints,
    strides: tuple[Ints, ...],
    native_half: bool,
) -> tuple[tuple[Piece, Kernel], ...]:
    """Which launches, and of which kernel: the same question comes again and again in a loop."""
    return tuple(
        (piece, zip_kernel(Zip(scalar, kinds[0], kinds[1:], compute, piece.dims, scalars), native_half))
        for piece in pieces(size, strides)
    )


def _launch(
    runner: Runner,
    kernel: Kernel,
    operands: tuple[Operand, ...],
    piece: Piece,
    values: tuple[Any, ...],
    index: int,
) -> None:
    half = runner.native_half
    pointers = tuple(
        runner.pointer(operand, operand.offset + extra, raw_name(operand.dtype.name, half))
        for operand, extra in zip(operands, piece.offsets, strict=True)
    )
    arguments = (piece.count, *pointers, piece.size, *piece.strides, values)
    grid, block = runner.launch(kernel, arguments, piece.count, index)
    if trace.active:
        trace.emit(trace.LaunchEvent(kernel.name, (grid,), (block,), f"cuda:{index}", runner.name))


def _check(operands: tuple[Operand, ...], size: Ints, index: int) -> None:
    """What a GPU would only report as an illegal memory access, said before it happens."""
    for operand in operands:
        low, high = extent(size, operand.stride)
        room = operand.buffer.nbytes // operand.dtype.itemsize
        if operand.buffer.index != index:
            reason = f"a kernel on cuda:{index} was handed memory of cuda:{operand.buffer.index}"
        elif operand.offset + low < 0 or operand.offset + high >= room:
            reach = f"{operand.offset + low} to {operand.offset + high}"
            reason = f"a kernel was asked to reach elements {reach} of a buffer of {room}"
        else:
            continue
        raise RuntimeError(f"CUDA error: an illegal memory access was encountered\n{reason}")


# -- copies ---------------------------------------------------------------------------------------------

_BITS = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64"}


def copy(dst: Operand, src: Operand, size: Ints) -> None:
    """Copy `src` into `dst`, element by element, converting the dtype.

    Either side may be on any device or on the host, where `Operand.buffer` is a NumPy array of bytes. Between
    memories the elements travel packed, in the source's dtype, and are unpacked by a kernel, as in PyTorch.
    """
    if 0 in size:
        return
    source, target = _home(src), _home(dst)
    if source == target:
        (_host_copy if source is None else _kernel_copy)(dst, src, size)
        return
    packed = src if _is_packed(src, size) else _packed_copy(src, size)
    if target is None:
        _host_copy(dst, _download(packed, size), size)
    elif dst.dtype is src.dtype and _is_packed(dst, size):
        _move(dst, packed, _nbytes(dst, size))
    else:
        landed = _packed_like(dst.buffer, src.dtype, size)
        _move(landed, packed, _nbytes(src, size))
        _kernel_copy(dst, landed, size)


def _home(operand: Operand) -> Any:
    """Which memory an operand lies in: None for the host."""
    if isinstance(operand.buffer, numpy.ndarray):
        return None
    return id(memory_for(operand.buffer)), operand.buffer.index


def _nbytes(operand: Operand, size: Ints) -> int:
    return prod(size) * int(operand.dtype.itemsize)


def _is_packed(operand: Operand, size: Ints) -> bool:
    return all(n == 1 or a == b for n, a, b in zip(size, operand.stride, row_major(size), strict=True))


def _packed_like(buffer: Any, kind: dtype, size: Ints) -> Operand:
    """Fresh, packed room for `size` elements of `kind` in the memory that `buffer` lies in."""
    nbytes = prod(size) * kind.itemsize
    if isinstance(buffer, numpy.ndarray):
        return Operand(numpy.empty(nbytes, numpy.uint8), kind, row_major(size))
    return Operand(memory_for(buffer).allocate(nbytes, buffer.index), kind, row_major(size))


def _packed_copy(src: Operand, size: Ints) -> Operand:
    packed = _packed_like(src.buffer, src.dtype, size)
    copy(packed, src, size)
    return packed


def _download(packed: Operand, size: Ints) -> Operand:
    start = packed.offset * packed.dtype.itemsize
    data = memory_for(packed.buffer).to_host(packed.buffer, start, start + _nbytes(packed, size))
    return Operand(data, packed.dtype, row_major(size))


def _move(dst: Operand, src: Operand, nbytes: int) -> None:
    """Packed bytes of one dtype into a device's memory, from the host or a device."""
    memory = memory_for(dst.buffer)
    to, start = dst.offset * dst.dtype.itemsize, src.offset * src.dtype.itemsize
    if isinstance(src.buffer, numpy.ndarray):
        memory.from_host(dst.buffer, to, src.buffer[start : start + nbytes])
    else:
        memory.copy(dst.buffer, to, src.buffer, start, nbytes)


def _host_view(operand: Operand, size: Ints) -> Any:
    step = operand.dtype.itemsize
    whole = operand.buffer[: operand.buffer.size // step * step].view(operand.dtype.numpy)
    strides = tuple(stride * step for stride in operand.stride)
    return numpy.lib.stride_tricks.as_strided(whole[operand.offset :], size, strides)


def _host_copy(dst: Operand, src: Operand, size: Ints) -> None:
    with numpy.errstate(all="ignore"):
        numpy.copyto(_host_view(dst, size), _host_view(src, size), casting="unsafe")


def _kernel_copy(dst: Operand, src: Operand, size: Ints) -> None:
    if dst.dtype is not src.dtype:
        launch_zip(identity, dst, (src,), size, compute=dst.dtype)
        return
    if _is_packed(dst, size) and _is_packed(src, size) and dst.buffer is not src.buffer:
        _move(dst, src, _nbytes(dst, size))
        return
    launch_zip(identity, _as_bits(dst), (_as_bits(src),), size)


def _as_bits(operand: Operand) -> Operand:
    """A copy without a cast moves bits: one kernel a width serves all dtypes, and a nan stays as it is."""
    bits = _BITS.get(operand.dtype.itemsize)
    if bits is None:
        return operand
    kind: dtype = getattr(dtypes, bits)
    return Operand(operand.buffer, kind, operand.stride, operand.offset)


storage.register_memory("cuda", CudaMemory())
device.register_cuda(device_count, current_device)
