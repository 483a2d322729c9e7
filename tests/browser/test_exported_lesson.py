"""Lesson 02 as an exported page: read without JavaScript, played by Python in the browser, without a server's help.

The page's policy lets nobody evaluate text in it, Playwright's `wait_for_function` neither: its locators wait.
"""

from __future__ import annotations

import base64
import functools
import http.server
import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.lab.export import write
from tensorkit_widgets import StrideExplorer
from tests.browser.desk import CUT_OFF
from tests.lab.test_browser import FLAGS, PATIENCE_MS
from tests.notebooks.test_reveals import after, cells_of
from tests.support import node_packages
from tests.support.playwright_driver import driver, left

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = node_packages.FOLDER / "node_modules" / "pyodide"
LESSON = ROOT / "notebooks" / "02_storage_and_strides.ipynb"
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
MOST_BYTES = 1_500_000
SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def of_widgets(module: str) -> Any:
    return import_module(f"tensorkit_widgets.{module}")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the lesson lies as a page: as a folder, and as one file."""
    node_packages.install()
    folder = tmp_path_factory.mktemp("exported")
    for one_file in (False, True):
        write.export_lesson("2", folder, of_widgets, runtime=RUNTIME, one_file=one_file)
    return folder


@dataclass
class Site:
    """A plain web server of files."""

    url: str
    asked: list[str] = field(default_factory=list)
    """What was fetched from it."""
    gone: bool = False
    """Whether it gives nothing more."""


@pytest.fixture
def site(exported: Path) -> Iterator[Site]:
    with served(exported / "02_storage_and_strides_page") as site:
        yield site


@contextmanager
def served(folder: Path) -> Iterator[Site]:
    """A server of a folder."""
    site = Site("")

    class Files(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            if site.gone:
                self.send_error(503)
            else:
                super().do_GET()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    where = functools.partial(Files, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), where) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        site.url = f"http://127.0.0.1:{server.server_port}/"
        yield site
        server.shutdown()


_browser: Any = None


@pytest.fixture
def reader(chromium: str) -> Iterator[Reader]:
    """Somebody with a browser of their own: what they did before is forgotten."""
    global _browser
    if _browser is None:
        _browser = driver().chromium.launch(executable_path=chromium, args=[*FLAGS, CUT_OFF])
        left.append(_leave)
    one = Reader(_browser)
    yield one
    for context in one.contexts:
        context.close()
    assert one.faults == []


def _leave() -> None:
    global _browser
    _browser.close()
    _browser = None


class Reader:
    """A browser, and the faults of the pages that it has shown."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.contexts: list[Any] = []
        self.faults: list[str] = []
        self.asked: list[str] = []

    def open(self, url: str, *, held: str = "", **how: Any) -> Page:
        """Open a page and wait for its scripts. A script named by `held` is kept back until the test lets it go."""
        context = self.browser.new_context(**{"viewport": DESKTOP, **how})
        self.contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        lesson = Page(page)
        if held:
            page.route(f"**/{held}", lambda request: lesson.held.append(request))
        page.goto(url)
        if how.get("java_script_enabled", True) and not held:
            page.locator("body[data-python]").wait_for()
        return lesson


class Page:
    """An exported lesson in a browser."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.held: list[Any] = []
        """The requests that are kept back."""

    def cell(self, code: str) -> Any:
        """The first code cell that says this."""
        return self.page.locator(".lesson-cell", has=self.page.locator(".lesson-code", has_text=code)).first

    def part(self, code: str, role: str) -> Any:
        """A control of the live picture of a cell."""
        return self.cell(code).locator(f'[data-role="{role}"]').first

    def shows(self, code: str, **state: object) -> None:
        """Wait until the live picture of a cell carries these ``data-*`` attributes."""
        marks = "".join(f'[data-{name.replace("_", "-")}="{value}"]' for name, value in state.items())
        self.cell(code).locator(f"[data-tk-widget]{marks}").first.wait_for()

    def idle(self) -> None:
        """Wait until Python is there and has nothing to do."""
        self.page.locator('body[data-python="ready"]:not([data-busy])').wait_for()

    def write(self, code: str, source: str) -> Any:
        """Change the code of a cell, and run it by keys."""
        number = self.cell(code).get_attribute("data-number")
        cell = self.page.locator(f'[data-number="{number}"]')
        ran = int(cell.get_attribute("data-ran") or 0)
        cell.locator("textarea").fill(source)
        cell.locator("textarea").press("Shift+Enter")
        self.page.locator(f'[data-number="{number}"][data-ran="{ran + 1}"]').wait_for()
        self.idle()
        return cell

    def axe(self) -> list[tuple[str, str]]:
        """What axe finds wrong on the whole page."""
        axe = pytest.importorskip("axe_playwright_python.sync_playwright")
        found = axe.Axe().run(self.page).response["violations"]
        return [(one["id"], one["nodes"][0]["html"][:150]) for one in found]


def place_of(image: Any, key: str) -> tuple[float, float]:
    """Where a tile of a recorded picture is in the window."""
    svg = base64.b64decode(image.get_attribute("src").split(",")[1]).decode()
    wide = float(re.search(r'viewBox="0 0 (\d+)', svg)[1])  # type: ignore[index]
    found = re.search(rf'data-key="{key}"[^>]*>.*?<rect[^>]* x="([\d.]+)" y="([\d.]+)"', svg, re.S)
    assert found is not None
    box = image.bounding_box()
    scale = box["width"] / wide
    return box["x"] + (float(found[1]) + 5) * scale, box["y"] + (float(found[2]) + 5) * scale


# ---- before anything is touched


def test_without_javascript_it_is_read(site: Site, reader: Reader) -> None:
    page = reader.open(site.url, java_script_enabled=False, viewport=PHONE).page
    assert page.locator("h1").inner_text() == "02 · Storage and strides"
    assert page.locator("noscript").inner_text().startswith("JavaScript is switched off")
    answers = [cell for cell in cells_of(LESSON) if after(cell) and cell["cell_type"] == "code"]
    assert answers
    for answer in answers:
        first = "".join(answer["source"]).splitlines()[0]
        assert not page.locator("details.lesson-waits pre", has_text=first).first.is_visible()
    page.locator("details.lesson-waits > summary").nth(1).click()
    picture = page.locator("details[open] img.tk-still").first
    assert picture.is_visible()
    assert picture.get_attribute("alt").startswith("StrideExplorer: t. element [1, 1] lives at")
    assert site.asked == ["/"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_it_is_small_whole_and_accessible(site: Site, reader: Reader, size: Any, scheme: Any) -> None:
    lesson = reader.open(site.url, viewport=size, color_scheme=scheme)
    lesson.page.locator('body[data-python="asleep"]').wait_for()
    got = lesson.page.evaluate(
        "() => performance.getEntries().reduce((sum, one) => sum + (one.decodedBodySize || 0), 0)"
    )
    assert 100_000 < got < MOST_BYTES
    assert [path for path in site.asked if path.startswith("/python")] == []
    lesson.page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert lesson.page.evaluate(SIDEWAYS) <= 0
    assert lesson.axe() == []
    paper = lesson.page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(15, 19, 24)"}[scheme]


# ---- played


def test_a_picture_plays_as_from_python_and_goes_on_when_the_server_is_gone(
    site: Site, reader: Reader
) -> None:
    lesson = reader.open(site.url)
    lesson.page.locator("details.lesson-waits > summary").nth(1).click()
    code = "StrideExplorer(t)"
    image = lesson.cell(code).locator("img.tk-still")
    image.scroll_into_view_if_needed()
    before = lesson.cell(code).bounding_box()["y"]
    lesson.page.mouse.click(*place_of(image, "t:0,3"))
    lesson.page.locator(".lesson-status", has_text="Loading Python").wait_for()
    lesson.shows(code, focus="0,3", focus_slot="3")  # the touch was not lost
    assert lesson.cell(code).bounding_box()["y"] <= before + 3  # nor the place
    tile = lesson.cell(code).locator('.tk-tile[data-key="t:0,3"]').bounding_box()
    assert 0 <= tile["y"] <= DESKTOP["height"] - tile["height"]
    site.gone = True
    lesson.part(code, "expression").fill("[:, ::2]")
    lesson.part(code, "expression").press("Enter")
    lesson.shows(code, expression="[:, ::2]", size="2,3", stride="5,2")
    tile = lesson.cell(code).locator('.tk-tile[data-key="t:0,1"]')
    tile.dblclick()
    lesson.page.keyboard.type("77.5")
    lesson.page.keyboard.press("Enter")
    lesson.cell(code).locator('.tk-tile[data-key="t:0,1"][data-full="77.5"]').wait_for()
    lesson.part(code, "slice-start").focus()
    lesson.page.keyboard.press("ArrowRight")
    lesson.shows(code, expression="[1:, ::2]", size="1,3")
    t = tk.arange(10.0).view(2, 5)
    t[0, 2] = 77.5
    said = StrideExplorer(t, "[1:, ::2]").frame["text"]
    assert lesson.part(code, "twin").text_content() == said
    assert (
        lesson.write('print("size, offset and stride:")', "t[0, 2].item()").locator("pre").last.inner_text()
        == "77.5"
    )
    assert [url for url in reader.asked if not url.startswith((site.url, "data:", "blob:"))] == []


def test_a_prediction_opens_its_fold_and_is_remembered(site: Site, reader: Reader) -> None:
    lesson = reader.open(site.url, viewport=PHONE, color_scheme="dark", has_touch=True)
    card, fold = lesson.cell('Predict("02.write_storage")'), lesson.page.locator("details.lesson-waits").first
    card.get_by_text("Nothing: t keeps its own numbers").tap()
    chosen = card.locator(".tk-option", has=lesson.page.locator("input:checked"))
    chosen.wait_for()
    assert "keeps its own numbers" in chosen.inner_text()
    assert not fold.locator("pre").first.is_visible()
    card.get_by_role("button", name="I am sure").tap()
    fold.locator("pre").first.wait_for()
    assert fold.locator("summary").first.is_hidden()
    lesson.page.locator(".lesson-status", has_text="The answer is in sight").wait_for()
    assert lesson.page.evaluate(SIDEWAYS) <= 0
    assert lesson.axe() == []
    others = lesson.page.locator("details.lesson-waits[open]")
    assert others.count() == 1
    lesson.page.reload()
    fold.locator("pre").first.wait_for()
    assert lesson.page.locator("details.lesson-waits[open]").count() == 1
    card.get_by_role("button", name="Answer it here").tap()
    card.get_by_text("You said", exact=False).wait_for()


def test_a_touch_is_not_lost_that_comes_before_the_scripts(site: Site, reader: Reader) -> None:
    lesson = reader.open(site.url, held="lesson_page.js", viewport=PHONE, has_touch=True)
    card = lesson.cell('Predict("02.write_storage")')
    card.get_by_text("Nothing: t keeps its own numbers").tap()
    assert lesson.page.locator("body[data-python]").count() == 0
    [request] = lesson.held
    request.continue_()
    chosen = card.locator(".tk-option", has=lesson.page.locator("input:checked"))
    chosen.wait_for()
    assert "keeps its own numbers" in chosen.inner_text()


def test_an_exercise_is_judged_kept_and_begun_again(site: Site, reader: Reader) -> None:
    lesson = reader.open(site.url)
    code = "def shares_storage(a, b):"
    same = "a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()"
    solved = f"{code}\n    return {same}\n\nex3.check(shares_storage)"
    cell = lesson.write(code, solved.replace(same, "id(a) == id(b)"))
    assert "Not yet" in cell.locator(".lesson-outputs").inner_text()
    cell = lesson.write(code, solved)
    assert "Right" in cell.locator(".lesson-outputs").inner_text()
    assert cell.locator(".k", has_text="return").count() == 1  # coloured as it is typed
    lesson.page.reload()
    assert cell.locator("textarea").input_value() == solved
    cell.get_by_role("button", name="As it was").click()
    assert cell.locator("textarea").input_value().startswith(f"{code}\n    return ...")
    cell.locator("textarea").fill("pass")
    lesson.page.on("dialog", lambda dialog: dialog.accept())
    lesson.page.get_by_role("button", name="Start this lesson again").click()
    lesson.page.locator('body[data-python="asleep"]').wait_for()
    assert lesson.page.evaluate("() => localStorage.length") == 0
    assert cell.locator("textarea").input_value() != "pass"


def test_what_runs_for_ever_is_stopped_and_the_rest_plays_on(site: Site, reader: Reader) -> None:
    lesson = reader.open(site.url)
    code = "t[1, 2] = -1.0"
    lesson.page.locator("details.lesson-waits > summary").first.click()
    number = lesson.cell(code).get_attribute("data-number")
    cell = lesson.page.locator(f'[data-number="{number}"]')
    cell.locator("textarea").fill("while True: print('on')")
    cell.locator("textarea").press("Shift+Enter")
    lesson.page.locator(".lesson-status", has_text=f"Cell {number} of").wait_for()
    site.gone = True  # it is begun again from what is there
    lesson.page.get_by_role("button", name="Stop").click()
    lesson.page.locator(".lesson-status", has_text="Stopped. Python was started again").wait_for()
    assert "Stopped. Change the cell" in cell.locator(".lesson-outputs").inner_text()
    card = lesson.cell('Predict("02.write_storage")')
    card.get_by_role("button", name="Skip").click()
    card.locator('[data-revealed="true"]').wait_for()
    cell.locator("textarea").fill("t[0, 3].item()")
    cell.locator("textarea").press("Shift+Enter")
    cell.locator(".lesson-result", has_text="10.0").wait_for()


def test_what_a_browsers_python_lacks_is_said_and_stays_as_it_was_recorded(
    exported: Path, site: Site, reader: Reader
) -> None:
    printed = {"output_type": "stream", "name": "stdout", "text": "[0. 0. 0.]\n"}
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# Mine"},
        code_cell("b", "import numpy\nprint(numpy.zeros(3))", printed),
        code_cell("c", "1 / 0", error_of("ZeroDivisionError"), tags=["raises-exception"]),
    ]
    mine = exported / "mine.ipynb"
    mine.write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8"
    )
    page = write.write_page(mine, assets="")
    (exported / "02_storage_and_strides_page" / "mine.html").write_text(page, encoding="utf-8")
    lesson = reader.open(f"{site.url}mine.html")
    cell = lesson.cell("import numpy")
    cell.get_by_role("button", name="Run cell").click()
    cell.locator(".lesson-note", has_text="This needs NumPy").wait_for()
    assert "What is shown here was recorded." in cell.locator(".lesson-note").inner_text()
    assert cell.locator(".lesson-stream").inner_text().strip() == "[0. 0. 0.]"
    fails = lesson.cell("1 / 0")  # a cell that is meant to fail fails here as well
    fails.get_by_role("button", name="Run cell").click()
    lesson.page.locator('[data-number="2"][data-ran="1"]').wait_for()
    assert "lesson-error" in (fails.locator(".lesson-outputs > *").first.get_attribute("class") or "")
    assert fails.locator(".lesson-note").count() == 0


def code_cell(name: str, source: str, output: dict[str, Any], tags: Sequence[str] = ()) -> dict[str, Any]:
    about = {"id": name, "metadata": {"tags": list(tags)}, "execution_count": None}
    return {"cell_type": "code", "source": source, "outputs": [output], **about}


def error_of(name: str) -> dict[str, Any]:
    return {"output_type": "error", "ename": name, "evalue": "", "traceback": [name]}


def test_an_address_names_a_moment_of_a_talk(site: Site, reader: Reader) -> None:
    code = 'StrideExplorer(x, name="x")'
    name = next(cell["id"] for cell in cells_of(LESSON) if code in "".join(cell["source"]))
    lesson = reader.open(f"{site.url}?scene=1&step=0#{name}", viewport=PHONE)
    lesson.shows(code, focus="2,1")
    lesson.page.goto(f"{site.url}?scene=none#{name}")
    lesson.page.goto(f"{site.url}?scene=1#%E0%A4%A")
    lesson.page.locator('body[data-python="asleep"]').wait_for()


def test_what_only_the_engine_draws_is_seen_as_it_was_recorded(exported: Path, reader: Reader) -> None:
    write.export_lesson("gallery", exported, of_widgets, runtime=RUNTIME)
    with served(exported / "gallery_page") as site:
        lesson = reader.open(site.url, viewport=PHONE, color_scheme="dark")
        lesson.page.locator('body[data-python="asleep"]').wait_for()
        pictures = lesson.page.locator("[data-recorded]")
        seen = set()
        for picture in pictures.all():
            picture.locator(".lesson-start").click()
            root = picture.locator(".tk-root")
            root.locator("svg").wait_for()
            kind, note = root.get_attribute("data-tk-widget"), picture.locator(".lesson-note").inner_text()
            assert "Only the whole engine draws this picture" in note
            assert ("step by step" in note) is (root.locator('[data-role="scrub"]').count() == 1), kind
            if "step by step" in note:
                at, back = int(root.get_attribute("data-step")), root.locator('[data-role="back"]')
                by = back if back.is_enabled() else root.locator('[data-role="step"]')
                before = root.locator("svg").inner_html()
                by.click()
                after = picture.locator(f'.tk-root[data-step="{at + (-1 if by is back else 1)}"]')
                after.wait_for()
                assert root.locator("svg").inner_html() != before, kind
            seen.add(kind)
        named = [
            "graph-view",
            "kernel-tracer",
            "device-map",
            "timeline",
            "memory-map",
            "shard-map",
            "image-view",
        ]
        assert {f"{name}-page" for name in named} <= seen
        assert [path for path in site.asked if path.startswith("/python")] == []
        assert lesson.page.evaluate(SIDEWAYS) <= 0
        assert lesson.axe() == []


def test_the_last_exercise_of_the_lesson_is_answered_with_the_photo(site: Site, reader: Reader) -> None:
    lesson = reader.open(site.url)
    source = lesson.cell("ex5.check(strip, base=photo)").locator("textarea").input_value()
    right = source.replace("strip = ...", "strip = photo[30:40].clone()")
    cell = lesson.write("ex5.check(strip, base=photo)", right)
    assert cell.locator(".tk-verdict, .lesson-outputs", has_text="Right").first.is_visible()


def test_one_that_cannot_load_python_says_so_and_tries_again(site: Site, reader: Reader) -> None:
    lesson = reader.open(site.url)
    lesson.page.locator('body[data-python="asleep"]').wait_for()
    site.gone = True
    lesson.cell('Quiz("02.retrieval")').get_by_role("button", name="Answer it here").press("Enter")
    lesson.page.locator(".lesson-status", has_text="Python could not be loaded (python/").wait_for()
    assert lesson.page.locator("h2").first.is_visible()
    site.gone = False
    lesson.cell('Quiz("02.retrieval")').get_by_role("button", name="Answer it here").press("Enter")
    lesson.cell('Quiz("02.retrieval")').locator(".tk-card").wait_for()
    lesson.page.locator(".tk-card :focus").wait_for()  # the keyboard went on into the card


def test_one_file_plays_without_any_server(exported: Path, reader: Reader) -> None:
    lesson = reader.open((exported / "02_storage_and_strides_page.html").as_uri())
    lesson.cell('Predict("02.write_storage")').get_by_role("button", name="Answer it here").click()
    lesson.cell('Predict("02.write_storage")').get_by_role("button", name="Skip").click()
    lesson.page.locator("details.lesson-waits[open] pre").first.wait_for()
    assert [url for url in reader.asked if not url.startswith(("file:", "data:", "blob:"))] == []
