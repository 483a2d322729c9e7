"""A schedule up to a large learning rate and down to a tiny one, once: `OneCycleLR`."""

from __future__ import annotations

import math
from typing import Any, Literal

from tensorkit.optim.lr_scheduler.cyclic import begin_momentum, set_momentum
from tensorkit.optim.lr_scheduler.scheduler import (
    LRScheduler,
    check_optimizer,
    for_each_group,
    warn_outside_step,
)
from tensorkit.optim.optimizer import Optimizer


class OneCycleLR(LRScheduler):
    """From ``max_lr / div_factor`` up to `max_lr`, and down to a tiny rate at the last batch; call `step` after each.

    Args:
        optimizer: whose groups have the learning rates.
        max_lr: the largest learning rate: a number, or a list of one for each group.
        total_steps: the number of batches; or else `epochs` times `steps_per_epoch`.
        pct_start: the part of them that goes up, between 0 and 1.
        anneal_strategy: ``"cos"`` for half a wave of the cosine, ``"linear"`` for a straight line.
        cycle_momentum: whether the momentum goes the other way, from `max_momentum` to `base_momentum` and back.
        base_momentum, max_momentum: the ends of its way.
        div_factor: `max_lr` over the first rate. final_div_factor: the first rate over the last one.
        three_phase: go down to the first rate in as many batches as up, and then to the last one.
        last_epoch: how many batches there were before; -1 for the beginning.

    Raises:
        ValueError: for options out of their range, an optimizer without momentum, or a step too many.

    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0, momentum=0.9)
    >>> scheduler = tk.optim.lr_scheduler.OneCycleLR(
    ...     optimizer, max_lr=1.0, total_steps=5, pct_start=0.6, anneal_strategy="linear", div_factor=2
    ... )
    >>> for _ in range(2):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [0.5]
    [0.75]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.OneCycleLR.html
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _total(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        max_lrs = for_each_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for rate, group in zip(max_lrs, optimizer.param_groups, strict=True):
                group["initial_lr"] = rate / div_factor
                group["max_lr"] = rate
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._init_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _init_momentum(self, base_momentum: Any, max_momentum: Any, last_epoch: int) -> None:
        optimizer = self.optimizer
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        most = for_each_group("max_momentum", optimizer, max_momentum)
        base = for_each_group("base_momentum", optimizer, base_momentum)
        if last_epoch == -1:
            begin_momentum(optimizer, base, most)

    def _between(self, start: Any, end: Any, way: float) -> Any:
        """The value after a part of the way from one to another."""
        if self._anneal_func_type == "linear":
            return (end - start) * way + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * way) + 1)

    def get_lr(self) -> list[Any]:
        """The learning rates at this batch; also sets the momentum."""
        warn_outside_step(self)
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        begin: float = 0.0
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            begin = phase["end_step"]
        rates = []
        for group in self.optimizer.param_groups:
            way = (step - begin) / (phase["end_step"] - begin)
            rates.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], way))
            if self.cycle_momentum:
                start, end = group[phase["start_momentum"]], group[phase["end_momentum"]]
                set_momentum(group, self._between(start, end, way), self.use_beta1)
        return rates


def _total(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    if total_steps is not None:
        if total_steps <= 0 or not isinstance(total_steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
        return total_steps
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return epochs * steps_per_epoch


def _phases(total: int, pct_start: float, three_phase: bool) -> list[dict[str, Any]]:
    """The parts of the way: the batch where each ends, and the options of a group that it goes between."""
    up = float(pct_start * total) - 1
    parts: list[tuple[float, str, str, str, str]] = [
        (up, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
        (total - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"),
    ]
    if three_phase:
        down = float(2 * pct_start * total) - 2
        parts[1:] = [
            (down, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
            (total - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
        ]
    names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
    return [dict(zip(names, part, strict=True)) for part in parts]
