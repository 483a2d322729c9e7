"""The way back rehearsed: every node is asked for its own derivative, and what arrives is added up, as the engine does.

Nothing of the learner's is touched: no ``.grad`` is written, nothing is freed and no hook runs.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Sequence
from itertools import count
from typing import Any

from tensorkit_widgets.graph.adapter import Live, outputs_of, size_of, value_of
from tensorkit_widgets.graph.model import Graph, Value, Vertex, Visit, Walk
from tensorkit_widgets.namespace.storage_adapter import leaf_of


def rehearse(graph: Graph, live: Live, gradient: Any = None) -> Walk:
    """Walk back from the tensors as ``backward`` would, and note every gradient; nothing of the learner's changes.

    Args:
        gradient: what to begin with, one tensor for each output; None for ones.
    """
    if graph.cut:
        return Walk((), error=f"only the first {len(graph.vertices):,} nodes are drawn: too many to walk")
    if all(graph.vertices[number].kind == "constant" for number, _ in graph.roots):
        return Walk((), error="no gradient flows: nothing here requires grad")
    library = sys.modules[graph.library]
    with library.no_grad():
        return _Rehearsal(graph, live).walk(gradient)


class _Rehearsal:
    def __init__(self, graph: Graph, live: Live) -> None:
        self.graph, self.live = graph, live
        self.waiting = [0] * len(graph.vertices)
        self.buffers: dict[int, dict[int, Any]] = {}
        for vertex in graph.vertices:
            for one in vertex.inputs:
                if one.gradient and one.source is not None:
                    self.waiting[one.source] += 1
        self.heap: list[tuple[int, int, int]] = []
        self.ticket = count()

    def walk(self, gradient: Any) -> Walk:
        visits: list[Visit] = []
        start, begins = self._begin(gradient)
        for number, _ in dict.fromkeys(self.graph.roots):
            if not self.waiting[number] and self.graph.vertices[number].kind != "constant":
                self._ready(number)
        while self.heap:
            number = heapq.heappop(self.heap)[2]
            try:
                visits.append(self._visit(number))
            except Exception as error:  # the engine's own words, or whatever a Function raised
                return Walk(tuple(visits), start, begins, f"{type(error).__name__}: {error}", number)
        return Walk(tuple(visits), start, begins)

    def _begin(self, gradient: Any) -> tuple[str, tuple[Value | None, ...]]:
        roots = self.graph.roots
        given = list(gradient) if isinstance(gradient, tuple | list) else [gradient] * len(roots)
        begins: list[Value | None] = []
        many = False
        for (number, nr), tensor, first in zip(roots, self.live.tensors, given, strict=True):
            if self.graph.vertices[number].kind == "constant":
                begins.append(None)
                continue
            grad = tensor.detach().new_ones(tensor.size()) if first is None else first
            self._arrive(number, nr, grad)
            begins.append(value_of(grad))
            many |= first is None and tensor.numel() != 1
        return _beginning(gradient is not None, many), tuple(begins)

    def _ready(self, number: int) -> None:
        part = self.live.parts[number]
        sequence = getattr(part, "sequence", None)
        if sequence is None:
            sequence = part._sequence_nr()
        late = self.graph.vertices[number].kind == "leaf"
        # Leaves that are ready at once take their turns as they became it, as in the engine.
        heapq.heappush(self.heap, (-(1 << 62) if late else -int(sequence), next(self.ticket), number))

    def _arrive(self, number: int, nr: int, grad: Any) -> None:
        held = self.buffers.setdefault(number, {})
        if grad is not None:
            held[nr] = held[nr] + grad if nr in held else grad

    def _visit(self, number: int) -> Visit:
        vertex, part = self.graph.vertices[number], self.live.parts[number]
        arrived = self.buffers.pop(number, {})
        grads = [arrived.get(nr) for nr in range(max([outputs_of(part), *(nr + 1 for nr in arrived)]))]
        seen = tuple(None if g is None else value_of(g) for g in grads)
        if vertex.kind == "leaf":
            return Visit(number, seen, fills=self._filled(leaf_of(part), grads[0] if grads else None))
        sent = [] if all(g is None for g in grads) else _derivative(part, grads)
        values: list[Value | None] = []
        for k, one in enumerate(vertex.inputs):
            grad = sent[k] if k < len(sent) else None
            if one.gradient and one.source is not None:
                grad = None if grad is None else _fitted(grad, self.live.parts[one.source], one.output)
                self._arrive(one.source, one.output, grad)
                self.waiting[one.source] -= 1
                if not self.waiting[one.source]:
                    self._ready(one.source)
            values.append(None if grad is None or not one.gradient else value_of(grad))
        return Visit(number, seen, tuple(values), self._collected(vertex, part, grads))

    @staticmethod
    def _filled(leaf: Any, grad: Any) -> Value | None:
        held = leaf.grad
        if grad is None:
            return None if held is None else value_of(held)
        return value_of(grad if held is None else held.detach() + grad)

    @staticmethod
    def _collected(vertex: Vertex, part: Any, grads: list[Any]) -> Value | None:
        """What a result that retains its gradient will hold."""
        return value_of(grads[0]) if vertex.collects and grads and grads[0] is not None else None


def _beginning(given: bool, many: bool) -> str:
    if given:
        return "the walk begins with the gradient that was given"
    if many:
        return "backward() alone refuses more than one number, so this walk begins with a gradient of ones"
    return "the walk begins with the gradient 1"


def _derivative(part: Any, grads: list[Any]) -> Sequence[Any]:
    """A node's own derivative, without its hooks."""
    call = part if callable(part) else part.apply
    results = call(*grads)
    return results if isinstance(results, tuple | list) else (results,)


def _fitted(grad: Any, target: Any, nr: int) -> Any:
    """The gradient, added up over what broadcasting had repeated."""
    size = size_of(target, nr)
    if size is None or tuple(grad.size()) == size:
        return grad
    extra = grad.dim() - len(size)
    dims = [*range(extra), *(d + extra for d, n in enumerate(size) if n == 1 and grad.size(d + extra) != 1)]
    return (grad.sum(dims, keepdim=True) if dims else grad).reshape(size)
