"""Normalisation: PyTorch's checks of a size, and arguments that the operations have in another order."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tensorkit.ops.nn import batch_norm as _batches
from tensorkit.ops.nn import group_norm as _groups
from tensorkit.ops.nn import layer_norm as _layers
from tensorkit.tensor import Tensor


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


def _check_count(size: Sequence[int], shown: object) -> None:
    """Refuse channels of one number, which have no spread."""
    if math.prod([size[0], *size[2:]]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {shown}")


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel with mean 0 and variance 1 over all examples: see the operation of that name.

    Raises:
        ValueError: in training, where a channel has one number; and for an `eps` that is too small.
    """
    if training:
        _check_count(input.size(), input.size())
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return _batches.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel of each example with mean 0 and variance 1: see the operation of that name.

    Raises:
        ValueError: where a channel of an example has one number.
    """
    if use_input_stats and math.prod(input.size()[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.size()}")
    given = input, weight, bias, running_mean, running_var
    return _batches.instance_norm(*given, use_input_stats, momentum, eps, True)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Each group of channels of each example with mean 0 and variance 1: see the operation of that name.

    Raises:
        ValueError: where a group has one number.
    """
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    size = [input.size(0) * input.size(1) // num_groups, num_groups, *input.size()[2:]]
    _check_count(size, size)
    return _groups.group_norm(input, num_groups, weight, bias, eps)
