"""The picture of a matrix product: b above, a at the left, and the result where a row meets a column."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tensorkit_widgets.diagnosis.way_out import WayOut
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import clipped, code_lines, headed, kept_in, one_box
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.refusal import draw_refusal, refusal_words
from tensorkit_widgets.drawing.sheet import PAGE, Dress, Sheet, Table, Tile, paragraph, tensor_table
from tensorkit_widgets.drawing.unfinished import index_of, unfinished
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.snapshot.adapter import Link, Meta, Snapshot
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.number_text import full, short, size_text

Number = bool | int | float | complex
LEFT, SIDE, TOP, HEIGHT, FONT = 28.0, 64.0, 50.0, 46.0, 22.0
BETWEEN, LEAST, LABEL = 20.0, 44.0, 125.0
"""On a narrow page: the space beside a, the narrowest cell of a row that meets a column, the words over an arrow."""


@dataclass(frozen=True, slots=True)
class Factor:
    """One of the two matrices, or their product: its name, its visible window, its storage, its own size.

    ``gone`` are the matrix's dimensions that the tensor itself does not have: a vector is taken as a row or a column.
    """

    name: str
    snapshot: Snapshot
    link: Link | None
    size: Ints
    gone: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """What is being computed: the visible rows, inner places and columns in work, and the result so far.

    ``known`` are the numbers of the result that can be seen; ``products`` the pairs that are multiplied for one
    element, of which ``more`` are out of the window.
    """

    rows: range = range(0)
    inner: range = range(0)
    columns: range = range(0)
    known: tuple[tuple[Ints, Number], ...] = ()
    products: tuple[tuple[Number, Number], ...] = ()
    more: int = 0
    words: tuple[str, ...] = ()


def compose_matmul(a: Factor, b: Factor, whole: Factor, moment: Moment, page: float = PAGE) -> Sheet:
    """One moment of the product. On a narrow page the sum stands below, on a very narrow one all of it."""
    sheet = _composed(a, b, whole, moment, page)
    own = {"a": a, "b": b, "c": whole}
    return replace(sheet, tables=tuple(_as_own(table, own[table.key]) for table in sheet.tables))


def _as_own(table: Table, factor: Factor) -> Table:
    """A matrix that stands for a vector, in the vector's own dimensions: what it does not have is not drawn."""
    label = f"{factor.name}, size {size_text(factor.size)}, {factor.snapshot.meta.dtype}"
    if not factor.gone:
        return replace(table, label=label)
    number = {d: d - sum(g < d for g in factor.gone) for d in range(len(factor.snapshot.meta.size))}

    def renamed(text: str) -> str:
        return re.sub(r"dim (\d+)", lambda found: f"dim {number[int(found[1])]}", text)

    def tile(one: Tile) -> Tile:
        index = index_of(one.key)
        left = tuple(i for d, i in enumerate(index) if d not in factor.gone)
        name = f"{factor.name}{list(left)}" if left else factor.name
        said = one.label.replace(f"{factor.name}{list(index)}", name, 1)
        return replace(one, label=said, index=None if one.index is None else left)

    axes = tuple(
        replace(axis, dim=number[axis.dim], label=renamed(axis.label))
        for axis in table.axes
        if axis.dim not in factor.gone
    )
    headers = tuple(replace(h, dim=number[h.dim]) for h in table.headers if h.dim not in factor.gone)
    notes = tuple(replace(note, text=renamed(note.text)) for note in table.notes)
    rows = tuple(tuple(map(tile, row)) for row in table.rows)
    return replace(table, label=label, rows=rows, headers=headers, axes=axes, notes=notes)


def _composed(a: Factor, b: Factor, product: Factor, moment: Moment, page: float) -> Sheet:
    result = product.snapshot
    box = _box(a.snapshot, b.snapshot, result)
    unit = box[0]
    split = max(LEFT + SIDE + unit * a.snapshot.window.count[-1] + 28, 420.0)
    if page < PAGE or split > PAGE - LEFT - SIDE - unit * result.window.count[-1]:
        return _narrow(a, b, product, moment, page)
    upper = tensor_table(
        "b", b.snapshot, split, TOP, PAGE, _dress(b, (moment.inner, moment.columns), box), b.name
    )
    low = upper.bottom + 44
    left = tensor_table("a", a.snapshot, LEFT, low, PAGE, _dress(a, (moment.rows, moment.inner), box), a.name)
    left, upper = _linked(left, result), _linked(upper, result)
    whole = _result(result, moment, box, (split, low), product.name)
    notes = [
        Note(split, TOP - 18, b.name, "heading", after=f"size {size_text(b.size)}"),
        Note(LEFT, low - 14, a.name, "heading", after=f"size {size_text(a.size)}"),
        Note(split, low - 14, product.name, "heading", after=f"size {size_text(product.size)}"),
        *_sum(moment, a, product, (a.gone, b.gone)),
    ]
    y = max(left.bottom, whole.bottom) + 26
    lines = [line for sentence in moment.words for line in wrap(sentence, PAGE - 2 * LEFT, 15)]
    notes += paragraph(LEFT, y, lines, "body", 22)
    return Sheet(
        "MatmulExplorer", _title(a.name, b.name, a.size, b.size), y + 22 * len(lines) + 4,
        (left, upper, whole), tuple(notes), words=(*moment.words, *_said(moment)),
        said=moment.words[0] if moment.words else "",
    )  # fmt: skip


def _narrow(a: Factor, b: Factor, product: Factor, moment: Moment, page: float) -> Sheet:
    """Row and column still meet in the result as long as the cells stay readable; else all three stand in a column."""
    result = product.snapshot
    wide, inner = page - 2 * LEFT, a.snapshot.window.count[-1]
    shown = (a.snapshot, b.snapshot, result)
    space = wide - 2 * SIDE - BETWEEN
    unit = min(space / max(inner + result.window.count[-1], 1), (space - LABEL) / max(inner, 1))
    meet = unit >= LEAST
    room = SIDE + unit * max(s.window.count[-1] for s in shown) if meet else wide
    box = one_box(shown, room)
    split = LEFT + SIDE + box[0] * inner + BETWEEN if meet else LEFT
    right, name = page - LEFT, product.name
    notes, y = list[Note](), TOP - 18

    def head(x: float, one: Factor, room: float) -> float:
        more, down = headed(x, y, one.name, f"size {size_text(one.size)}", room)
        notes.extend(more)
        return y + 16 + down

    def upper(x: float) -> Table:
        top = head(x, b, right - x)
        dress = _dress(b, (moment.inner, moment.columns), box)
        return kept_in(_linked(tensor_table("b", b.snapshot, x, top, PAGE, dress, b.name), result), right)

    def lower(end: float) -> Table:
        top = head(LEFT, a, end - LEFT)
        dress = _dress(a, (moment.rows, moment.inner), box)
        return kept_in(_linked(tensor_table("a", a.snapshot, LEFT, top, PAGE, dress, a.name), result), end)

    if meet:
        over = upper(split)
        y = over.bottom + 40
        left = lower(split - BETWEEN)
    else:
        left = lower(right)
        y = left.bottom + 40
        over = upper(LEFT)
        y = over.bottom + 40
    top = head(split, product, right - split)
    whole = kept_in(_result(result, moment, box, (split, top), name), right)
    y = max(left.bottom, whole.bottom) + 36
    for line in _said(moment):
        lines = code_lines(line, wide, 17)
        notes += paragraph(LEFT, y, lines, "code", 26)
        y += 26 * len(lines) + 8
    lines = [line for sentence in moment.words for line in wrap(sentence, wide, 15)]
    notes += paragraph(LEFT, y, lines, "body", 22)
    return Sheet(
        "MatmulExplorer", _title(a.name, b.name, a.size, b.size), y + 22 * len(lines) + 4,
        (left, over, whole), tuple(notes), words=(*moment.words, *_said(moment)),
        said=moment.words[0] if moment.words else "", width=page,
    )  # fmt: skip


def _title(a: str, b: str, one: Ints, other: Ints) -> str:
    return f"{a} @ {b}, sizes {size_text(one)} and {size_text(other)}"


def _box(*snapshots: Snapshot) -> tuple[float, float, float]:
    """One size for the cells of all three, so that rows and columns stand under one another."""
    longest = max((len(short(v, s.meta.dtype)) for s in snapshots for v in s.grid), default=1)
    unit = min(84.0, max(64.0, longest * MONO * FONT + 14))
    return unit, HEIGHT, min(FONT, (unit - 8) / (longest * MONO))


def _dress(factor: Factor, work: tuple[range, range], box: tuple[float, float, float]) -> Dress:
    """The part of a factor that is in work is marked."""

    def kinds(index: Ints) -> tuple[str, ...]:
        place = (0, 0, *index)[-2:]
        return ("kin",) if place[0] in work[0] and place[1] in work[1] else ()

    return Dress(kinds=kinds, link=factor.link, box=box)


def _linked(table: Table, result: Snapshot) -> Table:
    """Every element of a factor with the results that it goes into."""
    places = _places(result)
    side = -2 if table.key == "a" else -1

    def link(tile: Tile) -> Tile:
        here = index_of(tile.key)[side]
        kin = tuple(f"c:{','.join(map(str, p))}" for p in places if p[side] == here)
        return replace(tile, kin=kin)

    return replace(table, rows=tuple(tuple(link(tile) for tile in row) for row in table.rows))


def _places(result: Snapshot) -> list[Ints]:
    """The visible indices of the result."""
    window = result.window
    rows, columns = (range(o, o + n) for o, n in zip(window.origin[-2:], window.count[-2:], strict=True))
    lead = window.origin[:-2]
    return [(*lead, i, j) for i in rows for j in columns]


def _result(
    result: Snapshot, moment: Moment, box: tuple[float, float, float], corner: tuple[float, float], name: str
) -> Table:
    """The result as far as it is known; what is still to come is dashed."""
    table = tensor_table("c", result, *corner, PAGE, Dress(box=box, tags=False), name)
    return unfinished(
        table,
        dict(moment.known),
        lambda index: index[-2] in moment.rows and index[-1] in moment.columns,
        result.meta.dtype,
        name,
    )


def _said(moment: Moment) -> tuple[str, ...]:
    """The sum in one line, for the text twin."""
    if not moment.products:
        return ()
    terms = " + ".join(f"{_bare(x)}·{_bare(y)}" for x, y in moment.products)
    more = f" + {moment.more:,} more" if moment.more else ""
    return (f"{terms}{more} = {_bare(moment.known[-1][1])}",)


def _bare(value: Number) -> str:
    return short(value, "float64").removesuffix(".")


def _sum(moment: Moment, a: Factor, product: Factor, gone: tuple[Ints, Ints]) -> list[Note]:
    """The products of one element under one another, in the corner that the three matrices leave free."""
    if not moment.products:
        return []
    index, value = moment.known[-1]
    result = product.snapshot
    row = "the row" if gone[0] else f"row {index[-2]}"
    column = "the column" if gone[1] else f"column {index[-1]}"
    inner = a.snapshot.window.origin[-1]
    notes = [Note(LEFT, TOP - 18, f"{row} meets {column}", "heading")]
    for k, (x, y) in enumerate(moment.products):
        line = f"{'+ ' if k else '  '}{_bare(x)} · {_bare(y)}"
        notes.append(Note(LEFT, TOP + 14 + 28 * k, line, "code", after=f"k = {inner + k}"))
    y = TOP + 14 + 28 * len(moment.products)
    if moment.more:
        notes.append(Note(LEFT, y, f"+ {moment.more:,} more products, out of sight", "muted"))
        y += 28
    notes.append(Note(LEFT, y + 4, f"= {full(value, result.meta.dtype)}", "code"))
    return notes


def compose_refused(
    names: tuple[str, str],
    metas: tuple[Meta, Meta],
    error: str,
    page: float = PAGE,
    way: WayOut | None = None,
) -> Sheet:
    """Two sizes whose inner dimensions differ, and the library's refusal."""
    rule = "the sizes: the last of the first must be the last but one of the second"
    heading = wrap(rule, page - 2 * LEFT, 15 if page == PAGE else 18)
    top = 60.0 + 20 * (len(heading) - 1)
    pair = [_sizes(name, key, meta, top + 70 * k, page) for k, (name, key, meta) in
            enumerate(zip(names, "ab", metas, strict=True))]  # fmt: skip
    inner = metas[0].size[-1:], metas[1].size[-2:-1] or metas[1].size[-1:]
    words = "The two sizes do not fit."
    if inner[0] and inner[1] and inner[0] != inner[1]:
        words = (
            f"A row of {names[0]} has {inner[0][0]} numbers, and a column of {names[1]} has {inner[1][0]}: "
        )
        words += "they cannot be multiplied pair by pair."
    elif inner[0] and inner[0] == inner[1]:
        words = "The sizes fit."
    why = wrap(words, page - 2 * LEFT, 15)
    y = top + 170 + 22 * (len(why) - 1)
    notes = [
        *paragraph(LEFT, 34, heading, "heading"),
        *paragraph(LEFT, top + 170, why, "body", 22),
        *(Note(118, top + 70 * k + 31, clipped(name, 112, 17), "code", "end") for k, name in enumerate(names)),
    ]  # fmt: skip
    more, frames, y = draw_refusal(error, way, LEFT, y + 22, page - 2 * LEFT)
    title = _title(*names, *(meta.size for meta in metas))
    return Sheet(
        "MatmulExplorer", title, y + 2, tuple(pair), (*notes, *more), tuple(frames),
        words=(words, *refusal_words(error, way)), said=words, status="refused", width=page,
    )  # fmt: skip


def _sizes(name: str, key: str, meta: Meta, y: float, page: float) -> Table:
    """A size as tiles, with the dimension that has to fit marked."""
    last = len(meta.size) - 1
    inner = last if key == "a" else max(last - 1, 0)
    column = min(84.0, (page - LEFT - 140) / max(len(meta.size), 1))
    tiles = tuple(
        Tile(f"{key}:{d}", 140 + column * d, y, column, 48, str(n), f"{name}: dimension {d} has size {n}",
             ("bad",) if d == inner else (), font=max(7.0, min(20.0, int((column - 6) / (MONO * len(str(n)))))))
        for d, n in enumerate(meta.size)
    )  # fmt: skip
    return Table(key, f"the size of {name}", (tiles,) if tiles else ())
