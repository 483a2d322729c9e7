"""A tensor as it was at one moment, and which storage it stood on: frozen, small, and free of the tensor itself.

Nothing here keeps a tensor's memory alive: a `Seen` holds integers and the numbers of a small window, and the `Ledger`
that names the storages A, B, C … holds weak references only.

>>> import numpy
>>> a = numpy.arange(6.0)
>>> ledger = Ledger()
>>> [see(ledger, t, name).storage for t, name in ((a, "a"), (a.reshape(2, 3), ""), (a.copy(), "b"))]
['A', 'A', 'B']
"""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass, field
from typing import Any

from tensorkit.process import forks
from tensorkit_widgets.snapshot import arrays
from tensorkit_widgets.snapshot.adapter import (
    LIBRARIES,
    PLAIN,
    Buffer,
    Meta,
    Snapshot,
    describe,
    library_of,
    look,
)
from tensorkit_widgets.snapshot.geometry import Ints, all_indices
from tensorkit_widgets.snapshot.window import STRIP_SLOTS, default_focus, grid_window, strip_runs

MOST_TENSORS = 8
"""Tensors of one call that are looked at; a list of a hundred says nothing in a picture."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A tensor at one moment.

    Attributes:
        name: what the learner calls it: a name, or the piece of code that made it; empty where there is neither.
        storage: the letter of its storage in this recording.
        version: how often its memory had been written to, as its library counts; None where it does not (NumPy).
        requires_grad, leaf: what autograd knew of it.
        snapshot: metadata, and the numbers of the visible window.
    """

    name: str
    storage: str
    version: int | None
    requires_grad: bool
    leaf: bool
    snapshot: Snapshot

    @property
    def meta(self) -> Meta:
        """Size, stride, offset, dtype, device; its address is compared and never shown."""
        return self.snapshot.meta


@dataclass(frozen=True, slots=True)
class Write:
    """A tensor that a call wrote to, before and after.

    Attributes:
        operand: its place among the inputs, -1 for one given as ``out=`` that is no input.
        changed: the elements of the visible window that have another value now.
        sampled: nobody counted the write: it was found by comparing the window's numbers.
    """

    operand: int
    before: Seen
    after: Seen
    changed: tuple[Ints, ...]
    sampled: bool


@dataclass
class _Entry:
    label: str
    buffer: Buffer
    carriers: list[weakref.ref[Any]] = field(default_factory=list)

    def alive(self) -> bool:
        self.carriers = [carrier for carrier in self.carriers if carrier() is not None]
        return bool(self.carriers)

    def carries(self, owner: Any) -> bool:
        return any(carrier() is owner for carrier in self.carriers)


class Ledger:
    """Gives each storage a letter, in the order in which they are met; memory that is used again gets a new one."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []
        self._given = 0
        self._lock = forks.lock()

    def letter(self, tensor: Any, meta: Meta) -> str:
        """The letter of a tensor's storage."""
        owner = _owner(tensor)
        with self._lock:
            return self._letter(owner, meta)

    def _letter(self, owner: Any, meta: Meta) -> str:
        self._entries = [entry for entry in self._entries if entry.alive()]
        entry = next((e for e in self._entries if e.carries(owner)), None)
        if entry is None:
            entry = next((e for e in self._entries if _overlap(e.buffer, meta.buffer)), None)
        if entry is None:
            entry = _Entry(letters(self._given), meta.buffer)
            self._given += 1
            self._entries.append(entry)
        entry.buffer = meta.buffer if entry.carries(owner) else entry.buffer
        if not entry.carries(owner):
            entry.carriers.append(weakref.ref(owner))
        return entry.label


def letters(number: int) -> str:
    """A, B, …, Z, AA, AB, …

    >>> letters(0), letters(25), letters(26), letters(27)
    ('A', 'Z', 'AA', 'AB')
    """
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(65 + rest) + text
    return text


def _overlap(a: Buffer, b: Buffer) -> bool:
    if not a.nbytes or not b.nbytes or a.device != b.device or not a.start or not b.start:
        return False
    return a.start < b.start + b.nbytes and b.start < a.start + a.nbytes


def _owner(tensor: Any) -> Any:
    """The object that lives as long as the memory does."""
    if arrays.is_array(tensor):
        return arrays.owner_of(tensor)
    # A plain tensor's storage is a list, of which there are no weak references: each tensor on it carries it.
    return tensor if library_of(tensor) == PLAIN else tensor.untyped_storage()


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor of tensorkit or PyTorch, or a NumPy array with slots of its own."""
    if arrays.is_array(value):
        return arrays.has_slots(value)
    for name in LIBRARIES:
        kind = getattr(sys.modules.get(name), "Tensor", None)
        if kind is not None and isinstance(value, kind):
            return str(getattr(value, "layout", "strided")).endswith("strided")
    return False


def tensors_in(values: Any, most: int = MOST_TENSORS) -> list[Any]:
    """The tensors among arguments, those inside a tuple, list or dict too; at most ``most``.

    >>> import numpy
    >>> a = numpy.ones(1)
    >>> len(tensors_in([1, a, [a, numpy.ones(2)], {"x": numpy.ones(3)}]))
    4
    """
    found: list[Any] = []
    for value in values:
        inner = (
            value
            if type(value) in (tuple, list)
            else value.values()
            if type(value) is dict
            else value
            if isinstance(value, tuple) and hasattr(value, "_fields")
            else (value,)
        )
        for item in inner:
            if len(found) < most and is_tensor(item):
                found.append(item)
    return found


def version_of(tensor: Any) -> int | None:
    """How often a tensor's memory was written to, as its library counts; None where nobody counts."""
    try:
        return int(tensor._version)
    except (AttributeError, RuntimeError):  # NumPy counts nothing; PyTorch does not in inference mode
        return None


def see(ledger: Ledger, tensor: Any, name: str) -> Seen | None:
    """A tensor as it is now; None where it cannot be looked at, which is never the learner's trouble."""
    try:
        meta = describe(tensor)
        window = grid_window(meta.size, default_focus(meta.size))
        snapshot = look(tensor, window, strip_runs(meta.slots, [meta.offset], STRIP_SLOTS))
        letter = ledger.letter(tensor, snapshot.meta)
        wants = bool(getattr(tensor, "requires_grad", False))
        leaf = bool(getattr(tensor, "is_leaf", True))
    except Exception:  # a tensor that changes on another thread, or one of an unknown kind
        return None
    return Seen(name, letter, version_of(tensor), wants, leaf, snapshot)


def surely_unchanged(tensor: Any, before: Seen) -> bool:
    """Whether its library says that nothing was written to a tensor: then nobody has to read it again."""
    try:
        return (
            before.version is not None
            and version_of(tensor) == before.version
            and describe(tensor) == before.meta
        )
    except Exception:  # as in `see`
        return False


def compare(operand: int, before: Seen, after: Seen, *, adopted: bool = False) -> Write | None:
    """What a call did to a tensor; None where it did not write to it.

    Args:
        adopted: the caller says that it was written to, whatever the counters say.
    """
    counted = before.version is not None and after.version is not None
    moved = _layout(before.meta) != _layout(after.meta) or before.storage != after.storage
    changed = () if moved else _changed(before.snapshot, after.snapshot)
    written = before.version != after.version if counted else bool(changed)
    if not (written or moved or adopted):
        return None
    return Write(operand, before, after, changed, sampled=not counted and not adopted and not moved)


def _layout(meta: Meta) -> tuple[Any, ...]:
    return meta.size, meta.stride, meta.offset, meta.dtype


def _changed(before: Snapshot, after: Snapshot) -> tuple[Ints, ...]:
    if before.window != after.window or len(before.grid) != len(after.grid) or not after.grid:
        return ()
    places = all_indices(before.window.count)
    pairs = zip(places, before.grid, after.grid, strict=True)
    origin = before.window.origin
    return tuple(
        tuple(o + i for o, i in zip(origin, place, strict=True))
        for place, old, new in pairs
        if old != new and not (old != old and new != new)
    )
