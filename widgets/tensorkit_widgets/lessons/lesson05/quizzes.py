"""The quizzes and puzzles of lesson 05, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.checking.checks import tensor_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Puzzle, Stray

__all__ = ["PUZZLES"]


REFUSED = "view after transpose fails"
TURN = "permute vs view"
CONTIGUOUS = "what contiguous means"


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
