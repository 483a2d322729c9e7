"""Which part of a tensor and of its storage is looked at: a few hundred numbers, however large they are.

Pure integers.  The grid shows a box of the last three dimensions (the leading ones are held at one index each);
the storage strip shows a few runs of slots, so that the whole walk from the offset to one element fits into a picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tensorkit_widgets.snapshot.geometry import Ints

STRIP_SLOTS = 24
"""Slots that the strip has room for."""


@dataclass(frozen=True, slots=True)
class Window:
    """The box ``origin[d] <= index[d] < origin[d] + count[d]``."""

    origin: Ints
    count: Ints

    def holds(self, index: Sequence[int]) -> bool:
        """Whether an element is inside."""
        return all(o <= i < o + n for i, o, n in zip(index, self.origin, self.count, strict=True))


def default_focus(size: Sequence[int]) -> Ints | None:
    """The element that a fresh picture explains: one step along every dimension. None for an empty tensor."""
    return None if 0 in size else tuple(min(1, n - 1) for n in size)


def clamp_focus(focus: Sequence[int] | None, size: Sequence[int]) -> Ints | None:
    """``focus`` if it still is an element, else the default."""
    if focus is None or len(focus) != len(size):
        return default_focus(size)
    if all(0 <= i < n for i, n in zip(focus, size, strict=True)):
        return tuple(focus)
    return default_focus(size)


def _most(size: Sequence[int], narrow: bool) -> list[int]:
    """How many elements of each dimension there is room for."""
    across = 8 if narrow else 12
    if len(size) < 3:
        return [[], [8 if narrow else 16], [8, across]][len(size)]
    return [1] * (len(size) - 3) + ([2, 6, across] if size[-1] > 6 else [4, 6, 6])


def grid_window(
    size: Sequence[int],
    focus: Sequence[int] | None,
    origin: Sequence[int] | None = None,
    narrow: bool = False,
) -> Window:
    """The box of elements to draw: it holds the focus and moves as little as it can from ``origin``.

    >>> grid_window((3, 4), (1, 1))
    Window(origin=(0, 0), count=(3, 4))
    >>> grid_window((1000, 1000), (500, 2))
    Window(origin=(493, 0), count=(8, 12))
    """
    count = tuple(min(n, most) for n, most in zip(size, _most(size, narrow), strict=True))
    start = list(origin) if origin is not None and len(origin) == len(size) else [0] * len(size)
    for d, (n, c) in enumerate(zip(size, count, strict=True)):
        if focus is not None:
            start[d] = max(start[d], focus[d] - c + 1) if focus[d] >= start[d] else focus[d]
        start[d] = max(0, min(start[d], n - c))
    return Window(tuple(start), count)


def held_window(size: Sequence[int], lead: Sequence[int] = (), most: int = 6) -> Window:
    """The first ``most`` rows and columns of the last two dimensions, the others held at ``lead``.

    >>> held_window((5, 9, 3), (4,))
    Window(origin=(4, 0, 0), count=(1, 6, 3))
    """
    ahead = max(len(size) - 2, 0)
    held = [min(max(lead[d] if d < len(lead) else 0, 0), max(size[d] - 1, 0)) for d in range(ahead)]
    inner = [min(n, most) for n in size[ahead:]]
    return Window((*held, *(0 for _ in inner)), (*(min(n, 1) for n in size[:ahead]), *inner))


def strip_runs(
    slots: int, points: Iterable[int], room: int = STRIP_SLOTS, least: int = 2
) -> tuple[tuple[int, int], ...]:
    """Half-open runs of slots, at most ``room`` in all, around the points that matter, of which ``least`` are kept.

    >>> strip_runs(12, [4, 10])
    ((0, 12),)
    >>> strip_runs(10_000_000, [0, 1000, 1001], room=16)
    ((0, 7), (997, 1005))
    """
    if slots <= room:
        return ((0, slots),)
    kept = sorted({p for p in points if 0 <= p < slots}) or [0]
    while len(kept) > max(least, room // 4):
        kept.pop(len(kept) // 2)  # the first and the last are where the walk to an element starts and ends
    for width in range(room, 0, -1):
        runs = _merged([_around(p, width, slots) for p in kept])
        if sum(stop - start for start, stop in runs) <= room:
            return tuple(runs)
    return tuple(_merged([(p, p + 1) for p in kept]))


def _around(point: int, width: int, slots: int) -> tuple[int, int]:
    start = max(0, min(point - width // 2, slots - width))
    return start, start + width


def _merged(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out = [runs[0]]
    for start, stop in runs[1:]:
        if start <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(stop, out[-1][1]))
        else:
            out.append((start, stop))
    return out
