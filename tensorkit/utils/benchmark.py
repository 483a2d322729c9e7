"""How long statements take: `Timer` measures, `Measurement` says what was found, `Compare` puts several into a table.

>>> from tensorkit.utils import benchmark
>>> timer = benchmark.Timer("x + x", setup="x = torch.ones(3)", num_threads=1)
>>> timer.timeit(10).number_per_run
10

In a statement ``torch`` and ``tensorkit`` are this library. Results are spread over as many threads as `num_threads`
says. Counting instructions (Callgrind) and statements in C++ are left to PyTorch.

Source: arguments, texts and tables follow https://docs.pytorch.org/docs/stable/benchmark_utils.html.
"""

from __future__ import annotations

import contextlib
import math
import operator
import sys
import textwrap
import time
import timeit
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from tensorkit import cuda, tracing
from tensorkit.kernels.jit import threads

__all__ = [
    "Compare",
    "Measurement",
    "TaskSpec",
    "Timer",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "timer",
    "trim_sigfig",
    "unit_to_english",
]


def __dir__() -> list[str]:
    return __all__


_WARN, _WARN_STRONGLY = 0.1, 0.25  # of the median: how wide the middle half of the times may be
_MOST_FIGURES = 4
_CLOCK = 25e-9  # times are not more accurate than that
_NORMAL_90 = 1.645  # this many standard errors to each side hold 90 % of a normal distribution
_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_ENGLISH = {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}


# -- numbers and units --------------------------------------------------------------------------------------------


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which a time is easily read, and its length in seconds.

    >>> select_unit(0.002)
    ('ms', 0.001)
    """
    power = math.floor(math.log10(t) / 3) if t else -3
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(power, "s")
    return unit, _UNITS[unit]


def unit_to_english(u: str) -> str:
    """The name of a unit: ``'us'`` is ``'microsecond'``."""
    return _ENGLISH[u]


def trim_sigfig(x: float, n: int) -> float:
    """A number with only its first `n` digits.

    >>> trim_sigfig(3456.7, 2)
    3500.0
    """
    if not x or n != int(n):
        raise ValueError(f"cannot keep {n} digits of {x}")
    scale = numpy.float32(10.0 ** (math.ceil(math.log10(abs(x))) - n))
    # In single precision, as PyTorch does: tables show it where digits are left over.
    return float(numpy.rint(numpy.float32(x) / scale) * scale)


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """The different elements, in the order in which they came."""
    return list(dict.fromkeys(elements))


def _quantile(ordered: Sequence[float], part: float) -> float:
    """The value below which that part of the sorted numbers lies, between two of them if need be."""
    place = part * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


# -- what was measured --------------------------------------------------------------------------------------------


@dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """The settings of a `Timer`: the statement and its names."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement."""
        if self.label is not None or "\n" not in self.stmt:
            name = self.stmt if self.label is None else self.label
            return f"{name}: {self.sub_label}" if self.sub_label else name
        more = f" ({self.sub_label})" if self.sub_label else ""
        return f"stmt:{more}\n{textwrap.indent(self.stmt, '  ')}"

    def setup_str(self) -> str:
        """The setup, unless there is none."""
        if self.setup in ("", "pass"):
            return ""
        several = "\n" in self.setup
        return f"setup:\n{textwrap.indent(self.setup, '  ')}" if several else f"setup: {self.setup}"

    def summarize(self) -> str:
        """All that the task is called, on lines of their own."""
        parts = [part for part in (self.title, self.description or "", self.setup_str()) if part]
        return "\n".join(f"{part}\n" if "\n" in part else part for part in parts)


@dataclass(init=True, repr=False)
class Measurement:
    """Times of one task: ``raw_times[i]`` seconds for ``number_per_run`` runs.

    The names of the task (``label``, ``stmt``, ``num_threads``, …) can be asked of the measurement itself.

    >>> spec = TaskSpec("x + 1", "pass")
    >>> print(str(Measurement(100, [1e-4, 2e-4, 1.5e-4, 1.6e-4], spec)).split(chr(10), 2)[2])
      Median: 1.55 us
      IQR:    0.33 us (1.38 to 1.70)
      4 measurements, 100 runs per measurement, 1 thread
      WARNING: Interquartile range is 21.0% of the median measurement.
               This could indicate system fluctuation.
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if name in TaskSpec.__dataclass_fields__:
            return getattr(self.task_spec, name)
        raise AttributeError(f"'Measurement' object has no attribute '{name}'")

    @property
    def times(self) -> list[float]:
        """Seconds for one run, of each measurement."""
        return [seconds / self.number_per_run for seconds in self.raw_times]

    @property
    def _ordered(self) -> list[float]:
        if not self.raw_times:
            raise ValueError("No raw_times in measurement.")
        return sorted(self.times)

    @property
    def median(self) -> float:
        """The time in the middle."""
        return _quantile(self._ordered, 0.5)

    @property
    def mean(self) -> float:
        """The times' mean."""
        return math.fsum(self._ordered) / len(self._ordered)

    @property
    def iqr(self) -> float:
        """The interquartile range: how far the middle half of the times is spread."""
        return _quantile(self._ordered, 0.75) - _quantile(self._ordered, 0.25)

    @property
    def significant_figures(self) -> int:
        """About how many digits of the median mean something: from 1 to 4."""
        ordered = self._ordered
        middle = ordered[len(ordered) // 4 : math.ceil(3 * len(ordered) / 4)]
        error = _NORMAL_90 * float(numpy.std(middle)) / math.sqrt(len(middle))
        digits = math.floor(math.log10(self.median / max(error, _CLOCK)))
        return min(max(digits, 1), _MOST_FIGURES)

    @property
    def has_warnings(self) -> bool:
        """Whether the times are spread so far that the text warns of it."""
        return not self.meets_confidence()

    def meets_confidence(self, threshold: float = _WARN) -> bool:
        """Whether the middle half of the times is within that part of the median."""
        return self.iqr / self.median < threshold

    @property
    def title(self) -> str:
        """The title of the task."""
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """What a table calls it."""
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    def __repr__(self) -> str:
        # PyTorch has its class in a file of that name, which every reader of a measurement sees.
        name = f"{__name__}.utils.common.{type(self).__qualname__}"
        begun = f"<{name} object at {id(self):#x}>"
        return "\n".join([begun, self.task_spec.summarize(), *self._findings()])

    def _findings(self) -> Iterator[str]:
        count, (unit, length) = len(self.raw_times), select_unit(self.median)
        several = count > 1
        yield f"  {'Median: ' if several else ''}{self.median / length:.2f} {unit}"
        if count > 3:
            ends = (_quantile(self._ordered, part) / length for part in (0.25, 0.75))
            yield f"  IQR:    {self.iqr / length:.2f} {unit} ({' to '.join(f'{end:.2f}' for end in ends)})"
        yield (
            f"  {count} measurement{'s' if several else ''}, {self.number_per_run} runs "
            f"{'per measurement,' if several else ','} {self.num_threads} "
            f"thread{'s' if self.num_threads > 1 else ''}"
        )
        if self.has_warnings:
            yield f"  WARNING: Interquartile range is {self.iqr / self.median * 100:.1f}% of the median measurement."
            strong = not self.meets_confidence(_WARN_STRONGLY)
            why = (
                "suggests significant environmental influence"
                if strong
                else "could indicate system fluctuation"
            )
            yield f"           This {why}."

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """One measurement for each task, with the times of one run of all that have the same."""
        groups: dict[TaskSpec, list[float]] = {}
        for measurement in measurements:
            groups.setdefault(measurement.task_spec, []).extend(measurement.times)
        return [Measurement(1, seconds, task) for task, seconds in groups.items()]


# -- the clock ----------------------------------------------------------------------------------------------------


def timer() -> float:
    """Seconds, after all devices have finished their work."""
    if cuda.is_available():
        cuda.synchronize()
    return time.perf_counter()


@contextlib.contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """Let the engine use `n` threads inside the ``with`` block."""
    before = threads.get_num_threads()
    try:
        threads.set_num_threads(n)
        yield
    finally:
        threads.set_num_threads(before)


def _cleaned(code: str) -> str:
    code = textwrap.dedent(code)
    return code.removeprefix("\n").rstrip()


Callback = Callable[[int, float], Any]


class Timer:
    """Measures how long a statement takes; unlike `timeit.Timer` it warms up, and controls the number of threads.

    Args:
        stmt, setup: Python code; the setup runs once before each measurement.
        global_setup: only for C++. timer: a function that gives seconds.
        globals: names that the code can use.
        label, sub_label, description, env: what the result is called: title, row, column and origin in a table.
        num_threads: for how many threads the engine is set meanwhile.

    Raises:
        ValueError: for code that is not a string. SyntaxError: for code that is not valid Python.
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: str = "python",
    ) -> None:
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language not in ("python", "py"):
            known = language in ("c++", "cpp")
            raise ValueError(
                "statements in C++ are not supported" if known else f"Invalid language `{language}`."
            )
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to "
                "`setup`."
            )
        stmt, setup = _cleaned(stmt), _cleaned(setup)
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)
        self._timer = timeit.Timer(stmt, setup, timer, _names(globals))

    def _timeit(self, number: int) -> float:
        with tracing.paused():
            return max(self._timer.timeit(number), 1e-9)

    def timeit(self, number: int = 1000000) -> Measurement:
        """Run the statement `number` times, after a warm-up."""
        with set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(int(number // 100), 2))
            return Measurement(number, [self._timeit(number)], self._task_spec)

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        """Not offered: `blocked_autorange` repeats."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callback | None = None) -> None:
        """Not offered: `blocked_autorange` finds the number of runs."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def blocked_autorange(self, callback: Callback | None = None, min_run_time: float = 0.2) -> Measurement:
        """Measure blocks of enough runs that the clock does not matter, for at least `min_run_time` seconds.

        Args:
            callback: called after each block with the number of runs and the seconds.
        """
        return self._blocks(min_run_time, callback, lambda found, seconds: seconds >= min_run_time)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callback | None = None,
    ) -> Measurement:
        """Measure blocks until the middle half of the times is within `threshold` of the median, or time is up.

        Args:
            min_run_time, max_run_time: seconds. callback: as for `blocked_autorange`.
        """

        def enough(found: Measurement, seconds: float) -> bool:
            if seconds > max_run_time:
                return True
            sure = len(found.raw_times) > 3 and found.meets_confidence(threshold)
            return sure and seconds >= min_run_time

        return self._blocks(0.05, callback, enough)

    def _blocks(
        self, aim: float, callback: Callback | None, enough: Callable[[Measurement, float], bool]
    ) -> Measurement:
        with set_torch_threads(self._task_spec.num_threads):
            found = Measurement(self._block_size(aim), [], self._task_spec)
            total = 0.0
            while not found.raw_times or not enough(found, total):
                seconds = self._timeit(found.number_per_run)
                found.raw_times.append(seconds)
                total += seconds
                if callback is not None:
                    callback(found.number_per_run, seconds)
        return found

    def _block_size(self, aim: float) -> int:
        """A power of ten of runs beside which looking at the clock takes no time."""
        overhead = sorted(self._timeit(0) for _ in range(5))[2]
        number = 1
        while True:
            taken = self._timeit(number)
            if (overhead / taken <= 1e-4 and taken >= aim / 1000) or taken > aim or number > 2**31 / 10:
                return number
            number *= 10


def _names(given: dict[str, Any] | None) -> dict[str, Any]:
    """What a statement can use: the names given, and this library in its own name and in PyTorch's."""
    library = sys.modules[__name__.partition(".")[0]]
    return {"tensorkit": library, "torch": library} | (given or {})


# -- tables -------------------------------------------------------------------------------------------------------

_BOLD, _END = "\033[1m", "\033[0m"
_BEST, _GOOD, _BAD, _VERY_BAD = "\033[92m", "\033[34m", "\033[2m\033[91m", "\033[31m"
_Row = tuple[int, str, str]


def _coloured(cell: str, seconds: float, best: float) -> str:
    """A cell in the colour that says how far it is from the best one."""
    if seconds <= best * 1.01 or seconds <= best + 100e-9:
        return f"{_BEST}{_BOLD}{cell}{_END}{_END}"
    if seconds <= best * 1.1:
        return f"{_GOOD}{_BOLD}{cell}{_END}{_END}"
    if seconds >= best * 5:
        return f"{_VERY_BAD}{_BOLD}{cell}{_END}{_END}"
    return f"{_BAD}{cell}{_END}{_END}" if seconds >= best * 2 else cell


class Compare:
    """A table of measurements: a row for each `sub_label`, a column for each `description`.

    >>> fast = Measurement(1, [1e-6], TaskSpec("a", "pass", label="sum", sub_label="1000", description="one"))
    >>> slow = Measurement(1, [4e-6], TaskSpec("a", "pass", label="sum", sub_label="1000", description="two"))
    >>> Compare([fast, slow]).print()
    [--------- sum ----------]
                |  one  |  two
    1 threads: ---------------
          1000  |  1.0  |  4.0
    <BLANKLINE>
    Times are in microseconds (us).
    <BLANKLINE>
    """

    def __init__(self, results: list[Measurement]) -> None:
        self._results: list[Measurement] = []
        self.extend_results(results)
        self._trim = self._warn = False
        self._colour: str | None = None

    def __str__(self) -> str:
        return "\n".join(self._render())

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Add measurements."""
        given = list(results)
        for result in given:
            if not isinstance(result, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
        self._results.extend(given)

    def trim_significant_figures(self) -> None:
        """Show no more digits than were measured."""
        self._trim = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colour the times by how far they are from the best of their column, or of their row."""
        self._colour = "rows" if rowwise else "columns"

    def highlight_warnings(self) -> None:
        """Mark times that are spread far."""
        self._warn = True

    def print(self) -> None:
        """Print the table."""
        print(str(self))

    def _render(self) -> list[str]:
        groups: dict[Any, list[Measurement]] = {}
        for result in Measurement.merge(self._results):
            groups.setdefault(result.label, []).append(result)
        return [self._table(group) for group in groups.values()]

    def _table(self, results: list[Measurement]) -> str:
        unit, length = select_unit(min(result.median for result in results))
        rows = sorted(ordered_unique(map(_row, results)), key=operator.itemgetter(slice(2)))
        columns = ordered_unique(result.description for result in results)
        found = {(_row(result), result.description): result for result in results}
        grid = [[found.get((row, column)) for column in columns] for row in rows]
        cells = _transposed([self._column(list(column), length) for column in zip(*grid, strict=True)])
        lines = _laid_out(
            rows, [c or "" for c in columns], cells, lambda place: self._painted(rows, grid, place)
        )
        width = len(lines[0])
        label = f" {results[0].label or ''} "
        lines = [
            f"[{label.center(width - 2, '-')}]",
            *lines,
            "",
            f"Times are in {unit_to_english(unit)}s ({unit}).",
        ]
        if self._warn and any(result.has_warnings for result in results):
            lines.append("(! XX%) Measurement has high variance, where XX is the IQR / median * 100.")
        return "\n".join(lines) + "\n"

    def _column(self, results: list[Measurement | None], length: float) -> list[str]:
        """The times of a column in one format."""
        there = [result for result in results if result is not None]
        digits = [math.ceil(math.log10(result.median / length)) for result in there]
        decimals = 1
        if self._trim:
            decimals = min(
                max(result.significant_figures - count, 0)
                for result, count in zip(there, digits, strict=True)
            )
        width = max(digits) + decimals + (1 if decimals else 0)
        room = 7 if self._warn and any(result.has_warnings for result in there) else 0
        return [self._cell(result, length, f">{width}.{decimals}f", room) for result in results]

    def _cell(self, result: Measurement | None, length: float, form: str, room: int) -> str:
        """One time; `room` is kept for a warning beside it."""
        if result is None:
            return " " * len(f"{1.0:{form}}{'':{room}}")
        value = result.median / length
        if self._trim:
            value = trim_sigfig(value, result.significant_figures)
        spread = f" (! {result.iqr / result.median * 100:.0f}%)" if room and result.has_warnings else ""
        return f"{value:{form}}{spread:>{room}}"

    def _painted(
        self, rows: list[_Row], grid: list[list[Measurement | None]], place: tuple[int, int]
    ) -> Callable[[str], str]:
        """What gives a cell its colour: beside it are those of its row, or of its column for as many threads."""
        row, column = place
        result = grid[row][column]
        if self._colour is None or result is None:
            return str
        beside = grid[row]
        if self._colour == "columns":
            alike = zip(rows, grid, strict=True)
            beside = [cells[column] for (count, _, _), cells in alike if count == rows[row][0]]
        best = min(other.median for other in beside if other is not None)
        return lambda cell: _coloured(cell, result.median, best)


def _row(result: Measurement) -> _Row:
    env = result.task_spec.env
    return result.num_threads, "" if env is None else str(env), result.as_row_name


def _transposed(columns: list[list[str]]) -> list[list[str]]:
    return [list(row) for row in zip(*columns, strict=True)]


def _laid_out(
    rows: list[_Row],
    columns: list[str],
    cells: list[list[str]],
    painted: Callable[[tuple[int, int]], Callable[[str], str]],
) -> list[str]:
    """The lines of the table under its title; `painted` gives the colours of a cell."""
    named = len({env for _, env, _ in rows}) > 1
    names = []
    for place, (count, env, name) in enumerate(rows):
        origin = f"({env})" if named and env else "  "
        told = place > 0 and rows[place - 1][:2] == (count, env)
        names.append(f"  {' ' * len(origin) if told else origin}  {name}")
    first = max(map(len, names))
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    heads = [head.center(width) for head, width in zip(columns, widths, strict=True)]
    lines = ["  |  ".join([" " * first, *heads])]
    for place, ((count, _, _), name) in enumerate(zip(rows, names, strict=True)):
        if place == 0 or rows[place - 1][0] != count:
            lines.append(f"{count} threads: ".ljust(len(lines[0]), "-"))
        shown = [
            painted((place, nr))(cell.center(width))
            for nr, (cell, width) in enumerate(zip(cells[place], widths, strict=True))
        ]
        lines.append("  |  ".join([name.ljust(first), *shown]))
    return lines
