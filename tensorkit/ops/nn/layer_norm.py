"""Normalisation of each example by itself: `layer_norm` and `rms_norm`, over the last dimensions.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LayerNorm.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.grad_mode import state
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.errors import warn
from tensorkit.kernels.cpu.nn import norms
from tensorkit.ops.kit import BUT_FLOATS, LIMITED, DType, Plan, Result, Rule, Tensor, op
from tensorkit.ops.nn.batch_norm import check_kinds, is_mixed, wide
from tensorkit.ops.shared.type_names import cpp_name


def _check_listed(name: str, shape: Any) -> None:
    """Refuse a number: of dimensions elsewhere it may stand for a list of one, but not here."""
    if isinstance(shape, int):
        raise TypeError(f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not int")


def _check_shape(
    input: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, star: str
) -> None:
    sizes = list(shape)
    if not sizes:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, one in (("weight", weight), ("bias", bias)):
        if one is not None and list(one.shape) != sizes:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(one.shape)} and normalized_shape = {sizes}"
            )
    if not star and input.ndim < len(sizes):
        raise ValueError(f"Input tensor must have at least {len(sizes)} dimensions, but got {input.ndim}")
    if list(input.shape[-len(sizes) :]) != sizes or input.ndim < len(sizes):
        wanted = f"[*{star}{', '.join(map(str, sizes))}]"
        raise RuntimeError(
            f"Given normalized_shape={sizes}, expected input with shape {wanted}, but got input of "
            f"size{list(input.shape)}"
        )


# -- gradients ------------------------------------------------------------------------------------------------------


def _finite(sums: Tensor) -> Tensor:
    """nan instead of an infinity, as the other order of additions gives."""
    return sums + (sums - sums).detach()


def _even(input: Tensor, axes: list[int], eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """The input with mean 0 and variance 1 along some dimensions, the mean, and one over the spread."""
    mean = _finite(input.mean(axes, keepdim=True))
    apart = input - mean
    rstd = (_finite(apart.square().mean(axes, keepdim=True)) + eps).rsqrt()
    return apart * rstd, mean, rstd


def _axes(input: Tensor, shape: Sequence[int]) -> list[int]:
    return list(range(input.ndim - len(shape), input.ndim))


def _composed_back(grad: Tensor, c: Any, wanted: set[str]) -> dict[str, Tensor]:
    """The gradients in tensors: they may be differentiated again, and are those of a CUDA device."""
    input, grad, axes = wide(c.input), wide(grad), _axes(c.input, c.normalized_shape)
    even, _, rstd = _even(input, axes, c.eps)
    made, outer = {}, list(range(axes[0]))
    if "input" in wanted:
        steep = grad if c.weight is None else grad * c.weight
        turn = (steep * even).mean(axes, keepdim=True)
        made["input"] = (rstd * (steep - steep.mean(axes, keepdim=True) - even * turn)).to(c.input.dtype)
    if "weight" in wanted:
        share = grad * even
        made["weight"] = (share.sum(outer) if outer else share).to(c.weight.dtype)
    if "bias" in wanted:
        made["bias"] = (grad.sum(outer) if outer else grad).to(c.bias.dtype)
    return made


@op({"cpu": norms.layer_norm_back})
def _gradients(
    grad: Tensor,
    input: Tensor,
    weight: Tensor | None,
    mean: Tensor,
    rstd: Tensor,
    size: tuple[int, ...],
    row: tuple[int, ...],
    kind: DType,
) -> Plan:
    """The gradients of input, weights and biases, in one pass over memory; of size 0, if they are not wanted."""
    results = Result(size, input.dtype), Result(row, kind), Result(row, kind)
    return Plan(results, (grad, input, weight, mean, rstd))


def _back(grads: Any, c: Any, wanted: set[str]) -> dict[str, Tensor]:
    if state.grad or c.input.device.type != "cpu":
        return _composed_back(grads[0], c, wanted)
    size = tuple(c.input.shape) if "input" in wanted else (0,)
    row = tuple(c.normalized_shape) if "weight" in wanted or "bias" in wanted else (0,)
    kind = (
        c.input if c.weight is None and c.bias is None else c.bias if c.weight is None else c.weight
    ).dtype
    made = _gradients(grads[0], c.input, c.weight, c.indices, c.third, size, row, kind)
    return dict(zip(("input", "weight", "bias"), made, strict=True))


@op(
    {"cpu": norms.layer_norm},
    rounded=4,
    derivative=Rule("NativeLayerNormBackward0", carries=1, together=_back, of=("input", "weight", "bias")),
)
def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> Plan | tuple[Tensor, ...]:
    """`layer_norm` with the means and one over the standard deviations, which the backward pass needs.

    >>> tk.native_layer_norm(tk.tensor([[1.0, 3.0]]), [2], None, None, 0)
    (tensor([[-1.,  1.]]), tensor([[2.]]), tensor([[1.]]))
    """
    _check_listed("native_layer_norm", normalized_shape)
    check_kinds(input, weight, bias)
    _check_shape(input, normalized_shape, weight, bias, ", ")
    if input.dtype in BUT_FLOATS:
        raise missing_kernel("LayerNormKernelImpl", input.dtype.label)
    axes = _axes(input, normalized_shape)
    kind = dtypes.float32 if is_mixed(input, weight, bias) else input.dtype
    if input.device.type == "cuda":
        even, mean, rstd = _even(wide(input), axes, eps)
        even = even if weight is None else even * weight
        even = even if bias is None else even + bias
        return even.to(input.dtype).contiguous(), mean.to(kind), rstd.to(kind)
    few = (*input.shape[: axes[0]], *[1] * len(axes))
    results = Result(tuple(input.shape), input.dtype), Result(few, kind), Result(few, kind)
    return Plan(results, (input, weight, bias), {"eps": eps})


@op(rounded=4)
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """Each example with mean 0 and variance 1 along its last dimensions, times a weight plus a bias: the same size.

    Args:
        normalized_shape: the size of the last dimensions, which weight and bias have too.
        eps: is added to the variance. cudnn_enable: has no meaning here.

    Raises:
        RuntimeError: where the sizes or dtypes do not fit.

    >>> tk.layer_norm(tk.tensor([[1.0, 3.0], [10.0, 30.0]]), [2])
    tensor([[-1.0000,  1.0000],
            [-1.0000,  1.0000]])
    """
    _check_listed("layer_norm", normalized_shape)
    return native_layer_norm(input, normalized_shape, weight, bias, eps)[0]  # type: ignore[no-any-return]


# -- by the root of the mean square ---------------------------------------------------------------------------------


@op(rounded=4)
def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Each example over the root of its mean square along the last dimensions, times a weight: the same size.

    Args:
        normalized_shape: the size of the last dimensions, which the weight has too.
        eps: is added to the mean square; by default the distance from 1 to the next number.

    >>> tk.rms_norm(tk.tensor([[3.0, 4.0]]), [2])
    tensor([[0.8485, 1.1314]])
    """
    _check_listed("rms_norm", normalized_shape)
    _check_shape(input, normalized_shape, weight, None, "")
    if weight is not None and weight.dtype is not input.dtype and not input.is_complex():
        kinds = f"input dtype = {cpp_name(input.dtype)}, weight dtype = {cpp_name(weight.dtype)}"
        warn(f"Mismatch dtype between input and weight: {kinds}, Cannot dispatch to fused implementation.")
    if input.dtype.category < 2 or input.dtype in LIMITED:
        raise missing_kernel("rms_norm", input.dtype.label)
    plain = wide(input)
    double = plain.dtype in (dtypes.float64, dtypes.complex128)
    least = float(numpy.finfo(numpy.float64 if double else numpy.float32).eps) if eps is None else eps
    square = plain.pow(2).mean(_axes(input, normalized_shape), keepdim=True)
    made = plain * square.add_(least).rsqrt()
    return (made if weight is None else made * weight).contiguous().to(input.dtype)
