"""A lesson takes as long as it says, by the model of how people work through one, and fits one sitting.

Two hundred words a minute are read, a cell that runs takes 20 seconds, a prediction 40, a picture 75 and the quiz two
minutes; an exercise takes three.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tensorkit_widgets.practice.catalogue import find_question
from tests.notebooks.test_reveals import CARD

LESSONS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("[0-9][0-9]_*.ipynb"))
SECONDS = {"quiz": 120, "prediction": 40, "picture": 75, "plain": 20}
WORD = re.compile(r"[^\W_][\w'’.-]*")
SAYS = re.compile(r"takes about (\d+)\s+minutes(?: to the practice)?, and the practice (?:about )?(\d+)")

SITTING = [path for path in LESSONS if path.stem[:2] != "00"]
"""Lesson 00 prepares the machine: most of its time is the machine's."""

lessons = pytest.mark.parametrize("path", SITTING, ids=lambda path: path.stem)


def cells_of(path: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [{**cell, "source": "".join(cell["source"])} for cell in cells]


def kind(cell: dict[str, Any]) -> str:
    """What a code cell asks of a reader."""
    source = cell["source"]
    if source.startswith(("Quiz(", "Predict(")):
        return "quiz" if source.startswith("Quiz(") else "prediction"
    drawn = "widget" in cell["metadata"].get("tags", []) and "import" not in source
    return "picture" if drawn else "plain"


def seconds(cell: dict[str, Any]) -> float:
    """How long one cell takes."""
    if cell["cell_type"] == "markdown":
        return len(WORD.findall(re.sub(r"</?\w+>", "", cell["source"]))) * 60 / 200
    return SECONDS[kind(cell)]


@lessons
def test_a_lesson_takes_as_long_as_it_says(path: Path) -> None:
    cells = cells_of(path)
    end = next(n for n, cell in enumerate(cells) if cell["source"].startswith("## Practice"))
    body = sum(map(seconds, cells[:end])) / 60
    exercises = sum("= Exercise(" in cell["source"] or "= Parsons(" in cell["source"] for cell in cells[end:])
    says = SAYS.search(cells[0]["source"])
    assert says, "it says how long it takes, to the practice and in the practice"
    assert abs(int(says[1]) - body) <= 2, f"{body:.1f} minutes by the model"
    assert abs(int(says[2]) - 3 * exercises) <= 3, f"{3 * exercises} minutes by the model"
    assert body <= 30
    assert 4 <= exercises <= 8


@lessons
def test_a_lesson_fits_one_sitting(path: Path) -> None:
    own = [cell for cell in cells_of(path) if "00.after" not in cell["source"]]  # the test ends the course
    assert len(own) <= 60


@lessons
def test_a_lesson_asks_few_predictions_and_two_in_the_picture(path: Path) -> None:
    """A card that is answered by pressing a slot, a step or some cells of a picture has `pick`."""
    asked = [find_question(name) for cell in cells_of(path) for name in CARD.findall(cell["source"])]
    predicted = [question for question in asked if not question.recall]
    assert 4 <= len(predicted) <= 7
    assert sum(bool(question.pick) for question in predicted) >= 2
