"""Sums of exponentially distributed numbers and of squares: `Gamma`, `Chi2` and `StudentT`.

Source: https://docs.pytorch.org/docs/stable/distributions.html#gamma
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import inf, nan
from typing import Any, ClassVar

from tensorkit.distributions import constraints
from tensorkit.distributions.distribution import Distribution, ExponentialFamily
from tensorkit.distributions.utils import broadcast_all, standard_normal
from tensorkit.finfo import finfo
from tensorkit.memory_format import contiguous_format
from tensorkit.ops.random.gamma import standard_gamma
from tensorkit.ops.shared.tensor_data import as_tensor
from tensorkit.ops.special.igamma_zeta import igamma
from tensorkit.size import Size
from tensorkit.tensor import Tensor


class Gamma(ExponentialFamily):
    """How long to wait for `concentration` events that come `rate` times on average in a unit of time.

    Args:
        concentration: the shape of the distribution, above 0, whole or not. rate: above 0.

    >>> tk.distributions.Gamma(3.0, 2.0).mean
    tensor(1.5000)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#gamma
    """

    arg_constraints: ClassVar[Any] = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self, concentration: Tensor | float, rate: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        return self._expanded(Gamma, batch_shape, _instance, ("concentration", "rate"))

    @property
    def mean(self) -> Tensor:
        """concentration / rate."""
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        """(concentration - 1) / rate, if that is above 0."""
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        """concentration / rate ** 2."""
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Numbers of rate 1, divided by the rate."""
        shape = self._extended_shape(sample_shape)
        value = standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=finfo(value.dtype).tiny)  # no gradient is lost by it
        return value

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        value = as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        self._checked(value)
        shape, rate = self.concentration, self.rate
        return shape.xlogy(rate) + (shape - 1).xlogy(value) - rate * value - shape.lgamma()  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        """By the logarithm of the gamma function and its derivative."""
        shape = self.concentration
        return shape - self.rate.log() + shape.lgamma() + (1.0 - shape) * shape.digamma()

    def cdf(self, value: Tensor) -> Tensor:
        """By the incomplete gamma function."""
        self._checked(value)
        return igamma(self.concentration, self.rate * value)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return (x + 1).lgamma() + (x + 1) * (-y.reciprocal()).log()


class Chi2(Gamma):
    """The sum of `df` squares of standard normal numbers.

    Args:
        df: the degrees of freedom, above 0.

    >>> tk.distributions.Chi2(3.0).mean
    tensor(3.)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#chi2
    """

    arg_constraints: ClassVar[Any] = {"df": constraints.positive}

    def __init__(self, df: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2


class StudentT(Distribution):
    """A normal number by the root of a mean of `df` squares of others.

    Args:
        df: the degrees of freedom, above 0. loc: the middle. scale: the width, above 0.

    >>> tk.distributions.StudentT(4.0).variance
    tensor(2.)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#studentt
    """

    arg_constraints: ClassVar[Any] = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(
        self,
        df: Tensor | float,
        loc: Tensor | float = 0.0,
        scale: Tensor | float = 1.0,
        validate_args: bool | None = None,
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        return self._expanded(StudentT, batch_shape, _instance, ("df", "loc", "scale", "_chi2"))

    @property
    def mean(self) -> Tensor:
        """`loc`; nan up to 1 degree of freedom."""
        mean = self.loc.clone(memory_format=contiguous_format)
        mean[self.df <= 1] = nan
        return mean

    @property
    def mode(self) -> Tensor:
        """`loc`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """scale ** 2 df / (df - 2); infinite up to 2 degrees of freedom, nan up to 1."""
        variance = self.df.clone(memory_format=contiguous_format)
        more = self.df > 2
        variance[more] = self.scale[more].pow(2) * self.df[more] / (self.df[more] - 2)
        variance[(self.df <= 2) & (self.df > 1)] = inf
        variance[self.df <= 1] = nan
        return variance

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Standard normal numbers by the roots of means of squares, scaled and moved."""
        shape = self._extended_shape(sample_shape)
        above = standard_normal(shape, self.df.dtype, self.df.device)
        below = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (above * (below / self.df).rsqrt())

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        self._checked(value)
        y = (value - self.loc) / self.scale
        normaliser = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        normaliser = normaliser + (0.5 * self.df).lgamma() - (0.5 * (self.df + 1.0)).lgamma()
        return -0.5 * (self.df + 1.0) * (y**2.0 / self.df).log1p() - normaliser

    def entropy(self) -> Tensor:
        """By the logarithm of the gamma function and its derivative."""
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        beta = half.lgamma() + math.lgamma(0.5) - more.lgamma()
        return self.scale.log() + more * (more.digamma() - half.digamma()) + 0.5 * self.df.log() + beta
