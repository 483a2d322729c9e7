"""The exercises of lesson 10, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import tensorkit as tk
from tensorkit_widgets.practice.checking.checks import tensor_check, tuple_check
from tensorkit_widgets.practice.checking.checks_autograd import letters_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Puzzle, Stray, Task

__all__ = ["PUZZLES", "TASKS"]

SQUARE = "(N,1) against (N) gives (N,N)"


RIGHT = "sizes line up from the right"


ONES = "only a 1 is stretched"


EMPTY = "a size of 0 is a size"


TRUTH = "`if` on a tensor"


_TABLE = [[1, 2, 3, 4], [2, 4, 6, 8], [3, 6, 9, 12], [4, 8, 12, 16]]


def _numbers(tk: Any) -> Any:
    return tk.tensor([-3.0, -1.0, 0.5, 1.0, 4.0])


def _image(tk: Any) -> Any:
    return tk.arange(18.0).view(3, 2, 3) + 1


def _tinted(first: float, second: float, third: float) -> list[list[list[float]]]:
    factors = (first, second, third)
    return [
        [[(18 // 3 * c + 3 * i + j + 1) * factors[c] for j in range(3)] for i in range(2)] for c in range(3)
    ]


_INSIDE = tk.tensor([False, True, True, True, False])


def _inside_by_if(t: Any) -> Any:
    answer = False
    if t >= -1 and t <= 1:
        answer = True
    return answer


TASKS = (
    Task(
        "size_together",
        "The size of both together",
        "Worked: (3, 1) and (4,). Written from the right:\n\n"
        "    3  1\n"
        "       4\n\n"
        "1 meets 4 and becomes 4; under the 3 there is nothing, which counts as 1. Together **(3, 4)**.\n\n"
        "Your turn: (2, 1, 5) and (3, 1).",
        tuple_check(
            2,
            3,
            5,
            slips=(
                Slip(
                    RIGHT, "Write them from the right: 5 over 1, 1 over 3, 2 over nothing.", given=(2, 3, 1)
                ),
                Slip(ONES, "The 1 in the middle meets a 3 and is stretched.", given=(2, 1, 5)),
                Slip(RIGHT, "The 2 in front stays: what it meets counts as 1.", given=(3, 5)),
                Slip(ONES, "Sizes are not multiplied; a 1 becomes what it meets.", given=(2, 3, 1, 5)),
            ),
        ),
        (
            "Write one under the other, with their right ends in line.",
            "5 meets 1, 1 meets 3, and 2 meets nothing.",
            "From the right: 5, then 3, then 2.",
        ),
        "(2, 3, 5)",
        stage="worked",
        entry="(3, 4)",
        right=(
            lambda tk, t: (2, 3, 5),
            lambda tk, t: "2 3 5",
            lambda tk, t: tk.broadcast_shapes((2, 1, 5), (3, 1)),
        ),
        wrong=(
            (lambda tk, t: (2, 1, 5), ONES),
            (lambda tk, t: (3, 5), RIGHT),
            (lambda tk, t: (2, 3, 1), RIGHT),
            (lambda tk, t: (6, 5, 1), ""),
        ),
    ),
    Task(
        "which_fit",
        "Backwards: which of these fit?",
        "Which of these pairs of sizes can be added?\n\n"
        "    a: (3, 4) and (4,)        b: (3, 4) and (3,)\n"
        "    c: (5, 1, 2) and (4, 2)   d: (6,) and ()\n"
        "    e: (0,) and (1,)\n\n"
        "(The 0 is no misprint.) Give their letters.",
        letters_check(
            "ACDE",
            {
                "A": Slip(RIGHT, "a: 4 meets 4, and the 3 meets nothing, which counts as 1.", given="A"),
                "B": Slip(RIGHT, "b lines up from the right: 4 meets 3.", given="B"),
                "C": Slip(RIGHT, "c: 2 meets 2, 1 meets 4, and 5 meets nothing.", given="C"),
                "D": Slip("a 0-d tensor is a tensor", "d: a single number fits everything.", given="D"),
                "E": Slip(EMPTY, "look at e again: 0 meets 1, and a 1 becomes what it meets.", given="E"),
            },
        ),
        (
            "From the right, two sizes fit when they are equal, or one is 1, or one is not there.",
            "In b the 4 meets the 3. In d one of the two has nothing to compare.",
            "Four of the five fit; b does not.",
        ),
        "a c d e",
        stage="reverse",
        entry="a b",
        right=(lambda tk, t: "a c d e", lambda tk, t: "A, C, D, E", lambda tk, t: "a  c d  e"),
        wrong=(
            (lambda tk, t: "a c d", EMPTY),
            (lambda tk, t: "a b c d e", RIGHT),
            (lambda tk, t: "a c e", "a 0-d tensor is a tensor"),
            (lambda tk, t: "b", RIGHT),
            (lambda tk, t: "a d e", RIGHT),
        ),
    ),
    Task(
        "times_table",
        "A times table",
        "`t = tk.arange(1, 5)` holds 1, 2, 3, 4. Make the times table of them, size **(4, 4)**, with what you know "
        "about columns and rows:\n\n"
        "    table = t.unsqueeze(___) * t",
        tensor_check(
            size=(4, 4),
            values=_TABLE,
            slips=(
                Slip(
                    SQUARE,
                    "that multiplies each number by itself: a row against a row.",
                    behaves=lambda t: t * t,
                ),
                Slip(
                    SQUARE,
                    "a row of size (1, 4) against a row of size (4,) is a row; one has to be a column.",
                    behaves=lambda t: t.unsqueeze(0) * t,
                ),
                Slip(
                    SQUARE,
                    "the size is right, and the numbers are those of one row again and again.",
                    behaves=(
                        lambda t: (t * t).expand(4, 4),
                        lambda t: (t * t).repeat(4, 1),
                        lambda t: t.repeat(4, 1),
                    ),
                ),
                Slip("`*` is not `@`", "that is the product of two vectors: one number.", size=()),
            ),
        ),
        (
            "One of the two has to stand upright: a column of size (4, 1).",
            "`unsqueeze(dim)` puts a dimension of size 1 there. Which place makes a column of a row?",
            "`t.unsqueeze(1)` is the column.",
        ),
        "table = t.unsqueeze(1) * t",
        stage="faded",
        base=lambda tk: tk.arange(1, 5),
        right=(
            lambda tk, t: t.unsqueeze(1) * t,
            lambda tk, t: t * t[:, None],
            lambda tk, t: t.view(4, 1) * t.view(1, 4),
            lambda tk, t: tk.outer(t, t),
        ),
        wrong=(
            (lambda tk, t: t * t, SQUARE),
            (lambda tk, t: t.unsqueeze(0) * t, SQUARE),
            (lambda tk, t: (t * t).expand(4, 4), SQUARE),
            (lambda tk, t: (t * t).sum(), "`*` is not `@`"),
            (lambda tk, t: tk.zeros(4), ""),
            (lambda tk, t: t.unsqueeze(1) + t, ""),
        ),
    ),
    Task(
        "inside",
        "Which lie inside?",
        "Write `inside(t)`: a tensor of bool that says, for each number of `t`, whether it lies between -1 and 1 (both "
        "included).\n\n"
        "    def inside(t):\n"
        "        return ___",
        function_check(
            Case("of `tk.tensor([-3.0, -1.0, 0.5, 1.0, 4.0])`", lambda: (_numbers(tk),), _INSIDE),
            Case(
                "of a table of two rows",
                lambda: (tk.tensor([[0.0, 2.0], [-2.0, 1.0]]),),
                tk.tensor([[True, False], [False, True]]),
            ),
            Case("of a single number", lambda: (tk.tensor([0.5]),), tk.tensor([True])),
            slips=(
                Slip(
                    TRUTH,
                    "that is one answer for all of them; asked is one for each.",
                    behaves=(
                        lambda t: ((t >= -1) & (t <= 1)).all(),
                        lambda t: ((t >= -1) & (t <= 1)).any(),
                        lambda t: bool(((t >= -1) & (t <= 1)).all()),
                        lambda t: bool((t >= -1).all() and (t <= 1).all()),
                    ),
                ),
                Slip(
                    "True counts as 1",
                    "those are numbers. The comparisons themselves are the answer.",
                    behaves=(
                        lambda t: t.clamp(-1, 1),
                        lambda t: t[(t >= -1) & (t <= 1)],
                        lambda t: ((t >= -1) & (t <= 1)).float(),
                        lambda t: ((t >= -1) & (t <= 1)).long(),
                        lambda t: ((t >= -1) & (t <= 1)).sum(),
                    ),
                ),
                Slip(
                    TRUTH,
                    "every number is above -1 **or** below 1. Both have to hold: `&`.",
                    behaves=lambda t: (t >= -1) | (t <= 1),
                ),
                Slip(
                    "",
                    "-1 and 1 themselves are included: `>=` and `<=`.",
                    behaves=lambda t: (t > -1) & (t < 1),
                ),
                Slip("", "that says which lie **outside**.", behaves=lambda t: (t < -1) | (t > 1)),
            ),
        ),
        (
            "Two comparisons, one for each end. Both have to hold.",
            "`and` wants single answers. Its sister for tensors is `&`.",
            "Put each comparison into round brackets: `(t >= -1) & (…)`.",
        ),
        "def inside(t):\n    return (t >= -1) & (t <= 1)",
        stage="free",
        right=(
            lambda tk, t: lambda t: (t >= -1) & (t <= 1),
            lambda tk, t: lambda t: t.abs() <= 1,
            lambda tk, t: lambda t: t.clamp(-1, 1) == t,
            lambda tk, t: lambda t: ~((t < -1) | (t > 1)),
        ),
        wrong=(
            (lambda tk, t: lambda t: (t >= -1) and (t <= 1), TRUTH),
            (lambda tk, t: lambda t: -1 <= t <= 1, TRUTH),
            (lambda tk, t: _inside_by_if, TRUTH),
            (lambda tk, t: lambda t: (t >= -1) | (t <= 1), TRUTH),
            (lambda tk, t: lambda t: ((t >= -1) & (t <= 1)).all(), TRUTH),
            (lambda tk, t: lambda t: t.clamp(-1, 1), "True counts as 1"),
            (lambda tk, t: lambda t: (t > -1) & (t < 1), ""),
            (lambda tk, t: lambda t: t > 0, ""),
        ),
    ),
    Task(
        "tint",
        "Tint a picture",
        "`t` is a little picture with its channels **first**: size (3, 2, 3), that is red, green, blue, each of two "
        "rows and three columns. Keep red as it is, halve green, and switch blue off:\n\n"
        "    factors = tk.tensor([1.0, 0.5, 0.0])\n"
        "    tinted = t * ___",
        tensor_check(
            size=(3, 2, 3),
            values=_tinted(1.0, 0.5, 0.0),
            slips=(
                Slip(
                    RIGHT,
                    "no error, and still wrong: a size of (3,) meets the three **columns**. The channels are "
                    "dimension 0, so the factors need the size (3, 1, 1).",
                    behaves=lambda t: t * t.new_tensor([1.0, 0.5, 0.0]),
                ),
                Slip(
                    RIGHT,
                    "the picture has to keep its size: too many dimensions meet.",
                    behaves=(
                        lambda t: t.unsqueeze(0) * t.new_tensor([1.0, 0.5, 0.0]).view(3, 1, 1),
                        lambda t: t * t.new_tensor([1.0, 0.5, 0.0]).view(3, 1, 1, 1),
                    ),
                ),
            ),
        ),
        (
            "Which size do the factors need, so that from the right the 3 meets the channels?",
            "Two dimensions of size 1 have to stand behind the 3: (3, 1, 1).",
            "`factors.view(3, 1, 1)`",
        ),
        "tinted = t * tk.tensor([1.0, 0.5, 0.0]).view(3, 1, 1)",
        stage="free",
        base=_image,
        right=(
            lambda tk, t: t * tk.tensor([1.0, 0.5, 0.0]).view(3, 1, 1),
            lambda tk, t: t * tk.tensor([1.0, 0.5, 0.0])[:, None, None],
            lambda tk, t: tk.stack([t[0], t[1] / 2, t[2] * 0]),
            lambda tk, t: (t.permute(1, 2, 0) * tk.tensor([1.0, 0.5, 0.0])).permute(2, 0, 1),
        ),
        wrong=(
            (lambda tk, t: t * tk.tensor([1.0, 0.5, 0.0]), RIGHT),
            (lambda tk, t: t.unsqueeze(0) * tk.tensor([1.0, 0.5, 0.0]).view(3, 1, 1), RIGHT),
            (lambda tk, t: t[0], ""),
            (lambda tk, t: t * tk.tensor([[1.0], [0.5]]), ""),
        ),
    ),
    Task(
        "mean_square",
        "How wrong is the network?",
        "Write `mean_square(prediction, target)`: the mean of the squared differences, as a number. `prediction` is a "
        "column of size (N, 1), `target` has the size (N,), and each prediction belongs to **one** target.\n\n"
        "    def mean_square(prediction, target):\n"
        "        return ___",
        function_check(
            Case(
                "of predictions that are all right",
                lambda: (tk.tensor([[2.0], [4.0], [6.0]]), tk.tensor([2.0, 4.0, 6.0])),
                0.0,
            ),
            Case(
                "of four predictions that are 1, 2, 3 and 0 off",
                lambda: (tk.tensor([[1.0], [2.0], [9.0], [8.0]]), tk.tensor([2.0, 4.0, 6.0, 8.0])),
                3.5,
            ),
            Case("of one prediction, 2 off", lambda: (tk.tensor([[1.0]]), tk.tensor([3.0])), 4.0),
            slips=(
                Slip(
                    SQUARE,
                    "of predictions that are all right, yours says that they are wrong: each was compared with **all** "
                    "targets. Bring both to the same size first.",
                    behaves=(
                        lambda p, y: ((p - y) ** 2).mean(),
                        lambda p, y: (p - y).abs().mean(),
                        lambda p, y: ((p - y) ** 2).sum() / len(y),
                        lambda p, y: ((p - y) ** 2).sum(),
                        lambda p, y: (p - y) ** 2,
                    ),
                ),
                Slip(
                    "",
                    "differences of 1 and -1 cancel out there. Square them before you take the mean.",
                    behaves=(
                        lambda p, y: (p.squeeze(1) - y).mean(),
                        lambda p, y: (p.squeeze(1) - y).mean() ** 2,
                    ),
                ),
                Slip(
                    "",
                    "that is the mean of the differences without their signs; asked is that of their squares.",
                    behaves=lambda p, y: (p.squeeze(1) - y).abs().mean(),
                ),
                Slip(
                    "",
                    "that is the sum of the squares; the mean divides it by how many there are.",
                    behaves=lambda p, y: ((p.squeeze(1) - y) ** 2).sum(),
                ),
                Slip(
                    "",
                    "that is one square for each prediction; asked is the mean of them, one number.",
                    behaves=(lambda p, y: (p.squeeze(1) - y) ** 2, lambda p, y: (p - y.unsqueeze(1)) ** 2),
                ),
            ),
        ),
        (
            "Before you subtract: which sizes have the two?",
            "`squeeze(1)` takes the 1 of (N, 1) away; `unsqueeze(1)` puts one behind (N,).",
            "`(prediction.squeeze(1) - target)`, squared, and its mean. `.item()` makes a number of it.",
        ),
        "def mean_square(prediction, target):\n    return ((prediction.squeeze(1) - target) ** 2).mean().item()",
        stage="free",
        right=(
            lambda tk, t: lambda p, y: ((p.squeeze(1) - y) ** 2).mean().item(),
            lambda tk, t: lambda p, y: (p - y.unsqueeze(1)).square().mean().item(),
            lambda tk, t: lambda p, y: float(((p[:, 0] - y) ** 2).sum() / len(y)),
        ),
        wrong=(
            (lambda tk, t: lambda p, y: ((p - y) ** 2).mean().item(), SQUARE),
            (lambda tk, t: lambda p, y: 0.0 if p == y else 1.0, TRUTH),
            (lambda tk, t: lambda p, y: ((p - y) ** 2).sum().item() / len(y), SQUARE),
            (lambda tk, t: lambda p, y: (p.squeeze(1) - y).mean().item(), ""),
            (lambda tk, t: lambda p, y: 1.0, ""),
            (lambda tk, t: lambda p, y: None, ""),
        ),
    ),
)


def _start(tk: Any) -> dict[str, Any]:
    return {"x": tk.tensor([0.0, 3.0, 4.0, 10.0])}


_GAPS = """
here = x.unsqueeze(1)
gap = here - x
far = gap.abs()
"""


PUZZLES = (
    Puzzle(
        "distances",
        "How far from each to each",
        "Four towns lie on one road, at the kilometres `x = tk.tensor([0.0, 3.0, 4.0, 10.0])`. Make `far`, size "
        "(4, 4): `far[i, j]` is how far it is from town `i` to town `j`. There is no loop in it.",
        _GAPS,
        "far",
        tensor_check(
            size=(4, 4),
            values=((0, 3, 4, 10), (3, 0, 1, 7), (4, 1, 0, 6), (10, 7, 6, 0)),
            slips=(
                Slip(
                    SQUARE,
                    "a row against a row compares each town with itself: one of the two has to be a column.",
                    size=(4,),
                ),
                Slip(SQUARE, "a row of size (1, 4) is still a row.", size=(1, 4)),
                Slip(
                    "",
                    "there are negative distances: which way one goes should not matter.",
                    when=lambda answer, mine, base: mine is not None and min(mine.values) < 0,
                ),
                Slip(
                    "",
                    "`clamp` makes 0 of every way back; a distance is the same both ways.",
                    when=lambda answer, mine, base: mine is not None and mine.values[1:2] == (0,),
                ),
            ),
        ),
        (
            "Every town has to meet every town: what size makes a row meet a row like that?",
            "A column (4, 1) against the row (4,) is a square (4, 4).",
            "First the column `here`, then the gaps, then their absolute values.",
        ),
        strays=(
            Stray("here = x.unsqueeze(0)", SQUARE, "a row of size (1, 4) is still a row."),
            Stray("here = x.view(4, 1)"),
            Stray("far = gap.clamp(min=0)", "", ""),
            Stray("far = (gap * gap).sqrt()"),
        ),
        setup=_start,
        right=(
            _GAPS.strip(),
            _GAPS.strip().replace("x.unsqueeze(1)", "x.view(4, 1)"),
            _GAPS.strip().replace("gap.abs()", "(gap * gap).sqrt()"),
        ),
        wrong=(
            (_GAPS.strip().replace("unsqueeze(1)", "unsqueeze(0)"), SQUARE),
            (_GAPS.strip().replace("gap.abs()", "gap.clamp(min=0)"), ""),
            ("here = x.unsqueeze(1)\nfar = gap.abs()\ngap = here - x", ""),
        ),
    ),
)
