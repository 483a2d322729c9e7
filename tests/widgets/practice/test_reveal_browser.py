"""Predict, commit, reveal in JupyterLab: what answers a prediction is out of sight until it is made, or skipped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.beginning import NOTEBOOK, ask, command, restart, run_all, until, whole
from tests.browser.desk import Book, Desk
from tests.widgets.practice.test_browser import card, state

pytestmark = pytest.mark.browser

KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
ANSWER = "<details>\n<summary>Show</summary>\n\nThe **stride** is (4, 2).\n\n</details>"
KEPT = "<details>\n<summary>Show</summary>\n\n- Each step of 2 doubles a stride.\n\n</details>"
STILL = {
    "output_type": "display_data",
    "metadata": {},
    "data": {"text/html": '<div class="tk-still">Predict first</div>', "text/plain": "Predict first"},
}
STREAM = {"output_type": "stream", "name": "stdout", "text": "the stride:\n(4, 2)\n"}

IMPORTS, CARD, CELL, TEXT, NEXT, TWO, LAST, KEEP, LIST, ON = range(10)
SHOWN = f"(n) => {NOTEBOOK}.content.widgets[n].node.getBoundingClientRect().height > 0"
HIDDEN = f"(n) => {NOTEBOOK}.content.widgets[n].node.getBoundingClientRect().height === 0"
STORED = f"() => JSON.stringify({NOTEBOOK}.context.model.toJSON().cells.map((cell) => [cell.metadata, cell.source]))"


def notebook() -> dict[str, Any]:
    """Two cards: one of a choice of its own words, and the cells that answer them."""
    code = (
        ("import tensorkit as tk\nfrom tensorkit_widgets import Predict", {}, []),
        ('p = Predict("02.slice_stride")\np', {}, [STILL]),
        (
            't = tk.arange(12.0).view(3, 4)\nprint("the stride:")\nprint(t[1:, ::2].stride())',
            {"tensorkit": {"after": "02.slice_stride"}, "jupyter": {"outputs_hidden": True}},
            [STREAM],
        ),
        (ANSWER, {"tensorkit": {"after": "02.slice_stride"}}, None),
        ("## The next part", {}, None),
        ('Predict("02.write_storage")', {}, [STILL]),
        ("made = 1", {"tensorkit": {"after": ["02.slice_stride", "02.write_storage"]}}, []),
        ("## What to keep", {}, None),
        (KEPT, {"tensorkit": {"after": ["02.slice_stride", "02.write_storage"]}}, None),
        ("On to the next lesson.", {}, None),
    )
    cells = [
        {"cell_type": "markdown", "id": f"c{k}", "metadata": metadata, "source": source}
        if outputs is None
        else {
            "cell_type": "code",
            "id": f"c{k}",
            "metadata": metadata,
            "source": source,
            "outputs": outputs,
            "execution_count": None,
        }
        for k, (source, metadata, outputs) in enumerate(code)
    ]
    return {"cells": cells, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def book(desk: Desk) -> Iterator[Book]:
    """The notebook as it was written; nothing is run."""
    with desk.written("reveal", notebook(), 1200, 1400) as one:
        until(one.page, HIDDEN, arg=CELL)
        yield one


@pytest.fixture
def page(book: Book) -> Any:
    """The notebook, run: both cards are alive."""
    run_all(book.page)
    for number in (CARD, TWO):
        card(book.page, number).wait_for()
    return book.page


def shown(page: Any, *numbers: int) -> None:
    for number in numbers:
        until(page, SHOWN, arg=number)


def hidden(page: Any, *numbers: int) -> None:
    for number in numbers:
        until(page, HIDDEN, arg=number)


def waits(page: Any, number: int) -> Any:
    """The line that stands in the place of the answer."""
    return page.locator(f'[data-windowed-list-index="{number}"] > .tk-waits')


def test_the_answer_waits_for_the_commit_and_is_announced(page: Any) -> None:
    hidden(page, CELL, TEXT, LAST)
    shown(page, NEXT)
    assert waits(page, CARD).inner_text() == "The answer is below. Predict first, or skip."
    one = card(page, CARD)
    one.locator("input").fill("(4, 1)")
    one.locator("input").press("Enter")
    state(page, CARD, "wrong")
    shown(page, CELL, TEXT)
    assert waits(page, CARD).count() == 0
    page.locator(".tk-reveal-news", has_text="in sight").wait_for(state="attached")
    assert page.evaluate("() => document.activeElement.closest('.tk-practice') !== null"), "the focus stays"
    text = page.locator(f'[data-windowed-list-index="{TEXT}"]')
    assert text.get_by_text("The stride is (4, 2).").is_visible()
    assert text.locator("summary").is_hidden()
    assert page.locator(f'[data-windowed-list-index="{CELL}"] .jp-OutputPlaceholder').count() == 0
    assert "(4, 2)" in page.locator(f'[data-windowed-list-index="{CELL}"] .jp-OutputArea').inner_text()
    hidden(page, LAST)
    card(page, TWO).get_by_role("button", name="Skip").click()
    shown(page, LAST)


def test_asking_again_takes_the_answer_out_of_sight(page: Any) -> None:
    ask(page, "p.skip()")
    shown(page, CELL, TEXT)
    card(page, CARD).get_by_role("button", name="Ask me again").click()
    hidden(page, CELL, TEXT)


def test_cells_out_of_sight_run_and_the_file_is_not_changed(book: Book) -> None:
    page = book.page
    before = json.loads(page.evaluate(STORED))
    run_all(page)
    card(page, CARD).wait_for()
    hidden(page, CELL, TEXT, LAST)
    assert ask(page, "made, tuple(t.size())") == "1 (3, 4)"
    after = json.loads(page.evaluate(STORED))
    assert [source for _, source in after] == [source for _, source in before]
    told = [metadata.get("tensorkit") for metadata, _ in after]
    assert told == [metadata.get("tensorkit") for metadata, _ in before]
    assert not any("hidden" in str(metadata.get("tensorkit")) for metadata, _ in after)


def test_without_a_kernel_a_button_shows_the_answer(book: Book) -> None:
    page = book.page
    before = page.evaluate(STORED)
    hidden(page, CELL, TEXT, LAST)
    line = waits(page, CARD)
    assert line.inner_text().replace("\n", " ") == (
        "The answer is below. Run the question and predict first, or Show"
    )
    line.get_by_role("button", name="Show").click()
    shown(page, CELL, TEXT)
    hidden(page, LAST)
    assert "(4, 2)" in page.locator(f'[data-windowed-list-index="{CELL}"] .jp-OutputArea').inner_text()
    assert page.evaluate(f"() => {NOTEBOOK}.content.activeCellIndex") == CELL
    assert page.evaluate(STORED) == before, "what is stored stays as it was"
    run_all(page)
    card(page, CARD).wait_for()
    hidden(page, CELL, TEXT)


def test_an_answer_given_before_is_in_sight_when_the_card_runs_again(page: Any) -> None:
    ask(page, "p.skip()")
    shown(page, CELL, TEXT)
    run_all(page)
    state(page, CARD, "skipped")
    shown(page, CELL, TEXT)
    restart(page)
    shown(page, CELL, TEXT)
    run_all(page)
    state(page, CARD, "open")  # no answers are kept here
    hidden(page, CELL, TEXT)


def test_a_folded_heading_shows_nothing_when_it_is_opened_again(page: Any) -> None:
    until(page, f"() => {NOTEBOOK}.content.widgets[{NEXT}].headingInfo?.level === 2")
    page.evaluate(f"() => {{ {NOTEBOOK}.content.activeCellIndex = {NEXT}; }}")
    command(page, "notebook:toggle-heading-collapse")
    hidden(page, TWO, LAST)
    command(page, "notebook:toggle-heading-collapse")
    shown(page, TWO)
    hidden(page, LAST)


def test_two_views_of_one_notebook_and_every_cell_on_the_page(page: Any) -> None:
    whole(page)
    hidden(page, CELL, TEXT)
    command(page, "docmanager:clone")
    held = "() => document.querySelectorAll('.jp-Cell.tk-held').length"
    until(page, f"() => ({held})() === 8")
    ask(page, "p.skip()")
    until(page, f"() => ({held})() === 4")
    page.evaluate(f"() => {NOTEBOOK}.dispose()")


@pytest.mark.parametrize("name", ["Light", "Dark"])
def test_the_line_has_no_accessibility_fault(book: Book, name: str) -> None:
    book.theme(name)
    waits(book.page, CARD).wait_for()
    assert book.axe(".tk-waits") == []


def test_what_to_keep_waits_for_every_prediction_above_it(page: Any) -> None:
    hidden(page, LIST)
    shown(page, KEEP, ON)
    line = "This part gives away {} above. Predict first, or Show"
    told = """([place, words]) => document.querySelector(
        `[data-windowed-list-index="${place}"] > .tk-waits`)?.innerText.replace("\\n", " ") === words"""
    until(page, told, arg=[KEEP, line.format("the answers to 2 predictions")])
    ask(page, "p.skip()")
    until(page, told, arg=[KEEP, line.format("the answer to a prediction")])
    hidden(page, LIST)
    card(page, TWO).get_by_role("button", name="Skip").click()
    shown(page, LIST)
    assert waits(page, KEEP).count() == 0
    told_now = page.locator(f'[data-windowed-list-index="{LIST}"] .jp-RenderedMarkdown')
    assert told_now.get_by_text("Each step of 2 doubles a stride.").is_visible()


def test_what_to_keep_can_be_asked_for_and_the_answers_stay_out_of_sight(page: Any) -> None:
    before = page.evaluate(STORED)
    waits(page, KEEP).get_by_role("button", name="Show").click()
    shown(page, LIST)
    hidden(page, CELL, TEXT, LAST)
    assert page.evaluate(f"() => {NOTEBOOK}.content.activeCellIndex") == LIST
    assert page.evaluate(STORED) == before
