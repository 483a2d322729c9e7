"""The fast path of functions of several tensors and numbers: `addcmul`, `clamp`, `lerp`."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.output import empty_strided
from tensorkit.elementwise.plan import plain
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.jit.rowwise import CompiledFunction
from tensorkit.kernels.sizes import LARGE
from tensorkit.ops.pointwise.held_numbers import at_once, order_of_many
from tensorkit.ops.shared.fill import write_number
from tensorkit.tensor import Tensor, fresh, fresh_strided

BOOL: dtype = dtypes.bool
COMPLEX = (dtypes.complex64, dtypes.complex128)
WHOLE = tuple(kind for kind in dtypes.ALL if kind.category < 2)


def number_as_held(value: Any, kind: dtype) -> Any:
    """A number as the dtype holds it; beside 16-bit numbers in float32.

    Raises:
        RuntimeError: when the dtype cannot hold it.
    """
    one = empty_strided((), (), dtypes.float32 if kernels.is_half(kind) else kind, CPU)
    write_number(one, value)
    return one._nd()[()]


# -- the fast path ------------------------------------------------------------------------------------------------


_SINGLE, _DOUBLE = FAST = (dtypes.float32, dtypes.float64)
LARGEST = 2.0**63  # up to here a number is held by every dtype that is asked for, and an integer by 64 bits


PLAIN = (float, int)


def is_plain(number: Any) -> bool:
    return number.__class__ in PLAIN and -LARGEST <= number <= LARGEST


def fast(
    block: Pointwise, body: Any, tensors: tuple[Tensor, ...], numbers: tuple[Any, ...], out: Any = None
) -> Tensor | None:
    """The result of a function of arrays where nothing has to be decided; None where `apply` must look.

    That is for row-major tensors of one size and floating point dtype without a history, or other few elements, and
    numbers that they hold.
    """
    if out is None and body.__class__ is CompiledFunction and body.held is not None:
        found = at_once(body.held, tensors)
        if found is not None:
            return found
    kind = tensors[0]._dtype
    if kind is not _SINGLE and kind is not _DOUBLE:
        return None
    for number in numbers:
        # `is_plain`, inlined: the call would take a tenth of the time.
        if number is not None and not (number.__class__ in PLAIN and -LARGEST <= number <= LARGEST):
            return None
    arrays: list[Any] = []
    shape: Any = None
    solid = True
    for tensor in tensors:
        if tensor._dtype is not kind or wants_grad(tensor):
            return None
        array = tensor._array
        if array is None or (not tensor._solid and array.size != 1):
            solid = False
        elif shape is None:
            shape = array.shape
        elif array.shape != shape:
            solid = False
        arrays.append(array)
    run = body.function if body.__class__ is CompiledFunction else body  # for the loop they are too few
    if not solid:
        if out is None and (order := order_of_many(arrays)):
            made = numpy.empty(arrays[0].shape, kind.numpy, order)
            kernels.pointwise(body, tuple(arrays), made)
            return fresh(made, kind) if order == "C" else fresh_strided(made, kind)
        if out is None:
            return plain(block, tensors, by=run)
        return plain(block, tensors, True, run) if out is IN_PLACE else None
    if out is not None:
        quickly = out is IN_PLACE and arrays[0].size < LARGE
        return _fast_inplace(run, tensors, arrays) if quickly else None
    if arrays[0].size >= LARGE:
        return fresh(kernels.mapped(body, tuple(arrays), kind.numpy), kind)
    try:
        result = kernels.quiet_here(run, *arrays)
    except RuntimeError:  # another thread is inside
        result = kernels.quiet(run, *arrays)
    return fresh(result if result.__class__ is numpy.ndarray else numpy.asarray(result, kind.numpy), kind)


def _fast_inplace(body: Any, tensors: tuple[Tensor, ...], arrays: list[Any]) -> Tensor | None:
    """The same, written into the first of the tensors, with which none of the others may share its memory."""
    first = tensors[0]
    storage = first._storage
    if storage is not None:
        for tensor in tensors:
            if tensor is not first and tensor._storage is storage:
                return None
    arrays[0][...] = kernels.quiet(body, *arrays)
    first._bump()
    return first


# -- bounds -------------------------------------------------------------------------------------------------------


def as_number(bound: Any) -> Any:
    """A tensor without dimensions counts as its number, beside a number."""
    return bound.item() if isinstance(bound, Tensor) and not bound.dim() and not wants_grad(bound) else bound
