"""A notebook that is executed and saved with its widgets' state has each script once, and its pictures live from it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tensorkit_widgets import Predict, StrideExplorer
from tensorkit_widgets.render.esm import link
from tests.browser.beginning import NOTEBOOK, notebook_of
from tests.browser.desk import Book, Desk

STATE = "application/vnd.jupyter.widget-state+json"
CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import BroadcastExplorer, Predict, StrideExplorer\n"
    "t = tk.arange(12.0).view(3, 4)",
    "StrideExplorer(t)",
    "BroadcastExplorer(t, tk.ones(4))",
    'Predict("02.write_storage")',
    'Predict("02.slice_stride")',
]
FIRST, SECOND, CARD, _ = range(1, 5)
OF_A_BOARD, OF_A_CARD = "class BoardView ", "No answer from the kernel yet"
"""A sentence of each script, which nothing else of a notebook says."""
STILL = ".tk-still"


@pytest.fixture(scope="module")
def executed() -> dict[str, Any]:
    """The notebook as `jupyter nbconvert --execute` writes it."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    book = nbformat.from_dict(notebook_of(CELLS))
    found: dict[str, Any] = json.loads(nbformat.writes(nbclient.NotebookClient(book).execute()))
    return found


def state_of(notebook: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = notebook["metadata"]["widgets"][STATE]["state"]
    return found


def test_an_executed_notebook_has_each_script_once(executed: dict[str, Any]) -> None:
    shown = [one for one in state_of(executed).values() if one["model_name"] == "AnyModel"]
    assert len(shown) == len(CELLS) - 1
    assert [json.dumps(executed).count(words) for words in (OF_A_BOARD, OF_A_CARD)] == [1, 1]
    texts = [part for one in state_of(executed).values() for part in one["state"].values()]
    scripts = [text for text in texts if text in (link("board.js"), link("practice.js"))]
    assert len(scripts) == 2, "that of the pictures, and that of the cards"


def test_a_script_that_was_closed_comes_again() -> None:
    import tensorkit as tk

    first = StrideExplorer(tk.arange(3.0))
    first._script_model.close()
    second, card = StrideExplorer(tk.arange(3.0)), Predict("02.slice_stride")
    assert second._script_model.comm is not None
    assert second._script_model is not first._script_model
    assert second._script_model is StrideExplorer(tk.arange(3.0))._script_model
    assert second._script_model is not card._script_model


@pytest.fixture
def saved(executed: dict[str, Any]) -> dict[str, Any]:
    """What was saved, without the cell that showed the first picture."""
    found = copy.deepcopy(executed)
    del found["cells"][FIRST]
    return found


@pytest.fixture
def opened(desk: Desk, saved: dict[str, Any]) -> Iterator[Book]:
    with desk.written("saved_state", saved, 1200, 2400) as book:
        trust(book)
        yield book
        book.spoiled = True


def trust(book: Book) -> None:
    """Say of the notebook that its outputs may run, as who wrote it may."""
    book.page.evaluate(f"() => {{ for (const cell of {NOTEBOOK}.content.model.cells) cell.trusted = true; }}")


@pytest.mark.browser
def test_opened_again_without_its_kernel_the_pictures_are_drawn_from_it(opened: Book) -> None:
    opened.root(SECOND - 1).locator(".tk-picture svg").first.wait_for()
    opened.page.locator(f'[data-windowed-list-index="{CARD - 1}"] .tk-practice .tk-card').wait_for()
