"""Small pieces of SVG text: escaped, rounded, without ids, so that the same scene is always the same bytes."""

from __future__ import annotations

import re
from html import escape

_UNDRAWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def drawable(text: str) -> str:
    """The text without what no picture, page or message can hold: control characters and halves of characters.

    >>> drawable("a\\x00b") == "a\ufffdb"
    True
    """
    return _UNDRAWABLE.sub("\ufffd", text)


def num(value: float) -> str:
    """A coordinate, two places at most.

    >>> num(12.0), num(1 / 3)
    ('12', '0.33')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def path(template: str, *values: float) -> str:
    """Commands of a path with their coordinates, two places at most.

    >>> path("M{} {}h18", 12.0, 1 / 3)
    'M12 0.33h18'
    """
    return template.format(*[f"{value:.2f}".rstrip("0").rstrip(".") for value in values])


def attributes(**values: object) -> str:
    """``class_="a", data_x=1`` → `` class="a" data-x="1"``, escaped; None is left out."""
    out = []
    for key, value in values.items():
        if value is None:
            continue
        shown = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else escape(str(value))
        out.append(f' {key.rstrip("_").replace("_", "-")}="{shown}"')
    return "".join(out)


def rect(x: float, y: float, width: float, height: float, class_: str, rx: float | None = None) -> str:
    """A rectangle."""
    box = attributes(class_=class_, x=float(x), y=float(y), width=float(width), height=float(height), rx=rx)
    return f"<rect{box}/>"


def text(x: float, y: float, words: str, class_: str, **more: object) -> str:
    """A line of text, escaped."""
    return f"<text{attributes(class_=class_, x=float(x), y=float(y), **more)}>{escape(words, quote=False)}</text>"


def group(inside: str, **values: object) -> str:
    """A group with attributes."""
    return f"<g{attributes(**values)}>{inside}</g>"


def arc_path(x1: float, x2: float, y: float, lift: float, part: str = "") -> str:
    """A hop from one slot to another; a loop when it comes back to where it was. ``part`` is that of an `Arc`."""
    curve = "M{} {}C{} {} {} {} {} {}"
    high, middle, top = y - lift, (x1 + x2) / 2, y - lift * 1.33
    if part == "out":
        return path(curve, x1, y - 2, x1, high, middle, high, x2, high)
    if part:
        return path(curve, x1, high, middle, high, x2, high, x2, y - 11)
    if x1 == x2:
        return path(curve, x1 - 5, y - 2, x1 - 24, y - 44, x1 + 24, y - 44, x1 + 5, y - 12)
    return path(curve, x1, y - 2, x1, top, x2, top, x2, y - 11)
