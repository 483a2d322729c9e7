"""The tensors that a look at the memory found, and which of them stand on the same memory."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tensorkit_widgets.namespace.find_tensors import Way
from tensorkit_widgets.namespace.fingerprint import WHOLE
from tensorkit_widgets.namespace.storage_adapter import Ground, Roots


class Numbers:
    """A number for each live object, known by weak reference: an address that is used again gets a new number."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[weakref.ref[Any], int]] = {}
        self.next = self.kept = 0

    def find(self, thing: Any) -> int | None:
        held = self.known.get(id(thing))
        return held[1] if held is not None and held[0]() is thing else None

    def give(self, thing: Any, number: int) -> None:
        self.known[id(thing)] = (weakref.ref(thing), number)

    def fresh(self) -> int:
        self.next += 1
        return self.next

    def prune(self) -> None:
        self.known = {key: held for key, held in self.known.items() if held[0]() is not None}
        self.kept = len(self.known)

    def alive(self) -> set[int]:
        return {number for reference, number in self.known.values() if reference() is not None}


@dataclass(slots=True)
class One:
    """A tensor that was found, with its ground; its roots keep the memory there while this look lasts."""

    tensor: Any
    ways: tuple[Way, ...]
    ground: Ground
    roots: Roots


@dataclass(slots=True)
class Group:
    """The tensors on one memory: ``nbytes`` from ``start``."""

    ones: list[One]
    start: int
    nbytes: int


def roots_of(ones: Sequence[One]) -> list[Any]:
    """Whom the memory of these tensors belongs to."""
    return [root for one in ones for root in one.roots]


def is_sampled(group: Group) -> bool:
    """Whether some memory's changes show in its content alone: an array stands on it, or nobody counts."""
    if group.nbytes <= WHOLE or group.ones[0].ground.mapped:
        return False
    return any(one.ground.version is None for one in group.ones)


def groups_of(ones: Sequence[One]) -> list[Group]:
    """Tensors by the memory that they share, in the order of their first."""
    first: dict[int, int] = {}
    parent = list(range(len(ones)))

    def top(k: int) -> int:
        while parent[k] != k:
            k = parent[k]
        return k

    def join(a: int, b: int) -> None:
        low, high = sorted((top(a), top(b)))
        parent[high] = low

    for k, one in enumerate(ones):
        for root in one.roots:
            join(first.setdefault(id(root), k), k)
    _join_overlapping(ones, join)
    groups: dict[int, list[One]] = {}
    for k, one in enumerate(ones):
        groups.setdefault(top(k), []).append(one)
    return [Group(members, *_span([one.ground for one in members])) for members in groups.values()]


def _join_overlapping(ones: Sequence[One], join: Callable[[int, int], None]) -> None:
    spans = sorted(
        (one.ground.device, one.ground.start, one.ground.start + one.ground.nbytes, k)
        for k, one in enumerate(ones)
        if one.ground.start
    )
    home, reach, last = "", 0, -1
    for device, low, high, k in spans:
        if device == home and low < reach:
            join(last, k)
            reach = max(reach, high)
        else:
            home, reach, last = device, high, k


def _span(grounds: Sequence[Ground]) -> tuple[int, int]:
    """Where the memory of a group begins, and how many bytes it has."""
    there = [one for one in grounds if one.start]
    if not there:
        return 0, grounds[0].nbytes
    start = min(one.start for one in there)
    return start, max(one.start + one.nbytes for one in there) - start
