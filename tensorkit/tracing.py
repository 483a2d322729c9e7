"""Frozen events: an operation was called, a kernel launched, bytes moved, work queued. Free without listeners.

The engine asks one module-level flag, `active`, before it builds an event; the widgets listen.

>>> with tk.tracing.record() as events:
...     t = tk.arange(6).view(2, 3).t()
>>> [event.name for event in events if isinstance(event, tk.tracing.OpEvent)]
['arange', 'view', 't']
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from tensorkit.process import forks

__all__ = [
    "CallEvent",
    "CopyEvent",
    "Event",
    "FailEvent",
    "LaunchEvent",
    "LibraryEvent",
    "OpEvent",
    "QueueEvent",
    "copied",
    "emit",
    "hold",
    "listen",
    "numbered",
    "paused",
    "record",
    "silence",
]


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True, slots=True)
class OpEvent:
    """One call of a public operation, after it returned.

    Attributes:
        name: PyTorch's name of the operation.
        args, kwargs: what it was called with (live tensors among them).
        output: what it returned.
        depth: 0 for the call that the user made, more for those made on its behalf.
    """

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    output: Any
    depth: int = 0


@dataclass(frozen=True, slots=True)
class CallEvent:
    """A public operation is about to run; told only to those who asked for calls (see `listen`)."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    depth: int = 0


@dataclass(frozen=True, slots=True)
class FailEvent:
    """A public operation raised instead of returning; told only to those who asked for calls."""

    name: str
    error: BaseException
    depth: int = 0


@dataclass(frozen=True, slots=True)
class LaunchEvent:
    """A kernel ran on a device: its name, grid, block, and who ran it ("gpu" or "emulated")."""

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    device: str
    runner: str


@dataclass(frozen=True, slots=True)
class LibraryEvent:
    """A library did an operation on a device's own bytes: which one, for which operation, and who ran it."""

    name: str
    library: str
    device: str
    runner: str


@dataclass(frozen=True, slots=True)
class CopyEvent:
    """Bytes were moved by the engine's copier, from one device's memory to another's (or its own)."""

    nbytes: int
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class QueueEvent:
    """The program gave a stream of a device something to do, or waited for one; told when the call has returned.

    A call that raised is not reported, except one that waited and got the device's error (``error``). Some work has an
    event of what it was beside this one of where and when: a kernel a `LaunchEvent`, a library call a `LibraryEvent`, a
    copy a `CopyEvent`.

    Attributes:
        kind: ``kernel``, ``library``, ``copy``, ``record`` and ``wait`` (of an event, on a stream), ``synchronize``,
            ``error``; and ``read``, when the elements of pinned memory were printed.
        name: of the kernel, of the operation that a library did, or of the call that recorded or waited.
        device: where, as ``cuda:0``; of a copy, whose stream did it.
        stream: its number there; None where the program waited for all streams of the device.
        number: counts these events, in the order of the program.
        asked, returned: when the call began and ended, in nanoseconds of this computer's `time.perf_counter_ns`.
        nbytes: that a kernel or library was handed to read and write, or that a copy moved.
        flops: additions and multiplications of a product; 0 where they are not counted.
        source, target: of a copy, from which device's memory to which.
        pinned: whether the host's side of a copy is pinned memory.
        waits: whether the call came back only when the work was done.
        mark: the `number` of the record that a wait, or the synchronisation of an event, waited for; 0 where
            that was recorded without listeners.
        peer: of a copy between two devices, the number of the other device's stream, which comes before and after it.
        failed: whether an emulated device had failed by the time that the call returned: the work is never done.
        begun, ended: marks of a GPU's clock around the work; None on an emulated device, which has none.
        host: of a copy that was queued into pinned memory, and of a read: the first address there, and that behind it.
        done: of such a copy, a function that tells whether it has come.
    """

    kind: str
    name: str
    device: str
    stream: int | None
    number: int
    asked: int
    returned: int
    nbytes: int = 0
    flops: int = 0
    source: str = ""
    target: str = ""
    pinned: bool = False
    waits: bool = False
    mark: int = 0
    peer: int | None = None
    failed: bool = False
    begun: Any = None
    ended: Any = None
    host: tuple[int, int] = (0, 0)
    done: Callable[[], bool] | None = None


Event = CallEvent | FailEvent | OpEvent | LaunchEvent | LibraryEvent | CopyEvent | QueueEvent
Listener = Callable[[Event], None]

active: bool = False  # whether operations must take the long way: for a listener, or by request (`hold`)
calls: bool = False  # whether some listener wants to hear of a call before it runs, and of its failure
_held = 0
_Listening = tuple[int | None, Listener, bool]
_listeners: list[_Listening] = []
_pauses: list[list[_Listening]] = []  # of each `paused`, the listeners that do not count
_lock = forks.lock()


_numbers = count(1)


def numbered() -> int:
    """The number of the next `QueueEvent`."""
    return next(_numbers)


class _Silence(threading.local):
    depth = 0


_silence = _Silence()


def emit(event: Event) -> None:
    """Hand an event to every listener of this thread. A listener that raises is the caller's to see."""
    if _silence.depth:
        return
    here, early = threading.get_ident(), isinstance(event, (CallEvent, FailEvent))
    for thread, listener, wants_calls in tuple(_listeners):
        if (thread is None or thread == here) and (wants_calls or not early):
            listener(event)


def copied(nbytes: int, device: str = "cpu") -> None:
    """Tell the listeners that elements were copied within one device's memory; asked for where `active`."""
    emit(CopyEvent(nbytes, device, device))


@contextmanager
def silence() -> Iterator[None]:
    """Hide what this thread does in the block from listeners: reading a tensor for a picture is not an operation.

    >>> with tk.tracing.record() as events, tk.tracing.silence():
    ...     _ = tk.ones(2).tolist()
    >>> events
    []
    """
    _silence.depth += 1
    try:
        yield
    finally:
        _silence.depth -= 1


@contextmanager
def listen(listener: Listener, *, all_threads: bool = False, calls: bool = False) -> Iterator[None]:
    """Call `listener` with every event of this thread (or of all) while the block runs.

    Args:
        calls: also tell it before an operation runs (`CallEvent`) and when one raises (`FailEvent`).
    """
    entry = (None if all_threads else threading.get_ident(), listener, calls)
    with _lock:
        _listeners.append(entry)
        _note()
    try:
        yield
    finally:
        with _lock:
            _listeners.remove(entry)
            _note()


@forks.after_fork
def _forget_other_threads() -> None:
    """The child of a fork has but one thread: what listened to another one hears nothing any more."""
    _listeners[:] = [entry for entry in _listeners if entry[0] in (None, threading.get_ident())]
    _note()


def _note() -> None:
    global active, calls  # plain names: every operation reads them
    silent = [entry for pause in _pauses for entry in pause]
    counting = [entry for entry in _listeners if entry not in silent]
    active = bool(counting) or _held > 0
    calls = any(entry[2] for entry in counting)


@contextmanager
def paused() -> Iterator[None]:
    """Let operations take the fast path while the block runs, without telling listeners: to measure times.

    >>> with tk.tracing.record() as events, tk.tracing.paused():
    ...     _ = tk.ones(2) + 1
    >>> events
    []
    """
    with _lock:
        pause = list(_listeners)
        _pauses.append(pause)
        _note()
    try:
        yield
    finally:
        with _lock:
            _pauses.remove(pause)
            _note()


def hold(count: int) -> None:
    """Let operations take the long way without listening to them: 1 more who asks for it, or (-1) one less."""
    global _held  # counted under the lock of the listeners
    with _lock:
        _held += count
        _note()


@contextmanager
def record() -> Iterator[list[Event]]:
    """Collect this thread's events in a list.

    >>> with tk.tracing.record() as events:
    ...     _ = tk.ones(2) + 1
    >>> events[-1].name
    'add'
    """
    events: list[Event] = []
    with listen(events.append):
        yield events
