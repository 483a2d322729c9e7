"""MatmulExplorer under a learner's hands."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import MatmulExplorer",
    "a, b = tk.arange(6.0).view(2, 3), tk.arange(12.0).view(3, 4)\nw = MatmulExplorer(a, b)\nw",
    "MatmulExplorer(tk.ones(2, 3), tk.ones(2, 4))",
]


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("matmul", CELLS, [1, 2], width=1600) as one:
        yield one


def test_steps_fill_the_result(book: Any) -> None:
    book.shows(1, step="0", steps="8", status="ok", size="2,4")
    book.part(1, "step").click()
    book.page.locator('[data-windowed-list-index="1"] .tk-lit[data-key="c:0,0"][data-full="20."]').wait_for()
    book.part(1, "scrub").evaluate(
        "s => { s.value = 6; s.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    book.shows(1, step="6")
    assert "3 · 1" in book.root(1).locator(".tk-picture").text_content()
    assert book.ask("w.at") == "6"


def test_hover_lights_the_results_of_an_element(book: Any) -> None:
    book.ask("w.goto(6)")
    book.shows(1, step="6")
    book.tile(1, "a:0,2").hover()
    book.shows(1, focus="a:0,2")
    assert "tk-kin" in book.tile(1, "c:0,3").get_attribute("class")
    assert "tk-kin" not in book.tile(1, "c:1,3").get_attribute("class")
    book.tile(1, "c:1,2").hover()
    assert "tk-kin" in book.tile(1, "b:0,2").get_attribute("class")


def test_tile_by_tile_by_keyboard(book: Any) -> None:
    book.part(1, "tiled").focus()
    book.keyboard.press("Space")
    book.shows(1, tiled="true", step="0", steps="4")
    book.tab_to(1, '[data-role="side"]')
    book.keyboard.press("ArrowLeft")
    book.shows(1, steps="24")
    book.keyboard.press("ArrowRight")
    book.shows(1, steps="4")
    book.part(1, "step").focus()
    book.keyboard.press("ArrowRight")
    book.shows(1, step="1")
    assert book.root(1).locator('.tk-table[data-table="c"] .tk-lit').count() == 4
    assert book.tile(1, "c:0,0").get_attribute("data-full") == "4."
    book.keyboard.press("End")
    book.shows(1, step="4")
    assert book.tile(1, "c:0,0").get_attribute("data-full") == "20."
    book.tab_to(1, '.tk-table[data-table="a"] .tk-tile')
    book.keyboard.press("ArrowRight")
    book.shows(1, focus="a:0,1")


def test_a_refusal_is_drawn(book: Any) -> None:
    book.shows(2, status="refused", steps="0")
    assert "cannot be multiplied" in book.root(2).locator(".tk-picture").text_content()


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Any, theme: str) -> None:
    book.theme(theme)
    assert book.axe(".tk-board") == []


@pytest.mark.parametrize("number", [1, 2])
def test_at_200_percent_nothing_is_cut(book: Any, number: int) -> None:
    assert book.cut_at_200_percent(number) == {}
