"""What can be done to a session: messages, dictionaries with a ``kind``; the browser and Python send the same ones.

A message never raises for what a learner did: a refused step or a hostile text becomes a sentence in the next frame,
and what is no message of ours is passed over in silence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tensorkit_widgets.drawing.words import size_text
from tensorkit_widgets.snapshot import adapter
from tensorkit_widgets.snapshot.adapter import look
from tensorkit_widgets.snapshot.expression import Call, NotAllowed, number, parse, show_index
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.number_text import full
from tensorkit_widgets.snapshot.window import clamp_focus, grid_window
from tensorkit_widgets.stride_explorer.scene import WIDTH
from tensorkit_widgets.stride_explorer.session import NARROW, Session, plain

__all__ = ["do"]

Message = dict[str, Any]


def _numbers(value: Any, most: int = 64) -> Ints | None:
    """A list of whole numbers from a message, or None for anything else."""
    if not isinstance(value, list | tuple) or len(value) > most:
        return None
    if not all(isinstance(n, int) and not isinstance(n, bool) and abs(n) < 2**62 for n in value):
        return None
    return tuple(value)


def do(session: Session, message: Any) -> None:
    """Act on one message; anything that is none of ours is passed over in silence."""
    if not isinstance(message, dict):
        return
    act = _ACTS.get(message.get("kind", "")) if isinstance(message.get("kind"), str) else None
    if act is None:
        return
    if message["kind"] not in ("look", "room"):
        session.complaint, session.typed = "", ""
    try:
        session.rebuild()
        act(session, message)
    except NotAllowed as refusal:
        session.complaint = session.said = str(refusal)
        session.refusal, session.refused_calls = None, ()
        typed = message.get("text", "")
        session.typed = typed[:2000] if isinstance(typed, str) else ""
    except (MemoryError, RecursionError) as error:
        session.complaint = session.said = f"not possible here: {type(error).__name__}"


def _expression(session: Session, message: Message) -> None:
    text = message.get("text", "")
    session.go(parse(text, session.name), typed=text)


def _step(session: Session, message: Message) -> None:
    text = message.get("text", "")
    added = parse(text if isinstance(text, str) else "", session.name)
    session.go((*session.calls, *added), typed=session.code + str(text)[:200])


def _goto(session: Session, message: Message) -> None:
    step = message.get("step")
    if isinstance(step, int) and 0 <= step <= len(session.calls):
        session.go(session.calls[:step])


def _remove(session: Session, message: Message) -> None:
    step = message.get("step")
    if isinstance(step, int) and 1 <= step <= len(session.calls):
        session.go(session.calls[: step - 1] + session.calls[step:])


def _undo(session: Session, message: Message) -> None:
    if session.refusal is not None and not session.moved:
        session.refusal, session.refused_calls, session.said = None, (), "undone: the refused step is gone"
    elif session.history:
        before = session.history.pop()
        kept = list(session.history)
        session.go(before.calls)
        session.history = kept
        session.focus = clamp_focus(before.focus, session.meta.size)
        session.said = "undone: " + session.said


def _reset(session: Session, message: Message) -> None:
    session.go(session.first)


def _swap(session: Session, message: Message) -> None:
    dims = _numbers(message.get("dims"), 2)
    if dims is None or len(dims) != 2:
        return
    a, b = sorted(dims)
    array = session.meta.library == "numpy"
    if len(session.meta.size) == 2 and (a, b) == (0, 1):
        code = ".T" if array else ".t()"
    else:
        code = f".swapaxes({a}, {b})" if array else f".transpose({a}, {b})"
    session.go((*session.calls, *parse(code)))


def _permute(session: Session, message: Message) -> None:
    order = _numbers(message.get("order"))
    if order is None or sorted(order) != list(range(len(session.meta.size))) or list(order) == sorted(order):
        return
    moved = [k for k, d in enumerate(order) if k != d]
    if len(moved) == 2:
        _swap(session, {"dims": moved})
        return
    method = "transpose" if session.meta.library == "numpy" else "permute"
    session.go((*session.calls, *parse(f".{method}({', '.join(map(str, order))})")))


def _slice(session: Session, message: Message) -> None:
    """The sliders: they work on the tensor before a slice that ends the chain, and replace that slice."""
    rows = message.get("slices")
    calls, size = session.sliced()
    if not isinstance(rows, list) or len(rows) != len(size):
        return
    parts = [_slice_of(_numbers(row, 3), n) for row, n in zip(rows, size, strict=True)]
    while parts and parts[-1] == slice(None):
        parts.pop()
    if parts:
        index = parts[0] if len(parts) == 1 else tuple(parts)
        calls = (*calls, Call(f"[{show_index(index)}]", "[]", (index,)))
    if calls != session.calls:
        session.together(calls)


def _dials(session: Session, message: Message) -> None:
    """Raw size, stride and offset, clamped so that they stay within the storage."""
    size, stride = _numbers(message.get("size"), 8), _numbers(message.get("stride"), 8)
    offset = message.get("offset")
    if size is None or stride is None or len(size) != len(stride) or not isinstance(offset, int):
        return
    sizes, strides, start = _clamped(size, stride, offset, session.meta.slots)
    before = session.calls[:-1] if session.calls and session.calls[-1].name == "as_strided" else session.calls
    code = f".as_strided({size_text(sizes)}, {size_text(strides)}, {start})"
    session.together((*before, *parse(code)))
    if (sizes, strides, start) != (size, stride, offset) and session.refusal is None:
        session.said = "clamped to the storage: " + session.said


def _look(session: Session, message: Message) -> None:
    """Move the window: to an element, or to a slot of the strip."""
    focus = _numbers(message.get("focus"))
    if focus is not None and clamp_focus(focus, session.meta.size) == focus:
        narrow = session.width < NARROW
        session.origin = grid_window(session.meta.size, focus, session.held_origin(), narrow).origin
        session.focus, session.point = focus, None
    slot = message.get("slot")
    if isinstance(slot, int):
        session.point = max(0, min(slot, session.meta.slots - 1))
    session.said = ""


def _room(session: Session, message: Message) -> None:
    """How wide the view is: the picture is laid out for a few widths, rather than shrunk."""
    width = message.get("value")
    if isinstance(width, int | float) and width > 0:
        session.width = next((w for w in (320.0, 400.0, 480.0, 560.0, 680.0, 800.0) if width < w + 80), WIDTH)
    session.said = ""


def _edit(session: Session, message: Message) -> None:
    index = _numbers(message.get("index"))
    if index is None or clamp_focus(index, session.meta.size) != index:
        return
    value = number(message.get("text", ""))
    place = f"{session.code}[{', '.join(map(str, index))}]" if index else f"{session.code}[()]"
    try:
        adapter.write(session.tensor, index, value)
    except Exception as error:  # the engine's own refusal is what the learner must read
        session.complaint = session.said = (
            f"{place} = {full(value, 'float64')} was refused: {plain(str(error))}"
        )
        return
    session.focus = index
    got = _read(session, index)
    session.said = f"{place} = {full(value, 'float64')}: written through to the storage"
    if isinstance(got, int | float) and not isinstance(value, complex) and not _same(got, value):
        session.said += f"; {session.meta.dtype} keeps it as {full(got, session.meta.dtype)}"


def _read(session: Session, index: Ints) -> Any:
    window = replace(grid_window(session.meta.size, index), origin=index, count=(1,) * len(index))
    values = look(session.tensor, window, ()).grid
    return values[0] if values else None


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


def _slice_of(row: Ints | None, n: int) -> slice:
    if row is None or len(row) != 3:
        return slice(None)
    start, stop, step = max(0, min(row[0], n)), max(0, min(row[1], n)), max(1, row[2])
    return slice(start or None, None if stop == n else stop, None if step == 1 else step)


def _same(got: float, value: float) -> bool:
    if math.isnan(value) or math.isnan(got):
        return math.isnan(value) and math.isnan(got)
    return got == value or math.isclose(got, value, rel_tol=1e-6)


_ACTS: dict[str, Callable[[Session, Message], None]] = {
    "expression": _expression,
    "step": _step,
    "goto": _goto,
    "remove": _remove,
    "undo": _undo,
    "reset": _reset,
    "swap": _swap,
    "permute": _permute,
    "slice": _slice,
    "dials": _dials,
    "look": _look,
    "room": _room,
    "edit": _edit,
}
