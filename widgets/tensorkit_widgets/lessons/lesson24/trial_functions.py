"""Functions that learners write for the exercises of lesson 24, and how they are tried: on ranks that count bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tensorkit import Tensor, stack
from tensorkit.distributed.tensor import DTensor, Shard
from tensorkit_widgets.lessons.lesson24.counting import Counting
from tensorkit_widgets.practice.checking.checks import BLANK, Checker
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict
from tensorkit_widgets.practice.markup import quoted, told

CASES = ((80, 3), (82, 2))
"""Of the second, four ranks have 21, 21, 21 and 19 rows."""


@dataclass(frozen=True)
class _Outcome:
    """What a function made of a tensor, rounded; the bytes that it brought home, and all that there are."""

    numbers: tuple[float, ...] | None
    blank: bool
    brought: int
    all: int


def _numbers(value: Any) -> list[float] | None:
    if isinstance(value, DTensor):
        value = value.full_tensor()
    if isinstance(value, Tensor):
        return [float(one) for one in value.reshape(-1).tolist()]
    if isinstance(value, (tuple, list)):
        several = [_numbers(one) for one in value]
        return None if None in several else [number for one in several for number in one or ()]
    return [float(value)] if isinstance(value, (int, float)) else None


def _outcome(function: Callable[..., Any], size: tuple[int, int]) -> _Outcome:
    ranks = Counting(4)
    value = function(ranks.place(size, Shard(0)))
    brought = ranks.bytes_brought
    numbers = _numbers(value)
    kept = None if numbers is None else tuple(round(one, 3) for one in numbers)
    return _Outcome(kept, value is Ellipsis, brought, 4 * size[0] * size[1])


def function_check(
    wanted: Callable[[Any], Any], too_much: str, misconception: str, slips: Sequence[Slip]
) -> Checker:
    """A function of a sharded tensor gives what `wanted` gives, and brings home less than a fifth of its bytes for it.

    Args:
        too_much: what to say of one that brings more; it may name ``{brought}`` and ``{all}``.
    """

    def judge(answer: Answer) -> Verdict:
        function: Any = answer.value
        if not callable(function):
            return Verdict(None, f"{quoted(function)} is not a function: give the function itself.")
        for size in CASES:
            try:
                found, right = _outcome(function, size), _outcome(wanted, size)
            except Exception as error:
                return Verdict(
                    False, f"with a sharded tensor of size {size} your function stopped with {told(error)}."
                )
            if found.blank:
                return Verdict(None, BLANK)
            if found.numbers == right.numbers and 5 * found.brought < found.all:
                continue
            alike = Answer(function, answer.base, lambda other: _does_as(function, other))
            slip = next((one for one in slips if one.fits(alike)), None)
            if slip is not None:
                return slip.verdict()
            if found.numbers != right.numbers:
                given = "nothing that I can read" if found.numbers is None else quoted(found.numbers)
                return Verdict(
                    False,
                    f"of a sharded tensor of size {size} it gives {given}; it should be {quoted(right.numbers)}.",
                )
            return Verdict(False, too_much.format(brought=found.brought, all=found.all), misconception)
        return Verdict(True)

    return Checker(judge, tuple(slips))


def _does_as(function: Callable[..., Any], other: Callable[..., Any]) -> bool:
    return all(_outcome(function, size) == _outcome(other, size) for size in CASES)


# -- mean and standard deviation of each column


def statistics_there(t: Any) -> Any:
    """The right one: the ranks compute."""
    return t.mean(0), t.std(0)


def all_at_home(t: Any) -> Any:
    """Brings all rows home first."""
    here = t.full_tensor()
    return here.mean(0), here.std(0)


def mean_of_parts(t: Any) -> Any:
    """Averages the averages of the ranks, of which the last one has fewer rows."""
    parts = [t.to_local(rank=rank) for rank in range(t.device_mesh.size())]
    return stack([one.mean(0) for one in parts]).mean(0), stack([one.std(0) for one in parts]).mean(0)


def total_only(t: Any) -> Any:
    """One number for all columns together."""
    return t.mean(), t.std()


def biased(t: Any) -> Any:
    """Divides by n."""
    return t.mean(0), t.var(0, correction=0).sqrt()


# -- the largest sum of a row


def largest_there(t: Any) -> Any:
    """The right one: a number comes home."""
    return t.sum(1).max().item()


def in_the_loop(t: Any) -> Any:
    """Brings everything home for every row."""
    return max(t.full_tensor()[row].sum().item() for row in range(len(t)))


def once_before(t: Any) -> Any:
    """Brings everything home, but once."""
    here = t.full_tensor()
    return max(here[row].sum().item() for row in range(len(here)))


def from_each_row(t: Any) -> Any:
    """Adds up columns."""
    return t.sum(0).max().item()
