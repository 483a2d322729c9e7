"""The exercises of lesson 19, with the solutions and slips that prove their checks."""

from __future__ import annotations

from tensorkit_widgets.lessons.lesson19.trial_functions import (
    CHANGED,
    LETTERS,
    broken,
    cut,
    faded_out,
    fails,
    fitted,
    fitted_in_two,
    fitted_stale,
    fitted_too_briefly,
    fitted_uphill,
    kept_within,
    magnified,
    one_by_one,
    passed_on,
    pushed,
    repaired,
    repaired_by_factor,
    repaired_with_a_copy,
    same_numbers,
    slopes_after_others,
    slopes_elsewhere,
    slopes_of_a_mean,
    slopes_of_a_sum,
    slopes_of_cubes,
    slopes_stale,
    slopes_weighed,
    step_forgetful,
    step_rebound,
    step_recorded,
    step_under_no_grad,
    step_up,
    still_a_leaf,
    three,
    two,
    unscaled,
    written_aside,
    written_unseen,
)
from tensorkit_widgets.practice.checking.checks_autograd import letters_check, trial_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Task

TASKS = (
    Task(
        "which_fail",
        "Which of them fail?",
        "In each line `x` is a fresh `tk.tensor([1.0, 2.0, 3.0], requires_grad=True)`.\n\n"
        "Worked: `y = x * 3; y += 1; y.sum().backward()` runs. `y` is no leaf, and no step saved it: a product with a "
        "plain number needs only that number on the way back.\n\n"
        "Your turn: which of these end in an error? Give their letters.\n\n"
        "    A   y = x * x; y *= 2; y.sum().backward()\n"
        "    B   y = x.exp(); y += 1; y.sum().backward()\n"
        "    C   x *= 2\n"
        "    D   x.detach().mul_(2)\n"
        "    E   y = x * 3; z = (y * y).sum(); y[1:].zero_(); z.backward()",
        letters_check("BCE", LETTERS),
        (
            "For each write, check two things: is the tensor a leaf that requires grad? Did a step save it?",
            "The derivative of `exp` is `exp` itself, so that step saves its result. A product saves its inputs.",
            "What `detach` gives does not require grad, so you may write into it. Three lines fail.",
        ),
        '"B C E"  # a saved result; a leaf; a saved tensor, written through a view',
        stage="worked",
        entry="A E",
        base=three,
        right=(
            lambda tk, t: "B C E",
            lambda tk, t: "e, c and b",
            lambda tk, t: ["B", "C", "E"],
            lambda tk, t: fails(tk),
        ),
        wrong=(
            (lambda tk, t: "A B C E", "a saved tensor was changed"),
            (lambda tk, t: "C E", "a saved tensor was changed"),
            (lambda tk, t: "B E", "in-place on a leaf"),
            (lambda tk, t: "B, C, D, E", "detach vs clone"),
            (lambda tk, t: "BC", "a slice aliases its base"),
        ),
    ),
    Task(
        "a_step",
        "A step with momentum",
        "A ball that rolls downhill keeps some of its speed. Learning can do the same: `velocity` first "
        "becomes 0.9 times itself plus the gradient, and then `w` moves by `rate` times the velocity, "
        "downhill. Change both **in place**, so that `w` stays a leaf that requires grad. Fill the gaps.\n"
        "\n"
        "    def step(w, velocity, rate):\n"
        "        velocity.mul_(0.9).add_(___)\n"
        "        with ___:\n"
        "            w -= ___",
        trial_check(
            pushed,
            still_a_leaf,
            errors={
                "leaf Variable that requires grad": Slip(
                    "in-place on a leaf",
                    "autograd was going to record that write. Switch recording off while you change `w`.",
                    given="",
                )
            },
            slips=(
                Slip(
                    "x += y vs x = x + y",
                    "`w` is right, but `velocity` is as it was: `velocity = …` makes a new tensor, and only your "
                    "function's own name moves to it. The next step would have forgotten the speed.",
                    behaves=step_rebound,
                ),
                Slip(
                    "",
                    "the old velocity is lost. It should become 0.9 times what it was, plus the gradient.",
                    behaves=step_forgetful,
                ),
                Slip("", "that goes up the gradient; learning goes down, against it.", behaves=step_up),
            ),
        ),
        (
            "The gradient is in `w.grad`. The velocity does not require grad, so you may write into it "
            "freely.",
            "`w` is a leaf: switch recording off while you write into it.",
            "`add_(w.grad)`, `with tk.no_grad():`, and `rate * velocity`.",
        ),
        "def step(w, velocity, rate):\n"
        "    velocity.mul_(0.9).add_(w.grad)\n"
        "    with tk.no_grad():\n"
        "        w -= rate * velocity",
        stage="faded",
        base=two,
        right=(
            lambda tk, t: step_under_no_grad(tk),
            lambda tk, t: tk.no_grad()(lambda w, v, rate: w.sub_(v.mul_(0.9).add_(w.grad) * rate)),
            lambda tk, t: lambda w, v, rate: w.detach().sub_(rate * v.mul_(0.9).add_(w.grad)),
        ),
        wrong=(
            (lambda tk, t: step_recorded, "in-place on a leaf"),
            (lambda tk, t: step_rebound, "x += y vs x = x + y"),
            (lambda tk, t: step_forgetful, ""),
            (lambda tk, t: step_up, ""),
            (lambda tk, t: lambda w, velocity, rate: None, ""),
            (lambda tk, t: lambda w, velocity, rate: w.requires_grad_(False).sub_(1), ""),
        ),
    ),
    Task(
        "slopes",
        "All slopes at once",
        "Write a function that takes a function `f`, which works element by element, and a leaf `x`. It should return "
        "the derivative of `f` at every element of `x`, in a tensor of the same size: without a loop, and whatever was "
        "in `x.grad` before.",
        trial_check(
            slopes_of_cubes,
            slopes_after_others,
            slopes_elsewhere,
            slips=(
                Slip(
                    "backward adds",
                    "what was in `x.grad` before is still in it. Empty `.grad` before you walk.",
                    behaves=slopes_stale,
                ),
                Slip(
                    "every path counts",
                    "they are all too small by the same factor: a mean divides each slope by the number of elements. "
                    "Each should count in full.",
                    behaves=slopes_of_a_mean,
                ),
                Slip(
                    "a value is not a gradient",
                    "these are the values of `f`, not its slopes.",
                    behaves=lambda f, x: f(x),
                ),
            ),
        ),
        (
            "`backward` starts from one number, or else it needs a weight for each of several.",
            "Each result depends on its own element alone. So a sum of all results keeps the slopes apart.",
            "Empty `x.grad`, walk back from `f(x).sum()`, return `x.grad`.",
        ),
        "def slopes(f, leaf):\n    leaf.grad = None\n    f(leaf).sum().backward()\n    return leaf.grad",
        base=three,
        right=(
            lambda tk, t: slopes_of_a_sum,
            lambda tk, t: slopes_weighed(tk),
            lambda tk, t: lambda f, x: tk.autograd.grad(f(x).sum(), x)[0],
        ),
        wrong=(
            (lambda tk, t: slopes_stale, "backward adds"),
            (lambda tk, t: slopes_of_a_mean, "every path counts"),
            (lambda tk, t: one_by_one, "element loops"),
            (lambda tk, t: lambda f, x: f(x), "a value is not a gradient"),
            (lambda tk, t: lambda f, x: f(x).backward(), "backward starts from one number"),
            (lambda tk, t: lambda f, x: None, ""),
        ),
    ),
    Task(
        "within_bounds",
        "Gradients within bounds",
        "A single huge gradient can throw a network far off course. Write a function that takes a computed "
        "tensor `h` and a number `most`, and returns `h` with the same numbers. But every gradient that "
        "passes back through it should be limited to the range from `-most` to `most`.",
        trial_check(
            same_numbers,
            kept_within,
            slips=(
                Slip(
                    "a value is not a gradient",
                    "you have clamped the **numbers** of `h`. They should stay; it is the gradient that has to be "
                    "brought within bounds, on the way back.",
                    behaves=lambda h, most: h.clamp(-most, most),
                ),
                Slip(
                    "a hook runs on the way back",
                    "the gradient is passed on as it came. Is there a hook on `h`, and does its function **return** "
                    "the clamped gradient?",
                    behaves=lambda h, most: h,
                ),
                Slip(
                    "",
                    "large gradients are brought within bounds, but not those below `-most`: -8 stays -8.",
                    behaves=lambda h, most: h.register_hook(lambda grad: grad.clamp(max=most)) and h,
                ),
            ),
        ),
        (
            "Which kind of function is called on the way back, and gets the gradient?",
            "A hook. What it returns replaces the gradient; `clamp` keeps numbers within bounds.",
            "`h.register_hook(lambda grad: grad.clamp(-most, most))`, and then return `h`.",
        ),
        "def within_bounds(h, most):\n    h.register_hook(lambda grad: grad.clamp(-most, most))\n    return h",
        base=two,
        right=(
            lambda tk, t: passed_on,
            lambda tk, t: lambda h, most: passed_on(h.clone(), most),
            lambda tk, t: (
                lambda h, most: (h.register_hook(lambda g: g.clamp(min=-most).clamp(max=most)), h)[1]
            ),
        ),
        wrong=(
            (lambda tk, t: lambda h, most: h.clamp(-most, most), "a value is not a gradient"),
            (lambda tk, t: lambda h, most: h, "a hook runs on the way back"),
            (
                lambda tk, t: lambda h, most: (h.register_hook(lambda grad: None), h)[1],
                "a hook runs on the way back",
            ),
            (lambda tk, t: lambda h, most: (h.register_hook(lambda grad: grad.clamp(max=most)), h)[1], ""),
            (lambda tk, t: lambda h, most: h.detach(), ""),
            (lambda tk, t: lambda h, most: [passed_on(h, most)].clear(), ""),
        ),
    ),
    Task(
        "fade",
        "A string that fades",
        "A string is struck, and its loudness `y` is measured at the times `t`. It fades like `a * exp(-b * "
        "t)`. How loud was it at first, and how fast does it fade? Write a function that finds `a` and `b`: "
        "put `a` and `b`, both 1 at first, into one leaf, take 200 steps against the gradient of the mean "
        "squared error with the rate 0.5, and return the leaf.",
        trial_check(
            faded_out,
            errors={
                "'NoneType'": Slip(
                    "x += y vs x = x + y",
                    "a `.grad` was `None`. If your step is `p = p - …`, it makes a new tensor that is no "
                    "leaf, and the next walk leaves its `.grad` empty. Write in place, with recording "
                    "switched off.",
                    given="",
                ),
            },
            slips=(
                Slip(
                    "backward adds",
                    "it does not settle: every step goes along the sum of all gradients so far. Empty `.grad` in "
                    "each turn.",
                    behaves=fitted_stale,
                ),
                Slip("", "that goes up the gradient, away from the measurements.", behaves=fitted_uphill),
            ),
        ),
        (
            "In each turn: compute the loss, walk back, write, empty `.grad`.",
            "The guess is `p[0] * tk.exp(-p[1] * t)`, and the loss the mean of its squared distance from `y`.",
            "Write with `p -= 0.5 * p.grad` under `tk.no_grad()`, and set `p.grad = None` before the next turn.",
        ),
        "def fit(t, y):\n"
        "    p = tk.tensor([1.0, 1.0], requires_grad=True)\n"
        "    for turn in range(200):\n"
        "        guess = p[0] * tk.exp(-p[1] * t)\n"
        "        ((guess - y) ** 2).mean().backward()\n"
        "        with tk.no_grad():\n"
        "            p -= 0.5 * p.grad\n"
        "        p.grad = None\n"
        "    return p",
        base=two,
        right=(
            lambda tk, t: fitted(tk),
            lambda tk, t: fitted_in_two,
            lambda tk, t: lambda times, y: fitted(tk)(times, y).detach().clone(),
        ),
        wrong=(
            (lambda tk, t: fitted_stale, "backward adds"),
            (lambda tk, t: fitted_uphill, ""),
            (lambda tk, t: fitted_too_briefly, ""),
            (
                lambda tk, t: lambda times, y: tk.ones(2) - 0.5 * tk.ones(2, requires_grad=True).grad,
                "x += y vs x = x + y",
            ),
            (lambda tk, t: lambda times, y: (2.0, 0.5), ""),
            (lambda tk, t: lambda times, y: None, ""),
        ),
    ),
    Task(
        "repair",
        "Repair it",
        "`sigmoid` turns numbers into chances between 0 and 1. This function gives the sum of the chances in "
        "per cent, and that number is right; but `percent(x).backward()` fails. Repair it, so that the "
        "number stays the same and the gradient is right.\n"
        "\n"
        "    def percent(x):\n"
        "        p = tk.sigmoid(x)\n"
        "        p *= 100\n"
        "        return p.sum()",
        trial_check(
            repaired,
            errors={"modified by an inplace operation": CHANGED},
            slips=(
                Slip(
                    "a saved tensor was changed",
                    "there is no error any more, and the gradient is wrong: you have hidden the write from autograd, "
                    "and it used the overwritten numbers. Do not write into `p` at all.",
                    behaves=written_unseen,
                ),
            ),
        ),
        (
            "Which step saved something, and what happened to it before the walk?",
            "`sigmoid` needs its own result on the way back. `p *= 100` writes into that very storage.",
            "Make a new tensor instead of writing into the old one: `p * 100`.",
        ),
        "def percent(x):\n    return (tk.sigmoid(x) * 100).sum()",
        base=two,
        right=(
            lambda tk, t: repaired_by_factor,
            lambda tk, t: repaired_with_a_copy,
            lambda tk, t: magnified,
        ),
        wrong=(
            (lambda tk, t: broken, "a saved tensor was changed"),
            (lambda tk, t: written_aside, "a saved tensor was changed"),
            (lambda tk, t: written_unseen, "a saved tensor was changed"),
            (lambda tk, t: cut, "detach cuts a path"),
            (lambda tk, t: unscaled, ""),
            (lambda tk, t: lambda x: None, ""),
        ),
    ),
)
