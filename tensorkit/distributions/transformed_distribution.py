"""`TransformedDistribution`: samples of a distribution, transformed.

Source: https://docs.pytorch.org/docs/stable/distributions.html#transformeddistribution
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tensorkit.autograd.grad_mode import no_grad
from tensorkit.distributions import constraints
from tensorkit.distributions.distribution import Distribution
from tensorkit.distributions.independent import Independent
from tensorkit.distributions.transforms.base import ComposeTransform, Transform
from tensorkit.distributions.utils import sum_rightmost
from tensorkit.size import Size
from tensorkit.tensor import Tensor


class TransformedDistribution(Distribution):
    """What samples of a distribution become under transforms; densities change by their Jacobians.

    Args:
        base_distribution: whose samples are transformed. transforms: one transform, or a list of them.

    Raises:
        ValueError: for anything but a transform, or a distribution with too few dimensions.

    >>> D = tk.distributions
    >>> logistic = D.TransformedDistribution(D.Uniform(0.0, 1.0), [D.SigmoidTransform().inv])
    >>> logistic.log_prob(tk.tensor(0.0))
    tensor(-1.3863)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#transformeddistribution
    """

    arg_constraints: ClassVar[Any] = {}

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        self.transforms = _listed(transforms)
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        base_event_dim = len(base_distribution.event_shape)
        transform = ComposeTransform(self.transforms)
        before, after = transform.domain.event_dim, transform.codomain.event_dim
        if len(base_shape) < before:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {before}, but got {base_shape}."
            )
        forward_shape = transform.forward_shape(base_shape)
        expanded = transform.inverse_shape(forward_shape)
        if base_shape != expanded:
            base_distribution = base_distribution.expand(expanded[: len(expanded) - base_event_dim])
        if before > base_event_dim:
            base_distribution = Independent(base_distribution, before - base_event_dim)
        self.base_dist = base_distribution
        event_dim = max(after, base_event_dim + after - before)
        if len(forward_shape) < event_dim:
            raise AssertionError(
                f"forward_shape length {len(forward_shape)} must be >= event_dim {event_dim}"
            )
        cut = len(forward_shape) - event_dim
        super().__init__(forward_shape[:cut], forward_shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        new = self._get_checked_instance(TransformedDistribution, _instance)
        batch_shape = Size(batch_shape)
        shape = batch_shape + self.event_shape
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms
        return self._made(new, batch_shape)

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        """Where the last transform leads to."""
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self.event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    @property
    def has_rsample(self) -> Any:
        """As the distribution that is transformed."""
        return self.base_dist.has_rsample

    def _forward(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Its samples, transformed, without a gradient."""
        with no_grad():
            made: Tensor = self._forward(self.base_dist.sample(sample_shape))
            return made

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Its samples, transformed."""
        made: Tensor = self._forward(self.base_dist.rsample(sample_shape))
        return made

    def log_prob(self, value: Tensor) -> Tensor:
        """The log density of the value before the transforms, less the log determinants of their Jacobians."""
        self._checked(value)
        event_dim, total, y = len(self.event_shape), 0.0, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            change = transform.log_abs_det_jacobian(x, y)
            total = total - sum_rightmost(change, event_dim - transform.domain.event_dim)
            y = x
        left = event_dim - len(self.base_dist.event_shape)
        result: Tensor = total + sum_rightmost(self.base_dist.log_prob(y), left)
        return result

    def _monotonize_cdf(self, value: Any) -> Any:
        """1 - value where the transforms fall."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        """The cdf of the value before the transforms."""
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        made: Tensor = self._monotonize_cdf(self.base_dist.cdf(value))
        return made

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile before the transforms, transformed."""
        made: Tensor = self._forward(self.base_dist.icdf(self._monotonize_cdf(value)))
        return made


def _listed(transforms: Any) -> list[Any]:
    if isinstance(transforms, Transform):
        return [transforms]
    if not isinstance(transforms, list):
        raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
    if not all(isinstance(one, Transform) for one in transforms):
        raise ValueError("transforms must be a Transform or a list of Transforms")
    return transforms
