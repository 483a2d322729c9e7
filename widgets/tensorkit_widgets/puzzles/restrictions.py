"""The functions to write under a rule: four sums by strides (B), and twelve from comparisons (C)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorkit as tk
from tensorkit_widgets.practice.checking.functions import Case
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.puzzles.restriction import Restriction
from tensorkit_widgets.puzzles.rules import MASKS, STRIDES

Make = Callable[[], tuple[object, ...]]


def _cases(truth: Callable[..., Any], *makes: tuple[str, Make]) -> tuple[Case, ...]:
    """Cases with what the engine's own function gives there."""
    return tuple(Case(says, make, truth(*make())) for says, make in makes)


def _numbers(*size: int, seed: int = 7) -> tk.Tensor:
    """Small whole numbers, as float32, with no pattern to them."""
    count = 1
    for n in size:
        count *= n
    return tk.tensor([float((k * k * 5 + seed * k + 3) % 11 - 4) for k in range(count)]).view(size)


def _row(n: int) -> Make:
    return lambda: (_numbers(n),)


def _own(name: str, cost: str) -> str:
    return f"The engine's own `{name}` needs {cost}."


def _bincount(labels: tk.Tensor, n: int) -> tk.Tensor:
    return tk.bincount(labels, minlength=n)


def _compress(x: tk.Tensor, keep: tk.Tensor) -> tk.Tensor:
    kept = x[keep]
    return tk.cat([kept, tk.zeros(len(x) - len(kept))])


_LAPLACE = tk.tensor([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]])


def _laplace(image: tk.Tensor, kernel: tk.Tensor) -> tk.Tensor:
    return (image.unfold(0, 3, 1).unfold(1, 3, 1) * kernel).sum((2, 3))


_SQUARES = (("of a 3 × 3", lambda: (_numbers(3, 3),)), ("of a 5 × 5", lambda: (_numbers(5, 5),)))
_ROWS = (("of 4 numbers", _row(4)), ("of 7 numbers", _row(7)))
_LABELS = (
    ("of the labels 2, 0, 2, 1 with n = 3", lambda: (tk.tensor([2, 0, 2, 1]), 3)),
    ("of the labels 1, 4, 1 with n = 5", lambda: (tk.tensor([1, 4, 1]), 5)),
)
_PAIRS = (
    ("of 3 and 4 numbers", lambda: (_numbers(3), _numbers(4, seed=2))),
    ("of 2 and 5 numbers", lambda: (_numbers(2), _numbers(5, seed=4))),
)
_NO_COLUMN = "(N,1) against (N) gives (N,N)"

RESTRICTIONS: tuple[Restriction, ...] = (
    # ---- B: sums by strides
    Restriction(
        "B", "trace", "Write `trace(a)`: the sum of the diagonal of an n × n tensor.", STRIDES,
        _cases(lambda a: a.trace(), *_SQUARES),
        ("Rung 3 of the ladder reads a diagonal.", "In an n × n tensor the diagonal steps n + 1 slots.",
         "`a.as_strided((n,), (n + 1,))`, and then its sum."),
        "def trace(a):\n    n = len(a)\n    return a.as_strided((n,), (n + 1,)).sum()", 2,
        slips=(Slip("strides count slots", "you step one row down and stay in the column: that is column 0.",
                    behaves=lambda a: a[:, 0].sum()),
               Slip("strides count slots", "a stride of 1 reads a row.", behaves=lambda a: a[0].sum())),
    ),
    Restriction(
        "B", "matvec", "Write `matvec(a, v)`: the product of an m × n tensor with n numbers.", STRIDES,
        _cases(lambda a, v: a @ v, ("of a 2 × 3", lambda: (_numbers(2, 3), _numbers(3, seed=2))),
               ("of a 4 × 2", lambda: (_numbers(4, 2), _numbers(2, seed=5)))),
        ("Each row of `a` meets all of `v`, so `v` has to look like m equal rows.",
         "A stride of 0 repeats a row without a copy.", "Multiply, and sum along dimension 1."),
        "def matvec(a, v):\n    m, n = a.shape\n    return (a * v.as_strided((m, n), (0, 1))).sum(1)", 3,
        slips=(Slip("`dim=` in a reduction", "you have summed down the columns: `dim=` names what disappears.",
                    behaves=lambda a, v: (a * v).sum(0)),
               Slip("a row meets a column", "you have added up everything: one number is left.",
                    behaves=lambda a, v: (a * v).sum())),
    ),
    Restriction(
        "B", "matmat", "Write `matmat(a, b)`: the product of an m × k and a k × n tensor.", STRIDES,
        _cases(lambda a, b: a @ b, ("of 2 × 3 and 3 × 4", lambda: (_numbers(2, 3), _numbers(3, 4, seed=2))),
               ("of 3 × 2 and 2 × 2", lambda: (_numbers(3, 2), _numbers(2, 2, seed=5)))),
        ("Read both as (m, n, k): every row of `a` beside every column of `b`.",
         "Of `a`, no step is taken along n; of `b`, none along m.",
         "`a.as_strided((m, n, k), (k, 0, 1))` and `b.as_strided((m, n, k), (0, 1, n))`."),
        "def matmat(a, b):\n    (m, k), n = a.shape, b.shape[1]\n"
        "    left, right = a.as_strided((m, n, k), (k, 0, 1)), b.as_strided((m, n, k), (0, 1, n))\n"
        "    return (left * right).sum(2)", 4, _own("matmul", "no tensor of m · n · k numbers"),
        slips=(Slip("a row meets a column", "a column of the result is there, but transposed: check which is dim 0.",
                    behaves=lambda a, b: (a @ b).t()),),
    ),
    Restriction(
        "B", "laplace", "Write `laplace(image, kernel)`: at each 3 × 3 window of an h × w image, the sum of the "
                        "window times "
        "the 3 × 3 kernel. The result is (h − 2) × (w − 2).", STRIDES,
        _cases(_laplace, ("of arange(25.) as 5 × 5", lambda: (tk.arange(25.0).view(5, 5), _LAPLACE)),
               ("of a 4 × 6", lambda: (_numbers(4, 6), _LAPLACE))),
        ("Rung 15 reads all 2 × 2 windows.", "One step of the window is one step inside it: (w, 1, w, 1).",
         "Multiply by the kernel, and sum dimensions 2 and 3."),
        "def laplace(image, kernel):\n    h, w = image.shape\n"
        "    windows = image.as_strided((h - 2, w - 2, 3, 3), (w, 1, w, 1))\n"
        "    return (windows * kernel).sum((2, 3))", 3,
        slips=(Slip("`dim=` in a reduction", "you have summed over the windows' places, not inside the windows.",
                    behaves=lambda image, kernel: (image.unfold(0, 3, 1).unfold(1, 3, 1) * kernel).sum((0, 1))),),
    ),
    # ---- C: from comparisons
    Restriction(
        "C", "eye", "Write `eye(n)`: n × n, 1 on the diagonal and 0 elsewhere, as float32.", MASKS,
        _cases(tk.eye, ("of 3", lambda: (3,)), ("of 5", lambda: (5,))),
        ("On the diagonal, the row's number equals the column's.", "`i[:, None]` is a column, `i` is a row.",
         "`(i[:, None] == i).float()`"),
        "def eye(n):\n    i = tk.arange(n)\n    return (i[:, None] == i).float()", 4,
        slips=(Slip(_NO_COLUMN, "each number was compared with itself alone: make one of the two a column.",
                    behaves=lambda n: tk.ones(n)),),
    ),
    Restriction(
        "C", "triu", "Write `triu(a)`: an n × n tensor with everything below the diagonal set to 0.", MASKS,
        _cases(lambda a: a.triu(), *_SQUARES),
        ("Multiply `a` by a mask.", "Kept is what has its column at or after its row.", "`(i[:, None] <= i) * a`"),
        "def triu(a):\n    i = tk.arange(len(a))\n    return a * (i[:, None] <= i)", 4,
        slips=(Slip("", "you have kept the lower triangle: which of `i[:, None]` and `i` is "
                                                "the row?",
                    behaves=lambda a: a.tril()),
               Slip("counting from zero", "the diagonal itself is lost: is equal "
                                          "allowed?", behaves=lambda a: a.triu(1))),
    ),
    Restriction(
        "C", "cumsum", "Write `cumsum(x)`: the running sums of n numbers.", MASKS,
        _cases(lambda x: x.cumsum(0), *_ROWS),
        ("A running sum is a product with a matrix of ones and zeros.", "Row i has a 1 in the columns up to i.",
         "`(i[:, None] >= i).float() @ x`"),
        "def cumsum(x):\n    i = tk.arange(len(x))\n    return (i[:, None] >= i).float() @ x", 5,
        _own("cumsum", "n additions and no matrix: this one has n² numbers"),
        slips=(Slip("a row meets a column", "these are the sums from each number to the end: turn the comparison "
                                            "round.",
                    behaves=lambda x: x.flip(0).cumsum(0).flip(0)),
               Slip("the ends of a running sum", "each sum leaves its own number out: is equal allowed?",
                    behaves=lambda x: x.cumsum(0) - x)),
    ),
    Restriction(
        "C", "one_hot", "Write `one_hot(labels, n)`: for each label a row of n numbers, 1 at the label and 0 "
                        "elsewhere, "
        "as float32.", MASKS,
        _cases(lambda labels, n: tk.eye(n)[labels], *_LABELS),
        ("Compare each label with each of 0, 1, …, n − 1.", "The labels are the column.",
         "`(labels[:, None] == tk.arange(n)).float()`"),
        "def one_hot(labels, n):\n    return (labels[:, None] == tk.arange(n)).float()", 4,
        slips=(Slip("", "a label is a row of the result; yours has one column for each "
                                                "label.",
                    behaves=lambda labels, n: tk.eye(n)[labels].t()),),
    ),
    Restriction(
        "C", "length_mask", "Write `length_mask(lengths, n)`: a row of n for each length, True in its first "
                            "`length` places.",
        MASKS,
        _cases(lambda lengths, n: tk.arange(n) < lengths[:, None],
               ("of the lengths 2, 0, 3 with n = 4", lambda: (tk.tensor([2, 0, 3]), 4)),
               ("of the lengths 1, 5 with n = 5", lambda: (tk.tensor([1, 5]), 5))),
        ("Place j is inside when j is less than the length.", "The lengths are the column.",
         "`tk.arange(n) < lengths[:, None]`"),
        "def length_mask(lengths, n):\n    return tk.arange(n) < lengths[:, None]", 3,
        slips=(Slip("counting from zero", "one place too many: the places count from 0.",
                    behaves=lambda lengths, n: tk.arange(n) <= lengths[:, None]),
               Slip("", "your rows are the places; they should be the lengths.",
                    behaves=lambda lengths, n: tk.arange(n)[:, None] < lengths)),
    ),
    Restriction(
        "C", "outer", "Write `outer(a, b)`: every number of `a` times every number of `b`, one row for each of "
                      "`a`.", MASKS,
        _cases(lambda a, b: tk.outer(a, b), *_PAIRS),
        ("A column against a row meets every pair.", "Which of the two gives the rows?", "`a[:, None] * b`"),
        "def outer(a, b):\n    return a[:, None] * b", 2,
        slips=(Slip("", "that is its transpose: `a` gives the rows, so `a` is the column.",
                    behaves=lambda a, b: tk.outer(b, a)),),
    ),
    Restriction(
        "C", "diff", "Write `diff(x)`: the n numbers x[i] − x[i − 1], with x[0] itself in place 0. No slice is "
                     "allowed: find "
        "the matrix that moves the numbers.", MASKS,
        _cases(lambda x: tk.cat([x[:1], x[1:] - x[:-1]]), *_ROWS),
        ("Subtract from `x` the same numbers, moved one place on.",
         "Row i of the matrix that moves them has a 1 in column i − 1.",
         "`(i[:, None] == i + 1).float() @ x` are the numbers, moved."),
        "def diff(x):\n    i = tk.arange(len(x))\n    return x - (i[:, None] == i + 1).float() @ x", 7,
        _own("diff", "n subtractions of two slices"),
        slips=(Slip("", "every sign is turned round.",
                    behaves=lambda x: -tk.cat([x[:1], x[1:] - x[:-1]])),
               Slip("a row meets a column", "you subtract the next number, not the one before.",
                    behaves=lambda x: tk.cat([x[:-1] - x[1:], x[-1:]]))),
    ),
    Restriction(
        "C", "roll", "Write `roll(x, k)`: every number k places further on, and what falls off the end comes in at "
                     "the front.",
        MASKS,
        _cases(lambda x, k: x.roll(k), ("of 5 numbers by 1", lambda: (_numbers(5), 1)),
               ("of 6 numbers by 4", lambda: (_numbers(6), 4))),
        ("Place i takes the number of place i − k, counted round.", "`%` counts round.",
         "`((i[:, None] - k) % n == i).float() @ x`"),
        "def roll(x, k):\n    n = len(x)\n    i = tk.arange(n)\n    return ((i[:, None] - k) % n == i).float() "
        "@ x", 7,
        _own("roll", "no matrix, but two copies"),
        slips=(Slip("a row meets a column", "that rolls the other way: place i *takes* from place i − k.",
                    behaves=lambda x, k: x.roll(-k)),
               Slip("", "what fell off the end is lost: count round with `%`.",
                    behaves=lambda x, k: tk.cat([tk.zeros(k), x[: len(x) - k]]))),
    ),
    Restriction(
        "C", "flip", "Write `flip(x)`: the n numbers backwards.", MASKS,
        _cases(lambda x: x.flip(0), *_ROWS),
        ("Place i takes the number of place n − 1 − i.", "Their sum is n − 1: the other diagonal of the matrix.",
         "`(i[:, None] + i == n - 1).float() @ x`"),
        "def flip(x):\n    n = len(x)\n    i = tk.arange(n)\n    return (i[:, None] + i == n - 1).float() @ x", 6,
        _own("flip", "n copies"),
        slips=(Slip("counting from zero", "one place off: the last place is n − 1.",
                    behaves=lambda x: tk.cat([tk.zeros(1), x[1:].flip(0)])),),
    ),
    Restriction(
        "C", "bincount", "Write `bincount(labels, n)`: how often each of 0, 1, …, n − 1 occurs, as int64. No sum is "
                         "allowed.",
        MASKS,
        _cases(_bincount, *_LABELS),
        ("Every label is compared with every number.", "A product with ones adds up; `labels == labels` is all ones.",
         "`(tk.arange(n)[:, None] == labels).long() @ (labels == labels).long()`"),
        "def bincount(labels, n):\n    met = (tk.arange(n)[:, None] == labels).long()\n"
        "    return met @ (labels == labels).long()", 7,
        _own("bincount", "no table of n rows"),
        slips=(Slip("`dim=` in a reduction", "you have added along the wrong side: 1 for each label.",
                    behaves=lambda labels, n: tk.ones(len(labels), dtype=tk.int64)),),
    ),
    Restriction(
        "C", "repeat_interleave", "Write `repeat_interleave(x, k)`: each of the n numbers k times in a row.", MASKS,
        _cases(lambda x, k: x.repeat_interleave(k), ("of 3 numbers, twice each", lambda: (_numbers(3), 2)),
               ("of 2 numbers, four times each", lambda: (_numbers(2), 4))),
        ("Place i of the n · k places takes the number i // k.", "The places are the column.",
         "`(tk.arange(n * k)[:, None] // k == tk.arange(n)).float() @ x`"),
        "def repeat_interleave(x, k):\n    n = len(x)\n    place = tk.arange(n * k)[:, None] // k\n"
        "    return (place == tk.arange(n)).float() @ x", 7,
        slips=(Slip("a list names each one", "that repeats the whole row; each number should come k times before "
                                             "the next.",
                    behaves=lambda x, k: x.repeat(k)),),
    ),
    Restriction(
        "C", "compress", "Write `compress(x, keep)`: the numbers where `keep` is True come first, in their order, "
                         "and zeros "
        "fill up the rest.", MASKS,
        _cases(_compress,
               ("of 5 numbers, three kept", lambda: (_numbers(5), tk.tensor([True, False, True, True, False]))),
               ("of 4 numbers, the last two kept", lambda: (_numbers(4), tk.tensor([False, False, True, True])))),
        ("A kept number moves to the place that counts the kept ones before it.",
         "Those counts are a running sum of `keep`: you have written `cumsum`.",
         "Row p of the matrix has a 1 where `keep` is True and its running sum is p + 1."),
        "def compress(x, keep):\n    i = tk.arange(len(x))\n    column = i[:, None]\n"
        "    place = (column >= i).long() @ keep.long()\n"
        "    return ((place == column + 1) & keep).float() @ x", 11,
        slips=(Slip("", "the kept numbers have to move to the front.",
                    behaves=lambda x, keep: x * keep),),
    ),
)  # fmt: skip
"""In the order in which they are dealt."""


def find(name: str) -> Restriction:
    """The puzzle of this name.

    Raises:
        LookupError: with the names that there are.
    """
    found = next((one for one in RESTRICTIONS if one.name == name), None)
    if found is None:
        names = ", ".join(one.name for one in RESTRICTIONS)
        raise LookupError(f"no puzzle is called {name!r}; there are {names}")
    return found
