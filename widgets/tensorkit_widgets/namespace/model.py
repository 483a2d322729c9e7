"""The memory of a notebook at one moment, as plain frozen data, and what became of it between two moments.

`tensorkit_widgets.namespace.watch` makes snapshots from live tensors, `tensorkit_widgets.namespace.diff` compares two;
nothing here holds a tensor, and pictures are drawn from nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tensorkit_widgets.namespace.find_tensors import Way
from tensorkit_widgets.snapshot.adapter import Link, Run
from tensorkit_widgets.snapshot.geometry import Ints

Compared = Literal["whole", "sample", "window", "nothing"]
Fate = Literal["made", "changed", "unchanged", "freed", "lost"]


@dataclass(frozen=True, slots=True)
class Moment:
    """When a snapshot was taken: the ``count``-th look, after cell ``[cell]``, whose code and error (if any) are told.

    ``cell`` is None for a look between cells, as after a write from a picture.
    """

    count: int
    cell: int | None = None
    code: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Holder:
    """One tensor object that keeps a storage alive, with every way to say it.

    Attributes:
        number: the same in every snapshot while the object lives.
        kind: its class, such as ``Parameter``.
        size, stride, offset: in its own elements, as its library says them.
        first: the byte of `Storage` from which its offset counts; not 0 where several buffers lie in one memory.
        reach: the half-open range of the storage's slots between its lowest and its highest element.
        viewed: bytes of the storage that it reaches; ``exact`` is false where that is an upper bound.
        version: its version counter; None where nobody counts (NumPy, inference tensors).
        fault: why it cannot be read now, or an empty text.
    """

    number: int
    ways: tuple[Way, ...]
    library: str
    kind: str
    dtype: str
    itemsize: int
    size: Ints
    stride: Ints
    offset: int
    first: int
    reach: tuple[int, int]
    viewed: int
    exact: bool
    version: int | None
    fault: str = ""

    @property
    def name(self) -> str:
        """The nearest way to say it."""
        return self.ways[0].text if self.ways else ""

    def written(self, version: int | None) -> Holder:
        """The same after its storage was written to."""
        return Holder(
            self.number, self.ways, self.library, self.kind, self.dtype, self.itemsize, self.size, self.stride,
            self.offset, self.first, self.reach, self.viewed, self.exact, version, self.fault,
        )  # fmt: skip

    @property
    def elements(self) -> int:
        """How many elements it has, repeated ones counted again."""
        count = 1
        for n in self.size:
            count *= n
        return count


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was seen of a storage's content: ``runs`` are visible, and the bytes are those of `positions`."""

    slots: int
    itemsize: int
    runs: tuple[tuple[int, int], ...]
    sampled: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Storage:
    """One stretch of memory with all that holds it: a buffer shared between libraries is one storage.

    Attributes:
        number: the same in every snapshot while the storage lives.
        dtype, itemsize, slots: the elements that the strip shows, those of its first holder.
        runs: the visible slots with their numbers; empty where there is a ``fault``.
        viewed: bytes that some holder reaches; ``exact`` is false where that is an upper bound.
        compared: how much of the content is compared with the next moment's.
        fault: why no numbers are shown, or an empty text.
        link: what every other picture of this memory calls it in the browser ; None where it has no slot.
        pinned: whether it is memory of the host that is locked for transfers.
    """

    number: int
    device: str
    dtype: str
    itemsize: int
    slots: int
    nbytes: int
    holders: tuple[Holder, ...]
    runs: tuple[Run, ...]
    viewed: int
    exact: bool
    compared: Compared
    evidence: Evidence | None = None
    fault: str = ""
    link: Link | None = None
    pinned: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The nearest way to say each holder."""
        return tuple(holder.name for holder in self.holders)

    @property
    def libraries(self) -> tuple[str, ...]:
        """The libraries whose tensors share it, each once."""
        return tuple(dict.fromkeys(holder.library for holder in self.holders))


@dataclass(frozen=True, slots=True)
class Unread:
    """A tensor that was found and cannot be drawn, and why."""

    ways: tuple[Way, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class MemorySnapshot:
    """Every storage that the namespace reached at one moment, in the order in which they were first seen.

    Attributes:
        lost: storages that no way leads to any more and that are still alive: something that is not looked at (a
            closure, a traceback, a cycle that waits for the garbage collector) holds them. As they were last seen.
        cut: sentences about where the look stopped.
    """

    moment: Moment
    storages: tuple[Storage, ...] = ()
    lost: tuple[Storage, ...] = ()
    unread: tuple[Unread, ...] = ()
    cut: tuple[str, ...] = ()

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices in use, the CPU first."""
        return tuple(sorted({storage.device for storage in self.storages}, key=lambda d: (d != "cpu", d)))

    def on(self, device: str) -> tuple[Storage, ...]:
        """The storages of one device."""
        return tuple(storage for storage in self.storages if storage.device == device)

    def owned(self, device: str | None = None) -> int:
        """Bytes of all storages, or of one device's. On the meta device there are none."""
        return sum(s.nbytes for s in self.storages if s.device != "meta" and device in (None, s.device))

    def viewed(self, device: str | None = None) -> int:
        """Bytes of them that some holder reaches."""
        return sum(s.viewed for s in self.storages if s.device != "meta" and device in (None, s.device))

    @property
    def names(self) -> int:
        """How many plain names of the namespace are tensors."""
        return sum(way.kind == "name" for s in self.storages for h in s.holders for way in h.ways)

    def storage(self, number: int) -> Storage | None:
        """A storage by its number, also a lost one."""
        return next((s for s in (*self.storages, *self.lost) if s.number == number), None)


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one storage.

    Attributes:
        fate: *made*, *changed* (in place), *unchanged*, *freed*, or *lost* (nothing names it, but it is alive).
        slots: the visible slots whose numbers differ, those that flash.
        hidden: how many slots beyond the visible ones differ, of those that were compared.
        counted: whether a version counter went up.
        compared: how much of the content was compared.
        through: the holder that reaches all changed slots and the fewest others, when others reach more.
        resized: the bytes before, when the storage was resized; else None.
        reshaped: the names of tensors that have another size, stride or offset now, as `unsqueeze_` gives it. Where
            that alone is what the counter counted, no number was written, and the storage is *unchanged*.
    """

    storage: int
    fate: Fate
    slots: Ints = ()
    hidden: int = 0
    counted: bool = False
    compared: Compared = "whole"
    through: str = ""
    resized: int | None = None
    words: str = ""
    reshaped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rebound:
    """A name that names another tensor now. The storages are equal when only the view is another; None: none."""

    name: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Difference:
    """What happened between two moments. ``before`` is None for the first look: then nothing is said to be made.

    ``rebound`` has the names that stood for a tensor at both moments; ``bound`` the new names, ``unbound`` those gone.
    """

    before: Moment | None
    after: Moment
    changes: tuple[Change, ...] = ()
    rebound: tuple[Rebound, ...] = ()
    bound: tuple[Rebound, ...] = ()
    unbound: tuple[Rebound, ...] = ()

    def of(self, fate: Fate) -> tuple[Change, ...]:
        """The storages that met one fate."""
        return tuple(change for change in self.changes if change.fate == fate)

    def change(self, storage: int) -> Change | None:
        """What became of a storage."""
        return next((change for change in self.changes if change.storage == storage), None)

    @property
    def quiet(self) -> bool:
        """Whether nothing happened."""
        names = self.rebound or self.bound or self.unbound
        still = all(change.fate == "unchanged" and not change.reshaped for change in self.changes)
        return not names and still
