"""Convolutions, which are the operations of ``tensorkit`` themselves, and what lies under the windows of one."""

from __future__ import annotations

from tensorkit.ops.nn.conv import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
]
