"""A schedule up and down between two learning rates: `CyclicLR`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from tensorkit.optim.lr_scheduler.scheduler import (
    LRScheduler,
    check_optimizer,
    dict_of_function,
    for_each_group,
    set_option,
    warn_outside_step,
)
from tensorkit.optim.optimizer import Optimizer


def begin_momentum(optimizer: Optimizer, base: list[Any], most: list[Any]) -> None:
    """Set the momentum of each group to the largest, and note both ends of its way."""
    for base_momentum, max_momentum, group in zip(base, most, optimizer.param_groups, strict=True):
        set_momentum(group, max_momentum, "betas" in optimizer.defaults)
        group["max_momentum"] = max_momentum
        group["base_momentum"] = base_momentum


def set_momentum(group: dict[str, Any], momentum: Any, is_beta: bool) -> None:
    """Set the momentum of a group: the first of its `betas`, where it has them."""
    if is_beta:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


class CyclicLR(LRScheduler):
    """From `base_lr` to `max_lr` in `step_size_up` batches, and down again, over and over; call `step` after each.

    Args:
        optimizer: whose groups have the learning rates.
        base_lr, max_lr: the ends of the way: numbers, or lists of one for each group.
        step_size_up, step_size_down: the numbers of batches up, and down; the same if it is not given.
        mode: ``"triangular"``; ``"triangular2"`` halves the height each time; ``"exp_range"`` has the factor
            ``gamma ** batch``.
        gamma: the factor of ``"exp_range"``.
        scale_fn: a function for the factor of the height, instead of `mode`.
        scale_mode: whether it is a function of the number of the ``"cycle"``, or of ``"iterations"``.
        cycle_momentum: whether the momentum goes the other way, between `max_momentum` and `base_momentum`.
        base_momentum, max_momentum: the ends of its way.
        last_epoch: how many batches there were before; -1 for the beginning.

    Raises:
        ValueError: for an unknown mode, or an optimizer without momentum.

    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0, momentum=0.9)
    >>> scheduler = tk.optim.lr_scheduler.CyclicLR(optimizer, base_lr=1.0, max_lr=2.0, step_size_up=2)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [1.5]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.CyclicLR.html
    """

    _scale_fn_ref: Callable[[float], float]

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = for_each_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_option(group, "lr", rate)
        self.max_lrs = for_each_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._init_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_momentum(self, base_momentum: Any, max_momentum: Any, last_epoch: int) -> None:
        optimizer = self.optimizer
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        self.base_momentums = for_each_group("base_momentum", optimizer, base_momentum)
        self.max_momentums = for_each_group("max_momentum", optimizer, max_momentum)
        if last_epoch == -1:
            begin_momentum(optimizer, self.base_momentums, self.max_momentums)

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is not None:
            return
        if self.mode == "exp_range":
            self._scale_fn_ref = partial(self._exp_range_scale_fn, self.gamma)
            self.scale_mode = "iterations"
        else:
            first = self.mode == "triangular"
            self._scale_fn_ref = self._triangular_scale_fn if first else self._triangular2_scale_fn
            self.scale_mode = "cycle"

    def scale_fn(self, x: float) -> float:
        """The factor of the height, at a cycle or a batch."""
        return (self._scale_fn_ref if self._scale_fn_custom is None else self._scale_fn_custom)(x)

    @staticmethod
    def _triangular_scale_fn(x: float) -> float:
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x: float) -> Any:
        return 1 / (2.0 ** (x - 1))

    @staticmethod
    def _exp_range_scale_fn(gamma: float, x: float) -> Any:
        return gamma**x

    def get_lr(self) -> list[Any]:
        """The learning rates at this batch; also sets the momentum."""
        warn_outside_step(self)
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)

        def of_height(least: Any, most: Any) -> Any:
            scaled = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
            return (most - least) * height * scaled

        rates = [
            base_lr + of_height(base_lr, max_lr)
            for base_lr, max_lr in zip(self.base_lrs, self.max_lrs, strict=True)
        ]
        if self.cycle_momentum:
            ends = zip(self.base_momentums, self.max_momentums, strict=True)
            momentums = [most - of_height(base, most) for base, most in ends]
            for group, momentum in zip(self.optimizer.param_groups, momentums, strict=True):
                set_momentum(group, momentum, self.use_beta1)
        return rates

    def state_dict(self) -> dict[str, Any]:
        """All that the schedule remembers; of a `scale_fn` that is a function nothing, else its attributes."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        function = state.pop("_scale_fn_custom")
        return state | {"_scale_fn_custom": None if function is None else dict_of_function(function)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where the schedule was that `state_dict` was taken of."""
        attributes = state_dict.pop("_scale_fn_custom")
        super().load_state_dict(state_dict)
        if attributes is not None and self._scale_fn_custom is not None:
            self._scale_fn_custom.__dict__.update(attributes)
        self._init_scale_fn()
