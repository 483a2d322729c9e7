"""Tests of the engine that ask PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tensorkit as tk
from tests.torch_oracle import require_torch


@pytest.fixture
def every_warning() -> Iterator[None]:
    """PyTorch warns every time, whichever test came before in this process."""
    library = require_torch()
    before = library.is_warn_always_enabled()
    library.set_warn_always(True)
    yield
    library.set_warn_always(before)


@pytest.fixture
def both_warn(every_warning: None) -> Iterator[Any]:
    """PyTorch, which warns every time, as tensorkit does meanwhile."""
    tk.set_warn_always(True)
    yield require_torch()
    tk.set_warn_always(False)
