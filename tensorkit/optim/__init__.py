"""Optimizers: what changes the parameters of a model by their gradients, step by step.

>>> w = tk.tensor([1.0, 2.0], requires_grad=True)
>>> optimizer = tk.optim.SGD([w], lr=0.25)
>>> (w * w).sum().backward()
>>> optimizer.step()
>>> w
tensor([0.5000, 1.0000], requires_grad=True)

Source: names and behaviour are PyTorch 2.13's (https://docs.pytorch.org/docs/stable/optim.html).
"""

from __future__ import annotations

from tensorkit.optim import lr_scheduler
from tensorkit.optim.adadelta import Adadelta
from tensorkit.optim.adagrad import Adagrad
from tensorkit.optim.adam import Adam
from tensorkit.optim.adamax import Adamax
from tensorkit.optim.adamw import AdamW
from tensorkit.optim.asgd import ASGD
from tensorkit.optim.lbfgs import LBFGS
from tensorkit.optim.nadam import NAdam
from tensorkit.optim.optimizer import Optimizer
from tensorkit.optim.radam import RAdam
from tensorkit.optim.rmsprop import RMSprop
from tensorkit.optim.rprop import Rprop
from tensorkit.optim.sgd import SGD

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
]


def __dir__() -> list[str]:
    return __all__
