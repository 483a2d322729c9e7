"""On a real GPU: the same kernels, launched through cuda.core. Skipped with the reason elsewhere."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit.kernels import cuda
from tests.cuda import learners

pytestmark = pytest.mark.gpu

FLOATS = [tk.float16, tk.bfloat16, tk.float32, tk.float64]


def test_the_gpu_runner_is_in_charge() -> None:
    runner = cuda.active_runner()
    assert runner is not None
    assert runner.name == "gpu"
    assert not tk.cuda.get_device_properties().is_emulated


@pytest.mark.parametrize("kind", [*FLOATS, tk.int8, tk.uint8, tk.int64, tk.bool, tk.complex64], ids=str)
def test_there_and_back(kind: Any) -> None:
    t = tk.arange(1000).to(kind).view(10, 100).t()
    assert t.cuda().cpu().tolist() == t.tolist()
    assert t.cuda().contiguous().cpu().tolist() == t.tolist()


@pytest.mark.parametrize("kind", FLOATS, ids=str)
def test_add_in_every_special_case(kind: Any) -> None:
    for size in ((), (1,), (1000,), (30, 41), (5, 6, 7), (3, 4, 5, 6), (2, 3, 2, 3, 2, 3), (2,) * 10):
        a = tk.rand(size).to(kind)
        b = tk.rand(tuple(reversed(size))).to(kind).permute(*reversed(range(len(size))))
        got, expected = tk.add(a.cuda(), b.cuda(), alpha=2), tk.add(a, b, alpha=2)
        assert got.dtype is kind
        assert got.stride() == expected.stride()
        tolerance = {2: 1e-2, 4: 1e-6, 8: 1e-14}[kind.itemsize]
        numpy.testing.assert_allclose(got.cpu().double().numpy(), expected.double().numpy(), rtol=tolerance)


def test_a_learners_kernel_is_launched_by_numba() -> None:
    a, out = tk.arange(12.0, device="cuda").view(3, 4), tk.zeros(4, 3, device="cuda").t()
    tk.cuda.launch(learners.add_grid, (1, 1), (4, 4), a, a[0].contiguous(), out)
    assert out.tolist() == (a + a[0]).tolist()
    bins = numpy.zeros(4, numpy.int32)
    tk.cuda.launch(learners.histogram, 3, 8, numpy.arange(23) % 4, bins)
    assert bins.tolist() == [6, 6, 6, 5]
    assert tk.cuda.trace(learners.add_grid, (1, 1), (4, 4), a, a[0], out).findings == ()


def test_more_elements_than_threads() -> None:
    t = tk.arange(10_000_019, device="cuda")
    assert (t + 1).cpu().equal(tk.arange(1, 10_000_020))


def test_memory_comes_back() -> None:
    before = tk.cuda.memory_allocated()
    t = tk.zeros(1000, device="cuda")
    assert tk.cuda.memory_allocated() == before + 4096
    del t
    assert tk.cuda.memory_allocated() == before


def test_a_full_gpu() -> None:
    with pytest.raises(RuntimeError, match=r"^CUDA out of memory\. Tried to allocate"):
        tk.empty(2**50, dtype=tk.uint8, device="cuda")
