"""Losses of differences and of distributions, and what all losses have in common.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

from tensorkit.nn import functional as F
from tensorkit.nn.functions.loss.reduction import legacy_reduction
from tensorkit.nn.module import Module
from tensorkit.tensor import Tensor

__all__ = ["GaussianNLLLoss", "HuberLoss", "KLDivLoss", "L1Loss", "MSELoss", "PoissonNLLLoss", "SmoothL1Loss"]


def __dir__() -> list[str]:
    return __all__


class _Loss(Module):
    """What losses are made from: they know how the losses of elements become one number.

    Args:
        size_average, reduce: older spellings of `reduction`, which win, with a warning.
        reduction: "mean", "sum", or "none".
    """

    reduction: str

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        self.reduction = legacy_reduction(size_average, reduce, reduction)


class _WeightedLoss(_Loss):
    """A loss with a weight for each class or element, which is a buffer."""

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """The sizes of the differences: (...) and (...) give () or (...).

    Args:
        reduction: "mean", "sum", or "none" for a loss of each element.

    >>> tk.nn.L1Loss()(tk.tensor([1.0, 2.0]), tk.tensor([1.0, 5.0]))
    tensor(1.5000)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.l1_loss`."""
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """The squares of the differences: (...) and (...) give () or (...).

    Args:
        reduction: "mean", "sum", or "none" for a loss of each element.

    >>> tk.nn.MSELoss()(tk.tensor([1.0, 2.0]), tk.tensor([1.0, 4.0]))
    tensor(2.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.mse_loss`."""
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """Differences, but half the square of those smaller than `beta`, over it: (...) and (...) give () or (...).

    >>> tk.nn.SmoothL1Loss()(tk.tensor([0.0, 2.0]), tk.tensor([0.5, 5.0]))
    tensor(1.3125)
    """

    beta: float

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.smooth_l1_loss`."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Half the square of differences up to `delta`, a straight line beyond: (...) and (...) give () or (...).

    Raises:
        TypeError: for a `delta` that is not a number.

    >>> tk.nn.HuberLoss()(tk.tensor([0.0, 2.0]), tk.tensor([0.5, 5.0]))
    tensor(1.3125)
    """

    delta: float

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.huber_loss`."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class KLDivLoss(_Loss):
    """``t (log t - x)``, how far chances x are from chances t: (...) and (...) give () or (...).

    Args:
        reduction: also "batchmean": the sum over the number of rows.
        log_target: whether the targets are logarithms, as the inputs are.

    >>> loss = tk.nn.KLDivLoss(reduction="batchmean")
    >>> loss(tk.tensor([[0.25, 0.75]]).log(), tk.tensor([[0.5, 0.5]]))
    tensor(0.1438)
    """

    log_target: bool

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.kl_div`."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(_Loss):
    """``x - t log x``, for counts t of a Poisson distribution with mean x: (...) and (...) give () or (...).

    Args:
        log_input: whether the inputs are logarithms of x. full: whether ``log(t!)`` is added. eps: is added to x.

    >>> tk.nn.PoissonNLLLoss()(tk.tensor([0.0, 1.0]), tk.tensor([2.0, 3.0]))
    tensor(0.3591)
    """

    log_input: bool
    full: bool
    eps: float

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.poisson_nll_loss`."""
        return F.poisson_nll_loss(
            log_input,
            target,
            log_input=self.log_input,
            full=self.full,
            eps=self.eps,
            reduction=self.reduction,
        )


class GaussianNLLLoss(_Loss):
    """``(log v + (x - t)² / v) / 2``, for numbers t of mean x and variance v: (...) three times give () or (...).

    Args:
        full: whether ``log(2 pi) / 2`` is added. eps: v is not less than it.

    >>> tk.nn.GaussianNLLLoss()(tk.tensor([1.0, 2.0]), tk.tensor([1.0, 4.0]), tk.tensor([1.0, 4.0]))
    tensor(0.5966)
    """

    full: bool
    eps: float

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """See `nn.functional.gaussian_nll_loss`."""
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)
