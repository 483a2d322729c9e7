"""What is written down while a kernel runs: accesses, steps, barriers, and what went astray."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy

Dims = tuple[int, int, int]
Cells = numpy.ndarray[Any, Any]

WARP = 32
"""How many threads of a block run in step."""

MOST_ACCESSES = 200_000
"""Beyond this many notes of one launch, tracing stops with an error: they are held in memory."""


class Access(NamedTuple):
    """One thread read or wrote one slot.

    Attributes:
        kind: ``"read"``, ``"write"``, or ``"atomic"`` for both at once.
        array: the name of the kernel's argument, or of the variable that holds memory which a block shares.
        slot: which element of that memory, counted from its start.
        block, thread: who, counted through all dimensions, x first.
        phase: how many barriers that thread had passed.
        step: the number of the `Step` that it belongs to; -1 where threads run one after the other.
        line: the line of the kernel's source, as editors count; 0 where it is not known.
        epoch: how many barriers of its warp alone that thread had passed.
    """

    kind: str
    array: str
    slot: int
    block: int
    thread: int
    phase: int
    step: int = -1
    line: int = 0
    epoch: int = 0


class Step(NamedTuple):
    """What a warp does at once: one instruction of its threads, or a barrier of the whole block.

    Attributes:
        kind: ``"read"``, ``"write"``, ``"atomic"``, or ``"barrier"``.
        array: what is touched; empty for a barrier.
        line: the line of the kernel's source.
        block, threads: who.
        first, last: the accesses of the step are ``accesses[first:last]``.
    """

    kind: str
    array: str
    line: int
    block: int
    threads: tuple[int, ...]
    first: int
    last: int


class Stray(NamedTuple):
    """An access that was not carried out, or that a negative index sent to the other end (``wrapped``)."""

    kind: str
    array: str
    indices: tuple[int, ...]
    shape: tuple[int, ...]
    slot: int
    block: int
    thread: int
    line: int
    step: int
    wrapped: bool


class Divergence(NamedTuple):
    """A barrier that not all threads of a block reached.

    Attributes:
        waiting: pairs (line of the barrier, threads that wait there).
        returned: threads that are through with the kernel.
        warp: whether it was a barrier of a warp.
        step: how many steps there had been.
    """

    block: int
    waiting: tuple[tuple[int, tuple[int, ...]], ...]
    returned: tuple[int, ...]
    warp: bool
    step: int


class Memory:
    """Slots that threads reach under one name or several.

    Attributes:
        space: ``"global"``, ``"shared"`` (of a block) or ``"local"`` (of a thread).
        cells: the slots, a one-dimensional array.
        before: what they held when the kernel began; empty for memory that begins with nothing.
        dirty: whether a thread wrote there.
        written: which slots of shared or local memory hold something, None for memory that was there before.
    """

    __slots__ = ("before", "cells", "dirty", "space", "written")

    def __init__(self, space: str, cells: Cells, *, keep: bool = False) -> None:
        self.space, self.cells, self.dirty = space, cells, False
        self.before: Cells = cells.copy() if keep else cells[:0]
        self.written: Cells | None = None if space == "global" else numpy.zeros(len(cells), numpy.bool_)


class View(NamedTuple):
    """How a kernel's array lies in its memory: sizes, strides and the first slot, all in elements."""

    memory: Memory
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    start: int


class Notes:
    """What a grid of threads did: every access, in its order.

    Attributes:
        name: the kernel's.
        grid, block: how many blocks, and threads of each, in x, y and z.
        accesses: every read and write, in the order in which they ran.
        values: what was read or written, beside `accesses`.
        steps: the same, as the warps went through the kernel.
        strays, unset, divergences: what went astray; `unset` is what was read before it was written.
        fences: pairs (number of accesses so far, block) of each ``threadfence``.
        views: what the names of arrays stand for; shared memory is that of the last block.
        source: the lines of the kernel's source, the first of which is line `first_line`; empty where unknown.
        strict: whether an access that goes astray is an error; otherwise it is noted, and left out.
        silent: whether nothing is written down.
        stepping: whether the threads of a warp go in step.
        now, thread: the block and the thread that are running; phases, epochs: how many barriers each has passed.
    """

    def __init__(self, grid: Sequence[int], block: Sequence[int], name: str = "kernel") -> None:
        self.name = name
        self.grid: Dims = _three(grid)
        self.block: Dims = _three(block)
        self.blocks, self.threads = prod(self.grid), prod(self.block)
        self.accesses: list[Access] = []
        self.values: list[Any] = []
        self.steps: list[Step] = []
        self.strays: list[Stray] = []
        self.unset: list[Stray] = []
        self.fences: list[tuple[int, int]] = []
        self.divergences: list[Divergence] = []
        self.views: dict[str, View] = {}
        self.source: list[str] = []
        self.first_line = 1
        self.strict = False
        self.silent = False
        self.stepping = False
        self.now = self.thread = 0
        self.phases = [0] * self.threads
        self.epochs = [0] * self.threads

    def note(self, kind: str, array: str, slot: int, value: Any, line: int = 0) -> None:
        """Write down what the running thread did."""
        if self.silent:
            return
        if len(self.accesses) >= MOST_ACCESSES:
            raise RuntimeError(
                f"{self.name} touches memory more than {MOST_ACCESSES:,} times, which is too much to keep notes of: "
                "trace it with fewer threads and less data"
            )
        t = self.thread
        step = len(self.steps) if self.stepping else -1
        self.accesses.append(
            Access(kind, array, slot, self.now, t, self.phases[t], step, line, self.epochs[t])
        )
        self.values.append(value)


def _three(dims: Sequence[int]) -> Dims:
    x, y, z = (*dims, 1, 1)[:3]
    return x, y, z
