"""The memory of a notebook at one moment, as plain frozen data, and what changed between two moments.

`tensorkit_widgets.memory_watch` makes these from live tensors; nothing here holds a tensor, and pictures are drawn from
nothing else.

How a change is known: by the version counters that tensorkit and PyTorch keep, and by comparing content. The content of
a small storage is compared whole. Of a larger one it is the visible slots, and where nobody counts (an array stands on
the memory) a *sample* of the rest. `Storage.compared` says which it was, and so do the sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import gcd
from typing import Any, Literal

import numpy

from tensorkit_widgets.adapters import Run
from tensorkit_widgets.geometry import Ints, distinct_slots, extent
from tensorkit_widgets.memory_scan import Way

__all__ = [
    "Change",
    "Difference",
    "Evidence",
    "Fate",
    "Holder",
    "MOST_SAMPLED",
    "MemorySnapshot",
    "Moment",
    "Rebound",
    "Storage",
    "Unread",
    "WHOLE",
    "bytes_words",
    "difference",
    "distinct",
    "keeps_alive",
    "looked_at",
    "positions",
    "reached_slots",
    "remedy",
    "slots_words",
    "spread",
    "summary",
    "unlike",
]

WHOLE = 256
"""Slots up to which a storage's content is compared whole."""
MOST_SAMPLED = 256
"""Slots in the sample of a larger one."""

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
        link: what every other picture of this memory calls it in the browser (`storage_number`); 0 for none.
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
    link: int = 0

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


@dataclass(frozen=True, slots=True)
class Rebound:
    """A name that stands for another tensor now. The storages are equal when only the view is another; None: none."""

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
        return not names and all(change.fate == "unchanged" for change in self.changes)


# ---- which slots are compared


def looked_at(slots: int, runs: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """The runs of slots whose content is kept: the visible ones, or all of a small storage."""
    return runs if slots > WHOLE else ((0, slots),)


@lru_cache(maxsize=256)
def spread(slots: int, sampled: int) -> numpy.ndarray[Any, Any]:
    """The slots of a sample, evenly over the storage. A smaller sample is a part of a larger one.

    Within its share each slot is drawn (always the same), so that a period of the data, such as a row's length, does
    not hide a change.

    >>> len(spread(10**9, 64)), set(spread(10**9, 64)) <= set(spread(10**9, 256))
    (64, True)
    """
    edges = numpy.linspace(0, slots, MOST_SAMPLED + 1).astype(numpy.int64)
    low, high = edges[:-1], numpy.maximum(edges[1:], edges[:-1] + 1)
    drawn = low + (numpy.random.default_rng(slots).random(MOST_SAMPLED) * (high - low)).astype(numpy.int64)
    found = drawn[:: MOST_SAMPLED // sampled] if sampled else drawn[:0]
    found.flags.writeable = False
    return found


@lru_cache(maxsize=128)
def positions(slots: int, runs: tuple[tuple[int, int], ...], sampled: int) -> numpy.ndarray[Any, Any]:
    """The slots of an `Evidence`'s content, in its order: the runs that were looked at, then the sample."""
    parts = [numpy.arange(low, high) for low, high in looked_at(slots, runs)]
    return numpy.concatenate([numpy.empty(0, numpy.int64), *parts, spread(slots, sampled)])


def unlike(before: Evidence | None, after: Evidence | None) -> Ints | None:
    """The slots whose bytes differ, of those that were looked at both times; None where nothing can be compared.

    Bytes are compared, so ``nan`` equals itself.
    """
    if before is None or after is None:
        return None
    if (before.slots, before.itemsize) != (after.slots, after.itemsize):
        return None
    if before.content == after.content and before.runs == after.runs and before.sampled == after.sampled:
        return ()
    first, second = (positions(e.slots, e.runs, e.sampled) for e in (before, after))
    a, b = (numpy.frombuffer(e.content, f"V{e.itemsize}") for e in (before, after))
    if first is not second:
        _, left, right = numpy.intersect1d(first, second, return_indices=True)
        first, a, b = first[left], a[left], b[right]
    return tuple(sorted(set(first[a != b].tolist())))


# ---- the difference


def difference(before: MemorySnapshot | None, after: MemorySnapshot) -> Difference:
    """What happened between two snapshots of one watch; they need not follow each other."""
    if before is None:
        return Difference(None, after.moment)
    old = {storage.number: storage for storage in (*before.lost, *before.storages)}
    seen = {storage.number for storage in after.storages}
    alive = {storage.number for storage in after.lost}
    changes = [_change(old.get(storage.number), storage) for storage in after.storages]
    known = {storage.number for storage in before.storages}
    for number, storage in old.items():
        if number not in seen and (number not in alive or number in known):
            changes.append(_gone(storage, number in alive))
    return Difference(before.moment, after.moment, tuple(changes), *_names(before, after))


def _visible(storage: Storage) -> tuple[tuple[int, int], ...]:
    return storage.evidence.runs if storage.evidence is not None else ()


def _gone(storage: Storage, alive: bool) -> Change:
    size = bytes_words(storage.nbytes)
    if alive:
        words = (
            f"no name leads to these {size} any more, but something that is not looked at still holds them"
        )
        return Change(storage.number, "lost", compared="nothing", words=words)
    return Change(storage.number, "freed", compared="nothing", words=f"freed: {size}")


def _change(before: Storage | None, after: Storage) -> Change:
    if before is after:  # a watch gives the same object again when nothing at all has changed
        return _still(after.number, after.compared, _all_count(after))
    if before is None:
        return Change(
            after.number, "made", compared=after.compared, words=f"made: {bytes_words(after.nbytes)}"
        )
    differing = unlike(before.evidence, after.evidence)
    slots = tuple(slot for slot in differing or () if any(a <= slot < b for a, b in _visible(after)))
    hidden = len(differing or ()) - len(slots)
    counted = _counted(before, after)
    resized = before.nbytes if before.nbytes != after.nbytes else None
    compared = "nothing" if differing is None else after.compared
    fate: Fate = "changed" if slots or hidden or counted or resized is not None else "unchanged"
    through = _through(after, differing) if differing and fate == "changed" else ""
    words = _words(after, fate, slots, hidden, counted, compared, resized)
    return Change(after.number, fate, slots, hidden, counted, compared, through, resized, words)


@lru_cache(maxsize=1024)
def _still(number: int, compared: Compared, counts: bool) -> Change:
    return Change(number, "unchanged", compared=compared, words=_unchanged(compared, counts))


def _all_count(storage: Storage) -> bool:
    return all(holder.version is not None for holder in storage.holders)


def _counted(before: Storage, after: Storage) -> bool:
    """Whether a version counter of the same tensor object went up."""
    versions = {holder.number: holder.version for holder in before.holders if holder.version is not None}
    return any(
        h.version is not None and h.number in versions and h.version > versions[h.number]
        for h in after.holders
    )


def _through(storage: Storage, slots: Ints) -> str:
    found = [h for h in storage.holders if len(reached_slots(storage, h, slots)) == len(slots)]
    if not found:
        return ""
    least = min(found, key=lambda holder: holder.viewed)
    return least.name if any(h.viewed > least.viewed for h in storage.holders) else ""


def _words(
    storage: Storage,
    fate: Fate,
    slots: Ints,
    hidden: int,
    counted: bool,
    compared: Compared,
    resized: int | None,
) -> str:
    if resized is not None:
        return f"resized from {bytes_words(resized)} to {bytes_words(storage.nbytes)}"
    if fate == "unchanged":
        return _unchanged(compared, _all_count(storage))
    if slots or hidden:
        shown = [slots_words(slots)] if slots else []
        more = (
            [f"{hidden} more out of sight"]
            if hidden and slots
            else [f"{hidden} slots out of sight"] * bool(hidden)
        )
        extent_known = " (of those that were compared)" if compared != "whole" else ""
        return f"changed in place: {' and '.join(shown + more)}{extent_known}"
    if compared == "whole":
        return "written to in place, with the numbers that were there before"
    looked = (
        "none of the slots that were compared differs"
        if compared != "nothing"
        else "its numbers were not compared"
    )
    return f"changed in place, says its version counter; {looked}"


def _unchanged(compared: Compared, counts: bool) -> str:
    if compared == "whole":
        return "unchanged"
    if compared == "nothing":
        return "unchanged, says its version counter"
    by = "its version counter and " if counts else ""
    seen = "the visible slots" if compared == "window" else "a sample of its slots"
    return f"unchanged, as far as {by}{seen} tell{'' if by or compared == 'window' else 's'}"


def _names(before: MemorySnapshot, after: MemorySnapshot) -> tuple[tuple[Rebound, ...], ...]:
    # Whatever stands in a storage that is the same object both times stands there unchanged.
    same = {id(s) for s in before.storages} & {id(s) for s in after.storages}
    old, new = _standing(before, same), _standing(after, same)
    rebound = [Rebound(n, old[n][0], new[n][0]) for n in new if n in old and old[n] != new[n]]
    bound = [Rebound(n, None, new[n][0]) for n in new if n not in old]
    unbound = [Rebound(n, old[n][0], None) for n in old if n not in new]
    return tuple(rebound), tuple(bound), tuple(unbound)


def _standing(snapshot: MemorySnapshot, same: set[int]) -> dict[str, tuple[int, int]]:
    """Name → storage and tensor. Outputs move on with every cell by themselves, and a graph's saving has no name."""
    return {
        way.text: (storage.number, holder.number)
        for storage in snapshot.storages
        if id(storage) not in same
        for holder in storage.holders
        for way in holder.ways
        if way.kind in ("name", "inside", "grad")
    }


# ---- owned and viewed


@lru_cache(maxsize=1024)
def distinct(size: Ints, stride: Ints) -> tuple[int, bool]:
    """How many different slots are read, and whether that is exact; otherwise it is an upper bound.

    >>> distinct((10**9,), (0,)), distinct((3, 4), (4, 1)), distinct((10**6, 3), (1, 1))
    ((1, True), (12, True), (1000002, True))
    """
    dims = _merged(size, stride)
    if not dims:
        return int(0 not in size), True
    count = distinct_slots([n for n, _ in dims], [s for _, s in dims], budget=2_000)
    if count is not None:
        return count, True
    low, high = extent(size, stride, 0)
    return high - low, False


def _merged(size: Ints, stride: Ints) -> list[tuple[int, int]]:
    """The dimensions that move, with equal steps walked as one; signs do not matter to what is reached."""
    if 0 in size:
        return []
    steps: dict[int, int] = {}
    for n, s in zip(size, stride, strict=True):
        if n > 1 and s:
            steps[abs(s)] = steps.get(abs(s), 1) + n - 1
    return sorted(((n, s) for s, n in steps.items()), key=lambda pair: -pair[1])


def reached_slots(storage: Storage, holder: Holder, slots: Iterable[int] | None = None) -> Ints:
    """Which of the storage's slots a holder reaches: of the visible ones, or of those that are given."""
    if slots is None:
        slots = (slot for run in storage.runs for slot in range(run.start, run.start + len(run.values)))
    if holder.fault or 0 in holder.size:
        return ()
    dims = _merged(holder.size, holder.stride)
    low, high = extent(holder.size, holder.stride, holder.offset)
    item, own = storage.itemsize, holder.itemsize
    out = []
    for slot in slots:
        begin = slot * item - holder.first
        elements = range(max(low, begin // own), min(high, -(-(begin + item) // own)))
        if any(_hits(element - low, dims) for element in elements):
            out.append(slot)
    return tuple(out)


def _hits(target: int, dims: Sequence[tuple[int, int]]) -> bool:
    """Whether ``target`` is a sum of steps, at most n-1 of each; after many trials it is taken to be one."""
    waiting, trials = [(target, 0)], 0
    rests = [sum((n - 1) * s for n, s in dims[k:]) for k in range(len(dims) + 1)]
    common = [gcd(*(s for _, s in dims[k:])) for k in range(len(dims))]
    while waiting:
        rest, k = waiting.pop()
        if rest == 0:
            return True
        trials += 1
        if trials > 500:
            return True
        if k == len(dims) or rest > rests[k] or rest % common[k]:
            continue
        n, s = dims[k]
        first = max(0, -(-(rest - rests[k + 1]) // s))
        waiting.extend((rest - i * s, k + 1) for i in range(first, min(n - 1, rest // s, first + 500) + 1))
    return False


def keeps_alive(storage: Storage) -> str:
    """The sentence about a small view of a large storage, or an empty text.

    Said when at most a quarter of at least 1 kB is reached.
    """
    if storage.device == "meta" or storage.nbytes < 1000 or storage.viewed * 4 > storage.nbytes:
        return ""
    size = bytes_words(storage.nbytes)
    if len(storage.holders) == 1:
        [holder] = storage.holders
        count = holder.elements
        what = f"{count:,}-element" if count != 1 else "one-element"
        kind = "tensor" if holder.library != "numpy" else "array"
        return f"this {what} {kind if 0 in holder.size else 'slice'} keeps {size} alive"
    return f"these {len(storage.holders)} views of {bytes_words(storage.viewed)} keep {size} alive"


def remedy(storage: Storage) -> str:
    """What would free the storage whose one small view keeps it alive, or an empty text."""
    if not keeps_alive(storage) or len(storage.holders) != 1:
        return ""
    [holder] = storage.holders
    plain = [way for way in holder.ways if way.kind in ("name", "inside")]
    if len(plain) != 1 or len(holder.ways) != 1:
        return ""
    copier = "copy" if holder.library == "numpy" else "clone"
    return f"{plain[0].text} = {plain[0].text}.{copier}() would free it"


# ---- words


def bytes_words(count: int) -> str:
    """A number of bytes as it is read.

    >>> bytes_words(1), bytes_words(48), bytes_words(40_000_000), bytes_words(1_234_567)
    ('1 byte', '48 bytes', '40 MB', '1.23 MB')
    """
    if count < 1000:
        return f"{count} byte{'s' * (count != 1)}"
    value, unit = float(count), "bytes"
    units = iter(("kB", "MB", "GB", "TB", "PB"))
    while value >= 999.5 and unit != "PB":
        value, unit = value / 1000, next(units)
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    text = f"{value:,.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"


def slots_words(slots: Sequence[int], most: int = 4) -> str:
    """Slots as ranges.

    >>> slots_words([4, 5, 6, 7]), slots_words([3]), slots_words([0, 2, 3, 9, 11, 13, 14])
    ('slots 4–7', 'slot 3', 'slots 0, 2–3, 9, 11 and 2 more')
    """
    ordered = sorted(set(slots))
    starts = [ordered[0], *(b for a, b in pairwise(ordered) if b != a + 1)]
    stops = [*(a for a, b in pairwise(ordered) if b != a + 1), ordered[-1]]
    ranges = [str(a) if a == b else f"{a}–{b}" for a, b in zip(starts, stops, strict=True)]
    left = sum(b - a + 1 for a, b in zip(starts[most:], stops[most:], strict=True))
    text = ", ".join(ranges[:most]) + (f" and {left} more" if left else "")
    return f"slot{'s' * (len(ordered) > 1)} {text}"


def summary(snapshot: MemorySnapshot, change: Difference) -> str:
    """The snapshot as a few lines of text."""
    count = len(snapshot.storages)
    lines = [
        f"memory map: {count} storage{'s' * (count != 1)}, {bytes_words(snapshot.owned())} owned, "
        f"{bytes_words(snapshot.viewed())} viewed, {snapshot.names} name{'s' * (snapshot.names != 1)}"
    ]
    for storage in snapshot.storages:
        became = change.change(storage.number)
        said = f"; {became.words}" if became and became.fate != "unchanged" else ""
        lines.append(f"{storage.dtype} storage on {storage.device}, {bytes_words(storage.nbytes)}{said}")
        for holder in storage.holders:
            names = ", ".join(way.text for way in holder.ways)
            lines.append(f"  {names}: {holder.kind} {holder.size} {holder.stride} +{holder.offset}")
        if keeps_alive(storage):
            lines.append(f"  {keeps_alive(storage)}")
    lines += [f"storage {one.storage}: {one.words}" for one in (*change.of("freed"), *change.of("lost"))]
    lines += [f"{one.name} was rebound" for one in change.rebound]
    return "\n".join([*lines, *snapshot.cut])
