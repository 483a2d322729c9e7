"""The test of the course, with what proves it: ten questions before it, and the same ten in new clothes after it.

Both ask about the same misconceptions, question by question. The one before shows no results: that would give away
what the lessons ask you to predict.
"""

from __future__ import annotations

from typing import Any

import tensorkit
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

ERROR = "There is an error"
FEW, ALL = "Only two strides and two sizes", "All of the numbers, once"
HANDED, WHOLE = "How long it takes to hand the work over", "How long the device computes"


def _alias(tk: Any, count: int, start: int, place: int, new: int) -> int:
    x = tk.arange(count)
    y = x[start:]
    y[place] = new
    return int(x[start + place])


def _turned(tk: Any, rows: int, columns: int) -> str:
    x = tk.zeros(rows, columns)
    return FEW if x.t().data_ptr() == x.data_ptr() else ALL


def _viewed(tk: Any, rows: int, columns: int, *size: int) -> str:
    try:
        return f"{tuple(tk.zeros(rows, columns).t().view(*size).size())}"
    except RuntimeError:
        return ERROR


def _met(tk: Any, count: int) -> tuple[int, ...]:
    return tuple((tk.zeros(count, 1) - tk.zeros(count)).size())


def _mean(tk: Any, values: list[int]) -> str:
    try:
        return f"`{tk.tensor(values).mean().item():.1f}`"
    except RuntimeError:
        return ERROR


def _renamed(tk: Any, writes: bool) -> int:
    a = tk.ones(3) * 4
    b = a
    if writes:
        b += 5
    else:
        b = b + 5
    return int(a[0])


def _lost(tk: Any, mask: bool) -> int:
    x = tk.tensor([6, 2, 8, 3])
    y = x[x > 5] if mask else x[[0, 2]]
    y[0] = 70
    return int(x[0])


def _added(tk: Any, factor: int, times: int) -> int:
    w = tk.tensor(2.0, requires_grad=True)
    for _ in range(times):
        (factor * w).backward()
    return int(w.grad)


def _detached(tk: Any) -> str:
    w = tk.ones(2, requires_grad=True)
    w.detach()[0] = 9
    return "`w.detach()`" if w[0].item() == 9 else "?"


def _safe(tk: Any) -> str:
    w = tk.ones(2, requires_grad=True)
    kept = w.detach().clone()
    w.detach().fill_(7)
    return "`w.detach().clone()`" if kept[0].item() == 1 and not kept.requires_grad else "?"


def _timed(_: Any) -> str:
    """On the kit's emulated device, which begins late: was the work over when the call was?"""
    with tensorkit.cuda.emulate() as devices, devices.late():
        a = tensorkit.ones(3, 3, device="cuda")
        tensorkit.cuda.synchronize()
        a @ a
        over = tensorkit.cuda.current_stream().query()
        tensorkit.cuda.synchronize()
    return WHOLE if over else HANDED


ALIAS, TURN, VIEW = "a slice aliases its base", "transpose moves no data", "view after transpose fails"
MEETS, MEAN, PLUS = "(N,1) against (N) gives (N,N)", "integer mean", "x += y vs x = x + y"
FANCY, ADDS, DETACH = "fancy indexing copies", "backward adds", "detach vs clone"
TIMING = "timing a GPU without synchronising"

BEFORE = (
    Question(
        "slice",
        "`x = tk.arange(30)`, `y = x[20:]`, and then `y[4] = -1`. What number is in `x[24]` now?",
        -1,
        "`y` is another way to read the numbers of `x`: there is only one set of them. (Lesson 02)",
        slips=(Slip(ALIAS, "A slice has no numbers of its own.", given=24),),
        proof=lambda tk: _alias(tk, 30, 20, 4, -1),
    ),
    Question(
        "transpose",
        "`x` is a matrix of 4,000 × 500 numbers. What does `x.t()` have to write into memory?",
        FEW,
        "The numbers stay in their places; only the way to read them changes. (Lesson 03)",
        options=(FEW, ALL, "All of the numbers, twice"),
        slips=(
            Slip(TURN, "None of the numbers moves.", given=ALL),
            Slip(TURN, "None of the numbers moves.", given="All of the numbers, twice"),
        ),
        proof=lambda tk: _turned(tk, 400, 50),
    ),
    Question(
        "view",
        "`x` has the size (8, 5). What do you get from `x.t().view(40)`?",
        ERROR,
        "The rows of `x.t()` do not follow one another in memory, and `view` never copies. (Lesson 05)",
        options=(ERROR, "The numbers of `x`, row by row", "The numbers of `x`, column by column"),
        slips=(
            Slip(VIEW, "`view` reads the *transposed* tensor.", given="The numbers of `x`, row by row"),
            Slip(VIEW, "It would need a copy.", given="The numbers of `x`, column by column"),
        ),
        proof=lambda tk: _viewed(tk, 8, 5, 40),
    ),
    Question(
        "column_and_row",
        "`prices` has the size (6, 1) and `costs` has the size (6). What is the size of `prices - costs`?",
        (6, 6),
        "The sizes line up from the right: each price meets each cost. (Lesson 10)",
        entry="(2, 3)",
        slips=(
            Slip(MEETS, "The six do not meet one by one.", given=(6,)),
            Slip(MEETS, "The row is stretched downwards, too.", given=(6, 1)),
        ),
        proof=lambda tk: _met(tk, 6),
    ),
    Question(
        "mean",
        "What do you get from `tk.tensor([2, 3, 7]).mean()`?",
        ERROR,
        "Whole numbers have no mean until you choose a float dtype for it. (Lesson 07)",
        options=("`4.0`", "`4`", ERROR),
        slips=(
            Slip(MEAN, "That would be a float, and these are integers.", given="`4.0`"),
            Slip(MEAN, "A mean is seldom whole.", given="`4`"),
        ),
        proof=lambda tk: _mean(tk, [2, 3, 7]),
    ),
    Question(
        "plus",
        "`a` holds three fours. You run `b = a`, and then `b += 5`. What number is in `a[0]` now?",
        9,
        "`b` is a second name for the same tensor, and `+=` writes into that tensor. (Lesson 13)",
        slips=(Slip(PLUS, "No new tensor was made.", given=4),),
        proof=lambda tk: _renamed(tk, True),
    ),
    Question(
        "lost",
        "`x` holds 6, 2, 8 and 3. You run `y = x[[0, 2]]`, and then `y[0] = 70`. What number is in `x[0]` now?",
        6,
        "A list between brackets makes a copy, and only the copy was written. (Lesson 09)",
        slips=(Slip(FANCY, "`y` has numbers of its own.", given=70),),
        proof=lambda tk: _lost(tk, False),
    ),
    Question(
        "gradient",
        "`w` is one number that requires a gradient. You run `(3 * w).backward()` twice. What is in `w.grad`?",
        6,
        "The second gradient is added to the first. (Lesson 18)",
        slips=(Slip(ADDS, "`backward` does not replace what is there.", given=3),),
        proof=lambda tk: _added(tk, 3, 2),
    ),
    Question(
        "shared",
        "`w` requires a gradient. Through which of these tensors does a write change the numbers of `w`?",
        "`w.detach()`",
        "`detach` leaves the history behind, but it shares the numbers. (Lesson 18)",
        options=("`w.detach()`", "`w.clone()`", "Neither of the two"),
        slips=(
            Slip(DETACH, "`clone` copies the numbers.", given="`w.clone()`"),
            Slip(DETACH, "One of them shares the numbers.", given="Neither of the two"),
        ),
        order="last",
        proof=_detached,
    ),
    Question(
        "stopwatch",
        "You read the clock, run `c = a @ b` with two large matrices on a GPU, and read the clock again on the next "
        "line. What have you measured?",
        HANDED,
        "The call comes back at once, and the device works on. (Lesson 22)",
        options=(HANDED, WHOLE, "Both together"),
        slips=(
            Slip(TIMING, "The program does not wait for the device by itself.", given=WHOLE),
            Slip(TIMING, "The program does not wait for the device by itself.", given="Both together"),
        ),
        proof=_timed,
    ),
)

AFTER = (
    Question(
        "slice",
        "`week = tk.arange(7)` and `end = week[5:]`. A colleague runs `end[1] = 100`. What number is in `week[6]` now?",
        100,
        "`end` reads the same numbers as `week`. (Lesson 02)",
        slips=(Slip(ALIAS, "A slice has no numbers of its own.", given=6),),
        proof=lambda tk: _alias(tk, 7, 5, 1, 100),
    ),
    Question(
        "transpose",
        "A table of 20 × 90,000 measurements is turned by `.t()`. Which of its numbers are moved?",
        "None of them",
        "Two sizes and two strides change places, and that is all. (Lesson 03)",
        options=("None of them", "All of them", "All but the diagonal"),
        slips=(
            Slip(TURN, "The storage stays as it was.", given="All of them"),
            Slip(TURN, "The storage stays as it was.", given="All but the diagonal"),
        ),
        proof=lambda tk: "None of them" if _turned(tk, 20, 90) == FEW else "?",
    ),
    Question(
        "view",
        "`grey` is a photograph of the size (12, 10). What do you get from `grey.t().view(5, 24)`?",
        ERROR,
        "One stride cannot lead from one row of the turned photograph to the next, and `view` never copies. "
        "(Lesson 05)",
        options=(ERROR, "The photograph, turned and cut into five rows", "A copy of the size (5, 24)"),
        slips=(
            Slip(
                VIEW,
                "These rows are not one after another in memory.",
                given="The photograph, turned and cut into five rows",
            ),
            Slip(VIEW, "`view` never copies; `reshape` would.", given="A copy of the size (5, 24)"),
        ),
        proof=lambda tk: _viewed(tk, 12, 10, 5, 24),
    ),
    Question(
        "column_and_row",
        "A model gives `out` of the size (9, 1), and the targets have the size (9). What is the size of "
        "`(out - targets) ** 2`?",
        (9, 9),
        "Each output meets each target, and the loss is wrong without an error. (Lesson 10)",
        entry="(2, 3)",
        slips=(
            Slip(MEETS, "The nine do not meet one by one.", given=(9,)),
            Slip(MEETS, "The row is stretched downwards, too.", given=(9, 1)),
        ),
        proof=lambda tk: _met(tk, 9),
    ),
    Question(
        "mean",
        "Three students have 8, 9 and 10 points. What do you get from `tk.tensor([8, 9, 10]).mean()`?",
        ERROR,
        "The points are integers: `mean(dtype=tk.float32)` gives 9.0. (Lesson 07)",
        options=("`9.0`", "`9`", ERROR),
        slips=(
            Slip(MEAN, "That needs a float dtype, which you have to name.", given="`9.0`"),
            Slip(MEAN, "The rule is the same when the mean happens to be whole.", given="`9`"),
        ),
        proof=lambda tk: _mean(tk, [8, 9, 10]),
    ),
    Question(
        "plus",
        "`start` holds three fours. You run `now = start`, and then `now = now + 5`. What number is in `start[0]`?",
        4,
        "`now + 5` is a new tensor, and the name `now` moves to it. (Lesson 13)",
        slips=(Slip(PLUS, "That is what `now += 5` would have done.", given=9),),
        proof=lambda tk: _renamed(tk, False),
    ),
    Question(
        "lost",
        "`x` holds 6, 2, 8 and 3. You run `large = x[x > 5]`, and then `large[0] = 70`. What number is in `x[0]`?",
        6,
        "A mask between brackets makes a copy; `x[x > 5] = 70` would have written into `x`. (Lesson 09)",
        slips=(Slip(FANCY, "`large` has numbers of its own.", given=70),),
        proof=lambda tk: _lost(tk, True),
    ),
    Question(
        "gradient",
        "A training loop never empties `w.grad`. In each round the gradient is 5. What is in `w.grad` after the "
        "third round?",
        15,
        "All three gradients are added. `w.grad = None` before each round keeps them apart. (Lesson 18)",
        slips=(Slip(ADDS, "`backward` does not replace what is there.", given=5),),
        proof=lambda tk: _added(tk, 5, 3),
    ),
    Question(
        "shared",
        "You want to keep the weights `w` as they are today, without their history, while training goes on and "
        "writes into `w`. Which line does that?",
        "`w.detach().clone()`",
        "`detach` leaves the history behind; only `clone` makes numbers of your own. (Lesson 18)",
        options=("`w.detach()`", "`w.clone()`", "`w.detach().clone()`"),
        slips=(
            Slip(DETACH, "It still shares the numbers: they change with `w`.", given="`w.detach()`"),
            Slip(DETACH, "It still has a history.", given="`w.clone()`"),
        ),
        proof=_safe,
    ),
    Question(
        "stopwatch",
        "A blog says that a product of two huge matrices takes 12 microseconds on a GPU. Its program reads the clock "
        "before and after `a @ b`, and never synchronises. What did the author measure?",
        HANDED,
        "Without `synchronize()` the clock is read while the device is still at work. (Lesson 22)",
        options=(HANDED, WHOLE, "How long it takes to copy the result back"),
        slips=(
            Slip(TIMING, "The clock was read long before it was done.", given=WHOLE),
            Slip(
                TIMING,
                "The result is still on the device.",
                given="How long it takes to copy the result back",
            ),
        ),
        proof=_timed,
    ),
)

QUIZZES = (
    QuizSheet("before", "Ten questions before the course", BEFORE, test="before"),
    QuizSheet("after", "Ten questions after the course", AFTER, test="after"),
)
