"""A traced launch as a picture needs it: what every slot held at every step, and what the threads of a block are at."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tensorkit.kernels.cuda.traced import KernelTrace
from tensorkit.kernels.cuda.traced.findings import Finding
from tensorkit.kernels.cuda.traced.notes import WARP, Step, Stray
from tensorkit.kernels.cuda.traced.traffic import SECTOR

MOST_LOOKED_AT = 300


@dataclass(frozen=True, slots=True)
class Strip:
    """One memory: the names under which the kernel knows it, and how much of it there is."""

    key: str
    names: tuple[str, ...]
    space: str
    dtype: str
    itemsize: int
    slots: int

    @property
    def name(self) -> str:
        """All its names."""
        return ", ".join(self.names)


@dataclass(frozen=True, slots=True)
class Touch:
    """What one thread does in a step: with which slot, under which name, and the number that it read or wrote."""

    thread: int
    array: str
    slot: int
    value: Any


class Launch:
    """A trace, indexed by slot and by step. Step 0 is before the first of the trace's."""

    def __init__(self, trace: KernelTrace) -> None:
        self.trace = trace
        self.strips = tuple(_strips(trace))
        self._strip_of = {name: strip for strip in self.strips for name in strip.names}
        self._history: dict[tuple[str, int, int], list[tuple[int, Any]]] = {}
        for number, access in enumerate(trace.accesses):
            if access.kind == "read":
                continue
            strip = self._strip_of[access.array]
            home = strip.key, access.block if strip.space == "shared" else 0, access.slot
            self._history.setdefault(home, []).append((number, trace.values[number]))
        self._blocks: dict[int, tuple[int, int]] = {}
        for number, step in enumerate(trace.steps):
            first, _ = self._blocks.get(step.block, (number, number))
            self._blocks[step.block] = first, number + 1

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self.trace.steps)

    def step(self, at: int) -> Step | None:
        """The step that has just been taken."""
        return self.trace.steps[at - 1] if 0 < at <= self.steps else None

    def block(self, at: int) -> int:
        """The block that is running."""
        step = self.step(max(at, 1))
        return step.block if step is not None else 0

    def steps_of(self, block: int) -> range:
        """The numbers of a block's steps, as `step` counts them; empty for a block that touched nothing."""
        first, last = self._blocks.get(block, (0, 0))
        return range(first + 1, last + 1)

    def strip(self, array: str) -> Strip | None:
        """The memory that an array's name stands for."""
        return self._strip_of.get(array)

    def touches(self, at: int) -> tuple[Touch, ...]:
        """What the threads do in a step."""
        step, trace = self.step(at), self.trace
        if step is None:
            return ()
        return tuple(
            Touch(trace.accesses[n].thread, trace.accesses[n].array, trace.accesses[n].slot, trace.values[n])
            for n in range(step.first, step.last)
        )

    def strays(self, at: int) -> tuple[Stray, ...]:
        """The threads of a step that went out of bounds."""
        return tuple(s for s in self.trace.strays if s.step == at - 1 and not s.wrapped)

    def value(self, strip: Strip, slot: int, at: int) -> Any:
        """What a slot holds after a step; None where nobody has written to shared memory yet."""
        last = self.trace.steps[at - 1].last if at else 0
        home = strip.key, self.block(at) if strip.space == "shared" else 0, slot
        written = self._history.get(home, [])
        place = bisect_left(written, last, key=lambda one: one[0])
        if place:
            return written[place - 1][1]
        before = self.trace.views[strip.names[0]].memory.before
        return before[slot] if slot < len(before) else None

    def some_values(self, strip: Strip) -> list[Any]:
        """Numbers that a memory holds at some time."""
        before = self.trace.views[strip.names[0]].memory.before[:MOST_LOOKED_AT]
        return [*before, *islice(self._written(strip), MOST_LOOKED_AT)]

    def _written(self, strip: Strip) -> Iterator[Any]:
        slots = (written for (key, _, _), written in self._history.items() if key == strip.key)
        return (value for written in slots for _, value in written)

    def last_touched(self, strip: Strip, at: int) -> tuple[int, ...]:
        """The slots of a memory that were touched most recently: those of this step, or of an earlier one."""
        for k in range(at, max(at - 200, 0), -1):
            if self._strip_of.get(self.trace.steps[k - 1].array) is strip:
                return tuple(sorted({touch.slot for touch in self.touches(k)}))
        return ()

    def sectors(self, at: int) -> tuple[int, ...]:
        """The pieces of 32 bytes of global memory that a step moves, by their numbers."""
        step = self.step(at)
        strip = self.strip(step.array) if step is not None else None
        if strip is None or strip.space != "global":
            return ()
        item = strip.itemsize
        ends = (byte for t in self.touches(at) for byte in (t.slot * item, (t.slot + 1) * item - 1))
        return tuple(sorted({byte // SECTOR for byte in ends}))

    def found_at(self, at: int) -> tuple[Finding, ...]:
        """The findings whose first instance is in this step."""
        return tuple(f for f in self.trace.findings if f.step == at - 1)

    def warps(self) -> int:
        """How many warps a block has."""
        return -(-self.trace.threads // WARP)


def _strips(trace: KernelTrace) -> Iterator[Strip]:
    names: dict[int, list[str]] = {}
    for name, view in trace.views.items():
        names.setdefault(id(view.memory), []).append(name)
    for number, same in enumerate(names.values()):
        memory = trace.views[same[0]].memory
        cells = memory.cells
        yield Strip(
            f"m{number}", tuple(same), memory.space, cells.dtype.name, int(cells.dtype.itemsize), len(cells)
        )
