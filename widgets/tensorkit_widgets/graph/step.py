"""One moment of a rehearsed walk back: which box runs, what has flowed where, which jars are filled by now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tensorkit_widgets.graph.model import Value, Visit, Walk
from tensorkit_widgets.snapshot.number_text import size_text

Slot = tuple[int, int]


def gradient_text(value: Value) -> str:
    """A gradient's numbers; with its size where they are not all shown.

    >>> gradient_text(Value((3,), "float32", "[1., 2., 3.]")), gradient_text(Value((9, 9), "float32", "[[1., …], …]"))
    ('[1., 2., 3.]', '(9, 9) [[1., …], …]')
    """
    return f"{size_text(value.size)} {value.text}" if "…" in value.text else value.text


@dataclass(frozen=True, slots=True)
class Moment:
    """``sent`` holds the gradient of every (vertex, input) so far, ``now`` those of this very turn.

    ``visits`` are this turn's, ``ran`` all vertices that have run, ``jars`` what ``.grad`` would hold by now.
    """

    visits: tuple[Visit, ...] = ()
    ran: frozenset[int] = frozenset()
    sent: dict[Slot, Value] = field(default_factory=dict)
    now: frozenset[Slot] = frozenset()
    jars: dict[int, Value] = field(default_factory=dict)
    begins: tuple[Value | None, ...] = ()
    refused: int | None = None
    error: str = ""

    @property
    def running(self) -> frozenset[int]:
        """The vertices whose turn it is."""
        return frozenset(visit.vertex for visit in self.visits)

    def on_wire(self, members: Sequence[Slot]) -> tuple[str, str, str]:
        """(state, short label, full label) of a wire that stands for these inputs."""
        texts = [gradient_text(self.sent[slot]) for slot in members if slot in self.sent]
        if not texts:
            return "", "", ""
        state = "flows" if self.now.intersection(members) else "flowed"
        if len(texts) > 2:
            return state, f"{len(texts)} gradients", f"{len(texts)} gradients, the last {texts[-1]}"
        if len(set(texts)) == 1:
            text = texts[0] if len(texts) == 1 else f"{len(texts)} × {texts[0]}"
            return state, text, text
        both = " + ".join(texts)
        return state, both if len(both) <= 28 else f"{len(texts)} gradients", both


def turns_of(walk: Walk, unit: Sequence[int]) -> list[tuple[int, int]]:
    """The visits of each step, as half-open ranges: what a fold does in one go is one step; a refusal is one too."""
    out: list[tuple[int, int]] = []
    for k, visit in enumerate(walk.visits):
        if out and unit[visit.vertex] == unit[walk.visits[k - 1].vertex]:
            out[-1] = (out[-1][0], k + 1)
        else:
            out.append((k, k + 1))
    if walk.error:
        out.append((len(walk.visits), len(walk.visits)))
    return out


def moment_at(walk: Walk, turns: Sequence[tuple[int, int]], step: int) -> Moment:
    """The moment after ``step`` turns."""
    if step == 0:
        return Moment()
    first, last = turns[step - 1]
    sent: dict[Slot, Value] = {}
    jars: dict[int, Value] = {}
    for visit in walk.visits[:last]:
        sent.update(((visit.vertex, k), value) for k, value in enumerate(visit.sent) if value is not None)
        if visit.fills is not None:
            jars[visit.vertex] = visit.fills
    now = walk.visits[first:last]
    refused = first == last
    return Moment(
        now,
        frozenset(visit.vertex for visit in walk.visits[:last]),
        sent,
        frozenset((visit.vertex, k) for visit in now for k in range(len(visit.sent))),
        jars,
        walk.begins,
        walk.stopped if refused else None,
        walk.error if refused else "",
    )
