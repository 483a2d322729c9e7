"""Every notebook as somebody meets it who runs nothing: untrusted and trusted, each picture is there and no error.

JupyterLab is loaded once; one idle kernel serves all notebooks, so that the widget manager is there and could complain.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.browser.beginning import ALL_THERE, NOTEBOOK, foreign, until
from tests.browser.desk import Book, Desk
from tests.browser.jupyter import ATTACHED, TRUSTED, no_trouble
from tests.lab.test_browser import PATIENCE_MS
from tests.lab.test_serving import TOKEN

pytestmark = pytest.mark.browser

NOTEBOOKS = [
    path
    for path in sorted((Path(__file__).resolve().parents[3] / "notebooks").glob("*.ipynb"))
    if path.stem != "index"  # nothing is drawn in it before something was answered
]
FOLDER = "unrun"

KERNEL = """() => window.jupyterapp.started
    .then(() => window.jupyterapp.serviceManager.kernels.startNew({ name: "python3" }))
    .then((kernel) => kernel.info.then(() => kernel.id))"""
OPEN = """([path, id]) => window.jupyterapp.commands
    .execute("docmanager:open", { path, factory: "Notebook", kernel: { id } })
    .then((panel) => panel.context.ready).then(() => true)"""
THERE = f"""(path) => {NOTEBOOK}?.context?.path === path
    && {NOTEBOOK}.sessionContext.session?.kernel?.connectionStatus === "connected"
    && ({ATTACHED})()"""
COUNTS = f"() => [...{NOTEBOOK}.content.model.cells].map((cell) => cell.executionCount ?? 0)"
# Folded answers are opened, as a reader opens them; nothing is run.
UNFOLD = "() => window.jupyterapp.commands.execute('notebook:show-all-cell-outputs').then(() => true)"
# Trusting a notebook saves it: a notebook that is closed meanwhile leaves a dialog that shuts out the next one.
TRUST = "() => { window.trusting = window.jupyterapp.commands.execute('notebook:trust'); }"
SAVED = "() => window.trusting.then((answer) => answer.trusted)"
PICTURES = f"""() => [...{NOTEBOOK}.node.querySelectorAll(
        ".jp-OutputArea .tk-still, .jp-OutputArea img:not(.tk-still img)")]
    .map((part) => ({{
        wide: part.offsetWidth, high: part.offsetHeight, seen: part.checkVisibility(),
        loaded: [part, ...part.querySelectorAll("img")].every((one) => one instanceof HTMLImageElement
            ? one.complete && one.naturalWidth > 0 : one.textContent.trim() !== ""),
    }}))"""
# JupyterLab asks each kernel for its debugger; a notebook that is closed before the answer makes it complain.
HASTE = "Could not restore the debugger state: Canceled future"
# What answers a prediction is out of sight: who reads without a kernel asks for it, question by question.
SHOW = f"""() => {{
    const button = {NOTEBOOK}.node.querySelector(".tk-waits button");
    if (button) button.click();
    return !button;
}}"""
CLOSE = f"() => {{ {NOTEBOOK}.dispose(); }}"


@dataclass
class Reader:
    """JupyterLab with one idle kernel, and what its console complained of."""

    book: Book
    kernel: str

    @property
    def page(self) -> Any:
        return self.book.page


@pytest.fixture(scope="module")
def readers(desk: Desk) -> Iterator[list[Reader]]:
    """The one who reads now is the last."""
    (desk.served.folder / FOLDER).mkdir()
    every: list[Reader] = []
    yield every
    for one in every:
        desk.served.ask(f"api/kernels/{one.kernel}", method="DELETE")


@pytest.fixture
def reader(desk: Desk, readers: list[Reader]) -> Reader:
    """JupyterLab, opened on no notebook; again after a failure."""
    if not readers or readers[-1].book.spoiled:
        page = desk.browser.new_page(viewport={"width": 1300, "height": 1400})
        page.set_default_timeout(PATIENCE_MS)
        book = Book(page, [])
        page.goto(f"{desk.served.url}/lab/workspaces/unrun?token={TOKEN}&reset")
        until(page, "() => window.jupyterapp?.started")
        readers.append(Reader(book, page.evaluate(KERNEL)))
    readers[-1].book.errors.clear()
    return readers[-1]


def committed(path: Path) -> int:
    """How many pictures the notebook holds: the widgets', and matplotlib's."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    shown = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    stills = sum("".join(data.get("text/html", "")).count('class="tk-still') for data in shown)
    return stills + sum("text/html" not in data and "image/png" in data for data in shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_untrusted_and_trusted_every_picture_is_there(reader: Reader, desk: Desk, path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["metadata"]["try"] = uuid.uuid4().hex  # Jupyter knows what was trusted once by its content
    (desk.served.folder / FOLDER / path.name).write_text(json.dumps(notebook), encoding="utf-8")
    page, place = reader.page, f"{FOLDER}/{path.name}"
    page.evaluate(OPEN, [place, reader.kernel])
    until(page, THERE, arg=place)
    before = page.evaluate(COUNTS)
    until(page, ALL_THERE)
    until(page, SHOW)
    page.evaluate(UNFOLD)
    assert not any(page.evaluate(TRUSTED))
    every_picture(page, committed(path))
    page.evaluate(TRUST)
    page.locator(".jp-Dialog .jp-mod-accept").click()
    until(page, f"() => ({TRUSTED})().every(Boolean)")
    every_picture(page, committed(path))
    assert page.evaluate(SAVED)
    assert page.locator("[data-tk-widget]").count() == 0, "nothing is live"
    assert page.evaluate(COUNTS) == before, "nothing was run"
    page.evaluate(CLOSE)
    assert reader.book.faults == []
    assert [said for said in reader.book.errors if HASTE not in said] == []
    assert reader.book.asked
    assert foreign(reader.book.asked) == []


def every_picture(page: Any, expected: int) -> None:
    """All of them are loaded, can be seen and are of some size, and no output speaks of trouble."""
    assert expected >= 9
    until(page, f"() => ({PICTURES})().length === {expected}")
    until(page, f"() => ({PICTURES})().every((one) => one.loaded)")
    small = [
        one for one in page.evaluate(PICTURES) if not (one["seen"] and one["wide"] > 100 and one["high"] > 10)
    ]
    assert small == []
    no_trouble(page)
