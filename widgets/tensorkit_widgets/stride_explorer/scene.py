"""A snapshot becomes one sheet: tables of tiles, arcs, cards and words, each with its place. Pure functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tensorkit_widgets.drawing.grid import MONO, Dress, tensor_table, window_indices
from tensorkit_widgets.drawing.parts import CARD_HEIGHT, Card, Formula, Note, Table
from tensorkit_widgets.drawing.sheet import PAGE, Sheet
from tensorkit_widgets.drawing.strip import BROKEN, Strip, broken_pair, strip_of
from tensorkit_widgets.drawing.words import (
    chain_sentence,
    formula_of,
    formula_width,
    layout_sentences,
    wrap,
)
from tensorkit_widgets.snapshot.adapter import Snapshot, link_of
from tensorkit_widgets.snapshot.geometry import Ints, readers, slot_of, slots_at
from tensorkit_widgets.snapshot.number_text import size_text
from tensorkit_widgets.snapshot.view_chain import Link

MARGIN = 28.0


@dataclass(frozen=True, slots=True)
class Refusal:
    """A step that was tried and refused: its code, the library's own words, the dimensions that cannot merge."""

    code: str
    message: str
    pairs: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StrideSheet(Sheet):
    """What is drawn, with what it was made of: the text twin, and figures of matplotlib, are made of these too."""

    snapshot: Snapshot
    focus: Ints | None = None
    refusal: Refusal | None = None

    @property
    def tensor(self) -> Table:
        """The tensor as matrices."""
        return self.tables[0]

    @property
    def storage(self) -> Table:
        """The slots."""
        return self.tables[1]


def breaks(width: float) -> bool:
    """Whether the strip, and the formula, may stand in several lines: on narrow pages."""
    return width < BROKEN


def compose(
    links: Sequence[Link],
    snapshot: Snapshot,
    focus: Ints | None,
    refusal: Refusal | None = None,
    live: bool = False,
    width: float = PAGE,
    said: str = "",
    complaint: str = "",
) -> StrideSheet:
    """Place a chain of steps, the tensor at its end and its storage on one page.

    A live sheet leaves out the refusal's words, which its view says in an alert, and shows where the next step goes.
    """
    code = "".join([link.step.code for link in links])
    cards, notes, y = _head(links, code, refusal, live, width)
    meta = snapshot.meta
    pair = refusal.pairs[0] if refusal and refusal.pairs and not snapshot.fault else None
    seam = broken_pair(meta.size, pair) if pair else ()
    bad = tuple(d for both in refusal.pairs for d in both) if refusal and pair else ()
    notes.append(Note(MARGIN, y + 14, "the tensor", "heading", after=_fitting(_what(snapshot), 11, width)))
    broken = breaks(width)
    top = y + (30 if broken else 22)  # on a narrow page the words beside the heading are over the table
    tensor = _tensor(snapshot, focus, (top, width), seam, bad)
    sentences = _sentences(links, snapshot, refusal)
    # The text twin says each step's reason beside the step; the picture has room for the last one's.
    step = links[-1].step
    reason = [f"{step.code}: {step.why}"] if len(links) > 1 and not refusal and not snapshot.fault else []
    formula, bottom = _panel(snapshot, focus, tensor, (top, width), [*reason, *sentences], notes, broken)
    strip = strip_of(
        "s", snapshot, focus, bottom + 32, width, _slot_dress(snapshot, focus, seam), pair, broken
    )
    held, lines = _fitting(_memory(snapshot), 12, width), f", in {strip.lines} lines"
    if strip.lines > 1 and len(held + lines) * 7.1 <= width - MARGIN - 12 * 9.5 - 10:
        held += lines
    notes.append(Note(MARGIN, bottom + 28, "the storage", "heading", after=held))
    below = strip.bottom
    if any("grey" in tile.kinds for tile in strip.table.tiles):
        notes.append(_legend(strip, width))
        below = max(below, notes[-1].y + 4)
    return StrideSheet(
        "StrideExplorer", code, below + 2, (tensor, replace(strip.table, looks=True)), tuple(notes),
        words=tuple(sentences), said=said, width=width, cards=tuple(cards), arcs=strip.arcs, pointer=strip.pointer,
        status=_status(snapshot, refusal, complaint), formula=formula, snapshot=snapshot, focus=focus,
        pinned=bottom + 6, layout=_layout(snapshot, focus, strip, width), refusal=refusal,
    )  # fmt: skip


def _status(snapshot: Snapshot, refusal: Refusal | None, complaint: str) -> str:
    if snapshot.fault:
        return "fault"
    return "refused" if refusal else "not-allowed" if complaint else "ok"


def _layout(snapshot: Snapshot, focus: Ints | None, strip: Strip, width: float) -> dict[str, object]:
    """What the browser needs to answer a hover without asking: integers only, the numbers are in the tiles."""
    meta, window = snapshot.meta, snapshot.window
    page = width if strip.lines > 1 else None
    return {
        "size": meta.size, "stride": meta.stride, "offset": meta.offset, "slots": meta.slots, "item": meta.itemsize,
        "focus": focus, "origin": window.origin, "count": window.count, "top": strip.top, "page": page,
    }  # fmt: skip


def _tensor(
    snapshot: Snapshot, focus: Ints | None, page: tuple[float, float], seam: tuple[Ints, ...], bad: Ints
) -> Table:
    """The matrices: the element in focus is lit, others that read its slot are its kin."""
    meta, (top, width) = snapshot.meta, page
    stride, offset = meta.stride, meta.offset
    lit = None if focus is None else slot_of(focus, stride, offset)

    indices = list(window_indices(snapshot))
    looks: defaultdict[Ints, tuple[str, ...]] = defaultdict(tuple)
    for index, slot in zip(indices, slots_at(indices, stride, offset), strict=True):
        kind = ("lit",) if index == focus else ("kin",) if slot == lit else ()
        if kind or index in seam:
            looks[index] = kind + ("seam",) * (index in seam)

    def label(index: Ints, exact: str) -> str:
        slot = offset + sum([i * s for i, s in zip(index, stride, strict=True)])
        return f"element {list(index)}, value {exact}, slot {slot}"

    dress = Dress(looks.__getitem__, label=label, action="edit", link=link_of(meta))
    table = tensor_table("t", snapshot, MARGIN, top, width - 2 * MARGIN, dress, "the tensor")
    headers = tuple(replace(h, focus=focus is not None and focus[h.dim] == h.position) for h in table.headers)
    axes = tuple(replace(axis, bad=True) if axis.dim in bad else axis for axis in table.axes)
    if meta.turned:
        rows = tuple(
            tuple(replace(t, label=t.label.replace(", slot", f", stored as {t.stored}, slot")) for t in row)
            for row in table.rows
        )
        table = replace(table, rows=rows)
    return replace(table, headers=headers, axes=axes, looks=True)


def _slot_dress(snapshot: Snapshot, focus: Ints | None, seam: tuple[Ints, ...]) -> Dress:
    meta = snapshot.meta
    lit = None if focus is None else slot_of(focus, meta.stride, meta.offset)
    broken = {slot_of(index, meta.stride, meta.offset) for index in seam}

    looks: defaultdict[Ints, tuple[str, ...]] = defaultdict(tuple, {(slot,): ("seam",) for slot in broken})
    if lit is not None:
        looks[(lit,)] = ("lit",) + looks[(lit,)]

    def label(index: Ints, exact: str) -> str:
        many = readers(index[0], meta.size, meta.stride, meta.offset)
        read = {0: "no element reads it", 1: "one element reads it"}.get(many, f"{many} elements read it")
        return f"slot {index[0]}, value {exact}, {read}"

    return Dress(looks.__getitem__, label=label, link=link_of(meta))


def _fitting(words: str, heading: int, width: float) -> str:
    """What stands beside a heading of so many letters; on a narrow page without its opening words."""
    room = width - 2 * MARGIN - heading * 9.5 - 14
    return words if len(words) * 7.6 <= room else words.partition(": ")[2]


def _legend(strip: Strip, width: float) -> Note:
    """What grey means: at the right, or wherever else it stays clear of the offset's label."""
    words, y, room = "grey: the tensor never reaches these slots", strip.bottom - 4, 290.0
    pointer = strip.pointer
    if pointer is None or pointer.x + 90 < width - MARGIN - room:
        return Note(width - MARGIN, y, words, anchor="end")
    if pointer.x - 90 > MARGIN + room:
        return Note(MARGIN, y, words)
    return Note(width - MARGIN, y + 20, words, anchor="end")


def _what(snapshot: Snapshot) -> str:
    meta = snapshot.meta
    device = "" if meta.device == "cpu" else f", on {meta.device}"
    kind = {"numpy": "a NumPy array, ", "torch": "a PyTorch tensor, "}.get(meta.library, "")
    return f"what you see: {kind}size {size_text(meta.size)}, {meta.dtype}{device}"


def _memory(snapshot: Snapshot) -> str:
    meta = snapshot.meta
    if meta.slots == 0:
        return "what is in memory: nothing, 0 bytes"
    return f"what is in memory: {meta.slots:,} × {meta.dtype}, one row"


def _sentences(links: Sequence[Link], snapshot: Snapshot, refusal: Refusal | None) -> list[str]:
    meta = snapshot.meta
    if snapshot.fault:
        return [snapshot.fault]
    out = [chain_sentence(links), " · ".join(layout_sentences(meta))]
    if refusal and refusal.pairs:
        out.insert(0, _seam_sentence(snapshot, refusal.pairs[0]))
    return out


def _seam_sentence(snapshot: Snapshot, pair: tuple[int, int]) -> str:
    meta = snapshot.meta
    last, first = broken_pair(meta.size, pair)
    here, there = (slot_of(i, meta.stride, meta.offset) for i in (last, first))
    words = f"dim {pair[0]} and dim {pair[1]} cannot merge: after {list(last)} in slot {here} comes {list(first)} "
    words += f"in slot {there}, a step of {there - here:+d}, "
    words += f"where one stride for both would need {meta.stride[pair[1]]:+d}"
    return words.replace(" -", " −")


def _head(
    links: Sequence[Link], code: str, refusal: Refusal | None, live: bool, width: float
) -> tuple[list[Card], list[Note], float]:
    """The step cards, in lines, with the whole code at the right or below; and where the next part begins."""
    cards, x, y = _step_cards(links, refusal, width)
    notes: list[Note] = []
    room = width - MARGIN - x
    if live and room >= 130:
        notes.append(Note(x, y, "next step", "next"))
        room -= 146
    if len(code) * MONO * 17 <= room:
        notes.append(Note(width - MARGIN, y + 22, code, "code", "end"))
        y += CARD_HEIGHT + 10
    elif live:  # the line above the picture says it
        y += CARD_HEIGHT + 10
    else:
        notes.append(Note(MARGIN, y + CARD_HEIGHT + 24, _short(code, width), "code"))
        y += CARD_HEIGHT + 34
    if refusal is None or live:
        return cards, notes, y
    said = f"{refusal.code}: {refusal.message}".split("\n")
    # 14 pixels high and bold: as wide as ordinary letters of 16.
    alarm = [line for part in said for line in wrap(part, width - 2 * MARGIN, 16)]
    notes += [Note(MARGIN, y + 12 + 20 * k, line, "alarm") for k, line in enumerate(alarm)]
    return cards, notes, y + 20 * len(alarm) + 8


def _step_cards(
    links: Sequence[Link], refusal: Refusal | None, page: float
) -> tuple[list[Card], float, float]:
    """The cards, and where one more would stand."""
    cards: list[Card] = []
    x, y = MARGIN, 8.0
    for card in _unplaced(links, refusal):
        shown = min(26, len(card.code))
        beside = 54 if card.number else 28  # a step can be taken away: room for its cross
        longest = max(map(len, card.lines))
        width = max(144.0, shown * MONO * 17 + len(card.kind) * 7.2 + 48, longest * MONO * 12.5 + beside)
        width = min(width, page - 2 * MARGIN)
        if x + width > page - MARGIN and cards:
            x, y = MARGIN, y + CARD_HEIGHT + 10
        cards.append(replace(card, x=x, y=y, width=round(width, 1)))
        x += round(width, 1) + 30
    return cards, x, y


def _short(code: str, width: float) -> str:
    most = int((width - 2 * MARGIN) / (MONO * 17))
    return code if len(code) <= most else code[: most - 1] + "…"


def _unplaced(links: Sequence[Link], refusal: Refusal | None) -> Iterator[Card]:
    for k, link in enumerate(links):
        step = link.step
        lines = (f"size {size_text(step.size)}", f"stride {size_text(step.stride)}, offset {step.offset}")
        yield Card(0, 0, 0, CARD_HEIGHT, step.code, step.kind, lines, k, step.why, k == len(links) - 1)
    if refusal:
        why_not = "not without a copy" if refusal.pairs else "not possible here"
        yield Card(0, 0, 0, CARD_HEIGHT, refusal.code, "refused", (why_not,), None, refusal.message)


def _panel(
    snapshot: Snapshot,
    focus: Ints | None,
    tensor: Table,
    page: tuple[float, float],
    sentences: list[str],
    notes: list[Note],
    broken: bool,
) -> tuple[Formula | None, float]:
    """The formula beside the matrices where there is room, else below them; and where that ends."""
    top, width = page
    ends = [tensor.bottom, top + 44]
    if (
        len(snapshot.meta.size) > 1 and tensor.tiles
    ):  # the label of the dimension that runs down needs this much
        ends.append(tensor.tiles[0].y + 96)
    bottom = max(ends)
    if focus is None or snapshot.fault:
        lines = [line for sentence in sentences for line in wrap(sentence, width - 2 * MARGIN, 14)]
        y = bottom + 24
        role = "alarm" if snapshot.fault else "muted"
        notes += [Note(MARGIN, y + 20 * k, line, role) for k, line in enumerate(lines)]
        return None, y + 20 * len(lines) - 8
    left = max(tensor.right + 44, 400.0)
    wanted = formula_width(snapshot.meta.stride, 14.5) + 36
    if width - MARGIN - left >= wanted:
        formula = formula_of(snapshot, focus, (left, top, width - MARGIN - left), sentences)
        return formula, max(bottom, formula.y + formula.height)
    formula = formula_of(snapshot, focus, (MARGIN, bottom + 22, width - 2 * MARGIN), sentences, broken)
    return formula, formula.y + formula.height
