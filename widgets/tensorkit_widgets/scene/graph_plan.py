"""What is drawn of a graph, before it has places: the boxes of a moment, and the wires between them."""

from __future__ import annotations

from collections.abc import Sequence

from tensorkit_widgets.graph_model import Graph
from tensorkit_widgets.scene.graph_boxes import Box, box_of
from tensorkit_widgets.scene.graph_fold import Fold
from tensorkit_widgets.scene.graph_moment import Moment

__all__ = ["Plan", "unit_of"]


def unit_of(graph: Graph, folded: Sequence[Fold]) -> list[int]:
    """The box of each vertex: its own number, or that of the first member of its fold."""
    unit = list(range(len(graph.vertices)))
    for fold in folded:
        for member in fold.members:
            unit[member] = fold.members[0]
    return unit


class Plan:
    """Boxes and wires without places."""

    def __init__(self, graph: Graph, folded: Sequence[Fold], moment: Moment) -> None:
        self.graph = graph
        self.unit = unit_of(graph, folded)
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
