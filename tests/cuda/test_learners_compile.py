"""Kernels that are traced and emulated are Numba's own, unchanged: they compile for GPUs, without one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from numba.core.sigutils import normalize_signature

from tensorkit.kernels.cuda.compile import _as_if_on
from tests.cuda import learners
from tests.widgets import kernels

numba_cuda: Any = import_module("numba.cuda")

F1, F2, F3 = "float32[:]", "float32[:, :]", "float32[:, :, :]"
I1 = "int64[:]"
SIGNATURES = {
    learners.add_grid: (F2, F1, F2), learners.add_cube: (F3, F3), learners.strided: (F1, F1),
    learners.matmul_tiled: (F2, F2, F2), learners.total_by_warps: ("float64[:]", "float64[:]"),
    learners.histogram: (I1, "int32[:]"), learners.votes: ("int64[:, :]",), learners.bits: (I1,),
    learners.last_block_sums: ("float64[:]", "float64[:]", I1, "float64[:]"), learners.rows: (F2,),
    learners.no_guard: (F1, F1), learners.lost_updates: (F1, F1), learners.reverse: (F1,),
    learners.two_barriers: (F1,), learners.early_return: (F1,), learners.missing_lane: (F1,),
    learners.never_written: (F1,), learners.columns: (F2, F1), learners.transposed: (F2,),
    learners.neighbour: (F1, F1), kernels.add: (F1, F1, F1), kernels.add_all: (F1, F1), kernels.reverse: (F1,),
    kernels.transpose: ("int64[:, :]", "int64[:, :]"), kernels.half_wait: (F1,),
}  # fmt: skip


@pytest.mark.parametrize("kernel", SIGNATURES, ids=lambda kernel: kernel.py_func.__name__)
def test_it_compiles_for_a_gpu(kernel: Any) -> None:
    signature, _ = normalize_signature(f"void({', '.join(SIGNATURES[kernel])})")
    with _as_if_on((7, 5)):
        text, _ = numba_cuda.compile(kernel.py_func, signature, device=False, abi="numba", cc=(7, 5))
    assert ".visible .entry" in str(text)
