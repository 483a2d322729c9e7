"""The tensor as matrices: where every cell, header and dimension arrow stands."""

from __future__ import annotations

from tensorkit_widgets.drawing.parts import Axis, Cell, Facet, Grid, Header, Note
from tensorkit_widgets.snapshot.adapter import Meta, Snapshot
from tensorkit_widgets.snapshot.geometry import Ints, slot_of
from tensorkit_widgets.snapshot.number_text import full, short, stored
from tensorkit_widgets.snapshot.window import Window

__all__ = ["MONO", "grid_of"]

MONO = 0.602
"""Width of a monospaced character as a part of its size, for the widest of the usual faces."""

LEFT = 92.0


def _cell_box(
    rows: int, columns: int, dims: int, depth: int, longest: int, room: float
) -> tuple[float, float, float]:
    """Width, height and text size of a cell: the numbers as large as there is room for."""
    large = dims <= 2 and rows <= 4 and columns <= 8
    height = 64.0 if large else (50.0 if rows <= 4 else 44.0)
    font = 24.0 if large else 18.0
    # Two matrices side by side explain a third dimension better than one above the other.
    halves = depth > 1 and columns <= 8 and room > 600
    room = ((room - 34) / 2 if halves else room) / max(columns, 1)
    while font > 11 and longest * MONO * font + 14 > room:
        font -= 1
    return min(room, max(height, longest * MONO * font + 14)), height, font


def _text(snapshot: Snapshot, at: int) -> tuple[str, str]:
    if at >= len(snapshot.grid):
        return "?", "unknown"
    value, dtype = snapshot.grid[at], snapshot.meta.dtype
    return short(value, dtype), full(value, dtype)


def _kept(snapshot: Snapshot, at: int) -> str:
    meta = snapshot.meta
    return "" if at >= len(snapshot.grid) else stored(snapshot.grid[at], meta.dtype, meta.turned)


def _label(dim: int, meta: Meta) -> tuple[str, bool]:
    unused = meta.size[dim] == 1
    return f"dim {dim} · stride {meta.stride[dim]}", unused


class _Plan:
    """The measures of one grid, worked out once."""

    def __init__(
        self,
        snapshot: Snapshot,
        focus: Ints | None,
        top: float,
        width: float,
        box: tuple[float, float, float] | None = None,
    ) -> None:
        self.snapshot, self.focus = snapshot, focus
        self.bad: Ints = ()
        self.hatched: frozenset[Ints] = frozenset()
        room = width - LEFT - 28
        self.window: Window = snapshot.window
        self.lit = -1 if focus is None else slot_of(focus, snapshot.meta.stride, snapshot.meta.offset)
        count = self.window.count
        self.dims = len(count)
        self.rows = count[-2] if self.dims > 1 else 1
        self.columns = count[-1] if self.dims else 1
        self.depth = count[-3] if self.dims > 2 else 1
        size = snapshot.meta.dtype
        longest = max((len(short(v, size)) for v in snapshot.grid), default=1)
        self.width, self.height, self.font = box or _cell_box(
            self.rows, self.columns, self.dims, self.depth, longest, room
        )
        self.wide = self.columns * self.width
        self.across = max(1, min(self.depth, int((room + 34) // (self.wide + 34))))
        self.top = top + (0 if self.dims == 0 else 44) + (50 if self.dims > 2 else 0)

    def corner(self, facet: int) -> tuple[float, float]:
        """Top left of a matrix."""
        line, place = divmod(facet, self.across)
        return LEFT + place * (self.wide + 34), self.top + line * (self.rows * self.height + 44)


def grid_of(
    snapshot: Snapshot,
    focus: Ints | None,
    top: float,
    width: float,
    bad: Ints = (),
    hatched: frozenset[Ints] = frozenset(),
    box: tuple[float, float, float] | None = None,
) -> Grid:
    """Place the visible window of the tensor on a page of ``width``, its top at ``top``.

    ``box`` fixes the width, height and text size of its cells.
    """
    plan = _Plan(snapshot, focus, top, width, box)
    plan.bad, plan.hatched = bad, hatched
    if 0 in snapshot.meta.size:
        return _empty(snapshot, top)
    facets = tuple(_facet(plan, k) for k in range(plan.depth))
    last = facets[-1].rows[-1][-1]
    right = max(cell.x + cell.width for facet in facets for row in facet.rows for cell in row)
    bottom = last.y + last.height
    notes = tuple(_left_out(plan, bottom))
    bottom += 18 * len(notes) + (4 if notes else 0)
    if plan.dims > 1:
        bottom = max(bottom, plan.top + 96)  # the label of the dimension that runs down needs this much
    return Grid(facets, tuple(_axes(plan)), notes, right, bottom)


def _empty(snapshot: Snapshot, top: float) -> Grid:
    size = ", ".join(map(str, snapshot.meta.size)) + ("," if len(snapshot.meta.size) == 1 else "")
    note = Note(
        LEFT - 64, top + 26, f"no elements: its size ({size}) has a 0, so there is nothing to show", "body"
    )
    return Grid((), (), (note,), LEFT + 260, top + 44)


def _facet(plan: _Plan, number: int) -> Facet:
    window, meta = plan.window, plan.snapshot.meta
    lead = window.origin[: max(plan.dims - 2, 0)]
    if plan.dims > 2:
        lead = (*lead[:-1], lead[-1] + number)
    left, top = plan.corner(number)
    rows = []
    for r, row_start in enumerate(range(0, plan.rows * plan.columns, plan.columns)):
        cells = []
        for c in range(plan.columns):
            index = (*lead, *_inner(plan, r, c))
            at = number * plan.rows * plan.columns + row_start + c
            text, exact = _text(plan.snapshot, at)
            slot = slot_of(index, meta.stride, meta.offset)
            cells.append(
                Cell(
                    left + c * plan.width, top + r * plan.height, plan.width, plan.height, text, exact,
                    slot, index, focus=index == plan.focus, kin=slot == plan.lit and index != plan.focus,
                    hatched=index in plan.hatched, font=plan.font,
                    stored=_kept(plan.snapshot, at),
                )
            )  # fmt: skip
        rows.append(tuple(cells))
    return Facet(tuple(lead), tuple(rows), tuple(_headers(plan, number, left, top)))


def _inner(plan: _Plan, row: int, column: int) -> Ints:
    origin = plan.window.origin
    if plan.dims < 2:
        return (origin[0] + column,) if plan.dims else ()
    return (origin[-2] + row, origin[-1] + column)


def _headers(plan: _Plan, number: int, left: float, top: float) -> list[Header]:
    origin, focus, dims = plan.window.origin, plan.focus, plan.dims
    out: list[Header] = []

    def lit(dim: int, position: int) -> bool:
        return focus is not None and focus[dim] == position

    if dims:
        for c in range(plan.columns):
            p = origin[-1] + c
            out.append(Header(left + (c + 0.5) * plan.width, top - 9, dims - 1, p, str(p), lit(dims - 1, p)))
    if dims > 1 and number % plan.across == 0:
        for r in range(plan.rows):
            p = origin[-2] + r
            y = top + (r + 0.5) * plan.height + 5
            out.append(Header(left - 18, y, dims - 2, p, str(p), lit(dims - 2, p)))
    if dims > 2:
        p = origin[-3] + number
        text = "[" + ", ".join(map(str, (*origin[: dims - 3], p))) + "]"
        out.append(
            Header(
                left + 4 + 4.0 * len(text),
                top - (62 if number < plan.across else 26),
                dims - 3,
                p,
                text,
                lit(dims - 3, p),
            )
        )
    return out


def _axis(plan: _Plan, dim: int, line: tuple[float, float, float, float]) -> Axis:
    meta = plan.snapshot.meta
    label, unused = _label(dim, meta)
    return Axis(dim, meta.size[dim], meta.stride[dim], *line, label, unused, dim in plan.bad)


def _axes(plan: _Plan) -> list[Axis]:
    dims, (left, top) = plan.dims, plan.corner(0)
    out = []
    if dims > 2:
        far = left + plan.across * (plan.wide + 34) - 42
        out.append(_axis(plan, dims - 3, (left, top - 82, max(far, left + 60), top - 82)))
    if dims > 1:
        down = top + max(plan.rows * plan.height, 60)
        out.append(_axis(plan, dims - 2, (LEFT - 42, top + 4, LEFT - 42, down - 4)))
    if dims:
        out.append(_axis(plan, dims - 1, (left + 4, top - 29, left + max(plan.wide, 60) - 4, top - 29)))
    return out


def _left_out(plan: _Plan, bottom: float) -> list[Note]:
    """Sentences about the part of the tensor that is out of the window."""
    parts = []
    meta, window = plan.snapshot.meta, plan.window
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
    return [Note(LEFT, bottom + 20 + 18 * k, text) for k, text in enumerate(out)]
