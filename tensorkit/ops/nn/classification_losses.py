"""Losses of a network that chooses: of the logarithms of chances, of scores, of one chance for each element."""

# A body of `pointwise` is written for one element, and so has other types than its parameters say.
# mypy: disable-error-code="return-value, operator, arg-type"

from __future__ import annotations

import math
from math import log
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.elementwise.promotion import check_castable, result_dtype
from tensorkit.ops.kit import BUT_FLOATS, FUNCTIONAL, Array, Rule, Tensor, not_differentiable, op, pointwise
from tensorkit.ops.nn.losses import MEAN, NONE, SUM, reduced
from tensorkit.ops.nn.smooth_activations import logsigmoid
from tensorkit.ops.reduction.softmax import log_softmax

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy_loss",
    "nll_loss_nd",
]

# -- one class of several -------------------------------------------------------------------------------------------


def _axis(input: Tensor) -> int:
    """The dimension of classes."""
    return 0 if input.ndim == 1 else 1


def _shares(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int
) -> tuple[Tensor, Tensor, int]:
    """Where each target's class stands, how much its loss counts, and the dimension of classes."""
    axis = _axis(input)
    kept = target.ne(ignore_index)
    places = target.to(dtypes.int64).where(kept, 0)
    share = kept.to(input.dtype) if weight is None else weight[places].where(kept, 0)
    return places.unsqueeze(axis), share, axis


def _no_weight(input: Tensor) -> Any:
    return not_differentiable(f"nll_loss{'' if input.ndim <= 2 else '2d'}_forward", "weight")


def _nll_back(g: Any, c: Any) -> Any:
    places, share, axis = _shares(c.input, _aligned(c.input, c.target), c.weight, c.ignore_index)
    if c.reduction == MEAN:
        share = share / share.sum()
    if c.input.ndim == 1 and c.target.ndim and c.target.shape != c.input.shape:
        raise RuntimeError(
            f"size mismatch (got input: {list(c.input.shape)}, target: {list(c.target.shape)})"
        )
    kept = _aligned(c.input, c.target).ne(c.ignore_index)
    steep = (-g.reshape(share.shape if c.reduction == NONE else ()) * share).where(kept, 0)
    return c.input.new_zeros(c.input.shape).scatter(axis, places, steep.unsqueeze(axis))


def _aligned(input: Tensor, target: Tensor) -> Tensor:
    """The target of a single row, without dimensions."""
    return target.reshape(()) if input.ndim == 1 else target


def _check_targets(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> None:
    classes = input.shape[_axis(input)]
    if input.ndim <= 2 and target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.dtype not in (dtypes.int64, dtypes.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target.dtype.label}")
    if input.ndim not in (1, 2, 4) and tuple(target.shape[1:]) != tuple(input.shape[2:]):
        wanted = [*input.shape[:1], *input.shape[2:]]
        raise RuntimeError(f"Expected target size {wanted}, got {list(target.shape)}")
    if input.ndim > 2 and tuple(target.shape) != (*input.shape[:1], *input.shape[2:]):
        if target.ndim != input.ndim - 1:
            raise RuntimeError(
                "only batches of spatial targets supported (3D tensors) but got targets of dimension: "
                f"{target.ndim}"
            )
        raise RuntimeError(f"size mismatch (got input: {list(input.shape)} , target: {list(target.shape)}")
    if weight is not None and (weight.ndim != 1 or weight.numel() != classes):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor "
            f"of shape: {list(weight.shape)}"
        )
    if input.dtype in BUT_FLOATS:
        kernel = "nll_loss_out_frame" if input.ndim <= 2 else "nll_loss2d_forward_out_frame"
        raise missing_kernel(kernel, input.dtype.label)
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.label} but found {weight.dtype.label}")
    if target.device == CPU and target.numel():
        array = target._nd()
        wrong = array[(array != ignore_index) & ((array < 0) | (array >= classes))]
        if wrong.size:
            raise IndexError(f"Target {wrong.flat[0]} is out of bounds.")


@op(
    namespace=FUNCTIONAL,
    rounded=2,
    derivative=Rule(
        lambda call: "NllLossBackward0" if call["input"].ndim <= 2 else "NllLoss2DBackward0",
        applies=lambda call: _no_weight(call["input"])(call),
        input=_nll_back,
    ),
)
def nll_loss_nd(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: int = 0,
    ignore_index: int = -100,
) -> Tensor:
    """What `input` has at the right class, with the other sign: (n, classes, ...) and (n, ...) give () or (n, ...).

    Args:
        input: logarithms of chances. target: a class for each row, int64.
        weight: how much each class counts: (classes).
        ignore_index: rows of this class do not count.

    Raises:
        IndexError: for a class that there is not.

    >>> import tensorkit as tk
    >>> tk.nn.functional.nll_loss(tk.tensor([[-0.5, -1.0], [-2.0, -0.25]]), tk.tensor([0, 1]))
    tensor(0.3750)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.nll_loss.html
    """
    if not input.ndim:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if input.ndim != 1 and (not target.ndim or input.shape[0] != target.shape[0]):
        found = target.shape[0] if target.ndim else 0
        raise ValueError(
            f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({found})."
        )
    _check_targets(input, target, weight, ignore_index)
    target = _aligned(input, target)
    places, share, axis = _shares(input, target, weight, ignore_index)
    losses = (-input.gather(axis, places).squeeze(axis) * share).where(target.ne(ignore_index), 0)
    return losses.sum() / share.sum() if reduction == MEAN else reduced(losses, reduction)


def _of_chances(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, smoothing: float
) -> Tensor:
    """`cross_entropy_loss` with a chance for each class in the place of one class."""
    axis = _axis(input)
    classes = input.shape[axis]
    if smoothing > 0:
        target = target * (1 - smoothing) + smoothing / classes
    losses = log_softmax(input, axis) * target
    if weight is not None:
        losses = losses * weight.view(_along(input, axis))
    if reduction == NONE:
        return -losses.sum(axis)
    if reduction == MEAN:
        return -losses.sum() / (input.numel() / classes if classes else math.nan)
    return -losses.sum()


def _along(input: Tensor, axis: int) -> list[int]:
    return [input.shape[axis] if d == axis else 1 for d in range(input.ndim)]


def _smoothed(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int, smoothing: float
) -> Tensor:
    """`cross_entropy_loss` where a small part of each target's chance belongs to all classes alike."""
    axis = _axis(input)
    chances = log_softmax(input, axis)
    right = nll_loss_nd(chances, target, weight, reduction, ignore_index)
    ignored = target.eq(ignore_index)
    spread = chances if weight is None else chances * weight.view(_along(input, axis))
    even = (-spread.sum(axis)).masked_fill(ignored, 0)
    if reduction == MEAN:
        _, share, _ = _shares(input, target, weight, ignore_index)
        even = even.sum() / share.sum()
    elif reduction == SUM:
        even = even.sum()
    return right * (1 - smoothing) + even * (smoothing / input.shape[axis])


@op(namespace=FUNCTIONAL, rounded=4)
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

    >>> import tensorkit as tk
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
    chances = log_softmax(input, _axis(input))
    return nll_loss_nd(chances, target, weight, reduction, ignore_index)


def _check_chances(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> None:
    if target.dtype.category != 2:
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {target.dtype.label}"
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    if not input.ndim:
        raise IndexError("Dimension specified as 1 but tensor has no dimensions")
    classes = input.shape[_axis(input)]
    if weight is not None and (weight.ndim != 1 or weight.numel() != classes):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {list(weight.shape)}"
        )


# -- yes or no, for each element ------------------------------------------------------------------------------------


def _of_chance(input: Array, target: Array) -> Array:
    yes, no = (numpy.maximum(numpy.log(x), input.dtype.type(-100)) for x in (input, 1 - input))
    return (target - 1) * no - target * yes


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
        RuntimeError: for an element that is no chance.

    >>> import tensorkit as tk
    >>> tk.nn.functional.binary_cross_entropy(tk.tensor([0.5, 0.9]), tk.tensor([0.0, 1.0]))
    tensor(0.3993)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy.html
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

    >>> import tensorkit as tk
    >>> tk.nn.functional.binary_cross_entropy_with_logits(tk.tensor([0.0, 2.0]), tk.tensor([0.0, 1.0]))
    tensor(0.4100)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy_with_logits.html
    """
    yes = logsigmoid(input)
    if pos_weight is not None:
        yes = yes * ((pos_weight - 1) * target + 1)
    no = 1 - target
    for other in (input, yes) if weight is None else (input, yes, weight):
        check_castable(result_dtype(no, other), no.dtype)
    losses = no.mul_(input).sub_(yes)  # of the dtype and the strides of the target, as PyTorch's
    return reduced(losses if weight is None else losses.mul_(weight), reduction)
