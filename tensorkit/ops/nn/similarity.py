"""How near vectors are: `cosine_similarity`, `pairwise_distance`.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#distance-functions
"""

from __future__ import annotations

from typing import Any

from tensorkit.elementwise.promotion import result_dtype
from tensorkit.ops.kit import Rule, Tensor, op
from tensorkit.ops.reduction.norm import norm_back, vector_norm
from tensorkit.ops.views.expand_squeeze import broadcast_tensors


def _length(x: Tensor, dim: int, eps: float) -> Tensor:
    """The length of each vector, at least `eps`: a derivative does not know of that."""
    length = vector_norm(x, 2, dim, True).clone()
    length.detach().clamp_min_(eps)
    return length


@op(rounded=4)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along a dimension: (..., d, ...) and the same give (..., ...).

    Args:
        dim: the dimension. eps: vectors that are shorter count as of this length.

    Raises:
        RuntimeError: for whole numbers, and where the sizes do not fit.

    >>> tk.cosine_similarity(tk.tensor([[1.0, 0.0], [1.0, 1.0]]), tk.tensor([[2.0, 0.0], [0.0, 3.0]]))
    tensor([1.0000, 0.7071])
    """
    kind = result_dtype(x1, x2)
    if kind.category != 2:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {kind.label}")
    if eps < 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    if x1.shape != x2.shape:
        x1, x2 = broadcast_tensors(x1, x2)
    x1, x2 = (one.to(kind) if one.dtype.category < 2 else one for one in (x1, x2))
    lengths = _length(x1, dim, eps), _length(x2, dim, eps)
    return ((x1 / lengths[0]) * (x2 / lengths[1])).sum(dim)


@op(derivative=Rule("AddBackward1", input=lambda g, c: g))
def _shifted(input: Tensor, number: float) -> Tensor:
    return input + number


def _norm_back(g: Any, c: Any) -> Any:
    return norm_back(g, c.input, float(c.p), c.out, c.dim, c.keepdim)


@op(rounded=2, derivative=Rule("NormBackward1", input=_norm_back))
def _norm(input: Tensor, p: float, dim: int, keepdim: bool) -> Tensor:
    return vector_norm(input, p, dim, keepdim)


@op(rounded=4)
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of the differences of vectors along the last dimension: (..., d) and the same give (...).

    Args:
        p: the order of the norm. eps: is added to each difference. keepdim: keep the last dimension with size 1.

    >>> tk.pairwise_distance(tk.tensor([[0.0, 0.0]]), tk.tensor([[3.0, 4.0]]))
    tensor([5.0000])
    """
    return _norm(_shifted(x1 - x2, eps), p, max(x1.ndim, x2.ndim) - 1, keepdim)
