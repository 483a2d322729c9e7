"""Layers that make images larger or smaller, or turn channels into places.

Source: https://docs.pytorch.org/docs/stable/nn.html#vision-layers
"""

# Operations give whatever their bodies plan, which to a checker of types is anything.
# mypy: disable-error-code="no-any-return, no-untyped-call, has-type"

from __future__ import annotations

from typing import Any

from tensorkit.nn.functions.grid_sampling import channel_shuffle, pixel_shuffle, pixel_unshuffle
from tensorkit.nn.functions.resizing import interpolate
from tensorkit.nn.module import Module
from tensorkit.tensor import Tensor

__all__ = [
    "ChannelShuffle",
    "PixelShuffle",
    "PixelUnshuffle",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
]


def __dir__() -> list[str]:
    return __all__


class Upsample(Module):
    """Images of another size: (n, channels, w), (n, channels, h, w) or (n, channels, d, h, w).

    Args:
        size: of the result; one number, or one for each dimension. scale_factor: or what the size is multiplied by.
        mode: "nearest", "linear", "bilinear", "bicubic" or "trilinear".
        align_corners: whether the elements at the corners stay where they are.
        recompute_scale_factor: whether the factor that counts is that of the rounded sizes.

    >>> tk.nn.Upsample(scale_factor=2)(tk.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        self.scale_factor: Any = None
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        elif scale_factor:
            self.scale_factor = float(scale_factor)
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The image in its new size."""
        return interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        """The factor or the size, and the mode."""
        given = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{given}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images of another size, by the nearest elements; `Upsample` is the newer one.

    Args:
        size, scale_factor: as for `Upsample`.

    >>> tk.nn.UpsamplingNearest2d((1, 4))(tk.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1., 1., 2., 2.]]]])
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images of another size, with what lies between elements; `Upsample` is the newer one.

    Args:
        size, scale_factor: as for `Upsample`.

    >>> tk.nn.UpsamplingBilinear2d((1, 3))(tk.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class PixelShuffle(Module):
    """Every r² channels become one of r times the height and width: (..., c r², h, w) gives (..., c, h r, w r).

    Args:
        upscale_factor: r.

    >>> tk.nn.PixelShuffle(2)(tk.zeros(1, 8, 3, 4)).shape
    tensorkit.Size([1, 2, 6, 8])
    """

    upscale_factor: int

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The elements in their new places."""
        return pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """What it was made with."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """The opposite of `PixelShuffle`: (..., c, h r, w r) gives (..., c r², h, w).

    Args:
        downscale_factor: r.

    >>> tk.nn.PixelUnshuffle(2)(tk.zeros(1, 2, 6, 8)).shape
    tensorkit.Size([1, 8, 3, 4])
    """

    downscale_factor: int

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The elements in their new places."""
        return pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """What it was made with."""
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """The channels, group after group, so that those of all groups take turns: (n, channels, ...) keeps its size.

    Args:
        groups: how many groups there are.

    >>> tk.nn.ChannelShuffle(2)(tk.arange(4).view(1, 4, 1)).flatten()
    tensor([0, 2, 1, 3])
    """

    groups: int

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """The elements in their new places."""
        return channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """What it was made with."""
        return f"groups={self.groups}"
