"""The integers behind the pictures, against brute force and against PyTorch's own `view`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorkit_widgets.snapshot import geometry
from tensorkit_widgets.snapshot.window import clamp_focus, default_focus, grid_window, strip_runs

DIMS = st.lists(st.tuples(st.integers(0, 4), st.integers(-5, 9)), max_size=4)


def brute(size: Sequence[int], stride: Sequence[int], offset: int) -> list[int]:
    return [geometry.slot_of(index, stride, offset) for index in geometry.all_indices(size)]


@given(DIMS, st.integers(0, 9))
def test_slots_are_counted_as_by_hand(dims: list[tuple[int, int]], offset: int) -> None:
    size, stride = tuple(n for n, _ in dims), tuple(s for _, s in dims)
    slots = brute(size, stride, offset)
    low, high = geometry.extent(size, stride, offset)
    assert (min(slots), max(slots) + 1) == (low, high) if slots else low == high
    assert geometry.distinct_slots(size, stride) == len(set(slots))
    for slot in range(low - 2, high + 2):
        assert geometry.readers(slot, size, stride, offset, limit=9999) == slots.count(slot)


def test_readers_of_a_storage_of_any_size_are_counted_at_once() -> None:
    assert geometry.readers(123_456_789, (100_000, 10_000), (10_000, 1), 0) == 1
    assert geometry.readers(5, (10**6, 10**6), (0, 1), 0) == 99
    assert geometry.distinct_slots((10**6, 10**6), (1, 1)) is None


@pytest.mark.parity
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_view_agrees_with_pytorch(data: st.DataObject) -> None:
    import torch

    size = data.draw(st.lists(st.sampled_from([1, 1, 2, 2, 3, 4, 6]), max_size=4))
    tensor = torch.arange(prod(size)).reshape(size)
    tensor = tensor.permute(data.draw(st.permutations(range(len(size)))))
    for d in range(tensor.dim()):
        if tensor.size(d) > 2 and data.draw(st.booleans()):
            tensor = tensor.narrow(d, 1, tensor.size(d) - 1)
    count = tensor.numel()
    cut = data.draw(st.sampled_from([n for n in range(1, count + 1) if count % n == 0]))
    shape = data.draw(
        st.sampled_from([(count,), (cut, count // cut), (cut, 1, count // cut), (*tensor.size(), 1)])
    )
    try:
        expected = tensor.view(shape).stride()
    except RuntimeError:
        expected = None
    layout = tuple(tensor.size()), tuple(tensor.stride())
    assert geometry.view_stride(*layout, shape) == expected
    assert bool(geometry.conflicts(*layout, shape)) == (expected is None)


def test_the_dimensions_that_cannot_merge_are_named() -> None:
    assert geometry.conflicts((4, 3), (1, 4), (12,)) == ((0, 1),)
    assert geometry.conflicts((2, 3, 4), (12, 1, 3), (2, 12)) == ((1, 2),)
    assert geometry.conflicts((4, 3, 2), (1, 4, 12), (24,)) == ((0, 1), (1, 2))
    assert geometry.conflicts((4, 1, 3), (1, 99, 4), (12,)) == ((0, 2),)


def test_offered_shapes_are_all_legal() -> None:
    shapes = geometry.view_shapes((2, 3, 4), (12, 4, 1))
    assert (24,) in shapes
    assert (4, 6) in shapes
    assert all(geometry.view_stride((2, 3, 4), (12, 4, 1), shape) for shape in shapes)
    assert geometry.view_shapes((4, 3), (1, 4)) == [(4, 3), (2, 2, 3)]


@given(st.integers(0, 10**7), st.lists(st.integers(0, 10**7), max_size=6), st.integers(8, 24))
def test_a_strip_never_shows_more_than_it_has_room_for(slots: int, points: list[int], room: int) -> None:
    runs = strip_runs(slots, points, room)
    assert sum(stop - start for start, stop in runs) <= max(room, slots if slots <= room else 0)
    assert all(0 <= start <= stop <= slots for start, stop in runs)
    assert all(a[1] < b[0] for a, b in pairwise(runs))
    inside = [p for p in points if p < slots]
    if inside:
        assert any(start <= min(inside) < stop for start, stop in runs)


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=5), st.data())
def test_a_window_holds_the_focus_and_few_cells(size: list[int], data: st.DataObject) -> None:
    focus = [data.draw(st.integers(0, n - 1)) for n in size]
    window = grid_window(size, focus, [data.draw(st.integers(0, n)) for n in size])
    assert window.holds(focus)
    assert prod(window.count) <= 144
    assert all(o >= 0 and o + c <= n for o, c, n in zip(window.origin, window.count, size, strict=True))


def test_focus_falls_back_when_it_is_no_element() -> None:
    assert default_focus((3, 1)) == (1, 0)
    assert default_focus((3, 0)) is None
    assert clamp_focus((5, 0), (3, 1)) == (1, 0)
    assert clamp_focus((2,), (3, 1)) == (1, 0)
    assert clamp_focus((2, 0), (3, 1)) == (2, 0)
