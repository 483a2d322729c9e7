"""The questions of lesson 13, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

PLUS = "x += y vs x = x + y"


COPY = "a copy is not a view"


ALIAS = "a slice aliases its base"


ZERO = "counting from zero"


EXPANDED = "in-place on an expanded tensor"


CASTS = "`.to()` returns"


FANCY = "fancy indexing copies"


def _numbers(t: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in t.reshape(-1).tolist())


def _red(tk: Any) -> int:
    photo = tk.zeros(75, 64, 3)
    red = photo[:, :, 0]
    red[0, 0] = 9.0
    return int(photo[0, 0, 0].item())


def _weekend(tk: Any) -> int:
    days = tk.arange(7.0)
    weekend = days[[5, 6]]
    weekend[0] = 50.0
    return int(days[5].item())


def _ages(tk: Any) -> str:
    ages = tk.tensor([39, 47])
    ages.float()
    try:
        ages.mean()
    except RuntimeError:
        return "An error: `ages` still holds integers"
    return "43, as a float"


def _assigned(tk: Any) -> tuple[int, ...]:
    a = tk.ones(2, 2)
    b = a
    a[0][1] = 561
    return _numbers(b)


def _returned(tk: Any) -> str:
    t1, t2 = tk.tensor([1, 2]), tk.tensor([1, 1])
    return "`t1` itself" if t1.add_(t2) is t1 else "a new tensor with the sum"


def _plus_equals(tk: Any) -> tuple[int, ...]:
    x = tk.ones(3)
    y = x
    x += 1
    return _numbers(y)


def _plus(tk: Any) -> tuple[int, ...]:
    x = tk.ones(3)
    y = x
    x = x + 1
    return _numbers(y)


def _eight(tk: Any) -> Any:
    return tk.arange(8.0).view(2, 4)


def _function(tk: Any) -> tuple[int, ...]:
    def raised(v: Any) -> Any:
        v += 10
        return v

    t = _eight(tk)
    raised(t[:, ::2])
    return tuple(now for now, before in zip(_numbers(t), range(8), strict=True) if now == before)


def _six(tk: Any) -> Any:
    return tk.arange(6.0).view(2, 3)


def _out(tk: Any) -> tuple[int, ...]:
    c = _six(tk)
    tk.add(c[0], 10, out=c[1])
    return tuple(now for now, before in zip(_numbers(c), range(6), strict=True) if now == before)


SEVENS = "All four rows show the 7; then there is an error"


def _expanded(tk: Any) -> str:
    e = tk.arange(3.0).expand(4, 3)
    e[0, 0] = 7
    shown = e[:, 0].tolist()
    try:
        e.add_(1)
    except RuntimeError:
        return SEVENS if shown == [7.0] * 4 else ""
    return "All four rows show the 7; then each element grows by 1"


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "slice",
                "`photo = tk.zeros(75, 64, 3)` is all black. Then `red = photo[:, :, 0]`, and `red[0, 0] = 9.0`. "
                "What is `photo[0, 0, 0]` now?",
                9,
                "A slice is a new tensor object on the old storage: what you write through one, you read through the "
                "other. (Lesson 02)",
                slips=(
                    Slip(ALIAS, "`red` has no numbers of its own that you could change separately.", given=0),
                ),
                proof=_red,
            ),
            Question(
                "weekend",
                "`days = tk.arange(7.0)`, then `weekend = days[[5, 6]]`, then `weekend[0] = 50.0`. What is `days[5]` "
                "now?",
                5,
                "A list between the brackets makes a copy, so the 50 is written into the copy. (Lesson 09)",
                slips=(
                    Slip(FANCY, "That is what a slice, `days[5:]`, would give. A list copies.", given=50),
                    Slip(ZERO, "`days` holds 0 to 6: element 5 is a 5.", given=6),
                ),
                proof=_weekend,
            ),
            Question(
                "ages",
                "`ages = tk.tensor([39, 47])`. Then `ages.float()` on a line of its own, and on the next line "
                "`ages.mean()`. What do you get?",
                "An error: `ages` still holds integers",
                "A cast returns another tensor, and this program threw it away. (Lesson 07)",
                options=(
                    "43, as a float",
                    "43, as an integer",
                    "An error: `ages` still holds integers",
                ),
                slips=(
                    Slip(CASTS, "You would, after `ages = ages.float()`.", given="43, as a float"),
                    Slip(
                        "integer mean",
                        "The integers are still there, but integers have no mean.",
                        given="43, as an integer",
                    ),
                ),
                proof=_ages,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "assign",
        "`a = tk.ones(2, 2)`, then `b = a`, then `a[0][1] = 561`. Which four numbers does `b` hold, row by row?",
        (1, 561, 1, 1),
        "`b = a` makes no new tensor. It gives the old one a second name.",
        slips=(
            Slip(COPY, "`=` copies nothing: there is one tensor with two names.", given=(1, 1, 1, 1)),
            Slip(ZERO, "`a[0][1]` is row 0, column 1: the second number.", given=(561, 1, 1, 1)),
            Slip(ZERO, "`a[0]` is the first row, and `[1]` its second number.", given=(1, 1, 561, 1)),
        ),
        proof=_assigned,
    ),
    Question(
        "returns",
        "`t1.add_(t2)` writes into `t1`. What does it *return*?",
        "`t1` itself",
        "So calls can be chained: `t1.add_(t2).mul_(2)`. You get back the same object, not a copy of it.",
        options=("`None`, as `list.sort` does", "a new tensor with the sum", "`t1` itself"),
        slips=(
            Slip(
                PLUS,
                "That is what `t1.add(t2)` does, without the underscore.",
                given="a new tensor with the sum",
            ),
            Slip(
                PLUS,
                "Python's lists do that; tensors return themselves.",
                given="`None`, as `list.sort` does",
            ),
        ),
        proof=_returned,
    ),
    Question(
        "plus_equals",
        "`x = tk.ones(3)`, then `y = x`, then `x += 1`. Which three numbers does `y` hold?",
        (2, 2, 2),
        "`x += 1` is `x.add_(1)`: it writes into the storage that both names lead to.",
        slips=(Slip(PLUS, "That would be true after `x = x + 1`.", given=(1, 1, 1)),),
        proof=_plus_equals,
    ),
    Question(
        "plus",
        "You run `x = tk.ones(3)` and `y = x` again, but this time `x = x + 1`. Which three numbers does `y` hold?",
        (1, 1, 1),
        "`x + 1` makes a new tensor, and the name `x` moves over to it. `y` stays with the old one.",
        slips=(Slip(PLUS, "That would be true after `x += 1`.", given=(2, 2, 2)),),
        proof=_plus,
    ),
    Question(
        "function",
        "The function `raised(v)` does `v += 10` and returns `v`. We call `raised(t[:, ::2])` for the tensor `t = "
        "tk.arange(8.0).view(2, 4)`, shown here, and do not keep what it returns. Press every element of `t` that "
        "still has its old number.",
        (1, 3, 5, 7),
        "Inside the function, `v` is another name for the slice, the slice reads the storage of `t`, and `+=` writes.",
        slips=(
            Slip(
                PLUS,
                "`v` is not a copy: an argument is a name like any other, and `+=` writes.",
                given=(0, 1, 2, 3, 4, 5, 6, 7),
            ),
            Slip(PLUS, "Those are the ones that were written.", given=(0, 2, 4, 6)),
            Slip(
                "rows come before columns",
                "The first `:` takes all rows; `::2` takes every second column.",
                given=(4, 5, 6, 7),
            ),
        ),
        proof=_function,
        picture=_eight,
        pick="cells",
    ),
    Question(
        "out",
        "`c = tk.arange(6.0).view(2, 3)` is shown here. Then `d = tk.add(c[0], 10, out=c[1])`. Press every element of "
        "`c` that still has its old number.",
        (0, 1, 2),
        "`c[0]` is only read. With `out=` the result is written into existing memory: the second row.",
        slips=(
            Slip(
                PLUS,
                "Then `out=` would have done nothing. The result was put into the second row.",
                given=(0, 1, 2, 3, 4, 5),
            ),
            Slip(
                PLUS,
                "It is the other way round: `c[0]` is only read, and `c[1]` is written.",
                given=(3, 4, 5),
            ),
        ),
        proof=_out,
        picture=_six,
        pick="cells",
    ),
    Question(
        "expanded",
        "`e = tk.arange(3.0).expand(4, 3)` shows three slots in four rows. First you run `e[0, 0] = 7`, then "
        "`e.add_(1)`. What happens?",
        SEVENS,
        "`e[0, 0] = 7` writes to one slot, and four elements read it. Should `add_` make that slot grow by 1 or by 4? "
        "There is no right answer, so it is refused.",
        options=(
            "Only row 0 shows the 7; then each element grows by 1",
            "All four rows show the 7; then each element grows by 1",
            "All four rows show the 7; then each element grows by 4",
            SEVENS,
        ),
        slips=(
            Slip(
                EXPANDED,
                "Only one *slot* is written to, but four rows read it.",
                given="Only row 0 shows the 7; then each element grows by 1",
            ),
            Slip(
                EXPANDED,
                "The 7 is right. But there are only three slots, and you asked for twelve additions.",
                given="All four rows show the 7; then each element grows by 1",
            ),
            Slip(
                EXPANDED,
                "The 7 is right. A loop over the elements would do that, but `add_` refuses.",
                given="All four rows show the 7; then each element grows by 4",
            ),
        ),
        proof=_expanded,
    ),
)
