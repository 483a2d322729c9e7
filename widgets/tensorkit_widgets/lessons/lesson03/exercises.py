"""The exercises of lesson 03, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.checking.checks import (
    tensor_check,
    tuple_check,
)
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Task

__all__ = ["TASKS"]


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


COPY = "a copy is not a view"


TURN = "permute vs view"


def _sixty(tk: Any) -> Any:
    return tk.arange(60.0).view(3, 4, 5)


TASKS = (
    Task(
        "transpose_by_hand",
        "Transpose by hand",
        "Make what `t.t()` gives, without `t()`, `transpose` or `permute`: only `as_strided`.\n\n"
        "    t = tk.arange(12.0).view(3, 4)\n"
        "    y = t.as_strided(___, ___)",
        tensor_check(
            size=(4, 3),
            stride=(1, 4),
            shares=True,
            slips=(
                Slip(
                    "permute vs view",
                    "that is what `view(4, 3)` gives: the same numbers in the same order, in rows of three. "
                    "A transpose keeps every number in its place and swaps the strides.",
                    size=(4, 3),
                    stride=(3, 1),
                    shares=True,
                ),
                Slip(
                    "a size is not a stride",
                    "one column to the right in `y` is one row down in `t`. That is 4 slots: a row of `t` "
                    "has 4 numbers, and there are 3 such rows.",
                    size=(4, 3),
                    stride=(1, 3),
                ),
                Slip(
                    "transpose moves no data",
                    "this is `t` as it was; size and stride both change places.",
                    behaves=lambda t: t,
                ),
                Slip(
                    "a copy is not a view",
                    "the numbers are right, but they are copies: a write to `y` would not reach `t`.",
                    behaves=lambda t: t.t().clone(),
                ),
            ),
        ),
        (
            "What are `t.size()` and `t.stride()`? Write both down.",
            "Transposing swaps the two sizes and the two strides.",
            "The size is (4, 3). One row down in `y` is one column to the right in `t`: 1 slot.",
        ),
        "y = t.as_strided((4, 3), (1, 4))",
        stage="faded",
        base=_twelve,
        right=(
            lambda tk, t: t.as_strided((4, 3), (1, 4)),
            lambda tk, t: t.as_strided(t.size()[::-1], t.stride()[::-1], t.storage_offset()),
            lambda tk, t: t.permute(1, 0),
            lambda tk, t: t.t(),
        ),
        wrong=(
            (lambda tk, t: t.view(4, 3), "permute vs view"),
            (lambda tk, t: t.as_strided((4, 3), (3, 1)), "permute vs view"),
            (lambda tk, t: t.t().contiguous(), "a copy is not a view"),
            (lambda tk, t: t, "transpose moves no data"),
            (lambda tk, t: t.as_strided((4, 3), (1, 3)), "a size is not a stride"),
            (lambda tk, t: t.as_strided((4, 3), (2, 1)), ""),
            (lambda tk, t: tk.zeros(4, 3), "a copy is not a view"),
        ),
    ),
    Task(
        "strides_in_3d",
        "Strides in three dimensions",
        "`t = tk.zeros(2, 3, 5)` has the stride (15, 5, 1). What is the stride of `t.transpose(0, 2)`? "
        "Answer from your head first; the machine will still be there.",
        tuple_check(
            1,
            5,
            15,
            slips=(
                Slip("transpose moves no data", "that is the stride before the transpose.", given=(15, 5, 1)),
                Slip(
                    "counting from zero",
                    "the last column has the number 4, but a row of `t` has 5 numbers: one row down is 5 slots. And "
                    "then the first and the last stride change places.",
                    given=(12, 4, 1),
                ),
                Slip(
                    "counting from zero",
                    "the order is right. But a row of `t` has 5 numbers, though the last of them has the number 4.",
                    given=(1, 4, 12),
                ),
                Slip(
                    "strides follow the view",
                    "a fresh tensor of size (5, 3, 2) would have that.",
                    given=(6, 2, 1),
                ),
                Slip("a size is not a stride", "that is the new size.", given=(5, 3, 2)),
                Slip("permute vs view", "that swaps dimensions 0 and 1, not 0 and 2.", given=(5, 15, 1)),
                Slip("permute vs view", "that swaps dimensions 1 and 2, not 0 and 2.", given=(15, 1, 5)),
                Slip(
                    "permute vs view", "that turns all three round; `transpose` swaps two.", given=(5, 1, 15)
                ),
                Slip(
                    "permute vs view", "that turns all three round; `transpose` swaps two.", given=(1, 15, 5)
                ),
            ),
        ),
        (
            "Each dimension carries its stride with it wherever it goes.",
            "Dimensions 0 and 2 swap; dimension 1 stays in the middle.",
            "Swap the first and the last number of (15, 5, 1).",
        ),
        "(1, 5, 15)  # swap the first and the last",
        entry="(15, 5, 1)",
        base=lambda tk: tk.zeros(2, 3, 5),
        right=(
            lambda tk, t: (1, 5, 15),
            lambda tk, t: "1, 5, 15",
            lambda tk, t: t.transpose(0, 2).stride(),
            lambda tk, t: list(t.permute(2, 1, 0).stride()),
        ),
        wrong=(
            (lambda tk, t: (15, 5, 1), "transpose moves no data"),
            (lambda tk, t: (6, 2, 1), "strides follow the view"),
            (lambda tk, t: t.transpose(0, 2).size(), "a size is not a stride"),
            (lambda tk, t: (12, 4, 1), "counting from zero"),
            (lambda tk, t: (1, 5), ""),
        ),
    ),
    Task(
        "channels_last",
        "Channels last",
        "`t` is an image of 3 channels, 4 rows and 5 columns. A plotting library wants (rows, columns, channels). "
        "Make it so, as a view:\n\n"
        "    t = tk.arange(60.0).view(3, 4, 5)\n"
        "    u = ...",
        tensor_check(
            size=(4, 5, 3),
            stride=(5, 1, 20),
            shares=True,
            slips=(
                Slip(
                    TURN,
                    "the size is right, and it is noise: `view` reorders no dimensions, it only re-divides the "
                    "row of numbers. The first pixel now has three red values.",
                    size=(4, 5, 3),
                    stride=(15, 3, 1),
                    shares=True,
                ),
                Slip(
                    TURN,
                    "rows and columns have changed places as well.",
                    behaves=(lambda t: t.permute(2, 1, 0), lambda t: t.transpose(0, 2)),
                ),
                Slip(
                    COPY,
                    "the picture is right, but it was copied.",
                    behaves=lambda t: t.permute(1, 2, 0).contiguous(),
                ),
                Slip(
                    TURN,
                    "the size is right, and the picture is noise, and a copy: `reshape` reorders none either.",
                    behaves=lambda t: t.reshape(4, 5, 3).clone(),
                ),
            ),
        ),
        (
            "Is this another way to cut the row of numbers, or another order of the dimensions?",
            "`permute` names, for each place of the result, the old dimension that comes there.",
            "Rows are dimension 1, columns 2, channels 0.",
        ),
        "u = t.permute(1, 2, 0)",
        stage="free",
        base=_sixty,
        right=(
            lambda tk, t: t.permute(1, 2, 0),
            lambda tk, t: t.transpose(0, 1).transpose(1, 2),
            lambda tk, t: t.movedim(0, -1),
            lambda tk, t: t.as_strided((4, 5, 3), (5, 1, 20)),
        ),
        wrong=(
            (lambda tk, t: t.view(4, 5, 3), TURN),
            (lambda tk, t: t.permute(2, 1, 0), TURN),
            (lambda tk, t: t.permute(1, 2, 0).contiguous(), COPY),
            (lambda tk, t: t.view(4, 5, 3).contiguous().clone(), TURN),
            (lambda tk, t: t.view(5, 4, 3), ""),
            (lambda tk, t: tk.zeros(4, 5, 3), COPY),
            (lambda tk, t: t, ""),
        ),
    ),
)
