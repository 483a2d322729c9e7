"""Each prediction says which cells answer it: out of sight in JupyterLab until it is made, folded in other hosts.

A cell that answers has the card's name in its metadata, `{"tensorkit": {"after": "03.minus_one"}}`; where two cards
stand one below the other, both names. Its text stands in a `<details>` that is closed at first.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tensorkit_widgets.practice.catalogue import find_question

LESSONS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("[0-9][0-9]_*.ipynb"))
CARD = re.compile(r'\bPredict\("(\d\d\.[a-z][a-z0-9_]*)"')
OPENING, CLOSING = "<details>\n<summary>Show</summary>\n\n", "\n\n</details>"
HEADING = re.compile(r"(?m)^#{1,6} ")

lessons = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def cells_of(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def after(cell: dict[str, Any]) -> list[str]:
    """The cards that a cell waits for."""
    given = cell["metadata"].get("tensorkit", {}).get("after", [])
    return [given] if isinstance(given, str) else given


def card_of(cell: dict[str, Any]) -> str:
    found = CARD.search(source(cell)) if cell["cell_type"] == "code" else None
    return found[1] if found else ""


def predictions(path: Path) -> list[str]:
    """The cards of a lesson that something below answers; what is asked from memory answers itself."""
    return [card for cell in cells_of(path) if (card := card_of(cell)) and not find_question(card).recall]


@lessons
def test_every_prediction_reveals_the_cells_that_follow_it(path: Path) -> None:
    cells = cells_of(path)
    places = {card_of(cell): number for number, cell in enumerate(cells) if card_of(cell)}
    wanted = predictions(path)
    assert wanted, "a lesson without a prediction?"
    for name in wanted:
        below = [number for number, cell in enumerate(cells) if name in after(cell)]
        first = places[name] + 1
        while card_of(cells[first]):
            first += 1
        assert below == list(range(first, first + len(below))), f"{name} reveals {below}"
        assert below, f"{name} reveals nothing"
        assert any(cells[number]["cell_type"] == "code" for number in below), (
            f"{name} shows nothing that runs"
        )


@lessons
def test_nothing_waits_for_a_card_that_is_not_there(path: Path) -> None:
    asked = set(predictions(path))
    assert {name for cell in cells_of(path) for name in after(cell)} == asked


@lessons
def test_what_answers_is_one_part_of_the_page(path: Path) -> None:
    """No heading and no card is out of sight: the table of contents and the way on stay whole."""
    for cell in cells_of(path):
        if after(cell):
            assert not card_of(cell)
            assert cell["cell_type"] == "code" or not HEADING.search(
                re.sub(r"(?s)```.*?```", "", source(cell))
            )


@lessons
def test_the_text_that_answers_is_closed_at_first_on_any_page(path: Path) -> None:
    """And nothing else is: a text that is always closed would be found by nobody."""
    for cell in cells_of(path):
        if cell["cell_type"] == "markdown":
            text = source(cell)
            wrapped = text.startswith(OPENING) and text.endswith(CLOSING)
            assert wrapped is bool(after(cell)), text
            assert text.count("<details") == wrapped


@lessons
def test_an_exported_page_has_each_answer_behind_a_closed_show(path: Path) -> None:
    nbconvert = pytest.importorskip("nbconvert")
    page, _ = nbconvert.HTMLExporter().from_filename(str(path))
    texts = [cell for cell in cells_of(path) if cell["cell_type"] == "markdown" and after(cell)]
    assert len(re.findall(r"<details>\s*<summary>Show</summary>", page)) == len(texts)
    assert page.count("</details>") == len(texts)
    assert "<details open" not in page


TEMPLATES = Path(__file__).resolve().parents[2] / "tensorkit" / "lab" / "jupyter" / "nbconvert" / "templates"


@lessons
def test_our_own_export_closes_what_the_cells_gave_too(path: Path) -> None:
    """`jupyter nbconvert --to html --template tensorkit`."""
    nbconvert = pytest.importorskip("nbconvert")
    exporter = nbconvert.HTMLExporter(template_name="tensorkit", extra_template_basedirs=[str(TEMPLATES)])
    page, _ = exporter.from_filename(str(path))
    answers = [cell for cell in cells_of(path) if after(cell) and cell.get("outputs")]
    assert page.count('<details class="tk-answer"><summary>Show what this cell gave</summary>') == len(
        answers
    )
    outside = re.sub(r"(?s)<details.*?</details>", "", page)
    open_ones = printed(cell for cell in cells_of(path) if not after(cell))
    for text in printed(answers) - open_ones:
        assert f"<pre>{html.escape(text, quote=False)}\n</pre>" not in outside


def printed(cells: Iterable[dict[str, Any]]) -> set[str]:
    """What cells printed, in texts that are long enough to be found."""
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    texts = {"".join(output["text"]).strip() for output in outputs if output["output_type"] == "stream"}
    return {text for text in texts if len(text) > 40}
