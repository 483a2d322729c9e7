"""Functions of arrays and of numbers that are known: `clamp`, `lerp`, `addcmul`, and `add` with its ``alpha=``.

NumPy takes longer to make arrays of the numbers than to compute with them: here they are made once.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy

from tensorkit import dtypes
from tensorkit.dispatch.recording import tracked
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.plan import placed, plain, planned
from tensorkit.kernels.cpu import strided_2d, ufuncs
from tensorkit.kernels.cpu.elementwise import quiet, quiet_here
from tensorkit.kernels.cpu.strided_2d import Plane
from tensorkit.kernels.cpu.ufuncs import Ufunc
from tensorkit.kernels.sizes import LARGE, UFUNC_LOOPS
from tensorkit.tensor import Array, Tensor, fresh

_KINDS = (dtypes.float32, dtypes.float64)
_BY_CHAR = {kind.numpy.char: kind for kind in _KINDS}
_WHOLE = 1 << 24  # integers that floating point numbers hold


class Held(NamedTuple):
    """What computes a function of arrays and of numbers that are known: NumPy takes longer to make arrays of them."""

    block: Pointwise
    ufunc: Ufunc
    plane: Plane  # for matrices whose rows lie apart
    numbers: dict[dtype, tuple[tuple[Array, ...], Array]]  # what each is given after the arrays


def holding(
    block: Pointwise, ufunc: Ufunc, numbers: Mapping[str, tuple[Array, ...]], plane: Plane, *given: float
) -> Held:
    """The function of a block with known numbers.

    Args:
        numbers: for the ufunc, by the characters of the dtypes of single and double precision.
        given: those of the loop.
    """
    all_given = plane.held(*given)
    both = {kind: (numbers[char], all_given[char]) for char, kind in _BY_CHAR.items() if char in numbers}
    return Held(block, ufunc, plane, both)


def at_once(held: Held, tensors: tuple[Tensor, ...]) -> Tensor | None:
    """The result for hundreds of elements of tensors that lie alike, where nothing has to be decided any more.

    None for all others, for operands that may want a gradient, and until there is a compiled loop.
    """
    block, ufunc, plane, numbers = held
    first = tensors[0]
    given = numbers.get(first._dtype)
    array = first._array
    if given is None or (array is not None and not UFUNC_LOOPS <= array.size < LARGE) or tracked(tensors):
        return None
    arrays: list[Any] = []
    plan = shape = None
    for tensor in tensors:
        array = tensor._array
        if array is None or not tensor._solid or tensor._dtype is not first._dtype:
            arrays.clear()
            plan = planned(block, tensors, arrays)
            if plan is None or plan.convert or plan.large:
                return None
            break
        if array.shape != shape and shape is not None:
            return None
        shape = array.shape
        arrays.append(array)
    if plan is not None:
        if plan.matrices:
            made = numpy.empty(plan.layout.size, plan.result.numpy)
            return fresh(made, plan.result) if plane.into(made, *arrays, given[1]) else None
        steps = plan.steps
        for array in arrays:
            if array.strides != steps or array.shape != plan.layout.size:
                return None
    run = (ufunc.ready or ufunc.often()) if UFUNC_LOOPS <= arrays[0].size < LARGE else None
    if run is None:
        return None
    try:
        result = quiet_here(run, *arrays, *given[0])
    except RuntimeError:  # another thread is inside
        result = quiet(run, *arrays, *given[0])
    if plan is None:
        return fresh(result, first._dtype)
    return placed(result, plan)


def order_of_many(arrays: list[Any]) -> Literal["C", "F", ""]:
    """How the result of many elements lies, as NumPy says it: "C" for operands in rows, "F" for column-major ones.

    Args:
        arrays: None for one that nobody read so far; "" is for that, and for all but matrices of one size.
    """
    shape: Any = getattr(arrays[0], "shape", ())
    if len(shape) != 2 or 1 in shape or shape[0] * shape[1] < LARGE:
        return ""
    rows = columns = True
    for array in arrays:
        if array is None or array.shape != shape:
            return ""
        apart, near = array.strides
        columns = columns and array.flags.f_contiguous
        rows = rows and near == array.itemsize and apart >= near * shape[1]
    return "C" if rows else "F" if columns else ""


def scaled_sum(block: Pointwise, a: Any, b: Any, alpha: Any) -> Tensor | None:
    """``alpha=`` where two tensors of one floating point dtype are few elements; None where `apply` must look."""
    if alpha.__class__ is not float and alpha.__class__ is not int:
        return None
    if a.__class__ is not Tensor or b.__class__ is not Tensor or a._dtype is not b._dtype:
        return None
    if a._dtype not in _KINDS or not -_WHOLE <= alpha <= _WHOLE:
        return None
    # What is subtracted is added with the number's other sign, which 0 has if it is no integer.
    signed = float(alpha if block.numpy is numpy.add else -alpha)
    # Numbers are remembered by their value, which 0 and -0 share.
    scaled = _scaling(block, signed) if signed else _scaling.__wrapped__(block, signed)
    found = at_once(scaled.held, (a, b))
    if found is not None:
        return found
    if tracked((a, b)):
        return None
    first, second = a._array, b._array
    if first is None or second is None or first.shape != second.shape or not (a._solid and b._solid):
        return plain(block, (a, b), by=scaled)
    if not 0 < first.size < LARGE:
        return None
    try:
        made = quiet_here(scaled, first, second)
    except RuntimeError:  # another thread is inside
        made = quiet(scaled, first, second)
    return fresh(made if made.__class__ is numpy.ndarray else numpy.asarray(made), a._dtype)


@functools.lru_cache(256)
def _scaling(block: Pointwise, factor: float) -> Any:
    """The sum with a second array that is multiplied by a number, of single or double precision.

    Args:
        factor: the number; of `numpy.subtract` it has the other sign.
    """
    ufunc: Any = block.numpy
    # NumPy takes longer to make an array of a number than to multiply.
    signed = {kind: numpy.array(factor, kind) for kind in "fd"}
    held = signed if ufunc is numpy.add else {kind: numpy.array(-factor, kind) for kind in "fd"}

    def scaled(x: Any, y: Any) -> Any:
        run = ufuncs.add_scaled.of(x)
        kind = x.dtype.char
        return ufunc(x, y * held[kind]) if run is None else run(x, y, signed[kind])

    numbers = {kind: (number,) for kind, number in signed.items()}
    scaled.held = holding(  # type: ignore[attr-defined]
        block, ufuncs.add_scaled, numbers, strided_2d.add_scaled, factor
    )
    return scaled
