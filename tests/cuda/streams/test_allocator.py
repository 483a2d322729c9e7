"""The caching allocator: PyTorch's sizes, splits, merges and counts."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.errors import OutOfMemoryError
from tensorkit.kernels import cuda
from tensorkit.kernels.cuda.memory.allocator import MIB, Allocator, Block


@pytest.fixture
def emulation() -> Iterator[Any]:
    with cuda.emulate(devices=2) as emulated:
        yield emulated


def held(nbytes: int, index: int = 0) -> tk.Tensor:
    return tk.empty(nbytes, dtype=tk.uint8, device=f"cuda:{index}")


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize(
    ("nbytes", "allocated", "reserved", "pool"),
    [
        (1, 512, 2 * MIB, "small"),
        (513, 1024, 2 * MIB, "small"),
        (MIB, MIB, 2 * MIB, "small"),
        (MIB + 1, MIB + 512, 20 * MIB, "large"),
        (10 * MIB - 512, 10 * MIB - 512, 20 * MIB, "large"),
        (10 * MIB, 10 * MIB, 10 * MIB, "large"),
        (11 * MIB, 12 * MIB, 12 * MIB, "large"),  # 1 MiB more is not worth cutting off
        (31 * MIB + 1, 32 * MIB, 32 * MIB, "large"),
    ],
)
def test_what_a_request_takes(nbytes: int, allocated: int, reserved: int, pool: str) -> None:
    t = held(nbytes)
    assert (tk.cuda.memory_allocated(), tk.cuda.memory_reserved()) == (allocated, reserved)
    stats = tk.cuda.memory_stats()
    assert stats[f"reserved_bytes.{pool}_pool.current"] == reserved
    assert stats["requested_bytes.all.current"] == nbytes
    assert stats["segment.all.current"] == 1
    split = reserved - allocated
    assert stats["inactive_split_bytes.all.current"] == split
    assert stats["inactive_split.all.current"] == (split > 0)
    del t
    stats = tk.cuda.memory_stats()
    for name in (
        "allocation",
        "active",
        "inactive_split",
        "allocated_bytes",
        "active_bytes",
        "requested_bytes",
    ):
        assert stats[f"{name}.all.current"] == 0
        assert stats[f"{name}.all.allocated"] == stats[f"{name}.all.freed"]
    assert tk.cuda.memory_reserved() == tk.cuda.max_memory_reserved() == reserved
    tk.cuda.empty_cache()
    assert tk.cuda.memory_reserved() == 0


@pytest.mark.usefixtures("emulation")
def test_the_smallest_block_that_fits_is_taken() -> None:
    blocks = [held(size) for size in (4096, 512, 1024, 512, 2048, 512)]
    addresses = [block.data_ptr() for block in blocks]
    assert [b - a for a, b in itertools.pairwise(addresses)] == [4096, 512, 1024, 512, 2048]
    for k in (4, 2, 0):
        del blocks[k]
    assert held(1000).data_ptr() == addresses[2]
    assert held(1100).data_ptr() == addresses[4]
    assert held(2049).data_ptr() == addresses[0]


@pytest.mark.usefixtures("emulation")
def test_free_neighbours_merge() -> None:
    blocks = [held(512) for _ in range(4)]
    start = blocks[0].data_ptr()
    del blocks[1], blocks[1]  # the second and third
    assert held(1024).data_ptr() == start + 512
    (segment,) = tk.cuda.memory_snapshot()
    assert [block["size"] for block in segment["blocks"]] == [512, 1024, 512, 2 * MIB - 2048]


@pytest.mark.usefixtures("emulation")
def test_an_address_is_a_multiple_of_512_and_inside_its_segment() -> None:
    tensors = [held(n) for n in (1, 700, MIB, 3 * MIB, 40 * MIB)]
    assert [t.data_ptr() % 512 for t in tensors] == [0] * 5
    segments = tk.cuda.memory_snapshot()
    for t in tensors:
        assert any(
            s["address"] <= t.data_ptr() <= s["address"] + s["total_size"] - t.nbytes for s in segments
        )


@pytest.mark.usefixtures("emulation")
def test_peaks_and_totals_can_begin_anew() -> None:
    t = held(1024)
    del t
    assert (tk.cuda.max_memory_allocated(), tk.cuda.memory_allocated()) == (1024, 0)
    tk.cuda.reset_peak_memory_stats()
    assert tk.cuda.max_memory_allocated() == 0
    tk.cuda.reset_accumulated_memory_stats()
    assert tk.cuda.memory_stats()["allocated_bytes.all.allocated"] == 0
    with pytest.warns(FutureWarning, match="reset_max_memory_allocated now calls tensorkit"):
        tk.cuda.reset_max_memory_allocated()
    with pytest.warns(FutureWarning, match="`tensorkit.cuda.memory_cached` has been renamed to"):
        assert tk.cuda.memory_cached() == tk.cuda.memory_reserved() == 2 * MIB


@pytest.mark.usefixtures("emulation")
def test_each_device_and_stream_has_its_own() -> None:
    a = held(512, 1)
    assert (tk.cuda.memory_allocated(0), tk.cuda.memory_allocated("cuda:1")) == (0, 512)
    with tk.cuda.stream(tk.cuda.Stream(1)):
        b = held(512, 1)
    assert b.device == a.device
    assert tk.cuda.memory_reserved(1) == 4 * MIB
    assert {s["stream"] for s in tk.cuda.memory_snapshot()} == {0, tk.cuda.memory_snapshot()[1]["stream"]}


def test_what_is_free_goes_back_before_the_device_is_full() -> None:
    with cuda.emulate(devices=1, capacity=64 * MIB):
        t = held(40 * MIB)
        assert tk.cuda.mem_get_info() == (24 * MIB, 64 * MIB)
        del t
        u = held(60 * MIB)  # does not fit beside the free 40
        assert tk.cuda.memory_stats()["num_alloc_retries"] == 1
        with pytest.raises(OutOfMemoryError) as caught:
            held(20 * MIB)
        assert str(caught.value) == (
            "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 64.00 MiB of which "
            "4.00 MiB is free. Of the allocated memory 60.00 MiB is allocated by tensorkit, and 0 bytes is "
            "reserved by tensorkit but unallocated."
        )
        assert tk.cuda.memory_stats()["num_ooms"] == 1
        assert u.nbytes == 60 * MIB


def test_a_part_of_the_device_may_be_all_that_is_allowed() -> None:
    with cuda.emulate(devices=1, capacity=64 * MIB):
        tk.cuda.set_per_process_memory_fraction(0.5)
        assert tk.cuda.get_per_process_memory_fraction() == 0.5
        t = held(30 * MIB)
        with pytest.raises(
            OutOfMemoryError, match=r"34\.00 MiB is free\. 32\.00 MiB allowed; Of the allocated"
        ):
            held(10 * MIB)
        assert t.nbytes == 30 * MIB
        for wrong, error in ((1, TypeError), (1.5, ValueError), (-0.1, ValueError)):
            with pytest.raises(error):
                tk.cuda.set_per_process_memory_fraction(wrong)


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("abbreviated", [False, True])
def test_the_summary_can_be_read(abbreviated: bool) -> None:
    t = held(3000)
    text = tk.cuda.memory_summary(abbreviated=abbreviated)
    assert t.nbytes == 3000
    assert "| Allocated memory      |   3.00 KiB |   3.00 KiB |   3.00 KiB |    0 bytes |" in text
    assert ("from small pool" in text) is not abbreviated
    assert {len(line) for line in text.splitlines()} == {len(text.splitlines()[0])}


def test_a_long_random_life_leaves_no_block_twice_and_none_lost() -> None:
    class Endless:
        """A device that always has room."""

        at = 512

        def reserve(self, nbytes: int) -> tuple[int, Any]:
            Endless.at += nbytes + 512
            return Endless.at - nbytes - 512, None

        def give_back(self, segment: Any) -> None: ...

        def finish(self) -> None: ...

        def memory(self) -> tuple[int, int]:
            return 0, 0

    allocator, drawn = Allocator(0, 2**60, Endless()), random.Random(0)
    live: list[Block] = []
    for _ in range(3000):
        if live and drawn.random() < 0.5:
            allocator.give_back(live.pop(drawn.randrange(len(live))))
        else:
            size = drawn.choice((1, 600, 5000, 300_000, 2 * MIB, 9 * MIB, 13 * MIB))
            live.append(allocator.take(size, drawn.choice("ab")))
        spans = sorted((block.address, block.size) for block in live)
        assert all(a + n <= b for (a, n), (b, _) in itertools.pairwise(spans))
    assert allocator.allocated == sum(block.size for block in live)
    for segment in allocator.snapshot():
        assert sum(block["size"] for block in segment["blocks"]) == segment["total_size"]
        states = [block["state"] for block in segment["blocks"]]
        assert ("inactive", "inactive") not in itertools.pairwise(states)
    inactive = sum(
        block["size"]
        for segment in allocator.snapshot()
        for block in segment["blocks"]
        if block["state"] == "inactive" and len(segment["blocks"]) > 1
    )
    assert allocator.statistics()["inactive_split_bytes"]["all"]["current"] == inactive
    for block in live:
        allocator.give_back(block)
    allocator.release()
    assert allocator.reserved == allocator.allocated == 0
    assert allocator.statistics()["inactive_split"]["all"]["current"] == 0


def test_a_full_device_waits_for_work_that_holds_on_to_memory() -> None:
    with cuda.emulate(devices=1, capacity=64 * MIB):
        side, t = tk.cuda.Stream(), held(40 * MIB)
        small = held(512)
        with tk.cuda.stream(side):
            small.copy_(t[:512])  # the other stream keeps `t` until this is done
        del t
        assert held(50 * MIB).nbytes == 50 * MIB
