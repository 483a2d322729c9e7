"""Plans: for these dtypes and these layouts, compute in this dtype and give a result of those strides. Each is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.output import empty_strided, stride_of
from tensorkit.elementwise.place import FEW, MANY_PLANS, laid_out, lies_apart
from tensorkit.elementwise.promotion import dtypes_of
from tensorkit.kernels.cpu import elementwise
from tensorkit.kernels.cpu.strided_2d import Plane
from tensorkit.kernels.cpu.tiny import BRIEF
from tensorkit.kernels.cpu.ufuncs import SOME, Ufunc
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import (
    broadcast_sizes,
    contiguous_stride,
)
from tensorkit.tensor import Array, Tensor, fresh

__all__ = [
    "Held",
    "Settled",
    "as_settled",
    "at_once",
    "brief",
    "few_elements",
    "holding",
    "lying",
    "order_of_many",
    "plain",
    "plain_alike",
    "settled",
    "times_one",
]


class _Plan(NamedTuple):
    """How a block is run on operands of some kinds."""

    compute: dtype
    kind: dtype  # of the result
    held: numpy.dtype[Any]  # NumPy's for `compute`
    bare: bool  # whether the function takes numbers as they are: a ufunc casts them to its arrays' dtype


class _Way(NamedTuple):
    """How a block is run on operands of some kinds and layouts, as it was decided for the first of them."""

    kind: dtype
    held: numpy.dtype[Any]  # NumPy's for the dtype to compute in
    bare: bool
    convert: bool  # whether some operand is no array of that dtype
    packed: tuple[int, ...]  # the operands that are copied first: then NumPy goes through all as one row
    layout: Layout
    steps: tuple[int, ...]  # the same in bytes
    row_major: bool
    many: dtype | None  # the dtype to compute in where the elements are so many that they are cut into pieces


def _with_one(function: Any) -> Callable[[Array, Array], Array]:
    def run(a: Array, b: Array) -> Array:
        result: Array = function(a, b)
        return result if numpy.isfinite(result).all() else function(a, b * _ONE)

    return run


_ONE = numpy.complex64(1)


#: PyTorch multiplies the second of two complex numbers by alpha = 1, which makes inf + infj no number and changes no
#: finite one: the same is done here where there are others.
times_one = {function: _with_one(function) for function in (numpy.add, numpy.subtract)}
_plans: dict[Any, _Plan | None] = {}
_ways: dict[Any, _Way | None] = {}
_quiet, _new, _empty, _MANY = elementwise.quiet_here, object.__new__, numpy.empty, elementwise.MANY
_SMALL = 1 << 31


def plain(
    block: Pointwise, operands: tuple[Any, ...], inplace: bool = False, by: Any = None, out: Any = None
) -> Tensor | None:
    """The result where nothing has to be looked at that was not decided for such operands before.

    That is for elements in the CPU's memory. None where `apply` has to go the whole way.

    Args:
        by: the function over arrays, if it is not the block's own.
        out: a tensor to write the result into.
    """
    key: list[Any] = [block.rules, dtypes.get_default_dtype()]
    arrays: list[Any] = []
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
            key.append(operand.__class__)
            arrays.append(operand)
    named = tuple(key)
    try:
        way = _ways[named]
    except KeyError:
        way = _way_of(block, operands, named)
    if way is None:
        return None
    kind, held, bare, convert, packed, layout, steps, row_major, many = way
    if many is not None and by is not None:
        return None  # what knows the numbers of this call may be done in fewer steps
    if inplace and not (kind is operands[0]._dtype and _may_write(operands, arrays[0])):
        return None
    if out is not None and not (out.__class__ is Tensor and _fits(out, way, operands)):
        return None
    function = block.numpy if by is None else by
    if block.alpha and kind.is_complex:
        function = times_one[function]
    for place in packed:
        arrays[place] = arrays[place].copy("K")
    if convert:
        try:
            if not _converted(arrays, held, bare and function.__class__ is numpy.ufunc and many is None):
                return None
        except RuntimeError:
            return None  # another thread is inside
    if block.check is not None:
        block.check(*operands)
    if inplace and block.inplace_check is not None:
        block.inplace_check(operands[0])
    if many is not None:
        return _of_many(function, arrays, way, many, operands[0] if inplace else out)
    try:
        result: Any = _quiet(function, *arrays)
    except (ArithmeticError, RuntimeError, TypeError, ValueError):
        return None  # a division by 0: refused in PyTorch's words
    if inplace or out is not None:
        return _written(operands[0] if out is None else out, result)
    if result.__class__ is not numpy.ndarray or result.dtype is not kind.numpy or result.base is not None:
        result = _owned(result, kind)
    if function.__class__ is not numpy.ufunc:
        for array in arrays:
            if result is array:
                result = array.copy()
    if steps != result.strides:
        return laid_out(result, kind, layout)
    made = fresh(result, kind)
    if not row_major:
        made._layout, made._solid = layout, False
    return made


def _of_many(
    function: Any, arrays: list[Any], way: _Way, compute: dtype, written: Tensor | None
) -> Tensor | None:
    """The result of operands that have the dtype to compute in, and no memory in common with where it is written."""
    if function.__class__ is not numpy.ufunc and compute.category < 2:
        return None  # integers may be refused: then nothing must be written
    lay, held = way.layout, way.kind.numpy
    if written is None:
        array = numpy.empty(lay.size, held, "C" if way.row_major else "F")
        if array.strides != way.steps:
            made = empty_strided(lay.size, lay.stride, way.kind, CPU)
            array = made._nd()
        else:
            made = fresh(array, way.kind)
            if not way.row_major:
                made._layout, made._solid = lay, False
        elementwise.pieces_into(function, arrays, array, compute)
        return made
    array = written._nd()
    if array.shape != lay.size:
        return None  # refused in PyTorch's words
    elementwise.pieces_into(function, arrays, array, compute)
    written._bump()
    return written


def _way_of(block: Pointwise, operands: tuple[Any, ...], key: Any) -> _Way | None:
    """How a block is run on operands of these kinds and layouts, kept for the next ones; None for the whole way."""
    tensors = [operand for operand in operands if operand.__class__ is Tensor]
    kinds = [
        operand.__class__
        if operand.__class__ is not Tensor
        else operand._dtype
        if operand._lay().size
        else operand._dtype.name
        for operand in operands
    ]
    named = (*key[:2], *kinds)
    plan = _plans[named] if named in _plans else _plan_of(block, operands, named)
    way = None
    # The layout of a subclass's tensor is not part of the key.
    others = any(operand.__class__ is not Tensor and isinstance(operand, Tensor) for operand in operands)
    if plan is not None and tensors and not others and all(tensor.numel() > 0 for tensor in tensors):
        try:
            size = broadcast_sizes(*(tensor._lay().size for tensor in tensors))
        except RuntimeError:
            pass  # refused in PyTorch's words
        else:
            layout = Layout(size, stride_of(block, operands, size, plan.kind, None))
            steps = tuple([step * plan.kind.itemsize for step in layout.stride])
            other = any(tensor._dtype.numpy != plan.held for tensor in tensors)
            convert = other or any(operand.__class__ is not Tensor for operand in operands)
            packed = tuple([place for place, operand in enumerate(operands) if lies_apart(operand)])
            row_major = layout.stride == contiguous_stride(size)
            way = _Way(plan.kind, plan.held, plan.bare, convert, packed, layout, steps, row_major, None)
            if layout.numel > FEW or any(tensor.numel() > FEW for tensor in tensors):
                # What has to be converted goes the whole way, piece by piece.
                way = (
                    way._replace(packed=(), many=plan.compute)
                    if layout.numel >= elementwise.MANY and not other
                    else None
                )
    if len(_ways) >= MANY_PLANS:
        _ways.clear()
    _ways[key] = way
    return way


class Settled(NamedTuple):
    """What operands of one dtype and one layout come to where nothing has to be converted: see `settled`."""

    kind: dtype
    packed: bool
    layout: Layout
    steps: tuple[int, ...]
    row_major: bool
    plane: bool  # whether they are matrices whose rows lie apart: see `lying`


def settled(block: Pointwise, operands: tuple[Any, ...], by: Any = None) -> Settled | None:
    """How a block is run on tensors of one dtype, size and stride, and numbers; the same for all others like them.

    Args:
        by: the function over arrays, if it is not the block's own.
    """
    if plain(block, operands, by=by) is None:
        return None
    lay, kind = operands[0]._lay(), operands[0]._dtype
    key: list[Any] = [block.rules, dtypes.get_default_dtype()]
    for operand in operands:
        key += (kind, lay.size, lay.stride) if operand.__class__ is Tensor else (operand.__class__,)
    way = _ways.get(tuple(key))
    if way is None or way.many is not None or way.held != kind.numpy:
        return None
    packed, lay = bool(way.packed), way.layout
    return Settled(
        way.kind, packed, lay, way.steps, way.row_major, packed and way.row_major and lay.ndim == 2
    )


def lying(loop: Plane, way: Settled, operands: Iterable[Array]) -> Tensor | None:
    """The result of matrices whose rows lie apart, by a loop that goes through them as they are; None without it.

    Args:
        operands: the matrices, and the numbers that the loop wants.
    """
    run = loop.ready or loop.often()
    if run is None:
        return None
    kind = way.kind
    made = _empty(way.layout.size, kind.numpy)
    try:
        run(*operands, made)
    except TypeError:
        return None  # memory that is only read is another type to Numba
    return fresh(made, kind)


def as_settled(made: Any, way: Settled) -> Tensor | None:
    """A new array as a tensor, if its elements lie as was foreseen."""
    kind, _, layout, steps, row_major, _ = way
    if made.__class__ is not numpy.ndarray or made.strides != steps or made.dtype is not kind.numpy:
        return None
    if made.base is not None:  # a part of another array
        made = made.copy("K")
        if made.strides != steps:
            return None
    out = fresh(made, kind)
    if not row_major:
        out._layout, out._solid = layout, False
    return out


_alike: dict[Any, Settled | None] = {}
_REAL_NUMBERS = (dtypes.float32, dtypes.float64)


def plain_alike(block: Pointwise, operands: tuple[Tensor, ...], arrays: list[Any], by: Any) -> Tensor | None:
    """`plain` for tensors of one floating point dtype, the sooner done where all lie alike.

    Args:
        arrays: theirs; None for one that nobody read so far.
        by: the function over arrays. Its attribute ``held`` is a `Held` that does the same.
    """
    first = operands[0]
    lay = first._layout
    if lay is None:
        return plain(block, operands, by=by)
    size, stride = lay.size, lay.stride
    for operand in operands:
        other = operand._layout
        if other is not lay and (other is None or other.stride != stride or other.size != size):
            return plain(block, operands, by=by)
        if operand._array is None:
            return plain(block, operands, by=by)
    key = (block.rules, len(operands), first._dtype, size, stride)
    try:
        way = _alike[key]
    except KeyError:
        if len(_alike) >= MANY_PLANS:
            _alike.clear()
        way = _alike[key] = settled(block, operands, by)
    if way is None:
        return plain(block, operands, by=by)
    held = getattr(by, "held", None) if way.plane else None
    if held is not None:
        found = lying(held.plane, way, (*arrays, held.numbers[first._dtype][1]))
        if found is not None:
            return found
    if way.packed:
        dense: list[Any] = []
        for place, array in enumerate(arrays):
            again = place and array is arrays[place - 1]  # as in a product with itself
            dense.append(dense[-1] if again else array.copy("K"))
        arrays = dense
    try:
        made = _quiet(by, *arrays)
    except RuntimeError:
        return None  # another thread is inside
    out = as_settled(made, way)
    return plain(block, operands, by=by) if out is None else out


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


_BY_CHAR = {kind.numpy.char: kind for kind in _REAL_NUMBERS}


def at_once(held: Held, tensors: tuple[Tensor, ...]) -> Tensor | None:
    """The result for hundreds of elements of tensors that lie alike, where nothing has to be decided any more.

    None for all others, for operands that may want a gradient, and until there is a compiled loop.
    """
    block, ufunc, plane, numbers = held
    first = tensors[0]
    kind = first._dtype
    given = numbers.get(kind)
    if given is None:
        return None
    arrays: list[Any] = []
    before = array = None
    for tensor in tensors:
        if tensor is before:  # as in a product with itself
            arrays.append(array)
            continue
        before, array = tensor, tensor._array
        if wants_grad(tensor):
            return None
        if array is None:
            if tensor._device is not CPU or tensor._bits:
                return None
            array = tensor._nd()
        if tensor is first:
            if not SOME <= array.size < _MANY:
                return None
            x, solid = array, tensor._solid
            own: Any = tensor._layout
            if own is None and not solid:
                return None
        else:
            if tensor._dtype is not kind or tensor._solid is not solid:
                return None
            if solid:
                if array.shape != x.shape:
                    return None
            else:
                lay = tensor._layout
                if lay is not own and (lay is None or lay.stride != own.stride or lay.size != own.size):
                    return None
        arrays.append(array)
    run = ufunc.ready or ufunc.often()
    if run is None:
        return None
    row_major = solid
    try:
        if solid:
            made = _quiet(run, *arrays, *given[0])
        else:
            way = _alike.get((block.rules, len(arrays), kind, own.size, own.stride))
            if way is None:
                return None  # `plain_alike` finds it out
            _, packed, layout, steps, row_major, in_rows = way
            if not packed:
                made = _quiet(run, *arrays, *given[0])
                if made.strides != steps:
                    return None
            elif in_rows:
                return lying(plane, way, (*arrays, given[1]))
            else:
                return None
    except RuntimeError:
        return None  # another thread is inside
    # `fresh`, written out: the call would be a tenth of the whole.
    out = _new(Tensor)
    out._array = made
    out._solid = row_major
    out._layout = None if row_major else layout
    out._storage = None
    out._dtype = kind
    out._device = CPU
    out._counter = None
    out._base = None
    out._autograd = None
    return out


def order_of_many(arrays: list[Any]) -> Literal["C", "F", ""]:
    """How the result of many elements lies, as NumPy says it: "C" for operands in rows, "F" for column-major ones.

    Args:
        arrays: None for one that nobody read so far; "" is for that, and for all but matrices of one size.
    """
    shape: Any = getattr(arrays[0], "shape", ())
    if len(shape) != 2 or 1 in shape or shape[0] * shape[1] < elementwise.MANY:
        return ""
    rows = columns = True
    for array in arrays:
        if array is None or array.shape != shape:
            return ""
        apart, near = array.strides
        columns = columns and array.flags.f_contiguous
        rows = rows and near == array.itemsize and apart >= near * shape[1]
    return "C" if rows else "F" if columns else ""


def few_elements(input: Any, most: int = 16) -> Array | None:
    """The array of a row-major tensor of at most so many float32 or float64 numbers; None for any other."""
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
    return array if input._dtype in kinds and 0 < array.size <= BRIEF and array.ndim else None


def _converted(arrays: list[Any], held: numpy.dtype[Any], bare: bool) -> bool:
    """Turn operands into arrays of the dtype to compute in; False for a number that `apply` must look at."""
    for place, array in enumerate(arrays):
        kind = array.__class__
        if kind is numpy.ndarray:
            if array.dtype is not held and array.dtype != held:
                arrays[place] = _quiet(array.astype, held)
        elif kind is float or -_SMALL < array < _SMALL:
            if bare:
                continue
            try:
                arrays[place] = elementwise.quiet(numpy.array, array, held)
            except OverflowError:
                return False
        else:
            return False
    return True


def _plan_of(block: Pointwise, operands: tuple[Any, ...], key: Any) -> _Plan | None:
    """What operands of these kinds come to, kept for the next ones."""
    plan: _Plan | None = None
    if all(isinstance(o, Tensor) or type(o) in (bool, int, float) for o in operands):
        try:
            compute, kind = dtypes_of(block, operands)
        except RuntimeError:
            pass  # no dtype holds both: `apply` says so, after what PyTorch looks at first
        else:
            if not elementwise.is_half(compute) and compute not in block.lacks:
                # Small integers could be out of range, which a ufunc would refuse instead of wrapping them around.
                plan = _Plan(compute, kind, compute.numpy, compute.category == 2 or compute is dtypes.int64)
    if len(_plans) >= MANY_PLANS:
        _plans.clear()
    _plans[key] = plan
    return plan


def _may_write(operands: tuple[Any, ...], target: Array) -> bool:
    """Whether no element of the first operand is written twice, and no other operand lies in its memory."""
    first = operands[0]
    if not first._solid and 0 in target.strides:
        return False
    for other in operands:
        if other is not first and isinstance(other, Tensor):
            if other._storage is not None and other._storage is first._storage:
                return False
            if len(other._lay().size) > target.ndim:
                return False
    return True


def _fits(out: Tensor, way: _Way, operands: tuple[Any, ...]) -> bool:
    """Whether the result is written as it is: into a tensor of its size and dtype that shares memory with nobody."""
    if out._dtype is not way.kind or out._device is not CPU or out._bits:
        return False
    array, lay = out._nd(), out._lay()
    if lay.size != way.layout.size or 0 in array.strides:
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
    """What a function returned, as an array of the result's dtype that is no part of another."""
    if result.__class__ is not numpy.ndarray:
        result = numpy.asarray(result)
    if result.dtype != kind.numpy:
        return elementwise.cast(result, kind)
    return result if result.base is None else result.copy()  # type: ignore[no-any-return]
