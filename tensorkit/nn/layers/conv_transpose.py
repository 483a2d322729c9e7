"""Layers of transposed convolution, which make small images large: `ConvTranspose1d`, `ConvTranspose2d` and `3d`.

Source: https://docs.pytorch.org/docs/stable/nn.html#convolution-layers
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorkit.nn.layers.conv import Ints, _ConvNd, _each, own_init
from tensorkit.ops.nn.conv import conv_transpose1d, conv_transpose2d, conv_transpose3d
from tensorkit.tensor import Tensor

__all__ = ["ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]


def __dir__() -> list[str]:
    return __all__


class _ConvTransposeNd(_ConvNd):
    """What these layers share: of the sizes that a result could have, a call may ask for one."""

    _rank: int
    _function: Callable[..., Tensor]

    def __init__(
        self,
        in_channels: int,
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
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        rank = self._rank
        super().__init__(
            in_channels,
            out_channels,
            _each(kernel_size, rank),
            _each(stride, rank),
            _each(padding, rank),
            _each(dilation, rank),
            True,
            _each(output_padding, rank),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        """See the function in `nn.functional`; `output_size` is the size that the result is to have."""
        if self.padding_mode != "zeros":
            raise ValueError(f"Only `zeros` padding mode is supported for ConvTranspose{self._rank}d")
        more = self.output_padding if output_size is None else self._more(input, output_size)
        return self._function(
            input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation
        )

    def _more(self, input: Tensor, output_size: list[int]) -> list[int]:
        """By how much that size is larger than the smallest one that there could be."""
        rank = self._rank
        others = 2 if input.dim() == rank + 2 else 1
        if len(output_size) == others + rank:
            output_size = output_size[others:]
        if len(output_size) != rank:
            raise ValueError(
                f"ConvTranspose{rank}D: for {input.dim()}D input, output_size must have {rank} or {others + rank} "
                f"elements (got {len(output_size)})"
            )
        least = [
            (input.size(d + others) - 1) * self.stride[d]
            - 2 * int(self.padding[d])
            + self.dilation[d] * (self.kernel_size[d] - 1)
            + 1
            for d in range(rank)
        ]
        most = [low + step - 1 for low, step in zip(least, self.stride, strict=True)]
        if any(not low <= size <= high for low, size, high in zip(least, output_size, most, strict=True)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {least} to {most} "
                f"(for an input of {input.size()[2:]})"
            )
        return [size - low for size, low in zip(output_size, least, strict=True)]


@own_init
class ConvTranspose1d(_ConvTransposeNd):
    """A transposed convolution over sequences: (n, in_channels, length) gives (n, out_channels, longer).

    As `ConvTranspose2d` otherwise.

    >>> tk.nn.ConvTranspose1d(16, 33, 3, stride=2)(tk.randn(20, 16, 50)).shape
    tensorkit.Size([20, 33, 101])
    """

    _rank = 1
    _function = staticmethod(conv_transpose1d)


@own_init
class ConvTranspose2d(_ConvTransposeNd):
    """A transposed convolution over images: (n, in_channels, h, w) gives (n, out_channels, ...), larger by `stride`.

    It makes of sizes what `Conv2d` with the same arguments takes.

    Args:
        in_channels, out_channels: how many channels images and results have.
        kernel_size: of the weight; a number, or one for each dimension, as all that follows.
        stride: how far apart elements put their weights. padding: how much is cut off around the result.
        output_padding: by how much the result is larger at its end, of several sizes that come to the same.
        groups, bias, dilation: as for `Conv2d`.
        padding_mode: "zeros", the only one.
        device, dtype: of the parameters.

    Raises:
        ValueError: for groups that do not divide the channels, and for another mode.

    >>> layer = tk.nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1)
    >>> layer(tk.randn(2, 16, 7, 7)).shape, layer(tk.randn(2, 16, 7, 7), output_size=[15, 14]).shape
    (tensorkit.Size([2, 8, 14, 14]), tensorkit.Size([2, 8, 15, 14]))
    """

    _rank = 2
    _function = staticmethod(conv_transpose2d)


@own_init
class ConvTranspose3d(_ConvTransposeNd):
    """A transposed convolution over volumes: (n, in_channels, d, h, w) gives (n, out_channels, ...), larger.

    As `ConvTranspose2d` otherwise.

    >>> tk.nn.ConvTranspose3d(16, 33, 3, stride=2)(tk.randn(2, 16, 5, 4, 3)).shape
    tensorkit.Size([2, 33, 11, 9, 7])
    """

    _rank = 3
    _function = staticmethod(conv_transpose3d)
