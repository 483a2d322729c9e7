"""Sorting, searching and counting on a CUDA device by kernels of the kit's own: see ``kernels.cuda.sorting``."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from tensorkit import dtypes
from tensorkit.conj_bit import resolved
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import empty_strided
from tensorkit.kernels import cuda
from tensorkit.kernels.cuda.plan import Operand
from tensorkit.ops.shared.copy import copied, copy_into
from tensorkit.ops.shared.on_device import operand
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Tensor

Pair = tuple[Tensor, Tensor]


def _new(size: tuple[int, ...], beside: Tensor, kind: dtype = dtypes.int64) -> Tensor:
    return empty_strided(size, contiguous_stride(size), kind, beside._device)


def _flat(tensor: Tensor) -> Operand:
    """A row-major tensor, as one row."""
    return Operand(tensor._checked_store()._buffer, tensor._dtype, (1,), tensor._lay().offset)


def _widened(kind: dtype) -> dtype:
    """The 64-bit dtype that a key is made of."""
    if kind.is_floating_point:
        return dtypes.float64
    return kind if kind is dtypes.uint64 else dtypes.int64


class Ordered(NamedTuple):
    """Rows of keys in order, and where each was in its row.

    Attributes:
        size: that of the tensor, with the dimension that was sorted along at the end.
    """

    keys: Tensor
    order: Tensor
    size: tuple[int, ...]

    @property
    def rows(self) -> int:
        return prod(self.size[:-1])


def _keys(input: Tensor, axis: int, falling: bool) -> tuple[Tensor, tuple[int, ...]]:
    """The keys of a tensor's elements, row after row of a dimension."""
    input = resolved(input)
    moved = input.movedim(axis, -1) if input.dim() else input.unsqueeze(0)
    size = moved._lay().size
    rows = copied(moved, contiguous_stride(size), _widened(input._dtype))
    keys = _new(size, input)
    cuda.sorting.make_keys(_flat(keys), _flat(rows), prod(size), falling)
    return keys, size


def ordered(input: Tensor, axis: int, falling: bool = False) -> Ordered:
    """A tensor sorted along a dimension, equal elements in their original order."""
    keys, size = _keys(input, axis, falling)
    order = _new(size, input)
    cuda.sorting.sort_rows(_flat(keys), _flat(order), prod(size[:-1]), size[-1])
    return Ordered(keys, order, size)


def taken(input: Tensor, axis: int, index: Tensor) -> Tensor:
    """``out[i, j] = input[index[i, j], j]``: row-major, of the index's size."""
    input = resolved(input)
    size, lay = index._lay().size, input._lay()
    made = _new(size, input, input._dtype)
    if not size:
        copy_into(made, input)
        return made
    steps = (*lay.stride[:axis], 0, *lay.stride[axis + 1 :])
    source = Operand(input._checked_store()._buffer, input._dtype, steps, lay.offset)
    length, step = lay.size[axis], lay.stride[axis]
    cuda.indexing.gather(operand(made), source, operand(index), size, length, step, axis)
    return made


def sorted_there(input: Tensor, axis: int, falling: bool) -> Pair:
    """Values and places in order, which lie in memory as the input does."""
    lay = input._lay()
    places = empty_strided(lay.size, like_strides(lay), dtypes.int64, input._device)
    if not lay.size:
        return input.detach().clone(), places.zero_()
    copy_into(places, ordered(input, axis, falling).order.movedim(-1, axis))
    values = empty_strided(lay.size, like_strides(lay), input._dtype, input._device)
    copy_into(values, taken(input, axis, places))
    return values, places


def top_there(input: Tensor, k: int, axis: int, largest: bool) -> Pair:
    """The k largest or smallest along a dimension, in order, and where they are; row-major."""
    order = ordered(input, axis, largest).order.narrow(-1, 0, k).movedim(-1, axis)
    places = copied(order, contiguous_stride(order._lay().size))
    return taken(input, axis, places), places


def _one_of_each(input: Tensor, axis: int, found: Tensor) -> Pair:
    """The element at one place of each row, and the place: the dimension is kept with size 1."""
    size = input._lay().size
    places = found.reshape((*size[:axis], 1, *size[axis + 1 :]) if size else ())
    return taken(input, axis, places), places


def kth_there(input: Tensor, axis: int, place: int) -> Pair:
    """The element of each row at a place in the order."""
    order = ordered(input, axis).order.narrow(-1, place, 1)
    return _one_of_each(input, axis, copied(order, contiguous_stride(order._lay().size)))


def middle_there(input: Tensor, axis: int, ignoring: bool) -> Pair:
    """The lower median of each row; with `ignoring`, of its elements that are not nan."""
    found = ordered(input, axis)
    places = _new((found.rows,), input)
    if found.rows:
        floating = input._dtype.is_floating_point
        operands = _flat(places), _flat(found.keys), _flat(found.order)
        cuda.sorting.choose_middle(*operands, found.rows, found.size[-1], floating, ignoring)
    return _one_of_each(input, axis, places)


def mode_there(input: Tensor, axis: int) -> Pair:
    """The most frequent element of each row."""
    found = ordered(input, axis)
    places = _new((found.rows,), input)
    if found.rows:
        floating = input._dtype.is_floating_point
        operands = _flat(places), _flat(found.keys), _flat(found.order)
        cuda.sorting.choose_mode(*operands, found.rows, found.size[-1], floating)
    return _one_of_each(input, axis, places)


# -- distinct values ------------------------------------------------------------------------------------------------


def distinct_there(input: Tensor, consecutive: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Distinct elements, or one for each run; for each element which of these it is; how many there are of each."""
    flat = input.reshape(-1)
    count = flat.numel()
    if consecutive:
        keys, _ = _keys(flat, 0, False)
        order = None
    else:
        keys, order, _ = ordered(flat, 0)
    marks = _new((count,), input)
    cuda.sorting.mark_runs(_flat(marks), _flat(keys), count, input._dtype.is_floating_point)
    starts = marks.nonzero().reshape(-1)
    values = taken(flat, 0, starts if order is None else taken(order, 0, starts))
    ends = starts.new_full((starts.numel(),), count)
    if starts.numel() > 1:
        copy_into(ends.narrow(0, 0, starts.numel() - 1), starts.narrow(0, 1, starts.numel() - 1))
    which = marks.cumsum(0) - 1
    inverse = _new((count,), input)
    if order is None or not count:
        copy_into(inverse, which)
    else:
        cuda.indexing.scatter("set", operand(inverse), operand(order), operand(which), (count,), 0, count)
    return values, inverse.reshape(input._lay().size), ends - starts


# -- searching and counting -----------------------------------------------------------------------------------------


def searched_there(edges: Tensor, asked: Tensor, kind: dtype, right: bool) -> Tensor:
    """For each number asked for its place in its row of edges: int64.

    Args:
        edges: one row for all, or as many as `asked` has. kind: what both are compared as.
    """
    wide = _widened(kind)

    def compared(one: Tensor) -> Tensor:
        own = one if one._dtype is kind else copied(one, contiguous_stride(one._lay().size), kind)
        return copied(own, contiguous_stride(own._lay().size), wide)

    size, shared = asked._lay().size, edges.dim() == 1
    found = _new(size, asked)
    rows = 1 if shared else prod(size[:-1])
    many = asked.numel() // max(rows, 1)
    operands = _flat(found), _flat(compared(edges)), _flat(compared(asked))
    cuda.sorting.search(*operands, rows, many, edges._lay().size[-1], shared, right)
    return found


def counted_there(places: Tensor, least: int, weights: Tensor | None) -> Tensor:
    """How often each whole number from 0 up occurs, or how much weight it gets, in the order of the elements.

    The numbers are sorted, and each bin looks where its own begin and end: no two threads write to one place, and
    the sums of weights are the same every time.

    Args:
        places: int64, not negative, at least one. weights: of float32 or float64.
    """
    found = ordered(places, 0)
    count = max(least, int(found.keys[-1].item()) + 1)
    bins = _new((count,), places)
    cuda.indexing.count_up(operand(bins), count, 0, None, 1)
    ends = searched_there(found.keys, bins, dtypes.int64, right=True)
    if weights is None:
        counts = ends.clone()
        counts.narrow(0, 1, count - 1).sub_(ends.narrow(0, 0, count - 1))
        return counts
    total = _new((count,), places, weights._dtype)
    loads = copied(weights, (1,))
    operands = _flat(total), _flat(ends), _flat(found.order), _flat(loads)
    cuda.sorting.sum_segments(*operands, count, places.numel())
    return total
