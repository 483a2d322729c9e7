"""Emulated streams: first in, first out; what waits for what; and who is told of an error, and when."""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

from tensorkit.errors import AcceleratorError
from tensorkit.kernels import cuda
from tensorkit.kernels.cuda import streams as module
from tensorkit.kernels.cuda.faults import Fault, sync_debug
from tensorkit.kernels.cuda.memory import EmulatedMemory
from tensorkit.kernels.cuda.streams import DeviceStreams, EmulatedStream, call, enqueue, wait_for
from tests.support.garbage import collect

Bytes = numpy.ndarray[Any, numpy.dtype[numpy.uint8]]


def row(*values: int) -> Bytes:
    return numpy.array(values, numpy.uint8)


@pytest.fixture
def device(memory: EmulatedMemory) -> Iterator[DeviceStreams]:
    yield memory.streams[0]
    for streams in memory.streams:
        for stream in streams.all():
            stream.wait()  # no work of one test runs during the next


@pytest.fixture(params=["at once", "on a worker"])
def small(request: pytest.FixtureRequest) -> bool:
    """Whether work is done on the calling thread where the stream is idle."""
    return bool(request.param == "at once")


def fill(buffer: Any, value: int) -> None:
    held = buffer._bytes
    enqueue(lambda: held.fill(value), (buffer,))


def test_work_is_done_in_the_order_it_was_given(device: DeviceStreams, small: bool) -> None:
    seen: list[int] = []
    for k in range(500):
        device.default.put(lambda k=k: seen.append(k), small=small and k % 3 > 0)  # type: ignore[misc]
    device.default.wait()
    assert seen == list(range(500))


def test_several_threads_give_work_and_each_finds_its_own_in_order(device: DeviceStreams) -> None:
    seen: list[tuple[int, int]] = []
    running = threading.Lock()

    def work(who: int, k: int) -> None:
        assert running.acquire(blocking=False)  # never two at a time
        seen.append((who, k))
        running.release()

    def give(who: int) -> None:
        for k in range(200):
            device.default.put(lambda: work(who, k), small=bool((who + k) % 2))  # noqa: B023
            device.default.wait()

    threads = [threading.Thread(target=give, args=(who,)) for who in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    device.synchronize()
    for who in range(3):
        assert [k for own, k in seen if own == who] == list(range(200))


def test_a_held_stream_works_only_when_it_is_let_go(device: DeviceStreams) -> None:
    seen: list[int] = []
    with device.default.held():
        device.default.put(lambda: seen.append(1))
        assert not device.default.passed(device.default.ticket())
        assert seen == []
    device.default.wait()
    assert seen == [1]
    assert device.default.passed(device.default.ticket())


def test_who_holds_a_stream_cannot_wait_for_it(device: DeviceStreams) -> None:
    with device.default.held():
        device.default.wait()  # nothing to wait for
        device.default.put(lambda: None)
        with pytest.raises(RuntimeError, match=r"^this thread holds the stream"):
            device.default.wait()


def test_another_thread_may_wait_for_a_held_stream(device: DeviceStreams) -> None:
    waited = threading.Thread(target=device.default.wait)
    with device.default.held():
        device.default.put(lambda: None)
        waited.start()
    waited.join()
    assert device.default.passed(device.default.ticket())


def test_two_streams_do_not_wait_for_each_other(device: DeviceStreams) -> None:
    other, seen = device.fresh(), []
    with device.default.held():
        device.default.put(lambda: seen.append("default"))
        other.put(lambda: seen.append("other"), small=False)
        other.wait()
        assert seen == ["other"]


def test_a_mark_lets_one_stream_follow_another(device: DeviceStreams) -> None:
    other, seen = device.fresh(), []
    with device.default.held():
        device.default.put(lambda: seen.append("first"))
        mark = device.default.mark()
        device.default.put(lambda: seen.append("later"))
        other.follow(mark)
        other.put(lambda: seen.append("second"))
        assert not mark.done()
        assert not other.passed(other.ticket())
    other.wait()
    device.default.wait()
    assert seen.index("first") < seen.index("second")
    assert mark.done()
    assert device.default.mark().since(mark) > 0


def test_new_streams_are_the_old_ones_again_after_32(device: DeviceStreams) -> None:
    fresh = [device.fresh() for _ in range(33)]
    assert len({id(stream) for stream in fresh}) == 32
    assert fresh[32] is fresh[0]
    assert device.fresh(-1) not in fresh
    assert device.fresh(-99).priority == -3
    assert device.fresh(5).priority == 0
    assert len({stream.handle for stream in device.all()}) == len(device.all())


def test_each_thread_has_its_own_current_stream(device: DeviceStreams) -> None:
    other, seen = device.fresh(), []
    device.choose(other)
    thread = threading.Thread(target=lambda: seen.append(device.current()))
    thread.start()
    thread.join()
    assert (seen[0], device.current()) == (device.default, other)


def test_a_worker_goes_when_there_has_been_nothing_to_do(
    device: DeviceStreams, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "IDLE_SECONDS", 0.001)
    device.default.put(lambda: None, small=False)
    worker = device.default._worker
    assert worker is not None
    worker.join()
    seen: list[int] = []
    device.default.put(lambda: seen.append(1), small=False)  # and another comes
    device.default.wait()
    assert seen == [1]


# -- device memory ----------------------------------------------------------------------------------------


def test_launches_copies_and_pinned_transfers_are_queued(
    memory: EmulatedMemory, device: DeviceStreams
) -> None:
    a, b = memory.allocate(3, 0), memory.allocate(3, 0)
    memory.from_host(a, 0, row(1, 1, 1))
    memory.from_host(b, 0, row(2, 2, 2))
    pinned = row(0, 0, 0)
    with device.default.held():
        fill(a, 5)
        memory.copy(b, 0, a, 0, 2)
        memory.to_pinned(b, 0, pinned)
        memory.from_host(a, 0, row(9), queued=True)
        with device.default.held():
            pass
        assert (a._bytes.tolist(), b._bytes.tolist(), pinned.tolist()) == ([1] * 3, [2] * 3, [0] * 3)
    device.default.wait()
    assert (a._bytes.tolist(), b._bytes.tolist(), pinned.tolist()) == ([9, 5, 5], [5, 5, 2], [5, 5, 2])


def test_another_stream_reads_what_is_not_there_yet(memory: EmulatedMemory, device: DeviceStreams) -> None:
    buffer = memory.allocate(2, 0)
    memory.from_host(buffer, 0, row(1, 1))
    other = device.fresh()
    with other.held():
        device.choose(other)
        fill(buffer, 7)
        device.choose(device.default)
        assert memory.to_host(buffer, 0, 2).tolist() == [1, 1]
    device.synchronize()
    assert memory.to_host(buffer, 0, 2).tolist() == [7, 7]


def test_a_copy_between_devices_keeps_the_order_of_both(memory: EmulatedMemory) -> None:
    here, there = memory.streams
    a, b = memory.allocate(2, 0), memory.allocate(2, 1)
    memory.from_host(b, 0, row(1, 1))
    with here.default.held():
        fill(a, 3)
        memory.copy(b, 0, a, 0, 2)
        fill(b, 4)  # on the other device, and only when the copy is done
        assert b._bytes.tolist() == [1, 1]
    with there.default.held():
        pass
    there.synchronize()
    assert memory.to_host(b, 0, 2).tolist() == [4, 4]
    with there.default.held():
        fill(b, 5)
        memory.copy(b, 0, a, 0, 2)  # waits for what the target's stream was given before
        assert b._bytes.tolist() == [4, 4]
    assert memory.to_host(b, 0, 2).tolist() == [3, 3]


def test_what_is_dropped_under_a_held_stream_corrupts_nothing(
    memory: EmulatedMemory, device: DeviceStreams
) -> None:
    """On the same stream its place may be taken at once: what comes next comes later. On another it may not."""
    other = device.fresh()
    kept = memory.allocate(512, 0)
    source = memory.allocate(512, 0)
    memory.from_host(source, 0, numpy.full(512, 3, numpy.uint8))
    device.choose(other)
    with other.held():
        memory.copy(kept, 0, source, 0, 512)
        address = source.address
        del source
        collect()
        device.choose(device.default)
        taken = [memory.allocate(512, 0) for _ in range(20)]
        for buffer in taken:
            fill(buffer, 9)
        assert address not in [buffer.address for buffer in taken]
    device.synchronize()
    assert memory.to_host(kept, 0, 512).tolist() == [3] * 512
    collect()
    assert address in [memory.allocate(512, 0).address for _ in range(1)]


def test_memory_is_reused_on_its_own_stream_at_once(memory: EmulatedMemory, device: DeviceStreams) -> None:
    out = memory.allocate(512, 0)
    with device.default.held():
        first = memory.allocate(512, 0)
        address = first.address
        fill(first, 1)
        memory.copy(out, 0, first, 0, 256)
        del first
        collect()
        second = memory.allocate(512, 0)
        assert second.address == address
        fill(second, 2)
        memory.copy(out, 256, second, 0, 256)
    assert memory.to_host(out, 0, 512).tolist() == [1] * 256 + [2] * 256


def test_memory_goes_back_only_when_what_is_queued_on_it_is_done(
    memory: EmulatedMemory, device: DeviceStreams
) -> None:
    buffer = memory.allocate(512, 0)
    address, segment = buffer.address, buffer._block.segment  # type: ignore[union-attr]
    alive = weakref.ref(segment.holder)
    with device.default.held():
        enqueue(lambda: ctypes.memset(address, 1, 512), (buffer,))
        del buffer
        collect()
        memory.devices[0].release()
        assert memory.devices[0].reserved == 0
        assert alive() is not None
    device.default.wait()
    assert alive() is None


# -- errors ---------------------------------------------------------------------------------------------


def bad() -> None:
    raise Fault("device-side assert triggered", "index 7 is out of bounds")


def test_an_error_is_told_at_the_next_call_that_waits_and_ever_after(
    memory: EmulatedMemory, device: DeviceStreams
) -> None:
    buffer, seen = memory.allocate(2, 0), []
    enqueue(bad, (buffer,))
    enqueue(lambda: seen.append(1), (buffer,))  # neither refused nor done
    for _ in range(2):
        with pytest.raises(AcceleratorError) as caught:
            memory.to_host(buffer, 0, 2)
    assert str(caught.value).startswith(
        "CUDA error: device-side assert triggered\nindex 7 is out of bounds\n"
    )
    assert "CUDA_LAUNCH_BLOCKING=1" in str(caught.value)
    assert seen == []
    for refused in (lambda: fill(buffer, 1), lambda: memory.allocate(2, 0), device.synchronize):
        with pytest.raises(AcceleratorError):
            refused()
    assert memory.allocate(2, 1).nbytes == 2  # the other device is well


def test_a_failed_device_leaves_nobody_waiting(memory: EmulatedMemory, device: DeviceStreams) -> None:
    other, elsewhere = device.fresh(), memory.streams[1].default
    with device.default.held():
        device.default.put(bad)
        mark = device.default.mark()
        other.follow(mark)
        elsewhere.follow(mark)
    device.default.wait()
    assert mark.done()
    elsewhere.synchronize()  # the other device is well
    other.wait()
    with pytest.raises(AcceleratorError):
        other.synchronize()


def test_any_other_error_is_an_unspecified_failure_that_names_it(
    memory: EmulatedMemory, device: DeviceStreams
) -> None:
    enqueue(lambda: 1 // 0, (memory.allocate(1, 0),))
    with pytest.raises(AcceleratorError, match=r"unspecified launch failure\nZeroDivisionError") as caught:
        device.synchronize()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_new_devices_are_well_again(memory: EmulatedMemory) -> None:
    enqueue(bad, (memory.allocate(1, 0),))
    with pytest.raises(AcceleratorError):
        memory.streams[0].synchronize()
    with cuda.emulate() as emulation:
        buffer = emulation.memory.allocate(1, 0)
        fill(buffer, 4)
        assert emulation.memory.to_host(buffer, 0, 1).tolist() == [4]


def test_launch_blocking_tells_of_it_at_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    with cuda.emulate() as emulation:
        buffer = emulation.memory.allocate(1, 0)
        fill(buffer, 4)
        assert buffer._bytes.tolist() == [4]
        with pytest.raises(AcceleratorError, match="device-side assert"):
            enqueue(bad, (buffer,))


# -- waiting ----------------------------------------------------------------------------------------------


def test_a_call_returns_and_raises_as_its_work_does(memory: EmulatedMemory, device: DeviceStreams) -> None:
    buffer = memory.allocate(2, 0)
    fill(buffer, 3)
    assert call(lambda: int(buffer._bytes.sum()), (buffer,)) == 6
    with pytest.raises(ZeroDivisionError):
        call(lambda: 1 // 0, (buffer,))
    device.check()  # the device has not failed


@pytest.fixture
def debugging() -> Iterator[Any]:
    yield sync_debug
    sync_debug.mode = 0


def test_what_makes_the_program_wait_is_counted_warned_of_or_refused(
    memory: EmulatedMemory, debugging: Any
) -> None:
    buffer = memory.allocate(2, 0)
    before = debugging.count
    fill(buffer, 1)
    memory.copy(buffer, 0, buffer, 1, 1)
    memory.from_host(buffer, 0, row(1), queued=True)
    memory.to_pinned(buffer, 0, row(1))
    wait_for(buffer)
    assert debugging.count == before
    waits = (
        lambda: memory.to_host(buffer, 0, 2),
        lambda: memory.from_host(buffer, 0, row(1)),
        lambda: call(lambda: 1, (buffer,)),
    )
    for wait in waits:
        debugging.mode = 1
        with pytest.warns(UserWarning, match=r"^called a synchronizing CUDA operation$"):
            wait()
        debugging.mode = 2
        with pytest.raises(RuntimeError, match=r"^called a synchronizing CUDA operation$"):
            wait()
    assert debugging.count == before + 2 * len(waits)


def test_a_stream_says_what_it_is(device: DeviceStreams) -> None:
    stream: EmulatedStream = device.fresh()
    assert repr(stream) == "<emulated stream 1 of cuda:0, 0 waiting>"


# -- late: work is done when somebody waits for it ------------------------------------------------------------


@pytest.fixture
def late(device: DeviceStreams) -> Iterator[DeviceStreams]:
    device.be_late(True)
    yield device
    device.be_late(False)


def test_a_late_device_works_when_it_is_waited_for(late: DeviceStreams, small: bool) -> None:
    seen: list[int] = []
    late.default.put(lambda: seen.append(1), small=small)
    assert not late.default.passed(late.default.ticket())
    late.default.wait()
    assert seen == [1]
    late.default.put(lambda: seen.append(2), small=small)
    assert not late.default.passed(late.default.ticket())  # the wait before was for the first alone
    assert seen == [1]


def test_a_late_device_goes_no_further_than_the_mark(late: DeviceStreams) -> None:
    seen: list[str] = []
    late.default.put(lambda: seen.append("before"))
    mark = late.default.mark()
    late.default.put(lambda: seen.append("after"))
    mark.wait()
    with late.default.held():  # its worker has nothing in hand any more
        assert seen == ["before"]
    late.default.wait()
    assert seen == ["before", "after"]


def test_what_a_late_stream_follows_is_done_first(late: DeviceStreams) -> None:
    first, second, third, seen = late.fresh(), late.fresh(), late.fresh(), []
    first.put(lambda: seen.append("first"))
    second.after(first)
    second.put(lambda: seen.append("second"))
    third.after(second)
    third.put(lambda: seen.append("third"))
    first.put(lambda: seen.append("nobody waits for this"))
    third.wait()
    assert seen == ["first", "second", "third"]


def test_a_device_that_is_late_no_more_does_what_is_left(device: DeviceStreams) -> None:
    done = threading.Event()
    device.be_late(True)
    device.default.put(done.set)
    device.be_late(False)
    assert done.wait(30)


def test_a_late_device_that_blocks_does_each_call_at_once(memory: EmulatedMemory) -> None:
    (streams, buffer) = memory.streams[0], memory.allocate(4, 0)
    streams.blocking = True
    streams.be_late(True)
    fill(buffer, 7)
    assert streams.default.passed(streams.default.ticket())
    streams.be_late(False)
    assert memory.to_host(buffer, 0, 4).tolist() == [7, 7, 7, 7]
