"""The questions of lesson 18, with what proves them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

__all__ = ["QUESTIONS", "QUIZZES"]


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


def _cloned(tk: Any) -> int:
    a = tk.ones(2, 2)
    b = a.clone()
    a[0, 1] = 561.0
    return int(b[0, 1].item())


def _viewed(tk: Any) -> int:
    t = tk.zeros(6)
    t.view(2, 3)[1, 0] = 7.0
    return int(t.tolist().index(7.0))


def _first_gradient(tk: Any) -> int:
    x = tk.tensor(3.0, requires_grad=True)
    (x * x + 2 * x).backward()
    return int(x.grad.item())


def _accumulate(tk: Any) -> tuple[int, ...]:
    w = _leaf(tk, 1.0, 2.0)
    (w * 3).sum().backward()
    (w * 3).sum().backward()
    return _numbers(w.grad)


def _second_backward(tk: Any) -> str:
    w = _leaf(tk, 1.0, 2.0)
    loss = (w * w).sum()
    loss.backward()
    return "An error" if _refuses(loss.backward) else "The same gradient is added once more"


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
                "clone",
                "`a = tk.ones(2, 2)`, then `b = a.clone()`, then `a[0, 1] = 561.0`. What is `b[0, 1]`?",
                1,
                "A clone has a storage of its own: nothing that is written to `a` reaches it. (Lesson 10)",
                slips=(
                    Slip("a copy is not a view", "That would be so if `b` were a view of `a`.", given=561),
                    Slip(
                        "a copy is not a view", "A clone starts with the numbers of `a`, all ones.", given=0
                    ),
                ),
                proof=_cloned,
            ),
            Question(
                "view",
                "`t = tk.zeros(6)`, then `t.view(2, 3)[1, 0] = 7.0`. At which index of `t` is the 7 now?",
                3,
                "The view reads the same six slots in rows of three, so its second row starts in slot 3. (Lesson 03)",
                slips=(
                    Slip(
                        "a slice aliases its base", "A row of the view has three numbers, not two.", given=2
                    ),
                    Slip("counting from zero", "Slots are counted from 0.", given=4),
                    Slip("counting from zero", "Row 1 is the second row.", given=0),
                ),
                proof=_viewed,
            ),
            Question(
                "expand",
                "`tk.zeros(3, 1).expand(3, 4)` shows twelve numbers. How many does its storage hold?",
                3,
                "`expand` copies nothing. It takes the stride 0: four columns read the same slot. (Lesson 03)",
                slips=(
                    Slip("a copy is not a view", "Nothing was copied; `expand` makes a view.", given=12),
                    Slip("a size is not a stride", "Four is how often each of the slots is shown.", given=4),
                ),
                proof=lambda tk: tk.zeros(3, 1).expand(3, 4).untyped_storage().nbytes() // 4,
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
        "The square changes 2·3 = 6 times as fast as `x`, the doubling twice as fast; both lead to `y`, and 6 + 2 = 8.",
        slips=(
            Slip("a value is not a gradient", "That is `y` itself.", given=15),
            Slip("a value is not a gradient", "That is `x` itself.", given=3),
            Slip("every path counts", "That is the square's part; the doubling counts, too.", given=6),
            Slip("every path counts", "`x` is used twice in `x * x`, and each use counts.", given=5),
        ),
        proof=_first_gradient,
    ),
    Question(
        "leaf",
        "`w = tk.ones(3, requires_grad=True) * 2`. Is `w` a leaf?",
        "No: the multiplication made it",
        "The leaf is the tensor of ones, which has no name here. `w` is what came out of a recorded operation.",
        options=(
            "Yes: it says `requires_grad=True`",
            "No: the multiplication made it",
            "Only after `backward()`",
        ),
        slips=(
            Slip(
                "a leaf is made, not computed",
                "It says so of the ones. `w` requires grad as well, but only because its input does.",
                given="Yes: it says `requires_grad=True`",
            ),
            Slip(
                "a leaf is made, not computed",
                "`backward` fills `.grad`; it makes no tensor a leaf.",
                given="Only after `backward()`",
            ),
        ),
        proof=lambda tk: (
            "Yes: it says `requires_grad=True`"
            if (tk.ones(3, requires_grad=True) * 2).is_leaf
            else "No: the multiplication made it"
        ),
    ),
    Question(
        "accumulate",
        "The gradient of `(w * 3).sum()` is (3, 3), and that is in `w.grad` now. We compute the same thing anew and "
        "call `backward()` on it. What is in `w.grad` then? (Two numbers.)",
        (6, 6),
        "`backward` adds to what is in `.grad` already: 3 + 3.",
        slips=(
            Slip("backward adds", "That would be so if it overwrote.", given=(3, 3)),
            Slip("backward adds", "They are added, not multiplied.", given=(9, 9)),
        ),
        proof=_accumulate,
    ),
    Question(
        "second_backward",
        "`loss = (w * w).sum()`, and `loss.backward()` has filled `w.grad`. We call `loss.backward()` once more, "
        "without computing anything anew. What happens?",
        "An error",
        "To walk back over `w * w` one needs `w`. The graph had saved it for that, and gave it up during the "
        "first walk.",
        options=(
            "The same gradient is added once more",
            "Nothing happens: the work is done",
            "An error",
        ),
        slips=(
            Slip(
                "second backward fails",
                "It would be, if the graph still had what it saved.",
                given="The same gradient is added once more",
            ),
            Slip(
                "second backward fails",
                "It sets out once more, and finds that what it needs on the way is gone.",
                given="Nothing happens: the work is done",
            ),
        ),
        proof=_second_backward,
    ),
    Question(
        "middle_grad",
        "`h = x * 2` and `loss = (h * h).sum()`, where `x` is a leaf that requires grad. After `loss.backward()`, what "
        "is `h.grad`?",
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
                "That number was there for a moment, on its way to `x`.",
                given="`tensor([ 4.,  8., 12.])`, the gradient of `loss` for `h`",
            ),
            Slip(
                "`.grad` of a non-leaf",
                "Every tensor has the attribute. PyTorch only warns that it will stay empty.",
                given="An error: `h` has no `.grad`",
            ),
        ),
        proof=_middle_grad,
    ),
)
