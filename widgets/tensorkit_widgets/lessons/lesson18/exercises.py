"""The exercises of lesson 18, with the solutions and slips that prove their checks."""

from __future__ import annotations

from tensorkit_widgets.lessons.lesson18.trial_functions import (
    best_line,
    cubic,
    emptied,
    filled,
    fresh,
    fresh_by_copy,
    fresh_by_none,
    fresh_by_zero,
    fresh_elsewhere,
    only_the_last,
    other_portions,
    other_row_sums,
    portions,
    portions_after_others,
    portions_asked,
    portions_at_once,
    portions_stale,
    portions_walked,
    refreshed,
    retained,
    row_sums,
    row_sums_hooked,
    row_sums_kept,
    row_sums_lost,
    row_sums_of_x,
    row_sums_unreturned,
    stale,
    table,
    two,
    uphill,
    uphill_asked,
    uphill_by_hand,
    uphill_error,
    uphill_of_a_sum,
    uphill_stale,
    uphill_swapped,
    uphill_walked,
    walked_before,
    walked_twice,
)
from tensorkit_widgets.practice.checking.checks import number_check
from tensorkit_widgets.practice.checking.checks_autograd import trial_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Task

TASKS = (
    Task(
        "gradient_by_hand",
        "A gradient by hand",
        "Worked: `3 * x * x + 4` at x = 5. A square changes 2·5 = 10 times as fast as `x`, three squares 30 times as "
        "fast, and the 4 does not change at all. Together: **30**.\n\n"
        "Your turn: what is the gradient of `5 * x * x - x` at x = 2?",
        number_check(
            19,
            slips=(
                Slip(
                    "a value is not a gradient",
                    "that is the value at x = 2. How fast does it change there?",
                    given=18,
                ),
                Slip(
                    "every path counts",
                    "`x` is used twice in `x * x`, and each use counts: the square gives 2·x, not x.",
                    given=9,
                ),
                Slip("every path counts", "that is the square's part alone; `- x` counts as well.", given=20),
                Slip("every path counts", "the last part is subtracted: `- x` gives -1.", given=21),
            ),
        ),
        (
            "Take the two parts one by one: `5 * x * x`, and then `- x`.",
            "A square changes 2·x times as fast as x; five squares five times that. And `- x` gives -1.",
            "5·2·2 - 1",
        ),
        "5 * 2 * 2 - 1  # 19",
        stage="worked",
        entry="30",
        base=lambda tk: tk.tensor(2.0, requires_grad=True),
        right=(
            lambda tk, t: 19,
            lambda tk, t: "19",
            lambda tk, t: tk.autograd.grad(5 * t * t - t, t)[0],
        ),
        wrong=(
            (lambda tk, t: 18, "a value is not a gradient"),
            (lambda tk, t: 5 * t * t - t, "a value is not a gradient"),
            (lambda tk, t: 9, "every path counts"),
            (lambda tk, t: 20, "every path counts"),
            (lambda tk, t: 7, ""),
        ),
    ),
    Task(
        "fresh_gradient",
        "A fresh gradient",
        "Write a function that gives the gradient of `f(w)` for the leaf `w`, whatever was in `w.grad` before. (`f` "
        "takes a tensor and gives one number.) Give me the function itself, without calling it.\n\n"
        "    def fresh_gradient(f, w):\n"
        "        ...  # is there something in w.grad?\n"
        "        ...  # compute, and walk back\n"
        "        return ...",
        trial_check(
            fresh,
            refreshed,
            fresh_elsewhere,
            errors={
                "'NoneType'": Slip(
                    "backward adds",
                    "before the first walk `w.grad` is `None`, and that has no `zero_()`. Put `None` there instead, "
                    "or check first.",
                    given="",
                )
            },
            slips=(
                Slip(
                    "backward adds",
                    "what was in `w.grad` before is still in it. Empty `.grad` before you walk.",
                    behaves=stale,
                ),
                Slip(
                    "a value is not a gradient",
                    "that is the value of `f`, not its gradient.",
                    behaves=lambda f, w: f(w),
                ),
                Slip(
                    "",
                    "you emptied `.grad` after the walk, and returned the emptied tensor.",
                    behaves=emptied,
                ),
            ),
        ),
        (
            "`backward()` adds to what it finds in `.grad`.",
            "So empty it before: `None` says that there is no gradient yet.",
            "Three lines: set `.grad` to `None`, call `f` and `backward()`, return `.grad`.",
        ),
        "def fresh_gradient(f, leaf):\n    leaf.grad = None\n    f(leaf).backward()\n    return leaf.grad",
        stage="faded",
        base=two,
        right=(
            lambda tk, t: fresh_by_none,
            lambda tk, t: fresh_by_zero,
            lambda tk, t: fresh_by_copy,
            lambda tk, t: lambda f, w: tk.autograd.grad(f(w), w)[0],
        ),
        wrong=(
            (lambda tk, t: stale, "backward adds"),
            (lambda tk, t: walked_twice, "second backward fails"),
            (lambda tk, t: lambda f, w: w.grad if f(w) > w else None, "`if` on a tensor"),
            (lambda tk, t: emptied, ""),
            (lambda tk, t: lambda f, w: f(w), "a value is not a gradient"),
            (lambda tk, t: lambda f, w: w.grad.zero_(), "backward adds"),
            (lambda tk, t: lambda f, w: tk.autograd.grad(f(w), w), ""),
            (lambda tk, t: lambda f, w: None, ""),
        ),
    ),
    Task(
        "which_loss",
        "Which loss gives this gradient?",
        "Somebody called `loss_of(x).backward()` on a fresh leaf `x` and found\n\n"
        "    x       tensor([1., 2., 3.], requires_grad=True)\n"
        "    x.grad  tensor([ 3., 12., 27.])\n\n"
        "that is, 3·x² in every element, and the same rule for other numbers. What was the function?\n\n"
        "    def loss_of(x):\n"
        "        return ...",
        trial_check(
            cubic(1.0, 2.0, 3.0),
            cubic(-2.0, 5.0),
            slips=(
                Slip(
                    "a value is not a gradient",
                    "3·x² is what the **gradient** should be. Which function changes that fast? It is not 3·x² itself.",
                    behaves=lambda x: (3 * x * x).sum(),
                ),
                Slip(
                    "every path counts",
                    "that is three times too much: the three uses of `x` already give the factor 3.",
                    behaves=lambda x: (3 * x * x * x).sum(),
                ),
            ),
        ),
        (
            "`(x * x).sum()` has the gradient 2·x: each of the two uses of `x` adds one x.",
            "3·x² is x·x + x·x + x·x. How often is `x` used, then?",
            "The sum of `x * x * x`.",
        ),
        "def loss_of(x):\n    return (x * x * x).sum()",
        stage="reverse",
        base=lambda tk: tk.tensor([1.0, 2.0, 3.0], requires_grad=True),
        right=(
            lambda tk, t: lambda x: (x * x * x).sum(),
            lambda tk, t: lambda x: (x**3).sum(),
            lambda tk, t: lambda x: (x * (3 * x * x).detach()).sum() + 7,
        ),
        wrong=(
            (lambda tk, t: lambda x: (3 * x * x).sum(), "a value is not a gradient"),
            (lambda tk, t: lambda x: x * x * x, "backward starts from one number"),
            (lambda tk, t: lambda x: (x * x * x).sum().detach(), "detach cuts a path"),
            (lambda tk, t: lambda x: (3 * x * x * x).sum(), "every path counts"),
            (lambda tk, t: lambda x: (x * x * x).mean(), ""),
            (lambda tk, t: lambda x: (x * tk.tensor([3.0, 12.0, 27.0])).sum(), ""),
            (lambda tk, t: lambda x: None, ""),
        ),
    ),
    Task(
        "in_the_middle",
        "The gradient of the row sums",
        "`x` is a table with two rows, and it requires grad. Write a function that adds up each row (call these two "
        "numbers `h`), and whose loss is the sum of the cubes of `h`. It should return the gradient of that loss for "
        "**`h`**, not for `x`.",
        trial_check(
            row_sums,
            other_row_sums,
            slips=(
                Slip(
                    "`.grad` of a non-leaf",
                    "that is the gradient for the leaf `x`, one step further back.",
                    behaves=row_sums_of_x,
                ),
            ),
        ),
        (
            "The row sums are in the middle. What happens to their gradient during the walk?",
            "It is passed on and forgotten, unless you request it before the walk: `retain_grad()`.",
            "After `h = x.sum(dim=1)` and before the walk, call `h.retain_grad()`. (`tk.autograd.grad` can do it too.)",
        ),
        "def row_gradient(x):\n"
        "    sums = x.sum(1)\n"
        "    sums.retain_grad()\n"
        "    (sums * sums * sums).sum().backward()\n"
        "    return sums.grad",
        base=table,
        right=(
            lambda tk, t: row_sums_kept,
            lambda tk, t: row_sums_hooked,
            lambda tk, t: lambda x: tk.autograd.grad(((h := x.sum(1)) ** 3).sum(), h)[0],
        ),
        wrong=(
            (lambda tk, t: row_sums_lost, "`.grad` of a non-leaf"),
            (lambda tk, t: row_sums_of_x, "`.grad` of a non-leaf"),
            (lambda tk, t: row_sums_unreturned, ""),
            (lambda tk, t: lambda x: x.sum(1).detach(), "a value is not a gradient"),
            (lambda tk, t: lambda x: tk.autograd.grad(((h := x.sum(1)) ** 3).sum(), h), ""),
            (lambda tk, t: lambda x: (x * 4.5).sum(1), ""),
        ),
    ),
    Task(
        "uphill",
        "Which way is better?",
        "You have the ages of thirty patients and their blood pressures, and a straight line that guesses the "
        "pressure: `slope * age + offset`. Should its slope grow or shrink, and its offset?\n\n"
        "Write a function that takes the leaf `line`, the two numbers (slope, offset), and the tensors `x` and `y`. "
        "It should return the gradient of the **mean** of the squared errors, for both numbers at once, whatever was "
        "in `line.grad` before.",
        trial_check(
            uphill,
            best_line,
            filled,
            slips=(
                Slip(
                    "backward adds",
                    "what was in `line.grad` before is still in it. Empty `.grad` before you walk.",
                    behaves=uphill_stale,
                ),
                Slip(
                    "",
                    "that is the gradient of the **sum** of the squared errors: with more patients it would "
                    "grow, even if the line were no worse. Use the mean.",
                    behaves=uphill_of_a_sum,
                ),
                Slip(
                    "",
                    "you have swapped the two: `line[0]` is the slope, which multiplies `x`, and `line[1]` the offset.",
                    behaves=uphill_swapped,
                ),
                Slip(
                    "a value is not a gradient",
                    "that is the error itself. How fast does it change with the slope, and with the offset?",
                    behaves=uphill_error,
                ),
            ),
        ),
        (
            "First the guesses: `line[0] * x + line[1]`. Then how far they are from `y`.",
            "The loss is the mean of the squares of these differences. It is one number, so you can walk back from it.",
            "Empty `line.grad`, compute the loss, call `backward()`, return `line.grad`.",
        ),
        "def uphill(line, x, y):\n"
        "    line.grad = None\n"
        "    guess = line[0] * x + line[1]\n"
        "    ((guess - y) ** 2).mean().backward()\n"
        "    return line.grad",
        base=two,
        right=(
            lambda tk, t: uphill_walked,
            lambda tk, t: uphill_asked,
            lambda tk, t: uphill_by_hand,
            lambda tk, t: lambda line, x, y: tk.autograd.grad(uphill_error(line, x, y), line)[0],
        ),
        wrong=(
            (lambda tk, t: uphill_stale, "backward adds"),
            (lambda tk, t: uphill_of_a_sum, ""),
            (lambda tk, t: uphill_swapped, ""),
            (lambda tk, t: uphill_error, "a value is not a gradient"),
            (lambda tk, t: lambda line, x, y: line.grad, ""),
        ),
    ),
    Task(
        "repair",
        "Repair it",
        "A large amount of data is used in portions, one row after the other, and the gradients of all "
        "portions should add up in `w.grad`. This function stops with an error at the second portion. Repair "
        "it.\n"
        "\n"
        "    def in_portions(w, portions):\n"
        "        w.grad = None\n"
        "        loss = (portions[0] * w).sum() ** 2\n"
        "        for portion in portions:\n"
        "            loss.backward()\n"
        "        return w.grad",
        trial_check(
            portions,
            portions_after_others,
            other_portions,
            slips=(
                Slip(
                    "second backward fails",
                    "the error is gone, but `retain_graph=True` only lets you walk over the same graph again: the "
                    "first portion is added every time, and the others never. Each portion needs a loss of its own.",
                    behaves=retained,
                ),
                Slip(
                    "backward adds",
                    "that is the gradient of the last portion alone: you emptied `.grad` inside the loop.",
                    behaves=only_the_last,
                ),
                Slip(
                    "backward adds",
                    "what was in `w.grad` before the first portion is still in it: empty it once, before the loop.",
                    behaves=portions_stale,
                ),
            ),
        ),
        (
            "Which graph does the second turn of the loop walk over? Does that graph still have what it "
            "saved?",
            "The loss is computed once, before the loop. Each portion needs a loss of its own.",
            "Move the line `loss = …` into the loop, and let it use `portion`.",
        ),
        "def in_portions(w, portions):\n"
        "    w.grad = None\n"
        "    for portion in portions:\n"
        "        ((portion * w).sum() ** 2).backward()\n"
        "    return w.grad",
        base=two,
        right=(
            lambda tk, t: portions_walked,
            lambda tk, t: portions_at_once,
            lambda tk, t: portions_asked,
        ),
        wrong=(
            (lambda tk, t: walked_before, "second backward fails"),
            (lambda tk, t: retained, "second backward fails"),
            (lambda tk, t: only_the_last, "backward adds"),
            (lambda tk, t: portions_stale, "backward adds"),
            (lambda tk, t: lambda w, portions: None, ""),
        ),
    ),
)
