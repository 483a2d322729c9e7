"""The storage as one row of slots, and the road from the offset to one element drawn over it.

On a narrow page the row is broken into lines, and a hop from one to another goes off the page and comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import Arc, Cell, Gap, Strip
from tensorkit_widgets.snapshot.adapter import Snapshot
from tensorkit_widgets.snapshot.geometry import Ints, readers, slot_of
from tensorkit_widgets.snapshot.number_text import full, short

__all__ = ["BROKEN", "arcs_to", "broken_pair", "slot_unit", "strip_of", "strip_room"]

LEFT, GAP = 28.0, 46.0
ARC_ROOM = 84.0
HEIGHT = 56.0
MOST_HOPS = 4
BROKEN = 720.0
"""On a page of the browser that is narrower, the slots stand in about as many as `LINES` lines."""
LINES = 4
EDGE = 14.0
"""How far from the side of the page a hop leaves it."""

Place = tuple[float, float]


def strip_room(longest: int, highest: int = 0, width: float = 960.0, broken: bool = False) -> int:
    """How many slots fit on a page, for the characters of the longest number and the highest slot.

    ``broken`` says that they may stand in lines.
    """
    room, unit = width - 2 * LEFT, slot_unit(longest, highest)
    if broken:
        fitting = LINES * int(room // unit)
        return 24 if fitting >= 24 else max(6, fitting - 2)  # the gaps stand in the place of two
    return 24 if unit * 24 <= room else max(6, int((room - 2 * GAP) // unit))


def slot_unit(longest: int, highest: int) -> float:
    """The width that a slot needs for its number and for the number below it."""
    return max(34.0, longest * MONO * 13 + 6, len(str(highest)) * MONO * 12 + 8)


def strip_of(
    snapshot: Snapshot,
    focus: Ints | None,
    top: float,
    width: float,
    hatched: frozenset[int],
    pair: tuple[int, int] | None,
    broken: bool = False,
) -> Strip:
    """Place the visible slots, the arcs above them and the offset marker below, from ``top`` down."""
    meta = snapshot.meta
    y = top + ARC_ROOM
    lit = slot_of(focus, meta.stride, meta.offset) if focus is not None else -1
    cells, gaps = _row(snapshot, y, width, lit, hatched, broken)
    where = _finder(cells, gaps, y)
    arcs = arcs_to(focus, meta.stride, meta.offset, where, width) if focus is not None else []
    if pair is not None and meta.size:
        arcs = _broken(snapshot, pair, where, width)
    visible = meta.slots > 0 and any(cell.slot == meta.offset for cell in cells)
    mark, line = where(meta.offset)
    tops = sorted({cell.y for cell in cells} | {gap.y for gap in gaps})
    last = tops[-1] if tops else y
    return Strip(
        tuple(cells), tuple(gaps), tuple(arcs), mark if visible else None, line + HEIGHT + 28, meta.offset, top,
        last + HEIGHT + 52, max(1, len(tops)),
    )  # fmt: skip


def _row(
    snapshot: Snapshot, y: float, page: float, lit: int, hatched: frozenset[int], broken: bool
) -> tuple[list[Cell], list[Gap]]:
    meta = snapshot.meta
    gap_spans = _gap_spans(snapshot)
    texts = [short(v, meta.dtype) for run in snapshot.strip for v in run.values]
    longest = max(map(len, texts), default=1)
    width = _slot_width(snapshot, page, longest, len(gap_spans), broken)
    font = min(20.0, max(9.0, int((width - 2) / ((longest + 1) * MONO))))
    cells: list[Cell] = []
    gaps: list[Gap] = []
    x = LEFT

    def stand(room: float) -> None:
        """Go to the next line where this one has no room; the mark of the offset needs some under its slot."""
        nonlocal x, y
        if broken and x + room > page - LEFT + 0.5:
            marked = any(cell.slot == meta.offset and cell.y == y for cell in cells)
            x, y = LEFT, y + HEIGHT + 24 + ARC_ROOM + (22 if marked else 0)

    def leave_out(stop: int) -> None:
        nonlocal x
        if stop in gap_spans:
            stand(GAP)
            gaps.append(Gap(round(x, 2), y, GAP, HEIGHT, gap_spans[stop], stop))
            x += GAP

    for run in snapshot.strip:
        leave_out(run.start)
        for k, value in enumerate(run.values):
            stand(width)
            slot = run.start + k
            reached = readers(slot, meta.size, meta.stride, meta.offset)
            cells.append(
                Cell(
                    round(x, 2), y, round(width, 2), HEIGHT, short(value, meta.dtype), full(value, meta.dtype), slot,
                    None, reached, slot == lit, hatched=slot in hatched, font=font,
                )
            )  # fmt: skip
            x += width
    leave_out(meta.slots)
    return cells, gaps


def _slot_width(snapshot: Snapshot, page: float, longest: int, gaps: int, broken: bool) -> float:
    """As wide as one line lets all slots be; if that is too narrow, with lines of about the same length."""
    room, count = page - 2 * LEFT, sum(len(run.values) for run in snapshot.strip)
    width = (room - GAP * gaps) / max(count, 1)
    unit = slot_unit(longest, max((run.start + len(run.values) for run in snapshot.strip), default=0))
    if broken and width < unit:
        lines = -(-count // max(1, int(room // unit)))
        width = room / -(-count // lines)
    return min(84.0, width)


def _gap_spans(snapshot: Snapshot) -> dict[int, int]:
    """Slots left out, as {where the next run starts: where the gap starts}."""
    spans, seen = {}, 0
    for run in snapshot.strip:
        if run.start > seen:
            spans[run.start] = seen
        seen = run.start + len(run.values)
    if seen < snapshot.meta.slots and not snapshot.fault:
        spans[snapshot.meta.slots] = seen
    return spans


def _finder(cells: Sequence[Cell], gaps: Sequence[Gap], top: float) -> Callable[[int], Place]:
    """Slot → the x of its centre, or of the gap that hides it, and the top of its line."""
    centres = {cell.slot: (round(cell.middle, 2), cell.y) for cell in cells}

    def where(slot: int) -> Place:
        if slot in centres:
            return centres[slot]
        hidden = ((round(gap.x + gap.width / 2, 2), gap.y) for gap in gaps if gap.start <= slot < gap.stop)
        return next(hidden, (LEFT, top))

    return where


def _lift(x1: float, x2: float, dim: int) -> float:
    return round(min(ARC_ROOM - 18, 16 + abs(x2 - x1) * 0.2 + 6 * (dim % 3)), 2)


def _hops(index: Ints, stride: Ints, offset: int, order: Sequence[int]) -> list[tuple[int, int, int, str]]:
    """(dim, from slot, to slot, label) of each hop on the road to an element."""
    out, at = [], offset
    for d in order:
        i, s = index[d], stride[d]
        hops = [(1, f"{s:+d}")] * i if i <= MOST_HOPS else [(i, f"{i}·{s}" if s >= 0 else f"{i}·({s})")]
        for count, label in hops:
            out.append((d, at, at + count * s, label.replace("-", "−")))
            at += count * s
    return out


def _hop(
    start: Place,
    stop: Place,
    page: float,
    dim: int,
    label: str,
    strong: bool,
    most: float = inf,
    bad: bool = False,
) -> list[Arc]:
    """The arc of a hop; from line to line, one that leaves the page forwards or backwards and one that comes back."""
    (x1, y1), (x2, y2) = start, stop
    if y1 == y2:
        return [Arc(x1, x2, y1, min(most, _lift(x1, x2, dim)), dim, label, strong, bad)]
    sides = (page - EDGE, EDGE) if y2 > y1 else (EDGE, page - EDGE)
    return [
        Arc(x1, sides[0], y1, min(most, _lift(x1, sides[0], dim)), dim, "", strong, bad, "out"),
        Arc(sides[1], x2, y2, min(most, _lift(sides[1], x2, dim)), dim, label, strong, bad, "in"),
    ]


def arcs_to(index: Ints, stride: Ints, offset: int, where: Callable[[int], Place], page: float) -> list[Arc]:
    """The road of the formula, dimension by dimension, and faintly the same road the other way round."""
    order = range(len(index))
    roads = [(_hops(index, stride, offset, order), True)]
    if sum(1 for i, s in zip(index, stride, strict=True) if i and s) > 1:
        roads.insert(0, (_hops(index, stride, offset, order[::-1]), False))
    out = []
    for hops, strong in roads:
        for dim, start, stop, label in hops:
            if where(start) == where(stop) and start != stop:
                continue
            out += _hop(where(start), where(stop), page, dim, label if strong else "", strong)
    return out


def broken_pair(size: Ints, pair: tuple[int, int]) -> tuple[Ints, Ints]:
    """Two elements that follow each other across the seam between dimensions that cannot merge.

    >>> broken_pair((4, 3), (0, 1))
    ((0, 2), (1, 0))
    """
    outer, inner = pair
    last = tuple(size[d] - 1 if outer < d <= inner else 0 for d in range(len(size)))
    first = tuple(1 if d == outer else 0 for d in range(len(size)))
    return last, first


def _broken(
    snapshot: Snapshot, pair: tuple[int, int], where: Callable[[int], Place], page: float
) -> list[Arc]:
    """The steps of the inner dimension, and in red the jump at the seam, which is not one of them."""
    meta = snapshot.meta
    last, first = broken_pair(meta.size, pair)
    out = []
    if last[pair[1]] <= MOST_HOPS:
        for dim, start, stop, label in _hops(last, meta.stride, meta.offset, [pair[1]]):
            out += _hop(where(start), where(stop), page, dim, label, True, 36.0)
    start, stop = (slot_of(i, meta.stride, meta.offset) for i in (last, first))
    label = f"{stop - start:+d}, not {meta.stride[pair[1]]:+d}".replace("-", "−")
    seam = _hop(where(start), where(stop), page, pair[0], label, True, bad=True)
    return [*out, *(replace(arc, lift=ARC_ROOM - 18) for arc in seam)]
