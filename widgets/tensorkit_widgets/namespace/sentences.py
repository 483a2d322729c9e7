"""Bytes, slots, and what a view keeps alive, in words; a snapshot as a few lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tensorkit_widgets.namespace.model import Difference, MemorySnapshot, Storage


def bytes_words(count: int) -> str:
    """A number of bytes as it is read.

    >>> bytes_words(1), bytes_words(48), bytes_words(40_000_000), bytes_words(1_234_567)
    ('1 byte', '48 bytes', '40 MB', '1.23 MB')
    """
    if count < 1000:
        return f"{count} byte{'s' * (count != 1)}"
    value, unit = float(count), "bytes"
    units = iter(("kB", "MB", "GB", "TB", "PB"))
    while value >= 999.5 and unit != "PB":
        value, unit = value / 1000, next(units)
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    text = f"{value:,.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"


def slots_words(slots: Sequence[int], most: int = 4) -> str:
    """Slots as ranges.

    >>> slots_words([4, 5, 6, 7]), slots_words([3]), slots_words([0, 2, 3, 9, 11, 13, 14])
    ('slots 4–7', 'slot 3', 'slots 0, 2–3, 9, 11 and 2 more')
    """
    ordered = sorted(set(slots))
    starts = [ordered[0], *(b for a, b in pairwise(ordered) if b != a + 1)]
    stops = [*(a for a, b in pairwise(ordered) if b != a + 1), ordered[-1]]
    ranges = [str(a) if a == b else f"{a}–{b}" for a, b in zip(starts, stops, strict=True)]
    left = sum(b - a + 1 for a, b in zip(starts[most:], stops[most:], strict=True))
    text = ", ".join(ranges[:most]) + (f" and {left} more" if left else "")
    return f"slot{'s' * (len(ordered) > 1)} {text}"


def keeps_alive(storage: Storage) -> str:
    """The sentence about a small view of a large storage, or an empty text.

    Said when at most a quarter of at least 1 kB is reached.
    """
    if storage.device == "meta" or storage.nbytes < 1000 or storage.viewed * 4 > storage.nbytes:
        return ""
    size = bytes_words(storage.nbytes)
    if len(storage.holders) == 1:
        [holder] = storage.holders
        count = holder.elements
        what = f"{count:,}-element" if count != 1 else "one-element"
        kind = "tensor" if holder.library != "numpy" else "array"
        return f"this {what} {kind if 0 in holder.size else 'slice'} keeps {size} alive"
    return f"these {len(storage.holders)} views of {bytes_words(storage.viewed)} keep {size} alive"


def remedy(storage: Storage) -> str:
    """What would free the storage whose one small view keeps it alive, or an empty text."""
    if not keeps_alive(storage) or len(storage.holders) != 1:
        return ""
    [holder] = storage.holders
    plain = [way for way in holder.ways if way.kind in ("name", "inside")]
    if len(plain) != 1 or len(holder.ways) != 1:
        return ""
    copier = "copy" if holder.library == "numpy" else "clone"
    return f"{plain[0].text} = {plain[0].text}.{copier}() would free it"


def summary(snapshot: MemorySnapshot, change: Difference) -> str:
    """The snapshot as a few lines of text."""
    count = len(snapshot.storages)
    lines = [
        f"memory map: {count} storage{'s' * (count != 1)}, {bytes_words(snapshot.owned())} owned, "
        f"{bytes_words(snapshot.viewed())} viewed, {snapshot.names} name{'s' * (snapshot.names != 1)}"
    ]
    for storage in snapshot.storages:
        became = change.change(storage.number)
        said = f"; {became.words}" if became and became.fate != "unchanged" else ""
        lines.append(f"{storage.dtype} storage on {storage.device}, {bytes_words(storage.nbytes)}{said}")
        for holder in storage.holders:
            names = ", ".join(way.text for way in holder.ways)
            lines.append(f"  {names}: {holder.kind} {holder.size} {holder.stride} +{holder.offset}")
        if keeps_alive(storage):
            lines.append(f"  {keeps_alive(storage)}")
    lines += [f"storage {one.storage}: {one.words}" for one in (*change.of("freed"), *change.of("lost"))]
    lines += [f"{one.name} was rebound" for one in change.rebound]
    return "\n".join([*lines, *snapshot.cut])
