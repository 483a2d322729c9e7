"""The stride ladder under a learner's hands: a rung is climbed with the keyboard alone."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CELLS = [
    "from tensorkit_widgets.puzzles import Ladder",
    "rung = Ladder(3)\nrung",
    "high = Ladder(15)\nhigh",
]


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("puzzles", CELLS, [1, 2], height=2600, width=1100) as one:
        yield one


def card(book: Any, number: int) -> Any:
    return book.page.locator(f'[data-windowed-list-index="{number}"] .tk-practice .tk-card')


def test_the_diagonal_is_reached_by_keyboard(book: Any) -> None:
    assert "Your reading has 2 dimensions" in card(book, 1).inner_text()
    book.part(1, "dial-less").focus()
    book.page.keyboard.press("Enter")
    book.shows(1, size="4", stride="1")
    stride = book.part(1, "dial-stride")
    stride.focus()
    for wanted in (2, 3, 4):
        book.page.keyboard.press("ArrowUp")
        book.shows(1, stride=str(wanted))
    card(book, 1).get_by_text("in the same column").wait_for()
    book.page.keyboard.press("ArrowUp")
    book.shows(1, size="4", stride="5", offset="0")
    card(book, 1).get_by_text("one column to the right is 1 more").wait_for()
    assert card(book, 1).get_attribute("data-state") == "right"
    assert book.ask("rung.solved, rung.dials.result.tolist()") == "True [0, 5, 10, 15]"


def test_a_reason_is_claimed_by_keyboard(book: Any) -> None:
    card(book, 2).locator("input[type=radio]").first.focus()
    book.page.keyboard.press("Space")
    card(book, 2).locator('[data-do="claim"]').focus()
    book.page.keyboard.press("Enter")
    card(book, 2).get_by_text("there are dials that read it").wait_for()
    assert book.ask("high.solved, high.verdict.correct") == "False False"
