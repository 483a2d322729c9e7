"""The picture of a convolution: the window on the input, the kernel that lies on it, and the result so far.

Under them is im2col, if it is asked for: each window as a row, so that one matrix product does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import code_lines, headed, kept_in
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.refusal import draw_refusal
from tensorkit_widgets.drawing.sheet import PAGE, Dress, Sheet, Table, paragraph, tensor_table
from tensorkit_widgets.drawing.unfinished import unfinished
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.snapshot.adapter import Link, Snapshot
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.number_text import short, size_text

Number = bool | int | float | complex
LEFT, TOP, SIDE, GAP, HEIGHT = 28.0, 34.0, 64.0, 20.0, 42.0
WIDEST, LEAST = 64.0, 40.0


@dataclass(frozen=True, slots=True)
class Part:
    """A tensor that is drawn: its name and key, what is seen of it, and the storage that it is in."""

    key: str
    name: str
    snapshot: Snapshot
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """What is being computed.

    Attributes:
        lit: which elements of the input lie in the window.
        edge: which elements of the input are padding.
        place, row: the element of the result, and the row of im2col that it is made of; None before the first.
        known: the result so far.
        code: lines of code that make the window; the sum in numbers.
        words: sentences.
    """

    lit: frozenset[Ints]
    edge: Callable[[Ints], bool]
    place: Ints | None
    row: int | None
    known: dict[Ints, Number]
    code: tuple[str, ...]
    words: tuple[str, ...]


def compose_conv(
    title: str, parts: Sequence[Part], rows: Part | None, moment: Moment, page: float = PAGE
) -> Sheet:
    """One moment of a convolution.

    Args:
        title: the call.
        parts: the input, the kernel and the result.
        rows: the windows as rows, if they are to be shown.
        moment: what is being computed.
        page: the room that there is.
    """
    box = _box(parts, page)
    notes: list[Note] = []
    tables: list[Table] = []
    x, y, low = LEFT, TOP, TOP
    for part in parts:
        wide = SIDE + box[0] * part.snapshot.window.count[-1]
        if x > LEFT and x + wide > page - LEFT + 1:
            x, y = LEFT, low + 44
        table, more = _drawn(part, x, y, wide, box, moment, page)
        tables.append(table)
        notes += more
        x, low = x + wide + GAP, max(low, table.bottom)
    y = low + 34
    if rows is not None:
        table, more = _drawn(rows, LEFT, y, page - 2 * LEFT, _fitted(rows, page), moment, page)
        tables.append(table)
        notes += more
        y = table.bottom + 34
    for line in moment.code:
        lines = code_lines(line, page - 2 * LEFT, 17)
        notes += paragraph(LEFT, y, lines, "code", 26)
        y += 26 * len(lines) + 2
    lines = [line for sentence in moment.words for line in wrap(sentence, page - 2 * LEFT, 15)]
    notes += paragraph(LEFT, y + 4, lines, "body", 22)
    return Sheet(
        "ConvExplorer", title, y + 22 * len(lines) + 8, tuple(tables), tuple(notes),
        words=(*moment.words, *moment.code), said=moment.words[0], width=page,
        styles=("conv.css",),
    )  # fmt: skip


def _drawn(
    part: Part, x: float, y: float, wide: float, box: tuple[float, float, float], moment: Moment, page: float
) -> tuple[Table, list[Note]]:
    """A tensor under its heading."""
    meta = part.snapshot.meta
    notes, down = headed(x, y, part.name, f"size {size_text(meta.size)}", max(wide, 150.0))

    def kinds(index: Ints) -> tuple[str, ...]:
        if part.key == "x":
            return ("lit",) * (index in moment.lit) + ("added",) * moment.edge(index)
        if part.key == "r":
            return ("lit",) if index[0] == moment.row else ()
        return ("kin",) if part.key == "w" and moment.place is not None else ()

    dress = Dress(kinds=kinds, link=part.link, box=box, tags=part.link is not None and box[0] >= 52)
    table = tensor_table(part.key, part.snapshot, x, y + 14 + down, PAGE, dress, part.name)
    if part.key == "y":
        busy = lambda index: index == moment.place  # noqa: E731
        table = unfinished(table, moment.known, busy, meta.dtype, part.name)
    return kept_in(table, page - LEFT), notes


def _box(parts: Sequence[Part], page: float) -> tuple[float, float, float]:
    """One size for the cells of all: side by side where they stay readable, else under one another."""
    columns = [part.snapshot.window.count[-1] for part in parts]
    side_by_side = (page - 2 * LEFT - SIDE * len(parts) - GAP * (len(parts) - 1)) / max(1, sum(columns))
    alone = (page - 2 * LEFT - SIDE) / max(1, *columns)
    unit = min(WIDEST, side_by_side if side_by_side >= LEAST else alone)
    return unit, HEIGHT, _font(unit, parts)


def _fitted(rows: Part, page: float) -> tuple[float, float, float]:
    unit = min(WIDEST, (page - 2 * LEFT - SIDE) / max(1, rows.snapshot.window.count[-1]))
    return unit, 34.0, _font(unit, [rows])


def _font(unit: float, parts: Sequence[Part]) -> float:
    longest = max((len(short(v, p.snapshot.meta.dtype)) for p in parts for v in p.snapshot.grid), default=1)
    return max(7.0, min(20.0, (unit - 9) / (max(longest, 1) * MONO)))


def compose_refused(title: str, parts: Sequence[tuple[str, Ints]], error: str, page: float = PAGE) -> Sheet:
    """Sizes that do not fit, and the library's refusal."""
    lines = [f"{name}: size {size_text(size)}" for name, size in parts]
    notes = [Note(LEFT, TOP, title[:90], "heading"), *paragraph(LEFT, TOP + 30, lines, "code", 26)]
    more, frames, y = draw_refusal(error, None, LEFT, TOP + 30 + 26 * len(lines), page - 2 * LEFT)
    words = "The convolution was refused."
    sheet = Sheet(
        "ConvExplorer", title, y + 8, (), (*notes, *more), tuple(frames), status="refused", width=page
    )
    return replace(sheet, words=(words, *lines, error), said=words)
