"""BoxedMemory under a learner's hands."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CELLS = [
    "from tensorkit_widgets import BoxedMemory",
    "half = 0.5\nvalues = [1.5, half, 3.25, half]\nw = BoxedMemory(values)\nw",
]


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("boxed", CELLS, [1], width=1600) as one:
        yield one


def test_steps_dtype_and_a_list_that_grows(book: Any) -> None:
    book.shows(1, step="0", steps="3", boxes="3")
    book.part(1, "step").click()
    book.shows(1, step="1")
    book.tile(1, "list:0:1").hover()
    book.shows(1, focus="list:0:1")
    assert "tk-kin" in book.tile(1, "box:1").get_attribute("class")
    assert book.root(1).locator(".tk-link.tk-lit").count() == 1
    book.tile(1, "box:1").hover()
    assert "tk-kin" in book.tile(1, "list:0:3").get_attribute("class"), "both places point at the shared box"
    book.part(1, "run").click()
    book.shows(1, step="3", tensorbytes="16")
    book.part(1, "dtype").select_option("float64")
    book.shows(1, tensorbytes="32")
    book.ask("values.append(9.5) or values")
    book.shows(1, boxes="4", tensorbytes="40")
    assert book.ask("w.tensor_bytes") == "40"


def test_by_keyboard_alone(book: Any) -> None:
    book.ask("w.run()")
    book.shows(1, step="3")
    book.part(1, "dtype").focus()
    book.tab_to(1, '[data-role="back"]')
    book.keyboard.press("Enter")
    book.shows(1, step="2")
    book.tab_to(1, '.tk-table[data-table="list"] .tk-tile')
    book.keyboard.press("ArrowRight")
    book.shows(1, focus="list:0:0")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Any, theme: str) -> None:
    book.theme(theme)
    assert book.axe(".tk-board") == []


def test_at_200_percent_nothing_is_cut(book: Any) -> None:
    assert book.cut_at_200_percent(1) == {}
