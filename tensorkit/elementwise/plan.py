"""Plans: for these dtypes and these layouts, compute in this dtype and give a result of those strides. Each is kept."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.output import empty_strided, stride_of
from tensorkit.elementwise.place import laid_out, lies_apart
from tensorkit.elementwise.promotion import dtypes_of
from tensorkit.kernels.cpu import elementwise
from tensorkit.kernels.cpu.strided_2d import APART
from tensorkit.kernels.sizes import PLANS_KEPT, SMALL
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import broadcast_sizes, contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh


class Plan(NamedTuple):
    """How a block is run on operands of some dtypes and layouts, as it was decided for the first of them.

    PyTorch calls it a TensorIterator, and makes one for each call.
    """

    compute: dtype
    result: dtype
    layout: Layout  # of the result
    steps: tuple[int, ...]  # the same in bytes
    row_major: bool
    loop: Callable[..., Any]  # the function over arrays
    convert: bool  # whether some operand is not what the loop takes: an array of the dtype to compute in
    bare: bool  # whether a ufunc takes numbers as they are: it casts them to its arrays' dtype
    packed: tuple[int, ...]  # the operands that are copied first: then NumPy goes through all as one row
    matrices: bool  # whether they are matrices of one dtype, size and stride whose rows lie apart
    plane: Any  # the compiled loop for those; beside a number what finds it
    large: bool  # whether there are enough elements to cut them into pieces
    own: bool  # whether the first operand is a tensor that the result can be written into
    simple: bool  # whether the loop needs no more than the operands: real numbers of the dtype to compute in


_plans: dict[Any, Plan | None] = {}
_quiet, _ufunc, _ndarray = elementwise.quiet_here, numpy.ufunc, numpy.ndarray
_EXACT = 1 << 31
_ONE = numpy.complex64(1)
_REAL_NUMBERS = (dtypes.float32, dtypes.float64)


def _with_one(function: Any) -> Callable[[Array, Array], Array]:
    def run(a: Array, b: Array) -> Array:
        result: Array = function(a, b)
        return result if numpy.isfinite(result).all() else function(a, b * _ONE)

    return run


#: PyTorch multiplies the second of two complex numbers by alpha = 1, which makes inf + infj no number and changes no
#: finite one: the same is done here where there are others.
times_one = {function: _with_one(function) for function in (numpy.add, numpy.subtract)}


def planned(block: Pointwise, operands: tuple[Any, ...], arrays: list[Any]) -> Plan | None:
    """The plan of such operands in the CPU's memory; None where `apply` has to go the whole way.

    Args:
        arrays: to be filled with their arrays, and the numbers.
    """
    key: tuple[Any, ...] = (block, dtypes._default)
    for operand in operands:
        if operand.__class__ is Tensor:
            array = operand._array
            if array is None:
                if operand._device is not CPU or operand._bits:
                    return None
                array = operand._nd()
            lay = operand._layout
            if lay is None:
                lay = operand._lay()
            key += (operand._dtype, lay.size, lay.stride)
            arrays.append(array)
        else:
            key += (operand.__class__,)
            arrays.append(operand)
    try:
        return _plans[key]
    except KeyError:
        if len(_plans) >= PLANS_KEPT:
            _plans.clear()
        plan = _plans[key] = _plan_of(block, operands)
        return plan


def _plan_of(block: Pointwise, operands: tuple[Any, ...]) -> Plan | None:
    tensors = []
    for operand in operands:
        if operand.__class__ is Tensor:
            tensors.append(operand)
        elif operand.__class__ not in _NUMBERS:
            return None  # the layout of a subclass's tensor is not part of the key
    if not tensors:
        return None
    lays = [tensor._layout or tensor._lay() for tensor in tensors]
    try:
        compute, result = dtypes_of(block, operands)
        size = lays[0].size if len(lays) == 1 else broadcast_sizes(*[lay.size for lay in lays])
    except RuntimeError:
        return None  # no dtype holds both, or sizes that do not fit: refused in PyTorch's words by `apply`
    if (
        (elementwise.is_half(compute) and block.result != "chosen")
        or compute in block.lacks
        or any(0 in lay.size for lay in lays)
    ):
        return None
    alike = all(tensor._dtype.numpy == compute.numpy for tensor in tensors)
    large = max(map(prod, (size, *[lay.size for lay in lays]))) > SMALL
    if large and not alike:
        return None  # what has to be converted goes the whole way, piece by piece
    layout = Layout(size, stride_of(block, operands, size, result, None))
    packed = (
        () if large else tuple([n for n, o in enumerate(operands) if o.__class__ is Tensor and lies_apart(o)])
    )
    row_major = layout.stride == contiguous_stride(size)
    same = alike and all(lay.size == size and lay.stride == lays[0].stride for lay in lays)
    matrices = bool(packed) and row_major and same and len(size) == 2
    direct = block.numpy.__class__ is numpy.ufunc and compute.category == 2 and not large
    taken = {Tensor, float} if direct else {Tensor}  # what the loop takes as it is
    return Plan(
        compute,
        result,
        layout,
        tuple([step * result.itemsize for step in layout.stride]),
        row_major,
        loop=_loop_of(block, compute),
        convert=not alike or not {*map(type, operands)} <= taken,
        # Small integers could be out of range, which a ufunc would refuse instead of wrapping them around.
        bare=compute.category == 2 or compute is dtypes.int64,
        packed=packed,
        matrices=matrices,
        plane=_plane_of(block, compute, operands) if matrices else None,
        large=large,
        own=operands[0] is tensors[0]
        and tensors[0]._dtype is result
        and lays[0].size == size
        and 0 not in lays[0].stride,
        simple=alike
        and not packed
        and not large
        and compute.category == 2
        and {*map(type, operands)} <= _PLAIN,
    )


def _loop_of(block: Pointwise, compute: dtype) -> Callable[..., Any]:
    if block.alpha and compute.is_complex:
        return times_one[block.numpy]
    return block.real if compute.category == 2 else block.numpy  # type: ignore[no-any-return]


def _plane_of(block: Pointwise, compute: dtype, operands: tuple[Any, ...]) -> Any:
    if operands[-1].__class__ is not Tensor:
        return getattr(block.numpy, "apart", None)  # finds the loop that does the same beside a number
    loop = APART.get(block.numpy)
    return loop if loop is not None and compute.numpy.char in loop.signatures else None


_NUMBERS = (bool, int, float)
_PLAIN = {Tensor, float, int}


def plain(
    block: Pointwise, operands: tuple[Any, ...], inplace: bool = False, by: Any = None, out: Any = None
) -> Tensor | None:
    """The result by the plan of such operands: copy and convert what has to be, run the loop, lay the result out.

    That is for elements in the CPU's memory. None where `apply` has to go the whole way. It buys the rows "`add,
    transposed, 1,000`" and "`neg, transposed, 1,000`" of the benchmarks.

    Args:
        by: the function over arrays, if it is not the block's own.
        out: a tensor to write the result into.
    """
    arrays: list[Any] = []
    plan = planned(block, operands, arrays)
    if plan is None or (plan.large and by is not None):
        return None  # what knows the numbers of this call may be done in fewer steps
    target: Any = operands[0] if inplace else out
    if target is not None and not (plan.own and _alone(operands) if inplace else _fits(out, plan, operands)):
        return None
    if plan.plane is not None and by is None:
        done = _by_rows(plan, operands, arrays, target)
        if done is not None:
            return done
    if not plan.simple:
        if block.check is not None:
            block.check(*operands)
        if inplace and block.inplace_check is not None:
            block.inplace_check(operands[0])
    function, kind = by or plan.loop, plan.result
    direct = function.__class__ is _ufunc
    try:
        for place in plan.packed:
            again = place and operands[place] is operands[place - 1]  # as in a product with itself
            arrays[place] = arrays[place - 1] if again else arrays[place].copy("K")
        number = by is not None and float in [operand.__class__ for operand in operands]
        if (plan.convert or number) and not _converted(arrays, plan, direct):
            return None
        if plan.large:
            return _of_many(function, arrays, plan, target)
        try:
            result: Any = _quiet(function, *arrays)
        except RuntimeError:  # another thread is inside
            result = elementwise.quiet(function, *arrays)
    except (ArithmeticError, MemoryError, RuntimeError, TypeError, ValueError):
        return None  # a division by 0, or too many bytes: refused in PyTorch's words
    if target is not None:
        return _written(target, result)
    if result.__class__ is not _ndarray or result.dtype is not kind.numpy or result.base is not None:
        result = _owned(result, kind)
    if not direct:
        for array in arrays:
            if result is array:
                result = array.copy()
    return placed(result, plan)


def _alone(operands: tuple[Any, ...]) -> bool:
    """Whether no other operand lies in the memory of the first."""
    first, *others = operands
    storage = first._storage
    if storage is None:
        return True
    return not any(o is not first and o.__class__ is Tensor and o._storage is storage for o in others)


def placed(result: Array, plan: Plan) -> Tensor:
    """A new array as a tensor, whose elements are where the plan has them."""
    if result.strides != plan.steps:
        return laid_out(result, plan.result, plan.layout)
    made = fresh(result, plan.result)
    if not plan.row_major:
        made._layout, made._solid = plan.layout, False
    return made


def _by_rows(plan: Plan, operands: tuple[Any, ...], arrays: list[Any], target: Any) -> Tensor | None:
    """The result of matrices whose rows lie apart, by a compiled loop that goes through them as they are.

    It buys the row "`add, sliced, 1,000`" of the benchmarks.
    """
    loop = plan.plane
    if operands[-1].__class__ is not Tensor:
        loop, arrays = loop(operands[-1]), arrays[:-1]
        if loop is None or plan.compute.numpy.char not in loop.signatures:
            return None
    elif arrays[0].__class__ is not numpy.ndarray:  # a number comes first: Numba takes long to refuse it
        return None
    if target is None:
        made = numpy.empty(plan.layout.size, plan.result.numpy)
        return fresh(made, plan.result) if loop.into(made, *arrays) else None
    if not loop.into(target._array, *arrays):
        return None
    target._bump()
    return target  # type: ignore[no-any-return]


def _of_many(function: Any, arrays: list[Any], plan: Plan, written: Tensor | None) -> Tensor | None:
    """The result of operands that have the dtype to compute in, and no memory in common with where it is written."""
    compute = plan.compute
    if function.__class__ is not numpy.ufunc and compute.category < 2:
        return None  # integers may be refused: then nothing must be written
    lay, held = plan.layout, plan.result.numpy
    if written is None:
        array = numpy.empty(lay.size, held, "C" if plan.row_major else "F")
        if array.strides != plan.steps:
            made = empty_strided(lay.size, lay.stride, plan.result, CPU)
            array = made._nd()
        else:
            made = fresh(array, plan.result)
            if not plan.row_major:
                made._layout, made._solid = lay, False
        elementwise.pieces_into(function, arrays, array, compute)
        return made
    array = written._nd()
    if array.shape != lay.size:
        return None  # refused in PyTorch's words
    elementwise.pieces_into(function, arrays, array, compute)
    written._bump()
    return written


def few_elements(input: Any, most: int = 16) -> Array | None:
    """The array of a row-major tensor of few float32 or float64 numbers; None for any other."""
    if input.__class__ is not Tensor:
        return None
    array: Array | None = input._array
    if array is None:
        if input._device is not CPU or input._bits:
            return None
        array = input._nd()
    if input._dtype in _REAL_NUMBERS and 0 < array.size <= most and array.flags.c_contiguous:
        return array
    return None


def brief(input: Tensor, kinds: tuple[dtype, ...] = _REAL_NUMBERS) -> Array | None:
    """The elements of a tensor of no more than some thousands, however they lie; None for any other."""
    array = input._array
    if array is None:
        if input._device is not CPU or input._bits:
            return None
        array = input._nd()
    return array if input._dtype in kinds and 0 < array.size <= SMALL and array.ndim else None


def _converted(arrays: list[Any], plan: Plan, direct: bool) -> bool:
    """Turn operands into arrays of the dtype to compute in; False for a number that `apply` must look at."""
    held, bare = plan.compute.numpy, plan.bare and direct and not plan.large
    for place, array in enumerate(arrays):
        kind = array.__class__
        if kind is numpy.ndarray:
            if array.dtype is not held and array.dtype != held:
                arrays[place] = _quiet(array.astype, held)
        elif kind is float or -_EXACT < array < _EXACT:
            if bare:
                continue
            array = _quiet(held.type, array) if plan.simple else elementwise.quiet(numpy.array, array, held)
            arrays[place] = array
        else:
            return False
    return True


def _fits(out: Tensor, plan: Plan, operands: tuple[Any, ...]) -> bool:
    """Whether the result is written as it is: into a tensor of its size and dtype that shares no memory."""
    if out.__class__ is not Tensor or out._dtype is not plan.result or out._device is not CPU or out._bits:
        return False
    array, lay = out._nd(), out._lay()
    if lay.size != plan.layout.size or 0 in array.strides:
        return False
    storage = out._storage
    if storage is None:
        return all(operand is not out for operand in operands)
    return all(operand.__class__ is not Tensor or operand._storage is not storage for operand in operands)


def _written(target: Tensor, result: Any) -> Tensor | None:
    array = target._array
    if array is None or result.shape != array.shape:
        return None
    if result.dtype is array.dtype:
        array[...] = result
    else:
        elementwise.quiet(numpy.copyto, array, result, casting="unsafe")
    target._bump()
    return target


def _owned(result: Any, kind: dtype) -> Array:
    """What a function returned, as an array of the result's dtype that is not a part of another."""
    if result.__class__ is not numpy.ndarray:
        result = numpy.asarray(result)
    if result.dtype != kind.numpy:
        return elementwise.cast(result, kind)
    return result if result.base is None else result.copy()  # type: ignore[no-any-return]
