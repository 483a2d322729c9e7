"""Choices among several things: `Categorical`, `OneHotCategorical`.

Source: https://docs.pytorch.org/docs/stable/distributions.html#categorical
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any, ClassVar

from tensorkit import dtypes
from tensorkit.distributions import constraints
from tensorkit.distributions.distribution import Distribution
from tensorkit.distributions.utils import lazy_property, logits_to_probs, probs_to_logits
from tensorkit.finfo import finfo
from tensorkit.ops.creation.eye import eye
from tensorkit.ops.creation.full import full
from tensorkit.ops.creation.ranges import arange
from tensorkit.ops.random.sampling import multinomial
from tensorkit.ops.views.expand_squeeze import broadcast_tensors
from tensorkit.size import Size
from tensorkit.tensor import Tensor


def check_either(probs: Any, logits: Any) -> None:
    """Refuse a distribution that is given neither probabilities nor logits, or both."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class Categorical(Distribution):
    """One of several things, numbered from 0, by their probabilities.

    Args:
        probs: not negative, along the last dimension; they are divided by their sum.
        logits: logarithms of probabilities that need not sum to 1, instead of `probs`.

    >>> choice = tk.distributions.Categorical(tk.tensor([0.25, 0.25, 0.5]))
    >>> choice.log_prob(tk.tensor(2)), choice.entropy()
    (tensor(-0.6931), tensor(1.0397))

    Source: https://docs.pytorch.org/docs/stable/distributions.html#categorical
    """

    arg_constraints: ClassVar[Any] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        check_either(probs, logits)
        name, given = ("probs", probs) if probs is not None else ("logits", logits)
        assert given is not None
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if name == "probs":
            self.probs = given / given.sum(-1, keepdim=True)
        else:
            self.logits = given - given.logsumexp(dim=-1, keepdim=True)
        self._param = self.__dict__[name]
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same choice for a larger batch."""
        new = self._expanded(
            Categorical, batch_shape, _instance, ("probs", "logits"), Size((self._num_events,))
        )
        new._param = new.__dict__["logits" if "logits" in new.__dict__ else "probs"]
        new._num_events = self._num_events
        return new

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)  # type: ignore[no-any-return]

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> constraints.Constraint:
        """The numbers of the things."""
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return logits_to_probs(self.logits)

    @property
    def param_shape(self) -> Size:
        """The size of the probabilities."""
        return self._param.size()  # type: ignore[no-any-return]

    @property
    def mean(self) -> Tensor:
        """Not a number: things have no mean."""
        return full(self._extended_shape(), nan, dtype=self.probs.dtype, device=self.probs.device)

    @property
    def mode(self) -> Tensor:
        """The most probable thing."""
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Tensor:
        """Not a number."""
        return self.mean

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Numbers of things, int64."""
        sample_shape = Size(sample_shape)
        chosen = multinomial(self.probs.reshape(-1, self._num_events), sample_shape.numel(), True).T
        return chosen.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of a thing."""
        self._checked(value)
        value, logs = broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logs.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        """The sum of -p log p, where 0 log 0 is 0."""
        return -(self.logits.clamp(min=finfo(self.logits.dtype).min) * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All things, along a new first dimension."""
        return self._enumerated(
            arange(self._num_events, dtype=dtypes.int64, device=self._param.device), expand
        )


class OneHotCategorical(Distribution):
    """One of several things, as a vector of zeros with a 1 at its number.

    Args:
        probs, logits: as for `Categorical`.

    >>> tk.distributions.OneHotCategorical(tk.tensor([0.0, 1.0, 0.0])).sample()
    tensor([0., 1., 0.])

    Source: https://docs.pytorch.org/docs/stable/distributions.html#onehotcategorical
    """

    arg_constraints: ClassVar[Any] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same choice for a larger batch."""
        new = self._get_checked_instance(OneHotCategorical, _instance)
        batch_shape = Size(batch_shape)
        new._categorical = self._categorical.expand(batch_shape)
        return self._made(new, batch_shape)

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    @property
    def _param(self) -> Tensor:
        return self._categorical._param  # type: ignore[no-any-return]

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """Their logarithms."""
        return self._categorical.logits

    @property
    def mean(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    @property
    def mode(self) -> Tensor:
        """A 1 at the most probable thing."""
        return one_hot(self._categorical.mode, self.probs)

    @property
    def variance(self) -> Tensor:
        """p (1 - p) for each thing."""
        return self.probs * (1 - self.probs)

    @property
    def param_shape(self) -> Size:
        """The size of the probabilities."""
        return self._categorical.param_shape

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Vectors with a single 1, of the dtype of the probabilities."""
        return one_hot(self._categorical.sample(sample_shape), self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of the thing at which the 1 is."""
        self._checked(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        """As for `Categorical`."""
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All vectors with a single 1, along a new first dimension."""
        n = self.event_shape[0]
        values = eye(n, dtype=self._param.dtype, device=self._param.device)
        values = values.view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n, *self.batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical` with samples that pass gradients to the probabilities as if they were them.

    >>> p = tk.tensor([0.0, 1.0], requires_grad=True)
    >>> tk.distributions.OneHotCategoricalStraightThrough(p).rsample()
    tensor([0., 1.], grad_fn=<AddBackward0>)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#onehotcategorical
    """

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """A sample, plus probabilities that cancel out."""
        samples = self.sample(sample_shape)
        return samples + (self.probs - self.probs.detach())


def one_hot(chosen: Tensor, like: Tensor) -> Tensor:
    """Zeros with a 1 at `chosen` along a last dimension: as many as `like` has, and of its dtype."""
    made = chosen.new_zeros((*chosen.shape, like.shape[-1]))
    return made.scatter_(-1, chosen.unsqueeze(-1), 1).to(like)
