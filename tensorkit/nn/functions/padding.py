"""Padding."""

from __future__ import annotations

from collections.abc import Sequence

from tensorkit.ops.nn.padding import pad as _pad
from tensorkit.tensor import Tensor


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """See `tensorkit.ops.nn.padding.pad`."""
    return _pad(input, pad, mode, value)  # all by their positions, which PyTorch's sentences count


pad.__doc__ = _pad.__doc__
