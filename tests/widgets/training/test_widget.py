"""TrainingView: what it shows is what the model had at that step, and the loop hardly notices it."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets import TrainingView, trace
from tensorkit_widgets.drawing.parts import Tile
from tensorkit_widgets.snapshot.number_text import short
from tensorkit_widgets.training.model import History, Moment
from tensorkit_widgets.training.words import number
from tests.torch_oracle import require_torch
from tests.widgets.training import programs


def tiles(w: TrainingView) -> dict[str, Tile]:
    return {tile.key: tile for table in w._sheet_now().tables for tile in table.tiles}


def send(w: TrainingView, kind: str, value: Any = None, key: str | None = None) -> TrainingView:
    w._heard(None, {"kind": kind, "value": value, "key": key}, [])
    return w


def numbers(w: TrainingView, key: str) -> dict[str, str]:
    return {tile.key: tile.full for tile in tiles(w).values() if tile.key.startswith(f"{key}:")}


def test_every_step_shows_the_weights_and_gradients_that_were_there() -> None:
    net, x, y = programs.Small(4, 3, 2), tk.arange(20.0).view(5, 4) / 9, tk.arange(5) % 2
    view, seen = TrainingView(net), []
    for _ in range(3):
        scores = net(x)
        loss = programs.cross_entropy(scores, y)
        programs.step(net, loss, 0.1)
        view.record(loss, x, scores, y)
        seen.append(
            (loss.item(), net.out.tolist(), net.out.grad.tolist(), net.out.norm().item(), scores.tolist())
        )
    assert [value for _, value in view.losses] == [loss for loss, *_ in seen]
    for at, (loss, weights, gradients, norm, scores) in enumerate(seen):
        for key, grid in (("w", weights), ("g", gradients)):
            view.goto(at).show("out", gradients=key == "g")
            shown = numbers(view, key)
            for (i, j), value in numpy.ndenumerate(numpy.array(grid)):
                assert float(shown[f"{key}:{i},{j}"]) == pytest.approx(value, rel=1e-6)
        assert tiles(view)["weights:2"].text == number(norm)
        assert number(loss) in view._sheet(at).title
        assert [tiles(view)[f"says:{k}"].text[0] for k in range(5)] == [str(int(b > a)) for a, b in scores]


def test_it_goes_along_with_the_loop_or_stays_where_one_has_gone() -> None:
    view = TrainingView(tk.nn.ParameterDict({"a": tk.ones(2)}))
    for loss in (4.0, 3.0, 2.0):
        view.record(loss)
    assert (view.at, view.steps) == (2, 2)
    view.back()
    view.record(1.0)
    assert (view.at, view.steps, view._facts()["number"]) == (1, 3, "2")
    assert view.run().at == 3
    view.record(0.5)
    assert view.at == 4
    assert send(view, "moment", key="curve:0,1").at == 1
    assert view.reset().at == 4


def test_of_a_long_training_every_second_or_fourth_moment_is_kept_and_the_first_bad_one() -> None:
    kept = History(most=10)
    for count in range(1, 101):
        kept.add(Moment(count, float("nan") if count >= 52 else 1.0, ()))
        assert len(kept.moments) <= 10
        assert kept.moments[-1].number == count
    assert kept.every == 16
    assert [moment.number for moment in kept.moments] == [1, 17, 33, 49, 52, 65, 81, 97, 100]
    assert [kept.place(number) for number in (1, 16, 60, 1000)] == [0, 0, 4, 8]


def test_the_moment_that_is_shown_stays_in_sight_while_others_go() -> None:
    view = TrainingView(tk.nn.ParameterDict({}))
    view._history.most = 6
    for count in range(6):
        view.record(float(count))
    view.goto(2)
    for count in range(6, 30):
        view.record(float(count))
        assert view._history.moments[view.at].number in (1, 3)
    assert "of 30 steps are kept, one in" in view.text()
    assert "The model has no parameters." in view.text()


def test_no_gradient_and_no_number_are_said_plainly() -> None:
    view = programs.too_fast()
    told = view.text()
    assert "no gradient: backward() has not reached it, or zero_grad() has taken it away" in told
    assert "the loss is nan, not a number; at step 2 it was no finite number for the first time" in told
    assert [tiles(view)[f"gradient:{k}"].text for k in range(4)] == ["nan", "nan", "nan", "none"]
    assert "the loss is inf, for the first time: look at" in view.goto(1).text()
    assert [frame.kind for frame in view._sheet_now().frames].count("alarm") == 1
    net = tk.nn.ParameterDict({"a": tk.nn.Parameter(tk.ones(2), requires_grad=False)})
    frozen = TrainingView(net)
    frozen.record(tk.tensor(1.0))
    assert "no gradient: its requires_grad is False" in frozen.show("a", gradients=True).text()
    lazy = TrainingView(tk.nn.ParameterDict({"a": tk.nn.UninitializedParameter()}))
    lazy.record(1.0)
    assert "it cannot be read: " in lazy.text()


def test_controls_names_and_undo() -> None:
    view = programs.stripes()
    assert view.layers == ("hidden", "bias", "out", "unused")
    assert view._facts()["layer"] == "hidden"
    assert send(view, "layer", "out")._facts()["layer"] == "out"
    assert send(view, "layer", key="layer:1")._facts()["layer"] == "bias"
    assert send(view, "gradients", True)._facts()["gradients"] == "true"
    assert "w:0" not in tiles(view)
    assert "g:0" in tiles(view)
    view.back()
    assert send(view, "undo").at == 4
    assert send(view, "undo")._facts() == {
        "number": "5",
        "recorded": "6",
        "layer": "out",
        "gradients": "false",
    }
    with pytest.raises(KeyError, match="no parameter is called 'head'"):
        view.show("head")


def test_weights_and_examples_are_pictures_where_they_can_be() -> None:
    view = programs.stripes()
    photos = view._sheet_now().photos
    assert len(photos) == 6 + 8
    assert "shot:5" in tiles(view)
    assert "w:0,0" in tiles(send(view, "numbers", True))
    view = TrainingView(tk.nn.ParameterDict({"f": tk.linspace(-2, 1, 3 * 3 * 9).view(3, 3, 3, 3)}))
    view.record(1.0, numpy.zeros((2, 3, 70, 40)))
    part, example = view._history.moments[0].parts[0].weight, view._history.moments[0].batch
    assert not isinstance(part, str)
    assert (part.shots.shape, part.scale, int(part.shots.min())) == ((3, 3, 3, 3), 2.0, -127)
    assert example is not None
    assert example.examples[0].pixels.shape == (24, 14, 3)


def test_what_the_net_says_and_how_many_are_right() -> None:
    view = TrainingView(tk.nn.ParameterDict({}))
    scores, labels = tk.tensor([[1.0, 3.0, 2.0], [9.0, 0.0, 1.0], [float("nan")] * 3]), tk.tensor([1, 2, 0])
    view.record(1.0, tk.ones(3, 2), scores, labels)
    assert [tiles(view)[f"says:{k}"].text for k in range(3)] == ["1", "0, not 2", "nan, not 0"]
    assert "Of the 3 examples of the batch the net has 1 right." in view.text()
    assert (
        tiles(view)["says:0"].label
        == "example 0 of the batch: the net says 1, its largest score, 3.; that is right"
    )
    view.record(1.0, tk.ones(3, 2), scores)
    assert tiles(view)["says:1"].text == "0"
    view.record(1.0, tk.ones(3, 2), tk.tensor([[0.25], [1.0], [2.0]]), tk.tensor([0.5, 1.0, 2.0]))
    assert tiles(view)["says:0"].text == "0.25 (0.5)"
    for odd in (tk.ones(2, 3), tk.ones(3, 2, 2), tk.ones(3, 0), tk.ones(())):
        view.record(1.0, tk.ones(3, 2), odd, labels)
        assert "says:0" not in tiles(view)


def test_no_tensor_no_graph_and_no_large_layer_is_held() -> None:
    net = tk.nn.ParameterDict({"wide": tk.ones(3000, 2000)})
    view = TrainingView(net)
    loss = (net["wide"] * 2).sum()
    loss.backward()
    batch = tk.ones(64, 3, 50, 50)
    view.record(loss, batch, batch.sum((2, 3)), tk.zeros(64, dtype=tk.int64))
    gone = [weakref.ref(one) for one in (loss, loss.grad_fn, batch)]
    del loss, batch
    gc.collect()
    assert [ref() for ref in gone] == [None, None, None]
    moment = view._history.moments[0]
    assert moment.parts[0].weight.values.size == 30  # type: ignore[union-attr]
    assert "shown: dim 0: 0 to 4 of 3,000, dim 1: 0 to 5 of 2,000" in view.text()
    assert tiles(view)["weights:0"].text == number(6_000_000**0.5)
    assert len(view.svg()) < 60_000


def test_a_loop_is_painted_eight_times_a_second_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("tensorkit_widgets.training.widget.time.monotonic", lambda: now[0])
    view = TrainingView(tk.nn.ParameterDict({"a": tk.ones(2)}))
    first = view.frame["revision"]
    for _ in range(40):
        view.record(1.0)
        now[0] += 0.05
    assert view.frame["revision"] - first == 14
    view.record(2.0)
    view.refresh()  # as after the cell
    assert "step 41 of 41" in view.frame["text"]


def test_the_loop_and_the_browser_on_two_threads() -> None:
    view = TrainingView(programs.Small(4, 3, 2))
    view.record(1.0)

    def train() -> None:
        for k in range(1, 60):
            view.record(1.0 / k)

    loop = threading.Thread(target=train)
    loop.start()
    while loop.is_alive():
        send(view, "step")
        send(view, "back")
        assert view.frame["reason"] == ""
    loop.join()
    assert len(view.losses) == 60


def test_to_record_is_not_traced_and_changes_nothing() -> None:
    net, batch, scores = programs.Small(4, 3, 2), tk.ones(2, 4), tk.ones(2, 2)
    view = TrainingView(net)
    before = [p.tolist() for p in net.parameters()]
    with trace() as found:
        view.record(1.0, batch, scores)
    assert len(found.calls) == 0
    assert [p.tolist() for p in net.parameters()] == before
    view.close()
    view.record(2.0)  # its cell was run again: the loop goes on
    assert len(view.losses) == 1


def test_what_it_refuses() -> None:
    with pytest.raises(TypeError, match=r"takes a model, an nn[.]Module, not int"):
        TrainingView(3)
    view = TrainingView(tk.nn.ParameterDict({}))
    for loss, words in (
        (tk.ones(3), r"one number, not Tensor of size \(3,\)"),
        ("low", "one number, not str"),
    ):
        with pytest.raises(TypeError, match=words):
            view.record(loss)
    with pytest.raises(TypeError, match="inputs must be a tensor or an array, not list"):
        view.record(1.0, [1.0])
    assert view.losses == ()
    view.record(1.0, tk.ones(3, 2), numpy.array(["a", "b", "c"]))
    assert "batch" in [note.text for note in view._sheet_now().notes]
    assert "says:0" not in tiles(view)


@pytest.mark.parity
def test_a_model_of_pytorch() -> None:
    torch = require_torch()
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.Flatten(), torch.nn.Linear(4 * 16, 3))
    net.append(torch.nn.Linear(3, 3, dtype=torch.bfloat16))
    images, labels = torch.rand(6, 1, 6, 6), torch.arange(6) % 3
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    view = TrainingView(net)
    for _ in range(3):
        scores = net[:3](images)
        loss = torch.nn.functional.cross_entropy(scores, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        view.record(loss, images, scores, labels)
    assert view.layers == ("0.weight", "0.bias", "2.weight", "2.bias", "3.weight", "3.bias")
    assert view.losses[-1] == (3, loss.item())
    right = int((scores.argmax(1) == labels).sum())
    assert f"Of the 6 examples of the batch the net has {right} right." in view.text()
    assert tiles(view)["gradient:0"].text == number(net[0].weight.grad.norm().item())
    assert "0.weight of Conv2d: " in view.text()
    weights = numbers(view.show("3.weight"), "w")
    assert weights["w:1,2"].startswith(short(net[3].weight[1, 2].item(), "bfloat16")[:4])


def test_the_batch_stands_beside_the_weights_where_two_columns_have_room() -> None:
    view = programs.stripes()
    for width, beside in ((960.0, True), (760.0, True), (600.0, False)):
        view._width = width
        shown = tiles(view)
        assert (shown["says:0"].x > shown["shot:0"].x + shown["shot:0"].width) is beside
        assert max(tile.x + tile.width for tile in shown.values()) <= width
