"""Timeline under a learner's hands."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import timeline",
    """with tk.cuda.emulate():
    p, q = tk.ones(1000, 1000).pin_memory(), tk.ones(1000, 1000).pin_memory()
    side = tk.cuda.Stream()
    with timeline() as w:
        a = p.to("cuda", non_blocking=True)
        b = a @ a
        with tk.cuda.stream(side):
            c = q.to("cuda", non_blocking=True).relu()
        tk.cuda.current_stream().wait_stream(side)
        d = b + c
        tk.cuda.synchronize()
w""",
    """with tk.cuda.emulate(), timeline() as v:
    x = tk.ones(100, device="cuda")
    for _ in range(20):
        x = x + 1
    x.sum().item()
v""",
    """with tk.cuda.emulate() as device:
    m, n, here = tk.ones(1000, 1000, device="cuda"), tk.ones(3, device="cuda"), tk.zeros(3, pin_memory=True)
    with timeline() as u, device.hold():
        m @ m
        here.copy_(n, non_blocking=True)
        here.sum()
u""",
]


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("timeline", CELLS, [1, 2, 3], height=1800, width=1440) as one:
        yield one


def classes(book: Any, number: int, key: str) -> str:
    return str(book.tile(number, key).get_attribute("class"))


def picture(book: Any, number: int) -> str:
    return str(book.root(number).locator(".tk-picture").inner_text())


def test_steps_tell_when_each_event_ran(book: Any) -> None:
    book.shows(1, step="0", steps="8", events="8", source="simulated")
    book.part(1, "step").click()
    book.shows(1, step="1", doing="copy", lane="cuda:0 stream 0")
    assert "tk-lit" in classes(book, 1, "run:1")
    assert book.tile(1, "run:2").count() == 0
    book.part(1, "step").click()
    book.shows(1, step="2", doing="library")
    assert "It runs from 175" in picture(book, 1)
    book.part(1, "back").click()
    book.shows(1, step="1")
    book.part(1, "run").click()
    book.shows(1, step="8", doing="synchronize", held="true")
    assert book.ask("w.at, w.source, len(w.spans)") == "8 simulated 16"


def test_bars_and_events_are_pressed(book: Any) -> None:
    book.part(1, "run").click()
    book.shows(1, step="8")
    book.tile(1, "run:4").click()
    book.shows(1, step="4", lane="cuda:0 stream 1")
    book.tile(1, "event:6").click()
    book.shows(1, step="6", doing="wait", lane="cuda:0 stream 0")
    book.part(1, "run").click()
    book.shows(1, step="8")
    book.tile(1, "run:7").click()
    book.shows(1, step="7")
    book.tile(1, "event:8").click()
    book.tile(1, "held:8").click()
    book.shows(1, step="8", held="true")
    book.tile(1, "call:2").click()
    book.shows(1, step="2")
    assert book.tile(1, "held:8").count() == 0  # it is still to come


def test_pointing_at_a_call_lights_its_work_and_back(book: Any) -> None:
    book.part(1, "run").click()
    book.shows(1, step="8")
    book.tile(1, "event:2").hover()
    book.shows(1, focus="event:2")
    assert "tk-kin" in classes(book, 1, "run:2")
    assert "tk-kin" in classes(book, 1, "call:2")
    book.tile(1, "run:3").hover()
    book.shows(1, focus="run:3")
    assert "tk-kin" in classes(book, 1, "event:3")
    assert "tk-kin" not in classes(book, 1, "run:2")


def test_next_wait_goes_to_where_the_cpu_waits(book: Any) -> None:
    book.part(1, "wait").click()
    book.shows(1, step="8", doing="synchronize", held="true")
    assert book.part(1, "wait").is_disabled()
    book.part(2, "wait").click()
    book.shows(2, step="23", doing="copy", held="true")


def test_the_time_around_a_step_is_looked_at_and_left(book: Any) -> None:
    book.tile(1, "event:4").click()
    book.shows(1, step="4", zoom="all")
    before = book.tile(1, "run:4").bounding_box()["width"]
    book.part(1, "zoom").select_option("near")
    book.shows(1, zoom="near")
    assert book.tile(1, "run:4").bounding_box()["width"] > 3 * before
    book.part(1, "undo").click()
    book.shows(1, step="4", zoom="all")


def test_it_is_played_and_paused_by_keyboard(book: Any) -> None:
    book.shows(3, step="0", steps="3", playing="false")
    assert "First, at 0\xa0µs the program gives mm" in picture(book, 3)
    assert book.tile(3, "call:1").count() == 0
    book.tab_to(3, '[data-role="play"]')
    book.keyboard.press("Enter")
    book.shows(3, playing="true", step="1")
    book.keyboard.press("Space")
    book.shows(3, playing="false", step="1")
    book.keyboard.press("Space")
    book.shows(3, playing="true", step="2")
    book.tab_to(3, '[data-role="zoom"]')
    book.keyboard.press("Space")
    book.shows(3, playing="false", step="2", zoom="all")
    book.tab_to(3, '[data-role="play"]')
    book.keyboard.press("Enter")
    book.shows(3, playing="false", step="3", doing="read")
    assert "It reads old bytes: the copy (2) is still to come" in picture(book, 3)
    assert "tk-is-bad" in classes(book, 3, "read:3")


def test_what_is_simulated_is_told_behind_a_fold(book: Any) -> None:
    answer = book.part(1, "about")
    assert not answer.is_visible()
    book.tab_to(1, ".tk-about summary")
    book.keyboard.press("Enter")
    assert "A call costs the CPU 5" in answer.inner_text()


def test_by_keyboard_alone(book: Any) -> None:
    book.part(1, "run").click()
    book.part(1, "back").click()
    book.shows(1, step="7")
    book.tab_to(1, '[data-role="wait"]')
    book.keyboard.press("Enter")
    book.shows(1, step="8")
    book.tab_to(1, '.tk-table[data-table="lane:cuda:0 stream 0"] .tk-tile')
    book.keyboard.press("Home")
    book.shows(1, focus="run:1")
    book.keyboard.press("ArrowRight")
    book.shows(1, focus="run:2")
    book.keyboard.press("Enter")
    book.shows(1, step="2")
    book.tab_to(1, '.tk-table[data-table="events"] .tk-tile')
    book.keyboard.press("End")
    book.shows(1, focus="event:8")
    book.keyboard.press("Enter")
    book.shows(1, step="8")


def test_it_fits_one_screen(book: Any) -> None:
    for number in (1, 2):
        assert book.root(number).bounding_box()["height"] <= 640


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Any, theme: str) -> None:
    book.ask("w.goto(6)")
    book.shows(1, step="6")
    book.theme(theme)
    assert book.axe(".tk-board") == []


@pytest.mark.parametrize("number", [1, 2])
def test_at_200_percent_nothing_is_cut(book: Any, number: int) -> None:
    assert book.cut_at_200_percent(number) == {}
