"""PyTorch, for the tests that ask it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.torch_oracle import require_torch


@pytest.fixture(scope="session")
def torch() -> Any:
    return require_torch()
