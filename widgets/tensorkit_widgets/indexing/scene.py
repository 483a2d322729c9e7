"""The picture of an index: what is chosen, the result beside it, and the storage that it is, or was copied, from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tensorkit_widgets.diagnosis.way_out import WayOut
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import code_lines, headed, one_box, page_for
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
    strip_table,
    tensor_table,
)
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.snapshot.adapter import Link, Snapshot
from tensorkit_widgets.snapshot.geometry import Ints, slot_of
from tensorkit_widgets.snapshot.number_text import size_text

LEFT = 28.0
MOST_WIRES = 24
MOST_ITEMS = 10


@dataclass(frozen=True, slots=True)
class Gather:
    """All that the picture knows.

    ``items`` are the parts of the index as (heading, text, what it chooses); ``origin`` says for elements of the result
    which element of the tensor they are; ``second`` are the elements of the result that the second brackets choose, and
    ``written`` those of the tensor (``"t"``) and of the result (``"r"``) that a write has reached.
    """

    name: str
    code: str
    items: tuple[tuple[str, str, str], ...]
    base: Snapshot
    result: Snapshot | None
    view: bool
    error: str
    origin: dict[Ints, Ints]
    chosen: bool
    arrived: bool
    second: frozenset[Ints]
    written: frozenset[tuple[str, Ints]]
    words: tuple[str, ...]
    said: str
    links: tuple[Link, Link | None]
    status: str
    refused_at: int | None = None
    page: float = PAGE
    stacked: bool = False
    way: WayOut | None = None

    @property
    def wide(self) -> float:
        """What is left between the margins."""
        return self.page - 2 * LEFT


def key_of(which: str, index: Sequence[int]) -> str:
    """The name of a tile."""
    return f"{which}:{','.join(map(str, index))}"


def compose_indexing(model: Gather) -> Sheet:
    """One step of the story. Where the page is too narrow, the result stands under the tensor."""
    whole = _composed(replace(model, arrived=True, page=PAGE))  # one layout for all steps: nothing jumps
    return _composed(replace(model, stacked=page_for(whole, ("s", "c")) > model.page))


def _composed(model: Gather) -> Sheet:
    code = model.code if len(model.code) < 70 else model.code[:68] + "…"
    lines = code_lines(code, model.wide - 60, 19) if model.stacked else [code]
    notes: list[Note] = [*paragraph(LEFT, 28, lines, "title", 26)]
    kind = {"view": "good-words", "copy": "copy-words"}.get(model.status)
    if kind and model.arrived:
        notes.append(Note(model.page - LEFT, 28, f"a {model.status}", kind, "end"))
    down = 26.0 * (len(lines) - 1)
    table, more = _items(model, 58 + down)
    notes += more
    told, y = _told(model, table, 58 + down)
    notes += told
    frames: list[Frame] = []
    if model.error:
        more, frames, y = draw_refusal(model.error, model.way, LEFT, y - 4, model.wide)
        notes += more
    tables, more, y = _tensors(model, y + 2)
    notes += more
    below = y + 4
    strips, more, wires, y = _strips(model, below)
    notes += more
    result = model.result.meta.size if model.result is not None and model.arrived else None
    title = model.code + ("" if result is None else f", a {model.status} of size {size_text(result)}")
    words = (*model.words, *(refusal_words(model.error, model.way) if model.error else ()))
    items = [table] if table.rows else []
    return Sheet(
        "IndexExplorer", title, y, (*items, *tables, *strips), tuple(notes), tuple(frames), wires,
        words, model.said, model.status, model.page, pinned=below if strips else None, pinned_most=0.4,
    )  # fmt: skip


def _told(model: Gather, items: Table, top: float) -> tuple[list[Note], float]:
    """What the picture says: beside the parts of the index where there is room, else under them."""
    x = items.right + 40
    room = model.page - LEFT - x
    if items.rows and room >= 380:
        lines = [line for sentence in model.words for line in wrap(sentence, room, 16)]
        if len(lines) <= 3:
            return list(paragraph(x, top + 18, lines, "body", 22)), top + 72
    lines = [line for sentence in model.words for line in wrap(sentence, model.wide, 16)]
    y = top + (82 if items.rows else 6)
    return list(paragraph(LEFT, y, lines, "body", 22)), y + 22 * len(lines)


def _items(model: Gather, top: float) -> tuple[Table, list[Note]]:
    """What stands between the brackets, each part over what it chooses."""
    x, tiles, notes = LEFT, [], list[Note]()
    shown = model.items[:MOST_ITEMS]
    room = model.wide / max(len(shown), 1) - 12
    for k, (heading, text, chooses) in enumerate(shown):
        limit = int((room - 20) / (MONO * 17))
        cut = text if len(text) <= max(limit, 3) else text[: max(limit, 3) - 1] + "…"
        width = min(room, max(96.0, len(cut) * MONO * 18 + 24, len(chooses) * 8.0 + 8))
        fits = int(width / 7.6)
        below = chooses if len(chooses) <= fits else chooses[: fits - 1] + "…"
        notes.append(Note(x + width / 2, top - 8, heading, "muted", "middle"))
        kinds = ("bad",) if k == model.refused_at else ("plain",)
        tiles.append(Tile(f"item:{k}", x, top, width, 40, cut, f"{heading}: {text}, {chooses}", kinds,
                          below=below, font=18, full=text))  # fmt: skip
        x += width + 12
    return Table("items", "between the brackets", (tuple(tiles),) if tiles else ()), notes


def _tensors(model: Gather, top: float) -> tuple[list[Table], list[Note], float]:
    """The tensor with what is chosen, and the result beside it, or below where there is no room."""
    notes = [Note(LEFT, top + 14, model.name, "heading", after=f"size {size_text(model.base.meta.size)}")]
    base = _fitted(_base(model, top + 26), _room_of_base(model))
    if not model.arrived or model.result is None:
        return [base], notes, base.bottom + 6
    beside = base.right <= 470 and not model.stacked
    x, y = (max(base.right + 70, 330.0), top) if beside else (LEFT, base.bottom + 22)
    result = _fitted(_result(model, x, y + 26), model.page - x - LEFT)
    after = f"size {size_text(model.result.meta.size)}"[:48]
    notes.append(Note(x, y + 14, "the result", "heading", after=after))
    return [base, result], notes, max(base.bottom, result.bottom) + 6


def _reached(model: Gather) -> dict[Ints, list[Ints]]:
    """Element of the tensor → the elements of the result that it has become."""
    out: dict[Ints, list[Ints]] = {}
    for cell, place in model.origin.items():
        out.setdefault(place, []).append(cell)
    return out


def _room_of_base(model: Gather) -> float:
    """How wide the tensor may be: a row takes all there is, a matrix leaves room for the result."""
    return model.wide if len(model.base.meta.size) == 1 else min(480.0, model.wide)


def _base(model: Gather, top: float) -> Table:
    reached = _reached(model) if model.chosen else {}

    def kinds(index: Ints) -> tuple[str, ...]:
        if ("t", index) in model.written:
            return ("changed",)
        return ("lit",) if index in reached else ()

    def label(index: Ints, value: str) -> str:
        many = len(reached.get(index, ()))
        more = "" if not many else ", chosen" if many == 1 else f", chosen {many} times"
        return f"{model.name}{list(index)} is {value}{more}"

    dress = Dress(
        kinds=kinds, label=label, link=model.links[0], action="pick", tags=True,
        kin=lambda index: tuple(key_of("r", c) for c in reached.get(index, ())) if model.arrived else (),
    )  # fmt: skip
    table = tensor_table("t", model.base, LEFT, top, _room_of_base(model), dress, model.name)
    counts = {key_of("t", place): len(cells) for place, cells in reached.items() if len(cells) > 1}

    def marked(tile: Tile) -> Tile:
        return replace(tile, tag=f"{tile.tag} ×{counts[tile.key]}") if tile.key in counts else tile

    return replace(table, rows=tuple(tuple(map(marked, row)) for row in table.rows))


def _result(model: Gather, x: float, top: float) -> Table:
    assert model.result is not None

    def kinds(index: Ints) -> tuple[str, ...]:
        if ("r", index) in model.written:
            return ("changed",)
        return ("lit",) if index in model.second else ()

    def label(index: Ints, value: str) -> str:
        place = model.origin.get(index)
        return f"result{list(index)} is {value}" + (
            "" if place is None else f", from {model.name}{list(place)}"
        )

    dress = Dress(
        kinds=kinds, label=label, link=model.links[0 if model.view else 1],
        kin=lambda index: (key_of("t", model.origin[index]),) if index in model.origin else (),
    )  # fmt: skip
    room = model.page - x - LEFT
    box = one_box([model.result], room)
    crowded = model.stacked and box[2] < 11
    return tensor_table(
        "r", model.result, x, top, room, replace(dress, box=box) if crowded else dress, "the result"
    )


def _fitted(table: Table, room: float) -> Table:
    """With its notes broken into lines that stay in its part of the page."""
    notes: list[Note] = []
    for note in table.notes:
        y = max(note.y, notes[-1].y + 18 if notes else 0.0)
        notes += paragraph(note.x, y, wrap(note.text, room - 70, 14), note.role, 18)
    return replace(table, notes=tuple(notes))


def _strips(model: Gather, top: float) -> tuple[list[Table], list[Note], tuple[Wire, ...], float]:
    """The storage with the chosen slots; under it the storage of a copy, wired to where its numbers came from."""
    meta = model.base.meta
    if not model.base.strip:
        return [], [], (), top
    slot = {place: slot_of(place, meta.stride, meta.offset) for place in model.origin.values()}
    used = set(slot.values()) if model.chosen else set()
    changed = {slot_of(i, meta.stride, meta.offset) for which, i in model.written if which == "t"}
    tell = (
        f"{model.name} and the result both read it"
        if model.view and model.arrived
        else f"{meta.slots:,} × {meta.dtype}"
    )
    notes, down = headed(LEFT, top + 14, f"the storage of {model.name}", tell, model.page - LEFT)
    top += down
    dress = Dress(
        kinds=lambda i: ("changed",) if i[0] in changed else ("lit",) if i[0] in used else (),
        link=model.links[0], tags=False,
    )  # fmt: skip
    first = strip_table("s", model.base, LEFT, top + 24, model.wide, dress, 44)
    result = model.result
    if result is None or model.view or not model.arrived or not result.strip:
        return [first], notes, (), first.bottom + 8
    y = first.bottom + 46
    cells = {slot_of(i, result.meta.stride, result.meta.offset): i for i in model.origin}
    lit = {slot_of(i, result.meta.stride, result.meta.offset) for i in model.second}
    new = {slot_of(i, result.meta.stride, result.meta.offset) for which, i in model.written if which == "r"}
    count = sum(len(run.values) for run in result.strip)
    width = min(model.wide, first.tiles[0].width * count) if count == result.meta.slots else model.wide
    second = strip_table(
        "c", result, LEFT, y, width,
        Dress(
            kinds=lambda i: ("changed",) if i[0] in new else ("lit",) if i[0] in lit else ("made",),
            link=model.links[1], tags=False,
        ), 44,
    )  # fmt: skip
    own, down = headed(
        LEFT, y + 82, "the result’s own storage", f"{result.meta.nbytes:,} bytes, new", model.page - LEFT
    )
    notes += own
    wires = _wires(first, second, {c: slot[model.origin[i]] for c, i in cells.items()})
    return [first, second], notes, wires, second.bottom + 22 + down


def _wires(first: Table, second: Table, came: dict[int, int]) -> tuple[Wire, ...]:
    """From each chosen slot down to the slot of the copy."""
    above = {tile.slot if tile.slot is not None else -1: tile for tile in first.tiles}
    out = []
    for tile in second.tiles[:MOST_WIRES]:
        source = above.get(came.get(int(tile.key[2:]), -1))
        if source is not None:
            ends = (source.middle, source.y + source.height + 24), (tile.middle, tile.y - 4)
            out.append(Wire(ends, "", None, ends=(source.key, tile.key)))
    return tuple(out)
