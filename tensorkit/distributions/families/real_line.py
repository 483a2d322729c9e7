"""Numbers of the real line: `Uniform`, `Exponential`, `Laplace` and `Cauchy`.

Source: https://docs.pytorch.org/docs/stable/distributions.html
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import inf, nan
from typing import Any, ClassVar

from tensorkit.distributions import constraints
from tensorkit.distributions.distribution import Distribution, ExponentialFamily
from tensorkit.distributions.utils import broadcast_all
from tensorkit.finfo import finfo
from tensorkit.ops.creation.full import full, zeros_like
from tensorkit.ops.random.rand import rand
from tensorkit.size import Size
from tensorkit.tensor import Tensor


class Uniform(Distribution):
    """Numbers from `low` to `high`, each as probable as any other.

    Args:
        low, high: the bounds, of which `high` is not among the samples.

    >>> tk.distributions.Uniform(0.0, 4.0).log_prob(tk.tensor([1.0, 3.0])).exp()
    tensor([0.2500, 0.2500])

    Source: https://docs.pytorch.org/docs/stable/distributions.html#uniform
    """

    has_rsample = True

    def __init__(self, low: Tensor | float, high: Tensor | float, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        return self._expanded(Uniform, batch_shape, _instance, ("low", "high"))

    @property
    def arg_constraints(self) -> Any:
        """Each bound by the other."""
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.Constraint:
        """Between the bounds."""
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        """The middle."""
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        """Not a number: there is no most probable one."""
        return nan * self.high

    @property
    def stddev(self) -> Tensor:
        """The width by the root of 12."""
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        """The square of the width by 12."""
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Numbers from [0, 1), stretched and moved."""
        drawn = rand(self._extended_shape(sample_shape), dtype=self.low.dtype, device=self.low.device)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        """-log(high - low); -inf outside."""
        self._checked(value)
        inside = self.low.le(value).type_as(self.low).mul(self.high.gt(value).type_as(self.low))
        return inside.log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        """The part of the width that is below."""
        self._checked(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        """`value` of the way from `low` to `high`."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        """log(high - low)."""
        return (self.high - self.low).log()


class Exponential(ExponentialFamily):
    """How long to wait for an event that comes `rate` times on average in a unit of time.

    Args:
        rate: above 0.

    >>> tk.distributions.Exponential(2.0).mean
    tensor(0.5000)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#exponential
    """

    arg_constraints: ClassVar[Any] = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        return self._expanded(Exponential, batch_shape, _instance, ("rate",))

    @property
    def mean(self) -> Tensor:
        """1 / rate."""
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        """0."""
        return zeros_like(self.rate)

    @property
    def stddev(self) -> Tensor:
        """1 / rate."""
        return self.rate.reciprocal()

    @property
    def variance(self) -> Tensor:
        """1 / rate ** 2."""
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Numbers of rate 1, divided by the rate."""
        return self.rate.new_empty(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        """log(rate) - rate value."""
        self._checked(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        """1 - exp(-rate value)."""
        self._checked(value)
        return 1 - (-self.rate * value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        """-log(1 - value) / rate."""
        return -(-value).log1p() / self.rate

    def entropy(self) -> Tensor:
        """1 - log(rate)."""
        return 1.0 - self.rate.log()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (-self.rate,)

    def _log_normalizer(self, x: Any) -> Any:
        return -(-x).log()


class Laplace(Distribution):
    """Numbers whose distance from `loc`, to both sides, is exponentially distributed.

    Args:
        loc: the mean. scale: the mean distance, above 0.

    >>> tk.distributions.Laplace(0.0, 1.0).variance
    tensor(2.)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#laplace
    """

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        return self._expanded(Laplace, batch_shape, _instance, ("loc", "scale"))

    @property
    def mean(self) -> Tensor:
        """`loc`."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """`loc`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """2 scale ** 2."""
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        """The root of 2, times scale."""
        return 2**0.5 * self.scale

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """By the inverse of the distribution function, of numbers from (-1, 1)."""
        shape = self._extended_shape(sample_shape)
        u = self.loc.new_empty(shape).uniform_(finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value: Tensor) -> Tensor:
        """-log(2 scale) - |value - loc| / scale."""
        self._checked(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        """Half of an exponential to each side."""
        self._checked(value)
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * (-away.abs() / self.scale).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of `cdf`."""
        term = value - 0.5
        return self.loc - self.scale * term.sign() * (-2 * term.abs()).log1p()

    def entropy(self) -> Tensor:
        """1 + log(2 scale)."""
        return 1 + (2 * self.scale).log()


class Cauchy(Distribution):
    """The quotient of two normally distributed numbers: it has neither a mean nor a variance.

    Args:
        loc: the median. scale: the distance within which half of the samples lie, above 0.

    >>> tk.distributions.Cauchy(0.0, 1.0).cdf(tk.tensor(1.0))
    tensor(0.7500)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#cauchy
    """

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        return self._expanded(Cauchy, batch_shape, _instance, ("loc", "scale"))

    @property
    def mean(self) -> Tensor:
        """Not a number."""
        return full(self._extended_shape(), nan, dtype=self.loc.dtype, device=self.loc.device)

    @property
    def mode(self) -> Tensor:
        """`loc`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """Infinite."""
        return full(self._extended_shape(), inf, dtype=self.loc.dtype, device=self.loc.device)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Standard numbers, scaled and moved."""
        eps = self.loc.new_empty(self._extended_shape(sample_shape)).cauchy_()
        return self.loc + eps * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """-log(pi scale) - log(1 + ((value - loc) / scale) ** 2)."""
        self._checked(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        """By the inverse of the tangent."""
        self._checked(value)
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        """By the tangent."""
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Tensor:
        """log(4 pi scale)."""
        return math.log(4 * math.pi) + self.scale.log()
