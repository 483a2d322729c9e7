"""One Playwright for all browser tests of a process; while it runs, nobody else's event loop does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

_driver: Any = None
left: list[Callable[[], None]] = []
"""What is done before it ends."""


def driver() -> Any:
    """Playwright, started when it is first asked for."""
    global _driver
    if _driver is None:
        _driver = pytest.importorskip("playwright.sync_api").sync_playwright().start()
    return _driver


def leave() -> None:
    """End it and its browsers, before tests that have event loops of their own."""
    global _driver
    while left:
        left.pop()()
    if _driver is not None:
        _driver.stop()
    _driver = None
