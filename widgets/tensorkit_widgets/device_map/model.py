"""What a cell carried between memories, as plain frozen data: made from recorded events, and from nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tensorkit_widgets.namespace.words import MemoryPage

COPY_SECONDS = 10e-6
"""What any copy is said to take, where no clock of a GPU was read."""

PACES = {"pageable": 12e9, "pinned": 25e9, "peer": 50e9}
"""And so many bytes a second besides: from or to the host's memory, pageable or pinned, and from device to device. A
PCIe 4 slot with 16 lanes carries 32 GB/s: pinned memory gets about 25 of it, and pageable memory, which is copied
twice, about half."""

Ends = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Moved:
    """A recorded copy, or several that are alike in everything: ``times`` says how many.

    Attributes:
        nbytes: of one of them, as the engine's copier told.
        by: the operation that the learner called; *print* where a tensor was written out, empty where nobody knows.
        code: the line that did it.
        ends: the storages that it left and reached, by their numbers in the snapshots.
        tensors: the tensors that were asked for it and that it made, by their numbers there.
        pinned: whether the host's side of it is pinned memory.
        seconds: how long the copies took together, where that was measured.
    """

    nbytes: int
    source: str
    target: str
    by: str = ""
    code: str = ""
    ends: Ends = (None, None)
    tensors: Ends = (None, None)
    times: int = 1
    pinned: bool = False
    seconds: float | None = None

    @property
    def pace(self) -> str:
        """Which of `PACES` it has."""
        if "cpu" not in (self.source, self.target):
            return "peer"
        return "pinned" if self.pinned else "pageable"

    def simulated(self) -> float:
        """The seconds that it takes by the model.

        >>> Moved(12_000_000_000, "cpu", "cuda:0").simulated()
        1.00001
        """
        return self.times * (COPY_SECONDS + self.nbytes / PACES[self.pace])

    @property
    def crosses(self) -> bool:
        """Whether it left one memory for another."""
        return self.source != self.target


@dataclass(frozen=True, slots=True)
class Work:
    """What ran on a device: kernels, and library calls."""

    device: str
    kernels: int
    library: int


@dataclass(frozen=True, slots=True)
class Refused:
    """An operation that was refused since its tensors are on different devices. Each comes with its device, the
    number of its storage and its own; a number is None for what no name reaches."""

    by: str
    operands: tuple[tuple[str, int | None, int | None], ...]

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices, each once."""
        return tuple(dict.fromkeys(device for device, _, _ in self.operands))


@dataclass(frozen=True, slots=True)
class Record:
    """All that was recorded in one step. ``left_out`` counts copies beyond those that a record keeps apart."""

    moved: tuple[Moved, ...] = ()
    work: tuple[Work, ...] = ()
    refused: tuple[Refused, ...] = ()
    left_out: int = 0

    @property
    def crossing(self) -> tuple[Moved, ...]:
        """What went from one memory to another."""
        return tuple(one for one in self.moved if one.crosses)

    def inside(self, device: str) -> tuple[int, int]:
        """How many copies stayed within a memory, and how many bytes they moved."""
        found = [one for one in self.moved if one.source == one.target == device]
        return sum(one.times for one in found), sum(one.times * one.nbytes for one in found)

    def ran_on(self, device: str) -> Work:
        """What ran on a device."""
        return next((one for one in self.work if one.device == device), Work(device, 0, 0))

    @property
    def empty(self) -> bool:
        """Whether nothing was recorded that has to do with devices."""
        return not (self.crossing or self.work or self.refused)


@dataclass(frozen=True, slots=True)
class Transfer:
    """Copies that are drawn as one arrow.

    Attributes:
        each: the bytes of one where all are alike, else None.
        seconds: how long they took together, where that was measured; ``simulated`` by the model, at its ``paces``.
    """

    source: str
    target: str
    by: str
    code: str
    ends: Ends
    tensors: Ends
    count: int
    nbytes: int
    each: int | None
    seconds: float | None
    simulated: float
    paces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """What a CUDA device said of itself at one moment."""

    device: str
    emulated: bool
    allocated: int
    reserved: int
    name: str = ""


@dataclass(frozen=True)
class DevicePage(MemoryPage):
    """A moment: the memory, what had happened to it, what was recorded, and the CUDA devices that there were."""

    record: Record = Record()
    devices: tuple[DeviceFacts, ...] = ()

    def facts(self, device: str) -> DeviceFacts | None:
        """What a device said of itself."""
        return next((one for one in self.devices if one.device == device), None)


_Key = Callable[[Moved], tuple[object, ...]]
_KEYS: tuple[_Key, ...] = (
    lambda one: (one.source, one.target, one.by, one.code, one.ends),
    lambda one: (one.source, one.target, one.by, one.code),
    lambda one: (one.source, one.target, one.by),
    lambda one: (one.source, one.target),
)
"""What the copies of one arrow have in common, the finest first."""


def transfers_of(moved: Iterable[Moved], most: int) -> tuple[Transfer, ...]:
    """The arrows: copies that are alike together, and so many together that there are not more than ``most``, if
    that can be.

    >>> items = Moved(4, "cuda:0", "cpu", "item", "x.item()", times=12)
    >>> [arrow] = transfers_of([items], 4)
    >>> arrow.count, arrow.nbytes, arrow.each
    (12, 48, 4)
    """
    crossing = [one for one in moved if one.crosses]
    groups: dict[tuple[object, ...], list[Moved]] = {}
    for key in _KEYS:
        groups = {}
        for one in crossing:
            groups.setdefault(key(one), []).append(one)
        if len(groups) <= most:
            break
    return tuple(_together(same) for same in groups.values())


def _together(same: list[Moved]) -> Transfer:
    first = same[0]
    by = first.by if len({one.by for one in same}) == 1 else ""
    code = first.code if len({one.code for one in same}) == 1 else ""
    sizes = {one.nbytes for one in same}
    known = [one.seconds for one in same if one.seconds is not None]
    return Transfer(
        first.source, first.target, by, code, _common([one.ends for one in same]),
        _common([one.tensors for one in same]), sum(one.times for one in same),
        sum(one.times * one.nbytes for one in same), sizes.pop() if len(sizes) == 1 else None,
        sum(known) if len(known) == len(same) else None,
        round(sum(one.simulated() for one in same), 9), tuple(sorted({one.pace for one in same})),
    )  # fmt: skip


def _common(ends: list[Ends]) -> Ends:
    """On each side the number that all have, or None."""
    left, reached = {one[0] for one in ends}, {one[1] for one in ends}
    return left.pop() if len(left) == 1 else None, reached.pop() if len(reached) == 1 else None
