"""How `make test` deals the tests out: the browser's files first and whole, the longest next.

And what CI leaves for another day: each test of a long family has its turn, and nothing else is left out.
"""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.support.shares import EACH_DAY, ROOT, THIRDS, today
from tests.support.turns import Turns, in_turn


def item(file: str, name: str, browser: bool = False) -> Any:
    """What stands for a test."""
    return SimpleNamespace(
        path=Path(file), name=name, get_closest_marker=lambda marker: browser and marker == "browser"
    )


def test_the_order_of_files() -> None:
    one, two = item("a.py", "one"), item("a.py", "two")
    more = [item("b.py", str(number)) for number in range(3)]
    cell, seen, beside = item("z.ipynb", "cell"), item("y.py", "seen", browser=True), item("y.py", "beside")
    found = in_turn(cast(list[pytest.Item], [two, *more, one, beside, cell, seen]))
    assert found == [beside, seen, cell, *more, two, one]


def test_the_browsers_files_are_shared_out_among_the_pages() -> None:
    turns = object.__new__(Turns)
    turns.pages, turns.shares = 2, {}
    files = [f"tests/widgets/{name}/test_browser.py" for name in ("bits", "graph", "image")]
    assert [turns._split_scope(f"{file}::test") for file in files] == ["page 0", "page 1", "page 0"]
    assert turns._split_scope(f"{files[1]}::test_again") == "page 1"


def test_a_file_stays_whole() -> None:
    turns = object.__new__(Turns)
    assert turns._split_scope("tests/a.py::test[x::y]") == "tests/a.py"


# -- a share a day ------------------------------------------------------------------------------------------------

FIRST = date(2026, 11, 27)
BROWSERS = [f"tests/widgets/{name}/test_browser.py" for name in ("bits", "graph", "image")]


def placed(file: str, name: str, browser: bool = False) -> Any:
    return item(str(ROOT / file), name, browser)


ITEMS = [
    *(placed(file, f"test_{number}", browser=True) for file in BROWSERS for number in range(2)),
    *(placed(file, "test_a_talk", browser=True) for file in EACH_DAY),
    *(placed(file, f"test_one[{number}]") for file in THIRDS for number in range(7)),
    *(placed(file, "test_all_together") for file in THIRDS),
    placed("tests/engine/test_layout.py", "test_one[2]"),
]


def test_each_has_its_turn_within_three_days() -> None:
    days = [today(ITEMS, FIRST + timedelta(days=number))[0] for number in range(3)]
    assert [one.name for one in ITEMS if not any(one in day for day in days)] == []
    assert all(len(day) < len(ITEMS) for day in days)


def test_what_is_not_long_and_what_looks_at_all_run_each_day() -> None:
    for number in range(6):
        now, later = today(ITEMS, FIRST + timedelta(days=number))
        assert {id(one) for one in now} | {id(one) for one in later} == {id(one) for one in ITEMS}
        assert all("[" in one.name or "browser" in one.path.name for one in later)
        assert {one.path.relative_to(ROOT).as_posix() for one in later} <= {*BROWSERS, *THIRDS}


def test_a_file_with_a_browser_stays_whole() -> None:
    now, later = today(ITEMS, FIRST)
    assert {one.path for one in now if one.path.name == "test_browser.py"} & {
        one.path for one in later
    } == set()


def test_the_long_files_are_there() -> None:
    assert [file for file in THIRDS | EACH_DAY if not (ROOT / file).is_file()] == []
