"""The tensors of one call side by side, what went in and what came out, each with its size, stride and offset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import Header, Note
from tensorkit_widgets.drawing.sheet import PAGE, Dress, Table, tensor_table
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.snapshot.adapter import Snapshot
from tensorkit_widgets.snapshot.geometry import Ints, all_indices, slot_of
from tensorkit_widgets.snapshot.number_text import short
from tensorkit_widgets.tracing.recorder import TraceStep
from tensorkit_widgets.tracing.scene_blocks import Block, blocks_of, cropped, key_of
from tensorkit_widgets.tracing.scene_sizes import SIZES_LEFT, letter_tile, sizes_table, sizes_width
from tensorkit_widgets.tracing.words import cut

LEFT = 28.0
WIDE = PAGE - 2 * LEFT
GAP = 44.0
COLUMNS = (12, 8, 6, 4)
SMALLEST, LARGEST = 34.0, 52.0
MARGIN = 64.0


# ---- measures


def _asked(snapshot: Snapshot) -> tuple[float, int]:
    """The room beside the cells, and how many cells stand side by side."""
    count = snapshot.window.count
    if not snapshot.grid:
        return 240.0, 0
    return (MARGIN if len(count) > 1 else 4.0), (count[-1] if count else 1)


@dataclass(frozen=True, slots=True)
class _Plan:
    """How wide each tensor is, and a cell."""

    shown: tuple[Snapshot, ...]
    widths: tuple[float, ...]
    cell: float
    font: float
    meta: float


def _fits(plan: _Plan, room: float) -> bool:
    return sum(plan.widths) <= room + 1 and plan.cell >= SMALLEST


def _plan(blocks: Sequence[Block], most: float) -> _Plan:
    """The widest that fits: fewer columns first, then narrower numbers of the sizes."""
    room = most - GAP * (len(blocks) - 1)
    plans = (_planned(blocks, room, columns, scale) for columns in COLUMNS for scale in (1.0, 0.75, 0.55))
    fitting = next((plan for plan in plans if _fits(plan, room)), None)
    if fitting is None:
        return _planned(blocks, room, COLUMNS[-1], 0.4)
    return replace(fitting, widths=_titled(blocks, fitting.widths, room - sum(fitting.widths)))


def _titled(blocks: Sequence[Block], widths: Sequence[float], spare: float) -> tuple[float, ...]:
    """Room that is left goes to names that would have to be cut."""
    out = []
    for block, width in zip(blocks, widths, strict=True):
        more = max(0.0, min(spare, 17 * MONO * (len(block.title) + 1) - width))
        spare -= more
        out.append(width + more)
    return tuple(out)


def _lines(before: list[Block], after: list[Block], most: float) -> list[tuple[list[Block], _Plan]]:
    """What stands side by side: all of it where that fits, else what came out below what went in, else one by one."""
    for lines in ([[*before, *after]], [before, after]):
        lines = [line for line in lines if line]
        plans = [_plan(line, most) for line in lines]
        rooms = [most - GAP * (len(line) - 1) for line in lines]
        if all(_fits(plan, room) for plan, room in zip(plans, rooms, strict=True)):
            return list(zip(lines, plans, strict=True))
    return [([block], _plan([block], most)) for block in (*before, *after)]


def _planned(blocks: Sequence[Block], room: float, columns: int, scale: float) -> _Plan:
    rows = 6 if columns > 4 else 4
    shown = [cropped(b.seen.snapshot, columns, rows, min(b.changed, default=None)) for b in blocks]
    asked = [_asked(s) for s in shown]
    fair = (room - sum(o for o, _ in asked)) / max(sum(n for _, n in asked), 1)
    longest = max((len(short(v, s.meta.dtype)) for s in shown for v in s.grid), default=1)
    cell = min(fair, 92.0, max(LARGEST, longest * MONO * 14 + 12))
    font = max(8.0, min(20.0, float(int((cell - 8) / (longest * MONO)))))
    widths = [
        max(o + n * cell, SIZES_LEFT + (sizes_width(b) - SIZES_LEFT) * scale, _label_width(s))
        for (o, n), b, s in zip(asked, blocks, shown, strict=True)
    ]
    return _Plan(tuple(shown), tuple(widths), cell, font, scale)


def _label_width(snapshot: Snapshot) -> float:
    """The room that the label of the dimension which runs across needs."""
    dims = len(snapshot.meta.size)
    longest = len(str(max(map(abs, snapshot.meta.stride), default=0)))
    return (MARGIN if dims > 1 else 8.0) + (92.0 + 8.0 * longest if dims else 40.0)


# ---- drawing


def draw_blocks(
    step: TraceStep, top: float, left: float = LEFT, room: float = WIDE
) -> tuple[list[Table], list[Note], list[Block], list[Snapshot], float]:
    """All of them from ``top`` on; also which were drawn, and what of them is seen."""
    before, after = blocks_of(step)
    blocks = [*before, *after]
    lines = _lines(before, after, room)
    shown = [part for _, plan in lines for part in plan.shown]
    kin = _kin(blocks, shown)
    tables: list[Table] = []
    notes: list[Note] = []
    y = top
    for line, plan in lines:
        if y > top and after and line[0] is after[0] and before:
            notes.append(Note(left + 13, y + 18, "↓", "title", "middle"))
            y += 34
        drawn, more, y = _side_by_side(line, plan, left, y, kin)
        tables += drawn
        notes += more
    unseen = _unseen(step, before, after, y)
    return tables, [*notes, *unseen], blocks, shown, y + 22 * len(unseen)


def _side_by_side(
    line: Sequence[Block], plan: _Plan, x: float, top: float, kin: dict[tuple[str, str, int], tuple[str, ...]]
) -> tuple[list[Table], list[Note], float]:
    tables: list[Table] = []
    notes: list[Note] = []
    bottom = top
    for k, (block, shown, width) in enumerate(zip(line, plan.shown, plan.widths, strict=True)):
        if k and block.after and not line[k - 1].after:
            notes.append(Note(x - GAP / 2, top + 84, "→", "title", "middle"))
        drawn, more, low = _draw(block, shown, x, top, width, plan, kin)
        tables += drawn
        notes += more
        bottom = max(bottom, low)
        x += width + GAP
    return tables, notes, bottom


def _unseen(step: TraceStep, before: Sequence[Block], after: Sequence[Block], y: float) -> list[Note]:
    more = len(step.inputs) - len(before) + (0 if step.writes else len(step.outputs)) - len(after)
    more = max(more, 0) if not step.writes else len(step.inputs) - len(before)
    return [Note(LEFT, y + 14, f"and {more} more tensor{'s' * (more != 1)}, not drawn")] if more else []


def _kin(blocks: Sequence[Block], shown: Sequence[Snapshot]) -> dict[tuple[str, str, int], tuple[str, ...]]:
    """(storage, dtype, slot) → every tile that shows it, the storage's own among them."""
    out: dict[tuple[str, str, int], list[str]] = {}
    for block, snapshot in zip(blocks, shown, strict=True):
        meta = snapshot.meta
        for index in _indices(snapshot):
            slot = slot_of(index, meta.stride, meta.offset)
            out.setdefault((block.seen.storage, meta.dtype, slot), []).append(key_of(block.key, index))
    return {place: (f"{place[0]}:{place[2]}", *keys) for place, keys in out.items()}


def _indices(snapshot: Snapshot) -> Iterator[Ints]:
    origin = snapshot.window.origin
    if snapshot.grid:
        for inner in all_indices(snapshot.window.count):
            yield tuple(o + i for o, i in zip(origin, inner, strict=True))


def _tag_width(shown: Snapshot) -> float:
    """The room that the number of a slot needs in a corner."""
    meta = shown.meta
    slots = [slot_of(index, meta.stride, meta.offset) for index in _indices(shown)]
    return len(str(max(slots, default=0))) * MONO * 11 + 8


def _draw(
    block: Block, shown: Snapshot, x: float, top: float, width: float, plan: _Plan,
    kin: dict[tuple[str, str, int], tuple[str, ...]],
) -> tuple[list[Table], list[Note], float]:  # fmt: skip
    meta, storage = shown.meta, block.seen.storage
    title = {"before": f"{block.title}, before", "now": f"{block.title}, now", "out": "the result"}.get(
        block.role, block.title
    )
    letter = letter_tile(f"letter-{block.key}", storage, x, top)
    room = int((x + width + GAP - 16 - letter.right) / (17 * MONO))
    notes = [
        Note(
            letter.right + 8, top + 19, cut(title, max(room, 8)), "code" if block.role == "in" else "heading"
        )
    ]
    sizes, more = sizes_table(block, x, top + 40, plan.meta)
    notes += more

    def kin_of(index: Ints) -> tuple[str, ...]:
        found = kin.get((storage, meta.dtype, slot_of(index, meta.stride, meta.offset)), ())
        return tuple(key for key in found if key != key_of(block.key, index))

    dress = Dress(
        kinds=lambda index: ("changed",) if index in block.changed else (), kin=kin_of,
        box=(plan.cell, min(plan.cell, 44.0), plan.font), tags=plan.cell >= max(40.0, _tag_width(shown)),
        label=lambda index, value: f"{title}{list(index)} is {value}, slot "
        f"{slot_of(index, meta.stride, meta.offset)} of storage {storage}",
    )  # fmt: skip
    grid = tensor_table(block.key, shown, x, sizes.bottom + 12, width, dress, title)
    axes = tuple(replace(axis, bad=axis.dim in block.bad) for axis in grid.axes)
    grid = replace(grid, axes=axes, notes=_wrapped(grid, x, width), headers=_headers(grid, x, width))
    dims = len(meta.size)
    # The label of the dimension that runs down needs this much.
    low = max(
        grid.bottom, sizes.bottom + 12 + (0 if dims < 2 or not grid.rows else 146 if dims == 2 else 196)
    )
    if shown.fault:
        lines = wrap(shown.fault, width, 13)
        notes += [Note(x, low + 16 + 18 * k, line) for k, line in enumerate(lines)]
        low += 16 + 18 * len(lines)
    return [letter, sizes, *([grid] if grid.rows or grid.notes else [])], notes, low + 8


def _wrapped(grid: Table, x: float, width: float) -> tuple[Note, ...]:
    out: list[Note] = []
    # Under the label of the dimension that runs down, which may be longer than its arrow.
    low = max(((axis.y1 + axis.y2) / 2 + 76 for axis in grid.axes if axis.vertical), default=0.0)
    for note in grid.notes:
        y = max(note.y, out[-1].y + 18 if out else low)
        lines = wrap(note.text, width, 13)
        out += [Note(x, y + 18 * k, line, "muted") for k, line in enumerate(lines)]
    return tuple(out)


def _headers(grid: Table, x: float, width: float) -> tuple[Header, ...]:
    """The place of a matrix among many dimensions is cut to its part of the page."""
    out = []
    for h in grid.headers:
        if h.text.startswith("["):
            start = h.x - 4.0 * len(h.text)
            text = cut(h.text, int((x + width + GAP / 2 - start) / 8.0))
            h = replace(h, text=text, x=start + 4.0 * len(text))
        out.append(h)
    return tuple(out)
