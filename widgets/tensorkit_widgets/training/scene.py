"""The picture of a training: the loss so far, the norms, the chosen parameter, and the batch with the net's answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import isfinite, log10
from typing import Any

import numpy

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import clipped, headed, kept_in
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.pixels import png, signed
from tensorkit_widgets.drawing.sheet import (
    PAGE,
    Dress,
    Frame,
    Photo,
    Sheet,
    Table,
    Tile,
    Wire,
    paragraph,
    tensor_table,
)
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.snapshot.number_text import short, size_text
from tensorkit_widgets.training.model import Batch, Example, History, Moment, Part, Seen
from tensorkit_widgets.training.words import EMPTY, legend, norm_text, number, words_of

__all__ = ["Page", "compose_training"]

LEFT, TOP, GUTTER = 28.0, 42.0, 66.0
CURVE, LINE, MOST_LINES = 118.0, 24.0, 5
BESIDE, BETWEEN, NARROW = 312.0, 32.0, 900.0
"""The column at the right, the space before it, and the page on which it has its place below instead."""
SHOT, SHOT_GAP, FACE, ANSWER = 76.0, 14.0, 70.0, 26.0
LOGARITHMIC = 50.0
"""Losses of which the largest is so many times the least are drawn by their powers of ten."""


@dataclass(frozen=True, slots=True)
class Page:
    """What is drawn: a moment, the parameter that is looked at, its gradient or its weights, and how."""

    name: str
    history: History
    at: int
    path: str = ""
    gradients: bool = False
    numbers: bool = False
    page: float = PAGE

    @property
    def moment(self) -> Moment:
        """The moment that is shown."""
        return self.history.moments[self.at]

    @property
    def part(self) -> Part | None:
        """The parameter that is looked at."""
        return self.moment.part(self.path)


@dataclass(slots=True)
class _Drawn:
    """What has been drawn so far; ``low`` is where the last block ends."""

    tables: list[Table] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    photos: list[Photo] = field(default_factory=list)
    low: float = 0.0

    def head(self, x: float, y: float, text: str, after: str, room: float) -> float:
        """A heading, and how much lower than usual it ends."""
        notes, down = headed(x, y, text, after, room)
        self.notes += notes
        return down


def compose_training(shown: Page) -> Sheet:
    """One moment of a training; on a narrow page all of it in one column."""
    room = shown.page - 2 * LEFT
    if not shown.history.moments:
        lines = wrap(EMPTY, room, 15)
        return Sheet(
            "TrainingView", f"{shown.name}, nothing recorded", 34 + 22.0 * len(lines), (),
            paragraph(LEFT, 34, lines, "body", 22), words=(EMPTY,), said=EMPTY, status="empty", width=shown.page,
        )  # fmt: skip
    out, wide = _Drawn(), shown.page >= NARROW
    left = room - BESIDE - BETWEEN if wide else room
    right = (LEFT + left + BETWEEN, BESIDE) if wide else (LEFT, room)
    _curve(out, shown, 28.0, left)
    low = out.low
    if shown.part is not None:
        _norms(out, shown, right[0], 28.0 if wide else low + 34, right[1])
        low = top = max(low, out.low) + 34
        _parameter(out, shown, shown.part, top, left)
        low = out.low
        if not wide:
            top = low + 34
    else:
        top = low + 34
    if shown.moment.batch is not None:
        _batch(out, shown.moment.batch, right[0], top, right[1])
        low = max(low, out.low)
    words = list(words_of(shown.history, shown.at, shown.part))
    seen = _seen(shown)
    if isinstance(seen, Seen) and seen.shots is not None and not shown.numbers:
        words.append(legend(seen))
    lines = [line for sentence in words for line in wrap(sentence, room, 15)]
    out.notes += paragraph(LEFT, low + 30, lines, "body", 22)
    last = shown.history.moments[-1].number
    title = f"{shown.name}, step {shown.moment.number:,} of {last:,}, loss {number(shown.moment.loss)}"
    return Sheet(
        "TrainingView", title, low + 34 + 22 * len(lines), tuple(out.tables), tuple(out.notes), tuple(out.frames),
        tuple(out.wires), tuple(words), words[0], width=shown.page, photos=tuple(out.photos),
    )  # fmt: skip


def _seen(shown: Page) -> Seen | str:
    part = shown.part
    return "" if part is None else part.gradient if shown.gradients else part.weight


# ---- the loss


def _curve(out: _Drawn, shown: Page, y: float, width: float) -> None:
    """The loss of every moment from left to right; where it is no number there is a gap on a red ground."""
    moments, moment = shown.history.moments, shown.moment
    losses = [one.loss for one in moments]
    finite = [loss for loss in losses if isfinite(loss)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    powers = low > 0 and high / low > LOGARITHMIC
    after = f"{number(moment.loss)} at step {moment.number:,}" + (
        ", drawn by powers of ten" if powers else ""
    )
    y += out.head(LEFT, y, "loss", after, width) + 14
    x, wide = LEFT + GUTTER, width - GUTTER
    unit = wide / len(moments)

    def place(k: int) -> tuple[float, float]:
        value, ends = (log10(losses[k]), (log10(low), log10(high))) if powers else (losses[k], (low, high))
        part = (value - ends[0]) / (ends[1] - ends[0]) if ends[1] > ends[0] else 0.5
        return x + (k + 0.5) * unit, y + CURVE - 10 - (CURVE - 20) * part

    out.frames.append(Frame(x, y, wide, CURVE, "panel", 4.0))
    for good, run in groupby(range(len(losses)), lambda k: isfinite(losses[k])):
        points = list(run)
        if good and len(points) > 1:
            out.wires.append(Wire(tuple(map(place, points)), dim=0, head=False))
        elif good:
            out.frames.append(_dot(*place(points[0]), 2.5, "part"))
        else:
            out.frames.append(Frame(x + points[0] * unit, y, unit * len(points), CURVE, "alarm", 0.0))
    now = x + (shown.at + 0.5) * unit
    out.wires.append(Wire(((now, y), (now, y + CURVE)), "dashed", head=False))
    if isfinite(moment.loss):
        out.frames.append(_dot(*place(shown.at), 5.5, "chosen"))
    for value, line in ((high, y + 14), (low, y + CURVE - 4)) if high > low else ((low, y + CURVE / 2 + 4),):
        out.notes.append(Note(x - 8, line, number(value) if finite else "", "muted", "end"))
    under = y + CURVE + 18
    out.notes.append(Note(x, under, f"step {moments[0].number:,}"))
    if len(moments) > 1:
        out.notes.append(Note(x + wide, under, f"step {moments[-1].number:,}", anchor="end"))
    said = f"the loss, step by step: press a step to go there; step {moment.number} is looked at"
    tile = Tile(
        "curve", x, y, wide, CURVE, "", said, ("quiet",), action="moment", grid=(1, len(moments), 0, shown.at)
    )
    out.tables.append(Table("curve", "the loss of every step", ((tile,),), told=False))
    out.low = under + 4


def _dot(x: float, y: float, radius: float, kind: str) -> Frame:
    return Frame(x - radius, y - radius, 2 * radius, 2 * radius, kind, radius)


# ---- the parameters


def _norms(out: _Drawn, shown: Page, x: float, y: float, width: float) -> None:
    """The norms of a few parameters, that of the chosen one among them; pressing a name chooses it."""
    parts = shown.moment.parts
    chosen = next((k for k, part in enumerate(parts) if part.path == shown.path), 0)
    first = max(0, min(chosen - MOST_LINES // 2, len(parts) - MOST_LINES))
    column = 84.0
    name = width - 2 * column
    out.notes.append(Note(x, y, "norms", "heading"))
    for k, head in enumerate(("weights", "gradient")):
        out.notes.append(Note(x + name + (k + 0.5) * column, y, head, "muted", "middle"))
    rows = []
    for k, part in enumerate(parts[first : first + MOST_LINES]):
        top, lit = y + 14 + LINE * k, ("lit",) if part.path == shown.path else ("plain",)
        sums = norm_text(part.weight), norm_text(part.gradient)
        said = f"{part.path}: norm of its weights {sums[0]}, of its gradient {sums[1]}; press to look at it"
        label = clipped(part.path, name - 18, 13)
        row = [
            Tile(
                f"layer:{first + k}", x, top, name, LINE, label, said, lit, action="layer", font=13, start=True,
                full=part.path,
            )
        ]  # fmt: skip
        for n, (key, text) in enumerate(zip(("weights", "gradient"), sums, strict=True)):
            told = f"the norm of {part.path}, {key}: {text}"
            left = x + name + n * column
            kinds = ("bad",) if text in ("nan", "inf") else ()
            row.append(Tile(f"{key}:{first + k}", left, top, column, LINE, text, told, kinds, font=13))
        rows.append(tuple(row))
    out.tables.append(
        Table("norms", "the norm of each parameter: of its weights, of its gradient", tuple(rows))
    )
    out.low = y + 14 + LINE * len(rows)
    if len(parts) > len(rows):
        out.low += 18
        out.notes.append(Note(x, out.low, f"{first + 1} to {first + len(rows)} of {len(parts)} parameters"))


def _parameter(out: _Drawn, shown: Page, part: Part, y: float, width: float) -> None:
    """The weights or the gradient of the chosen parameter: as pictures, as numbers, or why there are none."""
    seen, what = _seen(shown), "gradient" if shown.gradients else "weights"
    about = "" if isinstance(seen, str) else f"{size_text(seen.meta.size)}, {seen.meta.dtype}"
    label = f"{clipped(part.path, width - 100, 14.5)}, {what}"
    y += out.head(LEFT, y, label, about, width) + 8
    if isinstance(seen, str):
        lines = wrap(seen, width, 15)
        out.notes += paragraph(LEFT, y + 16, lines, "body", 22)
        out.low = y + 22.0 * len(lines)
    elif seen.shots is not None and not shown.numbers:
        _pictures(out, seen, f"{part.path}, {what}", y, width)
    else:
        _numbers(out, shown, seen, f"{part.path}{'.grad' if shown.gradients else ''}", y, width)


def _numbers(out: _Drawn, shown: Page, seen: Seen, name: str, y: float, width: float) -> None:
    columns = 6 if width > 500 else 4
    snapshot = seen.snapshot(columns)
    count = snapshot.window.count
    longest = max((len(short(value, seen.meta.dtype)) for value in snapshot.grid), default=1)
    side = count[-1] if count else 1
    unit = min(84.0, (width - 68) / max(side, 1))
    font = _font(unit, longest, 17.0)
    step = shown.moment.number

    def label(index: tuple[int, ...], exact: str) -> str:
        return f"{name}{list(index) if index else ''} is {exact} at step {step}"

    dress = Dress(tags=False, box=(unit, 34.0, font), label=label)
    table = tensor_table("g" if shown.gradients else "w", snapshot, LEFT, y + 10, width + 10, dress, name)
    out.tables.append(kept_in(table, LEFT + width))
    out.low = out.tables[-1].bottom


def _pictures(out: _Drawn, seen: Seen, name: str, y: float, width: float) -> None:
    """Each filter, or each row that has a number for every pixel, as a picture."""
    across = max(1, int((width + SHOT_GAP) // (SHOT + SHOT_GAP)))
    colours = seen.shots.ndim == 4
    tiles = []
    for k, shot in enumerate(seen.shots):
        x, top = LEFT + k % across * (SHOT + SHOT_GAP), y + 8 + k // across * (SHOT + 26)
        wide, high = _fit(shot.shape, SHOT)
        pixels = (shot.astype(int) + 128).astype(numpy.uint8) if colours else signed(shot / 127.0)
        said = f"{name}: picture {k} of {seen.meta.size[0]}"
        out.photos.append(Photo(x, top, wide, high, png(pixels), said))
        out.frames.append(Frame(x - 1, top - 1, wide + 2, high + 2, "edge", 0.0))
        tiles.append(Tile(f"shot:{k}", x, top + SHOT + 2, SHOT, 18, str(k), said, ("quiet",), font=13))
    out.tables.append(Table("shots", f"{name}, as pictures", (tuple(tiles),), told=False, role="img"))
    out.low = tiles[-1].y + 18


def _fit(shape: Sequence[int], side: float) -> tuple[float, float]:
    """Width and height of a picture of so many rows and columns, as large as it can be."""
    rows, columns = shape[:2]
    return side * columns / max(rows, columns), side * rows / max(rows, columns)


# ---- the batch


def _batch(out: _Drawn, batch: Batch, x: float, y: float, width: float) -> None:
    """The first examples, and of each what the net says: the place of its largest score."""
    right = "" if batch.right is None else f"; {batch.right:,} of {batch.size[0]:,} right"
    y += out.head(x, y, "batch", f"{size_text(batch.size)}, {batch.dtype}{right}", width) + 8
    out.low = y
    if not batch.examples:
        out.notes.append(Note(x, y + 16, "no examples", "body"))
        out.low = y + 20
        return
    rows = (
        _faces(out, batch, x, y, width) if batch.examples[0].pixels is not None else _rows(batch, x, y, width)
    )
    if rows:
        out.tables.append(Table("batch", "the batch, and what the net says of it", tuple(rows)))
        out.low = out.tables[-1].bottom


def _faces(out: _Drawn, batch: Batch, x: float, y: float, width: float) -> list[tuple[Tile, ...]]:
    across, rows = max(4, int((width + 10) // (FACE + 10))), list[tuple[Tile, ...]]()
    unit = min(FACE, (width + 10) / across - 10)
    deep = max(_fit(batch.examples[0].pixels.shape, unit)[1], 20.0)
    for k, one in enumerate(batch.examples):
        left, top = x + k % across * (unit + 10), y + 8 + k // across * (deep + ANSWER + 12)
        out.photos.append(Photo(left, top, *_fit(one.pixels.shape, unit), png(one.pixels), _said(k, one)))
        out.low = top + deep
        if one.says:
            if k % across == 0:
                rows.append(())
            rows[-1] = (*rows[-1], _answer(k, one, left, top + deep + 2, unit, ANSWER))
    return rows


def _rows(batch: Batch, x: float, y: float, width: float) -> list[tuple[Tile, ...]]:
    answer = 100.0 if any(one.says for one in batch.examples) else 0.0
    texts = [[short(value, batch.dtype) for value in one.numbers] for one in batch.examples]
    unit = min(80.0, (width - answer) / max(map(len, texts)))
    font = _font(unit, max(len(text) for row in texts for text in row), 14.0)
    rows = []
    for k, one in enumerate(batch.examples):
        top = y + 8 + 34 * k
        row = [
            Tile(f"x:{k}.{n}", x + n * unit, top, unit, 30, text, f"example {k}, number {n}: {text}", font=font)
            for n, text in enumerate(texts[k])
        ]  # fmt: skip
        row += [_answer(k, one, x + len(texts[k]) * unit + 8, top, answer - 8, 30)] if one.says else []
        rows.append(tuple(row))
    return rows


def _answer(k: int, one: Example, x: float, y: float, width: float, height: float) -> Tile:
    """What the net says of an example; where it is wrong, what is right beside it."""
    wrong = one.right is False or (one.right is None and one.truth)
    text = (
        f"{one.says}, not {one.truth}"
        if one.right is False
        else f"{one.says} ({one.truth})"
        if wrong
        else one.says
    )
    kinds: Any = {True: ("good",), False: ("bad",), None: ()}[one.right]
    font = _font(width, len(text), 14.0)
    return Tile(f"says:{k}", x, y, width, height, text, _said(k, one), kinds, font=font)


def _font(width: float, letters: int, most: float) -> float:
    """The largest letters that leave some space at both sides of a tile."""
    return max(7.0, min(most, int((width - 8.0) / (letters * MONO) * 10) / 10))


def _said(k: int, one: Example) -> str:
    if not one.says:
        return f"example {k} of the batch"
    said = f"example {k} of the batch: the net says {one.says}"
    said += f", its largest score, {one.score}" if one.score else ""
    if one.right is not None:
        return f"{said}; that is right" if one.right else f"{said}; {one.truth} is right"
    return f"{said}; the target is {one.truth}" if one.truth else said
