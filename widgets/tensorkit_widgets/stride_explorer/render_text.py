"""A scene as text: what a screen reader, a terminal and a comparison of notebooks get. Deterministic, no addresses."""

from __future__ import annotations

from collections.abc import Sequence

from tensorkit_widgets.drawing.words import size_text
from tensorkit_widgets.stride_explorer.scene import Cell, Facet, Scene

__all__ = ["element_text", "render_text"]


def render_text(scene: Scene) -> str:
    """The text twin of a scene."""
    parts = [scene.code, *_steps(scene), "", _tensor_line(scene), *_facets(scene)]
    parts += ["  " + note.text for note in scene.grid.notes]
    if scene.snapshot.fault:
        return "\n".join([*parts, "", scene.snapshot.fault])
    if scene.focus is not None:
        parts += ["", element_text(scene)]
    parts += ["", *_storage(scene)]
    if scene.refusal is not None:
        parts += ["", *f"{scene.refusal.code} was refused: {scene.refusal.message}".split("\n")]
    return "\n".join([*parts, *scene.words])


def _steps(scene: Scene) -> list[str]:
    cards = [card for card in scene.cards if card.number is not None]
    codes = max(len(card.code) for card in cards)
    kinds = max(len(card.kind) for card in cards)
    sizes = max(len(card.lines[0]) for card in cards)
    out = []
    for card in cards:
        size, stride = card.lines[0], card.lines[1]
        line = f"  {card.code:<{codes}}  {card.kind:<{kinds}}  {size:<{sizes}}  {stride.replace(' +', ', offset ')}"
        out += [line, f"  {'':<{codes}}    {card.why}"] if card.number else [line]
    return out


def _tensor_line(scene: Scene) -> str:
    meta = scene.snapshot.meta
    words = f"the tensor: size {size_text(meta.size)}, {meta.dtype}, on {meta.device}"
    if meta.size and 0 not in meta.size:
        strides = ", ".join(f"dim {d} has stride {s}" for d, s in enumerate(meta.stride))
        words += f"; {strides}"
    return words


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    return [
        "  " + "  ".join(f"{item:>{w}}" for item, w in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _shown(cell: Cell) -> str:
    return f"[{cell.text}]" if cell.focus else f"{cell.text} " if cell.text else ""


def _facets(scene: Scene) -> list[str]:
    out: list[str] = []
    for facet in scene.grid.facets:
        if facet.index:
            out.append(f"  {list(facet.index)}")
        out += _facet(facet)
    return out


def _facet(facet: Facet) -> list[str]:
    first = facet.rows[0][0].index or ()
    columns = [str(cell.index[-1]) + " " if cell.index else "" for cell in facet.rows[0]]
    down = len(first) > 1
    rows = [["", *columns]] if columns[0] else []
    for row in facet.rows:
        head = str((row[0].index or (0, 0))[-2]) if down else ""
        rows.append([head, *map(_shown, row)])
    return _table(rows)


def element_text(scene: Scene) -> str:
    """The filled-in formula of the element in focus, as one sentence."""
    formula = scene.formula
    if formula is None:
        return ""
    terms = "".join(f" + {i}·{s}" if s >= 0 else f" + {i}·({s})" for _, i, s in formula.terms)
    where = f"storage[{formula.offset}{terms}] = " if formula.terms else ""
    return f"element {list(formula.index)} lives at {where}storage[{formula.slot}] = {formula.value}"


def _storage(scene: Scene) -> list[str]:
    meta = scene.snapshot.meta
    out = [f"the storage: {meta.slots:,} × {meta.dtype}, {meta.nbytes:,} bytes; offset {meta.offset}"]
    if not scene.strip.cells:
        return out
    rows: list[list[str]] = [["slot"], ["value"], ["read by"]]
    seen = 0
    for cell in scene.strip.cells:
        if cell.slot != seen:
            _append(rows, "…", "", "")
        seen = cell.slot + 1
        _append(rows, f"{cell.slot} ", _shown(cell), f"{cell.readers} " if cell.readers else "- ")
    if seen < meta.slots:
        _append(rows, "…", "", "")
    return out + _table(rows)


def _append(rows: list[list[str]], *items: str) -> None:
    for row, item in zip(rows, items, strict=True):
        row.append(item)
