"""Checks of kernels: a right one however it is written, and what each wrong one is told."""

from __future__ import annotations

import threading
from typing import Any

import numpy
import pytest
from numba import cuda, float32

from tensorkit_widgets.practice.checking import time_limit
from tensorkit_widgets.practice.checking.kernels import EMPTY, Launch, kernel_check
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict


def row(count: int) -> tuple[Any, Any]:
    return numpy.arange(count, dtype=numpy.float32), numpy.zeros(count, numpy.float32)


def forgetful(x: Any, out: Any) -> None:
    i = cuda.threadIdx.x
    if i < out.size:
        out[i] = 2 * x[i]


SLIP = Slip("thread numbers begin again", "only the first block is done.", behaves=forgetful)
CHECK = kernel_check(
    Launch("For five numbers", 2, 4, lambda: row(5), [0, 2, 4, 6, 8]),
    Launch("For eight numbers", 2, 4, lambda: row(8), lambda: [2 * n for n in range(8)]),
    slips=[SLIP],
)


def told(kernel: Any) -> Verdict:
    return CHECK(Answer(kernel))


def test_a_right_kernel_is_right_plain_or_compiled() -> None:
    def double(x: Any, out: Any) -> None:
        i = cuda.grid(1)
        if i < out.size:
            out[i] = 2 * x[i]

    assert told(double)
    assert told(cuda.jit(double))


def test_a_misconception_is_known_by_what_it_does() -> None:
    @cuda.jit
    def mine(numbers: Any, twice: Any) -> None:
        if cuda.threadIdx.x < twice.shape[0]:
            twice[cuda.threadIdx.x] = numbers[cuda.threadIdx.x] + numbers[cuda.threadIdx.x]

    assert told(mine) == SLIP.verdict()


def test_what_is_found_is_told_with_thread_and_line() -> None:
    def unguarded(x: Any, out: Any) -> None:
        out[cuda.grid(1)] = 2 * x[cuda.grid(1)]

    verdict = told(unguarded)
    assert (verdict.correct, verdict.misconception) == (False, "more threads than elements")
    assert verdict.says.startswith("For five numbers: Out of bounds: thread 1 of block 1 asked to read x[5]")


def test_a_right_result_by_luck_is_not_right() -> None:
    """The threads of this warp go in step; nothing in the kernel says so."""

    def lucky(x: Any, out: Any) -> None:
        part = cuda.shared.array(4, float32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        part[t] = x[i] if i < x.size else 0
        if i < out.size:
            out[i] = part[t] + part[t ^ 1] - part[t ^ 1] + part[t]

    verdict = told(lucky)
    assert (verdict.correct, verdict.misconception) == (False, "a block does not go in step")


def test_each_finding_has_its_misconception() -> None:
    def crowded(x: Any, out: Any) -> None:
        i = cuda.grid(1)
        if i < out.size:
            out[0] += x[i]

    def skipped(x: Any, out: Any) -> None:
        i = cuda.grid(1)
        if i < out.size:
            out[i] = 2 * x[i]
        if i % 2:
            cuda.syncthreads()

    assert told(crowded).misconception == "an update is two steps"
    assert told(skipped).misconception == "all threads reach a barrier"


def test_wrong_numbers_are_set_beside_the_right_ones() -> None:
    def triple(x: Any, out: Any) -> None:
        i = cuda.grid(1)
        if i < out.size:
            out[i] = 3 * x[i]

    assert told(triple).says == (
        "For five numbers: the result should be [0, 2, 4, 6, 8], and it is [0.0, 3.0, 6.0, 9.0, 12.0]."
    )


def test_an_error_of_the_kernel_is_told() -> None:
    def misspelt(x: Any, out: Any) -> None:
        out[0] = y[0]  # type: ignore[name-defined]  # noqa: F821

    assert "For five numbers: your kernel stopped with NameError" in told(misspelt).says
    assert "TypeError" in told(lambda x: None).says


def test_what_does_nothing_is_not_judged() -> None:
    def empty(x: Any, out: Any) -> None: ...

    assert told(empty) == Verdict(None, EMPTY)
    assert told(3).correct is None
    assert "give its name, without calling it" in told(None).says
    assert "a kernel is a Python function" in told(print).says


def test_a_kernel_that_never_ends_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limit, "LONGEST_S", 0.3)
    before = threading.active_count()

    def waits(x: Any, out: Any) -> None:
        while x[0] == 0:
            pass

    def spins(x: Any, out: Any) -> None:
        while True:
            pass

    for kernel in (waits, spins):
        verdict = told(kernel)
        assert verdict.correct is False
        assert "still running" in verdict.says
    while threading.active_count() > before:  # its threads end as soon as they are given a turn
        pass
