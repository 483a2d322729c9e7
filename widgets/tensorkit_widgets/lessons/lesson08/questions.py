"""The questions of lesson 08, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question

END = "the end of arange"
LOG = "logspace takes powers"
LIKE = "*_like keeps the strides"
POSITION = "a seed is a position"
SHAPE = "the stream knows no shape"
BLOCKS = "randn works in blocks"


def _step(tk: Any) -> int:
    like = tk.zeros_like(tk.arange(12.0).view(3, 4).t())
    return int(like.as_strided((12,), (1,)).stride()[0] * like.stride()[1])


def _second(tk: Any) -> tuple[int, ...]:
    """Which of the stream's draws the second call gets."""
    tk.manual_seed(0)
    stream = tk.rand(16).tolist()
    tk.manual_seed(0)
    tk.rand(2)
    return tuple(stream.index(number) for number in tk.rand(2).tolist())


def _shapes(tk: Any) -> str:
    tk.manual_seed(0)
    a = tk.rand(2, 3)
    tk.manual_seed(0)
    return "Yes" if a.view(-1).equal(tk.rand(3, 2).view(-1)) else "No"


def _after_another(tk: Any) -> str:
    tk.manual_seed(0)
    mine = tk.rand(3)
    tk.manual_seed(0)
    tk.randperm(4)
    found = tk.rand(3)
    if mine.equal(found):
        return "The same three as without that line"
    return "Three others" if set(mine.tolist()) != set(found.tolist()) else "The same three in another order"


def _halves(tk: Any) -> str:
    tk.manual_seed(0)
    halves = tk.cat((tk.randn(8), tk.randn(8)))
    tk.manual_seed(0)
    return "Yes" if halves.equal(tk.randn(16)) else "No"


RULERS = (
    Question(
        "arange_end",
        "How many numbers does `tk.arange(1, 1.3, 0.1)` hold?",
        4,
        "1.3 is included. `arange` counts (1.3 - 1) / 0.1 numbers, rounded up, and in floating point this quotient "
        "is 3.0000000000000004.",
        slips=(
            Slip(
                END,
                "With whole numbers the end is left out. With float steps, rounding decides.",
                given=3,
            ),
            Slip(END, "1, 1.1 and 1.2 are in it for certain.", given=2),
            Slip(END, "There is a third argument, the step.", given=1),
            Slip(END, "1.4 is past the end.", given=5),
        ),
        proof=lambda tk: tk.arange(1, 1.3, 0.1).numel(),
    ),
    Question(
        "logspace_ends",
        "`linspace(2, 10, 4)` begins with 2 and ends with 10. What are the first and the last number of "
        "`tk.logspace(2, 10, 4)`?",
        "10² and 10¹⁰",
        "It spaces the *exponents* evenly from 2 to 10, and raises 10 to each of them.",
        options=("2 and 10", "10² and 10¹⁰", "log 2 and log 10"),
        slips=(
            Slip(
                LOG,
                "That would be a ruler from 2 to 10 with uneven steps. Here 2 and 10 are exponents.",
                given="2 and 10",
            ),
            Slip(LOG, "It goes the other way: it takes powers, not logarithms.", given="log 2 and log 10"),
        ),
        proof=lambda tk: (
            "10² and 10¹⁰" if [tk.logspace(2, 10, 4)[k].item() for k in (0, -1)] == [1e2, 1e10] else ""
        ),
    ),
)


LIKES = (
    Question(
        "like_stride",
        "`x = tk.arange(12.0).view(3, 4).t()` has size (4, 3), and so has `z = tk.zeros_like(x)`. The picture shows "
        "the twelve slots of the storage of `z`, each with its number. Draw the step from `z[0, 0]` to `z[0, 1]`, "
        "or type it.",
        4,
        "`zeros_like` copies the strides of `x` as well: they are (1, 4).",
        slips=(
            Slip(LIKE, "That is a contiguous tensor of size (4, 3). But `z` is laid out like `x`.", given=1),
            Slip(LIKE, "That is one row down, if `z` were contiguous. It is laid out like `x`.", given=3),
            Slip("counting from zero", "The step leads from slot 0 to slot 4: four slots.", given=5),
            Slip(LIKE, "It goes forwards: `z[0, 1]` is further on in the storage.", given=-4),
            Slip(LIKE, "Two different elements of a new tensor never share a slot.", given=0),
        ),
        proof=_step,
        picture=lambda tk: tk.arange(12),
        pick="step",
    ),
)


STREAM = (
    Question(
        "two_calls",
        "After `tk.manual_seed(0)` the generator gives one random number after another. The boxes are the first "
        "sixteen; the number in a box is only its place, counted from 0. Now you run `a = tk.rand(2)` and then `b = "
        "tk.rand(2)`. Which of the sixteen does `b` get? Press them, or type their places.",
        (2, 3),
        "`a` has read the numbers at places 0 and 1, and `b` reads on from there.",
        slips=(
            Slip(
                POSITION,
                "Those two went to `a`. The seed sets the position once, not before each call.",
                given=(0, 1),
            ),
            Slip(
                "counting from zero",
                "The first place is 0, so `a` has the numbers at places 0 and 1.",
                given=(3, 4),
            ),
            Slip(POSITION, "No number is skipped between two calls.", given=(4, 5)),
            Slip(POSITION, "`b` has two numbers, and 0 and 1 went to `a`.", given=(0, 1, 2, 3)),
            Slip(POSITION, "`b` has two numbers.", given=(2,)),
            Slip(POSITION, "They come in the order of the stream.", given=(3, 2)),
        ),
        proof=_second,
        picture=lambda tk: tk.arange(16),
        pick="cells",
    ),
    Question(
        "shape",
        "You run `tk.rand(2, 3)` after `manual_seed(0)`, and `tk.rand(3, 2)` after `manual_seed(0)` again. Do you "
        "get the same six numbers in the same order?",
        "Yes",
        "The size says how many numbers are read, and how they are laid out afterwards.",
        options=("Yes", "No"),
        slips=(
            Slip(
                SHAPE,
                "Six numbers are read in both cases, from the same place. The size decides only where the rows end.",
                given="No",
            ),
        ),
        proof=_shapes,
    ),
    Question(
        "colleague",
        "Your notebook has `tk.manual_seed(0)` at the top, and prints `tk.rand(3)` further down. A colleague puts "
        "`print(tk.randperm(4))` (four integers in random order) between the two. What does your line print now?",
        "Three others",
        "`randperm` reads numbers from the same generator, so your line begins further on.",
        options=(
            "The same three as without that line",
            "The same three in another order",
            "Three others",
        ),
        slips=(
            Slip(
                POSITION,
                "The seed does not belong to your line. It sets a position, and whatever draws next reads from there.",
                given="The same three as without that line",
            ),
            Slip(
                POSITION,
                "`randperm` shuffles its own four integers. To do so it reads numbers from the row, and yours begin "
                "after them.",
                given="The same three in another order",
            ),
        ),
        proof=_after_another,
    ),
    Question(
        "halves",
        "Two calls of `rand(2)` gave the numbers of one `rand(4)`. Now take normal numbers: do two calls of "
        "`tk.randn(8)` give the numbers of one `tk.randn(16)` after the same seed?",
        "No",
        "From 16 numbers on `randn` works in blocks of 16; a shorter call makes its numbers in pairs.",
        options=("Yes", "No"),
        slips=(
            Slip(
                BLOCKS,
                "That is true of `rand`, which uses one draw for each number. `randn` mixes several draws, and a "
                "call of "
                "16 mixes them in another way.",
                given="Yes",
            ),
        ),
        proof=_halves,
    ),
)


QUESTIONS = (
    *RULERS,
    *LIKES,
    *STREAM,
)
