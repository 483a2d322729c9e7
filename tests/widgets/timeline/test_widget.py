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
    return {tile.key: tile for table in w._sheet_now().tables for tile in table.tiles}


def send(w: Timeline, kind: str, value: Any = None, key: str | None = None) -> Timeline:
    w._heard(None, {"kind": kind, "value": value, "key": key}, [])
    return w


def bars(w: Timeline) -> set[str]:
    return {key for key in tiles(w) if key.partition(":")[0] in ("call", "held", "read", "error", "run")}


def expected(w: Timeline) -> set[str]:
    names = {"call": "call", "held": "held", "read": "read", "early": "read", "error": "error"}
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
    assert "run:4" not in tiles(w)  # it is still to come
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
    assert w._shown()["about"] == ["what is simulated?", Model().said()]
    assert "pageable" not in w.svg()
    assert "<summary>what is simulated?</summary><p>A call costs the CPU 5 µs" in w._still()["text/html"]
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
    (arrow,) = [wire for wire in w._sheet_now().wires if wire.head]
    assert arrow.ends == ("run:5", "run:6")
    assert "strong" in next(wire for wire in w.goto(6)._sheet(6).wires if wire.head).kind
    assert len([wire for wire in w._sheet(2).wires if wire.head]) == 1  # from the call to the work


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
    assert [(s.kind, s.name) for s in w.spans] == [("call", "gather"), ("error", "synchronize")]
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


# ---- reads, errors, the film


def notes(w: Timeline, role: str) -> list[str]:
    return [note.text for note in w._sheet_now().notes if note.role == role]


def test_a_read_that_comes_too_early_is_drawn_in_the_colour_of_alarm() -> None:
    w = programs.early_read()
    assert [(s.number, s.kind, s.name) for s in w.spans if s.lane == "CPU"] == [
        (1, "call", "mm"), (2, "call", "cuda:0 → cpu"), (3, "early", "sum"),
    ]  # fmt: skip
    assert "bad" in tiles(w)["read:3"].kinds
    assert notes(w, "bar-name-bad") == ["reads old bytes"]
    assert "sum (3) reads pinned memory before the copy into it has come" in w.text()
    said = w.goto(3)._sheet(3).said
    assert "At 15 µs the program reads the CPU’s pinned memory in sum()" in said
    assert "It reads old bytes: the copy (2) is still to come" in said
    assert [wire.kind for wire in w._sheet(3).wires if "bad" in wire.kind] == ["bad dashed"]
    assert lit(w) == {"event:3", "read:3"}
    assert not [wire for wire in w._sheet(2).wires if "bad" in wire.kind]


def test_a_read_after_a_wait_is_no_alarm() -> None:
    w = programs.early_read(held=False, wait=True)
    assert [s.kind for s in w.spans if s.name == "sum"] == ["read"]
    assert "bad" not in tiles(w)["read:4"].kinds
    assert notes(w, "bar-name-bad") == []
    assert "It reads what the copy (2) brought: the program waited for that" in w.goto(4).text()


def test_a_read_that_had_luck_does_not_say_that_it_read_old_bytes() -> None:
    w = programs.early_read(held=False)
    assert notes(w, "bar-name-bad") == ["reads too early"]
    assert "which was luck: nothing waits for it" in w.goto(3).text()
    assert "old bytes" not in w.text() + w.svg()


def test_what_was_held_up_longer_than_the_model_says_so() -> None:
    with tk.cuda.emulate() as device:
        x, here = tk.ones(3, device="cuda"), tk.zeros(3, pin_memory=True)
        with timeline() as w, device.hold():
            here.copy_(x, non_blocking=True)
            for _ in range(5):
                x + 1
            here.tolist()
    assert [s.kind for s in w.spans if s.name == "tolist"] == ["early"]
    assert (
        "in this run the copy (1) had not come yet. By the numbers here it would be there from 15 µs"
        in w.run().text()
    )


def test_who_reads_and_who_does_not() -> None:
    reads: dict[str, Any] = {
        "print": lambda t, u: repr(t), "format": lambda t, u: f"{t[0]:.1f}", "add": lambda t, u: t + 1,
        "copy_": lambda t, u: u.copy_(t), "cat": lambda t, u: tk.cat([u, t]), "row": lambda t, u: t[1:].clone(),
        "item": lambda t, u: t[0].item(), "slots": lambda t, u: t[::2].sum(),
    }  # fmt: skip
    quiet: dict[str, Any] = {
        "view": lambda t, u: t.view(3, 1), "numpy": lambda t, u: t.numpy(), "size": lambda t, u: t.size(),
        "like": lambda t, u: tk.zeros_like(t), "write": lambda t, u: t.__setitem__(0, 1.0),
        "zero_": lambda t, u: t.zero_(),
        "other": lambda t, u: u.sum(), "printed": lambda t, u: repr(u), "unbind": lambda t, u: t.unbind(),
    }  # fmt: skip
    for name, work in {**reads, **quiet}.items():
        with tk.cuda.emulate() as device:
            x, here, other = (
                tk.ones(3, device="cuda"),
                tk.zeros(3, pin_memory=True),
                tk.zeros(3, pin_memory=True),
            )
            with timeline() as w, device.hold():
                here.copy_(x, non_blocking=True)
                work(here, other)
        assert [s.kind for s in w.spans if s.number > 1] == (["early"] if name in reads else []), name


def test_a_tensor_that_to_made_in_pinned_memory_is_read_too_early_as_well() -> None:
    with tk.cuda.emulate() as device:
        x = tk.ones(3, device="cuda")
        with timeline() as w, device.hold():
            repr(x.to("cpu", non_blocking=True))
    assert [(s.kind, s.name) for s in w.spans if s.number > 1] == [("early", "print")]


def test_a_read_is_told_of_only_while_somebody_listens_and_only_of_pinned_memory() -> None:
    with tk.cuda.emulate():
        pinned = tk.zeros(3, pin_memory=True)
        with tracing.record() as events:
            repr(tk.zeros(3))
            with tracing.silence():
                repr(pinned)
        assert [type(event).__name__ for event in events if not isinstance(event, tracing.OpEvent)] == []
        with tracing.record() as events:
            repr(pinned)
        assert [(event.kind, event.name) for event in events if isinstance(event, QueueEvent)] == [
            ("read", "print")
        ]


def test_the_call_that_gets_the_error_is_drawn() -> None:
    w = programs.late_error()
    assert [(s.kind, s.name) for s in w.spans if s.kind == "error"] == [("error", "cpu")]
    number = w.steps
    assert "bad" in tiles(w)[f"error:{number}"].kinds
    assert notes(w, "bar-name-bad") == ["gets the error"]
    said = w.run()._sheet(number).said
    assert (
        "calls cpu(), as print() does, and this call gets the error: work that cuda:0 was given earlier has failed"
        in said
    )
    assert send(w.goto(0), "wait").at == number


def test_the_live_view_begins_before_the_first_call_and_the_still_picture_shows_all() -> None:
    w = programs.two_streams()
    assert w.at == 0
    opening = {tile.key for table in w._compose().tables for tile in table.tiles}
    assert not [key for key in opening if key.startswith(("call", "run", "held"))]
    assert "First, at 0 µs the program asks" in w._compose().said
    assert 'data-key="held:8"' not in w.frame["svg"]
    assert "8. synchronize, still to come" in w.frame["svg"]
    assert bars(w) == expected(w)
    assert 'data-key="held:8"' in w._svg_of(w._sheet_now(), live=True)
    drawn = []
    for at in range(w.steps + 1):
        drawn.append(
            {tile.key for table in w._sheet(at).tables for tile in table.tiles if tile.key[:5] != "event"}
        )
        assert all(int(key.rpartition(":")[2]) <= at for key in drawn[-1] if key[:3] != "key")
    assert all(earlier < later for earlier, later in itertools.pairwise(drawn))
    assert "In all, the CPU spends 33 µs" in w.run()._sheet(w.at).said


def test_the_lanes_and_the_time_stay_where_they_are_while_it_plays() -> None:
    w = programs.two_streams()
    places = [[(f.x, f.y, f.width) for f in w._sheet(at).frames] for at in range(w.steps + 1)]
    assert all(place == places[0] for place in places)
    axis = [
        [n.text for n in w._sheet(at).notes if n.text.endswith("µs") and n.role == "muted"]
        for at in range(w.steps + 1)
    ]
    assert all(one == axis[0] for one in axis)


def test_a_page_to_keep_begins_with_the_whole() -> None:
    page = programs.product()._page()
    assert 'data-first="0"' in page
    first = page.index("<template")
    assert 'data-key="held:3"' in page[first : page.index("</template>")]


def test_bars_too_narrow_for_their_names_carry_them_below() -> None:
    with tk.cuda.emulate() as device:
        a, x = tk.ones(2000, 2000, device="cuda"), tk.zeros(3, device="cuda")
        side = tk.cuda.Stream()
        with timeline() as w, device.hold(side):
            with tk.cuda.stream(side):
                a @ a
                x.fill_(7)
            x + 1
    assert set(notes(w, "bar-name")) == {"fill", "add"}
    for width in Timeline.widths:
        send(w, "room", width)
        assert set(notes(w, "bar-name")) >= {"fill", "add"}
