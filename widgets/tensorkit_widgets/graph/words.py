"""The sentences of a graph's picture: what it is, what is wrong with it, and what the present step does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tensorkit_widgets.drawing.boxes import Box
from tensorkit_widgets.graph.model import Graph, Value, Visit, Walk
from tensorkit_widgets.graph.step import Moment, gradient_text

_MOST_WARNINGS = 2


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}" + ("" if n == 1 else "s")


def about(graph: Graph, runs: int = 0, bundled: int = 0, calls: int = 0) -> list[tuple[str, bool]]:
    """Sentences about the whole graph, and whether each is a warning; so many runs, bundles and calls are folded."""
    first = graph.vertices[graph.roots[0][0]]
    if not graph.operations:
        if first.kind == "leaf":
            return [("a leaf: no operation made it, so there is no graph behind it", False)]
        return [
            ("it does not require grad: nothing was recorded, and no gradient will come back here", False)
        ]
    words = _counted(graph)
    if calls:
        words += f"; {_count(calls, 'call')} of modules folded"
    if runs:
        words += f"; {_count(runs, 'run')} folded"
    if bundled:
        words += f"; {_count(bundled, 'group')} of inputs folded"
    out = [(words, False)]
    if graph.cut:
        out.append((f"only the {len(graph.vertices):,} nodes nearest to {graph.title[:40]} are drawn", True))
    if graph.freed:
        what = "a part of this graph" if graph.keeps else "this graph"
        out.append(
            (f"{what} was walked: what it had saved is let go, so a second backward() is refused", False)
        )
    if any(vertex.hooked for vertex in graph.vertices):
        out.append((_hooks(graph), True))
    return out + [(text, True) for text in _warnings(graph)]


def _counted(graph: Graph) -> str:
    """How much was recorded, as far as it is known."""
    if graph.cut:
        return f"more than {_count(graph.operations, 'operation')} recorded, forward down the page"
    leaves = sum(vertex.kind == "leaf" for vertex in graph.vertices)
    words = {0: "no leaf", 1: "one leaf"}.get(leaves, f"{leaves} leaves")
    operations = _count(graph.operations, "operation")
    return f"{operations} recorded, forward down the page; gradients climb back to {words}"


def _hooks(graph: Graph) -> str:
    """A hook may make another gradient of the one that arrives."""
    names = [vertex.result or vertex.name or vertex.short for vertex in graph.vertices if vertex.hooked]
    told = " and ".join(names[:3]) if len(names) <= 3 else f"{', '.join(names[:2])} and {len(names) - 2} more"
    return f"hooks are registered on {told}: backward() calls them, the rehearsal does not, so gradients may differ"


def _warnings(graph: Graph) -> list[str]:
    out = []
    for vertex in graph.vertices:
        for kept in vertex.kept:
            if kept.state == "modified":
                what = kept.source or f"the {kept.name} that {vertex.short} saved"
                out.append(
                    f"{what} was written to after {vertex.short} saved it: version {kept.now} now, version "
                    f"{kept.expected} needed: backward() will refuse"
                )
    out = list(dict.fromkeys(out))
    if len(out) > _MOST_WARNINGS:
        out[_MOST_WARNINGS - 1 :] = [f"and {len(out) - _MOST_WARNINGS + 1} more such warnings"]
    return out


def step_words(
    graph: Graph,
    moment: Moment,
    steps: tuple[int, int],
    boxes: Mapping[int, Box],
    walk: Walk | None,
    past: str,
) -> str:
    """What is to be seen at a step."""
    step, count = steps
    if step == 0:
        return past or _before(graph)
    lead = f"Rehearsal, step {step} of {count}: "
    if moment.error:
        who = graph.vertices[moment.refused].short + " refuses. " if moment.refused is not None else ""
        return f"{lead}{who}{' '.join(moment.error.split())}"
    begin = f" ({walk.start})" if step == 1 and walk and walk.start else ""
    done = " The rehearsal is over; nothing of yours has changed." if step == count else ""
    return lead + _turn(graph, moment.visits, boxes) + begin + done


def walk_words(
    graph: Graph, walk: Walk, turns: Sequence[tuple[int, int]], boxes: Mapping[int, Box], past: str
) -> list[str]:
    """What is to be seen at every step."""
    moments = [
        Moment(walk.visits[a:b]) if a < b else Moment(refused=walk.stopped, error=walk.error)
        for a, b in turns
    ]
    return [
        step_words(graph, moment, (step, len(turns)), boxes, walk, past)
        for step, moment in enumerate([Moment(), *moments])
    ]


def _before(graph: Graph) -> str:
    if not graph.operations and graph.vertices[graph.roots[0][0]].kind == "constant":
        return "There is nothing to walk back."
    if graph.cut:
        return (
            "The graph is too large to be rehearsed. Run backward() does the real thing: it walks all of it, what is "
            "not drawn too."
        )
    if graph.freed:
        what = "A part of this graph" if graph.keeps else "This graph"
        return (
            f"{what} was walked already: what it had saved for the way back is gone, so a second backward() is "
            "refused, and Step shows where. Compute the result again: every forward pass records a new graph. Or keep "
            "what was saved the first time: backward(retain_graph=True)."
        )
    same = "the gradients before any hook" if any(v.hooked for v in graph.vertices) else "the same gradients"
    return (
        f"Before the way back. Step rehearses it node by node: {same}, but your graph and your .grad stay "
        "as they are. Run backward() does the real thing."
    )


def _turn(graph: Graph, visits: tuple[Visit, ...], boxes: Mapping[int, Box]) -> str:
    visit, last = visits[0], visits[-1]
    vertex = graph.vertices[visit.vertex]
    came = _arrived(visit)
    if vertex.kind == "leaf" and len(visits) > 1:
        return _leaves(graph, visits)
    if vertex.kind == "leaf":
        name = boxes[vertex.number].title if vertex.number in boxes else vertex.name or "a leaf"
        if visit.fills is None:
            return f"nothing arrives for {name}."
        if vertex.grad is not None:
            return f"{came} at {name} and is added to its .grad: {vertex.grad.text} → {visit.fills.text}."
        return f"{came} at {name}, a leaf: its .grad holds {visit.fills.text} now."
    if len(visits) > 1:
        return f"{len(visits)} operations run, one after the other: {came}, {_sent(last.sent)}."
    words = f"{vertex.short} runs. {came}; {_sent(visit.sent)}."
    used = list(dict.fromkeys(kept.source or kept.name for kept in vertex.kept))
    if used:
        words += f" It needed {' and '.join(used[:3])}, and lets go of {'it' if len(used) == 1 else 'them'}."
    if visit.fills is not None:
        words += f" {vertex.result or 'Its result'} retains its gradient."
    return words


def _leaves(graph: Graph, visits: Sequence[Visit]) -> str:
    """What becomes of the leaves that are drawn as one box."""
    filled = [visit.vertex for visit in visits if visit.fills is not None]
    words = f"{len(filled)} leaves get their gradients, one after the other: "
    if all(graph.vertices[number].grad is None for number in filled):
        return words + "each .grad holds its own now."
    return words + "what arrives is added to each .grad."


def _arrived(visit: Visit) -> str:
    texts = [gradient_text(value) for value in visit.arrived if value is not None]
    words = (
        " and ".join(texts[:3]) if len(texts) <= 3 else f"{', '.join(texts[:2])} and {len(texts) - 2} more"
    )
    return f"{words or 'no gradient'} {'arrive' if len(texts) > 1 else 'arrives'}"


def _sent(sent: tuple[Value | None, ...]) -> str:
    texts = [(k, gradient_text(value)) for k, value in enumerate(sent) if value is not None]
    if not texts:
        return "nothing is sent on"
    if len(sent) == 1:
        return f"{texts[0][1]} goes on"
    words = [f"{text} {'goes on ' if not n else ''}to input {k}" for n, (k, text) in enumerate(texts[:3])]
    rest = len(texts) - len(words)
    return " and ".join(words) + (f", and {rest} more to the other inputs" if rest else "")
