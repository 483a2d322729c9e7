"""Orders of elements: sorting and selecting that break ties as PyTorch does, on arrays alone.

PyTorch sorts with the C++ standard library, whose ``sort`` is not stable: equal elements come out in an order that
follows from the algorithm, as it does for ``nth_element`` and ``partial_sort``. NumPy's faster algorithms choose the
elements here; only where equal elements leave their order open are the steps of the library's algorithms repeated,
on `ranks`: equal elements have equal ranks, and nothing else of them matters.

The steps are vectorised: a partition swaps the t-th element from the left that is not smaller than the pivot with the
t-th from the right that is not larger, so all swaps can be found at once, and for all segments of a level together.

Where there are compiled loops (``kernels.cpu.sorting.sort_compiled``) they take those very steps, one by one.

Sources: D. R. Musser, "Introspective sorting and selection algorithms" (1997), which the GNU C++ library follows;
W. H. Press et al., "Numerical Recipes", 8.5, whose selection PyTorch's ``kthvalue`` follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from tensorkit.kernels.cpu.sorting import sort_compiled
from tensorkit.kernels.sizes import SMALL, SORT_BY_INSERTION

Array = numpy.ndarray[Any, Any]


# -- keys ---------------------------------------------------------------------------------------------------------


def sortable(array: Array) -> Array:
    """The array, or integers in the same order, nan last: what NumPy sorts fast, without warnings, for any dtype."""
    kind = array.dtype
    if kind.kind == "b":
        return array.view(numpy.uint8)
    if kind.itemsize != 2 or kind.kind in "iu":
        return array
    bits = numpy.ascontiguousarray(array).view(numpy.int16).reshape(array.shape)
    keys = numpy.where(bits < 0, numpy.int16(-32768) - bits, bits)  # -0.0 becomes 0
    largest = 0x7C00 if kind == numpy.float16 else 0x7F80  # infinity: larger bits are nan
    keys[(bits & 0x7FFF) > largest] = 32767
    return keys


def _stable(keys: Array, descending: bool) -> Array:
    """A stable order along the last axis; descending keeps the order of equal elements too."""
    places = sort_compiled.stable_places(keys, descending)
    if places is not None:
        return places
    if not descending:
        return numpy.argsort(keys, axis=-1, kind="stable")
    backwards: Array = numpy.argsort(keys[..., ::-1], axis=-1, kind="stable")
    forwards: Array = keys.shape[-1] - 1 - backwards[..., ::-1]
    return forwards


def _steps(keys: Array, order: Array) -> Array:
    """Where, in sorted order, an element differs from the one before it; nan is equal to nan."""
    ranged = numpy.take_along_axis(keys, order, -1)
    changed: Array = ranged[..., 1:] != ranged[..., :-1]
    if keys.dtype.kind == "f":
        changed &= (ranged[..., 1:] == ranged[..., 1:]) | (ranged[..., :-1] == ranged[..., :-1])
    return changed


def ranks_of(keys: Array, descending: bool) -> tuple[Array, Array]:
    """A stable order of each row, and each element's rank: 0 for the first and all that equal it, and so on."""
    order = _stable(keys, descending)
    ranked = numpy.zeros(keys.shape, numpy.int32 if keys.shape[-1] < 2**31 else numpy.int64)
    numpy.cumsum(_steps(keys, order), axis=-1, out=ranked[..., 1:])
    ranks = numpy.empty_like(ranked)
    numpy.put_along_axis(ranks, order, ranked, -1)
    return order, ranks


def order_rows(rows: Array, descending: bool, stable: bool) -> Array:
    """The order of the elements of each row of a matrix, nan last (first if descending), ties as PyTorch has them."""
    keys = sortable(rows)
    if stable or rows.shape[-1] <= SORT_BY_INSERTION:
        return _stable(keys, descending)
    at_once = keys.size <= SMALL or ties_likely(keys)  # few are sorted before one has looked at some
    order = sort_compiled.sorted_places(keys, descending) if at_once else None
    if order is not None:
        return order
    order = numpy.argsort(keys, axis=-1)
    tied = ~_steps(keys, order).all(axis=-1)
    if descending:
        order = order[..., ::-1]
    if tied.any():
        order = numpy.ascontiguousarray(order)
        order[tied] = _broken(keys[tied], descending)
    return order


_SAMPLES = 1 << 10


def ties_likely(keys: Array) -> bool:
    """Whether the compiled sort is better asked at once: of long rows, or where some elements are equal for sure."""
    count = keys.shape[-1]
    if count > SMALL:
        return True
    some = numpy.sort(keys[0, :: -(-count // _SAMPLES)])
    return not bool((some[1:] != some[:-1]).all())


def _broken(keys: Array, descending: bool) -> Array:
    """The order of rows among whose elements some are equal."""
    order = sort_compiled.sorted_places(keys, descending)
    return introsort(ranks_of(keys, descending)[1]) if order is None else order


# -- sort ---------------------------------------------------------------------------------------------------------


def introsort(ranks: Array) -> Array:
    """The order in which the C++ library's ``sort`` leaves the elements of each row of a matrix of ranks."""
    rows, count = ranks.shape
    values = ranks.reshape(-1).copy()
    places = numpy.tile(numpy.arange(count), rows)
    first = numpy.arange(rows) * count
    last = first + count
    for _ in range(2 * (count.bit_length() - 1)):
        long = last - first > SORT_BY_INSERTION
        first, last = first[long], last[long]
        if not first.size:
            break
        cut = _partition(values, places, first, last)
        first, last = numpy.concatenate((first, cut)), numpy.concatenate((cut, last))
    else:
        for begin, end in zip(first.tolist(), last.tolist(), strict=True):
            if end - begin > SORT_BY_INSERTION:
                _heapsort(values, places, begin, end)
    left = numpy.argsort(values.reshape(rows, count), axis=-1, kind="stable")  # the insertion sort is stable
    return numpy.take_along_axis(places.reshape(rows, count), left, -1)


def introsort_at(ranks: Array, wanted: Array) -> Array:
    """Which element the C++ library's ``sort`` puts at one place of each row: `introsort` for one place."""
    rows, count = ranks.shape
    values = ranks.reshape(-1).copy()
    places = numpy.tile(numpy.arange(count), rows)
    begin = numpy.arange(rows) * count
    end, target = begin + count, begin + wanted
    for _ in range(2 * (count.bit_length() - 1)):
        long = numpy.flatnonzero(end - begin > SORT_BY_INSERTION)
        if not long.size:
            break
        cut = _partition(values, places, begin[long], end[long])
        below = target[long] < cut
        end[long] = numpy.where(below, cut, end[long])
        begin[long] = numpy.where(below, begin[long], cut)
    found = numpy.empty(rows, numpy.int64)
    for row, (first, last) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        if last - first > SORT_BY_INSERTION:
            _heapsort(values, places, first, last)
        left = numpy.argsort(values[first:last], kind="stable")
        found[row] = places[first + left[target[row] - first]]
    return found


def _swap(values: Array, places: Array, one: Array, two: Array) -> None:
    values[one], values[two] = values[two], values[one]
    places[one], places[two] = places[two], places[one]


def _median_to_first(values: Array, places: Array, first: Array, last: Array) -> None:
    """The median of the second, the middle and the last element of each segment changes places with the first."""
    second, middle, end = first + 1, first + (last - first) // 2, last - 1
    a, b, c = values[second], values[middle], values[end]
    rising = numpy.where(b < c, middle, numpy.where(a < c, end, second))
    falling = numpy.where(a < c, second, numpy.where(b < c, end, middle))
    _swap(values, places, first, numpy.where(a < b, rising, falling))


def _partition(values: Array, places: Array, first: Array, last: Array) -> Array:
    """Partition each segment around its median of three; where its upper part begins."""
    _median_to_first(values, places, first, last)
    return _hoare(values, places, first + 1, last, values[first])


def _hoare(values: Array, places: Array, first: Array, last: Array, pivots: Array) -> Array:
    """Swap what is not smaller than the pivot, from the left, with what is not larger, from the right."""
    lengths = last - first
    ends = numpy.cumsum(lengths)
    segment = numpy.repeat(numpy.arange(first.size), lengths)
    where = numpy.arange(ends[-1]) + numpy.repeat(first - (ends - lengths), lengths)
    here, pivot = values[where], pivots[segment]
    left, right = numpy.flatnonzero(here >= pivot), numpy.flatnonzero(here <= pivot)
    many = first.size
    lefts, rights = (numpy.bincount(segment[side], minlength=many) for side in (left, right))
    left_ends, right_ends = numpy.cumsum(lefts), numpy.cumsum(rights)
    # The t-th from the left and the t-th from the right of the same segment, while the first is before the second.
    of = segment[left]
    turn = numpy.arange(left.size) - (left_ends - lefts)[of]
    met = turn < rights[of]
    partner = right[numpy.where(met, right_ends[of] - 1 - turn, 0)]
    met &= left < partner
    swapped = numpy.bincount(of[met], minlength=many)
    _swap(values, places, where[left[met]], where[partner[met]])
    none = numpy.iinfo(numpy.int64).max
    padded_left = numpy.append(where[left], none)
    next_left = numpy.where(
        swapped < lefts, padded_left[left_ends - lefts + numpy.minimum(swapped, lefts)], none
    )
    padded_right = numpy.append(where[right], none)
    last_right = numpy.where(swapped > 0, padded_right[right_ends - swapped], none)
    return numpy.minimum(next_left, last_right)


# -- heaps --------------------------------------------------------------------------------------------------------


def _sift(heap: list[tuple[Any, int]], hole: int, size: int, item: tuple[Any, int]) -> None:
    """Let the hole sink to the bottom, the larger child rising each time, and the item rise from there."""
    top, child = hole, hole
    while child < (size - 1) // 2:
        child = 2 * child + 2
        if heap[child][0] < heap[child - 1][0]:
            child -= 1
        heap[hole] = heap[child]
        hole = child
    if size % 2 == 0 and child == (size - 2) // 2:
        child = 2 * child + 1
        heap[hole] = heap[child]
        hole = child
    while hole > top and heap[(hole - 1) // 2][0] < item[0]:
        heap[hole] = heap[(hole - 1) // 2]
        hole = (hole - 1) // 2
    heap[hole] = item


def _make_heap(heap: list[tuple[Any, int]]) -> None:
    for parent in range((len(heap) - 2) // 2, -1, -1):
        _sift(heap, parent, len(heap), heap[parent])


def _sort_heap(heap: list[tuple[Any, int]]) -> None:
    for end in range(len(heap) - 1, 0, -1):
        item = heap[end]
        heap[end] = heap[0]
        _sift(heap, 0, end, item)


_STRIDE = 4096


def _heap_select(values: Array, places: Array, first: int, middle: int, last: int) -> list[tuple[Any, int]]:
    """A heap of the smallest elements of ``[first, last)``, as many as ``[first, middle)`` holds; the rest stays."""
    heap = list(zip(values[first:middle].tolist(), places[first:middle].tolist(), strict=True))
    _make_heap(heap)
    at = middle
    while at < last:
        piece = numpy.flatnonzero(values[at : at + _STRIDE] < heap[0][0])
        for found in (piece + at).tolist():
            if values[found] < heap[0][0] and found < last:
                item = values[found].item(), int(places[found])
                values[found], places[found] = heap[0]
                _sift(heap, 0, len(heap), item)
        at += _STRIDE
    return heap


def _put(values: Array, places: Array, first: int, heap: list[tuple[Any, int]]) -> None:
    if heap:
        values[first : first + len(heap)] = [value for value, _ in heap]
        places[first : first + len(heap)] = [place for _, place in heap]


def _heapsort(values: Array, places: Array, first: int, last: int) -> None:
    heap = _heap_select(values, places, first, last, last)
    _sort_heap(heap)
    _put(values, places, first, heap)


def heap_smallest(ranks: Array, count: int) -> Array:
    """Where the C++ library's ``partial_sort`` finds the `count` smallest elements, in order."""
    heap = list(zip(ranks[:count].tolist(), range(count), strict=True))
    _make_heap(heap)
    for at in range(count, ranks.size, _STRIDE):
        piece = ranks[at : at + _STRIDE]
        for found in numpy.flatnonzero(piece < heap[0][0]).tolist():
            item = piece[found].item(), at + found
            if item[0] < heap[0][0]:  # still: it has risen since
                _sift(heap, 0, count, item)
    _sort_heap(heap)
    return numpy.array([place for _, place in heap], numpy.int64)


# -- selecting ----------------------------------------------------------------------------------------------------


def introselect(ranks: Array, nth: int) -> Array:
    """The order in which the C++ library's ``nth_element`` leaves the elements."""
    values, places = ranks.copy(), numpy.arange(ranks.size)
    first, last = 0, ranks.size
    depth = 2 * (last.bit_length() - 1)
    while last - first > 3:
        if not depth:
            _put(values, places, first, _heap_select(values, places, first, nth + 1, last))
            _swap(values, places, numpy.array([first]), numpy.array([nth]))
            return places
        depth -= 1
        cut = int(_partition(values, places, numpy.array([first]), numpy.array([last]))[0])
        first, last = (cut, last) if cut <= nth else (first, cut)
    left = numpy.argsort(values[first:last], kind="stable")
    places[first:last] = places[first:last][left]
    return places


def quickselect(ranks: Array, nth: int) -> int:
    """Which element PyTorch's own quick selection puts at place `nth`."""
    values, places = ranks.copy(), numpy.arange(ranks.size)

    def swap(one: int, two: int) -> None:
        values[[one, two]], places[[one, two]] = values[[two, one]], places[[two, one]]

    low, high = 0, ranks.size - 1
    while high > low:
        if high == low + 1:
            if values[low] > values[high]:
                swap(low, high)
            break
        swap(low + (high - low) // 2, low + 1)
        for one, two in ((low + 1, high), (low, high), (low + 1, low)):
            if values[one] > values[two]:
                swap(one, two)
        upper, meets = _inner(values, places, low, high)
        swap(low, meets)
        if meets <= nth:
            low = upper
        if meets >= nth:
            high = meets - 1
    return int(places[nth])


def _inner(values: Array, places: Array, low: int, high: int) -> tuple[int, int]:
    """Part what lies between, around the first value; where the scans from the left and from the right ended."""
    first, last = numpy.array([low + 2]), numpy.array([high])
    pivot = values[low : low + 1].copy()
    inside = values[low + 2 : high]
    left = numpy.append(numpy.flatnonzero(inside >= pivot) + low + 2, high)
    right = numpy.append((numpy.flatnonzero(inside <= pivot) + low + 2)[::-1], low + 1)
    both = min(left.size, right.size)
    swaps = int(numpy.count_nonzero(left[:both] <= right[:both]))
    if swaps:
        _hoare(values, places, first, last, pivot)
    # Where the scans met on one element it stays, and is passed by; else each may stop where the other one swapped.
    known = swaps - 1 if swaps and left[swaps - 1] == right[swaps - 1] else swaps
    upper = min(int(left[swaps]) if swaps < left.size else high, int(right[known - 1]) if known else high)
    meets = max(
        int(right[swaps]) if swaps < right.size else low + 1, int(left[known - 1]) if known else low + 1
    )
    return upper, meets


# -- not a total order ----------------------------------------------------------------------------------------


def less_sort(row: Sequence[Any] | Array) -> Array:
    """The order in which the C++ library's ``sort`` leaves elements that are compared by ``<``, though nan is there.

    Element by element: with nan there are no ranks. What would leave the row, in C++, stops at its end here.
    """
    if len(row) > SMALL and isinstance(row, numpy.ndarray):
        order = sort_compiled.less_sorted(row)
        if order is not None:
            return order
    count = len(row)
    items = list(zip(row.tolist() if isinstance(row, numpy.ndarray) else row, range(count), strict=True))
    _less_introsort(items, 0, count, 2 * (count.bit_length() - 1))
    done = items[:1]
    for place, item in enumerate(items[1:], 1):
        at = place
        if place < SORT_BY_INSERTION and item[0] < done[0][0]:
            at = 0
        while at and item[0] < done[at - 1][0]:
            at -= 1
        done.insert(at, item)
    return numpy.array([place for _, place in done], numpy.int64)


def _less_introsort(items: list[tuple[Any, int]], first: int, last: int, depth: int) -> None:
    while last - first > SORT_BY_INSERTION:
        if not depth:
            heap = items[first:last]
            _make_heap(heap)
            _sort_heap(heap)
            items[first:last] = heap
            return
        depth -= 1
        cut = _less_partition(items, first, last)
        _less_introsort(items, cut, last, depth)
        last = cut


def _less_partition(items: list[tuple[Any, int]], first: int, last: int) -> int:
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    va, vb, vc = items[a][0], items[b][0], items[c][0]
    if va < vb:
        middle = b if vb < vc else c if va < vc else a
    else:
        middle = a if va < vc else c if vb < vc else b
    items[first], items[middle] = items[middle], items[first]
    pivot = items[first][0]
    low, high = first + 1, last
    while True:
        while low < len(items) - 1 and items[low][0] < pivot:
            low += 1
        high -= 1
        while high > 0 and pivot < items[high][0]:
            high -= 1
        if low >= high:
            return low
        items[low], items[high] = items[high], items[low]
        low += 1
