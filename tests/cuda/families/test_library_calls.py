"""What a library does on a device: by name, on the device's own bytes, without a transfer."""

from __future__ import annotations

import pytest

import tensorkit as tk
from tensorkit import tracing
from tensorkit.errors import DeviceMismatchError
from tensorkit.kernels.cuda.memory import EmulatedMemory


def test_a_call_is_named_and_moves_nothing(memory: EmulatedMemory) -> None:
    a = tk.tensor([[2.0, 1], [1, 3]], device="cuda")
    before = memory.traffic.h2d, memory.traffic.d2h
    with tracing.record() as events:
        inverse = tk.linalg.inv(a)
    assert [e for e in events if isinstance(e, tracing.LibraryEvent)] == [
        tracing.LibraryEvent("linalg_inv", "LAPACK", "cuda:0", "emulated")
    ]
    assert (memory.traffic.h2d, memory.traffic.d2h) == before
    assert inverse.device == tk.device("cuda:0")
    assert (inverse @ a).allclose(tk.eye(2, device="cuda"), atol=1e-6)


def test_results_are_counted_as_the_device_s_memory(memory: EmulatedMemory) -> None:
    a = tk.ones(64, 64, device="cuda")
    held = tk.cuda.memory_allocated()
    product = a @ a
    assert tk.cuda.memory_allocated() == held + product.nbytes


def test_views_outputs_and_gradients(memory: EmulatedMemory) -> None:
    a = tk.arange(6.0, device="cuda").view(2, 3).t()
    out = tk.empty(0, device="cuda")
    assert tk.mm(a, a.t(), out=out) is out
    assert out.tolist() == tk.mm(a.cpu(), a.cpu().t()).tolist()
    w = tk.ones(3, 2, device="cuda", requires_grad=True)
    (a.t() @ w).sum().backward()
    assert w.grad is not None
    assert w.grad.device.type == "cuda"
    assert w.grad.tolist() == [[3, 3], [5, 5], [7, 7]]
    values, indices = tk.tensor([3.0, 1, 2], device="cuda").sort()
    assert (values.tolist(), indices.tolist(), indices.device.type) == ([1, 2, 3], [1, 2, 0], "cuda")


def test_the_second_tensor_must_be_there_too(memory: EmulatedMemory) -> None:
    with pytest.raises(DeviceMismatchError, match="found at least two devices, cuda:0 and cpu"):
        tk.linalg.solve(tk.eye(2, device="cuda"), tk.ones(2))


def test_products_and_sorts_are_queued(memory: EmulatedMemory) -> None:
    a = tk.arange(6.0, device="cuda").view(2, 3)
    stream = tk.cuda.Stream()
    with tk.cuda.stream(stream), memory.streams[0].current().held():
        product, (values, places) = a @ a.t(), a.sort(descending=True)
        assert not stream.query()
        del a  # the queue keeps what it needs
    stream.synchronize()
    assert product.tolist() == [[5, 14], [14, 50]]
    assert (values.tolist(), places.tolist()) == ([[2, 1, 0], [5, 4, 3]], [[2, 1, 0]] * 2)


def test_only_what_depends_on_the_numbers_waits(memory: EmulatedMemory) -> None:
    a = tk.eye(3, device="cuda")
    tk.cuda.set_sync_debug_mode("error")
    try:
        assert tk.addmm(a, a, a).device.type == "cuda"
        a.topk(2)
        for call in (tk.linalg.inv, tk.unique, lambda t: t.long().flatten().bincount()):
            with pytest.raises(RuntimeError, match="called a synchronizing CUDA operation"):
                call(a)
    finally:
        tk.cuda.set_sync_debug_mode("default")
