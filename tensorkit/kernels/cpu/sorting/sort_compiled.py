"""Sorting and selecting by exactly the steps of the C++ library and of PyTorch, compiled: see ``sorting.sort``.

The loops work on keys, whole numbers whose rising order is the wanted one (`keys_of`), and carry along the place
where each element was; several rows are shared out among threads. While a loop is not compiled its function here
returns None, and NumPy answers.

A stable order is found by the digits of the keys, the lowest first.

Sources: D. R. Musser, "Introspective sorting and selection algorithms" (1997), which the GNU C++ library follows;
W. H. Press et al., "Numerical Recipes", 8.5, whose selection PyTorch's ``kthvalue`` follows.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy

from tensorkit.kernels.jit.compiler import Loop
from tensorkit.kernels.jit.threads import spread
from tensorkit.kernels.sizes import LOOPS, LOOPS_AT_ONCE

Array = numpy.ndarray[Any, Any]
_GRAIN = 4096


class _Steps(Loop):
    """A loop that uses other functions, each of which may use those named before it."""

    def __init__(
        self, body: Callable[..., Any], signatures: tuple[str, ...], uses: dict[str, Callable[..., Any]]
    ) -> None:
        super().__init__(body, signatures)
        self.uses = uses

    def _bound(self, numba: Any) -> Any:
        names = dict(self.body.__globals__)
        for name, function in self.uses.items():
            own = FunctionType(function.__code__, dict(names), function.__name__)
            names[name] = numba.njit(error_model="numpy", nogil=True)(own)
        return FunctionType(self.body.__code__, names, self.body.__name__)


# -- keys ---------------------------------------------------------------------------------------------------------


def _ordered_bits(bits, out, endless, turned):  # type: ignore[no-untyped-def]
    last = numpy.int64(numpy.iinfo(out.dtype).max)
    for i in range(bits.size):
        b = numpy.int64(bits[i])
        size = b & last
        v = -size if b < 0 else size  # -0.0 becomes 0
        v = last if size > endless else v  # larger than infinity: nan
        out[i] = v ^ turned


_float_keys = Loop(_ordered_bits, ("void(i4[::1],i4[::1],i8,i8)", "void(i8[::1],i8[::1],i8,i8)"))


def _found(loop: Loop, size: int) -> Any:
    """The compiled loop, if there is one: where there are few elements it must be wanted often."""
    return loop.compiled() if size >= LOOPS_AT_ONCE else loop.often() if size >= LOOPS else None


def keys_of(rows: Array, descending: bool) -> Array | None:
    """Whole numbers, of 32 or 64 bits, in the wanted order of the elements: nan last, or first if descending."""
    kind, turned = rows.dtype, -1 if descending else 0
    if kind.kind == "f" and kind.itemsize > 2:
        fast = _float_keys.compiled() if rows.size >= LOOPS_AT_ONCE else _float_keys.often()
        if fast is None:
            return None
        bits = numpy.ascontiguousarray(rows).view(f"i{kind.itemsize}").reshape(-1)
        bits = bits if bits.flags.writeable else bits.copy()  # to the compiler the others are of another type
        out = numpy.empty_like(bits)
        endless = 0x7F800000 if kind.itemsize == 4 else 0x7FF0000000000000
        spread(lambda a, b: fast(bits[a:b], out[a:b], endless, turned), bits.size, 1 << 16)
        return out.reshape(rows.shape)
    if kind == numpy.uint64:
        keys: Array = (rows ^ numpy.uint64(2**63)).view(numpy.int64)
    else:
        wide = kind.itemsize == 8 or kind == numpy.uint32
        keys = rows.astype(numpy.int64 if wide else numpy.int32, order="C")
    return numpy.invert(keys, out=keys) if descending else keys


# -- heaps --------------------------------------------------------------------------------------------------------


def _sift(v, p, base, hole, size, item, place):  # type: ignore[no-untyped-def]
    """Let the hole sink to the bottom, the larger child rising each time, and the item rise from there."""
    top, child = hole, hole
    while child < (size - 1) // 2:
        child = 2 * child + 2
        if v[base + child] < v[base + child - 1]:
            child -= 1
        v[base + hole], p[base + hole] = v[base + child], p[base + child]
        hole = child
    if size % 2 == 0 and child == (size - 2) // 2:
        child = 2 * child + 1
        v[base + hole], p[base + hole] = v[base + child], p[base + child]
        hole = child
    while hole > top and v[base + (hole - 1) // 2] < item:
        parent = (hole - 1) // 2
        v[base + hole], p[base + hole] = v[base + parent], p[base + parent]
        hole = parent
    v[base + hole], p[base + hole] = item, place


def _heap_select(v, p, first, middle, last):  # type: ignore[no-untyped-def]
    """A heap of the smallest elements of ``[first, last)`` in ``[first, middle)``."""
    size = middle - first
    for parent in range((size - 2) // 2, -1, -1):
        _sift(v, p, first, parent, size, v[first + parent], p[first + parent])
    for i in range(middle, last):
        if v[i] < v[first]:
            item, place = v[i], p[i]
            v[i], p[i] = v[first], p[first]
            _sift(v, p, first, 0, size, item, place)


def _sort_heap(v, p, first, last):  # type: ignore[no-untyped-def]
    for end in range(last - 1, first, -1):
        item, place = v[end], p[end]
        v[end], p[end] = v[first], p[first]
        _sift(v, p, first, 0, end - first, item, place)


# -- sort ---------------------------------------------------------------------------------------------------------


def _middle(v, p, first, last):  # type: ignore[no-untyped-def]
    """The median of the second, the middle and the last element changes places with the first."""
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    if v[a] < v[b]:
        m = b if v[b] < v[c] else (c if v[a] < v[c] else a)
    else:
        m = a if v[a] < v[c] else (c if v[b] < v[c] else b)
    v[first], v[m] = v[m], v[first]
    p[first], p[m] = p[m], p[first]


def _partition(v, p, first, last):  # type: ignore[no-untyped-def]
    """Partition around that median; where the upper part begins."""
    _middle(v, p, first, last)
    pivot, low, high = v[first], first + 1, last
    while True:
        while v[low] < pivot:
            low += 1
        high -= 1
        while pivot < v[high]:
            high -= 1
        if low >= high:
            return low
        v[low], v[high] = v[high], v[low]
        p[low], p[high] = p[high], p[low]
        low += 1


def _wary_partition(v, p, first, last):  # type: ignore[no-untyped-def]
    """The same with nan among the elements: where, in C++, it would leave the row, it stops at its ends."""
    _middle(v, p, first, last)
    pivot, low, high, end = v[first], first + 1, last, v.size - 1
    while True:
        while low < end and v[low] < pivot:
            low += 1
        high -= 1
        while high > 0 and pivot < v[high]:
            high -= 1
        if low >= high:
            return low
        v[low], v[high] = v[high], v[low]
        p[low], p[high] = p[high], p[low]
        low += 1


def _insert(v, p, first, last):  # type: ignore[no-untyped-def]
    for i in range(first + 1, last):
        item, place, at = v[i], p[i], i
        if i - first < 16 and item < v[first]:
            while at > first:
                v[at], p[at] = v[at - 1], p[at - 1]
                at -= 1
        while at > first and item < v[at - 1]:
            v[at], p[at] = v[at - 1], p[at - 1]
            at -= 1
        v[at], p[at] = item, place


def _depth(count):  # type: ignore[no-untyped-def]
    depth = -2
    while count:
        count >>= 1
        depth += 2
    return depth


def _introsort(v, p, count, wanted):  # type: ignore[no-untyped-def]
    """All in order; or, if one place is wanted, what belongs there."""
    stack, top = numpy.empty((160, 3), numpy.int64), 0
    first, last, depth = 0, count, _depth(count)
    while True:
        while last - first > 16:
            if depth == 0:
                _heap_select(v, p, first, last, last)
                _sort_heap(v, p, first, last)
                break
            depth -= 1
            cut = _partition(v, p, first, last)
            if wanted >= cut:
                first = cut
            else:
                if wanted < 0:
                    stack[top, 0], stack[top, 1], stack[top, 2] = cut, last, depth
                    top += 1
                last = cut
        if wanted >= 0:
            _insert(v, p, first, last)
            return
        if top == 0:
            break
        top -= 1
        first, last, depth = stack[top, 0], stack[top, 1], stack[top, 2]
    _insert(v, p, 0, count)


_HEAP: dict[str, Callable[..., Any]] = {
    "_sift": _sift,
    "_heap_select": _heap_select,
    "_sort_heap": _sort_heap,
    "_middle": _middle,
    "_insert": _insert,
    "_depth": _depth,
}
_SORT: dict[str, Callable[..., Any]] = {**_HEAP, "_partition": _partition, "_introsort": _introsort}
_WARY: dict[str, Callable[..., Any]] = {**_HEAP, "_partition": _wary_partition, "_introsort": _introsort}
_KEYS = ("i4", "i8")


def _sort_rows(v, p, wanted):  # type: ignore[no-untyped-def]
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            p[i, j] = j
        _introsort(v[i], p[i], v.shape[1], wanted[i])


def _less_rows(v, p):  # type: ignore[no-untyped-def]
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            p[i, j] = j
        _introsort(v[i], p[i], v.shape[1], -1)


_sort = _Steps(_sort_rows, tuple(f"void({k}[:,::1],i8[:,::1],i8[::1])" for k in _KEYS), _SORT)
_less = _Steps(_less_rows, ("void(f8[:,::1],i8[:,::1])",), _WARY)


def over_rows(run: Callable[[int, int], Any], shape: tuple[int, ...]) -> None:
    """Call ``run(first, last)`` for pieces of the rows, on several threads."""
    spread(run, shape[0], max(1, _GRAIN // max(1, shape[1])))


def sorted_places(rows: Array, descending: bool, wanted: Array | None = None) -> Array | None:
    """The order in which the C++ library's ``sort`` leaves each row; or which element it puts at one place of each."""
    fast = _found(_sort, rows.size)
    keys = keys_of(rows, descending) if fast is not None else None
    if keys is None:
        return None
    places = numpy.empty(keys.shape, numpy.int64)
    all_or_one = numpy.full(len(rows), -1) if wanted is None else wanted
    over_rows(lambda a, b: fast(keys[a:b], places[a:b], all_or_one[a:b]), keys.shape)
    return places if wanted is None else places[numpy.arange(len(rows)), wanted]


def less_sorted(row: Array) -> Array | None:
    """The order in which that ``sort`` leaves numbers compared by ``<``, though nan is among them."""
    fast = _less.compiled()
    if fast is None:
        return None
    places = numpy.empty((1, row.size), numpy.int64)
    fast(row.astype(numpy.float64)[None], places)
    only: Array = places[0]
    return only


# -- hundreds of elements -----------------------------------------------------------------------------------------

#: The longest rows of which every element is compared with every other: many at once, and without a jump.
_COMPARED = 128


def _ranks(v, count, ranks):  # type: ignore[no-untyped-def]
    """How many elements of a row are smaller, for each; whether no two are equal, and none is nan.

    Up to a multiple of 32 the row is filled up with its first element, so that no loop has a rest.
    """
    v[count:] = v[0]
    total = 0
    for j in range(count):
        one, smaller = v[j], numpy.int32(0)
        for k in range(v.size):
            smaller += numpy.int32(v[k] < one)
        if v[0] < one:
            smaller -= numpy.int32(v.size - count)
        ranks[j] = smaller
        total += ranks[j]
    return total == count * (count - 1) // 2


def _turn(row, falling, less, v):  # type: ignore[no-untyped-def]
    """Numbers whose rising order is the wanted one: ``-x`` of those with a point, ``~x`` of the others."""
    sign, less = row.dtype.type(-1 if falling else 1), row.dtype.type(less)
    for j in range(row.size):
        v[j] = row[j] * sign - less


def _order_rows(x, falling, less, stable, values, places):  # type: ignore[no-untyped-def]
    count = x.shape[1]
    v = numpy.empty((count + 31) // 32 * 32, x.dtype)
    ranks, p = numpy.empty(count, numpy.int64), numpy.empty(count, numpy.int64)
    for i in range(x.shape[0]):
        row = x[i]
        _turn(row, falling, less, v)
        if count <= _COMPARED and _ranks(v, count, ranks):
            for j in range(count):
                values[i, ranks[j]], places[i, ranks[j]] = row[j], j
            continue
        for j in range(count):
            if v[j] != v[j]:
                return False
            p[j] = j
        _insert(v, p, 0, count) if stable else _introsort(v, p, count, -1)
        for j in range(count):
            values[i, j], places[i, j] = row[p[j]], p[j]
    return True


def _choose_rows(x, falling, less, values, places):  # type: ignore[no-untyped-def]
    count, most = x.shape[1], values.shape[1]
    v = numpy.empty((count + 31) // 32 * 32, x.dtype)
    ranks = numpy.empty(count, numpy.int64)
    for i in range(x.shape[0]):
        row = x[i]
        if most > 1:
            _turn(row, falling, less, v)
            if not _ranks(v, count, ranks):
                return False
            for j in range(count):
                if ranks[j] < most:
                    values[i, ranks[j]], places[i, ranks[j]] = row[j], j
            continue
        best = row[0]
        for j in range(count):
            one = row[j]
            best = (one if one > best else best) if falling else (one if one < best else best)
        found, odd = 0, 0
        for j in range(count):
            if row[j] == best:
                found, places[i, 0] = found + 1, j
            odd += row[j] != row[j]
        if found != 1 or odd:
            return False
        values[i, 0] = best
    return True


_RANKS: dict[str, Callable[..., Any]] = {"_ranks": _ranks, "_turn": _turn}
_PLAIN = ("f4", "f8", "i4", "i8")
_orders = _Steps(
    _order_rows, tuple(f"b1({k}[:,::1],b1,i8,b1,{k}[:,::1],i8[:,::1])" for k in _PLAIN), {**_SORT, **_RANKS}
)
_choices = _Steps(_choose_rows, tuple(f"b1({k}[:,::1],b1,i8,{k}[:,::1],i8[:,::1])" for k in _PLAIN), _RANKS)


def in_order(rows: Array, descending: bool, stable: bool) -> tuple[Array, Array] | None:
    """The elements of each row of some hundreds in order, and their places, ties as PyTorch has them.

    None where there is a nan, or a row is long and to be stable.

    Args:
        rows: a row-major matrix of single or double precision or of 32 or 64 bits.
    """
    fast = _orders.ready or _orders.often()
    if fast is None or (stable and rows.shape[1] > _COMPARED):
        return None
    values, places = numpy.empty(rows.shape, rows.dtype), numpy.empty(rows.shape, numpy.int64)
    less = 1 if descending and rows.dtype.kind == "i" else 0
    try:
        return (values, places) if fast(rows, descending, less, stable, values, places) else None
    except TypeError:  # memory that is only read: to Numba that is another type
        return None


def choice(rows: Array, k: int, largest: bool) -> tuple[Array, Array] | None:
    """The k largest or smallest elements of each row of some hundreds in order, and their places.

    None where there is a nan, where equal elements leave the choice open, and for long rows unless k is 1.

    Args:
        rows: as for `in_order`.
    """
    fast = _choices.ready or _choices.often()
    if fast is None or (k > 1 and rows.shape[1] > _COMPARED):
        return None
    values, places = numpy.empty((len(rows), k), rows.dtype), numpy.empty((len(rows), k), numpy.int64)
    less = 1 if largest and rows.dtype.kind == "i" else 0
    try:
        return (values, places) if fast(rows, largest, less, values, places) else None
    except TypeError:
        return None


# -- a stable order -----------------------------------------------------------------------------------------------


def _radix_rows(v, p):  # type: ignore[no-untyped-def]
    count = v.shape[1]
    other_v, other_p = numpy.empty(count, v.dtype), numpy.empty(count, numpy.int64)
    ends = numpy.empty(2048, numpy.int64)
    for i in range(v.shape[0]):
        x, y, a, b = v[i], other_v, p[i], other_p
        low = high = x[0]
        for j in range(count):
            low, high = min(low, x[j]), max(high, x[j])
            a[j] = j
        least = numpy.uint64(numpy.int64(low))
        span = numpy.uint64(numpy.int64(high)) - least
        shift, passes = numpy.uint64(0), 0
        while shift < 64 and span >> shift:
            ends[:] = 0
            for j in range(count):
                ends[((numpy.uint64(numpy.int64(x[j])) - least) >> shift) & numpy.uint64(2047)] += 1
            so_far = 0
            for j in range(2048):
                so_far, ends[j] = so_far + ends[j], so_far
            for j in range(count):
                digit = ((numpy.uint64(numpy.int64(x[j])) - least) >> shift) & numpy.uint64(2047)
                at = ends[digit]
                ends[digit] = at + 1
                y[at], b[at] = x[j], a[j]
            x, y, a, b = y, x, b, a
            shift += numpy.uint64(11)
            passes += 1
        if passes % 2:
            p[i, :] = other_p


_radix = Loop(_radix_rows, tuple(f"void({k}[:,::1],i8[:,::1])" for k in _KEYS))


def stable_places(rows: Array, descending: bool) -> Array | None:
    """A stable order of each row, by its digits; descending keeps the order of equal elements too."""
    fast: Any = _radix.compiled() if rows.ndim == 2 and rows.shape[1] >= LOOPS_AT_ONCE else None
    keys = keys_of(rows, descending) if fast is not None else None
    if keys is None:
        return None
    places = numpy.empty(keys.shape, numpy.int64)
    over_rows(lambda a, b: fast(keys[a:b], places[a:b]), keys.shape)
    return places


# -- selecting ----------------------------------------------------------------------------------------------------


def _introselect(v, p, first, last, nth):  # type: ignore[no-untyped-def]
    depth = _depth(last - first)
    while last - first > 3:
        if depth == 0:
            _heap_select(v, p, first, nth + 1, last)
            v[first], v[nth] = v[nth], v[first]
            p[first], p[nth] = p[nth], p[first]
            return
        depth -= 1
        cut = _partition(v, p, first, last)
        if cut <= nth:
            first = cut
        else:
            last = cut
    _insert(v, p, first, last)


def _top_rows(v, found, ordered):  # type: ignore[no-untyped-def]
    count, k = v.shape[1], found.shape[1]
    p = numpy.empty(count, numpy.int64)
    for i in range(v.shape[0]):
        row = v[i]
        for j in range(count):
            p[j] = j
        if k * 64 <= count:
            _heap_select(row, p, 0, k, count)
            _sort_heap(row, p, 0, k)
        else:
            _introselect(row, p, 0, count, k - 1)
            if ordered and k > 1:
                _introsort(row[: k - 1], p[: k - 1], k - 1, -1)
        for j in range(k):
            found[i, j] = p[j]


_SELECT: dict[str, Callable[..., Any]] = {**_SORT, "_introselect": _introselect}
_top = _Steps(_top_rows, tuple(f"void({k}[:,::1],i8[:,::1],b1)" for k in _KEYS), _SELECT)


def top(rows: Array, k: int, largest: bool, ordered: bool) -> Array | None:
    """Where PyTorch finds the k largest or smallest elements of each row."""
    fast = _found(_top, rows.size)
    keys = keys_of(rows, largest) if fast is not None else None
    if keys is None:
        return None
    found = numpy.empty((len(rows), k), numpy.int64)
    over_rows(lambda a, b: fast(keys[a:b], found[a:b], ordered), keys.shape)
    return found


def _nth_rows(v, p, nth):  # type: ignore[no-untyped-def]
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            p[i, j] = j
        _introselect(v[i], p[i], 0, v.shape[1], nth)


_nth = _Steps(_nth_rows, tuple(f"void({k}[:,::1],i8[:,::1],i8)" for k in _KEYS), _SELECT)


def nth(row: Array, place: int) -> int | None:
    """Which element the C++ library's ``nth_element`` puts at one place."""
    fast = _found(_nth, row.size)
    keys = keys_of(row[None], False) if fast is not None else None
    if keys is None:
        return None
    places = numpy.empty(keys.shape, numpy.int64)
    fast(keys, places, place)
    return int(places[0, place])


def _quick(v, p, nth):  # type: ignore[no-untyped-def]
    low, high = 0, v.size - 1
    while high > low:
        if high == low + 1:
            if v[low] > v[high]:
                v[low], v[high] = v[high], v[low]
                p[low], p[high] = p[high], p[low]
            return
        middle, second = low + (high - low) // 2, low + 1
        v[middle], v[second] = v[second], v[middle]
        p[middle], p[second] = p[second], p[middle]
        for step in range(3):
            one = low if step == 1 else second
            two = low if step == 2 else high
            if v[one] > v[two]:
                v[one], v[two] = v[two], v[one]
                p[one], p[two] = p[two], p[one]
        i, j, pivot = second, high, v[low]
        while True:
            i += 1
            while v[i] < pivot:
                i += 1
            j -= 1
            while pivot < v[j]:
                j -= 1
            if j < i:
                break
            v[i], v[j] = v[j], v[i]
            p[i], p[j] = p[j], p[i]
        v[low], v[j] = v[j], v[low]
        p[low], p[j] = p[j], p[low]
        if j <= nth:
            low = i
        if j >= nth:
            high = j - 1


def _quick_rows(v, found, nth):  # type: ignore[no-untyped-def]
    p = numpy.empty(v.shape[1], numpy.int64)
    for i in range(v.shape[0]):
        for j in range(p.size):
            p[j] = j
        _quick(v[i], p, nth)
        found[i] = p[nth]


_quickselect = _Steps(_quick_rows, tuple(f"void({k}[:,::1],i8[::1],i8)" for k in _KEYS), {"_quick": _quick})


def quick(rows: Array, place: int) -> Array | None:
    """Which element of each row PyTorch's own quick selection puts at one place."""
    fast = _found(_quickselect, rows.size)
    keys = keys_of(rows, False) if fast is not None else None
    if keys is None:
        return None
    found = numpy.empty(len(rows), numpy.int64)
    over_rows(lambda a, b: fast(keys[a:b], found[a:b], place), keys.shape)
    return found
