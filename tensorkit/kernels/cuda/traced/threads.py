"""Whose turn it is: the threads of a block run one at a time, in step by warps, from barrier to barrier.

A thread is a thread of this computer that holds still wherever it is about to touch memory or waits at a barrier.
The threads of a warp that are at the same instruction run together; where they are at several, the ones
furthest behind in the kernel's text go first, so that they meet again after a branch or a loop. That is what
a GPU does, too, and it makes a race show: all threads of a warp read before any of them writes.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tensorkit.kernels.cuda.faults import Fault
from tensorkit.kernels.cuda.traced.notes import WARP, Divergence, Notes, Step
from tensorkit.kernels.cuda.traced.words import diverged

LAST_WORD = 1.0
"""Seconds that a thread of an interrupted kernel has to end in, before it is stopped where it is."""

INTERRUPT = 0.5
"""Seconds after which an interrupt is seen at the latest."""

Answer = Callable[[dict[int, Any], int], Any]


class _Abandoned(BaseException):
    """Ends a thread whose block is given up."""


def _stop(thread: int) -> None:
    """End a thread that loops without touching memory, after the learner has interrupted it."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_Abandoned))


def _end_all(workers: Sequence[threading.Thread]) -> None:
    """Wait for threads that have been given up, and stop those that do not notice."""
    for worker in workers:
        worker.join(LAST_WORD)
        if worker.is_alive() and worker.ident is not None:
            _stop(worker.ident)


class _Wait(NamedTuple):
    """Where a thread holds still, ``"touch"``, ``"active"``, ``"block"`` or ``"warp"``, and what it brings along."""

    kind: str
    name: str
    line: int
    site: tuple[int, ...]
    mask: int = 0
    value: Any = None
    answer: Answer | None = None


class Crew:
    """The threads of one block.

    Args:
        notes: where steps and divergences are written down.
        work: what every thread does, given its number.
    """

    def __init__(self, notes: Notes, work: Callable[[int], None]) -> None:
        count = notes.threads
        self._notes, self._work, self._count = notes, work, count
        self._turns = [threading.Semaphore(0) for _ in range(count)]
        self._back = threading.Semaphore(0)
        self._waits: list[_Wait | None] = [None] * count
        self._done = [False] * count
        self._answers: list[Any] = [None] * count
        self._failure: BaseException | None = None
        self._given_up = False
        self._told: set[int] = set()

    # ---- what a running thread calls

    def pause(self, kind: str, array: str, line: int, site: tuple[int, ...]) -> None:
        """About to touch memory."""
        self._rest(_Wait("touch", f"{kind} {array}", line, site))

    def meet(self, line: int, site: tuple[int, ...], value: Any = None, answer: Answer | None = None) -> Any:
        """At a barrier of the block: what `answer` makes of all the threads' values."""
        return self._rest(_Wait("block", "", line, site, 0, value, answer))

    def meet_warp(
        self,
        name: str,
        line: int,
        site: tuple[int, ...],
        mask: int,
        value: Any = None,
        answer: Answer | None = None,
    ) -> Any:
        """At an instruction that the lanes of `mask` carry out together."""
        return self._rest(_Wait("warp", name, line, site, mask, value, answer))

    def active(self, line: int, site: tuple[int, ...]) -> Any:
        """The lanes that are at this instruction together, as a mask."""
        return self._rest(_Wait("active", "", line, site))

    def present(self, warp: int) -> list[int]:
        """The threads of a warp that are not through with the kernel."""
        first = warp * WARP
        return [t for t in range(first, min(first + WARP, self._count)) if not self._done[t]]

    def _rest(self, wait: _Wait) -> Any:
        thread = self._notes.thread
        self._waits[thread] = wait
        self._back.release()
        self._turns[thread].acquire()
        if self._given_up:
            raise _Abandoned
        return self._answers[thread]

    # ---- what hands out the turns

    def run(self) -> None:
        """All threads, until every one has returned.

        Raises:
            Fault: where threads wait at different barriers, and the notes are strict.
        """
        workers = [threading.Thread(target=self._live, args=(t,), daemon=True) for t in range(self._count)]
        for worker in workers:
            worker.start()
        try:
            for thread in range(self._count):
                self._go(thread)
            while not all(self._done):
                for first in range(0, self._count, WARP):
                    self._run_warp(first // WARP)
                self._barrier()
        finally:
            self._give_up()
            if all(self._done):
                _end_all(workers)
            else:  # the caller may be interrupted again and again: a thread of its own sees to it that all end
                usher = threading.Thread(target=_end_all, args=(workers,), daemon=True)
                usher.start()
                usher.join()
        if self._failure is not None:
            raise self._failure

    def _live(self, thread: int) -> None:
        self._turns[thread].acquire()
        try:
            if not self._given_up:
                self._work(thread)
        except _Abandoned:
            pass
        except BaseException as error:  # handed to the caller of `run`, in its own thread
            self._failure = self._failure or error
        self._waits[thread], self._done[thread] = None, True
        self._back.release()

    def _go(self, thread: int, answer: Any = None) -> None:
        """Let a thread run until it holds still again."""
        self._answers[thread], self._notes.thread = answer, thread
        self._turns[thread].release()
        # A signal that comes just before a wait does not wake it: look up now and then.
        while not self._back.acquire(timeout=INTERRUPT):
            pass
        if self._failure is not None:
            raise self._failure

    def _give_up(self) -> None:
        self._given_up = True
        for thread, done in enumerate(self._done):
            if not done:
                self._turns[thread].release()

    def _run_warp(self, warp: int) -> None:
        """A warp's threads, until each waits for the block, or for lanes that do not come, or has returned."""
        while True:
            waits = [(t, w) for t in self.present(warp) if (w := self._waits[t]) is not None]
            free = [(w.site, t) for t, w in waits if w.kind in ("touch", "active")]
            if free:
                site = min(free)[0]
                self._step([t for at, t in free if at == site])
            elif not self._exchange(waits):
                return

    def _step(self, threads: list[int]) -> None:
        notes, wait = self._notes, self._waits[threads[0]]
        first, mask = len(notes.accesses), sum(1 << (t % WARP) for t in threads)
        for thread in threads:
            self._go(thread, mask)
        if wait is not None and wait.kind == "touch":
            kind, _, array = wait.name.partition(" ")
            notes.steps.append(
                Step(kind, array, wait.line, notes.now, tuple(threads), first, len(notes.accesses))
            )

    def _exchange(self, waits: list[tuple[int, _Wait]]) -> bool:
        """Carry out one instruction that lanes do together, if all of its lanes are there."""
        waiting = {t % WARP: (t, w) for t, w in waits if w.kind == "warp"}
        present = {t % WARP for t, _ in waits}
        for wait in sorted((w for _, w in waiting.values()), key=lambda w: w.site):
            lanes = {lane for lane in present if wait.mask >> lane & 1}
            here = {lane for lane in lanes if lane in waiting and waiting[lane][1].name == wait.name}
            if lanes and lanes == here:
                self._release([waiting[lane][0] for lane in sorted(lanes)], warp=True)
                return True
        return False

    def _release(self, threads: list[int], *, warp: bool) -> None:
        notes = self._notes
        waits = {t: w for t in threads if (w := self._waits[t]) is not None}
        values = {(t % WARP if warp else t): w.value for t, w in waits.items()}
        for t, wait in waits.items():
            if not warp:
                notes.phases[t] += 1
            elif wait.name == "syncwarp":
                notes.epochs[t] += 1
        for t, wait in waits.items():
            self._go(t, wait.answer(values, t % WARP if warp else t) if wait.answer else None)

    def _barrier(self) -> None:
        """Let the remaining threads go on if all are at one barrier, or say which ones never get there."""
        waits = {t: w for t in range(self._count) if (w := self._waits[t]) is not None}
        if not waits:
            return
        notes = self._notes
        sites = {(w.kind, w.site) for w in waits.values()}
        lost = len(sites) > 1 or next(iter(sites))[0] == "warp"
        returned = tuple(t for t, done in enumerate(self._done) if done)
        if lost or (returned and self._waits_line(waits) not in self._told):
            self._told.add(self._waits_line(waits))
            self._diverged(waits, returned, lost)
        if lost:
            self._give_up()
            self._done = [True] * self._count
            return
        line = self._waits_line(waits)
        if notes.stepping:
            at = len(notes.accesses)
            notes.steps.append(Step("barrier", "", line, notes.now, tuple(waits), at, at))
        self._release(list(waits), warp=False)

    @staticmethod
    def _waits_line(waits: dict[int, _Wait]) -> int:
        return next(iter(waits.values())).line

    def _diverged(self, waits: dict[int, _Wait], returned: tuple[int, ...], lost: bool) -> None:
        notes = self._notes
        places: dict[tuple[int, tuple[int, ...]], list[int]] = {}
        for t, wait in waits.items():
            places.setdefault((wait.line, wait.site), []).append(t)
        waiting = tuple((line, tuple(threads)) for (line, _), threads in sorted(places.items()))
        warp = any(w.kind == "warp" for w in waits.values())
        found = Divergence(notes.now, waiting, returned, warp, len(notes.steps))
        if notes.strict and lost:
            raise Fault("the launch timed out and was terminated", diverged(notes, found))
        notes.divergences.append(found)
