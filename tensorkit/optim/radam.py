"""`Adam` that waits until its mean of squares can be trusted: `RAdam`."""

from __future__ import annotations

from typing import Any, ClassVar

from tensorkit.optim.optimizer import Params
from tensorkit.optim.single_tensor import (
    Group,
    SingleTensorOptimizer,
    State,
    check_betas,
    check_lr,
    check_not_negative,
    number_state,
    real_views,
    scalar,
    with_weight_decay,
    zeros_state,
)
from tensorkit.tensor import Tensor


class RAdam(SingleTensorOptimizer):
    """`Adam` whose first steps follow the mean gradient alone, until enough squares are in the divisor's mean.

    After ``t`` steps there are, in effect, ``rho = 2 / (1 - beta2) - 1 - 2 * t * beta2**t / (1 - beta2**t)``.
    From above 5 on the step of `Adam` is taken, times a factor that grows to 1.

    Args:
        params: tensors to optimize, or pairs of a name and a tensor, or dicts of groups.
        lr: the learning rate: a number, or a tensor of one element.
        betas: how much of the means of gradients and of their squares stays at each step.
        eps: added to the divisor, so that it is not 0.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        decoupled_weight_decay: shrink the parameter itself, as `AdamW` does, and leave the gradient.
        capturable: keep the count of steps on the GPU. foreach: accepted; it changes no result.
        maximize: climb, do not descend. differentiable: record the steps for `backward`.

    Raises:
        ValueError: for options out of their range.

    >>> w = tk.tensor([1.0, 200.0], requires_grad=True)
    >>> optimizer = tk.optim.RAdam([w], lr=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0., 0.], requires_grad=True)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.RAdam.html
    """

    _added_later: ClassVar[dict[str, Any]] = {
        **SingleTensorOptimizer._added_later,
        "decoupled_weight_decay": False,
    }

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_not_negative(lr=lr, eps=eps)
        check_betas(betas)
        check_not_negative(weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, param: Tensor, group: Group) -> State:
        return {
            "step": number_state(0.0, param, group),
            "exp_avg": zeros_state(param),
            "exp_avg_sq": zeros_state(param),
        }

    def _update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        lr, (beta1, beta2) = scalar(group["lr"]), group["betas"]
        state["step"] += 1
        step = state["step"].item()
        param, grad, mean, square = real_views(param, grad, state["exp_avg"], state["exp_avg_sq"])
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                param.mul_(1 - lr * group["weight_decay"])
            else:
                grad = with_weight_decay(grad, param, group["weight_decay"])
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        correction = 1 - beta2**step
        update = mean / (1 - beta1**step) * lr
        most = 2 / (1 - beta2) - 1
        rho = most - 2 * step * beta2**step / correction
        if rho > 5.0:
            root = square.sqrt()
            divisor = root.add(group["eps"]) if group["differentiable"] else root.add_(group["eps"])
            trust = ((rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho)) ** 0.5
            update = update * (correction**0.5 / divisor) * trust
        param.add_(update, alpha=-1.0)
