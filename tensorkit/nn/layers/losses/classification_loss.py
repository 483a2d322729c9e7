"""Losses of a network that chooses: one class of several, yes or no, or a sequence of labels.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

from tensorkit.errors import warn
from tensorkit.nn import functional as F
from tensorkit.nn.layers.losses.loss import _Loss, _WeightedLoss
from tensorkit.tensor import Tensor

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CrossEntropyLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "NLLLoss2d",
    "SoftMarginLoss",
]


def __dir__() -> list[str]:
    return __all__


class NLLLoss(_WeightedLoss):
    """What the input has at the right class, with the other sign: (n, classes, ...) and (n, ...) give () or (n, ...).

    Args:
        weight: how much each class counts: (classes). ignore_index: rows of this class do not count.

    >>> tk.nn.NLLLoss()(tk.tensor([[-0.5, -1.0], [-2.0, -0.25]]), tk.tensor([0, 1]))
    tensor(0.3750)
    """

    ignore_index: int

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.nll_loss`."""
        return F.nll_loss(
            input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )


class NLLLoss2d(NLLLoss):
    """The older name of `NLLLoss` for images.

    >>> issubclass(tk.nn.NLLLoss2d, tk.nn.NLLLoss)
    True
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class CrossEntropyLoss(_WeightedLoss):
    """`NLLLoss` of the `LogSoftmax` of scores: (n, classes, ...) and (n, ...) give () or (n, ...).

    Args:
        weight: how much each class counts: (classes). ignore_index: rows of this class do not count.
        label_smoothing: how much of each target's chance belongs to all classes alike.

    >>> tk.nn.CrossEntropyLoss()(tk.tensor([[2.0, 0.0], [0.0, 1.0]]), tk.tensor([0, 1]))
    tensor(0.2201)
    """

    ignore_index: int
    label_smoothing: float

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.cross_entropy`."""
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class BCELoss(_WeightedLoss):
    """``-(t log x + (1 - t) log(1 - x))`` of chances x: (...) and (...) give () or (...).

    Args:
        weight: how much each element counts.

    >>> tk.nn.BCELoss()(tk.tensor([0.5, 0.9]), tk.tensor([0.0, 1.0]))
    tensor(0.3993)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.binary_cross_entropy`."""
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """`BCELoss` of the sigmoid of scores, exact for large ones: (...) and (...) give () or (...).

    Args:
        weight: how much each element counts. pos_weight: how much a 1 among the targets counts.

    >>> tk.nn.BCEWithLogitsLoss()(tk.tensor([0.0, 2.0]), tk.tensor([0.0, 1.0]))
    tensor(0.4100)
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.binary_cross_entropy_with_logits`."""
        return F.binary_cross_entropy_with_logits(
            input, target, weight=self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class SoftMarginLoss(_Loss):
    """``log(1 + exp(-t x))`` for targets t of 1 and -1: (...) and (...) give () or (...).

    >>> tk.nn.SoftMarginLoss()(tk.tensor([0.0, 3.0]), tk.tensor([1.0, 1.0]))
    tensor(0.3709)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.soft_margin_loss`."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """How much the other classes are not below the right one by `margin`: (n, classes) and (n) give () or (n).

    Args:
        p: 1, or 2 for squares. weight: how much each class counts: (classes).

    Raises:
        ValueError: for another `p`, or a weight of other than one dimension.

    >>> tk.nn.MultiMarginLoss()(tk.tensor([[0.5, 0.25, 2.0]]), tk.tensor([0]))
    tensor(1.0833)
    """

    p: int
    margin: float

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead"
            )
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.multi_margin_loss`."""
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class MultiLabelMarginLoss(_Loss):
    """How much the other classes are not below each right one by 1: (n, classes) twice give () or (n).

    >>> tk.nn.MultiLabelMarginLoss()(tk.tensor([0.1, 0.2, 0.4, 0.8]), tk.tensor([3, 0, -1, 1]))
    tensor(0.8500)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.multilabel_margin_loss`."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The binary cross entropy of scores, as a mean over the classes: (n, classes) twice give () or (n).

    Args:
        weight: how much each class counts: (classes).

    >>> tk.nn.MultiLabelSoftMarginLoss()(tk.tensor([[0.0, 2.0]]), tk.tensor([[0.0, 1.0]]))
    tensor(0.4100)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.multilabel_soft_margin_loss`."""
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class CTCLoss(_Loss):
    """The loss of labels whose places in time are not known: (steps, n, classes) gives () or (n).

    Args:
        blank: the class that says nothing. zero_infinity: whether infinite losses are 0, and have no gradient.

    >>> even = tk.full((3, 1, 2), 0.5).log()
    >>> tk.nn.CTCLoss()(even, tk.tensor([[1]]), tk.tensor([3]), tk.tensor([1])).neg().exp()
    tensor(0.7500)
    """

    blank: int
    zero_infinity: bool

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(
        self, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor
    ) -> Tensor:
        """See `nn.functional.ctc_loss`."""
        return F.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            blank=self.blank,
            reduction=self.reduction,
            zero_infinity=self.zero_infinity,
        )
