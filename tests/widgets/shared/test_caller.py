"""A picture calls a tensor what the learner calls it: its code can be pasted into the next cell."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import (
    BoxedMemory,
    BroadcastExplorer,
    ImageView,
    IndexExplorer,
    MatmulExplorer,
    ReductionExplorer,
    StrideExplorer,
)

at_home = tk.arange(12.0).view(3, 4)


def copied(w: StrideExplorer) -> Any:
    return next(control.value for control in w._controls() if control.role == "copy")


def test_the_copied_code_runs_where_it_was_copied() -> None:
    scores = tk.arange(12.0).view(3, 4)
    w = StrideExplorer(scores, ".t()[1:]")
    assert copied(w) == "scores.t()[1:]"
    assert eval(copied(w)).tolist() == w.result.tolist()
    assert ReductionExplorer(scores, "sum", 1).code == "scores.sum(dim=1)"
    assert IndexExplorer(scores, "1:").code == "scores[1:]"
    assert copied(StrideExplorer(at_home)) == "at_home"


def test_a_name_that_is_given_wins_and_a_tensor_without_one_keeps_the_usual() -> None:
    scores = tk.arange(12.0).view(3, 4)
    assert copied(StrideExplorer(scores, name="t")) == "t"
    assert copied(StrideExplorer(tk.ones(2))) == "t"
    assert copied(StrideExplorer(scores[1:])) == "t", "a view of it is another tensor"


def test_of_two_operands_and_of_other_pictures() -> None:
    column, row = tk.ones(3, 1), tk.ones(1, 3)
    assert BroadcastExplorer(column, row).text().startswith("BroadcastExplorer: column + row,")
    assert BroadcastExplorer(column, tk.ones(3)).text().startswith("BroadcastExplorer: column + b,")
    assert MatmulExplorer(column, row).text().startswith("MatmulExplorer: column @ row,")
    assert MatmulExplorer(column, row, names=("p", "q")).text().startswith("MatmulExplorer: p @ q,")
    photo, grades = tk.zeros(8, 8), [1.0, 2.0]
    assert "photo" in ImageView(photo).text()
    assert "sys.getsizeof(grades)" in BoxedMemory(grades).text()


@pytest.mark.parametrize("text", ["t[1:]", "t > 3", "t[[0, 1]][0] = 5"])
def test_an_index_that_says_t_means_the_tensor(text: str) -> None:
    scores = tk.arange(12.0).view(3, 4)
    w = IndexExplorer(scores, text)
    assert w.error == ""
    assert w.code.startswith("t[")


def test_names_of_the_notebook_itself_are_not_taken() -> None:
    _hidden = tk.ones(2)
    assert copied(StrideExplorer(_hidden)) == "t"
