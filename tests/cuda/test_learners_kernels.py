"""Kernels that were written for Numba: one text, traced and run on an emulated device, with the same result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit import tracing
from tensorkit.errors import AcceleratorError
from tensorkit.kernels import cuda as kernels
from tests.cuda import learners
from tests.cuda.learners import cuda

Run = Callable[..., Any]


@pytest.fixture(params=["launch", "trace"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """Both ways to run a kernel, with an emulated device at hand."""
    with tk.cuda.emulate():
        yield tk.cuda.launch if request.param == "launch" else tk.cuda.trace


def test_two_and_three_dimensions(run: Run) -> None:
    a, b = numpy.arange(15.0).reshape(3, 5), numpy.arange(5.0)
    out = numpy.zeros((5, 3)).T
    run(learners.add_grid, (2, 3), (2, 2), a, b, out)
    assert out.tolist() == (a + b).tolist()
    cube, found = numpy.arange(24.0).reshape(2, 3, 4), numpy.zeros((2, 3, 4))
    run(learners.add_cube, (1, 2, 2), (2, 2, 2), cube, found)
    assert found.tolist() == (cube + 300).tolist()


@pytest.mark.parametrize(("grid", "block"), [(1, 1), (3, 4), (2, 33)])
def test_a_loop_over_the_grid(run: Run, grid: int, block: int) -> None:
    x, out = numpy.arange(31, dtype=numpy.float32), numpy.zeros(31, numpy.float32)
    run(learners.strided, grid, block, x, out)
    assert out.tolist() == (2 * x).tolist()


def test_tiles_in_shared_memory(run: Run) -> None:
    rng = numpy.random.default_rng(0)
    a, b = rng.random((7, 6), numpy.float32), rng.random((6, 8), numpy.float32)
    c = numpy.zeros((7, 8), numpy.float32)
    run(learners.matmul_tiled, (2, 2), (4, 4), a, b, c)
    assert numpy.allclose(c, a @ b)


def test_warps_add_up_with_a_device_function(run: Run) -> None:
    out = numpy.zeros(1)
    run(learners.total_by_warps, 2, 64, numpy.arange(100.0), out)
    assert out[0] == 4950


def test_atomic_updates_of_shared_memory(run: Run) -> None:
    x, bins = numpy.arange(23) ** 2 % 4, numpy.zeros(4, numpy.int32)
    run(learners.histogram, 3, 8, x, bins)
    assert bins.tolist() == numpy.bincount(x, minlength=4).tolist()


def test_local_memory_and_numba_by_its_whole_name(run: Run) -> None:
    x, out = numpy.arange(5.0), numpy.zeros(5)
    run(learners.polynomial, 2, 4, x, out)
    assert out.tolist() == (1 + x + x * x).tolist()


def test_names_imported_from_numba_cuda_and_a_plain_function(run: Run) -> None:
    out = numpy.zeros(3)
    run(learners.by_imported_names, 2, 3, out)
    assert out.tolist() == [6, 6, 6]


def test_what_a_warp_does_together(run: Run) -> None:
    out = numpy.zeros((11, 4), numpy.int64)
    run(learners.votes, 1, 4, out)
    assert out.tolist() == [
        [0b1010] * 4, [1] * 4, [1] * 4, [2] * 4, [0, 0, 1, 2], [1, 0, 3, 2], [2] * 4, [0] * 4, [1] * 4, [15] * 4,
        [0, 1, 3, 7],
    ]  # fmt: skip


def test_bits_and_choices(run: Run) -> None:
    out = numpy.zeros(6, numpy.int64)
    run(learners.bits, 1, 1, out)
    assert out.tolist() == [3, 31, 4, 5, 10, 1]


def test_every_atomic_gives_back_what_was_there(run: Run) -> None:
    x, old = numpy.full(12, 10), numpy.zeros(12, numpy.int64)
    run(learners.atomics, 1, 1, x, old)
    assert x.tolist() == [15, 5, 10, 5, 5, 5, 10, 2, 15, 12, 0, 3]
    assert old.tolist() == [10] * 12


def test_rows_and_parts_of_an_array(run: Run) -> None:
    a = numpy.zeros((3, 4))
    run(learners.rows, 1, 4, a)
    assert a.tolist() == [[100, 4, 4, 4], [101, 4, 4, 4], [102, 4, 4, 4]]


def test_a_negative_index_counts_from_the_end(run: Run) -> None:
    out = numpy.zeros(3)
    run(learners.neighbour, 1, 3, numpy.arange(3.0), out)
    assert out.tolist() == [2, 0, 1]


def test_the_last_block_adds_up_what_the_others_left(run: Run) -> None:
    partial, counter, out = numpy.zeros(4), numpy.zeros(1, numpy.int64), numpy.zeros(1)
    found = run(learners.last_block_sums, 4, 2, numpy.arange(4.0), partial, counter, out)
    assert out[0] == 60
    assert found is None or found.races == ()


def test_views_of_a_tensor_on_a_device(run: Run) -> None:
    a = tk.arange(12.0, device="cuda").view(3, 4)
    out = tk.zeros(4, 3, device="cuda").t()
    before = a._version, out._version
    run(learners.add_grid, 1, (4, 4), a, a[0], out)
    assert out.tolist() == (a + a[0]).tolist()
    assert (a._version, out._version) == (before[0], before[1] + 1)


@pytest.mark.parametrize("kind", [tk.float16, tk.bfloat16, tk.bool, tk.uint8, tk.complex64])
def test_dtypes_of_a_device(run: Run, kind: tk.dtype) -> None:
    x, out = tk.ones(5, dtype=kind, device="cuda"), tk.zeros(5, dtype=kind, device="cuda")
    run(lambda x, out: out.__setitem__(0, x[1]), 1, 1, x, out)
    assert out.tolist() == [x[1].item(), *[0] * 4]


def test_views_of_one_numpy_array_share_its_memory(run: Run) -> None:
    base = numpy.arange(10.0)
    run(learners.strided, 1, 3, base[::-2], base[::2])
    assert base.tolist() == [18, 1, 14, 3, 10, 5, 6, 7, 2, 9]


def test_what_does_not_fit_is_cut_off_as_a_machine_does(run: Run) -> None:
    out = numpy.zeros(3, numpy.uint8)

    def store(out: Any) -> None:
        out[0], out[1], out[2] = 300, -1, 2.9

    run(store, 1, 1, out)
    assert out.tolist() == [44, 255, 2]


def test_math_outside_its_domain_is_nan_or_inf(run: Run) -> None:
    out = numpy.zeros(4)

    def store(out: Any) -> None:
        out[0], out[1], out[2], out[3] = math.sqrt(-1.0), math.exp(1e9), math.log(0.0), math.lgamma(-1.0)

    run(store, 1, 1, out)
    assert str(out.tolist()) == "[nan, inf, -inf, nan]"


def test_a_kernel_may_be_given_default_values_and_call_itself(run: Run) -> None:
    out = numpy.zeros(2)

    @cuda.jit(device=True)  # type: ignore[untyped-decorator]
    def factorial(n: int) -> int:
        return 1 if n < 2 else n * factorial(n - 1)

    def kernel(out: Any, n: int = 5) -> None:
        out[0] = factorial(n)

    run(kernel, 1, 1, out)
    assert out.tolist() == [120, 0]


def test_shared_memory_whose_size_the_launch_says(run: Run) -> None:
    out = numpy.zeros(1)

    def kernel(out: Any) -> None:
        out[0] = cuda.shared.array(0, numpy.float32).size

    run(kernel, 1, 1, out, sharedmem=48)
    assert out[0] == 12


# ---- on a stream


def test_a_launch_is_queued_and_holds_its_tensors() -> None:
    with tk.cuda.emulate():
        x, out = tk.arange(5.0, device="cuda"), tk.zeros(5, device="cuda")
        with kernels.streams_of(0).default.held():
            tk.cuda.launch(learners.strided, 1, 4, x + 1, out)
            tk.cuda.launch(learners.strided, 1, 4, out, out)
            del x
            assert not out._store()._buffer._bytes.any()
        assert out.tolist() == [4, 8, 12, 16, 20]


def test_with_arrays_of_the_host_it_waits_for_what_was_queued() -> None:
    with tk.cuda.emulate():
        x, out = tk.zeros(3, device="cuda"), numpy.zeros(3, numpy.float32)
        tk.cuda.launch(learners.strided, 1, 4, tk.ones(3, device="cuda"), x)
        tk.cuda.launch(learners.strided, 1, 4, x, out)
        assert out.tolist() == [4, 4, 4]


def test_an_error_is_told_where_the_device_is_waited_for() -> None:
    with tk.cuda.emulate():
        x, out = tk.ones(8, device="cuda"), tk.zeros(3, device="cuda")
        tk.cuda.launch(learners.no_guard, 1, 8, x, out)
        with pytest.raises(
            AcceleratorError, match=r"illegal memory access .*\nthread 3 of block 0 .* out\[3\]"
        ):
            tk.cuda.synchronize()
    with tk.cuda.emulate():
        assert tk.ones(2, device="cuda").tolist() == [1, 1]


def test_a_launch_is_told_to_who_listens() -> None:
    heard: list[Any] = []
    with tk.cuda.emulate(), tracing.listen(heard.append):
        tk.cuda.launch(learners.strided, (2, 1), 4, tk.ones(3, device="cuda"), tk.ones(3, device="cuda"))
    assert tracing.LaunchEvent("strided", (2, 1), (4,), "cuda:0", "emulated") in heard


# ---- refused


@pytest.mark.parametrize("grid", [0, (1, 2, 3, 4), (), (2, 0), 1.5])
def test_a_grid_that_there_is_not(run: Run, grid: Any) -> None:
    with pytest.raises((RuntimeError, TypeError)):
        run(learners.strided, grid, 1, numpy.ones(1), numpy.ones(1))


@pytest.mark.parametrize("block", [1025, (32, 33), (1, 1, 65)])
def test_a_block_that_is_too_large(run: Run, block: Any) -> None:
    with pytest.raises(
        RuntimeError, match="CUDA error: invalid configuration argument\na block has at most 1024"
    ):
        run(learners.strided, 1, block, numpy.ones(1), numpy.ones(1))


def test_tensors_that_a_kernel_cannot_reach(run: Run) -> None:
    there = tk.ones(3, device="cuda")
    with pytest.raises(TypeError, match=r"x is on the CPU, .*: hand over x.cuda\(\)"):
        run(learners.strided, 1, 1, tk.ones(3), there)
    with pytest.raises(RuntimeError, match=r"out requires grad, .*: hand over out.detach\(\)"):
        run(learners.strided, 1, 1, there, tk.ones(3, device="cuda", requires_grad=True))


def test_what_is_no_kernel(run: Run) -> None:
    with pytest.raises(TypeError, match=r"a kernel is a Python function, plain or decorated .* not builtin"):
        run(len, 1, 1)


def test_a_name_of_cuda_that_is_not_known(run: Run) -> None:
    def kernel() -> None:
        cuda.cg.this_grid()

    line = kernel.__code__.co_firstlineno + 1
    with pytest.raises(
        AttributeError, match=rf"line {line} of kernel, .*: cuda\.cg is not known to the emulated device"
    ):
        run(kernel, 1, 2)


def test_a_name_of_cuda_that_is_not_known_without_a_source(run: Run) -> None:
    made: dict[str, Any] = {"cuda": cuda}
    exec("def kernel():\n    cuda.cg.this_grid()", made)
    with pytest.raises(AttributeError, match=r"cuda\.cg is not known to the emulated device") as caught:
        run(made["kernel"], 1, 2)
    assert caught.value.__notes__ == ["in thread 0 of block 0"]


def test_a_launch_needs_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorkit.kernels.cuda.emulator._emulated", None)
    if tk.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(AssertionError, match=r"tk.cuda.emulate\(\)"):
        tk.cuda.launch(learners.strided, 1, 1, numpy.ones(1), numpy.ones(1))


def test_on_a_gpu_numba_itself_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it is asked for; `test_gpu` runs it where there is one."""
    asked: list[Any] = []

    class Compiled:
        py_func = staticmethod(learners.by_imported_names)

        def __getitem__(self, configuration: Any) -> Any:
            asked.append(configuration)
            return asked.append

    monkeypatch.setattr("tensorkit.kernels.cuda.emulator._emulated", None)
    monkeypatch.setattr("tensorkit.kernels.cuda.emulator._gpus", lambda: (1, ""))
    stream = SimpleNamespace(current=lambda: SimpleNamespace(handle=0))
    monkeypatch.setattr("tensorkit.kernels.cuda.streams_of", lambda index: stream)
    tk.cuda.launch(Compiled(), 2, (3, 4), "out", sharedmem=16)
    assert asked == [((2,), (3, 4), 0, 16), "out"]
