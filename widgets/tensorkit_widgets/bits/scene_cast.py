"""The picture of a cast, step by step: what is there, what has a place, what the rule does, and what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from tensorkit_widgets.bits.casts import Story
from tensorkit_widgets.bits.formats import Format, exact, exactly, written
from tensorkit_widgets.bits.scene import LEFT, BitRow, rows_down
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import PAGE, Sheet, Table, Tile, Wire, paragraph
from tensorkit_widgets.drawing.words import wrap

STEPS = 3
"""After the bits as they are: what has a place, the rule, and the result."""


def compose_cast(
    source: BitRow, target: Format, told: Story, at: int, name: str, page: float = PAGE
) -> Sheet:
    """One step of the story."""
    kept = frozenset(place for place, _ in told.kept)
    made = BitRow(target, told.result, told.verdict, False, hidden=at < STEPS)
    if source.format == target:
        made = replace(made, key="result")
    own = replace(
        source, note="" if at else "the number as it is", kept=kept if at and kept else None,
        kin={place: (f"{made.called}:{to}",) for place, to in told.kept} if at >= STEPS else {},
    )  # fmt: skip
    tables, notes, wires, y = rows_down((own, made), 20, page=page)
    words = list(told.steps[:at]) or [f"What does .to({target.name}) make of it? Step on to see."]
    more, y = _sentences(words, at, y, page)
    notes += more
    if told.between is not None and at >= 2:
        road, more, lines, y = _road(exact(source.bits, source.format), told, target, y + 34, at, page)
        tables.append(road)
        notes += more
        wires += lines
    spoken = [_line(own), *([_line(made)] if at >= STEPS else []), "", *words]
    return Sheet(
        "BitView", f"{name}.to({target.name})", y + 26, tuple(tables), tuple(n for n in notes if n.text), (),
        tuple(wires), tuple(spoken), words[-1], "cast", page,
    )  # fmt: skip


def _sentences(words: Sequence[str], at: int, y: float, page: float) -> tuple[list[Note], float]:
    """What has been told so far, numbered."""
    notes: list[Note] = []
    for k, sentence in enumerate(words):
        lines = wrap(sentence, page - 2 * LEFT - 34, 17)
        notes.append(Note(LEFT, y + 24, f"{k + 1}." if at else "", "big"))
        notes += paragraph(LEFT + (30 if at else 0), y + 24, lines, "big", 25)
        y += 25 * len(lines) + 7
    return notes, y


def _line(row: BitRow) -> str:
    return f"{row.format.name:<9}{row.bits:0{row.format.width}b}  {row.value}" + (
        f"  ({row.note})" if row.note else ""
    )


def _road(
    number: Fraction | None, told: Story, target: Format, y: float, at: int, page: float
) -> tuple[Table, list[Note], list[Wire], float]:
    """The stretch between the two numbers that it lies between, with the place where it lies."""
    assert told.between is not None
    assert number is not None
    ends = [exact(bits, target) for bits in told.between]
    wide = min(220.0, page / 2 - LEFT - 10)
    low, high = LEFT + wide / 2, page - LEFT - wide / 2
    tiles = []
    for k, (bits, end) in enumerate(zip(told.between, ends, strict=True)):
        text = written(bits, target) if end is None or end == 0 else exactly(end, 20)
        taken = at >= STEPS and bits == told.result
        middle = (low, high)[k]
        kinds = ("good",) if taken else ("plain",)
        label = f"{text}, {'the smaller' if not k else 'the larger'} of the two{', which is taken' if taken else ''}"
        font = min(18.0, int((wide - 16) / (0.602 * max(len(text), 1))))
        tiles.append(Tile(f"end:{k}", middle - wide / 2, y + 40, wide, 40, text, label, kinds, font=font))
    part = _part(number, ends)
    x = low + (high - low) * part
    wires = [
        Wire(((low, y + 24), (high, y + 24)), "", None, "", head=False),
        *(Wire(((e, y + 18), (e, y + 36)), "", None, "", head=False) for e in (low, high)),
        Wire(((x, y + 2), (x, y + 24)), "strong", 1, ""),
    ]
    anchor = "start" if part < 0.2 else "end" if part > 0.8 else "middle"
    notes = [Note(x, y - 4, "here it lies", "body", anchor)]
    label = "the two numbers that it lies between"
    return Table("between", label, (tuple(tiles),), told=False), notes, wires, y + 84


def _part(number: Fraction, ends: Sequence[Fraction | None]) -> float:
    low, high = ends
    if low is None or high is None:
        return 0.5
    return float((number - low) / (high - low))
