"""The exercises of lesson 16, with the solutions and slips that prove their checks."""

from __future__ import annotations

import math
import sys
from typing import Any

from tensorkit_widgets.practice.checking.checks import number_check, tuple_check
from tensorkit_widgets.practice.checking.functions import computed_check
from tensorkit_widgets.practice.facts import Answer, Facts, Slip
from tensorkit_widgets.practice.kinds import Task

READS = "solve reads n vectors"
INVERSE = "solve, do not invert"
FEW = "few singular values carry most"
SIDE = "one side for all unknowns"
ONES = "the ones column"


def _lib(t: Any) -> Any:
    """The library that a tensor is of."""
    return sys.modules[type(t).__module__.partition(".")[0]]


# -- a parabola


def _thrown(tk: Any) -> Any:
    """The height of a ball every tenth of a second, with a little noise."""
    x = tk.arange(9, dtype=tk.float64) / 10
    noise = tk.tensor([0.02, -0.03, 0.01, 0.0, -0.02, 0.03, 0.0, -0.01, 0.01], dtype=tk.float64)
    return tk.stack([x, 1.5 + 4 * x - 4.9 * x * x + noise], dim=1)


def _fit(t: Any, *powers: int) -> Any:
    tk = _lib(t)
    columns = tk.stack([t[:, 0] ** power for power in powers], dim=1)
    return tk.linalg.lstsq(columns, t[:, 1:]).solution[:, 0]


_PARABOLA = computed_check(
    lambda t: _fit(t, 2, 1, 0),
    slips=(
        Slip(
            ONES,
            "without a column of ones every parabola has to go through 0 at the time 0, and the ball was thrown from "
            "higher up.",
            behaves=(lambda t: _fit(t, 2, 1), lambda t: _fit(t, 1, 2)),
        ),
        Slip(
            ONES,
            "that is a straight line. A parabola has three columns: one for the square.",
            behaves=(lambda t: _fit(t, 1, 0), lambda t: _fit(t, 0, 1)),
        ),
        Slip(
            "",
            "the right numbers in another order. First comes the factor of the square, then that of `x`, "
            "then the constant.",
            behaves=(lambda t: _fit(t, 0, 1, 2), lambda t: _fit(t, 2, 0, 1), lambda t: _fit(t, 1, 2, 0)),
        ),
        Slip(
            "(N,1) against (N) gives (N,N)",
            "the right numbers as a column, (3, 1). Take its only column: `[:, 0]`.",
            behaves=lambda t: _fit(t, 2, 1, 0)[:, None],
        ),
    ),
)

# -- three machines


def _machines(tk: Any) -> Any:
    """Three matrices, and after them the right-hand sides."""
    return tk.tensor(
        [
            [[2.0, 0.0, 1.0], [0.0, 4.0, 0.0], [1.0, 0.0, 3.0]],
            [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]],
            [[5.0, 0.0, 0.0], [0.0, 1.0, 2.0], [0.0, -1.0, 1.0]],
            [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]],
        ],
        dtype=tk.float64,
    )


def _one_by_one(t: Any) -> Any:
    tk = _lib(t)
    return tk.stack([tk.linalg.solve(a, t[3]) for a in t[:3]])


_EACH = computed_check(
    _one_by_one,
    slips=(
        Slip(
            READS,
            "the size is (3, 3): `solve` took each *row* of `B` as the right-hand side of one matrix. Give `B` a "
            "dimension for the batch.",
            behaves=lambda t: _lib(t).linalg.solve(t[:3], t[3]),
        ),
        Slip(
            READS,
            "the size is right, but these are other right-hand sides: a dimension was added at the end of `B`, or in "
            "the middle. The batch comes first.",
            behaves=(
                lambda t: _lib(t).linalg.solve(t[:3], t[3][:, None].expand(3, 3, 3)),
                lambda t: _lib(t).linalg.solve(t[:3], t[3][:, :, None].expand(3, 3, 3)),
            ),
        ),
        Slip(
            "`*` is not `@`",
            "that is the product `A @ B`. Find the `X` for which `A @ X` is `B`.",
            behaves=lambda t: t[:3] @ t[3],
        ),
        Slip(
            "",
            "these are the answers for the first matrix only. Give them for all three.",
            behaves=lambda t: _lib(t).linalg.solve(t[0], t[3]),
        ),
    ),
)

# -- how many singular values


def _needed(t: Any, share: float = 0.99, power: int = 2) -> int:
    values = _lib(t).linalg.svdvals(t) ** power
    return int((values.cumsum(0) / values.sum() < share).sum()) + 1


def _striped(tk: Any) -> Any:
    """Forty patterns, each less strong than the one before."""
    tk.manual_seed(16)
    left, right = (tk.linalg.qr(tk.randn(60, 40, dtype=tk.float64)).Q for _ in range(2))
    return (left * 0.85 ** tk.arange(40, dtype=tk.float64)) @ right.t()


_NEEDED = computed_check(
    _needed,
    slips=(
        Slip(
            "counting from zero",
            "that many give less than 99 %: you need one more.",
            behaves=lambda t: _needed(t) - 1,
        ),
        Slip(
            FEW,
            "you added up the values themselves. What adds up to the sum of the squared pixels are their *squares*.",
            behaves=(lambda t: _needed(t, power=1), lambda t: _needed(t, power=1) - 1),
        ),
        Slip(
            FEW,
            "that is 99 % of *how many* there are. They are not equally large: the first ones carry more.",
            behaves=(
                lambda t: math.ceil(0.99 * min(t.size())),
                lambda t: int(0.99 * min(t.size())),
                lambda t: round(0.99 * min(t.size())),
            ),
        ),
        Slip(FEW, "that is how many are left out.", behaves=lambda t: min(t.size()) - _needed(t)),
    ),
)

# -- repair it


def _thermometers(tk: Any) -> Any:
    """Two thermometers that nearly agree, and what depends on both."""
    first = 20 + tk.arange(20, dtype=tk.float64) / 4
    second = first + 1e-6 * tk.sin(tk.arange(20, dtype=tk.float64) ** 2)
    return tk.stack([first, second, 2.7 * first - 1.7 * second], dim=1)


def _by_inverse(t: Any) -> Any:
    tk = _lib(t)
    a, y = t[:, :2], t[:, 2]
    return tk.linalg.inv(a.t() @ a) @ a.t() @ y


def _by_normal_equations(t: Any) -> Any:
    a, y = t[:, :2], t[:, 2]
    return _lib(t).linalg.solve(a.t() @ a, a.t() @ y)


def _by_lstsq(t: Any) -> Any:
    return _lib(t).linalg.lstsq(t[:, :2], t[:, 2:]).solution[:, 0]


def _near(answer: Answer, mine: Facts | None, _: object) -> bool:
    """Two numbers that add up to nearly 1, as they should, and are wrong nevertheless."""
    return mine is not None and mine.size == (2,) and abs(sum(mine.values) - 1) < 0.5


_REPAIRED = computed_check(
    lambda t: t.new_tensor([2.7, -1.7]),
    slips=(
        Slip(
            "(N,1) against (N) gives (N,N)",
            "the right numbers as a column, (2, 1). Take its only column: `[:, 0]`.",
            behaves=lambda t: _by_lstsq(t)[:, None],
        ),
        Slip(
            INVERSE,
            "you still solve with `a.t() @ a`. That product *squares* the condition number, and the digits are lost "
            "before anything is inverted. `lstsq` takes `a` itself.",
            behaves=_by_normal_equations,
        ),
        Slip(
            INVERSE,
            "the two numbers add up to about 1, as they should, but neither of them is right: the digits were lost in "
            "`a.t() @ a` and its inverse.",
            behaves=_by_inverse,
        ),
        Slip(
            INVERSE,
            "the two numbers add up to about 1, as they should, but neither of them is right. Where were the digits "
            "lost?",
            when=_near,
        ),
    ),
)


TASKS = (
    Task(
        "row_of",
        "From an equation to a row",
        "Before you can call `solve`, each equation has to become a row of `A` and a number of `b`. The "
        "unknowns are `x`, `y` and `z`, in this order.\n"
        "\n"
        "Worked: `x = 3 * y - 7`. Bring all unknowns to the left: `x - 3 * y = -7`, and there is no `z`. So "
        "the row is `(1, -3, 0)`, and the number -7.\n"
        "\n"
        "Now this one: `4 * z = y - 2 * x + 6`. Its number should be 6. Give the row.",
        tuple_check(
            2,
            -1,
            4,
            slips=(
                Slip(
                    SIDE,
                    "`x` and `y` change sides, so both change their signs.",
                    given=(-2, 1, 4),
                ),
                Slip(SIDE, "`y` changes its side as well, and its sign.", given=(2, 1, 4)),
                Slip(SIDE, "`x` changes its side as well, and its sign.", given=(-2, -1, 4)),
                Slip(
                    SIDE,
                    "this row belongs to the number -6. It should be 6, so change every sign.",
                    given=(-2, 1, -4),
                ),
                Slip("", "right numbers; but the order of the columns is `x`, `y`, `z`.", given=(4, -1, 2)),
                Slip(
                    SIDE,
                    "this is the order in which they are written. Bring them into the order `x`, `y`, `z`, "
                    "on one side.",
                    given=(4, 1, -2),
                ),
                Slip(
                    "", "6 is the number of `b`. A row has one number for each unknown.", given=(2, -1, 4, 6)
                ),
            ),
        ),
        (
            "Bring `y` and `2 * x` to the left; what changes sides changes its sign.",
            "`4 * z - y + 2 * x = 6`. Now put `x` first, then `y`, then `z`.",
            "A `y` that is written alone has the factor 1, and a minus makes that -1.",
        ),
        "(2, -1, 4)",
        stage="worked",
        entry="(1, -3, 0)",
        right=(lambda tk, t: (2, -1, 4), lambda tk, t: "2, -1, 4", lambda tk, t: [2, -1, 4]),
        wrong=(
            (lambda tk, t: (-2, 1, 4), SIDE),
            (lambda tk, t: (4, 1, -2), SIDE),
            (lambda tk, t: (-2, 1, -4), SIDE),
            (lambda tk, t: (4, -1, 2), ""),
            (lambda tk, t: (2, -1), ""),
        ),
    ),
    Task(
        "parabola",
        "A thrown ball",
        "Each row of `t` is a time and the height of a ball at that time. A ball flies along a parabola, "
        "`y = p * x ** 2 + q * x + r`: that is a *linear* problem in `p`, `q` and `r`. Fit them, and give me the three "
        "numbers in this order, as a tensor of size (3,).\n\n"
        "    x, y = t[:, 0], t[:, 1:]\n"
        "    columns = tk.stack([___], dim=1)\n"
        "    found = tk.linalg.lstsq(columns, y).solution[:, 0]",
        _PARABOLA,
        (
            "Each unknown has a column. What is `p` multiplied by? What is `q` multiplied by, and `r`?",
            "`r` is multiplied by 1 in every row: a column of ones.",
            "The three columns are `x ** 2`, `x` and `tk.ones_like(x)`.",
        ),
        "x, y = t[:, 0], t[:, 1:]\n"
        "columns = tk.stack([x ** 2, x, tk.ones_like(x)], dim=1)\n"
        "found = tk.linalg.lstsq(columns, y).solution[:, 0]",
        stage="faded",
        base=_thrown,
        right=(
            lambda tk, t: _fit(t, 2, 1, 0),
            lambda tk, t: tk.linalg.pinv(t[:, :1] ** tk.tensor([2, 1, 0])) @ t[:, 1],
            lambda tk, t: tk.linalg.lstsq(tk.linalg.vander(t[:, 0], N=3).flip(1), t[:, 1:]).solution.squeeze(
                1
            ),
        ),
        wrong=(
            (lambda tk, t: _fit(t, 2, 1), ONES),
            (lambda tk, t: _fit(t, 1, 0), ONES),
            (lambda tk, t: _fit(t, 0, 1, 2), ""),
            (lambda tk, t: _fit(t, 2, 1, 0)[:, None], "(N,1) against (N) gives (N,N)"),
            (lambda tk, t: None, ""),
        ),
    ),
    Task(
        "each_machine",
        "The same for all",
        "`t` has the size (4, 3, 3). `A = t[:3]` holds the matrices of three machines. `B = t[3]` holds "
        "three right-hand sides, one in each *column*, the same for every machine. Give me all answers at "
        "once, in a tensor `X` of size (3, 3, 3): `A[i] @ X[i]` is `B` for each `i`. No loop.",
        _EACH,
        (
            "How does `tk.linalg.solve(A, B)` read `B` when its size is (3, 3) and there are three matrices?",
            "`B` has to have three dimensions as well, with the batch in front.",
            "`B[None]` has the size (1, 3, 3), and the 1 is stretched; `B.expand(3, 3, 3)` does the same.",
        ),
        "tk.linalg.solve(t[:3], t[3][None])",
        stage="free",
        base=_machines,
        right=(
            lambda tk, t: tk.linalg.solve(t[:3], t[3].expand(3, 3, 3)),
            lambda tk, t: tk.linalg.solve(t[:3], t[3:]),
            lambda tk, t: tk.stack([tk.linalg.solve(a, t[3]) for a in t[:3]]),
        ),
        wrong=(
            (lambda tk, t: tk.linalg.solve(t[:3], t[3]), READS),
            (lambda tk, t: t[:3] @ t[3], "`*` is not `@`"),
            (lambda tk, t: tk.linalg.solve(t[0], t[3]), ""),
            (lambda tk, t: tk.linalg.solve(t[:3], t[3][:, None].expand(3, 3, 3)), READS),
            (lambda tk, t: None, ""),
        ),
    ),
    Task(
        "needed",
        "Ninety-nine per cent",
        "`t` is the photograph in grey. How many of its largest singular values do you need for **99 %** of the sum of "
        "the squares of all of them? Let the computer count, and give me the number.",
        _NEEDED,
        (
            "`tk.linalg.svdvals(t)` are the singular values, the largest first. Which function gives running sums?",
            "Divide the running sums of the squares by the sum of all. The result is a row of shares that "
            "grows to 1.",
            "Count how many shares are below 0.99. With that many you are not there yet.",
        ),
        "squares = tk.linalg.svdvals(t) ** 2\n"
        "share = squares.cumsum(0) / squares.sum()\n"
        "needed = int((share < 0.99).sum()) + 1",
        stage="free",
        base=_striped,
        right=(
            lambda tk, t: _needed(t),
            lambda tk, t: next(
                k for k in range(1, 41) if (tk.linalg.svd(t).S[:k] ** 2).sum() >= 0.99 * (t * t).sum()
            ),
            lambda tk, t: (tk.linalg.svdvals(t).pow(2).cumsum(0) < 0.99 * t.pow(2).sum()).sum() + 1,
        ),
        wrong=(
            (lambda tk, t: _needed(t) - 1, "counting from zero"),
            (lambda tk, t: _needed(t, power=1), FEW),
            (lambda tk, t: round(0.99 * min(t.size())), FEW),
            (lambda tk, t: min(t.size()) - _needed(t), FEW),
            (lambda tk, t: None, ""),
        ),
    ),
    Task(
        "repair",
        "Repair it",
        "Two thermometers that nearly agree (columns 0 and 1 of `t`), and a quantity that was *made* as 2.7 "
        "times the first minus 1.7 times the second (column 2). The lines below find other numbers than 2.7 and "
        "-1.7. Repair them, and give me the two numbers, as a tensor of size (2,).\n"
        "\n"
        "    a, y = t[:, :2], t[:, 2]\n"
        "    found = tk.linalg.inv(a.t() @ a) @ a.t() @ y",
        _REPAIRED,
        (
            "On paper the formula is right. How large are `tk.linalg.cond(a)` and `tk.linalg.cond(a.t() @ a)`?",
            "Do not write down the formula; name the problem. What is it called?",
            "A least-squares fit: `lstsq` takes `a` as it is. It needs `y` as a column, `y[:, None]`.",
        ),
        "a, y = t[:, :2], t[:, 2]\nfound = tk.linalg.lstsq(a, y[:, None]).solution[:, 0]",
        stage="free",
        base=_thermometers,
        right=(
            lambda tk, t: _by_lstsq(t),
            lambda tk, t: tk.linalg.pinv(t[:, :2]) @ t[:, 2],
            lambda tk, t: tk.linalg.solve((qr := tk.linalg.qr(t[:, :2])).R, qr.Q.t() @ t[:, 2]),
        ),
        wrong=(
            (lambda tk, t: _by_inverse(t), INVERSE),
            (lambda tk, t: _by_normal_equations(t), INVERSE),
            (lambda tk, t: tk.linalg.inv(t[:, :2].t() @ t[:, :2]) @ (t[:, :2].t() @ t[:, 2]), INVERSE),
            (lambda tk, t: _by_lstsq(t)[:, None], "(N,1) against (N) gives (N,N)"),
            (lambda tk, t: t.mean(), ""),
            (lambda tk, t: None, ""),
        ),
    ),
    Task(
        "rank_of",
        "How was it made?",
        "Somebody added up products of a column and a row, as an SVD does, and got\n\n"
        "    1   2   3   4\n"
        "    2   4   6   8\n"
        "    0   1   0   1\n"
        "    1   3   3   5\n\n"
        "What is the smallest number of such products that can make this matrix?",
        number_check(
            2,
            slips=(
                Slip(FEW, "four rows do not need four patterns. Is one of them made of others?", given=4),
                Slip(FEW, "the second row is twice the first. And the last one?", given=3),
                Slip(
                    FEW,
                    "one product makes rows that are all multiples of one row. The third is no multiple.",
                    given=1,
                ),
                Slip(FEW, "that is how many numbers there are.", given=16),
            ),
        ),
        (
            "One product of a column and a row: every row of it is a multiple of the same row.",
            "Compare row 1 with row 0. Compare row 3 with the sum of row 0 and row 2.",
            "Two rows are enough to make all four. `tk.linalg.matrix_rank` counts that.",
        ),
        "2",
        stage="reverse",
        entry="3",
        right=(lambda tk, t: 2, lambda tk, t: "2", lambda tk, t: 2.0),
        wrong=(
            (lambda tk, t: 4, FEW),
            (lambda tk, t: 3, FEW),
            (lambda tk, t: 1, FEW),
            (lambda tk, t: 7, ""),
        ),
    ),
)
