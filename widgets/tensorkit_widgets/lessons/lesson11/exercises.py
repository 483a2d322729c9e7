"""The exercises of lesson 11, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import tensorkit as tk
from tensorkit_widgets.practice.checking.checks import tensor_check, tuple_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Puzzle, Stray, Task

__all__ = ["PUZZLES", "TASKS"]

DIM = "`dim=` in a reduction"


KEEP = "keepdim leaves a 1"


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


def _square(tk: Any) -> Any:
    return tk.tensor([[1.0, 2.0, 6.0], [0.0, 3.0, 9.0], [5.0, 5.0, 5.0]])


def _scores(tk: Any) -> Any:
    return tk.tensor([[3, 1, 2, 4], [6, 6, 5, 6]])


TASKS = (
    Task(
        "size_after",
        "The size that is left",
        "`t = tk.ones(2, 3, 4)`.\n\n"
        "Worked: `t.sum(dim=0)` strikes out dimension 0, the 2. Left is **(3, 4)**.\n\n"
        "Your turn: which size has `t.sum(dim=1)`?",
        tuple_check(
            2,
            4,
            slips=(
                Slip(DIM, "That is the dimension that goes; the other two stay.", given=(3,)),
                Slip(DIM, "That strikes out dimension 0, as in the worked example.", given=(3, 4)),
                Slip("counting from zero", "Dimension 1 is the second one, the 3.", given=(2, 3)),
                Slip(KEEP, "That is what `keepdim=True` would leave.", given=(2, 1, 4)),
            ),
        ),
        (
            "Write the size down: (2, 3, 4). Dimensions are counted from 0.",
            "The dimension that you name is the one that disappears.",
            "Strike the 3 out.",
        ),
        "(2, 4)",
        stage="worked",
        entry="(3, 4)",
        right=(
            lambda tk, t: (2, 4),
            lambda tk, t: "(2, 4)",
            lambda tk, t: tk.ones(2, 3, 4).sum(dim=1).size(),
        ),
        wrong=(
            (lambda tk, t: (3,), DIM),
            (lambda tk, t: (3, 4), DIM),
            (lambda tk, t: (2, 1, 4), KEEP),
            (lambda tk, t: (2, 3), "counting from zero"),
            (lambda tk, t: (4, 2), ""),
        ),
    ),
    Task(
        "which_dims",
        "Backwards: which dimensions were named?",
        "Somebody reduced a tensor of size (2, 3, 4) and got one of size (3,). Which dimensions did they name?",
        tuple_check(
            0,
            2,
            slips=(
                Slip(DIM, "That one stayed. The named ones are those that are gone.", given=(1,)),
                Slip(DIM, "Those are the sizes; a dimension is named by its number.", given=(2, 4)),
                Slip("counting from zero", "The first dimension has the number 0.", given=(1, 3)),
            ),
        ),
        (
            "Which numbers of (2, 3, 4) are missing in (3,)?",
            "The 2 and the 4 are missing. At which places do they stand?",
            "Places are counted from 0: the 2 stands at 0, and the 4 …",
        ),
        "(0, 2)",
        stage="reverse",
        entry="(0, 1)",
        right=(lambda tk, t: (0, 2), lambda tk, t: [0, 2], lambda tk, t: "0, 2"),
        wrong=(
            (lambda tk, t: (1,), DIM),
            (lambda tk, t: (2, 4), DIM),
            (lambda tk, t: (1, 3), "counting from zero"),
            (lambda tk, t: (0, 1), ""),
        ),
    ),
    Task(
        "row_means",
        "One mean for each row",
        "`t = tk.arange(12.0).view(3, 4)` has three rows of four numbers. Fill the gap so that `m` holds the mean of "
        "each **row**, size (3,):\n\n"
        "    m = t.mean(dim=___)",
        tensor_check(
            size=(3,),
            values=[1.5, 5.5, 9.5],
            slips=(
                Slip(
                    DIM,
                    "those are the means of the four columns. `dim=0` makes dimension 0, the rows, disappear.",
                    behaves=lambda t: t.mean(dim=0),
                ),
                Slip(DIM, "without a `dim`, all dimensions go.", behaves=lambda t: t.mean()),
                Slip(
                    "",
                    "those are the sums of the rows; a mean divides them by 4.",
                    behaves=lambda t: t.sum(dim=1),
                ),
                Slip(
                    KEEP,
                    "right numbers, in a column: `keepdim=True` was not asked for.",
                    behaves=lambda t: t.mean(1, keepdim=True),
                ),
            ),
        ),
        (
            "The result has one number for each row, so dimension 0 has to stay.",
            "Which dimension has to go? Name that one.",
            "`t.mean(dim=1)`, or `dim=-1`: the last one.",
        ),
        "m = t.mean(dim=1)",
        stage="faded",
        base=_twelve,
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
        "centre_rows",
        "Every row around zero",
        "`t` is a square: three rows of three numbers. Subtract from every number the mean of its **row**.\n\n"
        "    c = t - t.mean(___)",
        tensor_check(
            size=(3, 3),
            values=[[-2.0, -1.0, 3.0], [-4.0, -1.0, 5.0], [0.0, 0.0, 0.0]],
            slips=(
                Slip(
                    KEEP,
                    "no error, and still wrong: the means have the size (3,), so they were lined up with the "
                    "**columns**. A column of means has the size (3, 1).",
                    behaves=lambda t: t - t.mean(dim=1),
                ),
                Slip(
                    DIM,
                    "that subtracts the mean of its **column**.",
                    behaves=lambda t: t - t.mean(dim=0),
                ),
                Slip(
                    DIM,
                    "that subtracts the one mean of all nine numbers.",
                    behaves=lambda t: t - t.mean(),
                ),
            ),
        ),
        (
            "Which dimension goes, if every row gets one mean?",
            "The means have to stand in a column, one beside each row: size (3, 1).",
            "`t.mean(dim=1, keepdim=True)`",
        ),
        "c = t - t.mean(dim=1, keepdim=True)",
        stage="faded",
        base=_square,
        right=(
            lambda tk, t: t - t.mean(dim=1, keepdim=True),
            lambda tk, t: t - t.mean(1).unsqueeze(1),
            lambda tk, t: (t.t() - t.mean(1)).t(),
        ),
        wrong=(
            (lambda tk, t: t - t.mean(dim=1), KEEP),
            (lambda tk, t: t - t.mean(dim=0), DIM),
            (lambda tk, t: t - t.mean(), DIM),
            (lambda tk, t: t, ""),
        ),
    ),
    Task(
        "mean_score",
        "The mean score of each class",
        "`t = tk.tensor([[3, 1, 2, 4], [6, 6, 5, 6]])` holds the scores of two classes, one in each row. Give the mean "
        "of each class, as `float32`.\n\n"
        "    mean = ___",
        tensor_check(
            size=(2,),
            dtype="float32",
            values=[2.5, 5.75],
            slips=(
                Slip(
                    "integer mean",
                    "an integer cannot hold 2.5. Make floats first: `t.float()`, or say `dtype=` in `mean`.",
                    behaves=(lambda t: t.sum(1) // t.size(1), lambda t: (t.sum(1) / t.size(1)).long()),
                ),
                Slip(
                    "integer mean",
                    "the fractions were cut before they became floats.",
                    behaves=(
                        lambda t: (t.sum(1) // t.size(1)).float(),
                        lambda t: (t.sum(1) // t.size(1)).double(),
                    ),
                ),
                Slip(
                    DIM,
                    "those are the means of the four columns, over the classes.",
                    behaves=lambda t: t.float().mean(dim=0),
                ),
                Slip(DIM, "that is one mean for both classes.", behaves=lambda t: t.float().mean()),
            ),
        ),
        (
            "`t.mean(1)` alone is refused. What does the message say about the dtype?",
            "Either make floats of `t` first, or say in which dtype `mean` should count.",
            "`t.float().mean(dim=1)`",
        ),
        "mean = t.float().mean(dim=1)",
        stage="free",
        base=_scores,
        right=(
            lambda tk, t: t.float().mean(dim=1),
            lambda tk, t: t.mean(1, dtype=tk.float32),
            lambda tk, t: t.sum(1) / t.size(1),
        ),
        wrong=(
            (lambda tk, t: t.sum(1) // 4, "integer mean"),
            (lambda tk, t: (t.sum(1) // 4).float(), "integer mean"),
            (lambda tk, t: t.float().mean(dim=0), DIM),
            (lambda tk, t: t.float().mean(), DIM),
            (lambda tk, t: t.float().sum(1), ""),
        ),
    ),
    Task(
        "best_place",
        "Where is the largest?",
        "For each row of `t = tk.tensor([[3, 1, 2, 4], [6, 6, 5, 6]])`, give the **place** of its largest number "
        "(of equal ones, the first).\n\n"
        "    place = ___",
        tensor_check(
            size=(2,),
            dtype="int64",
            values=[3, 0],
            slips=(
                Slip(
                    "max gives two",
                    "those are the largest numbers themselves.",
                    behaves=lambda t: t.max(dim=1).values,
                ),
                Slip(
                    DIM,
                    "that looks for the largest in each of the four columns.",
                    behaves=lambda t: t.argmax(dim=0),
                ),
                Slip(
                    DIM,
                    "without a `dim`, the whole tensor is one long row.",
                    behaves=lambda t: t.argmax(),
                ),
                Slip("max gives two", "that is the largest number of all.", behaves=lambda t: t.max()),
            ),
        ),
        (
            "There is a reduction that gives the place instead of the number.",
            "`argmax` gives places; which dimension has to go?",
            "`t.argmax(dim=1)`; `t.max(dim=1).indices` is the same.",
        ),
        "place = t.argmax(dim=1)",
        stage="free",
        base=_scores,
        right=(
            lambda tk, t: t.argmax(dim=1),
            lambda tk, t: t.max(dim=1).indices,
            lambda tk, t: tk.tensor([int(row.argmax()) for row in t]),
        ),
        wrong=(
            (lambda tk, t: t.max(dim=1).values, "max gives two"),
            (lambda tk, t: t.argmax(dim=0), DIM),
            (lambda tk, t: t.argmax(), DIM),
            (lambda tk, t: t.max(), "max gives two"),
            (lambda tk, t: tk.zeros(4).long(), ""),
            (lambda tk, t: t.argmin(dim=1), ""),
        ),
    ),
    Task(
        "full_rows",
        "Count the rows",
        "Write `full_rows(t)`: how many rows of `t` hold only numbers above zero? Without a loop.\n\n"
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
                    "`all(dim=0)` asks the columns; the rows are asked by `dim=1`.",
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
                    "that is one answer for the whole table: without a `dim`, all dimensions go.",
                    behaves=(
                        lambda t: (t > 0).all(),
                        lambda t: (t > 0).all().sum(),
                        lambda t: int((t > 0).all()),
                    ),
                ),
                Slip(
                    DIM,
                    "that is one answer for each row. How many of them are True?",
                    behaves=lambda t: (t > 0).all(dim=1),
                ),
                Slip(
                    "",
                    "that counts rows with **any** number above zero; asked are those with all.",
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
            "`t > 0` is a tensor of bool: which reduction asks whether all of a row are True?",
            "`(t > 0).all(dim=1)` has one True or False for each row. How are Trues counted?",
            "Summing counts them: `.sum()`.",
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
)


def _start(tk: Any) -> dict[str, Any]:
    return {"t": tk.tensor([[1, 2, 1], [4, 2, 2], [8, 4, 4]])}


_PROGRAM = """
x = t.float()
total = x.sum(dim=1, keepdim=True)
share = x / total
"""


PUZZLES = (
    Puzzle(
        "shares",
        "Each row as shares of one",
        "`t` counts votes: three rows of three numbers. Make `share`, in which every number is divided by the sum of "
        "its **row**, so that each row adds up to 1.",
        _PROGRAM,
        "share",
        tensor_check(
            size=(3, 3),
            dtype="float32",
            values=[[0.25, 0.5, 0.25], [0.5, 0.25, 0.25], [0.5, 0.25, 0.25]],
        ),
        (
            "Every row gets one sum: which dimension goes?",
            "The sums have to stand in a column beside the rows: size (3, 1).",
            "`x` comes first, then its sums by `dim=1` with `keepdim=True`, then the division.",
        ),
        strays=(
            Stray(
                "total = x.sum(dim=0, keepdim=True)",
                DIM,
                "`dim=0` makes the rows disappear: that is one sum for each column.",
            ),
            Stray(
                "total = x.sum(dim=1)",
                KEEP,
                "sums of size (3,) are lined up with the columns; nothing warns, because it is a square.",
            ),
            Stray("total = x.sum(dim=-1, keepdim=True)"),
            Stray("total = x.sum(dim=1).unsqueeze(1)"),
        ),
        base="t",
        setup=_start,
        right=(
            _PROGRAM.strip(),
            _PROGRAM.strip().replace("dim=1", "dim=-1"),
            _PROGRAM.strip().replace("sum(dim=1, keepdim=True)", "sum(dim=1).unsqueeze(1)"),
        ),
        wrong=(
            (_PROGRAM.strip().replace("dim=1", "dim=0"), DIM),
            (_PROGRAM.strip().replace(", keepdim=True", ""), KEEP),
            ("x = t.float()\nshare = x / total\ntotal = x.sum(dim=1, keepdim=True)", ""),
        ),
    ),
)
