"""Places for a graph's boxes and wires on a page that is as wide as the graph needs.

Forward runs down the page, from the leaves to the loss; gradients climb back up the same wires.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import inf

from tensorkit_widgets.drawing.boxes import Begin, Box, Edge, Key, KeyKind, label_width
from tensorkit_widgets.drawing.parts import Frame, Note
from tensorkit_widgets.drawing.sheet import PAGE, Sheet
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.graph.layout_layered import kept_in, layers_of, order_layers, place_layers, spread
from tensorkit_widgets.graph.model import Graph, Value
from tensorkit_widgets.graph.plan import Plan
from tensorkit_widgets.graph.scene_boxes import grown, reference
from tensorkit_widgets.graph.step import Moment
from tensorkit_widgets.graph.words import about

WIDTH = PAGE
MOST_PANEL = 1240.0
PANEL = 72.0
KEYS: tuple[tuple[KeyKind, str, float, float], ...] = (
    ("leaf", "leaf", 34.0, 6.6), ("op", "operation", 34.0, 6.6), ("constant", "no gradient", 34.0, 6.6),
    ("kept", "saved for the way back", 16.0, 6.4), ("gone", "let go", 16.0, 6.4),
    ("modified", "changed since", 16.0, 6.4), ("gradient", "gradient", 20.0, 6.4),
)  # fmt: skip
"""Of the legend: a sign, what it means, the room of the sign and that of a letter."""
LONG = 4  # a wire over more layers than this becomes a reference beside its user
MOST_BENDS = 6000


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSheet(Sheet):
    """A graph, and how far its rehearsal is shown; the text twin is made of these too."""

    graph: Graph
    step: int
    steps: int
    starts: tuple[Value | None, ...]
    folded: int


class Layout:
    """Places for a plan's boxes and wires: each row as wide as it is, and the page with it."""

    page = WIDTH
    margin = 28.0
    gap = 26.0
    bend = 6.0
    """Half the room of a wire that passes a row."""
    room = inf

    def __init__(self, plan: Plan, moment: Moment) -> None:
        self.plan, self.moment = plan, moment
        self.boxes = dict(plan.boxes)
        self.next = -1
        self.edges: list[tuple[int, int]] = []
        self.roads: dict[tuple[int, int], list[int]] = {}
        self.layer = layers_of(list(self.boxes), list(plan.wires))
        self._route()
        self.coming: dict[int, list[int]] = {}
        for road in self.roads.values():
            self.coming.setdefault(road[-1], []).append(road[-2])
        rows: list[list[int]] = [[] for _ in range(1 + max(self.layer.values(), default=0))]
        for node, k in self.layer.items():
            rows[k].append(node)
        sides = {node: self._sides(node) for node in self.layer}
        light = frozenset(node for node, box in self.boxes.items() if box.kind != "op")
        self.rows, self.x = _arranged(
            tuple(map(tuple, rows)), tuple(self.edges), tuple(sides.items()), light, self.gap, self.room
        )
        low = min(self.x[n] - sides[n][0] for n in self.x)
        high = max(self.x[n] + sides[n][1] for n in self.x)
        self.width = max(self.page, high - low + 2 * self.margin)
        shift = (self.width - (high - low)) / 2 - low
        self.x = {node: round(x + shift, 2) for node, x in self.x.items()}

    def _sides(self, node: int) -> tuple[float, float]:
        """The room left and right of where a box's wires are: its jar stands to the right."""
        box = self.boxes.get(node)
        return (self.bend, self.bend) if box is None else (box.width / 2, box.full_width - box.width / 2)

    def _fresh(self, layer: int) -> int:
        self.next -= 1
        self.layer[self.next] = layer
        return self.next

    def _route(self) -> None:
        """Long wires bend in every layer that they pass; very long ones become a reference to their source."""
        bends = 0
        for source, target in list(self.plan.wires):
            top, bottom = self.layer[source], self.layer[target]
            span = bottom - top
            tensor = self.boxes[source].kind != "op"
            if span > LONG and (tensor or bends + span > MOST_BENDS):
                tag = self._fresh(bottom - 1)
                self.boxes[tag] = reference(tag, self.boxes[source])
                self._road((source, target), tag)
            else:
                self._road((source, target), source)
                bends += span - 1

    def _road(self, pair: tuple[int, int], start: int) -> None:
        """The way of a wire, row by row, from its source or from the reference to it."""
        target = pair[1]
        between = range(self.layer[start] + 1, self.layer[target])
        road = [start, *(self._fresh(k) for k in between), target]
        self.roads[pair] = road
        self.edges += list(pairwise(road))

    def scene(
        self, said: str, steps: tuple[int, int], status: str, folded: tuple[int, int, int]
    ) -> GraphSheet:
        """All of it with its places; ``folded`` counts the runs, the bundles and the calls that are."""
        graph = self.plan.graph
        words = about(graph, *folded)
        notes, down = self._head(words)
        spoken, panel = self._panel(said, down)
        top = down + panel[3] + 16
        labels = self._labels()
        tops, bottoms = self._heights(top, labels)
        boxes = tuple(
            self._placed(box, tops[self.layer[number]])
            for number, box in sorted(self.boxes.items(), reverse=True)
        )
        wires = self._apart(
            {pair: self._wire(pair, tops, bottoms, labels) for pair in self.plan.wires}, labels
        )
        bottom = (bottoms[-1] if bottoms else top) + 44
        legend = self._legend(bottom + 12)
        place = {box.number: box for box in boxes}
        return GraphSheet(
            "GraphView", graph.title, legend[-1].y + 22, (), (*notes, *spoken), (Frame(*panel),),
            words=tuple(t for t, _ in words), said=said, status=status, width=round(self.width, 2), boxes=boxes,
            boxes_label=f"the graph of {graph.title}, {len(graph.vertices)} nodes", edges=tuple(wires.values()),
            begins=tuple(self._begins(place)), keys=legend, graph=graph, step=steps[0], steps=steps[1],
            starts=self.moment.begins, folded=sum(folded),
        )  # fmt: skip

    def _begins(self, place: Mapping[int, Box]) -> Iterator[Begin]:
        """The gradients that the walk begins with, under the tensors that it begins from."""
        for (number, _), value in zip(self.plan.graph.roots, self.moment.begins, strict=False):
            box = place.get(number)
            if value is not None and box is not None:
                half = label_width(value.text) / 2 + 6
                label_x = max(half, min(round(self.width, 2) - half, box.middle))
                yield Begin(number, box.middle, box.y + box.height, label_x, value.text)

    def _head(self, words: Sequence[tuple[str, bool]]) -> tuple[list[Note], float]:
        """The title, and the words about the whole graph; and where they end."""
        notes = [Note(self.margin, 24, f"GraphView: {self.plan.graph.title}"[:90], "code")]
        notes += [
            Note(self.margin, 46 + 20 * k, text, "alarm" if bad else "muted")
            for k, (text, bad) in enumerate(words)
        ]
        return notes, 38.0 + 20 * len(words)

    def _panel(self, said: str, down: float) -> tuple[list[Note], tuple[float, float, float, float]]:
        """The words of the step, in three lines, or in four smaller ones; and the box around them."""
        width = min(self.width, MOST_PANEL) - 2 * self.margin
        lines, first, step, role = wrap(said, width - 36, 14.0), 22.0, 20.0, "turn"
        if len(lines) > 3:
            lines, first, step, role = wrap(said, width - 36, 12.5), 16.0, 17.0, "turn-small"
        if len(lines) > 4:
            lines[3:] = [lines[3] + " …"]
        notes = [Note(self.margin + 18, down + first + step * k, line, role) for k, line in enumerate(lines)]
        return notes, (self.margin, down, width, PANEL)

    def _legend(self, y: float) -> tuple[Key, ...]:
        """What the shapes mean, on as many lines as it takes."""
        out, x = [], self.margin
        for kind, words, lead, letter in KEYS:
            wide = lead + len(words) * letter
            if x + wide > self.page - self.margin:
                x, y = self.margin, y + 24
            out.append(Key(kind, words, x, y, lead))
            x += wide + 18
        return tuple(out)

    def _placed(self, box: Box, top: float) -> Box:
        return grown(box, self.x[box.number] - box.width / 2, top)

    def _labels(self) -> dict[tuple[int, int], tuple[int, int]]:
        """For each wire that carries a gradient: the layer above its label, and which line of that gap it is on."""
        out: dict[tuple[int, int], tuple[int, int]] = {}
        taken: dict[int, list[list[tuple[float, float]]]] = {}
        for pair in sorted(self.plan.wires, key=lambda p: (self.x[self.roads[p][0]], p)):
            if not self.plan.carries(pair):
                continue
            road = self.roads[pair]
            at = (len(road) - 2) // 2
            gap = self.layer[road[at]]
            half = self._room(pair) / 2 + 5
            middle = self._inside((self.x[road[at]] + self.x[road[at + 1]]) / 2, half)
            lines = taken.setdefault(gap, [])
            free = (
                k
                for k, line in enumerate(lines)
                if all(b < middle - half or a > middle + half for a, b in line)
            )
            line = next(free, len(lines))
            if line == len(lines):
                lines.append([])
            lines[line].append((middle - half, middle + half))
            out[pair] = (gap, line)
        return out

    def _inside(self, x: float, half: float) -> float:
        """The middle of something as wide as twice ``half``, no further out than the page goes."""
        return max(half + 6, min(self.width - half - 6, x))

    def _room(self, pair: tuple[int, int]) -> float:
        """The width that a gradient's label may need: it is kept free before there is a gradient."""
        vertex = self.plan.graph.vertices[pair[0]]
        size = vertex.value.size if vertex.value else vertex.size
        count = 1
        for n in size or ():
            count *= n
        return 7.3 * min(28, 6 + 6 * count)

    def _heights(
        self, top: float, labels: dict[tuple[int, int], tuple[int, int]]
    ) -> tuple[list[float], list[float]]:
        lines = [0] * (len(self.rows) + 1)
        for gap, line in labels.values():
            lines[gap] = max(lines[gap], line + 1)
        tops, bottoms = [], []
        for k, row in enumerate(self.rows):
            tops.append(top)
            bottoms.append(top + max((self.boxes[n].height for n in row if n in self.boxes), default=12.0))
            top = bottoms[-1] + 24 + 19 * lines[k]
        return tops, bottoms

    def _wire(
        self,
        pair: tuple[int, int],
        tops: list[float],
        bottoms: list[float],
        labels: dict[tuple[int, int], tuple[int, int]],
    ) -> Edge:
        road = self.roads[pair]
        first = self.boxes[road[0]]
        points = [(self.x[road[0]], tops[self.layer[road[0]]] + first.height)]
        if bottoms[self.layer[road[0]]] > points[0][1]:
            points.append((points[0][0], bottoms[self.layer[road[0]]]))
        for node in road[1:-1]:
            points += [(self.x[node], tops[self.layer[node]]), (self.x[node], bottoms[self.layer[node]])]
        points.append((self._port(road), tops[self.layer[road[-1]]]))
        members = self.plan.wires[pair]
        state, label, full = self.moment.on_wire(members)
        x, y = 0.0, 0.0
        if pair in labels:
            gap, line = labels[pair]
            y = bottoms[gap] + 19 + 19 * line
            x = round(_across(points, y - 4), 2)
        return Edge(
            *pair, tuple(points), self.plan.carries(pair), tuple(sorted({k for _, k in members})), state, label, full,
            x, y,
        )  # fmt: skip

    def _apart(
        self, wires: dict[tuple[int, int], Edge], labels: dict[tuple[int, int], tuple[int, int]]
    ) -> dict[tuple[int, int], Edge]:
        """The labels of a line stand beside one another, and on the page: a slanting wire brings them together."""
        lines: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for pair, line in labels.items():
            if wires[pair].label:
                lines.setdefault(line, []).append(pair)
        for pairs in lines.values():
            pairs.sort(key=lambda pair: (wires[pair].label_x, pair))
            half = [label_width(wires[pair].label) / 2 for pair in pairs]
            gaps = [a + b + 6 for a, b in pairwise(half)]
            wishes = [wires[pair].label_x for pair in pairs]
            if any(b - a < gap for (a, b), gap in zip(pairwise(wishes), gaps, strict=True)):
                wishes = spread(wishes, gaps)
            places = kept_in(wishes, gaps, half[0] + 6, self.width - half[-1] - 6)
            for pair, x in zip(pairs, places, strict=True):
                wires[pair] = replace(wires[pair], label_x=round(x, 2))
        return wires

    def _port(self, road: list[int]) -> float:
        """Where a wire enters its user: side by side with the others, in the order in which they come."""
        target = road[-1]
        coming = sorted(self.coming[target], key=lambda n: (self.x[n], n))
        box, k = self.boxes[target], coming.index(road[-2])
        step = min(34.0, (box.width - 30) / max(1, len(coming)))
        return round(self.x[target] + (k - (len(coming) - 1) / 2) * step, 2)


@lru_cache(maxsize=16)
def _arranged(
    rows: tuple[tuple[int, ...], ...],
    edges: tuple[tuple[int, int], ...],
    sides: tuple[tuple[int, tuple[float, float]], ...],
    light: frozenset[int],
    gap: float,
    room: float,
) -> tuple[list[list[int]], Mapping[int, float]]:
    """The boxes of each row in order, and the x of each: nothing moves from step to step, so it is found once."""
    ordered = order_layers([list(row) for row in rows], edges)
    return ordered, place_layers(ordered, edges, dict(sides), light, gap, room=room)


def _across(points: Sequence[tuple[float, float]], y: float) -> float:
    """The x of a wire at height ``y``: along the same curve as it is drawn."""
    for (x1, y1), (x2, y2) in pairwise(points):
        if y1 <= y <= y2 and y2 > y1:
            t = (y - y1) / (y2 - y1)
            # The curve leaves and arrives upright: y(t) with both controls in the middle, turned round by bisection.
            low, high = 0.0, 1.0
            for _ in range(24):
                middle = (low + high) / 2
                if 1.5 * middle * (1 - middle) + middle**3 < t:
                    low = middle
                else:
                    high = middle
            return x1 + (x2 - x1) * (3 * low**2 - 2 * low**3)
    return points[-1][0]
