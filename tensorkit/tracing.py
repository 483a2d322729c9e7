"""Frozen events: an operation was called, a kernel launched, bytes moved. Free when nobody listens.

The engine asks one module-level flag, `active`, before it builds an event; the widgets listen.

>>> import tensorkit as tk
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
from typing import Any

__all__ = ["CopyEvent", "Event", "LaunchEvent", "OpEvent", "emit", "hold", "listen", "record"]


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
class LaunchEvent:
    """A kernel ran on a device: its name, grid, block, and who ran it ("gpu" or "emulated")."""

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    device: str
    runner: str


@dataclass(frozen=True, slots=True)
class CopyEvent:
    """Bytes were moved by the engine's copier, from one device's memory to another's (or its own)."""

    nbytes: int
    source: str
    target: str


Event = OpEvent | LaunchEvent | CopyEvent
Listener = Callable[[Event], None]

active: bool = False  # whether operations must take the long way: somebody listens, or asked for it (`hold`)
_held = 0
_listeners: list[tuple[int | None, Listener]] = []
_lock = threading.Lock()


def emit(event: Event) -> None:
    """Hand an event to every listener of this thread. A listener that raises is the caller's to see."""
    here = threading.get_ident()
    for thread, listener in tuple(_listeners):
        if thread is None or thread == here:
            listener(event)


@contextmanager
def listen(listener: Listener, *, all_threads: bool = False) -> Iterator[None]:
    """Call `listener` with every event of this thread (or of all) while the block runs."""
    global active
    entry = (None if all_threads else threading.get_ident(), listener)
    with _lock:
        _listeners.append(entry)
        active = True
    try:
        yield
    finally:
        with _lock:
            _listeners.remove(entry)
            active = bool(_listeners) or _held > 0


def hold(count: int) -> None:
    """Let operations take the long way without listening to them: 1 more who asks for it, or (-1) one less."""
    global active, _held
    with _lock:
        _held += count
        active = bool(_listeners) or _held > 0


@contextmanager
def record() -> Iterator[list[Event]]:
    """Collect this thread's events in a list.

    >>> import tensorkit as tk
    >>> with tk.tracing.record() as events:
    ...     _ = tk.ones(2) + 1
    >>> events[-1].name
    'add'
    """
    events: list[Event] = []
    with listen(events.append):
        yield events
