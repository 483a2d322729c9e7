"""The public face: tensors on emulated devices through ``tensorkit``, with PyTorch's text and errors."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit.kernels.cuda import EmulatedRunner, TracedRunner, using
from tests.parity.questions import disagreement
from tests.support.garbage import collect
from tests.torch_oracle import require_torch

needs_emulation = pytest.mark.usefixtures("memory")


@needs_emulation
def test_a_tensor_goes_there_and_back() -> None:
    t = tk.arange(6.0).view(2, 3)
    there = t.to("cuda")
    assert there.device == tk.device("cuda", 0)
    assert there.is_cuda
    assert there.cpu().tolist() == t.tolist()
    assert there.to("cuda:0") is there
    assert t.cuda(1).device.index == 1


@needs_emulation
@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tk.ones(2, device="cuda"), "tensor([1., 1.], device='cuda:0')"),
        (lambda: tk.arange(3).to("cuda:1"), "tensor([0, 1, 2], device='cuda:1')"),
        (
            lambda: tk.zeros(2, dtype=tk.int32).cuda(),
            "tensor([0, 0], device='cuda:0', dtype=tensorkit.int32)",
        ),
        (lambda: tk.zeros(0, device="cuda"), "tensor([], device='cuda:0')"),
        (
            lambda: tk.arange(4.0).view(2, 2).cuda().t(),
            "tensor([[0., 2.],\n        [1., 3.]], device='cuda:0')",
        ),
    ],
)
def test_printing_names_the_device(make: Any, text: str) -> None:
    assert repr(make()) == text


@needs_emulation
def test_views_share_the_device_storage_and_writes_go_through() -> None:
    t = tk.zeros(3, 4, device="cuda")
    column = t.t()[1]
    assert column.stride() == (4,)
    assert column.data_ptr() == t.data_ptr() + 4
    column.copy_(tk.arange(3.0, device="cuda"))
    t[2, 3] = 9
    assert t.tolist() == [[0, 0, 0, 0], [0, 1, 0, 0], [0, 2, 0, 9]]


@needs_emulation
@pytest.mark.parametrize("runner", [EmulatedRunner(), EmulatedRunner(3, 4), TracedRunner(3, 4)])
def test_arithmetic_agrees_with_the_cpu(runner: Any) -> None:
    a = tk.arange(60.0).view(3, 4, 5)[:, 1:, ::2]
    b = tk.linspace(-1, 1, 9).view(3, 3)
    there, beside = a.to("cuda"), b.to("cuda")
    with using(runner):
        for result, expected in (
            (there + beside, a + b),
            (there.transpose(0, 2) - beside, a.transpose(0, 2) - b),
            (tk.add(there, beside, alpha=2), tk.add(a, b, alpha=2)),
            (2 - there, 2 - a),
            (there / 3, a / 3),
            (there * there, a * a),
            (there < beside, a < b),
        ):
            assert result.device == tk.device("cuda:0")
            assert result.dtype is expected.dtype
            assert result.stride() == expected.stride()
            numpy.testing.assert_allclose(result.cpu().numpy(), expected.numpy(), rtol=1e-6)


@needs_emulation
def test_out_and_in_place_forms() -> None:
    a, b = tk.arange(4.0, device="cuda"), tk.ones(4, device="cuda")
    a += b
    a.mul_(2)
    out = tk.empty(4, device="cuda")
    assert tk.sub(a, b, out=out) is out
    assert (a.tolist(), out.tolist()) == ([2, 4, 6, 8], [1, 3, 5, 7])
    with pytest.raises(RuntimeError, match="found at least two devices"):
        tk.add(a, b, out=tk.empty(4))


@needs_emulation
def test_copies_keep_or_change_layout_as_on_the_cpu() -> None:
    t = tk.arange(6).view(2, 3).t()
    there = t.cuda()
    assert there.stride() == t.cuda().clone().stride() == (1, 3)
    assert there.contiguous().stride() == (2, 1)
    assert there.contiguous().tolist() == t.tolist()
    assert there.to(tk.bfloat16).tolist() == t.tolist()
    assert there.cpu().stride() == (1, 3)
    assert there[:, 1].to("cuda:1").tolist() == [3, 4, 5]


@needs_emulation
@pytest.mark.parametrize(
    ("left", "right", "named"),
    [("cuda:0", "cpu", "cuda:0 and cpu!"), ("cuda:0", "cuda:1", "cuda:0 and cuda:1!")],
)
def test_two_devices_do_not_mix(left: str, right: str, named: str) -> None:
    a, b = tk.ones(2, device=left), tk.ones(2, device=right)
    sentence = f"Expected all tensors to be on the same device, but found at least two devices, {named}"
    with pytest.raises(RuntimeError) as caught:
        a + b
    assert str(caught.value).startswith(sentence)
    with pytest.raises(RuntimeError, match="same device"):
        a.add_(b)


@needs_emulation
def test_a_zero_dim_cpu_tensor_may_join() -> None:
    t = tk.arange(3.0, device="cuda")
    assert (t + tk.tensor(1.5)).tolist() == [1.5, 2.5, 3.5]
    assert (tk.tensor(1.5, dtype=tk.float64) - t).dtype is tk.float32


@needs_emulation
@pytest.mark.parametrize("call", ["numpy", "__array__"])
def test_numpy_cannot_see_device_memory(call: str) -> None:
    message = (
        "can't convert cuda:0 device type tensor to numpy. "
        "Use Tensor.cpu() to copy the tensor to host memory first."
    )
    with pytest.raises(TypeError) as caught:
        getattr(tk.ones(2, device="cuda"), call)()
    assert str(caught.value).startswith(message)


@needs_emulation
def test_the_current_device_is_where_cuda_means() -> None:
    with tk.cuda.device(1):
        assert tk.cuda.current_device() == 1
        assert tk.zeros(1, device="cuda").device.index == 1
        with tk.cuda.device_of(tk.zeros(1, device="cuda:0")):
            assert tk.cuda.current_device() == 0
        with tk.cuda.device_of(tk.zeros(1)), tk.cuda.device(None), tk.cuda.device(-1):
            assert tk.cuda.current_device() == 1
        seen: list[int] = []
        worker = threading.Thread(target=lambda: seen.append(tk.cuda.current_device()))
        worker.start()
        worker.join()
        assert seen == [0]  # each thread has its own
    assert tk.cuda.current_device() == 0
    tk.cuda.set_device("cuda:1")
    assert tk.cuda.current_device() == 1
    tk.cuda.set_device(-1)
    assert tk.cuda.current_device() == 1
    tk.cuda.set_device(0)


@needs_emulation
@pytest.mark.parametrize(
    ("which", "error", "sentence"),
    [
        ("cpu", ValueError, "Expected a cuda device, but got: cpu"),
        (
            "cuda",
            ValueError,
            "Expected a tensorkit.device with a specified index or an integer, but got:cuda",
        ),
        (2, RuntimeError, "CUDA error: invalid device ordinal"),
    ],
)
def test_set_device_refuses(which: Any, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error) as caught:
        tk.cuda.set_device(which)
    assert str(caught.value).startswith(sentence)


@needs_emulation
def test_an_index_that_no_device_has() -> None:
    with pytest.raises(RuntimeError, match="CUDA error: invalid device ordinal"):
        tk.zeros(2, device="cuda:2")
    for ask in (tk.cuda.get_device_properties, tk.cuda.get_device_name, tk.cuda.memory_allocated):
        with pytest.raises(AssertionError, match=r"^Invalid device id$"):
            ask(2)


@needs_emulation
def test_an_emulated_device_says_that_it_is_one() -> None:
    assert "emulated" in tk.cuda.get_device_name(1)
    properties = tk.cuda.get_device_properties("cuda:1")
    assert properties.is_emulated
    assert "emulated" in repr(properties)
    assert repr(properties).startswith("_CudaDeviceProperties(name='tensorkit emulated device")
    assert tk.cuda.get_device_capability() == (properties.major, properties.minor)
    tk.cuda.synchronize()


@needs_emulation
def test_memory_is_given_back_when_the_last_view_goes() -> None:
    before = tk.cuda.memory_allocated()
    t = tk.zeros(1000, device="cuda")
    view = t[10:].t()
    total = t + t
    del t, total
    collect()
    assert tk.cuda.memory_allocated() - before == 4096
    del view
    collect()
    assert tk.cuda.memory_allocated() == before
    assert tk.cuda.max_memory_allocated() >= before + 2 * 4096


def test_a_full_device() -> None:
    sentence = r"^CUDA out of memory\. Tried to allocate 4\.00 KiB\."
    with tk.cuda.emulate(1, capacity=1024), pytest.raises(RuntimeError, match=sentence):
        tk.zeros(1000, device="cuda")


WITHOUT = (
    "tk.ones(2).to('cuda')",
    "tk.ones(2).cuda()",
    "tk.zeros(2, device='cuda')",
    "tk.cuda.current_device()",
    "tk.cuda.get_device_name()",
    "tk.cuda.get_device_properties(0)",
    "tk.cuda.get_device_capability()",
    "tk.cuda.synchronize()",
    "tk.cuda.device(0).__enter__()",
    "tk.cuda.device('cpu')",
    "tk.cuda.set_device('cpu')",
    "tk.cuda.set_device(-1)",
    "tk.cuda.is_available()",
    "tk.cuda.device_count()",
    "tk.cuda.memory_allocated()",
    "tk.cuda.max_memory_allocated()",
    "tk.cuda.memory_reserved()",
    "tk.cuda.max_memory_reserved()",
    "tk.cuda.memory_stats()",
    "tk.cuda.memory_stats_as_nested_dict()",
    "tk.cuda.mem_get_info()",
    "tk.cuda.set_per_process_memory_fraction(0.5)",
    "tk.cuda.get_per_process_memory_fraction()",
    "tk.cuda.empty_cache()",
    "tk.cuda.Stream()",
    "tk.cuda.current_stream()",
    "tk.cuda.default_stream()",
    "tk.cuda.set_stream(None)",
    "tk.cuda.stream(None).__enter__()",
    "tk.cuda.get_stream_from_external(0)",
    "tk.cuda.set_sync_debug_mode(1)",
    "tk.cuda.get_sync_debug_mode()",
    "tk.cuda.can_device_access_peer(0, 1)",
    "tk.cuda.get_arch_list()",
    "tk.cuda.get_gencode_flags()",
    "tk.cuda.init()",
    "tk.cuda.is_initialized()",
    "tk.cuda.ipc_collect()",
    "tk.cuda.device_of(tk.ones(1)).__enter__()",
    "tk.accelerator.memory_reserved()",
    "tk.accelerator.memory_stats()",
    "tk.accelerator.get_memory_info()",
    "tk.accelerator.empty_cache()",
    "tk.accelerator.reset_peak_memory_stats()",
    "tk.accelerator.current_stream()",
    "tk.ones(2).pin_memory()",
    "tk.ones(2, pin_memory=True)",
    "tk.ones(2).is_pinned()",
    "tk.ones(2).untyped_storage().pin_memory()",
    "tk.ones(2).__cuda_array_interface__",
)


@pytest.mark.parity
@pytest.mark.parametrize("question", WITHOUT)
def test_without_any_device_as_pytorchs_cpu_build(question: str) -> None:
    torch = require_torch()
    if torch.cuda.is_available() or tk.cuda.is_available():
        pytest.skip("this machine has a GPU")
    assert disagreement(torch, tk, question) is None


def test_without_any_device_the_way_out_is_named() -> None:
    if tk.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(AssertionError, match=r"tk\.cuda\.emulate\(\)"):
        tk.zeros(2, device="cuda")


def test_tensorkit_imports_no_compiler() -> None:
    code = "import sys, tensorkit; print({'numba', 'llvmlite', 'numba_cuda'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@needs_emulation
def test_launches_and_copies_are_traced() -> None:
    a = tk.arange(6.0).view(2, 3).cuda()
    with tk.tracing.record() as events:
        (a + a.t().contiguous().t()).cpu()
    launches = [event for event in events if isinstance(event, tk.tracing.LaunchEvent)]
    assert [event.runner for event in launches] == ["emulated"] * 2
    assert launches[-1].device == "cuda:0"
    assert any(isinstance(event, tk.tracing.CopyEvent) and event.target == "cpu" for event in events)


@needs_emulation
def test_the_accelerator_is_cuda() -> None:
    accelerator = tk.accelerator
    assert accelerator.is_available()
    assert accelerator.current_accelerator() == tk.device("cuda")
    assert accelerator.device_count() == tk.cuda.device_count() > 1
    before = accelerator.memory_allocated(1)
    held = tk.ones(10, device="cuda:1")
    assert accelerator.memory_allocated("cuda:1") == before + 512 <= accelerator.max_memory_allocated(1)
    assert held.device.index == 1
    with accelerator.device_index(1):
        assert accelerator.current_device_index() == tk.cuda.current_device() == 1
        with accelerator.device_index(None):
            assert accelerator.current_device_index() == 1
    assert accelerator.current_device_index() == 0
    accelerator.set_device_index("cuda:1")
    assert tk.ones(1, device="cuda").device.index == 1
    accelerator.set_device_index(-1)
    assert accelerator.current_device_index() == 1
    accelerator.set_device_index(0)
    accelerator.synchronize()
    accelerator.synchronize("cuda:1")


@needs_emulation
def test_the_accelerators_memory_and_streams_are_cudas() -> None:
    accelerator = tk.accelerator
    held = tk.ones(10, device="cuda:1")
    for name in ("memory_reserved", "max_memory_reserved", "memory_stats"):
        assert getattr(accelerator, name)("cuda:1") == getattr(tk.cuda, name)(1)
    assert accelerator.get_memory_info(1) == tk.cuda.mem_get_info(1)
    del held
    accelerator.reset_peak_memory_stats(1)
    accelerator.reset_accumulated_memory_stats(1)
    assert accelerator.max_memory_allocated(1) == 0 == accelerator.memory_stats(1)["allocation.all.freed"]
    accelerator.empty_cache()
    assert accelerator.memory_reserved(1) == 0
    stream = tk.cuda.Stream(1)
    accelerator.set_stream(stream)
    assert accelerator.current_stream() == stream == accelerator.current_stream("cuda:1")
    accelerator.set_stream(tk.cuda.default_stream(0))


@needs_emulation
def test_what_is_no_accelerator_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^cpu doesn't match the current accelerator cuda\.$"):
        tk.accelerator.set_device_index("cpu")
    with pytest.raises(ValueError, match="with a specified index or an integer"):
        tk.accelerator.set_device_index("cuda")
    with pytest.raises(RuntimeError, match="invalid device ordinal"), tk.accelerator.device_index(99):
        pass
    assert tk.accelerator.current_device_index() == 0
