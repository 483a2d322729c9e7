"""A board's sheet as SVG and as text: deterministic, escaped, without ids or addresses."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from typing import Any

from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import Frame, Photo, Sheet, Table, Tile, Wire
from tensorkit_widgets.render.address import arcs_mark, formula_mark, pointer_mark
from tensorkit_widgets.render.annotations import axis_mark, gap_mark, note_mark
from tensorkit_widgets.render.boxes import boxes_mark
from tensorkit_widgets.render.cards import cards_mark
from tensorkit_widgets.render.frame import framed
from tensorkit_widgets.render.marks import attributes, group, num, path, rect, text
from tensorkit_widgets.render.palette import DIMENSIONS

_SIGNS = {
    "lit": "[{}]",
    "ghost": "({})",
    "added": "({})",
    "bad": "!{}",
    "changed": "*{}",
    "made": "+{}",
    "freed": "~{}",
    "good": "{}✓",
}
_LOOKS = {"lit": "lit", "kin": "kin"}
"""The looks that the pointer gives too; every other kind has a class of its own, ``tk-is-ghost``."""

_RIMMED = frozenset({"good", "bad", "made", "changed", "seam"})
"""The looks of a tile that have a strong frame."""

_MEANING = {
    "lit": "[x] is looked at", "ghost": "(x) is not in memory: it is read again",
    "added": "(x) is padding", "bad": "!x does not fit",
    "changed": "*x has changed", "made": "+x is new", "freed": "~x is gone", "good": "x✓ fits",
}  # fmt: skip


def render_sheet(sheet: Sheet, theme: str | None = None, live: bool = False) -> str:
    """The picture of a sheet.

    Args:
        sheet: what to draw.
        theme: ``"light"`` or ``"dark"`` for a fixed look; None follows the reader's preference.
        live: for the browser's live view: no style of its own, ARIA roles for the parts, and buttons.
    """
    body = "".join(_body(sheet, live)) if sheet.pinned is None or not live else _pinned(sheet, sheet.pinned)
    label = f"{sheet.name}: {sheet.title}"
    layout = json.dumps(sheet.layout, separators=(",", ":")) if live and sheet.layout else None
    styles = ("sheet.css", *sheet.styles, *(("graph_scene.css",) if sheet.boxes_label else ()))
    return framed(body, (sheet.width, sheet.height), label, theme, live, styles, data_layout=layout)


def _pinned(sheet: Sheet, top: float) -> str:
    """A live picture in two parts: what scrolls, and the storage from ``top`` down on a ground of its own."""

    def below(part: Note | Frame | Table | Photo) -> bool:
        if not isinstance(part, Table):
            return top <= part.y
        places: tuple[Tile | Note, ...] = (*part.tiles, *part.notes)
        return not places or top <= places[0].y

    def half(low: bool) -> Sheet:
        parts = {
            name: tuple(part for part in getattr(sheet, name) if below(part) is low)
            for name in ("notes", "frames", "tables", "photos")
        }
        wires = tuple(w for w in sheet.wires if all(y >= top for _, y in w.points) is low)
        rest = {"layout": sheet.layout, "arcs": sheet.arcs, "pointer": sheet.pointer} if low else {}
        return replace(sheet, **{**_UNSPLIT, **parts, **rest}, wires=wires)

    ground = rect(0, top, sheet.width, sheet.height - top, "tk-pinned-ground")
    ground += f'<path class="tk-pinned-edge" d="{path("M{} {}h{}", 0, top, sheet.width)}"/>'
    storage = group(
        ground + "".join(_body(half(True), True)),
        class_="tk-pinned",
        data_top=top,
        data_most=sheet.pinned_most,
    )
    above = replace(half(False), cards=sheet.cards, formula=sheet.formula)
    return "".join(_body(above, True)) + storage


_UNSPLIT: dict[str, Any] = {"layout": None, "arcs": (), "pointer": None, "cards": (), "formula": None}
"""What is in one of the two parts alone."""


def _body(sheet: Sheet, live: bool) -> Iterator[str]:
    for photo in sheet.photos:
        yield _photo(photo)
    for frame in sheet.frames:
        yield _frame(frame)
    if sheet.cards:
        yield cards_mark(sheet.cards, live)
    if not sheet.boxes_label:
        yield group("".join(_wire(wire) for wire in sheet.wires), class_="tk-wires", aria_hidden="true")
    for note in sheet.notes:
        yield note_mark(note, live)
    if sheet.boxes_label:
        yield boxes_mark(sheet, live)
    if sheet.formula is not None:
        yield formula_mark(sheet.formula)
    for table in sheet.tables:
        yield _table(table, live)
    if sheet.layout or sheet.arcs:
        yield arcs_mark(sheet.arcs)
    if sheet.pointer is not None:
        yield pointer_mark(sheet.pointer, sheet.width)


def _frame(frame: Frame) -> str:
    return rect(frame.x, frame.y, frame.width, frame.height, f"tk-frame tk-frame-{frame.kind}", frame.rx)


def _photo(photo: Photo) -> str:
    data = b64encode(photo.png).decode("ascii")
    place = attributes(
        class_="tk-photo", x=photo.x, y=photo.y, width=photo.width, height=photo.height, role="img",
        aria_label=photo.label, preserveAspectRatio="none", href=f"data:image/png;base64,{data}",
    )  # fmt: skip
    return f"<image{place}/>"


def _dim(dim: int | None) -> str:
    return "" if dim is None else f" tk-d{dim % DIMENSIONS}"


def _wire(wire: Wire) -> str:
    way = "M" + "L".join(f"{num(x)} {num(y)}" for x, y in wire.points)
    inside = f'<path class="tk-line" d="{way}"/>'
    (x1, y1), (x2, y2) = wire.points[-2:]
    if wire.head:
        length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1e-9)
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        back = (x2 - 9 * dx, y2 - 9 * dy)
        left, right = ((back[0] - s * 5 * dy, back[1] + s * 5 * dx) for s in (1, -1))
        points = " ".join(f"{num(x)},{num(y)}" for x, y in ((x2, y2), left, right))
        inside += f'<polygon class="tk-line-head" points="{points}"/>'
    if wire.label:
        (x0, y0), (x3, y3) = wire.points[0], wire.points[-1]
        if x0 == x3:  # beside a line that runs down, clear of its head
            y = (y0 + y3) / 2 + 5
            inside += text(x0 + 12, y, wire.label, "tk-mono tk-line-label", style="text-anchor:start")
        else:
            inside += text((x0 + x3) / 2, (y0 + y3) / 2 - 6, wire.label, "tk-mono tk-line-label")
    kind = "tk-link" + "".join(f" tk-link-{word}" for word in wire.kind.split()) + _dim(wire.dim)
    return group(inside, class_=kind, data_ends=" ".join(wire.ends) or None)


def _table(table: Table, live: bool) -> str:
    looks, tiles = live and table.looks, table.tiles
    parts = [axis_mark(axis, looks) for axis in table.axes]
    parts += [note_mark(note, live) for note in table.notes]
    for h in table.headers:
        on, hidden = " tk-on" if h.focus else "", "true" if live else None
        place = f"{h.dim}:{h.position}" if looks else None
        kind = f"tk-mono tk-header tk-d{h.dim % DIMENSIONS}{on}"
        parts.append(text(h.x, h.y, h.text, kind, data_at=place, aria_hidden=hidden))
    parts += [gap_mark(gap, looks, table.key) for gap in table.gaps]
    visited = live and table.role == "grid"
    first = next((t.key for t in tiles if "lit" in t.kinds), tiles[0].key if tiles else "")
    rows = (
        group(
            "".join(_tile(tile, live, visited, tile.key == first) for tile in row),
            role="row" if visited else None,
        )
        for row in table.rows
    )
    parts.append(
        group(
            "".join(rows), class_="tk-table", data_table=table.key if live else None,
            data_looks="" if looks else None,
            role=("grid" if visited else "img") if live and table.rows else None,
            aria_label=table.label if live and table.rows else None,
        )
    )  # fmt: skip
    # Drawn after all tiles, so that no neighbour covers the frame of one.
    parts += [
        rect(t.x, t.y, t.width, t.height, f"tk-rim tk-rim-{kind}")
        for t in tiles
        for kind in t.kinds
        if kind in _RIMMED
    ]
    parts += [rect(t.x, t.y, t.width, t.height, "tk-halo") for t in tiles if "lit" in t.kinds]
    return group("".join(parts), class_="tk-tabled")


def _tile(tile: Tile, live: bool, visited: bool, first: bool) -> str:
    """A tile: there are hundreds in a picture, so its marks are written out here and not by functions of their own."""
    kinds, font = tile.kinds, tile.font
    x, y, wide, high = round(tile.x, 2), round(tile.y, 2), round(tile.width, 2), round(tile.height, 2)
    across, down = round(tile.x + tile.width / 2, 2), y + high
    kind = "tk-tile" + "".join([f" tk-{_LOOKS.get(word, f'is-{word}')}" for word in kinds])
    kind += "" if tile.dim is None else f" tk-d{tile.dim % DIMENSIONS}"
    inside = f'<rect class="tk-box" x="{x:.10g}" y="{y:.10g}" width="{wide:.10g}" height="{high:.10g}"/>'
    if "seam" in kinds or "waits" in kinds:
        inside += _hatch(x, y, wide, high)
    # In a low tile the number moves up, clear of the tag in the corner.
    line = round(y + high / 2 - (4 if tile.tag and high <= 60 else 0) + font * 0.32, 2)
    place, start = (across, "") if not tile.start else (x + 10, " tk-start")
    words = escape(tile.text, quote=False)
    spot = f'x="{place:.10g}" y="{line:.10g}" font-size="{font:.10g}"'
    inside += f'<text class="tk-mono tk-number{start}" {spot}>{words}</text>'
    if tile.tag:
        words = escape(tile.tag, quote=False)
        inside += f'<text class="tk-mono tk-tag" x="{x + 6:.10g}" y="{down - 5:.10g}">{words}</text>'
    if tile.below:
        words = escape(tile.below, quote=False)
        inside += f'<text class="tk-mono tk-count" x="{across:.10g}" y="{down + 16:.10g}">{words}</text>'
    if tile.badge:
        room = 10 + 7 * len(tile.badge)
        left = x + wide - room - 2
        inside += rect(left, y + 3, room, 16, "tk-badge-box", 8.0)
        inside += text(left + room / 2, y + 15, tile.badge, "tk-badge")
    link = tile.link if live else None  # it hangs on an address: a picture to keep has none
    more = {
        "data-key": tile.key, "data-kin": " ".join(tile.kin), "data-storage": link and link.storage,
        "data-item": link and link.item, "data-slot": tile.slot, "data-action": tile.action, "data-full": tile.full,
        "data-stored": tile.stored, "data-grid": tile.grid and "{},{},{},{}".format(*tile.grid),
        "data-said": "" if visited else tile.label,
    }  # fmt: skip
    if visited:
        chosen = str("lit" in kinds).lower()
        more |= {
            "role": "gridcell",
            "tabindex": 0 if first else -1,
            "aria-label": tile.label,
            "aria-selected": chosen,
        }
    known = [
        f' {name}="{escape(str(value))}"' for name, value in more.items() if value is not None and value != ""
    ]
    return f'<g class="{kind}"{"".join(known)}>{inside}</g>'


def _hatch(x: float, y: float, width: float, height: float) -> str:
    """Diagonal lines over a box, drawn one by one: a pattern would need an id."""
    lines, d = [], 9.0
    while d < width + height:
        begin = (x + d, y) if d <= width else (x + width, y + d - width)
        end = (x, y + d) if d <= height else (x + d - height, y + height)
        lines.append(path("M{} {}L{} {}", *begin, *end))
        d += 9.0
    return f'<path class="tk-hatch" d="{"".join(lines)}"/>'


# ---- text


def render_sheet_text(sheet: Sheet) -> str:
    """The text twin of a sheet."""
    parts = [f"{sheet.name}: {sheet.title}"]
    used: list[str] = []
    for table in sheet.tables:
        if table.told:
            parts += ["", table.label, *_lines(table, used)]
            parts += ["  " + note.text for note in table.notes]
    parts += [f"picture: {photo.label}" for photo in sheet.photos]
    if used:
        parts += ["", "; ".join(_MEANING[word] for word in _MEANING if word in used)]
    if sheet.words:
        parts += ["", *sheet.words]
    return "\n".join(parts)


def _lines(table: Table, used: list[str]) -> list[str]:
    rows = [[_marked(tile, used) for tile in row] for row in table.rows]
    slots = [[tile.below for tile in row] for row in table.rows]
    columns = max(map(len, rows), default=0)
    widths = [max((len(r[c]) for r in (*rows, *slots) if c < len(r)), default=0) for c in range(columns)]
    out = []
    for row, below in zip(rows, slots, strict=True):
        if any(below):
            out.append("  " + "  ".join(f"{b:>{w}}" for b, w in zip(below, widths, strict=False)).rstrip())
        out.append("  " + "  ".join(f"{item:>{w}}" for item, w in zip(row, widths, strict=False)).rstrip())
    return out


def _marked(tile: Tile, used: list[str]) -> str:
    words = tile.text
    for kind, sign in _SIGNS.items():
        if kind in tile.kinds:
            words = sign.format(words)
            used.append(kind)
    return words
