"""GeneratorStream under a learner's hands."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import GeneratorStream",
    """with GeneratorStream() as w:
    tk.manual_seed(0)
    a = tk.rand(2)
    b = tk.rand(2)
    tk.manual_seed(0)
    c = tk.rand(4)
w""",
    """with GeneratorStream() as v:
    tk.manual_seed(0)
    g = tk.Generator().manual_seed(7)
    x = tk.randn(17)
    y = tk.rand(2, 3, generator=g), '<img src=x onerror=hacked=1>'
v""",
]


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("generator_stream", CELLS, [1, 2], height=1800, width=1440) as one:
        yield one


def classes(book: Any, number: int, key: str) -> str:
    return str(book.tile(number, key).get_attribute("class"))


def picture(book: Any, number: int) -> str:
    return str(book.root(number).locator(".tk-picture").inner_text())


def test_steps_tell_what_each_call_took(book: Any) -> None:
    book.shows(1, step="0", steps="5", taken="5", streams="1")
    book.part(1, "step").click()
    book.shows(1, step="1", doing="seed")
    book.part(1, "step").click()
    book.shows(1, step="2", doing="draw", first="0", stop="2")
    assert "tk-lit" in classes(book, 1, "call:2")
    assert "tk-lit" in classes(book, 1, "draw:0.1")
    assert "tk-is-off" in classes(book, 1, "call:3")
    book.part(1, "run").click()
    book.shows(1, step="5", first="0", stop="4")
    assert "takes draws 0 to 3" in picture(book, 1)
    book.part(1, "back").click()
    book.shows(1, step="4", doing="seed", first="4", stop="0")
    assert book.ask("w.at, len(w.taken)") == "4 5"


def test_bars_steps_and_seeds_are_pressed(book: Any) -> None:
    book.tile(1, "call:3").click()
    book.shows(1, step="3", first="2", stop="4")
    book.tile(1, "step:5").click()
    book.shows(1, step="5")
    book.tile(1, "seed:4").click()
    book.shows(1, step="4", doing="seed")


def test_pointing_at_a_draw_lights_the_calls_that_took_it_and_back(book: Any) -> None:
    book.tile(1, "draw:0.3").hover()
    book.shows(1, focus="draw:0.3")
    assert "tk-kin" in classes(book, 1, "call:3")
    assert "tk-kin" in classes(book, 1, "call:5")
    assert "tk-kin" not in classes(book, 1, "call:2")
    book.tile(1, "call:2").hover()
    book.shows(1, focus="call:2")
    assert "tk-kin" in classes(book, 1, "draw:0.1")
    assert "tk-kin" not in classes(book, 1, "draw:0.2")


def test_a_second_generator_is_a_second_row_and_lines_stay_text(book: Any) -> None:
    book.shows(2, taken="3", streams="2")
    assert "g, seed 7" in picture(book, 2)
    assert book.root(2).locator("img, script").count() == 0
    assert book.page.evaluate("() => window.hacked === undefined")


def test_by_keyboard_alone(book: Any) -> None:
    book.tab_to(1, '[data-role="step"]')
    book.keyboard.press("End")
    book.shows(1, step="5")
    book.tab_to(1, '.tk-table[data-table="steps"] .tk-tile')
    book.keyboard.press("Home")
    book.shows(1, focus="step:1")
    book.keyboard.press("ArrowRight")
    book.shows(1, focus="step:2")
    book.keyboard.press("Enter")
    book.shows(1, step="2")
    book.tab_to(1, '.tk-table[data-table="draws:0.0"] .tk-tile')
    book.keyboard.press("Home")
    book.shows(1, focus="draw:0.0")


def test_it_fits_one_screen(book: Any) -> None:
    for number in (1, 2):
        assert book.root(number).bounding_box()["height"] <= 760


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Any, theme: str) -> None:
    book.ask("w.goto(3)")
    book.shows(1, step="3")
    book.theme(theme)
    assert book.axe(".tk-board") == []


@pytest.mark.parametrize("number", [1, 2])
def test_at_200_percent_nothing_is_cut(book: Any, number: int) -> None:
    assert book.cut_at_200_percent(number) == {}
