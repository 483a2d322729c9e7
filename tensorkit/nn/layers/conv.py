"""Layers of convolution: `Conv1d`, `Conv2d`, `Conv3d`, and what all of them share.

Source: https://docs.pytorch.org/docs/stable/nn.html#convolution-layers
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, TypeVar

from tensorkit.autograd.grad_mode import no_grad
from tensorkit.memory_format import contiguous_format
from tensorkit.nn import init
from tensorkit.nn.functions.padding import pad
from tensorkit.nn.module import Module
from tensorkit.nn.parameter import Parameter
from tensorkit.ops.creation.empty import empty, empty_like
from tensorkit.ops.nn.conv import conv1d, conv2d, conv3d
from tensorkit.tensor import Tensor

__all__ = ["Conv1d", "Conv2d", "Conv3d", "own_init"]

Ints = tuple[int, ...]
M = TypeVar("M", bound=Module)


def __dir__() -> list[str]:
    return __all__


def _each(value: Any, rank: int) -> Ints:
    """One number for each spatial dimension, where one stands for all."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * rank


def own_init(cls: type[M]) -> type[M]:
    """A class with an ``__init__`` of its own that is its base's: Python names the class where a call is wrong."""
    shared: Any = cls.__init__
    made = FunctionType(
        shared.__code__, shared.__globals__, shared.__name__, shared.__defaults__, shared.__closure__
    )
    functools.update_wrapper(made, shared)
    made.__qualname__ = f"{cls.__name__}.__init__"
    del made.__wrapped__  # type: ignore[attr-defined]
    cls.__init__ = made  # type: ignore[method-assign]
    return cls


class _ConvNd(Module):
    """What all layers of convolution have: a weight, perhaps a bias, and how the weight moves."""

    in_channels: int
    out_channels: int
    kernel_size: Ints
    stride: Ints
    padding: str | Ints
    dilation: Ints
    transposed: bool
    output_padding: Ints
    groups: int
    padding_mode: str
    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints,
        padding: str | Ints,
        dilation: Ints,
        transposed: bool,
        output_padding: Ints,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        _check(in_channels, out_channels, stride, padding, groups, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = _around(padding, kernel_size, dilation)
        first, second = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        self.weight = Parameter(empty((first, second // groups, *kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters at random, in the order in which the weight counts, however it lies in memory."""
        with no_grad():
            drawn = self.weight
            if not drawn.is_contiguous():
                drawn = empty_like(drawn, memory_format=contiguous_format)
            init.kaiming_uniform_(drawn, a=math.sqrt(5))  # so the bound is 1 / sqrt(fan_in)
            if drawn is not self.weight:
                self.weight.copy_(drawn)
            if self.bias is not None:
                fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
                bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        """The channels and sizes, and what is not as usual."""
        told = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        )
        usual = {"padding": 0, "dilation": 1, "output_padding": 0}
        for name, value in usual.items():
            own = getattr(self, name)
            if own != (value,) * len(own):
                told += f", {name}={own}"
        if self.groups != 1:
            told += f", groups={self.groups}"
        if self.bias is None:
            told += ", bias=False"
        return told if self.padding_mode == "zeros" else f"{told}, padding_mode={self.padding_mode}"


_MODES = {"zeros", "reflect", "replicate", "circular"}


def _check(
    in_channels: int, out_channels: int, stride: Ints, padding: str | Ints, groups: int, mode: str
) -> None:
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups:
        raise ValueError("out_channels must be divisible by groups")
    if isinstance(padding, str):
        if padding not in (known := {"same", "valid"}):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {known}")
        if padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    if mode not in _MODES:
        raise ValueError(f"padding_mode must be one of {_MODES}, but got padding_mode='{mode}'")


def _around(padding: str | Ints, kernel: Ints, dilation: Ints) -> list[int] | Ints:
    """How much `pad` has to add, from the last dimension to the first, before and after."""
    if not isinstance(padding, str):
        return tuple(p for p in reversed(padding) for _ in range(2))
    if padding == "valid":
        return [0, 0] * len(kernel)
    total = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    return [part for t in reversed(total) for part in (t // 2, t - t // 2)]


class _Conv(_ConvNd):
    """The layers of convolutions that are not transposed."""

    _rank: int
    _function: Callable[..., Tensor]

    def __init__(
        self,
        in_channels: int,
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
        rank = self._rank
        super().__init__(
            in_channels,
            out_channels,
            _each(kernel_size, rank),
            _each(stride, rank),
            padding if isinstance(padding, str) else _each(padding, rank),
            _each(dilation, rank),
            False,
            _each(0, rank),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """The convolution with a weight and bias that a layer made of this one may have changed."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input = pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = _each(0, self._rank)
        return self._function(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """See the function of this name in `nn.functional`."""
        return self._conv_forward(input, self.weight, self.bias)


@own_init
class Conv1d(_Conv):
    """A convolution over sequences: (n, in_channels, length) gives (n, out_channels, places).

    Weights and bias begin as uniform numbers between ``-k`` and ``k``, with ``k = 1 / sqrt(fan_in)`` for the
    ``in_channels / groups * kernel_size`` numbers that each result is made of. As `Conv2d` otherwise.

    >>> layer = tk.nn.Conv1d(16, 33, 3, stride=2)
    >>> layer, layer(tk.randn(20, 16, 50)).shape
    (Conv1d(16, 33, kernel_size=(3,), stride=(2,)), tensorkit.Size([20, 33, 24]))
    """

    _rank = 1
    _function = staticmethod(conv1d)


@own_init
class Conv2d(_Conv):
    """A convolution over images: (n, in_channels, h, w) gives (n, out_channels, ...); or one image, without n.

    Weights and bias begin as uniform numbers between ``-k`` and ``k``, with ``k = 1 / sqrt(fan_in)`` for the
    ``in_channels / groups * kernel height * kernel width`` numbers that each result is made of.

    Args:
        in_channels, out_channels: how many channels images and results have.
        kernel_size: of the weight; a number, or one for each dimension, as all that follows.
        stride: how far the weight moves on. padding: how much is added around an image; or "valid" for nothing, or
            "same" for as much as makes results as large as images.
        dilation: how far the elements under the weight are apart.
        groups: into how many groups the channels are divided; each sees only its own channels of the image.
        bias: whether something is added to each channel that is learned.
        padding_mode: what is added around: "zeros", "reflect", "replicate" or "circular".
        device, dtype: of the parameters.

    Raises:
        ValueError: for groups that do not divide the channels, and for an unknown padding or mode.

    >>> layer = tk.nn.Conv2d(3, 8, kernel_size=3, padding=1)
    >>> layer, layer(tk.randn(4, 3, 32, 32)).shape
    (Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1)), tensorkit.Size([4, 8, 32, 32]))
    """

    _rank = 2
    _function = staticmethod(conv2d)


@own_init
class Conv3d(_Conv):
    """A convolution over volumes: (n, in_channels, d, h, w) gives (n, out_channels, ...). As `Conv2d` otherwise.

    >>> tk.nn.Conv3d(16, 33, (3, 5, 2), stride=(2, 1, 1))(tk.randn(2, 16, 10, 20, 30)).shape
    tensorkit.Size([2, 33, 4, 16, 29])
    """

    _rank = 3
    _function = staticmethod(conv3d)
