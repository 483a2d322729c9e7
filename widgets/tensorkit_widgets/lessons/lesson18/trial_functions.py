"""What the checks of lesson 18 run."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from tensorkit_widgets.practice.checking.checks_autograd import Leaf, Trial, gives, gradient, numbers_of
from tensorkit_widgets.practice.facts import Verdict, is_tensor, read
from tensorkit_widgets.practice.markup import shown

Function = Callable[..., Any]


def two(tk: Any) -> Any:
    return tk.tensor([1.0, 2.0], requires_grad=True)


def table(tk: Any) -> Any:
    return tk.tensor([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0]], requires_grad=True)


# ------------------------------------------------------------------ a fresh gradient


def _weighed(w: Any) -> Any:
    return (w * w * 3).sum()


fresh = gives("for f(w) = Σ 3·w² at (1, 2)", (6.0, 12.0), lambda f, leaf: f(_weighed, leaf(1.0, 2.0)))
"""With nothing in `.grad` before."""

fresh_elsewhere = gives(
    "for the same f at (2, -1, 5)", (12.0, -6.0, 30.0), lambda f, leaf: f(_weighed, leaf(2.0, -1.0, 5.0))
)


def _filled(function: Function, leaf: Leaf) -> Any:
    w = leaf(1.0, 2.0)
    w.grad = leaf(100.0, 100.0).detach()
    return function(_weighed, w)


refreshed = gives("for f(w) = Σ 3·w² at (1, 2), with (100, 100) in `w.grad` before", (6.0, 12.0), _filled)


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


# ------------------------------------------------------------------ which loss


def cubic(*numbers: float) -> Trial:
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
        got = gradient(x)
        if got == wanted:
            return None
        return Verdict(False, f"at x = {numbers} the gradient should be {wanted}; with yours it is {got}.")

    return trial


# ------------------------------------------------------------------ in the middle


def row_sums(function: Function, leaf: Leaf) -> Verdict | None:
    """The row sums of ((1, 2, 0), (0, 1, 0)) are 3 and 1; the gradient of Σ h³ for h is 3h², (27, 3)."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        got = function(leaf([1.0, 2.0, 0.0], [0.0, 1.0, 0.0]))
    asked = any("is not a leaf" in str(one.message) for one in warned)
    if got is None and asked:
        return Verdict(
            False,
            "that is `None`: the gradient of a tensor in the middle is passed on and not kept, unless you "
            "request it before the walk.",
            "`.grad` of a non-leaf",
        )
    if numbers_of(got) == (3.0, 1.0):
        return Verdict(False, "these are the row sums themselves.", "a value is not a gradient")
    return gives("for rows that add up to 3 and 1", (27.0, 3.0), lambda _f, _leaf: got)(function, leaf)


other_row_sums = gives(
    "for rows that add up to 2 and -4", (12.0, 48.0), lambda f, leaf: f(leaf([1.0, 1.0], [-5.0, 1.0]))
)


def row_sums_kept(x: Any) -> Any:
    h = x.sum(dim=1)
    h.retain_grad()
    (h**3).sum().backward()
    return h.grad


def row_sums_hooked(x: Any) -> Any:
    h = x.sum(dim=1)
    seen: list[Any] = []
    h.register_hook(seen.append)
    (h**3).sum().backward()
    return seen[0]


def row_sums_lost(x: Any) -> Any:
    h = x.sum(dim=1)
    (h**3).sum().backward()
    return h.grad


def row_sums_unreturned(x: Any) -> None:
    row_sums_kept(x)


def row_sums_of_x(x: Any) -> Any:
    row_sums_lost(x)
    return x.grad


# ------------------------------------------------------------------ the slope and the offset of a line


def _points(leaf: Leaf) -> tuple[Any, Any]:
    """Three points on the line 2·x + 1."""
    return leaf(0.0, 1.0, 2.0).detach(), leaf(1.0, 3.0, 5.0).detach()


uphill = gives(
    "for the points (0, 1), (1, 3), (2, 5) and the line with slope 1 and offset 3",
    (2 / 3, 2.0),
    lambda f, leaf: f(leaf(1.0, 3.0), *_points(leaf)),
)
"""It misses by 2, 1 and 0: 2/3·(0·2 + 1·1 + 2·0) for the slope, and 2/3·(2 + 1 + 0) for the offset."""

best_line = gives(
    "for the points (0, 1), (1, 3), (2, 5) and the line through all of them, slope 2 and offset 1",
    (0.0, 0.0),
    lambda f, leaf: f(leaf(2.0, 1.0), *_points(leaf)),
)


def _filled_line(function: Function, leaf: Leaf) -> Any:
    line = leaf(1.0, 3.0)
    line.grad = leaf(100.0, 100.0).detach()
    return function(line, *_points(leaf))


filled = gives("the same line, with (100, 100) in `line.grad` before", (2 / 3, 2.0), _filled_line)


def uphill_error(line: Any, x: Any, y: Any) -> Any:
    return ((line[0] * x + line[1] - y) ** 2).mean()


def uphill_walked(line: Any, x: Any, y: Any) -> Any:
    line.grad = None
    uphill_error(line, x, y).backward()
    return line.grad


def uphill_stale(line: Any, x: Any, y: Any) -> Any:
    uphill_error(line, x, y).backward()
    return line.grad


def uphill_asked(line: Any, x: Any, y: Any) -> Any:
    copy = line.detach().clone().requires_grad_()
    uphill_error(copy, x, y).backward()
    return copy.grad


def uphill_by_hand(line: Any, x: Any, y: Any) -> Any:
    miss = line[0] * x + line[1] - y
    found = line.detach().clone()
    found[0], found[1] = 2 * (miss * x).mean().detach(), 2 * miss.mean().detach()
    return found


def uphill_of_a_sum(line: Any, x: Any, y: Any) -> Any:
    line.grad = None
    ((line[0] * x + line[1] - y) ** 2).sum().backward()
    return line.grad


def uphill_swapped(line: Any, x: Any, y: Any) -> Any:
    line.grad = None
    ((line[1] * x + line[0] - y) ** 2).mean().backward()
    return line.grad


# ------------------------------------------------------------------ in portions


def _portions(function: Function, leaf: Leaf) -> Any:
    return function(leaf(1.0, 2.0), leaf([1.0, 0.0], [2.0, 1.0]).detach())


def _portions_after_others(function: Function, leaf: Leaf) -> Any:
    w = leaf(1.0, 2.0)
    w.grad = leaf(100.0, 100.0).detach()
    return function(w, leaf([1.0, 0.0], [2.0, 1.0]).detach())


portions = gives("for w = (1, 2) and the portions (1, 0) and (2, 1)", (18.0, 8.0), _portions)
"""The squares of 1 and 4: their gradients are (2, 0) and (16, 8)."""

other_portions = gives(
    "for w = (3, -1) and the portions (0, 1), (1, 1) and (1, 0)",
    (10.0, 2.0),
    lambda f, leaf: f(leaf(3.0, -1.0), leaf([0.0, 1.0], [1.0, 1.0], [1.0, 0.0]).detach()),
)
"""The squares of -1, 2 and 3: their gradients are (0, -2), (4, 4) and (6, 0)."""

portions_after_others = gives(
    "the same, with (100, 100) in `w.grad` before", (18.0, 8.0), _portions_after_others
)


def portions_walked(w: Any, portions: Any) -> Any:
    w.grad = None
    for portion in portions:
        loss = (portion * w).sum() ** 2
        loss.backward()
    return w.grad


def portions_at_once(w: Any, portions: Any) -> Any:
    w.grad = None
    ((portions * w).sum(dim=1) ** 2).sum().backward()
    return w.grad


def portions_asked(w: Any, portions: Any) -> Any:
    w.grad = None
    sum((portion * w).sum() ** 2 for portion in portions).backward()
    return w.grad


def walked_before(w: Any, portions: Any) -> Any:
    w.grad = None
    loss = (portions[0] * w).sum() ** 2
    for _ in portions:
        loss.backward()
    return w.grad


def retained(w: Any, portions: Any) -> Any:
    w.grad = None
    loss = (portions[0] * w).sum() ** 2
    for _ in portions:
        loss.backward(retain_graph=True)
    return w.grad


def portions_stale(w: Any, portions: Any) -> Any:
    for portion in portions:
        ((portion * w).sum() ** 2).backward()
    return w.grad


def only_the_last(w: Any, portions: Any) -> Any:
    for portion in portions:
        w.grad = None
        ((portion * w).sum() ** 2).backward()
    return w.grad
