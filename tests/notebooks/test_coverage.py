"""`notebooks/README.md` says where each section of the sources is taught, and what each misconception meets: both hold.

After a change of lessons or cards, `python -m tests.notebooks.test_coverage` writes the second table again.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from tensorkit_widgets import lessons
from tests.notebooks.test_misconceptions import PICTURES

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
README = NOTEBOOKS / "README.md"
LESSONS = {path.stem[:2]: path for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))}
TO_COME = "to come"
BEGIN, END = "<!-- misconceptions: begin -->", "<!-- misconceptions: end -->"
SECTIONS = {"W": 45, "V": 15, "T": 36, "S": 45}
"""How many sections each source has in the first table, at least: none of them may get lost."""


class Row(NamedTuple):
    """A section of a source, the lesson that teaches it, and pieces of the cells that do."""

    source: str
    section: str
    lesson: str
    cells: str

    @property
    def pieces(self) -> list[str]:
        return re.findall(r"`([^`]+)`", self.cells)


def rows_of(text: str) -> Iterator[Row]:
    """The rows of the first table."""
    for part in text.split(BEGIN)[0].split("\n## ")[1:]:
        for line in part.splitlines():
            if line.startswith("| ") and not line.startswith("| section"):
                cells = [cell.strip() for cell in line.strip("|").split(" | ")]
                assert len(cells) == 3, line
                yield Row(part[0], *cells)


ROWS = list(rows_of(README.read_text(encoding="utf-8")))


@cache
def page(lesson: str) -> str:
    """All that a lesson's cells hold, in one line: a text may break a line where it likes."""
    cells = json.loads(LESSONS[lesson].read_text(encoding="utf-8"))["cells"]
    return " ".join("\n".join("".join(cell["source"]) for cell in cells).split())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.source} {row.lesson} {row.section[:40]}")
def test_a_section_is_taught_where_the_table_says(row: Row) -> None:
    if row.lesson not in LESSONS:
        if row.cells != TO_COME:
            pytest.skip(f"lesson {row.lesson} is not here yet")
        return
    assert row.cells != TO_COME, f"lesson {row.lesson} is here: which cell teaches it?"
    assert row.pieces
    gone = [piece for piece in row.pieces if " ".join(piece.split()) not in page(row.lesson)]
    assert gone == [], f"lesson {row.lesson} has no such cell any more"


def test_no_section_is_lost() -> None:
    found = {source: sum(row.source == source for row in ROWS) for source in SECTIONS}
    assert {source: max(found[source], least) for source, least in SECTIONS.items()} == found
    assert len({(row.source, row.section, row.lesson) for row in ROWS}) == len(ROWS)


def test_every_lesson_that_is_written_is_in_the_table() -> None:
    assert set(LESSONS) <= {row.lesson for row in ROWS}


@cache
def _modules() -> dict[str, ModuleType]:
    names = [found.name for found in pkgutil.iter_modules(lessons.__path__)]
    found = {name[6:]: name for name in sorted(names) if re.fullmatch(r"lesson\d\d", name)}
    return {
        number: importlib.import_module(f"tensorkit_widgets.lessons.{name}") for number, name in found.items()
    }


@cache
def shown_cards() -> frozenset[str]:
    """The cards that a lesson's notebook has."""
    card = re.compile(r'\b(?:Predict|Exercise|Quiz|Parsons)\("(\d\d\.\w+)"')
    return frozenset(name for lesson in LESSONS for name in card.findall(page(lesson)))


def _cards(names: Iterator[str]) -> str:
    return ", ".join(f"`{name}`" for name in names if name in shown_cards())


def predictions(name: str) -> str:
    """The cards that a misconception makes wrong."""
    return _cards(
        f"{number}.{asked.name}"
        for number, module in _modules().items()
        for asked in module.QUESTIONS
        if not asked.recall and any(slip.misconception == name for slip in asked.slips)
    )


def exercises(name: str) -> str:
    """The exercises that recognise it."""
    return _cards(
        f"{number}.{task.name}"
        for number, module in _modules().items()
        for task in module.TASKS
        if any(misconception == name for _, misconception in task.wrong)
    )


def comes_back(name: str) -> list[str]:
    """The lessons that ask about it from memory, and `after` where the test after the course does."""
    return sorted(
        "after" if sheet.test else number
        for number, module in _modules().items()
        for sheet in getattr(module, "QUIZZES", ())
        if (sheet.recall or sheet.test == "after")
        and f"{number}.{sheet.name}" in shown_cards()
        and any(slip.misconception == name for asked in sheet.questions for slip in asked.slips)
    )


def table() -> str:
    """The second table, from the cards themselves."""
    lines = [
        "| misconception | lesson | picture | predicted in | exercise | comes back in |",
        "|---|---|---|---|---|---|",
    ]
    for name, (lesson, code) in sorted(PICTURES.items(), key=lambda item: item[1][0]):
        picture = code.splitlines()[-1].strip()
        again = ", ".join(comes_back(name)) or "-"
        title = name.replace("|", "\\|")
        lines.append(
            f"| {title} | {lesson} | `{picture}` | {predictions(name)} | {exercises(name)} | {again} |"
        )
    return "\n".join(lines)


def test_each_misconception_meets_what_the_table_says() -> None:
    """Its picture, its predictions, its exercises, and the lessons that ask about it again."""
    written = README.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0].strip()
    assert written.splitlines() == table().splitlines()


LATE = "21"
"""What is taught from this lesson on also comes back in lessons that are to come, and in `review()`."""
EARLIER = {"id() as a storage test": "02"}
"""What has its picture later than its first card."""


def test_each_misconception_comes_back_in_two_later_lessons() -> None:
    seldom = {
        name
        for name, (lesson, _) in PICTURES.items()
        if lesson < LATE and sum(number > EARLIER.get(name, lesson) for number in comes_back(name)) < 2
    }
    assert seldom == set()


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    README.write_text(f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
