"""The kit's own sorting: one text for one thread, for threads with barriers, traced, compiled; stable everywhere."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit import tracing
from tensorkit.kernels.cuda import EmulatedRunner, TracedRunner, choice, using
from tensorkit.kernels.cuda import compile as compiler
from tensorkit.kernels.cuda.sorting import launch
from tests.cuda.families.linked import link

pytestmark = pytest.mark.usefixtures("memory")

RUNNERS = {
    "3 blocks of 4": EmulatedRunner(3, 4),
    "5 blocks of 7": EmulatedRunner(5, 7),
    "traced": TracedRunner(3, 4),
}
FLOATING = ("float16", "bfloat16", "float32", "float64")
WHOLE = ("bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64")
LOST = float("nan")


def numbers(kind: str, *size: int) -> Any:
    """Few different numbers, so that many are equal; among floating point ones those that sorts stumble over."""
    drawn = numpy.random.default_rng(sum(size)).integers(0, 9, size)
    t = tk.tensor(drawn.tolist()).to(getattr(tk, kind))
    if t.is_floating_point():
        odd = tk.tensor([0.0, -0.0, LOST, float("inf"), -float("inf"), -1.5, -3, 1e-7, 2]).to(t.dtype)
        t = odd[tk.tensor(drawn.tolist()).long()]
    return t


def by_own(call: Any, *operands: Any) -> Any:
    """What a call gives on a device, brought back; by kernels, and by no library."""
    with tk.backends.cuda.own_kernels(), tracing.record() as events:
        result = call(*(one.cuda() for one in operands))
    assert not [event for event in events if isinstance(event, tracing.LibraryEvent)]
    assert not operands[0].numel() or [event for event in events if isinstance(event, tracing.LaunchEvent)]
    return [part.cpu() for part in result] if isinstance(result, tuple) else result.cpu()


def same(ours: Any, theirs: Any) -> bool:
    """Equal, what is no number and the sign of zero included."""
    if ours.is_floating_point():
        ours, theirs = ours.double(), theirs.double()
        return [str(x) for x in ours.flatten().tolist()] == [str(x) for x in theirs.flatten().tolist()]
    return bool(ours.tolist() == theirs.tolist())


@pytest.mark.parametrize("falling", [False, True], ids=["rising", "falling"])
@pytest.mark.parametrize("kind", FLOATING + WHOLE)
def test_a_stable_sort_of_every_dtype_and_size(kind: str, falling: bool) -> None:
    # One thread sorts chunks of 16 and merges them.
    for size, dim in (
        ((1,), 0),
        ((15,), 0),
        ((16,), 0),
        ((2, 17), 1),
        ((70, 2), 0),
        ((2, 3, 33), 2),
        ((3, 0), 1),
    ):
        t = numbers(kind, *size)
        values, places = by_own(lambda t, d=dim: t.sort(dim=d, descending=falling), t)
        expected = t.sort(dim=dim, descending=falling, stable=True)
        assert places.tolist() == expected.indices.tolist()
        assert same(values, expected.values)


def test_a_sort_lies_in_memory_as_its_input_does() -> None:
    t = numbers("float32", 4, 20).t()
    with tk.backends.cuda.own_kernels():
        values, places = t.cuda().sort(0)
    assert values.stride() == places.stride() == t.sort(0).values.stride()


@pytest.mark.parametrize("runner", RUNNERS.values(), ids=RUNNERS.keys())
@pytest.mark.parametrize("kind", ["float32", "int64"])
def test_threads_with_barriers_give_the_same(kind: str, runner: Any) -> None:
    t = numbers(kind, 2, 35)
    edges, asked = tk.tensor([0.0, 0, 2, 5]).to(t.dtype), numbers(kind, 9)
    with using(runner):
        assert (
            by_own(lambda t: t.argsort(dim=1, stable=True), t).tolist()
            == t.argsort(dim=1, stable=True).tolist()
        )
        assert same(by_own(lambda t: t.median(1), t)[0], t.median(1).values)
        assert by_own(tk.searchsorted, edges, asked).tolist() == tk.searchsorted(edges, asked).tolist()
        ours, counts = by_own(lambda t: t.unique(return_counts=True), t[0])
        assert same(ours, t[0].unique())
        assert counts.sum() == 35


def test_nothing_races_and_every_thread_comes_to_every_barrier() -> None:
    traced = TracedRunner(2, 5)
    t = numbers("float32", 2, 40)
    with using(traced):
        by_own(lambda t: t.sort(1), t)
        by_own(lambda t: t.mode(1), t)
        by_own(tk.bincount, tk.tensor([3, 1, 3, 0]))
    assert len(traced.launches) > 10
    assert not [launched for launched in traced.launches if launched.races or launched.findings]


def test_whole_numbers_at_the_ends_of_their_range() -> None:
    ends = [2**63 - 1, -(2**63), 2**63 - 2, 0, -1, 2**63 - 2, 2**63 - 1, 1 - 2**63]
    t = tk.tensor(ends)
    assert by_own(lambda t: t.sort()[0], t).tolist() == sorted(ends)
    assert by_own(lambda t: t.sort(descending=True)[0], t).tolist() == sorted(ends, reverse=True)
    assert by_own(tk.unique, t).tolist() == sorted(set(ends))
    assert by_own(tk.median, t).item() == sorted(ends)[3]
    high = tk.tensor([0, 1, 2**63 - 1]).to(tk.uint64)
    assert by_own(lambda t: t.sort(descending=True)[0], high).tolist() == [2**63 - 1, 1, 0]


@pytest.mark.parametrize("kind", ["float32", "int16"])
def test_chosen_elements_are_where_they_are_said_to_be(kind: str) -> None:
    t = numbers(kind, 3, 40)
    for call in (
        lambda t: t.topk(5),
        lambda t: t.topk(7, largest=False),
        lambda t: t.topk(40, dim=1),
        lambda t: t.kthvalue(9, keepdim=True),
        lambda t: t.median(1, keepdim=True),
        lambda t: t.nanmedian(1, keepdim=True),
        lambda t: t.mode(1, keepdim=True),
    ):
        values, places = by_own(call, t)
        assert same(t.gather(1, places), values)
        if call(t).values.isnan().any() or "mode" not in repr(call.__code__.co_names):
            assert same(abs(values), abs(call(t).values))  # of equal zeros another one may be meant
    assert by_own(lambda t: t.median(1), t)[1].tolist() == t.median(1).indices.tolist()


def test_distinct_values_with_all_that_is_asked_for() -> None:
    t = numbers("int32", 5, 9)
    for call in (
        lambda t: t.unique(return_inverse=True, return_counts=True),
        lambda t: t.unique_consecutive(return_inverse=True, return_counts=True),
    ):
        for ours, theirs in zip(by_own(call, t), call(t), strict=True):
            assert ours.tolist() == theirs.tolist()
            assert ours.stride() == theirs.stride()
    assert by_own(tk.unique, tk.tensor([1.0, LOST, 1, LOST])).isnan().tolist() == [False, True, True]
    with tk.backends.cuda.own_kernels():
        assert tk.tensor([], device="cuda").unique().tolist() == []
        assert t.cuda().unique(dim=1).tolist() == t.unique(dim=1).tolist()  # of whole rows a library knows


def test_places_in_an_order() -> None:
    rows = tk.tensor([[1, 3, 3, 7], [0, 2, 4, 4]])
    asked = tk.tensor([[3, 8, 0], [4, -1, 2]])
    unsorted = tk.tensor([[3, 7, 1, 3], [4, 0, 4, 2]])
    calls = (
        lambda r, a, u: tk.searchsorted(r, a),
        lambda r, a, u: tk.searchsorted(r, a, right=True),
        lambda r, a, u: tk.searchsorted(r.float(), a.half(), out_int32=True),
        lambda r, a, u: tk.searchsorted(u, a, sorter=u.argsort(stable=True)),
        lambda r, a, u: tk.searchsorted(r[0], 3, right=True),
        lambda r, a, u: tk.bucketize(a, r[0]),
        lambda r, a, u: tk.bucketize(a.double() / 2, r[1], right=True),
    )
    for call in calls:
        ours, theirs = by_own(call, rows, asked, unsorted), call(rows, asked, unsorted)
        assert (ours.tolist(), ours.dtype) == (theirs.tolist(), theirs.dtype)
    with pytest.raises(RuntimeError, match="sorter index out of range"):
        by_own(lambda r: tk.searchsorted(r, r, sorter=r), tk.tensor([0, 1, 5]))


def test_counting_is_the_same_every_time() -> None:
    places = tk.tensor([3, 1, 3, 0, 3, 9])
    weights = tk.tensor([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    for call in (
        lambda p, w: tk.bincount(p),
        lambda p, w: p.bincount(minlength=20),
        lambda p, w: p.bincount(w),
        lambda p, w: p.bincount(w.double(), minlength=11),
        lambda p, w: tk.histc(w, 4),
        lambda p, w: tk.histc(w, 5, 0.2, 0.5),
        lambda p, w: tk.histc(w.double(), 3, 7, 8),
    ):
        ours, theirs = by_own(call, places, weights), call(places, weights)
        assert (ours.tolist(), ours.dtype) == (theirs.tolist(), theirs.dtype)
    with pytest.raises(RuntimeError, match="only supports 1-d non-negative integral inputs"):
        by_own(tk.bincount, tk.tensor([1, -1]))


def test_gradients_go_to_where_the_elements_were() -> None:
    t = tk.tensor([3.0, 1, 2], device="cuda", requires_grad=True)
    with tk.backends.cuda.own_kernels():
        (t.sort()[0] * tk.tensor([1.0, 10, 100], device="cuda")).sum().backward()
    assert t.grad is not None
    assert t.grad.tolist() == [100, 1, 10]


def test_a_device_without_a_library_has_own_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "works_in", lambda buffer: False)
    t = tk.tensor([[2.0, 1], [4, 3]], device="cuda")
    with tracing.record() as events:
        assert (t @ t).tolist() == [[8, 5], [20, 13]]
        assert t.sort()[0].tolist() == [[1, 2], [3, 4]]
    assert not [event for event in events if isinstance(event, tracing.LibraryEvent)]


def test_who_sorts_is_a_choice() -> None:
    t = tk.tensor([2.0, 1], device="cuda")
    sorts = tk.backends.cuda.preferred_sort_library
    assert sorts("tensorkit").name == "Tensorkit"
    with tracing.record() as events:
        t.sort()
    assert not [event for event in events if isinstance(event, tracing.LibraryEvent)]
    assert sorts(sorts("default")).name == "Default"
    with pytest.raises(RuntimeError, match=r"^Unknown input value\. Choose from: default, cub, tensorkit\.$"):
        sorts("thrust")


ON_A_GPU = {
    kernel.name: kernel
    for kernel in (
        *(launch._MAKE_KEYS, launch._MERGE, launch._MIDDLE, launch._MODE, launch._MARK),
        *(launch._chunks(1024), launch._bisect("float64"), launch._bisect("int64"), launch._sums("float32")),
    )
}


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("numba_cuda", "cuda")),
    reason="numba-cuda is not installed: pip install 'tensorkit[cuda13]'",
)
@pytest.mark.parametrize("name", ON_A_GPU)
def test_each_becomes_machine_code_for_a_gpu(name: str) -> None:
    assert ("bar.sync" in compiler.ptx(ON_A_GPU[name], (7, 5))) == (name == "sort_chunks")
    for capability in ((7, 5), (8, 0), (9, 0)):
        said = link(ON_A_GPU[name], capability)
        assert (said.spilled, said.stack) == (0, 0)
