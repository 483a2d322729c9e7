"""The quizzes of lesson 06, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet


def _floats(tk: Any) -> tuple[str, ...]:
    made = {
        "`tk.tensor([1, 2])`": tk.tensor([1, 2]),
        "`tk.tensor([1, 2.5])`": tk.tensor([1, 2.5]),
        "`tk.zeros(2)`": tk.zeros(2),
        "`tk.tensor([True, False])`": tk.tensor([True, False]),
    }
    return tuple(code for code, t in made.items() if t.dtype is tk.float32)


def _exact(tk: Any) -> tuple[str, ...]:
    found = {"0.1": 0.1, "0.5": 0.5, "0.75": 0.75, "3.3": 3.3}
    return tuple(name for name, n in found.items() if tk.tensor(n).double().item() == n)


def _two_rows(tk: Any) -> str:
    left, right = tk.zeros(8000), tk.ones(8000)
    calls = {
        "`tk.stack([left, right])`": tk.stack([left, right]),
        "`tk.cat([left, right])`": tk.cat([left, right]),
    }
    [call] = [call for call, made in calls.items() if made.size() == (2, 8000)]
    return call


def _hold_300(tk: Any) -> tuple[str, ...]:
    dtypes = {"`uint8`": tk.uint8, "`int8`": tk.int8, "`int16`": tk.int16, "`float16`": tk.float16}
    return tuple(name for name, dtype in dtypes.items() if tk.tensor(300).to(dtype).item() == 300)


BATCH = "squeeze eats the batch dimension"


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "sound",
                "`left` and `right` are the two channels of a sound, each of size (8000,). Which call makes one "
                "tensor of "
                "size (2, 8000) of them?",
                "`tk.stack([left, right])`",
                "`stack` puts them into a new dimension, here the channels. (Lesson 01)",
                options=("`tk.stack([left, right])`", "`tk.cat([left, right])`"),
                slips=(
                    Slip(
                        "cat vs stack",
                        "`cat` plays one after the other: the size is (16000,).",
                        given="`tk.cat([left, right])`",
                    ),
                ),
                proof=_two_rows,
            ),
            Question(
                "one_curve",
                "`batch` holds curves: items, points, channels. To bring the channel to place 1, a program runs "
                "`batch.squeeze().unsqueeze(1)`. Eight curves, (8, 200, 1), become (8, 1, 200). What size does a "
                "single curve, (1, 200, 1), become?",
                (200, 1),
                "`squeeze()` drops both dimensions of size 1, the batch too: (200,). Then the new 1 comes to place 1. "
                "`squeeze(2)` would have kept the batch. (Lesson 04)",
                slips=(
                    Slip(
                        BATCH,
                        "That is what you want. But `squeeze()` also drops the 1 that says *one curve*.",
                        given=(1, 1, 200),
                    ),
                    Slip(
                        "unsqueeze",
                        "`squeeze()` leaves (200,). Place 1 is behind the 200, because places are counted from 0.",
                        given=(1, 200),
                    ),
                    Slip(
                        "unsqueeze",
                        "`squeeze()` leaves (200,), and `unsqueeze` adds a dimension.",
                        given=(200,),
                    ),
                    Slip(
                        BATCH,
                        "That is the size that you began with. `squeeze()` drops every 1.",
                        given=(1, 200, 1),
                    ),
                ),
                proof=lambda tk: tuple(tk.zeros(1, 200, 1).squeeze().unsqueeze(1).size()),
            ),
            Question(
                "corner",
                "`big = tk.zeros(100, 100)` and `corner = big[:10, :10]`. You save `corner` to a file. How many "
                "bytes of "
                "numbers are in the file?",
                40000,
                "The whole storage is saved, 100 × 100 numbers of 4 bytes; `corner.clone()` would save 400. (Lesson "
                "05)",
                slips=(
                    Slip(
                        "a saved slice saves the whole storage",
                        "The slice is a view: the storage that it reads is saved whole.",
                        given=400,
                    ),
                    Slip("bytes per element", "Each number takes four bytes.", given=10000),
                    Slip(
                        "a saved slice saves the whole storage",
                        "It is a view, and a number has 4 bytes.",
                        given=100,
                    ),
                ),
                proof=lambda tk: tk.zeros(100, 100)[:10, :10].untyped_storage().nbytes(),
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
                ("`tk.tensor([1, 2.5])`", "`tk.zeros(2)`"),
                "One float among the numbers makes them all floats, and `zeros` makes floats unless you say "
                "otherwise.",
                options=(
                    "`tk.tensor([1, 2])`",
                    "`tk.tensor([1, 2.5])`",
                    "`tk.zeros(2)`",
                    "`tk.tensor([True, False])`",
                ),
                slips=(
                    Slip("default dtype", "whole numbers become `int64`.", given="`tk.tensor([1, 2])`"),
                    Slip(
                        "one dtype for all", "one dtype has to hold 2.5 too.", given="`tk.tensor([1, 2.5])`"
                    ),
                    Slip("default dtype", "no dtype is named, so it is the default.", given="`tk.zeros(2)`"),
                    Slip("default dtype", "these become `bool`.", given="`tk.tensor([True, False])`"),
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
                    Slip("floats have gaps", "three tenths never end in binary either.", given="3.3"),
                ),
                proof=_exact,
            ),
            Question(
                "which_hold",
                "Which of these dtypes can hold the number 300?",
                ("`int16`", "`float16`"),
                "`int16` reaches from -32768 to 32767, and `float16` counts up to 2048 without a gap.",
                options=("`uint8`", "`int8`", "`int16`", "`float16`"),
                slips=(
                    Slip("integers wrap", "it ends at 255, and would keep 44.", given="`uint8`"),
                    Slip("integers wrap", "it ends at 127, and would keep 44.", given="`int8`"),
                    Slip("integers wrap", "two bytes reach up to 32767.", given="`int16`"),
                    Slip(
                        "range is not precision",
                        "it ends at 65504, and 300 needs only nine binary digits.",
                        given="`float16`",
                    ),
                ),
                proof=_hold_300,
            ),
        ),
    ),
)
