"""The gallery in plain Jupyter Notebook 7, without our settings: every widget live, nothing leaves the machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.desk import Book, Desk, desk_at
from tests.browser.jupyter import no_trouble
from tests.lab.test_serving import TOKEN, Served
from tests.widgets.gallery import BOARDS, FAILED, number_of, run_gallery, shown
from tests.widgets.other_hosts import hosted

pytestmark = pytest.mark.browser

OPTIONS = (
    "--ip=127.0.0.1",
    "--allow-root",
    "--expose-app-in-browser",
    f"--IdentityProvider.token={TOKEN}",
)

ITS_OWN = "Cannot read properties of undefined (reading 'schema')"
"""Notebook 7.6 complains so of its own settings, on an empty notebook too."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, root: Path, chromium: str) -> Iterator[Desk]:
    """`jupyter notebook`, and a browser."""
    pytest.importorskip("notebook", reason="notebook is not installed")
    home = tmp_path_factory.mktemp("notebook7")
    with hosted(home, root, "notebook", *OPTIONS, probe="api/status") as url:
        served = Served(url, home, home, home / "attempts", home / "log", [], root, {})
        with desk_at(served, chromium) as one:
            one.address = "{url}/notebooks/{name}.ipynb?token={token}"
            yield one


def wrong(fault: str) -> bool:
    """What the page complains of that is not its own."""
    return ITS_OWN not in fault


@pytest.fixture
def book(desk: Desk) -> Iterator[Book]:
    """The gallery, run."""
    with run_gallery(desk, wrong) as one:
        yield one
        assert list(filter(wrong, one.errors)) == []
        assert one.asked


def test_every_widget_is_live_and_nothing_failed(book: Book) -> None:
    assert book.page.title().startswith("the_gallery"), "the page of Jupyter Notebook, not JupyterLab"
    assert book.page.evaluate(FAILED) == []
    assert {name: shown(book, name).get_attribute("data-tk-widget") for name in BOARDS} == BOARDS
    no_trouble(book.page)


def test_what_is_done_here_is_done_in_python(book: Book) -> None:
    """A step, a number that lights up elsewhere, a number that is typed, an answer, a change from Python."""
    before = int(book.ask("stretched.at"))
    shown(book, "stretched").locator('[data-role="back"]').click()
    seen(book, "stretched", f'[data-step="{before - 1}"]')
    assert book.ask("stretched.at") == str(before - 1)

    cell = shown(book, "strides").locator('[data-table="t"] .tk-tile[data-slot="3"]')
    cell.scroll_into_view_if_needed()
    cell.hover()
    for name in ("memory", "chosen", "stretched", "summed", "met"):
        seen(book, name, "", '.tk-tile.tk-kin[data-slot="3"]')
    cell.focus()
    for key in ("Enter", "Control+a", "9", "9", "Enter"):
        book.keyboard.press(key)
    for name in ("chosen", "summed", "met"):
        seen(book, name, "", '.tk-tile[data-slot="3"][data-full="99"]')
    assert book.ask("medals[1, 0].item()") == "99"

    box = shown(book, "predicted").locator("input").first
    box.fill("(1, 3)")
    box.press("Enter")
    book.page.locator(
        f'[data-windowed-list-index="{number_of("predicted")}"] .tk-card[data-state="right"]'
    ).wait_for()
    assert book.ask("predicted.answer") == "(1, 3)"

    book.ask("setattr(strides, 'expression', '[1:]')")
    seen(book, "strides", '[data-expression="[1:]"]')


def test_a_picture_fills_the_window_for_a_room(book: Book) -> None:
    keys, stage = book.keyboard, "dialog.tk-stage [data-tk-widget='graph-view']"
    shown(book, "graph").locator('[data-role="present"]').focus()
    keys.press("p")
    book.page.locator(stage).wait_for()
    step = int(book.ask("graph.at"))
    keys.press("ArrowRight")
    book.page.locator(f'{stage}[data-step="{step + 1}"]').wait_for()
    assert book.ask("graph.at") == str(step + 1)
    keys.press("Escape")
    book.page.locator("dialog.tk-stage").wait_for(state="detached")


def seen(book: Book, name: str, state: str, inside: str = "") -> None:
    """Wait until the widget of this name carries these attributes, or has a part that does."""
    here = f'.jp-Notebook [data-windowed-list-index="{number_of(name)}"] [data-tk-widget]{state} {inside}'
    book.page.locator(here).first.wait_for(state="attached")
