"""The questions of lesson 01, with what proves them."""

from __future__ import annotations

import sys
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

__all__ = ["QUESTIONS", "QUIZZES"]

LIST = "getsizeof of a list"


ITEM = "a 0-d tensor is a tensor"


POINTERS = "No: that is the row of pointers; the floats come on top"


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
                "first_dtype",
                "Which dtype has `tk.tensor([1.5, 2.5])`?",
                "`float32`",
                "Floats become `float32` unless you say otherwise: 32 bits, four bytes each.",
                options=("`float32`", "`float64`", "`int64`"),
                slips=(
                    Slip("default dtype", "So Python and NumPy keep their floats.", given="`float64`"),
                    Slip("default dtype", "There are fractions in it.", given="`int64`"),
                ),
                proof=lambda tk: f"`{str(tk.tensor([1.5, 2.5]).dtype).rpartition('.')[2]}`",
            ),
            Question(
                "item",
                "`z = tk.zeros(5)`. What is `z.sum().item()`?",
                "A Python float",
                "`sum()` gives a tensor without dimensions, and `item()` takes the Python number out of it.",
                options=("A tensor of size (1,)", "A tensor without dimensions", "A Python float"),
                slips=(
                    Slip(ITEM, "`z.sum()` has no dimension left.", given="A tensor of size (1,)"),
                    Slip(ITEM, "That is `z.sum()` alone.", given="A tensor without dimensions"),
                ),
                proof=lambda tk: _kind(tk.zeros(5).sum().item()),
            ),
            Question(
                "bytes_of_two",
                "How many bytes do the numbers of `tk.tensor([1.5, 2.5])` take?",
                8,
                "Two numbers of four bytes each: `x.numel() * x.element_size()`.",
                slips=(
                    Slip("bytes per element", "That would be `float64`.", given=16),
                    Slip("bytes per element", "One byte has room for 256 different values only.", given=2),
                    Slip(
                        "bytes per element", "A `float32` has 32 bits; eight of them make a byte.", given=64
                    ),
                ),
                proof=lambda tk: tk.tensor([1.5, 2.5]).numel() * tk.tensor([1.5, 2.5]).element_size(),
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "text_tensor",
        '`tk.tensor("a")`: what comes?',
        "An error",
        "A tensor holds numbers. Which number an `a` is to be, somebody has to say first.",
        options=("A tensor that holds the letter a", "A tensor that holds 97, the code of a", "An error"),
        slips=(
            Slip(
                "text needs a table",
                "A list may hold letters. A tensor holds nothing but numbers.",
                given="A tensor that holds the letter a",
            ),
            Slip(
                "text needs a table",
                "It could be 97, or 1 for the first letter. Nobody said which table to use.",
                given="A tensor that holds 97, the code of a",
            ),
        ),
        proof=_text,
    ),
    Question(
        "photo_size",
        "A colour photo has 75 rows and 64 columns of pixels, and each pixel has three numbers: red, green, blue. "
        "Which size has it as a tensor, with the colours last?",
        (75, 64, 3),
        "Three dimensions: which row, which column, which colour.",
        slips=(
            Slip(
                "channels are a dimension", "That is a grey one: one number for each pixel.", given=(75, 64)
            ),
            Slip("rows come before columns", "Rows are counted first.", given=(64, 75, 3)),
            Slip("channels are a dimension", "That has the colours first.", given=(3, 75, 64)),
            Slip(
                "brackets are dimensions", "That is how many numbers there are, in one row.", given=(14400,)
            ),
        ),
        proof=lambda tk: tuple(tk.stack([tk.zeros(75, 64)] * 3, dim=2).size()),
    ),
    Question(
        "batch_size",
        "Three photos of size (75, 64, 3) become one batch. Which size has it?",
        (3, 75, 64, 3),
        "A fourth dimension, in front of the others: which photo.",
        slips=(
            Slip("cat vs stack", "That is one photo, three times as high.", given=(225, 64, 3)),
            Slip("cat vs stack", "That is one photo with nine colours.", given=(75, 64, 9)),
            Slip("the batch comes first", "The photos are counted before all else.", given=(75, 64, 3, 3)),
        ),
        proof=lambda tk: tuple(tk.stack([tk.zeros(75, 64, 3)] * 3).size()),
    ),
    Question(
        "getsizeof",
        "A list holds 1000 different floats, and `sys.getsizeof` says 8,056 bytes for it. Is that the memory that "
        "the list and its floats take?",
        POINTERS,
        "A list holds pointers, 8 bytes each. The float objects that they lead to were not counted.",
        options=(
            "Yes: 8 bytes for each, and a little for the list",
            POINTERS,
            "No: a part of it is room for more floats",
        ),
        slips=(
            Slip(
                LIST,
                "8 bytes is just what a pointer takes. The number itself lies elsewhere.",
                given="Yes: 8 bytes for each, and a little for the list",
            ),
            Slip(
                LIST,
                "A list that grew has spare room. This one was made in one go: 56 + 1000·8, and not a byte over.",
                given="No: a part of it is room for more floats",
            ),
        ),
        proof=_weighed,
    ),
    Question(
        "tensor_bytes",
        "The same 1000 floats in a tensor: `t = tk.tensor(numbers)`. How many bytes does its storage have?",
        4000,
        "1000 numbers of four bytes, side by side, and nothing else. `float32` is the default.",
        slips=(
            Slip("bytes per element", "That is `float64`, NumPy's default.", given=8000),
            Slip(LIST, "No pointers, no list: the numbers lie there themselves.", given=8056),
            Slip(LIST, "That is the list. A tensor has no boxes.", given=32056),
            Slip(LIST, "Those are the boxes of the list.", given=24000),
        ),
        proof=lambda tk: tk.tensor(tk.arange(1000.0).tolist()).untyped_storage().nbytes(),
    ),
    Question(
        "mixed",
        "A list may mix: `[3, 6.7]` holds an integer and a float. What is the first number of `tk.tensor([3, 6.7])`?",
        "`3.`, a float",
        "All numbers of a tensor have one dtype. A float among them makes floats of all.",
        options=("`3`, an integer", "`3.`, a float", "There is none: an error"),
        slips=(
            Slip("one dtype for all", "Then its slots would be of two kinds.", given="`3`, an integer"),
            Slip(
                "one dtype for all",
                "Numbers of two kinds are brought to one; letters would be an error.",
                given="There is none: an error",
            ),
        ),
        proof=lambda tk: "`3.`, a float" if tk.tensor([3, 6.7]).is_floating_point() else "`3`, an integer",
    ),
)
