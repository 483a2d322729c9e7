"""The questions of lesson 04, with what proves them."""

from __future__ import annotations

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question

__all__ = ["QUESTIONS"]

QUESTIONS = (
    Question(
        "minus_one",
        "`tk.arange(12).view(2, -1, 3)`: one size is left open. What is the size of the result?",
        (2, 2, 3),
        "-1 stands for the size that is left over: 12 elements, shared out by 2·3, leave 2.",
        slips=(
            Slip(
                "what -1 means in view", "-1 never stays: it is worked out from the others.", given=(2, -1, 3)
            ),
            Slip("what -1 means in view", "That has room for 6 elements, and there are 12.", given=(2, 1, 3)),
            Slip(
                "what -1 means in view", "That has room for 24 elements, and there are 12.", given=(2, 4, 3)
            ),
            Slip("what -1 means in view", "It does not mean the last index here.", given=(2, 11, 3)),
        ),
        proof=lambda tk: tuple(tk.arange(12).view(2, -1, 3).size()),
    ),
    Question(
        "unsqueeze",
        "`b` has the size (3,). What is the size of `b.unsqueeze(1)`?",
        (3, 1),
        "The new dimension of size 1 stands at place 1: behind the 3. `b.unsqueeze(0)` would be (1, 3).",
        slips=(
            Slip(
                "unsqueeze", "That is `b.unsqueeze(0)`: the number says where the 1 will stand.", given=(1, 3)
            ),
            Slip("unsqueeze", "It adds one dimension, of size 1.", given=(3,)),
            Slip("unsqueeze", "It adds one dimension, not two.", given=(3, 1, 1)),
        ),
        proof=lambda tk: tuple(tk.zeros(3).unsqueeze(1).size()),
    ),
    Question(
        "squeeze_batch",
        "A batch of **one** grey image has the size (1, 1, 28, 28): items, channels, rows, columns. "
        "You want to be rid of the channel and write `batch.squeeze()`. What size comes out?",
        (28, 28),
        "`squeeze()` drops **every** dimension of size 1: the batch is gone too. `squeeze(1)` drops the channel alone. "
        "With two images in the batch the same line gives (2, 28, 28): a mistake that shows only sometimes.",
        slips=(
            Slip(
                "squeeze eats the batch dimension",
                "That is `squeeze(1)`. Without a number it does not know which 1 you meant.",
                given=(1, 28, 28),
            ),
            Slip("squeeze eats the batch dimension", "Both have the size 1.", given=(1, 1, 28, 28)),
            Slip(
                "squeeze eats the batch dimension", "It drops dimensions of size 1, no others.", given=(784,)
            ),
        ),
        proof=lambda tk: tuple(tk.zeros(1, 1, 28, 28).squeeze().size()),
    ),
    Question(
        "expand_slots",
        "`row` is `tk.ones(1, 3)`, and `e = row.expand(1000, 3)` has 3000 elements. "
        "How many slots does the storage of `e` have?",
        3,
        "Nothing was copied: dimension 0 has the stride 0, so every row reads the same three slots.",
        slips=(
            Slip("broadcasting copies nothing", "Nothing was copied; `repeat` would do that.", given=3000),
            Slip("broadcasting copies nothing", "The rows are not even there as pointers.", given=1000),
            Slip("broadcasting copies nothing", "The row had three slots to begin with.", given=1003),
        ),
        proof=lambda tk: tk.ones(1, 3).expand(1000, 3).untyped_storage().nbytes() // 4,
    ),
)
