"""A block that is taken again at once goes the short way: the numbers must be those of the whole way."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorkit.kernels.cuda.memory import EmulatedMemory
from tensorkit.kernels.cuda.memory.allocator import Allocator

SIZES = (1, 500, 513, 4096, 2**19, 2**20, 2**20 + 1, 5 * 2**20, 11 * 2**20)
#: (what to do, which): take a size, give the n-th tensor back, give one back and take the same size again n times.
STEPS = st.lists(
    st.tuples(st.sampled_from(("take", "give", "again", "look")), st.integers(0, 30)), max_size=40
)


def played(steps: list[tuple[str, int]]) -> list[Any]:
    memory = EmulatedMemory(devices=1, capacity=2**28)
    device, held, seen = memory.devices[0], [], []
    for what, number in steps:
        if what == "take":
            held.append(memory.allocate(SIZES[number % len(SIZES)], 0))
        elif what == "give" and held:
            del held[number % len(held)]
        elif what == "again" and held:
            nbytes = held.pop(number % len(held)).nbytes
            for _ in range(number % 4):
                memory.allocate(nbytes, 0)
            held.append(memory.allocate(nbytes, 0))
        elif what == "look":
            seen.append(told(device))
        start = device.snapshot()[0]["address"] if number % 7 == 0 and device.snapshot() else 0
        seen.append([buffer.address - start for buffer in held] if start else len(held))
    return [*seen, told(device)]


def told(device: Allocator) -> Any:
    segments = device.snapshot()
    places = [[(b["address"] - s["address"], b["size"], b["state"]) for b in s["blocks"]] for s in segments]
    # Of two segments with as much room, the one at the lower address is taken: which that is, the system decides.
    return device.statistics(), sorted(places)


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_statistics_and_places_are_those_of_the_whole_way(steps: list[tuple[str, int]]) -> None:
    short = played(steps)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Allocator, "_comes_next", lambda *_: False)
        assert played(steps)[-1] == short[-1]


def test_a_loop_takes_the_same_block_again() -> None:
    memory = EmulatedMemory(devices=1, capacity=2**28)
    kept = memory.allocate(64, 0)
    addresses = {memory.allocate(64, 0).address for _ in range(10)}
    assert len(addresses) == 1
    assert memory.devices[0]._cycles, "it did not go the short way"
    count = memory.devices[0].statistics()["allocation"]["all"]
    assert (count["allocated"], count["freed"], count["current"]) == (11, 10, 1)
    assert not memory.devices[0]._cycles
    assert kept.nbytes == 64
