"""BoxedMemory counts what Python counts: pointers, boxes that are shared, lists in lists; and a tensor's bytes."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import BoxedMemory
from tensorkit_widgets.boxed.model import measure


def test_the_bytes_are_those_that_python_says() -> None:
    values = [float(k) for k in range(1000)]
    found = measure(values)
    assert found.total == sys.getsizeof(values) + sum(map(sys.getsizeof, values))
    w = BoxedMemory(values)
    assert w.list_bytes == found.total
    assert w.tensor_bytes == tk.tensor(values).untyped_storage().nbytes() == 4000
    w.close()


def test_a_box_that_is_shared_is_counted_once() -> None:
    one = float("7.5")
    found = measure([one] * 5 + [float("8.5")])
    assert (found.numbers, found.boxed) == (6, 2)
    assert [box.pointed for box in found.boxes] == [5, 1]
    row = [1.5, 2.5]
    assert measure([row, row]).list_bytes == sys.getsizeof([0, 0]) + sys.getsizeof(row)


def test_a_list_grows_after_a_cell() -> None:
    values = [1.5]
    w = BoxedMemory(values)
    values.append(2.5)
    assert w.refresh()
    assert w.tensor_bytes == 8
    assert w.frame["facts"]["data"]["boxes"] == "2"
    w.close()


@pytest.mark.parametrize(
    ("values", "dtype", "nbytes"),
    [
        ([1, 2, 3], None, 24),
        ([True, False], None, 2),
        ([1, 2, 3], "uint8", 3),
        ([1.5], "float64", 8),
        ([1j, 2], None, 16),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10.5], None, 40),
        ([], None, 0),
        ([[1, 2], [3, 4]], "int32", 16),
        ((1.5, 2.5), None, 8),
    ],
)
def test_the_tensor_is_the_engines(values: Any, dtype: str | None, nbytes: int) -> None:
    w = BoxedMemory(values, dtype=dtype).run()
    assert w.tensor_bytes == nbytes
    assert w.svg()
    w.close()


@pytest.mark.parametrize(
    ("values", "dtype", "told"),
    [
        ([[1, 2], [3]], None, "differ in length"),
        ([300], "uint8", "no tensor of that dtype"),
        ([1j], "float32", "no tensor of that dtype"),
    ],
)
def test_what_makes_no_tensor_is_said(values: Any, dtype: str | None, told: str) -> None:
    w = BoxedMemory(values, dtype=dtype).run()
    assert w.tensor_bytes is None
    assert told in w.text()
    w.close()


def test_wrong_values_are_refused() -> None:
    endless: list[Any] = [1]
    endless.append(endless)
    for values, error, told in (
        ("text", TypeError, "a list of numbers"),
        ([1, "2"], TypeError, "must hold a number, not str"),
        (endless, ValueError, "holds itself"),
        ([0.5] * 100_001, ValueError, "more than 100,000"),
        ([1], ValueError, "dtype must be one of"),
    ):
        with pytest.raises(error, match=told):
            BoxedMemory(values, dtype="float8" if values == [1] else None)
    deep: list[Any] = [1]
    for _ in range(40):
        deep = [deep]
    with pytest.raises(ValueError, match="32 deep"):
        measure(deep)


def test_long_and_wide_lists_fit_the_page() -> None:
    for values in (
        [[float(k)] * 12 for k in range(50)],
        [[[1.5]], [[2.5]]],
        [float("nan"), float("inf"), -0.0],
    ):
        w = BoxedMemory(values, name="<b>x</b>")
        for k in range(4):
            sheet = w._sheet(k)
            assert all(t.x + t.width <= sheet.width for table in sheet.tables for t in table.tiles)
        assert "<b>" not in w.svg()
        w.close()


def test_every_place_that_shares_its_box_is_counted() -> None:
    half, third = float("0.5"), float("0.25")
    found = measure([1.5, half, half, third, half, third])
    assert (found.boxed, found.shared) == (3, 5)
    assert (
        "5 of the 6 places point at a box that another place uses too"
        in BoxedMemory([1.5, half, half, third, half, third]).run().text()
    )
    assert measure([1.5, 2.5]).shared == 0
