"""Lessons 09 and 11 in JupyterLab: run, every picture is live; then an exercise is solved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.browser.beginning import until

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from tests.browser.desk import Desk
from tests.browser.jupyter import Lesson, no_trouble
from tests.browser.test_lesson_02 import FAILED, tags

pytestmark = pytest.mark.browser

THIRTY = "(tk.arange(30.0).view(5, 6))"
CLASSES = "(tk.tensor([[1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 7.0, 3.0, 3.0, 5.0]]))"
LESSONS = {
    "09_indexing.ipynb": (
        "IndexExplorer(",
        f"(lambda t: ex3.check(t[[0, 4], [0, 5]], base=t)){THIRTY}",
        "two lists are pairs",
        f"(lambda t: ex3.check(t[::4, ::5], base=t)){THIRTY}",
    ),
    "11_reductions.ipynb": (
        "ReductionExplorer(",
        f"(lambda t: ex2.check(t.mean(dim=0), base=t)){CLASSES}",
        "`dim=` in a reduction",
        f"(lambda t: ex2.check(t.mean(dim=-1), base=t)){CLASSES}",
    ),
}


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_from_run_all_to_a_solved_exercise(name: str, desk: Desk, root: Path) -> None:
    notebook = json.loads((root / "notebooks" / name).read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    widget, slip, misconception, solved = LESSONS[name]
    with desk.written(name.removesuffix(".ipynb"), notebook, 1400, 1400) as book:
        lesson = Lesson(book.page)
        lesson.run_all()
        lesson.skip_predictions()
        assert book.page.evaluate(FAILED) == ["raises-exception" in tags(cell) for cell in cells]
        shown = [cell for cell in cells if "".join(cell["source"]).startswith(widget)]
        assert len(shown) >= 2
        live = """least => document.querySelectorAll('.tk-board[data-kernel="live"][data-status]').length >= least"""
        until(book.page, live, arg=len(shown))
        no_trouble(book.page)

        assert misconception in lesson.ask(slip)
        assert lesson.ask(solved) == "Right."
        assert [line for line in book.errors if "404" not in line] == []
