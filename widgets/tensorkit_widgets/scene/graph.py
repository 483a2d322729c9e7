"""A graph, and a moment of its rehearsed way back, become one scene: boxes, jars, wires and words with their places.

Forward runs down the page, from the leaves to the loss; gradients climb back up the same wires.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tensorkit_widgets.graph_model import Graph, Value, Walk
from tensorkit_widgets.scene.graph_boxes import Box, Jar, Line, Marks, box_of, grown, reference
from tensorkit_widgets.scene.graph_fold import Fold, folds
from tensorkit_widgets.scene.graph_moment import Moment, moment_at, turns_of
from tensorkit_widgets.scene.graph_words import about, step_words
from tensorkit_widgets.scene.layers import layers_of, order_layers, place_layers
from tensorkit_widgets.scene.parts import Note
from tensorkit_widgets.scene.words import wrap

__all__ = [
    "Box",
    "GraphScene",
    "Jar",
    "Line",
    "MOST_PANEL",
    "Marks",
    "Wire",
    "compose_graph",
    "steps_of",
    "translated",
]

WIDTH = 960.0
MOST_PANEL = 1240.0
MARGIN = 28.0
GAP = 26.0
PANEL = 82.0
LONG = 4  # a wire over more layers than this becomes a reference beside its user
MOST_BENDS = 6000


@dataclass(frozen=True, slots=True)
class Wire:
    """From a tensor down to its user, through ``points``; ``label`` is the gradient that climbs up it."""

    source: int
    target: int
    points: tuple[tuple[float, float], ...]
    gradient: bool
    inputs: tuple[int, ...]
    state: str
    label: str
    full: str
    label_x: float
    label_y: float


@dataclass(frozen=True, slots=True)
class GraphScene:
    """Everything that is drawn, in a space ``width`` × ``height``."""

    width: float
    height: float
    graph: Graph
    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]
    notes: tuple[Note, ...]
    words: tuple[str, ...]
    said: str
    step: int
    steps: int
    status: str
    begins: tuple[Value | None, ...]
    panel: float
    folded: int
    legend: float


def _unit_of(graph: Graph, folded: Sequence[Fold]) -> list[int]:
    """The box of each vertex: its own number, or that of the first member of its fold."""
    unit = list(range(len(graph.vertices)))
    for fold in folded:
        for member in fold.members:
            unit[member] = fold.members[0]
    return unit


def steps_of(graph: Graph, walk: Walk, unfolded: Collection[int] = ()) -> int:
    """How many steps a rehearsal has: one for each box that runs, and one for a refusal."""
    return len(turns_of(walk, _unit_of(graph, folds(graph, unfolded))))


def translated(graph: Graph, walk: Walk, step: int, before: Collection[int], after: Collection[int]) -> int:
    """The step of a rehearsal that has come as far, when other runs are unfolded."""
    turns = turns_of(walk, _unit_of(graph, folds(graph, before)))
    done = turns[step - 1][1] if 0 < step <= len(turns) else 0
    later = turns_of(walk, _unit_of(graph, folds(graph, after)))
    return sum(stop <= done and stop > start for start, stop in later) if step else 0


class _Plan:
    """Boxes and wires without places."""

    def __init__(self, graph: Graph, folded: Sequence[Fold], moment: Moment) -> None:
        self.graph = graph
        self.unit = _unit_of(graph, folded)
        groups = {fold.members[0]: fold for fold in folded}
        names = _leaf_names(graph)
        self.boxes: dict[int, Box] = {}
        for number in sorted(set(self.unit)):
            vertex = graph.vertices[number]
            self.boxes[number] = box_of(graph, vertex, groups.get(number), moment, names[number])
        self.wires: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for vertex in graph.vertices:
            for k, one in enumerate(vertex.inputs):
                if one.source is not None and self.unit[one.source] != self.unit[vertex.number]:
                    pair = (self.unit[one.source], self.unit[vertex.number])
                    self.wires.setdefault(pair, []).append((vertex.number, k))

    def carries(self, pair: tuple[int, int]) -> bool:
        """Whether a gradient goes back along a wire."""
        return any(self.graph.vertices[v].inputs[k].gradient for v, k in self.wires[pair])


def _leaf_names(graph: Graph) -> dict[int, str]:
    """A name for every vertex; leaves without one are numbered."""
    out, count = {}, 0
    for vertex in graph.vertices:
        count += vertex.kind == "leaf" and not vertex.name
        out[vertex.number] = vertex.name or (f"leaf {count}" if vertex.kind == "leaf" else "")
    return out


def compose_graph(
    graph: Graph,
    walk: Walk | None = None,
    step: int = 0,
    unfolded: Collection[int] = (),
    past: str = "",
    walked: bool = False,
) -> GraphScene:
    """The scene of a graph.

    Args:
        graph: what was read.
        walk: its rehearsal, if there was one.
        step: how far the rehearsal is shown; 0 is before it.
        unfolded: first members of the runs that are drawn one by one.
        past: a sentence about what happened before, such as a real backward pass.
        walked: whether there was a real backward pass.
    """
    folded, walk = folds(graph, unfolded), walk or Walk(())
    turns = turns_of(walk, _unit_of(graph, folded))
    step = max(0, min(step, len(turns)))
    moment = moment_at(walk, turns, step)
    plan = _Plan(graph, folded, moment)
    steps = (step, len(turns))
    said = step_words(graph, moment, steps, plan.boxes, walk, past)
    return _Layout(plan, moment).scene(said, steps, _status(graph, moment, steps, walked), len(folded))


def _status(graph: Graph, moment: Moment, steps: tuple[int, int], walked: bool) -> str:
    if moment.error:
        return "refused"
    if steps[0]:
        return "done" if steps[0] == steps[1] else "rehearsing"
    if walked:
        return "walked"
    return "empty" if not graph.operations else "freed" if graph.freed else "ready"


class _Layout:
    """Places for a plan's boxes and wires."""

    def __init__(self, plan: _Plan, moment: Moment) -> None:
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
        self.rows = order_layers(rows, self.edges)
        sides = {node: self._sides(node) for node in self.layer}
        light = {node for node, box in self.boxes.items() if box.kind != "op"}
        self.x = place_layers(self.rows, self.edges, sides, light, GAP)
        low = min(self.x[n] - sides[n][0] for n in self.x)
        high = max(self.x[n] + sides[n][1] for n in self.x)
        self.width = max(WIDTH, high - low + 2 * MARGIN)
        shift = (self.width - (high - low)) / 2 - low
        self.x = {node: round(x + shift, 2) for node, x in self.x.items()}

    def _sides(self, node: int) -> tuple[float, float]:
        """The room left and right of where a box's wires are: its jar stands to the right."""
        box = self.boxes.get(node)
        return (6.0, 6.0) if box is None else (box.width / 2, box.full_width - box.width / 2)

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
                road = [tag, target]
            else:
                road = [source, *(self._fresh(k) for k in range(top + 1, bottom)), target]
                bends += span - 1
            self.roads[source, target] = road
            self.edges += list(pairwise(road))

    def scene(self, said: str, steps: tuple[int, int], status: str, folded: int) -> GraphScene:
        graph = self.plan.graph
        words = about(graph, folded)
        top = 54.0 + 20 * len(words) + PANEL + 30
        labels = self._labels()
        tops, bottoms = self._heights(top, labels)
        boxes = tuple(
            self._placed(box, tops[self.layer[number]])
            for number, box in sorted(self.boxes.items(), reverse=True)
        )
        wires = tuple(self._wire(pair, tops, bottoms, labels) for pair in self.plan.wires)
        notes = [Note(MARGIN, 34, f"GraphView: {graph.title}"[:90], "code")]
        notes += [
            Note(MARGIN, 58 + 20 * k, text, "alarm" if bad else "muted")
            for k, (text, bad) in enumerate(words)
        ]
        panel = 54.0 + 20 * len(words)
        notes += _said_notes(said, panel, min(self.width, MOST_PANEL))
        bottom = (bottoms[-1] if bottoms else top) + 44
        return GraphScene(
            round(self.width, 2), bottom + 48, graph, boxes, wires, tuple(notes), tuple(t for t, _ in words), said,
            *steps, status, self.moment.begins, panel, folded, bottom,
        )  # fmt: skip

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
            middle = (self.x[road[at]] + self.x[road[at + 1]]) / 2
            half = self._room(pair) / 2 + 5
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
            top = bottoms[-1] + 38 + 19 * lines[k]
        return tops, bottoms

    def _wire(
        self,
        pair: tuple[int, int],
        tops: list[float],
        bottoms: list[float],
        labels: dict[tuple[int, int], tuple[int, int]],
    ) -> Wire:
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
            y = bottoms[gap] + 25 + 19 * line
            x = round(_across(points, y - 4), 2)
        return Wire(
            *pair, tuple(points), self.plan.carries(pair), tuple(sorted({k for _, k in members})), state, label, full,
            x, y,
        )  # fmt: skip

    def _port(self, road: list[int]) -> float:
        """Where a wire enters its user: side by side with the others, in the order in which they come."""
        target = road[-1]
        coming = sorted(self.coming[target], key=lambda n: (self.x[n], n))
        box, k = self.boxes[target], coming.index(road[-2])
        step = min(34.0, (box.width - 30) / max(1, len(coming)))
        return round(self.x[target] + (k - (len(coming) - 1) / 2) * step, 2)


def _said_notes(said: str, panel: float, width: float) -> list[Note]:
    """The words of the step, in three lines, or in four smaller ones."""
    lines, step, role = wrap(said, width - 2 * MARGIN - 36, 14.0), 20.0, "turn"
    if len(lines) > 3:
        lines, step, role = wrap(said, width - 2 * MARGIN - 36, 12.5), 17.0, "turn-small"
    if len(lines) > 4:
        lines[3:] = [lines[3] + " …"]
    return [Note(MARGIN + 18, panel + 25 + step * k, line, role) for k, line in enumerate(lines)]


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
