"""The exercises of lesson 09, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.checking.checks import tensor_check, tuple_check
from tensorkit_widgets.practice.facts import Facts, Slip
from tensorkit_widgets.practice.kinds import Puzzle, Stray, Task

__all__ = ["PUZZLES", "TASKS"]

AWAY = "an index takes its dimension away"


COPIES = "fancy indexing copies"


PAIRS = "two lists are pairs"


ALIAS = "a slice aliases its base"


ZERO = "counting from zero"


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


def _negatives(tk: Any) -> Any:
    return tk.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]])


def _values(mine: Facts | None) -> tuple[float, ...]:
    return () if mine is None else tuple(float(v) for v in mine.values)


def _is(*numbers: float) -> Any:
    """Whether the answer holds these numbers, in reading order."""
    return lambda answer, mine, base: _values(mine) == tuple(map(float, numbers))


def _wrote(t: Any, act: Any) -> Any:
    act()
    return t


TASKS = (
    Task(
        "size_of",
        "Which size is left?",
        "`t = tk.ones(5, 3, 4)`.\n\n"
        "Worked: in `t[1:3, 0]` the slice keeps dimension 0, two long; the whole number 0 takes dimension 1 away; "
        "dimension 2 is not named and stays. That is **(2, 4)**.\n\n"
        "Your turn: which size has `t[2, :, 1:]`?",
        tuple_check(
            3,
            3,
            slips=(
                Slip(
                    AWAY, "The 2 is a whole number, not a slice: it takes dimension 0 away.", given=(1, 3, 3)
                ),
                Slip(AWAY, "The 2 says which one, not how many.", given=(2, 3, 3)),
                Slip(ZERO, "`1:` leaves out number 0 only: 1, 2 and 3 are left.", given=(3, 2)),
                Slip(ZERO, "`1:` leaves out number 0.", given=(3, 4)),
            ),
        ),
        (
            "Go through the three dimensions one by one: number, slice, slice.",
            "Dimension 0 goes, dimension 1 stays as it is.",
            "Dimension 2 has 4, and `1:` leaves out the first: 3.",
        ),
        "(3, 3)",
        stage="worked",
        entry="(2, 4)",
        right=(lambda tk, t: (3, 3), lambda tk, t: "3, 3", lambda tk, t: tk.ones(5, 3, 4)[2, :, 1:].size()),
        wrong=(
            (lambda tk, t: (1, 3, 3), AWAY),
            (lambda tk, t: (2, 3, 3), AWAY),
            (lambda tk, t: (3, 4), ZERO),
            (lambda tk, t: (4, 4), ""),
        ),
    ),
    Task(
        "last_two",
        "The last two of each row",
        "`t = tk.arange(12.0).view(3, 4)`. Fill the gap so that `u` holds the last two numbers of each row, as a "
        "**view**, whatever the length of the rows:\n\n"
        "    u = t[:, ___]",
        tensor_check(
            size=(3, 2),
            stride=(4, 1),
            offset=2,
            shares=True,
            slips=(
                Slip(
                    COPIES,
                    "the right numbers, but a list copies them. A slice can say the same.",
                    behaves=lambda t: t[:, [2, 3]],
                ),
                Slip(
                    AWAY,
                    "a whole number takes one number of each row, and the dimension away.",
                    behaves=(lambda t: t[:, -2], lambda t: t[:, -1], lambda t: t[:, 2]),
                ),
                Slip(
                    ZERO,
                    "the end of a slice is left out: `-2:-1` stops before the last one.",
                    behaves=lambda t: t[:, -2:-1],
                ),
                Slip(ZERO, "that is the last one alone; asked are two.", behaves=lambda t: t[:, -1:]),
                Slip(ZERO, "those are the first two.", behaves=lambda t: t[:, :2]),
                Slip(
                    "rows come before columns",
                    "those are the last two **rows**: the first part is for rows.",
                    behaves=lambda t: t[-2:],
                ),
            ),
        ),
        (
            "Negative numbers count from the end: the last one is -1, the one before is -2.",
            "A slice without an end goes to the end.",
            "`-2:`",
        ),
        "u = t[:, -2:]",
        stage="faded",
        base=_twelve,
        right=(
            lambda tk, t: t[:, -2:],
            lambda tk, t: t[..., 2:4],
            lambda tk, t: t.narrow(1, 2, 2),
        ),
        wrong=(
            (lambda tk, t: t[:, [2, 3]], COPIES),
            (lambda tk, t: t[:, -2], AWAY),
            (lambda tk, t: t[:, -2:-1], ZERO),
            (lambda tk, t: t[:, -1:], ZERO),
            (lambda tk, t: t[-2:], "rows come before columns"),
            (lambda tk, t: t[:, 1:3], ""),
        ),
    ),
    Task(
        "keep_the_batch",
        "One image, still a batch",
        "`t = tk.arange(12.0).view(3, 4)` stands for a batch of three. A model wants a batch, so take the **second** "
        "entry as a batch of one: size (1, 4), a view.\n\n"
        "    one = t[___]",
        tensor_check(
            size=(1, 4),
            stride=(4, 1),
            offset=4,
            shares=True,
            slips=(
                Slip(AWAY, "`t[1]` takes dimension 0 away. A slice of length 1 keeps it.", size=(4,)),
                Slip(COPIES, "`t[[1]]` has the right size, but it is a copy.", behaves=lambda t: t[[1]]),
                Slip(ZERO, "that is the third; the second has the number 1.", offset=8, size=(1, 4)),
                Slip(ZERO, "that is the first; the second has the number 1.", offset=0, size=(1, 4)),
            ),
        ),
        (
            "A whole number takes its dimension away. What keeps it?",
            "A slice that is one long: from 1 up to, and without, 2.",
            "`t[1:2]`; `t[1][None]` does it in two steps.",
        ),
        "one = t[1:2]",
        stage="faded",
        base=_twelve,
        right=(
            lambda tk, t: t[1:2],
            lambda tk, t: t[1][None],
            lambda tk, t: t[None, 1],
            lambda tk, t: t.narrow(0, 1, 1),
        ),
        wrong=(
            (lambda tk, t: t[1], AWAY),
            (lambda tk, t: t[[1]], COPIES),
            (lambda tk, t: t[2:3], ZERO),
            (lambda tk, t: t[:1], ZERO),
            (lambda tk, t: t[1:], ""),
        ),
    ),
    Task(
        "corners",
        "A block, not pairs",
        "From `t = tk.arange(12.0).view(3, 4)` take the numbers where the rows 0 and 2 meet the columns 0 and 3: the "
        "four corners, size (2, 2).\n\n"
        "    c = ___",
        tensor_check(
            size=(2, 2),
            values=[[0.0, 3.0], [8.0, 11.0]],
            slips=(
                Slip(
                    PAIRS,
                    "two lists walk together: that is only [0, 0] and [2, 3].",
                    behaves=lambda t: t[[0, 2], [0, 3]],
                ),
                Slip(
                    "",
                    "the right four numbers, in another order.",
                    when=lambda a, mine, b: sorted(_values(mine)) == [0, 3, 8, 11],
                ),
            ),
        ),
        (
            "`t[[0, 2], [0, 3]]` chooses pairs. Choose rows first, and columns after.",
            "`t[[0, 2]]` has the two rows; then all rows and two columns of that.",
            "`t[[0, 2]][:, [0, 3]]`; since both are evenly spaced, `t[::2, ::3]` does it as well.",
        ),
        "c = t[[0, 2]][:, [0, 3]]",
        stage="free",
        base=_twelve,
        right=(
            lambda tk, t: t[[0, 2]][:, [0, 3]],
            lambda tk, t: t[::2, ::3],
            lambda tk, t: t[tk.tensor([[0], [2]]), tk.tensor([0, 3])],
        ),
        wrong=(
            (lambda tk, t: t[[0, 2], [0, 3]], PAIRS),
            (lambda tk, t: t[::2], ""),
            (lambda tk, t: t[::2, ::3].t(), ""),
        ),
    ),
    Task(
        "no_negatives",
        "Zero instead of negative",
        "`t` holds numbers above and below zero. Make every negative number 0, **in `t` itself**, "
        "and give `t` back. No loop.",
        tensor_check(
            size=(2, 3),
            values=[[1.0, 0.0, 3.0], [0.0, 5.0, 0.0]],
            shares=True,
            slips=(
                Slip(
                    COPIES,
                    "right numbers in a new tensor; `t` itself was to change.",
                    behaves=lambda t: t.clamp(min=0),
                ),
                Slip(
                    COPIES,
                    "nothing has changed. `t[t < 0]` on the left of `=` is written into; `t[t < 0].zero_()` writes "
                    "into a copy that nobody keeps.",
                    when=_is(1, -2, 3, -4, 5, -6),
                ),
            ),
        ),
        (
            "`t < 0` is a mask: True where a number is negative.",
            "A mask between brackets on the left of an `=` says where to write.",
            "`t[t < 0] = 0`",
        ),
        "t[t < 0] = 0\nt",
        stage="free",
        base=_negatives,
        right=(
            lambda tk, t: _wrote(t, lambda: t.__setitem__(t < 0, 0)),
            lambda tk, t: t.clamp_(min=0),
            lambda tk, t: t.masked_fill_(t < 0, 0.0),
        ),
        wrong=(
            (lambda tk, t: _wrote(t, lambda: t[t < 0].zero_()), COPIES),
            (lambda tk, t: t.clamp(min=0), COPIES),
            (lambda tk, t: t[t < 0], ""),
        ),
    ),
    Task(
        "own_row",
        "A row that nobody else writes",
        "Give row 0 of `t` as a tensor of size (4,) that keeps its numbers whatever happens to `t` later.\n\n"
        "    row = ___",
        tensor_check(
            size=(4,),
            values=[0.0, 1.0, 2.0, 3.0],
            shares=False,
            slips=(
                Slip(
                    ALIAS,
                    "that is a view of `t`: a later write to `t` changes it too.",
                    behaves=lambda t: t[0],
                ),
                Slip(AWAY, "the size is (1, 4): a list keeps the dimension.", behaves=lambda t: t[[0]]),
                Slip(AWAY, "the size is (1, 4): a slice keeps the dimension.", size=(1, 4)),
                Slip(
                    ZERO,
                    "that is row 1; the first has the number 0.",
                    behaves=(lambda t: t[1], lambda t: t[1].clone()),
                ),
            ),
        ),
        (
            "`t[0]` reads the storage of `t`. You need numbers of your own.",
            "What makes a copy? A method does, and so does a list between brackets.",
            "`t[0].clone()`",
        ),
        "row = t[0].clone()",
        stage="free",
        base=_twelve,
        right=(
            lambda tk, t: t[0].clone(),
            lambda tk, t: t[[0]][0],
            lambda tk, t: t.clone()[0],
            lambda tk, t: tk.tensor(t[0].tolist()),
        ),
        wrong=(
            (lambda tk, t: t[0], ALIAS),
            (lambda tk, t: t[0, :], ALIAS),
            (lambda tk, t: t[[0]], AWAY),
            (lambda tk, t: t[1].clone(), ZERO),
            (lambda tk, t: tk.zeros(4), ""),
        ),
    ),
)


def _start(tk: Any) -> dict[str, Any]:
    return {"t": _twelve(tk)}


_SWAP = """keep = t[0].clone()
t[0] = t[2]
t[2] = keep"""


PUZZLES = (
    Puzzle(
        "swap_rows",
        "Two rows change places",
        "Make the first and the last row of `t`, size (3, 4), change places, in `t` itself.",
        _SWAP,
        "t",
        tensor_check(
            size=(3, 4),
            values=[[8.0, 9.0, 10.0, 11.0], [4.0, 5.0, 6.0, 7.0], [0.0, 1.0, 2.0, 3.0]],
            slips=(
                Slip(
                    ALIAS,
                    "row 0 is lost. `t[0]` is a view: when row 0 is overwritten, what it shows is overwritten too.",
                    when=_is(8, 9, 10, 11, 4, 5, 6, 7, 8, 9, 10, 11),
                ),
            ),
        ),
        (
            "Before row 0 is overwritten, its numbers have to be kept somewhere.",
            "A slice keeps nothing: it is a view. What makes a copy?",
            "First the copy, then row 0, then row 2.",
        ),
        strays=(
            Stray("keep = t[0]", ALIAS, "`t[0]` is a view on the very numbers that are overwritten next."),
            Stray("keep = t[[0]][0]"),
            Stray("t[[0, 2]] = t[[2, 0]]"),
        ),
        base="t",
        setup=_start,
        right=(_SWAP, _SWAP.replace("t[0].clone()", "t[[0]][0]"), "t[[0, 2]] = t[[2, 0]]"),
        wrong=(
            (_SWAP.replace("t[0].clone()", "t[0]"), ALIAS),
            ("t[0] = t[2]\nkeep = t[0].clone()\nt[2] = keep", ALIAS),
            ("keep = t[0].clone()", ""),
        ),
    ),
)
