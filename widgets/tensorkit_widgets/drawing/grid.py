"""The tensor as matrices: where every tile, header and dimension arrow stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product

from tensorkit_widgets.drawing.parts import Axis, Header, Note, Table, Tile
from tensorkit_widgets.snapshot.adapter import Link, Snapshot
from tensorkit_widgets.snapshot.geometry import Ints, slot_of, slots_at
from tensorkit_widgets.snapshot.number_text import exact_texts, size_text, stored, texts

MONO = 0.602
"""Width of a monospaced character as a part of its size, for the widest of the usual faces."""


@dataclass(frozen=True, slots=True)
class Dress:
    """How the tiles of a tensor look and what they do, each a function of the element's index (or of the slot).

    ``link`` says whose slots they show, for the pictures of the same storage; None links nothing. ``tags`` writes the
    slot into each element's corner; ``box`` fixes the width, height and text size of the tiles.
    """

    kinds: Callable[[Ints], tuple[str, ...]] | None = None
    kin: Callable[[Ints], tuple[str, ...]] | None = None
    label: Callable[[Ints, str], str] | None = None
    action: str = ""
    link: Link | None = None
    tags: bool = True
    box: tuple[float, float, float] | None = None


BARE = Dress()
"""No marks, no links, nothing to press."""


def _cell_box(
    rows: int, columns: int, dims: int, depth: int, longest: int, room: float
) -> tuple[float, float, float]:
    """Width, height and text size of a cell: the numbers as large as there is room for."""
    large = dims <= 2 and rows <= 4 and columns <= 8
    height = 50.0 if large else 44.0
    font = 22.0 if large else 18.0
    # Two matrices side by side explain a third dimension better than one above the other.
    halves = depth > 1 and columns <= 8 and room > 600
    room = ((room - 34) / 2 if halves else room) / max(columns, 1)
    while font > 11 and longest * MONO * font + 14 > room:
        font -= 1
    return min(room, max(height, longest * MONO * font + 14)), height, font


class _Plan:
    """The measures of one grid, worked out once; its left edge is ``x``, its arrows above it begin at ``y``."""

    def __init__(
        self, snapshot: Snapshot, x: float, y: float, width: float, box: tuple[float, float, float] | None
    ) -> None:
        self.snapshot, self.meta, self.window = snapshot, snapshot.meta, snapshot.window
        count, dtype = self.window.count, snapshot.meta.dtype
        self.dims = len(count)
        self.left = x + (64 if self.dims > 1 else 8)  # where an arrow runs down the page it needs room
        room = width - 64
        self.rows = count[-2] if self.dims > 1 else 1
        self.columns = count[-1] if self.dims else 1
        self.depth = count[-3] if self.dims > 2 else 1
        self.texts = texts(snapshot.grid, dtype)
        self.exact = exact_texts(snapshot.grid, dtype)
        longest = max(map(len, self.texts), default=1)
        self.width, self.height, self.font = box or _cell_box(
            self.rows, self.columns, self.dims, self.depth, longest, room
        )
        self.wide = self.columns * self.width
        self.across = max(1, min(self.depth, int((room + 34) // (self.wide + 34))))
        self.top = y + (0 if self.dims == 0 else 44) + (50 if self.dims > 2 else 0)

    def corner(self, matrix: int) -> tuple[float, float]:
        """Top left of a matrix."""
        line, place = divmod(matrix, self.across)
        return self.left + place * (self.wide + 34), self.top + line * (self.rows * self.height + 44)


def tensor_table(
    key: str, snapshot: Snapshot, x: float, y: float, width: float, dress: Dress = BARE, name: str = ""
) -> Table:
    """The visible window of a tensor as matrices with its dimension arrows, in a part of the page.

    The tiles are called ``key:0,1`` after their index; ``name`` is what the tensor is called in words.
    """
    meta, name = snapshot.meta, name or key
    label = f"{name}, size {size_text(meta.size)}, {meta.dtype}"
    if 0 in meta.size:
        words = f"no elements: its size {size_text(meta.size)} has a 0, so there is nothing to show"
        return Table(key, label, (), notes=(Note(x, y + 26, words, "body"),))
    plan = _Plan(snapshot, x, y, width, dress.box)
    rows: list[tuple[Tile, ...]] = []
    headers: list[Header] = []
    for matrix in range(plan.depth):
        left, top = plan.corner(matrix)
        rows += _rows(plan, key, dress, name, matrix)
        headers += _headers(plan, matrix, left, top)
    notes = _left_out(plan, rows[-1][-1].y + plan.height)
    return Table(key, label, tuple(rows), tuple(headers), tuple(_axes(plan)), (), tuple(notes))


def _rows(plan: _Plan, key: str, dress: Dress, name: str, matrix: int) -> list[tuple[Tile, ...]]:
    meta, window, grid = plan.meta, plan.window, plan.snapshot.grid
    left, top = plan.corner(matrix)
    lead = window.origin[: max(plan.dims - 2, 0)]
    if plan.dims > 2:
        lead = (*lead[:-1], lead[-1] + matrix)
    rows = []
    for r in range(plan.rows):
        indices = [(*lead, *inner) for inner in _row(plan, r)]
        tiles = []
        for c, slot in enumerate(slots_at(indices, meta.stride, meta.offset)):
            index, at = indices[c], (matrix * plan.rows + r) * plan.columns + c
            known = at < len(grid)
            text, exact = (plan.texts[at], plan.exact[at]) if known else ("?", "unknown")
            said = f"{name}{list(index)} is {exact}, slot {slot}"
            tiles.append(
                Tile(
                    f"{key}:{','.join(map(str, index))}", left + c * plan.width, top + r * plan.height, plan.width,
                    plan.height, text, dress.label(index, exact) if dress.label else said,
                    dress.kinds(index) if dress.kinds else (), dress.kin(index) if dress.kin else (),
                    str(slot) if dress.tags else "", link=dress.link, slot=slot if dress.link is not None else None,
                    action=dress.action, full=exact, font=plan.font, index=index,
                    stored=stored(grid[at], meta.dtype, meta.turned) if known and meta.turned else "",
                )
            )  # fmt: skip
        rows.append(tuple(tiles))
    return rows


def _row(plan: _Plan, row: int) -> list[Ints]:
    """The inner indices of a row of a matrix."""
    origin, columns = plan.window.origin, range(plan.columns)
    if plan.dims < 2:
        return [(origin[0] + c,) for c in columns] if plan.dims else [()]
    return [(origin[-2] + row, origin[-1] + c) for c in columns]


def _headers(plan: _Plan, matrix: int, left: float, top: float) -> list[Header]:
    origin, dims = plan.window.origin, plan.dims
    out: list[Header] = []
    if dims:
        for c in range(plan.columns):
            p = origin[-1] + c
            out.append(Header(left + (c + 0.5) * plan.width, top - 9, dims - 1, p, str(p)))
    if dims > 1 and matrix % plan.across == 0:
        for r in range(plan.rows):
            p = origin[-2] + r
            out.append(Header(left - 18, top + (r + 0.5) * plan.height + 5, dims - 2, p, str(p)))
    if dims > 2:
        p = origin[-3] + matrix
        text = "[" + ", ".join(map(str, (*origin[: dims - 3], p))) + "]"
        above = 62 if matrix < plan.across else 26
        out.append(Header(left + 4 + 4.0 * len(text), top - above, dims - 3, p, text))
    return out


def _axis(plan: _Plan, dim: int, line: tuple[float, float, float, float]) -> Axis:
    meta = plan.meta
    label = f"dim {dim} · stride {meta.stride[dim]}"
    return Axis(dim, meta.size[dim], meta.stride[dim], *line, label, meta.size[dim] == 1)


def _axes(plan: _Plan) -> list[Axis]:
    dims, (left, top) = plan.dims, plan.corner(0)
    out = []
    if dims > 2:
        far = left + plan.across * (plan.wide + 34) - 42
        out.append(_axis(plan, dims - 3, (left, top - 82, max(far, left + 60), top - 82)))
    if dims > 1:
        down = top + max(plan.rows * plan.height, 60)
        out.append(_axis(plan, dims - 2, (left - 42, top + 4, left - 42, down - 4)))
    if dims:
        out.append(_axis(plan, dims - 1, (left + 4, top - 29, left + max(plan.wide, 60) - 4, top - 29)))
    return out


def _left_out(plan: _Plan, bottom: float) -> list[Note]:
    """Sentences about the part of the tensor that is out of the window."""
    parts = []
    meta, window = plan.meta, plan.window
    for d in range(max(0, plan.dims - 3), plan.dims):
        first, shown, size = window.origin[d], window.count[d], meta.size[d]
        if shown < size:
            parts.append(f"dim {d}: {first} to {first + shown - 1} of {size:,}")
    held = [f"dim {d} at {window.origin[d]} of {meta.size[d]:,}" for d in range(max(0, plan.dims - 3))]
    out = []
    if held:
        out.append("held: " + ", ".join(held))
    if parts:
        out.append("shown: " + ", ".join(parts))
    return [Note(plan.left, bottom + 20 + 18 * k, text) for k, text in enumerate(out)]


def kin_of_slots(snapshot: Snapshot, key: str) -> dict[int, tuple[str, ...]]:
    """Slot → the keys of the visible elements that read it, for a strip's ``kin``."""
    meta, out = snapshot.meta, dict[int, list[str]]()
    for index in window_indices(snapshot):
        out.setdefault(slot_of(index, meta.stride, meta.offset), []).append(
            f"{key}:{','.join(map(str, index))}"
        )
    return {slot: tuple(keys) for slot, keys in out.items()}


def window_indices(snapshot: Snapshot) -> Iterable[Ints]:
    """The indices of the elements that are drawn."""
    window = snapshot.window
    spans = [range(o, o + n) for o, n in zip(window.origin, window.count, strict=True)]
    return product(*spans)
