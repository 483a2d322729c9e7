"""The questions of lesson 01, with what proves them."""

from __future__ import annotations

import sys
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

LIST = "getsizeof of a list"


ITEM = "a 0-d tensor is a tensor"


HERE = "tensors start on the CPU"


ROWS = "rows come before columns"


CHANNELS = "channels are a dimension"


ZERO = "counting from zero"


POINTERS = "No: that is the row of pointers, without the floats"


def _text(tk: Any) -> str:
    try:
        return str(tk.tensor("a").item())
    except TypeError:
        return "An error"


def _weighed(tk: Any) -> str:
    numbers = tk.arange(1000.0).tolist()
    alone = sys.getsizeof(numbers)
    boxes = sum(sys.getsizeof(number) for number in numbers)
    return POINTERS if alone < 9000 < boxes else "Yes: 8 bytes for each, and a little for the list"


def _kind(value: Any) -> str:
    return "A Python float" if type(value) is float else "A tensor without dimensions"


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from lesson 00",
        (
            Question(
                "five_zeros",
                "How many bytes do the numbers of `tk.zeros(5)` take?",
                20,
                "Five numbers of four bytes each take 20, because floats are `float32` unless you say otherwise.",
                slips=(
                    Slip("default dtype", "That would be `float64`, NumPy's choice.", given=40),
                    Slip("bytes per element", "One byte has room for 256 different values only.", given=5),
                    Slip("bytes per element", "Those are the bits; eight of them make a byte.", given=160),
                ),
                proof=lambda tk: tk.zeros(5).numel() * tk.zeros(5).element_size(),
            ),
            Question(
                "item",
                "`z = tk.ones(4)`. What is `z.mean().item()`?",
                "A Python float",
                "`mean()` gives a tensor without dimensions, and `item()` takes the Python number out of it.",
                options=("A tensor of size (1,)", "A tensor without dimensions", "A Python float"),
                slips=(
                    Slip(ITEM, "`z.mean()` has no dimension left.", given="A tensor of size (1,)"),
                    Slip(ITEM, "That is `z.mean()` alone.", given="A tensor without dimensions"),
                ),
                proof=lambda tk: _kind(tk.ones(4).mean().item()),
            ),
            Question(
                "no_device",
                "A program makes `w = tk.zeros(3)` on a machine with two GPUs, and never mentions a device. Where "
                "are the numbers of `w`?",
                "In the main memory, on the `cpu`",
                "A tensor is made on the CPU unless you say otherwise, whatever the machine has to offer.",
                options=("On the first GPU", "In the main memory, on the `cpu`", "Half of them on each GPU"),
                slips=(
                    Slip(HERE, "Nothing moves to a GPU by itself.", given="On the first GPU"),
                    Slip(HERE, "A tensor lives on one device.", given="Half of them on each GPU"),
                ),
                proof=lambda tk: f"In the main memory, on the `{tk.zeros(3).device}`",
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "text_tensor",
        'What does `tk.tensor("a")` give?',
        "An error",
        "A tensor holds numbers. You have to say first which number an `a` should be.",
        options=("A tensor that holds the letter a", "A tensor that holds 97, the code of a", "An error"),
        slips=(
            Slip(
                "text needs a table",
                "A list may hold letters. A tensor holds nothing but numbers.",
                given="A tensor that holds the letter a",
            ),
            Slip(
                "text needs a table",
                "It could be 97, or 1 for the first letter. You have not said which table to use.",
                given="A tensor that holds 97, the code of a",
            ),
        ),
        proof=_text,
    ),
    Question(
        "row_first",
        "`picture = tk.arange(24).view(4, 6)`: 4 rows of 6 pixels, numbered from 0 so that you can tell them apart. "
        "Which pixel is `picture[1, 3]`? Press it, or type its number.",
        (9,),
        "The row comes first and the column second, both counted from 0.",
        slips=(
            Slip(ROWS, "That is `picture[3, 1]`: the row comes first.", given=(19,)),
            Slip(ZERO, "Both are counted from 0: that is `picture[0, 2]`.", given=(2,)),
            Slip(ZERO, "The first column has the number 0: that is `picture[1, 2]`.", given=(8,)),
            Slip(ZERO, "The first row has the number 0: that is `picture[0, 3]`.", given=(3,)),
            Slip(ZERO, "You counted from 1, and the column first.", given=(12,)),
        ),
        proof=lambda tk: (int(tk.arange(24).view(4, 6)[1, 3].item()),),
        picture=lambda tk: tk.arange(24).view(4, 6),
        pick="cells",
        entry="7",
    ),
    Question(
        "photo_pixel",
        "`dots = tk.arange(24).view(2, 4, 3)` is a tiny colour picture: 2 rows, 4 columns, 3 channels. Which numbers "
        "belong to the pixel in row 1, column 2? Press them, or type them.",
        (18, 19, 20),
        "Two numbers choose the pixel; the third dimension holds its red, its green and its blue.",
        slips=(
            Slip(CHANNELS, "That is its red alone; green and blue belong to it too.", given=(18,)),
            Slip(CHANNELS, "That is one channel of a whole row of pixels.", given=(14, 17, 20, 23)),
            Slip(CHANNELS, "That is the whole row: four pixels.", given=tuple(range(12, 24))),
            Slip(ZERO, "Rows and columns are counted from 0: that is row 0, column 1.", given=(3, 4, 5)),
            Slip(ZERO, "The first column has the number 0: that is column 1.", given=(15, 16, 17)),
            Slip(ZERO, "The first row has the number 0: that is row 0.", given=(6, 7, 8)),
        ),
        proof=lambda tk: tuple(tk.arange(24).view(2, 4, 3)[1, 2].tolist()),
        picture=lambda tk: tk.arange(24).view(2, 4, 3),
        pick="cells",
    ),
    Question(
        "batch_size",
        "Three photos of size (75, 64, 3) become one batch. What size is it?",
        (3, 75, 64, 3),
        "A fourth dimension, in front of the others, says which photo.",
        slips=(
            Slip("cat vs stack", "That is one photo, three times as high.", given=(225, 64, 3)),
            Slip("cat vs stack", "That is one photo with nine colours.", given=(75, 64, 9)),
            Slip(
                "the batch comes first",
                "The dimension that counts the photos comes first.",
                given=(75, 64, 3, 3),
            ),
            Slip("cat vs stack", "That is one photo, three times as wide.", given=(75, 192, 3)),
            Slip("rows come before columns", "The rows come before the columns.", given=(3, 64, 75, 3)),
            Slip(
                CHANNELS, "These photos have their channels last, and stay as they are.", given=(3, 3, 75, 64)
            ),
        ),
        proof=lambda tk: tuple(tk.stack([tk.zeros(75, 64, 3)] * 3).size()),
    ),
    Question(
        "getsizeof",
        "A list holds 1000 different floats, and `sys.getsizeof` gives 8,056 bytes for it. Is that the memory that "
        "the list and its floats take?",
        POINTERS,
        "A list holds pointers, 8 bytes each. The float objects that they lead to were not counted.",
        options=(
            "Yes: 8 bytes for each, and a little for the list",
            POINTERS,
            "No: some of it is room for more floats",
        ),
        slips=(
            Slip(
                LIST,
                "8 bytes is just what a pointer takes. The number itself is somewhere else.",
                given="Yes: 8 bytes for each, and a little for the list",
            ),
            Slip(
                LIST,
                "A list that grew has spare room. This one was made in one go: 56 + 1000·8, and not a byte more.",
                given="No: some of it is room for more floats",
            ),
        ),
        proof=_weighed,
    ),
    Question(
        "tensor_bytes",
        "The same 1000 floats in a tensor: `t = tk.tensor(numbers)`. How many bytes does its storage have?",
        4000,
        "It holds 1000 numbers of four bytes, side by side, and nothing else. `float32` is the default.",
        slips=(
            Slip("bytes per element", "That is `float64`, NumPy's default.", given=8000),
            Slip(
                LIST, "There are no pointers and no list: a tensor holds the numbers themselves.", given=8056
            ),
            Slip(LIST, "That is the list. A tensor has no boxes.", given=32056),
            Slip(LIST, "Those are the boxes of the list.", given=24000),
            Slip(LIST, "The 56 bytes were for the list object. A storage is the numbers alone.", given=4056),
            Slip("bytes per element", "That is how many numbers there are; each takes 4 bytes.", given=1000),
        ),
        proof=lambda tk: tk.tensor(tk.arange(1000.0).tolist()).untyped_storage().nbytes(),
    ),
    Question(
        "mixed",
        "A list may mix: `[3, 6.7]` holds an integer and a float. What is the first number of `tk.tensor([3, 6.7])`?",
        "`3.`, a float",
        "All numbers of a tensor have one dtype. One float among them makes them all floats.",
        options=("`3`, an integer", "`3.`, a float", "It cannot be made: an error"),
        slips=(
            Slip(
                "one dtype for all",
                "Then the tensor would hold two kinds of number.",
                given="`3`, an integer",
            ),
            Slip(
                "one dtype for all",
                "Numbers of two kinds are converted to one kind; letters would be an error.",
                given="It cannot be made: an error",
            ),
        ),
        proof=lambda tk: "`3.`, a float" if tk.tensor([3, 6.7]).is_floating_point() else "`3`, an integer",
    ),
)
