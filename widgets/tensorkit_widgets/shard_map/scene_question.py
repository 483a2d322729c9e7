"""The picture of a question about a sharded tensor: an element, and the ranks to choose from. No block is shown."""

from __future__ import annotations

from itertools import pairwise

from tensorkit.distributed.tensor.layout import Layout
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import Sheet, Table, Tile, paragraph
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.shard_map.model import Question
from tensorkit_widgets.shard_map.scene_blocks import drawn_dims, edges, font_for
from tensorkit_widgets.shard_map.scene_page import LEFT, STYLES, Page, title_of
from tensorkit_widgets.shard_map.words import asked_words, element, span

ACROSS, DOWN = 400.0, 200.0
GUTTER = 62.0
ONE = 76.0
"""The element that is asked about: as large as its index needs."""
CHIP = 72.0


def compose_question(page: Page, question: Question) -> Sheet:
    """Which rank? The blocks are not drawn."""
    of = page.of
    lines = wrap(asked_words(of, question), page.room, 17)
    notes = list(paragraph(LEFT, 38.0, lines, "big", 25))
    y = 38 + 25.0 * len(lines)
    room = min(ACROSS, page.room - GUTTER - (44 + 4 * (CHIP + 12) if page.wide else 12))
    grid, more = _whole(page, of.layout, question, y + 16, room)
    notes += more
    wide = page.wide
    x = LEFT + GUTTER + room + 44 if wide else LEFT
    top = y + 16 if wide else grid.bottom + 26
    across = max(1, min(4, int((page.page - LEFT - x) // (CHIP + 12))))
    notes.append(Note(x, top + 12, "press the rank", "heading"))
    chips = tuple(
        Tile(f"guess:{r}", x + r % across * (CHIP + 12), top + 28 + r // across * (CHIP + 12), CHIP, CHIP, str(r),
             f"rank {r}", ("on",), action="guess", font=30.0, dim=r)
        for r in of.drawn
    )  # fmt: skip
    rows = tuple(chips[k : k + across] for k in range(0, len(chips), across))
    ranks = Table("guesses", "the ranks", rows)
    words = asked_words(of, question)
    return Sheet(
        "ShardMap", title_of(of), max(grid.bottom, ranks.bottom) + 24, (grid, ranks), tuple(notes),
        words=(words, "Press the rank, or give up."), said="press the rank", status="asked", width=page.page,
        styles=STYLES,
    )  # fmt: skip


def _whole(page: Page, layout: Layout, question: Question, y: float, room: float) -> tuple[Table, list[Note]]:
    """The tensor in one piece, with the element in it."""
    dims, notes, sides = drawn_dims([layout]), list[Note](), []
    for dim, space in zip(dims, (DOWN, room), strict=True):
        n, at = (1, 0) if dim is None else (layout.size[dim], question.index[dim])
        cuts = edges((0, at, at + 1, n), ONE if dim is None else space, ONE * (0.6 if dim == dims[0] else 1))
        sides.append(list(cuts.items()))
    left, top = LEFT + GUTTER, y + 24
    rows = []
    for k, ((a, y1), (b, y2)) in enumerate(pairwise(sides[0])):
        row = []
        for m, ((c, x1), (_, x2)) in enumerate(pairwise(sides[1])):
            places = ((a, dims[0]), (c, dims[1]))
            here = all(dim is None or question.index[dim] == place for place, dim in places)
            words = element(page.of.name, question.index) if here else "the rest of it"
            text = f"[{', '.join(map(str, question.index))}]" if here else ""
            row.append(Tile(f"at:{k},{m}", left + x1, top + y1, x2 - x1, y2 - y1, text, words,
                            ("changed",) if here else ("plain",), font=font_for(text, x2 - x1, 17.0)))  # fmt: skip
        rows.append(tuple(row))
        if dims[0] is not None:
            notes.append(Note(left - 8, top + (y1 + y2) / 2 + 5, span(a, b), "small", "end"))
    notes += [
        Note(left + (x1 + x2) / 2, top - 8, span(c, d), "small", "middle")
        for (c, x1), (d, x2) in pairwise(sides[1])
        if x2 - x1 > 7 * len(span(c, d)) + 4
    ]
    return Table("asked", "the tensor, in one piece, and the element", tuple(rows), told=False), notes
