"""Launching: from operands on a device to kernels that have run.

Everything here is integers and buffers; tensors are unpacked by the caller.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, reduce
from math import prod
from typing import Any

from tensorkit import tracing
from tensorkit.dtypes import dtype, promote_types
from tensorkit.kernels.cuda import told
from tensorkit.kernels.cuda.compile import Kernel, Pointer
from tensorkit.kernels.cuda.emulator import memory_for, runner_for
from tensorkit.kernels.cuda.families import Zip, scalar_values, widest
from tensorkit.kernels.cuda.half import identity
from tensorkit.kernels.cuda.plan import Operand, extent, is_row_major
from tensorkit.kernels.cuda.runners import EmulatedRunner, Launch
from tensorkit.kernels.cuda.work import Work, as_bits, is_staged, run_staged
from tensorkit.kernels.scalars.forms import Scalar

Ints = tuple[int, ...]
Function = Callable[..., Any]
Number = bool | int | float | complex


def launch_zip(
    body: Function | Scalar,
    out: Operand,
    inputs: tuple[Operand | Number, ...],
    size: Ints,
    scalars: tuple[Any, ...] = (),
    index: int | None = None,
    compute: dtype | tuple[dtype, ...] | None = None,
    result: dtype | None = None,
) -> None:
    """``out[i] = body(a[i], b[i], …, *scalars)`` for every element of `size`, on the device of `out`.

    Args:
        body: a plain Python function of numbers that Numba can compile, or a `Scalar`.
        out: where the result goes; its elements must not overlap.
        inputs: in the order in which `body` takes them, numbers and up to five operands on the same device,
            broadcast by strides of 0.
        size: the common size; nothing is launched when it is empty.
        scalars: further numbers for `body`, such as ``alpha``.
        index: the device, if another than `out` is on should be named in errors and traces.
        compute: the dtype that the inputs are converted to before `body` sees them, or one for each of `inputs`;
            by default what they promote to. The half precisions are computed in float32.
        result: the dtype that results are rounded to before they are converted to that of `out`; by default that.

    Raises:
        RuntimeError: when an operand's layout leaves its buffer, or its buffer is on another device.
    """
    if 0 in size:
        return
    runner = runner_for(out.buffer)
    operands = (out, *(a for a in inputs if isinstance(a, Operand)))
    where = out.buffer.index if index is None else index
    _check(operands, size, where)
    spec = specified(body, operands, inputs, len(scalars), compute, result)
    numbers = tuple(a for a in inputs if not isinstance(a, Operand))
    values = scalar_values((*numbers, *scalars), spec.number or spec.main)
    work = Work(runner, where, getattr(out.buffer, "streams", None))
    if isinstance(runner, EmulatedRunner) and is_staged(spec, operands, size, runner):
        run_staged(work, spec, operands, size, values)
    else:
        work.zip(spec, operands, size, values)
    work.tell(operands, size)


def specified(
    body: Function | Scalar,
    operands: tuple[Operand, ...],
    inputs: tuple[Operand | Number, ...],
    more: int,
    compute: dtype | tuple[dtype, ...] | None,
    result: dtype | None,
) -> Zip:
    """What is asked of the zip family; the number of dimensions is not known yet."""
    out, *given = operands
    order = "".join("t" if isinstance(a, Operand) else "n" for a in inputs)
    if compute is None:
        compute = reduce(promote_types, (a.dtype for a in given)) if given else out.dtype
    return _spec_of(body, out.dtype, tuple(a.dtype for a in given), compute, order, more, result)


@lru_cache(maxsize=4096)
def _spec_of(
    body: Function | Scalar,
    out: dtype,
    kinds: tuple[dtype, ...],
    compute: dtype | tuple[dtype, ...],
    order: str,
    more: int,
    result: dtype | None,
) -> Zip:
    each = compute if isinstance(compute, tuple) else (compute,) * len(order)
    main = widest(each) if each else compute
    assert isinstance(main, dtype)
    function = body.of(main) if isinstance(body, Scalar) else body
    numbers = [kind for kind, letter in zip(each, order, strict=True) if letter == "n"]
    number = widest(numbers) if numbers else main
    tensors = tuple(kind for kind, letter in zip(each, order, strict=True) if letter == "t")
    name, wide = (body.name, body.is_wide(main)) if isinstance(body, Scalar) else ("", False)
    pattern = order + "n" * more if "nt" in order else ""
    return Zip(function, out, kinds, tensors, 0, len(numbers) + more, result, number, pattern, wide, name)


def launch_kernel(
    kernel: Kernel,
    counts: Ints,
    operands: tuple[Operand, ...],
    layouts: tuple[Any, ...],
    *,
    threads: int = 0,
    blocks: int = 0,
    guard: str = "",
) -> None:
    """Launch a kernel that takes counts first, then a pointer for each operand, then how they lie.

    Args:
        threads: how many threads have something to do. blocks: or how many blocks, of all whose threads one needs.
        guard: of a kernel that follows indices: see `Launch`.
    """
    where = operands[0].buffer
    runner = runner_for(where)
    kinds = [argument.kind for argument in kernel.arguments if isinstance(argument, Pointer)]
    pointers = tuple(
        runner.pointer(operand, operand.offset, kind) for operand, kind in zip(operands, kinds, strict=False)
    )
    buffers = [operand.buffer for operand in operands]
    arguments = (*counts, *pointers, *layouts)
    grid, block = runner.launch(Launch(kernel, arguments, where.index, buffers, threads, blocks, guard))
    if tracing.active:
        tracing.emit(tracing.LaunchEvent(kernel.name, (grid,), (block,), f"cuda:{where.index}", runner.name))
        told.tell("kernel", kernel.name, where, nbytes=told.reached(operands))


def check_reach(operands: tuple[tuple[Operand, Ints], ...]) -> None:
    """Refuse layouts that leave their buffers, each operand with its own size."""
    for operand, size in operands:
        if 0 not in size:
            _check((operand,), size, operands[0][0].buffer.index)


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


def copy(dst: Operand, src: Operand, size: Ints) -> None:
    """Copy `src` into `dst`, element by element, converting the dtype; both lie on one device.

    Packed elements that keep their dtype move as one block of bytes. Anything else takes a kernel: the zip
    family's, with the identity for a body.

    Raises:
        RuntimeError: when an operand's layout leaves its buffer, or the buffers are on two devices.
    """
    if 0 in size:
        return
    if dst.dtype is not src.dtype:
        launch_zip(identity, dst, (src,), size, compute=dst.dtype)
    elif dst.buffer is not src.buffer and is_row_major(dst, size) and is_row_major(src, size):
        item = dst.dtype.itemsize
        _check((dst, src), size, dst.buffer.index)
        memory = memory_for(dst.buffer)
        memory.copy(dst.buffer, dst.offset * item, src.buffer, src.offset * item, prod(size) * item)
    else:
        launch_zip(identity, as_bits(dst), (as_bits(src),), size)
