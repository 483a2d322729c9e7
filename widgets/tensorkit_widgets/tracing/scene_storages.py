"""The storages of a call, each once, as they are after it: what was written, the walk that a view could not say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import Arc, Note
from tensorkit_widgets.drawing.sheet import PAGE, Dress, Table, paragraph, strip_table
from tensorkit_widgets.drawing.strip import Place, seam_arcs
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.snapshot.adapter import Run, Snapshot
from tensorkit_widgets.snapshot.geometry import Ints, slot_of
from tensorkit_widgets.tracing.recorder import TraceStep
from tensorkit_widgets.tracing.scene_blocks import Block, key_of
from tensorkit_widgets.tracing.scene_sizes import letter_tile
from tensorkit_widgets.tracing.words import cut

LEFT = 28.0
WIDE = PAGE - 2 * LEFT
MOST_STRIPS = 3
MOST_HOPS = 5
NARROW = 27.0
"""The narrowest slot."""

GAP = 46.0
"""The room that slots left out take."""

LIFT = 64.0
"""The room that the hops over a strip need."""

Users = Sequence[tuple[Block, Snapshot]]


def draw_strips(
    step: TraceStep, blocks: Sequence[Block], shown: Sequence[Snapshot], y: float, wide: float = WIDE
) -> tuple[list[Table], list[Note], tuple[Arc, ...], float]:
    """The strips from ``y`` on."""
    tables: list[Table] = []
    notes: list[Note] = []
    arcs: list[Arc] = []
    for letter in list(dict.fromkeys(block.seen.storage for block in blocks))[:MOST_STRIPS]:
        users = [(b, part) for b, part in zip(blocks, shown, strict=True) if b.seen.storage == letter]
        block = next((b for b, _ in reversed(users) if b.changed), users[-1][0])
        if not block.seen.snapshot.strip:
            continue
        badge = letter_tile(f"letter-{letter}", letter, LEFT, y)
        hops = walk_of(step) if block.key == "in0" else ()
        told = _about(letter, users, blocks)
        if hops:
            told = walk_words(step)
        beside = (badge.right + 110 + 8.2 * len(told)) <= wide + LEFT
        notes.append(
            Note(badge.right + 10, y + 19, f"storage {letter}", "heading", after=told if beside else "")
        )
        y += 30
        if not beside:
            lines = wrap(told, wide, 14)
            notes += paragraph(LEFT, y + 12, lines, "muted", 18)
            y += 18 * len(lines) + 4
        y += LIFT * bool(hops)
        strip = _strip(letter, block, users, y, wide)
        tables += [badge, strip]
        arcs += _arcs(strip, letter, hops, wide + 2 * LEFT)
        y = strip.bottom + 6
    return tables, notes, tuple(arcs), y


def _about(letter: str, users: Users, blocks: Sequence[Block]) -> str:
    meta = users[-1][0].seen.meta
    told = f"{meta.slots:,} × {meta.dtype}"
    names = list(dict.fromkeys(b.title or "the result" for b, _ in users))
    changed = max((len(b.changed) for b, _ in users), default=0)
    if changed:
        return f"{told}, {changed} of the elements shown {'has' if changed == 1 else 'have'} changed"
    if any(b.role == "now" for b, _ in users):
        return f"{told}, no number shown here is another one now"
    if len(names) > 1:
        return f"{told}, read by {cut(' and by '.join(names), 56)}"
    fresh = all(b.after for b, _ in users) and any(not b.after for b in blocks)
    return f"{told}, a new storage for the result" if fresh else told


def _strip(letter: str, block: Block, users: Users, y: float, wide: float) -> Table:
    meta = block.seen.meta
    readers: dict[int, list[str]] = {}
    for user, part in users:
        if part.meta.dtype == meta.dtype:
            for index in _places(part):
                slot = slot_of(index, part.meta.stride, part.meta.offset)
                readers.setdefault(slot, []).append(key_of(user.key, index))
    written = {slot_of(index, meta.stride, meta.offset) for index in block.changed}
    dress = Dress(
        kinds=lambda slot: ("changed",) if slot[0] in written else (),
        kin=lambda slot: tuple(readers.get(slot[0], ())),
    )
    table = strip_table(letter, _fitted(block, wide), LEFT, y, wide, dress)
    return replace(table, label=f"storage {letter}, {meta.slots:,} × {meta.dtype}")


def _fitted(block: Block, wide: float) -> Snapshot:
    """With no more slots than there is room for: those around the first that matters."""
    snapshot, meta = block.seen.snapshot, block.seen.snapshot.meta
    slot = max(
        NARROW, len(str(max(meta.slots - 1, 0))) * MONO * 12 + 8
    )  # the numbers below stand side by side
    if sum(len(run.values) for run in snapshot.strip) * slot <= wide - GAP * _gaps(snapshot):
        return snapshot
    most = int((wide - 2 * GAP) / slot)
    first = min((slot_of(i, meta.stride, meta.offset) for i in block.changed), default=meta.offset)
    holds = [run for run in snapshot.strip if run.start <= first < run.start + len(run.values)]
    run = (holds or list(snapshot.strip))[0]
    start = max(0, min(first - run.start - most // 3, len(run.values) - most))
    return replace(snapshot, strip=(Run(run.start + start, run.values[start : start + most]),))


def _gaps(snapshot: Snapshot) -> int:
    """How many runs of slots are left out."""
    ends = [(run.start, run.start + len(run.values)) for run in snapshot.strip]
    edges = [0, *(edge for pair in ends for edge in pair), snapshot.meta.slots]
    return sum(a < b for a, b in zip(edges[::2], edges[1::2], strict=True))


def _places(part: Snapshot) -> Iterator[Ints]:
    spans = (range(o, o + n) for o, n in zip(part.window.origin, part.window.count, strict=True))
    return product(*spans) if part.grid else iter(())


# ---- why a view cannot be


def walk_of(step: TraceStep) -> tuple[tuple[int, int, int], ...]:
    """The hops (from slot, to slot, dimension) of a walk in reading order over two dimensions that cannot merge.

    The last hop is the one that breaks the rhythm. Empty where no view failed, or the walk is too long to draw.

    >>> from tensorkit_widgets.tracing.explain_model import explain_line
    >>> walk_of(explain_line("x.t().view(-1)", {"x": tk.ones(3, 4)}).steps[-1])
    ((0, 4, 1), (4, 8, 1), (8, 1, 0))
    """
    found = step.failure.diagnosis if step.failure is not None else None
    if found is None or not found.pairs or not step.inputs:
        return ()
    (d, e), meta = found.pairs[0], step.inputs[0].meta
    if not (d < len(meta.size) > e) or meta.size[d] < 2 or not 2 <= meta.size[e] <= MOST_HOPS:
        return ()
    slots = [meta.offset + k * meta.stride[e] for k in range(meta.size[e])]
    back = (slots[-1], meta.offset + meta.stride[d], d)
    return (*((a, b, e) for a, b in pairwise(slots)), back)


def walk_words(step: TraceStep) -> str:
    """The walk that a failed view would take, in words; empty where there is none to draw. The reason is said above."""
    hops = ", ".join(_signed(b - a) for a, b, _ in walk_of(step))
    return f"in reading order the walk goes {hops}" if hops else ""


def _signed(number: int) -> str:
    return f"+{number}" if number >= 0 else f"−{-number}"


def _arcs(strip: Table, letter: str, hops: Sequence[tuple[int, int, int]], page: float) -> list[Arc]:
    """The walk over a strip; a hop from or to a slot that is not drawn is left out."""
    tiles = {tile.key: tile for tile in strip.tiles}
    places = {slot: tiles.get(f"{letter}:{slot}") for a, b, _ in hops for slot in (a, b)}
    if not hops or any(places[slot] is None for slot in hops[-1][:2]):
        return []

    def where(slot: int) -> Place:
        tile = places[slot]
        assert tile is not None
        return tile.middle, tile.y

    told = [(dim, a, b, _signed(b - a)) for a, b, dim in hops if places[a] and places[b]]
    return seam_arcs(told[:-1], told[-1], where, page, LIFT - 18)
