"""A layered layout of a graph without circles: pure numbers, the same for the same graph.

Layers by the longest path, order within a layer by barycentres, places by least squares with a least distance between
neighbours (isotonic regression: pool adjacent violators).
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import pairwise
from math import inf

Edge = tuple[int, int]
LEAST = 4.0
"""Neighbours stand no closer, however little room there is."""
_AROUND = 5


def layers_of(nodes: Sequence[int], edges: Sequence[Edge]) -> dict[int, int]:
    """The layer of each node, as late as its users allow: what is used far down stands far down.

    >>> layers_of([1, 2, 3, 4], [(1, 2), (2, 3), (4, 3)])
    {1: 0, 2: 1, 3: 2, 4: 1}
    """
    above: dict[int, list[int]] = {node: [] for node in nodes}
    users = dict.fromkeys(nodes, 0)
    for source, target in edges:
        above[target].append(source)
        users[source] += 1
    height = dict.fromkeys(nodes, 0)
    ready = [node for node in nodes if not users[node]]
    for node in ready:
        for source in above[node]:
            height[source] = max(height[source], height[node] + 1)
            users[source] -= 1
            if not users[source]:
                ready.append(source)
    top = max(height.values(), default=0)
    return {node: top - height[node] for node in nodes}


def order_layers(layers: list[list[int]], edges: Sequence[Edge], sweeps: int = 8) -> list[list[int]]:
    """The nodes of each layer from left to right, with few crossings. Edges join neighbouring layers only."""
    up, down = _neighbours(edges)
    best, fewest = [list(layer) for layer in layers], crossings(layers, down)
    order = [list(layer) for layer in layers]
    for sweep in range(sweeps):
        if not fewest:
            break
        forward = sweep % 2 == 0
        for k in range(1, len(order)) if forward else range(len(order) - 2, -1, -1):
            at = {node: x for x, node in enumerate(order[k - 1 if forward else k + 1])}
            _by_barycentre(order[k], up if forward else down, at)
        count = crossings(order, down)
        if count < fewest:
            best, fewest = [list(layer) for layer in order], count
    return best


def _neighbours(edges: Sequence[Edge]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    up: dict[int, list[int]] = {}
    down: dict[int, list[int]] = {}
    for source, target in edges:
        up.setdefault(target, []).append(source)
        down.setdefault(source, []).append(target)
    return up, down


def _by_barycentre(layer: list[int], near: Mapping[int, list[int]], at: Mapping[int, int]) -> None:
    weight = {}
    for x, node in enumerate(layer):
        places = [at[other] for other in near.get(node, ()) if other in at]
        weight[node] = sum(places) / len(places) if places else float(x)
    layer.sort(key=weight.__getitem__)


def crossings(layers: Sequence[Sequence[int]], down: Mapping[int, list[int]]) -> int:
    """How many pairs of edges cross."""
    count = 0
    for above, below in pairwise(layers):
        at = {node: x for x, node in enumerate(below)}
        seen: list[int] = []
        for node in above:
            places = sorted(at[target] for target in down.get(node, ()) if target in at)
            count += sum(len(seen) - bisect_right(seen, place) for place in places)
            for place in places:
                insort(seen, place)
    return count


def spread(
    wishes: Sequence[float], gaps: Sequence[float], weights: Sequence[float] | None = None
) -> list[float]:
    """The places nearest to the wishes, heavier ones first, that keep ``gaps`` between neighbours.

    >>> spread([0.0, 0.0, 30.0], [10.0, 10.0])
    [-5.0, 5.0, 30.0]
    """
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    blocks: list[tuple[float, float, int]] = []
    for wish, offset, weight in zip(wishes, offsets, weights or [1.0] * len(wishes), strict=True):
        blocks.append((wish - offset, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, v, n), (b, w, m) = blocks[-2:]
            blocks[-2:] = [((a * v + b * w) / (v + w), v + w, n + m)]
    flat = [mean for mean, _, count in blocks for _ in range(count)]
    return [value + offset for value, offset in zip(flat, offsets, strict=True)]


def place_layers(
    layers: Sequence[Sequence[int]],
    edges: Sequence[Edge],
    sides: Mapping[int, tuple[float, float]],
    light: Set[int],
    gap: float,
    sweeps: int = 8,
    room: float = inf,
) -> dict[int, float]:
    """The x of every node.

    Args:
        layers: the nodes from left to right, layer by layer.
        edges: which want to be upright, between neighbouring layers.
        sides: the room that a node takes to the left and to the right of its x.
        light: nodes that make way for the others, and whose edges count where a node has no other.
        gap: the room between neighbours.
        room: how wide all layers together may be; neighbours stand closer in a layer that would not fit.
    """
    up, down = _neighbours(edges)
    gaps = [_gaps(row, sides, gap, room) for row in layers]
    weights = [[0.02 if node in light else 1.0 for node in row] for row in layers]
    x: dict[int, float] = {}
    for row, least in zip(layers, gaps, strict=True):
        x.update(zip(row, spread([-sum(least) / 2] * len(row), least), strict=True))
    for sweep in range(sweeps):
        forward = sweep % 2 == 0
        first, other = (up, down) if forward else (down, up)
        for k in range(len(layers)) if forward else range(len(layers) - 1, -1, -1):
            wishes = [_wish(node, first.get(node, ()), other.get(node, ()), light, x) for node in layers[k]]
            x.update(zip(layers[k], spread(wishes, gaps[k], weights[k]), strict=True))
            x.update(_between(layers[k], x, gaps[k], sides, room))
    x = _upright(layers, x, light)
    for row, least in zip(layers, gaps, strict=True):
        x.update(_between(row, x, least, sides, room))
    return x


def _gaps(
    row: Sequence[int], sides: Mapping[int, tuple[float, float]], gap: float, room: float
) -> list[float]:
    """The distances between neighbours."""
    spare = room - sum(sum(sides[node]) for node in row)
    gap = min(gap, max(LEAST, spare / max(1, len(row) - 1)))
    return [sides[a][1] + sides[b][0] + gap for a, b in pairwise(row)]


def _between(
    row: Sequence[int],
    x: Mapping[int, float],
    gaps: Sequence[float],
    sides: Mapping[int, tuple[float, float]],
    room: float,
) -> Iterable[tuple[int, float]]:
    """A layer pushed into the room, which has its middle at 0."""
    if room == inf:
        return ()
    low, high = sides[row[0]][0] - room / 2, room / 2 - sides[row[-1]][1]
    return zip(row, kept_in([x[node] for node in row], gaps, low, high), strict=True)


def kept_in(places: Sequence[float], gaps: Sequence[float], low: float, high: float) -> list[float]:
    """Places as they are, but none below ``low`` or above ``high``, and neighbours still apart.

    >>> kept_in([0.0, 10.0, 30.0], [10.0, 10.0], 5.0, 40.0), kept_in([0.0, 10.0, 30.0], [10.0, 10.0], -5.0, 22.0)
    ([5.0, 15.0, 30.0], [0.0, 10.0, 22.0])
    """
    far, last, out = 0.0, high - sum(gaps), []
    for place, before in zip(places, (0.0, *gaps), strict=True):
        far += before
        out.append(far + max(low, min(last, place - far)))
    return out


def _upright(layers: Sequence[Sequence[int]], x: dict[int, float], light: Set[int]) -> dict[int, float]:
    """Take out the slope of a tall graph: each layer moves as a whole, by the mean place of the layers around it."""
    middles = []
    for row in layers:
        heavy = [x[node] for node in row if node not in light] or [x[node] for node in row]
        middles.append(sum(heavy) / len(heavy))
    out = {}
    for k, row in enumerate(layers):
        reach = min(_AROUND, k, len(layers) - 1 - k)  # as far up as down, or the ends would be pulled inwards
        around = middles[k - reach : k + reach + 1]
        shift = sum(around) / len(around)
        out.update({node: x[node] - shift for node in row})
    return out


def _wish(
    node: int, first: Sequence[int], other: Sequence[int], light: Set[int], x: Mapping[int, float]
) -> float:
    """Over the middle of the nodes it hangs on: the heavy ones of this side, else of the other, else the light ones."""
    for side in (first, other):
        heavy = [x[n] for n in side if n not in light]
        if heavy and (side is first or node in light):
            return sum(heavy) / len(heavy)
    if not first and not (node in light and other):
        return x[node]
    rest = [x[n] for n in first] or [x[n] for n in other]
    return sum(rest) / len(rest)
