"""The exercises of lesson 12, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import tensorkit as tk
from tensorkit import tracing
from tensorkit_widgets.practice.checking.checks import Checker, choice_check, number_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict, same
from tensorkit_widgets.practice.kinds import Task

LOOPS = "element loops"
ENDS = "the ends of a running sum"


def _calls(function: Any, *arguments: Any) -> int:
    """How many operations a function calls."""
    with tracing.record() as events:
        function(*arguments)
    return sum(isinstance(event, tracing.OpEvent) for event in events)


# -- the mean so far


def _so_far() -> Checker:
    return function_check(
        Case("of four numbers", lambda: (tk.tensor([4.0, 8.0, 0.0, 8.0]),), tk.tensor([4.0, 6.0, 4.0, 5.0])),
        Case("of two numbers", lambda: (tk.tensor([-2.0, 5.0]),), tk.tensor([-2.0, 1.5])),
        Case("of one number", lambda: (tk.tensor([7.0]),), tk.tensor([7.0])),
        slips=(
            Slip(
                "counting from zero",
                "the first sum is a sum of *one* number, and you divide it by 0. Count from 1: "
                "`tk.arange(1, len(x) + 1)`.",
                behaves=lambda x: x.cumsum(0) / tk.arange(len(x)),
            ),
            Slip(
                ENDS,
                "every sum is divided by the number of *all* elements, but only the last sum has all of them in it.",
                behaves=lambda x: x.cumsum(0) / len(x),
            ),
            Slip(
                ENDS,
                "these are the sums so far. How many numbers are in each of them?",
                behaves=lambda x: x.cumsum(0),
            ),
            Slip("", "that is a single number, the mean of all elements.", behaves=lambda x: x.mean()),
        ),
    )


# -- a mean without a loop


def _above() -> Checker:
    return function_check(
        Case(
            "of a table",
            lambda: (tk.tensor([[1.0, 5.0], [7.0, 3.0]]), 2),
            5.0,
        ),
        Case("of a row", lambda: (tk.tensor([4.0, -1.0, 2.0]), 0), 3.0),
        Case("where one number is equal to `low`", lambda: (tk.tensor([1.0, 2.0, 4.0]), 2), 4.0),
        slips=(
            Slip(
                "True counts as 1",
                "that is the mean of the mask: the share of the elements that are larger. Choose the elements by the "
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
                "an element that is equal to `low` is not larger: use `>`.",
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
    if _calls(answer.value, tk.arange(200.0), 190) > 100:
        return Verdict(
            False,
            "right, but the elements are taken out one by one: for 200 numbers that is hundreds of operations. "
            "A mask takes all of them in one.",
            LOOPS,
        )
    return Verdict(True)


def _loop(x: Any, low: float) -> float:
    total, count = 0.0, 0
    for number in x.reshape(-1):
        if number > low:
            total, count = total + number.item(), count + 1
    return total / count


# -- silent windows


def _quiet(sound: Any, width: int, limit: float, step: int = 0) -> Any:
    return sound.unfold(0, width, step or width).abs() <= limit


_SILENT = function_check(
    Case(
        "with windows of 3 and two samples left over",
        lambda: (
            tk.tensor([0.0, 1.0, -1.0, 0.0, -5.0, 0.0, 1.0, 0.0, 0.0, 1.5, 0.5, 0.0, 0.0, 0.0]),
            3,
            1.0,
        ),
        2,
    ),
    Case(
        "with windows of 2",
        lambda: (
            tk.tensor([0.5, -0.5, 3.0, -3.0, 0.25, 0.5, 0.25, 0.0, -2.0, -2.0, -1.0, -1.0]),
            2,
            0.5,
        ),
        3,
    ),
    slips=(
        Slip(
            "",
            "a wave has negative samples as well: a sample of -5 is as loud as one of 5. Take the absolute value of "
            "each sample first: "
            "`abs()`.",
            behaves=lambda sound, width, limit: (sound.unfold(0, width, width) <= limit).all(1).sum(),
        ),
        Slip(
            "",
            "the mean of a wave is near 0, however loud it is. Every single sample has to be within the limit.",
            behaves=lambda sound, width, limit: (sound.unfold(0, width, width).mean(1).abs() <= limit).sum(),
        ),
        Slip(
            "",
            "a mean hides a loud sample among quiet ones. Every single sample has to be within the limit.",
            behaves=(
                lambda sound, width, limit: (sound.unfold(0, width, width).abs().mean(1) <= limit).sum(),
                lambda sound, width, limit: (
                    sound.unfold(0, width, width).square().mean(1).sqrt() <= limit
                ).sum(),
            ),
        ),
        Slip(
            "",
            "that counts the windows with *at least one* quiet sample. All of them have to be quiet: `all`.",
            behaves=lambda sound, width, limit: _quiet(sound, width, limit).any(1).sum(),
        ),
        Slip(
            "`dim=` in a reduction",
            "`dim=` names what disappears. The samples within a window have to disappear, and they are dimension 1.",
            behaves=lambda sound, width, limit: _quiet(sound, width, limit).all(0).sum(),
        ),
        Slip(
            "strides count slots",
            "your windows overlap: each starts one sample after the one before. Each should start where the one "
            "before ends, so the step is `width`.",
            behaves=lambda sound, width, limit: _quiet(sound, width, limit, 1).all(1).sum(),
        ),
        Slip(
            "True counts as 1",
            "that counts quiet *samples*. First find out for each window whether all of it is quiet.",
            behaves=(
                lambda sound, width, limit: (sound.abs() <= limit).sum(),
                lambda sound, width, limit: _quiet(sound, width, limit).sum(),
            ),
        ),
        Slip(
            "True counts as 1",
            "that gives True or False for each window. How many are True?",
            behaves=lambda sound, width, limit: _quiet(sound, width, limit).all(1),
        ),
        Slip(
            "",
            "a sample that is as large as the limit still counts as quiet: `<=`.",
            behaves=lambda sound, width, limit: (sound.unfold(0, width, width).abs() < limit).all(1).sum(),
        ),
    ),
)


def _silent(answer: Answer) -> Verdict:
    """Judge what the function gives, and that it does not walk over the windows."""
    found = _SILENT(answer)
    if found.correct is not True:
        return found
    if _calls(answer.value, tk.arange(600.0), 3, 90.0) > 100:
        return Verdict(
            False,
            "right, but your function visits the windows one by one: 200 of them take hundreds of calls. Make a table "
            "with a row for each window, and reduce it in one call.",
            LOOPS,
        )
    return Verdict(True)


def _silent_loop(sound: Any, width: int, limit: float) -> int:
    count = 0
    for i in range(len(sound) // width):
        count += bool((sound[i * width : (i + 1) * width].abs() <= limit).all())
    return count


# -- repair it


_SHARES = function_check(
    Case("of 1, 2 and 5", lambda: (tk.tensor([1.0, 2.0, 5.0]),), tk.tensor([0.125, 0.25, 0.625])),
    Case("of two equal numbers", lambda: (tk.tensor([3.0, 3.0]),), tk.tensor([0.5, 0.5])),
    slips=(
        Slip(
            "", "that divides by the largest. A share is a part of the *sum*.", behaves=lambda t: t / t.max()
        ),
        Slip("", "that divides by how many there are, not by their sum.", behaves=lambda t: t / len(t)),
    ),
)


def _shares(answer: Answer) -> Verdict:
    found = _SHARES(answer)
    if found.correct is not True:
        return found
    calls = _calls(answer.value, tk.ones(200))
    if calls > 500:
        return Verdict(
            False,
            f"right as before, and as slow: {calls:,} calls for 200 numbers. The sum of all is computed again for "
            "every one of them, and each is taken out and put back.",
            LOOPS,
        )
    if calls > 100:
        return Verdict(
            False,
            f"the sum is computed only once now, but {calls:,} calls for 200 numbers are left: each number is still "
            "taken out of its tensor.",
            LOOPS,
        )
    return Verdict(True)


def _shares_by_hand(tk: Any, t: Any) -> Any:
    whole = t.sum().item()
    return tk.tensor([number.item() / whole for number in t])


_CURVES = (
    Slip(
        LOOPS,
        "Python's own `sum` is a loop over whatever you give it. If you give it a tensor, it adds tensors of one "
        "number each.",
        given="bac",
    ),
    Slip(
        LOOPS,
        "Q starts at a fifth of a microsecond and grows with the numbers: that is Python, adding its own numbers. A "
        "call of the engine never takes so little time.",
        given="cba",
    ),
    Slip(
        LOOPS,
        "P hardly grows, so hardly any of its time is spent on each number. Only one line calls the engine just once.",
        when=lambda answer, mine, base: any(same(answer.value, order) for order in ("abc", "acb", "cab")),
    ),
)


TASKS = (
    Task(
        "calls",
        "Count the calls",
        "How many times does this loop call the engine?\n\n"
        "    for i in range(10):\n"
        "        y[i] = 2 * x[i]\n\n"
        "Worked: in each round `x[i]` makes a tensor of one number (1), `2 *` makes another (2), and `y[i] =` "
        "writes it (3). Ten rounds are **30** calls; `y = 2 * x` is one.\n\n"
        "And this one? `x` and `y` hold 100 numbers each.\n\n"
        "    total = 0.0\n"
        "    for i in range(100):\n"
        "        total = total + x[i] * y[i]\n\n"
        "How many calls?",
        number_check(
            400,
            slips=(
                Slip(
                    LOOPS,
                    "that is one call in each round. Count what is done with tensors in *one* round.",
                    given=100,
                ),
                Slip(LOOPS, "`x[i]` and `y[i]` are two. What is done with them?", given=200),
                Slip(
                    LOOPS,
                    "that is three in each round: is one of `x[i]`, `y[i]`, `*` and `+` missing?",
                    given=300,
                ),
                Slip(LOOPS, "that is one round. There are a hundred.", given=4),
                Slip("", "that is ten rounds, as in the worked example. Here there are a hundred.", given=40),
                Slip("", "that is the number of the worked example.", given=30),
                Slip(LOOPS, "that is the number of calls *without* the loop: `(x * y).sum()`.", given=2),
            ),
        ),
        (
            "Everything that is done with a tensor is a call, and so is taking an element out of one.",
            "In one round: `x[i]`, `y[i]`, a product, a sum.",
            "4 calls in a round, and 100 rounds.",
        ),
        "400",
        stage="worked",
        entry="30",
        right=(lambda tk, t: 400, lambda tk, t: "400", lambda tk, t: "4 * 100"),
        wrong=(
            (lambda tk, t: 100, LOOPS),
            (lambda tk, t: 200, LOOPS),
            (lambda tk, t: 300, LOOPS),
            (lambda tk, t: 2, LOOPS),
            (lambda tk, t: 40, ""),
        ),
    ),
    Task(
        "so_far",
        "The mean so far",
        "A sensor sends number after number. Write `mean_so_far(x)`: for each number it gives the mean of all the "
        "numbers so far, including that one. For 4, 8 and 0 the result is 4, 6 and 4.\n\n"
        "    def mean_so_far(x):\n"
        "        return x.cumsum(0) / ___",
        _so_far(),
        (
            "`x.cumsum(0)` are the sums so far. How many numbers are in the first of them, in the second, in the last?",
            "Sum number `i`, counted from 0, has `i + 1` numbers in it.",
            "`tk.arange(1, len(x) + 1)` gives these counts; so does the running sum of ones.",
        ),
        "def mean_so_far(x):\n    return x.cumsum(0) / x.new_ones(len(x)).cumsum(0)",
        stage="faded",
        right=(
            lambda tk, t: lambda x: x.cumsum(0) / (x * 0 + 1).cumsum(0),
            lambda tk, t: lambda x: x.cumsum(0).div(x.new_ones(len(x)).cumsum(0)),
            lambda tk, t: lambda x: x.new_tensor([x[: i + 1].mean().item() for i in range(len(x))]),
        ),
        wrong=(
            (lambda tk, t: lambda x: x.cumsum(0) / len(x), ENDS),
            (lambda tk, t: lambda x: x.cumsum(0), ENDS),
            (lambda tk, t: lambda x: x.cumsum(0) / x.new_tensor([*range(len(x))]), "counting from zero"),
            (lambda tk, t: lambda x: x.mean(), ""),
        ),
    ),
    Task(
        "count_above",
        "Without a loop",
        "Write `mean_above(t, low)`: the mean of all elements of `t` that are larger than `low`, as a Python "
        "number. Do not loop over the elements.\n\n"
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
            (lambda tk, t: lambda x, low: _loop(x, low), LOOPS),
            (lambda tk, t: lambda x, low: None, ""),
        ),
    ),
    Task(
        "silent",
        "Nothing to hear",
        "A recorder should not store silence. `sound` is a row of samples. Cut it into windows of `width` samples, "
        "each starting where the one before ends; samples left over at the end are not used. Write "
        "`silent(sound, width, limit)`: in how many windows is *every* sample between `-limit` and `limit`, both "
        "included? Do not loop over the windows.\n\n"
        "    def silent(sound, width, limit):\n"
        "        ...",
        Checker(_silent, _SILENT.slips),
        (
            "Make a table with one row for each window: then `dim=1` runs along a window.",
            "`unfold(0, size, step)` makes that table. Which step makes each window start where the one before ends?",
            "Compare the absolute values of the samples with the limit, reduce each row with `all`, and count with "
            "`sum`.",
        ),
        "def silent(sound, width, limit):\n"
        "    quiet = sound.unfold(0, width, width).abs() <= limit\n"
        "    return quiet.all(dim=1).sum().item()",
        stage="free",
        right=(
            lambda tk, t: lambda sound, width, limit: _quiet(sound, width, limit).all(1).sum().item(),
            lambda tk, t: (
                lambda sound, width, limit: (sound.abs().unfold(0, width, width).amax(dim=1) <= limit).sum()
            ),
            lambda tk, t: (
                lambda sound, width, limit: int(
                    ((sound[: len(sound) // width * width].view(-1, width) ** 2).amax(1) <= limit**2).sum()
                )
            ),
        ),
        wrong=(
            (lambda tk, t: _silent_loop, LOOPS),
            (
                lambda tk, t: (
                    lambda sound, width, limit: (sound.unfold(0, width, width) <= limit).all(1).sum()
                ),
                "",
            ),
            (
                lambda tk, t: lambda sound, width, limit: _quiet(sound, width, limit, 1).all(1).sum().item(),
                "strides count slots",
            ),
            (
                lambda tk, t: lambda sound, width, limit: _quiet(sound, width, limit).all(0).sum(),
                "`dim=` in a reduction",
            ),
            (lambda tk, t: lambda sound, width, limit: (sound.abs() <= limit).sum(), "True counts as 1"),
            (
                lambda tk, t: (
                    lambda sound, width, limit: (
                        sound.unfold(0, width, width).square().mean(1).sqrt() <= limit
                    ).sum()
                ),
                "",
            ),
            (lambda tk, t: lambda sound, width, limit: _quiet(sound.view(-1, 1), width, limit), ""),
            (lambda tk, t: lambda sound, width, limit: None, ""),
        ),
    ),
    Task(
        "curves",
        "Whose times are these?",
        "Three lines give the mean of the numbers in `x`. Each was timed for 10, 1,000 and 100,000 numbers; these are "
        "the medians, in microseconds:\n\n"
        "             10    1,000   100,000\n"
        "    P         4        8        33\n"
        "    Q       0.2        6       560\n"
        "    R        60    4,500   790,000\n\n"
        "    a   sum(x) / len(x)\n"
        "    b   x.mean()\n"
        "    c   sum(numbers) / len(numbers)      where numbers = x.tolist() was made beforehand\n\n"
        "Which line is P, which is Q, which is R? Give three letters.",
        choice_check("bca", _CURVES, "Give three letters, for P, Q and R: each of a, b and c once."),
        (
            "One of the lines calls the engine just once, whatever the size.",
            "The other two are loops: Python's `sum` adds one element after another. What kind of element does each "
            "of them add?",
            "P is flat. Q and R grow with the numbers, and R calls the engine for each of them.",
        ),
        "b c a",
        stage="reverse",
        entry="a b c",
        right=(lambda tk, t: "bca", lambda tk, t: "B, C, A", lambda tk, t: "b c a"),
        wrong=(
            (lambda tk, t: "bac", LOOPS),
            (lambda tk, t: "cba", LOOPS),
            (lambda tk, t: "abc", LOOPS),
            (lambda tk, t: "acb", LOOPS),
            (lambda tk, t: "cab", LOOPS),
            (lambda tk, t: "bb c", ""),
        ),
    ),
    Task(
        "repair",
        "Repair it",
        "This function gives the share of each number in the sum of all. It is right, and "
        "far slower than it has to be. Repair it.\n\n"
        "    def shares(t):\n"
        "        return tk.tensor([x.item() / t.sum().item() for x in t])",
        Checker(_shares, _SHARES.slips),
        (
            "Count the calls for three numbers. Which calls are the same each time?",
            "`t.sum()` is computed for each number again. Once is enough.",
            "A division works on all numbers at once, like any operation: divide the tensor by one number.",
        ),
        "def shares(t):\n    return t / t.sum()",
        stage="free",
        right=(
            lambda tk, t: lambda t: t / t.sum(),
            lambda tk, t: lambda t: t.div(t.sum().item()),
            lambda tk, t: lambda t: (1 / t.sum()) * t,
        ),
        wrong=(
            (lambda tk, t: lambda t: tk.tensor([x.item() / t.sum().item() for x in t]), LOOPS),
            (lambda tk, t: lambda t: _shares_by_hand(tk, t), LOOPS),
            (lambda tk, t: lambda t: t / t.max(), ""),
            (lambda tk, t: lambda t: t.sum(), ""),
        ),
    ),
)
