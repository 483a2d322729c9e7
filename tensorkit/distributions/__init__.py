"""Probability distributions: parameters that may be tensors, random samples, densities, entropies and divergences.

>>> from tensorkit.distributions import Categorical
>>> policy = Categorical(logits=tk.zeros(4))
>>> policy.log_prob(tk.tensor([0, 3]))
tensor([-1.3863, -1.3863])

Source: names and behaviour are PyTorch 2.13's (https://docs.pytorch.org/docs/stable/distributions.html).
"""

from __future__ import annotations

import sys

from tensorkit.distributions import constraints, transforms
from tensorkit.distributions import kl_between_families as _between_families  # noqa: F401 -- registers its formulas
from tensorkit.distributions import kl_formulas as _formulas  # noqa: F401 -- registers its formulas
from tensorkit.distributions.constraint_registry import biject_to, transform_to
from tensorkit.distributions.distribution import Distribution, ExponentialFamily
from tensorkit.distributions.families.binary import Bernoulli, Geometric
from tensorkit.distributions.families.categorical import (
    Categorical,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
)
from tensorkit.distributions.families.counts import Binomial, Multinomial, Poisson
from tensorkit.distributions.families.dirichlet import Beta, Dirichlet
from tensorkit.distributions.families.gamma import Chi2, Gamma, StudentT
from tensorkit.distributions.families.multivariate_normal import MultivariateNormal
from tensorkit.distributions.families.normal import Normal
from tensorkit.distributions.families.real_line import Cauchy, Exponential, Laplace, Uniform
from tensorkit.distributions.families.transformed import Gumbel, HalfCauchy, HalfNormal, LogNormal
from tensorkit.distributions.independent import Independent
from tensorkit.distributions.kl import kl_divergence, register_kl
from tensorkit.distributions.transformed_distribution import TransformedDistribution
from tensorkit.distributions.transforms import (
    AbsTransform,
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
    identity_transform,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "Laplace",
    "LogNormal",
    "LowerCholeskyTransform",
    "Multinomial",
    "MultivariateNormal",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "biject_to",
    "constraints",
    "identity_transform",
    "kl_divergence",
    "register_kl",
    "transform_to",
    "transforms",
]

# PyTorch's file of each family, which its class names as its module: it is printed, and pickles are read by it.
_FILES = {
    "bernoulli": (Bernoulli,),
    "beta": (Beta,),
    "binomial": (Binomial,),
    "categorical": (Categorical,),
    "cauchy": (Cauchy,),
    "chi2": (Chi2,),
    "dirichlet": (Dirichlet,),
    "exp_family": (ExponentialFamily,),
    "exponential": (Exponential,),
    "gamma": (Gamma,),
    "geometric": (Geometric,),
    "gumbel": (Gumbel,),
    "half_cauchy": (HalfCauchy,),
    "half_normal": (HalfNormal,),
    "laplace": (Laplace,),
    "log_normal": (LogNormal,),
    "multinomial": (Multinomial,),
    "multivariate_normal": (MultivariateNormal,),
    "normal": (Normal,),
    "one_hot_categorical": (OneHotCategorical, OneHotCategoricalStraightThrough),
    "poisson": (Poisson,),
    "studentT": (StudentT,),
    "uniform": (Uniform,),
}


def _place() -> None:
    for file, classes in _FILES.items():
        path = f"{__name__}.{file}"
        for one in classes:
            home = sys.modules.setdefault(path, sys.modules[one.__module__])
            globals()[file] = home
            one.__module__ = path
    for one in map(globals().__getitem__, transforms.__all__):
        if isinstance(one, type):
            one.__module__ = transforms.__name__


_place()


def __dir__() -> list[str]:
    return __all__
