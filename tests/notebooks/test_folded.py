"""A folded output tells nothing before it is opened.

JupyterLab shows the first line of a folded output beside its three dots. Were that the answer, a reader who scrolls
past would read it before predicting. So a folded cell first prints a line that stands word for word in its own code.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

LESSONS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("[0-9][0-9]_*.ipynb"))


def _folded(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["metadata"].get("jupyter", {}).get("outputs_hidden")]


def preview(cell: dict[str, Any]) -> str:
    """What JupyterLab 4 shows of a folded output: the first line of the first one that is not empty."""
    output = cell["outputs"][0]
    if output["output_type"] == "error":
        text = "".join(output["traceback"])
    elif output["output_type"] == "stream":
        text = "".join(output["text"])
    else:
        text = "".join(output["data"].get("text/html", output["data"]["text/plain"]))
    return next(line for line in text.split("\n") if line)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_folded_output_begins_with_a_neutral_line(path: Path) -> None:
    folded = _folded(path)
    assert folded, "a lesson without a prediction?"
    for cell in folded:
        source = "".join(cell["source"])
        line = preview(cell)
        assert not re.fullmatch(r"[\s\d.]*", line), source
        assert f'print("{line}"' in source or f"print('{line}'" in source, (
            f"{source}\nshows {line!r} when folded"
        )


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_what_a_learner_predicts_is_folded(path: Path) -> None:
    """After each prediction, before the next one, something is folded away: the answer."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    waiting = ""
    for cell in cells:
        source = "".join(cell["source"])
        if cell["metadata"].get("jupyter", {}).get("outputs_hidden"):
            waiting = ""
        elif (
            source.startswith("Predict(")
            and f"{path.stem[:2]}.know_" not in source
            and "recall_" not in source
        ):
            # Two questions in a row may be answered by one cell.
            waiting = source
        elif source.startswith("## ") and cell["cell_type"] == "markdown":
            assert not waiting, f"{waiting} is followed by nothing that is folded"
