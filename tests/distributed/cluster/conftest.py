"""Clusters of real processes for the tests of this folder: each file has one, and none leaves a process behind."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest


def until(holds: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait until something holds; what it gives then."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, f"{holds} did not come true"
        time.sleep(0.02)
    return found


def processes() -> list[Any]:
    """What runs below this process."""
    import psutil  # which distributed brings

    found: list[Any] = psutil.Process().children(recursive=True)
    return found


@pytest.fixture(scope="module")
def none_left() -> Iterator[None]:
    """Every process that the tests of a file begin is ended."""
    from tensorkit.distributed import cluster

    before = set(processes())
    yield
    cluster.shutdown()
    until(lambda: not {one for one in processes() if one.status() != "zombie"} - before)


@pytest.fixture(scope="module")
def four(none_left: None) -> Any:
    """A cluster of four workers."""
    from tensorkit.distributed import cluster

    return cluster.start(4)
