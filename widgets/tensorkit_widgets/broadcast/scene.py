"""The picture of broadcasting: the sizes right-aligned, the repeated cells as ghosts, and the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from tensorkit_widgets.diagnosis.way_out import WayOut
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import clipped, headed, kept_in, one_box
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.refusal import draw_refusal, refusal_words
from tensorkit_widgets.drawing.sheet import PAGE, Dress, Frame, Sheet, Table, Tile, paragraph, tensor_table
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.snapshot.adapter import Link, Meta, Snapshot
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.number_text import size_text

STEPS = 3
"""After the sizes as they are: written right-aligned, stretched, and computed."""

LEFT = 28.0
COLUMN, ROW = 84.0, 36.0
ROOM = (PAGE - 2 * LEFT - 2 * 40) / 3
"""What a matrix has where all three stand beside one another."""

LEAST, SMALLEST = 44.0, 11.0
"""The narrowest cell of a matrix beside another on a narrow page; the smallest numbers of three on a wide one."""


@dataclass(frozen=True, slots=True)
class Operand:
    """One of the two tensors: what it is, and what it looks like stretched to the common size (None when refused)."""

    name: str
    meta: Meta
    wide: Snapshot | None
    link: Link


def compose_broadcast(
    a: Operand,
    b: Operand,
    result: Snapshot | None,
    sign: str,
    error: str,
    at: int,
    page: float = PAGE,
    way: WayOut | None = None,
) -> Sheet:
    """One step of the story; ``error`` is the library's own refusal, ``way`` the way out of it.

    On a narrow page the matrices stand under one another.
    """
    wide = page - 2 * LEFT
    sizes = a.meta.size, b.meta.size
    rows = _aligned(sizes, at)
    verdicts = [_verdict(*pair) for pair in zip(*rows, strict=True)]
    title = f"{a.name} {sign} {b.name}, sizes {size_text(sizes[0])} and {size_text(sizes[1])}"
    table, notes = _sizes((a, b), rows, verdicts, at, page)
    y = table.bottom + 28
    words = [rule.replace(" -", " −") for rule in _rules(verdicts, error)]
    told = [line for w in words for line in wrap(w, wide, 15)]
    notes += paragraph(LEFT, y, told, "body", 22)
    y += 22 * len(told) + 6
    tables, frames = [table], list[Frame]()
    if error:
        more, frames, y = draw_refusal(error, way, LEFT, y - 4, wide)
        notes += more
    elif at >= 2 and a.wide and b.wide:
        found = result if at >= STEPS else None
        shown = [part for part in (a.wide, b.wide, result) if part is not None]
        if page == PAGE and one_box(shown, ROOM)[2] >= SMALLEST:
            drawn, more, y = _matrices(a, b, found, sign, y + 10)
        else:
            drawn, more, y = _stacked(a, b, found, sign, y + 10, page)
        tables += drawn
        notes += more
    said = words[0] if words else ""
    status = "refused" if error else "ok"
    return Sheet(
        "BroadcastExplorer", title, y + 4, tuple(tables), tuple(notes), tuple(frames), (),
        (*words, *refusal_words(error, way)) if error else tuple(words), said, status, page,
    )  # fmt: skip


def _aligned(sizes: tuple[Ints, Ints], at: int) -> tuple[list[int | None], list[int | None]]:
    """The two sizes as columns: left-aligned as they are written, right-aligned from step 1 on."""
    most = max(map(len, sizes))
    out = []
    for size in sizes:
        rest: list[int | None] = [None] * (most - len(size))
        own: list[int | None] = list(size)
        out.append(rest + own if at else own + rest)
    return out[0], out[1]


def _verdict(one: int | None, other: int | None) -> str:
    """What the rule says of a column."""
    if one is None or other is None:
        return "missing"
    if one == other:
        return "same"
    return "stretched" if 1 in (one, other) else "clash"


def _common(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return one if other is None else other
    return other if one == 1 else one


def _sizes(
    pair: tuple[Operand, Operand],
    rows: tuple[list[int | None], list[int | None]],
    verdicts: list[str],
    at: int,
    page: float,
) -> tuple[Table, list[Note]]:
    notes = [Note(LEFT, 26, "the sizes" + (", written from the right" if at else ", as they are"), "heading")]
    count, top = len(verdicts), 64.0
    left = LEFT + (150 if page == PAGE else 100)
    column = min(COLUMN, (page - LEFT - left) / max(count, 1))
    lines = [
        _size_row(o.name, "ab"[k], row, verdicts, (left, top + k * (ROW + 6), column), at)
        for k, (o, row) in enumerate(zip(pair, rows, strict=True))
    ]
    for k, operand in enumerate(pair):
        name = clipped(operand.name, left - 24, 17)
        notes.append(Note(left - 20, top + k * (ROW + 6) + 24, name, "code", "end"))
    if at:
        columns = zip(*rows, strict=True)
        common = [
            "?" if v == "clash" else str(_common(*pair)) for v, pair in zip(verdicts, columns, strict=True)
        ]
        y = top + 2 * (ROW + 6) + 6
        notes.append(Note(left - 20, y + 24, "together", "body", "end"))
        kinds = {"clash": ("bad",), "stretched": ("good",), "missing": ("good",), "same": ("good",)}
        lines.append(
            tuple(
                Tile(f"size-r:{d}", left + d * column, y, column, ROW, text, f"dimension {d - count}: {text}",
                     kinds[verdicts[d]], font=_font(text, column))
                for d, text in enumerate(common)
            )
        )  # fmt: skip
    for d in range(count):
        words = f"{d - count}".replace("-", "−") if at else f"{d}"
        words = f"dim {words}" if column >= LEAST else words
        notes.append(Note(left + (d + 0.5) * column, top - 8, words, "muted", "middle"))
    label = "the sizes, " + ("right-aligned" if at else "as they are written")
    return Table("sizes", label, tuple(lines)), notes


def _size_row(
    name: str,
    key: str,
    row: Sequence[int | None],
    verdicts: list[str],
    place: tuple[float, float, float],
    at: int,
) -> tuple[Tile, ...]:
    """One size, from ``place`` = (x, y, width of a tile) on."""
    x, y, column = place
    out = []
    for d, n in enumerate(row):
        verdict = verdicts[d] if at else "same"
        text = "1" if n is None and at >= 2 else "·" if n is None else str(n)
        kinds: tuple[str, ...] = ("bad",) if verdict == "clash" else ()
        if n is None or (n == 1 and verdict == "stretched"):
            kinds = ("ghost",)
        where = f"dimension {d - len(row)}"
        said = f"{name} has no {where}, which counts as 1" if n is None else f"{name}: {where} has size {n}"
        box = x + d * column, y, column, ROW
        font = _font(text, column)
        out.append(Tile(f"size-{key}:{d}", *box, text, said, kinds, (f"size-r:{d}",), font=font))
    return tuple(out)


def _font(text: str, column: float) -> float:
    """As large as fits: 19, or less."""
    return max(7.0, min(19.0, int((column - 6) / (MONO * len(text)))))


def _rules(verdicts: list[str], error: str) -> list[str]:
    count = len(verdicts)
    clash = [d - count for d, v in enumerate(verdicts) if v == "clash"]
    if error and clash:
        return [f"Dimension {clash[-1]} does not fit: the sizes differ there, and neither of them is 1."]
    if error:
        return ["The two cannot be combined."]
    stretched = [str(d - count) for d, v in enumerate(verdicts) if v == "stretched"]
    missing = [str(d - count) for d, v in enumerate(verdicts) if v == "missing"]
    out = []
    if stretched:
        out.append(f"A size of 1 is stretched to the other size ({_dims(stretched)}): its stride becomes 0.")
    if missing:
        out.append(f"A dimension that is not there counts as a 1 on the left ({_dims(missing)}).")
    if not out:
        out.append("The sizes are the same: every element has its partner, nothing is stretched.")
    return out


def _dims(numbers: Sequence[str]) -> str:
    return f"dimension{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"


def _ghost(operand: Operand, index: Ints) -> bool:
    """Whether this element is a repetition: another element with a smaller index reads the same slot."""
    wide = operand.wide
    return wide is not None and any(i and not s for i, s in zip(index, wide.meta.stride, strict=True))


def _dress(operand: Operand) -> Dress:
    """Repetitions as ghosts, each element linked with its result."""

    def said(index: Ints, value: str) -> str:
        again = ", read again from the same slot" if _ghost(operand, index) else ""
        return f"{operand.name} at {list(index)} is {value}{again}"

    return Dress(
        kinds=lambda index: ("ghost",) if _ghost(operand, index) else (),
        kin=lambda index: (f"r:{','.join(map(str, index))}",),
        label=said,
        link=operand.link,
    )


def _matrices(
    a: Operand, b: Operand, result: Snapshot | None, sign: str, top: float
) -> tuple[list[Table], list[Note], float]:
    """The stretched operands side by side, and the result when it is time."""
    tables: list[Table] = []
    notes: list[Note] = []
    room = ROOM
    for k, operand in enumerate((a, b)):
        assert operand.wide is not None
        key, x = "ab"[k], LEFT + k * (room + 40)
        dress = _dress(operand)
        notes.append(Note(x, top + 14, operand.name, "heading", after=_copied(operand)))
        table = tensor_table(key, operand.wide, x, top + 26, room, dress, f"{operand.name}, stretched")
        tables.append(kept_in(table, x + room + 18))
        if not k or result is not None:
            notes.append(Note(x + room + 18, top + 130, sign if not k else "=", "title", "middle"))
    if result is not None:
        x = LEFT + 2 * (room + 40)
        notes.append(Note(x, top + 14, "result", "heading", after=f"{result.meta.dtype}, new memory"))
        table = tensor_table("r", result, x, top + 26, room, _met(a, b, sign), "the result")
        tables.append(kept_in(table, x + room))
    return tables, notes, max(table.bottom for table in tables) + 14


def _met(a: Operand, b: Operand, sign: str) -> Dress:
    """The elements of the result, linked with those that they are made of."""
    return Dress(
        kin=lambda i: tuple(f"{key}:{','.join(map(str, i))}" for key in "ab"), tags=False,
        label=lambda i, value: f"{a.name}{list(i)} {sign} {b.name}{list(i)} = {value}",
    )  # fmt: skip


def _stacked(
    a: Operand, b: Operand, result: Snapshot | None, sign: str, top: float, page: float
) -> tuple[list[Table], list[Note], float]:
    """The same on a narrow page: in a line as many as stay readable, each with the sign that leads to it."""
    assert a.wide is not None
    assert b.wide is not None
    parts = [
        ("a", a.wide, _dress(a), "", a.name, _copied(a), f"{a.name}, stretched"),
        ("b", b.wide, _dress(b), sign, b.name, _copied(b), f"{b.name}, stretched"),
    ]
    if result is not None:
        told = f"{result.meta.dtype}, new memory"
        parts.append(("r", result, _met(a, b, sign), "=", "result", told, "the result"))
    columns = max(part[1].window.count[-1] if part[1].window.count else 1 for part in parts)
    wide = page - 2 * LEFT
    pairs = (wide - 30) / 2 - 64 >= LEAST * columns
    room = (wide - 30) / 2 if pairs else wide
    box = one_box((part[1] for part in parts), room)
    tables: list[Table] = []
    notes: list[Note] = []
    y = low = top
    for k, (key, snapshot, dress, mark, name, told, label) in enumerate(parts):
        x = LEFT + (room + 30 if pairs and k == 1 else 0)
        y = y if pairs and k == 1 else low
        space = 24.0 if mark else 0.0
        notes += [Note(x, y + 14, mark, "title")] if mark else []
        more, down = headed(x + space, y + 14, name, told, room - space)
        notes += more
        table = tensor_table(key, snapshot, x, y + 28 + down, room, replace(dress, box=box), label)
        tables.append(kept_in(table, x + room))
        low = max(low, tables[-1].bottom + 22)
    return tables, notes, low - 8


def _copied(operand: Operand) -> str:
    """What stretching costs, against what a copy would."""
    assert operand.wide is not None
    meta, whole = operand.meta, operand.wide.meta
    if prod(whole.size) == prod(meta.size):
        return f"{prod(meta.size) * meta.itemsize:,} bytes"
    return f"{prod(meta.size) * meta.itemsize:,} bytes, as a copy {prod(whole.size) * meta.itemsize:,}"
