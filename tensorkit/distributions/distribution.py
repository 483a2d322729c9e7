"""What every distribution has: a batch of parameters, events, samples and log probabilities, each checked.

Source: https://docs.pytorch.org/docs/stable/distributions.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from tensorkit.autograd.api import grad
from tensorkit.autograd.grad_mode import no_grad
from tensorkit.distributions import constraints
from tensorkit.distributions.utils import lazy_property
from tensorkit.errors import warn
from tensorkit.size import Size
from tensorkit.tensor import Tensor

Own = TypeVar("Own", bound="Distribution")
_SINGLE = Size()


def _missing(own: Any) -> Any:
    raise NotImplementedError


class Distribution:
    """The base class of probability distributions: a whole batch of independent ones, with one tensor a parameter.

    Args:
        batch_shape: the size of the batch. event_shape: the size of one sample of one distribution.
        validate_args: whether parameters and values are checked; by default they are.

    Raises:
        ValueError: for a parameter that breaks its constraint.

    >>> normal = tk.distributions.Normal(tk.zeros(3), 1.0)
    >>> normal.batch_shape, normal.event_shape, normal.sample((2,)).shape
    (tensorkit.Size([3]), tensorkit.Size([]), tensorkit.Size([2, 3]))

    Source: https://docs.pytorch.org/docs/stable/distributions.html#distribution
    """

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args: bool = __debug__
    arg_constraints: ClassVar[Any] = property(_missing, doc="The constraint of each parameter, by its name.")
    support: Any = property(_missing, doc="The constraint that all samples satisfy.")

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions that are made from now on check their parameters and values."""
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Size = _SINGLE, event_shape: Size = _SINGLE, validate_args: bool | None = None
    ) -> None:
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _check_parameters(self) -> None:
        try:
            wanted = self.arg_constraints
        except NotImplementedError:
            wanted = {}
            warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                "initialize the distribution with `validate_args=False` to turn off validation."
            )
        for name, constraint in wanted.items():
            lazy = name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property)
            if lazy or constraints.is_dependent(constraint):
                continue  # made of another parameter, or not to be checked by itself
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) "
                    f"of distribution {self!r} to satisfy the constraint {constraint!r}, "
                    f"but found invalid values:\n{value}"
                )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch: its parameters are views that repeat."""
        raise NotImplementedError

    def _expanded(
        self,
        cls: type,
        batch_shape: Sequence[int],
        instance: Any,
        parameters: Sequence[str],
        event: Size = _SINGLE,
    ) -> Any:
        """What `expand` of a family returns: every one of its `parameters` that is known is expanded.

        Args:
            cls: the family. instance: what a subclass gives to be filled. event: the size of an event of a parameter.
        """
        new = self._get_checked_instance(cls, instance)
        batch_shape = Size(batch_shape)
        for name in parameters:
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(batch_shape + event))
        return self._made(new, batch_shape)

    def _made(self, new: Own, batch_shape: Size) -> Own:
        """Finish an expanded distribution: nothing in it has to be checked again."""
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def batch_shape(self) -> Size:
        """How many distributions there are."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The size of a sample of one of them."""
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        """What samples are on average."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most probable value."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The mean of the squared distance from the mean."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Random values, `sample_shape` of them for each distribution; no gradient goes through them."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Random values as a function of the parameters (reparameterised), to which gradients go back."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """The older spelling of ``sample((n,))``."""
        warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning)
        return self.sample(Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability (density) of `value`."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of a sample that is not above `value`."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: the inverse of `cdf`."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution, along a new first dimension."""
        raise NotImplementedError

    def _enumerated(self, values: Tensor, expand: bool) -> Tensor:
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def entropy(self) -> Tensor:
        """The mean of -`log_prob`, for each distribution of the batch."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """e to the power of the entropy."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Sequence[int] = Size()) -> Size:
        return Size(Size(sample_shape) + self._batch_shape + self._event_shape)

    def _validate_sample(self, value: Any) -> None:
        """Refuse a value that no sample could be."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        start = value.dim() - len(self._event_shape)
        if value.size()[start:] != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.size()} vs {self._event_shape}."
            )
        expected = self._batch_shape + self._event_shape
        for own, other in zip(reversed(value.size()), reversed(expected), strict=False):
            if own != 1 and other != 1 and own != other:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.size()} vs {expected}."
                )
        try:
            support = self.support
        except NotImplementedError:
            warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation."
            )
            return
        if support is None:
            raise AssertionError("support is unexpectedly None")
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) "
                f"to be within the support ({support!r}) of the distribution {self!r}, "
                f"but found invalid values:\n{value}"
            )

    def _checked(self, value: Any) -> None:
        if self._validate_args:
            self._validate_sample(value)

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        if _instance is None and type(self).__init__ != cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom __init__ method "
                "must also define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def __repr__(self) -> str:
        known = {name: self.__dict__[name] for name in self.arg_constraints if name in self.__dict__}
        shown = [f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in known.items()]
        return f"{self.__class__.__name__}({', '.join(shown)})"


class ExponentialFamily(Distribution):
    """Distributions whose density is exp(<natural parameters, statistics> - log normaliser + carrier measure).

    Entropy and KL divergence follow from the derivatives of the log normaliser.

    >>> issubclass(tk.distributions.Normal, tk.distributions.ExponentialFamily)
    True

    Source: https://docs.pytorch.org/docs/stable/distributions.html#exponentialfamily
    """

    _mean_carrier_measure: Any = property(_missing)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy, by the derivatives of the log normaliser (Bregman divergence)."""
        result = -self._mean_carrier_measure
        natural = [one.detach().requires_grad_() for one in self._natural_params]
        normaliser = self._log_normalizer(*natural)
        slopes = grad(normaliser.sum(), natural, create_graph=True)
        result += normaliser
        for one, slope in zip(natural, slopes, strict=True):
            result -= (one * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return result  # type: ignore[no-any-return]
