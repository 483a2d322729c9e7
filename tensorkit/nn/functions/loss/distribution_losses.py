"""Losses of distributions: of chances, of counts, of a mean with a variance, of sequences."""

from __future__ import annotations

import math

from tensorkit.autograd.grad_mode import no_grad
from tensorkit.errors import warn
from tensorkit.nn.functions.loss.reduction import legacy_reduction, reduction_number
from tensorkit.ops.creation.full import ones_like
from tensorkit.ops.nn.loss import distribution_losses as _chances
from tensorkit.ops.nn.loss.ctc_loss import ctc_loss as _ctc_loss
from tensorkit.ops.nn.loss.losses import reduced
from tensorkit.tensor import Tensor


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """``t (log t - x)``, how far chances x are from chances t: see the operation of that name.

    Args:
        reduction: also "batchmean": the sum over the number of rows, the mathematical definition.
    """
    older = size_average is not None or reduce is not None
    if reduction == "mean" and not older:
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release."
        )
    batch = reduction == "batchmean"
    how = reduction_number(size_average, reduce, "sum" if batch else reduction)
    found = _chances.kl_div(input, target, how, log_target=log_target)
    return found / input.size()[0] if batch and input.dim() else found


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``x - t log x``, for counts t of a Poisson distribution with mean x: see the operation of that name."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    how = reduction_number(None, None, reduction)
    return _chances.poisson_nll_loss(input, target, log_input, full, eps, how)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """``(log v + (x - t)² / v) / 2``, for numbers t of a normal distribution of mean x and variance v.

    Args:
        var: v, of the size of `input`, or with 1 for one of its lengths, or without its last one.
        full: whether ``log(2 pi) / 2`` is added. eps: v is not less than it.

    Raises:
        ValueError: for a variance of another size, or below 0.

    >>> gaussian_nll_loss(tk.tensor([1.0, 2.0]), tk.tensor([1.0, 4.0]), tk.tensor([1.0, 4.0]))
    tensor(0.5966)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.gaussian_nll_loss.html
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * ones_like(input)
    elif (var < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        var = _for_each(var, input)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        losses += 0.5 * math.log(2 * math.pi)
    return reduced(losses, reduction_number(None, None, reduction))


def _for_each(var: Tensor, input: Tensor) -> Tensor:
    """A variance that is the same along one dimension, with that dimension."""
    size, wanted = var.size(), input.size()
    if wanted[:-1] == size:
        return var.unsqueeze(-1)
    if len(size) == len(wanted) and sum(y for x, y in zip(wanted, size, strict=True) if x != y) == 1:
        return var
    raise ValueError("var is of incorrect size")


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """The loss of labels whose places in time are not known: see the operation of that name."""
    how = reduction_number(None, None, reduction)
    losses: Tensor = _ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, how, zero_infinity)  # type: ignore[no-untyped-call]
    return losses
