"""The questions of lesson 15, with what proves them."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

SHARES = "NumPy shares memory"


PLUS = "x += y vs x = x + y"


COPY = "a copy is not a view"


DETACH = "detach vs clone"


STRIDES = "strides count slots"


BYTES = "bytes per element"


SAVED = "a saved slice saves the whole storage"


DEL = "del removes a name"


def _backup(tk: Any) -> tuple[int, ...]:
    scores = tk.zeros(2)
    backup = scores
    scores += 1
    scores = scores + 1
    scores += 1
    return tuple(int(n) for n in backup.tolist())


def _kept(tk: Any) -> str:
    w = tk.ones(2, requires_grad=True)
    kept = w.clone()
    shares = kept.untyped_storage().data_ptr() == w.untyped_storage().data_ptr()
    return (
        "It still carries a history"
        if kept.requires_grad and not shares
        else "It shares its numbers with `w`"
    )


def _stills(tk: Any) -> int:
    film = tk.zeros(50, 100, 100)
    stills = [film[0], film[20], film[40].clone()]
    del film
    return sum({s.data_ptr(): s.nbytes() for s in (still.untyped_storage() for still in stills)}.values())


def _one_to_six(tk: Any) -> Any:
    return tk.arange(1.0, 7.0).view(2, 3)


def _zeroed(tk: Any) -> tuple[int, ...]:
    t = _one_to_six(tk)
    t_np = t.numpy()
    t[1].zero_()
    return tuple(int(n) for n in t_np.reshape(-1).tolist() if n)


def _float(tk: Any) -> int:
    a = numpy.zeros(3)
    t = tk.from_numpy(a).float()
    a[0] = 5
    return int(t[0].item())


def _tensor(tk: Any) -> str:
    a = numpy.zeros(3)
    first, second = tk.tensor(a), tk.as_tensor(a)
    a[0] = 5
    return f"{int(first[0].item())} and {int(second[0].item())}"


def _every_second(tk: Any) -> tuple[int, ...]:
    return tuple(tk.arange(12.0).view(3, 4)[:, ::2].numpy().strides)


def _column(tk: Any) -> tuple[int, ...]:
    a = numpy.arange(9.0).reshape(3, 3)
    tk.from_numpy(a[:, 1]).fill_(-1)
    return tuple(int(n) for n in a.reshape(-1).tolist() if n >= 0)


def _backwards(tk: Any) -> str:
    try:
        tk.from_numpy(numpy.arange(5.0)[::-1])
    except ValueError:
        return "An error"
    return "The numbers backwards"


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "backup",
                "`scores = tk.zeros(2)` and `backup = scores`. Then three lines run: `scores += 1`, `scores "
                "= scores + 1`, `scores += 1`. Which two numbers does `backup` hold?",
                (1, 1),
                "The first line wrote into the tensor that both names led to. The second moved the name `scores` to a "
                "new tensor, and the third wrote there. (Lesson 13)",
                slips=(
                    Slip(PLUS, "The second line gave the name `scores` to a new tensor.", given=(3, 3)),
                    Slip(PLUS, "By the third line `scores` was another tensor.", given=(2, 2)),
                    Slip(
                        PLUS,
                        "The first line writes into the tensor, and `backup` is not a copy.",
                        given=(0, 0),
                    ),
                ),
                proof=_backup,
            ),
            Question(
                "kept",
                "The weights `w` require grad. To keep today's numbers, a program runs `kept = w.clone()`. "
                "What is still wrong with `kept`?",
                "It still carries a history",
                "`clone` copies the numbers and keeps the history; `detach` does the opposite. (Lesson 14)",
                options=("It shares its numbers with `w`", "It still carries a history", "Nothing"),
                slips=(
                    Slip(
                        DETACH,
                        "That is what `detach` alone would do.",
                        given="It shares its numbers with `w`",
                    ),
                    Slip(DETACH, "It requires grad, because `w` does.", given="Nothing"),
                ),
                proof=_kept,
            ),
            Question(
                "stills",
                "`film = tk.zeros(50, 100, 100)` takes 2,000,000 bytes, 40,000 for each picture. Then `stills = "
                "[film[0], film[20], film[40].clone()]`, and `del film`. How many bytes of numbers are in memory now?",
                2_040_000,
                "`del` takes only the name away. Two stills are slices, and keep the whole storage that they share; "
                "the clone has one of its own. (Lessons 05 and 14)",
                slips=(
                    Slip(
                        SAVED,
                        "Those are the three pictures. But a slice keeps all of its storage, fifty pictures.",
                        given=120_000,
                    ),
                    Slip(
                        DEL,
                        "`del` frees nothing as long as something leads to the storage, and two slices do.",
                        given=40_000,
                    ),
                    Slip(COPY, "The clone has 40,000 bytes of its own.", given=2_000_000),
                    Slip(
                        "a slice aliases its base",
                        "The two slices read one and the same storage: count it once.",
                        given=4_040_000,
                    ),
                ),
                proof=_stills,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "zeroed",
        "The picture shows `t`, and `t_np = t.numpy()`. Then `t[1].zero_()` runs. Press every element of "
        "`t_np` that still has its old number.",
        (1, 2, 3),
        "`numpy()` copies nothing. Tensor and array are two objects over one storage.",
        slips=(
            Slip(SHARES, "That would be true if `numpy()` made a copy.", given=(1, 2, 3, 4, 5, 6)),
            Slip(
                SHARES,
                "Those are the ones that were written, in the tensor and in the array.",
                given=(4, 5, 6),
            ),
        ),
        proof=_zeroed,
        picture=_one_to_six,
        pick="cells",
    ),
    Question(
        "float_copies",
        "`a = np.zeros(3)`, then `t = tk.from_numpy(a).float()`, then `a[0] = 5`. What is `t[0]`?",
        0,
        "`float()` had to make new numbers, of four bytes each. After that the two are separate.",
        slips=(Slip(SHARES, "`from_numpy` shares; but the cast after it makes a copy.", given=5),),
        proof=_float,
    ),
    Question(
        "tensor_copies",
        "`a = np.zeros(3)`, then `first = tk.tensor(a)` and `second = tk.as_tensor(a)`, then `a[0] = 5`. What are "
        "`first[0]` and `second[0]`?",
        "0 and 5",
        "`tensor` always copies. `as_tensor` copies only if it has to, and here it can share, as `from_numpy` does.",
        order="given",
        options=("0 and 0", "0 and 5", "5 and 0", "5 and 5"),
        slips=(
            Slip(SHARES, "`as_tensor` uses the array's own memory here.", given="0 and 0"),
            Slip(COPY, "`tensor` always makes a copy.", given="5 and 5"),
            Slip(COPY, "The other way round.", given="5 and 0"),
        ),
        proof=_tensor,
    ),
    Question(
        "every_second",
        "`t = tk.arange(12.0).view(3, 4)` has the stride (4, 1), and `t[:, ::2]` is every second column of it. What is "
        "`t[:, ::2].numpy().strides`?",
        (16, 8),
        "The slice has the stride (4, 2). A number of `t` is a float32, so each slot counts four bytes.",
        slips=(
            Slip(STRIDES, "That is the stride of the tensor. NumPy counts bytes.", given=(4, 2)),
            Slip(BYTES, "A float32 has four bytes, and `numpy()` does not change the dtype.", given=(32, 16)),
            Slip("a step multiplies the stride", "The step of 2 counts as well.", given=(16, 4)),
            Slip("a step multiplies the stride", "The step is in dimension 1.", given=(32, 4)),
            Slip(COPY, "Those would be the strides of a copy. Nothing was copied here.", given=(8, 4)),
            Slip(
                "rows come before columns",
                "The step from row to row comes first.",
                given=(8, 16),
            ),
        ),
        proof=_every_second,
    ),
    Question(
        "column",
        "`a = np.arange(9.0).reshape(3, 3)` is drawn here. Then `column = tk.from_numpy(a[:, 1])`, and "
        "`column.fill_(-1)`. Press every element of `a` that still has its old number.",
        (0, 2, 3, 5, 6, 8),
        "A slice of an array is a view, and the tensor made of it reads the same bytes.",
        slips=(
            Slip(
                SHARES,
                "Neither the slice nor `from_numpy` makes a copy.",
                given=(0, 1, 2, 3, 4, 5, 6, 7, 8),
            ),
            Slip(SHARES, "Those are the ones that were written.", given=(1, 4, 7)),
            Slip(
                "rows come before columns",
                "`a[:, 1]` is a column: one number from every row.",
                given=(0, 1, 2, 6, 7, 8),
            ),
            Slip("counting from zero", "Column 1 is the second one.", given=(1, 2, 4, 5, 7, 8)),
        ),
        proof=_column,
        picture=lambda tk: tk.arange(9.0).view(3, 3),
        pick="cells",
    ),
    Question(
        "backwards",
        "In NumPy `b[::-1]` is a view that runs backwards. What does `tk.from_numpy(b[::-1])` give?",
        "An error",
        "Its stride is negative, and tensors have no negative strides. Make a copy, or use `flip`.",
        options=("The numbers backwards", "The numbers forwards", "An error"),
        slips=(
            Slip(STRIDES, "It would need a stride of -1.", given="The numbers backwards"),
            Slip(
                STRIDES, "The minus sign is not ignored: it leads to an error.", given="The numbers forwards"
            ),
        ),
        proof=_backwards,
    ),
)
