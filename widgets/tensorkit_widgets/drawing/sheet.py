"""What a board is drawn from: tables of tiles, frames, wires and words, each with its place. No SVG and no tensor.

A tile is one number, bit, box or slot. It says which tiles light up with it (``kin``), which slot of which storage it
shows (so that every picture of that storage lights up too), and what pressing it asks for (``action``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

from tensorkit_widgets.drawing.grid import MONO, grid_of
from tensorkit_widgets.drawing.parts import Axis, Cell, Gap, Header, Note
from tensorkit_widgets.drawing.strip import slot_unit
from tensorkit_widgets.drawing.words import size_text
from tensorkit_widgets.snapshot.adapter import Link, Snapshot
from tensorkit_widgets.snapshot.geometry import Ints, readers, slot_of
from tensorkit_widgets.snapshot.number_text import full, short

__all__ = [
    "BARE", "Dress", "Frame", "KINDS", "PAGE", "Photo", "READABLE", "Sheet", "Table", "Tile", "Wire", "kin_of_slots",
    "paragraph", "row_of", "strip_table", "tensor_table",
]  # fmt: skip

PAGE = 960.0
"""The width of a board's picture."""

READABLE = 11.0
"""The smallest type of a number that can be read from the back row, as `grid_of` has it too."""

SKIP = 46.0
"""The room that slots left out take."""

KINDS = (
    "lit", "kin", "ghost", "blank", "grey", "bad", "good", "changed", "made", "freed", "plain", "quiet", "head",
    "button", "on", "off",
)  # fmt: skip
"""How a tile may look: `sheet.css` draws it, and the text twin has a mark for each that means something."""

LEFT, RIGHT = 92.0, 28.0  # the margins that `grid_of` keeps


@dataclass(frozen=True, slots=True)
class Tile:
    """One box with a text.

    ``key`` is its name in the sheet, ``label`` what is said of it (to a screen reader, and in words when the pointer is
    on it), ``tag`` small in its corner, ``below`` under it, ``badge`` on its upper edge. With ``start`` its text begins
    at the left edge, as a line of a list does.
    """

    key: str
    x: float
    y: float
    width: float
    height: float
    text: str
    label: str
    kinds: tuple[str, ...] = ()
    kin: tuple[str, ...] = ()
    tag: str = ""
    below: str = ""
    badge: str = ""
    link: Link | None = None
    slot: int | None = None
    action: str = ""
    full: str = ""
    font: float = 20.0
    dim: int | None = None
    start: bool = False

    @property
    def middle(self) -> float:
        """The x of its centre."""
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class Table:
    """Tiles in rows: one stop of the Tab key, arrow keys inside. ``heading`` stands above it, ``label`` is spoken.

    ``role`` is ``"grid"``, or ``"img"`` for tiles that nobody needs to visit one by one.
    """

    key: str
    label: str
    rows: tuple[tuple[Tile, ...], ...]
    headers: tuple[Header, ...] = ()
    axes: tuple[Axis, ...] = ()
    gaps: tuple[Gap, ...] = ()
    notes: tuple[Note, ...] = ()
    role: str = "grid"
    told: bool = True

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """All of them."""
        return tuple(tile for row in self.rows for tile in row)

    @property
    def right(self) -> float:
        """Where it ends on the page."""
        return max((t.x + t.width for t in self.tiles), default=0.0)

    @property
    def bottom(self) -> float:
        """Where it ends on the page, with what stands under its tiles."""
        tiles = (t.y + t.height + (34 if t.below else 0) for t in self.tiles)
        axes = (max(axis.y1, axis.y2) for axis in self.axes)
        return max([*tiles, *axes, *(note.y + 4 for note in self.notes)], default=0.0)


@dataclass(frozen=True, slots=True)
class Frame:
    """A box behind other things: ``kind`` is panel, card, soft, alarm or hole."""

    x: float
    y: float
    width: float
    height: float
    kind: str = "panel"
    rx: float = 10.0


@dataclass(frozen=True, slots=True)
class Wire:
    """A line from point to point, with an arrow's head; ``ends`` are keys of tiles: it lights up with either."""

    points: tuple[tuple[float, float], ...]
    kind: str = ""
    dim: int | None = None
    label: str = ""
    head: bool = True
    ends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Photo:
    """An image of pixels, as PNG bytes, drawn without smoothing."""

    x: float
    y: float
    width: float
    height: float
    png: bytes
    label: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything that is drawn, ``width`` by ``height``.

    ``said`` is what has just happened, for the live region; ``words`` are the sentences of the text twin.
    """

    name: str
    title: str
    height: float
    tables: tuple[Table, ...] = ()
    notes: tuple[Note, ...] = ()
    frames: tuple[Frame, ...] = ()
    wires: tuple[Wire, ...] = ()
    words: tuple[str, ...] = ()
    said: str = ""
    status: str = "ok"
    width: float = PAGE
    photos: tuple[Photo, ...] = ()


def paragraph(
    x: float, y: float, lines: Iterable[str], role: str = "muted", step: float = 20.0
) -> tuple[Note, ...]:
    """Lines of words under one another."""
    return tuple(Note(x, y + step * k, line, role) for k, line in enumerate(lines))


def row_of(
    key: str,
    texts: Sequence[str],
    x: float,
    y: float,
    *,
    width: float = 56.0,
    height: float = 56.0,
    font: float = 20.0,
    label: Callable[[int], str],
    kinds: Callable[[int], tuple[str, ...]] = lambda k: (),
    action: str = "",
) -> tuple[Tile, ...]:
    """Tiles side by side, with the keys ``key:0``, ``key:1``, …"""
    return tuple(
        Tile(
            f"{key}:{k}", x + k * width, y, width, height, text, label(k), kinds(k), action=action, font=font
        )
        for k, text in enumerate(texts)
    )


@dataclass(frozen=True, slots=True)
class Dress:
    """How the tiles of a tensor look and what they do, each a function of the element's index (or of the slot).

    ``link`` says whose slots they show, for the pictures of the same storage; None links nothing. ``tags`` writes the
    slot into each element's corner; ``box`` fixes the width, height and text size of the tiles.
    """

    kinds: Callable[[Ints], tuple[str, ...]] = lambda index: ()
    kin: Callable[[Ints], tuple[str, ...]] = lambda index: ()
    label: Callable[[Ints, str], str] | None = None
    action: str = ""
    link: Link | None = None
    tags: bool = True
    box: tuple[float, float, float] | None = None


BARE = Dress()
"""No marks, no links, nothing to press."""


def tensor_table(
    key: str, snapshot: Snapshot, x: float, y: float, width: float, dress: Dress = BARE, name: str = ""
) -> Table:
    """A tensor as matrices with its dimension arrows, drawn as StrideExplorer draws it, in a part of the page.

    The tiles are called ``key:0,1`` after their index; ``name`` is what the tensor is called in words.
    """
    grid = grid_of(snapshot, None, y, width + LEFT - 64 + RIGHT, box=dress.box)
    dx, meta = x - (LEFT - 64), snapshot.meta
    if len(meta.size) < 2:  # no arrow runs down the page: its room is not needed
        dx -= 56
    rows = tuple(
        tuple(_tile(key, cell, dx, dress, name or key) for cell in row)
        for facet in grid.facets
        for row in facet.rows
    )
    headers = tuple(replace(h, x=h.x + dx, focus=False) for facet in grid.facets for h in facet.headers)
    axes = tuple(replace(axis, x1=axis.x1 + dx, x2=axis.x2 + dx) for axis in grid.axes)
    notes = tuple(replace(note, x=note.x + dx) for note in grid.notes)
    label = f"{name or key}, size {size_text(meta.size)}, {meta.dtype}"
    return Table(key, label, rows, headers, axes, (), notes)


def _tile(key: str, cell: Cell, dx: float, dress: Dress, name: str) -> Tile:
    index = cell.index or ()
    said = f"{name}{list(index)} is {cell.full}, slot {cell.slot}"
    if dress.label is not None:
        said = dress.label(index, cell.full)
    return Tile(
        f"{key}:{','.join(map(str, index))}", cell.x + dx, cell.y, cell.width, cell.height, cell.text, said,
        dress.kinds(index), dress.kin(index), str(cell.slot) if dress.tags else "", link=dress.link,
        slot=cell.slot if dress.link is not None else None, action=dress.action, full=cell.full, font=cell.font,
    )  # fmt: skip


def strip_table(
    key: str,
    snapshot: Snapshot,
    x: float,
    y: float,
    width: float,
    dress: Dress = BARE,
    height: float = 48.0,
    lines: bool = False,
) -> Table:
    """The visible slots of a storage in one row, the numbers of the slots below; what is left out is a gap.

    The tiles are called ``key:4`` after their slot; the functions of ``dress`` get ``(slot,)``. With ``lines`` the row
    is broken where its numbers would be too small to be read.
    """
    meta, runs = snapshot.meta, snapshot.strip
    spans = [(a.start + len(a.values), b.start) for a, b in pairwise(runs)]
    first, last = (runs[0].start, runs[-1].start + len(runs[-1].values)) if runs else (0, 0)
    spans = [(0, first)] * bool(first) + spans + [(last, meta.slots)] * (0 < last < meta.slots)
    count = sum(len(run.values) for run in runs)
    unit = min(64.0, (width - SKIP * len(spans)) / max(count, 1))
    longest = max((len(short(v, meta.dtype)) for run in runs for v in run.values), default=1)
    broken = lines and _strip_font(unit, longest) < READABLE
    if broken:
        unit = slot_unit(longest, last)
    font = max(8.0, _strip_font(unit, longest))
    rows: list[list[Tile]] = [[]]
    gaps: list[Gap] = []
    at = x

    def room_for(wide: float) -> None:
        nonlocal at, y
        if broken and at > x and at + wide > x + width + 0.5:
            at, y = x, y + height + 40
            rows.append([])

    def left_out(start: int, stop: int) -> None:
        nonlocal at
        room_for(SKIP)
        gaps.append(Gap(round(at, 2), y, SKIP, height, start, stop))
        at += SKIP

    for run in runs:
        if any(stop == run.start for _, stop in spans):
            left_out(next(a for a, b in spans if b == run.start), run.start)
        for k, value in enumerate(run.values):
            room_for(unit)
            rows[-1].append(_slot(key, snapshot, run.start + k, value, (at, y, unit, height, font), dress))
            at += unit
    if spans and spans[-1][1] == meta.slots and last < meta.slots:
        left_out(last, meta.slots)
    label = f"the storage, {meta.slots:,} × {meta.dtype}"
    return Table(key, label, tuple(tuple(row) for row in rows if row), gaps=tuple(gaps))


def _strip_font(unit: float, longest: int) -> float:
    return min(18.0, int((unit - 2) / ((longest + 1) * MONO)))


def _slot(
    key: str,
    snapshot: Snapshot,
    slot: int,
    value: bool | int | float | complex,
    box: tuple[float, float, float, float, float],
    dress: Dress,
) -> Tile:
    meta = snapshot.meta
    x, y, width, height, font = box
    many = readers(slot, meta.size, meta.stride, meta.offset)
    exact = full(value, meta.dtype)
    said = f"slot {slot}, value {exact}" + ("" if many else ", no element reads it")
    if dress.label is not None:
        said = dress.label((slot,), exact)
    kinds = dress.kinds((slot,)) or (() if many else ("grey",))
    return Tile(
        f"{key}:{slot}", round(x, 2), y, round(width, 2), height, short(value, meta.dtype), said, kinds,
        dress.kin((slot,)), below=str(slot), badge=f"×{many}" if many > 1 else "", link=dress.link,
        slot=slot if dress.link is not None else None, action=dress.action, full=exact, font=font,
    )  # fmt: skip


def kin_of_slots(snapshot: Snapshot, key: str) -> dict[int, tuple[str, ...]]:
    """Slot → the keys of the visible elements that read it, for a strip's ``kin``."""
    meta, out = snapshot.meta, dict[int, list[str]]()
    for index in _indices(snapshot):
        out.setdefault(slot_of(index, meta.stride, meta.offset), []).append(
            f"{key}:{','.join(map(str, index))}"
        )
    return {slot: tuple(keys) for slot, keys in out.items()}


def _indices(snapshot: Snapshot) -> Iterable[Ints]:
    window = snapshot.window
    spans = [range(o, o + n) for o, n in zip(window.origin, window.count, strict=True)]
    return product(*spans)
