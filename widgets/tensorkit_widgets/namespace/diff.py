"""What happened between two snapshots of the memory.

How a change is known: by the version counters that tensorkit and PyTorch keep, and by comparing content
(`tensorkit_widgets.namespace.fingerprint`).
"""

from __future__ import annotations

from functools import lru_cache

from tensorkit_widgets.namespace.fingerprint import unlike
from tensorkit_widgets.namespace.model import (
    Change,
    Compared,
    Difference,
    Fate,
    Holder,
    MemorySnapshot,
    Rebound,
    Storage,
)
from tensorkit_widgets.namespace.reached_slots import reached_slots
from tensorkit_widgets.namespace.sentences import bytes_words, slots_words
from tensorkit_widgets.snapshot.geometry import Ints


def difference(before: MemorySnapshot | None, after: MemorySnapshot) -> Difference:
    """What happened between two snapshots of one watch; they need not follow each other."""
    if before is None:
        return Difference(None, after.moment)
    old = {storage.number: storage for storage in (*before.lost, *before.storages)}
    seen = {storage.number for storage in after.storages}
    alive = {storage.number for storage in after.lost}
    changes = [_change(old.get(storage.number), storage) for storage in after.storages]
    known = {storage.number for storage in before.storages}
    for number, storage in old.items():
        if number not in seen and (number not in alive or number in known):
            changes.append(_gone(storage, number in alive))
    return Difference(before.moment, after.moment, tuple(changes), *_names(before, after))


def _visible(storage: Storage) -> tuple[tuple[int, int], ...]:
    return storage.evidence.runs if storage.evidence is not None else ()


def _gone(storage: Storage, alive: bool) -> Change:
    size = bytes_words(storage.nbytes)
    if alive:
        words = (
            f"no name leads to these {size} any more, but something that is not looked at still holds them"
        )
        return Change(storage.number, "lost", compared="nothing", words=words)
    return Change(storage.number, "freed", compared="nothing", words=f"freed: {size}")


def _change(before: Storage | None, after: Storage) -> Change:
    if before is after:  # a watch gives the same object again when nothing at all has changed
        return _still(after.number, after.compared, after.compared != "whole" and _all_count(after))
    if before is None:
        return Change(
            after.number, "made", compared=after.compared, words=f"made: {bytes_words(after.nbytes)}"
        )
    differing = unlike(before.evidence, after.evidence)
    slots = tuple(slot for slot in differing or () if any(a <= slot < b for a, b in _visible(after)))
    hidden = len(differing or ()) - len(slots)
    reshaped, count = _reshaped(before, after), _counted(before, after)
    # The counter counts a new size and stride as it counts a write: what is left over was written.
    counted = count > len(reshaped)
    resized = before.nbytes if before.nbytes != after.nbytes else None
    compared = "nothing" if differing is None else after.compared
    fate: Fate = "changed" if slots or hidden or counted or resized is not None else "unchanged"
    through = _through(after, differing) if differing and fate == "changed" else ""
    words = _words(after, fate, slots, hidden, counted, compared, resized)
    names = tuple(holder.name for holder in reshaped)
    return Change(after.number, fate, slots, hidden, counted, compared, through, resized, words, names)


@lru_cache(maxsize=1024)
def _still(number: int, compared: Compared, counts: bool) -> Change:
    return Change(number, "unchanged", compared=compared, words=_unchanged(compared, counts))


def _all_count(storage: Storage) -> bool:
    return all(holder.version is not None for holder in storage.holders)


def _counted(before: Storage, after: Storage) -> int:
    """By how much the version counter of the same tensor object went up, at most."""
    versions = {holder.number: holder.version for holder in before.holders if holder.version is not None}
    return max(
        (
            h.version - versions[h.number]
            for h in after.holders
            if h.version is not None and h.number in versions
        ),
        default=0,
    )


def _reshaped(before: Storage, after: Storage) -> list[Holder]:
    """The tensor objects that have another size, stride or offset now."""
    then = {h.number: (h.size, h.stride, h.offset) for h in before.holders}
    return [h for h in after.holders if then.get(h.number, (0,)) not in ((0,), (h.size, h.stride, h.offset))]


def _through(storage: Storage, slots: Ints) -> str:
    if len(storage.holders) == 1:
        return ""  # nobody has to be told through whom
    found = [h for h in storage.holders if len(reached_slots(storage, h, slots)) == len(slots)]
    if not found:
        return ""
    least = min(found, key=lambda holder: holder.viewed)
    return least.name if any(h.viewed > least.viewed for h in storage.holders) else ""


def _words(
    storage: Storage,
    fate: Fate,
    slots: Ints,
    hidden: int,
    counted: bool,
    compared: Compared,
    resized: int | None,
) -> str:
    if resized is not None:
        return f"resized from {bytes_words(resized)} to {bytes_words(storage.nbytes)}"
    if fate == "unchanged":
        return _unchanged(compared, _all_count(storage))
    if slots or hidden:
        shown = [slots_words(slots)] if slots else []
        more = (
            [f"{hidden} more out of sight"]
            if hidden and slots
            else [f"{hidden} slots out of sight"] * bool(hidden)
        )
        extent_known = " (of those that were compared)" if compared != "whole" else ""
        return f"changed in place: {' and '.join(shown + more)}{extent_known}"
    if compared == "whole":
        return "its version counter went up; the numbers are as they were"
    looked = (
        "none of the slots that were compared differs"
        if compared != "nothing"
        else "its numbers were not compared"
    )
    return f"changed in place, says its version counter; {looked}"


def _unchanged(compared: Compared, counts: bool) -> str:
    if compared == "whole":
        return "unchanged"
    if compared == "nothing":
        return "unchanged, says its version counter"
    by = "its version counter and " if counts else ""
    seen = "the visible slots" if compared == "window" else "a sample of its slots"
    return f"unchanged, as far as {by}{seen} tell{'' if by or compared == 'window' else 's'}"


def _names(before: MemorySnapshot, after: MemorySnapshot) -> tuple[tuple[Rebound, ...], ...]:
    # Whatever stands in a storage that is the same object both times stands there unchanged.
    same = {id(s) for s in before.storages} & {id(s) for s in after.storages}
    old, new = _standing(before, same), _standing(after, same)
    rebound = [Rebound(n, old[n][0], new[n][0]) for n in new if n in old and old[n] != new[n]]
    bound = [Rebound(n, None, new[n][0]) for n in new if n not in old]
    unbound = [Rebound(n, old[n][0], None) for n in old if n not in new]
    return tuple(rebound), tuple(bound), tuple(unbound)


def _standing(snapshot: MemorySnapshot, same: set[int]) -> dict[str, tuple[int, int]]:
    """Name → storage and tensor. Outputs move on with every cell by themselves, and a graph's saving has no name."""
    return {
        way.text: (storage.number, holder.number)
        for storage in snapshot.storages
        if id(storage) not in same
        for holder in storage.holders
        for way in holder.ways
        if way.kind in ("name", "inside", "grad")
    }
