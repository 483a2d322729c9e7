"""GraphView from Python's side: what it reads and says, how it lives and dies."""

from __future__ import annotations

import base64
import re
import sys
import weakref
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy
import pytest

import tensorkit as tk
from tensorkit.kernels.jit import compiler
from tensorkit_widgets import GraphView, StrideExplorer
from tensorkit_widgets.graph.adapter import named, read
from tensorkit_widgets.snapshot.adapter import describe, storage_number
from tensorkit_widgets.widget import cell_hook
from tests.support.garbage import collect, holders
from tests.widgets.graph.reading import box, parts, send
from tests.widgets.graph_examples import GRAPHS, view
from tests.widgets.stride_explorer.test_widget import Shell, Tags

# ---- reading a graph


def _ours(text: str) -> str:
    """PyTorch's sentence with our name in it, and without what follows it."""
    return text.replace("[torch.", "[tensorkit.").partition("Hint:")[0]


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parity
def test_tensorkit_and_pytorch_are_read_alike(name: str) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = view(name, tk), view(name, torch)
    assert ours.text() == theirs.text()
    ours.run()
    theirs.run()
    assert _ours(ours.text()) == _ours(theirs.text())
    assert ours.status == theirs.status
    ours.close()
    theirs.close()


def test_what_an_operation_saved_is_named_with_its_version(lib: Any) -> None:
    loss, names = GRAPHS["affine"](lib)
    graph, _ = read([loss], named(names, lib.__name__))
    muls = [v for v in graph.vertices if v.short == "Mul"]
    assert [[(k.name, k.source, k.state, k.expected) for k in v.kept] for v in muls] == [
        [("other", "d", "kept", 0)],
        [("input", "y", "kept", 0), ("other", "y", "kept", 0)],
        [("other", "x", "kept", 0)],
    ]
    found = {v.name: (v.kind, v.note) for v in graph.vertices if v.kind != "op"}
    assert found == {"w": ("leaf", ""), "b": ("leaf", ""), "x": ("constant", ""), "d": ("constant", "y")}


def test_names_are_found_where_the_caller_has_them() -> None:
    w = tk.ones(2, requires_grad=True)
    held = [tk.ones(2, requires_grad=True)]
    _hidden = tk.ones(2, requires_grad=True)
    total = (w * held[0] * _hidden).sum()
    shown = GraphView(total)
    assert shown.frame["facts"]["title"] == "total"
    assert {p["data-name"] for p in parts(shown.svg(), "tk-leaf") if "data-name" in p} == {
        "w",
        "held[0]",
        "leaf 1",
    }
    shown.close()


@pytest.mark.parity
def test_parameters_of_a_model_are_named() -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(2, 1)
    shown = GraphView(model(torch.ones(1, 2)).sum())
    assert {"model.weight", "model.bias"} <= {p.get("data-name") for p in parts(shown.svg(), "tk-leaf")}
    shown.close()


def test_wrong_arguments_get_a_sentence() -> None:
    with pytest.raises(TypeError, match=r"a numpy\.ndarray has no graph"):
        GraphView(numpy.ones(2))
    with pytest.raises(TypeError, match="one tensor or several"):
        GraphView([])
    with pytest.raises(TypeError, match="cannot draw int"):
        GraphView(3)
    with pytest.raises(TypeError, match="no option colour"):
        GraphView(tk.ones(1), colour="red")
    for names in ([1], {1: tk.ones(1)}):
        with pytest.raises(TypeError, match="names must be a dictionary"):
            GraphView(tk.ones(1), names=names)


HOSTILE = ["<script>alert(1)</script>", "a\x00b\ud800", "\"&'", "名前" * 300, "]]>"]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name: str, tmp_path: Path) -> None:
    w = tk.ones(2, requires_grad=True)
    y = w * 2
    shown = GraphView(y.sum(), names={name: w, name + "2": y}).step(2)
    for svg in (shown.svg(), shown.frame["svg"]):
        assert not [part for part in ElementTree.fromstring(svg).iter() if part.tag.endswith("script")]
    page = shown.save(tmp_path / "x.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    shown.close()


# ---- display and life


def test_two_outputs_the_view_and_the_picture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    w = view("affine").step(3)
    shown: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_options: shown.append(data))
    w._ipython_display_()
    live_view, picture = shown
    assert set(live_view) == {"application/vnd.jupyter.widget-view+json"}
    assert picture["text/plain"] == w.text()
    (tag, attributes), (line, _) = Tags(picture["text/html"]).seen
    assert line == "p"
    assert (tag, attributes["class"]) == ("img", "tk-still")
    assert "Rehearsal, step 3 of 7" in (attributes["alt"] or "")
    data = (attributes["src"] or "").partition(",")[2]
    assert base64.b64decode(data).decode() == w.svg()
    for suffix in ("svg", "txt"):
        assert w.save(tmp_path / f"x.{suffix}").is_file()
    page = w.save(tmp_path / "x.html").read_text(encoding="utf-8")
    assert page.count("<template ") == 3 * 8, "every step, for three widths"
    assert 'data-first="3"' in page
    with pytest.raises(ValueError, match="must end in"):
        w.save(tmp_path / "x.png")
    w.close()


def test_a_failed_draw_falls_back_to_text(monkeypatch: pytest.MonkeyPatch) -> None:
    w = view("square")

    def broken(*_args: Any, **_options: Any) -> str:
        raise ZeroDivisionError("no ink")

    monkeypatch.setattr(GraphView, "_svg_of", broken)
    w._handle_custom_msg({"kind": "step"}, [])
    assert w.frame["svg"] == ""
    assert w.frame["reason"] == "the picture could not be drawn: no ink"
    monkeypatch.undo()
    assert send(w, "step")["step"] == 2
    w.close()


# ---- the storages that it shares with other pictures


def held(w: GraphView, storage: int) -> list[tuple[str, str, dict[int, str]]]:
    """What stands for a tensor on a storage: its classes, its layout, and its numbers by slot."""
    found = []
    for part in ElementTree.fromstring(w.frame["svg"]).iter():
        if part.get("data-storage") == str(storage):
            texts = [child for child in part if child.tag.endswith("text")]
            items = {int(i.get("data-slot", "")): i.text or "" for text in texts for i in text}
            layout = " ".join(part.get(f"data-{name}", "?") for name in ("item", "offset", "size", "stride"))
            found.append((part.get("class", ""), layout, items))
    return found


def number_of(tensor: Any) -> int:
    """A storage as the widgets call it."""
    return storage_number(describe(tensor).buffer)


def test_what_stands_for_a_tensor_knows_its_slots(lib: Any) -> None:
    w = lib.arange(12.0).view(3, 4).requires_grad_()
    odd = w.detach()[1:, ::2].t()
    loss = (w[0, :2] * odd).sum()
    g = GraphView(loss, names={"w": w, "odd": odd, "loss": loss})
    (leaf, layout, items), *rest = held(g, number_of(w))
    if "constant" in leaf:
        (leaf, layout, items), rest = rest[0], [(leaf, layout, items), *rest[1:]]
    assert ("tk-leaf" in leaf, layout, items) == (True, "4 0 3,4 4,1", {0: "0.", 1: "1."})
    (kept, constant) = sorted(rest)
    assert ("tk-held-line" in kept[0], kept[1:]) == (True, ("4 4 2,2 2,4", {}))
    assert ("tk-constant" in constant[0], constant[1:]) == (
        True, ("4 4 2,2 2,4", {4: "4.", 8: "8.", 6: "6.", 10: "10."}),
    )  # fmt: skip
    ((result, layout, items),) = held(g, number_of(loss))
    assert ("tk-held-line" in result, layout, items) == (True, "4 0  ", {0: f"{loss.item():.0f}."})
    g.close()


def test_only_what_lives_on_is_linked(lib: Any) -> None:
    loss, names = GRAPHS["square"](lib)
    w = names["w"]
    g = GraphView(loss, names=names)
    assert [kind.split()[-1] for kind, *_ in held(g, number_of(w))] == [
        "tk-held",
        "tk-held-line",
        "tk-held-line",
    ]
    g.run()
    assert box(g, "w")["data-filled"] == "rehearsed"
    assert [kind.split()[1] for kind, *_ in held(g, number_of(w))] == ["tk-leaf"], "the saved ones are let go"
    assert "tk-jar" not in "".join(re.findall(r'class="([^"]*tk-held[^"]*)"', g.frame["svg"]))
    g.backward()
    ((jar, layout, items),) = held(g, number_of(w.grad))
    assert ("tk-jar" in jar, layout, items) == (True, "4 0 2 1", {0: "2.", 1: "4."})
    g.close()
    empty = GraphView(lib.zeros(0, requires_grad=True), names={})
    assert "data-storage" not in empty.frame["svg"], "there is no slot to point at"
    empty.close()


def test_a_saved_page_counts_its_storages(tmp_path: Path) -> None:
    w = view("affine")
    page = w.save(tmp_path / "x.html").read_text(encoding="utf-8")
    live_numbers = set(re.findall(r'data-storage="(\d+)"', w.frame["svg"]))
    assert len(live_numbers) == 5
    assert set(re.findall(r'data-storage="(\d+)"', page)) <= set("0123456789")
    other = view("affine")
    assert other.save(tmp_path / "y.html").read_text(encoding="utf-8") == page, (
        "the same state, the same bytes"
    )
    w.close()
    other.close()


def test_a_write_through_a_view_in_another_widget_shows(lib: Any) -> None:
    w = lib.tensor([1.0, 2.0, 3.0], requires_grad=True)
    loss = (w * w).sum()
    g = GraphView(loss, names={"w": w, "loss": loss})
    explorer = StrideExplorer(w.detach()[1:], name="part")
    explorer._handle_custom_msg({"kind": "edit", "key": "t:1", "value": "7"}, [])
    assert w.tolist() == [1.0, 2.0, 7.0]
    (_, _, items), *_ = held(g, number_of(w))
    assert items == {0: "1.", 1: "2.", 2: "7."}
    assert "w was written to after Mul saved it" in g.text()
    g.close()
    explorer.close()


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Shell:
    for widget in list(cell_hook._alive):
        widget.close()
    cell_hook._hooked.clear()
    made = Shell()
    monkeypatch.setattr(cell_hook, "_shell", lambda: made)
    monkeypatch.setattr("IPython.display.display", lambda *_args, **_options: None)
    return made


def test_a_cell_that_runs_backward_shows_at_once(shell: Shell) -> None:
    loss, names = GRAPHS["square"](tk)
    w = GraphView(loss, names=names)
    revision = w.frame["revision"]
    shell.ran()
    assert w.frame["revision"] == revision
    loss.backward()
    shell.ran()
    assert box(w, "w")["data-filled"] == "yes"
    names["w"].grad = None
    shell.ran()
    assert box(w, "w")["data-filled"] == "no"
    w.close()


def test_one_hook_and_none_after_the_last(shell: Shell) -> None:
    hooks = shell.events.callbacks["post_run_cell"]
    widgets = [view("square") for _ in range(5)]
    assert len(hooks) == 1
    for w in widgets:
        w.close()
        w.close()
    assert hooks == []


def test_a_closed_view_is_deaf_and_opens_again(shell: Shell) -> None:
    held = GRAPHS["square"](tk)  # a closed view holds no tensor itself
    w = GraphView(held[0], names=held[1])
    w.close()
    revision = w.frame["revision"]
    w._heard(w, {"kind": "step"}, None)
    assert w.frame["revision"] == revision
    assert not w.refresh()
    w._ipython_display_()
    assert w.comm is not None
    assert send(w, "step")["step"] == 1
    w.close()


def test_running_a_cell_again_closes_what_it_had_made(shell: Shell) -> None:
    first = view("square")
    first._ipython_display_()
    shell.run = 1
    second = view("square")
    second._ipython_display_()
    assert first._closed
    second.close()


def test_a_closed_view_lets_the_graph_go(lib: Any) -> None:
    loss, names = GRAPHS["affine"](lib)
    watched = weakref.ref(names["y"])
    shown = GraphView(loss, names=names).run()
    shown.close()
    del shown, loss, names
    collect()
    assert watched() is None, holders(watched())


def test_the_view_keeps_no_tensor_that_it_does_not_draw() -> None:
    w = tk.ones(2, requires_grad=True)
    other = tk.ones(1000)
    watched = weakref.ref(other)
    shown = GraphView((w * w).sum(), names={"w": w, "other": other})
    del other
    collect()
    assert watched() is None
    shown.close()


def test_hundreds_of_cell_runs_leak_nothing(shell: Shell) -> None:
    w = view("affine")
    grown = []
    with compiler.paused():
        for _ in range(9):
            collect()
            before = sys.getallocatedblocks()
            for _ in range(50):
                shell.ran()
            collect()
            grown.append(sys.getallocatedblocks() - before)
    # Other threads take blocks too, but not all the time.
    assert sorted(grown)[3] < 25, grown
    w.close()
