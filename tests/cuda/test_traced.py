"""The runner that takes notes: who touched what, in which order, and in which phase."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy
import pytest
from hypothesis import given, settings

import tensorkit as tk
from tensorkit import dtypes
from tensorkit.kernels import cuda as kernels
from tensorkit.kernels.cuda import TracedRunner
from tensorkit.kernels.cuda.traced import Access, play
from tests.cuda.layouts import Laid, laid, sizes

cuda: Any = None  # what a traced body is handed


def add(a: Any, b: Any) -> Any:
    return a + b


def operand(values: int) -> Laid:
    base = numpy.arange(values, dtype=numpy.float32)
    return Laid(base, base, dtypes.float32)


def traced_add(size: tuple[int, ...], out: Laid, a: Laid, b: Laid) -> list[Access]:
    with kernels.emulate(devices=1) as emulation, kernels.using(TracedRunner(3, 4)) as runner:
        memory = emulation.memory
        kernels.launch_zip(add, out.operand(memory), (a.operand(memory), b.operand(memory)), size)
    assert isinstance(runner, TracedRunner)
    return [access for launch in runner.launches for access in launch.accesses]


@settings(deadline=None, max_examples=50)
@given(
    sizes().flatmap(
        lambda size: laid(size, dtypes.float32, broadcast=False).flatmap(
            lambda out: laid(size, dtypes.float32).map(lambda a: (size, out, a))
        )
    )
)
def test_every_slot_of_the_output_is_written_once(case: tuple[tuple[int, ...], Laid, Laid]) -> None:
    size, out, a = case
    accesses = traced_add(size, out, a, a)
    written = Counter(access.slot for access in accesses if access.kind == "write")
    first = out.view.__array_interface__["data"][0] - out.base.__array_interface__["data"][0]
    indices = numpy.indices(size)
    places = first + sum(
        (indices[d] * step for d, step in enumerate(out.view.strides)), numpy.zeros(size, int)
    )
    assert written == Counter(int(place) // 4 for place in places.ravel())


def test_a_grid_stride_loop_deals_elements_to_threads_in_turn() -> None:
    size = (31,)
    writes = [a for a in traced_add(size, operand(31), operand(31), operand(31)) if a.kind == "write"]
    assert {a.slot: a.block * 4 + a.thread for a in writes} == {slot: slot % 12 for slot in range(31)}
    assert {a.array for a in writes} == {"out"}


def test_notes_are_frozen() -> None:
    (note, *_) = traced_add((2,), operand(2), operand(2), operand(2))
    with pytest.raises(AttributeError):
        note.slot = 3  # type: ignore[misc]


def reverse(n: int, values: Any) -> None:
    """Each block turns its part round through memory that its threads share."""
    shared = cuda.shared.array(4, "float32")
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < n:
        shared[cuda.threadIdx.x] = values[i]
    cuda.syncthreads()
    if i < n:
        values[i] = shared[cuda.blockDim.x - 1 - cuda.threadIdx.x]


def test_a_barrier_divides_the_threads_of_a_block_into_phases() -> None:
    values = numpy.arange(12, dtype=numpy.float32)
    traced = play(reverse, {}, (12, values), blocks=3, threads=4)
    assert values.tolist() == [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8]
    first_block = [a for a in traced.accesses if a.block == 0]
    assert [a.phase for a in first_block] == sorted(a.phase for a in first_block)
    assert {(a.kind, a.array, a.phase) for a in first_block} == {
        ("read", "values", 0),
        ("write", "shared", 0),
        ("read", "shared", 1),
        ("write", "values", 1),
    }
    assert {a.phase for a in traced.accesses if a.block == 2} == {0, 1}
    again = play(reverse, {}, (12, values), blocks=3, threads=4)
    assert again.accesses == traced.accesses


def uneven(n: int, values: Any) -> None:
    """Thread 0 passes one barrier more than the others: they have returned by then."""
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.syncthreads()
        values[0] = n


def test_a_thread_that_returned_does_not_hold_up_the_rest() -> None:
    values = numpy.zeros(1)
    play(uneven, {}, (5, values), blocks=1, threads=3)
    assert values[0] == 5


def stray(n: int, values: Any) -> None:
    values[n] = 1


def stray_after_a_barrier(n: int, values: Any) -> None:
    cuda.syncthreads()
    values[n] = 1


@pytest.mark.parametrize("body", [stray, stray_after_a_barrier])
@pytest.mark.parametrize("slot", [-1, 3])
def test_a_stray_thread_is_caught(body: Any, slot: int) -> None:
    with pytest.raises(RuntimeError, match=f"to write slot {slot} of values, which has 3"):
        play(body, {}, (slot, numpy.zeros(3)), blocks=1, threads=2)


def test_a_kernel_that_always_raises_stops_with_its_own_error() -> None:
    def kernel(x: Any) -> None:
        raise ValueError("not yet written")

    with pytest.raises(ValueError, match="not yet written"):
        tk.cuda.trace(kernel, 1, 4, numpy.zeros(4))
