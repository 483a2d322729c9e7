"""The questions of lesson 03, with what proves them."""

from __future__ import annotations

import pickle
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question

__all__ = ["QUESTIONS"]

COPY = "a copy is not a view"
TURN = "permute vs view"
REFUSED = "view after transpose fails"


def _refuses(act: Any, *arguments: Any) -> bool:
    try:
        act(*arguments)
    except RuntimeError:
        return True
    return False


def _image(tk: Any) -> Any:
    return tk.arange(12).view(3, 2, 2)


def _legal(tk: Any) -> str:
    t = tk.zeros(2, 3, 4).transpose(0, 1)
    shapes = {"`t.view(3, 8)`": (3, 8), "`t.view(6, 4)`": (6, 4), "`t.view(3, 2, 2, 2)`": (3, 2, 2, 2)}
    (found,) = (code for code, shape in shapes.items() if not _refuses(t.view, shape))
    return found


def _contiguous(tk: Any) -> str:
    x = tk.arange(12).view(3, 4)
    made = {"`x.t()`": x.t(), "`x[:, ::2]`": x[:, ::2], "`x[1:]`": x[1:]}
    (found,) = (code for code, u in made.items() if u.is_contiguous())
    return found


def _reshaped(tk: Any) -> str:
    x = tk.arange(6).view(2, 3)
    x.reshape(-1)[0] = 100
    straight = x[0, 0].item() == 100
    x = tk.arange(6).view(2, 3)
    x.t().reshape(-1)[0] = 100
    turned = x[0, 0].item() == 100
    return "Only `a`" if straight and not turned else "?"


def _saved(tk: Any) -> str:
    count = len(pickle.dumps(tk.zeros(1_000_000)[:3]))
    return "About 4,000,000" if 4_000_000 < count < 4_010_000 else "?"


def _gap(tk: Any) -> int:
    y = tk.arange(12).view(3, 4).t()
    return int(y[1, 0].item() - y[0, 2].item())


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
    Question(
        "the_jump",
        "`y` is `x.t()`, and every number of `x` is its own slot. Read the first row of `y`: 0, 4, 8, so each step is "
        "+4 slots. The next number in reading order is `y[1, 0]`. How many slots is that step? Draw it, or type it.",
        -7,
        "From slot 8 back to slot 1. A tensor in one dimension has **one** stride: +4, +4, -7 cannot be said.",
        slips=(
            Slip(
                REFUSED, "Look where `y[1, 0]` lies: at the top of the picture, not further right.", given=4
            ),
            Slip(
                REFUSED, "That is the step from `y[0, 0]` down to `y[1, 0]`; you come from slot 8.", given=1
            ),
            Slip(REFUSED, "It goes back: the sign is missing.", given=7),
        ),
        proof=_gap,
        picture=lambda tk: tk.arange(12).view(3, 4).t(),
        pick="step",
    ),
    Question(
        "which_view",
        "`t` is `tk.zeros(2, 3, 4).transpose(0, 1)`: size (3, 2, 4), stride (4, 12, 1). Which view is possible?",
        "`t.view(3, 2, 2, 2)`",
        "Splitting a dimension is always possible: the 4 becomes 2·2. Merging wants "
        "`stride[d] = size[d+1]·stride[d+1]`: 12 is not 4·1, and 4 is not 2·12.",
        options=("`t.view(3, 8)`", "`t.view(6, 4)`", "`t.view(3, 2, 2, 2)`"),
        slips=(
            Slip(REFUSED, "Dimensions 1 and 2 would merge, but 12 is not 4·1.", given="`t.view(3, 8)`"),
            Slip(REFUSED, "Dimensions 0 and 1 would merge, but 4 is not 2·12.", given="`t.view(6, 4)`"),
        ),
        proof=_legal,
    ),
    Question(
        "column_view",
        "`c` is `tk.arange(4).view(4, 1)`, one column. What does `c.t().view(-1)` give?",
        "All four numbers: this view is possible",
        "The transpose has the size (1, 4). Nobody steps along a dimension of size 1, so its stride can break no walk.",
        options=("An error, as after every transpose", "All four numbers: this view is possible"),
        slips=(
            Slip(
                "strides of size-1 dimensions",
                "It is not the transpose that `view` minds, but a walk with two different steps.",
                given="An error, as after every transpose",
            ),
        ),
        proof=lambda tk: (
            "An error, as after every transpose"
            if _refuses(tk.arange(4).view(4, 1).t().view, -1)
            else "All four numbers: this view is possible"
        ),
    ),
    Question(
        "which_contiguous",
        "`x` is `tk.arange(12).view(3, 4)`. Which of these is **contiguous**?",
        "`x[1:]`",
        "Read in order, `x[1:]` walks the slots 4, 5, 6, … 11 one by one; where it starts does not matter. `x[:, ::2]` "
        "leaves out every second slot, and `x.t()` jumps.",
        options=("`x.t()`", "`x[:, ::2]`", "`x[1:]`"),
        slips=(
            Slip(
                "what contiguous means",
                "Its storage is in one piece, but its walk through it is not.",
                given="`x.t()`",
            ),
            Slip(
                "what contiguous means",
                "0, 2, 4, 6, …: every second slot is left out.",
                given="`x[:, ::2]`",
            ),
        ),
        proof=_contiguous,
    ),
    Question(
        "reshape_write",
        "`a = x.reshape(-1)` and `b = x.t().reshape(-1)`, where `x` is fresh. "
        "Through which of them does a write reach `x`?",
        "Only `a`",
        "`reshape` is a view where it can be, and a copy where it must. Do not rely on either: "
        "say `view` when it has to be a view, and `clone` when it has to be a copy.",
        order="last",
        options=("Both", "Only `a`", "Only `b`", "Neither"),
        slips=(
            Slip(
                "reshape may copy", "`x.t()` cannot be walked with one stride: `b` is a copy.", given="Both"
            ),
            Slip("reshape may copy", "It is the other one that had to be copied.", given="Only `b`"),
            Slip(
                "reshape may copy",
                "`x` is in reading order already: nothing had to be copied.",
                given="Neither",
            ),
        ),
        proof=_reshaped,
    ),
    Question(
        "saved_slice",
        "`big = tk.zeros(1_000_000)` takes 4,000,000 bytes, and `thumb = big[:3]`. You save `thumb`, three numbers. "
        "How many bytes does the file have?",
        "About 4,000,000",
        "What is saved is the storage, all of it: the slice is only three numbers that say how to read it. "
        "The same holds in memory: `thumb` keeps the whole storage alive.",
        order="given",
        options=("12", "A few hundred", "About 4,000,000"),
        slips=(
            Slip(
                "a saved slice saves the whole storage",
                "Three numbers take 12 bytes; but a slice has no storage of its own.",
                given="12",
            ),
            Slip(
                "a saved slice saves the whole storage",
                "So it would be for `thumb.clone()`.",
                given="A few hundred",
            ),
        ),
        proof=_saved,
    ),
)
