"""Formulas of `kl_divergence` for two distributions of one family.

Source: https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.kl
"""

from __future__ import annotations

from math import inf
from typing import Any

from tensorkit.autograd.api import grad
from tensorkit.distributions.distribution import ExponentialFamily
from tensorkit.distributions.families.binary import Bernoulli, Geometric
from tensorkit.distributions.families.categorical import Categorical, OneHotCategorical
from tensorkit.distributions.families.counts import Binomial, Poisson
from tensorkit.distributions.families.dirichlet import Beta, Dirichlet
from tensorkit.distributions.families.gamma import Gamma
from tensorkit.distributions.families.multivariate_normal import MultivariateNormal, half_log_det, mahalanobis
from tensorkit.distributions.families.normal import Normal
from tensorkit.distributions.families.real_line import Cauchy, Exponential, Laplace, Uniform
from tensorkit.distributions.families.transformed import Gumbel, HalfNormal
from tensorkit.distributions.independent import Independent
from tensorkit.distributions.kl import kl_divergence, register_kl
from tensorkit.distributions.transformed_distribution import TransformedDistribution
from tensorkit.distributions.utils import euler_constant, sum_rightmost
from tensorkit.linalg import solve_triangular
from tensorkit.nn.functional import softplus
from tensorkit.ops.creation.full import full_like
from tensorkit.ops.rearranging.unravel_index import broadcast_shapes


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Any:
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones[q.probs == 0] = inf
    ones[p.probs == 0] = 0
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros[q.probs == 1] = inf
    zeros[p.probs == 1] = 0
    return ones + zeros


@register_kl(Beta, Beta)
def _beta(p: Any, q: Any) -> Any:
    p_total = p.concentration1 + p.concentration0
    q_total = q.concentration1 + q.concentration0
    above = q.concentration1.lgamma() + q.concentration0.lgamma() + p_total.lgamma()
    below = p.concentration1.lgamma() + p.concentration0.lgamma() + q_total.lgamma()
    first = (p.concentration1 - q.concentration1) * p.concentration1.digamma()
    second = (p.concentration0 - q.concentration0) * p.concentration0.digamma()
    return above - below + first + second + (q_total - p_total) * p_total.digamma()


@register_kl(Binomial, Binomial)
def _binomial(p: Any, q: Any) -> Any:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    one = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    kl = p.total_count * one
    more = p.total_count > q.total_count
    kl[more] = full_like(kl[more], inf)
    return kl


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Any:
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot_categorical(p: Any, q: Any) -> Any:
    return _categorical(p._categorical, q._categorical)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Any, q: Any) -> Any:
    apart = ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
    return apart - (4 * p.scale * q.scale).log()


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Any, q: Any) -> Any:
    p_total, q_total = p.concentration.sum(-1), q.concentration.sum(-1)
    totals = p_total.lgamma() - q_total.lgamma()
    each = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    slopes = p.concentration.digamma() - p_total.digamma().unsqueeze(-1)
    return totals - each + ((p.concentration - q.concentration) * slopes).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: Any, q: Any) -> Any:
    """By the derivatives of the log normaliser (Bregman divergence)."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot                             "
            "be computed using Bregman divergences"
        )
    natural = [one.detach().requires_grad_() for one in p._natural_params]
    normaliser = p._log_normalizer(*natural)
    slopes = grad(normaliser.sum(), natural, create_graph=True)
    result = q._log_normalizer(*q._natural_params) - normaliser
    for own, other, slope in zip(natural, q._natural_params, slopes, strict=True):
        result -= sum_rightmost((other - own) * slope, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma(p: Any, q: Any) -> Any:
    rates = q.concentration * (p.rate / q.rate).log()
    shapes = q.concentration.lgamma() - p.concentration.lgamma()
    slope = (p.concentration - q.concentration) * p.concentration.digamma()
    return rates + shapes + slope + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Geometric, Geometric)
def _geometric(p: Any, q: Any) -> Any:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Any, q: Any) -> Any:
    ratio, q_loc, p_loc = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    moved = -ratio.log() - q_loc + p_loc
    tail = (q_loc + (1 + ratio).lgamma() - p_loc).exp()
    return moved + ratio * euler_constant + tail - (1 + euler_constant)


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Laplace, Laplace)
def _laplace(p: Any, q: Any) -> Any:
    ratio, apart = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + apart / q.scale + ratio * (-apart / p.scale).exp() - 1


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p: Any, q: Any) -> Any:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with                          "
            "different event shapes cannot be computed"
        )
    p_factor, q_factor = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    half = half_log_det(q_factor) - half_log_det(p_factor)
    n = p.event_shape[0]
    size = (*broadcast_shapes(q_factor.shape[:-2], p_factor.shape[:-2]), n, n)
    product = solve_triangular(q_factor.expand(size), p_factor.expand(size), upper=False)
    trace = product.reshape((*size[:-2], -1)).pow(2).sum(-1)
    return half + 0.5 * (trace + mahalanobis(q_factor, q.loc - p.loc) - n)


@register_kl(Normal, Normal)
def _normal(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: Any, q: Any) -> Any:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Poisson, Poisson)
def _poisson(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: Any, q: Any) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Uniform, Uniform)
def _uniform(p: Any, q: Any) -> Any:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[(q.low > p.low) | (q.high < p.high)] = inf
    return result
