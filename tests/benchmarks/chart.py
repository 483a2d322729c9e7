"""Rows of a table as one picture: a bar for each, on a scale of powers of ten. Written by hand: nothing is imported."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from tests.benchmarks.measure import Row

_LEFT, _WIDE, _HIGH = 260, 360, 26


def chart(title: str, rows: Sequence[Row]) -> str:
    """An SVG with a bar for each row, as long as the logarithm of its value; each says its number beside it.

    >>> from tests.benchmarks.measure import Row
    >>> chart("Faster", [Row("one call", 100.0, "× faster", "")]).count("<rect")
    1
    """
    most = max(1.0, *(math.ceil(math.log10(max(row.value, 1.0))) for row in rows)) if rows else 1.0
    height = 60 + _HIGH * len(rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {height}" font-family="sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        f'<text x="10" y="24" font-size="16">{escape(title)}</text>',
    ]
    for number, row in enumerate(rows):
        lines += _bar(row, 44 + _HIGH * number, most)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _bar(row: Row, top: int, most: float) -> list[str]:
    long = round(_WIDE * max(0.01, math.log10(max(row.value, 1.0)) / most), 1)
    told = f"<title>{escape(row.detail)}</title>"
    return [
        f'<text x="{_LEFT - 10}" y="{top + 14}" text-anchor="end">{escape(row.name)}</text>',
        f'<rect x="{_LEFT}" y="{top}" width="{long}" height="18" fill="#3b6ea8">{told}</rect>',
        f'<text x="{_LEFT + long + 8}" y="{top + 14}">{row.value:,.3g} {escape(row.unit)}</text>',
    ]
