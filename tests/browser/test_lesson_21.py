"""Lesson 21 in JupyterLab: run, a thread's slot pressed in the picture, a kernel stepped, and two exercises solved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from tests.browser.beginning import NOTEBOOK, until
from tests.browser.desk import Book, Desk
from tests.browser.jupyter import Lesson, no_trouble
from tests.widgets.practice.test_browser import card, state

pytestmark = pytest.mark.browser

NAME = "21_kernels.ipynb"
GUARDED = "    i = cuda.grid(1)\n    if i < out.size:\n        out[i] = x[i + 1] - x[i]"
HEIGHT = f"(n) => {NOTEBOOK}.content.widgets[n].node.getBoundingClientRect().height"
ERRORS = f"""() => {NOTEBOOK}.content.widgets.filter((cell) => cell.model.type === "code"
    && cell.outputArea.model.toJSON().some((output) => output.output_type === "error")).length"""


def kernel(name: str, arguments: str, body: str, number: int) -> str:
    return f"@cuda.jit\ndef {name}({arguments}):\n{body}\n\n\nprint(ex{number}.check({name}))"


@pytest.fixture
def sources(root: Path) -> list[str]:
    cells = json.loads((root / "notebooks" / NAME).read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells]


@pytest.fixture
def book(desk: Desk, root: Path) -> Iterator[Book]:
    """The lesson, every cell of it run."""
    notebook = json.loads((root / "notebooks" / NAME).read_text(encoding="utf-8"))
    with desk.written("kernels", notebook, 1440, 1400) as one:
        lesson = Lesson(one.page)
        lesson.attached()
        lesson.run_all()
        yield one


def place(sources: list[str], words: str) -> int:
    return next(number for number, source in enumerate(sources) if words in source)


def test_a_thread_s_slot_is_pressed_and_its_kernel_comes_into_sight(book: Book, sources: list[str]) -> None:
    page: Any = book.page
    asked = place(sources, 'Predict("21.writer")')
    assert page.evaluate(ERRORS) == 0
    assert page.evaluate(HEIGHT, asked + 1) == 0
    card(page, asked).scroll_into_view_if_needed()
    card(page, asked).locator('.tk-tile[data-key="s:9"]').click()
    card(page, asked).get_by_role("button", name="I am sure").click()
    state(page, asked, "right")
    until(page, f"(n) => ({HEIGHT})(n) > 100", arg=asked + 1)
    book.shows(asked + 1, kernel="live", block=2, doing="write", array="out")
    book.part(asked + 1, "reset").click()
    book.tile(asked + 1, "thread:1").click()
    book.shows(asked + 1, block=0, doing="read", array="a")
    no_trouble(page)


def test_a_kernel_is_refused_with_its_line_and_then_solved(book: Book) -> None:
    unguarded = GUARDED.replace("    if i < out.size:\n        out", "    out")
    said = book.do(kernel("rises", "x, out", unguarded, 3))
    assert "more threads than elements" in said
    assert "in line 4" in said
    assert book.do(kernel("rises", "x, out", GUARDED, 3)) == "Right."
    hurried = (
        "    part = cuda.shared.array(64, float32)\n    t = cuda.threadIdx.x\n    part[t] = x[cuda.grid(1)]\n"
    )
    read = "    out[cuda.grid(1)] = part[63 - t]"
    assert "a block does not go in step" in book.do(kernel("turn", "x, out", hurried + read, 6))
    waits = f"{hurried}    cuda.syncthreads()\n{read}"
    assert book.do(kernel("turn", "x, out", waits, 6)) == "Right."
