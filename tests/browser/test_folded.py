"""What JupyterLab shows of a folded output, and that running its cell unfolds it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from tests.browser.jupyter import NOTEBOOK, Lesson
from tests.lab.test_serving import Served
from tests.notebooks.test_folded import preview

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

NAME = "14_autograd.ipynb"
SHOWN = f"""() => {NOTEBOOK}.content.widgets
    .filter((cell) => cell.model.type === "code" && cell.outputHidden)
    .map((cell) => cell.node.querySelector(".jp-OutputPlaceholder")?.textContent ?? "")"""


def test_a_folded_output_shows_its_first_line_until_its_cell_runs(
    page: Page, lab_server: Served, root: Path
) -> None:
    cells = json.loads((Path(root) / "notebooks" / NAME).read_text(encoding="utf-8"))["cells"]
    folded = [cell for cell in cells if cell["metadata"].get("jupyter", {}).get("outputs_hidden")]
    lesson = Lesson(page, lab_server.url)
    lesson.open(NAME)
    shown = page.evaluate(SHOWN)
    assert [text.strip() for text in shown] == [preview(cell) for cell in folded]
    for cell in cells[: cells.index(folded[0]) + 1]:
        if cell["cell_type"] == "code":
            lesson.run("".join(cell["source"]))
    assert len(page.evaluate(SHOWN)) == len(folded) - 1
