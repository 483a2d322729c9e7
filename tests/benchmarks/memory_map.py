"""What the memory map costs after each cell: one look at a namespace, and what it says about the changes.

The goal is for 100 tensors, whatever their sizes; a cell writes into ten of them, makes one and rebinds one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy

import tensorkit
from tests.benchmarks.measure import Row, Skip, benchmark, require_torch

CELLS = 60
GOAL = 5.0
Names = dict[str, Any]


@benchmark("MemoryMap after each cell")
def memory_map() -> Iterator[Row]:
    try:
        from tensorkit_widgets.namespace import watch as memory_watch
    except ImportError as error:
        raise Skip(f"the widgets cannot be imported: {error}") from error
    torch = require_torch()
    for name, make in _makers(torch).items():
        names = make()
        times = _cells(memory_watch.MemoryWatch(), names)
        yield Row(
            name, median(times) * 1e3, "ms", f"slowest of {CELLS} cells {max(times) * 1e3:.1f} ms", GOAL
        )
    yield _drawn()
    times = _cells(memory_watch.MemoryWatch(), _model(torch))
    detail = f"100 parameters, their gradients, a loss with its graph; slowest {max(times) * 1e3:.1f} ms"
    yield Row("a model of 50 layers", median(times) * 1e3, "ms", detail)


def _makers(torch: Any) -> dict[str, Callable[[], Names]]:
    def hundred(make: Callable[[], Any]) -> Callable[[], Names]:
        return lambda: {f"t{k}": make() for k in range(100)}

    return {
        "100 tensors of 12 elements": hundred(lambda: tensorkit.arange(12.0)),
        "100 tensors of 1,000,000": hundred(lambda: tensorkit.arange(1e6)),
        "100 of PyTorch, 1,000,000": hundred(lambda: torch.arange(1e6)),
        "100 arrays of 1,000,000": hundred(lambda: numpy.arange(1e6)),
        "25 tensors, each seen 4 times": _aliases,
        "100 tensors in containers": lambda: {"d": {"x": [*hundred(lambda: tensorkit.ones(40))().values()]}},
    }


class _Drawn:
    """A map that is drawn and sent after each cell, to be timed as a watch is."""

    def __init__(self, names: Names) -> None:
        from tensorkit_widgets import MemoryMap

        self.map = MemoryMap(names)

    def look(self, _names: Names) -> tuple[Any, Any]:
        found = self.map.look()
        return found.snapshot, found.change


def _drawn() -> Row:
    names = {f"t{k}": tensorkit.arange(12.0) for k in range(100)}
    drawn = _Drawn(names)
    times = _cells(drawn, names)
    detail = f"the look, the picture and its text, sent; slowest {max(times) * 1e3:.1f} ms"
    drawn.map.close()
    return Row("100 tensors, drawn", median(times) * 1e3, "ms", detail)


def _aliases() -> Names:
    names: Names = {}
    for k in range(25):
        names[f"t{k}"] = tensorkit.arange(1e5)
        names[f"row{k}"], names[f"array{k}"] = names[f"t{k}"][10:20], names[f"t{k}"].numpy()
        names[f"box{k}"] = (names[f"t{k}"][::2],)
    return names


def _model(torch: Any) -> Names:
    model = torch.nn.Sequential(*[torch.nn.Linear(10, 10) for _ in range(50)])
    model(torch.ones(3, 10)).sum().backward()
    return {"model": model, "loss": model(torch.ones(3, 10)).sum()}


def _cells(watch: Any, names: Names) -> list[float]:
    """Seconds of this thread for each look, after a cell that has changed a little."""
    clock = time.thread_time if time.get_clock_info("thread_time").resolution < 1e-6 else time.perf_counter
    tensors = [value for value in names.values() if hasattr(value, "shape") and len(value.shape)]
    times = []
    for cell in range(CELLS + 2):
        for tensor in tensors[:10]:
            tensor[cell % 10] = cell
        names["made"], names["bound"] = tensorkit.zeros(3), numpy.zeros(cell + 1)
        start = clock()
        _, change = watch.look(names)
        times.append(clock() - start)
        assert cell == 0 or len(change.of("made")) == len(change.of("freed")) + (cell == 0)
    return times[2:]
