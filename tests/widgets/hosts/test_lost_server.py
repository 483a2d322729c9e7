"""A server that goes, two tabs on one kernel, threads, interrupts: the pictures stay true, and say what is wrong."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.browser.beginning import until
from tests.browser.desk import Book, Desk
from tests.lab.test_browser import READY
from tests.lab.test_serving import running
from tests.widgets.hosts.test_reliability import INTERRUPT

pytestmark = pytest.mark.browser

BOARD, EXPLORER, MAP = 1, 2, 3
CELLS = [
    "import threading, time\nimport tensorkit as tk\n"
    "from tensorkit_widgets import BroadcastExplorer, MemoryMap, StrideExplorer\n"
    "from tensorkit_widgets.widget import cell_hook as live\n"
    "t = tk.arange(12.0).view(3, 4)\nrow = t[1]",
    "w = BroadcastExplorer(t, tk.ones(4))\nw",
    "s = StrideExplorer(t)\ns",
    "m = MemoryMap()\nm",
]
SHOWN = [BOARD, EXPLORER, MAP]
# The connection breaks and is not to be had again, until the second of these.
CUT = """() => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    window.connect = kernel._createSocket;
    kernel._createSocket = () => {};
    kernel._reconnect();
}"""
MEND = """() => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    kernel._createSocket = window.connect;
    return kernel.reconnect().then(() => true);
}"""
# What the second row of the explorer showed, in every picture since.
FILM = """(root) => {
    window.film = [];
    const look = () => window.film.push(
        [...root.querySelectorAll('.tk-tile[data-key^="t:1,"]')].map((cell) => parseInt(cell.textContent)).join(" "));
    new MutationObserver(look).observe(root, { attributes: true, attributeFilter: ["data-revision"] });
}"""
BUSY = """
def write():
    for k in range(40):
        row.fill_(100 + k)
        live.repaint()
        time.sleep(0.02)

other = threading.Thread(target=write)
x, total, rounds = tk.ones(50, 50), 0.0, 0
print('busy', flush=True)
other.start()
while other.is_alive():
    total += (x @ x).sum().item()
    rounds += 1
print('unbroken', total == rounds * 125000 > 0)
"""


@pytest.fixture
def book(desk: Desk) -> Any:
    with desk.begun("lost", CELLS, SHOWN) as one:
        one.everything()
        follow = one.part(MAP, "follow")
        if follow.get_attribute("aria-pressed") == "false":
            follow.click()
        one.root(MAP).locator('[data-role="follow"][aria-pressed="true"]').wait_for()
        yield one


def typed(book: Book, index: str, text: str) -> None:
    """Type a number over an element of the explorer."""
    book.root(EXPLORER).locator(f'.tk-tile[data-key="t:{index}"]').dblclick()
    book.keyboard.type(text)
    book.keyboard.press("Enter")


def holds(book: Book, index: str, text: str) -> None:
    """Wait until the explorer shows this number at this place."""
    there = book.root(EXPLORER).locator(f'.tk-tile[data-key="t:{index}"]')
    there.filter(has_text=re.compile(f"^{re.escape(text)}")).wait_for()


def test_a_connection_that_breaks_and_comes_back(book: Book) -> None:
    """Nothing is lost: what was done meanwhile follows."""
    book.page.evaluate(CUT)
    for number in SHOWN:
        book.shows(number, kernel="away")
        assert book.root(number).locator("svg.tk-scene").is_visible()
        assert "server cannot be reached" in book.part(number, "kernel").inner_text()
    book.part(BOARD, "step").click()
    book.page.evaluate(MEND)
    book.shows(BOARD, kernel="live", step=1)
    for number in (EXPLORER, MAP):
        book.shows(number, kernel="live")
        assert not book.part(number, "kernel").is_visible()
    book.part(BOARD, "step").click()
    book.shows(BOARD, step=2)
    assert book.ask("w.at") == "2"


def test_two_tabs_show_one_state_and_one_outlives_the_other(book: Book, desk: Desk) -> None:
    book.save()
    other = desk.another_tab("lost", "beside", SHOWN)
    book.part(BOARD, "step").click()
    other.shows(BOARD, step=1)
    book.part(BOARD, "reset").click()
    other.shows(BOARD, step=0)
    other.part(BOARD, "step").click()
    book.shows(BOARD, step=1)
    typed(other, "2,3", "-8")
    for one in (book, other):
        holds(one, "2,3", "-8.")
        one.root(MAP).locator('.tk-tile[data-slot="11"][data-full="-8."]').first.wait_for()
    book.ask("setattr(s, 'expression', '.t()')")
    for one in (book, other):
        one.shows(EXPLORER, expression=".t()")
    assert other.faults == []
    other.page.close()
    book.ask("setattr(s, 'expression', '')")
    book.shows(EXPLORER, expression="", kernel="live")
    book.part(BOARD, "step").click()
    book.shows(BOARD, step=2, kernel="live")
    typed(book, "2,3", "11")
    holds(book, "2,3", "11.")
    assert book.ask("t[2, 3].item()") == "11.0"


def test_a_thread_writes_and_the_browser_types_while_a_cell_runs(book: Book) -> None:
    """Every picture is of one moment: a row that is filled at once is never seen half filled."""
    book.root(EXPLORER).evaluate(FILM)
    book.start(BUSY)
    book.heard("busy")
    until(book.page, "() => window.film.some((row) => row.startsWith('10'))")
    typed(book, "0,0", "55")
    assert book.finish().split() == ["busy", "unbroken", "True"]
    holds(book, "0,0", "55.")
    holds(book, "1,3", "139.")
    film = [row.split() for row in book.page.evaluate("() => window.film")]
    assert len(film) > 5
    assert [row for row in film if len(set(row)) != 1 and row[0].startswith("1")] == []
    assert book.ask("t[0, 0].item(), t[1].tolist()") == "55.0 [139.0, 139.0, 139.0, 139.0]"
    number = book.cell("pass")
    book.shows(MAP, cell=number, kernel="live")
    assert book.root(MAP).locator('.tk-tile[data-slot="7"]').first.get_attribute("data-full") == "139."


def test_a_kernel_interrupted_while_the_memory_map_draws(book: Book) -> None:
    book.cell(
        "real = m._sheet\n"
        "def slowly(at):\n    m._sheet = real\n    print('drawing', flush=True)\n    time.sleep(60)",
    )
    book.start("m._sheet = slowly\nrow.add_(10)\nprint('done', flush=True)")
    book.heard("drawing")
    book.page.evaluate(INTERRUPT)
    assert book.finish().startswith("done")
    number = book.cell("row.mul_(2)")
    book.shows(MAP, cell=number, changed=1, kernel="live")
    slot = book.root(MAP).locator('.tk-tile[data-slot="4"]').first
    assert slot.get_attribute("data-full") == "28."
    holds(book, "1,0", "28.")
    book.part(MAP, "back").click()
    assert book.ask("row.tolist()") == "[28.0, 30.0, 32.0, 34.0]"


# JupyterLab is let find out that its server is away: how many dialogs it has shown since.
TOLD = """() => {
    window.told = 0;
    new MutationObserver((changes) => {
        const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
        window.told += added.filter((one) => one.classList?.contains("jp-Dialog")).length;
    }).observe(document.body, { childList: true });
    window.jupyterapp.serviceManager.sessions.refreshRunning().catch(() => {});
}"""
# By how many pixels the picture on the stage runs off its room: a few are no line of it.
HIDDEN = "box => Math.max(0, box.scrollHeight - box.clientHeight - 8)"
# How high a window is that this picture fills.
NO_HIGHER = """box => Math.ceil(
    innerHeight - box.clientHeight + box.querySelector("svg").getBoundingClientRect().height)"""


def other_than_its_loss(fault: str) -> bool:
    """JupyterLab says itself that the answers of a kernel which is gone will not come."""
    return "Canceled future" not in fault


def test_a_server_that_is_stopped_and_started_again(
    desk: Desk, tmp_path_factory: pytest.TempPathFactory, root: Any
) -> None:
    """The pictures wait, then say that their kernel is gone: K on the stage or a new run makes them live."""
    home = tmp_path_factory.mktemp("again")
    with (
        running(home, root, "LabApp.expose_app_in_browser=True") as served,
        Desk(served, desk.browser).begun("again", CELLS, SHOWN, wrong=other_than_its_loss) as book,
    ):
        stage = book.page.locator("dialog.tk-stage")
        book.part(BOARD, "step").click()
        book.shows(BOARD, step=1)
        book.part(BOARD, "present").focus()
        book.keyboard.press("p")
        book.page.evaluate("() => { document.body.dataset.tensorkitPresent = 'ready'; }")
        picture, whole = stage.locator(".tk-picture"), book.page.viewport_size
        book.page.set_viewport_size({"width": 1200, "height": picture.evaluate(NO_HIGHER)})
        until(book.page, f"box => box.clientHeight < 1000 && !({HIDDEN})(box)", arg=picture.element_handle())
        served.stop()
        stage.locator('[data-kernel="away"]').wait_for()
        # What is said above the picture hides none of it: it is fitted again in the frame after the words have come.
        until(book.page, f"box => !({HIDDEN})(box)", arg=picture.element_handle())
        book.page.set_viewport_size(whole)
        book.page.evaluate(TOLD)
        until(book.page, "() => window.told && !document.querySelector('.jp-Dialog')")
        assert not stage.locator('[data-role="revive"]').is_visible()
        for number in (EXPLORER, MAP):
            book.shows(number, kernel="away")
        served.start()
        stage.locator('[data-kernel="gone"] [data-role="revive"]').wait_for()
        for number in (EXPLORER, MAP):
            book.shows(number, kernel="gone")
            assert book.root(number).locator("svg.tk-scene").is_visible()
            assert "run its cell again" in book.part(number, "kernel").inner_text()
        until(book.page, READY)
        book.keyboard.press("k")
        stage.locator('[data-kernel="live"][data-step="1"]').wait_for()
        assert book.ask("w.at") == "1"
        book.keyboard.press("Escape")
        assert book.root(MAP).get_attribute("data-kernel") == "gone", "its cell has not run again"
        book.run_all()
        for number in SHOWN:
            book.shows(number, kernel="live")
        typed(book, "1,1", "77")
        holds(book, "1,1", "77.")
        assert book.ask("t[1, 1].item()") == "77.0"
        book.page.close()
