"""The exercises of lesson 11, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import tensorkit as tk
from tensorkit_widgets.practice.checking.checks import Checker, tensor_check, tuple_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.checking.typed import numbers_in
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict
from tensorkit_widgets.practice.kinds import Task

DIM = "`dim=` in a reduction"


KEEP = "keepdim leaves a 1"


def _classes(tk: Any) -> Any:
    return tk.tensor([[1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 7.0, 3.0, 3.0, 5.0]])


def _batch(photos: int, rows: int, columns: int) -> Any:
    """Photos whose channels, rows and columns all differ."""
    numbers = tk.arange(3.0 * photos * rows * columns)
    return ((numbers * numbers) % 17).view(photos, 3, rows, columns)


def _standard(batch: Any, dim: Any = (0, 2, 3)) -> Any:
    return (batch - batch.mean(dim, keepdim=True)) / batch.std(dim, keepdim=True)


def _by_last_dimension(batch: Any) -> Any:
    """With the channels last, means of size (3,) line up by themselves."""
    last = batch.permute(0, 2, 3, 1)
    return ((last - last.mean((0, 1, 2))) / last.std((0, 1, 2))).permute(0, 3, 1, 2)


_NAMED = tuple_check(
    1,
    2,
    slips=(
        Slip(DIM, "Those stayed. The named ones are those that disappeared.", given=(0, 3)),
        Slip(DIM, "Those are the sizes; a dimension is named by its number.", given=(3, 75)),
        Slip(DIM, "Those are the sizes that stayed.", given=(8, 64)),
        Slip("counting from zero", "The first dimension has the number 0.", given=(2, 3)),
        Slip(DIM, "Two dimensions disappeared.", given=(1,)),
        Slip(DIM, "Two dimensions disappeared.", given=(2,)),
    ),
)


def _named(answer: Answer) -> Verdict:
    """The dimensions may be named in any order, and counted from the end."""
    dims = numbers_in(answer.value)
    if dims is not None and all(-4 <= dim < 4 for dim in dims) and sorted(dim % 4 for dim in dims) == [1, 2]:
        return Verdict(True)
    return _NAMED(answer)


TASKS = (
    Task(
        "size_after",
        "The size that is left",
        "`t = tk.ones(5, 6, 7)`.\n\n"
        "Worked: `t.sum(dim=0)` strikes out dimension 0, the 5. What is left is **(6, 7)**.\n\n"
        "Your turn: what size is `t.sum(dim=1)`?",
        tuple_check(
            5,
            7,
            slips=(
                Slip(DIM, "That is the dimension that disappears; the other two stay.", given=(6,)),
                Slip(DIM, "That strikes out dimension 0, as in the worked example.", given=(6, 7)),
                Slip("counting from zero", "Dimension 1 is the second one, the 6.", given=(5, 6)),
                Slip(KEEP, "That is what `keepdim=True` would leave.", given=(5, 1, 7)),
                Slip(DIM, "Only one dimension was named, so only one disappears.", given=(7,)),
                Slip(DIM, "Only one dimension was named, so only one disappears.", given=(5,)),
                Slip(DIM, "Those are the right two sizes, but they stay in their order.", given=(7, 5)),
                Slip(DIM, "The dimension that you name disappears.", given=(5, 6, 7)),
            ),
        ),
        (
            "Write the size down: (5, 6, 7). Dimensions are counted from 0.",
            "The dimension that you name is the one that disappears.",
            "Strike the 6 out.",
        ),
        "(5, 7)",
        stage="worked",
        entry="(6, 7)",
        right=(
            lambda tk, t: (5, 7),
            lambda tk, t: "(5, 7)",
            lambda tk, t: tk.ones(5, 6, 7).sum(dim=1).size(),
        ),
        wrong=(
            (lambda tk, t: (6,), DIM),
            (lambda tk, t: (6, 7), DIM),
            (lambda tk, t: (5, 1, 7), KEEP),
            (lambda tk, t: (5, 6), "counting from zero"),
            (lambda tk, t: (7, 5), DIM),
            (lambda tk, t: (4, 2), ""),
        ),
    ),
    Task(
        "row_means",
        "One mean for each row",
        "`t` holds the marks of two classes, five pupils in each row. Fill the gap so that `m` holds the mean of "
        "each **row**, size (2,):\n\n"
        "    m = t.mean(dim=___)",
        tensor_check(
            size=(2,),
            values=[3.0, 4.0],
            slips=(
                Slip(
                    DIM,
                    "those are the means of the five columns. `dim=0` makes dimension 0, the rows, disappear.",
                    behaves=lambda t: t.mean(dim=0),
                ),
                Slip(DIM, "without a `dim`, all dimensions disappear.", behaves=lambda t: t.mean()),
                Slip(
                    "",
                    "those are the sums of the rows; a mean divides them by 5.",
                    behaves=lambda t: t.sum(dim=1),
                ),
                Slip(
                    "",
                    "those are the medians of the rows, the numbers in the middle.",
                    behaves=lambda t: t.median(dim=1).values,
                ),
                Slip(
                    KEEP,
                    "the numbers are right, but they are in a column, of size (2, 1). Leave `keepdim=True` out.",
                    behaves=lambda t: t.mean(1, keepdim=True),
                ),
            ),
        ),
        (
            "The result has one number for each row, so dimension 0 has to stay.",
            "Which dimension must disappear? Name that one.",
            "`t.mean(dim=1)`, or `dim=-1`: the last one.",
        ),
        "m = t.mean(dim=1)",
        stage="faded",
        base=_classes,
        right=(
            lambda tk, t: t.mean(dim=1),
            lambda tk, t: t.mean(-1),
            lambda tk, t: t.sum(1) / t.size(1),
            lambda tk, t: tk.stack([row.mean() for row in t]),
        ),
        wrong=(
            (lambda tk, t: t.mean(dim=0), DIM),
            (lambda tk, t: t.mean(), DIM),
            (lambda tk, t: t.mean(1, keepdim=True), KEEP),
            (lambda tk, t: t.sum(1), ""),
        ),
    ),
    Task(
        "which_dims",
        "Backwards: which dimensions were named?",
        "A batch of photos has the size (8, 3, 75, 64). Somebody reduced it and got a tensor of size (8, 64). Which "
        "dimensions did they name?",
        Checker(_named),
        (
            "Which numbers of (8, 3, 75, 64) are missing in (8, 64)?",
            "The 3 and the 75 are missing. At which places are they?",
            "Places are counted from 0: the 8 is at place 0, and the 3 …",
        ),
        "(1, 2)",
        stage="reverse",
        entry="(0, 1)",
        right=(
            lambda tk, t: (1, 2),
            lambda tk, t: [1, 2],
            lambda tk, t: "1, 2",
            lambda tk, t: (2, 1),
            lambda tk, t: (-3, -2),
        ),
        wrong=(
            (lambda tk, t: (0, 3), DIM),
            (lambda tk, t: (3, 75), DIM),
            (lambda tk, t: (2, 3), "counting from zero"),
            (lambda tk, t: (0, 1), ""),
        ),
    ),
    Task(
        "full_rows",
        "Count the rows",
        "Write `full_rows(t)`: it returns how many rows of `t` hold only numbers above zero. Do not use a loop.\n\n"
        "    def full_rows(t):\n"
        "        return ___",
        function_check(
            Case(
                "of a table with two such rows out of three",
                lambda: (tk.tensor([[1, 2, 3], [1, 0, 2], [4, 4, 4]]),),
                2,
            ),
            Case(
                "of a table whose columns would give another answer",
                lambda: (tk.tensor([[1, -1], [1, -1], [1, -1]]),),
                0,
            ),
            Case("of a table with a negative number", lambda: (tk.tensor([[3, -1], [2, 2]]),), 1),
            Case("of an empty table with two columns", lambda: (tk.zeros(0, 2),), 0),
            slips=(
                Slip(
                    DIM,
                    "`all(dim=0)` checks the columns; `all(dim=1)` checks the rows.",
                    behaves=lambda t: (t > 0).all(dim=0).sum(),
                ),
                Slip(
                    DIM,
                    "that counts numbers. Count rows in which **all** numbers are above zero: reduce dimension 1 "
                    "first, then the rows.",
                    behaves=lambda t: (t > 0).sum(),
                ),
                Slip(
                    DIM,
                    "that is one answer for the whole table: without a `dim`, all dimensions disappear.",
                    behaves=(
                        lambda t: (t > 0).all(),
                        lambda t: (t > 0).all().sum(),
                        lambda t: int((t > 0).all()),
                    ),
                ),
                Slip(
                    DIM,
                    "that is one answer for each row. How many of these are True?",
                    behaves=lambda t: (t > 0).all(dim=1),
                ),
                Slip(
                    "",
                    "that counts rows with **any** number above zero; you need those with all.",
                    behaves=lambda t: (t > 0).any(dim=1).sum(),
                ),
                Slip(
                    "",
                    "0 is not above zero: the comparison is `>`.",
                    behaves=lambda t: (t >= 0).all(dim=1).sum(),
                ),
                Slip(
                    "True counts as 1",
                    "a row may add up to more than zero with a negative number in it. Compare first, then reduce.",
                    behaves=lambda t: (t.sum(dim=1) > 0).sum(),
                ),
            ),
        ),
        (
            "`t > 0` is a tensor of bool. Which reduction checks whether all of a row are True?",
            "`(t > 0).all(dim=1)` has one True or False for each row. How do you count the Trues?",
            "`.sum()` counts them.",
        ),
        "def full_rows(t):\n    return (t > 0).all(dim=1).sum().item()",
        stage="free",
        right=(
            lambda tk, t: lambda x: (x > 0).all(dim=1).sum().item(),
            lambda tk, t: lambda x: int(((x > 0).sum(1) == x.size(1)).sum()),
            lambda tk, t: lambda x: (~(x <= 0).any(-1)).sum(),
        ),
        wrong=(
            (lambda tk, t: lambda x: (x > 0).all(dim=0).sum().item(), DIM),
            (lambda tk, t: lambda x: (x > 0).sum().item(), DIM),
            (lambda tk, t: lambda x: sum(1 for row in x if row > 0), "`if` on a tensor"),
            (lambda tk, t: lambda x: (x > 0).any(dim=1).sum().item(), ""),
            (lambda tk, t: lambda x: 7, ""),
            (lambda tk, t: lambda x: None, ""),
        ),
    ),
    Task(
        "standardise",
        "Real photographs: the same light for every channel",
        "Before a network sees photos, each **channel** is standardised: its mean is subtracted, and the result is "
        "divided by its standard deviation. Both are taken over all photos and all pixels of the batch. `batch` has "
        "the size (photos, channels, rows, columns). Write `standardise(batch)`; the result has the same size.\n\n"
        "    def standardise(batch):\n"
        "        return ___",
        function_check(
            Case("of two photos of 4 by 5 pixels", lambda: (_batch(2, 4, 5),), _standard(_batch(2, 4, 5))),
            Case("of three photos of 3 by 3 pixels", lambda: (_batch(3, 3, 3),), _standard(_batch(3, 3, 3))),
            Case("of one photo of 2 by 3 pixels", lambda: (_batch(1, 2, 3),), _standard(_batch(1, 2, 3))),
            slips=(
                Slip(
                    KEEP,
                    "three means of size (3,) line up with the **columns** of the photos, not with the channels. "
                    "`keepdim=True` leaves (1, 3, 1, 1).",
                    behaves=lambda b: (b - b.mean((0, 2, 3))) / b.std((0, 2, 3)),
                ),
                Slip(
                    DIM,
                    "that has one mean for all three channels together: without a `dim`, all dimensions disappear.",
                    behaves=lambda b: (b - b.mean()) / b.std(),
                ),
                Slip(
                    DIM,
                    "that has a mean for each **photo** and channel. Dimension 0, the photos, has to disappear as "
                    "well.",
                    behaves=lambda b: _standard(b, (2, 3)),
                ),
                Slip(
                    DIM,
                    "that has a mean for each **column**. The dimensions that you name disappear; the channels, "
                    "dimension 1, should be left.",
                    behaves=lambda b: _standard(b, (0, 1, 2)),
                ),
                Slip(
                    DIM,
                    "you named the channels, so they disappear. Name the other three dimensions.",
                    behaves=lambda b: _standard(b, 1),
                ),
                Slip(
                    "",
                    "the means are subtracted; divide by the standard deviations as well.",
                    behaves=lambda b: b - b.mean((0, 2, 3), keepdim=True),
                ),
                Slip(
                    "std divides by n - 1",
                    "that is the variance, the square of the standard deviation.",
                    behaves=lambda b: (b - b.mean((0, 2, 3), keepdim=True)) / b.var((0, 2, 3), keepdim=True),
                ),
                Slip(
                    "std divides by n - 1",
                    "those standard deviations divide by n. Use `std` without `correction=0`.",
                    behaves=lambda b: (
                        (b - b.mean((0, 2, 3), keepdim=True)) / b.std((0, 2, 3), keepdim=True, correction=0)
                    ),
                ),
            ),
        ),
        (
            "One mean for each channel: which dimension is left, and which three have to disappear?",
            "`dim=(0, 2, 3)`. The means are combined with the batch again, so they need a 1 in each of these places.",
            "`batch.mean(dim=(0, 2, 3), keepdim=True)`, and `std` in the same way.",
        ),
        "def standardise(batch):\n"
        "    mean = batch.mean(dim=(0, 2, 3), keepdim=True)\n"
        "    return (batch - mean) / batch.std(dim=(0, 2, 3), keepdim=True)",
        stage="free",
        right=(
            lambda tk, t: _standard,
            lambda tk, t: (
                lambda b: (b - b.mean((0, 2, 3)).view(1, 3, 1, 1)) / b.std((0, 2, 3)).view(1, 3, 1, 1)
            ),
            lambda tk, t: _by_last_dimension,
        ),
        wrong=(
            (lambda tk, t: lambda b: (b - b.mean((0, 2, 3))) / b.std((0, 2, 3)), KEEP),
            (lambda tk, t: lambda b: (b - b.mean()) / b.std(), DIM),
            (lambda tk, t: lambda b: _standard(b, (0, 1, 2)), DIM),
            (lambda tk, t: lambda b: _standard(b, (2, 3)), DIM),
            (lambda tk, t: lambda b: b - b.mean((0, 2, 3), keepdim=True), ""),
            (lambda tk, t: lambda b: b, ""),
        ),
    ),
    Task(
        "shares",
        "Repair: shares of the votes",
        "`votes` has one row for each district and one column for each party. `shares` should divide every number by "
        "the sum of its **row**, so that each row adds up to 1. With two districts and two parties it runs, but the "
        "rows do not add up to 1. Repair it:\n\n"
        "    def shares(votes):\n"
        "        return votes / votes.sum(dim=1)",
        function_check(
            Case(
                "of two districts and two parties",
                lambda: (tk.tensor([[30.0, 10.0], [4.0, 4.0]]),),
                tk.tensor([[0.75, 0.25], [0.5, 0.5]]),
            ),
            Case(
                "of two districts and four parties",
                lambda: (tk.tensor([[1.0, 1.0, 4.0, 2.0], [5.0, 0.0, 0.0, 5.0]]),),
                tk.tensor([[0.125, 0.125, 0.5, 0.25], [0.5, 0.0, 0.0, 0.5]]),
            ),
            Case(
                "of one district",
                lambda: (tk.tensor([[6.0, 2.0]]),),
                tk.tensor([[0.75, 0.25]]),
            ),
            slips=(
                Slip(
                    KEEP,
                    "the sums of the rows are a row themselves, so they line up with the **columns**. They have to be "
                    "a column, with a 1 where the dimension was.",
                    behaves=lambda v: v / v.sum(dim=1),
                ),
                Slip(
                    DIM,
                    "that divides by the sums of the columns: now each **column** adds up to 1.",
                    behaves=(lambda v: v / v.sum(dim=0), lambda v: v / v.sum(dim=0, keepdim=True)),
                ),
                Slip(
                    DIM,
                    "that divides by the sum of all votes: now the whole table adds up to 1.",
                    behaves=lambda v: v / v.sum(),
                ),
                Slip(
                    KEEP,
                    "those are the sums of the rows; the votes still have to be divided by them.",
                    behaves=(lambda v: v.sum(dim=1, keepdim=True), lambda v: v.sum(dim=1)),
                ),
            ),
        ),
        (
            "What size is `votes.sum(dim=1)`, and with which dimension of `votes` does it line up?",
            "It should be a column, one sum beside each row.",
            "`votes.sum(dim=1, keepdim=True)`",
        ),
        "def shares(votes):\n    return votes / votes.sum(dim=1, keepdim=True)",
        stage="free",
        right=(
            lambda tk, t: lambda v: v / v.sum(dim=1, keepdim=True),
            lambda tk, t: lambda v: v / v.sum(-1).unsqueeze(1),
            lambda tk, t: lambda v: (v.t() / v.sum(1)).t(),
        ),
        wrong=(
            (lambda tk, t: lambda v: v / v.sum(dim=1), KEEP),
            (lambda tk, t: lambda v: v / v.sum(dim=0), DIM),
            (lambda tk, t: lambda v: v / v.sum(), DIM),
            (lambda tk, t: lambda v: v, ""),
            (lambda tk, t: lambda v: None, ""),
        ),
    ),
)
