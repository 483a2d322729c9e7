"""What a board is drawn from: tables of tiles, frames, wires and words, each with its place. No SVG and no tensor.

A tile is one number, bit, box or slot. It says which tiles light up with it (``kin``), which slot of which storage it
shows (so that every picture of that storage lights up too), and what pressing it asks for (``action``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tensorkit_widgets.drawing.boxes import Begin, Box, Edge, Key
from tensorkit_widgets.drawing.grid import BARE, Dress, kin_of_slots, tensor_table
from tensorkit_widgets.drawing.parts import (
    Arc,
    Card,
    Formula,
    Frame,
    Note,
    Photo,
    Pointer,
    Table,
    Tile,
    Wire,
)
from tensorkit_widgets.drawing.strip import READABLE, strip_table

__all__ = [
    "BARE", "Dress", "Frame", "KINDS", "PAGE", "Photo", "READABLE", "Sheet", "Table", "Tile", "Wire", "kin_of_slots",
    "paragraph", "row_of", "strip_table", "tensor_table",
]  # fmt: skip

PAGE = 960.0
"""The width of a board's picture."""

KINDS = (
    "lit", "kin", "ghost", "added", "blank", "grey", "bad", "good", "changed", "made", "freed", "plain", "quiet",
    "head", "button", "on", "off", "seam", "waits",
)  # fmt: skip
"""How a tile may look: `sheet.css` draws it, and the text twin has a mark for each that means something."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything that is drawn, ``width`` by ``height``.

    ``said`` is what has just happened, for the live region; ``words`` are the sentences of the text twin. ``layout``
    are the integers from which the browser fills in the formula and draws the arcs to the element that is pointed at.
    What begins at ``pinned`` or lower is the storage: where the picture scrolls, the browser holds it in sight. It is
    not held where it would cover more than ``pinned_most`` of what is in sight: where there is text to read.
    ``styles`` are style sheets of its own, beside the one of all sheets.
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
    cards: tuple[Card, ...] = ()
    arcs: tuple[Arc, ...] = ()
    pointer: Pointer | None = None
    formula: Formula | None = None
    layout: Mapping[str, Any] | None = None
    boxes: tuple[Box, ...] = ()
    boxes_label: str = ""
    edges: tuple[Edge, ...] = ()
    begins: tuple[Begin, ...] = ()
    keys: tuple[Key, ...] = ()
    pinned: float | None = None
    pinned_most: float | None = None
    styles: tuple[str, ...] = ()


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
