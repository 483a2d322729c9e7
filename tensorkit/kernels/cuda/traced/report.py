"""What a trace says when it is printed."""

from __future__ import annotations

from collections import Counter
from math import prod

from tensorkit.kernels.cuda.traced.findings import KINDS, look
from tensorkit.kernels.cuda.traced.notes import Dims, Notes
from tensorkit.kernels.cuda.traced.traffic import SECTOR, count

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
