"""How `make test` deals the tests out: the browser's files first and whole, the longest next."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

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
