"""Whatever a GraphView prints is what the library's own graph and a real backward pass say."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import GraphView
from tensorkit_widgets.graph.adapter import LIMIT
from tests.widgets.graph_examples import GRAPHS
from tests.widgets.graph_programs import PROGRAMS
from tests.widgets.printed_graph import lies
from tests.widgets.printed_values import shows

LIBRARIES = ["tensorkit", pytest.param("torch", marks=pytest.mark.parity)]


@pytest.fixture(params=LIBRARIES)
def lib(request: pytest.FixtureRequest) -> Any:
    return tk if request.param == "tensorkit" else pytest.importorskip("torch")


@pytest.mark.parametrize("name", list(GRAPHS | PROGRAMS))
def test_a_graph_prints_what_is_so(name: str, lib: Any) -> None:
    assert not lies((GRAPHS | PROGRAMS)[name], lib)


def test_opened_it_prints_what_is_so(lib: Any) -> None:
    for name in ("runs", "many_leaves", "chain"):
        assert not lies((GRAPHS | PROGRAMS)[name], lib, GraphView.unfold)


def test_after_backward_the_jars_hold_what_grad_holds(lib: Any) -> None:
    loss, names = PROGRAMS["three_leaves"](lib)
    view = GraphView(loss, names=names)
    view.backward()
    assert "this graph was walked" in view.text()
    assert view.text().count(": let go") == 3, "two factors, and what relu gave"
    for name in "bxw":
        line = next(one for one in view.text().splitlines() if one.startswith(f"  {name}  leaf"))
        shown = line.rpartition(".grad ")[2]
        assert shows(shown, names[name].grad), line
    view.close()


def test_a_graph_too_large_to_draw_counts_no_more_than_it_knows(lib: Any) -> None:
    w = lib.ones(2, requires_grad=True)
    y = w
    for _ in range(LIMIT // 2 + 100):
        y = (y * 1.0).sin()
    view = GraphView(y.sum(), names={"w": w})
    assert f"more than {LIMIT:,} operations recorded" in view.text()
    assert "climb back to" not in view.text(), "how many leaves there are is not known"
    assert "too large to be rehearsed" in view.text()
    assert "same gradients" not in view.text()
    view.close()


def test_what_another_loss_has_let_go_is_a_part(lib: Any) -> None:
    loss, names = PROGRAMS["half_walked"](lib)
    view = GraphView(loss, names=names)
    assert "a part of this graph was walked" in view.text()
    assert "A part of this graph was walked already" in view.text()
    view.close()
    whole, names = GRAPHS["freed"](lib)
    view = GraphView(whole, names=names)
    assert "this graph was walked" in view.text()
    assert "part" not in view.text()
    view.close()


def test_where_hooks_run_the_rehearsal_says_that_it_does_not_call_them(lib: Any) -> None:
    """The gradients that it prints are those before any hook: it must not call them the same."""
    for hook in (
        lambda names: names["w"].register_hook(lambda grad: grad * 2),
        lambda names: names["y"].register_hook(lambda grad: grad * 2),
        lambda names: names["w"].register_post_accumulate_grad_hook(lambda leaf: None),
    ):
        loss, names = PROGRAMS["kept_graph"](lib)
        plain = GraphView(loss, names=names)
        assert "hook" not in plain.text()
        handle = hook(names)
        view = GraphView(loss, names=names)
        assert "backward() calls them, the rehearsal does not" in view.text()
        assert "the same gradients" not in view.text()
        handle.remove()
        assert "hook" not in view.text()
        view.close()
        plain.close()
