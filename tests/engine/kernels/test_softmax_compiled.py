"""Exponentials along rows by the compiled loops: rows short, long and apart, and what is no number or no end."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tensorkit
from tensorkit.kernels.cpu import loops
from tensorkit.kernels.jit import compiler
from tests.torch_oracle import require_torch

Array = np.ndarray[Any, Any]
COLUMNS = (1, 2, 25, 32, 33, 64, 100, 1000, 4096, 9000)
SPECIAL = (np.nan, -np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-40, -0.0)


def _numbers(rows: int, columns: int) -> Array:
    """Rows of every size, then one of each special number among others, and one of that number alone."""
    draw = np.random.default_rng(columns)
    numbers = draw.standard_normal((rows, columns)).astype(np.float32) * 10
    numbers[0] = -10 * abs(numbers[0])  # some exponentials are below the normal numbers, some are 0
    numbers[1] = 88 + numbers[1] / 1000  # each near the largest number
    for n, special in enumerate(SPECIAL):
        numbers[2 + n, columns // 2] = special
        numbers[2 + len(SPECIAL) + n] = special
    numbers[2 + 2 * len(SPECIAL), 0], numbers[2 + 2 * len(SPECIAL), -1] = np.inf, -np.nan
    return numbers


LAYOUTS = {"dense": lambda t: t, "apart": lambda t: t[::2, 1:], "turned": lambda t: t.t()}


@pytest.mark.parity
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("code", ["softmax(t, 1)", "log_softmax(t, 1)", "logsumexp(t, 1)", "sigmoid(t)"])
def test_they_are_pytorchs(code: str, columns: int, layout: str) -> None:
    torch = require_torch()
    rows = max(70, -(-140_000 // columns))  # enough to be cut into pieces
    size = {"dense": (rows, columns), "apart": (2 * rows, columns + 1), "turned": (columns, rows)}[layout]
    memory = np.zeros(size, np.float32)
    lay = LAYOUTS[layout]
    lay(torch.from_numpy(memory)).numpy()[...] = _numbers(rows, columns)
    with compiler.at_once(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = eval(f"tk.{code}", {"tk": tensorkit, "t": lay(tensorkit.from_numpy(memory.copy()))})
        theirs = eval(f"tk.{code}", {"tk": torch, "t": lay(torch.from_numpy(memory))})
    assert ours.stride() == theirs.stride()
    assert ours.dtype is tensorkit.float32
    # The logarithm of what is near 1 has the digits of its sum, which PyTorch adds up in single precision.
    atol = 4e-6 if "log" in code else 3e-45
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=4e-6, atol=atol, equal_nan=True)


def test_the_exponential_function_is_right_to_a_unit_in_the_last_place() -> None:
    pytest.importorskip("numba")
    with compiler.at_once():
        loop = loops.sigmoid.compiled()
    x = np.linspace(-80, 80, 1_000_001).astype(
        np.float32
    )  # 1 / (1 + exp(-x)), of small x the exponential itself
    y = np.empty_like(x)
    loop(x, x.size, y, x.size, 1, x.size)
    exact = 1 / (1 + np.exp(-x.astype(np.float64)))
    apart = np.abs(y - exact) / np.spacing(exact.astype(np.float32))
    assert apart.max() < 2.5
