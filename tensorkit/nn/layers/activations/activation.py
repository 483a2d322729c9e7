"""Activations made of straight lines, cut off or bent at a number: `ReLU` and its relatives.

Source: https://docs.pytorch.org/docs/stable/nn.html#non-linear-activations-weighted-sum-nonlinearity
"""

from __future__ import annotations

from typing import Any

from tensorkit.errors import warn
from tensorkit.nn import init
from tensorkit.nn.functions import activations as F
from tensorkit.nn.module import Module
from tensorkit.nn.parameter import Parameter
from tensorkit.ops.creation.empty import empty
from tensorkit.tensor import Tensor

__all__ = [
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "Softshrink",
    "Threshold",
]


def __dir__() -> list[str]:
    return __all__


class _InPlace(Module):
    """A layer whose one option is whether it writes into its input."""

    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Whether it writes into its input, if it does."""
        return "inplace=True" if self.inplace else ""


class ReLU(_InPlace):
    """Positive elements as they are, 0 for the others: (...) gives (...).

    Args:
        inplace: whether the result is written into the input.

    >>> tk.nn.ReLU()(tk.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.relu`."""
        return F.relu(input, self.inplace)


class Threshold(Module):
    """Each element that is larger than the threshold, and `value` for the others: (...) gives (...).

    >>> tk.nn.Threshold(0.1, 20)(tk.tensor([0.0, 2.0]))
    tensor([20.,  2.])
    """

    threshold: float
    value: float
    inplace: bool

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.threshold`."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """The two numbers."""
        return f"threshold={self.threshold}, value={self.value}{', inplace=True' if self.inplace else ''}"


class RReLU(Module):
    """`LeakyReLU` whose slopes are drawn at random in training, and their mean otherwise: (...) gives (...).

    Args:
        lower, upper: between them the slope of each negative element is drawn.

    >>> tk.nn.RReLU(0.1, 0.3).eval()(tk.tensor([-2.0, 3.0]))
    tensor([-0.4000,  3.0000])
    """

    lower: float
    upper: float
    inplace: bool

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.rrelu`."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The bounds of the slope."""
        return f"lower={self.lower}, upper={self.upper}{', inplace=True' if self.inplace else ''}"


class Hardtanh(Module):
    """Each element, kept between two numbers: (...) gives (...).

    Args:
        min_value, max_value: older names of `min_val` and `max_val`.

    Raises:
        AssertionError: when `max_val` is not the larger one.

    >>> tk.nn.Hardtanh(-2, 2)(tk.tensor([-3.0, 0.5]))
    tensor([-2.0000,  0.5000])
    """

    min_val: float
    max_val: float
    inplace: bool

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        self.min_val = _renamed("min", min_val, min_value)
        self.max_val = _renamed("max", max_val, max_value)
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.hardtanh`."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """The two numbers."""
        return f"min_val={self.min_val}, max_val={self.max_val}{', inplace=True' if self.inplace else ''}"


def _renamed(which: str, value: float, older: float | None) -> float:
    """A bound, by its name of today or its older one."""
    if older is None:
        return value
    warn(f"keyword argument `{which}_value` is deprecated and renamed to `{which}_val`", FutureWarning)
    return older


class ReLU6(Hardtanh):
    """Each element, kept between 0 and 6: (...) gives (...).

    >>> tk.nn.ReLU6()(tk.tensor([-1.0, 7.0]))
    tensor([0., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """Whether it writes into its input, if it does."""
        return "inplace=True" if self.inplace else ""


class Hardsigmoid(Module):
    """A straight line from 0 at -3 to 1 at 3: (...) gives (...).

    >>> tk.nn.Hardsigmoid()(tk.tensor([-4.0, 0.0, 1.5]))
    tensor([0.0000, 0.5000, 0.7500])
    """

    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.hardsigmoid`."""
        return F.hardsigmoid(input, self.inplace)


class Hardswish(Module):
    """Each element times its `Hardsigmoid`: (...) gives (...).

    >>> tk.nn.Hardswish()(tk.tensor([0.0, 1.5, 4.0]))
    tensor([0.0000, 1.1250, 4.0000])
    """

    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.hardswish`."""
        return F.hardswish(input, self.inplace)


class Hardshrink(Module):
    """0 for elements between -`lambd` and `lambd`, the others as they are: (...) gives (...).

    >>> tk.nn.Hardshrink()(tk.tensor([-2.0, 0.3]))
    tensor([-2.,  0.])
    """

    lambd: float

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.hardshrink`."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """The number."""
        return f"{self.lambd}"


class Softshrink(Module):
    """Each element moved towards 0 by `lambd`, and not beyond: (...) gives (...).

    >>> tk.nn.Softshrink()(tk.tensor([-2.0, 0.3]))
    tensor([-1.5000,  0.0000])
    """

    lambd: float

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.softshrink`."""
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """The number."""
        return str(self.lambd)


class LeakyReLU(Module):
    """Positive elements as they are, negative ones times a small slope: (...) gives (...).

    >>> tk.nn.LeakyReLU(0.1)(tk.tensor([-2.0, 3.0]))
    tensor([-0.2000,  3.0000])
    """

    negative_slope: float
    inplace: bool

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.leaky_relu`."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """The slope."""
        return f"negative_slope={self.negative_slope}{', inplace=True' if self.inplace else ''}"


class PReLU(Module):
    """`LeakyReLU` with a slope that is learned, or one for each channel: (n, channels, ...) gives the same.

    Args:
        num_parameters: 1, or the number of channels.
        init: the slope at the beginning.
        device, dtype: of the slopes, which are the parameter `weight`: (num_parameters).

    >>> tk.nn.PReLU()(tk.tensor([-2.0, 3.0]))
    tensor([-0.5000,  3.0000], grad_fn=<PreluKernelBackward0>)
    """

    num_parameters: int
    weight: Tensor

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        self.num_parameters = num_parameters
        super().__init__()
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the slopes to what they were at the beginning."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.prelu`."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """The number of slopes."""
        return f"num_parameters={self.num_parameters}"
