"""Where the windows of pooling lie, along one dimension: plain integers, for the CPU and for devices.

A window begins at ``(o * scale + first) // share`` and ends before ``(o * scale + last) // share``, for the ``o``-th
element of the result; every `step`-th element of it counts. What lies outside of the input does not.
"""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """The windows along one dimension."""

    scale: int = 1
    share: int = 1
    first: int = 0
    last: int = 1
    step: int = 1

    def bounds(self, o: int) -> tuple[int, int]:
        """Where a window begins and ends, outside of the input too."""
        place = o * self.scale
        return (place + self.first) // self.share, (place + self.last) // self.share


def sliding(kernel: int, stride: int, padding: int, dilation: int = 1) -> Span:
    """Windows of `kernel` elements, `stride` apart.

    >>> sliding(2, 2, 0).bounds(3)
    (6, 8)
    """
    return Span(stride, 1, -padding, (kernel - 1) * dilation + 1 - padding, dilation)


def adaptive(size: int, count: int) -> Span:
    """`count` windows that make up `size` elements, and overlap where that has a remainder.

    >>> [adaptive(5, 2).bounds(o) for o in (0, 1)]
    [(0, 3), (2, 5)]
    """
    return Span(size, count, 0, size + count - 1)


def turned(span: Span) -> Span:
    """Which windows an element of the input is in: those of a span without gaps.

    >>> turned(sliding(3, 1, 1)).bounds(5)
    (4, 7)
    """
    if span.share == 1:  # sliding: o * scale + first <= i < o * scale + last
        return Span(1, span.scale, span.scale - span.last, span.scale - span.first)
    return Span(span.share, span.scale, 0, span.last)
