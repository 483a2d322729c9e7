"""The quizzes and puzzles of lesson 05, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.checking.checks import tensor_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Puzzle, Question, QuizSheet, Stray

REFUSED = "view after transpose fails"
TURN = "permute vs view"
CONTIGUOUS = "what contiguous means"


MINUS = "what -1 means in view"


def _noon(tk: Any) -> str:
    hours = tk.ones(7, 24)
    hours[:, 12].fill_(0)
    return (
        "Its column 12 is all zeros" if hours[0, 12].item() == 0 else "Nothing: `noon` has numbers of its own"
    )


def _portions(tk: Any) -> str:
    table = tk.arange(15).view(3, 5)
    days, patients = "Days 0, 1 and 2 of patient 0", "Day 0 of patients 0, 1 and 2"
    return days if table.view(5, 3)[0].tolist() == [0, 1, 2] else patients


def _start(tk: Any) -> dict[str, Any]:
    return {"t": tk.arange(10)}


_BY_COLUMNS = """
table = t.view(2, 5)
turned = table.t()
packed = turned.contiguous()
flat = packed.view(-1)
"""


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "noon",
                "`hours` is a table of temperatures, 7 days by 24 hours. You write `noon = hours[:, 12]`, and then "
                "`noon.fill_(0)`. What happens to `hours`?",
                "Its column 12 is all zeros",
                "A slice is a new tensor object on the old storage. (Lesson 02)",
                options=("Its column 12 is all zeros", "Nothing: `noon` has numbers of its own"),
                slips=(
                    Slip(
                        "a slice aliases its base",
                        "No number was copied: both read one storage.",
                        given="Nothing: `noon` has numbers of its own",
                    ),
                ),
                proof=_noon,
            ),
            Question(
                "portions",
                "`table` holds a value for each of 3 patients (its rows) on each of 5 days (its columns). What is "
                "in row 0 of `table.view(5, 3)`?",
                "Days 0, 1 and 2 of patient 0",
                "`view` only divides the row differently. `table.t()` would give you day 0 of everybody. (Lesson 03)",
                options=("Day 0 of patients 0, 1 and 2", "Days 0, 1 and 2 of patient 0"),
                slips=(
                    Slip(
                        TURN,
                        "That is row 0 of `table.t()`. `view` reorders nothing.",
                        given="Day 0 of patients 0, 1 and 2",
                    ),
                ),
                proof=_portions,
            ),
            Question(
                "rain",
                "`rain` has a number for each month of ten years: size (120,). You want it by years, quarters and "
                "months. What size is `rain.view(-1, 4, 3)`?",
                (10, 4, 3),
                "4 quarters of 3 months make 12, and 120 / 12 leaves 10 for the -1. (Lesson 04)",
                slips=(
                    Slip(
                        MINUS, "30 quarters are all 120 months; but the 3 is there as well.", given=(30, 4, 3)
                    ),
                    Slip(MINUS, "You divided by 3 only; but the 4 is there as well.", given=(40, 4, 3)),
                    Slip(MINUS, "-1 is not a size: it is worked out from the others.", given=(-1, 4, 3)),
                    Slip(MINUS, "That has room for 1440 numbers, and there are 120.", given=(120, 4, 3)),
                ),
                proof=lambda tk: tuple(tk.zeros(120).view(-1, 4, 3).size()),
            ),
        ),
        recall=True,
    ),
)


PUZZLES = (
    Puzzle(
        "by_columns",
        "Column after column",
        "`t = tk.arange(10)` is one row of ten numbers. Read it as a table of **two rows of five**, and make "
        "`flat`: the numbers of that table in one row, **column after column**: 0, 5, 1, 6, and so on.",
        _BY_COLUMNS,
        "flat",
        tensor_check(
            size=(10,),
            values=(0, 5, 1, 6, 2, 7, 3, 8, 4, 9),
        ),
        (
            "First make the table, then turn it so that its columns are rows.",
            "After that no single stride can walk the row. Which call makes a tensor that can be walked?",
            "`contiguous()` has to come **after** the turn, and `view(-1)` after that.",
        ),
        strays=(
            Stray("flat = turned.view(-1)", REFUSED, "a turned table cannot be walked with one stride."),
            Stray(
                "packed = table.contiguous()",
                CONTIGUOUS,
                "`table` is contiguous already, so you get it back as it was. Make the turned table contiguous.",
            ),
            Stray(
                "turned = table.view(5, 2)",
                TURN,
                "`view` reorders nothing; it only breaks the row in other places.",
            ),
            Stray("turned = table.transpose(0, 1)"),
            Stray("flat = turned.reshape(-1)"),
        ),
        slips=(
            Slip(
                CONTIGUOUS,
                "`contiguous()` returns another tensor. Make the row from that one, `packed`.",
                when=lambda answer, mine, base: answer.value.uses(
                    "packed = turned.contiguous()", "flat = turned.view(-1)"
                ),
            ),
        ),
        setup=_start,
        right=(
            _BY_COLUMNS.strip(),
            _BY_COLUMNS.strip().replace("table.t()", "table.transpose(0, 1)"),
            "table = t.view(2, 5)\nturned = table.t()\nflat = turned.reshape(-1)",
            "table = t.view(2, 5)\nturned = table.transpose(0, 1)\nflat = turned.reshape(-1)",
        ),
        wrong=(
            ("table = t.view(2, 5)\nturned = table.t()\nflat = turned.view(-1)", REFUSED),
            (_BY_COLUMNS.strip().replace("packed.view", "turned.view"), CONTIGUOUS),
            (_BY_COLUMNS.strip().replace("turned.contiguous", "table.contiguous"), CONTIGUOUS),
            (_BY_COLUMNS.strip().replace("table.t()", "table.view(5, 2)"), TURN),
            ("table = t.view(2, 5)\nturned = table.t()\npacked = turned.contiguous()", ""),
        ),
    ),
)
