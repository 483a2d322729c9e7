"""The text twin of a graph: what a screen reader, a terminal and a comparison of notebooks get."""

from __future__ import annotations

from tensorkit_widgets.drawing.boxes import Box, Edge
from tensorkit_widgets.graph.layout import GraphSheet


def text_twin(sheet: GraphSheet) -> str:
    """The text twin of a graph's picture."""
    places = sorted((box for box in sheet.boxes if box.kind != "reference"), key=lambda box: (box.y, box.x))
    shown = [box.uncut for box in places]
    names = _text_names(sheet, shown)
    coming: dict[int, list[Edge]] = {}
    for wire in sheet.edges:
        coming.setdefault(wire.target, []).append(wire)
    lead = [f"GraphView: {sheet.title}", *("  " + words for words in sheet.words)]
    parts = [*lead, "", sheet.said, ""]
    for box in shown:
        parts += _box_text(
            box, sheet, names, sorted(coming.get(box.number, ()), key=lambda wire: wire.inputs)
        )
    for (number, _), value in zip(sheet.graph.roots, sheet.starts, strict=False):
        if value is not None:
            parts.append(f"  ↑ {value.text} arrives at {names.get(number, '?')}")
    return "\n".join(parts)


def _given(box: Box, sheet: GraphSheet, names: dict[int, str]) -> list[str]:
    """What an operation was given, by the names of the results where it has several."""
    out: list[str] = []
    bundled = {member: names[one.number] for one in sheet.boxes for member in one.stands}
    for one in sheet.graph.vertices[box.number].inputs if not box.folded else ():
        if one.number:
            out.append(one.number)
        elif one.source in bundled:
            out += [bundled[one.source]] if bundled[one.source] not in out else []
        elif one.source is not None:
            made = sheet.graph.vertices[one.source].made
            name = next((m.name for m in made if m.output == one.output and m.name), "")
            out.append(name or names.get(one.source, "the fold above"))
    return out


def _text_names(sheet: GraphSheet, shown: list[Box]) -> dict[int, str]:
    names: dict[int, str] = {}
    count = 0
    for box in shown:
        if box.kind == "op":
            count += not sheet.graph.vertices[box.number].result
            names[box.number] = sheet.graph.vertices[box.number].result or f"#{count}"
        else:
            names[box.number] = box.title or box.lines[0].text
    return names


def _box_text(box: Box, sheet: GraphSheet, names: dict[int, str], coming: list[Edge]) -> list[str]:
    sign = {"running": "> ", "refused": "! "}.get(box.state, "  ")
    if box.kind != "op":
        jar = f"   .grad {box.jar.text}" if box.jar else ""
        jar += " (rehearsed)" if box.jar and box.jar.rehearsed else ""
        first, more = (box.lines[:1], box.lines[1:]) if box.stands else (box.lines, ())
        lead = [sign + names[box.number], *[box.tag] * bool(box.tag), *(line.text for line in first)]
        return ["  ".join(lead) + jar, *(f"      {line.text}" for line in more)]
    given = ", ".join(_given(box, sheet, names) or [names.get(wire.source, "?") for wire in coming])
    rest = [line.text for line in (*box.lower, *box.lines)]
    out = [f"{sign}{names[box.number]} ← {box.title}({given})" + ("   " + "; ".join(rest) if rest else "")]
    flows = dict.fromkeys((wire.source, wire.full) for wire in coming if wire.full)
    return out + [f"      ↑ {full} to {names.get(source, '?')}" for source, full in flows]
