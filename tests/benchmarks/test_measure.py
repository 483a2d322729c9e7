"""A side's turn is warmed up and followed by a rest, and both sides have as many threads. Nothing is timed here."""

from __future__ import annotations

import threading
import time
from types import ModuleType
from typing import Any

import pytest

import tensorkit
from tensorkit.kernels.jit import compiler
from tests.benchmarks import gradients, measure, million, small, speed, tiny
from tests.benchmarks.measure import Pair, Row, by_turns, on_threads, side


class _Clock:
    """A clock that goes on only while `call` runs, and remembers at which call it was looked at."""

    def __init__(self, *seconds: float) -> None:
        self.now, self.calls, self.looks = 0.0, 0, list[int]()
        self.seconds = seconds

    def call(self) -> None:
        self.now += self.seconds[min(self.calls, len(self.seconds) - 1)]
        self.calls += 1

    def look(self) -> float:
        self.looks.append(self.calls)
        return self.now


@pytest.mark.parametrize(
    ("once", "in_a_row", "warm", "counted"),
    [
        (1.5e-6, 667, 3, 5),
        (3e-4, 4, 3, 5),
        (0.0016, 1, 2, 4),
        (0.02, 1, 1, 3),
        (0.2, 1, 0, 1),
    ],
)
def test_a_turn_is_stretches_of_calls_in_a_row_after_some_that_warm_up(
    once: float, in_a_row: int, warm: int, counted: int
) -> None:
    clock = _Clock(once)
    turn = side("call()", {"call": clock.call}, clock.look)
    assert turn() == pytest.approx(once)
    for _ in range(2):
        clock.looks = []
        assert turn() == pytest.approx(once)
        stretches = [last - first for first, last in zip(clock.looks[::2], clock.looks[1::2], strict=True)]
        assert stretches == [in_a_row] * (warm + counted)


def test_a_turn_begins_to_count_once_the_calls_come_as_fast_as_ever() -> None:
    clock = _Clock(1e-5)
    turn = side("call()", {"call": clock.call}, clock.look)
    turn()
    clock.calls, clock.seconds = 0, (*[1e-4] * 450, 1e-5)  # four and a half stretches
    assert turn() == pytest.approx(1e-5)
    clock.seconds = (1e-4,)  # and now it stays so
    before = clock.now
    assert turn() == pytest.approx(1e-4)
    assert clock.now - before > 0.25  # in vain


def test_a_stretch_in_which_another_program_ran_does_not_count() -> None:
    clock = _Clock(1e-3)
    turn = side("call()", {"call": clock.call}, clock.look)
    turn()
    clock.calls, clock.seconds = 0, (*[1e-3] * 4, 0.05, 1e-3)
    assert turn() == pytest.approx(1e-3)


def test_the_sides_take_turns_and_change_places() -> None:
    calls: list[str] = []

    def turn(name: str) -> float:
        calls.append(name)
        return {"ours": 3.0, "theirs": 2.0}[name]

    pair = Pair(*by_turns([lambda: turn("ours"), lambda: turn("theirs")], rounds=3))
    assert pair == Pair([3.0] * 3, [2.0] * 3)
    assert pair.ratio == 1.5
    assert calls[2:] == ["theirs", "ours", "ours", "theirs", "theirs", "ours"]


def test_rounds_end_when_their_time_is_over_but_there_are_a_few() -> None:
    assert [len(by_turns([lambda: 1.0] * 2, rounds=9, seconds=most)[1]) for most in (0.0, 60.0)] == [3, 9]


@pytest.mark.parametrize(
    ("helped", "expected"),
    [([0.0, 0.0], ["turn"]), ([0.0, 0.02], ["turn", "sleeps", "sleeps", "sleeps"])],
    ids=["alone", "helped"],
)
def test_who_was_helped_by_threads_is_followed_by_a_rest_until_they_sleep(
    helped: list[float], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    spinning = [0.020, 0.023, 0.023, 0.026, 0.026, 0.026]  # before and after two steps awake and a still one
    monkeypatch.setattr(measure, "_helpers", iter(helped + spinning).__next__)
    monkeypatch.setattr(time, "sleep", lambda seconds: events.append("sleeps"))

    def turn() -> float:
        events.append("turn")
        return 1.0

    times = [measure._rested(turn)]
    assert times == [1.0]
    assert events == expected


def test_the_time_of_other_threads_is_what_a_rest_looks_at() -> None:
    def work() -> None:
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass

    before = measure._helpers()
    work()
    assert measure._helpers() - before < 0.01
    helper = threading.Thread(target=work)
    helper.start()
    helper.join()
    assert measure._helpers() - before >= 0.02


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was waited for: compiling takes minutes."""
    waited: list[str] = []
    monkeypatch.setattr(compiler, "wait", lambda: waited.append("compiled"))
    return waited


class _Library:
    """What `on_threads` asks of PyTorch; all else is tensorkit's."""

    def __init__(self, count: int) -> None:
        self.count = count

    def get_num_threads(self) -> int:
        return self.count

    def set_num_threads(self, count: int) -> None:
        self.count = count

    def __getattr__(self, name: str) -> Any:
        return getattr(tensorkit, name)


@pytest.mark.parametrize("count", [1, 2])
def test_both_libraries_have_as_many_threads_and_then_what_they_had(count: int, ready: list[str]) -> None:
    torch, before = _Library(5), tensorkit.get_num_threads()
    with on_threads(torch, count):
        assert (tensorkit.get_num_threads(), torch.get_num_threads()) == (count, count)
        assert ready == ["compiled"]
    assert (tensorkit.get_num_threads(), torch.get_num_threads()) == (before, 5)


def test_every_cell_is_measured_with_one_thread_and_with_all_on_both_sides(
    monkeypatch: pytest.MonkeyPatch, ready: list[str]
) -> None:
    seen: list[tuple[str, int, int, bool]] = []

    def cell(code: str, in_numpy: str, arrays: dict[str, Any], torch: Any) -> speed.Cell:
        seen.append((code, tensorkit.get_num_threads(), torch.get_num_threads(), bool(in_numpy)))
        return speed.Cell(1.0, 1.0, 1.0, None)

    monkeypatch.setattr(speed, "_cell", cell)
    monkeypatch.setattr(speed, "CASES", {"add": speed.Case("a + b", "a + b", 1)})
    monkeypatch.setattr(speed, "SIZES", {1: (1, 1), 1_000: (40, 25)})
    found = speed.cells(_Library(5), (1, 3))
    assert seen == [("a + b", 1, 1, True), ("a + b", 3, 3, False)] * 2
    assert [(place, list(its)) for place, its in found.items()] == [
        (("add", "contiguous", 1), [1, 3]),
        (("add", "contiguous", 1_000), [1, 3]),
    ]


@pytest.mark.parametrize("module", [small, tiny, gradients, million], ids=lambda module: module.__name__)
def test_the_others_are_measured_with_one_thread_on_both_sides(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, ready: list[str]
) -> None:
    seen: list[tuple[int, int, bool]] = []
    torch = _Library(5)

    def measured(*_: Any) -> Pair:
        seen.append((tensorkit.get_num_threads(), torch.get_num_threads(), bool(ready)))
        return Pair([1.0], [1.0])

    monkeypatch.setattr(module, "codes", measured)
    monkeypatch.setattr(module, "require_torch", lambda: torch)
    if module is gradients:
        monkeypatch.setattr(module, "_added", lambda *_: measured() and Row("added", 1.0, "", ""))
        monkeypatch.setattr(module, "_peak", lambda _: 1.0)
    benchmark = getattr(module, module.__name__.rpartition(".")[2])
    assert len(list(benchmark.measure())) >= len(seen) > 0
    assert set(seen) == {(1, 1, True)}
