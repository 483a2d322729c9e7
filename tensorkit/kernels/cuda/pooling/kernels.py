"""The bodies of pooling: each thread looks through windows of planes, of three dimensions always.

A span says where windows lie in one dimension: see `tensorkit.kernels.spans`.
"""

from __future__ import annotations

from typing import Any

cuda: Any = None
zero: Any = None
lowest: Any = None

Ints = tuple[int, ...]


def begin(span: Ints, o: int) -> int:
    """Where a window begins, inside of the input."""
    start = (o * span[0] + span[2]) // span[1]
    if start < 0:
        start = start % span[4]
    return start


def end(span: Ints, o: int, size: int) -> int:
    """Where a window ends, inside of the input."""
    return min((o * span[0] + span[3]) // span[1], size)


def largest(
    count: int,
    out: Any,
    places: Any,
    a: Any,
    made: Ints,
    size: Ints,
    deep: Ints,
    high: Ints,
    wide: Ints,
) -> None:
    """The largest of each window, and where it is in its plane; the last nan, if there is one."""
    i = cuda.grid(1)
    while i < count:
        z = i % made[2]
        y = i // made[2] % made[1]
        x = i // (made[2] * made[1]) % made[0]
        plane = i // (made[2] * made[1] * made[0]) * (size[0] * size[1] * size[2])
        y0 = begin(high, y)
        z0 = begin(wide, z)
        d = begin(deep, x)
        best = lowest
        place = (d * size[1] + y0) * size[2] + z0
        while d < end(deep, x, size[0]):
            h = y0
            while h < end(high, y, size[1]):
                w = z0
                while w < end(wide, z, size[2]):
                    here = (d * size[1] + h) * size[2] + w
                    value = a[plane + here]
                    if value > best or value != value:
                        best = value
                        place = here
                    w += wide[4]
                h += high[4]
            d += deep[4]
        out[i] = best
        places[i] = place
        i += cuda.gridsize(1)


def total(count: int, out: Any, a: Any, made: Ints, size: Ints, deep: Ints, high: Ints, wide: Ints) -> None:
    """The sum of each window."""
    i = cuda.grid(1)
    while i < count:
        z = i % made[2]
        y = i // made[2] % made[1]
        x = i // (made[2] * made[1]) % made[0]
        plane = i // (made[2] * made[1] * made[0]) * (size[0] * size[1] * size[2])
        found = zero
        d = begin(deep, x)
        while d < end(deep, x, size[0]):
            h = begin(high, y)
            while h < end(high, y, size[1]):
                w = begin(wide, z)
                while w < end(wide, z, size[2]):
                    found += a[plane + (d * size[1] + h) * size[2] + w]
                    w += 1
                h += 1
            d += 1
        out[i] = found
        i += cuda.gridsize(1)
