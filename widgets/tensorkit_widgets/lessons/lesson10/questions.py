"""The questions of lesson 10, with what proves them."""

from __future__ import annotations

import math
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

__all__ = ["QUESTIONS", "QUIZZES"]

SQUARE = "(N,1) against (N) gives (N,N)"


RIGHT = "sizes line up from the right"


ONES = "only a 1 is stretched"


EMPTY = "a size of 0 is a size"


GHOSTS = "broadcasting copies nothing"


TRUTH = "`if` on a tensor"


def _refused(act: Any) -> bool:
    try:
        act()
    except RuntimeError:
        return True
    return False


def _truth(tk: Any) -> str:
    a = tk.tensor([1, 2, 3])
    return "An error" if _refused(lambda: bool(a == a)) else "It prints `the same`"


def _fits(tk: Any) -> int:
    try:
        tk.ones(4, 3, 2) * tk.ones(4, 3)
    except RuntimeError as error:
        return int(str(error).rstrip(".").split()[-1])  # "… at non-singleton dimension 2"
    return -1


def _empty(tk: Any) -> str:
    a, b = tk.ones(3, 1), tk.ones(0)
    return "An error" if _refused(lambda: a * b) else f"A tensor of size {tuple((a * b).size())}"


def _asin(tk: Any) -> str:
    angle = tk.tensor(3 * math.pi / 4)
    return f"{tk.asin(tk.sin(angle)).item():.4f}"


def _copied(tk: Any) -> int:
    t = tk.arange(12).view(3, 4)
    u = t[t > 5]
    u[0] = 99
    return int(t[1, 2].item())


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "slot",
                "`t = tk.arange(12).view(3, 4)` has the stride (4, 1). In which slot of the storage lies `t[1, 2]`?",
                6,
                "0 + 1·4 + 2·1. (Lesson 02)",
                slips=(
                    Slip("strides count slots", "An index is multiplied by its stride.", given=3),
                    Slip("a size is not a stride", "One row down is four slots, not three.", given=5),
                    Slip("counting from zero", "Rows, columns and slots begin at 0.", given=7),
                ),
                proof=lambda tk: int(tk.arange(12).view(3, 4)[1, 2].item()),
            ),
            Question(
                "division",
                "Which dtype has `tk.tensor([7, 8]) / 2`?",
                "`float32`",
                "Halves are no integers, so a true division gives floats. (Lesson 04)",
                options=("`int64`", "`float32`", "`float64`"),
                slips=(
                    Slip("default dtype", "3.5 would not fit.", given="`int64`"),
                    Slip("default dtype", "That is what NumPy gives.", given="`float64`"),
                ),
                proof=lambda tk: f"`{str((tk.tensor([7, 8]) / 2).dtype).rpartition('.')[2]}`",
            ),
            Question(
                "mask_copy",
                "`t = tk.arange(12).view(3, 4)`, then `u = t[t > 5]` and `u[0] = 99`. What is `t[1, 2]` now?",
                6,
                "A mask between brackets makes a copy, so `t` never hears of the 99. (Lesson 06)",
                slips=(
                    Slip("fancy indexing copies", "`u` is a copy; a write to it is lost for `t`.", given=99),
                    Slip("counting from zero", "Row 1 is the second row: 4, 5, 6, 7.", given=5),
                ),
                proof=_copied,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "star",
        "`a = tk.tensor([[1, 2], [3, 4]])`. What number stands at `[0, 0]` of `a * a`?",
        1,
        "1 times 1: `*` multiplies the numbers that stand at the same place.",
        slips=(
            Slip(
                "`*` is not `@`", "1·1 + 2·3 is the product of *matrices*, which is written `a @ a`.", given=7
            ),
            Slip("`*` is not `@`", "That is the last place: 4 times 4.", given=16),
        ),
        proof=lambda tk: int((tk.tensor([[1, 2], [3, 4]]) * tk.tensor([[1, 2], [3, 4]]))[0, 0].item()),
    ),
    Question(
        "asin",
        "An angle of 3π/4 is 2.3562. Its sine is 0.7071. What does `asin` make of 0.7071?",
        "0.7854",
        "π/4 has the same sine. Of all the angles with that sine, `asin` gives the one between -π/2 and π/2.",
        options=("2.3562", "0.7854", "1.5708"),
        slips=(
            Slip(
                "asin knows one half",
                "`asin` sees the sine alone; it cannot know which angle it came from.",
                given="2.3562",
            ),
            Slip("asin knows one half", "That is π/2, whose sine is 1.", given="1.5708"),
        ),
        proof=_asin,
    ),
    Question(
        "truth",
        "`a = tk.tensor([1, 2, 3])`. What does `if a == a: print('the same')` do?",
        "An error",
        "`a == a` is three answers, True, True, True. `if` wants one, and does not choose for you.",
        options=("It prints `the same`", "It prints nothing", "An error"),
        slips=(
            Slip(TRUTH, "`a == a` is not one True: it is three.", given="It prints `the same`"),
            Slip(TRUTH, "Nothing is decided silently.", given="It prints nothing"),
        ),
        proof=_truth,
    ),
    Question(
        "both_stretch",
        "`A` is a column of size (4, 1), `B` a row of size (1, 5). Which size has `A + B`?",
        (4, 5),
        "In the last dimension 1 meets 5, in the first 4 meets 1. Each 1 is stretched to what it meets.",
        slips=(
            Slip(ONES, "Sizes are not added: each 1 is stretched to the number that it meets.", given=(5, 6)),
            Slip(ONES, "Both are stretched, the column to the right and the row downwards.", given=(4, 1)),
            Slip(ONES, "Both are stretched, the column to the right and the row downwards.", given=(1, 5)),
            Slip("rows come before columns", "Four rows, five columns.", given=(5, 4)),
        ),
        proof=lambda tk: tuple((tk.ones(4, 1) + tk.ones(1, 5)).size()),
    ),
    Question(
        "ghosts",
        "`B` has the size (1, 5) and the stride (5, 1). `tk.broadcast_to(B, (4, 5))` is `B`, stretched to four rows. "
        "What is the stride of *that*?",
        (0, 1),
        "One row down is **no** slot further: all four rows are read from the same five slots.",
        slips=(
            Slip(GHOSTS, "That is a real table of four rows, with 20 slots. `B` has five.", given=(5, 1)),
            Slip(
                GHOSTS,
                "One row down has to stay at the same slot, a column to the right moves on.",
                given=(1, 0),
            ),
            Slip("a size is not a stride", "That is the size.", given=(4, 5)),
            Slip(GHOSTS, "A column to the right is still one slot further.", given=(0, 0)),
        ),
        proof=lambda tk: tuple(tk.broadcast_to(tk.ones(1, 5), (4, 5)).stride()),
    ),
    Question(
        "fits",
        "`tk.ones(4, 3, 2) * tk.rand(4, 3)` is refused. Which dimension of the first one is to blame? (Its number.)",
        2,
        "Written from the right, 2 meets 3. Neither is 1, so nothing is stretched. That 4 and 3 would fit from the "
        "left does not count.",
        slips=(
            Slip(
                RIGHT,
                "From the right, the 3 of the first meets the 4 of the other, but 2 and 3 meet before.",
                given=1,
            ),
            Slip(RIGHT, "Sizes are compared from the **end**: dimension 0 has nothing to meet.", given=0),
        ),
        proof=_fits,
    ),
    Question(
        "empty",
        "`tk.rand(0)` has no elements at all. What is `tk.ones(3, 1) * tk.rand(0)`?",
        "A tensor of size (3, 0)",
        "1 meets 0, and the 1 becomes a 0: three rows of no numbers. There is nothing special about an empty tensor.",
        options=("A tensor of size (3, 0)", "A tensor of size (3, 1)", "An error"),
        slips=(
            Slip(EMPTY, "The 1 becomes what it meets, and that is a 0.", given="A tensor of size (3, 1)"),
            Slip(EMPTY, "So it has been taught; but 1 meets 0, and a 1 fits everything.", given="An error"),
        ),
        proof=_empty,
    ),
    Question(
        "column_row",
        "A network gives a column, `prediction`, of size (4, 1). The right numbers are in `target`, of size (4,). "
        "Which size has `prediction - target`?",
        (4, 4),
        "Written from the right, 1 meets 4 and is stretched; and where `target` has nothing, 4 meets 1. "
        "Every number meets every other: 16 differences instead of 4.",
        slips=(
            Slip(SQUARE, "So one would like it. But the 1 at the end of (4, 1) meets the 4.", given=(4,)),
            Slip(SQUARE, "The 1 at the end of (4, 1) meets the 4, and is stretched.", given=(4, 1)),
            Slip(SQUARE, "It is laid out in two dimensions.", given=(16,)),
        ),
        proof=lambda tk: tuple((tk.ones(4, 1) - tk.ones(4)).size()),
    ),
)
