"""Parity tests ask PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.torch_oracle import require_torch


@pytest.fixture(scope="module")
def torch() -> Iterator[Any]:
    """PyTorch, giving every warning every time, as `warnings.simplefilter("always")` makes Python do."""
    library = require_torch()
    before = library.is_warn_always_enabled()
    library.set_warn_always(True)
    yield library
    library.set_warn_always(before)
