"""Which operations of a graph were recorded by which module's call: what a network is made of, in its own names."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Mapping
from typing import Any

from tensorkit_widgets.graph.adapter import Live, clean
from tensorkit_widgets.graph.model import Call, Graph

Paths = weakref.WeakKeyDictionary[Any, str]


def modules_named(namespace: Mapping[str, Any], library: str) -> Paths:
    """The paths of a namespace's modules and their parts, such as ``net.0``; no module is kept alive."""
    kind = getattr(getattr(sys.modules.get(library), "nn", None), "Module", ())
    out: Paths = weakref.WeakKeyDictionary()
    for name, value in list(namespace.items()):
        if isinstance(name, str) and not name.startswith("_") and isinstance(value, kind):
            for path, module in value.named_modules():
                out.setdefault(module, clean(f"{name}.{path}" if path else name))
    return out


def calls_of(graph: Graph, live: Live, paths: Paths) -> tuple[Call, ...]:
    """The calls of modules that recorded more than one operation, the largest first."""
    found: dict[tuple[int, ...], Call] = {}
    for vertex in graph.vertices:
        for made_by, begin in getattr(live.parts[vertex.number], "calls", ()):
            members = _recorded_since(graph, live, vertex.number, begin)
            module = made_by()
            if len(members) > 1 and module is not None:
                found[members] = Call(paths.get(module) or type(module).__name__, members)
    return tuple(sorted(found.values(), key=lambda call: -len(call.members)))


def _recorded_since(graph: Graph, live: Live, last: int, begin: int) -> tuple[int, ...]:
    """The operations behind a result that were recorded after a moment."""
    members = [last]
    known = {last}
    for number in members:  # grows while it is walked
        for source in (one.source for one in graph.vertices[number].inputs):
            if source is None or source in known or graph.vertices[source].kind != "op":
                continue
            if live.parts[source].sequence > begin:
                known.add(source)
                members.append(source)
    return tuple(members)
