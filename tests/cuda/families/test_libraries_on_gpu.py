"""What CuPy does on a GPU: each line of the table, with a double of CuPy that computes in the emulated device's memory.

Devices are told to be GPUs where library calls ask, so that these take the way of a GPU; all else is emulated as ever.
The samples of each operation must give what the body of the CPU gives, or refuse by name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit import dtypes, tracing
from tensorkit.dispatch import library as library_dispatch
from tensorkit.dispatch.registry import registry
from tensorkit.errors import LinAlgError, MissingKernelError, ViewError
from tensorkit.kernels.cuda import library
from tensorkit.kernels.cuda.gpu.libraries import place
from tensorkit.kernels.cuda.gpu.libraries.table import TABLE, function_for
from tensorkit.kernels.cuda.memory import EmulatedMemory
from tensorkit.kernels.cuda.streams import wait_for
from tests.cuda.families.test_every_operation import (
    cases,
    difference,
    facts,
    run,
    same_numbers,
    tensors,
)
from tests.cuda.stub_driver import cupy_double

#: Results that lie otherwise: row by row, where LAPACK leaves its own room beside them.
LIES_OTHERWISE = {"linalg_lstsq", "unique_consecutive", "unique"}
#: Where nan is counted otherwise on a GPU, or has no place: among edges, among rows that are compared.
NO_PLACE_FOR_NAN = {"mode", "bucketize", "searchsorted", "unique"}
#: Which of equal elements is told, and the phase of a vector, are free.
FREE_PLACES = {"sort", "argsort", "msort", "topk", "kthvalue", "median", "nanmedian", "mode"}


class EmulatedPlace(place.Place):
    """CuPy's double in an emulated device's memory."""

    def _stream(self) -> Any:
        wait_for(self._beside)
        return self.cupy.cuda.Stream.null

    def take(self, nbytes: int) -> Any:
        return self._beside.memory.allocate(nbytes, self._beside.index)

    def address(self, buffer: Any) -> int:
        return self._beside.memory.pointer(buffer)  # type: ignore[no-any-return]


@pytest.fixture(autouse=True)
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Library calls take devices for GPUs."""
    cupy_double.install(monkeypatch)
    place._cupy.cache_clear()
    monkeypatch.setattr(place, "Place", EmulatedPlace)
    monkeypatch.setattr(library, "is_gpus", lambda buffer: True)
    monkeypatch.setattr(library, "timed", lambda buffer: nullcontext())  # an emulated device has no clock
    yield
    place._cupy.cache_clear()


def by_lapack(name: str) -> bool:
    """Whether an operation is a factorisation, or made of one."""
    lines = list(TABLE)
    return name in TABLE and lines.index(name) >= lines.index("linalg_cholesky")


def told_otherwise(name: str, here: Any, there: Any, rounded: float) -> str | None:
    """`difference`, but for strides and places that are free."""
    if isinstance(here.error, ViewError):
        return None  # PyTorch's way through what is few needs one row
    found = difference(here, there, rounded)
    if found is None or here.error or there.error:
        return found
    if name in LIES_OTHERWISE:
        for tensor in tensors(there.value):
            assert tensor.device.type == "cuda"
        pairs = zip(tensors(here.value), tensors(there.value), strict=True)
        alike = all(
            ours.dtype == theirs.dtype and tuple(ours.size()) == tuple(theirs.size())
            for ours, theirs in pairs
        )
        here.value = [tensor.contiguous() for tensor in tensors(here.value)]
        there.value = [tensor.contiguous() for tensor in tensors(there.value)]
        here.operands, there.operands = {}, {}
        again = [
            same_numbers(b.detach().cpu(), a.detach(), rounded)
            for a, b in zip(here.value, there.value, strict=True)
        ]
        return None if alike and all(again) else found
    if name in FREE_PLACES:
        pairs = zip(tensors(here.value), tensors(there.value), strict=True)
        free = all(
            facts(a) == facts(b) and (a.dtype is tk.int64 or same_numbers(b.detach().cpu(), a.detach(), 1))
            for a, b in pairs
        )
        return None if free else found
    return found


#: Operations with another name than what the table has for them.
MADE_OF = {"_cdist_forward": "cdist", "_pdist_forward": "pdist"}
NAMES = sorted(MADE_OF.get(name, name) for name in TABLE if not name.endswith("_backward"))


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_does_by_cupy_what_it_does_on_the_cpu(name: str, memory: EmulatedMemory) -> None:
    op = registry[name]
    wrong, done = [], 0
    for sample in op.samples:
        for operands in cases(op, sample):
            if by_lapack(name) and any(o.values == "telling" for o in operands.values()):
                continue  # what is infinite, or no number, is cuSOLVER's own affair
            told = any(operand.values == "telling" for operand in operands.values())
            if "sorted=False" in sample.call or (told and name in NO_PLACE_FOR_NAN):
                continue
            if name == "cholesky_inverse" and any(
                "complex" in operand.dtype for operand in operands.values()
            ):
                continue  # a diagonal that is not real is no Cholesky factor's
            if any(getattr(tk, o.dtype) in dtypes.LIMITED for o in operands.values()):
                continue  # CuPy's refusal: see below
            here = run(sample.call, operands, on_device=False)
            there = run(sample.call, operands, on_device=True)
            found = told_otherwise(name, here, there, op.rounded)
            if isinstance(there.error, MissingKernelError) and here.error is None:
                found = f"refused: {there.error}"
            done += here.error is None
            if found:
                wrong.append(f"{sample.call} on {operands}: {found}")
    assert done
    assert not wrong, f"{len(wrong)} cases, among them:\n" + "\n".join(wrong[:5])


def test_a_call_is_named_and_moves_nothing(memory: EmulatedMemory) -> None:
    a = tk.tensor([[2.0, 1], [1, 3]], device="cuda")
    before = memory.traffic.h2d, memory.traffic.d2h
    with tracing.record() as events:
        _ = a @ a, tk.linalg.inv(a), a.sort(), a.unique()
    told = [event for event in events if isinstance(event, tracing.LibraryEvent)]
    names = [("mm", "cuBLAS"), ("linalg_inv", "cuSOLVER"), ("sort", "CuPy"), ("unique", "CuPy")]
    assert told == [tracing.LibraryEvent(name, used, "cuda:0", "gpu") for name, used in names]
    assert (memory.traffic.h2d, memory.traffic.d2h) == before


def test_cupy_s_own_arrays_come_from_the_kit_s_allocator(memory: EmulatedMemory) -> None:
    a = tk.rand(8, 8, device="cuda")
    tk.cuda.reset_peak_memory_stats()
    held = tk.cuda.memory_allocated()
    found = tk.linalg.lu_factor(a)
    assert tk.cuda.memory_allocated() == held + 512 * len(found)
    assert tk.cuda.max_memory_allocated() > held + 2 * 512


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("kind", [tk.float32, tk.bfloat16, tk.int16, tk.bool], ids=str)
def test_equal_elements_stay_in_order(kind: Any, descending: bool, dim: int, memory: EmulatedMemory) -> None:
    values = tk.tensor([[3, 1, 3, 1, 0], [0, 0, 1, 1, 3], [3, 3, 0, 1, 0]]).to(kind)
    if kind.is_floating_point:
        values[1, 2] = float("nan")
    expected = values.sort(dim=dim, descending=descending, stable=True)
    for found in (values.cuda().sort(dim, descending), values.t().cuda().t().sort(dim, descending)):
        assert found.indices.tolist() == expected.indices.tolist()
        assert str(found.values.cpu()) == str(expected.values)


def test_a_median_tells_the_first_nan(memory: EmulatedMemory) -> None:
    nan = float("nan")
    a = tk.tensor([[1.0, nan, 0.0, nan], [4.0, 1.0, 3.0, 2.0], [nan, nan, nan, nan]], device="cuda")
    values, places = a.median(1)
    assert (places.tolist()[:2], values[1].item()) == ([1, 3], 2)
    assert values.isnan().tolist() == [True, False, True]
    assert a.nanmedian(1).values[:2].tolist() == [0, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("tk.linalg.inv(a)", "linalg.inv: The diagonal element 2 is zero"),
        ("tk.linalg.solve(a, a)", "The solver failed because the input matrix is singular"),
        ("tk.linalg.cholesky(-a)", "the leading minor of order 1 is not positive-definite"),
        ("tk.linalg.cholesky(a.expand(3, 2, 2))", r"\(Batch element 0\): .* order 2 is not positive"),
        ("tk.linalg.svd(a / 0)", "the input matrix contained non-finite values"),
    ],
)
def test_what_the_numbers_do_not_allow_is_said_in_pytorchs_words(
    call: str, message: str, memory: EmulatedMemory
) -> None:
    a = tk.ones(2, 2, device="cuda")
    with pytest.raises(LinAlgError, match=message):
        eval(call, {"tk": tk, "a": a if "/ 0" not in call else a - 1})


def test_infos_are_numbers_on_the_device(memory: EmulatedMemory) -> None:
    good = tk.tensor([[4.0, 2], [2, 3]])
    both = tk.stack([good, tk.ones(2, 2), -good]).cuda()
    assert tk.linalg.cholesky_ex(both).info.tolist() == [0, 2, 1]
    assert tk.linalg.inv_ex(both).info.tolist() == [0, 2, 0]
    assert tk.linalg.solve_ex(both, both).info.tolist() == [0, 2, 0]
    assert tk.linalg.lu_factor_ex(both).info.tolist() == [0, 2, 0]


def test_gradients_pass_through(memory: EmulatedMemory) -> None:
    w = tk.tensor([[2.0, 1], [1, 3]], device="cuda", requires_grad=True)
    (tk.linalg.inv(w) @ w + tk.linalg.cholesky(w)).sum().backward()
    v = w.detach().cpu().requires_grad_()
    (tk.linalg.inv(v) @ v + tk.linalg.cholesky(v)).sum().backward()
    assert w.grad is not None
    assert w.grad.cpu().allclose(v.grad, atol=1e-5)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, float("inf")])
def test_distances_and_their_gradients(p: float, memory: EmulatedMemory) -> None:
    a = tk.tensor([[0.0, 3, 1], [2, 1, 5], [0, 3, 1], [4, 0, 2]])
    made = []
    for where in ("cpu", "cuda"):
        x, y = (t.clone().to(where).requires_grad_() for t in (a, a[:3] * 2 + 1))
        far = tk.cdist(x, y, p), tk.pdist(x, p)
        sum((part * part).sum() for part in far).backward()
        made.append([*far, x.grad, y.grad])
    for ours, theirs in zip(*made, strict=True):
        assert theirs.device.type == "cuda"
        assert ours.allclose(theirs.cpu(), equal_nan=True)


def test_out_and_in_place_write_where_they_are_told(memory: EmulatedMemory) -> None:
    a, out = tk.arange(6.0, device="cuda").view(2, 3), tk.empty(0, device="cuda")
    assert tk.mm(a, a.t(), out=out) is out
    assert out.tolist() == [[5, 14], [14, 50]]
    row = tk.zeros(2, 2, device="cuda")
    before = row._version
    row.t().addmm_(a, a.t(), beta=0)
    assert (row.t().tolist(), row._version) == ([[5, 14], [14, 50]], before + 1)
    with pytest.raises(
        RuntimeError, match="more than one element of the written-to tensor refers to a single"
    ):
        tk.zeros(1, 2, device="cuda").expand(2, 2).addmm_(a, a.t())


def test_only_what_depends_on_the_numbers_waits(memory: EmulatedMemory) -> None:
    a = tk.eye(3, device="cuda")
    tk.cuda.set_sync_debug_mode("error")
    try:
        assert tk.addmm(a, a, a).device.type == "cuda"
        a.topk(2)
        with pytest.raises(RuntimeError, match="called a synchronizing CUDA operation"):
            tk.linalg.inv(a)
    finally:
        tk.cuda.set_sync_debug_mode("default")


def test_what_cupy_lacks_is_refused_by_name(memory: EmulatedMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    a = tk.eye(2, device="cuda")
    with pytest.raises(MissingKernelError, match=r"aten::linalg_householder_product.*has no function for it"):
        tk.linalg.householder_product(a, a[0])
    with pytest.raises(
        MissingKernelError, match="CuPy, which does such work on a GPU, does not do it for these"
    ):
        tk.ones(3, dtype=tk.uint16, device="cuda").sort()
    monkeypatch.setitem(sys.modules, "cupy", None)
    place._cupy.cache_clear()
    with pytest.raises(MissingKernelError, match=r"CuPy is not installed\. Install cupy-cuda12x"):
        a @ a


def test_every_operation_of_a_library_is_in_the_table_or_known_to_be_missing() -> None:
    missing = library_dispatch.HANDED - set(TABLE)
    assert missing == {
        *("histogram", "histogramdd"),  # PyTorch has none for CUDA either
        *("linalg_householder_product", "ormqr"),
        *("linalg_ldl_factor", "linalg_ldl_factor_ex", "linalg_ldl_solve"),
        "unique_dim",  # asked where the kit's own kernels were chosen; `unique` itself is in the table
    }
    assert function_for("mm") is TABLE["mm"]


def test_bfloat16_is_rounded_to_the_nearest() -> None:
    where = place.Place.__new__(place.Place)
    where.cupy = place.cupy_for("mm")[0]
    numbers = numpy.array([1.0, 1.00390625, 1.01171875, -3.1415927, 3.4e38, numpy.inf, -0.0], numpy.float32)
    found = where.narrowed(numbers.view(cupy_double.ndarray)).tolist()
    assert found == tk.tensor(numbers).bfloat16().float().tolist()
