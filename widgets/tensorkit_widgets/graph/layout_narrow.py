"""Places for a graph's boxes and wires on a narrow page: boxes that find no room in their row stand in the next one up.

The picture is the same otherwise: forward down the page, gradients up the same wires. A tensor that is used in several
rows is drawn once, and named where it is used again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tensorkit_widgets.drawing.page_width import clipped, code_lines
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.graph.layout import MOST_BENDS, Layout
from tensorkit_widgets.graph.layout_layered import LEAST, layers_of
from tensorkit_widgets.graph.plan import Plan
from tensorkit_widgets.graph.scene_boxes import fitted, reference
from tensorkit_widgets.graph.step import Moment

NEAR = 2  # a tensor's wire over more layers than this becomes a reference beside its user
PASSING = 4  # wires that find room beside the widest box
MOST_LINES = 10

Pair = tuple[int, int]


def rows_within(
    widths: Mapping[int, float], edges: Sequence[Pair], room: float, gap: float, wire: float
) -> dict[int, int]:
    """The row of each node, filled from the last one up, so that none is wider than ``room`` where that can be.

    Args:
        widths: of the nodes.
        edges: from source to user, which stands further down; no pair twice.
        room: the width of a row.
        gap: the least room between neighbours.
        wire: what a wire takes of a row that it passes.

    >>> rows_within({1: 50, 2: 50, 3: 50}, [(1, 3), (2, 3)], 120, 10, 5)
    {1: 0, 2: 0, 3: 1}
    >>> rows_within({1: 50, 2: 50, 3: 50}, [(1, 3), (2, 3)], 100, 10, 5)
    {1: 1, 2: 0, 3: 2}
    """
    above: dict[int, list[int]] = {node: [] for node in widths}
    unmet = dict.fromkeys(widths, 0)
    for source, target in edges:
        above[target].append(source)
        unmet[source] += 1
    users = dict(unmet)
    shallow = layers_of(list(widths), [(target, source) for target in above for source in above[target]])
    since = {node: 0 for node in widths if not users[node]}
    passing, row, height = 0, 0, {}
    while since:
        # Tensors first, which end a wire, then what has most above it: who waits sends its wires past this row.
        queue = sorted(since, key=lambda node: (bool(above[node]), shallow[node], since[node], node))
        placed: list[int] = []
        used = 0.0
        for node in queue:
            if not placed or used + widths[node] + (passing - users[node]) * wire <= room:
                placed.append(node)
                used += widths[node] + gap
                passing -= users[node]
            elif above[node]:
                break  # an operation before its turn would only send more wires past those that wait
        row += 1
        for node in placed:
            height[node] = row
            del since[node]
            passing += len(above[node])
            for source in above[node]:
                unmet[source] -= 1
                if not unmet[source]:
                    since[source] = row
    return {node: row - height[node] for node in widths}


class _Narrow(Layout):
    """Places on a page of a given width."""

    margin = 16.0
    gap = 18.0
    bend = 2.0

    def __init__(self, plan: Plan, moment: Moment, page: float, sayings: Sequence[str]) -> None:
        self.page, self.sayings = page, sayings
        self.room = page - 2 * self.margin
        super().__init__(plan, moment)

    def _route(self) -> None:
        wire = 2 * self.bend + LEAST
        most = self.room - PASSING * wire
        self.boxes = {number: fitted(box, most) for number, box in self.boxes.items()}
        starts = {pair: self._start(pair) for pair in self.plan.wires}
        widths = {number: box.full_width for number, box in self.boxes.items()}
        edges = [(start, pair[1]) for pair, start in starts.items()]
        self.layer = rows_within(widths, edges, self.room, self.gap / 2, wire)
        if sum(self.layer[target] - self.layer[start] for start, target in edges) > MOST_BENDS:
            raise OverflowError("more wires pass one another than a narrow page can show")
        for pair, start in starts.items():
            self._road(pair, start)

    def _start(self, pair: Pair) -> int:
        """Where a wire begins: at its source, or at a new reference to a tensor that is used in several rows."""
        source, target = pair
        box = self.boxes[source]
        if box.kind == "op" or self.layer[target] - self.layer[source] <= NEAR:
            return source
        self.next -= 1
        self.boxes[self.next] = reference(self.next, box)
        return self.next

    # ---- words

    def _head(self, words: Sequence[tuple[str, bool]]) -> tuple[list[Note], float]:
        title = code_lines(f"GraphView: {self.plan.graph.title}"[:90], self.room, 17)[:3]
        notes = [
            Note(self.margin, 34 + 22 * k, clipped(line, self.room, 17), "code")
            for k, line in enumerate(title)
        ]
        y = notes[-1].y + 24
        for text, bad in words:
            for line in wrap(text, self.room, 15 if bad else 13):
                notes.append(Note(self.margin, y, line, "alarm" if bad else "muted"))
                y += 18
            y += 4
        return notes, y - 8

    def _panel(self, said: str, down: float) -> tuple[list[Note], tuple[float, float, float, float]]:
        """As high as the longest sentence of the walk needs it, so that nothing moves from step to step."""
        inner = self.room - 28
        lines = wrap(said, inner, 14.0)
        if len(lines) > MOST_LINES:
            lines[MOST_LINES - 1 :] = [lines[MOST_LINES - 1] + " …"]
        high = min(MOST_LINES, max(len(wrap(one, inner, 14.0)) for one in (said, *self.sayings)))
        notes = [Note(self.margin + 14, down + 25 + 20 * k, line, "turn") for k, line in enumerate(lines)]
        return notes, (self.margin, down, self.room, 20.0 * high + 22)


def narrowed(plan: Plan, moment: Moment, page: float, sayings: Sequence[str]) -> Layout | None:
    """The layout for a page of this width, or None where there are too many wires for it.

    ``sayings`` are the sentences of all steps.
    """
    try:
        return _Narrow(plan, moment, page, sayings)
    except OverflowError:
        return None
