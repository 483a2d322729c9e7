"""Emulated devices have memories of their own: nothing gets in or out but by a counted copy."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy
import pytest

from tensorkit.errors import OutOfMemoryError
from tensorkit.kernels import cuda
from tensorkit.kernels.cuda.emulator import from_environment
from tensorkit.kernels.cuda.memory import EmulatedMemory, Traffic
from tests.support.garbage import collect


def some_bytes(count: int) -> numpy.ndarray[Any, numpy.dtype[numpy.uint8]]:
    return numpy.arange(count, dtype=numpy.uint8)


def test_bytes_come_out_as_a_copy(memory: EmulatedMemory) -> None:
    buffer = memory.allocate(8, 0)
    sent = some_bytes(8)
    memory.from_host(buffer, 0, sent)
    sent[:] = 99
    got = memory.to_host(buffer, 2, 5)
    assert got.tolist() == [2, 3, 4]
    got[:] = 77
    assert memory.to_host(buffer, 2, 5).tolist() == [2, 3, 4]


@pytest.mark.parametrize("look", [memoryview, bytes, len, iter], ids=lambda look: look.__name__)
def test_host_code_cannot_look_inside_a_buffer(memory: EmulatedMemory, look: Any) -> None:
    with pytest.raises(TypeError):
        look(memory.allocate(4, 0))


def test_a_buffer_is_no_array(memory: EmulatedMemory) -> None:
    buffer = memory.allocate(4, 1)
    assert numpy.asarray(buffer).dtype == object
    assert repr(buffer) == "<4 bytes on the emulated device cuda:1>"


def test_every_byte_that_crosses_is_counted(memory: EmulatedMemory) -> None:
    a, b = memory.allocate(8, 0), memory.allocate(8, 1)
    memory.from_host(a, 0, some_bytes(6))
    memory.copy(b, 1, a, 2, 4)
    assert memory.to_host(b, 1, 5).tolist() == [2, 3, 4, 5]
    assert memory.traffic == Traffic(h2d=6, d2h=4, d2d=4)


def test_addresses_differ_and_an_empty_buffer_has_none(memory: EmulatedMemory) -> None:
    buffers = [memory.allocate(16, k % 2) for k in range(4)]
    assert len({memory.pointer(buffer) for buffer in buffers}) == 4
    assert memory.pointer(memory.allocate(0, 0)) == 0


def test_resizing_keeps_what_fits(memory: EmulatedMemory) -> None:
    buffer = memory.allocate(4, 1)
    memory.from_host(buffer, 0, some_bytes(4))
    longer = memory.resize(buffer, 600)
    assert longer.index == 1
    assert memory.to_host(longer, 0, 4).tolist() == [0, 1, 2, 3]
    assert memory.to_host(memory.resize(longer, 2), 0, 2).tolist() == [0, 1]


def test_memory_is_counted_in_blocks_and_given_back(memory: EmulatedMemory) -> None:
    buffers = [memory.allocate(size, 1) for size in (1, 512, 513, 0)]
    assert [ledger.allocated for ledger in memory.devices] == [0, 512 * 4]
    buffers.clear()
    collect()
    assert [ledger.allocated for ledger in memory.devices] == [0, 0]
    assert memory.devices[1].peak == 512 * 4


def test_a_full_device_says_so_in_pytorchs_words() -> None:
    with cuda.emulate(devices=2, capacity=4 * 2**20) as emulation:
        kept = emulation.memory.allocate(3 * 2**20, 1)
        with pytest.raises(OutOfMemoryError) as caught:
            emulation.memory.allocate(2 * 2**20, 1)
        assert str(caught.value) == (
            "CUDA out of memory. Tried to allocate 2.00 MiB. GPU 1 has a total capacity of 4.00 MiB of which "
            "1.00 MiB is free. Of the allocated memory 3.00 MiB is allocated by tensorkit, and 0 bytes is reserved "
            "by tensorkit but unallocated."
        )
        assert kept.nbytes == 3 * 2**20
        assert emulation.memory.allocate(2 * 2**20, 0).index == 0
        assert emulation.memory.devices[1].allocated == 3 * 2**20


def test_emulation_is_off_unless_asked_for_and_nests() -> None:
    assert cuda.emulated_devices() is None
    with cuda.emulate(devices=3):
        assert cuda.device_count() == 3
        with cuda.emulate(devices=1):
            assert cuda.device_count() == 1
        assert cuda.device_count() == 3
        assert cuda.active_runner() is not None
    assert cuda.emulated_devices() is None


def test_a_buffer_outlives_its_emulation() -> None:
    with cuda.emulate() as emulation:
        buffer = emulation.memory.allocate(2, 0)
        emulation.memory.from_host(buffer, 0, some_bytes(2))
    assert cuda.memory_for(buffer).to_host(buffer, 0, 2).tolist() == [0, 1]


@pytest.mark.parametrize(("devices", "capacity"), [(0, 100), (-1, 100), (2, 0)])
def test_no_device_cannot_be_emulated(devices: int, capacity: int) -> None:
    with pytest.raises(ValueError, match="at least one device and some memory"):
        cuda.emulate(devices, capacity=capacity)


@pytest.mark.parametrize("text", ["yes", "emulated:", "emulated:0", "emulated:two", "emulated:-1"])
def test_a_misspelt_environment_is_refused(text: str) -> None:
    if text == "emulated:":
        with cuda.emulate(1):  # a colon without a number means the usual two
            from_environment(text)
            assert cuda.device_count() == 2
        return
    with pytest.raises(ValueError, match="say 'emulated', or 'emulated:4'"):
        from_environment(text)


def fresh_python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=True,
    )
    return done.stdout.strip()


def test_the_environment_switches_emulation_on() -> None:
    code = "import tensorkit.kernels.cuda as cuda; print(cuda.device_count())"
    assert fresh_python(code, TENSORKIT_CUDA="emulated:5") == "5"


def test_importing_the_kernels_imports_no_compiler() -> None:
    code = "import sys, tensorkit.kernels.cuda; print({'numba', 'llvmlite', 'cuda'} & set(sys.modules))"
    assert fresh_python(code) == "set()"
