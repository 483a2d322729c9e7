"""Tensors on a CUDA device as its kernels take them, and the first tensors that kernels make there.

An operation that has checked its arguments asks `is_on_device`, and hands over `operand`.
"""

from __future__ import annotations

from typing import Any

from tensorkit.device import device
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import empty_strided
from tensorkit.kernels import cuda as kernels
from tensorkit.kernels.cuda import Operand, indexing
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Tensor, on_storage

__all__ = ["as_size", "counted", "is_on_device", "kept_triangle", "operand", "turned_around"]


def is_on_device(input: Tensor) -> bool:
    """Whether the tensor's memory is that of a CUDA device."""
    return input._device.type == "cuda"


def operand(tensor: Tensor) -> Operand:
    """A tensor as kernels take it."""
    layout = tensor._lay()
    return Operand(tensor._store()._buffer, tensor._dtype, layout.stride, layout.offset)


def as_size(made: Tensor, size: tuple[int, ...]) -> Tensor:
    """A new row-major tensor with another size, which is no view of it."""
    return on_storage(made._store(), Layout(size, contiguous_stride(size)), made._dtype)


def counted(first: Any, last: Any, step: Any, length: int, kind: dtype, where: device) -> Tensor:
    """``first + i * step``; in the second half ``last - (length - 1 - i) * step``, so that both ends are exact.

    Args:
        last: the last number, or None to count from the first one alone.
    """
    made = empty_strided((length,), (1,), kind, where)
    indexing.count_up(operand(made), length, first, last, step)
    return made


def turned_around(input: Tensor, axes: tuple[int, ...], stride: tuple[int, ...]) -> Tensor:
    """The elements in reverse order along `axes`, read with negative strides, in a tensor of these strides."""
    lay = input._lay()
    made = empty_strided(lay.size, stride, input._dtype, input._device)
    if lay.numel:
        steps = tuple(-step if d in axes else step for d, step in enumerate(lay.stride))
        last = lay.offset + sum((lay.size[d] - 1) * lay.stride[d] for d in axes)
        source = Operand(input._store()._buffer, input._dtype, steps, last)
        kernels.copy(operand(made), source, lay.size)
    return made


def kept_triangle(input: Tensor, diagonal: int, target: Tensor, *, lower: bool) -> None:
    """Copy what is on one side of a diagonal into `target`, and zeros besides."""
    indexing.triangle(operand(target), operand(input), input._lay().size, diagonal, lower)
