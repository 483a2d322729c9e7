"""What layers do, as functions: PyTorch's ``torch.nn.functional``, commonly imported as ``F``.

>>> import tensorkit as tk
>>> import tensorkit.nn.functional as F
>>> F.relu(tk.tensor([-1.0, 2.0]))
tensor([0., 2.])
"""

from __future__ import annotations

from tensorkit.ops.kit import in_place_of
from tensorkit.ops.nn import activations as _of
from tensorkit.ops.nn.activations import (
    celu_,
    gelu,
    hardshrink,
    prelu,
    selu_,
    softplus,
    softshrink,
    threshold_,
)
from tensorkit.ops.nn.activations import log_sigmoid as logsigmoid
from tensorkit.ops.pointwise.classification import relu as _relu
from tensorkit.ops.pointwise.exp_log import sigmoid
from tensorkit.ops.pointwise.trigonometric import tanh
from tensorkit.ops.tensor.inplace_functions import relu_
from tensorkit.tensor import Tensor

__all__ = [
    "celu",
    "celu_",
    "elu",
    "elu_",
    "gelu",
    "glu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
]

elu_, hardtanh_, leaky_relu_ = map(in_place_of, ("elu", "hardtanh", "leaky_relu"))


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """See `tensorkit.threshold`."""
    return threshold_(input, threshold, value) if inplace else _of.threshold(input, threshold, value)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """See `tensorkit.relu`."""
    return relu_(input) if inplace else _relu(input)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    if not input.dim():
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _of.glu(input, dim)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (hardtanh_ if inplace else _of.hardtanh)(input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    return (hardtanh_ if inplace else _of.hardtanh)(input, 0, 6)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    return (elu_ if inplace else _of.elu)(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    return (selu_ if inplace else _of.selu)(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    return (celu_ if inplace else _of.celu)(input, alpha)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    return (leaky_relu_ if inplace else _of.leaky_relu)(input, negative_slope)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    return (in_place_of("hardsigmoid") if inplace else _of.hardsigmoid)(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    return (in_place_of("hardswish") if inplace else _of.hardswish)(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    return (in_place_of("silu") if inplace else _of.silu)(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    return (in_place_of("mish") if inplace else _of.mish)(input)


def tanhshrink(input: Tensor) -> Tensor:
    return input - input.tanh()


def softsign(input: Tensor) -> Tensor:
    return input / (input.abs() + 1)
