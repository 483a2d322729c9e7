"""Schedules along half a wave of the cosine: `CosineAnnealingLR`, and with restarts."""

from __future__ import annotations

import math
from typing import Any

from tensorkit.optim.lr_scheduler.scheduler import (
    LRScheduler,
    inside_step,
    set_option,
    values,
    warn_outside_step,
)
from tensorkit.optim.optimizer import Optimizer


class CosineAnnealingLR(LRScheduler):
    """From the first learning rate down to `eta_min` in `T_max` epochs along a cosine, and up again in as many.

    Args:
        optimizer: whose groups have the learning rates.
        T_max: how many epochs it takes. eta_min: the least learning rate.
        last_epoch: how far training had come before; -1 for the beginning.

    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = tk.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.CosineAnnealingLR.html
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The present learning rates, each a step further along its cosine."""
        warn_outside_step(self)
        rates = values(self.optimizer, "lr")
        least, epoch, period = self.eta_min, self.last_epoch, self.T_max
        if self._is_initial:
            return rates
        if self._step_count == 1 and epoch > 0:
            height = 1 + math.cos(epoch * math.pi / period)
            return [least + (base_lr - least) * height / 2 for base_lr in self.base_lrs]
        if (epoch - 1 - period) % (2 * period) == 0:  # from the least rate there is no factor up
            height = 1 - math.cos(math.pi / period)
            return [
                rate + (base_lr - least) * height / 2
                for base_lr, rate in zip(self.base_lrs, rates, strict=True)
            ]
        factor = (1 + math.cos(math.pi * epoch / period)) / (1 + math.cos(math.pi * (epoch - 1) / period))
        return [factor * (rate - least) + least for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        height = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (base_lr - self.eta_min) * height / 2 for base_lr in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """From the first learning rate down to `eta_min` along a cosine, again and again.

    Args:
        optimizer: whose groups have the learning rates.
        T_0: how many epochs the first way down takes. T_mult: how much longer each is than the one before.
        eta_min: the least learning rate.
        last_epoch: how far training had come before; -1 for the beginning.

    Raises:
        ValueError: for numbers of epochs that are not whole and positive.

    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = tk.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> optimizer.step()
    >>> for _ in range(3):
    ...     scheduler.step()
    ...     print(scheduler.get_last_lr())
    [0.5]
    [1.0]
    [0.5]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.CosineAnnealingWarmRestarts.html
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates where the way down has come to."""
        warn_outside_step(self)
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (base_lr - self.eta_min) * height / 2 for base_lr in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on by an epoch, or to `epoch`, which may have a fraction: after each batch ``epoch + batch / batches``."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur = self.T_cur + 1
            if self.T_cur >= self.T_i:
                self.T_cur = self.T_cur % self.T_i
                self.T_i = self.T_i * self.T_mult
        else:
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        with inside_step(self):
            for group, rate in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
                set_option(group, "lr", rate)
        self._last_lr = values(self.optimizer, "lr")

    def _go_to(self, epoch: float) -> None:
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        first, longer = self.T_0, self.T_mult
        if epoch < first:
            self.T_i, self.T_cur = first, epoch
        elif longer == 1:
            self.T_cur = epoch % first
        else:
            restarts = int(math.log(epoch / first * (longer - 1) + 1, longer))
            self.T_cur = epoch - first * (longer**restarts - 1) / (longer - 1)
            self.T_i = first * longer**restarts
