"""Shortcuts of functions of tensors and numbers that are known: `clamp`, `lerp`, `addcmul`, `add` with its ``alpha=``.

NumPy takes longer to make arrays of the numbers than to compute with them: here they are made once.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy

from tensorkit import dtypes
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dispatch.recording import tracked, wants_grad
from tensorkit.dispatch.shortcut import shortcut
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.plan import brief, few_elements, placed, plain, planned
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import loops, strided_2d, tiny, ufuncs
from tensorkit.kernels.cpu.elementwise import quiet, quiet_here
from tensorkit.kernels.cpu.strided_2d import Plane
from tensorkit.kernels.cpu.ufuncs import Ufunc
from tensorkit.kernels.jit.rowwise import CompiledFunction
from tensorkit.kernels.sizes import IN_PYTHON, LARGE, TINY, UFUNC_LOOPS
from tensorkit.ops.pointwise.addcmul import ADDED, BODIES
from tensorkit.ops.pointwise.clamp import CLAMPED, clipping
from tensorkit.ops.pointwise.classification import NUMBERED, replaced
from tensorkit.ops.pointwise.held_numbers import is_plain
from tensorkit.ops.pointwise.lerp import MIXED
from tensorkit.shortcuts.copies import like_input
from tensorkit.tensor import Array, Tensor, fresh, fresh_strided

_KINDS = (dtypes.float32, dtypes.float64)
_BY_CHAR = {kind.numpy.char: kind for kind in _KINDS}
_WHOLE = 1 << 24  # integers that floating point numbers hold


class Held(NamedTuple):
    """What computes a function of arrays and of numbers that are known."""

    block: Pointwise
    ufunc: Ufunc
    plane: Plane  # for matrices whose rows lie apart
    numbers: dict[dtype, tuple[tuple[Array, ...], Array]]  # what each is given after the arrays
    function: Any  # of arrays alone


def _holding(
    block: Pointwise,
    function: Any,
    ufunc: Ufunc,
    numbers: Mapping[str, tuple[Array, ...]],
    plane: Plane,
    *given: float,
) -> Held:
    """The function of a block with known numbers.

    Args:
        function: of arrays alone.
        numbers: for the ufunc, by the characters of the dtypes of single and double precision.
        given: those of the loop.
    """
    all_given = plane.held(*given)
    both = {kind: (numbers[char], all_given[char]) for char, kind in _BY_CHAR.items() if char in numbers}
    return Held(block, ufunc, plane, both, function)


def _of_alike(held: Held, tensors: tuple[Tensor, ...]) -> Tensor | None:
    """The result for hundreds of elements of tensors that lie alike, where nothing is left to decide.

    None for all others, for operands that may want a gradient, and until there is a compiled loop.
    """
    _, ufunc, plane, numbers, _ = held
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
            plan = planned(held.block, tensors, arrays)
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


def _order_of_many(arrays: list[Any]) -> Literal["C", "F", ""]:
    """How the result of many elements lies, as NumPy says it: "C" for operands in rows, "F" for column-major ones.

    Args:
        arrays: None for one that was not read so far; "" is for that, and for all but matrices of one size.
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


def _result(held: Held, tensors: tuple[Tensor, ...], out: Any = None) -> Tensor | None:
    """The result of a function of arrays where there is little to decide; None for the operation itself.

    That is for row-major tensors of one size and floating point dtype without a history, or other few elements.
    """
    if out is None and (found := _of_alike(held, tensors)) is not None:
        return found
    kind, body = tensors[0]._dtype, held.function
    if kind not in _KINDS:
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
        if out is None and (order := _order_of_many(arrays)):
            made = numpy.empty(arrays[0].shape, kind.numpy, order)
            kernels.pointwise(body, tuple(arrays), made)
            return fresh(made, kind) if order == "C" else fresh_strided(made, kind)
        if out is None:
            return plain(held.block, tensors, by=run)
        return plain(held.block, tensors, True, run) if out is IN_PLACE else None
    if out is not None:
        return _written(run, tensors, arrays) if out is IN_PLACE and arrays[0].size < LARGE else None
    if arrays[0].size >= LARGE:
        return fresh(kernels.mapped(body, tuple(arrays), kind.numpy), kind)
    try:
        result = kernels.quiet_here(run, *arrays)
    except RuntimeError:  # another thread is inside
        result = kernels.quiet(run, *arrays)
    return fresh(result if result.__class__ is numpy.ndarray else numpy.asarray(result, kind.numpy), kind)


def _written(body: Any, tensors: tuple[Tensor, ...], arrays: list[Any]) -> Tensor | None:
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


# -- clamp --------------------------------------------------------------------------------------------------------


@functools.lru_cache(256, typed=True)
def _bounds(low: Any, high: Any, *signs: float) -> Held:
    """`clamp` with two numbers, or None for one of them; they are remembered by their values, which 0 and -0 share."""
    bounds = (-numpy.inf if low is None else low, numpy.inf if high is None else high)
    both = {kind: tuple(numpy.array(n, kind) for n in bounds) for kind in "fd"}
    return _holding(CLAMPED, clipping(low, high), ufuncs.clip, both, strided_2d.clip, *bounds)


@shortcut("clamp", buys="a.clamp(0.0, 1.0)", of_values=True)
def clamp_by_numbers(
    input: Any = None, min: Any = None, max: Any = None, *more: Any, out: Any = None
) -> Tensor | None:
    """The tensor between two numbers, or beyond one."""
    if more or input.__class__ is not Tensor or input._dtype not in _KINDS or min is max is None:
        return None
    if not (min is None or is_plain(min)) or not (max is None or is_plain(max)):
        return None
    if out is None and min is not None and max is not None and min <= max and not wants_grad(input):
        array = few_elements(input, IN_PYTHON)
        if array is not None:
            return fresh(quiet(tiny.clip, array, min, max), input._dtype)
    if min and max:
        return _result(_bounds(min, max), (input,), out)
    signs = [math.copysign(1.0, bound) for bound in (min, max) if bound is not None]
    return _result(_bounds(min, max, *signs), (input,), out)


@shortcut("clamp_min", buys="clamp, contiguous, 1", of_values=True)
def clamp_min_by_number(
    input: Any = None, min: Any = None, *more: Any, out: Any = None, **others: Any
) -> Tensor | None:
    """The tensor from a number upwards."""
    return None if more or others else clamp_by_numbers(input, min, out=out)


@shortcut("clamp_max", buys="clamp, contiguous, 1", of_values=True)
def clamp_max_by_number(
    input: Any = None, max: Any = None, *more: Any, out: Any = None, **others: Any
) -> Tensor | None:
    """The tensor up to a number."""
    return None if more or others else clamp_by_numbers(input, None, max, out=out)


# -- lerp ---------------------------------------------------------------------------------------------------------


@functools.lru_cache(256, typed=True)
def _mix(weight: Any, kind: dtype) -> Held:
    """`lerp` with a plain number, for numbers of one dtype."""
    held = kind.numpy.type(weight)
    near = bool(abs(held) < 0.5)
    # NumPy takes longer to make an array of a number than to multiply.
    share = numpy.array(held if near else 1 - held, kind.numpy)
    whole = numpy.array(held)

    def mixed(a: Array, b: Array, _: Any = None) -> Any:
        run = ufuncs.mix.of(a)
        if run is not None:
            return run(a, b, whole)
        gap: Any = b - a
        if a.size <= TINY:  # a new array is made sooner than an old one is written to
            return a + gap * share if near else b - gap * share
        gap *= share
        return numpy.add(a, gap, out=gap) if near else numpy.subtract(b, gap, out=gap)

    body = CompiledFunction(loops.mix, mixed, extra=(weight,))
    numbers = {kind.numpy.char: (whole,)}
    return _holding(MIXED, body, ufuncs.mix, numbers, strided_2d.mix, share.item(), not near)


@shortcut("lerp", buys="a.lerp(b, 0.5)", of_values=True)
def lerp_by_number(
    input: Any = None, end: Any = None, weight: Any = None, *more: Any, out: Any = None
) -> Tensor | None:
    """Two tensors of one dtype mixed by a number."""
    if more or not input.__class__ is end.__class__ is Tensor or not is_plain(weight):
        return None
    if input._dtype not in _KINDS or not (out is None or out is IN_PLACE):
        return None
    mix = _mix if weight else _mix.__wrapped__  # numbers are remembered by their value, which 0 and -0 share
    return _result(mix(weight, input._dtype), (input, end), out)


# -- addcmul, addcdiv ---------------------------------------------------------------------------------------------


@functools.lru_cache(512, typed=True)
def _adding(name: str, factor: Any) -> Held:
    body = BODIES[name](factor)
    if name == "addcdiv":
        return Held(
            ADDED[name], ufuncs.add_product, strided_2d.add_product, {}, body
        )  # of which no loop knows
    numbers = {kind: (numpy.array(factor, kind),) for kind in "fd"}
    return _holding(ADDED[name], body, ufuncs.add_product, numbers, strided_2d.add_product, float(factor))


def _added(name: str, tensors: tuple[Any, ...], value: Any, out: Any) -> Tensor | None:
    if len(tensors) != 3 or not is_plain(value):
        return None
    if not tensors[0].__class__ is tensors[1].__class__ is tensors[2].__class__ is Tensor:
        return None
    adding = _adding if value else _adding.__wrapped__  # see `lerp_by_number`
    return _result(adding(name, value), tensors, out)


@shortcut("addcmul", buys="a.addcmul(a, b)", of_values=True)
def addcmul_of_tensors(*tensors: Any, value: Any = 1, out: Any = None, **others: Any) -> Tensor | None:
    """A tensor, and the product of two others added."""
    return None if others else _added("addcmul", tensors, value, out)


@shortcut("addcdiv", buys="addcmul, contiguous, 1", of_values=True)
def addcdiv_of_tensors(*tensors: Any, value: Any = 1, out: Any = None, **others: Any) -> Tensor | None:
    """A tensor, and the quotient of two others added."""
    return None if others else _added("addcdiv", tensors, value, out)


# -- alpha= -------------------------------------------------------------------------------------------------------


@shortcut("scaled_sum", buys="add with alpha=, contiguous, 1", of_values=True)
def scaled_sum(block: Pointwise, a: Any, b: Any, alpha: Any) -> Tensor | None:
    """The sum or difference of two tensors of one dtype, the second times a number."""
    if not is_plain(alpha) or not -_WHOLE <= alpha <= _WHOLE or not a.__class__ is b.__class__ is Tensor:
        return None
    if a._dtype not in _KINDS or a._dtype is not b._dtype:
        return None
    # What is subtracted is added with the number's other sign, which 0 has unless it is an integer.
    signed = float(alpha if block.numpy is numpy.add else -alpha)
    scaling = _scaling if signed else _scaling.__wrapped__  # see `lerp_by_number`
    return _result(scaling(block, signed), (a, b))


@functools.lru_cache(256)
def _scaling(block: Pointwise, factor: float) -> Held:
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
    return _holding(block, scaled, ufuncs.add_scaled, numbers, strided_2d.add_scaled, factor)


# -- nan_to_num ---------------------------------------------------------------------------------------------------

#: What stands for nan and the infinities unless other numbers are given.
_FINITE = {kind: numpy.array((0, numpy.finfo(kind).max, numpy.finfo(kind).min), kind) for kind in "fd"}


def _made_finite(a: Array) -> Array:
    _, high, low = _FINITE[a.dtype.char]
    return replaced(a, 0.0, None, None, (low, high))


_FINITE_HELD = Held(
    NUMBERED,
    ufuncs.nan_to_num,
    strided_2d.nan_to_num,
    {kind: (tuple(numpy.asarray(n) for n in _FINITE[c]), _FINITE[c]) for c, kind in _BY_CHAR.items()},
    _made_finite,
)


@shortcut("nan_to_num", buys="a.nan_to_num()", of_values=True)
def nan_to_num_of_some(input: Any = None, *more: Any, **others: Any) -> Tensor | None:
    """A copy of some numbers, if there is nothing among them to be replaced, or a loop that does it."""
    array = None if more or others or input.__class__ is not Tensor else brief(input)
    if array is None:
        return None
    if array.size > TINY:
        found = _of_alike(_FINITE_HELD, (input,))
        return plain(NUMBERED, (input,), by=_made_finite) if found is None else found
    if not all(map(math.isfinite, array.reshape(-1).tolist())):
        return None
    return fresh(array.copy(), input._dtype) if input._solid else like_input(array.copy("K"), input)
