"""Counts: `Binomial`, `Multinomial` and `Poisson`.

Source: https://docs.pytorch.org/docs/stable/distributions.html#binomial
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, ClassVar

from tensorkit.autograd.grad_mode import no_grad
from tensorkit.distributions import constraints
from tensorkit.distributions.distribution import Distribution, ExponentialFamily
from tensorkit.distributions.families.categorical import Categorical, check_either
from tensorkit.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits
from tensorkit.memory_format import contiguous_format
from tensorkit.ops.creation.full import ones_like
from tensorkit.ops.creation.ranges import arange
from tensorkit.ops.random.gamma import binomial
from tensorkit.ops.random.sampling import poisson
from tensorkit.ops.shared.tensor_data import tensor
from tensorkit.size import Size
from tensorkit.tensor import Tensor


class Binomial(Distribution):
    """How many of `total_count` independent tries succeed.

    Args:
        total_count: how many tries, not negative. probs: the probability of a success each time.
        logits: its log odds, instead of `probs`.

    >>> tk.distributions.Binomial(4, tk.tensor(0.5)).log_prob(tk.tensor(2.0)).exp()
    tensor(0.3750)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#binomial
    """

    arg_constraints: ClassVar[Any] = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self,
        total_count: Tensor | int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        check_either(probs, logits)
        if probs is not None:
            total, self.probs = broadcast_all(total_count, probs)
        else:
            total, self.logits = broadcast_all(total_count, logits)
        self._param = self.probs if probs is not None else self.logits
        self.total_count = total.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        new = self._expanded(Binomial, batch_shape, _instance, ("total_count", "probs", "logits"))
        new._param = new.__dict__["logits" if "logits" in new.__dict__ else "probs"]
        return new

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> constraints.Constraint:
        """Whole numbers from 0 to `total_count`."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        """n p."""
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        """(n + 1) p, rounded down."""
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        """n p (1 - p)."""
        return self.total_count * self.probs * (1 - self.probs)

    @lazy_property
    def logits(self) -> Tensor:
        """The log odds of a success."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of a success."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The size of the probabilities."""
        return self._param.size()  # type: ignore[no-any-return]

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Whole numbers, of the dtype of the probabilities."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """log(n! / k! / (n - k)!) + k log p + (n - k) log(1 - p), by logits that may be large."""
        self._checked(value)
        n, logits = self.total_count, self.logits
        positive_part = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        normaliser = n * positive_part + n * (-logits.abs()).exp().log1p() - (n + 1).lgamma()
        return value * logits - (value + 1).lgamma() - (n - value + 1).lgamma() - normaliser

    def _only_count(self, what: str) -> int:
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{what}`.")
        return count

    def entropy(self) -> Tensor:
        """By a sum over all counts."""
        self._only_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All counts, along a new first dimension."""
        count = self._only_count("enumerate_support")
        return self._enumerated(arange(1 + count, dtype=self._param.dtype, device=self._param.device), expand)


class Multinomial(Distribution):
    """How often each of several things comes out in `total_count` tries.

    Args:
        total_count: how many tries, one number for the whole batch.
        probs, logits: as for `Categorical`.

    >>> tk.distributions.Multinomial(10, tk.tensor([0.5, 0.5])).mean
    tensor([5., 5.])

    Source: https://docs.pytorch.org/docs/stable/distributions.html#multinomial
    """

    arg_constraints: ClassVar[Any] = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        new = self._get_checked_instance(Multinomial, _instance)
        batch_shape = Size(batch_shape)
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(batch_shape)
        return self._made(new, batch_shape)

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> constraints.Constraint:
        """Counts that sum to `total_count` at most."""
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        """n p."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        """n p (1 - p)."""
        return self.total_count * self.probs * (1 - self.probs)

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    @property
    def param_shape(self) -> Size:
        """The size of the probabilities."""
        return self._categorical.param_shape

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Counts, of the dtype of the probabilities."""
        sample_shape = Size(sample_shape)
        drawn = self._categorical.sample(Size((self.total_count,)) + sample_shape).movedim(0, -1)
        counts = drawn.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add_(-1, drawn, ones_like(drawn)).type_as(self.probs)

    def entropy(self) -> Tensor:
        """By sums over the counts of each thing."""
        n = tensor(self.total_count)
        counts = self._binomial.enumerate_support(expand=False)[1:]
        weighted = self._binomial.log_prob(counts).exp() * (counts + 1).lgamma()
        return n * self._categorical.entropy() - (n + 1).lgamma() + weighted.sum([0, -1])

    def log_prob(self, value: Tensor) -> Tensor:
        """log(n! / product of k!) + the sum of k log p."""
        self._checked(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone(memory_format=contiguous_format)
        orders = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        logits[(value == 0) & (logits == -inf)] = 0
        return orders + (logits * value).sum(-1)


class Poisson(ExponentialFamily):
    """How many events happen that are independent, `rate` of them on average.

    Args:
        rate: not negative.

    >>> tk.distributions.Poisson(2.0).log_prob(tk.tensor(0.0))
    tensor(-2.)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#poisson
    """

    arg_constraints: ClassVar[Any] = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        return self._expanded(Poisson, batch_shape, _instance, ("rate",))

    @property
    def mean(self) -> Tensor:
        """The rate."""
        return self.rate

    @property
    def mode(self) -> Tensor:
        """The rate, rounded down."""
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        """The rate."""
        return self.rate

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Whole numbers, of the dtype of the rate."""
        with no_grad():
            return poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """k log(rate) - rate - log(k!)."""
        self._checked(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.rate.log(),)

    def _log_normalizer(self, x: Any) -> Any:
        return x.exp()
