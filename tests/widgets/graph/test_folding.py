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


# -- calls of modules ---------------------------------------------------------------------------------------------


class Affine(tk.nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = tk.nn.Parameter(tk.eye(size))
        self.bias = tk.nn.Parameter(tk.zeros(size))

    def forward(self, x: tk.Tensor) -> tk.Tensor:
        return x @ self.weight.t() + self.bias


class Block(tk.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = Affine(2), Affine(2)

    def forward(self, x: tk.Tensor) -> tk.Tensor:
        return x + self.down(self.up(x).relu())


def _number(shown: GraphView, title: str) -> int:
    return next(one.number for one in shown._sheet_now().boxes if one.title == title)


def test_the_call_of_a_module_is_one_box_under_its_name() -> None:
    net = tk.nn.Sequential(Affine(2), tk.nn.Identity(), Affine(2))
    y = net(tk.ones(3, 2))
    shown = GraphView(y.sum(), names={"net": net, "y": y})
    text = shown.text()
    assert "2 calls of modules folded" in text
    assert "#1 ← net.0(" in text
    assert (
        "y ← net.2(#1, net.2.weight, net.2.bias)   y = [[1., 1.], [1., 1.], …]; 3 operations, folded" in text
    )
    shown.unfold(_number(shown, "net.0"))
    assert "net.0(" not in shown.text()
    assert "net.2(" in shown.text()
    assert "calls of modules" not in shown.unfold().text()
    assert "2 calls of modules folded" in shown.fold().text()
    shown.close()


def test_of_a_large_graph_the_outer_calls_are_folded_and_open_one_at_a_time() -> None:
    net = tk.nn.Sequential(*[Block() for _ in range(6)])
    shown = GraphView(net(tk.ones(3, 2)).sum(), names={"net": net})
    titles = [one.title for one in shown._sheet_now().boxes if one.folded]
    assert sorted(titles) == [f"net.{k}" for k in range(6)]
    shown.unfold(_number(shown, "net.5"))
    titles = [one.title for one in shown._sheet_now().boxes if one.folded]
    assert sorted(titles) == [*(f"net.{k}" for k in range(5)), "net.5.down", "net.5.up"]
    shown.close()


def test_a_call_without_a_path_has_its_class_for_a_name_and_none_is_noted_without_gradients() -> None:
    y = Affine(2)(tk.ones(2))
    assert "Affine(" not in GraphView(y, names={}).text(), "the module is gone, and its name with it"
    kept = Affine(2)
    assert "result ← Affine(" in GraphView(kept(tk.ones(2)), names={}).text().replace("#1", "result")
    with tk.no_grad():
        assert kept(tk.ones(2)).grad_fn is None


def test_steps_through_a_folded_call_fill_the_same_gradients() -> None:
    net = tk.nn.Sequential(Affine(2), Affine(2))
    loss = net(tk.ones(3, 2)).sum()
    shown = GraphView(loss, names={"net": net, "loss": loss})
    while shown.status in ("ready", "rehearsing"):
        shown.step()
    assert shown.status == "done"
    assert "net.0.bias  leaf  [0., 0.]  (2,) float32 · v0   .grad [3., 3.] (rehearsed)" in shown.text()
    assert net[0].bias.grad is None
    shown.close()
