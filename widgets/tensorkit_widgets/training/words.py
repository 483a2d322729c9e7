"""The sentences of a training: of its loss, of one parameter, and of the batch."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import clipped
from tensorkit_widgets.snapshot.number_text import short
from tensorkit_widgets.training.model import History, Moment, Part, Seen

EMPTY = "Nothing is recorded yet: call record(loss) in each turn of the loop, or record(loss, inputs, output, targets)."
LONGEST = 40
NOT_REACHED = "no gradient: backward() has not reached it, or zero_grad() has taken it away"
NOT_ASKED = "no gradient: its requires_grad is False"


def number(value: float) -> str:
    """A loss or a norm.

    >>> number(2.302585), number(12.0), number(float("nan"))
    ('2.3026', '12', 'nan')
    """
    return short(value, "float32").removesuffix(".")


def norm_text(seen: Seen | str) -> str:
    """The norm of a tensor, where there is one."""
    return "none" if isinstance(seen, str) else "–" if seen.norm is None else number(seen.norm)


def at_step(moment: Moment) -> str:
    """The loss of a moment, and which that is."""
    return f"{number(moment.loss)} at step {moment.number:,}"


def title_of(history: History, at: int) -> str:
    """What is behind the model's name."""
    if not history.moments:
        return "nothing recorded"
    moment, last = history.moments[at], history.moments[-1].number
    return f"step {moment.number:,} of {last:,}, loss {number(moment.loss)}"


def answer(k: int, says: str, score: str, truth: str, classes: bool) -> tuple[str, str, bool | None]:
    """What the net says of an example: in short, as a sentence, and whether it is right.

    >>> answer(0, "7", "2.5", "3", True)[0], answer(0, "0.25", "", "0.5", False)[0]
    ('7, not 3', '0.25 (0.5)')
    """
    said = f"example {k} of the batch: the net says {says}" + (
        f", its largest score, {score}" if score else ""
    )
    if not truth:
        return says, said, None
    if not classes:
        return f"{says} ({truth})", f"{said}; the target is {truth}", None
    right = says == truth
    return (
        (says if right else f"{says}, not {truth}"),
        f"{said}; {'that' if right else truth} is right",
        right,
    )


def words_of(history: History, at: int, part: Part | None) -> Iterator[str]:
    """All that is said of a moment, beside its pictures."""
    moment = history.moments[at]
    yield _loss(history, moment)
    if len(history.moments) < history.moments[-1].number:
        every = "" if history.every == 1 else f", one in {history.every}"
        yield f"{len(history.moments)} of {history.moments[-1].number:,} steps are kept{every}."
    if part is None:
        yield "The model has no parameters."
    else:
        yield _norms(part)
    if moment.left_out:
        yield f"{moment.left_out:,} further parameters are not followed."
    if moment.batch is not None and moment.batch.right is not None:
        yield f"Of the {moment.batch.size[0]:,} examples of the batch the net has {moment.batch.right:,} right."


def _loss(history: History, moment: Moment) -> str:
    finite = [one for one in history.moments if isfinite(one.loss)]
    last, bad = history.moments[-1].number, history.bad
    said = f"Step {moment.number:,} of {last:,}: the loss is {number(moment.loss)}"
    if moment.loss != moment.loss:
        said += ", not a number"
    if bad is not None and bad != moment.number:
        said += f"; at step {bad:,} it was no finite number for the first time"
    elif bad is not None:
        said += ", for the first time: look at the weights and gradients of the step before"
    elif len(finite) > 1:
        least = min(finite, key=lambda one: one.loss)
        said += f"; it began with {number(finite[0].loss)}, and the least was {number(least.loss)}"
        said += f" at step {least.number:,}"
    return said + "."


def _norms(part: Part) -> str:
    path = clipped(part.path, LONGEST, 1 / MONO)
    whose = f"{path} of {part.kind}" if part.kind else path
    if isinstance(part.weight, str):
        return f"{whose}: {part.weight}."
    said = f"{whose}: the norm of its weights is {norm_text(part.weight)}"
    if isinstance(part.gradient, str):
        return f"{said}; {part.gradient}."
    said += f", that of its gradient {norm_text(part.gradient)}."
    if "–" in (norm_text(part.weight), norm_text(part.gradient)):
        said += " (– is not computed: there are too many numbers.)"
    return said


def legend(seen: Seen) -> str:
    """What the colours of the pictures mean."""
    scale, many = number(seen.scale), len(seen.shots)
    of = f"the first {many} of {seen.meta.size[0]:,}" if many < seen.meta.size[0] else f"all {many}"
    if seen.shots.ndim == 4:
        return f"Shown are {of}: grey is 0, white {scale} and black -{scale} in its channel."
    deep = ", of each the first input channel" if len(seen.meta.size) == 4 and seen.meta.size[1] > 1 else ""
    return f"Shown are {of}{deep}: blue is positive, orange negative, white is 0; the strongest colour is {scale}."
