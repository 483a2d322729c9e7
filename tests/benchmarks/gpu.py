"""On a GPU: against PyTorch's CUDA and against what a copy takes, in one process and by turns.

What the device does is timed by its own events, what an operation costs the host by the wall. Without a GPU nothing is
measured: an emulated device's times would say nothing about one.

Both sides have PyTorch's names, so that each case is one line of code, run with the tensors of either library.
"""

from __future__ import annotations

import importlib.util
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import tensorkit
from tensorkit.kernels import cuda
from tests.benchmarks.machine import Machine, this_machine
from tests.benchmarks.measure import Pair, Row, Skip, benchmark, by_turns, codes, duration, require_torch

SIZES = (2**24, 2**26, 2**28)
SQUARES = (500, 1000, 4096, 5000)
ROUNDS, _TURN, _MOST = 7, 0.02, 1000

#: Lines of code, and how many bytes each element of `a` moves in all.
CASES = {
    "b.copy_(a)": 8,
    "a + b": 12,
    "a.exp()": 8,
    "a.sum()": 4,
    "a.max()": 4,
    "m.sum(0)": 4,
    "m.sum(1)": 4,
    "m.t().contiguous()": 8,
    "a[::2].clone()": 4,
    "m.t() + m": 12,
}
COPY = "b.copy_(a)"
ON_FEW = ("e + e", "e.add_(e)", "e.sum()", "s @ s", "library.empty(4, device=place)")
WAITING = (
    "e + 1",
    "e.sum()",
    "s @ s",
    "e.sort()",
    "e.item()",
    "e.cpu()",
    "e[e > 0]",
    "e.nonzero()",
    "e.unique()",
)


@dataclass
class Bench:
    """Two libraries on one device.

    Args:
        ours, theirs: tensorkit and PyTorch, or what stands in for it.
        place: the device, as both name it.
        rounds: how often each side's turn comes.
        seconds: of a turn.
    """

    ours: Any
    theirs: Any
    place: str = "cuda"
    rounds: int = ROUNDS
    seconds: float = _TURN

    def rows(self, sizes: Sequence[int] = SIZES, squares: Sequence[int] = SQUARES) -> Iterator[Row]:
        """All rows of the table, for vectors of these numbers of elements and matrices of these sizes."""
        for count in sizes:
            yield from self._of_bandwidth(count)
        for side in squares:
            yield from self._of_products(side)
        yield from self._of_the_host()
        yield from self._of_waiting()

    def _sides(self, code: str, names: Callable[[Any], dict[str, Any]]) -> Pair:
        """The device's time for a line of code, by turns."""
        turns = [_Turn(library, code, names(library), self.seconds) for library in (self.ours, self.theirs)]
        return Pair(*by_turns(turns, self.rounds))

    def _of_bandwidth(self, count: int) -> Iterator[Row]:
        copied = 0.0
        for code, moved in CASES.items():
            pair = self._sides(code, lambda library: _vectors(library, count, self.place))
            rates = [moved * count / median(times) / 1e9 for times in (pair.ours, pair.theirs)]
            copied = rates[1] if code == COPY else copied
            told = f"{rates[0]:.0f} GB/s, {100 * rates[0] / copied:.0f} % of PyTorch's copy"
            yield _row(f"{code}, {_power(count)}", pair, told)

    def _of_products(self, side: int) -> Iterator[Row]:
        for kind in ("float32", "float16"):
            pair = self._sides("m @ m", lambda library: _square(library, side, kind, self.place))  # noqa: B023
            rate = 2 * side**3 / median(pair.ours) / 1e12
            yield _row(f"m @ m, {side}², {kind}", pair, f"{rate:.3g} TFLOP/s")

    def _of_the_host(self) -> Iterator[Row]:
        names = [_few(library, self.place) for library in (self.ours, self.theirs)]
        for code in ON_FEW:
            pair = codes(code, code, *names, rounds=self.rounds)
            yield _row(f"{code}, the host's part", pair, "four elements, without waiting")

    def _of_waiting(self) -> Iterator[Row]:
        for code in WAITING:
            found = [_waits(library, code, _few(library, self.place)) for library in (self.ours, self.theirs)]
            yield Row(f"{code}, waits", found[0], "times", f"PyTorch {found[1]:g} times")


def _row(name: str, pair: Pair, told: str) -> Row:
    return Row(name, pair.ratio, "× PyTorch", f"{pair.told('tensorkit', 'PyTorch')}; {told}")


def _power(count: int) -> str:
    """``2²⁴`` for a power of two."""
    exponent = count.bit_length() - 1
    digits = str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"2{digits}" if count == 1 << exponent else f"{count:,}"


# -- the tensors ------------------------------------------------------------------------------------------------------


def _vectors(library: Any, count: int, place: str) -> dict[str, Any]:
    """Two vectors, and a square matrix: of all elements, if they are a power of four."""
    a, b = (library.rand(count, device=place) for _ in range(2))
    rows = 1 << (count.bit_length() - 1) // 2
    return {"a": a, "b": b, "m": a[: rows * rows].view(rows, rows)}


def _square(library: Any, side: int, kind: str, place: str) -> dict[str, Any]:
    return {"m": library.rand(side, side, device=place).to(getattr(library, kind))}


def _few(library: Any, place: str) -> dict[str, Any]:
    ones = library.ones(1, device=place)
    return {"e": ones, "s": library.ones(2, 2, device=place), "library": library, "place": place}


# -- the clocks -------------------------------------------------------------------------------------------------------


class _Turn:
    """A side's turn: a line of code again and again, between two events of the device; seconds for one run."""

    def __init__(self, library: Any, code: str, names: dict[str, Any], seconds: float) -> None:
        self._library, self._seconds = library, seconds
        self._run = _in_a_row(code, names)
        self._once = seconds

    def __call__(self) -> float:
        self._timed(max(1, min(3, round(self._seconds / self._once))))  # awake, and its memory allocated
        return self._timed(max(1, min(_MOST, round(self._seconds / self._once))))

    def _timed(self, count: int) -> float:
        start, end = (self._library.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        self._run(count)
        end.record()
        end.synchronize()
        self._once = max(start.elapsed_time(end) / 1000 / count, 1e-9)
        return self._once


def _in_a_row(code: str, names: dict[str, Any]) -> Callable[[int], None]:
    """A line of code as a loop of so many runs."""
    made = dict(names)
    exec(f"def run(count):\n    for _ in range(count):\n        {code}", made)
    run: Callable[[int], None] = made["run"]
    return run


def _waits(library: Any, code: str, names: dict[str, Any]) -> float:
    """How often a line of code makes the program wait for the device without having said so."""
    run = _in_a_row(code, names)
    run(1)
    library.cuda.set_sync_debug_mode("warn")
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            run(1)
    finally:
        library.cuda.set_sync_debug_mode("default")
    return float(sum("synchroniz" in str(warning.message) for warning in told))


# -- the table --------------------------------------------------------------------------------------------------------


def _both() -> Any:
    """PyTorch, where it and tensorkit have a GPU and CuPy.

    Raises:
        Skip: where one of them has none.
    """
    if reason := cuda.gpu_missing():
        raise Skip(f"there is no GPU to measure ({reason})")
    if cuda.emulated_devices() is not None:
        raise Skip("the devices are emulated, whose times say nothing about a GPU")
    if importlib.util.find_spec("cupy") is None:
        raise Skip("CuPy is not installed, which does the products on a GPU")
    torch = require_torch()
    if not torch.cuda.is_available():
        raise Skip("this PyTorch is built without CUDA")
    return torch


def gpu_machine() -> Machine:
    """This machine by the name of its GPU; as it is where there is none to measure."""
    here = this_machine()
    try:
        _both()
    except Skip:
        return here
    return replace(here, processor=tensorkit.cuda.get_device_name(), cores=os.cpu_count() or 1)


@benchmark("On a GPU")
def gpu() -> Iterator[Row]:
    torch = _both()
    bench = Bench(tensorkit, torch)
    free = tensorkit.cuda.mem_get_info()[0]
    yield from bench.rows([count for count in SIZES if 40 * count < free])
    yield from headlines(torch)


# -- the tables that a course begins with -----------------------------------------------------------------------------


def headlines(
    torch: Any, count: int = 10**6, squares: Sequence[int] = (500, 5000), place: str = "cuda"
) -> Iterator[Row]:
    """A loop of Python's against one call, and a product on the CPU against the GPU's: seconds by the wall."""
    numbers = tensorkit.rand(count)
    there, listed = numbers.to(place), numbers.tolist()
    loop = _by_the_wall(lambda: _added_up(listed))
    for name, work in (
        ("t.sum() on the CPU", numbers.sum),
        ("t.sum() on the GPU", lambda: there.sum().item()),
    ):
        taken = _by_the_wall(work)
        told = f"a loop of Python's {duration(loop)}, {name} {duration(taken)}"
        yield Row(f"{count:,} numbers, {name}", loop / taken, "× faster", told)
    for side in squares:
        m = tensorkit.rand(side, side)
        n = m.to(place)
        both = [_by_the_wall(lambda: m @ m), _by_the_wall(lambda: _finished(n))]  # noqa: B023
        told = f"the CPU {duration(both[0])}, the GPU {duration(both[1])}"
        yield Row(f"matrices of {side}², the GPU", both[0] / both[1], "× faster", told)


def _finished(matrix: Any) -> None:
    matrix @ matrix
    tensorkit.cuda.synchronize()


def _added_up(numbers: list[float]) -> float:
    total = 0.0
    for number in numbers:
        total += number
    return total


def _by_the_wall(work: Callable[[], object], rounds: int = 3) -> float:
    """The median of a few runs, after one that does not count."""
    taken = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return median(taken[1:])
