"""Losses between distributions: of chances (`kl_div`) and of counts (`poisson_nll_loss`)."""

from __future__ import annotations

import math

from tensorkit.ops.kit import Tensor, op
from tensorkit.ops.nn.loss.losses import reduced


@op(rounded=2)
def kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Tensor:
    """``t (log t - x)``, how far chances x are from chances t: (...) and (...) give () or (...).

    Args:
        input: the logarithms of x. target: t. log_target: whether `target` has logarithms too.

    Raises:
        RuntimeError: for whole or complex numbers.

    >>> tk.kl_div(tk.tensor([0.25, 0.75]).log(), tk.tensor([0.5, 0.5]), reduction=2)
    tensor(0.1438)
    """
    kinds = [one.dtype for one in (input, target)]
    if any(kind.is_complex for kind in kinds):
        raise RuntimeError("kl_div: Complex inputs not supported.")
    if any(kind.category != 2 for kind in kinds):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        return reduced(target.exp() * (target - input), reduction)
    return reduced(target.xlogy(target) - target * input, reduction)


@op(rounded=2)
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int
) -> Tensor:
    """``x - t log x``, for counts t of a Poisson distribution with mean x: (...) and (...) give () or (...).

    Args:
        log_input: whether `input` is the logarithm of x.
        full: whether to add Stirling's approximation of ``log(t!)``, where t is larger than 1.
        eps: added to x, so that 0 has a logarithm.

    >>> tk.poisson_nll_loss(tk.tensor([0.0, 1.0]), tk.tensor([2.0, 3.0]), True, False, 1e-8, 0)
    tensor([ 1.0000, -0.2817])
    """
    losses = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        losses += stirling.masked_fill(target <= 1, 0)
    return reduced(losses, reduction)
