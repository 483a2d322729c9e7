"""The whole arithmetic of the pictures: integers in, integers out, no tensor in sight.

A strided tensor is three things: ``size``, ``stride`` and ``offset``.  Everything that a picture has to know about
it (which slot an element reads, which elements read a slot, which dimensions cannot merge) follows from these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, product
from math import isqrt, prod

Ints = tuple[int, ...]


def slot_of(index: Sequence[int], stride: Sequence[int], offset: int) -> int:
    """The storage slot of one element.

    >>> slot_of((1, 1), (2, 4), 4)
    10
    """
    return offset + sum(i * s for i, s in zip(index, stride, strict=True))


def extent(size: Sequence[int], stride: Sequence[int], offset: int) -> tuple[int, int]:
    """The half-open range of slots between the lowest and the highest that a tensor reads; empty for no elements.

    >>> extent((2, 2), (2, 4), 4)
    (4, 11)
    >>> extent((0, 3), (3, 1), 5)
    (5, 5)
    """
    if 0 in size:
        return offset, offset
    reach = [(n - 1) * s for n, s in zip(size, stride, strict=True)]
    return offset + sum(r for r in reach if r < 0), offset + sum(r for r in reach if r > 0) + 1


def contiguous_stride(size: Sequence[int]) -> Ints:
    """The strides of a fresh tensor: the last dimension is the densest.

    >>> contiguous_stride((2, 3, 4))
    (12, 4, 1)
    """
    strides: list[int] = []
    step = 1
    for n in reversed(size):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def is_contiguous(size: Sequence[int], stride: Sequence[int]) -> bool:
    """Whether walking the elements in order walks the slots one by one (the stride of a size-1 dimension is unused).

    >>> is_contiguous((3, 1, 2), (2, 99, 1)), is_contiguous((2, 2), (1, 2))
    (True, False)
    """
    step = 1
    for n, s in zip(reversed(size), reversed(stride), strict=True):
        if n == 0:
            return True
        if n != 1 and s != step:
            return False
        step *= n
    return True


@lru_cache(256)
def _live(size: Ints, stride: Ints) -> list[tuple[int, int]]:
    """The dimensions that really move, longest stride first."""
    moving = [(-abs(s), n, s) for n, s in zip(size, stride, strict=True) if n > 1 and s != 0]
    return [(n, s) for _, n, s in sorted(moving)]


@lru_cache(4096)
def readers(slot: int, size: Ints, stride: Ints, offset: int, limit: int = 99) -> int:
    """How many elements read ``slot``, counted up to ``limit``.

    >>> readers(3, (3, 4), (0, 1), 0)
    3
    >>> readers(11, (2, 2), (2, 4), 4)
    0
    """
    if 0 in size:
        return 0
    repeats = prod(n for n, s in zip(size, stride, strict=True) if s == 0)
    ways = _ways(slot - offset, _live(size, stride), limit)
    return min(limit, repeats * ways)


def reader_counts(slots: Iterable[int], size: Ints, stride: Ints, offset: int) -> list[int]:
    """How many elements read each of some slots, counted up to 99.

    >>> reader_counts([3, 4, 5, 6], (2, 2), (2, 4), 4)
    [0, 1, 0, 1]
    """
    return [readers(slot, size, stride, offset) for slot in slots]


def slots_at(indices: Iterable[Ints], stride: Ints, offset: int) -> list[int]:
    """The slots of many elements.

    >>> slots_at([(0, 1), (1, 1)], (2, 4), 4)
    [8, 10]
    """
    return [offset + sum([i * s for i, s in zip(index, stride, strict=True)]) for index in indices]


def _ways(target: int, dims: list[tuple[int, int]], limit: int) -> int:
    if not dims:
        return int(target == 0)
    (n, s), rest = dims[0], dims[1:]
    if not rest:
        return int(target % s == 0 and 0 <= target // s < n)
    low = sum(min(0, (m - 1) * r) for m, r in rest)
    high = sum(max(0, (m - 1) * r) for m, r in rest)
    bounds = sorted(((target - high) / s, (target - low) / s))
    first, last = max(0, int(-(-bounds[0] // 1))), min(n - 1, int(bounds[1] // 1))
    total = 0
    for i in range(first, last + 1):
        total += _ways(target - i * s, rest, limit - total)
        if total >= limit:
            return limit
    return total


def distinct_slots(size: Sequence[int], stride: Sequence[int], budget: int = 200_000) -> int | None:
    """How many different slots are read, or None when counting them would cost more than ``budget`` steps.

    >>> distinct_slots((3, 4), (0, 1)), distinct_slots((3, 3), (1, 1))
    (4, 5)
    """
    if 0 in size:
        return 0
    dims = _live(tuple(size), tuple(stride))
    span = 1
    for n, s in reversed(dims):
        if abs(s) < span:
            break
        span += (n - 1) * abs(s)
    else:
        return prod(n for n, _ in dims)
    if prod(n for n, _ in dims) > budget:
        return None
    reach: set[int] = {0}
    for n, s in dims:
        reach = {base + i * s for base in reach for i in range(n)}
    return len(reach)


def _chunks(size: Sequence[int], stride: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(element count, innermost stride) of each run of dimensions that one stride can walk, innermost first."""
    count, inner = 1, stride[-1] if stride else 1
    for d in range(len(size) - 1, -1, -1):
        count *= size[d]
        if d == 0 or (size[d - 1] != 1 and stride[d - 1] != count * inner):
            yield count, inner
            if d:
                count, inner = 1, stride[d - 1]


def view_stride(size: Sequence[int], stride: Sequence[int], shape: Sequence[int]) -> Ints | None:
    """The strides of ``view(shape)``, or None where no strides can express it without a copy.

    >>> view_stride((2, 6), (6, 1), (3, 4)), view_stride((4, 3), (1, 4), (12,))
    ((4, 1), None)
    """
    if prod(size) != prod(shape):
        return None
    if prod(size) == 0:
        return tuple(stride) if tuple(size) == tuple(shape) else contiguous_stride(shape)
    out = [1] * len(shape)
    d = len(shape) - 1
    for count, inner in _chunks(size or (1,), stride or (1,)):
        filled = 1
        while d >= 0 and (filled < count or shape[d] == 1):
            out[d] = filled * inner
            filled *= shape[d]
            d -= 1
        if filled != count:
            return None
    return tuple(out) if d == -1 else None


def conflicts(
    size: Sequence[int], stride: Sequence[int], shape: Sequence[int]
) -> tuple[tuple[int, int], ...]:
    """The neighbouring dimensions that ``view(shape)`` would have to merge and cannot.

    Dimensions (d, e) merge when stepping off the end of ``e`` lands where one step of ``d`` lands:
    ``stride[d] == size[e] * stride[e]``.

    >>> conflicts((4, 3), (1, 4), (12,))
    ((0, 1),)
    """
    if prod(size) != prod(shape) or 0 in size:
        return ()
    cuts = {prod(shape[k:]) for k in range(len(shape) + 1)}
    live = [d for d in range(len(size)) if size[d] != 1]
    bad = []
    for d, e in pairwise(live):
        merges = stride[d] == size[e] * stride[e]
        if not merges and prod(size[e:]) not in cuts:
            bad.append((d, e))
    return tuple(bad)


def _factorings(count: int) -> Iterator[Ints]:
    """A number as one factor, two and three, none of them 1."""
    small = [n for n in range(2, isqrt(count) + 1) if count % n == 0]
    divisors = sorted({*small, *(count // n for n in small)})
    yield (count,)
    for n in divisors:
        yield n, count // n
    for n in divisors:
        for m in divisors:
            if (count // n) % m == 0 and m < count // n:
                yield n, m, count // n // m


def view_shapes(size: Sequence[int], stride: Sequence[int], limit: int = 12) -> list[Ints]:
    """Shapes of at most three dimensions that ``view`` can give this layout without a copy, simplest first.

    >>> view_shapes((2, 2), (4, 1))
    [(2, 2)]
    >>> view_shapes((2, 2), (2, 1))
    [(4,), (2, 2)]
    """
    return list(_view_shapes(tuple(size), tuple(stride), limit))


@lru_cache(256)
def _view_shapes(size: Ints, stride: Ints, limit: int) -> tuple[Ints, ...]:
    count = prod(size)
    if count == 0 or count > 1_000_000:
        return ((count,),) if view_stride(size, stride, (count,)) is not None else ()
    shapes: list[Ints] = []
    for shape in _factorings(count):
        if view_stride(size, stride, shape) is not None:
            shapes.append(shape)
        if len(shapes) == limit:
            break
    return tuple(shapes)


def waypoints(index: Sequence[int], stride: Sequence[int], offset: int) -> Ints:
    """The slots where the walk from the offset to an element turns from one dimension to the next.

    >>> waypoints((1, 1), (2, 4), 4)
    (4, 6, 10)
    """
    stops = [offset]
    for i, s in zip(index, stride, strict=True):
        stops.append(stops[-1] + i * s)
    return tuple(stops)


def all_indices(size: Sequence[int]) -> Iterator[Ints]:
    """Every index of a small tensor, in order."""
    return product(*(range(n) for n in size))
