"""Layers that tell how near vectors are.

Source: https://docs.pytorch.org/docs/stable/nn.html#distance-functions
"""

from __future__ import annotations

from tensorkit.nn import functional as F
from tensorkit.nn.module import Module
from tensorkit.tensor import Tensor

__all__ = ["CosineSimilarity", "PairwiseDistance"]


def __dir__() -> list[str]:
    return __all__


class PairwiseDistance(Module):
    """The p-norm of the differences of vectors: (..., d) and (..., d) give (...).

    Args:
        p: the order of the norm. eps: is added to each difference. keepdim: keep the last dimension with size 1.

    >>> tk.nn.PairwiseDistance()(tk.tensor([[0.0, 0.0]]), tk.tensor([[3.0, 4.0]]))
    tensor([5.0000])
    """

    __constants__ = ["norm", "eps", "keepdim"]  # noqa: RUF012 - the form that PyTorch's scripts read
    norm: float
    eps: float
    keepdim: bool

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """One distance for each pair of vectors."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along a dimension: (..., d, ...) and the same give (..., ...).

    Args:
        dim: the dimension. eps: vectors that are shorter count as of this length.

    >>> tk.nn.CosineSimilarity()(tk.tensor([[1.0, 0.0]]), tk.tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """

    __constants__ = ["dim", "eps"]  # noqa: RUF012 - the form that PyTorch's scripts read
    dim: int
    eps: float

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """One cosine for each pair of vectors."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
