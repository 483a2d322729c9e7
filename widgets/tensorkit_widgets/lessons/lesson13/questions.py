"""The questions of lesson 13, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

__all__ = ["QUESTIONS", "QUIZZES"]

PLUS = "x += y vs x = x + y"


COPY = "a copy is not a view"


ALIAS = "a slice aliases its base"


EXPANDED = "in-place on an expanded tensor"


def _numbers(t: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in t.reshape(-1).tolist())


def _chained(tk: Any) -> str:
    t = tk.arange(12.0).view(3, 4)
    t[[0, 1]][0] = 5.0
    return "Nothing: the 5 is lost in a copy" if t[0, 0].item() == 0.0 else "Row 0 of `t` becomes fives"


def _cast(tk: Any) -> str:
    x = tk.zeros(2)
    x.to(tk.float64)
    return f"`{str(x.dtype).rpartition('.')[2]}`"


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


def _function(tk: Any) -> tuple[int, ...]:
    def raised(v: Any) -> Any:
        v += 10
        return v

    t = tk.ones(3)
    raised(t)
    return _numbers(t)


def _expanded(tk: Any) -> str:
    e = tk.arange(3.0).expand(4, 3)
    try:
        e.add_(1)
    except RuntimeError:
        return "An error"
    return "Each slot grows by 4"


def _one_element(tk: Any) -> int:
    e = tk.arange(3.0).expand(4, 3)
    e[0, 0] = 7
    return int((e == 7).sum().item())


def _out(tk: Any) -> str:
    c = tk.zeros(2)
    d = tk.add(tk.ones(2), 1, out=c)
    return "`d` is `c`, and holds twos" if d is c and _numbers(c) == (2, 2) else "`c` still holds zeros"


def _sliced(tk: Any) -> int:
    t = tk.zeros(3, 4)
    row = t[1]
    row[0] = 9.0
    return int(t[1, 0].item())


WRITING = (
    Question(
        "assign",
        "`a = tk.ones(2, 2)`, then `b = a`, then `a[0][1] = 561`. Which four numbers does `b` hold, row by row?",
        (1, 561, 1, 1),
        "`b = a` makes no tensor. It ties a second name to the one that is there.",
        slips=(
            Slip(COPY, "`=` copies nothing: there is one tensor with two names.", given=(1, 1, 1, 1)),
            Slip("counting from zero", "Row 0, column 1: the second number.", given=(561, 1, 1, 1)),
        ),
        proof=_assigned,
    ),
    Question(
        "returns",
        "`t1.add_(t2)` writes into `t1`. What does it *return*?",
        "`t1` itself",
        "So that one may go on with it: `t1.add_(t2).mul_(2)`. It is the same object, and not a copy of it.",
        options=("`None`, as `list.sort` does", "a new tensor with the sum", "`t1` itself"),
        slips=(
            Slip(
                PLUS,
                "That is what `t1.add(t2)` does, without the underscore.",
                given="a new tensor with the sum",
            ),
            Slip(
                PLUS, "Python's lists do so; tensors return themselves.", given="`None`, as `list.sort` does"
            ),
        ),
        proof=_returned,
    ),
    Question(
        "plus_equals",
        "`x = tk.ones(3)`, then `y = x`, then `x += 1`. Which three numbers does `y` hold?",
        (2, 2, 2),
        "`x += 1` is `x.add_(1)`: it writes into the storage that both names lead to.",
        slips=(Slip(PLUS, "That would be so after `x = x + 1`.", given=(1, 1, 1)),),
        proof=_plus_equals,
    ),
    Question(
        "plus",
        "Once more `x = tk.ones(3)` and `y = x`, but now `x = x + 1`. Which three numbers does `y` hold?",
        (1, 1, 1),
        "`x + 1` makes a new tensor, and the name `x` moves over to it. `y` stays with the old one.",
        slips=(Slip(PLUS, "That would be so after `x += 1`.", given=(2, 2, 2)),),
        proof=_plus,
    ),
    Question(
        "function",
        "A function does `v += 10` with its argument and returns `v`. We call it with `t = tk.ones(3)`, and do not "
        "keep what it returns. Which three numbers does `t` hold?",
        (11, 11, 11),
        "Inside, `v` is one more name for the same tensor, and `+=` writes.",
        slips=(Slip(PLUS, "`v` is no copy: an argument is a name like any other.", given=(1, 1, 1)),),
        proof=_function,
    ),
)


COPYING = (
    Question(
        "out",
        "`c = tk.zeros(2)`, then `d = tk.add(tk.ones(2), 1, out=c)`. What are `c` and `d`?",
        "`d` is `c`, and holds twos",
        "With `out=` the result goes into a tensor that is there, and that tensor is returned.",
        options=("`c` still holds zeros", "`d` is `c`, and holds twos", "Two tensors that both hold twos"),
        slips=(
            Slip(PLUS, "Then `out=` would have done nothing.", given="`c` still holds zeros"),
            Slip(
                "equal is not shared", "Equal, and more than that.", given="Two tensors that both hold twos"
            ),
        ),
        proof=_out,
    ),
    Question(
        "one_element",
        "`e = tk.arange(3.0).expand(4, 3)`: three slots, shown in four rows. After `e[0, 0] = 7`, how many "
        "sevens does `e` show?",
        4,
        "One slot was written, and four elements read it.",
        slips=(
            Slip(EXPANDED, "One *slot* is written; look at how many rows read it.", given=1),
            Slip(EXPANDED, "The other columns read other slots.", given=12),
        ),
        proof=_one_element,
    ),
    Question(
        "expanded",
        "And `e.add_(1)`, which adds 1 to each of the twelve elements of `e`?",
        "An error",
        "Should a slot that four elements read grow by 1 or by 4? There is no right answer, so it is refused.",
        options=("Each slot grows by 1", "Each slot grows by 4", "An error"),
        slips=(
            Slip(
                EXPANDED, "That is three additions where twelve were asked for.", given="Each slot grows by 1"
            ),
            Slip(
                EXPANDED, "That is what a loop would do. It is refused instead.", given="Each slot grows by 4"
            ),
        ),
        proof=_expanded,
    ),
)


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "slice",
                "`t = tk.zeros(3, 4)`, then `row = t[1]`, then `row[0] = 9.0`. What is `t[1, 0]`?",
                9,
                "A slice is a new tensor object on the old storage: what one writes, the other reads. (Lesson 02)",
                slips=(
                    Slip(
                        ALIAS, "`row` has no numbers of its own that could have been changed alone.", given=0
                    ),
                ),
                proof=_sliced,
            ),
            Question(
                "chained",
                "`t = tk.arange(12.0).view(3, 4)`, then `t[[0, 1]][0] = 5.0`. What happens to `t`?",
                "Nothing: the 5 is lost in a copy",
                "A list between brackets makes a copy, and the second brackets write into that copy. (Lesson 06)",
                options=(
                    "Row 0 of `t` becomes fives",
                    "Rows 0 and 1 become fives",
                    "Nothing: the 5 is lost in a copy",
                ),
                slips=(
                    Slip(
                        "fancy indexing copies",
                        "With a slice it would; a list copies.",
                        given="Row 0 of `t` becomes fives",
                    ),
                    Slip(
                        "fancy indexing copies", "`t[[0, 1]]` is a copy.", given="Rows 0 and 1 become fives"
                    ),
                ),
                proof=_chained,
            ),
            Question(
                "to",
                "`x = tk.zeros(2)`, then `x.to(tk.float64)` on a line of its own. Which dtype has `x` now?",
                "`float32`",
                "`.to()` gives another tensor, and nobody kept it. (Lesson 04)",
                options=("`float32`", "`float64`"),
                slips=(
                    Slip(
                        "`.to()` returns",
                        "That is the dtype of what was returned, and dropped.",
                        given="`float64`",
                    ),
                ),
                proof=_cast,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    *WRITING,
    *COPYING,
)
