"""The questions of lesson 11, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

__all__ = ["QUESTIONS", "QUIZZES"]

DIM = "`dim=` in a reduction"


KEEP = "keepdim leaves a 1"


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
    return "Every number less the mean of its row" if same else "Something else, without a word"


def _mean(tk: Any) -> str:
    t = tk.tensor([3, 1, 2, 4])
    return "An error" if _refused(t.mean) else str(t.mean().item())


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
                "stride",
                "`t = tk.arange(12.0).view(3, 4)`. What is its stride?",
                (4, 1),
                "One row down is four slots further, one column to the right is one. (Lesson 02)",
                slips=(
                    Slip("a size is not a stride", "That is the size.", given=(3, 4)),
                    Slip("strides count slots", "Those would be bytes.", given=(16, 4)),
                ),
                proof=lambda tk: tuple(_twelve(tk).stride()),
            ),
            Question(
                "broadcast",
                "Which size has the sum of a tensor of size (3, 1) and one of size (4,)?",
                (3, 4),
                "Written from the right: 1 against 4 is stretched to 4, and what is not there counts as 1. (Lesson 07)",
                slips=(
                    Slip(
                        "sizes line up from the right", "The 4 meets the 1, at the right end.", given=(3, 1)
                    ),
                    Slip(
                        "only a 1 is stretched",
                        "Sizes are not added up; each dimension is compared.",
                        given=(7,),
                    ),
                ),
                proof=lambda tk: tuple((tk.ones(3, 1) + tk.ones(4)).size()),
            ),
            Question(
                "dtype",
                "Which dtype has `tk.tensor([3, 1, 2, 4])`?",
                "`int64`",
                "Python integers become `int64`; one point among them would have made `float32` of all. (Lesson 04)",
                options=("`int32`", "`int64`", "`float32`"),
                slips=(
                    Slip("default dtype", "Integers take 8 bytes unless you say otherwise.", given="`int32`"),
                    Slip("default dtype", "Nothing in the list is a float.", given="`float32`"),
                ),
                proof=lambda tk: f"`{str(tk.tensor([3, 1, 2, 4]).dtype).rpartition('.')[2]}`",
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "sum_dim1",
        "`t = tk.arange(12.0).view(3, 4)` has three rows of four numbers. Which size has `t.sum(dim=1)`?",
        (3,),
        "`dim=1` names the dimension that goes. The 4 is struck out of (3, 4); the 3 is left.",
        slips=(
            Slip(DIM, "That is the dimension that was named, and it goes.", given=(4,)),
            Slip(KEEP, "The 4 does not become a 1, unless you ask for it; it goes.", given=(3, 1)),
            Slip(DIM, "Only the named dimension goes.", given=()),
        ),
        proof=lambda tk: tuple(_twelve(tk).sum(dim=1).size()),
    ),
    Question(
        "sum_dim0",
        "And `t.sum(dim=0)` of the same `t`: what is its **first** number?",
        12,
        "0 + 4 + 8: dimension 0 goes, so what lies **under one another** is added.",
        slips=(
            Slip(DIM, "That adds up the first row, along dimension 1.", given=6),
            Slip(DIM, "That adds up all of it.", given=66),
            Slip("counting from zero", "The first column holds 0, 4 and 8.", given=15),
        ),
        proof=lambda tk: int(_twelve(tk).sum(dim=0)[0].item()),
    ),
    Question(
        "two_dims",
        "`t = tk.ones(2, 3, 4)`. Which size has `t.sum((0, 2))`?",
        (3,),
        "Both named dimensions are struck out of (2, 3, 4): the 2 and the 4. The 3 is left.",
        slips=(
            Slip(DIM, "Those are the ones that were named.", given=(2, 4)),
            Slip(DIM, "Only dimension 0 is gone there.", given=(3, 4)),
            Slip("counting from zero", "Dimension 2 is the last one, the 4.", given=(4,)),
        ),
        proof=lambda tk: tuple(tk.ones(2, 3, 4).sum((0, 2)).size()),
    ),
    Question(
        "centre",
        "`t` has the size (3, 4). We want every number less the mean of its row and write `t - t.mean(dim=1)`. "
        "What comes?",
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
                "For that the means would have to stand in a column, size (3, 1).",
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
        "Now `m` is a **square**, size (3, 3). What does `m - m.mean(dim=1)` give?",
        "Something else, without a word",
        "Three means of size (3,) fit the three columns as well: the mean of row 0 is taken from **column** 0.",
        options=("Every number less the mean of its row", "An error", "Something else, without a word"),
        slips=(
            Slip(
                KEEP,
                "The means lie in a row, not in a column; they are lined up from the right.",
                given="Every number less the mean of its row",
            ),
            Slip(KEEP, "A 3 fits a 3. Nobody sees that it is the wrong 3.", given="An error"),
        ),
        proof=_square,
    ),
    Question(
        "int_mean",
        "`tk.tensor([3, 1, 2, 4]).mean()`: what comes?",
        "An error",
        "An integer cannot hold 2.5, and PyTorch does not choose a float for you. Say which one you want.",
        options=("2.5", "2", "An error"),
        slips=(
            Slip("integer mean", "So NumPy does it; here you have to ask for a float.", given="2.5"),
            Slip("integer mean", "It is not cut either.", given="2"),
        ),
        proof=_mean,
    ),
    Question(
        "count",
        "`t = tk.arange(12.0).view(3, 4)`. What number does `(t > 3).sum()` hold?",
        8,
        "A comparison gives True and False; in a sum True counts as 1. So a sum **counts**.",
        slips=(
            Slip(
                "True counts as 1",
                "The numbers 4 to 11 are not added up; it counts how many they are.",
                given=60,
            ),
            Slip("counting from zero", "3 is not larger than 3.", given=9),
        ),
        proof=lambda tk: int((_twelve(tk) > 3).sum().item()),
    ),
    Question(
        "max_dim",
        "`t.max()` gives one number. What does `t.max(dim=1)` give, for the three rows of `t`?",
        "The three largest numbers, and their places",
        "Two tensors under one name: `.values` and `.indices`.",
        options=(
            "The three largest numbers",
            "The three places of the largest numbers",
            "The three largest numbers, and their places",
        ),
        slips=(
            Slip("max gives two", "There is something else with them.", given="The three largest numbers"),
            Slip("max gives two", "That is `argmax`.", given="The three places of the largest numbers"),
        ),
        proof=_two,
    ),
)
