"""The exercises of lesson 04, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import tensorkit
from tensorkit_widgets.practice.checking.checks import layout_check, number_check, tensor_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Slip, read
from tensorkit_widgets.practice.kinds import Task

__all__ = ["TASKS"]

COPY = "a copy is not a view"


BATCH = "squeeze eats the batch dimension"


MINUS = "what -1 means in view"


REPEATS = "broadcasting copies nothing"


def _sixty(tk: Any) -> Any:
    return tk.arange(60.0).view(3, 4, 5)


def _batch(items: int) -> Case:
    """A batch of so many images, which is to lose its channel and stay what it is."""
    pixels = items * 12

    def looks(arguments: tuple[Any, ...], got: Any) -> object:
        mine = read(got)
        return mine.size, mine.values, mine.shares(read(arguments[0]))

    def tells(found: Any) -> str:
        if found[0] != (items, 3, 4):
            return f"the size should be ({items}, 3, 4); yours is {found[0]}."
        return "the numbers were copied." if not found[2] else "the numbers stand in another order."

    return Case(
        f"of a batch of {items}",
        lambda: (tensorkit.arange(float(pixels)).view(items, 1, 3, 4),),
        ((items, 3, 4), tuple(map(float, range(pixels))), True),
        looks,
        tells,
    )


TASKS = (
    Task(
        "left_over",
        "What is left over",
        "Worked: `tk.zeros(4, 6).view(8, -1)` has 24 elements, shared out by 8, so -1 becomes **3**.\n\n"
        "Your turn: what does -1 become in `tk.zeros(4, 6).view(2, -1, 3)`?",
        number_check(
            4,
            slips=(
                Slip(MINUS, "24 shared out by 2 is 12, but the 3 is there as well.", given=12),
                Slip(MINUS, "24 shared out by 3 is 8, but the 2 is there as well.", given=8),
                Slip(MINUS, "-1 never stays: it is worked out from the other sizes.", given=-1),
                Slip(
                    MINUS, "the old sizes do not matter any more, only how many elements there are.", given=6
                ),
            ),
        ),
        (
            "How many elements does `tk.zeros(4, 6)` have?",
            "The sizes of the result multiply to the same number: 2 · ? · 3.",
            "24 / (2·3)",
        ),
        "4 * 6 // (2 * 3)  # 4",
        stage="worked",
        entry="3",
        right=(
            lambda tk, t: 4,
            lambda tk, t: "4",
            lambda tk, t: tk.zeros(4, 6).view(2, -1, 3).size(1),
        ),
        wrong=(
            (lambda tk, t: 12, MINUS),
            (lambda tk, t: -1, MINUS),
            (lambda tk, t: 5, ""),
        ),
    ),
    Task(
        "batch_of_one",
        "A batch of one",
        "A model takes batches of images, size (N, 3, 4, 5). `t` is one image, size (3, 4, 5). Make it a batch of one, "
        "without copying:\n\n"
        "    t = tk.arange(60.0).view(3, 4, 5)\n"
        "    b = t.unsqueeze(___)",
        tensor_check(
            size=(1, 3, 4, 5),
            stride=(60, 20, 5, 1),
            shares=True,
            slips=(
                Slip(
                    "unsqueeze",
                    "the new dimension stands at the end; items are counted first.",
                    size=(3, 4, 5, 1),
                ),
                Slip("unsqueeze", "that is a place for it behind the channels.", size=(3, 1, 4, 5)),
                Slip(
                    COPY,
                    "the size is right, but the numbers were copied for it.",
                    behaves=lambda t: t.unsqueeze(0).clone(),
                ),
            ),
        ),
        (
            "Which dimension counts the items of a batch?",
            "`unsqueeze(d)` puts the new dimension at place d; the others move to the right.",
            "It has to stand at place 0.",
        ),
        "b = t.unsqueeze(0)",
        stage="faded",
        base=_sixty,
        right=(
            lambda tk, t: t.unsqueeze(0),
            lambda tk, t: t[None],
            lambda tk, t: t.view(1, 3, 4, 5),
            lambda tk, t: t.unsqueeze(-4),
        ),
        wrong=(
            (lambda tk, t: t.unsqueeze(-1), "unsqueeze"),
            (lambda tk, t: t.unsqueeze(1), "unsqueeze"),
            (lambda tk, t: tk.stack([t]), COPY),
            (lambda tk, t: tk.zeros(1, 3, 4, 5), COPY),
            (lambda tk, t: t, ""),
        ),
    ),
    Task(
        "drop_the_channel",
        "Drop the channel, keep the batch",
        "A batch of grey images has the size (N, 1, 3, 4): items, channels, rows, columns. Write `drop_channel(t)`, "
        "which drops the channel, so that (N, 3, 4) is left: items, rows, columns. No copy, and whatever N is: a batch "
        "may hold a single image.\n\n"
        "    def drop_channel(t):\n"
        "        return t.squeeze(___)",
        function_check(
            _batch(2),
            _batch(1),
            _batch(5),
            slips=(
                Slip(
                    BATCH,
                    "for a batch of two it works, and of a batch of **one** the batch is gone too: `squeeze()` drops "
                    "every dimension of size 1. Say which one you mean.",
                    behaves=lambda t: t.squeeze(),
                ),
                Slip(
                    BATCH,
                    "that drops dimension 0, the items, whenever there is only one. The channel is dimension 1.",
                    behaves=lambda t: t.squeeze(0),
                ),
                Slip(
                    "counting from zero",
                    "nothing is dropped: dimensions 2 and 3 are rows and columns, and their size is not 1. Dimensions "
                    "are counted from 0.",
                    behaves=lambda t: t.squeeze(2),
                ),
                Slip(
                    COPY,
                    "the size is right, but the numbers were copied.",
                    behaves=lambda t: t.squeeze(1).clone(),
                ),
                Slip(
                    "permute vs view",
                    "the size is right, and the numbers stand in another order.",
                    behaves=lambda t: t.squeeze(1).transpose(1, 2).reshape(t.size(0), 3, 4),
                ),
            ),
        ),
        (
            "`squeeze` takes a number: the dimension that is to go, if its size is 1.",
            "Items are dimension 0. Which number has the channel?",
            "t.squeeze(1)",
        ),
        "def drop_channel(t):\n    return t.squeeze(1)",
        stage="faded",
        right=(
            lambda tk, t: lambda t: t.squeeze(1),
            lambda tk, t: lambda t: t[:, 0],
            lambda tk, t: lambda t: t.select(1, 0),
            lambda tk, t: lambda t: t.view(-1, 3, 4),
        ),
        wrong=(
            (lambda tk, t: lambda t: t.squeeze(), BATCH),
            (lambda tk, t: lambda t: t.squeeze(0), BATCH),
            (lambda tk, t: lambda t: t.squeeze(2), "counting from zero"),
            (lambda tk, t: lambda t: t.squeeze(1).clone(), COPY),
            (lambda tk, t: lambda t: t.view(1, 3, 4), ""),
            (lambda tk, t: lambda t: t.squeeze(1)[:1], ""),
        ),
    ),
    Task(
        "which_repeats",
        "Which size and stride draw this?",
        "A storage holds the numbers 0 to 11, each in the slot of its own number. Some tensor on it, for which nothing "
        "was copied, prints as\n\n"
        "    tensor([[3., 4.],\n"
        "            [3., 4.],\n"
        "            [3., 4.]])\n\n"
        "Give its size, stride and offset as `((_, _), (_, _), _)`, or a tensor that is it.",
        layout_check(
            size=(3, 2),
            stride=(0, 1),
            offset=3,
            slips=(
                Slip(
                    REPEATS,
                    "a fresh table of that size has this stride: its second row would be 5 and 6. One row down, you "
                    "want to be in the **same** slot again.",
                    stride=(2, 1),
                ),
                Slip("offsets count slots", "it starts in slot 3.", stride=(0, 1), offset=0),
                Slip(REPEATS, "that repeats the columns; here the rows repeat.", stride=(1, 0)),
                Slip("rows come before columns", "three rows of two numbers.", size=(2, 3)),
            ),
        ),
        (
            "Three rows of two numbers: that is the size. In which slot does it start?",
            "One column to the right leads from slot 3 to slot 4.",
            "One row down leads from slot 3 to slot 3. How many slots is that?",
        ),
        "((3, 2), (0, 1), 3)",
        stage="reverse",
        entry="(3, 2), (2, 1), 0",
        right=(
            lambda tk, t: ((3, 2), (0, 1), 3),
            lambda tk, t: "(3, 2), (0, 1), 3",
            lambda tk, t: tk.arange(12.0)[3:5].expand(3, 2),
            lambda tk, t: tk.arange(12.0).as_strided((3, 2), (0, 1), 3),
        ),
        wrong=(
            (lambda tk, t: ((3, 2), (2, 1), 3), REPEATS),
            (lambda tk, t: ((3, 2), (0, 1), 0), "offsets count slots"),
            (lambda tk, t: ((3, 2), (1, 0), 3), REPEATS),
            (lambda tk, t: tk.arange(12.0)[3:6].expand(2, 3), "rows come before columns"),
            (lambda tk, t: ((3, 2), (0, 1), 4), ""),
        ),
    ),
)
