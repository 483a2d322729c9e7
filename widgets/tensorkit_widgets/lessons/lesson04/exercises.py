"""The exercises of lesson 04, with the solutions and slips that prove their checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorkit
from tensorkit_widgets.practice.checking.checks import layout_check, number_check, tensor_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Facts, Slip, read
from tensorkit_widgets.practice.kinds import Task

COPY = "a copy is not a view"


BATCH = "squeeze eats the batch dimension"


MINUS = "what -1 means in view"


REPEATS = "broadcasting copies nothing"


PIECES = "chunk counts pieces"


def _four_pictures(tk: Any) -> Any:
    return tk.arange(48.0).view(4, 3, 4)


def _batch(items: int) -> Case:
    """A batch of so many images, which is to lose its channel and stay what it is."""
    pixels = items * 12

    def looks(arguments: tuple[Any, ...], got: Any) -> object:
        mine = read(got)
        return mine.size, mine.values, mine.shares(read(arguments[0]))

    def tells(found: Any) -> str:
        if found[0] != (items, 3, 4):
            return f"the size should be ({items}, 3, 4); yours is {found[0]}."
        return "the numbers were copied." if not found[2] else "the numbers are in another order."

    return Case(
        f"of a batch of {items}",
        lambda: (tensorkit.arange(float(pixels)).view(items, 3, 4, 1),),
        ((items, 3, 4), tuple(map(float, range(pixels))), True),
        looks,
        tells,
    )


def _photo(tk: Any) -> Any:
    """Of the size of the photograph, each number another."""
    return tk.arange(75 * 64 * 3).view(75, 64, 3)


def _in_order(base: Facts, strips: Sequence[tuple[int, int]]) -> list[Any]:
    """The numbers of these strips, each given by its first row and the one after its last."""
    row = 64 * 3
    return [number for first, end in strips for number in base.values[first * row : end * row]]


def _joined(pieces: Sequence[Any]) -> Any:
    """What `cat` makes of the pieces, of whichever library they are."""
    rows = [row for piece in pieces for row in piece]
    table = rows[0].new_zeros((len(rows), *rows[0].size()))
    for place, row in zip(table, rows, strict=True):
        place.copy_(row)
    return table


def _corner(photos: Any) -> Any:
    """What plays the model: it takes (items, rows, columns), and gives a number for each item."""
    return photos[:, 0, 0]


def _scored(items: int) -> Case:
    """A model and a batch of so many grey pictures, with the numbers that the model gives for each."""
    return Case(
        f"of a batch of {items}",
        lambda: (_corner, tensorkit.arange(items * 12.0).view(items, 1, 3, 4)),
        [tensorkit.tensor([12.0 * item]) for item in range(items)],
    )


TASKS = (
    Task(
        "left_over",
        "What is left over",
        "Worked: `tk.zeros(4, 6).view(8, -1)` has 24 elements. Divided by 8 that is 3, so -1 becomes **3**.\n\n"
        "Your turn: what does -1 become in `tk.zeros(6, 10).view(3, 4, -1)`?",
        number_check(
            5,
            slips=(
                Slip(MINUS, "60 divided by 3 is 20, but the 4 is there as well.", given=20),
                Slip(MINUS, "60 divided by 4 is 15, but the 3 is there as well.", given=15),
                Slip(MINUS, "-1 never stays: it is worked out from the other sizes.", given=-1),
                Slip(
                    MINUS, "the old sizes do not matter any more, only how many elements there are.", given=10
                ),
            ),
        ),
        (
            "How many elements does `tk.zeros(6, 10)` have?",
            "The sizes of the result multiply to the same number: 3 · 4 · ?",
            "60 / (3·4)",
        ),
        "6 * 10 // (3 * 4)  # 5",
        stage="worked",
        entry="3",
        right=(
            lambda tk, t: 5,
            lambda tk, t: "5",
            lambda tk, t: tk.zeros(6, 10).view(3, 4, -1).size(2),
        ),
        wrong=(
            (lambda tk, t: 20, MINUS),
            (lambda tk, t: 15, MINUS),
            (lambda tk, t: -1, MINUS),
            (lambda tk, t: 10, MINUS),
            (lambda tk, t: 4, ""),
        ),
    ),
    Task(
        "room_for_a_channel",
        "Room for a channel",
        "`t` is a batch of four grey pictures: items, rows, columns. The network expects (items, channels, rows, "
        "columns), and a grey picture has one channel. Make room for it, without copying:\n\n"
        "    t = tk.arange(48.0).view(4, 3, 4)\n"
        "    b = t.unsqueeze(___)",
        tensor_check(
            size=(4, 1, 3, 4),
            stride=(12, 12, 4, 1),
            shares=True,
            slips=(
                Slip(
                    "unsqueeze",
                    "now there is one item, with four channels: the four pictures have become one.",
                    size=(1, 4, 3, 4),
                ),
                Slip(
                    "unsqueeze",
                    "that is the order of lesson 01, with the channels at the end. This network expects them after "
                    "the items.",
                    size=(4, 3, 4, 1),
                ),
                Slip("unsqueeze", "that puts the 1 after the rows.", size=(4, 3, 1, 4)),
                Slip(
                    COPY,
                    "the size is right, but the numbers were copied.",
                    behaves=lambda t: t.unsqueeze(1).clone(),
                ),
            ),
        ),
        (
            "Write down the size that you have and the size that you need. Where is the new 1?",
            "`unsqueeze(d)` puts the new dimension at place d; the others move to the right.",
            "The items keep place 0, so the channels get place 1.",
        ),
        "b = t.unsqueeze(1)",
        stage="faded",
        base=_four_pictures,
        right=(
            lambda tk, t: t.unsqueeze(1),
            lambda tk, t: t[:, None],
            lambda tk, t: t.view(4, 1, 3, 4),
            lambda tk, t: t.unsqueeze(-3),
        ),
        wrong=(
            (lambda tk, t: t.unsqueeze(0), "unsqueeze"),
            (lambda tk, t: t.unsqueeze(-1), "unsqueeze"),
            (lambda tk, t: t.unsqueeze(2), "unsqueeze"),
            (lambda tk, t: tk.stack([t], 1), COPY),
            (lambda tk, t: tk.zeros(4, 1, 3, 4), COPY),
            (lambda tk, t: t, ""),
        ),
    ),
    Task(
        "drop_the_channel",
        "Drop the channel, keep the batch",
        "Another library keeps the channel of a grey picture at the end: (N, 3, 4, 1) is N items of 3 rows, 4 "
        "columns and one channel. Write `drop_channel(t)`, which drops the channel, so that (N, 3, 4) is left. No "
        "copy, and it must work for any N: a batch may hold a single picture.",
        function_check(
            _batch(2),
            _batch(1),
            _batch(5),
            slips=(
                Slip(
                    BATCH,
                    "it works for a batch of two, but from a batch of **one** it takes the batch dimension too: "
                    "`squeeze()` drops every dimension of size 1. Say which one you mean.",
                    behaves=lambda t: t.squeeze(),
                ),
                Slip(
                    BATCH,
                    "that drops dimension 0, the items, whenever there is only one. The channel is the last "
                    "dimension.",
                    behaves=lambda t: t.squeeze(0),
                ),
                Slip(
                    "counting from zero",
                    "nothing is dropped: dimensions 1 and 2 are rows and columns, and their size is not 1. "
                    "Dimensions are counted from 0.",
                    behaves=(lambda t: t.squeeze(2), lambda t: t.squeeze(1)),
                ),
                Slip(
                    COPY,
                    "the size is right, but the numbers were copied.",
                    behaves=lambda t: t.squeeze(3).clone(),
                ),
                Slip(
                    "permute vs view",
                    "the size is right, and the numbers are in another order.",
                    behaves=lambda t: t.squeeze(3).transpose(1, 2).reshape(t.size(0), 3, 4),
                ),
            ),
        ),
        (
            "`squeeze` takes a number: the dimension to remove, if its size is 1.",
            "Items are dimension 0. Which number is the channel's?",
            "Count on to the last: 3, or -1 from the end.",
        ),
        "def drop_channel(t):\n    return t.squeeze(3)",
        stage="free",
        right=(
            lambda tk, t: lambda t: t.squeeze(3),
            lambda tk, t: lambda t: t.squeeze(-1),
            lambda tk, t: lambda t: t[..., 0],
            lambda tk, t: lambda t: t.select(3, 0),
            lambda tk, t: lambda t: t.view(-1, 3, 4),
        ),
        wrong=(
            (lambda tk, t: lambda t: t.squeeze(), BATCH),
            (lambda tk, t: lambda t: t.squeeze(0), BATCH),
            (lambda tk, t: lambda t: t.squeeze(2), "counting from zero"),
            (lambda tk, t: lambda t: t.squeeze(3).clone(), COPY),
            (lambda tk, t: lambda t: t.view(1, 3, 4), ""),
            (lambda tk, t: lambda t: t.squeeze(3)[:1], ""),
        ),
    ),
    Task(
        "which_repeats",
        "Which size and stride print this?",
        "A storage holds the numbers 0 to 11, each in the slot of its own number. A tensor on it, made without "
        "copying, prints as\n\n"
        "    tensor([[3., 4.],\n"
        "            [3., 4.],\n"
        "            [3., 4.]])\n\n"
        "Give its size, stride and offset as `((_, _), (_, _), _)`, or give such a tensor.",
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
                Slip("rows come before columns", "it has three rows of two numbers.", size=(2, 3)),
            ),
        ),
        (
            "Three rows of two numbers: that is the size. In which slot does it begin?",
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
    Task(
        "strips",
        "The photograph, from bottom to top",
        "`photo` is the photograph of this lesson; it has 75 rows. Cut it into **4** strips, one above the other, "
        "with `chunk`, and put the strips together again in the opposite order: the lowest on top. Within a strip "
        "every row stays where it was. (A tuple or a list is turned round by `[::-1]`.)\n\n"
        "    turned = ...",
        tensor_check(
            size=(75, 64, 3),
            values=lambda base: _in_order(base, ((57, 75), (38, 57), (19, 38), (0, 19))),
            shares=False,
            slips=(
                Slip(
                    "",
                    "every single row has changed places, so she is upside down. Turn round the order of the strips, "
                    "and not that of the rows.",
                    behaves=lambda t: t.flip(0),
                ),
                Slip(
                    "",
                    "these are the strips in their old order: the photograph as it was.",
                    behaves=lambda t: t.clone(),
                ),
                Slip(
                    "a slice aliases its base",
                    "that is the photograph as it was, and not even a copy of it.",
                    behaves=lambda t: t,
                ),
                Slip(
                    PIECES,
                    "those strips are 4 rows high. `split` takes the length of a piece, `chunk` their number.",
                    behaves=lambda t: _joined(t.split(4)[::-1]),
                ),
                Slip(
                    "rows come before columns",
                    "those strips are side by side: they were cut out of dimension 1, the columns.",
                    behaves=lambda t: (
                        _joined([piece.transpose(0, 1) for piece in t.chunk(4, 1)[::-1]])
                        .transpose(0, 1)
                        .contiguous()
                    ),
                ),
                Slip(
                    "cat vs stack",
                    "one dimension too many: `stack` makes a batch of the strips. Which call makes one photograph of "
                    "them?",
                    when=lambda answer, mine, base: len(mine.size) == 4,
                ),
            ),
        ),
        (
            "`photo.chunk(4)` gives the strips as a tuple, from top to bottom.",
            "The last strip is one row short, so `stack` refuses them. Which call lengthens a dimension that is "
            "there?",
            "Turn the tuple round with `[::-1]`, and give it to `cat`.",
        ),
        "turned = tk.cat(t.chunk(4)[::-1])",
        stage="free",
        base=_photo,
        right=(
            lambda tk, t: tk.cat(t.chunk(4)[::-1]),
            lambda tk, t: tk.cat(list(reversed(t.chunk(4, dim=0)))),
            lambda tk, t: tk.cat(t.split(19)[::-1]),
            lambda tk, t: tk.cat([t[57:], t[38:57], t[19:38], t[:19]]),
        ),
        wrong=(
            (lambda tk, t: t.flip(0), ""),
            (lambda tk, t: tk.cat(t.chunk(4)), ""),
            (lambda tk, t: tk.cat(t.split(4)[::-1]), PIECES),
            (lambda tk, t: tk.cat(t.chunk(4, 1)[::-1], 1), "rows come before columns"),
            (lambda tk, t: tk.stack(t.chunk(5)[::-1]), "cat vs stack"),
            (lambda tk, t: tk.cat(t.chunk(5)[::-1]), ""),
            (lambda tk, t: t, "a slice aliases its base"),
        ),
    ),
    Task(
        "one_by_one",
        "Repair it",
        "`model` takes a batch of grey pictures **without** their channel, (items, rows, columns), and gives one "
        "number for each item. This function should feed it a batch of size (N, 1, rows, columns), one picture at a "
        "time, and collect what it gives. It stops with an `IndexError`. Repair it, and give the function itself.\n\n"
        "    def one_by_one(model, batch):\n"
        "        scores = []\n"
        "        for one in batch.split(1):\n"
        "            scores.append(model(one.squeeze()))\n"
        "        return scores",
        function_check(
            _scored(3),
            _scored(1),
            _scored(4),
            slips=(
                Slip(
                    BATCH,
                    "each `one` is a batch of a single picture, (1, 1, rows, columns), and `squeeze()` takes away "
                    "both of the 1s. What reaches the model is no longer a batch.",
                    behaves=lambda model, batch: [model(one.squeeze()) for one in batch.split(1)],
                ),
                Slip(
                    "unsqueeze",
                    "the model gets four dimensions: the channel is still there.",
                    behaves=lambda model, batch: [model(one) for one in batch.split(1)],
                ),
                Slip(
                    "",
                    "the model takes them all at once, and gives all of the numbers in one tensor. That is a good "
                    "idea, and faster; but here the answer should be a list, with one tensor for each picture.",
                    behaves=lambda model, batch: model(batch.squeeze(1)),
                ),
                Slip(
                    "",
                    "the numbers are right, but joined in one tensor. The answer should be a list, with one tensor for "
                    "each picture.",
                    behaves=lambda model, batch: tensorkit.stack([model(one) for one in batch]),
                ),
            ),
        ),
        (
            "Which size does `one` have, and which size does the model expect?",
            "There are two dimensions of size 1. Remove only the channel.",
            "one.squeeze(1)",
        ),
        "def one_by_one(model, batch):\n"
        "    scores = []\n"
        "    for one in batch.split(1):\n"
        "        scores.append(model(one.squeeze(1)))\n"
        "    return scores",
        stage="free",
        right=(
            lambda tk, t: lambda model, batch: [model(one.squeeze(1)) for one in batch.split(1)],
            lambda tk, t: lambda model, batch: [model(one[:, 0]) for one in batch.split(1)],
            lambda tk, t: lambda model, batch: [model(one) for one in batch.squeeze(1).split(1)],
            lambda tk, t: lambda model, batch: [model(one.view(1, 3, 4)) for one in batch.unbind()],
        ),
        wrong=(
            (lambda tk, t: lambda model, batch: [model(one.squeeze()) for one in batch.split(1)], BATCH),
            (lambda tk, t: lambda model, batch: [model(one) for one in batch.split(1)], "unsqueeze"),
            (lambda tk, t: lambda model, batch: model(batch.squeeze(1)), ""),
            (lambda tk, t: lambda model, batch: tk.stack([model(one) for one in batch]), ""),
            (lambda tk, t: lambda model, batch: [model(one[:, 0]) for one in batch.split(1)][:1], ""),
        ),
    ),
)
