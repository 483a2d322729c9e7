"""GraphView from Python's side: what it reads and says, the rehearsal that disturbs nothing, how it lives and dies."""

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
from tensorkit_widgets.graph.adapter import LIMIT, named, read, rehearse
from tensorkit_widgets.graph.model import Graph, Vertex
from tensorkit_widgets.graph.render import render_graph, render_graph_text
from tensorkit_widgets.graph.scene import compose_graph
from tensorkit_widgets.snapshot.adapter import describe, storage_number
from tensorkit_widgets.widget import cell_hook
from tensorkit_widgets.widget.saved_page import numbered
from tests.support.garbage import collect, holders
from tests.widgets.graph_examples import FIXTURES, GOLDEN, GRAPHS, STEPS, fixture, golden, view
from tests.widgets.stride_explorer.test_widget import Shell, Tags

AGAIN = "run `python -m tests.widgets.graph_examples` and look at what changed"


def libraries() -> list[Any]:
    """tensorkit, and PyTorch where it is installed."""
    return [pytest.param("tensorkit"), pytest.param("torch", marks=pytest.mark.parity)]


@pytest.fixture(params=libraries())
def lib(request: pytest.FixtureRequest) -> Any:
    return tk if request.param == "tensorkit" else pytest.importorskip(request.param)


def send(widget: GraphView, kind: str, **more: Any) -> dict[str, Any]:
    """A message as the browser sends it; the facts of the frame that answers it."""
    widget._handle_custom_msg({"kind": kind, "serial": 7, **more}, [])
    assert widget.frame["serial"] == 7
    assert widget.frame["reason"] == ""
    facts: dict[str, Any] = widget.frame["facts"]
    return facts


def parts(svg: str, word: str) -> list[dict[str, str]]:
    """The attributes of the parts of a picture that have a class."""
    found = ElementTree.fromstring(svg).iter()
    return [dict(part.attrib) for part in found if word in part.get("class", "").split()]


def box(widget: GraphView, name: str) -> dict[str, str]:
    """The attributes of the first box of that name in the live picture."""
    return next(part for part in parts(widget.frame["svg"], "tk-vertex") if part["data-name"] == name)


# ---- one scene, as text and as picture


@pytest.mark.parametrize(("name", "step"), [(name, step) for name, steps in STEPS.items() for step in steps])
def test_text_twins_are_the_committed_ones(name: str, step: int) -> None:
    w = view(name).step(step)
    assert w.text() + "\n" == golden(name, step).read_text(encoding="utf-8"), AGAIN
    w.close()


def test_the_committed_svg() -> None:
    w = view("affine").step(3)
    assert w.svg() == (GOLDEN / "graph_affine_3.svg").read_text(encoding="utf-8"), AGAIN
    w.close()


def test_the_fixture_of_the_javascript_tests_is_fresh() -> None:
    assert (FIXTURES / "graphs.json").read_text(encoding="utf-8") == fixture(), AGAIN


@pytest.mark.parametrize("name", GRAPHS)
def test_the_same_state_is_the_same_bytes(name: str) -> None:
    one, other = view(name).step(2), view(name).step(2)
    for w in (one, other):
        tree = ElementTree.fromstring(w.svg())
        assert not any(part.get("id") for part in tree.iter())
        assert not re.search(r"0x[0-9a-f]{6,}|url\(|<script|href", w.svg() + w.frame["svg"])
    assert (one.svg(), one.text()) == (other.svg(), other.text())
    assert numbered(one.frame["svg"]) == numbered(other.frame["svg"])
    assert "data-storage" not in one.svg(), "it hangs on an address"
    assert "prefers-color-scheme" in one.svg()
    assert one.svg("dark") != one.svg("light")
    with pytest.raises(ValueError, match="theme must be"):
        one.svg("pink")
    one.close()
    other.close()


@pytest.mark.parametrize("name", GRAPHS)
def test_no_two_boxes_and_no_two_labels_cover_each_other(name: str) -> None:
    w = view(name)
    w.unfold()
    w.run()
    scene = w._sheet_now()
    boxes = [(b.x, b.y, b.x + b.full_width, b.y + b.height) for b in scene.boxes]
    labels = [
        (e.label_x - 3.8 * len(e.label), e.label_y - 11, e.label_x + 3.8 * len(e.label), e.label_y + 3)
        for e in scene.wires
        if e.label
    ]
    for group in (boxes, labels):
        for k, (a, b, c, d) in enumerate(group):
            assert a >= 0
            assert c <= scene.width
            assert not [o for o in group[k + 1 :] if o[0] < c and a < o[2] and o[1] < d and b < o[3]]
    w.close()


def test_kinds_are_told_apart_by_shape_and_line() -> None:
    w = view("affine")
    shapes = {}
    for part in ElementTree.fromstring(w.svg()).iter():
        kinds = [k for k in ("leaf", "op", "constant") if f"tk-{k}" in part.get("class", "").split()]
        if kinds and part.get("data-vertex"):
            shape = next(p for p in part if "tk-shape" in p.get("class", ""))
            shapes[kinds[0]] = (shape.tag.rpartition("}")[2], shape.get("rx"))
    assert shapes == {"leaf": ("rect", None), "op": ("rect", "17"), "constant": ("path", None)}
    style = w.svg()
    assert re.search(r"\.tk-constant \.tk-shape {[^}]*stroke-dasharray", style)
    assert re.search(r"\.tk-leaf \.tk-shape {[^}]*stroke-width: 2\.6", style)
    w.close()


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


# ---- the rehearsal


@pytest.mark.parametrize("name", ["affine", "square", "chain", "several", "numbers", "inplace", "leaf"])
def test_a_rehearsal_foresees_backward_and_disturbs_nothing(lib: Any, name: str) -> None:
    loss, names = GRAPHS[name](lib)
    leaves = [t for t in names.values() if t.is_leaf and t.requires_grad]
    ran: list[Any] = []
    for tensor in (*leaves, loss):
        tensor.register_hook(lambda grad: ran.append(grad))
    pairs = named(names, lib.__name__)
    graph, parts_of = read([loss], pairs)
    walk = rehearse(graph, parts_of)
    assert not walk.error
    assert ran == []
    assert [t.grad for t in leaves] == [None] * len(leaves)
    assert read([loss], pairs)[0] == graph
    foreseen = {graph.vertices[v.vertex].name: v.fills for v in walk.visits if v.fills}
    loss.backward()
    after, _ = read([loss], pairs, graph)
    assert {v.name: v.grad and v.grad.text for v in after.vertices if v.kind == "leaf"} == {
        name: value.text for name, value in foreseen.items() if name in names
    }


def test_gradients_are_added_to_what_is_there(lib: Any) -> None:
    w = lib.tensor([2.0, 1.0], requires_grad=True)
    (w * 3).sum().backward()
    shown = GraphView((w * w).sum(), names={"w": w}).run()
    assert "[3., 3.] → [7., 5.]" in shown.text()
    assert w.grad.tolist() == [3, 3]
    shown.backward()
    assert w.grad.tolist() == [7, 5]
    assert (box(shown, "w")["data-grad"], box(shown, "w")["data-filled"]) == ("[7., 5.]", "yes")
    shown.close()


def test_steps_forward_and_back() -> None:
    w = view("square")
    assert (w.at, w.steps, w.status) == (0, 3, "ready")
    assert box(w, "w")["data-filled"] == "no"
    seen = []
    for _ in range(4):
        w.step()
        running = [p["data-name"] for p in parts(w.frame["svg"], "tk-vertex") if p["data-state"] == "running"]
        seen.append((w.at, running, w.status))
    assert seen == [
        (1, ["Sum"], "rehearsing"), (2, ["Mul"], "rehearsing"), (3, ["w"], "done"), (3, ["w"], "done"),
    ]  # fmt: skip
    assert box(w, "w")["data-filled"] == "rehearsed"
    assert box(w, "Mul")["data-kept"] == "input:freed other:freed"
    assert w.back().at == 2
    assert box(w, "Mul")["data-state"] == "running"
    assert w.reset().at == 0
    assert box(w, "Mul")["data-kept"] == "input:kept other:kept"
    assert w.run().at == 3
    flows = {p["data-gradient"] for p in parts(w.frame["svg"], "tk-edge")}
    assert flows == {"2 × [1., 2.]", "[1., 1.]", "1."}
    w.close()


@pytest.mark.parametrize("name", ["affine", "chain", "several", "square"])
def test_nothing_moves_from_step_to_step(name: str) -> None:
    w = view(name)
    places = set()
    for _ in range(w.steps + 1):
        scene = w._sheet_now()
        places.add(tuple((b.x, b.y, b.width, b.height) for b in scene.boxes))
        w.step()
    assert len(places) == 1
    before = [(b.x, b.width) for b in w._sheet_now().boxes]
    w.backward()
    assert [(b.x, b.width) for b in w._sheet_now().boxes] == before
    w.close()


def test_every_message_of_the_browser() -> None:
    w = view("chain")
    assert send(w, "step")["step"] == 1
    assert send(w, "goto", value=3)["step"] == 3
    assert send(w, "back")["step"] == 2
    assert send(w, "run")["status"] == "done"
    fold = int(next(p["data-vertex"] for p in parts(w.frame["svg"], "tk-vertex") if "data-fold" in p))
    facts = send(w, "unfold", key=str(fold))
    assert (int(facts["data"]["folded"]), int(facts["data"]["unfolded"]), facts["status"], facts["step"]) == (
        0,
        1,
        "done",
        facts["steps"],
    )
    assert int(send(w, "fold")["data"]["folded"]) == 1
    assert send(w, "reset")["status"] == "ready"
    facts = send(w, "backward")
    assert (facts["status"], facts["complaint"]) == ("walked", "")
    assert "second time" in send(w, "backward")["complaint"]
    assert send(w, "step")["complaint"] == ""
    w.close()


def test_what_was_unfolded_is_undone_and_a_moment_comes_back() -> None:
    w = view("chain").goto(2)
    w.unfold()
    assert w.frame["facts"]["undo"]
    w.checkpoint("open").undo()
    assert (w.at, int(w.frame["facts"]["data"]["unfolded"]), w.frame["facts"]["undo"]) == (2, 0, False)
    w.reset("open")
    assert (int(w.frame["facts"]["data"]["unfolded"]), w.frame["facts"]["checkpoints"]) == (1, ["open"])
    w.close()


@pytest.mark.parametrize(
    "message",
    [None, 3, [], {}, {"kind": None}, {"kind": []}, {"kind": "nothing"}, {"kind": "goto"},
     {"kind": "goto", "value": "1"},
     {"kind": "goto", "value": 10**30}, {"kind": "goto", "value": -5}, {"kind": "unfold", "key": "99"},
     {"kind": "unfold", "key": 99},
     {"kind": "unfold", "key": {}}, {"kind": "goto", "value": 99}],
)  # fmt: skip
def test_odd_messages_are_harmless(message: Any) -> None:
    w = view("square")
    w._handle_custom_msg(message, [])
    assert w.frame["svg"]
    assert w.frame["reason"] == ""
    assert send(w, "reset")["status"] == "ready"
    w.close()


def test_more_than_one_number_begins_with_ones_and_says_so(lib: Any) -> None:
    w = lib.tensor([2.0, 1.0], requires_grad=True)
    shown = GraphView(w * w, names={"w": w}).step()
    assert "begins with a gradient of ones" in shown.text()
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        shown.backward()
    assert "grad can be implicitly created" in shown.frame["facts"]["complaint"]
    shown.close()
    given = GraphView(w * w, names={"w": w}, gradient=lib.tensor([1.0, 10.0])).run()
    assert box(given, "w")["data-grad"] == "[4., 20.]"
    given.backward()
    assert w.grad.tolist() == [4, 20]
    given.close()


def test_several_tensors_at_once() -> None:
    w = tk.tensor([2.0, 1.0], requires_grad=True)
    y = w * w
    total = y.sum()
    both = GraphView([total, y.sum() * 2], names={"w": w, "y": y, "total": total}).run()
    assert box(both, "w")["data-grad"] == "[12., 6.]"
    both.backward()
    assert w.grad is not None
    assert w.grad.tolist() == [12, 6]
    both.close()


def test_a_function_of_ones_own(lib: Any) -> None:
    class Square(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (a,) = ctx.saved_tensors
            return 2 * a * g

    w = lib.tensor([2.0, 1.0], requires_grad=True)
    shown = GraphView(Square.apply(w).sum(), names={"w": w}).run()
    assert box(shown, "w")["data-grad"] == "[4., 2.]"
    assert box(shown.reset(), "Square")["data-kept"] == "saved[0]:kept"
    shown.backward()
    assert box(shown, "Square")["data-kept"] == "saved[0]:freed"
    shown.close()


def test_a_function_that_raises_is_a_sentence(lib: Any) -> None:
    class Broken(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            return a * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise ZeroDivisionError("no way back")

    w = lib.tensor([2.0, 1.0], requires_grad=True)
    shown = GraphView(Broken.apply(w).sum(), names={"w": w}).run()
    assert shown.status == "refused"
    assert "Broken refuses. ZeroDivisionError: no way back" in shown.text()
    assert send(shown, "backward")["complaint"].startswith(
        "backward() was refused. ZeroDivisionError: no way back"
    )
    shown.close()


# ---- what was freed, what was changed


def test_the_real_backward_fills_and_frees(lib: Any) -> None:
    loss, names = GRAPHS["affine"](lib)
    shown = GraphView(loss, names=names).step(3)
    shown.backward()
    assert shown.status == "walked"
    assert (box(shown, "w")["data-grad"], box(shown, "w")["data-filled"]) == ("[4.5, 12.5, 169.]", "yes")
    fates = [p["data-kept"] for p in parts(shown.frame["svg"], "tk-op") if "data-kept" in p]
    assert set(" ".join(fates).replace("input:", "").replace("other:", "").split()) == {"freed"}
    assert "other = x: let go" in shown.text()
    assert box(shown, "x")["data-kind"] == "constant"
    shown.run()
    assert shown.status == "refused"
    assert "Trying to backward through the graph a second time" in shown.text()
    with pytest.raises(RuntimeError, match="second time"):
        shown.backward()
    shown.close()


def test_retain_graph_keeps_what_was_saved(lib: Any) -> None:
    loss, names = GRAPHS["square"](lib)
    shown = GraphView(loss, names=names)
    shown.backward(retain_graph=True)
    shown.backward()
    assert names["w"].grad.tolist() == [4, 8]
    shown.close()


def test_a_result_that_its_operation_saved_is_kept_though_nobody_asked_for_it(lib: Any) -> None:
    w = lib.tensor([0.5, 1.0], requires_grad=True)
    shown = GraphView((w * 2).tanh().sum(), names={"w": w})
    assert [part["data-kept"] for part in parts(shown.svg(), "tk-op") if "data-kept" in part] == ["out:kept"]
    assert shown.step(2).status == "rehearsing"
    assert "Tanh runs" in shown.text()
    assert shown.run().status == "done"
    shown.close()


def test_a_graph_that_was_freed_before(lib: Any) -> None:
    shown = GraphView(GRAPHS["freed"](lib)[0])
    assert shown.status == "freed"
    assert "a second backward() is refused" in shown.text()
    assert shown.run().status == "refused"
    shown.close()


def test_an_in_place_write_shows_its_versions(lib: Any) -> None:
    loss, names = GRAPHS["square"](lib)
    shown = GraphView(loss, names=names).step(2)
    assert "v0" in shown.text()
    with lib.no_grad():
        names["w"].add_(1)
    assert shown.refresh()
    assert shown.at == 0
    assert "The graph has changed since the rehearsal began" in shown.text()
    assert "input = w: v1 now, needs v0" in shown.text()
    assert box(shown, "Mul")["data-kept"] == "input:modified other:modified"
    assert "backward() will refuse" in shown.text()
    assert shown.run().status == "refused"
    assert "is at version 1; expected version 0" in shown.text()
    assert box(shown, "Mul")["data-state"] == "refused"
    shown.close()


def test_a_leaf_and_a_constant_alone(lib: Any) -> None:
    leaf = GraphView(lib.tensor(2.0, requires_grad=True))
    assert (leaf.status, leaf.steps) == ("empty", 1)
    assert "no operation made it" in leaf.text()
    leaf.close()
    constant = GraphView(lib.tensor([2.0]))
    assert "does not require grad: nothing was recorded" in constant.text()
    assert "no gradient flows" in constant.run().text()
    assert "does not require grad" in send(constant, "backward")["complaint"]
    constant.close()


def test_a_tensor_whose_memory_was_freed_under_the_view() -> None:
    w = tk.ones(4, requires_grad=True)
    shown = GraphView((w * w).sum(), names={"w": w})
    w.untyped_storage().resize_(0)
    assert shown.refresh()
    assert "unreadable" in shown.text()
    assert send(shown, "run")["status"] in ("refused", "done")
    shown.close()


# ---- large graphs


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


# ---- display and life


def test_two_outputs_the_view_and_the_picture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    w = view("affine").step(3)
    shown: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_options: shown.append(data))
    w._ipython_display_()
    live_view, picture = shown
    assert set(live_view) == {"application/vnd.jupyter.widget-view+json"}
    assert picture["text/plain"] == w.text()
    [(tag, attributes)] = Tags(picture["text/html"]).seen
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
    explorer._handle_custom_msg({"kind": "edit", "index": [1], "text": "7"}, [])
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
    w = view("square")
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


# ---- the pure parts


def test_an_empty_walk_of_a_graph_made_by_hand() -> None:
    graph = Graph("tensorkit", "t", (Vertex(0, "op", "MulBackward0"),), ((0, 0),), ())
    scene = compose_graph(graph)
    assert scene.status == "ready"
    assert ElementTree.fromstring(render_graph(scene)).get("role") == "img"
    assert "#1 ← Mul()" in render_graph_text(scene)


def test_the_signs_of_the_legend_differ_in_shape() -> None:
    """What is red in one theme and what is orange are one colour to some: no sign is known by its colour alone."""
    legend = view("modified").svg("light").partition('class="tk-legend"')[2]
    shapes = re.findall(r'<path class="([\w-]+)" d="M[\d.]+ [\d.]+([^"]*)"', legend)
    outlines = [shape for _, shape in shapes]
    assert {"tk-mark-modified", "tk-wire-up"} <= {kind for kind, _ in shapes}
    assert len(set(outlines)) == len(outlines)
    corners = {kind: len(re.findall("[hvl]", shape)) for kind, shape in shapes}
    assert corners["tk-mark-modified"] != corners["tk-wire-up"]
