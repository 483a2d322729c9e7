"""The quizzes and puzzles of lesson 04, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

__all__ = ["QUIZZES"]

SHARES = "Yes: both read the same storage"


OWN = "No: `u` is a tensor of its own"


def _sliced(tk: Any) -> str:
    t = tk.ones(3)
    t[1:][0] = 0
    return SHARES if t[1].item() == 0 else OWN


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from lesson 02",
        (
            Question(
                "slot",
                "`t` has the offset 2 and the stride (5, 1). In which slot of the storage lies `t[1, 3]`?",
                10,
                "2 + 1·5 + 3·1: the offset, one row down, three columns to the right.",
                slips=(
                    Slip("offsets count slots", "The offset of 2 counts as well.", given=8),
                    Slip("strides count slots", "An index has to be multiplied by its stride.", given=6),
                    Slip("counting from zero", "Rows, columns and slots are counted from 0.", given=11),
                ),
                proof=lambda tk: int(tk.arange(20).as_strided((3, 4), (5, 1), 2)[1, 3].item()),
            ),
            Question(
                "transpose",
                "`x = tk.arange(12).view(3, 4)` has the stride (4, 1). What is the stride of `x.t()`?",
                (1, 4),
                "A transpose swaps the two sizes and the two strides, and moves nothing.",
                slips=(
                    Slip(
                        "strides follow the view",
                        "A fresh tensor of size (4, 3) would have that.",
                        given=(3, 1),
                    ),
                    Slip("transpose moves no data", "Size and stride swap together.", given=(4, 1)),
                    Slip("a size is not a stride", "That is its size.", given=(4, 3)),
                ),
                proof=lambda tk: tuple(tk.arange(12).view(3, 4).t().stride()),
            ),
            Question(
                "alias",
                "`u = t[1:]`, then `u[0] = 0`. Does `t` change?",
                SHARES,
                "A slice is a new tensor object on the old storage; a write to one shows in the other.",
                options=(SHARES, OWN),
                slips=(
                    Slip(
                        "a slice aliases its base",
                        "It is an object of its own, on the same storage.",
                        given=OWN,
                    ),
                ),
                proof=_sliced,
            ),
        ),
        recall=True,
    ),
)
