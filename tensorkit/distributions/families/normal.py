"""The normal distribution: `Normal`.

Source: https://docs.pytorch.org/docs/stable/distributions.html#normal
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from tensorkit.autograd.grad_mode import no_grad
from tensorkit.distributions import constraints
from tensorkit.distributions.distribution import ExponentialFamily
from tensorkit.distributions.utils import broadcast_all, standard_normal
from tensorkit.ops.random.sampling import normal
from tensorkit.size import Size
from tensorkit.tensor import Tensor


class Normal(ExponentialFamily):
    """The normal (Gaussian) distribution.

    Args:
        loc: the mean. scale: the standard deviation, above 0.

    >>> tk.distributions.Normal(0.0, 1.0).log_prob(tk.tensor(0.0))
    tensor(-0.9189)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#normal
    """

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        return self._expanded(Normal, batch_shape, _instance, ("loc", "scale"))

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """The mean."""
        return self.loc

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """The square of the standard deviation."""
        return self.stddev.pow(2)

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Random values without a gradient."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Standard normal values, scaled and moved."""
        eps = standard_normal(self._extended_shape(sample_shape), self.loc.dtype, self.loc.device)
        return self.loc + eps * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        self._checked(value)
        squares = -((value - self.loc) ** 2) / (2 * self.scale**2)
        return squares - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        """By the error function."""
        self._checked(value)
        return 0.5 * (1 + ((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())

    def icdf(self, value: Tensor) -> Tensor:
        """By the inverse of the error function."""
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Tensor:
        """0.5 + 0.5 log(2 pi) + log(scale)."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return -0.25 * x.pow(2) / y + 0.5 * (-math.pi / y).log()
