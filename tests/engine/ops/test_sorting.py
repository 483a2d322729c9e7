"""Which of several equal elements comes first, for rows that are too long for a sample; nan; memory that repeats."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tensorkit.kernels.cpu.sorting import sort as orders
from tensorkit.kernels.cpu.sorting import sort_compiled
from tensorkit.kernels.jit import compiler
from tests.torch_oracle import require_torch

parity = pytest.mark.parity
LENGTHS = (3, 16, 17, 64, 131, 400)
KINDS = ("float32", "bfloat16", "float16", "int64", "bool")


def _rows(rng: np.random.Generator, length: int) -> Iterator[np.ndarray[Any, Any]]:
    """Two rows full of ties: drawn, sorted, reversed, rising and falling."""
    for values in (2, 10, length + 1):
        drawn = rng.integers(0, values, (2, length))
        yield drawn
        yield np.sort(drawn, 1)
        yield np.sort(drawn, 1)[:, ::-1].copy()
    yield np.concatenate((drawn[:, ::2], drawn[:, 1::2][:, ::-1]), 1)


def _pairs(kind: str) -> Iterator[tuple[Any, Any]]:
    """The same tensor in both libraries."""
    torch = require_torch()
    rng = np.random.default_rng(len(kind))
    for length in LENGTHS:
        for rows in _rows(rng, length):
            yield tk.tensor(rows).to(getattr(tk, kind)), torch.tensor(rows).to(getattr(torch, kind))


def _same(ours: Any, theirs: Any) -> bool:
    """Whether values (the sign of zero too, nan being nan) and indices are the same."""
    parts = zip(ours, theirs, strict=True) if isinstance(ours, tuple) else [(ours, theirs)]
    return all(repr(a.tolist()) == repr(b.tolist()) for a, b in parts)


# -- ties ---------------------------------------------------------------------------------------------------------


@parity
@pytest.mark.parametrize("kind", KINDS)
def test_equal_elements_are_sorted_as_pytorch_sorts_them(kind: str) -> None:
    for ours, theirs in _pairs(kind):
        for falling in (False, True):
            assert _same(ours.sort(1, falling), theirs.sort(1, falling))
            assert _same(
                ours.sort(stable=True, descending=falling), theirs.sort(stable=True, descending=falling)
            )
        assert _same(ours.argsort(0), theirs.argsort(0))
        assert _same(ours.t().sort(0), theirs.t().sort(0))


@parity
@pytest.mark.parametrize("kind", ["float32", "float16", "int64", "uint8"])
def test_one_of_many_is_the_one_that_pytorch_chooses_beside_zeros_and_nan(kind: str) -> None:
    torch, rng = require_torch(), np.random.default_rng(5)
    for length in (5, 20, 63, 64, 65, 1000):
        for round in range(9):
            rows = rng.integers(0, 4 if round % 3 else 2, (7, length)).astype(kind)
            if kind.startswith("f"):
                rows *= rng.choice((1, -1), rows.shape).astype(kind)  # zeros of either sign, if no more
                rows[rng.integers(0, 7), rng.integers(0, length)] = np.nan
                rows[3] = np.nan if round % 2 else rows[3]
            ours, theirs = tk.from_numpy(rows), torch.from_numpy(rows)
            for largest, ordered in ((True, True), (False, True), (True, False), (False, False)):
                assert _same(ours.topk(1, 1, largest, ordered), theirs.topk(1, 1, largest, ordered))


@parity
@pytest.mark.parametrize("kind", KINDS[:-1])
def test_of_equal_elements_those_are_chosen_that_pytorch_chooses(kind: str) -> None:
    for ours, theirs in _pairs(kind):
        length = theirs.size(1)
        for k in {length, (length + 1) // 2, max(1, length // 64)}:
            for largest in (True, False):
                for ordered in (True, False):
                    assert _same(ours.topk(k, 1, largest, ordered), theirs.topk(k, 1, largest, ordered))
            assert _same(ours.kthvalue(k), theirs.kthvalue(k))
        assert _same(ours.median(1), theirs.median(1))
        assert _same(ours.nanmedian(1), theirs.nanmedian(1))
        assert _same(ours.mode(), theirs.mode())


@parity
@pytest.mark.parametrize("kind", ["float32", "float64", "int32", "int64"])
def test_hundreds_of_elements_are_ordered_by_comparing_each_with_each_or_by_pytorchs_steps(kind: str) -> None:
    torch, rng = require_torch(), np.random.default_rng(7)
    for length in (1, 2, 17, 31, 32, 33, 128, 129, 700):
        for ties in (False, True):
            rows = np.stack([rng.permutation(length) for _ in range(3)]).astype(kind) - length // 2
            rows[0] = rows[0] // 3 if ties else rows[0]
            if length > 2:
                ends = [-np.inf, np.inf] if kind.startswith("f") else [np.iinfo(kind).min, np.iinfo(kind).max]
                rows[1, rng.permutation(length)[:2]] = ends
            ours, theirs = tk.from_numpy(rows), torch.from_numpy(rows)
            with compiler.at_once():
                for falling in (False, True):
                    order = sort_compiled.in_order(rows, falling, False)
                    assert order is not None
                    assert _same(ours.sort(1, falling), theirs.sort(1, falling))
                    assert _same(ours[1].argsort(-1, falling), theirs[1].argsort(-1, falling))
                    assert _same(
                        ours.sort(stable=True, descending=falling),
                        theirs.sort(stable=True, descending=falling),
                    )
                    for k in {1, (length + 1) // 2, length}:
                        assert _same(ours.topk(k, 1, falling), theirs.topk(k, 1, falling))
                    known = sort_compiled.choice(rows, min(2, length), falling) is not None
                    assert known == (length < 3 or (length <= 128 and not ties))


def _calls(length: int) -> list[Callable[[Any], Any]]:
    return [
        lambda t: t.sort(),
        lambda t: t.sort(descending=True),
        lambda t: t.topk(length // 2 + 1, sorted=False),
        lambda t: t.topk(max(1, length // 70), largest=False),
        lambda t: t.kthvalue(length // 2 + 1),
        lambda t: t.median(1),
        lambda t: t.nanmedian(1),
        lambda t: t.median(),
        lambda t: t.nanmedian(),
        lambda t: t.unique(True, True, True),
        lambda t: t.unique(return_counts=True),
        lambda t: t.unique_consecutive(True, True),
        lambda t: t.t().contiguous().unique(True, True, True, 0) if length < 17 else t.unique(),
    ]


@parity
@pytest.mark.parametrize("kind", KINDS[:3])
def test_nan_and_signed_zeros_go_where_pytorch_puts_them(kind: str) -> None:
    torch = require_torch()
    rng = np.random.default_rng(3)
    for length in (*LENGTHS, 40):
        values = rng.choice([0.0, -0.0, math.nan, 1, -1, math.inf, -math.inf], (2, length))
        ours = tk.tensor(values).to(getattr(tk, kind))
        theirs = torch.tensor(values).to(getattr(torch, kind))
        for number, call in enumerate(_calls(length)):
            assert _same(call(ours), call(theirs)), (number, length)


@parity
def test_rows_made_to_spoil_the_pivots_are_sorted_by_heap() -> None:
    """Organ pipes of many lengths, and a row built against the median of three."""
    torch = require_torch()
    for length in (40, 300, 2000):
        half = length // 2
        killer = np.zeros(length, np.int64)
        for i in range(1, half + 1):
            killer[i - 1] = i if i % 2 else half + i - 1
            killer[half + i - 1] = 2 * i
        for row in (killer, np.concatenate((killer, killer)), np.arange(length) % 7):
            ours, theirs = tk.tensor(row // 3), torch.tensor(row // 3)
            assert _same(ours.sort(), theirs.sort())
            assert _same(ours.topk(half, sorted=False), theirs.topk(half, sorted=False))
            assert _same(ours.kthvalue(half), theirs.kthvalue(half))


@parity
def test_zeros_of_both_signs_in_rows() -> None:
    torch = require_torch()
    rng = np.random.default_rng(5)
    for count in (3, 17, 60):
        rows = rng.choice([0.0, -0.0, 1.0], (count, 2))
        assert _same(
            tk.tensor(rows).unique(True, True, True, 0), torch.tensor(rows).unique(True, True, True, 0)
        )


# -- the steps themselves -----------------------------------------------------------------------------------------


def _row(seed: int, length: int, values: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(0, values, length)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 17, 100, 999])
def test_the_steps_sort_and_select(length: int) -> None:
    """Whatever PyTorch does with ties: the elements themselves are in order."""
    for values in (2, 9, 10 * length):
        row = _row(length, length, values)
        assert (row[orders.introsort(row[None])[0]] == np.sort(row)).all()
        assert (row[orders.less_sort(row.tolist())] == np.sort(row)).all()
        for nth in {0, length // 2, length - 1}:
            assert row[orders.introselect(row, nth)[nth]] == np.sort(row)[nth]
            assert row[orders.quickselect(row, nth)] == np.sort(row)[nth]
            assert (row[orders.heap_smallest(row, nth + 1)] == np.sort(row)[: nth + 1]).all()


def test_sixteen_bit_numbers_become_integers_in_the_same_order() -> None:
    for kind in (tk.float16, tk.bfloat16):
        numbers = tk.tensor([-math.inf, -2.0, -1e-7, -0.0, 0.0, 1e-7, 2.0, math.inf, math.nan]).to(kind)
        keys = orders.sortable(numbers._nd()).tolist()
        assert keys == sorted(keys)
        assert keys[3] == keys[4]
        assert len(set(keys)) == 8


# -- long rows ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["float32", "float64", "int64", "uint8", "float16"])
@pytest.mark.parametrize("style", ["mixed", "rising", "falling", "killer"])
def test_long_rows_with_equal_elements_compiled_or_not(kind: str, style: str) -> None:
    """The compiled loops and NumPy's steps leave equal elements in the very same order."""
    row = np.random.default_rng(3).integers(0, 40, 3000)
    if style == "rising":
        row.sort()
    elif style == "falling":
        row = np.sort(row)[::-1]
    elif style == "killer":  # of the median of three: the sort gives up and makes a heap
        row = np.argsort(np.concatenate((np.arange(0, 3000, 2), np.arange(1, 3000, 2)))) // 3
    rows = orders.sortable(np.stack((row, row[::-1])).astype(kind))
    for descending in (False, True):
        order, ranks = orders.ranks_of(rows, descending)
        expected = orders.introsort(ranks)
        wanted = np.array([17, 2900])
        for found, right in (
            (sort_compiled.sorted_places(rows, descending), expected),
            (sort_compiled.stable_places(rows, descending), order),
            (sort_compiled.sorted_places(rows, descending, wanted), expected[[0, 1], wanted]),
            (
                sort_compiled.quick(rows, 1500),
                [orders.quickselect(r, 1500) for r in orders.ranks_of(rows, False)[1]],
            ),
        ):
            assert found is None or (found == right).all()


@parity
@pytest.mark.parametrize("kind", ["int64", "uint8", "bool", "float32"])
def test_very_long_rows_of_integers_keep_the_order_of_equal_ones(kind: str) -> None:
    torch = require_torch()
    row = np.random.default_rng(4).integers(0, 2, 40000).astype(kind)
    for descending in (False, True):
        found = tk.from_numpy(row).sort(descending=descending)[1]
        assert _same(found, torch.from_numpy(row).sort(descending=descending)[1])


# -- what samples cannot say --------------------------------------------------------------------------------------


@parity
def test_places_in_rows_that_are_in_no_order() -> None:
    torch = require_torch()
    rng = np.random.default_rng(7)
    for _ in range(40):
        bounds, values = (
            rng.choice([0.0, 1, 2, 3, math.nan], (2, 7)),
            rng.choice([0.0, 1, 2.5, math.nan], (2, 5)),
        )
        for right in (False, True):
            found = tk.searchsorted(tk.tensor(bounds), tk.tensor(values), right=right)
            assert _same(found, torch.searchsorted(torch.tensor(bounds), torch.tensor(values), right=right))
            found = tk.bucketize(tk.tensor(values), tk.tensor(bounds[0]), right=right)
            assert _same(found, torch.bucketize(torch.tensor(values), torch.tensor(bounds[0]), right=right))


def test_the_median_along_a_dimension_of_repeated_elements() -> None:
    """PyTorch reads beyond the one element that is there."""
    values, indices = tk.tensor([1.0, 2.0]).expand(5, 2).median(0)
    assert values.tolist() == [1.0, 2.0]
    assert indices.tolist() == [2, 2]


@parity
def test_tensors_without_data_have_sizes() -> None:
    torch = require_torch()

    def shown(lib: Any) -> list[Any]:
        t = lib.empty(3, 4, device="meta").t()
        pairs = (t.sort(), t.topk(2), t.kthvalue(1), t.median(0), t.nanmedian(0, True), t.mode())
        single = (t.argsort(), t.msort(), t.median(), t.nanmedian(), t.histc(3))
        found = [*(part for pair in pairs for part in pair), *single]
        return [(tuple(part.size()), part.stride(), str(part.dtype).split(".")[1]) for part in found]

    assert shown(tk) == shown(torch)
    for call in (lambda t: t.unique(), lambda t: t.nonzero(), lambda t: t.unique(dim=0)):
        for lib in (tk, torch):
            with pytest.raises(NotImplementedError):
                call(lib.empty(3, device="meta"))


@parity
def test_too_many_elements_for_a_quantile() -> None:
    torch = require_torch()
    for lib in (tk, torch):
        with pytest.raises(RuntimeError, match="input tensor is too large"):
            lib.zeros(1).expand(2**24 + 1).quantile(0.5)
