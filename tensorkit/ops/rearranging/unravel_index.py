"""Sizes and places as numbers: `broadcast_shapes`, `unravel_index`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.registry import offers
from tensorkit.ops.shared.to import to_device
from tensorkit.size import Size
from tensorkit.tensor import Tensor, fresh


def _as_shape(shape: Any) -> Sequence[int]:
    """A shape as it was given, since errors show it so."""
    if isinstance(shape, int):
        shape = (shape,)
    if not isinstance(shape, (tuple, list)):
        raise RuntimeError(
            f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}"
        )
    for length in shape:
        if length < 0:
            raise ValueError("Attempting to broadcast a dimension with negative length!")
    return shape


@offers
def broadcast_shapes(*shapes: Any) -> Size:
    """The size that tensors of these sizes broadcast to.

    Raises:
        RuntimeError: when they do not.

    >>> tk.broadcast_shapes((3, 1), (4,))
    tensorkit.Size([3, 4])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.broadcast_shapes.html
    """
    given = [_as_shape(shape) for shape in shapes if shape is not None]
    result = [1] * max((len(shape) for shape in given), default=0)
    for place, shape in enumerate(given):
        for back in range(-1, -1 - len(shape), -1):
            length = shape[back]
            if length == 1 or length == result[back]:
                continue
            if result[back] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {length} at {back}! Mismatching argument at index "
                    f"{place} had {shape}; but expected shape should be broadcastable to {result}"
                )
            result[back] = length
    return Size(result)


def _unravelled_shape(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, int):
        return (shape,)
    if isinstance(shape, Tensor) or not isinstance(shape, Sequence):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    for length in shape:
        if not isinstance(length, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(length)}")
    return tuple([int(length) for length in shape])


@op(kind="copy", methods=())
def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """For indices into a tensor's elements in one row, their indices along each dimension of its size.

    >>> tk.unravel_index(tk.tensor([1, 5]), (2, 3))
    (tensor([0, 1]), tensor([1, 2]))
    """
    if indices.is_complex() or indices.is_floating_point() or indices._dtype is dtypes.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices._dtype}")
    size = _unravelled_shape(shape)
    if any(length < 0 for length in size):
        raise ValueError(f"'shape' cannot have negative values, but got {size}")
    if 0 in size:
        raise RuntimeError("ZeroDivisionError")
    coefficients, step = [], 1
    for length in reversed(size):
        coefficients.append(step)
        step *= length
    flat: Any = indices
    steps = to_device(fresh(numpy.array(coefficients[::-1], numpy.int64), dtypes.int64), flat._device)
    lengths = to_device(fresh(numpy.array(size, numpy.int64), dtypes.int64), flat._device)
    return (flat.unsqueeze(-1).floor_divide(steps) % lengths).unbind(-1)  # type: ignore[no-any-return]
