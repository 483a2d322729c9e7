"""What lesson 22 asks from memory of earlier lessons, with what proves it."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

__all__ = ["QUIZZES"]


def _after_to(tk: Any) -> str:
    x = tk.zeros(2)
    x.to(tk.float64)
    return f"`{str(x.dtype).rpartition('.')[2]}`"


def _shared(tk: Any) -> int:
    t = tk.ones(3)
    a = t.numpy()
    t.mul_(4)
    return int(a[0])


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "moved",
                "`x = tk.zeros(2)`, and on the next line just `x.to(tk.float64)`. Which dtype does `x` have now?",
                "`float32`",
                "`.to()` gives another tensor, and you did not keep it. The same holds for `x.to('cuda')`. (Lesson 07)",
                options=("`float32`", "`float64`"),
                slips=(
                    Slip(
                        "`.to()` returns", "It does not change `x`: keep what it returns.", given="`float64`"
                    ),
                ),
                proof=_after_to,
            ),
            Question(
                "one_photo",
                "`photos` has the size (100, 8, 8) and the dtype `uint8`. You save the first one, `photos[0]`. How "
                "many bytes of pixels are written to the disk?",
                6400,
                "A slice is a view: its storage is that of all hundred photographs, and the storage is what is saved. "
                "`photos[0].clone()` has 64 bytes of its own. (Lesson 05)",
                slips=(
                    Slip(
                        "a saved slice saves the whole storage",
                        "That is what the view shows. How large is the storage behind it?",
                        given=64,
                    ),
                    Slip("bytes per element", "A `uint8` takes one byte.", given=25600),
                ),
                proof=lambda tk: int(tk.zeros(100, 8, 8, dtype=tk.uint8)[0].untyped_storage().nbytes()),
            ),
            Question(
                "written_behind",
                "`t = tk.ones(3)`, `a = t.numpy()`, and then `t.mul_(4)`. What number does `a[0]` hold?",
                4,
                "Tensor and array read the same memory, so it matters **when** you look. Keep that in mind "
                "for this lesson. (Lesson 15)",
                slips=(
                    Slip("NumPy shares memory", "`numpy()` copies nothing: `a` sees the write.", given=1),
                ),
                proof=_shared,
            ),
        ),
        recall=True,
    ),
)
