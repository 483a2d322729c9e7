"""What a StrideExplorer is, without its widget: a live tensor, a chain of steps, a focus, and the scene of them.

What can be done to it is in `tensorkit_widgets.stride_explorer.actions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tensorkit_widgets.drawing.words import size_text
from tensorkit_widgets.snapshot import view_chain
from tensorkit_widgets.snapshot.adapter import Meta, Snapshot, describe, look
from tensorkit_widgets.snapshot.expression import Call, join, parse
from tensorkit_widgets.snapshot.geometry import Ints, waypoints
from tensorkit_widgets.snapshot.number_text import short
from tensorkit_widgets.snapshot.view_chain import Link, StepFailed
from tensorkit_widgets.snapshot.window import clamp_focus, grid_window, strip_runs
from tensorkit_widgets.stride_explorer.scene import WIDTH, Refusal, Scene, breaks, compose, strip_room

__all__ = ["MOST_HISTORY", "NARROW", "Session", "lines", "plain", "plain_slices"]

MOST_HISTORY = 200

NARROW = 800
"""Below this width of the picture fewer columns are shown, so that their numbers stay large."""


@dataclass(frozen=True, slots=True)
class _State:
    """What undo goes back to."""

    calls: tuple[Call, ...] = ()
    focus: Ints | None = None


@dataclass
class Session:
    """The state behind one explorer. Not locked: the widget holds its lock around every call."""

    base: Any
    name: str = "t"
    focus: Ints | None = None
    calls: tuple[Call, ...] = ()
    links: tuple[Link, ...] = ()
    refusal: Refusal | None = None
    refused_calls: tuple[Call, ...] = ()
    said: str = ""
    complaint: str = ""
    typed: str = ""
    origin: Ints | None = None
    point: int | None = None
    first: tuple[Call, ...] = ()
    history: list[_State] = field(default_factory=list)
    seen: Meta | None = None
    moved: bool = False
    width: float = WIDTH

    def __post_init__(self) -> None:
        self.rebuild()
        self.seen = self.links[0].meta

    def set(self, text: str) -> None:
        """Another view_chain, from Python: a wrong one raises the error there. Nothing has changed then."""
        links = view_chain.build(self.base, parse(text, self.name), self.name, self.links)
        if self.links and self.calls:
            self.history = [*self.history[-MOST_HISTORY:], _State(self.calls, self.focus)]
        self.links, self.refusal, self.refused_calls = links, None, ()
        self.calls = tuple(link.call for link in links[1:] if link.call)
        self.focus, self.origin, self.point = clamp_focus(self.focus, self.meta.size), None, None
        self.said = _said(links)

    @property
    def tensor(self) -> Any:
        """The live tensor at the end of the view_chain."""
        return self.links[-1].tensor

    @property
    def meta(self) -> Meta:
        """Its metadata."""
        return self.links[-1].meta

    @property
    def expression(self) -> str:
        """The steps, without the name."""
        return join(self.calls)

    @property
    def code(self) -> str:
        """The Python that yields the present view."""
        return self.name + self.expression

    def moment(self) -> tuple[tuple[Call, ...], Ints | None]:
        """Which chain is shown and what is looked at, for `recall`."""
        return self.calls, self.focus

    def recall(self, moment: tuple[tuple[Call, ...], Ints | None]) -> None:
        """Back to a moment; what no longer applies to the tensor is cut off and said."""
        calls, focus = moment
        self.go(calls)
        self.focus = clamp_focus(focus, self.meta.size)

    def rebuild(self) -> None:
        """Bring the chain up to date with the live tensor; a step that no longer applies is cut off and said."""
        meta = describe(self.base)
        if meta.fault:
            self.links = (view_chain.base_link(self.base, self.name),)
            return
        try:
            self.links = view_chain.build(self.base, self.calls, self.name, self.links)
        except StepFailed as failed:
            self.calls = self.calls[: failed.at]
            self.links = view_chain.build(self.base, self.calls, self.name, self.links)
            self.said = f"{failed.call.code} no longer applies: {failed}"
        self.focus = clamp_focus(self.focus, self.meta.size)

    def go(self, calls: Sequence[Call], typed: str = "") -> None:
        """Try a chain; what the library refuses stays out, with its reason, and the legal part before it stands."""
        before = _State(self.calls, self.focus)
        self.refusal, self.refused_calls = None, ()
        try:
            links = view_chain.build(self.base, calls, self.name, self.links)
        except StepFailed as failed:
            links = view_chain.build(self.base, calls[: failed.at], self.name, self.links)
            self.refusal = Refusal(failed.call.code, lines(str(failed)), failed.conflicts)
            self.refused_calls = tuple(calls[failed.at :])
            self.typed = typed
            self.said = f"{failed.call.code} was refused: {plain(str(failed))}"
        done = tuple(link.call for link in links[1:] if link.call)
        self.moved = done != self.calls
        if self.moved:
            self.history = [*self.history[-MOST_HISTORY:], before]
            self.focus, self.origin, self.point = (
                clamp_focus(self._carried(links), links[-1].meta.size),
                None,
                None,
            )
        self.calls, self.links = done, links
        if self.refusal is None:
            self.said = _said(links)

    def _carried(self, links: Sequence[Link]) -> Ints | None:
        """Keep the pointer on the same slot when the new view still shows it at a place that is easy to find."""
        return self.focus if len(links[-1].meta.size) == len(self.meta.size) else None

    def together(self, calls: Sequence[Call]) -> None:
        """A change that goes on (a slider, a dial): undo goes back to before its beginning."""
        depth = len(self.history)
        going_on = bool(self.calls) and len(calls) == len(self.calls) and calls[:-1] == self.calls[:-1]
        self.go(calls)
        if going_on and depth:
            self.history = self.history[:depth]

    def sliced(self) -> tuple[tuple[Call, ...], Ints]:
        """The chain without a slice that ends it, and the size there."""
        if self.calls and plain_slices(self.calls[-1]) is not None and len(self.links) == len(self.calls) + 1:
            return self.calls[:-1], self.links[-2].meta.size
        return self.calls, self.meta.size

    def held_origin(self) -> Ints | None:
        return self.origin if self.origin is not None and len(self.origin) == len(self.meta.size) else None

    def snapshot(self, width: float = WIDTH, broken: bool = False) -> Snapshot:
        """Read the part of the tensor that is visible on a page of ``width``, now; ``broken`` lets the slots stand in
        lines."""
        meta = self.meta
        window = grid_window(meta.size, self.focus, self.held_origin(), narrow=width < NARROW)
        points = (
            [meta.offset] if self.focus is None else list(waypoints(self.focus, meta.stride, meta.offset))
        )
        if self.point is not None:
            points = [self.point]
        seen = look(self.tensor, window, strip_runs(meta.slots, points))
        texts = [len(short(v, meta.dtype)) for run in seen.strip for v in run.values]
        highest = max((run.start + len(run.values) for run in seen.strip), default=0)
        room = strip_room(max(texts, default=1), highest, width, broken)
        if sum(len(run.values) for run in seen.strip) > room:
            seen = look(self.tensor, window, strip_runs(meta.slots, points, room))
        return seen

    def scene(self, live: bool = False, page: float = WIDTH) -> Scene:
        """The scene of this moment, from the live tensor; the live view, as wide as its room, says beside the picture
        what was refused."""
        self.rebuild()
        self._notice()
        width = self.width if live else page
        for _ in range(3):
            snapshot = self.snapshot(width, breaks(width))
            if snapshot.meta.size == self.meta.size:
                break
            self.rebuild()
        return compose(self.links, snapshot, self.focus, self.refusal, live, width)

    def scenes(self, page: float = WIDTH) -> list[Scene]:
        """A scene for every step of the chain; the last is the present one."""
        out = []
        for k in range(1, len(self.links)):
            part = Session(self.base, self.name)
            part.calls, part.links = self.calls[: k - 1], self.links[:k]
            part.focus = clamp_focus(None, part.meta.size)
            snapshot = part.snapshot(page, breaks(page))
            out.append(compose(part.links, snapshot, part.focus, width=page))
        return [*out, self.scene(page=page)]

    def _notice(self) -> None:
        """Say it when the tensor was resized or freed since the last look."""
        now, then = self.links[0].meta, self.seen
        if then is not None and now.fault and now.fault != then.fault:
            self.said = now.fault
        elif then is not None and (now.size, now.nbytes) != (then.size, then.nbytes):
            self.said = (
                f"{self.name} was resized: size {size_text(then.size)} in {then.nbytes} bytes before, "
                f"size {size_text(now.size)} in {now.nbytes} bytes now"
            )
        self.seen = now


def lines(message: str) -> str:
    """An error's text with its lines kept and its indents gone."""
    return "\n".join(line.strip() for line in message.strip().splitlines())


def plain(message: str) -> str:
    return " ".join(message.split())


def _said(links: Sequence[Link]) -> str:
    step = links[-1].step
    where = f"size {size_text(step.size)}, stride {size_text(step.stride)}, offset {step.offset}"
    if len(links) == 1:
        return f"{step.code}: {where}" + (f"; {step.why}" if links[-1].meta.turned else "")
    return f"{step.code} gives a {step.kind}: {where}; {step.why}"


def plain_slices(call: Call) -> tuple[slice, ...] | None:
    """The parts of an index made of slices only, or None."""
    if call.name != "[]":
        return None
    index = call.args[0] if isinstance(call.args[0], tuple) else call.args
    return index if index and all(isinstance(part, slice) for part in index) else None
