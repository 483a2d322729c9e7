"""A sharded tensor as a matrix of blocks: each in the colour of its rank, with its number; copies lie on one another.

>>> edges([0, 4, 7], 70.0, 0.0)
{0: 0.0, 4: 40.0, 7: 70.0}
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor

from tensorkit.distributed.tensor.layout import Box, Layout, Move, common
from tensorkit.distributed.tensor.placement_types import Partial, Shard
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import Table, Tile
from tensorkit_widgets.shard_map.words import box_words, span, sum_sign
from tensorkit_widgets.snapshot.geometry import Ints

LEAST = 22.0
"""The narrowest block: its number can be read."""
GUTTER, HEAD = 62.0, 24.0
"""What the numbers of rows and columns need beside the blocks and above them."""
LONGEST = 11
"""Characters that the numbers of rows have room for."""
SHIFT, SHIFTED = 26.0, 112.0
"""How far a copy lies from the next, and all of them together at the most."""

Area = tuple[int, int, int, int]
"""First and last row, first and last column: of the two dimensions that are drawn."""


def drawn_dims(layouts: Sequence[Layout]) -> tuple[int | None, int | None]:
    """Which dimensions run down and across: the ones that are cut, before the last ones."""
    many = len(layouts[0].size)
    if many < 2:
        return None, 0 if many else None
    cut = [p.dim for layout in layouts for p in layout.placements if isinstance(p, Shard)]
    first, second = sorted(list(dict.fromkeys([*cut, *reversed(range(many))]))[:2])
    return first, second


def edges(cuts: Iterable[int], room: float, least: float) -> dict[int, float]:
    """Where the cuts of a dimension are on the page: in proportion, but for what a narrow piece needs."""
    places = sorted(set(cuts))
    free = max(0.0, room - least * (len(places) - 1))
    least = min(least, room / max(len(places) - 1, 1))
    total, out, at = max(places[-1] - places[0], 1), {places[0]: 0.0}, 0.0
    for a, b in pairwise(places):
        at += least + free * (b - a) / total
        out[b] = round(at, 2)
    return out


@dataclass(frozen=True, slots=True)
class View:
    """What is drawn of a layout: its ranks, the pieces that each cuts its part into, and those that are lit.

    ``absent`` are the ranks that no worker has.
    """

    layout: Layout
    ranks: range
    dims: tuple[int | None, int | None]
    pieces: tuple[tuple[int, Box], ...] = ()
    lit: tuple[tuple[int, Box], ...] = ()
    absent: frozenset[int] = frozenset()

    def area(self, box: Box) -> Area:
        """A box as rows and columns."""
        (a, b), (c, d) = ((0, 1) if dim is None else box[dim] for dim in self.dims)
        return a, b, c, d

    def of(self, rank: int) -> list[Box]:
        """The pieces of a rank: its whole part where it is not cut, or lies among copies."""
        own = self.layout.box(rank)
        if any(a == b for a, b in own):
            return []
        same = [other for other in self.ranks if self.area(self.layout.box(other)) == self.area(own)]
        mine = {self.area(box): box for one, box in self.pieces if one == rank}
        return [mine[area] for area in sorted(mine)] if len(same) == 1 and mine else [own]


@dataclass(frozen=True, slots=True)
class Grid:
    """The blocks, with where they end on the page; ``keys`` names the tile of each rank and piece."""

    table: Table
    notes: tuple[Note, ...]
    bottom: float
    keys: dict[tuple[int, Box], str]


def blocks(view: View, key: str, x: float, y: float, room: tuple[float, float], label: str) -> Grid:
    """The blocks in a part of the page, (width, height) with the numbers of rows and columns."""
    boxes = [(rank, box) for rank in view.ranks for box in view.of(rank)]
    areas = {(rank, box): view.area(box) for rank, box in boxes}
    groups: dict[Area, list[int]] = {}
    for (rank, _), area in areas.items():
        groups.setdefault(area, []).append(rank)
    deep = max(map(len, groups.values()), default=1)
    size = [1 if dim is None else view.layout.size[dim] for dim in view.dims]
    rows = sorted({0, size[0], *(n for area in groups for n in area[:2])})
    columns = sorted({0, size[1], *(n for area in groups for n in area[2:])})
    flat, wide, high = view.dims[0] is None, room[0] - GUTTER, room[1] - HEAD
    # Copies leave each block at least as much as its number needs.
    spare = min(wide / max(len(columns) - 1, 1), high / max(len(rows) - 1, 1)) - LEAST
    shift = max(0.0, min(SHIFT * (deep - 1), SHIFTED if deep > 1 else 0.0, spare))
    left, top = x + GUTTER, y + HEAD
    down = edges(rows, 64.0 + shift if flat else high, LEAST + shift)
    across = edges(columns, wide, LEAST + shift)
    tiles, keys = [], dict[tuple[int, Box], str]()
    for rank, box in boxes:
        a, b, c, d = area = areas[rank, box]
        place = groups[area].index(rank)
        step = shift / max(deep - 1, 1)
        inset = step * (len(groups[area]) - 1)
        box_size = across[d] - across[c] - inset, down[b] - down[a] - inset
        spot = (left + across[c] + place * step, top + down[a] + inset - place * step, *box_size)
        keys[rank, box] = f"{key}:{rank}:{sum(one == rank for one, _ in keys)}"
        tiles.append(_block(view, rank, box, keys[rank, box], spot, groups[area]))
    notes = _numbers(left, top, down, across, flat)
    table = Table(key, label, (tuple(tiles),) if tiles else (), told=False)
    return Grid(table, tuple(notes), top + max(down.values()), keys)


def _block(
    view: View, rank: int, box: Box, key: str, spot: tuple[float, float, float, float], group: Sequence[int]
) -> Tile:
    x, y, wide, tall = spot
    partial = next((p for p in view.layout.placements if isinstance(p, Partial)), None)
    front = rank == group[-1]
    sign = (
        f"{sum_sign(partial.reduce_op)} "
        if partial and rank != group[0] and _adds(view.layout, rank, group)
        else ""
    )
    what = "a part to be added of" if partial else "a copy of" if len(group) > 1 else ""
    said = f"rank {rank} holds {what} {box_words(view.layout.size, box)}".replace("  ", " ")
    kinds: tuple[str, ...] = ("off" if partial else "on",)
    if rank in view.absent:
        kinds, said = ("waits",), f"{said}; it has no worker"
    if any(one == rank and within(part, box) for one, part in view.lit):
        kinds = (*kinds, "changed")
    text = f"{sign}{rank}"
    font = font_for(text, wide, min(30.0, tall * 0.5))
    shown = text if front else ""
    return Tile(key, x, y, wide, tall, shown, said, kinds, tag="" if front else text, font=font,
                dim=rank, full=said)  # fmt: skip


def _adds(layout: Layout, rank: int, group: Sequence[int]) -> bool:
    """Whether a rank has another part than those under it, and no copy."""

    def part(one: int) -> Ints:
        pairs = zip(layout.placements, layout.where(one), strict=True)
        return tuple(at for placement, at in pairs if isinstance(placement, Partial))

    return part(rank) not in map(part, group[: group.index(rank)])


def _numbers(
    left: float, top: float, down: dict[int, float], across: dict[int, float], flat: bool
) -> Iterable[Note]:
    """The rows and columns of each block, where there is room for them."""
    rows, columns = list(down.items()), list(across.items())
    for (a, y1), (b, y2) in pairwise(rows):
        if not flat and y2 - y1 >= 16:
            words = span(a, b) if len(span(a, b)) <= LONGEST else f"{a:,}"
            yield Note(left - 8, top + (y1 + y2) / 2 + 5, words, "small", "end")
    for (a, x1), (b, x2) in pairwise(columns):
        words = span(a, b)
        words = words if x2 - x1 >= 7.6 * len(words) + 8 else f"{a:,}"
        if x2 - x1 >= 7 * len(words):
            yield Note(left + (x1 + x2) / 2, top - 8, words, "small", "middle")


def within(part: Box, box: Box) -> bool:
    """Whether elements are among those of a box."""
    return not part or common(part, box) == part


def of_moves(moves: Iterable[Move], source: bool) -> tuple[tuple[int, Box], ...]:
    """The pieces of messages, each with the rank that sends or receives it."""
    return tuple((one.source if source else one.target, one.box) for one in moves)


def font_for(text: str, width: float, most: float, least: float = 7.0) -> float:
    """How large a text is in a box: as large as its width allows."""
    return max(least, floor(min(most, (width - 9) / (max(len(text), 1) * MONO)) * 10) / 10)
