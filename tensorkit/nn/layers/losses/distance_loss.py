"""Losses of distances: what belongs together is to be near, what does not is to be far by some margin.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

from collections.abc import Callable

from tensorkit.nn import functional as F
from tensorkit.nn.layers.distance import PairwiseDistance
from tensorkit.nn.layers.losses.loss import _Loss
from tensorkit.tensor import Tensor

__all__ = [
    "CosineEmbeddingLoss",
    "HingeEmbeddingLoss",
    "MarginRankingLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


def __dir__() -> list[str]:
    return __all__


class HingeEmbeddingLoss(_Loss):
    """The distance itself for targets of 1, what is missing to `margin` for -1: (...) and (...) give () or (...).

    >>> tk.nn.HingeEmbeddingLoss()(tk.tensor([0.25, 0.25, 3.0]), tk.tensor([1, -1, -1]))
    tensor(0.3333)
    """

    margin: float

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.hinge_embedding_loss`."""
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """How much the first is not larger than the second by `margin`, or smaller for targets of -1.

    Args:
        margin: three tensors of (...) give () or (...).

    >>> tk.nn.MarginRankingLoss()(tk.tensor([3.0, 3.0]), tk.tensor([1.0, 1.0]), tk.tensor([1, -1]))
    tensor(1.)
    """

    margin: float

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.margin_ranking_loss`."""
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """1 - cos of the angle for targets of 1, what cos is above `margin` for -1: (n, d), (n, d), (n) give () or (n).

    >>> one, other = tk.tensor([[1.0, 0.0]]), tk.tensor([[0.0, 2.0]])
    >>> tk.nn.CosineEmbeddingLoss()(one, other, tk.tensor([1]))
    tensor(1.)
    """

    margin: float

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """See `nn.functional.cosine_embedding_loss`."""
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """How much `negative` is not farther than `positive` by `margin`: (n, d) or (d) three times give () or (n).

    Args:
        p: of the norm that measures. eps: added to differences.
        swap: whether the distance from `positive` to `negative` counts, where it is the smaller one.

    Raises:
        ValueError: for a `margin` that is not above 0.

    >>> points = tk.tensor([0.0, 0.0]), tk.tensor([0.0, 1.0]), tk.tensor([1.5, 0.0])
    >>> tk.nn.TripletMarginLoss()(*points)
    tensor(0.5000)
    """

    margin: float
    p: float
    eps: float
    swap: bool

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """See `nn.functional.triplet_margin_loss`."""
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(_Loss):
    """`TripletMarginLoss` with a distance of one's own: (n, ...) three times give () or (n).

    Args:
        distance_function: gives the distances of two tensors: (n, ...) and (n, ...) give (n). By default, the norm.
        swap: whether the distance from `positive` to `negative` counts, where it is the smaller one.

    Raises:
        ValueError: for a `margin` that is not above 0.

    >>> points = tk.tensor([[0.0, 0.0]]), tk.tensor([[0.0, 1.0]]), tk.tensor([[1.5, 0.0]])
    >>> tk.nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(-1))(*points)
    tensor(0.5000)
    """

    margin: float
    swap: bool

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average=None, reduce=None, reduction=reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.distance_function = distance_function if distance_function is not None else PairwiseDistance()
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """See `nn.functional.triplet_margin_with_distance_loss`."""
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )
