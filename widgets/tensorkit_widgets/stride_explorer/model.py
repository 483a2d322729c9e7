"""What a StrideExplorer knows without its widget: its state, the chain that a message asks for, what it reads.

A message never raises for what a learner did, but for text outside of the grammar (`NotAllowed`, which the picture
says); what is no message of ours asks for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tensorkit_widgets.drawing.sheet import PAGE
from tensorkit_widgets.drawing.strip import strip_room
from tensorkit_widgets.snapshot.adapter import Meta, Snapshot, look
from tensorkit_widgets.snapshot.expression import Call, parse, show_index
from tensorkit_widgets.snapshot.geometry import Ints, waypoints
from tensorkit_widgets.snapshot.number_text import size_text, texts
from tensorkit_widgets.snapshot.view_chain import Link
from tensorkit_widgets.snapshot.window import Window, grid_window, strip_runs
from tensorkit_widgets.stride_explorer.scene import breaks
from tensorkit_widgets.widget.board import State

NARROW = 800.0
"""On a narrower page fewer columns are shown, so that their numbers stay large."""

SLIDING = frozenset(
    {
        "slice-start",
        "slice-stop",
        "slice-step",
        "dial-offset",
        "dial-size",
        "dial-stride",
        "dial-more",
        "dial-less",
    }
)
"""Changes that go on: undo goes back to before their beginning."""

_ADDED = frozenset({"quick", "view", "reshape", "add-step"})


@dataclass(frozen=True)
class StrideState(State):
    """The chain of steps, the element in focus, where the window begins, and the slot that the strip was moved to."""

    calls: tuple[Call, ...] = ()
    focus: Ints | None = None
    origin: Ints | None = None
    point: int | None = None


def numbers(value: Any, most: int = 64) -> Ints | None:
    """A list of whole numbers from a message, also as ``"1,0"``, or None for anything else."""
    if isinstance(value, str):
        parts = value.split(",") if value else []
        value = [int(n) for n in parts if n.removeprefix("-").isdecimal() and len(n) < 20]
        if len(value) != len(parts):
            return None
    if not isinstance(value, list | tuple) or len(value) > most:
        return None
    if not all(type(n) is int and abs(n) < 2**62 for n in value):
        return None
    return tuple(value)


def window_of(link: Link, state: StrideState, width: float = PAGE) -> Window:
    """The part of a tensor that a page of ``width`` shows."""
    size = link.meta.size
    origin = state.origin if state.origin is not None and len(state.origin) == len(size) else None
    return grid_window(size, state.focus, origin, narrow=width < NARROW)


def read(link: Link, state: StrideState, width: float = PAGE, broken: bool | None = None) -> Snapshot:
    """Read that part, and the slots of its storage around the way to the element in focus.

    ``broken`` says whether the slots may be in several lines; None asks the width.
    """
    meta, window = link.meta, window_of(link, state, width)
    broken = breaks(width) if broken is None else broken
    points = [meta.offset]
    if state.point is not None:
        points = [state.point]
    elif state.focus is not None:
        points = list(waypoints(state.focus, meta.stride, meta.offset))
    seen = look(link.tensor, window, strip_runs(meta.slots, points), meta)
    longest = max(map(len, texts((v for run in seen.strip for v in run.values), meta.dtype)), default=1)
    highest = max([run.start + len(run.values) for run in seen.strip], default=0)
    room = strip_room(longest, highest, width, broken)
    if sum([len(run.values) for run in seen.strip]) > room:
        seen = look(link.tensor, window, strip_runs(meta.slots, points, room), meta)
    return seen


def chain_for(
    kind: str, message: Mapping[str, Any], links: Sequence[Link], name: str
) -> tuple[Call, ...] | None:
    """The chain that a message asks for, or None where it asks for none.

    Raises:
        NotAllowed: for text outside of the grammar.
    """
    calls = tuple(link.call for link in links[1:] if link.call)
    value, key = message.get("value"), message.get("key")
    if kind in ("expression", "offer"):
        return tuple(parse(value, name))  # type: ignore[arg-type]  # whatever it is, the grammar answers
    if kind in _ADDED:
        return (*calls, *parse(value if isinstance(value, str) else "", name))
    if kind in ("chain-step", "remove"):
        at = numbers(key, 1)
        if not at or not (kind == "remove") <= at[0] <= len(calls):
            return None
        return calls[: at[0]] if kind == "chain-step" else calls[: at[0] - 1] + calls[at[0] :]
    asked = _VERBS.get(kind)
    return None if asked is None else asked(kind, message, links, calls)


def _swap(
    _kind: str, message: Mapping[str, Any], links: Sequence[Link], calls: tuple[Call, ...]
) -> tuple[Call, ...] | None:
    dims = numbers(message.get("key"), 2)
    meta = links[-1].meta
    if dims is None or len(dims) != 2 or not all(0 <= d < len(meta.size) for d in dims):
        return None
    a, b = sorted(dims)
    array = meta.library == "numpy"
    if len(meta.size) == 2 and (a, b) == (0, 1):
        code = ".T" if array else ".t()"
    else:
        code = f".swapaxes({a}, {b})" if array else f".transpose({a}, {b})"
    return (*calls, *parse(code))


def _permute(
    kind: str, message: Mapping[str, Any], links: Sequence[Link], calls: tuple[Call, ...]
) -> tuple[Call, ...] | None:
    order, meta = numbers(message.get("value")), links[-1].meta
    if order is None or sorted(order) != list(range(len(meta.size))) or list(order) == sorted(order):
        return None
    moved = [k for k, d in enumerate(order) if k != d]
    if len(moved) == 2:
        return _swap(kind, {"key": moved}, links, calls)
    method = "transpose" if meta.library == "numpy" else "permute"
    return (*calls, *parse(f".{method}({', '.join(map(str, order))})"))


def slices(links: Sequence[Link]) -> tuple[int, list[list[int]], Ints]:
    """What the sliders show, and work on: the tensor before a slice that ends the chain.

    Returns:
        The number of calls before that slice, its start, stop and step in each dimension, and the size there.
    """
    count, call = len(links) - 1, links[-1].call
    parts = _plain_slices(call) if call else None
    if parts is None:
        size = links[-1].meta.size
        return count, [[0, n, 1] for n in size], size
    size = links[-2].meta.size
    whole = (*parts, *[slice(None)] * (len(size) - len(parts)))
    return count - 1, [list(part.indices(n)) for part, n in zip(whole, size, strict=True)], size


def _plain_slices(call: Call) -> tuple[slice, ...] | None:
    """The parts of an index made of slices only, or None."""
    if call.name != "[]":
        return None
    index = call.args[0] if isinstance(call.args[0], tuple) else call.args
    return index if index and all(isinstance(part, slice) for part in index) else None


def _slice(
    kind: str, message: Mapping[str, Any], links: Sequence[Link], calls: tuple[Call, ...]
) -> tuple[Call, ...] | None:
    """A slider: its slice takes the place of one that ends the chain."""
    count, rows, size = slices(links)
    dim, value = message.get("dim"), message.get("value")
    if type(dim) is not int or not 0 <= dim < len(rows) or type(value) is not int or abs(value) >= 2**62:
        return None
    rows[dim][("slice-start", "slice-stop", "slice-step").index(kind)] = value
    parts = [_slice_of(row, n) for row, n in zip(rows, size, strict=True)]
    while parts and parts[-1] == slice(None):
        parts.pop()
    if not parts:
        return calls[:count]
    index = parts[0] if len(parts) == 1 else tuple(parts)
    return (*calls[:count], Call(f"[{show_index(index)}]", "[]", (index,)))


def _slice_of(row: Sequence[int], n: int) -> slice:
    start, stop, step = max(0, min(row[0], n)), max(0, min(row[1], n)), max(1, row[2])
    return slice(start or None, None if stop == n else stop, None if step == 1 else step)


def asked_layout(
    kind: str, message: Mapping[str, Any], meta: Meta
) -> tuple[tuple[int, ...], tuple[int, ...], int] | None:
    """Size, stride and offset with the one number changed that a dial asks for; None for another message."""
    dim, value = message.get("dim"), message.get("value")
    size, stride, offset = list(meta.size), list(meta.stride), meta.offset
    if kind == "dial-more" and len(size) < 8:
        return (1, *size), (0, *stride), offset
    if kind == "dial-less" and size:
        return tuple(size[1:]), tuple(stride[1:]), offset
    if type(value) is not int or abs(value) >= 2**62:
        return None
    if kind == "dial-offset":
        return meta.size, meta.stride, value
    if kind not in ("dial-size", "dial-stride") or type(dim) is not int or not 0 <= dim < len(size):
        return None
    (size if kind == "dial-size" else stride)[dim] = value
    return tuple(size), tuple(stride), offset


def _dial(
    kind: str, message: Mapping[str, Any], links: Sequence[Link], calls: tuple[Call, ...]
) -> tuple[Call, ...] | None:
    """One of the raw numbers, clamped so that all of them stay within the storage."""
    asked = asked_layout(kind, message, links[-1].meta)
    if asked is None:
        return None
    size, stride, offset = clamped(*asked, links[-1].meta.slots)
    before = calls[:-1] if calls and calls[-1].name == "as_strided" else calls
    return (*before, *parse(f".as_strided({size_text(size)}, {size_text(stride)}, {offset})"))


def clamped(size: Sequence[int], stride: Sequence[int], offset: int, slots: int) -> tuple[Ints, Ints, int]:
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


_VERBS = {
    "swap": _swap,
    "permute": _permute,
    **dict.fromkeys(("slice-start", "slice-stop", "slice-step"), _slice),
    **dict.fromkeys(("dial-offset", "dial-size", "dial-stride", "dial-more", "dial-less"), _dial),
}
