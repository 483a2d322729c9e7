"""KernelTracer under a learner's hands."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CELLS = [
    "import numpy\nfrom numba import cuda, float32\nfrom tensorkit_widgets import KernelTracer",
    """@cuda.jit
def add(a, out):
    i = cuda.grid(1)
    out[i] = a[i] + 1

w = KernelTracer(add, 2, 4, numpy.arange(6.0), numpy.zeros(6))
w""",
    """@cuda.jit
def reverse(a):
    part = cuda.shared.array(8, float32)
    t = cuda.threadIdx.x
    part[t] = a[t]
    cuda.syncthreads()
    a[t] = part[7 - t]

v = KernelTracer(reverse, 1, 8, numpy.arange(8, dtype=numpy.float32))
v""",
]


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("kernel_tracer", CELLS, [1, 2], height=1800, width=1440) as one:
        yield one


def classes(book: Any, number: int, key: str) -> str:
    return str(book.tile(number, key).get_attribute("class"))


def test_steps_show_who_touches_what(book: Any) -> None:
    book.shows(1, step="0", steps="4", status="wrong", found="2", blocks="2", threads="4")
    book.part(1, "step").click()
    book.shows(1, step="1", doing="read", array="a", line="4", block="0")
    assert "tk-lit" in classes(book, 1, "m0:3")
    book.part(1, "step").click()
    book.shows(1, step="2", doing="write", array="out")
    assert "tk-is-changed" in classes(book, 1, "m1:3")
    assert book.tile(1, "m1:3").locator(".tk-number").text_content() == "4."
    assert book.ask("w.at, w.status") == "2 wrong"


def test_pointing_at_a_thread_lights_its_slot_and_back(book: Any) -> None:
    book.ask("w.goto(2)")
    book.shows(1, step="2")
    book.tile(1, "thread:2").hover()
    book.shows(1, focus="thread:2")
    assert "tk-kin" in classes(book, 1, "m1:2")
    book.tile(1, "m1:1").hover()
    book.shows(1, focus="m1:1")
    assert "tk-kin" in classes(book, 1, "thread:1")


def test_a_finding_is_pressed_and_its_sentence_stands_there(book: Any) -> None:
    book.tile(1, "found:0").click()
    book.shows(1, step="3", chosen="0", block="1")
    assert (
        "thread 2 of block 1 asked to read a[6] in line 4" in book.root(1).locator(".tk-picture").inner_text()
    )
    assert "tk-is-seam" in classes(book, 1, "thread:2")
    book.part(1, "undo").click()
    book.shows(1, step="0", chosen="")
    book.part(1, "next").click()
    book.shows(1, step="3", chosen="0")


def test_steps_lines_threads_and_blocks_are_pressed(book: Any) -> None:
    book.tile(2, "line:7").click()
    book.shows(2, step="4", line="7")
    book.tile(2, "time:2").click()
    book.shows(2, step="2", line="5", doing="write", array="part")
    book.part(2, "barrier").click()
    book.shows(2, step="3", doing="barrier")
    book.tile(2, "thread:5").click()
    book.shows(2, step="4")
    book.tile(1, "block:1").click()
    book.shows(1, step="3", block="1")
    slider = book.part(1, "block")
    slider.evaluate("s => { s.value = 0; s.dispatchEvent(new Event('input', { bubbles: true })); }")
    book.shows(1, step="1", block="0")


def test_by_keyboard_alone(book: Any) -> None:
    book.part(2, "barrier").focus()
    book.keyboard.press("Enter")
    book.shows(2, step="3", doing="barrier")
    book.tab_to(2, '[data-role="back"]')
    book.keyboard.press("End")
    book.shows(2, step="5")
    book.tab_to(2, '.tk-table[data-table="time"] .tk-tile')
    book.keyboard.press("Home")
    book.shows(2, focus="time:1")
    book.keyboard.press("Enter")
    book.shows(2, step="1")
    book.tab_to(2, '.tk-table[data-table="threads"] .tk-tile')
    book.keyboard.press("End")
    book.shows(2, focus="thread:7")
    book.keyboard.press("Enter")
    book.shows(2, step="2")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Any, theme: str) -> None:
    book.ask("w.show(0)")
    book.shows(1, chosen="0")
    book.ask("v.goto(3)")
    book.shows(2, step="3")
    book.theme(theme)
    assert book.axe(".tk-board") == []


@pytest.mark.parametrize("number", [1, 2])
def test_at_200_percent_nothing_is_cut(book: Any, number: int) -> None:
    assert book.cut_at_200_percent(number) == {}
