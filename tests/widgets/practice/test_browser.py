"""`Predict` and `Exercise` under a learner's hands: mouse, keyboard, light and dark, with and without a kernel."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.beginning import ask, restart, run_all, theme, until
from tests.browser.desk import Book, Desk

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import Exercise, Predict",
    'p = Predict("02.write_storage")\np',
    'q = Predict("02.slice_stride")\nq',
    'ex = Exercise("02.find_the_slot")\nex',
    't = tk.arange(12.0).view(3, 4)\nby_hand = Exercise("03.transpose_by_hand")\nby_hand.check(t.view(4, 3), base=t)',
    "by_hand",
    'h = Predict("<img src=x onerror=\'window.hacked = 1\'>?", answer="<script>window.hacked = 1</script>")\nh',
]


@pytest.fixture
def book(desk: Desk) -> Iterator[Book]:
    """The practice notebook, run."""
    with desk.begun("practice", CELLS, [1, 2, 3, 5, 6], width=1100, height=2600) as one:
        yield one


@pytest.fixture
def page(book: Book) -> Any:
    return book.page


def card(page: Any, number: int) -> Any:
    """The card of a cell."""
    return page.locator(f'.jp-Notebook [data-windowed-list-index="{number}"] .tk-card')


def state(page: Any, number: int, wanted: str) -> None:
    """Wait until the card of a cell is in this state."""
    page.locator(f'[data-windowed-list-index="{number}"] .tk-card[data-state="{wanted}"]').wait_for()


def test_a_click_commits_a_prediction_and_python_has_it(page: Any) -> None:
    one = card(page, 1)
    one.get_by_label("keeps its own numbers").click()
    assert one.get_attribute("data-state") == "open"
    one.get_by_role("button", name="I am sure").click()
    state(page, 1, "wrong")
    assert "is now 10." in one.locator('[data-truth="yes"]').inner_text()
    assert "There is no second set of numbers" in one.locator(".tk-verdict").inner_text()
    assert ask(page, "p.answer, p.sure") == "Nothing: `t` keeps its own numbers True"
    one.get_by_role("button", name="Ask me again").click()
    state(page, 1, "open")
    assert ask(page, "p.answer") == "None"


def test_the_keyboard_alone_answers(page: Any) -> None:
    one = card(page, 2)
    one.locator("input").focus()
    page.keyboard.type("(4, 1)")
    page.keyboard.press("Enter")
    state(page, 2, "wrong")
    assert "a step multiplies the stride" in one.inner_text()
    assert ask(page, "q.answer") == "(4, 1)"
    said = page.locator('[data-windowed-list-index="2"] [role="status"]').text_content()
    assert said.startswith("Not what happens. You said (4, 1). ")
    inside = "() => document.activeElement.closest('.tk-practice') !== null"
    assert page.evaluate(inside), "the focus stays in the card"


def test_the_radio_buttons_move_by_arrow_keys(page: Any) -> None:
    one = card(page, 1)
    one.locator("input").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    assert one.locator("input:checked").get_attribute("value") == "B"
    chosen = one.locator("label:has(input:checked) > span").last.inner_text()
    page.keyboard.press("Enter")
    page.locator('[data-windowed-list-index="1"] .tk-verdict').wait_for()
    assert ask(page, "p.answer.replace('`', '')") == chosen
    assert ask(page, "p.sure") == "None", "Enter does not say how sure it is"


def test_python_answers_and_the_card_follows(page: Any) -> None:
    ask(page, "setattr(q, 'answer', (4, 1))")
    state(page, 2, "wrong")
    ask(page, "q.again()")
    state(page, 2, "open")
    ask(page, "setattr(q, 'answer', (4, 2))")
    state(page, 2, "right")


def test_an_exercise_is_typed_hinted_and_solved(page: Any) -> None:
    one = card(page, 3)
    one.locator("input").fill("7")
    one.get_by_role("button", name="Check").click()
    state(page, 3, "wrong")
    assert one.locator("input").input_value() == "7", "what was typed stays"
    for number in (1, 2, 3):
        one.get_by_role("button", name=f"Hint {number} of 3").click()
        one.locator(".tk-hints li").nth(number - 1).wait_for()
    assert one.get_by_role("button", name="Hint").count() == 0
    assert "0 + 2*4" not in one.inner_html()
    one.get_by_role("button", name="Show a solution").click()
    one.locator("pre", has_text="0 + 2*4 + 1*1").wait_for()
    one.locator("input").fill("9")
    page.keyboard.press("Enter")
    state(page, 3, "right")
    assert ask(page, "ex.solved, ex.attempts") == "True 2"


def test_a_check_in_a_cell_shows_in_the_card(page: Any) -> None:
    one = card(page, 5)
    assert one.get_attribute("data-state") == "wrong"
    assert "permute vs view" in one.inner_text()
    assert "1 attempt so far" in one.inner_text()


def test_hostile_text_stays_text(page: Any) -> None:
    one = card(page, 6)
    assert "<img src=x" in one.inner_text()
    one.locator("input").fill("<b onclick='window.hacked = 1'>x</b>")
    page.keyboard.press("Enter")
    one.locator(".tk-verdict").wait_for()
    assert one.locator("img, script, b").count() == 0
    assert page.evaluate("() => window.hacked === undefined")


@pytest.mark.parametrize("name", ["Light", "Dark"])
def test_the_cards_have_no_accessibility_fault(page: Any, name: str) -> None:
    """Cards that nobody has touched, one that is wrong, and one that is right."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    theme(page, name)
    ask(page, "setattr(p, 'answer', 'A') or setattr(q, 'answer', (4, 2))")
    state(page, 2, "right")
    found = axe.Axe().run(page, context=".tk-practice")
    assert found.violations_count == 0, found.generate_report()


def test_the_live_card_stands_for_the_static_one(page: Any) -> None:
    until(page, "() => document.querySelectorAll('.tk-still').length === 5")
    assert page.locator(".tk-still:visible").count() == 0


def solved(page: Any) -> None:
    """Type the answer of the exercise, and press its button."""
    card(page, 3).locator("input").fill("9")
    card(page, 3).get_by_role("button", name="Check").click()
    state(page, 3, "right")


def test_running_the_cell_again_keeps_what_was_done(page: Any) -> None:
    solved(page)
    before = card(page, 3).inner_text()
    run_all(page)
    state(page, 3, "right")
    assert card(page, 3).inner_text() == before


def test_a_card_whose_kernel_was_restarted_says_so(page: Any) -> None:
    solved(page)
    restart(page)
    card(page, 3).get_by_role("button", name="Check").click()
    page.locator(".tk-silence", has_text="run this cell again").wait_for()
    run_all(page)
    state(page, 3, "open")
    solved(page)
    assert page.locator(".tk-silence").count() == 0


def test_a_lesson_that_was_not_run_shows_its_cards(desk: Desk, root: Path) -> None:
    lesson = json.loads((root / "notebooks/02_storage_and_strides.ipynb").read_text(encoding="utf-8"))
    desk.reopen()
    with desk.written("practice_unrun", lesson, 1100, 3000) as book:
        page = book.page
        page.locator(".tk-still").first.wait_for()
        assert "from memory" in page.locator(".tk-still").first.inner_text()
        assert page.locator(".jp-OutputArea-output:has-text('Error displaying widget')").count() == 0
        folded = page.locator(".jp-OutputPlaceholder")
        folded.first.wait_for(state="attached")
        assert folded.count() > 0, "what follows a prediction is folded away until it is run"
        assert page.locator(".jp-OutputPlaceholder:visible").count() == 0, "and out of sight until it is made"
        run_all(page)
        until(page, "() => document.querySelectorAll('.jp-OutputPlaceholder').length === 0")
