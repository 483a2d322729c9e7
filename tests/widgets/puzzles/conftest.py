"""Nothing has been answered when a test of the puzzles begins."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tensorkit_widgets import forget


@pytest.fixture(autouse=True)
def nothing_answered() -> Iterator[None]:
    forget()
    yield
    forget()
