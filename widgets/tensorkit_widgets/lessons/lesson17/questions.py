"""The questions of lesson 17, with what proves them."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit_widgets.lessons.photo import photo
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

TURN, PLANES = "permute vs view", "planes or pixels"
FREE, MIRROR = "transpose moves no data", "a transpose is a mirror"
SAVED, SCALE = "a saved slice saves the whole storage", "a scale is not a shift"
JOIN, MINUS, SHARES = "cat vs stack", "what -1 means in view", "NumPy shares memory"

STACK, CAT, TENSOR = "`tk.stack(frames)`", "`tk.cat(frames)`", "`tk.cat(frames, dim=-1)`"
ONE, RECORD, ALL = (
    "The 3,072 bytes of that picture",
    "Its record of 3,073 bytes, with the label",
    "All 48 pictures, and their labels too",
)
UNIT, SYMMETRIC, WHOLE, ZERO_OR_ONE = (
    "From 0 to 1",
    "From -1 to 1",
    "From 0 to 255, as before",
    "Only 0 and 1: fractions are dropped",
)
PICTURES = ("Picture 1", "Picture 2", "Picture 3", "Picture 4")


def _joined(tk: Any) -> str:
    frames = [tk.full((3, 9, 16), float(k)) for k in range(24)]
    calls = {STACK: tk.stack(frames), CAT: tk.cat(frames), TENSOR: tk.cat(frames, dim=-1)}
    [call] = [call for call, clip in calls.items() if clip.size(0) == 24 and tk.equal(clip[5], frames[5])]
    return call


def _shared(tk: Any) -> int:
    a = numpy.zeros(4, dtype=numpy.float32)
    t = tk.from_numpy(a)
    a += 1
    a = a * 5
    return int(t.sum().item())


def _made_by_view(tk: Any) -> str:
    """Which of the four pictures is the view: they are shuffled as they are in the lesson."""
    tk.manual_seed(17)
    tk.randperm(photo(tk).numel())
    return PICTURES[tk.randperm(4).tolist().index(2)]


def _record(tk: Any) -> Any:
    """A record of the lesson's format in small: a label, and a picture of 4 by 4 pixels."""
    return tk.arange(49)


def _green(tk: Any) -> int:
    record = _record(tk)
    return int(record[1:].view(3, 4, 4)[1, 0, 0])


def _mini(tk: Any) -> Any:
    return tk.arange(24).view(1, 2, 4, 3)


def _tiny_file(tk: Any) -> Any:
    """48 records, as a file gives them."""
    return tk.from_numpy(numpy.zeros(48 * 3073, numpy.uint8)).view(48, 3073)


def _saved(tk: Any) -> str:
    x = _tiny_file(tk)[:, 1:].view(48, 3, 32, 32)
    return {3072: ONE, 3073: RECORD, 48 * 3073: ALL}[x[0].untyped_storage().nbytes()]


def _range(tk: Any) -> str:
    x = tk.arange(256, dtype=tk.uint8).float().div(255)
    return {(0.0, 1.0): UNIT, (-1.0, 1.0): SYMMETRIC}[x.min().item(), x.max().item()]


def _mirrored(tk: Any) -> str:
    """Which of the four pictures is the transposed one: they are shuffled as they are in the lesson."""
    tile = tk.arange(48).view(3, 4, 4)
    made = [tile.flip(2), tk.rot90(tile, 1, (1, 2)), tile.transpose(1, 2), tk.rot90(tile, -1, (1, 2))]
    batch = tile.clone()[None]
    batch.transpose_(2, 3)
    tk.manual_seed(1)
    order = tk.randperm(4).tolist()
    [place] = [place for place, k in enumerate(order) if tk.equal(made[k], batch[0])]
    return PICTURES[place]


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "frames",
                "`frames` is a list of the 24 pictures of a film, each of size (3, 90, 160). You want one tensor, "
                "`clip`, so that `clip[5]` is picture 5. Which call makes it?",
                STACK,
                "`stack` makes a new dimension that counts the pictures: (24, 3, 90, 160). (Lesson 01)",
                options=(STACK, CAT, TENSOR),
                slips=(
                    Slip(
                        JOIN,
                        "`cat` makes a dimension longer that is there already: (72, 90, 160), and `clip[5]` is one "
                        "channel of picture 1.",
                        given=CAT,
                    ),
                    Slip(
                        JOIN,
                        "That puts the pictures side by side: (3, 90, 3840), one wide picture.",
                        given=TENSOR,
                    ),
                ),
                proof=_joined,
            ),
            Question(
                "rest",
                "`x` has the size (10, 4, 4, 2). What is the size of `x.view(-1, 8)`?",
                (40, 8),
                "`x` has 320 numbers. Rows of 8 leave room for 40 of them, and the -1 is that 40. (Lesson 04)",
                slips=(
                    Slip(
                        MINUS,
                        "10 rows of 8 are only 80 of the 320 numbers. The -1 does not keep a size: it is whatever is "
                        "left over.",
                        given=(10, 8),
                    ),
                    Slip(MINUS, "That is `x.view(10, -1)`: there the -1 is 32.", given=(10, 32)),
                    Slip(MINUS, "A size is never negative: the -1 is worked out.", given=(-1, 8)),
                    Slip(MINUS, "40 rows come first, and each has 8 numbers.", given=(8, 40)),
                    Slip(
                        MINUS, "That is how many numbers there are. They are divided into rows.", given=(320,)
                    ),
                ),
                proof=lambda tk: tuple(tk.zeros(10, 4, 4, 2).view(-1, 8).size()),
            ),
            Question(
                "after_numpy",
                "`a = numpy.zeros(4, dtype=numpy.float32)` and `t = tk.from_numpy(a)`. Then come `a += 1` and "
                "`a = a * 5`. What is `t.sum().item()`?",
                4,
                "`t` reads the memory of the first array. `a += 1` writes into it; `a * 5` is a new array, and "
                "`t` knows nothing of it. (Lessons 13 and 15)",
                slips=(
                    Slip(
                        "x += y vs x = x + y",
                        "`a = a * 5` writes nothing into the old array. It makes a new one, and moves the name `a`.",
                        given=20,
                    ),
                    Slip(SHARES, "`from_numpy` copies nothing: `t` sees what is written into `a`.", given=0),
                    Slip("", "That is each of the four numbers. What is their sum?", given=1),
                    Slip("x += y vs x = x + y", "That is one number of the new array.", given=5),
                ),
                proof=_shared,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "back",
        "`first` is the photo with its channels first: its size is (3, 75, 64). You want it channels last again. Which "
        "of the four pictures above is `first.view(75, 64, 3)`?",
        "Picture 4",
        "`view` takes the numbers in the order of the storage, three to a pixel. In `first`, three neighbours are "
        "three reds (or three greens, or three blues), and nearly equal: the pixel is grey.",
        options=PICTURES,
        order="given",
        slips=(
            Slip(
                TURN,
                "That is noise. A view keeps the numbers in their order, so neighbours stay neighbours.",
                given="Picture 1",
            ),
            Slip(
                TURN,
                "That is the photo, as `first.permute(1, 2, 0)` gives it. `view` does not put the dimensions into "
                "another order.",
                given="Picture 2",
            ),
            Slip(
                PLANES,
                "There red and blue are exchanged. For that, each pixel would still need one number of each colour. In "
                "the storage of `first`, the three numbers of a pixel are 4,800 slots apart.",
                given="Picture 3",
            ),
        ),
        proof=_made_by_view,
    ),
    Question(
        "first_green",
        "Our records in small: pictures of 4 × 4 pixels, so a record has 1 + 3·16 = 49 bytes. `record[0]` is the "
        "label, and `record[1:]` was filled by `picture.reshape(48)`, where `picture` has the size (3, 4, 4). Press "
        "the slot with the **green** of pixel (0, 0).",
        17,
        "After the label come all 16 reds, and only then the greens: 1 + 16 = 17.",
        slips=(
            Slip(
                PLANES,
                "That would be right if the three numbers of a pixel were side by side. The picture is (3, 4, 4): its "
                "reds come first, all 16 of them.",
                given=2,
            ),
            Slip(
                "counting from zero",
                "Nearly: slot 0 holds the label, so the reds are in slots 1 to 16.",
                given=16,
            ),
            Slip(PLANES, "That is the red of pixel (0, 0).", given=1),
            Slip(PLANES, "That is the blue of pixel (0, 0): two planes of 16 come before it.", given=33),
            Slip("counting from zero", "That is the green of pixel (0, 1).", given=18),
            Slip(PLANES, "That is the red of pixel (1, 0), one row down.", given=5),
            Slip("counting from zero", "Slot 0 holds the label.", given=0),
        ),
        proof=_green,
        picture=_record,
        pick="slot",
    ),
    Question(
        "saved",
        "`images` shows our 48 pictures in the bytes of the file. You save only the first one, with "
        "`pickle.dumps(images[0])` or `tk.save`. Which bytes are written?",
        ALL,
        "`images[0]` has no storage of its own: it is a size, a stride and an offset. The storage behind it is the "
        "whole file, with the labels.",
        options=(ONE, RECORD, ALL),
        order="given",
        slips=(
            Slip(SAVED, "That would be true of `images[0].clone()`.", given=ONE),
            Slip(SAVED, "A record is not a storage: it is a row of one large storage.", given=RECORD),
        ),
        proof=_saved,
    ),
    Question(
        "two_transposes",
        "In small: `mini` is one picture of 2 × 4 pixels, channels last, in one piece. Its size is (1, 2, 4, 3). `x = "
        "mini.transpose(1, 3).transpose(2, 3)` has the size (1, 3, 2, 4). In `x`, take one step to the right, from "
        "`x[0, 0, 0, 0]` to `x[0, 0, 0, 1]`. How many slots is that? Draw it in the storage, or type the number.",
        3,
        "Nothing has moved. The next pixel to the right begins three slots on, where it always did.",
        slips=(
            Slip(
                FREE,
                "It would be 1 if the reds had been moved together. No number was moved: two transposes only exchange "
                "strides, twice.",
                given=1,
            ),
            Slip(FREE, "That is the step to the next row: a row of `mini` has 4·3 slots.", given=12),
            Slip(
                FREE,
                "That would be the step to the next channel, if the numbers had been moved. They were not.",
                given=8,
            ),
            Slip("a size is not a stride", "That is how many pixels are in a row.", given=4),
            Slip(FREE, "After the *first* transpose that was the step along the last dimension.", given=2),
        ),
        proof=lambda tk: _mini(tk).transpose(1, 3).transpose(2, 3).stride(3),
        picture=_mini,
        pick="step",
    ),
    Question(
        "range",
        "The bytes of `x` run from 0 to 255. A lecture goes on with `x = x.narrow(0, 0, 48).float().div(255)`. From "
        "where to where do the numbers run then?",
        UNIT,
        "0 / 255 is 0, and 255 / 255 is 1. A division scales, and 0 stays where it is.",
        options=(UNIT, SYMMETRIC, WHOLE, ZERO_OR_ONE),
        slips=(
            Slip(
                SCALE,
                "The lecture says so, and many networks want it so. But no division makes a negative number of a byte.",
                given=SYMMETRIC,
            ),
            Slip(SCALE, "After `float()` they do. Then each of them is divided by 255.", given=WHOLE),
            Slip(
                "a cast drops the fraction",
                "`float()` comes first, so nothing is dropped. (And `div` gives floats even for bytes.)",
                given=ZERO_OR_ONE,
            ),
        ),
        proof=_range,
    ),
    Question(
        "mirrored",
        "A lecture calls the result of `x.transpose_(2, 3)` *rotated*. Which of the four pictures above will `x[14]` "
        "be?",
        "Picture 3",
        "Rows become columns: what was in row 2, column 9 is in row 9, column 2 now. The diagonal stays, and the two "
        "sides of it change places. That is a mirror image.",
        options=PICTURES,
        order="given",
        slips=(
            Slip(
                MIRROR,
                "That is a quarter turn to the left. It needs a flip as well: `x.transpose(2, 3).flip(2)`.",
                given="Picture 1",
            ),
            Slip(
                MIRROR,
                "That is a quarter turn to the right. It needs a flip as well: `x.transpose(2, 3).flip(3)`.",
                given="Picture 2",
            ),
            Slip(
                MIRROR,
                "There left and right have changed places, as `x.flip(3)` does it. A transpose exchanges rows and "
                "columns.",
                given="Picture 4",
            ),
        ),
        proof=_mirrored,
    ),
)
