"""The questions of lesson 04, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question

MINUS = "what -1 means in view"


BATCH = "squeeze eats the batch dimension"


REPEATS = "broadcasting copies nothing"


PIECES = "chunk counts pieces"


LENGTH = "a length is not an end"


def _twelve(tk: Any) -> Any:
    return tk.arange(12).view(3, 4)


def _numbers(tensor: Any) -> tuple[int, ...]:
    return tuple(int(number) for number in tensor.reshape(-1).tolist())


QUESTIONS = (
    Question(
        "minus_one",
        "`tk.arange(12).view(2, -1, 3)`: one size is left open. What is the size of the result?",
        (2, 2, 3),
        "-1 means whatever size is left over: 12 elements, divided by 2·3, leave 2.",
        slips=(
            Slip(MINUS, "-1 never stays: it is worked out from the others.", given=(2, -1, 3)),
            Slip(MINUS, "That has room for 6 elements, and there are 12.", given=(2, 1, 3)),
            Slip(MINUS, "That has room for 24 elements, and there are 12.", given=(2, 4, 3)),
            Slip(MINUS, "It does not mean the last index here.", given=(2, 11, 3)),
        ),
        proof=lambda tk: tuple(tk.arange(12).view(2, -1, 3).size()),
    ),
    Question(
        "unsqueeze",
        "`b` has the size (3,). What is the size of `b.unsqueeze(1)`?",
        (3, 1),
        "The new dimension of size 1 is at place 1: behind the 3. `b.unsqueeze(0)` would have the size (1, 3).",
        slips=(
            Slip(
                "unsqueeze", "That is `b.unsqueeze(0)`: the number is the place of the new 1.", given=(1, 3)
            ),
            Slip("unsqueeze", "It adds one dimension, of size 1.", given=(3,)),
            Slip("unsqueeze", "It adds one dimension, not two.", given=(3, 1, 1)),
        ),
        proof=lambda tk: tuple(tk.zeros(3).unsqueeze(1).size()),
    ),
    Question(
        "squeeze_batch",
        "A batch of **one** grey image has the size (1, 1, 28, 28): items, channels, rows, columns. "
        "You want to get rid of the channel, so you write `batch.squeeze()`. What size do you get?",
        (28, 28),
        "`squeeze()` drops **every** dimension of size 1: the batch dimension too. `squeeze(1)` drops the channel "
        "alone. With two images in the batch the same line gives (2, 28, 28): a mistake that shows only sometimes.",
        slips=(
            Slip(
                BATCH,
                "That is `squeeze(1)`. Without a number it does not know which 1 you meant.",
                given=(1, 28, 28),
            ),
            Slip(
                BATCH, "It drops every dimension of size 1, and there are two of them.", given=(1, 1, 28, 28)
            ),
            Slip(BATCH, "It drops dimensions of size 1, no others.", given=(784,)),
            Slip(BATCH, "Those are the dimensions that it drops.", given=(1, 1)),
        ),
        proof=lambda tk: tuple(tk.zeros(1, 1, 28, 28).squeeze().size()),
    ),
    Question(
        "expand_slots",
        "`s = tk.arange(12)` has twelve slots. `row = s[4:7].view(1, 3)` reads three of them, and "
        "`e = row.expand(4, 3)` has four rows. Which slot does `e[2, 1]` read? Press it, or type its number.",
        5,
        "Nothing was copied: one row down is a step of 0 slots, so every row of `e` reads the slots 4, 5 and 6.",
        slips=(
            Slip(
                REPEATS,
                "That would be right if the rows were copied one after another: 4 + 2·3 + 1.",
                given=11,
            ),
            Slip(REPEATS, "One row down is a step of 0 slots, not of 1.", given=7),
            Slip("counting from zero", "That is `e[2, 0]`: column 1 is one step to the right.", given=4),
            Slip("counting from zero", "That is `e[2, 2]`: column 0 is in slot 4.", given=6),
            Slip("offsets count slots", "The row begins in slot 4.", given=1),
        ),
        proof=lambda tk: int(tk.arange(12)[4:7].view(1, 3).expand(4, 3)[2, 1].item()),
        picture=lambda tk: tk.arange(12),
        pick="slot",
    ),
    Question(
        "narrow",
        "`m = tk.arange(12).view(3, 4)`. Which numbers does `m.narrow(1, 1, 2)` keep? Press them, or type them.",
        (1, 2, 5, 6, 9, 10),
        "Dimension 1 counts the columns. From column 1 on, take two.",
        slips=(
            Slip(LENGTH, "The 2 is a length, not an end: two columns.", given=(1, 5, 9)),
            Slip(
                "rows come before columns",
                "Those are rows; dimension 1 counts the columns.",
                given=tuple(range(4, 12)),
            ),
            Slip("counting from zero", "The first column is column 0.", given=(0, 1, 4, 5, 8, 9)),
            Slip("counting from zero", "Column 1 is the second one.", given=(2, 3, 6, 7, 10, 11)),
        ),
        proof=lambda tk: _numbers(_twelve(tk).narrow(1, 1, 2)),
        picture=_twelve,
        pick="cells",
    ),
    Question(
        "chunk",
        "`tk.arange(10).chunk(4)` cuts ten numbers into four pieces. Which numbers are in the **last** piece? "
        "Press them, or type them.",
        (9,),
        "10 / 4 is rounded up to 3. Three pieces of 3 use up nine numbers, and one is left for the last piece.",
        slips=(
            Slip(
                PIECES,
                "That is the last piece of 3, 3, 2 and 2 numbers (`tensor_split` cuts like that), or of `split(4)`. "
                "`chunk` makes all pieces equally long, as far as the numbers go.",
                given=(8, 9),
            ),
            Slip(PIECES, "Three pieces of 3 come before it. How many numbers are left?", given=(7, 8, 9)),
            Slip(PIECES, "10 / 4 is rounded up, not down.", given=(6, 7, 8, 9)),
            Slip(PIECES, "8 is the last number of the third piece: 6, 7, 8.", given=(8,)),
        ),
        proof=lambda tk: _numbers(tk.arange(10).chunk(4)[-1]),
        picture=lambda tk: tk.arange(10),
        pick="cells",
    ),
)
