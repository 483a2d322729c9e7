"""What the checks of lesson 18 run."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from tensorkit_widgets.practice.checking.checks_autograd import Leaf, gradient, numbers_of
from tensorkit_widgets.practice.facts import Slip, Verdict, is_tensor, read
from tensorkit_widgets.practice.markup import shown

__all__ = [
    "Function",
    "LETTERS",
    "cubic",
    "emptied",
    "fails",
    "fresh",
    "fresh_by_copy",
    "fresh_by_none",
    "fresh_by_zero",
    "middle",
    "middle_hooked",
    "middle_kept",
    "middle_lost",
    "middle_of_x",
    "middle_unreturned",
    "refreshed",
    "stale",
    "three",
    "two",
    "walked_twice",
]

Function = Callable[..., Any]


def three(tk: Any) -> Any:
    return tk.tensor([1.0, 2.0, 3.0], requires_grad=True)


def two(tk: Any) -> Any:
    return tk.tensor([1.0, 2.0], requires_grad=True)


def _weighed(w: Any) -> Any:
    return (w * w * 3).sum()


def fresh(function: Function, leaf: Leaf) -> Verdict | None:
    """The gradient of 3·w² at (1, 2) is (6, 12), with nothing in `.grad` before."""
    got = function(_weighed, leaf(1.0, 2.0))
    return _fresh_problem(got, before=())


def refreshed(function: Function, leaf: Leaf) -> Verdict | None:
    """The same with (100, 100) in `.grad` before."""
    w = leaf(1.0, 2.0)
    w.grad = leaf(100.0, 100.0).detach()
    return _fresh_problem(function(_weighed, w), before=(100.0, 100.0))


def _fresh_problem(got: Any, before: tuple[float, ...]) -> Verdict | None:
    if isinstance(got, tuple) and len(got) == 1 and is_tensor(got[0]):
        return Verdict(
            False, "`autograd.grad` gives a tuple, one gradient for each input. Take out the first."
        )
    if got is None:
        return Verdict(False, "your function gave back nothing. Is a `return` or a `backward()` missing?")
    numbers = numbers_of(got)
    if numbers == (6.0, 12.0):
        return None
    if before and numbers == (106.0, 112.0):
        return Verdict(
            False,
            "`w.grad` held 100 and 100 before, and they are still in it. Empty `.grad` before you walk.",
            "backward adds",
        )
    if numbers == (15.0,):
        return Verdict(False, "that is what `f` gives, not its gradient.", "a value is not a gradient")
    if numbers == (0.0, 0.0):
        return Verdict(False, "you emptied `.grad` after the walk, and gave back the emptied tensor.")
    return Verdict(False, f"for f(w) = Σ 3·w² at (1, 2) it should give (6, 12); yours gave {shown(got)}.")


def fresh_by_none(f: Function, leaf: Any) -> Any:
    leaf.grad = None
    f(leaf).backward()
    return leaf.grad


def fresh_by_zero(f: Function, leaf: Any) -> Any:
    if leaf.grad is not None:
        leaf.grad.zero_()
    f(leaf).backward()
    return leaf.grad


def fresh_by_copy(f: Function, leaf: Any) -> Any:
    copy = leaf.detach().clone().requires_grad_()
    f(copy).backward()
    return copy.grad


def stale(f: Function, leaf: Any) -> Any:
    f(leaf).backward()
    return leaf.grad


def walked_twice(f: Function, leaf: Any) -> Any:
    loss = f(leaf)
    loss.backward()
    leaf.grad = None
    loss.backward()
    return leaf.grad


def emptied(f: Function, leaf: Any) -> Any:
    leaf.grad = None
    f(leaf).backward()
    found = leaf.grad
    leaf.grad.zero_()
    return found


def middle(function: Function, leaf: Leaf) -> Verdict | None:
    """h = 2x at (1, 2) is (2, 4); the gradient of Σ h² for h is 2h, (4, 8), and for x it is 8x, (8, 16)."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        got = function(leaf(1.0, 2.0))
    asked = any("is not a leaf" in str(one.message) for one in warned)
    if got is None and not asked:
        return Verdict(False, "your function returned nothing. Is a `return` missing?")
    if got is None:
        return Verdict(
            False,
            "that is None: the gradient of a tensor in the middle is passed on and not kept, unless you "
            "ask for it before the walk.",
            "`.grad` of a non-leaf",
        )
    if isinstance(got, tuple) and len(got) == 1:
        return Verdict(
            False, "`autograd.grad` gives a tuple, one gradient for each input. Take out the first."
        )
    numbers = numbers_of(got)
    if numbers == (4.0, 8.0):
        return None
    if numbers == (8.0, 16.0):
        return Verdict(
            False, "that is the gradient for the leaf `x`, one step further back.", "`.grad` of a non-leaf"
        )
    if numbers == (2.0, 4.0):
        return Verdict(False, "that is `h` itself.", "a value is not a gradient")
    return Verdict(False, f"for x = (1, 2) it should give (4, 8); yours gave {shown(got)}.")


def middle_kept(x: Any) -> Any:
    h = x * 2
    h.retain_grad()
    (h * h).sum().backward()
    return h.grad


def middle_hooked(x: Any) -> Any:
    h = x * 2
    seen: list[Any] = []
    h.register_hook(seen.append)
    (h * h).sum().backward()
    return seen[0]


def middle_lost(x: Any) -> Any:
    h = x * 2
    (h * h).sum().backward()
    return h.grad


def middle_unreturned(x: Any) -> None:
    h = x * 2
    h.retain_grad()
    (h * h).sum().backward()


def middle_of_x(x: Any) -> Any:
    h = x * 2
    (h * h).sum().backward()
    return x.grad


def cubic(*numbers: float) -> Callable[[Function, Leaf], Verdict | None]:
    """A trial at these numbers: the gradient must be 3·x²."""
    wanted = tuple(3 * n * n for n in numbers)

    def trial(function: Function, leaf: Leaf) -> Verdict | None:
        x = leaf(*numbers)
        loss = function(x)
        if loss is None:
            return Verdict(False, "your function returned nothing. Is a `return` missing?")
        if not is_tensor(loss):
            return Verdict(False, f"it should give a tensor of one number; yours gave {shown(loss)}.")
        if read(loss).size != ():
            return Verdict(
                False,
                f"it gives a tensor of size {read(loss).size}, and `backward` starts from one number. "
                "What makes one number of several?",
                "backward starts from one number",
            )
        if not loss.requires_grad:
            return Verdict(
                False,
                "no way leads back from it to `x`: its history was cut.",
                "detach cuts a path",
            )
        loss.backward()
        return _cubic_problem(gradient(x), wanted, numbers)

    return trial


def _cubic_problem(
    got: tuple[Any, ...] | None, wanted: tuple[float, ...], numbers: tuple[float, ...]
) -> Verdict | None:
    if got == wanted:
        return None
    if got == tuple(6 * n for n in numbers):
        return Verdict(
            False,
            "3·x² is what the **gradient** should be. Which function changes that fast? It is not 3·x² itself.",
            "a value is not a gradient",
        )
    if got == tuple(9 * n * n for n in numbers):
        return Verdict(
            False, "that is three times too much: the 3 comes down by itself.", "every path counts"
        )
    return Verdict(False, f"at x = {numbers} the gradient should be {wanted}; with yours it is {got}.")


def fails(tk: Any) -> str:
    """The letters of the lines that fail, found by running them."""

    def twice() -> None:
        loss = (three(tk) ** 2).sum()
        loss.backward()
        loss.backward()

    def leaf_written() -> None:
        x = three(tk)
        x += 1

    def middle_written() -> None:
        h = three(tk) * 2
        h += 1
        h.sum().backward()

    def repeated_written() -> None:
        r = tk.zeros(3, 1).expand(3, 4)
        r += 1

    def detached_written() -> None:
        three(tk).detach().add_(1)

    failing = ""
    acts = (twice, leaf_written, middle_written, repeated_written, detached_written)
    for letter, act in zip("ABCDE", acts, strict=True):
        try:
            act()
        except RuntimeError:
            failing += letter
    return failing


LETTERS = {
    "A": Slip(
        "second backward fails",
        "about A: the first walk gave up what the square had saved.",
        given="A",
    ),
    "B": Slip("in-place on a leaf", "about B: `x` is a leaf that requires grad.", given="B"),
    "C": Slip(
        "a saved tensor was changed",
        "about C: `h` is no leaf, and nobody saved it: an addition and a sum do not need their inputs again. "
        "That write is fine.",
        given="C",
    ),
    "D": Slip(
        "in-place on an expanded tensor",
        "about D: each of the three slots is shown four times. No gradient is needed to make that a problem.",
        given="D",
    ),
    "E": Slip(
        "detach vs clone",
        "about E: what `detach` gives does not require grad, so the write is allowed. (It shows in `x`, "
        "because they share their numbers.)",
        given="E",
    ),
}
