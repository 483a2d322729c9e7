"""What is drawn of a graph, before it has places: the boxes of a moment, and the wires between them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tensorkit_widgets.drawing.boxes import Box
from tensorkit_widgets.graph.model import Graph
from tensorkit_widgets.graph.scene_boxes import box_of
from tensorkit_widgets.graph.scene_fold import Bundle, Fold, bundles, folds, folds_of_calls
from tensorkit_widgets.graph.step import Moment

Group = Fold | Bundle


def groups_of(graph: Graph, opened: Collection[int] = ()) -> list[Group]:
    """What is drawn as one box: the calls of modules and runs that are folded, and the many inputs of one operation,
    also when they are open."""
    calls = folds_of_calls(graph, opened)
    taken = {member for call in calls for member in call.members}
    return [*calls, *folds(graph, opened, taken), *bundles(graph, opened)]


def unit_of(graph: Graph, groups: Sequence[Group]) -> list[int]:
    """The box of each vertex: its own number, or that of the first member of its group."""
    unit = list(range(len(graph.vertices)))
    for group in groups:
        for member in group.members:
            unit[member] = group.members[0]
    return unit


class Plan:
    """Boxes and wires without places."""

    def __init__(self, graph: Graph, groups: Sequence[Group], moment: Moment) -> None:
        self.graph = graph
        self.unit = unit_of(graph, groups)
        first = {group.members[0]: group for group in groups}
        names = _leaf_names(graph)
        self.boxes: dict[int, Box] = {}
        for number in sorted(set(self.unit)):
            vertex = graph.vertices[number]
            self.boxes[number] = box_of(graph, vertex, first.get(number), moment, names)
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
