"""Steps divided by the root of all squares so far: `Adagrad`."""

from __future__ import annotations

from typing import Any, ClassVar

from tensorkit.ops.creation.full import full_like
from tensorkit.optim import one_pass
from tensorkit.optim.optimizer import Params
from tensorkit.optim.single_tensor import (
    Group,
    SingleTensorOptimizer,
    State,
    check_fused,
    check_lr,
    check_not_negative,
    check_one_way,
    number_state,
    real_views,
    scalar,
    with_weight_decay,
)
from tensorkit.tensor import Tensor


class Adagrad(SingleTensorOptimizer):
    """Divide the gradient by the root of the sum of all its squares: ``p -= lr * grad / (sqrt(sum) + eps)``.

    Args:
        params: tensors to optimize, or pairs of a name and a tensor, or dicts of groups.
        lr: the learning rate: a number, or a tensor of one element.
        lr_decay: after ``t`` steps the rate is ``lr / (1 + t * lr_decay)``.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        initial_accumulator_value: what the sum begins with.
        eps: added to the divisor, so that it is not 0.
        maximize: climb, do not descend. differentiable: record the steps for `backward`.
        foreach, fused: accepted; they change no result.

    Raises:
        ValueError: for negative options.

    >>> w = tk.tensor([1.0, 200.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> tk.optim.Adagrad([w], lr=0.5).step()
    >>> w
    tensor([  0.5000, 199.5000], requires_grad=True)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adagrad.html
    """

    _added_later: ClassVar[dict[str, Any]] = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "fused": None,
    }

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_not_negative(
            lr=lr,
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        check_one_way(fused, foreach, differentiable)
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param].update(self._new_state(param, group))

    def share_memory(self) -> None:
        """Move the sums into memory that other processes can share."""
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param]["sum"].share_memory_()

    def _new_state(self, param: Tensor, group: Group) -> State:
        begin = self.defaults["initial_accumulator_value"]
        begin = complex(begin, begin) if param.is_complex() else begin
        return {"step": number_state(0.0, param, group), "sum": full_like(param, begin)}

    def _state_of(self, param: Tensor, group: Group) -> State:
        if group["fused"]:
            check_fused(param)
        return super()._state_of(param, group)

    def _update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        state["step"] += 1
        lr = scalar(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
        if one_pass.adagrad(param, grad, state, group, lr):
            return
        if group["weight_decay"] != 0:
            grad = with_weight_decay(grad, param, group["weight_decay"])
        param, grad, total = real_views(param, grad, state["sum"])
        total.addcmul_(grad, grad, value=1)
        root = total.sqrt()
        divisor = root + group["eps"] if group["differentiable"] else root.add_(group["eps"])
        param.addcdiv_(grad, divisor, value=-lr)
