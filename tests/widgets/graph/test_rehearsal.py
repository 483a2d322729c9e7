"""The rehearsal of a backward pass: it foresees the real one, disturbs nothing, and says what was freed or changed."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import GraphView
from tensorkit_widgets.graph.adapter import named, read
from tensorkit_widgets.graph.rehearse import rehearse
from tests.widgets.graph.reading import box, parts, send
from tests.widgets.graph_examples import GRAPHS, view


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


def test_four_lines_of_words_stay_inside_their_box(lib: Any) -> None:
    h = lib.tensor([1.0, 2.0, 3.0], requires_grad=True) * 2
    loss = (h * h).sum()
    h.add_(1)
    shown = GraphView(loss, names={"h": h}).run()
    sheet = shown._sheet_now()
    lines = [note.y for note in sheet.notes if note.role == "turn-small"]
    assert len(lines) == 4
    box = sheet.frames[0]
    assert box.y < lines[0] < lines[-1] < box.y + box.height - 4
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


def test_a_graph_that_was_walked_does_not_promise_the_real_thing(lib: Any) -> None:
    shown = GraphView(GRAPHS["freed"](lib)[0])
    words = shown.text()
    assert "Run backward() does the real thing" not in words
    assert "backward(retain_graph=True)" in words
    with pytest.raises(RuntimeError, match="second time"):
        shown.backward()
    assert "compute the loss again" in shown.frame["facts"]["complaint"]
