"""Predict, commit, reveal in plain Jupyter Notebook 7, with the extension as the wheel installs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.beginning import run_all
from tests.browser.desk import Desk, desk_at
from tests.lab.test_serving import Served
from tests.widgets.hosts.test_notebook7 import OPTIONS, wrong
from tests.widgets.other_hosts import hosted
from tests.widgets.practice.test_browser import card
from tests.widgets.practice.test_reveal_browser import CARD, CELL, LAST, NEXT, TEXT, hidden, notebook, shown

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
