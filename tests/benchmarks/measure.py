"""How a benchmark measures: calls in a row as `timeit` makes them, the sides in one process and by turns.

A turn is a warm-up of some milliseconds, after which threads are awake and caches filled, and then the calls that
count, by a clock at the wall. Before the next side's turn, whatever threads the last one used must have fallen asleep:
a library's threads spin for a while after their last piece of work, waiting for more (PyTorch's for about 9 ms, those
of OpenBLAS for longer), and take a core from the other side meanwhile. Both sides have the same number of threads, and
every loop is compiled before the first call.

The sides are run close together and change places every round, so that a busy or slowing machine is unkind to both.
What counts is the median over the rounds.
"""

from __future__ import annotations

import contextlib
import math
import time
import timeit
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import tensorkit
from tensorkit.kernels import compiled

__all__ = [
    "METHOD",
    "Benchmark",
    "Pair",
    "Row",
    "Skip",
    "benchmark",
    "by_turns",
    "codes",
    "duration",
    "on_threads",
    "require_torch",
    "side",
]

#: In the words of the table's head. Tables of one method can be compared: change the words with the method.
METHOD = (
    "calls in a row as `timeit` makes them, warm, loops compiled, as many threads on each side, wall clock"
)

ROUNDS, _FEWEST = 9, 3
_SECONDS = 1.0  # after so long, no further round is begun
_WARM, _TURN = 0.003, 0.005
_LEAST = 2  # calls in a row, however long they take ...
_LONG = 0.1  # ... but from here on a call is long enough to wake and fill what it uses, and to be timed alone
_STEP, _LONGEST_REST = 0.003, 0.3


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
        threaded: the value with all threads, where the other is with one; None where nothing of the kind was measured.
    """

    name: str
    value: float
    unit: str
    detail: str
    goal: float | None = None
    threaded: float | None = None

    @property
    def values(self) -> list[float]:
        """What was measured: with one thread, and with all."""
        return [self.value] if self.threaded is None else [self.value, self.threaded]

    @property
    def missed(self) -> bool:
        """Whether there is a goal, and a value is beyond it."""
        return any(map(self.beyond, self.values))

    def beyond(self, value: float) -> bool:
        """Whether a value is beyond the goal."""
        return self.goal is not None and not value <= self.goal


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


def by_turns(
    sides: Sequence[Callable[[], float]], rounds: int = ROUNDS, seconds: float = math.inf
) -> list[list[float]]:
    """Let sides measure themselves by turns, after one turn each that does not count: what each said in every round.

    Args:
        rounds: the most rounds.
        seconds: after so long no round is begun any more, but for the first few.
    """
    times: list[list[float]] = [[] for _ in sides]
    for side in sides:
        _rested(side)
    end = time.perf_counter() + seconds
    for number in range(rounds):
        if number >= _FEWEST and time.perf_counter() > end:
            break
        for which in range(len(sides)) if number % 2 else reversed(range(len(sides))):
            times[which].append(_rested(sides[which]))
    return times


def _rested(side: Callable[[], float]) -> float:
    """A side's turn, and a rest after it until the threads that helped have fallen asleep."""
    before = _helpers()
    said = side()
    if _helpers() - before > _STEP / 20:
        _rest()
    return said


def _rest() -> None:
    for _ in range(math.ceil(_LONGEST_REST / _STEP)):
        before = _helpers()
        time.sleep(_STEP)
        if _helpers() - before < _STEP / 20:
            break


def _helpers() -> float:
    """The time on a processor that this process has taken in other threads than this one."""
    return time.process_time() - time.thread_time()


def codes(
    ours: str, theirs: str, our_names: dict[str, Any], their_names: dict[str, Any], rounds: int = ROUNDS
) -> Pair:
    """Two pieces of code by turns, each with its own names; seconds for one run of each."""
    return Pair(*by_turns([side(ours, our_names), side(theirs, their_names)], rounds))


def side(
    code: str, names: dict[str, Any], clock: Callable[[], float] = time.perf_counter
) -> Callable[[], float]:
    """A piece of code that is run many times in a row, after as many runs as warm it up; seconds for one run.

    Its first turn finds out how many that are.
    """
    timer = timeit.Timer(code, timer=clock, globals=names)
    once = 0.0

    def turn() -> float:
        nonlocal once
        if not once:
            once = _once(timer)
            return once
        if once >= _LONG:
            return timer.timeit(1)
        timer.timeit(math.ceil(_WARM / once))
        count = max(_LEAST, math.ceil(_TURN / once))
        return timer.timeit(count) / count

    return turn


def _once(timer: timeit.Timer) -> float:
    """What one of many runs in a row takes: the first ones load and wake what the others find ready."""
    alone = min(timer.timeit(1) for _ in range(2))
    return alone if alone >= _LONG else min(_in_a_row(timer) for _ in range(2))


def _in_a_row(timer: timeit.Timer) -> float:
    count, taken = 1, timer.timeit(1)
    while taken < _WARM:
        count *= 2
        taken = timer.timeit(count)
    return taken / count


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
    """PyTorch.

    Raises:
        Skip: when it is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise Skip("PyTorch is not installed (make bench PARITY=1 installs it)") from error
    return torch


@contextlib.contextmanager
def on_threads(torch: Any, count: int) -> Iterator[None]:
    """Give both libraries so many threads, with every loop of ours compiled; afterwards they have what they had."""
    compiled.wait()
    before = [(library, library.get_num_threads()) for library in (tensorkit, torch)]
    try:
        for library, _ in before:
            library.set_num_threads(count)
        yield
    finally:
        for library, had in before:
            library.set_num_threads(had)
