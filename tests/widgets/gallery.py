"""The gallery's notebook, for the tests that open it in one Jupyter or another."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.browser import beginning
from tests.browser.beginning import until
from tests.browser.desk import Book, Desk

GALLERY = Path(__file__).resolve().parents[2] / "notebooks" / "gallery.ipynb"
_NOTEBOOK = f"{beginning.NOTEBOOK}.content"
FAILED = f"""() => [...{_NOTEBOOK}.model.cells].filter((cell) => cell.type === "code")
    .flatMap(({{ outputs }}) => [...Array(outputs.length).keys()].map((k) => outputs.get(k).toJSON()))
    .filter((output) => output.output_type === "error").map((output) => output.evalue)"""
_DONE = f"""() => {_NOTEBOOK}.widgets.filter((cell) => cell.model.type === "code")
    .every((cell) => cell.model.executionState === "idle" && cell.model.executionCount)"""
_WIDE = f"() => [...{_NOTEBOOK}.node.querySelectorAll('[data-tk-widget]')].map((root) => Math.round(root.clientWidth))"

BOARDS = {
    "strides": "stride-explorer", "memory": "memory-map", "devices": "device-map",
    "recorded": "trace", "story": "explain",
    "chosen": "index-explorer", "stretched": "broadcast-explorer", "summed": "reduction-explorer",
    "met": "matmul-explorer", "slid": "conv-explorer", "bits": "bit-view", "boxes": "boxed-memory",
    "face": "image-view", "graph": "graph-view", "trained": "training-view",
    "drawn": "generator-stream", "traced": "kernel-tracer", "line": "timeline", "sharded": "shard-map",
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


@contextlib.contextmanager
def run_gallery(
    desk: Desk, wrong: Callable[[str], bool] = bool, width: int = 1300, height: int = 1400
) -> Iterator[Book]:
    """The gallery, run until every widget is live, for one test."""
    notebook = json.loads(GALLERY.read_text(encoding="utf-8"))
    with desk.written("the_gallery", notebook, width, height, wrong) as book:
        # Nothing that a test looks at is taken away while it is out of sight.
        beginning.whole(book.page)
        book.run_all()
        for name in (*BOARDS, *CARDS):
            shown(book, name).wait_for()
        until(book.page, _DONE)
        for name in BOARDS:
            book.settled(shown(book, name))
        yield book


_wide: dict[str, list[float]] = {}
"""How wide each board is in a window of this size, once it is laid out for it."""


@contextlib.contextmanager
def look_at_gallery(desk: Desk, width: int, height: int) -> Iterator[Book]:
    """The gallery, run, for one test that only looks at it: the next one finds it as it is."""
    name = f"the gallery at {width} × {height}"
    run = run_gallery(desk, width=width, height=height)
    with desk.only_looked_at(name, run, width, height) as book:
        if book.standing:
            # The notebook gives its cells their width a moment after the window has it.
            until(
                book.page, f"(wide) => JSON.stringify(({_WIDE})()) === JSON.stringify(wide)", arg=_wide[name]
            )
            for board in BOARDS:
                book.settled(shown(book, board))
        else:
            _wide[name] = book.page.evaluate(_WIDE)
        yield book
