"""Which slots of a storage its holders reach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import gcd

from tensorkit_widgets.namespace.model import Holder, Storage
from tensorkit_widgets.snapshot.geometry import Ints, distinct_slots, extent


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
