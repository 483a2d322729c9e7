"""Normalisation of each channel over all examples, or over each of them: `batch_norm` and `instance_norm`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html
"""

from __future__ import annotations

import math
from typing import Any

from tensorkit import dtypes
from tensorkit.autograd.grad_mode import no_grad, state
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.kernels.cpu.nn import norms
from tensorkit.memory_format import formatted_strides, suggested_format
from tensorkit.ops.kit import BUT_FLOATS, DType, Plan, Result, Rule, Tensor, not_differentiable, op


def wide(input: Tensor) -> Tensor:
    """16-bit numbers in single precision."""
    return input.float() if input.dtype in (dtypes.float16, dtypes.bfloat16) else input


def is_mixed(input: Tensor, *others: Tensor | None) -> bool:
    """Whether the weights have another dtype than the input: float32 ones go with a 16-bit input."""
    first = next((one for one in others if one is not None), input)
    return first.dtype is not input.dtype


def check_kinds(input: Tensor, *others: Tensor | None) -> None:
    """Refuse weights of a dtype other than the input's, except float32 for a 16-bit input."""
    given = [one.dtype for one in others if one is not None]
    if is_mixed(input, *others):
        if any(kind is not dtypes.float32 for kind in given):
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
        if input.dtype not in (dtypes.float16, dtypes.bfloat16):
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
    elif input.dtype not in BUT_FLOATS and (wrong := next((k for k in given if k is not given[0]), None)):
        raise RuntimeError(f"expected scalar type {given[0].label} but found {wrong.label}")


def _axes(input: Tensor) -> list[int]:
    """All dimensions but that of the channels."""
    return [0, *range(2, input.ndim)]


def _by_channel(values: Tensor, input: Tensor) -> Tensor:
    return values.view(1, -1, *[1] * (input.ndim - 2))


# -- steps ----------------------------------------------------------------------------------------------------------


@op({"cpu": norms.channel_moments})
def _moments(input: Tensor) -> Plan | tuple[Tensor, ...]:
    """The mean and the variance of each channel."""
    if input.device.type == "cuda":
        plain = wide(input)
        return plain.mean(_axes(input)), plain.var(_axes(input), correction=0)
    few = Result((input.shape[1],), dtypes.float64)
    return Plan((few, few), (input,))


@op({"cpu": norms.channel_scaled})
def _scaled(input: Tensor, centre: Tensor, scale: Tensor, shift: Tensor) -> Plan | Tensor:
    """``(input - centre) * scale + shift``, which each channel has one of."""
    if input.device.type == "cuda":
        made = (wide(input) - _by_channel(centre, input)) * _by_channel(scale, input) + _by_channel(
            shift, input
        )
        return made.to(input.dtype).contiguous(memory_format=suggested_format(input._lay()))
    stride = formatted_strides(input._lay(), suggested_format(input._lay()))
    return Plan((Result(tuple(input.shape), input.dtype, stride),), (input, centre, scale, shift))


@op({"cpu": norms.channel_back})
def _gradients(
    grad: Tensor,
    input: Tensor,
    weight: Tensor | None,
    mean: Tensor,
    rstd: Tensor,
    training: bool,
    size: tuple[int, ...],
    kind: DType,
) -> Plan:
    """The gradients of input, weights and biases; that of the input of size 0, if it is not wanted."""
    stride = formatted_strides(input._lay(), suggested_format(input._lay())) if size != (0,) else None
    few = Result((input.shape[1],), kind)
    return Plan(
        (Result(size, input.dtype, stride), few, few),
        (grad, input, weight, mean, rstd),
        {"training": training},
    )


def _track(running: Tensor, batch: Tensor, momentum: float) -> None:
    """Move a running statistic towards that of a batch, which PyTorch does without counting it as a write."""
    counter = running._counter
    before = None if counter is None else counter[0]
    with no_grad():
        running.copy_(batch * momentum + running.to(batch.dtype) * (1 - momentum))
    if counter is None:
        running._counter = None
    else:
        counter[0] = before or 0


# -- gradients ------------------------------------------------------------------------------------------------------


def _composed_back(grad: Tensor, c: Any, wanted: set[str]) -> dict[str, Tensor]:
    """The gradients in tensors: they may be differentiated again, and are those of a CUDA device."""
    input, grad, axes = wide(c.input), wide(grad), _axes(c.input)
    if c.training:
        mean = input.mean(axes, keepdim=True)
        var = (input - mean).square().mean(axes, keepdim=True)
    else:
        mean, var = (_by_channel(one.to(input.dtype), input) for one in (c.running_mean, c.running_var))
    rstd = (var + c.eps).rsqrt()
    even = (input - mean) * rstd
    made = {}
    if "input" in wanted:
        steep = grad if c.weight is None else grad * _by_channel(c.weight, input)
        if c.training:
            turn = (steep * even).mean(axes, keepdim=True)
            steep = steep - steep.mean(axes, keepdim=True) - even * turn
        made["input"] = (rstd * steep).to(c.input.dtype)
    if "weight" in wanted:
        made["weight"] = (grad * even).sum(axes).to(c.weight.dtype)
    if "bias" in wanted:
        made["bias"] = grad.sum(axes).to(c.bias.dtype)
    return made


def _back(grads: Any, c: Any, wanted: set[str]) -> dict[str, Tensor]:
    if state.grad or c.input.device.type != "cpu":
        return _composed_back(grads[0], c, wanted)
    if c.training:
        mean, rstd = c.indices, c.third
    else:
        mean, rstd = c.running_mean, (wide(c.running_var) + c.eps).rsqrt()
    size = tuple(c.input.shape) if "input" in wanted else (0,)
    kind = (
        c.input if c.weight is None and c.bias is None else c.bias if c.weight is None else c.weight
    ).dtype
    made = _gradients(grads[0], c.input, c.weight, mean, rstd, c.training, size, kind)
    return dict(zip(("input", "weight", "bias"), made, strict=True))


# -- operations -----------------------------------------------------------------------------------------------------


@op(
    rounded=8,
    derivative=Rule(
        "NativeBatchNormBackward0",
        applies=not_differentiable("native_batch_norm", "running_mean", "running_var"),
        carries=1,
        together=_back,
        of=("input", "weight", "bias"),
    ),
)
def _native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, ...]:
    """`batch_norm` with the means and one over the standard deviations, which the backward pass needs."""
    if training and (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    dense = input.is_contiguous(memory_format=suggested_format(input._lay()))
    mixed = is_mixed(input, weight, bias, running_mean, running_var)
    if training and not dense and not mixed and input.dtype.category < 2:
        input.mean()  # whose refusal PyTorch comes to first
    if input.dtype in BUT_FLOATS:
        raise missing_kernel("batch_norm", input.dtype.label)
    check_kinds(input, weight, bias, running_mean, running_var)
    kind = dtypes.float32 if mixed else input.dtype
    if training:
        mean, var = _moments(input)
        count = input.numel() // input.shape[1]
        if running_mean is not None and running_var is not None:
            _track(running_mean, mean, momentum)
            _track(running_var, var * (count / (count - 1) if count > 1 else math.nan), momentum)
        mean, var = mean.to(wide(input).dtype), var.to(wide(input).dtype)
    else:
        assert running_mean is not None
        assert running_var is not None
        mean, var = wide(running_mean), wide(running_var)
    rstd = (var + eps).rsqrt()
    kept = (mean.to(kind), rstd.to(kind)) if training else (input.new_empty(0), input.new_empty(0))
    scale = rstd if weight is None else rstd * weight
    shift = mean.new_zeros(mean.shape) if bias is None else bias
    if dense:  # the same to other last digits, as PyTorch has it where channels are whole rows of memory
        mean, shift = mean.new_zeros(mean.shape), shift - mean * scale
    return _scaled(input, mean, scale, shift), *kept


def _check_sizes(input: Tensor, training: bool, given: dict[str, Tensor | None]) -> None:
    features = input.size(1) if input.ndim else 0
    for name, one in given.items():
        if one is None and name.startswith("running") and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
        if one is not None and one.numel() != features:
            raise RuntimeError(f"{name} should contain {features} elements not {one.numel()}")


@op(rounded=8)
def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """Each channel with mean 0 and variance 1 over all examples, times a weight plus a bias: (n, channels, ...).

    Args:
        weight, bias: (channels). running_mean, running_var: (channels); in training they move towards the statistics
            of the input, otherwise they take the place of these.
        momentum: how far they move. eps: is added to the variance. cudnn_enabled: has no meaning here.

    Raises:
        RuntimeError: where the sizes or dtypes do not fit.

    >>> tk.batch_norm(tk.tensor([[1.0], [3.0]]), None, None, None, None, True, 0.1, 1e-5, False)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    if input.ndim:
        input.size(1)  # or an error
    if not input.numel():
        made = input.clone()
        made = made if weight is None else made * weight.select(0, 0)
        return made if bias is None else made + bias.select(0, 0)
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    _check_sizes(input, training, given)
    return _native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]  # type: ignore[no-any-return]


@op(rounded=8)
def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """`batch_norm` of each example by itself: (n, channels, ...) gives (n, channels, ...).

    Args:
        weight, bias, running_mean, running_var: (channels). use_input_stats: otherwise the running statistics are used.
        momentum: how far they move. eps: is added to the variance. cudnn_enabled: has no meaning here.

    Raises:
        RuntimeError: where the sizes or dtypes do not fit.

    >>> tk.instance_norm(tk.tensor([[[1.0, 3.0]]]), None, None, None, None, True, 0.1, 1e-5, False)
    tensor([[[-1.0000,  1.0000]]])
    """
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when use_input_stats is false"
        )
    batch, channels = input.size(0), input.size(1)
    given = weight, bias, running_mean, running_var
    by, end, mean, var = (None if one is None else one.repeat(batch) for one in given)
    rows = input.contiguous().view(1, batch * channels, *input.shape[2:])
    made = batch_norm(rows, by, end, mean, var, use_input_stats, momentum, eps, cudnn_enabled)
    for own, one in ((running_mean, mean), (running_var, var)):
        if own is not None and one is not None:
            own.copy_(one.view(batch, channels).mean(0))
    return made.view(input.shape)
