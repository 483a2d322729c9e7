"""The parts of a scene on a canvas: notes, dimension arrows, cells, slots, gaps, arcs, the formula, a board's tiles."""

from __future__ import annotations

from collections.abc import Iterable

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import (
    CARD_LINES,
    Arc,
    Axis,
    Card,
    Formula,
    Gap,
    Note,
    Pointer,
    Table,
    Tile,
    Wire,
)
from tensorkit_widgets.drawing.words import LETTERS
from tensorkit_widgets.plots.canvas import Canvas
from tensorkit_widgets.render.marks import arc_path
from tensorkit_widgets.render.palette import DIMENSIONS

_ANCHORS = {"start": "left", "middle": "center", "end": "right"}
_ROLES: dict[str, tuple[float, str, bool, bool]] = {
    "heading": (15, "ink", True, False), "muted": (13, "muted", False, False), "body": (15, "ink", False, False),
    "code": (17, "ink", True, True), "alarm": (14, "alarm", True, False), "value": (25, "ink", True, True),
    "sum": (20, "ink", True, True),
}  # fmt: skip
"""Size, colour, bold, monospaced: what the style sheets say of a note."""


def _dim(dim: int | None) -> str:
    return "muted" if dim is None else f"dim{dim % DIMENSIONS}"


def draw_note(page: Canvas, note: Note) -> None:
    """A line of words, with what goes on quietly after it."""
    size, ink, bold, mono = _ROLES.get(note.role, _ROLES["muted"])
    anchor = _ANCHORS[note.anchor]
    page.text(
        note.x,
        note.y,
        note.text,
        size=size,
        ink=ink,
        bold=bold,
        mono=mono,
        anchor=anchor,
        gid=f"note:{note.role}",
    )
    if note.after:
        x = note.x + page.wide(note.text, size, bold) + 15
        page.text(x, note.y, note.after, size=size, ink="muted", gid="note:after")


def draw_axis(page: Canvas, axis: Axis) -> None:
    """The arrow of a dimension with its label; grey when its stride is never used."""
    ink = "alarm" if axis.bad else "grey-ink" if axis.unused else _dim(axis.dim)
    line = f"M{axis.x1} {axis.y1}L{axis.x2} {axis.y2}"
    page.path(line, ink, line=1.4 if axis.unused else 2.6, dash=axis.dim, gid=f"axis:{axis.dim}")
    x, y = axis.x2, axis.y2
    if axis.vertical:
        page.path(f"M{x - 6} {y - 8}L{x} {y + 1}L{x + 6} {y - 8}", ink, line=2.6)
        page.text(
            x - 12, (axis.y1 + axis.y2) / 2, axis.label, ink=ink, bold=True, anchor="center", turn=90,
            gid=f"axis-label:{axis.dim}",
        )  # fmt: skip
        return
    page.path(f"M{x - 8} {y - 6}L{x + 1} {y}L{x - 8} {y + 6}", ink, line=2.6)
    page.text(axis.x1, y - 9, axis.label, ink=ink, bold=True, gid=f"axis-label:{axis.dim}")


def draw_header(page: Canvas, x: float, y: float, words: str, dim: int | None, on: bool = False) -> None:
    """The number of a row or column; in the dimension's colour when the element looked at is there."""
    page.text(x, y, words, ink=_dim(dim) if on else "muted", bold=on, mono=True, anchor="center")


def draw_tiles(page: Canvas, tiles: Iterable[Tile]) -> None:
    """Elements with their slots in the corner, and slots with their numbers below; the lit one framed last."""
    tiles = tuple(tiles)
    for tile in tiles:
        _box(page, tile)
        _number(page, tile)
    for tile in tiles:
        if "lit" in tile.kinds:
            page.box(tile.x, tile.y, tile.width, tile.height, edge="light-ink", line=3, gid="lit")


def _box(page: Canvas, tile: Tile) -> None:
    looks = (("lit", "light"), ("kin", "kin"), ("seam", "alarm-cell"), ("grey", "grey"))
    fill = next((colour for kind, colour in looks if kind in tile.kinds), "cell")
    name = f"slot:{tile.slot}" if tile.index is None else "cell:" + ",".join(map(str, tile.index))
    edge, line = ("alarm", 2.0) if "seam" in tile.kinds else ("line", 1.2)
    page.box(tile.x, tile.y, tile.width, tile.height, fill=fill, edge=edge, line=line, gid=name)


def _number(page: Canvas, tile: Tile) -> None:
    lit, grey = "lit" in tile.kinds, "grey" in tile.kinds
    ink = "light-ink" if lit else "grey-ink" if grey else "ink"
    y = tile.y + tile.height / 2 - (4 if tile.tag and tile.height <= 60 else 0) + tile.font * 0.32
    page.text(tile.middle, y, tile.text, size=tile.font, ink=ink, bold=not grey, mono=True, anchor="center")
    if "kin" in tile.kinds:
        half = len(tile.text) * MONO * tile.font / 2
        page.path(f"M{tile.middle - half} {y + 4}L{tile.middle + half} {y + 4}", ink, line=2.0)
    if tile.tag:
        tag = "light-ink" if lit else "muted"
        page.text(tile.x + 6, tile.y + tile.height - 5, tile.tag, size=11, ink=tag, mono=True)
    if tile.below:
        page.text(tile.middle, tile.y + tile.height + 17, tile.below, size=12, bold=not grey, mono=True,
                  ink="grey-ink" if grey else "ink", anchor="center")  # fmt: skip
    if tile.badge:
        wide = 10 + 7 * len(tile.badge)
        x = tile.x + tile.width - wide - 2
        page.box(x, tile.y + 3, wide, 16, fill="ink", radius=8, gid=f"badge:{tile.slot}")
        page.text(x + wide / 2, tile.y + 15, tile.badge, size=11, ink="paper", bold=True, anchor="center")


def _gap(page: Canvas, gap: Gap) -> None:
    """Slots that are left out, and how many."""
    right, below, middle = gap.x + gap.width, gap.y + gap.height, gap.x + gap.width / 2
    page.path(f"M{gap.x} {gap.y}L{right} {gap.y}L{right} {below}L{gap.x} {below}", "line", line=1.2, dash=(2, 4),
              gid=f"gap:{gap.start}-{gap.stop}")  # fmt: skip
    count = gap.stop - gap.start
    shown = f"{count:,}" if count < 1_000_000 else f"{count / 1e6:.1f} M"
    page.text(middle, gap.y + gap.height / 2 + 5, "⋯", size=18, ink="muted", anchor="center")
    for k, words in enumerate((shown, "more")):
        page.text(middle, below + 16 + 13 * k, words, size=11, ink="muted", anchor="center")


def draw_storage(page: Canvas, slots: Table, arcs: Iterable[Arc], pointer: Pointer | None) -> None:
    """The storage: slots, gaps, arcs and the arrow of the offset."""
    draw_tiles(page, slots.tiles)
    for gap in slots.gaps:
        _gap(page, gap)
    draw_arcs(page, arcs)
    if pointer is None:
        return
    x, y, words = pointer.x, pointer.y, pointer.text
    page.polygon(((x, y), (x - 8, y + 14), (x + 8, y + 14)), "ink")
    right = x + 14 + page.wide(words, 13, True) < page.ax.get_xlim()[1]
    page.text(
        x + (14 if right else -14),
        y + 13,
        words,
        bold=True,
        anchor="left" if right else "right",
        gid="offset",
    )


def draw_arcs(page: Canvas, arcs: Iterable[Arc]) -> None:
    """The roads over the strip; their labels last, so that no arc crosses one."""
    arcs = tuple(arcs)
    for arc in arcs:
        ink, alpha = "alarm" if arc.bad else _dim(arc.dim), 1.0 if arc.strong else 0.45
        line = 3.0 if arc.strong else 1.6
        page.path(
            arc_path(arc.x1, arc.x2, arc.y, arc.lift),
            ink,
            line=line,
            dash=arc.dim,
            alpha=alpha,
            gid=f"arc:{arc.dim}",
        )
        x = arc.x2 if arc.x1 != arc.x2 else arc.x2 + 5
        page.polygon(((x - 6, arc.y - 13), (x + 6, arc.y - 13), (x, arc.y - 2)), ink, alpha)
    for arc in arcs:
        if arc.label:
            x, y = arc.label_at
            ink = "alarm" if arc.bad else _dim(arc.dim)
            page.text(x, y, arc.label, ink=ink, bold=True, mono=True, anchor="center",
                      ground="paper", gid=f"hop:{arc.dim}")  # fmt: skip


def draw_card(page: Canvas, card: Card, then: bool) -> None:
    """One step of the chain, after an arrow."""
    x, y = card.x, card.y
    if then:
        middle = y + card.height / 2
        page.path(f"M{x - 25} {middle}L{x - 7} {middle}", "muted")
        page.path(f"M{x - 13} {middle - 5}L{x - 7} {middle}L{x - 13} {middle + 5}", "muted")
    edge, line = ("dim0", 2.5) if card.current else ("line", 1.2)
    page.box(
        x,
        y,
        card.width,
        card.height,
        fill="panel",
        edge=edge,
        line=line,
        radius=10,
        gid=f"step:{card.number}",
    )
    code = card.code if len(card.code) <= 26 else card.code[:25] + "…"
    first, second, step = CARD_LINES
    page.text(x + 14, y + first, code, size=17, bold=True, mono=True)
    ink = {"view": "view", "copy": "copy"}.get(card.kind, "muted")
    page.text(x + card.width - 14, y + first - 1, card.kind, size=12, ink=ink, bold=True, anchor="right")
    for k, words in enumerate(card.lines):
        page.text(x + 14, y + second + step * k, words, size=12.5, ink="muted", mono=True)


def draw_formula(page: Canvas, formula: Formula) -> None:
    """``storage[offset + i·stride[0] + …]``, filled in for the element that is looked at."""
    x, y, font = formula.x + 18, formula.y, formula.font
    page.box(formula.x, y, formula.width, formula.height, fill="panel", edge="line", radius=10, gid="formula")
    page.spans(x, y + 26, _spoken(formula), 16)
    names = [f"{LETTERS[d % 10]}·stride[{d}]" for d, _, _ in formula.terms]
    values = [f"{i}·{s}" if s >= 0 else f"{i}·({s})" for _, i, s in formula.terms]
    unit = font * 0.602
    for line, first, terms in ((56, "offset", names), (84, str(formula.offset), values)):
        page.text(x, y + line, "storage[", size=font, mono=True)
        page.text(formula.columns[0], y + line, first, size=font, mono=True)
        for (d, _, _), words, column in zip(formula.terms, terms, formula.columns[1:], strict=False):
            page.text(column - 2 * unit, y + line, "+", size=font, mono=True)
            page.text(
                column, y + line, words, size=font, ink=_dim(d), bold=d not in formula.unused, mono=True
            )
        page.text(formula.columns[-1], y + line, "]", size=font, mono=True)
    found = f"storage[{formula.slot}] = {formula.value}"
    page.text(x, y + 114, found, size=18, bold=True, mono=True, gid="found")
    for k, sentence in enumerate(formula.sentences):
        page.text(formula.sentences_x, formula.sentences_y + 18 * k, sentence, ink="muted")


def _spoken(formula: Formula) -> list[tuple[str, str, bool]]:
    if not formula.terms:
        return [("the only element ", "muted", False), ("[]", "ink", True), (" lives at", "muted", False)]
    parts = [("element ", "muted", False), ("[", "ink", True)]
    for d, i, _ in formula.terms:
        parts += [(", ", "ink", False)] * (d > 0) + [(str(i), _dim(d), True)]
    return [*parts, ("]", "ink", True), (" lives at", "muted", False)]


def draw_tile(page: Canvas, tile: Tile) -> None:
    """A bit or a number of a board: filled when it is on, dashed when it is not there."""
    on, off, grey = ("on" in tile.kinds, "off" in tile.kinds, "grey" in tile.kinds)
    own = _dim(tile.dim) if tile.dim is not None else "control"
    fill, edge = (own, "ink") if on else ("paper", own) if off else ("grey" if grey else "cell", "line")
    ink = "paper" if on else "muted" if off else "grey-ink" if grey else "ink"
    page.box(tile.x, tile.y, tile.width, tile.height, fill=fill, edge=edge, gid=f"bit:{tile.key}")
    y = tile.y + tile.height / 2 + tile.font * 0.32
    page.text(tile.middle, y, tile.text, size=tile.font, ink=ink, bold=on, mono=True, anchor="center")
    if tile.below:
        page.text(tile.middle, tile.y + tile.height + 16, tile.below, size=12, mono=True, anchor="center")


def draw_wire(page: Canvas, wire: Wire) -> None:
    """A line over a group of bits with what the group says."""
    marks = "M" + "L".join(f"{x} {y}" for x, y in wire.points)
    page.path(marks, _dim(wire.dim), line=1.8, dash=wire.dim)
    if wire.label:
        (x0, y0), (x1, y1) = wire.points[0], wire.points[-1]
        page.text((x0 + x1) / 2, (y0 + y1) / 2 - 6, wire.label, ink=_dim(wire.dim), bold=True, mono=True,
                  anchor="center", gid="group")  # fmt: skip
