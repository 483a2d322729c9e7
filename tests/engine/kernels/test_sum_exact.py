"""Large float32 sums take a road of their own: they stay exact, and meet inf and nan as small ones do."""

from __future__ import annotations

import math

import pytest

import tensorkit as tk


@pytest.mark.parametrize("count", [4095, 4096, 4097, 5120, 100_003])
def test_a_large_sum_is_exact_to_the_last_digits(count: int) -> None:
    t = tk.rand(count, generator=tk.Generator().manual_seed(count))
    exact = math.fsum(t.tolist())
    assert t.sum().item() == pytest.approx(exact, rel=2e-7)
    assert t.mean().item() == pytest.approx(exact / count, rel=2e-7)


def test_every_element_counts_once() -> None:
    t = tk.zeros(4100)
    for slot in (0, 1023, 1024, 4095, 4096, 4099):
        t[slot] = 1
    assert t.sum().item() == 6
    assert tk.ones(64, 128).sum((0, 1), keepdim=True).size() == (1, 1)


def test_what_is_not_finite_stays_so_without_a_warning() -> None:
    t = tk.ones(5000)
    t[4999] = math.inf
    assert t.sum().item() == math.inf
    t[0] = -math.inf
    assert math.isnan(t.sum().item())
    assert tk.full((5000,), 3e38).sum().item() == math.inf
