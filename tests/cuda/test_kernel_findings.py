"""What is found in a kernel: each is named with thread, block, line and slot, and what is right is left alone."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorkit as tk
from tensorkit.kernels.cuda.traced import KernelTrace, notes
from tests.cuda import learners
from tests.cuda.learners import cuda, line_of


def floats(count: int) -> Any:
    return numpy.arange(count, dtype=numpy.float32)


def test_what_is_right_has_no_findings_that_are_grave() -> None:
    a, b, c = floats(42).reshape(7, 6), floats(48).reshape(6, 8), numpy.zeros((7, 8), numpy.float32)
    assert not [f for f in tk.cuda.trace(learners.matmul_tiled, (2, 2), (4, 4), a, b, c).findings if f.grave]
    bins = numpy.zeros(4, numpy.int32)
    assert tk.cuda.trace(learners.histogram, 3, 8, numpy.arange(23) % 4, bins).findings == ()
    out = numpy.zeros(1)
    assert tk.cuda.trace(learners.total_by_warps, 2, 64, numpy.arange(100.0), out).findings == ()


# ---- out of bounds


def test_an_access_out_of_bounds_is_named_and_nothing_is_written() -> None:
    base = numpy.zeros(10, numpy.float32)
    trace = tk.cuda.trace(learners.no_guard, 2, 4, floats(8), base[:6])
    (found,) = trace.out_of_bounds
    line = line_of(learners.no_guard, "out[i] =")
    assert (found.line, found.array, found.slot, found.times) == (line, "out", 6, 2)
    assert (found.block, found.thread, found.others) == ((1, 0, 0), (2, 0, 0), (3,))
    assert found.text == (
        f"Out of bounds: thread 2 of block 1 asked to write out[6] in line {line}; out has size 6, "
        "so nothing is written (likewise thread 3)."
    )
    assert base.tolist() == [1, 2, 3, 4, 5, 6, 0, 0, 0, 0]


def test_what_is_read_out_of_bounds_is_no_number() -> None:
    out = numpy.zeros(4, numpy.float32)
    trace = tk.cuda.trace(learners.no_guard, 1, 4, floats(3), out)
    assert "nothing is read" in trace.out_of_bounds[0].text
    assert str(out.tolist()) == "[1.0, 2.0, 3.0, nan]"


def test_each_dimension_has_its_own_bounds() -> None:
    def kernel(a: Any) -> None:
        a[0, 3] = 9

    a = numpy.zeros((2, 3))
    (found,) = tk.cuda.trace(kernel, 1, 1, a).out_of_bounds
    assert "asked to write a[0, 3]" in found.text
    assert "size 2 x 3" in found.text
    assert not a.any()


def test_a_launch_stops_at_an_access_out_of_bounds() -> None:
    out = numpy.zeros(6, numpy.float32)
    line = line_of(learners.no_guard, "out[i] =")
    with (
        tk.cuda.emulate(),
        pytest.raises(
            RuntimeError, match=rf"illegal memory access .*\nthread 2 of block 1 .* out\[6\] in line {line};"
        ),
    ):
        tk.cuda.launch(learners.no_guard, 2, 4, floats(8), out)


def test_a_negative_index_counts_from_the_end_and_is_named() -> None:
    out = numpy.zeros(3, numpy.float32)
    (found,) = tk.cuda.trace(learners.neighbour, 1, 3, floats(3), out).findings
    assert out.tolist() == [2, 0, 1]
    assert (found.kind, found.times) == ("negative index", 1)
    assert "thread 0 of block 0 asked for x[-1]" in found.text
    assert found.text.endswith("counts from the end: it is x[2].")


# ---- barriers


def test_threads_at_two_barriers_are_named() -> None:
    x = numpy.zeros(4)
    trace = tk.cuda.trace(learners.two_barriers, 1, 4, x)
    (found,) = trace.divergent_barriers
    lines, first = trace.source, trace.first_line
    one, two = (first + k for k, line in enumerate(lines) if "syncthreads" in line)
    assert found.text == (
        f"Divergent barrier: in block 0, threads 0 and 1 wait at the barrier in line {one}, while threads 2 and 3 wait "
        f"at the barrier in line {two}: all threads of a block have to reach the same barrier. "
        "They would wait for ever, so the block ends here."
    )
    with (
        tk.cuda.emulate(),
        pytest.raises(RuntimeError, match=f"threads 2 and 3 wait at the barrier in line {two}"),
    ):
        tk.cuda.launch(learners.two_barriers, 1, 4, x)


def test_the_other_blocks_go_on() -> None:
    trace = tk.cuda.trace(learners.two_barriers, 3, 4, numpy.zeros(4))
    (found,) = trace.divergent_barriers
    assert found.times == 3
    assert "(2 more such blocks)" in found.text


def test_threads_that_have_returned_are_named_and_the_rest_go_on() -> None:
    x = numpy.zeros(3)
    (found,) = tk.cuda.trace(learners.early_return, 1, 5, x).divergent_barriers
    line = line_of(learners.early_return, "syncthreads")
    assert found.text == (
        f"Divergent barrier: in block 0, threads 0 to 2 wait at the barrier in line {line}, while threads 3 and 4 have "
        "returned: all threads of a block have to reach the same barrier."
    )
    assert x.tolist() == [0, 1, 2]
    with tk.cuda.emulate():
        tk.cuda.launch(learners.early_return, 1, 5, x)


def test_lanes_that_wait_for_one_that_does_not_come() -> None:
    (found,) = tk.cuda.trace(learners.missing_lane, 1, 3, numpy.zeros(3)).divergent_barriers
    assert "thread 1 waits at the barrier of their warp" in found.text
    assert "all lanes that are named in the mask" in found.text


# ---- races


def test_updates_that_get_lost_are_a_race_and_really_get_lost() -> None:
    out = numpy.zeros(1)
    (found,) = tk.cuda.trace(learners.lost_updates, 2, 4, numpy.ones(8), out).races
    line = line_of(learners.lost_updates, "+=")
    assert out[0] == 2  # of 8: the threads of a warp read before any of them writes
    assert found.text.startswith(
        f"Race: thread 1 of block 0 reads slot 0 of out in line {line} and thread 0 of block 0"
    )
    assert (found.array, found.slot, found.line) == ("out", 0, line)


def test_blocks_are_in_no_order() -> None:
    def kernel(out: Any) -> None:
        out[0] = 1

    (found,) = tk.cuda.trace(kernel, 2, 1, numpy.zeros(1)).races
    assert "thread 0 of block 1 writes it in line" in found.text
    assert found.text.endswith("and blocks run in any order.")


def test_a_missing_barrier_is_a_race_in_shared_memory() -> None:
    (found,) = tk.cuda.trace(learners.reverse, 1, 8, floats(8)).races
    assert (found.array, found.times) == ("part", 8)
    assert "with no barrier between" in found.text


def test_a_barrier_or_an_atomic_update_is_an_order() -> None:
    def barrier(x: Any) -> None:
        x[cuda.threadIdx.x] = 1
        cuda.syncthreads()
        x[(cuda.threadIdx.x + 1) % 4] = 2

    def warp(x: Any) -> None:
        x[cuda.threadIdx.x] = 1
        cuda.syncwarp()
        x[(cuda.threadIdx.x + 1) % 4] = 2

    def atomic(x: Any) -> None:
        cuda.atomic.add(x, 0, 1)

    def mixed(x: Any) -> None:
        cuda.atomic.add(x, 0, 1)
        x[0] = 3

    x = numpy.zeros(4)
    assert [len(tk.cuda.trace(k, 1, 4, x).races) for k in (barrier, warp, atomic, mixed)] == [0, 0, 0, 1]


def test_two_names_of_one_memory_race() -> None:
    def kernel(a: Any, b: Any) -> None:
        if cuda.threadIdx.x == 0:
            a[1] = 1
        else:
            b[0] = 2

    base = numpy.zeros(4)
    assert len(tk.cuda.trace(kernel, 1, 2, base, base[1:]).races) == 1
    assert tk.cuda.trace(kernel, 1, 2, base, base[2:]).races == ()


def naive_races(trace: KernelTrace) -> set[tuple[str, int]]:
    """By the definition: any two accesses, one of them a write."""
    out = set()
    for a in trace.accesses:
        for b in trace.accesses:
            kinds = {a.kind, b.kind}
            same = (a.array, a.slot) == (b.array, b.slot) and (a.block, a.thread) != (b.block, b.thread)
            if same and kinds not in ({"read"}, {"atomic"}) and (a.block != b.block or a.phase == b.phase):
                out.add((a.array, a.slot))
    return out


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from("rwas"), st.integers(0, 3), st.integers(0, 3)), max_size=6),
    st.integers(1, 2),
    st.integers(1, 3),
)
def test_races_are_those_of_the_definition(
    program: list[tuple[str, int, int]], grid: int, block: int
) -> None:
    """Small programs: read, write, atomically add to slot (a·thread + b) mod 4, or wait at a barrier."""

    lines = tuple(program)

    def kernel(x: Any) -> None:
        for what, a, b in lines:
            slot = (a * cuda.grid(1) + b) % 4
            if what == "r":
                assert x[slot] >= 0
            elif what == "w":
                x[slot] = 1
            elif what == "a":
                cuda.atomic.add(x, slot, 1)
            else:
                cuda.syncthreads()

    trace = tk.cuda.trace(kernel, grid, block, numpy.zeros(4))
    assert bool(trace.races) == bool(naive_races(trace))
    assert sum(f.times for f in trace.races) == len(naive_races(trace))


# ---- memory


def test_shared_memory_that_nobody_wrote() -> None:
    out = numpy.zeros(3, numpy.float32)
    (found,) = tk.cuda.trace(learners.never_written, 1, 3, out).uninitialised
    line = line_of(learners.never_written, "= part[")
    assert (found.line, found.array, found.slot, found.times) == (line, "part", 1, 2)
    assert f"thread 1 of block 0 reads part, slot 1 in line {line}, before anything was written" in found.text
    assert str(out.tolist()) == "[1.0, nan, nan]"


def test_local_memory_that_nobody_wrote() -> None:
    def kernel(out: Any) -> None:
        mine = cuda.local.array(2, numpy.int64)
        out[0] = mine[1]

    (found,) = tk.cuda.trace(kernel, 1, 1, numpy.zeros(1, numpy.int64)).uninitialised
    assert (found.array, found.slot) == ("mine", 1)


@pytest.mark.parametrize(("kind", "sectors"), [(numpy.float32, 4), (numpy.float64, 8), (numpy.uint8, 1)])
def test_neighbours_share_sectors(kind: Any, sectors: int) -> None:
    x, out = numpy.zeros(32, kind), numpy.zeros(32, kind)
    trace = tk.cuda.trace(learners.no_guard, 1, 32, x, out)
    read, write = trace.traffic
    assert (read.sectors, read.needed, read.efficiency) == (sectors, sectors, 1.0)
    assert (write.kind, write.array, write.instructions) == ("write", "out", 1)
    assert trace.uncoalesced == ()


def test_a_column_of_a_matrix_is_uncoalesced() -> None:
    a, out = numpy.zeros((32, 32), numpy.float32), numpy.zeros(32, numpy.float32)
    trace = tk.cuda.trace(learners.columns, 1, 32, a, out)
    (found,) = trace.uncoalesced
    line = line_of(learners.columns, "out[i]")
    assert found.text == (
        f"Uncoalesced: to read 128 bytes of a in line {line}, threads 0 to 31 of block 0 fetch 32 sectors of 32 bytes "
        "in 32 lines of 128, where 4 would do."
    )
    assert not found.grave
    assert trace.traffic[0].efficiency == 1 / 8


def test_columns_of_shared_memory_have_bank_conflicts_and_a_wider_tile_has_none() -> None:
    a = numpy.arange(1024, dtype=numpy.float32).reshape(32, 32)
    trace = tk.cuda.trace(learners.transposed, 1, (32, 32), a)
    (found,) = trace.bank_conflicts
    assert a[0].tolist() == list(range(0, 1024, 32))
    assert (found.array, found.times) == ("tile", 32)
    assert "want 32 words of one bank of tile (slots 0, 32, 64, 96, …), so they take 32 turns" in found.text

    def padded(a: Any) -> None:
        tile = cuda.shared.array((32, 33), numpy.float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        tile[x, y] = a[y, x]

    assert tk.cuda.trace(padded, 1, (32, 32), a).bank_conflicts == ()


@pytest.mark.parametrize(("kind", "step", "ways"), [
    (numpy.float32, 1, 0), (numpy.float32, 2, 2), (numpy.float32, 0, 0), (numpy.float64, 1, 0), (numpy.float64, 2, 2),
    (numpy.uint8, 1, 0), (numpy.float32, 32, 32),
])  # fmt: skip
def test_banks_by_the_word(kind: Any, step: int, ways: int) -> None:
    def kernel(step: int) -> None:
        part = cuda.shared.array(1024, kind)
        part[cuda.threadIdx.x * step] = 1

    found = tk.cuda.trace(kernel, 1, 32, step).bank_conflicts
    assert [f"take {ways} turns" in f.text for f in found] == [True] * bool(ways)


# ---- the whole


def test_a_warp_goes_in_step_and_meets_again() -> None:
    def kernel(x: Any, out: Any) -> None:
        from_here = cuda_index()
        for _ in range(from_here):
            out[from_here] += 1
        x[from_here] = 0

    @cuda.jit(device=True)  # type: ignore[untyped-decorator]
    def cuda_index() -> Any:
        return cuda.threadIdx.x

    trace = tk.cuda.trace(kernel, 1, 4, numpy.zeros(4), numpy.zeros(4))
    assert [step.threads for step in trace.steps] == [
        (1, 2, 3), (1, 2, 3), (2, 3), (2, 3), (3,), (3,), (0, 1, 2, 3),
    ]  # fmt: skip
    for number, step in enumerate(trace.steps):
        part = trace.accesses[step.first : step.last]
        assert {(a.step, a.kind, a.array, a.line) for a in part} == {
            (number, step.kind, step.array, step.line)
        }
        assert tuple(a.thread for a in part) == step.threads


def test_the_same_notes_every_time() -> None:
    def once() -> Any:
        x = floats(8)
        trace = tk.cuda.trace(learners.reverse, 2, 8, x)
        return trace.accesses, trace.steps, trace.findings, [float(v) for v in trace.values]

    assert once() == once()


def test_values_are_those_that_were_read_and_written() -> None:
    out = numpy.zeros(2, numpy.float32)
    trace = tk.cuda.trace(learners.no_guard, 1, 2, floats(2), out)
    assert [float(v) for v in trace.values] == [0, 1, 1, 2]
    assert trace.views["out"].memory.before.tolist() == [0, 0]


def test_printed_it_is_a_summary() -> None:
    trace = tk.cuda.trace(learners.no_guard, 2, 4, floats(8), numpy.zeros(6, numpy.float32))
    line = line_of(learners.no_guard, "out[i] =")
    assert repr(trace) == "<no_guard[2, 4]: 1 access out of bounds>"
    assert str(trace).splitlines()[:3] == [
        "no_guard[2, 4]: 1 access out of bounds",
        "  2 blocks of 4 threads, in 4 steps: 8 reads, 6 writes, 0 atomic updates, 0 barriers",
        f"  line {line} reads x: 32 bytes wanted, 64 moved in 2 sectors (50 % used)",
    ]


@pytest.fixture
def interrupts() -> Iterator[None]:
    """SIGINT interrupts Python, whatever this process was started with: a shell's background jobs ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_a_loop_without_end_can_be_interrupted() -> None:
    """As **Interrupt** in a notebook does."""
    before = threading.active_count()

    def kernel(interrupt: Any) -> None:
        interrupt()
        while True:
            pass

    with pytest.raises(KeyboardInterrupt):
        tk.cuda.trace(kernel, 1, 2, lambda: os.kill(os.getpid(), signal.SIGINT))
    while threading.active_count() > before:  # ends as soon as the thread is given a turn
        pass


def test_too_much_to_keep_notes_of_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "MOST_ACCESSES", 1000)
    with pytest.raises(RuntimeError, match="endless touches memory more than 1,000 times"):
        tk.cuda.trace(learners.endless, 1, 1, numpy.zeros(2))
