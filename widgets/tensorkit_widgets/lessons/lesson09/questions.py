"""The questions of lesson 09, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

__all__ = ["QUESTIONS", "QUIZZES"]

AWAY = "an index takes its dimension away"


COPIES = "fancy indexing copies"


PAIRS = "two lists are pairs"


ALIAS = "a slice aliases its base"


ZERO = "counting from zero"


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


def _alias(tk: Any) -> str:
    x = _twelve(tk)
    row = x[1]
    row[0] = 50.0
    return "`x[1, 0]` becomes `50.` as well" if x[1, 0].item() == 50.0 else "Nothing: `row` is a new tensor"


def _lost(tk: Any) -> str:
    t = _twelve(tk)
    t[[0, 1]][0] = 5.0
    return "Nothing at all" if t.tolist() == _twelve(tk).tolist() else "Row 0 becomes all fives"


def _written(tk: Any) -> str:
    t = _twelve(tk)
    t[[0, 1], 0] = 5.0
    return "`t[0, 0]` and `t[1, 0]` become `5.`" if t[:, 0].tolist() == [5.0, 5.0, 8.0] else "Nothing at all"


def _step(tk: Any) -> str:
    try:
        tk.arange(5)[::-1]
    except ValueError:
        return "An error"
    return "The numbers backwards"


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "slice",
                "`t = tk.arange(12.0).view(3, 4)`, stride (4, 1). What is the stride of `t[::2]`, every second row?",
                (8, 1),
                "One row further in the slice is two rows further in `t`: eight slots. (Lesson 02)",
                slips=(
                    Slip("a step multiplies the stride", "The step of 2 counts as well.", given=(4, 1)),
                    Slip("a step multiplies the stride", "The step is in dimension 0.", given=(4, 2)),
                ),
                proof=lambda tk: tuple(_twelve(tk)[::2].stride()),
            ),
            Question(
                "view",
                "Which of these makes new numbers in a storage of its own?",
                "`t.clone()`",
                "A transpose and a view are new tensor objects on the old storage. (Lesson 03)",
                options=("`t.t()`", "`t.view(-1)`", "`t.clone()`"),
                slips=(
                    Slip(
                        "transpose moves no data", "It swaps two strides and copies nothing.", given="`t.t()`"
                    ),
                    Slip("permute vs view", "It regroups the same slots.", given="`t.view(-1)`"),
                ),
                proof=lambda tk: next(
                    code
                    for code, make in (("`t.t()`", "t"), ("`t.view(-1)`", "ravel"), ("`t.clone()`", "clone"))
                    if getattr(t := _twelve(tk), make)().untyped_storage().data_ptr()
                    != t.untyped_storage().data_ptr()
                ),
            ),
            Question(
                "bool",
                "Which dtype has `tk.arange(3.0) > 1`?",
                "`bool`",
                "A comparison answers with True or False for each element. (Lesson 04)",
                options=("`float32`", "`int64`", "`bool`"),
                slips=(
                    Slip(
                        "default dtype",
                        "What is compared is float; the answer is yes or no.",
                        given="`float32`",
                    ),
                    Slip(
                        "True counts as 1",
                        "True and False are no numbers here, although they can be counted.",
                        given="`int64`",
                    ),
                ),
                proof=lambda tk: f"`{str((tk.arange(3.0) > 1).dtype).rpartition('.')[2]}`",
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "number_or_slice",
        "`x` has the size (3, 4). Which size has `x[-1]`, its last row?",
        (4,),
        "A whole number takes its dimension away. `x[-1:]` would keep it, one long: (1, 4).",
        slips=(
            Slip(AWAY, "That is the size of `x[-1:]`, a slice of length 1.", given=(1, 4)),
            Slip(AWAY, "That would be a column.", given=(3,)),
            Slip(AWAY, "Only dimension 0 is named, and it goes.", given=(3, 4)),
        ),
        proof=lambda tk: tuple(_twelve(tk)[-1].size()),
    ),
    Question(
        "step",
        "`x = tk.arange(12.0).view(3, 4)`. Which numbers does `x[0:3:2]` keep? Press them, or type them.",
        (0, 1, 2, 3, 8, 9, 10, 11),
        "Rows 0 and 2: the start is in, the end is not, and every second one is taken.",
        slips=(
            Slip(ZERO, "Row 1 is stepped over.", given=tuple(range(12))),
            Slip(ZERO, "Row 0 counts as well.", given=(8, 9, 10, 11)),
            Slip(ZERO, "Row 2 counts as well: it comes before the end, which is 3.", given=(0, 1, 2, 3)),
            Slip(ZERO, "Row 0 is where it starts: the first row has the number 0.", given=(4, 5, 6, 7)),
        ),
        proof=lambda tk: tuple(int(number) for row in _twelve(tk)[0:3:2].tolist() for number in row),
        picture=_twelve,
        pick="cells",
    ),
    Question(
        "backwards",
        "Python lists can be turned round by `[::-1]`. What does `tk.arange(5)[::-1]` give?",
        "An error",
        "PyTorch has no negative steps; `flip` makes a turned copy. (NumPy has them.)",
        options=("The numbers backwards", "The last number", "An error"),
        slips=(
            Slip(
                "strides count slots",
                "A stride of a tensor is never negative here.",
                given="The numbers backwards",
            ),
            Slip(AWAY, "`[-1]` does that.", given="The last number"),
        ),
        proof=_step,
    ),
    Question(
        "alias",
        "`row = x[1]`, then `row[0] = 50.0`. What happens to `x`?",
        "`x[1, 0]` becomes `50.` as well",
        "A number or a slice between brackets makes a view: `row` reads the storage of `x`.",
        options=(
            "Nothing: `row` is a new tensor",
            "`x[1, 0]` becomes `50.` as well",
            "`x[0, 1]` becomes `50.` as well",
        ),
        slips=(
            Slip(
                ALIAS,
                "It is a new tensor object, on the old storage.",
                given="Nothing: `row` is a new tensor",
            ),
            Slip(
                ZERO, "`row` is row 1; its number 0 is in column 0.", given="`x[0, 1]` becomes `50.` as well"
            ),
        ),
        proof=_alias,
    ),
    Question(
        "list_size",
        "Which size has `t[1:, [0, 2, 2]]`, if `t` has the size (3, 4)?",
        (2, 3),
        "Two rows, and of each the columns 0, 2 and 2: a list may repeat.",
        slips=(
            Slip(COPIES, "A list takes a number as often as it names it.", given=(2, 2)),
            Slip(ZERO, "`1:` leaves out row 0.", given=(3, 3)),
            Slip(PAIRS, "There is one list only, and a slice.", given=(3,)),
        ),
        proof=lambda tk: tuple(_twelve(tk)[1:, [0, 2, 2]].size()),
    ),
    Question(
        "pairs",
        "And `t[[0, 1], [1, 2]]`, with **two** lists?",
        (2,),
        "Two lists walk together, like zip: `t[0, 1]` and `t[1, 2]`.",
        slips=(
            Slip(PAIRS, "That would be a block. Two lists choose pairs.", given=(2, 2)),
            Slip(PAIRS, "There are two pairs, not four.", given=(4,)),
        ),
        proof=lambda tk: tuple(_twelve(tk)[[0, 1], [1, 2]].size()),
    ),
    Question(
        "lost",
        "`t[[0, 1]][0] = 5.0`: what does this line do to `t`?",
        "Nothing at all",
        "`t[[0, 1]]` makes a copy; the 5 is written into row 0 of that copy, and nobody keeps it.",
        options=("Row 0 becomes all fives", "Rows 0 and 1 become all fives", "Nothing at all"),
        slips=(
            Slip(COPIES, "So it would be with a slice, `t[:2][0] = 5.0`.", given="Row 0 becomes all fives"),
            Slip(
                COPIES,
                "So `t[[0, 1]] = 5.0` does it, with one pair of brackets.",
                given="Rows 0 and 1 become all fives",
            ),
        ),
        proof=_lost,
    ),
    Question(
        "one_bracket",
        "And `t[[0, 1], 0] = 5.0`, with **one** pair of brackets?",
        "`t[0, 0]` and `t[1, 0]` become `5.`",
        "On the left of `=`, one pair of brackets says where to write. Nothing is copied first.",
        options=("Nothing at all", "`t[0, 0]` and `t[1, 0]` become `5.`", "An error"),
        slips=(
            Slip(COPIES, "There is no second pair of brackets, so there is no copy.", given="Nothing at all"),
            Slip(COPIES, "One may write through a list.", given="An error"),
        ),
        proof=_written,
    ),
    Question(
        "mask_size",
        "`t = tk.arange(12.0).view(3, 4)`. Which size has `t[t > 3]`?",
        (8,),
        "Eight numbers are larger than 3. They need not form a rectangle, so they come in one row.",
        slips=(
            Slip("True counts as 1", "3 itself is not larger than 3.", given=(9,)),
            Slip("True counts as 1", "Only the chosen ones come.", given=(3, 4)),
            Slip(
                "True counts as 1",
                "They happen to be two full rows; a mask does not know that.",
                given=(2, 4),
            ),
        ),
        proof=lambda tk: tuple(_twelve(tk)[_twelve(tk) > 3].size()),
    ),
)
