"""A lesson takes as long as it says, by a model of reading and looking; and it is one sitting.

The model: 200 words a minute, 20 seconds a plain cell, 40 a prediction, 75 a picture, two minutes a quiz. It was never
compared with learners; it keeps a lesson from growing. Lessons that were written to it are listed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
MEASURED = ("20_devices",)
MOST_CELLS = 60
WORDS_A_MINUTE = 200
SECONDS = {"plain": 20, "prediction": 40, "picture": 75, "quiz": 120}

each = pytest.mark.parametrize("name", MEASURED)


def cells_of(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))[
        "cells"
    ]
    return found


def kind(cell: dict[str, Any]) -> str:
    """What a code cell asks of a reader."""
    source = "".join(cell["source"])
    if source.startswith("Quiz("):
        return "quiz"
    if source.startswith("Predict("):
        return "prediction"
    drawn = "widget" in cell["metadata"].get("tags", []) and not source.startswith("from ")
    return "picture" if drawn else "plain"


def minutes(cells: list[dict[str, Any]]) -> float:
    """How long these cells take."""
    words = sum(
        len(re.findall(r"\w[\w'’-]*", re.sub(r"<[^>]*>", "", "".join(cell["source"]))))
        for cell in cells
        if cell["cell_type"] == "markdown"
    )
    seconds = sum(SECONDS[kind(cell)] for cell in cells if cell["cell_type"] == "code")
    return words / WORDS_A_MINUTE + seconds / 60


@each
def test_a_lesson_takes_as_long_as_it_says(name: str) -> None:
    cells = cells_of(name)
    [practice] = [n for n, cell in enumerate(cells) if "".join(cell["source"]).startswith("## Practice")]
    told = re.search(r"about (\d+) minutes", "".join(cells[0]["source"]))
    assert told is not None
    assert 20 <= minutes(cells[:practice]) <= 30
    assert abs(minutes(cells[:practice]) - int(told[1])) <= 2


@each
def test_a_lesson_is_one_sitting(name: str) -> None:
    assert len(cells_of(name)) <= MOST_CELLS


@each
def test_the_practice_goes_from_worked_to_repair(name: str) -> None:
    """Four to eight exercises, in the order in which they fade; the last is a repair."""
    source = ["".join(cell["source"]) for cell in cells_of(name)]
    asked = [found[1] for text in source if (found := re.search(r'Exercise\("\d\d\.(\w+)"', text))]
    assert 4 <= len(asked) <= 8
    assert asked[-1] == "repair"
