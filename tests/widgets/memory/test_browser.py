"""MemoryMap under a learner's hands: cells run, and the map follows, in the side or where that is asked of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.beginning import until

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import MemoryMap, StrideExplorer\n"
    "from tensorkit_widgets.widget import cell_hook as live\n"
    "from tensorkit_widgets.memory import magic as memory_magic\n"
    "from tensorkit_widgets.namespace.cell_hook import hook",
    "t = tk.arange(12.0).view(3, 4)\nrow = t[1]",
    "m = MemoryMap()\nm",
    "e = StrideExplorer(t, name='t')\ne",
    "%load_ext tensorkit_widgets\n%memory_map",
    "%memory_map",
]
PANEL = '#jp-main-dock-panel [data-tk-widget="memory-map"]:not(.jp-Notebook [data-tk-widget])'


def tile(book: Any, text: str) -> Any:
    """A tile of the map by its text."""
    return book.root(2).locator(".tk-tile", has=book.page.locator(f'text="{text}"')).first


def follow(book: Any, yes: bool = True) -> None:
    """Let the map follow the notebook, or stay at its cell."""
    button = book.part(2, "follow")
    if button.get_attribute("aria-pressed") != str(yes).lower():
        button.click()
    book.root(2).locator(f'[data-role="follow"][aria-pressed="{str(yes).lower()}"]').wait_for()


@pytest.fixture
def kept(desk: Any) -> Any:
    """The notebook as it is after its cells were run: the map shows its cell."""
    with desk.begun("memory_map", CELLS, [2, 3], width=1700, beside=PANEL) as one:
        yield one


@pytest.fixture
def book(kept: Any) -> Any:
    """The map follows each cell that runs."""
    follow(kept)
    return kept


def test_it_stays_as_its_cell_left_it_until_it_is_to_follow(kept: Any) -> None:
    cell = kept.root(2).get_attribute("data-cell")
    picture = kept.root(2).locator(".tk-picture")
    words = picture.inner_text()
    number = kept.cell("x = tk.ones(3)\nrow.add_(10)")
    kept.page.locator(f'{PANEL}[data-cell="{number}"]').wait_for()  # the panel follows
    assert kept.root(2).get_attribute("data-cell") == cell
    assert picture.inner_text() == words
    kept.part(2, "follow").focus()
    kept.keyboard.press("Enter")
    kept.shows(2, cell=number, made=1, changed=1)
    number = kept.cell("row.add_(1)")
    kept.shows(2, cell=number, changed=1)
    follow(kept, False)
    later = kept.cell("del x")
    kept.page.locator(f'{PANEL}[data-cell="{later}"]').wait_for()
    assert kept.root(2).get_attribute("data-cell") == str(number)
    assert kept.ask("m.keep().snapshot.moment.cell") == str(later)


def test_one_panel_in_the_side_laid_out_for_its_room(book: Any) -> None:
    assert book.page.locator(PANEL).count() == 1, "%memory_map was run twice"
    panel = book.page.locator(PANEL)
    wide = panel.locator("svg.tk-scene").first
    until(
        book.page,
        "root => root.querySelector('svg.tk-scene').viewBox.baseVal.width < 800",
        arg=panel.element_handle(),
    )
    room = panel.locator(".tk-picture").evaluate("part => part.clientWidth")
    assert wide.evaluate("svg => svg.viewBox.baseVal.width") in (400, 440, 480, 600, 760)
    assert wide.evaluate("svg => svg.viewBox.baseVal.width") <= max(room, 400)
    assert panel.evaluate("root => root.scrollWidth <= root.clientWidth + 1"), "nothing runs off the panel"


def test_a_cell_that_makes_and_one_that_changes_in_place(book: Any) -> None:
    number = book.cell("x = tk.ones(3)")
    book.shows(2, cell=number, made=1, changed=0, freed=0)
    book.page.locator(f'{PANEL}[data-cell="{number}"]').wait_for()
    number = book.cell("row.add_(10)")
    book.shows(2, cell=number, made=0, changed=1, freed=0)
    flashing = book.root(2).locator(".tk-tile.tk-is-changed")
    assert [flashing.nth(k).get_attribute("data-full") for k in range(flashing.count())] == [
        "14.",
        "15.",
        "16.",
        "17.",
    ]
    words = book.root(2).locator(".tk-picture").inner_text()
    assert "row.add_(10)" in words
    assert "t and row see the change" in words
    assert "changed in place, slots 4–7" in book.part(2, "said").inner_text()


def test_a_failing_cell_is_followed_too(book: Any) -> None:
    number = book.cell("t[0, 0] = 99\n1 / 0")
    book.shows(2, cell=number, changed=1, error="ZeroDivisionError")
    assert "ended with ZeroDivisionError" in book.root(2).locator(".tk-picture").inner_text()
    assert book.root(2).locator(".tk-tile.tk-is-changed").get_attribute("data-full") == "99."


def test_rebinding_and_freeing(book: Any) -> None:
    book.cell("x = tk.ones(3)")
    number = book.cell("x = x * 2")
    book.shows(2, cell=number, made=1, rebound=1, freed=1)
    words = book.root(2).locator(".tk-picture").inner_text()
    assert "x: names another tensor now" in words
    assert "freed: 12 bytes" in words
    number = book.cell("del x")
    book.shows(2, cell=number, freed=1)


def test_hover_links_the_map_and_the_explorer_both_ways(book: Any) -> None:
    slots = book.root(2).locator(".tk-tile[data-slot='6']")
    slots.first.hover()
    book.root(3).locator('.tk-tile.tk-lit[data-key="s:6"]').wait_for()
    book.root(2).locator(".tk-tile.tk-kin.tk-is-bar").first.wait_for()
    assert "read by t and row" in book.part(2, "said").inner_text()
    book.root(3).locator('.tk-tile[data-key="s:2"]').hover()
    book.root(2).locator(".tk-tile.tk-kin[data-slot='2']").wait_for()
    book.root(2).locator(".tk-tile.tk-is-bar").first.hover()
    assert book.root(2).locator(".tk-tile.tk-kin[data-slot]").count() == 12
    assert "reaches slots 0–11" in book.part(2, "said").inner_text()


def test_a_write_typed_in_an_explorer_shows_in_the_map(book: Any) -> None:
    book.root(3).locator('.tk-tile[data-key="t:1,2"]').dblclick()
    book.keyboard.type("-5")
    book.keyboard.press("Enter")
    book.root(2).locator('.tk-tile.tk-is-changed[data-slot="6"][data-full="-5."]').wait_for()
    assert "between two cells" in book.root(2).locator(".tk-picture").inner_text()
    assert book.ask("row[2].item()") == "-5.0"


def test_back_to_earlier_cells(book: Any) -> None:
    number = book.cell("t[2, 3] = 11")
    book.shows(2, cell=number)
    steps = int(book.root(2).get_attribute("data-steps"))
    number = book.cell("t[2, 3] = 7")
    book.shows(2, cell=number, step=steps + 1)
    book.part(2, "back").click()
    book.shows(2, step=steps)
    assert book.root(2).locator('.tk-tile[data-key$=":11"]').first.get_attribute("data-full") == "11."
    book.part(2, "run").click()
    book.shows(2, cell=number)
    book.part(2, "back").click()
    book.shows(2, step=steps)
    number = book.cell("pass")
    book.shows(2, cell=number, changed=0)


def test_a_name_pressed_stands_alone(book: Any) -> None:
    book.cell("u = tk.zeros(2)")
    tile(book, "row").click()
    book.shows(2, drawn=1, names="row t")
    book.part(2, "all").click()
    book.shows(2, drawn=2, only="")


def test_many_orders_filter_and_fold(book: Any) -> None:
    number = book.cell("many = [tk.zeros(k + 1) for k in range(20)]")
    book.shows(2, cell=number, storages=21, drawn=6, made=20)
    book.part(2, "order").select_option("size")
    book.shows(2, order="size")
    assert tile(book, "many[19]").count() == 1
    book.tile(2, "more:cpu").click()
    book.shows(2, drawn=18)
    book.part(2, "fewer").click()
    book.shows(2, drawn=6)
    book.part(2, "filter").fill("ROW")
    book.part(2, "filter").press("Enter")
    book.shows(2, filter="ROW", drawn=1)
    book.part(2, "filter").fill("")
    book.part(2, "filter").press("Enter")
    book.part(2, "order").select_option("changed")
    book.cell("del many")
    book.shows(2, storages=1, freed=20)


def test_by_keyboard_alone(book: Any) -> None:
    keys = book.keyboard
    book.cell("u = tk.zeros(2)")
    book.cell("many = [tk.zeros(k + 1) for k in range(20)]")
    book.cell("del many")
    book.shows(2, storages=2, freed=20)
    book.part(2, "order").focus()
    book.tab_to(2, '[data-role="back"]')
    keys.press("ArrowLeft")
    book.shows(2, storages=22)
    keys.press("End")
    book.shows(2, storages=2)
    book.tab_to(2, ".tk-table .tk-tile")
    keys.press("ArrowRight")
    assert book.root(2).get_attribute("data-focus").endswith(":1")
    keys.press("ArrowDown")
    assert book.root(2).get_attribute("data-focus").startswith(("h", "b"))
    keys.press("Home")
    keys.press("Enter")
    book.shows(2, drawn=1)
    book.tab_to(2, ".tk-table .tk-tile", 90)
    book.part(2, "undo").focus()
    keys.press("Enter")
    book.shows(2, drawn=2)


def test_two_browser_tabs_on_one_kernel(book: Any, desk: Any) -> None:
    book.save()
    other = desk.another_tab("memory_map", "second", [2, 3], width=1700)
    page = other.page
    shown = '.jp-Notebook [data-windowed-list-index="2"] [data-tk-widget="memory-map"]'
    number = book.cell("row.mul_(2)")
    page.locator(f'{shown}[data-cell="{number}"][data-changed="1"]').first.wait_for()
    page.locator(f'{shown} [data-role="back"]').first.click()
    until(
        book.page,
        "([root, cell]) => root.dataset.cell !== cell",
        [book.root(2).element_handle(), str(number)],
    )
    number = book.cell("row.sub_(1)")
    for one in (book.page, page):
        one.locator(f'{shown}[data-cell="{number}"]').first.wait_for()
    assert book.ask("len(hook._listeners)") == "2", "two maps, however many tabs show them"
    page.close()
    assert other.faults == []


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Any, theme: str) -> None:
    book.theme(theme)
    book.cell("row.add_(1)")
    assert book.axe(".tk-memory-map") == []


def test_off_leaves_no_hook(book: Any) -> None:
    book.cell("%memory_map off")
    until(book.page, "which => document.querySelectorAll(which).length === 0", arg=PANEL)
    assert book.ask("len(hook._listeners), len(memory_magic._open)") == "1 0"
    book.ask("m.close() or e.close()")
    assert book.ask("hook.on, len(live._alive), len(live._hooked)") == "False 0 0"


def restarted(book: Any) -> None:
    """A new kernel for the notebook; the panel of the old one still stands there."""
    book.page.evaluate(
        "() => { window.restarted = false; window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()"
        ".then(() => { window.restarted = true; }); }"
    )
    until(book.page, "() => window.restarted")
    book.page.locator(f'{PANEL}[data-kernel="gone"]').wait_for()


def test_after_a_restart_there_is_one_panel_and_off_closes_it(book: Any) -> None:
    restarted(book)
    assert "run its cell again" in book.page.locator(f'{PANEL} [data-role="kernel"]').inner_text()
    book.cell("%load_ext tensorkit_widgets\n%memory_map")
    book.page.locator(f'{PANEL}[data-kernel="live"]').wait_for()
    until(book.page, "which => document.querySelectorAll(which).length === 1", arg=PANEL)
    restarted(book)
    book.cell("%load_ext tensorkit_widgets\n%memory_map off")
    until(book.page, "which => document.querySelectorAll(which).length === 0", arg=PANEL)
