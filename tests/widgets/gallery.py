"""The gallery's notebook, for the tests that open it in one Jupyter or another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.lab.test_browser import PATIENCE_MS, READY
from tests.widgets.conftest import Book

__all__ = ["BOARDS", "CARDS", "FAILED", "GALLERY", "number_of", "open_gallery", "shown"]

GALLERY = Path(__file__).resolve().parents[2] / "notebooks" / "gallery.ipynb"
_NOTEBOOK = "window.jupyterapp.shell.currentWidget.content"
FAILED = f"""() => [...{_NOTEBOOK}.model.cells].filter((cell) => cell.type === "code")
    .flatMap(({{ outputs }}) => [...Array(outputs.length).keys()].map((k) => outputs.get(k).toJSON()))
    .filter((output) => output.output_type === "error").map((output) => output.evalue)"""
_DONE = f"""() => {_NOTEBOOK}.widgets.filter((cell) => cell.model.type === "code")
    .every((cell) => cell.model.executionState === "idle" && cell.model.executionCount)"""
# All cells are laid out at once: nothing that a test looks at is taken away while it is out of sight.
_WHOLE = (
    f"() => {{ {_NOTEBOOK}.notebookConfig = {{ ...{_NOTEBOOK}.notebookConfig, windowingMode: 'none' }}; }}"
)

BOARDS = {
    "strides": "stride-explorer", "memory": "memory-map", "recorded": "trace", "story": "explain",
    "chosen": "index-explorer", "stretched": "broadcast-explorer", "summed": "reduction-explorer",
    "met": "matmul-explorer", "bits": "bit-view", "boxes": "boxed-memory", "face": "image-view", "graph": "graph-view",
}  # fmt: skip
CARDS = ("predicted", "exercise", "quiz", "puzzle")

_CELLS: list[dict[str, Any]] = json.loads(GALLERY.read_text(encoding="utf-8"))["cells"]


def number_of(name: str) -> int:
    """The cell whose last line shows the widget of this name."""
    for number, cell in enumerate(_CELLS):
        last = "".join(cell["source"]).splitlines()[-1].split("#")[0]
        if cell["cell_type"] == "code" and last.split(".")[0].strip() == name and "check" not in last:
            return number
    raise AssertionError(f"no cell of the gallery shows {name}")


def shown(book: Book, name: str) -> Any:
    """The live widget of this name."""
    inside = f'.jp-Notebook [data-windowed-list-index="{number_of(name)}"]'
    return book.page.locator(f"{inside} [data-tk-widget], {inside} .tk-card[data-state]").first


def open_gallery(book: Book, address: str, asked: list[str]) -> None:
    """Open the gallery at an address, and run it until every widget is live.

    Args:
        asked: is given the addresses that the page asks for.
    """
    page = book.page
    page.set_default_timeout(PATIENCE_MS)
    page.on("pageerror", lambda error: book.faults.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.goto(address)
    page.wait_for_function(READY)
    page.evaluate(_WHOLE)
    book.run_all()
    for name in (*BOARDS, *CARDS):
        shown(book, name).wait_for()
    page.wait_for_function(_DONE)
