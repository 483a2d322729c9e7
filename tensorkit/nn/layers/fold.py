"""`Unfold`, which makes columns of what is under the windows of an image, and `Fold`, which adds columns to an image.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Unfold.html
"""

from __future__ import annotations

from tensorkit.nn.functions.conv import Pair, fold, unfold
from tensorkit.nn.module import Module
from tensorkit.tensor import Tensor

__all__ = ["Fold", "Unfold"]


def __dir__() -> list[str]:
    return __all__


class Fold(Module):
    """Columns, added to an image under windows: (n, channels * kernel, places) gives (n, channels, h, w).

    Args:
        output_size: of the image: (h, w), or one number for both, as all that follows.
        kernel_size: of the window. dilation: how far its elements are apart.
        padding: by how much the windows reach out of the image. stride: how far the window moves on.

    >>> layer = tk.nn.Fold(output_size=(4, 5), kernel_size=2)
    >>> layer, layer(tk.ones(1, 12, 12)).shape
    (Fold(output_size=(4, 5), kernel_size=2, dilation=1, padding=0, stride=1), tensorkit.Size([1, 3, 4, 5]))
    """

    output_size: Pair
    kernel_size: Pair
    dilation: Pair
    padding: Pair
    stride: Pair

    def __init__(
        self, output_size: Pair, kernel_size: Pair, dilation: Pair = 1, padding: Pair = 0, stride: Pair = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.fold`."""
        return fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """All that it was made with."""
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """The elements under each place of a window, as a column: (n, channels, h, w) gives (n, channels * kernel, places).

    Args:
        kernel_size, dilation, padding, stride: of the window, as for `Fold`.

    >>> layer = tk.nn.Unfold(kernel_size=(2, 3))
    >>> layer, layer(tk.ones(2, 5, 3, 4)).shape
    (Unfold(kernel_size=(2, 3), dilation=1, padding=0, stride=1), tensorkit.Size([2, 30, 4]))
    """

    kernel_size: Pair
    dilation: Pair
    padding: Pair
    stride: Pair

    def __init__(self, kernel_size: Pair, dilation: Pair = 1, padding: Pair = 0, stride: Pair = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.unfold`."""
        return unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """All that it was made with."""
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )
