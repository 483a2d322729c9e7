"""Probabilities as random values: `Dirichlet`, and `Beta` for two of them.

Source: https://docs.pytorch.org/docs/stable/distributions.html#dirichlet
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tensorkit.autograd.function import Function, once_differentiable
from tensorkit.distributions import constraints
from tensorkit.distributions.distribution import ExponentialFamily
from tensorkit.distributions.families.categorical import one_hot
from tensorkit.distributions.utils import broadcast_all, is_number
from tensorkit.ops.joining.stack import stack
from tensorkit.ops.random.gamma import dirichlet_grad, sample_dirichlet
from tensorkit.ops.shared.tensor_data import tensor
from tensorkit.size import Size
from tensorkit.tensor import Tensor


class _Dirichlet(Function):
    """A sample, with the derivative that a change of the concentrations would have at the same quantile."""

    @staticmethod
    def forward(ctx: Any, concentration: Any) -> Any:
        """Vectors that sum to 1."""
        x = sample_dirichlet(concentration)
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Any) -> Any:
        """The gradient of the concentrations."""
        x, concentration = ctx.saved_tensors
        total = concentration.sum(-1, True).expand_as(concentration)
        grad = dirichlet_grad(x, concentration, total)
        return grad * (grad_output - (x * grad_output).sum(-1, True))


class Dirichlet(ExponentialFamily):
    """Vectors of probabilities.

    Args:
        concentration: above 0, along the last dimension; the larger, the closer samples are to the mean.

    >>> tk.distributions.Dirichlet(tk.tensor([1.0, 3.0])).mean
    tensor([0.2500, 0.7500])

    Source: https://docs.pytorch.org/docs/stable/distributions.html#dirichlet
    """

    arg_constraints: ClassVar[Any] = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        return self._expanded(Dirichlet, batch_shape, _instance, ("concentration",), self.event_shape)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Vectors that sum to 1."""
        made: Tensor = _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))
        return made

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        self._checked(value)
        shape = self.concentration
        return (shape - 1.0).xlogy(value).sum(-1) + shape.sum(-1).lgamma() - shape.lgamma().sum(-1)

    @property
    def mean(self) -> Tensor:
        """The concentrations, divided by their sum."""
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        """The same of what they are above 1; a corner where all are below."""
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        below = (self.concentration < 1).all(dim=-1)
        mode[below] = one_hot(mode[below].argmax(dim=-1), above)
        return mode

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self) -> Tensor:
        """By the logarithm of the gamma function and its derivative."""
        shape, k = self.concentration, self.concentration.size(-1)
        total = shape.sum(-1)
        inner = shape.lgamma().sum(-1) - total.lgamma() - (k - total) * total.digamma()
        return inner - ((shape - 1.0) * shape.digamma()).sum(-1)  # type: ignore[no-any-return]

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.concentration,)

    def _log_normalizer(self, x: Any) -> Any:
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()


class Beta(ExponentialFamily):
    """Numbers between 0 and 1: the first of two probabilities that are `Dirichlet` distributed.

    Args:
        concentration1, concentration0: the two concentrations, above 0.

    >>> tk.distributions.Beta(1.0, 3.0).mean
    tensor(0.2500)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#beta
    """

    arg_constraints: ClassVar[Any] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        if is_number(concentration1, concentration0):
            both = tensor([float(concentration1), float(concentration0)])
        else:
            both = stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        new = self._get_checked_instance(Beta, _instance)
        batch_shape = Size(batch_shape)
        new._dirichlet = self._dirichlet.expand(batch_shape)
        return self._made(new, batch_shape)

    @property
    def concentration1(self) -> Tensor:
        """The first concentration."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Tensor:
        """The second concentration."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> Tensor:
        """The first by the sum of both."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        """The mode of the pair."""
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        """a b / ((a + b) ** 2 (a + b + 1))."""
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """The first of two probabilities."""
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Tensor) -> Tensor:
        """The log density of the pair `value` and 1 - `value`."""
        self._checked(value)
        return self._dirichlet.log_prob(stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        """The entropy of the pair."""
        return self._dirichlet.entropy()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return x.lgamma() + y.lgamma() - (x + y).lgamma()
