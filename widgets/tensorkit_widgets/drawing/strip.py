"""The storage as one row of slots, and the road from the offset to one element drawn over it.

On a narrow page the row is broken into lines, and a hop from one to another goes off the page and comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

from tensorkit_widgets.drawing.grid import BARE, MONO, Dress
from tensorkit_widgets.drawing.parts import Arc, Gap, Pointer, Table, Tile
from tensorkit_widgets.snapshot.adapter import Snapshot
from tensorkit_widgets.snapshot.geometry import Ints, reader_counts, slot_of
from tensorkit_widgets.snapshot.number_text import exact_texts, texts

READABLE = 11.0
"""The smallest type of a number that can be read from the back row, as `tensor_table` has it too."""
LEFT, GAP = 28.0, 46.0
ARC_ROOM = 58.0
HEIGHT = 48.0
MOST_HOPS = 4
BROKEN = 720.0
"""On a page of the browser that is narrower, the slots stand in about as many as `LINES` lines."""
LINES = 4
EDGE = 14.0
"""How far from the side of the page a hop leaves it."""

LOW = 14.0
"""How high the steps are that a jump goes over: their labels are below it."""
_SHIFTS = (0.0, *(side * far for far in (6.0, 12.0, 18.0, 24.0, 32.0, 40.0) for side in (-1, 1)))

Place = tuple[float, float]
Hop = tuple[int, int, int, str]
"""Dimension, from slot, to slot, label."""


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


@dataclass(frozen=True, slots=True)
class Strip:
    """The storage with the way to one element: a table of slots, arcs over it, the offset's arrow (None out of sight).

    ``top`` is that of the first line of slots; on a narrow page they stand in several ``lines``.
    """

    table: Table
    arcs: tuple[Arc, ...]
    pointer: Pointer | None
    top: float
    bottom: float
    lines: int


def strip_of(
    key: str,
    snapshot: Snapshot,
    focus: Ints | None,
    top: float,
    width: float,
    dress: Dress,
    pair: tuple[int, int] | None = None,
    broken: bool = False,
) -> Strip:
    """Place the visible slots, the arcs above them and the offset's arrow below, from ``top`` down.

    ``pair`` are two dimensions that cannot merge: then the arcs show where.
    """
    meta, y = snapshot.meta, top + ARC_ROOM
    words, spans = _texts(snapshot), _gap_spans(snapshot)
    longest = max(map(len, words), default=1)
    unit = _slot_width(snapshot, width, longest, len(spans), broken)
    font = min(20.0, max(9.0, _font(unit, longest)))
    step = HEIGHT + 24 + ARC_ROOM
    box = (LEFT, y, width - 2 * LEFT, unit, HEIGHT, font)
    table = _slot_table(key, snapshot, words, spans, box, dress, step if broken else 0.0, marked=22.0)
    where = _finder(table.tiles, table.gaps, y)
    arcs = arcs_to(focus, meta.stride, meta.offset, where, width) if focus is not None else []
    if pair is not None and meta.size:
        arcs = _broken(snapshot, pair, where, width)
    visible = meta.slots > 0 and any(tile.slot == meta.offset for tile in table.tiles)
    x, line = where(meta.offset)
    pointer = Pointer(x, line + HEIGHT + 24, f"offset {meta.offset}") if visible else None
    tops = sorted({tile.y for tile in table.tiles} | {gap.y for gap in table.gaps})
    last = tops[-1] if tops else y
    return Strip(table, tuple(arcs), pointer, y, last + HEIGHT + 38, max(1, len(tops)))


def strip_table(
    key: str,
    snapshot: Snapshot,
    x: float,
    y: float,
    width: float,
    dress: Dress = BARE,
    height: float = 48.0,
    lines: bool = False,
) -> Table:
    """The visible slots of a storage in one row, the numbers of the slots below; what is left out is a gap.

    The tiles are called ``key:4`` after their slot; the functions of ``dress`` get ``(slot,)``. With ``lines`` the row
    is broken where its numbers would be too small to be read.
    """
    words, spans = _texts(snapshot), _gap_spans(snapshot)
    longest = max(map(len, words), default=1)
    unit = min(64.0, (width - GAP * len(spans)) / max(len(words), 1))
    broken = lines and min(18.0, _font(unit, longest)) < READABLE
    if broken:
        unit = slot_unit(longest, max((run.start + len(run.values) for run in snapshot.strip), default=0))
    font = max(8.0, min(18.0, _font(unit, longest)))
    box = (x, y, width, unit, height, font)
    return _slot_table(key, snapshot, words, spans, box, dress, height + 40 if broken else 0.0)


def _texts(snapshot: Snapshot) -> list[str]:
    return texts((value for run in snapshot.strip for value in run.values), snapshot.meta.dtype)


def _font(unit: float, longest: int) -> float:
    return int((unit - 2) / ((longest + 1) * MONO))


def _slot_table(
    key: str,
    snapshot: Snapshot,
    words: Sequence[str],
    spans: dict[int, int],
    box: tuple[float, float, float, float, float, float],
    dress: Dress,
    step: float = 0.0,
    marked: float = 0.0,
) -> Table:
    """The slots, and the gaps between them, from (x, y) on, at most ``width`` in a line.

    Args:
        words: of the slots that are drawn.
        spans: where a gap ends, and where it begins.
        box: x, y, the width of a line; the width, height and text size of a slot.
        step: from line to line; 0 for one line. After the line that has the offset it is ``marked`` longer.
    """
    meta, (x, y, width, unit, height, font) = snapshot.meta, box
    at, following = x, iter(words)
    shown = [slot for run in snapshot.strip for slot in range(run.start, run.start + len(run.values))]
    read = dict(zip(shown, reader_counts(shown, meta.size, meta.stride, meta.offset), strict=True))
    exact = dict(
        zip(shown, exact_texts((v for run in snapshot.strip for v in run.values), meta.dtype), strict=True)
    )
    every = 1 if len(str(max(shown, default=0))) * MONO * 12 < unit else 5  # or the numbers below would touch
    rows: list[list[Tile]] = [[]]
    gaps: list[Gap] = []

    def room_for(wide: float) -> None:
        nonlocal at, y
        if step and at > x and at + wide > x + width + 0.5:
            at, y = x, y + step + (marked if any(tile.slot == meta.offset for tile in rows[-1]) else 0.0)
            rows.append([])

    def leave_out(stop: int) -> None:
        nonlocal at
        if stop in spans:
            room_for(GAP)
            gaps.append(Gap(round(at, 2), y, GAP, height, spans[stop], stop))
            at += GAP

    for run in snapshot.strip:
        leave_out(run.start)
        for slot in range(run.start, run.start + len(run.values)):
            room_for(unit)
            many = read[slot]
            said = f"slot {slot}, value {exact[slot]}" + ("" if many else ", no element reads it")
            rows[-1].append(
                Tile(
                    f"{key}:{slot}", round(at, 2), y, round(unit, 2), height, next(following),
                    dress.label((slot,), exact[slot]) if dress.label else said,
                    (dress.kinds((slot,)) if dress.kinds else ()) or (() if many else ("grey",)),
                    dress.kin((slot,)) if dress.kin else (), below="" if slot % every else str(slot),
                    badge="" if many < 2 else f"×{many}" if many < 99 else "×99+", link=dress.link,
                    slot=slot if dress.link is not None else None, action=dress.action, full=exact[slot], font=font,
                )
            )  # fmt: skip
            at += unit
    leave_out(meta.slots)
    label = f"the storage, {meta.slots:,} × {meta.dtype}"
    return Table(key, label, tuple(tuple(row) for row in rows if row), gaps=tuple(gaps))


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


def _finder(slots: Sequence[Tile], gaps: Sequence[Gap], top: float) -> Callable[[int], Place]:
    """Slot → the x of its centre, or of the gap that hides it, and the top of its line."""
    centres = {tile.slot: (round(tile.x + tile.width / 2, 2), tile.y) for tile in slots}

    def where(slot: int) -> Place:
        if slot in centres:
            return centres[slot]
        hidden = ((round(gap.x + gap.width / 2, 2), gap.y) for gap in gaps if gap.start <= slot < gap.stop)
        return next(hidden, (LEFT, top))

    return where


def _lift(x1: float, x2: float, dim: int) -> float:
    return round(min(ARC_ROOM - 18, 16 + abs(x2 - x1) * 0.2 + 6 * (dim % 3)), 2)


def _hops(index: Ints, stride: Ints, offset: int, order: Sequence[int]) -> list[Hop]:
    """Each hop on the road to an element."""
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
    steps = _hops(last, meta.stride, meta.offset, [pair[1]]) if last[pair[1]] <= MOST_HOPS else []
    start, stop = (slot_of(i, meta.stride, meta.offset) for i in (last, first))
    label = f"{stop - start:+d}, not {meta.stride[pair[1]]:+d}".replace("-", "−")
    return seam_arcs(steps, (pair[0], start, stop, label), where, page)


def seam_arcs(
    steps: Sequence[Hop],
    seam: Hop,
    where: Callable[[int], Place],
    page: float,
    high: float = ARC_ROOM - 18,
) -> list[Arc]:
    """The steps of a dimension, low, and over them in red, ``high``, the jump at its end that is not one of them."""
    out = []
    for dim, start, stop, label in steps:
        out += _hop(where(start), where(stop), page, dim, label, True, LOW)
    dim, start, stop, label = seam
    jump = _hop(where(start), where(stop), page, dim, label, True, bad=True)
    return _clear([*out, *(replace(arc, lift=high) for arc in jump)])


def _clear(arcs: list[Arc]) -> list[Arc]:
    """Labels a little to the side where another arc or another label would run through them."""
    out: list[Arc] = []
    for k, arc in enumerate(arcs):
        others = [point for other in (*arcs[:k], *arcs[k + 1 :]) for point in _points(other)]
        others += [place for other in out if other.label for place in _corners(other)]
        moved = (replace(arc, shift=shift) for shift in _SHIFTS)
        free = (one for one in moved if not any(_covers(one, point) for point in others))
        out.append(next(free, arc) if arc.label else arc)
    return out


def _points(arc: Arc) -> list[Place]:
    """Points on the curve of an arc, as `arc_path` draws it, and on its head."""
    foot, tip, x = arc.y - 2, arc.y - 11, arc.x2
    head = [(x - 6, arc.y - 13), (x, arc.y - 13), (x + 6, arc.y - 13)]
    if arc.part:
        return head
    out = []
    for k in range(33):
        t = k / 32
        rise = 3 * t * (1 - t) * (arc.y - arc.lift * 1.33)
        out.append(
            (
                arc.x1 + (arc.x2 - arc.x1) * t * t * (3 - 2 * t),
                (1 - t) ** 3 * foot + rise + t**3 * tip,
            )
        )
    return out + head


def _half(arc: Arc) -> float:
    return len(arc.label) * MONO * 13 / 2 + 3


def _corners(arc: Arc) -> list[Place]:
    (x, y), half = arc.label_at, _half(arc)
    return [(x + side * half, line) for side in (-1, 0, 1) for line in (y, y - 5, y - 10)]


def _covers(arc: Arc, point: Place) -> bool:
    """Whether a point lies in the label of an arc."""
    (x, y), half = arc.label_at, _half(arc)
    return abs(point[0] - x) < half and y - 12 < point[1] < y + 3
