"""The exercises of lesson 03, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import tensorkit as tk
from tensorkit_widgets.lessons.photo import photo
from tensorkit_widgets.practice.checking.checks import (
    tensor_check,
    tuple_check,
)
from tensorkit_widgets.practice.checking.functions import Case, function_check, seen
from tensorkit_widgets.practice.facts import Facts, Slip, Unreadable, is_tensor
from tensorkit_widgets.practice.kinds import Task


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


COPY = "a copy is not a view"


TURN = "permute vs view"


MIRROR = "a transpose is a mirror"


def _batch(tk: Any) -> Any:
    """The photo and its negative, channels first."""
    shown = photo(tk)
    first = tk.stack([shown[:, :, channel] for channel in (0, 1, 2)])
    return tk.stack([first, 255 - first])


def _turned(base: Facts | None) -> list[Any]:
    """The numbers of the photo, a quarter turn to the left, in reading order."""
    assert base is not None
    rows, columns, channels = base.size
    return [
        base.values[(row * columns + column) * channels + channel]
        for column in reversed(range(columns))
        for row in range(rows)
        for channel in range(channels)
    ]


def _split(picture: Any) -> Any:
    rows, columns, channels = picture.size()
    return picture.view(channels, rows, columns)


def _picture_case(rows: int, columns: int) -> Case:
    """A small picture, channels last, for the learner's function."""
    last = tk.arange(3 * rows * columns).view(rows, columns, 3)
    first = tk.stack([last[:, :, channel] for channel in (0, 1, 2)])

    def tells(found: Any) -> str:
        return f"channel 0 should be the reds, {first[0].tolist()}; yours is not that."

    return Case(f"of a picture of {rows} by {columns} pixels", lambda: (last,), first, _tensor_of, tells)


def _tensor_of(arguments: tuple[Any, ...], got: Any) -> object:
    if got is not None and not is_tensor(got):
        raise Unreadable("it should give a tensor; yours gave something else.")
    return seen(got)


TASKS = (
    Task(
        "strides_in_3d",
        "Strides in three dimensions",
        "`t = tk.zeros(2, 3, 5)` has the stride (15, 5, 1).\n\n"
        "Worked: `t.transpose(1, 2)` swaps the last two dimensions, and their strides with them: **(15, 1, 5)**.\n\n"
        "Your turn: what is the stride of `t.transpose(0, 2)`?",
        tuple_check(
            1,
            5,
            15,
            slips=(
                Slip("transpose moves no data", "that is the stride before the transpose.", given=(15, 5, 1)),
                Slip(
                    "counting from zero",
                    "the last column has the index 4, but a row of `t` has 5 numbers, so one row down is 5 slots. "
                    "Then the first and the last stride change places.",
                    given=(12, 4, 1),
                ),
                Slip(
                    "counting from zero",
                    "the order is right, but a row of `t` has 5 numbers, even though the last index in it is 4.",
                    given=(1, 4, 12),
                ),
                Slip(
                    "strides follow the view",
                    "a fresh tensor of size (5, 3, 2) would have that stride.",
                    given=(6, 2, 1),
                ),
                Slip("a size is not a stride", "that is the new size.", given=(5, 3, 2)),
                Slip("permute vs view", "that swaps dimensions 0 and 1, not 0 and 2.", given=(5, 15, 1)),
                Slip("permute vs view", "that swaps dimensions 1 and 2, not 0 and 2.", given=(15, 1, 5)),
                Slip(
                    "permute vs view",
                    "that moves all three dimensions; `transpose` swaps two.",
                    given=(5, 1, 15),
                ),
                Slip(
                    "permute vs view",
                    "that moves all three dimensions; `transpose` swaps two.",
                    given=(1, 15, 5),
                ),
            ),
        ),
        (
            "Each dimension carries its stride with it wherever it goes.",
            "Dimensions 0 and 2 swap; dimension 1 stays in the middle.",
            "Swap the first and the last number of (15, 5, 1).",
        ),
        "(1, 5, 15)  # swap the first and the last",
        stage="worked",
        entry="(15, 5, 1)",
        base=lambda tk: tk.zeros(2, 3, 5),
        right=(
            lambda tk, t: (1, 5, 15),
            lambda tk, t: "1, 5, 15",
            lambda tk, t: t.transpose(0, 2).stride(),
            lambda tk, t: list(t.permute(2, 1, 0).stride()),
        ),
        wrong=(
            (lambda tk, t: (15, 5, 1), "transpose moves no data"),
            (lambda tk, t: (6, 2, 1), "strides follow the view"),
            (lambda tk, t: t.transpose(0, 2).size(), "a size is not a stride"),
            (lambda tk, t: (12, 4, 1), "counting from zero"),
            (lambda tk, t: (1, 5), ""),
        ),
    ),
    Task(
        "transpose_by_hand",
        "Transpose by hand",
        "Make what `t.t()` gives with `as_strided` alone, without `t()`, `transpose` or `permute`.\n\n"
        "    t = tk.arange(12.0).view(3, 4)\n"
        "    y = t.as_strided(___, ___)",
        tensor_check(
            size=(4, 3),
            stride=(1, 4),
            shares=True,
            slips=(
                Slip(
                    "permute vs view",
                    "that is what `view(4, 3)` gives: the same numbers in the same order, in rows of three. "
                    "A transpose keeps every number in its place and swaps the strides.",
                    size=(4, 3),
                    stride=(3, 1),
                    shares=True,
                ),
                Slip(
                    "a size is not a stride",
                    "one column to the right in `y` is one row down in `t`. That is 4 slots: a row of `t` "
                    "has 4 numbers, and there are 3 such rows.",
                    size=(4, 3),
                    stride=(1, 3),
                ),
                Slip(
                    "transpose moves no data",
                    "this is `t` as it was; the two sizes and the two strides should change places.",
                    behaves=lambda t: t,
                ),
                Slip(
                    "a copy is not a view",
                    "the numbers are right, but they are copies: a write to `y` would not reach `t`.",
                    behaves=lambda t: t.t().clone(),
                ),
            ),
        ),
        (
            "What are `t.size()` and `t.stride()`? Write both down.",
            "Transposing swaps the two sizes and the two strides.",
            "The size is (4, 3). One row down in `y` is one column to the right in `t`: 1 slot.",
        ),
        "y = t.as_strided((4, 3), (1, 4))",
        stage="faded",
        base=_twelve,
        right=(
            lambda tk, t: t.as_strided((4, 3), (1, 4)),
            lambda tk, t: t.as_strided(t.size()[::-1], t.stride()[::-1], t.storage_offset()),
            lambda tk, t: t.permute(1, 0),
            lambda tk, t: t.t(),
        ),
        wrong=(
            (lambda tk, t: t.view(4, 3), "permute vs view"),
            (lambda tk, t: t.as_strided((4, 3), (3, 1)), "permute vs view"),
            (lambda tk, t: t.t().contiguous(), "a copy is not a view"),
            (lambda tk, t: t, "transpose moves no data"),
            (lambda tk, t: t.as_strided((4, 3), (1, 3)), "a size is not a stride"),
            (lambda tk, t: t.as_strided((4, 3), (2, 1)), ""),
            (lambda tk, t: tk.zeros(4, 3), "a copy is not a view"),
        ),
    ),
    Task(
        "channels_last",
        "Channels last, for a batch",
        "`batch` holds the photo and its negative, channels first: its size is (2, 3, 75, 64). A plotting library "
        "needs (2, 75, 64, 3), pictures first and channels last. Make this tensor, `u`, as a view. (`ImageView(u)` "
        "should show her upright.)\n\n"
        "    u = ...",
        tensor_check(
            size=(2, 75, 64, 3),
            stride=(14400, 64, 1, 4800),
            shares=True,
            slips=(
                Slip(
                    TURN,
                    "the size is right, but each picture is nine small grey ones now. `view` reorders no dimensions, "
                    "it only divides the row of numbers differently.",
                    size=(2, 75, 64, 3),
                    stride=(14400, 192, 3, 1),
                    shares=True,
                ),
                Slip(
                    TURN,
                    "rows and columns have changed places as well: she is lying on her side.",
                    behaves=(lambda t: t.permute(0, 3, 2, 1), lambda t: t.transpose(1, 3)),
                ),
                Slip(
                    TURN,
                    "that is the way back, from channels last to channels first. `permute` names, for each place of "
                    "the result, the old dimension that goes there.",
                    behaves=lambda t: t.permute(0, 3, 1, 2),
                ),
                Slip(
                    "the batch comes first",
                    "the two pictures are no longer counted by dimension 0.",
                    behaves=(
                        lambda t: t.permute(1, 2, 3, 0),
                        lambda t: t.permute(2, 3, 0, 1),
                        lambda t: t.permute(2, 3, 1, 0),
                    ),
                ),
                Slip(
                    COPY,
                    "the pictures are right, but they were copied.",
                    behaves=lambda t: t.permute(0, 2, 3, 1).contiguous(),
                ),
                Slip(
                    TURN,
                    "the size is right, but each picture is nine small grey ones now, and a copy: `reshape` reorders "
                    "no dimensions either.",
                    behaves=lambda t: t.reshape(2, 75, 64, 3).clone(),
                ),
            ),
        ),
        (
            "Do you want another division of the row of numbers, or another order of the dimensions?",
            "`permute` names, for each place of the result, the old dimension that goes there. The batch stays "
            "first.",
            "Rows are dimension 2, columns 3, channels 1.",
        ),
        "u = batch.permute(0, 2, 3, 1)",
        stage="free",
        base=_batch,
        right=(
            lambda tk, t: t.permute(0, 2, 3, 1),
            lambda tk, t: t.transpose(1, 2).transpose(2, 3),
            lambda tk, t: t.movedim(1, -1),
            lambda tk, t: t.as_strided((2, 75, 64, 3), (14400, 64, 1, 4800)),
        ),
        wrong=(
            (lambda tk, t: t.view(2, 75, 64, 3), TURN),
            (lambda tk, t: t.permute(0, 3, 2, 1), TURN),
            (lambda tk, t: t.permute(0, 3, 1, 2), TURN),
            (lambda tk, t: t.permute(2, 3, 0, 1), "the batch comes first"),
            (lambda tk, t: t.permute(0, 2, 3, 1).contiguous(), COPY),
            (lambda tk, t: t.view(2, 75, 64, 3).clone(), TURN),
            (lambda tk, t: t.permute(0, 2, 1, 3), ""),
            (lambda tk, t: tk.zeros(2, 75, 64, 3), COPY),
            (lambda tk, t: t, ""),
        ),
    ),
    Task(
        "which_permute",
        "Backwards: which permute was it?",
        "`t = tk.zeros(5, 2, 4)` has the stride (8, 4, 1). After `t.permute(_, _, _)` the stride is **(4, 1, 8)**. "
        "Which three numbers, counted from 0, are in the brackets?",
        tuple_check(
            1,
            2,
            0,
            slips=(
                Slip(
                    TURN,
                    "that gives (1, 8, 4). `permute` names, for each place of the result, the old dimension that "
                    "goes there, and not where each old one goes.",
                    given=(2, 0, 1),
                ),
                Slip(
                    "a size is not a stride",
                    "those are the strides; `permute` takes the numbers of dimensions.",
                    given=(4, 1, 8),
                ),
                Slip("a size is not a stride", "that is the new size.", given=(2, 4, 5)),
                Slip("counting from zero", "dimensions are counted from 0.", given=(2, 3, 1)),
                Slip(TURN, "that leaves all of them where they are.", given=(0, 1, 2)),
                Slip(TURN, "that gives (1, 4, 8): the first two are the wrong way round.", given=(2, 1, 0)),
                Slip(TURN, "that gives (4, 8, 1): the last two are the wrong way round.", given=(1, 0, 2)),
            ),
        ),
        (
            "Each dimension carries its stride with it. Which dimension of `t` has the stride 4?",
            "The stride 4 belongs to dimension 1, and it is now in the first place.",
            "Then come the dimensions with the strides 1 and 8.",
        ),
        "(1, 2, 0)",
        stage="reverse",
        entry="(0, 1, 2)",
        base=lambda tk: tk.zeros(5, 2, 4),
        right=(
            lambda tk, t: (1, 2, 0),
            lambda tk, t: "1, 2, 0",
            lambda tk, t: [t.stride().index(stride) for stride in (4, 1, 8)],
        ),
        wrong=(
            (lambda tk, t: (2, 0, 1), TURN),
            (lambda tk, t: t.permute(1, 2, 0).stride(), "a size is not a stride"),
            (lambda tk, t: tuple(t.permute(1, 2, 0).size()), "a size is not a stride"),
            (lambda tk, t: "2 3 1", "counting from zero"),
            (lambda tk, t: (0, 2, 1), ""),
            (lambda tk, t: (1, 2), ""),
        ),
    ),
    Task(
        "quarter_turn",
        "A quarter turn",
        "Make `turned`: the photo, rotated a quarter turn to the **left** (anticlockwise). Then the top of her head "
        "points to the left, and the ribbons on her chest, near the right edge of the photo, are near the **top**. "
        "You have `transpose`, and `flip(0)` and `flip(1)`, which reverse the rows or the columns. (Look at it with "
        "`ImageView(turned)`.)\n\n"
        "    turned = ...",
        tensor_check(
            size=(64, 75, 3),
            values=_turned,
            slips=(
                Slip(
                    MIRROR,
                    "that is the transposed photo: on its side, but mirrored along its diagonal. A flip is missing.",
                    behaves=lambda t: t.transpose(0, 1),
                ),
                Slip(
                    MIRROR,
                    "that is a quarter turn to the right: the top of her head points to the right.",
                    behaves=lambda t: t.transpose(0, 1).flip(1),
                ),
                Slip(
                    MIRROR,
                    "both flips together are half a turn: the picture is still mirrored, and the top of her head "
                    "points to the right.",
                    behaves=lambda t: t.transpose(0, 1).flip(0).flip(1),
                ),
                Slip(
                    MIRROR,
                    "a flip alone mirrors the picture; it does not lay it on its side.",
                    behaves=(lambda t: t.flip(0), lambda t: t.flip(1)),
                ),
                Slip(
                    TURN,
                    "the size is right, but these are stripes: `view` reorders no dimensions.",
                    behaves=(lambda t: t.view(64, 75, 3), lambda t: t.view(64, 75, 3).flip(0)),
                ),
            ),
        ),
        (
            "Transpose it first, and look. What is still wrong?",
            "A transpose mirrors along the diagonal; a second mirroring turns it into a rotation. Which dimension "
            "must be reversed?",
            "After the transpose, dimension 0 counts the old columns. When you turn it to the left, the last "
            "column becomes the first row.",
        ),
        "turned = photo.transpose(0, 1).flip(0)",
        stage="free",
        base=photo,
        right=(
            lambda tk, t: t.transpose(0, 1).flip(0),
            lambda tk, t: t.flip(1).transpose(0, 1),
            lambda tk, t: tk.stack([t[:, column] for column in reversed(range(64))]),
        ),
        wrong=(
            (lambda tk, t: t.transpose(0, 1), MIRROR),
            (lambda tk, t: t.permute(1, 0, 2).flip(1), MIRROR),
            (lambda tk, t: t.flip(0).transpose(0, 1), MIRROR),
            (lambda tk, t: t.transpose(0, 1).flip(0, 1), MIRROR),
            (lambda tk, t: t.flip(0), MIRROR),
            (lambda tk, t: t.view(64, 75, 3), TURN),
            (lambda tk, t: t.transpose(0, 1).flip(2), ""),
            (lambda tk, t: tk.zeros(64, 75, 3), ""),
        ),
    ),
    Task(
        "mend_the_channels",
        "Repair: channels first",
        "A network needs its pictures channels first. This function gives the right size, but the network learns "
        "next to nothing from its result. Repair it, for pictures of any size.\n\n"
        "    def channels_first(picture):\n"
        "        rows, columns, channels = picture.size()\n"
        "        return picture.view(channels, rows, columns)",
        function_check(
            _picture_case(2, 4),
            _picture_case(3, 3),
            slips=(
                Slip(
                    TURN,
                    "the size is right, but each channel is a mixture of reds, greens and blues: `view` keeps the "
                    "numbers in the order of the storage.",
                    behaves=_split,
                ),
                Slip(
                    TURN,
                    "the channels are right, but rows and columns have changed places: each picture is mirrored "
                    "along its diagonal.",
                    behaves=(lambda p: p.permute(2, 1, 0), lambda p: p.transpose(0, 2)),
                ),
                Slip(
                    TURN,
                    "that is the way back, from channels first to channels last. `permute` names, for each place of "
                    "the result, the old dimension that goes there.",
                    behaves=lambda p: p.permute(1, 2, 0),
                ),
                Slip(TURN, "that is the picture as it was, with the channels last.", behaves=lambda p: p),
            ),
        ),
        (
            "What are the first numbers of the picture in its storage? Which channel does each of them belong to?",
            "The order of the dimensions has to change: `permute` does that.",
            "The channels are dimension 2, and they should come first; rows and columns keep their order.",
        ),
        "def channels_first(picture):\n    return picture.permute(2, 0, 1)",
        stage="free",
        right=(
            lambda tk, t: lambda picture: picture.permute(2, 0, 1),
            lambda tk, t: lambda picture: picture.transpose(1, 2).transpose(0, 1),
            lambda tk, t: lambda picture: picture.movedim(2, 0),
        ),
        wrong=(
            (lambda tk, t: lambda picture: _split(picture), TURN),
            (lambda tk, t: lambda picture: picture.reshape(3, picture.size(0), picture.size(1)), TURN),
            (lambda tk, t: lambda picture: picture.transpose(0, 2), TURN),
            (lambda tk, t: lambda picture: picture.permute(1, 2, 0), TURN),
            (lambda tk, t: lambda picture: picture, TURN),
            (lambda tk, t: lambda picture: picture[:, :, 0], ""),
            (lambda tk, t: lambda picture: picture.tolist(), ""),
            (lambda tk, t: lambda picture: None, ""),
        ),
    ),
)
