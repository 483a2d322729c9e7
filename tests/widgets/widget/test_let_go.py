"""A picture holds its tensor only while it is open, and nothing but its page holds the picture."""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy
import pytest
from IPython.core.interactiveshell import InteractiveShell
from ipywidgets.widgets import widget as registry

import tensorkit as tk
from tensorkit_widgets import BitView, GraphView, Predict, StrideExplorer
from tests.widgets.board_examples import BOARDS

KINDS: dict[str, Callable[[], Any]] = {
    **{make().__class__.__name__: make for make in reversed(BOARDS.values())},
    "StrideExplorer": lambda: StrideExplorer(tk.arange(12.0).view(3, 4), "[1:].clone()"),
    "GraphView": lambda: GraphView((tk.ones(2, requires_grad=True) * 2).sum()).run(),
    "BitView": lambda: BitView(tk.arange(3.0), index=1),
}


@pytest.fixture(autouse=True)
def only_at_once() -> Iterator[None]:
    """Python looks for no cycles meanwhile: what is freed is freed because nobody holds it."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def reached(start: Any) -> set[str]:
    """The kinds of tensors and storages that something holds, through whatever holds them."""
    seen, todo, found = {id(start)}, [start], set[str]()
    while todo:
        for one in gc.get_referents(todo.pop()):
            if id(one) in seen or isinstance(one, ModuleType | type):
                continue
            seen.add(id(one))
            todo += (one.__closure__ or ()) if isinstance(one, FunctionType) else [one]
            if isinstance(one, tk.Tensor | tk.UntypedStorage):
                found.add(type(one).__name__)
    return found


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_closed_picture_holds_no_tensor(kind: str) -> None:
    made = KINDS[kind]()
    made._heard(None, {"kind": "edit", "key": "t:0,0", "value": "7"}, [])
    made.close()
    assert reached(made.__dict__) == set()
    assert repr(made)
    assert made.refresh() is False
    made._heard(None, {"kind": "step"}, [])


def looked_at(look: Callable[[Any], Any], t: Any) -> tuple[Any, Any]:
    """A picture of a tensor that nobody else holds, and its storage. (Until a function ends, Python 3.11 may hold a
    dictionary of its variables, once somebody has asked for their names.)"""
    return look(t), weakref.ref(t.untyped_storage() if isinstance(t, tk.Tensor) else t)


def test_a_closed_picture_frees_its_storage_at_once() -> None:
    w, freed = looked_at(lambda t: StrideExplorer(t[:12].view(3, 4)), tk.ones(1000))
    w._heard(None, {"kind": "edit", "key": "t:0,0", "value": "7"}, [])
    assert freed() is not None
    w.close()
    assert freed() is None, "although the name w is there"
    with pytest.raises(RuntimeError, match="what it showed is gone: make the picture again"):
        w.text()


def test_a_name_that_is_taken_for_another_picture_frees_the_first() -> None:
    w, freed = looked_at(StrideExplorer, numpy.ones(12))
    name = w.comm.comm_id
    w, _ = looked_at(StrideExplorer, numpy.zeros(3))
    assert freed() is None
    assert not {name, w.comm.comm_id} & registry._instances.keys(), "no page shows them"
    w.close()


def test_a_card_that_nobody_shows_is_freed_too() -> None:
    card = Predict("What?", answer="x")
    freed = weakref.ref(card)
    del card
    assert freed() is None


def test_what_a_page_shows_stays_until_it_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("IPython.display.display", lambda *_args, **_options: None)
    w = StrideExplorer(tk.ones(3))
    w._ipython_display_()
    shown, name = weakref.ref(w), w.model_id
    assert registry._instances[name] is w
    message = {"content": {"data": {"method": "custom", "content": {"kind": "quick", "value": "[1:]"}}}}
    w.comm.handle_msg({**message, "buffers": []})
    assert w.code.endswith("[1:]")
    del w
    living = shown()
    assert living is not None, "the page shows it"
    living.close()
    del living
    assert shown() is None
    assert name not in registry._instances


def test_a_page_that_was_loaded_since_is_told_of_what_it_is_to_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """When it was loaded it asked for the widgets that are shown: one that was not shown yet is new to it."""
    monkeypatch.setattr("IPython.display.display", lambda *_args, **_options: None)
    early, late = StrideExplorer(tk.ones(3)), StrideExplorer(tk.ones(3))
    early._ipython_display_()
    told: list[tuple[str, Any]] = []
    for one in (early, late):
        one.comm.publish_msg = lambda kind, data=None, **_: told.append((kind, data))
    monkeypatch.setattr(registry.Widget, "_control_comm", object())
    for one in (early, late):
        one._ipython_display_()
    [(kind, data)] = [message for message in told if message[0] != "comm_msg"]
    assert kind == "comm_open"
    assert data["state"]["frame"] == late.frame, "the one that was not shown, as it is now"
    message = {"content": {"data": {"method": "custom", "content": {"kind": "quick", "value": "[1:]"}}}}
    late.comm.handle_msg({**message, "buffers": []})
    assert late.code.endswith("[1:]")
    for one in (early, late):
        one.close()


def test_a_cell_that_is_run_again_frees_what_its_picture_held(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The notebook's `Out` holds the old picture for good; the page shows the new one."""
    monkeypatch.setattr("IPython.display.display", lambda *_args, **_options: None)
    request = {"metadata": {"cellId": "one"}, "header": {"msg_id": "1"}}
    monkeypatch.setattr(shell, "get_parent", lambda: request, raising=False)
    held, freed = [], []
    for run in range(3):
        request["header"]["msg_id"] = str(run)
        made, storage = looked_at(lambda t: StrideExplorer(t[:12].view(3, 4)), tk.ones(1000))
        made._ipython_display_()
        held.append(made)
        freed.append(storage)
    assert [found() is None for found in freed] == [True, True, False]
    held[-1].close()


def test_a_closed_picture_opens_again_while_its_tensor_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", lambda *things, **_options: shown.extend(things))
    held = [tk.arange(12.0).view(3, 4)]
    w = StrideExplorer(held[0], "[1:]")
    bits = BitView(held[0], index=(0, 1))
    w.close()
    bits.close()
    for one in (w, bits):
        one._ipython_display_()
        assert one.comm is not None
    assert w.text().startswith("t[1:]")
    assert bits.value == 1
    w.close()
    bits.close()
    shown.clear()
    held.clear()
    w._ipython_display_()
    assert w.comm is None
    [still] = shown
    assert still["text/plain"].startswith("this picture was closed, and what it showed is gone")
    assert "t[1:]" in still["text/plain"], "the last picture, as text"
    assert json.dumps(still)
