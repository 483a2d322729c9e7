"""What a picture is made of: frozen parts with places, numbers already written as text. No SVG and no tensor here."""

from __future__ import annotations

from dataclasses import dataclass

from tensorkit_widgets.snapshot.geometry import Ints

__all__ = ["Arc", "Axis", "Card", "Cell", "Facet", "Formula", "Gap", "Grid", "Header", "Note", "Strip"]


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
class Card:
    """One step of the chain. ``number`` is its place in the chain; a refused step has none."""

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
class Cell:
    """One number: an element of the grid (with an index) or a slot of the strip (without).

    ``kin`` is another element that reads the slot in focus.
    """

    x: float
    y: float
    width: float
    height: float
    text: str
    full: str
    slot: int
    index: Ints | None
    readers: int = 1
    focus: bool = False
    kin: bool = False
    hatched: bool = False
    font: float = 20.0
    stored: str = ""  # where that is another number than what is shown

    @property
    def middle(self) -> float:
        """The x of its centre."""
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class Header:
    """The number of a row, column or facet beside the grid."""

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
class Facet:
    """One matrix: rows of cells, and where it stands in the leading dimensions."""

    index: Ints
    rows: tuple[tuple[Cell, ...], ...]
    headers: tuple[Header, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """The tensor as matrices, with the arrows of its dimensions and notes about what is not shown."""

    facets: tuple[Facet, ...]
    axes: tuple[Axis, ...]
    notes: tuple[Note, ...]
    right: float
    bottom: float


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
class Arc:
    """One hop over the strip: ``dim`` gives its colour, ``strong`` the road that the formula takes.

    A hop from one line of the strip to another is two arcs: ``part`` is *out* for the one that leaves the page at the
    side, and *in* for the one that comes back to it.
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


@dataclass(frozen=True, slots=True)
class Strip:
    """The storage: cells, gaps, arcs over them, and the offset marker (None when it is out of sight).

    On a narrow page the slots stand in several ``lines``.
    """

    cells: tuple[Cell, ...]
    gaps: tuple[Gap, ...]
    arcs: tuple[Arc, ...]
    offset_x: float | None
    offset_y: float
    offset: int
    top: float
    bottom: float
    lines: int = 1


@dataclass(frozen=True, slots=True)
class Formula:
    """Where the element under the pointer lives: ``columns`` are the x of each term.

    ``stacked`` has the terms under one another: then the columns are those of the names and of their numbers.
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
