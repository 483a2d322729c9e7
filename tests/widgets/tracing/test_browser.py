"""Trace, explain and %%explain under a learner's hands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.browser.beginning import until
from tests.browser.places import placed

pytestmark = pytest.mark.browser

CELLS = [
    "%load_ext tensorkit_widgets\nimport tensorkit as tk\nfrom tensorkit_widgets import Trace, explain, trace",
    "x = tk.arange(12).view(3, 4)\n"
    "with trace() as tr:\n    y = x.t().reshape(-1)\n    x[1, 2] = 60\n    z = x[1:] + 1\ntr",
    "w = explain('x.t().view(-1)')\nw",
    "%%explain\na = x.t()\nb = a.reshape(-1)\nb.sum()",
    "s = explain('for k in range(40):\\n    x = x + 1\\n(x * x)[0]  # <img src=x onerror=hacked=1>')\ns",
    "def double(t):\n    return t.t() * 2\n\ninside = explain('double(x).t()')\ninside",
    "%%explain\nc = x.t()\nc.view(-1)",
    "reached = True",
]
SHOTS = os.environ.get("TENSORKIT_SHOTS", "")


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("story", CELLS, [1, 2, 3, 4, 5, 6], height=7000) as one:
        yield one


def classes(book: Any, number: int, key: str) -> str:
    return str(book.tile(number, key).get_attribute("class"))


def shot(book: Any, number: int, name: str) -> None:
    if SHOTS:
        book.shot(number, Path(SHOTS) / f"{name}.png")


def test_a_trace_steps_through_its_calls(book: Any) -> None:
    book.shows(1, step="0", steps="5", calls="5", status="ok", bytes="96")
    shot(book, 1, "trace_whole")
    book.part(1, "step").click()
    book.shows(1, step="1", op="t", did="view", storages="A")
    book.part(1, "step").click()
    book.shows(1, step="2", op="reshape", did="copy", running=".reshape(-1)", storages="B")
    shot(book, 1, "trace_copy")
    assert book.ask("tr.at, tr.calls[1].bytes_moved") == "2 96"
    book.part(1, "back").click()
    book.shows(1, step="1")
    book.part(1, "run").click()
    book.shows(1, step="5", op="add", did="made")
    book.part(1, "scrub").evaluate(
        "s => { s.value = 2; s.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    book.shows(1, step="2")


def test_the_list_is_pressed(book: Any) -> None:
    book.tile(1, "step:2").click()
    book.shows(1, step="2")
    book.tile(1, "step:3").click()
    book.shows(1, step="3", did="in place")
    assert "tk-lit" in classes(book, 1, "step:3")
    assert "tk-lit" not in classes(book, 1, "step:2")


def test_what_was_written_flashes_where_it_was_written(book: Any) -> None:
    book.tile(1, "step:3").click()
    book.shows(1, step="3")
    assert "tk-is-changed" in classes(book, 1, "out0:1,2")
    assert "tk-is-changed" in classes(book, 1, "A:6")
    assert "tk-is-changed" not in classes(book, 1, "A:5")
    assert book.tile(1, "in0:1,2").get_attribute("data-full") == "6"
    assert book.tile(1, "out0:1,2").get_attribute("data-full") == "60"
    shot(book, 1, "trace_write")
    moves = "() => matchMedia('(prefers-reduced-motion: reduce)').matches"
    # A picture that is drawn again meanwhile takes its boxes with it: `expect` looks for the box again.
    expect = pytest.importorskip("playwright.sync_api").expect
    box = expect(book.tile(1, "A:6").locator(".tk-box"), "no motion for those who want none, else a flash")
    assert book.page.evaluate(moves)
    box.to_have_css("animation-name", "none")
    book.page.emulate_media(reduced_motion="no-preference")
    box.to_have_css("animation-name", "tk-flash")
    book.page.emulate_media(reduced_motion="reduce")


def test_hover_lights_the_slot_and_every_element_that_reads_it(book: Any) -> None:
    book.tile(1, "step:1").click()
    book.shows(1, step="1")
    book.tile(1, "in0:1,2").hover()
    book.shows(1, focus="in0:1,2")
    assert "tk-kin" in classes(book, 1, "A:6")
    assert "tk-kin" in classes(book, 1, "out0:2,1")
    assert "tk-kin" not in classes(book, 1, "out0:1,2")
    assert "slot 6 of storage A" in book.part(1, "said").inner_text()


def test_an_error_opens_where_it_was_raised(book: Any) -> None:
    book.shows(2, step="2", did="error", diagnosis="view-strides", bad="0:0,0:1", running=".view(-1)")
    for key in ("size-in0:0", "size-in0:1", "stride-in0:0", "stride-in0:1"):
        assert "tk-is-bad" in classes(book, 2, key)
    text = book.root(2).locator(".tk-picture").inner_text()
    assert "cannot merge" in text
    assert "what to do next" in text
    assert book.root(2).locator(".tk-axis.tk-bad").count() == 2
    assert book.root(2).locator(".tk-arc.tk-bad").count() == 1
    shot(book, 2, "error")


CUT_LINES = """root => {
    const frame = root.querySelector(".tk-picture").getBoundingClientRect();
    const edge = root.querySelector(".tk-floating .tk-pinned-ground")?.getBoundingClientRect().top ?? frame.bottom;
    const mine = (text) => !text.closest(".tk-pinned, .tk-tile") && text.getBoundingClientRect().height < 32;
    const lines = [...root.querySelectorAll("svg text")].filter(mine);
    const boxes = lines.map((text) => [text.textContent, text.getBoundingClientRect()]);
    const cut = boxes.filter(([, box]) => box.top < edge - 1 && box.bottom > edge + 1).map(([words]) => words);
    return { floats: edge < frame.bottom, free: (edge - frame.top) / frame.height, cut }; }"""
"""Whether the storage floats, how much it leaves of the frame, and the lines of text that it cuts in two."""


@pytest.mark.parametrize("height", [900, 720])
def test_the_storage_in_sight_leaves_room_to_read(book: Any, height: int) -> None:
    root, page = book.root(2), book.page
    for width in (1440, 1072):
        page.set_viewport_size({"width": width, "height": height})
        until(
            page,
            "([root, height]) => root.getBoundingClientRect().height <= height - 200",
            [root.element_handle(), height],
        )
        book.settled(root)
        found = root.evaluate(CUT_LINES)
        assert found["free"] >= 0.4, (width, found)
        assert found["floats"] or height < 900, (width, found)
        assert not found["floats"] or found["cut"] == [], (width, found)


def test_a_refusal_gives_its_reason_once(book: Any) -> None:
    text = book.root(2).locator(".tk-picture").inner_text()
    assert text.count("cannot merge") == 1
    assert text.count("ViewError") == 1


def test_the_offered_code_is_copied_and_runs(book: Any) -> None:
    book.part(2, "copy-0").click()
    book.root(2).locator('[data-copied="x.t().reshape(-1)"]').wait_for()
    assert "x.t().reshape(-1)" in book.part(2, "said").inner_text()
    assert book.ask("explain(w.offers[0]).failed") == "None"
    book.part(2, "back").click()
    book.shows(2, step="1")
    assert book.part(2, "copy-0").count() == 0
    book.part(2, "error").click()
    book.shows(2, step="2")


def test_the_magic_runs_the_cell_once_in_the_notebook(book: Any) -> None:
    book.shows(3, step="0", steps="3", status="ok")
    assert "the value" in book.root(3).locator(".tk-picture").inner_text()
    assert book.ask("b.tolist()[:3]") == "[0, 4, 8]"
    shot(book, 3, "magic_whole")
    book.tile(3, "step:2").click()
    book.shows(3, step="2", did="copy", line="2", running="a.reshape(-1)")


def test_a_cell_that_raises_shows_its_story_and_its_error(book: Any) -> None:
    book.run_all()
    book.shows(6, step="2", status="raised", did="error", line="2")
    error = book.page.locator(
        '[data-windowed-list-index="6"] .jp-RenderedText[data-mime-type*="stderr"], '
        '[data-windowed-list-index="6"] .jp-OutputArea-output[data-mime-type*="error"]'
    ).first
    error.wait_for()
    told = error.inner_text()
    assert "ViewError" in told
    assert "----> 2 c.view(-1)" in told
    assert "Cell In[7], line 2" in told
    assert "explain_magic" not in told
    assert "stepper" not in told
    assert book.ask("c.size()") == "tensorkit.Size([4, 3])", "what ran before the error stays"
    assert book.ask("'reached' in globals()") == "False", "Run All stops there, as it does without the magic"


def test_a_long_story_is_a_window(book: Any) -> None:
    book.shows(4, step="0", steps="42", status="ok")
    assert book.tile(4, "step:42").count() == 0
    book.part(4, "run").click()
    book.shows(4, step="42")
    assert book.tile(4, "step:1").count() == 0
    book.tile(4, "step:34").click()  # "34 earlier"
    book.shows(4, step="34")
    assert book.root(4).locator("img, script").count() == 0
    assert book.page.evaluate("() => window.hacked === undefined")


def test_calls_in_a_function_are_indented(book: Any) -> None:
    first, last = (placed(book.tile(5, key).locator(".tk-box")) for key in ("step:1", "step:3"))
    assert first["x"] > last["x"]
    book.tile(5, "step:2").click()
    book.shows(5, step="2", running="* 2")


def test_by_keyboard_alone(book: Any) -> None:
    keys = book.keyboard
    book.ask("tr.run()")
    book.shows(1, step="5")
    book.part(1, "back").focus()
    keys.press("Home")
    book.shows(1, step="0")
    keys.press("ArrowRight")
    book.shows(1, step="1")
    book.tab_to(1, '.tk-table[data-table="steps"] .tk-tile')
    keys.press("End")
    keys.press("ArrowDown")
    keys.press("Enter")
    book.shows(1, step="2")
    keys.press("ArrowDown")
    keys.press(" ")
    book.shows(1, step="3")
    keys.press("PageDown")
    assert book.page.evaluate("() => document.activeElement.dataset.key").startswith("size-in0")
    book.part(2, "copy-1").focus()
    keys.press("Enter")
    book.root(2).locator('[data-copied="x.t().contiguous().view(-1)"]').wait_for()


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Any, theme: str) -> None:
    book.theme(theme)
    for number in (1, 2, 4):
        shot(book, number, f"{number}_{theme}")
    assert book.axe(".tk-board") == []


def test_a_narrow_page_is_laid_out_anew(book: Any) -> None:
    book.widen(900, book.root(2))
    assert book.root(2).locator("svg.tk-scene").evaluate("svg => svg.viewBox.baseVal.width") <= 600
    shot(book, 2, "narrow")
    picture = book.root(2).locator("svg.tk-scene")
    assert placed(picture)["width"] <= placed(book.root(2))["width"]
    beside = [placed(book.tile(2, key)) for key in ("step:2", "size-in0:0")]
    assert beside[0]["y"] < beside[1]["y"], "the list stands over the tensors, not beside them"
    assert book.axe(".tk-board") == []
