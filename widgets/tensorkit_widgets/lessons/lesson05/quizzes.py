"""The quizzes and puzzles of lesson 05, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.checking.checks import tensor_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Puzzle, Question, QuizSheet, Stray

__all__ = ["PUZZLES", "QUIZZES"]


REFUSED = "view after transpose fails"
TURN = "permute vs view"
CONTIGUOUS = "what contiguous means"


SIZE_1 = "strides of size-1 dimensions"


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


def _one_sound(tk: Any) -> str:
    sound = tk.arange(30).as_strided((1, 10), (3, 1))
    return "0, 1, 2, 3, and so on" if sound[0].tolist() == list(range(10)) else "0, 3, 6, 9, and so on"


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
                "one_sound",
                "A batch of one short sound has the size (1, 10), the offset 0 and, for some reason, the stride (3, "
                "1). Which slots does it read?",
                "0, 1, 2, 3, and so on",
                "A walk never steps along a dimension of size 1, so it does not matter what its stride is. (Lesson "
                "03)",
                options=("0, 1, 2, 3, and so on", "0, 3, 6, 9, and so on", "3, 4, 5, 6, and so on"),
                slips=(
                    Slip(
                        SIZE_1, "The 3 is the step from one sound to the next.", given="0, 3, 6, 9, and so on"
                    ),
                    Slip(SIZE_1, "The offset says where it begins.", given="3, 4, 5, 6, and so on"),
                ),
                proof=_one_sound,
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
