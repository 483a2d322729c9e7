"""The questions of lesson 02, with what proves them."""

from __future__ import annotations

import warnings
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question

STEPS = "strides count slots"


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


def _write_storage(tk: Any) -> str:
    t = tk.arange(10.0).view(2, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the old name of a storage says that it is old
        t.storage()[3] = 10.0
    return "`t[0, 3]` is now `10.`" if t[0, 3].item() == 10.0 else "Nothing: `t` keeps its own numbers"


def _alias(tk: Any) -> str:
    t = _twelve(tk)
    u = t[1:, ::2]
    u[0, 0] = 99.0
    return "`t[1, 0]` becomes `99.` as well" if t[1, 0].item() == 99.0 else "Nothing: `u` is a new tensor"


QUESTIONS = (
    Question(
        "write_storage",
        "`t` is `tk.arange(10.0).view(2, 5)`. We write into its **storage**, not into `t`: `storage[3] = 10.0`. What "
        "does `t` show afterwards?",
        "`t[0, 3]` is now `10.`",
        "`t` has no numbers of its own: it reads them from the storage each time you look at it.",
        options=(
            "Nothing: `t` keeps its own numbers",
            "`t[0, 3]` is now `10.`",
            "`t[1, 3]` is now `10.`, in the second row",
        ),
        slips=(
            Slip(
                "a copy is not a view",
                "There is no second set of numbers that `t` could keep.",
                given="Nothing: `t` keeps its own numbers",
            ),
            Slip(
                "counting from zero",
                "Slot 3 is the fourth slot, and the first row has the slots 0 to 4.",
                given="`t[1, 3]` is now `10.`, in the second row",
            ),
        ),
        proof=_write_storage,
    ),
    Question(
        "next_row",
        "`t` has two rows of five, kept in ten slots. Take one step down in `t`, from `t[0, 2]` to `t[1, 2]`. How "
        "many slots is that step in the storage? Draw it, or type the number.",
        5,
        "`t[0, 2]` is in slot 2. Then come the rest of its row and the beginning of the next: `t[1, 2]` is in slot "
        "7.",
        slips=(
            Slip(STEPS, "That is one step to the right: `t[0, 3]` is the neighbour of `t[0, 2]`.", given=1),
            Slip("a size is not a stride", "That is the number of rows.", given=2),
            Slip(STEPS, "Those are the slots in between. Count the steps from slot 2 to slot 7.", given=4),
            Slip(
                STEPS,
                "That is one too many: the first row ends in slot 4, and the next one begins in slot 5.",
                given=6,
            ),
            Slip(STEPS, "Down in `t` is forward in the storage: from slot 2 to slot 7, not back.", given=-5),
            Slip("strides count slots", "Those are bytes; a slot holds one number.", given=20),
            Slip(STEPS, "That is the slot of `t[1, 2]`. The step starts in slot 2.", given=7),
        ),
        proof=lambda tk: tk.arange(10.0).view(2, 5).stride(0),
        picture=lambda tk: tk.arange(10).view(2, 5),
        pick="step",
    ),
    Question(
        "slice_stride",
        "`t` is `tk.arange(12.0).view(3, 4)`, with the stride (4, 1). What is the stride of `t[1:, ::2]`?",
        (4, 2),
        "One row down is still four slots further. One column to the right now skips a number: two slots.",
        slips=(
            Slip("a step multiplies the stride", "The step of 2 counts as well.", given=(4, 1)),
            Slip(
                "strides follow the view",
                "A fresh tensor of size (2, 2) would have that stride.",
                given=(2, 1),
            ),
            Slip("a step multiplies the stride", "Only dimension 1 has a step of 2.", given=(8, 2)),
            Slip("a size is not a stride", "That is its size.", given=(2, 2)),
            Slip(
                "rows come before columns",
                "The step down comes first, then the step to the right.",
                given=(2, 4),
            ),
            Slip(
                "a step multiplies the stride", "The step of 2 is in dimension 1, the columns.", given=(8, 1)
            ),
            Slip(STEPS, "You counted from 1: the next column but one is 2 slots further.", given=(4, 3)),
        ),
        proof=lambda tk: tuple(_twelve(tk)[1:, ::2].stride()),
    ),
    Question(
        "alias",
        "`u = t[1:, ::2]`, then `u[0, 0] = 99.0`. What happens to `t`?",
        "`t[1, 0]` becomes `99.` as well",
        "Both read slot 4 of the same storage. A slice is a new tensor object on the old storage.",
        options=(
            "Nothing: `u` is a new tensor",
            "`t[0, 0]` becomes `99.` as well",
            "`t[1, 0]` becomes `99.` as well",
        ),
        slips=(
            Slip(
                "a slice aliases its base",
                "It is a new tensor object, but no number was copied.",
                given="Nothing: `u` is a new tensor",
            ),
            Slip(
                "offsets count slots",
                "`u` starts in row 1 of `t`: its offset is 4, so its first element is slot 4.",
                given="`t[0, 0]` becomes `99.` as well",
            ),
        ),
        proof=_alias,
    ),
    Question(
        "which_slot",
        "The storage has twenty slots. `x` has three rows and two columns, and starts in slot 5. A step down is 4 "
        "slots, and a step to the right is 1. Which slot does `x[2, 1]` read? Press it, or type its number.",
        14,
        "5 + 2·4 + 1·1: the offset, two steps down, one to the right.",
        slips=(
            Slip("offsets count slots", "Start at the offset: `x[0, 0]` is in slot 5.", given=9),
            Slip("counting from zero", "Row 2 is two steps down, because the first row is row 0.", given=10),
            Slip("counting from zero", "Column 1 is one step to the right of column 0.", given=13),
            Slip(
                "counting from zero",
                "Rows and columns are counted from 0: that is one row and one column too far.",
                given=19,
            ),
            Slip(
                "counting from zero", "That is one row too far: row 2 is two steps down from row 0.", given=18
            ),
            Slip("strides count slots", "One step down is 4 slots, not 1.", given=8),
            Slip("a size is not a stride", "One step down is 4 slots; 3 is the number of rows.", given=12),
            Slip("counting from zero", "That is one column too far, and `x` has only two.", given=15),
            Slip(
                "rows come before columns",
                "That is one step down and two to the right: the row comes first.",
                given=11,
            ),
        ),
        proof=lambda tk: int(tk.arange(20.0).as_strided((3, 2), (4, 1), 5)[2, 1].item()),
        picture=lambda tk: tk.arange(20),
        pick="slot",
    ),
)
