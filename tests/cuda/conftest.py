"""Emulated devices for every test here; tests marked `gpu` say why they are skipped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tensorkit.kernels import cuda
from tensorkit.kernels.cuda.memory import EmulatedMemory


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = cuda.gpu_missing()
    for item in items:
        if reason and item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture
def memory() -> Iterator[EmulatedMemory]:
    """The memory of two emulated devices."""
    with cuda.emulate(devices=2) as emulation:
        yield emulation.memory
