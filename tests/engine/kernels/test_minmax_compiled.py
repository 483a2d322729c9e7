"""The compiled extremes of some hundreds of numbers: NumPy's, however the elements lie, and PyTorch's places."""

from __future__ import annotations

import numpy as np
import pytest

from tensorkit.kernels.cpu import minmax_compiled
from tensorkit.kernels.jit import compiler
from tests.engine.kernels.test_medium_sizes import LAYOUTS as OF_TENSORS
from tests.engine.kernels.test_medium_sizes import agree
from tests.engine.kernels.test_strided_2d import LAYOUTS

MATRICES = {name: lay for name, lay in LAYOUTS.items() if name != "nothing"}


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("kind", ["f", "d", "i", "l"])
@pytest.mark.parametrize("layout", MATRICES)
def test_they_are_the_first_that_numpy_finds(layout: str, kind: str, largest: bool) -> None:
    x = MATRICES[layout]((np.random.default_rng(3).permutation(30 * 36) + 1).reshape(30, 36).astype(kind))
    if kind in "fd":
        x[x.shape[0] // 2, x.shape[1] // 2] = np.nan
    for axis in (0, 1):
        with compiler.at_once():
            values, found = minmax_compiled.along(largest, x, axis), minmax_compiled.chosen(largest, x, axis)
        assert values is not None
        assert found is not None
        np.testing.assert_array_equal(values, x.max(axis) if largest else x.min(axis))
        np.testing.assert_array_equal(found[0], values)
        np.testing.assert_array_equal(found[1], x.argmax(axis) if largest else x.argmin(axis))


def test_what_no_loop_is_for_is_left_to_numpy() -> None:
    x = np.ones((20, 30), np.float32)
    only_read = x.copy()
    only_read.flags.writeable = False
    with compiler.at_once():
        for odd in (x[0], x[None], x.astype(np.int8), only_read):
            assert minmax_compiled.along(True, odd, 0) is None
            assert minmax_compiled.chosen(True, odd, 0) is None
        assert minmax_compiled.along(True, 0 * x, 0) is None  # NumPy knows which 0 it is
        assert minmax_compiled.along(True, np.zeros((20, 30), np.int32), 0) is not None


CALLS = (
    "a.amax(0)",
    "a.amin(1)",
    "a.amax()",
    "a[3].amin(0)",
    "a.double().amax(-1)",
    "(9 * a).long().amin(0)",
    "a.max()",
    "a.relu().min()",
    "a.max(1)[0]",
    "a.min(0)[1]",
    "a.double().max(-1)[1]",
    "(2 * a).round().max(0)[1]",
    "(2 * a).round().min(1)[1]",
    "(2 * a).round().min(1)[0]",
    "(2 * a).int().max(0)[1]",
    "a.max(0, keepdim=True)[0]",
)


@pytest.mark.parity
@pytest.mark.parametrize("call", CALLS)
def test_tensors_have_the_extremes_that_pytorch_finds(call: str) -> None:
    with compiler.at_once():
        for layout in OF_TENSORS:
            agree(call, layout, layout, special=False)
        if "long" not in call and "int" not in call:
            agree(call, "rows apart", "rows apart", special=True)
