"""Races: two threads touch one slot, one of them writes, and nothing says who comes first.

A barrier orders the threads of a block, ``syncwarp`` those of a warp. Blocks are ordered by nothing but an atomic
update that another block sees, after a ``threadfence``: that is how the last block knows that it is the last.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from tensorkit.kernels.cuda.traced.notes import WARP, Access, Notes


class Race(NamedTuple):
    """Two accesses (by their numbers) to one slot, and how many slots of those lines have the like."""

    first: int
    second: int
    times: int


def races(notes: Notes) -> Iterator[Race]:
    """The races, one for each array and pair of lines."""
    slots: dict[tuple[int, str, int], list[int]] = {}
    for number, access in enumerate(notes.accesses):
        view = notes.views.get(access.array)
        shared = view is not None and view.memory.space == "shared"
        home = access.array if view is None or shared else str(id(view.memory))
        slots.setdefault((access.block if shared else -1, home, access.slot), []).append(number)
    found: dict[tuple[str, int, int], list[tuple[int, int]]] = {}
    order = _Order(notes)
    for numbers in slots.values():
        pair = _first_race(notes.accesses, numbers, order)
        if pair is not None:
            one, two = notes.accesses[pair[0]], notes.accesses[pair[1]]
            found.setdefault((two.array, one.line, two.line), []).append(pair)
    for pairs in found.values():
        yield Race(*pairs[0], len(pairs))


def _first_race(accesses: list[Access], numbers: list[int], order: _Order) -> tuple[int, int] | None:
    """The first two accesses to a slot that race."""
    kinds = {accesses[n].kind for n in numbers}
    threads = {(accesses[n].block, accesses[n].thread) for n in numbers}
    if kinds <= {"read"} or kinds <= {"atomic"} or len(threads) < 2:
        return None
    seen: dict[tuple[str, int, int, int, int], int] = {}
    for n in numbers:
        access = accesses[n]
        for m in seen.values():
            if _clash(accesses[m], access) and not order.known(m, n):
                return m, n
        seen.setdefault((access.kind, access.block, access.thread, access.phase, access.epoch), n)
    return None


def _clash(a: Access, b: Access) -> bool:
    """Whether two accesses to one slot need an order that no barrier gives them."""
    if (a.kind, b.kind) in (("read", "read"), ("atomic", "atomic")):
        return False
    if a.block != b.block:
        return True
    same_warp = a.thread // WARP == b.thread // WARP
    return a.thread != b.thread and a.phase == b.phase and not (same_warp and a.epoch != b.epoch)


class _Order:
    """What one block knows to have happened in another: an atomic update after a fence, seen by a later one."""

    def __init__(self, notes: Notes) -> None:
        self._accesses = notes.accesses
        self._fences: dict[int, list[int]] = {}
        for at, block in notes.fences:
            self._fences.setdefault(block, []).append(at)
        self._updates: dict[tuple[str, int], list[int]] = {}
        if notes.fences:
            for number, access in enumerate(notes.accesses):
                if access.kind == "atomic":
                    self._updates.setdefault((access.array, access.slot), []).append(number)

    def known(self, first: int, second: int) -> bool:
        """Whether the first access is over for the thread that does the second, in another block."""
        one, two = self._accesses[first], self._accesses[second]
        fences = self._fences.get(one.block)
        if one.block == two.block or not fences:
            return False
        at = bisect_left(fences, first + 1)
        if at == len(fences):
            return False
        for updates in self._updates.values():
            mine = [n for n in updates if fences[at] <= n < second and self._accesses[n].block == one.block]
            if mine and any(mine[0] < n < second and self._accesses[n].block == two.block for n in updates):
                return True
        return False
