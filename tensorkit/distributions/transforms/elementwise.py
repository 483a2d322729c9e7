"""Transforms of single numbers.

Source: https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.transforms
"""

from __future__ import annotations

import math
from typing import Any

from tensorkit.distributions import constraints
from tensorkit.distributions.transforms.base import Transform
from tensorkit.distributions.utils import broadcast_all, is_number, lazy_property
from tensorkit.finfo import finfo
from tensorkit.nn.functional import softplus
from tensorkit.ops.creation.full import full_like
from tensorkit.ops.rearranging.unravel_index import broadcast_shapes


class _OfNumbers(Transform):
    """A transform without parameters: two of a class are equal."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    __hash__ = None


class ExpTransform(_OfNumbers):
    """y = exp(x).

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.ExpTransform
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The value itself."""
        return x


class PowerTransform(Transform):
    """y = x ** exponent.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.PowerTransform
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def _given(self) -> tuple[Any, ...]:
        return (self.exponent,)

    @lazy_property
    def sign(self) -> Any:
        """The sign of the exponent."""
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all().item())

    __hash__ = None

    def _call(self, x: Any) -> Any:
        return x.pow(self.exponent)

    def _inverse(self, y: Any) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """log |exponent y / x|."""
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        """Broadcast with the exponent."""
        return broadcast_shapes(shape, self.exponent.shape)

    def inverse_shape(self, shape: Any) -> Any:
        """Broadcast with the exponent."""
        return broadcast_shapes(shape, self.exponent.shape)


def clipped_sigmoid(x: Any) -> Any:
    """The logistic function, kept off 0 and 1."""
    limits = finfo(x.dtype)
    return x.sigmoid().clamp(min=limits.tiny, max=1.0 - limits.eps)


class SigmoidTransform(_OfNumbers):
    """y = 1 / (1 + exp(-x)).

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.SigmoidTransform
    """

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1

    def _call(self, x: Any) -> Any:
        return clipped_sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        limits = finfo(y.dtype)
        y = y.clamp(min=limits.tiny, max=1.0 - limits.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """-log(1 + exp(-x)) - log(1 + exp(x))."""
        return -softplus(-x) - softplus(x)


class SoftplusTransform(_OfNumbers):
    """y = log(1 + exp(x)); x itself above 20.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.SoftplusTransform
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x: Any) -> Any:
        return softplus(x)

    def _inverse(self, y: Any) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """-log(1 + exp(-x))."""
        return -softplus(-x)


class TanhTransform(_OfNumbers):
    """y = tanh(x); as the inverse of a value close to 1 or -1 is inexact, a cache of 1 is of use.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.TanhTransform
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """log(1 - tanh(x) ** 2), in a form that does not cancel."""
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(_OfNumbers):
    """y = |x|, which has no inverse: a result is taken for its own value.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.AbsTransform
    """

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return x.abs()

    def _inverse(self, y: Any) -> Any:
        return y


class AffineTransform(Transform):
    """y = loc + scale x.

    Args:
        loc, scale: numbers or tensors. event_dim: how many of the last dimensions make one value.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.AffineTransform
    """

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    def _given(self) -> tuple[Any, ...]:
        return self.loc, self.scale, self.event_dim

    @property
    def event_dim(self) -> int:
        """As it was given."""
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """Real numbers, or tensors of them."""
        return (
            constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real
        )

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """As the domain."""
        return self.domain

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        pairs = (self.loc, other.loc), (self.scale, other.scale)
        return all(a == b if is_number(a, b) else bool((a == b).all().item()) for a, b in pairs)

    __hash__ = None

    @property
    def sign(self) -> Any:
        """The sign of `scale`."""
        if is_number(self.scale):
            return (self.scale > 0) - (self.scale < 0)
        return self.scale.sign()

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """log |scale|, summed over an event."""
        shape = x.shape
        number = is_number(self.scale)
        result = full_like(x, math.log(abs(self.scale))) if number else self.scale.abs().log()
        if self.event_dim:
            result = result.view((*result.size()[: -self.event_dim], -1)).sum(-1)
            shape = shape[: -self.event_dim]
        return result.expand(shape)

    def _broadcast(self, shape: Any) -> Any:
        return broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    def forward_shape(self, shape: Any) -> Any:
        """Broadcast with `loc` and `scale`."""
        return self._broadcast(shape)

    def inverse_shape(self, shape: Any) -> Any:
        """Broadcast with `loc` and `scale`."""
        return self._broadcast(shape)


class CumulativeDistributionTransform(Transform):
    """y = the probability, by a distribution, of a sample that is not above x.

    Args:
        distribution: whose `cdf` and `icdf` are used.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.CumulativeDistributionTransform
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    def _given(self) -> tuple[Any, ...]:
        return (self.distribution,)

    @property
    def domain(self) -> Any:
        """The support of the distribution."""
        return self.distribution.support

    def _call(self, x: Any) -> Any:
        return self.distribution.cdf(x)

    def _inverse(self, y: Any) -> Any:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The logarithm of the density."""
        return self.distribution.log_prob(x)
