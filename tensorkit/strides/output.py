"""The strides of fresh results: in which order of memory the dimensions of a result lie.

Source: the rules are PyTorch 2.13's, those of its TensorIterator; the tests ask it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import Size, contiguous_stride


def like_strides(layout: Layout) -> Size:
    """The strides of ``empty_like`` and ``clone``: the same order of dimensions, without gaps or overlap.

    >>> like_strides(Layout((3, 2), (1, 6)))               # every second column of a transposed matrix
    (1, 3)
    """
    if layout.is_non_overlapping_and_dense():
        return layout.stride
    order = _memory_order(layout.size, [layout.stride])
    return _dense_strides(layout.size, order, zero_counts_as=1)


def iterator_strides(size: Size, operands: Sequence[Layout]) -> Size:
    """The strides of a fresh result of a pointwise operation, by the rule of PyTorch's TensorIterator.

    If every operand is contiguous, so is the result. Otherwise its dimensions are ordered in memory as those
    of the first operand; where that one leaves two of them open (a stride of 0), the next operand decides.

    Args:
        size: the operands' broadcast size.
        operands: the operands' layouts, each before broadcasting. A Python number is ``Layout((), ())``; an
            operand that had to change its dtype is the converted copy (see `like_strides`).

    >>> column_major = Layout((2, 3), (1, 2))
    >>> iterator_strides((2, 3), [column_major, Layout((2, 3), (3, 1))])
    (1, 2)
    """
    dense = contiguous_stride(size)
    if all(operand.size == size for operand in operands):
        if all(operand.stride == dense or operand.is_contiguous() for operand in operands):
            return dense
        if len(size) == 4 and all(_is_channels_last(operand) for operand in operands):
            return _dense_strides(size, (1, 3, 2, 0), zero_counts_as=1)
        first = operands[0].stride
        if all(o.stride == first and o.is_non_overlapping_and_dense() for o in operands):
            return first
    steps = [o.stride if o.size == size else _broadcast_stride(o, size) for o in operands if o.size]
    order = _memory_order(size, steps)
    if order == list(reversed(range(len(size)))):
        return dense
    return _dense_strides(size, order, zero_counts_as=0)


def dim_order(layout: Layout, certain: bool = False) -> tuple[int, ...] | None:
    """The dimensions from the longest step to the shortest; of a contiguous layout, as they are counted.

    Args:
        certain: whether to give None where two neighbours in that order could as well change places.

    >>> dim_order(Layout((2, 3), (1, 2)))
    (1, 0)
    """
    rank = len(layout.size)
    if rank < 2 or (layout.is_contiguous() and not (rank == 4 and _is_channels_last(layout))):
        return tuple(range(rank))
    order = _memory_order(layout.size, [layout.stride])
    pairs = itertools.pairwise(order)
    if certain and any(_compare(inner, outer, layout.size, [layout.stride]) != -1 for inner, outer in pairs):
        return None
    return tuple(reversed(order))


def _is_channels_last(layout: Layout) -> bool:
    """Whether images (N, C, H, W) lie pixel by pixel, the channels of a pixel side by side."""
    return layout.reordered((0, 2, 3, 1)).is_contiguous()


def _broadcast_stride(layout: Layout, size: Size) -> Size:
    """Strides over the broadcast size: 0 along every dimension that the layout lacks or repeats."""
    steps = [
        0 if have == 1 and want != 1 else step
        for have, step, want in zip(
            layout.size, layout.stride, size[len(size) - len(layout.size) :], strict=True
        )
    ]
    return (0,) * (len(size) - len(steps)) + tuple(steps)


def _memory_order(size: Size, strides: Sequence[Size]) -> list[int]:
    """The dimensions from the shortest step to the longest, as PyTorch sorts them.

    It is an insertion sort that begins with the last dimension innermost; dimensions that no operand tells
    apart stay as they are. (No other sort will do: "cannot tell" is not an equality that carries over.)
    """
    order = list(reversed(range(len(size))))
    for i in range(1, len(order)):
        at = i
        for before in range(i - 1, -1, -1):
            verdict = _compare(order[before], order[at], size, strides)
            if verdict < 0:
                break
            if verdict > 0:
                order[before], order[at] = order[at], order[before]
                at = before
    return order


def _compare(dim0: int, dim1: int, size: Size, strides: Sequence[Size]) -> int:
    """1 if dim0 belongs after dim1, -1 if before, 0 if no operand can tell."""
    for stride in strides:
        a, b = stride[dim0], stride[dim1]
        if a == 0 or b == 0:
            continue
        if a != b:
            return 1 if a > b else -1
        if size[dim0] > size[dim1]:
            return 1
    return 0


def _dense_strides(size: Size, order: Sequence[int], zero_counts_as: int) -> Size:
    """Strides that lay the dimensions without gaps in this order, the first of it innermost."""
    stride = [0] * len(size)
    step = 1
    for dim in order:
        stride[dim] = step
        step *= size[dim] or zero_counts_as
    return tuple(stride)
