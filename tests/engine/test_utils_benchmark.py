"""`utils.benchmark`: the same texts, tables and numbers of runs as PyTorch's, on times that are given."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

import tensorkit
from tensorkit.utils import benchmark

parity = pytest.mark.parity
NAMES: dict[str, tuple[Any, ...]] = {
    "stmt": ("x + 1", "for i in x:\n    pass"),
    "setup": ("pass", "", "a = 1", "a = 1\nb = 2"),
    "label": (None, "L", "a longer label"),
    "sub_label": (None, "s1", "s2"),
    "description": ("d1", "d2", "a longer description"),
    "num_threads": (1, 2, 16),
}


@pytest.fixture(scope="module")
def theirs(torch: Any) -> Any:
    from torch.utils import benchmark as reference

    return reference


@pytest.fixture(scope="module")
def torch() -> Any:
    from tests.torch_oracle import require_torch

    return require_torch()


def drawn(rng: random.Random, **fixed: Any) -> tuple[int, list[float], dict[str, Any]]:
    """What a measurement is made of."""
    number = rng.choice([1, 10, 1000])
    scale = 10.0 ** rng.uniform(-9.5, 2) * number
    spread = rng.choice([0.0, 1e-4, 0.05, 0.2, 0.9])
    times = [scale * (1 + spread * rng.random()) for _ in range(rng.choice([1, 2, 3, 4, 5, 20, 101]))]
    return number, times, {key: rng.choice(values) for key, values in NAMES.items()} | fixed


def made(library: Any, what: tuple[int, list[float], dict[str, Any]]) -> Any:
    number, times, names = what
    return library.Measurement(number, list(times), library.TaskSpec(**names))


def said(value: Any) -> str:
    return re.sub(r" at 0x[0-9a-f]+>", ">", repr(value)).replace("tensorkit", "torch")


@parity
def test_a_measurement_says_what_pytorchs_says(theirs: Any) -> None:
    rng = random.Random(0)
    warned = 0
    for _ in range(300):
        what = drawn(rng)
        ours, reference = made(benchmark, what), made(theirs, what)
        assert said(ours) == said(reference)
        for name in (
            "title",
            "as_row_name",
            "env",
            "has_warnings",
            "significant_figures",
            "num_threads",
            "times",
        ):
            assert getattr(ours, name) == getattr(reference, name), name
        for name in ("median", "mean", "iqr"):
            assert getattr(ours, name) == pytest.approx(getattr(reference, name), rel=1e-12, abs=1e-18)
        assert ours.task_spec.summarize() == reference.task_spec.summarize()
        warned += ours.has_warnings
    assert 30 < warned < 270


def _plain(table: Any) -> None:
    return None


def _trimmed(table: Any) -> None:
    table.trim_significant_figures()


def _warned(table: Any) -> None:
    table.highlight_warnings()
    table.trim_significant_figures()


def _coloured(table: Any) -> None:
    table.colorize()


def _coloured_by_rows(table: Any) -> None:
    table.colorize(rowwise=True)
    table.highlight_warnings()


@parity
@pytest.mark.parametrize("style", [_plain, _trimmed, _warned, _coloured, _coloured_by_rows])
def test_a_table_is_pytorchs_character_for_character(theirs: Any, style: Callable[[Any], None]) -> None:
    rng = random.Random(style.__name__)
    for turn in range(60):
        env = rng.choice([None, "both"])
        whats = [
            drawn(rng, env=rng.choice(["a", "b"]) if env else None, stmt="x + 1")
            for _ in range(rng.randint(1, 12))
        ]
        if turn % 2:  # times near one another, so that the colours differ
            whats = [
                (1, [1e-4 * rng.choice([1, 1.005, 1.08, 1.5, 2.5, 7])] * 3, names) for _, _, names in whats
            ]
        tables = [library.Compare([made(library, what) for what in whats]) for library in (benchmark, theirs)]
        for table in tables:
            style(table)
        assert str(tables[0]) == str(tables[1])


class Clock:
    """A clock that only the statement moves."""

    def __init__(self, per_run: Callable[[int], float]) -> None:
        self.now, self.runs, self.per_run = 0.0, 0, per_run

    def work(self) -> None:
        self.now += self.per_run(self.runs)
        self.runs += 1

    def __call__(self) -> float:
        return self.now


def measured(library: Any, method: str, per_run: Callable[[int], float], **options: Any) -> Any:
    clock = Clock(per_run)
    task = library.Timer("work()", globals={"work": clock.work}, timer=clock)
    told: list[tuple[int, float]] = []
    if method != "timeit":
        options["callback"] = lambda number, seconds: told.append((number, seconds))
    found = getattr(task, method)(**options)
    return found.number_per_run, found.raw_times, clock.runs, told


@parity
@pytest.mark.parametrize("seconds", [1e-6, 5e-4, 3e-3, 0.05, 0.3, 1.0])
@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_a_timer_runs_the_statement_as_often(theirs: Any, seconds: float, noise: float) -> None:
    def per_run(run: int) -> float:
        return seconds * (1 + noise * (run % 3))

    for method, options in (
        ("timeit", {"number": 300}),
        ("blocked_autorange", {}),
        ("blocked_autorange", {"min_run_time": 0.5}),
        ("adaptive_autorange", {"max_run_time": 0.5}),
        ("adaptive_autorange", {"threshold": 0.5, "min_run_time": 0.1, "max_run_time": 1.0}),
    ):
        ours, reference = (measured(library, method, per_run, **options) for library in (benchmark, theirs))
        assert ours == reference, method


def test_a_statement_finds_its_names_and_its_threads() -> None:
    before = tensorkit.get_num_threads()
    given = {"x": tensorkit.ones(3)}
    for stmt in (
        "x + x",
        "torch.ones(2)",
        "assert tensorkit.get_num_threads() == 2",
        "\n    y = x\n    y + 1\n",
    ):
        found = benchmark.Timer(stmt, globals=given, num_threads=2).timeit(2)
        assert len(found.raw_times) == 1
        assert found.median > 0
    assert tensorkit.get_num_threads() == before
    assert list(given) == ["x"]
    assert benchmark.Timer("x", setup="x = 1", label="l", sub_label="s").timeit(1).title == "l: s"


@parity
def test_what_is_wrong_is_refused_in_the_same_words(theirs: Any) -> None:
    def error(library: Any, call: Callable[[Any], Any]) -> tuple[str, str]:
        with pytest.raises(Exception) as caught:
            call(library)
        return type(caught.value).__name__, str(caught.value).replace("torch.utils", "tensorkit.utils")

    for call in (
        lambda library: library.Timer(3),
        lambda library: library.Timer("x +"),
        lambda library: library.Timer("x", language="zz"),
        lambda library: library.Timer("x", global_setup="import math"),
        lambda library: library.Timer("undefined").timeit(1),
        lambda library: library.Timer("x").repeat(),
        lambda library: library.Compare([3]),
    ):
        assert error(benchmark, call) == error(theirs, call)


@parity
def test_units_and_digits(theirs: Any) -> None:
    for seconds in (1e-10, 1e-9, 2.5e-6, 0.002, 0.5, 1, 100.0):
        assert benchmark.select_unit(seconds) == theirs.select_unit(seconds)
    for number, digits in ((1.2345, 3), (123456.0, 2), (-1.5, 1), (9.99, 1), (0.00123456, 4)):
        assert benchmark.trim_sigfig(number, digits) == pytest.approx(
            theirs.trim_sigfig(number, digits), rel=1e-6
        )
