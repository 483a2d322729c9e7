"""The quizzes and puzzles of lesson 04, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

SAME_OBJECT = "`id(a) == id(b)`"


SAME_BYTES = "`a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()`"


def _joined(tk: Any) -> str:
    pieces = [tk.zeros(8000) for _ in range(6)]
    return "`tk.cat(pieces)`" if tuple(tk.cat(pieces).size()) == (48_000,) else "`tk.stack(pieces)`"


def _true_of_a_slice(tk: Any) -> str:
    a = tk.zeros(5)
    b = a[2:]
    if id(a) == id(b):
        return SAME_OBJECT
    return SAME_BYTES if a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr() else "`a is b`"


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "one_recording",
                "A recording of six seconds was cut into a list of six `pieces`, each of size (8000,). "
                "You want the recording back, as one long row. Which call gives it to you?",
                "`tk.cat(pieces)`",
                "`cat` lengthens a dimension that is there: (48000,). (Lesson 01)",
                options=("`tk.cat(pieces)`", "`tk.stack(pieces)`"),
                slips=(
                    Slip(
                        "cat vs stack",
                        "`stack` puts them into a new dimension: a batch of six short sounds, (6, 8000).",
                        given="`tk.stack(pieces)`",
                    ),
                ),
                proof=_joined,
            ),
            Question(
                "pixel_below",
                "A photograph of size (75, 64, 3) is kept in memory row by row and pixel by pixel, with three "
                "slots to a pixel. How many slots is it from the red of one pixel to the red of the pixel "
                "**below**?",
                192,
                "One row further is 64 pixels of 3 slots each. That is the stride of dimension 0. (Lesson 02)",
                slips=(
                    Slip(
                        "strides count slots",
                        "A row has 64 pixels, and each of them takes three slots.",
                        given=64,
                    ),
                    Slip("a size is not a stride", "There are 75 rows; a row is 64 pixels long.", given=75),
                    Slip("rows come before columns", "That is the pixel to the right.", given=3),
                    Slip("rows come before columns", "A row is 64 pixels long, not 75.", given=225),
                    Slip("strides count slots", "The next slot is the green of the same pixel.", given=1),
                ),
                proof=lambda tk: tk.zeros(75, 64, 3).stride()[0],
            ),
            Question(
                "why_shared",
                "`a = tk.zeros(5)` and `b = a[2:]`. A write to `b` shows in `a`. Which of these lines is `True`?",
                SAME_BYTES,
                "There are two tensor objects, on one storage. (Lesson 02)",
                options=(SAME_OBJECT, "`a is b`", SAME_BYTES),
                slips=(
                    Slip(
                        "id() as a storage test",
                        "`id` tells Python objects apart, and a slice is an object of its own.",
                        given=SAME_OBJECT,
                    ),
                    Slip(
                        "id() as a storage test",
                        "`is` compares Python objects, and a slice is an object of its own.",
                        given="`a is b`",
                    ),
                ),
                proof=_true_of_a_slice,
            ),
        ),
        recall=True,
    ),
)
