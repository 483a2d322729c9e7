"""The exercises of lesson 17, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import tensorkit as tk
from tensorkit_widgets.practice.checking.checks import number_check, tensor_check, tuple_check
from tensorkit_widgets.practice.checking.functions import Case, computed_check, function_check, seen
from tensorkit_widgets.practice.facts import Facts, Slip, read
from tensorkit_widgets.practice.kinds import Task

__all__ = ["TASKS"]

TURN, PLANES = "permute vs view", "planes or pixels"
COPY, CONTIGUOUS = "a copy is not a view", "what contiguous means"
ALIAS, LOST = "a slice aliases its base", "fancy indexing copies"
MIRROR, BATCH, ZERO = "a transpose is a mirror", "the batch comes first", "counting from zero"
SCALE, WRAP, FRACTION = "a scale is not a shift", "integers wrap", "a cast drops the fraction"
RIGHT = "sizes line up from the right"

# -- frames of a film


def _frames(tk: Any) -> Any:
    return tk.arange(120).view(2, 4, 5, 3)


def _first(base: Facts | None) -> list[Any]:
    """The numbers of the frames, channels first, in reading order."""
    assert base is not None
    frames, rows, columns, channels = base.size
    return [
        base.values[((frame * rows + row) * columns + column) * channels + channel]
        for frame in range(frames)
        for channel in range(channels)
        for row in range(rows)
        for column in range(columns)
    ]


# -- red and blue


def _pictures(count: int, rows: int, columns: int) -> Any:
    return tk.arange(count * 3 * rows * columns).view(count, 3, rows, columns)


def _swapped(batch: Any) -> None:
    batch[:, [0, 2]] = batch[:, [2, 0]]


def _by_names(batch: Any) -> None:
    batch[:, 0], batch[:, 2] = batch[:, 2], batch[:, 0]


def _by_turns(batch: Any) -> None:
    batch[:, 0] = batch[:, 2]
    batch[:, 2] = batch[:, 0]


def _not_written(batch: Any) -> Any:
    return batch[:, [2, 1, 0]]


def _other_dimension(batch: Any) -> None:
    batch[[0, 2]] = batch[[2, 0]]


def _with_a_clone(batch: Any) -> None:
    red = batch[:, 0].clone()
    batch[:, 0] = batch[:, 2]
    batch[:, 2] = red


def _after(arguments: tuple[Any, ...], got: Any) -> object:
    """The batch after the call."""
    return seen(arguments[0])


def _swap_case(count: int, rows: int, columns: int) -> Case:
    after = _pictures(count, rows, columns)
    _swapped(after)

    def tells(found: Any) -> str:
        same = found == seen(_pictures(count, rows, columns))
        return f"after the call the batch is {'as it was' if same else 'not what it should be'}."

    return Case(
        f"a batch of {count} pictures of {rows} by {columns} pixels",
        lambda: (_pictures(count, rows, columns),),
        after,
        _after,
        tells,
    )


# -- every second picture


def _mirror(batch: Any) -> None:
    batch[1::2] = batch[1::2].flip(3)


def _mirror_even(batch: Any) -> None:
    batch[::2] = batch[::2].flip(3)


def _mirror_all(batch: Any) -> None:
    batch.copy_(batch.flip(3))


def _upside_down(batch: Any) -> None:
    batch[1::2] = batch[1::2].flip(2)


def _both_ways(batch: Any) -> None:
    batch[1::2] = batch[1::2].flip(2, 3)


def _along_the_diagonal(batch: Any) -> None:
    batch[1::2] = batch[1::2].transpose(2, 3)


def _mirror_lost(batch: Any) -> Any:
    return batch[1::2].flip(3)


def _mirror_one_by_one(batch: Any) -> None:
    for k in range(1, batch.size(0), 2):
        batch[k].copy_(batch[k].flip(-1))


def _mirror_by_index(batch: Any) -> None:
    last = batch.size(3) - 1
    batch[1::2] = batch[1::2][..., [last - column for column in range(last + 1)]]


def _mirror_case(count: int, side: int) -> Case:
    after = _pictures(count, side, side)
    _mirror(after)

    def tells(found: Any) -> str:
        same = found == seen(_pictures(count, side, side))
        return f"after the call the batch is {'as it was' if same else 'not what it should be'}."

    return Case(f"a batch of {count} pictures", lambda: (_pictures(count, side, side),), after, _after, tells)


# -- back to bytes

_MEAN, _STD = (0.43, 0.33, 0.3), (0.35, 0.28, 0.25)


def _channels(numbers: Any) -> Any:
    return numbers.view(3, 1, 1)


def _back(z: Any, mean: Any, std: Any) -> Any:
    return (z * _channels(std) + _channels(mean)) * 255


def _shown(z: Any, mean: Any, std: Any) -> Any:
    return _back(z, mean, std).round().clamp(0, 255).byte()


def _bytes_case(says: str, levels: list[float], count: int, side: int) -> Case:
    """A batch whose pixels are near these levels, of 0 to 255."""
    many = count * 3 * side * side
    pixels = tk.tensor([levels[k % len(levels)] for k in range(many)]).view(count, 3, side, side)
    mean, std = tk.tensor(_MEAN), tk.tensor(_STD)

    def arguments() -> tuple[Any, ...]:
        return (pixels / 255 - _channels(mean)) / _channels(std), mean.clone(), std.clone()

    def looks(_: tuple[Any, ...], got: Any) -> object:
        return read(got).dtype, seen(got)

    def tells(found: Any) -> str:
        dtype, (_, size, values) = found
        if dtype != "uint8":
            return f"it should give bytes, uint8; yours gave {dtype}."
        if size != (count, 3, side, side):
            return f"the size should stay {(count, 3, side, side)}; yours is {size}."
        return f"the first red should be {wanted[1][2][0]}; yours is {values[0]}, or a later number differs."

    right = _shown(*arguments())
    wanted: Any = (read(right).dtype, seen(right))
    return Case(says, arguments, wanted, looks, tells)


# -- the mean of each channel


def _records(tk: Any) -> Any:
    """Four records of the lesson's format, rather red ones."""
    spots = tk.arange(4 * 3072).view(4, 3, 1024)
    level = tk.tensor([150, 90, 40]).view(3, 1)
    pixels = (level + spots * 7 % 61).view(4, 3072)
    labels = tk.tensor([[7], [0], [9], [3]])
    return tk.cat([labels, pixels], dim=1).byte()


def _means(t: Any) -> Any:
    return t[:, 1:].view(-1, 3, 32, 32).double().mean((0, 2, 3))


_MEANS = computed_check(
    _means,
    slips=(
        Slip(
            TURN,
            "three means that are nearly equal: each is over reds, greens and blues together. `view` does not know "
            "which number is a red. In the file, the planes come one after another.",
            behaves=(
                lambda t: t[:, 1:].view(-1, 32, 32, 3).double().mean((0, 1, 2)),
                lambda t: t[:, 1:].reshape(-1, 3).double().mean(0),
            ),
        ),
        Slip(
            PLANES,
            "three means that are nearly equal: `view` mixes the colours. (And byte 0 of each record is the label.)",
            behaves=lambda t: t[:, :3072].view(-1, 32, 32, 3).double().mean((0, 1, 2)),
        ),
        Slip(
            ZERO,
            "nearly. Byte 0 of each record is the label, and here it is counted as a red.",
            behaves=lambda t: t[:, :3072].view(-1, 3, 32, 32).double().mean((0, 2, 3)),
        ),
        Slip(
            "`dim=` in a reduction",
            "that is one mean for each column of pixels. `dim=` names what disappears: pictures, rows and columns, and "
            "the channels stay.",
            behaves=lambda t: t[:, 1:].view(-1, 3, 32, 32).double().mean((0, 1, 2)),
        ),
        Slip(
            "`dim=` in a reduction",
            "that is one mean for all channels together. Which dimension should stay?",
            behaves=lambda t: t[:, 1:].double().mean(),
        ),
        Slip(
            "`dim=` in a reduction",
            "that is one mean for each picture and channel. The pictures should disappear too.",
            behaves=lambda t: t[:, 1:].view(-1, 3, 32, 32).double().mean((2, 3)),
        ),
        Slip(
            "",
            "these run from 0 to 1. Give the means of the bytes, without a division by 255.",
            behaves=lambda t: _means(t) / 255,
        ),
    ),
)


TASKS = (
    Task(
        "slot_of",
        "From a pixel to a slot",
        "A batch with its channels first, in one piece, is counted by picture, channel, row, column.\n\n"
        "Worked: for the size (2, 3, 6, 8) the stride is (144, 48, 8, 1). Picture 1, channel 2, row 3, column 4 is in "
        "slot 1·144 + 2·48 + 3·8 + 4 = **268**.\n\n"
        "Your turn: the size is (10, 3, 4, 5). In which slot is picture 2, channel 1, row 3, column 2?",
        number_check(
            157,
            slips=(
                Slip(
                    PLANES,
                    "that is its slot with the channels *last*. Here each channel is a plane of its own, 4·5 numbers.",
                    given=172,
                ),
                Slip(
                    "rows come before columns",
                    "the size says 4 rows of 5 numbers: one row down is 5 slots, not 4.",
                    given=151,
                ),
                Slip("rows come before columns", "row 3 and column 2 have changed places.", given=153),
                Slip(BATCH, "that is its slot in its own picture. Two pictures come before it.", given=37),
                Slip(ZERO, "picture 2 is the third one: two come before it, not one.", given=97),
                Slip(ZERO, "channel 1 is the second one: one comes before it.", given=137),
                Slip(ZERO, "everything is counted from 0: row 3 has three rows above it.", given=131),
            ),
        ),
        (
            "What is the stride of a tensor of the size (10, 3, 4, 5), in one piece?",
            "One column on is 1 slot, one row 5, one channel 20, one picture 60.",
            "2·60 + 1·20 + 3·5 + 2.",
        ),
        "157  # 2 * 60 + 1 * 20 + 3 * 5 + 2",
        stage="worked",
        entry="268",
        right=(
            lambda tk, t: 157,
            lambda tk, t: "157",
            lambda tk, t: tk.arange(600).view(10, 3, 4, 5)[2, 1, 3, 2],
        ),
        wrong=(
            (lambda tk, t: tk.arange(600).view(10, 4, 5, 3)[2, 3, 2, 1], PLANES),
            (lambda tk, t: 153, "rows come before columns"),
            (lambda tk, t: 37, BATCH),
            (lambda tk, t: 97, ZERO),
            (lambda tk, t: 600, ""),
        ),
    ),
    Task(
        "planes",
        "Frames for a network",
        "`t` holds two frames of a film, channels last, (2, 4, 5, 3). A compiled network reads its memory slot by "
        "slot: it needs them channels first, **and in one piece**. Fill the gaps.\n\n"
        "    u = t.permute(___).___()",
        tensor_check(
            size=(2, 3, 4, 5),
            stride=(60, 20, 5, 1),
            shares=False,
            values=_first,
            slips=(
                Slip(
                    TURN,
                    "the size is right, but no dimension has moved: each channel is a mixture of reds, greens and "
                    "blues.",
                    behaves=(lambda t: t.reshape(2, 3, 4, 5), lambda t: t.reshape(2, 3, 4, 5).clone()),
                ),
                Slip(
                    CONTIGUOUS,
                    "the right order, but in the memory the channels are still last: `permute` moves nothing. Which "
                    "method makes a copy in reading order?",
                    behaves=lambda t: t.permute(0, 3, 1, 2),
                ),
                Slip(
                    CONTIGUOUS,
                    "`clone` made a copy, but kept the strides: in the memory the channels are still last.",
                    behaves=lambda t: t.permute(0, 3, 1, 2).clone(),
                ),
                Slip(
                    TURN,
                    "rows and columns have changed places as well.",
                    behaves=(
                        lambda t: t.permute(0, 3, 2, 1).contiguous(),
                        lambda t: t.transpose(1, 3).contiguous(),
                    ),
                ),
                Slip(
                    TURN,
                    "that is the way from channels first to channels last. `permute` names, for each place of the "
                    "result, the old dimension that goes there.",
                    behaves=lambda t: t.permute(0, 2, 3, 1).contiguous(),
                ),
            ),
        ),
        (
            "`permute` names, for each place of the result, the old dimension that goes there.",
            "The frames stay in front; then come the channels, which are dimension 3.",
            "`contiguous()` copies the numbers in reading order.",
        ),
        "u = t.permute(0, 3, 1, 2).contiguous()",
        stage="faded",
        base=_frames,
        right=(
            lambda tk, t: t.permute(0, 3, 1, 2).contiguous(),
            lambda tk, t: tk.stack([t[..., channel] for channel in range(3)], dim=1),
            lambda tk, t: t.new_empty(2, 3, 4, 5).copy_(t.movedim(3, 1)),
        ),
        wrong=(
            (lambda tk, t: t.reshape(2, 3, 4, 5), TURN),
            (lambda tk, t: t.permute(0, 3, 1, 2), CONTIGUOUS),
            (lambda tk, t: t.permute(0, 3, 1, 2).clone(), CONTIGUOUS),
            (lambda tk, t: t.permute(0, 3, 2, 1).contiguous(), TURN),
            (lambda tk, t: t.permute(0, 2, 3, 1).contiguous(), TURN),
            (lambda tk, t: t, ""),
        ),
    ),
    Task(
        "swap",
        "Blue, green, red",
        "Some cameras give blue first. Write a function that exchanges red and blue **in the batch itself**, of size "
        "(N, 3, H, W), so that every name for it sees the change. (No stride can do that for all three channels, since "
        "it would have to be negative; so numbers have to move.)\n\n"
        "    def swap(batch): ...",
        function_check(
            _swap_case(2, 2, 2),
            _swap_case(3, 2, 4),
            slips=(
                Slip(
                    ALIAS,
                    "now both channels hold the blues. The right-hand side is two *views*: when the second one is "
                    "read, the first write has already changed it. Something has to be copied first.",
                    behaves=(_by_names, _by_turns),
                ),
                Slip(
                    LOST,
                    "the batch is as it was. An index with a list gives a copy; write it back into the batch.",
                    behaves=_not_written,
                ),
                Slip(
                    BATCH,
                    "dimension 0 counts the pictures: you exchanged two of *them*. The channels are dimension 1.",
                    behaves=_other_dimension,
                ),
            ),
        ),
        (
            "The channels are dimension 1: `batch[:, 0]` is all the reds, a view.",
            "An index with a list gives a copy, with the channels in any order that you like: `batch[:, [2, 0]]`.",
            "Write this copy into `batch[:, [0, 2]]`.",
        ),
        "def swap(batch):\n    batch[:, [0, 2]] = batch[:, [2, 0]]",
        stage="free",
        right=(
            lambda tk, t: _swapped,
            lambda tk, t: _with_a_clone,
            lambda tk, t: lambda batch: batch.copy_(batch.flip(1)),
        ),
        wrong=(
            (lambda tk, t: _by_names, ALIAS),
            (lambda tk, t: _by_turns, ALIAS),
            (lambda tk, t: _not_written, LOST),
            (lambda tk, t: _other_dimension, BATCH),
            (lambda tk, t: lambda batch: batch.flip(1), LOST),
            (lambda tk, t: lambda batch: None, LOST),
            (lambda tk, t: lambda batch: batch.zero_(), ""),
        ),
    ),
    Task(
        "mirror",
        "Every second one",
        "A network should not learn that faces look to the left. Write a function that mirrors **every second "
        "picture** of a batch (N, 3, H, W), numbers 1, 3, 5 and so on, in the batch itself: left and right "
        "change places.\n\n"
        "    def mirror(batch): ...",
        function_check(
            _mirror_case(3, 2),
            _mirror_case(4, 3),
            slips=(
                Slip(
                    ZERO,
                    "you mirrored the pictures 0, 2, 4 … Pictures are counted from 0, and the second one is number 1.",
                    behaves=_mirror_even,
                ),
                Slip(
                    BATCH,
                    "all the pictures are mirrored. `batch[1::2]` is every second one.",
                    behaves=_mirror_all,
                ),
                Slip(
                    "rows come before columns",
                    "that turns them upside down: dimension 2 counts the rows. Left and right are dimension 3.",
                    behaves=_upside_down,
                ),
                Slip(
                    "rows come before columns",
                    "that is half a turn: up and down have changed places as well.",
                    behaves=_both_ways,
                ),
                Slip(
                    MIRROR,
                    "a transpose mirrors them along the diagonal. To exchange left and right, reverse the columns.",
                    behaves=_along_the_diagonal,
                ),
                Slip(
                    COPY,
                    "the batch is as it was. `flip` gives a copy: write it back into `batch[1::2]`.",
                    behaves=_mirror_lost,
                ),
            ),
        ),
        (
            "`batch[1::2]` is a view of every second picture. Which dimension counts the columns?",
            "`flip(3)` reverses the columns, and gives a copy.",
            "Write that copy into `batch[1::2]`.",
        ),
        "def mirror(batch):\n    batch[1::2] = batch[1::2].flip(3)",
        stage="free",
        right=(
            lambda tk, t: _mirror,
            lambda tk, t: _mirror_one_by_one,
            lambda tk, t: _mirror_by_index,
        ),
        wrong=(
            (lambda tk, t: _mirror_even, ZERO),
            (lambda tk, t: _mirror_all, BATCH),
            (lambda tk, t: _upside_down, "rows come before columns"),
            (lambda tk, t: _along_the_diagonal, MIRROR),
            (lambda tk, t: _mirror_lost, COPY),
            (lambda tk, t: lambda batch: batch.fill_(0), ""),
        ),
    ),
    Task(
        "shown",
        "Back to a picture",
        "A network gives you `z`, pictures of size (N, 3, H, W) that were normalised with a `mean` and an `std` for "
        "each channel, of size (3,). Write a function that makes pictures of them again, in bytes: undo the "
        "normalising, multiply by 255, **round**, and leave no number below 0 or above 255. (`byte()` is "
        "`to(tk.uint8)`.)\n\n"
        "    def shown(z, mean, std): ...",
        function_check(
            _bytes_case("a batch of 2 by 2 pixels", [10.2, 99.7, 254.6, 31.4, 180.8], 2, 2),
            _bytes_case(
                "3 by 3 pixels, some of them too bright or too dark", [-20.3, 12.8, 290.7, 77.1], 1, 3
            ),
            slips=(
                Slip(
                    SCALE,
                    "undo the last step first. To normalise, you subtract and then divide; so multiply first, and then "
                    "add.",
                    behaves=lambda z, mean, std: (
                        ((z + _channels(mean)) * _channels(std) * 255).round().clamp(0, 255).byte()
                    ),
                ),
                Slip(
                    RIGHT,
                    "the three numbers were lined up with the *columns*, since sizes are compared from the right. Give "
                    "them two more dimensions: `view(3, 1, 1)`.",
                    behaves=lambda z, mean, std: ((z * std + mean) * 255).round().clamp(0, 255).byte(),
                ),
                Slip(
                    WRAP,
                    "some pixels are too bright for a byte, and started again from 0. `clamp` them before the cast.",
                    behaves=lambda z, mean, std: _back(z, mean, std).round().int().byte(),
                ),
                Slip(
                    FRACTION,
                    "`byte()` drops the fraction: 99.7 became 99. Round first.",
                    behaves=lambda z, mean, std: _back(z, mean, std).clamp(0, 255).byte(),
                ),
                Slip(
                    SCALE,
                    "these run from 0 to 1, so as bytes they are all 0 or 1. Multiply by 255 first.",
                    behaves=lambda z, mean, std: (_back(z, mean, std) / 255).round().clamp(0, 255).byte(),
                ),
            ),
        ),
        (
            "`z` is (pixels - mean) / std. Undo that, the last step first. The mean needs the size (3, 1, 1), as in "
            "the lesson.",
            "Then multiply by 255, and call `round()`.",
            "`clamp(0, 255)` comes before `byte()`, because a byte cannot hold what is clamped.",
        ),
        "def shown(z, mean, std):\n"
        "    pixels = z * std.view(3, 1, 1) + mean.view(3, 1, 1)\n"
        "    return (pixels * 255).round().clamp(0, 255).byte()",
        stage="free",
        right=(
            lambda tk, t: _shown,
            lambda tk, t: (
                lambda z, mean, std: (
                    (z.permute(0, 2, 3, 1) * std + mean)
                    .permute(0, 3, 1, 2)
                    .mul(255)
                    .add(0.5)
                    .clamp(0, 255)
                    .byte()
                )
            ),
            lambda tk, t: (
                lambda z, mean, std: (
                    (z * std[:, None, None] + mean[:, None, None]).clamp(0, 1).mul(255).round().byte()
                )
            ),
        ),
        wrong=(
            (
                lambda tk, t: lambda z, mean, std: ((z * std + mean) * 255).round().clamp(0, 255).byte(),
                RIGHT,
            ),
            (lambda tk, t: lambda z, mean, std: _back(z, mean, std).round().int().byte(), WRAP),
            (lambda tk, t: lambda z, mean, std: _back(z, mean, std).clamp(0, 255).byte(), FRACTION),
            (lambda tk, t: lambda z, mean, std: _back(z, mean, std).round().clamp(0, 255), ""),
            (lambda tk, t: lambda z, mean, std: z, ""),
            (lambda tk, t: lambda z, mean, std: None, ""),
        ),
    ),
    Task(
        "repair",
        "Repair: three equal means",
        "`t` holds records as they come from the file, (N, 3073). The lines below should give the mean of all reds, of "
        "all greens and of all blues. They run, but whatever the pictures show, the three are nearly equal. Repair "
        "them, and give me the three means of the bytes, as a tensor of size (3,).\n\n"
        "    pictures = t[:, 1:].view(-1, 32, 32, 3)\n"
        "    means = pictures.float().mean((0, 1, 2))",
        _MEANS,
        (
            "In which order are the 3,072 bytes of a picture in the file?",
            "With the sizes (-1, 3, 32, 32) each channel is a plane, as it is in the file.",
            "Then the channels are dimension 1. The other three dimensions should disappear.",
        ),
        "pictures = t[:, 1:].view(-1, 3, 32, 32)\nmeans = pictures.float().mean((0, 2, 3))",
        stage="free",
        base=_records,
        right=(
            lambda tk, t: t[:, 1:].view(-1, 3, 32, 32).float().mean((0, 2, 3)),
            lambda tk, t: t[:, 1:].float().view(-1, 3, 1024).mean(2).mean(0),
            lambda tk, t: t[:, 1:].view(-1, 3, 32, 32).permute(0, 2, 3, 1).float().mean((0, 1, 2)),
        ),
        wrong=(
            (lambda tk, t: t[:, 1:].view(-1, 32, 32, 3).float().mean((0, 1, 2)), TURN),
            (lambda tk, t: t[:, :3072].view(-1, 3, 32, 32).float().mean((0, 2, 3)), ZERO),
            (lambda tk, t: t[:, 1:].view(-1, 3, 32, 32).float().mean((0, 1, 2)), "`dim=` in a reduction"),
            (lambda tk, t: t[:, 1:].float().mean(), "`dim=` in a reduction"),
            (lambda tk, t: tk.zeros(3), ""),
            (lambda tk, t: None, ""),
        ),
    ),
    Task(
        "four_strides",
        "Four strides, four pictures",
        "The photo's 14,400 bytes are in one storage, channels last. Four tensors read it from slot 0, and each is "
        "shown as a picture, channels last:\n\n"
        "    1   size (64, 75, 3)   stride (3, 192, 1)\n"
        "    2   size (75, 64, 3)   stride (192, 3, 0)\n"
        "    3   size (37, 32, 3)   stride (384, 6, 1)\n"
        "    4   size (75, 64, 3)   stride (0, 3, 1)\n\n"
        "**A** shows only stripes, from top to bottom. **B** shows her upright, in grey. **C** shows her upright, in "
        "colour, half as large. **D** shows her on her side, in colour. Give the four numbers for A, B, C and D.",
        tuple_check(
            4,
            2,
            3,
            1,
            slips=(
                Slip(
                    "a size is not a stride",
                    "a stride of 0 reads the same slots again. In number 2 that is the *channels*: each pixel takes "
                    "one number three times. In number 4 it is the rows.",
                    given=(2, 4, 3, 1),
                ),
                Slip(
                    "a step multiplies the stride",
                    "number 3 has both strides doubled: it takes every second row and column.",
                    given=(4, 3, 2, 1),
                ),
                Slip(
                    MIRROR,
                    "in number 1 the strides of rows and columns have changed places, so she is on her side.",
                    given=(4, 2, 1, 3),
                ),
                Slip(
                    MIRROR,
                    "number 1 is her transposed: her rows have become columns, and nothing is torn.",
                    given=(1, 2, 3, 4),
                ),
            ),
        ),
        (
            "The photo itself has the stride (192, 3, 1). What has changed in each line?",
            "A stride of 0 repeats: along the rows, all rows are equal; along the channels, all channels are.",
            "Strides that are doubled skip every second one; strides that have changed places transpose.",
        ),
        "(4, 2, 3, 1)",
        stage="reverse",
        entry="(1, 2, 3, 4)",
        right=(lambda tk, t: (4, 2, 3, 1), lambda tk, t: "4 2 3 1", lambda tk, t: [4, 2, 3, 1]),
        wrong=(
            (lambda tk, t: (2, 4, 3, 1), "a size is not a stride"),
            (lambda tk, t: (4, 3, 2, 1), "a step multiplies the stride"),
            (lambda tk, t: (1, 2, 3, 4), MIRROR),
            (lambda tk, t: (3, 1, 2, 4), ""),
            (lambda tk, t: (4, 2), ""),
        ),
    ),
)
