"""ImageView under a learner's hands."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import ImageView, StrideExplorer",
    "t = tk.arange(16 * 16 * 3).remainder(251).to(tk.uint8).view(16, 16, 3)\nw = ImageView(t)\nw",
    "StrideExplorer(t.permute(2, 0, 1))",
]


MIDDLE = """(root, [row, column, count]) => {
    const rect = root.querySelector('.tk-tile[data-key="px"] rect');
    const [at, box] = [rect.getScreenCTM(), rect.getBBox()];
    const [x, y] = [box.x + box.width * (column + 0.5) / count, box.y + box.height * (row + 0.5) / count];
    return [at.e + at.a * x, at.f + at.d * y];
}"""
"""Where on the screen the middle of a pixel is, of a picture of so many rows and columns.

The root is asked, which stays: its picture may be drawn again at any moment.
"""


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("image", CELLS, [1, 2], width=1600) as one:
        yield one


def point_at(book: Any, row: int, column: int, count: int) -> None:
    """Press a pixel of the picture itself, in its middle."""
    root = book.root(1)
    root.scroll_into_view_if_needed()
    book.mouse.click(*root.evaluate(MIDDLE, [row, column, count]))


def test_every_pixel_can_be_pressed_and_stays_in_sight(book: Any) -> None:
    for row, column in ((0, 0), (15, 15), (3, 7), (7, 11)):
        point_at(book, row, column, 16)
        book.shows(1, pixel=f"{row},{column}")
    assert "tk-lit" not in book.tile(1, "px").get_attribute("class"), (
        "what lies under the pointer is not covered"
    )


def test_pointing_at_the_picture_shows_its_numbers(book: Any) -> None:
    book.shows(1, pixel="0,0", order="HWC", apart="false")
    assert book.root(1).locator("image.tk-photo").count() == 1
    point_at(book, 8, 4, 16)
    book.shows(1, pixel="8,4")
    assert book.tile(1, "v:8,4,0").get_attribute("data-full") == book.ask("t[8, 4, 0].item()")
    book.tile(1, "v:8,5,2").click()
    book.shows(1, pixel="8,5")


def test_channels_rows_and_the_order(book: Any) -> None:
    book.part(1, "apart").click()
    book.shows(1, apart="true")
    assert book.root(1).locator("image.tk-photo").count() == 4
    book.part(1, "row").evaluate(
        "s => { s.value = 15; s.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    book.shows(1, pixel="15,0")
    book.part(1, "order").select_option("HW")
    book.shows(1, order="HW", pixel="0,0")
    book.part(1, "undo").click()
    book.shows(1, order="HWC")


def test_a_slot_lights_in_every_picture_of_the_storage(book: Any) -> None:
    book.tile(1, "v:0,1,2").hover()
    assert "tk-kin" in book.tile(1, "s:5").get_attribute("class")
    book.root(2).locator('.tk-lit[data-slot="5"]').first.wait_for()


def test_a_write_shows_after_the_cell(book: Any) -> None:
    book.ask("t.fill_(9) is t")
    book.page.locator('[data-windowed-list-index="1"] .tk-tile[data-key="v:0,1,2"][data-full="9"]').wait_for()


def test_by_keyboard_alone(book: Any) -> None:
    book.part(1, "row").focus()
    book.keyboard.press("ArrowRight")
    book.shows(1, pixel="1,0")
    book.tab_to(1, '.tk-table[data-table="over"] .tk-tile')
    book.keyboard.press("ArrowRight")
    book.keyboard.press("ArrowDown")
    book.keyboard.press("Enter")
    book.shows(1, pixel="2,1")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Any, theme: str) -> None:
    book.theme(theme)
    assert book.axe(".tk-board") == []


def test_at_200_percent_nothing_is_cut(book: Any) -> None:
    assert book.cut_at_200_percent(1) == {}
