"""Losses of scores: the right classes are to be above the others by some margin."""

from __future__ import annotations

from tensorkit import dtypes
from tensorkit.device import CPU
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dtypes import dtype as DType
from tensorkit.ops.creation.full import zeros_like
from tensorkit.ops.kit import BUT_FLOATS, FUNCTIONAL, Number, Rule, Tensor, not_differentiable, only_once, op
from tensorkit.ops.nn.loss.losses import MEAN, NONE, reduced

_LACKS = (*BUT_FLOATS, dtypes.float16, dtypes.bfloat16)


def _rows(input: Tensor) -> Tensor:
    """Scores as (n, classes): one row, where there is none of its own."""
    if not (input.ndim == 0 or (input.ndim < 3 and input.shape[-1])):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input.shape)}"
        )
    return input if input.ndim == 2 else input.reshape(1, -1)


def _check_kinds(kernel: str, input: Tensor, *others: tuple[Tensor | None, DType]) -> None:
    """Refuse a dtype that there is no kernel for, and another one than asked for."""
    if input.dtype in _LACKS:
        raise missing_kernel(kernel, input.dtype.label)
    for one, kind in others:
        if one is not None and one.dtype is not kind:
            raise RuntimeError(f"expected scalar type {kind.label} but found {one.dtype.label}")


def _spread(g: Tensor, rows: Tensor, reduction: int) -> Tensor:
    """The gradient of each row's loss, divided by the number of classes: (n, 1) or ()."""
    n, classes = rows.shape
    g = g.reshape(-1, 1) if reduction == NONE else g
    return g / (classes * (n if reduction == MEAN else 1))


# -- one right class ------------------------------------------------------------------------------------------------


def _above(rows: Tensor, places: Tensor, margin: Number) -> tuple[Tensor, Tensor]:
    """By how much each other class is not below the right one by `margin`; and where that is so."""
    apart = margin - rows.gather(1, places) + rows
    counts = apart.gt(0).scatter(1, places, False)
    return apart.where(counts, 0), counts


@op(derivative=only_once("multi_margin_loss_backward", "g", "input"))
def _multi_margin_back(
    g: Tensor, input: Tensor, target: Tensor, p: int, margin: Number, weight: Tensor | None, reduction: int
) -> Tensor:
    """The gradient of `multi_margin_loss`."""
    rows, places = _rows(input), target.reshape(-1, 1)
    apart, counts = _above(rows, places, margin)
    steep = counts.to(input.dtype) if p == 1 else apart * 2
    if weight is not None:
        steep = (steep * weight.reshape(-1)[places]).where(counts, 0)
    steep = steep.scatter(1, places, -steep.sum(1, keepdim=True))
    return (steep * _spread(g, rows, reduction)).reshape(input.shape)


@op(
    namespace=FUNCTIONAL,
    rounded=2,
    derivative=Rule(
        "MultiMarginLossBackward0",
        applies=not_differentiable("multi_margin_loss", "weight"),
        input=lambda g, c: _multi_margin_back(g, c.input, c.target, c.p, c.margin, c.weight, c.reduction),
    ),
)
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: Number = 1,
    margin: Number = 1,
    weight: Tensor | None = None,
    reduction: int = 0,
) -> Tensor:
    """How much the other classes are not below the right one by `margin`: (n, classes) and (n) give () or (n).

    Args:
        p: 1, or 2 for squares. weight: how much each class counts: (classes).

    Raises:
        RuntimeError: for a class out of range.

    >>> tk.nn.functional.multi_margin_loss(tk.tensor([[0.5, 0.25, 2.0]]), tk.tensor([0]))
    tensor(1.0833)
    """
    if p not in (1, 2):
        raise RuntimeError("only p == 1 and p == 2 supported")
    rows = _rows(input)
    n, classes = rows.shape
    if target.ndim > 1 or target.numel() != n:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{n}], but got {list(target.shape)}. Input has shape {list(input.shape)}."
        )
    if weight is not None and (weight.ndim > 1 or weight.numel() != classes):
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    _check_kinds("multi_margin_loss_cpu_kernel", input, (target, dtypes.int64), (weight, input.dtype))
    if target.device == CPU and bool(((target < 0) | (target >= classes)).any()):
        raise RuntimeError("target out of range")
    places = target.reshape(-1, 1)
    losses, counts = _above(rows, places, margin)
    losses = losses if p == 1 else losses * losses
    if weight is not None:
        losses = (losses * weight.reshape(-1)[places]).where(counts, 0)
    losses = losses.sum(1) / classes
    return losses if reduction == NONE and target.ndim else reduced(losses, reduction or MEAN)


# -- several right classes ------------------------------------------------------------------------------------------


def _pairs(rows: Tensor, labels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """For each label and class: by how much the class is not below it by 1, where that counts; and the labels."""
    listed = labels.lt(0).cumsum(1).eq(0)  # those before the first -1
    places = labels.where(listed, 0)
    right = zeros_like(labels).scatter_add(1, places, listed.to(labels.dtype)).gt(0)
    apart = 1 - rows.gather(1, places).unsqueeze(2) + rows.unsqueeze(1)
    counts = apart.gt(0) & listed.unsqueeze(2) & ~right.unsqueeze(1)
    return apart.where(counts, 0), counts, places


@op(derivative=only_once("multilabel_margin_loss_backward", "g", "input"))
def _multilabel_margin_back(g: Tensor, input: Tensor, target: Tensor, reduction: int) -> Tensor:
    """The gradient of `multilabel_margin_loss`."""
    rows = _rows(input)
    _, counts, places = _pairs(rows, target.reshape(rows.shape))
    steep = counts.to(input.dtype)
    steep = steep.sum(1).scatter_add(1, places, -steep.sum(2))
    return (steep * _spread(g, rows, reduction)).reshape(input.shape)


@op(
    namespace=FUNCTIONAL,
    rounded=2,
    derivative=Rule(
        "MultilabelMarginLossBackward0",
        input=lambda g, c: _multilabel_margin_back(g, c.input, c.target, c.reduction),
    ),
)
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: int = 0) -> Tensor:
    """How much the other classes are not below each right one by 1: (n, classes) twice gives () or (n).

    Args:
        target: the right classes of each row, up to the first -1.

    Raises:
        RuntimeError: for a class out of range.

    >>> tk.nn.functional.multilabel_margin_loss(tk.tensor([0.1, 0.2, 0.4, 0.8]), tk.tensor([3, 0, -1, 1]))
    tensor(0.8500)
    """
    rows = _rows(input)
    fits = target.shape == input.shape if input.ndim == 2 else target.ndim < 2
    if not fits or target.numel() != input.numel():
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}"
        )
    if target.device == CPU and bool(((target < -1) | (target >= rows.shape[1])).any()):
        raise RuntimeError("argument #2 'target' is out of range")
    _check_kinds("multilabel_margin_loss_forward_out_frame", input, (target, dtypes.int64))
    apart, _, _ = _pairs(rows, target.reshape(rows.shape))
    losses = apart.sum((1, 2)) / rows.shape[1]
    return losses if reduction == NONE and target.ndim > 1 else reduced(losses, reduction or MEAN)
