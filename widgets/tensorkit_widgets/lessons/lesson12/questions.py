"""The questions of lesson 12, with what proves them."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

LOOPS = "element loops"
GAPS = "floats have gaps"
SLOTS = "strides count slots"
ENDS = "the ends of a running sum"
PAIRS = "every pair takes memory"


def _best(work: Callable[[], object], repeat: int = 5) -> float:
    return min(timeit.repeat(work, number=1, repeat=repeat))


def _walk(x: Any) -> Any:
    total = 0
    for i in range(len(x)):
        total += x[i]
    return total


def _loop(tk: Any) -> str:
    x = tk.rand(20_000)
    ratio = _best(lambda: _walk(x), 2) / _best(x.sum, 20)
    return "Hundreds or thousands of times as long" if ratio > 300 else "About ten times as long"


def _lists(tk: Any) -> str:
    x = tk.rand(20_000)
    ratio = _best(lambda: _walk(x), 2) / _best(lambda: _walk(x.tolist()), 10)
    return "Less than a tenth of the time" if ratio > 10 else "About half the time"


def _ones(tk: Any) -> str:
    total = tk.tensor(16_777_206.0)
    for _ in range(30):
        total = total + 1
    return "16,777,216, and there it stays" if total.item() == 16_777_216 else "20,000,000"


def _windows(tk: Any) -> tuple[int, ...]:
    return tuple(int(number) for number in tk.arange(12.0).unfold(0, 4, 3)[2].tolist())


def _ends(tk: Any) -> tuple[int, ...]:
    x = tk.tensor([8.0, 1.0, 7.0, 7.0, 1.0, 8.0, 5.0, 4.0, 2.0, 6.0])
    c, wanted = x.cumsum(0).tolist(), x[3:7].sum().item()
    [pair] = [(i, j) for i in range(10) for j in range(i, 10) if c[j] - c[i] == wanted]
    return int(c[pair[0]]), int(c[pair[1]])


def _waiters(tk: Any) -> str:
    tips = tk.ones(7, 3)
    return "`tips.sum(dim=0)`" if tuple(tips.sum(dim=0).size()) == (3,) else "`tips.sum(dim=1)`"


WRITTEN_OUT = "`clip.permute(0, 2, 3, 1).reshape(-1)`"
REFUSED = "`clip.permute(0, 2, 3, 1).view(-1)`"
REGROUPED = "`clip.view(100, 8, 8, 3).view(-1)`"


def _side_by_side(tk: Any) -> str:
    clip = tk.zeros(100, 3, 8, 8) + tk.arange(3).view(3, 1, 1)  # each number says which colour it is
    ways = {
        WRITTEN_OUT: lambda: clip.permute(0, 2, 3, 1).reshape(-1),
        REFUSED: lambda: clip.permute(0, 2, 3, 1).view(-1),
        REGROUPED: lambda: clip.view(100, 8, 8, 3).view(-1),
    }
    found = []
    for code, make in ways.items():
        try:
            first = make()[:6].tolist()
        except RuntimeError:
            continue
        if first == [0, 1, 2, 0, 1, 2]:
            found.append(code)
    return ", ".join(found)


def _cut_off(tk: Any) -> float:
    kilos = tk.tensor([7.9, 2.6])
    return float(kilos.sum() - kilos.int().sum())


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "colours_last",
                "A film clip has the size (100, 3, 8, 8): frames, colours, rows, columns. You want all its numbers in "
                "one row, with the three colours of each pixel side by side. Which line gives you that row?",
                WRITTEN_OUT,
                "`permute` puts the colours last, and moves nothing. In that order no single stride walks through the "
                "numbers, so they have to be copied, and `reshape` does that. (Lessons 03 and 05)",
                options=(WRITTEN_OUT, REFUSED, REGROUPED),
                slips=(
                    Slip(
                        "view after transpose fails",
                        "The order is right. But `view` never copies, so here it gives an error.",
                        given=REFUSED,
                    ),
                    Slip(
                        "permute vs view",
                        "`view` keeps the order of the storage: all the reds of a frame still come first.",
                        given=REGROUPED,
                    ),
                ),
                proof=_side_by_side,
            ),
            Question(
                "tips",
                "`tips` has the size (7, 3): seven evenings, three waiters. Which line gives the total of each "
                "*waiter*?",
                "`tips.sum(dim=0)`",
                "`dim=` names what disappears. The evenings are added up, and three numbers are left. (Lesson 11)",
                options=("`tips.sum(dim=0)`", "`tips.sum(dim=1)`", "`tips.sum()`"),
                slips=(
                    Slip(
                        "`dim=` in a reduction",
                        "That adds up the waiters: the total of each evening.",
                        given="`tips.sum(dim=1)`",
                    ),
                    Slip("`dim=` in a reduction", "That is one number for everything.", given="`tips.sum()`"),
                ),
                proof=_waiters,
            ),
            Question(
                "parcels",
                "Two parcels weigh `kilos = tk.tensor([7.9, 2.6])`, and `whole = kilos.int()`. What is `kilos.sum() - "
                "whole.sum()`?",
                1.5,
                "`int` returns another tensor, in which the fractions are dropped: 7 and 2. `kilos` keeps its 7.9 and "
                "2.6. (Lesson 07)",
                tolerance=0.01,
                slips=(
                    Slip(
                        "`.to()` returns",
                        "A cast never changes the tensor that it is called on: `kilos` is as it was.",
                        given=0,
                    ),
                    Slip(
                        "a cast drops the fraction",
                        "That would be rounding, to 8 and 3: 10.5 - 11.",
                        given=-0.5,
                    ),
                    Slip(
                        "a cast drops the fraction",
                        "Each weight is cut before they are added up: 7 + 2, and not 10.5 cut to 10.",
                        given=0.5,
                    ),
                ),
                proof=_cut_off,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "loop",
        "`t` holds 20,000 numbers. `sum_loop` does `total += t[i]` for each of them; `t.sum()` adds them up in one "
        "call. How long does the loop take?",
        "Hundreds or thousands of times as long",
        "For each of the 20,000 numbers, Python makes a tensor object and calls the engine to add it. `sum` "
        "is one call, and runs through the storage without Python.",
        options=(
            "About as long: it is the same sum",
            "About ten times as long",
            "Hundreds or thousands of times as long",
        ),
        order="given",
        slips=(
            Slip(
                LOOPS,
                "The additions are the same. What takes the time is all that Python does around each of them.",
                given="About as long: it is the same sum",
            ),
            Slip(
                LOOPS,
                "It is far more: two calls of the engine for each number.",
                given="About ten times as long",
            ),
        ),
        proof=_loop,
    ),
    Question(
        "lists",
        "Now you give the same function a list: `sum_loop(t.tolist())` makes the list, and Python loops over its "
        "20,000 numbers. How long does that take, compared with `sum_loop(t)`?",
        "Less than a tenth of the time",
        "What was slow is not the loop, but the 40,000 calls of the engine in it. `tolist` is one call; after that, "
        "Python adds its own numbers, and each addition is cheap.",
        options=(
            "Longer: the list has to be made first",
            "About as long: a loop is a loop",
            "About half the time",
            "Less than a tenth of the time",
        ),
        order="given",
        slips=(
            Slip(
                LOOPS,
                "Making the list is one call of the engine, for all numbers together.",
                given="Longer: the list has to be made first",
            ),
            Slip(
                LOOPS,
                "It is the same loop, but no longer over a tensor: each `t[i]` was a call.",
                given="About as long: a loop is a loop",
            ),
            Slip(
                LOOPS,
                "That would be so if a call cost as much as an addition. It costs far more.",
                given="About half the time",
            ),
        ),
        proof=_lists,
    ),
    Question(
        "ones",
        "`total` is a `float32`, and a loop adds 1 to it twenty million times. What does it hold in the end?",
        "16,777,216, and there it stays",
        "At 2²⁴ the gap between two neighbouring `float32` numbers becomes 2. A 1 is half a gap, and it is rounded "
        "away. From there on, adding 1 changes nothing.",
        options=(
            "20,000,000",
            "A little less than 20,000,000: rounding is small",
            "16,777,216, and there it stays",
            "`inf`",
        ),
        slips=(
            Slip(
                GAPS,
                "A `float32` can hold 20,000,000, but you cannot get there in steps of 1.",
                given="20,000,000",
            ),
            Slip(
                GAPS,
                "A rounding error is small beside the total. Is it small beside the 1?",
                given="A little less than 20,000,000: rounding is small",
            ),
            Slip(
                "range is not precision",
                "The largest `float32` is about 3·10³⁸, so this is far from `inf`.",
                given="`inf`",
            ),
        ),
        proof=_ones,
    ),
    Question(
        "windows",
        "`x` holds the twelve samples below. `x.unfold(0, 4, 3)` cuts dimension 0 into windows: each **4** samples "
        "long, and each starting **3** samples after the one before. Press the samples of window `[2]`, or type them.",
        (6, 7, 8, 9),
        "The windows start at 0, 3 and 6. The first sample of this window is also the last of the window before.",
        slips=(
            Slip(
                "counting from zero", "That is window 1: the first one has the number 0.", given=(3, 4, 5, 6)
            ),
            Slip(SLOTS, "That would be true if the windows started 4 samples apart.", given=(8, 9, 10, 11)),
            Slip(SLOTS, "4 is the length, 3 the distance from start to start.", given=(6, 7, 8)),
            Slip(SLOTS, "The 3 is a distance in samples, not the number of a window.", given=(2, 3, 4, 5)),
            Slip(
                "a step multiplies the stride",
                "The 3 is the distance between windows; inside one, samples are neighbours.",
                given=(2, 5, 8, 11),
            ),
        ),
        proof=_windows,
        picture=lambda tk: tk.arange(12.0),
        pick="cells",
    ),
    Question(
        "ends",
        "`c = x.cumsum(0)` is below: `c[j]` is the sum of `x[0]` up to and including `x[j]`. With *one* subtraction of "
        "two numbers of `c` you get `x[3:7].sum()`. Press these two numbers, or type them.",
        (16, 37),
        "37 is `c[6]`, everything up to `x[6]`, the last one wanted. Everything before `x[3]` has to be taken away: "
        "that is `c[2]`, which is 16.",
        slips=(
            Slip(
                ENDS,
                "`c[7]` includes `x[7]`, but the slice ends before it; `c[3]` includes `x[3]`, which you want to "
                "keep.",
                given=(23, 41),
            ),
            Slip(ENDS, "`c[3]` includes `x[3]`, which you want to keep.", given=(23, 37)),
            Slip(ENDS, "`c[7]` includes `x[7]`, but a slice stops before its end.", given=(16, 41)),
            Slip(
                ENDS,
                "Those are places, and those of 23 and 41: `c[3]` includes `x[3]`, and `c[7]` includes `x[7]`.",
                given=(3, 7),
            ),
        ),
        proof=_ends,
        picture=lambda tk: tk.tensor([8.0, 1.0, 7.0, 7.0, 1.0, 8.0, 5.0, 4.0, 2.0, 6.0]).cumsum(0),
        pick="cells",
    ),
    Question(
        "pairs",
        "How far apart are 10,000 points on a line, on average? `(x[:, None] - x).abs().mean()` has no loop. How many "
        "megabytes (millions of bytes) does `x[:, None] - x` take, as `float32`?",
        400,
        "Every point is compared with every point: that makes 10,000 × 10,000 differences of 4 bytes each. And "
        "`abs` makes as many again.",
        slips=(
            Slip(PAIRS, "That is in bytes. How many *millions* of bytes is it?", given=400_000_000),
            Slip(PAIRS, "That is the number of differences in millions; each takes 4 bytes.", given=100),
            Slip(
                PAIRS,
                "`x` itself takes 40 *thousand* bytes. Here every point is compared with all points.",
                given=40,
            ),
            Slip(
                PAIRS, "`x` takes 40,000 bytes. Here every point is compared with all points.", given=40_000
            ),
            Slip(
                PAIRS,
                "That would be true if each pair came once. It comes twice: `a - b` and `b - a`.",
                given=200,
            ),
            Slip(
                "bytes per element",
                "That would be `float64`. Unless you say otherwise it is `float32`.",
                given=800,
            ),
            Slip("broadcasting copies nothing", "The stretched inputs are free; the result is not.", given=0),
        ),
        proof=lambda tk: (
            (tk.empty(10_000, 1, device="meta") - tk.empty(10_000, device="meta")).numel() * 4 // 1_000_000
        ),
    ),
)
