"""The questions of lesson 09, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

AWAY = "an index takes its dimension away"


COPIES = "fancy indexing copies"


PAIRS = "two lists are pairs"


EACH = "a list names each one"


POSITION = "a seed is a position"


ZERO = "counting from zero"


CAST = "a cast drops the fraction"


SQUEEZE = "squeeze eats the batch dimension"


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


def _printed(tk: Any) -> str:
    rows = []
    for _ in range(3):
        tk.manual_seed(12)
        rows.append(tuple(tk.rand(4).tolist()))
    different = {number for row in rows for number in row}
    return "Four numbers, three times" if len(set(rows)) == 1 and len(different) == 4 else "?"


def _changed(tk: Any, act: Any) -> tuple[int, ...]:
    """The numbers of the elements that are no longer what they were."""
    t = _twelve(tk)
    act(t)
    return tuple(number for number, now in enumerate(t.reshape(-1).tolist()) if now != number)


def _slice_and_list(t: Any) -> None:
    a, b = t[0:3:2], t[[0, 2]]
    a[0, 0] = 50.0
    b[0, 1] = 60.0


def _chain_and_pair(t: Any) -> None:
    t[[0, 1]][0] = 50.0
    t[[2, 1], 0] = 60.0


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "recording",
                "The last batch of the day holds a single recording: size (1, 16000, 1). What size is "
                "`batch.squeeze()`?",
                (16000,),
                "`squeeze()` drops every dimension of size 1, and here the batch is one of them. `squeeze(2)` would "
                "have kept it. (Lesson 04)",
                slips=(
                    Slip(
                        SQUEEZE,
                        "`squeeze()` cannot know that the first 1 is a batch. It drops that one as well.",
                        given=(1, 16000),
                    ),
                    Slip(SQUEEZE, "It drops the last 1 as well as the first.", given=(16000, 1)),
                    Slip(SQUEEZE, "Both dimensions of size 1 are dropped.", given=(1, 16000, 1)),
                ),
                proof=lambda tk: tuple(tk.zeros(1, 16000, 1).squeeze().size()),
            ),
            Question(
                "in_the_loop",
                "A loop runs three times. Each time it calls `tk.manual_seed(12)` and then prints `tk.rand(4)`. What "
                "do you see?",
                "Four numbers, three times",
                "Each time the seed puts the reading position back to the beginning, so the same four numbers are read "
                "three times. Set the seed once, before the loop. (Lesson 08)",
                options=("Four numbers, three times", "One number, twelve times", "Twelve different numbers"),
                slips=(
                    Slip(
                        POSITION,
                        "That would be so with the seed before the loop. In the loop it goes back each time.",
                        given="Twelve different numbers",
                    ),
                    Slip(
                        POSITION,
                        "A seed is not drawn before each number. From its position on, four numbers are read.",
                        given="One number, twelve times",
                    ),
                ),
                proof=_printed,
            ),
            Question(
                "frost",
                "`frost = tk.tensor([-3.8, -0.6, 2.9])` are temperatures, and a display shows `frost.int()`. Which "
                "three numbers does it show?",
                (-3, 0, 2),
                "What is after the point is dropped, whatever the sign. `frost.round().int()` would show -4, -1 and 3. "
                "(Lesson 07)",
                slips=(
                    Slip(CAST, "That would be rounding. A cast drops the fraction.", given=(-4, -1, 3)),
                    Slip(CAST, "That is `floor`, always down. A cast goes towards 0.", given=(-4, -1, 2)),
                    Slip(CAST, "That is `ceil`, always up. A cast goes towards 0.", given=(-3, 0, 3)),
                    Slip(CAST, "The sign stays: -3.8 loses only what is after the point.", given=(3, 0, 2)),
                ),
                proof=lambda tk: tuple(tk.tensor([-3.8, -0.6, 2.9]).int().tolist()),
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "number_or_slice",
        "`x` has the size (3, 4). What size does `x[-1]`, its last row, have?",
        (4,),
        "A whole number takes its dimension away. `x[-1:]` would keep it, one long: (1, 4).",
        slips=(
            Slip(AWAY, "That is the size of `x[-1:]`, a slice of length 1.", given=(1, 4)),
            Slip(AWAY, "That would be a column.", given=(3,)),
            Slip(AWAY, "That would be a column.", given=(3, 1)),
            Slip(AWAY, "Dimension 0 is indexed by a number, and disappears.", given=(3, 4)),
            Slip(AWAY, "A row has four elements; only dimension 0 disappears.", given=()),
            Slip(AWAY, "`x[-1]` is the last row alone. All rows but one would be `x[:-1]`.", given=(2, 4)),
        ),
        proof=lambda tk: tuple(_twelve(tk)[-1].size()),
    ),
    Question(
        "step",
        "`t = tk.arange(12.0).view(3, 4)`. A third number in a range is its step. Which elements does `t[0:3:2]` keep? "
        "Press them, or type their numbers.",
        (0, 1, 2, 3, 8, 9, 10, 11),
        "Rows 0 and 2: the start is included, the end is not, and every second row is taken.",
        slips=(
            Slip(ZERO, "The step of 2 leaves out row 1.", given=tuple(range(12))),
            Slip(ZERO, "Row 0 counts as well.", given=(8, 9, 10, 11)),
            Slip(ZERO, "Row 2 counts as well: it comes before the end, which is 3.", given=(0, 1, 2, 3)),
            Slip(ZERO, "The range starts at 0, and the first row is row 0.", given=(4, 5, 6, 7)),
            Slip(
                "rows come before columns",
                "The first entry is for dimension 0, the rows.",
                given=(0, 2, 4, 6, 8, 10),
            ),
            Slip(ZERO, "The third number is a step, not a column.", given=(2, 6, 10)),
        ),
        proof=lambda tk: tuple(int(number) for row in _twelve(tk)[0:3:2].tolist() for number in row),
        picture=_twelve,
        pick="cells",
    ),
    Question(
        "list_size",
        "What size is `t[1:, [0, 2, 2]]`, if `t` has the size (3, 4)?",
        (2, 3),
        "There are two rows, and from each the list takes columns 0, 2 and 2: a list may name a column twice.",
        slips=(
            Slip(EACH, "A list takes a column as often as it names it.", given=(2, 2)),
            Slip(ZERO, "`1:` leaves out row 0.", given=(3, 3)),
            Slip(ZERO, "`1:` starts at row 1 and leaves out row 0 only.", given=(1, 3)),
            Slip(PAIRS, "There is only one list here, and a slice.", given=(3,)),
            Slip("rows come before columns", "The rows come first: two rows, three columns.", given=(3, 2)),
            Slip(EACH, "The list chooses three columns from each row.", given=(2, 4)),
        ),
        proof=lambda tk: tuple(_twelve(tk)[1:, [0, 2, 2]].size()),
    ),
    Question(
        "view_or_copy",
        "`t = tk.arange(12.0).view(3, 4)`. Both `a = t[0:3:2]` and `b = t[[0, 2]]` hold rows 0 and 2. Then you write "
        "`a[0, 0] = 50.0` and `b[0, 1] = 60.0`. Which elements of `t` have changed? Press them.",
        (0,),
        "`a` is a view, so its write arrives in `t`. `b` is a copy: the 60 is in the storage of `b` alone.",
        slips=(
            Slip(COPIES, "A list between the brackets makes a copy, so `t` never sees the 60.", given=(0, 1)),
            Slip(
                COPIES,
                "It is the other way round: the slice makes a view, and the list makes a copy.",
                given=(1,),
            ),
            Slip(ZERO, "Index 0 is the first row, and the first column.", given=(5,)),
        ),
        proof=lambda tk: _changed(tk, _slice_and_list),
        picture=_twelve,
        pick="cells",
    ),
    Question(
        "pairs",
        "Here are **two** lists, one for each dimension. Which elements does `t[[0, 1], [1, 2]]` choose? Press "
        "them, or "
        "type their numbers.",
        (1, 6),
        "Two lists walk together, like `zip`: they choose `t[0, 1]` and `t[1, 2]`.",
        slips=(
            Slip(
                PAIRS,
                "That is the block where the rows meet the columns. Two lists choose pairs.",
                given=(1, 2, 5, 6),
            ),
            Slip(
                PAIRS,
                "Each list is for one dimension: it does not name a place by itself.",
                given=(1, 2, 5, 6, 10),
            ),
            Slip(PAIRS, "`[0, 1]` is the list of rows, not one element.", given=(1,)),
            Slip(PAIRS, "Row 0 is paired with column 1, and row 1 with column 2.", given=(2, 5)),
            Slip(
                "rows come before columns",
                "The first list names the rows, the second the columns.",
                given=(4, 9),
            ),
        ),
        proof=lambda tk: tuple(int(number) for number in _twelve(tk)[[0, 1], [1, 2]].tolist()),
        picture=_twelve,
        pick="cells",
    ),
    Question(
        "mask_size",
        "`t = tk.arange(12.0).view(3, 4)`. What size is `t[t > 3]`?",
        (8,),
        "Eight elements are greater than 3. They need not form a rectangle, so they come in one row.",
        slips=(
            Slip("True counts as 1", "3 itself is not greater than 3.", given=(9,)),
            Slip("True counts as 1", "Only the elements where the mask is True are left.", given=(3, 4)),
            Slip(
                "True counts as 1",
                "They happen to be two full rows, but a mask does not know that.",
                given=(2, 4),
            ),
            Slip("True counts as 1", "The mask chooses elements, not rows.", given=(3,)),
        ),
        proof=lambda tk: tuple(_twelve(tk)[_twelve(tk) > 3].size()),
    ),
    Question(
        "lost",
        "`u = tk.arange(12.0).view(3, 4)`. You run two lines: `u[[0, 1]][0] = 50.0`, with two pairs of brackets, and "
        "then `u[[2, 1], 0] = 60.0`, with one. Which elements of `u` have changed afterwards? Press them.",
        (4, 8),
        "The first line makes a copy and writes the 50 into it; the copy is thrown away at once. The second line "
        "writes straight into `u[2, 0]` and `u[1, 0]`.",
        slips=(
            Slip(
                COPIES,
                "The first pair of brackets makes a copy, and the 50 is written into row 0 *of that copy*.",
                given=(0, 1, 2, 3, 4, 8),
            ),
            Slip(
                COPIES,
                "It is the other way round: two pairs of brackets write into a copy, one pair into `u`.",
                given=(0, 1, 2, 3),
            ),
            Slip(
                COPIES,
                "`u[[0, 1]] = 50.0` would do that. Here a second pair of brackets follows, on a copy.",
                given=(0, 1, 2, 3, 4, 5, 6, 7, 8),
            ),
            Slip(AWAY, "The second line writes into column 0 only.", given=(4, 5, 6, 7, 8, 9, 10, 11)),
            Slip(PAIRS, "A number beside a list goes with every entry of the list.", given=(8,)),
            Slip(PAIRS, "The list names rows 2 and 1; the 0 is the column.", given=(0, 4, 8)),
        ),
        proof=lambda tk: _changed(tk, _chain_and_pair),
        picture=_twelve,
        pick="cells",
    ),
)
