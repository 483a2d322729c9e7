"""The gallery in JupyterLab: all of it run, every widget live, worked by keyboard alone, light and dark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.desk import CUT, Book, Desk
from tests.widgets.gallery import BOARDS, CARDS, FAILED, look_at_gallery, number_of, run_gallery, shown

pytestmark = pytest.mark.browser

SMALLEST = """root => Math.min(...[...root.querySelectorAll(".tk-picture svg .tk-number")].map((text) =>
    parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))"""
INSIDE = "root => root.contains(document.activeElement)"
ROLE = "() => document.activeElement.getAttribute('role') ?? document.activeElement.tagName"
PICTURE = ".tk-table .tk-tile, .tk-vertices [role=option]"
"""A number or a node of a picture: one of them is a stop of the Tab key."""


@pytest.fixture
def book(desk: Desk) -> Iterator[Book]:
    """The gallery, run, for a test that only looks at it."""
    with look_at_gallery(desk, 1300, 1400) as one:
        yield one


@pytest.fixture
def worked(desk: Desk) -> Iterator[Book]:
    """The gallery, run, for a test that works in it."""
    with run_gallery(desk) as one:
        yield one


def test_every_widget_is_live_and_nothing_failed(book: Book) -> None:
    assert book.page.evaluate(FAILED) == []
    assert {name: shown(book, name).get_attribute("data-tk-widget") for name in BOARDS} == BOARDS
    for name in (*BOARDS, *CARDS):
        here = book.page.locator(f'.jp-Notebook [data-windowed-list-index="{number_of(name)}"]')
        still = here.locator(".tk-still")
        assert not any(still.nth(k).is_visible() for k in range(still.count())), f"{name} is shown twice"
    assert len(book.asked) > 20

    figures = book.page.locator('.jp-OutputArea-output img[src^="data:image/png"]')
    assert figures.count() == 4
    assert all(figures.nth(k).evaluate("img => img.naturalWidth > 300") for k in range(4))


def test_pointing_at_a_number_lights_it_everywhere(book: Book) -> None:
    """Slot 3 of the medals: China's gold, 40. A map lights what is in memory now: it follows the notebook for that."""
    follow = shown(book, "memory").get_by_role("button", name="Follow the notebook")
    follow.click()
    cell = shown(book, "strides").locator('[data-table="t"] .tk-tile[data-slot="3"]')
    cell.hover()
    for name in ("memory", "chosen", "stretched", "summed", "met"):
        lit = shown(book, name).locator('.tk-tile.tk-kin[data-slot="3"]')
        lit.first.wait_for(state="attached")
        assert {lit.nth(k).get_attribute("data-full") for k in range(lit.count())} <= {"40", ""}, name
    slot = shown(book, "stretched").locator('.tk-tile[data-slot="9"]').first
    slot.hover()
    shown(book, "strides").locator('.tk-tile.tk-lit[data-key="s:9"]').wait_for(state="attached")
    follow.click()


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Book, theme: str) -> None:
    book.theme(theme)
    assert book.axe(".tk-root") == []


def test_at_200_percent_nothing_runs_off_its_widget(book: Book) -> None:
    book.widen(650, *(shown(book, name) for name in BOARDS))  # what 200 % leaves of 1300
    wide = {name: shown(book, name).evaluate(CUT) for name in (*BOARDS, *CARDS)}
    small = {name: shown(book, name).evaluate(SMALLEST) for name in BOARDS}
    assert book.axe(".tk-root") == [], "what scrolls can be reached by keyboard"
    assert {name: over for name, over in wide.items() if over} == {}
    assert {name: size for name, size in small.items() if size < 5} == {}, (
        "at 200 % twice as large on the screen"
    )


def test_a_write_in_one_shows_in_all(worked: Book) -> None:
    cell = shown(worked, "strides").locator('[data-table="t"] .tk-tile[data-slot="3"]')
    for typed in ("99", "40"):
        cell.focus()
        worked.keyboard.press("Enter")
        worked.keyboard.press("Control+a")
        worked.keyboard.type(typed)
        worked.keyboard.press("Enter")
        for name in ("chosen", "stretched", "summed", "met"):
            tile = shown(worked, name).locator(f'.tk-tile[data-slot="3"][data-full="{typed}"]')
            tile.first.wait_for(state="attached")
    assert worked.ask("medals[1, 0].item()") == "40"


def test_by_keyboard_alone(worked: Book) -> None:
    """Tab goes to a control and into the picture; the arrows move there; what is focused can be seen."""
    for name in BOARDS:
        by_keyboard(worked, name)


def by_keyboard(book: Book, name: str) -> None:
    root, keys = shown(book, name), book.keyboard
    root.scroll_into_view_if_needed()
    root.evaluate("root => { root.tabIndex = -1; root.focus(); }")
    met = set()
    for _ in range(90):
        keys.press("Tab")
        on = "which => document.activeElement.matches(which)"
        if not root.evaluate(INSIDE):
            break
        met |= {word for word in ("button", "input", "select") if book.page.evaluate(on, word)}
        if book.page.evaluate(on, PICTURE):
            met.add("picture")
            break
    assert "picture" in met, f"{name}: Tab never reaches the picture, only {met}"
    assert met - {"picture"}, f"{name}: no control before the picture"
    where = "() => [...document.querySelectorAll('.tk-root *')].indexOf(document.activeElement)"
    places = {book.page.evaluate(where)}
    for key in ("ArrowDown", "ArrowRight", "PageDown", "ArrowRight"):
        keys.press(key)
        book.do("0")  # what the key asked of Python has been answered, and the picture drawn again
        assert root.evaluate(INSIDE), f"{name}: {key} loses the keyboard"
        places.add(book.page.evaluate(where))
    assert len(places) > 1, f"{name}: the arrows do not move"


def test_cards_by_keyboard_alone(worked: Book) -> None:
    keys = worked.keyboard
    for name in CARDS:
        root = shown(worked, name)
        root.scroll_into_view_if_needed()
        root.evaluate("root => { root.tabIndex = -1; root.focus(); }")
        met = set()
        for _ in range(40):
            keys.press("Tab")
            if not root.evaluate(INSIDE):
                break
            met.add(worked.page.evaluate(ROLE))
        assert met & {"BUTTON", "INPUT", "option"}, (name, met)
    line = shown(worked, "puzzle").locator(".tk-line").first
    line.focus()
    keys.press("ArrowDown")
    assert (
        shown(worked, "puzzle").locator(".tk-line").nth(1).evaluate("line => line === document.activeElement")
    )
    shown(worked, "predicted").locator("input").first.focus()
    keys.type("(1, 3)")
    keys.press("Enter")
    worked.page.locator(
        f'[data-windowed-list-index="{number_of("predicted")}"] .tk-card[data-state="right"]'
    ).wait_for()
    assert worked.ask("predicted.answer") == "(1, 3)"
