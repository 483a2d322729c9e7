"""Cells of the grid and slots of the strip as SVG, with their frames, hatches and badges."""

from __future__ import annotations

from collections.abc import Iterable

from tensorkit_widgets.drawing.parts import Cell, Gap
from tensorkit_widgets.render.marks import group, num, rect, text

__all__ = ["element", "gap_mark", "halo", "seams", "slot_mark"]


def _hatch(x: float, y: float, width: float, height: float) -> str:
    """Diagonal lines over a box, drawn one by one: a pattern would need an id."""
    lines = []
    reach = width + height
    d = 9.0
    while d < reach:
        x1, y1 = (x + d, y) if d <= width else (x + width, y + d - width)
        x2, y2 = (x, y + d) if d <= height else (x + d - height, y + height)
        lines.append(f"M{num(x1)} {num(y1)}L{num(x2)} {num(y2)}")
        d += 9.0
    return f'<path class="tk-hatch" d="{"".join(lines)}"/>'


def seams(cells: Iterable[Cell]) -> str:
    """The frames of hatched cells, drawn after all cells too."""
    return "".join(rect(c.x, c.y, c.width, c.height, "tk-seam") for c in cells if c.hatched)


def halo(cells: Iterable[Cell]) -> str:
    """The frame of the lit cell, drawn after all cells so that no neighbour covers it."""
    lit = next((cell for cell in cells if cell.focus), None)
    if lit is None:
        return rect(0, 0, 0, 0, "tk-halo")
    return rect(lit.x, lit.y, lit.width, lit.height, "tk-halo")


def element(cell: Cell, live: bool) -> str:
    index = cell.index or ()
    classes = "tk-cell" + (" tk-lit" if cell.focus else " tk-kin" if cell.kin else "")
    classes += " tk-hatched" if cell.hatched else ""
    inside = rect(cell.x, cell.y, cell.width, cell.height, "tk-box")
    if cell.hatched:
        inside += _hatch(cell.x, cell.y, cell.width, cell.height)
    # In a low cell the number moves up, clear of the slot's tag.
    middle = cell.y + cell.height / 2 - (0 if cell.height > 60 else 4)
    inside += text(
        cell.middle, middle + cell.font * 0.28, cell.text, "tk-mono tk-number", font_size=cell.font
    )
    inside += text(cell.x + 6, cell.y + cell.height - 5, str(cell.slot), "tk-mono tk-tag")
    more: dict[str, object] = {}
    if live:
        kept = f", stored as {cell.stored}" if cell.stored else ""
        said = f"element {list(index)}, value {cell.full}{kept}, slot {cell.slot}"
        more = {
            "role": "gridcell", "tabindex": 0 if cell.focus else -1, "aria_label": said,
            "aria_selected": str(cell.focus).lower(),
        }  # fmt: skip
    return group(
        inside,
        class_=classes,
        data_index=",".join(map(str, index)),
        data_slot=cell.slot,
        data_full=cell.full,
        data_stored=cell.stored or None,
        **more,
    )


def slot_mark(cell: Cell, live: bool) -> str:
    classes = "tk-slot" + ("" if cell.readers else " tk-unreached") + (" tk-lit" if cell.focus else "")
    classes += " tk-hatched" if cell.hatched else ""
    inside = rect(cell.x, cell.y, cell.width, cell.height, "tk-box")
    if cell.hatched:
        inside += _hatch(cell.x, cell.y, cell.width, cell.height)
    inside += text(cell.middle, cell.y + cell.height / 2 + cell.font * 0.34, cell.text, "tk-mono tk-number",
                   font_size=cell.font)  # fmt: skip
    inside += text(cell.middle, cell.y + cell.height + 17, str(cell.slot), "tk-mono tk-count")
    if cell.readers > 1:
        many = f"×{cell.readers}" if cell.readers < 99 else "×99+"
        wide = 10 + 7 * len(many)
        inside += rect(cell.x + cell.width - wide - 2, cell.y + 3, wide, 16, "tk-badge-box", 8.0)
        inside += text(cell.x + cell.width - wide / 2 - 2, cell.y + 15, many, "tk-badge")
    more: dict[str, object] = {}
    if live:
        read = {0: "no element reads it", 1: "one element reads it"}.get(
            cell.readers, f"{cell.readers} elements read it"
        )
        more = {
            "role": "gridcell", "tabindex": -1, "aria_label": f"slot {cell.slot}, value {cell.full}, {read}",
            "aria_selected": str(cell.focus).lower(),
        }  # fmt: skip
    return group(
        inside, class_=classes, data_slot=cell.slot, data_cx=cell.middle, data_readers=cell.readers,
        data_full=cell.full, **more,
    )  # fmt: skip


def gap_mark(gap: Gap, live: bool) -> str:
    middle = gap.x + gap.width / 2
    wide, high = num(gap.width), num(gap.height)
    inside = f'<path class="tk-gap" d="M{num(gap.x)} {num(gap.y)}h{wide}v{high}h-{wide}"/>'
    inside += text(middle, gap.y + gap.height / 2 + 5, "⋯", "tk-gap-dots")
    count = gap.stop - gap.start
    shown = f"{count:,}" if count < 1_000_000 else f"{count / 1e6:.1f} M"
    inside += text(middle, gap.y + gap.height + 16, shown, "tk-gap-count")
    inside += text(middle, gap.y + gap.height + 29, "more", "tk-gap-count")
    return group(
        inside, class_="tk-gap-group", data_role="gap" if live else None, data_from=gap.start, data_to=gap.stop,
        data_cx=middle, data_top=gap.y if live else None, role="button" if live else None, tabindex=0 if live else None,
        aria_label=f"{count} more slots, {gap.start} to {gap.stop - 1}: show their middle" if live else None,
    )  # fmt: skip
