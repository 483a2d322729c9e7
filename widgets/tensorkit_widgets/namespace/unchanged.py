"""What stands as it stood at the last look: most of a notebook, while a cell runs. It is recognised quickly."""

from __future__ import annotations

import weakref
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tensorkit_widgets.namespace.fingerprint import looked_at
from tensorkit_widgets.namespace.group_by_storage import Group, Numbers, One, is_sampled, roots_of
from tensorkit_widgets.namespace.model import Holder, Storage
from tensorkit_widgets.namespace.read_bytes import Contents, points_of, read_parts, visible
from tensorkit_widgets.namespace.storage_adapter import Ground, may_move, unmoved


@dataclass(slots=True)
class Stand:
    """A group as a look left it, and where its content lay.

    Attributes:
        members: the ids of its tensors, in the order in which they were found.
        parts: the addresses and sizes of the bytes that were compared, but for the sample.
        large: whether it shares the budget of samples.
        moving: whether another thread may make the memory smaller.
        look: the last look that found it so.
    """

    storage: Storage
    members: tuple[int, ...]
    device: str
    start: int
    nbytes: int
    parts: tuple[tuple[int, int], ...]
    large: bool
    moving: bool
    look: int


@dataclass(slots=True)
class Known:
    """What was seen of a tensor object the last time. ``first`` and ``item`` are those of its storage."""

    of: weakref.ref[Any]
    number: int
    ground: Ground
    holder: Holder | None = None
    first: int = 0
    item: int = 0
    stand: Stand | None = None


Standings = Mapping[int, tuple[Stand, list[One]]]


class Standing:
    """Tells what stands as it stood, by what a watch knows of its storages and tensors."""

    def __init__(self, storages: Numbers, known: Mapping[int, Known], contents: Contents) -> None:
        self._storages = storages
        self._known = known
        self._contents = contents

    def part(self, ones: Sequence[One], look: int) -> tuple[list[tuple[Stand, list[One]]], list[One]]:
        """The groups of the look before this of which no tensor has changed, come or gone, with their tensors; and
        the other tensors."""
        stands: dict[int, tuple[Stand, list[One]]] = {}
        loose: list[One] = []
        for one in ones:
            stand = self._stand_of(one, look - 1)
            if stand is None:
                loose.append(one)
            elif stand.storage.number in stands:
                stands[stand.storage.number][1].append(one)
            else:
                stands[stand.storage.number] = stand, [one]
        for number, (stand, members) in list(stands.items()):
            if stand.members != tuple([id(one.tensor) for one in members]):
                loose += stands.pop(number)[1]
        if loose and stands:
            for number in self._touched(stands, loose):
                loose += stands.pop(number)[1]
        if len(loose) > 1:
            places = {id(one): k for k, one in enumerate(ones)}
            loose.sort(key=lambda one: places[id(one)])
        return list(stands.values()), loose

    def _stand_of(self, one: One, look: int) -> Stand | None:
        known = self._known.get(id(one.tensor))
        if known is None or known.ground is not one.ground or known.holder is None:
            return None
        stand = known.stand
        if stand is None or stand.look != look or known.holder.ways != one.ways:
            return None
        for root in one.roots:
            if self._storages.find(root) != stand.storage.number:
                return None
        return stand

    def _touched(self, stands: Standings, loose: Sequence[One]) -> list[int]:
        """The groups on whose memory one of these tensors lies too."""
        touched = {self._storages.find(root) for one in loose for root in one.roots}
        spans = sorted((s.device, s.start, s.start + s.nbytes, n) for n, (s, _) in stands.items() if s.start)
        for one in loose:
            base = one.ground
            at = bisect(spans, (base.device, base.start + base.nbytes)) if base.start else 0
            while at and spans[at - 1][0] == base.device and spans[at - 1][2] > base.start:
                at -= 1
                touched.add(spans[at][3])
        return [number for number in stands if number in touched]

    def same_content(self, stand: Stand, members: Sequence[One]) -> bool:
        """Whether the bytes that were compared at the last look are the same."""
        evidence = stand.storage.evidence
        if evidence is None or stand.device != "cpu" or not evidence.content:
            return True  # nothing to read, or nothing that is read while the counters stand still
        if stand.moving and not unmoved(roots_of(members), stand.start, stand.nbytes):
            return False
        parts = read_parts(stand.parts)
        if evidence.sampled:
            number, slots, item = stand.storage.number, evidence.slots, evidence.itemsize
            parts.append(self._contents.sample(number, stand.start, slots, item, evidence.sampled))
        return (parts[0] if len(parts) == 1 else b"".join(parts)) == evidence.content

    def keep(self, group: Group, storage: Storage, look: int) -> None:
        """Remember how a group was found, if the next look can tell quickly that it stands as it stood."""
        evidence, device = storage.evidence, storage.device
        parts: tuple[tuple[int, int], ...] = ()
        quick = evidence is not None or not (group.nbytes and group.start)
        if evidence is not None:
            quick = evidence.runs == visible(evidence.slots, points_of(storage.holders))
            if device != "cpu":
                quick = quick and all(h.version is not None for h in storage.holders)
            else:
                runs, item = looked_at(evidence.slots, evidence.runs), evidence.itemsize
                parts = tuple([(group.start + a * item, (b - a) * item) for a, b in runs if a < b])
        stand = None
        if quick:
            members = tuple([id(one.tensor) for one in group.ones])
            large, moving = is_sampled(group), may_move(roots_of(group.ones))
            stand = Stand(storage, members, device, group.start, group.nbytes, parts, large, moving, look)
        for one in group.ones:
            self._known[id(one.tensor)].stand = stand
