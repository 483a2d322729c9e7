"""What JupyterLab shows of a folded output, and that running its cell unfolds it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from tests.browser import beginning
from tests.browser.beginning import NOTEBOOK
from tests.browser.desk import Desk
from tests.browser.jupyter import Lesson
from tests.notebooks.test_folded import preview

pytestmark = pytest.mark.browser

NAME = "18_autograd.ipynb"
SHOWN = f"""() => {NOTEBOOK}.content.widgets
    .filter((cell) => cell.model.type === "code" && cell.outputHidden)
    .map((cell) => cell.node.querySelector(".jp-OutputPlaceholder")?.textContent ?? "")"""


def test_a_folded_output_shows_its_first_line_until_its_cell_runs(desk: Desk, root: Path) -> None:
    notebook = json.loads((root / "notebooks" / NAME).read_text(encoding="utf-8"))
    cells = notebook["cells"]
    folded = [cell for cell in cells if cell["metadata"].get("jupyter", {}).get("outputs_hidden")]
    desk.reopen()
    with desk.written("folded", notebook, 1400, 1400) as book:
        lesson = Lesson(book.page)
        lesson.attached()
        shown = book.page.evaluate(SHOWN)
        assert [text.strip() for text in shown] == [preview(cell) for cell in folded]
        # All up to the first one at once: by itself a cell that a question keeps out of sight cannot be chosen.
        upto = range(cells.index(folded[0]) + 1)
        beginning.run_some(book.page, [number for number in upto if cells[number]["cell_type"] == "code"])
        assert len(book.page.evaluate(SHOWN)) == len(folded) - 1
