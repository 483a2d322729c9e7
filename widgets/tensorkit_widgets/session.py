"""What a StrideExplorer is, without its widget: a live tensor, a chain of steps, a focus, and what can be done to them.

Every change is a message, a dictionary with a ``kind``; the browser and Python send the same ones.  A message never
raises for what a learner did: a refused step or a hostile text becomes a sentence in the next frame.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tensorkit_widgets import adapters, chain
from tensorkit_widgets.adapters import Meta, Snapshot, describe, look
from tensorkit_widgets.chain import Link, StepFailed
from tensorkit_widgets.expression import Call, NotAllowed, join, number, parse, show_index
from tensorkit_widgets.geometry import Ints, contiguous_stride, view_shapes, waypoints
from tensorkit_widgets.numerals import full, short
from tensorkit_widgets.scene import WIDTH, Refusal, Scene, compose, strip_room
from tensorkit_widgets.scene.words import size_text
from tensorkit_widgets.window import clamp_focus, grid_window, strip_runs

__all__ = ["Session"]

MOST_HISTORY = 200

NARROW = 800
"""Below this width of the picture fewer columns are shown, so that their numbers stay large."""


def _numbers(value: Any, most: int = 64) -> Ints | None:
    """A list of whole numbers from a message, or None for anything else."""
    if not isinstance(value, list | tuple) or len(value) > most:
        return None
    if not all(isinstance(n, int) and not isinstance(n, bool) and abs(n) < 2**62 for n in value):
        return None
    return tuple(value)


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
        self._rebuild()
        self.seen = self.links[0].meta

    # ---- the chain

    def start(self, text: str) -> None:
        """The first expression. Raises for a wrong one: it is written in Python, by whoever makes the widget."""
        calls = parse(text, self.name)
        self.links = chain.build(self.base, calls, self.name, self.links)
        self.calls = self.first = tuple(link.call for link in self.links[1:] if link.call)
        self.focus = clamp_focus(self.focus, self.links[-1].meta.size)

    @property
    def tensor(self) -> Any:
        """The live tensor at the end of the chain."""
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

    def _rebuild(self) -> None:
        """Bring the chain up to date with the live tensor; a step that no longer applies is cut off and said."""
        meta = describe(self.base)
        if meta.fault:
            self.links = (chain.base_link(self.base, self.name),)
            return
        try:
            self.links = chain.build(self.base, self.calls, self.name, self.links)
        except StepFailed as failed:
            self.calls = self.calls[: failed.at]
            self.links = chain.build(self.base, self.calls, self.name, self.links)
            self.said = f"{failed.call.code} no longer applies: {failed}"
        self.focus = clamp_focus(self.focus, self.meta.size)

    def _go(self, calls: Sequence[Call], typed: str = "") -> None:
        """Try a chain; what the library refuses stays out, with its reason, and the legal part before it stands."""
        before = _State(self.calls, self.focus)
        self.refusal, self.refused_calls = None, ()
        try:
            links = chain.build(self.base, calls, self.name, self.links)
        except StepFailed as failed:
            links = chain.build(self.base, calls[: failed.at], self.name, self.links)
            self.refusal = Refusal(failed.call.code, _plain(str(failed)), failed.conflicts)
            self.refused_calls = tuple(calls[failed.at :])
            self.typed = typed
            self.said = f"{failed.call.code} was refused: {_plain(str(failed))}"
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

    # ---- messages

    def do(self, message: Any) -> None:
        """Act on one message; anything that is none of ours is passed over in silence."""
        if not isinstance(message, dict):
            return
        act = _ACTS.get(message.get("kind", "")) if isinstance(message.get("kind"), str) else None
        if act is None:
            return
        if message["kind"] not in ("look", "room"):
            self.complaint, self.typed = "", ""
        try:
            self._rebuild()
            act(self, message)
        except NotAllowed as refusal:
            self.complaint = self.said = str(refusal)
            self.refusal, self.refused_calls = None, ()
            typed = message.get("text", "")
            self.typed = typed[:2000] if isinstance(typed, str) else ""
        except (MemoryError, RecursionError) as error:
            self.complaint = self.said = f"not possible here: {type(error).__name__}"

    def _expression(self, message: dict[str, Any]) -> None:
        text = message.get("text", "")
        self._go(parse(text, self.name), typed=text)

    def _step(self, message: dict[str, Any]) -> None:
        text = message.get("text", "")
        added = parse(text if isinstance(text, str) else "", self.name)
        self._go((*self.calls, *added), typed=self.code + str(text)[:200])

    def _goto(self, message: dict[str, Any]) -> None:
        step = message.get("step")
        if isinstance(step, int) and 0 <= step <= len(self.calls):
            self._go(self.calls[:step])

    def _remove(self, message: dict[str, Any]) -> None:
        step = message.get("step")
        if isinstance(step, int) and 1 <= step <= len(self.calls):
            self._go(self.calls[: step - 1] + self.calls[step:])

    def _undo(self, message: dict[str, Any]) -> None:
        if self.refusal is not None and not self.moved:
            self.refusal, self.refused_calls, self.said = None, (), "undone: the refused step is gone"
        elif self.history:
            before = self.history.pop()
            kept = list(self.history)
            self._go(before.calls)
            self.history = kept
            self.focus = clamp_focus(before.focus, self.meta.size)
            self.said = "undone: " + self.said

    def _reset(self, message: dict[str, Any]) -> None:
        self._go(self.first)

    def _swap(self, message: dict[str, Any]) -> None:
        dims = _numbers(message.get("dims"), 2)
        if dims is None or len(dims) != 2:
            return
        a, b = sorted(dims)
        array = self.meta.library == "numpy"
        if len(self.meta.size) == 2 and (a, b) == (0, 1):
            code = ".T" if array else ".t()"
        else:
            code = f".swapaxes({a}, {b})" if array else f".transpose({a}, {b})"
        self._go((*self.calls, *parse(code)))

    def _permute(self, message: dict[str, Any]) -> None:
        order = _numbers(message.get("order"))
        if order is None or sorted(order) != list(range(len(self.meta.size))) or list(order) == sorted(order):
            return
        moved = [k for k, d in enumerate(order) if k != d]
        if len(moved) == 2:
            self._swap({"dims": moved})
            return
        method = "transpose" if self.meta.library == "numpy" else "permute"
        self._go((*self.calls, *parse(f".{method}({', '.join(map(str, order))})")))

    def _slice(self, message: dict[str, Any]) -> None:
        """The sliders: they work on the tensor before a slice that ends the chain, and replace that slice."""
        rows = message.get("slices")
        calls, size = self._sliced()
        if not isinstance(rows, list) or len(rows) != len(size):
            return
        parts = [_slice_of(_numbers(row, 3), n) for row, n in zip(rows, size, strict=True)]
        while parts and parts[-1] == slice(None):
            parts.pop()
        if parts:
            index = parts[0] if len(parts) == 1 else tuple(parts)
            calls = (*calls, Call(f"[{show_index(index)}]", "[]", (index,)))
        if calls != self.calls:
            self._together(calls)

    def _together(self, calls: Sequence[Call]) -> None:
        """A change that goes on (a slider, a dial): undo goes back to before its beginning."""
        depth = len(self.history)
        going_on = bool(self.calls) and len(calls) == len(self.calls) and calls[:-1] == self.calls[:-1]
        self._go(calls)
        if going_on and depth:
            self.history = self.history[:depth]

    def _sliced(self) -> tuple[tuple[Call, ...], Ints]:
        """The chain without a slice that ends it, and the size there."""
        if (
            self.calls
            and _plain_slices(self.calls[-1]) is not None
            and len(self.links) == len(self.calls) + 1
        ):
            return self.calls[:-1], self.links[-2].meta.size
        return self.calls, self.meta.size

    def _dials(self, message: dict[str, Any]) -> None:
        """Raw size, stride and offset, clamped so that they stay within the storage."""
        size, stride = _numbers(message.get("size"), 8), _numbers(message.get("stride"), 8)
        offset = message.get("offset")
        if size is None or stride is None or len(size) != len(stride) or not isinstance(offset, int):
            return
        sizes, strides, start = _clamped(size, stride, offset, self.meta.slots)
        before = self.calls[:-1] if self.calls and self.calls[-1].name == "as_strided" else self.calls
        code = f".as_strided({size_text(sizes)}, {size_text(strides)}, {start})"
        self._together((*before, *parse(code)))
        if (sizes, strides, start) != (size, stride, offset) and self.refusal is None:
            self.said = "clamped to the storage: " + self.said

    def _look(self, message: dict[str, Any]) -> None:
        """Move the window: to an element, or to a slot of the strip."""
        focus = _numbers(message.get("focus"))
        if focus is not None and clamp_focus(focus, self.meta.size) == focus:
            narrow = self.width < NARROW
            self.origin = grid_window(self.meta.size, focus, self._origin(), narrow).origin
            self.focus, self.point = focus, None
        slot = message.get("slot")
        if isinstance(slot, int):
            self.point = max(0, min(slot, self.meta.slots - 1))
        self.said = ""

    def _room(self, message: dict[str, Any]) -> None:
        """How wide the view is: the picture is laid out for a few widths, rather than shrunk."""
        width = message.get("width")
        if isinstance(width, int | float) and width > 0:
            self.width = next((w for w in (560.0, 680.0, 800.0) if width < w + 80), WIDTH)
        self.said = ""

    def _edit(self, message: dict[str, Any]) -> None:
        index = _numbers(message.get("index"))
        if index is None or clamp_focus(index, self.meta.size) != index:
            return
        value = number(message.get("text", ""))
        place = f"{self.code}[{', '.join(map(str, index))}]" if index else f"{self.code}[()]"
        try:
            adapters.write(self.tensor, index, value)
        except Exception as error:  # the engine's own refusal is what the learner must read
            self.complaint = self.said = (
                f"{place} = {full(value, 'float64')} was refused: {_plain(str(error))}"
            )
            return
        self.focus = index
        got = self._read(index)
        self.said = f"{place} = {full(value, 'float64')}: written through to the storage"
        if isinstance(got, int | float) and not isinstance(value, complex) and not _same(got, value):
            self.said += f"; {self.meta.dtype} keeps it as {full(got, self.meta.dtype)}"

    def _read(self, index: Ints) -> Any:
        window = replace(grid_window(self.meta.size, index), origin=index, count=(1,) * len(index))
        values = look(self.tensor, window, ()).grid
        return values[0] if values else None

    # ---- the frame

    def _origin(self) -> Ints | None:
        return self.origin if self.origin is not None and len(self.origin) == len(self.meta.size) else None

    def snapshot(self, width: float = WIDTH) -> Snapshot:
        """Read the part of the tensor that is visible on a page of ``width``, now."""
        meta = self.meta
        window = grid_window(meta.size, self.focus, self._origin(), narrow=width < NARROW)
        points = (
            [meta.offset] if self.focus is None else list(waypoints(self.focus, meta.stride, meta.offset))
        )
        if self.point is not None:
            points = [self.point]
        seen = look(self.tensor, window, strip_runs(meta.slots, points))
        texts = [len(short(v, meta.dtype)) for run in seen.strip for v in run.values]
        highest = max((run.start + len(run.values) for run in seen.strip), default=0)
        room = strip_room(max(texts, default=1), highest, width)
        if sum(len(run.values) for run in seen.strip) > room:
            seen = look(self.tensor, window, strip_runs(meta.slots, points, room))
        return seen

    def scene(self, live: bool = False) -> Scene:
        """The scene of this moment, from the live tensor; the live view says beside the picture what was refused."""
        self._rebuild()
        self._notice()
        width = self.width if live else WIDTH
        for _ in range(3):
            snapshot = self.snapshot(width)
            if snapshot.meta.size == self.meta.size:
                break
            self._rebuild()
        return compose(self.links, snapshot, self.focus, self.refusal, live, width)

    def scenes(self) -> list[Scene]:
        """A scene for every step of the chain; the last is the present one."""
        out = []
        for k in range(1, len(self.links)):
            part = Session(self.base, self.name)
            part.calls, part.links = self.calls[: k - 1], self.links[:k]
            part.focus = clamp_focus(None, part.meta.size)
            out.append(compose(part.links, part.snapshot(), part.focus))
        return [*out, self.scene()]

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

    def facts(self) -> dict[str, Any]:
        """What the controls show."""
        meta, (before, size) = self.meta, self._sliced()
        slices = [[0, n, 1] for n in size]
        if before != self.calls:
            slices = _slices_at(self.calls[-1], size)
        return {
            "name": self.name, "expression": self.expression, "code": self.code, "library": meta.library,
            "steps": [_step_facts(link) for link in self.links], "size": list(meta.size), "stride": list(meta.stride),
            "offset": meta.offset, "slots": meta.slots, "nbytes": meta.nbytes, "dtype": meta.dtype,
            "device": meta.device, "sliceSize": list(size), "slices": slices,
            "views": [list(shape) for shape in view_shapes(meta.size, meta.stride)],
            "copies": _reshapes(meta), "refusal": self._refusal_facts(), "complaint": self.complaint,
            "typed": self.typed, "fault": meta.fault, "said": self.said, "canUndo": bool(self.history),
        }  # fmt: skip

    def _refusal_facts(self) -> dict[str, Any] | None:
        if self.refusal is None:
            return None
        offers = []
        first = self.refused_calls[0] if self.refused_calls else None
        if self.refusal.pairs and first is not None and first.name == "view":
            rest = join(self.refused_calls)
            tail = join(self.refused_calls[1:])
            shape = first.code.removeprefix(".view")
            copier = ".flatten()" if self.meta.library == "numpy" else ".contiguous()"
            offers = [f"{self.expression}{copier}{rest}", f"{self.expression}.reshape{shape}{tail}"]
        pairs = [list(pair) for pair in self.refusal.pairs]
        return {"code": self.refusal.code, "message": self.refusal.message, "pairs": pairs, "offers": offers}


def _clamped(size: Ints, stride: Ints, offset: int, slots: int) -> tuple[Ints, Ints, int]:
    """The nearest size, stride and offset that stay within a storage: strides are kept, sizes give way."""
    last = max(0, slots - 1)
    start = max(0, min(offset, last))
    strides = tuple(max(0, min(s, last)) for s in stride)
    sizes: list[int] = []
    room = last - start
    for n, s in zip(size, strides, strict=True):
        most = 1 + room // s if s else 64
        sizes.append(max(0, min(n, most)) if slots else 0)
        room -= max(0, sizes[-1] - 1) * s
    return tuple(sizes), strides, start


def _plain(message: str) -> str:
    return " ".join(message.split())


def _same(got: float, value: float) -> bool:
    if math.isnan(value) or math.isnan(got):
        return math.isnan(value) and math.isnan(got)
    return got == value or math.isclose(got, value, rel_tol=1e-6)


def _said(links: Sequence[Link]) -> str:
    step = links[-1].step
    where = f"size {size_text(step.size)}, stride {size_text(step.stride)}, offset {step.offset}"
    if len(links) == 1:
        return f"{step.code}: {where}"
    return f"{step.code} gives a {step.kind}: {where}; {step.why}"


def _step_facts(link: Link) -> dict[str, Any]:
    step = link.step
    return {
        "code": step.code, "size": list(step.size), "stride": list(step.stride), "offset": step.offset,
        "kind": step.kind, "why": step.why,
    }  # fmt: skip


def _plain_slices(call: Call) -> tuple[slice, ...] | None:
    """The parts of an index made of slices only, or None."""
    if call.name != "[]":
        return None
    index = call.args[0] if isinstance(call.args[0], tuple) else call.args
    return index if index and all(isinstance(part, slice) for part in index) else None


def _slices_at(call: Call, size: Ints) -> list[list[int]]:
    parts = list(_plain_slices(call) or ())
    parts += [slice(None)] * (len(size) - len(parts))
    return [list(part.indices(n)) for part, n in zip(parts, size, strict=True)]


def _slice_of(row: Ints | None, n: int) -> slice:
    if row is None or len(row) != 3:
        return slice(None)
    start, stop, step = max(0, min(row[0], n)), max(0, min(row[1], n)), max(1, row[2])
    return slice(start or None, None if stop == n else stop, None if step == 1 else step)


def _reshapes(meta: Meta) -> list[list[int]]:
    """Shapes that only a copy can give, a few."""
    free = view_shapes(meta.size, meta.stride)
    return [list(s) for s in view_shapes(meta.size, contiguous_stride(meta.size)) if s not in free][:6]


_ACTS: dict[str, Callable[[Session, dict[str, Any]], None]] = {
    "expression": Session._expression,
    "step": Session._step,
    "goto": Session._goto,
    "remove": Session._remove,
    "undo": Session._undo,
    "reset": Session._reset,
    "swap": Session._swap,
    "permute": Session._permute,
    "slice": Session._slice,
    "dials": Session._dials,
    "look": Session._look,
    "room": Session._room,
    "edit": Session._edit,
}
