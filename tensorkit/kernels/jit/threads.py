"""Work cut into pieces that run on several threads: NumPy's loops and compiled kernels let go of Python's lock.

`spread` hands the pieces of a range to the calling thread and to a few helpers, the one that is free first. Nothing is
started before there is work for it; in the child of a fork the helpers are started again.

How many threads there may be is asked and said as in PyTorch, where every thread has its own number: it takes the
number that was said last, by whatever thread, when it first needs one.

Source: https://docs.pytorch.org/docs/stable/notes/cpu_threading_torchscript_inference.html and PyTorch's answers.
"""

from __future__ import annotations

import _thread
import contextvars
import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from typing import Any

import numpy

from tensorkit.kernels.jit.spin_wait import Signal
from tensorkit.kernels.sizes import FORCED
from tensorkit.process.forks import after_fork

#: A piece of at most this many elements is not worth waking a thread for: PyTorch's number.
GRAIN = 32768
#: More pieces than threads, where each is worth it: who is held up by another program takes fewer of them.
_SHARES = 4
#: How many grains make a piece worth its turn at Python's lock, where threads have several; and a thread worth waking.
_WORTH_A_TURN, _WAKING = 12, 3
#: So long, in seconds, a helper stays awake after a piece of work: the next operation of a program often follows.
_AWAKE = 250e-6
#: So long the caller stays awake for the last piece: of two threads that were put on one processor, one must sleep.
_PATIENT = 100e-6
#: So long a thread that has sent a signal is still busy in Python, until it lets go of its lock.
_BEGINNING, _ENDING = 15e-6, 4e-6


Body = Callable[[int, int], Any]


#: Whether `silent` has switched NumPy's warnings off here.
is_silent = contextvars.ContextVar("is_silent", default=False)


def silent() -> contextvars.Context:
    """A context in which NumPy does not warn of overflow, division by zero and the like."""
    context = contextvars.copy_context()
    context.run(numpy.seterr, all="ignore")
    context.run(is_silent.set, True)
    return context


# -- how many -----------------------------------------------------------------------------------------------------


def _cores() -> int:
    """What PyTorch starts with: the variable of OpenMP, but no more than the number of processors."""
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if asked.isdecimal() and int(asked) > 0:
        return min(int(asked), _processors())
    return _processors()


def _processors() -> int:
    """The processors that this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Own(threading.local):
    """What each thread knows: its number of threads, and whether it is at work on a piece already.

    Attributes of the class are what all threads know: the number that was `said` last (0 before that), and
    how many whole operations may run side by side (`between`).
    """

    said = 0
    between: int | None = None
    asked = False
    count = 0
    busy = False

    def __init__(self) -> None:
        self.done = Signal()


_own = _Own()


def _count() -> int:
    """How many threads this thread may use."""
    if not _own.asked:
        _own.asked = True
        _own.count = _Own.said or _own.count or _cores()
    return _own.count


def get_num_threads(*args: Any, **kwargs: Any) -> int:
    """How many threads an operation on a large tensor may use.

    >>> tk.get_num_threads() >= 1
    True

    Source: https://docs.pytorch.org/docs/stable/generated/torch.get_num_threads.html
    """
    _takes("get_num_threads", 0, args, kwargs)
    return _count()


def set_num_threads(*args: Any, **kwargs: Any) -> None:
    """Say how many threads an operation on a large tensor may use: ``set_num_threads(int)``.

    Raises:
        RuntimeError: for anything but a positive integer.

    >>> before = tk.get_num_threads()
    >>> tk.set_num_threads(1)
    >>> tk.get_num_threads()
    1
    >>> tk.set_num_threads(before)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_num_threads.html
    """
    _takes("set_num_threads", 1, args, kwargs)
    _own.count = _Own.said = _positive("set_num_threads", args[0])
    _tell_blas(_Own.said)


#: What the libraries that multiply matrices call it, as NumPy's and SciPy's wheels and Linux systems bring them.
_BLAS = (
    "scipy_openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
)


def tell_libraries() -> None:
    """Tell the number that was said last to a library that was loaded since."""
    if _Own.said:
        _tell_blas(_Own.said)


def _tell_blas(count: int) -> None:
    """Set the number of threads for matrix products, where the BLAS library has such a setting."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            paths = {line.split()[-1] for line in maps if "openblas" in line}
    except OSError:
        return  # only Linux lists what is loaded
    for path in paths:
        library = ctypes.CDLL(path)
        for name in _BLAS:
            if hasattr(library, name):
                getattr(library, name)(ctypes.c_int(count))


def get_num_interop_threads(*args: Any, **kwargs: Any) -> int:
    """How many threads may run whole operations side by side; nothing here does, and PyTorch only in scripts.

    >>> tk.get_num_interop_threads() >= 1
    True

    Source: https://docs.pytorch.org/docs/stable/generated/torch.get_num_interop_threads.html
    """
    _takes("get_num_interop_threads", 0, args, kwargs)
    return _processors() if _Own.between is None else _Own.between


def set_num_interop_threads(*args: Any, **kwargs: Any) -> None:
    """Say how many threads may run whole operations side by side, once: ``set_num_interop_threads(int)``.

    Raises:
        RuntimeError: for anything but a positive integer, and at the second call.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_num_interop_threads.html
    """
    _takes("set_num_interop_threads", 1, args, kwargs)
    count = _positive("set_num_interop_threads", args[0])
    if _Own.between is not None:
        raise RuntimeError(
            "Error: cannot set number of interop threads after parallel work has started or set_num_interop_threads "
            "called"
        )
    _Own.between = count


def _takes(name: str, count: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse a wrong call in PyTorch's words: these functions have no named parameters."""
    if kwargs:
        raise TypeError(f"tensorkit.{name}() takes no keyword arguments")
    if len(args) != count:
        number = "exactly one argument" if count else "no arguments"
        raise TypeError(f"tensorkit.{name}() takes {number} ({len(args)} given)")


def _positive(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, numpy.integer)):
        kind = type(value)
        label = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
        raise RuntimeError(f"{name} expects an int, but got {label}")
    if not -(2**63) <= value < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if not -(2**31) <= value < 2**31:
        raise ValueError("Overflow when unpacking long")
    if value <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    return int(value)


# -- the helpers --------------------------------------------------------------------------------------------------


class _Job:
    """The pieces of one call: taken one by one, by the threads that are free."""

    __slots__ = ("_signal", "_body", "_done", "_left", "_lock", "_pieces", "_seen", "error")

    def __init__(self, body: Body, pieces: list[tuple[int, int]]) -> None:
        self._body: Body | None = body
        self._left = len(pieces)
        self._signal = _own.done
        self._seen = self._signal.count
        self._pieces: Iterator[tuple[int, int]] = iter(pieces)
        self._lock, self._done = _thread.allocate_lock(), _thread.allocate_lock()
        self._done.acquire()
        self.error: BaseException | None = None

    def work(self) -> None:
        for first, last in self._pieces:
            try:
                if self.error is None:
                    assert self._body is not None
                    self._body(first, last)
            except BaseException as error:  # the waiting thread raises it again
                self.error = error
            with self._lock:
                self._left -= 1
                if not self._left:
                    # A helper that woke too late will find this job, and would keep the result's memory till then:
                    # the next result would lie elsewhere, in memory that the system has yet to provide.
                    self._body = None
                    self._done.release()
                    self._signal.send()

    def wait(self, awake: bool) -> None:
        """Wait for the last piece; ``awake`` if this thread was: one that was woken may need this very processor."""
        if not self._done.acquire(False):
            if awake:
                self._signal.wait(self._seen, _PATIENT, _ENDING)
            self._done.acquire()
        if self.error is not None:
            raise self.error


class _Pool:
    """Threads that wait for jobs; as many as were ever needed."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._signal = Signal()
        self._awake = self._count = 0
        self._lock = _thread.allocate_lock()

    def send(self, job: _Job, helpers: int) -> bool:
        """Give a job to helpers; whether as many are awake."""
        if self._count < helpers:
            with self._lock:
                while self._count < helpers:
                    name = f"tensorkit-{self._count + 1}"
                    threading.Thread(target=silent().run, args=(self._live,), name=name, daemon=True).start()
                    self._count += 1
        for _ in range(helpers):
            self._jobs.put(job)
        awake = self._awake >= helpers
        self._signal.send()
        return awake

    def _live(self) -> None:
        _own.busy = True
        while True:
            self._next().work()

    def _next(self) -> _Job:
        """The next job: awaited awake for a while, then asleep."""
        jobs, signal = self._jobs, self._signal
        seen = signal.count
        while True:
            try:
                return jobs.get_nowait()
            except Empty:
                with self._lock:
                    self._awake += 1
                heard = signal.wait(seen, _AWAKE, _BEGINNING)
                with self._lock:
                    self._awake -= 1
                if not heard:
                    return jobs.get()
                seen = signal.count


_pool = _Pool()


@after_fork
def _begin_anew() -> None:
    """In the child of a fork there is but one thread, and the others' locks may never be let go."""
    global _pool  # another one, for the threads and the locks of this one stay behind
    _pool = _Pool()
    _own.busy = False


def spread(body: Body, count: int, grain: int, most: int = 0) -> None:
    """Call ``body(first, last)`` for pieces that make up ``range(count)``, on several threads where that pays.

    Args:
        body: work on one piece that lets go of Python's lock; called in the caller's thread and in others.
        grain: the least number of parts in a piece.
        most: the largest number of parts in a piece, also where one thread does it all; 0 for no limit.

    Raises:
        Exception: the first that a piece raised.
    """
    if 0 < count <= grain and not most:
        body(0, count)
        return
    threads = 1 if _own.busy else _count()
    # A grain of one is a piece of unknown work.
    threads = min(threads, count if grain == 1 else max(1, count // (1 if FORCED else _WAKING * grain)))
    if threads <= 1:
        step = most or count or 1
        for first in range(0, count, step):
            body(first, min(first + step, count))
        return
    shares = _SHARES if grain == 1 else max(1, min(_SHARES, count // (threads * _WORTH_A_TURN * grain)))
    step = max(grain, -(-count // (threads * shares)))
    step = min(step, most) if most else step
    job = _Job(body, [(first, min(first + step, count)) for first in range(0, count, step)])
    awake = _pool.send(job, threads - 1)
    _own.busy = True
    try:
        job.work()
    finally:
        _own.busy = False
    job.wait(awake)
