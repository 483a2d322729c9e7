"""The exercises of lesson 14, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.checking.checks import Checker
from tensorkit_widgets.practice.checking.checks_autograd import letters_check
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict, read
from tensorkit_widgets.practice.kinds import Task

__all__ = ["TASKS"]

COPY = "a copy is not a view"


ID = "id() as a storage test"


DETACH = "detach vs clone"


def _judge_snapshot(answer: Answer) -> Verdict:
    mine, base = read(answer.value), read(answer.base)
    if mine.size != base.size or mine.values != base.values:
        return Verdict(False, "the numbers are not those of `t`.")
    if mine.shares(base):
        says = "it still reads the storage of `t`: with the next step of the training it changes, too."
        return Verdict(False, says, DETACH if not getattr(answer.value, "requires_grad", False) else COPY)
    if getattr(answer.value, "requires_grad", False):
        return Verdict(False, "a copy it is, but it still requires grad, and carries a history.", DETACH)
    return Verdict(True)


def _weights(tk: Any) -> Any:
    return tk.tensor([0.5, -1.5, 2.0], requires_grad=True)


TASKS = (
    Task(
        "which_share",
        "Who shares?",
        "`a = tk.ones(3)`. Which of these read the storage of `a`?\n\n"
        "    p   a.clone()\n"
        "    q   a[:]\n"
        "    r   a.detach()\n"
        "    s   a + 0\n"
        "    t   a.view(3, 1)\n\n"
        "Give the letters.",
        letters_check(
            "QRT",
            {
                "P": Slip(COPY, "**p**: a clone has a storage of its own.", given="P"),
                "S": Slip("equal is not shared", "**s** holds equal numbers, newly computed.", given="S"),
                "R": Slip(
                    DETACH, "**r** is missing: `detach` drops the history and copies no number.", given="R"
                ),
                "Q": Slip(ID, "**q** is missing: a new object, on the old storage.", given="Q"),
                "T": Slip(
                    COPY, "**t** is missing: a view reads the same slots in other portions.", given="T"
                ),
            },
        ),
        (
            "All five are new tensor *objects*. Which of them had numbers computed or copied for them?",
            "Ask of each: if I wrote into it, would `a` change?",
            "A clone and a sum have storages of their own; the other three do not.",
        ),
        '"q r t"',
        entry="p s",
        right=(lambda tk, t: "q r t", lambda tk, t: "Q, R, T", lambda tk, t: "q  r  t"),
        wrong=(
            (lambda tk, t: "q t", DETACH),
            (lambda tk, t: "r t", ID),
            (lambda tk, t: "p q r t", COPY),
            (lambda tk, t: "q r s t", "equal is not shared"),
        ),
    ),
    Task(
        "snapshot",
        "The best weights so far",
        "A training writes into its weights `t` at every step. Make `best`, which will still hold **today's** numbers "
        "tomorrow, and has no history.\n\n"
        "    t = tk.tensor([0.5, -1.5, 2.], requires_grad=True)\n"
        "    best = ...",
        Checker(_judge_snapshot),
        (
            "Two things are asked: numbers of its own, and no history.",
            "`detach` does one of them, `clone` the other.",
            "Do both, one after the other.",
        ),
        "best = t.detach().clone()",
        base=_weights,
        right=(
            lambda tk, t: t.detach().clone(),
            lambda tk, t: t.clone().detach(),
            lambda tk, t: tk.tensor(t.tolist()),
        ),
        wrong=(
            (lambda tk, t: t.detach(), DETACH),
            (lambda tk, t: t.clone(), DETACH),
            (lambda tk, t: t, COPY),
            (lambda tk, t: tk.zeros(3), ""),
        ),
    ),
)
