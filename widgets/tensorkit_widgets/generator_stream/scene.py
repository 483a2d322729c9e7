"""The picture of a stream: a row of draws for each generator and seed, and under it the calls that took them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import clipped, headed
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import PAGE, Sheet, Table, Tile, Wire, paragraph
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.generator_stream.model import Reading, Taken
from tensorkit_widgets.generator_stream.words import (
    LEGEND,
    counted,
    draws_of,
    label,
    lines,
    pieces,
    row_name,
    story,
    summary,
)

MARGIN = 28.0
CHIP, CHIP_GAP, CHIP_FONT, MOST_CHIP_LINES = 30.0, 6.0, 13.5, 3
CARET, DRAW, BAR, STRIP, LANE = 38.0, 48.0, 32.0, 20.0, 60.0
MOST_ROWS, MOST_LANES, MOST_DRAWS = 3, 4, 64
LONGEST = 40
NARROW = 600.0  # a narrower page has small boxes: three decimals are larger than four


@dataclass(frozen=True, slots=True)
class Flow:
    """All that the picture knows; ``at`` is the step, 0 the whole."""

    steps: tuple[Taken, ...]
    readings: tuple[Reading, ...]
    at: int
    left_out: int = 0
    page: float = PAGE

    @property
    def now(self) -> Taken | None:
        """The step that is looked at."""
        return self.steps[self.at - 1] if self.at else None

    def done(self) -> Sequence[Taken]:
        """The steps so far."""
        return self.steps[: self.at] if self.at else self.steps

    @property
    def gutter(self) -> float:
        """The room at the left, for the seeds."""
        return 66.0 if self.page >= NARROW else 50.0

    def columns(self) -> int:
        """Draws in a line: a block of 16 where there is room."""
        return 16 if self.page >= 900 else 12 if self.page >= 700 else 8


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a row: its draws, and where they are."""

    first: int
    columns: int
    left: float
    unit: float
    y: float

    def x(self, draw: float) -> float:
        return round(self.left + (draw - self.first) * self.unit, 2)

    def part(self, first: int, stop: int) -> tuple[int, int] | None:
        """The draws of a range that are in this line."""
        a, b = max(first, self.first), min(stop, self.first + self.columns)
        return (a, b) if a < b else None


def compose_stream(model: Flow) -> Sheet:
    """One step of a stream."""
    chips, y = _chips(model, 20.0)
    tables = [chips] if chips.tiles else []
    notes: list[Note] = []
    wires: list[Wire] = []
    rows = _rows(model)
    for row in rows:
        more, said, arrows, y = _row(model, row, y + 14, len(rows))
        tables += more
        notes += said
        wires += arrows
    hidden = len({step.row for step in model.steps}) - len(rows)
    if hidden > 0:
        y += 24
        notes.append(
            Note(MARGIN, y, f"and {counted(hidden, 'more stream')}: go to a step of theirs", "muted")
        )
    now = model.now
    said_now = story(now, model.readings) if now else summary(model.steps, model.readings, model.left_out)
    room = model.page - 2 * MARGIN
    told = [line for sentence in said_now for line in wrap(sentence, room, 16)]
    notes += paragraph(MARGIN, y + 26, told, "body", 22)
    y += 26 + 22.0 * max(len(told), 2)
    small = wrap(LEGEND, room, 13)
    notes += paragraph(MARGIN, y, small, "muted", 18)
    return Sheet(
        "GeneratorStream", _title(model), y + 18.0 * len(small), tuple(tables), tuple(notes), (), tuple(wires),
        (*said_now, LEGEND, *lines(model.steps, model.readings)), " ".join(said_now), "ok", model.page,
    )  # fmt: skip


def _title(model: Flow) -> str:
    many = counted(len(model.steps) + model.left_out, "step")
    return f"step {model.at} of {many}, {model.now.call}" if model.now else many


# ---- the program


def _chips(model: Flow, y: float) -> tuple[Table, float]:
    """A chip for every step, as it is written; the step that is looked at is in sight."""
    right, texts = model.page - MARGIN, [_chip_text(step) for step in model.steps]
    wide = [min(len(text) * MONO * CHIP_FONT + 18, model.page - 2 * MARGIN) for text in texts]
    first = 0
    while True:
        x, line, tiles = MARGIN, 0, []
        for step, text, width in zip(model.steps[first:], texts[first:], wide[first:], strict=True):
            if x + width > right and x > MARGIN:
                x, line = MARGIN, line + 1
            if line >= MOST_CHIP_LINES:
                break
            tiles.append(_chip(model, step, text, (x, y + line * (CHIP + CHIP_GAP), width)))
            x += width + CHIP_GAP
        if not tiles or first + len(tiles) >= model.at:
            break
        first += max(1, len(tiles) // 2)
    bottom = max((tile.y + tile.height for tile in tiles), default=y - 8)
    return Table("steps", "the steps, in the order of the program", (tuple(tiles),), told=False), bottom


def _chip_text(step: Taken) -> str:
    line = step.line if step.kind == "draw" and len(step.line) <= LONGEST else step.call
    return f"{step.number} {clipped(line, LONGEST * MONO, 1.0)}"


def _chip(model: Flow, step: Taken, text: str, box: tuple[float, float, float]) -> Tile:
    x, y, width = box
    kinds = (
        ("lit",) if step.number == model.at else () if not model.at or step.number < model.at else ("plain",)
    )
    shown = clipped(text, width - 8, CHIP_FONT)
    said = label(step) if step.kind == "draw" else story(step, model.readings)[0]
    kin = (f"step:{step.number}", f"call:{step.number}")
    return Tile(
        f"step:{step.number}", x, y, width, CHIP, shown, said, kinds, kin, action="tick", font=CHIP_FONT,
        full=step.line or step.call,
    )  # fmt: skip


# ---- one row


def _rows(model: Flow) -> list[int]:
    """The rows that are drawn, that of the step among them."""
    rows = sorted({step.row for step in model.steps})
    if model.now and model.now.row in rows[MOST_ROWS:]:
        return [*rows[: MOST_ROWS - 1], model.now.row]
    return rows[:MOST_ROWS]


def _row(model: Flow, row: int, y: float, rows: int) -> tuple[list[Table], list[Note], list[Wire], float]:
    reading = model.readings[row]
    mine = [step for step in model.steps if step.row == row]
    stretch, more = _stretch(model, mine, MOST_DRAWS // (1 if rows == 1 else 2) // model.columns())
    after = f"{counted(max(step.stop for step in mine if step.kind == 'draw'), 'draw')} read" if any(
        step.kind == "draw" for step in mine) else "nothing read"  # fmt: skip
    notes, lower = headed(MARGIN, y + 20, row_name(reading), after, model.page - 2 * MARGIN)
    y += 20 + lower
    numbers = reading.stream.numbers(stretch.start, len(stretch), 3 if model.page < NARROW else 4)
    tables, wires = [], []
    unit = (model.page - 2 * MARGIN - model.gutter) / model.columns()
    for first in range(stretch.start, stretch.stop, model.columns()):
        line = _Line(first, model.columns(), MARGIN + model.gutter, unit, y + CARET)
        texts = numbers[first - stretch.start :][: model.columns()]
        tables.append(_draws(model, row, line, texts, mine))
        said, arrows = _caret(model, mine, line, first + model.columns() == stretch.stop)
        notes += said
        wires += arrows
        lanes, y = _lanes(model, row, line, mine)
        tables += lanes
    if more:
        y += 18
        notes.append(Note(MARGIN + model.gutter, y, more, "muted"))
    return tables, notes, wires, y


def _stretch(model: Flow, mine: Sequence[Taken], most: int) -> tuple[range, str]:
    """The draws that are shown: whole lines; those near the step, where all are too many."""
    columns = model.columns()
    low = min(min(step.first, step.stop) for step in mine) // columns
    high = max(low, (max(max(step.first, step.stop) for step in mine) - 1) // columns) + 1
    if high - low <= most:
        return range(low * columns, high * columns), ""
    at = model.now.first // columns if model.now in mine and model.now else low
    first = max(low, min(at, high - most))
    shown = range(first * columns, (first + most) * columns)
    hidden = [
        f"{a:,} to {b - 1:,}"
        for a, b in ((low * columns, shown.start), (shown.stop, high * columns))
        if a < b
    ]
    return shown, f"not drawn: {' and '.join(hidden)}"


def _draws(model: Flow, row: int, line: _Line, texts: Sequence[str], mine: Sequence[Taken]) -> Table:
    taken: dict[int, list[Taken]] = {}
    for step in mine:
        if step.kind == "draw" and (not model.at or step.number <= model.at):
            part = line.part(step.first, step.stop)
            for draw in range(*part) if part else ():
                taken.setdefault(draw, []).append(step)
    font = min(16.0, (line.unit - 8) / (max(map(len, texts)) * MONO))
    tiles = []
    for k, text in enumerate(texts):
        draw = line.first + k
        by = taken.get(draw, ())
        lit = any(step.number == model.at for step in by)
        took = " and ".join(f"step {step.number}" for step in by)
        tiles.append(
            Tile(
                f"draw:{row}.{draw}", line.x(draw), line.y, line.unit, DRAW, text,
                f"draw {draw} is {text}" + (f", taken by {took}" if by else ", not read yet"),
                ("lit",) if lit else () if by else ("grey",), tuple(f"call:{step.number}" for step in by),
                tag=str(draw), font=round(font, 1),
            )
        )  # fmt: skip
    return Table(
        f"draws:{row}.{line.first}",
        f"{row_name(model.readings[row])}, draws from {line.first}",
        (tuple(tiles),),
    )


def _caret(model: Flow, mine: Sequence[Taken], line: _Line, final: bool) -> tuple[list[Note], list[Wire]]:
    """Where the generator reads on; after a seed the way back to there."""
    so_far = [step for step in mine if not model.at or step.number <= model.at]
    last = so_far[-1] if so_far else None
    at = last.stop if last else mine[0].first
    end = line.first + line.columns
    if not line.first <= at < end + final:
        return [], []
    x, words = line.x(at), "next draw"
    points = [(x, line.y - 24), (x, line.y - 2)]
    if last is not None and last.kind != "draw" and last.number == model.at:
        words = last.call
        if line.first <= last.first <= end and last.first != at:
            back = line.x(last.first)
            points = [(back, line.y - 4), (back, line.y - 14), (x, line.y - 14), (x, line.y - 2)]
            return [Note((x + back) / 2, line.y - 19, words, "body", "middle")], [
                Wire(tuple(points), "strong")
            ]
    right = x + 12 + 8.6 * len(words) < model.page
    note = Note(x + (11 if right else -11), line.y - 12, words, "body", "start" if right else "end")
    return [note], [Wire(tuple(points), "strong")]


def _lanes(model: Flow, row: int, line: _Line, mine: Sequence[Taken]) -> tuple[list[Table], float]:
    """The calls, each time that the reading began again in a lane of its own."""
    shown = [step for step in mine if step.kind == "draw" and _in_line(step, line)]
    lanes = sorted({step.lane for step in shown})
    if model.now and model.now.lane in lanes:
        lanes = [lane for lane in lanes if lane <= model.now.lane][-MOST_LANES:] + [
            lane for lane in lanes if lane > model.now.lane
        ]
    lanes = lanes[:MOST_LANES]
    y, tables = line.y + DRAW + 6, []
    for lane in lanes:
        tiles: list[Tile] = []
        begin = next((step for step in mine if step.kind != "draw" and step.lane == lane), None)
        if begin is not None and line.part(begin.stop, begin.stop + 1):
            tiles.append(_begin(model, begin, y))
        for step in sorted(shown, key=lambda step: not step.draws):  # a call without a draw on top
            if step.lane == lane:
                tiles += _bar(model, step, line, y)
        name = f"lane:{row}.{line.first}.{lane}"
        tables.append(Table(name, "the calls that took them", (tuple(tiles),), told=False))
        y += LANE
    return tables, y


def _in_line(step: Taken, line: _Line) -> bool:
    return line.part(step.first, max(step.stop, step.first + 1)) is not None


def _begin(model: Flow, step: Taken, y: float) -> Tile:
    text = f"seed {model.readings[step.row].stream.seed}" if step.kind == "seed" else "set"
    font = min(13.0, (model.gutter - 14) / (len(text) * MONO))
    if font < 9:
        text, font = "seed …", 13.0
    kinds = ("lit",) if step.number == model.at else ("plain",)
    said = story(step, model.readings)[0]
    kin = (f"step:{step.number}",)
    return Tile(
        f"seed:{step.number}",
        MARGIN,
        y,
        model.gutter - 6,
        BAR,
        text,
        said,
        kinds,
        kin,
        action="tick",
        font=round(font, 1),
    )


def _bar(model: Flow, step: Taken, line: _Line, y: float) -> list[Tile]:
    """The bar of a call in a line, and under it the pieces in which it works."""
    later = bool(model.at) and step.number > model.at
    kinds = ("lit",) if step.number == model.at else ("off",) if later else ("on",)
    part = line.part(step.first, step.stop)
    if part is None:
        return [_nothing(model, step, line, y + BAR, kinds)]
    left, width = line.x(part[0]), (part[1] - part[0]) * line.unit
    begins = part[0] == step.first
    key = f"call:{step.number}" if begins else f"call:{step.number}.{line.first}"
    text, font = _fitting(step, width - 12 - (0 if begins else 18))
    kin = (f"step:{step.number}", f"call:{step.number}", *_drawn(step, line))
    bar = Tile(
        key, left + 1, y, width - 2, BAR, text if begins else f"… {text}", label(step), kinds, kin, action="tick",
        font=font, dim=1 if step.parts else 0, full=step.line,
    )  # fmt: skip
    return [bar, *_strip(step, line, y + BAR)]


def _nothing(model: Flow, step: Taken, line: _Line, y: float, kinds: tuple[str, ...]) -> Tile:
    """A call that took no draw: a small mark at its place."""
    x = min(max(line.x(step.first) - 11, line.left), line.left + line.columns * line.unit - 22)
    return Tile(
        f"call:{step.number}", x, y, 22, STRIP, str(step.number), label(step), kinds, (f"step:{step.number}",),
        action="tick", font=11.5, dim=1, full=step.line,
    )  # fmt: skip


def _drawn(step: Taken, line: _Line) -> tuple[str, ...]:
    part = line.part(step.first, step.stop)
    return tuple(f"draw:{step.row}.{draw}" for draw in range(*part)) if part else ()


def _fitting(step: Taken, room: float) -> tuple[str, float]:
    """The line, or the call, or its number alone: what fits in letters that can be read."""
    for text in (f"{step.number} {step.line}", f"{step.number} {step.call}", step.call, str(step.number)):
        font = min(15.0, room / (len(text) * MONO))
        if font >= 11.5:
            return text, round(font, 1)
    return clipped(str(step.number), room, 11.5), 11.5


def _strip(step: Taken, line: _Line, y: float) -> list[Tile]:
    """What each piece of a call takes and makes."""
    out, first = [], step.first
    for k, (count, text) in enumerate(zip(step.parts or (step.draws,), pieces(step), strict=True)):
        part = line.part(first, first + count)
        if part is not None:
            width = (part[1] - part[0]) * line.unit
            short = (
                text.replace(" draws", "").replace(" draw", "").replace(" numbers", "").replace(" number", "")
            )
            fits = next((one for one in (text, short) if len(one) * MONO * 11.5 + 11 <= width), "")
            shown = fits if part[0] == first else ""
            out.append(
                Tile(
                    f"piece:{step.number}.{k}.{line.first}", line.x(part[0]) + 1, y, width - 2, STRIP, shown,
                    f"{draws_of(step)}: {text}", ("plain",), (f"call:{step.number}",), font=11.5,
                )
            )  # fmt: skip
        first += count
    return out
