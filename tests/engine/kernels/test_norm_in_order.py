"""The length of a vector is PyTorch's to the last bit, compiled or not, however its elements fill their memory."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from tensorkit.kernels.cpu.sums import norm_in_order
from tensorkit.kernels.jit import compiler
from tests.torch_oracle import require_torch

SIZES = (*range(1, 20), 100, 1001, 4097)


@pytest.mark.parity
@pytest.mark.parametrize("compiled", [False, True], ids=["numpy", "compiled"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_length_has_pytorchs_bits(dtype: str, compiled: bool) -> None:
    torch, drawn = require_torch(), np.random.default_rng(5)
    with compiler.at_once() if compiled else contextlib.nullcontext():
        for size in SIZES:
            for _ in range(5):
                x = drawn.standard_normal(size).astype(dtype)
                found = norm_in_order.length(x)
                assert found is not None
                assert found.dtype == dtype
                assert found.item() == torch.linalg.vector_norm(torch.from_numpy(x)).item(), size


@pytest.mark.parity
def test_dense_memory_in_any_order_and_nothing_else_is_taken() -> None:
    torch = require_torch()
    x = np.random.default_rng(6).standard_normal((30, 41)).astype(np.float32)
    for dense in (x, x.T, x.reshape(5, 6, 41).transpose(2, 0, 1)):
        found = norm_in_order.length(dense)
        assert found is not None
        assert found.item() == torch.linalg.vector_norm(torch.from_numpy(dense)).item()
    for other in (x[:, :7], x[::2], x.astype(np.float16), x[:0], x.astype(np.complex64)):
        assert norm_in_order.length(other) is None


@pytest.mark.parametrize("values", [[np.inf, 1.0, 2.0], [np.nan, 0.0], [1e200, 1e200], [0.0] * 9])
def test_odd_numbers_are_squared_without_a_warning(values: list[float]) -> None:
    for dtype in (np.float32, np.float64):
        with np.errstate(all="ignore"):
            x = np.array(values).astype(dtype)
            expected = np.sqrt(np.square(x).sum())
        np.testing.assert_array_equal(norm_in_order.length(x), expected)
