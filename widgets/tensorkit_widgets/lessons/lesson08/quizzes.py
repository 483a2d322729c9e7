"""The quiz that opens lesson 08: three misconceptions of earlier lessons, in new clothes."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

__all__ = ["QUIZZES"]

CAPITAL = "`Tensor` vs `tensor`"
ALIAS = "a slice aliases its base"
PACKED = "what contiguous means"


def _written(tk: Any) -> int:
    scores = tk.zeros(6)
    best = scores[4:]
    best.fill_(10)
    return int(scores.sum().item())


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from before",
        (
            Question(
                "capital",
                "A colleague needs the numbers 5 and 2, and writes `tk.Tensor(5, 2)`. What size does the result have?",
                (5, 2),
                "`Tensor` is the class: it takes a *size*. `tk.tensor([5, 2])` holds the two numbers.",
                slips=(
                    Slip(CAPITAL, "That is the size of `tk.tensor([5, 2])`, with a small t.", given=(2,)),
                    Slip(CAPITAL, "Two numbers were meant, but `Tensor` reads them as a size.", given=(1, 2)),
                    Slip(CAPITAL, "The sizes are in the order in which they were given.", given=(2, 5)),
                ),
                proof=lambda tk: tuple(tk.Tensor(5, 2).size()),
            ),
            Question(
                "last_two",
                "`scores = tk.zeros(6)` and `best = scores[4:]`. Then `best.fill_(10)`. What is `scores.sum()`?",
                20,
                "`best` is another tensor on the same storage: slots 4 and 5 hold a 10 now.",
                slips=(
                    Slip(ALIAS, "A slice copies nothing, so the write reaches `scores`.", given=0),
                    Slip(ALIAS, "`best` has two elements, and both are in `scores`.", given=10),
                    Slip("counting from zero", "`scores[4:]` keeps slots 4 and 5: two of them.", given=30),
                    Slip(ALIAS, "Only the slots that `best` reads are filled.", given=60),
                ),
                proof=_written,
            ),
            Question(
                "packed",
                "`y` is `tk.arange(10).view(2, 5).t()`, of size (5, 2). What is the stride of `y.contiguous()`?",
                (2, 1),
                "Its numbers are in reading order, and each row has two of them: one row down is two slots further "
                "on.",
                slips=(
                    Slip(PACKED, "That is the stride of `y`, which is not contiguous.", given=(1, 5)),
                    Slip(
                        "transpose moves no data",
                        "That is the stride of the tensor before `.t()`: its rows are five long.",
                        given=(5, 1),
                    ),
                    Slip("a size is not a stride", "That is its size.", given=(5, 2)),
                    Slip(PACKED, "The last dimension is the one that moves slot by slot.", given=(1, 2)),
                ),
                proof=lambda tk: tuple(tk.arange(10).view(2, 5).t().contiguous().stride()),
            ),
        ),
        recall=True,
    ),
)
