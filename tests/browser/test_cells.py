"""Which cells are run before a browser's test looks at one: what could tell it something is there, the rest waits."""

from __future__ import annotations

import pytest

from tests.browser.cells import Cells, names

SOURCES = [
    "%load_ext tensorkit_widgets\nimport tensorkit as tk\nfrom tensorkit_widgets import StrideExplorer, explain",
    "t = tk.arange(12.0)\nw = StrideExplorer(t, name='v')\nw",
    "v = StrideExplorer(tk.ones(2), name='t')\nv",
    "explain('t.view(-1)')",
    "%%explain\nu = v.t()",
    "StrideExplorer(tk.zeros(2))",
]


def test_names_of_code_and_of_code_in_a_string_but_no_label() -> None:
    assert names("explain('t.view(-1)', name='v')") == {"explain", "t"}
    assert names("%%explain\nu = v.t()") == {"u", "v"}
    assert names("def f(a):\n    return a + b") == {"f", "a", "b"}
    assert names("not Python at all") == names("t[") == set()


@pytest.mark.parametrize(
    ("number", "found"),
    [(1, [0, 1, 3]), (3, [0, 1, 3]), (2, [0, 2, 4]), (4, [0, 2, 4]), (5, [0, 5])],
)
def test_cells_with_a_name_in_common_are_run_together_in_their_order(number: int, found: list[int]) -> None:
    assert Cells(SOURCES, 1).group(number) == found


@pytest.mark.parametrize(
    ("code", "found"),
    [("t.fill_(1)", [0, 1, 3]), ("u.size()", [0, 2, 4]), ("1 + 1", [0]), ("tk.ones(2)", [0])],
)
def test_what_code_speaks_of_is_there_before_it(code: str, found: list[int]) -> None:
    assert Cells(SOURCES, 1).about(code) == found


def test_nothing_is_run_twice() -> None:
    cells = Cells(SOURCES, 1)
    cells.waiting -= {0, 1, 3}
    assert cells.group(1) == []
    assert cells.about("t + 1") == []
    assert cells.group(2) == [2, 4]
    assert cells.group(5) == [5]
