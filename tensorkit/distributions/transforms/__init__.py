"""Transforms: differentiable changes of variables, with their inverses and the logarithms of their Jacobians.

>>> from tensorkit.distributions import transforms
>>> twice = transforms.AffineTransform(loc=1.0, scale=2.0)
>>> y = twice(tk.tensor([0.0, 1.0]))
>>> y, twice.inv(y)
(tensor([1., 3.]), tensor([0., 1.]))

Source: https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.transforms
"""

from __future__ import annotations

from tensorkit.distributions.transforms.base import (
    ComposeTransform,
    IndependentTransform,
    ReshapeTransform,
    Transform,
    identity_transform,
)
from tensorkit.distributions.transforms.elementwise import (
    AbsTransform,
    AffineTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
)
from tensorkit.distributions.transforms.parts import CatTransform, StackTransform
from tensorkit.distributions.transforms.vectors import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "identity_transform",
]


def __dir__() -> list[str]:
    return __all__
