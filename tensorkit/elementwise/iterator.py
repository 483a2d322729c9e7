"""Pointwise operations: one mechanism from operands to result, for every dtype, layout and device.

The way of ``a + b``: `result_dtype` promotes, the layouts are broadcast (stride 0, no copy), the output gets the
strides PyTorch would give it, the kernel of the device runs over buffers. ``spellings`` makes functions, methods and
operators of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy

from tensorkit import dtypes
from tensorkit.conj_bit import turned
from tensorkit.device import CPU, device
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.errors import SHARED_SLOTS, DeviceMismatchError, MissingKernelError, no_room, warn
from tensorkit.kernels.cpu import elementwise
from tensorkit.kernels.cpu.strided_2d import Plane
from tensorkit.kernels.cpu.tiny import BRIEF
from tensorkit.kernels.cpu.ufuncs import SOME, Ufunc
from tensorkit.kernels.jit.threads import FORCED
from tensorkit.number_range import check_number, check_range
from tensorkit.storage import allocate
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import iterator_strides, like_strides
from tensorkit.strides.sizes import (
    INT64_MAX,
    broadcast_sizes,
    check_bytes,
    contiguous_stride,
    overflowed,
)
from tensorkit.tensor import Array, Tensor, fresh, on_storage

__all__ = [
    "MANY_PLANS",
    "NUMBERS",
    "Held",
    "Place",
    "Pointwise",
    "Settled",
    "apply",
    "as_number_array",
    "as_settled",
    "at_once",
    "brief",
    "check_castable",
    "check_devices",
    "check_memory",
    "check_overlap",
    "check_writable",
    "empty_strided",
    "few_elements",
    "holding",
    "order_of_many",
    "lying",
    "place_of",
    "placed",
    "plain",
    "plain_alike",
    "prepare_out",
    "register_zip",
    "refuse_shared",
    "resize_out",
    "resize_silently",
    "python_number",
    "result_dtype",
    "seen_layout",
    "settled",
    "times_one",
]

NUMBERS = (bool, int, float, complex, numpy.number, numpy.bool_)


_rules: dict[Any, int] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Pointwise:
    """What an elementwise operation is made of.

    Attributes:
        name: PyTorch's name.
        numpy: the NumPy function over whole arrays.
        scalar: the same on single elements: the CUDA kernels are compiled from it.
        result: "same" (the promoted dtype), "float" (integers become the default float), "bool", "real" (complex
            numbers give their real type), or "real float" (both of these).
        kernel: the name that PyTorch's "not implemented for" error carries.
        lacks: dtypes that PyTorch's kernel does not take.
        spared: whether operands of such a dtype need no kernel, because it is known what the result is.
        check: refuses operands with PyTorch's sentence, before anything is allocated.
        alpha: whether ``alpha=`` multiplies the second operand.
        overloaded: whether PyTorch has separate forms for tensors and numbers, which colours one error's text.
        numbers_apart: whether PyTorch's loop runs over the tensor alone where the other operand is a number: after a
            number the result is row-major, before one it lies as that of a function of one tensor.
        inplace_check: refuses an in-place call with PyTorch's sentence.
        like_first: "always" or for "whole" numbers the result has the strides that ``empty_like`` would give it.
        exact_out: whether ``out=`` must have the very dtype of the result; or the sentence that refuses another.
        exact_half: whether the NumPy function takes 16-bit floats as they are, instead of in float32.
        exact_divisor: whether a number or a 0-d tensor that comes second keeps its float32 precision beside 16-bit
            tensors: all others are rounded to 16 bits first.
    """

    name: str
    numpy: Any
    scalar: Callable[..., Any] | None
    result: str = "same"
    kernel: str = ""
    lacks: tuple[dtype, ...] = LIMITED
    spared: Callable[..., bool] = lambda *operands: False
    check: Callable[..., None] | None = None
    alpha: bool = False
    overloaded: bool = False
    numbers_apart: bool = False
    exact_out: bool | str = False
    like_first: str = ""
    inplace_check: Callable[[Tensor], None] | None = None
    exact_half: bool = False
    exact_divisor: bool = False
    #: A number for what decides about a result's dtype and strides: the same for all blocks that are alike in it.
    rules: int = field(init=False, repr=False, default=0)

    def __post_init__(self) -> None:
        alike = (self.result, self.lacks, self.like_first, self.numbers_apart)
        object.__setattr__(self, "rules", _rules.setdefault(alike, len(_rules)))
        if self.scalar is not None:
            self.scalar.__name__ = (
                self.name
            )  # the kernels compiled from it, and their events, carry this name


# -- dtype, device, size ------------------------------------------------------------------------------------------


def _higher(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """PyTorch's ``combine_categories``: the lower-priority operand matters only when its category is higher."""
    if higher is None:
        return lower
    if higher.is_complex or lower is None:
        return higher
    if higher.is_floating_point:
        return higher.to_complex() if lower.is_complex else higher
    if lower.is_complex:
        return lower
    if higher.category == 0 or lower.category == 2:
        return dtypes.promote_types(higher, lower)
    return higher


def python_number(number: Any) -> Any:
    """A NumPy number as Python's; a bool of NumPy's and a complex64, which are none of Python's, count as floats."""
    odd = isinstance(number, (numpy.bool_, numpy.complexfloating)) and not isinstance(number, complex)
    return float(number) if odd else number.item()


def result_dtype(*operands: Any) -> dtype:
    """The dtype of a result: tensors with dimensions decide, then 0-d tensors, then Python numbers.

    Within its category a number or a 0-d tensor promotes nothing that has dimensions.
    """
    with_dims: dtype | None = None
    zero_dim: dtype | None = None
    number: dtype | None = None
    for operand in operands:
        if not isinstance(operand, Tensor):
            kind = dtypes.of_number(python_number(operand) if isinstance(operand, numpy.generic) else operand)
            number = kind if number is None else dtypes.promote_types(number, kind)
        elif operand.dim() == 0:
            zero_dim = operand._dtype if zero_dim is None else dtypes.promote_types(zero_dim, operand._dtype)
        else:
            with_dims = (
                operand._dtype if with_dims is None else dtypes.promote_types(with_dims, operand._dtype)
            )
    found = _higher(with_dims, _higher(zero_dim, number))
    assert found is not None
    return found


def check_devices(operands: Iterable[Any]) -> device:
    """The one device of all tensors. A 0-d CPU tensor may join tensors elsewhere, as in PyTorch.

    Raises:
        DeviceMismatchError: when they live on two.
    """
    tensors = [o for o in operands if isinstance(o, Tensor)]
    elsewhere = [t._device for t in tensors if t._device.type != "cpu"]
    # As in PyTorch, the first operand that is not on the CPU says where the others should be.
    common = elsewhere[0] if elsewhere else CPU
    numbers = 0
    for tensor in tensors:
        here = tensor._device
        if here == common:
            continue
        if here.type == "cpu" and not tensor._lay().size:
            numbers += 1
        else:
            raise _mismatch(common, here, tensors[0]._device)
    if numbers > 1:
        raise RuntimeError("Trying to pass too many CPU scalars to non-CPU kernel!")
    return common


def _mismatch(common: device, here: device, first: device) -> DeviceMismatchError:
    if "meta" in (common.type, here.type):
        other = here if first == common else common
        return DeviceMismatchError(f"Tensor on device {other} is not on the expected device {first}!")
    return DeviceMismatchError(
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{common} and {here}!\nMove one of them first: t.to('{common}') returns a copy there."
    )


def as_number_array(value: Any, kind: dtype) -> Array:
    """A Python number as a 0-d array; integers wrap around as in C.

    Raises:
        OverflowError: for an integer that 64 bits cannot hold.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        check_range(value)
        if kind.category > 1:
            return elementwise.cast(numpy.array(float(value)), kind)
        whole = value - 2**64 if value >= 2**63 else value
        return elementwise.cast(numpy.array(whole, numpy.int64), kind)
    return elementwise.cast(numpy.array(value), kind)


# -- the output ---------------------------------------------------------------------------------------------------


def empty_strided(size: tuple[int, ...], stride: tuple[int, ...], kind: dtype, where: device) -> Tensor:
    """An uninitialised tensor with a storage that just fits the size and strides."""
    layout = Layout(size, stride, 0)
    if where.type == "cpu" and stride == contiguous_stride(size):
        try:
            return fresh(numpy.empty(size, kind.numpy), kind)
        except (MemoryError, ValueError):
            check_bytes(size, kind.itemsize)
            raise no_room(math.prod(size) * kind.itemsize) from None
    nbytes = layout.reach() * kind.itemsize
    if nbytes > INT64_MAX:
        raise overflowed(size, stride)
    return on_storage(allocate(nbytes, where), layout, kind)


def check_writable(out: Tensor) -> None:
    """Refuse to write where two elements share a slot: the order of writing would decide the result."""
    if out._lay().has_internal_overlap() == "yes":
        raise RuntimeError(SHARED_SLOTS)


def _range(tensor: Tensor) -> tuple[int, int]:
    """The bytes of its storage that a tensor may touch, first and one past the last."""
    lay, item = tensor._lay(), tensor._dtype.itemsize
    return lay.offset * item, lay.reach() * item


def _both(out: Tensor, source: Tensor) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The bytes of the one storage that two tensors touch; None where they have none in common."""
    if out._storage is None or out._storage is not source._storage:
        return None
    a, b = out._lay(), source._lay()
    # PyTorch compares only what it can compare cheaply: dense blocks of memory.
    if not (a.numel and b.numel and a.is_non_overlapping_and_dense() and b.is_non_overlapping_and_dense()):
        return None
    first, last = _range(out), _range(source)
    return (first, last) if first[0] < last[1] and last[0] < first[1] else None


_SHARED = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
    "single memory location. Please clone() the tensor before performing the operation."
)


def check_overlap(out: Tensor, source: Tensor, *, seen: bool = False) -> None:
    """Refuse an input that shares some, but not all, of the output's slots.

    Args:
        seen: whether the operation reads and writes views with bits as they are, and no copies of them.
    """
    if out is source or (both := _both(out, source)) is None:
        return
    if (out._bits or source._bits) and not seen:
        return
    if both[0] != both[1] or out._lay().stride != source._lay().stride:
        raise RuntimeError(_SHARED)


def refuse_shared(out: Tensor, source: Tensor) -> None:
    """Refuse an operand that shares memory with what is written to, were it the very same elements."""
    if not (out._bits or source._bits) and (out is source or _both(out, source) is not None):
        raise RuntimeError(_SHARED)


def resize_out(out: Tensor, size: tuple[int, ...], stride: tuple[int, ...] | None = None) -> None:
    """Give an ``out=`` tensor the size of the result, with PyTorch's warning when it had elements to lose.

    Where it has to change, it gets the strides of the result too (row-major if none are given).
    """
    lay = out._lay()
    if lay.size == size:
        return
    if out._bits:
        stride = None  # PyTorch lets the result lie in a tensor of its own, and resizes a view with bits row by row
    if lay.numel:
        warn(
            "An output with one or more elements was resized since it had shape "
            f"{list(lay.size)}, which does not match the required output shape {list(size)}. This behavior is "
            "deprecated, and in a future PyTorch release outputs will not be resized unless they have zero "
            "elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
            "t.resize_(0)."
        )
    target = Layout(size, contiguous_stride(size) if stride is None else stride, lay.offset)
    storage = out._store()
    needed = target.reach() * out._dtype.itemsize
    if needed > storage.nbytes():
        storage.resize_(needed)
    out._adopt_geometry(storage, target)


def resize_silently(out: Tensor, size: tuple[int, ...]) -> None:
    """`resize_out`, row by row, for what gives no warning."""
    if out._lay().size != size:
        out._adopt_geometry(out._store(), Layout((0,), (1,), out._lay().offset))
        resize_out(out, size)


def prepare_out(
    out: Any, size: tuple[int, ...], stride: tuple[int, ...], kind: dtype, where: device
) -> Tensor:
    """Check an ``out=`` tensor and give it the size of the result.

    Raises:
        TypeError: when it is no tensor.
        RuntimeError: when the result's dtype cannot be cast to its dtype, or it is on another device.
    """
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type(out).__name__}")
    check_castable(kind, out._dtype)
    if out._device != where:
        raise DeviceMismatchError(
            f"Expected all tensors to be on the same device, but found at least two devices, {where} and "
            f"{out._device}!"
        )
    resize_out(out, size, stride)
    return out


def check_castable(kind: dtype, target: dtype) -> None:
    """Refuse to write results of one dtype into a tensor of another that cannot hold their kind of number."""
    if not dtypes.can_cast(kind, target):
        raise RuntimeError(
            f"result type {kind.label} can't be cast to the desired output type {target.label}"
        )


# -- kernels of other devices -------------------------------------------------------------------------------------

Zip = Callable[[Callable[..., Any], Tensor, tuple[Any, ...], dtype], None]
_zips: dict[str, Zip] = {"meta": lambda body, out, inputs, compute: None}


def register_zip(device_type: str, run: Zip) -> None:
    """Tell the pointwise mechanism how a kind of device runs a scalar body over operands."""
    _zips[device_type] = run


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


def _run(
    block: Pointwise, out: Tensor, operands: tuple[Any, ...], compute: dtype, alpha: Any, new: bool
) -> None:
    where = out._device
    if out._bits and where.type == "cpu":
        plain = empty_strided(out._lay().size, contiguous_stride(out._lay().size), out._dtype, where)
        _run(block, plain, operands, compute, alpha, new)
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
            and (compute.category < 2 or out.numel() < elementwise.MANY)
        ):
            _adopt(
                out, elementwise.quiet(block.numpy, *(elementwise.cast(array, compute) for array in arrays))
            )
        else:
            elementwise.zip_into(block.numpy, arrays, out._nd(), compute)
        return
    run = _zips.get(where.type)
    if run is None or (block.scalar is None and where.type != "meta"):
        raise MissingKernelError(
            f"Could not run 'aten::{block.name}' with arguments from the '{where.type.upper()}' backend."
        )
    numbers = operands if alpha is None else (*operands, alpha)
    body: Any = _with_alpha(block) if alpha is not None else block.scalar
    run(body, out, numbers, compute)


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


_alpha_bodies: dict[str, Callable[..., Any]] = {}


def _with_alpha(block: Pointwise) -> Callable[..., Any]:
    body = _alpha_bodies.get(block.name)
    if body is None:
        inner = block.scalar
        assert inner is not None
        body = _add_scaled if block.name == "add" else _sub_scaled
        _alpha_bodies[block.name] = body
    return body


def _add_scaled(a: Any, b: Any, alpha: Any) -> Any:
    return a + b * alpha


def _sub_scaled(a: Any, b: Any, alpha: Any) -> Any:
    return a - b * alpha


# -- the short way ------------------------------------------------------------------------------------------------

# Elements; of more, nobody notices what the whole way takes.
_FEW = 0 if FORCED else 4096


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
MANY_PLANS = 4096
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
        return _laid_out(result, kind, layout)
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
            layout = Layout(size, _stride_of(block, operands, size, plan.kind, None))
            steps = tuple([step * plan.kind.itemsize for step in layout.stride])
            other = any(tensor._dtype.numpy != plan.held for tensor in tensors)
            convert = other or any(operand.__class__ is not Tensor for operand in operands)
            packed = tuple([place for place, operand in enumerate(operands) if _lies_apart(operand)])
            row_major = layout.stride == contiguous_stride(size)
            way = _Way(plan.kind, plan.held, plan.bare, convert, packed, layout, steps, row_major, None)
            if layout.numel > _FEW or any(tensor.numel() > _FEW for tensor in tensors):
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


_SOME = 64


def _lies_apart(operand: Any) -> bool:
    """Whether the elements lie in many short rows: NumPy copies them sooner than it computes with them there."""
    if operand.__class__ is not Tensor:
        return False
    lay = operand._lay()
    return (
        lay.ndim > 1 and lay.numel >= _SOME and 0 not in lay.stride and not lay.is_non_overlapping_and_dense()
    )


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
        before, array, base = tensor, tensor._array, tensor._base
        if tensor._autograd is not None or (base is not None and base._autograd is not None):
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
            compute, kind = _dtypes_of(block, operands)
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


class Place(NamedTuple):
    """Where the elements of a result lie, told by the layouts of the operands: see `place_of`."""

    layout: Layout
    steps: tuple[int, ...]  # the same in bytes
    row_major: bool
    packed: tuple[int, ...]  # the operands that are copied first
    plane: bool  # whether it is a matrix, of matrices that broadcast or whose rows lie apart (`strided_2d`)


_places: dict[Any, Place | None] = {}


def place_of(operands: tuple[Any, ...], kind: dtype) -> Place | None:
    """Where a result of few elements lies, of operands that are converted by nobody; None for other operands."""
    key: list[Any] = [kind]
    for operand in operands:
        if operand.__class__ is Tensor:
            lay = operand._layout or operand._lay()
            key += (lay.size, lay.stride)
        else:
            key.append(None)
    named = tuple(key)
    try:
        return _places[named]
    except KeyError:
        if len(_places) >= MANY_PLANS:
            _places.clear()
        place = _places[named] = _new_place(operands, kind)
        return place


def _new_place(operands: tuple[Any, ...], kind: dtype) -> Place | None:
    seen = [operand._lay() if operand.__class__ is Tensor else _NUMBER for operand in operands]
    try:
        size = broadcast_sizes(*(lay.size for lay in seen))
    except RuntimeError:
        return None  # refused in PyTorch's words
    if not 0 < math.prod(size) <= _FEW:
        return None
    layout = Layout(size, iterator_strides(size, seen))
    steps = tuple([step * kind.itemsize for step in layout.stride])
    packed = tuple([place for place, operand in enumerate(operands) if _lies_apart(operand)])
    row_major = layout.stride == contiguous_stride(size)
    return Place(layout, steps, row_major, packed, row_major and all(lay.ndim == 2 for lay in seen))


def placed(made: Array, kind: dtype, place: Place) -> Tensor:
    """A new array as a tensor with the strides that it is to have."""
    if made.strides != place.steps:
        return _laid_out(made, kind, place.layout)
    out = fresh(made, kind)
    if not place.row_major:
        out._layout, out._solid = place.layout, False
    return out


def _laid_out(made: Array, kind: dtype, layout: Layout) -> Tensor:
    """A new array copied to where PyTorch's strides put its elements."""
    held = empty_strided(made.shape, layout.stride, kind, CPU)
    numpy.copyto(held._nd(), made)
    return held


# -- the whole way ------------------------------------------------------------------------------------------------


_FLOATING = ("float", "real float")
_REAL = ("real", "real float")


def _dtypes_of(block: Pointwise, operands: tuple[Any, ...]) -> tuple[dtype, dtype]:
    """The dtype to compute in and the dtype of the result."""
    compute = result_dtype(*operands)
    if block.result in _FLOATING and compute.category < 2:
        compute = dtypes.get_default_dtype()
    if block.result == "bool":
        return compute, dtypes.bool
    return compute, compute.to_real() if block.result in _REAL else compute


def _check_alpha(name: str, alpha: Any, kind: dtype) -> None:
    if not isinstance(alpha, NUMBERS):
        raise TypeError(f"{name}(): argument 'alpha' must be Number, not {type(alpha).__name__}")
    if isinstance(alpha, bool) and kind.category != 0:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, (float, numpy.floating)) and kind.category < 2:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and not kind.is_complex:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    check_number(alpha, kind, narrow=True)


def apply(
    block: Pointwise,
    operands: tuple[Any, ...],
    *,
    alpha: Any = None,
    out: Tensor | None = None,
    inplace: bool = False,
    by: Any = None,
) -> Tensor:
    """Run a pointwise operation on tensors and numbers, into a new tensor, `out`, or (`inplace`) the first operand.

    ``out=IN_PLACE`` says `inplace` too: it is what the body of an operation is given for its form ``name_``.

    Args:
        by: the function over arrays, if it is not the block's own: one that knows the numbers of this call.

    Raises:
        RuntimeError, TypeError, NotImplementedError: with PyTorch's sentences, before anything is written.
    """
    if out is IN_PLACE:
        out, inplace = None, True
    truth = inplace and block.result == "bool"  # it is written as a number: see `_warn_of_truth`
    if not truth and (alpha is None or (alpha.__class__ is int and alpha == 1)):
        done = plain(block, operands, inplace, by, out)
        if done is not None:
            return done
    if by is not None:
        block = replace(block, numpy=by)
    where = check_devices(operands)
    if block.check is not None:
        block.check(*operands)
    if inplace and block.inplace_check is not None:
        block.inplace_check(operands[0])
    written = operands[0] if inplace else out
    if isinstance(written, Tensor) and not _is_resized_late(block, operands[0], written):
        check_memory(written, operands[1:] if inplace else operands)
    sizes = [o._lay().size for o in operands if isinstance(o, Tensor)]
    size = broadcast_sizes(*sizes)
    compute, kind = _dtypes_of(block, operands)
    if alpha is not None:
        if isinstance(alpha, Tensor) and not alpha.dim() and not alpha.requires_grad:
            alpha = alpha.item()
        _check_alpha(block.name, alpha, compute)
        if alpha.__class__ is int and alpha == 0 and block.numpy is numpy.subtract and compute.category > 1:
            alpha = -0.0  # what is subtracted is added with the number's other sign, and 0 has none
        alpha = None if alpha == 1 and not isinstance(alpha, bool) else alpha
    target = _target(block, operands, size, kind, where, out, inplace)
    # Without data no kernel is asked.
    if compute in block.lacks and where.type != "meta" and not block.spared(*operands):
        raise missing_kernel(block.kernel or f"{block.name}_cpu", compute.label)
    if target.numel():
        _run(block, target, operands, compute, alpha, not inplace and out is None)
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
    stride = _stride_of(block, operands, size, kind, out)
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


def _stride_of(
    block: Pointwise, operands: tuple[Any, ...], size: tuple[int, ...], kind: dtype, out: Any
) -> tuple[int, ...]:
    """The strides of a result that is new, or that `out` is resized for."""
    first = operands[0]
    if block.numbers_apart:
        if not isinstance(first, Tensor):
            return contiguous_stride(size)
        if not isinstance(operands[-1], Tensor):
            operands = operands[:1]
    if isinstance(first, Tensor) and first._dtype.is_complex:
        if block.result == "real float" and not _holds_complex(out):
            return contiguous_stride(size)
        if block.result == "real":  # PyTorch makes this one with empty_like, and resizes `out` afterwards
            copied = out is None or _holds_complex(out)
            return like_strides(first._lay()) if copied else contiguous_stride(size)
    if out is None and _like_first(block, first):
        return like_strides(first._lay())
    compute = kind if block.result == "same" else result_dtype(*operands)
    if block.result in _FLOATING and compute.category < 2:
        compute = kind
    return iterator_strides(size, [seen_layout(o, compute) for o in operands])


def _is_resized_late(block: Pointwise, first: Any, out: Tensor) -> bool:
    """Whether PyTorch computes the real result of complex numbers elsewhere, and resizes the output only then."""
    if block.result not in _REAL or not isinstance(first, Tensor) or not first._dtype.is_complex:
        return False
    return not out._dtype.is_complex and out._lay().size != first._lay().size


def _holds_complex(out: Any) -> bool:
    return isinstance(out, Tensor) and out._dtype.is_complex


def _like_first(block: Pointwise, first: Any) -> bool:
    return block.like_first == "always" or (block.like_first == "whole" and first._dtype.category < 2)


_NUMBER = Layout((), (), 0)


def seen_layout(operand: Any, compute: dtype) -> Layout:
    """An operand's layout as the strides of the result follow it: converted, it is a dense copy."""
    if not isinstance(operand, Tensor):
        return _NUMBER
    lay = operand._lay()
    if operand._dtype is compute or not lay.size:
        return lay
    return Layout(lay.size, like_strides(lay), 0)


def _prepare_inplace(target: Tensor, size: tuple[int, ...], kind: dtype) -> None:
    own = target._lay().size
    if own != size:
        raise RuntimeError(f"output with shape {list(own)} doesn't match the broadcast shape {list(size)}")
    check_castable(kind, target._dtype)


def check_memory(written: Tensor, sources: Iterable[Any]) -> None:
    """PyTorch looks at overlapping memory before it looks at sizes and dtypes."""
    check_writable(written)
    for source in sources:
        if isinstance(source, Tensor):
            check_overlap(written, source)
