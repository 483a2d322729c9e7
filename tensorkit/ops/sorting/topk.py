"""The k largest or smallest: `topk`."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.output import empty_strided
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import parallel
from tensorkit.kernels.cpu.sorting import sort as orders
from tensorkit.kernels.cpu.sorting import sort_compiled
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.sorting.on_device import top_there
from tensorkit.ops.sorting.values_and_indices import (
    Pair,
    as_rows,
    axis_of,
    check_flags,
    check_tensor,
    make_room,
    move_axis,
    named,
    on_host,
    picked,
    spread,
    whole,
)
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor

#: PyTorch goes through a row once if `k` is at most the row's length divided by this; else it selects.
_ONE_OF = 64


def reversible(keys: Array, descending: bool) -> Array:
    """Numbers whose rising order is the wanted one."""
    if keys.dtype.kind == "f" and numpy.isnan(keys).any():
        ranks: Array = orders.ranks_of(keys[None], descending)[1][0]
        return ranks
    if not descending:
        return keys
    turned: Array = -keys if keys.dtype.kind == "f" else ~keys
    return turned


def _select(keys: Array, k: int, largest: bool, ordered: bool) -> Array:
    """Where the k largest or smallest of one row are, by the steps of PyTorch's algorithm."""
    values = reversible(keys, largest)
    if k * _ONE_OF <= keys.size:
        return orders.heap_smallest(values, k)
    found = orders.introselect(values, k - 1)[:k]
    if ordered and k > 1:
        chosen = orders.ranks_of(keys[None, found[: k - 1]], largest)[1]
        found[: k - 1] = found[: k - 1][orders.introsort(chosen)[0]]
    return found


def same(keys: Array, other: Array) -> Array:
    """Where elements are equal; nan is equal to nan."""
    alike: Array = keys == other
    return alike | ((keys != keys) & (other != other)) if keys.dtype.kind == "f" else alike


def _first_of_long(keys: Array, largest: bool) -> Array | None:
    """The same of one element of each row: of equal ones the first, where PyTorch goes through a row once.

    None where rows are shorter, or where NumPy finds another: a nan, which is the largest.
    """
    if keys.shape[1] < _ONE_OF:
        return None
    finder: Any = numpy.argmax if largest else numpy.argmin
    found: Array = kernels.quiet(parallel.by_slices, finder, keys, 1, numpy.int64)[:, None]
    if not largest and keys.dtype.kind == "f" and numpy.isnan(numpy.take_along_axis(keys, found, 1)).any():
        return None
    return found


def _top_rows(rows: Array, k: int, largest: bool, ordered: bool) -> Array:
    """Where the k largest or smallest elements of each row of a matrix are."""
    count = rows.shape[1]
    keys = orders.sortable(rows)
    if k == 1 and (first := _first_of_long(keys, largest)) is not None:
        return first
    compiled = sort_compiled.top(keys, k, largest, ordered)
    if compiled is not None:
        return compiled
    if k * math.log(count / k + 1) < 0.003 * count or (not ordered and k * _ONE_OF > count):
        # `k` is so small that one pass is fastest; or the result is in the order that a selection happens to leave.
        return numpy.array([_select(row, k, largest, ordered) for row in keys], numpy.int64).reshape(-1, k)
    if k < count:
        some = numpy.argpartition(keys, count - k if largest else k - 1, -1)
        some = some[:, count - k :] if largest else some[:, :k]
    else:
        some = numpy.broadcast_to(numpy.arange(count), keys.shape)
    chosen = numpy.take_along_axis(keys, some, -1)
    within = numpy.argsort(chosen, -1)
    chosen = numpy.take_along_axis(chosen, within, -1)
    found = numpy.take_along_axis(some, within, -1)
    last = chosen[:, :1] if largest else chosen[:, -1:]
    tied = same(chosen[:, 1:], chosen[:, :-1]).any(-1)
    if k < count:
        tied |= numpy.count_nonzero(same(keys, last), -1) > 1
    found = numpy.ascontiguousarray(found[:, ::-1] if largest else found)
    for row in numpy.flatnonzero(tied).tolist():
        found[row] = _select(keys[row], k, largest, ordered)
    return found


def _top(input: Tensor, k: int, dim: Any, largest: bool, ordered: bool, out: Any) -> Pair:
    size, kind = input._lay().size, input._dtype
    axis = axis_of(dim, len(size))
    if not 0 <= k <= (size[axis] if size else 1):
        raise RuntimeError("selected index k out of range")
    if kind.category == 0 or kind.is_complex:
        raise RuntimeError(f"topk does not support {'complex' if kind.is_complex else 'bool'} dtypes on CPU")
    if not size and input._device != META:
        return input.detach().clone(), deliver(numpy.zeros((), numpy.int64), dtypes.int64).to(input._device)
    result = (*size[:axis], k, *size[axis + 1 :]) if size else ()
    if kind in LIMITED:
        make_room(out, result, kind)
        raise missing_kernel("topk_cpu", kind.label)
    if input._device == META:
        return meta_pair(result, kind)
    if is_on_device(input):
        return top_there(input, k, axis, largest)
    array = on_host(input, "topk")
    shape = (*size[:axis], *size[axis + 1 :], k)
    if not math.prod(result):
        return deliver(numpy.empty(result, kind.numpy), kind), deliver(numpy.empty(result, int), dtypes.int64)
    rows = as_rows(array, axis)
    found = _top_rows(rows, k, largest, ordered)
    values = picked(rows, found)
    return (
        deliver(move_axis(values.reshape(shape), -1, axis), kind),
        deliver(move_axis(found.reshape(shape), -1, axis), dtypes.int64),
    )


def meta_pair(size: tuple[int, ...], kind: dtype) -> Pair:
    stride = contiguous_stride(size)
    return empty_strided(size, stride, kind, META), empty_strided(size, stride, dtypes.int64, META)


@op(
    kind="reduce",
    derivative=Rule("TopkBackward0", input=spread),
    library="NumPy sort",
    family="sorting",
)
@shortened("topk")
def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *, out: Any = None
) -> Any:
    """The k largest, or smallest, elements along a dimension, and where they are.

    Args:
        input: of any size, of a dtype of integers or floating point numbers.
        k: how many, at most the size of the dimension.
        largest: False for the smallest.
        sorted: in order; otherwise in the order that PyTorch's algorithm leaves.

    Returns:
        A named pair ``(values, indices)``.

    Raises:
        RuntimeError: when `k` is too large, for bools and for complex numbers.

    >>> tk.tensor([3, 1, 2]).topk(2)
    tensorkit.return_types.topk(
    values=tensor([3, 2]),
    indices=tensor([0, 2]))
    """
    check_tensor(input)
    check_flags(largest, sorted)
    return named("topk", _top(input, whole(k), dim, largest, sorted, out), out, input)
