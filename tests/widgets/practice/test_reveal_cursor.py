"""Among cells that are out of sight: where the notebook's cursor, the keyboard and the page go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.beginning import NOTEBOOK, ask, command, run_all, until
from tests.browser.desk import Book, Desk
from tests.widgets.practice.test_browser import card, state
from tests.widgets.practice.test_reveal_browser import (
    CARD,
    CELL,
    IMPORTS,
    KEEP,
    LAST,
    NEXT,
    ON,
    TEXT,
    TWO,
    hidden,
    notebook,
    shown,
)

pytestmark = pytest.mark.browser

AT = f"() => {NOTEBOOK}.content.activeCellIndex"
THERE = f"(number) => {NOTEBOOK}.content.activeCellIndex === number"
ENTERED = f"""(number) => {NOTEBOOK}.content.widgets[number].node
    .querySelector(".tk-card")?.contains(document.activeElement)"""
TOP = f"() => {NOTEBOOK}.content.outerNode.scrollTop"
CHOSEN = f"() => {NOTEBOOK}.content.selectedCells.map((cell) => {NOTEBOOK}.content.widgets.indexOf(cell))"
IDS = f"() => [...{NOTEBOOK}.content.model.cells].map((cell) => cell.id)"
IN_SIGHT = f"""(number) => {{
    const box = {NOTEBOOK}.content.widgets[number].node.querySelector(".tk-practice .tk-card").getBoundingClientRect();
    const room = {NOTEBOOK}.content.outerNode.getBoundingClientRect();
    return box.top >= room.top && box.bottom <= room.bottom;
}}"""
SAID = f"""(number) => {{
    const {{ outerNode, widgets }} = {NOTEBOOK}.content, room = outerNode.getBoundingClientRect();
    const {{ top, bottom }} = widgets[number].node.querySelector(".tk-practice .tk-verdict").getBoundingClientRect();
    return top >= room.top && bottom <= room.bottom;
}}"""
"""What is said of a prediction is in sight."""
BEGUN = f"""(number) => {{
    const {{ outerNode, widgets }} = {NOTEBOOK}.content;
    return widgets[number].node.getBoundingClientRect().top + 20 < outerNode.getBoundingClientRect().bottom;
}}"""
"""And so is the beginning of a cell below it."""
WINDOWS = "contentVisibility", "full", "defer", "none"
"""JupyterLab's ways of keeping cells off the page that are not looked at."""


def windowed(page: Any, how: str) -> None:
    """As the notebook's setting "Windowing mode" does."""
    page.evaluate(
        f"""(how) => {{
            const {{ content }} = {NOTEBOOK};
            content.notebookConfig = {{ ...content.notebookConfig, windowingMode: how }};
        }}""",
        how,
    )


def go(page: Any, number: int) -> None:
    """Put the notebook's cursor on a cell, and the keyboard with it."""
    page.evaluate(f"(number) => {{ {NOTEBOOK}.content.activeCellIndex = number; }}", number)
    page.evaluate(f"() => {NOTEBOOK}.content.activeCell.node.focus()")


def at(page: Any, number: int) -> None:
    until(page, THERE, arg=number)


@pytest.fixture
def book(desk: Desk) -> Iterator[Book]:
    """The notebook with a long text first, in a low window; its imports are run, no card is."""
    content = notebook()
    content["cells"][0]["source"] += "\n# a line" * 40
    with desk.written("cursor", content, 1200, 600) as one:
        until(one.page, f"(number) => {NOTEBOOK}.content.widgets[number].node.matches('.tk-held')", arg=CELL)
        go(one.page, IMPORTS)
        yield one
        windowed(one.page, "contentVisibility")


@pytest.fixture
def page(book: Book) -> Any:
    book.page.mouse.move(400, 300)  # where the wheel turns the page
    return book.page


@pytest.mark.parametrize("how", WINDOWS)
def test_shift_enter_stays_at_the_question_and_after_the_answer_goes_on(page: Any, how: str) -> None:
    windowed(page, how)
    page.keyboard.press("Shift+Enter")
    at(page, CARD)
    before = page.evaluate(TOP)
    page.keyboard.press("Shift+Enter")
    until(page, ENTERED, arg=CARD)
    assert page.evaluate(AT) == CARD
    assert page.evaluate(TOP) >= before
    assert page.evaluate(IN_SIGHT, CARD)
    hidden(page, CELL)
    page.keyboard.type("(4, 2)")
    page.keyboard.press("Shift+Enter")
    state(page, CARD, "right")
    assert page.evaluate(AT) == CARD, "the verdict is read first"
    until(page, SAID, arg=CARD)
    before = page.evaluate(TOP)
    page.keyboard.press("Shift+Enter")
    at(page, CELL)
    shown(page, CELL, TEXT)
    # The card's cell runs again: while its output is away for a moment, the page is shorter.
    until(page, f"(before) => ({TOP})() >= before", arg=before)
    assert page.evaluate(IDS) == [f"c{number}" for number in range(ON + 1)]


@pytest.mark.parametrize("how", WINDOWS)
def test_the_question_stays_in_sight_while_the_cells_above_it_grow(page: Any, how: str) -> None:
    windowed(page, how)
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    until(page, ENTERED, arg=CARD)
    page.evaluate(
        f"(number) => {{ {NOTEBOOK}.content.widgets[number].node.style.minHeight = '2000px'; }}", IMPORTS
    )
    until(page, f"() => ({TOP})() > 1000")
    until(page, IN_SIGHT, arg=CARD)
    page.keyboard.press("Tab")
    before = page.evaluate(TOP)
    page.mouse.wheel(0, -300)
    until(page, f"(before) => ({TOP})() < before", arg=before)


def test_an_empty_answer_is_none_and_the_keyboard_stays(page: Any) -> None:
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    until(page, ENTERED, arg=CARD)
    page.keyboard.press("Shift+Enter")
    page.locator(f'[data-windowed-list-index="{CARD}"] [role="status"]', has_text=" ").wait_for(
        state="attached"
    )
    assert (page.evaluate(AT), page.evaluate(ENTERED, CARD)) == (CARD, True)
    hidden(page, CELL)


@pytest.mark.parametrize(("down", "up"), [("ArrowDown", "ArrowUp"), ("j", "k")])
def test_the_arrows_go_past_what_is_out_of_sight(page: Any, down: str, up: str) -> None:
    run_all(page)
    for number in (CARD, TWO):
        card(page, number).wait_for()
    go(page, IMPORTS)
    way = [CARD, NEXT, TWO, KEEP, ON]
    for number in way:
        page.keyboard.press(down)
        at(page, number)
    for number in [*way[-2::-1], IMPORTS]:
        page.keyboard.press(up)
        at(page, number)


def test_the_arrows_go_past_it_from_a_line_of_code_too(page: Any) -> None:
    page.keyboard.press("Shift+Enter")
    go(page, CARD)
    page.keyboard.press("Enter")
    page.keyboard.press("Control+End")
    page.keyboard.press("ArrowDown")
    at(page, NEXT)
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    at(page, CARD)


def test_the_run_button_stays_at_the_question_too(page: Any) -> None:
    run = page.locator('.jp-NotebookPanel-toolbar [data-jp-item-name="run"] :is(button, jp-button)').first
    run.click()
    at(page, CARD)
    run.click()
    card(page, CARD).wait_for()
    until(page, ENTERED, arg=CARD)
    assert (page.evaluate(AT), page.evaluate(IN_SIGHT, CARD)) == (CARD, True)
    card(page, CARD).get_by_role("button", name="Skip").click()
    shown(page, CELL)
    run.click()
    at(page, CELL)


def test_after_all_cells_are_run_the_page_is_not_at_its_title(page: Any) -> None:
    run_all(page)
    for number in (CARD, TWO):
        card(page, number).wait_for()
    assert page.evaluate(AT) == ON
    assert page.evaluate(TOP) > 0
    hidden(page, CELL, LAST)


def test_a_selection_goes_across_and_what_is_cut_comes_back(page: Any) -> None:
    page.keyboard.press("Shift+Enter")
    at(page, CARD)
    page.keyboard.press("Shift+ArrowDown")
    at(page, NEXT)
    assert page.evaluate(CHOSEN) == [CARD, CELL, TEXT, NEXT]
    page.keyboard.press("Shift+ArrowUp")
    at(page, CARD)
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("x")
    until(page, f"() => {NOTEBOOK}.content.widgets.length === {ON + 1 - 4}")
    page.keyboard.press("z")
    until(page, f"() => {NOTEBOOK}.content.widgets.length === {ON + 1}")
    assert page.evaluate(IDS) == [f"c{number}" for number in range(ON + 1)]
    hidden(page, CELL, TEXT)
    assert page.evaluate(AT) not in (CELL, TEXT)


def test_a_cell_that_is_inserted_below_the_question_is_in_sight(page: Any) -> None:
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Alt+Enter")
    at(page, CARD + 1)
    page.keyboard.type("here = 1")
    page.keyboard.press("Shift+Enter")
    at(page, NEXT + 1)
    hidden(page, CELL + 1, TEXT + 1)
    assert ask(page, "here") == "1"


def test_asked_again_the_cursor_goes_back_to_the_question(page: Any) -> None:
    run_all(page)
    card(page, CARD).wait_for()
    ask(page, "p.skip()")
    shown(page, CELL)
    go(page, CELL)
    ask(page, "p.again()")
    hidden(page, CELL)
    at(page, CARD)
    assert page.evaluate("() => document.activeElement.closest('.jp-Cell') !== null"), "the keyboard too"


def test_a_cell_that_only_names_a_question_is_gone_on_from(desk: Desk) -> None:
    content = notebook()
    content["cells"][1]["source"] = 'p = Predict("02.slice_stride")'
    with desk.written("cursor", content, 1200, 600) as one:
        go(one.page, IMPORTS)
        one.page.keyboard.press("Shift+Enter")
        one.page.keyboard.press("Shift+Enter")
        at(one.page, NEXT)


def test_below_a_question_that_ends_the_notebook_the_next_cell_is_written(desk: Desk) -> None:
    content = notebook()
    content["cells"] = content["cells"][: CARD + 1]
    with desk.written("cursor", content, 1200, 600) as one:
        go(one.page, IMPORTS)
        one.page.keyboard.press("Shift+Enter")
        one.page.keyboard.press("Shift+Enter")
        at(one.page, CARD + 1)
        one.page.keyboard.type("1 + 1")
        until(one.page, f"() => {NOTEBOOK}.content.activeCell.model.sharedModel.getSource() === '1 + 1'")


def test_in_front_of_a_room_the_keys_stay_the_presenters(page: Any) -> None:
    page.evaluate("() => { document.body.dataset.tensorkitPresent = 'ready'; }")
    try:
        page.keyboard.press("Shift+Enter")
        page.keyboard.press("Shift+Enter")
        until(page, ENTERED, arg=CARD)
        assert page.evaluate("() => document.activeElement.matches('.tk-card')")
        page.keyboard.press("r")
        state(page, CARD, "skipped")
        shown(page, CELL)
        until(page, SAID, arg=CARD)
        until(page, BEGUN, arg=CELL)
        page.keyboard.press("ArrowDown")
        at(page, CELL)
    finally:
        page.evaluate("() => { delete document.body.dataset.tensorkitPresent; }")


def test_a_folded_part_that_is_opened_again_has_its_cells_passed_by(page: Any) -> None:
    until(page, f"() => {NOTEBOOK}.content.widgets[{NEXT}].headingInfo?.level === 2")
    go(page, NEXT)
    for _ in range(2):
        command(page, "notebook:toggle-heading-collapse")
    for number in (TWO, KEEP):
        page.keyboard.press("ArrowDown")
        at(page, number)


SMALL = {"width": 1280, "height": 720}
CARDS = {
    "quiz": 'Quiz("02.retrieval")',
    "tall quiz": 'Quiz("00.before")',
    "exercise": 'Exercise("02.find_the_slot")',
    "tall prediction": "Predict('Which of these is it?' + chr(10) * 2 + '    line' * 2, "
    "['a ' + 'long option ' * 60, 'b ' + 'long option ' * 60, 'c ' * 300], answer='c ' * 300)",
}
BUTTONS = f"""(number) => {{
    const {{ node }} = {NOTEBOOK}.content.widgets[number], room = {NOTEBOOK}.content.outerNode.getBoundingClientRect();
    const card = node.querySelector(".tk-practice .tk-card"), part = card?.querySelector("[data-part]") ?? card;
    const buttons = [...part?.querySelectorAll("button[data-do]") ?? []];
    const seen = ({{ top, bottom }}) => top >= room.top && bottom <= room.bottom;
    return buttons.length > 0 && buttons.every((button) => seen(button.getBoundingClientRect()));
}}"""
LAST_BUTTON = f"""(number) => {{
    const {{ node }} = {NOTEBOOK}.content.widgets[number], room = {NOTEBOOK}.content.outerNode.getBoundingClientRect();
    const box = [...node.querySelectorAll(".tk-practice button[data-do]")].at(-1).getBoundingClientRect();
    return box.top >= room.top && box.bottom <= room.bottom;
}}"""


@pytest.fixture(params=CARDS.values(), ids=CARDS.keys())
def low(desk: Desk, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A card below a long text, in a low window; its imports are run."""
    content = notebook()
    cells = [content["cells"][k] for k in (IMPORTS, CARD, NEXT, ON)]
    cells[0]["source"] = "from tensorkit_widgets import Exercise, Predict, Quiz" + "\n# a line" * 20
    cells[1] = {**cells[1], "source": request.param, "outputs": []}
    with desk.written("low", {**content, "cells": cells}, **SMALL) as one:
        go(one.page, IMPORTS)
        one.page.mouse.move(400, 300)
        one.page.keyboard.press("Shift+Enter")
        at(one.page, CARD)
        yield one.page


@pytest.mark.parametrize("key", ["Shift+Enter", "Control+Enter"])
def test_the_buttons_of_a_card_are_in_sight_when_it_comes(low: Any, key: str) -> None:
    low.keyboard.press(key)
    until(low, BUTTONS, arg=CARD)


def test_a_card_that_is_there_already_stays_in_sight_when_it_is_run_again(low: Any) -> None:
    low.keyboard.press("Control+Enter")
    until(low, BUTTONS, arg=CARD)
    go(low, CARD)
    low.keyboard.press("Shift+Enter")
    low.wait_for_timeout(1500)  # whatever moves the page has moved it
    until(low, BUTTONS, arg=CARD)


def test_the_buttons_come_into_sight_with_the_keyboard_and_the_mouse(low: Any) -> None:
    low.keyboard.press("Shift+Enter")
    until(low, BUTTONS, arg=CARD)
    boxes = low.locator(f'[data-windowed-list-index="{CARD}"] .tk-practice input')
    if boxes.count() < 3:
        return
    low.evaluate(f"() => {{ {NOTEBOOK}.content.outerNode.scrollTop = 0; }}")
    boxes.last.focus()
    until(low, LAST_BUTTON, arg=CARD)
    low.evaluate(f"() => {{ {NOTEBOOK}.content.outerNode.scrollTop -= 60; }}")
    boxes.last.click()
    until(low, LAST_BUTTON, arg=CARD)


def test_somebody_who_goes_on_is_not_called_back(low: Any) -> None:
    """The first turn of the wheel moves the page, and the page stays there when a cell above grows."""
    low.keyboard.press("Shift+Enter")
    until(low, BUTTONS, arg=CARD)
    low.mouse.wheel(0, -5000)
    until(low, f"() => ({TOP})() === 0")
    low.evaluate(
        f"(number) => {{ {NOTEBOOK}.content.widgets[number].node.style.minHeight = '2000px'; }}", IMPORTS
    )
    low.evaluate("() => document.dispatchEvent(new Event('tensorkit-card'))")
    # What observes the size of the page has been told of it two frames later.
    for _ in range(2):
        low.evaluate("() => new Promise(requestAnimationFrame)")
    assert low.evaluate(TOP) == 0
