"""Lessons 06 and 08 in JupyterLab: run, every picture is live; then an exercise is solved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from tests.browser.jupyter import Lesson, foreign, no_trouble
from tests.browser.test_lesson_02 import FAILED, tags
from tests.lab.test_serving import Served

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Watch

pytestmark = pytest.mark.browser

TWELVE = "(tk.arange(12.0).view(3, 4))"
SCORES = "(tk.tensor([[3, 1, 2, 4], [6, 6, 5, 6]]))"
LESSONS = {
    "06_indexing.ipynb": (
        "IndexExplorer(",
        f"(lambda t: ex4.check(t[[0, 2], [0, 3]], base=t)){TWELVE}",
        "two lists are pairs",
        f"(lambda t: ex4.check(t[::2, ::3], base=t)){TWELVE}",
    ),
    "08_reductions.ipynb": (
        "ReductionExplorer(",
        f"(lambda t: ex6.check(t.argmax(dim=0), base=t)){SCORES}",
        "`dim=` in a reduction",
        f"(lambda t: ex6.check(t.max(dim=1).indices, base=t)){SCORES}",
    ),
}


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_from_run_all_to_a_solved_exercise(
    name: str, page: Page, lab_server: Served, root: Path, watch: Watch
) -> None:
    cells = _code(root / "notebooks" / name)
    widget, slip, misconception, solved = LESSONS[name]
    lesson = Lesson(page, lab_server.url)
    lesson.open(name)
    lesson.command("notebook:run-all-cells")
    lesson.finish()
    assert page.evaluate(FAILED) == ["raises-exception" in tags(cell) for cell in cells]
    shown = [cell for cell in cells if "".join(cell["source"]).startswith(widget)]
    assert len(shown) >= 4
    page.wait_for_function(
        f"() => document.querySelectorAll('.tk-board[data-kernel=\"live\"][data-status]').length >= {len(shown)}"
    )
    no_trouble(page)

    assert misconception in lesson.ask(slip)
    assert lesson.ask(solved) == "Right."
    assert foreign(watch.asked) == []
    assert [line for line in watch.wrong if "404" not in line] == []


def _code(path: Path) -> list[dict[str, Any]]:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
