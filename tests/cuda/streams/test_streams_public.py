"""Streams, events and pinned memory as a program sees them: PyTorch's names, order, waits and sentences."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.kernels import cuda as kernels


@pytest.fixture
def emulation() -> Iterator[tk.cuda.Emulation]:
    """Two devices; whatever stream a test chose is forgotten, and all its work is done."""
    with tk.cuda.emulate(2) as emulated:
        yield emulated
        for streams in emulated.memory.streams:
            for stream in streams.all():
                stream.wait()


# -- streams ----------------------------------------------------------------------------------------------


def test_a_stream_says_what_it_is(emulation: Any) -> None:
    s = tk.cuda.Stream(device=1, priority=-1)
    assert (s.device, s.device_index, s.device_type) == (tk.device("cuda:1"), 1, 1)
    assert (s.priority, tk.cuda.Stream.priority_range()) == (-1, (0, -3))
    assert repr(s) == f"<tensorkit.cuda.Stream device=cuda:1 cuda_stream={s.cuda_stream:#x}>"
    assert s.cuda_stream != 0 == tk.cuda.default_stream().cuda_stream
    assert s._as_parameter_.value == s.cuda_stream
    assert s.__cuda_stream__() == (0, s.cuda_stream)


def test_equal_streams_are_the_same_queue(emulation: Any) -> None:
    s, other = tk.cuda.Stream(), tk.cuda.Stream()
    assert s != other
    assert s != tk.cuda.default_stream()
    assert s != "stream"
    assert tk.cuda.Stream(stream_id=s.stream_id, device_index=0, device_type=1) == s
    assert tk.cuda.get_stream_from_external(s.cuda_stream) == s
    assert hash(tk.cuda.ExternalStream(s.cuda_stream)) == hash(s)
    assert tk.cuda.default_stream(1) != tk.cuda.default_stream(0) == tk.cuda.current_stream()
    with pytest.raises(RuntimeError, match="invalid resource handle"):
        tk.cuda.get_stream_from_external(7)


@pytest.mark.parametrize("enter", [tk.cuda.stream, tk.cuda.StreamContext, lambda s: s])
def test_a_block_makes_a_stream_and_its_device_current(emulation: Any, enter: Any) -> None:
    here, there = tk.cuda.Stream(0), tk.cuda.Stream(1)
    with enter(here):
        assert tk.cuda.current_stream() == here
        with enter(there):
            assert tk.cuda.current_device() == 1
            assert tk.cuda.current_stream() == there
            assert tk.cuda.current_stream(0) == here
            assert tk.ones(1, device="cuda").device.index == 1
        assert tk.cuda.current_device() == 0
        assert tk.cuda.current_stream() == here
        assert tk.cuda.current_stream(1) == tk.cuda.default_stream(1)
    assert tk.cuda.current_stream() == tk.cuda.default_stream()
    with tk.cuda.stream(None):
        assert tk.cuda.current_stream() == tk.cuda.default_stream()


def test_one_stream_may_be_entered_twice(emulation: Any) -> None:
    s, other = tk.cuda.Stream(), tk.cuda.Stream()
    with s, other:
        with s:
            assert tk.cuda.current_stream() == s
        assert tk.cuda.current_stream() == other
    assert tk.cuda.current_stream() == tk.cuda.default_stream()


def test_set_stream_is_for_this_thread(emulation: Any) -> None:
    s, seen = tk.cuda.Stream(1), []
    tk.cuda.set_stream(s)
    tk.cuda.set_stream(None)
    assert (tk.cuda.current_device(), tk.cuda.current_stream()) == (1, s)
    thread = threading.Thread(target=lambda: seen.append(tk.cuda.current_stream(1)))
    thread.start()
    thread.join()
    assert seen == [tk.cuda.default_stream(1)]


@pytest.mark.parametrize("device", [2, "cuda:2"])
def test_a_stream_of_no_device(emulation: Any, device: Any) -> None:
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        tk.cuda.Stream(device)
    with pytest.raises(AssertionError, match="Invalid device id"):
        tk.cuda.current_stream(device)
    with pytest.raises(ValueError, match="Expected a cuda device"):
        tk.cuda.Stream("cpu")


# -- what comes after what --------------------------------------------------------------------------------


def test_work_goes_to_the_current_stream_and_the_program_goes_on(emulation: Any) -> None:
    a, s = tk.ones(3, device="cuda"), tk.cuda.Stream()
    with emulation.hold(s):
        with tk.cuda.stream(s):
            a.add_(1)
        assert not s.query()
        assert a.tolist() == [1, 1, 1]  # the default stream does not wait for the other
    s.synchronize()
    assert s.query()
    assert a.tolist() == [2, 2, 2]


def test_devices_that_are_late_work_when_the_program_waits(emulation: Any) -> None:
    a, here = tk.zeros(3, device="cuda"), tk.zeros(3).pin_memory()
    with emulation.late():
        a.add_(1)
        here.copy_(a, non_blocking=True)
        event = tk.cuda.current_stream().record_event()
        a.add_(1)
        assert (here.tolist(), event.query()) == ([0, 0, 0], False)
        event.synchronize()
        assert (here.tolist(), event.query()) == ([1, 1, 1], True)
        assert not tk.cuda.current_stream().query()
        assert a.tolist() == [2, 2, 2]
    assert (a + 1).tolist() == [3, 3, 3]


def test_one_stream_waits_for_another(emulation: Any) -> None:
    a, s, t = tk.ones(3, device="cuda"), tk.cuda.Stream(), tk.cuda.Stream()
    with emulation.hold(s):
        with tk.cuda.stream(s):
            a.mul_(5)
        t.wait_stream(s)
        with tk.cuda.stream(t):
            b = a + 1
        assert not t.query()
    tk.cuda.current_stream().wait_stream(t)
    assert b.tolist() == [6, 6, 6]


def test_an_event_is_where_it_was_recorded(emulation: Any) -> None:
    s, t = tk.cuda.Stream(), tk.cuda.Stream(1)
    with emulation.hold(s):
        with tk.cuda.stream(s):
            tk.ones(3, device="cuda")
            event = s.record_event()
        assert not event.query()
        t.wait_event(event)  # of another device, too
        with tk.cuda.stream(t):
            tk.ones(3, device="cuda")
        assert not t.query()
    event.synchronize()
    assert event.query()
    t.synchronize()
    assert event.device == tk.device("cuda:0")


def test_an_event_recorded_again_means_the_new_place(emulation: Any) -> None:
    s, event = tk.cuda.Stream(), tk.cuda.Event()
    event.record(s)
    event.synchronize()
    handle = event.cuda_event
    with emulation.hold(s):
        event.record(s)
        assert not event.query()
    event.synchronize()
    assert event.cuda_event == handle
    with pytest.raises(RuntimeError) as caught:
        event.record(tk.cuda.Stream(1))
    assert str(caught.value) == "Event device 0 does not match recording stream's device 1."


def test_an_event_that_was_never_recorded_is_over(emulation: Any) -> None:
    event = tk.cuda.Event()
    assert event.query()
    event.synchronize()
    event.wait()
    tk.cuda.current_stream().wait_event(event)
    assert repr(event) == "<tensorkit.cuda.Event uninitialized>"
    event.record()
    assert repr(event) == f"<tensorkit.cuda.Event {event.cuda_event:#x}>"


def test_elapsed_time_and_its_errors(emulation: Any) -> None:
    start, end = (tk.cuda.Event(enable_timing=True) for _ in range(2))
    with pytest.raises(ValueError, match=r"^Both events must be recorded before calculating elapsed time\.$"):
        start.elapsed_time(end)
    start.record()
    with emulation.hold():
        end.record()
        with pytest.raises(
            RuntimeError, match=r"^Both events must be completed before calculating elapsed time"
        ):
            start.elapsed_time(end)
    end.synchronize()
    assert 0 < start.elapsed_time(end) == -end.elapsed_time(start)
    plain = tk.cuda.Event()
    plain.record()
    with pytest.raises(
        ValueError, match=r"^Both events must be created with argument 'enable_timing=True'\.$"
    ):
        start.elapsed_time(plain)
    with pytest.raises(RuntimeError, match="operation not supported"):
        tk.cuda.Event(interprocess=True)


def test_synchronize_waits_for_every_stream_of_one_device(emulation: Any) -> None:
    s, t = tk.cuda.Stream(0), tk.cuda.Stream(1)
    with emulation.hold(t):
        for stream in (s, t):
            with tk.cuda.stream(stream):
                tk.ones(3, device="cuda")
        tk.cuda.synchronize(0)
        assert s.query()
        assert not t.query()
        with pytest.raises(RuntimeError, match="this thread holds the stream"):
            tk.cuda.synchronize("cuda:1")
    tk.cuda.synchronize(1)
    assert t.query()


# -- pinned memory ----------------------------------------------------------------------------------------


def test_pinned_memory_is_marked_and_views_and_storages_share_the_mark(emulation: Any) -> None:
    t = tk.arange(6.0).view(2, 3).t()
    pinned = t.pin_memory()
    assert (t.is_pinned(), pinned.is_pinned(), pinned[1:].is_pinned()) == (False, True, True)
    assert pinned.stride() == t.stride()
    assert pinned.equal(t)
    assert pinned.pin_memory() is pinned
    assert pinned.untyped_storage().is_pinned()
    assert pinned.untyped_storage()[1:3].is_pinned()
    assert not pinned.clone().is_pinned()
    with pytest.raises(
        RuntimeError, match=r"^cannot pin 'CUDAFloatType' only dense CPU tensors can be pinned$"
    ):
        t.cuda().pin_memory()
    assert not t.cuda().is_pinned()
    with pytest.raises(TypeError, match="only CPU memory can be pinned"):
        t.cuda().untyped_storage().pin_memory()


@pytest.mark.parametrize(
    "make",
    [
        lambda: tk.zeros(3, pin_memory=True),
        lambda: tk.empty(3, pin_memory=True),
        lambda: tk.tensor([1.0, 2.0], pin_memory=True, requires_grad=True),
        lambda: tk.arange(3, pin_memory=True),
    ],
)
def test_factories_pin(emulation: Any, make: Any) -> None:
    assert make().is_pinned()
    assert make().is_leaf


def test_only_the_cpus_memory_is_pinned(emulation: Any) -> None:
    with pytest.raises(RuntimeError, match=r"^Only dense CPU tensors can be pinned$"):
        tk.zeros(2, device="cuda", pin_memory=True)


def test_pinned_memory_can_grow(emulation: Any) -> None:
    t = tk.ones(2).pin_memory()
    t.resize_(1000)
    assert t.is_pinned()
    assert t[:2].tolist() == [1, 1]


@pytest.mark.parametrize("send", ["to", "cuda", "copy_"])
def test_a_transfer_from_pinned_memory_is_queued(emulation: Any, send: str) -> None:
    source, there = tk.ones(3).pin_memory(), tk.zeros(3, device="cuda")
    with emulation.hold():
        if send == "to":
            there = source.to("cuda", non_blocking=True)
        elif send == "cuda":
            there = source.cuda(non_blocking=True)
        else:
            there.copy_(source, non_blocking=True)
        assert not tk.cuda.current_stream().query()
        source.fill_(7)  # too early: the transfer has not begun
    assert there.tolist() == [7, 7, 7]


@pytest.mark.parametrize("size", [3, 2**20])
def test_a_transfer_to_pinned_memory_is_queued(emulation: Any, size: int) -> None:
    there, here = tk.ones(size, device="cuda"), tk.zeros(size).pin_memory()
    tk.cuda.synchronize()
    with emulation.hold():
        here.copy_(there, non_blocking=True)
        fetched = there.to("cpu", non_blocking=True)
        assert fetched.is_pinned()
        assert here[0].item() == 0  # stale
    tk.cuda.synchronize()
    assert here.equal(tk.ones(size))
    assert fetched.equal(here)


@pytest.mark.parametrize(
    "transfer",
    [
        lambda there: tk.ones(3).to("cuda", non_blocking=True),  # pageable
        lambda there: tk.ones(3).pin_memory().to("cuda"),  # not asked to hurry
        lambda there: tk.zeros(3).copy_(there, non_blocking=True),
        lambda there: there.cpu(),
        lambda there: tk.zeros(3).pin_memory().copy_(there),
        lambda there: there.item() if there.numel() == 1 else there[0].item(),
        lambda there: there.tolist(),
        lambda there: repr(there),
        lambda there: bool(there[0]),
        lambda there: there.equal(there.clone()),
    ],
)
def test_every_other_transfer_waits(emulation: Any, transfer: Any) -> None:
    there = tk.ones(3, device="cuda")
    with emulation.hold():
        there.add_(1)
        with pytest.raises(RuntimeError, match="this thread holds the stream"):
            transfer(there)
    with tk.cuda.stream(tk.cuda.Stream()):
        transfer(there)


# -- what makes a program wait ------------------------------------------------------------------------------


@pytest.fixture
def errors(emulation: Any) -> Iterator[None]:
    yield
    tk.cuda.set_sync_debug_mode(0)


@pytest.mark.usefixtures("errors")
def test_sync_debug_mode() -> None:
    t = tk.ones(3, device="cuda")
    assert tk.cuda.get_sync_debug_mode() == 0
    for mode, number in (("warn", 1), (1, 1), ("error", 2), (2, 2), ("default", 0), (0, 0)):
        tk.cuda.set_sync_debug_mode(mode)
        assert tk.cuda.get_sync_debug_mode() == number
    tk.cuda.set_sync_debug_mode("error")
    (t + t.t()).mul_(2)
    tk.cuda.synchronize()
    tk.cuda.Event().synchronize()
    for wait in (t.cpu, t.tolist, t[0].item, lambda: tk.ones(2).cuda(), tk.cuda.current_stream().synchronize):
        with pytest.raises(RuntimeError, match=r"^called a synchronizing CUDA operation$"):
            wait()
    tk.cuda.set_sync_debug_mode("warn")
    with pytest.warns(UserWarning, match=r"^called a synchronizing CUDA operation$"):
        t.tolist()


@pytest.mark.usefixtures("errors")
@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("loud", "invalid value of debug_mode, expected one of `default`, `warn`, `error`"),
        (3, "invalid value of debug_mode, expected one of 0,1,2"),
    ],
)
def test_no_other_mode(mode: Any, sentence: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        tk.cuda.set_sync_debug_mode(mode)
    assert str(caught.value) == sentence


# -- errors -----------------------------------------------------------------------------------------------


def break_it(tensor: tk.Tensor) -> None:
    def work() -> None:
        raise kernels.Fault("device-side assert triggered", "index out of bounds")

    kernels.enqueue(work, (tensor._store()._buffer,))


@pytest.mark.parametrize(
    "wait",
    [
        tk.cuda.synchronize,
        lambda: tk.cuda.current_stream().synchronize(),
        lambda: tk.ones(2).cuda(),
    ],
)
def test_an_error_is_told_when_the_program_waits(emulation: Any, wait: Any) -> None:
    t = tk.ones(2, device="cuda")
    break_it(t)
    t = t + t  # a launch is no place to hear of it
    with pytest.raises(tk.cuda.AcceleratorError, match=r"^CUDA error: device-side assert triggered"):
        wait()
    with pytest.raises(tk.cuda.AcceleratorError):  # from now on nothing works
        t + t
    with pytest.raises(tk.cuda.AcceleratorError):
        tk.cuda.synchronize()
    assert tk.ones(2, device="cuda:1").tolist() == [1, 1]
    with tk.cuda.emulate():
        assert tk.ones(2, device="cuda").tolist() == [1, 1]


def test_launch_blocking_is_read_from_the_environment() -> None:
    code = """
import tensorkit as tk
from tensorkit.kernels import cuda as kernels
t = tk.ones(2, device="cuda")
def work(): raise kernels.Fault("an illegal memory access was encountered")
try:
    kernels.enqueue(work, (t._store()._buffer,))
except tk.cuda.AcceleratorError as error:
    print(str(error).splitlines()[0])
"""
    import os

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TENSORKIT_CUDA": "emulated", "CUDA_LAUNCH_BLOCKING": "1"},
    )
    assert done.stdout.strip() == "CUDA error: an illegal memory access was encountered"


# -- tensors on several streams -----------------------------------------------------------------------------


def test_memory_that_another_stream_uses_is_reused_when_that_has_passed(emulation: Any) -> None:
    s = tk.cuda.Stream()
    t = tk.ones(128, device="cuda")
    address = t.data_ptr()
    t.record_stream(s)
    with emulation.hold(s):
        with tk.cuda.stream(s):
            tk.ones(1, device="cuda")  # something that the stream has still to do
        del t
        held = [tk.ones(128, device="cuda") for _ in range(4)]
        assert address not in [other.data_ptr() for other in held]
        assert tk.cuda.memory_stats()["active.all.current"] > tk.cuda.memory_stats()["allocation.all.current"]
    s.synchronize()
    assert tk.ones(128, device="cuda").data_ptr() == address


def test_record_stream_is_for_device_tensors(emulation: Any) -> None:
    with pytest.raises(NotImplementedError, match="aten::record_stream"):
        tk.ones(2).record_stream(tk.cuda.Stream())
