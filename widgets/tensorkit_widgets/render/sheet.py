"""A board's sheet as SVG and as text: deterministic, escaped, without ids or addresses."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator

from tensorkit_widgets.drawing.sheet import Frame, Photo, Sheet, Table, Tile, Wire
from tensorkit_widgets.render.annotations import axis_mark, note_mark
from tensorkit_widgets.render.cells import gap_mark
from tensorkit_widgets.render.frame import framed
from tensorkit_widgets.render.marks import attributes, group, num, rect, text
from tensorkit_widgets.render.palette import DIMENSIONS
from tensorkit_widgets.snapshot.adapter import Link

__all__ = ["render_sheet", "render_sheet_text"]

_SIGNS = {
    "lit": "[{}]",
    "ghost": "({})",
    "bad": "!{}",
    "changed": "*{}",
    "made": "+{}",
    "freed": "~{}",
    "good": "{}✓",
}
_LOOKS = {"lit": "lit", "kin": "kin"}
"""The looks that the pointer gives too; every other kind has a class of its own, ``tk-is-ghost``."""

_RIMMED = frozenset({"good", "bad", "made", "changed"})
"""The looks of a tile that have a strong frame."""

_MEANING = {
    "lit": "[x] is looked at", "ghost": "(x) is not in memory: it is read again", "bad": "!x does not fit",
    "changed": "*x has changed", "made": "+x is new", "freed": "~x is gone", "good": "x✓ fits",
}  # fmt: skip


def render_sheet(sheet: Sheet, theme: str | None = None, live: bool = False) -> str:
    """The picture of a sheet; the arguments are those of `render_svg`."""
    body = "".join(_body(sheet, live))
    label = f"{sheet.name}: {sheet.title}"
    return framed(body, (sheet.width, sheet.height), label, theme, live, ("sheet.css",))


def _body(sheet: Sheet, live: bool) -> Iterator[str]:
    for photo in sheet.photos:
        yield _photo(photo)
    for frame in sheet.frames:
        yield _frame(frame)
    yield group("".join(_wire(wire) for wire in sheet.wires), class_="tk-wires", aria_hidden="true")
    for note in sheet.notes:
        yield note_mark(note, live)
    for table in sheet.tables:
        yield _table(table, live)


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
    path = "M" + "L".join(f"{num(x)} {num(y)}" for x, y in wire.points)
    inside = f'<path class="tk-line" d="{path}"/>'
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
    parts = [axis_mark(axis, False) for axis in table.axes]
    parts += [note_mark(note, live) for note in table.notes]
    for h in table.headers:
        parts.append(
            text(h.x, h.y, h.text, f"tk-mono tk-header{_dim(h.dim)}", aria_hidden="true" if live else None)
        )
    parts += [gap_mark(gap, False) for gap in table.gaps]
    visited = live and table.role == "grid"
    first = next((t.key for t in table.tiles if "lit" in t.kinds), table.tiles[0].key if table.tiles else "")
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
            role=("grid" if visited else "img") if live and table.rows else None,
            aria_label=table.label if live and table.rows else None,
        )
    )  # fmt: skip
    # Drawn after all tiles, so that no neighbour covers the frame of one.
    parts += [
        rect(t.x, t.y, t.width, t.height, f"tk-rim tk-rim-{kind}")
        for t in table.tiles
        for kind in t.kinds
        if kind in _RIMMED
    ]
    parts += [rect(t.x, t.y, t.width, t.height, "tk-halo") for t in table.tiles if "lit" in t.kinds]
    return group("".join(parts), class_="tk-tabled")


def _tile(tile: Tile, live: bool, visited: bool, first: bool) -> str:
    kind = (
        "tk-tile" + "".join(f" tk-{_LOOKS.get(word, f'is-{word}')}" for word in tile.kinds) + _dim(tile.dim)
    )
    inside = rect(tile.x, tile.y, tile.width, tile.height, "tk-box")
    middle = tile.y + tile.height / 2 - (4 if tile.tag and tile.height <= 60 else 0)
    x, place = (tile.x + 10, " tk-start") if tile.start else (tile.middle, "")
    inside += text(x, middle + tile.font * 0.32, tile.text, f"tk-mono tk-number{place}", font_size=tile.font)
    if tile.tag:
        inside += text(tile.x + 6, tile.y + tile.height - 5, tile.tag, "tk-mono tk-tag")
    if tile.below:
        inside += text(tile.middle, tile.y + tile.height + 16, tile.below, "tk-mono tk-count")
    if tile.badge:
        wide = 10 + 7 * len(tile.badge)
        x = tile.x + tile.width - wide - 2
        inside += rect(x, tile.y + 3, wide, 16, "tk-badge-box", 8.0)
        inside += text(x + wide / 2, tile.y + 15, tile.badge, "tk-badge")
    more: dict[str, object] = {}
    if visited:
        more = {
            "role": "gridcell", "tabindex": 0 if first else -1, "aria_label": tile.label,
            "aria_selected": str("lit" in tile.kinds).lower(),
        }  # fmt: skip
    return group(
        inside, class_=kind, data_key=tile.key, data_kin=" ".join(tile.kin) or None,
        **_link(tile.link if live else None),
        data_slot=tile.slot, data_action=tile.action or None, data_full=tile.full or None,
        data_said=tile.label if not visited else None, **more,
    )  # fmt: skip


def _link(link: Link | None) -> dict[str, object]:
    """Attributes: the storage and the bytes of a slot. They hang on an address: a picture to keep has none."""
    return {} if link is None else {"data_storage": link.storage, "data_item": link.item}


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
