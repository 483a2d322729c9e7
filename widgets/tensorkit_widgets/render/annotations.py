"""What is beside a table: the arrow of each dimension, slots that are left out, notes."""

from __future__ import annotations

from html import escape

from tensorkit_widgets.drawing.parts import CARD_HEIGHT, Axis, Gap, Note
from tensorkit_widgets.render.marks import group, path, rect, text
from tensorkit_widgets.render.palette import DIMENSIONS


def dim_class(dim: int) -> str:
    return f"tk-d{dim % DIMENSIONS}"


def button(action: str, key: object, said: str) -> dict[str, object]:
    """The attributes of a part of a picture that can be pressed: ``{"kind": action, "key": key}`` is sent then."""
    return {"role": "button", "tabindex": 0, "data_action": action, "data_key": key, "aria_label": said}


def axis_mark(axis: Axis, live: bool) -> str:
    """The arrow of a dimension; a live one can be dragged onto another."""
    kind = (
        f"tk-axis {dim_class(axis.dim)}"
        + (" tk-bad" if axis.bad else "")
        + (" tk-unused" if axis.unused else "")
    )
    way = path("M{} {}L{} {}", axis.x1, axis.y1, axis.x2, axis.y2)
    head = path("M{} {}", axis.x2, axis.y2) + ("m-6-8l6 9l6-9" if axis.vertical else "m-8-6l9 6l-9 6")
    line = f'<path class="tk-axis-line" d="{way}"/><path class="tk-axis-head" d="{head}"/>'
    if axis.vertical:
        x, y = axis.x1 - 12, (axis.y1 + axis.y2) / 2
        turn = path("rotate(-90 {} {})", x, y)
        label = text(x, y, axis.label, "tk-axis-label", text_anchor="middle", transform=turn)
        grip = rect(axis.x1 - 26, axis.y1 - 4, 36, axis.y2 - axis.y1 + 8, "tk-axis-grip", 6.0)
    else:
        label = text(axis.x1, axis.y1 - 9, axis.label, "tk-axis-label")
        grip = rect(axis.x1 - 4, axis.y1 - 24, max(axis.x2 - axis.x1, 116) + 8, 34, "tk-axis-grip", 6.0)
    said = f"dimension {axis.dim}, size {axis.size}, stride {axis.stride}" + (
        ", never used" if axis.unused else ""
    )
    return group(
        grip + line + label, class_=kind, data_role="axis" if live else None, data_dim=axis.dim,
        role="button" if live else None, tabindex=0 if live else None,
        aria_label=f"{said}. Drag onto another dimension to swap them, or press Enter to pick it up" if live else None,
    )  # fmt: skip


def gap_mark(gap: Gap, live: bool, table: str) -> str:
    """Slots that are left out; a live one asks for the slot in its middle."""
    middle, count = gap.x + gap.width / 2, gap.stop - gap.start
    way = path("M{} {}h{}v{}h-{}", gap.x, gap.y, gap.width, gap.height, gap.width)
    inside = f'<path class="tk-gap" d="{way}"/>'
    inside += text(middle, gap.y + gap.height / 2 + 5, "⋯", "tk-gap-dots")
    shown = f"{count:,}" if count < 1_000_000 else f"{count / 1e6:.1f} M"
    inside += text(middle, gap.y + gap.height + 16, shown, "tk-gap-count")
    inside += text(middle, gap.y + gap.height + 29, "more", "tk-gap-count")
    said = f"{count} more slots, {gap.start} to {gap.stop - 1}: show their middle"
    more = button("look", f"{table}:{(gap.start + gap.stop) // 2}", said) if live else {}
    if live:
        more |= {"data_cx": middle, "data_top": gap.y}
    return group(inside, class_="tk-gap-group", data_from=gap.start, data_to=gap.stop, **more)


def note_mark(note: Note, live: bool) -> str:
    """A line of words, or the place of the next step."""
    if note.role == "next":
        inside = rect(note.x, note.y, 130, CARD_HEIGHT, "tk-next-box", 10.0)
        inside += text(note.x + 65, note.y + 27, "next step", "tk-muted", text_anchor="middle")
        inside += text(
            note.x + 65, note.y + 46, "[ ]  .view  .t", "tk-mono tk-muted tk-small", text_anchor="middle"
        )
        return group(inside, class_="tk-next", data_action="next-step", data_key="")
    mono = "tk-mono " if note.role == "code" else ""
    anchor = None if note.anchor == "start" else note.anchor
    role = "code" if live and note.role == "code" else None
    line = text(note.x, note.y, note.text, f"{mono}tk-{note.role}", text_anchor=anchor, data_role=role)
    if not note.after:
        return line
    return (
        line.removesuffix("</text>")
        + f'<tspan class="tk-after">   {escape(note.after, quote=False)}</tspan></text>'
    )
