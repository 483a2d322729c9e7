"""The questions of lesson 05, with what proves them."""

from __future__ import annotations

import pickle
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question


def _refuses(act: Any, *arguments: Any) -> bool:
    try:
        act(*arguments)
    except RuntimeError:
        return True
    return False


REFUSED = "view after transpose fails"


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
        "the_jump",
        "`y` is `x.t()`, and every number of `x` is also the number of its slot. Read the first row of `y`: 0, 4, "
        "8, so each step is +4 slots. The next number in reading order is `y[1, 0]`. How many slots is that step? "
        "Draw it, or type it.",
        -7,
        "From slot 8 back to slot 1. A tensor in one dimension has **one** stride, and no single stride makes the "
        "steps +4, +4, -7.",
        slips=(
            Slip(
                REFUSED,
                "`y[1, 0]` is not further along in the storage: look for its slot near the beginning.",
                given=4,
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
        "Splitting a dimension is always possible: the 4 becomes 2·2. Merging needs "
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
        "The transpose has the size (1, 4). No walk ever steps along a dimension of size 1, so its stride cannot "
        "break one.",
        options=("An error, as after every transpose", "All four numbers: this view is possible"),
        slips=(
            Slip(
                "strides of size-1 dimensions",
                "The transpose is not the problem; a walk with two different steps is.",
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
        "Read in order, `x[1:]` walks the slots 4, 5, 6, … 11 one by one; where it starts does not matter. `x[:, "
        "::2]` leaves out every second slot, and `x.t()` jumps.",
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
        "write `view` when it has to be a view, and `clone` when it has to be a copy.",
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
        "windows",
        "`s = tk.arange(12)`, so each number is also the number of its slot, and `windows = s.as_strided((4, 3), "
        "(2, 1))`. Which numbers are in row 2, `windows[2]`? Press them, or type them.",
        (4, 5, 6),
        "Two steps of 2 slots lead to slot 4; from there, one slot at a time.",
        slips=(
            Slip(
                "strides follow the view",
                "A fresh table of that size, with the stride (3, 1), would hold them there. This stride is (2, 1).",
                given=(6, 7, 8),
            ),
            Slip("counting from zero", "That is `windows[1]`.", given=(2, 3, 4)),
            Slip("strides count slots", "2 is the step down; the step to the right is 1.", given=(4, 6, 8)),
            Slip(
                "strides count slots", "One row down is 2 slots, and row 2 is two rows down.", given=(3, 4, 5)
            ),
        ),
        proof=lambda tk: tuple(tk.arange(12).as_strided((4, 3), (2, 1))[2].tolist()),
        picture=lambda tk: tk.arange(12),
        pick="cells",
    ),
    Question(
        "saved_slice",
        "`big = tk.zeros(1_000_000)` takes 4,000,000 bytes, and `thumb = big[:3]`. You save `thumb`, three numbers. "
        "How many bytes does the file have?",
        "About 4,000,000",
        "The whole storage is saved. The slice itself is only a size, a stride and an offset that say how to read "
        "it. The same is true in memory: `thumb` keeps the whole storage alive.",
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
                "That would be true of `thumb.clone()`.",
                given="A few hundred",
            ),
        ),
        proof=_saved,
    ),
)
