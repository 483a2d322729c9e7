"""A lesson sends its reader on to one that is there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

LESSONS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("[0-9][0-9]_*.ipynb"))
NUMBERS = [path.stem[:2] for path in LESSONS]


def _last(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "".join(cells[-1]["source"])


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_next_lesson_is_there(path: Path) -> None:
    following = NUMBERS[NUMBERS.index(path.stem[:2]) + 1 :][:1]
    assert re.findall(r"\*\*Next:\*\* (\d\d)", _last(path)) == following


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_what_is_still_to_come_is_not_there(path: Path) -> None:
    for announced in re.findall(r"\(Lessons? ([^)]*still to come)", _last(path)):
        assert not set(re.findall(r"\b\d\d\b", announced)) & set(NUMBERS)
