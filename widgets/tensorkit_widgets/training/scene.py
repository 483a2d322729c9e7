"""The picture of a training: the loss so far, the norms, the chosen parameter, and the batch with the net's answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import isfinite, log10, nan
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
from tensorkit_widgets.training.words import EMPTY, at_step, legend, norm_text, number, title_of, words_of

LEFT, GUTTER = 28.0, 66.0
CURVE, LINE, MOST_LINES, COLUMN = 118.0, 24.0, 5, 84.0
HEADS = ("weights", "gradient")
BESIDE, BETWEEN, NARROW = 312.0, 32.0, 700.0
"""The column at the right, the space before it, and the page on which it has its place below instead."""
SHOT, GAP, ANSWER = 70.0, 10.0, 26.0
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
        return next((part for part in self.moment.parts if part.path == self.path), None)

    @property
    def seen(self) -> Seen | str:
        """Its weights or its gradient."""
        return "" if self.part is None else self.part.gradient if self.gradients else self.part.weight

    @property
    def pictures(self) -> bool:
        """Whether it is drawn as pictures."""
        return isinstance(self.seen, Seen) and self.seen.shots is not None and not self.numbers


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
    room, out = shown.page - 2 * LEFT, _Drawn()
    words: tuple[str, ...] = (EMPTY,)
    if shown.history.moments:
        words = tuple(words_of(shown.history, shown.at, shown.part))
        words += (legend(shown.seen),) if shown.pictures and isinstance(shown.seen, Seen) else ()
        _blocks(out, shown, room)
    lines = [line for sentence in words for line in wrap(sentence, room, 15)]
    out.notes += paragraph(LEFT, out.low + 30, lines, "body", 22)
    title = f"{shown.name}, {title_of(shown.history, shown.at)}"
    return Sheet(
        "TrainingView", title, out.low + 34 + 22 * len(lines), tuple(out.tables), tuple(out.notes), tuple(out.frames),
        tuple(out.wires), words, words[0], "ok" if shown.history.moments else "empty", shown.page, tuple(out.photos),
    )  # fmt: skip


def _blocks(out: _Drawn, shown: Page, room: float) -> None:
    """The loss over the parameter, the norms over the batch; or all four under one another."""
    wide = shown.page >= NARROW
    left, right = (room - BESIDE - BETWEEN, BESIDE) if wide else (room, room)
    x = LEFT + room - right
    _curve(out, shown, 28.0, left)
    first = out.low
    _norms(out, shown, x, 28.0 if wide else first + 34, right)
    second = max(first, out.low) + 34
    _parameter(out, shown, second, left)
    third = out.low
    if shown.moment.batch is not None:
        _batch(out, shown.moment.batch, x, second if wide else third + 34, right)
    out.low = max(third, out.low)


# ---- the loss


def _curve(out: _Drawn, shown: Page, y: float, width: float) -> None:
    """The loss of every moment from left to right; where it is no number there is a gap on a red ground."""
    moments = shown.history.moments
    losses = [one.loss for one in moments]
    finite = [loss for loss in losses if isfinite(loss)] or [nan]
    low, high = min(finite), max(finite)
    powers = low > 0 and high / low > LOGARITHMIC
    y += (
        out.head(
            LEFT, y, "loss", at_step(shown.moment) + (", drawn by powers of ten" if powers else ""), width
        )
        + 14
    )
    x, wide = LEFT + GUTTER, width - GUTTER
    unit = wide / len(moments)

    def place(k: int) -> tuple[float, float]:
        value, least, most = map(log10, (losses[k], low, high)) if powers else (losses[k], low, high)
        part = (value - least) / (most - least) if most > least else 0.5
        return x + (k + 0.5) * unit, y + CURVE - 10 - (CURVE - 20) * part

    out.frames.append(Frame(x, y, wide, CURVE, "panel", 4.0))
    for good, run in groupby(range(len(losses)), lambda k: isfinite(losses[k])):
        points = list(run)
        if good:
            x0, y0 = place(points[0])  # one alone is a short stroke
            out.wires.append(Wire(((x0 - 4, y0), *map(place, points)), dim=0, head=False))
        else:
            out.frames.append(Frame(x + points[0] * unit, y, unit * len(points), CURVE, "alarm", 0.0))
    now = x + (shown.at + 0.5) * unit
    out.wires.append(Wire(((now, y), (now, y + CURVE)), "dashed", head=False))
    if isfinite(losses[shown.at]):
        middle = place(shown.at)
        out.frames.append(Frame(middle[0] - 5.5, middle[1] - 5.5, 11, 11, "chosen", 5.5))
    for value, line in ((high, y + 14), (low, y + CURVE - 4)) if high > low else ((low, y + CURVE / 2 + 5),):
        out.notes.append(Note(x - 8, line, number(value), "muted", "end"))
    out.low = y + CURVE + 18
    out.notes.append(Note(x, out.low, f"step {moments[0].number:,}"))
    out.notes.append(
        Note(x + wide, out.low, f"step {moments[-1].number:,}" if moments[1:] else "", anchor="end")
    )
    said = f"the loss, step by step: press a step to go there; step {shown.moment.number:,} is looked at"
    grid = (1, len(moments), 0, shown.at)
    tile = Tile("curve", x, y, wide, CURVE, "", said, ("quiet",), action="moment", grid=grid)
    out.tables.append(Table("curve", "the loss of every step", ((tile,),), told=False))


# ---- the parameters


def _norms(out: _Drawn, shown: Page, x: float, y: float, width: float) -> None:
    """The norms of a few parameters, that of the chosen one among them; pressing a name chooses it."""
    parts = shown.moment.parts
    chosen = next((k for k, part in enumerate(parts) if part.path == shown.path), 0)
    first = max(0, min(chosen - MOST_LINES // 2, len(parts) - MOST_LINES))
    name, rows = width - 2 * COLUMN, []
    edges = [x + name, x + name + COLUMN]
    some = f"{first + 1} to {first + MOST_LINES} of {len(parts)}" if len(parts) > MOST_LINES else ""
    out.notes.append(Note(x, y, "norms", "heading", after=some))
    out.notes += [
        Note(edge + COLUMN / 2, y, head, "muted", "middle") for edge, head in zip(edges, HEADS, strict=True)
    ]
    for k, part in enumerate(parts[first : first + MOST_LINES], first):
        top, kinds = y + 14 + LINE * (k - first), ("lit",) if part.path == shown.path else ("plain",)
        label, said = clipped(part.path, name - 18, 13), f"{part.path}: press to look at it"
        row = [
            Tile(f"layer:{k}", x, top, name, LINE, label, said, kinds, action="layer", font=13, start=True,
                 full=part.path)
        ]  # fmt: skip
        for edge, head, seen in zip(edges, HEADS, (part.weight, part.gradient), strict=True):
            text = norm_text(seen)
            wrong: tuple[str, ...] = ("bad",) if text in ("nan", "inf") else ()
            said = f"{part.path}, norm of its {head}: {text}"
            row.append(Tile(f"{head}:{k}", edge, top, COLUMN, LINE, text, said, wrong, font=13))
        rows.append(tuple(row))
    out.tables.append(
        Table("norms", "the norm of each parameter: of its weights, of its gradient", tuple(rows))
    )
    out.low = y + 14 + LINE * len(rows)


def _parameter(out: _Drawn, shown: Page, y: float, width: float) -> None:
    """The weights or the gradient of the chosen parameter: as pictures, as numbers, or why there are none."""
    seen, what = shown.seen, HEADS[shown.gradients]
    about = "" if isinstance(seen, str) else f"{size_text(seen.meta.size)}, {seen.meta.dtype}"
    y += out.head(LEFT, y, f"{clipped(shown.path, width - 100, 14.5)}, {what}", about, width) + 8
    if isinstance(seen, str):
        lines = wrap(seen, width, 15)
        out.notes += paragraph(LEFT, y + 16, lines, "body", 22)
        out.low = y + 22.0 * len(lines)
    elif shown.pictures:
        name, colours = f"{shown.path}, {what}", seen.shots.ndim == 4
        said = [f"{name}: picture {k} of {seen.meta.size[0]}" for k in range(len(seen.shots))]
        pixels = (seen.shots.astype(int) + 128).astype(numpy.uint8) if colours else signed(seen.shots / 127.0)
        tiles = [
            Tile(f"shot:{k}", *place, SHOT, 18, str(k), said[k], ("quiet",), font=13)
            for k, place in enumerate(_photos(out, pixels, said, (LEFT, y), width))
        ]
        out.tables.append(Table("shots", f"{name}, as pictures", (tuple(tiles),), told=False, role="img"))
    else:
        _numbers(out, shown, seen, y + 10, width)


def _numbers(out: _Drawn, shown: Page, seen: Seen, y: float, width: float) -> None:
    snapshot, name = seen.snapshot(6 if width > 500 else 4), shown.path + ".grad" * shown.gradients
    longest = max((len(short(value, seen.meta.dtype)) for value in snapshot.grid), default=1)
    unit = min(84.0, (width - 68) / max(*snapshot.window.count[-1:], 1, 1))

    def label(index: tuple[int, ...], exact: str) -> str:
        return f"{name}{list(index) if index else ''} is {exact} at step {shown.moment.number:,}"

    dress = Dress(tags=False, box=(unit, 34.0, _font(unit, longest, 17.0)), label=label)
    table = tensor_table("g" if shown.gradients else "w", snapshot, LEFT, y, width + 10, dress, name)
    out.tables.append(kept_in(table, LEFT + width))
    out.low = out.tables[-1].bottom


# ---- the batch


def _batch(out: _Drawn, batch: Batch, x: float, y: float, width: float) -> None:
    """The first examples, and of each what the net says: the place of its largest score."""
    right = "" if batch.right is None else f"; {batch.right:,} of {batch.size[0]:,} right"
    y += out.head(x, y, "batch", f"{size_text(batch.size)}, {batch.dtype}{right}", width) + 8
    out.low = y
    if batch.examples and batch.examples[0].pixels is not None:
        said = [one.said for one in batch.examples]
        places = _photos(out, [one.pixels for one in batch.examples], said, (x, y), width)
        answers = [_answer(k, one, *places[k], SHOT) for k, one in enumerate(batch.examples) if one.says]
        rows = [tuple(answers)] if answers else []
    else:
        rows = _rows(batch, x, y + 8, width)
    if rows:
        out.tables.append(Table("batch", "the batch, and what the net says of it", tuple(rows)))
        out.low = out.tables[-1].bottom


def _photos(
    out: _Drawn, pixels: Sequence[Any], said: Sequence[str], corner: tuple[float, float], width: float
) -> list[tuple[float, float]]:
    """Pictures side by side and under one another; where the tile below each of them begins."""
    across, places = int((width + GAP) // (SHOT + GAP)), []
    rows, columns = pixels[0].shape[:2]
    wide, high = (SHOT * n / max(rows, columns) for n in (columns, rows))
    for k, (one, words) in enumerate(zip(pixels, said, strict=True)):
        x, y = corner[0] + k % across * (SHOT + GAP), corner[1] + 8 + k // across * (high + ANSWER + 12)
        left = x + (SHOT - wide) / 2
        out.photos.append(Photo(left, y, wide, high, png(one), words))
        out.frames.append(Frame(left - 1, y - 1, wide + 2, high + 2, "edge", 0.0))
        places.append((x, y + high + 3))
    out.low = places[-1][1] + 18
    return places


def _rows(batch: Batch, x: float, y: float, width: float) -> list[tuple[Tile, ...]]:
    """The first numbers of each example, and what the net says of it."""
    texts = [[short(value, batch.dtype) for value in one.numbers] for one in batch.examples]
    unit = min(80.0, (width - 100) / max(map(len, texts), default=1))
    font = _font(unit, max((len(text) for row in texts for text in row), default=1), 14.0)
    rows = []
    for k, one in enumerate(batch.examples):
        row = [
            Tile(f"x:{k}.{n}", x + n * unit, y + 34 * k, unit, 30, text, f"{one.said}; number {n}: {text}", font=font)
            for n, text in enumerate(texts[k])
        ]  # fmt: skip
        row += [_answer(k, one, x + len(row) * unit + 8, y + 34 * k + 2, 92.0)] if one.says else []
        rows.append(tuple(row))
    return rows


def _answer(k: int, one: Example, x: float, y: float, width: float) -> Tile:
    kinds: Any = {True: ("good",), False: ("bad",), None: ()}[one.right]
    font = _font(width, len(one.says), 14.0)
    return Tile(f"says:{k}", x, y, width, ANSWER, one.says, one.said, kinds, font=font)


def _font(width: float, letters: int, most: float) -> float:
    """The largest letters that leave some space at both sides of a tile."""
    return max(7.0, min(most, int((width - 8.0) / (letters * MONO) * 10) / 10))
