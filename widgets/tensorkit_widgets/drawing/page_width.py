"""How wide a page is: as wide as the room, and narrower, so larger, for a sheet that needs little of it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import PAGE, Sheet, Table, paragraph
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.snapshot.adapter import Snapshot
from tensorkit_widgets.snapshot.number_text import short

WIDTHS = (400.0, 480.0, 600.0, 760.0, PAGE)
"""The pages that a board can be laid out on, as much room as its view has."""

FEW = 600.0
"""On a narrower page a matrix shows four columns, not six: their numbers stay readable."""

PAGES = (640.0, 720.0, 800.0, 880.0)
"""The widths of the narrower pages."""

MARGIN = 28.0
LETTERS = {"title": 11.5, "heading": 9.4, "big": 10.5}
"""Width of a character, by the role of its note; other words are narrower, and broken into lines to fit."""


def width_in(room: object, widths: Sequence[float], before: float) -> float:
    """The widest page that fits the room that the browser tells of, or the narrowest; as before when it is no number.

    >>> width_in(700, WIDTHS, PAGE), width_in(50, WIDTHS, PAGE), width_in("wide", WIDTHS, PAGE)
    (600.0, 400.0, 960.0)
    """
    if isinstance(room, int | float) and 0 < room < 1e5:
        return max((width for width in widths if width <= room), default=min(widths))
    return before


def page_for(sheet: Sheet, free: Container[str] = ()) -> float:
    """The narrowest page that holds a sheet, but for the tables ``free``, which fill what there is.

    >>> page_for(Sheet("x", "nothing", 10.0))
    640.0
    """
    needed = _needed(sheet, free)
    return next((page for page in PAGES if needed <= page), PAGE)


def _needed(sheet: Sheet, free: Container[str]) -> float:
    right = [table.right for table in sheet.tables if table.key not in free]
    for table in sheet.tables:
        if table.key not in free:
            right += [max(axis.x1, axis.x2) for axis in table.axes]
            right += [axis.x1 + 7.4 * len(axis.label) for axis in table.axes if not axis.vertical]
            right += [note.x + 6.6 * len(note.text) for note in table.notes]
    for note in sheet.notes:
        if note.role in LETTERS and note.anchor == "start":
            right.append(note.x + LETTERS[note.role] * len(note.text) + 6.8 * len(note.after))
    return max(right, default=0.0) + MARGIN


def clipped(text: str, room: float, font: float) -> str:
    """A name in the monospaced face, cut where its room ends.

    >>> clipped("a_long_name", 60, 17), clipped("a", 60, 17)
    ('a_lo…', 'a')
    """
    most = max(2, int(room / (MONO * font)))
    return text if len(text) <= most else text[: most - 1] + "…"


def code_lines(text: str, room: float, font: float) -> list[str]:
    """Code, or a sum of numbers, in lines of the monospaced face; a line that fits is left as it is.

    >>> code_lines("1 · 2 + 3 · 4  =  14", 120, 20)
    ['1 · 2 + 3 ·', '4 = 14']
    """
    if len(text) * MONO * font <= room:
        return [text]
    return wrap(text, room, font * MONO / 0.53)


def headed(x: float, y: float, text: str, after: str, room: float) -> tuple[list[Note], float]:
    """A heading with what stands after it, under it where there is no room beside it; and how much lower it ends.

    >>> headed(0, 0, "a", "12 bytes", 400)[1], headed(0, 0, "a", "12 bytes", 60)[1]
    (0.0, 20.0)
    """
    shown = text if len(text) * 9.4 <= room else text[: max(1, int(room / 9.4) - 1)] + "…"
    if len(shown) * 9.4 + len(after) * 7.6 + 14 <= room:
        return [Note(x, y, shown, "heading", after=after)], 0.0
    lines = wrap(after, room, 13.0)
    under = [Note(x, y + 20 + 18 * k, line, "muted") for k, line in enumerate(lines)]
    return [Note(x, y, shown, "heading"), *under], 2 + 18.0 * len(lines)


def kept_in(table: Table, right: float) -> Table:
    """With its notes broken into lines that end before ``right``."""
    notes: list[Note] = []
    for note in table.notes:
        y = max(note.y, notes[-1].y + 18 if notes else 0.0)
        notes += paragraph(note.x, y, wrap(note.text, right - note.x, 13), note.role, 18)
    return replace(table, notes=tuple(notes))


def one_box(snapshots: Iterable[Snapshot], room: float) -> tuple[float, float, float]:
    """One width, height and text size for the cells of matrices that belong together, each with this much room."""
    shown = tuple(snapshots)
    longest = max((len(short(value, one.meta.dtype)) for one in shown for value in one.grid), default=1)
    columns = max((one.window.count[-1] if one.window.count else 1 for one in shown), default=1)
    unit = min(84.0, (room - 64) / max(columns, 1))
    return unit, 48.0, max(7.0, min(22.0, int((unit - 4) / ((longest + 1) * MONO) * 2) / 2))
