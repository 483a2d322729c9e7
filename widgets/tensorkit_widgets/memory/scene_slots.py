"""Which slots of a storage a card of the memory map shows, how large, and in how many rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.namespace.model import Change, Storage
from tensorkit_widgets.snapshot.number_text import short
from tensorkit_widgets.snapshot.window import strip_runs

GAP = 46.0
"""The width of what is left out."""
POINTS = 5

Number = bool | int | float | complex


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot with its number."""

    slot: int
    value: Number


Item = Slot | tuple[int, int]
"""A slot, or the half-open range of slots that is left out."""


def slot_rows(
    storage: Storage, change: Change | None, room: float, large: bool
) -> tuple[float, float, list[list[Item]]]:
    """The width of a slot, the size of its number, and the slots in rows.

    In one row where they fit with large numbers, else in two, else only those that matter; ``large``: in as many rows
    as it takes.
    """
    values = {run.start + k: value for run in storage.runs for k, value in enumerate(run.values)}
    longest = max(len(short(v, storage.dtype)) for v in values.values())
    slots = sorted(values)
    fonts = (22, 20, 18) if large else (18, 17, 16, 15, 14, 13)
    for font in fonts:
        unit = _unit(longest, font)
        items = _items(slots, values, storage.slots)
        if len(_filled(items, unit, room)) == 1:
            return _width(items, unit, room, large), font, [items]
    unit = _unit(longest, font)
    whole = len(slots) == storage.slots
    if not large and len(_filled(items, unit, room)) > 1 + whole:
        most = max(2, int(((1 + whole) * room - (2 + whole) * GAP) // unit))
        slots = _window(storage, change, slots, most)
        items = _items(slots, values, storage.slots)
    rows = _filled(items, unit, room)
    share = sum(item_width(item, unit) for item in items) / len(rows)
    even = _filled(items, unit, min(room, share + unit / 2))
    return unit, font, even if len(even) == len(rows) else rows


def _unit(longest: int, font: float) -> float:
    """The least width of a slot for numbers of so many characters."""
    return max(30.0, (longest + 1) * MONO * font + 2)


def _width(items: list[Item], least: float, room: float, large: bool) -> float:
    """Slots as wide as there is room for, within reason."""
    gaps = sum(isinstance(item, tuple) for item in items)
    count = len(items) - gaps
    return max(least, min(76.0 if large else 60.0, (room - GAP * gaps) / max(count, 1)))


def item_width(item: Item, unit: float) -> float:
    """How much of a row an item takes."""
    return unit if isinstance(item, Slot) else GAP


def _window(storage: Storage, change: Change | None, slots: list[int], most: int) -> list[int]:
    """At most about ``most`` of the slots: what has changed first, then where each tensor begins."""
    changed = change.slots if change is not None else ()
    points = [*changed[:1], *(h.reach[0] for h in storage.holders[:POINTS] if not h.fault)]
    there = [p for p in points if p in slots][:4] or slots[:1]
    runs = strip_runs(storage.slots, there, most)
    kept = [slot for slot in slots if any(a <= slot < b for a, b in runs)]
    return kept or slots[:most]


def _items(slots: list[int], values: dict[int, Number], count: int) -> list[Item]:
    out: list[Item] = []
    for before, slot in pairwise([-1, *slots]):
        if slot > before + 1:
            out.append((before + 1, slot))
        out.append(Slot(slot, values[slot]))
    if slots[-1] + 1 < count:
        out.append((slots[-1] + 1, count))
    return out


def _filled(items: list[Item], unit: float, room: float) -> list[list[Item]]:
    rows: list[list[Item]] = [[]]
    used = 0.0
    for item in items:
        wide = item_width(item, unit)
        if rows[-1] and used + wide > room + 0.01:
            rows.append([])
            used = 0.0
        rows[-1].append(item)
        used += wide
    return rows
