"""The exercises of lesson 12, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import tensorkit as tk
from tensorkit import tracing
from tensorkit_widgets.practice.checking.checks import Checker
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict
from tensorkit_widgets.practice.kinds import Task

__all__ = ["TASKS"]


def _above() -> Checker:
    return function_check(
        Case(
            "of a table",
            lambda: (tk.tensor([[1.0, 5.0], [7.0, 3.0]]), 2),
            5.0,
        ),
        Case("of a row", lambda: (tk.tensor([4.0, -1.0, 2.0]), 0), 3.0),
        Case("of numbers of which one is as large as `low`", lambda: (tk.tensor([1.0, 2.0, 4.0]), 2), 4.0),
        slips=(
            Slip(
                "True counts as 1",
                "that is the mean of the mask: the part of the elements that are larger. Choose the elements by the "
                "mask first: `t[t > low]`.",
                behaves=lambda t, low: (t > low).float().mean(),
            ),
            Slip(
                "True counts as 1",
                "that counts the elements that are larger. Choose them by the mask: `t[t > low]`.",
                behaves=lambda t, low: (t > low).sum(),
            ),
            Slip(
                "True counts as 1",
                "that has zeros in place of the elements that are left out, and the mean counts those too. A mask "
                "between brackets leaves them out: `t[t > low]`.",
                behaves=lambda t, low: (t * (t > low)).mean(),
            ),
            Slip("", "that is the mean of all elements.", behaves=lambda t, low: t.mean()),
            Slip(
                "",
                "larger than `low` is `>`, without those that are equal to it.",
                behaves=lambda t, low: t[t >= low].mean(),
            ),
        ),
    )


_RIGHT_MEAN = _above()


def _mean_above(answer: Answer) -> Verdict:
    """Judge the learner's function by what it gives, and by how many operations it takes for that."""
    found = _RIGHT_MEAN(answer)
    if found.correct is not True:
        return found
    function: Any = answer.value
    with tracing.record() as events:
        function(tk.arange(200.0), 190)
    if sum(isinstance(event, tracing.OpEvent) for event in events) > 100:
        return Verdict(
            False,
            "right, but the elements are taken out one by one: for 200 numbers that is hundreds of operations. "
            "A mask takes all of them in one.",
            "element loops",
        )
    return Verdict(True)


def _loop(x: Any, low: float) -> float:
    total, count = 0.0, 0
    for number in x.reshape(-1):
        if number > low:
            total, count = total + number.item(), count + 1
    return total / count


TASKS = (
    Task(
        "count_above",
        "Without a loop",
        "Write `mean_above(t, low)`: the mean of all elements of `t` that are larger than `low`, as a Python number. "
        "No loop over elements.\n\n"
        "    def mean_above(t, low):\n"
        "        return ___",
        Checker(_mean_above, _RIGHT_MEAN.slips),
        (
            "`t > low` is a mask of the same size as `t`.",
            "A mask between brackets gives the chosen elements in one row.",
            "`t[t > low].mean().item()`",
        ),
        "def mean_above(t, low):\n    return t[t > low].mean().item()",
        stage="free",
        right=(
            lambda tk, t: lambda x, low: x[x > low].mean().item(),
            lambda tk, t: lambda x, low: (x[x > low].sum() / (x > low).sum()).item(),
            lambda tk, t: lambda x, low: float(x[x > low].mean()),
        ),
        wrong=(
            (lambda tk, t: lambda x, low: (x > low).float().mean().item(), "True counts as 1"),
            (lambda tk, t: lambda x, low: (x * (x > low)).mean(), "True counts as 1"),
            (lambda tk, t: lambda x, low: x[x >= low].mean(), ""),
            (lambda tk, t: lambda x, low: x[x and x > low].mean(), "`if` on a tensor"),
            (lambda tk, t: lambda x, low: x.max(), ""),
            (lambda tk, t: lambda x, low: _loop(x, low), "element loops"),
            (lambda tk, t: lambda x, low: None, ""),
        ),
    ),
)
