"""The questions of lesson 02, with what proves them."""

from __future__ import annotations

import warnings
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question

__all__ = ["QUESTIONS"]


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
        "recall_dtype",
        "Which dtype has `tk.arange(10.0)`, made from a Python float?",
        "`float32`",
        "Python floats become `float32`, four bytes each; NumPy would have taken `float64`.",
        options=("`int64`", "`float32`", "`float64`"),
        slips=(
            Slip("default dtype", "That is NumPy's choice for a float.", given="`float64`"),
            Slip("default dtype", "The dot in `10.` makes it a float.", given="`int64`"),
        ),
        recall=True,
        proof=lambda tk: f"`{str(tk.arange(10.0).dtype).rpartition('.')[2]}`",
    ),
    Question(
        "recall_bytes",
        "How many bytes do the ten numbers of `tk.arange(10.0)` take?",
        40,
        "Ten numbers of four bytes; the numbers lie side by side, without any Python object around them.",
        slips=(
            Slip("bytes per element", "That would be one byte a number.", given=10),
            Slip("bytes per element", "That would be `float64`, eight bytes a number.", given=80),
        ),
        recall=True,
        proof=lambda tk: tk.arange(10.0).untyped_storage().nbytes(),
    ),
    Question(
        "recall_device",
        "Nobody said where `tk.arange(10.0)` should live. Where does it?",
        "In the computer's main memory: `cpu`",
        "`cpu` is where tensors start, with or without a GPU in the machine.",
        options=(
            "On the fastest device of the machine",
            "In the computer's main memory: `cpu`",
            "Nowhere, until it is first used",
        ),
        slips=(
            Slip(
                "tensors start on the CPU",
                "A tensor goes to another device only when it is told to.",
                given="On the fastest device of the machine",
            ),
        ),
        recall=True,
        proof=lambda tk: f"In the computer's main memory: `{tk.arange(10.0).device}`",
    ),
    Question(
        "write_storage",
        "`t` is `tk.arange(10.0).view(2, 5)`. We write into its **storage**, not into `t`: "
        "`storage[3] = 10.0`. What does `t` show afterwards?",
        "`t[0, 3]` is now `10.`",
        "`t` has no numbers of its own: what it shows, it reads from the storage, then and there.",
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
        "slice_stride",
        "`t` is `tk.arange(12.0).view(3, 4)`, with the stride (4, 1). What is the stride of `t[1:, ::2]`?",
        (4, 2),
        "One row down is still four slots further. One column to the right now skips a number: two slots.",
        slips=(
            Slip("a step multiplies the stride", "The step of 2 counts as well.", given=(4, 1)),
            Slip("strides follow the view", "A fresh tensor of size (2, 2) would have that.", given=(2, 1)),
            Slip("a step multiplies the stride", "Only dimension 1 has a step of 2.", given=(8, 2)),
            Slip("a size is not a stride", "That is its size.", given=(2, 2)),
        ),
        proof=lambda tk: tuple(_twelve(tk)[1:, ::2].stride()),
    ),
    Question(
        "alias",
        "`u = t[1:, ::2]`, then `u[0, 0] = 99.0`. What happens to `t`?",
        "`t[1, 0]` becomes `99.` as well",
        "Both read slot 4 of the one storage. A slice is a new tensor object on the old storage.",
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
        "The storage has twenty slots. `x` has three rows and two columns, starts in slot 5, and steps 4 slots down "
        "and 1 to the right. Which slot does `x[2, 1]` read? Press it, or type its number.",
        14,
        "5 + 2·4 + 1·1: the offset, two steps down, one to the right.",
        slips=(
            Slip("offsets count slots", "Start at the offset: `x[0, 0]` lies in slot 5.", given=9),
            Slip("counting from zero", "Row 2 is two steps down, because the first row is row 0.", given=10),
            Slip("counting from zero", "Column 1 is one step to the right of column 0.", given=13),
        ),
        proof=lambda tk: int(tk.arange(20.0).as_strided((3, 2), (4, 1), 5)[2, 1].item()),
        picture=lambda tk: tk.arange(20),
        pick="slot",
    ),
)
