"""Schedules by factors: of functions, at some epochs, or a little at every one."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from tensorkit.optim.lr_scheduler.scheduler import LRScheduler, dict_of_function, values, warn_outside_step
from tensorkit.optim.optimizer import Optimizer

Factor = Callable[[int], float]


class _FunctionLR(LRScheduler):
    """A schedule by a function of the epoch, or a list of one for each group."""

    lr_lambdas: list[Factor]

    def __init__(self, optimizer: Optimizer, lr_lambda: Factor | list[Factor], last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            self.lr_lambdas = [lr_lambda] * count
        elif len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}")
        else:
            self.lr_lambdas = list(lr_lambda)
        self._check()
        super().__init__(optimizer, last_epoch)

    def _check(self) -> None:
        pass

    def state_dict(self) -> dict[str, Any]:
        """All that the schedule remembers; of functions nothing, of callable objects their attributes."""
        state = super().state_dict()
        functions = state.pop("lr_lambdas")
        return state | {"lr_lambdas": [dict_of_function(function) for function in functions]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where the schedule was that `state_dict` was taken of."""
        self.__dict__.update({name: value for name, value in state_dict.items() if name != "lr_lambdas"})
        for function, attributes in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=False):
            if attributes is not None:
                function.__dict__.update(attributes)


class LambdaLR(_FunctionLR):
    """The first learning rate times a function of the epoch.

    Args:
        optimizer: whose groups have the learning rates.
        lr_lambda: a function of the epoch, or a list of one for each group.
        last_epoch: how far training had come before; -1 for the beginning.

    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = tk.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LambdaLR.html
    """

    def get_lr(self) -> list[Any]:
        """The first learning rates, each times its function of the epoch."""
        warn_outside_step(self)
        return [
            base_lr * factor(self.last_epoch)
            for factor, base_lr in zip(self.lr_lambdas, self.base_lrs, strict=True)
        ]


class MultiplicativeLR(_FunctionLR):
    """The last learning rate times a function of the epoch.

    Args:
        optimizer: whose groups have the learning rates.
        lr_lambda: a function of the epoch, or a list of one for each group.
        last_epoch: how far training had come before; -1 for the beginning.

    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = tk.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.MultiplicativeLR.html
    """

    def _check(self) -> None:
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")

    def get_lr(self) -> list[Any]:
        """The present learning rates, each times its function of the epoch."""
        warn_outside_step(self)
        rates = values(self.optimizer, "lr")
        if self._is_initial:
            return rates
        return [rate * factor(self.last_epoch) for factor, rate in zip(self.lr_lambdas, rates, strict=True)]


class StepLR(LRScheduler):
    """Times `gamma` after every `step_size` epochs.

    Args:
        optimizer: whose groups have the learning rates.
        step_size: the number of epochs between two changes. gamma: the factor of a change.
        last_epoch: how far training had come before; -1 for the beginning.

    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = tk.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.StepLR.html
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The present learning rates, times `gamma` at the end of `step_size` epochs."""
        warn_outside_step(self)
        rates = values(self.optimizer, "lr")
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return rates
        return [rate * self.gamma for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        return [base_lr * self.gamma ** (self.last_epoch // self.step_size) for base_lr in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Times `gamma` at each of the milestones.

    Args:
        optimizer: whose groups have the learning rates.
        milestones: epochs, in any order. gamma: the factor at each.
        last_epoch: how far training had come before; -1 for the beginning.

    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = tk.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.MultiStepLR.html
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The present learning rates, times `gamma` at a milestone."""
        warn_outside_step(self)
        rates = values(self.optimizer, "lr")
        if self.last_epoch not in self.milestones:
            return rates
        return [rate * self.gamma ** self.milestones[self.last_epoch] for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base_lr * self.gamma**passed for base_lr in self.base_lrs]


class ConstantLR(LRScheduler):
    """Times `factor` for `total_iters` epochs, and then the first learning rate.

    Args:
        optimizer: whose groups have the learning rates.
        factor: between 0 and 1. total_iters: for how many epochs.
        last_epoch: how far training had come before; -1 for the beginning.

    Raises:
        ValueError: for a factor that is not between 0 and 1.

    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0)
    >>> tk.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5).get_last_lr()
    [0.5]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ConstantLR.html
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The present learning rates, times `factor` in the beginning, and over `factor` at the end."""
        warn_outside_step(self)
        rates = values(self.optimizer, "lr")
        if self.last_epoch == 0:
            return [rate * self.factor for rate in rates]
        if self.last_epoch != self.total_iters:
            return rates
        return [rate * (1.0 / self.factor) for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        factor = self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor)
        return [base_lr * factor for base_lr in self.base_lrs]


class LinearLR(LRScheduler):
    """Times a factor that goes from `start_factor` to `end_factor`, the same way at each of `total_iters` epochs.

    Args:
        optimizer: whose groups have the learning rates.
        start_factor, end_factor: between 0 and 1. total_iters: for how many epochs.
        last_epoch: how far training had come before; -1 for the beginning.

    Raises:
        ValueError: for factors that are not between 0 and 1.

    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = tk.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.75]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LinearLR.html
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The present learning rates, each a step further on its line."""
        warn_outside_step(self)
        rates = values(self.optimizer, "lr")
        if self.last_epoch == 0:
            return [rate * self.start_factor for rate in rates]
        if self._is_initial or self.last_epoch > self.total_iters:
            return rates
        way = self.end_factor - self.start_factor
        factor = 1.0 + way / (self.total_iters * self.start_factor + (self.last_epoch - 1) * way)
        return [rate * factor for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        way = self.end_factor - self.start_factor
        factor = self.start_factor + way * min(self.total_iters, self.last_epoch) / self.total_iters
        return [base_lr * factor for base_lr in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Times `gamma` at every epoch.

    Args:
        optimizer: whose groups have the learning rates.
        gamma: the factor.
        last_epoch: how far training had come before; -1 for the beginning.

    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = tk.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ExponentialLR.html
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The present learning rates times `gamma`."""
        warn_outside_step(self)
        rates = values(self.optimizer, "lr")
        return rates if self._is_initial else [rate * self.gamma for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        return [base_lr * self.gamma**self.last_epoch for base_lr in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Times ``(1 - epoch / total_iters) ** power``, which is 0 in the end.

    Args:
        optimizer: whose groups have the learning rates.
        total_iters: for how many epochs. power: 1 is a straight line.
        last_epoch: how far training had come before; -1 for the beginning.

    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = tk.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=2, power=2)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.PolynomialLR.html
    """

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The present learning rates, times the polynomial here over the one at the epoch before."""
        warn_outside_step(self)
        rates = values(self.optimizer, "lr")
        if self._is_initial or self.last_epoch > self.total_iters:
            return rates
        left, before = (1.0 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1))
        factor = (left / before) ** self.power
        return [rate * factor for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base_lr * left**self.power for base_lr in self.base_lrs]
