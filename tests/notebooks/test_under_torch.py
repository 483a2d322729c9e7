"""Every lesson means the same under real PyTorch: swap the import, run it, compare output by output.

Cells with the tag `widget` draw pictures and cells with `tensorkit-only` read the kit's own code: both are left out.
Cells with `nbval-ignore-output` run, because later cells may need their names, but what they print is not compared.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync

from tensorkit import errors
from tensorkit.lab.normalise import execute, normalise
from tests.torch_oracle import require_torch

pytestmark = pytest.mark.parity

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
LESSONS = sorted(NOTEBOOKS.glob("*.ipynb"))
IMPORT = "import tensorkit as tk"
LEFT_OUT = {"widget", "tensorkit-only"}

Cell = dict[str, Any]


def tags(cell: Cell) -> set[str]:
    return set(cell["metadata"].get("tags", []))


def text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)


def shared_cells(path: Path) -> list[Cell]:
    """The code cells that must do the same under both libraries, in order."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code" and not tags(cell) & LEFT_OUT]


@pytest.fixture(scope="module")
def kernel() -> Iterator[AsyncKernelManager]:
    """One for all lessons, begun by the first: that it imports PyTorch takes longer than most lessons."""
    manager = AsyncKernelManager(kernel_name="python3")
    yield manager
    run_sync(manager.shutdown_kernel)(now=True)


def under_torch(cells: list[Cell], folder: Path, kernel: AsyncKernelManager) -> list[Cell]:
    """The same cells, executed in a kernel that knows of no other lesson, with the import swapped."""
    sources = [text(cell["source"]).replace(IMPORT, "import torch as tk") for cell in cells]
    swapped = [
        {**cell, "source": source, "outputs": [], "execution_count": None}
        for cell, source in zip(cells, sources, strict=True)
    ]
    alone = {"id": "alone", "cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    alone["source"] = f"%reset -f\n%cd -q {folder}"
    notebook = {"cells": [alone, *swapped], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    done: list[Cell] = normalise(execute(notebook, folder, kernel=kernel))["cells"][1:]
    return done


def base_class(name: str) -> str:
    """The class that PyTorch raises, for an error of ours that refines it."""
    ours = getattr(errors, name, None)
    if ours is None:
        return name
    return next(cls.__name__ for cls in ours.__mro__ if cls.__module__ == "builtins")


def said(cell: Cell) -> list[tuple[str, str]]:
    """What a cell's outputs say, to the letter; of an error its class and its first line."""
    lines = []
    for output in cell["outputs"]:
        kind = output["output_type"]
        if kind == "stream":
            lines.append((output["name"], text(output["text"])))
        elif kind == "error":
            lines.append((base_class(output["ename"]), output["evalue"].splitlines()[0]))
        else:
            lines.append(("result", text(output["data"]["text/plain"])))
    return lines


def in_pytorchs_names(lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(kind, re.sub(r"\btensorkit\b", "torch", words)) for kind, words in lines]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_says_the_same_under_pytorch(path: Path, tmp_path: Path, kernel: AsyncKernelManager) -> None:
    torch = require_torch()
    cells = shared_cells(path)
    assert sum(IMPORT in text(cell["source"]) for cell in cells) == 1
    shutil.copytree(NOTEBOOKS / "data", tmp_path / "data")  # what lessons read
    compared = 0
    for ours, theirs in zip(cells, under_torch(cells, tmp_path, kernel), strict=True):
        if "nbval-ignore-output" not in tags(ours):
            compared += bool(ours["outputs"])
            assert said(theirs) == in_pytorchs_names(said(ours)), text(ours["source"])
    print(
        f"{path.stem}: {compared} of {len(cells)} shared cells have outputs; all equal under {torch.__version__}"
    )
    assert compared >= len(cells) / 2


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_shared_cells_need_nothing_of_the_kit_but_its_name(path: Path) -> None:
    for cell in shared_cells(path):
        source = text(cell["source"])
        assert "tensorkit_widgets" not in source
        assert "tensorkit" not in source.replace(IMPORT, "")
