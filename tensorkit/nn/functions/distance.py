"""Vectors made to have length 1, and how near vectors are."""

from __future__ import annotations

from tensorkit.ops.kit import Dims
from tensorkit.ops.linalg.cdist import pdist
from tensorkit.ops.nn.similarity import cosine_similarity, pairwise_distance
from tensorkit.ops.pointwise.arithmetic import div
from tensorkit.tensor import Tensor

__all__ = ["cosine_similarity", "normalize", "pairwise_distance", "pdist"]


def normalize(
    input: Tensor, p: float = 2.0, dim: Dims = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """Vectors along a dimension, or several, over their p-norm: a tensor of the same size.

    Args:
        p: the order of the norm. dim: the dimensions. eps: the least that is divided by.
        out: a tensor for the result.

    >>> tk.nn.functional.normalize(tk.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.normalize.html
    """
    length = input.norm(p, dim, keepdim=True)
    if out is None:
        return input / length.clamp_min(eps).expand_as(input)
    return div(input, length.clamp_min_(eps).expand_as(input), out=out)
