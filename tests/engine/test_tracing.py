"""Events: what is told to whom, and that nobody pays who does not listen."""

from __future__ import annotations

import dataclasses
import threading

import pytest

import tensorkit as tk
from tensorkit import tracing
from tensorkit.tracing import CopyEvent, LaunchEvent, OpEvent


def names(events: list[tracing.Event]) -> list[str]:
    return [event.name for event in events if isinstance(event, OpEvent)]


def test_every_call_is_told_with_what_went_in_and_came_out() -> None:
    t = tk.arange(6)
    with tracing.record() as events:
        v = t.view(2, 3)
        w = v[1:]
        s = w.add(1, alpha=2)
    assert names(events) == ["view", "__getitem__", "add"]
    view, index, add = (event for event in events if isinstance(event, OpEvent))
    assert view.args[0] is t
    assert (view.args[1:], view.output) == ((2, 3), v)
    assert index.output is w
    assert add.kwargs == {"alpha": 2}
    assert add.output is s
    assert not tracing.active


def test_calls_made_on_behalf_of_a_call_are_deeper() -> None:
    with tracing.record() as events:
        tk.ones(2).max(tk.zeros(2))
    told = [(event.name, event.depth) for event in events if isinstance(event, OpEvent)]
    assert told == [("ones", 0), ("zeros", 0), ("maximum", 1), ("max", 0)]


def test_a_call_that_fails_is_not_told_and_leaves_no_trace_of_itself() -> None:
    with tracing.record() as events:
        with pytest.raises(RuntimeError):
            tk.zeros(6).view(4)
        tk.zeros(2).neg()
    assert "view" not in names(events)
    assert [event.depth for event in events if isinstance(event, OpEvent)] == [0, 0, 0]


def test_copies_say_how_many_bytes_went_where() -> None:
    t = tk.zeros(4)
    with tracing.record() as events:
        t.clone()
    assert CopyEvent(16, "cpu", "cpu") in events
    with tk.cuda.emulate(devices=1):
        with tracing.record() as events:
            there = t.to("cuda")
            there + there
        assert CopyEvent(16, "cpu", "cuda:0") in events
        launched = [event for event in events if isinstance(event, LaunchEvent)]
        assert [(event.device, event.runner) for event in launched] == [("cuda:0", "emulated")]


def test_a_listener_hears_its_own_thread_only_unless_it_asks() -> None:
    mine: list[tracing.Event] = []
    everybodys: list[tracing.Event] = []
    with tracing.listen(mine.append), tracing.listen(everybodys.append, all_threads=True):
        worker = threading.Thread(target=lambda: tk.zeros(2).neg())
        worker.start()
        worker.join()
        assert names(mine) == []
        assert names(everybodys) == ["zeros", "neg"]
        tk.ones(1)
    assert names(mine) == ["ones"]


def test_a_listener_that_raises_is_the_callers_to_see_and_is_let_go() -> None:
    def grumpy(event: tracing.Event) -> None:
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"), tracing.listen(grumpy):
        tk.zeros(1)
    assert not tracing.active
    assert tk.zeros(1).tolist() == [0]


def test_events_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(CopyEvent(1, "cpu", "cpu"), "nbytes", 2)  # noqa: B010 - a plain assignment would not type-check
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(OpEvent("neg", (), {}, None), "name", "abs")  # noqa: B010
