"""Formulas of `kl_divergence` for distributions of two families.

Source: https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.kl
"""

from __future__ import annotations

import math
from math import inf
from typing import Any

from tensorkit.distributions.families.binary import Bernoulli
from tensorkit.distributions.families.counts import Binomial, Poisson
from tensorkit.distributions.families.dirichlet import Beta
from tensorkit.distributions.families.gamma import Gamma
from tensorkit.distributions.families.normal import Normal
from tensorkit.distributions.families.real_line import Exponential, Laplace, Uniform
from tensorkit.distributions.families.transformed import Gumbel
from tensorkit.distributions.kl import register_kl
from tensorkit.distributions.utils import euler_constant
from tensorkit.ops.creation.full import full_like

# Where the first has samples that the second cannot have, and a parameter that has the size of the result.
_INFINITE: tuple[tuple[Any, str, tuple[Any, ...]], ...] = (
    (Exponential, "rate", (Beta, Uniform)),
    (Gamma, "concentration", (Beta, Uniform)),
    (Gumbel, "loc", (Beta, Exponential, Gamma, Uniform)),
    (Laplace, "loc", (Beta, Exponential, Gamma, Uniform)),
    (Normal, "loc", (Beta, Exponential, Gamma, Uniform)),
    (Poisson, "rate", (Bernoulli, Binomial)),
)


def _register_infinite(family: Any, parameter: str, others: tuple[Any, ...]) -> None:
    for other in others:
        register_kl(family, other)(lambda p, q: full_like(getattr(p, parameter), inf))


for row in _INFINITE:
    _register_infinite(*row)


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Any, q: Any) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, Exponential)
def _beta_exponential(p: Any, q: Any) -> Any:
    mean = p.concentration1 / (p.concentration1 + p.concentration0)
    return -p.entropy() - q.rate.log() + q.rate * mean


@register_kl(Beta, Gamma)
def _beta_gamma(p: Any, q: Any) -> Any:
    total = p.concentration1 + p.concentration0
    normaliser = q.concentration.lgamma() - q.concentration * q.rate.log()
    slope = (q.concentration - 1) * (p.concentration1.digamma() - total.digamma())
    return -p.entropy() + normaliser - slope + q.rate * p.concentration1 / total


@register_kl(Beta, Normal)
def _beta_normal(p: Any, q: Any) -> Any:
    total = p.concentration1 + p.concentration0
    mean, variance = p.concentration1 / total, q.scale.pow(2)
    squares = (mean * (1 - mean) / (total + 1) + mean.pow(2)) * 0.5
    away = (squares - q.loc * mean + q.loc.pow(2) * 0.5) / variance
    return -p.entropy() + 0.5 * (variance * 2 * math.pi).log() + away


@register_kl(Beta, Uniform)
def _beta_uniform(p: Any, q: Any) -> Any:
    result = -p.entropy() + (q.high - q.low).log()
    result[(q.low > p.support.lower_bound) | (q.high < p.support.upper_bound)] = inf
    return result


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    logs = -q.concentration * ratio.log()
    return logs + ratio + q.concentration.lgamma() + q.concentration * euler_constant - (1 + euler_constant)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p: Any, q: Any) -> Any:
    product, loc = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 - loc + loc.exp() * product / (product + 1) + product.reciprocal()


@register_kl(Exponential, Normal)
def _exponential_normal(p: Any, q: Any) -> Any:
    variance, squared = q.scale.pow(2), p.rate.pow(2)
    away = (squared.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5) / variance
    return 0.5 * (squared * variance * 2 * math.pi).log() - 1 + away


@register_kl(Gamma, Exponential)
def _gamma_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p: Any, q: Any) -> Any:
    shape, product, loc = p.concentration, p.rate * q.scale, q.loc / q.scale
    entropy = (shape - 1) * shape.digamma() - shape.lgamma() - shape
    tail = loc.exp() * (1 + product.reciprocal()).pow(-shape) - loc
    return entropy + (product.log() + shape / product) + tail


@register_kl(Gamma, Normal)
def _gamma_normal(p: Any, q: Any) -> Any:
    shape, variance, squared = p.concentration, q.scale.pow(2), p.rate.pow(2)
    start = 0.5 * (squared * variance * 2 * math.pi).log() - shape - shape.lgamma()
    away = 0.5 * (shape.pow(2) + shape) / squared - q.loc * shape / p.rate + 0.5 * q.loc.pow(2)
    return start + (shape - 1) * shape.digamma() + away / variance


@register_kl(Gumbel, Normal)
def _gumbel_normal(p: Any, q: Any) -> Any:
    ratio = p.scale / q.scale
    spread = (math.pi * ratio * 0.5).pow(2) / 3
    away = ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    return -(ratio / math.sqrt(2 * math.pi)).log() + spread + away - (euler_constant + 1)


@register_kl(Laplace, Normal)
def _laplace_normal(p: Any, q: Any) -> Any:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    away = (0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)) / variance
    return -(0.5 * (2 * ratio / math.pi).log()) + ratio + away - 1


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Any, q: Any) -> Any:
    mean, ratio, loc = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    tail = (-mean + 0.5 * ratio + loc).exp()
    return -(ratio.log() * 0.5) + (mean - loc) + tail - 0.5 * (1 + math.log(2 * math.pi))


@register_kl(Normal, Laplace)
def _normal_laplace(p: Any, q: Any) -> Any:
    apart = p.loc - q.loc
    steps = apart / p.scale
    inner = math.sqrt(2 / math.pi) * p.scale * (-0.5 * steps.pow(2)).exp()
    outer = apart * (math.sqrt(0.5) * steps).erf()
    return -(p.scale / q.scale).log() + (inner + outer) / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


def _mean_log(low: Any, high: Any) -> Any:
    """The mean of a logarithm between two bounds, times their distance, and less itself."""
    return high.xlogy(high) - low.xlogy(low)


@register_kl(Uniform, Beta)
def _uniform_beta(p: Any, q: Any) -> Any:
    width = p.high - p.low
    first = (q.concentration1 - 1) * (_mean_log(p.low, p.high) - width) / width
    second = (q.concentration0 - 1) * (_mean_log(1 - p.low, 1 - p.high) + width) / width
    total = q.concentration1 + q.concentration0
    normaliser = q.concentration1.lgamma() + q.concentration0.lgamma() - total.lgamma()
    result = second + normaliser - width.log() - first
    result[(p.high > q.support.upper_bound) | (p.low < q.support.lower_bound)] = inf
    return result


@register_kl(Uniform, Exponential)
def _uniform_exponential(p: Any, q: Any) -> Any:
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    result[p.low < q.support.lower_bound] = inf
    return result


@register_kl(Uniform, Gamma)
def _uniform_gamma(p: Any, q: Any) -> Any:
    width = p.high - p.low
    normaliser = q.concentration.lgamma() - q.concentration * q.rate.log()
    logs = (1 - q.concentration) * (_mean_log(p.low, p.high) - width) / width
    result = -width.log() + normaliser + logs + q.rate * (p.high + p.low) / 2
    result[p.low < q.support.lower_bound] = inf
    return result


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Any, q: Any) -> Any:
    ratio = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return ratio.log() + 0.5 * (high + low) - ratio * ((-high).exp() - (-low).exp())


@register_kl(Uniform, Normal)
def _uniform_normal(p: Any, q: Any) -> Any:
    width = p.high - p.low
    away = width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return (math.sqrt(math.pi * 2) * q.scale / width).log() + 0.5 * away / q.scale.pow(2)
