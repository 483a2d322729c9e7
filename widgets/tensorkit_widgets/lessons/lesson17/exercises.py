"""The exercises of lesson 17, with the solutions and slips that prove their checks."""

from __future__ import annotations

from tensorkit_widgets.lessons.lesson17.trial_functions import (
    bytes_case,
    channel_means,
    channels_in_front,
    mirror_all,
    mirror_both,
    mirror_by_index,
    mirror_case,
    mirror_diagonal,
    mirror_even,
    mirror_lost,
    mirror_odd,
    mirror_one_by_one,
    mirror_rows,
    per_channel,
    red_records,
    shown_right,
    swap_by_names,
    swap_by_turns,
    swap_case,
    swap_lost,
    swap_pictures,
    swap_right,
    swap_with_a_clone,
    two_frames,
    undone,
)
from tensorkit_widgets.practice.checking.checks import number_check, tensor_check, tuple_check
from tensorkit_widgets.practice.checking.functions import computed_check, function_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Task

TURN, PLANES = "permute vs view", "planes or pixels"
COPY, CONTIGUOUS = "a copy is not a view", "what contiguous means"
ALIAS, LOST = "a slice aliases its base", "fancy indexing copies"
MIRROR, BATCH, ZERO = "a transpose is a mirror", "the batch comes first", "counting from zero"
SCALE, WRAP, FRACTION = "a scale is not a shift", "integers wrap", "a cast drops the fraction"
RIGHT = "sizes line up from the right"

_MEANS = computed_check(
    channel_means,
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
            behaves=lambda t: channel_means(t) / 255,
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
            values=channels_in_front,
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
        base=two_frames,
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
            swap_case(2, 2, 2),
            swap_case(3, 2, 4),
            slips=(
                Slip(
                    ALIAS,
                    "now both channels hold the blues. The right-hand side is two *views*: when the second one is "
                    "read, the first write has already changed it. Something has to be copied first.",
                    behaves=(swap_by_names, swap_by_turns),
                ),
                Slip(
                    LOST,
                    "the batch is as it was. An index with a list gives a copy; write it back into the batch.",
                    behaves=swap_lost,
                ),
                Slip(
                    BATCH,
                    "dimension 0 counts the pictures: you exchanged two of *them*. The channels are dimension 1.",
                    behaves=swap_pictures,
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
            lambda tk, t: swap_right,
            lambda tk, t: swap_with_a_clone,
            lambda tk, t: lambda batch: batch.copy_(batch.flip(1)),
        ),
        wrong=(
            (lambda tk, t: swap_by_names, ALIAS),
            (lambda tk, t: swap_by_turns, ALIAS),
            (lambda tk, t: swap_lost, LOST),
            (lambda tk, t: swap_pictures, BATCH),
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
            mirror_case(3, 2),
            mirror_case(4, 3),
            slips=(
                Slip(
                    ZERO,
                    "you mirrored the pictures 0, 2, 4 … Pictures are counted from 0, and the second one is number 1.",
                    behaves=mirror_even,
                ),
                Slip(
                    BATCH,
                    "all the pictures are mirrored. `batch[1::2]` is every second one.",
                    behaves=mirror_all,
                ),
                Slip(
                    "rows come before columns",
                    "that turns them upside down: dimension 2 counts the rows. Left and right are dimension 3.",
                    behaves=mirror_rows,
                ),
                Slip(
                    "rows come before columns",
                    "that is half a turn: up and down have changed places as well.",
                    behaves=mirror_both,
                ),
                Slip(
                    MIRROR,
                    "a transpose mirrors them along the diagonal. To exchange left and right, reverse the columns.",
                    behaves=mirror_diagonal,
                ),
                Slip(
                    COPY,
                    "the batch is as it was. `flip` gives a copy: write it back into `batch[1::2]`.",
                    behaves=mirror_lost,
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
            lambda tk, t: mirror_odd,
            lambda tk, t: mirror_one_by_one,
            lambda tk, t: mirror_by_index,
        ),
        wrong=(
            (lambda tk, t: mirror_even, ZERO),
            (lambda tk, t: mirror_all, BATCH),
            (lambda tk, t: mirror_rows, "rows come before columns"),
            (lambda tk, t: mirror_diagonal, MIRROR),
            (lambda tk, t: mirror_lost, COPY),
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
            bytes_case("a batch of 2 by 2 pixels", [10.2, 99.7, 254.6, 31.4, 180.8], 2, 2),
            bytes_case(
                "3 by 3 pixels, some of them too bright or too dark", [-20.3, 12.8, 290.7, 77.1], 1, 3
            ),
            slips=(
                Slip(
                    SCALE,
                    "undo the last step first. To normalise, you subtract and then divide; so multiply first, and then "
                    "add.",
                    behaves=lambda z, mean, std: (
                        ((z + per_channel(mean)) * per_channel(std) * 255).round().clamp(0, 255).byte()
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
                    behaves=lambda z, mean, std: undone(z, mean, std).round().int().byte(),
                ),
                Slip(
                    FRACTION,
                    "`byte()` drops the fraction: 99.7 became 99. Round first.",
                    behaves=lambda z, mean, std: undone(z, mean, std).clamp(0, 255).byte(),
                ),
                Slip(
                    SCALE,
                    "these run from 0 to 1, so as bytes they are all 0 or 1. Multiply by 255 first.",
                    behaves=lambda z, mean, std: (undone(z, mean, std) / 255).round().clamp(0, 255).byte(),
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
            lambda tk, t: shown_right,
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
            (lambda tk, t: lambda z, mean, std: undone(z, mean, std).round().int().byte(), WRAP),
            (lambda tk, t: lambda z, mean, std: undone(z, mean, std).clamp(0, 255).byte(), FRACTION),
            (lambda tk, t: lambda z, mean, std: undone(z, mean, std).round().clamp(0, 255), ""),
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
        base=red_records,
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
