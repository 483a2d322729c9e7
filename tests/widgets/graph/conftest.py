"""The libraries whose graphs are drawn."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tests.widgets.graph.reading import libraries


@pytest.fixture(params=libraries())
def lib(request: pytest.FixtureRequest) -> Any:
    return tk if request.param == "tensorkit" else pytest.importorskip(request.param)
