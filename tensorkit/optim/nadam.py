"""`Adam` with Nesterov's look ahead: `NAdam`."""

from __future__ import annotations

from typing import Any, ClassVar

from tensorkit.optim import one_pass
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


class NAdam(SingleTensorOptimizer):
    """`Adam` that goes on with the momentum of the next step: Nesterov's look ahead.

    With ``t`` steps done, the momentum is ``mu(t) = beta1 * (1 - 0.96**(t * momentum_decay) / 2)``; ``m`` and ``v`` are
    as for `Adam`, and ``p -= lr * ((1 - mu(t)) / (1 - product of mu(1) … mu(t)) * grad + mu(t + 1) / (1 - product of
    mu(1) … mu(t + 1)) * m) / (sqrt(v / (1 - beta2**t)) + eps)``.

    Args:
        params: tensors to optimize, or pairs of a name and a tensor, or dicts of groups.
        lr: the learning rate: a number, or a tensor of one element.
        betas: how much of the means ``m`` and ``v`` stays at each step.
        eps: added to the divisor, so that it is not 0.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        momentum_decay: how fast the momentum grows to `beta1`.
        decoupled_weight_decay: shrink the parameter itself, as `AdamW` does, and leave the gradient.
        capturable: keep the count of steps on the GPU. foreach: accepted; it changes no result.
        maximize: climb, do not descend. differentiable: record the steps for `backward`.

    Raises:
        ValueError: for options out of their range.

    >>> w = tk.tensor([1.0, 200.0], requires_grad=True)
    >>> optimizer = tk.optim.NAdam([w], lr=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([  0.4718, 199.4718], requires_grad=True)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.NAdam.html
    """

    _added_later: ClassVar[dict[str, Any]] = {
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
    }
    _numbers = ("step", "mu_product")
    _captured = "params, mu_products and state_steps"

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
        check_not_negative(weight_decay=weight_decay, momentum_decay=momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, param: Tensor, group: Group) -> State:
        return {
            "step": number_state(0.0, param, group),
            "mu_product": number_state(1.0, param, group),
            "exp_avg": zeros_state(param),
            "exp_avg_sq": zeros_state(param),
        }

    def _update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        lr, (beta1, beta2), decay = scalar(group["lr"]), group["betas"], group["momentum_decay"]
        state["step"] += 1
        step = state["step"].item()
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * decay))
        mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * decay))
        product = state["mu_product"]
        product *= mu
        tensors = group["differentiable"] or group["capturable"]  # the product stays one
        known = product if tensors else product.item()
        past, ahead = -lr * (1.0 - mu) / (1.0 - known), -lr * mu_next / (1.0 - known * mu_next)
        if one_pass.nadam(param, grad, state, group, past, ahead):
            return
        param, grad, mean, square = real_views(param, grad, state["exp_avg"], state["exp_avg_sq"])
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                param.mul_(1 - lr * group["weight_decay"])
            else:
                grad = with_weight_decay(grad, param, group["weight_decay"])
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        divisor = square.div(1 - beta2**step).sqrt()
        if tensors:
            divisor = divisor.add(group["eps"])
            param.addcdiv_(grad * past, divisor)
            param.addcdiv_(mean * ahead, divisor)
        else:
            divisor.add_(group["eps"])
            param.addcdiv_(grad, divisor, value=past)
            param.addcdiv_(mean, divisor, value=ahead)
