"""Checking a kernel: every thread of several launches is traced, and what went wrong there names the misconception.

>>> import numpy
>>> from numba import cuda
>>> def five() -> tuple[object, ...]:
...     return numpy.arange(5), numpy.zeros(5, int)
>>> check = kernel_check(Launch("for five numbers", 2, 4, five, [0, 2, 4, 6, 8]))
>>> def double(x, out):
...     i = cuda.grid(1)
...     if i < out.size:
...         out[i] = 2 * x[i]
>>> check(Answer(double))
Right.
>>> def unguarded(x, out):
...     i = cuda.grid(1)
...     out[i] = 2 * x[i]
>>> check(Answer(unguarded)).misconception
'more threads than elements'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy

import tensorkit as tk
from tensorkit.kernels.cuda.traced.findings import Finding
from tensorkit_widgets.practice.checking.checks import Checker
from tensorkit_widgets.practice.checking.functions import alike, seen
from tensorkit_widgets.practice.checking.known_errors import known_slip
from tensorkit_widgets.practice.checking.time_limit import Stopped
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict
from tensorkit_widgets.practice.markup import LONGEST_TEXT, quoted, shown, told

Kernel = Callable[..., Any]
Grid = int | tuple[int, ...]

EMPTY = "nothing to judge yet: none of its threads touches any memory. Put your lines in place of the `...`."

MEANS: Mapping[str, str] = {
    "out of bounds": "more threads than elements",
    "divergent barrier": "all threads reach a barrier",
    "race": "an update is two steps",
    "uninitialised": "a block does not go in step",
}
"""The misconception behind a finding, where there is one; a race in shared memory is the last one, too."""


@dataclass(frozen=True)
class Launch:
    """One launch of the learner's kernel, and what the last of its arrays should hold afterwards.

    `arguments()` makes them fresh for every launch: arrays of NumPy, and numbers. `holds` may be a function that gives
    what is held, where that has to be worked out.
    """

    says: str
    grid: Grid
    block: Grid
    arguments: Callable[[], tuple[Any, ...]]
    holds: object

    def numbers(self) -> object:
        """What the array should hold, as `seen` shows an array."""
        return seen(numpy.asarray(self.holds() if callable(self.holds) else self.holds))


@dataclass(frozen=True)
class _Outcome:
    """What came of one launch: an error, or what the result holds, what was found, and whether nothing was done.

    `shared` are the names of its arrays in shared memory; `faults` what was found of which array, by its place among
    the kernel's, whatever the learner calls it.
    """

    holds: object = None
    found: tuple[Finding, ...] = ()
    shared: frozenset[str] = frozenset()
    faults: frozenset[tuple[str, int]] = frozenset()
    idle: bool = False
    error: Exception | None = None

    def like(self, other: _Outcome) -> bool:
        if self.error is not None or other.error is not None:
            return type(self.error) is type(other.error)
        return self.faults == other.faults and alike(self.holds, other.holds)

    def right(self, launch: Launch) -> bool:
        return self.error is None and not self.found and alike(self.holds, launch.numbers())


def kernel_check(*launches: Launch, slips: Iterable[Slip] = ()) -> Checker:
    """Check a kernel, plain or decorated with ``cuda.jit``, by all these launches.

    It is right when the result is, and nothing was found that would make it wrong on another day: no access outside
    an array, no race, no barrier that some threads miss. A wrong one is told the slip whose `behaves`, the kernel that
    somebody with the misconception would write, does and is found the same in **every** launch; else the first thing
    that was found; else what the result should have been.
    """
    known = tuple(slips)

    def check(answer: Answer) -> Verdict:
        kernel = answer.value
        if not callable(kernel):
            return Verdict(None, f"{quoted(kernel)} is not a kernel: give its name, without calling it.")
        mine = [_launched(kernel, launch) for launch in launches]
        if all(outcome.idle for outcome in mine):
            return Verdict(None, EMPTY)
        if all(outcome.right(launch) for outcome, launch in zip(mine, launches, strict=True)):
            return Verdict(True)

        def does_as(other: Kernel) -> bool:
            return all(_launched(other, launch).like(one) for one, launch in zip(mine, launches, strict=True))

        slip = next((slip for slip in known if slip.fits(Answer(kernel, answer.base, does_as))), None)
        return slip.verdict() if slip else _first_fault(mine, launches)

    return Checker(check, known)


def _launched(kernel: Kernel, launch: Launch) -> _Outcome:
    arguments = launch.arguments()
    try:
        trace = tk.cuda.trace(kernel, launch.grid, launch.block, *arguments)
    except Stopped as stopped:
        stopped.where = stopped.where or launch.says
        raise
    except Exception as error:
        return _Outcome(error=error)
    grave = tuple(found for found in trace.findings if found.grave)
    shared = frozenset(name for name, view in trace.views.items() if view.memory.space == "shared")
    names = list(trace.views)
    faults = frozenset((one.kind, names.index(one.array) if one.array in names else -1) for one in grave)
    return _Outcome(seen(arguments[-1]), grave, shared, faults, not trace.steps and not trace.strays)


def _first_fault(mine: list[_Outcome], launches: tuple[Launch, ...]) -> Verdict:
    outcome, launch = next(pair for pair in zip(mine, launches, strict=True) if not pair[0].right(pair[1]))
    if outcome.error is not None:
        slip = known_slip(outcome.error)
        if slip is not None:
            return Verdict(False, f"{launch.says}: {slip.says}", slip.misconception)
        return Verdict(False, f"{launch.says}: your kernel stopped with {told(outcome.error)}.")
    if outcome.found:
        return _finding(outcome.found[0], outcome.shared, launch)
    return Verdict(
        False,
        f"{launch.says}: the result should be {_row(launch.numbers())}, and it is {_row(outcome.holds)}.",
    )


def _finding(found: Finding, shared: frozenset[str], launch: Launch) -> Verdict:
    name = MEANS.get(found.kind, "")
    if found.kind == "race" and found.array in shared:
        name = "a block does not go in step"
    elif found.kind == "race" and " read" not in found.text:
        name = ""  # two threads write: each may do so for a reason of its own
    return Verdict(False, f"{launch.says}: {found.text[:LONGEST_TEXT]}", name)


def _row(holds: Any) -> str:
    """An array's numbers as a learner reads them: a list, cut where it is long."""
    return shown(list(holds[2]) if isinstance(holds, tuple) else holds)
