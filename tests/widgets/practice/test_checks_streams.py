"""The checkers of streams: each case on devices of its own, and a missing wait shows every time."""

from __future__ import annotations

import os
from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets.lessons.lesson22 import plays
from tensorkit_widgets.lessons.lesson22 import trial_functions as tried
from tensorkit_widgets.practice.catalogue import find_task
from tensorkit_widgets.practice.checking import checks
from tensorkit_widgets.practice.checking.checks_streams import Case, counted, device_check, is_held_up
from tensorkit_widgets.practice.facts import Answer, Slip


def value(function: Any, _devices: Any) -> object:
    return function(tk.ones(2, device="cuda"))


check = device_check(
    value,
    Case("of two ones", lambda: (), 2.0),
    slips=[
        Slip("streams race", "that is the first one.", behaves=(lambda t: t[0].item(), lambda t: t[1].item()))
    ],
)


def test_a_function_is_played_on_devices_that_are_there_for_it_alone() -> None:
    assert not tk.cuda.is_available()
    assert check(Answer(lambda t: t.sum().item()))
    assert not tk.cuda.is_available()
    with tk.cuda.emulate(3):
        assert check(Answer(lambda t: t.sum().item()))
        assert tk.cuda.device_count() == 3


def test_one_of_several_behaviours_is_recognised() -> None:
    assert check(Answer(lambda t: t.min().item())).misconception == "streams race"
    assert check(Answer(lambda t: 7)).says == "of two ones: it should give 2.0, yours gave `7`."


def test_what_is_no_function_and_what_is_blank_are_not_judged() -> None:
    assert check(Answer(3)).correct is None
    assert check(Answer(lambda t: ...)).correct is None


def test_an_error_of_the_device_harms_no_other_and_is_explained() -> None:
    with tk.cuda.emulate():
        told = check(Answer(lambda t: t[tk.tensor([9], device="cuda")].sum().item()))
        assert told.misconception == "device errors blame the wrong line"
        assert tk.ones(2, device="cuda").tolist() == [1, 1]


def test_what_a_learner_has_set_does_not_matter_and_is_left_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    with tk.cuda.emulate():
        tk.cuda.set_sync_debug_mode("error")
        try:
            assert check(Answer(lambda t: t.sum().item()))
            assert find_task("22.on_the_side").check(Answer(tried.side_by_streams))
            assert tk.cuda.get_sync_debug_mode() == 2
        finally:
            tk.cuda.set_sync_debug_mode("default")
    assert os.environ["CUDA_LAUNCH_BLOCKING"] == "1"


def test_a_function_that_never_ends_is_stopped_though_a_stream_is_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def spins(x: Any, side: Any) -> None:
        event = tk.cuda.current_stream().record_event()
        while not event.query():
            pass

    def limited(judge: Any) -> Any:
        return real(judge, 0.2)

    real = checks.limited
    monkeypatch.setattr(checks, "limited", limited)
    told = find_task("22.on_the_side").check(Answer(spins))
    assert told.correct is False
    assert "still running" in told.says
    assert find_task("22.on_the_side").check(Answer(tried.side_by_streams))


def test_a_wait_is_seen_without_waiting() -> None:
    with tk.cuda.emulate() as devices:
        side, t = tk.cuda.Stream(), tk.ones(2, device="cuda")
        with devices.hold(side):
            with tk.cuda.stream(side):
                t.add_(1)
            assert is_held_up(side.synchronize)
            assert is_held_up(tk.cuda.synchronize)
            assert not is_held_up(t.tolist)  # of another stream
        with pytest.raises(RuntimeError, match="another"):
            is_held_up(lambda: exec("raise RuntimeError('another')"))


def test_waits_are_counted_and_other_warnings_are_not() -> None:
    def call() -> float:
        import warnings

        warnings.warn("something else", UserWarning, stacklevel=1)
        return float(t[0]) + t.sum().item()

    with tk.cuda.emulate():
        t = tk.ones(2, device="cuda")
        assert counted(call) == (3.0, 2)
        with pytest.raises(ZeroDivisionError):
            counted(lambda: 1 // 0)
        assert tk.cuda.get_sync_debug_mode() == 0


@pytest.mark.parametrize("name", [name for name in vars(tried) if name.startswith("negatives")])
def test_what_is_seen_of_a_function_is_the_same_every_time(name: str) -> None:
    """Two streams run in threads of their own; nothing of what is seen may depend on which is quicker."""
    seen = set()
    for _ in range(5):
        with tk.cuda.emulate() as devices:
            seen.add(plays.in_turn(getattr(tried, name), devices, ([[1, 2]], [[3]])))
    assert len(seen) == 1
