"""`Independent`: the last dimensions of a batch as one event.

Source: https://docs.pytorch.org/docs/stable/distributions.html#independent
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from tensorkit.distributions import constraints
from tensorkit.distributions.distribution import Distribution
from tensorkit.distributions.utils import sum_rightmost
from tensorkit.size import Size
from tensorkit.tensor import Tensor

D = TypeVar("D", bound=Distribution)


class Independent(Distribution, Generic[D]):
    """Independent distributions as one of vectors: log probabilities are summed over the last batch dimensions.

    Args:
        base_distribution: the batch. reinterpreted_batch_ndims: how many of its dimensions.

    >>> D = tk.distributions
    >>> D.Independent(D.Normal(tk.zeros(3), 1.0), 1).log_prob(tk.zeros(3))
    tensor(-2.7568)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#independent
    """

    arg_constraints: ClassVar[Any] = {}
    base_dist: D

    def __init__(
        self, base_distribution: D, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        if reinterpreted_batch_ndims > (most := len(base_distribution.batch_shape)):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {most}"
            )
        shape = base_distribution.batch_shape + base_distribution.event_shape
        cut = most - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        new = self._get_checked_instance(Independent, _instance)
        batch_shape = Size(batch_shape)
        more = self.event_shape[: self.reinterpreted_batch_ndims]
        new.base_dist = self.base_dist.expand(batch_shape + more)
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims
        return self._made(new, batch_shape)

    @property
    def has_rsample(self) -> Any:
        """As the batch."""
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> Any:
        """As the batch, if no dimension is taken of it."""
        return False if self.reinterpreted_batch_ndims > 0 else self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Any:
        """The base distribution's support, checked for a whole event."""
        more = self.reinterpreted_batch_ndims
        return constraints.independent(self.base_dist.support, more) if more else self.base_dist.support

    @property
    def mean(self) -> Tensor:
        """As the batch."""
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        """As the batch."""
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        """As the batch."""
        return self.base_dist.variance

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """As the batch."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """As the batch."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """The sum over an event."""
        total: Tensor = sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)
        return total

    def entropy(self) -> Tensor:
        """The sum over an event."""
        total: Tensor = sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)
        return total

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """As the batch, if no dimension is taken of it."""
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
