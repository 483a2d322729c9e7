"""The quizzes and puzzles of lesson 03, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.checking.checks import tensor_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Puzzle, Question, QuizSheet, Stray


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


def _start(tk: Any) -> dict[str, Any]:
    return {"t": _twelve(tk)}


def _bytes_on(tk: Any) -> int:
    t = tk.zeros(4, 5)
    return int(t[3].data_ptr() - t.data_ptr())


CHANNELS = "channels are a dimension"


OFFSETS = "offsets count slots"


POINTER = "data_ptr() of the tensor"


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from lessons 01 and 02",
        (
            Question(
                "where_it_starts",
                "`t = tk.arange(30.0).view(5, 6)`. What is the offset of `t[2:, 3:]`?",
                15,
                "Two rows of six slots are skipped, and then three more slots: 2·6 + 3·1.",
                slips=(
                    Slip(OFFSETS, "Each index has to be multiplied by its stride.", given=5),
                    Slip(OFFSETS, "The `3:` skips three more slots.", given=12),
                    Slip("a size is not a stride", "One row down is 6 slots, the length of a row.", given=13),
                    Slip("counting from zero", "Slots are counted from 0.", given=16),
                    Slip(OFFSETS, "Those are bytes; the offset counts slots.", given=60),
                ),
                proof=lambda tk: tk.arange(30.0).view(5, 6)[2:, 3:].storage_offset(),
            ),
            Question(
                "the_reds",
                "`batch` holds 16 colour pictures of 48 rows and 64 columns, channels last: its size is (16, 48, 64, "
                "3). What is the size of `batch[:, :, :, 0]`, the red of all of them?",
                (16, 48, 64),
                "There is one red number for each pixel of each picture, so you get sixteen grey pictures.",
                slips=(
                    Slip(
                        CHANNELS,
                        "The index 0 chooses one channel, and it removes that dimension.",
                        given=(16, 48, 64, 1),
                    ),
                    Slip(
                        "the batch comes first", "That is the first picture, `batch[0]`.", given=(48, 64, 3)
                    ),
                    Slip(
                        CHANNELS,
                        "That is still the whole batch: the 0 chooses one channel.",
                        given=(16, 48, 64, 3),
                    ),
                    Slip("rows come before columns", "The rows come before the columns.", given=(16, 64, 48)),
                ),
                proof=lambda tk: tuple(tk.zeros(16, 48, 64, 3)[:, :, :, 0].size()),
            ),
            Question(
                "how_far_on",
                "`t = tk.zeros(4, 5)` and `last = t[3]`. What is `last.data_ptr() - t.data_ptr()`?",
                60,
                "`last` begins 15 slots further on, and each slot has four bytes. The storage is still the same one.",
                slips=(
                    Slip(
                        POINTER,
                        "The storage is the same; the first elements are in different slots.",
                        given=0,
                    ),
                    Slip(POINTER, "Those are the slots. An address counts bytes, four for each.", given=15),
                    Slip("a size is not a stride", "One row down is 5 slots of four bytes each.", given=12),
                    Slip("counting from zero", "Three rows come before `t[3]`, and not four.", given=80),
                ),
                proof=_bytes_on,
            ),
        ),
        recall=True,
    ),
)


PUZZLES = (
    Puzzle(
        "transpose_in_parts",
        "A transpose in three lines",
        "Make `u`, which is what `t.t()` gives: a tensor object of your own on the storage of `t`.",
        """
size = (t.size(1), t.size(0))
stride = (t.stride(1), t.stride(0))
u = t.as_strided(size, stride)
""",
        "u",
        tensor_check(
            size=(4, 3),
            stride=(1, 4),
            shares=True,
            slips=(
                Slip(
                    "permute vs view",
                    "that is what `view(4, 3)` gives: the same order in the storage.",
                    stride=(3, 1),
                    shares=True,
                ),
            ),
        ),
        (
            "A tensor is three things over a storage. Which of the three does a transpose change?",
            "Both the sizes and the strides change places.",
            "`as_strided` comes last, when there is a size and a stride to give it.",
        ),
        strays=(
            Stray(
                "stride = (t.size(0), 1)",
                "strides follow the view",
                "a fresh tensor of that size would have this stride; nothing fresh is made here.",
            ),
            Stray(
                "u = t.view(size)",
                "permute vs view",
                "`view` regroups the numbers; it reorders no dimensions.",
            ),
            Stray("u = t.as_strided(size, stride, t.storage_offset())"),
        ),
        base="t",
        setup=_start,
        right=(
            "size = (t.size(1), t.size(0))\nstride = (t.stride(1), t.stride(0))\nu = t.as_strided(size, stride)",
            "stride = (t.stride(1), t.stride(0))\nsize = (t.size(1), t.size(0))\nu = t.as_strided(size, stride)",
            "size = (t.size(1), t.size(0))\nstride = (t.stride(1), t.stride(0))\n"
            "u = t.as_strided(size, stride, t.storage_offset())",
        ),
        wrong=(
            ("size = (t.size(1), t.size(0))\nu = t.view(size)", "permute vs view"),
            (
                "size = (t.size(1), t.size(0))\nstride = (t.size(0), 1)\nu = t.as_strided(size, stride)",
                "permute vs view",
            ),
            ("u = t.as_strided(size, stride)\nsize = (t.size(1), t.size(0))", ""),
            ("size = (t.size(1), t.size(0))", ""),
        ),
    ),
)
