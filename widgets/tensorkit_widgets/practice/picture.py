"""The picture in which a prediction is given: a storage whose slots, or a tensor whose elements, are pressed.

>>> picture = Picture(tk.arange(6.0).view(2, 3), "slot")
>>> picture.svg(4, 5).count('class="tk-tile')
6
>>> picture.hint()
'Press the slot, or move to it with the arrow keys and press Enter.'
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from functools import cached_property
from html import escape
from typing import Any

from tensorkit_widgets.drawing.grid import Dress
from tensorkit_widgets.drawing.sheet import Sheet, tensor_table
from tensorkit_widgets.drawing.strip import strip_table
from tensorkit_widgets.practice.kinds import Pick
from tensorkit_widgets.render.esm import static
from tensorkit_widgets.render.palette import live_css
from tensorkit_widgets.render.sheet import render_sheet
from tensorkit_widgets.snapshot.adapter import Snapshot, describe, look
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.window import Window

_WIDTH, _MARGIN, _MOST = 620.0, 8.0, 64
_ARC = 34.0  # the browser draws a step as an arc over the slots
_HINTS = {
    "slot": "Press the slot, or move to it with the arrow keys and press Enter.",
    "step": "Press the slot where the step starts, then the one where it ends. Enter does what a press does.",
    "cells": "Press an element to choose it, and press it again to take it out. Enter does what a press does.",
}
PICTURE_CSS = live_css(".tk-pick") + static("scene.css") + static("sheet.css")


class Picture:
    """A small tensor, drawn so that something in it can be chosen; see `Predict` for what `pick` may be.

    Raises `ValueError` for another `pick`, and for a tensor of more than 64 elements or slots.
    """

    def __init__(self, tensor: Any, pick: Pick) -> None:
        if pick not in _HINTS:
            raise ValueError(f"pick must be one of {', '.join(_HINTS)}, not {pick!r}")
        self.pick = pick
        meta = describe(tensor)
        if meta.slots > _MOST or meta.fault:
            raise ValueError(
                f"a picture to choose in has at most {_MOST} slots; this storage has {meta.slots}"
            )
        self._tensor = tensor

    @cached_property
    def _seen(self) -> Snapshot:
        """What the tensor holds when the card is made: a picture that changed later would ask something else."""
        meta = describe(self._tensor)
        return look(self._tensor, Window((0,) * len(meta.size), meta.size), ((0, meta.slots),))

    @property
    def slots(self) -> int:
        """How many slots the storage has."""
        return self._seen.meta.slots

    def in_order(self, numbers: object) -> object:
        """Numbers of elements in reading order, however they were given; what is in no element comes last.

        >>> Picture(tk.tensor([4.0, 9.0, 2.0]), "cells").in_order((2, 9, 5))
        (9, 2, 5)
        """
        places: dict[object, int] = {number: place for place, number in enumerate(self._seen.grid)}
        return tuple(sorted(_row(numbers), key=lambda number: places.get(number, len(places))))

    def strangers(self, numbers: object) -> tuple[object, ...]:
        """Those of some numbers that no element has."""
        return tuple(number for number in _row(numbers) if number not in self._seen.grid)

    def hint(self) -> str:
        """How something is chosen, in a sentence."""
        return _HINTS[self.pick]

    def svg(self, said: object = None, truth: object = None, *, live: bool = True) -> str:
        """The drawing; with `truth`, what is right is marked in it, and what was `said` beside that as wrong."""
        grid = self.pick == "cells"
        dress = Dress(kinds=lambda index: self._kinds(index, said, truth), tags=False)
        inner = _WIDTH - 2 * _MARGIN
        if grid:
            table = tensor_table("t", self._seen, _MARGIN, _MARGIN, inner, dress)
            # The first of these pictures comes before strides do.
            table = replace(table, axes=tuple(replace(axis, label=f"dim {axis.dim}") for axis in table.axes))
        else:
            above = _ARC if self.pick == "step" else 0.0
            table = strip_table("s", self._seen, _MARGIN, _MARGIN + above, inner, dress)
        name = "The elements" if grid else "The storage"
        sheet = Sheet(name, self.hint(), table.bottom + _MARGIN, (table,), width=_WIDTH)
        return render_sheet(sheet, live=live)

    def _kinds(self, index: Ints, said: object, truth: object) -> tuple[str, ...]:
        if truth is None or self.pick == "step":
            return ()
        number = self._number(index)
        right, chosen = number in _row(truth), number in _row(said)
        return ("good",) if right else ("bad",) if chosen else ()

    def _number(self, index: Ints) -> object:
        """What an element or a slot is called in the answer: an element by its number, a slot by its place."""
        if self.pick != "cells":
            return index[0]
        place = 0
        for size, at in zip(self._seen.meta.size, index, strict=True):
            place = place * size + at
        return self._seen.grid[place]

    def part(self, said: object, truth: object, *, live: bool, revealed: bool) -> str:
        """The picture as a part of the card: to choose in, or to look at."""
        shown = truth if revealed else None
        if not live:
            data = b64encode(self.svg(said, shown, live=False).encode()).decode("ascii")
            words = escape(f"{'The elements' if self.pick == 'cells' else 'The storage'}, to choose in.")
            return (
                f'<p><img alt="{words}" style="max-width: 100%" src="data:image/svg+xml;base64,{data}"></p>'
            )
        if revealed:
            return f'<div class="tk-pick">{self.svg(said, shown)}</div>'
        hint = f'<p class="tk-note">{escape(self.hint())}</p>'
        return f'<div class="tk-pick" data-pick="{self.pick}">{self.svg()}</div>{hint}'


def _row(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else (value,)
