"""A notebook in a browser, as a learner handles it, and the desk on which each test finds it freshly run.

Every test begins with its notebook as it was written: see `tests.browser.beginning`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.browser import beginning
from tests.browser.beginning import until
from tests.browser.cells import Cells
from tests.lab.test_browser import FLAGS, PATIENCE_MS, READY
from tests.lab.test_serving import TOKEN, Served
from tests.support.playwright_driver import driver, left
from tests.support.playwright_retry import asked_again

CUT_OFF = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
"""Whatever a page asks for beyond this machine cannot even be looked up."""


CUT = """root => Math.max(0, ...[root, ...root.querySelectorAll(".tk-picture")]
    .map((box) => box.scrollWidth - box.clientWidth - 1))"""
"""By how many pixels a view or its picture is wider than the room that it has."""
ROOM = """root => { const picture = root.querySelector(".tk-picture");
    return Math.min(960, Math.round(picture.clientWidth / (Number(root.dataset.stage || 100) / 100))); }"""
"""The width that a picture has, in pixels of its own."""
SETTLED = f"""root => root.dataset.room === undefined || root.dataset.room && root.querySelector(".tk-picture svg")
    && Math.abs(({ROOM})(root) - Number(root.dataset.room)) < 20"""
"""The picture has been laid out for the room that it has: the view says for how much that was. A card has none."""
SMALL = "root => root.querySelector('.tk-picture svg').getScreenCTM().a < 1.6"
"""On the stage at 200 %, the picture is not drawn so large."""


TOLD = """() => [...document.querySelectorAll(".jp-CodeCell, .jp-LinkedOutputView, .jupyter-widgets, [data-tk-widget]")]
    .map((part) => [part.className.slice(0, 60), JSON.stringify(part.dataset), part.getBoundingClientRect().width,
        part.matches("[data-tk-widget]") ? "" : part.innerText.slice(0, 200)].join(" | ")).join("\\n")"""
"""The cells, outputs and widgets of a page, in words."""


_opened: list[Book] = []


def spoil() -> str:
    """A test has failed: no other one begins with what it left. What its page shows, where that can still be asked."""
    for book in _opened:
        book.spoiled = True
    return _opened[-1].told() if _opened else ""


@dataclass
class Book:
    """A notebook in JupyterLab, with what a learner does in it."""

    bare: Any
    """Its page, whatever has been run: `page` is the one with everything on it."""
    faults: list[str]
    errors: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list, repr=False)
    """The addresses that it asked for."""
    spoiled: bool = False
    """Whether a test failed since it was opened: then it is nobody's beginning any more."""
    standing: str = ""
    """What it shows, run, where no test has done more than look at it: the next one need not run it again."""
    _cells: Cells = field(default_factory=lambda: Cells([], 0), repr=False)
    _shown: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        _opened.append(self)
        self.bare.on("pageerror", lambda error: self.faults.append(str(error)))
        self.bare.on("request", lambda request: self.asked.append(request.url))
        self.bare.on("websocket", lambda socket: self.asked.append(socket.url))
        self.bare.on(
            "console", lambda said: self.errors.append(said.text[:300]) if said.type == "error" else None
        )

    def begin(self, cells: list[str], shown: Sequence[int]) -> None:
        """From now on a cell is run when a test first looks at what it shows, or speaks of its names.

        Those that have a name in common with it are run too, and before it: nothing is looked at that could have been
        told of something, and was not there.
        """
        self._cells, self._shown = Cells(cells, min(shown)), frozenset(shown)

    @property
    def page(self) -> Any:
        """The page, with everything on it."""
        self.everything()
        return self.bare

    @property
    def keyboard(self) -> Any:
        """The keys, whatever has been run."""
        return self.bare.keyboard

    @property
    def mouse(self) -> Any:
        """The mouse, whatever has been run."""
        return self.bare.mouse

    def everything(self) -> None:
        """Run every cell that waits, at once."""
        self._run(sorted(self._cells.waiting))

    def _run(self, numbers: list[int]) -> None:
        """Run some of the cells that wait, and wait for what they show."""
        if not numbers:
            return
        everything = len(numbers) == self._cells.count
        self._cells.waiting.difference_update(numbers)
        if everything:
            beginning.run_all(self.bare)
        else:
            beginning.run_some(self.bare, numbers)
        for number in sorted(self._shown.intersection(numbers)):
            self.view(number).wait_for()
            self.settled(self.view(number))

    def told(self) -> str:
        """What is on the page now: what a failure is understood by that nobody saw."""
        return f"{self.bare.evaluate(TOLD)}\nfaults: {self.faults}\nthe console's errors: {self.errors}"

    def root(self, number: int) -> Any:
        """The live view that a cell shows."""
        self._run(self._cells.group(number))
        return self.bare.locator(f'.jp-Notebook [data-windowed-list-index="{number}"] [data-tk-widget]').first

    def view(self, number: int) -> Any:
        """What a cell shows: a live view, or a card."""
        self._run(self._cells.group(number))
        return self.bare.locator(
            f'.jp-Notebook [data-windowed-list-index="{number}"] :is([data-tk-widget], .tk-card)'
        ).first

    def shows(self, number: int, **state: object) -> None:
        """Wait until the view of a cell carries these ``data-*`` attributes (``focus_slot`` is ``data-focus-slot``)."""
        self._run(self._cells.group(number))
        marks = "".join(f'[data-{name.replace("_", "-")}="{value}"]' for name, value in state.items())
        late = pytest.importorskip("playwright.sync_api").TimeoutError
        try:
            self.bare.locator(
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

    def start(self, code: str) -> None:
        """Let the notebook's own kernel begin with a piece of code, beside its cells."""
        self._run(self._cells.about(code))
        beginning.start(self.bare, code)

    def heard(self, words: str) -> None:
        """Wait until the code that was started has printed this."""
        until(self.bare, "words => window.tested.text.includes(words)", arg=words)

    def finish(self) -> str:
        """Wait until the code that was started has come to its end: what it printed, or the error that ended it."""
        beginning.finish(self.bare)
        return beginning.told(self.bare)

    def do(self, code: str) -> str:
        """Run code in the notebook's own kernel, beside its cells, to its end: what it printed."""
        self._run(self._cells.about(code))
        return beginning.do(self.bare, code)

    def cell(self, code: str) -> int:
        """Run code as a cell does, whether it fails or not: its number."""
        return beginning.cell(self.page, code)

    def ask(self, expression: str) -> str:
        """What Python says of an expression, in the notebook's own kernel."""
        self._run(self._cells.about(expression))
        return beginning.ask(self.bare, expression)

    def run_all(self) -> None:
        """Run every cell, to the end."""
        self._cells.waiting.clear()
        beginning.run_all(self.bare)

    def save(self) -> None:
        """Write the notebook to the disk: another tab reads it there."""
        beginning.command(self.page, "docmanager:save")

    def theme(self, name: str) -> None:
        """``"Light"`` or ``"Dark"``."""
        beginning.theme(self.bare, name)

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
            self.bare.keyboard.press("Tab")
        raise AssertionError(f"{most} times Tab do not reach {selector}")

    def widen(self, width: int, *views: Any) -> None:
        """Give the window another width, and wait until views have pictures that were laid out for it."""
        page = self.bare
        known = [(view.element_handle(), view.evaluate(ROOM)) for view in views]
        page.set_viewport_size({"width": width, "height": page.viewport_size["height"]})
        # The notebook gives its cells their new width a moment after the window has it.
        for view, was in known:
            until(page, f"([root, was]) => ({ROOM})(root) !== was", arg=[view, was])
            until(page, SETTLED, arg=view)

    def settled(self, view: Any) -> None:
        """Wait until a view is laid out for the room that it has."""
        until(self.bare, SETTLED, arg=view.element_handle())

    def stage(self, number: int, percent: int) -> Any:
        """Put the view of a cell on the stage, at a size, by keys: the view there, laid out for its room."""
        page = self.bare
        self.part(number, "present").focus()
        page.keyboard.press("p")
        staged = page.locator("dialog.tk-stage [data-tk-widget]")
        staged.wait_for()
        page.keyboard.press("0")
        while (now := int(staged.get_attribute("data-stage"))) != percent:
            page.keyboard.press("+" if now < percent else "-")
        self.settled(staged)
        return staged

    def cut_at_200_percent(self, number: int) -> dict[str, float]:
        """By how much the picture of a cell runs off its view, in what 200 % leaves of a window and on the stage.

        Empty when nothing is cut, and the picture on the stage is large.
        """
        page, root = self.bare, self.root(number)
        self.widen(650, root)
        out = {"notebook": root.evaluate(CUT)}
        self.widen(1400, root)
        staged = self.stage(number, 200)
        out["stage"] = staged.evaluate(CUT)
        out["window"] = page.locator("dialog.tk-stage").evaluate(
            "stage => Math.max(0, stage.scrollWidth - stage.clientWidth)"
        )
        out["small"] = staged.evaluate(SMALL)
        return {where: by for where, by in out.items() if by}

    def shot(self, number: int, path: Path) -> None:
        """A picture of the view of a cell."""
        self.root(number).screenshot(path=str(path))


@dataclass
class Desk:
    """A server and a browser; `begun` gives a notebook of cells, opened and freshly run.

    ``address`` is where the server shows a notebook by its name. A desk with one ``file`` has one page and one kernel
    for all of its notebooks: each takes the place of the one before.
    """

    served: Served = field(repr=False)
    browser: Any
    address: str = "{url}/lab/tree/{name}.ipynb?token={token}&reset"
    books: dict[str, Book] = field(default_factory=dict)
    file: str = ""
    used: bool = False
    """Whether the kernel has worked for another file of tests: the next one gets a new one."""

    def reopen(self) -> None:
        """The next notebook is opened from its file, on a page and with a kernel that nothing was done to."""
        for book in self.books.values():
            book.spoiled = True

    def tidy(self) -> None:
        """After a file of tests: end what it has opened beside the notebook, pages and kernels."""
        self.used = True
        mine = {book.bare.context for book in self.books.values()}
        for context in self.browser.contexts:
            if context not in mine:
                context.close()
        self.served.end_kernels(but=[f"{name}.ipynb" for name in self.books])

    @contextlib.contextmanager
    def begun(
        self,
        name: str,
        cells: list[str],
        shown: Sequence[int],
        height: int = 3600,
        width: int = 1200,
        beside: str = "",
        wrong: Callable[[str], bool] = bool,
    ) -> Iterator[Book]:
        """A notebook of these code cells for one test; a cell is run when the test first looks at it: `Book.begin`.

        ``shown`` are the numbers of the cells that show a widget or a card, ``beside`` is what they show elsewhere.
        """
        with self.written(name, beginning.notebook_of(cells), width, height, wrong) as book:
            book.begin(cells, shown)
            if beside:
                book.page.locator(beside).wait_for()
            yield book

    @contextlib.contextmanager
    def written(
        self,
        name: str,
        notebook: dict[str, Any],
        width: int,
        height: int,
        wrong: Callable[[str], bool] = bool,
    ) -> Iterator[Book]:
        """A notebook as it was written, nothing run, for one test: what was done to it before is gone.

        ``wrong`` says which of the page's errors are the test's failure.
        """
        window = {"width": width, "height": height}
        name = self.file or name
        book = self.books.get(name)
        if book is not None:
            book.standing = ""
        if book is not None and book.spoiled:
            book.bare.context.close()
            self.served.end_kernels()
        if book is None or book.spoiled:
            book = self.books[name] = self._opened(name, notebook, window)
        else:
            book.begin([], [0])
            book.bare.set_default_timeout(PATIENCE_MS)
            beginning.begin_again(book.bare, notebook, window, new_kernel=self.used)
            for kept in (book.faults, book.errors):
                kept.clear()
        self.used = False
        _opened[:] = [one for one in _opened if one is not book] + [book]  # the one that a failure tells of
        yield book
        self._nothing_wrong(book, wrong)

    @contextlib.contextmanager
    def only_looked_at(
        self, name: str, run: contextlib.AbstractContextManager[Book], width: int, height: int
    ) -> Iterator[Book]:
        """A notebook that is run once for tests in a row that only look at it: at any size, in any theme, on the stage.

        ``run`` gives it as `written` does, run; after another notebook, or a failure, it is asked again.
        """
        book = self.books.get(self.file)
        if book is None or book.spoiled or self.used or book.standing != name:
            with run as book:
                yield book
                book.standing = name
            return
        beginning.look_again(book.bare, {"width": width, "height": height})
        yield book
        self._nothing_wrong(book)

    def _nothing_wrong(self, book: Book, wrong: Callable[[str], bool] = bool) -> None:
        """No error on the page but those that a test expects, nothing asked for beyond this machine."""
        assert [fault for fault in book.faults if wrong(fault)] == []
        assert beginning.foreign(book.asked) == []
        assert not self.served.attempts.exists(), self.served.attempts.read_text()

    def _opened(self, name: str, notebook: dict[str, Any], window: dict[str, int]) -> Book:
        """A notebook on a page and with a kernel of its own; nothing is run, and no answers are kept."""
        (self.served.folder / f"{name}.ipynb").write_text(beginning.written(notebook))
        (self.served.folder / ".tensorkit" / "progress.json").unlink(missing_ok=True)
        page = self.browser.new_context(viewport=window, reduced_motion="reduce").new_page()
        page.set_default_timeout(PATIENCE_MS)
        book = Book(page, [])
        page.goto(self.address.format(url=self.served.url, name=name, token=TOKEN))
        until(page, READY)
        return book

    def another_tab(self, name: str, workspace: str, shown: list[int], width: int = 1200) -> Book:
        """The same notebook in a second tab, which shows what the kernel holds; ``workspace`` is one of its own.

        JupyterLab's widget manager looks two seconds for a picture's model and, on a busy machine, gives up while it is
        arriving ("Error displaying widget: model not found"): then the page is loaded again, as a user would do.
        Source: https://github.com/jupyter-widgets/ipywidgets/issues/3823
        """
        late = pytest.importorskip("playwright.sync_api").TimeoutError
        page = self.browser.new_page(viewport={"width": width, "height": 3600}, reduced_motion="reduce")
        page.set_default_timeout(PATIENCE_MS)
        book = Book(page, [])
        there = f"{workspace}/tree/{self.file or name}.ipynb"
        page.goto(f"{self.served.url}/lab/workspaces/{there}?token={TOKEN}&reset")
        for patience in (PATIENCE_MS // 3, PATIENCE_MS // 2, PATIENCE_MS):
            until(page, READY)
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


_shared: Desk | None = None


def _chromium(path: str) -> Any:
    pytest.importorskip("playwright.sync_api").expect.set_options(timeout=PATIENCE_MS)
    return driver().chromium.launch(executable_path=path, args=[*FLAGS, CUT_OFF])


def shared_desk(served: Served, chromium: str) -> Desk:
    """The desk of this process: one Chromium, one page and one kernel for one test file after another."""
    global _shared
    if _shared is None:
        _shared = Desk(served, _chromium(chromium), file="notebook")
        left.append(_leave)
    return _shared


def _leave() -> None:
    global _shared
    if _shared is not None:
        _shared.browser.close()
        if _shared.served.process is not None:
            _shared.served.end_kernels()
    _shared = None


@contextlib.contextmanager
def desk_at(served: Served, chromium: str) -> Iterator[Desk]:
    """A Chromium of its own, at a server of its own."""
    browser = _chromium(chromium)
    yield Desk(served, browser)
    browser.close()
