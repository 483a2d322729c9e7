"""Layers whose results along a dimension are chances, or their logarithms.

Source: https://docs.pytorch.org/docs/stable/nn.html#non-linear-activations-weighted-sum-nonlinearity
"""

from __future__ import annotations

from tensorkit.nn.functions import softmax as F
from tensorkit.nn.module import Module
from tensorkit.tensor import Tensor

__all__ = ["LogSoftmax", "Softmax", "Softmax2d", "Softmin"]


def __dir__() -> list[str]:
    return __all__


class _AlongDim(Module):
    """A layer whose one option is a dimension; without one it is guessed from the size, with a warning."""

    dim: int | None

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"


class Softmax(_AlongDim):
    """Exponentials, divided by their sum along a dimension: (...) gives (...).

    Args:
        dim: the dimension along which the results add up to 1.

    >>> tk.nn.Softmax(dim=0)(tk.tensor([0.0, 0.0, 1.0]))
    tensor([0.2119, 0.2119, 0.5761])
    """

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.softmax`."""
        return F.softmax(input, self.dim)


class Softmin(_AlongDim):
    """`Softmax` of the numbers with the other sign: (...) gives (...).

    >>> tk.nn.Softmin(dim=0)(tk.tensor([0.0, 0.0, 1.0]))
    tensor([0.4223, 0.4223, 0.1554])
    """

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.softmin`."""
        return F.softmin(input, self.dim)


class LogSoftmax(_AlongDim):
    """The logarithm of `Softmax`: (...) gives (...).

    >>> tk.nn.LogSoftmax(dim=0)(tk.tensor([0.0, 0.0, 1.0]))
    tensor([-1.5514, -1.5514, -0.5514])
    """

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.log_softmax`."""
        return F.log_softmax(input, self.dim)


class Softmax2d(Module):
    """`Softmax` over the channels, at each place of an image: (n, c, h, w) or (c, h, w) gives the same.

    Raises:
        ValueError: for an input of other than 3 or 4 dimensions.

    >>> tk.nn.Softmax2d()(tk.zeros(2, 1, 2))
    tensor([[[0.5000, 0.5000]],
    <BLANKLINE>
            [[0.5000, 0.5000]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.softmax`."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3)
