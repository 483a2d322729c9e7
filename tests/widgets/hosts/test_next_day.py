"""A notebook that was run with live pictures, saved, and opened again: the next day, in another tab, untrusted.

Its file has the pictures alone. Opened on another kernel it shows them and an invitation, and nothing red; opened
on the kernel that it was run with, it is live again.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser import beginning
from tests.browser.beginning import NOTEBOOK, until
from tests.browser.desk import Book, Desk, desk_at
from tests.browser.jupyter import ATTACHED, TRUSTED, no_trouble
from tests.lab.test_browser import PATIENCE_MS, READY
from tests.lab.test_serving import TOKEN, Served, running

pytestmark = pytest.mark.browser

BOARD, EXPLORER, CARD = 1, 2, 3
CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import BroadcastExplorer, Predict, StrideExplorer",
    "w = BroadcastExplorer(tk.arange(3.0).view(3, 1), tk.arange(4.0))\nw",
    "StrideExplorer(tk.arange(12.0).view(3, 4))",
    'p = Predict("02.write_storage")\np',
]
SHOWN = [BOARD, EXPLORER, CARD]
VIEW = "application/vnd.jupyter.widget-view+json"
ANSWER = "keeps its own numbers"
# JupyterLab's own words of what was closed or stopped before it had its answer.
HASTE = ("Could not restore the debugger state", "Canceled future")
OPENED = f"() => Boolean(window.jupyterapp?.shell?.currentWidget?.content?.model) && ({ATTACHED})()"
DIRTY = f"() => {NOTEBOOK}.content.model.dirty"
NO_KERNEL = f"""() => {{
    window.stopped = false;
    {NOTEBOOK}.sessionContext.shutdown().then(() => {{ window.stopped = true; }});
}}"""


@pytest.fixture
def served(
    tmp_path_factory: pytest.TempPathFactory, root: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Served]:
    """A server of each test's own, which may be stopped; answers are kept, as a learner's are."""
    monkeypatch.setenv("TENSORKIT_PROGRESS", "1")
    with running(tmp_path_factory.mktemp("days"), root, "LabApp.expose_app_in_browser=True") as one:
        yield one


@pytest.fixture
def days(served: Served, chromium: str) -> Iterator[Desk]:
    with desk_at(served, chromium) as one:
        yield one


def evening(days: Desk) -> dict[str, Any]:
    """The file of a notebook that was run, answered and saved, and whose server was stopped and started since."""
    with days.begun("day", CELLS, SHOWN) as book:
        card = book.view(CARD)
        card.get_by_label(ANSWER).click()
        card.get_by_role("button", name="I am sure", exact=True).click()
        book.page.locator('.tk-card[data-state="wrong"]').wait_for()
        book.part(BOARD, "step").click()
        book.shows(BOARD, step=1)
        book.save()
        assert not book.page.evaluate(DIRTY)
        book.shows(BOARD, kernel="live", step=1)
        book.page.context.close()
    return json.loads((days.served.folder / "day.ipynb").read_text(encoding="utf-8"))


def opened(days: Desk, name: str = "day") -> Book:
    """The notebook in a browser that has never seen it."""
    page = days.browser.new_context(
        viewport={"width": 1440, "height": 2400}, reduced_motion="reduce"
    ).new_page()
    page.set_default_timeout(PATIENCE_MS)
    book = Book(page, [])
    page.goto(f"{days.served.url}/lab/tree/{name}.ipynb?token={TOKEN}&reset")
    until(page, OPENED)
    return book


def at_rest(book: Book) -> None:
    """Its pictures, each with its invitation, and nothing live, nothing red, no error."""
    page = book.page
    stills = page.locator(".jp-OutputArea .tk-still:visible")
    until(page, "() => document.querySelectorAll('.jp-OutputArea .tk-still').length === 3")
    assert stills.count() == 3
    assert page.locator(".jp-OutputArea .tk-play:visible").all_inner_texts() == [
        "▷ Run this cell to play with the picture.",
        "▷ Run this cell to play with the picture.",
        "▷ Run this cell to answer.",
    ]
    assert page.locator("[data-tk-widget]").count() == 0
    no_trouble(page)
    assert [said for said in book.errors if not said.startswith(HASTE)] == []
    assert book.faults == []


def test_the_next_day_it_is_a_page_of_pictures_and_comes_to_life_when_it_runs(days: Desk) -> None:
    file = evening(days)
    kinds = [[sorted(output["data"]) for output in cell["outputs"]] for cell in file["cells"]]
    assert kinds[1:4] == [[["text/html", "text/plain"]]] * 3
    assert "widgets" not in file["metadata"]
    days.served.stop()
    days.served.start()
    book = opened(days)
    until(book.page, READY)
    assert all(book.page.evaluate(TRUSTED))
    at_rest(book)
    assert not book.page.evaluate(DIRTY)
    book.run_all()
    for number in (BOARD, EXPLORER):
        book.shows(number, kernel="live")
    book.page.locator('.tk-card[data-state="wrong"]').wait_for()
    assert ANSWER in book.ask("p.answer")
    assert book.page.locator(".tk-still:visible").count() == 0
    no_trouble(book.page)


def test_untrusted_and_without_a_kernel_it_is_the_same_page(days: Desk) -> None:
    file = evening(days)
    days.served.end_kernels()
    # Jupyter knows what was trusted once by its content.
    file["metadata"]["try"] = uuid.uuid4().hex
    (days.served.folder / "foreign.ipynb").write_text(json.dumps(file), encoding="utf-8")
    book = opened(days, "foreign")
    until(book.page, READY)
    assert not any(book.page.evaluate(TRUSTED))
    at_rest(book)
    book.page.evaluate(NO_KERNEL)
    until(book.page, "() => window.stopped")
    at_rest(book)


def test_another_tab_on_the_same_kernel_is_live_and_has_nothing_to_save(days: Desk) -> None:
    with days.begun("day", CELLS, SHOWN) as book:
        book.part(BOARD, "step").click()
        book.shows(BOARD, step=1)
        book.save()
        book.page.reload()
        until(book.page, OPENED)
        for number in (BOARD, EXPLORER):
            book.shows(number, kernel="live")
        book.shows(BOARD, step=1)
        assert book.view(CARD).is_visible()
        until(
            book.page,
            "() => ![...document.querySelectorAll('.tk-still')].some((one) => one.checkVisibility())",
        )
        assert not book.page.evaluate(DIRTY)
        no_trouble(book.page)
        book.part(BOARD, "step").click()
        book.shows(BOARD, step=2)
        assert book.ask("w.at") == "2"
        # What is read from the file again has its views again.
        book.root(BOARD).evaluate("root => { window.before = root; }")
        beginning.command(book.page, "docmanager:reload")
        until(book.page, "() => !window.before.isConnected")
        book.shows(BOARD, kernel="live", step=2)
        book.page.close()
