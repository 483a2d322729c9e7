"""Boxes and edges as SVG: a graph, with the gradients that climb back up its edges."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from tensorkit_widgets.drawing.boxes import Begin, Box, Edge, Jar, Key, Line, Marks, label_width
from tensorkit_widgets.drawing.sheet import Sheet
from tensorkit_widgets.render.marks import attributes, group, num, path, rect, text
from tensorkit_widgets.snapshot.adapter import Memory


def boxes_mark(sheet: Sheet, live: bool) -> str:
    """The edges, the boxes, and what their shapes mean; a live picture says which slots its tensors read."""
    edges = group("".join(map(_edge, sheet.edges)), class_="tk-wires", aria_hidden="true")
    begins = group("".join(map(_begin, sheet.begins)), class_="tk-begins", aria_hidden="true")
    first = min((box.number for box in sheet.boxes if box.number >= 0), default=0)
    current = next((box.number for box in sheet.boxes if box.state in ("running", "refused")), first)
    boxes = "".join(_box(box, live, box.number == current) for box in sheet.boxes)
    named = {"role": "listbox", "aria_label": sheet.boxes_label} if live else {}
    return edges + begins + group(boxes, class_="tk-vertices", **named) + _legend(sheet.keys)


def _place(memory: Memory) -> dict[str, object]:
    """Attributes: the storage, the bytes of a slot, and the slots that the tensor reads."""
    return {
        "data_storage": memory.link.storage, "data_item": memory.link.item, "data_offset": memory.offset,
        "data_size": ",".join(map(str, memory.size)), "data_stride": ",".join(map(str, memory.stride)),
    }  # fmt: skip


# ---- wires


def _curve(points: tuple[tuple[float, float], ...]) -> str:
    out = [f"M{num(points[0][0])} {num(points[0][1])}"]
    for (x1, y1), (x2, y2) in pairwise(points):
        if x1 == x2:
            out.append(f"V{num(y2)}")
        else:
            middle = num((y1 + y2) / 2)
            out.append(f"C{num(x1)} {middle} {num(x2)} {middle} {num(x2)} {num(y2)}")
    return "".join(out)


def _edge(wire: Edge) -> str:
    kind = "tk-edge" + ("" if wire.gradient else " tk-blind") + (f" tk-{wire.state}" if wire.state else "")
    x, y = wire.points[-1]
    inside = f'<path class="tk-wire" d="{_curve(wire.points)}"/>'
    inside += f'<path class="tk-wire-head" d="M{num(x - 4.5)} {num(y - 9)}h9l-4.5 9z"/>'
    if wire.state:
        x, y = wire.points[0]
        inside += f'<path class="tk-wire-up" d="M{num(x - 6)} {num(y + 11)}h12l-6 -11z"/>'
    if wire.label:
        inside += _gradient(wire.label_x, wire.label_y, wire.label)
    return group(
        inside, class_=kind, data_from=wire.source, data_to=wire.target, data_inputs=",".join(map(str, wire.inputs)),
        data_gradient=wire.full, data_flow=wire.state,
    )  # fmt: skip


def _gradient(x: float, y: float, words: str) -> str:
    """A gradient's label, on a ground of its own, so that no line runs through the numbers."""
    wide = label_width(words)
    return rect(x - wide / 2, y - 12, wide, 16, "tk-ground", 3.0) + text(
        x, y, f"↑ {words}", "tk-mono tk-gradient"
    )


def _begin(begin: Begin) -> str:
    """A gradient that the walk begins with, under its tensor."""
    x, y = begin.x, begin.y
    inside = f'<path class="tk-wire" d="{path("M{} {}v-14", x, y + 24)}"/>'
    inside += f'<path class="tk-wire-up" d="{path("M{} {}h12l-6 -11z", x - 6, y + 12)}"/>'
    inside += _gradient(begin.label_x, y + 38, begin.text)
    return group(inside, class_="tk-edge tk-flowed", data_from=begin.number, data_gradient=begin.text)


# ---- boxes


def _box(box: Box, live: bool, current: bool) -> str:
    kind = f"tk-vertex tk-{box.kind}" + ("" if box.state == "waiting" else f" tk-{box.state}")
    held = _place(box.memory) if live and box.memory else {}
    kind += " tk-held" if held else ""
    inside = _shape(box)
    inside += text(*_title_at(box), box.title, "tk-mono tk-vertex-name") if box.title else ""
    if box.tag:
        inside += text(box.x + box.width - 14, box.y + 22, box.tag, "tk-vertex-tag", text_anchor="end")
    first = 44.0 if box.kind != "op" else 45.0 + (5 if box.folded else 0)
    for k, line in enumerate(box.lines):
        inside += _line(line, box, first + 19 * k, live)
    for k, line in enumerate(box.lower):
        inside += _line(line, box, box.upper + 18 + 19 * k, live)
    if box.jar:
        inside += _jar(box.jar, box.x + box.width + 8, box.y, box.height, live)
    more: dict[str, object] = {}
    if live and box.kind != "reference":
        more = {
            "role": "option", "tabindex": 0 if current else -1, "aria_label": box.label,
            "aria_selected": str(box.state == "running").lower(),
        }  # fmt: skip
    return group(
        f"<title>{escape(box.label, quote=False)}</title>" + inside, class_=kind, data_vertex=box.number,
        data_kind=box.kind, data_name=box.uncut.title, data_state=box.state, data_kept=" ".join(box.kept) or None,
        data_grad=box.uncut.jar.text if box.uncut.jar else None, data_filled=_filled(box.jar),
        data_fold=box.folded or None, **held, **more,
    )  # fmt: skip


def _filled(jar: Jar | None) -> str | None:
    if jar is None:
        return None
    return "no" if not jar.filled else "rehearsed" if jar.rehearsed else "yes"


def _title_at(box: Box) -> tuple[float, float]:
    if box.kind == "op":
        return box.middle - (len(box.tag) * 3.4 if box.tag else 0), box.y + (23 if not box.folded else 28)
    return box.x + (22 if box.kind == "reference" else 14), box.y + (18 if box.kind == "reference" else 23)


def _shape(box: Box) -> str:
    x, y, w, h = box.x, box.y, box.width, box.height
    if box.kind == "leaf":
        behind = (rect(x + d, y + d, w - 2 * d, box.upper, "tk-shape") for d in (8, 4)) if box.folded else ()
        return "".join(behind) + rect(x, y, w, box.upper, "tk-shape")
    if box.kind == "constant":
        c = min(12, int(h / 3))
        corner = (
            f"M{num(x + c)} {num(y)}h{num(w - 2 * c)}l{c} {c}v{num(h - 2 * c)}l-{c} {c}h-{num(w - 2 * c)}"
        )
        return f'<path class="tk-shape" d="{corner}l-{c} -{c}v-{num(h - 2 * c)}z"/>'
    if box.kind == "reference":
        sign = f'<path class="tk-mark-none" d="M{num(x + 9)} {num(y + 17)}v-9m-3.5 3.5l3.5 -3.5l3.5 3.5"/>'
        return rect(x, y, w, h, "tk-shape", 13.0) + sign
    out = ""
    if box.folded:
        out += "".join(rect(x + d, y + d, w - 2 * d, box.upper, "tk-behind", 17.0) for d in (8, 4))
    if box.lower:
        out += rect(x + 5, y + box.upper - 12, w - 10, h - box.upper + 12, "tk-under", 7.0)
    return out + rect(x, y, w, box.upper, "tk-shape", 17.0)


def _line(line: Line, box: Box, down: float, live: bool) -> str:
    mono = "" if line.role == "about" else "tk-mono "
    out, x, y = "", box.x + 14, box.y + down
    if line.mark:
        out = _mark(line.mark, x, y)
        x += 16
    kind = f"{mono}tk-line-{line.role}"
    if not live or line.memory is None:
        return out + text(x, y, line.text, kind)
    out += _numbered(x, y, line.text, line.marks, kind)
    if box.memory == line.memory:  # the box itself stands for this tensor
        return out
    ground = rect(box.x + 8, y - 14, box.width - 16, 19, "tk-held-box", 4.0)
    return group(ground + out, class_="tk-held tk-held-line", **_place(line.memory))


def _numbered(x: float, y: float, words: str, marks: Marks, kind: str) -> str:
    """A line of text whose numbers can be pointed at, each with its slot."""
    out, at = [], 0
    for start, stop, slot in marks:
        out.append(escape(words[at:start], quote=False))
        out.append(
            f'<tspan class="tk-item" data-slot="{slot}">{escape(words[start:stop], quote=False)}</tspan>'
        )
        at = stop
    inside = "".join([*out, escape(words[at:], quote=False)])
    return f"<text{attributes(class_=kind, x=float(x), y=float(y))}>{inside}</text>"


def _mark(mark: str, x: float, y: float) -> str:
    """The sign before a line: a full square, an empty one, a diamond, or a barred circle."""
    if mark in ("kept", "gone"):
        return rect(x, y - 9, 9, 9, f"tk-mark-{mark}")
    if mark == "modified":
        return f'<path class="tk-mark-modified" d="M{num(x + 5)} {num(y - 11)}l6.5 6.5l-6.5 6.5l-6.5 -6.5z"/>'
    ring = f"M{num(x)} {num(y - 4.5)}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0m1.3 3.2l6.4 -6.4"
    return f'<path class="tk-mark-none" d="{ring}"/>'


def _jar(jar: Jar, x: float, y: float, height: float, live: bool) -> str:
    wide = jar.width
    side, low = num(height - 28), num(wide - 20)
    glass = f"M{num(x + 10)} {num(y)}h{low}v7c0 5 10 3 10 11v{side}q0 10 -10 10h-{low}"
    glass += f"q-10 0 -10 -10v-{side}c0 -8 10 -6 10 -11z"
    kind = "tk-jar" + (" tk-filled" if jar.filled else "") + (" tk-rehearsed" if jar.rehearsed else "")
    kind += " tk-fresh" if jar.fresh else ""
    inside = f'<path class="tk-glass" d="{glass}"/>'
    if jar.filled:
        q = num((wide - 6) / 4)
        half = num((wide - 6) / 2)
        inside += f'<path class="tk-level" d="M{num(x + 3)} {num(y + 19)}q{q} -6 {half} 0t{half} 0"/>'
    inside += text(x + wide / 2, y + 35, ".grad", "tk-mono tk-jar-name")
    if not live or jar.memory is None:
        return group(inside + text(x + wide / 2, y + 55, jar.text, "tk-mono tk-jar-text"), class_=kind)
    inside += _numbered(x + wide / 2, y + 55, jar.text, jar.marks, "tk-mono tk-jar-text")
    return group(inside, class_=f"{kind} tk-held", **_place(jar.memory))


def _legend(keys: Sequence[Key]) -> str:
    """What the shapes mean."""
    out = []
    for key in keys:
        if key.kind == "leaf" or key.kind == "op" or key.kind == "constant":
            shown = Box(
                0, key.kind, "", "", (), (), None, "waiting", (), 0, "", 26.0, 16.0, 16.0, key.x, key.y - 12
            )
            out.append(group(_shape(shown), class_=f"tk-{key.kind}"))
        elif key.kind == "gradient":
            stem = f'<path class="tk-wire" d="M{num(key.x + 6)} {num(key.y + 3)}v-8"/>'
            head = f'<path class="tk-wire-up" d="M{num(key.x + 1)} {num(key.y - 3)}h10l-5 -9z"/>'
            out.append(group(stem + head, class_="tk-flowed"))
        else:
            out.append(_mark(key.kind, key.x, key.y))
        out.append(text(key.x + key.lead, key.y + 1, key.words, ""))
    return group("".join(out), class_="tk-legend", aria_hidden="true")
