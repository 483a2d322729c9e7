"""The quizzes of lesson 07, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet


def _refusing(tk: Any) -> tuple[str, ...]:
    photo = tk.zeros(75, 64, 3)
    parts = {
        "`photo[10:20]`": photo[10:20],
        "`photo[:, 10:20]`": photo[:, 10:20],
        "`photo.permute(2, 0, 1)`": photo.permute(2, 0, 1),
        "`photo.unsqueeze(0)`": photo.unsqueeze(0),
    }
    refused = []
    for code, part in parts.items():
        try:
            part.view(-1)
        except RuntimeError:
            refused.append(code)
    return tuple(refused)


def _apart(tk: Any) -> str:
    pair = tk.tensor([1.0, 1.001])
    fine, coarse = (pair.to(dtype) for dtype in (tk.float16, tk.bfloat16))
    one, other = (bool(both[0] != both[1]) for both in (fine, coarse))
    return {(True, False): "Only `float16`", (False, True): "Only `bfloat16`", (True, True): "Both"}[
        one, other
    ]


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "rows_of_bytes",
                "`t = tk.zeros(6, 4)`, and `b = t.view(tk.uint8)` reads its bytes: `b` has the size (6, 16). What "
                "size is "
                "`b.view(-1, 8)`?",
                (12, 8),
                "96 bytes in rows of 8 are 12 rows: -1 is what is left over. (Lesson 04)",
                slips=(
                    Slip(
                        "what -1 means in view", "6 rows of 8 have room for 48 of the 96 bytes.", given=(6, 8)
                    ),
                    Slip("bytes per element", "These are bytes, four for each number.", given=(3, 8)),
                    Slip(
                        "what -1 means in view",
                        "The -1 comes first, and the 8 is the last size.",
                        given=(8, 12),
                    ),
                    Slip(
                        "what -1 means in view",
                        "-1 is not a size: the size is worked out from the others.",
                        given=(-1, 8),
                    ),
                ),
                proof=lambda tk: tuple(tk.zeros(6, 4).view(tk.uint8).view(-1, 8).size()),
            ),
            Question(
                "one_row",
                "`photo` is a contiguous tensor of size (75, 64, 3). Which of these refuse `.view(-1)`?",
                ("`photo[:, 10:20]`", "`photo.permute(2, 0, 1)`"),
                "Read in order, the slots of these two leave gaps or jump. Whole rows follow one another. (Lesson "
                "05)",
                options=(
                    "`photo[10:20]`",
                    "`photo[:, 10:20]`",
                    "`photo.permute(2, 0, 1)`",
                    "`photo.unsqueeze(0)`",
                ),
                slips=(
                    Slip(
                        "what contiguous means", "ten whole rows follow one another.", given="`photo[10:20]`"
                    ),
                    Slip(
                        "what contiguous means", "between two rows a gap is left.", given="`photo[:, 10:20]`"
                    ),
                    Slip(
                        "view after transpose fails",
                        "the strides have changed places, and the dimensions no longer merge.",
                        given="`photo.permute(2, 0, 1)`",
                    ),
                    Slip(
                        "strides of size-1 dimensions",
                        "a dimension of size 1 changes no order.",
                        given="`photo.unsqueeze(0)`",
                    ),
                ),
                proof=_refusing,
            ),
            Question(
                "apart",
                "Which of the two 16-bit dtypes can tell 1.0 and 1.001 apart?",
                "Only `float16`",
                "`float16` has ten mantissa bits: the next number after 1 is 1.00098. In `bfloat16` it is 1.0078. "
                "(Lesson 06)",
                options=("Only `float16`", "Only `bfloat16`", "Both"),
                slips=(
                    Slip(
                        "range is not precision",
                        "It reaches further, and its steps are eight times as large.",
                        given="Only `bfloat16`",
                    ),
                    Slip("floats have gaps", "Seven mantissa bits make steps of 1/128.", given="Both"),
                ),
                proof=_apart,
            ),
        ),
        recall=True,
    ),
)
