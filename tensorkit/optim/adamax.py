"""`Adam` with the largest gradient instead of the mean square: `Adamax`."""

from __future__ import annotations

from tensorkit.ops.joining.stack import stack
from tensorkit.ops.pointwise.comparison import maximum
from tensorkit.ops.reduction.amax import amax
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


class Adamax(SingleTensorOptimizer):
    """`Adam` with a divisor that is the largest gradient so far, slowly forgotten.

    With ``t`` steps done, ``m = beta1 * m + (1 - beta1) * grad`` and ``u = max(beta2 * u, abs(grad) + eps)``;
    ``p -= lr / (1 - beta1**t) * m / u``.

    Args:
        params: tensors to optimize, or pairs of a name and a tensor, or dicts of groups.
        lr: the learning rate: a number, or a tensor of one element.
        betas: how much of ``m`` and ``u`` stays at each step.
        eps: added to the gradient's size, so that the divisor is not 0.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        capturable: keep the count of steps on the GPU. foreach: accepted; it changes no result.
        maximize: climb, do not descend. differentiable: record the steps for `backward`.

    Raises:
        ValueError: for options out of their range.

    >>> w = tk.tensor([1.0, 200.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> tk.optim.Adamax([w], lr=0.5).step()
    >>> w
    tensor([  0.5000, 199.5000], requires_grad=True)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adamax.html
    """

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
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
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _new_state(self, param: Tensor, group: Group) -> State:
        return {
            "step": number_state(0.0, param, group),
            "exp_avg": zeros_state(param),
            "exp_inf": zeros_state(param),
        }

    def _update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        beta1, beta2 = group["betas"]
        state["step"] += 1
        if one_pass.adamax(param, grad, state, group):
            return
        if group["weight_decay"] != 0:
            grad = with_weight_decay(grad, param, group["weight_decay"])
        param, grad, mean, largest = real_views(param, grad, state["exp_avg"], state["exp_inf"])
        mean.lerp_(grad, 1 - beta1)
        size = grad.abs().add_(group["eps"])
        if group["differentiable"]:
            largest.copy_(amax(stack([largest.mul_(beta2), size]), 0))
        else:
            maximum(largest.mul_(beta2), size, out=largest)
        rate = scalar(group["lr"]) / (1 - beta1 ** state["step"].item())
        param.addcdiv_(mean, largest, value=-rate)
