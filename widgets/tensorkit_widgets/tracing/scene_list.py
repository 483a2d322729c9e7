"""The list of all calls of a story: pressed, it goes to that call; long ones show the part around the present one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import Table, Tile, paragraph
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.tracing.recorder import TraceStep
from tensorkit_widgets.tracing.words import KINDS_SAID, cut, link_text, moved_words, result_words

ROW, FONT = 34.0, 14.0
INDENT, DEEPEST = 16.0, 4
LETTER = 7.4
"""The width of a character of what is said beside a call."""
_SHORT = {"made": "made", "same": "same", "value": "value", "error": "raised"}


@dataclass(frozen=True, slots=True)
class Column:
    """Where the list stands, and how much room each part of a line has; ``more`` adds what came out."""

    x: float
    y: float
    width: float
    rows: int
    more: bool = False


def spread(count: int, at: int, rows: int) -> tuple[int, int]:
    """The calls ``first`` to ``last`` that a list of ``rows`` shows around the present one, numbered from 1.

    >>> spread(4, 2, 9), spread(200, 0, 9), spread(200, 100, 9), spread(200, 200, 9)
    ((1, 4), (1, 9), (96, 104), (192, 200))
    """
    first = max(1, min(at - rows // 2, count - rows + 1))
    return first, min(count, first + rows - 1)


def list_steps(
    steps: Sequence[TraceStep], left_out: int, at: int, column: Column
) -> tuple[Table, list[Note], float]:
    """One line for each call, indented by how deep it lies."""
    first, last = spread(len(steps), at, column.rows)
    y, tiles, notes = column.y, list[Tile](), list[Note]()
    wide = column.width - 96.0 if not column.more else max(column.width * 0.44, column.width - 500.0)
    if first > 1:
        tiles.append(_jump(f"↑ {first - 1:,} earlier", first - 1, column.x, y, wide))
        y += ROW
    for step in steps[first - 1 : last]:
        tiles.append(_row(step, step.number == at, column.x, y, wide))
        notes += _beside(step, column, column.x + wide + 12, y + 22)
        y += ROW
    if last < len(steps):
        tiles.append(_jump(f"↓ {len(steps) - last:,} later", last + 1, column.x, y, wide))
        y += ROW
    if left_out:
        words = f"{left_out_words(left_out, len(steps))}; the sums are of all of them."
        lines = wrap(words, column.width, 15)
        notes += paragraph(column.x, y + 18, lines, "body", 20)
        y += 20 * len(lines) + 8
    label = f"the calls, {len(steps)} in all"
    return Table("steps", label, tuple((tile,) for tile in tiles), told=False), notes, y


def left_out_words(left_out: int, kept: int) -> str:
    """Which calls a list does not have.

    >>> left_out_words(1800, 200), left_out_words(1, 1)
    ('200 calls are kept to be looked at, 1,800 more are counted', '1 call is kept to be looked at, 1 more is counted')
    """
    first = f"{kept:,} calls are" if kept != 1 else "1 call is"
    return f"{first} kept to be looked at, {left_out:,} more {'are' if left_out != 1 else 'is'} counted"


def _row(step: TraceStep, here: bool, x: float, y: float, width: float) -> Tile:
    indent = INDENT * min(step.level, DEEPEST)
    text = f"{step.number}  {link_text(step)}"
    thread = f", on thread {step.thread}" if step.thread else ""
    inside = ", inside a function" if step.level else ""
    said = f"step {step.number}: {link_text(step)}, {KINDS_SAID[step.kind][0]}{inside}{thread}"
    room = int((width - indent - 20) / (FONT * MONO))
    kinds = ("lit",) if here else ("bad",) if step.failure is not None else ("plain",)
    return Tile(
        f"step:{step.number}", x + indent, y, width - indent, ROW - 4, cut(text, room), said, kinds,
        action="show", full=link_text(step), font=FONT, start=True,
    )  # fmt: skip


def _jump(text: str, to: int, x: float, y: float, width: float) -> Tile:
    said = f"{text[2:]}: go to step {to}"
    return Tile(
        f"step:{to}", x, y, width, ROW - 4, text, said, ("quiet",), action="show", font=FONT, start=True
    )


def _briefly(moved: str) -> str:
    """Two counts of bytes in one line.

    >>> _briefly("8 bytes moved, 8 bytes newly made."), _briefly("8 bytes newly made.")
    ('8 bytes moved, 8 made', '8 bytes newly made')
    """
    first, found, rest = moved.rstrip(".").partition(", ")
    return f"{first}{found}{rest.replace(' bytes newly made', ' made')}"


def _beside(step: TraceStep, column: Column, x: float, y: float) -> list[Note]:
    """What the call did; in the wide list what came out, too."""
    word = _SHORT.get(step.kind, step.kind)
    role = KINDS_SAID[step.kind][1]
    notes = [Note(x, y, word, "body" if role == "big" else role)]
    if column.more and column.width > 480:
        moved = moved_words(step) if step.bytes_moved or step.bytes_made else ""
        moved, end = cut(_briefly(moved), 44) if column.width > 700 else "", column.x + column.width
        room = (end - (x + 84) - (LETTER * len(moved) + 14 if moved else 0)) / LETTER
        notes.append(Note(x + 84, y, cut(result_words(step), max(8, min(36, int(room)))), "muted"))
        if moved:
            notes.append(Note(end, y, moved, "muted", "end"))
    return notes
