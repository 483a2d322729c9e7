"""What a traced launch gives back: the notes, what is wrong, and the words for it when it is printed."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from math import prod

from tensorkit.kernels.cuda.traced.findings import KINDS, Finding, look
from tensorkit.kernels.cuda.traced.notes import Dims, Notes
from tensorkit.kernels.cuda.traced.traffic import SECTOR, Traffic, count

PLURALS = {
    "out of bounds": "accesses out of bounds", "divergent barrier": "divergent barriers", "race": "races",
    "uninitialised": "reads of uninitialised memory", "negative index": "negative indices",
    "uncoalesced": "uncoalesced accesses", "bank conflict": "bank conflicts",
}  # fmt: skip


def launch_text(notes: Notes) -> str:
    """The launch as a kernel's call begins: ``"add[2, 4]"``."""
    return f"{notes.name}[{_dims(notes.grid)}, {_dims(notes.block)}]"


def _dims(dims: Dims) -> str:
    used = 3 if dims[2] > 1 else 2 if dims[1] > 1 else 1
    return str(dims[0]) if used == 1 else f"({', '.join(map(str, dims[:used]))})"


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def headline(notes: Notes) -> str:
    """One line: the launch, and what was found."""
    kinds = Counter(found.kind for found in look(notes))
    said = ", ".join(
        f"{kinds[kind]} {PLURALS[kind] if kinds[kind] > 1 else _one(kind)}" for kind in KINDS if kinds[kind]
    )
    return f"{launch_text(notes)}: {said or 'nothing wrong was found'}"


def _one(kind: str) -> str:
    return {"out of bounds": "access out of bounds", "uninitialised": "read of uninitialised memory",
            "uncoalesced": "uncoalesced access"}.get(kind, kind)  # fmt: skip


def written(notes: Notes) -> str:
    """The whole summary: the launch, its accesses, the traffic of each line, and what was found."""
    threads = prod(notes.block)
    kinds = Counter(access.kind for access in notes.accesses)
    barriers = sum(step.kind == "barrier" for step in notes.steps)
    lines = [
        headline(notes),
        f"  {_number(notes.blocks, 'block')} of {_number(threads, 'thread')}, in {_number(len(notes.steps), 'step')}: "
        f"{_number(kinds['read'], 'read')}, {_number(kinds['write'], 'write')}, "
        f"{_number(kinds['atomic'], 'atomic update')}, {_number(barriers, 'barrier')}",
    ]
    for one in count(notes):
        part = round(100 * one.efficiency)
        verb = {"read": "reads", "write": "writes", "atomic": "updates"}[one.kind]
        lines.append(
            f"  line {one.line} {verb} {one.array}: {_number(one.wanted, 'byte')} wanted, "
            f"{one.sectors * SECTOR:,} moved in {_number(one.sectors, 'sector')} ({part} % used)"
        )
    lines += [f"  {found.text}" for found in look(notes)]
    return "\n".join(lines)


class KernelTrace(Notes):
    """What a grid of threads did, and what is wrong with it. Printed, it is a summary in words."""

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong: see `Finding`. The gravest first."""
        return look(self)

    def _of(self, kind: str) -> tuple[Finding, ...]:
        return tuple(found for found in self.findings if found.kind == kind)

    @property
    def out_of_bounds(self) -> tuple[Finding, ...]:
        """Accesses outside an array: they were not carried out."""
        return self._of("out of bounds")

    @property
    def divergent_barriers(self) -> tuple[Finding, ...]:
        """Barriers that not all threads of a block reached."""
        return self._of("divergent barrier")

    @property
    def races(self) -> tuple[Finding, ...]:
        """Slots that two threads touched, one of them writing, with nothing to say who comes first."""
        return self._of("race")

    @property
    def uninitialised(self) -> tuple[Finding, ...]:
        """Shared and local memory that was read before anything was written there."""
        return self._of("uninitialised")

    @property
    def uncoalesced(self) -> tuple[Finding, ...]:
        """Instructions for which a warp fetches more of global memory than it needs."""
        return self._of("uncoalesced")

    @property
    def bank_conflicts(self) -> tuple[Finding, ...]:
        """Instructions for which the banks of shared memory make a warp wait."""
        return self._of("bank conflict")

    @property
    def traffic(self) -> tuple[Traffic, ...]:
        """What each line moved between global memory and the threads."""
        return count(self)

    def __repr__(self) -> str:
        return f"<{headline(self)}>"

    def __str__(self) -> str:
        return written(self)
