"""The strides of what operations make of tensors whose dimensions lie in memory in another order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

import tensorkit

pytestmark = pytest.mark.parity

SIZES = [(2, 3), (1, 3), (2, 3, 4), (2, 1, 3), (2, 3, 4, 5), (2, 1, 3, 1), (1, 2, 3, 2)]
CALLS = {
    "roll": lambda lib, a, i: a.roll(1, 0),
    "roll of the last": lambda lib, a, i: a.roll(1, -1),
    "roll by nothing": lambda lib, a, i: a.roll(0, 0),
    "roll of two": lambda lib, a, i: a.roll((1, 1), (0, 1)),
    "roll of all": lambda lib, a, i: a.roll(1),
    "flip": lambda lib, a, i: a.flip(0),
    "flip of two": lambda lib, a, i: a.flip(0, 1),
    "flipud": lambda lib, a, i: a.flipud(),
    "rot90": lambda lib, a, i: a.rot90(1),
    "rot90 of two": lambda lib, a, i: a.rot90(2, (0, -1)),
    "rot90 of none": lambda lib, a, i: a.rot90(0),
    "repeat": lambda lib, a, i: a.repeat(*[2] * a.dim()),
    "tile": lambda lib, a, i: a.tile(1),
    "repeat_interleave": lambda lib, a, i: a.repeat_interleave(2, 0),
    "cat": lambda lib, a, i: lib.cat([a, a]),
    "stack": lambda lib, a, i: lib.stack([a, a], -1),
    "tril": lambda lib, a, i: a.tril(),
    "sort": lambda lib, a, i: a.sort(0)[0],
    "topk": lambda lib, a, i: a.topk(1, 0)[0],
    "cumsum": lambda lib, a, i: a.cumsum(0),
    "softmax": lambda lib, a, i: a.softmax(0),
    "renorm": lambda lib, a, i: a.renorm(2, 0, 1.0),
    "renorm of the last": lambda lib, a, i: lib.renorm(a, 1, -1, 1.0),
    "index_select": lambda lib, a, i: a.index_select(0, i),
    "index_fill": lambda lib, a, i: a.index_fill(0, i, 1.0),
    "a[i]": lambda lib, a, i: a[i],
    "a[[0]]": lambda lib, a, i: a[[0]],
    "a[:, i]": lambda lib, a, i: a[:, i],
    "a[i[:, None]]": lambda lib, a, i: a[i[:, None]],
    "gather": lambda lib, a, i: a.gather(0, (a * 0).long()),
    "masked_fill": lambda lib, a, i: a.masked_fill(a > 2, 0.0),
    "where": lambda lib, a, i: lib.where(a > 1, a, a),
    "clone": lambda lib, a, i: a.clone(),
    "double": lambda lib, a, i: a.double(),
    "amax": lambda lib, a, i: a.amax(0, keepdim=True),
    "diff": lambda lib, a, i: a.diff(dim=0),
    "diagonal_scatter": lambda lib, a, i: a.diagonal_scatter(a.diagonal()),
    "slice_scatter": lambda lib, a, i: a.slice_scatter(a[0:1], 0, 0, 1),
}


def _permuted(lib: Any) -> Iterator[Any]:
    for size in SIZES:
        for order in itertools.permutations(range(len(size))):
            yield lib.arange(float(lib.empty(size).numel())).view(size).permute(order)


@pytest.mark.parametrize("name", CALLS)
def test_strides_of_permuted_tensors(torch: Any, name: str) -> None:
    call, wrong = CALLS[name], []
    for ours, theirs in zip(_permuted(tensorkit), _permuted(torch), strict=True):
        made, expected = (
            call(lib, tensor, lib.tensor([0, 0])) for lib, tensor in ((tensorkit, ours), (torch, theirs))
        )
        if made.stride() != expected.stride():
            wrong.append((tuple(theirs.size()), theirs.stride(), made.stride(), expected.stride()))
    assert wrong == []
