"""Activations with curves: `Sigmoid`, `Tanh`, `GELU` and what is close to them.

Source: https://docs.pytorch.org/docs/stable/nn.html#non-linear-activations-weighted-sum-nonlinearity
"""

from __future__ import annotations

from tensorkit.nn.functions import activations as F
from tensorkit.nn.layers.activations.activation import _InPlace
from tensorkit.nn.module import Module
from tensorkit.tensor import Tensor

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "LogSigmoid",
    "Mish",
    "SELU",
    "SiLU",
    "Sigmoid",
    "Softplus",
    "Softsign",
    "Tanh",
    "Tanhshrink",
]


def __dir__() -> list[str]:
    return __all__


class Sigmoid(Module):
    """``1 / (1 + exp(-x))``, between 0 and 1: (...) gives (...).

    >>> tk.nn.Sigmoid()(tk.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """

    def forward(self, input: Tensor) -> Tensor:
        """See `tensorkit.sigmoid`."""
        return F.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent, between -1 and 1: (...) gives (...).

    >>> tk.nn.Tanh()(tk.tensor([0.0, 2.0]))
    tensor([0.0000, 0.9640])
    """

    def forward(self, input: Tensor) -> Tensor:
        """See `tensorkit.tanh`."""
        return F.tanh(input)


class SiLU(_InPlace):
    """Each element times its sigmoid: (...) gives (...).

    >>> tk.nn.SiLU()(tk.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.silu`."""
        return F.silu(input, self.inplace)


class Mish(_InPlace):
    """Each element times the tanh of its softplus: (...) gives (...).

    >>> tk.nn.Mish()(tk.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.mish`."""
        return F.mish(input, self.inplace)


class GELU(Module):
    """Each element times the chance that a standard normal number is smaller: (...) gives (...).

    Args:
        approximate: "none" for the error function, "tanh" for a cheaper curve close to it.

    >>> tk.nn.GELU()(tk.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """

    approximate: str

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.gelu`."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """Which curve."""
        return f"approximate={self.approximate!r}"


class ELU(Module):
    """Positive elements as they are, negative ones on an exponential that ends at -`alpha`: (...) gives (...).

    >>> tk.nn.ELU()(tk.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    alpha: float
    inplace: bool

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.elu`."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """The number."""
        return f"alpha={self.alpha}{', inplace=True' if self.inplace else ''}"


class CELU(Module):
    """`ELU` whose slope is 1 on both sides of 0 for every `alpha`: (...) gives (...).

    >>> tk.nn.CELU()(tk.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    alpha: float
    inplace: bool

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.celu`."""
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """The number."""
        return f"alpha={self.alpha}{', inplace=True' if self.inplace else ''}"


class SELU(_InPlace):
    """`ELU` with the two numbers that keep mean 0 and variance 1 from layer to layer: (...) gives (...).

    >>> tk.nn.SELU()(tk.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.selu`."""
        return F.selu(input, self.inplace)


class Softplus(Module):
    """``log(1 + exp(beta * x)) / beta``, a `ReLU` without a corner: (...) gives (...).

    Args:
        threshold: where ``beta * x`` is larger, the element itself is the result.

    >>> tk.nn.Softplus()(tk.tensor([-1.0, 30.0]))
    tensor([ 0.3133, 30.0000])
    """

    beta: float
    threshold: float

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.softplus`."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """The two numbers."""
        return f"beta={self.beta}, threshold={self.threshold}"


class LogSigmoid(Module):
    """The logarithm of the sigmoid: (...) gives (...).

    >>> tk.nn.LogSigmoid()(tk.tensor([-1.0, 0.0]))
    tensor([-1.3133, -0.6931])
    """

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.logsigmoid`."""
        return F.logsigmoid(input)


class Softsign(Module):
    """``x / (1 + |x|)``, between -1 and 1: (...) gives (...).

    >>> tk.nn.Softsign()(tk.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.softsign`."""
        return F.softsign(input)


class Tanhshrink(Module):
    """Each element less its tanh: (...) gives (...).

    >>> tk.nn.Tanhshrink()(tk.tensor([0.0, 2.0]))
    tensor([0.0000, 1.0360])
    """

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.tanhshrink`."""
        return F.tanhshrink(input)


class GLU(Module):
    """The first half of a dimension, times the sigmoid of the second: (..., 2 n, ...) gives (..., n, ...).

    >>> tk.nn.GLU()(tk.tensor([1.0, 2.0, 0.0, 30.0]))
    tensor([0.5000, 2.0000])
    """

    dim: int

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """See `nn.functional.glu`."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"
