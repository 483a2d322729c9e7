"""The arguments of a strided kernel: sizes and strides in their simplest form, offsets folded into pointers.

Element-wise work may visit the elements in any order, so dimensions are sorted and neighbours merged first: a
transposed matrix added to a transposed matrix is one contiguous run. Pure integers; no array in sight.

>>> coalesce((2, 3, 4), ((12, 4, 1), (12, 4, 1)))
((24,), ((1,), (1,)))
>>> coalesce((2, 3), ((1, 2), (1, 2)))
((6,), ((1,), (1,)))
>>> coalesce((2, 3), ((3, 1), (0, 1)))
((2, 3), ((3, 1), (0, 1)))
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any, NamedTuple

from tensorkit.dtypes import dtype

Ints = tuple[int, ...]
MOST_DIMS = 8


class Operand(NamedTuple):
    """One operand of a kernel: a device buffer and how to read it.

    Attributes:
        buffer: what the device's memory handed out.
        dtype: the type of its elements.
        stride: in elements, one for each dimension of the common size; 0 where it is broadcast.
        offset: of the first element, in elements.
    """

    buffer: Any
    dtype: dtype
    stride: Ints
    offset: int = 0


class Piece(NamedTuple):
    """One launch: `dims` says which special case, `size` and `strides` have that many entries.

    Attributes:
        elements: how many.
        dims: 0 (contiguous), 1, 2, 3, 4 or 8.
        offsets: what to add to each operand's offset, in elements.
    """

    elements: int
    dims: int
    size: Ints
    strides: tuple[Ints, ...]
    offsets: Ints


def row_major(size: Ints) -> Ints:
    """The strides of a contiguous tensor of this size."""
    strides = []
    step = 1
    for n in reversed(size):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def is_row_major(operand: Operand, size: Ints) -> bool:
    """Whether its elements lie one after the other, the last dimension first."""
    return all(n == 1 or a == b for n, a, b in zip(size, operand.stride, row_major(size), strict=True))


def coalesce(size: Ints, strides: tuple[Ints, ...]) -> tuple[Ints, tuple[Ints, ...]]:
    """The same elements with as few dimensions as every operand allows.

    Size-1 dimensions vanish, the rest are sorted so that the first operand (the output) is walked in memory
    order, and neighbours merge when for every operand one step of the outer equals the whole of the inner.

    >>> coalesce((5, 1, 2), ((2, 9, 1),))
    ((10,), ((1,),))
    >>> coalesce((), ((),))
    ((), ((),))
    """
    kept = [d for d, n in enumerate(size) if n != 1]
    kept.sort(key=lambda d: tuple(-abs(stride[d]) for stride in strides))
    merged: list[tuple[int, Ints]] = []
    for d in kept:
        steps = tuple(stride[d] for stride in strides)
        if merged:
            outer, outer_steps = merged[-1]
            if all(a == size[d] * b for a, b in zip(outer_steps, steps, strict=True)):
                merged[-1] = (outer * size[d], steps)
                continue
        merged.append((size[d], steps))
    shape = tuple(n for n, _ in merged)
    return shape, tuple(tuple(steps[k] for _, steps in merged) for k in range(len(strides)))


def pieces(size: Ints, strides: tuple[Ints, ...]) -> Iterator[Piece]:
    """The launches that visit every element once: one, unless more than eight dimensions remain.

    >>> [(p.dims, p.elements, p.size) for p in pieces((2, 3), ((3, 1), (0, 1)))]
    [(2, 6, (2, 3))]
    >>> [p.dims for p in pieces((4,), ((1,), (1,)))]
    [0]
    """
    if 0 in size:
        return
    size, strides = coalesce(size, strides)
    cut = max(0, len(size) - MOST_DIMS)
    inner = _special_case(size[cut:], tuple(stride[cut:] for stride in strides))
    for index in product(*(range(n) for n in size[:cut])):
        offsets = tuple(sum(i * s for i, s in zip(index, stride, strict=False)) for stride in strides)
        yield Piece(inner.elements, inner.dims, inner.size, inner.strides, offsets)


def _special_case(size: Ints, strides: tuple[Ints, ...]) -> Piece:
    nothing = (0,) * len(strides)
    count = prod(size)
    if not size or (len(size) == 1 and all(stride == (1,) for stride in strides)):
        return Piece(count, 0, (), ((),) * len(strides), nothing)
    dims = len(size) if len(size) <= 4 else MOST_DIMS
    padding = dims - len(size)
    padded = tuple((0,) * padding + stride for stride in strides)
    return Piece(count, dims, (1,) * padding + size, padded, nothing)


def extent(size: Ints, stride: Ints) -> tuple[int, int]:
    """The lowest and the highest slot, counted from the first element, that a non-empty layout reaches.

    >>> extent((3, 2), (-2, 1))
    (-4, 1)
    """
    ends = [(n - 1) * s for n, s in zip(size, stride, strict=True)]
    return sum(e for e in ends if e < 0), sum(e for e in ends if e > 0)
