"""Normalisation of groups of channels of each example: `group_norm`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.GroupNorm.html
"""

from __future__ import annotations

import math
from typing import Any

from tensorkit import dtypes
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.kernels.cpu.nn import norms
from tensorkit.memory_format import formatted_strides, suggested_format
from tensorkit.ops.kit import BUT_FLOATS, Plan, Result, Rule, Tensor, op
from tensorkit.ops.nn.batch_norm import check_kinds, is_mixed, wide


def _grouped(input: Tensor, group: int, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """(n, groups, ...) with mean 0 and variance 1 in each group, the means, and one over the spreads."""
    rows = input.reshape(input.shape[0], group, math.prod(input.shape[1:]) // group)
    mean = rows.mean(2, keepdim=True)
    apart = rows - mean
    rstd = (apart.square().mean(2, keepdim=True) + eps).rsqrt()
    return apart * rstd, mean, rstd


def _by_channel(values: Tensor, input: Tensor) -> Tensor:
    return values.view(1, -1, *[1] * (input.ndim - 2))


def _back(grads: Any, c: Any, wanted: set[str]) -> dict[str, Tensor]:
    input, grad = wide(c.input), wide(grads[0])
    even, _, rstd = _grouped(input, c.group, c.eps)
    made, axes = {}, [0, *range(2, input.ndim)]
    if "input" in wanted:
        steep = (grad if c.weight is None else grad * _by_channel(c.weight, input)).reshape(even.shape)
        turn = (steep * even).mean(2, keepdim=True)
        pulled = rstd * (steep - steep.mean(2, keepdim=True) - even * turn)
        made["input"] = pulled.reshape(input.shape).to(c.input.dtype)
    if "weight" in wanted:
        made["weight"] = (grad * even.reshape(input.shape)).sum(axes).to(c.weight.dtype)
    if "bias" in wanted:
        made["bias"] = grad.sum(axes).to(c.bias.dtype)
    return made


@op(
    {"cpu": norms.group_norm},
    rounded=8,
    derivative=Rule("NativeGroupNormBackward0", carries=1, together=_back, of=("input", "weight", "bias")),
)
def _native_group_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> Plan | tuple[Tensor, ...]:
    """`group_norm` with the means and one over the standard deviations, which the backward pass needs."""
    check_kinds(input, weight, bias)
    if input.dtype in BUT_FLOATS:
        raise missing_kernel("GroupNormKernelImpl", input.dtype.label)
    kind = dtypes.float32 if is_mixed(input, weight, bias) else input.dtype
    form = suggested_format(input._lay())
    if input.device.type == "cuda":
        even, mean, rstd = _grouped(wide(input), group, eps)
        even = even.reshape(input.shape)
        even = even if weight is None else even * _by_channel(weight, input)
        even = even if bias is None else even + _by_channel(bias, input)
        kept = mean.view(N, group).to(kind), rstd.view(N, group).to(kind)
        return even.to(input.dtype).contiguous(memory_format=form), *kept
    few = Result((N, group), kind)
    whole = Result(tuple(input.shape), input.dtype, formatted_strides(input._lay(), form))
    return Plan((whole, few, few), (input, weight, bias), {"eps": eps})


def _check(input: Tensor, weight: Tensor | None, bias: Tensor | None, groups: int) -> None:
    input.size(0)  # or an error
    channels, size = input.size(1), list(input.shape)
    if groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {groups}")
    if channels % groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{size} and num_groups={groups}"
        )
    for name, one in (("weight", weight), ("bias", bias)):
        if one is not None and (one.ndim != 1 or one.numel() != channels):
            told = [0] if weight is None else list(weight.shape)  # PyTorch tells that of the weight for both
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} "
                f"of shape {told} and input of shape {size}"
            )


@op(rounded=8)
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """Each group of channels of each example with mean 0 and variance 1, times a weight plus a bias.

    Args:
        input: (n, channels, ...). num_groups: of how many channels each, this divides their number.
        weight, bias: (channels). eps: is added to the variance. cudnn_enabled: has no meaning here.

    Raises:
        RuntimeError: where the sizes or dtypes do not fit.

    >>> tk.group_norm(tk.tensor([[1.0, 3.0, 10.0, 30.0]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    _check(input, weight, bias, num_groups)
    batch, channels = input.size(0), input.size(1)
    laid = input.contiguous(memory_format=suggested_format(input._lay()))
    length = math.prod(input.shape[2:])
    made = _native_group_norm(laid, weight, bias, batch, channels, length, num_groups, eps)
    return made[0]  # type: ignore[no-any-return]
