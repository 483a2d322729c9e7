"""A quasi-Newton method: `LBFGS`, with a line search on demand.

The line search is the bracketing one of Nocedal and Wright, Numerical Optimization (2006), algorithms 3.5 and 3.6, as
Mark Schmidt's minFunc has it, from which PyTorch took it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tensorkit.autograd.grad_mode import enable_grad, no_grad
from tensorkit.memory_format import contiguous_format
from tensorkit.ops.complex.real_imag import view_as_real
from tensorkit.ops.joining.cat import cat
from tensorkit.optim.optimizer import Optimizer, Params
from tensorkit.optim.single_tensor import check_lr, check_not_negative, scalar
from tensorkit.tensor import Tensor

#: The last entries of the state, in the order in which PyTorch has them.
_IN_ORDER = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")


class LBFGS(Optimizer):
    """Newton's steps, with a curvature that is estimated from the last steps and the changes of the gradient.

    Args:
        params: tensors to optimize; there are no groups.
        lr: the length of a step, in Newton's steps: a number, or a tensor of one element.
        max_iter: how many steps one call of `step` takes at most.
        max_eval: how often it calls `closure` at most; 1.25 times `max_iter` if it is not given.
        tolerance_grad, tolerance_change: below them no gradient, and no change of parameters or loss, is worth a step.
        history_size: how many earlier steps are remembered.
        line_search_fn: ``"strong_wolfe"`` looks along the direction for a point where loss and slope are small enough.

    Raises:
        ValueError: for a negative rate, or several groups.

    >>> w = tk.tensor([1.0, 200.0], requires_grad=True)
    >>> optimizer = tk.optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (w * w).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure)
    tensor(40001., grad_fn=<SumBackward0>)
    >>> w.abs().max() < 1e-4
    tensor(True)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.LBFGS.html
    """

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        check_not_negative(lr=lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    # -- all parameters as one vector -----------------------------------------------------------------------------

    @property
    def _params(self) -> list[Tensor]:
        params: list[Tensor] = self.param_groups[0]["params"]
        return params

    def _gradient(self) -> Tensor:
        """The gradients of all parameters in a row; zeros where there is none."""
        rows = [p.new_zeros(p.numel()) if p.grad is None else p.grad.view(-1) for p in self._params]
        return cat([view_as_real(row).view(-1) if row.is_complex() else row for row in rows], 0)

    def _move(self, step_size: Any, direction: Tensor) -> None:
        start = 0
        for param in self._params:
            real = view_as_real(param) if param.is_complex() else param
            part = direction[start : start + real.numel()]
            real.add_(part.view_as(real), alpha=step_size)
            start += real.numel()

    def _evaluate_at(
        self, begin: list[Tensor], step_size: Any, direction: Tensor, closure: Callable[[], Any]
    ) -> tuple[float, Tensor]:
        """The loss and the gradient at a point along the direction; the parameters are where they were afterwards."""
        self._move(step_size, direction)
        loss, gradient = float(closure()), self._gradient()
        for param, value in zip(self._params, begin, strict=True):
            param.copy_(value)
        return loss, gradient

    # -- the steps ------------------------------------------------------------------------------------------------

    @no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Take up to `max_iter` steps.

        Args:
            closure: computes the loss again, with its gradients, and returns it.
        """
        closure = enable_grad()(closure)
        group, state = self.param_groups[0], self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss, evaluations = float(first_loss), 1
        state["func_evals"] += 1
        gradient = self._gradient()
        if gradient.abs().max() <= group["tolerance_grad"]:
            return first_loss
        for count in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            self._set_direction(state, gradient)
            direction, before = state["d"], loss
            state["prev_loss"] = loss
            lr = scalar(group["lr"])
            state["t"] = min(1.0, 1.0 / gradient.abs().sum()) * lr if state["n_iter"] == 1 else lr
            slope = gradient.dot(direction)
            if slope > -group["tolerance_change"]:
                break
            loss, gradient, used = self._go(
                closure, loss, gradient, slope, group["max_eval"] - evaluations, count
            )
            evaluations += used
            state["func_evals"] += used
            if (
                count == group["max_iter"]
                or evaluations >= group["max_eval"]
                or gradient.abs().max() <= group["tolerance_grad"]
                or direction.mul(state["t"]).abs().max() <= group["tolerance_change"]
                or abs(loss - before) < group["tolerance_change"]
            ):
                break
        for name in _IN_ORDER:
            state[name] = state.pop(name)
        return first_loss

    def _set_direction(self, state: dict[str, Any], gradient: Tensor) -> None:
        """Where to go: minus the gradient, times the estimate of the inverse of the second derivatives."""
        if state["n_iter"] == 1:
            state["d"] = gradient.neg()
            state |= {"t": None, "old_dirs": [], "old_stps": [], "ro": [], "H_diag": 1}
            state["prev_flat_grad"] = gradient.clone(memory_format=contiguous_format)
            return
        changes, moves, ro = state["old_dirs"], state["old_stps"], state["ro"]
        change, move = gradient.sub(state["prev_flat_grad"]), state["d"].mul(state["t"])
        curvature = change.dot(move)
        if curvature > 1e-10:
            if len(changes) == self.param_groups[0]["history_size"]:
                for history in (changes, moves, ro):
                    history.pop(0)
            changes.append(change)
            moves.append(move)
            ro.append(1.0 / curvature)
            state["H_diag"] = curvature / change.dot(change)
        # The two loops of the method: back through the history, and forth.
        shares = state.setdefault("al", [None] * self.param_groups[0]["history_size"])
        q = gradient.neg()
        for i in reversed(range(len(changes))):
            shares[i] = moves[i].dot(q) * ro[i]
            q.add_(changes[i], alpha=-shares[i])
        direction = q.mul(state["H_diag"])
        for i in range(len(changes)):
            back = changes[i].dot(direction) * ro[i]
            direction.add_(moves[i], alpha=shares[i] - back)
        state["d"] = direction
        state["prev_flat_grad"].copy_(gradient)

    def _go(
        self, closure: Callable[[], Any], loss: float, gradient: Tensor, slope: Tensor, most: int, count: int
    ) -> tuple[float, Tensor, int]:
        """Move along the direction: the loss and the gradient there, and how often they were computed."""
        group, state = self.param_groups[0], self.state[self._params[0]]
        direction, search = state["d"], group["line_search_fn"]
        if search is None:
            self._move(state["t"], direction)
            if count == group["max_iter"]:  # they are computed again when the next call begins
                return loss, gradient, 0
            return float(closure()), self._gradient(), 1
        if search != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        begin = [param.clone(memory_format=contiguous_format) for param in self._params]

        def evaluate(step_size: Any) -> _Point:
            found, new = self._evaluate_at(begin, step_size, direction, closure)
            return _Point(step_size, found, new, new.dot(direction))

        start = _Point(0, loss, gradient.clone(memory_format=contiguous_format), slope)
        found, used = _strong_wolfe(evaluate, start, state["t"], direction.abs().max(), most)
        state["t"] = found.t
        self._move(found.t, direction)
        return found.loss, found.gradient, used


@dataclass
class _Point:
    """A point along the direction: how far it is, the loss and the gradient there, and its part in the direction."""

    t: Any
    loss: float
    gradient: Tensor
    slope: Any


def _strong_wolfe(
    evaluate: Callable[[Any], _Point], start: _Point, t: Any, longest: Tensor, most: int
) -> tuple[_Point, int]:
    """A point where the loss has fallen and the slope is flat, if `most` tries find one, and how many it took."""

    def fallen(point: _Point) -> bool:
        return not point.loss > start.loss + 1e-4 * point.t * start.slope

    def flat(point: _Point) -> bool:
        return bool(abs(point.slope) <= -0.9 * start.slope)

    # First go on until a point that is good enough must be behind.
    previous, point, tries = start, evaluate(t), 0
    bracket = [start, point]
    while tries < most:
        bracket = [previous, point]
        if not fallen(point) or (tries > 1 and point.loss >= previous.loss):
            break
        if flat(point):
            return point, tries + 1
        if point.slope >= 0:
            break
        bounds = (point.t + 0.01 * (point.t - previous.t), point.t * 10)
        previous, point = point, evaluate(_cubic_minimum(previous, point, bounds))
        bracket = [start, point]
        tries += 1
    # Then narrow the bracket between the best point and another one.
    low, high = _in_order(bracket)
    stuck = False
    while tries < most and not abs(bracket[1].t - bracket[0].t) * longest < 1e-9:
        t, stuck = _inside(bracket, stuck)
        point, tries = evaluate(t), tries + 1
        if not fallen(point) or point.loss >= bracket[low].loss:
            bracket[high] = point
            low, high = _in_order(bracket)
        elif flat(point):
            return point, tries + 1
        else:
            if point.slope * (bracket[high].t - bracket[low].t) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = point
    return bracket[low], tries + 1


def _in_order(bracket: list[_Point]) -> tuple[int, int]:
    return (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)


def _inside(bracket: list[_Point], stuck: bool) -> tuple[Any, bool]:
    """The next point to try, not at the edge of the bracket twice, and whether it is at the edge."""
    t = _cubic_minimum(bracket[0], bracket[1])
    first, last = min(point.t for point in bracket), max(point.t for point in bracket)
    margin = 0.1 * (last - first)
    if not min(last - t, t - first) < margin:
        return t, False
    if not (stuck or t >= last or t <= first):
        return t, True
    return (last - margin if abs(t - last) < abs(t - first) else first + margin), False


def _cubic_minimum(a: _Point, b: _Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Where the cubic through two points with their slopes is least, within bounds; their middle where it has none."""
    low, high = bounds or ((a.t, b.t) if a.t <= b.t else (b.t, a.t))
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = square.sqrt()
    if a.t <= b.t:
        least = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    else:
        least = a.t - (a.t - b.t) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2))
    return min(max(least, low), high)
