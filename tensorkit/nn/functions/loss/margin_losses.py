"""Losses by margins: of distances, and of scores."""

from __future__ import annotations

from collections.abc import Callable

from tensorkit.nn.functions.loss.reduction import legacy_reduction, reduction_number
from tensorkit.ops.nn.activation.smooth_activations import logsigmoid
from tensorkit.ops.nn.loss import distance_losses as _apart
from tensorkit.ops.nn.loss import margin_losses as _margins
from tensorkit.ops.nn.loss.losses import reduced
from tensorkit.ops.nn.similarity import pairwise_distance
from tensorkit.tensor import Tensor


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The distance itself for targets of 1, what is missing to `margin` for -1: see the operation of that name."""
    return _apart.hinge_embedding_loss(
        input, target, margin, reduction_number(size_average, reduce, reduction)
    )


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """How much the first is not larger than the second by `margin`: see the operation of that name."""
    how = reduction_number(size_average, reduce, reduction)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return _apart.margin_ranking_loss(input1, input2, target, margin, how)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 - cos of the angle for targets of 1, what cos is above `margin` for -1: see the operation of that name."""
    how = reduction_number(size_average, reduce, reduction)
    return _apart.cosine_embedding_loss(input1, input2, target, margin, how)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """How much the other classes are not below the right one by `margin`: see the operation of that name."""
    how = reduction_number(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return _margins.multi_margin_loss(input, target, p, margin, weight, how)


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """How much the other classes are not below each right one by 1: see the operation of that name."""
    return _margins.multilabel_margin_loss(input, target, reduction_number(size_average, reduce, reduction))


def _reduced(losses: Tensor, reduction: str, refusal: str) -> Tensor:
    how = {"none": 0, "mean": 1, "sum": 2}.get(reduction)
    if how is None:
        raise ValueError(refusal)
    return reduced(losses, how)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The binary cross entropy of scores, as a mean over the classes: (n, classes) twice gives () or (n).

    Args:
        weight: how much each class counts: (classes).

    >>> multilabel_soft_margin_loss(tk.tensor([[0.0, 2.0]]), tk.tensor([[0.0, 1.0]]))
    tensor(0.4100)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.multilabel_soft_margin_loss.html
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    axis = input.dim() - 1
    losses = losses.sum(dim=axis) / input.size(axis)
    return _reduced(losses, reduction, f"{reduction} is not valid")


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """How much `negative` is not farther than `positive` by `margin`: see the operation of that name."""
    how = reduction_number(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _apart.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, how)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with a distance of one's own: three tensors of (n, ...) give () or (n).

    Args:
        distance_function: gives the distances of two tensors: (n, ...) and (n, ...) give (n). By default, the norm.
        swap: whether the distance from `positive` to `negative` counts, where it is the smaller one.

    >>> points = tk.tensor([[0.0, 0.0]]), tk.tensor([[0.0, 1.0]]), tk.tensor([[1.5, 0.0]])
    >>> triplet_margin_with_distance_loss(*points, distance_function=lambda a, b: (a - b).abs().sum(-1))
    tensor(0.5000)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_with_distance_loss.html
    """
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    ranks = [one.ndim for one in (anchor, positive, negative)]
    if len(set(ranks)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {ranks[0]}D, positive {ranks[1]}D, and negative {ranks[2]}D inputs"
        )
    apart = distance_function or pairwise_distance
    near, far = apart(anchor, positive), apart(anchor, negative)
    if swap:
        far = far.minimum(apart(positive, negative))
    return _reduced((margin + near - far).clamp_min(0), reduction, "")
