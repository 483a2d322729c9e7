"""The questions of lesson 11, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

DIM = "`dim=` in a reduction"


KEEP = "keepdim leaves a 1"


SQUARE = "(N,1) against (N) gives (N,N)"


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


def _refused(act: Any) -> bool:
    try:
        act()
    except RuntimeError:
        return True
    return False


def _centre(tk: Any) -> str:
    t = _twelve(tk)
    return "An error" if _refused(lambda: t - t.mean(dim=1)) else "Every number less the mean of its row"


def _square(tk: Any) -> str:
    m = tk.tensor([[1.0, 2.0, 6.0], [0.0, 3.0, 9.0], [5.0, 5.0, 5.0]])
    same = (m - m.mean(dim=1)).tolist() == (m - m.mean(dim=1, keepdim=True)).tolist()
    return "Every number less the mean of its row" if same else "Something else, and no warning"


def _brightness(tk: Any) -> str:
    photo = tk.zeros(2, 2, 3, dtype=tk.uint8)
    return "An error" if _refused(photo.mean) else "Its brightness, as a float"


def _marked(tk: Any) -> int:
    board = tk.zeros(5, 6)
    board[[0, 2, 4], [1, 3, 5]] = 1.0
    return int(board.sum().item())


def _over_two(tk: Any) -> tuple[int, ...]:
    """The elements that change `t.sum((0, 2))[1]` when they are raised by one."""
    t = tk.arange(24.0).view(2, 3, 4)
    before = t.sum((0, 2))[1].item()
    made = []
    for number in range(24):
        raised = t.clone()
        raised.view(-1)[number] += 1
        if raised.sum((0, 2))[1].item() != before:
            made.append(number)
    return tuple(made)


def _down(tk: Any) -> tuple[int, ...]:
    """The elements that change `t.sum(dim=0)[0]` when they are raised by one."""
    before = _twelve(tk).sum(dim=0)[0].item()
    made = []
    for number in range(12):
        raised = _twelve(tk)
        raised.view(-1)[number] += 1
        if raised.sum(dim=0)[0].item() != before:
            made.append(number)
    return tuple(made)


def _two(tk: Any) -> str:
    found = _twelve(tk).max(dim=1)
    return (
        "The three largest numbers, and their places"
        if isinstance(found, tuple)
        else "The three largest numbers"
    )


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "brightness",
                "A photo is `uint8`, as it came from the file. What does `photo.mean()` give?",
                "An error",
                "The mean of integers is seldom an integer, so `mean` refuses them. `photo.float().mean()` works. "
                "(Lesson 07)",
                options=("Its brightness, as a float", "Its brightness, rounded to `uint8`", "An error"),
                slips=(
                    Slip(
                        "integer mean",
                        "That is what NumPy does. Here you have to say which float dtype you want.",
                        given="Its brightness, as a float",
                    ),
                    Slip(
                        "integer mean",
                        "`mean` does not round unless you say so: it refuses integers.",
                        given="Its brightness, rounded to `uint8`",
                    ),
                ),
                proof=_brightness,
            ),
            Question(
                "weights",
                "You measured three people. `weight` is a column of size (3, 1), and `height` has the size (3,). "
                "How many numbers does `weight / height**2` hold?",
                9,
                "(3, 1) against (3,) gives (3, 3): every weight is divided by every height. (Lesson 10)",
                slips=(
                    Slip(
                        SQUARE,
                        "That is what you would like. But a column meets a row, and both are stretched.",
                        given=3,
                    ),
                    Slip(SQUARE, "Sizes are not added: each weight meets each height.", given=6),
                    Slip(SQUARE, "Nothing was added up: a division keeps one result for each pair.", given=1),
                ),
                proof=lambda tk: (tk.ones(3, 1) / tk.ones(3) ** 2).numel(),
            ),
            Question(
                "board",
                "`board = tk.zeros(5, 6)`, then `board[[0, 2, 4], [1, 3, 5]] = 1.0`. How many ones are there on the "
                "board?",
                3,
                "Two lists walk together and choose pairs: (0, 1), (2, 3) and (4, 5). (Lesson 09)",
                slips=(
                    Slip(
                        "two lists are pairs",
                        "That would be the block where three rows meet three columns.",
                        given=9,
                    ),
                    Slip(
                        "two lists are pairs",
                        "A row and a column together name one place, so there are three places.",
                        given=6,
                    ),
                    Slip(
                        "fancy indexing copies",
                        "On the left of `=`, one pair of brackets writes into `board` itself.",
                        given=0,
                    ),
                ),
                proof=_marked,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "sum_dim1",
        "`t = tk.arange(12.0).view(3, 4)` has three rows of four numbers. What size is `t.sum(dim=1)`?",
        (3,),
        "`dim=1` names the dimension that disappears. The 4 is struck out of (3, 4); the 3 is left.",
        slips=(
            Slip(DIM, "That is the dimension that was named, and it disappears.", given=(4,)),
            Slip(
                KEEP, "The 4 does not become a 1, unless you say `keepdim=True`; it disappears.", given=(3, 1)
            ),
            Slip(DIM, "Dimension 1 is the second one, the 4.", given=(1, 4)),
            Slip(DIM, "Only the named dimension disappears.", given=()),
            Slip(
                DIM,
                "A single number would be left only if no dimension were named, and then with size ().",
                given=(1,),
            ),
            Slip(DIM, "A reduction makes fewer numbers: dimension 1 disappears.", given=(3, 4)),
        ),
        proof=lambda tk: tuple(_twelve(tk).sum(dim=1).size()),
    ),
    Question(
        "sum_dim0",
        "Now take `t.sum(dim=0)` of the same `t`. Which elements of `t` are added to give its **first** number? Press "
        "them, or type their numbers.",
        (0, 4, 8),
        "Dimension 0 disappears, so the numbers of each **column** are added: 0 + 4 + 8 = 12.",
        slips=(
            Slip(
                DIM, "That is the first row. It makes the first number of `t.sum(dim=1)`.", given=(0, 1, 2, 3)
            ),
            Slip(DIM, "All of them make one number only when no dimension is named.", given=tuple(range(12))),
            Slip(
                "counting from zero",
                "The first column has the number 0: it holds 0, 4 and 8.",
                given=(1, 5, 9),
            ),
            Slip(DIM, "Three rows are added up, so three elements make each number.", given=(0,)),
            Slip(DIM, "All three rows are added up.", given=(0, 4)),
        ),
        proof=_down,
        picture=_twelve,
        pick="cells",
    ),
    Question(
        "two_dims",
        "`t = tk.arange(24.0).view(2, 3, 4)`. In `t.sum((0, 2))`, **two** dimensions are named, and three numbers are "
        "left. Which elements of `t` are added to give the one at place 1? Press them, or type their numbers.",
        (4, 5, 6, 7, 16, 17, 18, 19),
        "Dimension 1, the rows, is left, so place 1 is row 1. All of row 1 is added up (dimension 2), in both "
        "layers (dimension 0).",
        slips=(
            Slip(DIM, "Dimension 0 was named as well: both layers are added up.", given=(4, 5, 6, 7)),
            Slip(DIM, "Dimension 0 was named as well: both layers are added up.", given=(16, 17, 18, 19)),
            Slip(
                DIM,
                "That is layer 1. Dimension 0, the layers, was named and disappears; the rows are left.",
                given=tuple(range(12, 24)),
            ),
            Slip(
                DIM,
                "That is column 1. Dimension 2, the columns, was named and disappears; the rows are left.",
                given=(1, 5, 9, 13, 17, 21),
            ),
            Slip(DIM, "Dimension 2 was named as well: the whole row is added up.", given=(5, 17)),
            Slip(DIM, "Dimension 2 was named as well: the whole row is added up.", given=(4, 16)),
            Slip(
                "counting from zero",
                "That is row 0, which makes the number at place 0.",
                given=(0, 1, 2, 3, 12, 13, 14, 15),
            ),
        ),
        proof=_over_two,
        picture=lambda tk: tk.arange(24.0).view(2, 3, 4),
        pick="cells",
    ),
    Question(
        "centre",
        "`t` has the size (3, 4). You would like to subtract the mean of each row from its numbers, and write `t - "
        "t.mean(dim=1)`. What do you get?",
        "An error",
        "The means have the size (3,). Written from the right, 4 meets 3: that does not fit.",
        options=(
            "Every number less the mean of its row",
            "Every number less the mean of its column",
            "An error",
        ),
        slips=(
            Slip(
                KEEP,
                "For that the means would have to be a column, of size (3, 1).",
                given="Every number less the mean of its row",
            ),
            Slip(
                DIM,
                "`dim=1` gives three means, one for each row.",
                given="Every number less the mean of its column",
            ),
        ),
        proof=_centre,
    ),
    Question(
        "square",
        "Now `m = tk.tensor([[1.0, 2.0, 6.0], [0.0, 3.0, 9.0], [5.0, 5.0, 5.0]])` is a **square**, size (3, 3). What "
        "does `m - m.mean(dim=1)` give?",
        "Something else, and no warning",
        "The means have the size (3,), and that fits the three columns: the mean of row 0 is subtracted from "
        "**column** 0.",
        options=("Every number less the mean of its row", "An error", "Something else, and no warning"),
        slips=(
            Slip(
                KEEP,
                "The means are a row, not a column; they are lined up from the right.",
                given="Every number less the mean of its row",
            ),
            Slip(KEEP, "Nothing is refused: the three means fit the three columns.", given="An error"),
        ),
        proof=_square,
    ),
    Question(
        "count",
        "`t = tk.arange(12.0).view(3, 4)`. What number does `(t > 3).sum()` hold?",
        8,
        "A comparison gives True and False; in a sum True counts as 1. So a sum **counts**.",
        slips=(
            Slip(
                "True counts as 1",
                "The numbers 4 to 11 are not added up. The sum counts how many there are.",
                given=60,
            ),
            Slip("True counts as 1", "It adds up the answers, not the numbers of `t`.", given=66),
            Slip("True counts as 1", "A sum of True and False is a number: True counts as 1.", given=1),
            Slip("True counts as 1", "The elements that are False count as 0.", given=12),
            Slip("True counts as 1", "That is how many are *not* greater than 3.", given=4),
            Slip(
                "counting from zero",
                "4 to 11 are eight numbers: 0, 1, 2 and 3 are not greater than 3.",
                given=9,
            ),
        ),
        proof=lambda tk: int((_twelve(tk) > 3).sum().item()),
    ),
    Question(
        "max_dim",
        "`t.max()` gives one number. What does `t.max(dim=1)` give, for the three rows of `t`?",
        "The three largest numbers, and their places",
        "You get two tensors in one: `.values` and `.indices`.",
        options=(
            "The three largest numbers",
            "The three places of the largest numbers",
            "The three largest numbers, and their places",
        ),
        slips=(
            Slip(
                "max gives two", "You get these, and their places as well.", given="The three largest numbers"
            ),
            Slip(
                "max gives two",
                "That is what `t.argmax(dim=1)` gives.",
                given="The three places of the largest numbers",
            ),
        ),
        proof=_two,
    ),
)
