"""The picture of a sharded tensor: who holds what."""

from __future__ import annotations

from tensorkit_widgets.drawing.page_width import clipped
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import Sheet, Table, Tile
from tensorkit_widgets.shard_map.scene_blocks import Grid, View, blocks, drawn_dims, font_for
from tensorkit_widgets.shard_map.scene_page import (
    CHIP,
    LEFT,
    STYLES,
    TOP,
    Page,
    kinds_of,
    left_out,
    sentences,
    shortened,
    title_of,
)  # fmt: skip
from tensorkit_widgets.shard_map.scene_question import compose_question
from tensorkit_widgets.shard_map.scene_step import compose_step
from tensorkit_widgets.shard_map.words import (
    held_words,
    life_words,
    price_words,
    summary,
    verdict,
    worker_words,
    written,
)
from tensorkit_widgets.snapshot.number_text import size_text

PITCH = 42.0
ACROSS, DOWN = 440.0, 280.0
"""How wide the blocks are at the most, and how high."""


def compose_shards(page: Page) -> Sheet:
    """One moment: a question, who holds what, or a step."""
    if page.question is not None and page.guess is None:
        return compose_question(page, page.question)
    return compose_step(page, page.steps[page.at - 1]) if page.at else _held(page)


def _held(page: Page) -> Sheet:
    of, layout = page.of, page.of.layout
    told, y = list[Note](), TOP
    answer = []
    if page.question is not None and page.guess is not None:
        answer = [verdict(of, page.question, page.guess)]
        role = "good-words" if page.guess in page.question.right else "alarm" if page.guess >= 0 else "body"
        told, y = sentences(page, LEFT, y - 8, answer, role)
        y += 18
    asked = page.question.index if answer and page.question else None
    lit = () if asked is None else tuple((rank, layout.box(rank)) for rank in of.holders(asked))
    view = View(layout, of.drawn, drawn_dims([layout]), lit=lit, absent=page.absent)
    across = min(ACROSS, 0.5 * page.room) if page.wide else page.room - 12
    told.append(Note(LEFT, y - 6, "who holds what", "heading", after=_dims_words(view)))
    grid = blocks(
        view,
        "held",
        LEFT,
        y + 4,
        (across, DOWN - (60 if answer else 0)),
        f"{of.name}, the block of each rank",
    )
    side = LEFT + across + 32 if page.wide else LEFT
    top = y + 14 if page.wide else grid.bottom + 22
    ranks, notes, low = _ranks(page, grid, side, top)
    y = max(low, grid.bottom) + 30
    words = [*summary(of), *left_out(page), *_offer(page), *_cluster(page)]
    more, y = sentences(page, LEFT, y, words)
    workers = [f"rank {r}: {said}" for r in of.drawn if (said := worker_words(page.workers, r))]
    status = "closed" if "closed" in page.workers.note else "gone" if page.absent else "ok"
    return Sheet(
        "ShardMap", title_of(of), y - 6, (grid.table, ranks), (*told, *grid.notes, *notes, *more),
        words=(*answer, *words, *workers), said=answer[0] if answer else words[0] if words else title_of(of),
        status=status, width=page.page, styles=STYLES,
    )  # fmt: skip


def _dims_words(view: View) -> str:
    size = view.layout.size
    if len(size) < 3:
        return "" if len(size) < 2 else "rows down, columns across"
    down, across = view.dims
    return f"dimension {down} down, {across} across"


def _ranks(page: Page, grid: Grid, x: float, y: float) -> tuple[Table, list[Note], float]:
    """A line for each rank: what it holds, and where it is."""
    of, rows, notes = page.of, [], []
    room = page.page - LEFT - x - CHIP - 10
    pitch = PITCH if page.workers.how else CHIP + 6
    for k, rank in enumerate(of.drawn):
        top = y + k * pitch
        kin = tuple(key for (one, _), key in grid.keys.items() if one == rank)
        words = held_words(of, rank)
        font = font_for(words, room - 16, 15.0)
        said = f"rank {rank} of the mesh, at {size_text(of.layout.where(rank))}: {words}"
        rows.append((
            Tile(f"rank:{rank}", x, top, CHIP, CHIP, str(rank), said, kinds_of(page, rank), kin, font=18.0, dim=rank),
            Tile(f"has:{rank}", x + CHIP, top, room + 8, CHIP - (10 if page.workers.how else 0),
                 clipped(words, room - 16, font), said, ("quiet",), kin, font=font, start=True),
        ))  # fmt: skip
        how = worker_words(page.workers, rank)
        if how:
            role = "alarm" if page.workers.how[rank] in ("gone", "lost") else "small tk-muted"
            notes.append(Note(x + CHIP + 10, top + CHIP + 2, shortened(how, room), role))
    label = "each rank and what it holds"
    return Table("ranks", label, tuple(rows)), notes, y + pitch * len(rows)


def _offer(page: Page) -> list[str]:
    if not page.steps:
        return []
    after = written(page.steps[-1].after.placements)
    names = " and then ".join(step.name for step in page.steps)
    return [f"To {after}: {names}, {price_words(page.steps, page.of.itemsize)}. Nothing has moved yet."]


def _cluster(page: Page) -> list[str]:
    if not page.of.live:
        return ["This is a plan: no cluster has this tensor."]
    return [*life_words(page.workers), *([page.workers.note] if page.workers.note else [])]
