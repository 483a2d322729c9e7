"""What the checks of lesson 19 run."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorkit_widgets.practice.checking.checks_autograd import Leaf, gives, gradient, numbers_of
from tensorkit_widgets.practice.facts import Slip, Verdict, is_tensor, read
from tensorkit_widgets.practice.markup import shown

Function = Callable[..., Any]


def three(tk: Any) -> Any:
    return tk.tensor([1.0, 2.0, 3.0], requires_grad=True)


def two(tk: Any) -> Any:
    return tk.tensor([1.0, 2.0], requires_grad=True)


# ------------------------------------------------------------------ which of them fail


def fails(tk: Any) -> str:
    """The letters of the lines that fail, found by running them."""

    def square_scaled() -> None:
        x = three(tk)
        y = x * x
        y *= 2
        y.sum().backward()

    def result_written() -> None:
        y = three(tk).exp()
        y += 1
        y.sum().backward()

    def leaf_written() -> None:
        x = three(tk)
        x *= 2

    def detached_written() -> None:
        three(tk).detach().mul_(2)

    def view_written() -> None:
        y = three(tk) * 3
        z = (y * y).sum()
        y[1:].zero_()
        z.backward()

    failing = ""
    acts = (square_scaled, result_written, leaf_written, detached_written, view_written)
    for letter, act in zip("ABCDE", acts, strict=True):
        try:
            act()
        except RuntimeError:
            failing += letter
    return failing


LETTERS = {
    "A": Slip(
        "a saved tensor was changed",
        "about A: the product saved its inputs, `x` and `x`. It does not need its own result, so you may "
        "write into that.",
        given="A",
    ),
    "B": Slip(
        "a saved tensor was changed",
        "about B: the derivative of `exp` is `exp` itself, so that step saves its own **result**, which is `y`.",
        given="B",
    ),
    "C": Slip("in-place on a leaf", "about C: `x` is a leaf that requires grad.", given="C"),
    "D": Slip(
        "detach vs clone",
        "about D: what `detach` gives does not require grad, so the write is allowed. (It shows in `x`, "
        "because they share their numbers.)",
        given="D",
    ),
    "E": Slip(
        "a slice aliases its base",
        "about E: the product saved `y`, and a write to a slice of `y` is a write to `y`.",
        given="E",
    ),
}


# ------------------------------------------------------------------ a step with momentum


def _pushed(function: Function, leaf: Leaf) -> Any:
    w, velocity = leaf(1.0, 2.0), leaf(10.0, 0.0).detach()
    w.grad = leaf(10.0, -4.0).detach()
    function(w, velocity, 0.5)
    return leaf(*(numbers_of(w) or ()), *(numbers_of(velocity) or ()))


pushed = gives(
    "from w = (1, 2) with the gradient (10, -4), the velocity (10, 0) and the rate 0.5, `w` and `velocity` afterwards",
    (-8.5, 4.0, 19.0, -4.0),
    _pushed,
)


def still_a_leaf(function: Function, leaf: Leaf) -> Verdict | None:
    w = leaf(1.0, 2.0)
    w.grad = leaf(10.0, -4.0).detach()
    function(w, leaf(0.0, 0.0).detach(), 0.5)
    if w.is_leaf and w.requires_grad:
        return None
    return Verdict(False, "the numbers are right, but `w` is no leaf that requires grad any more.")


def step_under_no_grad(tk: Any) -> Function:
    def step(w: Any, velocity: Any, rate: float) -> None:
        velocity.mul_(0.9).add_(w.grad)
        with tk.no_grad():
            w -= rate * velocity

    return step


def step_forgetful(w: Any, velocity: Any, rate: float) -> None:
    velocity.copy_(w.grad)
    w.detach().sub_(rate * velocity)


def step_rebound(w: Any, velocity: Any, rate: float) -> None:
    velocity = 0.9 * velocity + w.grad
    w.detach().sub_(rate * velocity)


def step_up(w: Any, velocity: Any, rate: float) -> None:
    velocity.mul_(0.9).add_(w.grad)
    w.detach().add_(rate * velocity)


def step_recorded(w: Any, velocity: Any, rate: float) -> None:
    velocity.mul_(0.9).add_(w.grad)
    w -= rate * velocity


# ------------------------------------------------------------------ all slopes at once


class _Counted:
    """x³, and how often it was computed."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, x: Any) -> Any:
        self.calls += 1
        return x * x * x


def slopes_of_cubes(function: Function, leaf: Leaf) -> Verdict | None:
    f = _Counted()
    wrong = gives(
        "for f(x) = x³ at 1, -2 and 3", (3.0, 12.0, 27.0), lambda _f, one: function(f, one(1.0, -2.0, 3.0))
    )(function, leaf)
    if wrong is None and f.calls > 1:
        return Verdict(
            False,
            f"the slopes are right, but you computed `f` {f.calls} times. One call and one walk are enough.",
            "element loops",
        )
    return wrong


slopes_elsewhere = gives(
    "for f(x) = x³ at 2 and -1", (12.0, 3.0), lambda f, one: f(_Counted(), one(2.0, -1.0))
)


def _filled(function: Function, leaf: Leaf) -> Any:
    x = leaf(1.0, -2.0, 3.0)
    x.grad = leaf(100.0, 100.0, 100.0).detach()
    return function(lambda t: t * t * t, x)


slopes_after_others = gives("the same, with 100 in each place of `x.grad` before", (3.0, 12.0, 27.0), _filled)


def slopes_weighed(tk: Any) -> Function:
    def slopes(f: Function, x: Any) -> Any:
        x.grad = None
        y = f(x)
        y.backward(tk.ones_like(y))
        return x.grad

    return slopes


def slopes_of_a_sum(f: Function, x: Any) -> Any:
    x.grad = None
    f(x).sum().backward()
    return x.grad


def slopes_of_a_mean(f: Function, x: Any) -> Any:
    x.grad = None
    f(x).mean().backward()
    return x.grad


def slopes_stale(f: Function, x: Any) -> Any:
    f(x).sum().backward()
    return x.grad


def one_by_one(f: Function, x: Any) -> Any:
    found = x.detach().clone()
    for i in range(len(x)):
        x.grad = None
        f(x)[i].backward()
        found[i] = x.grad[i]
    return found


# ------------------------------------------------------------------ gradients kept within bounds

same_numbers = gives(
    "for h = (0.2, 3, -4), the numbers that come back",
    (0.2, 3.0, -4.0),
    lambda f, leaf: f(leaf(0.2, 3.0, -4.0) * 1, 1.0),
)


def _arrived(function: Function, leaf: Leaf) -> Any:
    x = leaf(0.2, 3.0, -4.0)
    (function(x * 1, 1.0) ** 2).sum().backward()
    return x.grad


kept_within = gives(
    "for h = (0.2, 3, -4) and the loss Σ h², with most = 1, the gradient that is passed on",
    (0.4, 1.0, -1.0),
    _arrived,
)


def passed_on(h: Any, most: float) -> Any:
    h.register_hook(lambda grad: grad.clamp(-most, most))
    return h


# ------------------------------------------------------------------ a string that fades


def _measured(leaf: Leaf) -> tuple[Any, Any]:
    times = [step / 10 for step in range(41)]
    return leaf(*times).detach(), leaf(*(2 * math.exp(-time / 2) for time in times)).detach()


def faded_out(function: Function, leaf: Leaf) -> Verdict | None:
    """The loudness 2·exp(-t/2) has to give (2, 0.5), to two places; and one of 1.5·exp(-t/2) its own numbers."""
    wrong = _faded(function, leaf, 2.0)  # a verdict of "wrong" is not true
    return _faded(function, leaf, 1.5) if wrong is None else wrong


def _faded(function: Function, leaf: Leaf, loudness: float) -> Verdict | None:
    t, y = _measured(leaf)
    got = function(t, y * (loudness / 2))
    if got is None:
        return Verdict(False, "your function returned nothing. Is a `return` missing?")
    if not is_tensor(got):
        return Verdict(False, f"it should return a tensor of two numbers, (a, b); yours gave {shown(got)}.")
    numbers = numbers_of(got) or ()
    if len(numbers) == 2 and abs(numbers[0] - loudness) < 0.01 and abs(numbers[1] - 0.5) < 0.01:
        return None
    said = ", ".join(f"{number:.1f}" for number in numbers[:4])
    return Verdict(False, f"for a string with a = {loudness:g} and b = 0.5 it gives ({said}).")


def _fit(t: Any, y: Any, *, steps: int = 200, empty: bool = True, way: float = -0.5) -> Any:
    p = t.new_tensor([1.0, 1.0]).requires_grad_()
    for _ in range(steps):
        if empty:
            p.grad = None
        ((p[0] * (-p[1] * t).exp() - y) ** 2).mean().backward()
        p.detach().add_(way * p.grad)
    return p.detach()


def fitted(tk: Any) -> Function:
    def fit(t: Any, y: Any) -> Any:
        p = tk.tensor([1.0, 1.0], requires_grad=True)
        for _ in range(200):
            loss = ((p[0] * tk.exp(-p[1] * t) - y) ** 2).mean()
            loss.backward()
            with tk.no_grad():
                p -= 0.5 * p.grad
            p.grad.zero_()
        return p

    return fit


def fitted_in_two(t: Any, y: Any) -> Any:
    return _fit(t, y, steps=300)


def fitted_too_briefly(t: Any, y: Any) -> Any:
    return _fit(t, y, steps=1)


def fitted_stale(t: Any, y: Any) -> Any:
    return _fit(t, y, empty=False)


def fitted_uphill(t: Any, y: Any) -> Any:
    return _fit(t, y, way=0.5)


# ------------------------------------------------------------------ chances in per cent


def repaired(function: Function, leaf: Leaf) -> Verdict | None:
    """At (0, ln 3) the chances are 50 and 75 per cent; the gradient 100·p·(1 - p) is (25, 18.75)."""
    x = leaf(0.0, math.log(3.0))
    loss = function(x)
    if not is_tensor(loss) or read(loss).size != ():
        return Verdict(False, f"it should give a tensor of one number; yours gave {shown(loss)}.")
    if abs(loss.item() - 125.0) > 0.01:
        return Verdict(
            False, f"at x = (0, 1.0986) the result was 125 and should stay so; yours gives {loss.item():.4g}."
        )
    if not loss.requires_grad:
        return Verdict(
            False, "it runs, but no way leads back to `x` any more: a path is cut.", "detach cuts a path"
        )
    loss.backward()
    found = tuple(round(float(number), 2) for number in gradient(x) or ())
    if found == (25.0, 18.75):
        return None
    return Verdict(
        False, f"it runs, but the gradient at x = (0, 1.0986) is {found}; it should be (25, 18.75)."
    )


def broken(x: Any) -> Any:
    p = x.sigmoid()
    p *= 100
    return p.sum()


def repaired_by_factor(x: Any) -> Any:
    return (x.sigmoid() * 100).sum()


def repaired_with_a_copy(x: Any) -> Any:
    p = x.sigmoid().clone()
    p *= 100
    return p.sum()


def magnified(x: Any) -> Any:
    return 100 * x.sigmoid().sum()


def unscaled(x: Any) -> Any:
    return x.sigmoid().sum()


def cut(x: Any) -> Any:
    return (x.sigmoid().detach() * 100).sum()


def written_aside(x: Any) -> Any:
    p = x.sigmoid()
    p.detach().mul_(100)
    return p.sum()


def written_unseen(x: Any) -> Any:
    p = x.sigmoid()
    p.data.mul_(100)
    return p.sum()


CHANGED = Slip(
    "a saved tensor was changed",
    "`sigmoid` saved its own result for the way back, and your function writes into that very storage before the walk. "
    "Leave `p` as it is, and put the percentages somewhere else.",
    given="",
)
