"""The questions of lesson 19, with what proves them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

CUT = "detach cuts a path"
SAVED = "a saved tensor was changed"
ON_THE_WAY = "During `backward()`: the gradient of the loss for `h`"
ALL, ONE, COPY, SQUARES = "`e.add_(1)`", "`e[0, 0] = 7.0`", "`e.clone().add_(1)`", "`e * e`"
A_ADDS, A_REPLACES = "20 after A, and B fails", "10 after A, and B fails"
BOTH_ADD, BOTH_REPLACE = "20 after either of them", "10 after either of them"


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


def _write_one(e: Any) -> None:
    e[0, 0] = 7.0


def _two_walks(tk: Any) -> str:
    w = tk.tensor(5.0, requires_grad=True)
    for _ in range(2):
        loss = w * w
        loss.backward()
    fails = _refuses(loss.backward)
    return {(20, True): A_ADDS, (10, True): A_REPLACES, (20, False): BOTH_ADD}.get(
        (int(w.grad.item()), fails), BOTH_REPLACE
    )


def _written_first(tk: Any) -> tuple[int, ...]:
    a = _leaf(tk, 1.0, 4.0, 6.0)
    part, d = a[1:], a.detach()
    d[1] = 10.0
    (part * part).sum().backward()
    assert not part.is_leaf
    return _numbers(a.grad)


def _failing_line(tk: Any) -> str:
    e = tk.zeros(2, 1).expand(2, 5)
    acts: dict[str, Callable[[], object]] = {
        ALL: lambda: e.add_(1),
        ONE: partial(_write_one, e),
        COPY: lambda: e.clone().add_(1),
        SQUARES: lambda: e * e,
    }
    (failing,) = (name for name, act in acts.items() if _refuses(act))
    return failing


def _detached_factor(tk: Any) -> tuple[int, ...]:
    p = _leaf(tk, 1.0, 2.0, 3.0)
    (p.detach() * p).sum().backward()
    return _numbers(p.grad)


def _leaf_write(tk: Any) -> str:
    w = _leaf(tk, 1.0, 2.0)
    (w * w).sum().backward()

    def write() -> None:
        nonlocal w
        w -= 0.25 * w.grad

    return "An error" if _refuses(write) else "`w` holds the new numbers and is a leaf, as before"


def _forgotten_zero(tk: Any) -> int:
    """How long the second step is, with nothing emptied between the steps."""
    w, places = tk.tensor(0.0, requires_grad=True), []
    for _ in range(2):
        ((w - 8.0) ** 2).backward()
        with tk.no_grad():
            w -= 0.25 * w.grad
        places.append(int(w.item()))
    return places[1] - places[0]


def _saved_changed(tk: Any) -> str:
    h = _leaf(tk, 1.0, 2.0, 3.0) * 2
    loss = (h * h).sum()
    h.add_(1)
    return "An error" if _refuses(loss.backward) else ""


def _six(tk: Any) -> Any:
    return tk.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def _through_a_view(tk: Any) -> tuple[int, ...]:
    x = _six(tk).requires_grad_()
    y = x * 2
    y[:, 1].zero_()
    y.sum().backward()
    return _numbers(x.detach()[x.grad == 0])


def _hook(tk: Any) -> str:
    x, seen = _leaf(tk, 1.0, 2.0, 3.0), []
    h = x * 2
    h.register_hook(lambda grad: seen.append(_numbers(grad)))
    loss = (h * h).sum()
    early = list(seen)
    loss.backward()
    return ON_THE_WAY if not early and seen == [(4, 8, 12)] else ""


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "two_walks",
                "`w = tk.tensor(5.0, requires_grad=True)`: the gradient of `w * w` is 10. Program A runs "
                "`loss = w * w` and `loss.backward()`, and then both lines again. Program B runs `loss = w * w` once, "
                "and `loss.backward()` twice. What is in `w.grad`?",
                A_ADDS,
                "In A each walk has a graph of its own, and the second gradient is added to the first. In B the first "
                "walk has freed what the second needs. (Lesson 18)",
                options=(A_ADDS, A_REPLACES, BOTH_ADD, BOTH_REPLACE),
                slips=(
                    Slip(
                        "backward adds", "Nothing empties `w.grad` between the two walks.", given=A_REPLACES
                    ),
                    Slip(
                        "second backward fails",
                        "B walks twice over one graph, and what that graph had saved is gone after the first walk.",
                        given=BOTH_ADD,
                    ),
                    Slip(
                        "backward adds",
                        "The second gradient does not replace the first. And B has only one graph for two walks.",
                        given=BOTH_REPLACE,
                    ),
                ),
                proof=_two_walks,
            ),
            Question(
                "written_first",
                "`a = tk.tensor([1.0, 4.0, 6.0], requires_grad=True)`, `part = a[1:]` and `d = a.detach()`. Then come "
                "`d[1] = 10.0` and `(part * part).sum().backward()`. Which three numbers are in `a.grad`?",
                (0, 20, 12),
                "`d` shares the numbers of `a`, so 10 and 6 are squared. `part` is not a leaf: its gradient, 20 and "
                "12, is passed on to `a`. (Lessons 14 and 18)",
                slips=(
                    Slip(
                        "detach vs clone",
                        "`detach` copies no number: the 10 is written into `a`, and so it is read by `part`.",
                        given=(0, 8, 12),
                    ),
                    Slip(
                        "`.grad` of a non-leaf",
                        "`part` keeps no gradient: a recorded step made it, so the walk goes on to `a`.",
                        given=(0, 0, 0),
                    ),
                    Slip(
                        "every path counts",
                        "No path leads from the sum to `a[0]`: `part` begins behind it.",
                        given=(2, 20, 12),
                    ),
                    Slip("a value is not a gradient", "These are the squares.", given=(0, 100, 36)),
                ),
                proof=_written_first,
            ),
            Question(
                "expanded",
                "`e = tk.zeros(2, 1).expand(2, 5)` shows ten numbers. Which of these lines fails?",
                ALL,
                "Each slot is shown five times, so adding to all ten elements has no single meaning. One element is "
                "one slot, and a clone has ten slots of its own. (Lesson 13)",
                options=(ALL, ONE, COPY, SQUARES),
                slips=(
                    Slip(
                        "in-place on an expanded tensor",
                        "One element is one slot, so this write is clear. (It shows in the whole row.)",
                        given=ONE,
                    ),
                    Slip(
                        "in-place on an expanded tensor",
                        "A clone has a slot of its own for each of the ten elements.",
                        given=COPY,
                    ),
                    Slip(
                        "`*` is not `@`",
                        "`e @ e` fails: (2, 5) and (2, 5) do not fit. `*` multiplies elements in the same place.",
                        given=SQUARES,
                    ),
                ),
                proof=_failing_line,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "detached_factor",
        "`p` is (1, 2, 3) and requires grad. The gradient of `(p * p).sum()` is (2, 4, 6). What is the gradient of "
        "`(p.detach() * p).sum()`? (Three numbers.)",
        (1, 2, 3),
        "No gradient passes through the first factor. It does pass through the second, multiplied by the "
        "numbers of the first.",
        slips=(
            Slip(CUT, "That would be right with both paths open, but one is cut.", given=(2, 4, 6)),
            Slip(CUT, "One path is cut; the other is still open.", given=(0, 0, 0)),
            Slip(
                CUT,
                "The detached factor gets no gradient, but its numbers still count as factors.",
                given=(1, 1, 1),
            ),
            Slip("a value is not a gradient", "These are the products themselves.", given=(1, 4, 9)),
        ),
        proof=_detached_factor,
    ),
    Question(
        "leaf_write",
        "`w` is a leaf that requires grad, and `w.grad` is filled. We want to change `w` a little: "
        "`w -= 0.25 * w.grad`. What happens?",
        "An error",
        "The write would be recorded, and `w` would become the result of a recorded step: it would not be a "
        "leaf any more.",
        options=(
            "`w` holds the new numbers and is a leaf, as before",
            "`w` holds the new numbers and is no leaf any more",
            "An error",
        ),
        slips=(
            Slip(
                "in-place on a leaf",
                "That is what we want, and you can have it; but not while everything is recorded.",
                given="`w` holds the new numbers and is a leaf, as before",
            ),
            Slip(
                "in-place on a leaf",
                "That is what would happen, and that is why it is refused.",
                given="`w` holds the new numbers and is no leaf any more",
            ),
        ),
        proof=_leaf_write,
    ),
    Question(
        "forgotten_zero",
        "The slots are the places that `w` can reach, and the goal is 8. At place 0 the gradient is -16, at "
        "place 4 it is -8. Now suppose that the line `w.grad = None` is missing. The first step still leads "
        "from 0 to 4. Draw the **second** step: press where it starts, then where it ends.",
        6,
        "`.grad` holds -16 from the first step, and -8 is added: a quarter of 24 is 6. From 4 it leads to 10, beyond "
        "the goal.",
        slips=(
            Slip("backward adds", "That would be right if the -8 overwrote the old -16.", given=2),
            Slip(
                "backward adds",
                "That is a quarter of the old gradient alone; the new one was added to it.",
                given=4,
            ),
            Slip("backward adds", "It ends at 10. But it starts where the first step ended, at 4.", given=10),
            Slip(
                "a value is not a gradient",
                "The gradient is negative, and a step goes against it: to the right.",
                given=-6,
            ),
            Slip("backward adds", "That is a quarter of -8 in the wrong direction.", given=-2),
        ),
        proof=_forgotten_zero,
        picture=lambda tk: tk.arange(17),
        pick="step",
    ),
    Question(
        "saved_changed",
        "`x` is a leaf. Then `h = x * 2`, `loss = (h * h).sum()`, and after that `h.add_(1)`. The product has saved "
        "`h` for the way back. What does `loss.backward()` do?",
        "An error",
        "The gradient of this loss belongs to the old `h`, which is gone. Autograd notices that it was overwritten.",
        options=(
            "It gives the gradient for the old `h`",
            "It gives a gradient computed with the new `h`",
            "An error",
        ),
        slips=(
            Slip(
                SAVED,
                "For that it would need the old numbers, and nothing copied them.",
                given="It gives the gradient for the old `h`",
            ),
            Slip(
                SAVED,
                "That would be a wrong gradient, and you would not notice. So it is refused.",
                given="It gives a gradient computed with the new `h`",
            ),
        ),
        proof=_saved_changed,
    ),
    Question(
        "through_a_view",
        "Here is `x`, a leaf. `y = x * 2`, and `column = y[:, 1]` is a view of `y`. Then come "
        "`column.zero_()` and `y.sum().backward()`. Press the elements of `x` whose gradient is 0.",
        (2, 5),
        "The write through the view overwrote what came from the 2 and the 5, so the sum no longer depends "
        "on them.",
        slips=(
            Slip(
                "a slice aliases its base",
                "These keep their gradient, 2: nothing overwrote what they led to.",
                given=(1, 3, 4, 6),
            ),
            Slip(
                "a slice aliases its base",
                "Only column 1 of `y` was overwritten; the other numbers still reach the sum.",
                given=(1, 2, 3, 4, 5, 6),
            ),
            Slip("rows come before columns", "That is row 1. `[:, 1]` is column 1.", given=(4, 5, 6)),
            Slip("counting from zero", "That is column 0. Column 1 is the second.", given=(1, 4)),
        ),
        proof=_through_a_view,
        picture=_six,
        pick="cells",
    ),
    Question(
        "hook",
        "`x` is a leaf, (1, 2, 3), and `h = x * 2`. Next comes `h.register_hook(print)`, then `loss = (h * h).sum()`, "
        "then `loss.backward()`. When is something printed, and what?",
        ON_THE_WAY,
        "The hook is called when the gradient for `h` has been found, and gets it as its argument.",
        options=(
            "At once: the numbers of `h`",
            "When the loss is computed: the numbers of `h`",
            ON_THE_WAY,
            "After `backward()`: the gradient in `x.grad`",
        ),
        slips=(
            Slip(
                "a hook runs on the way back",
                "Registering a hook calls nothing yet.",
                given="At once: the numbers of `h`",
            ),
            Slip(
                "a hook runs on the way back",
                "A hook is not called while you compute, only on the way back.",
                given="When the loss is computed: the numbers of `h`",
            ),
            Slip(
                "a hook runs on the way back",
                "It is registered on `h`, so it sees what arrives at `h`, before that is passed on to `x`.",
                given="After `backward()`: the gradient in `x.grad`",
            ),
        ),
        proof=_hook,
    ),
)
