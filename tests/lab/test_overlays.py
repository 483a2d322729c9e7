"""What lies over a lesson in a talk: above the stage, which is a modal dialog, and the stage keeps the keyboard."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.beginning import run_all, until
from tests.browser.desk import SETTLED, Book, desk_at
from tests.lab.test_present import GO, addresses, book, on_stage, presented

pytestmark = pytest.mark.browser

MODULE = "/lab/extensions/tensorkit-present/static/overlays.js"
ENTRIES = [
    {"title": "A talk", "level": 1, "cell": 0, "minutes": 2, "scenes": []},
    {"title": "Sizes", "level": 2, "cell": 2, "minutes": 3, "scenes": ["sizes", "all"]},
    {"title": "The end", "level": 2, "cell": 3, "scenes": []},
]
OPEN = "([entries, at, scene]) => over.overview(entries, (...where) => { window.jumped = where; }, at, scene)"
HELD = "() => document.activeElement.matches('dialog.tk-stage > .tk-root')"
PINNED = "stage => stage.querySelector('.tk-pinned').getAttribute('transform')"
SIZES = """stage => {
    const [root, svg] = [stage.querySelector("[data-tk-widget]"), stage.querySelector(".tk-picture svg")];
    const sides = ["width", "height", "viewBox"].map((name) => svg.getAttribute(name));
    return [root.dataset.stage, root.dataset.room, ...sides];
}"""
WIDTH = "stage => stage.querySelector('.tk-picture svg').getBoundingClientRect().width"
BARS = """() => ["#jp-MainMenu", "#jp-title-panel-title", ".jp-NotebookPanel-toolbar", ".jp-cell-toolbar"]
    .map((bar) => [...document.querySelectorAll(bar)].some((one) => one.checkVisibility()))"""
TOP = "() => document.querySelector('.jp-Notebook').getBoundingClientRect().top"


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory, root: Path, chromium: str) -> Iterator[Book]:
    """A talk that has been run, on one page for all tests: each leaves the stage, and nothing over it."""
    with presented(tmp_path_factory.mktemp("home"), root) as served, desk_at(served, chromium) as desk:
        desk.address = addresses(served)[0]
        with desk.written("talk", book(), 1280, 720) as one:
            until(one.page, "() => document.body.dataset.tensorkitPresent === 'ready'")
            one.page.evaluate("async (module) => { window.over = await import(module); }", MODULE)
            run_all(one.page)
            yield one


@pytest.fixture
def room(lesson: Book) -> Any:
    """Its page."""
    return lesson.page


@pytest.fixture
def stage(room: Any) -> Iterator[Any]:
    """A picture on the stage, which has the keyboard."""
    there = on_stage(room, "stride-explorer")
    until(room, SETTLED, arg=there.locator("[data-tk-widget]").element_handle())
    yield there
    room.keyboard.press("Escape")
    there.wait_for(state="detached")


def colours(room: Any, *places: tuple[int, int]) -> list[Any]:
    """The colours of some places of the window; of none, those of all."""
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(room.screenshot())).convert("RGB")
    return [image.getpixel(place) for place in places] or [colour for _, colour in image.getcolors(1 << 24)]


def test_a_black_screen_is_above_the_stage_and_leaves_it_the_keyboard(room: Any, stage: Any) -> None:
    room.evaluate("""() => {
        const pressed = ({ target }) => { window.pressed = target.matches("dialog.tk-stage > .tk-root"); };
        addEventListener("keydown", pressed, { capture: true, once: true });
        document.addEventListener("click", () => { window.clicked = true; });
        over.blank();
    }""")
    assert colours(room) == [(0, 0, 0)]
    room.keyboard.press("Shift")
    assert [room.evaluate(HELD), room.evaluate("() => window.pressed")] == [True, True]
    tile = stage.locator(".tk-tile").first.bounding_box()
    room.mouse.click(tile["x"] + 5, tile["y"] + 5)
    assert len(colours(room)) > 9
    assert room.evaluate("() => [window.clicked === undefined, over.blank(false)]") == [True, False]
    assert [stage.is_visible(), room.evaluate(HELD)] == [True, True], "the click was not the stage's"


def test_a_spotlight_is_above_a_stage_that_opens_later_and_follows_the_mouse(room: Any) -> None:
    one, other = (20, 600), (1270, 600)
    room.mouse.move(*one)
    assert room.evaluate("() => over.spotlight()") is True
    stage = on_stage(room, "stride-explorer")
    assert colours(room, one, other) == [(255, 255, 255), (71, 71, 71)]
    room.mouse.move(*other)
    assert colours(room, one, other) == [(71, 71, 71), (255, 255, 255)]
    room.keyboard.press("Escape")
    stage.wait_for(state="detached")
    assert room.evaluate("() => over.spotlight()") is False


def test_a_closer_look_lays_nothing_out_again(room: Any, stage: Any) -> None:
    def larger() -> str:
        """The picture made so large that its storage floats; where it is then."""
        for _ in range(3):
            room.keyboard.press("+")
        until(room, SETTLED, arg=root)
        until(room, f"stage => ({PINNED})(stage) !== null", arg=stage.element_handle())
        where: str = stage.evaluate(PINNED)
        room.keyboard.press("0")
        until(
            room,
            f"([stage, was]) => String(({SIZES})(stage)) === was",
            arg=[stage.element_handle(), ",".join(sizes)],
        )
        return where

    root = stage.locator("[data-tk-widget]").element_handle()
    sizes, width = stage.evaluate(SIZES), stage.evaluate(WIDTH)
    floating = larger()
    room.evaluate("() => over.zoomAt(300, 500)")
    assert [stage.evaluate(SIZES), stage.evaluate(WIDTH)] == [sizes, 2 * width]
    assert larger() == floating
    room.evaluate("() => over.zoomOut()")
    assert [stage.evaluate(SIZES), stage.evaluate(WIDTH)] == [sizes, width]
    room.evaluate("() => over.zoomAt(300, 500)")
    room.keyboard.press("Escape")
    assert [room.evaluate("() => over.zoomed()"), stage.is_visible()] == [False, True], (
        "first out of the closer look"
    )
    room.evaluate("() => over.zoomAt(300, 500)")
    stage.locator('[data-role="leave"]').evaluate("button => button.click()")
    stage.wait_for(state="detached")
    assert room.evaluate("() => over.zoomed()") is False
    assert [stage.evaluate(WIDTH) for stage in [on_stage(room, "stride-explorer")]] == [width]


def test_the_overview_jumps_and_gives_the_keyboard_back(room: Any, stage: Any) -> None:
    overview = room.locator("dialog.tk-overview")
    assert room.evaluate(OPEN, [ENTRIES, 2, 0]) is True
    current = overview.locator("[aria-current]")
    assert current.all_inner_texts() == ["Sizes3 min", "1. sizes"]
    room.keyboard.press("ArrowRight")
    room.keyboard.press("Enter")
    overview.wait_for(state="detached")
    assert [room.evaluate("() => window.jumped"), room.evaluate(HELD)] == [[2, 1], True]
    room.evaluate(OPEN, [ENTRIES, 2, 0])
    overview.get_by_role("button", name="The end").click()
    assert [room.evaluate("() => window.jumped"), room.evaluate(HELD)] == [[3, -1], True]
    room.evaluate(OPEN, [ENTRIES, 2, 0])
    room.keyboard.press("Escape")
    overview.wait_for(state="detached")
    assert [stage.is_visible(), room.evaluate(HELD)] == [True, True]


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing_in_the_overview(lesson: Book, room: Any, theme: str) -> None:
    lesson.theme(theme)
    room.evaluate(OPEN, [ENTRIES, 2, 0])
    assert room.locator("dialog.tk-overview.tk-dark").count() == (theme == "Dark")
    assert lesson.axe("dialog.tk-overview") == []
    room.keyboard.press("Escape")
    lesson.theme("Light")


def test_menus_and_cells_that_set_up_are_out_of_sight_and_come_back(room: Any) -> None:
    bare = "(on) => over.bareMenus(window.jupyterapp.shell, on)"
    room.evaluate(GO, 0)
    room.evaluate(bare, True)
    until(room, f"() => ({TOP})() < 10")
    assert room.evaluate(BARS) == [False] * 4
    room.evaluate(bare, False)
    until(room, f"() => ({TOP})() > 60")
    until(room, f"() => ({BARS})().every((shown) => shown)")
    cell = room.locator(".jp-CodeCell").first
    cell.evaluate("cell => cell.classList.add('tk-setup')")
    assert not cell.is_visible()
    cell.evaluate("cell => cell.classList.remove('tk-setup')")
    assert cell.is_visible()
