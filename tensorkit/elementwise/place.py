"""Where the result of operands of these layouts lies: its strides, and how each operand is read to fit them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy

from tensorkit.device import CPU
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import NUMBER, empty_strided
from tensorkit.kernels.sizes import PLANS_KEPT, SMALL, TINY
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import iterator_strides
from tensorkit.strides.sizes import (
    broadcast_sizes,
    contiguous_stride,
)
from tensorkit.tensor import Array, Tensor, fresh

__all__ = [
    "Place",
    "laid_out",
    "lies_apart",
    "place_of",
    "placed",
]


def lies_apart(operand: Any) -> bool:
    """Whether the elements lie in many short rows: NumPy copies them sooner than it computes with them there."""
    if operand.__class__ is not Tensor:
        return False
    lay = operand._layout or operand._lay()
    few = len(lay.size) < 2 or math.prod(lay.size) < TINY or 0 in lay.stride
    return not few and not lay.is_non_overlapping_and_dense()


class Place(NamedTuple):
    """Where the elements of a result lie, as the layouts of the operands say: see `place_of`."""

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
        if len(_places) >= PLANS_KEPT:
            _places.clear()
        place = _places[named] = _new_place(operands, kind)
        return place


def _new_place(operands: tuple[Any, ...], kind: dtype) -> Place | None:
    seen = [operand._lay() if operand.__class__ is Tensor else NUMBER for operand in operands]
    try:
        size = broadcast_sizes(*(lay.size for lay in seen))
    except RuntimeError:
        return None  # refused in PyTorch's words
    if not 0 < math.prod(size) <= SMALL:
        return None
    layout = Layout(size, iterator_strides(size, seen))
    steps = tuple([step * kind.itemsize for step in layout.stride])
    packed = tuple([place for place, operand in enumerate(operands) if lies_apart(operand)])
    row_major = layout.stride == contiguous_stride(size)
    return Place(layout, steps, row_major, packed, row_major and all(lay.ndim == 2 for lay in seen))


def placed(made: Array, kind: dtype, place: Place) -> Tensor:
    """A new array as a tensor with the strides that it is to have."""
    if made.strides != place.steps:
        return laid_out(made, kind, place.layout)
    out = fresh(made, kind)
    if not place.row_major:
        out._layout, out._solid = place.layout, False
    return out


def laid_out(made: Array, kind: dtype, layout: Layout) -> Tensor:
    """A new array copied to where PyTorch's strides put its elements."""
    held = empty_strided(made.shape, layout.stride, kind, CPU)
    numpy.copyto(held._nd(), made)
    return held
