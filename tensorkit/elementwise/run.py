"""Running the kernel of a pointwise operation on arrays, with `alpha` and into what may not be written at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.conj_bit import turned
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.output import empty_strided
from tensorkit.elementwise.promotion import as_number_array
from tensorkit.errors import MissingKernelError
from tensorkit.kernels.cpu import elementwise
from tensorkit.kernels.scalars.arithmetic import ADD_SCALED, SUBTRACT_SCALED
from tensorkit.kernels.scalars.forms import Scalar
from tensorkit.kernels.sizes import LARGE
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor

# -- kernels of other devices -------------------------------------------------------------------------------------

Zip = Callable[[Any, Tensor, tuple[Any, ...], tuple[dtype, ...], dtype], None]
Launch = Callable[[list[Any], list[int], list[Any]], bool]
_zips: dict[str, tuple[Zip, Callable[..., Launch | None]]] = {}


def register_zip(device_type: str, run: Zip, plan: Callable[..., Launch | None]) -> None:
    """Tell the pointwise mechanism how a kind of device runs a scalar body.

    Args:
        run: is given the body, the output, the operands (numbers among them), for each the dtype that it is converted
            to first, and the dtype that results are rounded to.
        plan: is given the same, and returns what launches it for tensors of the same dtypes, sizes and strides:
            a function of the buffers and offsets, the output's first, and of the numbers. False says that it did
            not; None in its place that there is none.
    """
    _zips[device_type] = run, plan


def _adopt(out: Tensor, result: Any) -> None:
    """Make an array that was made for it the memory of a new tensor; where it does not fit, copy it."""
    held = out._array
    if (
        held is not None
        and out._storage is None
        and type(result) is numpy.ndarray
        and result.base is None
        and result.dtype == held.dtype
        and result.shape == held.shape
        and result.flags.c_contiguous
        and result.flags.writeable
    ):
        out._array = result
    else:
        elementwise.quiet(numpy.copyto, out._nd(), result, casting="unsafe")


def run_kernel(
    block: Pointwise, out: Tensor, operands: tuple[Any, ...], compute: dtype, alpha: Any, new: bool
) -> None:
    where = out._device
    if out._bits and where.type == "cpu":
        plain = empty_strided(out._lay().size, contiguous_stride(out._lay().size), out._dtype, where)
        run_kernel(block, plain, operands, compute, alpha, new)
        elementwise.copy(out._nd(physical=True), turned(plain._nd(), out._bits))
        return
    if where.type == "cpu":
        arrays = tuple(o._nd() if isinstance(o, Tensor) else as_number_array(o, compute) for o in operands)
        if elementwise.is_half(compute):
            exact = block.exact_divisor and _has_more_digits(operands[1], compute)
            if block.exact_half and not exact:
                elementwise.in_its_dtype(block.numpy, arrays, out._nd(), compute)
                return
            arrays = tuple(
                _half_operand(operand, array, compute, exact and place == 1)
                for place, (operand, array) in enumerate(zip(operands, arrays, strict=True))
            )
        whole = alpha is not None and block.numpy in _SIGNS
        if whole and elementwise.add_scaled(arrays, _SIGNS[block.numpy] * alpha, out._nd(), compute):
            return
        if alpha is None and block.alpha and compute.is_complex and not numpy.isfinite(arrays[1]).all():
            alpha = 1  # see `times_one`
        if alpha is not None:
            scale = elementwise.cast(as_number_array(alpha, compute), _wide(compute))
            scaled = elementwise.quiet(numpy.multiply, elementwise.cast(arrays[1], _wide(compute)), scale)
            # PyTorch's loop over many 16-bit numbers at once rounds the sum alone, that over the few last ones both.
            once = elementwise.is_half(compute) and out.numel() >= _AT_ONCE
            arrays = (arrays[0], scaled if once else elementwise.cast(scaled, compute))
        if (
            new
            and block.numpy.__class__ is not numpy.ufunc
            and not elementwise.is_half(compute)
            and (compute.category < 2 or out.numel() < LARGE)
        ):
            _adopt(
                out, elementwise.quiet(block.numpy, *(elementwise.cast(array, compute) for array in arrays))
            )
        else:
            elementwise.zip_into(block.numpy, arrays, out._nd(), compute)
        return
    if where.type != "meta":
        _run_on_device(block, out, operands, compute, alpha)


def run_zip(
    name: str, body: Any, out: Tensor, operands: tuple[Any, ...], kinds: tuple[dtype, ...], result: dtype
) -> None:
    """Run a scalar body on the device of `out`.

    Raises:
        MissingKernelError: when there is none for that device.
    """
    found = _zips.get(out._device.type)
    if found is None or body is None or (isinstance(body, Scalar) and not body.takes(_most(kinds))):
        raise MissingKernelError(
            f"Could not run 'aten::{name}' with arguments from the '{out._device.type.upper()}' backend."
        )
    found[0](body, out, operands, kinds, result)


def _most(kinds: tuple[dtype, ...]) -> dtype:
    return max(kinds, key=lambda kind: kind.category)


def plan_launch(block: Pointwise, out: Tensor, operands: tuple[Any, ...], compute: dtype) -> Launch | None:
    """What runs a block for other tensors that lie in the same way, on the same device; None where nothing does."""
    body, operands, kinds, result = _asked(block, operands, compute, None)
    if body is None or (isinstance(body, Scalar) and not body.takes(_most(kinds))):
        return None
    return _zips[out._device.type][1](body, out, operands, kinds, result)


def _run_on_device(
    block: Pointwise, out: Tensor, operands: tuple[Any, ...], compute: dtype, alpha: Any
) -> None:
    body, operands, kinds, result = _asked(block, operands, compute, alpha)
    run_zip(block.name, body, out, operands, kinds, result)


def _asked(
    block: Pointwise, operands: tuple[Any, ...], compute: dtype, alpha: Any
) -> tuple[Any, tuple[Any, ...], tuple[dtype, ...], dtype]:
    """The scalar body, what it is given, what that is converted to first, and what results are rounded to."""
    body = block.scalar
    if len(operands) == 2 and not isinstance(operands[1], Tensor):
        body = block.by_number or body
        if block.refuses_zero and compute.category < 2 and not operands[1]:
            raise RuntimeError("ZeroDivisionError")
    kinds = [compute] * len(operands)
    if elementwise.is_half(compute) and block.exact_divisor and _has_more_digits(operands[1], compute):
        kinds[1] = dtypes.float32
    result = {"bool": dtypes.bool, "real": compute.to_real(), "real float": compute.to_real()}.get(
        block.result
    )
    if alpha is not None:
        body, operands = _WITH_ALPHA[block.numpy], (*operands, alpha)
        kinds.append(compute)
    for number in block.numbers:
        operands = (*operands, number)
        kinds.append(_wide(compute))
    return body, operands, tuple(kinds), result or compute


#: How many 16-bit numbers PyTorch's vector loops take in one step.
_AT_ONCE = 64


def _has_more_digits(operand: Any, compute: dtype) -> bool:
    """Whether it is a number, or a 0-d tensor, that the dtype to compute in rounds."""
    return not isinstance(operand, Tensor) or not (operand._lay().size or operand._dtype is compute)


#: How `alpha` enters the sum that a large tensor is given at once.
_SIGNS: dict[Any, int] = {numpy.add: 1, numpy.subtract: -1}


def _wide(compute: dtype) -> dtype:
    return dtypes.float32 if elementwise.is_half(compute) else compute


def _half_operand(operand: Any, array: Array, compute: dtype, exact: bool) -> Array:
    """A number beside 16-bit tensors is rounded to their dtype first, unless it is to keep its float32 precision."""
    if not exact:
        return array if array.ndim else elementwise.cast(array, compute)
    return array if isinstance(operand, Tensor) else as_number_array(operand, dtypes.float32)


_WITH_ALPHA: dict[Any, Scalar] = {numpy.add: ADD_SCALED, numpy.subtract: SUBTRACT_SCALED}
