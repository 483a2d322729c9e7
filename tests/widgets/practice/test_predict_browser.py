"""Predictions that are given in a picture, with how sure they are, and in front of a room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.beginning import ask, notebook_of, theme, until
from tests.browser.desk import Book, Desk
from tests.widgets.practice.test_browser import card, state

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import Predict",
    'slot = Predict("02.which_slot")\nslot',
    'step = Predict("05.the_jump")\nstep',
    'cells = Predict("09.step")\ncells',
    'view = Predict("05.which_view")\nview',
]
SLOT, STEP, CELLS_OF, VIEW = 1, 2, 3, 4
ROOM = "() => { document.body.dataset.tensorkitPresent = 'ready'; }"
NO_ROOM = "() => { delete document.body.dataset.tensorkitPresent; }"
HERE = "() => document.activeElement.dataset.key ?? ''"


@pytest.fixture
def book(desk: Desk) -> Iterator[Book]:
    """The cards, run."""
    with desk.begun("predict", CELLS, [SLOT, STEP, CELLS_OF, VIEW], width=1100, height=3000) as one:
        yield one


@pytest.fixture
def page(book: Book) -> Any:
    return book.page


@pytest.fixture
def room(desk: Desk) -> Iterator[Any]:
    """The same in front of a room: the page says so before the cards are drawn."""
    with desk.written("predict_room", notebook_of(CELLS), 1400, 2600) as one:
        one.page.evaluate(ROOM)
        one.run_all()
        for number in (SLOT, VIEW):
            one.page.locator(f'[data-windowed-list-index="{number}"] .tk-room').wait_for()
        yield one.page
        one.page.evaluate(NO_ROOM)


def tile(page: Any, number: int, key: str) -> Any:
    return card(page, number).locator(f'.tk-tile[data-key="{key}"]')


def entry(page: Any, number: int) -> Any:
    return card(page, number).locator("input[type=text]")


def test_a_slot_is_pressed_and_committed(page: Any) -> None:
    tile(page, SLOT, "s:9").click()
    assert entry(page, SLOT).input_value() == "9"
    tile(page, SLOT, "s:13").click()
    assert entry(page, SLOT).input_value() == "13"
    chosen = card(page, SLOT).locator('.tk-tile[aria-selected="true"]')
    assert chosen.evaluate_all("tiles => tiles.map((tile) => tile.dataset.key)") == ["s:13"]
    card(page, SLOT).get_by_role("button", name="I am sure").click()
    state(page, SLOT, "wrong")
    assert ask(page, "slot.answer, slot.sure") == "13 True"
    assert card(page, SLOT).locator('.tk-is-good[data-key="s:14"]').count() == 1
    assert card(page, SLOT).locator('.tk-is-bad[data-key="s:13"]').count() == 1
    assert "You were sure" in card(page, SLOT).inner_text()


def test_a_slot_is_chosen_by_keyboard_alone(page: Any) -> None:
    tile(page, SLOT, "s:0").focus()
    for _ in range(14):
        page.keyboard.press("ArrowRight")
    assert page.evaluate(HERE) == "s:14"
    page.keyboard.press("Enter")
    said = page.locator(f'[data-windowed-list-index="{SLOT}"] [role="status"]')
    said.filter(has_text="slot 14 chosen.").wait_for(state="attached")
    page.keyboard.press("Tab")
    assert page.evaluate(HERE) == "entry"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate(HERE) == "unsure"
    page.keyboard.press("Enter")
    state(page, SLOT, "right")
    assert ask(page, "slot.answer, slot.sure") == "14 False"


def test_what_is_typed_is_marked_in_the_picture(page: Any) -> None:
    entry(page, SLOT).fill("14")
    assert tile(page, SLOT, "s:14").get_attribute("aria-selected") == "true"
    entry(page, SLOT).fill("1")
    assert tile(page, SLOT, "s:14").get_attribute("aria-selected") == "false"
    assert tile(page, SLOT, "s:1").get_attribute("aria-selected") == "true"


def test_a_step_is_drawn_from_slot_to_slot(page: Any) -> None:
    tile(page, STEP, "s:8").click()
    assert entry(page, STEP).input_value() == ""
    tile(page, STEP, "s:1").click()
    assert entry(page, STEP).input_value() == "-7"
    assert card(page, STEP).locator(".tk-way").count() == 1
    entry(page, STEP).press("Enter")
    state(page, STEP, "right")
    assert ask(page, "step.answer, step.sure") == "-7 None"


def test_elements_are_shaded_and_taken_out_again(page: Any) -> None:
    for row in (0, 1, 2):
        for column in range(4):
            tile(page, CELLS_OF, f"t:{row},{column}").click()
    assert entry(page, CELLS_OF).input_value() == ", ".join(map(str, range(12)))
    tile(page, CELLS_OF, "t:0,0").focus()
    page.keyboard.press("ArrowDown")
    for _ in range(4):
        page.keyboard.press("Space")
        page.keyboard.press("ArrowRight")
    assert entry(page, CELLS_OF).input_value() == "0, 1, 2, 3, 8, 9, 10, 11"
    card(page, CELLS_OF).get_by_role("button", name="I am not sure").click()
    state(page, CELLS_OF, "right")


def test_a_room_is_counted_and_r_shows_the_answer(room: Any) -> None:
    one = card(room, VIEW)
    more = one.get_by_role("button", name="one more for B")
    for _ in range(3):
        more.click()
    one.get_by_role("button", name="one more for A").click()
    one.get_by_role("button", name="one fewer for B").click()
    counts = "counts => counts.map((one) => one.textContent)"
    assert one.locator("output").evaluate_all(counts) == ["1", "2", "0"]
    assert one.locator("input:checked").count() == 0, "counting chooses nothing"
    one.focus()
    room.keyboard.press("r")
    state(room, VIEW, "skipped")
    assert one.locator(".tk-title").inner_text().endswith("The answer")
    assert one.locator("output").evaluate_all(counts) == ["1", "2", "0"], "what was said stays"
    assert ask(room, "view.answer") == "None"
    one.get_by_role("button", name="Ask me again").click()
    state(room, VIEW, "open")
    until(room, "() => [...document.querySelectorAll('output')].every((one) => one.textContent === '0')")


def test_a_room_says_numbers_too(room: Any) -> None:
    one = card(room, SLOT)
    for said in ("13", "14", "14"):
        entry(room, SLOT).fill(said)
        entry(room, SLOT).press("Enter")
    rows = one.locator(".tk-said").evaluate_all(
        "rows => rows.map((row) => row.innerText.replace(/\\s+/g, ' '))"
    )
    assert rows == ["13 − 1 +", "14 − 2 +"]
    assert one.get_attribute("data-state") == "open"
    assert ask(room, "slot.answer") == "None"


@pytest.mark.parametrize("name", ["Light", "Dark"])
def test_the_pictures_have_no_accessibility_fault(book: Book, name: str) -> None:
    theme(book.page, name)
    tile(book.page, SLOT, "s:13").click()
    assert book.axe(".tk-practice") == []
    ask(book.page, "[card.skip() for card in (slot, cells, view)]")
    state(book.page, VIEW, "skipped")
    assert book.axe(".tk-practice") == []
