"""What a picture is made of: frozen parts with places, numbers already written as text. No SVG and no tensor here."""

from __future__ import annotations

from dataclasses import dataclass

from tensorkit_widgets.snapshot.adapter import Link
from tensorkit_widgets.snapshot.geometry import Ints


@dataclass(frozen=True, slots=True)
class Note:
    """A line of words; ``role`` names its style, ``after`` goes on quietly."""

    x: float
    y: float
    text: str
    role: str = "muted"
    anchor: str = "start"
    after: str = ""


@dataclass(frozen=True, slots=True)
class Tile:
    """One box with a text: a number, a bit, a slot, a line of a list.

    ``key`` is its name in the sheet, ``label`` what is said of it (to a screen reader, and in words when the pointer is
    on it), ``tag`` small in its corner, ``below`` under it, ``badge`` on its upper edge. ``index`` is that of the
    element which it shows; ``slot`` of the storage ``link`` is where that is stored, as ``stored`` where that is
    another number. With ``start`` its text begins at the left edge, as a line of a list does. A tile with a ``grid`` is
    a clear one over so many rows and columns of pixels, of which one, (row, column), is looked at: what is pressed is a
    pixel, ``key:3,4``, and arrow keys go from one to the next.
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
    index: Ints | None = None
    stored: str = ""
    grid: tuple[int, int, int, int] | None = None

    @property
    def middle(self) -> float:
        """The x of its centre."""
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class Header:
    """The number of a row, column or matrix beside a table; with ``focus`` the element looked at is there."""

    x: float
    y: float
    dim: int
    position: int
    text: str
    focus: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """The arrow of one dimension, from (x1, y1) to (x2, y2), with its label."""

    dim: int
    size: int
    stride: int
    x1: float
    y1: float
    x2: float
    y2: float
    label: str
    unused: bool
    bad: bool = False

    @property
    def vertical(self) -> bool:
        """Whether it runs down the page."""
        return self.x1 == self.x2


@dataclass(frozen=True, slots=True)
class Gap:
    """Slots that are left out between, before or after the runs that are drawn."""

    x: float
    y: float
    width: float
    height: float
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Table:
    """Tiles in rows: one stop of the Tab key, arrow keys inside. ``heading`` stands above it, ``label`` is spoken.

    ``role`` is ``"grid"``, or ``"img"`` for tiles that nobody needs to visit one by one. With ``looks`` the keyboard
    may leave the window that is drawn, gaps may be pressed, and axes may be dragged onto one another.
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
    looks: bool = False

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


CARD_HEIGHT = 60.0
CARD_LINES = (21.0, 39.0, 15.0)
"""Of a card: where the line of its code stands, the first line below that, and from there to the next."""


@dataclass(frozen=True, slots=True)
class Card:
    """One step of a chain. ``number`` is its place in the chain; a refused step has none."""

    x: float
    y: float
    width: float
    height: float
    code: str
    kind: str
    lines: tuple[str, ...]
    number: int | None
    why: str
    current: bool = False


@dataclass(frozen=True, slots=True)
class Arc:
    """One hop over a row of slots: ``dim`` gives its colour, ``strong`` the way that the formula takes.

    A hop from one line of slots to another is two arcs: ``part`` is *out* for the one that leaves the page at the
    side, and *in* for the one that comes back to it. ``shift`` is how far its label stands from its middle, clear of
    other arcs.
    """

    x1: float
    x2: float
    y: float
    lift: float
    dim: int
    label: str
    strong: bool
    bad: bool = False
    part: str = ""
    shift: float = 0.0

    @property
    def label_at(self) -> tuple[float, float]:
        """Where the middle of its label stands, on its base line."""
        y = self.y - 40 if self.x1 == self.x2 else self.y - self.lift - 5
        return (self.x1 + self.x2) / 2 + self.shift, y


@dataclass(frozen=True, slots=True)
class Pointer:
    """An arrow that points up at (x, y), with words beside it: where the offset is."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Formula:
    """Where an element lives: ``columns`` are the x of each term, a triple (dimension, index, stride).

    ``unused`` are the dimensions of size 1. ``stacked`` has the terms under one another: then the columns are those of
    the names and of their numbers.
    """

    x: float
    y: float
    width: float
    height: float
    font: float
    index: Ints
    terms: tuple[tuple[int, int, int], ...]
    columns: tuple[float, ...]
    offset: int
    slot: int
    value: str
    sentences: tuple[str, ...]
    sentences_x: float
    sentences_y: float
    stacked: bool = False
    unused: Ints = ()
