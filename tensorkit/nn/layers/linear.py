"""Layers of weights: `Linear` with one input, `Bilinear` with two.

Source: https://docs.pytorch.org/docs/stable/nn.html#linear-layers
"""

from __future__ import annotations

import math
from typing import Any

from tensorkit.nn import init
from tensorkit.nn.module import Module
from tensorkit.nn.parameter import Parameter
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.nn.linear import bilinear, linear
from tensorkit.tensor import Tensor

__all__ = ["Bilinear", "Linear", "NonDynamicallyQuantizableLinear"]


def __dir__() -> list[str]:
    return __all__


class Linear(Module):
    """``x @ weight.T + bias``: (..., in_features) gives (..., out_features).

    Weights and bias begin as uniform numbers between ``-k`` and ``k`` with ``k = 1 / sqrt(in_features)``.

    Args:
        in_features, out_features: the lengths of the last dimension of the input and the result.
        bias: whether something is added that is learned.
        device, dtype: of the parameters.

    >>> layer = tk.nn.Linear(20, 30)
    >>> layer, layer(tk.randn(128, 20)).shape
    (Linear(in_features=20, out_features=30, bias=True), tensorkit.Size([128, 30]))
    """

    in_features: int
    out_features: int
    weight: Tensor
    bias: Tensor | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters at random."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))  # so the bound is 1 / sqrt(in_features)
        if self.bias is not None:
            fan_in = self.weight.size(1)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.linear`."""
        return linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The lengths, and whether there is a bias."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )


class NonDynamicallyQuantizableLinear(Linear):
    """`Linear` under the name that attention has for its last layer."""

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(in_features, out_features, bias=bias, device=device, dtype=dtype)


class Bilinear(Module):
    """``x1 @ weight[o] @ x2 + bias[o]`` for each result o: (..., in1_features) and (..., in2_features).

    The parameters begin as uniform numbers between ``-k`` and ``k`` with ``k = 1 / sqrt(in1_features)``.

    Args:
        in1_features, in2_features, out_features: the last lengths of the two inputs and the result.
        bias: whether something is added that is learned.
        device, dtype: of the parameters.

    Raises:
        ValueError: without a first feature.

    >>> layer = tk.nn.Bilinear(20, 30, 40)
    >>> layer(tk.randn(128, 20), tk.randn(128, 30)).shape
    tensorkit.Size([128, 40])
    """

    in1_features: int
    in2_features: int
    out_features: int
    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters at random."""
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """See `nn.functional.bilinear`."""
        return bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The lengths, and whether there is a bias."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
