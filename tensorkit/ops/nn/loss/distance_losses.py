"""Losses of distances: what belongs together is to be near, what does not is to be far by some margin."""

from __future__ import annotations

import numpy

from tensorkit.ops.creation.empty import empty_like
from tensorkit.ops.creation.full import zeros_like
from tensorkit.ops.kit import Tensor, op
from tensorkit.ops.nn.loss.losses import reduced
from tensorkit.ops.nn.similarity import pairwise_distance
from tensorkit.ops.pointwise.where import where


@op(rounded=2)
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0) -> Tensor:
    """The distance itself for targets of 1, what is missing to `margin` for -1: (...) and (...) give () or (...).

    >>> tk.hinge_embedding_loss(tk.tensor([0.25, 0.25, 3.0]), tk.tensor([1, -1, -1]))
    tensor([0.2500, 0.7500, 0.0000])
    """
    zeros = zeros_like(input).contiguous()
    missing = empty_like(input).fill_(margin).sub_(input).clamp_min_(0)  # of the input's dtype, as PyTorch's
    return reduced(where(target != 1, missing, zeros) + where(target != -1, input, zeros), reduction)


@op(rounded=2)
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """How much the first is not larger than the second by `margin`, or smaller for targets of -1.

    Three tensors of (...) give () or (...).

    >>> tk.margin_ranking_loss(tk.tensor([3.0, 3.0]), tk.tensor([1.0, 1.0]), tk.tensor([1, -1]))
    tensor([0., 2.])
    """
    apart = input1 - input2
    return reduced((-target * apart + float(margin)).clamp_min_(0), reduction)


_NEVER_ZERO = float(
    numpy.float32(1e-12)
)  # in single precision also where the input is in double, as PyTorch's


@op(rounded=2)
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """1 - cos of the angle for targets of 1, what cos is above `margin` for -1: (n, d), (n, d), (n) give () or (n).

    Raises:
        RuntimeError: when the targets are not one for each pair.

    >>> one, other = tk.tensor([[1.0, 0.0], [0.0, 1.0]]), tk.tensor([[0.0, 2.0], [0.0, 2.0]])
    >>> tk.cosine_embedding_loss(one, other, tk.tensor([1, -1]))
    tensor([1., 1.])
    """
    axis = target.ndim
    if axis > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1.ndim != axis + 1:
        raise RuntimeError(
            f"{axis}D target tensor expects {axis + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    squares = [(one * one).sum(axis) + _NEVER_ZERO for one in (input1, input2)]
    cos = (input1 * input2).sum(axis) / (squares[0] * squares[1]).sqrt_()
    zeros = zeros_like(cos)
    missing = (cos - margin).clamp_min_(0)
    return reduced(where(target == 1, 1 - cos, zeros) + where(target == -1, missing, zeros), reduction)


@op(rounded=4)
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 0,
) -> Tensor:
    """How much the distance to `negative` is not larger than that to `positive` by `margin`.

    Three tensors of (n, d) or (d) give () or (n).

    Args:
        p: of the norm that measures. eps: added to differences, whose norm has no derivative at 0.
        swap: whether the distance from `positive` to `negative` counts, where it is the smaller one.

    >>> tk.triplet_margin_loss(tk.tensor([0.0, 0.0]), tk.tensor([0.0, 1.0]), tk.tensor([1.5, 0.0]))
    tensor(0.5000)
    """
    ranks = [one.ndim for one in (anchor, positive, negative)]
    if len(set(ranks)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {ranks[0]}D, positive {ranks[1]}D, and negative {ranks[2]}D inputs"
        )
    near, far = (pairwise_distance(anchor, other, p, eps) for other in (positive, negative))
    if swap:
        far = far.minimum(pairwise_distance(positive, negative, p, eps))
    return reduced((margin + near - far).clamp_min(0), reduction)
