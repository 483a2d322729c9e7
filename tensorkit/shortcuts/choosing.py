"""Shortcuts of choosing and of membership: `where`, `isin`."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU
from tensorkit.dispatch.shortcut import shortcut
from tensorkit.elementwise.plan import placed, planned
from tensorkit.kernels.cpu import strided_2d, tiny, ufuncs
from tensorkit.kernels.sizes import LARGE, TINY
from tensorkit.number_range import holds
from tensorkit.ops.pointwise.where import CHOICE
from tensorkit.tensor import Tensor, fresh

_BOOL = dtypes.bool
_COUNTED = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)


def _by_loop(condition: Tensor, input: Tensor, other: Tensor) -> Tensor | None:
    """The choice between tensors of one dtype, of some hundreds of elements, by a compiled loop; None for others."""
    mask, first, second, kind = condition._array, input._array, other._array, input._dtype
    if mask is None or first is None or second is None or kind is not other._dtype:
        return None
    if condition._dtype is not _BOOL or mask.size >= LARGE or mask.size + first.size < TINY:
        return None
    if condition._solid and input._solid and other._solid and mask.shape == first.shape == second.shape:
        choose = ufuncs.choose.of(first)
        return None if choose is None else fresh(choose(mask, first, second), kind)
    if not (mask.ndim and first.ndim and second.ndim):
        return None
    plan = planned(CHOICE, (condition, input, other), [])
    if plan is None or plan.large:
        return None
    matrices = plan.row_major and mask.ndim == first.ndim == second.ndim == 2
    if matrices and kind.numpy.char in strided_2d.choose.signatures:
        made = numpy.empty(plan.layout.size, kind.numpy)
        if strided_2d.choose.into(made, mask, first, second):
            return fresh(made, kind)
    choose = ufuncs.choose.of(first)
    return None if choose is None else placed(choose(mask, first, second), plan)


@shortcut("where", buys="where, contiguous, 1", of_values=True)
def where_of_few(
    condition: Any = None, input: Any = None, other: Any = None, *more: Any, **others: Any
) -> Tensor | None:
    """The choice between two tensors of one dtype, or one and a number, of few elements."""
    if more or others or condition.__class__ is not Tensor:
        return None
    if input.__class__ is other.__class__ is Tensor:
        found = _by_loop(condition, input, other)
        if found is not None:
            return found
    if condition._dtype is not _BOOL or condition._device is not CPU:
        return None
    mask = condition._nd()
    if mask.size >= LARGE or not mask.ndim:
        return None
    kind: Any = None
    arrays: list[Any] = [mask]
    solid = condition._solid or mask.size == 1
    for value in (input, other):
        if value.__class__ is Tensor:
            if kind is None:
                kind = value._dtype
            elif kind is not value._dtype:
                return None
            if value._device is not CPU or value._bits:
                return None
            array = value._nd()
            if not array.ndim:
                return None
            solid = solid and (value._solid or array.size == 1) and array.shape == mask.shape
            arrays.append(array)
        else:
            arrays.append(value)
    if kind is None:
        return None
    for place, value in ((1, input), (2, other)):
        if value.__class__ is not Tensor:
            if (
                kind.category == 0
                or kind.category < 2 <= dtypes.of_number(value).category
                or not holds(kind, value)
            ):
                return None
            arrays[place] = numpy.array(value, kind.numpy)
    if solid and mask.size == 1 and input.__class__ is other.__class__:
        return fresh(arrays[1 if mask.item() else 2].copy(), kind)
    loop = ufuncs.choose.of(arrays[1 if input.__class__ is Tensor else 2])
    choose = numpy.where if loop is None else loop
    if solid:
        return fresh(choose(*arrays), kind)
    plan = planned(CHOICE, (condition, input, other), [])
    if plan is None or plan.large:
        return None
    for place in plan.packed if loop is None else ():
        arrays[place] = arrays[place].copy("K")
    return placed(choose(*arrays), plan)


@shortcut("isin", buys="isin(a, b)", of_values=True)
def isin_of_few(elements: Any = None, test_elements: Any = None, *more: Any, **others: Any) -> Tensor | None:
    """Whether each of a few elements is among a few others of their dtype."""
    if more or others or not elements.__class__ is test_elements.__class__ is Tensor:
        return None
    x, y = elements._array, test_elements._array
    if (
        x is None
        or y is None
        or elements._dtype is not test_elements._dtype
        or elements._dtype not in _COUNTED
    ):
        return None
    if not elements._solid or not test_elements._solid or not 0 < x.size <= TINY or not 0 < y.size <= TINY:
        return None
    return fresh(tiny.members(x, y), _BOOL)
