"""A chain of view steps on a live tensor: each step applied through the tensor's own library, and described.

>>> import numpy
>>> links = build(numpy.arange(12.0).reshape(3, 4), parse("[1:, ::2].T"), name="a")
>>> [(link.step.code, link.step.size, link.step.stride, link.step.offset, link.step.kind) for link in links]
[('a', (3, 4), (4, 1), 0, 'tensor'), ('[1:, ::2]', (2, 2), (4, 2), 4, 'view'), ('.T', (2, 2), (2, 4), 4, 'view')]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from tensorkit_widgets.snapshot.adapter import Meta, describe, same_buffer
from tensorkit_widgets.snapshot.arrays import is_array
from tensorkit_widgets.snapshot.expression import Call, NotAllowed, parse
from tensorkit_widgets.snapshot.geometry import Ints, conflicts, is_contiguous

__all__ = ["Link", "Step", "StepFailed", "apply", "base_link", "build", "parse", "why"]

LARGEST_COPY = 2**28
"""Bytes that the steps of one typed chain may copy; a learner's slip must not fill the machine."""

_NUMPY_METHODS = frozenset({"transpose", "swapaxes", "reshape", "flatten", "squeeze", "diagonal"})
_NUMPY_WAYS = {
    "t": ".T", "permute": ".transpose(…)", "movedim": ".transpose(…)", "narrow": "a slice", "select": "an index",
    "unsqueeze": "[None]", "view": ".reshape(…)", "clone": ".flatten()", "contiguous": ".flatten()",
}  # fmt: skip
_COPIERS = frozenset({"contiguous", "clone", "reshape", "flatten", "[]"})
_SHAPERS = frozenset({"view", "reshape"})


@dataclass(frozen=True, slots=True)
class Step:
    """One step as it is shown: its code, the metadata that it gives, *view or copy*, and why."""

    code: str
    size: Ints
    stride: Ints
    offset: int
    kind: str
    why: str


@dataclass(frozen=True, slots=True)
class Link:
    """A step with the call that made it and the live tensor that it gave."""

    step: Step
    call: Call | None
    tensor: Any
    meta: Meta


class StepFailed(Exception):
    """A step that the library refused: the library's own error, and the dimensions that cannot merge."""

    def __init__(self, call: Call, error: Exception, pairs: Sequence[tuple[int, int]], at: int) -> None:
        super().__init__(str(error))
        self.call = call
        self.error = error
        self.conflicts = tuple(pairs)
        self.at = at


def base_link(tensor: Any, name: str) -> Link:
    """The chain's beginning: the tensor itself."""
    meta = describe(tensor)
    full = prod(meta.size) == meta.slots and is_contiguous(meta.size, meta.stride)
    reason = "its elements fill the storage in order" if full else "it is itself a view of its storage"
    if meta.turned:
        reason = (
            f"a view of the same numbers that shows their {meta.turned}: they are turned when they are read"
        )
    return Link(Step(name, meta.size, meta.stride, meta.offset, "tensor", reason), None, tensor, meta)


def build(
    tensor: Any, calls: Sequence[Call], name: str = "t", known: Sequence[Link] = (), first: Link | None = None
) -> tuple[Link, ...]:
    """Apply ``calls`` one by one; steps that ``known`` already holds for the same tensor are taken from there.

    ``first`` is the `base_link`, where that was just read.

    Raises:
        StepFailed: when the library refuses a step; the steps before it stand.
        NotAllowed: when a step is one that this library does not have.
    """
    links = [first or base_link(tensor, name)]
    reuse = bool(known) and known[0].tensor is tensor and known[0].meta == links[0].meta
    room = LARGEST_COPY
    for k, call in enumerate(calls):
        reuse = reuse and k + 1 < len(known) and known[k + 1].call == call and _fresh(known[k + 1])
        links.append(known[k + 1] if reuse else _link(links[-1], call, k, room))
        room -= links[-1].meta.nbytes if links[-1].step.kind == "copy" else 0
    return tuple(links)


def _fresh(link: Link) -> bool:
    return describe(link.tensor) == link.meta


def _link(before: Link, call: Call, at: int, room: int) -> Link:
    try:
        call, tensor = apply(before.tensor, call, before.meta, room)
        meta = describe(tensor)
    except (NotAllowed, MemoryError, RecursionError):
        raise
    except Exception as error:  # whatever the library says is what the learner must read
        raise StepFailed(call, error, _conflicts(before.meta, call, error), at) from error
    kind = "view" if same_buffer(before.meta, meta) else "copy"
    reason = why(call, before.meta, meta, kind)
    return Link(Step(call.code, meta.size, meta.stride, meta.offset, kind, reason), call, tensor, meta)


def apply(tensor: Any, call: Call, meta: Meta, room: int = LARGEST_COPY) -> tuple[Call, Any]:
    """One step on a live tensor; the call comes back as it was really made (NumPy's full index needs a `...`).

    ``room`` is how many bytes it may copy.
    """
    if call.name in _COPIERS and _copied(call, meta) * meta.itemsize > room:
        raise NotAllowed(f"not allowed here: `{call.code}` would copy more than {LARGEST_COPY // 2**20} MiB")
    if call.name == "[]":
        return _indexed(tensor, call, meta)
    if meta.library == "numpy":
        _check_numpy(call)
    attribute = getattr(tensor, call.name)
    if not call.code.endswith(")"):
        return call, attribute
    return call, attribute(*call.args, **dict(call.kwargs))


def _copied(call: Call, meta: Meta) -> int:
    lists = 1
    if call.name == "[]":
        masks = [item for item in _items(call) if isinstance(item, bool)]  # True copies all, False nothing
        listed = [len(item) for item in _items(call) if isinstance(item, list)]
        if not (masks or listed) or False in masks:
            return 0
        lists = max(listed, default=1)
    return prod(meta.size) * max(lists, 1)


def _items(call: Call) -> tuple[Any, ...]:
    """What stands between the brackets."""
    return call.args[0] if isinstance(call.args[0], tuple) else call.args


def _indexed(tensor: Any, call: Call, meta: Meta) -> tuple[Call, Any]:
    index = call.args[0]
    result = tensor[index]
    if meta.library == "numpy" and not is_array(result):
        items = index if isinstance(index, tuple) else (index,)
        [call] = parse("[" + call.code[1:-1].rstrip(",") + ", ...]")
        result = tensor[(*items, Ellipsis)]
    return call, result


def _check_numpy(call: Call) -> None:
    if call.name in ("T", "mT") or call.name in _NUMPY_METHODS:
        return
    way = _NUMPY_WAYS.get(call.name)
    hint = f"; NumPy writes {way}" if way else ""
    raise NotAllowed(f"not allowed here: a numpy.ndarray has no `.{call.name}` of this meaning{hint}")


def _shape(call: Call, meta: Meta) -> Ints | None:
    """The shape that a view or reshape asked for, with -1 worked out."""
    args = call.args[0] if len(call.args) == 1 and isinstance(call.args[0], tuple | list) else call.args
    if call.name == "flatten" and not call.args and not call.kwargs:
        args = (-1,)
    elif call.name not in _SHAPERS:
        return None
    if not all(isinstance(n, int) for n in args):
        return None
    known = prod(n for n in args if n != -1)
    return tuple(prod(meta.size) // known if n == -1 and known else n for n in args)


def _conflicts(meta: Meta, call: Call, error: Exception) -> tuple[tuple[int, int], ...]:
    named = getattr(error, "conflicts", None)
    if named:
        return tuple((int(d), int(e)) for d, e in named)
    shape = _shape(call, meta)
    return conflicts(meta.size, meta.stride, shape) if shape and call.name == "view" else ()


def why(call: Call, before: Meta, after: Meta, kind: str) -> str:
    """Why a step gave a view, or a copy, in a sentence without its full stop."""
    if kind == "copy":
        return _why_copy(call, before)
    if before.turned != after.turned:
        return "the same numbers, turned when they are read: no number was computed"
    if (before.size, before.stride, before.offset) == (after.size, after.stride, after.offset):
        return "nothing changed: the same sizes, strides and offset"
    return _WHY_VIEW.get(call.name, "the same storage, read by other integers")


def _why_copy(call: Call, before: Meta) -> str:
    if call.name == "[]":
        if not any(isinstance(item, list) for item in _items(call)):
            return "True and False are masks, so the elements that they choose were copied into a new storage"
        return "a list of indices picks elements one by one, so they were copied into a new storage"
    if call.name == "clone":
        return "clone always copies"
    if call.name == "contiguous":
        return "the strides were not those of a fresh tensor, so the numbers were copied in reading order"
    shape = _shape(call, before)
    pairs = conflicts(before.size, before.stride, shape) if shape else ()
    if pairs:
        d, e = pairs[0]
        needed = before.size[e] * before.stride[e]
        return (
            f"dimensions {d} and {e} cannot merge: stride[{d}] is {before.stride[d]} where "
            f"size[{e}]·stride[{e}] is {needed}, so the numbers were copied in reading order"
        )
    return "the library copied the numbers into a new storage"


_WHY_VIEW = {
    "[]": "an index moves the offset and scales the strides; no number moves",
    "narrow": "the offset moves and the size shrinks; no number moves",
    "select": "one index is fixed, so its dimension is gone and the offset has moved",
    **dict.fromkeys(("t", "T", "mT", "transpose", "swapaxes"), "the strides change places; no number moves"),
    **dict.fromkeys(("permute", "movedim"), "sizes and strides are reordered together; no number moves"),
    **dict.fromkeys(
        ("view", "reshape", "flatten", "unflatten"),
        "the same slots in the same order, under new sizes and strides",
    ),
    "squeeze": "dimensions of size 1 leave; their strides were never used",
    "unsqueeze": "a dimension of size 1 comes in; its stride is never used",
    **dict.fromkeys(
        ("expand", "broadcast_to"), "stride 0: the same slots are read again and again, and nothing is copied"
    ),
    "diagonal": "one step goes along both dimensions, so their strides are added",
    "unfold": "windows over the same slots; where they overlap, a slot is read more than once",
    "as_strided": "size, stride and offset as they were given",
    "contiguous": "it was contiguous already, so the same tensor came back",
}
