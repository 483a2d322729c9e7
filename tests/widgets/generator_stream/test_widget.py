"""GeneratorStream: which call took which draws, as the engine itself tells it."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import GeneratorStream
from tensorkit_widgets.drawing.parts import Tile
from tensorkit_widgets.generator_stream.model import Stream, marks_of, parts_of
from tensorkit_widgets.generator_stream.recorder import MOST_KEPT
from tests.widgets.generator_stream import programs


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    with tk.random.fork_rng():
        yield


def tiles(w: GeneratorStream) -> dict[str, Tile]:
    return {tile.key: tile for table in w._sheet(w.at).tables for tile in table.tiles}


def send(w: GeneratorStream, kind: str, value: Any = None, key: str | None = None) -> GeneratorStream:
    w._heard(None, {"kind": kind, "value": value, "key": key}, [])
    return w


def ranges(w: GeneratorStream) -> list[tuple[str, int, int]]:
    return [(step.call, step.first, step.stop) for step in w.taken]


def test_calls_take_draws_off_the_row_and_a_seed_goes_back() -> None:
    w = programs.the_same_four()
    assert ranges(w) == [
        ("manual_seed(0)", 0, 0), ("rand(2)", 0, 2), ("rand(2)", 2, 4), ("manual_seed(0)", 4, 0), ("rand(4)", 0, 4),
    ]  # fmt: skip
    assert [step.lane for step in w.taken] == [0, 0, 0, 1, 1]
    assert [step.line for step in w.taken if step.kind == "draw"] == [
        "a = tk.rand(2)", "b = tk.rand(2)", "c = tk.rand(4)",
    ]  # fmt: skip


def test_bars_cover_their_draws() -> None:
    w = programs.the_same_four()
    shown = tiles(w)
    for step in w.taken:
        if step.kind == "draw":
            bar, first, last = (
                shown[key]
                for key in (f"call:{step.number}", f"draw:0.{step.first}", f"draw:0.{step.stop - 1}")
            )
            assert bar.x == pytest.approx(first.x, abs=2)
            assert bar.x + bar.width == pytest.approx(last.x + last.width, abs=2)
            assert bar.y > first.y
    assert shown["call:2"].y == shown["call:3"].y < shown["call:5"].y


def test_the_row_is_what_rand_gives() -> None:
    w = programs.the_same_four()
    numbers = tk.rand(16, generator=tk.Generator().manual_seed(0)).tolist()
    shown = tiles(w)
    assert [shown[f"draw:0.{k}"].text for k in range(16)] == [f"{number:.4f}" for number in numbers]
    assert ["grey" in shown[f"draw:0.{k}"].kinds for k in (3, 4)] == [False, True]


@pytest.mark.parametrize(
    ("code", "draws"),
    [
        ("tk.rand(2, 3)", 6), ("tk.rand(3, dtype=tk.float64)", 6), ("tk.randn(8)", 16), ("tk.randn(15)", 32),
        ("tk.randn(16)", 16), ("tk.randn(17)", 33), ("tk.randn(16, dtype=tk.float64)", 32), ("tk.randperm(4)", 3),
        ("tk.randint(0, 10, (5,))", 5), ("tk.empty(4).bernoulli_(0.5)", 8), ("tk.empty(3, 2).normal_(0, 1)", 12),
        ("tk.rand(1000)", 1000), ("tk.ones(3)", 0), ("tk.rand(0)", 0),
    ],
)  # fmt: skip
def test_as_many_draws_as_a_second_generator_needs(code: str, draws: int) -> None:
    """The next `rand` after the call is the draw at the place where it stopped."""
    with GeneratorStream() as w:
        tk.manual_seed(5)
        eval(code)
    after = tk.rand(3)
    assert [step.draws for step in w.taken if step.kind == "draw"] == [draws] * (draws > 0)
    assert after.equal(tk.rand(draws + 3, generator=tk.Generator().manual_seed(5))[draws:])


def test_watching_changes_no_number() -> None:
    tk.manual_seed(4)
    plain = [tk.rand(2), tk.randn(3), tk.randn(20), tk.randperm(5)]
    with GeneratorStream():
        tk.manual_seed(4)
        watched = [tk.rand(2), tk.randn(3), tk.randn(20), tk.randperm(5)]
    more = tk.rand(1)
    assert all(a.equal(b) for a, b in zip(plain, watched, strict=True))
    tk.manual_seed(4)
    assert [tk.rand(2), tk.randn(3), tk.randn(20), tk.randperm(5)]
    assert tk.rand(1).equal(more)


def test_normal_numbers_in_pairs_and_blocks() -> None:
    w = programs.blocks()
    assert [step.parts for step in w.taken if step.kind == "draw"] == [
        (4, 4, 4, 4), (4, 4, 4, 4), (16,), (16, 1, 16), (4, 4), (),
    ]  # fmt: skip
    last = w.taken[-1]
    assert (last.draws, last.made, last.spare) == (0, 1, (True, False))
    assert "takes no draw" in w.run()._sheet(w.at).said
    assert parts_of("randn_like", 16, 32) == (32,)
    w.goto(0)
    assert [tile.text for key, tile in tiles(w).items() if key.startswith("piece:2.")] == [
        "4 draws → 2 numbers"
    ] * 4


def test_each_generator_and_each_seed_is_a_row() -> None:
    w = programs.two_generators()
    assert [(step.row, step.first, step.stop) for step in w.taken] == [
        (0, 0, 0), (1, 0, 6), (0, 0, 3), (0, 3, 7), (1, 6, 9),
    ]  # fmt: skip
    assert "g, seed 7" in w.text()
    w = programs.put_back()
    assert [(step.kind, step.row, step.stop) for step in w.taken] == [
        ("seed", 0, 0), ("draw", 0, 3), ("seed", 1, 0), ("draw", 1, 1), ("back", 0, 3), ("draw", 0, 5),
    ]  # fmt: skip


def test_two_generators_of_one_name_lie_in_lanes_of_their_own() -> None:
    def noise(count: int) -> tk.Tensor:
        g = tk.Generator().manual_seed(1)
        return tk.rand(count, generator=g)

    with GeneratorStream() as w:
        noise(3)
        noise(2)
    assert [(step.row, step.lane, step.first, step.stop) for step in w.taken] == [(0, 0, 0, 3), (0, 1, 0, 2)]


def test_what_was_before_the_block_does_not_count() -> None:
    tk.manual_seed(0)
    tk.rand(30)
    with GeneratorStream() as w:
        tk.rand(2)
    assert ranges(w) == [("rand(2)", 30, 32)]
    assert "draw:0.16" in tiles(w)
    assert "draw:0.0" not in tiles(w)
    with GeneratorStream() as w:
        tk.manual_seed(0)
        tk.rand(2)
    assert ranges(w) == [("manual_seed(0)", 0, 0), ("rand(2)", 0, 2)]


def test_far_from_the_seed_the_row_begins_where_it_was_met() -> None:
    w = programs.far()
    assert ranges(w) == [("rand(2)", 0, 2), ("rand(700)", 2, 702)]
    assert "far from its seed" in w.text()
    g = tk.Generator().manual_seed(3)
    tk.rand(700_000, generator=g)
    assert tiles(w)["draw:0.0"].text == f"{tk.rand(1, generator=g).item():.4f}"


def test_a_place_is_found_across_the_renewal_of_the_words() -> None:
    g = tk.Generator().manual_seed(9)
    stream, there = Stream(g), 0
    for count in (1, 623, 1, 623, 1, 5000):
        tk.rand(count, generator=g)
        there += count
        assert stream.place(marks_of(g)) == there
    assert stream.place(marks_of(tk.Generator().manual_seed(8))) is None


def test_steps_light_one_call_and_leave_the_later_ones_open() -> None:
    w = programs.the_same_four()
    assert w.steps == 5
    w.goto(3)
    shown = tiles(w)
    assert {key for key, tile in shown.items() if "lit" in tile.kinds} == {
        "step:3",
        "call:3",
        "draw:0.2",
        "draw:0.3",
    }
    assert shown["call:5"].kinds == ("off",)
    assert "takes draws 2 to 3" in w._sheet(3).said
    w.goto(4)
    assert w._sheet(4).said == "manual_seed(0) puts the default generator back, from draw 4 to draw 0."
    assert w._facts() == {"taken": "5", "streams": "1", "doing": "seed", "first": "4", "stop": "0"}


def test_bars_chips_and_seeds_are_pressed() -> None:
    w = programs.the_same_four()
    assert send(w, "tick", key="call:3").at == 3
    assert send(w, "tick", key="step:5").at == 5
    assert send(w, "tick", key="seed:4").at == 4
    w = programs.many()
    assert send(w, "tick", key="call:2.16").at == 2
    for key in ("call:", "call:x", "", "call:-1", None):
        assert send(w, "tick", key=key).at == 2


def test_many_steps_and_draws_are_cut_and_said() -> None:
    w = programs.many()
    assert "not drawn" in " ".join(note.text for note in w._sheet(0).notes)
    for at in (0, 1, 20, w.steps):
        w.goto(at)
        shown = tiles(w)
        assert len(shown) < 400
        if at:
            assert "lit" in shown[f"step:{at}"].kinds
    with GeneratorStream() as w:
        for _ in range(MOST_KEPT + 7):
            tk.rand(1)
    assert (w.steps, w.left_out) == (MOST_KEPT, 7)
    assert "7 later steps" in w.text()


def test_a_recording_goes_on_and_an_error_passes_through() -> None:
    w = GeneratorStream()
    assert w.steps == 0
    assert "No call drew" in w.text()
    with pytest.raises(RuntimeError, match="invalid"), w:
        tk.manual_seed(0), tk.rand(2), tk.ones(4).view(3)
    with w:
        tk.rand(1)
        with pytest.raises(RuntimeError, match="recording already"):
            w.__enter__()
    assert ranges(w) == [("manual_seed(0)", 0, 0), ("rand(2)", 0, 2), ("rand(1)", 2, 3)]


def test_other_threads_and_devices_are_left_alone() -> None:
    with GeneratorStream() as w:
        other = threading.Thread(target=lambda: tk.rand(3, generator=tk.Generator()))
        other.start()
        other.join()
        with tk.cuda.emulate():
            tk.rand(3, device="cuda")
    assert w.taken == ()


def test_no_generator_and_no_tensor_is_held() -> None:
    names: dict[str, Any] = {"tk": tk, "g": tk.Generator().manual_seed(1)}
    with GeneratorStream() as w:
        exec("made = tk.rand(3, generator=g)", names)  # as in a cell: its names are a module's
    gone = [weakref.ref(names.pop(name)) for name in ("g", "made")]
    gc.collect()
    assert [ref() for ref in gone] == [None, None]
    assert w.run().text()


def test_hostile_lines_stay_text_and_options_are_refused() -> None:
    with GeneratorStream() as w:
        tk.manual_seed(0)
        _ = tk.rand(1), "<script>alert(1)</script>"
    assert "<script>" not in w.svg()
    assert "&lt;script&gt;" in w.svg()
    with pytest.raises(TypeError, match="GeneratorStream has no option seed"):
        GeneratorStream(seed=3)


def test_a_method_is_written_as_one_where_there_is_no_line() -> None:
    with GeneratorStream() as w:
        exec("tk.empty(2).normal_(0, 2)\ntk.randint(3, size=(1,))", {"tk": tk})
    assert [step.call for step in w.taken] == [".normal_(0, 2)", "randint(3, size=(1,))"]
    assert [step.line for step in w.taken] == [step.call for step in w.taken]
