"""The questions of lesson 10, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

SQUARE = "(N,1) against (N) gives (N,N)"


RIGHT = "sizes line up from the right"


ONES = "only a 1 is stretched"


GHOSTS = "broadcasting copies nothing"


TRUTH = "`if` on a tensor"


BLOCKS = "randn works in blocks"


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


def _ghost(tk: Any) -> int:
    wide = tk.broadcast_to(tk.arange(20)[:5].view(1, 5), (4, 5))
    return int(wide[3, 2].item())


def _never_used(tk: Any) -> str:
    y = tk.arange(15).view(5, 3).unsqueeze(1)
    changed = {"The first": (0, 3, 1), "The second": (3, 0, 1), "The third": (3, 3, 0)}
    (unused,) = (name for name, stride in changed.items() if y.as_strided(y.size(), stride).equal(y))
    return unused


def _first_weights(tk: Any) -> str:
    ways = {
        "`tk.randn(4, 5)`": lambda: tk.randn(4, 5),
        "`tk.randn(10)`, twice": lambda: tk.cat([tk.randn(10) for _ in range(2)]),
        "`tk.randn(1)`, 20 times": lambda: tk.cat([tk.randn(1) for _ in range(20)]),
    }
    tk.manual_seed(5)
    weights = tk.randn(20)
    same = []
    for name, draw in ways.items():
        tk.manual_seed(5)
        if draw().view(-1).equal(weights):
            same.append(name)
    return ", ".join(same)


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "brighter",
                "A grey photo is `uint8`, and one of its pixels is 180. You make the photo brighter with `photo + 90`. "
                "What is that pixel now?",
                14,
                "180 + 90 = 270, and `uint8` ends at 255: after 255 it begins again at 0, so 270 is 14. (Lesson 06)",
                slips=(
                    Slip("integers wrap", "`uint8` cannot hold more than 255.", given=270),
                    Slip("integers wrap", "It does not stop at the end; it begins again at 0.", given=255),
                    Slip("integers wrap", "After 255 comes 0, not 1: take 256 away from 270.", given=15),
                    Slip("integers wrap", "After 255 comes 0: there are no negative numbers.", given=-14),
                ),
                proof=lambda tk: int((tk.tensor([180], dtype=tk.uint8) + 90).item()),
            ),
            Question(
                "never_used",
                "`x` holds five readings of three sensors: size (5, 3). Now `y = x.unsqueeze(1)`. Which of the three "
                "strides of `y` is never used?",
                "The second",
                "The size is (5, 1, 3): the new 1 is at place 1, and no step is ever taken along a dimension of size "
                "1. (Lessons 03 and 04)",
                options=("The first", "The second", "The third", "None of them"),
                order="given",
                slips=(
                    Slip(
                        "unsqueeze",
                        "That would be so after `unsqueeze(0)`: places are counted from 0.",
                        given="The first",
                    ),
                    Slip(
                        "unsqueeze",
                        "That would be so after `unsqueeze(2)`: places are counted from 0.",
                        given="The third",
                    ),
                    Slip(
                        "strides of size-1 dimensions",
                        "The new dimension has the size 1. Its only index is 0, and 0 times any stride is 0.",
                        given="None of them",
                    ),
                ),
                proof=_never_used,
            ),
            Question(
                "first_weights",
                "A model begins with twenty random weights: `tk.randn(20)`, after a seed. Which of these gives "
                "the same twenty numbers after the same seed?",
                "`tk.randn(4, 5)`",
                "The size does not change which numbers are drawn. But fewer than 16 are made in pairs, and twenty in "
                "blocks of 16. (Lesson 08)",
                options=("`tk.randn(4, 5)`", "`tk.randn(10)`, twice", "`tk.randn(1)`, 20 times"),
                slips=(
                    Slip(
                        BLOCKS,
                        "That is true of `rand`. Ten normal numbers are made in pairs, twenty in blocks of 16.",
                        given="`tk.randn(10)`, twice",
                    ),
                    Slip(
                        BLOCKS,
                        "That is true of `rand`. A normal number alone is computed in another way than in a block.",
                        given="`tk.randn(1)`, 20 times",
                    ),
                ),
                proof=_first_weights,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "star",
        "`a = tk.tensor([[1, 2], [3, 4]])`. Which number is at `[0, 0]` in `a * a`?",
        1,
        "It is 1 times 1: `*` multiplies the numbers that are in the same place.",
        slips=(
            Slip(
                "`*` is not `@`", "1·1 + 2·3 is the product of *matrices*, which is written `a @ a`.", given=7
            ),
            Slip("`*` is not `@`", "That is the last place: 4 times 4.", given=16),
            Slip("`*` is not `@`", "That adds up all four squares.", given=30),
            Slip("counting from zero", "That is at `[0, 1]`: 2 times 2.", given=4),
            Slip("`*` is not `@`", "That is 1 + 1; `*` multiplies.", given=2),
        ),
        proof=lambda tk: int((tk.tensor([[1, 2], [3, 4]]) * tk.tensor([[1, 2], [3, 4]]))[0, 0].item()),
    ),
    Question(
        "truth",
        "`a = tk.tensor([1, 2, 3])`. What does `if a == a: print('the same')` do?",
        "An error",
        "`a == a` gives three answers: True, True and True. `if` needs one, and does not choose for you.",
        options=("It prints `the same`", "It prints nothing", "An error"),
        slips=(
            Slip(TRUTH, "`a == a` is not one True: it is three.", given="It prints `the same`"),
            Slip(TRUTH, "`if` does not decide silently which answer it takes.", given="It prints nothing"),
        ),
        proof=_truth,
    ),
    Question(
        "both_stretch",
        "`A` is a column of size (4, 1), `B` a row of size (1, 5). What size is `A + B`?",
        (4, 5),
        "In the last dimension 1 meets 5, in the first 4 meets 1. Each 1 is stretched to what it meets.",
        slips=(
            Slip(ONES, "Sizes are not added: each 1 is stretched to the number that it meets.", given=(5, 6)),
            Slip(ONES, "Both are stretched, the column to the right and the row downwards.", given=(4, 1)),
            Slip(ONES, "Both are stretched, the column to the right and the row downwards.", given=(1, 5)),
            Slip(ONES, "It is laid out in two dimensions, four rows of five.", given=(20,)),
            Slip(ONES, "Every dimension is kept: it is laid out as four rows of five.", given=(4, 1, 1, 5)),
            Slip("rows come before columns", "Four rows, five columns.", given=(5, 4)),
        ),
        proof=lambda tk: tuple((tk.ones(4, 1) + tk.ones(1, 5)).size()),
    ),
    Question(
        "ghosts",
        "The storage in the picture has twenty slots, and `B`, size (1, 5), reads the first five of them. "
        "`wide = tk.broadcast_to(B, (4, 5))` is `B`, stretched to four rows. Which slot does `wide[3, 2]` read? Press "
        "it, or type its number.",
        2,
        "The same slot as `B[0, 2]`. One row down, you are **no** slot further: all four rows are read from the "
        "same five slots.",
        slips=(
            Slip(
                GHOSTS,
                "That is where it would be if the four rows had been written out, 3·5 + 2. `B` has only five slots.",
                given=17,
            ),
            Slip(GHOSTS, "A row down is no step at all; only the column counts.", given=5),
            Slip("counting from zero", "Column 2 is the third one, and the first slot is slot 0.", given=3),
            Slip("counting from zero", "Column 2 is two steps to the right of column 0.", given=1),
            Slip(GHOSTS, "A column to the right is still one slot further.", given=0),
        ),
        proof=_ghost,
        picture=lambda tk: tk.arange(20),
        pick="slot",
    ),
    Question(
        "fits",
        "`tk.ones(4, 3, 2) * tk.rand(4, 3)` is refused. The picture shows the size of the first tensor. Which of "
        "its dimensions does the error message name? Press it, or type the number of the dimension.",
        2,
        "Written from the right, 2 meets 3. Neither is 1, so nothing is stretched. That 4 and 3 would fit from the "
        "left does not count.",
        slips=(
            Slip(
                RIGHT,
                "The 3 meets the 4, and they do not fit either. But from the right, 2 meets 3 first.",
                given=1,
            ),
            Slip(
                RIGHT,
                "Sizes are compared from the **end**, and dimension 0 is beyond the two sizes of the other "
                "tensor.",
                given=0,
            ),
            Slip("counting from zero", "There are three dimensions, counted from 0: 0, 1 and 2.", given=3),
            Slip(
                "counting from zero",
                "Counted from the end it is -1; but the message counts from the front, where it is 2.",
                given=-1,
            ),
        ),
        proof=_fits,
        picture=lambda tk: tk.tensor([4, 3, 2]),
        pick="slot",
    ),
    Question(
        "column_row",
        "A network gives a column, `prediction`, of size (4, 1). The right numbers are in `target`, which has the "
        "size (4,). "
        "What size is `prediction - target`?",
        (4, 4),
        "Written from the right, 1 meets 4 and is stretched; and where `target` has nothing, 4 meets 1. "
        "Every number meets every other: 16 differences instead of 4.",
        slips=(
            Slip(
                SQUARE,
                "That is the size that you would like. But the 1 at the end of (4, 1) meets the 4.",
                given=(4,),
            ),
            Slip(SQUARE, "The 1 at the end of (4, 1) meets the 4, and is stretched.", given=(4, 1)),
            Slip(SQUARE, "`target` is a row, and the column is stretched to it.", given=(1, 4)),
            Slip(SQUARE, "It is laid out in two dimensions.", given=(16,)),
            Slip(SQUARE, "Both have 4, and a 1 is stretched: nothing is refused.", given=(0,)),
        ),
        proof=lambda tk: tuple((tk.ones(4, 1) - tk.ones(4)).size()),
    ),
)
