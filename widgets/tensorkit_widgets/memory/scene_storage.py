"""One storage of the memory map: its strip, and under it a line for each tensor that stands on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import Gap, Note
from tensorkit_widgets.drawing.sheet import Frame, Table, Tile
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.memory.scene_slots import GAP, Item, Slot, item_width, slot_rows
from tensorkit_widgets.namespace.model import Change, Holder, Storage
from tensorkit_widgets.namespace.reached_slots import reached_slots
from tensorkit_widgets.namespace.sentences import keeps_alive, remedy, slots_words
from tensorkit_widgets.namespace.words import (
    aliases,
    label_of,
    layout_words,
    listed,
    owned_words,
    seen_words,
)
from tensorkit_widgets.snapshot.number_text import full, short

PAD = 16.0
LABELS = 330.0
"""The column of names, where the page is wide enough for one."""
WIDE = 700.0
HOLDERS = 5
"""Lines of holders of one storage, until it is shown large."""
MOST_HOLDERS = 40


OUT_OF_SIGHT = "No slot in sight has changed: the version counter tells that there was a write, not where."


@dataclass
class Card:
    """What is drawn of a storage, from ``y`` down; ``left`` is where the strip begins."""

    storage: Storage
    change: Change | None
    x: float
    y: float
    width: float
    large: bool
    linked: bool
    notes: list[Note] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    rows: list[tuple[Tile, ...]] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    key: str = ""

    @property
    def wide(self) -> bool:
        """Whether the names stand beside the strip."""
        return self.width >= WIDE

    @property
    def left(self) -> float:
        """Where the strip begins."""
        return self.x + PAD + (LABELS if self.wide else 0)

    @property
    def room(self) -> float:
        """The width of the strip."""
        return self.x + self.width - PAD - self.left

    @property
    def table(self) -> Table:
        """The tiles: one stop of the Tab key."""
        label = f"{self.storage.dtype} storage on {self.storage.device}, {owned_words(self.storage)}"
        return Table(self.key, label, tuple(self.rows), gaps=tuple(self.gaps), told=False)

    def say(
        self, words: str, role: str = "muted", x: float | None = None, step: float = 19.0, font: float = 13.5
    ) -> None:
        """A sentence, broken into lines where it has to be."""
        at = self.x + PAD if x is None else x
        for line in wrap(words, self.x + self.width - PAD - at, font):
            self.notes.append(Note(at, self.y + step - 5, line, role))
            self.y += step


def storage_card(
    storage: Storage,
    change: Change | None,
    box: tuple[float, float, float],
    left: Sequence[str] = (),
    large: bool = False,
    linked: bool = True,
) -> Card:
    """A storage at ``box`` = (x, y, width).

    Args:
        left: names that stood here before this cell.
        large: whether it is alone on the page.
        linked: whether its slots light up with those in other pictures: only what is so now does.
    """
    x, y, width = box
    card = Card(storage, change, x, y + 9, width, large, linked, key=f"s{storage.number}")
    _heading(card)
    _strip(card)
    _remarks(card, left)
    fate = change.fate if change is not None else "unchanged"
    kind = {"made": "made", "changed": "wrote"}.get(fate, "panel")
    card.frames.insert(0, Frame(x, y, width, card.y + 6 - y, kind))
    card.y += 6
    return card


# ---- the heading


def _heading(card: Card) -> None:
    """What it is, whether the cell made or changed it, and how large it is."""
    at, title = card.x + PAD, f"{card.storage.dtype} storage"
    fate = {"made": "new", "changed": "changed in place"}.get(card.change.fate if card.change else "", "")
    if card.change is not None and card.change.resized is not None:
        fate = "resized"
    size = owned_words(card.storage)
    if card.wide and any(run.values for run in card.storage.runs):
        _beside(card, title, fate, size)
        return
    card.notes.append(Note(at, card.y + 15, title, "heading"))
    beside = at + 9.0 * len(title) + 14
    if fate:
        card.notes.append(Note(beside, card.y + 15, fate, "good-words" if fate == "new" else "copy-words"))
        beside += 9.0 * len(fate) + 14
    right = card.x + card.width - PAD
    if beside + 7.4 * len(size) <= right:
        card.notes.append(Note(right, card.y + 15, size, "muted", "end"))
        card.y += 26
    else:
        card.y += 22
        card.say(size)
        card.y += 3


def _beside(card: Card, title: str, fate: str, size: str) -> None:
    """The heading in the column of names, at the left of the slots."""
    at, y = card.x + PAD, card.y + 17
    card.notes.append(Note(at, y, title, "heading"))
    if fate:
        role = "good-words" if fate == "new" else "copy-words"
        card.notes.append(Note(at + 9.0 * len(title) + 14, y, fate, role))
    for k, line in enumerate(wrap(size, LABELS - 16, 13.5)):
        card.notes.append(Note(at, y + 20 + 17 * k, line, "muted"))


# ---- the strip


def _strip(card: Card) -> None:
    storage = card.storage
    holders = storage.holders[: MOST_HOLDERS if card.large else HOLDERS]
    shown = {slot for run in storage.runs for slot in range(run.start, run.start + len(run.values))}
    if not shown:
        if storage.fault:
            card.say(storage.fault)
            card.y += 6
        for holder in holders:
            _unseen(card, holder)
    else:
        unit, font, rows = slot_rows(storage, card.change, card.room, card.large)
        named: set[int] = set()
        for row in rows:
            _row(card, row, unit, font, holders, named)
        for number, holder in enumerate(holders):
            if number not in named:
                _unseen(card, holder)
    rest = len(storage.holders) - len(holders)
    if rest:
        card.say(f"and {rest} more tensors on it" + ("" if card.large else ": press a name to see them"))


def _row(
    card: Card, row: list[Item], unit: float, font: float, holders: Sequence[Holder], named: set[int]
) -> None:
    """A row of slots, and under it the holders that reach some of them."""
    high = font + (30.0 if card.large else 24.0)
    at, places = card.left, {}
    tiles: list[Tile] = []
    slots = [item.slot for item in row if isinstance(item, Slot)]
    reach = {h.number: reached_slots(card.storage, h, slots) for h in card.storage.holders}
    for item in row:
        if isinstance(item, Slot):
            places[item.slot] = at
            readers = [label_of(h) for h in card.storage.holders if item.slot in reach[h.number]]
            tiles.append(_tile(card, item, (at, card.y, unit, high), font, readers))
        else:
            card.gaps.append(Gap(round(at, 2), card.y, GAP, high, *item))
        at += item_width(item, unit)
    if tiles:
        card.rows.append(tuple(tiles))
    gapped = any(isinstance(item, tuple) for item in row)
    card.y += high + (38 if gapped else 24)
    for number, holder in enumerate(holders):
        if reach[holder.number]:
            _holder(card, holder, reach[holder.number], places, unit, number not in named)
            named.add(number)
    card.y += 2


def _tile(
    card: Card, item: Slot, box: tuple[float, float, float, float], font: float, readers: Sequence[str]
) -> Tile:
    storage = card.storage
    changed = card.change is not None and item.slot in card.change.slots
    exact = full(item.value, storage.dtype)
    x, y, width, height = box
    who = f"read by {listed(readers)}" if readers else "no tensor reads it"
    kinds: tuple[str, ...] = ("changed",) if changed else () if readers else ("grey",)
    said = f"slot {item.slot}, value {exact}, {'changed by this cell, ' if changed else ''}{who}"
    link = storage.link if card.linked else None
    return Tile(
        f"{card.key}:{item.slot}", round(x, 2), y, round(width, 2), height, short(item.value, storage.dtype), said,
        kinds, below=str(item.slot), link=link, slot=item.slot if link is not None else None, full=exact, font=font,
    )  # fmt: skip


# ---- the holders


def _holder(
    card: Card,
    holder: Holder,
    reached: Sequence[int],
    places: dict[int, float],
    unit: float,
    first: bool,
) -> None:
    """One tensor under a row: its name where it stands first, and a bar over each run of slots that it reaches."""
    top = card.y
    tiles = [_name(card, holder, reached)] if first else []
    if card.wide:
        under = _layout(card, holder, tiles[0]) if first else top
        bar, bottom = top + 3, max(under + 2, top + 20)
    else:
        if first:
            card.y = _layout(card, holder, tiles[0])
        else:
            card.notes.append(Note(card.left, top + 11, label_of(holder)[:24], "small"))
            card.y = top + 16
        bar, bottom = card.y, card.y + 17
    name = label_of(holder)
    for run in _runs(reached, places, unit):
        x, wide = places[run[0]] + 2, len(run) * unit - 4
        key = f"b{card.storage.number}:{holder.number}:{run[0]}"
        said = f"{name} reaches {slots_words(run)}"
        kin = tuple(f"{card.key}:{slot}" for slot in run)
        tiles.append(Tile(key, round(x, 2), bar, round(wide, 2), 11.0, "", said, ("bar",), kin, font=8.0))
    card.rows.append(tuple(tiles))
    card.y = bottom + 4


def _runs(reached: Sequence[int], places: dict[int, float], unit: float) -> list[list[int]]:
    """Slots that lie side by side on the page."""
    out: list[list[int]] = []
    for slot in reached:
        if out and slot == out[-1][-1] + 1 and abs(places[slot] - places[slot - 1] - unit) < 0.01:
            out[-1].append(slot)
        else:
            out.append([slot])
    return out


def _name(card: Card, holder: Holder, reached: Iterable[int]) -> Tile:
    name = label_of(holder)
    font = 16.0
    most = int(((LABELS if card.wide else card.width - 2 * PAD) - 16) / (MONO * font))
    text = name if len(name) <= most else name[: most - 1] + "…"
    width = len(text) * MONO * font + 12
    said = f"{name}: {layout_words(holder, card.storage.dtype)}"
    if not card.large:
        said += "; press to see its storage alone"
    return Tile(
        f"h{card.storage.number}:{holder.number}", card.x + PAD - 6, card.y - 4, round(width, 2), 24.0, text, said,
        ("quiet",), tuple(f"{card.key}:{slot}" for slot in reached), action="" if card.large else "only", font=font,
    )  # fmt: skip


def _layout(card: Card, holder: Holder, name: Tile) -> float:
    """Size, stride and offset beside a name or under it; where the words end."""
    words, more = layout_words(holder, card.storage.dtype), aliases(holder, 3 if card.large else 2)
    room = LABELS - 8 if card.wide else card.width - 2 * PAD
    y = name.y + 25
    beside = name.x + name.width + 8
    end = card.left - 4 if card.wide else card.x + card.width - PAD
    if beside + (6.4 if card.wide else 7.0) * len(words) < end:
        card.notes.append(Note(beside, name.y + 17, words, "small tk-muted"))
        words = ""
    for line in [line for text in (words, more) if text for line in wrap(text, room, 12.8)]:
        card.notes.append(Note(card.x + PAD, y + 12, line, "small tk-muted"))
        y += 16
    return y + 3


def _unseen(card: Card, holder: Holder) -> None:
    """A tensor none of whose slots is on the page."""
    name = _name(card, holder, ())
    card.rows.append((name,))
    card.y = _layout(card, holder, name) + 3
    if holder.fault:
        card.say(holder.fault, "alarm")
    elif card.storage.runs and holder.elements:
        low, high = holder.reach
        card.say(f"it reads slots {low:,}–{high - 1:,}, out of sight here")
    elif not holder.elements:
        card.say("it has no elements, so it reads no slot")
    card.y += 4


# ---- what is said below


def _remarks(card: Card, left: Sequence[str]) -> None:
    storage = card.storage
    seen = seen_words(storage, card.change)
    if seen:
        card.y += 4
        card.say(seen, "copy-words", font=15)
    change = card.change
    unseen = change is not None and change.counted and not (change.slots or change.hidden)
    if unseen and storage.compared != "whole":
        card.y += 4
        card.say(OUT_OF_SIGHT, "body", font=15)
    alive = keeps_alive(storage)
    if alive:
        card.y += 6
        inner = card.width - 2 * PAD
        card.frames.append(Frame(card.x + PAD, card.y, inner, 12, "hole", 3.0))
        part = max(3.0, inner * storage.viewed / max(storage.nbytes, 1))
        card.frames.append(Frame(card.x + PAD, card.y, part, 12, "part", 3.0))
        card.y += 18
        card.say(alive, "copy-words", font=15)
        if remedy(storage):
            card.say(remedy(storage), "body", font=15)
    for name in left:
        card.say(f"{name} stood here before this cell")
