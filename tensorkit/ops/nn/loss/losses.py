"""Losses: one number, or one for each element, that says how far a network's answer is from the right one.

How the losses of elements become one number is `reduction`: 0 leaves them, 1 takes their mean, 2 their sum.
"""

# A body of `pointwise` is written for one element, and so has other types than its parameters say.
# mypy: disable-error-code="return-value, operator, arg-type"

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.elementwise.promotion import check_castable, result_dtype
from tensorkit.ops.creation.empty import empty_like
from tensorkit.ops.kit import FUNCTIONAL, Array, Number, Rule, Tensor, not_differentiable, op, pointwise
from tensorkit.ops.pointwise.arithmetic import neg

NONE, MEAN, SUM = range(3)


def reduced(losses: Tensor, reduction: int) -> Tensor:
    """The losses of all elements, their mean, or their sum."""
    if reduction == NONE:
        return losses
    return losses.mean() if reduction == MEAN else losses.sum()


def _share(g: Any, c: Any) -> Any:
    """The gradient of each element's loss: of a mean, every element has its part of it."""
    return g / _count(c) if c.reduction == MEAN else g


def _count(c: Any) -> int:
    return int(numpy.prod(numpy.broadcast_shapes(tuple(c.input_face.size), tuple(c.target_face.size))))


# -- of a difference ------------------------------------------------------------------------------------------------


@pointwise(kernel="mse_cpu", namespace=FUNCTIONAL)
def _squared(input: Tensor, target: Tensor) -> Tensor:
    """The square of the difference."""
    return (input - target) * (input - target)


def _mse_back(g: Any, c: Any) -> Any:
    return _share(g, c) * (c.input - c.target) * 2


@op(
    namespace=FUNCTIONAL,
    rounded=2,
    derivative=Rule("MseLossBackward0", input=_mse_back, target=lambda g, c: -_mse_back(g, c)),
)
def mse_loss(input: Tensor, target: Tensor, reduction: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The squares of the differences, or their mean: (...) and (...) give () or (...).

    >>> tk.nn.functional.mse_loss(tk.tensor([1.0, 2.0]), tk.tensor([1.0, 4.0]))
    tensor(2.)
    """
    return reduced(_squared(input, target), reduction)


def _bent(input: Array, target: Array, beta: float) -> Array:
    apart = numpy.abs(input - target)
    losses: Array = numpy.where(apart < beta, apart * apart * 0.5 / (beta or 1), apart - 0.5 * beta)
    return losses


@pointwise(_bent, kernel="smooth_l1_cpu", namespace=FUNCTIONAL)
def _smooth(input: Tensor, target: Tensor, beta: Number) -> Tensor:
    """Half the square of small differences, the others less a constant."""
    apart = abs(input - target)
    return apart * apart * 0.5 / beta if apart < beta else apart - beta * 0.5


def _smooth_back(g: Any, c: Any) -> Any:
    apart = c.input - c.target
    steep = apart.sign().masked_fill(apart.isnan(), numpy.nan)
    return _share(g, c) * (apart / (c.beta or 1)).where(apart.abs().lt(c.beta), steep)


@op(
    namespace=FUNCTIONAL,
    rounded=2,
    derivative=Rule("SmoothL1LossBackward0", input=_smooth_back, target=lambda g, c: -_smooth_back(g, c)),
)
def smooth_l1_loss(
    input: Tensor, target: Tensor, reduction: int = 0, beta: float = 1.0, *, out: Tensor | None = None
) -> Tensor:
    """Differences, but half the square of those smaller than `beta`, over it: (...) and (...) give () or (...).

    >>> tk.nn.functional.smooth_l1_loss(tk.tensor([0.0, 2.0]), tk.tensor([0.5, 5.0]), reduction="none")
    tensor([0.1250, 2.5000])
    """
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return reduced((input - target).abs(), reduction)
    return reduced(_smooth(input, target, beta), reduction)


def _huber(input: Array, target: Array, delta: float) -> Array:
    apart = numpy.abs(input - target)
    losses: Array = numpy.where(apart <= delta, apart * apart * 0.5, delta * (apart - 0.5 * delta))
    return losses


@pointwise(_huber, kernel="huber_cpu", namespace=FUNCTIONAL)
def _huber_of(input: Tensor, target: Tensor, delta: Number) -> Tensor:
    """Half the square of small differences, a straight line for the others."""
    apart = abs(input - target)
    return apart * apart * 0.5 if apart <= delta else delta * (apart - delta * 0.5)


def _huber_back(g: Any, c: Any) -> Any:
    apart = c.input - c.target
    steep = (apart.sign() * c.delta).masked_fill(apart.isnan(), numpy.nan)
    return _share(g, c) * apart.where(apart.abs().lt(c.delta), steep)


@op(
    namespace=FUNCTIONAL,
    rounded=2,
    derivative=Rule("HuberLossBackward0", input=_huber_back, target=lambda g, c: -_huber_back(g, c)),
)
def huber_loss(
    input: Tensor, target: Tensor, reduction: int = 0, delta: float = 1.0, *, out: Tensor | None = None
) -> Tensor:
    """Half the square of differences up to `delta`, a straight line beyond: (...) and (...) give () or (...).

    >>> tk.nn.functional.huber_loss(tk.tensor([0.0, 2.0]), tk.tensor([0.5, 5.0]), reduction="none")
    tensor([0.1250, 2.5000])
    """
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    check_castable(result_dtype(input, target), input.dtype)
    return reduced(_huber_of(input, target, delta).to(input.dtype), reduction)


def _soft_margin_back(g: Any, c: Any) -> Any:
    return -_share(g, c) * c.target * (-c.target * c.input).sigmoid()


@op(
    namespace=FUNCTIONAL,
    rounded=2,
    derivative=Rule(
        "SoftMarginLossBackward0",
        applies=not_differentiable("soft_margin_loss", "target"),
        input=_soft_margin_back,
    ),
)
def soft_margin_loss(
    input: Tensor, target: Tensor, reduction: int = 0, *, out: Tensor | None = None
) -> Tensor:
    """``log(1 + exp(-target * input))`` for targets of 1 and -1: (...) and (...) give () or (...).

    >>> tk.nn.functional.soft_margin_loss(tk.tensor([0.0, 3.0]), tk.tensor([1.0, 1.0]), reduction="none")
    tensor([0.6931, 0.0486])
    """
    check_castable(target.dtype, input.dtype)
    same = input.shape == target.shape and input.numel()
    losses = empty_like(input) if same else input.new_empty(target.shape)
    losses.copy_(neg(target)).mul_(input).exp_().log1p_()
    return reduced(losses, reduction)
