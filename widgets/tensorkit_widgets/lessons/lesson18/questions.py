"""The questions of lesson 18, with what proves them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

PATHS = "every path counts"
VALUE = "a value is not a gradient"
NUMBER = "`if errors.mean() < best: best = errors.mean().item()`"
TENSOR = "`if errors.mean() < best: best = errors.mean()`"
FOUR = "`if errors < best: best = errors.mean().item()`"


def _leaf(tk: Any, *numbers: float) -> Any:
    return tk.tensor(list(numbers), requires_grad=True)


def _numbers(tensor: Any) -> tuple[int, ...]:
    return tuple(int(number) for number in tensor.tolist())


def _refuses(act: Callable[[], object]) -> bool:
    try:
        act()
    except RuntimeError:
        return True
    return False


def _best(tk: Any) -> str:
    """The line that runs, and that keeps no history."""
    errors, best = _leaf(tk, 4.0, 1.0, 0.0, 3.0) ** 2, float("inf")
    decides = {NUMBER: errors.mean() < best, TENSOR: errors.mean() < best, FOUR: errors < best}
    keeps = {NUMBER: errors.mean().item(), TENSOR: errors.mean(), FOUR: errors.mean().item()}
    (line,) = (
        line
        for line, decided in decides.items()
        if not _refuses(partial(bool, decided)) and isinstance(keeps[line], float)
    )
    return line


def _lamps(tk: Any) -> int:
    """How many singular values of the film are more than rounding."""
    times = tk.linspace(0, 1, 100)[:, None]
    place = tk.linspace(0, 6, 1200)
    film = (1 - times) * tk.sin(place).abs() + (1 - times) ** 2 * tk.cos(place).abs()
    found = tk.linalg.svdvals(film)
    return int((found > 1e-4 * found[0]).sum())


def _first_gradient(tk: Any) -> int:
    x = tk.tensor(3.0, requires_grad=True)
    (x * x + 2 * x).backward()
    return int(x.grad.item())


def _branching(x: Any) -> Any:
    if x > 0:
        for _ in range(int(x.item())):
            x = x * 10
    else:
        x = x * x
    return x


def _rebuilt(tk: Any) -> tuple[int, ...]:
    leaves = [tk.tensor(number, requires_grad=True) for number in (3.0, -3.0)]
    for x in leaves:
        _branching(x).backward()
    return tuple(int(x.grad.item()) for x in leaves)


def _table(tk: Any) -> Any:
    return tk.tensor([[-9.0, -7.0, -6.0, -5.0], [-4.0, -2.0, 1.0, 3.0], [4.0, 6.0, 8.0, 10.0]])


def _winners(tk: Any) -> tuple[int, ...]:
    t = _table(tk).requires_grad_()
    (t * t).max(dim=1).values.sum().backward()
    return _numbers(t.detach()[t.grad != 0])


def _accumulate(tk: Any) -> tuple[int, ...]:
    w = _leaf(tk, 1.0, 2.0)
    (w * 3).sum().backward()
    (w * 3).sum().backward()
    return _numbers(w.grad)


def _saved(tk: Any) -> tuple[int, ...]:
    """The numbers that may not be overwritten before the walk."""
    kept: tuple[int, ...] = ()
    for which in (0, 1):
        a, b = _leaf(tk, 2.0, 3.0, 5.0), _leaf(tk, 7.0, 11.0, 13.0)
        loss = (a * a + b).sum()
        numbers = _numbers((a, b)[which])
        with tk.no_grad():
            (a, b)[which].zero_()
        kept += numbers if _refuses(loss.backward) else ()
    return kept


def _second_backward(tk: Any) -> str:
    a, b = _leaf(tk, 2.0, 3.0, 5.0), _leaf(tk, 7.0, 11.0, 13.0)
    loss = (a * a + b).sum()
    loss.backward()
    return "An error" if _refuses(loss.backward) else "The same gradients are added once more"


def _middle_grad(tk: Any) -> str:
    h = _leaf(tk, 1.0, 2.0, 3.0) * 2
    (h * h).sum().backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of the very slip that is asked about
        return "`None`" if h.grad is None else "`tensor([ 4.,  8., 12.])`, the gradient of `loss` for `h`"


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "capital",
                "`scores = tk.Tensor(7, 2)` and `factors = tk.tensor([10.0, 0.5])`. What is the size of "
                "`scores * factors`?",
                (7, 2),
                "`Tensor` with a capital takes 7 and 2 as a size. `*` then multiplies each of its seven rows, element "
                "by element, by the two numbers. (Lessons 07 and 16)",
                slips=(
                    Slip("`Tensor` vs `tensor`", "So it would be with `tk.tensor([7, 2])`.", given=(2,)),
                    Slip(
                        "`*` is not `@`",
                        "`@` would make one number of each row. `*` multiplies and adds nothing up.",
                        given=(7,),
                    ),
                ),
                proof=lambda tk: tuple((tk.Tensor(7, 2) * tk.tensor([10.0, 0.5])).size()),
            ),
            Question(
                "best",
                "In each round of a long loop, `errors` holds four squared errors and requires grad. `best` begins as "
                "`float('inf')`. Which line keeps the smallest mean so far, and nothing else?",
                NUMBER,
                "`if` needs one yes or no, and `item()` keeps a number without its history. (Lessons 10 and 14)",
                options=(NUMBER, TENSOR, FOUR),
                slips=(
                    Slip(
                        "a loss keeps its graph",
                        "`best` would keep the whole history of its round in memory, not just the number.",
                        given=TENSOR,
                    ),
                    Slip(
                        "`if` on a tensor",
                        "`errors < best` gives four answers, and `if` refuses to choose between them.",
                        given=FOUR,
                    ),
                ),
                proof=_best,
            ),
            Question(
                "lamps",
                "A film of 100 frames, each with 1,200 pixels, shows two lamps that are turned down, each at its own "
                "pace. So every frame is a picture of one lamp times a number, plus a picture of the other times "
                "another. How many singular values of this (100, 1200) tensor are more than rounding errors?",
                2,
                "Two patterns make up all of the frames, so two singular values carry everything. (Lesson 16)",
                slips=(
                    Slip(
                        "few singular values carry most",
                        "There are 100 of them. But two patterns are enough to make every frame.",
                        given=100,
                    ),
                    Slip(
                        "few singular values carry most",
                        "A (100, 1200) tensor has only 100, and most of them are 0 here.",
                        given=1200,
                    ),
                    Slip(
                        "few singular values carry most",
                        "That would be right for one lamp. The two change at different paces.",
                        given=1,
                    ),
                ),
                proof=_lamps,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "first_gradient",
        "`x` is 3 and `y = x * x + 2 * x`. Now `y.backward()` walks back from `y` to `x`. Which number will be in "
        "`x.grad`?",
        8,
        "The square changes 2·3 = 6 times as fast as `x`, the doubling twice as fast. Both lead to `y`: 6 + 2 = 8.",
        slips=(
            Slip(VALUE, "That is `y` itself.", given=15),
            Slip(VALUE, "That is `x` itself.", given=3),
            Slip(PATHS, "That is the share of the square; the doubling counts as well.", given=6),
            Slip(PATHS, "That is the share of the doubling; the square counts as well.", given=2),
            Slip(PATHS, "`x` is used twice in `x * x`, and each use counts.", given=5),
            Slip(VALUE, "That is how fast `f` changes at 5. Here `x` is 3.", given=12),
        ),
        proof=_first_gradient,
    ),
    Question(
        "rebuilt",
        "`g(x)` is called for two leaves, one with the number 3 and one with -3, and `backward()` is called "
        "on each result. Which two gradients do you get, first the one at 3 and then the one at -3?",
        (1000, -6),
        "At 3 the loop ran three times: ten times ten times ten. At -3 the other branch ran, a square: 2·(-3).",
        slips=(
            Slip(VALUE, "These are the values of `g`. How fast does each change?", given=(3000, 9)),
            Slip(
                "recorded as it ran",
                "One turn of the loop multiplies by 10, and at 3 there are three turns. Each was recorded.",
                given=(10, -6),
            ),
            Slip(
                "recorded as it ran",
                "The turns are one after the other, so their factors are multiplied, not added.",
                given=(30, -6),
            ),
            Slip(
                "recorded as it ran",
                "At -3 the loop did not run at all: the square did, on the other branch.",
                given=(1000, 1000),
            ),
            Slip(PATHS, "The square is right except for its sign: 2·x at -3 is negative.", given=(1000, 6)),
            Slip(PATHS, "In `x * x` each of the two uses counts: 2·x.", given=(1000, -3)),
            Slip(
                "recorded as it ran",
                "These are the right two in the wrong order: first the one at 3.",
                given=(-6, 1000),
            ),
        ),
        proof=_rebuilt,
    ),
    Question(
        "winners",
        "Here is a table `t` that requires grad, and `loss = (t * t).max(dim=1).values.sum()` adds up the largest "
        "square of each row. After `loss.backward()`, where in `t.grad` is there something other than 0? Press "
        "these elements.",
        (-9, -4, 10),
        "Nudge one of these three a little, and the loss moves with it. Nudge any other, and nothing happens: no path "
        "leads from it to the loss.",
        slips=(
            Slip(
                PATHS,
                "These are the largest numbers of the rows, but the largest of the **squares** were added up: 81, 16 "
                "and 100.",
                given=(-5, 3, 10),
            ),
            Slip(
                "`dim=` in a reduction",
                "These have the largest square of each column. `dim=1` takes the largest along a row.",
                given=(-9, -7, 8, 10),
            ),
            Slip(
                "`dim=` in a reduction",
                "The largest square of the whole table is one of them, but each row has its own.",
                given=(10,),
            ),
            Slip(
                PATHS,
                "All twelve were squared to find the largest, but only three of the squares were added up.",
                given=(-9, -7, -6, -5, -4, -2, 1, 3, 4, 6, 8, 10),
            ),
            Slip("`dim=` in a reduction", "These have the smallest square of each row.", given=(-5, 1, 4)),
            Slip(
                VALUE,
                "These are the squares that were added up. Which elements are squared?",
                given=(81, 16, 100),
            ),
        ),
        proof=_winners,
        picture=_table,
        pick="cells",
    ),
    Question(
        "accumulate",
        "`w` is (1, 2). `(w * 3).sum().backward()` has put the gradient (3, 3) into `w.grad`. We run that line "
        "once more. What is in `w.grad` then? (Two numbers.)",
        (6, 6),
        "`backward` adds to what is in `.grad` already: 3 + 3.",
        slips=(
            Slip("backward adds", "That would be right if `backward` overwrote `.grad`.", given=(3, 3)),
            Slip("backward adds", "They are added, not multiplied.", given=(9, 9)),
            Slip(
                "backward adds", "Each walk brings the whole gradient, 3, and `.grad` keeps it.", given=(0, 0)
            ),
            Slip(VALUE, "That is `w * 3`, the value.", given=(3, 6)),
        ),
        proof=_accumulate,
    ),
    Question(
        "saved",
        "The first row of the table is `a`, the second is `b`, and `loss = (a * a + b).sum()`. To find the gradients, "
        "the way back will need some of these numbers, so the graph **saves** them. Press those that it must save.",
        (2, 3, 5),
        "The gradient for `a` is 2·a, so `a` is needed. The gradient for `b` is 1 whatever `b` is: a sum passes on "
        "what arrives, and saves nothing.",
        slips=(
            Slip(
                "saved for the way back",
                "`b` only takes part in a sum. How fast the sum changes with `b` does not depend on `b`.",
                given=(2, 3, 5, 7, 11, 13),
            ),
            Slip(
                "saved for the way back",
                "It is the other way round: the square needs its input, the sum does not.",
                given=(7, 11, 13),
            ),
        ),
        proof=_saved,
        picture=lambda tk: tk.tensor([[2.0, 3.0, 5.0], [7.0, 11.0, 13.0]]),
        pick="cells",
    ),
    Question(
        "second_backward",
        "`loss.backward()` has filled `a.grad` and `b.grad`. We call `loss.backward()` once more, without computing "
        "the loss again. What happens?",
        "An error",
        "To walk back over `a * a` you need `a`. The graph had saved it for that, and let go of it during the first "
        "walk.",
        options=(
            "The same gradients are added once more",
            "Nothing happens: the work is done",
            "An error",
        ),
        slips=(
            Slip(
                "second backward fails",
                "They would be added again if the graph still had what it saved.",
                given="The same gradients are added once more",
            ),
            Slip(
                "second backward fails",
                "It does try to walk again, and finds that what it needs on the way is gone.",
                given="Nothing happens: the work is done",
            ),
        ),
        proof=_second_backward,
    ),
    Question(
        "middle_grad",
        "`x` is a leaf with the numbers 1, 2 and 3. Then `h = x * 2`, `loss = (h * h).sum()` and "
        "`loss.backward()`. What is `h.grad`?",
        "`None`",
        "`h` is in the middle. Its gradient was computed, passed on to `x`, and not kept.",
        options=(
            "`None`",
            "`tensor([ 4.,  8., 12.])`, the gradient of `loss` for `h`",
            "An error: `h` has no `.grad`",
        ),
        slips=(
            Slip(
                "`.grad` of a non-leaf",
                "That gradient was there for a moment, on its way to `x`.",
                given="`tensor([ 4.,  8., 12.])`, the gradient of `loss` for `h`",
            ),
            Slip(
                "`.grad` of a non-leaf",
                "Every tensor has the attribute. Reading it only gives you a warning.",
                given="An error: `h` has no `.grad`",
            ),
        ),
        proof=_middle_grad,
    ),
)
