"""IndexExplorer under a learner's hands."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import IndexExplorer, StrideExplorer",
    "t = tk.arange(12.0).view(3, 4)\nw = IndexExplorer(t, '1:, [0, 2, 2]')\nw",
    "v = IndexExplorer(t, '1:, ::2').goto(2)\nv",
    "c = IndexExplorer(t, 't[[0, 1]][0] = 5')\nc",
    "StrideExplorer(t)",
    "IndexExplorer(t, ':, [0, 4]', name='<img src=x onerror=hacked=1>')",
]


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("indexing", CELLS, [1, 2, 3, 4, 5], height=5200, width=1600) as one:
        yield one


def classes(book: Any, number: int, key: str) -> str:
    return str(book.tile(number, key).get_attribute("class"))


def full(book: Any, number: int, key: str, value: str) -> None:
    book.page.locator(
        f'[data-windowed-list-index="{number}"] .tk-tile[data-key="{key}"][data-full="{value}"]'
    ).wait_for()


def type_index(book: Any, number: int, text: str) -> None:
    book.part(number, "index").fill(text)
    book.keyboard.press("Enter")


def test_steps_from_the_choice_to_the_copy(book: Any) -> None:
    book.shows(1, step="0", steps="2", layout="copy", size="2,3")
    assert "tk-lit" not in classes(book, 1, "t:1,0")
    book.part(1, "step").click()
    book.shows(1, step="1")
    assert "tk-lit" in classes(book, 1, "t:1,0")
    assert book.tile(1, "r:0,0").count() == 0
    book.part(1, "step").click()
    book.shows(1, step="2")
    full(book, 1, "r:1,2", "10.")
    assert book.root(1).locator(".tk-link").count() == 6
    assert book.ask("w.status, w.size, w.at") == "copy (2, 3) 2"


def test_hover_over_a_copy_lights_where_its_numbers_came_from(book: Any) -> None:
    book.ask("w.run()")
    book.shows(1, step="2")
    book.tile(1, "t:1,2").hover()
    book.shows(1, focus="t:1,2")
    assert "tk-kin" in classes(book, 1, "r:0,1")
    assert "tk-kin" in classes(book, 1, "r:0,2")
    assert "tk-kin" not in classes(book, 1, "c:1"), "the copy has slots of its own"
    book.tile(1, "c:1").hover()
    assert book.root(1).locator(".tk-link.tk-lit").count() == 1
    assert "tk-kin" not in classes(book, 1, "s:1")


def test_hover_over_a_view_is_hover_over_its_storage(book: Any) -> None:
    book.shows(2, layout="view", step="2")
    book.tile(2, "r:1,1").hover()
    assert "tk-kin" in classes(book, 2, "t:2,2")
    assert "tk-kin" in classes(book, 2, "s:10")
    book.root(4).locator('.tk-tile.tk-lit[data-key="s:10"]').wait_for()
    assert "from t[2, 2]" in book.part(2, "said").inner_text()


def test_a_chained_write_goes_to_the_copy(book: Any) -> None:
    book.part(3, "run").click()
    book.shows(3, step="4")
    full(book, 3, "r:0,0", "5.")
    assert "tk-is-changed" in classes(book, 3, "r:0,0")
    assert "tk-is-changed" not in classes(book, 3, "t:0,0")
    assert book.ask("t[0].tolist()") == "[0.0, 1.0, 2.0, 3.0]"
    type_index(book, 3, "t[[0, 1], 0] = 5")
    book.shows(3, step="2", steps="2")
    assert "tk-is-changed" in classes(book, 3, "t:1,0")
    assert book.ask("t[1, 0].item()") == "4.0"


def test_typing_and_what_is_refused(book: Any) -> None:
    type_index(book, 2, "t[t > 8]")
    book.shows(2, layout="copy", size="3", code="t[t > 8]")
    type_index(book, 2, "__import__('os').system('touch /tmp/hacked')")
    alert = book.root(2).locator('[role="alert"]')
    alert.filter(has_text="not allowed here").wait_for()
    type_index(book, 2, "t[7]")
    book.shows(2, layout="refused", steps="0")
    assert "out of bounds for dimension 0" in book.root(2).locator(".tk-picture").inner_text()
    assert "tk-is-bad" in classes(book, 2, "item:0")
    type_index(book, 2, "t[1:, ::2]")
    book.shows(2, layout="view")


def test_slice_and_list_change_places(book: Any) -> None:
    book.part(2, "swap-1").click()
    book.shows(2, layout="copy", code="t[1:, [0, 2]]")
    book.part(2, "swap-0").click()
    book.shows(2, code="t[[1, 2], [0, 2]]", size="2")
    book.part(2, "undo").click()
    book.part(2, "swap-1").click()
    book.shows(2, layout="view", code="t[1:, ::2]")


def test_pressed_cells_are_a_mask(book: Any) -> None:
    book.tile(2, "t:0,3").click()
    book.shows(2, code="t[mask]", size="5", layout="copy")
    book.tile(2, "t:1,0").click()
    book.shows(2, size="4")
    full(book, 2, "r:0", "3.")
    assert book.ask("v.mask") == "((0, 3), (1, 2), (2, 0), (2, 2))"
    # What Python writes shows after the cell.
    book.ask("t[0, 3].fill_(77) is t")
    full(book, 2, "r:0", "77.")


def test_by_keyboard_alone(book: Any) -> None:
    book.part(1, "index").focus()
    book.keyboard.press("Control+a")
    book.keyboard.type("t[0]")
    book.keyboard.press("Enter")
    book.shows(1, code="t[0]", layout="view")
    book.tab_to(1, '[data-role="swap-1"]')
    book.keyboard.press("Enter")
    book.shows(1, code="t[0, [0, 1, 2, 3]]")
    book.keyboard.press("Tab")
    book.part(1, "back").focus()
    book.keyboard.press("ArrowLeft")
    book.shows(1, step="1")
    book.tab_to(1, '[data-role="step"]')
    book.keyboard.press("Home")
    book.shows(1, step="0")
    book.keyboard.press("End")
    book.shows(1, step="2")
    book.tab_to(1, '.tk-table[data-table="t"] .tk-tile')
    book.keyboard.press("Home")
    book.keyboard.press("ArrowDown")
    book.shows(1, focus="t:1,0")
    book.keyboard.press("Enter")
    book.shows(1, code="t[mask]", size="5")


def test_a_refusal_stays_text(book: Any) -> None:
    book.shows(5, layout="refused")
    assert "at dim 1 (its message counts" in book.root(5).locator(".tk-picture").inner_text()
    assert book.root(5).locator("img, script").count() == 0
    assert book.page.evaluate("() => window.hacked === undefined")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Any, theme: str) -> None:
    book.theme(theme)
    assert book.axe(".tk-board") == []


@pytest.mark.parametrize("number", [1, 3, 5])
def test_at_200_percent_nothing_is_cut(book: Any, number: int) -> None:
    assert book.cut_at_200_percent(number) == {}
