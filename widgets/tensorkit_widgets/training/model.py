"""What is kept of a training: moments, each with its loss, a part of every parameter, and a few examples.

No tensor and no graph is held: numbers are copied, and only those that a picture has room for.

>>> kept = History(most=4)
>>> for number in range(1, 12):
...     kept.add(Moment(number, 1 / number, ()))
>>> kept.every, [moment.number for moment in kept.moments]
(4, [1, 5, 9, 11])
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from tensorkit_widgets.snapshot.adapter import Meta, Snapshot
from tensorkit_widgets.snapshot.window import Window

MOST_MOMENTS = 400
"""Moments that are kept: of a longer training every second, every fourth, and so on."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What is kept of one tensor: the numbers of a window, and its norm (None where there are too many numbers).

    ``shots`` are pictures of it, numbers from -127 to 127 that stand for -``scale`` to ``scale``.
    """

    meta: Meta
    window: Window
    values: Any
    norm: float | None
    shots: Any = None
    scale: float = 0.0

    def snapshot(self, columns: int) -> Snapshot:
        """The window, or its first columns."""
        count = self.window.count
        if count and count[-1] > columns:
            count = (*count[:-1], columns)
        grid = tuple(self.values[..., :columns].ravel().tolist() if count else self.values.ravel().tolist())
        return Snapshot(self.meta, replace(self.window, count=count), grid, ())


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A parameter under its path, ``kind`` the class of its module: what was seen, or why nothing was."""

    path: str
    kind: str
    weight: Seen | str
    gradient: Seen | str


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """One example of a batch: its pixels ``(H, W, 1 | 3)`` or its first numbers, and what the net says of it.

    ``said`` is the same as a sentence; ``right`` is None where nobody can say.
    """

    pixels: Any
    numbers: tuple[Any, ...]
    says: str
    said: str
    right: bool | None


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """A few examples of a batch, and how many of all of them the net has right (None where nobody can say)."""

    size: tuple[int, ...]
    dtype: str
    examples: tuple[Example, ...]
    right: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """One call of ``record``; ``number`` counts them from 1."""

    number: int
    loss: float
    parts: tuple[Part, ...]
    batch: Batch | None = None
    left_out: int = 0


@dataclass
class History:
    """The moments so far: at most ``most``, every ``every``-th, and always the newest.

    The first whose loss is no number stays, however many have gone since.
    """

    most: int = MOST_MOMENTS
    moments: list[Moment] = field(default_factory=list)
    every: int = 1
    bad: int | None = None

    def add(self, moment: Moment) -> None:
        """Another moment: it is the newest, and whether it stays shows when the next one comes."""
        if self.bad is None and not isfinite(moment.loss):
            self.bad = moment.number
        kept = self.moments if not self.moments or self._wanted(self.moments[-1]) else self.moments[:-1]
        if len(kept) >= self.most:
            self.every *= 2
            kept = [one for one in kept if self._wanted(one)]
        self.moments = [*kept, moment]

    def _wanted(self, moment: Moment) -> bool:
        return (moment.number - 1) % self.every == 0 or moment.number == self.bad

    def place(self, number: int) -> int:
        """Where the moment of this number is, or the last before it."""
        found = [k for k, moment in enumerate(self.moments) if moment.number <= number]
        return found[-1] if found else 0
