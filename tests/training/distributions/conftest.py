"""The parity tests here ask PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parity.conftest import torch as asked  # noqa: F401 - a fixture


@pytest.fixture
def torch(asked: Any) -> Any:  # noqa: F811 - the fixture of that name
    """PyTorch, which checks arguments: its compiler, if another test has loaded it, has told it not to."""
    asked.distributions.Distribution.set_default_validate_args(True)
    return asked
