"""Steps as large as the steps before: `Adadelta`."""

from __future__ import annotations

from tensorkit.ops.complex.real_imag import view_as_complex
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


class Adadelta(SingleTensorOptimizer):
    """Scale the gradient by the mean size of earlier steps over that of earlier gradients: there is no rate to choose.

    ``delta = grad * sqrt(acc_delta + eps) / sqrt(square_avg + eps)``, where both are means of squares, of which `rho`
    stays at each step; ``p -= lr * delta``.

    Args:
        params: tensors to optimize, or pairs of a name and a tensor, or dicts of groups.
        lr: a factor of the step: a number, or a tensor of one element.
        rho: how much of the means stays.
        eps: added to both means: the first steps are as small as its root.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        capturable: keep the count of steps on the GPU. foreach: accepted; it changes no result.
        maximize: climb, do not descend. differentiable: record the steps for `backward`.

    Raises:
        ValueError: for options out of their range.

    >>> w = tk.tensor([1.0, 20.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> tk.optim.Adadelta([w], rho=0.75, eps=0.25).step()
    >>> w
    tensor([ 0.1056, 19.0003], requires_grad=True)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adadelta.html
    """

    _without_xla = (None, False, True)

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_not_negative(lr=lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative(eps=eps, weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, param: Tensor, group: Group) -> State:
        return {
            "step": number_state(0.0, param, group),
            "square_avg": zeros_state(param),
            "acc_delta": zeros_state(param),
        }

    def _update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        rho, eps = group["rho"], group["eps"]
        state["step"] += 1
        if one_pass.adadelta(param, grad, state, group):
            return
        if group["weight_decay"] != 0:
            grad = with_weight_decay(grad, param, group["weight_decay"])
        grad, square_avg, acc_delta = real_views(grad, state["square_avg"], state["acc_delta"])
        square_avg.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        root = square_avg.add(eps).sqrt_()
        delta = acc_delta.add(eps).sqrt_()
        if group["differentiable"]:
            delta = delta.clone()
        delta.div_(root).mul_(grad)
        acc_delta.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(view_as_complex(delta) if param.is_complex() else delta, alpha=-scalar(group["lr"]))
