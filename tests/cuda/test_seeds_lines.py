"""The lines about devices that the course's sources show, word for word but for the name of the library."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk

pytestmark = pytest.mark.usefixtures("memory")
torch: Any = tk  # the lines are quoted as they are


def test_tensors_on_a_device() -> None:
    t2_gpu = torch.rand(2, device="cuda")
    assert repr(t2_gpu).endswith("device='cuda:0')")
    t1 = torch.rand(2)
    t1_gpu = t1.to(device="cuda")
    assert repr(t1_gpu) == repr(t1)[:-1] + ", device='cuda:0')"
    assert torch.equal(t1.cuda(), t1_gpu)
    t2 = t2_gpu.to(device="cpu")
    assert torch.equal(t2, t2_gpu.cpu())
    assert "device" not in repr(t2)


def test_several_devices() -> None:
    t1 = torch.rand(2)
    t3_gpu = torch.rand(2, device="cuda:0")
    t4_gpu, t5_gpu = t1.to(device="cuda:0"), t1.to(device="cuda:1")
    assert [t.device.index for t in (t3_gpu, t4_gpu, t5_gpu, t1.cuda(0), t1.cuda(1))] == [0, 0, 1, 0, 1]
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        t4_gpu + t5_gpu
    t5_gpu.copy_(t4_gpu)
    assert torch.cuda.can_device_access_peer(0, 1) in (True, False)


def test_products_are_timed() -> None:
    A_gpu = torch.randn(50, 50, device="cuda")
    B_gpu = torch.randn(50, 50, device="cuda")
    timer = torch.utils.benchmark.Timer(stmt="A_gpu @ B_gpu", globals={"A_gpu": A_gpu, "B_gpu": B_gpu})
    assert timer.timeit(3).mean > 0


def test_what_is_not_cuda_is_refused_with_a_sentence() -> None:
    for name in ("xla", "hip"):
        with pytest.raises(RuntimeError, match=f"tensorkit has no '{name}' device"):
            torch.rand(2, device=name)


def test_the_accelerator_whichever_it_is() -> None:
    gpu_rand = torch.rand(2, 2, device=torch.accelerator.current_accelerator())
    assert repr(gpu_rand).endswith("device='cuda:0')")
    my_device = (
        torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")
    )
    assert f"Device: {my_device}" == "Device: cuda"
    x = torch.rand(2, 2, device=my_device)
    y = torch.rand(2, 2)
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        x + y
    y = y.to(my_device)
    assert (x + y).device == torch.device("cuda:0")
    assert torch.accelerator.device_count() == 2


def test_queues_and_streams() -> None:
    side = torch.cuda.Stream()
    a = torch.ones(3, device="cuda")
    with torch.cuda.stream(side):
        side.wait_stream(torch.cuda.default_stream())
        b = a * 2
    torch.cuda.current_stream().wait_stream(side)
    assert b.sum().item() == 6
    with torch.cuda.device(1):
        assert torch.cuda.current_device() == 1
        assert torch.ones(1, device="cuda").device.index == 1
    assert torch.cuda.FloatTensor(2).device.index == 0
    pinned = torch.zeros(3).pin_memory()
    pinned.copy_(a, non_blocking=True)
    torch.cuda.synchronize()
    assert pinned.tolist() == [1, 1, 1]
    assert torch.cuda.memory_reserved() >= torch.cuda.memory_allocated() > 0
    assert torch.cuda.get_rng_state().numel() == 16
