"""The questions of lesson 14, with what proves them."""

from __future__ import annotations

import weakref
from typing import Any

from traitlets.config import Config

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

__all__ = ["QUESTIONS", "QUIZZES"]

ALIAS = "a slice aliases its base"


COPY = "a copy is not a view"


ID = "id() as a storage test"


DETACH = "detach vs clone"


SAVED = "a saved slice saves the whole storage"


DEL = "del removes a name"


GRAPH = "a loss keeps its graph"


ZERO = "counting from zero"


def _numbers(t: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in t.reshape(-1).tolist())


def _three_rows(tk: Any) -> int:
    rows = [tk.zeros(2)] * 3
    rows[0] += 1
    return sum(row.tolist() == [1.0, 1.0] for row in rows)


def _both(tk: Any) -> int:
    x = tk.zeros(1000, 1000)
    y = x.t()
    return sum({s.data_ptr(): s.nbytes() for s in (x.untyped_storage(), y.untyped_storage())}.values())


def _own(tk: Any) -> int:
    t = tk.zeros(3, 4)
    own = t[1].contiguous()
    own[0] = 9.0
    return int(t[1, 0].item())


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
                "both",
                "`x = tk.zeros(1000, 1000)` takes 4,000,000 bytes for its numbers. Then `y = x.t()`. How many bytes "
                "do the numbers of both take together?",
                4_000_000,
                "A transpose is a new tensor object on the old storage; it needs no memory for numbers of its own. "
                "(Lesson 03)",
                slips=(
                    Slip(
                        "transpose moves no data",
                        "Nothing was copied: `y` reads the numbers of `x` in another order.",
                        given=8_000_000,
                    ),
                    Slip("bytes per element", "A float32 takes four bytes.", given=1_000_000),
                    Slip("bytes per element", "A float32 takes four bytes.", given=2_000_000),
                ),
                proof=_both,
            ),
            Question(
                "own",
                "`t = tk.zeros(3, 4)`, then `own = t[1].contiguous()`, then `own[0] = 9.0`. What is `t[1, 0]` now?",
                9,
                "A row is contiguous already, so `contiguous()` returns it as it is. It copies only where it has "
                "to. (Lesson 05)",
                slips=(
                    Slip(
                        "what contiguous means",
                        "That would be true of `clone()`. A row needs no copy to be contiguous.",
                        given=0,
                    ),
                ),
                proof=_own,
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
