"""The third way to run a body: in plain Python, noting which thread touched which slot.

Every thread of the grid runs in turn and writes down its reads and writes. A barrier works too: the threads
of a block are then real threads that hand a baton on, each running alone until its next
``cuda.syncthreads()``, so the notes have the same order every time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy

from tensorkit.kernels.cuda.compile import bind

__all__ = [
    "Access",
    "Traced",
    "TracedPointer",
    "play",
]

Array = numpy.ndarray[Any, Any]


class Access(NamedTuple):
    """One thread read or wrote one slot.

    Attributes:
        kind: ``"read"`` or ``"write"``.
        array: the name of the kernel's argument, or ``"shared0"`` … for memory that a block shares.
        slot: which element of the array's memory, counted from its start.
        block, thread: who.
        phase: how many barriers that thread had passed.
    """

    kind: str
    array: str
    slot: int
    block: int
    thread: int
    phase: int


class Traced:
    """What a grid did.

    Attributes:
        accesses: every read and write, in the order in which they ran.
        blocks, threads: the size of the grid and of a block.
    """

    def __init__(self, blocks: int, threads: int) -> None:
        self.blocks, self.threads = blocks, threads
        self.accesses: list[Access] = []
        self.block = self.thread = 0
        self.phases = [0] * threads

    def note(self, kind: str, array: str, slot: int) -> None:
        """Write down what the running thread did."""
        phase = self.phases[self.thread]
        self.accesses.append(Access(kind, array, slot, self.block, self.thread, phase))


class TracedPointer:
    """A pointer into an array: it counts from `start`, may count backwards, and never leaves the array."""

    __slots__ = ("array", "name", "start", "traced")

    def __init__(self, name: str, array: Array, start: int, traced: Traced | None = None) -> None:
        self.name, self.array, self.start, self.traced = name, array, start, traced

    def _slot(self, kind: str, index: Any) -> int:
        slot = self.start + int(index)
        if not 0 <= slot < len(self.array):
            raise RuntimeError(
                "CUDA error: an illegal memory access was encountered\n"
                f"a thread asked to {kind} slot {slot} of {self.name}, which has {len(self.array)}"
            )
        if self.traced is not None:
            self.traced.note(kind, self.name, slot)
        return slot

    def __getitem__(self, index: Any) -> Any:
        return self.array[self._slot("read", index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.array[self._slot("write", index)] = value


class _Baton:
    """Lets the threads of a block run one at a time, in order, from barrier to barrier."""

    def __init__(self, count: int) -> None:
        self.turns = [threading.Semaphore(0) for _ in range(count)]
        self.back = threading.Semaphore(0)
        self.done = [False] * count
        self.failure: BaseException | None = None

    def rest(self, thread: int) -> None:
        """This thread has reached a barrier: hand the baton back and wait for the next turn."""
        self.back.release()
        self.turns[thread].acquire()
        if self.failure is not None:
            raise SystemExit

    def run(self, traced: Traced, work: Callable[[int], None]) -> None:
        """All threads, phase after phase, until every one has returned."""

        def live(thread: int) -> None:
            self.turns[thread].acquire()
            try:
                if self.failure is None:
                    work(thread)
            except BaseException as error:  # handed to the caller of `run`, in its own thread
                self.failure = self.failure or error
            self.done[thread] = True
            self.back.release()

        workers = [threading.Thread(target=live, args=(k,), daemon=True) for k in range(len(self.turns))]
        for worker in workers:
            worker.start()
        while not all(self.done):
            for thread, turn in enumerate(self.turns):
                if not self.done[thread]:
                    traced.thread = thread
                    turn.release()
                    self.back.acquire()
        for worker in workers:
            worker.join()
        if self.failure is not None:
            raise self.failure


class _RecordingCuda:
    """The `cuda` that a traced body is handed: numba's names for one dimension of grid and block."""

    def __init__(self, traced: Traced) -> None:
        self._traced = traced
        self._baton: _Baton | None = None
        self._shared: dict[int, TracedPointer] = {}
        self._asked = [0] * traced.threads
        self.blockDim = SimpleNamespace(x=traced.threads, y=1, z=1)
        self.gridDim = SimpleNamespace(x=traced.blocks, y=1, z=1)
        self.shared = SimpleNamespace(array=self._shared_array)

    @property
    def threadIdx(self) -> SimpleNamespace:
        return SimpleNamespace(x=self._traced.thread, y=0, z=0)

    @property
    def blockIdx(self) -> SimpleNamespace:
        return SimpleNamespace(x=self._traced.block, y=0, z=0)

    def grid(self, ndim: int) -> int:
        return self._traced.block * self._traced.threads + self._traced.thread

    def gridsize(self, ndim: int) -> int:
        return self._traced.blocks * self._traced.threads

    def syncthreads(self) -> None:
        thread = self._traced.thread
        self._traced.phases[thread] += 1
        if self._baton is not None:
            self._baton.rest(thread)

    def _shared_array(self, shape: int, dtype: Any) -> TracedPointer:
        """The n-th request of every thread of a block is the same memory."""
        number = self._asked[self._traced.thread]
        self._asked[self._traced.thread] += 1
        if number not in self._shared:
            memory = numpy.zeros(shape, numpy.dtype(str(dtype)))
            self._shared[number] = TracedPointer(f"shared{number}", memory, 0, self._traced)
        return self._shared[number]

    def block(self, number: int, work: Callable[[int], None], barriers: bool) -> None:
        """Run one block's threads: one after the other, or with barriers phase by phase."""
        traced = self._traced
        traced.block, traced.phases = number, [0] * traced.threads
        self._shared, self._asked = {}, [0] * traced.threads
        if barriers:
            self._baton = _Baton(traced.threads)
            self._baton.run(traced, work)
            return
        for thread in range(traced.threads):
            traced.thread = thread
            work(thread)


def play(
    body: Callable[..., Any], names: dict[str, Any], arguments: tuple[Any, ...], blocks: int, threads: int
) -> Traced:
    """Run a body's every thread in Python and return what each of them touched.

    Args:
        body: a kernel body; its arrays may be NumPy arrays.
        names: what to hand it besides `cuda`.
        arguments: its arguments.
        blocks, threads: the size of the grid, and of each block.

    >>> def double(count, values):
    ...     i = cuda.grid(1)
    ...     if i < count:
    ...         values[i] = 2 * values[i]
    >>> values = numpy.arange(3)
    >>> traced = play(double, {}, (3, values), blocks=1, threads=4)
    >>> values.tolist(), [(a.kind, a.thread, a.slot) for a in traced.accesses][:2]
    ([0, 2, 4], [('read', 0, 0), ('write', 0, 0)])
    """
    traced = Traced(blocks, threads)
    cuda = _RecordingCuda(traced)
    bound = bind(body, names, partial(_in_python, cuda))
    bound.__globals__["cuda"] = cuda
    parameters = body.__code__.co_varnames
    ready = [_recorded(a, name, traced) for a, name in zip(arguments, parameters, strict=False)]
    barriers = "syncthreads" in body.__code__.co_names

    def work(thread: int) -> None:
        with numpy.errstate(all="ignore"):
            bound(*ready)

    for block in range(blocks):
        cuda.block(block, work, barriers)
    return traced


def _in_python(cuda: _RecordingCuda, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that the body calls: it runs as it is, and meets the recording `cuda` if it names one."""
    if "cuda" not in function.__code__.co_names:
        return function
    bound = bind(function, {}, partial(_in_python, cuda))
    bound.__globals__["cuda"] = cuda
    return bound


def _recorded(argument: Any, name: str, traced: Traced) -> Any:
    if isinstance(argument, TracedPointer):
        return TracedPointer(name, argument.array, argument.start, traced)
    if isinstance(argument, numpy.ndarray):
        return TracedPointer(name, argument, 0, traced)
    return argument
