"""A saved notebook on a machine that has Jupyter and nothing of the kit: its pictures and words, and nothing red.

Neither JupyterLab's part of the kit nor anywidget's is there, and no kernel can import it. The same file becomes a page
by plain nbconvert.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tensorkit.lab.server import HOST, free_port
from tests.browser.beginning import do, notebook_of, until
from tests.browser.desk import Book, Desk, desk_at
from tests.browser.jupyter import ATTACHED, no_trouble
from tests.lab.test_browser import PATIENCE_MS, READY
from tests.lab.test_serving import TOKEN, Served, lonely_environment
from tests.support.ports import first_port

pytestmark = pytest.mark.browser

GALLERY = Path(__file__).resolve().parents[3] / "notebooks" / "gallery.ipynb"
PICTURES = 4
# Put in front of a kernel's path: what is not installed on that machine.
MISSING = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("tensorkit", "tensorkit_widgets", "anywidget"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

if any("ipykernel" in word for word in sys.orig_argv):
    sys.meta_path.insert(0, Missing())
"""
OUR_PARTS = "[...document.querySelectorAll('script')].some((one) => /tensorkit|anywidget/.test(one.src))"
LOADED = """() => [...document.querySelectorAll("img.tk-still")].filter((one) => one.complete && one.naturalWidth > 0
    && one.checkVisibility()).length"""
# What a page of nbconvert asks the network for is not there: the pictures need none of it.
OFFLINE = "Failed to load resource: net::ERR_NAME_NOT_RESOLVED"


def saved() -> dict[str, Any]:
    """The first pictures of the gallery and its first card, as their cells were saved."""
    cells = json.loads(GALLERY.read_text(encoding="utf-8"))["cells"]
    shown = [
        (cell, "".join(o.get("data", {}).get("text/html", "")))
        for cell in cells
        for o in cell.get("outputs", [])
    ]
    pictures = [cell for cell, html in shown if html.startswith('<img class="tk-still"')][: PICTURES - 1]
    cards = [cell for cell, html in shown if html.startswith('<div class="tk-still"')][:1]
    return {**notebook_of([]), "cells": [*pictures, *cards]}


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory, root: Path, chromium: str) -> Iterator[Desk]:
    """JupyterLab itself, with the parts of ipywidgets and without those of the kit."""
    home = tmp_path_factory.mktemp("elsewhere")
    environment = lonely_environment(home)
    with (home / "shims" / "sitecustomize.py").open("a") as shim:
        shim.write(MISSING)
    parts, folder, port = (
        home / "labextensions" / "@jupyter-widgets",
        home / "notebooks",
        free_port(first_port()),
    )
    parts.mkdir(parents=True)
    folder.mkdir()
    installed = (
        Path(sys.prefix) / "share" / "jupyter" / "labextensions" / "@jupyter-widgets" / "jupyterlab-manager"
    )
    (parts / installed.name).symlink_to(installed, target_is_directory=True)
    settings = [
        f"ServerApp.root_dir={folder}", f"ServerApp.port={port}", "ServerApp.ip=" + HOST, "ServerApp.allow_root=True",
        "ServerApp.open_browser=False", f"IdentityProvider.token={TOKEN}", "LabApp.expose_app_in_browser=True",
        f"LabApp.labextensions_path=['{parts.parent}']", "LabApp.news_url=None", "LabApp.extension_manager=readonly",
        "LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "ServerApp.jpserver_extensions={'tensorkit.lab': False}",
    ]  # fmt: skip
    command = [sys.executable, "-m", "jupyterlab", *(f"--{one}" for one in settings)]
    one = Served(
        f"http://{HOST}:{port}", folder, home, home / "attempts", home / "log", command, root, environment
    )
    (folder / "saved.ipynb").write_text(json.dumps(saved()), encoding="utf-8")
    try:
        one.start()
        with desk_at(one, chromium) as desk:
            yield desk
    finally:
        one.stop()


@pytest.fixture
def book(days: Desk) -> Iterator[Book]:
    """A page that has shown nothing yet."""
    page = days.browser.new_context(viewport={"width": 1440, "height": 2400}).new_page()
    page.set_default_timeout(PATIENCE_MS)
    yield Book(page, [])
    page.context.close()


def test_in_jupyterlab_it_is_a_page_of_pictures(days: Desk, book: Book) -> None:
    page = book.page
    page.goto(f"{days.served.url}/lab/tree/saved.ipynb?token={TOKEN}&reset")
    until(page, "() => Boolean(window.jupyterapp?.shell?.currentWidget?.content?.model)")
    until(page, ATTACHED)
    until(page, READY)
    assert page.evaluate(OUR_PARTS) is False
    assert "ModuleNotFoundError" in do(page, "import tensorkit_widgets")
    until(page, f"() => ({LOADED})() === {PICTURES - 1}")
    assert page.locator("div.tk-still:visible").count() == 1
    assert page.locator(".tk-play:visible").count() == PICTURES
    no_trouble(page)
    assert book.faults == []
    assert book.errors == []


def test_by_plain_nbconvert_it_is_a_page_of_pictures(days: Desk, book: Book) -> None:
    nbconvert = pytest.importorskip("nbconvert")
    body, _ = nbconvert.HTMLExporter(template_name="lab").from_filename(
        str(days.served.folder / "saved.ipynb")
    )
    (days.served.home / "saved.html").write_text(body, encoding="utf-8")
    page = book.page
    page.goto((days.served.home / "saved.html").as_uri())
    until(page, f"() => ({LOADED})() === {PICTURES - 1}")
    assert page.locator("div.tk-still:visible").count() == 1
    assert page.locator(".tk-play:visible").count() == PICTURES
    assert "not found" not in page.locator("body").inner_text()
    assert book.faults == []
    assert [said for said in book.errors if said != OFFLINE] == []
