"""The compiled sums of some hundreds of numbers: the same however the elements lie, and rounded once."""

from __future__ import annotations

import numpy as np
import pytest

import tensorkit
from tensorkit.kernels.cpu.sums import sum_compiled
from tensorkit.kernels.jit import compiler
from tests.engine.kernels.test_medium_sizes import LAYOUTS as OF_TENSORS
from tests.engine.kernels.test_medium_sizes import agree
from tests.engine.kernels.test_strided_2d import LAYOUTS

MATRICES = {name: lay for name, lay in LAYOUTS.items() if name != "nothing"}


def _drawn() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.random.default_rng(3).standard_normal((30, 36)).astype(np.float32) + np.float32(0.5)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("layout", MATRICES)
def test_sums_are_rounded_once(layout: str, axis: int | None) -> None:
    x = MATRICES[layout](_drawn())
    expected = x.sum(axis, dtype=np.float64).astype(np.float32)
    with compiler.at_once():
        found = sum_compiled.added(x, axis)
    assert found is not None
    assert found.dtype == np.float32
    np.testing.assert_array_max_ulp(found, expected, 1)


@pytest.mark.parametrize("layout", MATRICES)
def test_a_length_is_the_root_of_the_sum_of_squares(layout: str) -> None:
    x = MATRICES[layout](_drawn())
    with compiler.at_once():
        found, row = sum_compiled.length(x), sum_compiled.length(x[0])
    assert found is not None
    assert row is not None
    np.testing.assert_allclose(found, np.sqrt(np.square(x, dtype="d").sum()), rtol=2e-7)
    np.testing.assert_allclose(row, np.sqrt(np.square(x[0], dtype="d").sum()), rtol=2e-7)


def test_rows_of_any_step_and_nothing_else_are_taken() -> None:
    x = _drawn()
    only_read = x.copy()
    only_read.flags.writeable = False
    with compiler.at_once():
        np.testing.assert_allclose(sum_compiled.added(x[:, 3], 0), x[:, 3].sum(dtype="d"), rtol=1e-7)
        for odd in (x.reshape(2, 15, 36), np.array(1, np.float32), only_read):
            assert sum_compiled.added(odd, None) is None
            assert sum_compiled.length(odd) is None


CALLS = (
    "a.sum()",
    "a.sum(0)",
    "a.sum(1, keepdim=True)",
    "a[3].sum()",
    "a[:, 3].sum(0)",
    "a.mean()",
    "a.mean(0)",
    "a.mean(-1)",
    "a.norm()",
    "(1e30 * a).norm()",
    "(1e-30 * a).norm()",
    "(3e19 * a).norm()",
    "(3e38 * a.abs()).sum()",
    "(3e38 * a.abs()).sum(0)",
    "(-0.0 * a.abs()).sum(1)",
)


@pytest.mark.parity
@pytest.mark.parametrize("call", CALLS)
def test_tensors_are_added_up_as_pytorch_does(call: str) -> None:
    with compiler.at_once():
        for layout in OF_TENSORS:
            agree(call, layout, layout, special=False)
        agree(call, "rows apart", "rows apart", special=True)


def test_the_signs_of_zeros() -> None:
    with compiler.at_once():
        t = -tensorkit.zeros(30, 20)
        for found in (t.sum(), t.sum(0), t.sum(1)):
            assert not np.signbit(found.numpy()).any()
