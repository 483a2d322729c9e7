"""ConvExplorer under a learner's hands."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import ConvExplorer",
    "x, k = tk.arange(25.0).view(5, 5), tk.ones(3, 3)\nw = ConvExplorer(x, k)\nw",
]


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("conv", CELLS, [1], width=1600) as one:
        yield one


def test_the_window_slides_and_im2col_shows_it_as_a_row(book: Any) -> None:
    book.shows(1, step="0", steps="9", status="ok", size="3,3")
    book.part(1, "step").click()
    book.shows(1, step="1")
    assert book.root(1).locator('.tk-table[data-table="x"] .tk-lit').count() == 9
    assert book.tile(1, "y:0,0").get_attribute("data-full") == "54."
    book.part(1, "rows").click()
    book.page.locator('[data-windowed-list-index="1"] .tk-table[data-table="r"] .tk-lit').first.wait_for()
    assert book.root(1).locator('.tk-table[data-table="r"] .tk-lit').count() == 9
    book.ask("x[0, 0].fill_(10)")
    assert book.tile(1, "y:0,0").get_attribute("data-full") == "64."
