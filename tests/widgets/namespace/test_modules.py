"""A network's parameters and buffers are called by their path."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import MemoryMap
from tensorkit_widgets.namespace.find_tensors import scan


@pytest.fixture(params=["tensorkit", pytest.param("torch", marks=pytest.mark.parity)])
def lib(request: pytest.FixtureRequest) -> Any:
    return tk if request.param == "tensorkit" else pytest.importorskip(request.param)


def test_parameters_are_called_by_their_path(lib: Any) -> None:
    net = lib.nn.Sequential(lib.nn.Identity(), lib.nn.Flatten())
    net[1].scale = lib.nn.Parameter(lib.ones(2))
    net.register_buffer("mean", lib.zeros(3))
    found = scan({"net": net}).found
    assert [[way.text for way in one.ways] for one in found] == [["net.mean"], ["net[1].scale"]]
    shown = MemoryMap({"net": net})
    assert "net[1].scale" in shown.text()
    shown.close()
