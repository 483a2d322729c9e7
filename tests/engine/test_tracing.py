"""Events: what is told to whom, and that nobody pays who does not listen."""

from __future__ import annotations

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import tensorkit as tk
from tensorkit import tracing
from tensorkit.tracing import CallEvent, CopyEvent, FailEvent, LaunchEvent, OpEvent


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


@pytest.mark.parametrize(
    ("call", "nbytes"),
    [
        ("t.t().contiguous()", 48),
        ("t.contiguous()", 0),
        ("t.t().reshape(-1)", 48),
        ("t.view(-1)", 0),
        ("t.copy_(s)", 48),
        ("t.double()", 96),
        ("t.float()", 0),
        ("t[1:]", 0),
        ("t[[0, 2]]", 32),
        ("t[t > 9]", 8),
        ("t.__setitem__(0, s[0])", 16),
        ("t.__setitem__([0, 2], s[:2])", 32),
        ("tk.cat([t, s])", 96),
        ("tk.stack([t, s])", 96),
        ("t.repeat(2, 1)", 96),
        ("t.flip(0)", 48),
        ("t.roll(1, 0)", 48),
        ("t.index_select(0, i)", 32),
        ("t + 1", 0),
    ],
)
def test_every_copy_counts_its_bytes(call: str, nbytes: int) -> None:
    names = {"tk": tk, "t": tk.arange(12.0).view(3, 4), "s": tk.ones(3, 4), "i": tk.tensor([0, 2])}
    with tracing.record() as events:
        eval(call, names)
    assert sum(event.nbytes for event in events if isinstance(event, CopyEvent)) == nbytes


def test_who_asks_hears_of_a_call_before_it_runs_and_of_its_failure() -> None:
    told: list[tracing.Event] = []
    t = tk.zeros(2, 3)
    with tracing.record() as plain, tracing.listen(told.append, calls=True):
        t.add_(1)
        with pytest.raises(RuntimeError):
            t.t().view(-1)
        t.neg()
    assert [type(event) for event in told] == [
        *(CallEvent, OpEvent) * 2,
        *(CallEvent, FailEvent),
        *(CallEvent, OpEvent),
    ]
    failed = told[5]
    assert isinstance(failed, FailEvent)
    assert (failed.name, failed.depth, str(failed.error)[:9]) == ("view", 0, "view size")
    assert {type(event) for event in plain} == {OpEvent}
    assert not tracing.calls
    assert not tracing.active


def test_backward_is_one_call_and_what_it_runs_is_deeper() -> None:
    w = tk.ones(2, requires_grad=True)
    with tracing.record() as events:
        (w * w).sum().backward()
    told = [event for event in events if isinstance(event, OpEvent)]
    assert [event.name for event in told if event.depth == 0] == ["mul", "sum", "backward"]
    assert any(event.depth for event in told)


def test_what_is_done_in_silence_is_not_told() -> None:
    with tracing.record() as events:
        with tracing.silence(), tracing.silence():
            tk.zeros(1)
        tk.ones(1)
    assert names(events) == ["ones"]


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


def test_whoever_measures_is_not_slowed_down_by_who_listens() -> None:
    with tracing.record() as events:
        with tracing.paused():
            assert not tracing.active
            tk.ones(1)
            with tracing.record() as inner:
                tk.zeros(1)
            assert names(inner) == ["zeros"]
        assert tracing.active
        tk.ones(2)
        seen: list[bool] = []
        watch = {"seen": seen, "tracing": tracing}
        tk.utils.benchmark.Timer("seen.append(tracing.active)", globals=watch).timeit(1)
    assert set(seen) == {False}
    assert names(events) == ["zeros", "ones"]
    assert not tracing.active


def test_two_threads_that_measure_by_turns_leave_the_listener_of_a_third() -> None:
    with tracing.record() as events:
        first, second = tracing.paused(), tracing.paused()
        first.__enter__()
        with ThreadPoolExecutor(1) as other:
            other.submit(second.__enter__).result()
            first.__exit__(None, None, None)
            assert not tracing.active
            other.submit(second.__exit__, None, None, None).result()
        assert tracing.active
        tk.ones(2)
    assert names(events) == ["ones"]
    with tracing.record() as earlier:
        pause = tracing.paused()
        pause.__enter__()
    with tracing.record() as events:  # another begins where one that was paused has ended
        tk.zeros(2)
    pause.__exit__(None, None, None)
    assert (names(earlier), names(events)) == ([], ["zeros"])


def test_events_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(CopyEvent(1, "cpu", "cpu"), "nbytes", 2)  # noqa: B010 - a plain assignment would not type-check
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(OpEvent("neg", (), {}, None), "name", "abs")  # noqa: B010
