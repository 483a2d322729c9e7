"""Sharded tensors with 1, 2 and 4 workers on this computer, beside dask.array and PyTorch's DTensor on gloo.

tensorkit and dask.array take turns on the same workers; PyTorch's processes run right after them, for each number of
workers. A formula is fitted to these times, and says what more workers would take.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy
import scipy.optimize

import tensorkit
from tests.benchmarks.measure import Row, Skip, benchmark, require_torch
from tests.benchmarks.sharded.cases import CASES, MEGABYTE, ROUNDS, SIDE
from tests.distributed.inline import mesh

WORKERS = (1, 2, 4)
FAR = (64, 1000)
SCALE = numpy.array((1e-3, 1e-3, 1e-8))
"""So that the numbers that are fitted are of like size."""


class Counts(NamedTuple):
    """What an operation gives to do: tasks in all, and for each worker the messages and bytes that it receives."""

    tasks: float
    messages: float
    bytes: float


def _of_dask(client: Any, workers: int) -> dict[str, Callable[[], Any]]:
    """The same with dask.array, on the same workers: one block for each."""
    import dask.array
    from distributed import wait

    def computed(array: Any) -> Any:
        made = client.persist(array)
        with client.as_current():
            wait(made)
        return made

    def random(rows: int, columns: int, blocks: tuple[int, int]) -> Any:
        chunks = (rows // blocks[0], columns // blocks[1])
        return computed(
            dask.array.random.default_rng(0).standard_normal((rows, columns), chunks=chunks, dtype="float32")
        )

    tiny, large = random(4 * workers, 4, (workers, 1)), random(4 * workers, MEGABYTE, (workers, 1))
    tall, square = random(SIDE * workers, SIDE, (workers, 1)), random(SIDE, SIDE, (1, 1))
    wide, moved = random(SIDE, SIDE * workers, (1, workers)), random(SIDE, SIDE, (workers, 1))

    def chain(t: Any) -> Any:
        return -numpy.sqrt(abs((numpy.exp((t + 1) * 2) - 1) / 3))

    whole = dict(zip(CASES, (
        lambda: tiny + 1, lambda: chain(tiny), lambda: large + 1, lambda: large.sum(), lambda: tall @ square,
        lambda: wide @ tall, lambda: moved.rechunk((SIDE, SIDE // workers)), lambda: moved.rechunk((SIDE, SIDE)),
    ), strict=True))  # fmt: skip

    return {name: (lambda make=make: computed(make())) for name, make in whole.items()}


def _ours(on: Any, workers: int) -> dict[str, Callable[[], Any]]:
    package = tensorkit.distributed.tensor

    def make(*size: int, placed: Any) -> Any:
        return package.randn(*size, device_mesh=on, placements=[placed]).wait()

    runs = {name: case(make, package, workers) for name, case in CASES.items()}
    return {name: (lambda run=run: run().wait()) for name, run in runs.items()}


def _gloo(workers: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "store")
        command = [sys.executable, "-m", "tests.benchmarks.sharded.gloo"]
        running = [
            subprocess.Popen(
                [*command, str(rank), str(workers), store], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            for rank in range(workers)
        ]
        told = [one.communicate(timeout=300)[0] for one in running]
    return json.loads(told[0])  # type: ignore[no-any-return]


def _by_turns(*sides: Callable[[], Any]) -> list[float]:
    times: list[list[float]] = [[] for _ in sides]
    for _ in range(ROUNDS + 1):
        for side, found in zip(sides, times, strict=True):
            began = time.perf_counter()
            side()
            found.append(time.perf_counter() - began)
    return [median(found[1:]) for found in times]


@benchmark("Sharded tensors")
def sharded() -> Iterator[Row]:
    require_torch()
    try:
        import distributed  # noqa: F401
    except ModuleNotFoundError as error:
        raise Skip(str(error)) from None
    measured: dict[str, dict[int, float]] = {name: {} for name in CASES}
    for workers in WORKERS:
        began = time.perf_counter()
        running = tensorkit.distributed.cluster.start(workers)
        yield Row(f"start of {workers} workers", time.perf_counter() - began, "s", "")
        try:
            on = tensorkit.distributed.init_device_mesh("cpu", (workers,))
            ours, dask = _ours(on, workers), _of_dask(running.client, workers)
            times = {name: _by_turns(ours[name], dask[name]) for name in CASES}
        finally:
            tensorkit.distributed.cluster.shutdown()
        gloo = _gloo(workers)
        for name, (own, theirs) in times.items():
            measured[name][workers] = own
            detail = f"dask.array {theirs * 1e3:.3g} ms, PyTorch on gloo {gloo[name] * 1e3:.3g} ms"
            yield Row(f"{name}, {workers} workers", own * 1e3, "ms", detail)
    yield from _bytes()
    yield from _predicted(measured)


def _bytes() -> Iterator[Row]:
    """What a redistribution sends, against the least that its collective can send."""
    from tensorkit.distributed.tensor.layout import Layout
    from tensorkit.distributed.tensor.placement_types import Partial, Replicate, Shard
    from tensorkit.distributed.tensor.redistribute import price

    size, elements = (SIDE, SIDE), SIDE * SIDE
    for workers in (2, 4):
        others = workers - 1
        for before, after, least in (
            (Shard(0), Replicate(), elements * others),
            (Shard(0), Shard(1), elements * others / workers),
            (Partial(), Shard(0), elements * others),
            (Partial(), Replicate(), 2 * elements * others),
        ):
            sent = price(Layout(size, (workers,), (before,)), (after,), 4)
            detail = f"{sent / 1e6:.4g} MB sent, at least {4 * least / 1e6:.4g}"
            yield Row(f"{before} to {after}, {workers} workers", sent / (4 * least), "× the least", detail)


EVEN = (2, 4, 5, 8, 10)
"""Numbers of workers that divide the sizes of all cases."""


@functools.cache
def _counted(name: str, workers: int) -> Counts:
    """How much a case gives to do: by powers of the number of workers, from the square to the inverse square."""
    found = []
    for number in EVEN:
        on: Any = mesh(number)
        run = CASES[name](functools.partial(_made, on), tensorkit.distributed.tensor, number)
        on.cluster.tasks.clear()
        on.cluster.sent.clear()
        run()._futures()
        sent = [nbytes for *_, nbytes in on.cluster.sent]
        found.append((len(on.cluster.tasks), len(sent) / number, sum(sent) / number))
    powers = numpy.linalg.solve(_powers(EVEN), numpy.array(found))
    return Counts(*map(float, (_powers((workers,)) @ powers)[0].round(3)))


def _powers(numbers: Sequence[int]) -> Any:
    return numpy.array([[float(number) ** power for power in (2, 1, 0, -1, -2)] for number in numbers])


def _made(on: Any, *size: int, placed: Any) -> Any:
    made = tensorkit.distributed.tensor.zeros(*size, device_mesh=on, placements=[placed])
    made._futures()
    return made


def _predicted(measured: dict[str, dict[int, float]]) -> Iterator[Row]:
    """Seconds = those of one worker + tasks × a + messages a worker × b + bytes a worker × c.

    a, b and c are those that fit best, without being negative, to what two workers took, and four where they had
    hardly anything to compute. That is to say: the scheduler does one task after another, workers send at the same
    time, each has a core of its own, and the network is as fast as this computer is within itself.
    """
    more, took = [], []
    for name, times in measured.items():
        for workers in (2, 4) if "4 × 4" in name else (2,):
            more.append(numpy.subtract(_counted(name, workers), (1, 0, 0)))
            took.append(times[workers] - times[1])
    costs, _ = scipy.optimize.nnls(numpy.array(more) * SCALE, numpy.array(took))
    a, b, c = costs * SCALE
    yield Row("a task", a * 1e3, "ms", "fitted")
    yield Row("a message that a worker receives", b * 1e3, "ms", "fitted")
    yield Row("a megabyte that a worker receives", c * 1e9, "ms", "fitted")
    for name, times in measured.items():
        for workers in FAR:
            counts = _counted(name, workers)
            seconds = times[1] + float(numpy.dot((a, b, c), numpy.subtract(counts, (1, 0, 0))))
            detail = f"{counts.tasks:.0f} tasks, {counts.messages:.0f} messages a worker; by the formula, not measured"
            yield Row(f"{name}, {workers} workers", seconds, "s", detail)
