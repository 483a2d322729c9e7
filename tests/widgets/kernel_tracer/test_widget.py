"""KernelTracer: what it shows at each step is what the kernel did, and its findings can be gone to."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets import KernelTracer
from tensorkit_widgets.drawing.parts import Tile
from tests.widgets import kernels
from tests.widgets.kernels import cuda


def tiles(w: KernelTracer) -> dict[str, Tile]:
    return {tile.key: tile for table in w._sheet(w.at).tables for tile in table.tiles}


def send(w: KernelTracer, kind: str, value: Any = None, key: str | None = None) -> KernelTracer:
    w._heard(None, {"kind": kind, "value": value, "key": key}, [])
    return w


def row(w: KernelTracer, key: str) -> list[str]:
    """The numbers in one memory."""
    return [tile.text for name, tile in tiles(w).items() if name.startswith(f"{key}:")]


def lit(w: KernelTracer, prefix: str, kind: str = "lit") -> list[str]:
    return [name for name, tile in tiles(w).items() if name.startswith(prefix) and kind in tile.kinds]


def added() -> KernelTracer:
    return KernelTracer(kernels.add, 2, 4, numpy.arange(6.0), numpy.arange(6.0) * 10, numpy.zeros(6))


def test_the_arrays_hold_the_result_as_after_a_launch() -> None:
    out = numpy.zeros(6)
    w = KernelTracer(kernels.add, 2, 4, numpy.arange(6.0), numpy.ones(6), out)
    assert out.tolist() == [1, 2, 3, 4, 5, 6]
    out[:] = 9
    assert row(w.run(), "m2") == ["1.", "2.", "3.", "4.", "5.", "6."]
    assert row(w.goto(0), "m2") == ["0."] * 6


def test_a_step_shows_who_touches_what() -> None:
    w = added().goto(3)
    assert lit(w, "thread:") == ["thread:0", "thread:1", "thread:2", "thread:3"]
    assert lit(w, "m2:", "changed") == ["m2:0", "m2:1", "m2:2", "m2:3"]
    shown = tiles(w)
    assert shown["thread:1"].kin == ("m2:1",)
    assert shown["thread:1"].below == "1"
    assert shown["m2:1"].kin == ("thread:1",)
    assert shown["thread:1"].label == "thread 1 writes slot 1 of out: 11."
    assert row(w, "m2") == ["0.", "11.", "22.", "33.", "0.", "0."]
    assert lit(w.goto(4), "thread:") == ["thread:0", "thread:1"]
    assert tiles(w)["thread:0"].below == "4"


def test_every_step_is_that_of_the_trace() -> None:
    w = KernelTracer(
        kernels.transpose, (2, 1), (4, 4), numpy.arange(32).reshape(4, 8), numpy.zeros((8, 4), int)
    )
    for at, step in enumerate(w.trace.steps, 1):
        w.goto(at)
        assert lit(w, "thread:") == [f"thread:{t}" for t in step.threads]
        slots = {w.trace.accesses[n].slot for n in range(step.first, step.last)}
        strip = w._launch.strip(step.array)
        kind = "lit" if step.kind == "read" else "changed"
        if strip is not None:
            visible = {int(name.partition(":")[2]) for name in tiles(w) if name.startswith(f"{strip.key}:")}
            assert {int(k.partition(":")[2]) for k in lit(w, f"{strip.key}:", kind)} == slots & visible
            assert slots & visible
        assert lit(w, "line:") == [f"line:{step.line}"]
        assert lit(w, "time:") == [f"time:{at}"]
        assert w._facts()["doing"] == step.kind


def test_a_memory_at_a_step_is_what_was_there_and_what_was_written() -> None:
    """Replayed by hand: the last state is the array itself."""
    a = numpy.arange(8, dtype=numpy.float32)
    w = KernelTracer(kernels.reverse, 1, 8, a)
    state = dict(enumerate(range(8)))
    for at, step in enumerate(w.trace.steps, 1):
        for n in range(step.first, step.last):
            if step.kind != "read" and step.array == "a":
                state[w.trace.accesses[n].slot] = int(w.trace.values[n])
        assert row(w.goto(at), "m0") == [f"{state[k]}." for k in range(8)]
    assert [state[k] for k in range(8)] == a.tolist() == [7, 6, 5, 4, 3, 2, 1, 0]


def test_shared_memory_begins_with_nothing_in_each_block() -> None:
    w = KernelTracer(
        kernels.transpose, (2, 1), (4, 4), numpy.arange(32).reshape(4, 8), numpy.zeros((8, 4), int)
    )
    assert set(row(w, "m2")) == {"?"}
    assert row(w.goto(2), "m2")[:5] == ["0", "1", "2", "3", "8"]
    second = next(k for k, step in enumerate(w.trace.steps, 1) if step.block == 1)
    assert set(row(w.goto(second), "m2")) == {"?"}
    assert "blank" in tiles(w)["m2:0"].kinds


def test_a_barrier_is_a_line_through_the_steps() -> None:
    w = KernelTracer(kernels.reverse, 1, 8, numpy.arange(8, dtype=numpy.float32))
    (bar,) = lit(w, "time:", "bar")
    assert bar == "time:3"
    send(w, "barrier")
    assert w.at == 3
    assert "Threads 0 to 7 have reached the barrier" in w.alt()
    assert not next(c for c in w._controls() if c.role == "barrier").enabled
    assert send(w, "barrier").at == 3


def test_findings_are_listed_and_gone_to() -> None:
    w = KernelTracer(kernels.add_all, 1, 4, numpy.arange(3.0), numpy.zeros(1))
    kinds = [found.kind for found in w.trace.findings]
    assert kinds == ["out of bounds", "race"]
    assert w.status == w._sheet(0).status == "wrong"
    assert all(found.text in w.text() for found in w.trace.findings)
    send(w, "found", key="found:1")
    assert w.at == w.trace.findings[1].step + 1
    assert lit(w, "found:") == ["found:1"]
    assert "m1:0" in lit(w, "m1:", "seam")
    send(w, "next")
    assert (w.at, lit(w, "found:")) == (w.trace.findings[0].step + 1, ["found:0"])
    assert "thread:3" in lit(w, "thread:", "seam")
    assert tiles(w)["thread:3"].label == "thread 3 reaches for a[3], which is out of bounds"
    assert w.show(-1)._state.chosen == 1
    assert lit(w.step(-1), "found:") == []
    with pytest.raises(IndexError, match="there are 2 findings, and none has the number 5"):
        w.show(5)


def test_the_sentences_and_chips_of_a_missing_guard_agree_and_name_the_threads() -> None:
    w = KernelTracer(kernels.add_unguarded, 2, 4, numpy.arange(6.0), numpy.ones(6), numpy.zeros(6)).show(0)
    found = w.trace.findings[0]
    said = f"In block 1, threads 0 and 1 read a in line {found.line} (16 bytes, 1 sector)"
    said += "; threads 2 and 3 read nothing."
    assert said in w.alt()
    assert said in {note.text for note in w._sheet(w.at).notes}, "in one line: it is not cut"
    assert "thread 2 of block 1 asked to read a[6]" in found.text
    assert found.text.endswith("so nothing is read (likewise thread 3).")
    chips = [tile.text for name, tile in tiles(w).items() if name.startswith("found:")]
    assert chips == [f"out of bounds: {name}, line {found.line} ×2" for name in ("a", "b", "out")]


def test_what_is_pressed_is_gone_to() -> None:
    w = KernelTracer(
        kernels.transpose, (2, 1), (4, 4), numpy.arange(32).reshape(4, 8), numpy.zeros((8, 4), int)
    )
    line = next(step.line for step in w.trace.steps if step.array == "out")
    first = next(k for k, step in enumerate(w.trace.steps, 1) if step.line == line)
    assert send(w, "line", key=f"line:{line}").at == first
    assert send(w, "block", key="block:1").at == next(
        k for k, s in enumerate(w.trace.steps, 1) if s.block == 1
    )
    assert send(w, "block", value=0).at == 1
    assert send(w, "tick", key="time:4").at == 4
    assert 5 in w.trace.steps[send(w, "thread", key="thread:5").at - 1].threads
    assert send(w, "undo").at == 4


def test_the_sectors_that_move_are_drawn() -> None:
    w = KernelTracer(kernels.add, 1, 8, numpy.arange(8.0), numpy.ones(8), numpy.zeros(8)).goto(1)
    assert len([frame for frame in w._sheet(1).frames if frame.kind == "part"]) == 2
    assert "64 bytes, moved in 2 sectors of 32 bytes" in w.text()


def test_tensors_on_an_emulated_device_and_two_names_of_one_storage() -> None:
    with tk.cuda.emulate():
        t = tk.arange(8.0, device="cuda")
        w = KernelTracer(kernels.add, 1, 4, t[:4], t[:4], t[4:])
        assert t.tolist() == [0, 1, 2, 3, 0, 2, 4, 6]
    assert [strip.name for strip in w._launch.strips] == ["a, b, out"]
    assert row(w.run(), "m0") == ["0.", "1.", "2.", "3.", "0.", "2.", "4.", "6."]


def test_large_memories_are_a_window_on_what_is_touched() -> None:
    x = numpy.zeros(1_000_000)
    w = KernelTracer(lambda x: x.__setitem__(654_321 + cuda.threadIdx.x, 1), 1, 4, x).run()
    assert lit(w, "m0:", "changed") == [f"m0:{k}" for k in range(654_321, 654_325)]
    assert any(note.text == "of 1,000,000" for note in w._sheet(1).notes)


@pytest.mark.parametrize("grid", [1, 3, (2, 2), (2, 1, 2)])
@pytest.mark.parametrize("block", [1, 33, (4, 4), (3, 2, 2), (1, 8), 100])
def test_any_grid_and_block_is_drawn(grid: Any, block: Any) -> None:
    def kernel(x: Any) -> None:
        cuda.atomic.add(x, cuda.threadIdx.x % 4, 1)
        cuda.syncthreads()

    w = KernelTracer(kernel, grid, block, numpy.zeros(4, numpy.int64))
    for at in {0, 1, w.steps // 2, w.steps}:
        sheet = w._sheet(at)
        assert sheet.height < 660
        keys = [tile.key for table in sheet.tables for tile in table.tiles]
        assert len(keys) == len(set(keys))


@pytest.mark.parametrize("kind", ["bool", "uint8", "float16", "bfloat16", "complex64", "int64"])
def test_any_dtype_is_drawn(kind: str) -> None:
    with tk.cuda.emulate():
        x = tk.ones(3, dtype=getattr(tk, kind), device="cuda")
        w = KernelTracer(lambda x: x.__setitem__(0, x[1]), 1, 1, x).run()
    assert row(w, "m0")[0] == row(w, "m0")[1] != "?"


def test_a_kernel_that_touches_nothing_and_one_without_source() -> None:
    w = KernelTracer(lambda: None, 1, 2)
    assert w.steps == 0
    assert "none of them touched memory" in w.text()
    made: dict[str, Any] = {}
    exec("def kernel(x):\n    x[0] = 1", made)
    w = KernelTracer(made["kernel"], 1, 1, numpy.zeros(1)).run()
    assert row(w, "m0") == ["1."]
    assert not lit(w, "line:")


def test_a_block_that_never_ends_its_barrier() -> None:
    w = KernelTracer(kernels.half_wait, 1, 4, numpy.zeros(4))
    (found,) = w.trace.findings
    assert found.kind == "divergent barrier"
    assert found.text in w.show(0).text()


def test_hostile_names_are_text() -> None:
    made: dict[str, Any] = {}
    exec("def kernel(x, s='<script>alert(1)</script>'):\n    x[0] = 1", made)
    w = KernelTracer(made["kernel"], 1, 1, numpy.zeros(1), "<b>")
    assert "<b>" not in w.svg()
    assert "&lt;b&gt;" in w.svg()


def test_what_it_refuses() -> None:
    with pytest.raises(TypeError, match="KernelTracer has no option blocks: it takes kernel, grid, block"):
        KernelTracer(kernels.add, 1, 1, blocks=3)
    with pytest.raises(TypeError, match="a kernel is a Python function"):
        KernelTracer(3, 1, 1)
    with pytest.raises(TypeError, match="a is on the CPU"):
        KernelTracer(kernels.reverse, 1, 8, tk.ones(8))
