"""A scene as SVG: deterministic, escaped, without ids or addresses.

The live view shows this very text and adds behaviour to it by the ``data-*`` attributes; the static picture carries its
style inside and is right in light and dark.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.words import LETTERS, STEP
from tensorkit_widgets.render.annotations import axis_mark, dim_class, note_mark, span
from tensorkit_widgets.render.cells import element, gap_mark, halo, seams, slot_mark
from tensorkit_widgets.render.frame import framed
from tensorkit_widgets.render.marks import arc_path, group, num, rect, text
from tensorkit_widgets.stride_explorer.scene import Card, Formula, Grid, Scene, Strip

__all__ = ["facts", "render_svg"]


def facts(scene: Scene) -> dict[str, object]:
    """What the browser needs to answer a hover without asking: integers only, the numbers are in the cells."""
    meta = scene.snapshot.meta
    return {
        "size": list(meta.size),
        "stride": list(meta.stride),
        "offset": meta.offset,
        "slots": meta.slots,
        "item": meta.itemsize,
        "focus": None if scene.focus is None else list(scene.focus),
        "origin": list(scene.snapshot.window.origin),
        "count": list(scene.snapshot.window.count),
    }


def render_svg(scene: Scene, theme: str | None = None, live: bool = False) -> str:
    """The picture of a scene.

    Args:
        scene: what to draw.
        theme: ``"light"`` or ``"dark"`` for a fixed look; None follows the reader's preference.
        live: for the browser's live view: no style of its own, ARIA roles for the parts, and buttons.
    """
    body = "".join(_body(scene, live))
    data = json.dumps(facts(scene), separators=(",", ":")) if live else None
    label = f"StrideExplorer: {scene.code}"
    return framed(body, (scene.width, scene.height), label, theme, live, data_facts=data)


def _body(scene: Scene, live: bool) -> Iterator[str]:
    yield group("".join(_cards(scene.cards, live)), class_="tk-steps")
    for note in scene.notes:
        yield note_mark(note, live)
    yield _grid(scene.grid, scene, live)
    if scene.formula is not None:
        yield _formula(scene.formula, scene)
    yield _strip(scene.strip, scene, live)


def _cards(cards: tuple[Card, ...], live: bool) -> Iterator[str]:
    for k, card in enumerate(cards):
        if k:
            y = card.y + 41
            yield f'<path class="tk-then" d="M{num(card.x - 25)} {num(y)}h18m-6-5l6 5l-6 5"/>'
        kind = f"tk-step tk-{card.kind}" + (" tk-current" if card.current else "")
        most = min(26, int((card.width - len(card.kind) * 7.2 - 47.9) / (MONO * 17)))
        code = card.code if len(card.code) <= most else card.code[: most - 1] + "…"
        inside = f"<title>{escape(card.why, quote=False)}</title>" + rect(
            card.x, card.y, card.width, card.height, "tk-step-box", 10.0
        )
        inside += text(card.x + 14, card.y + 27, code, "tk-mono tk-step-code")
        right = card.x + card.width - 14
        inside += text(right, card.y + 26, card.kind, f"tk-kind tk-kind-{card.kind}", text_anchor="end")
        for n, line in enumerate(card.lines):
            inside += text(card.x + 14, card.y + 49 + 20 * n, line, "tk-mono tk-step-line")
        button = live and card.number is not None
        yield group(
            inside, class_=kind, data_role="step" if button else None, data_step=card.number,
            role="button" if button else None, tabindex=0 if button else None,
            aria_pressed=str(card.current).lower() if button else None,
            aria_label=f"step {card.number}: {card.code}, {card.kind}, {', '.join(card.lines)}. {card.why}"
            if button else None,
        )  # fmt: skip
        if button and card.number:
            yield _remove(card)


def _remove(card: Card) -> str:
    x, y = card.x + card.width - 27, card.y + card.height - 27
    inside = rect(x, y, 22, 22, "tk-remove-box", 6.0)
    inside += f'<path class="tk-then" d="M{num(x + 7)} {num(y + 7)}l8 8m0-8l-8 8"/>'
    return group(
        inside, data_role="remove", data_step=card.number, role="button", tabindex=0,
        aria_label=f"remove step {card.number}: {card.code}",
    )  # fmt: skip


def _grid(grid: Grid, scene: Scene, live: bool) -> str:
    parts = [axis_mark(axis, live) for axis in grid.axes]
    parts += [note_mark(note, live) for note in grid.notes]
    for facet in grid.facets:
        for h in facet.headers:
            on = " tk-on" if h.focus else ""
            parts.append(
                text(
                    h.x, h.y, h.text, f"tk-mono tk-header {dim_class(h.dim)}{on}", data_dim=h.dim,
                    data_position=h.position,
                    aria_hidden="true" if live else None,
                )
            )  # fmt: skip
        rows = [
            group("".join(element(c, live) for c in row), role="row" if live else None) for row in facet.rows
        ]
        where = f" at {list(facet.index)}" if facet.index else ""
        name = f"the tensor{where}, {len(facet.rows)} by {len(facet.rows[0])}"
        parts.append(
            group(
                "".join(rows),
                class_="tk-facet",
                role="grid" if live else None,
                aria_label=name if live else None,
            )
        )
    if grid.facets:
        cells = [cell for facet in grid.facets for row in facet.rows for cell in row]
        parts += [seams(cells), halo(cells)]
    return group("".join(parts), class_="tk-grid")


def _strip(strip: Strip, scene: Scene, live: bool) -> str:
    cells = "".join(slot_mark(cell, live) for cell in strip.cells)
    row = group(cells, role="row" if live else None)
    parts = [gap_mark(gap, live) for gap in strip.gaps]
    name = f"the storage, {scene.snapshot.meta.slots} slots" if live else None
    if strip.cells:
        parts.append(group(row, class_="tk-slots", role="grid" if live else None, aria_label=name))
        parts += [seams(strip.cells), halo(strip.cells)]
    side = scene.width if strip.lines > 1 else None
    arcs = "".join(_arcs(strip))
    parts.append(group(arcs, class_="tk-arcs", data_y=strip.top + 84, data_page=side, aria_hidden="true"))
    if strip.offset_x is not None:
        y = strip.offset_y
        x = num(strip.offset_x)
        mark = f'<path class="tk-offset-mark" d="M{x} {num(y)}l-8 14h16z"/>'
        words = f"offset {strip.offset}"
        if strip.offset_x + 14 + 9 * len(words) < scene.width:
            mark += text(strip.offset_x + 14, y + 13, words, "tk-strong")
        else:
            mark += text(strip.offset_x - 14, y + 13, words, "tk-strong", text_anchor="end")
        parts.append(group(mark, class_="tk-offset"))
    return group("".join(parts), class_="tk-strip")


def _arcs(strip: Strip) -> Iterator[str]:
    for arc in strip.arcs:
        kind = dim_class(arc.dim) + (" tk-strong" if arc.strong else "") + (" tk-bad" if arc.bad else "")
        yield f'<path class="tk-arc {kind}" d="{arc_path(arc.x1, arc.x2, arc.y, arc.lift, arc.part)}"/>'
        if arc.part == "out":
            continue
        x = arc.x2 if arc.x1 != arc.x2 else arc.x2 + 5
        yield f'<path class="tk-arc-head {kind}" d="M{num(x - 6)} {num(arc.y - 13)}h12l-6 11z"/>'
    for arc in strip.arcs:
        if arc.label:
            loop = arc.x1 == arc.x2
            y = arc.y - 40 if loop else arc.y - arc.lift - 5
            kind = f"tk-arc-label {dim_class(arc.dim)}" + (" tk-bad" if arc.bad else "")
            yield text((arc.x1 + arc.x2) / 2, y, arc.label, f"tk-mono {kind}")


def _formula(formula: Formula, scene: Scene) -> str:
    x, y, font = formula.x + 18, formula.y, formula.font
    inside = rect(formula.x, y, formula.width, formula.height, "tk-panel", 10.0)
    size = scene.snapshot.meta.size
    inside += f'<text class="tk-mono" x="{num(x)}" y="{num(y + 30)}" font-size="16">{_spoken(formula)}</text>'
    kinds = [f"tk-term {dim_class(d)}" + (" tk-unused" if size[d] == 1 else "") for d, _, _ in formula.terms]
    names = [
        span(f"{LETTERS[d % 10]}·stride[{d}]", k) for (d, _, _), k in zip(formula.terms, kinds, strict=True)
    ]
    values = [
        span(f"{i}·{s}" if s >= 0 else f"{i}·({s})", k, data_part=f"term-{d}")
        for (d, i, s), k in zip(formula.terms, kinds, strict=True)
    ]
    if formula.stacked:
        rows = _stacked(names, values, formula, x)
    else:
        both = (("offset", names), (str(formula.offset), values))
        rows = [_columns(["storage[", first], terms, formula, x) for first, terms in both]
    step = STEP if formula.stacked else 30
    for k, spans in enumerate(rows):
        inside += f'<text class="tk-mono" y="{num(y + 64 + step * k)}" font-size="{num(font)}">{spans}</text>'
    found = span("storage[") + span(str(formula.slot), data_part="slot") + span("] = ")
    found += span(formula.value, data_part="value")
    down = num(y + 66 + step * len(rows))
    inside += f'<text class="tk-mono tk-strong" x="{num(x)}" y="{down}" font-size="18">{found}</text>'
    for n, sentence in enumerate(formula.sentences):
        inside += text(formula.sentences_x, formula.sentences_y + 18 * n, sentence, "tk-muted")
    return group(inside, class_="tk-formula", data_role="formula")


def _spoken(formula: Formula) -> str:
    if not formula.terms:
        return span("the only element ", "tk-muted") + span("[]", "tk-strong") + span(" lives at", "tk-muted")
    out = span("element ", "tk-muted") + span("[", "tk-strong")
    for d, i, _ in formula.terms:
        out += (span(", ") if d else "") + span(str(i), f"tk-term {dim_class(d)}", data_part=f"index-{d}")
    return out + span("]", "tk-strong") + span(" lives at", "tk-muted")


def _stacked(names: list[str], values: list[str], formula: Formula, x: float) -> list[str]:
    """The lines of the formula as a sum: in each a name, and the number that stands for it."""
    left, right = formula.columns
    sign = left - 2 * formula.font * 0.602
    out = [
        span("storage[", x=x) + span("offset", x=left) + span(str(formula.offset), x=right),
        *(
            span("+", x=sign) + _at(name, left) + _at(value, right)
            for name, value in zip(names, values, strict=True)
        ),
    ]
    return [*out[:-1], out[-1] + span(" ]")]


def _at(span: str, x: float) -> str:
    return span.replace("<tspan", f'<tspan x="{num(x)}"', 1)


def _columns(opening: list[str], terms: list[str], formula: Formula, x: float) -> str:
    """The words of one formula line, each at the x of its column, so that the two lines stand under each other."""
    unit = formula.font * 0.602
    out = span(opening[0], x=x) + span(opening[1], x=formula.columns[0])
    for term, column in zip(terms, formula.columns[1:], strict=False):
        out += span("+", x=column - 2 * unit) + _at(term, column)
    return out + span("]", x=formula.columns[-1])
