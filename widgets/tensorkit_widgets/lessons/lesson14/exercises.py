"""The exercises of lesson 14, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.lessons.lesson14.trial_functions import (
    BEST,
    LET_GO,
    THUMBNAIL,
    best_given,
    best_kept,
    best_named,
    best_with_history,
    by_address,
    by_equality,
    by_identity,
    by_storage,
    by_storage_listed,
    into_a_new_dictionary,
    popped_by_storage,
    while_walking,
)
from tensorkit_widgets.practice.checking.checks import Checker, tensor_check
from tensorkit_widgets.practice.checking.checks_autograd import letters_check
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict, read
from tensorkit_widgets.practice.kinds import Task

COPY = "a copy is not a view"


ID = "id() as a storage test"


DETACH = "detach vs clone"


SAVED = "a saved slice saves the whole storage"


DEL = "del removes a name"


GRAPH = "a loss keeps its graph"


ROW = (4.0, 5.0, 6.0, 7.0)


def _table(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


_OWN_ROW = tensor_check(
    size=(4,),
    values=ROW,
    shares=False,
    slips=(
        Slip(
            SAVED,
            "this row still reads the storage of `t`, so all twelve numbers stay in memory with it. (A row is "
            "contiguous already, so `contiguous()` does not copy it.)",
            size=(4,),
            offset=4,
            shares=True,
        ),
    ),
)


def _judge_row(answer: Answer) -> Verdict:
    verdict = _OWN_ROW(answer)
    meta = read(answer.value).meta
    if verdict.correct and meta is not None and meta.slots > len(ROW):
        says = f"its storage has {meta.slots} slots. You copied more than the row, and then took a slice of the copy."
        return Verdict(False, says, SAVED)
    return verdict


TASKS = (
    Task(
        "which_share",
        "Who shares?",
        "`a = tk.arange(6.)`. A worked line: `a.reshape(6)` reads the same slots in the same order, so it can be a "
        "view, and `reshape` makes a view where it can. It shares the storage, so you would give its letter.\n\n"
        "Which of these read the storage of `a`?\n\n"
        "    p   a[2:].clone()\n"
        "    q   a[2:]\n"
        "    r   a.detach().view(2, 3)\n"
        "    s   a * 1\n"
        "    t   a.detach().clone()\n"
        "    u   a.view(2, 3).t()\n\n"
        "Give the letters.",
        letters_check(
            "QRU",
            {
                "P": Slip(COPY, "**p**: a clone has a storage of its own.", given="P"),
                "S": Slip(
                    "equal is not shared", "**s**: its numbers are equal, but newly computed.", given="S"
                ),
                "T": Slip(DETACH, "**t**: after `detach`, `clone` copies the numbers.", given="T"),
                "R": Slip(
                    DETACH, "**r** is missing: `detach` drops the history and copies no number.", given="R"
                ),
                "Q": Slip(
                    ID, "**q** is missing: a slice is a new object, but it reads the old storage.", given="Q"
                ),
                "U": Slip(
                    "transpose moves no data",
                    "**u** is missing: a view and its transpose read the same slots, only in another order.",
                    given="U",
                ),
            },
        ),
        (
            "All six are new tensor *objects*. For which of them are numbers computed or copied?",
            "For each of them: if you wrote into it, would `a` change?",
            "Clones and products have storages of their own; the other three do not.",
        ),
        '"q r u"',
        stage="worked",
        entry="p s",
        right=(lambda tk, t: "q r u", lambda tk, t: "Q, R, U", lambda tk, t: "q  r  u"),
        wrong=(
            (lambda tk, t: "q u", DETACH),
            (lambda tk, t: "r u", ID),
            (lambda tk, t: "p q r u", COPY),
            (lambda tk, t: "q r s u", "equal is not shared"),
            (lambda tk, t: "q r t u", DETACH),
            (lambda tk, t: "q r", "transpose moves no data"),
        ),
    ),
    Task(
        "own_row",
        "Keep a row, free the table",
        "Fill the gap, so that `row` keeps only four numbers in memory, and not twelve, once `t` has been deleted.\n\n"
        "    t = tk.arange(12.).view(3, 4)\n"
        "    row = t[1].___",
        Checker(_judge_row),
        (
            "The row needs a storage of its own.",
            "Which method *always* copies?",
            "It is neither `detach` nor `contiguous`.",
        ),
        "row = t[1].clone()",
        stage="faded",
        base=_table,
        right=(
            lambda tk, t: t[1].clone(),
            lambda tk, t: t[1] + 0,
            lambda tk, t: tk.tensor(t[1].tolist()),
            lambda tk, t: t[[1]].squeeze(0),
        ),
        wrong=(
            (lambda tk, t: t[1], SAVED),
            (lambda tk, t: t[1].contiguous(), SAVED),
            (lambda tk, t: t[1].detach(), SAVED),
            (lambda tk, t: t.clone()[1], SAVED),
            (lambda tk, t: t[2].clone(), ""),
            (lambda tk, t: tk.zeros(4), ""),
        ),
    ),
    Task(
        "let_go",
        "Let it go",
        "`names` is a dictionary from names to tensors, like the one that a notebook has; `big` is one of these "
        "tensors. Write "
        "`let_go(names, big)`: it removes from the dictionary **every** name whose tensor keeps the storage of `big` "
        "alive, and keeps the others. Give me the function itself.\n\n"
        "    def let_go(names, big):\n"
        "        ...",
        LET_GO,
        (
            "How can you tell whether two tensors read the same storage? Neither `is` nor `==` shows it.",
            "`t.untyped_storage().data_ptr()` is where the storage of `t` begins.",
            "Walk over `list(names)`, and `del names[name]` where the two addresses are equal.",
        ),
        "def let_go(names, big):\n"
        "    start = big.untyped_storage().data_ptr()\n"
        "    for name in list(names):\n"
        "        if names[name].untyped_storage().data_ptr() == start:\n"
        "            del names[name]",
        right=(
            lambda tk, t: by_storage,
            lambda tk, t: by_storage_listed,
            lambda tk, t: popped_by_storage,
        ),
        wrong=(
            (lambda tk, t: by_identity, ID),
            (lambda tk, t: by_address, "data_ptr() of the tensor"),
            (lambda tk, t: by_equality, "equal is not shared"),
            (lambda tk, t: into_a_new_dictionary, "x += y vs x = x + y"),
            (lambda tk, t: while_walking, ""),
            (lambda tk, t: lambda names, big: names.clear(), ""),
        ),
    ),
    Task(
        "which_kept",
        "Which line kept it?",
        "`big` has 2500 × 4000 numbers: forty million bytes. Suppose that you run **one** of these lines, and then "
        "`del big`. After which of them are the forty million bytes still in memory?\n\n"
        "    a   first = big[0]\n"
        "    b   first = big[0].clone()\n"
        "    c   top = big.max().item()\n"
        "    d   shelf = [big.t()]\n"
        "    e   def peek(data=big): return data[0]\n"
        "    f   total = big.sum()\n"
        "    g   losses = [(big * w).sum()]   # w requires grad\n\n"
        "Give the letters.",
        letters_check(
            "ADEG",
            {
                "A": Slip(
                    SAVED,
                    "**a** is missing: the row reads the storage of `big`, so all of it stays.",
                    given="A",
                ),
                "B": Slip(COPY, "**b**: the clone has a storage of its own.", given="B"),
                "C": Slip(DEL, "**c**: `item()` gives a Python number. It leads to no tensor.", given="C"),
                "D": Slip(
                    "transpose moves no data",
                    "**d** is missing: a transpose reads the same storage, and the list keeps the transpose.",
                    given="D",
                ),
                "E": Slip(
                    DEL,
                    "**e** is missing: a default value is stored in the function, so `peek` leads to the tensor.",
                    given="E",
                ),
                "F": Slip(
                    DEL,
                    "**f**: the sum is a new tensor of one number. `big` does not require grad, so there is no "
                    "history either.",
                    given="F",
                ),
                "G": Slip(
                    GRAPH,
                    "**g** is missing: the gradient of `w` needs `big`, so the history of the loss keeps it.",
                    given="G",
                ),
            },
        ),
        (
            "After `del big`: can you still get from one of the other names to that storage?",
            "Follow views, lists, default values and histories. A number or a copy does not lead to it.",
            "Four of the seven keep it.",
        ),
        '"a d e g"',
        stage="reverse",
        entry="b c",
        right=(lambda tk, t: "a d e g", lambda tk, t: "A, D, E, G", lambda tk, t: "a  d  e  g"),
        wrong=(
            (lambda tk, t: "d e g", SAVED),
            (lambda tk, t: "a b d e g", COPY),
            (lambda tk, t: "a e g", "transpose moves no data"),
            (lambda tk, t: "a d g", DEL),
            (lambda tk, t: "a d e f g", DEL),
            (lambda tk, t: "a d e", GRAPH),
        ),
    ),
    Task(
        "thumbnail",
        "A hundred thumbnails",
        "An album shows a thumbnail of each of its hundred photographs: every eighth pixel of every eighth row. It "
        "loads a photograph, puts `thumbnail(photo)` into a list, and deletes the photograph. With "
        "`return photo[::8, ::8]` the list kept all hundred photographs in memory. Write a `thumbnail(photo)` that "
        "keeps only its own pixels, for icons of 8 × 8 pixels as well. Give me the function itself.\n\n"
        "    def thumbnail(photo):\n"
        "        return ...",
        THUMBNAIL,
        (
            "The slice has the right pixels. What does it keep in memory?",
            "Copy the small tensor, not the large one.",
            "`clone` always copies; `contiguous` copies only where it has to.",
        ),
        "def thumbnail(photo):\n    return photo[::8, ::8].clone()",
        right=(
            lambda tk, t: lambda photo: photo[::8, ::8].clone(),
            lambda tk, t: lambda photo: photo[::8, ::8] + 0,
            lambda tk, t: lambda photo: photo[::8][:, ::8].detach().clone(),
        ),
        wrong=(
            (lambda tk, t: lambda photo: photo[::8, ::8], SAVED),
            (lambda tk, t: lambda photo: photo.clone()[::8, ::8], SAVED),
            (lambda tk, t: lambda photo: photo[::8, ::8].contiguous(), "what contiguous means"),
            (lambda tk, t: lambda photo: photo[::8].clone(), ""),
            (lambda tk, t: lambda photo: photo[:8, :8].clone(), ""),
        ),
    ),
    Task(
        "best_weights",
        "Repair: the best weights",
        "A training runs `steps`: each writes new numbers into the weights `w`, which require grad, and returns the "
        "loss as a Python number. `best_weights` should return the weights as they were when the loss was lowest, "
        "without a history. Instead, it returns the weights of the last step. Repair it.\n\n"
        "    def best_weights(w, steps):\n"
        '        best, lowest = None, float("inf")\n'
        "        for step in steps:\n"
        "            loss = step(w)\n"
        "            if loss < lowest:\n"
        "                best, lowest = w.detach(), loss\n"
        "        return best",
        BEST,
        (
            "What will the next step do to the numbers that `best` reads?",
            "`best` needs numbers of its own, and no history: those are two jobs.",
            "`detach` does one of them, `clone` the other.",
        ),
        "def best_weights(w, steps):\n"
        '    best, lowest = None, float("inf")\n'
        "    for step in steps:\n"
        "        loss = step(w)\n"
        "        if loss < lowest:\n"
        "            best, lowest = w.detach().clone(), loss\n"
        "    return best",
        right=(
            lambda tk, t: best_kept(lambda w: w.detach().clone()),
            lambda tk, t: best_kept(lambda w: w.clone().detach()),
            lambda tk, t: best_kept(lambda w: w.detach() + 0),
            lambda tk, t: best_kept(lambda w: w.new_tensor(w.tolist())),
        ),
        wrong=(
            (lambda tk, t: best_given, DETACH),
            (lambda tk, t: best_with_history, DETACH),
            (lambda tk, t: best_named, COPY),
            (lambda tk, t: best_kept(lambda w: w.detach()[:1].clone()), ""),
        ),
    ),
)
