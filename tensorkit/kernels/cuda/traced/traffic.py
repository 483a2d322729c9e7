"""What the instructions of warps cost: sectors of global memory that are fetched, banks of shared memory that wait.

Global memory moves in sectors of 32 bytes, four of which are a line of 128. Shared memory has 32 banks, each as wide
as 4 bytes, and each gives one word at a time; threads that want the same word get it together. Arrays begin at the
beginning of a line, as allocations do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tensorkit.kernels.cuda.traced.notes import WARP, Notes, Step

SECTOR, LINE = 32, 128
BANKS, WORD = 32, 4


class Traffic(NamedTuple):
    """What one line of a kernel moves to or from one array in global memory.

    Attributes:
        kind, array, line: which instructions.
        instructions: how many there were, each of one warp.
        wanted: bytes that the threads asked for, those that several want counted once.
        sectors: how many pieces of 32 bytes were moved for them, and ``needed`` how many would have done.
        lines: how many pieces of 128 bytes they lie in.
        slow: how many instructions moved more than twice the sectors that would have done.
        worst: the step that was furthest from it, or -1; the ``worst_…`` are its numbers.
    """

    kind: str
    array: str
    line: int
    instructions: int
    wanted: int
    sectors: int
    needed: int
    lines: int
    slow: int
    worst: int
    worst_wanted: int = 0
    worst_sectors: int = 0
    worst_needed: int = 0
    worst_lines: int = 0

    @property
    def efficiency(self) -> float:
        """The fraction of the moved bytes that were requested."""
        return self.wanted / (self.sectors * SECTOR) if self.sectors else 1.0


class Conflict(NamedTuple):
    """Bank conflicts of one line: how many turns the worst step takes, for which slots, and how many steps have one."""

    array: str
    line: int
    step: int
    ways: int
    slots: tuple[int, ...]
    times: int


def count(notes: Notes) -> tuple[Traffic, ...]:
    """The traffic of each line with each array, in the order in which they first ran."""
    found: dict[tuple[str, str, int], Traffic] = {}
    for number, step in enumerate(notes.steps):
        item = _itemsize(notes, step, "global")
        if not item:
            continue
        slots = {notes.accesses[n].slot for n in range(step.first, step.last)}
        wanted, sectors = len(slots) * item, _pieces(slots, item, SECTOR)
        lines, needed = _pieces(slots, item, LINE), -(-wanted // SECTOR)
        key = step.kind, step.array, step.line
        so_far = found.get(key) or Traffic(*key, 0, 0, 0, 0, 0, 0, -1)
        slow = sectors > max(needed + 1, 2 * needed)
        if slow and sectors - needed > so_far.worst_sectors - so_far.worst_needed:
            so_far = so_far._replace(
                worst=number,
                worst_wanted=wanted,
                worst_sectors=sectors,
                worst_needed=needed,
                worst_lines=lines,
            )
        found[key] = so_far._replace(
            instructions=so_far.instructions + 1, wanted=so_far.wanted + wanted, sectors=so_far.sectors + sectors,
            needed=so_far.needed + needed, lines=so_far.lines + lines, slow=so_far.slow + slow,
        )  # fmt: skip
    return tuple(found.values())


def _itemsize(notes: Notes, step: Step, space: str) -> int:
    """Bytes of an element of what a step touches, 0 if it is not in this kind of memory."""
    view = notes.views.get(step.array)
    if view is None or view.memory.space != space or step.first == step.last:
        return 0
    return int(view.memory.cells.dtype.itemsize)


def _pieces(slots: set[int], item: int, size: int) -> int:
    """In how many pieces of memory of `size` bytes these slots lie."""
    return len({byte // size for slot in slots for byte in (slot * item, slot * item + item - 1)})


def conflicts(notes: Notes) -> Iterator[Conflict]:
    """The bank conflicts, one for each line and array."""
    found: dict[tuple[str, int], Conflict] = {}
    for number, step in enumerate(notes.steps):
        item = _itemsize(notes, step, "shared")
        if not item:
            continue
        ways, slots = _turns(notes, step, item)
        if ways > 1:
            key = step.array, step.line
            first = found.get(key) or Conflict(*key, number, ways, slots, 0)
            if ways > first.ways:
                first = first._replace(step=number, ways=ways, slots=slots)
            found[key] = first._replace(times=first.times + 1)
    yield from found.values()


def _turns(notes: Notes, step: Step, item: int) -> tuple[int, tuple[int, ...]]:
    """How many turns a step takes in shared memory, and the slots that want one bank.

    Half a warp is served at a time for numbers of 8 bytes, a quarter for 16 bytes.
    """
    lanes = max(WARP * WORD // max(item, WORD), 1)
    groups: dict[int, dict[int, dict[int, int]]] = {}
    for n in range(step.first, step.last):
        access = notes.accesses[n]
        banks = groups.setdefault(access.thread % WARP // lanes, {})
        for byte in range(access.slot * item, access.slot * item + item, WORD):
            banks.setdefault(byte // WORD % BANKS, {})[byte // WORD] = access.slot
    fullest = max((words for banks in groups.values() for words in banks.values()), key=len)
    return len(fullest), tuple(fullest.values())
