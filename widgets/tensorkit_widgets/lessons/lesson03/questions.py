"""The questions of lesson 03, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question

__all__ = ["QUESTIONS"]


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


def _same_storage(a: Any, b: Any) -> bool:
    return bool(a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr())


TURN = "permute vs view"


def _image(tk: Any) -> Any:
    return tk.arange(12).view(3, 2, 2)


QUESTIONS = (
    Question(
        "transpose_stride",
        "`t = tk.tensor([[3, 1, 2], [4, 1, 7]])` has the size (2, 3) and the stride (3, 1). "
        "What is the stride of `t.t()`?",
        (1, 3),
        "The transposed tensor reads the same six slots; it only swaps the two steps.",
        slips=(
            Slip(
                "strides follow the view",
                "A fresh tensor of size (3, 2) would have that, but nothing fresh was made.",
                given=(2, 1),
            ),
            Slip("transpose moves no data", "Size and stride swap together.", given=(3, 1)),
            Slip("a size is not a stride", "That is the new size.", given=(3, 2)),
        ),
        proof=lambda tk: tuple(tk.tensor([[3, 1, 2], [4, 1, 7]]).t().stride()),
    ),
    Question(
        "transpose_cost",
        "`big` holds a hundred million numbers, 400 MB. How many of its bytes does `big.t()` move?",
        "None",
        "Two pairs of integers change places. The storage is not touched, whatever its size.",
        options=("All 400 MB", "About half of them", "None"),
        slips=(
            Slip("transpose moves no data", "That would be a copy; `t()` makes a view.", given="All 400 MB"),
            Slip("transpose moves no data", "Nothing is swapped in memory.", given="About half of them"),
        ),
        proof=lambda tk: "None" if _same_storage(t := _twelve(tk), t.t()) else "All 400 MB",
    ),
    Question(
        "transpose_3d",
        "`t = tk.zeros(1, 2, 3)` has the stride (6, 3, 1). What is the stride of `t.transpose(0, 2)`?",
        (1, 3, 6),
        "Dimensions 0 and 2 change places and take their strides with them; dimension 1 stays.",
        slips=(
            Slip("strides follow the view", "A fresh tensor of that size would have that.", given=(2, 1, 1)),
            Slip("transpose moves no data", "That is the stride before.", given=(6, 3, 1)),
            Slip("a size is not a stride", "That is the new size.", given=(3, 2, 1)),
            Slip("permute vs view", "That is `transpose(0, 1)`.", given=(3, 6, 1)),
        ),
        proof=lambda tk: tuple(tk.zeros(1, 2, 3).transpose(0, 2).stride()),
    ),
    Question(
        "size_one",
        "We ask for a row whose dimension 0 has the size 1 and the stride 999, on a storage of three "
        "numbers: `tk.arange(3.0).as_strided((1, 3), (999, 1))`. What comes?",
        "The row `[[0., 1., 2.]]`: nobody ever takes that step of 999",
        "A dimension of size 1 has only the index 0, and 0 times any stride is 0.",
        options=(
            "An error: slot 999 does not exist",
            "The row `[[0., 1., 2.]]`: nobody ever takes that step of 999",
            "A row with 999 numbers",
        ),
        slips=(
            Slip(
                "strides of size-1 dimensions",
                "The index is never 1 there, so slot 999 is never asked for.",
                given="An error: slot 999 does not exist",
            ),
            Slip(
                "a size is not a stride",
                "The size says how many; it is (1, 3).",
                given="A row with 999 numbers",
            ),
        ),
        proof=lambda tk: (
            "The row `[[0., 1., 2.]]`: nobody ever takes that step of 999"
            if tk.arange(3.0).as_strided((1, 3), (999, 1)).tolist() == [[0.0, 1.0, 2.0]]
            else ""
        ),
    ),
    Question(
        "pixel",
        "`image` is three channels of 2 by 2 pixels: red holds 0 to 3, green 4 to 7, blue 8 to 11. You want the "
        "channels last, size (2, 2, 3). What are the three numbers of the first pixel in `image.view(2, 2, 3)`?",
        (0, 1, 2),
        "`view` keeps the order of the storage: the first three numbers are three **red** ones. "
        "`permute(1, 2, 0)` gives (0, 4, 8), a red, a green and a blue one.",
        slips=(
            Slip(
                TURN, "That is what `permute(1, 2, 0)` gives; `view` reorders no dimensions.", given=(0, 4, 8)
            ),
            Slip(TURN, "`view` reads the storage in its old order.", given=(0, 3, 6)),
        ),
        proof=lambda tk: tuple(_image(tk).view(2, 2, 3)[0, 0].tolist()),
    ),
)
