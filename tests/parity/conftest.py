"""Parity tests ask PyTorch; at the end they say how often each dtype and each kind of memory was tried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.oracle import require_torch
from tests.parity.tally import TABLES


@pytest.fixture(scope="module")
def torch() -> Iterator[Any]:
    """PyTorch, giving every warning every time, as `warnings.simplefilter("always")` makes Python do."""
    library = require_torch()
    before = library.is_warn_always_enabled()
    library.set_warn_always(True)
    yield library
    library.set_warn_always(before)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for tally in TABLES:
        if tally.counts:
            terminalreporter.section(f"compared with PyTorch: {tally.title}", sep="-")
            for line in tally.lines():
                terminalreporter.write_line(line)
