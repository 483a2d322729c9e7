"""The exercises of lesson 18, with the solutions and slips that prove their checks."""

from __future__ import annotations

from tensorkit_widgets.lessons.lesson18.trial_functions import (
    LETTERS,
    cubic,
    emptied,
    fails,
    fresh,
    fresh_by_copy,
    fresh_by_none,
    fresh_by_zero,
    middle,
    middle_hooked,
    middle_kept,
    middle_lost,
    middle_of_x,
    middle_unreturned,
    refreshed,
    stale,
    three,
    two,
    walked_twice,
)
from tensorkit_widgets.practice.checking.checks import number_check
from tensorkit_widgets.practice.checking.checks_autograd import letters_check, trial_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Task

__all__ = ["TASKS"]

TASKS = (
    Task(
        "gradient_by_hand",
        "A gradient by hand",
        "Worked: `x * x + 2 * x` at x = 3. The square changes 2·3 = 6 times as fast as `x`, the doubling twice as "
        "fast. Together: **8**.\n\n"
        "Your turn: what is the gradient of `5 * x * x - x` at x = 2?",
        number_check(
            19,
            slips=(
                Slip(
                    "a value is not a gradient",
                    "that is what comes out at x = 2. How fast does it change there?",
                    given=18,
                ),
                Slip(
                    "every path counts",
                    "`x` is used twice in `x * x`, and each use counts: the square gives 2·x, not x.",
                    given=9,
                ),
                Slip("every path counts", "that is the square's part alone; `- x` counts as well.", given=20),
                Slip("every path counts", "the last part is taken away: `- x` gives -1.", given=21),
            ),
        ),
        (
            "Take the two parts one by one: `5 * x * x`, and then `- x`.",
            "A square changes 2·x times as fast as x; five squares five times that. And `- x` gives -1.",
            "5·2·2 - 1",
        ),
        "5 * 2 * 2 - 1  # 19",
        stage="worked",
        entry="8",
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
            errors={
                "'NoneType'": Slip(
                    "backward adds",
                    "before the first walk `w.grad` is None, and None has no `zero_()`. Put None there, or "
                    "ask first.",
                    given="",
                )
            },
        ),
        (
            "`backward()` adds to what it finds in `.grad`.",
            "So empty it before: None says that there is no gradient yet.",
            "Three lines: set `.grad` to None, call `f` and `backward()`, give `.grad` back.",
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
        "in_the_middle",
        "In the middle",
        "Write a function that doubles `x`, squares what it gets, and adds all up; and that gives the gradient of "
        "that sum for the **doubled** tensor, not for `x`.\n\n"
        "    def middle_gradient(x):\n"
        "        h = x * 2\n"
        "        ...\n"
        "        return ...",
        trial_check(middle),
        (
            "The tensor in the middle is no leaf. What happens to its gradient during the walk?",
            "It is passed on and forgotten, unless the tensor was told before: `retain_grad()`.",
            "Between `h = …` and the walk back, call `h.retain_grad()`. (`tk.autograd.grad` can do it, too.)",
        ),
        "def middle_gradient(x):\n"
        "    middle = x * 2\n"
        "    middle.retain_grad()\n"
        "    (middle * middle).sum().backward()\n"
        "    return middle.grad",
        stage="faded",
        base=two,
        right=(
            lambda tk, t: middle_kept,
            lambda tk, t: middle_hooked,
            lambda tk, t: lambda x: tk.autograd.grad(((h := x * 2) * h).sum(), h)[0],
        ),
        wrong=(
            (lambda tk, t: middle_lost, "`.grad` of a non-leaf"),
            (lambda tk, t: middle_of_x, "`.grad` of a non-leaf"),
            (lambda tk, t: middle_unreturned, ""),
            (lambda tk, t: lambda x: (x * 2).detach(), "a value is not a gradient"),
            (lambda tk, t: lambda x: tk.autograd.grad(((h := x * 2) * h).sum(), h), ""),
            (lambda tk, t: lambda x: x * 4.5, ""),
        ),
    ),
    Task(
        "which_loss",
        "Which loss has this gradient?",
        "Somebody called `loss_of(x).backward()` on a fresh leaf `x` and found\n\n"
        "    x       tensor([1., 2., 3.], requires_grad=True)\n"
        "    x.grad  tensor([ 3., 12., 27.])\n\n"
        "that is, 3·x² in every element, and so for other numbers as well. What was the function?\n\n"
        "    def loss_of(x):\n"
        "        return ...",
        trial_check(cubic(1.0, 2.0, 3.0), cubic(-2.0, 5.0)),
        (
            "`(x * x).sum()` has the gradient 2·x: each of the two uses of `x` adds one x.",
            "3·x² is x·x + x·x + x·x. How often is `x` used, then?",
            "The sum of `x * x * x`.",
        ),
        "def loss_of(x):\n    return (x * x * x).sum()",
        stage="reverse",
        base=three,
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
        "which_fail",
        "Which of them fail?",
        "In each line `x` is a fresh `tk.tensor([1.0, 2.0, 3.0], requires_grad=True)`. Which lines end in an error? "
        "Give their letters.\n\n"
        "    A   loss = (x ** 2).sum(); loss.backward(); loss.backward()\n"
        "    B   x += 1\n"
        "    C   h = x * 2; h += 1; h.sum().backward()\n"
        "    D   r = tk.zeros(3, 1).expand(3, 4); r += 1\n"
        "    E   x.detach().add_(1)",
        letters_check("ABD", LETTERS),
        (
            "Ask of each write: is the tensor a leaf that requires grad? Did a step save it? Does a slot show twice?",
            "In C the multiplication saved what it was given (`x` and 2 at the most), not what it made.",
            "What `detach` gives requires no grad, so it may be written. Three lines fail.",
        ),
        '"A B D"  # a second walk; a leaf; an expanded tensor',
        stage="free",
        entry="A E",
        base=three,
        right=(
            lambda tk, t: "A B D",
            lambda tk, t: "d, b and a",
            lambda tk, t: ["A", "B", "D"],
            lambda tk, t: fails(tk),
        ),
        wrong=(
            (lambda tk, t: "B D", "second backward fails"),
            (lambda tk, t: "A D", "in-place on a leaf"),
            (lambda tk, t: "A B C D", "a saved tensor was changed"),
            (lambda tk, t: "AB", "in-place on an expanded tensor"),
            (lambda tk, t: "A, B, D, E", "detach vs clone"),
        ),
    ),
)
