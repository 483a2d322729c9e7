"""BroadcastExplorer under a learner's hands."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.places import placed

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import BroadcastExplorer, StrideExplorer",
    "a, b = tk.arange(3.0).view(3, 1), tk.arange(4.0) * 10\nw = BroadcastExplorer(a, b)\nw",
    "BroadcastExplorer(tk.ones(2, 3), tk.ones(2, 4), names=('<img src=x onerror=hacked=1>', 'b'))",
    "StrideExplorer(a, name='a')",
    "c = BroadcastExplorer(tk.arange(24.0).view(4, 2, 3), tk.ones(3))\nc.run()",
]


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("broadcast", CELLS, [1, 2, 3, 4]) as one:
        yield one


def test_steps_by_click_and_python_agrees(book: Any) -> None:
    book.shows(1, step="0", steps="3", status="ok", size="3,4")
    book.part(1, "step").click()
    book.shows(1, step="1")
    book.part(1, "run").click()
    book.shows(1, step="3")
    assert book.ask("w.at, w.size") == "3 (3, 4)"
    assert book.tile(1, "r:2,1").get_attribute("data-full") == "12."


def ran(book: Any) -> None:
    """The first picture at its last step."""
    book.ask("w.run()")
    book.shows(1, step="3")


def test_hover_lights_both_operands_and_the_same_slot(book: Any) -> None:
    ran(book)
    book.tile(1, "r:2,1").hover()
    book.shows(1, focus="r:2,1")
    assert "tk-kin" in book.tile(1, "a:2,1").get_attribute("class")
    assert "tk-kin" in book.tile(1, "b:2,1").get_attribute("class")
    book.tile(1, "a:2,0").hover()
    assert "tk-kin" in book.tile(1, "a:2,3").get_attribute("class"), "the ghost reads the same slot"
    assert "is 2." in book.part(1, "said").inner_text()
    lit = book.root(3).locator('.tk-tile.tk-lit[data-key="s:2"]')
    lit.wait_for()


def test_another_operation_and_undo(book: Any) -> None:
    ran(book)
    book.part(1, "sign").select_option("*")
    book.shows(1, sign="*")
    assert book.tile(1, "r:2,1").get_attribute("data-full") == "20."
    book.part(1, "undo").click()
    book.shows(1, sign="+")


def test_a_write_in_python_shows_after_the_cell(book: Any) -> None:
    ran(book)
    book.ask("a.fill_(5) is a")
    book.page.locator('[data-windowed-list-index="1"] .tk-tile[data-key="r:2,1"][data-full="15."]').wait_for()


def test_by_keyboard_alone(book: Any) -> None:
    ran(book)
    book.part(1, "sign").focus()
    book.tab_to(1, '[data-role="back"]')
    book.keyboard.press("Home")
    book.shows(1, step="0")
    book.part(1, "step").focus()
    book.keyboard.press("End")
    book.shows(1, step="3")
    book.tab_to(1, '.tk-table[data-table="a"] .tk-tile')
    book.keyboard.press("ArrowDown")
    book.keyboard.press("ArrowRight")
    book.shows(1, focus="a:1,1")
    book.keyboard.press("PageDown")
    book.keyboard.press("PageDown")
    assert book.root(1).get_attribute("data-focus").startswith("r:")


def test_a_refusal_names_the_dimension_and_stays_text(book: Any) -> None:
    book.part(2, "run").click()
    book.shows(2, status="refused", step="3")
    assert "must match" in book.root(2).locator(".tk-picture").inner_text()
    assert book.root(2).locator("img, script").count() == 0
    assert book.page.evaluate("() => window.hacked === undefined")


def test_a_leading_dimension_has_a_slider(book: Any) -> None:
    slider = book.part(4, "lead-0")
    slider.evaluate("s => { s.value = 3; s.dispatchEvent(new Event('input', { bubbles: true })); }")
    book.page.locator(
        '[data-windowed-list-index="4"] .tk-tile[data-key="a:3,0,0"][data-full="18."]'
    ).wait_for()


def test_the_stage_by_keys(book: Any) -> None:
    """P fills the window; size, scenes, a what-if and back; Escape gives the notebook back."""
    keys = book.keyboard
    book.ask("setattr(w, 'scenes', [('sizes', {'step': 1}), ('result', {'run': True})])")
    ran(book)
    staged = book.stage(1, 150)
    keys.press("+")
    book.page.locator('dialog.tk-stage [data-stage="175"]').wait_for()
    book.settled(staged)
    picture = staged.locator("svg.tk-scene")
    assert placed(picture)["width"] == pytest.approx(1.75 * float(picture.get_attribute("width")))
    keys.press("n")
    book.page.locator('dialog.tk-stage [data-scene="sizes"][data-step="1"]').wait_for()
    keys.press("n")
    book.page.locator('dialog.tk-stage [data-scene="result"][data-step="3"]').wait_for()
    keys.press("ArrowLeft")
    keys.press("ArrowLeft")
    book.page.locator('dialog.tk-stage [data-step="1"]').wait_for()
    keys.press("r")
    book.page.locator('dialog.tk-stage [data-step="3"]').wait_for()
    dark = book.page.evaluate("() => document.body.dataset.jpThemeLight === 'false'")
    keys.press("l")
    assert staged.evaluate("root => root.hasAttribute('data-tk-dark')") is not dark
    assert book.axe("dialog.tk-stage") == []
    keys.press("l")
    keys.press("Escape")
    assert book.page.locator("dialog.tk-stage").count() == 0
    book.shows(1, stage="", step="3")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Any, theme: str) -> None:
    book.theme(theme)
    assert book.axe(".tk-board") == []


@pytest.mark.parametrize("number", [1, 2, 4])
def test_at_200_percent_nothing_is_cut(book: Any, number: int) -> None:
    assert book.cut_at_200_percent(number) == {}
