"""Loops that NumPy has no fast form of, compiled by Numba: on a thread of its own, while NumPy still answers.

`Loop` is one such loop. Asked whether it is `ready`, it says no until the machine code is there, which a thread loads
from the disk: from the folder that Numba's own rules choose (``NUMBA_CACHE_DIR``, beside this file, or the user's
cache). What is not there yet, a process of its own compiles (see ``compile_worker.py``).

The variable ``TENSORKIT_COMPILED`` says ``0`` to do without them, ``force`` to wait for each when it is first wanted
(and to treat every tensor as if it were large): so the tests go both ways.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib
import os
import threading
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from types import FunctionType
from typing import Any

import numpy

from tensorkit.process import forks

Array = numpy.ndarray[Any, Any]
_MODE = os.environ.get("TENSORKIT_COMPILED", "1")


_REST = 3.0  # seconds without work after which the process that compiles is ended


class _Compiler:
    """A thread that sees to one loop after the other: the first that is wanted, first."""

    def __init__(self) -> None:
        self._wanted: SimpleQueue[Loop] = SimpleQueue()
        self._started = False
        self._lock = forks.lock()
        self._worker: Any = None

    @property
    def worker(self) -> Any:
        """The process, as ``compile_worker.py`` has it: loaded when there is something to compile, which takes 3 ms."""
        if self._worker is None:
            self._worker = importlib.import_module("tensorkit.kernels.jit.compile_worker").Worker()
        return self._worker

    def forget(self) -> None:
        """The process, if there is one, ends by itself."""
        if self._worker is not None:
            self._worker.forget()

    def send(self, loop: Loop) -> None:
        self._wanted.put(loop)
        with self._lock:
            if not self._started:
                self._started = True
                atexit.register(self.forget)
                threading.Thread(target=self._work, name="tensorkit-compiler", daemon=True).start()

    def _work(self) -> None:
        busy = False
        while True:
            try:
                wanted = self._wanted.get(timeout=_REST if busy else None)
            except Empty:
                self.worker.rest()
                busy = False
            else:
                if not wanted.load() and wanted.storable():
                    busy = True
                    if self.worker.compile(wanted.body.__module__, wanted.body.__name__):
                        wanted.load()


_compiler = _Compiler()
_one_at_a_time = forks.rlock()


@forks.after_fork
def _after_fork() -> None:
    """The thread is gone."""
    global _compiler  # another one, for the thread and the locks of this one stay behind
    _compiler.forget()
    _compiler = _Compiler()
    for one in _loops:
        one.asked = _MODE == "0" or one.ready is not None


_loops: list[Loop] = []
_OFTEN = 50


class Loop:
    """One loop over arrays, and its machine code once there is some.

    Args:
        body: the loop, in the Python that Numba knows.
        signatures: the types of its arguments, in Numba's words.
        reordered: whether sums may be taken in any order, and so in many lanes.

    Attributes:
        asked: whether the compiler has been started on it.
        ready: the compiled function, or None.
    """

    def __init__(
        self, body: Callable[..., Any], signatures: tuple[str, ...], reordered: bool = False
    ) -> None:
        self.body, self.signatures, self.reordered = body, signatures, reordered
        self.asked = _MODE == "0"
        self.ready: Any = None
        self._patience = _OFTEN
        _loops.append(self)

    def __call__(self, *arguments: Any) -> Any:
        return self.body(*arguments)

    def compiled(self) -> Any:
        """The compiled function; None while there is none, or where Numba is not installed."""
        if self.ready is None and (not self.asked or _MODE == "force"):
            self.asked = True
            if _MODE == "force":
                self.compile()
            else:
                _compiler.send(self)
        return self.ready

    def often(self) -> Any:
        """`compiled` for few elements: it is compiled only when it is wanted again and again."""
        if self.ready is None and not self.asked and _MODE != "force" and self._patience:
            self._patience -= 1
            return None
        return self.compiled()

    def compile(self) -> None:
        """Compile now and here, or load what an earlier process compiled."""
        try:
            import numba
        except ImportError:  # NumPy answers for good
            return
        with _one_at_a_time:
            if self.ready is not None:
                return
            try:
                self.ready = self._made(numba, cache=self._storable(numba))
            except numba.core.errors.NumbaError:  # NumPy answers for good, and the tests see why
                if _MODE == "force":
                    raise

    def load(self) -> bool:
        """Whether the machine code was in the cache, or cannot be compiled at all; compiles nothing."""
        try:
            import numba
        except ImportError:
            return True
        with _one_at_a_time:
            try:
                if self.ready is None and self._storable(numba):
                    self.ready = self._made(numba, cache=True, pipeline_class=_loader(numba))
            except (_NotInCacheError, OSError):
                return False
        return self.ready is not None

    def store(self) -> bool:
        """Compile it for others: whether it is in the cache now."""
        self.compile()
        return self.ready is not None

    def storable(self) -> bool:
        """Whether there is a folder where the machine code may be kept."""
        import numba

        return self._storable(numba)

    def _storable(self, numba: Any) -> bool:
        try:
            numba.njit(cache=True)(self.body)
        except RuntimeError:  # Numba found no folder that may be written to
            return False
        return True

    def _made(self, numba: Any, **options: Any) -> Any:
        options |= {"nogil": True, "error_model": "numpy"}
        if self.reordered:
            options["fastmath"] = {"reassoc", "nsz"}
        return numba.njit(list(self.signatures), **options)(self._bound(numba))

    def _bound(self, numba: Any) -> Any:
        """The body, with the functions that it uses compiled too."""
        return _bound(self.body, numba)


class _NotInCacheError(Exception):
    """No machine code of the loop is on the disk."""


@functools.cache
def _loader(numba: Any) -> type:
    """What Numba is to compile with where it must not: it gives up before it has begun."""

    def absent(self: Any, function: Any) -> Any:
        raise _NotInCacheError

    return type("Loader", (numba.core.compiler.CompilerBase,), {"compile_extra": absent})


def _bound(function: Any, numba: Any) -> Any:
    """A function, with those that it uses compiled too: not itself, where `math.exp` is met in one called `exp`."""
    known = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    used = {n: one for n, one in known.items() if isinstance(one, FunctionType) and one is not function}
    if not used:
        return function
    inner = {name: _inner(one, numba) for name, one in used.items()}
    return FunctionType(function.__code__, {**function.__globals__, **inner}, function.__name__)


def _inner(function: Any, numba: Any) -> Any:
    """A function as loops use it: a step of the processor's own, or compiled where it is called."""
    step = _STEPS[function](numba) if function in _STEPS else None
    return step or numba.njit(error_model="numpy", inline="always")(_bound(function, numba))


def wait() -> None:
    """Compile everything now, which takes a minute or two: for measurements."""
    if _MODE != "0":
        for one in _loops:
            one.compile()


@contextlib.contextmanager
def at_once() -> Iterator[None]:
    """Compile each loop on first use, and wait for it: for tests of the compiled code."""
    global _MODE  # given by the environment; the tests alone change it
    before = _MODE
    _MODE = "0" if before == "0" else "force"
    try:
        yield
    finally:
        _MODE = before


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Load and compile nothing in the block; requests wait: for tests that count blocks of memory."""
    with contextlib.suppress(ImportError):
        importlib.import_module("numba")
    with _one_at_a_time:
        yield


def loop(*signatures: str, reordered: bool = False) -> Callable[[Callable[..., Any]], Loop]:
    """Decorate the body of a `Loop`.

    >>> @loop("i8(i8)")
    ... def double(n):
    ...     return 2 * n
    >>> double(4)
    8
    """
    return lambda body: Loop(body, signatures, reordered)


#: What a processor may have a step of its own for; else the functions are compiled.
_STEPS: dict[Any, Callable[[Any], Any]] = {}


def step(function: Any) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Say what loops are to use in place of a function, made with Numba; where that gives None, they compile it."""

    def known(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
        _STEPS[function] = make
        return make

    return known
