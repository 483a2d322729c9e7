"""Activations, in a new tensor or in place."""

from __future__ import annotations

from tensorkit.ops.kit import in_place_of
from tensorkit.ops.nn.activation.activations import hardshrink, prelu, softshrink, threshold_
from tensorkit.ops.nn.activation.activations import hardsigmoid as _hardsigmoid
from tensorkit.ops.nn.activation.activations import hardswish as _hardswish
from tensorkit.ops.nn.activation.activations import hardtanh as _hardtanh
from tensorkit.ops.nn.activation.activations import leaky_relu as _leaky_relu
from tensorkit.ops.nn.activation.activations import threshold as _threshold
from tensorkit.ops.nn.activation.rrelu import rrelu as _rrelu
from tensorkit.ops.nn.activation.rrelu import rrelu_
from tensorkit.ops.nn.activation.smooth_activations import celu as _celu
from tensorkit.ops.nn.activation.smooth_activations import celu_, gelu, logsigmoid, selu_, softplus
from tensorkit.ops.nn.activation.smooth_activations import elu as _elu
from tensorkit.ops.nn.activation.smooth_activations import glu as _glu
from tensorkit.ops.nn.activation.smooth_activations import mish as _mish
from tensorkit.ops.nn.activation.smooth_activations import selu as _selu
from tensorkit.ops.nn.activation.smooth_activations import silu as _silu
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
    "rrelu",
    "rrelu_",
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
    return threshold_(input, threshold, value) if inplace else _threshold(input, threshold, value)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """See `tensorkit.relu`."""
    return relu_(input) if inplace else _relu(input)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of a dimension, gated: times `sigmoid` of its second half.

    >>> glu(tk.tensor([4.0, 6.0, 0.0, 0.0]))
    tensor([2., 3.])
    """
    if not input.dim():
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _glu(input, dim)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Each element, held between `min_val` and `max_val`.

    >>> hardtanh(tk.tensor([-3.0, 0.5, 3.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (hardtanh_ if inplace else _hardtanh)(input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element, held between 0 and 6.

    >>> relu6(tk.tensor([-3.0, 5.0, 8.0]))
    tensor([0., 5., 6.])
    """
    return (hardtanh_ if inplace else _hardtanh)(input, 0, 6)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Each positive element as it is; of the others ``alpha * (exp(x) - 1)``, which bends towards ``-alpha``.

    >>> elu(tk.tensor([-100.0, 0.0, 2.0]))
    tensor([-1.,  0.,  2.])
    """
    return (elu_ if inplace else _elu)(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """`elu` with the two numbers for which layers keep mean 0 and variance 1.

    >>> selu(tk.tensor([0.0, 1.0]))
    tensor([0.0000, 1.0507])
    """
    return (selu_ if inplace else _selu)(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`elu` whose slope at 0 is 1 for every `alpha`.

    >>> celu(tk.tensor([-2.0, 2.0]), 2)
    tensor([-1.2642,  2.0000])
    """
    return (celu_ if inplace else _celu)(input, alpha)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Each positive element as it is; the others times `negative_slope`.

    >>> leaky_relu(tk.tensor([-2.0, 2.0]), 0.5)
    tensor([-1.,  2.])
    """
    return (leaky_relu_ if inplace else _leaky_relu)(input, negative_slope)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """See `tensorkit.rrelu`."""
    return (rrelu_ if inplace else _rrelu)(input, lower, upper, training)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """A sigmoid of three straight lines: 0 up to -3, 1 from 3 on.

    >>> hardsigmoid(tk.tensor([-4.0, 0.0, 4.0]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    return (in_place_of("hardsigmoid") if inplace else _hardsigmoid)(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element times its `hardsigmoid`.

    >>> hardswish(tk.tensor([-4.0, 0.0, 4.0]))
    tensor([-0., 0., 4.])
    """
    return (in_place_of("hardswish") if inplace else _hardswish)(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element times its `sigmoid`; also called swish.

    >>> silu(tk.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7311])
    """
    return (in_place_of("silu") if inplace else _silu)(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element times `tanh` of its `softplus`.

    >>> mish(tk.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8651])
    """
    return (in_place_of("mish") if inplace else _mish)(input)


def tanhshrink(input: Tensor) -> Tensor:
    """What `tanh` takes away from each element.

    >>> tanhshrink(tk.tensor([0.0, 1.0]))
    tensor([0.0000, 0.2384])
    """
    return input - input.tanh()


def softsign(input: Tensor) -> Tensor:
    """Each element divided by one more than its absolute value: it approaches -1 and 1 slowly.

    >>> softsign(tk.tensor([-1.0, 0.0, 3.0]))
    tensor([-0.5000,  0.0000,  0.7500])
    """
    return input / (input.abs() + 1)
