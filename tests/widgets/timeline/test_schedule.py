"""When everything happens: by the stated model, and as a GPU's clock measured it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tensorkit.tracing import QueueEvent
from tensorkit_widgets.timeline.model import Model
from tensorkit_widgets.timeline.schedule import Span, clocked, measured, schedule
from tests.widgets.timeline import programs

MODEL = Model(
    call=5, library=10, mark=1, kernel=3, memory=1000, arithmetic=10, copy=10, pinned=20, pageable=10, peer=50
)


def event(kind: str, number: int, stream: int | None = 0, **more: Any) -> QueueEvent:
    return QueueEvent(kind, kind, "cuda:0", stream, number, 0, 0, **more)


def kernel(number: int, stream: int = 0, nbytes: int = 0, **more: Any) -> QueueEvent:
    return event("kernel", number, stream, nbytes=nbytes, **more)


def to_device(number: int, nbytes: int, stream: int = 0, **more: Any) -> QueueEvent:
    return event("copy", number, stream, nbytes=nbytes, source="cpu", target="cuda:0", **more)


def when(*events: QueueEvent, model: Model = MODEL) -> dict[tuple[int, str], tuple[float, float]]:
    return {(span.number, span.kind): (span.begin, span.end) for span in schedule(events, model)}


def test_a_call_returns_and_the_kernel_runs_then() -> None:
    assert when(kernel(1, nbytes=2_000_000)) == {(1, "call"): (0, 5), (1, "kernel"): (5, 10)}


def test_work_takes_its_bytes_or_its_sums_whichever_is_longer() -> None:
    product = event("library", 1, nbytes=1_000_000, flops=10**9)
    assert when(product)[1, "library"] == (10, 10 + 3 + 100)
    assert when(replace(product, flops=1))[1, "library"] == (10, 10 + 3 + 1)


def test_a_stream_does_one_thing_after_another_and_the_cpu_goes_on() -> None:
    found = when(kernel(1, nbytes=97_000_000), kernel(2), kernel(3))
    assert [found[k, "call"] for k in (1, 2, 3)] == [(0, 5), (5, 10), (10, 15)]
    assert [found[k, "kernel"] for k in (1, 2, 3)] == [(5, 105), (105, 108), (108, 111)]


def test_small_work_waits_for_its_launches() -> None:
    found = when(kernel(1), kernel(2))
    assert [found[k, "kernel"] for k in (1, 2)] == [(5, 8), (10, 13)]


def test_two_streams_work_side_by_side() -> None:
    found = when(kernel(1, nbytes=97_000_000), kernel(2, stream=1, nbytes=97_000_000))
    assert found[1, "kernel"] == (5, 105)
    assert found[2, "kernel"] == (10, 110)


def test_a_stream_waits_for_an_event_of_another_and_the_program_does_not() -> None:
    found = when(
        kernel(1, nbytes=97_000_000), event("record", 2), event("wait", 3, 1, mark=2), kernel(4, stream=1)
    )
    assert found[2, "record"] == (105, 105)
    assert found[3, "wait"] == (7, 105)
    assert found[4, "kernel"] == (105, 108)
    assert found[4, "call"] == (7, 12)


def test_an_event_that_was_reached_or_never_heard_of_is_not_waited_for() -> None:
    late = when(event("record", 1), kernel(2, stream=1, nbytes=97_000_000), event("wait", 3, 1, mark=1))
    assert late[3, "wait"] == (106, 106)
    assert when(kernel(1, nbytes=97_000_000), event("wait", 2, 1, mark=0))[2, "wait"] == (6, 6)


def test_a_record_means_its_last_place() -> None:
    """The same event recorded twice has two numbers, and who waits names the one."""
    found = when(
        event("record", 1), kernel(2, nbytes=97_000_000), event("record", 3), event("wait", 4, 1, mark=3)
    )
    assert found[4, "wait"][1] == found[3, "record"][0] == 106


def test_who_synchronizes_waits_for_the_device_a_stream_or_an_event() -> None:
    work = kernel(1, nbytes=97_000_000), event("record", 2), kernel(3, stream=1, nbytes=197_000_000)
    assert when(*work, event("synchronize", 4, None))[4, "held"] == (12, 211)
    assert when(*work, event("synchronize", 4, 0))[4, "held"] == (12, 105)
    named = replace(event("synchronize", 4, None, mark=2), name="Event.synchronize")
    assert when(*work, named)[4, "held"] == (12, 105)
    assert (4, "held") not in when(*work, replace(named, mark=0))
    other = replace(event("synchronize", 4, None), device="cuda:1")
    assert (4, "held") not in when(*work, other)


def test_pinned_copies_are_faster_and_only_those_let_the_program_go_on() -> None:
    found = when(to_device(1, 1_000_000, pinned=True), kernel(2))
    assert (found[1, "copy"], found[2, "call"]) == ((5, 65), (5, 10))
    found = when(to_device(1, 1_000_000, waits=True), kernel(2))
    assert (found[1, "copy"], found[1, "held"], found[2, "call"]) == ((5, 115), (5, 115), (115, 120))


def test_copies_in_one_direction_take_turns_and_others_do_not() -> None:
    back = event("copy", 3, 2, nbytes=1_000_000, source="cuda:0", target="cpu", pinned=True)
    found = when(to_device(1, 1_000_000, pinned=True), to_device(2, 1_000_000, stream=1, pinned=True), back)
    assert found[1, "copy"] == (5, 65)
    assert found[2, "copy"] == (65, 125)
    assert found[3, "copy"] == (15, 75)


def test_a_copy_that_is_ready_goes_before_one_that_still_waits() -> None:
    found = when(
        kernel(1, nbytes=997_000_000), event("record", 2), event("wait", 3, 1, mark=2),
        to_device(4, 1_000_000, stream=1, pinned=True), to_device(5, 1_000_000, stream=2, pinned=True),
    )  # fmt: skip
    assert found[4, "copy"] == (1005, 1065)
    assert found[5, "copy"] == (17, 77)


def test_a_copy_between_devices_comes_after_and_before_the_work_of_both() -> None:
    there = replace(kernel(1, nbytes=97_000_000), device="cuda:1")
    over = event("copy", 2, nbytes=1_000_000, source="cuda:0", target="cuda:1", peer=0)
    found = when(there, over, replace(kernel(3), device="cuda:1"))
    assert found[2, "copy"] == (105, 135)
    assert found[3, "kernel"] == (135, 138)


def test_a_copy_within_a_device_reads_and_writes() -> None:
    within = event("copy", 1, nbytes=1_000_000, source="cuda:0", target="cuda:0")
    assert when(within)[1, "copy"] == (5, 5 + 3 + 2)


def test_what_a_failed_device_was_given_is_asked_for_and_never_done() -> None:
    assert when(kernel(1), kernel(2, failed=True)) == {
        (1, "call"): (0, 5), (1, "kernel"): (5, 8), (2, "call"): (5, 10)
    }  # fmt: skip


@pytest.mark.parametrize("gone", range(8))
def test_only_recorded_events_are_drawn(gone: int) -> None:
    """Take one event away, and its bars go, and no others."""
    events = list(programs.two_streams().events)
    assert len(events) == 8
    before = schedule(events, MODEL)
    after = schedule(events[:gone] + events[gone + 1 :], MODEL)

    def kept(spans: tuple[Span, ...], left: list[int]) -> list[tuple[int, str, str, str]]:
        return [(left[s.number - 1], s.kind, s.name, s.lane) for s in spans if s.kind not in ("held", "wait")]

    numbers = [k for k in range(8) if k != gone]
    assert kept(after, numbers) == [one for one in kept(before, list(range(8))) if one[0] != gone]
    assert len(after) < len(before)


def test_the_same_program_takes_the_same_time_every_run() -> None:
    assert programs.two_streams().spans == programs.two_streams().spans


def test_a_model_says_what_it_cannot_take() -> None:
    with pytest.raises(ValueError, match=r"Model\(call=…\) must be a number, 0 or more, not -1"):
        Model(call=-1)
    with pytest.raises(ValueError, match=r"Model\(pinned=…\) must be a number, more than 0, not 0"):
        Model(pinned=0)


# ---- measured


class Mark:
    """A mark of a clock that counts milliseconds."""

    def __init__(self, time: float) -> None:
        self.time = time

    def since(self, start: Mark) -> float:
        return self.time - start.time


def test_measured_times_are_the_gpus_clock_on_the_hosts_axis() -> None:
    """The GPU's clock reads 50 ms when the host's reads 10,000 µs."""
    launched = QueueEvent(
        "kernel", "add", "cuda:0", 0, 7, 1_000_000, 1_004_000, begun=Mark(41.01), ended=Mark(41.06)
    )
    waited = QueueEvent("synchronize", "synchronize", "cuda:0", None, 8, 1_005_000, 1_090_000, waits=True)
    times = clocked([launched, waited], lambda device: (10_000_000, Mark(50.0)))
    spans = measured([launched, waited], times)
    assert [(s.number, s.kind, s.lane) for s in spans] == [
        (1, "call", "CPU"), (1, "kernel", "cuda:0 stream 0"), (2, "held", "CPU"),
    ]  # fmt: skip
    assert [(s.begin, s.end) for s in spans] == [(0, 4), (10, 60), (5, 90)]


def test_without_a_time_nothing_is_drawn_of_a_stream() -> None:
    launched = QueueEvent("kernel", "add", "cuda:0", 0, 7, 1000, 5000, begun=Mark(1), ended=Mark(2))
    assert [span.kind for span in measured([launched], {})] == ["call"]
    assert measured([], {}) == ()
