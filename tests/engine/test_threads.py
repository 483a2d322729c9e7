"""Threads: a widget draws on one while a cell computes on another."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import tensorkit as tk

WORKERS = 8


@pytest.fixture(autouse=True)
def hasty_switching() -> Iterator[None]:
    """Python changes threads after every few instructions, so that a race has a thousand chances."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(work: Callable[[int], Any]) -> list[Any]:
    """What the workers return when all start at the same moment."""
    barrier = threading.Barrier(WORKERS)

    def start(number: int) -> Any:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(start, range(WORKERS)))


def test_a_fresh_result_gets_one_storage_however_many_ask() -> None:
    for _ in range(200):
        t = tk.ones(3) + 1
        storages = together(lambda number, t=t: t.untyped_storage())
        assert len({id(storage) for storage in storages}) == 1


def test_views_made_at_once_are_of_one_family() -> None:
    for _ in range(100):
        t = tk.ones(4) + 1
        views = together(lambda number, t=t: t[number % 4 :])
        views[0].zero_()
        assert {view._version for view in views} == {1}
        assert t.tolist() == [0, 0, 0, 0]


def test_sums_computed_at_once_do_not_disturb_each_other() -> None:
    def work(number: int) -> float:
        total = tk.zeros(1000)
        for step in range(200):
            total = total + tk.full((1000,), float(number)) / (step % 2)  # half of them divide by zero
            total = tk.full((1000,), float(number)) * step
        return float(total.sum())

    assert together(work) == [number * 199 * 1000.0 for number in range(WORKERS)]


def test_numpys_settings_of_each_thread_stay_its_own() -> None:
    def work(number: int) -> tuple[Any, Any]:
        with np.errstate(divide="raise" if number % 2 else "ignore"):
            before = np.geterr()
            tk.ones(3) / tk.zeros(3)
            return before, np.geterr()

    assert all(before == after for before, after in together(work))
