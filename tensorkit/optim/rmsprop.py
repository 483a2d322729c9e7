"""Steps divided by the root of a mean of squares: `RMSprop`."""

from __future__ import annotations

from typing import Any, ClassVar

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


class RMSprop(SingleTensorOptimizer):
    """Divide the gradient by the root of the mean of its squares: ``p -= lr * grad / (sqrt(square_avg) + eps)``.

    Args:
        params: tensors to optimize, or pairs of a name and a tensor, or dicts of groups.
        lr: the learning rate: a number, or a tensor of one element.
        alpha: how much of the mean stays: ``square_avg = alpha * square_avg + (1 - alpha) * grad**2``.
        eps: added to the divisor, so that it is not 0.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        momentum: collects the steps: ``buffer = momentum * buffer + grad / divisor``; ``p -= lr * buffer``.
        centered: subtract the square of the mean gradient, which leaves an estimate of the variance.
        capturable: keep the count of steps on the GPU. foreach: accepted; it changes no result.
        maximize: climb, do not descend. differentiable: record the steps for `backward`.

    Raises:
        ValueError: for negative options.

    >>> w = tk.tensor([1.0, 200.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> tk.optim.RMSprop([w], lr=0.1, alpha=0.75).step()
    >>> w
    tensor([  0.8000, 199.8000], requires_grad=True)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.RMSprop.html
    """

    _added_later: ClassVar[dict[str, Any]] = {
        "momentum": 0,
        "centered": False,
        **SingleTensorOptimizer._added_later,
    }
    _without_xla = ()

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_not_negative(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, param: Tensor, group: Group) -> State:
        state = {"step": number_state(0.0, param, group), "square_avg": zeros_state(param)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_state(param)
        if group["centered"]:
            state["grad_avg"] = zeros_state(param)
        return state

    def _update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        lr, alpha = scalar(group["lr"]), group["alpha"]
        state["step"] += 1
        if not group["centered"] and one_pass.rmsprop(param, grad, state, group):
            return
        if group["weight_decay"] != 0:
            grad = with_weight_decay(grad, param, group["weight_decay"])
        param, grad, square_avg = real_views(param, grad, state["square_avg"])
        square_avg.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            (grad_avg,) = real_views(state["grad_avg"])
            grad_avg.lerp_(grad, 1 - alpha)
            root = square_avg.addcmul(grad_avg, grad_avg, value=-1).sqrt_()
        else:
            root = square_avg.sqrt()
        divisor = root.add(group["eps"]) if group["differentiable"] else root.add_(group["eps"])
        if group["momentum"] > 0:
            (buffer,) = real_views(state["momentum_buffer"])
            buffer.mul_(group["momentum"]).addcdiv_(grad, divisor)
            param.add_(buffer, alpha=-lr)
        else:
            param.addcdiv_(grad, divisor, value=-lr)
