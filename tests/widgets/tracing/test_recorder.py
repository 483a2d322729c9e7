"""A recording keeps what happened, call by call, in the learner's words, and keeps nothing alive."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets.snapshot.frozen_tensor import Ledger, see
from tensorkit_widgets.tracing.recorder import MOST_STEPS, Recorder, TraceStep, record
from tensorkit_widgets.tracing.text import story_text
from tests.support.garbage import collect


def ops(recording: Recorder) -> list[tuple[str, str]]:
    return [(step.op, step.kind) for step in recording.steps]


def test_each_call_is_told_in_the_learners_words() -> None:
    x = tk.arange(12).view(3, 4)
    with record() as recording:
        y = x.t().reshape(-1)
        x.add_(1)
        z = x[1:, ::2] + y[:2]
        x[0] = 7
    assert ops(recording) == [
        ("t", "view"),
        ("reshape", "copy"),
        ("add_", "in place"),
        ("__getitem__", "view"),
        ("__getitem__", "view"),
        ("add", "made"),
        ("__setitem__", "in place"),
    ]
    assert [step.call for step in recording.steps] == [
        "x.t()",
        "….reshape(-1)",
        "x.add_(1)",
        "x[1:, ::2]",
        "y[:2]",
        "… + …",
        "x[0] = 7",
    ]
    assert [step.place.source for step in recording.steps[:2]] == ["y = x.t().reshape(-1)"] * 2
    first = recording.steps[0].place.line
    assert [step.place.line - first for step in recording.steps] == [0, 0, 1, 2, 2, 2, 3]
    add = recording.steps[5]
    assert [seen.name for seen in add.inputs] == ["x[1:, ::2]", "y[:2]"]
    assert recording.steps[4].inputs[0].name == "y"
    assert z.size() == (2, 2)


def test_the_learners_line_is_found_where_the_packages_are_reached_through_a_link(tmp_path: Path) -> None:
    for name in ("tensorkit", "tensorkit_widgets"):
        (tmp_path / name).symlink_to(Path(sys.modules[name].__file__ or "").parent, target_is_directory=True)
    code = (
        "import tensorkit as tk; from tensorkit_widgets import trace\nwith trace() as t: tk.ones(2).neg()\n"
    )
    (tmp_path / "mine.py").write_text(code + "print([call.place.code for call in t.calls])\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "mine.py")],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "['tk.ones(2)', 'tk.ones(2).neg()']\n"


def test_storages_are_told_apart_and_bytes_are_the_copiers() -> None:
    x = tk.arange(12.0).view(3, 4)
    with record() as recording:
        view = x[1:]
        copy = view.t().contiguous()
        x.copy_(x.clone())
        tk.cat([copy, copy])
    letters = [[seen.storage for seen in step.outputs] for step in recording.steps]
    assert letters == [["A"], ["A"], ["B"], ["C"], ["A"], ["D"]]
    assert [step.bytes_moved for step in recording.steps] == [0, 0, 32, 48, 48, 64]
    assert [step.bytes_made for step in recording.steps] == [0, 0, 32, 48, 0, 64]
    assert recording.bytes_moved == 192


def test_a_write_says_version_and_elements_before_and_after() -> None:
    x = tk.arange(6).view(2, 3)
    y = x.t()
    with record() as recording:
        y[0, 1] = 50
        x.zero_()
    first, second = recording.steps
    (write,) = first.writes
    assert (write.before.name, write.changed, write.sampled) == ("y", ((0, 1),), False)
    assert (write.before.version, write.after.version) == (0, 1)
    assert second.writes[0].before.name == "x"
    assert len(second.writes[0].changed) == 5
    assert "version went from 1 to 2" in second.why


def test_out_is_a_write() -> None:
    a, b, out = tk.ones(3), tk.ones(3), tk.zeros(3)
    with record() as recording:
        tk.add(a, b, out=out)
    (step,) = recording.steps
    assert step.kind == "in place"
    assert [write.before.name for write in step.writes] == ["out"]
    assert step.inputs[step.writes[0].operand].name == "out"


def test_an_error_ends_the_recording_cleanly_and_is_its_last_step() -> None:
    x = tk.arange(6).view(2, 3)
    with pytest.raises(RuntimeError, match="view size"), record() as recording:
        x.t().view(-1)
    assert ops(recording) == [("t", "view"), ("view", "error")]
    failure = recording.steps[-1].failure
    assert failure is not None
    assert (failure.kind, failure.conflicts) == ("ViewError", ((0, 1),))
    assert failure.diagnosis is not None
    assert failure.diagnosis.name == "view-strides"
    assert not tk.tracing.active
    assert not tk.tracing.calls


@pytest.mark.parametrize(
    "call", ["t.view('a')", "t.transpose(0, 1, 2)", "t.sum('a')", "tk.add(t)", "t.neg(1)"]
)
def test_a_wrong_call_is_told_as_it_reached_the_learner(call: str) -> None:
    with pytest.raises(TypeError) as raised, record() as recording:
        eval(call, {"tk": tk, "t": tk.ones(3)})
    failures = [step.failure for step in recording.steps if step.failure is not None]
    assert [failure.message for failure in failures] == [str(raised.value)]


def test_an_error_of_no_operation_is_told_where_it_was_raised() -> None:
    def helper(t: Any) -> Any:
        return t.neg() + undefined_name  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(NameError), record() as recording:
        helper(tk.ones(3))
    assert ops(recording) == [("ones", "made"), ("neg", "made"), ("", "error")]
    assert recording.steps[-1].place.code == "undefined_name"


def test_an_error_that_the_code_catches_is_a_step_too() -> None:
    x = tk.zeros(3)
    with record() as recording:
        try:
            x[5]
        except IndexError:
            x.neg()
    assert ops(recording) == [("__getitem__", "error"), ("neg", "made")]


def test_recordings_can_be_nested_and_do_not_hear_one_another_look() -> None:
    x = tk.ones(3)
    with record() as outer:
        x.neg()
        with record() as inner:
            x.abs()
        x.exp()
    assert ops(inner) == [("abs", "made")]
    assert [op for op, _ in ops(outer)] == ["neg", "abs", "exp"]
    x.sin()
    assert len(outer) == 3


def test_backward_is_one_step() -> None:
    w = tk.ones(2, requires_grad=True)
    with record() as recording:
        (w * w).sum().backward()
    assert [op for op, _ in ops(recording)] == ["mul", "sum", "backward"]


def test_too_many_calls_are_counted_and_the_one_that_raised_is_kept() -> None:
    x = tk.zeros(3)

    def run() -> None:
        for _ in range(20):
            x.add_(1)
        x.view(7)

    with pytest.raises(RuntimeError), record(limit=5) as recording:
        run()
    assert len(recording.steps) == 5
    assert recording.left_out == 16
    assert recording.steps[-1].op == "view"
    assert recording.steps[-1].inputs[0].snapshot.grid == (20.0, 20.0, 20.0)
    with record() as recording:
        for _ in range(MOST_STEPS + 7):
            x.add_(1)
    assert (len(recording), recording.left_out) == (MOST_STEPS, 7)
    with pytest.raises(ValueError, match="at least one"):
        Recorder(0)


def test_other_threads_are_heard_only_when_asked_for() -> None:
    def work() -> None:
        tk.zeros(2).neg()

    def run() -> None:
        worker = threading.Thread(target=work)
        worker.start()
        worker.join()

    with record() as own:
        tk.ones(1)
        run()
    assert [op for op, _ in ops(own)] == ["ones"]
    with record(all_threads=True) as everybody:
        tk.ones(1)
        run()
    assert [(step.op, step.thread) for step in everybody.steps] == [("ones", 0), ("zeros", 1), ("neg", 1)]


def test_many_threads_at_once() -> None:
    wrong: list[BaseException] = []

    def work(k: int) -> None:
        try:
            t = tk.zeros(4)
            for _ in range(25):
                t.add_(k)
        except BaseException as error:
            wrong.append(error)

    with record(limit=1000, all_threads=True) as recording:
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert not wrong
    assert recording.left_out == 0
    assert len(recording) == 4 * 26
    assert [step.number for step in recording.steps] == list(range(1, 105))
    by_thread = {k: [s.op for s in recording.steps if s.thread == k] for k in range(1, 5)}
    assert all(found == ["zeros", *["add_"] * 25] for found in by_thread.values())


def test_a_picture_that_looks_on_another_thread_is_no_operation() -> None:
    from tensorkit_widgets.snapshot.adapter import describe, look
    from tensorkit_widgets.snapshot.window import grid_window

    t = tk.arange(6.0)
    with record(all_threads=True) as recording:
        worker = threading.Thread(target=lambda: look(t, grid_window(describe(t).size, (0,)), [(0, 6)]))
        worker.start()
        worker.join()
    assert recording.steps == ()


def test_nothing_is_kept_alive_and_steps_are_frozen() -> None:
    with record() as recording:
        t = tk.zeros(1000)
        freed = weakref.ref(t.untyped_storage())
        v = t.view(10, 100)
        v[0] = 1
    (made, *_) = recording.steps
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(made, "op", "x")  # noqa: B010 - a plain assignment would not type-check
    del t, v
    collect()
    assert freed() is None
    assert len(recording) == 3
    assert sum(len(s.snapshot.grid) for step in recording.steps for s in (*step.inputs, *step.outputs)) < 500


def test_during_a_recording_intermediates_are_freed() -> None:
    seen: list[int] = []
    with record():
        refs = []
        for _ in range(5):
            t = tk.zeros(10)
            refs.append(weakref.ref(t.untyped_storage()))
            del t
            seen.append(sum(ref() is not None for ref in refs))
    assert seen == [0] * 5


def test_what_locals_gives_is_left_alone() -> None:
    t = tk.ones(2)
    mine = locals()
    with record() as recording:
        t.neg()
    assert recording.steps[0].inputs[0].name == "t"
    assert mine["t"] is t
    assert locals()["recording"] is recording


def test_memory_that_is_used_again_gets_a_new_letter() -> None:
    ledger = Ledger()
    letters = []
    for _ in range(4):
        t = numpy.zeros(1000)
        found = see(ledger, t, "")
        assert found is not None
        letters.append(found.storage)
        del t
    assert letters == ["A", "B", "C", "D"]


def test_a_resized_storage_keeps_its_letter() -> None:
    t = tk.zeros(4)
    with record() as recording:
        t.resize_(1000)
        t.neg()
    assert [seen.storage for seen in recording.steps[0].outputs] == ["A"]
    assert recording.steps[0].kind == "in place"
    assert recording.steps[1].inputs[0].storage == "A"


@pytest.mark.parametrize(
    "tensor",
    [
        tk.tensor(3),
        tk.zeros(0, 3),
        tk.zeros(2, device="meta"),
        tk.ones(1).expand(10**9),
        tk.zeros(*[1] * 10),
        tk.tensor([float("nan"), float("inf")]),
        tk.ones(2, dtype=tk.bfloat16),
        tk.ones(2, dtype=tk.complex64),
    ],
    ids=["0-d", "empty", "meta", "a billion", "10-d", "nan", "bfloat16", "complex"],
)
def test_odd_tensors_are_recorded(tensor: Any) -> None:
    with record() as recording:
        tensor.view(tensor.size())
        tensor[...]
    assert recording.left_out == 0
    assert [step.kind for step in recording.steps] == ["view", "view"]
    assert "0x" not in story_text(recording)


def test_a_recorder_that_stumbles_never_breaks_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr("tensorkit_widgets.tracing.recorder.judge", broken)
    with record() as recording:
        assert tk.ones(2).neg().tolist() == [-1, -1]
    assert recording.left_out == 3


def test_the_cost_of_a_step_and_of_none() -> None:
    x = tk.zeros(100, 100)
    with record(limit=10_000) as recording:
        start = time.thread_time()
        for _ in range(200):
            x.add_(1)
        taken = time.thread_time() - start
    assert len(recording) == 200
    assert taken / 200 < 0.02
    with record(limit=1) as recording:
        start = time.thread_time()
        for _ in range(2000):
            x.add_(1)
        assert (time.thread_time() - start) / 2000 < 0.002


def test_the_text_of_a_recording() -> None:
    x = tk.arange(6).view(2, 3)
    with record() as recording:
        x.t().contiguous()
        x += 1
    assert story_text(recording) == "\n".join(
        [
            "3 calls: 1 view, 1 copy, 1 in place; 48 bytes moved; 48 bytes newly made",
            "",
            "1. x.t()  view",
            "   in   x: size (2, 3), stride (3, 1), offset 0, int64, storage A",
            "   out  size (3, 2), stride (1, 3), offset 0, int64, storage A",
            "   why: the strides change places; no number moves",
            "   bytes moved: 0",
            "",
            "2. ….contiguous()  copy",
            "   in   x.t(): size (3, 2), stride (1, 3), offset 0, int64, storage A",
            "   out  size (3, 2), stride (2, 1), offset 0, int64, storage B",
            "   why: the strides were not those of a fresh tensor, so the numbers were copied in reading order",
            "   bytes moved: 48",
            "",
            "3. x += 1  in place",
            "   in   x: size (2, 3), stride (3, 1), offset 0, int64, storage A, version 0",
            "   now  x: size (2, 3), stride (3, 1), offset 0, int64, storage A, version 1",
            "   changed: [0, 0] 0 → 1, [0, 1] 1 → 2, [0, 2] 2 → 3, [1, 0] 3 → 4, and 2 more of those shown",
            "   why: the numbers were written into x’s own storage, so every tensor on storage A sees them; its "
            "version went from 0 to 1",
            "   bytes moved: 0",
        ]
    )


def test_a_step_that_is_not_of_the_recording_thread_says_so() -> None:
    step: TraceStep
    with record(all_threads=True) as recording:
        worker = threading.Thread(target=tk.ones, args=(2,))
        worker.start()
        worker.join()
    (step,) = recording.steps
    assert "(thread 1)" in story_text(recording)
    assert step.thread == 1
