"""How a benchmark measures: calls in a row as `timeit` makes them, the sides in one process and by turns.

A turn is a warm-up of some milliseconds, and longer until the calls come as fast as they once did: then threads are
awake, on processors of their own, and caches filled. After it come the stretches that count, each of many calls between
two looks at a clock at the wall; the turn says their median. Before the next side's turn, whatever threads the last one
used must have fallen asleep: a library's threads spin for a while after their last piece of work, waiting for more
(PyTorch's for about 9 ms, those of OpenBLAS for longer), and take a core from the other side meanwhile. Both sides have
the same number of threads, and every loop is compiled before the first call.

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
from tensorkit.kernels.jit import compiler

#: In the words of the table's head. Tables of one method can be compared: change the words with the method.
METHOD = (
    "calls in a row as `timeit` makes them, warm, in stretches of a millisecond of which the median counts, loops "
    "compiled, as many threads on each side, wall clock"
)

ROUNDS, _FEWEST = 9, 3
_STRETCH, _WARM, _TURN = 0.001, 0.003, 0.005
_FIRST = 0.010  # the warm-up of a side's first turn, which finds out how long its calls take
_LEAST = 3  # stretches in a turn, however long a call takes ...
_LONG = 0.1  # ... but from here on a call is long enough to wake and fill what it uses, and to be timed alone
_SLOW, _PATIENCE = 2.0, 0.25  # not warm while calls take twice what they once took; but not for ever
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
    """A piece of code whose turn is many runs in a row, after as many as warm it up; seconds for one run."""
    return _Side(timeit.Timer(code, timer=clock, globals=names))


class _Side:
    def __init__(self, timer: timeit.Timer) -> None:
        self._timer = timer
        self._best = math.inf  # what one run took in the fastest stretch so far

    def __call__(self) -> float:
        self._warm(_WARM if self._best < math.inf else _FIRST)
        long = self._best >= _LONG
        found, spent = list[float](), 0.0
        while not found or (not long and (len(found) < _LEAST or spent < _TURN)):
            once, taken = self._stretch()
            found.append(once)
            spent += taken
        return median(found)

    def _warm(self, least: float) -> None:
        """Run until it is as fast as ever: threads that have just been woken may still share one processor."""
        if _LONG <= self._best < math.inf:
            return
        once, spent = math.inf, 0.0
        while spent < least or (once > _SLOW * self._best and spent < _PATIENCE):
            once, taken = self._stretch()
            spent += taken

    def _stretch(self) -> tuple[float, float]:
        """Runs in a row, for a millisecond or one of them: what one took, and all."""
        count = max(1, math.ceil(_STRETCH / self._best))
        taken = self._timer.timeit(count)
        once = taken / count
        self._best = min(self._best, max(once, 1e-9))
        return once, taken


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
    compiler.wait()
    before = [(library, library.get_num_threads()) for library in (tensorkit, torch)]
    try:
        for library, _ in before:
            library.set_num_threads(count)
        yield
    finally:
        for library, had in before:
            library.set_num_threads(had)
