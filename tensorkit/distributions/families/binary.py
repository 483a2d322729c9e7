"""Success or failure: `Bernoulli`, and `Geometric`, the failures before a success.

Source: https://docs.pytorch.org/docs/stable/distributions.html#bernoulli
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any, ClassVar

from tensorkit.autograd.grad_mode import no_grad
from tensorkit.distributions import constraints
from tensorkit.distributions.distribution import Distribution, ExponentialFamily
from tensorkit.distributions.families.categorical import check_either
from tensorkit.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits
from tensorkit.finfo import finfo
from tensorkit.memory_format import contiguous_format
from tensorkit.nn.functional import binary_cross_entropy_with_logits
from tensorkit.ops.creation.full import zeros_like
from tensorkit.ops.creation.ranges import arange
from tensorkit.ops.random.bernoulli import bernoulli
from tensorkit.size import Size
from tensorkit.tensor import Tensor


class Bernoulli(ExponentialFamily):
    """1 with a probability, otherwise 0.

    Args:
        probs: the probability of a 1. logits: its log odds, instead of `probs`.

    >>> tk.distributions.Bernoulli(0.25).log_prob(tk.tensor([0.0, 1.0]))
    tensor([-0.2877, -1.3863])

    Source: https://docs.pytorch.org/docs/stable/distributions.html#bernoulli
    """

    arg_constraints: ClassVar[Any] = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        check_either(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
        else:
            (self.logits,) = broadcast_all(logits)
        self._param = self.probs if probs is not None else self.logits
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        new = self._expanded(Bernoulli, batch_shape, _instance, ("probs", "logits"))
        new._param = new.__dict__["logits" if "logits" in new.__dict__ else "probs"]
        return new

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)

    @property
    def mean(self) -> Tensor:
        """The probability of a 1."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The more probable of both; nan where they are equally probable."""
        mode = (self.probs >= 0.5).to(self.probs)
        mode[self.probs == 0.5] = nan
        return mode

    @property
    def variance(self) -> Tensor:
        """p (1 - p)."""
        return self.probs * (1 - self.probs)

    @lazy_property
    def logits(self) -> Tensor:
        """The log odds of a 1."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of a 1."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The size of the probabilities."""
        return self._param.size()  # type: ignore[no-any-return]

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Zeros and ones of the dtype of the probabilities."""
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of 0 or 1."""
        self._checked(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        """-p log p - (1 - p) log (1 - p)."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """0 and 1, along a new first dimension."""
        return self._enumerated(arange(2, dtype=self._param.dtype, device=self._param.device), expand)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.probs.logit(),)

    def _log_normalizer(self, x: Any) -> Any:
        return x.exp().log1p()


class Geometric(Distribution):
    """How many tries fail before the first succeeds.

    Args:
        probs: the probability of a success, above 0. logits: its log odds, instead of `probs`.

    >>> tk.distributions.Geometric(0.25).mean
    tensor(3.)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#geometric
    """

    arg_constraints: ClassVar[Any] = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        check_either(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
        else:
            (self.logits,) = broadcast_all(logits)
        super().__init__(
            (self.probs if probs is not None else self.logits).size(), validate_args=validate_args
        )
        if self._validate_args and probs is not None and not (valid := self.probs > 0).all():
            value = self.probs
            raise ValueError(
                f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                f"{self!r} to be positive but found invalid values:\n{value.data[~valid]}"
            )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        return self._expanded(Geometric, batch_shape, _instance, ("probs", "logits"))

    @property
    def mean(self) -> Tensor:
        """1 / p - 1."""
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        """0."""
        return zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        """(1 / p - 1) / p."""
        return (1.0 / self.probs - 1.0) / self.probs

    @lazy_property
    def logits(self) -> Tensor:
        """The log odds of a success."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of a success."""
        return logits_to_probs(self.logits, is_binary=True)

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Whole numbers, of the dtype of the probabilities."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            u = self.probs.new_empty(shape).uniform_(finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        """value log(1 - p) + log(p)."""
        self._checked(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone(memory_format=contiguous_format)
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        """The entropy of one try, times the mean number of tries."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
