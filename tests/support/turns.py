"""In which order the processes of `make test` take the tests, and which tests stay together.

A file at a time, since its tests share what takes long to make: a notebook's kernel, compiled loops. The files of the
browser come first, all but one of the processes have them: each has one page for its share, and leaves it once
(`tests.support.playwright_driver`). A page keeps more than one core at work, so the last process begins with the other
files: with a page in every process, whatever they waited for came late.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).resolve().parents[2]


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


@cache
def _in_browser(file: str) -> bool:
    """The process that deals has the names of the tests alone."""
    path = ROOT / file
    return (
        path.suffix == ".py" and path.is_file() and "pytest.mark.browser" in path.read_text(encoding="utf-8")
    )


class Turns(LoadScopeScheduling):
    """By file; the browser's files in as many shares as there are pages."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        self.pages = max(1, self.numnodes - 1)
        self.shares: dict[str, str] = {}

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        if _in_browser(file):
            return self.shares.setdefault(file, f"page {len(self.shares) % self.pages}")
        return file
