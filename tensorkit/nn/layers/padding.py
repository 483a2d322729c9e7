"""Layers that put more elements at the ends of dimensions.

Source: https://docs.pytorch.org/docs/stable/nn.html#padding-layers
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tensorkit.nn.functions.padding import pad
from tensorkit.nn.module import Module
from tensorkit.tensor import Tensor

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


def __dir__() -> list[str]:
    return __all__


def _ends(padding: int | Sequence[int], dims: int) -> tuple[int, ...]:
    """One number for both ends of each dimension, the last first; or the numbers that are given."""
    return tuple(padding) if isinstance(padding, Iterable) else (padding,) * (2 * dims)


class _Padding(Module):
    """Pads the last dimensions of a tensor in one way."""

    mode: str
    padding: tuple[int, ...]

    def forward(self, input: Tensor) -> Tensor:
        """The padded input."""
        return pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        """How much is put at each end."""
        return f"{self.padding}"


class _ReflectionPadNd(_Padding):
    mode = "reflect"


class _ReplicationPadNd(_Padding):
    mode = "replicate"


class _CircularPadNd(_Padding):
    mode = "circular"
    dims: int

    def forward(self, input: Tensor) -> Tensor:
        """The padded input."""
        if input.dim() - self.dims not in (1, 2):
            raise ValueError(
                f"expected {self.dims + 1}D or {self.dims + 2}D input (got {input.dim()}D input)"
            )
        return super().forward(input)


class _ConstantPadNd(_Padding):
    value: float

    def forward(self, input: Tensor) -> Tensor:
        """The padded input."""
        return pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """How much is put at each end, and what."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Puts a number at both ends of the last dimension: (n, channels, w) gives (n, channels, left + w + right).

    Args:
        padding: how much: an integer, or (left, right); negative ones cut off.
        value: what is put there.

    >>> tk.nn.ConstantPad1d(1, 9)(tk.tensor([[1, 2, 3]]))
    tensor([[9, 1, 2, 3, 9]])
    """

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__()
        self.padding = _ends(padding, 1)
        self.value = value


class ConstantPad2d(_ConstantPadNd):
    """Puts a number at both ends of the last two dimensions: (n, channels, h, w), h and w longer.

    Args:
        padding: how much: an integer, or (left, right, top, bottom); negative ones cut off.
        value: what is put there.

    >>> tk.nn.ConstantPad2d((0, 1, 1, 0), 9)(tk.tensor([[[1, 2], [3, 4]]]))
    tensor([[[9, 9, 9],
             [1, 2, 9],
             [3, 4, 9]]])
    """

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__()
        self.padding = _ends(padding, 2)
        self.value = value


class ConstantPad3d(_ConstantPadNd):
    """Puts a number at both ends of the last three dimensions: (n, channels, d, h, w), d, h and w longer.

    Args:
        padding: how much: an integer, or (left, right, top, bottom, front, back); negative ones cut off.
        value: what is put there.

    >>> tk.nn.ConstantPad3d((1, 0, 0, 0, 0, 0), 9)(tk.tensor([[[[1, 2, 3]]]]))
    tensor([[[[9, 1, 2, 3]]]])
    """

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__()
        self.padding = _ends(padding, 3)
        self.value = value


class ZeroPad1d(ConstantPad1d):
    """Puts zeros at both ends of the last dimension: (n, channels, w) gives (n, channels, left + w + right).

    Args:
        padding: how much: an integer, or (left, right); negative ones cut off.

    >>> tk.nn.ZeroPad1d(1)(tk.tensor([[1, 2, 3]]))
    tensor([[0, 1, 2, 3, 0]])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """How much is put at each end."""
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Puts zeros at both ends of the last two dimensions: (n, channels, h, w), h and w longer.

    Args:
        padding: how much: an integer, or (left, right, top, bottom); negative ones cut off.

    >>> tk.nn.ZeroPad2d((0, 1, 1, 0))(tk.tensor([[[1, 2], [3, 4]]]))
    tensor([[[0, 0, 0],
             [1, 2, 0],
             [3, 4, 0]]])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """How much is put at each end."""
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Puts zeros at both ends of the last three dimensions: (n, channels, d, h, w), d, h and w longer.

    Args:
        padding: how much: an integer, or (left, right, top, bottom, front, back); negative ones cut off.

    >>> tk.nn.ZeroPad3d((1, 0, 0, 0, 0, 0))(tk.tensor([[[[1, 2, 3]]]]))
    tensor([[[[0, 1, 2, 3]]]])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """How much is put at each end."""
        return f"{self.padding}"


class ReflectionPad1d(_ReflectionPadNd):
    """Mirrors the last dimension at both ends: (n, channels, w) gives (n, channels, left + w + right).

    Args:
        padding: how much: an integer, or (left, right); negative ones cut off.

    >>> tk.nn.ReflectionPad1d(2)(tk.tensor([[1, 2, 3]]))
    tensor([[3, 2, 1, 2, 3, 2, 1]])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _ends(padding, 1)


class ReflectionPad2d(_ReflectionPadNd):
    """Mirrors the last two dimensions at both ends: (n, channels, h, w), h and w longer.

    Args:
        padding: how much: an integer, or (left, right, top, bottom); negative ones cut off.

    >>> tk.nn.ReflectionPad2d((0, 1, 1, 0))(tk.tensor([[[1, 2], [3, 4]]]))
    tensor([[[3, 4, 3],
             [1, 2, 1],
             [3, 4, 3]]])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _ends(padding, 2)


class ReflectionPad3d(_ReflectionPadNd):
    """Mirrors the last three dimensions at both ends: (n, channels, d, h, w), d, h and w longer.

    Args:
        padding: how much: an integer, or (left, right, top, bottom, front, back); negative ones cut off.

    >>> tk.nn.ReflectionPad3d((2, 0, 0, 0, 0, 0))(tk.tensor([[[[1, 2, 3]]]]))
    tensor([[[[3, 2, 1, 2, 3]]]])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _ends(padding, 3)


class ReplicationPad1d(_ReplicationPadNd):
    """Repeats the elements at both ends of the last dimension: (n, channels, w) gives (n, channels, left + w + right).

    Args:
        padding: how much: an integer, or (left, right); negative ones cut off.

    >>> tk.nn.ReplicationPad1d(1)(tk.tensor([[1, 2, 3]]))
    tensor([[1, 1, 2, 3, 3]])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _ends(padding, 1)


class ReplicationPad2d(_ReplicationPadNd):
    """Repeats the elements at both ends of the last two dimensions: (n, channels, h, w), h and w longer.

    Args:
        padding: how much: an integer, or (left, right, top, bottom); negative ones cut off.

    >>> tk.nn.ReplicationPad2d((0, 1, 1, 0))(tk.tensor([[[1, 2], [3, 4]]]))
    tensor([[[1, 2, 2],
             [1, 2, 2],
             [3, 4, 4]]])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _ends(padding, 2)


class ReplicationPad3d(_ReplicationPadNd):
    """Repeats the elements at both ends of the last three dimensions: (n, channels, d, h, w), d, h and w longer.

    Args:
        padding: how much: an integer, or (left, right, top, bottom, front, back); negative ones cut off.

    >>> tk.nn.ReplicationPad3d((1, 0, 0, 0, 0, 0))(tk.tensor([[[[1, 2, 3]]]]))
    tensor([[[[1, 1, 2, 3]]]])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _ends(padding, 3)


class CircularPad1d(_CircularPadNd):
    """Continues the last dimension at both ends with what is at the other end: (n, channels, w).

    Args:
        padding: how much: an integer, or (left, right); negative ones cut off.

    >>> tk.nn.CircularPad1d(1)(tk.tensor([[1, 2, 3]]))
    tensor([[3, 1, 2, 3, 1]])
    """

    dims = 1

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _ends(padding, 1)


class CircularPad2d(_CircularPadNd):
    """Continues the last two dimensions at both ends with what is at the other end: (n, channels, h, w).

    Args:
        padding: how much: an integer, or (left, right, top, bottom); negative ones cut off.

    >>> tk.nn.CircularPad2d((0, 1, 1, 0))(tk.tensor([[[1, 2], [3, 4]]]))
    tensor([[[3, 4, 3],
             [1, 2, 1],
             [3, 4, 3]]])
    """

    dims = 2

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _ends(padding, 2)


class CircularPad3d(_CircularPadNd):
    """Continues the last three dimensions at both ends with what is at the other end: (n, channels, d, h, w).

    Args:
        padding: how much: an integer, or (left, right, top, bottom, front, back); negative ones cut off.

    >>> tk.nn.CircularPad3d((1, 0, 0, 0, 0, 0))(tk.tensor([[[[1, 2, 3]]]]))
    tensor([[[[3, 1, 2, 3]]]])
    """

    dims = 3

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _ends(padding, 3)
