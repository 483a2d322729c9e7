"""Large graphs: runs that are folded, bundles of inputs, and what stays in sight."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import GraphView
from tensorkit_widgets.graph.adapter import LIMIT
from tests.widgets.graph.reading import box, parts
from tests.widgets.graph_examples import view


def test_long_runs_are_folded_and_unfold() -> None:
    w = view("chain")
    assert "× 60 Mul · Add" in w.text()
    assert len(parts(w.svg(), "tk-vertex")) == 6
    boxes = len(parts(w.unfold().svg(), "tk-vertex"))
    assert boxes > 120
    assert w._sheet_now().width < 2000
    assert len(parts(w.fold().svg(), "tk-vertex")) == 6
    w.close()


def test_a_fold_keeps_what_has_a_name_in_sight() -> None:
    w = tk.ones(2, requires_grad=True)
    y = w
    for _ in range(10):
        y = y * 2
    middle = y
    for _ in range(10):
        y = y * 2
    shown = GraphView(y.sum(), names={"w": w, "middle": middle})
    text = shown.text()
    assert text.count("× 9 Mul") + text.count("× 10 Mul") == 2
    assert "middle ← Mul" in text
    shown.close()


def test_a_fold_keeps_the_tensor_that_was_asked_for_in_sight() -> None:
    y = w = tk.ones(2, requires_grad=True)
    for _ in range(10):
        y = y * 2
    shown = GraphView(y, names={"w": w})
    assert "× 9 Mul" in shown.text()
    assert "result = [1024., 1024.]" in shown.text()
    shown.close()


@pytest.mark.parametrize("join", ["cat", "stack"])
def test_the_many_inputs_of_one_operation_are_one_box_that_opens(lib: Any, join: str) -> None:
    parts = [lib.tensor([float(k), 1.0], requires_grad=True) for k in range(40)]
    loss = (getattr(lib, join)(parts) * 3).sum()
    w = GraphView(loss, names={"parts": parts, "loss": loss})
    scene = w._sheet_now()
    assert scene.width == 960, "no row is wider than the page"
    (box,) = [box for box in scene.boxes if box.kind == "leaf"]
    assert (box.title, box.folded, len(box.stands)) == ("40 leaves", 40, 40)
    assert [line.text for line in box.lines] == [
        "each (2,) float32", "parts[0] = [0., 1.]", "… parts[39] = [39., 1.]",
    ]  # fmt: skip
    assert int(w.frame["facts"]["data"]["folded"]) == 1
    assert "; 1 group of inputs folded" in w.text()
    assert w.steps == 4, "Sum, Mul, the joining, and all leaves"
    assert "[3., 3.] to input 2, and 37 more to the other inputs." in w.goto(3).text()
    w.run()
    (box,) = [box for box in w._sheet_now().boxes if box.kind == "leaf"]
    assert box.jar is not None
    assert (box.jar.text, box.jar.rehearsed, box.state) == ("40 of 40", True, "running")
    assert "40 leaves get their gradients" in w.text()
    w.unfold(box.number)
    (box,) = [box for box in w._sheet_now().boxes if box.kind == "leaf"]
    assert (w.at, box.folded, int(w.frame["facts"]["data"]["unfolded"])) == (4, 0, 1)
    assert [line.text for line in box.lines[1:]] == [
        f"parts[{k}] = [{k}., 1.] · .grad [3., 3.]" for k in range(40)
    ]
    assert "parts[7] = [7., 1.] · .grad [3., 3.]" in w.text()
    w.fold()
    assert int(w.frame["facts"]["data"]["folded"]) == 1
    w.backward()
    (box,) = [box for box in w._sheet_now().boxes if box.kind == "leaf"]
    assert box.jar is not None
    assert (box.jar.text, box.jar.rehearsed) == ("40 of 40", False)
    assert parts[3].grad.tolist() == [3.0, 3.0]
    w.close()


def test_what_is_used_elsewhere_too_stays_apart_from_the_many_inputs() -> None:
    parts = [tk.tensor([float(k)], requires_grad=True) for k in range(12)]
    w = GraphView((tk.cat(parts).sum() * parts[5]).sum(), names={"parts": parts})
    titles = {box.title: box for box in w._sheet_now().boxes if box.kind == "leaf"}
    assert sorted(titles) == ["11 leaves", "parts[5]"]
    assert "← Cat(11 leaves, parts[5])" in w.text()
    w.close()
    seven = GraphView(tk.cat(parts[:7]).sum(), names={"parts": parts})
    assert sum(box.kind == "leaf" for box in seven._sheet_now().boxes) == 7, "they find room"
    seven.close()


def test_a_rehearsal_keeps_its_place_when_a_run_unfolds() -> None:
    w = view("chain").step(3)
    before = {p["data-name"] for p in parts(w.svg(), "tk-vertex") if p["data-state"] == "running"}
    w.unfold()
    assert 3 < w.at < w.steps
    w.fold()
    assert w.at == 3
    assert {p["data-name"] for p in parts(w.svg(), "tk-vertex") if p["data-state"] == "running"} == before
    w.close()


def test_two_hundred_operations_without_a_pattern_stay_narrow() -> None:
    w = [tk.tensor([1.0, 0.1 * k], requires_grad=True) for k in range(20)]
    y, total = w[0], w[0] * 1
    for k in range(65):
        y = y * w[k % 7] if k % 3 else y + w[k % 11]
        total = total + y * w[(k * k) % 20]
    shown = GraphView(total.sum())
    assert 190 <= int(shown.frame["facts"]["data"]["operations"]) <= 210
    scene = shown._sheet_now()
    assert scene.width < 3200
    assert len(shown.frame["svg"]) < 600_000
    assert shown.run().status == "done"
    shown.close()


def test_a_deep_graph_is_cut_and_says_so(lib: Any) -> None:
    y = w = lib.tensor([1.0], requires_grad=True)
    for k in range(3000):
        y = y * w if k % 2 else y + w
    shown = GraphView(y, names={"w": w})
    assert int(shown.frame["facts"]["data"]["operations"]) <= LIMIT
    assert f"only the {LIMIT:,} nodes nearest" in shown.text()
    assert "too many to walk" in shown.step().text()
    assert shown.status == "refused"
    shown.close()


def test_only_a_few_numbers_of_a_large_tensor_are_read() -> None:
    w = tk.ones(1000, 1000, requires_grad=True)
    shown = GraphView((w * w).sum(), names={"w": w}).run()
    assert box(shown, "w")["data-grad"].count("2.") < 10
    assert "(1000, 1000) [[2., 2." in shown.text()
    assert len(shown.frame["svg"]) < 20_000
    shown.close()
