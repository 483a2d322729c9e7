"""Layers that make one number of each window: the largest, the average, a norm; and that put the largest back.

Source: https://docs.pytorch.org/docs/stable/nn.html#pooling-layers
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit.nn.functions import pooling as F
from tensorkit.nn.functions.sizes import one_each
from tensorkit.nn.module import Module
from tensorkit.ops.kit import Dims
from tensorkit.tensor import Tensor

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


def __dir__() -> list[str]:
    return __all__


# -- the largest ----------------------------------------------------------------------------------------------------


class _MaxPoolNd(Module):
    return_indices: bool
    ceil_mode: bool

    def __init__(
        self,
        kernel_size: Dims,
        stride: Dims | None = None,
        padding: Dims = 0,
        dilation: Dims = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _pooled(self, pool: Any, input: Tensor) -> Any:
        return pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self) -> str:
        """What it was made with."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The largest of each window of the last dimension: (n, channels, w) gives fewer w.

    Args:
        kernel_size: how many elements a window has.
        stride: from one window to the next; by default as many.
        padding: how far the windows begin before the input, and end after it.
        dilation: the step from one element of a window to the next.
        return_indices: whether to return their places too, for `MaxUnpool1d`.
        ceil_mode: whether a last window counts that is not whole.

    >>> tk.nn.MaxPool1d(2)(tk.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """

    def forward(self, input: Tensor) -> Any:
        """The values, or the values and their places."""
        return self._pooled(F.max_pool1d, input)


class MaxPool2d(_MaxPoolNd):
    """The largest of each window of an image: (n, channels, h, w) gives a smaller h and w.

    Args:
        kernel_size: how many elements a window has: one number, or one for each dimension.
        stride: from one window to the next; by default as many.
        padding: how far the windows begin before the input, and end after it.
        dilation: the step from one element of a window to the next.
        return_indices: whether to return their places too, for `MaxUnpool2d`.
        ceil_mode: whether a last window counts that is not whole.

    >>> tk.nn.MaxPool2d(2)(tk.tensor([[[1.0, 2.0, 0.0, 4.0], [5.0, 4.0, 1.0, 1.0]]]))
    tensor([[[5., 4.]]])
    """

    def forward(self, input: Tensor) -> Any:
        """The values, or the values and their places."""
        return self._pooled(F.max_pool2d, input)


class MaxPool3d(_MaxPoolNd):
    """The largest of each window of a volume: (n, channels, d, h, w) gives a smaller d, h and w.

    Args:
        kernel_size: how many elements a window has: one number, or one for each dimension.
        stride: from one window to the next; by default as many.
        padding: how far the windows begin before the input, and end after it.
        dilation: the step from one element of a window to the next.
        return_indices: whether to return their places too, for `MaxUnpool3d`.
        ceil_mode: whether a last window counts that is not whole.

    >>> tk.nn.MaxPool3d(2)(tk.arange(8.0).view(1, 2, 2, 2))
    tensor([[[[7.]]]])
    """

    def forward(self, input: Tensor) -> Any:
        """The values, or the values and their places."""
        return self._pooled(F.max_pool3d, input)


class _MaxUnpoolNd(Module):
    def _begin(self, dims: int, kernel_size: Dims, stride: Dims | None, padding: Dims) -> None:
        self.kernel_size = one_each(kernel_size, dims)
        self.stride = one_each(stride if stride is not None else kernel_size, dims)
        self.padding = one_each(padding, dims)

    def extra_repr(self) -> str:
        """What it was made with."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Zeros, and each element in the place where `MaxPool1d` found it.

    Args:
        kernel_size, stride, padding: those of the layer that found them.

    >>> tk.nn.MaxUnpool1d(2)(tk.tensor([[5.0, 7.0]]), tk.tensor([[1, 2]]))
    tensor([[0., 5., 7., 0.]])
    """

    def __init__(self, kernel_size: Dims, stride: Dims | None = None, padding: Dims = 0) -> None:
        super().__init__()
        self._begin(1, kernel_size, stride, padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """The values in their places; `output_size` where several sizes give the input's."""
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpoolNd):
    """Zeros, and each element in the place where `MaxPool2d` found it.

    Args:
        kernel_size, stride, padding: those of the layer that found them.

    >>> tk.nn.MaxUnpool2d(2)(tk.tensor([[[5.0]]]), tk.tensor([[[2]]]))
    tensor([[[0., 0.],
             [5., 0.]]])
    """

    def __init__(self, kernel_size: Dims, stride: Dims | None = None, padding: Dims = 0) -> None:
        super().__init__()
        self._begin(2, kernel_size, stride, padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """The values in their places; `output_size` where several sizes give the input's."""
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpoolNd):
    """Zeros, and each element in the place where `MaxPool3d` found it.

    Args:
        kernel_size, stride, padding: those of the layer that found them.

    >>> tk.nn.MaxUnpool3d((1, 1, 2))(tk.tensor([[[[5.0]]]]), tk.tensor([[[[1]]]]))
    tensor([[[[0., 5.]]]])
    """

    def __init__(self, kernel_size: Dims, stride: Dims | None = None, padding: Dims = 0) -> None:
        super().__init__()
        self._begin(3, kernel_size, stride, padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """The values in their places; `output_size` where several sizes give the input's."""
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


# -- the average ----------------------------------------------------------------------------------------------------


class _AvgPoolNd(Module):
    kernel_size: Any
    stride: Any
    padding: Any
    ceil_mode: bool
    count_include_pad: bool

    def extra_repr(self) -> str:
        """What it was made with."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """The average of each window of the last dimension: (n, channels, w) gives fewer w.

    Args:
        kernel_size: how many elements a window has.
        stride: from one window to the next; by default as many.
        padding: how far the windows begin before the input, and end after it; there are zeros.
        ceil_mode: whether a last window counts that is not whole.
        count_include_pad: whether the zeros of the padding count.

    >>> tk.nn.AvgPool1d(2)(tk.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    def __init__(
        self,
        kernel_size: Dims,
        stride: Dims | None = None,
        padding: Dims = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = one_each(kernel_size, 1)
        self.stride = one_each(stride if stride is not None else kernel_size, 1)
        self.padding = one_each(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """The averages."""
        return F.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class _AvgPoolOfSeveral(_AvgPoolNd):
    divisor_override: int | None

    def _begin(
        self,
        kernel_size: Dims,
        stride: Dims | None,
        padding: Dims,
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: int | None,
    ) -> None:
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def _pooled(self, pool: Any, input: Tensor) -> Tensor:
        return pool(  # type: ignore[no-any-return]
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool2d(_AvgPoolOfSeveral):
    """The average of each window of an image: (n, channels, h, w) gives a smaller h and w.

    Args:
        kernel_size, stride, padding, ceil_mode, count_include_pad: as for `AvgPool1d`; one number, or one for each
            dimension.
        divisor_override: what the sums are divided by, if not by how many elements there are.

    >>> tk.nn.AvgPool2d(2)(tk.tensor([[[1.0, 2.0, 0.0, 4.0], [5.0, 4.0, 1.0, 1.0]]]))
    tensor([[[3.0000, 1.5000]]])
    """

    def __init__(
        self,
        kernel_size: Dims,
        stride: Dims | None = None,
        padding: Dims = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self._begin(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    def forward(self, input: Tensor) -> Tensor:
        """The averages."""
        return self._pooled(F.avg_pool2d, input)


class AvgPool3d(_AvgPoolOfSeveral):
    """The average of each window of a volume: (n, channels, d, h, w) gives a smaller d, h and w.

    Args:
        kernel_size, stride, padding, ceil_mode, count_include_pad: as for `AvgPool1d`; one number, or one for each
            dimension.
        divisor_override: what the sums are divided by, if not by how many elements there are.

    >>> tk.nn.AvgPool3d(2)(tk.arange(8.0).view(1, 2, 2, 2))
    tensor([[[[3.5000]]]])
    """

    def __init__(
        self,
        kernel_size: Dims,
        stride: Dims | None = None,
        padding: Dims = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self._begin(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    def forward(self, input: Tensor) -> Tensor:
        """The averages."""
        return self._pooled(F.avg_pool3d, input)


# -- a norm ---------------------------------------------------------------------------------------------------------


class _LPPoolNd(Module):
    norm_type: float
    ceil_mode: bool

    def __init__(
        self, norm_type: float, kernel_size: Dims, stride: Dims | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size: Any = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """What it was made with."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """The root of the sum of powers of each window of the last dimension: (n, channels, w) gives fewer w.

    Args:
        norm_type: the power; infinite for the largest. kernel_size, stride, ceil_mode: as for `MaxPool1d`.

    >>> tk.nn.LPPool1d(2, 2)(tk.ones(1, 4))
    tensor([[1.4142, 1.4142]])
    """

    def forward(self, input: Tensor) -> Any:
        """The norms."""
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPoolNd):
    """The root of the sum of powers of each window of an image: (n, channels, h, w) gives a smaller h and w.

    Args:
        norm_type: the power; infinite for the largest. kernel_size, stride, ceil_mode: as for `MaxPool2d`.

    >>> tk.nn.LPPool2d(2, 2)(tk.ones(1, 2, 4))
    tensor([[[2., 2.]]])
    """

    def forward(self, input: Tensor) -> Any:
        """The norms."""
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPoolNd):
    """The root of the sum of powers of each window of a volume: (n, channels, d, h, w) gives a smaller d, h and w.

    Args:
        norm_type: the power; infinite for the largest. kernel_size, stride, ceil_mode: as for `MaxPool3d`.

    >>> tk.nn.LPPool3d(2, 2)(tk.ones(1, 2, 2, 4))
    tensor([[[[2.8284, 2.8284]]]])
    """

    def forward(self, input: Tensor) -> Any:
        """The norms."""
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


# -- to a given size ------------------------------------------------------------------------------------------------


class _AdaptiveMaxPoolNd(Module):
    return_indices: bool

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        """The size of the result."""
        return f"output_size={self.output_size}"


class _AdaptiveAvgPoolNd(Module):
    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        """The size of the result."""
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The largest of each of `output_size` windows of the last dim: (n, channels, w) to (n, channels, output_size).

    Args:
        output_size: how many windows.
        return_indices: whether to return their places too.

    >>> tk.nn.AdaptiveMaxPool1d(2)(tk.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """

    def forward(self, input: Tensor) -> Any:
        """The values, or the values and their places."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The largest of each of `output_size` windows of an image: (n, channels, h, w) to (n, channels, *output_size).

    Args:
        output_size: how many windows; one number, or one for each dimension, where None is the input's.
        return_indices: whether to return their places too.

    >>> tk.nn.AdaptiveMaxPool2d((1, 2))(tk.tensor([[[1.0, 2.0, 0.0, 4.0], [5.0, 4.0, 1.0, 1.0]]]))
    tensor([[[5., 4.]]])
    """

    def forward(self, input: Tensor) -> Any:
        """The values, or the values and their places."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The largest of each of `output_size` windows of a volume: (n, channels, d, h, w) to (n, channels, *output_size).

    Args:
        output_size: how many windows; one number, or one for each dimension, where None is the input's.
        return_indices: whether to return their places too.

    >>> tk.nn.AdaptiveMaxPool3d((1, 1, 2))(tk.arange(8.0).view(1, 2, 2, 2))
    tensor([[[[6., 7.]]]])
    """

    def forward(self, input: Tensor) -> Any:
        """The values, or the values and their places."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The average of each of `output_size` windows of the last dim: (n, channels, w) to (n, channels, output_size).

    Args:
        output_size: how many windows.

    >>> tk.nn.AdaptiveAvgPool1d(2)(tk.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """The averages."""
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The average of each of `output_size` windows of an image: (n, channels, h, w) to (n, channels, *output_size).

    Args:
        output_size: how many windows; one number, or one for each dimension, where None is the input's.

    >>> tk.nn.AdaptiveAvgPool2d((1, 2))(tk.tensor([[[1.0, 2.0, 0.0, 4.0], [5.0, 4.0, 1.0, 1.0]]]))
    tensor([[[3.0000, 1.5000]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """The averages."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The average of each of `output_size` windows of a volume: (n, channels, d, h, w) to (n, channels, *output_size).

    Args:
        output_size: how many windows; one number, or one for each dimension, where None is the input's.

    >>> tk.nn.AdaptiveAvgPool3d((1, 1, 2))(tk.arange(8.0).view(1, 2, 2, 2))
    tensor([[[[3., 4.]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """The averages."""
        return F.adaptive_avg_pool3d(input, self.output_size)
