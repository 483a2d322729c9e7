"""The text twin: what a screen reader, a terminal and a comparison of notebooks get. Deterministic, no addresses."""

from __future__ import annotations

from collections.abc import Sequence

from tensorkit_widgets.drawing.parts import Formula, Tile
from tensorkit_widgets.snapshot.adapter import Snapshot
from tensorkit_widgets.snapshot.geometry import readers
from tensorkit_widgets.snapshot.number_text import size_text
from tensorkit_widgets.snapshot.view_chain import Link
from tensorkit_widgets.stride_explorer.scene import StrideSheet


def chain_said(links: Sequence[Link]) -> str:
    """What the last step of a chain gives, as one sentence."""
    step = links[-1].step
    where = f"size {size_text(step.size)}, stride {size_text(step.stride)}, offset {step.offset}"
    if len(links) == 1:
        return f"{step.code}: {where}" + (f"; {step.why}" if links[-1].meta.turned else "")
    return f"{step.code} gives a {step.kind}: {where}; {step.why}"


def text_twin(sheet: StrideSheet) -> str:
    """The picture as text."""
    meta = sheet.snapshot.meta
    line = f"the tensor: size {size_text(meta.size)}, {meta.dtype}, on {meta.device}"
    if meta.size and 0 not in meta.size:
        line += "; " + ", ".join([f"dim {d} has stride {s}" for d, s in enumerate(meta.stride)])
    parts = [sheet.title, *_steps(sheet), "", line, *_matrices(sheet)]
    parts += ["  " + note.text for note in sheet.tensor.notes]
    if sheet.snapshot.fault:
        return "\n".join([*parts, "", sheet.snapshot.fault])
    if sheet.formula is not None:
        parts += ["", element_text(sheet.formula)]
    parts += ["", *_storage(sheet.snapshot, sheet.storage.tiles)]
    if sheet.refusal is not None:
        parts += ["", *f"{sheet.refusal.code} was refused: {sheet.refusal.message}".split("\n")]
    return "\n".join([*parts, *sheet.words])


def _steps(sheet: StrideSheet) -> list[str]:
    cards = [card for card in sheet.cards if card.number is not None]
    codes = max(len(card.code) for card in cards)
    kinds = max(len(card.kind) for card in cards)
    sizes = max(len(card.lines[0]) for card in cards)
    out = []
    for card in cards:
        size, stride = card.lines[0], card.lines[1]
        line = f"  {card.code:<{codes}}  {card.kind:<{kinds}}  {size:<{sizes}}  {stride.replace(' +', ', offset ')}"
        out += [line, f"  {'':<{codes}}    {card.why}"] if card.number else [line]
    return out


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    return [
        "  " + "  ".join(f"{item:>{w}}" for item, w in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _shown(tile: Tile) -> str:
    return f"[{tile.text}]" if "lit" in tile.kinds else f"{tile.text} " if tile.text else ""


def _matrices(sheet: StrideSheet) -> list[str]:
    out: list[str] = []
    matrices: dict[tuple[int, ...], list[tuple[Tile, ...]]] = {}
    for row in sheet.tensor.rows:
        matrices.setdefault((row[0].index or ())[:-2], []).append(row)
    for lead, rows in matrices.items():
        out += [f"  {list(lead)}"] if lead else []
        columns = [f"{tile.index[-1]} " if tile.index else "" for tile in rows[0]]
        lines = [["", *columns]] if columns[0] else []
        for row in rows:
            index = row[0].index or ()
            lines.append([str(index[-2]) if len(index) > 1 else "", *map(_shown, row)])
        out += _table(lines)
    return out


def element_text(formula: Formula) -> str:
    """The filled-in formula of the element in focus, as one sentence."""
    terms = "".join([f" + {i}·{s}" if s >= 0 else f" + {i}·({s})" for _, i, s in formula.terms])
    where = f"storage[{formula.offset}{terms}] = " if formula.terms else ""
    return f"element {list(formula.index)} lives at {where}storage[{formula.slot}] = {formula.value}"


def _storage(snapshot: Snapshot, slots: Sequence[Tile]) -> list[str]:
    meta = snapshot.meta
    out = [f"the storage: {meta.slots:,} × {meta.dtype}, {meta.nbytes:,} bytes; offset {meta.offset}"]
    if not slots:
        return out
    columns: list[tuple[str, str, str]] = [("slot", "value", "read by")]
    seen = 0
    for tile in slots:
        slot = tile.slot or 0
        if slot != seen:
            columns.append(("…", "", ""))
        seen = slot + 1
        many = 0 if "grey" in tile.kinds else readers(slot, meta.size, meta.stride, meta.offset)
        columns.append((f"{slot} ", _shown(tile), f"{many} " if many else "- "))
    if seen < meta.slots:
        columns.append(("…", "", ""))
    return out + _table([list(row) for row in zip(*columns, strict=True)])
