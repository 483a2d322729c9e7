"""Layers that normalise each example by itself.

Source: https://docs.pytorch.org/docs/stable/nn.html#normalization-layers
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from tensorkit.nn import functional as F
from tensorkit.nn import init
from tensorkit.nn.module import Module
from tensorkit.nn.parameter import Parameter
from tensorkit.ops.creation.empty import empty
from tensorkit.tensor import Tensor

__all__ = ["GroupNorm", "LayerNorm", "RMSNorm"]


def __dir__() -> list[str]:
    return __all__


def _as_shape(normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    if isinstance(normalized_shape, numbers.Integral):
        return (normalized_shape,)  # type: ignore[return-value]
    return tuple(normalized_shape)  # type: ignore[arg-type]


class LayerNorm(Module):
    """Gives each example mean 0 and variance 1 along its last dimensions, then a learned scale and bias.

    Args:
        normalized_shape: the size of those dimensions: the input is (..., *normalized_shape).
        eps: is added to the variance.
        elementwise_affine: whether there are a weight and a bias, both of that size. bias: or a weight alone.

    >>> layer = tk.nn.LayerNorm(2)
    >>> layer, layer(tk.tensor([[1.0, 3.0]])).detach()
    (LayerNorm((2,), eps=1e-05, elementwise_affine=True, bias=True), tensor([[-1.0000,  1.0000]]))
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]  # noqa: RUF012 - as PyTorch's scripts read it
    normalized_shape: tuple[int, ...]
    eps: float
    elementwise_affine: bool

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        for name, wanted in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            new = Parameter(empty(self.normalized_shape, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(name, new)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weights of 1, biases of 0."""
        if self.elementwise_affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """A tensor of the input's size."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The arguments."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Divides each example by the root of its mean square along its last dimensions, then scales it.

    Args:
        normalized_shape: the size of those dimensions: the input is (..., *normalized_shape).
        eps: is added to the mean square; by default the distance from 1 to the next number.
        elementwise_affine: whether there is a weight, of that size.

    >>> layer = tk.nn.RMSNorm(2)
    >>> layer, layer(tk.tensor([[3.0, 3.0]])).detach()
    (RMSNorm((2,), eps=None, elementwise_affine=True), tensor([[1., 1.]]))
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]  # noqa: RUF012 - as PyTorch's scripts read it
    normalized_shape: tuple[int, ...]
    eps: float | None
    elementwise_affine: bool

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        new = (
            Parameter(empty(self.normalized_shape, device=device, dtype=dtype))
            if elementwise_affine
            else None
        )
        self.register_parameter("weight", new)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weights of 1."""
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        """A tensor of the input's size."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The arguments."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """Gives each group of channels of each example mean 0 and variance 1, then each channel a learned scale and bias.

    Args:
        num_groups: how many groups there are. num_channels: how many channels: the input is (n, channels, ...).
        eps: is added to the variance.
        affine: whether there are a weight and a bias. bias: or a weight alone.

    Raises:
        ValueError: where the groups would not be of one size.

    >>> tk.nn.GroupNorm(2, 4)(tk.tensor([[1.0, 3.0, 10.0, 30.0]])).detach()
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]  # noqa: RUF012 - as PyTorch's scripts read it
    num_groups: int
    num_channels: int
    eps: float
    affine: bool

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            new = Parameter(empty(num_channels, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(name, new)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weights of 1, biases of 0."""
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """A tensor of the input's size."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The arguments."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )
