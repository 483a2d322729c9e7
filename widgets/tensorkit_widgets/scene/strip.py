"""The storage as one row of slots, and the road from the offset to one element drawn over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tensorkit_widgets.adapters import Snapshot
from tensorkit_widgets.geometry import Ints, readers, slot_of
from tensorkit_widgets.numerals import full, short
from tensorkit_widgets.scene.grid import MONO
from tensorkit_widgets.scene.parts import Arc, Cell, Gap, Strip

__all__ = ["arcs_to", "broken_pair", "strip_of", "strip_room"]

LEFT, GAP = 28.0, 46.0
ARC_ROOM = 84.0
HEIGHT = 56.0
MOST_HOPS = 4


def strip_room(longest: int, highest: int = 0, width: float = 960.0) -> int:
    """How many slots fit on a page, for the characters of the longest number and the highest slot."""
    room = width - 2 * LEFT
    unit = max(34.0, longest * MONO * 13 + 6, len(str(highest)) * MONO * 12 + 8)
    return 24 if unit * 24 <= room else max(6, int((room - 2 * GAP) // unit))


def strip_of(
    snapshot: Snapshot,
    focus: Ints | None,
    top: float,
    width: float,
    hatched: frozenset[int],
    pair: tuple[int, int] | None,
) -> Strip:
    """Place the visible slots, the arcs above them and the offset marker below, from ``top`` down."""
    meta = snapshot.meta
    y = top + ARC_ROOM
    lit = slot_of(focus, meta.stride, meta.offset) if focus is not None else -1
    cells, gaps = _row(snapshot, y, width, lit, hatched)
    where = _finder(cells, gaps)
    arcs = arcs_to(focus, meta.stride, meta.offset, where, y) if focus is not None else []
    if pair is not None and meta.size:
        arcs = _broken(snapshot, pair, where, y)
    visible = meta.slots > 0 and any(cell.slot == meta.offset for cell in cells)
    mark = where(meta.offset) if visible else None
    return Strip(tuple(cells), tuple(gaps), tuple(arcs), mark, meta.offset, top, y + HEIGHT + 52)


def _row(
    snapshot: Snapshot, y: float, page: float, lit: int, hatched: frozenset[int]
) -> tuple[list[Cell], list[Gap]]:
    meta = snapshot.meta
    gap_spans = _gap_spans(snapshot)
    count = sum(len(run.values) for run in snapshot.strip)
    width = min(84.0, (page - 2 * LEFT - GAP * len(gap_spans)) / max(count, 1))
    texts = [short(v, meta.dtype) for run in snapshot.strip for v in run.values]
    longest = max(map(len, texts), default=1)
    font = min(20.0, max(9.0, int((width - 8) / (longest * MONO))))
    cells: list[Cell] = []
    gaps: list[Gap] = []
    x = LEFT
    for run in snapshot.strip:
        x = _gap_before(gap_spans, run.start, x, y, gaps)
        for k, value in enumerate(run.values):
            slot = run.start + k
            reached = readers(slot, meta.size, meta.stride, meta.offset)
            cells.append(
                Cell(
                    round(x, 2), y, round(width, 2), HEIGHT, short(value, meta.dtype), full(value, meta.dtype), slot,
                    None, reached, slot == lit, hatched=slot in hatched, font=font,
                )
            )  # fmt: skip
            x += width
    _gap_before(gap_spans, meta.slots, x, y, gaps)
    return cells, gaps


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


def _gap_before(spans: dict[int, int], stop: int, x: float, y: float, gaps: list[Gap]) -> float:
    if stop not in spans:
        return x
    gaps.append(Gap(round(x, 2), y, GAP, HEIGHT, spans[stop], stop))
    return x + GAP


def _finder(cells: Sequence[Cell], gaps: Sequence[Gap]) -> Callable[[int], float]:
    """Slot → the x of its centre, or of the gap that hides it."""
    centres = {cell.slot: round(cell.middle, 2) for cell in cells}

    def where(slot: int) -> float:
        if slot in centres:
            return centres[slot]
        hidden = (gap.x + gap.width / 2 for gap in gaps if gap.start <= slot < gap.stop)
        return round(next(hidden, LEFT), 2)

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


def arcs_to(index: Ints, stride: Ints, offset: int, where: Callable[[int], float], y: float) -> list[Arc]:
    """The road of the formula, dimension by dimension, and faintly the same road the other way round."""
    order = range(len(index))
    roads = [(_hops(index, stride, offset, order), True)]
    if sum(1 for i, s in zip(index, stride, strict=True) if i and s) > 1:
        roads.insert(0, (_hops(index, stride, offset, order[::-1]), False))
    out = []
    for hops, strong in roads:
        for dim, start, stop, label in hops:
            x1, x2 = where(start), where(stop)
            if x1 == x2 and start != stop:
                continue
            out.append(Arc(x1, x2, y, _lift(x1, x2, dim), dim, label if strong else "", strong))
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


def _broken(snapshot: Snapshot, pair: tuple[int, int], where: Callable[[int], float], y: float) -> list[Arc]:
    """The steps of the inner dimension, and in red the jump at the seam, which is not one of them."""
    meta = snapshot.meta
    last, first = broken_pair(meta.size, pair)
    out = []
    if last[pair[1]] <= MOST_HOPS:
        for dim, start, stop, label in _hops(last, meta.stride, meta.offset, [pair[1]]):
            x1, x2 = where(start), where(stop)
            out.append(Arc(x1, x2, y, min(36.0, _lift(x1, x2, dim)), dim, label, True))
    start, stop = (slot_of(i, meta.stride, meta.offset) for i in (last, first))
    x1, x2 = where(start), where(stop)
    label = f"{stop - start:+d}, not {meta.stride[pair[1]]:+d}".replace("-", "−")
    out.append(Arc(x1, x2, y, ARC_ROOM - 18, pair[0], label, True, bad=True))
    return out
