"""Gradient descent that remembers the mean of where it was: `ASGD`."""

from __future__ import annotations

from tensorkit.ops.shared.tensor_data import as_tensor
from tensorkit.optim import one_pass
from tensorkit.optim.optimizer import Params
from tensorkit.optim.single_tensor import (
    Group,
    SingleTensorOptimizer,
    State,
    check_lr,
    check_not_negative,
    number_state,
    real_views,
    scalar,
    with_weight_decay,
    zeros_state,
)
from tensorkit.tensor import Tensor


class ASGD(SingleTensorOptimizer):
    """Averaged gradient descent: the state ``ax`` is the mean of the parameter over the steps after `t0`.

    ``p = (1 - lambd * eta) * p - eta * grad``, where after ``t`` steps ``eta = lr / (1 + lambd * lr * t)**alpha``.

    Args:
        params: tensors to optimize, or pairs of a name and a tensor, or dicts of groups.
        lr: the learning rate: a number, or a tensor of one element.
        lambd: how fast parameters shrink. alpha: how fast the rate falls.
        t0: the step after which the mean begins; before, it is the parameter itself.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        capturable: compute with tensors on the GPU alone. foreach: accepted; it changes no result.
        maximize: climb, do not descend. differentiable: record the steps for `backward`.

    Raises:
        ValueError: for negative options.

    >>> w = tk.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = tk.optim.ASGD([w], lr=0.25, t0=0)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     (w * w).sum().backward()
    ...     optimizer.step()
    >>> w, optimizer.state[w]["ax"]
    (tensor([0.2500, 0.5000], requires_grad=True), tensor([0.2500, 0.5000]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.ASGD.html
    """

    _numbers = ("step", "eta", "mu")
    _captured = "params, mus, etas, and state_steps"

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check_not_negative(lr=lr, weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _new_state(self, param: Tensor, group: Group) -> State:
        beside = group | {"capturable": True}  # all numbers are with the parameter
        return {
            "step": number_state(0.0, param, beside),
            "eta": number_state(float(scalar(group["lr"])), param, beside),
            "mu": number_state(1.0, param, beside),
            "ax": zeros_state(param),
        }

    def _update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        lr, lambd = scalar(group["lr"]), group["lambd"]
        eta, mu = state["eta"].item(), state["mu"]
        state["step"] += 1
        if not one_pass.asgd(param, grad, state, group, eta):
            param, grad, ax = real_views(param, grad, state["ax"])
            if group["weight_decay"] != 0:
                grad = with_weight_decay(grad, param, group["weight_decay"])
            param.mul_(1 - lambd * eta)
            param.add_(grad, alpha=-eta)
            if mu.item() != 1:
                ax.add_(param.sub(ax).mul_(mu))
            else:
                ax.copy_(param)
        step = state["step"].item()
        state["eta"].copy_(as_tensor(lr / (1 + lambd * lr * step) ** group["alpha"]))
        mu.copy_(as_tensor(1 / max(1, step - group["t0"])))
