"""How much of a page's width a sheet needs: what needs little is drawn on a narrower page, and so larger."""

from __future__ import annotations

from collections.abc import Container

from tensorkit_widgets.scene.sheet import PAGE, Sheet

__all__ = ["page_for"]

PAGES = (640.0, 720.0, 800.0, 880.0)
"""The widths of the narrower pages."""

MARGIN = 28.0
WIDTHS = {"title": 11.5, "heading": 9.4, "big": 10.5}
"""Width of a character, by the role of its note; other words are narrower, and broken into lines to fit."""


def page_for(sheet: Sheet, free: Container[str] = ()) -> float:
    """The narrowest page that holds a sheet, but for the tables ``free``, which fill what there is.

    >>> page_for(Sheet("x", "nothing", 10.0))
    640.0
    """
    needed = _needed(sheet, free)
    return next((page for page in PAGES if needed <= page), PAGE)


def _needed(sheet: Sheet, free: Container[str]) -> float:
    right = [table.right for table in sheet.tables if table.key not in free]
    for table in sheet.tables:
        if table.key not in free:
            right += [max(axis.x1, axis.x2) for axis in table.axes]
            right += [axis.x1 + 7.4 * len(axis.label) for axis in table.axes if not axis.vertical]
            right += [note.x + 6.6 * len(note.text) for note in table.notes]
    for note in sheet.notes:
        if note.role in WIDTHS and note.anchor == "start":
            right.append(note.x + WIDTHS[note.role] * len(note.text) + 6.8 * len(note.after))
    return max(right, default=0.0) + MARGIN
