"""The questions of lesson 03, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.lessons.photo import photo
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


def _same_storage(a: Any, b: Any) -> bool:
    return bool(a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr())


TURN = "permute vs view"


STEPS = "strides count slots"


def _image(tk: Any) -> Any:
    return tk.arange(12).view(3, 2, 2)


def _which(tk: Any) -> str:
    """Which of the three pictures of the lesson is the view: they are shuffled as they are there."""
    shown = photo(tk)
    tk.manual_seed(2)
    tk.randperm(shown.numel())
    order = tk.randperm(3).tolist()
    return f"Picture {1 + order.index(1)}"


QUESTIONS = (
    Question(
        "transpose_stride",
        "`t = tk.tensor([[3, 1, 2], [4, 1, 7]])` has the stride (3, 1). Its rows are the columns of `y = t.t()`. In "
        "`y`, take one step to the right, from `y[0, 0]` to `y[0, 1]`. How many slots is that step in the storage of "
        "`t`? Draw it, or type the number.",
        3,
        "`y[0, 1]` is `t[1, 0]`, the 4 in slot 3. One step to the right in `y` is one step down in `t`.",
        slips=(
            Slip(
                "strides follow the view",
                "It would be 1 in a fresh tensor, but nothing new was stored: the right neighbour of the 3 is now "
                "the 4.",
                given=1,
            ),
            Slip("a size is not a stride", "That is how many columns `y` has.", given=2),
            Slip(STEPS, "4 is the number in that slot; the slot is number 3.", given=4),
            Slip(STEPS, "The step is forward: the 4 comes after the 3 in the storage.", given=-3),
            Slip(STEPS, "That is the step to `y[1, 1]`, one down and one to the right.", given=5),
        ),
        proof=lambda tk: tk.tensor([[3, 1, 2], [4, 1, 7]]).t().stride(1),
        picture=lambda tk: tk.tensor([[3, 1, 2], [4, 1, 7]]),
        pick="step",
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
            Slip(
                "strides follow the view",
                "A fresh tensor of that size would have that stride.",
                given=(2, 1, 1),
            ),
            Slip("transpose moves no data", "That is the stride before the transpose.", given=(6, 3, 1)),
            Slip("a size is not a stride", "That is the new size.", given=(3, 2, 1)),
            Slip("a size is not a stride", "That is the size of `t`.", given=(1, 2, 3)),
            Slip("permute vs view", "That is `transpose(0, 1)`.", given=(3, 6, 1)),
            Slip("permute vs view", "That is `transpose(1, 2)`.", given=(6, 1, 3)),
            Slip("permute vs view", "Dimension 1 stays in the middle, and so does its 3.", given=(1, 6, 3)),
            Slip("permute vs view", "Only two dimensions change places; the third stays.", given=(3, 1, 6)),
        ),
        proof=lambda tk: tuple(tk.zeros(1, 2, 3).transpose(0, 2).stride()),
    ),
    Question(
        "size_one",
        "You make a row whose dimension 0 has the size 1 and the stride 999, on a storage of three "
        "numbers: `tk.arange(3.0).as_strided((1, 3), (999, 1))`. What do you get?",
        "The row `[[0., 1., 2.]]`, as usual",
        "A dimension of size 1 has only the index 0, and 0 times any stride is 0.",
        options=(
            "An error: slot 999 does not exist",
            "The row `[[0., 1., 2.]]`, as usual",
            "A row with 999 numbers",
        ),
        slips=(
            Slip(
                "strides of size-1 dimensions",
                "The index is never 1 there, so slot 999 is never read.",
                given="An error: slot 999 does not exist",
            ),
            Slip(
                "a size is not a stride",
                "The size says how many numbers there are, and it is (1, 3).",
                given="A row with 999 numbers",
            ),
        ),
        proof=lambda tk: (
            "The row `[[0., 1., 2.]]`, as usual"
            if tk.arange(3.0).as_strided((1, 3), (999, 1)).tolist() == [[0.0, 1.0, 2.0]]
            else ""
        ),
    ),
    Question(
        "photo_view",
        "`photo` has the size (75, 64, 3). Which of the three pictures above is `photo.view(64, 75, 3)`?",
        "Picture 3",
        "`view` reads the storage in its old order, and breaks it into rows of 75 pixels where the photo has 64.",
        options=("Picture 1", "Picture 2", "Picture 3"),
        order="given",
        slips=(
            Slip(
                TURN,
                "That is `photo.transpose(0, 1)`. It is still a picture of her, because each of its rows is a "
                "column of the photo; `view` reads no columns.",
                given="Picture 1",
            ),
            Slip(
                TURN,
                "That is the noise. A view keeps the numbers in order: what was side by side in a row stays side by "
                "side.",
                given="Picture 2",
            ),
        ),
        proof=_which,
    ),
    Question(
        "pixel",
        "`tiny = tk.arange(12).view(3, 2, 2)` has its channels first: red, then green, then blue. Which three "
        "numbers make the first pixel of `tiny.view(2, 2, 3)`? Press them, or type them.",
        (0, 1, 2),
        "`view` keeps the order of the storage: the first three numbers are three **red** ones. `permute(1, 2, 0)` "
        "gives (0, 4, 8), a red, a green and a blue one.",
        slips=(
            Slip(
                TURN,
                "You wanted a red, a green and a blue. That is what `permute(1, 2, 0)` gives.",
                given=(0, 4, 8),
            ),
            Slip(TURN, "`view` reads the storage in its old order, without a gap.", given=(0, 3, 6)),
            Slip(TURN, "`view` skips no number.", given=(0, 2, 4)),
            Slip("counting from zero", "The first number of the storage is 0.", given=(1, 2, 3)),
            Slip(
                "channels are a dimension", "A pixel has three numbers now: the last size is 3.", given=(0,)
            ),
            Slip(
                "channels are a dimension",
                "Those are all four reds; a pixel has three numbers.",
                given=(0, 1, 2, 3),
            ),
        ),
        proof=lambda tk: tuple(_image(tk).view(2, 2, 3)[0, 0].tolist()),
        picture=_image,
        pick="cells",
    ),
)
