"""A result that is being computed: its numbers as far as they are known, and dots for what is still to come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tensorkit_widgets.drawing.parts import Table, Tile
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.number_text import full, short

Number = bool | int | float | complex


def index_of(key: str) -> Ints:
    """The index in a tile's key.

    >>> index_of("a:1,2")
    (1, 2)
    """
    return tuple(int(part) for part in key.partition(":")[2].split(","))


def unfinished(
    table: Table, known: Mapping[Ints, Number], busy: Callable[[Ints], bool], dtype: str, name: str
) -> Table:
    """The table of a result with only what is ``known`` in it.

    Args:
        table: the whole result.
        known: its numbers so far, by their index.
        busy: whether the element at an index is in work at this moment.
        dtype, name: of the result.
    """

    def dressed(tile: Tile) -> Tile:
        index = index_of(tile.key)
        if index not in known:
            return replace(
                tile, text="·", full="", kinds=("blank",), label=f"{name}{list(index)}, not yet computed"
            )
        words, exact = short(known[index], dtype), full(known[index], dtype)
        kinds = ("lit",) if busy(index) else ()
        return replace(tile, text=words, full=exact, kinds=kinds, label=f"{name}{list(index)} is {exact}")

    return replace(table, rows=tuple(tuple(dressed(tile) for tile in row) for row in table.rows))
