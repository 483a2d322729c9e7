"""Normalisation: what PyTorch's functions say of a size, and arguments that the operations have in another order."""

from __future__ import annotations

from collections.abc import Sequence

from tensorkit.ops.nn import layer_norm as _layers
from tensorkit.tensor import Tensor

__all__ = [
    "layer_norm",
    "rms_norm",
]


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Each example with mean 0 and variance 1 along its last dimensions: see the operation of that name."""
    return _layers.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Each example over the root of its mean square: see the operation of that name."""
    return _layers.rms_norm(input, normalized_shape, weight, eps)
