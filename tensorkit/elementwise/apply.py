"""Pointwise operations: one mechanism from operands to result, for every dtype, layout and device.

The way of ``a + b``: `result_dtype` promotes, the layouts are broadcast (stride 0, no copy), the output gets the
strides PyTorch would give it, the kernel of the device runs over buffers. `binary` and `unary` make functions,
methods and operators of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy

from tensorkit.device import device
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.device_plan import planned_new
from tensorkit.elementwise.output import check_memory, empty_strided, is_resized_late, prepare_out, stride_of
from tensorkit.elementwise.plan import plain
from tensorkit.elementwise.promotion import check_alpha, check_castable, check_devices, dtypes_of
from tensorkit.elementwise.run import run_kernel
from tensorkit.errors import warn, within_memory
from tensorkit.kernels.scalars.forms import Scalar
from tensorkit.strides.sizes import broadcast_sizes
from tensorkit.tensor import Tensor

_ENDLESS = 1 << 40
"""Elements of an expanded tensor that no write comes to the end of."""


@within_memory
def apply(
    block: Pointwise,
    operands: tuple[Any, ...],
    *,
    alpha: Any = None,
    out: Tensor | None = None,
    inplace: bool = False,
    by: Any = None,
    scalar: Scalar | None = None,
    numbers: tuple[Any, ...] = (),
) -> Tensor:
    """Run a pointwise operation on tensors and numbers, into a new tensor, `out`, or (`inplace`) the first operand.

    ``out=IN_PLACE`` says `inplace` too: it is what the body of an operation is given for its form ``name_``.

    Args:
        by: the function over arrays, if it is not the block's own: one that knows the numbers of this call.
        scalar, numbers: the same for kernels: the scalar body, and what it is given after the operands.

    Raises:
        RuntimeError, TypeError, NotImplementedError: with PyTorch's sentences, before anything is written.
    """
    if out is IN_PLACE:
        out, inplace = None, True
    truth = inplace and block.result == "bool"  # it is written as a number: see `_warn_of_truth`
    if not truth and (alpha is None or (alpha.__class__ is int and alpha == 1)):
        done = plain(block, operands, inplace, by, out)
        if done is None and by is None and out is None and not inplace:
            done = planned_new(block, operands)
        if done is not None:
            return done
    if by is not None:
        block = replace(block, numpy=by, scalar=scalar or block.scalar, numbers=numbers)
    written = operands[0] if inplace else out
    where = check_devices(operands, written)
    if block.check is not None:
        block.check(*operands)
    if inplace and block.inplace_check is not None:
        block.inplace_check(operands[0])
    shared = block.may_share and isinstance(written, Tensor) and written.numel() < _ENDLESS
    if isinstance(written, Tensor) and not (shared or is_resized_late(block, operands[0], written)):
        check_memory(written, operands[1:] if inplace else operands)
    sizes = [o._lay().size for o in operands if isinstance(o, Tensor)]
    size = broadcast_sizes(*sizes)
    compute, kind = dtypes_of(block, operands)
    if alpha is not None:
        if isinstance(alpha, Tensor) and not alpha.dim() and not alpha.requires_grad:
            alpha = alpha.item()
        check_alpha(block.name, alpha, compute)
        if alpha.__class__ is int and alpha == 0 and block.numpy is numpy.subtract and compute.category > 1:
            alpha = -0.0  # what is subtracted is added with the number's other sign, and 0 has none
        alpha = None if alpha == 1 and not isinstance(alpha, bool) else alpha
    target = _target(block, operands, size, kind, where, out, inplace)
    # Without data no kernel is asked.
    if compute in block.lacks and where.type != "meta" and not block.spared(*operands):
        raise missing_kernel(block.kernel or f"{block.name}_cpu", compute.label)
    if target.numel():
        run_kernel(block, target, operands, compute, alpha, not inplace and out is None)
    if inplace or out is not None:
        target._bump()
        if block.result == "bool" and len(operands) == 2 and compute.is_complex:
            _warn_of_truth(target)
    return target


def _warn_of_truth(written: Tensor) -> None:
    """PyTorch compares complex numbers into a complex temporary, and warns when that is written as real numbers."""
    if written._dtype.category in (1, 2) and written.numel():
        warn("Casting complex values to real discards the imaginary part")


def _target(
    block: Pointwise,
    operands: tuple[Any, ...],
    size: tuple[int, ...],
    kind: dtype,
    where: device,
    out: Tensor | None,
    inplace: bool,
) -> Tensor:
    """Where the result goes: the first operand, `out`, or a new tensor with the strides PyTorch would choose."""
    if inplace:
        target: Tensor = operands[0]
        _prepare_inplace(target, size, kind)
        return target
    stride = stride_of(block, operands, size, kind, out)
    if out is None:
        return empty_strided(size, stride, kind, where)
    if isinstance(out, Tensor) and out._lay().size != size and any(out is operand for operand in operands):
        own = list(out._lay().size)  # what is read is not resized
        raise RuntimeError(f"output with shape {own} doesn't match the broadcast shape {list(size)}")
    if block.exact_out and isinstance(out, Tensor) and out._dtype is not kind:
        first = operands[0]
        complex_first = isinstance(first, Tensor) and first._dtype.is_complex and not kind.is_complex
        if complex_first and out._dtype.is_complex:  # PyTorch computes the real parts of complex results
            kind = first._dtype
        if out._dtype is not kind and (not complex_first or out._dtype.is_complex):
            found = f"Found dtype {out._dtype.label} but expected {kind.label}"
            raise RuntimeError(block.exact_out if isinstance(block.exact_out, str) else found)
    return prepare_out(out, size, stride, kind, where)


def _prepare_inplace(target: Tensor, size: tuple[int, ...], kind: dtype) -> None:
    own = target._lay().size
    if own != size:
        raise RuntimeError(f"output with shape {list(own)} doesn't match the broadcast shape {list(size)}")
    check_castable(kind, target._dtype)
