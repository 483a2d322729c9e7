"""The picture of an image tensor: what it shows, the numbers of a few pixels, and where they lie in the storage."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from tensorkit_widgets.drawing.page_width import headed
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import (
    PAGE,
    READABLE,
    Dress,
    Frame,
    Photo,
    Sheet,
    Table,
    Tile,
    paragraph,
    strip_table,
)
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.snapshot.adapter import Link, Snapshot
from tensorkit_widgets.snapshot.number_text import full, short, size_text

LEFT, TOP, SIDE = 28.0, 54.0, 240.0
CELL_W, CELL_H = 66.0, 46.0
LEAST, WIDEST, APART = 44.0, 84.0, 28.0
"""The narrowest cell of channels side by side, and the widest of one that stands alone; what is between them."""

FILLED = 88.0
"""Characters times the size of type that fill a cell of the usual width, but for the space at its sides."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture to show: its pixels as PNG, and what it is of (``"red"``, ``"all channels"``)."""

    png: bytes
    label: str


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """Where an image's dimensions are: those of height, width and channel (None for grey); the pixel looked at.

    ``corner`` is the first of the pixels whose numbers are shown.
    """

    rows: int
    columns: int
    channels: int
    row_dim: int
    column_dim: int
    channel_dim: int | None
    names: tuple[str, ...]
    pixel: tuple[int, int]
    corner: tuple[int, int]
    link: Link
    order: str


def compose_image(
    title: str,
    snapshot: Snapshot,
    facts: ImageFacts,
    shots: tuple[Shot, ...],
    words: tuple[str, ...],
    page: float = PAGE,
) -> Sheet:
    """The pictures at the left, the pixels around the one looked at on the right, the storage below.

    On a narrow page the pixels stand under the pictures.
    """
    wide = page - 2 * LEFT
    head, down = headed(LEFT, 28, title, _layout(snapshot), wide)
    top = TOP + down
    photos, over, notes, low = _photos(facts, shots, top)
    beside = wide >= SIDE + 50 + 4 * CELL_W
    corner = (LEFT + SIDE + 50, top + 8) if beside else (LEFT, low + 40)
    tables, named, right = _pixels(snapshot, facts, corner, page - 10)
    y = max(low, right) + 24
    said, under = headed(LEFT, y + 8, "the storage", _apart(snapshot, facts), wide)
    strip = strip_table("s", snapshot, LEFT, y + 22 + under, wide, _dress(snapshot, facts), lines=True)
    notes += [*head, *named, *said]
    end = strip.bottom + 20
    lines = [line for sentence in words for line in wrap(sentence, wide, 15)]
    notes += paragraph(LEFT, end, lines, "body", 22)
    return Sheet(
        "ImageView", f"{title}, {facts.order}", end + 22 * len(lines), (over, *tables, strip), tuple(notes),
        (Frame(*_marker(facts, top), "window", 0.0),), words=(*words, _apart(snapshot, facts)), said=words[0],
        width=page, photos=photos, pinned=y - 12, pinned_most=0.5,
    )  # fmt: skip


def _layout(snapshot: Snapshot) -> str:
    meta = snapshot.meta
    return f"size {size_text(meta.size)}, stride {size_text(meta.stride)}, {meta.dtype}"


def _fit(facts: ImageFacts) -> tuple[float, float]:
    """Width and height of the large picture."""
    unit = SIDE / max(facts.rows, facts.columns, 1)
    return facts.columns * unit, facts.rows * unit


def _marker(facts: ImageFacts, top: float) -> tuple[float, float, float, float]:
    """A frame around the pixels whose numbers are shown."""
    wide, high = _fit(facts)
    x, y = wide / max(facts.columns, 1), high / max(facts.rows, 1)
    row, column = facts.corner
    size = min(4, facts.rows - row), min(4, facts.columns - column)
    return LEFT + column * x, top + row * y, max(size[1] * x, 6), max(size[0] * y, 6)


def _photos(
    facts: ImageFacts, shots: tuple[Shot, ...], top: float
) -> tuple[tuple[Photo, ...], Table, list[Note], float]:
    """The whole picture; and beside or below it its channels, when they are separated."""
    wide, high = _fit(facts)
    out = [Photo(LEFT, top, wide, high, shots[0].png, shots[0].label)]
    notes: list[Note] = []
    y = top + high + 30
    small = SIDE / max(len(shots) - 1, 1) - 8
    for k, shot in enumerate(shots[1:]):
        tall = small * facts.rows / max(facts.columns, 1)
        x = LEFT + k * (small + 12)
        out.append(Photo(x, y, small, tall, shot.png, shot.label))
        notes.append(Note(x, y - 7, shot.label, "muted"))
    low = top + high if len(shots) == 1 else y + small * facts.rows / max(facts.columns, 1)
    return tuple(out), _over(facts, wide, high, top), notes, low


def _over(facts: ImageFacts, wide: float, high: float, top: float) -> Table:
    """A clear tile over the picture: pressing it looks at the very pixel that is under the pointer."""
    row, column = facts.pixel
    said = f"the picture: press a pixel to see its numbers; row {row}, column {column} is looked at"
    grid = (facts.rows, facts.columns, row, column)
    tile = Tile("px", LEFT, top, wide, high, "", said, ("quiet",), action="look", grid=grid)
    return Table("over", "the picture, to be pressed", ((tile,),), told=False)


def _values(snapshot: Snapshot, facts: ImageFacts) -> dict[tuple[int, int, int], tuple[str, str, int]]:
    """(row, column, channel) → the number in short and in full, and its slot."""
    meta, window = snapshot.meta, snapshot.window
    spans = [range(o, o + n) for o, n in zip(window.origin, window.count, strict=True)]
    out = {}
    for index, value in zip(product(*spans), snapshot.grid, strict=False):
        channel = 0 if facts.channel_dim is None else index[facts.channel_dim]
        slot = meta.offset + sum(i * s for i, s in zip(index, meta.stride, strict=True))
        place = (index[facts.row_dim], index[facts.column_dim], channel)
        out[place] = (short(value, meta.dtype), full(value, meta.dtype), slot)
    return out


def _pixels(
    snapshot: Snapshot, facts: ImageFacts, corner: tuple[float, float], end: float
) -> tuple[list[Table], list[Note], float]:
    """The numbers of up to four by four pixels, channel by channel, as many side by side as there is room for."""
    values = _values(snapshot, facts)
    left, y = corner
    tables, notes = [], list[Note]()
    longest = max((len(text) for text, _, _ in values.values()), default=1)
    least, shown = CELL_W * READABLE * longest / FILLED, min(facts.channels, 4)
    across, cell = 1, min(WIDEST, max(CELL_W, least))
    for count in range(2, shown + 1):
        part = min(CELL_W, (end - left - APART * (count - 1)) / (4 * count))
        across, cell = (count, part) if part >= max(LEAST, least - 1) else (across, cell)
    font = min(18.0, FILLED / longest * cell / CELL_W)
    tall = CELL_H * min(4, facts.rows)
    for channel in range(shown):
        column = channel % across
        x = left + column * (4 * cell + APART)
        if channel and not column:
            y += tall + 44
        places = sorted(place for place in values if place[2] == channel)
        name = facts.names[channel]
        rows: dict[int, list[Tile]] = {}
        for i, j, c in places:
            text, exact, slot = values[i, j, c]
            lit = (i, j) == facts.pixel
            said = f"row {i}, column {j}, {name}: {exact}, slot {slot}"
            kin = tuple(f"v:{i},{j},{other}" for other in range(facts.channels) if other != c)
            rows.setdefault(i, []).append(
                Tile(f"v:{i},{j},{c}", x + (j - facts.corner[1]) * cell, y + (i - facts.corner[0]) * CELL_H, cell,
                     CELL_H, text, said, ("lit",) if lit else (), kin, tag=str(slot), link=facts.link, slot=slot,
                     action="pixel", full=exact, font=font)
            )  # fmt: skip
        seen = _range(facts)
        room = end - x - (across - 1) * (4 * cell + APART)
        told = not channel and len(name) * 9.4 + len(seen) * 7.6 + 14 < room
        notes.append(Note(x, y - 8, name, "heading", after=seen if told else ""))
        tables.append(
            Table(f"v{channel}", f"{name}, {_range(facts)}", tuple(tuple(row) for row in rows.values()))
        )
    return tables, notes, y + tall + 8


def _range(facts: ImageFacts) -> str:
    row, column = facts.corner
    down, across = min(row + 4, facts.rows) - 1, min(column + 4, facts.columns) - 1
    return f"rows {row} to {down}, columns {column} to {across}"


def _dress(snapshot: Snapshot, facts: ImageFacts) -> Dress:
    """The slots of the pixel looked at are lit, and linked with its numbers."""
    values = _values(snapshot, facts)
    mine = {slot: place for place, (_, _, slot) in values.items()}
    chosen = {slot for slot, place in mine.items() if place[:2] == facts.pixel}

    def kin(index: tuple[int, ...]) -> tuple[str, ...]:
        place = mine.get(index[0])
        return () if place is None else (f"v:{place[0]},{place[1]},{place[2]}",)

    return Dress(kinds=lambda index: ("lit",) if index[0] in chosen else (), kin=kin, link=facts.link)


def _apart(snapshot: Snapshot, facts: ImageFacts) -> str:
    """How far the channels of one pixel are from one another."""
    meta = snapshot.meta
    if facts.channel_dim is None:
        return f"one number for each pixel; the next row is {meta.stride[facts.row_dim]:,} slots on"
    step = meta.stride[facts.channel_dim]
    if abs(step) == 1:
        return "the channels of a pixel lie side by side"
    return f"the channels of a pixel lie {abs(step):,} slots apart"
