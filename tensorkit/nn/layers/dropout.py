"""Layers that replace elements or channels by 0 at random while a network is trained.

Source: https://docs.pytorch.org/docs/stable/nn.html#dropout-layers
"""

from __future__ import annotations

from tensorkit.nn import functional as F
from tensorkit.nn.module import Module
from tensorkit.tensor import Tensor

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


def __dir__() -> list[str]:
    return __all__


class _DropoutNd(Module):
    """What the layers have in common: a probability, and whether the input is written into."""

    __constants__ = ["p", "inplace"]  # noqa: RUF012 - the form that PyTorch's scripts read
    p: float
    inplace: bool

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """The probability, and where the result goes."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """In training, each element becomes 0 with the probability `p`, the others grow by ``1 / (1 - p)``.

    Args:
        p: the probability. inplace: whether the input (...) is written into.

    Raises:
        ValueError: for a `p` that is not between 0 and 1.

    >>> _ = tk.manual_seed(0)
    >>> layer = tk.nn.Dropout(0.5)
    >>> layer(tk.ones(6)), layer.eval()(tk.ones(2))
    (tensor([0., 0., 2., 0., 0., 0.]), tensor([1., 1.]))
    """

    def forward(self, input: Tensor) -> Tensor:
        """A tensor of the input's size."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """In training, each channel becomes 0 with the probability `p`: (n, channels, length) or (channels, length).

    Args:
        p: the probability. inplace: whether the input is written into.

    >>> tk.nn.Dropout1d(p=1)(tk.ones(1, 1, 2))
    tensor([[[0., 0.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """A tensor of the input's size."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """In training, each channel becomes 0 with the probability `p`: (n, channels, height, width).

    Args:
        p: the probability. inplace: whether the input is written into.

    >>> tk.nn.Dropout2d(p=1)(tk.ones(1, 1, 1, 2))
    tensor([[[[0., 0.]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """A tensor of the input's size."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """In training, each channel becomes 0 with the probability `p`: (n, channels, depth, height, width).

    Args:
        p: the probability. inplace: whether the input is written into.

    >>> tk.nn.Dropout3d(p=1)(tk.ones(1, 1, 1, 1, 2))
    tensor([[[[[0., 0.]]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """A tensor of the input's size."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean 0 and variance 1, for networks with `SELU`: (...) gives (...).

    Args:
        p: the probability. inplace: kept, as PyTorch keeps it, but the input is not written into.

    >>> _ = tk.manual_seed(0)
    >>> tk.nn.AlphaDropout(0.5)(tk.zeros(3))
    tensor([-0.7792, -0.7792,  0.7792])
    """

    def forward(self, input: Tensor) -> Tensor:
        """A tensor of the input's size."""
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """`AlphaDropout` of whole channels: (n, channels, ...) gives (n, channels, ...).

    Args:
        p: the probability. inplace: kept, as PyTorch keeps it, but the input is not written into.

    >>> _ = tk.manual_seed(0)
    >>> tk.nn.FeatureAlphaDropout(0.5)(tk.zeros(1, 3))
    tensor([[-0.7792, -0.7792,  0.7792]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """A tensor of the input's size."""
        return F.feature_alpha_dropout(input, self.p, self.training)
