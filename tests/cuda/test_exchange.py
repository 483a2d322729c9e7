"""Tensors of devices between programs and libraries: DLPack, CUDA's array interface, pickles; and between devices."""

from __future__ import annotations

import copy
import ctypes
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.ops.tensor import device_exchange
from tests.support.garbage import collect


@pytest.fixture(autouse=True)
def emulation() -> Iterator[Any]:
    with tk.cuda.emulate(2) as emulated:
        yield emulated


KINDS = [tk.bool, tk.uint8, tk.int8, tk.int64, tk.float16, tk.bfloat16, tk.float32, tk.float64, tk.complex64]


# -- DLPack -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_dlpack_hands_over_the_memory_itself(kind: Any) -> None:
    t = tk.arange(6).to(kind).view(2, 3).cuda(1).t()[1:]
    got = tk.from_dlpack(t)
    assert (got.dtype, got.shape, got.stride()) == (t.dtype, t.shape, t.stride())
    assert (got.data_ptr(), got.device) == (t.data_ptr(), tk.device("cuda:1"))
    got.fill_(1)
    assert t.tolist() == tk.ones(2, 2, dtype=kind).tolist()
    assert tk.from_dlpack(t, copy=True).data_ptr() != t.data_ptr()
    assert tk.from_dlpack(t, device="cpu").tolist() == t.tolist()


def test_dlpack_keeps_the_memory_as_long_as_it_is_needed() -> None:
    t = tk.ones(1000, device="cuda")
    capsule = t.__dlpack__()
    del t
    got = tk.from_dlpack(capsule)
    with pytest.raises(RuntimeError, match="consumed only once"):
        tk.from_dlpack(capsule)
    view = got[5:]
    del got, capsule
    collect()
    assert tk.cuda.memory_allocated() == 4096
    assert view.sum().item() == 995
    del view
    collect()
    assert tk.cuda.memory_allocated() == 0
    assert device_exchange._lent == {}


def test_a_capsule_that_nobody_takes_gives_the_memory_back() -> None:
    capsule = tk.ones(1000, device="cuda").__dlpack__()
    assert (tk.cuda.memory_allocated(), len(device_exchange._lent)) == (4096, 1)
    del capsule
    collect()
    assert (tk.cuda.memory_allocated(), device_exchange._lent) == (0, {})


def test_dlpack_of_nothing_and_of_one_number() -> None:
    assert tk.from_dlpack(tk.zeros(0, 3, device="cuda")).shape == (0, 3)
    assert tk.from_dlpack(tk.tensor(7, device="cuda")).item() == 7


def test_lent_memory_may_not_be_moved() -> None:
    t = tk.ones(2, device="cuda")
    got = tk.from_dlpack(t)
    for storage in (t.untyped_storage(), got.untyped_storage()):
        with pytest.raises(RuntimeError, match="not resizable"):
            storage.resize_(100)


def test_the_consumers_stream_waits_for_ours(emulation: Any) -> None:
    ours, theirs = tk.cuda.Stream(), tk.cuda.Stream()
    t = tk.ones(3, device="cuda")
    with emulation.hold(ours):
        with tk.cuda.stream(ours):
            t.add_(1)
            with tk.cuda.stream(theirs):
                pass
            capsule = t.__dlpack__(stream=theirs.cuda_stream)
            loose = t.__dlpack__(stream=-1)
        with tk.cuda.stream(theirs):
            got = tk.from_dlpack(capsule) * 10
        assert not theirs.query()
    theirs.synchronize()
    assert got.tolist() == [20, 20, 20]
    del loose
    with pytest.raises(BufferError, match="ambiguous"):
        t.__dlpack__(stream=0)


def test_who_may_not_be_handed_over() -> None:
    t = tk.ones(2, device="cuda")
    with pytest.raises(BufferError, match="another device"):
        t.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError, match="require gradient"):
        t.requires_grad_().__dlpack__()
    assert t.__dlpack_device__() == (2, 0)


def test_the_structure_is_dlpacks() -> None:
    """Read as a C program would, offset by offset."""
    t = tk.zeros(2, 3, dtype=tk.float16, device="cuda:1").t()
    capsule = t.__dlpack__()
    start = device_exchange._python.PyCapsule_GetPointer(capsule, b"dltensor")
    address, kind, index, dims = (
        cell.from_address(start + at).value
        for cell, at in (
            (ctypes.c_uint64, 0),
            (ctypes.c_int32, 8),
            (ctypes.c_int32, 12),
            (ctypes.c_int32, 16),
        )
    )
    assert (address, kind, index, dims) == (t.data_ptr(), 2, 1, 2)
    assert [ctypes.c_uint8.from_address(start + at).value for at in (20, 21)] == [2, 16]
    assert ctypes.c_uint16.from_address(start + 22).value == 1
    shape, strides = (ctypes.c_uint64.from_address(start + at).value for at in (24, 32))
    assert list((ctypes.c_int64 * 2).from_address(shape)) == [3, 2]
    assert list((ctypes.c_int64 * 2).from_address(strides)) == [1, 3]


# -- CUDA's array interface --------------------------------------------------------------------------------


def test_the_array_interface_says_where_and_how(emulation: Any) -> None:
    t = tk.zeros(2, 3, dtype=tk.int16, device="cuda").t()
    assert t.__cuda_array_interface__ == {
        "typestr": "<i2",
        "shape": (3, 2),
        "strides": (2, 6),
        "data": (t.data_ptr(), False),
        "stream": 1,
        "version": 3,
    }
    assert t.t().__cuda_array_interface__["strides"] is None
    with tk.cuda.stream(tk.cuda.Stream()) as _:
        assert t.__cuda_array_interface__["stream"] == tk.cuda.current_stream().cuda_stream
    with pytest.raises(RuntimeError, match="requires grad"):
        tk.zeros(2, device="cuda", requires_grad=True).__cuda_array_interface__  # noqa: B018
    assert not hasattr(tk.zeros(2), "__cuda_array_interface__")


# -- pickles and copies ------------------------------------------------------------------------------------


def test_a_pickle_comes_back_on_its_device() -> None:
    t = tk.arange(6.0).view(2, 3).cuda(1).t()
    for got in (pickle.loads(pickle.dumps(t)), copy.deepcopy(t)):
        assert (got.device, got.stride()) == (t.device, t.stride())
        assert got.tolist() == t.tolist()
        assert got.data_ptr() != t.data_ptr()


# -- several devices ---------------------------------------------------------------------------------------


def test_copies_cross_devices_and_nothing_else_does() -> None:
    a, b = tk.arange(4.0, device="cuda:0"), tk.zeros(4, device="cuda:1")
    b.copy_(a)
    assert b.tolist() == a.tolist()
    assert a.to("cuda:1").device == b.device
    assert b.view(2, 2).t().to("cuda:0").tolist() == b.view(2, 2).t().tolist()
    sentence = (
        "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!"
    )
    for work in (
        lambda: a + b,
        lambda: a.add_(b),
        lambda: tk.where(a > 0, a, b),
        lambda: tk.mul(a, a, out=b),
        lambda: a < b,
    ):
        with pytest.raises(RuntimeError) as caught:
            work()
        assert str(caught.value).startswith(sentence)


def test_peers() -> None:
    assert tk.cuda.can_device_access_peer(0, 1)
    assert not tk.cuda.can_device_access_peer("cuda:1", 1)
    with pytest.raises(AssertionError, match="Invalid device id"):
        tk.cuda.can_device_access_peer(2, 0)
    with pytest.raises(AssertionError, match="Invalid peer device id"):
        tk.cuda.can_device_access_peer(0, 2)


def test_what_a_script_asks_before_it_begins() -> None:
    tk.cuda.init()
    tk.cuda.ipc_collect()
    assert tk.cuda.is_initialized()
    assert tk.cuda.get_arch_list() == ["sm_75", "sm_80", "sm_90"]
    assert tk.cuda.get_gencode_flags().startswith("-gencode compute=compute_75,code=sm_75")
