"""A notebook that was run with live pictures, saved, and opened again: the next day, untrusted, in another version.

Its file has the pictures alone. Opened on another kernel it shows them and an invitation, and nothing red; opened
on the kernel that it was run with, it is live again. A file of an earlier version has views of models that are gone:
it is read without them.
"""

from __future__ import annotations

import copy
import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.browser import beginning
from tests.browser.beginning import NOTEBOOK, until
from tests.browser.desk import Book, Desk, desk_at
from tests.browser.jupyter import ATTACHED, TRUSTED, no_trouble
from tests.lab.test_browser import PATIENCE_MS, READY
from tests.lab.test_serving import TOKEN, Served, running

pytestmark = pytest.mark.browser

BOARD, EXPLORER, CARD = 1, 2, 3
CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import BroadcastExplorer, Predict, StrideExplorer",
    "w = BroadcastExplorer(tk.arange(3.0).view(3, 1), tk.arange(4.0))\nw",
    "StrideExplorer(tk.arange(12.0).view(3, 4))",
    'p = Predict("02.write_storage")\np',
]
SHOWN = [BOARD, EXPLORER, CARD]
VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
ANSWER = "keeps its own numbers"
# JupyterLab's own words of what was closed or stopped before it had its answer.
HASTE = ("Could not restore the debugger state", "Canceled future")
OPENED = f"() => Boolean(window.jupyterapp?.shell?.currentWidget?.content?.model) && ({ATTACHED})()"
DIRTY = f"() => {NOTEBOOK}.content.model.dirty"
# The red line of an unknown model comes late: no view is there that would be looked for.
VIEWS = f"""(view) => [...{NOTEBOOK}.content.model.cells].filter((cell) => cell.type === "code")
    .flatMap((cell) => cell.outputs.toJSON()).filter((output) => output.data?.[view]).length"""
NO_KERNEL = f"""() => {{
    window.stopped = false;
    {NOTEBOOK}.sessionContext.shutdown().then(() => {{ window.stopped = true; }});
}}"""


# Another version of the kit, as a kernel meets it that starts after the upgrade: other JavaScript, another field.
NEWER = """
import traitlets
from anywidget import AnyWidget

begin = AnyWidget.__init__

def newer(self, *args, **fields):
    script = traitlets.Unicode(f"{self._esm}\\n// a newer version").tag(sync=True)
    self.add_traits(_esm=script, begun_with=traitlets.Unicode("a newer version").tag(sync=True))
    begin(self, *args, **fields)

AnyWidget.__init__ = newer
"""
STARTUP = ".ipython/profile_default/startup"
PLAY = re.compile(r'<p class="tk-play".*?</p>')


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[Served]:
    """A server of this file's own, which may be stopped; answers are kept, as a learner's are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TENSORKIT_PROGRESS", "1")
        with running(tmp_path_factory.mktemp("days"), root, "LabApp.expose_app_in_browser=True") as one:
            yield one


@pytest.fixture(scope="module")
def days(served: Served, chromium: str) -> Iterator[Desk]:
    with desk_at(served, chromium) as one:
        yield one


@pytest.fixture(scope="module")
def evening(days: Desk) -> Evening:
    """A notebook was run, answered and saved; its server was stopped and started since."""
    with days.begun("day", CELLS, SHOWN) as book:
        book.everything()
        card = book.view(CARD)
        card.get_by_label(ANSWER).click()
        card.get_by_role("button", name="I am sure", exact=True).click()
        book.page.locator('.tk-card[data-state="wrong"]').wait_for()
        book.part(BOARD, "step").click()
        book.shows(BOARD, step=1)
        book.save()
        assert not book.page.evaluate(DIRTY)
        book.shows(BOARD, kernel="live", step=1)
        book.page.context.close()
    del days.books["day"]
    folder = days.served.folder
    found = Evening(
        on_disk(days, "day"), (folder / ".tensorkit" / "progress.json").read_text(encoding="utf-8")
    )
    days.served.stop()
    days.served.start()
    return found


@dataclass(frozen=True)
class Evening:
    """What was on the disk when the server was stopped."""

    file: dict[str, Any]
    progress: str


def on_disk(days: Desk, name: str) -> dict[str, Any]:
    """The notebook of this name, as its file has it now."""
    found: dict[str, Any] = json.loads((days.served.folder / f"{name}.ipynb").read_text(encoding="utf-8"))
    return found


def lay(days: Desk, name: str, file: dict[str, Any], progress: str) -> None:
    """Put a notebook and the learner's answers where the server finds them, and no kernel that knows them."""
    days.served.end_kernels()
    (days.served.folder / f"{name}.ipynb").write_text(json.dumps(file), encoding="utf-8")
    (days.served.folder / ".tensorkit" / "progress.json").write_text(progress, encoding="utf-8")


def of_an_earlier_version(file: dict[str, Any]) -> dict[str, Any]:
    """The notebook as a kit saved it that wrote the views too, with the state of a widget that no cell shows."""
    old = copy.deepcopy(file)
    for number in SHOWN:
        [picture] = old["cells"][number]["outputs"]
        view = {
            "version_major": 2,
            "version_minor": 0,
            "model_id": picture["metadata"].pop("tensorkit")["model_id"],
        }
        picture["data"]["text/html"] = [PLAY.sub("", "".join(picture["data"]["text/html"]))]
        shown = {"output_type": "display_data", "data": {VIEW: view}, "metadata": {}}
        old["cells"][number]["outputs"] = [shown, picture]
    layout = {
        "model_name": "LayoutModel",
        "model_module": "@jupyter-widgets/base",
        "model_module_version": "2.0.0",
    }
    state = {"version_major": 2, "version_minor": 0, "state": {uuid.uuid4().hex: {**layout, "state": {}}}}
    old["metadata"]["widgets"] = {STATE: state}
    return old


def of_an_earlier_layout(progress: str) -> str:
    """The answers as a kit kept them that drew no order for the options and remembered no history."""
    found = json.loads(progress)
    cards = {name: {k: v for k, v in card.items() if k != "history"} for name, card in found["cards"].items()}
    return json.dumps({"version": found["version"], "cards": cards})


def opened(days: Desk, name: str = "day") -> Book:
    """The notebook in a browser that has never seen it."""
    page = days.browser.new_context(
        viewport={"width": 1440, "height": 2400}, reduced_motion="reduce"
    ).new_page()
    page.set_default_timeout(PATIENCE_MS)
    book = Book(page, [])
    page.goto(f"{days.served.url}/lab/tree/{name}.ipynb?token={TOKEN}&reset")
    until(page, OPENED)
    return book


def at_rest(book: Book) -> None:
    """Its pictures, each with its invitation, and nothing live, nothing red, no error."""
    page = book.page
    stills = page.locator(".jp-OutputArea .tk-still:visible")
    until(page, "() => document.querySelectorAll('.jp-OutputArea .tk-still').length === 3")
    assert stills.count() == 3
    assert page.locator(".jp-OutputArea .tk-play:visible").all_inner_texts() == [
        "▷ Run this cell to play with the picture.",
        "▷ Run this cell to play with the picture.",
        "▷ Run this cell to answer.",
    ]
    assert page.locator("[data-tk-widget]").count() == 0
    assert page.evaluate(VIEWS, VIEW) == 0
    no_trouble(page)
    assert [said for said in book.errors if not said.startswith(HASTE)] == []
    assert book.faults == []


def alive(book: Book) -> None:
    """Run, it is live, and what was answered is answered."""
    book.run_all()
    for number in (BOARD, EXPLORER):
        book.shows(number, kernel="live")
    book.page.locator('.tk-card[data-state="wrong"]').wait_for()
    assert ANSWER in book.ask("p.answer")
    assert book.page.locator(".tk-still:visible").count() == 0
    no_trouble(book.page)


def test_the_next_day_it_is_a_page_of_pictures_and_comes_to_life_when_it_runs(
    days: Desk, evening: Evening
) -> None:
    kinds = [[sorted(output["data"]) for output in cell["outputs"]] for cell in evening.file["cells"]]
    assert kinds[1:4] == [[["text/html", "text/plain"]]] * 3
    assert "widgets" not in evening.file["metadata"]
    book = opened(days)
    until(book.page, READY)
    assert all(book.page.evaluate(TRUSTED))
    at_rest(book)
    assert not book.page.evaluate(DIRTY)
    alive(book)
    book.page.context.close()


def test_untrusted_and_without_a_kernel_it_is_the_same_page(days: Desk, evening: Evening) -> None:
    # Jupyter knows what was trusted once by its content.
    file = copy.deepcopy(evening.file)
    file["metadata"]["try"] = uuid.uuid4().hex
    lay(days, "foreign", file, evening.progress)
    book = opened(days, "foreign")
    until(book.page, READY)
    assert not any(book.page.evaluate(TRUSTED))
    at_rest(book)
    book.page.evaluate(NO_KERNEL)
    until(book.page, "() => window.stopped")
    at_rest(book)
    book.page.context.close()


def test_after_an_upgrade_the_page_is_the_same_and_the_answers_are_back(days: Desk, evening: Evening) -> None:
    lay(days, "upgraded", evening.file, of_an_earlier_layout(evening.progress))
    startup = days.served.home / STARTUP
    startup.mkdir(parents=True, exist_ok=True)
    (startup / "newer.py").write_text(NEWER, encoding="utf-8")
    book = opened(days, "upgraded")
    until(book.page, READY)
    at_rest(book)
    alive(book)
    assert book.ask("(w.begun_with, p.begun_with)") == "('a newer version', 'a newer version')"
    (startup / "newer.py").unlink()
    book.page.context.close()


def test_a_file_of_an_earlier_version_has_no_view_of_what_is_gone(days: Desk, evening: Evening) -> None:
    old = of_an_earlier_version(evening.file)
    lay(days, "old", old, evening.progress)
    book = opened(days, "old")
    until(book.page, READY)
    at_rest(book)
    assert not book.page.evaluate(DIRTY)
    book.save()
    saved = on_disk(days, "old")
    assert [cell["outputs"] for cell in saved["cells"]] == [cell["outputs"] for cell in evening.file["cells"]]
    assert saved["metadata"]["widgets"] == old["metadata"]["widgets"]
    # Another program has written the file: it is read again while the widget manager is there.
    (days.served.folder / "old.ipynb").write_text(json.dumps(old), encoding="utf-8")
    beginning.command(book.page, "docmanager:reload")
    at_rest(book)
    alive(book)
    book.page.context.close()


def test_without_a_kernel_a_file_of_an_earlier_version_is_the_same_page(days: Desk, evening: Evening) -> None:
    old = of_an_earlier_version(evening.file)
    old["metadata"]["kernelspec"] = {
        "name": "elsewhere",
        "display_name": "Elsewhere",
        "language": "elsewhere",
    }
    old["metadata"].pop("language_info", None)
    lay(days, "kernelless", old, evening.progress)
    book = opened(days, "kernelless")
    book.page.locator(".jp-Dialog").get_by_role("button", name="No Kernel").click()
    until(book.page, "() => !document.querySelector('.jp-Dialog')")
    at_rest(book)
    book.page.context.close()


def test_another_tab_on_the_same_kernel_is_live_and_has_nothing_to_save(days: Desk) -> None:
    late = ["late = StrideExplorer(tk.arange(6))\npages = 1", "late if pages > 1 else None"]
    with days.begun("tab", [*CELLS, *late], SHOWN) as book:
        book.part(BOARD, "step").click()
        book.shows(BOARD, step=1)
        book.save()
        book.page.reload()
        until(book.page, OPENED)
        for number in (BOARD, EXPLORER):
            book.shows(number, kernel="live")
        book.shows(BOARD, step=1)
        assert book.view(CARD).is_visible()
        until(
            book.page,
            "() => ![...document.querySelectorAll('.tk-still')].some((one) => one.checkVisibility())",
        )
        assert not book.page.evaluate(DIRTY)
        no_trouble(book.page)
        book.part(BOARD, "step").click()
        book.shows(BOARD, step=2)
        assert book.ask("w.at") == "2"
        # What is read from the file again has its views again.
        book.root(BOARD).evaluate("root => { window.before = root; }")
        beginning.command(book.page, "docmanager:reload")
        until(book.page, "() => !window.before.isConnected")
        book.shows(BOARD, kernel="live", step=2)
        # What no page has shown so far is shown on this one.
        book.do("pages = 2")
        beginning.run_some(book.page, [len(CELLS) + 1])
        book.shows(len(CELLS) + 1, kernel="live")
        book.page.close()
