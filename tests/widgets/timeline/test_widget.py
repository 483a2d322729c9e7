"""Timeline: it draws what was recorded, says whether that is measured, and each step tells of its event."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import tensorkit as tk
from tensorkit import tracing
from tensorkit.tracing import QueueEvent
from tensorkit_widgets import Timeline, timeline
from tensorkit_widgets.drawing.parts import Tile
from tensorkit_widgets.timeline.model import Model
from tests.widgets.timeline import programs


def tiles(w: Timeline) -> dict[str, Tile]:
    return {tile.key: tile for table in w._sheet(w.at).tables for tile in table.tiles}


def send(w: Timeline, kind: str, value: Any = None, key: str | None = None) -> Timeline:
    w._heard(None, {"kind": kind, "value": value, "key": key}, [])
    return w


def bars(w: Timeline) -> set[str]:
    return {key for key in tiles(w) if key.partition(":")[0] in ("call", "held", "run")}


def expected(w: Timeline) -> set[str]:
    names = {"call": "call", "held": "held"}
    return {f"{names.get(span.kind, 'run')}:{span.number}" for span in w.spans}


def lit(w: Timeline) -> set[str]:
    return {key for key, tile in tiles(w).items() if "lit" in tile.kinds}


def test_every_span_is_a_bar_in_its_lane_where_its_time_is() -> None:
    w = programs.two_streams()
    assert bars(w) == expected(w)
    shown = tiles(w)
    for one in w.spans:
        for other in w.spans:
            if one.lane == other.lane and one.kind != "record" != other.kind and one.end <= other.begin:
                first, second = (
                    shown[f"{s.kind if s.kind in ('call', 'held') else 'run'}:{s.number}"]
                    for s in (one, other)
                )
                assert first.y == second.y
                assert first.x < second.x
    work = {s.number: s for s in w.spans if s.kind in ("copy", "library")}
    scale = {k: shown[f"run:{k}"].width / work[k].length for k in work}
    assert max(scale.values()) == pytest.approx(min(scale.values()), rel=0.01)


def test_delete_an_event_and_its_bars_go() -> None:
    w = programs.two_streams()
    for gone in range(len(w.events)):
        left = Timeline([*w.events[:gone], *w.events[gone + 1 :]])
        assert len(left.events) == len(w.events) - 1
        assert bars(left) == expected(left)
        assert len(bars(left)) < len(bars(w))
    assert bars(Timeline([])) == set()


def test_spans_are_what_the_lesson_asks_for() -> None:
    w = programs.product()
    assert [(s.kind, s.name, s.lane) for s in w.spans] == [
        ("call", "cpu → cuda:0", "CPU"), ("copy", "cpu → cuda:0", "cuda:0 stream 0"),
        ("call", "mm", "CPU"), ("library", "mm", "cuda:0 stream 0"),
        ("call", "synchronize", "CPU"), ("held", "synchronize", "CPU"),
    ]  # fmt: skip
    assert all(s.begin <= s.end for s in w.spans)
    with pytest.raises(AttributeError):
        setattr(w.spans[0], "begin", 3)  # noqa: B010 - a plain assignment would not type-check


def test_a_step_lights_its_bars_and_tells_of_them() -> None:
    w = programs.two_streams().goto(2)
    assert lit(w) == {"event:2", "call:2", "run:2"}
    assert "gives mm to cuda:0 stream 0, and the call returns after 10 µs" in w.text()
    assert "after cpu → cuda:0 (1) on the same stream" in w.text()
    assert tiles(w)["run:2"].label == "2: mm on cuda:0 stream 0 from 175 µs to 278 µs, 103 µs"
    assert tiles(w)["run:4"].kinds == ("off",)  # of a later step
    assert lit(w.goto(3)) == {"event:3", "call:3", "run:3"}
    assert "copies in one direction take turns, and 1 was before it" in w.text()
    assert lit(w.goto(6)) == {"event:6", "call:6", "run:6"}
    assert "tells cuda:0 stream 0 to wait for an event" in w.text()
    assert "waits" in tiles(w)["run:6"].kinds
    assert lit(w.goto(8)) == {"event:8", "call:8", "held:8"}
    assert "waits from 33 µs to 364.3 µs" in w.text()


def test_work_beside_other_work_is_told_of() -> None:
    w = programs.two_streams()
    assert "At the same time cuda:0 stream 1 does cpu → cuda:0 (3): neither waits" in w.goto(2).text()
    assert "At the same time cuda:0 stream 0 does mm (2): neither waits" in w.goto(3).text()
    assert "At the same time" not in w.goto(7).text()  # it waited for the other stream
    assert "At the same time" not in programs.product().goto(2).text()


def test_a_pageable_copy_says_why_the_program_waits() -> None:
    with tk.cuda.emulate():
        x = tk.ones(1000)
        with timeline() as w:
            x.to("cuda", non_blocking=True).cpu()
    assert "from the CPU’s pageable memory to cuda:0" in w.goto(1).text()
    assert "The program can go on during a copy only if" in w.text()
    assert "only if the CPU" not in w.goto(2).text()
    assert "for it, until" in w.text()


def test_the_whole_is_summed_up() -> None:
    said = programs.two_streams().text()
    assert "Timeline: 8 events in 364 µs, simulated" in said
    assert "The CPU spends 33 µs handing over work and 331 µs waiting." in said
    assert "more than one stream works at the same time" in said
    assert "at the same time" not in programs.product().text()


def test_it_says_that_it_is_simulated_and_by_which_numbers() -> None:
    w = programs.product()
    assert w.source == w._facts()["source"] == "simulated"
    assert any(note.text == "simulated" for note in w._sheet(0).notes)
    assert Model().said() in w.text()
    slow = Timeline(w.events, model=Model(pinned=1))
    assert slow.spans[1].length > 10 * w.spans[1].length
    assert "1 GB/s from or to pinned memory" in slow.text()


def test_with_a_gpus_clock_it_is_measured() -> None:
    w = programs.product()
    w._recorder.times = {event.number: (event.asked + 10.0, event.asked + 20.0) for event in w.events}
    assert w.source == "measured"
    assert any(note.text == "measured" for note in w._sheet(0).notes)
    assert Model().said() not in w.text()
    assert "GPU’s own clock" in w.text()


def test_launches_longer_than_their_kernels_leave_gaps() -> None:
    w = programs.launches()
    work = [s for s in w.spans if s.kind == "kernel"]
    assert all(later.begin > earlier.end for earlier, later in itertools.pairwise(work))
    assert "as soon as it is asked: the stream had nothing else to do" in w.goto(2).text()
    large = programs.launches(size=3_000_000)
    work = [s for s in large.spans if s.kind == "kernel"]
    assert all(later.begin == earlier.end for earlier, later in itertools.pairwise(work))


def test_arrows_go_from_who_records_to_who_waits() -> None:
    w = programs.two_streams()
    (arrow,) = [wire for wire in w._sheet(0).wires if wire.head]
    assert arrow.ends == ("run:5", "run:6")
    assert "strong" in next(wire for wire in w.goto(6)._sheet(6).wires if wire.head).kind
    assert len([wire for wire in w._sheet(2).wires if wire.head]) == 2  # from the call to the work, too


def test_what_is_pressed_is_gone_to() -> None:
    w = programs.two_streams()
    assert send(w, "tick", key="run:3").at == 3
    assert send(w, "tick", key="event:7").at == 7
    assert send(w, "tick", key="held:8").at == 8
    assert send(w, "tick", key="held:x").at == 8
    assert send(w, "tick", key="event:99999999999").at == 8
    assert send(w.goto(0), "wait").at == 8
    assert not next(c for c in w._controls() if c.role == "wait").enabled
    assert send(w, "wait").at == 8


def test_around_the_step_is_nearer() -> None:
    w = programs.two_streams().goto(4)
    before = tiles(w)["run:4"].width
    send(w, "zoom", "near")
    assert tiles(w)["run:4"].width > 5 * before
    assert w._facts()["zoom"] == "near"
    assert "run:1" not in tiles(w)
    assert send(w, "undo")._facts()["zoom"] == "all"
    assert send(w, "zoom", "elsewhere")._facts()["zoom"] == "all"
    send(w, "zoom", "near")
    for at in range(w.steps + 1):
        w.goto(at)
        for tile in tiles(w).values():
            assert tile.x >= 27.9
            assert tile.x + tile.width <= 960 - 27.9


@pytest.mark.parametrize("width", Timeline.widths)
@pytest.mark.parametrize("program", programs.__all__)
def test_on_any_page_it_fits_and_every_tile_has_a_name_of_its_own(width: float, program: str) -> None:
    w = getattr(programs, program)()
    send(w, "room", width)
    for at in range(w.steps + 1):
        sheet = w._sheet(at)
        assert sheet.width == width
        assert sheet.height <= (520 if width > 700 else 700)
        found = [tile for table in sheet.tables for tile in table.tiles]
        assert len({tile.key for tile in found}) == len(found)
        assert all(tile.width > 0 and tile.x + tile.width <= width for tile in found)


def test_many_events_and_many_streams_are_a_window_that_says_so() -> None:
    with tk.cuda.emulate():
        x = tk.ones(10, device="cuda")
        with timeline() as w:
            for _ in range(300):
                with tk.cuda.stream(tk.cuda.Stream()):
                    x.add_(1)
    assert w.steps == 300
    for at in (0, 1, 150, 300):
        w.goto(at)
        assert len(tiles(w)) < 250
        assert w._sheet(at).height <= 600
        assert not at or f"event:{at}" in lit(w)
        assert not at or f"run:{at}" in lit(w)
        assert "of 300:" in w.text()
    assert "more lanes" in "".join(note.text for note in w._sheet(150).notes)


def test_a_recording_keeps_so_many_and_counts_the_rest() -> None:
    with tk.cuda.emulate():
        x = tk.ones(10, device="cuda")
        with timeline(limit=3) as w:
            for _ in range(5):
                x.add_(1)
    assert (len(w.events), w.left_out) == (3, 2)
    assert "5 events" in w.text()
    assert "2 later events were too many to keep" in w.text()
    with pytest.raises(ValueError, match="a timeline keeps at least one event, not 0"), timeline(limit=0):
        pass


def test_an_error_passes_through_and_its_call_is_not_drawn() -> None:
    with tk.cuda.emulate():
        a, b = tk.ones(3, device="cuda"), tk.ones(4, device="cuda")
        with timeline() as w, pytest.raises(RuntimeError):
            a.add_(1) + b
        with pytest.raises(KeyError), timeline():
            raise KeyError("the learner's own")
    assert [s.name for s in w.spans if s.kind != "call"] == ["add"]
    assert not tracing.active


def test_what_a_device_never_did_is_not_drawn_as_done() -> None:
    with tk.cuda.emulate():
        a, index = tk.ones(3, device="cuda"), tk.tensor([7], device="cuda")
        with timeline() as w:
            a.gather(0, index)
            with pytest.raises(tk.cuda.AcceleratorError):
                tk.cuda.synchronize()
    assert [(s.kind, s.name) for s in w.spans] == [("call", "gather")]
    assert "It is never done: cuda:0 has failed" in w.goto(1).text()


def test_it_tells_of_this_thread_and_of_nothing_else() -> None:
    with tk.cuda.emulate():
        with timeline() as w:
            tk.ones(3) + 1
        assert w.events == ()
        assert "No device was given anything." in w.text()
        with timeline() as w, tracing.silence():
            tk.ones(3, device="cuda")
        assert w.spans == ()


def test_hostile_names_are_text() -> None:
    event = QueueEvent("kernel", "<script>alert(1)</script>", "cuda:0", 0, 1, 0, 0)
    w = Timeline([event]).goto(1)
    assert "<script" not in w.svg()
    assert "&lt;script" in w.svg()


def test_what_it_refuses() -> None:
    with pytest.raises(TypeError, match="Timeline has no option zoom: it takes events and model"):
        Timeline([], zoom="near")
    with pytest.raises(TypeError, match="Timeline draws QueueEvents, not int: use timeline"):
        Timeline([3])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"model must be a timeline\.Model, not dict"):
        Timeline([], model={})  # type: ignore[arg-type]
