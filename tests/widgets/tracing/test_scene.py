"""Trace and explain: the pictures say what happened, mark what failed, stay on the page, and keep nothing alive."""

from __future__ import annotations

import subprocess
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import tensorkit as tk
from tensorkit_widgets import Trace, explain, trace
from tensorkit_widgets.drawing.sheet import Sheet, Tile
from tensorkit_widgets.render.sheet import render_sheet
from tensorkit_widgets.tracing.explain import Explanation
from tensorkit_widgets.tracing.recorder import record
from tensorkit_widgets.tracing.scene_code import listed, span_of
from tensorkit_widgets.tracing.scene_list import spread
from tensorkit_widgets.tracing.scene_storages import walk_of
from tests.support.garbage import collect
from tests.widgets.tracing.test_explain import (
    ARRAY_ERRORS,
    ERRORS,
    every_library,
    every_tensor_library,
    names_of,
)


def tiles_of(sheet: Sheet) -> dict[str, Tile]:
    return {tile.key: tile for table in sheet.tables for tile in table.tiles}


def fits(sheet: Sheet) -> None:
    """Everything stands on the page, tables beside one another and not on one another."""
    for tile in tiles_of(sheet).values():
        assert tile.x >= 0, tile.key
        assert tile.x + tile.width <= sheet.width + 1, tile.key
        assert tile.y + tile.height <= sheet.height + 1, tile.key
    for note in sheet.notes:
        assert 0 <= note.x <= sheet.width, note.text
        assert 0 <= note.y <= sheet.height + 1, note.text
    boxes = sorted((t.y, t.x, t.y + t.height, t.x + t.width, t.key) for t in tiles_of(sheet).values())
    for k, (_, left, bottom, right, key) in enumerate(boxes):
        for other in boxes[k + 1 :]:
            apart = other[0] >= bottom - 1 or other[1] >= right - 1 or other[3] <= left + 1
            assert apart, (key, other[4])


def every(w: Trace) -> Iterator[Sheet]:
    for k in range(w.steps + 1):
        sheet = w._sheet(k)
        fits(sheet)
        ElementTree.fromstring(w.goto(k).svg())
        assert not w.frame["reason"]
        yield sheet


def of(code: str, library: str = "tensorkit", **more: Any) -> Explanation:
    return explain(code, names_of(library) | more)


# -- what is shown ------------------------------------------------------------------------------------------------


def test_a_block_is_traced_and_shows_itself() -> None:
    x = tk.arange(6).view(2, 3)
    with trace() as tr:
        y = x.t().reshape(-1)
        x.add_(1)
    assert [(call.op, call.kind) for call in tr.calls] == [
        ("t", "view"),
        ("reshape", "copy"),
        ("add_", "in place"),
    ]
    assert (tr.at, tr.steps, tr.bytes_moved, tr.left_out, tr.failed) == (0, 3, 48, 0, None)
    assert repr(tr) == "Trace(3 calls)"
    assert tr.frame["facts"]["steps"] == 3
    assert "1 copy" in tr.text()
    y.zero_()
    assert tr.refresh() is False
    assert "0  3  1  4  2  5" in tr.goto(2).text()
    tr.close()


def test_what_raised_passes_through_and_is_where_the_trace_opens() -> None:
    with pytest.raises(RuntimeError), trace() as tr:
        tk.ones(2, 3).t().view(-1)
    assert tr.failed is not None
    assert (tr.at, tr.steps) == (3, 3)
    assert tr.frame["facts"]["status"] == "raised"
    tr.close()


def test_a_trace_shows_what_is_recorded_so_far() -> None:
    with trace() as tr:
        tk.ones(1)
        assert tr.step().steps == 1
        tk.ones(1)
        assert tr.step().at == 2
    tr.close()


def test_a_recording_made_elsewhere_is_shown() -> None:
    with record() as recorder:
        tk.ones(2)
    for source in (recorder, recorder.recording()):
        w = Trace(source)
        assert w.steps == 1
        w.close()
    with pytest.raises(TypeError, match="not list"):
        Trace([])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no option colour"):
        Trace(recorder, colour="red")
    with pytest.raises(TypeError, match="not int"):
        explain(3)  # type: ignore[arg-type]
    with pytest.raises(SyntaxError):
        explain("x.view(", {})


def test_code_runs_where_the_caller_says() -> None:
    names = {"tk": tk}
    w = explain("y = tk.ones(2)", names)
    assert names["y"].tolist() == [1, 1]  # type: ignore[attr-defined]
    assert w.story.code == "y = tk.ones(2)"
    assert explain("__name__").story.shown == repr(__name__)
    assert [call.op for call in explain(lambda: tk.ones(2).neg()).calls] == ["ones", "neg"]


def test_the_running_part_is_marked() -> None:
    w = of("y = x.t().reshape(-1)\nif True:\n    z = x[1:, ::2] + y[:2]\n")
    shown = [(w.goto(k)._facts()["line"], w._facts()["running"]) for k in range(1, w.steps + 1)]
    assert shown == [
        ("1", "x.t()"),
        ("1", ".reshape(-1)"),
        ("3", "x[1:, ::2]"),
        ("3", "y[:2]"),
        ("3", "x[1:, ::2] + y[:2]"),
    ]
    lights = [frame for frame in w._sheet(2).frames if frame.kind == "light"]
    assert len(lights) == 1
    code = [note.text for note in w._sheet(2).notes if note.role == "code"]
    assert code[:3] == ["y = x.t()", ".reshape(-1)", "if True:"]


def test_marks_in_odd_lines() -> None:
    assert span_of("ä = 'ü'; x.t()", 12, "x.t()", "x.t()") == (9, 14)  # columns count bytes
    assert span_of("  tk.cat([a,", 3, "tk.cat([a, b])", "tk.cat([a, b])") == (2, 12)
    assert span_of("a + b", 1, "", "") == (0, 5)
    w = of("\n\n\ny = (x\n     .t())\n" + "z = 1\n" * 30 + "w = x.neg()")
    assert [listed(w.story.code, call).at.number for call in w.calls] == [4, 36]  # type: ignore[union-attr]
    assert listed(w.story.code, w.calls[1]).before > 20
    long = of("y = " + " + ".join(["x"] * 60))
    for sheet in every(long):
        assert all(note.x + 10.2 * len(note.text) < 960 for note in sheet.notes if note.role == "code")


def test_calls_inside_a_function_are_indented_and_show_their_own_line() -> None:
    w = of("def g(a):\n    b = a.t()\n    return b.reshape(-1)\n\ng(x) + 1")
    rows = [tile for key, tile in tiles_of(w._sheet(3)).items() if key.startswith("step:")]
    assert [tile.x - rows[2].x for tile in rows] == [16, 16, 0]
    assert w.goto(2)._facts()["line"] == "3"
    outside = explain("helper(x)", {"helper": lambda t: t.neg(), "x": tk.ones(2)})
    assert outside.goto(1)._facts()["running"] == "t.neg()"


def test_a_write_marks_the_elements_and_their_slots() -> None:
    w = of("x.t()[1, 2] = 50").goto(-1)
    tiles = tiles_of(w._sheet(w.at))
    assert [key for key, tile in tiles.items() if "changed" in tile.kinds] == ["out0:1,2", "A:9"]
    assert tiles["in0:1,2"].text == "9"
    assert tiles["out0:1,2"].text == "50"
    assert "version 0" in w.text()
    assert "version 1" in w.text()


def test_the_same_storage_has_the_same_letter_and_lights_up_together() -> None:
    tiles = tiles_of(of("x.t()")._sheet(1))
    assert tiles["letter-in0"].text == tiles["letter-out0"].text == "A"
    assert tiles["letter-in0"].dim == tiles["letter-out0"].dim
    assert set(tiles["in0:1,2"].kin) == {"A:6", "out0:2,1"}
    assert set(tiles["A:6"].kin) == {"in0:1,2", "out0:2,1"}
    copied = tiles_of(of("x.clone()")._sheet(1))
    assert (copied["letter-in0"].text, copied["letter-out0"].text) == ("A", "B")
    assert copied["letter-in0"].dim != copied["letter-out0"].dim
    assert copied["in0:1,2"].kin == ("A:6",)


# -- errors -------------------------------------------------------------------------------------------------------


def marked(w: Explanation) -> set[tuple[int, int]]:
    keys = [
        key
        for key, tile in tiles_of(w._sheet(w.at)).items()
        if "bad" in tile.kinds and key.startswith("size-in")
    ]
    return {(int(key[7 : key.index(":")]), int(key.split(":")[1])) for key in keys}


@every_tensor_library
@pytest.mark.parametrize("wanted", ERRORS, ids=[error[0] for error in ERRORS])
def test_every_error_opens_where_it_was_raised_with_its_dimensions_marked(wanted: Any, library: str) -> None:
    code, name, culprits, why, then = wanted
    w = of(code, library)
    assert w.at == w.steps
    assert w._facts()["diagnosis"] == name
    sheet = list(every(w))[-1]
    assert sheet.status == "raised"
    assert marked(w.run()) == {(c.operand, c.dim) for c in culprits}
    said = " ".join(sheet.words)
    assert why in said
    assert then.lower() in said.lower()
    drawn = " ".join(note.text for note in sheet.notes)
    assert why.split()[0] in drawn
    assert "what to do next" in drawn


@pytest.mark.parametrize("wanted", ARRAY_ERRORS, ids=[error[0] for error in ARRAY_ERRORS])
def test_errors_of_arrays_too(wanted: Any) -> None:
    w = of(wanted[0], "numpy")
    assert list(every(w))[-1].status == "raised"
    assert marked(w.run()) == {(c.operand, c.dim) for c in wanted[2]}


OFFERED = ["x.t().view(-1)", "x.t().view(2, 6)", "x[:, 1:].view(-1)", "x.mean()", "w.numpy()", "v.item()"]


@pytest.mark.parametrize("code", OFFERED)
def test_what_is_offered_works(code: str) -> None:
    w = of(code)
    assert w.offers
    for offer in w.offers:
        assert of(offer).failed is None, offer
    controls = {control.role: control for control in w._controls()}
    assert [controls[f"copy-{k}"].value for k in range(len(w.offers))] == list(w.offers)
    assert all(any(offer in note.text for note in w._sheet(w.at).notes) for offer in w.offers)


def test_the_walk_of_a_view_that_cannot_be() -> None:
    w = of("x.t().view(-1)")
    assert walk_of(w.calls[-1]) == ((0, 4, 1), (4, 8, 1), (8, 1, 0))
    assert [arc.label for arc in w._sheet(2).arcs] == ["+4", "+4", "−7"]
    assert "the walk goes +4, +4, −7" in w.text()
    assert walk_of(of("x.view(5, 2)").calls[-1]) == ()
    assert of("tk.ones(50, 60).t().view(-1)")._sheet(2).arcs == ()


def test_an_error_that_was_caught_can_be_gone_to() -> None:
    w = of("try:\n    x.reshape(5)\nexcept Exception:\n    y = -x\nz = y + 1")
    assert (w.at, w.failed) == (0, None)
    assert [control.role for control in w._controls()] == ["error"]
    w._heard(None, {"kind": "error"}, [])
    assert w.at == 1
    assert w._controls() == []


def test_an_error_of_no_call_is_told_with_the_whole() -> None:
    w = of("undefined_name")
    assert "the name undefined_name" in w.text()
    w = of("raise ValueError('no')")
    assert "ValueError: no" in w.text()
    assert w._sheet(w.at).status == "raised"
    list(every(w))


def test_advice_is_told_in_sentences() -> None:
    w = of("f + v")
    assert "To line v up with dimension 0" in w.text()
    assert "v has several" in of("v.item()").text()


# -- many, large, odd ---------------------------------------------------------------------------------------------

ODD = [
    "tk.tensor(3.5) + 1",
    "tk.zeros(0, 3).t().reshape(-1)",
    "tk.ones(1).expand(10**9).view(10**9)",
    "tk.ones(1).expand(2, 10**7, 5).unsqueeze(0)",
    "tk.arange(1024).view(*[2] * 10).permute(*range(9, -1, -1)).sum(0)",
    "tk.tensor([float('nan'), float('inf'), -float('inf')]) * 1e30",
    "tk.ones(3, 4, dtype=tk.bfloat16).t().contiguous()",
    "(tk.ones(3, 4, dtype=tk.complex64) * (1.23456 - 1e-5j)).conj()",
    "tk.ones(3, 4, dtype=tk.bool).t() & True",
    "tk.full((3, 4), 2**62).t() - 1",
    "tk.ones(2, 3, device='meta').t()",
    "tk.arange(24.).view(2, 3, 4).transpose(0, 2)[1:].clone()",
    "tk.arange(10**6).as_strided((10**3, 5), (10**3 - 1, 7), 11)[:, ::2] + tk.ones(3)",
    "tk.cat([tk.ones(2, 2)] * 20).unbind()",
    "tk.ones(40, 40)[30:, 30:].fill_(5)",
    "tk.arange(10.)[5:].set_(tk.zeros(2))",
    "x[2, 3] = -1\nx.t_()",
    "tk.arange(6, dtype=tk.int32).view(tk.int16).view(tk.uint8)",
    "tk.svd(f)",
    "f.max(0)",
]


@pytest.mark.parametrize("code", ODD)
def test_odd_tensors_stay_on_the_page(code: str) -> None:
    w = of(code)
    for width in Trace.widths:
        w._heard(None, {"kind": "room", "value": width}, [])
        assert {sheet.width for sheet in every(w)} == {width}
    assert w.steps > 0
    assert w.left_out == 0


@pytest.mark.parametrize("wanted", ERRORS, ids=[error[0] for error in ERRORS])
def test_errors_stay_on_a_narrow_page(wanted: Any) -> None:
    w = of(wanted[0])
    for width in Trace.widths[:-1]:
        w._heard(None, {"kind": "room", "value": width + 9}, [])
        assert w._sheet(w.at).width == width
        fits(w._sheet(w.at))
        lines = [
            note
            for note in w._sheet(w.at).notes
            if note.role in ("body", "alarm", "muted") and not note.after
        ]
        assert all(note.anchor != "start" or note.x + 6.2 * len(note.text) < width for note in lines)


def test_a_narrow_strip_shows_fewer_slots_those_that_matter() -> None:
    w = explain("t[12:] + 1\nt[15] = 9", {"t": tk.arange(24.0)})
    for at, slot in ((1, 12), (2, 12), (3, 15)):
        for width in Trace.widths:
            w._heard(None, {"kind": "room", "value": width}, [])
            strip = [tile for key, tile in tiles_of(w._sheet(at)).items() if key.startswith("A:")]
            assert all(tile.width >= 26 for tile in strip)
            assert slot in {int(tile.below) for tile in strip}
            assert (len(strip) == 24) is (width > 700)


def test_a_write_out_of_sight_is_said() -> None:
    w = explain("t[90] = 9", {"t": tk.zeros(100)}).goto(1)
    assert any("no number shown here is another one now" in note.after for note in w._sheet(1).notes)


@every_library
def test_every_library_can_be_told(library: str) -> None:
    w = of("y = x.T.reshape(-1)\ny[0] = 7\nz = f + 1\nx[[0, 2]]", library)
    sheets = list(every(w))
    assert [call.kind for call in w.calls] == ["view", "copy", "in place", "made", "copy"]
    assert "changed" in {kind for tile in tiles_of(sheets[3]).values() for kind in tile.kinds}
    told = w.goto(2).text()
    assert ("96 bytes moved" if library == "tensorkit" else "not counted by this library") in told


def test_a_long_story_is_a_window_that_reaches_every_call() -> None:
    w = of("for k in range(150):\n    f = f + 1\nf.view(7)")
    assert (w.steps, w.left_out) == (151, 0)
    seen = set()
    for k in range(w.steps + 1):
        keys = [key for key in tiles_of(w._sheet(k)) if key.startswith("step:")]
        assert len(keys) <= 16
        seen |= set(keys)
    assert len(seen) == 151
    w._heard(None, {"kind": "show", "key": "step:75"}, [])
    assert w.at == 75
    for key in ("step:0", "step:152", "step:x", "step:²", "step:" + "9" * 50, "in0:0,0", "step:-1"):
        w._heard(None, {"kind": "show", "key": key}, [])
        assert w.at == 75
    fits(w._sheet(75))
    assert spread(3, 0, 8) == (1, 3)


def test_calls_too_many_to_keep_are_counted() -> None:
    w = explain("for k in range(50):\n    x = x + 1\nx.view(7)", names_of("tensorkit"), limit=10)
    assert (w.steps, w.left_out) == (10, 41)
    said = " ".join(note.text for note in w._sheet(10).notes)
    assert "10 calls are kept to be looked at, 41 more are counted; the sums are of all of them." in said


def test_a_page_to_keep_holds_the_call_that_raised(tmp_path: Path) -> None:
    w = of("for k in range(90):\n    f = f + 1\nf.view(7)")
    page = w.save(tmp_path / "x.html").read_text(encoding="utf-8")
    assert page.count("<template") == 3 * 61
    assert "step 91 of 91" in page


def test_large_tensors_cost_no_more_than_small_ones() -> None:
    names = {"t": tk.zeros(3000, 3000)}
    begun = time.thread_time()
    w = explain("y = t.t()[5:, 7:]\nz = y.unsqueeze(0)", names)
    list(every(w))
    assert time.thread_time() - begun < 2.0


def test_nothing_is_kept_alive() -> None:
    names = {"t": tk.zeros(1000)}
    freed = weakref.ref(names["t"].untyped_storage())
    w = explain("u = t.view(10, 100)\nt.view(3)", names)
    shown = Trace(w.story)
    names.clear()
    collect()
    assert freed() is None
    assert w.goto(1).svg()
    w.close()
    shown.close()


def test_hostile_names_and_texts_are_escaped() -> None:
    code = "t['<script>alert(1)</script>'.count('x')] + t.sum()  # </svg><img src=x onerror=alert(1)>"
    w = explain(code, {"t": tk.ones(2)})
    for _ in every(w):
        assert "<script" not in w.svg()
        assert "<img" not in w.frame["svg"]
    w = explain("raise ValueError('</text><script>x</script>')", {})
    assert "<script" not in w.svg()


# -- the notebook -------------------------------------------------------------------------------------------------


def test_what_is_said_of_a_tensor_without_dimensions_does_not_move_with_the_storage() -> None:
    drawn = ElementTree.fromstring(render_sheet(explain(lambda: tk.arange(4.0).sum())._sheet(2), live=True))
    held = next(part for part in drawn.iter() if part.get("class") == "tk-pinned")
    assert "offset 0" in "".join(drawn.itertext())
    assert "offset 0" not in "".join(held.itertext())


IN_A_SHELL = r"""
import re, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(colors="NoColor")
plain = lambda text: re.sub(r"\x1b\[[0-9;]*m", "", text)
shown = []
shell.display_pub.publish = lambda data=None, **more: shown.append(data)
assert shell.run_cell("%load_ext tensorkit_widgets\nimport tensorkit as tk\nx = tk.arange(6).view(2, 3)").success
good = shell.run_cell("%%explain\ny = x.t()\nz = y.reshape(-1)\nz")
assert good.success
assert shell.user_ns["z"].tolist() == [0, 3, 1, 4, 2, 5]
print("still", any("> z = y.reshape(-1)" in d.get("text/plain", "") for d in shown))
told = []
shell._showtraceback = lambda kind, error, lines: told.append((kind.__name__, plain("\n".join(lines))))
bad = shell.run_cell("%%explain\ny = x.t()\n\ny.view(-1)", store_history=True)
print("raised", type(bad.error_in_exec).__name__, shell.user_ns["y"].size())
plainly = shell.run_cell("y = x.t()\n\ny.view(-1)")
(kind, ours), (_, theirs) = told
print("kind", kind)
print("line", "----> 3 y.view(-1)" in ours, "----> 3 y.view(-1)" in theirs)
print("cell", f"Cell In[{bad.execution_count}], line 3" in ours)
ours_too = ("explain_magic", "stepper", "watching", "explain_model", "run_cell_magic")
print("frames", [name for name in ours_too if name in ours])
print("last", ours.strip().splitlines()[-1] == theirs.strip().splitlines()[-1])
syntax = shell.run_cell("%%explain\nx.view(")
print("syntax", type(syntax.error_in_exec or syntax.error_before_exec).__name__)
words = shell.run_cell("%%explain really\n1 + 1")
assert shell.run_cell("%unload_ext tensorkit_widgets").success
print("gone", "explain" in shell.magics_manager.magics["cell"])
"""


def test_the_cell_magic_in_a_shell() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_A_SHELL], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.strip().splitlines()
    assert "still True" in lines
    assert "raised ViewError tensorkit.Size([3, 2])" in lines
    assert "kind ViewError" in lines
    assert "line True True" in lines
    assert "cell True" in lines
    assert "frames []" in lines
    assert "last True" in lines
    assert "syntax SyntaxError" in lines
    assert "%%explain runs the cell under it" in done.stdout
    assert "gone False" in lines
