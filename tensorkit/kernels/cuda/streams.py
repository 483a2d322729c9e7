"""Emulated streams: queues of work that a device does one after the other, while the program goes on.

`enqueue` is the one way onto them: every kernel, every copy and every library call on an emulated device's
memory goes through it, and the call that asked for the work returns. A stream has a worker thread, started when
there is something to do and gone when there has been nothing for a second. Small work for a stream that is idle
runs on the calling thread at once: the result is the same, and a thread would cost ten times as much.

What a queue guarantees: first in, first out; nothing between two streams, unless one waits for an event of the
other; an error ends all work of the device and is raised at the next call that waits for it (see `faults`).
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy

from tensorkit.kernels.cuda.faults import held_up, refusal
from tensorkit.process import forks, interrupts

Work = Callable[[], object]
AT_ONCE = 2**20  # bytes: work on less is done sooner than another thread has been woken up (some 100 µs)
STREAMS_PER_POOL = 32  # of a device and priority; the next new stream is the first one again, as in PyTorch
LOWEST, GREATEST = 0, -3  # priorities
IDLE_SECONDS = 1.0
_FORKED = (
    "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' "
    "start method"
)
_HELD = (
    "this thread holds the stream that it is about to wait for, or one that this waits for: it would wait for ever\n"
    "leave the block in which the stream is held first"
)


class Mark:
    """A place in a queue, and when the device came to it.

    Attributes:
        stream: whose queue it is in.
        index: of the device.
        place: how many pieces of work its queue had been given with it.
        reached: set when it was.
        time: when, in milliseconds of this computer's clock.
    """

    __slots__ = ("index", "place", "reached", "stream", "time")

    def __init__(self, stream: EmulatedStream) -> None:
        self.stream = stream
        self.index = stream.device.index
        self.place = 0
        self.reached = threading.Event()
        self.time = 0.0

    def reach(self) -> None:
        """The device is here now."""
        self.time = 1000 * time.perf_counter()
        self.reached.set()

    def done(self) -> bool:
        """Whether the device has come here."""
        return self.reached.is_set()

    def wait(self) -> None:
        """Wait until it has.

        Raises:
            RuntimeError: when this very thread holds the stream, or one that it waits for.
        """
        if not self.done() and self.stream._is_stuck(threading.get_ident(), set()):
            raise RuntimeError(_HELD)
        self.stream._wait_until(self.place)

    def since(self, start: Mark) -> float:
        """Milliseconds from `start` to here."""
        return self.time - start.time


class EmulatedStream:
    """One queue of one emulated device.

    Attributes:
        device: the streams of the same device.
        number: 0 for the default stream.
        priority: kept and told; the emulation serves all streams alike.
    """

    __slots__ = (
        "__weakref__",
        "_busy",
        "_changed",
        "_done",
        "_followed",
        "_given",
        "_holders",
        "_queue",
        "_until",
        "_waiters",
        "_worker",
        "device",
        "number",
        "priority",
    )

    def __init__(self, device: DeviceStreams, number: int, priority: int) -> None:
        self.device = device
        self.number = number
        self.priority = priority
        self._changed = forks.condition()
        self._queue: deque[tuple[Work, Sequence[Any], bool]] = deque()
        self._given = self._done = 0
        self._waiters: list[tuple[int, threading.Lock]] = []  # up to which place, and what is released then
        self._busy = False
        self._followed: list[
            tuple[int, Mark]
        ] = []  # from which place on it waits for a mark of another stream
        self._holders: list[int] = []
        self._until = 0  # up to which place a caller has waited
        self._worker: threading.Thread | None = None

    def __repr__(self) -> str:
        waiting = self._given - self._done
        return f"<emulated stream {self.number} of cuda:{self.device.index}, {waiting} waiting>"

    @property
    def handle(self) -> int:
        """A number like the address of a CUDA stream: 0 for the default one."""
        return 0 if self.number == 0 else 0x5000_0000 + 0x1_0000 * self.device.index + 0x10 * self.number

    @property
    def is_held(self) -> bool:
        """Whether it is being held."""
        return bool(self._holders)

    def _rests(self) -> bool:
        """Whether it does not begin its next work: it is held, or late and no caller waits."""
        return bool(self._holders) or (self.device.late and self._done >= self._until)

    # -- giving work ------------------------------------------------------------------------------------

    def put(self, work: Work, kept: Sequence[Any] = (), *, small: bool = True, always: bool = False) -> int:
        """Queue work, or do it now if it is small and the stream idle; its place in the queue.

        Args:
            work: what to do; its error becomes the device's.
            kept: what must not be freed before it is done.
            always: whether to do it on a device that has failed, too: others wait for it.
        """
        with self._changed:
            self._given = place = self._given + 1
            at_once = small and not self._queue and not self._busy and not self._rests()
            if at_once:
                self._busy = True
            else:
                self._queue.append((work, kept, always))
                if self._worker is None:
                    self._start()
                self._changed.notify_all()
        if at_once:
            try:
                self.device.do(work, always)
            finally:
                self._finish()
        return place

    def _start(self) -> None:
        name = f"tensorkit cuda:{self.device.index} stream {self.number}"
        self._worker = threading.Thread(target=self._serve, name=name, daemon=True)
        self._worker.start()

    def _finish(self) -> None:
        with self._changed:
            self._busy = False
            self._done += 1
            if self._queue:
                self._changed.notify_all()
            if self._waiters:
                self._release()

    def _serve(self) -> None:
        """What the worker thread does."""
        with numpy.errstate(all="ignore"):
            while True:
                with self._changed:
                    while self._busy or not self._queue or self._rests():
                        if not self._changed.wait(IDLE_SECONDS) and not self._queue:
                            self._worker = None
                            return
                    work, kept, always = self._queue.popleft()
                    self._busy = True
                self.device.do(work, always)
                del work, kept
                self._finish()

    # -- waiting for it ---------------------------------------------------------------------------------

    def ticket(self) -> int:
        """What to ask `passed` about: all that was queued until now."""
        return self._given

    def passed(self, ticket: int) -> bool:
        """Whether all that had been queued when the ticket was drawn is done."""
        return self._done >= ticket

    def wait(self) -> None:
        """Wait until all that was queued until now is done.

        Raises:
            RuntimeError: when this very thread holds the stream, or one that it waits for.
        """
        if self._done == self._given:
            return
        with self._changed:
            target = self._given
            if self._done < target and self._is_stuck(threading.get_ident(), set()):
                raise RuntimeError(_HELD)
        self._wait_until(target)

    def _wait_until(self, place: int) -> None:
        """Wait until all that was queued up to `place` is done."""
        self._want(place)
        # A lock of its own, and not the condition's: an interrupt may come at any time, and a condition that was left
        # in the middle of its work would never be free again.
        done = forks.lock()
        done.acquire()
        with self._changed:
            if self._done >= place:
                return
            self._waiters.append((place, done))
        interrupts.wait_for(done.acquire)

    def _release(self) -> None:
        for waiter in [waiter for waiter in self._waiters if waiter[0] <= self._done]:
            self._waiters.remove(waiter)
            waiter[1].release()

    def _is_stuck(self, thread: int, seen: set[EmulatedStream]) -> bool:
        """Whether a thread holds this stream, or one that it waits for."""
        if thread in self._holders:
            return True
        seen.add(self)
        return any(
            not mark.done() and mark.stream not in seen and mark.stream._is_stuck(thread, seen)
            for _, mark in tuple(self._followed)
        )

    def _want(self, place: int) -> None:
        """A caller waits for the work queued so far: a late device does that much, and what it needs for it."""
        if self.device.forked:
            self.device.check()
        with self._changed:
            if place <= self._until:
                return
            self._until = place
            self._changed.notify_all()
            needed = [mark for at, mark in self._followed if at <= place and not mark.done()]
        for mark in needed:
            mark.stream._want(mark.place)

    def synchronize(self) -> None:
        """`wait`, and tell of what went wrong.

        Raises:
            AcceleratorError: when work of this device has failed.
        """
        self.wait()
        self.device.check()

    def forget(self) -> None:
        """In the child of a fork: what was queued is for a thread that stayed behind."""
        self._queue.clear()
        self._waiters.clear()
        self._done, self._busy = self._given, False
        self._followed, self._worker = [], None
        self._holders = [thread for thread in self._holders if thread == threading.get_ident()]

    # -- between streams --------------------------------------------------------------------------------

    def mark(self, *, timing: bool = False, blocking: bool = False, again: Any = None) -> Mark:
        """A mark in the queue: it is reached when all that was queued before it is done.

        Args:
            timing, blocking, again: what a GPU wants to know of an event; here every mark has a time.
        """
        mark = Mark(self)
        mark.place = self.put(mark.reach, always=True)
        return mark

    def follow(self, mark: Mark) -> None:
        """Do what is queued from now on after another stream (or this one) has reached a mark."""
        self._followed = [(at, earlier) for at, earlier in self._followed if not earlier.done()]
        if not mark.done():
            self._followed.append((self._given + 1, mark))
            self.put(mark.reached.wait, small=False, always=True)

    def after(self, other: EmulatedStream) -> None:
        """Do what is queued from now on after all that `other` was given until now."""
        if other is not self and not other.passed(other.ticket()):
            self.follow(other.mark())

    @contextmanager
    def held(self) -> Iterator[None]:
        """Take no work from the queue while the block runs: what a stream looks like whose GPU is busy."""
        here = threading.get_ident()
        with self._changed:
            self._holders.append(here)
        try:
            yield
        finally:
            with self._changed:
                self._holders.remove(here)
                self._changed.notify_all()


_devices: weakref.WeakSet[DeviceStreams] = weakref.WeakSet()


class _Current(threading.local):
    stream: EmulatedStream | None = None


class DeviceStreams:
    """All streams of one emulated device, which is current, and whether its work has failed.

    Args:
        index: the device's number.

    Attributes:
        default: the stream that work goes to where no other is chosen.
        blocking: whether every call waits for its work (``CUDA_LAUNCH_BLOCKING=1`` when the device came to be).
        late: whether work is done only when a caller waits for it (see `be_late`).
        told: whether the program has heard that the device failed; it refuses everything from then on, until
            ``emulate()`` gives new devices.
        forked: whether this is the child of a fork, where the device is of no use, as in PyTorch.

    >>> device = DeviceStreams(0)
    >>> stream, done = device.fresh(), []
    >>> with stream.held():
    ...     place = stream.put(lambda: done.append(1))
    ...     before = list(done)
    >>> stream.synchronize()
    >>> before, done
    ([], [1])
    """

    def __init__(self, index: int) -> None:
        self.index = index
        self.late = False
        self.default = EmulatedStream(self, 0, 0)
        self.blocking = os.environ.get("CUDA_LAUNCH_BLOCKING", "0") not in ("", "0")
        self._pools: dict[int, list[EmulatedStream]] = {}
        self._turns: dict[int, int] = {}
        self._pooling = forks.lock()
        self._current = _Current()
        self._fault: BaseException | None = None
        self.told = self.forked = False
        _devices.add(self)

    def current(self) -> EmulatedStream:
        """This thread's current stream of the device."""
        return self._current.stream or self.default

    def choose(self, stream: EmulatedStream) -> None:
        """Make a stream this thread's current one."""
        self._current.stream = stream

    def fresh(self, priority: int = 0) -> EmulatedStream:
        """A stream of this priority: a new one until there are 32, then those again in turn."""
        priority = min(max(priority, GREATEST), LOWEST)
        with self._pooling:
            pool = self._pools.setdefault(priority, [])
            turn = self._turns.get(priority, 0)
            self._turns[priority] = (turn + 1) % STREAMS_PER_POOL
            if turn == len(pool):
                number = 1 + STREAMS_PER_POOL * -priority + turn
                pool.append(EmulatedStream(self, number, priority))
            return pool[turn]

    def all(self) -> list[EmulatedStream]:
        """Every stream there is so far."""
        with self._pooling:
            return [self.default, *(stream for pool in self._pools.values() for stream in pool)]

    def foreign(self, handle: int) -> EmulatedStream:
        """The stream with this number for an address.

        Raises:
            RuntimeError: when there is none: emulated streams come from here alone.
        """
        for stream in self.all():
            if stream.handle == handle:
                return stream
        raise RuntimeError(
            f"CUDA error: invalid resource handle\nno emulated stream has the address {handle:#x}"
        )

    def synchronize(self) -> None:
        """Wait until all streams have done what they were given.

        Raises:
            AcceleratorError: when some of it failed.
        """
        for stream in self.all():
            stream.wait()
        self.check()

    def be_late(self, late: bool) -> None:
        """Do work only when a caller waits for it, and only that much; or whenever there is some, as usual."""
        self.late = late
        for stream in self.all():
            with stream._changed:
                stream._changed.notify_all()

    def do(self, work: Work, always: bool) -> None:
        """Do a piece of work unless the device has failed; should this fail, so has the device."""
        if self._fault is not None and not always:
            return
        try:
            work()
        except Exception as problem:
            self._fault = self._fault or problem

    @property
    def failed(self) -> bool:
        """Whether some of its work has gone wrong, told or not."""
        return self._fault is not None

    def check(self) -> None:
        """Tell of a failure.

        Raises:
            AcceleratorError: when work of this device has failed.
            RuntimeError: in the child of a fork.
        """
        if self.forked:
            raise RuntimeError(_FORKED)
        if self._fault is not None:
            self.told = True
            raise refusal(self._fault)


@forks.after_fork
def _leave_behind() -> None:
    """The threads that play the devices are the parent's."""
    for device in tuple(_devices):
        device.told = device.forked = True
        for stream in device.all():
            stream.forget()


# -- the seam -------------------------------------------------------------------------------------------


def enqueue(work: Work, buffers: Sequence[Any], stream: Any = None) -> None:
    """Give work on device memory to a stream, and return: every kernel, copy and library call takes this way.

    On an emulated device `work` runs later, on the stream's worker thread, or now if it is small and the stream
    idle; always after what the stream was given before. It must touch the host's memory only where that is
    pinned, and may not call this function. Numba compiles before, not in it. On a GPU `work` runs now: it is host
    code that hands commands to the current stream.

    Args:
        work: a function without arguments. Its error is not raised here but where the device is next waited for
            (raise `Fault` for one that has a name in CUDA); here with ``CUDA_LAUNCH_BLOCKING=1``.
        buffers: all device buffers it reads or writes, the one that says where it runs first. They are kept
            until it is done.
        stream: by default the current one of the first buffer's device.

    Raises:
        AcceleratorError: when the device has failed before and the program knows.

    >>> import numpy
    >>> from tensorkit.kernels.cuda.memory import EmulatedMemory
    >>> memory = EmulatedMemory(devices=1, capacity=2**20)
    >>> buffer = memory.allocate(4, 0)
    >>> enqueue(lambda: buffer._bytes.fill(7), (buffer,))
    >>> memory.to_host(buffer, 0, 4).tolist()
    [7, 7, 7, 7]
    """
    streams = buffers[0].streams
    if streams is None:  # a GPU has queues of its own
        work()
        return
    queue: EmulatedStream = stream or streams.current()
    if streams.told:
        streams.check()
    touched = 0
    for buffer in buffers:
        touched += buffer.nbytes
    # Memory that belongs to this stream may be reused at once: what comes next on it comes later. For the others
    # the queue holds on to it.
    kept = [buffer for buffer in buffers if buffer.stream is not queue]
    queue.put(work, kept, small=touched <= AT_ONCE)
    if streams.blocking:
        queue.synchronize()


def call(work: Callable[[], Any], buffers: Sequence[Any], stream: Any = None) -> Any:
    """`enqueue`, wait, and return what `work` returned or raise what it raised: for results the host needs.

    It counts as a call that makes the program wait (``set_sync_debug_mode``).
    """
    held_up()
    outcome: list[Any] = []

    def kept() -> None:
        try:
            outcome.append((work(), None))
        except Exception as error:
            outcome.append((None, error))

    enqueue(kept, buffers, stream)
    wait_for(buffers[0], stream)
    value, error = outcome[0]
    if error is not None:
        raise error
    return value


def wait_for(buffer: Any, stream: Any = None) -> None:
    """Wait for the current stream of a buffer's device, as every reader of the buffer's bytes must.

    Raises:
        AcceleratorError: when work of this device has failed.
    """
    streams = buffer.streams
    if streams is not None:
        (stream or streams.current()).synchronize()
