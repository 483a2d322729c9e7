"""The quiz and the puzzle of lesson 03, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.checking.checks import tensor_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Puzzle, Question, QuizSheet, Stray

__all__ = ["PUZZLES", "QUIZZES"]

REFUSED = "view after transpose fails"
TURN = "permute vs view"
CONTIGUOUS = "what contiguous means"
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


def _start(tk: Any) -> dict[str, Any]:
    return {"t": tk.arange(12)}


_BY_COLUMNS = """
table = t.view(3, 4)
turned = table.t()
packed = turned.contiguous()
flat = packed.view(-1)
"""

PUZZLES = (
    Puzzle(
        "by_columns",
        "Column after column",
        "`t = tk.arange(12)` is one row of twelve numbers. Read it as a table of **three rows of four**, and make "
        "`flat`: the numbers of that table in one row, **column after column**: 0, 4, 8, 1, 5, 9, and so on.",
        _BY_COLUMNS,
        "flat",
        tensor_check(
            size=(12,),
            values=(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11),
        ),
        (
            "First the table, then turn it so that its columns are rows.",
            "After the turn no single stride can walk the row that is wanted. What makes a tensor that can be walked?",
            "`contiguous()` has to come **after** the turn, and `view(-1)` after that.",
        ),
        strays=(
            Stray("flat = turned.view(-1)", REFUSED, "a turned table cannot be walked with one stride."),
            Stray(
                "packed = table.contiguous()",
                CONTIGUOUS,
                "`table` is contiguous as it is, so you get it back. Pack what was turned.",
            ),
            Stray(
                "turned = table.view(4, 3)",
                TURN,
                "`view` reorders nothing, it only breaks the row elsewhere.",
            ),
            Stray("turned = table.transpose(0, 1)"),
            Stray("flat = turned.reshape(-1)"),
        ),
        slips=(
            Slip(
                CONTIGUOUS,
                "`contiguous()` gives back another tensor. The row has to be made of that one, `packed`.",
                when=lambda answer, mine, base: answer.value.uses(
                    "packed = turned.contiguous()", "flat = turned.view(-1)"
                ),
            ),
        ),
        setup=_start,
        right=(
            _BY_COLUMNS.strip(),
            _BY_COLUMNS.strip().replace("table.t()", "table.transpose(0, 1)"),
            "table = t.view(3, 4)\nturned = table.t()\nflat = turned.reshape(-1)",
            "table = t.view(3, 4)\nturned = table.transpose(0, 1)\nflat = turned.reshape(-1)",
        ),
        wrong=(
            ("table = t.view(3, 4)\nturned = table.t()\nflat = turned.view(-1)", REFUSED),
            (_BY_COLUMNS.strip().replace("packed.view", "turned.view"), CONTIGUOUS),
            (_BY_COLUMNS.strip().replace("turned.contiguous", "table.contiguous"), CONTIGUOUS),
            (_BY_COLUMNS.strip().replace("table.t()", "table.view(4, 3)"), TURN),
            ("table = t.view(3, 4)\nturned = table.t()\npacked = turned.contiguous()", ""),
        ),
    ),
)
