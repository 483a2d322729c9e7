"""Connectionist temporal classification: the loss of a sequence of labels whose places in time are not known.

Each time step says a class or a blank; a label that is said twice in a row counts once. The chance of the labels is
the sum over all ways to say them. It is computed step by step, over the labels with a blank before, between and behind
them: at each step one says the same again, goes on by one, or leaves out a blank between different labels.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.ctc_loss.html
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorkit import dtypes
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.signatures import Forms
from tensorkit.ops.creation.ranges import arange
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.joining.stack import stack
from tensorkit.ops.kit import BUT_FLOATS, Rule, Tensor, only_once, op
from tensorkit.ops.nn.loss.losses import MEAN, SUM
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.tensor_data import tensor

_CHECKED = " (while checking arguments for ctc_loss_allocate_outputs)"

# -- the sums over all ways -----------------------------------------------------------------------------------------


def _sums(spoken: Tensor, labels: Tensor, begins: Tensor) -> Tensor:
    """Logarithms of sums over all ways to each label at each step: (steps, n, labels).

    Args:
        spoken: the logarithms of the chances to say them. labels: (n, labels), with blanks.
        begins: 0 where a way may begin, otherwise minus infinity.
    """
    n, width = labels.shape
    outside = begins.new_full((n, 2), -math.inf)
    skips = cat((labels.new_full((n, 2), -1), labels), 1)[:, :-2] != labels
    skips[:, :2] = False
    now, steps = begins.new_full((n, width), -math.inf), []
    for said, first in zip(spoken, begins, strict=True):
        wide = cat((outside, now), 1)
        left_out = wide[:, :-2].where(skips, -math.inf)
        now = stack((wide[:, 2:], wide[:, 1:-1], left_out, first)).logsumexp(0) + said
        steps.append(now)
    return stack(steps)


def _ways(
    log_probs: Tensor, targets: Tensor, lengths: tuple[tuple[int, ...], tuple[int, ...]], blank: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The labels with blanks, what is spoken of them, and where ways begin and end: see `_sums`."""
    steps, n, _ = log_probs.shape
    width = 2 * targets.shape[1] + 1
    labels = targets.new_full((n, width), blank)
    labels[:, 1::2] = targets
    spoken = log_probs.gather(2, labels.expand(steps, n, width))
    steps_of, labels_of = (tensor(each, device=targets.device).view(n, 1) for each in lengths)
    time = arange(steps, device=targets.device).view(-1, 1, 1)
    place = arange(width, device=targets.device)
    nothing = spoken.new_zeros(())
    last = (place == 2 * labels_of) | (place == 2 * labels_of - 1)
    begins = nothing.where((time == 0) & (place < 2).expand(n, width), -math.inf)
    return labels, spoken, begins, nothing.where((time == steps_of - 1) & last, -math.inf)


@op(derivative=only_once("_ctc_loss_backward", "g", "log_probs"))
def _ctc_back(
    g: Tensor,
    log_probs: Tensor,
    targets: Tensor,
    lengths: tuple[tuple[int, ...], tuple[int, ...]],
    blank: int,
    zero_infinity: bool,
    nll: Tensor,
) -> Tensor:
    """The gradient of `ctc_loss`, for chances that add up to 1: the chances less those of all ways through a class."""
    labels, spoken, begins, ends = _ways(log_probs, targets, lengths, blank)
    to = _sums(spoken, labels, begins)
    on = _sums(spoken.flip(0, 2), labels.flip(1), ends.flip(0, 2)).flip(0, 2)
    through = (to + on - spoken + nll.unsqueeze(1)).exp()
    steep = log_probs.exp().scatter_add(2, labels.expand(through.shape), -through)
    impossible = nll.isinf().view(1, -1, 1)
    steep = (steep * g.view(1, -1, 1)).masked_fill(impossible, 0 if zero_infinity else math.nan)
    time = arange(len(steep), device=g.device).view(-1, 1, 1)
    return steep.where(time < tensor(lengths[0], device=g.device).view(1, -1, 1), 0)


@op(
    derivative=Rule(
        "CtcLossBackward0",
        log_probs=lambda g, c: _ctc_back(
            g, c.log_probs, c.targets, c.lengths, c.blank, c.zero_infinity, c.out
        ),
    )
)
def _ctc(
    log_probs: Tensor,
    targets: Tensor,
    lengths: tuple[tuple[int, ...], tuple[int, ...]],
    blank: int,
    zero_infinity: bool,
) -> Tensor:
    """The loss of each sequence; its targets are filled up to one length."""
    labels, spoken, begins, ends = _ways(log_probs, targets, lengths, blank)
    losses = -(_sums(spoken, labels, begins) + ends).logsumexp((0, 2))
    said_nothing = [steps == count == 0 for steps, count in zip(*lengths, strict=True)]
    return losses.masked_fill(tensor(said_nothing, device=losses.device), 0)


# -- arguments ------------------------------------------------------------------------------------------------------


def _listed(name: str, lengths: Tensor | Sequence[int]) -> tuple[int, ...]:
    """Lengths as integers."""
    if not isinstance(lengths, Tensor):
        return tuple(lengths)
    if lengths.dtype.category != 1:
        raise RuntimeError(f"{name} must be integral")
    return tuple(lengths.reshape(-1).tolist())


def _check(
    log_probs: Tensor, targets: Tensor, steps: Sequence[int], counts: Sequence[int], blank: int
) -> None:
    if log_probs.dtype in (*BUT_FLOATS, dtypes.float16, dtypes.bfloat16):
        raise missing_kernel("ctc_loss_cpu", log_probs.dtype.label)
    if not log_probs.numel():
        raise RuntimeError("log_probs tensor must not be empty")
    if log_probs.ndim != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {log_probs.ndim}-dimensional tensor for argument #1 'log_probs'"
            + _CHECKED
        )
    if not 1 <= targets.ndim <= 2:
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor for argument #2 'targets'"
            + _CHECKED
        )
    most, n, classes = log_probs.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    for name, lengths in (("input_lengths", steps), ("target_lengths", counts)):
        if len(lengths) != n:
            raise RuntimeError(f"{name} must be of size batch_size")
    _check_lengths("target_lengths", counts)
    _check_targets(targets, counts, n)
    _check_lengths("input_lengths", steps, most)


def _check_lengths(name: str, lengths: Sequence[int], most: int | None = None) -> None:
    for length in lengths:
        if length < 0:
            raise RuntimeError(f"Expected {name} to have value at least 0, but got value {length}{_CHECKED}")
        if most is not None and length > most:
            raise RuntimeError(
                f"Expected {name} to have value at most {most}, but got value {length}{_CHECKED}"
            )


def _check_targets(targets: Tensor, counts: Sequence[int], n: int) -> None:
    wanted = sum(counts) if targets.ndim == 1 else n
    if targets.shape[0] != wanted:
        raise RuntimeError(
            f"Expected tensor to have size {wanted} at dimension 0, but got size {targets.shape[0]} for argument #2 "
            f"'targets'{_CHECKED}"
        )
    if targets.ndim == 2 and targets.shape[1] < max(counts):
        raise RuntimeError(
            f"Expected tensor to have size at least {max(counts)} at dimension 1, but got size {targets.shape[1]} for "
            f"argument #2 'targets'{_CHECKED}"
        )


def _filled_up(targets: Tensor, counts: Sequence[int]) -> Tensor:
    """The labels of each sequence in a row: (n, longest)."""
    rows = targets.new_zeros((len(counts), max(counts)))
    begin = 0
    for place, count in enumerate(counts):
        rows[place, :count] = targets[begin : begin + count] if targets.ndim == 1 else targets[place, :count]
        begin += count
    return rows


_REST = "int blank = 0, int reduction = at::Reduction::Mean, bool zero_infinity = False)"


@op(
    rounded=8,
    forms=Forms(
        tuple(
            f"(Tensor log_probs, Tensor targets, {kind} input_lengths, {kind} target_lengths, {_REST}"
            for kind in ("tuple of ints", "Tensor")
        )
    ),
)
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 0,
    zero_infinity: bool = False,
) -> Tensor:
    """The loss of labels whose places in time are not known: (steps, n, classes) gives () or (n).

    Args:
        log_probs: logarithms of chances, which add up to 1 over the classes; without n, of one sequence.
        targets: labels: (n, longest), or those of all sequences one after the other.
        input_lengths, target_lengths: how many steps and labels of each sequence count: (n), or integers.
        blank: the class that says nothing.
        zero_infinity: whether the loss of a sequence that is too short for its labels is 0, and not infinite.

    Raises:
        RuntimeError: for sizes and lengths that do not fit.

    >>> even = tk.full((3, 1, 2), 0.5).log()  # 6 of the 8 ways to say 3 times "blank" or "1" make one "1"
    >>> tk.ctc_loss(even, tk.tensor([[1]]), [3], [1]).neg().exp()
    tensor([0.7500])
    """
    steps = _listed("input_lengths", input_lengths)
    counts = _listed("target_lengths", target_lengths)
    batch = log_probs if log_probs.ndim == 3 else log_probs.unsqueeze(1)
    _check(batch, targets, steps, counts, blank)
    labels = _filled_up(targets.to(device=batch.device, dtype=dtypes.int64), counts)
    losses = _ctc(batch, labels, (steps, counts), blank, zero_infinity)
    if zero_infinity:
        losses = where(losses == math.inf, losses.new_zeros(()), losses)
    if reduction == MEAN:
        each = tensor(counts, dtype=losses.dtype, device=losses.device).clamp_min(1)
        return (losses / each).mean()
    if reduction == SUM:
        return losses.sum()
    return losses if log_probs.ndim == 3 else losses.squeeze(0)
