"""A snapshot becomes one scene: cells, arcs, labels and words, each with its place. Pure functions.

The same scene is drawn as SVG and written as text (`tensorkit_widgets.render`), so the two can never disagree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tensorkit_widgets.drawing.grid import MONO, grid_of
from tensorkit_widgets.drawing.parts import (
    Arc,
    Axis,
    Card,
    Cell,
    Facet,
    Formula,
    Gap,
    Grid,
    Header,
    Note,
    Strip,
)
from tensorkit_widgets.drawing.strip import BROKEN, broken_pair, strip_of, strip_room
from tensorkit_widgets.drawing.words import (
    chain_sentence,
    formula_of,
    formula_width,
    layout_sentences,
    size_text,
    wrap,
)
from tensorkit_widgets.snapshot.adapter import Snapshot
from tensorkit_widgets.snapshot.geometry import Ints, slot_of
from tensorkit_widgets.snapshot.view_chain import Link

__all__ = [
    "Arc", "Axis", "Card", "Cell", "Facet", "Formula", "Gap", "Grid", "Header", "Note", "Refusal", "Scene", "Strip",
    "WIDTH", "breaks", "compose", "strip_room",
]  # fmt: skip

WIDTH = 960.0
MARGIN = 28.0


@dataclass(frozen=True, slots=True)
class Refusal:
    """A step that was tried and refused: its code, the library's own words, the dimensions that cannot merge."""

    code: str
    message: str
    pairs: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is drawn, in a space ``width`` × ``height``."""

    width: float
    height: float
    code: str
    cards: tuple[Card, ...]
    notes: tuple[Note, ...]
    grid: Grid
    formula: Formula | None
    strip: Strip
    snapshot: Snapshot
    focus: Ints | None
    words: tuple[str, ...]
    refusal: Refusal | None = None


def breaks(width: float) -> bool:
    """Whether the strip, and the formula, may stand in several lines: on narrow pages."""
    return width < BROKEN


def compose(
    links: Sequence[Link],
    snapshot: Snapshot,
    focus: Ints | None,
    refusal: Refusal | None = None,
    live: bool = False,
    width: float = WIDTH,
) -> Scene:
    """Place a chain of steps, the tensor at its end and its storage on one page.

    A live scene leaves out the refusal's words, which its view says in an alert, and shows where the next step goes.
    """
    code = "".join(link.step.code for link in links)
    cards, notes, y = _head(links, code, refusal, live, width)
    meta = snapshot.meta
    pair = refusal.pairs[0] if refusal and refusal.pairs and not snapshot.fault else None
    seam = broken_pair(meta.size, pair) if pair else ()
    bad = tuple(d for both in refusal.pairs for d in both) if refusal and pair else ()
    notes.append(Note(MARGIN, y + 16, "the tensor", "heading", after=_fitting(_what(snapshot), 11, width)))
    grid = grid_of(snapshot, focus, y + 34, width, bad, frozenset(seam))
    sentences = _sentences(links, snapshot, refusal)
    # The text twin says each step's reason beside the step; the picture has room for the last one's.
    step = links[-1].step
    reason = [f"{step.code}: {step.why}"] if len(links) > 1 and not refusal and not snapshot.fault else []
    broken = breaks(width)
    formula, bottom = _panel(snapshot, focus, grid, (y + 34, width), [*reason, *sentences], notes, broken)
    slots = frozenset(slot_of(index, meta.stride, meta.offset) for index in seam)
    strip = strip_of(snapshot, focus, bottom + 54, width, slots, pair, broken)
    held, lines = _fitting(_memory(snapshot), 12, width), f", in {strip.lines} lines"
    if strip.lines > 1 and len(held + lines) * 7.1 <= width - MARGIN - 12 * 9.5 - 10:
        held += lines
    notes.append(Note(MARGIN, bottom + 42, "the storage", "heading", after=held))
    below = strip.bottom
    if any(cell.readers == 0 for cell in strip.cells):
        notes.append(_legend(strip, width))
        below = max(below, notes[-1].y + 4)
    return Scene(
        width, below + 6, code, tuple(cards), tuple(notes), grid, formula, strip, snapshot, focus,
        tuple(sentences), refusal,
    )  # fmt: skip


def _fitting(words: str, heading: int, width: float) -> str:
    """What stands beside a heading of so many letters; on a narrow page without its opening words."""
    room = width - 2 * MARGIN - heading * 9.5 - 14
    return words if len(words) * 7.6 <= room else words.partition(": ")[2]


def _legend(strip: Strip, width: float) -> Note:
    """What grey means: at the right, or wherever else it stays clear of the offset's label."""
    words, y, room = "grey: the tensor never reaches these slots", strip.bottom - 4, 290.0
    if strip.offset_x is None or strip.offset_x + 90 < width - MARGIN - room:
        return Note(width - MARGIN, y, words, anchor="end")
    if strip.offset_x - 90 > MARGIN + room:
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
        notes.append(Note(width - MARGIN, y + 27, code, "code", "end"))
        y += 82 + 18
    else:
        notes.append(Note(MARGIN, y + 82 + 28, _short(code, width), "code"))
        y += 82 + 44
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
    x, y = MARGIN, 20.0
    for card in _unplaced(links, refusal):
        shown = min(26, len(card.code))
        beside = 54 if card.number else 28  # a step can be taken away: room for its cross
        longest = max(map(len, card.lines))
        width = max(144.0, shown * MONO * 17 + len(card.kind) * 7.2 + 48, longest * MONO * 12.5 + beside)
        width = min(width, page - 2 * MARGIN)
        if x + width > page - MARGIN and cards:
            x, y = MARGIN, y + 96
        cards.append(replace(card, x=x, y=y, width=round(width, 1)))
        x += round(width, 1) + 30
    return cards, x, y


def _short(code: str, width: float) -> str:
    most = int((width - 2 * MARGIN) / (MONO * 17))
    return code if len(code) <= most else code[: most - 1] + "…"


def _unplaced(links: Sequence[Link], refusal: Refusal | None) -> Iterator[Card]:
    for k, link in enumerate(links):
        step = link.step
        lines = (f"size {size_text(step.size)}", f"stride {size_text(step.stride)} +{step.offset}")
        yield Card(0, 0, 0, 82.0, step.code, step.kind, lines, k, step.why, k == len(links) - 1)
    if refusal:
        why_not = "not without a copy" if refusal.pairs else "not possible here"
        yield Card(0, 0, 0, 82.0, refusal.code, "refused", (why_not,), None, refusal.message)


def _panel(
    snapshot: Snapshot,
    focus: Ints | None,
    grid: Grid,
    page: tuple[float, float],
    sentences: list[str],
    notes: list[Note],
    broken: bool,
) -> tuple[Formula | None, float]:
    """The formula beside the grid where there is room, else below it; and where that ends."""
    top, width = page
    if focus is None or snapshot.fault:
        lines = [line for sentence in sentences for line in wrap(sentence, width - 2 * MARGIN, 14)]
        y = grid.bottom + 24
        role = "alarm" if snapshot.fault else "muted"
        notes += [Note(MARGIN, y + 20 * k, line, role) for k, line in enumerate(lines)]
        return None, y + 20 * len(lines) - 8
    left = max(grid.right + 44, 400.0)
    wanted = formula_width(snapshot.meta.stride, 14.5) + 36
    if width - MARGIN - left >= wanted:
        formula = formula_of(snapshot, focus, (left, top, width - MARGIN - left), sentences)
        return formula, max(grid.bottom, formula.y + formula.height)
    formula = formula_of(snapshot, focus, (MARGIN, grid.bottom + 22, width - 2 * MARGIN), sentences, broken)
    return formula, formula.y + formula.height
