"""The picture of a step of a redistribution: the blocks before and after, between them each message with its bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tensorkit.distributed.tensor.layout import Move, count
from tensorkit.distributed.tensor.redistribute import Transfer
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import Sheet, Table, Tile
from tensorkit_widgets.shard_map.model import moved
from tensorkit_widgets.shard_map.scene_blocks import (
    Grid,
    View,
    blocks,
    drawn_dims,
    font_for,
    of_moves,
    within,
)
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
from tensorkit_widgets.shard_map.words import in_cell, message_words, price_words, step_words, written

BETWEEN, MATRIX, DOWN = 16.0, 300.0, 240.0
"""The space between the three parts, how wide the messages are at the most, and how high each part is."""
SAID = 24
"""Messages that are written in the text twin."""


def compose_step(page: Page, step: Transfer) -> Sheet:
    of = page.of
    drawn = [one for one in step.moves if one.source in of.drawn and one.target in of.drawn]
    chosen = next((one for one in drawn if (one.source, one.target) == page.chosen), None)
    lit = (chosen,) if chosen else ()
    dims = drawn_dims([step.before, step.after])
    views = [
        View(layout, of.drawn, dims, of_moves(drawn, first), of_moves(lit, first), page.absent)
        for layout, first in ((step.before, True), (step.after, False))
    ]
    middle = min(MATRIX, 0.36 * page.room) if page.wide else page.room
    room = ((page.room - middle) / 2 - BETWEEN if page.wide else page.room - 12, DOWN)
    heads = [
        f"{word}: {written(v.layout.placements)}" for word, v in zip(("before", "after"), views, strict=True)
    ]
    x, y = LEFT, TOP
    before = blocks(views[0], "before", x, y + 4, room, f"{heads[0]}, the block of each rank")
    notes = [Note(x, y - 6, shortened(heads[0], room[0] * 0.75), "heading"), *before.notes]
    x, y = (x + room[0] + BETWEEN, y) if page.wide else (LEFT, before.bottom + 40)
    matrix, low = _messages(page, step, drawn, (x, y + 4, middle))
    notes.append(Note(x, y - 6, step.name, "heading", after="bytes from → to"))
    x, y = (x + middle + BETWEEN, y) if page.wide else (LEFT, low + 40)
    after = blocks(views[1], "after", x, y + 4, room, f"{heads[1]}, the block of each rank")
    notes += [Note(x, y - 6, shortened(heads[1], room[0] * 0.75), "heading"), *after.notes]
    matrix = _linked(matrix, drawn, before, after)
    price, words = _words(page, step, chosen)
    big, y = sentences(page, LEFT, max(before.bottom, low, after.bottom) + 36, [price], "title")
    told, y = sentences(page, LEFT, y + 4, words)
    listed = [message_words(of.layout.size, one, of.itemsize) for one in sorted(step.moves) if moved(one)]
    more_words = [f"and {len(listed) - SAID} more messages"] if len(listed) > SAID else []
    return Sheet(
        "ShardMap", f"{title_of(of)}, step {page.at} of {len(page.steps)}: {step.name}", y - 6,
        (before.table, matrix, after.table), (*notes, *big, *told), words=(price, *words, *listed[:SAID], *more_words),
        said=words[0] if chosen else price, width=page.page, styles=STYLES,
    )  # fmt: skip


def _words(page: Page, step: Transfer, chosen: Move | None) -> tuple[str, list[str]]:
    """What the step sends, in a line; and the sentences under it."""
    item, many = page.of.itemsize, len(page.steps)
    price, does = step_words(step, item)
    words = [f"{message_words(page.of.layout.size, chosen, item)}."] if chosen else []
    words.append(does)
    if many > 1:
        words.append(f"This is step {page.at} of {many}: in all of them, {price_words(page.steps, item)}.")
    words.append("Nothing has moved yet: this is what will be sent. Move carries it out.")
    return price, [*(word[0].upper() + word[1:] for word in words), *left_out(page)]


def _messages(
    page: Page, step: Transfer, moves: Sequence[Move], spot: tuple[float, float, float]
) -> tuple[Table, float]:
    """A row for each rank that sends, a column for each that receives; ``spot`` is (x, y, width)."""
    ranks, item = page.of.drawn, page.of.itemsize
    x, y, room = spot
    wide = min(72.0, (room - CHIP - 8) / len(ranks))
    high = min(52.0, (DOWN - CHIP - 6) / len(ranks))
    left, top = x + CHIP + 6, y + CHIP + 6
    by = {(one.source, one.target): one for one in moves}
    corner = Tile("corner", x, y, CHIP, CHIP - 4, "from", "from a row to a column", ("quiet",), font=11.0)
    head = [
        Tile(f"to:{r}", left + r * wide, y, wide, CHIP - 4, f"→{r}", f"rank {r} receives this column",
             kinds_of(page, r), font=font_for(f"→{r}", wide, 16.0), dim=r)
        for r in ranks
    ]  # fmt: skip
    rows = [(corner, *head)]
    for source in ranks:
        down = top + source * high
        first = Tile(f"from:{source}", x, down, CHIP, high, f"{source}→", f"rank {source} sends this row",
                     kinds_of(page, source), font=15.0, dim=source)  # fmt: skip
        pieces = (
            _message(page, by.get((source, to)), (source, to), (left + to * wide, down, wide, high), item)
            for to in ranks
        )
        rows.append((first, *pieces))
    label = f"{step.name}: the bytes that each rank (a row) sends each other (a column)"
    return Table("messages", label, tuple(rows)), top + high * len(ranks)


def _message(
    page: Page, move: Move | None, pair: tuple[int, int], spot: tuple[float, float, float, float], item: int
) -> Tile:
    key = f"message:{pair[0]},{pair[1]}"
    if move is None:
        return Tile(key, *spot, "–", f"rank {pair[0]} sends rank {pair[1]} nothing", ("blank",), font=12.0)
    stays = move.source == move.target
    text = (
        in_cell(count(move.box) * item, int((spot[2] - 9) / (9 * MONO)))
        if not stays
        else "stays"
        if spot[2] > 44
        else "·"
    )
    kinds: tuple[str, ...] = ("grey",) if stays else ()
    if page.chosen == pair:
        kinds = ("lit",)
    said = message_words(page.of.layout.size, move, item)
    return Tile(
        key, *spot, text, said, kinds, action="message", font=font_for(text, spot[2], 17.0), full=said
    )


def _linked(matrix: Table, moves: Sequence[Move], before: Grid, after: Grid) -> Table:
    """Each message with the blocks from which and into which it goes."""
    kin = {}
    for one in moves:
        keys = [
            next((k for (r, box), k in grid.keys.items() if r == rank and within(one.box, box)), "")
            for grid, rank in ((before, one.source), (after, one.target))
        ]
        kin[f"message:{one.source},{one.target}"] = tuple(filter(None, keys))
    rows = tuple(tuple(replace(tile, kin=kin.get(tile.key, ())) for tile in row) for row in matrix.rows)
    return replace(matrix, rows=rows)
