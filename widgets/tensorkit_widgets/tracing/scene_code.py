"""The learner's code in a picture of a story: the lines around the one that runs, and the part of it that is running.

>>> span_of("y = x.t().view(-1)", 5, "x.t().view(-1)", "….view(-1)")
(9, 18)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import Frame
from tensorkit_widgets.tracing.recorder import TraceStep

FONT, STEP = 17.0, 28.0
UNIT = FONT * MONO
GUTTER = 40.0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of code: its number (0 for none), its text, and from where to where it is running."""

    number: int
    text: str
    span: tuple[int, int] | None = None

    @property
    def running(self) -> str:
        """The part that is running."""
        return "" if self.span is None else self.text[self.span[0] : self.span[1]]


@dataclass(frozen=True, slots=True)
class Listing:
    """The lines that are shown, and how many stand before and after them."""

    lines: tuple[Line, ...]
    before: int = 0
    after: int = 0

    @property
    def at(self) -> Line | None:
        """The line that is running."""
        return next((line for line in self.lines if line.span is not None), None)


def span_of(text: str, column: int, piece: str, call: str) -> tuple[int, int]:
    """Where in a line the call that is running stands; ``column`` counts bytes from 1, as Python does."""
    start = len(text.encode()[: max(column - 1, 0)].decode(errors="ignore"))
    if not text.startswith(piece, start):
        start = text.find(piece)
    if not piece or start < 0:  # it goes on over several lines: the whole of this one
        return len(text) - len(text.lstrip()), len(text)
    end = start + len(piece)
    tail = call[1:]
    if call.startswith("…") and "…" not in tail and piece.endswith(tail):
        start = end - len(tail.lstrip())
    return start, end


def listed(code: str, step: TraceStep | None, most: int = 7) -> Listing:
    """The lines of a piece of code around the one that a step runs, or the step's own where it is not of this code."""
    every = code.rstrip().splitlines()
    at = None if step is None else _line_of(every, step)
    if step is not None and at is None:
        source = step.place.source or step.place.code or step.call
        return Listing((Line(0, source, span_of(source, 0, step.place.code, step.call)),))
    here = at or 0
    start = max(0, min(here - most // 2, len(every) - most))
    lines = []
    for k, text in enumerate(every[start : start + most], start):
        span = (
            None if step is None or k != at else span_of(text, step.place.column, step.place.code, step.call)
        )
        lines.append(Line(k + 1, text, span))
    return Listing(tuple(lines), start, max(0, len(every) - start - most))


def _line_of(every: Sequence[str], step: TraceStep) -> int | None:
    """Which line of the code a step runs: the notebook takes blank lines off the top before it counts."""
    source = step.place.source.strip()
    blank = next((k for k, line in enumerate(every) if line.strip()), 0)
    for k in (step.place.line - 1, step.place.line - 1 + blank):
        if 0 <= k < len(every) and every[k].strip() == source:
            return k
    return next((k for k, line in enumerate(every) if source and line.strip() == source), None)


def list_code(listing: Listing, x: float, y: float, width: float) -> tuple[list[Note], list[Frame], float]:
    """The lines from ``y`` on, numbered where there are several; what runs has a light behind it."""
    notes: list[Note] = []
    frames: list[Frame] = []
    numbered = len(listing.lines) + listing.before + listing.after > 1
    left = x + GUTTER * numbered
    room = int((width - GUTTER * numbered) / UNIT)
    if listing.before:
        notes.append(Note(left, y + 14, f"… {listing.before:,} lines above"))
        y += 22
    for line in listing.lines:
        if numbered:
            notes.append(Note(x + 22, y + 19, str(line.number), "muted", "end"))
        more, light = _drawn(line, left, y, room)
        notes += more
        frames += light
        y += STEP
    if listing.after:
        notes.append(Note(left, y + 14, f"… {listing.after:,} lines below"))
        y += 22
    return notes, frames, y


def _drawn(line: Line, left: float, y: float, room: int) -> tuple[list[Note], list[Frame]]:
    """One line in up to three parts, each at its own place, whatever the width of the face."""
    text, (low, high) = _fitted(line, room)
    notes: list[Note] = []
    for start, stop in ((0, low), (low, high), (high, len(text))):
        part = text[start:stop]
        indent = len(part) - len(part.lstrip())
        if part.strip():
            notes.append(Note(round(left + (start + indent) * UNIT, 2), y + 20, part.strip(), "code"))
    if low == high:
        return notes, []
    box = round(left + low * UNIT - 4, 2), y, round((high - low) * UNIT + 8, 2), STEP - 1
    return notes, [Frame(*box, "light", 5.0)]


def _fitted(line: Line, room: int) -> tuple[str, tuple[int, int]]:
    """A long line as the part around what runs."""
    text, (low, high) = line.text.replace("\t", " "), line.span or (0, 0)
    if len(text) <= room:
        return text, (low, high)
    start = 0 if high <= room - 1 else max(0, min(low - 4, len(text) - room + 1))
    part = ("…" if start else "") + text[start + bool(start) : start + room]
    if start + room < len(text):
        part = part[: room - 1] + "…"
    return part, (max(low - start, 0), max(min(high - start, len(part)), 0))
