"""The picture of a traced kernel: its steps, its source, the threads of the block that runs, and memory under them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tensorkit.kernels.cuda.traced.notes import WARP
from tensorkit.kernels.cuda.traced.report import headline, launch_text
from tensorkit.kernels.cuda.traced.traffic import SECTOR
from tensorkit.kernels.cuda.traced.words import coordinates, thread_names
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import clipped, code_lines
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import PAGE, Frame, Sheet, Table, Tile, paragraph
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.kernel_tracer.model import Launch, Strip
from tensorkit_widgets.kernel_tracer.words import chip, longest, number, said_of, touch_label

LEFT = 28.0
LINES = 9
LINE = 20.0
CODE = 13.0
LANE, LANE_HIGH, LANE_PITCH = 30.0, 24.0, 44.0
ACROSS = 8
BLOCKS = 8
ASIDE = 52.0 + 26 * BLOCKS
SIDE_BY_SIDE, IN_PAIRS = 900.0, 600.0
SLOT_HIGH, SLOT_PITCH = 30.0, 52.0
HIGH = 572.0
FOUND = 6
TICK, BAR = 17.0, 6.0


@dataclass(frozen=True, slots=True)
class Moment:
    """All that the picture knows: the launch, the step, the call in words, the finding that is looked at."""

    launch: Launch
    at: int
    arguments: tuple[str, ...]
    chosen: int | None = None
    page: float = PAGE


def compose_kernel(model: Moment) -> Sheet:
    """One step of a kernel."""
    launch, at, room = model.launch, model.at, model.page - 2 * LEFT
    code = f"{launch_text(launch.trace)}({', '.join(model.arguments)})"
    aside = launch.trace.blocks > 1 and model.page >= SIDE_BY_SIDE
    lines = code_lines(code, room - (ASIDE if aside else 0), 19)[:2]
    notes: list[Note] = [*paragraph(LEFT, 28, lines, "title", 26)]
    time, y = _time(launch, at, 14 + 26.0 * len(lines), room)
    tables = [time] if time.rows else []
    if aside:
        table, note = _blocks(launch, at, model.page - LEFT - ASIDE, 13)
        tables.append(table)
        notes.append(note)
    columns, more, y = _columns(model, y + 10)
    tables += columns
    notes += more
    sentences = said_of(launch, at)
    y += 6
    told, y = _told(model, sentences, y, room)
    notes += told
    strips, more, frames, y = _memories(model, y + 18)
    notes += more
    step = launch.step(at)
    status = "wrong" if any(f.grave for f in launch.trace.findings) else "ok"
    title = f"{code}, step {at} of {launch.steps}" if step else code
    words = (*sentences, *_summary(launch, at))
    return Sheet("KernelTracer", title, y + 6, tuple(tables + strips), tuple(notes), tuple(frames), (), words,
                 sentences[0], status, model.page)  # fmt: skip


def _spoken(model: Moment, sentences: Sequence[str]) -> Sequence[str]:
    """What stands in the picture: the step's own sentence, and one finding, the chosen one first."""
    found = model.launch.trace.findings
    if model.chosen is not None and model.chosen < len(found):
        return (sentences[0], found[model.chosen].text)
    return sentences[:2]


def _told(model: Moment, sentences: Sequence[str], y: float, room: float) -> tuple[list[Note], float]:
    """The sentences of the step, in as much room as any step's: what is below stays where it is."""
    notes: list[Note] = []
    low = y
    for k, sentence in enumerate(_spoken(model, sentences)):
        role, font = ("alarm", 15.5) if k else ("body", 15)
        broken = wrap(sentence, room, font)
        most = (2 if k else 1) if model.page >= SIDE_BY_SIDE else len(broken)
        if len(broken) > most:
            broken = [*broken[: most - 1], broken[most - 1].rstrip(".,;: ") + " …"]
        notes += paragraph(LEFT, low + 16, broken, role, 20)
        low += 20.0 * len(broken) + 2
    if model.page >= SIDE_BY_SIDE:
        low = y + (64.0 if model.launch.trace.findings else 22.0)
    return notes, low


def _summary(launch: Launch, at: int) -> Sequence[str]:
    """In the text of the first picture: what was found in all."""
    if at:
        return ()
    return (f"{headline(launch.trace)}.", *(f.text for f in launch.trace.findings))


# ---- time


def _time(launch: Launch, at: int, top: float, room: float) -> tuple[Table, float]:
    """The steps of the block that runs, one tick each; a barrier is a line through them."""
    block = launch.block(at)
    steps = launch.steps_of(block)
    most = int(room // TICK)
    here = at - steps.start if at in steps else 0
    start = max(0, min(here - most // 2, len(steps) - most))
    x, tiles = LEFT, []
    for k in steps[start : start + most]:
        step = launch.step(k)
        assert step is not None
        barrier = step.kind == "barrier"
        wide = BAR if barrier else TICK
        what = "a barrier" if barrier else f"{step.kind} {step.array}"
        said = f"step {k}: {what}{f' in line {step.line}' if step.line else ''}"
        wrong = any(f.grave for f in launch.found_at(k))
        kinds = (
            ("lit",)
            if k == at
            else ("bar",)
            if barrier
            else ("seam",)
            if wrong
            else ()
            if k < at
            else ("plain",)
        )
        text = "" if barrier else "u" if step.kind == "atomic" else step.kind[0]
        tiles.append(
            Tile(f"time:{k}", x, top, wide, 22, text, said, kinds, action="tick", font=8 if barrier else 11)
        )
        x += wide + (2 if barrier else 0)
    label = f"the steps of block {block}: r reads, w writes, u updates, a line is a barrier"
    return Table("time", label, (tuple(tiles),) if tiles else (), told=False), top + (26 if tiles else 0)


# ---- source, threads, findings


def _columns(model: Moment, top: float) -> tuple[list[Table], list[Note], float]:
    """The source, the threads, and what is wrong: side by side, or under one another on a narrow page."""
    wide, paired = model.page >= SIDE_BY_SIDE, model.page >= IN_PAIRS
    right = model.page - LEFT
    middle = LEFT + 424.0 if wide else right - ACROSS * LANE if paired else LEFT
    source, y = _source(model, LEFT, top, (middle - 22 if paired else right) - LEFT)
    low = y
    threads, more, y = _threads(model, middle, top if paired else low + 8)
    low = max(low, y)
    third = middle + ACROSS * LANE + 20 if wide else LEFT
    found, last, y = _findings(model, third, top if wide else low + 8, right - third)
    tables = [table for table in (source, *threads, found) if table is not None and table.rows]
    return tables, [*more, *last], max(low, y)


def _source(model: Moment, x: float, top: float, room: float) -> tuple[Table | None, float]:
    trace = model.launch.trace
    step = model.launch.step(model.at)
    if not trace.source:
        return None, top
    here = step.line - trace.first_line if step is not None and step.line else 0
    most = LINES if model.page >= IN_PAIRS else LINES // 2
    start = max(0, min(here - most // 2, len(trace.source) - most))
    wrong = {f.line for f in trace.findings if f.grave}
    slow = {f.line for f in trace.findings if not f.grave}
    rows = []
    for k, text in enumerate(trace.source[start : start + most], start):
        line = trace.first_line + k
        kinds = ("lit",) if step is not None and k == here else ("bad",) if line in wrong else ("quiet",)
        said = text.strip() or "an empty line"
        mark = "!" if line in wrong else "~" if line in slow else " "
        shown = clipped(f"{line:>3}{mark} {text}".replace("\t", "    "), room - 16, CODE).replace(
            " ", "\u00a0"
        )
        rows.append((
            Tile(f"line:{line}", x, top + (k - start) * LINE, room, LINE - 1, shown, f"line {line}: {said}",
                 kinds, action="line", font=CODE, start=True),
        ))  # fmt: skip
    return Table("source", "the kernel", tuple(rows), told=False), top + LINE * len(rows)


def _threads(model: Moment, x: float, top: float) -> tuple[list[Table], list[Note], float]:
    """The blocks of the grid, and the warp that runs: the slot that each of its threads touches stands under it."""
    launch, trace = model.launch, model.launch.trace
    block, notes, tables = launch.block(model.at), [], []
    if trace.blocks > 1 and model.page < SIDE_BY_SIDE:
        table, note = _blocks(launch, model.at, x, top)
        tables.append(table)
        notes.append(note)
        top += 30
    step = launch.step(model.at)
    warp = step.threads[0] // WARP if step is not None and step.threads else 0
    lanes = range(warp * WARP, min((warp + 1) * WARP, trace.threads))
    name = f"threads of block {_place(block, trace.grid)}"
    if launch.warps() > 1:
        name += f", warp {warp} of {launch.warps()}"
    notes.append(Note(x, top + 13, name, "muted"))
    rows = _lanes(model, lanes, x, top + 20)
    tables.append(Table("threads", f"the {name}", rows))
    return tables, notes, top + 20 + LANE_PITCH * len(rows)


def _blocks(launch: Launch, at: int, x: float, top: float) -> tuple[Table, Note]:
    """The blocks of the grid, the one that runs among them."""
    trace, block = launch.trace, launch.block(at)
    start = max(0, min(block - BLOCKS // 2, trace.blocks - BLOCKS))
    tiles = tuple(
        Tile(
            f"block:{b}", x + 52 + k * 26, top, 26, 20, _place(b, trace.grid), f"block {b} of the grid",
            ("lit",) if b == block else (), action="block", font=11 if len(_place(b, trace.grid)) < 3 else 8,
        )
        for k, b in enumerate(range(start, min(start + BLOCKS, trace.blocks)))
    )  # fmt: skip
    return Table("blocks", "the blocks of the grid", (tiles,), told=False), Note(
        x, top + 14, "blocks", "muted"
    )


def _place(at: int, dims: tuple[int, int, int]) -> str:
    x, y, z = coordinates(at, dims)
    return f"{x},{y},{z}" if dims[2] > 1 else f"{x},{y}" if dims[1] > 1 else str(x)


def _lanes(model: Moment, lanes: range, x: float, top: float) -> tuple[tuple[Tile, ...], ...]:
    launch, at = model.launch, model.at
    step = launch.step(at)
    touches = {touch.thread: touch for touch in launch.touches(at)}
    strays = {stray.thread: stray for stray in launch.strays(at)}
    inside = set(step.threads) if step is not None else set()
    kind = step.kind if step is not None else ""
    across = launch.trace.block[0] if 1 < launch.trace.block[0] <= ACROSS else ACROSS
    rows: list[list[Tile]] = []
    for k, thread in enumerate(lanes):
        row, column = divmod(k, across)
        if not column:
            rows.append([])
        touch, stray = touches.get(thread), strays.get(thread)
        strip = launch.strip(touch.array) if touch is not None else None
        slot = touch.slot if touch is not None else stray.slot if stray is not None else None
        kinds = ("lit", "seam") if stray is not None else ("lit",) if thread in inside else ("plain",)
        text = _place(thread, launch.trace.block)
        rows[row].append(
            Tile(
                f"thread:{thread}", x + column * LANE, top + row * LANE_PITCH, LANE, LANE_HIGH, text,
                touch_label(launch, thread, touch, stray, kind), kinds,
                (f"{strip.key}:{touch.slot}",) if strip is not None and touch is not None else (),
                below="" if slot is None else str(slot), action="thread", font=11 if len(text) < 4 else 8,
            )
        )  # fmt: skip
    return tuple(map(tuple, rows))


def _findings(model: Moment, x: float, top: float, room: float) -> tuple[Table, list[Note], float]:
    found = model.launch.trace.findings
    heading = "nothing wrong was found" if not found else "found"
    notes = [Note(x, top + 13, heading, "good-words" if not found else "muted")]
    tiles = []
    most = FOUND if model.page >= SIDE_BY_SIDE else FOUND // 2
    for k, one in enumerate(found[:most]):
        text = clipped(chip(one), room - 18, 11)
        kinds = ("lit",) if k == model.chosen else ("bad",) if one.grave else ("plain",)
        tiles.append(
            (Tile(f"found:{k}", x, top + 20 + 27 * k, room, 24, text, one.text, kinds, action="found", font=11,
                  start=True),)
        )  # fmt: skip
    y = top + 20 + 27.0 * len(tiles)
    if len(found) > most:
        notes.append(Note(x, y + 14, f"and {len(found) - most} more: “next finding”", "muted"))
        y += 20
    return Table("found", "what was found", tuple(tiles), told=False), notes, y


# ---- memory


def _memories(model: Moment, top: float) -> tuple[list[Table], list[Note], list[Frame], float]:
    """A row of slots for every memory: those that this step touches are in sight."""
    launch, at = model.launch, model.at
    step = launch.step(at)
    now = launch.strip(step.array) if step is not None else None
    pitch = SLOT_PITCH if model.page >= IN_PAIRS else SLOT_PITCH + 26
    most = max(2, int((HIGH - top) // pitch))
    shown = list(launch.strips[:most])
    if now is not None and now not in shown:
        shown[-1] = now
    tables, notes, frames = [], [], []
    for strip in shown:
        table, more, light = _strip(model, strip, top)
        tables.append(table)
        notes += more
        frames += light
        top += pitch
    left_out = [strip.name for strip in launch.strips if strip not in shown]
    if left_out:
        names = clipped(", ".join(left_out), model.page / 2, 13)
        notes.append(Note(LEFT, top + 8, f"not drawn: {names}, until a step touches it", "muted"))
        top += 16
    return tables, notes, frames, top


def _strip(model: Moment, strip: Strip, top: float) -> tuple[Table, list[Note], list[Frame]]:
    launch, at = model.launch, model.at
    beside = model.page >= IN_PAIRS
    x = LEFT + (124.0 if beside else 0.0)
    y = top if beside else top + 26
    room = model.page - LEFT - x
    kind = strip.dtype if strip.space == "global" else f"{strip.space}, {strip.dtype}"
    names = clipped(strip.name, 116 if beside else room - 120, 15)
    notes = [Note(LEFT, top + 13, names, "code")]
    notes.append(
        Note(LEFT, top + 29, kind, "muted") if beside else Note(LEFT + 14 + 9.5 * len(names), top + 13, kind)
    )
    touched = launch.last_touched(strip, at)
    first = touched[0] if touched else 0
    unit = min(
        max(38.0, longest(launch, strip) * MONO * 13 + 9, len(str(strip.slots)) * MONO * 12 + 10), 76.0
    )
    count = max(int((room - (44 if strip.slots * unit > room else 0)) // unit), 1)
    start = first // count * count
    if touched and touched[-1] >= start + count:
        start = first
    start = max(0, min(start, strip.slots - count))
    slots = range(start, min(start + count, strip.slots))
    tiles = tuple(_slot(model, strip, slot, x + k * unit, y, unit) for k, slot in enumerate(slots))
    if len(slots) < strip.slots:
        rest = f"of {strip.slots:,}"
        notes.append(Note(x + len(slots) * unit + 6, y + 20, rest, "muted"))
    label = f"{strip.name}: {strip.space} memory, {strip.dtype}, {strip.slots:,} slots"
    table = Table(strip.key, label, (tiles,) if tiles else ())
    return table, notes, _moved(model, strip, slots, x, y, unit)


def _slot(model: Moment, strip: Strip, slot: int, x: float, y: float, unit: float) -> Tile:
    launch, at = model.launch, model.at
    step = launch.step(at)
    mine = [t.thread for t in launch.touches(at) if launch.strip(t.array) is strip and t.slot == slot]
    value = launch.value(strip, slot, at)
    text = number(value, strip.dtype)
    kinds: tuple[str, ...] = ()
    if mine and step is not None:
        kinds = ("lit",) if step.kind == "read" else ("changed",)
    elif value is None:
        kinds = ("blank",)
    if any(f.array in strip.names and f.slot == slot and f.grave for f in launch.found_at(at)):
        kinds = (*kinds, "seam")
    said = f"slot {slot} of {strip.name} holds {text if value is not None else 'nothing yet'}"
    if mine:
        said += f"; touched by {thread_names(launch.trace, mine)}"
    fits = min(13.0, (unit - 4) / (max(len(text), 1) * MONO))
    return Tile(
        f"{strip.key}:{slot}", x, y, unit, SLOT_HIGH, text, said, kinds, tuple(f"thread:{t}" for t in mine),
        below=str(slot), font=max(7.0, round(fits, 1)),
    )  # fmt: skip


def _moved(model: Moment, strip: Strip, slots: range, x: float, y: float, unit: float) -> list[Frame]:
    """A bar over the slots of every sector that this step moves."""
    step = model.launch.step(model.at)
    if step is None or model.launch.strip(step.array) is not strip or strip.itemsize > SECTOR:
        return []
    per, frames = SECTOR // strip.itemsize, []
    for sector in model.launch.sectors(model.at):
        low, high = max(sector * per, slots.start), min((sector + 1) * per, slots.stop)
        if low < high:
            left = x + (low - slots.start) * unit
            frames.append(Frame(left + 2, y - 5.5, (high - low) * unit - 4, 3, "part", 2.0))
    return frames
