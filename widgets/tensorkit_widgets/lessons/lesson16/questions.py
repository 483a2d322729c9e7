"""The questions of lesson 16, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

READS = "solve reads n vectors"
INVERSE = "solve, do not invert"
LEVER = "far from the mean is a long lever"
FEW = "few singular values carry most"
COMPLEX = "real matrices, complex eigenvalues"
ROWS = "a row meets a column"
NN = "(N,1) against (N) gives (N,N)"
LOOPS = "element loops"
EXPANDED, ID = "in-place on an expanded tensor", "id() as a storage test"
DEL, SAVED = "del removes a name", "a saved slice saves the whole storage"

SQUEEZED = "`(forecast.squeeze(1) - measured).abs().mean()`"
SQUARE = "`(forecast - measured).abs().mean()`"
LOOP = "`sum(abs(f - m) for f, m in zip(forecast, measured)) / 5000`"
ONLY_GRID, BOTH_CHANGE = (
    "Only `grid` is doubled: it is another object",
    "Both are doubled: they share their numbers",
)

AGES = (39, 47, 45, 47, 65, 46, 67, 42, 67, 56, 64, 56, 59, 34, 42, 48, 45, 17, 20, 19, 36, 50, 39, 21, 44, 53, 63, 29,
        25, 69)  # fmt: skip


def _hilbert(tk: Any) -> Any:
    i = tk.arange(1.0, 9.0)
    return 1 / (i[:, None] + i - 1)


def _residual(tk: Any) -> str:
    h = _hilbert(tk)
    b = h @ tk.ones(8)
    by_solve = (h @ tk.linalg.solve(h, b) - b).abs().max().item()
    by_inverse = (h @ (tk.linalg.inv(h) @ b) - b).abs().max().item()
    return "`solve(H, b)`, by far" if by_inverse > 1000 * by_solve else "Both about equally close"


def _tilts(tk: Any) -> int:
    ages = tk.tensor(AGES, dtype=tk.float64)
    design = tk.stack([ages, tk.ones(30, dtype=tk.float64)], dim=1)
    slopes = tk.linalg.lstsq(design, 30 * tk.eye(30, dtype=tk.float64)).solution[0]
    return int(slopes.abs().argmax())


def _cells(tk: Any) -> tuple[int, ...]:
    places = tk.arange(12).view(3, 4)
    return tuple(places[:, 2].tolist())


def _photograph(tk: Any) -> Any:
    """The lesson's photograph in grey, with its 300 rows and 256 columns."""
    from matplotlib import image
    from matplotlib.cbook import get_sample_data

    path: Any = get_sample_data("grace_hopper.jpg", asfileobj=False)
    pixels = image.imread(path, format="jpg")
    return tk.from_numpy(pixels[::2, ::2].copy()).double().mean(dim=2)


def _carry(tk: Any) -> str:
    squares = tk.linalg.svdvals(_photograph(tk)) ** 2
    share = squares.cumsum(0) / squares.sum()
    needed = int((share < 0.96).sum()) + 1
    return "Fewer than 25" if needed < 25 else "About half of them"


def _turned(tk: Any) -> str:
    found = tk.linalg.eigvals(tk.tensor([[0.0, -1.0], [1.0, 0.0]])).tolist()
    return "`i` and `-i`" if sorted(found, key=lambda z: z.imag) == [-1j, 1j] else "`1` and `-1`"


def _mean_error(tk: Any) -> str:
    """The line that gives the right mean; the loop gives it too, with a call for every pair."""
    forecast, measured = tk.arange(6.0).view(6, 1) ** 2, tk.arange(6.0)
    loop = sum(abs(f - m) for f, m in zip(forecast, measured, strict=True)) / 6
    means = {
        SQUEEZED: (forecast.squeeze(1) - measured).abs().mean(),
        SQUARE: (forecast - measured).abs().mean(),
    }
    (line,) = (line for line, mean in means.items() if abs(mean.item() - loop.item()) < 1e-6)
    return line


def _grown(tk: Any) -> str:
    column = tk.ones(4, 1)
    grid = column.expand(4, 5)
    try:
        grid.mul_(2)
    except RuntimeError:
        return "An error, and nothing is written"
    return BOTH_CHANGE if column[0, 0].item() == 2 else ONLY_GRID


def _still_held(tk: Any) -> int:
    table = tk.zeros(500, 20)
    first, mean = table[0], table.mean(dim=0)
    del table
    return int(first.untyped_storage().nbytes() + mean.untyped_storage().nbytes())


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "mean_error",
                "`forecast` comes from a model and has the size (5000, 1). `measured` has the size (5000,). Which line "
                "gives the mean absolute error, and quickly?",
                SQUEEZED,
                "With `squeeze(1)` both have the size (5000,), and each of the four calls works on all the numbers at "
                "once. (Lessons 10 and 12)",
                options=(SQUEEZED, SQUARE, LOOP),
                slips=(
                    Slip(
                        NN,
                        "A column against a row: every forecast meets every measurement, and that is the mean of 25 "
                        "million numbers.",
                        given=SQUARE,
                    ),
                    Slip(
                        LOOPS,
                        "The number is right, but Python calls the engine several times for each of the 5,000 pairs.",
                        given=LOOP,
                    ),
                ),
                proof=_mean_error,
            ),
            Question(
                "grid",
                "`column = tk.ones(4, 1)` and `grid = column.expand(4, 5)`. You see that `id(grid)` is not "
                "`id(column)`. What does `grid.mul_(2)` do?",
                "An error, and nothing is written",
                "`id` tells two objects apart, and these two have one storage. It has four slots for twenty elements, "
                "so it is unclear whether to double a slot once or five times. (Lessons 13 and 14)",
                options=(ONLY_GRID, BOTH_CHANGE, "An error, and nothing is written"),
                slips=(
                    Slip(ID, "It is another object, but it reads the storage of `column`.", given=ONLY_GRID),
                    Slip(
                        EXPANDED,
                        "They do share them: five elements to a slot. Is a slot doubled once, or five times?",
                        given=BOTH_CHANGE,
                    ),
                ),
                proof=_grown,
            ),
            Question(
                "still_held",
                "`table = tk.zeros(500, 20)` takes 40,000 bytes. Then come `first = table[0]`, "
                "`mean = table.mean(dim=0)` and `del table`. How many bytes of numbers are still in memory?",
                40_080,
                "`del` took a name away. `first` still reads the storage of the table, all of it; `mean` has twenty "
                "numbers of its own. (Lesson 14)",
                slips=(
                    Slip(DEL, "The table's storage is not freed: `first` leads to it as well.", given=80),
                    Slip(DEL, "`del` removed one name, and two tensors are left.", given=0),
                    Slip(
                        SAVED, "A storage is kept whole, or not at all: `first` keeps all of it.", given=160
                    ),
                    Slip("a copy is not a view", "`mean` has numbers of its own, too.", given=40_000),
                    Slip("bytes per element", "Each number takes four bytes.", given=10_020),
                ),
                proof=_still_held,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "row_meets",
        "`cost = amounts @ prices`, with sizes (2, 3) and (3, 4). Here are the places of `prices`, numbered from 0 to "
        "11 in reading order. Press those whose prices go into `cost[1, 2]`.",
        (2, 6, 10),
        "Row 1 of `amounts` meets **column 2** of `prices`: three products, and their sum.",
        slips=(
            Slip("`*` is not `@`", "`*` would use only that one.", given=(6,)),
            Slip(
                ROWS,
                "That is row 1 of `prices`. Rows come from the left matrix, columns from the right one.",
                given=(4, 5, 6, 7),
            ),
            Slip(ROWS, "That is row 2. The *columns* of the right matrix are used.", given=(8, 9, 10, 11)),
            Slip(ROWS, "That is column 1. Which index in `cost[1, 2]` gives the column?", given=(1, 5, 9)),
            Slip("counting from zero", "That is column 3: the first one has the number 0.", given=(3, 7, 11)),
            Slip(
                ROWS,
                "A product never needs a row *and* a column of one matrix. Only the column of `prices` is "
                "used.",
                given=(2, 4, 5, 6, 7, 10),
            ),
        ),
        proof=_cells,
        picture=lambda tk: tk.arange(12).view(3, 4),
        pick="cells",
    ),
    Question(
        "batch",
        "Now there are **three** matrices: `A` has the size (3, 3, 3), and `B` still (3, 3). What is the size of "
        "`tk.linalg.solve(A, B)`?",
        (3, 3),
        "`solve` first checks whether `B` fits as *one vector for each matrix*: n matrices of n rows, and n "
        "rows in `B`. Here it fits, so row `i` of `B` is taken as the right-hand side of matrix `i`.",
        slips=(
            Slip(
                READS,
                "That continues the pattern. But now `B` also fits as three *vectors*, one for each matrix, and that "
                "reading comes first.",
                given=(3, 3, 3),
            ),
            Slip(READS, "One vector comes back for each matrix, and there are three.", given=(3,)),
            Slip(READS, "That was for two matrices.", given=(2, 3, 3)),
            Slip(READS, "That would be for a right-hand side of one column.", given=(3, 3, 1)),
        ),
        proof=lambda tk: tuple(tk.linalg.solve(tk.eye(3).expand(3, 3, 3), tk.ones(3, 3)).size()),
    ),
    Question(
        "residual",
        "`H @ x = b` is solved in two ways: `solve(H, b)` and `inv(H) @ b`. Put each `x` back into `H @ x`. Which one "
        "comes closer to `b`?",
        "`solve(H, b)`, by far",
        "The inverse of this matrix has entries of several thousand million. Each is rounded, and the "
        "product adds up the rounding errors. `solve` never makes these numbers.",
        options=("`solve(H, b)`, by far", "`inv(H) @ b`, by far", "Both about equally close"),
        slips=(
            Slip(
                INVERSE,
                "On paper they are the same. In `float32` they are not.",
                given="Both about equally close",
            ),
            Slip(INVERSE, "`inv` is the one with more rounding.", given="`inv(H) @ b`, by far"),
        ),
        proof=_residual,
    ),
    Question(
        "tilt",
        "Suppose that the pressure of *one* patient had been 30 higher. For which patient would that change the "
        "**slope** of the line most? Here are the ages, in the order of the table (their mean is 45). Press one.",
        17,
        "The line turns around the mean age. A point pulls on it like a hand on a lever: the further from "
        "the mean, the more the line tilts. 17 is 28 years from it, 69 only 24.",
        slips=(
            Slip(
                LEVER,
                "That is the patient with the pressure of 220: odd, but at 47 close to the mean age. A pull "
                "there lifts the line a little, and hardly tilts it.",
                given=1,
            ),
            Slip(LEVER, "69 is an age. The number of that patient is 29.", given=69),
            Slip(LEVER, "47 is an age. The number of that patient is 1.", given=47),
            Slip(LEVER, "Nearly: the oldest. Which end is further from the mean?", given=29),
            Slip(LEVER, "Nearly: 19. There is one who is younger.", given=19),
            Slip(LEVER, "45 is the mean age: a pull there lifts the line, and does not tilt it.", given=16),
            Slip(LEVER, "45 is the mean age: a pull there lifts the line, and does not tilt it.", given=2),
            Slip(LEVER, "Nearly: 20. There is one who is younger.", given=18),
        ),
        proof=_tilts,
        picture=lambda tk: tk.tensor(AGES),
        pick="slot",
    ),
    Question(
        "carry",
        "The photograph has 256 singular values. The squares of all of them add up to the sum of all squared "
        "pixels. How many of the largest make up 96 % of that sum?",
        "Fewer than 25",
        "Rows of a photograph resemble each other, so a few patterns are in nearly all of them.",
        options=("Fewer than 25", "About half of them", "About 245, which is 96 % of them"),
        order="given",
        slips=(
            Slip(FEW, "They are sorted, and the first ones are far larger.", given="About half of them"),
            Slip(
                FEW,
                "That would be right if all of them were equally large.",
                given="About 245, which is 96 % of them",
            ),
        ),
        proof=_carry,
    ),
    Question(
        "turned",
        "An eigenvalue of `Q` is a number by which `Q` stretches some vector without turning it. `Q = [[0, -1], [1, "
        "0]]` turns *every* vector by a quarter of a circle. What does `tk.linalg.eigvals(Q)` give?",
        "`i` and `-i`",
        "No real vector keeps its direction, so there is no real eigenvalue. There are always two complex "
        "ones.",
        options=("`1` and `-1`", "`0` and `0`", "`i` and `-i`", "An error, since there are none"),
        slips=(
            Slip(COMPLEX, "Then some vector would come out as it was, or reversed.", given="`1` and `-1`"),
            Slip(COMPLEX, "Then `Q` would turn some vector into 0, and it does not.", given="`0` and `0`"),
            Slip(
                COMPLEX,
                "There is no *real* one. But a polynomial always has complex roots.",
                given="An error, since there are none",
            ),
        ),
        proof=_turned,
    ),
)
