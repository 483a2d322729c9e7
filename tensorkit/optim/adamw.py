"""`Adam` with a weight decay of its own: `AdamW`."""

from __future__ import annotations

from typing import Any

from tensorkit.optim.adam import Adam
from tensorkit.optim.optimizer import Params
from tensorkit.tensor import Tensor


class AdamW(Adam):
    """`Adam` where weight decay shrinks the parameter, ``p *= 1 - lr * weight_decay``, and leaves the gradient alone.

    Args:
        params, lr, betas, eps, amsgrad, maximize, foreach, capturable, differentiable, fused: as for `Adam`.
        weight_decay: how fast the parameter shrinks, in learning rates.

    >>> w = tk.tensor([1.0, 200.0], requires_grad=True)
    >>> optimizer = tk.optim.AdamW([w], lr=0.5, weight_decay=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([  0.4500, 189.5000], requires_grad=True)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html
    """

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
