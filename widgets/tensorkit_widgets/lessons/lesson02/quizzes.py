"""The quizzes and puzzles of lesson 02, with what proves them."""

from __future__ import annotations

import sys
from typing import Any

from tensorkit_widgets.practice.checking.checks import tensor_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Puzzle, Question, QuizSheet, Stray


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


def _sharing(tk: Any) -> tuple[str, ...]:
    t = _twelve(tk)
    made = {"`t.t()`": t.t(), "`t[1:]`": t[1:], "`t.clone()`": t.clone(), "`t.view(-1)`": t.view(-1)}
    home = t.untyped_storage().data_ptr()
    return tuple(code for code, u in made.items() if u.untyped_storage().data_ptr() == home)


LIST = "getsizeof of a list"


SAME = "It is the same"


def _weighed(tk: Any) -> str:
    small, large = tk.zeros(3), tk.zeros(3_000_000)
    return SAME if sys.getsizeof(small) == sys.getsizeof(large) else "It is more"


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from lessons 00 and 01",
        (
            Question(
                "weigh_millions",
                "`small = tk.zeros(3)` and `large = tk.zeros(3_000_000)`. How does `sys.getsizeof(large)` compare "
                "with `sys.getsizeof(small)`?",
                SAME,
                "It weighs one Python object and follows no pointers, just as it does with a list. `large.nbytes` "
                "counts the bytes of the numbers.",
                options=(SAME, "It is about a million times as much", "It is 8 bytes more for each number"),
                slips=(
                    Slip(LIST, "It does not count the numbers.", given="It is about a million times as much"),
                    Slip(
                        LIST,
                        "A list has a pointer for each number. A tensor has none.",
                        given="It is 8 bytes more for each number",
                    ),
                ),
                proof=_weighed,
            ),
            Question(
                "wide_picture",
                "A colour picture is 640 pixels wide and 480 pixels high. What is its size as a tensor, with the "
                "channels last?",
                (480, 640, 3),
                "There are 480 rows of 640 pixels, and each pixel has three numbers.",
                slips=(
                    Slip(
                        "rows come before columns",
                        "The height, the number of rows, is first.",
                        given=(640, 480, 3),
                    ),
                    Slip("channels are a dimension", "That would be a grey picture.", given=(480, 640)),
                    Slip("channels are a dimension", "That has the channels first.", given=(3, 480, 640)),
                ),
                proof=lambda tk: tuple(tk.stack([tk.zeros(480, 640)] * 3, dim=2).size()),
            ),
            Question(
                "mixed_bytes",
                "How many bytes do the numbers of `tk.tensor([1, 2, 0.5])` take?",
                12,
                "One float makes them all floats: three `float32` numbers of four bytes each.",
                slips=(
                    Slip(
                        "one dtype for all",
                        "The integers do not stay `int64`: all three are floats.",
                        given=20,
                    ),
                    Slip("default dtype", "That would be `float64`.", given=24),
                    Slip("bytes per element", "That is how many numbers there are.", given=3),
                ),
                proof=lambda tk: tk.tensor([1, 2, 0.5]).nbytes,
            ),
        ),
        recall=True,
    ),
    QuizSheet(
        "layouts",
        "What storage, offset and stride are for",
        (
            Question(
                "which_share",
                "`t = tk.arange(12.0).view(3, 4)`. Which of these read the storage of `t`?",
                ("`t.t()`", "`t[1:]`", "`t.view(-1)`"),
                "A transpose, a slice and a view are new tensor objects on the old storage; a clone has its own.",
                options=("`t.t()`", "`t[1:]`", "`t.clone()`", "`t.view(-1)`"),
                slips=(
                    Slip(
                        "transpose moves no data", "it swaps two strides and copies nothing.", given="`t.t()`"
                    ),
                    Slip(
                        "a slice aliases its base",
                        "a slice starts further on in the same storage.",
                        given="`t[1:]`",
                    ),
                    Slip("a copy is not a view", "a clone has a storage of its own.", given="`t.clone()`"),
                    Slip("permute vs view", "a view regroups the same slots.", given="`t.view(-1)`"),
                ),
                proof=_sharing,
            ),
            Question(
                "which_slot",
                "`t` has the offset 2 and the stride (4, 1). Which slot holds `t[1, 2]`?",
                8,
                "2 + 1·4 + 2·1: the offset, one row down, two columns to the right.",
                slips=(
                    Slip("offsets count slots", "The offset of 2 counts as well.", given=6),
                    Slip("strides count slots", "An index has to be multiplied by its stride.", given=5),
                    Slip("counting from zero", "Rows, columns and slots are counted from 0.", given=9),
                ),
                proof=lambda tk: int(tk.arange(20).as_strided((3, 4), (4, 1), 2)[1, 2].item()),
            ),
            Question(
                "stride_of_slice",
                "`t = tk.arange(12.0).view(3, 4)`. What is the stride of `t[::2]`, every second row?",
                (8, 1),
                "One row further in the slice is two rows further in `t`: eight slots.",
                slips=(
                    Slip("a step multiplies the stride", "The step of 2 counts as well.", given=(4, 1)),
                    Slip("a step multiplies the stride", "The step is in dimension 0.", given=(4, 2)),
                    Slip("a size is not a stride", "That is its size.", given=(2, 4)),
                ),
                proof=lambda tk: tuple(_twelve(tk)[::2].stride()),
            ),
            Question(
                "last_column",
                "Write a line that gives the **last column** of `t`, size (3, 4), as a tensor of size (3,): a view.",
                check=tensor_check(
                    size=(3,),
                    stride=(4,),
                    offset=3,
                    shares=True,
                    slips=(
                        Slip(
                            "counting from zero",
                            "that is the column before: the last index of four is 3.",
                            offset=2,
                            size=(3,),
                            shares=True,
                        ),
                        Slip(
                            "",
                            "that is the last row, not the last column.",
                            size=(4,),
                            shares=True,
                        ),
                        Slip(
                            "",
                            "a column keeps its dimension with `3:`; a plain index takes it away.",
                            size=(3, 1),
                            shares=True,
                        ),
                    ),
                ),
                base=_twelve,
                why="The column starts in slot 3, and its numbers are four slots apart.",
                entry="t[0]",
                solution="t[:, 3]",
                right=("t[:, 3]", "[:, -1]", "t.select(1, 3)", "t.t()[3]", "t.as_strided((3,), (4,), 3)"),
                wrong=(
                    ("t[:, 2]", "counting from zero"),
                    ("t[-1]", ""),
                    ("t[:, 3:]", ""),
                    ("t[:, 3].clone()", "a copy is not a view"),
                    ("t[:, 4]", ""),
                ),
            ),
        ),
    ),
)


_ADD = "total += storage[i * stride[0] + j * stride[1]]"


_COLUMN_SUMS = f"""
def column_sums(storage, size, stride):
    sums = []
    for j in range(size[1]):
        total = 0
        for i in range(size[0]):
            {_ADD}
        sums.append(total)
    return sums
"""


PUZZLES = (
    Puzzle(
        "column_sums",
        "The sums of the columns",
        "Put together `column_sums(storage, size, stride)`, which adds up each column of a matrix with nothing but "
        "its storage and the formula for a slot.",
        _COLUMN_SUMS,
        "column_sums",
        function_check(
            Case("of a matrix of three rows", lambda: (list(range(12)), (3, 4), (4, 1)), [12, 15, 18, 21]),
            Case(
                "of the same matrix, transposed",
                lambda: (list(range(12)), (4, 3), (1, 4)),
                [6, 22, 38],
            ),
        ),
        (
            "Which loop must be the outer one, if each **column** gets one sum?",
            "`total` begins at 0 again for each column, so it is set inside the outer loop and before the inner one.",
            "`sums.append(total)` comes when a column is done: indent it one step less than the line that adds.",
        ),
        strays=(
            Stray(
                "total += storage[i * size[1] + j]",
                "strides follow the view",
                "that is right only for a matrix in storage order; the strides say how far apart the rows are.",
            ),
            Stray("total = total + storage[j * stride[1] + i * stride[0]]"),
            Stray("sums = sums + [total]"),
        ),
        slips=(
            Slip(
                "",
                "`total` has to begin at 0 for each column: set it inside the loop over `j`.",
                when=lambda answer, mine, base: (
                    answer.value.before("total = 0", "for j in range(size[1]):")
                    or answer.value.inside("total = 0", "for i in range(size[0]):")
                ),
            ),
            Slip(
                "",
                "`return` ends the function: inside a loop it ends it in the first round.",
                when=lambda answer, mine, base: answer.value.inside(
                    "return sums", "for j in range(size[1]):"
                ),
            ),
        ),
        right=(
            _COLUMN_SUMS,
            _COLUMN_SUMS.replace("sums.append(total)", "sums = sums + [total]"),
            _COLUMN_SUMS.replace(_ADD, "total = total + storage[j * stride[1] + i * stride[0]]"),
        ),
        wrong=(
            (_COLUMN_SUMS.replace(_ADD, "total += storage[i * size[1] + j]"), "strides follow the view"),
            (
                _COLUMN_SUMS.replace("        total = 0\n", "").replace(
                    "sums = []", "sums = []\n    total = 0"
                ),
                "",
            ),
            (_COLUMN_SUMS.replace("    return sums", "        return sums"), ""),
            (_COLUMN_SUMS.partition("    sums = []")[0], ""),
            (_COLUMN_SUMS.replace("        sums.append", "    sums.append"), ""),
        ),
    ),
)
