"""The exercises of lesson 10, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import tensorkit as tk
from tensorkit_widgets.practice.checking.checks import tensor_check, tuple_check
from tensorkit_widgets.practice.checking.checks_autograd import letters_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Puzzle, Stray, Task

SQUARE = "(N,1) against (N) gives (N,N)"


RIGHT = "sizes line up from the right"


ONES = "only a 1 is stretched"


EMPTY = "a size of 0 is a size"


TRUTH = "`if` on a tensor"


ASIN = "asin knows one half"


BITS = "`~` of an integer"


_TABLE = [[i * j for j in range(1, 7)] for i in range(1, 7)]


def _numbers(tk: Any) -> Any:
    return tk.tensor([-3.0, -1.0, 0.5, 1.0, 4.0])


def _image(rows: int, columns: int) -> Any:
    """A little picture with its channels first, of bright, middling and dark numbers."""
    return tk.arange(3.0 * rows * columns).view(3, rows, columns) / 64


def _warm_case(says: str, rows: int, columns: int, factors: tuple[float, float, float]) -> Case:
    right = tk.stack(
        [channel * factor for channel, factor in zip(_image(rows, columns), factors, strict=True)]
    )
    return Case(says, lambda: (_image(rows, columns), tk.tensor(factors)), right)


def _marks(errors: Any, hits: Any) -> tuple[Any, Any]:
    return (errors**2).mean().item(), hits.sum().item()


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
        "1 meets 4 and becomes 4; there is nothing under the 3, and that counts as 1. Together they have the size "
        "**(3, 4)**.\n\n"
        "Your turn: which size do (2, 1, 5) and (3, 1) have together?",
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
                Slip(RIGHT, "The 2 stays where it is, in front.", given=(3, 5, 2)),
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
        "times_table",
        "A times table",
        "`t = tk.arange(1, 7)` holds the numbers from 1 to 6. Make their times table, size **(6, 6)**, with what you "
        "know about columns and rows:\n\n"
        "    table = t.unsqueeze(___) * t",
        tensor_check(
            size=(6, 6),
            values=_TABLE,
            slips=(
                Slip(
                    SQUARE,
                    "that multiplies each number by itself: a row against a row.",
                    behaves=lambda t: t * t,
                ),
                Slip(
                    SQUARE,
                    "a row of size (1, 6) against a row of size (6,) is a row; one has to be a column.",
                    behaves=lambda t: t.unsqueeze(0) * t,
                ),
                Slip(
                    SQUARE,
                    "the size is right, and the numbers are those of one row again and again.",
                    behaves=(
                        lambda t: (t * t).expand(6, 6),
                        lambda t: (t * t).repeat(6, 1),
                        lambda t: t.repeat(6, 1),
                    ),
                ),
                Slip(
                    "",
                    "those are sums: a times table multiplies.",
                    behaves=lambda t: t.unsqueeze(1) + t,
                ),
                Slip("`*` is not `@`", "that is the product of two vectors: one number.", size=()),
            ),
        ),
        (
            "One of the two has to be a column, of size (6, 1).",
            "`unsqueeze(dim)` puts a dimension of size 1 in that place. Which place makes a column of a row?",
            "`t.unsqueeze(1)` is the column.",
        ),
        "table = t.unsqueeze(1) * t",
        stage="faded",
        base=lambda tk: tk.arange(1, 7),
        right=(
            lambda tk, t: t.unsqueeze(1) * t,
            lambda tk, t: t * t[:, None],
            lambda tk, t: t.view(6, 1) * t.view(1, 6),
            lambda tk, t: tk.outer(t, t),
        ),
        wrong=(
            (lambda tk, t: t * t, SQUARE),
            (lambda tk, t: t.unsqueeze(0) * t, SQUARE),
            (lambda tk, t: (t * t).expand(6, 6), SQUARE),
            (lambda tk, t: (t * t).sum(), "`*` is not `@`"),
            (lambda tk, t: tk.zeros(6), ""),
            (lambda tk, t: t.unsqueeze(1) + t, ""),
        ),
    ),
    Task(
        "which_fit",
        "Backwards: which of these are true?",
        "Three of these statements are about sizes, and three about functions from this lesson. Which of the six "
        "are true? Give their letters.\n\n"
        "    a: sizes (5, 1, 2) and (4, 2) fit\n"
        "    b: sizes (6, 2) and (6,) fit\n"
        "    c: sizes (0,) and (1,) fit\n"
        "    d: asin(sin(x)) is x again, for an angle x of 1.0\n"
        "    e: asin(sin(x)) is x again, for an angle x of 3.0\n"
        "    f: ~tk.tensor([1]) holds 0\n\n"
        "(The 0 in c is not a misprint.)",
        letters_check(
            "ACD",
            {
                "A": Slip(RIGHT, "a: 2 meets 2, 1 meets 4, and the 5 meets nothing.", given="A"),
                "B": Slip(RIGHT, "b lines up from the right: 2 meets 6.", given="B"),
                "C": Slip(EMPTY, "look at c again: 0 meets 1, and a 1 becomes what it meets.", given="C"),
                "D": Slip(ASIN, "d: 1.0 is between -π/2 and π/2, and so is what `asin` gives.", given="D"),
                "E": Slip(
                    ASIN, "e: 3.0 is more than π/2. `asin` gives the smaller angle with that sine.", given="E"
                ),
                "F": Slip(BITS, "f: `~` flips every bit of an integer, and gives -2.", given="F"),
            },
        ),
        (
            "From the right, two sizes fit when they are equal, or one is 1, or one is missing.",
            "`asin` gives an angle between -π/2 and π/2; π/2 is 1.57. Which of the two angles is in that range?",
            "Three of the six are true. `~` of True is False, but the integer 1 is not True: `~` flips all of its "
            "bits.",
        ),
        "a c d",
        stage="reverse",
        entry="a b",
        right=(lambda tk, t: "a c d", lambda tk, t: "A, C, D", lambda tk, t: "d  a c"),
        wrong=(
            (lambda tk, t: "a d", EMPTY),
            (lambda tk, t: "a b c d", RIGHT),
            (lambda tk, t: "a c d e", ASIN),
            (lambda tk, t: "a c d f", BITS),
            (lambda tk, t: "c d", RIGHT),
        ),
    ),
    Task(
        "inside",
        "Which are inside?",
        "Write `inside(t)`: a tensor of bool that says, for each number of `t`, whether it is between -1 and 1 (both "
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
                    "that is one answer for all of them; there should be one for each.",
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
                Slip("", "that shows which are **outside**.", behaves=lambda t: (t < -1) | (t > 1)),
            ),
        ),
        (
            "Write two comparisons, one for each end. Both have to hold.",
            "`and` needs single answers. For tensors there is `&`.",
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
        "A real photograph: a warmer light",
        "Evening light is warm: less green in it, and much less blue. `photo` has its channels **first**, size "
        "(3, rows, columns), and `factors` holds one number for each channel. Write `warm(photo, factors)`: the "
        "photo with each channel multiplied by its factor. When it is right, you will see it.\n\n"
        "    def warm(photo, factors):\n"
        "        return photo * ___",
        function_check(
            _warm_case("of a picture of two rows and three columns", 2, 3, (1.0, 0.5, 0.0)),
            _warm_case("of a picture of four rows and five columns", 4, 5, (1.0, 0.75, 0.25)),
            _warm_case("of a picture of three rows and three columns", 3, 3, (0.5, 1.0, 2.0)),
            slips=(
                Slip(
                    RIGHT,
                    "sizes line up from the right, so three factors meet the **columns**, and where there are three "
                    "columns nothing warns you. The channels are dimension 0: the factors need the size (3, 1, 1).",
                    behaves=lambda p, f: p * f,
                ),
                Slip(
                    RIGHT,
                    "a size of (3, 1) lines up with the **rows**. The channels are dimension 0, so two dimensions of "
                    "size 1 have to follow the 3.",
                    behaves=lambda p, f: p * f.unsqueeze(1),
                ),
                Slip(
                    RIGHT,
                    "there is one dimension too many, so the picture has become a batch.",
                    behaves=(
                        lambda p, f: p.unsqueeze(0) * f.view(3, 1, 1),
                        lambda p, f: p * f.view(3, 1, 1, 1),
                        lambda p, f: p * f.view(1, 3, 1, 1),
                    ),
                ),
                Slip(
                    RIGHT,
                    "the numbers are right, but the channels are last now. They should be first, as in `photo`.",
                    behaves=lambda p, f: p.permute(1, 2, 0) * f,
                ),
            ),
        ),
        (
            "What size must the factors have, so that their 3 meets the channels when sizes are written from the "
            "right?",
            "Two dimensions of size 1 have to come after the 3: (3, 1, 1).",
            "`factors.view(3, 1, 1)`",
        ),
        "def warm(photo, factors):\n    return photo * factors.view(3, 1, 1)",
        stage="free",
        right=(
            lambda tk, t: lambda p, f: p * f.view(3, 1, 1),
            lambda tk, t: lambda p, f: p * f[:, None, None],
            lambda tk, t: lambda p, f: (p.permute(1, 2, 0) * f).permute(2, 0, 1),
        ),
        wrong=(
            (lambda tk, t: lambda p, f: p * f, RIGHT),
            (lambda tk, t: lambda p, f: p * f.view(3, 1), RIGHT),
            (lambda tk, t: lambda p, f: p.unsqueeze(0) * f.view(3, 1, 1), RIGHT),
            (lambda tk, t: lambda p, f: p.permute(1, 2, 0) * f, RIGHT),
            (lambda tk, t: lambda p, f: p, ""),
            (lambda tk, t: lambda p, f: p * f[0], ""),
        ),
    ),
    Task(
        "mean_square",
        "Repair: marks for a network",
        "`marks` should give two numbers: the mean of the squared errors, and how many predictions are exactly right. "
        "`prediction` is a column of size (N, 1), `target` has the size (N,), and each prediction belongs to **one** "
        "target. A network that is always right gets terrible marks. Repair the function:\n\n"
        "    def marks(prediction, target):\n"
        "        error = ((prediction - target) ** 2).mean().item()\n"
        "        right = (prediction == target).sum().item()\n"
        "        return error, right",
        function_check(
            Case(
                "of predictions that are all right",
                lambda: (tk.tensor([[5.0], [7.0], [5.0]]), tk.tensor([5.0, 7.0, 5.0])),
                (0.0, 3),
            ),
            Case(
                "of four predictions that are 1, 2, 3 and 0 off",
                lambda: (tk.tensor([[2.0], [1.0], [6.0], [9.0]]), tk.tensor([1.0, 3.0, 9.0, 9.0])),
                (3.5, 1),
            ),
            Case("of one prediction, 2 off", lambda: (tk.tensor([[1.0]]), tk.tensor([3.0])), (4.0, 0)),
            slips=(
                Slip(
                    SQUARE,
                    "predictions that are all right still get an error: each is compared with **all** targets, in "
                    "both lines. Bring the two to the same size first.",
                    behaves=(
                        lambda p, y: _marks(p - y, p == y),
                        lambda p, y: _marks(p - y.unsqueeze(0), p == y.unsqueeze(0)),
                    ),
                ),
                Slip(
                    SQUARE,
                    "the error is repaired. `==` broadcasts as well: each prediction is still compared with every "
                    "target there, and too many are right.",
                    behaves=lambda p, y: _marks(p.squeeze(1) - y, p == y),
                ),
                Slip(
                    SQUARE,
                    "the second line is repaired. `prediction - target` is still a square of differences.",
                    behaves=lambda p, y: _marks(p - y, p.squeeze(1) == y),
                ),
                Slip(
                    "",
                    "differences of 1 and -1 cancel out there. Square them before you take the mean.",
                    behaves=lambda p, y: ((p.squeeze(1) - y).mean().item(), (p.squeeze(1) == y).sum().item()),
                ),
                Slip(
                    "",
                    "the second number should be how many are right, not their share.",
                    behaves=lambda p, y: (
                        ((p.squeeze(1) - y) ** 2).mean().item(),
                        (p.squeeze(1) == y).float().mean().item(),
                    ),
                ),
            ),
        ),
        (
            "Before you subtract or compare, look at the sizes. What are they?",
            "`squeeze(1)` takes the 1 of (N, 1) away; `unsqueeze(1)` adds one at the end of (N,).",
            "A first line `prediction = prediction.squeeze(1)` repairs both of the others.",
        ),
        "def marks(prediction, target):\n"
        "    prediction = prediction.squeeze(1)\n"
        "    return ((prediction - target) ** 2).mean().item(), (prediction == target).sum().item()",
        stage="free",
        right=(
            lambda tk, t: lambda p, y: _marks(p.squeeze(1) - y, p.squeeze(1) == y),
            lambda tk, t: lambda p, y: _marks(p - y.unsqueeze(1), p == y[:, None]),
            lambda tk, t: (
                lambda p, y: (float(((p[:, 0] - y) ** 2).sum() / len(y)), int((p[:, 0] == y).sum()))
            ),
        ),
        wrong=(
            (lambda tk, t: lambda p, y: _marks(p - y, p == y), SQUARE),
            (lambda tk, t: lambda p, y: _marks(p.squeeze(1) - y, p == y), SQUARE),
            (lambda tk, t: lambda p, y: _marks(p - y, p.squeeze(1) == y), SQUARE),
            (lambda tk, t: lambda p, y: (0.0, len(y)) if p == y else (1.0, 0), TRUTH),
            (lambda tk, t: lambda p, y: (1.0, 1), ""),
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
        "Four towns are on one road, at the kilometres `x = tk.tensor([0.0, 3.0, 4.0, 10.0])`. Make `far`, size "
        "(4, 4): `far[i, j]` is how far it is from town `i` to town `j`. Do not use a loop.",
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
                    "there are negative distances: it should not matter which way you go.",
                    when=lambda answer, mine, base: mine is not None and min(mine.values) < 0,
                ),
                Slip(
                    "",
                    "`clamp` turns every negative gap into 0; a distance is the same both ways.",
                    when=lambda answer, mine, base: mine is not None and mine.values[1:2] == (0,),
                ),
            ),
        ),
        (
            "Every town has to meet every town: what size must one of the two have for that?",
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
