"""Steps that look at signs alone: `Rprop`."""

from __future__ import annotations

from tensorkit.memory_format import preserve_format
from tensorkit.ops.creation.full import full_like
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
    zeros_state,
)
from tensorkit.tensor import Tensor


class Rprop(SingleTensorOptimizer):
    """Resilient propagation: each element has a step size of its own, which grows until its gradient changes sign.

    Args:
        params: tensors to optimize, or pairs of a name and a tensor, or dicts of groups.
        lr: the first step size: a number, or a tensor of one element.
        etas: the factor of a step size when the sign changed, and when it stayed.
        step_sizes: the least step size, and the largest.
        capturable: keep the count of steps on the GPU. foreach: accepted; it changes no result.
        maximize: climb, do not descend. differentiable: record the steps for `backward`.

    Raises:
        ValueError: for a negative rate, or factors that are not below and above 1.

    >>> w = tk.tensor([1.0, 20.0], requires_grad=True)
    >>> optimizer = tk.optim.Rprop([w], lr=0.5)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     (w * w).sum().backward()
    ...     optimizer.step()
    >>> w
    tensor([-0.1000, 18.9000], requires_grad=True)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Rprop.html
    """

    _without_xla = ()

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_not_negative(lr=lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _new_state(self, param: Tensor, group: Group) -> State:
        lr = scalar(group["lr"])
        first = complex(lr, lr) if param.is_complex() else lr
        return {
            "step": number_state(0.0, param, group),
            "prev": zeros_state(param),
            "step_size": full_like(param.grad, first),
        }

    def _update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        (smaller, larger), (least, most) = group["etas"], group["step_sizes"]
        state["step"] += 1
        param, grad, prev, step_size = real_views(param, grad, state["prev"], state["step_size"])
        before = prev.clone() if group["differentiable"] else prev
        factor = grad.mul(before).sign()
        factor[factor.gt(0)] = larger
        factor[factor.lt(0)] = smaller
        factor[factor.eq(0)] = 1
        step_size.mul_(factor).clamp_(least, most)
        grad = grad.clone(memory_format=preserve_format)
        grad[factor.eq(smaller)] = 0  # no step, and no sign to compare with at the next one
        param.addcmul_(grad.sign(), step_size, value=-1)
        prev.copy_(grad)
