"""Predict, commit, reveal in plain Jupyter Notebook 7, with the extension as the wheel installs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.beginning import run_all, until
from tests.browser.desk import Desk, desk_at
from tests.lab.test_serving import Served
from tests.widgets.hosts.test_notebook7 import OPTIONS, wrong
from tests.widgets.other_hosts import hosted
from tests.widgets.practice.test_browser import card
from tests.widgets.practice.test_reveal_browser import (
    CARD,
    CELL,
    IMPORTS,
    LAST,
    NEXT,
    TEXT,
    hidden,
    notebook,
    shown,
)
from tests.widgets.practice.test_reveal_cursor import ENTERED, IN_SIGHT, TOP, WINDOWS, at, go, windowed

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, root: Path, chromium: str) -> Iterator[Desk]:
    """`jupyter notebook`, which looks for extensions in one more folder, and a browser."""
    pytest.importorskip("notebook", reason="notebook is not installed")
    home = tmp_path_factory.mktemp("home")
    ours = root / "tensorkit" / "lab" / "jupyter" / "labextensions"
    options = (*OPTIONS, f"--JupyterNotebookApp.extra_labextensions_path={ours}")
    with hosted(home, root, "notebook", *options, probe="api/status") as url:
        served = Served(url, home, home, home / "attempts", home / "log", [], root, {})
        with desk_at(served, chromium) as one:
            one.address = "{url}/notebooks/{name}.ipynb?token={token}"
            yield one


def test_the_answer_waits_for_the_commit(desk: Desk) -> None:
    with desk.written("seven", notebook(), 1200, 1400, wrong) as book:
        page = book.page
        hidden(page, CELL, TEXT, LAST)
        shown(page, NEXT)
        run_all(page)
        one = card(page, CARD)
        one.locator("input").fill("(4, 2)")
        one.get_by_role("button", name="I am not sure").click()
        shown(page, CELL, TEXT)
        hidden(page, LAST)
        assert page.locator(".tk-reveal-news").text_content().startswith("The answer is in sight")


def test_shift_enter_stays_at_the_question_and_the_arrows_go_past_its_answer(desk: Desk) -> None:
    content = notebook()
    content["cells"][0]["source"] += "\n# a line" * 40
    with desk.written("seven", content, 1200, 600, wrong) as book:
        page = book.page
        for how in WINDOWS:
            windowed(page, how)
            go(page, CARD)
            page.keyboard.press("ArrowDown")
            at(page, NEXT)
            page.keyboard.press("ArrowUp")
            at(page, CARD)
        go(page, IMPORTS)
        page.keyboard.press("Shift+Enter")
        at(page, CARD)
        before = page.evaluate(TOP)
        page.keyboard.press("Shift+Enter")
        until(page, ENTERED, arg=CARD)
        at(page, CARD)
        assert page.evaluate(TOP) >= before
        assert page.evaluate(IN_SIGHT, CARD)
        page.keyboard.type("(4, 2)")
        page.keyboard.press("Enter")
        shown(page, CELL, TEXT)
        page.keyboard.press("Shift+Enter")
        at(page, CELL)
