"""The bytes of a storage that a look compares: where they lie, and reading them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from tensorkit_widgets.namespace.fingerprint import spread
from tensorkit_widgets.namespace.group_by_storage import Group, roots_of
from tensorkit_widgets.namespace.model import Holder
from tensorkit_widgets.namespace.storage_adapter import span, unmoved
from tensorkit_widgets.snapshot.window import STRIP_SLOTS, strip_runs

Runs = tuple[tuple[int, int], ...]

_POINTS = 5


def points_of(holders: Sequence[Holder]) -> tuple[int, ...]:
    """The slots at which the holders begin, as many as a picture brings into sight."""
    return tuple(sorted({h.reach[0] for h in holders if not h.fault})[:_POINTS])


@lru_cache(maxsize=512)
def visible(slots: int, points: tuple[int, ...]) -> Runs:
    """The runs of slots that a picture of so many shows, these among them."""
    return strip_runs(slots, points, STRIP_SLOTS) if slots else ()


def read_parts(parts: Iterable[tuple[int, int]]) -> list[bytes]:
    """Copies of memory by address and size; something must keep the memory there."""
    return [ctypes.string_at(address, nbytes) for address, nbytes in parts]


class Contents:
    """Reads the computer's own memory, and remembers how each storage's is laid out in slots."""

    def __init__(self) -> None:
        self._spans: dict[int, tuple[int, int, int, Any]] = {}

    def prune(self, alive: int) -> None:
        """Let go of what is no more, now and then."""
        if len(self._spans) > 2 * alive + 64:
            self._spans.clear()

    def read(self, number: int, group: Group, item: int, runs: Runs, sampled: int) -> bytes:
        """The slots of some runs, then those of a sample.

        Raises:
            RuntimeError: when another thread took the memory away.
        """
        if not unmoved(roots_of(group.ones), group.start, group.nbytes):
            raise RuntimeError("the storage changed while it was read")
        parts = read_parts([(group.start + a * item, (b - a) * item) for a, b in runs if a < b])
        if sampled:
            parts.append(self.sample(number, group.start, group.nbytes // item, item, sampled))
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def sample(self, number: int, start: int, slots: int, item: int, sampled: int) -> bytes:
        """The slots of a sample."""
        held = self._spans.get(number)
        if held is None or held[:3] != (start, slots, item):
            held = self._spans[number] = (start, slots, item, span(start, slots, item))
        return bytes(held[3][spread(slots, sampled)].tobytes())
