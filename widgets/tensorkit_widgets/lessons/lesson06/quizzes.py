"""The quizzes and puzzles of lesson 06, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.checking.checks import tensor_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Puzzle, Question, QuizSheet, Stray

__all__ = ["PUZZLES", "QUIZZES"]


def _made(tk: Any) -> dict[str, Any]:
    return {
        "`tk.tensor([1, 2])`": tk.tensor([1, 2]),
        "`tk.Tensor([1, 2])`": tk.Tensor([1, 2]),
        "`tk.tensor([1, 2]) / 2`": tk.tensor([1, 2]) / 2,
        "`tk.tensor([1, 2]) * True`": tk.tensor([1, 2]) * True,
    }


def _floats(tk: Any) -> tuple[str, ...]:
    return tuple(code for code, t in _made(tk).items() if t.dtype is tk.float32)


def _exact(tk: Any) -> tuple[str, ...]:
    found = {"0.1": 0.1, "0.5": 0.5, "0.75": 0.75, "3.3": 3.3}
    return tuple(name for name, n in found.items() if tk.tensor(n).double().item() == n)


def _reshaped(tk: Any) -> str:
    t = tk.arange(6.0).view(2, 3)
    r = t.reshape(-1)
    shares = r.untyped_storage().data_ptr() == t.untyped_storage().data_ptr()
    return "A view: it shares the storage of `t`" if shares else "A copy: it has a storage of its own"


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "offset",
                "`t = tk.arange(12.0).view(3, 4)`. What is the storage offset of `t[2:]`?",
                8,
                "Two rows of four numbers are skipped: the slice starts in slot 8. (Lesson 02)",
                slips=(
                    Slip("offsets count slots", "Two rows are skipped; the offset counts slots.", given=2),
                    Slip("offsets count slots", "Bytes would be 32; the offset counts slots.", given=32),
                    Slip("counting from zero", "Slot 7 is the last one that is skipped.", given=7),
                ),
                proof=lambda tk: tk.arange(12.0).view(3, 4)[2:].storage_offset(),
            ),
            Question(
                "reshape",
                "`t = tk.arange(6.0).view(2, 3)` and `r = t.reshape(-1)`. What is `r`?",
                "A view: it shares the storage of `t`",
                "`reshape` copies only where no view is possible, and here the numbers lie in order. (Lesson 03)",
                options=(
                    "A view: it shares the storage of `t`",
                    "A copy: it has a storage of its own",
                ),
                slips=(
                    Slip(
                        "a copy is not a view",
                        "It makes a copy only where it must, for example after `t()`.",
                        given="A copy: it has a storage of its own",
                    ),
                ),
                proof=_reshaped,
            ),
            Question(
                "bytes",
                "`tk.zeros(2, 5)` holds ten numbers. How many bytes does its storage have?",
                40,
                "Without a word about it, numbers are `float32`, four bytes each. (Lesson 01)",
                slips=(
                    Slip("bytes per element", "Each number takes more than one byte.", given=10),
                    Slip("default dtype", "That would be `float64`, as NumPy takes it.", given=80),
                ),
                proof=lambda tk: tk.zeros(2, 5).untyped_storage().nbytes(),
            ),
        ),
        recall=True,
    ),
    QuizSheet(
        "dtypes",
        "Which dtype, which number?",
        (
            Question(
                "which_float",
                "Which of these are `float32`?",
                ("`tk.Tensor([1, 2])`", "`tk.tensor([1, 2]) / 2`"),
                "`Tensor` makes `float32` of all it gets, and a true division gives floats.",
                options=(
                    "`tk.tensor([1, 2])`",
                    "`tk.Tensor([1, 2])`",
                    "`tk.tensor([1, 2]) / 2`",
                    "`tk.tensor([1, 2]) * True`",
                ),
                slips=(
                    Slip("default dtype", "whole numbers become `int64`.", given="`tk.tensor([1, 2])`"),
                    Slip("`Tensor` vs `tensor`", "look at the capital T.", given="`tk.Tensor([1, 2])`"),
                    Slip(
                        "integer mean",
                        "halves are no integers, so `/` gives floats.",
                        given="`tk.tensor([1, 2]) / 2`",
                    ),
                    Slip(
                        "category before width",
                        "a bool is lower than an integer, and changes nothing.",
                        given="`tk.tensor([1, 2]) * True`",
                    ),
                ),
                proof=_floats,
            ),
            Question(
                "which_exact",
                "Which of these numbers are kept in a `float32` without any error?",
                ("0.5", "0.75"),
                "Those that are sums of ½, ¼, ⅛ and so on. A tenth is no such sum, however long.",
                options=("0.1", "0.5", "0.75", "3.3"),
                slips=(
                    Slip("floats have gaps", "a tenth never ends in binary.", given="0.1"),
                    Slip("floats have gaps", "a half is 2⁻¹.", given="0.5"),
                    Slip("floats have gaps", "three quarters are ½ + ¼.", given="0.75"),
                    Slip("floats have gaps", "three tenths never end in binary.", given="3.3"),
                ),
                proof=_exact,
            ),
            Question(
                "true_count",
                "`t = tk.tensor([3, -1, 4, -2])`. What is `(t > 0).sum()`?",
                2,
                "The comparison gives booleans, and a sum counts each True as 1, in `int64`.",
                slips=(
                    Slip(
                        "category before width",
                        "The values are no longer there: only True or False.",
                        given=7,
                    ),
                    Slip("category before width", "Falses count as 0.", given=4),
                ),
                proof=lambda tk: int((tk.tensor([3, -1, 4, -2]) > 0).sum().item()),
            ),
        ),
    ),
)


def _start(tk: Any) -> dict[str, Any]:
    return {"image": tk.tensor([[0, 100], [180, 255]], dtype=tk.uint8)}


_BRIGHTER = """
wide = image.int()
wide = wide + 100
wide = wide.clamp(max=255)
brighter = wide.byte()
"""


PUZZLES = (
    Puzzle(
        "brighter",
        "A brighter image",
        "`image` holds bytes (`uint8`), from 0, black, to 255, white. Make `brighter`, the same image with 100 added "
        "everywhere; what would be above 255 becomes 255. It shall be `uint8` as well.",
        _BRIGHTER,
        "brighter",
        tensor_check(
            size=(2, 2),
            dtype="uint8",
            values=((100, 200), (255, 255)),
            slips=(
                Slip(
                    "integers wrap",
                    "the brightest places turned dark: 180 + 100 is 280, and a byte keeps 280 - 256 = 24 of it.",
                    when=lambda answer, mine, base: mine is not None and 24 in mine.values,
                ),
            ),
        ),
        (
            "A byte has no room for 280. What has?",
            "First something wider, then the sum, then the limit of 255, and last the byte again.",
            "It begins with `wide = image.int()` and ends with `brighter = wide.byte()`.",
        ),
        strays=(
            Stray("brighter = image + 100", "integers wrap", "a byte has no room for 280."),
            Stray("wide = image.float()"),
            Stray("wide = wide.clamp(0, 255)"),
            Stray(
                "wide.byte()",
                "`.to()` returns",
                "a cast gives another tensor, and here nobody keeps it.",
            ),
        ),
        setup=_start,
        right=(
            "wide = image.int()\nwide = wide + 100\nwide = wide.clamp(max=255)\nbrighter = wide.byte()",
            "wide = image.float()\nwide = wide + 100\nwide = wide.clamp(max=255)\nbrighter = wide.byte()",
            "wide = image.int()\nwide = wide + 100\nwide = wide.clamp(0, 255)\nbrighter = wide.byte()",
        ),
        wrong=(
            ("brighter = image + 100", "integers wrap"),
            ("wide = image.int()\nwide = wide + 100\nbrighter = wide.byte()", "integers wrap"),
            (
                "wide = image.int()\nwide = wide.clamp(max=255)\nwide = wide + 100\nbrighter = wide.byte()",
                "integers wrap",
            ),
            ("wide = image.int()\nwide = wide + 100", ""),
        ),
    ),
)
