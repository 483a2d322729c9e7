"""Every erratum names a cell that shows it, and that cell is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def _errata() -> Iterator[tuple[str, str, list[str]]]:
    """(lesson, statement, code of the cells) of each row."""
    text = (NOTEBOOKS / "ERRATA.md").read_text(encoding="utf-8")
    for section in text.split("\n## ")[1:]:
        rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
        for row in rows:
            cells = [cell.strip() for cell in row.strip("|").split(" | ")]
            assert len(cells) == 4, row
            yield section[:2], cells[1], re.findall(r"`([^`]+)`", cells[3])


ERRATA = list(_errata())


@pytest.mark.parametrize(
    ("lesson", "statement", "shown"), ERRATA, ids=[f"{e[0]}: {e[1][:40]}" for e in ERRATA]
)
def test_an_erratum_is_shown_by_a_cell(lesson: str, statement: str, shown: list[str]) -> None:
    (path,) = NOTEBOOKS.glob(f"{lesson}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert shown or "module load" in statement, "only a shell command may go without a cell"
    for source in shown:
        assert source in code


def test_there_are_errata_for_both_lessons() -> None:
    assert {lesson for lesson, _, _ in ERRATA} >= {"00", "02"}
