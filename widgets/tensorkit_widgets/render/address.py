"""How an element's slot is found: the arcs from the offset to it, the offset's arrow, and the formula filled in."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tensorkit_widgets.drawing.parts import Arc, Formula, Pointer
from tensorkit_widgets.drawing.words import LETTERS, STEP
from tensorkit_widgets.render.marks import arc_path, group, path, rect, text
from tensorkit_widgets.render.palette import DIMENSIONS

_XY = 'x="{}" y="{}"'


def pointer_mark(pointer: Pointer, page: float) -> str:
    """The offset's arrow, its words on the side where there is room."""
    x, y = pointer.x, pointer.y
    inside = f'<path class="tk-offset-mark" d="{path("M{} {}l-8 14h16z", x, y)}"/>'
    if x + 14 + 9 * len(pointer.text) < page:
        inside += text(x + 14, y + 13, pointer.text, "tk-strong")
    else:
        inside += text(x - 14, y + 13, pointer.text, "tk-strong", text_anchor="end")
    return group(inside, class_="tk-offset")


def arcs_mark(arcs: Sequence[Arc]) -> str:
    """The hops; their labels come last, so that no arc crosses one."""
    inside = ""
    for arc in arcs:
        kind = (
            f"tk-d{arc.dim % DIMENSIONS}"
            + (" tk-strong" if arc.strong else "")
            + (" tk-bad" if arc.bad else "")
        )
        way = arc_path(arc.x1, arc.x2, arc.y, arc.lift, arc.part)
        inside += f'<path class="tk-arc {kind}" d="{way}"/>'
        if arc.part != "out":
            x = arc.x2 if arc.x1 != arc.x2 else arc.x2 + 5
            head = path("M{} {}h12l-6 11z", x - 6, arc.y - 13)
            inside += f'<path class="tk-arc-head {kind}" d="{head}"/>'
    for arc in arcs:
        if arc.label:
            x, y = arc.label_at
            kind = f"tk-mono tk-arc-label tk-d{arc.dim % DIMENSIONS}" + (" tk-bad" if arc.bad else "")
            inside += text(x, y, arc.label, kind)
    return group(inside, class_="tk-arcs", aria_hidden="true")


def formula_mark(formula: Formula) -> str:
    """``storage[offset + i·stride[0] + …]`` by its names and by its numbers, and what is found there."""
    x, y, font = formula.x + 18, formula.y, formula.font
    inside = rect(formula.x, y, formula.width, formula.height, "tk-panel", 10.0)
    inside += f'<text class="tk-mono" {path(_XY, x, y + 26)} font-size="16">{_spoken(formula)}</text>'
    names, values = [], []
    for d, i, s in formula.terms:
        kind = f'class="tk-term tk-d{d % DIMENSIONS}{" tk-unused" if d in formula.unused else ""}"'
        names.append(f"{kind}>{LETTERS[d % 10]}·stride[{d}]</tspan>")
        values.append(f'{kind} data-part="term-{d}">{i}·{s if s >= 0 else f"({s})"}</tspan>')
    rows = _stacked(names, values, formula, x) if formula.stacked else _columns(names, values, formula, x)
    step = STEP if formula.stacked else 28
    for k, spans in enumerate(rows):
        place = path('y="{}" font-size="{}"', y + 56 + step * k, font)
        inside += f'<text class="tk-mono" {place}>{spans}</text>'
    found = f'<tspan>storage[</tspan><tspan data-part="slot">{formula.slot}</tspan><tspan>] = </tspan>'
    found += f'<tspan data-part="value">{escape(formula.value, quote=False)}</tspan>'
    place = path(_XY, x, y + 58 + step * len(rows))
    inside += f'<text class="tk-mono tk-strong" {place} font-size="18">{found}</text>'
    for n, sentence in enumerate(formula.sentences):
        inside += text(formula.sentences_x, formula.sentences_y + 18 * n, sentence, "tk-muted")
    return group(inside, class_="tk-formula")


def _spoken(formula: Formula) -> str:
    quiet, strong = '<tspan class="tk-muted">', '<tspan class="tk-strong">'
    lead, words = ("the only element ", "[]") if not formula.terms else ("element ", "[")
    out = f"{quiet}{lead}</tspan>{strong}{words}</tspan>"
    for d, i, _ in formula.terms:
        comma = "<tspan>, </tspan>" if d else ""
        out += f'{comma}<tspan class="tk-term tk-d{d % DIMENSIONS}" data-part="index-{d}">{i}</tspan>'
    return out + (f"{strong}]</tspan>" if formula.terms else "") + f"{quiet} lives at</tspan>"


def _at(x: float, span: str) -> str:
    """A part of a line that begins at x: its attributes and words, or words alone."""
    return f'<tspan x="{round(x, 2):.10g}"{" " + span if span.startswith("class") else f">{span}</tspan>"}'


def _stacked(names: Sequence[str], values: Sequence[str], formula: Formula, x: float) -> list[str]:
    """The lines of the formula as a sum: in each a name, and the number that stands for it."""
    left, right = formula.columns
    sign = left - 2 * formula.font * 0.602
    out = [_at(x, "storage[") + _at(left, "offset") + _at(right, str(formula.offset))]
    out += [_at(sign, "+") + _at(left, n) + _at(right, v) for n, v in zip(names, values, strict=True)]
    return [*out[:-1], out[-1] + "<tspan> ]</tspan>"]


def _columns(names: Sequence[str], values: Sequence[str], formula: Formula, x: float) -> list[str]:
    """The two lines of the formula, each part at the x of its column, so that they are under each other."""
    first, *columns, last = formula.columns
    lines = []
    for opening, terms in (("offset", names), (str(formula.offset), values)):
        line = _at(x, "storage[") + _at(first, opening)
        for term, column in zip(terms, columns, strict=True):
            line += _at(column - 2 * formula.font * 0.602, "+") + _at(column, term)
        lines.append(line + _at(last, "]"))
    return lines
