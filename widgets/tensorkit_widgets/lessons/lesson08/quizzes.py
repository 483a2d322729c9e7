"""The quiz that opens lesson 08: three misconceptions of earlier lessons, in new clothes."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

CAPITAL = "`Tensor` vs `tensor`"
GAPS = "floats have gaps"
PACKED = "what contiguous means"


def _ten_seconds(tk: Any) -> str:
    now = tk.tensor(1_700_000_000.0)
    return f"{((now + 10) - now).item():.0f} seconds"


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from before",
        (
            Question(
                "capital",
                "A colleague needs the numbers 5 and 2, and writes `tk.Tensor(5, 2)`. What size does the result have?",
                (5, 2),
                "`Tensor` is the class: it takes a *size*. `tk.tensor([5, 2])` holds the two numbers. "
                "(Lesson 07)",
                slips=(
                    Slip(CAPITAL, "That is the size of `tk.tensor([5, 2])`, with a small t.", given=(2,)),
                    Slip(CAPITAL, "Two numbers were meant, but `Tensor` reads them as a size.", given=(1, 2)),
                    Slip(CAPITAL, "The sizes are in the order in which they were given.", given=(2, 5)),
                ),
                proof=lambda tk: tuple(tk.Tensor(5, 2).size()),
            ),
            Question(
                "clock",
                "A program keeps the time as a `float32`, in seconds since 1970: `now = tk.tensor(1_700_000_000.0)`. "
                "How long is `(now + 10) - now`?",
                "0 seconds",
                "At that size neighbouring `float32` numbers are 128 apart. The 10 is less than half of that, so `now "
                "+ 10` is rounded back to `now`. (Lesson 06)",
                options=("0 seconds", "10 seconds", "128 seconds"),
                slips=(
                    Slip(
                        GAPS,
                        "There is no `float32` at 1,700,000,010: the sum has to be rounded.",
                        given="10 seconds",
                    ),
                    Slip(
                        GAPS,
                        "The next number is 128 further on, but `now` itself is nearer.",
                        given="128 seconds",
                    ),
                ),
                proof=_ten_seconds,
            ),
            Question(
                "packed",
                "`y` is `tk.arange(10).view(2, 5).t()`, of size (5, 2). What is the stride of `y.contiguous()`?",
                (2, 1),
                "Its numbers are in reading order, and each row has two of them: one row down is two slots further "
                "on. (Lesson 05)",
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
