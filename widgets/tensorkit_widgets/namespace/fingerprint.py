"""What is kept of a storage's content, and which of its slots differ from an earlier look.

The content of a small storage is compared whole. Of a larger one it is the visible slots, and where nobody counts its
writes (an array stands on the memory) a *sample* of the rest. `Storage.compared` says which it was, and so do the
sentences.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy

from tensorkit_widgets.namespace.model import Evidence
from tensorkit_widgets.snapshot.geometry import Ints

WHOLE = 256
"""Slots up to which a storage's content is compared whole."""
MOST_SAMPLED = 256
"""Slots in the sample of a larger one."""
_BITS = {size: numpy.dtype(f"u{size}") for size in (1, 2, 4, 8)}
"""The numbers whose equality is that of all their bits."""


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
    a, b = (numpy.frombuffer(e.content, _BITS.get(e.itemsize, f"V{e.itemsize}")) for e in (before, after))
    if first is not second:
        _, left, right = numpy.intersect1d(first, second, return_indices=True)
        first, a, b = first[left], a[left], b[right]
    differing = first[a != b].tolist()
    return tuple(differing if len(differing) == 1 else sorted(set(differing)))
