"""The exercises of lesson 19, with the solutions and slips that prove their checks."""

from __future__ import annotations

from tensorkit_widgets.lessons.lesson19.trial_functions import (
    CHANGED,
    broken,
    cut,
    doubled_path,
    repaired,
    repaired_apart,
    repaired_late,
    repaired_with_a_copy,
    step_rebound,
    step_recorded,
    step_switched_off,
    step_under_no_grad,
    step_up,
    stepped,
    three,
    two,
    written_aside,
    written_early,
)
from tensorkit_widgets.practice.checking.checks import tensor_check
from tensorkit_widgets.practice.checking.checks_autograd import tracked_check, trial_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Task

__all__ = ["TASKS"]

TASKS = (
    Task(
        "a_snapshot",
        "A snapshot",
        "Make `kept`, the numbers of `t` as they are now: with no history, and in a storage of their own, so that no "
        "later write to `t` shows in it.\n\n"
        "    t = tk.tensor([1.0, 2.0, 3.0], requires_grad=True)\n"
        "    kept = t.___().___()",
        tracked_check(
            tensor_check(
                size=(3,),
                values=(1.0, 2.0, 3.0),
                shares=False,
                slips=(
                    Slip(
                        "detach vs clone",
                        "this still reads the storage of `t`, and still has its history: you need both.",
                        when=lambda answer, mine, base: answer.value.requires_grad,
                        shares=True,
                    ),
                    Slip(
                        "detach vs clone",
                        "the history is gone, but the storage is still that of `t`: the next write to `t` "
                        "would show here.",
                        shares=True,
                    ),
                ),
            ),
            requires_grad=False,
            slip=Slip(
                "detach vs clone",
                "the numbers are in a storage of their own, but this still requires grad: a clone is a recorded "
                "operation, and keeps the whole graph behind it.",
                given="",
            ),
        ),
        (
            "You want two things: no history, and other memory. One method does each.",
            "`detach` drops the history; `clone` copies the numbers.",
            "Call one and then the other. (Which comes first? Detached first, the copying is not even recorded.)",
        ),
        "kept = t.detach().clone()",
        stage="faded",
        base=three,
        right=(
            lambda tk, t: t.detach().clone(),
            lambda tk, t: t.clone().detach(),
            lambda tk, t: tk.tensor(t.tolist()),
            lambda tk, t: t.detach() + 0,
        ),
        wrong=(
            (lambda tk, t: t.clone(), "detach vs clone"),
            (lambda tk, t: t.detach(), "detach vs clone"),
            (lambda tk, t: t, "detach vs clone"),
            (lambda tk, t: t + 0, "detach vs clone"),
            (lambda tk, t: tk.zeros(3), ""),
        ),
    ),
    Task(
        "a_step",
        "One step of learning",
        "Write a function that moves the leaf `w` by `rate` times its gradient, downhill, **in place**: afterwards "
        "the very same tensor holds the new numbers, and still is a leaf that requires grad.\n\n"
        "    def step(w, rate):\n"
        "        ...",
        trial_check(
            stepped,
            errors={
                "leaf Variable that requires grad": Slip(
                    "in-place on a leaf",
                    "that write was going to be recorded. Tell autograd to look away while you change `w`.",
                    given="",
                )
            },
        ),
        (
            "Two things are needed: a write in place, and autograd looking away.",
            "`w -= …` writes in place; `w = w - …` does not.",
            "The `-=` line, inside `with tk.no_grad():`.",
        ),
        "def step(w, rate):\n    with tk.no_grad():\n        w -= rate * w.grad",
        base=two,
        right=(
            lambda tk, t: step_under_no_grad(tk),
            lambda tk, t: tk.no_grad()(lambda w, rate: w.sub_(w.grad * rate)),
            lambda tk, t: lambda w, rate: w.detach().sub_(rate * w.grad),
        ),
        wrong=(
            (lambda tk, t: step_recorded, "in-place on a leaf"),
            (lambda tk, t: step_rebound(tk), "x += y vs x = x + y"),
            (lambda tk, t: lambda w, rate: w - rate * w.grad, "x += y vs x = x + y"),
            (lambda tk, t: step_up(tk), ""),
            (lambda tk, t: lambda w, rate: None, ""),
            (lambda tk, t: step_switched_off, ""),
        ),
    ),
    Task(
        "repair",
        "Repair it",
        "This function computes the right number, but `loss_of(x).backward()` fails. Repair it: the number must stay, "
        "and the gradient must come out right.\n\n"
        "    def loss_of(x):\n"
        "        h = x * 2\n"
        "        squares = h * h\n"
        "        h += 1\n"
        "        return (squares + h).sum()",
        trial_check(repaired, errors={"modified by an inplace operation": CHANGED}),
        (
            "Which step saved `h`, and what happened to `h` before the walk?",
            "The product needs `h` as it was. `h += 1` writes into that very storage.",
            "Make a new tensor instead of writing into the old: `h + 1`.",
        ),
        "def loss_of(x):\n    h = x * 2\n    return (h * h + (h + 1)).sum()",
        base=two,
        right=(
            lambda tk, t: repaired_apart,
            lambda tk, t: repaired_with_a_copy,
            lambda tk, t: repaired_late,
        ),
        wrong=(
            (lambda tk, t: broken, "a saved tensor was changed"),
            (lambda tk, t: written_aside, "a saved tensor was changed"),
            (lambda tk, t: cut, "detach cuts a path"),
            (lambda tk, t: doubled_path, ""),
            (lambda tk, t: written_early, ""),
            (lambda tk, t: lambda x: None, ""),
        ),
    ),
)
