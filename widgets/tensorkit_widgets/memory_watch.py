"""Looks at a namespace's tensors again and again: one frozen snapshot and one difference for each look.

Between two looks it holds weak references and a few bytes of each storage, so it keeps nothing alive.

>>> import numpy
>>> names = {"a": numpy.zeros((3, 4))}
>>> names["row"] = names["a"][1]
>>> watch = MemoryWatch()
>>> snapshot, _ = watch.look(names)
>>> [(s.names, s.nbytes, s.viewed) for s in snapshot.storages]
[(('a', 'row'), 96, 96)]
>>> names["row"][2] = 7
>>> _, change = watch.look(names)
>>> [(c.fate, c.slots, c.through) for c in change.changes]
[('changed', (6,), 'row')]
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy

from tensorkit_widgets.adapters import Buffer, Link, Run, storage_number
from tensorkit_widgets.adapters_memory import Ground, Roots, fetch, ground, span, undisturbed, unmoved
from tensorkit_widgets.geometry import extent
from tensorkit_widgets.memory_difference import difference
from tensorkit_widgets.memory_evidence import (
    MOST_SAMPLED,
    WHOLE,
    looked_at,
    positions,
    spread,
    unlike,
)
from tensorkit_widgets.memory_model import (
    Compared,
    Difference,
    Evidence,
    Holder,
    MemorySnapshot,
    Moment,
    Storage,
    Unread,
)
from tensorkit_widgets.memory_reach import distinct
from tensorkit_widgets.memory_scan import Found, Way, clean, scan
from tensorkit_widgets.window import STRIP_SLOTS, strip_runs

__all__ = ["MemoryWatch"]

Runs = tuple[tuple[int, int], ...]

_BUDGET = 4096
"""Sampled slots in one look, over all storages: what lies far apart in memory is slow to fetch."""
_MOST_LOST = 256
_POINTS = 5


class _Numbers:
    """A number for each live object, told by weak reference: an address that is used again gets a new number."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[weakref.ref[Any], int]] = {}
        self.next = self.kept = 0

    def find(self, thing: Any) -> int | None:
        held = self.known.get(id(thing))
        return held[1] if held is not None and held[0]() is thing else None

    def give(self, thing: Any, number: int) -> None:
        self.known[id(thing)] = (weakref.ref(thing), number)

    def fresh(self) -> int:
        self.next += 1
        return self.next

    def prune(self) -> None:
        self.known = {key: held for key, held in self.known.items() if held[0]() is not None}
        self.kept = len(self.known)

    def alive(self) -> set[int]:
        return {number for reference, number in self.known.values() if reference() is not None}


@dataclass(slots=True)
class _One:
    """A tensor that was found, with its ground; its roots keep the memory there while this look lasts."""

    tensor: Any
    ways: tuple[Way, ...]
    ground: Ground
    roots: Roots


@dataclass(slots=True)
class _Group:
    """The tensors on one memory: ``nbytes`` from ``start``."""

    ones: list[_One]
    start: int
    nbytes: int


@dataclass(slots=True)
class _Known:
    """What was seen of a tensor object the last time. ``first`` and ``item`` are those of its storage."""

    number: int
    ground: Ground
    holder: Holder | None = None
    first: int = 0
    item: int = 0


class MemoryWatch:
    """Takes snapshots of the tensors that a namespace reaches, and says what changed since the last one."""

    def __init__(self) -> None:
        self._storages = _Numbers()
        self._tensors = _Numbers()
        self._known: dict[int, _Known] = {}
        self._before: MemorySnapshot | None = None
        self._past: dict[int, Storage] = {}
        self._spans: dict[int, tuple[int, int, int, Any]] = {}
        self._looks = 0

    def look(
        self,
        namespace: Mapping[str, Any],
        hidden: Mapping[str, Any] | None = None,
        moment: Moment | None = None,
    ) -> tuple[MemorySnapshot, Difference]:
        """A snapshot of this moment, and its difference from the last one.

        Args:
            namespace: such as IPython's ``user_ns``.
            hidden: what the notebook itself had put there (``user_ns_hidden``).
            moment: which cell has run; its ``count`` is set here.
        """
        self._looks += 1
        when = replace(moment or Moment(0), count=self._looks)
        with undisturbed():
            storages, unread, cut = self._read(namespace, hidden)
        snapshot = MemorySnapshot(when, storages, self._lost(storages), unread, cut)
        change = difference(self._before, snapshot)
        self._before = snapshot
        self._past = {storage.number: storage for storage in (*snapshot.lost, *storages)}
        self._prune()
        return snapshot, change

    def _prune(self) -> None:
        """Let go of the numbers of what is no more, now and then."""
        for numbers in (self._storages, self._tensors):
            if len(numbers.known) > 2 * numbers.kept + 64:
                numbers.prune()
        tensors = self._tensors.known
        if len(self._known) > len(tensors):
            self._known = {key: one for key, one in self._known.items() if key in tensors}
        if len(self._spans) > 2 * len(self._past) + 64:
            self._spans.clear()

    # ---- one look

    def _read(
        self, namespace: Mapping[str, Any], hidden: Mapping[str, Any] | None
    ) -> tuple[tuple[Storage, ...], tuple[Unread, ...], tuple[str, ...]]:
        reach = scan(namespace, hidden)
        ones, unread = self._grounds(reach.found)
        groups = _groups(ones)
        large = sum(_sampled(group) for group in groups)
        sampled = MOST_SAMPLED
        while sampled > 8 and sampled * large > _BUDGET:
            sampled //= 2
        taken: set[int] = set()
        storages = [self._storage(group, sampled, taken) for group in groups]
        return tuple(sorted(storages, key=lambda s: s.number)), tuple(unread), reach.cut

    def _grounds(self, found: Sequence[Found]) -> tuple[list[_One], list[Unread]]:
        """The found tensors with their grounds. What a graph saved stands with the same view of the same memory, if
        there is one: autograd's tensor is another object, but it is nothing more to see."""
        ones: list[_One] = []
        unread: list[Unread] = []
        views: dict[tuple[Any, ...], int] | None = None
        for one in found:
            known = self._known.get(id(one.tensor))
            if known is not None and self._tensors.find(one.tensor) != known.number:
                known = None
            ways = tuple(one.ways)
            try:
                base, roots = ground(one.tensor, None if known is None else known.ground, one.library)
            except Exception as error:  # no memory of its own, or a library that refuses: told, never raised
                unread.append(Unread(ways, clean(str(error), 200)))
                continue
            if ways[0].kind == "graph":
                views = (
                    {_view(other): k for k, other in reversed([*enumerate(ones)])} if views is None else views
                )
                twin = views.setdefault(_view(_One(None, (), base, roots)), len(ones))
                if twin < len(ones):
                    ones[twin].ways += tuple(way for way in ways if way not in ones[twin].ways)
                    continue
                if (
                    base.library == "numpy"
                ):  # a result that tensorkit keeps as an array until somebody asks for it
                    base.library, base.kind = "tensorkit", "Tensor"
            ones.append(_One(one.tensor, ways, base, roots))
        return ones, unread

    def _lost(self, storages: Sequence[Storage]) -> tuple[Storage, ...]:
        gone = self._past.keys() - {storage.number for storage in storages}
        if not gone:
            return ()
        alive = self._storages.alive()
        return tuple([s for s in self._past.values() if s.number in gone and s.number in alive][-_MOST_LOST:])

    def _storage(self, group: _Group, sampled: int, taken: set[int]) -> Storage:
        number = self._number(group, taken)
        past = self._past.get(number)
        face = _face(group, past)
        first, item = face.ground, face.ground.itemsize
        slots = group.nbytes // item
        holders = tuple([self._holder(one, group, item) for one in group.ones])
        sampled = sampled if slots > WHOLE and _sampled(group) else 0
        evidence, why = self._evidence(number, group, face, past, holders, sampled)
        link = (
            Link(storage_number(Buffer(first.device, group.start, group.nbytes)), item)
            if group.start
            else None
        )
        now = (holders, evidence, slots, group.nbytes, first.dtype, link)
        if past is not None and now == (
            past.holders, past.evidence, past.slots, past.nbytes, past.dtype, past.link,
        ):  # fmt: skip
            return past
        fault = _fault(first) or why
        viewed, exact = _viewed(holders, group.nbytes, item)
        runs = _numbers(evidence, first.code) if evidence is not None and not fault else ()
        return Storage(
            number, first.device, first.dtype, item, slots, group.nbytes, holders, runs, viewed, exact,
            _compared(evidence), evidence, fault, link,
        )  # fmt: skip

    def _number(self, group: _Group, taken: set[int]) -> int:
        roots = {id(root): root for one in group.ones for root in one.roots}.values()
        known = [self._storages.find(root) for root in roots]
        number = min((n for n in known if n is not None and n not in taken), default=None)
        if number is None:
            number = self._storages.fresh()
        taken.add(number)
        for root, old in zip(roots, known, strict=True):
            if old != number:
                self._storages.give(root, number)
        return number

    def _holder(self, one: _One, group: _Group, item: int) -> Holder:
        base = one.ground
        first = base.start - group.start if base.start else 0
        number = self._tensors.find(one.tensor)
        if number is None:
            number = self._tensors.fresh()
            self._tensors.give(one.tensor, number)
        known = self._known.get(id(one.tensor))
        if known is None or known.number != number or known.ground is not base:
            known = self._known[id(one.tensor)] = _Known(number, base)
        held = known.holder
        if held is not None and held.ways == one.ways and (known.first, known.item) == (first, item):
            return held
        held = _holder(number, one, first, item)
        known.holder, known.first, known.item = held, first, item
        return held

    # ---- the content

    def _evidence(
        self,
        number: int,
        group: _Group,
        face: _One,
        past: Storage | None,
        holders: Sequence[Holder],
        sampled: int,
    ) -> tuple[Evidence | None, str]:
        """What is seen of the content, and why nothing is, if so."""
        first = face.ground
        item, slots = first.itemsize, group.nbytes // first.itemsize
        before = past.evidence if past is not None else None
        if group.nbytes and not group.start:
            return None, ""
        away = first.device != "cpu"
        if away and past is not None and before is not None and _same_versions(past, holders, slots):
            return before, ""  # nothing is fetched from a device unless a counter went up

        def seen(runs: Runs) -> Evidence:
            if away:
                content = fetch(face.tensor, first, face.roots, positions(slots, runs, sampled))
            else:
                content = self._content(number, group, item, looked_at(slots, runs), sampled)
            return Evidence(slots, item, runs, sampled, content)

        points = tuple(sorted({h.reach[0] for h in holders if not h.fault})[:_POINTS])
        return _careful(seen, before, _runs(slots, points), points)

    def _content(self, number: int, group: _Group, item: int, runs: Runs, sampled: int) -> bytes:
        if not unmoved([root for one in group.ones for root in one.roots], group.start, group.nbytes):
            raise RuntimeError("the storage changed while it was read")
        start = group.start
        parts = [
            ctypes.string_at(start + low * item, (high - low) * item) for low, high in runs if low < high
        ]
        if sampled:
            slots = group.nbytes // item
            held = self._spans.get(number)
            if held is None or held[:3] != (start, slots, item):
                held = self._spans[number] = (start, slots, item, span(start, slots, item))
            parts.append(held[3][spread(slots, sampled)].tobytes())
        return parts[0] if len(parts) == 1 else b"".join(parts)


def _careful(
    seen: Callable[[Runs], Evidence], before: Evidence | None, runs: Runs, points: tuple[int, ...]
) -> tuple[Evidence | None, str]:
    try:
        evidence = seen(runs)
        if before == evidence:
            return before, ""
        changed = unlike(before, evidence) or ()
        if changed and not any(a <= slot < b for slot in changed for a, b in runs):
            evidence = seen(_runs(evidence.slots, (*points[:2], changed[0])))  # bring the first into sight
        return evidence, ""
    except Exception as error:  # a device that is gone, a library that refuses: said, never raised
        return None, f"the numbers could not be read: {clean(str(error), 200)}"


def _sampled(group: _Group) -> bool:
    """Whether some memory's changes show in its content alone: an array stands on it, or nobody counts."""
    if group.nbytes <= WHOLE or group.ones[0].ground.mapped:
        return False
    return any(one.ground.version is None for one in group.ones)


def _compared(evidence: Evidence | None) -> Compared:
    if evidence is None:
        return "nothing"
    return "whole" if evidence.slots <= WHOLE else "sample" if evidence.sampled else "window"


def _face(group: _Group, past: Storage | None) -> _One:
    """The holder whose elements the strip shows: one like the last time's, or the first."""
    if past is not None and group.ones[0].ground.dtype != past.dtype:
        return next((one for one in group.ones if one.ground.dtype == past.dtype), group.ones[0])
    return group.ones[0]


def _view(one: _One) -> tuple[Any, ...]:
    base = one.ground
    return base.start or id(one.roots[0]), base.size, base.stride, base.offset, base.itemsize


def _holder(number: int, one: _One, first: int, item: int) -> Holder:
    base = one.ground
    own, size, stride = base.itemsize, base.size, base.stride
    low, high = extent(size, stride, base.offset)
    fault = ""
    if low < high and (low < 0 or high * own > base.nbytes):
        what = "freed" if base.nbytes == 0 else "too small"
        fault = f"the storage is {what}: it holds {base.nbytes} bytes, and this tensor needs {high * own}"
    count, exact = distinct(size, stride) if not fault else (0, True)
    reach = (low, high)
    if first or own != item:
        reach = ((first + low * own) // item, -(-(first + high * own) // item))
    return Holder(
        number, one.ways, base.library, clean(base.kind, 30), base.dtype, own, size, stride, base.offset, first, reach,
        count * own, exact, base.version, fault,
    )  # fmt: skip


@lru_cache(maxsize=512)
def _runs(slots: int, points: tuple[int, ...]) -> Runs:
    return strip_runs(slots, points, STRIP_SLOTS) if slots else ()


def _same_versions(past: Storage, holders: Sequence[Holder], slots: int) -> bool:
    before = {h.number: h.version for h in past.holders}
    return past.slots == slots and all(
        h.version is not None and before.get(h.number) == h.version for h in holders
    )


def _numbers(evidence: Evidence, code: numpy.dtype[Any] | None) -> tuple[Run, ...]:
    """The visible runs as numbers."""
    if code is None or not evidence.slots:
        return ()
    values: Any = numpy.frombuffer(evidence.content, code)
    if code.kind not in "biufc":
        values = values.astype(numpy.float32)
    elif code.char in "gG":  # long doubles
        values = values.astype(numpy.complex128 if code.kind == "c" else numpy.float64)
    out, begin = [], 0
    for low, high in evidence.runs:
        if evidence.slots <= WHOLE:
            begin = low
        out.append(Run(low, tuple(values[begin : begin + high - low].tolist())))
        begin += high - low
    return tuple(out)


def _fault(first: Ground) -> str:
    if first.device == "meta":
        return "a tensor on the meta device has a size and strides, but no numbers"
    return "" if first.code is not None else f"elements of dtype {clean(first.dtype, 40)} are no numbers"


# ---- what stands on what


def _groups(ones: Sequence[_One]) -> list[_Group]:
    """Tensors by the memory that they share, in the order of their first."""
    first: dict[int, int] = {}
    parent = list(range(len(ones)))

    def top(k: int) -> int:
        while parent[k] != k:
            k = parent[k]
        return k

    def join(a: int, b: int) -> None:
        low, high = sorted((top(a), top(b)))
        parent[high] = low

    for k, one in enumerate(ones):
        for root in one.roots:
            join(first.setdefault(id(root), k), k)
    _join_overlapping(ones, join)
    groups: dict[int, list[_One]] = {}
    for k, one in enumerate(ones):
        groups.setdefault(top(k), []).append(one)
    return [_Group(members, *_span([one.ground for one in members])) for members in groups.values()]


def _join_overlapping(ones: Sequence[_One], join: Callable[[int, int], None]) -> None:
    spans = sorted(
        (one.ground.device, one.ground.start, one.ground.start + one.ground.nbytes, k)
        for k, one in enumerate(ones)
        if one.ground.start
    )
    home, reach, last = "", 0, -1
    for device, low, high, k in spans:
        if device == home and low < reach:
            join(last, k)
            reach = max(reach, high)
        else:
            home, reach, last = device, high, k


def _span(grounds: Sequence[Ground]) -> tuple[int, int]:
    """Where the memory of a group begins, and how many bytes it has."""
    there = [one for one in grounds if one.start]
    if not there:
        return 0, grounds[0].nbytes
    start = min(one.start for one in there)
    return start, max(one.start + one.nbytes for one in there) - start


def _viewed(holders: Sequence[Holder], nbytes: int, item: int) -> tuple[int, bool]:
    """Bytes that some holder reaches, and whether that is exact; otherwise it is an upper bound."""
    sums = sum(holder.viewed for holder in holders)
    most = max(holder.viewed for holder in holders)
    spans = sorted(holder.reach for holder in holders if holder.viewed)
    covered, stop = 0, 0
    apart = True
    for low, high in spans:
        apart = apart and low >= stop
        covered += max(0, high - max(low, stop))
        stop = max(stop, high)
    bound = min(sums, covered * item, nbytes)
    dense = all(h.viewed == (h.reach[1] - h.reach[0]) * item for h in holders if h.viewed)
    exact = all(h.exact for h in holders) and (bound == most or apart or dense)
    return bound, exact or bound == most == nbytes
