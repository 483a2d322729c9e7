"""The questions of lesson 14, with what proves them."""

from __future__ import annotations

import sys
import weakref
from typing import Any

from traitlets.config import Config

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

ALIAS = "a slice aliases its base"


COPY = "a copy is not a view"


ID = "id() as a storage test"


DETACH = "detach vs clone"


SAVED = "a saved slice saves the whole storage"


DEL = "del removes a name"


LIST = "getsizeof of a list"


GRAPH = "a loss keeps its graph"


ZERO = "counting from zero"


def _numbers(t: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in t.reshape(-1).tolist())


def _three_rows(tk: Any) -> int:
    rows = [tk.zeros(2)] * 3
    rows[0] += 1
    return sum(row.tolist() == [1.0, 1.0] for row in rows)


def _results(tk: Any) -> str:
    light, heavy = ([tk.zeros(n) for _ in range(10)] for n in (1, 1000))
    same = sys.getsizeof(light) == sys.getsizeof(heavy) == sys.getsizeof([None for _ in range(10)])
    return "Its ten pointers" if same else "?"


FIVE = "An error: `if` meets five answers"
SEVEN = "An error: `if` meets seven answers"
STOP = "It prints `stop` if one entry is True"


def _hot(tk: Any) -> str:
    answers = (tk.zeros(5, 7) > 1).any(dim=1)
    try:
        bool(answers)
    except RuntimeError:
        return {5: FIVE, 7: SEVEN}[answers.numel()]
    return STOP


def _id_of_a_view(tk: Any) -> str:
    t = tk.arange(4.0)
    v = t[:]
    same = v.untyped_storage().data_ptr() == t.untyped_storage().data_ptr()
    return "Two objects, one storage" if id(v) != id(t) and same else ""


def _detached(tk: Any) -> tuple[int, ...]:
    a = tk.arange(6.0, requires_grad=True)
    a.detach()[2:].zero_()
    return tuple(now for now, before in zip(_numbers(a.detach()), range(6), strict=True) if now == before)


def _six(tk: Any) -> Any:
    return tk.arange(6.0).view(2, 3)


def _after_del(tk: Any) -> tuple[int, ...]:
    big = _six(tk)
    row = big[1]
    del big
    slots = row.untyped_storage().nbytes() // row.element_size()
    return _numbers(row.as_strided((slots,), (1,), 0))


STAY = "They stay: the notebook still has the value"


def _out_cache(tk: Any) -> str:
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    shell.user_ns["big"] = tk.zeros(100)
    alive = weakref.ref(shell.user_ns["big"])
    shell.run_cell("big", store_history=True)
    shell.run_cell("del big", store_history=True)
    return STAY if alive() is not None else "They are freed at once"


def _losses(tk: Any) -> int:
    w = tk.ones(4, requires_grad=True)
    losses, alive = [], []
    for _ in range(3):
        hidden = w * 2
        alive.append(weakref.ref(hidden))
        losses.append((hidden * hidden).sum())
    return sum(reference() is not None for reference in alive)


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "rows",
                "`rows = [tk.zeros(2)] * 3` is a list of length 3. Then `rows[0] += 1`. How many of the three places "
                "in the list hold ones now?",
                3,
                "The list holds one tensor three times, and `+=` writes into that tensor. (Lesson 13)",
                slips=(
                    Slip(
                        COPY,
                        "`* 3` repeats the reference, not the tensor: all three places lead to one object.",
                        given=1,
                    ),
                    Slip(
                        "x += y vs x = x + y",
                        "`+=` does write. After `rows[0] = rows[0] + 1` one place would hold ones.",
                        given=0,
                    ),
                ),
                proof=_three_rows,
            ),
            Question(
                "results",
                "`results` is a list of ten tensors, and each of them holds a million numbers. What does "
                "`sys.getsizeof(results)` count, besides the list itself?",
                "Its ten pointers",
                "It weighs one Python object, the list. The tensors that its pointers lead to come on top, and so do "
                "their storages. (Lesson 01)",
                options=("Its ten pointers", "The ten tensor objects", "The ten million numbers"),
                slips=(
                    Slip(
                        LIST, "It follows no pointer, so it never gets there.", given="The ten tensor objects"
                    ),
                    Slip(
                        LIST,
                        "Those are two steps away: a pointer leads to a tensor, and the tensor to its storage.",
                        given="The ten million numbers",
                    ),
                ),
                proof=_results,
            ),
            Question(
                "hot",
                "`hot` is a table of True and False, for five pumps (its rows) and seven days (its columns). What "
                "does `if hot.any(dim=1): print('stop')` do?",
                FIVE,
                "`dim=1` names what disappears, the days. Five answers are left, and `if` needs one. (Lessons 10 and "
                "11)",
                options=(FIVE, SEVEN, STOP),
                slips=(
                    Slip(
                        "`dim=` in a reduction",
                        "There would be one for each day with `dim=0`. The dimension that you name disappears.",
                        given=SEVEN,
                    ),
                    Slip(
                        "`if` on a tensor",
                        "That is `if hot.any():`. With a `dim` there is more than one answer.",
                        given=STOP,
                    ),
                ),
                proof=_hot,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "id_of_a_view",
        "`v = t[:]` takes all of `t`. Are `v` and `t` one object or two, and do they have one storage or two?",
        "Two objects, one storage",
        "Every slice is a new tensor object, and so is this one. `id()` is about objects, and shows nothing about "
        "the storage.",
        options=("One object, one storage", "Two objects, one storage", "Two objects, two storages"),
        slips=(
            Slip(
                ID,
                "A slice is an object of its own, even if it takes everything.",
                given="One object, one storage",
            ),
            Slip(
                ALIAS,
                "`v` is a new object, but it reads the numbers of `t`.",
                given="Two objects, two storages",
            ),
        ),
        proof=_id_of_a_view,
    ),
    Question(
        "detached",
        "`a = tk.arange(6.0, requires_grad=True)` is shown here. You run `d = a.detach()[2:]`, then `d.zero_()`. "
        "Press every "
        "element of `a` that still has its old number.",
        (0, 1),
        "`detach` drops the history and leaves the numbers where they are. Its result is a view, and so is a slice "
        "of it.",
        slips=(
            Slip(
                DETACH,
                "That would be true of `a.clone()[2:]`. `detach` copies no number.",
                given=(0, 1, 2, 3, 4, 5),
            ),
            Slip(DETACH, "Those are the ones that were written.", given=(2, 3, 4, 5)),
            Slip(ZERO, "`[2:]` begins with element 2.", given=(0, 1, 2)),
            Slip(ZERO, "`[2:]` leaves out elements 0 and 1.", given=(0,)),
        ),
        proof=_detached,
        picture=lambda tk: tk.arange(6.0),
        pick="cells",
    ),
    Question(
        "after_del",
        "`big = tk.arange(6.0).view(2, 3)` is shown here. You run `row = big[1]`, then `del big`. Press every "
        "number that is "
        "still in memory.",
        (0, 1, 2, 3, 4, 5),
        "`row` reads the storage that `big` read, and a storage is kept or freed as a whole.",
        slips=(
            Slip(
                SAVED,
                "These are the numbers that `row` can show. But a storage is one piece: it cannot be freed in parts.",
                given=(3, 4, 5),
            ),
            Slip(DEL, "`row` is the second row, and the first row is in the same storage.", given=(0, 1, 2)),
        ),
        proof=_after_del,
        picture=_six,
        pick="cells",
    ),
    Question(
        "out_cache",
        "A cell ends with the line `big`, so the notebook shows the tensor below it. In the next cell you run "
        "`del big`. What happens to its forty million bytes?",
        STAY,
        "A notebook puts each value that it shows into a dictionary called `Out`, under the number of the cell.",
        options=(
            "They are freed at once",
            "All but the numbers that were shown are freed",
            STAY,
        ),
        slips=(
            Slip(
                DEL,
                "`del` removed one name, but it was not the only one that leads to the tensor.",
                given="They are freed at once",
            ),
            Slip(
                DEL,
                "A storage is never freed in parts.",
                given="All but the numbers that were shown are freed",
            ),
        ),
        proof=_out_cache,
    ),
    Question(
        "losses",
        "`w` requires grad. Three times, a loop runs `hidden = w * 2`, then `loss = (hidden * hidden).sum()`, then "
        "`losses.append(loss)`. How many of the three `hidden` tensors are in memory after the loop?",
        3,
        "A loss that requires grad keeps the history of its computation, and the history keeps `hidden`.",
        slips=(
            Slip(
                GRAPH,
                "The name `hidden` leads to the last one only. But each loss in the list leads to its own.",
                given=1,
            ),
            Slip(
                GRAPH,
                "The name `hidden` leads to the last one, and each loss in the list leads to its own.",
                given=0,
            ),
            Slip(GRAPH, "All three losses are in the list, the first one too.", given=2),
        ),
        proof=_losses,
    ),
)
