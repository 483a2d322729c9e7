"""Merging and sorting dimensions must visit the same slots as often as before, and pair them the same way."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorkit.kernels.cuda.plan import MOST_DIMS, Piece, coalesce, extent, pieces, row_major

Ints = tuple[int, ...]


def visited(size: Ints, strides: tuple[Ints, ...], offsets: Ints | None = None) -> Counter[Ints]:
    """For every element, the slots of all operands together."""
    start = offsets or (0,) * len(strides)
    return Counter(
        tuple(
            o + sum(i * s for i, s in zip(index, stride, strict=True))
            for o, stride in zip(start, strides, strict=True)
        )
        for index in product(*map(range, size))
    )


layouts = st.lists(st.integers(0, 3), max_size=5).flatmap(
    lambda size: st.tuples(
        st.just(tuple(size)),
        st.lists(st.tuples(*(st.integers(-6, 6) for _ in size)), min_size=1, max_size=3).map(tuple),
    )
)


@given(layouts)
def test_coalescing_visits_the_same_slots(case: tuple[Ints, tuple[Ints, ...]]) -> None:
    size, strides = case
    assert visited(*coalesce(size, strides)) == visited(size, strides)


@given(st.permutations(range(4)), st.lists(st.integers(2, 4), min_size=4, max_size=4))
def test_a_permuted_dense_block_is_one_run(order: list[int], shape: list[int]) -> None:
    stride = row_major(tuple(shape))
    size, permuted = tuple(shape[d] for d in order), tuple(stride[d] for d in order)
    (piece,) = pieces(size, (permuted, permuted))
    assert (piece.dims, piece.size) == (0, ())


def slots_of(piece: Piece) -> Counter[Ints]:
    if piece.dims == 0:
        return Counter(tuple(o + i for o in piece.offsets) for i in range(piece.elements))
    return visited(piece.size, piece.strides, piece.offsets)


@given(layouts)
def test_the_pieces_together_visit_everything_once(case: tuple[Ints, tuple[Ints, ...]]) -> None:
    size, strides = case
    total: Counter[Ints] = Counter()
    for piece in pieces(size, strides):
        assert piece.dims in (0, 1, 2, 3, 4, 8)
        assert len(piece.size) == piece.dims
        total += slots_of(piece)
    assert total == visited(size, strides)


def test_more_than_eight_dimensions_are_looped_over_on_the_host() -> None:
    size = (2,) * 10
    strides = (row_major(tuple(3 for _ in size)), tuple(reversed(row_major(size))))
    parts = list(pieces(size, strides))
    assert [part.dims for part in parts] == [MOST_DIMS] * 4
    total: Counter[Ints] = Counter()
    for part in parts:
        total += slots_of(part)
    assert total == visited(size, strides)


@pytest.mark.parametrize(("size", "dims"), [((), 0), ((1, 1), 0), ((5,), 1), ((5, 0), None)])
def test_special_cases(size: Ints, dims: int | None) -> None:
    strides = (tuple(7 * (k + 1) for k in range(len(size))),)
    assert [piece.dims for piece in pieces(size, strides)] == ([] if dims is None else [dims])


@given(layouts)
def test_extent_is_the_lowest_and_highest_slot(case: tuple[Ints, tuple[Ints, ...]]) -> None:
    size, (stride, *_) = case
    if 0 not in size:
        slots = [slot for (slot,) in visited(size, (stride,))]
        assert extent(size, stride) == (min(slots), max(slots))
