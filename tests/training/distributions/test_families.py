"""Every family of distributions: text, sizes, samples from the same seed, densities, gradients and refusals."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit
from tests.training.distributions.facts import NEAR, apart, facts

# fmt: off
FAMILIES = {
    "Bernoulli": [
        "0.3", "logits=p([-1., 2.])", "t([0.5, 0., 1.])", "1.5", "", "0.1, 0.2", "t([0.3], dtype=lib.float64)"],
    "Geometric": ["0.3", "p([0.2, 1.])", "logits=t([-1., 2.])", "0.0", "t([0.5, 0.])", ""],
    "Categorical": [
        "p([1., 2., 3.])",
        "logits=p([[0., 1.], [2., -1.]])",
        "t([[0., 1.], [0.5, 0.5]])",
        "t(1.)",
        "t([-1., 2.])",
        "",
        "logits=t([0., nan])",
        "t([1., 2.], dtype=lib.float64)",
    ],
    "OneHotCategorical": ["t([1., 2., 3.])", "logits=t([[0., 1.], [2., -1.]])", "t(1.)"],
    "OneHotCategoricalStraightThrough": ["p([1., 2., 3.])"],
    "Multinomial": ["5, t([1., 2., 3.])", "3, logits=t([[0., 1.], [2., -1.]])", "t([2.]), t([1.])"],
    "Binomial": ["5, t([0.2, 0.7])", "t([3., 30.]), logits=t([0.5, -0.5])", "-1, t(0.5)", "4, t(1.5)"],
    "Poisson": ["3.0", "t([0.5, 30.])", "-1.0", "p([2.])"],
    "Normal": [
        "0., 1.",
        "p([0., 1.]), p([1., 2.])",
        "t([[1.], [2.]]), t([1., 3.])",
        "0., -1.",
        "0., t([1., 0.])",
        "'a', 1.",
        "0, 1, validate_args=False",
        "t(0., dtype=lib.float64), 2",
    ],
    "Uniform": ["0., 2.", "p([0., 1.]), p([1., 3.])", "1., 0.", "t([0., 1.]), 1."],
    "Exponential": ["2.0", "p([0.5, 3.])", "0.0", "t([1.], dtype=lib.float64)"],
    "Laplace": ["0., 2.", "p([0., 1.]), p([1., 3.])", "1., 0."],
    "Cauchy": ["0., 2.", "p([0., 1.]), p([1., 3.])", "1., 0."],
    "Gamma": ["0.5, 2.", "p([0.1, 2., 20.]), p([1., 3., 0.5])", "1., 0."],
    "Chi2": ["3.0", "p([0.5, 4.])", "-1.0"],
    "StudentT": ["3.0", "p([0.5, 1.5, 4.]), 1., 2.", "-1.0", "p([2.]), p([1.]), p([3.])"],
    "Dirichlet": ["p([0.5, 1., 20.])", "t([[0.5, 0.2], [3., 7.]])", "t(1.)", "t([1., -1.])"],
    "Beta": ["0.5, 2.", "p([0.5, 9.]), p([2., 8.])", "1., -1.", "2, t([3.])"],
    "LogNormal": ["0., 1.", "p([0., 1.]), p([1., 0.5])", "0., -1."],
    "HalfNormal": ["1.", "p([1., 0.5])", "-1."],
    "HalfCauchy": ["1.", "p([1., 0.5])", "-1."],
    "Gumbel": ["0., 1.", "p([0., 1.]), p([1., 0.5])", "0., -1."],
    "MultivariateNormal": [
        "t([0., 1.]), t([[2., 0.5], [0.5, 1.]])",
        "p([0., 1.]), scale_tril=p([[2., 0.], [0.5, 1.]])",
        "t([0., 1.]), precision_matrix=t([[2., 0.5], [0.5, 1.]])",
        "lib.zeros(3, 2), lib.eye(2)",
        "t([0., 1.]), t([[1., 2.], [0., 1.]])",
        "t([0., 1.]), t([[1., 2.], [2., 1.]])",
        "t(0.), t([[1.]])",
        "t([0.]), t([1.])",
        "t([0.])",
    ],
    "Independent": [
        "D.Normal(p([[0., 1.]]), 1.), 1",
        "D.Bernoulli(t([0.2, 0.7])), 0",
        "D.Bernoulli(t([0.2, 0.7])), 1",
        "D.Normal(0., 1.), 1",
    ],
    "TransformedDistribution": [
        "D.Normal(p([0., 1.]), 1.), [T.AffineTransform(1., 2.), T.TanhTransform()]",
        "D.Normal(lib.zeros(3), 1.), T.StickBreakingTransform()",
        "D.Uniform(0., 1.), [T.SigmoidTransform().inv]",
        "D.Normal(0., 1.), [T.AffineTransform(t([0., 1.]), -2.)]",
        "D.Normal(0., 1.), [3]",
        "D.Normal(0., 1.), 3",
        "D.Normal(0., 1.), T.SoftmaxTransform()",
    ],
}
# fmt: on
# The slopes of their samples: PyTorch's are fitted curves, good to three digits, ours SciPy's functions differenced.
FITTED = dict.fromkeys(("Beta", "Chi2", "Dirichlet", "Gamma", "StudentT"), 2e-3)
# Their samples are made by logarithms or products, whose last bit depends on the size of PyTorch's vectors.
ROUNDED = {"Gumbel", "Laplace", "LogNormal", "MultivariateNormal", "TransformedDistribution"}


@pytest.mark.parity
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_pytorchs(torch: Any, family: str) -> None:
    found = []
    for given in FAMILIES[family]:
        text = f"D.{family}({given})"
        own, expected = facts(tensorkit, text), facts(torch, text)
        found += apart(text, own, expected, FITTED.get(family, NEAR), NEAR if family in ROUNDED else 0.0)
    assert found == []
