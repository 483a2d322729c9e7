"""The picture of a graph: its text twin, its bytes, its boxes that cover nothing, its shapes."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tensorkit_widgets.graph.model import Graph, Vertex
from tensorkit_widgets.graph.scene import compose_graph
from tensorkit_widgets.graph.text import text_twin
from tensorkit_widgets.render.sheet import render_sheet
from tensorkit_widgets.widget.saved_page import numbered
from tests.widgets.graph_examples import FIXTURES, GOLDEN, GRAPHS, STEPS, fixture, golden, view

AGAIN = "run `python -m tests.widgets.graph_examples` and look at what changed"


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
        for e in scene.edges
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


def test_an_empty_walk_of_a_graph_made_by_hand() -> None:
    graph = Graph("tensorkit", "t", (Vertex(0, "op", "MulBackward0"),), ((0, 0),), ())
    scene = compose_graph(graph)
    assert scene.status == "ready"
    assert ElementTree.fromstring(render_sheet(scene)).get("role") == "img"
    assert "#1 ← Mul()" in text_twin(scene)


def test_the_signs_of_the_legend_differ_in_shape() -> None:
    """What is red in one theme and what is orange are one colour to some: no sign is known by its colour alone."""
    legend = view("modified").svg("light").partition('class="tk-legend"')[2]
    shapes = re.findall(r'<path class="([\w-]+)" d="M[\d.]+ [\d.]+([^"]*)"', legend)
    outlines = [shape for _, shape in shapes]
    assert {"tk-mark-modified", "tk-wire-up"} <= {kind for kind, _ in shapes}
    assert len(set(outlines)) == len(outlines)
    corners = {kind: len(re.findall("[hvl]", shape)) for kind, shape in shapes}
    assert corners["tk-mark-modified"] != corners["tk-wire-up"]
