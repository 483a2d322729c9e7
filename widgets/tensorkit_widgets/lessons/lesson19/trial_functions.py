"""What the checks of lesson 19 run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorkit_widgets.practice.checking.checks_autograd import Leaf, gradient, numbers_of
from tensorkit_widgets.practice.facts import Slip, Verdict, is_tensor, read
from tensorkit_widgets.practice.markup import shown

__all__ = [
    "CHANGED",
    "Function",
    "broken",
    "cut",
    "doubled_path",
    "repaired",
    "repaired_apart",
    "repaired_late",
    "repaired_with_a_copy",
    "step_rebound",
    "step_recorded",
    "step_switched_off",
    "step_under_no_grad",
    "step_up",
    "stepped",
    "three",
    "two",
    "written_aside",
    "written_early",
]

Function = Callable[..., Any]


def three(tk: Any) -> Any:
    return tk.tensor([1.0, 2.0, 3.0], requires_grad=True)


def two(tk: Any) -> Any:
    return tk.tensor([1.0, 2.0], requires_grad=True)


def stepped(function: Function, leaf: Leaf) -> Verdict | None:
    """From (1, 2) with the gradient (10, -4) and the rate 0.5, the step leads to (-4, 4), in the same tensor."""
    w = leaf(1.0, 2.0)
    w.grad = leaf(10.0, -4.0).detach()
    got = function(w, 0.5)
    numbers = numbers_of(w)
    if numbers == (1.0, 2.0) and numbers_of(got) != (-4.0, 4.0):
        return Verdict(
            False,
            "`w` is as it was: nothing was written to it. (`w = w - …` writes nothing either; it makes a new tensor.)",
        )
    if numbers == (1.0, 2.0):
        return Verdict(
            False,
            "`w` is as it was. `w = w - …` makes a new tensor, and only your function's own name `w` moves "
            "to it; the caller still holds the old one.",
            "x += y vs x = x + y",
        )
    if numbers == (6.0, 0.0):
        return Verdict(False, "that goes up the gradient; learning goes down, against it.")
    if numbers != (-4.0, 4.0):
        return Verdict(
            False,
            f"from (1, 2), with the gradient (10, -4) and the rate 0.5, it should come to (-4, 4), not {numbers}.",
        )
    if not (w.is_leaf and w.requires_grad):
        return Verdict(False, "the numbers are right, but `w` is no leaf that requires grad any more.")
    return None


def step_under_no_grad(tk: Any) -> Function:
    def step(w: Any, rate: float) -> None:
        with tk.no_grad():
            w -= rate * w.grad

    return step


def step_up(tk: Any) -> Function:
    def step(w: Any, rate: float) -> None:
        with tk.no_grad():
            w += rate * w.grad

    return step


def step_rebound(tk: Any) -> Function:
    def step(w: Any, rate: float) -> Any:
        with tk.no_grad():
            w = w - rate * w.grad
        return w

    return step


def step_recorded(w: Any, rate: float) -> None:
    w -= rate * w.grad


def step_switched_off(w: Any, rate: float) -> None:
    w.requires_grad_(False)
    w -= rate * w.grad


def repaired(function: Function, leaf: Leaf) -> Verdict | None:
    """With h = 2x, Σ (h² + h + 1) at (1, 2) is 28, and its gradient 8x + 2 is (10, 18)."""
    x = leaf(1.0, 2.0)
    loss = function(x)
    if not is_tensor(loss) or read(loss).size != ():
        return Verdict(False, f"it should give a tensor of one number; yours gave {shown(loss)}.")
    if numbers_of(loss) != (28.0,):
        return Verdict(False, f"at x = (1, 2) the loss was 28 and should stay so; yours gives {loss.item()}.")
    if loss.requires_grad:
        loss.backward()
    found = gradient(x)
    if found == (10.0, 18.0):
        return None
    says = f"it runs, but the gradient at x = (1, 2) is {found}; with all paths it is (10, 18)."
    if found in (None, (8.0, 16.0), (2.0, 2.0)):  # neither path, the squares' alone, the sum's alone
        return Verdict(False, f"{says} A path is cut.", "detach cuts a path")
    return Verdict(False, says)


def broken(x: Any) -> Any:
    h = x * 2
    squares = h * h
    h += 1
    return (squares + h).sum()


def repaired_apart(x: Any) -> Any:
    h = x * 2
    squares = h * h
    h = h + 1
    return (squares + h).sum()


def repaired_with_a_copy(x: Any) -> Any:
    h = x * 2
    squares = h * h
    other = h.clone()
    other += 1
    return (squares + other).sum()


def repaired_late(x: Any) -> Any:
    h = x * 2
    return (h * h + h + 1).sum()


def doubled_path(x: Any) -> Any:
    h = x * 2
    h.register_hook(lambda grad: grad * 2)
    return (h * h + h + 1).sum()


def cut(x: Any) -> Any:
    h = x * 2
    squares = h * h
    return (squares + (h.detach() + 1)).sum()


def written_aside(x: Any) -> Any:
    h = x * 2
    squares = h * h
    h.detach().add_(1)
    return (squares + h).sum()


def written_early(x: Any) -> Any:
    h = x * 2
    h += 1
    return (h * h + h).sum()


CHANGED = Slip(
    "a saved tensor was changed",
    "the product saved `h`, and your function writes into that very storage before the walk. "
    "Leave `h` as it is, and put the sum somewhere else.",
    given="",
)
