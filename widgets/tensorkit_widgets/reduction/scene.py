"""The picture of a reduction: sizes with a dimension struck out, the tensor, its result, and one cell’s numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from tensorkit_widgets.diagnosis.way_out import WayOut
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import code_lines, headed, page_for
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.refusal import draw_refusal, refusal_words
from tensorkit_widgets.drawing.sheet import (
    PAGE,
    Dress,
    Frame,
    Sheet,
    Table,
    Tile,
    Wire,
    paragraph,
    tensor_table,
)  # fmt: skip
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.reduction.words import dtype_sentence, story
from tensorkit_widgets.snapshot.adapter import Link, Snapshot
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.number_text import size_text

LEFT = 28.0
ROOM, GUTTER = 570.0, 90.0
PITCH = 88.0
MOST_SHOWN = 18


@dataclass(frozen=True, slots=True)
class Collapse:
    """All that the picture knows.

    ``cells`` are the visible elements of the result in the order of the steps, ``inputs`` the visible elements that go
    into each. ``chosen`` is the one that is looked at, ``taken`` how many of its numbers have been taken (all of them
    unless the learner walks through one element), ``so_far`` the reduction of the first, the first two, …
    """

    name: str
    op: str
    code: str
    library: str
    base: Snapshot
    dims: Ints
    keepdim: bool
    result: Snapshot | None
    size: Ints
    dtype: str
    error: str
    known: bool
    cells: tuple[Ints, ...]
    inputs: tuple[tuple[Ints, ...], ...]
    done: int
    chosen: int | None
    taken: int
    so_far: tuple[str, ...]
    inside: bool
    page: float = PAGE
    stacked: bool = False
    way: WayOut | None = None

    @property
    def count(self) -> int:
        """How many numbers go into each element of the result."""
        return prod(self.base.meta.size[d] for d in self.dims)

    def lit(self) -> tuple[Ints, ...]:
        """The elements that have been taken into the chosen cell."""
        return () if self.chosen is None else self.inputs[self.chosen][: self.taken]


def _key(which: str, index: Sequence[int]) -> str:
    return f"{which}:{','.join(map(str, index))}"


def compose_reduction(model: Collapse, link: Link) -> Sheet:
    """One step of the story. Where the page is too narrow, the result stands under the tensor."""
    sheet = _composed(replace(model, page=PAGE), link)
    if page_for(sheet, ("walk",)) > model.page:
        return _composed(replace(model, stacked=True), link)
    return sheet if model.page == PAGE else _composed(model, link)


def _composed(model: Collapse, link: Link) -> Sheet:
    size = model.base.meta.size
    code = code_lines(model.code, model.page - 2 * LEFT, 19) if model.stacked else [model.code]
    notes: list[Note] = [*paragraph(LEFT, 28, code, "title", 26)]
    top = 14 + 26.0 * len(code)
    table, more, y = _sizes(model, top)
    notes += more
    words = story(model.name, model.op, model.dims, model.keepdim, size, model.count, bool(model.error))
    why = dtype_sentence(model.op, model.library, model.base.meta.dtype, model.dtype)
    told = [*words, *([why] if why and not model.error else [])]
    x = LEFT + 190 + 84 * len(size)
    room = model.page - LEFT - x
    beside = [line for sentence in told for line in wrap(sentence, room, 16)] if room >= 380 else []
    if 0 < len(beside) <= 4:  # at the right of the sizes
        notes += paragraph(x, top + 38, beside, "body", 22)
    else:
        lines = [line for sentence in told for line in wrap(sentence, model.page - 2 * LEFT, 16)]
        notes += paragraph(LEFT, y + 6, lines, "body", 22)
        y += 6 + 22 * len(lines)
    frames: list[Frame] = []
    if model.error:
        more, frames, y = draw_refusal(model.error, model.way, LEFT, y - 4, model.page - 2 * LEFT)
        notes += more
    tables, more, wires, y = _matrices(model, link, y + 2)
    notes += more
    walk, more, y = _walk(model, y)
    notes += more
    tables = (
        [table, *tables, *([walk] if walk else [])] if table.rows else [*tables, *([walk] if walk else [])]
    )
    now = _now(model)
    said = now or (words[0] if words else "")
    refused = refusal_words(model.error, model.way) if model.error else ()
    sentences = (*told, *([now] if now else []), *refused)
    status = "refused" if model.error else "ok" if model.known else "unknown"
    title = f"{model.code}, from size {size_text(size)}"
    title += "" if model.error else f" to size {size_text(model.size)}"
    return Sheet("ReductionExplorer", title, y + 14, tuple(tables), tuple(notes), tuple(frames), wires,
                 sentences, said, status, model.page)  # fmt: skip


def _sizes(model: Collapse, top: float) -> tuple[Table, list[Note], float]:
    """The size before, with what goes struck out, and the size after under it."""
    size = model.base.meta.size
    x = LEFT + 150
    column = min(84.0, (model.page - LEFT - x) / max(len(size), 1))
    refused = bool(model.error)
    upper, lower = [], []
    for d, n in enumerate(size):
        box = x + d * column, top + 22, column, 36.0
        goes = d in model.dims and not refused
        said = f"dimension {d} has size {n}" + (", which goes" if goes else "")
        upper.append(
            Tile(
                f"size:{d}",
                *box,
                f"{n:,}",
                said,
                ("freed",) if goes else (),
                (f"after:{d}",),
                font=_font(f"{n:,}", column),
            )
        )
        if not refused and (not goes or model.keepdim):
            text = "1" if goes else f"{n:,}"
            stays = f"dimension {d} is kept, with size 1" if goes else f"dimension {d} stays, with size {n}"
            under = (box[0], top + 62, column, 36.0)
            lower.append(
                Tile(
                    f"after:{d}",
                    *under,
                    text,
                    stays,
                    ("made",) if goes else (),
                    (f"size:{d}",),
                    font=_font(text, column),
                )
            )
    notes = [Note(x + (d + 0.5) * column, top + 15, f"dim {d}", "muted", "middle") for d in range(len(size))]
    before = f"{model.name}.size" + ("()" if model.library != "numpy" else "")
    notes.append(Note(x - 16, top + 46, before if len(before) < 15 else "the size", "code", "end"))
    if not refused:
        notes.append(Note(x - 16, top + 86, "the result’s", "body", "end"))
        if not lower:
            lone = wrap("() – a single number, no dimension is left", model.page - LEFT - x, 15)
            notes += paragraph(x + 4, top + 86, lone, "body")
    if not size:
        notes.append(Note(x + 4, top + 46, "() – a single number already", "body"))
    rows = tuple(row for row in (tuple(upper), tuple(lower)) if row)
    bottom = top + (98 if not refused else 58)
    return Table("sizes", "the sizes", rows), notes, bottom + 16


def _matrices(
    model: Collapse, link: Link, top: float
) -> tuple[list[Table], list[Note], tuple[Wire, ...], float]:
    """The tensor, and beside it what has come of it so far."""
    lit = set(model.lit())
    home = {index: k for k, group in enumerate(model.inputs) for index in group}
    dress = Dress(
        kinds=lambda index: ("lit",) if index in lit else (),
        kin=lambda index: (_key("r", model.cells[home[index]]),) if index in home else (),
        label=lambda index, value: _input_label(model, index, value, home.get(index)),
        link=link, action="edit", tags=False,
    )  # fmt: skip
    meta = model.base.meta
    notes = [Note(LEFT, top + 14, model.name[:40], "heading", after=meta.dtype)]
    room = min(ROOM, model.page - 2 * LEFT)
    base = _fitted(tensor_table("t", model.base, LEFT, top + 26, room, dress, model.name), room)
    if model.result is None:
        return [base], notes, (), base.bottom + 14
    after = f"{model.dtype}, size {size_text(model.size)}"[:56]
    x = min(max(base.right, 300.0) + GUTTER, PAGE - LEFT - ROOM / 2)
    if model.stacked:
        x, top = LEFT, base.bottom + 30
    more, down = headed(x, top + 14, "the result", after, model.page - x)
    top += down
    notes += more
    result = _result(model, x, top + 26)
    if not model.known:
        notes.append(Note(x, result.bottom + 24, f"{prod(meta.size):,} numbers: press “compute”", "body"))
    wires = () if model.stacked else _wire(model, base, result, x)
    bottom = max(base.bottom, result.bottom + (30 if not model.known else 0)) + 22
    return [base, result], notes, wires, bottom


def _input_label(model: Collapse, index: Ints, value: str, cell: int | None) -> str:
    where = f"{model.name}{list(index)} is {value}"
    return where if cell is None else f"{where}, it goes into result{list(model.cells[cell])}"


def _result(model: Collapse, x: float, top: float) -> Table:
    assert model.result is not None
    order = {index: k for k, index in enumerate(model.cells)}
    chosen = model.cells[model.chosen] if model.chosen is not None else None
    dress = Dress(
        kinds=lambda index: ("lit",) if index == chosen else () if order.get(index, 0) < model.done else ("plain",),
        kin=lambda index: tuple(_key("t", i) for i in model.inputs[order[index]]) if index in order else (),
        label=lambda index, value: f"result{list(index)} is {value}, from {model.count:,} numbers",
        action="open", tags=False,
    )  # fmt: skip
    table = tensor_table("r", model.result, x, top, model.page - x - LEFT, dress, "the result")

    def hidden(tile: Tile) -> Tile:
        index = model.cells[keys[tile.key]] if tile.key in keys else ()
        if tile.key not in keys or keys[tile.key] < model.done:
            return tile
        if keys[tile.key] == model.chosen and model.so_far and model.taken:
            return replace(tile, text=model.so_far[min(model.taken, len(model.so_far)) - 1])
        return replace(tile, text="·", full="", label=f"result{list(index)} is not computed yet")

    keys = {_key("r", index): k for k, index in enumerate(model.cells)}
    table = replace(table, notes=tuple(note for note in table.notes if not note.text.startswith("held")))
    return _fitted(
        replace(table, rows=tuple(tuple(map(hidden, row)) for row in table.rows)), model.page - x - LEFT
    )


def _fitted(table: Table, room: float) -> Table:
    """With its notes broken into lines that stay in its part of the page."""
    notes: list[Note] = []
    for note in table.notes:
        y = max(note.y, notes[-1].y + 18 if notes else 0.0)
        lines = wrap(note.text, room - (note.x - min((t.x for t in table.tiles), default=note.x)) - 70, 14)
        notes += paragraph(note.x, y, lines, note.role, 18)
    return replace(table, notes=tuple(notes))


def _wire(model: Collapse, base: Table, result: Table, x: float) -> tuple[Wire, ...]:
    """From the numbers that are taken to the cell that they become, around everything else."""
    if model.chosen is None or not model.lit():
        return ()
    places = {tile.key: tile for tile in (*base.tiles, *result.tiles)}
    ends = [places[_key("t", index)] for index in model.lit() if _key("t", index) in places]
    cell = places.get(_key("r", model.cells[model.chosen]))
    if cell is None or not ends:
        return ()
    last = ends[-1]
    middle = cell.y + cell.height / 2
    gutter = x - 24.0
    row = last.y + last.height / 2
    if abs(row - middle) < 16:  # a kink of a few pixels would only irritate
        row = middle
    start: tuple[tuple[float, float], ...] = ((last.x + last.width, row), (gutter, row))
    if any(
        t.y == last.y and t.x > last.x for t in base.tiles
    ):  # other numbers are in the way: leave downwards
        below = last.y + last.height
        if any(t.x == last.x and t.y > last.y for t in base.tiles):
            return ()
        start = ((last.middle, below), (last.middle, below + 12), (gutter, below + 12))
    if any(t.y == cell.y and t.x < cell.x for t in result.tiles):  # come in from below
        under = max(t.y + t.height for t in result.tiles) + (44 if len(model.size) > 1 else 14)
        end: tuple[tuple[float, float], ...] = (
            (gutter, under),
            (cell.middle, under),
            (cell.middle, cell.y + cell.height + 1),
        )
        if any(t.x == cell.x and t.y > cell.y for t in result.tiles):
            return ()
    else:
        end = ((gutter, middle), (cell.x - 1, middle))
    dim = model.dims[-1] if len(model.dims) == 1 else None
    return (Wire((*start, *end), "strong", dim, ends=(cell.key, *(t.key for t in ends))),)


#: Of one letter each: they stand between two tiles.
SIGNS = {"sum": "+", "mean": "+", "prod": "×", "any": "|", "all": "&"}


def _walk(model: Collapse, top: float) -> tuple[Table | None, list[Note], float]:
    """The numbers of the chosen cell in one row, what they come to so far under each, and the result."""
    if model.chosen is None or model.result is None:
        return None, [], top
    per_row = int((model.page - 2 * LEFT) // PITCH)
    inputs = model.inputs[model.chosen][:MOST_SHOWN]
    where = list(model.cells[model.chosen])
    y = top + 30
    so_far = " · under each: so far" if model.inside and model.so_far else ""
    told = f"{model.op} of {model.count:,} numbers{so_far}"
    notes, down = headed(LEFT, top + 8, f"result{where}", told, model.page - LEFT)
    y += down
    sign = SIGNS.get(model.op, ",")
    rows: list[list[Tile]] = [[]]
    values = dict(_base_texts(model))
    for k, index in enumerate(inputs):
        line, place = divmod(k, per_row)
        x, at = LEFT + place * PITCH, y + line * 84.0
        if place == 0 and k:
            rows.append([])
        taken = k < model.taken
        below = model.so_far[k] if model.inside and taken and k < len(model.so_far) else ""
        text = values.get(index, "?")
        rows[-1].append(
            Tile(f"w:{k}", x, at, 64, 52, text, f"number {k + 1}: {model.name}{list(index)} is {text}",
                 ("lit",) if model.inside and k == model.taken - 1 else () if taken else ("plain",),
                 (_key("t", index),), below=below, font=_font(text))
        )  # fmt: skip
        if k + 1 < len(inputs):
            notes.append(Note(x + 76, at + 33, sign, "big", "middle"))
    line, place = divmod(len(inputs), per_row)
    x, at = LEFT + place * PITCH, y + line * 84.0
    if place == 0:
        rows.append([])
    rest = model.count - len(inputs)
    closing = (
        (f"… {rest:,} more " if rest else "") + (f"÷ {model.count:,} " if model.op == "mean" else "") + "="
    )
    notes.append(Note(x - 14 if place else x, at + 33, closing, "big"))
    gone = x + len(closing) * 10.5 + (0 if place else 14)
    whole = model.taken >= len(inputs) and model.known
    text = _result_text(model) if whole else "·"
    wide = max(64.0, len(text) * 13.0 + 16)
    if gone + wide > model.page - LEFT:
        gone, at = LEFT, at + 84.0
    rows[-1].append(
        Tile("w:=", gone, at, wide, 52, text, f"result{where} is {text}" if whole else "not computed yet",
             ("lit",) if whole else ("plain",), (_key("r", model.cells[model.chosen]),), font=20.0)
    )  # fmt: skip
    table = Table("walk", f"the numbers of result{where}", tuple(tuple(row) for row in rows if row))
    return table, notes, at + 52 + (28 if model.inside else 10)


def _font(text: str, room: float = 64.0) -> float:
    """As large as fits: 20, or less."""
    return max(7.0, min(20.0, int((room - 8) / (MONO * max(len(text), 1)))))


def _base_texts(model: Collapse) -> list[tuple[Ints, str]]:
    table = tensor_table("t", model.base, 0, 0, ROOM)
    return [(tuple(int(i) for i in tile.key[2:].split(",") if i), tile.text) for tile in table.tiles]


def _result_text(model: Collapse) -> str:
    assert model.result is not None
    assert model.chosen is not None
    key = _key("r", model.cells[model.chosen])
    table = tensor_table("r", model.result, 0, 0, ROOM)
    return next((tile.text for tile in table.tiles if tile.key == key), "?")


def _now(model: Collapse) -> str:
    """What this step shows, in one sentence."""
    if model.chosen is None or model.result is None:
        return ""
    where = f"result{list(model.cells[model.chosen])}"
    if model.inside and model.taken < len(model.inputs[model.chosen]):
        so_far = model.so_far[model.taken - 1] if 0 < model.taken <= len(model.so_far) else "nothing"
        return f"{where} is {so_far} so far, after {model.taken} of {model.count:,} numbers."
    if not model.known:
        return f"{where} comes from {model.count:,} numbers."
    return f"{where} is {_result_text(model)} (from {model.count:,} number{'s' * (model.count != 1)})"
