"""Folding: the call of a module becomes one box, a long run of the same operations, and the many leaves of one.

So a graph of hundreds stays readable, and no row is wider than a page because one operation has many inputs.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tensorkit_widgets.graph.model import Call, Graph, Vertex

_LONGEST_PERIOD = 4
_FEWEST = {1: 4}  # repeats of one operation; of a pattern of several, three will do
_FEWEST_INPUTS = 8  # so many boxes beside one another are wider than any page
_MOST_BOXES = (
    16  # so many operations are looked over at once: of a larger graph, only the outer calls are drawn
)


@dataclass(frozen=True, slots=True)
class Fold:
    """Operations drawn as one: ``members`` from the loss's side on; ``repeats`` times ``pattern``, forward order.

    The call of a module has its ``name`` instead. ``key`` is what unfolds it.
    """

    members: tuple[int, ...]
    pattern: tuple[str, ...]
    repeats: int
    key: int
    name: str = ""

    @property
    def title(self) -> str:
        """What the box is called."""
        return self.name or f"× {self.repeats} {' · '.join(self.pattern)}"


@dataclass(frozen=True, slots=True)
class Bundle:
    """Tensors drawn as one box, because one operation alone uses them: ``members`` in the order of its inputs.

    Opened, the box has a line for each.
    """

    members: tuple[int, ...]
    opened: bool


def bundles(graph: Graph, opened: Collection[int] = ()) -> list[Bundle]:
    """The leaves, and the constants, of operations with many of them; one is open when its first member is in
    ``opened``."""
    users = _users(graph)
    roots = {number for number, _ in graph.roots}
    out = []
    for vertex in graph.vertices:
        sources = dict.fromkeys(one.source for one in vertex.inputs if one.source is not None)
        for kind in ("leaf", "constant"):
            members = tuple(
                source
                for source in sources
                if graph.vertices[source].kind == kind
                and users[source] == {vertex.number}
                and source not in roots
            )
            if len(members) >= _FEWEST_INPUTS:
                out.append(Bundle(members, members[0] in opened))
    return out


def folds_of_calls(graph: Graph, unfolded: Collection[int] = ()) -> list[Fold]:
    """The calls of modules to draw as one box each, of those within one another the outer.

    A small graph is drawn by the innermost calls. Of a larger one, those outside stay folded, until their key is in
    ``unfolded``. Keys come after the numbers of the vertices, which are those of runs.
    """
    keys = {call: len(graph.vertices) + k for k, call in enumerate(graph.calls)}
    shown = _of_a_size(graph)
    return [
        Fold(call.members, (), 1, keys[call], call.name)
        for call in _outermost([call for call in shown if keys[call] not in unfolded])
    ]


def _of_a_size(graph: Graph) -> list[Call]:
    """The calls as far inside as a page has room for all of them side by side."""
    sets = {call: set(call.members) for call in graph.calls}
    within = {call: sum(own < other for other in sets.values()) for call, own in sets.items()}
    for level in range(max(within.values(), default=0), 0, -1):
        calls = [call for call in graph.calls if within[call] >= level]
        hidden = sum(len(call.members) - 1 for call in _outermost(calls))
        if graph.operations - hidden <= _MOST_BOXES:
            return calls
    return list(graph.calls)


def _outermost(calls: list[Call]) -> list[Call]:
    """Those that are in no other."""
    taken: set[int] = set()
    out = []
    for call in calls:  # the largest first
        if taken.isdisjoint(call.members):
            taken.update(call.members)
            out.append(call)
    return out


def folds(graph: Graph, unfolded: Collection[int] = (), taken: Collection[int] = ()) -> list[Fold]:
    """The runs to fold, of what is not ``taken``; one is known by its first member, and left as it is when that is in
    ``unfolded``."""
    out = []
    for path in _paths(graph, frozenset(taken)):
        names = [graph.vertices[number].short for number in path]
        at = 0
        while at < len(path):
            period, repeats = _best(names, at)
            if repeats:
                members = path[at : at + period * repeats]
                if members[0] not in unfolded:
                    pattern = tuple(reversed(names[at : at + period]))
                    out.append(Fold(tuple(members), pattern, repeats, members[0]))
            at += max(1, period * repeats)
    return out


def _best(names: list[str], at: int) -> tuple[int, int]:
    """The pattern that covers most operations from here: (period, repeats), repeats 0 where there is none."""
    best = (1, 0)
    for period in range(1, _LONGEST_PERIOD + 1):
        end = at + period
        while end < len(names) and names[end] == names[end - period]:
            end += 1
        repeats = (end - at) // period
        if repeats >= _FEWEST.get(period, 3) and period * repeats > best[0] * best[1]:
            best = (period, repeats)
    return best


def _paths(graph: Graph, taken: frozenset[int]) -> list[list[int]]:
    """Maximal lines of operations, each of which alone uses the next."""
    users = _users(graph)
    roots = {number for number, _ in graph.roots} | taken
    following: dict[int, int] = {}
    for vertex in graph.vertices:
        operations = {
            s for one in vertex.inputs if (s := one.source) is not None and graph.vertices[s].kind == "op"
        }
        if _foldable(vertex, roots) and len(operations) == 1:
            (below,) = operations
            if users[below] == {vertex.number} and _foldable(graph.vertices[below], roots):
                following[vertex.number] = below
    starts = sorted(set(following) - set(following.values()))
    return [_line(start, following) for start in starts]


def _users(graph: Graph) -> dict[int, set[int]]:
    """The operations that use each vertex."""
    users: dict[int, set[int]] = {}
    for vertex in graph.vertices:
        for one in vertex.inputs:
            if one.source is not None:
                users.setdefault(one.source, set()).add(vertex.number)
    return users


def _line(start: int, following: dict[int, int]) -> list[int]:
    line = [start]
    while line[-1] in following:
        line.append(following[line[-1]])
    return line


def _foldable(vertex: Vertex, roots: set[int]) -> bool:
    """What the learner gave a name of its own stays in sight."""
    named = vertex.result and "[" not in vertex.result
    modified = any(kept.state == "modified" for kept in vertex.kept)
    return vertex.kind == "op" and not named and not modified and vertex.number not in roots
