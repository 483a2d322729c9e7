"""Reductions, spread, softmax and scans: one text for one thread, for blocks of real threads, traced, compiled."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit import dtypes
from tensorkit.kernels.cuda import EmulatedRunner, TracedRunner, using
from tensorkit.kernels.cuda import compile as compiler
from tensorkit.kernels.cuda.rowwise import reduce, rows

pytestmark = pytest.mark.usefixtures("memory")

# Blocks and threads that divide neither the rows nor the columns, odd ones among them.
RUNNERS = {
    "one thread": EmulatedRunner(),
    "3 blocks of 4": EmulatedRunner(3, 4),
    "5 blocks of 7": EmulatedRunner(5, 7),
    "traced": TracedRunner(3, 4),
}
CALLS = {
    "sum": lambda t: t.sum(1),
    "sum of all": lambda t: t.sum(),
    "sum over two": lambda t: t.sum((0, 2)),
    "prod": lambda t: (t / 4).prod(0),
    "mean": lambda t: t.mean(-1),
    "amax": lambda t: t.amax((0, 1)),
    "min": lambda t: t.min(2),
    "argmax": lambda t: t.argmax(),
    "any": lambda t: (t > 3).any(0),
    "norm": lambda t: t.norm(3),
    "var": lambda t: tk.var_mean(t, (0, 2)),
    "logsumexp": lambda t: t.logsumexp((1, 2)),
    "softmax": lambda t: t.softmax(1),
    "log_softmax": lambda t: t.log_softmax(-1),
    "cumsum": lambda t: t.cumsum(2),
    "cumprod": lambda t: (t / 3).cumprod(0),
    "cummax": lambda t: t.cummax(2),
    "logcumsumexp": lambda t: t.logcumsumexp(1),
}


def values(result: Any) -> list[Any]:
    return [part.cpu().tolist() for part in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("runner", RUNNERS.values(), ids=RUNNERS.keys())
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_every_runner_gives_what_the_cpu_gives(call: Any, runner: Any) -> None:
    tk.manual_seed(3)
    t = tk.randn(3, 5, 11)[:, :, ::2].transpose(0, 1)
    there = t.cuda()
    with using(runner):
        for got, expected in zip(values(call(there)), values(call(t)), strict=True):
            numpy.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("runner", RUNNERS.values(), ids=RUNNERS.keys())
def test_nan_and_equal_elements_keep_their_order(runner: Any) -> None:
    t = tk.tensor([[1.0, 7, 7, 2, 7], [3, float("nan"), 9, float("nan"), 1], [4, 4, 4, 4, 4]], device="cuda")
    with using(runner):
        assert t.max(1)[1].tolist() == [1, 1, 0]
        assert t.argmin(1).tolist() == [0, 1, 0]
        assert t.cummax(1)[1].tolist() == [[0, 1, 2, 2, 4], [0, 1, 1, 3, 3], [0, 1, 2, 3, 4]]


def test_a_long_row_is_reduced_in_parts_by_several_blocks() -> None:
    t = tk.arange(1000.0, device="cuda")
    traced = TracedRunner(4, 8)
    with using(traced):
        assert t.sum().item() == 499500
    assert len(traced.launches) == 2
    assert {access.block for access in traced.launches[0].accesses} == {0, 1, 2, 3}


def test_a_sum_is_the_same_every_time() -> None:
    t = tk.randn(997, device="cuda")
    with using(EmulatedRunner(3, 4)):
        assert len({t.sum().item() for _ in range(5)}) == 1


def test_a_total_of_many_small_numbers_is_exact() -> None:
    assert tk.full((1_000_000,), 0.1, device="cuda").sum().item() == pytest.approx(100000, rel=1e-6)


needs_compiler = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("numba_cuda", "cuda")),
    reason="numba-cuda is not installed: pip install 'tensorkit[cuda13]'",
)
F32 = dtypes.float32


def kernels() -> dict[str, Any]:
    """One kernel of each family, as a GPU has it."""
    made = {
        how: reduce._kernel(reduce._Spec(how, F32, F32, reduce._Totals(F32, F32), 2, True), native=True)
        for how in ("sum", "nansum", "prod", "mean", "max", "min", "norm_1", "norm_2", "norm_p")
    }
    made["any"] = reduce._kernel(
        reduce._Spec("any", F32, dtypes.bool, reduce._Totals(F32, dtypes.int64), 1, True), native=True
    )
    made["argmax"] = reduce._arg_kernel(True, F32, 2, True)
    made["var"] = rows._moment_kernel(False, F32, F32, F32, F32, 2, True)
    made["logsumexp"] = rows._log_sum_kernel(F32, F32, F32, 2, True)
    made["softmax"] = rows._softmax_kernel(False, F32, F32, True)
    made["cumsum"] = rows._scan_kernel("cumsum", F32, F32, F32, True)
    made["logcumsumexp"] = rows._scan_kernel("logcumsumexp", F32, F32, F32, True)
    made["cummax"] = rows._arg_scan_kernel(True, F32, True)
    return made


@needs_compiler
@pytest.mark.parametrize("name", kernels())
def test_each_becomes_machine_code_for_a_gpu(name: str) -> None:
    kernel = kernels()[name]
    text = compiler.ptx(kernel, (7, 5))
    assert "bar.sync" in text
    assert ".shared" in text
    assert compiler.cubin(kernel, (7, 5))[:4] == b"\x7fELF"
