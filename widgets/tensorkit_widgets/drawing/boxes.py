"""Boxes and the edges between them: what a graph is drawn of. Frozen, with places; no SVG and no tensor.

A *leaf* is a sharp box with a jar for its ``.grad``, an *operation* a pill with the tensor that it made below it, a
*constant* a box with cut corners; a *reference* names a box that is far away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.snapshot.adapter import Memory

KeyKind = Literal["leaf", "op", "constant", "kept", "gone", "modified", "gradient"]
Marks = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of words in a box. ``mark`` is the sign before it: *kept*, *gone*, *modified*, *none*, or empty.

    ``memory`` is where the tensor lies for which it stands, ``marks`` the places of its numbers (see `Value`).
    """

    text: str
    role: str
    mark: str = ""
    memory: Memory | None = None
    marks: Marks = ()


@dataclass(frozen=True, slots=True)
class Jar:
    """A tensor's ``.grad``: ``text`` is what it holds; ``fresh`` when this turn filled it, ``rehearsed`` when only the
    rehearsal did."""

    width: float
    text: str
    filled: bool
    fresh: bool = False
    rehearsed: bool = False
    memory: Memory | None = None
    marks: Marks = ()


@dataclass(frozen=True, slots=True)
class Box:
    """One box. ``lower`` are the lines of the tensor under an operation, which begins at ``upper``.

    ``memory`` is where the tensor lies that the whole box stands for, if it does. ``whole`` is the box before its words
    were cut for a narrow page. ``stands`` are the tensors of a bundle.
    """

    number: int
    kind: Literal["op", "leaf", "constant", "reference"]
    title: str
    tag: str
    lines: tuple[Line, ...]
    lower: tuple[Line, ...]
    jar: Jar | None
    state: str
    kept: tuple[str, ...]
    folded: int
    label: str
    width: float
    height: float
    upper: float
    x: float = 0.0
    y: float = 0.0
    memory: Memory | None = None
    whole: Box | None = None
    stands: tuple[int, ...] = ()

    @property
    def uncut(self) -> Box:
        """With all its words."""
        return self.whole or self

    @property
    def full_width(self) -> float:
        """With the jar beside it."""
        return self.width + (self.jar.width + 8 if self.jar else 0)

    @property
    def middle(self) -> float:
        """The x of its centre, its jar apart."""
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class Edge:
    """From a tensor down to its user, through ``points``; ``label`` is the gradient that climbs up it."""

    source: int
    target: int
    points: tuple[tuple[float, float], ...]
    gradient: bool
    inputs: tuple[int, ...]
    state: str
    label: str
    full: str
    label_x: float
    label_y: float


@dataclass(frozen=True, slots=True)
class Key:
    """What a shape means: the shape at ``x``, the words ``lead`` to its right, on the line of ``y``."""

    kind: KeyKind
    words: str
    x: float
    y: float
    lead: float


@dataclass(frozen=True, slots=True)
class Begin:
    """A gradient that arrives from below at the box ``number``, whose lower edge is (x, y)."""

    number: int
    x: float
    y: float
    label_x: float
    text: str


def label_width(words: str) -> float:
    """How wide the label of a gradient is, its arrow with it."""
    return (len(words) + 2) * MONO * 12.5 + 8
