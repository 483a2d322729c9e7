"""One JupyterLab and one Chromium for all browser tests of boards: each test module brings its own notebook."""

from __future__ import annotations

import builtins
import contextlib
import mmap
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy
import pytest
from IPython.core.interactiveshell import InteractiveShell

import tensorkit as tk
from tensorkit_widgets import live, memory_magic
from tensorkit_widgets.memory_hook import hook
from tests.asking import asked_again
from tests.collecting import collect
from tests.lab.test_browser import FLAGS, PATIENCE_MS, READY
from tests.lab.test_serving import TOKEN, Served

CUT_OFF = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
"""Whatever a page asks for beyond this machine cannot even be looked up."""


CUT = """root => Math.max(0, ...[root, ...root.querySelectorAll(".tk-picture")]
    .map((box) => box.scrollWidth - box.clientWidth - 1))"""
"""By how many pixels a view or its picture is wider than the room that it has."""
ROOM = """root => { const picture = root.querySelector(".tk-picture");
    return Math.min(960, Math.round(picture.clientWidth / (Number(root.dataset.stage || 100) / 100))); }"""
"""The width that a picture has, in pixels of its own."""
SETTLED = f"""root => root.querySelector(".tk-picture svg")
    && Math.abs(({ROOM})(root) - Number(root.dataset.room)) < 20"""
"""The picture has been laid out for the room that it has: the view says for how much that was."""
SMALL = "root => root.querySelector('.tk-picture svg').getScreenCTM().a < 1.6"
"""On the stage at 200 %, the picture is not drawn so large."""


TOLD = """() => [...document.querySelectorAll(".jp-CodeCell, .jp-LinkedOutputView, .jupyter-widgets, [data-tk-widget]")]
    .map((part) => [part.className.slice(0, 60), JSON.stringify(part.dataset), part.getBoundingClientRect().width,
        part.matches("[data-tk-widget]") ? "" : part.innerText.slice(0, 200)].join(" | ")).join("\\n")"""
"""The cells, outputs and widgets of a page, in words."""


_opened: list[Book] = []


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Add to a failure what its page shows, where that can still be asked."""
    outcome: Any = yield
    report = outcome.get_result()
    if report.failed and item.get_closest_marker("browser") and _opened:
        with contextlib.suppress(Exception):
            report.sections.append(("the page", _opened[-1].told()))


@pytest.fixture(scope="module", autouse=True)
def closed() -> Iterator[None]:
    """A module's widgets look again after every change for as long as they live: they end with it."""
    yield
    for widget in list(live._alive):
        widget.close()


@dataclass
class Book:
    """A notebook in JupyterLab, with what a learner does in it."""

    page: Any
    faults: list[str]
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        _opened.append(self)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on(
            "console", lambda said: self.errors.append(said.text[:300]) if said.type == "error" else None
        )

    def told(self) -> str:
        """What is on the page now: what a failure is understood by that nobody saw."""
        return f"{self.page.evaluate(TOLD)}\nfaults: {self.faults}\nthe console's errors: {self.errors}"

    def root(self, number: int) -> Any:
        """The live view that a cell shows."""
        return self.page.locator(f'.jp-Notebook [data-windowed-list-index="{number}"] [data-tk-widget]').first

    def shows(self, number: int, **state: object) -> None:
        """Wait until the view of a cell carries these ``data-*`` attributes (``focus_slot`` is ``data-focus-slot``)."""
        marks = "".join(f'[data-{name.replace("_", "-")}="{value}"]' for name, value in state.items())
        late = pytest.importorskip("playwright.sync_api").TimeoutError
        try:
            self.page.locator(
                f'[data-windowed-list-index="{number}"] [data-tk-widget]{marks}'
            ).first.wait_for()
        except late as error:
            error.add_note(f"It shows {dict(self.root(number).evaluate('root => ({...root.dataset})'))}.")
            raise

    def part(self, number: int, role: str) -> Any:
        """A control of the view of a cell."""
        return self.root(number).locator(f'[data-role="{role}"]')

    def tile(self, number: int, key: str) -> Any:
        """A tile of a board."""
        return self.root(number).locator(f'.tk-tile[data-key="{key}"]')

    def ask(self, expression: str) -> str:
        """What Python says of an expression, in the notebook's own kernel."""
        from tests.widgets.test_practice_browser import ASK

        return str(self.page.evaluate(ASK, f"print({expression})"))

    def run_all(self) -> None:
        """Run every cell."""
        from tests.widgets.test_practice_browser import RUN_ALL

        self.page.evaluate(RUN_ALL)

    def theme(self, name: str) -> None:
        """``"Light"`` or ``"Dark"``."""
        from tests.widgets.test_practice_browser import THEME

        self.page.evaluate(THEME, f"JupyterLab {name}")
        dark = str(name == "Dark").lower()
        self.page.wait_for_function(f"() => (document.body.dataset.jpThemeLight === 'false') === {dark}")

    def axe(self, within: str = ".tk-root") -> list[tuple[str, str]]:
        """What axe finds wrong."""
        axe = pytest.importorskip("axe_playwright_python.sync_playwright")
        found = axe.Axe().run(self.page, context=within).response["violations"]
        return [(v["id"], v["nodes"][0]["html"][:200]) for v in found]

    def tab_to(self, number: int, selector: str, most: int = 60) -> None:
        """Press Tab until the keyboard is on the part that matches, as somebody without a mouse does."""
        here = (
            "(root, which) => root.contains(document.activeElement) && document.activeElement.matches(which)"
        )
        for _ in range(most):
            if self.root(number).evaluate(here, selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{most} times Tab do not reach {selector}")

    def widen(self, number: int, width: int) -> None:
        """Give the window another width, and wait until a picture has come that was laid out for it."""
        page, root = self.page, self.root(number)
        was = root.evaluate(ROOM)
        page.set_viewport_size({"width": width, "height": page.viewport_size["height"]})
        # The notebook gives its cells their new width a moment after the window has it.
        page.wait_for_function(f"([root, was]) => ({ROOM})(root) !== was", arg=[root.element_handle(), was])
        page.wait_for_function(SETTLED, arg=root.element_handle())

    def cut_at_200_percent(self, number: int) -> dict[str, float]:
        """By how much the picture of a cell runs off its view, in what 200 % leaves of a window and on the stage.

        Empty when nothing is cut, and the picture on the stage is large.
        """
        page, root = self.page, self.root(number)
        before = page.viewport_size
        self.widen(number, 650)
        out = {"notebook": root.evaluate(CUT)}
        # The page moves once more when the picture comes that was laid out for so much room: a press is lost in it.
        self.widen(number, 1400)
        self.part(number, "present").click()
        staged = page.locator("dialog.tk-stage [data-tk-widget]")
        staged.wait_for()
        for key in "0++++":
            page.keyboard.press(key)
        page.wait_for_function(SETTLED, arg=staged.element_handle())
        assert staged.get_attribute("data-stage") == "200"
        # A picture laid out for less room fits too, until the one for this room comes: that one is measured.
        late = pytest.importorskip("playwright.sync_api").TimeoutError
        with contextlib.suppress(late):
            page.wait_for_function(
                f"root => !({SMALL})(root)", arg=staged.element_handle(), timeout=PATIENCE_MS // 3
            )
        page.wait_for_function(SETTLED, arg=staged.element_handle())
        out["stage"] = staged.evaluate(CUT)
        out["window"] = page.locator("dialog.tk-stage").evaluate(
            "stage => Math.max(0, stage.scrollWidth - stage.clientWidth)"
        )
        out["small"] = staged.evaluate(SMALL)
        page.keyboard.press("Escape")
        page.set_viewport_size(before)
        page.wait_for_function(SETTLED, arg=root.element_handle())
        return {where: by for where, by in out.items() if by}

    def quickest(self, number: int, acts: list[tuple[Any, dict[str, object]]]) -> float:
        """The milliseconds of the quickest of these presses, each on a part and with the state that it leads to.

        One may fall into a moment in which a test machine does something else; all of them do not.
        """
        took = []
        for part, state in acts:
            part.click()
            self.shows(number, **state)
            took.append(float(self.root(number).get_attribute("data-latency")))
        return min(took)

    def shot(self, number: int, path: Path) -> None:
        """A picture of the view of a cell."""
        self.root(number).screenshot(path=str(path))


@dataclass
class Desk:
    """A server and a browser; `open` makes a notebook of cells, opens it and runs it."""

    served: Served
    browser: Any
    books: list[Book]

    def open(
        self,
        name: str,
        cells: list[str],
        shown: list[int],
        height: int = 3600,
        width: int = 1200,
        beside: str = "",
    ) -> Book:
        """A notebook of these code cells, all run.

        ``shown`` are the numbers of the cells that show a widget, ``beside`` matches what they show elsewhere.
        """
        from tests.widgets.test_practice_browser import _notebook

        (self.served.folder / f"{name}.ipynb").write_text(_notebook(cells))
        page = self.browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
        page.set_default_timeout(PATIENCE_MS)
        book = Book(page, [])
        page.goto(f"{self.served.url}/lab/tree/{name}.ipynb?token={TOKEN}&reset")
        self.books.append(book)
        page.wait_for_function(READY)
        late = pytest.importorskip("playwright.sync_api").TimeoutError
        # See `another_tab`: who misses a picture runs its cell again.
        for patience in (PATIENCE_MS // 2, PATIENCE_MS):
            book.run_all()
            try:
                for number in shown:
                    book.root(number).wait_for(timeout=patience)
                if beside:
                    page.locator(beside).wait_for(timeout=patience)
                break
            except late:
                if patience == PATIENCE_MS:
                    raise
                asked_again(f"{name}: {book.told()}")
        return book

    def another_tab(self, name: str, workspace: str, shown: list[int], width: int = 1200) -> Book:
        """The same notebook in a second tab, which shows what the kernel holds; ``workspace`` is one of its own.

        JupyterLab's widget manager looks two seconds for a picture's model and, on a busy machine, gives up while it is
        arriving ("Error displaying widget: model not found"): then the page is loaded again, as by whoever reads that.
        Source: https://github.com/jupyter-widgets/ipywidgets/issues/3823
        """
        late = pytest.importorskip("playwright.sync_api").TimeoutError
        page = self.browser.new_page(viewport={"width": width, "height": 3600}, reduced_motion="reduce")
        page.set_default_timeout(PATIENCE_MS)
        book = Book(page, [])
        page.goto(f"{self.served.url}/lab/workspaces/{workspace}/tree/{name}.ipynb?token={TOKEN}")
        for patience in (PATIENCE_MS // 3, PATIENCE_MS // 2, PATIENCE_MS):
            page.wait_for_function(READY)
            page.set_default_timeout(patience)
            try:
                for number in shown:
                    book.shows(number, kernel="live")
                break
            except late:
                if patience == PATIENCE_MS:
                    raise
                asked_again(f"{name} in a second tab: {book.told()}")
                page.reload()
            finally:
                page.set_default_timeout(PATIENCE_MS)
        return book


@pytest.fixture(scope="module")
def desk(lab_server: Served, chromium: str) -> Iterator[Desk]:
    """JupyterLab and a Chromium for the tests of a file: while Playwright runs, nobody else's event loop does."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=[*FLAGS, CUT_OFF])
        yield Desk(lab_server, browser, [])
        browser.close()


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """A real shell of IPython, with a namespace of its own."""
    for widget in list(live._alive):
        widget.close()
    live._hooked.clear()
    module, display = builtins.__dict__.get("_"), sys.displayhook
    made = InteractiveShell(user_ns={"tk": tk, "numpy": numpy})
    monkeypatch.setattr(live, "_shell", lambda: made)
    yield made
    memory_magic.close_panel()
    hook.close()
    made.history_manager.end_session()
    sys.displayhook = display
    builtins.__dict__["_"] = module


def weight() -> tuple[int, int]:
    """Python's blocks of memory, and the bytes of the process (0 where the system does not tell)."""
    collect()
    statm = Path("/proc/self/statm")
    pages = int(statm.read_text().split()[1]) if statm.exists() else 0
    return sys.getallocatedblocks(), pages * mmap.PAGESIZE
