"""Layers that change the size of a tensor, or nothing at all: `Identity`, `Flatten`, `Unflatten`.

Source: https://docs.pytorch.org/docs/stable/nn.html#utilities
"""

from __future__ import annotations

from typing import Any

from tensorkit.nn.module import Module
from tensorkit.tensor import Tensor

__all__ = ["Flatten", "Identity", "Unflatten"]


def __dir__() -> list[str]:
    return __all__


class Identity(Module):
    """Returns its input: for the place of a layer that is left out.

    Args:
        args, kwargs: anything; they are not used.

    >>> tk.nn.Identity(54, unused=True)(tk.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """The input itself."""
        return input


class Flatten(Module):
    """Joins neighbouring dimensions into one: by default all but the first, which counts the examples.

    Args:
        start_dim, end_dim: the first and the last of the dimensions that are joined.

    >>> tk.nn.Flatten()(tk.zeros(32, 1, 5, 5)).shape
    tensorkit.Size([32, 25])
    """

    start_dim: int
    end_dim: int

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """A view where the strides allow it, otherwise a copy."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The two dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits a dimension into several.

    Args:
        dim: the dimension.
        unflattened_size: the lengths of those that it becomes; their product is its own.

    Raises:
        TypeError: for lengths that are not integers.

    >>> tk.nn.Unflatten(1, (5, 5))(tk.zeros(2, 25)).shape
    tensorkit.Size([2, 5, 5])
    """

    dim: int
    unflattened_size: Any

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}"
            )
        for place, length in enumerate(unflattened_size):
            if not isinstance(length, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type(length).__name__} at pos {place}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """A view of the input."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """The dimension and what it becomes."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
