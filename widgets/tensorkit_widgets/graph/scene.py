"""A graph, and a moment of its rehearsed way back, become one scene: boxes, jars, wires and words with their places.

Forward runs down the page, from the leaves to the loss; gradients climb back up the same wires.
"""

from __future__ import annotations

from collections.abc import Collection

from tensorkit_widgets.graph.layout import WIDTH, GraphSheet, Layout
from tensorkit_widgets.graph.layout_narrow import narrowed
from tensorkit_widgets.graph.model import Graph, Walk
from tensorkit_widgets.graph.plan import Plan, groups_of, unit_of
from tensorkit_widgets.graph.scene_fold import Fold
from tensorkit_widgets.graph.step import Moment, moment_at, turns_of
from tensorkit_widgets.graph.words import step_words, walk_words

__all__ = ["WIDTH", "GraphSheet", "compose_graph", "steps_of", "translated"]


def steps_of(graph: Graph, walk: Walk, unfolded: Collection[int] = ()) -> int:
    """How many steps a rehearsal has: one for each box that runs, and one for a refusal."""
    return len(turns_of(walk, unit_of(graph, groups_of(graph, unfolded))))


def translated(graph: Graph, walk: Walk, step: int, before: Collection[int], after: Collection[int]) -> int:
    """The step of a rehearsal that has come as far, when other runs are unfolded."""
    turns = turns_of(walk, unit_of(graph, groups_of(graph, before)))
    done = turns[step - 1][1] if 0 < step <= len(turns) else 0
    later = turns_of(walk, unit_of(graph, groups_of(graph, after)))
    return sum(stop <= done and stop > start for start, stop in later) if step else 0


def compose_graph(
    graph: Graph,
    walk: Walk | None = None,
    step: int = 0,
    unfolded: Collection[int] = (),
    past: str = "",
    walked: bool = False,
    page: float = WIDTH,
) -> GraphSheet:
    """The scene of a graph.

    Args:
        graph: what was read.
        walk: its rehearsal, if there was one.
        step: how far the rehearsal is shown; 0 is before it.
        unfolded: first members of the runs that are drawn one by one, and of the bundles that are open.
        past: a sentence about what happened before, such as a real backward pass.
        walked: whether there was a real backward pass.
        page: the room that there is, if less than `WIDTH`.
    """
    groups, walk = groups_of(graph, unfolded), walk or Walk(())
    turns = turns_of(walk, unit_of(graph, groups))
    step = max(0, min(step, len(turns)))
    moment = moment_at(walk, turns, step)
    plan = Plan(graph, groups, moment)
    steps = (step, len(turns))
    said = step_words(graph, moment, steps, plan.boxes, walk, past)
    layout = None
    if page < WIDTH:
        layout = narrowed(plan, moment, page, walk_words(graph, walk, turns, plan.boxes, past))
    layout = layout or Layout(plan, moment)
    folded = [group for group in groups if isinstance(group, Fold)]
    calls = sum(bool(fold.name) for fold in folded)
    closed = sum(bool(box.stands and box.folded) for box in plan.boxes.values())
    return layout.scene(
        said, steps, _status(graph, moment, steps, walked), (len(folded) - calls, closed, calls)
    )


def _status(graph: Graph, moment: Moment, steps: tuple[int, int], walked: bool) -> str:
    if moment.error:
        return "refused"
    if steps[0]:
        return "done" if steps[0] == steps[1] else "rehearsing"
    if walked:
        return "walked"
    return "empty" if not graph.operations else "freed" if graph.freed else "ready"
