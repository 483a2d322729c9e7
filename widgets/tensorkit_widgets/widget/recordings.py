"""What a cell shows, for a page without the engine that draws it: the steps of its pictures."""

from __future__ import annotations

import json
from collections.abc import Container

from tensorkit_widgets.widget import cell_hook
from tensorkit_widgets.widget.board import Board
from tensorkit_widgets.widget.saved_page import part


def recordings(cell: str, playing: Container[str]) -> str:
    """The pictures that a cell shows, in their order, as JSON: the steps of each; null for one that plays on a page.

    Args:
        cell: the cell's id, as JupyterLab names it.
        playing: the classes whose pictures play on a page.
    """
    shown = [
        one for one, origin in cell_hook.cells.items() if cell in origin.shown and isinstance(one, Board)
    ]
    steps = (None if type(one).__name__ in playing else part(one.recorded(between=False)) for one in shown)
    return json.dumps(list(steps))
