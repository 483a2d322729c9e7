"""A learner's code that never ends is stopped, in any thread, and the session goes on as it was."""

from __future__ import annotations

import contextlib
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets.practice.checking import time_limit
from tensorkit_widgets.practice.checking.checks import Checker
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.checking.time_limit import TookTooLong, limited
from tensorkit_widgets.practice.exercise import Exercise
from tensorkit_widgets.practice.facts import Answer, Verdict
from tests.widgets.practice_helpers import blank_memory

__all__ = ["blank_memory"]  # a fixture

SHORT = 0.05


def for_ever() -> None:
    while True:
        pass


def for_ever_with_excuses() -> None:
    while True:
        try:
            for _ in range(1000):
                pass
        except:  # noqa: E722
            pass


def for_ever_with_short_excuses() -> None:
    while True:
        try:
            len("")
        except:  # noqa: E722
            continue


def waiting() -> None:
    time.sleep(600)


def in_another_thread(function: Callable[[], Any]) -> Any:
    """What a function gives in a thread that gets no signals."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(function())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


@pytest.fixture(params=["signals", "without signals"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Linux and macOS have signals that reach a thread; Windows has none."""
    if request.param == "without signals":
        monkeypatch.setattr(time_limit, "_free_signal", lambda: False)
    elif not time_limit._free_signal():
        pytest.skip("no such signals here")
    return str(request.param)


@pytest.mark.parametrize("endless", [for_ever, for_ever_with_short_excuses])
def test_an_endless_loop_is_stopped(endless: Callable[[], None], way: str) -> None:
    with pytest.raises(TookTooLong):
        limited(endless, SHORT)
    assert limited(lambda: 3, SHORT) == 3


def test_an_endless_loop_that_lets_no_error_out_is_stopped() -> None:
    if not time_limit._free_signal():
        pytest.skip("without signals it may take a while")
    with pytest.raises(TookTooLong):
        limited(for_ever_with_excuses, SHORT)


@pytest.mark.parametrize("endless", [for_ever, for_ever_with_short_excuses])
def test_an_endless_loop_in_another_thread_is_stopped(endless: Callable[[], None]) -> None:
    assert isinstance(in_another_thread(lambda: limited(endless, SHORT)), TookTooLong)


def test_a_call_that_waits_is_ended_where_there_are_signals() -> None:
    if not time_limit._free_signal():
        pytest.skip("no such signals here")
    with pytest.raises(TookTooLong):
        limited(waiting, SHORT)


def test_a_call_into_c_is_told_that_it_came_late(way: str) -> None:
    """Python's own `sum` gives nothing back to the interpreter before it is done."""

    def slow() -> int:
        until = time.monotonic() + 4 * SHORT
        while time.monotonic() < until:
            sum(range(2_000_000))
        return sum(range(2_000_000))

    with pytest.raises(TookTooLong):
        limited(slow, SHORT)


def test_what_is_in_time_is_given_back_and_what_it_raises_is_raised(way: str) -> None:
    assert limited(lambda: "done", 60) == "done"
    with pytest.raises(KeyError, match="x"):
        limited(lambda: dict[str, int]()["x"], 60)
    with pytest.raises(KeyboardInterrupt):
        limited(lambda: (_ for _ in ()).throw(KeyboardInterrupt()), 60)


def test_on_a_busy_machine_the_processors_time_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here other programs have all of it: an answer that takes a while is right, one without end is stopped later."""
    monkeypatch.setattr(time, "process_time", lambda: 0.0)

    def right() -> int:
        time.sleep(0.8)
        return 3

    assert limited(right, 0.5) == 3
    began = time.monotonic()
    with pytest.raises(TookTooLong):
        limited(for_ever, SHORT)
    assert time.monotonic() - began >= 3 * SHORT


def test_no_request_arrives_after_the_end(way: str) -> None:
    """A limit that runs out just when the call ends stops nothing afterwards."""
    for _ in range(300):
        with contextlib.suppress(TookTooLong):
            limited(lambda: None, 0.0)
        sum(i for i in range(200))


def test_a_limit_within_a_limit_is_the_outer_one(way: str) -> None:
    with pytest.raises(TookTooLong):
        limited(lambda: limited(for_ever, 600), SHORT)
    assert limited(lambda: limited(lambda: 3, 0), 60) == 3


@pytest.fixture
def session() -> Callable[[], object]:
    """All that a stopped function could have left behind."""

    def look() -> object:
        for thread in threading.enumerate():
            if "time limit" in thread.name:
                thread.join(10)
        watching = [thread.name for thread in threading.enumerate() if "time limit" in thread.name]
        handler = signal.getsignal(signal.SIGURG) if hasattr(signal, "SIGURG") else None
        return (
            sys.stdout, sys.stderr, sys.gettrace(), handler, watching, tk.get_rng_state().tolist(), random.getstate(),
            tk.is_grad_enabled(),
        )  # fmt: skip

    return look


def test_nothing_of_the_session_is_touched(session: Callable[[], object], way: str) -> None:
    """Streams, generators, the trace function, the signal's handler, threads: all as before."""
    before = session()
    for function in (for_ever, for_ever_with_short_excuses, lambda: 3):
        with contextlib.suppress(TookTooLong):
            limited(function, SHORT)
    assert session() == before


def test_a_program_keeps_the_signal_that_it_uses_itself() -> None:
    if not time_limit._free_signal():
        pytest.skip("no such signals here")
    heard: list[int] = []
    before = signal.signal(signal.SIGURG, lambda number, frame: heard.append(number))
    try:
        mine = signal.getsignal(signal.SIGURG)
        with pytest.raises(TookTooLong):
            limited(for_ever, SHORT)
        assert signal.getsignal(signal.SIGURG) is mine
        assert heard == []
    finally:
        signal.signal(signal.SIGURG, before)


# ------------------------------------------------------------------ in a check


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limit, "LONGEST_S", SHORT)


DOUBLE = function_check(Case("of 1", lambda: (1,), 2), Case("of 3", lambda: (3,), 6))


def test_an_endless_function_is_told_so_and_in_which_case(short: None) -> None:
    def double(n: int) -> int:
        while n == 3:
            pass
        return 2 * n

    verdict = DOUBLE(Answer(double))
    assert verdict == Verdict(
        False,
        "of 3: it was still running after 10 seconds, and was stopped. Is there a loop in it that never ends?",
    )


def test_an_exercise_counts_it_as_an_attempt_and_goes_on(short: None) -> None:
    ex = Exercise("Double it.", check=DOUBLE)

    def endless(n: int) -> None:
        for_ever()

    assert ex.check(endless).correct is False
    assert ex.attempts == 1
    assert ex.check(lambda n: 2 * n)
    assert ex.solved


@pytest.mark.parametrize("leave", [sys.exit, exit, lambda: (_ for _ in ()).throw(SystemExit("bye"))])
def test_a_function_that_ends_the_program_is_told_so(leave: Callable[[], object]) -> None:
    verdict = DOUBLE(Answer(lambda n: leave()))
    assert verdict.correct is False
    assert "instead of giving an answer" in verdict.says


def test_a_value_that_never_lets_itself_be_looked_at(short: None) -> None:
    class Sulks:
        def __eq__(self, other: object) -> bool:
            for_ever()
            return False

        __hash__ = object.__hash__

    check = Checker(lambda answer: Verdict(bool(answer.value == 3)))
    assert "still running" in check(Answer(Sulks())).says
