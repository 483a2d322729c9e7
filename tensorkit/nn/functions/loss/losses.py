"""Losses of differences, and of a network that chooses."""

from __future__ import annotations

from typing import Any

from tensorkit.dispatch.autocasting import cast_for
from tensorkit.errors import warn
from tensorkit.nn.functions.loss.reduction import reduction_number
from tensorkit.ops.nn.loss import classification_losses as _choosing
from tensorkit.ops.nn.loss import losses as _apart
from tensorkit.ops.nn.loss.nll_loss import nll_loss_nd as _nll_loss_nd
from tensorkit.ops.rearranging.unravel_index import broadcast_shapes
from tensorkit.ops.views.expand_squeeze import broadcast_tensors
from tensorkit.tensor import Tensor


def _broadcast(input: Tensor, target: Tensor) -> Any:
    """Both with one size, and a warning where that was not so: most often it is a mistake."""
    if target.size() != input.size():
        warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size."
        )
    return broadcast_tensors(input, target)


def _check_weight(weight: Tensor | None, input: Tensor) -> None:
    if weight is not None and weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")


def _weighted(losses: Tensor, weight: Tensor, reduction: int) -> Tensor:
    losses = losses * weight
    return losses.sum() / weight.sum() if reduction == 1 else _apart.reduced(losses, reduction)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The sizes of the differences, or their mean: (...) and (...) give () or (...).

    >>> l1_loss(tk.tensor([1.0, 2.0]), tk.tensor([1.0, 5.0]))
    tensor(1.5000)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.l1_loss.html
    """
    how = reduction_number(size_average, reduce, reduction)
    one, other = _broadcast(input, target)
    _check_weight(weight, input)
    (one, other), _ = cast_for("l1_loss", (one, other), {})
    losses = (one - other).abs()
    return _apart.reduced(losses, how) if weight is None else _weighted(losses, weight, how)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The squares of the differences, or their mean: see the operation of that name."""
    how = reduction_number(size_average, reduce, reduction)
    one, other = _broadcast(input, target)
    _check_weight(weight, input)
    if weight is not None:
        return _weighted((one - other).pow(2), weight, how)
    return _apart.mse_loss(one, other, how)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Differences, but squares of small ones: see the operation of that name."""
    how = reduction_number(size_average, reduce, reduction)
    one, other = _broadcast(input, target)
    if beta == 0.0:
        return _apart.reduced((one - other).abs(), how)
    return _apart.smooth_l1_loss(one, other, how, beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Half the squares of differences up to `delta`, a straight line beyond: see the operation of that name."""
    how = reduction_number(None, None, reduction)
    one, other = _broadcast(input, target)
    if weight is None:
        return _apart.huber_loss(one, other, how, delta)
    _check_weight(weight, input)
    return _apart.reduced(_apart.huber_loss(one, other, 0, delta) * weight, how)


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``log(1 + exp(-target * input))``: see the operation of that name."""
    return _apart.soft_margin_loss(input, target, reduction_number(size_average, reduce, reduction))


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """What `input` has at the right class, with the other sign: see the operation ``nll_loss_nd``."""
    how = reduction_number(size_average, reduce, reduction)
    losses: Tensor = _nll_loss_nd(input, target, weight, how, ignore_index)
    return losses


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """`nll_loss` of the `log_softmax` of scores: see the operation ``cross_entropy_loss``."""
    how = reduction_number(size_average, reduce, reduction)
    return _choosing.cross_entropy_loss(input, target, weight, how, ignore_index, label_smoothing)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``-(t log x + (1 - t) log(1 - x))`` of chances x: see the operation of that name."""
    how = reduction_number(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(broadcast_shapes(target.size(), weight.size()))
    return _choosing.binary_cross_entropy(input, target, weight, how)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of the sigmoid of scores: see the operation of that name."""
    how = reduction_number(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return _choosing.binary_cross_entropy_with_logits(input, target, weight, pos_weight, how)
