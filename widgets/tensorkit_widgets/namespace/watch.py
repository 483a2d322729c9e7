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

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy

from tensorkit_widgets.namespace.diff import difference
from tensorkit_widgets.namespace.find_tensors import Found, clean, scan
from tensorkit_widgets.namespace.fingerprint import (
    MOST_SAMPLED,
    WHOLE,
    looked_at,
    positions,
    unlike,
)
from tensorkit_widgets.namespace.group_by_storage import Group, Numbers, One, groups_of, is_sampled, roots_of
from tensorkit_widgets.namespace.model import (
    Compared,
    Difference,
    Evidence,
    Holder,
    MemorySnapshot,
    Moment,
    Storage,
    Unread,
)
from tensorkit_widgets.namespace.reached_slots import distinct
from tensorkit_widgets.namespace.read_bytes import Contents, Runs, points_of, visible
from tensorkit_widgets.namespace.storage_adapter import (
    Ground,
    fetch,
    ground,
    is_pinned,
    undisturbed,
)
from tensorkit_widgets.namespace.unchanged import Known, Standing
from tensorkit_widgets.snapshot.adapter import Buffer, Link, Run, storage_number
from tensorkit_widgets.snapshot.geometry import extent

_BUDGET = 4096
"""Sampled slots in one look, over all storages: what lies far apart in memory is slow to fetch."""
_MOST_LOST = 256


class MemoryWatch:
    """Takes snapshots of the tensors that a namespace reaches, and says what changed since the last one."""

    def __init__(self) -> None:
        self._storages = Numbers()
        self._tensors = Numbers()
        self._known: dict[int, Known] = {}
        self._before: MemorySnapshot | None = None
        self._past: dict[int, Storage] = {}
        self._contents = Contents()
        self._standing = Standing(self._storages, self._known, self._contents)
        self._looks = 0
        self._sampled = 0

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

    def number_of(self, thing: Any) -> int | None:
        """The number that a live storage, or tensor, has in the snapshots; None where none of them has seen it."""
        number = self._storages.find(thing)
        return self._tensors.find(thing) if number is None else number

    def _prune(self) -> None:
        """Let go of the numbers of what is no more, now and then."""
        for numbers in (self._storages, self._tensors):
            if len(numbers.known) > 2 * numbers.kept + 64:
                numbers.prune()
        tensors = self._tensors.known
        if len(self._known) > len(tensors):
            for key in self._known.keys() - tensors.keys():
                del self._known[key]
        self._contents.prune(len(self._past))

    # ---- one look

    def _read(
        self, namespace: Mapping[str, Any], hidden: Mapping[str, Any] | None
    ) -> tuple[tuple[Storage, ...], tuple[Unread, ...], tuple[str, ...]]:
        reach = scan(namespace, hidden)
        ones, unread = self._grounds(reach.found)
        standing, loose = self._standing.part(ones, self._looks)
        groups = groups_of(loose)
        large = sum(stand.large for stand, _ in standing) + sum(is_sampled(group) for group in groups)
        sampled = MOST_SAMPLED
        while sampled > 8 and sampled * large > _BUDGET:
            sampled //= 2
        storages, taken = [], set()
        for stand, members in standing:
            if (not stand.large or sampled == self._sampled) and self._standing.same_content(stand, members):
                stand.look = self._looks
                storages.append(stand.storage)
                taken.add(stand.storage.number)
            else:
                groups.append(Group(members, stand.start, stand.nbytes))
        self._sampled = sampled
        storages += [self._storage(group, sampled, taken) for group in groups]
        return tuple(sorted(storages, key=lambda s: s.number)), tuple(unread), reach.cut

    def _grounds(self, found: Sequence[Found]) -> tuple[list[One], list[Unread]]:
        """The found tensors with their grounds. What a graph saved stands with the same view of the same memory, if
        there is one: autograd's tensor is another object, but it is nothing more to see."""
        ones: list[One] = []
        unread: list[Unread] = []
        views: dict[tuple[Any, ...], int] | None = None
        for one in found:
            known = self._known.get(id(one.tensor))
            if known is not None and known.of() is not one.tensor:
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
                twin = views.setdefault(_view(One(None, (), base, roots)), len(ones))
                if twin < len(ones):
                    ones[twin].ways += tuple(way for way in ways if way not in ones[twin].ways)
                    continue
                if (
                    base.library == "numpy"
                ):  # a result that tensorkit keeps as an array until somebody asks for it
                    base.library, base.kind = "tensorkit", "Tensor"
            ones.append(One(one.tensor, ways, base, roots))
        return ones, unread

    # ---- a storage

    def _lost(self, storages: Sequence[Storage]) -> tuple[Storage, ...]:
        gone = self._past.keys() - {storage.number for storage in storages}
        if not gone:
            return ()
        alive = self._storages.alive()
        return tuple([s for s in self._past.values() if s.number in gone and s.number in alive][-_MOST_LOST:])

    def _storage(self, group: Group, sampled: int, taken: set[int]) -> Storage:
        number = self._number(group, taken)
        past = self._past.get(number)
        face = _face(group, past)
        first, item = face.ground, face.ground.itemsize
        slots = group.nbytes // item
        holders = tuple([self._holder(one, group, item) for one in group.ones])
        sampled = sampled if slots > WHOLE and is_sampled(group) else 0
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
            self._standing.keep(group, past, self._looks)
            return past
        fault = _fault(first) or why
        viewed, exact = _viewed(holders, group.nbytes, item)
        runs = _numbers(evidence, first.code) if evidence is not None and not fault else ()
        storage = Storage(
            number, first.device, first.dtype, item, slots, group.nbytes, holders, runs, viewed, exact,
            _compared(evidence), evidence, fault, link, any(map(is_pinned, roots_of(group.ones))),
        )  # fmt: skip
        self._standing.keep(group, storage, self._looks)
        return storage

    def _number(self, group: Group, taken: set[int]) -> int:
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

    def _holder(self, one: One, group: Group, item: int) -> Holder:
        base = one.ground
        first = base.start - group.start if base.start else 0
        number = self._tensors.find(one.tensor)
        if number is None:
            number = self._tensors.fresh()
            self._tensors.give(one.tensor, number)
        known = self._known.get(id(one.tensor))
        if known is None or known.number != number or known.ground.face is not base.face:
            known = self._known[id(one.tensor)] = Known(weakref.ref(one.tensor), number, base)
        held = known.holder
        if held is not None and held.ways == one.ways and (known.first, known.item) == (first, item):
            if known.ground is base:
                return held
            held = held.written(base.version)
        else:
            held = _holder(number, one, first, item)
        known.ground = base
        known.holder, known.first, known.item = held, first, item
        return held

    # ---- the content

    def _evidence(
        self,
        number: int,
        group: Group,
        face: One,
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
                content = self._contents.read(number, group, item, looked_at(slots, runs), sampled)
            return Evidence(slots, item, runs, sampled, content)

        points = points_of(holders)
        return _careful(seen, before, visible(slots, points), points)


def _careful(
    seen: Callable[[Runs], Evidence], before: Evidence | None, runs: Runs, points: tuple[int, ...]
) -> tuple[Evidence | None, str]:
    try:
        evidence = seen(runs)
        if before == evidence:
            return before, ""
        changed = unlike(before, evidence) or ()
        if changed and not any(a <= slot < b for slot in changed for a, b in runs):
            evidence = seen(visible(evidence.slots, (*points[:2], changed[0])))  # bring the first into sight
        return evidence, ""
    except Exception as error:  # a device that is gone, a library that refuses: said, never raised
        return None, f"the numbers could not be read: {clean(str(error), 200)}"


def _compared(evidence: Evidence | None) -> Compared:
    if evidence is None:
        return "nothing"
    return "whole" if evidence.slots <= WHOLE else "sample" if evidence.sampled else "window"


def _face(group: Group, past: Storage | None) -> One:
    """The holder whose elements the strip shows: one like the last time's, or the first."""
    if past is not None and group.ones[0].ground.dtype != past.dtype:
        return next((one for one in group.ones if one.ground.dtype == past.dtype), group.ones[0])
    return group.ones[0]


def _view(one: One) -> tuple[Any, ...]:
    base = one.ground
    return base.start or id(one.roots[0]), base.size, base.stride, base.offset, base.itemsize


def _holder(number: int, one: One, first: int, item: int) -> Holder:
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
