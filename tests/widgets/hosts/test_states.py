"""What a picture shows of its kernel and of what is done to it: busy, dead, a number that is none, what is pressed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser import beginning
from tests.browser.beginning import until
from tests.browser.desk import Book, Desk
from tests.browser.jupyter import Explorer
from tests.widgets.hosts.test_kernel_restart import KILL, wrong

pytestmark = pytest.mark.browser

BOARD, EXPLORER, REDUCTION, INDEX = 1, 2, 3, 4
CELLS = [
    "import time\nimport tensorkit as tk\n"
    "from tensorkit_widgets import BroadcastExplorer, IndexExplorer, ReductionExplorer, StrideExplorer\n"
    "t = tk.arange(12.0).view(3, 4)",
    "w = BroadcastExplorer(t, tk.ones(4))\nw",
    "s = StrideExplorer(t)\ns",
    "r = ReductionExplorer(t, 'sum', 1)\nr",
    "i = IndexExplorer(t, '1:, ::2')\ni",
]
SHOWN = [BOARD, EXPLORER, REDUCTION, INDEX]
BUSY = "print('busy', flush=True)\nfor _ in range(3000):\n    time.sleep(0.02)"
INTERRUPT = "() => { window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.interrupt(); }"
# Where the picture begins, below the controls; the page itself may be scrolled meanwhile.
TOP = """root => Math.round(
    root.querySelector(".tk-picture").getBoundingClientRect().y - root.getBoundingClientRect().y)"""
# What asks the kernel something, and is not switched off.
ON = """root => [...root.querySelectorAll("button, input, select")]
    .filter((part) => !part.disabled && !part.closest(".tk-present, .tk-stage-bar, [role=tab]"))
    .filter((part) => part.dataset.role !== "restart" && !part.dataset.role?.startsWith("zoom-"))
    .map((part) => part.dataset.role)"""


@pytest.fixture
def book(desk: Desk) -> Iterator[Book]:
    with desk.begun("states", CELLS, SHOWN, wrong=wrong) as one:
        one.everything()
        yield one


def editor(book: Book, number: int) -> Any:
    return book.root(number).locator('[data-role="editor"]')


def holds(book: Book, number: int, key: str, text: str) -> None:
    """Wait until a cell of a picture shows this number."""
    book.tile(number, key).filter(has_text=re.compile(f"^{re.escape(text)}")).wait_for()


def test_a_busy_kernel_is_seen_at_once_and_nothing_moves(book: Book) -> None:
    root = book.root(BOARD)
    spinner = book.part(BOARD, "spinner")
    assert not spinner.is_visible()
    top = root.evaluate(TOP)
    book.start(BUSY)
    book.heard("busy")
    book.part(BOARD, "step").click()
    book.shows(BOARD, waiting="true")
    assert spinner.is_visible()
    assert book.root(BOARD).get_attribute("aria-busy") == "true"
    book.shows(BOARD, kernel="slow")
    assert "The kernel is busy" in book.part(BOARD, "kernel").inner_text()
    assert root.evaluate(TOP) == top, "what comes and goes lies over the picture"
    assert book.root(EXPLORER).get_attribute("data-kernel") == "live", "nothing was asked of it"
    book.page.evaluate(INTERRUPT)
    book.finish()
    book.shows(BOARD, kernel="live", step=1, waiting="false")
    assert not spinner.is_visible()


def test_a_dead_kernel_switches_every_picture_off_and_each_can_start_again(book: Book) -> None:
    book.spoiled = True  # the next test gets a kernel of its own
    book.part(BOARD, "step").click()
    book.shows(BOARD, step=1)
    book.ask("setattr(s, 'expression', '[1:].t()')")
    book.shows(EXPLORER, expression="[1:].t()")
    book.page.evaluate(KILL)
    for number in SHOWN:
        book.shows(number, kernel="gone")
        assert book.root(number).evaluate(ON) == []
        assert book.part(number, "restart").is_enabled()
        assert "The picture stays" in book.part(number, "kernel").inner_text()
    book.page.locator(".jp-Dialog .jp-mod-accept").click()
    book.tile(EXPLORER, "t:0,0").dblclick()
    assert editor(book, EXPLORER).count() == 0
    book.part(EXPLORER, "restart").click()
    book.shows(EXPLORER, kernel="live", expression="[1:].t()")
    book.shows(BOARD, kernel="live")
    for number in (REDUCTION, INDEX):
        assert book.root(number).get_attribute("data-kernel") == "gone", "its cell has not run again"
    assert book.ask("s.code") == "t[1:].t()"
    assert book.page.locator("dialog.tk-stage").count() == 0
    book.part(INDEX, "restart").click()
    for number in SHOWN:
        book.shows(number, kernel="live")


@pytest.mark.parametrize("number", [EXPLORER, REDUCTION])
def test_what_is_no_number_is_told_at_its_cell(book: Book, number: int) -> None:
    page = book.page
    cell = book.tile(number, "t:1,1")
    cell.click()
    page.keyboard.press("4")
    assert editor(book, number).input_value() == "4", "typing begins an edit"
    page.keyboard.type("abc")
    page.keyboard.press("Enter")
    words = book.root(number).locator('[data-role="editor-words"]')
    words.wait_for()
    assert words.inner_text() == "`4abc` is not a number"
    assert editor(book, number).get_attribute("aria-invalid") == "true"
    assert not book.part(number, "refusal").is_visible()
    assert book.root(number).locator('[aria-invalid="true"]:not([data-role="editor"])').count() == 0
    page.keyboard.press("Escape")
    assert editor(book, number).count() == words.count() == 0
    assert book.ask("t[1, 1].item()") == "5.0"
    page.keyboard.press("F2")
    page.keyboard.type("-7.5")
    page.keyboard.press("Enter")
    for shown in (EXPLORER, REDUCTION):
        holds(book, shown, "t:1,1", "-7.5")
    book.part(number, "undo").click()
    for shown in (EXPLORER, REDUCTION):
        holds(book, shown, "t:1,1", "5.")
    assert book.ask("t[1, 1].item()") == "5.0"


def test_chips_are_dragged_and_their_text_is_not_selected(book: Book) -> None:
    explorer = Explorer(book.root(EXPLORER))
    chips = [explorer.part("dim", d) for d in (0, 1)]
    chips[0].scroll_into_view_if_needed()
    (x0, y0), (x1, y1) = (
        (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for box in (chip.bounding_box() for chip in chips)
    )
    book.mouse.move(x0, y0)
    book.mouse.down()
    book.mouse.move(x1 + 40, y1 + 30, steps=8)
    assert book.page.evaluate("() => String(getSelection())") == ""
    book.mouse.up()
    book.shows(EXPLORER, size="4,3")
    assert book.page.evaluate("() => String(getSelection())") == ""


def test_the_mask_is_seen_while_it_is_pressed(book: Book) -> None:
    lit = book.root(INDEX).locator('.tk-tile[data-key^="t:"].tk-lit')
    book.tile(INDEX, "t:0,1").click()
    book.shows(INDEX, code="t[mask]")
    until(
        book.page,
        "root => root.querySelectorAll('.tk-tile[data-key^=\"t:\"].tk-lit').length === 5",
        arg=book.root(INDEX).element_handle(),
    )
    keys = sorted(lit.nth(k).get_attribute("data-key") for k in range(lit.count()))
    assert keys == ["t:0,1", "t:1,0", "t:1,2", "t:2,0", "t:2,2"], "the pointer is still on the tensor"
    book.tile(INDEX, "t:0,2").hover()
    book.shows(INDEX, focus="t:0,2")
    assert lit.count() == 5, "looking at a cell chooses nothing"
    book.tile(INDEX, "s:3").hover()
    book.shows(INDEX, focus="s:3")
    assert lit.count() == 5
    book.mouse.move(*beginning.AWAY)
    assert lit.count() == 5
