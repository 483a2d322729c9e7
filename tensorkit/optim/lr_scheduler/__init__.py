"""Schedules of the learning rate: how it changes from epoch to epoch, or from step to step.

>>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0)
>>> scheduler = tk.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
>>> for epoch in range(5):
...     print(scheduler.get_last_lr())
...     optimizer.step()
...     scheduler.step()
[1.0]
[1.0]
[0.5]
[0.5]
[0.25]

Source: names and behaviour are PyTorch 2.13's (https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate).
"""

from __future__ import annotations

from tensorkit.optim.lr_scheduler.composed import ChainedScheduler, SequentialLR
from tensorkit.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from tensorkit.optim.lr_scheduler.cyclic import CyclicLR
from tensorkit.optim.lr_scheduler.factors import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from tensorkit.optim.lr_scheduler.one_cycle import OneCycleLR
from tensorkit.optim.lr_scheduler.plateau import ReduceLROnPlateau
from tensorkit.optim.lr_scheduler.scheduler import EPOCH_DEPRECATION_WARNING, LRScheduler
from tensorkit.optim.lr_scheduler.scheduler import _LRScheduler as _LRScheduler

__all__ = [
    "EPOCH_DEPRECATION_WARNING",
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]


def __dir__() -> list[str]:
    return __all__


# ``print(type(scheduler))`` names the place where a user finds it, as PyTorch's does.
for _name in (*__all__[1:], "_LRScheduler"):
    globals()[_name].__module__ = __name__
