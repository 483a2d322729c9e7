"""GraphView on narrow pages: what 200 % leaves of a window, in a notebook and on the stage."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import GraphView
from tensorkit_widgets.drawing.boxes import Box
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import WIDTHS
from tensorkit_widgets.drawing.sheet import PAGE
from tensorkit_widgets.graph.layout import label_width
from tensorkit_widgets.graph.scene import GraphSheet
from tests.widgets.graph_examples import GRAPHS, view

NARROW = [width for width in WIDTHS if width < PAGE]


def _network() -> GraphView:
    """Two layers, with wide tensors that have long names."""
    x = tk.arange(12.0).view(3, 4) / 7
    names: dict[str, Any] = {"the_input_of_the_network": x, "<b>": tk.ones(3, 1)}
    for k, (m, n) in enumerate([(4, 5), (5, 1)]):
        names[f"weight_of_layer_{k}"] = (tk.ones(m, n) * 1.2345678).requires_grad_()
        names[f"bias_of_layer_{k}"] = (tk.ones(n) * -1234.5678).requires_grad_()
        x = (x @ names[f"weight_of_layer_{k}"] + names[f"bias_of_layer_{k}"]).tanh()
    names["loss_" * 10] = ((x - names["<b>"]) ** 2).mean()
    return GraphView(names["loss_" * 10], names=names)


def _tangled() -> GraphView:
    """No run to fold, and tensors that are used all over."""
    w = [tk.tensor([1.0, 0.1 * k], requires_grad=True) for k in range(6)]
    y, total = w[0], w[0] * 1
    for k in range(8):
        y = y * w[k % 5] if k % 3 else y + w[k % 4]
        total = total + y * w[(k * k) % 6]
    return GraphView(total.sum())


def _stacked() -> GraphView:
    """An operation with many inputs."""
    return GraphView(tk.stack([tk.tensor([float(k)], requires_grad=True) for k in range(7)]).sum())


def _bundled() -> GraphView:
    """More inputs than any row holds, of both kinds, with names."""
    leaves = [tk.tensor([float(k), 1.0], requires_grad=True) for k in range(40)]
    others = [tk.full((k % 3 + 1,), -1234.5678) for k in range(30)]
    return GraphView(
        (tk.cat([*leaves, *others]) * 2).sum(), names={f"leaf_{k}": t for k, t in enumerate(leaves)}
    )


def _several_losses() -> GraphView:
    """Two ways back, from tensors that have no numbers to show."""
    w = (tk.ones(3, 3) * 12345.678).requires_grad_()
    return GraphView(((w * w).sum(), (w @ w).sum()), names={"w": w})


def _run() -> GraphView:
    """A run of operations, which is folded."""
    w, b = tk.tensor([0.5, 1.0], requires_grad=True), tk.tensor([1.0, 2.0], requires_grad=True)
    z = w * b
    for _ in range(4):
        z = z * w + b
    return GraphView(z.sum(), names={"w": w, "b": b})


MORE: dict[str, Callable[[], GraphView]] = {
    one.__name__: one for one in (_network, _tangled, _stacked, _bundled, _several_losses, _run)
}
NAMES = [*(name for name in GRAPHS if name != "chain"), *MORE]


def _made(name: str) -> GraphView:
    made = MORE[name]() if name in MORE else view(name)
    return made.step(1).back()  # with a rehearsal, so that its sentences are known


@pytest.fixture(params=NAMES)
def graph(request: pytest.FixtureRequest) -> Iterator[GraphView]:
    made = _made(request.param)
    yield made
    made.close()


def fit(graph: GraphView, room: float) -> None:
    """The browser tells how much room there is."""
    graph._heard(None, {"kind": "room", "value": room}, [])
    assert graph.frame["reason"] == ""


Scenes = list[tuple[str, float, GraphSheet]]


@pytest.fixture(scope="module", params=NAMES)
def scenes(request: pytest.FixtureRequest) -> Iterator[Scenes]:
    """The first, a middle and the last step on every narrow page, folded and, where it can be, unfolded."""
    made = _made(request.param)
    out: Scenes = []
    for folded in (True, False) if int(made.frame["facts"]["data"]["folded"]) else (True,):
        made.fold() if folded else made.unfold()
        for width in NARROW:
            fit(made, width + 9)
            for step in sorted({0, made.steps // 2, made.steps}):
                scene = made.goto(step)._sheet_now()
                out.append((f"{width:.0f} px, step {step}, folded {folded}", width, scene))
    yield out
    made.close()


Area = tuple[float, float, float, float]


def _area(box: Box) -> Area:
    return box.x, box.y, box.x + box.full_width, box.y + box.height


def _labels(scene: GraphSheet) -> list[Area]:
    wires = [wire for wire in scene.edges if wire.label]
    half = [label_width(wire.label) / 2 for wire in wires]
    return [
        (wire.label_x - h, wire.label_y - 12, wire.label_x + h, wire.label_y + 4)
        for wire, h in zip(wires, half, strict=True)
    ]


def _meet(one: Area, other: Area) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def test_boxes_and_labels_lie_apart_and_on_the_narrow_page(scenes: Scenes) -> None:
    for which, width, scene in scenes:
        assert scene.width == width, which
        areas = [*map(_area, scene.boxes), *_labels(scene)]
        for left, top, right, bottom in areas:
            assert left >= 5.9, which
            assert right <= scene.width - 5.9, which
            assert top >= scene.frames[0].y + scene.frames[0].height, which
            assert bottom <= scene.height - 44, which
        for one, other in combinations(areas, 2):
            assert not _meet(one, other), (which, one, other)


def test_no_wire_runs_through_a_box(scenes: Scenes) -> None:
    for which, _, scene in scenes:
        areas = [_area(box) for box in scene.boxes]
        for wire in scene.edges:
            for (x1, y1), (x2, y2) in pairwise(wire.points):
                inner: Area = (min(x1, x2) - 0.5, min(y1, y2) + 0.5, max(x1, x2) + 0.5, max(y1, y2) - 0.5)
                assert not [area for area in areas if _meet(area, inner)], (which, wire.points)


LETTER = {"about": 12 * 0.56, "number": 13 * MONO}


def test_words_fit_their_boxes(scenes: Scenes) -> None:
    for which, _, scene in scenes:
        for box in scene.boxes:
            assert len(box.title) * MONO * 17 + len(box.tag) * 7 + 28 <= box.width, (which, box.title)
            for line in (*box.lines, *box.lower):
                long = 14 + (16 if line.mark else 0) + len(line.text) * LETTER.get(line.role, 12 * MONO)
                assert long <= box.width - 6, (which, line.text)
                assert all(stop <= len(line.text) for _, stop, _ in line.marks), (which, line.text)
            if box.jar:
                assert len(box.jar.text) * MONO * 13 <= box.jar.width - 8, (which, box.jar.text)


WIDE = {"code": 17 * MONO, "muted": 6.4, "alarm": 7.6, "turn": 7.0}
"""About how wide a character is, by the role of its note."""


def test_the_words_around_stay_on_the_page_and_in_their_panel(scenes: Scenes) -> None:
    for which, _, scene in scenes:
        panel = scene.frames[0]
        x, y, width, height = panel.x, panel.y, panel.width, panel.height
        assert x + width <= scene.width - 10, which
        ends = [note.y for note in scene.notes]
        assert ends == sorted(ends), which
        for note in scene.notes:
            right = scene.width if note.role != "turn" else x + width
            assert note.x + len(note.text) * WIDE[note.role] <= right, (which, note.text)
            assert (y < note.y < y + height - 4) is (note.role == "turn"), (which, note.text)
        for key in scene.keys:
            assert key.x + key.lead + len(key.words) * 6.4 <= scene.width, (which, key.words)
            assert key.y <= scene.height - 20, which


def test_nothing_moves_from_step_to_step(graph: GraphView) -> None:
    for width in NARROW:
        fit(graph, width)
        places = set()
        for step in sorted({0, 1, graph.steps // 2, graph.steps}):
            scene = graph.goto(step)._sheet_now()
            places.add((scene.height, tuple((b.number, b.x, b.y, b.width, b.height) for b in scene.boxes)))
        assert len(places) == 1, width


def _unnumbered(graph: GraphView) -> list[str]:
    """The lines of the text, which counts what has no name in the order of the picture."""
    return sorted(re.sub(r"#\d+", "#", graph.text()).splitlines())


def test_the_text_is_not_cut_and_the_wide_page_comes_back(graph: GraphView) -> None:
    graph.run()
    wide, words = graph.svg("light"), _unnumbered(graph)
    for width in (*NARROW, 320.0):
        fit(graph, width)
        assert graph.svg("light") == graph.svg("light")
        assert _unnumbered(graph) == words
    fit(graph, PAGE)
    assert graph.svg("light") == wide


def test_a_small_graph_has_the_same_rows_as_on_the_wide_page() -> None:
    graph = view("affine")
    rows = {box.number: box.y for box in graph._sheet_now().boxes}
    fit(graph, 760)
    below = {box.number: box.y for box in graph._sheet_now().boxes}
    assert {n: y - below[n] for n, y in rows.items()} == dict.fromkeys(rows, rows[0] - below[0])
    graph.close()


def test_what_is_cut_is_said_in_full() -> None:
    graph = _made("_network")
    fit(graph, 400)
    cut = [
        box
        for box in graph._sheet_now().boxes
        if box.title != box.uncut.title or box.lines != box.uncut.lines
    ]
    assert cut
    for box in cut:
        assert all(line.text in box.label for line in box.uncut.lines if line.role == "kept"), box.label
        assert f'data-name="{box.uncut.title}"' in graph.svg()
    graph.close()


def test_what_no_narrow_page_can_hold_keeps_its_width() -> None:
    w = tk.tensor([1.0, 2.0], requires_grad=True)
    graph = GraphView(tk.stack([w * k for k in range(130)]).sum())
    wide = graph.svg("light")
    fit(graph, 400)
    assert graph.svg("light") == wide
    graph.close()


@pytest.mark.parametrize("hostile", [None, "wide", -1, float("nan"), 1e9, [], True])
def test_a_room_that_is_no_room_changes_nothing_or_is_the_narrowest(hostile: object) -> None:
    graph = view("square")
    wide = graph.svg("light")
    graph._heard(None, {"kind": "room", "value": hostile}, [])
    if hostile is True:
        assert graph._sheet_now().width == NARROW[0]
    else:
        assert graph.svg("light") == wide
    graph.close()
