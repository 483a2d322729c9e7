"""Lesson 23 compares its losses with numbers of PyTorch that are stored in a cell: PyTorch still gives them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.torch_oracle import require_torch

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


@pytest.mark.parity
def test_the_numbers_in_lesson_23_are_those_of_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = json.loads((NOTEBOOKS / "23_training.ipynb").read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    [data] = [source for source in sources if "numpy.loadtxt" in source]
    [training] = [source for source in sources if "after_epoch = []" in source]
    [comparison] = [source for source in sources if source.startswith("by_pytorch = [")]
    monkeypatch.chdir(NOTEBOOKS)
    names: dict[str, Any] = {"tk": require_torch()}
    exec(data + "\n" + training, names)
    exec(comparison.splitlines()[0], names)
    assert [round(loss, 1) for loss in names["after_epoch"][::10]] == names["by_pytorch"]
