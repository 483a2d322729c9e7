"""A learner swaps `import tensorkit as tk` for `import torch as tk`: every lesson prints the same.

Left out are the cells that only build a widget (tag `widget`) and the few that are about the kit itself (tag
`tensorkit-only`). Volatile cells (tag `nbval-ignore-output`) must run, and may print something else.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tensorkit.lab.normalise import normalise
from tests.oracle import require_torch

pytestmark = pytest.mark.parity

LESSONS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
OURS = "import tensorkit as tk"


def _tags(cell: dict[str, Any]) -> set[str]:
    return set(cell["metadata"].get("tags", []))


def _plain_cells(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    return [cell for cell in code if not _tags(cell) & {"widget", "tensorkit-only"}]


def _printed(cell: dict[str, Any]) -> list[str]:
    """What a cell shows, with PyTorch's qualified names as ours; of an error the sentence that is PyTorch's too."""
    shown = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            shown.append(f"{output['name']}: {''.join(output['text'])}")
        elif output["output_type"] == "error":
            shown.append("error: " + "".join(output["evalue"]).split("\n")[0])
        else:
            shown.append("".join(output["data"]["text/plain"]))
    return [re.sub(r"\btorch\.", "tensorkit.", text) for text in shown]


def _under_torch(cells: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    import nbclient
    import nbformat

    made = [
        nbformat.v4.new_code_cell(
            "".join(cell["source"]).replace(OURS, "import torch as tk"),
            metadata={"tags": sorted(_tags(cell))},
        )
        for cell in cells
    ]
    notebook = nbformat.v4.new_notebook(cells=made)
    nbclient.NotebookClient(
        notebook, kernel_name="python3", timeout=120, resources={"metadata": {"path": str(folder)}}
    ).execute()
    done: list[dict[str, Any]] = normalise(json.loads(nbformat.writes(notebook)))["cells"]
    return done


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_prints_the_same_under_pytorch(path: Path, tmp_path: Path) -> None:
    require_torch()
    cells = _plain_cells(path)
    assert any(OURS in "".join(cell["source"]) for cell in cells)
    compared = 0
    for ours, theirs in zip(cells, _under_torch(cells, tmp_path), strict=True):
        if "nbval-ignore-output" not in _tags(ours):
            assert _printed(theirs) == _printed(ours), "".join(ours["source"])
            compared += bool(_printed(ours))
    assert compared >= 5


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_plain_cells_need_nothing_of_the_kit_but_its_name(path: Path) -> None:
    for cell in _plain_cells(path):
        source = "".join(cell["source"])
        assert "tensorkit_widgets" not in source
        assert "tensorkit" not in source.replace(OURS, "")
