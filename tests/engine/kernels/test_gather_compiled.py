"""The compiled loops that read and add up some hundreds of numbers by their indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorkit
from tensorkit.kernels.cpu import gather_compiled
from tensorkit.kernels.jit import compiler
from tests.engine.kernels.test_strided_2d import LAYOUTS
from tests.torch_oracle import require_torch

MATRICES = {name: lay for name, lay in LAYOUTS.items() if name not in ("nothing", "one row", "one column")}


def _numbers(kind: str) -> Any:
    return (np.random.default_rng(5).standard_normal((30, 36)) * 9).astype(kind)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("layout", MATRICES)
def test_what_is_read_and_added_is_numpys(layout: str, axis: int) -> None:
    with compiler.at_once():
        for kind in "fdilBe":
            a = MATRICES[layout](_numbers(kind))
            index = np.random.default_rng(6).integers(0, a.shape[axis], a.shape)
            found = gather_compiled.gather(a, index, axis)
            np.testing.assert_array_equal(found, np.take_along_axis(a, index, axis))
            if kind in "fdl":
                out, expected = np.ones_like(a), np.ones_like(a)
                other = np.indices(a.shape)[1 - axis]
                np.add.at(expected, (other, index) if axis else (index, other), a)
                assert gather_compiled.add_at(out, index, axis, a)
                np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("wrong", [-1, 36, -(2**62), 2**62])
def test_an_index_out_of_range_is_seen(wrong: int) -> None:
    a, index = _numbers("f"), np.zeros((30, 36), np.int64)
    index[29, 35] = wrong
    with compiler.at_once():
        for axis in (0, 1):
            assert gather_compiled.gather(a, index, axis) is None
            assert not gather_compiled.add_at(a.copy(), index, axis, a)
        assert not gather_compiled.add_rows(a.copy(), index[29], a[:1].repeat(36, 0))
        if wrong < 0 or wrong > 1 << 16:
            assert gather_compiled.counts(index[29], 0) is None


def test_rows_are_added_and_numbers_counted() -> None:
    places = np.random.default_rng(7).integers(0, 30, 300)
    values = np.random.default_rng(8).integers(-9, 9, (300, 36))
    out, expected = np.ones((30, 36), np.int64), np.ones((30, 36), np.int64)
    np.add.at(expected, places, values)
    with compiler.at_once():
        assert gather_compiled.add_rows(out, places, values)
        np.testing.assert_array_equal(out, expected)
        for least in (0, 7, 40):
            np.testing.assert_array_equal(
                gather_compiled.counts(places, least), np.bincount(places, minlength=least)
            )


def test_memory_that_is_only_read_is_left_to_others() -> None:
    a, places = _numbers("f"), np.zeros(300, np.int64)
    a.flags.writeable = places.flags.writeable = False
    with compiler.at_once():
        assert gather_compiled.gather(a, np.zeros((30, 36), np.int64), 0) is None
        assert gather_compiled.counts(places, 0) is None


CALLS = (
    "a.gather(1, j)",
    "a.t().gather(0, j[:, :20].t())",
    "a.long().gather(1, j)",
    "b.scatter_add(1, j, a)",
    "b.scatter_add(0, j % 20, a)",
    "b.scatter_add(1, j[:19, :18], a)",
    "b.scatter_add(1, j, a[:, :18])",
    "b.scatter_add(1, j - 1, a)",
    "a.gather(1, j + 12)",
    "b.index_add(0, j[:, 0] % 20, a)",
    "b.index_add(0, j[:, 0] % 20 + (j[:, 0] == 23) * 20, a)",  # one alone: of several PyTorch tells any
    "a.index_select(0, j[:, 0] % 20)",
    "a.index_select(1, j[0])",
    "a.index_select(0, j[:, 0] - 2)",
    "a.index_select(1, j[0] + 12)",
    "j.reshape(-1).bincount()",
    "j.reshape(-1).bincount(minlength=99)",
    "tk.bincount(j.reshape(-1), minlength=tk.tensor(3))",
    "(j.reshape(-1) - 1).bincount()",
    "j.bincount()",
    "j.int().reshape(-1).bincount()",
)


@pytest.mark.parity
@pytest.mark.parametrize("call", CALLS)
def test_tensors_are_picked_from_as_pytorch_does(call: str) -> None:
    def outcome(tk: Any) -> Any:
        names = {
            "tk": tk,
            "a": tk.arange(500.0).view(20, 25) / 7,
            "b": tk.ones(20, 25),
            "j": tk.arange(500).view(20, 25) * 7 % 24,
        }
        try:
            found = eval(call, names)
        except (IndexError, RuntimeError, TypeError) as error:
            return type(error).__name__, str(error).splitlines()[0]
        return tuple(found.shape), found.stride(), str(found.dtype).split(".")[1], found.tolist()

    with compiler.at_once():
        assert outcome(tensorkit) == outcome(require_torch())
