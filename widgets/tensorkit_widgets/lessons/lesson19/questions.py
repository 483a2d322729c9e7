"""The questions of lesson 19, with what proves them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question

__all__ = ["QUESTIONS"]


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


def _detach_shares(tk: Any) -> str:
    a = _leaf(tk, 1.0, 2.0)
    a.detach()[0] = 5.0
    return "`a[0]` is `5.` as well" if a[0].item() == 5.0 else "Nothing: `d` is a copy"


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


def _forgotten_zero(tk: Any) -> str:
    goal, w = tk.tensor([3.0, -1.0]), _leaf(tk, 1.0, 2.0)
    losses = []
    for _ in range(5):
        loss = ((w - goal) ** 2).sum()
        loss.backward()
        with tk.no_grad():
            w -= 0.25 * w.grad
        losses.append(loss.item())
    passed = w[0].item() > 3.0 and losses[-1] > losses[0] > losses[2]
    return "It shoots past the goal, and the loss grows again" if passed else ""


def _saved_changed(tk: Any) -> str:
    h = _leaf(tk, 1.0, 2.0, 3.0) * 2
    loss = (h * h).sum()
    h.add_(1)
    return "An error" if _refuses(loss.backward) else ""


def _through_a_view(tk: Any) -> tuple[int, ...]:
    x = _leaf(tk, 1.0, 2.0, 3.0)
    y = x * 2
    y[0].zero_()
    y.sum().backward()
    return _numbers(x.grad)


QUESTIONS = (
    Question(
        "detach_shares",
        "`a` is a leaf that requires grad. `d = a.detach()`, then `d[0] = 5.0`. What happens to `a`?",
        "`a[0]` is `5.` as well",
        "`detach` drops the history, not the storage: `d` reads the very same numbers.",
        options=(
            "Nothing: `d` is a copy",
            "`a[0]` is `5.` as well",
            "An error: `a` requires grad",
        ),
        slips=(
            Slip("detach vs clone", "That would be `a.clone()`.", given="Nothing: `d` is a copy"),
            Slip(
                "detach vs clone",
                "We write to `d`, and `d` does not require grad.",
                given="An error: `a` requires grad",
            ),
        ),
        proof=_detach_shares,
    ),
    Question(
        "detached_factor",
        "`p` is (1, 2, 3) and requires grad. The gradient of `(p * p).sum()` is (2, 4, 6). What is the gradient of "
        "`(p.detach() * p).sum()`? (Three numbers.)",
        (1, 2, 3),
        "Through the first factor no gradient passes. Through the second it does, and meets the numbers of the first.",
        slips=(
            Slip("detach cuts a path", "That is with both paths open; one is cut.", given=(2, 4, 6)),
            Slip("detach cuts a path", "One path is cut; the other is still open.", given=(0, 0, 0)),
            Slip(
                "detach cuts a path",
                "The detached factor gets no gradient, but its numbers still count as factors.",
                given=(1, 1, 1),
            ),
        ),
        proof=_detached_factor,
    ),
    Question(
        "leaf_write",
        "`w` is a leaf that requires grad, and `w.grad` is filled. We want to change `w` a little: "
        "`w -= 0.25 * w.grad`. What happens?",
        "An error",
        "The write would be recorded, and `w` would be the result of a recorded operation: a leaf no more.",
        options=(
            "`w` holds the new numbers and is a leaf, as before",
            "`w` holds the new numbers and is no leaf any more",
            "An error",
        ),
        slips=(
            Slip(
                "in-place on a leaf",
                "That is what we want, and it can be had; but not while everything is recorded.",
                given="`w` holds the new numbers and is a leaf, as before",
            ),
            Slip(
                "in-place on a leaf",
                "That is what it would come to, and that is why it is refused.",
                given="`w` holds the new numbers and is no leaf any more",
            ),
        ),
        proof=_leaf_write,
    ),
    Question(
        "forgotten_zero",
        "Suppose that we forget the line `w.grad = None`. What do the five steps do then?",
        "It shoots past the goal, and the loss grows again",
        "Every step goes along the sum of all gradients so far, even those from the other side of the goal.",
        options=(
            "The same: `backward` overwrites what is in `.grad`",
            "It arrives sooner, for the steps are longer",
            "It shoots past the goal, and the loss grows again",
        ),
        slips=(
            Slip(
                "backward adds",
                "It does not overwrite: it adds.",
                given="The same: `backward` overwrites what is in `.grad`",
            ),
            Slip(
                "backward adds",
                "They are longer, and do not shorten when the goal is near.",
                given="It arrives sooner, for the steps are longer",
            ),
        ),
        proof=_forgotten_zero,
    ),
    Question(
        "saved_changed",
        "`h = x * 2` and `loss = (h * h).sum()`. The product saved `h`, and then came `h.add_(1)`. What does "
        "`loss.backward()` give?",
        "An error",
        "The gradient of the loss belongs to the old `h`, which is gone. The counter gives it away.",
        options=(
            "The gradient for the old `h`",
            "A gradient computed with the new `h`",
            "An error",
        ),
        slips=(
            Slip(
                "a saved tensor was changed",
                "For that it would need the old numbers, and nobody kept them: saved means remembered, not copied.",
                given="The gradient for the old `h`",
            ),
            Slip(
                "a saved tensor was changed",
                "That would be a wrong gradient, and nobody would notice. So it is refused.",
                given="A gradient computed with the new `h`",
            ),
        ),
        proof=_saved_changed,
    ),
    Question(
        "through_a_view",
        "`x` is (1, 2, 3), `y = x * 2`, and `first = y[0]` is a view of `y`. After `first.zero_()` and "
        "`y.sum().backward()`, what is `x.grad`? (Three numbers.)",
        (0, 2, 2),
        "The write through the view overwrote what came from `x[0]`; so the sum no longer depends on it.",
        slips=(
            Slip(
                "a slice aliases its base",
                "The write to `first` was a write to `y`, and autograd knows it.",
                given=(2, 2, 2),
            ),
            Slip("a value is not a gradient", "That is `y`.", given=(0, 4, 6)),
        ),
        proof=_through_a_view,
    ),
    Question(
        "expanded_write",
        "`row = tk.zeros(3, 1).expand(3, 4)` shows each of its three slots four times. What does `row.add_(1)` do?",
        "An error",
        "The size asks for twelve additions, the storage has room for three. Which one is meant is not said.",
        options=(
            "Every number becomes 1",
            "Every number becomes 4: each slot is reached four times",
            "An error",
        ),
        slips=(
            Slip(
                "in-place on an expanded tensor",
                "So it would look if each slot were written once; but twelve additions were asked for.",
                given="Every number becomes 1",
            ),
            Slip(
                "in-place on an expanded tensor",
                "That is another way to read it. As there is more than one, it is refused.",
                given="Every number becomes 4: each slot is reached four times",
            ),
        ),
        proof=lambda tk: (
            "An error" if _refuses(lambda: tk.zeros(3, 1).expand(3, 4).add_(1)) else "Every number becomes 1"
        ),
    ),
)
