"""The kit's own products of matrices: one text for one thread, for threads with barriers, traced, compiled."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit import dtypes, tracing
from tensorkit.kernels.cuda import EmulatedRunner, TracedRunner, using
from tensorkit.kernels.cuda import compile as compiler
from tensorkit.kernels.cuda.products import launch
from tests.cuda.families.linked import link

pytestmark = pytest.mark.usefixtures("memory")

RUNNERS = {
    "3 blocks of 4": EmulatedRunner(3, 4),
    "5 blocks of 7": EmulatedRunner(5, 7),
    "traced": TracedRunner(3, 4),
}
KINDS = ("float16", "bfloat16", "float32", "float64", "int8", "int64", "complex64", "complex128")
#: Rows, columns, inner: around one tile of the thread that works alone (64), and of a few threads (8).
LARGE = [(1, 1, 1), (63, 64, 65), (64, 65, 63), (130, 2, 64), (1, 70, 5), (70, 1, 130), (5, 6, 0)]
SMALL = [(7, 8, 9), (9, 10, 4), (2, 1, 9), (1, 3, 5), (3, 2, 0)]


def matrix(rows: int, columns: int, kind: str, seed: int, turned: bool) -> Any:
    """Small whole numbers, whose products are exact in every dtype; `turned`: column by column, with gaps."""
    rng = numpy.random.default_rng(seed)
    numbers = rng.integers(-3, 4, (2, columns, 2 * rows) if turned else (2, rows, columns))
    t = tk.tensor(numbers.tolist() if numbers.size else [], dtype=getattr(tk, kind)).reshape(numbers.shape)
    if t.is_complex():
        t = t * (1 + 2j)
    return t[:, :, ::2].transpose(1, 2) if turned else t


def by_own(call: Any, *operands: Any) -> Any:
    with tk.backends.cuda.own_kernels(), tracing.record() as events:
        result = call(*(one.cuda() for one in operands))
    kernels = {event.kernel for event in events if isinstance(event, tracing.LaunchEvent)}
    assert kernels
    assert not [event for event in events if isinstance(event, tracing.LibraryEvent)]
    return result


@pytest.mark.parametrize("kind", KINDS)
def test_one_thread_multiplies_matrices_of_all_sizes(kind: str) -> None:
    for seed, (rows, columns, inner) in enumerate(LARGE):
        a, b = (
            matrix(rows, inner, kind, seed, seed % 2 == 0),
            matrix(inner, columns, kind, -seed % 7, seed % 3 == 0),
        )
        made, expected = by_own(tk.bmm, a, b), a.bmm(b)
        assert (made.dtype, made.size(), made.stride()) == (
            expected.dtype,
            expected.size(),
            expected.stride(),
        )
        if inner:
            assert made.tolist() == expected.tolist()
        else:
            assert not made.any()


@pytest.mark.parametrize("runner", RUNNERS.values(), ids=RUNNERS.keys())
@pytest.mark.parametrize("kind", ["float32", "complex64"])
def test_threads_with_barriers_give_the_same(kind: str, runner: Any) -> None:
    for seed, (rows, columns, inner) in enumerate(SMALL):
        a, b = (
            matrix(rows, inner, kind, seed, seed % 2 == 0),
            matrix(inner, columns, kind, seed, seed % 2 == 1),
        )
        with using(runner):
            made = by_own(tk.baddbmm, tk.ones(columns).to(a.dtype), a, b)
        assert made.tolist() == tk.baddbmm(tk.ones(columns).to(a.dtype), a, b).tolist()


def test_nothing_races_and_every_thread_comes_to_every_barrier() -> None:
    traced = TracedRunner(2, 5)
    a = tk.ones(9, 5)
    with using(traced):
        by_own(tk.mm, a, a.t())
        by_own(tk.mv, a, a[0])
    assert len(traced.launches) == 2
    for launch_trace in traced.launches:
        assert not launch_trace.races
        assert not launch_trace.findings


def test_what_is_not_added_to_is_not_read() -> None:
    lost, a = tk.full((2, 2), float("nan")), tk.eye(2)
    assert by_own(lambda x, y: tk.addmm(x, y, y, beta=0), lost, a).tolist() == a.tolist()
    assert by_own(lambda x, y: tk.addmm(y, x, x, alpha=0, beta=-2), lost, a).tolist() == [[-2, 0], [0, -2]]


def test_half_precision_is_rounded_once() -> None:
    a = tk.full((1, 4096), 1.0, dtype=tk.float16)
    b = tk.full((4096, 2), 0.5, dtype=tk.float16)
    assert by_own(tk.mm, a, b).tolist() == [[2048, 2048]]
    base = tk.full((1, 2), 0.75, dtype=tk.float16)  # 2048.75 is between two numbers of float16
    assert by_own(tk.addmm, base, a, b).tolist() == [[2048, 2048]]
    assert by_own(lambda *t: tk.addmm(*t, beta=2), base, a, b).tolist() == [[2050, 2050]]


def test_a_result_goes_where_it_is_wanted() -> None:
    a = tk.arange(6.0).view(2, 3)
    out = tk.zeros(4, 2, device="cuda").t()[:, ::2]
    with tk.backends.cuda.own_kernels():
        assert tk.mm(a.cuda(), a.t().cuda(), out=out) is out
        assert out.tolist() == (a @ a.t()).tolist()
        square = tk.eye(2, device="cuda") * 2
        assert tk.mm(square, square, out=square).tolist() == [[4, 0], [0, 4]]
        assert square.addmm_(square, square).tolist() == [[20, 0], [0, 20]]


def test_the_gradient_of_a_product_is_multiplied_by_own_kernels_too() -> None:
    w = tk.ones(3, 2, requires_grad=True, device="cuda")
    with tk.backends.cuda.own_kernels(), tracing.record() as events:
        (tk.arange(6.0, device="cuda").view(2, 3) @ w).sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [[3, 3], [5, 5], [7, 7]]
    assert not [event for event in events if isinstance(event, tracing.LibraryEvent)]


def test_who_multiplies_is_a_choice() -> None:
    a = tk.eye(2, device="cuda")
    blas = tk.backends.cuda.preferred_blas_library
    assert blas().name == "Default"
    for name, own in (("tensorkit", True), ("cublas", False), (blas("default"), False)):
        blas(name)
        with tracing.record() as events:
            a @ a
        assert any(isinstance(event, tracing.LibraryEvent) for event in events) is not own
    with pytest.raises(RuntimeError, match=r"^Unknown input value\. Choose from: default, cublas"):
        blas("mine")
    with pytest.raises(RuntimeError, match=r"^Unknown input value type\.$"):
        blas(3)  # type: ignore[arg-type]
    assert blas().name == "Default"


needs_compiler = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("numba_cuda", "cuda")),
    reason="numba-cuda is not installed: pip install 'tensorkit[cuda13]'",
)
ON_A_GPU = {
    "tiles of float32": launch._tiled(dtypes.float32, dtypes.float32, True, False),
    "tiles of float16": launch._tiled(dtypes.float16, dtypes.float32, True, False),
    "tiles of bfloat16": launch._tiled(dtypes.bfloat16, dtypes.float32, True, False),
    "tiles of float64": launch._tiled(dtypes.float64, dtypes.float64, True, False),
    "tiles of int32": launch._tiled(dtypes.int32, dtypes.int64, True, False),
    "tiles of complex64": launch._tiled(dtypes.complex64, dtypes.complex64, True, False),
    "tiles of complex128": launch._tiled(dtypes.complex128, dtypes.complex128, True, False),
    "rows of float32": launch._by_rows(dtypes.float32, dtypes.float32, True),
}


@needs_compiler
@pytest.mark.parametrize("name", ON_A_GPU)
def test_the_sums_of_a_tile_stay_in_registers(name: str) -> None:
    text = compiler.ptx(ON_A_GPU[name], (7, 5))
    assert "bar.sync" in text
    assert ".local" not in text  # no array of a thread's own was put into memory
    for capability in ((7, 5), (8, 0), (9, 0)):
        assert link(ON_A_GPU[name], capability).spilled == 0


@needs_compiler
def test_a_step_of_float32_loads_16_numbers_for_64_multiplications() -> None:
    text = compiler.ptx(ON_A_GPU["tiles of float32"], (9, 0))
    step = max(
        re.findall(r"\$L\w+:(.*?)@%p\d+ bra", text, re.DOTALL), key=lambda part: part.count("fma.rn.f32")
    )
    assert (step.count("ld.shared.f32"), step.count("fma.rn.f32")) == (16, 64)
    assert link(ON_A_GPU["tiles of float32"], (9, 0)).registers <= 128  # two blocks of 256 threads at a time
