"""ReductionExplorer under a learner's hands."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import ReductionExplorer, StrideExplorer",
    "t = tk.arange(12.0).view(3, 4)\nw = ReductionExplorer(t, 'sum', dim=1)\nw",
    "ReductionExplorer(tk.arange(6).view(2, 3), 'mean', name='<img src=x onerror=hacked=1>')",
    "StrideExplorer(t)",
    "ReductionExplorer(tk.arange(120.0).view(2, 3, 4, 5), 'max', dim=3).run()",
    "big = ReductionExplorer(tk.ones(1).expand(4, 300_000), 'sum', dim=1).run()\nbig",
]


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("reduction", CELLS, [1, 2, 3, 4, 5], height=5200, width=1600) as one:
        yield one


def classes(book: Any, number: int, key: str) -> str:
    return str(book.tile(number, key).get_attribute("class"))


def test_the_dimension_collapses_cell_by_cell(book: Any) -> None:
    book.shows(1, step="0", steps="3", status="ok", size="3", dims="1")
    assert "tk-is-freed" in classes(book, 1, "size:1")
    book.part(1, "step").click()
    book.shows(1, step="1")
    assert book.tile(1, "r:0").get_attribute("data-full") == "6."
    assert book.tile(1, "r:1").text_content() == "·"
    book.part(1, "step").click()
    book.shows(1, step="2")
    assert "tk-lit" in classes(book, 1, "t:1,3")
    assert "tk-lit" not in classes(book, 1, "t:0,3")
    assert book.ask("w.at, w.size, w.code") == "2 (3,) t.sum(dim=1)"


def ran(book: Any) -> None:
    """The first picture at its last step."""
    book.ask("w.run()")
    book.shows(1, step="3")


def test_hover_lights_the_inputs_and_the_reverse(book: Any) -> None:
    book.part(1, "run").click()
    book.shows(1, step="3")
    book.tile(1, "r:0").hover()
    book.shows(1, focus="r:0")
    assert "tk-kin" in classes(book, 1, "t:0,3")
    assert "tk-kin" not in classes(book, 1, "t:1,3")
    book.tile(1, "t:1,2").hover()
    book.shows(1, focus="t:1,2")
    assert "tk-kin" in classes(book, 1, "r:1")
    book.root(3).locator('.tk-tile.tk-lit[data-key="s:6"]').wait_for()


def test_dimensions_and_keepdim_by_toggles(book: Any) -> None:
    book.part(1, "keepdim").click()
    book.shows(1, keepdim="true", size="3,1")
    book.part(1, "dim-0").click()
    book.shows(1, dims="0,1", size="1,1")
    assert "(dim=(0, 1), keepdim=True)" in str(book.root(1).get_attribute("data-title"))
    book.part(1, "keepdim").click()
    book.part(1, "all").click()
    book.shows(1, dims="all", size="")
    assert book.ask("w.code") == "t.sum()"
    book.part(1, "dim-0").click()
    book.shows(1, dims="0", size="4", steps="4")


def test_another_operation_and_its_dtype(book: Any) -> None:
    ran(book)
    book.part(1, "op").select_option("argmax")
    book.shows(1, op="argmax", dtype="int64")
    assert book.tile(1, "r:2").get_attribute("data-full") == "3"
    book.part(1, "undo").click()
    book.shows(1, op="sum", dtype="float32")


def test_pressing_a_cell_walks_over_its_numbers(book: Any) -> None:
    ran(book)
    book.tile(1, "r:1").click()
    book.shows(1, inside="1", step="0", steps="4")
    book.part(1, "step").click()
    book.part(1, "step").click()
    book.shows(1, step="2")
    assert book.tile(1, "r:1").text_content() == "9."
    book.part(1, "run").click()
    book.shows(1, step="4")
    assert book.tile(1, "r:1").get_attribute("data-full") == "22."
    book.part(1, "whole").click()
    book.shows(1, inside="", steps="3")


def test_a_typed_number_is_written_and_summed(book: Any) -> None:
    ran(book)
    book.tile(1, "t:0,0").dblclick()
    book.keyboard.type("100")
    book.keyboard.press("Enter")
    book.page.locator('[data-windowed-list-index="1"] .tk-tile[data-key="r:0"][data-full="106."]').wait_for()
    assert book.ask("t[0, 0].item()") == "100.0"
    book.ask("t[0].copy_(tk.arange(4.0)) is None")
    book.page.locator('[data-windowed-list-index="1"] .tk-tile[data-key="r:0"][data-full="6."]').wait_for()


def test_a_refusal_is_the_engines_own_and_stays_text(book: Any) -> None:
    book.shows(2, status="refused", steps="0")
    assert "could not infer output dtype" in book.root(2).locator(".tk-picture").inner_text()
    assert book.root(2).locator("img, script").count() == 0
    assert book.page.evaluate("() => window.hacked === undefined")
    book.part(2, "op").select_option("sum")
    book.shows(2, status="ok", dtype="int64")


def test_a_held_dimension_has_a_slider_and_a_large_tensor_a_button(book: Any) -> None:
    slider = book.part(4, "lead-0")
    slider.evaluate("s => { s.value = 1; s.dispatchEvent(new Event('input', { bubbles: true })); }")
    book.page.locator(
        '[data-windowed-list-index="4"] .tk-tile[data-key="t:1,0,0,0"][data-full="60."]'
    ).wait_for()
    book.shows(5, status="unknown")
    book.part(5, "compute").click()
    book.shows(5, status="ok")
    assert book.tile(5, "r:3").get_attribute("data-full") == "300000."


def test_by_keyboard_alone(book: Any) -> None:
    ran(book)
    book.part(1, "op").focus()
    book.tab_to(1, '[data-role="keepdim"]')
    book.keyboard.press("Space")
    book.shows(1, keepdim="true")
    book.keyboard.press("Space")
    book.shows(1, keepdim="false")
    book.tab_to(1, '[data-role="back"]')
    book.keyboard.press("End")
    book.shows(1, step="3")
    book.tab_to(1, '.tk-table[data-table="r"] .tk-tile')
    book.keyboard.press("End")
    book.shows(1, focus="r:2")
    book.keyboard.press("Enter")
    book.shows(1, inside="2", step="0")
    book.part(1, "whole").focus()
    book.keyboard.press("Enter")
    book.shows(1, inside="")
    book.tab_to(1, '.tk-table[data-table="t"] .tk-tile')
    for key in ("Home", "ArrowUp", "ArrowUp"):
        book.keyboard.press(key)
    book.shows(1, focus="t:0,0")
    book.keyboard.press("Enter")
    book.keyboard.type("7")
    book.keyboard.press("Enter")
    book.page.locator('[data-windowed-list-index="1"] .tk-tile[data-key="t:0,0"][data-full="7."]').wait_for()


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Any, theme: str) -> None:
    book.theme(theme)
    assert book.axe(".tk-board") == []


@pytest.mark.parametrize("number", [1, 2, 4])
def test_at_200_percent_nothing_is_cut(book: Any, number: int) -> None:
    assert book.cut_at_200_percent(number) == {}
