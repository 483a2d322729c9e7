"""A kept launch does what the whole way does: with other buffers and offsets, and not where something has changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.elementwise import device_plan
from tensorkit.kernels import cuda
from tensorkit.kernels.sizes import FUSED_ON_HOST


@pytest.fixture(autouse=True)
def emulated() -> Iterator[None]:
    device_plan._plans.clear()
    with cuda.emulate(devices=2):
        yield


def plans() -> list[Any]:
    return [plan for plan in device_plan._plans.values() if plan is not None]


def test_the_second_call_has_the_plan_of_the_first() -> None:
    a, b = tk.arange(6.0, device="cuda"), tk.ones(6, device="cuda")
    assert (a + b).tolist() == [1, 2, 3, 4, 5, 6]
    assert (b + a).tolist() == [1, 2, 3, 4, 5, 6]
    assert len(plans()) == 1


def test_views_of_one_size_and_stride_share_a_plan_and_are_read_where_they_begin() -> None:
    a = tk.arange(10.0, device="cuda")
    found = [(a[k : k + 3] * a[k + 1 : k + 4]).tolist() for k in range(4)]
    assert found == [[k * (k + 1), (k + 1) * (k + 2), (k + 2) * (k + 3)] for k in range(4)]
    assert len(plans()) == 1


def test_each_device_has_its_own() -> None:
    for index in (0, 1, 0):
        a = tk.ones(3, device=f"cuda:{index}")
        assert (a + a).device == tk.device("cuda", index)
    assert len(plans()) == 2


@pytest.mark.parametrize("call", ["a.add_(b)", "a.mul_(a)", "tk.add(a, b, out=out)", "a.neg_()"])
def test_written_in_place_and_into_what_is_given(call: str) -> None:
    results = []
    for device in ("cpu", "cuda", "cuda"):
        a, b = tk.arange(4.0, device=device), tk.full((4,), 3.0, device=device)
        out = tk.empty(4, device=device)
        before = a._version, out._version
        made = eval(call, {"tk": tk, "a": a, "b": b, "out": out})
        results.append((made.tolist(), made is a or made is out, (a._version, out._version) != before))
    assert results[0] == results[1] == results[2]


def test_what_is_written_over_what_is_read_goes_the_whole_way() -> None:
    a = tk.arange(6.0, device="cuda")
    a[:3].add_(tk.ones(3, device="cuda"))
    with pytest.raises(RuntimeError, match="memory"):
        a[1:4].add_(a[:3])


def test_a_storage_that_was_cut_off_is_not_read_beyond_its_end() -> None:
    a, b = tk.ones(8, device="cuda"), tk.ones(8, device="cuda")
    a + b
    b.untyped_storage().resize_(16)
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 16"):
        a + b


def test_another_runner_is_asked_anew() -> None:
    a = tk.ones(4, device="cuda")
    a + a
    traced = cuda.TracedRunner()
    with cuda.using(traced):
        assert (a + a).tolist() == [2, 2, 2, 2]
    assert len(traced.launches) == 1


def test_refusals_stay_what_they_were() -> None:
    a, flags = tk.ones(3, device="cuda"), tk.ones(3, dtype=tk.bool, device="cuda")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="bool"):
            flags - flags
        with pytest.raises(RuntimeError, match="must match the size"):
            a + tk.ones(4, device="cuda")
        with pytest.raises(RuntimeError, match="same device"):
            a + tk.ones(3)
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            tk.ones(3, dtype=tk.int32, device="cuda") // 0


def test_gradients_are_recorded() -> None:
    a = tk.arange(3.0, device="cuda").requires_grad_()
    for _ in range(2):
        (a * a + a).sum().backward()
    assert a.grad.tolist() == [2, 6, 10]


def test_a_number_is_part_of_the_launch_and_not_of_the_plan() -> None:
    a = tk.ones(FUSED_ON_HOST, device="cuda")  # below, a number is put into a row of its own
    assert [(a * k).max().item() for k in (2.0, 3.0, 4.5)] == [2, 3, 4.5]
    assert len(plans()) == 1


@pytest.mark.parametrize("call", ["a + a", "a.relu()", "-a", "a.neg()", "a.add_(a)", "a * 2.0"])
def test_who_listens_hears_of_every_launch(call: str) -> None:
    a = tk.ones(3, device="cuda")
    for _ in range(2):
        eval(call, {"a": a})
        with tk.tracing.record() as events:
            eval(call, {"a": a})
        assert [event for event in events if isinstance(event, tk.tracing.LaunchEvent)]
