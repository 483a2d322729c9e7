"""How often each dtype and each awkward kind of memory was tried; a zero fails, and the table is printed at the end."""

from __future__ import annotations

import functools
import textwrap
from collections import Counter
from collections.abc import Iterable
from typing import Any

import tensorkit
from tensorkit import dtypes
from tensorkit.strides.layout import Layout
from tests.parity.compare import Operand, build

DTYPES = tuple(kind.name for kind in dtypes.ALL)
KINDS_OF_MEMORY = ("contiguous", "not contiguous", "stride 0", "offset", "empty", "overlapping", "0-d")


def _kinds_of_memory(lay: Layout) -> tuple[str, ...]:
    filled = lay.numel > 0
    return (
        "contiguous" if lay.is_contiguous() else "not contiguous",
        *["stride 0"] * any(s == 0 and n > 1 for n, s in zip(lay.size, lay.stride, strict=True)),
        *["offset"] * (lay.offset > 0),
        *["empty"] * (not filled),
        *["overlapping"] * (filled and len(set(lay.slots())) < lay.numel),
        *["0-d"] * (not lay.size),
    )


@functools.cache
def _kinds_built(size: tuple[int, ...], layout: str) -> tuple[str, ...]:
    return _kinds_of_memory(build(tensorkit, Operand(size, "uint8", layout))._lay())


class Tally:
    """Counts under names that are known beforehand, so that what never ran shows as 0."""

    def __init__(self, title: str, more: Iterable[str] = ()) -> None:
        self.title = title
        self.names = (*DTYPES, *KINDS_OF_MEMORY, *more)
        self.counts: Counter[str] = Counter()
        TABLES.append(self)

    def tensor(self, tensor: Any) -> None:
        """Count one of our tensors under its dtype and every kind of memory that it has."""
        self.counts.update((tensor.dtype.name, *_kinds_of_memory(tensor._lay())))

    def operand(self, operand: Operand) -> None:
        """Count what `compare` builds of a description."""
        self.counts.update((operand.dtype, *_kinds_built(operand.size, operand.layout)))

    def count(self, name: str, times: int = 1) -> None:
        """Count something else by its name."""
        self.counts[name] += times

    def never(self) -> list[str]:
        """What did not happen a single time."""
        return [name for name in self.names if not self.counts[name]]

    def lines(self) -> list[str]:
        """The table as text."""
        cells = [f"{name} {self.counts[name]}" for name in dict.fromkeys((*self.names, *self.counts))]
        return [", ".join(cells[i : i + 8]) for i in range(0, len(cells), 8)]


class Coverage:
    """Which operations gave a value for which dtype, PyTorch's and ours alike."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.counts: Counter[str] = Counter()
        self.found: dict[str, set[str]] = {}
        self.notes: list[str] = []  # what else is to be told
        TABLES.append(self)

    def add(self, op: str, dtypes_of_operands: Iterable[str]) -> None:
        """A call of an operation was compared and gave a value."""
        self.counts[op] += 1
        self.found.setdefault(op, set()).update(dtypes_of_operands)

    def lines(self) -> list[str]:
        """For each set of dtypes, the operations that were compared in just these."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for op, kinds in sorted(self.found.items()):
            groups.setdefault(tuple(kind for kind in DTYPES if kind in kinds), []).append(op)
        lines = [f"{len(self.found)} operations, {self.counts.total()} calls that gave a value"]
        for kinds, ops in sorted(groups.items(), key=lambda group: -len(group[0])):
            lines += textwrap.wrap(f"{_said(kinds)}: {', '.join(ops)}", 150, subsequent_indent="    ")
        return lines + self.notes


def _said(kinds: tuple[str, ...]) -> str:
    """A set of dtypes in few words."""
    lacking = [kind for kind in DTYPES if kind not in kinds]
    if not lacking:
        return f"all {len(DTYPES)} dtypes"
    if not kinds:
        return "without operands"
    return f"all but {' '.join(lacking)}" if len(lacking) < len(kinds) else " ".join(kinds)


#: Every tally of the session, in the order of the files.
TABLES: list[Tally | Coverage] = []


def compared() -> list[tuple[str, list[str]]]:
    """The title and the lines of every tally of this process that counted something."""
    return [(tally.title, tally.lines()) for tally in TABLES if tally.counts]
