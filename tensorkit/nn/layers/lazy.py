"""Layers that learn from their first input how many features or channels it has, and then are ordinary ones.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.lazy.LazyModuleMixin.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorkit.autograd.grad_mode import no_grad
from tensorkit.nn.layers.conv import Conv1d, Conv2d, Conv3d, Ints, _ConvNd, own_init
from tensorkit.nn.layers.conv_transpose import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from tensorkit.nn.layers.linear import Linear
from tensorkit.nn.lazy import LazyModuleMixin
from tensorkit.nn.parameter import UninitializedParameter
from tensorkit.tensor import Tensor

if TYPE_CHECKING:
    Base = _ConvNd
else:
    Base = object

__all__ = [
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyLinear",
]


def __dir__() -> list[str]:
    return __all__


class LazyLinear(LazyModuleMixin, Linear):
    """`Linear` that takes `in_features` from its first input: (..., anything) gives (..., out_features).

    Args:
        out_features: the length of the last dimension of the result.
        bias: whether something is added that is learned.
        device, dtype: of the parameters.

    >>> layer = tk.nn.LazyLinear(3)
    >>> layer.weight
    <UninitializedParameter>
    >>> layer(tk.ones(2, 5)).shape, layer.weight.shape
    (tensorkit.Size([2, 3]), tensorkit.Size([3, 5]))
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the parameters at random, once there are some."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Give the parameters their sizes."""
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                _materialize(self, (self.out_features, self.in_features))
        if self.in_features == 0:  # the parameters were loaded
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from "
                    f"self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]


def _materialize(layer: Any, size: Ints) -> None:
    layer.weight.materialize(size)
    if layer.bias is not None:
        layer.bias.materialize((size[0] if isinstance(layer, Linear) else layer.out_channels,))
    layer.reset_parameters()


class _LazyConvXdMixin(LazyModuleMixin, Base):
    """What all lazy layers of convolution share."""

    _rank: int

    def _begin(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        """In place of the parameters that a layer without channels has."""
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the parameters at random, once there are some."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their sizes."""
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        _materialize(self, (first, second // self.groups, *self.kernel_size))

    def _get_in_channels(self, input: Tensor) -> int:
        alone = self._get_num_spatial_dims() + 1
        if input.dim() not in (alone, alone + 1):
            raise RuntimeError(
                f"Expected {alone}D (unbatched) or {alone + 1}D (batched) input to {type(self).__name__}, but got "
                f"input of size: {input.shape}"
            )
        channels: int = input.shape[-alone]
        return channels

    def _get_num_spatial_dims(self) -> int:
        return self._rank


class _LazyConv(_LazyConvXdMixin):
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Ints,
        stride: int | Ints = 1,
        padding: str | int | Ints = 0,
        dilation: int | Ints = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        moves = (kernel_size, stride, padding, dilation)
        super().__init__(0, 0, *moves, groups, False, padding_mode, device, dtype)
        self._begin(out_channels, bias, device, dtype)


class _LazyConvTranspose(_LazyConvXdMixin):
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Ints,
        stride: int | Ints = 1,
        padding: int | Ints = 0,
        output_padding: int | Ints = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Ints = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        moves = (kernel_size, stride, padding, output_padding)
        super().__init__(0, 0, *moves, groups, False, dilation, padding_mode, device, dtype)
        self._begin(out_channels, bias, device, dtype)


@own_init
class LazyConv1d(_LazyConv, Conv1d):
    """`Conv1d` that takes `in_channels` from its first input; its other arguments are the same.

    >>> layer = tk.nn.LazyConv1d(8, 3)
    >>> layer(tk.ones(2, 5, 20)).shape[:2], layer
    (tensorkit.Size([2, 8]), Conv1d(5, 8, kernel_size=(3,), stride=(1,)))
    """

    cls_to_become = Conv1d


@own_init
class LazyConv2d(_LazyConv, Conv2d):
    """`Conv2d` that takes `in_channels` from its first input; its other arguments are the same.

    >>> layer = tk.nn.LazyConv2d(8, 3)
    >>> layer(tk.ones(2, 5, 20, 20)).shape[:2], layer
    (tensorkit.Size([2, 8]), Conv2d(5, 8, kernel_size=(3, 3), stride=(1, 1)))
    """

    cls_to_become = Conv2d


@own_init
class LazyConv3d(_LazyConv, Conv3d):
    """`Conv3d` that takes `in_channels` from its first input; its other arguments are the same.

    >>> layer = tk.nn.LazyConv3d(8, 3)
    >>> layer(tk.ones(2, 5, 5, 6, 7)).shape[:2], layer
    (tensorkit.Size([2, 8]), Conv3d(5, 8, kernel_size=(3, 3, 3), stride=(1, 1, 1)))
    """

    cls_to_become = Conv3d


@own_init
class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """`ConvTranspose1d` that takes `in_channels` from its first input; its other arguments are the same.

    >>> layer = tk.nn.LazyConvTranspose1d(8, 3)
    >>> layer(tk.ones(2, 5, 20)).shape[:2], layer
    (tensorkit.Size([2, 8]), ConvTranspose1d(5, 8, kernel_size=(3,), stride=(1,)))
    """

    cls_to_become = ConvTranspose1d


@own_init
class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """`ConvTranspose2d` that takes `in_channels` from its first input; its other arguments are the same.

    >>> layer = tk.nn.LazyConvTranspose2d(8, 3)
    >>> layer(tk.ones(2, 5, 20, 20)).shape[:2], layer
    (tensorkit.Size([2, 8]), ConvTranspose2d(5, 8, kernel_size=(3, 3), stride=(1, 1)))
    """

    cls_to_become = ConvTranspose2d


@own_init
class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """`ConvTranspose3d` that takes `in_channels` from its first input; its other arguments are the same.

    >>> layer = tk.nn.LazyConvTranspose3d(8, 3)
    >>> layer(tk.ones(2, 5, 5, 6, 7)).shape[:2], layer
    (tensorkit.Size([2, 8]), ConvTranspose3d(5, 8, kernel_size=(3, 3, 3), stride=(1, 1, 1)))
    """

    cls_to_become = ConvTranspose3d
