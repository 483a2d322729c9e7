"""Families that are others, transformed: `LogNormal`, `HalfNormal`, `HalfCauchy` and `Gumbel`.

Source: https://docs.pytorch.org/docs/stable/distributions.html
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import inf
from typing import Any, ClassVar

from tensorkit.distributions import constraints
from tensorkit.distributions.families.normal import Normal
from tensorkit.distributions.families.real_line import Cauchy, Uniform
from tensorkit.distributions.transformed_distribution import TransformedDistribution
from tensorkit.distributions.transforms.elementwise import AbsTransform, AffineTransform, ExpTransform
from tensorkit.distributions.utils import broadcast_all, euler_constant, is_number
from tensorkit.finfo import finfo
from tensorkit.ops.creation.full import full, full_like, ones_like, zeros_like
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.tensor_data import as_tensor
from tensorkit.tensor import Tensor


class LogNormal(TransformedDistribution):
    """Numbers whose logarithms are normally distributed.

    Args:
        loc, scale: the mean and the standard deviation of the logarithms.

    >>> tk.distributions.LogNormal(0.0, 1.0).mean
    tensor(1.6487)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#lognormal
    """

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        return super().expand(batch_shape, self._get_checked_instance(LogNormal, _instance))

    @property
    def loc(self) -> Tensor:
        """The mean of the logarithms."""
        return self.base_dist.loc  # type: ignore[no-any-return]

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the logarithms."""
        return self.base_dist.scale  # type: ignore[no-any-return]

    @property
    def mean(self) -> Tensor:
        """exp(loc + scale ** 2 / 2)."""
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Tensor:
        """exp(loc - scale ** 2)."""
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Tensor:
        """(exp(scale ** 2) - 1) exp(2 loc + scale ** 2)."""
        squared = self.scale.pow(2)
        return squared.expm1() * (2 * self.loc + squared).exp()

    def entropy(self) -> Tensor:
        """The entropy of the logarithms, plus their mean."""
        return self.base_dist.entropy() + self.loc  # type: ignore[no-any-return]


class _Half(TransformedDistribution):
    """Absolute values of numbers that are distributed alike to both sides of 0."""

    arg_constraints: ClassVar[Any] = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    @property
    def scale(self) -> Tensor:
        """The scale of the base distribution."""
        return self.base_dist.scale  # type: ignore[no-any-return]

    @property
    def mode(self) -> Tensor:
        """0."""
        return zeros_like(self.scale)

    def log_prob(self, value: Tensor) -> Tensor:
        """Twice the density; -inf below 0."""
        self._checked(value)
        return where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -inf)  # type: ignore[no-any-return]

    def cdf(self, value: Tensor) -> Tensor:
        """Twice what is above one half."""
        self._checked(value)
        return 2 * self.base_dist.cdf(value) - 1  # type: ignore[no-any-return]

    def icdf(self, prob: Tensor) -> Tensor:
        """A quantile of the upper half."""
        return self.base_dist.icdf((prob + 1) / 2)  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        """The entropy of the base distribution, less log 2."""
        return self.base_dist.entropy() - math.log(2)  # type: ignore[no-any-return]


class HalfNormal(_Half):
    """Absolute values of normally distributed numbers of mean 0.

    Args:
        scale: their standard deviation.

    >>> tk.distributions.HalfNormal(1.0).mean
    tensor(0.7979)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#halfnormal
    """

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        return super().expand(batch_shape, self._get_checked_instance(HalfNormal, _instance))

    @property
    def mean(self) -> Tensor:
        """scale, times the root of 2 / pi."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        """scale ** 2 (1 - 2 / pi)."""
        return self.scale.pow(2) * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """Absolute values of `Cauchy` distributed numbers of median 0.

    Args:
        scale: the median of the absolute values.

    >>> tk.distributions.HalfCauchy(1.0).cdf(tk.tensor(1.0))
    tensor(0.5000)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#halfcauchy
    """

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        return super().expand(batch_shape, self._get_checked_instance(HalfCauchy, _instance))

    @property
    def mean(self) -> Tensor:
        """Infinite."""
        return full(self._extended_shape(), inf, dtype=self.scale.dtype, device=self.scale.device)

    @property
    def variance(self) -> Tensor:
        """Infinite."""
        return self.base_dist.variance  # type: ignore[no-any-return]

    def log_prob(self, value: Any) -> Tensor:
        """Twice the density; -inf below 0."""
        self._checked(value)
        return super().log_prob(as_tensor(value, dtype=self.scale.dtype, device=self.scale.device))


class Gumbel(TransformedDistribution):
    """The largest of many numbers.

    Args:
        loc: the most probable value. scale: the width, above 0.

    >>> tk.distributions.Gumbel(0.0, 1.0).mean
    tensor(0.5772)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#gumbel
    """

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = finfo(self.loc.dtype)
        low, high = limits.tiny, 1 - limits.eps
        if is_number(loc, scale):
            base = Uniform(low, high, validate_args=validate_args)
        else:
            bounds = full_like(self.loc, low), full_like(self.loc, high)
            base = Uniform(*bounds, validate_args=validate_args)
        steps = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=loc, scale=-self.scale),
        ]
        super().__init__(base, steps, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        new = self._get_checked_instance(Gumbel, _instance)
        new.loc = self.loc.expand(batch_shape)
        new.scale = self.scale.expand(batch_shape)
        return super().expand(batch_shape, new)

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        self._checked(value)
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    @property
    def mean(self) -> Tensor:
        """loc + scale, times Euler's constant."""
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        """`loc`."""
        return self.loc

    @property
    def stddev(self) -> Tensor:
        """pi scale by the root of 6."""
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self) -> Tensor:
        """Its square."""
        return self.stddev.pow(2)

    def entropy(self) -> Tensor:
        """log(scale) + 1 + Euler's constant."""
        return self.scale.log() + (1 + euler_constant)
