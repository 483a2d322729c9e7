"""Shortcuts of new tensors on the CPU: plain sizes, numbers of one type, ranges of integers, small triangles."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import default_chosen
from tensorkit.dispatch.shortcut import shortcut
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.plan import brief
from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.kernels.sizes import NEW_AT_ONCE, TINY
from tensorkit.ops.creation.tril_triu import masked_part
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.shared.uninitialized import chosen
from tensorkit.tensor import Array, Tensor, fresh


def plain_size(size: tuple[Any, ...]) -> tuple[int, ...] | None:
    """The size that a call names by integers or by one tuple of them; None for any other."""
    sizes = size[0] if len(size) == 1 and size[0].__class__ is tuple else size
    for length in sizes:
        if length.__class__ is not int or length < 0:
            return None
    return sizes if size else None


def _new(size: tuple[int, ...], kind: dtype, value: int | None) -> Tensor:
    if value == 0:
        return fresh(numpy.zeros(size, kind.numpy), kind)
    made = numpy.empty(size, kind.numpy)
    if value is not None:
        made.fill(value)
    return fresh(made, kind)


def _filled(size: tuple[Any, ...], kind: Any, value: int | None, others: dict[str, Any]) -> Tensor | None:
    sizes = None if others or default_chosen.once else plain_size(size)
    if sizes is None:
        return None
    if kind is None:
        kind = dtypes.get_default_dtype()
    elif kind.__class__ is not dtype:
        return None
    if math.prod(sizes) > NEW_AT_ONCE or (0 in sizes and max(sizes) > NEW_AT_ONCE):
        return None
    return _new(sizes, kind, value)


@shortcut("empty", buys="empty(3)", of_values=True)
def empty_of_plain_size(*size: Any, dtype: Any = None, **others: Any) -> Tensor | None:
    return None if chosen.enabled else _filled(size, dtype, None, others)


@shortcut("zeros", buys="zeros(3)", of_values=True)
def zeros_of_plain_size(*size: Any, dtype: Any = None, **others: Any) -> Tensor | None:
    return _filled(size, dtype, 0, others)


@shortcut("ones", buys="ones(2, 3)", of_values=True)
def ones_of_plain_size(*size: Any, dtype: Any = None, **others: Any) -> Tensor | None:
    return _filled(size, dtype, 1, others)


@shortcut("full", buys="full((2, 3), 1.5)", of_values=True)
def full_of_plain_size(size: Any = None, fill_value: Any = None, *more: Any, **others: Any) -> Tensor | None:
    of = fill_value.__class__
    kind = {bool: dtypes.bool, int: dtypes.int64, float: dtypes.get_default_dtype()}.get(of)
    if kind is None or more or size.__class__ is not tuple:
        return None
    if of is int and not -(2**63) <= fill_value < 2**63:
        return None
    made = _filled((size,), kind, 0, others)
    if made is not None:
        write_number(made, fill_value)
    return made


def _like(input: Any, kind: Any, value: int, others: dict[str, Any]) -> Tensor | None:
    if others or input.__class__ is not Tensor:
        return None
    if kind is None:
        kind = input._dtype
    elif kind.__class__ is not dtype:
        return None
    if input._array is None or not input._solid or input._array.size > NEW_AT_ONCE:
        return None
    return _new(input._array.shape, kind, value)


@shortcut("zeros_like", buys="zeros_like(t)", of_values=True)
def zeros_like_plain(input: Any = None, *, dtype: Any = None, **others: Any) -> Tensor | None:
    return _like(input, dtype, 0, others)


@shortcut("ones_like", buys="zeros_like(t)", of_values=True)
def ones_like_plain(input: Any = None, *, dtype: Any = None, **others: Any) -> Tensor | None:
    return _like(input, dtype, 1, others)


@shortcut("eye", buys="eye(3)", of_values=True)
def eye_of_few(n: Any = None, m: Any = None, *more: Any, dtype: Any = None, **others: Any) -> Tensor | None:
    kind = dtypes.get_default_dtype() if dtype is None else dtype
    if more or others or kind.__class__ is not dtypes.dtype or kind in LIMITED or default_chosen.once:
        return None
    m = n if m is None else m
    if n.__class__ is not int or m.__class__ is not int or n < 0 or m < 0 or n * m > NEW_AT_ONCE:
        return None
    made = numpy.zeros((n, m), kind.numpy)
    made.reshape(-1)[: m * m : m + 1] = 1
    return fresh(made, kind)


@shortcut("arange", buys="arange(3)", of_values=True)
def arange_of_integers(
    start: Any = None, end: Any = None, step: Any = 1, *more: Any, **others: Any
) -> Tensor | None:
    if more or others or default_chosen.once:
        return None
    if end is None:
        start, end = 0, start
    if end.__class__ is not int or start.__class__ is not int or step.__class__ is not int:
        return None
    if step > 0 and -(2**62) < start <= end < min(start + NEW_AT_ONCE, 2**62):
        return fresh(numpy.arange(start, end, step, dtype=numpy.int64), dtypes.int64)
    return None


_LARGEST = float(numpy.finfo(numpy.float32).max)


def _few_steps(start: float, end: float, count: int) -> Array:
    """Numbers evenly apart in float32, one by one: float64 has room for the products."""
    first, last = numpy.float32(start), numpy.float32(end)
    if count < 2:
        return numpy.array([first] * count, numpy.float32)
    near, far, step = float(first), float(last), float((last - first) / numpy.float32(count - 1))
    half = count // 2
    numbers = [step * i + near for i in range(half)]
    numbers += [-step * i + far for i in range(count - 1 - half, -1, -1)]
    return numpy.array(numbers, numpy.float32)


@shortcut("linspace", buys="linspace(0, 1, 3)", of_values=True)
def linspace_of_few(
    start: Any = None, end: Any = None, steps: Any = None, *more: Any, **others: Any
) -> Tensor | None:
    """A few float32 numbers."""
    if more or others or default_chosen.once or dtypes.get_default_dtype() is not dtypes.float32:
        return None
    if steps.__class__ is not int or not 0 <= steps <= TINY:
        return None
    for limit in (start, end):
        if (
            limit.__class__ is not float and limit.__class__ is not int
        ) or not -_LARGEST <= limit <= _LARGEST:
            return None
    return fresh(quiet(_few_steps, start, end, steps), dtypes.float32)


@shortcut("tensor", buys="tensor([1.0, 2.0])", of_values=True)
def tensor_of_numbers(data: Any = None, *more: Any, **others: Any) -> Tensor | None:
    """A tensor of a number, or of a row of numbers of one type."""
    if more or others or default_chosen.once:
        return None
    of = data.__class__
    if of is list or of is tuple:
        if not data:
            return None
        of = data[0].__class__
        for number in data:
            if number.__class__ is not of:
                return None
    if of is float:
        kind = dtypes.get_default_dtype()
        if kind is dtypes.bfloat16 or kind is dtypes.float16:
            return None
        return fresh(quiet(numpy.array, data, kind.numpy), kind)
    if of is bool:
        return fresh(numpy.array(data, numpy.bool_), dtypes.bool)
    if of is int:
        try:
            return fresh(numpy.array(data, numpy.int64), dtypes.int64)
        except OverflowError:
            return None
    return None


# -- triangles ----------------------------------------------------------------------------------------------------

_ZERO = numpy.array(0)  # NumPy takes longer to make an array of a number than to write one
_BITS: dict[int, Any] = {4: numpy.uint32, 8: numpy.uint64}


@functools.lru_cache(64)
def _kept(rows: int, columns: int, diagonal: int, lower: bool, item: int) -> Array:
    """Integers of `item` bytes for the elements of a matrix: all bits set inside the triangle, none outside."""
    masked = masked_part.__wrapped__(rows, columns, diagonal, lower)
    return numpy.where(masked, _BITS[item](0), ~_BITS[item](0))  # type: ignore[no-any-return]


def _triangle(input: Any, diagonal: Any, lower: bool) -> Tensor | None:
    """The triangle of a small matrix of floating point numbers."""
    array = brief(input) if input.__class__ is Tensor else None
    if array is None or array.ndim != 2 or diagonal.__class__ is not int:
        return None
    made = array.copy()
    if made.size <= TINY:
        made[masked_part(*made.shape, diagonal, lower)] = _ZERO
    else:
        bits = made.view(_BITS[made.itemsize])
        numpy.bitwise_and(bits, _kept(*made.shape, diagonal, lower, made.itemsize), bits)
    return fresh(made, input._dtype)


@shortcut("tril", buys="t.tril()", of_values=True)
def tril_of_few(input: Any = None, diagonal: Any = 0, *more: Any, **others: Any) -> Tensor | None:
    return None if more or others else _triangle(input, diagonal, True)


@shortcut("triu", buys="t.tril()", of_values=True)
def triu_of_few(input: Any = None, diagonal: Any = 0, *more: Any, **others: Any) -> Tensor | None:
    return None if more or others else _triangle(input, diagonal, False)
