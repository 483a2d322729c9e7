"""Every widget on one screen: its height at several widths and on the stage, one size of its cells, controls that stay.

`pytest -s` prints the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.beginning import until
from tests.browser.desk import CUT, Book, Desk
from tests.browser.places import placed
from tests.widgets.gallery import BOARDS, CARDS, look_at_gallery, shown

pytestmark = pytest.mark.browser

SCREEN = (1440, 900)
MOST = 640
"""The height of a widget with all its controls, in pixels of a screen of 1440 × 900 with the file browser open."""

BESIDE = 432
"""What JupyterLab keeps of a window: the file browser, the prompts, and the bars at its sides."""
PANES = (1120, 1008, 700, 500)
"""Widths of a widget; the second is that on the screen above."""

LARGE = "strides"
"""A picture that is left at a size of its own."""

ROOMS = ((1920, 1080), (1280, 720))
"""The windows of projectors."""

SCALE = "root => root.querySelector('.tk-picture svg').getScreenCTM().a"
WIDE = "tile => tile.querySelector('rect').width.baseVal.value * tile.getScreenCTM().a"
HIGH = "root => Math.round(root.getBoundingClientRect().height)"
HIDDEN = """root => { const frame = root.querySelector(".tk-picture");
    return [frame.scrollHeight - frame.clientHeight, frame.scrollWidth - frame.clientWidth]; }"""
"""By how much a picture is taller and wider than its frame."""
USED = """root => { const [frame, svg] = [root.querySelector(".tk-picture"), root.querySelector(".tk-picture svg")];
    const { width, height } = svg.getBBox(), scale = svg.getScreenCTM().a;
    return Math.max(width * scale / frame.clientWidth, height * scale / frame.clientHeight); }"""
"""The part of its frame's width or height that what is drawn takes."""
LEAST = """root => { const texts = [...root.querySelectorAll(".tk-picture svg text, .tk-picture svg tspan")];
    const shown = texts.filter((text) => text.textContent.trim() && text.getClientRects().length);
    const size = (text) => parseFloat(getComputedStyle(text).fontSize);
    const scale = ({ a, b }) => Math.hypot(a, b); // of a label on its side too
    return Math.min(...shown.map((text) => size(text) * scale(text.getScreenCTM()))); }"""
"""The size of the smallest label of a picture, in pixels of the screen."""
LEGIBLE = 16
"""What the back row can read."""
UNSEEN = """root => { const frame = root.querySelector(".tk-picture").getBoundingClientRect();
    const floating = root.querySelector(".tk-floating .tk-pinned-ground")?.getBoundingClientRect().top ?? frame.bottom;
    window.seen ??= new Set();
    const edges = [...root.querySelectorAll(".tk-tile")].flatMap((tile) => ["top", "bottom"].map((edge) => {
        const at = tile.getBoundingClientRect()[edge], key = `${tile.dataset.key} ${edge}`;
        const end = tile.closest(".tk-pinned") ? frame.bottom : floating;
        if (at >= frame.top - 1 && at <= end + 1) window.seen.add(key);
        return key; }));
    return edges.filter((key) => !window.seen.has(key)); }"""
"""The edges of the tiles of a picture that were not in sight, neither now nor before."""
STORAGE = """root => { const slot = root.querySelector('[data-table="s"] .tk-tile, [data-table="A"] .tk-tile');
    const [inner, outer] = [slot, root.querySelector(".tk-picture")].map((part) => part.getBoundingClientRect());
    return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1; }"""
"""Whether the slots can be seen without scrolling."""
WITH_STORAGE = ("strides", "story", "chosen", "face")
SCROLLED = ("story", "graph")
"""What is taller than a screen on its example too: there the storage, or the node that runs, stays in sight."""

STRIDES = """from tensorkit_widgets import *
import tensorkit as tk
t = tk.arange(12.0).view(3, 4)
w = StrideExplorer(t)
w"""
MAP = """names = {"t": t, "turned": t.t(), "row": t[1], "half": t[:, ::2]}
m = MemoryMap({**names, "copied": t.t().contiguous(), "other": tk.ones(6)})
m"""
INDEX = 'i = IndexExplorer(t, "1:, [0, 2]", name="t")\ni'

PHOTO = """import tensorkit as tk
from tensorkit_widgets import ImageView
f = ImageView((tk.arange(4800) % 256).to(tk.uint8).view(40, 40, 3))
f"""


@pytest.fixture
def gallery(desk: Desk) -> Iterator[Book]:
    """The gallery, run on the screen."""
    with look_at_gallery(desk, *SCREEN) as one:
        yield one


@pytest.fixture
def book(desk: Desk) -> Iterator[Book]:
    with desk.begun(
        "one_screen", [STRIDES, MAP, INDEX, PHOTO], [0, 1, 2, 3], height=SCREEN[1], width=SCREEN[0]
    ) as one:
        yield one


def on_stage(book: Book, button: Any) -> Any:
    """A view on the stage, as large as fits the window."""
    button.click()
    staged = book.page.locator("dialog.tk-stage [data-tk-widget]")
    staged.wait_for()
    book.settled(staged)
    return staged


def told(title: str, table: dict[str, Any]) -> None:
    """A table, for a reader of `pytest -s`."""
    print(f"\n{title}", *(f"{name:<12}{value}" for name, value in table.items()), sep="\n")


def test_every_widget_of_the_gallery_fits_the_screen(gallery: Book) -> None:
    roots = {name: shown(gallery, name) for name in (*BOARDS, *CARDS)}
    high = {name: root.evaluate(HIGH) for name, root in roots.items()}
    told("height at 1440 × 900", high)
    assert {name: height for name, height in high.items() if height > MOST} == {}
    hidden = {name: roots[name].evaluate(HIDDEN) for name in BOARDS}
    assert {name: by for name, by in hidden.items() if name not in SCROLLED and by != [0, 0]} == {}
    scales = {name: round(roots[name].evaluate(SCALE), 2) for name in BOARDS}
    assert set(scales.values()) == {1.0}, scales


def test_every_pane_has_one_size_of_cells_and_the_storage_in_sight(gallery: Book) -> None:
    table: dict[str, list[int]] = {name: [] for name in BOARDS}
    for pane in PANES:
        roots = {name: shown(gallery, name) for name in BOARDS}
        if gallery.page.viewport_size["width"] != pane + BESIDE:
            gallery.widen(pane + BESIDE, *(roots.values() if pane < 1000 else ()))
        for name, root in roots.items():
            gallery.settled(root)
            table[name].append(root.evaluate(HIGH))
            assert root.evaluate(CUT) == 0, (name, pane)
            assert root.evaluate(SCALE) == pytest.approx(1.0, abs=0.01), (name, pane)
            assert name not in WITH_STORAGE or root.evaluate(STORAGE), (name, pane)
    told(f"height in panes of {PANES}", table)
    assert {name: row for name, row in table.items() if max(row) > MOST} == {}


def test_at_200_percent_nothing_is_cut(gallery: Book) -> None:
    """Twice as large, a screen has half as many pixels each way."""
    page, roots = gallery.page, {name: shown(gallery, name) for name in BOARDS}
    page.set_viewport_size({"width": SCREEN[0] // 2, "height": SCREEN[1] // 2})
    table = {}
    for name, root in roots.items():
        until(page, "root => root.clientWidth < 500", arg=root.element_handle())
        gallery.settled(root)
        table[name] = root.evaluate(HIGH)
        assert root.evaluate(CUT) == 0, name
    told("height at 200 %", table)
    assert {name: height for name, height in table.items() if height > 480} == {}


@pytest.mark.parametrize("room", ROOMS, ids=str)
def test_the_stage_fits_its_window(gallery: Book, room: tuple[int, int]) -> None:
    page = gallery.page
    page.set_viewport_size({"width": room[0], "height": room[1]})
    table = {}
    for name in BOARDS:
        staged = on_stage(gallery, shown(gallery, name).locator('[data-role="present"]'))
        # Of the tallest, the end is scrolled to in a low window: what is in sight can be read.
        scrolls = 0 if name in SCROLLED and room[1] < 800 else -1
        if name == LARGE:
            page.keyboard.press("0")
        assert staged.get_attribute("data-fitted") == "true", "the size of another picture is its own"
        fits = f"root => ({HIDDEN})(root).every((pixels, side) => side === {scrolls} || pixels === 0)"
        until(page, fits, arg=staged.element_handle())
        assert staged.evaluate(LEAST) >= LEGIBLE, name
        assert staged.evaluate("root => root.querySelector('.tk-picture').scrollTop") == 0, name
        table[name] = int(staged.get_attribute("data-stage"))
        stage = page.locator("dialog.tk-stage").evaluate(
            "s => [s.scrollHeight - s.clientHeight, s.scrollWidth - s.clientWidth]"
        )
        assert stage == [0, 0], name
        assert name not in WITH_STORAGE or staged.evaluate(STORAGE), name
        assert staged.evaluate(USED) >= 0.7, name
        sizes = [int(staged.get_attribute("data-stage")) for _ in map(page.keyboard.press, "++--")]
        assert table[name] < sizes[0] <= sizes[1], name
        assert [staged.get_attribute(f"data-{what}") for what in ("stage", "fitted")] == [
            str(table[name]),
            "true",
        ]
        if name == LARGE:
            page.keyboard.press("+")
        page.keyboard.press("Escape")
        staged.wait_for(state="detached")
    told(f"percent on a stage of {room[0]} × {room[1]}", table)


def test_what_is_larger_than_the_stage_is_scrolled_to_and_a_sign_says_so(book: Book) -> None:
    staged = on_stage(book, book.part(3, "present"))
    more = staged.locator('[data-role="more"]')
    assert (staged.evaluate(UNSEEN), more.is_visible()) == ([], False)
    while int(staged.get_attribute("data-stage")) < 250:
        book.keyboard.press("+")
    book.settled(staged)
    book.bare.evaluate("() => window.seen.clear()")
    downs = 0
    while (unseen := staged.evaluate(UNSEEN)) and downs < 9:
        assert more.is_visible(), unseen
        book.keyboard.press("ArrowDown")
        downs += 1
    assert (unseen, downs > 1) == ([], True)
    while more.is_visible():
        book.keyboard.press("ArrowDown")
    assert staged.evaluate("root => root.querySelector('.tk-picture').scrollTop") > 1000


def test_a_step_does_not_make_the_stage_jump(book: Book) -> None:
    staged = on_stage(book, book.part(2, "present"))
    book.keyboard.press("End")
    book.page.locator('dialog.tk-stage [data-step="2"]').wait_for()
    least = staged.get_attribute("data-stage")
    assert staged.evaluate(HIDDEN) == [0, 0]
    for key, step in (("Home", "0"), ("ArrowRight", "1")):
        book.keyboard.press(key)
        book.page.locator(f'dialog.tk-stage [data-step="{step}"]').wait_for()
        assert staged.get_attribute("data-stage") == least


def test_a_refusal_on_the_stage_leaves_all_of_the_picture_in_sight(book: Book) -> None:
    staged = on_stage(book, book.part(0, "present"))
    box = staged.locator('[data-role="expression"]')
    box.fill(".t().view(12)")
    box.press("Enter")
    refusal = staged.locator('[data-role="refusal"]:not([hidden])')
    refusal.wait_for()
    book.settled(staged)
    # Enter gives the keyboard back to the stage: the controls make room, all but the line that was typed.
    parts = (refusal, box, staged.locator('[data-role="leave"]'))
    assert (staged.get_attribute("data-bare"), staged.evaluate(LEAST) >= LEGIBLE) == ("true", True)
    assert ([part.is_visible() for part in parts], staged.evaluate(STORAGE)) == ([True, True, False], True)
    book.keyboard.press("h")
    book.page.locator('dialog.tk-stage [data-bare="false"]').wait_for()
    assert [part.is_visible() for part in parts] == [True] * 3
    book.keyboard.press("h")
    book.page.locator('dialog.tk-stage [data-bare="true"]').wait_for()
    until(book.page, f"root => ({HIDDEN})(root).every((pixels) => pixels === 0)", arg=staged.element_handle())
    seen = [part.is_visible() for part in parts]
    assert (seen, staged.evaluate(STORAGE)) == ([True, False, False], True)
    book.keyboard.press("Escape")
    staged = on_stage(book, book.part(1, "present"))
    assert staged.get_attribute("data-bare") == "true", "as the theme is, for the next picture"
    book.keyboard.press("h")
    book.page.locator('dialog.tk-stage [data-bare="false"] [data-role="leave"]').click()


def test_six_tensors_fit_a_memory_map(book: Book) -> None:
    root = book.root(1)
    assert root.get_attribute("data-names") == "copied half other row t turned"
    assert root.evaluate(HIGH) <= MOST
    assert root.evaluate(HIDDEN) == [0, 0]


def test_the_controls_stay_where_they_are(book: Book) -> None:
    """A slider does not go away under the pointer, whatever the picture becomes."""
    root = book.root(0)
    assert root.evaluate(HIGH) <= MOST

    def places() -> list[float]:
        top = placed(root)["y"]
        parts = [
            *(book.part(0, f"slice-{part}").first for part in ("start", "stop", "step")),
            book.part(0, "apply"),
        ]
        return [round(placed(part)["y"] - top) for part in parts]

    first = places()
    for start in (1, 2, 3, 0):
        book.part(0, "slice-start").first.evaluate(
            "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', { bubbles: true })); }",
            start,
        )
        book.shows(0, size=f"{3 - start},4")
        assert places() == first, start
    for expression, size in (
        ("[0]", "4"),
        (".t()", "4,3"),
        (".view(2, 2, 3)", "2,2,3"),
        (".t().view(12)", "4,3"),
    ):
        box = book.part(0, "expression")
        box.fill(expression)
        box.press("Enter")
        book.shows(0, size=size)
        assert places() == first, expression
        assert root.evaluate(HIGH) <= MOST, expression
        assert root.evaluate(STORAGE), expression


def test_a_cell_is_as_wide_for_every_index(book: Book) -> None:
    root = book.root(2)
    widths = set()
    for index in ("t[1:, [0, 2]]", "t[0]", "t[:, 1:3]", "t[[0, 0, 2, 2]]"):
        box = book.part(2, "index")
        box.fill(index)
        box.press("Enter")
        root.locator(f'xpath=self::*[contains(@data-title, "{index}")]').wait_for()
        widths.add(round(book.tile(2, "t:0,0").evaluate(WIDE), 1))
    assert len(widths) == 1, widths


def test_what_scrolls_leaves_the_storage_in_sight(book: Book) -> None:
    """A picture that is taller than its frame: the strip floats at its edge, and lies in its place at the end."""
    box = book.part(0, "expression")
    box.fill(".view(2, 2, 3).permute(2, 0, 1)")
    box.press("Enter")
    book.shows(0, size="3,2,2")
    root = book.root(0)
    assert root.evaluate(HIDDEN)[0] > 0
    assert root.evaluate(STORAGE)
    floating = root.locator(".tk-pinned.tk-floating")
    assert floating.count() == 1
    slot = book.tile(0, "s:3")
    slot.hover()
    halo = placed(root.locator(".tk-pinned .tk-halo:not([hidden])").last)
    assert abs(halo["y"] - placed(slot)["y"]) < 3
    root.locator(".tk-picture").evaluate("frame => { frame.scrollTop = frame.scrollHeight; }")
    floating.wait_for(state="detached")
    assert root.evaluate(STORAGE)
