"""The memory map as a page: the moment, what the cell did, and the storages of each device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import PAGE, Frame, Sheet, Table, Tile
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.memory.scene_storage import PAD, Card, storage_card
from tensorkit_widgets.namespace.model import MemorySnapshot, Storage
from tensorkit_widgets.namespace.sentences import bytes_words
from tensorkit_widgets.namespace.words import (
    MemoryPage,
    happened,
    moment_words,
    names_of,
    stays,
    storage_text,
    totals,
    way_words,
)

FIRST = 6
"""Storages that are drawn before anybody asks for more."""
MOST = 48
"""Storages that are drawn at all: beyond them the filter helps."""
MARGIN = 16.0
GONE = 3
ORDERS = {
    "changed": "just changed first",
    "oldest": "oldest first",
    "newest": "newest first",
    "size": "largest first",
}


@dataclass(frozen=True)
class Sight:
    """What of a moment is shown: in which order, whose names hold a text, how many, and whether one storage alone.

    ``linked`` are the storages that are still there: their slots light up with the other pictures of them; None: all.
    """

    order: str = "changed"
    filter: str = ""
    most: int = FIRST
    only: int = 0
    width: float = PAGE
    linked: frozenset[int] | None = None


def chosen(page: MemoryPage, sight: Sight) -> tuple[Storage, ...]:
    """The storages that may be drawn, in their order."""
    storages = page.snapshot.storages
    if any(storage.number == sight.only for storage in storages):
        return tuple(storage for storage in storages if storage.number == sight.only)
    wanted = sight.filter.casefold()
    found = [s for s in storages if not wanted or any(wanted in text.casefold() for text in _ways(s))]
    written = {c.storage for c in page.change.changes if c.fate in ("made", "changed")}
    touched = _touched(page)
    keys = {
        "changed": lambda s: (s.number not in written, s.number not in touched, s.number),
        "newest": lambda s: -s.number,
        "size": lambda s: (-s.nbytes, s.number),
    }
    return tuple(sorted(found, key=keys.get(sight.order, lambda s: s.number)))


def drawn(page: MemoryPage, sight: Sight) -> tuple[tuple[Storage, ...], tuple[Storage, ...]]:
    """The storages that are drawn, and those that are folded.

    Of many storages, just changed first, only those are drawn that the cell had to do with, until more are asked for.
    """
    every, most = chosen(page, sight), sight.most
    if sight.order == "changed" and not sight.filter and most == FIRST < len(every):
        touched = _touched(page)
        most = min(sum(s.number in touched for s in every), FIRST) or FIRST
    return every[:most], every[most:]


def _touched(page: MemoryPage) -> set[int]:
    """The storages that the cell had to do with."""
    change = page.change
    numbers = {c.storage for c in change.changes if c.fate in ("made", "changed") or c.reshaped}
    # A name that came, went or moved is what the cell did, too.
    moved = (*change.rebound, *change.bound, *change.unbound)
    return numbers | {number for one in moved for number in (one.before, one.after) if number is not None}


def _ways(storage: Storage) -> list[str]:
    return [way.text for holder in storage.holders for way in holder.ways]


class _Sheet:
    """The page while it is written, from the top down."""

    def __init__(self, width: float) -> None:
        self.width = width
        self.y = 26.0
        self.notes: list[Note] = []
        self.frames: list[Frame] = []
        self.tables: list[Table] = []

    @property
    def inner(self) -> float:
        return self.width - 2 * MARGIN

    def say(self, words: str, role: str, font: float, step: float, indent: float = 0.0) -> None:
        for line in wrap(words, self.inner - indent, font):
            self.notes.append(Note(MARGIN + indent, self.y, line, role))
            self.y += step

    def put(self, card: Card) -> None:
        self.notes += card.notes
        self.frames += card.frames
        if card.rows:
            self.tables.append(card.table)
        self.y = card.y + 8


def compose_memory(page: MemoryPage | None, sight: Sight) -> Sheet:
    """One moment of the map."""
    sheet = _Sheet(sight.width)
    if page is None:
        sheet.say("Nothing has been looked at yet.", "body", 15, 22)
        return Sheet(
            "MemoryMap", "not yet", sheet.y, notes=tuple(sheet.notes), words=("Nothing has been looked at yet.",),
            status="empty", width=sight.width,
        )  # fmt: skip
    _top(sheet, page)
    shown, folded = _body(sheet, page, sight)
    _foot(sheet, page.snapshot)
    title = moment_words(page) + (f": {page.snapshot.moment.code}" if page.snapshot.moment.code else "")
    said = "; ".join(words for _, words in happened(page))
    return Sheet(
        "MemoryMap", title, sheet.y + 6, tuple(sheet.tables), tuple(sheet.notes), tuple(sheet.frames), (),
        tuple(_words(page, shown, folded)), f"{moment_words(page)}: {said}" if said else "",
        "ok" if page.snapshot.storages else "empty", sight.width,
    )  # fmt: skip


# ---- the moment


def _top(sheet: _Sheet, page: MemoryPage) -> None:
    moment = page.snapshot.moment
    words = moment_words(page)
    sheet.notes.append(Note(MARGIN, sheet.y, words, "title"))
    if moment.code:
        beside = MARGIN + 10.8 * len(words) + 16
        room = sheet.width - MARGIN - beside
        if len(moment.code) * MONO * 17 > room:
            beside, room = MARGIN, sheet.inner
            sheet.y += 28
        most = int(room / (MONO * 17))
        code = moment.code if len(moment.code) <= most else moment.code[: most - 1] + "…"
        sheet.notes.append(Note(beside, sheet.y, code, "code"))
    sheet.y += 22
    sheet.say(totals(page.snapshot), "muted", 13, 20)
    if moment.error:
        sheet.say(f"The cell ended with {moment.error}. What it had done before that stays.", "alarm", 14, 20)
    sheet.y += 4
    _happened(sheet, page)


def _happened(sheet: _Sheet, page: MemoryPage) -> None:
    found = happened(page)
    signs = {"made": "+", "changed": "✎", "rebound": "→", "freed": "×", "lost": "?"}
    for kind, words in found:
        if kind in signs:
            sheet.notes.append(Note(MARGIN + 7, sheet.y, signs[kind], "heading", "middle"))
        sheet.say(words, _ROLES.get(kind, "body"), 15, 21, 22.0)
    if not found and page.change.before is not None:
        sheet.say("Nothing was made, changed in place, rebound or freed.", "body", 15, 21)
    sheet.y -= 4


_ROLES = {"made": "good-words", "changed": "copy-words"}


# ---- the storages


def _body(sheet: _Sheet, page: MemoryPage, sight: Sight) -> tuple[list[Storage], list[Storage]]:
    """The cards; those that were drawn, and those that were folded."""
    every = chosen(page, sight)
    large = len(every) == 1 and every[0].number == sight.only
    shown, folded = map(list, drawn(page, sight))
    if sight.filter and not large:
        count = len(page.snapshot.storages)
        sheet.say(
            f"{len(every)} of {count} storages have a name with “{sight.filter}” in it.", "muted", 13.5, 20
        )
    devices = page.snapshot.devices
    for device in devices:
        here = [s for s in shown if s.device == device]
        rest = [s for s in folded if s.device == device]
        if len(devices) > 1 and (here or rest):
            sheet.y += 14
            owned = f"{bytes_words(page.snapshot.owned(device))} owned"
            sheet.notes.append(
                Note(MARGIN, sheet.y, device, "title", after=owned if device != "meta" else "")
            )
            sheet.y += 12
        for storage in here:
            box = (MARGIN - 4, sheet.y, sheet.width - 2 * MARGIN + 8)
            change = page.change.change(storage.number)
            linked = sight.linked is None or storage.number in sight.linked
            sheet.put(storage_card(storage, change, box, stays(page, storage), large, linked))
        if rest:
            _fold(sheet, device, rest, sight.most >= MOST)
    if not large:
        _gone(sheet, page)
    if not page.snapshot.storages:
        sheet.y += 16
        sheet.say(
            "No name of this notebook leads to a tensor yet. Make one in a cell: t = tk.arange(12.0)",
            "body",
            15,
            22,
        )
    return shown, folded


def _fold(sheet: _Sheet, device: str, rest: Sequence[Storage], full: bool) -> None:
    """The storages that are not drawn, as one tile: pressing it shows more."""
    count, size = len(rest), bytes_words(sum(s.nbytes for s in rest))
    words = f"{count} more storage{'s' * (count != 1)}, {size}"
    label = f"{words}: " + ("a filter by name finds them" if full else "press to show more")
    width = min(sheet.inner, len(label) * 8.2 + 24)
    tile = Tile(
        f"more:{device}", MARGIN, sheet.y, width, 34.0, words, label, ("plain",), action="" if full else "more",
        font=14,
    )  # fmt: skip
    sheet.tables.append(Table(f"more:{device}", f"not drawn, on {device}", ((tile,),), told=False))
    sheet.y += 48


def _gone(sheet: _Sheet, page: MemoryPage) -> None:
    """The storages that this cell freed: a hole where each was."""
    freed = {change.storage: change.words for change in page.change.of("freed")}
    holes = [storage for storage in page.gone if storage.number in freed]
    for storage in holes[:GONE]:
        words = f"{storage.dtype} storage, {freed[storage.number]}"
        lines = wrap(f"{names_of(storage)} stood here", sheet.inner - 2 * PAD, 13.5)
        sheet.frames.append(Frame(MARGIN - 4, sheet.y, sheet.inner + 8, 34.0 + 20 * len(lines), "hole"))
        sheet.notes.append(Note(MARGIN - 4 + PAD, sheet.y + 24, words, "body"))
        for k, line in enumerate(lines):
            sheet.notes.append(Note(MARGIN - 4 + PAD, sheet.y + 44 + 20 * k, line, "muted"))
        sheet.y += 34 + 20 * len(lines) + 12
    if len(holes) > GONE:
        more = sum(storage.nbytes for storage in holes[GONE:])
        sheet.y += 8
        sheet.say(f"and {len(holes) - GONE} more storages freed, {bytes_words(more)}", "muted", 13.5, 20)


def _foot(sheet: _Sheet, snapshot: MemorySnapshot) -> None:
    """What stands on no card."""
    for words in _rest(snapshot):
        sheet.y += 4
        sheet.say(words, "muted", 13.5, 18)


def _rest(snapshot: MemorySnapshot) -> list[str]:
    out = []
    if snapshot.lost:
        count, size = len(snapshot.lost), bytes_words(sum(s.nbytes for s in snapshot.lost))
        what = "a storage" if count == 1 else f"{count} storages"
        out.append(
            f"No name leads to {what} of {size} any more, but something that is not looked at still holds it."
        )
    for one in snapshot.unread[:3]:
        name = way_words(one.ways[0]) if one.ways else "a tensor"
        out.append(f"{name} is not drawn: {one.reason}.")
    if len(snapshot.unread) > 3:
        out.append(f"{len(snapshot.unread) - 3} more tensors are not drawn.")
    return [*out, *(f"{words[:1].upper()}{words[1:]}." for words in snapshot.cut)]


# ---- as text


def _words(page: MemoryPage, shown: Sequence[Storage], folded: Sequence[Storage]) -> list[str]:
    """The text twin: everything that is drawn."""
    moment = page.snapshot.moment
    lines = [totals(page.snapshot)]
    if moment.error:
        lines.append(f"the cell ended with {moment.error}")
    lines += [words for _, words in happened(page)]
    for storage in shown:
        lines += storage_text(storage, page.change.change(storage.number))
        lines += [f"  {name} stood here before this cell" for name in stays(page, storage)]
    if folded:
        lines += ["", f"{len(folded)} more storages, {bytes_words(sum(s.nbytes for s in folded))}"]
    rest = _rest(page.snapshot)
    return [*lines, "", *rest] if rest else lines
