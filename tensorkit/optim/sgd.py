"""Stochastic gradient descent: `SGD`."""

from __future__ import annotations

from typing import Any, ClassVar

from tensorkit.optim import one_pass
from tensorkit.optim.optimizer import Params
from tensorkit.optim.single_tensor import (
    Group,
    SingleTensorOptimizer,
    State,
    check_fused,
    check_lr,
    check_one_way,
    scalar,
    with_weight_decay,
)
from tensorkit.tensor import Tensor


class SGD(SingleTensorOptimizer):
    """Gradient descent, where `momentum` goes on in the direction of the steps before: ``p -= lr * buffer``.

    Args:
        params: tensors to optimize, or pairs of a name and a tensor, or dicts of groups.
        lr: the learning rate: a number, or a tensor of one element.
        momentum: how much of the buffer stays at each step: ``buffer = momentum * buffer + (1 - dampening) * grad``.
        dampening: how much of the new gradient is left out.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        nesterov: look ahead: ``p -= lr * (grad + momentum * buffer)``.
        maximize: climb, do not descend. differentiable: record the steps for `backward`.
        foreach, fused: accepted; they change nothing here.

    Raises:
        ValueError: for negative options, or `nesterov` without momentum.

    >>> w = tk.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = tk.optim.SGD([w], lr=0.1, momentum=0.9)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     (w * w).sum().backward()
    ...     optimizer.step()
    >>> w
    tensor([0.4600, 0.9200], requires_grad=True)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html
    """

    _added_later: ClassVar[dict[str, Any]] = {
        "nesterov": False,
        "maximize": False,
        "foreach": None,
        "differentiable": False,
        "fused": False,
    }
    _numbers = ()
    _lists_recorded = True

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        for what, value in (("learning rate", lr), ("momentum value", momentum)):
            if value < 0.0:
                raise ValueError(f"Invalid {what}: {value}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        check_one_way(fused, foreach, differentiable)

    def _state_of(self, param: Tensor, group: Group) -> State:
        if group["fused"]:
            check_fused(param)
        return self.state[param] if group["momentum"] != 0 else {}

    def _update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        lr, momentum = scalar(group["lr"]), group["momentum"]
        if (momentum == 0 or "momentum_buffer" in state) and one_pass.sgd(param, grad, state, group):
            return
        if group["weight_decay"] != 0:
            grad = with_weight_decay(grad, param, group["weight_decay"])
        if momentum != 0:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = grad.detach().clone()
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        if isinstance(lr, Tensor) and lr.requires_grad:
            param.addcmul_(grad, lr, value=-1)
        else:
            param.add_(grad, alpha=-lr)
