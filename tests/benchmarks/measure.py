"""How a benchmark measures: the two sides in one process, by turns, and the median of what each turn says.

The sides are run close together and change places every round, so that a busy or slowing machine is unkind to both.
"""

from __future__ import annotations

import math
import time
import timeit
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

__all__ = [
    "Benchmark",
    "Pair",
    "Row",
    "Skip",
    "benchmark",
    "by_turns",
    "codes",
    "duration",
    "require_torch",
]

ROUNDS = 41
_ROUND_SECONDS = 0.001  # short, so that both sides of a round meet the same machine


class Skip(Exception):
    """A benchmark cannot run here; its text says why."""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        name: what was measured.
        value: the number that the goal speaks about.
        unit: of the value, such as ``"× PyTorch"`` or ``"ms"``.
        detail: the times behind it.
        goal: the most that the value may be; None where it is only told.
    """

    name: str
    value: float
    unit: str
    detail: str
    goal: float | None = None

    @property
    def missed(self) -> bool:
        """Whether there is a goal, and the value is beyond it."""
        return self.goal is not None and not self.value <= self.goal


@dataclass(frozen=True)
class Benchmark:
    """A part of the table: a title and a function that measures its rows, or raises `Skip`."""

    title: str
    measure: Callable[[], Iterator[Row]]


def benchmark(title: str) -> Callable[[Callable[[], Iterator[Row]]], Benchmark]:
    """Make a `Benchmark` of a generator of rows; `tests.benchmarks.__main__` lists them all."""
    return lambda measure: Benchmark(title, measure)


@dataclass(frozen=True)
class Pair:
    """What the rounds of two sides gave, in seconds.

    >>> Pair([2.0, 3.0, 8.0], [1.0, 2.0, 2.0]).ratio
    2.0
    """

    ours: list[float]
    theirs: list[float]

    @property
    def ratio(self) -> float:
        """The median over the rounds of ours ÷ theirs."""
        return median([a / b for a, b in zip(self.ours, self.theirs, strict=True)])

    def told(self, ours: str, theirs: str) -> str:
        """Both medians, by name."""
        return f"{ours} {duration(median(self.ours))}, {theirs} {duration(median(self.theirs))}"


def by_turns(ours: Callable[[], float], theirs: Callable[[], float], rounds: int = ROUNDS) -> Pair:
    """Let two sides measure themselves by turns, after one turn each that does not count."""
    sides = (ours, theirs)
    times: tuple[list[float], list[float]] = ([], [])
    for side in sides:
        side()
    for number in range(rounds):
        for which in (0, 1) if number % 2 else (1, 0):
            times[which].append(sides[which]())
    return Pair(*times)


def codes(
    ours: str, theirs: str, our_names: dict[str, Any], their_names: dict[str, Any], rounds: int = ROUNDS
) -> Pair:
    """Two pieces of code by turns, each with its own names; seconds for one run of each."""
    return by_turns(_side(ours, our_names), _side(theirs, their_names), rounds)


def _side(code: str, names: dict[str, Any]) -> Callable[[], float]:
    timer = timeit.Timer(code, timer=_clock(), globals=names)
    once = min(timer.timeit(1) for _ in range(3))
    count = max(1, math.ceil(_ROUND_SECONDS / max(once, 1e-7)))
    return lambda: timer.timeit(count) / count


def _clock() -> Callable[[], float]:
    """This thread's own time where the system counts it finely: what other programs do does not count then."""
    fine = time.get_clock_info("thread_time").resolution < 1e-6
    return time.thread_time if fine else time.perf_counter


def duration(seconds: float) -> str:
    """A time in the unit that reads best.

    >>> duration(7.31e-07), duration(0.0123), duration(2.5)
    ('0.731 µs', '12.3 ms', '2.50 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            break
    number = seconds / size
    decimals = max(0, 2 - max(-1, math.floor(math.log10(number)))) if number else 0
    return f"{number:.{decimals}f} {unit}"


def require_torch() -> Any:
    """PyTorch, on one thread: NumPy has but one, and so has a fair comparison.

    Raises:
        Skip: when it is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise Skip("PyTorch is not installed (make bench PARITY=1 installs it)") from error
    torch.set_num_threads(1)
    return torch
