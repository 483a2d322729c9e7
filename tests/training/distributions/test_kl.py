"""Divergences of all pairs of families: values, gradients to nobody, and which pairs have none."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import pytest

import tensorkit
from tests.training.distributions.facts import apart, made, told

DISTRIBUTIONS = [
    "D.Bernoulli(t([0.2, 1.]))",
    "D.Beta(t([0.5, 2.]), t([3., 1.]))",
    "D.Binomial(3, t([0.2, 0.7]))",
    "D.Categorical(t([[0.2, 0.8], [1., 0.]]))",
    "D.Cauchy(t([0., 1.]), 2.)",
    "D.Chi2(t([1., 3.]))",
    "D.Dirichlet(t([0.5, 2.]))",
    "D.Exponential(t([0.5, 2.]))",
    "D.Gamma(t([0.5, 2.]), 1.5)",
    "D.Geometric(t([0.5, 0.2]))",
    "D.Gumbel(t([0.5, 0.2]), 2.)",
    "D.HalfNormal(t([0.5, 0.2]))",
    "D.Independent(D.Normal(t([0.5, 0.2]), 1.), 1)",
    "D.Laplace(t([0.5, 0.2]), 2.)",
    "D.LogNormal(t([0.5, 0.2]), 2.)",
    "D.MultivariateNormal(t([0.5, 0.2]), t([[2., 0.5], [0.5, 1.]]))",
    "D.Normal(t([0.5, 0.2]), 2.)",
    "D.OneHotCategorical(t([[0.2, 0.8], [1., 0.]]))",
    "D.Poisson(t([0.5, 2.]))",
    "D.StudentT(t([0.5, 2.]))",
    "D.TransformedDistribution(D.Normal(0., 1.), [T.ExpTransform()])",
    "D.Uniform(t([0.1, 0.2]), t([0.5, 0.9]))",
]
OTHERS = {
    "D.Normal(t([0.5, 0.2]), 2.)": "D.Normal(t([0.1, 0.2]), t([1., 3.]))",
    "D.Bernoulli(t([0.2, 1.]))": "D.Bernoulli(t([0., 0.3]))",
    "D.Categorical(t([[0.2, 0.8], [1., 0.]]))": "D.Categorical(t([0., 1.]))",
    "D.MultivariateNormal(t([0.5, 0.2]), t([[2., 0.5], [0.5, 1.]]))": "D.MultivariateNormal(t([0., 0.]), lib.eye(2))",
    "D.Uniform(t([0.1, 0.2]), t([0.5, 0.9]))": "D.Uniform(0., 0.7)",
    "D.Binomial(3, t([0.2, 0.7]))": "D.Binomial(t([2., 5.]), t([0.2, 0.5]))",
    "D.Gamma(t([0.5, 2.]), 1.5)": "D.Gamma(2., 1.)",
    "D.Dirichlet(t([0.5, 2.]))": "D.Dirichlet(t([1., 1.]))",
    "D.Beta(t([0.5, 2.]), t([3., 1.]))": "D.Beta(1., 2.)",
    "D.Poisson(t([0.5, 2.]))": "D.Poisson(1.)",
    "D.Laplace(t([0.5, 0.2]), 2.)": "D.Laplace(1., 1.)",
    "D.Gumbel(t([0.5, 0.2]), 2.)": "D.Gumbel(1., 1.)",
    "D.Cauchy(t([0., 1.]), 2.)": "D.Cauchy(1., 1.)",
}


def divergences(lib: Any) -> dict[str, Any]:
    """Of every pair."""
    pairs = [*itertools.product(DISTRIBUTIONS, repeat=2), *OTHERS.items()]
    return {
        f"{p} from {q}": told(lambda p=p, q=q: lib.distributions.kl_divergence(made(lib, p), made(lib, q)))
        for p, q in pairs
    }


@pytest.mark.parity
def test_divergences_are_pytorchs(torch: Any) -> None:
    assert apart("", divergences(tensorkit), divergences(torch), near=2e-5) == []


@pytest.mark.parity
def test_a_formula_of_ones_own_is_found_by_the_closest_classes(torch: Any) -> None:
    def answers(lib: Any) -> list[Any]:
        D = lib.distributions
        normal = type("Own", (D.Normal,), {})
        one = normal(0.0, 1.0)
        result = [told(lambda: D.kl_divergence(one, D.Normal(0.0, 1.0)))]
        D.register_kl(normal, D.Normal)(lambda p, q: "left")
        result.append(told(lambda: D.kl_divergence(one, D.Normal(0.0, 1.0))))
        result.append(told(lambda: D.kl_divergence(one, one)))
        D.register_kl(D.Normal, normal)(lambda p, q: "right")
        result.append(told(lambda: D.kl_divergence(one, one)))
        result.append(told(lambda: D.register_kl(3, D.Normal)))
        result.append(told(one.expand((2,)).__repr__))
        return result

    assert answers(tensorkit) == answers(torch)


@pytest.mark.parity
def test_a_distribution_of_ones_own_is_checked_as_pytorchs(torch: Any) -> None:
    def answers(lib: Any) -> list[Any]:
        D = lib.distributions
        bare = type("Bare", (D.Distribution,), {})
        own = type("Own", (D.Normal,), {"__init__": lambda self, a, b, c: D.Normal.__init__(self, a, b)})
        asked = [bare, lambda: bare().log_prob(3), lambda: bare()._validate_sample(lib.ones(()))]
        asked += [lambda: own(0.0, 1.0, 2), lambda: own(0.0, 1.0, 2).expand((2,)), lambda: bare().mean]
        asked += [lambda: bare().mode, lambda: D.Distribution.set_default_validate_args(3)]
        return [[str(one).split(" object at ")[0] for one in told(ask)[1]] for ask in asked]

    with warnings.catch_warnings():
        assert answers(tensorkit) == answers(torch)
