"""The questions of lesson 18, with what proves them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

__all__ = ["QUESTIONS", "QUIZZES"]

PATHS = "every path counts"
VALUE = "a value is not a gradient"
ONE, ONE_ELEMENT, SEVERAL = "`x = tk.tensor(3.0)`", "`x = tk.tensor([3.0])`", "`x = tk.tensor([3.0, 4.0])`"


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


def _positive(x: Any) -> bool:
    return bool(x > 0)


def _runs(tk: Any) -> tuple[str, ...]:
    tried = {ONE: tk.tensor(3.0), ONE_ELEMENT: tk.tensor([3.0]), SEVERAL: tk.tensor([3.0, 4.0])}
    return tuple(name for name, x in tried.items() if not _refuses(partial(_positive, x)))


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
                "You want the number 5 as a tensor, and write `tk.Tensor(5)`. How many numbers does it hold?",
                5,
                "`Tensor` with a capital is the class: it takes 5 as a size, and gives you five numbers, "
                "whatever was in that memory. `tk.tensor(5.0)` is what you meant. (Lesson 07)",
                slips=(
                    Slip("`Tensor` vs `tensor`", "That is `tk.tensor(5)`, with a small letter.", given=1),
                    Slip(
                        "`Tensor` vs `tensor`",
                        "It is not empty: the 5 was taken as a size, and room for five numbers was made.",
                        given=0,
                    ),
                ),
                proof=lambda tk: tk.Tensor(5).numel(),
            ),
            Question(
                "branch",
                "A function begins with `if x > 0:`. For which of these does that line run without an error? "
                "(One or more.)",
                (ONE, ONE_ELEMENT),
                "`if` needs a single yes or no. One element gives one, whether it has a dimension or not; two "
                "elements give two. (Lesson 10)",
                options=(ONE, ONE_ELEMENT, SEVERAL),
                slips=(
                    Slip("`if` on a tensor", "One number, one answer: this one runs.", given=ONE),
                    Slip(
                        "`if` on a tensor",
                        "It has a dimension, but a single element all the same, and so a single answer.",
                        given=ONE_ELEMENT,
                    ),
                    Slip(
                        "`if` on a tensor",
                        "Two elements, two answers: `if` refuses to choose between them, even when they agree.",
                        given=SEVERAL,
                    ),
                ),
                proof=_runs,
            ),
            Question(
                "dimensions",
                "`total = (tk.tensor([1.0, 2.0, 2.0]) ** 2).sum()`. How many dimensions does `total` have?",
                0,
                "A sum of everything is a tensor without dimensions: its size is `()`, and it is still a tensor. "
                "(Lesson 11)",
                slips=(
                    Slip(
                        "a 0-d tensor is a tensor",
                        "A size of `(1,)` would be one dimension with one element. Here there is no dimension left.",
                        given=1,
                    ),
                    Slip(
                        "a value is not a gradient",
                        "That is the value of `total`, not its number of dimensions.",
                        given=9,
                    ),
                ),
                proof=lambda tk: (tk.tensor([1.0, 2.0, 2.0]) ** 2).sum().dim(),
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
