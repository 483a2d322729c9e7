"""Lesson 20 in JupyterLab: a prediction brings its answer into sight, every map is live, an exercise is solved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from tests.browser.beginning import until
from tests.browser.desk import Desk
from tests.browser.jupyter import Lesson, no_trouble
from tests.browser.test_lesson_02 import FAILED, tags

pytestmark = pytest.mark.browser

NAME = "20_devices.ipynb"
LIVE = """least => document.querySelectorAll('.tk-device-map[data-kernel="live"][data-status]').length >= least"""
SHORT_OF_A_PLACE = "ex2.check(lambda t: t * tk.arange(len(t)))"
SOLVED = "ex2.check(lambda t: t * tk.arange(len(t), device=t.device))"
HALF_REPAIRED = (
    "ex5.check(lambda t, device: "
    "(t.to(device) - t.to(device).mean()) / tk.maximum(t.to(device).std(), tk.tensor([1e-6])))"
)


def test_from_run_all_to_a_solved_exercise(desk: Desk, root: Path) -> None:
    notebook = json.loads((root / "notebooks" / NAME).read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    maps = [cell for cell in cells if "".join(cell["source"]).startswith("machine")]
    assert len(maps) == 5
    with desk.written("lesson_20", notebook, 1400, 1400) as book:
        lesson = Lesson(book.page)
        lesson.run_all()
        lesson.skip_predictions()
        assert book.page.evaluate(FAILED) == ["raises-exception" in tags(cell) for cell in cells]
        until(book.page, LIVE, arg=len(maps))
        no_trouble(book.page)

        assert lesson.ask("tk.cuda.device_count() >= 1") == "True"
        assert "tensors start on the CPU" in lesson.ask(SHORT_OF_A_PLACE)
        assert lesson.ask(SOLVED) == "Right."
        assert "operands on one device" in lesson.ask(HALF_REPAIRED)
        assert [line for line in book.errors if "404" not in line] == []
