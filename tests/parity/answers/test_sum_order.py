"""Sums and means of float32 numbers that lie side by side: to the last bit PyTorch's, compiled or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorkit
from tensorkit.kernels.cpu.sums import sum_in_order
from tensorkit.kernels.jit import compiler
from tests.torch_oracle import fused

pytestmark = pytest.mark.parity

LENGTHS = [*range(1, 140), 255, 511, 512, 543, 1000, 4096, 4097, 8192, 16384, 16416, 30000, 32767]
SIZES = [(2, 3), (3, 8), (5, 20), (7, 64), (3, 1000), (2, 3, 4), (4, 5, 50), (2, 2, 33), (1, 9), (9, 1)]
SPECIAL = [
    [-0.0] * 9,
    [1e38] * 40,
    [1e38, -1e38, 1e-38] * 7,
    [np.inf, -np.inf, 1.0],
    [np.nan] * 2,
    [3e-39] * 70,
]


@pytest.fixture(scope="module", autouse=True)
def _same_vectors(torch: Any) -> None:
    if not fused():
        pytest.skip("PyTorch adds in other vectors on this processor")


@pytest.fixture(scope="module", params=["NumPy", "compiled"])
def way(request: pytest.FixtureRequest) -> Any:
    """Both ways to the same bits: what is done while there is no compiled loop, and the loop."""
    with pytest.MonkeyPatch.context() as patch:
        for loop in (sum_in_order.whole, sum_in_order.each_row):
            if request.param == "NumPy":
                patch.setattr(loop, "ready", None)
                patch.setattr(loop, "compiled", lambda: None)
            elif not loop.compiled():
                with compiler.at_once():
                    if not loop.compiled():
                        pytest.skip("compiled loops are switched off")
        yield request.param


def _drawn(*size: int) -> Any:
    return (np.random.default_rng(sum(size)).standard_normal(size) * 100).astype(np.float32)


def _same(ours: Any, theirs: Any) -> bool:
    return bool(ours.numpy().tobytes() == theirs.numpy().tobytes())


@pytest.mark.usefixtures("way")
def test_rows_of_any_length(torch: Any) -> None:
    wrong = []
    for n in LENGTHS:
        a, b = (lib.from_numpy(_drawn(n)) for lib in (tensorkit, torch))
        calls = {"sum": (a.sum(), b.sum()), "sum(0)": (a.sum(0), b.sum(0)), "mean": (a.mean(), b.mean())}
        wrong += [(n, name) for name, (ours, theirs) in calls.items() if not _same(ours, theirs)]
    assert wrong == []


@pytest.mark.usefixtures("way")
def test_rows_of_matrices_and_all_of_them(torch: Any) -> None:
    calls = {
        "all": lambda t: t.sum(),
        "all, transposed": lambda t: t.movedim(-1, 0).sum() if t.dim() < 3 else t.mean(),
        "last": lambda t: t.sum(-1),
        "last, kept": lambda t: t.mean(-1, keepdim=True),
        "last two": lambda t: t.sum((-1, -2)),
        "converted": lambda t: t.double().sum(-1, dtype=t.dtype),
        "nansum": lambda t: t.nansum(-1),
    }
    wrong = [
        (size, name)
        for size in SIZES
        for name, call in calls.items()
        if not _same(*(call(lib.from_numpy(_drawn(*size))) for lib in (tensorkit, torch)))
    ]
    assert wrong == []


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("numbers", SPECIAL, ids=lambda numbers: f"{len(numbers)} of {numbers[0]:g}")
def test_special_numbers(torch: Any, numbers: list[float]) -> None:
    ours, theirs = (lib.tensor(numbers).sum() for lib in (tensorkit, torch))
    assert repr(ours).replace("tensorkit", "torch") == repr(theirs)
    assert ours.signbit().item() == theirs.signbit().item() or bool(ours.isnan())


def test_memory_that_is_only_read(torch: Any) -> None:
    numbers = _drawn(77)
    numbers.flags.writeable = False
    assert sum_in_order.total(numbers) == torch.tensor(numbers.tolist()).sum().item()
    assert sum_in_order.row_totals(numbers.reshape(7, 11)).shape == (7,)
