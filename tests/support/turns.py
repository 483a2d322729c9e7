"""In which order the processes of `make test` take the tests, and which tests stay together.

A file at a time, since its tests share what takes long to make: a notebook's kernel, compiled loops. The files of the
browser come first: each process then has one page for them, and leaves it once (`tests.support.playwright_driver`).
Tests that start a kernel each share nothing, and are dealt out. A file whose last test asks what the others met stays
whole.
"""

from __future__ import annotations

from collections import Counter

import pytest
from xdist.scheduler import LoadScopeScheduling

__all__ = ["Turns", "in_turn"]

DEALT_OUT = "tests/notebooks/test_under_torch.py"


def in_turn(items: list[pytest.Item]) -> list[pytest.Item]:
    """The browser's files first, then the notebooks, then the files with most tests; in a file as they stand."""
    browser = {item.path for item in items if item.get_closest_marker("browser")}
    size = Counter(item.path for item in items)
    return sorted(
        items,
        key=lambda item: (
            item.path not in browser,
            item.path.suffix != ".ipynb",
            -size[item.path],
            str(item.path),
        ),
    )


class Turns(LoadScopeScheduling):
    """By file, but what is dealt out."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return nodeid if file == DEALT_OUT else file
