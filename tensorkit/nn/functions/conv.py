"""Convolutions, which are the operations of ``tensorkit`` themselves, and what is under the windows of an image."""

from __future__ import annotations

from typing import Any

from tensorkit.ops.nn.columns import col2im, im2col
from tensorkit.ops.nn.conv import conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d
from tensorkit.tensor import Tensor

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "fold",
    "unfold",
]

Pair = int | tuple[int, int]


def _pair(value: Any) -> Any:
    """One number stands for both dimensions."""
    return value if isinstance(value, (tuple, list)) else (value, value)


def unfold(
    input: Tensor, kernel_size: Pair, dilation: Pair = 1, padding: Pair = 0, stride: Pair = 1
) -> Tensor:
    """The elements under each place of a window as a column: see the operation ``im2col``."""
    made: Tensor = im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))
    return made


def fold(
    input: Tensor,
    output_size: Pair,
    kernel_size: Pair,
    dilation: Pair = 1,
    padding: Pair = 0,
    stride: Pair = 1,
) -> Tensor:
    """Columns, added to an image under windows: see the operation ``col2im``."""
    made: Tensor = col2im(
        input, _pair(output_size), _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride)
    )
    return made
