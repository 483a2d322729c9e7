"""What the listeners hear of the queues: every kind of event, in the order of the program, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit import tracing
from tensorkit.tracing import QueueEvent


@pytest.fixture(autouse=True)
def devices() -> Iterator[Any]:
    with tk.cuda.emulate() as emulation:
        yield emulation


def heard(work: Any) -> list[QueueEvent]:
    with tracing.record() as events:
        work()
    return [event for event in events if isinstance(event, QueueEvent)]


def kinds(events: list[QueueEvent]) -> list[tuple[str, str]]:
    return [(event.kind, event.name) for event in events]


def test_a_kernel_tells_its_stream_and_its_bytes() -> None:
    a, row = tk.ones(100, 10, device="cuda"), tk.ones(10, device="cuda")
    (event,) = heard(lambda: a + row)
    assert event.kind == "kernel"
    assert event.name.startswith("add_float32")
    assert (event.device, event.stream) == ("cuda:0", 0)
    assert event.nbytes == 4 * (1000 + 1000 + 10)  # what is broadcast is read once
    assert not event.waits
    assert event.begun is None
    assert event.asked <= event.returned


def test_the_stream_is_the_current_one_of_the_device() -> None:
    a, b = tk.ones(10, device="cuda"), tk.ones(10, device="cuda:1")
    side = tk.cuda.Stream()

    def work() -> None:
        with tk.cuda.stream(side):
            a.add_(1)
            b.add_(1)
        a.add_(1)

    found = [(event.device, event.stream) for event in heard(work)]
    assert found == [("cuda:0", side.stream_id), ("cuda:1", 0), ("cuda:0", 0)]
    assert side.stream_id > 0


def test_reductions_row_kernels_and_gathers_are_kernels() -> None:
    a, index = tk.ones(10, 10, device="cuda"), tk.tensor([1, 2], device="cuda")
    for work in (
        a.sum,
        lambda: a.softmax(0),
        lambda: a.gather(0, index.expand(2, 2)),
        lambda: tk.rand_like(a),
    ):
        events = heard(work)
        assert events
        assert {event.kind for event in events} == {"kernel"}
        assert all(event.nbytes > 0 for event in events)


def test_a_product_tells_its_sums() -> None:
    a, b = tk.ones(20, 30, device="cuda"), tk.ones(30, 40, device="cuda")
    (event,) = heard(lambda: a @ b)
    assert (event.kind, event.name, event.flops) == ("library", "mm", 2 * 20 * 30 * 40)
    assert event.nbytes == 4 * (20 * 30 + 30 * 40 + 20 * 40)
    assert not event.waits
    (event,) = heard(lambda: a[:, 0].dot(a[:, 1]))
    assert event.flops == 2 * 20
    (event,) = heard(lambda: tk.bmm(a.expand(5, 20, 30), b.expand(5, 30, 40)))
    assert event.flops == 5 * 2 * 20 * 30 * 40
    (event,) = heard(lambda: tk.addmm(tk.ones(40, device="cuda"), a, b))[-1:]
    assert event.flops == 2 * 20 * 30 * 40


def test_a_library_call_whose_result_the_program_needs_waits() -> None:
    a = tk.eye(5, device="cuda")
    event = heard(lambda: tk.linalg.inv(a))[-1]
    assert (event.kind, event.name, event.waits, event.flops) == ("library", "linalg_inv", True, 0)


@pytest.mark.parametrize("pinned", [False, True])
@pytest.mark.parametrize("non_blocking", [False, True])
def test_copies_to_a_device_wait_unless_they_are_pinned_and_told_not_to(
    pinned: bool, non_blocking: bool
) -> None:
    x = tk.ones(1000)
    x = x.pin_memory() if pinned else x
    (event,) = heard(lambda: x.to("cuda", non_blocking=non_blocking))
    assert (event.kind, event.name, event.nbytes) == ("copy", "cpu → cuda:0", 4000)
    assert (event.source, event.target, event.pinned) == ("cpu", "cuda:0", pinned)
    assert event.waits is not (pinned and non_blocking)


def test_copies_back_wait_unless_they_go_to_pinned_memory() -> None:
    a, there = tk.ones(1000, device="cuda"), tk.zeros(1000).pin_memory()
    (event,) = heard(a.cpu)
    assert (event.kind, event.source, event.target, event.waits) == ("copy", "cuda:0", "cpu", True)
    (event,) = heard(lambda: there.copy_(a, non_blocking=True))
    assert (event.target, event.pinned, event.waits, event.nbytes) == ("cpu", True, False, 4000)
    (event,) = heard(lambda: a[0].item())
    assert (event.target, event.waits, event.nbytes) == ("cpu", True, 4)


def test_copies_between_devices_and_within_one() -> None:
    a = tk.ones(1000, device="cuda")
    (event,) = heard(lambda: a.to("cuda:1"))
    assert (event.device, event.source, event.target, event.peer) == ("cuda:0", "cuda:0", "cuda:1", 0)
    assert not event.waits
    (event,) = heard(a.clone)
    assert (event.kind, event.source, event.target, event.peer) == ("copy", "cuda:0", "cuda:0", None)


def test_events_are_recorded_and_waited_for_by_number() -> None:
    side, event = tk.cuda.Stream(), tk.cuda.Event()

    def work() -> None:
        event.record(side)
        event.wait()
        event.synchronize()

    record, wait, synchronize = heard(work)
    assert (record.kind, record.stream) == ("record", side.stream_id)
    assert (wait.kind, wait.stream, wait.mark) == ("wait", 0, record.number)
    assert (synchronize.kind, synchronize.name) == ("synchronize", "Event.synchronize")
    assert (synchronize.mark, synchronize.waits) == (record.number, True)
    assert record.number < wait.number < synchronize.number


def test_an_event_that_was_recorded_unheard_has_no_number() -> None:
    event = tk.cuda.Event()
    heard(event.record)
    event.record()
    (wait,) = heard(event.wait)
    assert wait.mark == 0
    assert heard(tk.cuda.Event().wait) == []  # it was never recorded: nobody waits


def test_wait_stream_is_a_record_there_and_a_wait_here() -> None:
    side = tk.cuda.Stream()
    record, wait = heard(lambda: tk.cuda.current_stream().wait_stream(side))
    assert (record.kind, record.stream, wait.kind, wait.stream) == ("record", side.stream_id, "wait", 0)
    assert wait.mark == record.number


def test_who_waits_for_a_stream_or_for_a_device() -> None:
    side = tk.cuda.Stream()
    (event,) = heard(side.synchronize)
    assert (event.kind, event.name, event.stream) == ("synchronize", "Stream.synchronize", side.stream_id)
    (event,) = heard(tk.cuda.synchronize)
    assert (event.kind, event.name, event.device, event.stream) == (
        "synchronize",
        "synchronize",
        "cuda:0",
        None,
    )


def test_a_learners_kernel_is_a_kernel_by_its_name() -> None:
    cuda = pytest.importorskip("numba.cuda")

    def bump(x: Any) -> None:
        x[cuda.threadIdx.x] += 1

    a, here = tk.ones(4, device="cuda"), numpy.ones(4)
    (event,) = heard(lambda: tk.cuda.launch(bump, 1, 4, a))
    assert (event.kind, event.name, event.nbytes, event.waits) == ("kernel", "bump", 16, False)
    assert heard(lambda: tk.cuda.launch(bump, 1, 4, here)) == []  # on no stream of a device


def test_the_order_is_that_of_the_program() -> None:
    x = tk.ones(10, 10).pin_memory()

    def work() -> None:
        a = x.to("cuda", non_blocking=True)
        b = a @ a
        (b + 1).cpu()
        tk.cuda.synchronize()

    events = heard(work)
    assert [event.kind for event in events] == ["copy", "library", "kernel", "copy", "synchronize"]
    numbers = [event.number for event in events]
    assert numbers == sorted(set(numbers))


def test_work_that_is_still_queued_is_told_when_it_is_asked_for(devices: Any) -> None:
    a = tk.ones(10, device="cuda")
    with devices.hold():
        (event,) = heard(lambda: a.add_(1))
        assert not tk.cuda.current_stream().query()
    assert event.kind == "kernel"


def test_with_launch_blocking_every_call_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    with tk.cuda.emulate():
        a = tk.ones(10, device="cuda")
        (event,) = heard(lambda: a + 1)
    assert event.waits


def test_a_call_that_raised_is_not_told() -> None:
    a, b = tk.ones(3, device="cuda"), tk.ones(4, device="cuda")
    with pytest.raises(RuntimeError), tracing.record() as events:
        a + b
    assert not [event for event in events if isinstance(event, QueueEvent)]
    tk.cuda.set_sync_debug_mode("error")
    try:
        with pytest.raises(RuntimeError, match="synchronizing"), tracing.record() as events:
            a.cpu()
    finally:
        tk.cuda.set_sync_debug_mode("default")
    assert not [event for event in events if isinstance(event, QueueEvent)]


def test_what_a_failed_device_is_given_is_not_done() -> None:
    a, index = tk.ones(3, device="cuda"), tk.tensor([7], device="cuda")

    def work() -> None:
        (a + 1).gather(0, index).add(1)
        with pytest.raises(tk.cuda.AcceleratorError):
            tk.cuda.synchronize()

    events = heard(work)
    found = [(event.name.partition("_")[0], event.failed) for event in events]
    assert found == [("add", False), ("gather", True), ("add", True), ("synchronize", True)]
    assert events[-1].kind == "error"


def test_a_queued_copy_into_pinned_memory_tells_where_and_whether_it_has_come(devices: Any) -> None:
    x, here = tk.ones(3, device="cuda"), tk.zeros(3, pin_memory=True)
    with devices.hold():
        (event,) = heard(lambda: here.copy_(x, non_blocking=True))
        assert event.done is not None
        assert not event.done()
    tk.cuda.synchronize()
    assert event.done()
    assert event.host == (here.data_ptr(), here.data_ptr() + 12)
    (plain,) = heard(lambda: x.cpu())
    assert plain.done is None


def test_nothing_is_told_where_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(tracing, "emit", told.append)
    monkeypatch.setattr(tracing, "numbered", lambda: told.append("a number"))
    a, event = tk.ones(10, 10, device="cuda"), tk.cuda.Event()
    (a @ a + 1).cpu()
    event.record()
    event.wait()
    event.synchronize()
    tk.cuda.synchronize()
    assert told == []


def test_looking_at_a_tensor_for_a_picture_is_not_told() -> None:
    a = tk.ones(10, device="cuda")

    def work() -> None:
        with tracing.silence():
            a.cpu()

    assert heard(work) == []
