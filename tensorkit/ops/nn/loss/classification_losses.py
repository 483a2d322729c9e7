"""Losses of a network that chooses: of the logarithms of chances, of scores, of one chance for each element."""

# A body of `pointwise` is written for one element, and so has other types than its parameters say.
# mypy: disable-error-code="return-value, operator, arg-type"

from __future__ import annotations

import math
from math import log
from typing import Any

import numpy

from tensorkit.device import CPU
from tensorkit.elementwise.promotion import check_castable, result_dtype
from tensorkit.ops.kit import (
    BUT_FLOATS,
    FUNCTIONAL,
    INNER,
    Array,
    Rule,
    Tensor,
    not_differentiable,
    op,
    pointwise,
)
from tensorkit.ops.nn.activation.smooth_activations import logsigmoid
from tensorkit.ops.nn.loss.losses import MEAN, NONE, SUM, reduced
from tensorkit.ops.nn.loss.nll_loss import class_axis, nll_loss_nd, shares_of
from tensorkit.ops.reduction.softmax import log_softmax

# -- one class of several -------------------------------------------------------------------------------------------


def _of_chances(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, smoothing: float
) -> Tensor:
    """`cross_entropy_loss` with a probability for each class instead of one class."""
    axis = class_axis(input)
    classes = input.shape[axis]
    if smoothing > 0:
        target = target * (1 - smoothing) + smoothing / classes
    losses = log_softmax(input, axis) * target
    if weight is not None:
        losses = losses * weight.view(_along(input, axis))
    if reduction == NONE:
        return -losses.sum(axis)
    if reduction == MEAN:
        return _per(-losses.sum(), input.numel() / classes if classes else math.nan)
    return -losses.sum()


@op(derivative=Rule("DivBackward1", input=lambda g, c: g / c.count))
def _per(input: Tensor, count: float) -> Tensor:
    """A sum divided by a count."""
    return input / count


def _along(input: Tensor, axis: int) -> list[int]:
    return [input.shape[axis] if d == axis else 1 for d in range(input.ndim)]


def _smoothed(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int, smoothing: float
) -> Tensor:
    """`cross_entropy_loss` where a small part of each target's chance belongs to all classes alike."""
    axis = class_axis(input)
    chances = log_softmax(input, axis)
    right: Tensor = nll_loss_nd(chances, target, weight, reduction, ignore_index)
    ignored = target.eq(ignore_index)
    spread = chances if weight is None else chances * weight.view(_along(input, axis))
    even = (-spread.sum(axis)).masked_fill(ignored, 0)
    if reduction == MEAN:
        _, share, _ = shares_of(input, target, weight, ignore_index)
        even = even.sum() / share.sum()
    elif reduction == SUM:
        even = even.sum()
    smooth: Tensor = right * (1 - smoothing) + even * (smoothing / input.shape[axis])
    return smooth


@op(namespace=INNER, rounded=4)
def cross_entropy_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: int = 0,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Tensor:
    """`nll_loss_nd` of the `log_softmax` of scores: (n, classes, ...) and (n, ...) give () or (n, ...).

    Args:
        target: a class for each row, or, with the size of `input`, a chance for each class.
        weight: how much each class counts: (classes). ignore_index: rows of this class do not count.
        label_smoothing: how much of each target's chance belongs to all classes alike.

    >>> tk.nn.functional.cross_entropy(tk.tensor([[2.0, 0.0], [0.0, 1.0]]), tk.tensor([0, 1]))
    tensor(0.2201)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html
    """
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if input.shape == target.shape:
        _check_chances(input, target, weight, ignore_index)
        return _of_chances(input, target, weight, reduction, label_smoothing)
    if label_smoothing > 0:
        return _smoothed(input, target, weight, reduction, ignore_index, label_smoothing)
    chances = log_softmax(input, class_axis(input))
    losses: Tensor = nll_loss_nd(chances, target, weight, reduction, ignore_index)
    return losses


def _check_chances(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> None:
    if target.dtype.category != 2:
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {target.dtype.label}"
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    if not input.ndim:
        raise IndexError("Dimension specified as 1 but tensor has no dimensions")
    classes = input.shape[class_axis(input)]
    if weight is not None and (weight.ndim != 1 or weight.numel() != classes):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {list(weight.shape)}"
        )


# -- yes or no, for each element ------------------------------------------------------------------------------------


def _of_chance(input: Array, target: Array) -> Array:
    yes, no = (numpy.maximum(numpy.log(x), input.dtype.type(-100)) for x in (input, 1 - input))
    losses: Array = (target - 1) * no - target * yes
    return losses


@pointwise(_of_chance, kernel="binary_cross_entropy", namespace=FUNCTIONAL)
def _entropy(input: Tensor, target: Tensor) -> Tensor:
    """The loss of one chance; the logarithm of 0 counts as -100."""
    yes = -100.0 if input <= 0 else max(log(input), -100.0)
    no = -100.0 if input >= 1 else max(log(1 - input), -100.0)
    return (target - 1) * no - target * yes


def _entropy_back(g: Any, c: Any) -> Any:
    steep = (c.input - c.target) / ((1 - c.input) * c.input).clamp(min=1e-12)
    return _weighted(g, c) * steep


def _entropy_of_target(g: Any, c: Any) -> Any:
    return _weighted(g, c) * ((1 - c.input).log().clamp(min=-100) - c.input.log().clamp(min=-100))


def _weighted(g: Any, c: Any) -> Any:
    """The gradient of each element's loss."""
    share = g / c.input.numel() if c.reduction == MEAN else g
    return share if c.weight is None else share * c.weight


@op(
    namespace=FUNCTIONAL,
    rounded=4,
    derivative=Rule(
        "BinaryCrossEntropyBackward0",
        applies=not_differentiable("binary_cross_entropy", "weight"),
        input=_entropy_back,
        target=_entropy_of_target,
    ),
)
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: int = 0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``-(t log x + (1 - t) log(1 - x))`` of chances x: (...) and (...) give () or (...).

    Raises:
        RuntimeError: for an element outside [0, 1].

    >>> tk.nn.functional.binary_cross_entropy(tk.tensor([0.5, 0.9]), tk.tensor([0.0, 1.0]))
    tensor(0.3993)
    """
    if target.dtype is not input.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.label} but expected {input.dtype.label}")
    if input.device == CPU and input.dtype not in BUT_FLOATS:
        given, right = input._nd(), numpy.broadcast_to(target._nd(), input.shape)
        within = [(one >= 0) & (one <= 1) for one in (given, right)]
        if not (whole := within[0] & within[1]).all():
            name = "target" if within[0].flat[whole.argmin()] else "input"
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    losses = _entropy(input, target)
    return reduced(losses if weight is None else losses * weight, reduction)


def _logits_back(g: Any, c: Any) -> Any:
    share = c.input.sigmoid()
    if c.pos_weight is None:
        return _weighted(g, c) * (share - c.target)
    yes = c.pos_weight * c.target
    return _weighted(g, c) * ((yes + 1 - c.target) * share - yes)


def _logits_of_target(g: Any, c: Any) -> Any:
    steep = -c.input
    if c.pos_weight is not None:
        steep = (1 - c.pos_weight) * logsigmoid(c.input) + steep
    return _weighted(g, c) * steep


@op(
    rounded=4,
    derivative=Rule(
        "BinaryCrossEntropyWithLogitsBackward0",
        applies=not_differentiable("binary_cross_entropy_with_logits", "weight", "pos_weight"),
        input=_logits_back,
        target=_logits_of_target,
    ),
)
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: int = 0,
) -> Tensor:
    """`binary_cross_entropy` of the sigmoid of scores, exact for large ones: (...) and (...) give () or (...).

    Args:
        weight: how much each element counts. pos_weight: how much a 1 among the targets counts.

    >>> tk.nn.functional.binary_cross_entropy_with_logits(tk.tensor([0.0, 2.0]), tk.tensor([0.0, 1.0]))
    tensor(0.4100)
    """
    yes = logsigmoid(input)
    if pos_weight is not None:
        yes = yes * ((pos_weight - 1) * target + 1)
    no = 1 - target
    for other in (input, yes) if weight is None else (input, yes, weight):
        check_castable(result_dtype(no, other), no.dtype)
    losses = no.mul_(input).sub_(yes)  # of the dtype and the strides of the target, as PyTorch's
    return reduced(losses if weight is None else losses.mul_(weight), reduction)
