"""More than 2³¹ elements, and slots beyond number 2³¹: offsets and counts are 64 bits everywhere.

The large tensor's memory is never touched but in a few places, so that it costs the computer next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tensorkit as tk

FAR = 2**31
LENGTH = FAR + 16


@pytest.fixture
def far() -> Iterator[tk.Tensor]:
    with tk.cuda.emulate(devices=1, capacity=2**33):
        t = tk.empty(LENGTH, dtype=tk.uint8, device="cuda")
        t[-8:] = tk.arange(8, dtype=tk.uint8, device="cuda")
        yield t


def test_slots_are_read_and_written(far: tk.Tensor) -> None:
    assert (far[-3:] + far[-4:-1]).tolist() == [9, 11, 13]
    far[FAR + 9 :: 2].mul_(10)
    assert far[-8:].tolist() == [0, 10, 2, 30, 4, 50, 6, 70]


def test_strides_reach_over_them(far: tk.Tensor) -> None:
    ends = tk.as_strided(far, (2, 3), (FAR + 8, 1), 5)
    ends.fill_(3)
    assert far[FAR + 13 :].tolist() == [3, 3, 3]
    assert (ends + ends).tolist() == [[6, 6, 6], [6, 6, 6]]
    assert tk.as_strided(far, (3, 2), (1, FAR + 8), 5).sum(dim=1).tolist() == [6, 6, 6]


def test_indices_name_them(far: tk.Tensor) -> None:
    index = tk.tensor([LENGTH - 1, FAR + 10], device="cuda")
    assert far.index_select(0, index).tolist() == [7, 2]
    assert far[index - LENGTH].tolist() == [7, 2]
    assert far.take(index).tolist() == [7, 2]
    far[index] = tk.tensor([20, 30], dtype=tk.uint8, device="cuda")
    assert far[-8:].tolist() == [0, 1, 30, 3, 4, 5, 6, 20]
    far.scatter_(0, index, 9)
    assert far[-6:].tolist() == [9, 3, 4, 5, 6, 9]


def test_an_index_beyond_the_end_is_told_by_its_number(far: tk.Tensor) -> None:
    far.index_select(0, tk.tensor([LENGTH], device="cuda"))
    with pytest.raises(
        RuntimeError, match=f"index {LENGTH} is out of bounds for dimension 0 with size {LENGTH}"
    ):
        tk.cuda.synchronize()


def test_so_many_are_counted() -> None:
    with tk.cuda.emulate(devices=1):
        many = tk.ones(1, dtype=tk.int64, device="cuda").expand(LENGTH)
        assert many.sum().item() == LENGTH
