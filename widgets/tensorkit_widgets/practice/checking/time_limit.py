"""A learner's code within a time: what runs for ever is stopped, and the session goes on.

A watching thread asks the running one to stop, and asks again until it does, so that a `try: … except: …` in a loop
does not swallow it for good. In the main thread of Linux and macOS it asks by a signal, which also ends a call that
waits (`time.sleep`, reading a socket); code that catches the signal's exception is interrupted again at the next line,
in its `except`. Elsewhere it asks by an exception that Python raises between two instructions, one at a time and then
more often. A call into C that never comes back to Python cannot be stopped by either; one that comes back late is told
so when it does.

The signal is SIGURG: nothing happens by default when it arrives, so one that comes a moment too late harms nobody. A
program that uses SIGURG itself keeps it, and is asked the other way.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

from tensorkit.process import forks

LONGEST_S = 10.0
"""Seconds that a check may take; what the lessons ask for takes a few milliseconds."""

_BUSY = 3
"""How many times that long a call may take which has had less than half of the processor's time, or only waits."""

_AGAIN_S = 0.25  # between two requests: long enough to unwind after the first
_OFTEN_S = 0.005
_PATIENT = 4  # requests before they come more often, where there are no signals

T = TypeVar("T")


class Stopped(BaseException):
    """Raised in code that has run for too long. It is no `Exception`, so that `except Exception` lets it through."""

    where = ""


class TookTooLong(Exception):
    """What was called has run for too long, and was stopped; `where` says in which case, if that is known."""

    def __init__(self, where: str = "") -> None:
        super().__init__("it ran for too long")
        self.where = where


_inside = threading.local()


def limited(function: Callable[[], T], seconds: float | None = None) -> T:
    """What `function` gives; `TookTooLong` when that takes more than so many seconds (`LONGEST_S`, if not said).

    Where other programs have most of the processor's time, it may take up to three times as long.

    Within another call of `limited` in the same thread, that one's time counts.

    >>> limited(lambda: 3)
    3
    >>> limited(lambda: [None for _ in iter(int, 1)], seconds=0.05)
    Traceback (most recent call last):
    tensorkit_widgets.practice.checking.time_limit.TookTooLong: it ran for too long
    """
    if (
        getattr(_inside, "watched", False) or sys.platform == "emscripten"
    ):  # a browser gives Python one thread
        return function()
    watch = _Watch(LONGEST_S if seconds is None else seconds)
    _inside.watched = True
    try:
        try:
            watch.begin()
            return function()
        finally:
            watch.end()
    except Stopped as stopped:
        _settle(watch)
        raise TookTooLong(stopped.where) from None
    finally:
        _inside.watched = False


def _settle(watch: _Watch) -> None:
    """End the watch, even when one more request arrives meanwhile."""
    while True:
        try:
            watch.end()
            return
        except Stopped:
            continue


class _Watch:
    """Looks after one call in one thread."""

    def __init__(self, seconds: float) -> None:
        self._thread = threading.get_ident()
        self._seconds = seconds
        self._turn = forks.lock()
        self._done = threading.Event()
        self._watcher = threading.Thread(target=self._look, daemon=True, name="tensorkit time limit")
        self._signals = False
        self._asked = 0

    def begin(self) -> None:
        self._signals = _free_signal()
        if self._signals:
            self._trace = sys.gettrace()
            self._before = signal.signal(signal.SIGURG, self._on_signal)
        self._watcher.start()

    def end(self) -> None:
        """From now on nothing is asked; what was asked and has not arrived arrives here."""
        with self._turn:
            self._done.set()
        if self._signals:
            if self._asked > 1:
                sys.settrace(self._trace)
            signal.signal(signal.SIGURG, self._before)
        elif self._asked:
            with contextlib.suppress(Stopped):
                for _ in range(3):  # Python looks for what was asked at the end of each round
                    pass

    def _look(self) -> None:
        if self._in_time():
            return
        while True:
            with self._turn:
                if self._done.is_set():
                    return
                self._asked += 1
                if self._signals:
                    signal.pthread_kill(self._thread, signal.SIGURG)
                else:
                    _raise_stopped_in(self._thread)
            often = not self._signals and self._asked > _PATIENT
            self._done.wait(_OFTEN_S if often else _AGAIN_S)

    def _in_time(self) -> bool:
        """Whether the call has come back in its time: on a busy machine that is the processor's, not the clock's."""
        began = time.process_time()
        if self._done.wait(self._seconds):
            return True
        until = time.monotonic() + (_BUSY - 1) * self._seconds
        while time.process_time() - began < self._seconds / 2 and time.monotonic() < until:
            if self._done.wait(self._seconds / 20):
                return True
        return False

    def _on_signal(self, _number: int, frame: FrameType | None) -> None:
        if self._done.is_set():
            return
        if self._asked > 1:  # the first was caught: stop at the next line as well, which is in the `except`
            while frame is not None and frame.f_code is not limited.__code__:
                frame.f_trace = _stop_at_a_line
                frame = frame.f_back
            sys.settrace(_stop_at_a_line)
        raise Stopped


def _stop_at_a_line(_frame: FrameType, event: str, _argument: Any) -> Any:
    """Python calls this for every line, and no more after it has raised."""
    if event in ("line", "call"):
        raise Stopped
    return _stop_at_a_line


def _free_signal() -> bool:
    """May this thread be asked by a signal? Python hands signals to the main thread alone."""
    return (
        hasattr(signal, "pthread_kill")
        and hasattr(signal, "SIGURG")
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGURG) in (signal.SIG_DFL, signal.SIG_IGN)
    )


def _raise_stopped_in(thread: int) -> None:
    """Have Python raise `Stopped` in a thread, between two of its instructions."""
    # Never with NULL, to take one back: CPython 3.11 then looks for exceptions between all instructions for good.
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Stopped))
