"""Adaptive moments: `Adam`, of which `AdamW` is a form."""

from __future__ import annotations

from typing import Any, ClassVar

from tensorkit.ops.pointwise.comparison import maximum
from tensorkit.optim import one_pass
from tensorkit.optim.optimizer import Params
from tensorkit.optim.single_tensor import (
    Group,
    SingleTensorOptimizer,
    State,
    check_betas,
    check_not_negative,
    check_one_way,
    number_state,
    real_views,
    scalar,
    with_weight_decay,
    zeros_state,
)
from tensorkit.tensor import Tensor


class Adam(SingleTensorOptimizer):
    """Steps of about the size `lr`: the mean of the gradients over the root of the mean of their squares.

    With ``t`` steps done, ``m = beta1 * m + (1 - beta1) * grad`` and ``v = beta2 * v + (1 - beta2) * grad**2``; both
    begin with 0, which is made up for: ``p -= lr * m / (1 - beta1**t) / (sqrt(v / (1 - beta2**t)) + eps)``.

    Args:
        params: tensors to optimize, or pairs of a name and a tensor, or dicts of groups.
        lr: the learning rate: a number, or a tensor of one element.
        betas: how much of the means ``m`` and ``v`` stays at each step.
        eps: added to the divisor, so that it is not 0.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        amsgrad: divide by the largest mean of squares there was.
        maximize: climb, do not descend. differentiable: record the steps for `backward`.
        capturable: keep the count of steps on the GPU. foreach, fused: accepted; they change no result.
        decoupled_weight_decay: shrink the parameter itself, as `AdamW` does, and leave the gradient.

    Raises:
        ValueError: for options out of their range.

    >>> w = tk.tensor([1.0, 200.0], requires_grad=True)
    >>> optimizer = tk.optim.Adam([w], lr=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([  0.5000, 199.5000], requires_grad=True)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html
    """

    _added_later: ClassVar[dict[str, Any]] = {
        "amsgrad": False,
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
        "fused": None,
    }

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        lists = bool(foreach and not capturable)
        _check_tensor("lr", lr, lists)
        check_not_negative(lr=lr, eps=eps)
        check_betas(betas)
        check_not_negative(weight_decay=weight_decay)
        if not any(all(isinstance(beta, kind) for beta in betas[:2]) for kind in (float, Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")
        _check_tensor("betas[0]", betas[0], lists)
        _check_tensor("betas[1]", betas[1], lists)
        defaults = {
            "lr": lr,
            "betas": tuple(map(scalar, betas)),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)
        check_one_way(fused, foreach, differentiable)

    def _new_state(self, param: Tensor, group: Group) -> State:
        state = {
            "step": number_state(0.0, param, group),
            "exp_avg": zeros_state(param),
            "exp_avg_sq": zeros_state(param),
        }
        return state | {"max_exp_avg_sq": zeros_state(param)} if group["amsgrad"] else state

    def _state_of(self, param: Tensor, group: Group) -> State:
        state = super()._state_of(param, group)
        if group["differentiable"] and state["step"].requires_grad:
            raise RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")
        if group["foreach"] and isinstance(group["lr"], Tensor) and not group["capturable"]:
            raise RuntimeError("lr as a Tensor is not supported for capturable=False and foreach=True")
        return state

    def _update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        lr, (beta1, beta2) = scalar(group["lr"]), group["betas"]
        state["step"] += 1
        if one_pass.adam(param, grad, state, group):
            return
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                param.mul_(1 - lr * group["weight_decay"])
            else:
                grad = with_weight_decay(grad, param, group["weight_decay"])
        largest = [state["max_exp_avg_sq"]] if group["amsgrad"] else []
        param, grad, mean, square, *largest = real_views(
            param, grad, state["exp_avg"], state["exp_avg_sq"], *largest
        )
        mean.lerp_(grad, 1 - (beta1.to(param.device, param.dtype) if isinstance(beta1, Tensor) else beta1))
        if group["differentiable"] and isinstance(beta2, Tensor) and beta2.requires_grad:
            square.lerp_(grad.square(), 1 - beta2)
        else:
            square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        if group["capturable"] or group["differentiable"]:
            _move_by_tensors(param, mean, square, largest, state["step"], lr, group)
            return
        step = state["step"].item()
        for most in largest:
            square = maximum(most, square, out=most)
        divisor = (square.sqrt() / (1 - beta2**step) ** 0.5).add_(group["eps"])
        param.addcdiv_(mean, divisor, value=-(lr / (1 - beta1**step)))


def _move_by_tensors(
    param: Tensor, mean: Tensor, square: Tensor, largest: list[Tensor], step: Tensor, lr: Any, group: Group
) -> None:
    """The last lines of the formula where the count of steps stays a tensor: on a GPU, or recorded by autograd."""
    beta1, beta2 = group["betas"]
    step = step.clone()  # what is recorded keeps it, and it goes on
    step_size = -(lr / (1 - beta1**step))
    for most in largest:
        square = most.copy_(maximum(most.clone(), square))
    divisor = (square.sqrt() / ((1 - beta2**step).sqrt() * step_size)).add_(group["eps"] / step_size)
    param.addcdiv_(mean.clone(), divisor)


def _check_tensor(name: str, value: Any, lists: bool) -> None:
    if isinstance(value, Tensor):
        if lists:
            raise ValueError(f"{name} as a Tensor is not supported for capturable=False and foreach=True")
        if value.numel() != 1:
            raise ValueError(f"Tensor {name} must be 1-element")
